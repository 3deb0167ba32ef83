"""The revisions of one path, newest first, read in batches as a walk asks for them.

Each comes with the parents that history simplification leaves (those in which the path is what it was before) and
with git's own diff against the one parent. No process stays open between two batches, so a history that is not read
on costs nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.records.git.model import Commit

from .patches import Patch, parse_patch

_FIRST_BATCH = 12
_LARGEST_BATCH = 2048
LOG_FORMAT = "%x00%H %P%x00%ct"
"""What :meth:`Past.log` prints before each patch."""


@dataclass(frozen=True, slots=True)
class TreeChange:
    """One entry of a commit's raw diff: git's letter, paths and blobs before and after (``None`` where there is
    none)."""

    status: str
    old_path: str
    path: str
    old_blob: str | None
    blob: str | None


class Past(Protocol):
    """What a history asks of git. All methods block; all raise ``Cancelled``."""

    @property
    def boundary(self) -> frozenset[str]:
        """The commits where a shallow clone ends."""
        ...

    def log(self, commits: Sequence[str], path: str, count: int, cancel: CancelToken) -> bytes:
        """``git log -p -U0 --parents`` of a path in :data:`LOG_FORMAT`, at most ``count`` commits, newest first."""
        ...

    def patch(self, old: str, new: str, path: str, cancel: CancelToken) -> bytes:
        """The diff of a path between two commits, no context."""
        ...

    def file(self, commit: str, path: str, cancel: CancelToken) -> bytes | None:
        """The blob of a path at a commit; ``None`` when there is none or it cannot be read."""
        ...

    def blob(self, blob: str, cancel: CancelToken) -> bytes | None:
        """The bytes of a blob; ``None`` when it is not here."""
        ...

    def tree_changes(self, old: str, new: str, cancel: CancelToken) -> list[TreeChange]:
        """What two commits differ in, renames found from 40 % likeness on."""
        ...

    def commit(self, commit: str, cancel: CancelToken) -> Commit:
        """The commit object."""
        ...


@dataclass(frozen=True, slots=True)
class Revision:
    """One commit that changed the path. ``patch`` is against the only parent, or nothing; ``None`` for a merge."""

    commit: str
    parents: tuple[str, ...]
    time: int
    """Committer's time, seconds since the epoch."""
    patch: Patch | None


class Revisions:
    """The revisions of one path that were read so far."""

    def __init__(self, past: Past, path: str, cancel: CancelToken) -> None:
        self._past = past
        self._path = path
        self._cancel = cancel
        self._known: dict[str, Revision] = {}
        self._count = _FIRST_BATCH

    def first(self, commit: str) -> Revision | None:
        """The newest revision at or before ``commit``; ``None`` when the path was never there."""
        return self._known.get(commit) or self._read([commit])

    def get(self, commit: str, pending: Iterable[str] = ()) -> Revision | None:
        """The revision of that commit; ``pending`` are others wanted soon, read along when a read is needed."""
        known = self._known.get(commit)
        if known is not None:
            return known
        self._read([commit, *(other for other in pending if other != commit and other not in self._known)])
        return self._known.get(commit)

    def _read(self, commits: Sequence[str]) -> Revision | None:
        output = self._past.log(commits, self._path, self._count, self._cancel)
        self._count = min(_LARGEST_BATCH, self._count * 4)
        first: Revision | None = None
        for record in output.split(b"\n\0") if output else ():
            revision = _parse(record.removeprefix(b"\0"))
            if revision is not None:
                self._known.setdefault(revision.commit, revision)
                first = first or revision
        return first


def _parse(record: bytes) -> Revision | None:
    head, _, rest = record.partition(b"\0")
    when, _, diff = rest.partition(b"\n")
    hashes = head.decode("ascii", "replace").split()
    if not hashes:
        return None
    time = int(when) if when.strip().lstrip(b"-").isdigit() else 0
    patch = parse_patch(diff) if len(hashes) <= 2 else None
    return Revision(hashes[0], tuple(hashes[1:]), time, patch)
