"""Blame, by ``git blame --incremental`` in the shadow, kept by commit, path and options, in memory and on disk.

Lines are followed by their diffs first; the commits they end at are then asked where they took the lines from: from
the same line with other white space, from elsewhere in the file or from files changed with it (:mod:`.copies`). What is
answered is what ``git blame -w -M -C`` says, at a fraction of its cost, and the same whichever lines are asked for.
Where that was not asked yet, took too long, or met content that is not here, :attr:`Blame.copies_followed` is False.

One process a file at a time. A question about some lines goes before the blame of the whole file: that one is stopped,
keeps what it has found, and goes on afterwards. A file that was blamed at an older commit is blamed only over the
commits since; lines for which git's walk ends elsewhere than at that commit are asked for in full.

Nothing is kept by time: an entry is a fact about a commit, a path, the ignored revisions and the shallow boundary.

Authors are not read here: blame's are rewritten by a mailmap, the commit object's are not. Root commits are no
boundary; only the commits in ``shallow`` are.
"""

from __future__ import annotations

import hashlib
import re
import threading
import time
from collections import OrderedDict, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from anamnesis_lsp.cancel import Cancelled, CancelToken
from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.records.git.blame_lines import Group, c_unquote, parse_ignore_file, parse_incremental
from anamnesis_lsp.records.git.blame_store import BlameStore
from anamnesis_lsp.records.git.copies import Copies, origin
from anamnesis_lsp.records.git.model import Blame, BlameLine
from anamnesis_lsp.records.git.objects import ObjectStore
from anamnesis_lsp.records.git.process import GitFailed
from anamnesis_lsp.records.git.shadow import Shadow, missing
from anamnesis_lsp.records.git.text import line_count, printable

__all__ = ["BlameReader", "Group", "c_unquote", "parse_ignore_file", "parse_incremental", "runs_of"]

IGNORE_FILE = ".git-blame-ignore-revs"
MOST_IGNORED = 500
COPY_SECONDS = 6.0
"""So long are the commits that the asked lines end at asked for copies."""
BASE_SECONDS = 2.0
"""So long may the commits since an older blame be walked before the lines are asked for in full."""
WHOLE_SECONDS = 600.0
_IGNORE_FILE_CAP = 1 << 20
_FILES_KEPT = 64
_LINES_KEPT = 600_000
_MOST_RANGES = 32
_MOST_HOPS = 32
_FINAL = "+copies"
_UNREADABLE = re.compile(r"read|missing|bad object|not our|could not|no such path", re.IGNORECASE)


