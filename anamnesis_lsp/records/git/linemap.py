"""Which line of a commit a line in an editor is: our own diff, no process, the working tree never handed to git.

Lines are compared without their ends and without a BOM. The common start and end go first; between them, lines that
occur once on both sides anchor the rest (patience), and the gaps are aligned by a longest common subsequence
(rapidfuzz, bit-parallel). A line that was edited but is still recognisable keeps a *likely* origin, never a committed
one.
"""

from __future__ import annotations

import re
import time
from array import array
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace

from rapidfuzz.distance import LCSseq
from rapidfuzz.fuzz import ratio

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.records.git.model import Blame, BlameLine

LIKELY = 60.0
"""Per cent of similarity from which an edited line is taken for the one it stands in place of."""
_LARGEST_GAP = 12_000_000
"""Lines times lines that are aligned whole: some 4 ms."""
_MOST_COMPARED = 2_000
_MOST_SPLICED = 20_000
_WIDEST = 2_000
"""Characters of a line that likeness is judged by: its cost grows with the square of them."""
_STEP = 256
_LONG = 1_500
_WIDTHS = (16, 128, 1024)
_DEEPEST = 64
_ENDS = re.compile(r"\r\n|\r|\n")


def editor_lines(text: str) -> list[str]:
    """The lines as an editor counts them (LSP: ends are ``\\n``, ``\\r\\n`` and ``\\r``), without ends and BOM.

    A text that ends with a line end has no further, empty line here.
    """
    text = text.removeprefix("\ufeff")
    lines = _ENDS.split(text) if "\r" in text else text.split("\n")
    if lines and lines[-1] == "":
        lines.pop()
    return lines


def git_numbers(text: str) -> list[int]:
    """For each of :func:`editor_lines`, the line number git gives it: git counts ``\\n`` only."""
    numbers: list[int] = []
    line = 1
    position = 0
    text = text.removeprefix("\ufeff")
    for end in _ENDS.finditer(text):
        numbers.append(line)
        line += end[0] != "\r"
        position = end.end()
    if position < len(text):
        numbers.append(line)
    return numbers


@dataclass(frozen=True, slots=True, eq=False)
class LineMap:
    """Editor line to committed line, both from 1. ``exact[n]`` is 0 where line ``n`` is not in the commit.

    Entry 0 of both arrays is unused.
    """

    exact: array[int]
    likely: array[int]
    """As ``exact``, with edited lines given the line they stand in place of."""

    @classmethod
    def between(
        cls,
        buffer: Sequence[str],
        committed: Sequence[str],
        cancel: CancelToken | None = None,
        numbers: Sequence[int] | None = None,
    ) -> LineMap:
        """Map ``buffer`` to ``committed`` (lines without ends); ``numbers`` gives git's number of each committed
        line."""
        exact = array("i", bytes(4 * (len(buffer) + 1)))
        for here, there, length in matching_blocks(buffer, committed, cancel):
            exact[here + 1 : here + length + 1] = array("i", range(there + 1, there + length + 1))
        likely = exact[:]
        if exact.count(0) > 1:
            _pair_edited(buffer, committed, exact, likely, 1, len(exact))
        if numbers is not None:
            exact, likely = _numbered(exact, numbers), _numbered(likely, numbers)
        return cls(exact, likely)

    def splice(
        self,
        start: int,
        removed: int,
        added: Sequence[str],
        committed: Sequence[str],
    ) -> LineMap:
        """The map after an edit that put the lines ``added`` in place of ``removed`` lines from line ``start``.

        Takes microseconds: only the gap around the edit, up to the nearest lines that keep their place, is compared
        with what the commit has there, so that a line typed back is committed again. A larger gap is taken for new
        text until the next full map. Never says of a line that it is committed where its text is another.
        """
        new = array("i", bytes(4 * len(added)))
        exact, likely = self.exact[:], self.likely[:]
        exact[start : start + removed] = likely[start : start + removed] = new
        after = start + len(added)
        low, high = _origin_before(exact, start), _origin_after(exact, after, len(committed))
        if low + 1 < high and (high - low - 1) * len(added) <= _MOST_SPLICED:
            between = committed[low : high - 1]
            for here, there, length in matching_blocks(added, between):
                origins = array("i", range(low + there + 1, low + there + length + 1))
                exact[start + here : start + here + length] = origins
                likely[start + here : start + here + length] = origins
            if len(added) * (high - low) <= _MOST_COMPARED:
                _pair_edited(added, committed, exact, likely, start, after, start)
        return LineMap(exact, likely)

    def committed(self, line: int) -> int | None:
        """The committed line that this editor line is, None where it is not committed."""
        return (self.exact[line] or None) if 0 < line < len(self.exact) else None

    def edited_from(self, line: int) -> int | None:
        """The committed line that this editor line is or was edited from; None where none is recognisable."""
        return (self.likely[line] or None) if 0 < line < len(self.likely) else None

    def committed_range(self, start: int, end: int) -> tuple[int, int] | None:
        """The smallest committed range holding the origins of editor lines ``start`` to ``end``, edited ones
        included."""
        found = [origin for line in range(start, end + 1) if (origin := self.edited_from(line)) is not None]
        return (min(found), max(found)) if found else None

    def renumber(self, blame: Blame, wanted: Sequence[int]) -> Blame:
        """A blame of committed lines as one of the editor's lines ``wanted``."""
        by_line = {line.line: line for line in blame.lines}
        lines: list[BlameLine] = []
        uncommitted: list[int] = []
        for number in wanted:
            origin = by_line.get(self.exact[number]) if self.exact[number] else None
            if origin is None:
                uncommitted.append(number)
            else:
                lines.append(replace(origin, line=number))
        return replace(blame, lines=tuple(lines), uncommitted=tuple(uncommitted))


