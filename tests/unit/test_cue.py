"""What is meant: read from the words, the comment, the selection; never more than they say."""

from __future__ import annotations

import time
from datetime import datetime, timezone
from pathlib import Path

import pytest

from anamnesis_lsp.contract import Context, Origin, Turn, Whole
from anamnesis_lsp.readings.content import Content, Invocation, Said
from anamnesis_lsp.readings.cue import CueRead, comment_at, read_cue
from anamnesis_lsp.readings.times import read_times

NOW = datetime(2026, 11, 30, 15, 0, tzinfo=timezone.utc)


def ran(text: str | None = None, **more: object) -> Turn[Content]:
    return Turn(Origin.PERSON, Invocation(NOW, text, **more))  # type: ignore[arg-type]


def selected(text: str | None = None, comment: str | None = None, lines: tuple[str, ...] = ("x = 1",)) -> Turn[Content]:
    return ran(text, root=Path("/r"), path="src/a.py", lines=(3, 3), selected=lines, comment=comment)


def said(text: str) -> Turn[Content]:
    return Turn(Origin.PERSON, Said(text, NOW))


def read(*turns: Turn[Content]) -> CueRead:
    c: Context[Content] = turns
    return read_cue(c)


def axes(cue: CueRead, kind: str) -> list[str]:
    return [axis.value for axis in cue.cue.axes if axis.kind == kind]


def test_explicit_words_come_before_the_comment() -> None:
    cue = read(selected("why the retry", comment="waits for the gauge"))
    assert cue.words == "why the retry" and "why the retry" in cue.cue.meant


def test_the_comment_is_the_cue_where_nothing_was_said() -> None:
    cue = read(selected(comment="waits for the gauge"))
    assert cue.words == "waits for the gauge"


def test_a_bare_selection_says_where_and_is_nobodys_words() -> None:
    cue = read(selected(lines=("password = 'hunter2'",)))
    assert cue.words == "" and cue.recoverable
    assert axes(cue, "artifact") == ["src/a.py:3-3"]
    assert [axis.source for axis in cue.cue.axes] == ["selection"]
    assert "hunter2" not in cue.cue.meant


def test_a_bare_invocation_takes_the_previous_utterance() -> None:
    assert read(said("that time we gave up on the lock file"), ran()).words == "that time we gave up on the lock file"


def test_a_bare_invocation_with_nothing_before_it_is_not_recoverable() -> None:
    assert not read(ran()).recoverable


@pytest.mark.parametrize(
    "text,whole",
    [
        ("the session where we talked about locks", Whole.SESSION),
        ("how this came to be", Whole.LINE),
        ("everything about the cache", Whole.TOPIC),
        ("our rule for retries", Whole.CONCEPT),
    ],
)
def test_the_whole_is_read_from_the_words(text: str, whole: Whole) -> None:
    assert read(ran(text)).cue.whole == whole


def test_a_later_turn_that_names_another_whole_re_reads_it() -> None:
    assert read(ran("our rule for retries"), said("no, the conversation itself")).cue.whole == Whole.SESSION


def test_a_selection_means_a_line_of_work() -> None:
    assert read(selected()).cue.whole == Whole.LINE


@pytest.mark.parametrize(
    "text,kind,value",
    [
        ("what did 4f2a9c1d do", "identifier", "4f2a9c1d"),
        ("the thing in #482", "identifier", "#482"),
        ("ADR-12 says so", "identifier", "ADR-12"),
        ("PROJ-77", "identifier", "PROJ-77"),
        ("why src/net/retry.py sleeps", "artifact", "src/net/retry.py"),
        ("the `BACKOFF_SECONDS` constant", "artifact", "BACKOFF_SECONDS"),
        ("when Alice changed it", "person", "Alice"),
        ("did I write that", "person", "I"),
        ("what we did last spring", "time", "last spring"),
        ("the “half-open” state", "term", "half-open"),
    ],
)
def test_axes_are_named_from_the_words(text: str, kind: str, value: str) -> None:
    assert value in axes(read(ran(text)), kind)


def test_a_bare_number_names_nothing() -> None:
    cue = read(ran("the list has 482 entries and 3 colours"))
    assert axes(cue, "identifier") == []


def test_an_identifier_in_the_selection_is_an_axis_of_the_selection() -> None:
    cue = read(selected(lines=("# see ADR-12",)))
    assert [(a.value, a.source) for a in cue.cue.axes if a.kind == "identifier"] == [("ADR-12", "selection")]


@pytest.mark.parametrize(
    "text",
    [
        "should main/master be protected",
        "the server/client split, and/or the proxy",
        "`uv pip --python` came up",
        "e.g. the GitHub and JavaScript thing",
        "no, I mean the other one",
        "I think Node.js was too slow",
    ],
)
def test_ordinary_words_are_no_artifact_and_no_person(text: str) -> None:
    assert axes(read(ran(text)), "artifact") == [] and axes(read(ran(text)), "person") == []


@pytest.mark.parametrize(
    "text", ["I wrote this", "my commit about locks", "why did I drop it", "was it me", "мой коммит"]
)
def test_who_did_it_is_the_person(text: str) -> None:
    assert axes(read(ran(text)), "person") == ["I"]


def test_a_decimal_number_before_the_sign_of_a_month_is_no_month() -> None:
    assert axes(read(ran("回测到 8.5 月的数据")), "time") == []
    assert axes(read(ran("5月的决定")), "time") == ["5月"]


