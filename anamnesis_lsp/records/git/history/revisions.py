"""The revisions of one path, newest first, read in batches as a walk asks for them.

Each comes with the parents that history simplification leaves (those in which the path is what it was before) and the
blobs before and after. git's own diff of a revision is read only when it is asked for, a few at once: most revisions
of a long file can be told from their blobs to leave a range alone (:mod:`.untouched`). No process stays open between
two batches, so a history that is not read on costs nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.records.git.model import Commit

from .patches import Patch, parse_patch

_FIRST_BATCH = 32
_LARGEST_BATCH = 16384
_PATCHES_FIRST = 2
_PATCHES_MOST = 512
LOG_FORMAT = "%x00%H %P%x00%ct"
"""What :meth:`Past.log` prints before the raw entry of each revision."""
PATCH_FORMAT = "%x00%H %P%x00"
"""What :meth:`Past.patches` prints before each patch."""

Pair = tuple[str, str]
"""A commit and the parent it is compared with."""


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
        """``git log --raw --parents`` of a path in :data:`LOG_FORMAT`, at most ``count`` commits, newest first."""
        ...

    def patches(self, pairs: Sequence[Pair], path: str, cancel: CancelToken) -> list[bytes]:
        """For each pair the diff of a path in a commit against that parent, no context; in their order."""
        ...

    def file(self, commit: str, path: str, cancel: CancelToken) -> bytes | None:
        """The blob of a path at a commit; ``None`` when there is none or it cannot be read."""
        ...

    def blob(self, blob: str, cancel: CancelToken) -> bytes | None:
        """The bytes of a blob; ``None`` when it is not here."""
        ...

    def blobs(self, blobs: Sequence[str], cancel: CancelToken) -> Mapping[str, bytes]:
        """The bytes of several blobs at once; those that are not here, or too large, are left out."""
        ...

    def blob_ids(self, commits: Sequence[str], path: str, cancel: CancelToken) -> list[str | None]:
        """The blob of a path at each of the commits; ``None`` where it is no file there."""
        ...

    def tree_changes(self, old: str, new: str, cancel: CancelToken) -> list[TreeChange]:
        """What two commits differ in, renames found from 40 % likeness on."""
        ...

    def commit(self, commit: str, cancel: CancelToken) -> Commit:
        """The commit object."""
        ...

    def commits(self, commits: Sequence[str], cancel: CancelToken) -> Mapping[str, Commit]:
        """Several commit objects at once; those that are not here are left out."""
        ...


@dataclass(frozen=True, slots=True)
class Revision:
    """One commit that changed the path."""

    commit: str
    parents: tuple[str, ...]
    time: int
    """Committer's time, seconds since the epoch."""
    status: str = ""
    """git's letter against the only parent, or nothing; empty for a merge."""
    old_blob: str | None = None
    blob: str | None = None
    """The blobs before and after, where both are regular files; ``None`` for a merge."""


class Revisions:
    """The revisions of one path that were read so far, and those of their patches that were asked for."""

    def __init__(self, past: Past, path: str, cancel: CancelToken) -> None:
        self._past = past
        self._path = path
        self._cancel = cancel
        self._known: dict[str, Revision] = {}
        self._cut: dict[str, None] = {}
        """Parents of known revisions that lay behind the end of a batch."""
        self._count = _FIRST_BATCH
        self._patches: dict[Pair, bytes] = {}
        self._at_once = _PATCHES_FIRST
        self._read_last = self._used = 0

    def first(self, commit: str) -> Revision | None:
        """The newest revision at or before ``commit``; ``None`` when the path was never there.

        At the end of a batch everything that lay behind its end is read along.
        """
        known = self._known.get(commit)
        if known is not None:
            return known
        if commit in self._cut:
            self._read(list(self._cut))
            if commit in self._known:
                return self._known[commit]
        return self._read([commit])

    def get(self, commit: str) -> Revision | None:
        """The revision of that commit, where it was read."""
        return self._known.get(commit)

    def patch(self, revision: Revision, parent: str | None = None) -> Patch:
        """git's diff of the path in a revision against its first (or that) parent.

        Read with those of the revisions before it, as many at once as were of use the last time.
        """
        pair = (revision.commit, parent or revision.parents[0])
        if pair not in self._patches:
            pairs = [pair, *((revision.commit, other) for other in revision.parents if other != pair[1])]
            self._read_patches(pairs)
        self._used += 1
        return parse_patch(self._patches[pair])

    def ahead(self, revision: Revision, count: int) -> list[Revision]:
        """Up to ``count`` revisions that were read already, along the first parents from this one on."""
        found: list[Revision] = []
        at: Revision | None = revision
        while at is not None and len(found) < count:
            found.append(at)
            at = self._known.get(at.parents[0]) if at.parents else None
        return found

    def _read_patches(self, pairs: list[Pair]) -> None:
        if self._read_last:
            of_use = self._used * 2 >= self._read_last
            self._at_once = min(_PATCHES_MOST, self._at_once * 4) if of_use else max(1, self._at_once // 2)
        revision = self._known.get(pairs[0][0])
        for other in self.ahead(revision, self._at_once)[1:] if revision is not None else ():
            if len(other.parents) == 1 and (other.commit, other.parents[0]) not in self._patches:
                pairs.append((other.commit, other.parents[0]))
        self._read_last, self._used = len(pairs), 0
        for pair, patch in zip(pairs, self._past.patches(pairs, self._path, self._cancel), strict=True):
            self._patches[pair] = patch

    def _read(self, commits: Sequence[str]) -> Revision | None:
        output = self._past.log(commits, self._path, self._count, self._cancel)
        self._count = min(_LARGEST_BATCH, self._count * 8)
        first: Revision | None = None
        for record in output.split(b"\n\0") if output else ():
            revision = _parse(record.removeprefix(b"\0"))
            if revision is not None:
                self._known.setdefault(revision.commit, revision)
                first = first or revision
                self._cut.update(dict.fromkeys(revision.parents))
        self._cut = {commit: None for commit in self._cut if commit not in self._known}
        return first


def _parse(record: bytes) -> Revision | None:
    head, _, rest = record.partition(b"\0")
    when, _, raw = rest.partition(b"\n")
    hashes = head.decode("ascii", "replace").split()
    if not hashes:
        return None
    time = int(when) if when.strip().lstrip(b"-").isdigit() else 0
    commit, parents = hashes[0], tuple(hashes[1:])
    if len(parents) > 1:
        return Revision(commit, parents, time)
    fields = raw.strip().lstrip(b":").split(b"\t", 1)[0].split() if raw.lstrip().startswith(b":") else []
    if len(fields) != 5:
        return Revision(commit, parents, time, "?")
    old_mode, mode, old, new, status = (field.decode("ascii", "replace") for field in fields)
    regular = mode.startswith("100") and old_mode.startswith("100")
    return Revision(commit, parents, time, status[0], old if regular else None, new if regular else None)
