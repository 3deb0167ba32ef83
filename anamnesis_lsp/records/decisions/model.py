"""What a decision record says of itself: values only."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import Enum

from anamnesis_lsp.records.evidence import RecordKey


class Form(str, Enum):
    """What form a record has: it tells how to speak of it ("the decision record", "the task")."""

    ADR = "decision record"
    TASK = "task"
    PLAN = "plan"
    RFC = "RFC"
    CHANGELOG = "changelog entry"
    ISSUE = "issue"
    NOTE = "document"


class Sense(str, Enum):
    """What a section is for, by its heading, in the languages and templates known here."""

    CONTEXT = "context"
    DECISION = "decision"
    REASON = "reason"
    ALTERNATIVES = "alternatives"
    CONSEQUENCES = "consequences"
    REQUIREMENTS = "requirements"
    OTHER = "other"


class Standing(str, Enum):
    """How the record itself says that it stands. Nothing said is None, never ``PROPOSED``."""

    PROPOSED = "proposed"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    DEPRECATED = "deprecated"
    SUPERSEDED = "superseded"
    OPEN = "open"
    DONE = "done"


@dataclass(frozen=True, slots=True)
class Section:
    """One section: its heading as written (empty for the text before the first heading) and its body."""

    name: str
    part: str
    """The name, made unique in its record: what a locator's ``part`` says."""
    lines: tuple[int, int]
    """1-based, inclusive: the lines of ``text``. In a file of JSON lines the line of the entry."""
    text: str
    """The body exactly as the record has it (JSON strings decoded), blank lines at both ends left out."""
    sense: Sense
    within: tuple[str, ...] = ()
    """The headings above this one, outermost first."""
    speaker: str | None = None
    """Who wrote it, where the record says so (a comment of an issue)."""
    when: datetime | None = None


@dataclass(frozen=True, slots=True)
class DecisionRecord:
    """One decision record. Dates are its own (front matter, ``Date:``, the day its name begins with) or None."""

    key: RecordKey
    form: Form
    title: str
    title_line: int | None
    status: str | None
    """As written, without emphasis marks; at most one line."""
    status_line: int | None
    standing: Standing | None
    created: datetime | None
    """Aware. Where only a day is written, its midnight UTC, and ``day_only`` is true."""
    updated: datetime | None
    day_only: bool
    supersedes: tuple[str, ...]
    """Canonical ids, or paths relative to the root, of the records that this one replaces."""
    superseded_by: tuple[str, ...]
    sections: tuple[Section, ...]
    ids: tuple[str, ...]
    """Spellings by which commits and conversations cite it, the canonical one first (``ADR-12``, ``ADR-012``)."""
    paths: tuple[str, ...]
    """Paths of files that it mentions, as written, each once."""
    text: str
    """All of it: what an index reads."""

    @property
    def settled(self) -> bool:
        """Whether the record itself says that what it holds was decided or done, and not replaced."""
        return self.standing in (Standing.ACCEPTED, Standing.DONE) and not self.superseded_by


@dataclass(frozen=True, slots=True)
class DecisionSource:
    """One file that holds decision records, before it is read."""

    path: str
    """Relative to the root of its :class:`DecisionStore`, ``/``-separated."""
    size: int
    mtime_ns: int
    form: Form
