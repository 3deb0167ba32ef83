"""Blame, by ``git blame --incremental`` in the shadow, kept by commit and path.

White space is passed over (``-w``), lines moved within a file (``-M``) and copied from files changed in the same
commit (``-C``) are followed. Copies cost several times the rest (stack/PERF.md 1): they are followed for
:data:`COPY_SECONDS`, then what is still unknown is asked for without them, as it is where a partial clone lacks a file
they would be looked for in; :attr:`Blame.copies_followed` says so.

Authors are not read here: blame's are rewritten by a mailmap, the commit object's are not. Root commits are no
boundary; only the commits in ``shallow`` are.
"""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.records.git.model import Blame, BlameLine
from anamnesis_lsp.records.git.objects import ObjectStore
from anamnesis_lsp.records.git.process import GitFailed
from anamnesis_lsp.records.git.shadow import Shadow, is_hash, missing
from anamnesis_lsp.records.git.text import decode_path, line_count, printable

IGNORE_FILE = ".git-blame-ignore-revs"
MOST_IGNORED = 500
COPY_SECONDS = 6.0
WHOLE_SECONDS = 120.0
_IGNORE_FILE_CAP = 1 << 20
_FILES_KEPT = 48
_LINES_KEPT = 400_000
_MOST_RANGES = 32
_UNREADABLE = re.compile(r"read|missing|bad object|not our|could not|no such path", re.IGNORECASE)
_ESCAPE = re.compile(rb'\\([abtnvfr"\\]|[0-7]{3})')
_ESCAPES = {
    b"a": b"\a",
    b"b": b"\b",
    b"t": b"\t",
    b"n": b"\n",
    b"v": b"\v",
    b"f": b"\f",
    b"r": b"\r",
    b'"': b'"',
    b"\\": b"\\",
}


@dataclass(frozen=True, slots=True)
class Group:
    """Neighbouring lines of one commit, as git reports them: ``count`` lines from ``line`` here, ``source_line``
    there."""

    commit: str
    source_line: int
    line: int
    count: int
    path: str
    marked: bool
    """git itself says that an ignored revision was passed over."""


