"""What commits changed, and the log."""

from __future__ import annotations

import time
from datetime import datetime, timezone
from pathlib import Path

import pytest

from anamnesis_lsp.cancel import Cancelled, CancelToken, never
from anamnesis_lsp.records.git import FileChange, Repository, process
from tests.builders.repos import BEGIN, STEP, Repo, new_repo, numbered, retry_repo


def opened(repo: Repo) -> Repository:
    return Repository.discover(repo.path, never())


def changes(repo: Repo, commit: str = "HEAD", **options: object) -> list[FileChange]:
    it = opened(repo)
    return it.changes(it.resolve(commit, never()), never(), **options)  # type: ignore[arg-type]


def test_a_change_has_its_hunks_with_their_lines(tmp_path: Path) -> None:
    (change,) = changes(retry_repo(tmp_path / "r"))
    assert (change.status, change.path, change.old_path, change.binary) == ("M", "src/fetch.py", None, False)
    (hunk,) = change.hunks
    assert (hunk.old_start, hunk.old_lines, hunk.new_start, hunk.new_lines) == (2, 1, 2, 1)
    assert hunk.lines == ("-    for attempt in range(3):", "+    for attempt in range(5):")


def test_context_lines_come_when_asked_for(tmp_path: Path) -> None:
    (change,) = changes(retry_repo(tmp_path / "r"), context=1)
    assert [line[0] for line in change.hunks[0].lines] == [" ", "-", "+", " "]


def test_a_root_commit_adds_everything(tmp_path: Path) -> None:
    repo = retry_repo(tmp_path / "r")
    assert [(c.status, c.path) for c in changes(repo, "HEAD~2")] == [("A", "README"), ("A", "src/fetch.py")]


def test_renames_copies_of_type_modes_and_binaries(tmp_path: Path) -> None:
    repo = new_repo(tmp_path / "r")
    repo.commit("One", {"old.txt": numbered(20), "mode.sh": "x\n", "link": "target", "bin": b"\0\1", "gone": "g\n"})
    repo.move("old.txt", "new.txt")
    (repo.path / "mode.sh").chmod(0o755)
    (repo.path / "link").unlink()
    (repo.path / "link").symlink_to("target")
    repo.commit("Two", {"new.txt": numbered(20) + "more\n", "bin": b"\0\2", "gone": None, "last": "no end"})
    found = {change.path: change for change in changes(repo)}
    assert {path: change.status for path, change in found.items()} == {
        "new.txt": "R",
        "mode.sh": "M",
        "link": "T",
        "bin": "M",
        "gone": "D",
        "last": "A",
    }
    assert found["new.txt"].old_path == "old.txt" and found["new.txt"].hunks[0].lines == ("+more",)
    assert found["bin"].binary and not found["bin"].hunks and not found["mode.sh"].hunks
    assert found["gone"].hunks[0].lines == ("-g",)
    assert found["last"].hunks[0].lines == ("+no end",)
    assert {line for hunk in found["link"].hunks for line in hunk.lines} == {"-target", "+target"}
    plain = {(change.status, change.path) for change in changes(repo, renames=False)}
    assert {("D", "old.txt"), ("A", "new.txt")} <= plain


def test_paths_limit_what_is_told_without_losing_a_rename(tmp_path: Path) -> None:
    repo = new_repo(tmp_path / "r")
    repo.commit("One", {"old.txt": numbered(20), "b.txt": "x\n"})
    repo.move("old.txt", "new.txt")
    repo.commit("Two", {"b.txt": "y\n", "new.txt": numbered(21)})
    for path in ("old.txt", "new.txt"):
        (change,) = changes(repo, paths=[path])
        assert (change.status, change.path, change.old_path) == ("R", "new.txt", "old.txt") and change.hunks
    assert changes(repo, paths=["none"]) == []
    assert [(c.path, c.hunks) for c in changes(repo, hunks=False)] == [("b.txt", ()), ("new.txt", ())]


def test_no_line_of_a_file_passes_for_a_header(tmp_path: Path) -> None:
    evil = "diff --git a/x b/x\n@@ -1 +1 @@\n--- a/x\n+++ b/x\n-- gone\n++ new\nBinary files a/x and b/x differ\n"
    repo = new_repo(tmp_path / "r")
    repo.commit("One", {"a.txt": "x\n", "z.txt": "z\n"})
    repo.commit("Two", {"a.txt": evil, "z.txt": "zz\n"})
    first, second = changes(repo)
    assert not first.binary and [line[1:] for line in first.hunks[0].lines if line[0] == "+"] == evil.splitlines()
    assert (second.path, second.hunks[0].lines) == ("z.txt", ("-z", "+zz"))


