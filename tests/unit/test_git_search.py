"""Searches of a history: by message, author, content, identifier."""

from __future__ import annotations

from pathlib import Path

import pytest

from anamnesis_lsp.cancel import never
from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.records.git import Repository
from anamnesis_lsp.records.git.search import (
    Named,
    Pull,
    PullKind,
    by_author,
    by_content,
    by_content_everywhere,
    by_identifier,
    by_message,
    expansion,
    pull_of,
)
from tests.builders.repos import GRACE, new_repo, retry_repo


def test_messages_and_authors_are_found_in_either_case(tmp_path: Path) -> None:
    repo = retry_repo(tmp_path / "r")
    it = Repository.discover(repo.path, never())
    assert [e.message[:5] for e in by_message(it, repo.head(), "GATEWAY drops", never())] == ["Retry"]
    assert [e.author.name for e in by_author(it, repo.head(), "grace@", never())] == ["Grace Hopper"]
    assert not list(by_message(it, repo.head(), "g.teway", never()))
    assert len(list(by_message(it, repo.head(), "e", never(), limit=2))) == 2


def test_content_is_found_by_path_at_once(tmp_path: Path) -> None:
    repo = retry_repo(tmp_path / "r")
    it, head = Repository.discover(repo.path, never()), repo.head()
    newest, retried, _ = repo.git("rev-list", "HEAD").split()
    assert list(by_content(it, head, "attempt in range(", ["src/fetch.py"], never())) == [retried]
    assert list(by_content(it, head, "range(5)", ["src/fetch.py"], never(), "lines")) == [newest]
    assert list(by_content(it, head, "attempt in range(", ["src/fetch.py"], never(), "lines")) == [newest, retried]
    with pytest.raises(AnamnesisError) as caught:
        by_content(it, head, "x", [], never())
    assert caught.value.code is ErrorCode.BAD_REQUEST


@pytest.mark.parametrize("text", ["a.c", "x[0]*2", "^start$", "back\\slash", "(a|b){2}?", "-dash", "ünï"])
def test_content_is_literal_whatever_it_holds(tmp_path: Path, text: str) -> None:
    repo = new_repo(tmp_path / "r")
    repo.commit("one", {"a": "nothing aXc x0 start ab\n"})
    added = repo.commit("two", {"a": f"nothing aXc x0 start ab\n{text}\n"})
    it = Repository.discover(repo.path, never())
    for how in ("occurrences", "lines"):
        assert list(by_content(it, added, text, ["a"], never(), how)) == [added]  # type: ignore[arg-type]


def test_a_search_of_the_whole_history_is_offered_with_its_cost(tmp_path: Path) -> None:
    repo = retry_repo(tmp_path / "r")
    it, head = Repository.discover(repo.path, never()), repo.head()
    offered = expansion(it, head, "attempt", never())
    assert offered.commits == 3 and offered.measured == 3 and 0 < offered.seconds < 30
    assert offered.reach == "the changes of all 3 commits of the history" and offered.cost.startswith("about ")
    assert len(list(by_content_everywhere(it, head, "attempt", never()))) == 1


@pytest.mark.parametrize(
    ("message", "pull"),
    [
        ("Merge pull request #12 from o/branch\n\nTitle", Pull(12, PullKind.MERGE)),
        ("Merged in topic (pull request #3)\n\nTitle", Pull(3, PullKind.MERGE)),
        ("Pull request #44: Title\n\nMerge in P/n from x to y", Pull(44, PullKind.MERGE)),
        ("Merged PR 9: Title", Pull(9, PullKind.MERGE)),
        ("Merge branch 'x' into 'main'\n\nTitle\n\nSee merge request g/n!77", Pull(77, PullKind.MERGE, "g/n")),
        ("Title (#8)", Pull(8, PullKind.SQUASH)),
        ("Title (!8)\n\nbody", Pull(8, PullKind.SQUASH)),
        ("Auto merge of #5 - o:b, r=x\n", Pull(5, PullKind.MERGE)),
        ("Title (#8) and more", None),
        ("Fixes #8", None),
        ("", None),
    ],
)
def test_the_request_that_a_commit_merges_or_squashes(message: str, pull: Pull | None) -> None:
    assert pull_of(message) == pull


def test_identifiers_lead_to_their_commits(tmp_path: Path) -> None:
    repo = new_repo(tmp_path / "r")
    squash = repo.commit("Retry (#12)", {"a": "1"})
    mention = repo.commit("Tune\n\nAfter #12, see PROJ-4 and https://example.org/t/9", {"a": "2"}, author=GRACE)
    repo.commit("Other (#123)\n\nPROJ-44 and x#12y", {"a": "3"})
    merge = repo.commit("Merge pull request #31 from o/b", {"a": "4"})
    it, head = Repository.discover(repo.path, never()), repo.head()

    def found(identifier: str) -> list[Named]:
        return by_identifier(it, head, identifier, never())

    assert found("#12") == [Named(squash, "squash"), Named(mention, "mention")]
    assert found("#31") == found("GH-31") == [Named(merge, "merge")]
    assert found("PROJ-4") == found("https://example.org/t/9") == [Named(mention, "mention")]
    assert found(squash) == found(squash[:9]) == [Named(squash, "hash")]
    assert found("f" * 40) == [] and found("#999") == []
