"""What a recorded link is, and what is read of git to find one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.records.git.model import Ref, TreeEntry


class LinkKind(str, Enum):
    """What the other end of a link is."""

    SESSION = "session"
    """A conversation by its runtime's id (``value``), or by the file it was committed as."""
    CHECKPOINT = "checkpoint"
    COMMIT = "commit"
    ISSUE = "issue"
    PULL_REQUEST = "pull request"
    TICKET = "ticket"
    DECISION = "decision"
    """``ADR-12``, or the path of a record that the commit touched."""
    RFC = "rfc"
    TASK = "task"
    BEAD = "bead"
    CO_AUTHOR = "co-author"
    REVIEWER = "reviewer"
    URL = "url"


class Place(str, Enum):
    """Where a link is recorded."""

    TRAILER = "trailer"
    MESSAGE = "message"
    NOTE = "note"
    CHECKPOINT = "checkpoint"
    TRACE = "trace"
    FILES = "files"

    @property
    def written_by(self) -> str:
        """Who could have written such a link, for people."""
        return {
            Place.TRAILER: "whoever wrote the commit message",
            Place.MESSAGE: "whoever wrote the commit message",
            Place.NOTE: "whoever can push notes to this repository",
            Place.CHECKPOINT: "whoever can push to the checkpoint branch",
            Place.TRACE: "whoever can write files in this work tree",
            Place.FILES: "whoever made the commit",
        }[self]


@dataclass(frozen=True, slots=True)
class Link:
    """One recorded link."""

    kind: LinkKind
    value: str
    """The target in its canonical spelling."""
    place: Place
    where: str
    """The trailer's key, the ref of the note, the checkpoint's id, the file."""
    text: str
    """The words of the record, exactly."""
    runtime: str | None = None
    """The runtime of a conversation, where the record tells it."""
    found: bool | None = None
    """Whether the target was looked for and found; None where it was not looked for."""
    path: str | None = None
    """The file that the link is about, where it is about one."""
    lines: tuple[tuple[int, int], ...] = ()
    """Lines of ``path`` at the commit (git-ai, Agent Trace)."""


class GitTrees(Protocol):
    """What is read of git: the part of the git door that this room needs."""

    def refs(self, cancel: CancelToken) -> list[Ref]:
        """Branches, tags, notes and remote-tracking branches."""
        ...

    def tree(self, commit: str, cancel: CancelToken, under: str = "") -> list[TreeEntry]:
        """The files of a commit below a folder."""
        ...

    def file(self, commit: str, path: str, cancel: CancelToken) -> bytes:
        """A file at a commit. Raises ``fileMissing``."""
        ...


def once(links: Iterable[Link]) -> list[Link]:
    """The links, each once: the first of those with the same target, place and path."""
    seen: dict[tuple[LinkKind, str, Place, str | None], Link] = {}
    for link in links:
        seen.setdefault((link.kind, link.value, link.place, link.path), link)
    return list(seen.values())
