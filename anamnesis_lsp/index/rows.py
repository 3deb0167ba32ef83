"""What the catalog returns: values. Times are seconds since the epoch, UTC; None is *not recorded*.

``record`` in all of them is the catalog's own number of a record: good until the index is rebuilt, stored nowhere else.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from anamnesis_lsp.contract.types import ExtractorState, Reach, SourceScan
from anamnesis_lsp.records.conversations.hypomnesis import ForeignReceipt
from anamnesis_lsp.records.conversations.model import EditOutcome
from anamnesis_lsp.records.conversations.stores import Store
from anamnesis_lsp.records.evidence import Kind, RecordKey, Speaker


@dataclass(frozen=True, slots=True)
class RecordRow:
    """One record as the catalog knows it. Its title is a gist: it orders and names, it supports nothing."""

    record: int
    key: RecordKey
    store: Store
    file: str
    """The path of the file it was read from: as text, for there may be a hundred thousand."""
    parent_id: str | None
    agent: str | None
    title: str | None
    title_from: str | None
    started: float | None
    ended: float | None
    cwds: tuple[str, ...]
    branches: tuple[str, ...]
    remotes: tuple[str, ...]
    head_commits: tuple[str, ...]
    links: tuple[str, ...]
    pull_requests: tuple[str, ...]
    """URLs of pull requests the record says were made from it."""
    person_turns: int
    turns: int
    bytes: int
    """Size of its source."""
    terms: int
    """Length of its body in terms."""
    gone: float | None
    """When its source was first found missing: it will not open."""

    @property
    def kind(self) -> Kind:
        """Conversation or decision."""
        return self.key.kind

    @property
    def path(self) -> Path:
        """The file it was read from."""
        return Path(self.file)


@dataclass(frozen=True, slots=True)
class LineWriter:
    """An edit that wrote a line (applied, or not said to have failed)."""

    record: int
    turn: int
    path: str
    """As recorded; a relative one joined to the turn's working directory where that is recorded."""
    when: float | None
    outcome: EditOutcome
    whole_file: bool
    """The edit wrote the whole file: the line may have been there before."""


@dataclass(frozen=True, slots=True)
class EditRow:
    """One edit of one file."""

    record: int
    turn: int
    path: str
    when: float | None
    outcome: EditOutcome
    whole_file: bool
    lines: int
    """Non-trivial lines written."""


@dataclass(frozen=True, slots=True)
class MentionRow:
    """A path that tools of a record read or searched, and how often."""

    record: int
    path: str
    count: int


@dataclass(frozen=True, slots=True)
class CommitRow:
    """A commit that a record shows to have been made in it."""

    record: int
    turn: int
    hash: str
    """As recorded: 7 to 64 hex digits."""
    subject: str | None
    branch: str | None
    how: str
    when: float | None


@dataclass(frozen=True, slots=True)
class PassageHit:
    """A turn or section that a query reaches, with the best of its passages' scores."""

    record: int
    turn: int
    part: str | None
    """The section's ``part``, in a decision record."""
    speaker: Speaker
    when: float | None
    score: float


@dataclass(frozen=True, slots=True)
class Receipt:
    """What the capture of one record received (``contract/NOTES.md``, *Capture evidence*)."""

    runtime: str
    root: str
    id: str
    revision: tuple[tuple[str, int, int], ...]
    """Path, size and mtime in ns of each part, as captured."""
    head_hash: str | None
    """SHA-256 of the first 4096 bytes of the main file."""
    captured: float
    reach: tuple[Reach, ...]
    """Of ``input``, ``turns``, ``edits``, ``commits`` and ``text``, in this order."""
    scan: SourceScan
    unknown_types: dict[str, int] = field(default_factory=lambda: dict[str, int]())
    incomplete_tail: bool = False
    version: str | None = None
    """The runtime's version, as the record says it last."""
    foreign: ForeignReceipt | None = None
    """What another tool says of its own capture of this record."""
    foreign_stale: bool | None = None
    """Whether that was of another state of the record than this receipt's; None where it does not say."""

    def state(self, extractor: str) -> ExtractorState | None:
        """The state of one extractor, None where the receipt has none."""
        return next((reach.state for reach in self.reach if reach.extractor == extractor), None)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a refresh is. Byte counts are of the sources that changed."""

    store: Store
    done: int
    of: int
    bytes_done: int
    bytes_of: int

    @property
    def percent(self) -> int:
        """0 to 100, by bytes."""
        return min(100, self.bytes_done * 100 // self.bytes_of) if self.bytes_of else 100


@dataclass(frozen=True, slots=True)
class Pending:
    """What of a store the catalog does not have yet. All zero: it is up to date."""

    store: Store
    sources: int = 0
    """Conversations (or files of decision records) that are new or have changed."""
    bytes: int = 0
    gone: int = 0
    """Sources that the catalog has and the store has not any more."""
    failing: int = 0
    """Sources that could not be read when they were last tried, and have not changed since: not among ``sources``."""

    def __bool__(self) -> bool:
        """Whether a refresh would change anything."""
        return bool(self.sources or self.gone)


@dataclass(frozen=True, slots=True)
class Captured:
    """The capture receipts of a store, added up. None is *not counted by any of its records*, never zero."""

    records: int = 0
    skipped_lines: int | None = None
    omitted_chars: int | None = None
    unverified_person_turns: int | None = None
    unchecked: int = 0
    """Records for which there was no channel to check the person's turns against."""
    failed: int = 0
    """Records of which an extractor failed."""
    being_written: int = 0
    """Records whose last line was not complete."""
    unknown_types: tuple[tuple[str, int], ...] = ()
    """Types of record that the reader does not know, the commonest first."""
    versions: tuple[str, ...] = ()
    """Versions of the runtime that the records name, lowest first."""


@dataclass(frozen=True, slots=True)
class StoreStatus:
    """One store as the catalog has it."""

    store: Store
    state: str
    """``read``, ``partly`` (some sources could not be read, or the size cap was reached), ``absent``, ``unreadable`` or
    ``unread`` (never refreshed)."""
    note: str | None
    records: int
    gone: int
    bytes: int
    since: float | None
    until: float | None
    checked: float | None


@dataclass(frozen=True, slots=True)
class Failure:
    """A source that could not be captured, or only in part."""

    store: Store
    path: str
    message: str


@dataclass(frozen=True, slots=True)
class Refreshed:
    """What a refresh did."""

    captured: int = 0
    unchanged: int = 0
    gone: int = 0
    bytes: int = 0
    seconds: float = 0.0
    failures: tuple[Failure, ...] = ()
    other_writer: bool = False
    """Another process (or thread) is writing: nothing was done, what is there can be read."""
    full: bool = False
    """The size cap was reached: some sources were left out."""
    notes: tuple[str, ...] = ()
    """For people: why the index was made anew."""


@dataclass(frozen=True, slots=True)
class Status:
    """The index as a whole."""

    path: Path
    bytes: int
    records: int
    passages: int
    dead_passages: int
    lines: int
    writing: bool
    """A refresh runs now, here or in another process."""
    stores: tuple[StoreStatus, ...]
    notes: tuple[str, ...]
