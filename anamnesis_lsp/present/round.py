"""The round: what one step of a recall shows, in the shape that goes over the wire (schema 1).

Field names are the wire's, in camelCase once serialised. ``as_wire`` is the only serialisation: the command line, the
server and the tests all use it.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, Literal

from anamnesis_lsp import masking

SCHEMA = 1

OutcomeName = Literal[
    "presented", "asked", "expansion", "unresolved", "identified", "stopped", "holding", "answered", "notActivated"
]


@dataclass(frozen=True, slots=True)
class ReadingShown:
    """How the person's turn was read, with the words it rests on."""

    kind: str
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AxisShown:
    """One axis of the cue. ``source`` is the wire's ``from``: ``text``, ``comment``, ``selection`` or ``earlier``."""

    kind: str
    value: str
    source: str


@dataclass(frozen=True, slots=True)
class CueShown:
    """The cue as read. ``whole`` is a name, or ``{"emergent": name}``."""

    meant: str
    whole: str | dict[str, str]
    axes: tuple[AxisShown, ...]


@dataclass(frozen=True, slots=True)
class MemberShown:
    """A record as named to a client: ``kind, id, root, locator, gist, handle, handleNote``."""

    kind: str
    id: str
    root: str
    locator: str
    gist: str
    handle: str | None
    handle_note: str | None


@dataclass(frozen=True, slots=True)
class RecordShown:
    """A member that a story, a qualification or the scope cites, with its number ``n``."""

    n: int
    member: MemberShown
    speaker: str | None
    when: str | None
    span: str | None
    opened: bool
    why_not: str | None = None
    """Why it did not open, where it did not."""
    clock: str | None = None
    """What of ``when`` is recorded, where that is not all: ``day``, ``local`` (without its zone)."""


@dataclass(frozen=True, slots=True)
class RecognizableShown:
    """A candidate: what joins its members, how sure the order is (0 to 1)."""

    whole: str | dict[str, str]
    joins: str
    confidence: float
    members: tuple[MemberShown, ...]


@dataclass(frozen=True, slots=True)
class SentenceShown:
    """A sentence of the story with the numbers of the records it rests on, and where in each of these."""

    text: str
    cites: tuple[int, ...]
    locators: tuple[str, ...] = ()
    """One for each number: the record at the turn that the sentence quotes, or as the record is listed."""


@dataclass(frozen=True, slots=True)
class AdjacentShown:
    """A candidate named so that a correction can point at it."""

    name: str
    rejected: bool
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReachShown:
    """One extraction's reach; ``state`` and ``omitted`` are None where nothing was recorded."""

    extractor: str
    state: str | None
    omitted: int | None


@dataclass(frozen=True, slots=True)
class QualificationShown:
    """What the capture evidence says of record ``n``."""

    n: int
    finding: str
    reach: tuple[ReachShown, ...]
    skipped_lines: int | None
    unverified_person_turns: int | None
    omitted_chars: int | None


@dataclass(frozen=True, slots=True)
class SearchedShown:
    """The scope searched in one store or root."""

    kind: str
    root: str
    examined: int
    of: int | None
    since: str | None
    until: str | None
    how: str
    not_opened: tuple[str, ...]
    not_searched: str | None


@dataclass(frozen=True, slots=True)
class ExpansionShown:
    """A search past the boundary, with what it would read and its cost."""

    reach: str
    cost: str


@dataclass(frozen=True, slots=True)
class ReachedShown:
    """Another recall, taken up with the turn that reached it."""

    recall: str | None
    """None: a fresh one, which the turn did not begin yet."""
    name: str
    round: Round | None = None
    """Its round."""


