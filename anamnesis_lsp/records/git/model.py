"""Values that the door to git returns. Paths are ``/``-separated and relative to the repository's root; lines are
1-based."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import Enum


@dataclass(frozen=True, slots=True)
class Person:
    """A name and an address as the commit object has them (no mailmap)."""

    name: str
    email: str


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit object. Times are aware and keep the recorded offset."""

    hash: str
    tree: str
    parents: tuple[str, ...]
    author: Person
    author_time: datetime
    committer: Person
    commit_time: datetime
    message: str
    """The whole message, ``\\n`` line ends."""

    @property
    def subject(self) -> str:
        """The first line of the message."""
        return self.message.split("\n", 1)[0]


@dataclass(frozen=True, slots=True)
class BlameLine:
    """Where one line of the blamed text comes from."""

    line: int
    commit: str
    """Full hash."""
    path: str
    """The path the line had in that commit."""
    source_line: int
    boundary: bool = False
    """The history ends here (shallow clone): the commit is where knowledge ends, not who wrote the line."""
    ignored: bool = False
    """Passed through a commit that the ignore list names, or could not be attributed past one."""
    theirs: bool = False
    """A line of the other side of a conflict: it comes from the commit that is being merged, picked or rebased."""


@dataclass(frozen=True, slots=True)
class Blame:
    """Blame of a range. ``lines`` has one entry per committed line; ``uncommitted`` are buffer lines not in HEAD."""

    commit: str
    """The commit blamed from."""
    path: str
    lines: tuple[BlameLine, ...]
    uncommitted: tuple[int, ...] = ()
    ignored_revisions: tuple[str, ...] = ()
    """Full hashes that were passed as ``--ignore-rev``: said in the round."""
    copies_followed: bool = True
    """False where some commit was not asked yet for copies, took too long, or met content that is not here."""


@dataclass(frozen=True, slots=True)
class Hunk:
    """One hunk of a diff: ``lines`` keep their prefix (space, ``-``, ``+``), without line ends."""

    old_start: int
    old_lines: int
    new_start: int
    new_lines: int
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file of a commit's diff against its first parent. ``status`` is git's letter: A, M, D, R, C, T."""

    status: str
    path: str
    old_path: str | None
    binary: bool
    hunks: tuple[Hunk, ...] = ()
    content_missing: bool = False
    """A partial clone lacks the content of one side: no hunks could be made."""


class Match(str, Enum):
    """How a step of a line history was matched to the one before it."""

    DIFF = "diff"
    """The lines map through the diff of the same path."""
    RENAME = "rename"
    """The file was renamed."""
    MOVE = "move"
    """The lines came from another file or place."""
    COPY = "copy"
    RESTORED = "restored"
    """The lines were deleted before and came back here: the older side is their earlier life in the same path."""
    ORIGIN = "origin"
    """The lines appear here: nothing older was found."""
    BOUNDARY = "boundary"
    """The history ends here without being finished (shallow clone)."""


@dataclass(frozen=True, slots=True)
class Step:
    """One change of a range: the commit, where the range is after it, and how sure the match to the older side is."""

    commit: str
    path: str
    lines: tuple[int, int]
    match: Match
    confidence: float
    """0 to 1."""
    kind: str
    """``change``, ``format``, ``comment``, ``doc``, ``rename``, ``move``, ``merge``, ``introduced``."""
    hunks: tuple[Hunk, ...] = ()


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One commit of a log with the paths it touched (against its first parent; empty for merges)."""

    commit: str
    author: Person
    author_time: datetime
    commit_time: datetime
    message: str
    paths: tuple[str, ...]
    parents: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ref:
    """A branch, tag, note or remote-tracking branch. ``hash`` is the commit (or other object) it leads to, tags
    peeled."""

    name: str
    """The full name, ``refs/heads/…``."""
    hash: str
    type: str
    """``commit``, ``tree``, ``blob`` (of the peeled object)."""


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """One entry of a tree. ``mode`` is git's, six octal digits as text; 160000 is a submodule."""

    path: str
    hash: str
    mode: str
    size: int | None = None
    """Bytes, where they were asked for and the blob is here."""
