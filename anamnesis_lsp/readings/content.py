"""What a turn of a recall says: the payload ``P`` of the contract's ``Turn[P]``.

The fused context is the only state of a recall, so everything a reading needs stands in it: what the person said and
where they pointed, what each read returned, what was shown. Every value here is frozen and made of JSON-able parts; see
:mod:`anamnesis_lsp.readings.codec` for its spelling.

Origins: the *person* says :class:`Said` and :class:`Invocation`. Everything a tool read is *external*, whoever speaks
inside it. The *assistant* (this program) records :class:`PassRecord` and shows :class:`Presented`, :class:`Asked`,
:class:`ExpansionAsked` and :class:`Answered`; none of these grounds anything.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from anamnesis_lsp.records.evidence import OpenedRecord, RecordKey

# ── the person's turns ──────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Said:
    """Words of the person inside a recall. ``command`` is set where an explicit command is the same act as words."""

    text: str
    when: datetime
    command: str | None = None
    """``identify``, ``end`` or ``not``: the act an explicit command stands for."""
    held: tuple[str, ...] = ()
    """What the other recalls were called when it was said."""
    returns: bool = False
    """The words were read as coming back to this recall, from another one or after it was held."""
    left: str | None = None
    """What the recall was called that was open until these words began this one."""


@dataclass(frozen=True, slots=True)
class Invocation:
    """The person ran Recollect. The selection says *where*, and is never the person's words."""

    when: datetime
    text: str | None = None
    """Explicit words given with the invocation."""
    root: Path | None = None
    """The repository's root, where one was found."""
    path: str | None = None
    """The selected file, relative to ``root``."""
    lines: tuple[int, int] | None = None
    """1-based, inclusive."""
    selected: tuple[str, ...] = ()
    """The selected lines, as they are in the buffer or the file."""
    comment: str | None = None
    """The comment in or directly above the selection, markers stripped."""
    rev: str | None = None
    """Full hash of the revision asked from; None: HEAD and the buffer."""
    buffer: str | None = None
    """Digest of the unsaved text, which the recall keeps beside the context."""
    left: str | None = None
    """What the recall was called that was open until this invocation began another."""


# ── evidence turns ──────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class ScopeSearched:
    """One entry of the ledger: what a search covered in one store or root."""

    kind: str
    """``git``, ``decisions``, or a runtime's name."""
    root: Path
    examined: int
    of: int | None
    since: datetime | None
    until: datetime | None
    how: str
    not_searched: str | None = None
    unread: int = 0
    """So many conversations or files of it our index did not have yet."""


@dataclass(frozen=True, slots=True)
class LineShare:
    """How much of the selection one commit wrote, by blame."""

    commit: str
    path: str
    """The path the lines had in that commit."""
    lines: int
    weight: float
    """Share of the selection, 0 to 1; lines that say nothing (brackets, blank) count little."""
    at: tuple[tuple[int, int], ...]
    """Which of the selected lines, as ranges in the file asked about, 1-based, inclusive."""
    source: tuple[tuple[int, int], ...]
    """The ranges in that commit."""
    boundary: bool = False


@dataclass(frozen=True, slots=True)
class LinesTraced:
    """Blame of the selection."""

    root: Path
    path: str
    asked_from: str
    """Full hash blamed from."""
    shares: tuple[LineShare, ...]
    """The commit that carries most of the selection first."""
    uncommitted: tuple[int, ...] = ()
    ignored_revisions: tuple[str, ...] = ()
    put_back: tuple[str, ...] = ()
    """Commits of ``shares`` that only put back what another had written: reverts, a deleted file restored."""


@dataclass(frozen=True, slots=True)
class Ground:
    """One named piece of evidence for a candidate."""

    name: str
    """A row of the table in :mod:`anamnesis_lsp.readings.found`."""
    value: float
    """0 to 1."""
    told: str
    """What it is, in words, as the joins tell it; empty where it is not told."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A record that a search proposes, with the grounds for it."""

    key: RecordKey
    gist: str
    grounds: tuple[Ground, ...]
    score: float
    started: datetime | None = None
    ended: datetime | None = None
    turns: tuple[int, ...] = ()
    """Where to open a conversation: turns that the grounds point at, the strongest first."""
    parts: tuple[str, ...] = ()
    """Where to open a decision record."""
    commits: tuple[str, ...] = ()
    """Full hashes that a recorded link joins it to."""
    belongs: str = ""
    """On what ground a conversation belongs to the repository of the recall; empty where that was not asked."""


@dataclass(frozen=True, slots=True)
class CandidatesFound:
    """The proposals of one pass, best first."""

    proposals: tuple[Proposal, ...]
    terms: tuple[tuple[str, float], ...] = ()
    """The words that were searched for, with their weight: where a record is opened follows them."""
    margin: float | None = None
    """Score of the first over the second; None with fewer than two."""
    rarity: tuple[tuple[str, float], ...] = ()
    """How rare the words of the selection and the cue are among the records, 0 to 1."""
    covered: tuple[tuple[str, float], ...] = ()
    """Of a cue alone: the share of its telling words that each proposed record or commit (by id) holds, 0 to 1."""


