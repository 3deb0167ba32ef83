"""Reopening: a range of lines before a change, step by step and back again, and at another revision.

A :class:`Stop` is a range of a file at a commit. :func:`before` goes to what the range was before the commit that last
changed it: in a merge on the side that git blames, through renames and copies. Each stop of a :class:`Trail` is kept,
so that going forward returns to exactly the range one came from. A locator is checked when it is opened.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import Literal

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.records.git.linemap import LineMap, editor_lines
from anamnesis_lsp.records.git.model import FileChange
from anamnesis_lsp.records.git.repository import Repository
from anamnesis_lsp.records.git.text import printable

End = Literal["root", "shallow", "created"]
"""Why there is nothing before: the first commit, where a shallow clone ends, or the file (or range) began there."""


@dataclass(frozen=True, slots=True)
class Stop:
    """A range (1-based, inclusive) of a file at a commit. Where the lines did not exist yet, ``lines`` is empty, its
    end one less than its start, at the place where they came in."""

    commit: str
    path: str
    lines: tuple[int, int]
    after: str | None = None
    """The commit whose change is undone here."""

    @property
    def empty(self) -> bool:
        """Whether the lines do not exist here."""
        return self.lines[1] < self.lines[0]


@dataclass(frozen=True, slots=True)
class Oldest:
    """There is nothing before: why, and the commit that is the oldest."""

    commit: str
    why: End


def before(repo: Repository, stop: Stop, cancel: CancelToken) -> Stop | Oldest:
    """The range before the commit that last changed any of its lines (by blame: the latest of their commits).

    Raises as :meth:`.Repository.blame`; ``recordGone`` where the stop's commit is not here any more.
    """
    check(repo, stop, cancel)
    if stop.empty:
        return Oldest(stop.commit, "created")
    blame = repo.blame(stop.commit, stop.path, [stop.lines], cancel)
    commits = repo.commits((line.commit for line in blame.lines), cancel)
    weight = Counter(line.commit for line in blame.lines)
    latest = max(weight, key=lambda commit: (commits[commit].commit_time, weight[commit]))
    theirs = [line for line in blame.lines if line.commit == latest]
    path = theirs[0].path
    parents = commits[latest].parents
    if repo.is_boundary(latest):
        return Oldest(latest, "shallow")
    if not parents:
        return Oldest(latest, "root")
    here = _mapped(repo, stop, latest, path, cancel)
    if here is None:
        sources = [line.source_line for line in theirs if line.path == path]
        here = Stop(latest, path, (min(sources), max(sources)))
    return _in_parents(repo, here, parents, cancel)


def before_commit(repo: Repository, stop: Stop, cancel: CancelToken) -> Stop | Oldest:
    """The range before the stop's own commit, whoever changed it last. Raises as :func:`check`."""
    check(repo, stop, cancel)
    parents = repo.commit(stop.commit, cancel).parents
    if repo.is_boundary(stop.commit):
        return Oldest(stop.commit, "shallow")
    return _in_parents(repo, stop, parents, cancel) if parents else Oldest(stop.commit, "root")


def _in_parents(repo: Repository, here: Stop, parents: tuple[str, ...], cancel: CancelToken) -> Stop | Oldest:
    for parent in parents:
        older = older_path(repo, parent, here.commit, here.path, cancel)
        if older is not None:
            found = _mapped(repo, here, parent, older, cancel)
            if found is not None:
                return replace(found, after=here.commit)
    return Oldest(here.commit, "created")


def at_revision(repo: Repository, stop: Stop, commit: str, cancel: CancelToken) -> Stop | None:
    """The range in the file as it is at another commit, older or newer, the file's renames between the two followed.
    None where the file is not there. Raises ``recordGone``."""
    check(repo, stop, cancel)
    try:
        repo.objects.commit(commit, cancel)
    except AnamnesisError as error:
        raise _gone(commit) from error
    path = older_path(repo, commit, stop.commit, stop.path, cancel)
    return None if path is None else _mapped(repo, stop, commit, path, cancel)