@dataclass(slots=True)
class _File:
    """What is known of one file at one commit. ``owners[n]`` is the group of line ``n``."""

    count: int
    ignored: tuple[str, ...]
    owners: list[Group | None]
    copies_followed: bool = True
    busy: bool = False
    changed: threading.Condition = field(default_factory=threading.Condition)

    def unknown(self, ranges: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
        """The runs of lines in ``ranges`` that are not known yet."""
        runs: list[tuple[int, int]] = []
        for start, end in ranges:
            for line in range(start, end + 1):
                if self.owners[line] is not None:
                    continue
                if runs and runs[-1][1] == line - 1:
                    runs[-1] = (runs[-1][0], line)
                else:
                    runs.append((line, line))
        return runs


class BlameReader:
    """Blames the files of one repository; one process a file at a time, whoever asks meanwhile shares its answer."""

    def __init__(self, shadow: Shadow, objects: ObjectStore) -> None:
        self._shadow = shadow
        self._objects = objects
        self._files: OrderedDict[tuple[str, str], _File] = OrderedDict()
        self._ignores: OrderedDict[str, tuple[str, ...]] = OrderedDict()
        self._lock = threading.Lock()

    def blame(self, commit: str, path: str, ranges: Sequence[tuple[int, int]] | None, cancel: CancelToken) -> Blame:
        """See :meth:`.Repository.blame`."""
        file = self._file(commit, path, cancel)
        wanted = _clip(ranges, file.count, path)
        while True:
            with cancel.on_cancel(lambda: _wake(file)), file.changed:
                while file.busy and file.unknown(wanted):
                    cancel.check()
                    file.changed.wait(1.0)
                cancel.check()
                unknown = file.unknown(wanted)
                if not unknown:
                    return self._slice(commit, path, file, wanted)
                file.busy = True
            try:
                self._read(commit, path, file, unknown, cancel)
            finally:
                with file.changed:
                    file.busy = False
                    file.changed.notify_all()
            if file.unknown(wanted):
                raise missing(f"The origin of some lines of {printable(path)}")

    def known(self, commit: str, path: str) -> bool:
        """Whether the whole file's blame is in memory: :meth:`blame` then answers without a process."""
        file = self._files.get((commit, path))
        return file is not None and None not in file.owners[1:]

    def _file(self, commit: str, path: str, cancel: CancelToken) -> _File:
        with self._lock:
            file = self._files.get((commit, path))
            if file is not None:
                self._files.move_to_end((commit, path))
                return file
        count = line_count(self._objects.file(commit, path, cancel))
        fresh = _File(count, self.ignored_revisions(commit, cancel), [None] * (count + 1))
        with self._lock:
            file = self._files.setdefault((commit, path), fresh)
            self._files.move_to_end((commit, path))
            total = sum(kept.count for kept in self._files.values())
            while len(self._files) > 1 and (len(self._files) > _FILES_KEPT or total > _LINES_KEPT):
                total -= self._files.popitem(last=False)[1].count
        return file

    def _read(self, commit: str, path: str, file: _File, unknown: list[tuple[int, int]], cancel: CancelToken) -> None:
        try:
            self._run(commit, path, file, unknown, ("-C",), COPY_SECONDS, cancel)
        except AnamnesisError as error:
            if error.code not in (ErrorCode.GIT_TIMEOUT, ErrorCode.OBJECT_MISSING):
                raise
            file.copies_followed = False
            self._run(commit, path, file, file.unknown(unknown), (), WHOLE_SECONDS, cancel)

    def _run(
        self,
        commit: str,
        path: str,
        file: _File,
        unknown: list[tuple[int, int]],
        more: tuple[str, ...],
        seconds: float,
        cancel: CancelToken,
    ) -> None:
        arguments = ["--incremental", "-w", "-M", *more, *(f"--ignore-rev={revision}" for revision in file.ignored)]
        if unknown != [(1, file.count)]:
            runs = unknown if len(unknown) <= _MOST_RANGES else [(unknown[0][0], unknown[-1][1])]
            arguments += [part for start, end in runs for part in ("-L", f"{start},{end}")]
        try:
            with self._shadow.stream("blame", *arguments, commit, "--", path, cancel=cancel, seconds=seconds) as lines:
                for group in parse_incremental(lines):
                    with file.changed:
                        end = min(group.line + group.count, file.count + 1)
                        file.owners[group.line : end] = [group] * (end - group.line)
                        file.changed.notify_all()
        except GitFailed as error:
            if _UNREADABLE.search(error.output.complaint):
                raise missing(f"Something that the history of {printable(path)} needs") from error
            raise

    def _slice(self, commit: str, path: str, file: _File, ranges: Sequence[tuple[int, int]]) -> Blame:
        boundary, ignored = self._shadow.boundary, frozenset(file.ignored)
        lines: list[BlameLine] = []
        for start, end in ranges:
            for number in range(start, end + 1):
                group = file.owners[number]
                assert group is not None
                lines.append(
                    BlameLine(
                        number,
                        group.commit,
                        group.path,
                        group.source_line + number - group.line,
                        group.commit in boundary,
                        group.marked or group.commit in ignored,
                    )
                )
        return Blame(commit, path, tuple(lines), (), file.ignored, file.copies_followed)

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
            while len(self._ignores) > 64:
                self._ignores.popitem(last=False)
        return result


def _wake(file: _File) -> None:
    with file.changed:
        file.changed.notify_all()


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


# ---- parsing


def parse_incremental(lines: Iterable[bytes]) -> Iterator[Group]:
    """``git blame --incremental``: an entry is a line ``ID SOURCE LINE COUNT``, headers, and ``filename PATH`` last."""
    head: list[bytes] = []
    marked = False
    for line in lines:
        if not head:
            head, marked = line.split(b" "), False
            continue
        key, _, value = line.partition(b" ")
        if key == b"filename":
            commit, source, here, count = head
            path = decode_path(c_unquote(value))
            yield Group(commit.decode("ascii"), int(source), int(here), int(count), path, marked)
            head = []
        elif key in (b"ignored", b"unblamable"):
            marked = True


def parse_ignore_file(data: bytes) -> list[str]:
    """The full ids of an ignore-revs file, in order, once each: one a line, ``#`` begins a comment."""
    found: dict[str, None] = {}
    for line in data.decode("utf-8", "replace").split("\n"):
        word = line.partition("#")[0].strip().lower()
        if is_hash(word):
            found[word] = None
    return list(found)


def c_unquote(name: bytes) -> bytes:
    """A path as git prints it without ``-z``: in double quotes with C escapes where it holds strange bytes."""
    if not (len(name) >= 2 and name.startswith(b'"') and name.endswith(b'"')):
        return name
    return _ESCAPE.sub(lambda m: _ESCAPES.get(m[1]) or bytes([int(m[1], 8) & 255]), name[1:-1])
