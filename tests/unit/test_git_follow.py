"""The history of a file through its renames."""

from __future__ import annotations

from pathlib import Path

from anamnesis_lsp.cancel import never
from anamnesis_lsp.records.git import Repository
from anamnesis_lsp.records.git.follow import FileStep, file_history
from tests.builders.repos import Repo, new_repo, numbered


def told(repo: Repo, path: str, limit: int | None = None) -> list[FileStep]:
    it = Repository.discover(repo.path, never())
    return list(file_history(it, it.head(never()), path, never(), limit))


def test_every_name_a_file_had_is_followed_and_kept_for_its_commits(tmp_path: Path) -> None:
    repo = new_repo(tmp_path / "r")
    one = repo.commit("one", {"a.txt": numbered(20), "other": "x"})
    two = repo.commit("two", {"a.txt": "more\n" + numbered(20)})
    repo.move("a.txt", "A.txt")
    three = repo.commit("three: only the case")
    repo.move("A.txt", "sub/b.txt")
    four = repo.commit("four", {"sub/b.txt": "and more\nmore\n" + numbered(20)})
    five = repo.commit("five", {"sub/b.txt": "and\nmore\n" + numbered(20)})
    steps = told(repo, "sub/b.txt")
    assert [(s.commit, s.path, s.status) for s in steps] == [
        (five, "sub/b.txt", "M"), (four, "sub/b.txt", "R"), (three, "A.txt", "R"),
        (two, "a.txt", "M"), (one, "a.txt", "A"),
    ]  # fmt: skip
    assert steps[1].old_path == "A.txt" and steps[1].similarity and steps[2].similarity == 100
    assert [s.commit for s in steps] == repo.git("log", "--follow", "--format=%H", "--", "sub/b.txt").split()
    assert told(repo, "sub/b.txt", 2) == steps[:2]


def test_a_file_that_is_like_no_other_begins_where_it_was_added(tmp_path: Path) -> None:
    repo = new_repo(tmp_path / "r")
    repo.commit("one", {"a.txt": numbered(20)})
    made = repo.commit("two", {"a.txt": None, "b.txt": numbered(20, word="unlike")})
    assert [(s.commit, s.status) for s in told(repo, "b.txt")] == [(made, "A")]


def test_deleted_and_added_again_is_told_and_the_end_of_a_shallow_clone_is_no_rename(tmp_path: Path) -> None:
    repo = new_repo(tmp_path / "r")
    repo.commit("one", {"a.txt": numbered(20)})
    repo.commit("two", {"a.txt": None})
    repo.commit("three", {"a.txt": numbered(20)})
    assert [s.status for s in told(repo, "a.txt")] == ["A", "D", "A"]
    shallow = repo.clone(tmp_path / "s", "--depth", "1")
    assert [s.status for s in told(shallow, "a.txt")] == ["A"]


def test_a_side_whose_change_was_given_up_in_the_merge_is_told_when_asked_for(tmp_path: Path) -> None:
    repo = new_repo(tmp_path / "r")
    one = repo.commit("one", {"a.txt": numbered(5)})
    repo.git("checkout", "-q", "-b", "side")
    tried = repo.commit("tried", {"a.txt": numbered(6)})
    undone = repo.commit("undone", {"a.txt": numbered(5)})
    repo.git("checkout", "-q", "main")
    repo.commit("main", {"b.txt": "x"})
    repo.git("merge", "-q", "--no-edit", "side")
    it = Repository.discover(repo.path, never())
    head = it.head(never())
    assert [s.commit for s in file_history(it, head, "a.txt", never())] == [one]
    assert [s.commit for s in file_history(it, head, "a.txt", never(), every_side=True)] == [undone, tried, one]