# ---- diff


def matching_blocks(
    new: Sequence[str], old: Sequence[str], cancel: CancelToken | None = None
) -> list[tuple[int, int, int]]:
    """Equal runs ``(start in new, start in old, length)``, from 0, rising on both sides."""
    pairs, at_new, at_old = _walked(new, old, cancel) if min(len(new), len(old)) >= _LONG else ([], 0, 0)
    pairs += _compared(new, old, at_new, at_old, cancel)
    joined: list[tuple[int, int, int]] = []
    for here, there, length in pairs:
        if joined and joined[-1][0] + joined[-1][2] == here and joined[-1][1] + joined[-1][2] == there:
            joined[-1] = (joined[-1][0], joined[-1][1], joined[-1][2] + length)
        else:
            joined.append((here, there, length))
    return joined


def _walked(
    new: Sequence[str], old: Sequence[str], cancel: CancelToken | None
) -> tuple[list[tuple[int, int, int]], int, int]:
    """Long texts with few edits: run along what is equal, and at a difference look for where both meet again nearby.
    The equal runs up to where no such place was found, and that place."""
    pairs: list[tuple[int, int, int]] = []
    i = j = 0
    while i < len(new) and j < len(old):
        equal = _equal_start(new, i, old, j)
        if equal:
            pairs.append((i, j, equal))
            i, j = i + equal, j + equal
            continue
        if cancel is not None:
            cancel.check()
        if len(pairs) % 32 == 31:
            time.sleep(0)  # lets the event loop have the interpreter
        met = next((found for width in _WIDTHS if (found := _meeting(new, i, old, j, width)) is not None), None)
        if met is None:
            break
        between = _compared(new[i : i + met[0]], old[j : j + met[1]], 0, 0, cancel)
        pairs += [(i + here, j + there, length) for here, there, length in between]
        i, j = i + met[0], j + met[1]
    return pairs, i, j


def _equal_start(a: Sequence[str], i: int, b: Sequence[str], j: int) -> int:
    """How many lines are equal from there on."""
    length, step, most = 0, 1, min(len(a) - i, len(b) - j)
    while step:
        step = min(step, most - length)
        if step and a[i + length : i + length + step] == b[j + length : j + length + step]:
            length += step
            step = min(2 * step, _STEP)
        else:
            step //= 2
    return length