def test_a_merge_is_told_against_its_first_parent(tmp_path: Path) -> None:
    repo = new_repo(tmp_path / "r")
    repo.commit("One", {"a.txt": "a\n", "b.txt": "b\n"})
    repo.git("checkout", "-q", "-b", "side")
    repo.commit("Side", {"b.txt": "side\n"})
    repo.git("checkout", "-q", "main")
    repo.commit("Main", {"a.txt": "main\n"})
    repo.git("merge", "-q", "--no-edit", "side")
    assert [change.path for change in changes(repo)] == ["b.txt"]
    entries = list(opened(repo).log(repo.head(), never()))
    assert entries[0].paths == () and len(entries[0].parents) == 2


def test_two_commits_are_compared(tmp_path: Path) -> None:
    repo = retry_repo(tmp_path / "r")
    it = opened(repo)
    (change,) = it.changes_between(it.resolve("HEAD~2", never()), repo.head(), never())
    assert len(change.hunks[0].lines) == 3 or len(change.hunks) == 2


def test_a_patch_id_survives_a_cherry_pick(tmp_path: Path) -> None:
    repo = new_repo(tmp_path / "r")
    repo.commit("One", {"a.txt": numbered(10)})
    made = repo.commit("Two", {"a.txt": numbered(11)})
    repo.git("checkout", "-q", "-b", "other", "HEAD~1")
    repo.commit("Elsewhere", {"b.txt": "b\n"})
    repo.git("cherry-pick", made)
    it = opened(repo)
    assert repo.head() != made and it.patch_id(repo.head(), never()) == it.patch_id(made, never()) is not None
    empty = repo.commit("Nothing")
    assert it.patch_id(empty, never()) is None
    assert it.is_ancestor(it.resolve("HEAD~1", never()), empty, never())
    assert not it.is_ancestor(made, empty, never())


# ---- log


def test_the_log_comes_newest_first_with_what_each_commit_touched(tmp_path: Path) -> None:
    repo = retry_repo(tmp_path / "r")
    entries = list(opened(repo).log(repo.head(), never()))
    assert [entry.commit for entry in entries] == repo.git("rev-list", "HEAD").split()
    assert [entry.paths for entry in entries] == [("src/fetch.py",), ("src/fetch.py",), ("README", "src/fetch.py")]
    assert entries[1].author.name == "Grace Hopper" and "gateway" in entries[1].message


def test_the_log_is_narrowed_by_path_count_time_message_and_author(tmp_path: Path) -> None:
    repo = retry_repo(tmp_path / "r")
    it, head = opened(repo), repo.head()

    def subjects(**options: object) -> list[str]:
        return [entry.message.split("\n")[0] for entry in it.log(head, never(), **options)]  # type: ignore[arg-type]

    assert subjects(paths=["README"]) == ["Add fetch"]
    assert subjects(limit=1) == ["Raise the limit"]
    assert subjects(since=datetime.fromtimestamp(BEGIN + 2 * STEP, timezone.utc)) == [
        "Raise the limit",
        "Retry three times",
    ]
    assert subjects(grep="GATEWAY DROPS") == ["Retry three times"]
    assert subjects(grep="r.try") == []
    assert subjects(grep="--output=x") == []
    assert subjects(author="grace@") == ["Retry three times"]
    assert subjects(paths=["*"]) == []


def test_the_log_of_all_refs_has_what_no_branch_of_head_has(tmp_path: Path) -> None:
    repo = retry_repo(tmp_path / "r")
    repo.git("checkout", "-q", "-b", "side")
    side = repo.commit("Side", {"b": "b\n"})
    repo.git("checkout", "-q", "main")
    it = opened(repo)
    assert side not in [entry.commit for entry in it.log(repo.head(), never())]
    assert side in [entry.commit for entry in it.log(repo.head(), never(), all_refs=True)]


def test_a_log_that_is_left_early_leaves_no_process(tmp_path: Path) -> None:
    process.kill_all()
    repo = retry_repo(tmp_path / "r")
    it = opened(repo)
    log = it.log(repo.head(), never())
    next(log)
    log.close()  # type: ignore[attr-defined]
    it.close()
    end = time.monotonic() + 5
    while process.living():
        assert time.monotonic() < end
        time.sleep(0.005)


def test_a_cancelled_log_ends(tmp_path: Path) -> None:
    repo = retry_repo(tmp_path / "r")
    token = CancelToken()
    log = opened(repo).log(repo.head(), token)
    next(log)
    token.cancel()
    with pytest.raises(Cancelled):
        list(log)
