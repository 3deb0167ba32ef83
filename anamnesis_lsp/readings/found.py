"""Found: the proposals of the searches joined into recognizables and ordered, best first. Pure: read from the context.

A record is joined to the commits of the lines where the records support it (``DESIGN.md`` section 7): a recorded link
or line provenance joins by itself, the same path shortly before or the same words only together with other evidence,
time never. What is not joined stands as a candidate of its own, and the commits lead. A candidate the person rejected
is left out.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from anamnesis_lsp import masking
from anamnesis_lsp.contract import Context, Member, Recognizable, Whole
from anamnesis_lsp.present.locators import of_record
from anamnesis_lsp.readings.content import (
    CandidatesFound,
    CommitNamed,
    CommitsFound,
    Content,
    Ground,
    LineShare,
    LinesTraced,
    Proposal,
    RecordNotOpened,
    RecordOpened,
)
from anamnesis_lsp.readings.joining import IN_THE_BODY, LINES_ENOUGH, LINK_ENOUGH, is_changelog, joins_by, told
from anamnesis_lsp.readings.weights import LINKED_AT_MOST, TABLE, Join
from anamnesis_lsp.records.evidence import Kind, OpenedRecord, RecordKey, Span

_T = TypeVar("_T")

SHOWN = 12
"""Candidates that are kept as recognizables: the rest is noise."""
COMMITS_JOINED = 4
BESIDE = 2
"""Further records of one line of work that a candidate takes in."""

SURE = 0.94
"""Confidence from which a candidate is told without naming an adjacent one as a doubt: of those, .985 are right."""

COVERED = 0.2
"""Share of a cue's telling words from which words alone lead to a record that is told of."""
BY_WORDS = 0.6
"""Words alone are never surer than this: the first is right in two of five."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A recognizable with what it was made of."""

    recognizable: Recognizable
    keys: tuple[RecordKey, ...]
    confidence: float
    proposal: Proposal | None
    commits: tuple[str, ...]
    when: datetime | None = None


def score(grounds: Iterable[Ground]) -> float:
    """The sum of value times weight; recorded links together count at most :data:`LINKED_AT_MOST`."""
    linked = other = 0.0
    for ground in grounds:
        weighed = ground.value * TABLE[ground.name].weight
        if ground.name.startswith("link."):
            linked += weighed
        else:
            other += weighed
    return min(linked, LINKED_AT_MOST) + other


@dataclass(frozen=True, slots=True)
class Wish:
    """What the person's turns ask of the order: who is out, who is wanted, which way in time."""

    rejected: tuple[tuple[RecordKey, ...], ...] = ()
    """The records of each, the one it goes by first: that one is out, what was only joined to it is not."""
    away: tuple[frozenset[RecordKey], ...] = ()
    """Corrected away from: behind the others, and still there."""
    named: str | None = None
    """The candidate that was pointed at by its name."""
    before: datetime | None = None
    after: datetime | None = None


def candidates(c: Context[Content], whole: Whole, wish: Wish | None = None) -> list[Candidate]:
    """This recall's candidates, best first, without those the person rejected."""
    traced = lines_traced(c)
    proposals = latest(c, CandidatesFound)
    named = latest(c, CommitsFound)
    opened = opened_records(c)
    wish = wish or Wish()
    found: list[Candidate] = []
    ranked = list(proposals.proposals[:SHOWN]) if proposals is not None else []
    ranked = [p for p in ranked if p.key not in {gone[0] for gone in wish.rejected}]
    shares = traced.shares if traced is not None else ()
    root = traced.root if traced is not None else None
    if shares:
        ranked = _joined_first(ranked)
    beside = _same_line_of_work(ranked, whole) if shares else []
    ranked = [p for p in ranked if p not in beside]
    for rank, proposal in enumerate(ranked):
        with_it = beside if rank == 0 else []
        found.append(_candidate(proposal, with_it, rank, ranked, shares, root, whole, opened, named))
    commits = _of_commits(shares, traced, named, whole, opened)
    gone = {frozenset(keys) for keys in wish.rejected}
    commits = [candidate for candidate in commits if frozenset(candidate.keys) not in gone]
    if gone and shares:
        found = [_unjoined(candidate) for candidate in found]
    covered = dict(proposals.covered) if proposals is not None else {}
    if commits and not (found and (found[0].commits or _outranks(found[0], commits[0], traced, covered))):
        found[:0] = commits[:1]
        commits = commits[1:]
    else:
        joined = {key for candidate in found for key in candidate.keys}
        commits = [candidate for candidate in commits if not set(candidate.keys) <= joined]
    found = [*found, *commits] if shares else _in_turn(found, commits)
    return sorted(found, key=lambda candidate: _unwanted(candidate, wish, opened)) if wish != Wish() else found