def _meeting(new: Sequence[str], i: int, old: Sequence[str], j: int, width: int) -> tuple[int, int] | None:
    """The nearest line, and the one after it, that both go on with; each once within ``width`` lines."""
    here, there = _places(new[i : i + width]), _places(old[j : j + width])
    best: tuple[int, int] | None = None
    for line, a in here.items():
        b = there.get(line, -1)
        if a < 0 or b < 0 or (best is not None and a + b >= sum(best)):
            continue
        if new[i + a + 1 : i + a + 2] == old[j + b + 1 : j + b + 2]:
            best = a, b
    return best


def _places(lines: Sequence[str]) -> dict[str, int]:
    places: dict[str, int] = {}
    for place, line in enumerate(lines):
        places[line] = -1 if line in places else place
    return places


def _compared(
    new: Sequence[str], old: Sequence[str], from_new: int, from_old: int, cancel: CancelToken | None
) -> list[tuple[int, int, int]]:
    """Equal runs of what follows ``from_new`` and ``from_old``."""
    new, old = new[from_new:], old[from_old:]
    head, tail = _equal_ends(new, old)
    numbers: dict[str, int] = {}
    a = [numbers.setdefault(line, len(numbers)) for line in new[head : len(new) - tail]]
    b = [numbers.setdefault(line, len(numbers)) for line in old[head : len(old) - tail]]
    inner: list[tuple[int, int, int]] = []
    if a and b:
        _match(a, 0, len(a), b, 0, len(b), inner, 0, cancel)
    pairs = [(from_new, from_old, head)] if head else []
    pairs += [(here + from_new + head, there + from_old + head, length) for here, there, length in inner]
    if tail:
        pairs.append((from_new + len(new) - tail, from_old + len(old) - tail, tail))
    return pairs


def _equal_ends(a: Sequence[str], b: Sequence[str]) -> tuple[int, int]:
    """How many lines both begin with, and, of the rest, how many both end with."""
    shorter = min(len(a), len(b))
    head = 0
    while head < shorter and a[head : head + _STEP] == b[head : head + _STEP]:
        head += _STEP
    head = min(head, shorter)
    while head < shorter and a[head] == b[head]:
        head += 1
    left = shorter - head
    tail = 0
    while tail + _STEP <= left and a[len(a) - tail - _STEP : len(a) - tail] == b[len(b) - tail - _STEP : len(b) - tail]:
        tail += _STEP
    while tail < left and a[len(a) - tail - 1] == b[len(b) - tail - 1]:
        tail += 1
    return head, tail


def _match(
    a: list[int],
    a_start: int,
    a_end: int,
    b: list[int],
    b_start: int,
    b_end: int,
    pairs: list[tuple[int, int, int]],
    depth: int,
    cancel: CancelToken | None,
) -> None:
    if cancel is not None:
        cancel.check()
    if depth < 2:
        time.sleep(0)  # lets the event loop have the interpreter
    prefix = 0
    while a_start + prefix < a_end and b_start + prefix < b_end and a[a_start + prefix] == b[b_start + prefix]:
        prefix += 1
    if prefix:
        pairs.append((a_start, b_start, prefix))
        a_start, b_start = a_start + prefix, b_start + prefix
    suffix = 0
    while a_end - suffix > a_start and b_end - suffix > b_start and a[a_end - suffix - 1] == b[b_end - suffix - 1]:
        suffix += 1
    a_end, b_end = a_end - suffix, b_end - suffix
    if a_start < a_end and b_start < b_end:
        anchors = _anchors(a, a_start, a_end, b, b_start, b_end) if depth < _DEEPEST else []
        if anchors:
            here, there = a_start, b_start
            for x, y in anchors:
                if x < here or y < there:
                    continue
                if (x, y) != (here, there):
                    _match(a, here, x, b, there, y, pairs, depth + 1, cancel)
                pairs.append((x, y, 1))
                here, there = x + 1, y + 1
            _match(a, here, a_end, b, there, b_end, pairs, depth + 1, cancel)
        else:
            _align(a, a_start, a_end, b, b_start, b_end, pairs)
    if suffix:
        pairs.append((a_end, b_end, suffix))


