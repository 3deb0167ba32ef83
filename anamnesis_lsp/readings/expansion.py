"""What lies past the boundary of the search, as the context has it: offered, admitted, run, found. Pure.

Within the boundary a pass reads without asking: the history of HEAD, the stores that were found or given, by our index.
Past it lie the rows of :data:`AVENUES`. Each pass ends by noting what of them there is here and what it would cost
(:class:`PastBoundary`, measured in :mod:`.beyond`). Under Recollect the cheapest one not yet run is offered; under both
texts the scope report names them as not searched, and one runs when the person's words admit it or ask for it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from anamnesis_lsp.contract import Context, Expansion, Recognizable, Whole
from anamnesis_lsp.readings.answers import Kind, LastRound
from anamnesis_lsp.readings.content import Avenue, Content, PastBoundary, Proposal, WiderFound
from anamnesis_lsp.readings.dialogue import Heard, heard
from anamnesis_lsp.readings.found import Candidate, member
from anamnesis_lsp.records.evidence import OpenedRecord, RecordKey, Span

SHOWN = 6
"""Candidates of one wider search."""


@dataclass(frozen=True, slots=True)
class Kinds:
    """One kind of search past the boundary, and the words that ask for it."""

    name: str
    what: str
    asked: re.Pattern[str]


AVENUES: tuple[Kinds, ...] = (
    Kinds("refs", "other branches, tags and refs", re.compile(
        r"\b(?:branch(?:es)?|refs?|tags?|stash(?:es)?|unmerged|forks?|zweigen?|ramas?|ramos)\b|分支|ブランチ|브랜치",
        re.I)),
    Kinds("stores", "other stores and roots known here", re.compile(
        r"\bother (?:repos?|repositor(?:y|ies)|projects?|stores?|roots?|folders?|workspaces?|assistants?|tools?)\b"
        r"|\b(?:all|every) (?:repos?|repositor(?:y|ies)|projects?|stores?|roots?)\b|andere[nr]? repos"
        r"|otros repos|autres dépôts|outros repos|其[他它](?:的)?仓库|다른 저장소", re.I)),
    Kinds("bodies", "the full text of the records, at their source", re.compile(
        r"\b(?:full|whole|entire|complete|raw) (?:texts?|bod(?:y|ies)|transcripts?|logs?|conversations?|sessions?)\b"
        r"|\bevery(?:thing)? (?:line|word|said)\b|全文|完整(?:的)?(?:对话|會話|会话|記錄|记录)|会話全体|volltext"
        r"|(?:ganze|vollständige|gesamte)[nrs]? (?:text|gespräch)|textos? (?:complet|integra)"
        r"|texte (?:intégral|complet|entier)|전문|전체 (?:텍스트|본문|내용)", re.I)),
    Kinds("copies", "lines copied or moved from any file", re.compile(
        r"\b(?:cop(?:y|ied|ies)|moved|pasted|extracted)\b.{0,24}\b(?:from|elsewhere|detection|files?)\b"
        r"|\bcopy detection\b|\bwhere (?:it|they|this) (?:was|were) copied\b", re.I)),
    Kinds("pickaxe", "every change of the whole repository", re.compile(
        r"\b(?:whole|entire|full|complete) (?:history|repo(?:sitory)?)\b|\bpickaxe\b|\banywhere in the (?:history|repo)"
        r"|\b(?:all|every) (?:commits?|changes?|diffs?)\b|git log -S|ganze historie|historial completo|toda la historia"
        r"|historique complet|histórico completo|全履歴|全部历史|完整历史|전체 이력", re.I)),
)  # fmt: skip
"""Every kind of search past the boundary."""
_EVERYTHING = re.compile(
    r"\b(?:everything|everywhere|all of (?:it|them)|all that|wherever|both)\b|alles|全部|すべて", re.IGNORECASE
)
_ORDERS = re.compile(
    r"\W*(?:please |then |now |maybe )*(?:search|look|read|check|grep|scan|go through)\b", re.IGNORECASE
)
"""Words that send the search somewhere, however the rest of the turn was read."""


def what(kind: str) -> str:
    """What a kind of wider search reads, in words."""
    return next((one.what for one in AVENUES if one.name == kind), kind)


def admitted(c: Context[Content]) -> tuple[str, ...]:
    """The kinds of wider search that the person admitted or asked for, in order."""
    wanted: dict[str, None] = {}
    for turn in heard(c):
        wanted.update(dict.fromkeys(_asked(c, turn)))
    return tuple(wanted)


def _asked(c: Context[Content], turn: Heard) -> tuple[str, ...]:
    reading = turn.reading
    if reading is None or not turn.adds:
        return ()
    if not (reading.kind is Kind.PLACE_TO_LOOK or reading.asks_expansion or _ORDERS.match(turn.text)):
        return ()
    there = tuple(avenue.kind for avenue in boundary(c[: turn.index]))
    named = tuple(kind.name for kind in AVENUES if kind.asked.search(turn.text))
    if named:
        return named
    if not reading.asks_expansion:
        return ()
    if turn.state.last_round is LastRound.EXPANSION and turn.asked and not _EVERYTHING.search(turn.text):
        return (turn.asked,)
    return there


def admitted_last(c: Context[Content]) -> bool:
    """Whether the person's latest addition admitted or asked for a wider search."""
    turn = next((one for one in reversed(heard(c)) if one.adds), None)
    return turn is not None and bool(_asked(c, turn))


