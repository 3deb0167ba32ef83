"""The history as the readings know it: what a cancelled look leaves behind."""

from __future__ import annotations

from pathlib import Path

from anamnesis_lsp.cancel import Cancelled, CancelToken, never
from anamnesis_lsp.readings.past import Past
from anamnesis_lsp.records.git import Repository
from tests.builders.repos import GRACE, Repo, new_repo
from tests.server.scene import a_scene


class Impatient(CancelToken):
    """Cancels itself at the n-th look."""

    def __init__(self, looks: int) -> None:
        super().__init__()
        self._left = looks

    def check(self) -> None:
        self._left -= 1
        if self._left < 0:
            self.cancel()
        super().check()


def test_what_was_cancelled_at_any_moment_is_read_by_the_next(tmp_path: Path) -> None:
    scene = a_scene(tmp_path)
    cancelled = 0
    for looks in range(60):
        past = Past(Repository.discover(scene.file, never()), scene.commit)
        try:
            past.links(scene.commit, Impatient(looks))
        except Cancelled:
            cancelled += 1
            assert past.links(scene.commit, never()) is not None
            assert past.patch(scene.commit, never()).paths == ("src/fetch.py",)
        else:
            break
    assert 2 < cancelled < 60


def history(tmp_path: Path) -> tuple[Repo, Past]:
    repo = new_repo(tmp_path / "app")
    repo.commit("Begin", {"a.py": "x = 1\ny = 2\nz = 3\n", "b.sql": "SELECT 1;\n"})
    repo.move("a.py", "lib/a.py")
    repo.commit("Move it", author=GRACE)
    added = "x = 1  # the gauge reboots at four\n# why this is so\ny = 2\nz = 3\n"
    repo.commit("Say why it is so", {"lib/a.py": added}, author=GRACE)
    return repo, Past(Repository.discover(repo.path, never()), repo.head())


def test_comments_beside_code_are_comments_of_the_change_too(tmp_path: Path) -> None:
    repo, past = history(tmp_path)
    patch = past.patch(repo.head(), never())
    assert {line.strip() for line in patch.comments().split("\n")} == {"the gauge reboots at four", "why this is so"}
    moved = past.patch(past.repository.resolve("HEAD~1", never()), never())
    assert {"lib/a.py", "a.py"} == set(moved.paths), "a file that moved is known by both names"


def test_a_change_whose_parent_is_not_here_is_told_as_unknown(tmp_path: Path) -> None:
    repo, _ = history(tmp_path)
    repo.git("clone", "-q", "--depth=1", repo.path.as_uri(), str(tmp_path / "shallow"))
    shallow = Past(Repository.discover(tmp_path / "shallow", never()), repo.head())
    patch = shallow.patch(repo.head(), never())
    assert not patch.known or "why this is so" in patch.comments()


def test_when_a_file_came_in_is_asked_through_its_renames_and_of_an_unknown_one_is_nothing(tmp_path: Path) -> None:
    repo, past = history(tmp_path)
    first = int(repo.git("log", "--format=%ct", "--reverse").split()[0])
    assert past.first_seen("lib/a.py", never()) == first
    assert past.first_seen("nowhere.py", never()) is None
    assert past.first_seen("nowhere.py", never()) is None, "asked once, kept"


def test_neighbours_are_the_authors_own_and_of_a_stranger_there_are_none(tmp_path: Path) -> None:
    repo, past = history(tmp_path)
    head = past.repository.commit(repo.head(), never())
    assert [commit.subject for commit in past.neighbours(head, never())] == ["Move it"], "Grace's other one, not Ada's"
    repo.git("checkout", "-q", "--orphan", "other")
    elsewhere = repo.commit("Elsewhere", {"c.py": "c = 1\n"})
    assert past.neighbours(past.repository.commit(elsewhere, never()), never()) == []


def test_words_that_no_message_has_find_no_commit(tmp_path: Path) -> None:
    _, past = history(tmp_path)
    assert past.search({"quokka": 1.0}, never()) == []
    [(commit, _)] = past.search({"why": 1.0}, never(), limit=1)
    assert commit.subject == "Say why it is so"