def check(repo: Repository, stop: Stop, cancel: CancelToken) -> None:
    """Check that a stop is still there: its commit, its file, its lines. Raises ``recordGone``, and ``rangePastEnd``
    where the file never had such lines."""
    try:
        text = repo.text(stop.commit, stop.path, cancel)
    except AnamnesisError as error:
        if error.code in (ErrorCode.OBJECT_MISSING, ErrorCode.UNKNOWN_REVISION):
            raise _gone(stop.commit) from error
        raise
    count = text.count("\n") + (not text.endswith("\n") and bool(text))
    if not stop.empty and stop.lines[1] > count:
        raise AnamnesisError(
            ErrorCode.RANGE_PAST_END,
            f"{printable(stop.path)} has {count} lines at {stop.commit[:12]}, not {stop.lines[1]}.",
            "Open the file at that revision and select lines that it has.",
        )


def _gone(commit: str) -> AnamnesisError:
    return AnamnesisError(
        ErrorCode.RECORD_GONE,
        f"Commit {commit[:12]} is not in this repository (any more).",
        "History may have been rewritten or not fetched; run Recollect again on the lines.",
    )


def older_path(repo: Repository, there: str, here: str, path: str, cancel: CancelToken) -> str | None:
    """The name at ``there`` of the file that is ``path`` at ``here``; None where it is not there."""
    if repo.objects.entry(there, path, cancel) is not None:
        return path
    changes = repo.changes_between(there, here, cancel, hunks=False)
    return next((change.old_path for change in changes if _is_rename(change, path)), None)


def _is_rename(change: FileChange, path: str) -> bool:
    return change.path == path and change.old_path is not None and change.status in ("R", "C")


def _mapped(repo: Repository, stop: Stop, commit: str, path: str, cancel: CancelToken) -> Stop | None:
    """The range in another file, white space aside: where its lines went, and what stands between them there."""
    try:
        there = editor_lines(repo.text(commit, path, cancel))
    except AnamnesisError as error:
        if error.code is not ErrorCode.FILE_MISSING:
            raise
        return None
    here = editor_lines(repo.text(stop.commit, stop.path, cancel))
    mapping = LineMap.between([line.strip() for line in here], [line.strip() for line in there], cancel)
    start, end = stop.lines
    above = _nearest(mapping, range(start - 1, 0, -1), 0)
    below = _nearest(mapping, range(end + 1, len(here) + 1), len(there) + 1)
    inside = mapping.committed_range(start, end)
    if inside is None:  # all of it came in, in place of what stands between its neighbours there, or of nothing
        return Stop(commit, path, (above + 1, above if stop.empty else below - 1))
    first, last = inside
    if mapping.edited_from(start) is None and (start == 1 or mapping.edited_from(start - 1) == above > 0):
        first = min(first, above + 1)
    if mapping.edited_from(end) is None and (end == len(here) or mapping.edited_from(end + 1) == below):
        last = max(last, below - 1)
    return Stop(commit, path, (first, last))


def _nearest(mapping: LineMap, lines: range, otherwise: int) -> int:
    return next((origin for line in lines if (origin := mapping.edited_from(line)) is not None), otherwise)


@dataclass(frozen=True, slots=True)
class Trail:
    """The stops of a walk into the past; ``at`` is where it stands. A value: each move gives another."""

    stops: tuple[Stop, ...]
    at: int = 0
    oldest: Oldest | None = None

    @classmethod
    def begin(cls, commit: str, path: str, lines: tuple[int, int]) -> Trail:
        """A walk that begins at a range."""
        return cls((Stop(commit, path, lines),))

    @property
    def stop(self) -> Stop:
        """Where it stands."""
        return self.stops[self.at]

    def back(self, repo: Repository, cancel: CancelToken) -> Trail:
        """One step into the past; at the oldest the same, with :attr:`oldest` saying why."""
        if self.at + 1 < len(self.stops):
            check(repo, self.stops[self.at + 1], cancel)
            return replace(self, at=self.at + 1)
        found = before(repo, self.stop, cancel)
        if isinstance(found, Oldest):
            return replace(self, oldest=found)
        return Trail((*self.stops, found), self.at + 1)

    def forward(self) -> Trail:
        """One step back towards where it began, to exactly the range it came from."""
        return replace(self, at=max(0, self.at - 1))
