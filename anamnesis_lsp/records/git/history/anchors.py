"""Finds lines again by what they begin with, where no rule of the language is known: a header that names something,
and deeper lines below it.

When most of a function is rewritten, few of its lines are left to follow; its header mostly is, or at least the name in
it. Used for lines that are such a block by their indentation, from the header to where the indentation comes back.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz

from .lines import Carried, telling

HEADER_ALIKE = 0.35
"""Likeness that a header of the same name needs, where its words and its lines are taken together."""
_NAMED = re.compile(r"([^\W\d][\w$!?]*)[ \t]*\(")
_WORDS = """
if elif else for foreach while until switch case catch except with when match return throw raise yield await not and or
in new assert using lock synchronized sizeof typeof
"""
_NOT_NAMES = frozenset(_WORDS.split())
_ASIDE = ("@", "#", "//", "/*", "*", "--", ";;", '"""', "'''", "%")
_OPENED_HERE = re.compile(r"[{(\[]\s*\Z")
_CLOSERS = re.compile(r"[)}\]]|(?:end|fi|done|esac)\b", re.IGNORECASE)
_HEADER_WITHIN = 40
"""Lines of documentation and annotations that may stand above the header."""
_HEADER_LINES = 5
"""Lines of parameters and clauses that may stand between the name and the opening of its body."""
_WORDS_BEFORE = 2
"""Lines of words (a type, a modifier) that may stand between them and the name."""


@dataclass(frozen=True, slots=True)
class Header:
    """A line (from 1) that names something, and the last line of what it heads."""

    line: int
    name: str
    end: int


def header_of(lines: Sequence[str], start: int, end: int) -> Header | None:
    """The header of lines that are one block by their indentation; ``None`` where they are not."""
    rows = [number for number in range(start, min(end, len(lines)) + 1) if lines[number - 1].strip()]
    left = _WORDS_BEFORE
    for number in rows[:_HEADER_WITHIN]:
        body = lines[number - 1].strip()
        name = _named(body)
        if name is not None:
            last = _block_end(lines, number)
            return Header(number, name, last) if last == rows[-1] > number else None
        if not body.startswith(_ASIDE):
            left -= 1
            if left < 0 or body.endswith((";", "{", "}")):
                return None
    return None


def anchored(new: Sequence[str], start: int, end: int, old: Sequence[str]) -> Carried | None:
    """Where the block of lines ``start`` to ``end`` was in ``old``, by its header's name; ``None`` where no header of
    that name is left over there, or nothing about it is alike."""
    header = header_of(new, start, end)
    if header is None:
        return None
    sought = header.name
    elsewhere = Counter(
        row.strip() for number, row in enumerate(new, 1) if not start <= number <= end and sought in row
    )
    wanted = Counter(row.strip() for row in new[header.line : end] if telling(row))
    best: tuple[float, Carried] | None = None
    for number, row in enumerate(old, 1):
        if sought not in row or _named(row) != sought:
            continue
        last = _block_end(old, number)
        if last == number:
            continue
        if elsewhere[row.strip()]:  # that one lives on: an overload, or another of the name
            elsewhere[row.strip()] -= 1
            continue
        there = Counter(line.strip() for line in old[number:last] if telling(line))
        kept = (wanted & there).total() / max(1, wanted.total())
        like = fuzz.ratio(row.strip(), new[header.line - 1].strip()) / 100
        if best is None or kept + like > best[0]:
            first = _top(old, number, header.line - start)
            best = kept + like, Carried(first, last, max(kept, 0.5 * like))
    return best[1] if best is not None and best[0] >= 2 * HEADER_ALIKE else None


def _indent(line: str) -> int:
    line = line.expandtabs(8)
    return len(line) - len(line.lstrip())


def _named(row: str) -> str | None:
    """The name that a line declares with parentheses; ``None`` for a statement, a comment or an annotation."""
    body = row.strip()
    if body.startswith(_ASIDE) or body.endswith(";"):
        return None
    found = _NAMED.search(body)
    if found is None or found[1].casefold() in _NOT_NAMES:
        return None
    before = body[: found.start()].rstrip()
    if before.endswith((".", "->", "::", "=")) or _NOT_NAMES.intersection(before.split()):
        return None
    return found[1]


def _block_end(lines: Sequence[str], header: int) -> int:
    """The last line of what a header heads: deeper lines, and what closes them; the header's own line where none is."""
    base = _indent(lines[header - 1])
    last, deeper = header, False
    for number in range(header + 1, len(lines) + 1):
        row = lines[number - 1]
        body = row.strip()
        if not body:
            continue
        indent = _indent(row)
        if indent > base:
            last, deeper = number, True
        elif indent == base and _CLOSERS.match(body) and (deeper or body.startswith(")")):
            last = number
            if not _OPENED_HERE.search(body) and not body.endswith((":", ",")):
                break
        elif indent == base and body in ("{", "begin", "do") and number <= header + _HEADER_LINES:
            last = number
        elif indent >= base or not _is_stray(lines, number, base):
            break
    return last if deeper else header


def _is_stray(lines: Sequence[str], number: int, base: int) -> bool:
    """A line further out than the header that ends nothing: commented out at the margin, or put there for a while."""
    body = lines[number - 1].strip()
    if body.startswith(_ASIDE):
        return True
    below = next((row for row in lines[number : number + 4] if row.strip()), "")
    is_more = body.endswith((":", "{")) or _CLOSERS.match(body) or _named(body) is not None
    return not is_more and _indent(below) > base


def _top(lines: Sequence[str], header: int, most: int) -> int:
    """The first of up to ``most`` lines above a header that belong to it."""
    top = header
    while top > 1 and header - top < most and lines[top - 2].strip().startswith(_ASIDE):
        top -= 1
    return top
