"""Tokens of source text, as far as a history needs them: words, signs, whole strings, and comments apart.

No grammar is known here. A *family* says only how comments and strings are written; it is chosen by the file's name.
Two texts with the same code tokens differ in form at most; the share of tokens they have in common says how alike
they are.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from rapidfuzz.distance import Indel

from .families import Family

_DOUBLE = r'"(?:\\.|[^"\\\n])*"'
_SINGLE = r"'(?:\\.|[^'\\\n])*'"
_TRIPLE = r'"""(?:\\.|[^\\])*?(?:"""|\Z)' + r"|'''(?:\\.|[^\\])*?(?:'''|\Z)"
_BACKTICK = r"`(?:\\.|[^`\\])*`"
_SLASHES = r"//[^\n]*|/\*.*?(?:\*/|\Z)"
_HASH = r"\#[^\n]*"
_REST = r"[^\W_]*\w+|[^\w\s]"


def _pattern(comment: str, *strings: str) -> re.Pattern[str]:
    return re.compile(rf"(?P<comment>{comment})|(?P<string>{'|'.join(strings)})|(?P<rest>{_REST})", re.DOTALL)


_BY_FAMILY: dict[Family, re.Pattern[str]] = {
    Family.BRACES: _pattern(_SLASHES, r'"""(?:\\.|[^\\])*?(?:"""|\Z)', _DOUBLE, _SINGLE, _BACKTICK),
    Family.PYTHON: _pattern(_HASH, _TRIPLE, _DOUBLE, _SINGLE),
    Family.INDENTED: _pattern(_HASH + r"|--[^\n]*", _DOUBLE, _SINGLE),
    Family.LINES: _pattern(r"(?!)", r"(?!)"),
}


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of one text: ``code`` in order (strings whole), ``comments`` as the words of each comment, in order,
    with its opening sign where that changes."""

    code: tuple[str, ...]
    comments: tuple[str, ...]


@lru_cache(maxsize=1024)
def tokens(text: str, family: Family) -> Tokens:
    """Tokens of ``text``. Never fails: an unclosed string or comment runs to the end of its line or of the text."""
    code: list[str] = []
    comments: list[str] = []
    style = ""
    for found in _BY_FAMILY[family].finditer(text):
        if found.lastgroup == "comment":
            comment = found.group()
            if comment[:2] != style:
                style = comment[:2]
                comments.append(style)
            comments.extend(word for word in comment.lstrip("/#*").split() if word.strip("/*#"))
        else:
            code.append(found.group())
    return Tokens(tuple(code), tuple(comments))


def similarity(one: tuple[str, ...], other: tuple[str, ...], at_least: float = 0.0) -> float:
    """Share of tokens in a longest common subsequence, 0 to 1 (twice its length over both lengths); below
    ``at_least``: 0."""
    if not one and not other:
        return 1.0
    shorter, longer = sorted((len(one), len(other)))
    if 2 * shorter < at_least * (shorter + longer):
        return 0.0
    return Indel.normalized_similarity(one, other, score_cutoff=at_least)


@lru_cache(maxsize=512)
def indentation_ranks(text: str) -> tuple[int, ...]:
    """How deep each line is nested, as the rank of its indentation among those that are open: what Python reads in
    blanks.

    Blank lines, comment lines and lines inside open brackets or triple quotes have no say.
    """
    ranks: list[int] = []
    open_indents: list[int] = []
    depth = 0
    flat = _BY_FAMILY[Family.PYTHON].sub(_flatten, text)
    for line in flat.split("\n"):
        body = line.strip()
        if body and depth == 0:
            indent = len(line.expandtabs(8)) - len(line.expandtabs(8).lstrip())
            while open_indents and open_indents[-1] > indent:
                open_indents.pop()
            if not open_indents or open_indents[-1] < indent:
                open_indents.append(indent)
            ranks.append(len(open_indents))
        depth = max(0, depth + sum(body.count(c) for c in "([{") - sum(body.count(c) for c in ")]}"))
    return tuple(ranks)


def _flatten(found: re.Match[str]) -> str:
    if found.lastgroup == "comment":
        return ""
    if found.lastgroup == "string":
        return "s"
    return found.group()
