"""A conversation is found where its repository is now, however it was reached then; the round says on what ground."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from datetime import datetime, timezone
from pathlib import Path

import pytest

from anamnesis_lsp.cancel import never
from anamnesis_lsp.present.round import Round
from anamnesis_lsp.recall.recaller import Recaller, RecallSettings, RecollectRequest
from anamnesis_lsp.records.conversations.stores import Store
from tests.builders.claude import Transcript, session
from tests.builders.repos import Repo, new_repo

NAME = "src/net/fetch.py"
BEFORE = "def fetch(url):\n    return get(url)"
AFTER = """\
def fetch(url):
    for attempt in range(RETRY_LIMIT):
        wait_for_gateway(attempt)
        return get(url)"""
BEFORE_THE_COMMIT = datetime(2020, 1, 1, 1, 30, tzinfo=timezone.utc)


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    repo = new_repo(tmp_path / "app")
    repo.commit("Add fetch", {NAME: f"{BEFORE}\n", "src/net/other.py": "x = 1\n"})
    repo.commit("Change fetch", {NAME: f"{AFTER}\n"})
    return repo


def talk(tmp_path: Path, cwd: str, number: int = 1) -> str:
    transcript = Transcript(session(number), cwd=cwd, start=BEFORE_THE_COMMIT)
    transcript.person("The gateway drops the first request after a restart, please retry because the job dies.")
    transcript.edit(f"{cwd}/{NAME}", BEFORE, AFTER, say="I will wait, so that it can come up.")
    transcript.write_to(tmp_path / "claude", cwd.replace("/", "-"))
    return transcript.id


@pytest.fixture
def ask() -> Iterator[Callable[..., Round]]:
    opened: list[Recaller] = []

    def asking(path: Path, lines: tuple[int, int] | None = (2, 3), **settings: object) -> Round:
        recaller = Recaller(RecallSettings(**settings), [path])  # type: ignore[arg-type]
        opened.append(recaller)
        if lines is None:
            return recaller.recollect(RecollectRequest(cue="gateway drops the first request"), never())
        return recaller.recollect(RecollectRequest(path / NAME, lines), never())

    yield asking
    for recaller in opened:
        recaller.close()


def members(shown: Round) -> list[str]:
    return [member["id"] for member in shown.as_wire()["recognizables"][0]["members"]]


def test_where_it_ran_is_plain_and_not_told(tmp_path: Path, repo: Repo, ask: Callable[..., Round]) -> None:
    spoken = talk(tmp_path, str(repo.path))
    shown = ask(repo.path)
    assert members(shown)[0] == spoken
    assert "counts as this repository's" not in shown.markdown


def test_a_moved_and_renamed_repository(tmp_path: Path, repo: Repo, ask: Callable[..., Round]) -> None:
    spoken = talk(tmp_path, str(repo.path))
    moved = tmp_path / "elsewhere" / "renamed"
    moved.parent.mkdir()
    shutil.move(repo.path, moved)
    for lines in ((2, 3), None):
        shown = ask(moved, lines)
        assert members(shown)[0] == spoken
        assert "counts as this repository's because 1 of the 1 paths it edited are paths of this" in shown.markdown


def test_a_worktree_that_was_deleted(tmp_path: Path, repo: Repo, ask: Callable[..., Round]) -> None:
    worktree = tmp_path / "worktrees" / "feature-7"
    repo.git("worktree", "add", "-q", str(worktree), "-b", "feature")
    spoken = talk(tmp_path, str(worktree))
    assert "because it ran in a worktree of this repository" in ask(repo.path).markdown
    repo.git("worktree", "remove", "--force", str(worktree))
    shown = ask(repo.path)
    assert members(shown)[0] == spoken
    assert "because 1 of the 1 paths it edited" in shown.markdown
    assert "is not there any more" in str(shown.as_wire()["recognizables"][0]["members"][0]["handleNote"])


def test_a_work_tree_reached_by_a_link(tmp_path: Path, repo: Repo, ask: Callable[..., Round]) -> None:
    link = tmp_path / "link"
    link.symlink_to(repo.path)
    spoken = talk(tmp_path, str(link))
    shown = ask(repo.path)
    assert members(shown)[0] == spoken
    assert "because it ran in this repository's work tree, reached by a link" in shown.markdown


@pytest.mark.parametrize("cwd", ["/workspace", "/workspaces/app", "/Users/eve/code/the-app"])
def test_a_container_and_another_contributors_machine(
    tmp_path: Path, repo: Repo, ask: Callable[..., Round], cwd: str
) -> None:
    spoken = talk(tmp_path, cwd)
    shown = ask(repo.path)
    assert members(shown)[0] == spoken
    assert "because 1 of the 1 paths it edited are paths of this repository" in shown.markdown


def test_another_projects_conversation_is_counted_and_left_out(
    tmp_path: Path, repo: Repo, ask: Callable[..., Round]
) -> None:
    other = Transcript(session(5), cwd="/srv/other").person("The gateway drops the first request after a restart.")
    other.edit("/srv/other/lib/gate.py", "a = 1", "gateway_retries = 3")
    other.write_to(tmp_path / "claude", "-srv-other")
    shown = ask(repo.path, None)
    assert session(5) not in str(shown.as_wire()["recognizables"])
    (searched,) = [one for one in shown.as_wire()["searched"] if one["kind"] == "claude-code"]
    assert searched["examined"] == 1 and "0 of them belong to this repository" in searched["how"]


def test_a_given_store_hides_nothing_and_says_that_nothing_names_the_repository(
    tmp_path: Path, repo: Repo, ask: Callable[..., Round]
) -> None:
    Transcript(session(5), cwd="/srv/other").person("The gateway drops the first request.").write_to(
        tmp_path / "claude", "-srv-other"
    )
    shown = ask(repo.path, None, stores=(Store.at("claude-code", tmp_path / "claude"),))
    assert members(shown)[0] == session(5)
    assert "Nothing in the conversation names this repository" in shown.markdown