def _unwanted(candidate: Candidate, wish: Wish, opened: Mapping[RecordKey, OpenedRecord]) -> tuple[bool, int, bool]:
    """Sorts what the person pointed at first, what they corrected away from last, and by the way in time they gave."""
    away = frozenset(candidate.keys) in wish.away
    when = _when(candidate, opened)
    wrong_way = when is not None and (
        (wish.before is not None and when >= wish.before) or (wish.after is not None and when <= wish.after)
    )
    unknown_way = when is None and (wish.before is not None or wish.after is not None)
    names = {gist_name(m.gist) for m in candidate.recognizable.members}
    return wish.named is None or wish.named not in names, 2 if wrong_way else int(unknown_way), away


def _when(candidate: Candidate, opened: Mapping[RecordKey, OpenedRecord]) -> datetime | None:
    if candidate.proposal is not None:
        return candidate.proposal.started
    return next((opened[key].started for key in candidate.keys if key in opened), candidate.when)


def gist_name(gist: str) -> str:
    """The words a candidate goes by: its title in one line."""
    return masking.mask(" ".join(gist.split()))[:120]  # first masked: half a secret is no format any more


HOLDS_MORE = 0.35
"""By so much more of the cue's telling words a commit leads before a record."""


def _outranks(
    candidate: Candidate, commit: Candidate, traced: LinesTraced | None, covered: Mapping[str, float]
) -> bool:
    """Without a selection a record leads where the cue reached it better than the best commit, and it holds no less of
    what was said.
    """
    if traced is not None or candidate.confidence < commit.confidence:
        return False
    return covered.get(candidate.keys[0].id, 0.0) + HOLDS_MORE > covered.get(commit.keys[0].id, 0.0)


def _in_turn(records: Sequence[Candidate], commits: Sequence[Candidate]) -> list[Candidate]:
    """What words alone reached: records and commits in turn, each in its own order."""
    longest = max(len(records), len(commits))
    return [one for n in range(longest) for one in (*records[n : n + 1], *commits[n : n + 1])]


def _unjoined(candidate: Candidate) -> Candidate:
    """After the person refused what the lines led to: what nothing joins to them is not sure of itself."""
    if candidate.proposal is None or joins_by(candidate.proposal) is not None:
        return candidate
    return replace(candidate, confidence=min(candidate.confidence, BY_WORDS / 2))


def holds_too_little(c: Context[Content], keys: Sequence[RecordKey]) -> bool:
    """Whether words alone lead to the candidate, and it holds too small a share of them for anything to be told."""
    proposals = latest(c, CandidatesFound)
    if proposals is None or not proposals.covered or not keys or lines_traced(c) is not None:
        return False
    named = latest(c, CommitsFound)
    commit = next((one for one in named.commits if one.key == keys[0]), None) if named is not None else None
    mine = next((p for p in proposals.proposals if p.key == keys[0]), None)
    if mine is None and (commit is None or commit.score > 1.0):
        return False  # another search found it, or it was named by its hash
    if mine is not None and any(ground.name in ("cue.id", "cue.path") for ground in mine.grounds):
        return False
    return dict(proposals.covered).get(keys[0].id, 0.0) < COVERED


def _joined_first(ranked: list[Proposal]) -> list[Proposal]:
    """The order, but for one that a link or the lines join: it goes before those that nothing joins.

    And one that speaks of the selected lines and names their file goes before one that only speaks of the message.
    """
    if not ranked:
        return ranked
    how = joins_by(ranked[0])
    if how is None:
        weakest = Join.SAME_WORDS if is_changelog(ranked[0]) else Join.WROTE_LINES
        chosen = next((p for p in ranked if (by := joins_by(p)) is not None and by <= weakest), None)
    elif how is Join.SAME_WORDS and not _of_the_lines(ranked[0]):
        chosen = next((p for p in ranked[1:RIVALS] if _of_the_lines(p)), None)
    else:
        chosen = None
    return ranked if chosen is None else [chosen, *(p for p in ranked if p is not chosen)]


RIVALS = 4
SPOKEN = 0.3


def _of_the_lines(proposal: Proposal) -> bool:
    values = {ground.name: ground.value for ground in proposal.grounds}
    return values.get("words.spoken", 0.0) >= SPOKEN and values.get("path.named", 0.0) > 0


