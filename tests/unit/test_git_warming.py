"""Commit-graphs are built in the background, into our cache, where git can use them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from anamnesis_lsp.cancel import never
from anamnesis_lsp.records.git import Repository, process, shadow, warming
from tests.builders.repos import Repo, new_repo, numbered, retry_repo, unchanged


def opened(repo: Repo) -> Repository:
    return Repository.discover(repo.path, never())


def chain(it: Repository) -> list[str]:
    file = it.shadow.directory / "objects" / "info" / "commit-graphs" / "commit-graph-chain"
    return file.read_text(encoding="ascii").split() if file.exists() else []


def test_a_warmed_file_has_its_repositorys_graph_built_and_nothing_of_it_touched(tmp_path: Path) -> None:
    repo = retry_repo(tmp_path / "r")
    it = opened(repo)
    with unchanged(repo.path):
        assert it.warm("src/fetch.py", never())
        assert warming.idle(30)
    assert len(chain(it)) == 1 and it.shadow.graph_mark.read_text(encoding="ascii") == repo.head()
    warming.warm(it)
    assert warming.idle(30)
    assert len(chain(it)) == 1


def test_new_commits_are_added_as_a_layer_and_other_branches_are_no_rewrite(tmp_path: Path) -> None:
    repo = retry_repo(tmp_path / "r")
    it = opened(repo)
    for _ in range(6):
        repo.commit("more", {"a": str(_)})
    assert it.build_commit_graph(never())
    base = chain(it)
    repo.git("checkout", "-q", "-b", "side")
    repo.commit("top", {"a": "top"})
    assert it.build_commit_graph(never()) and chain(it)[0] == base[0] and len(chain(it)) == 2
    repo.git("checkout", "-q", "main")
    assert it.build_commit_graph(never()) and chain(it)[0] == base[0]


def test_a_rewrite_starts_anew_at_once_only_where_its_objects_are_gone(tmp_path: Path) -> None:
    repo = new_repo(tmp_path / "r")
    for number in range(12):
        repo.commit(f"c{number}", {"a": numbered(number + 1)})
    it = opened(repo)
    assert it.build_commit_graph(never())
    base = chain(it)
    repo.git("commit", "-q", "--amend", "-m", "again")
    assert it.build_commit_graph(never()) and chain(it)[0] == base[0]
    os.utime(it.shadow.graph_mark, (1, 1))
    repo.git("commit", "-q", "--amend", "-m", "and again")
    assert it.build_commit_graph(never()) and chain(it)[0] != base[0] and len(chain(it)) == 1
    repo.git("commit", "-q", "--amend", "-m", "and once more")
    repo.git("reflog", "expire", "--expire=now", "--all")
    repo.git("gc", "-q", "--prune=now")
    it.close()
    before = chain(it)
    assert it.build_commit_graph(never()) and chain(it) != before and len(chain(it)) == 1
    assert len(list(it.log(it.head(never()), never()))) == 12


@pytest.mark.parametrize("options", [["--depth", "2"], ["--filter=tree:0", "--no-checkout"]])
def test_no_graph_where_git_would_not_use_it_or_would_fetch_for_it(tmp_path: Path, options: list[str]) -> None:
    clone = retry_repo(tmp_path / "r").clone(tmp_path / "c", *options)
    it = opened(clone)
    warming.warm(it)
    assert warming.idle(30)
    assert chain(it) == []


def test_linked_worktrees_share_one_graph_and_sha256_has_its_own_kind(tmp_path: Path) -> None:
    repo = retry_repo(tmp_path / "r")
    repo.git("worktree", "add", "-q", str(tmp_path / "w"), "HEAD~1")
    one, two = opened(repo), Repository.discover(tmp_path / "w", never())
    assert one.shadow.directory == two.shadow.directory
    assert one.build_commit_graph(never())
    graph = chain(one)
    assert two.build_commit_graph(never()) and chain(one) == graph
    other = new_repo(tmp_path / "s", object_format="sha256")
    made = other.commit("one", {"a": "x\n"})
    it = opened(other)
    assert it.build_commit_graph(never()) and len(chain(it)[0]) == 64
    assert it.blame(made, "a", None, never()).lines[0].commit == made


def test_a_graph_over_its_cap_is_dropped_and_everything_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    it = opened(retry_repo(tmp_path / "r"))
    monkeypatch.setattr(shadow, "_GRAPH_CAP", 10)
    assert not it.build_commit_graph(never()) and chain(it) == []
    assert len(it.blame(it.head(never()), "src/fetch.py", None, never()).lines) == 3


def test_stopping_drops_what_is_wanted(tmp_path: Path) -> None:
    it = opened(retry_repo(tmp_path / "r"))
    warming.warm(it)
    warming.stop()
    assert warming.idle(30)
    warming.warm(it)
    assert warming.idle(30) and chain(it)


def test_background_work_leaves_a_place_for_a_question(tmp_path: Path) -> None:
    it = opened(retry_repo(tmp_path / "r"))
    held = [
        it.shadow.stream("rev-list", it.head(never()), cancel=never(), background=True),
    ]
    try:
        with process.slots.take(never()):
            assert it.run("rev-list", "--count", it.head(never()), cancel=never()).strip() == b"3"
    finally:
        for stream in held:
            stream.close()
