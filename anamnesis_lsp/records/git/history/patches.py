"""Diffs as git prints them, and the same from two texts: hunks without context, lines kept whole.

git's own diff is used between two commits of a path, so that what counts as touched is what blame counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rapidfuzz.distance import Indel

from anamnesis_lsp.records.git.model import Hunk

_AT = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
CONTEXT = 3
LONGEST_SHOWN = 2000
"""Characters of one line that a step's hunk holds; the rest is cut (minified files)."""


@dataclass(frozen=True, slots=True)
class Change:
    """One hunk. ``old_start`` and ``new_start`` are 1-based; with no lines on a side, the line after which the others
    stand."""

    old_start: int
    new_start: int
    minus: tuple[str, ...]
    plus: tuple[str, ...]

    @property
    def new_end(self) -> int:
        """Last line of the new side; before ``new_start`` when there is none."""
        return self.new_start + len(self.plus) - 1

    def touches(self, start: int, end: int) -> bool:
        """Whether a line of the range is new, or lines were taken out between two lines of the range."""
        if self.plus:
            return self.new_start <= end and self.new_end >= start
        return start <= self.new_start < end

    def borders(self, start: int, end: int) -> bool:
        """Whether it touches the range or stands so close to an edge that the range may have gone further before."""
        if self.plus:
            return self.new_start <= end + 2 and self.new_end >= start - 1
        return start - 1 <= self.new_start <= end + 1


@dataclass(frozen=True, slots=True)
class Patch:
    """The diff of one path between two commits. ``readable`` is false where git takes the content as binary."""

    changes: tuple[Change, ...]
    readable: bool = True
    added: bool = False
    deleted: bool = False

    def touching(self, start: int, end: int) -> list[Change]:
        """The hunks that touch the range, in order."""
        return [change for change in self.changes if change.touches(start, end)]

    def bordering(self, start: int, end: int) -> bool:
        """Whether any hunk touches the range or borders on it."""
        return any(change.borders(start, end) for change in self.changes)

    def before(self, line: int) -> int:
        """The old number of a line that no hunk touches."""
        shift = 0
        for change in self.changes:
            if (change.new_end if change.plus else change.new_start) < line:
                shift += len(change.minus) - len(change.plus)
            else:
                break
        return line + shift


def decode(data: bytes) -> str:
    """Text of a blob or a patch: UTF-8 where it is, else byte for byte as Latin-1; ``\\n`` parts lines, a CR stays on
    its line."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def parse_patch(data: bytes) -> Patch:
    """A patch of one path, made with no context. Other paths in it (a folder of that name) are passed over."""
    changes: list[Change] = []
    rows = data.split(b"\n")
    readable, added, deleted = True, False, False
    files = 0
    at = 0
    while at < len(rows):
        row = rows[at]
        at += 1
        if row.startswith(b"diff --git "):
            files += 1
            if files > 1:
                break
        elif row.startswith(b"new file mode"):
            added = True
        elif row.startswith(b"deleted file mode"):
            deleted = True
        elif row.startswith(b"Binary files "):
            readable = False
        elif (head := _AT.match(row)) is not None:
            old_count, new_count = int(head[2] or 1), int(head[4] or 1)
            minus: list[str] = []
            plus: list[str] = []
            while len(minus) < old_count or len(plus) < new_count:
                if at >= len(rows):
                    break
                line, at = rows[at], at + 1
                if line.startswith(b"-"):
                    minus.append(decode(line[1:]))
                elif line.startswith(b"+"):
                    plus.append(decode(line[1:]))
                elif not line.startswith(b"\\"):
                    break
            changes.append(Change(int(head[1]), int(head[3]), tuple(minus), tuple(plus)))
    return Patch(tuple(changes), readable, added, deleted)


def compare(old: Sequence[str], new: Sequence[str]) -> Patch:
    """The diff of two texts given as lines, by a longest common subsequence."""
    changes: list[Change] = []
    for code in Indel.opcodes(old, new):
        if code.tag == "equal":
            continue
        minus, plus = tuple(old[code.src_start : code.src_end]), tuple(new[code.dest_start : code.dest_end])
        old_at, new_at = code.src_start + bool(minus), code.dest_start + bool(plus)
        if changes and _adjoin(changes[-1], code.src_start, code.dest_start):
            last = changes.pop()
            minus, plus = last.minus + minus, last.plus + plus
            old_at = last.old_start if last.minus else old_at
            new_at = last.new_start if last.plus else new_at
        changes.append(Change(old_at, new_at, minus, plus))
    return Patch(tuple(changes))


def _adjoin(change: Change, old_done: int, new_done: int) -> bool:
    old_end = change.old_start - 1 + len(change.minus) if change.minus else change.old_start
    new_end = change.new_start - 1 + len(change.plus) if change.plus else change.new_start
    return old_end == old_done and new_end == new_done


def span_hunks(old: Sequence[str], old_start: int, new: Sequence[str], new_start: int) -> tuple[Hunk, ...]:
    """The diff of a span with up to three lines of context inside the span, long lines cut.

    ``old_start`` and ``new_start`` are the numbers of its first lines.
    """
    return tuple(_hunks(old, old_start, new, new_start))


def _shown(row: str) -> str:
    row = row.rstrip("\r")
    return row if len(row) <= LONGEST_SHOWN else f"{row[:LONGEST_SHOWN]}…"


def _hunks(old: Sequence[str], old_first: int, new: Sequence[str], new_first: int) -> Iterator[Hunk]:
    groups: list[list[Change]] = []
    for change in compare(old, new).changes:
        if groups and _old_from(change) - _old_to(groups[-1][-1]) <= 2 * CONTEXT:
            groups[-1].append(change)
        else:
            groups.append([change])
    for group in groups:
        before = min(CONTEXT, _old_from(group[0]))
        begin = _old_from(group[0]) - before
        rows: list[str] = []
        at = begin
        for change in group:
            rows.extend(" " + line for line in old[at : _old_from(change)])
            rows.extend("-" + line for line in change.minus)
            rows.extend("+" + line for line in change.plus)
            at = _old_to(change)
        rows.extend(" " + line for line in old[at : at + CONTEXT])
        old_count = sum(1 for row in rows if row[0] != "+")
        new_count = sum(1 for row in rows if row[0] != "-")
        first = group[0]
        new_begin = (first.new_start - 1 if first.plus else first.new_start) - before
        yield Hunk(
            old_first + begin if old_count else max(0, old_first - 1),
            old_count,
            new_first + new_begin if new_count else max(0, new_first - 1),
            new_count,
            tuple(map(_shown, rows)),
        )


def _old_from(change: Change) -> int:
    """0-based place in the old lines where the hunk begins."""
    return change.old_start - 1 if change.minus else change.old_start


def _old_to(change: Change) -> int:
    return _old_from(change) + len(change.minus)