def _same_line_of_work(ranked: Sequence[Proposal], whole: Whole) -> list[Proposal]:
    """Further records that belong to the leading one's line of work: joined to the same commits by themselves.

    A decision record and the conversation that carried it out are one past, not two; a second session that was merely
    swept into the same commit is not.
    """
    if not ranked or whole in (Whole.SESSION, Whole.CONCEPT):
        return []
    first = ranked[0]
    how = joins_by(first)
    if how is None or how > Join.WROTE_LINES:
        return []
    return [p for p in ranked[1:] if _belongs_beside(p, first)][:BESIDE]


def _belongs_beside(proposal: Proposal, first: Proposal) -> bool:
    """Whether a further record is of the same line of work: not one that only went into the same commit.

    A second conversation is, where it wrote some of the lines or recorded the commit as its own; a record of another
    kind, where it is cited, or was written with them; a second decision record, where it is cited on its own account.
    """
    values = {ground.name: ground.value for ground in proposal.grounds}
    how = joins_by(proposal)
    if how is None or how > Join.WROTE_LINES:
        return False
    if any(values.get(name, 0.0) >= LINES_ENOUGH[name] for name in ("lines.selected", "lines.owned")):
        return True
    if proposal.key.kind is first.key.kind:
        if proposal.key.kind is Kind.CONVERSATION:
            return values.get("link.recorded", 0.0) >= LINK_ENOUGH
        return values.get("link.cited", 0.0) > IN_THE_BODY and _cited_as(proposal) != _cited_as(first)
    return any(
        values.get(name, 0.0) > least
        for name, least in (
            ("link.recorded", LINK_ENOUGH),
            ("link.named", LINK_ENOUGH),
            ("link.cited", IN_THE_BODY),
            ("link.together", LINK_ENOUGH),
        )
    )


def _cited_as(proposal: Proposal) -> str:
    return next((ground.told for ground in proposal.grounds if ground.name == "link.cited"), "")


def _candidate(
    proposal: Proposal,
    beside: Sequence[Proposal],
    rank: int,
    ranked: Sequence[Proposal],
    shares: Sequence[LineShare],
    root: Path | None,
    whole: Whole,
    opened: Mapping[RecordKey, OpenedRecord],
    named: CommitsFound | None,
) -> Candidate:
    keys = [proposal.key, *(other.key for other in beside)]
    gists = {other.key: other for other in (proposal, *beside)}
    joined: list[str] = []
    joins = ""
    if shares and root is not None and joins_by(proposal) is not None:
        linked = set(proposal.commits)
        ordered = sorted(shares, key=lambda s: (s.commit not in linked,)) if linked else list(shares)
        for share in ordered[:COMMITS_JOINED]:
            joined.append(share.commit)
            keys.append(RecordKey(Kind.COMMIT, root, share.commit))
        joins = told(proposal)
    elif not shares and proposal.commits and named is not None:
        for commit in named.commits:
            if commit.key.id in proposal.commits:
                joined.append(commit.key.id)
                keys.append(commit.key)
        joins = told(proposal) if joined else ""
    if beside and joins:
        joins = "; beside it, ".join([joins, *(told(other) for other in beside)])
    members = tuple(member(key, opened, _gist(gists.get(key)), _span(key, shares, gists.get(key))) for key in keys)
    confidence = confidence_of(rank, ranked)
    if not shares and not any(ground.name == "cue.id" for ground in proposal.grounds):
        confidence = min(confidence, BY_WORDS)
    return Candidate(
        Recognizable(whole, members, joins if len(members) > 1 else ""),
        tuple(keys),
        confidence,
        proposal,
        tuple(joined),
    )


def _gist(proposal: Proposal | None) -> str:
    return proposal.gist if proposal is not None else ""


def _span(key: RecordKey, shares: Sequence[LineShare], proposal: Proposal | None) -> Span:
    if key.kind is Kind.COMMIT:
        for share in shares:
            if share.commit == key.id:
                first, last = share.source[0][0], share.source[-1][1]
                return Span(path=share.path, lines=(first, last))
        return Span()
    if key.kind is Kind.CONVERSATION and proposal is not None and proposal.turns:
        return Span(turn=proposal.turns[0])
    return Span()


def member(key: RecordKey, opened: Mapping[RecordKey, OpenedRecord], gist: str, span: Span) -> Member:
    """A record as a member: where it is, what its head says, how to reopen it (known once it was opened)."""
    record = opened.get(key)
    if record is not None:
        return Member(str(of_record(key, _opened_span(record, span))), record.title or gist, record.handle)
    return Member(str(of_record(key, span)), gist, None)


