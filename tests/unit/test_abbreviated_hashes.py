"""A conversation records git's abbreviation of a commit: which commit it means is looked up, never guessed."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path

import pytest

from anamnesis_lsp.cancel import never
from anamnesis_lsp.recall.recaller import Recaller, RecallSettings, RecollectRequest
from anamnesis_lsp.records.conversations.stores import Store
from tests.builders.claude import Transcript, session
from tests.builders.repos import Repo, new_repo

FIRST = "def first_feature_of_one(argument):\n    return compute_the_answer(argument)\n"
SECOND = "def second_feature_of_two(parameter):\n    return derive_the_result(parameter)\n"


def raw(tree: str, parent: str, subject: str, number: int) -> tuple[bytes, str]:
    """A commit object and its id."""
    who = "A <a@example.com> 1577840400 +0000"
    body = f"tree {tree}\nparent {parent}\nauthor {who}\ncommitter {who}\n\n{subject}\n\nNumber {number}\n".encode()
    return body, hashlib.sha1(b"commit %d\0" % len(body) + body, usedforsecurity=False).hexdigest()


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Repo, str, str]:
    """A repository with two commits whose first seven digits are the same."""
    repo = new_repo(tmp_path_factory.mktemp("twins") / "app")
    base = repo.commit("Begin", {"README": "app\n"})
    trees: list[str] = []
    for name, text in (("one.py", FIRST), ("two.py", SECOND)):
        repo.write(name, text)
        repo.git("add", name)
        trees.append(repo.git("write-tree"))
        repo.git("rm", "-q", "-f", name)
    beginnings: dict[str, int] = {}
    for number in range(40_000):
        beginnings.setdefault(raw(trees[0], base, "First feature", number)[1][:7], number)
    twin = next(n for n in range(2_000_000) if raw(trees[1], base, "Second feature", n)[1][:7] in beginnings)
    second, second_hash = raw(trees[1], base, "Second feature", twin)
    first, first_hash = raw(trees[0], base, "First feature", beginnings[second_hash[:7]])
    for body in (first, second):
        repo.git("hash-object", "-t", "commit", "-w", "--stdin", input_=body)
    repo.git("reset", "-q", "--hard", first_hash)
    repo.git("merge", "-q", "--no-edit", "--no-ff", second_hash)
    return repo, first_hash, second_hash


@pytest.fixture
def ask(tmp_path: Path, repo: tuple[Repo, str, str]) -> Callable[[str, str], str]:
    def asking(recorded: str, name: str) -> str:
        talk = Transcript(session(1), cwd=str(repo[0].path), start=datetime(2020, 1, 1, 0, 30, tzinfo=timezone.utc))
        talk.person("Please add the feature").assistant("I add it").bash("git commit -am x", recorded)
        talk.write_to(tmp_path / "claude")
        settings = RecallSettings(
            stores=(Store.at("claude-code", tmp_path / "claude"),), index_path=tmp_path / "index.sqlite3", keep=False
        )
        mine = Recaller(settings, [repo[0].path])
        shown = mine.recollect(RecollectRequest(repo[0].path / name, (1, 2)), never()).markdown
        mine.close()
        return shown

    return asking


def test_the_subject_tells_which_of_two_is_meant(ask: Callable[[str, str], str], repo: tuple[Repo, str, str]) -> None:
    _, first, second = repo
    assert first[:7] == second[:7] and first != second
    told = "The conversation records the commit as"
    assert told in ask(f"[main {first[:7]}] First feature", "one.py")
    assert told not in ask(f"[main {first[:7]}] First feature", "two.py")
    assert told not in ask(f"[main {first[:7]}] Another subject", "one.py"), "it may be either"
    assert told in ask(f"[main {second[:9]}] Another subject", "two.py"), "so many digits are one commit's only"
