"""The scope report: every store that was searched, every search that failed, every record that did not open."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from pathlib import Path

from anamnesis_lsp.contract import Origin, Turn
from anamnesis_lsp.readings import scope
from anamnesis_lsp.readings.content import (
    Avenue,
    CommitNamed,
    CommitsFound,
    Content,
    LineShare,
    LinesTraced,
    PastBoundary,
    RecordNotOpened,
    ScopeSearched,
    SearchFailed,
    WiderFound,
)
from anamnesis_lsp.records.evidence import Kind, RecordKey

NOW = datetime(2026, 3, 1, 12, tzinfo=timezone.utc)
ROOT = Path("/repo")
STORE = Path("/store")


def found(*contents: Content) -> tuple[Turn[Content], ...]:
    return tuple(Turn[Content](Origin.EXTERNAL, content) for content in contents)


def searched(kind: str = "claude-code", since: datetime | None = None, **more: object) -> ScopeSearched:
    until = None if since is None else NOW
    return ScopeSearched(kind, STORE, 3, 9, since, until, "by its words", **more)  # type: ignore[arg-type]


def test_nothing_searched_is_said() -> None:
    assert scope.report(()) == "nothing was searched"


def test_an_entry_says_how_much_of_what_and_what_was_left() -> None:
    since = NOW - timedelta(days=30)
    [line] = scope.report(found(searched(since=since, not_searched="2 conversations not read yet"))).split("\n")
    assert line == (
        "claude-code in /store: 3 of 9 examined, 2026-01-30 to 2026-03-01; by its words; "
        "not searched: 2 conversations not read yet"
    )


def test_a_store_that_is_searched_again_is_listed_once_as_it_was_last() -> None:
    again = ScopeSearched("claude-code", STORE, 9, None, None, None, "each of them")
    assert scope.entries(found(searched(), again)) == [again]
    assert scope.report(found(searched(), again)) == "claude-code in /store: 9 examined; each of them"


def test_a_search_that_failed_is_a_line_and_each_once() -> None:
    failed = SearchFailed("git refs", ROOT, "this clone does not hold them")
    homeless = SearchFailed("conversations", None, "the index is locked")
    assert scope.report(found(failed, homeless, failed)).split("\n") == [
        "git refs in /repo: this clone does not hold them",
        "conversations: the index is locked",
    ]


def test_a_record_that_was_found_and_did_not_open_is_named_with_the_reason() -> None:
    key = RecordKey(Kind.CONVERSATION, STORE, "s1", "claude-code")
    assert scope.report(found(RecordNotOpened(key, "it is gone"))) == "found, but not opened: s1: it is gone"


def test_what_lies_past_the_boundary_is_named_until_it_ran() -> None:
    boundary = PastBoundary((Avenue("refs", "3 commits on other branches", "about a second", 0.5),))
    assert "not searched: 3 commits on other branches (about a second)" in scope.report(found(boundary))
    assert "not searched" not in scope.report(found(boundary, WiderFound("refs")))


def test_a_store_that_begins_after_the_lines_were_written_is_too_young() -> None:
    commit = "a" * 40
    key = RecordKey(Kind.COMMIT, ROOT, commit)
    traced = LinesTraced(ROOT, "a.py", commit, (LineShare(commit, "a.py", 2, 1.0, ((1, 2),), ((1, 2),)),))
    named = CommitsFound((CommitNamed(key, "Begin", "Ada", NOW - timedelta(days=400), 1.0),))
    young, old = searched(since=NOW - timedelta(days=30)), searched(since=NOW - timedelta(days=500))
    c = found(traced, named)
    assert scope.too_young((*c, *found(young)), young) is not None
    assert "the selected lines are from 2025-01-25" in scope.report((*c, *found(young)))
    assert scope.too_young(c, old) is None
    assert scope.too_young(found(young), young) is None, "nothing was traced"
    assert scope.too_young(c, searched("git", since=NOW)) is None, "a history is as old as it is"
