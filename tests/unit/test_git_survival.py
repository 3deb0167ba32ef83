"""Where a recorded commit lives on: after rebase, amend, cherry-pick, squash; with its object and without."""

from __future__ import annotations

from datetime import datetime, timezone
from pathlib import Path

from anamnesis_lsp.cancel import never
from anamnesis_lsp.records.git import Repository
from anamnesis_lsp.records.git.survival import Recorded, Survivor, carried_by, survivor
from tests.builders.repos import Repo, new_repo, numbered

WORK = "".join(f"def step_{n}(state):\n    return state.advance({n})\n" for n in range(6))
MORE = "".join(f"class Wider{n}:\n    limit = {n * 17}\n" for n in range(6))


def begun(path: Path) -> Repo:
    repo = new_repo(path)
    repo.commit("Begin", {"a.py": numbered(10), "b.py": numbered(5, word="other")})
    return repo


def topic(repo: Repo) -> str:
    repo.git("checkout", "-q", "-b", "topic")
    return repo.commit("Add the steps", {"a.py": numbered(10) + WORK})


def lives(repo: Repo, recorded: Recorded) -> Survivor | None:
    it = Repository.discover(repo.path, never())
    return survivor(it, recorded, it.head(never()), never())


def prune(repo: Repo) -> None:
    repo.git("branch", "-D", "topic")
    repo.git("reflog", "expire", "--expire=now", "--all")
    repo.git("gc", "-q", "--prune=now")


def test_a_commit_of_the_history_carries_itself(tmp_path: Path) -> None:
    repo = begun(tmp_path / "r")
    recorded = topic(repo)
    assert lives(repo, Recorded(recorded)) == Survivor(recorded, "same", 1.0)
    assert lives(repo, Recorded(recorded[:10])) == Survivor(recorded, "same", 1.0)


def test_after_a_rebase_and_a_cherry_pick_the_same_change_is_found(tmp_path: Path) -> None:
    repo = begun(tmp_path / "r")
    recorded = topic(repo)
    repo.git("checkout", "-q", "main")
    repo.commit("Meanwhile", {"b.py": "changed\n"})
    repo.git("cherry-pick", recorded)
    assert lives(repo, Recorded(recorded)) == Survivor(repo.head(), "patchId", 0.98)


def test_a_commit_that_says_what_it_was_picked_from(tmp_path: Path) -> None:
    repo = begun(tmp_path / "r")
    recorded = topic(repo)
    repo.git("checkout", "-q", "main")
    picked = repo.commit(
        f"Add the steps, adapted\n\n(cherry picked from commit {recorded})", {"a.py": WORK.replace("state", "s")}
    )
    found = lives(repo, Recorded(recorded))
    assert found is not None and (found.commit, found.how) == (picked, "named")


def test_an_amended_commit_keeps_author_time_and_most_lines(tmp_path: Path) -> None:
    repo = begun(tmp_path / "r")
    recorded = topic(repo)
    repo.write("a.py", numbered(10) + WORK + "def one_more():\n    pass\n")
    repo.git("commit", "-q", "-a", "--amend", "-m", "Add the steps, all of them")
    found = lives(repo, Recorded(recorded))
    assert found is not None and (found.commit, found.how) == (repo.head(), "rewritten") and found.confidence > 0.9


def test_a_squash_carries_each_of_its_commits(tmp_path: Path) -> None:
    repo = begun(tmp_path / "r")
    first = topic(repo)
    second = repo.commit("Widen", {"b.py": MORE})
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "--squash", "topic")
    repo.commit("Steps and width (#4)")
    for recorded in (first, second):
        found = lives(repo, Recorded(recorded))
        assert found is not None and (found.commit, found.how, found.share) == (repo.head(), "content", 1.0)
        assert 0.7 < found.confidence < 0.9


def test_an_object_that_is_gone_is_found_by_the_lines_of_the_record(tmp_path: Path) -> None:
    repo = begun(tmp_path / "r")
    recorded = topic(repo)
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "--squash", "topic")
    repo.commit("Steps (#4)")
    prune(repo)
    when = datetime(2020, 1, 1, tzinfo=timezone.utc)
    found = lives(repo, Recorded(recorded, when=when, added={"a.py": WORK.splitlines()}))
    assert found is not None and (found.commit, found.how) == (repo.head(), "content")
    assert lives(repo, Recorded(recorded)) is None
    assert lives(repo, Recorded(recorded, added={"a.py": ["one line of it all"]})) is None


def test_a_change_that_was_dropped_lives_nowhere(tmp_path: Path) -> None:
    repo = begun(tmp_path / "r")
    recorded = topic(repo)
    repo.git("checkout", "-q", "main")
    repo.commit("Something else", {"a.py": numbered(10) + MORE})
    assert lives(repo, Recorded(recorded)) is None


def test_one_commit_is_asked_whether_it_carries_another(tmp_path: Path) -> None:
    repo = begun(tmp_path / "r")
    recorded = topic(repo)
    repo.git("checkout", "-q", "main")
    between = repo.commit("Meanwhile", {"b.py": "changed\n"})
    repo.git("cherry-pick", recorded)
    it = Repository.discover(repo.path, never())
    carrier, other = (it.commit(commit, never()) for commit in (repo.head(), between))
    assert carried_by(it, Recorded(recorded), carrier, never()) == Survivor(repo.head(), "patchId", 0.98)
    assert carried_by(it, Recorded(recorded), other, never()) is None
    assert carried_by(it, Recorded(recorded[:9]), it.commit(recorded, never()), never()) == Survivor(
        recorded, "same", 1.0
    )
