"""Joining and ordering: pure, over contexts made by hand."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anamnesis_lsp import readings
from anamnesis_lsp.contract import Context, Origin, Turn, Whole
from anamnesis_lsp.readings.codec import decode, encode
from anamnesis_lsp.readings.content import (
    CandidatesFound,
    CommitNamed,
    CommitsFound,
    Content,
    Ground,
    LineShare,
    LinesTraced,
    Proposal,
)
from anamnesis_lsp.readings.found import SURE, Candidate, Wish, candidates, confidence_of, score
from anamnesis_lsp.readings.joining import joins_by, told
from anamnesis_lsp.readings.weights import LINKED_AT_MOST, TABLE, Join
from anamnesis_lsp.records.evidence import Kind, RecordKey

ROOT = Path("/r")
A, B, C = ("a" * 40, "b" * 40, "c" * 40)
DAY = datetime(2026, 3, 1, tzinfo=timezone.utc)


def proposal(identity: str, when: datetime | None = DAY, kind: Kind = Kind.CONVERSATION, **grounds: float) -> Proposal:
    given = tuple(Ground(name.replace("__", "."), value, f"{name} {value}") for name, value in grounds.items())
    runtime = "claude-code" if kind is Kind.CONVERSATION else None
    return Proposal(RecordKey(kind, ROOT, identity, runtime), f"about {identity}", given, score(given), when, when)


def traced(*shares: tuple[str, float]) -> LinesTraced:
    return LinesTraced(
        ROOT, "a.py", A, tuple(LineShare(c, "a.py", 1, w, ((n, n),), ((n, n),)) for n, (c, w) in enumerate(shares, 1))
    )


def context(*contents: Content) -> Context[Content]:
    return tuple(Turn(Origin.EXTERNAL, content) for content in contents)


def found(
    *proposals: Proposal, shares: tuple[tuple[str, float], ...] = ((A, 1.0),), wish: Wish | None = None
) -> list[Candidate]:
    ranked = tuple(sorted(proposals, key=lambda p: -p.score))
    return candidates(context(traced(*shares), CandidatesFound(ranked)), Whole.LINE, wish)


def ids(candidate: Candidate) -> list[str]:
    return [key.id for key in candidate.keys]


def test_every_row_of_the_table_says_why_it_has_its_weight() -> None:
    for row in TABLE.values():
        assert row.weight > 0 and len(row.reason) > 15 and row.name.count(".") == 1
        if row.name.startswith("time."):
            assert row.joins is Join.NEVER
    source = "".join(path.read_text(encoding="utf-8") for path in Path(readings.__path__[0]).glob("*.py"))
    for row in TABLE.values():
        assert source.count(f'"{row.name}"') > 1, f"nothing gives the evidence {row.name}"


def test_a_recorded_link_outweighs_all_words_and_times_together() -> None:
    soft = sum(row.weight for row in TABLE.values() if row.name.startswith(("words.", "time.", "path.named")))
    assert TABLE["link.named"].weight > soft and TABLE["link.recorded"].weight > soft


def test_two_links_say_no_more_than_one() -> None:
    twice = proposal("x", link__recorded=1.0, link__named=1.0)
    assert twice.score == LINKED_AT_MOST


@pytest.mark.parametrize(
    "grounds,join",
    [
        ({"link__recorded": 1.0}, Join.CONVERSATION_RECORDS),
        ({"link__named": 1.0, "lines__selected": 1.0}, Join.COMMIT_RECORDS),
        ({"lines__selected": 0.5}, Join.WROTE_LINES),
        ({"lines__patch": 0.3, "path__edited": 0.3}, Join.WROTE_LINES),
        ({"lines__selected": 0.3, "path__edited": 0.3, "time__work": 0.9}, Join.WROTE_LINES),
        ({"lines__selected": 0.3, "time__work": 1.0}, None),
        ({"lines__patch": 0.9, "time__work": 1.0}, None),
        ({"lines__selected": 0.3, "path__edited": 1.0, "time__work": 0.1}, None),
        ({"lines__owned": 1.0, "lines__selected": 0.1}, Join.WROTE_LINES),
        ({"path__edited": 1.0, "time__work": 0.9, "words__apart": 0.35}, Join.SAME_PATH),
        ({"words__apart": 0.5, "words__meant": 0.4}, Join.SAME_WORDS),
        ({"words__apart": 0.3, "path__named": 1.0, "words__meant": 0.4}, Join.SAME_WORDS),
        ({"words__apart": 0.8, "path__named": 1.0}, None),
        ({"link__cited": 1.0}, Join.COMMIT_RECORDS),
        ({"link__together": 1.0, "link__alone": 1.0}, Join.COMMIT_RECORDS),
        ({"words__titled": 0.9}, Join.SAME_WORDS),
        ({"words__spoken": 0.6, "path__named": 1.0, "words__meant": 0.3}, Join.SAME_WORDS),
        ({"words__spoken": 0.6, "path__named": 0.2, "words__meant": 0.3}, None),
        ({"words__titled": 0.6}, None),
        ({"link__cited": 0.6, "words__apart": 0.2}, Join.COMMIT_RECORDS),
        ({"link__together": 1.0, "words__apart": 0.2}, Join.COMMIT_RECORDS),
        ({"link__together": 1.0, "lines__selected": 0.5}, Join.COMMIT_RECORDS),
        ({"link__together": 1.0, "path__edited": 1.0, "time__work": 1.0}, None),
        ({"link__cited": 0.6, "words__message": 1.0}, None),
        ({"words__message": 1.0, "words__title": 1.0, "words__comments": 1.0, "time__work": 1.0}, None),
        ({"path__edited": 1.0, "time__work": 1.0}, None),
        ({"path__edited": 1.0, "time__work": 0.1, "words__apart": 0.35}, None),
        ({"path__named": 1.0, "time__work": 1.0, "words__message": 1.0}, None),
        ({"lines__patch": 0.2}, None),
        ({"path__edited": 1.0}, None),
        ({"time__work": 1.0, "time__close": 1.0}, None),
        ({"lines__selected": 0.1}, None),
    ],
)
def test_what_joins_and_what_only_proposes(grounds: dict[str, float], join: Join | None) -> None:
    assert joins_by(proposal("x", **grounds)) is join


def test_time_alone_never_joins() -> None:
    near = proposal("near", time__work=1.0, time__close=1.0)
    (commit, other) = found(near)
    assert ids(commit) == [A] and ids(other) == ["near"]
    assert other.recognizable.joins == ""


def test_the_joined_record_leads_with_the_commits_of_the_lines() -> None:
    first = found(proposal("wrote", lines__selected=1.0), shares=((B, 0.7), (A, 0.3)))[0]
    assert ids(first) == ["wrote", B, A]
    assert "lines__selected" in first.recognizable.joins


def test_the_commit_with_the_larger_share_comes_first() -> None:
    (only,) = found(shares=((B, 0.6), (A, 0.4)))
    assert ids(only) == [B, A]


def test_a_decision_and_the_conversation_that_carried_it_out_are_one() -> None:
    decision = proposal("adr", kind=Kind.DECISION, link__cited=1.0)
    first = found(decision, proposal("wrote", lines__selected=1.0), proposal("near", time__work=1.0))[0]
    assert ids(first) == ["adr", "wrote", A]


def test_a_second_session_swept_into_the_commit_stays_its_own_candidate() -> None:
    one = proposal("one", link__together=1.0, lines__selected=1.0)
    other = proposal("other", link__together=1.0)
    first, second = found(one, other)[:2]
    assert ids(first) == ["one", A] and ids(second)[0] == "other"


def test_a_session_asked_for_is_one_conversation() -> None:
    c = context(
        traced((A, 1.0)),
        CandidatesFound((proposal("adr", kind=Kind.DECISION, link__cited=1.0), proposal("wrote", lines__selected=1.0))),
    )
    assert ids(candidates(c, Whole.SESSION)[0]) == ["adr", A]


def test_a_rejected_record_is_left_out_and_its_commit_stays() -> None:
    wrote = proposal("wrote", lines__selected=1.0)
    wish = Wish(rejected=((wrote.key, RecordKey(Kind.COMMIT, ROOT, A)),))
    assert [ids(one) for one in found(wrote, wish=wish)] == [[A]]


def test_one_corrected_away_from_stays_behind_the_others() -> None:
    wrote, other = proposal("wrote", lines__selected=1.0), proposal("other", lines__selected=0.5)
    leading = frozenset({wrote.key, other.key, RecordKey(Kind.COMMIT, ROOT, A)})
    order = [
        ids(one)[0]
        for one in found(wrote, proposal("far", path__edited=1.0, time__work=1.0), wish=Wish(away=(leading,)))
    ]
    assert "wrote" in order


def test_earlier_puts_what_began_earlier_first() -> None:
    late = proposal("late", DAY, path__edited=1.0, time__work=1.0, words__apart=0.5)
    early = proposal(
        "early", DAY - timedelta(days=30), path__edited=1.0, time__work=0.3, words__apart=0.5, words__meant=0.5
    )
    assert ids(found(late, early)[0])[0] == "late"
    assert ids(found(late, early, wish=Wish(before=DAY))[0])[0] == "early"


@given(st.lists(st.floats(0, 20), min_size=1, max_size=6))
def test_confidence_is_a_share_and_falls_down_the_order(scores: list[float]) -> None:
    ranked = [
        Proposal(RecordKey(Kind.DECISION, ROOT, str(n)), "", (), value)
        for n, value in enumerate(sorted(scores, reverse=True))
    ]
    told_of = [confidence_of(rank, ranked) for rank in range(len(ranked))]
    assert all(0.0 <= confidence < 1.0 for confidence in told_of)
    assert told_of[1:] == sorted(told_of[1:], reverse=True)


def test_a_wide_margin_is_sure_and_a_narrow_one_is_not() -> None:
    def ranked(*scores: float) -> list[Proposal]:
        return [Proposal(RecordKey(Kind.DECISION, ROOT, str(n)), "", (), value) for n, value in enumerate(scores)]

    assert confidence_of(0, ranked(4.0, 2.0)) >= SURE
    assert confidence_of(0, ranked(4.0, 3.8)) < SURE


def test_joins_are_told_strongest_first() -> None:
    joined = told(proposal("x", time__work=1.0, lines__selected=1.0, link__cited=1.0))
    assert joined.split("; ") == ["link__cited 1.0", "lines__selected 1.0", "time__work 1.0"]


def test_what_was_found_survives_being_written_down() -> None:
    content = CandidatesFound((proposal("x", lines__selected=0.25),), (("retry", 0.5),), 1.5)
    assert decode(encode(content)) == content
    with pytest.raises(ValueError):
        decode({**encode(content), "later": 1})


def test_what_the_cue_alone_found_brings_the_commits_that_it_records() -> None:
    records = replace(proposal("s1", link__recorded=1.0), commits=(A,))
    key = RecordKey(Kind.COMMIT, ROOT, A)
    named = CommitsFound(
        (CommitNamed(key, "Begin", "Ada", DAY, 0.5), CommitNamed(replace(key, id=B), "More", "Ada", DAY, 0.1))
    )
    [first, *_] = candidates(context(CandidatesFound((records,)), named), Whole.SESSION)
    assert ids(first) == ["s1", A] and first.recognizable.joins
    alone = replace(records, commits=(C,))
    [first, *_] = candidates(context(CandidatesFound((alone,)), named), Whole.SESSION)
    assert ids(first) == ["s1"] and not first.recognizable.joins


def test_a_second_record_joins_the_first_where_both_are_tied_to_the_change_and_is_another_kind() -> None:
    first = proposal("s1", link__recorded=1.0, lines__selected=1.0)
    decided = proposal("docs/adr/1.md", kind=Kind.DECISION, link__cited=1.0)
    beside = proposal("s2", words__apart=0.4)
    assert ids(found(first, decided, beside)[0]) == ["s1", "docs/adr/1.md", A]
    again = proposal("s3", link__recorded=1.0)
    assert set(ids(found(first, again)[0])) >= {"s1", A}