def _align(
    a: list[int], a_start: int, a_end: int, b: list[int], b_start: int, b_end: int, pairs: list[tuple[int, int, int]]
) -> None:
    """A longest common subsequence. A very large gap is parted in the middle, so that no call of the aligner holds the
    interpreter for more than a few milliseconds: what stands across the parting is then not found."""
    if (a_end - a_start) * (b_end - b_start) > _LARGEST_GAP:
        a_half, b_half = (a_start + a_end) // 2, (b_start + b_end) // 2
        _align(a, a_start, a_half, b, b_start, b_half, pairs)
        _align(a, a_half, a_end, b, b_half, b_end, pairs)
        return
    for block in LCSseq.opcodes(a[a_start:a_end], b[b_start:b_end]):
        if block.tag == "equal":
            pairs.append((a_start + block.src_start, b_start + block.dest_start, block.src_end - block.src_start))
    time.sleep(0)


def _anchors(a: list[int], a_start: int, a_end: int, b: list[int], b_start: int, b_end: int) -> list[tuple[int, int]]:
    """Lines that occur once on each side, in the longest order that both sides share (patience)."""
    seen_a = _once(a, a_start, a_end)
    seen_b = _once(b, b_start, b_end)
    common = [(place, seen_b[line]) for line, place in seen_a.items() if place >= 0 and seen_b.get(line, -1) >= 0]
    common.sort()
    tails: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for index, (_, there) in enumerate(common):
        position = bisect_left(tails, there)
        before.append(ends[position - 1] if position else -1)
        if position == len(tails):
            tails.append(there)
            ends.append(index)
        else:
            tails[position], ends[position] = there, index
    chain: list[tuple[int, int]] = []
    index = ends[-1] if ends else -1
    while index >= 0:
        chain.append(common[index])
        index = before[index]
    chain.reverse()
    return chain


def _once(lines: list[int], start: int, end: int) -> dict[int, int]:
    """Where each line occurs, -1 for those that occur more than once."""
    places: dict[int, int] = {}
    for place in range(start, end):
        line = lines[place]
        places[line] = -1 if line in places else place
    return places


def _numbered(lines: array[int], numbers: Sequence[int]) -> array[int]:
    return array("i", (numbers[line - 1] if line else 0 for line in lines))


def _origin_before(exact: array[int], line: int) -> int:
    """The committed line of the nearest mapped line before ``line``, 0 without one."""
    for place in range(line - 1, 0, -1):
        if exact[place]:
            return exact[place]
    return 0


def _origin_after(exact: array[int], line: int, committed: int) -> int:
    """The committed line of the nearest mapped line from ``line`` on, one past the last without one."""
    for place in range(line, len(exact)):
        if exact[place]:
            return exact[place]
    return committed + 1


def _pair_edited(
    buffer: Sequence[str],
    committed: Sequence[str],
    exact: array[int],
    likely: array[int],
    line: int,
    stop: int,
    first: int = 1,
) -> None:
    """In each gap of the lines ``line`` to ``stop``, give unmatched lines the most similar committed line, in order;
    only where the gap is small. ``buffer[0]`` is line ``first``."""
    while line < stop:
        try:
            line = exact.index(0, line, stop)
        except ValueError:
            return
        end = line
        while end < stop and not exact[end]:
            end += 1
        low = _origin_before(exact, line) + 1
        high = _origin_after(exact, end, len(committed))
        if 0 < (end - line) * (high - low) <= _MOST_COMPARED:
            for number in range(line, end):
                text = buffer[number - first][:_WIDEST].strip()
                if not text:
                    continue
                score, place = 0.0, 0
                for candidate in range(low, high):
                    found = ratio(text, committed[candidate - 1][:_WIDEST].strip(), score_cutoff=LIKELY)
                    if found > score:
                        score, place = found, candidate
                if place:
                    likely[number] = place
                    low = place + 1
        line = end
