"""Quoting: which pieces of a passage may be quoted, how they are clipped, and how a quotation is checked.

A passage is cut into *units*: sentences of a paragraph, items of a list, headings. White space is collapsed; nothing else is
changed. A quotation is a run of whole units, or such a run clipped at a word's end and closed with `` …``. Anything else is
not a quotation of the passage: one letter altered anywhere makes it fail.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence

CLIP = " …"

_FENCE = re.compile(r"^\s*(```|~~~)")
_LIST_MARK = re.compile(r"^\s*(?:>\s?)*(?:[-*+•]\s+(?:\[[ xX]\]\s+)?|\d{1,3}[.)]\s+)")
_HEADING_MARK = re.compile(r"^\s*(?:>\s?)*#{1,6}\s+")
_QUOTE_MARK = re.compile(r"^\s*(?:>\s?)+")
_TABLE = re.compile(r"^\s*\|.*\|\s*$")
_RULE = re.compile(r"^\s*(?:[-*_=]\s*){3,}$")
_SENTENCE_END = re.compile(
    r"(?<=[.!?])(?<!\b[A-Za-z]\.)(?<!e\.g\.)(?<!i\.e\.)(?<!etc\.)(?<!vs\.)(?<!cf\.)[\"')\]*_`”’]*\s+(?=[^\sa-z])"
    r"|(?<=[。！？])[”’」』）]*(?=\S)"
)
_SPACE = re.compile(r"\s+")


def collapse(text: str) -> str:
    """``text`` with every run of white space as one space, without any at the ends."""
    return _SPACE.sub(" ", text).strip()


@functools.lru_cache(maxsize=512)
def units(text: str) -> tuple[str, ...]:
    """The quotable pieces of a passage in order. Fenced code, tables and rules are left out."""
    found: list[str] = []
    paragraph: list[str] = []
    fenced = False

    def flush() -> None:
        if paragraph:
            found.extend(_sentences(collapse(" ".join(paragraph))))
            paragraph.clear()

    for line in text.split("\n"):
        if _FENCE.match(line):
            fenced = not fenced
            flush()
        elif fenced or _TABLE.match(line) or _RULE.match(line) or not line.strip():
            flush()
        elif _HEADING_MARK.match(line):
            flush()
            paragraph.append(_HEADING_MARK.sub("", line))
            flush()
        else:
            if _LIST_MARK.match(line):
                flush()
                line = _LIST_MARK.sub("", line)
            else:
                line = _QUOTE_MARK.sub("", line)
            paragraph.append(line)
    flush()
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
    if space >= limit // 2:
        cut = cut[:space]
    return cut.rstrip(" ,;:—-") + CLIP


def is_quotation(passage: str, quoted: str) -> bool:
    """Whether ``quoted`` is a run of whole units of ``passage``, or one that was clipped at a word's end."""
    pieces = units(passage)
    clipped = quoted.endswith(CLIP)
    body = quoted[: -len(CLIP)] if clipped else quoted
    if not body:
        return False
    for first in range(len(pieces)):
        if not (body.startswith(pieces[first]) or (clipped and pieces[first].startswith(body))):
            continue
        if _run_matches(pieces, first, body, clipped):
            return True
    return False


def _run_matches(pieces: Sequence[str], first: int, body: str, clipped: bool) -> bool:
    run = ""
    for last in range(first, len(pieces)):
        run = f"{run} {pieces[last]}" if run else pieces[last]
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