@dataclass(slots=True, eq=False)
class _File:
    """What is known of one file at one commit. ``owners[n]`` is the group of line ``n``, of ``left`` lines None."""

    commit: str
    path: str
    count: int
    ignored: tuple[str, ...]
    options: str
    owners: list[Group | None]
    left: int
    final: list[Group | None]
    """As ``owners``, where copies lead to: only of lines for which every commit on the way was asked."""
    based: bool = False
    """An older blame was looked for."""
    busy: bool = False
    urgent: int = 0
    """How many wait for some of the lines."""
    preemptible: CancelToken | None = None
    """Of the process that blames the whole file."""
    changed: threading.Condition = field(default_factory=threading.Condition)

    def put(self, group: Group) -> None:
        """Enter the lines of a group that are not known yet."""
        end = min(group.line + group.count, self.count + 1)
        fresh = self.owners[group.line : end].count(None)
        if fresh == end - group.line:
            self.owners[group.line : end] = [group] * fresh
        elif fresh:
            for line in range(group.line, end):
                if self.owners[line] is None:
                    self.owners[line] = group
        self.left -= fresh

    def unknown(self, ranges: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
        """The runs of lines in ``ranges`` that are not known yet."""
        if not self.left:
            return []
        return runs_of(line for start, end in ranges for line in range(start, end + 1) if self.owners[line] is None)

    def groups(self) -> list[Group]:
        """The whole file as groups that do not overlap, in order; everything is known."""
        return list(_pieces(self.owners, 1, self.count + 1, 0))


@dataclass(slots=True)
class _Line:
    """One asked line on its way back."""

    number: int
    commit: str
    path: str
    source: int
    marked: bool
    settled: bool = True
    """Every commit on the way was asked for copies."""


class BlameReader:
    """Blames the files of one repository; one process a file at a time, whoever asks meanwhile shares its answer."""

    def __init__(self, shadow: Shadow, objects: ObjectStore) -> None:
        self._shadow = shadow
        self._objects = objects
        self._store = BlameStore(shadow.directory / "blame.sqlite")
        self._copies = Copies(shadow, objects, self._store)
        self._files: OrderedDict[tuple[str, str, str], _File] = OrderedDict()
        self._ignores: OrderedDict[str, tuple[str, ...]] = OrderedDict()
        self._lock = threading.Lock()

    def close(self) -> None:
        """Close the file on disk; it is opened again when needed."""
        self._store.close()

    def blame(
        self,
        commit: str,
        path: str,
        ranges: Sequence[tuple[int, int]] | None,
        cancel: CancelToken,
        ask_copies: bool = True,
        background: bool = False,
    ) -> Blame:
        """See :meth:`.Repository.blame`. Without ``ask_copies`` commits are not asked for copies: what is known counts.

        ``background``: git gives way to everything else.
        """
        file = self._file(commit, path, cancel)
        wanted = _clip(ranges, file.count, path)
        self._know(file, wanted, cancel, ranges is not None and not background, background)
        lines = self._followed(file, wanted, cancel, time.monotonic() + COPY_SECONDS if ask_copies else 0.0, background)
        boundary, ignored = self._shadow.boundary, frozenset(file.ignored)
        found = tuple(
            BlameLine(
                line.number,
                line.commit,
                line.path,
                line.source,
                line.commit in boundary,
                line.marked or line.commit in ignored,
            )
            for line in lines
        )
        return Blame(commit, path, found, (), file.ignored, all(line.settled for line in lines))

    def settle(self, commit: str, path: str, cancel: CancelToken, seconds: float) -> bool:
        """Blame the whole file and ask its commits for copies, in the background, those with most lines first.

        Stops after ``seconds`` of asking; whether every line is settled.
        """
        file = self._file(commit, path, cancel)
        wanted = _clip(None, file.count, path)
        self._know(file, wanted, cancel, False, True)
        if None not in file.final[1:]:
            return True
        deadline = time.monotonic() + seconds
        lines: defaultdict[tuple[str, str], int] = defaultdict(int)
        for group in _pieces(file.owners, 1, file.count + 1, 0):
            if file.final[group.line] is None:
                lines[group.commit, group.path] += group.count
        for end in sorted(lines, key=lambda key: -lines[key]):
            cancel.check()
            left = deadline - time.monotonic()
            if left <= 0:
                break
            self._copies.read(*end, cancel, left, background=True)
        found = self._followed(file, wanted, cancel, deadline, True)
        if not all(line.settled for line in found):
            return False
        groups = list(_pieces(file.final, 1, file.count + 1, 0))
        self._store.keep_whole(path, commit, file.options + _FINAL, groups)
        return True

    def known(self, commit: str, path: str) -> bool:
        """Whether the whole file's blame is in memory: :meth:`blame` then walks no history."""
        return any(file.left == 0 for (at, name, _), file in list(self._files.items()) if (at, name) == (commit, path))

    # ---- one file

    def _file(self, commit: str, path: str, cancel: CancelToken) -> _File:
        ignored = self.ignored_revisions(commit, cancel)
        options = _options(ignored, self._shadow.boundary)
        key = (commit, path, options)
        with self._lock:
            file = self._files.get(key)
            if file is not None:
                self._files.move_to_end(key)
                return file
        count = line_count(self._objects.file(commit, path, cancel))
        nothing: list[Group | None] = [None] * (count + 1)
        fresh = _File(commit, path, count, ignored, options, nothing, count, nothing[:])
        for group in self._store.whole(path, commit, options, count) or ():
            fresh.put(group)
        for group in self._store.whole(path, commit, options + _FINAL, count) or ():
            fresh.final[group.line : group.line + group.count] = [group] * group.count
        with self._lock:
            file = self._files.setdefault(key, fresh)
            self._files.move_to_end(key)
            total = sum(kept.count for kept in self._files.values())
            while len(self._files) > 1 and (len(self._files) > _FILES_KEPT or total > _LINES_KEPT):
                total -= self._files.popitem(last=False)[1].count
        return file

    def _know(
        self, file: _File, wanted: list[tuple[int, int]], cancel: CancelToken, urgent: bool, background: bool
    ) -> None:
        """Return when every wanted line has an owner."""
        if not file.unknown(wanted):
            return
        if urgent:
            with file.changed:
                file.urgent += 1
                if file.preemptible is not None:
                    file.preemptible.cancel()
        try:
            while self._read_some(file, wanted, cancel, urgent, background):
                pass
        finally:
            if urgent:
                with file.changed:
                    file.urgent -= 1
                    file.changed.notify_all()

    def _read_some(
        self, file: _File, wanted: list[tuple[int, int]], cancel: CancelToken, urgent: bool, background: bool
    ) -> bool:
        with cancel.on_cancel(lambda: _wake(file)), file.changed:
            while (file.busy or (file.urgent and not urgent)) and (not urgent or file.unknown(wanted)):
                cancel.check()
                file.changed.wait(1.0)
            cancel.check()
            unknown = file.unknown(wanted)
            if not unknown:
                return False
            file.busy = True
            token = cancel if urgent else CancelToken()
            file.preemptible = None if urgent else token
        try:
            with cancel.on_cancel(token.cancel):
                self._read(file, unknown, token, background)
            if file.unknown(unknown):
                raise missing(f"The origin of some lines of {printable(file.path)}")
        except Cancelled:
            cancel.check()
        finally:
            with file.changed:
                file.busy, file.preemptible = False, None
                file.changed.notify_all()
        return True

    def _read(self, file: _File, unknown: list[tuple[int, int]], cancel: CancelToken, background: bool) -> None:
        before = file.left
        if not file.based:
            self._from_base(file, cancel, background)
            file.based = True
            unknown = file.unknown(unknown)
        if unknown:
            self._walk(file, unknown, cancel, background)
        if before and not file.left:
            self._store.keep_whole(file.path, file.commit, file.options, file.groups())

    def _walk(self, file: _File, unknown: list[tuple[int, int]], cancel: CancelToken, background: bool) -> None:
        arguments: list[str] = []
        if unknown != [(1, file.count)]:
            runs = unknown if len(unknown) <= _MOST_RANGES else [(unknown[0][0], unknown[-1][1])]
            arguments = [part for start, end in runs for part in ("-L", f"{start},{end}")]
        for number, group in enumerate(self._groups(file, arguments, WHOLE_SECONDS, cancel, background)):
            _put(file, group)
            if number % 64 == 0:
                time.sleep(0)  # lets the event loop have the interpreter

    def _groups(
        self, file: _File, more: Sequence[str], seconds: float, cancel: CancelToken, background: bool
    ) -> Iterable[Group]:
        arguments = ["--incremental", "--root", *(f"--ignore-rev={revision}" for revision in file.ignored), *more]
        try:
            with self._shadow.stream(
                "blame", *arguments, file.commit, "--", file.path, cancel=cancel, seconds=seconds, background=background
            ) as lines:
                yield from parse_incremental(lines)
        except GitFailed as error:
            if _UNREADABLE.search(error.output.complaint):
                raise missing(f"Something that the history of {printable(file.path)} needs") from error
            raise

    # ---- from an older commit

    def _from_base(self, file: _File, cancel: CancelToken, background: bool) -> None:
        """Blame over the commits since one at which the file is known: what git leaves at exactly that commit is looked
        up there. Where it ends elsewhere (a side branch that began before) the lines stay unknown."""
        base = self._base(file, cancel)
        if base is None:
            return
        boundary = self._shadow.boundary
        try:
            for group in self._groups(file, [f"^{base.commit}"], BASE_SECONDS, cancel, background):
                if not group.bound or (group.commit in boundary and group.commit != base.commit):
                    _put(file, group)
                elif group.commit == base.commit:
                    older = base if group.path == base.path else self._whole(base, group.path, cancel)
                    if older is not None:
                        _take_over(file, older, group)
        except AnamnesisError as error:
            if error.code not in (ErrorCode.GIT_TIMEOUT, ErrorCode.OBJECT_MISSING, ErrorCode.GIT_FAILED):
                raise

    def _base(self, file: _File, cancel: CancelToken) -> _File | None:
        with self._lock:
            for key in reversed(self._files):
                other = self._files[key]
                if other is not file and key[1:] == (file.path, file.options) and other.left == 0 and other.count:
                    return other
        for commit in self._store.bases(file.path, file.options):
            if commit != file.commit:
                try:
                    other = self._file(commit, file.path, cancel)
                except AnamnesisError:  # pruned since
                    continue
                if other.left == 0 and other.options == file.options:
                    return other
        return None

    def _whole(self, base: _File, path: str, cancel: CancelToken) -> _File | None:
        try:
            other = self._file(base.commit, path, cancel)
        except AnamnesisError:
            return None
        return other if other.left == 0 else None

    # ---- through copies

    def _followed(
        self, file: _File, wanted: list[tuple[int, int]], cancel: CancelToken, deadline: float, background: bool
    ) -> list[_Line]:
        """The wanted lines with the origins that copies lead to. Commits are asked until ``deadline``: 0 asks none."""
        lines = [_line(file, number) for start, end in wanted for number in range(start, end + 1)]
        pending = fresh = [line for line in lines if file.final[line.number] is None]
        for _ in range(_MOST_HOPS):
            ends: defaultdict[tuple[str, str], list[_Line]] = defaultdict(list)
            for line in pending:
                ends[line.commit, line.path].append(line)
            self._objects.commits((commit for commit, _ in ends), cancel)
            came_from: defaultdict[tuple[str, str], list[tuple[_Line, int]]] = defaultdict(list)
            for (commit, path), here in ends.items():
                settled, pieces = self._copies.known(commit, path, cancel)
                if not settled and (left := deadline - time.monotonic()) > 0:
                    self._copies.read(commit, path, cancel, left, background)
                    settled, pieces = self._copies.known(commit, path, cancel)
                if not settled or self._copies.unanswered(commit, path):
                    for line in here:
                        line.settled = False
                for line in here if pieces else ():
                    found = origin(pieces, line.source)
                    if found is not None:
                        came_from[found[:2]].append((line, found[2]))
            pending = list[_Line]()
            for (commit, path), moved in came_from.items():
                pending += self._further(commit, path, moved, cancel, deadline, background)
            if not pending:
                break
        for line in pending:
            line.settled = False
        _finish(file, fresh)
        return lines

    def _further(
        self,
        commit: str,
        path: str,
        moved: list[tuple[_Line, int]],
        cancel: CancelToken,
        deadline: float,
        background: bool,
    ) -> list[_Line]:
        """Go on with lines from where they were copied; those that have to be followed further. Where that is not known
        and there is no time to ask, the lines stay where they are."""
        try:
            file = self._file(commit, path, cancel)
            moved = [(line, source) for line, source in moved if source <= file.count]
            runs = runs_of(sorted({source for _, source in moved if file.final[source] is None}))
            if file.unknown(runs):
                if time.monotonic() >= deadline:
                    raise missing("The time")
                self._know(file, runs, cancel, not background, background)
        except AnamnesisError as error:
            if error.code not in (ErrorCode.OBJECT_MISSING, ErrorCode.FILE_MISSING, ErrorCode.GIT_TIMEOUT):
                raise
            for line, _ in moved:
                line.settled = False
            return []
        further: list[_Line] = []
        for line, source in moved:
            found = _line(file, source)
            line.commit, line.path, line.source = found.commit, found.path, found.source
            line.marked = line.marked or found.marked
            if file.final[source] is None:
                further.append(line)
        return further

    # ---- the ignore list

    def ignored_revisions(self, commit: str, cancel: CancelToken) -> tuple[str, ...]:
        """The commits that ``.git-blame-ignore-revs`` at ``commit`` names by full id and that are here; at most 500."""
        with self._lock:
            known = self._ignores.get(commit)
        if known is not None:
            return known
        try:
            data = self._objects.file(commit, IGNORE_FILE, cancel, _IGNORE_FILE_CAP)
        except AnamnesisError as error:
            if error.code not in (ErrorCode.FILE_MISSING, ErrorCode.OBJECT_MISSING, ErrorCode.OUTPUT_TOO_LARGE):
                raise
            data = b""
        named = parse_ignore_file(data)[:MOST_IGNORED]
        here = self._objects.commits(named, cancel) if named else {}
        result = tuple(revision for revision in named if revision in here)
        with self._lock:
            self._ignores[commit] = result
            while len(self._ignores) > 256:
                self._ignores.popitem(last=False)
        return result


def _put(file: _File, group: Group) -> None:
    with file.changed:
        file.put(group)
        if file.urgent:
            file.changed.notify_all()


def _wake(file: _File) -> None:
    with file.changed:
        file.changed.notify_all()


def _line(file: _File, number: int) -> _Line:
    group = file.final[number] or file.owners[number]
    assert group is not None
    return _Line(number, group.commit, group.path, group.source_line + number - group.line, group.marked)


def _finish(file: _File, lines: Sequence[_Line]) -> None:
    """Enter settled lines as final, neighbours of one origin as one group."""
    at = 0
    while at < len(lines):
        first, start = lines[at], at
        at += 1
        while (
            at < len(lines)
            and (lines[at].commit, lines[at].path, lines[at].marked, lines[at].settled)
            == (first.commit, first.path, first.marked, first.settled)
            and lines[at].number - first.number == lines[at].source - first.source == at - start
        ):
            at += 1
        if first.settled:
            count = at - start
            group = Group(first.commit, first.source, first.number, count, first.path, first.marked)
            file.final[first.number : first.number + count] = [group] * count


def _pieces(owners: Sequence[Group | None], line: int, stop: int, shift: int, marked: bool = False) -> Iterator[Group]:
    """The lines from ``line`` up to ``stop`` as groups, numbered ``shift`` higher; unknown ones are left out."""
    while line < stop:
        owner, start = owners[line], line
        while line < stop and owners[line] is owner:
            line += 1
        if owner is not None:
            source = owner.source_line + start - owner.line
            yield Group(owner.commit, source, start + shift, line - start, owner.path, owner.marked or marked)


def _take_over(file: _File, older: _File, group: Group) -> None:
    """Enter the lines of a group that end at the older commit with what is known of them there."""
    stop = min(group.source_line + group.count, older.count + 1)
    shift = group.line - group.source_line
    for piece in _pieces(older.owners, group.source_line, stop, shift, group.marked):
        _put(file, piece)
    for piece in _pieces(older.final, group.source_line, stop, shift, group.marked):
        file.final[piece.line : piece.line + piece.count] = [piece] * piece.count


def _options(ignored: Sequence[str], boundary: frozenset[str]) -> str:
    """What an answer depends on beside the commit and the path."""
    if not ignored and not boundary:
        return "diff"
    named = "\n".join((*ignored, "--", *sorted(boundary)))
    return "diff-" + hashlib.sha256(named.encode()).hexdigest()[:20]


def runs_of(lines: Iterable[int]) -> list[tuple[int, int]]:
    """Rising numbers as runs."""
    runs: list[tuple[int, int]] = []
    for line in lines:
        if runs and runs[-1][1] == line - 1:
            runs[-1] = (runs[-1][0], line)
        else:
            runs.append((line, line))
    return runs


def _clip(ranges: Sequence[tuple[int, int]] | None, count: int, path: str) -> list[tuple[int, int]]:
    """The ranges sorted, joined and cut at the end of the file. Raises ``rangePastEnd``, ``rangeReversed``,
    ``rangeEmpty``."""
    if ranges is None:
        return [(1, count)] if count else []
    result: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if start > count:
            raise AnamnesisError(
                ErrorCode.RANGE_PAST_END,
                f"Line {start} is past the end of {printable(path)}, which has {count} lines there.",
                "Select lines that the file has at that revision.",
            )
        if start < 1:
            raise AnamnesisError(ErrorCode.RANGE_EMPTY, "Lines are counted from 1.", "Begin at line 1 or later.")
        if end < start:
            raise AnamnesisError(
                ErrorCode.RANGE_REVERSED, f"The range {start}-{end} ends before it begins.", "Give START-END."
            )
        end = min(end, count)
        if result and start <= result[-1][1] + 1:
            result[-1] = (result[-1][0], max(end, result[-1][1]))
        else:
            result.append((start, end))
    return result