@dataclass(frozen=True, slots=True)
class CommitNamed:
    """A commit the search reached, with what its object says (author, times, message) as a cue for ordering."""

    key: RecordKey
    subject: str
    author: str
    when: datetime
    score: float
    grounds: tuple[Ground, ...] = ()
    path: str | None = None
    lines: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class CommitsFound:
    """Commits that messages, identifiers or the cue's words reached, best first."""

    commits: tuple[CommitNamed, ...]


@dataclass(frozen=True, slots=True)
class RecordOpened:
    """A record opened now, at its own source, at the span the cue reaches. The only thing a sentence may rest on."""

    record: OpenedRecord


@dataclass(frozen=True, slots=True)
class RecordNotOpened:
    """A record that was found and did not open."""

    key: RecordKey
    reason: str


@dataclass(frozen=True, slots=True)
class Extraction:
    """One extraction of a capture receipt. ``None`` is *not recorded*, never zero."""

    extractor: str
    state: str | None
    omitted: int | None


@dataclass(frozen=True, slots=True)
class CaptureReceipt:
    """What a capture receipt says of one record."""

    key: RecordKey
    extractions: tuple[Extraction, ...]
    skipped_lines: int | None
    unverified_person_turns: int | None
    omitted_chars: int | None
    stale: bool = False
    """The source changed after the receipt was written."""
    gone: bool = False
    """The source was missing when it was last looked for."""
    foreign: tuple[Extraction, ...] = ()
    """What another tool says of its own capture of this record; its extractors are named ``TOOL NAME``."""
    foreign_attempt: str | None = None
    """How far that capture came: ``in_progress``, ``complete`` or ``superseded``."""
    foreign_stale: bool | None = None
    """Whether that was of an earlier state of the record; None where it does not say."""


@dataclass(frozen=True, slots=True)
class CaptureReceipts:
    """Receipts of the records a search examined. Every record counted; only those worth saying something of listed."""

    receipts: tuple[CaptureReceipt, ...]
    examined: int
    without: int
    """Examined records no receipt reached."""


@dataclass(frozen=True, slots=True)
class SearchFailed:
    """A search that could not run, with the reason as told to a person."""

    kind: str
    root: Path | None
    reason: str


@dataclass(frozen=True, slots=True)
class Avenue:
    """A search past the boundary: what it would read, and what that costs by this machine's own measured rates."""

    kind: str
    """A row of the table in :mod:`anamnesis_lsp.readings.expansion`."""
    reach: str
    cost: str
    seconds: float | None = None
    """None where nothing was measured yet."""


@dataclass(frozen=True, slots=True)
class PastBoundary:
    """What lay past the boundary when a pass had ended, cheapest first."""

    avenues: tuple[Avenue, ...]


@dataclass(frozen=True, slots=True)
class WiderFound:
    """What an admitted search past the boundary found."""

    kind: str
    commits: tuple[CommitNamed, ...] = ()
    proposals: tuple[Proposal, ...] = ()


@dataclass(frozen=True, slots=True)
class AxisRead:
    """What an axis of the cue was resolved to by a look at the records: ``last spring`` to its two ends."""

    kind: str
    value: str
    since: datetime | None = None
    until: datetime | None = None
    names: tuple[str, ...] = ()
    told: str = ""


# ── the assistant's turns ───────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Named:
    """A candidate as it was shown: its members by key, and the words it was named by."""

    name: str
    members: tuple[RecordKey, ...]
    whole: str
    joins: str = ""
    confidence: float = 0.0


@dataclass(frozen=True, slots=True)
class PassRecord:
    """What one pass found, opened and qualified. Grounds nothing."""

    found: tuple[Named, ...]
    opened: tuple[RecordKey, ...]
    not_opened: tuple[RecordKey, ...]
    doubts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Presented:
    """The presentation: what it led with, and what it named beside it."""

    leading: Named
    story: tuple[str, ...]
    adjacent: tuple[Named, ...] = ()
    doubts: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Asked:
    """The open question."""

    question: str


@dataclass(frozen=True, slots=True)
class ExpansionAsked:
    """The expansion question: what a wider search would read, and its cost."""

    reach: str
    cost: str
    kind: str = ""
    """Which avenue it is: what admitting it admits."""


@dataclass(frozen=True, slots=True)
class Answered:
    """The session's answer to a turn that runs no pass."""

    text: str
    scope: str | None = None


Content = (
    Said | Invocation
    | ScopeSearched | LinesTraced | CandidatesFound | CommitsFound | RecordOpened | RecordNotOpened | CaptureReceipts
    | SearchFailed | AxisRead | PastBoundary | WiderFound
    | PassRecord | Presented | Asked | ExpansionAsked | Answered
)  # fmt: skip
"""Everything a turn can say. The codec writes the class's name as its tag."""