@dataclass(frozen=True, slots=True)
class Round:
    """One round of a recall. ``markdown`` is the same content as text, ready for any client."""

    recall: str
    contract: Literal["anamnesis", "recollect"]
    outcome: OutcomeName
    reading: ReadingShown | None
    cue: CueShown
    recognizables: tuple[RecognizableShown, ...] = ()
    story: tuple[SentenceShown, ...] = ()
    records: tuple[RecordShown, ...] = ()
    adjacent: tuple[AdjacentShown, ...] = ()
    qualifications: tuple[QualificationShown, ...] = ()
    searched: tuple[SearchedShown, ...] = ()
    expansion: ExpansionShown | None = None
    dissent: tuple[str, ...] = ()
    recalled_context: str | None = None
    notes: tuple[str, ...] = ()
    """Lines of the round that stand nowhere else: what changed since the last round, other references named."""
    trace: tuple[str, ...] = ()
    """How the recall came here, a line per turn of the person's: with a close."""
    reached: ReachedShown | None = None
    """The recall a turn was read as reaching, where this one was left for it."""
    with_scope: bool | None = None
    """Whether the scope report stands in the round; None: by its outcome. Not on the wire: ``searched`` always is."""
    markdown: str = ""

    def as_wire(self) -> dict[str, Any]:
        """The ``Round`` of the wire as plain dictionaries and lists, JSON-ready."""
        return {
            "schema": SCHEMA,
            "recall": self.recall,
            "contract": self.contract,
            "outcome": self.outcome,
            "reading": None if self.reading is None else {"kind": self.reading.kind, "words": list(self.reading.words)},
            "cue": {
                "meant": self.cue.meant,
                "whole": self.cue.whole,
                "axes": [{"kind": a.kind, "value": a.value, "from": a.source} for a in self.cue.axes],
            },
            "recognizables": [
                {
                    "whole": r.whole,
                    "joins": masking.mask(r.joins),
                    "confidence": round(r.confidence, 3),
                    "members": [member_as_wire(m) for m in r.members],
                }
                for r in self.recognizables
            ],
            "story": [
                {"text": masking.mask(s.text), "cites": list(s.cites), "locators": list(s.locators)} for s in self.story
            ],
            "records": [record_as_wire(r) for r in self.records],
            "adjacent": [
                {"name": masking.mask(a.name), "rejected": a.rejected, "members": list(a.members)}
                for a in self.adjacent
            ],
            "qualifications": [
                {
                    "n": q.n,
                    "finding": q.finding,
                    "reach": [dataclasses.asdict(reach) for reach in q.reach],
                    "scan": {
                        "skippedLines": q.skipped_lines,
                        "unverifiedPersonTurns": q.unverified_person_turns,
                        "omittedChars": q.omitted_chars,
                    },
                }
                for q in self.qualifications
            ],
            "searched": [
                {
                    "kind": s.kind,
                    "root": s.root,
                    "examined": s.examined,
                    "of": s.of,
                    "from": s.since,
                    "to": s.until,
                    "how": s.how,
                    "notOpened": list(s.not_opened),
                    "notSearched": s.not_searched,
                }
                for s in self.searched
            ],
            "expansion": None if self.expansion is None else dataclasses.asdict(self.expansion),
            "dissent": [masking.mask(doubt) for doubt in self.dissent],
            "recalledContext": self.recalled_context,
            "notes": list(self.notes),
            "trace": list(self.trace),
            "reached": None
            if self.reached is None
            else {
                "recall": self.reached.recall,
                "name": masking.mask(self.reached.name),
                "round": None if self.reached.round is None else self.reached.round.as_wire(),
            },
            "markdown": self.markdown,
        }


def record_as_wire(record: RecordShown) -> dict[str, Any]:
    """The ``Record`` of the wire."""
    return {
        **member_as_wire(record.member),
        "n": record.n,
        "speaker": record.speaker,
        "when": record.when,
        "span": record.span,
        "opened": record.opened,
        "whyNot": record.why_not,
        "clock": record.clock,
    }


def member_as_wire(member: MemberShown) -> dict[str, Any]:
    """The ``Member`` of the wire."""
    return {
        "kind": member.kind,
        "id": member.id,
        "root": member.root,
        "locator": member.locator,
        "gist": masking.mask(member.gist),
        "handle": member.handle,
        "handleNote": member.handle_note,
    }
