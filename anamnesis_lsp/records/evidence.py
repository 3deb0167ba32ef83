"""What an opened record is: passages with their speakers, and the facts a sentence may state.

A record is named by a :class:`RecordKey` (what kind, under which root, which id) and never by a path alone. Opening it
returns an :class:`OpenedRecord`: passages copied from its bytes at the span that was asked for. A sentence of a story
may quote a passage and state a fact of the record, nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from pathlib import Path


class Kind(str, Enum):
    """The kinds of record, as the wire spells them."""

    COMMIT = "commit"
    CONVERSATION = "conversation"
    DECISION = "decision"


class Speaker(str, Enum):
    """Who says a passage, as the record names them. Never the origin of a turn of a recall: that is ``external``."""

    PERSON = "person"
    ASSISTANT = "assistant"
    SUBAGENT = "subagent"
    TOOL = "tool"
    INJECTED = "injected"
    AUTHOR = "author"
    """The author of a commit, in its message or its diff."""
    DOCUMENT = "document"
    """A decision record speaks for itself: nobody is named."""


@dataclass(frozen=True, slots=True)
class RecordKey:
    """Names one record. ``id`` is as WIRE fixes it: full hash, session id, path with ``#part``."""

    kind: Kind
    root: Path
    """The resolved root it was found under: a repository's work tree (or git dir), or a store."""
    id: str
    runtime: str | None = None
    """The runtime's name for a conversation (``claude-code`` …), None for other kinds."""


@dataclass(frozen=True, slots=True)
class Span:
    """Where in a record a passage stands. At most one of the alternatives is set; none means the whole record."""

    turn: int | None = None
    """Turn of a conversation, in the order of the record, from 1."""
    path: str | None = None
    """File of a commit that the hunk belongs to."""
    lines: tuple[int, int] | None = None
    """1-based, inclusive: of ``path`` at the commit, or of a decision record."""
    part: str | None = None
    """Section or entry of a decision record."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A quotable piece of a record: its text exactly as the record has it (line ends as ``\\n``), and who says it."""

    text: str
    speaker: Speaker
    name: str | None
    """The speaker's name where the record has one (author's name, agent type, model)."""
    when: datetime | None
    span: Span
    role: str
    """What the passage is. Of a commit ``message``, ``hunk``, ``boundary``; of a decision record ``title``, ``status``,
    ``section``, ``reason``; of a conversation ``request`` (what was asked that led to the edit), ``answer`` (the person
    took up a ``proposal`` of the assistant's), ``before`` (said directly before the edit), ``reason`` (since the ask),
    ``earlier``, ``reply`` (after the edit), ``opening`` (what else was asked), ``edit``, ``commit``, ``rewritten``.
    Forms of sentences choose by it."""
    under: tuple[str, ...] = ()
    """The headings it stands under, outermost first, where the record has any."""


@dataclass(frozen=True, slots=True)
class OpenedRecord:
    """A record as opened now, at the span the cue reaches."""

    key: RecordKey
    title: str
    started: datetime | None
    ended: datetime | None
    author: str | None
    """Author of a commit; None for records with several speakers."""
    passages: tuple[Passage, ...]
    paths: tuple[str, ...] = ()
    """Paths the opened span touches, relative to the repository's root where known, else as recorded."""
    hashes: tuple[str, ...] = ()
    """Full commit hashes this record names or is."""
    numbers: tuple[tuple[str, int], ...] = ()
    """Counted facts, each with its name: ``("lines written", 5)``."""
    handle: str | None = None
    handle_note: str | None = None
    clock: str = ""
    """What of its times is recorded, where that is not all: ``day`` (no time of day), ``local`` (no zone)."""


@dataclass(frozen=True, slots=True)
class NotOpened:
    """A record that was found and could not be opened, with the reason as told to a person."""

    key: RecordKey
    reason: str
