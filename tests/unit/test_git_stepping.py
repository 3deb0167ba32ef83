"""Before a change, step by step and back; a range at another revision."""

from __future__ import annotations

from pathlib import Path

import pytest

from anamnesis_lsp.cancel import never
from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.records.git import Repository
from anamnesis_lsp.records.git.stepping import Oldest, Stop, Trail, at_revision, before, before_commit
from tests.builders.repos import Repo, new_repo, numbered, retry_repo


def opened(repo: Repo) -> Repository:
    return Repository.discover(repo.path, never())


def test_before_a_change_is_the_parent_with_the_range_mapped(tmp_path: Path) -> None:
    repo = retry_repo(tmp_path / "r")
    newest, retried, first = repo.git("rev-list", "HEAD").split()
    stop = before(opened(repo), Stop(newest, "src/fetch.py", (2, 2)), never())
    assert stop == Stop(retried, "src/fetch.py", (2, 2), after=newest)
    assert before(opened(repo), stop, never()) == Stop(first, "src/fetch.py", (2, 1), after=retried)


def test_stepping_back_and_forward_loses_no_range(tmp_path: Path) -> None:
    repo = new_repo(tmp_path / "r")
    repo.commit("one", {"a.txt": numbered(20)})
    repo.commit("two", {"a.txt": "above\n" + numbered(20).replace("line number 9 ", "row nine ")})
    repo.move("a.txt", "b.txt")
    repo.commit("three")
    repo.commit("four", {"b.txt": "above\n" + numbered(20).replace("line number 9 ", "ninth row ")})
    it = opened(repo)
    begin = Trail.begin(repo.head(), "b.txt", (9, 12))
    back = begin.back(it, never())
    assert (back.stop.path, back.stop.lines) == ("b.txt", (9, 12))
    twice = back.back(it, never())
    assert (twice.stop.path, twice.stop.lines) == ("a.txt", (8, 11))
    end = twice.back(it, never())
    assert end.stop == twice.stop and end.oldest is not None and end.oldest.why == "root"
    assert end.forward().forward().stop == begin.stop and end.forward().stop == back.stop
    assert end.forward().back(it, never()).stop == twice.stop


def test_the_root_a_new_file_and_the_end_of_a_shallow_clone_stop_politely(tmp_path: Path) -> None:
    repo = new_repo(tmp_path / "r")
    root = repo.commit("one", {"a.txt": numbered(3)})
    made = repo.commit("two", {"b.txt": numbered(3, word="other")})
    it = opened(repo)
    assert before(it, Stop(made, "a.txt", (1, 2)), never()) == Oldest(root, "root")
    assert before(it, Stop(made, "b.txt", (1, 2)), never()) == Oldest(made, "created")
    repo.commit("three", {"a.txt": numbered(4)})
    shallow = repo.clone(tmp_path / "s", "--depth", "1")
    assert before(opened(shallow), Stop(shallow.head(), "a.txt", (1, 1)), never()) == Oldest(shallow.head(), "shallow")


def test_a_line_made_on_a_side_branch_steps_along_that_side(tmp_path: Path) -> None:
    repo = new_repo(tmp_path / "r")
    base = repo.commit("one", {"a.txt": numbered(12)})
    repo.git("checkout", "-q", "-b", "side")
    side = repo.commit("side", {"a.txt": numbered(12).replace("number 9 ", "number nine ")})
    repo.git("checkout", "-q", "main")
    repo.commit("main", {"a.txt": "top\n" + numbered(12)})
    repo.git("merge", "-q", "--no-edit", "side")
    stop = before(opened(repo), Stop(repo.head(), "a.txt", (10, 10)), never())
    assert stop == Stop(base, "a.txt", (9, 9), after=side)


def test_a_change_made_in_a_merge_steps_to_its_first_parent(tmp_path: Path) -> None:
    repo = new_repo(tmp_path / "r")
    repo.commit("one", {"a.txt": numbered(6)})
    repo.git("checkout", "-q", "-b", "side")
    repo.commit("side", {"b.txt": "x\n"})
    repo.git("checkout", "-q", "main")
    parent = repo.commit("main", {"c.txt": "x\n"})
    repo.git("merge", "-q", "--no-commit", "side")
    repo.write("a.txt", numbered(6).replace("number 3 ", "number three "))
    repo.git("commit", "-q", "-a", "-m", "An evil merge")
    stop = before(opened(repo), Stop(repo.head(), "a.txt", (3, 3)), never())
    assert stop == Stop(parent, "a.txt", (3, 3), after=repo.head())


def test_a_range_at_an_older_and_a_newer_revision(tmp_path: Path) -> None:
    repo = new_repo(tmp_path / "r")
    one = repo.commit("one", {"a.txt": numbered(20)})
    repo.move("a.txt", "b.txt")
    repo.commit("two", {"b.txt": "above\nabove\n" + numbered(20)})
    it = opened(repo)
    head = repo.head()
    there = at_revision(it, Stop(head, "b.txt", (7, 9)), one, never())
    assert there == Stop(one, "a.txt", (5, 7))
    repo.commit("gone", {"b.txt": None})
    assert at_revision(it, Stop(head, "b.txt", (7, 9)), repo.head(), never()) is None


def test_a_locator_whose_commit_is_gone_says_so(tmp_path: Path) -> None:
    repo = retry_repo(tmp_path / "r")
    for act in (
        lambda: before(opened(repo), Stop("f" * 40, "src/fetch.py", (1, 1)), never()),
        lambda: at_revision(opened(repo), Stop(repo.head(), "src/fetch.py", (1, 1)), "f" * 40, never()),
    ):
        with pytest.raises(AnamnesisError) as caught:
            act()
        assert caught.value.code is ErrorCode.RECORD_GONE


def test_before_the_stops_own_commit_whoever_changed_the_lines_last(tmp_path: Path) -> None:
    repo = new_repo(tmp_path / "r")
    root = repo.commit("one", {"a.txt": numbered(9)})
    second = repo.commit("two", {"a.txt": "above\n" + numbered(9)})
    it = opened(repo)
    assert before_commit(it, Stop(second, "a.txt", (4, 5)), never()) == Stop(root, "a.txt", (3, 4), after=second)
    assert before_commit(it, Stop(second, "a.txt", (1, 1)), never()) == Stop(root, "a.txt", (1, 0), after=second)
    assert before_commit(it, Stop(root, "a.txt", (1, 1)), never()) == Oldest(root, "root")