def test_the_first_of_several_references_is_followed_and_the_others_named() -> None:
    cue = read(ran("the time we dropped the lock file, and also that thing where Alice changed the retry"))
    assert cue.words == "the time we dropped the lock file"
    assert cue.others == ("that thing where Alice changed the retry",)


def day(month: int, number: int, year: int = 2026) -> datetime:
    return datetime(year, month, number, tzinfo=timezone.utc)


@pytest.mark.parametrize(
    "text,inside,outside",
    [
        ("last spring", day(4, 15), day(7, 1)),
        ("last winter", day(1, 10), day(6, 1)),
        ("two weeks ago", day(11, 16), day(10, 1)),
        ("yesterday", day(11, 29), day(11, 20)),
        ("in March", day(3, 10), day(4, 10)),
        ("in March 2024", day(3, 10, 2024), day(3, 10)),
        ("2025-07", day(7, 4, 2025), day(8, 4, 2025)),
        ("on 2025-07-04", datetime(2025, 7, 4, 9, tzinfo=timezone.utc), day(7, 6, 2025)),
        ("last year", day(6, 1, 2025), day(11, 29)),
        ("去年", day(6, 1, 2025), day(11, 29)),
        ("3月", day(3, 5), day(5, 5)),
        ("la semana pasada", day(11, 20), day(9, 1)),
        ("letztes Jahr", day(6, 1, 2025), day(11, 29)),
    ],
)
def test_a_time_said_is_an_interval(text: str, inside: datetime, outside: datetime) -> None:
    (time,) = read_times(text, NOW)
    assert time.since is not None and time.until is not None
    assert time.since <= inside <= time.until
    assert not time.since <= outside <= time.until


@pytest.mark.parametrize(
    "text,relation,anchor",
    [
        ("before the 2.0 release", "before", "the 2.0 release"),
        ("around when we moved to uv", "around", "we moved to uv"),
        ("after the rewrite", "after", "the rewrite"),
    ],
)
def test_a_time_anchored_at_an_event_keeps_the_events_words(text: str, relation: str, anchor: str) -> None:
    (time,) = read_times(f"it was {text}, I think", NOW)
    assert (time.relation, time.anchor) == (relation, anchor)


def test_before_and_after_a_date_are_half_open() -> None:
    (before,) = read_times("before 2025-07-04", NOW)
    (after,) = read_times("since 2025", NOW)
    assert before.since is None and before.until == day(7, 4, 2025)
    assert after.until is None and after.since == day(1, 1, 2025)


def test_may_and_march_are_words_first() -> None:
    assert read_times("it may march on", NOW) == []


@pytest.mark.parametrize(
    "path,text,lines,comment",
    [
        ("a.py", "# why: slow\nx = 1", (2, 2), "why: slow"),
        ("a.py", "x = 1  # inside\n# own line\ny = 2", (2, 3), "own line"),
        ("a.go", "// first\n// second\nfunc f() {}", (3, 3), "first\nsecond"),
        ("a.ts", "/**\n * Explains\n * it.\n */\nf();", (1, 5), "Explains\nit."),
        ("a.sql", "-- because\nSELECT 1;", (2, 2), "because"),
        ("a.py", "x = 1\n\ny = 2", (3, 3), None),
        ("a.py", "#!/usr/bin/env python\nx = 1", (2, 2), None),
    ],
)
def test_the_comment_in_or_directly_above_the_selection(
    path: str, text: str, lines: tuple[int, int], comment: str | None
) -> None:
    assert comment_at(path, text.split("\n"), *lines) == comment


def test_no_line_of_a_block_comment_takes_long() -> None:
    """One line of spaces behind the opening mark once took minutes."""
    wide = " " * 100_000
    lines = [f"/* why{wide}not", f"{wide}*{wide}x", f"*{wide}* {wide}/", f"<!--{wide}-- >", "**/"]
    began = time.process_time()
    for path in ("a.c", "a.py", "a.unknown"):
        comment_at(path, lines, 1, len(lines))
    assert time.process_time() - began < 0.5


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (["/**/"], None),
        (["/** Why. */"], "Why."),
        (["/*! Why.", " * Because.", " **/"], "Why.\nBecause."),
        (["<!-- Why. -->"], "Why."),
        (["/* Why.  ", "   Because.  */", "x();"], "Why.\nBecause."),
    ],
)
def test_a_block_comment_is_read_to_its_end(lines: list[str], told: str | None) -> None:
    assert comment_at("a.c", lines, 1, len(lines)) == told


def test_before_the_person_said_anything_no_past_is_meant() -> None:
    cue = read(Turn[Content](Origin.EXTERNAL, Said("it was the lock", NOW)))
    assert cue.words == "" and not cue.recoverable
    assert cue.cue.meant == "a past that was not named"


@pytest.mark.parametrize(
    "path,line,comment",
    [
        ("init.el", "; why this is so", "why this is so"),
        ("paper.tex", "% why this is so", "why this is so"),
        ("query.sql", "-- why this is so", "why this is so"),
        ("a.rs", " * why this is so", "why this is so"),
        ("unknown.xyz", "# why this is so", None),
    ],
)
def test_a_comment_is_read_by_the_marker_of_its_language(path: str, line: str, comment: str | None) -> None:
    assert comment_at(path, [line, "x"], 1, 2) == comment


def test_words_in_a_comment_and_nothing_else_are_meant_as_they_stand() -> None:
    cue = read(ran(comment="waits for the gauge"))
    assert cue.words == "waits for the gauge" and "waits for the gauge" in cue.cue.meant
