"""The window of a long conversation: the turns around its telling edit, which alone are held.

A transcript may be of gigabytes. It is read twice then: once for the edits, of which only the most telling are kept,
and once, up to the end of the window, for the words. What was said further away than this is not weighed.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from itertools import accumulate

from anamnesis_lsp.records.conversations.model import Source, Turn

LONG = 32_000_000
"""Bytes from which a conversation is read twice; a shorter one is held whole while it is opened."""
BEFORE = 3000
"""Turns before the edit, and before each turn that was pointed at."""
AFTER = 300
HELD = 16_000_000
"""Characters of words and edits in a window. A turn counts for no more than what is kept of it."""


def is_long(source: Source) -> bool:
    """Whether a conversation is too long to be held whole."""
    return sum(part.size for part in source.parts) > LONG


@dataclass(slots=True)
class Lengths:
    """How much each turn of a conversation would hold: four bytes a turn."""

    limit: int
    """Characters that are kept of a turn's words."""
    _lengths: array[int] = field(default_factory=lambda: array("I"))

    def add(self, turn: Turn) -> None:
        """One more turn."""
        edits = sum(len(edit.written) + len(edit.removed or "") for edit in turn.edits)
        self._lengths.append(min(min(len(turn.text), self.limit) + edits, 2**32 - 1))

    def around(self, turn: int) -> range:
        """The turns around this one (0: the last one) that are held, ``turn`` itself in any case."""
        last = len(self._lengths)
        turn = min(turn, last) or last
        first = max(1, turn - BEFORE)
        end = min(last, turn + AFTER)
        before = list(accumulate(reversed(self._lengths[first - 1 : turn])))
        after = list(accumulate(self._lengths[turn:end]))
        return range(max(first, turn + 1 - max(1, bisect_left(before, HELD))), turn + 1 + bisect_left(after, HELD // 4))


def within(turns: Iterator[Turn], windows: Collection[range]) -> Iterator[Turn]:
    """Those of the turns that lie in a window; not read beyond the last of them."""
    end = max((window.stop for window in windows), default=0)
    for turn in turns:
        if turn.n >= end:
            return
        if any(turn.n in window for window in windows):
            yield turn
