"""What every runtime's log becomes: turns with their speaker, their edits and commits, and what was not read.

One :class:`Runtime` per assistant implements the small interface at the end of this file. A reader streams: it never
holds a log in memory, skips what it cannot parse and counts it, and raises nothing but ``AnamnesisError`` for a source
that cannot be read at all. Rules of each format: ``formats/FORMATS.md`` of the project's design material, cited per
module.
"""

from __future__ import annotations

import abc
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from pathlib import Path
from typing import ClassVar

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.records.evidence import Speaker

MAX_LINE_BYTES = 16 * 1024 * 1024
"""A longer line is skipped without being held, and counted."""


MOST_NAMED = 500
"""Directories, branches, commits … that a head names, each."""


class EditOutcome(str, Enum):
    """Whether the record says that an edit reached the file."""

    APPLIED = "applied"
    FAILED = "failed"
    REJECTED = "rejected"
    UNDONE = "undone"
    UNCONFIRMED = "unconfirmed"
    """The call is there, its result is not (cut off, or the runtime records none)."""


@dataclass(frozen=True, slots=True)
class Edit:
    """One change of one file by a tool. ``written`` holds only text that was not there before, as the record shows."""

    path: str
    """As recorded: absolute, or relative to the turn's ``cwd``."""
    written: str
    removed: str | None
    outcome: EditOutcome
    tool: str
    whole_file: bool = False
    """The whole file was written and the record does not show what was there before: ``written`` may repeat lines.
    A file that the record shows to be new has False: all of its lines are new."""
    person_changed: bool = False
    """The person altered the proposal before it was applied."""


@dataclass(frozen=True, slots=True)
class CommitMade:
    """A commit that the record shows to have succeeded (never a mere ``git commit`` call)."""

    hash: str
    """As recorded: 7 to 64 hex digits."""
    subject: str | None
    branch: str | None
    how: str = "committed"
    """``committed``, ``amended`` or ``cherry-picked``."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn, numbered from 1 in the order of the record. ``text`` has envelopes stripped; it is never shortened."""

    n: int
    speaker: Speaker
    text: str
    when: datetime | None = None
    """Aware."""
    edits: tuple[Edit, ...] = ()
    commits: tuple[CommitMade, ...] = ()
    mentions: tuple[str, ...] = ()
    """Paths that tools read or searched here (not edited): weak evidence."""
    name: str | None = None
    """Agent type or model."""
    cwd: str | None = None
    branch: str | None = None
    native_id: str | None = None
    """The runtime's own id of the record, for de-duplication across forks and copies."""
    offset: int | None = None
    """Byte offset of the turn's first line in the source's main file, where that is a file of lines; None elsewhere."""


@dataclass(slots=True)
class Head:
    """What a conversation says of itself; filled while its turns are read. ``None`` and empty mean: not recorded."""

    title: str | None = None
    title_from: str | None = None
    """``person``, ``assistant`` or ``first turn``: a title is a gist, never evidence."""
    started: datetime | None = None
    ended: datetime | None = None
    cwds: list[str] = field(default_factory=lambda: list[str]())
    branches: list[str] = field(default_factory=lambda: list[str]())
    remotes: list[str] = field(default_factory=lambda: list[str]())
    head_commits: list[str] = field(default_factory=lambda: list[str]())
    """Commits the record says were HEAD (Codex, Copilot CLI)."""
    links: list[str] = field(default_factory=lambda: list[str]())
    """Other spellings of the conversation: ``https://claude.ai/code/session_…``, share URLs."""
    pull_requests: list[str] = field(default_factory=lambda: list[str]())
    """URLs of pull requests the record says were made from it."""
    version: str | None = None


def name_once(found: list[str], value: str | None) -> None:
    """Add to what a head names, once; a record that names thousands is not followed through all of them."""
    if value and value not in found and len(found) < MOST_NAMED:
        found.append(value)


@dataclass(slots=True)
class Scan:
    """How completely the source was read. ``None`` is *not counted*, never zero."""

    skipped_lines: int | None = None
    unverified_person_turns: int | None = None
    omitted_chars: int | None = None
    unknown_types: dict[str, int] = field(default_factory=lambda: dict[str, int]())
    """Record types this reader does not know, with how often each came."""
    incomplete_tail: bool = False
    """The last line is still being written."""


@dataclass(frozen=True, slots=True)
class Part:
    """One file (or database) a conversation is read from, with what tells that it changed."""

    path: Path
    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class Source:
    """One conversation of a store, before it is read."""

    runtime: str
    root: Path
    """The store's root as discovered or given."""
    id: str
    """The runtime's own session id; a sub-agent's file has its own id and names its parent."""
    parts: tuple[Part, ...]
    """The main file first; further ones are copies or continuations of the same conversation, read after it."""
    parent_id: str | None = None
    agent: str | None = None
    """A sub-agent's type, when this is a sub-agent's file."""
    beside: tuple[Part, ...] = ()
    """What another tool keeps about this conversation. It tells how to find it and how well that tool captured it."""

    @property
    def path(self) -> Path:
        """The main file."""
        return self.parts[0].path


@dataclass(frozen=True, slots=True)
class Handle:
    """How to get back in. ``command`` is None where there is no way, and ``note`` then says why."""

    command: str | None
    note: str | None = None


class Reading(abc.ABC):
    """One pass over a source: iterate it for the turns; ``head`` and ``scan`` are complete once it is exhausted."""

    head: Head
    scan: Scan

    @abc.abstractmethod
    def __iter__(self) -> Iterator[Turn]: ...


class Runtime(abc.ABC):
    """One assistant's store. Stateless: everything it returns is a value."""

    name: ClassVar[str]
    """As the wire and ``--store KIND:`` spell it."""
    versions: ClassVar[str]
    """The versions whose records this reader knows, for people."""
    ids_are_unique: ClassVar[bool] = False
    """:meth:`sources` gives each id once: nobody has to hold them all to know which of two is the larger."""

    @abc.abstractmethod
    def default_roots(self, environ: Mapping[str, str], home: Path, workspace: Path | None) -> list[Path]:
        """The stores this runtime keeps on this machine, existing or not; ``workspace`` for those kept in a project."""

    @abc.abstractmethod
    def sources(self, root: Path, cancel: CancelToken) -> Iterator[Source]:
        """Every conversation under ``root``, cheaply (no file is read whole). Raises ``storeUnreadable``."""

    @abc.abstractmethod
    def read(self, source: Source, cancel: CancelToken) -> Reading:
        """Read the whole conversation, streaming. Raises ``recordGone`` or ``storeUnreadable`` when iterated."""

    @abc.abstractmethod
    def handle(self, source: Source, head: Head, exists: Iterable[str] | None = None) -> Handle:
        """How to reopen it (``contract/NOTES.md``, *Reopening*). ``exists`` replaces the look at the disk in tests."""


def exists_on_disk(directory: str) -> bool:
    """Whether a recorded directory still is one."""
    return os.path.isdir(directory)  # noqa: PTH112  recorded text, possibly of another system