def boundary(c: Context[Content]) -> tuple[Avenue, ...]:
    """What lay past the boundary when the latest pass had ended."""
    noted = next((turn.content for turn in reversed(c) if isinstance(turn.content, PastBoundary)), None)
    return noted.avenues if noted is not None else ()


def ran(c: Context[Content]) -> frozenset[str]:
    """The kinds of wider search that have run in this recall."""
    return frozenset(turn.content.kind for turn in c if isinstance(turn.content, WiderFound))


def offered(c: Context[Content]) -> Avenue | None:
    """The search past the boundary that is worth offering next; None where none is left."""
    gone = ran(c)
    return next((avenue for avenue in boundary(c) if avenue.kind not in gone), None)


def expansion(c: Context[Content]) -> Expansion | None:
    """The contract's ``expansion``."""
    avenue = offered(c)
    return None if avenue is None else Expansion(avenue.reach, avenue.cost)


def candidates(
    c: Context[Content],
    whole: Whole,
    opened: Mapping[RecordKey, OpenedRecord],
    rejected: Sequence[tuple[RecordKey, ...]],
) -> list[Candidate]:
    """What the wider searches found, the latest search first, without what the person rejected."""
    found: dict[RecordKey, Candidate] = {}
    for turn in reversed(c):
        if isinstance(turn.content, WiderFound):
            for candidate in _of(turn.content, whole, opened):
                key = candidate.keys[0]
                if key not in found and not any(key == gone[0] for gone in rejected):
                    found[key] = candidate
    return list(found.values())


def _of(wider: WiderFound, whole: Whole, opened: Mapping[RecordKey, OpenedRecord]) -> list[Candidate]:
    best = max((commit.score for commit in wider.commits), default=0.0) or 1.0
    told: list[Candidate] = []
    for commit in wider.commits[:SHOWN]:
        one = member(commit.key, opened, commit.subject, Span(path=commit.path, lines=commit.lines))
        sure = 0.5 * commit.score / best
        told.append(Candidate(Recognizable(whole, (one,)), (commit.key,), sure, None, (commit.key.id,), commit.when))
    top = max((proposal.score for proposal in wider.proposals), default=0.0) or 1.0
    told.extend(_proposed(p, whole, opened, 0.5 * p.score / top) for p in wider.proposals[:SHOWN])
    return told


def _proposed(
    proposal: Proposal, whole: Whole, opened: Mapping[RecordKey, OpenedRecord], confidence: float
) -> Candidate:
    span = Span(turn=proposal.turns[0]) if proposal.turns else Span()
    one = member(proposal.key, opened, proposal.gist, span)
    return Candidate(Recognizable(whole, (one,)), (proposal.key,), confidence, proposal, (), proposal.started)
