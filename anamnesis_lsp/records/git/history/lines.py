"""Follows lines from one revision to the one before: through hunks, inside them by likeness, and to another place by
vote.

Used for every selection that is not a whole block, and in files whose blocks no rule finds.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from rapidfuzz import fuzz

from .patches import Change, Patch, compare

ALIKE = 50.0
"""Percent of characters (rapidfuzz ratio) from which a new line counts as an old one changed."""
LOST = 0.25
"""Below this share of its telling lines a range is taken as not found by the diff."""
VOTE = 0.5
"""Share of telling lines that must be found, equal and in order, for lines to count as moved."""
MOVED_LETTERS = 20
"""Letters and digits that moved lines must have inside one file, as ``git blame -M``."""
ELSEWHERE_LETTERS = 40
"""The same between files, as ``git blame -C``."""
_CELLS = 6000
"""Pairs of lines of one hunk up to which every pair is compared; beyond, equal lines part the hunk first."""
_COMPARED = 1000
"""Characters of a line that count for likeness: minified files have lines without end."""


@dataclass(frozen=True, slots=True)
class Carried:
    """Where a range was before. ``kept`` is the share of its telling lines found there, 0 to 1."""

    start: int
    end: int
    kept: float


def telling(line: str) -> bool:
    """Whether a line says enough to be recognised: it has at least three letters or digits."""
    return sum(map(str.isalnum, line)) >= 3


def carry(patch: Patch, start: int, end: int, lines: Sequence[str]) -> Carried | None:
    """The range before ``patch``; ``lines`` is the whole new text. ``None`` when no line of it is found.

    Lines that no hunk touches are taken as they are; new lines of a hunk are paired with its old lines in order by
    likeness. The answer spans the first to the last line found, with what stood between them; where that holds a
    stretch much longer than the range, only the side with more of the range is kept.
    """
    pairs: list[tuple[int, int]] = []
    at = start
    for change in patch.touching(start, end):
        if change.plus:
            pairs.extend(_straight(patch, at, change.new_start - 1))
            for new, old in align(change):
                if start <= new <= end:
                    pairs.append((new, old))
            at = max(at, change.new_end + 1)
    pairs.extend(_straight(patch, at, end))
    if not pairs:
        return None
    weights = _weights(lines, start, end)
    total = sum(weights.values())
    cluster = _heaviest(pairs, weights, max(20, 3 * (end - start + 1)))
    kept = sum(weights[new] for new, _ in cluster) / total
    if kept == 0:
        return None
    return _with_replaced(patch, start, end, Carried(cluster[0][1], cluster[-1][1], kept))


def _with_replaced(patch: Patch, start: int, end: int, carried: Carried) -> Carried:
    """With what lines at an edge of the range took the place of, where a hunk of about the same size says it."""
    first, last = carried.start, carried.end
    for change in patch.touching(start, end):
        if not change.plus or not 0 < len(change.minus) <= len(change.plus) + 2:
            continue
        old_end = change.old_start + len(change.minus) - 1
        if change.new_start == start and change.new_end < end and change.old_start <= first <= old_end + 1:
            first = change.old_start
        if change.new_end == end and change.new_start > start and change.old_start - 1 <= last <= old_end:
            last = old_end
    return replace(carried, start=first, end=last)


def _straight(patch: Patch, start: int, end: int) -> list[tuple[int, int]]:
    if start > end:
        return []
    # Within one stretch that no insertion touches, deletions may still shift the lines after them.
    return [(line, patch.before(line)) for line in range(start, end + 1)]


def _weights(lines: Sequence[str], start: int, end: int) -> dict[int, int]:
    weights = {number: int(telling(lines[number - 1])) for number in range(start, min(end, len(lines)) + 1)}
    for number in range(len(lines) + 1, end + 1):
        weights[number] = 0
    if not any(weights.values()):
        return dict.fromkeys(weights, 1)
    return weights


def _heaviest(pairs: list[tuple[int, int]], weights: dict[int, int], gap: int) -> list[tuple[int, int]]:
    clusters: list[list[tuple[int, int]]] = [[pairs[0]]]
    for pair in pairs[1:]:
        if pair[1] - clusters[-1][-1][1] > gap:
            clusters.append([])
        clusters[-1].append(pair)
    return max(clusters, key=lambda cluster: (sum(weights[new] for new, _ in cluster), len(cluster)))


def align(change: Change) -> list[tuple[int, int]]:
    """Pairs (new line, old line) of a hunk: equal but for blanks, else alike, never crossing."""
    new, old = [line.strip() for line in change.plus], [line.strip() for line in change.minus]
    pairs: list[tuple[int, int]] = []
    if len(new) * len(old) <= _CELLS:
        pairs = _best_pairs(new, old)
    else:
        for gap_old, gap_new, size in _anchored(old, new):
            if size:
                pairs.extend((gap_new + k, gap_old + k) for k in range(size))
        pairs = _fill(pairs, new, old)
    return [(change.new_start + i, change.old_start + j) for i, j in pairs]


def _anchored(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int, int]]:
    equal: list[tuple[int, int, int]] = []
    old_at = new_at = 0
    for change in compare(old, new).changes:
        old_from = change.old_start - 1 if change.minus else change.old_start
        new_from = change.new_start - 1 if change.plus else change.new_start
        equal.append((old_at, new_at, old_from - old_at))
        old_at, new_at = old_from + len(change.minus), new_from + len(change.plus)
    equal.append((old_at, new_at, len(old) - old_at))
    return equal


def _fill(pairs: list[tuple[int, int]], new: Sequence[str], old: Sequence[str]) -> list[tuple[int, int]]:
    filled: list[tuple[int, int]] = []
    new_at = old_at = 0
    for i, j in [*pairs, (len(new), len(old))]:
        rows, columns = i - new_at, j - old_at
        if rows and columns and rows * columns <= _CELLS:
            filled.extend((new_at + a, old_at + b) for a, b in _best_pairs(new[new_at:i], old[old_at:j]))
        if i < len(new):
            filled.append((i, j))
        new_at, old_at = i + 1, j + 1
    return filled


def _best_pairs(new: Sequence[str], old: Sequence[str]) -> list[tuple[int, int]]:
    """The pairing in order with the greatest sum of likeness."""
    width = len(old) + 1
    best = [[0.0] * width for _ in range(len(new) + 1)]
    like = [[_alike(a, b) for b in old] for a in new]
    for i in range(len(new) - 1, -1, -1):
        row, below, scores = best[i], best[i + 1], like[i]
        for j in range(len(old) - 1, -1, -1):
            value = max(below[j], row[j + 1])
            if scores[j]:
                value = max(value, scores[j] + below[j + 1])
            row[j] = value
    pairs: list[tuple[int, int]] = []
    i = j = 0
    while i < len(new) and j < len(old):
        if like[i][j] and best[i][j] == like[i][j] + best[i + 1][j + 1]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs


def _alike(a: str, b: str) -> float:
    if a == b:
        return 1.0 if telling(a) else 0.2
    if not telling(a) or not telling(b):
        return 0.0
    return fuzz.ratio(a[:_COMPARED], b[:_COMPARED], score_cutoff=ALIKE) / 100


@dataclass(frozen=True, slots=True)
class Found:
    """Lines found at another place, equal but for blanks: ``share`` of the telling lines, first and last line there."""

    start: int
    end: int
    share: float


def search(
    wanted: Sequence[str], text: Sequence[str], letters: int, only: frozenset[int] | None = None
) -> Found | None:
    """Where ``wanted`` stands in ``text``, by a vote of its telling lines for one offset; ``only``: lines that may
    count.

    ``None`` when fewer than half are found or what is found has fewer than ``letters`` letters and digits.
    """
    places: dict[str, list[int]] = defaultdict(list)
    for number, line in enumerate(text, 1):
        if only is None or number in only:
            places[line.strip()].append(number)
    votes: Counter[int] = Counter()
    hits: list[tuple[int, int]] = []
    total = 0
    for index, line in enumerate(wanted):
        if not telling(line):
            continue
        total += 1
        found = places.get(line.strip(), ())
        if len(found) <= 24:
            for place in found:
                hits.append((index, place))
                votes[place - index] += 1
    if not votes:
        return None
    offset = max(votes, key=lambda o: (sum(votes[o + d] for d in range(-3, 4)), votes[o]))
    slack = max(3, len(wanted) // 3)
    near: dict[int, int] = {}
    for index, place in hits:
        if abs(place - index - offset) <= slack and abs(place - index - offset) <= abs(
            near.get(index, 10**9) - index - offset
        ):
            near[index] = place
    share = len(near) / total
    if share < VOTE or sum(sum(map(str.isalnum, wanted[i])) for i in near) < letters:
        return None
    return Found(min(near.values()), max(near.values()), share)


def narrowed(found: Found, wanted: Sequence[str], text: Sequence[str], first: int, last: int) -> Found | None:
    """Where of ``wanted``, found with what stands around it, only its lines ``first`` to ``last`` (from 0) stand:
    equal but for blanks, together, at the place they have among the others. ``None`` where they do not."""
    lines = [line.strip() for line in wanted[first : last + 1]]
    span = range(max(1, found.start - len(wanted)), min(len(text), found.end + len(wanted)) - len(lines) + 2)
    places = [at for at in span if [line.strip() for line in text[at - 1 : at - 1 + len(lines)]] == lines]
    above = first - next((n for n, line in enumerate(wanted) if line.strip() == text[found.start - 1].strip()), 0)
    best = min(places, key=lambda at: abs(at - found.start - above), default=None)
    if best is None or abs(best - found.start - above) > 2:
        return None
    return Found(best, best + len(lines) - 1, found.share)
