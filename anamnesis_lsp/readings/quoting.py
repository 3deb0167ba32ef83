"""Quoting: which pieces of a passage may be quoted, how they are clipped, and how a quotation is checked.

A passage is cut into *units*: sentences of a paragraph, items of a list, headings. White space is collapsed; nothing
else is changed. A quotation is a run of whole units that stand together, or such a run clipped at a word's end and
closed with `` …``. Anything else is not a quotation of the passage: one letter altered anywhere makes it fail.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass

CLIP = " …"

_FENCE = re.compile(r"^\s*(```|~~~)")
_MARK = re.compile(
    r"^\s*(?:>\s?)*(?:(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX-]\]\s+)?|#{1,6}\s+|\[[ xX-]\]\s+)|^\s*(?:>\s?)+"
)
_HEADING = re.compile(r"^\s*(?:>\s?)*#{1,6}\s+")
_TABLE = re.compile(r"^\s*\|.*\|\s*$")
_RULE = re.compile(r"^\s*(?:[-*_=]\s*){3,}$")
_SENTENCE_END = re.compile(
    r"(?<=[.!?])(?<!\b[A-Za-z]\.)(?<!e\.g\.)(?<!i\.e\.)(?<!etc\.)(?<!vs\.)(?<!cf\.)[\"')\]*_`”’]*\s+(?=[^\sa-z])"
    r"|(?<=[。！？])[”’」』）]*(?=\S)"
)
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Unit:
    """A quotable piece: its text, and whether it follows the one before it with nothing but white space between."""

    text: str
    follows: bool


def collapse(text: str) -> str:
    """``text`` with every run of white space as one space, without any at the ends."""
    return _SPACE.sub(" ", text).strip()


@functools.lru_cache(maxsize=1024)
def units(text: str) -> tuple[Unit, ...]:
    """The quotable pieces of a passage in order. Fenced code, tables and rules are left out."""
    found: list[Unit] = []
    paragraph: list[str] = []
    fenced = False
    joined = False
    """Whether what is being collected follows the last unit directly."""
    item = False
    """Whether it is an item of a list: the paragraph after the list does not go on with it."""

    def flush(then_joined: bool) -> None:
        nonlocal joined
        for piece in _sentences(collapse(" ".join(paragraph))):
            found.append(Unit(piece, joined))
            joined = True
        paragraph.clear()
        joined = joined and then_joined

    for line in text.split("\n"):
        if _FENCE.match(line):
            fenced = not fenced
            flush(False)
        elif fenced or _TABLE.match(line) or _RULE.match(line):
            flush(False)
        elif not line.strip():
            flush(not item)
            item = False
        elif mark := _MARK.match(line):
            flush(False)
            paragraph.append(line[mark.end() :])
            heading, quoted = _HEADING.match(line) is not None, line.lstrip().startswith(">")
            if heading or quoted:
                flush(not heading)
            item = not (heading or quoted)
        else:
            paragraph.append(line)
    flush(True)
    return tuple(found)


def _sentences(paragraph: str) -> list[str]:
    pieces: list[str] = []
    start = 0
    for match in _SENTENCE_END.finditer(paragraph):
        piece = paragraph[start : match.end()].strip()
        if piece:
            pieces.append(piece)
        start = match.end()
    rest = paragraph[start:].strip()
    if rest:
        pieces.append(rest)
    return pieces


def clip(text: str, limit: int) -> str:
    """``text``, or its beginning up to a word's end within ``limit`` characters, closed with `` …``."""
    if len(text) <= limit:
        return text
    cut = text[:limit]
    space = cut.rfind(" ")
    if space > 0:
        cut = cut[:space]
    return cut.rstrip(" ,;:—-") + CLIP


def is_quotation(passage: str, quoted: str) -> bool:
    """Whether ``quoted`` is a run of whole units of ``passage``, or one that was clipped at a word's end.

    A run is what stands together in the passage: nothing but white space lies between its units.
    """
    clipped = quoted.endswith(CLIP)
    body = quoted[: -len(CLIP)] if clipped else quoted
    if not body or body not in collapse(passage):
        return False
    pieces = units(passage)
    return any(_run_matches(pieces, first, body, clipped) for first in range(len(pieces)))


def _run_matches(pieces: Sequence[Unit], first: int, body: str, clipped: bool) -> bool:
    run = ""
    for piece in pieces[first:]:
        if run and not piece.follows:
            return False
        run = f"{run} {piece.text}" if run else piece.text
        if not clipped and run == body:
            return True
        if clipped and len(run) > len(body):
            return run.startswith(body) and _ends_a_word(run, len(body))
        if len(run) > len(body) or not body.startswith(run):
            return False
    return False


def _ends_a_word(run: str, end: int) -> bool:
    rest = run[end:]
    return _is_wide(run[end - 1]) or re.match(r"[ ,;:—-]*(?: |$)", rest) is not None or _is_wide(rest[:1])


def _is_wide(character: str) -> bool:
    """Scripts written without spaces: kana, CJK ideographs and their punctuation."""
    return bool(character) and ("\u3000" <= character <= "\u9fff" or "\uff00" <= character <= "\uffef")
