"""Finding stores, opening one conversation, and on what ground one belongs to a repository."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from anamnesis_lsp.cancel import never
from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.records.conversations.belonging import (
    NO_GROUND,
    RepositoryTraits,
    belongs,
    common_dir,
    remote_name,
    repository_path,
)
from anamnesis_lsp.records.conversations.copies import Claim, credited
from anamnesis_lsp.records.conversations.model import Head
from anamnesis_lsp.records.conversations.opening import find_source, open_conversation
from anamnesis_lsp.records.conversations.registry import RUNTIMES, discover_stores, possible_stores, runtime
from anamnesis_lsp.records.conversations.stores import Store
from tests.builders.claude import Transcript, session
from tests.builders.repos import new_repo

# -- registry


def test_every_runtime_goes_by_the_name_it_is_listed_under() -> None:
    assert {name: reader.name for name, reader in RUNTIMES.items()} == {name: name for name in RUNTIMES}
    assert all(reader.versions for reader in RUNTIMES.values())


def test_an_unknown_kind_names_the_known_ones() -> None:
    with pytest.raises(AnamnesisError) as unknown:
        runtime("claude")
    assert unknown.value.code is ErrorCode.STORE_UNKNOWN
    assert "claude-code" in unknown.value.remedy


def test_only_stores_that_exist_are_discovered_and_absent_ones_can_be_told(tmp_path: Path) -> None:
    Transcript().person("Go").write_to(tmp_path / ".claude")
    assert Store.at("claude-code", tmp_path / ".claude") in discover_stores(None, {}, tmp_path)
    (tmp_path / "empty").mkdir()
    assert discover_stores(None, {}, tmp_path / "empty") == []
    assert Store.at("claude-code", tmp_path / "empty" / ".claude") in possible_stores(None, {}, tmp_path / "empty")


# -- opening


def test_a_conversation_is_opened_at_the_turns_asked_for(tmp_path: Path) -> None:
    Transcript().person("One").assistant("Two").person("Three").write_to(tmp_path)
    source = find_source("claude-code", tmp_path, session(1), never())
    opened = open_conversation(source, {3, 9}, never())
    assert ([turn.text for turn in opened.turns], opened.total) == (["Three"], 3)
    assert opened.head.cwds == ["/home/dev/app"]
    assert opened.handle.command is not None and session(1) in opened.handle.command
    assert len(open_conversation(source, None, never()).turns) == 3


def test_a_conversation_that_is_gone_is_said_to_be(tmp_path: Path) -> None:
    with pytest.raises(AnamnesisError) as gone:
        find_source("claude-code", tmp_path, session(1), never())
    assert gone.value.code is ErrorCode.RECORD_GONE


def test_opening_reads_the_record_as_it_is_now(tmp_path: Path) -> None:
    transcript = Transcript().person("One")
    path = transcript.write_to(tmp_path)
    source = find_source("claude-code", tmp_path, session(1), never())
    transcript.person("Two").save(path)
    assert open_conversation(source, None, never()).total == 2


# -- copies


def test_the_conversation_that_ended_first_is_credited_with_what_a_fork_repeats() -> None:
    noon = datetime(2026, 3, 1, 12, tzinfo=timezone.utc)
    fork = Claim("a-fork", noon + timedelta(hours=1), frozenset(("u1", "u2", "u3")))
    original = Claim("original", noon, frozenset(("u1", "u2")))
    undated = Claim("0-undated", None, frozenset(("u1", "u9")))
    assert credited([fork, original, undated]) == {"u1": "original", "u2": "original"}


# -- belonging

TRACKED = frozenset(("README.md", "src/app/lock.py", "src/app/retry.py", "tests/test_lock.py"))


def traits(root: str = "/home/dev/app", *, remotes: tuple[str, ...] = ()) -> RepositoryTraits:
    return RepositoryTraits((root, "/home/dev/app-wt"), None, remotes, TRACKED, lambda commit: commit == "abc1234")


@pytest.mark.parametrize(
    ("head", "edited", "ground", "at_least"),
    [
        (Head(cwds=["/home/dev/app/src"]), [], "work tree", 1.0),
        (Head(cwds=["/tmp", "/home/dev/app-wt"]), [], "work tree", 1.0),
        (Head(cwds=["/x"], remotes=["git@github.com:Owner/App.git"]), [], "remote", 0.9),
        (Head(cwds=["/x"], head_commits=["abc1234"]), [], "commit", 0.9),
        (Head(cwds=["/Users/eve/code/app"]), [("/Users/eve/code/app/src/app/lock.py", None)], "1 of the 1 paths", 0.5),
        (Head(cwds=["C:\\code\\app"]), [("C:\\code\\app\\src\\app\\lock.py", None)], "1 of the 1 paths", 0.5),
        (Head(cwds=["/workspace"]), [("src/app/lock.py", "/workspace"), ("/etc/hosts", None)], "1 of the 2 paths", 0.3),
        (Head(cwds=["/mnt/app"]), [], "same name", 0.1),
    ],
)
def test_the_ground_is_told_and_the_strongest_wins(
    head: Head, edited: list[tuple[str, str | None]], ground: str, at_least: float
) -> None:
    found = belongs(traits(remotes=("https://user:token@github.com/owner/app",)), head, edited)
    assert ground in found.ground and found.strength >= at_least


def test_nothing_in_common_is_no_ground_but_still_a_value() -> None:
    assert belongs(traits(), Head(cwds=["/srv/other"]), [("/srv/other/main.c", None)]) == NO_GROUND


def test_a_linked_worktree_is_recognised_by_its_common_directory(tmp_path: Path) -> None:
    repo = new_repo(tmp_path / "main")
    worktree = tmp_path / "elsewhere"
    git_dir = repo.path / ".git" / "worktrees" / "elsewhere"
    git_dir.mkdir(parents=True)
    (git_dir / "commondir").write_text("../..\n")
    worktree.mkdir()
    (worktree / ".git").write_text(f"gitdir: {git_dir}\n")
    ours = common_dir(str(repo.path))
    assert ours is not None and common_dir(str(worktree)) == ours
    found = belongs(RepositoryTraits((str(repo.path),), ours), Head(cwds=[str(worktree)]), [])
    assert (found.ground, found.strength) == ("it ran in a worktree of this repository", 1.0)
    assert common_dir(str(tmp_path)) is None


@pytest.mark.parametrize(
    ("recorded", "cwd", "expected"),
    [
        ("/home/dev/app/src/app/lock.py", None, "src/app/lock.py"),
        ("/home/dev/app/.claude/worktrees/fix/src/app/lock.py", None, "src/app/lock.py"),
        ("/gone/app--worktree/src/app/lock.py", None, "src/app/lock.py"),
        ("src/app/lock.py", "/elsewhere", "src/app/lock.py"),
        ("lock.py", "/elsewhere/src/app", "src/app/lock.py"),
        ("./src/../src/app/lock.py", "/elsewhere", "src/app/lock.py"),
        ("/elsewhere/README.md", "/elsewhere", "README.md"),
        ("/elsewhere/README.md", "/other", None),
        ("/home/dev/app/new/file.py", None, "new/file.py"),
        ("/etc/hosts", None, None),
        ("/elsewhere/app/src/app/removed.py", None, "src/app/removed.py"),
        ("/elsewhere/src/removed.py", None, None),
    ],
)
def test_a_recorded_path_names_a_path_of_the_repository(recorded: str, cwd: str | None, expected: str | None) -> None:
    assert repository_path(traits(), recorded, cwd) == expected


@pytest.mark.parametrize(
    "url",
    [
        "git@github.com:Owner/App.git",
        "https://github.com/owner/app",
        "https://x:y@github.com/owner/app.git/",
        "ssh://git@github.com:22/owner/app.git",
        "git://github.com/owner/app",
    ],
)
def test_spellings_of_a_remote_are_one(url: str) -> None:
    assert remote_name(url) == "github.com/owner/app"
    assert remote_name("/srv/git/app.git") is None
