"""Whether a change of a file leaves a range alone, told from the bytes before and after, without a diff.

Most revisions of a long file change it far away from a range. Where everything up to well past the range is the same,
or everything from well before it on, or where the range with its surroundings stands once in both texts and in the same
order with the rest, git's diff does not touch it: there is nothing near the range that a hunk could slide along. What
is not this plain is left to the diff. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

MARGIN = 20
"""Lines on both sides that must be the same too: so far a hunk of repeated lines may slide."""
BORDER = 2
"""Lines on both sides that belong to a block as far as a change is concerned."""
_SAMPLES = 6
_SAMPLE = 90
_END = rb"[ \t\r\f\v]*\n"


class Content:
    """The bytes of one blob, and where lines begin in it as far as that was found out."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self._ends: int | None = None
        self._known: dict[int, int] = {1: 0}

    @property
    def ends(self) -> int:
        """How many line ends it has."""
        if self._ends is None:
            self._ends = self.data.count(b"\n")
        return self._ends

    def offset(self, line: int) -> int:
        """Where a line (from 1) begins; the end of the data for lines past it."""
        known = self._known.get(line)
        if known is not None:
            return known
        near = max((n for n in self._known if n < line), default=1)
        at = self._known[near]
        for _ in range(line - near):
            end = self.data.find(b"\n", at)
            if end < 0:
                at = len(self.data)
                break
            at = end + 1
        self.know(line, at)
        return at

    def know(self, line: int, offset: int) -> None:
        """Keep where a line begins."""
        if len(self._known) > 256:
            self._known = {1: 0}
        self._known[line] = offset


def shifted(new: Content, old: Content, first: int, last: int) -> int | None:
    """How much further down lines ``first`` to ``last`` of ``new`` (from 1, inclusive) stand in ``old``, where the
    change between the two plainly leaves them alone; ``None`` where a diff must tell."""
    above, below = max(1, first - MARGIN), last + MARGIN + 1
    start, end = new.offset(above), new.offset(below)
    if (end < len(new.data) or len(old.data) == len(new.data)) and old.data.startswith(new.data[:end]):
        old.know(above, start)
        old.know(below, end)
        return 0
    if (start > 0 or len(old.data) == len(new.data)) and old.data.endswith(new.data[start:]):
        shift, moved = old.ends - new.ends, len(old.data) - len(new.data)
        if moved + start == 0 or old.data[moved + start - 1 : moved + start] == b"\n":
            old.know(above + shift, moved + start)
            old.know(below + shift, moved + end)
            return shift
        return None
    if above > 1 and end < len(new.data):
        found = _within(new, old, above, start, end)
        if found is not None:
            return found
    return _barred(new, old, first, last)


def _barred(new: Content, old: Content, first: int, last: int) -> int | None:
    """A change nearer by, on one side only: between it and the range stands a line that no hunk can slide over, since
    it is none of the lines that changed."""
    start, end = new.offset(max(1, first - BORDER)), new.offset(last + BORDER + 1)
    if end < len(new.data) and old.data.startswith(new.data[:end]):
        changed = _changed(new.data, old.data)
        if changed.start > end and changed.bars(new.data[end : changed.start]):
            old.know(first, new.offset(first))
            return 0
    if start > 0 and old.data.endswith(new.data[start:]):
        changed = _changed(new.data, old.data)
        if changed.end < start and changed.bars(new.data[changed.end : start]):
            old.know(first + old.ends - new.ends, len(old.data) - len(new.data) + new.offset(first))
            return old.ends - new.ends
    return None


@dataclass(frozen=True, slots=True)
class _Changed:
    """The stretch of whole lines outside of which two texts are the same: from ``start`` to ``end`` in the new one."""

    start: int
    end: int
    lines: bytes
    """The lines of both sides, each with its ends around it."""

    def bars(self, between: bytes) -> bool:
        """Whether one of the whole lines of ``between`` is none of the changed ones."""
        return any(b"\n" + line + b"\n" not in self.lines for line in between.split(b"\n")[:-1])


def _changed(new: bytes, old: bytes) -> _Changed:
    most = min(len(new), len(old))
    same = _longest(most, lambda size: new[:size] == old[:size])
    start = new.rfind(b"\n", 0, same) + 1
    tail = _longest(most - start, lambda size: new[len(new) - size :] == old[len(old) - size :])
    line_end = new.find(b"\n", len(new) - tail)
    end = len(new) if line_end < 0 or tail == 0 else line_end + 1
    old_end = len(old) - (len(new) - end)
    return _Changed(start, end, b"\n" + new[start:end] + b"\n" + old[start:old_end] + b"\n")


def _longest(most: int, holds: Callable[[int], bool]) -> int:
    """The greatest size up to ``most`` that holds, where every smaller one does."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if holds(middle):
            low = middle
        else:
            high = middle - 1
    return low


def _within(new: Content, old: Content, above: int, start: int, end: int) -> int | None:
    """Changes before and after it: its surroundings stand once in both, and in order with samples of the rest."""
    around = new.data[start - 1 : end]
    there = _once(around, old.data)
    if there is None or _once(around, new.data) is None:
        return None
    for place in _samples(start, len(new.data), end):
        sample = new.data[place : place + _SAMPLE]
        found = _once(sample, old.data)
        if found is not None and (found < there) != (place < start):
            return None
    shift = old.data.count(b"\n", 0, there + 1) + 1 - above
    old.know(above + shift, there + 1)
    return shift


def _once(sought: bytes, data: bytes) -> int | None:
    at = data.find(sought)
    return at if at >= 0 and data.find(sought, at + 1) < 0 else None


def _samples(start: int, size: int, end: int) -> list[int]:
    before = [start * n // _SAMPLES for n in range(_SAMPLES)]
    after = [end + (size - end) * n // _SAMPLES for n in range(_SAMPLES)]
    near = [max(0, start - 2 * _SAMPLE), end]
    return [place for place in (*before, *after, *near) if place + _SAMPLE <= start or end <= place <= size - _SAMPLE]


def may_hold(data: bytes, lines: list[bytes]) -> bool:
    """Whether these lines stand together somewhere in ``data``, blanks at their ends aside."""
    ended = [line.rstrip() for line in lines]
    if not all(line in data for line in ended):
        return False
    return re.search(_END.join(map(re.escape, ended)), data) is not None
