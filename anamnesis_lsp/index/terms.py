"""The tokenizer: one for what is indexed and what is asked.

A word is a run of letters, digits and ``_``. An identifier gives itself and its parts (``getUserName`` →
``getusername``, ``get``, ``user``, ``name``); scripts written without spaces give overlapping pairs of characters; case
is folded, accents are dropped. Words that carry nothing by themselves (``the``, ``of``) and machine noise (base64, time
stamps) give nothing.

Every term holds ASCII letters, digits, ``_`` and non-ASCII letters only.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator

MAX_TERM = 64
"""Longer words are no terms: base64, minified names. Their parts between ``_`` still are."""

_NOT_WORD = bytes(b if chr(b).isalnum() or b == 0x5F else 0x20 for b in range(128)) + b" " * 128
# Beside \w: combining marks, which str.isalnum() refuses and which belong inside words of many scripts.
_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u0670\u06d6-\u06ed"
    "\u0900-\u0963\u0966-\u0dff"
)
_SPACELESS = (
    "\u0e00-\u0e7f\u0e80-\u0eff\u1000-\u109f\u1780-\u17d3\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\ua000-\ua48f\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
_WORD = re.compile(rf"[\w{_MARKS}{_SPACELESS}]+")
_RUNS = re.compile(rf"([{_SPACELESS}]+)|([^{_SPACELESS}]+)")
_PIECES = re.compile(r"[A-Z]+\d*(?=[A-Z][a-z])|[A-Z]?[a-z]+\d*|[A-Z]+\d*|\d+")
_HEX = re.compile(r"(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{4,64}\Z")
_ACCENTS = re.compile("[\u0300-\u036f]+")

_STOP_WORDS = """
    the of to and in is it that for on with as this be are was were at by an or from we you your our its has have had
    will can would should could there here then than so if but do does did done been being into these those which what
    when where who how me my they them their he she his her us let ll ve re am just also about some any all more
    now up out over want like got one
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())
"""Dropped from what is indexed and what is asked alike: a term for each of them would cost a tenth of the index."""


def words(text: str) -> list[str]:
    """The raw words of ``text`` as written, in order: the fast half of the tokenizer, :func:`parts` being the other."""
    if text.isascii():
        return text.encode("ascii").translate(_NOT_WORD).decode("ascii").split()
    if not unicodedata.is_normalized("NFC", text):
        text = unicodedata.normalize("NFC", text)
    return _WORD.findall(text)


def parts(word: str) -> tuple[str, ...]:
    """The terms of one raw word, each once, the whole word first; empty for stop-words and noise."""
    if word.isascii():
        return _ascii_parts(word)
    found: dict[str, None] = {}
    for spaceless, other in _RUNS.findall(unicodedata.normalize("NFKC", word)):
        if spaceless:
            pairs = [spaceless[i : i + 2] for i in range(len(spaceless) - 1)] or [spaceless]
            found.update(dict.fromkeys(fold(pair) for pair in pairs))
            continue
        for piece in other.split() if any(map(str.isspace, other)) else (other,):
            plain = "".join(_WORD.findall(_without_accents(piece)))
            if plain.isascii():
                found.update(dict.fromkeys(_ascii_parts(plain)))
            elif 1 < len(plain) <= MAX_TERM:
                found[fold(plain)] = None
    return tuple(term for term in found if term)


def tokens(text: str) -> list[str]:
    """The terms of ``text`` in order, repetitions kept: what the index counts, and what a query is made of."""
    found: list[str] = []
    for word in words(text):
        found += parts(word)
    return found


def fold(text: str) -> str:
    """Case and accents folded: ``É`` and ``é`` both become ``e``. Idempotent."""
    if text.isascii():
        return text.lower()
    for _ in range(4):  # folding one way can open another: twice is nearly always enough
        folded = _without_accents(unicodedata.normalize("NFKC", _without_accents(text).casefold()))
        if folded == text:
            break
        text = folded
    return text


def distinct(texts: Iterable[str]) -> Iterator[str]:
    """The terms of all ``texts``, each once, in the order of their first appearance."""
    seen: dict[str, None] = {}
    for text in texts:
        seen.update(dict.fromkeys(tokens(text)))
    return iter(seen)


def _without_accents(text: str) -> str:
    if text.isascii():
        return text
    return unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFD", text)))


def _ascii_parts(word: str) -> tuple[str, ...]:
    lowered = word.lower().strip("_")
    if len(lowered) < 2 or lowered in STOP_WORDS:
        return ()
    if lowered.isdigit():
        return (lowered,) if len(lowered) <= 8 else ()
    if (word.islower() and "_" not in word) or (_HEX.match(lowered) and (word.islower() or word.isupper())):
        return (lowered,) if len(lowered) <= MAX_TERM else ()
    pieces = dict.fromkeys(piece.lower() for piece in _PIECES.findall(word) if len(piece) > 1)
    if len(lowered) > MAX_TERM:
        return tuple(pieces) if "_" in lowered else ()
    if len(pieces) > 12 and "_" not in lowered:
        return ()
    return (lowered, *(piece for piece in pieces if piece != lowered and piece not in STOP_WORDS))