def _opened_span(record: OpenedRecord, span: Span) -> Span:
    if record.key.kind is not Kind.CONVERSATION:
        return span
    edit = next((p.span.turn for p in record.passages if p.role == "edit"), None)
    turn = edit or next((p.span.turn for p in record.passages if p.role == "request"), None)
    return Span(turn=turn) if turn is not None else span


_SLOPE = 4.0
_BASE = 0.4
_AT_MOST = 0.985
"""Words, times and lines are never surer than this: of those told with the largest margins so many are right."""
_AT_MOST_LINKED = 0.995


def confidence_of(rank: int, ranked: Sequence[Proposal]) -> float:
    """How sure the order is of this candidate, 0 to 1: from its margin over the next one.

    Fitted to the share that is right at each margin where no link is recorded (recall-bench, blind).
    """
    first = ranked[0].score
    if rank:
        return 1.0 / (1.0 + math.exp(_SLOPE * (first - ranked[rank].score) + _BASE))
    margin = first - (ranked[1].score if len(ranked) > 1 else 0.0)
    linked = any(ground.name in ("link.recorded", "link.named", "link.together") for ground in ranked[0].grounds)
    return min(_AT_MOST_LINKED if linked else _AT_MOST, 1.0 / (1.0 + math.exp(-_SLOPE * margin - _BASE)))


def _of_commits(
    shares: Sequence[LineShare],
    traced: LinesTraced | None,
    named: CommitsFound | None,
    whole: Whole,
    opened: Mapping[RecordKey, OpenedRecord],
) -> list[Candidate]:
    found: list[Candidate] = []
    subjects = {commit.key.id: commit.subject for commit in named.commits} if named is not None else {}
    if traced is not None and shares:
        keys = tuple(RecordKey(Kind.COMMIT, traced.root, share.commit) for share in shares[:COMMITS_JOINED])
        members = tuple(
            member(key, opened, subjects.get(key.id, ""), Span(path=s.path, lines=(s.source[0][0], s.source[-1][1])))
            for key, s in zip(keys, shares, strict=False)
        )
        joins = "each wrote some of the selected lines" if len(members) > 1 else ""
        found.append(Candidate(Recognizable(whole, members, joins), keys, 0.95, None, tuple(k.id for k in keys)))
    elif named is not None:
        scores = [commit.score for commit in named.commits]
        for rank, commit in enumerate(named.commits[:SHOWN]):
            found.append(_named_commit(commit, rank, scores, whole, opened))
    return found


def _named_commit(
    commit: CommitNamed, rank: int, scores: Sequence[float], whole: Whole, opened: Mapping[RecordKey, OpenedRecord]
) -> Candidate:
    span = Span(path=commit.path, lines=commit.lines)
    one = member(commit.key, opened, commit.subject, span)
    return Candidate(
        Recognizable(whole, (one,)), (commit.key,), _nearness(rank, scores), None, (commit.key.id,), commit.when
    )


def _nearness(rank: int, scores: Sequence[float]) -> float:
    """Commits reached by words alone: how near the best one this is, never sure."""
    return 0.6 * scores[rank] / scores[0] if scores[0] > 0 else 0.0


# ── what the context holds ──────────────────────────────────────────────────────────────────────────────────────────


def latest(c: Context[Content], kind: type[_T]) -> _T | None:
    """The newest content of that class in the context."""
    for turn in reversed(c):
        if isinstance(turn.content, kind):
            return turn.content
    return None


def lines_traced(c: Context[Content]) -> LinesTraced | None:
    """What the lines of the selection were traced to; None where there are none, or another past is meant by now."""
    traced = latest(c, LinesTraced)
    return traced if traced is not None and (traced.shares or traced.uncommitted) else None


def opened_records(c: Context[Content]) -> dict[RecordKey, OpenedRecord]:
    """Every record opened in this recall, as it was opened last."""
    return {t.content.record.key: t.content.record for t in c if isinstance(t.content, RecordOpened)}


def opened_at(c: Context[Content]) -> dict[RecordKey, int]:
    """The turn in which each record was opened last."""
    return {t.content.record.key: index for index, t in enumerate(c) if isinstance(t.content, RecordOpened)}


def not_opened(c: Context[Content]) -> dict[RecordKey, str]:
    """The records that were found and did not open, with the reason; one that opened later is not among them."""
    found: dict[RecordKey, str] = {}
    for turn in c:
        if isinstance(turn.content, RecordNotOpened):
            found[turn.content.key] = turn.content.reason
        elif isinstance(turn.content, RecordOpened):
            found.pop(turn.content.record.key, None)
    return found
