"""Quoting: which pieces of a passage may be quoted, how they are clipped, and how a quotation is checked.

A passage is cut into *units*: sentences of a paragraph, items of a list, headings. What a machine printed, code and
tables are no units (:mod:`.own_words`). White space is collapsed; nothing else is changed. A quotation is a run of
whole units that stand together, or such a run clipped at a word's end and closed with `` …``. Anything else is not a
quotation of the passage: one letter altered anywhere makes it fail.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from anamnesis_lsp.readings.own_words import spoken_lines

CLIP = " …"

_FENCE = re.compile(r"^\s*(```|~~~)")
_MARK = re.compile(
    r"^\s*(?:>\s?)*(?:(?:[-*+•]|\d{1,3}(?:[.)]|\s+-))\s+(?:\[[ xX-]\]\s+)?|#{1,6}\s+|\[[ xX-]\]\s+)|^\s*(?:>\s?)+"
)
_HEADING = re.compile(r"^\s*(?:>\s?)*#{1,6}\s+")
_LABEL = re.compile(
    r"\s*(?:>\s?)*(?:[-*+•]\s+|\d{1,3}[.)]\s+)?[^\w\s*_`]*\s*(?:\*\*|__)[^*\n]{2,90}?(?:\*\*|__)\s*[:：]?\s*\Z"
    r"|\s*(?:[-*+•]\s+|\d{1,3}[.)]\s+)?[^\W\d_a-z][^.!?。！？:：\n]{1,60}[:：]\s*\Z"
)
"""A line that heads what follows it without being a heading: bold alone, or a few words and a colon."""
LONGEST_LABEL = 300
"""A longer line is none, whatever it is made of."""
_GLUED = re.compile(r"(?<=[.!?])\*\*[^*\n]{2,80}\*\*\s*\Z")
"""A heading in bold that a program put directly after the sentence before it."""
_GUTTER = re.compile(r"\s*(\d{1,4})(?:\s+|\Z)(?![.)])")
_NUMBERED_LINES = 3
_TODO = re.compile(r"^\s*(?:>\s?)*(?:(?:[-*+•]|\d{1,3}[.)])\s+)?\[ \]\s")
_TABLE = re.compile(r"^\s*\|.*\|\s*$")
_RULE = re.compile(r"^\s*(?:[-*_=]\s*){3,}$")
_SENTENCE_END = re.compile(
    r"(?<=[.!?])(?<!\b[A-Za-z]\.)(?<!e\.g\.)(?<!i\.e\.)(?<!etc\.)(?<!vs\.)(?<!cf\.)[\"')\]*_`”’]*\s+(?=[^\sa-z])"
    r"|(?<=[。！？])[”’」』）]*(?=\S)"
)
_BEGINS = re.compile(
    r"(?:feat|fix|docs|refactor|chore|test|tests|perf|style|build|ci|revert)(?:\([^)\n]*\))?!?: "
    r"|[A-Z][A-Za-z]+(?:-[A-Za-z]+)*: \S|[A-Z]{1,3}-?\d{1,3}: \S"
)
"""What begins a line of its own, as a message of several commits and its trailers have them."""
_GOES_ON = re.compile(
    r"(?:\b(?:the|an?|of|to|in|on|at|for|and|or|so|that|which|with|by|from|as|is|are|its|their|when|if|not)|[,(])\s*\Z"
)
"""The end of a line whose sentence cannot end there."""
_ENDS = re.compile(r"[.!?。！？]\W{0,3}\Z")
_LONGEST_WORD = 20
_WRAPPED = 44
"""Lines of a paragraph whose longest is shorter were not broken for their width."""
_NARROW = 0.7
"""A line that would have had room for the next word up to this share of the width was broken on purpose."""
_LONGEST_IN_MARKS = 600
_SINGLE_OPENS = re.compile(r"(?<![\w'])'(?=[^\s'])")
_SINGLE_CLOSES = re.compile(r"(?<=[^\s'])'(?!\w)")
_SINGLE_ENDS = re.compile(r"[.!?,]'(?=\s|\Z)")
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Unit:
    """A quotable piece: its text, and whether it follows the one before it with nothing but white space between."""

    text: str
    follows: bool
    paragraph: int = 0
    """Which paragraph or item of the passage it stands in: a run that leaves it is told only where it must."""
    under: tuple[str, ...] = ()
    """The heading it stands under, and the line that announces its list, as far as there are any."""
    heads: bool = False
    """It is itself a heading, or announces what follows."""
    item: bool = False
    glued: bool = False
    """Nothing at all stands between it and the one before: scripts without blanks."""
    todo: bool = False
    """An unticked item of a list of things to do: nothing that was done or held."""


def collapse(text: str) -> str:
    """``text`` with every run of white space as one space, without any at the ends."""
    return _SPACE.sub(" ", text).strip()


@functools.lru_cache(maxsize=1024)
def units(text: str) -> tuple[Unit, ...]:
    """The quotable pieces of a passage in order. Fenced code, tables, rules and printed matter are left out."""
    lines = text.split("\n")
    cutter = _Cutter(max(map(_width, lines)))
    if _has_gutter(lines):
        for line in lines:
            cutter.take(_GUTTER.sub("", line))
            cutter.end(False)
        return tuple(cutter.found)
    fenced = False
    for line, spoken in zip(lines, spoken_lines(lines), strict=True):
        if _FENCE.match(line):
            fenced = not fenced
            cutter.end(False)
        elif fenced or (not spoken and line.strip()) or _TABLE.match(line) or _RULE.match(line):
            cutter.end(False)
        elif glued := _GLUED.search(line):
            cutter.take(line[: glued.start()])
            cutter.take(line[glued.start() :])
        else:
            cutter.take(line)
    cutter.end(True)
    return tuple(cutter.found)


def _has_gutter(lines: Sequence[str]) -> bool:
    """Whether the text was pasted with the numbers of its lines before them, from 1 in their order."""
    numbers = [int(match[1]) for line in lines if (match := _GUTTER.match(line))]
    return len(numbers) >= _NUMBERED_LINES and numbers == list(range(1, len(numbers) + 1))


class _Cutter:
    """Collects lines into paragraphs and items, and cuts these into units."""

    def __init__(self, width: int) -> None:
        self.found: list[Unit] = []
        self._width = width
        """Columns of the passage's longest line."""
        self._margin = (0, 0)
        """Of an item: how far it is indented, and how wide its last line is."""
        self._lines: list[str] = []
        self._joined = False
        """Whether what is being collected follows the last unit directly."""
        self._item = False
        """Whether it is an item of a list: the paragraph after the list does not go on with it."""
        self._todo = False
        self._heading = ""
        self._label = ""
        self._item_of = -1
        """How far the item is indented that is the label; -1 where it is no item."""
        self._listed = False
        """Whether an item of the announced list was seen: the paragraph after it is not under its label any more."""
        self._number = 0

    def end(self, then_joined: bool, heads: bool = False) -> None:
        """The paragraph, item or heading that is being collected is complete."""
        under = () if heads else tuple(part for part in (self._heading, self._label) if part)
        for run in _runs(self._lines):
            self._number += 1
            for piece, glued in _sentences(collapse(" ".join(run))):
                self.found.append(Unit(piece, self._joined, self._number, under, heads, self._item, glued, self._todo))
                self._joined = True
            self._joined = self._joined and _ENDS.search(run[-1].rstrip()) is not None
            if not heads and run[-1].rstrip().endswith((":", "：")):
                self._label, self._listed, self._item_of = self.found[-1].text, False, -1
        self._lines.clear()
        self._joined = self._joined and then_joined

    def take(self, line: str) -> None:
        """One more line."""
        if not line.strip():
            self.end(not self._item)
            self._item = self._todo = False
            return
        mark = _MARK.match(line)
        if mark is not None and _HEADING.match(line):
            self._one(line[mark.end() :])
            self._heading, self._label = self.found[-1].text if self.found else "", ""
        elif len(line) <= LONGEST_LABEL and _LABEL.match(line):
            self._one(line[mark.end() :] if mark is not None else line)
            self._label, self._listed = self.found[-1].text if self.found else "", False
            self._item_of = _indent(line) if mark is not None else -1
        elif mark is not None:
            self.end(False)
            if _indent(line) <= self._item_of:  # the next item beside the one that heads a list of its own
                self._label, self._item_of = "", -1
            self._lines.append(line[mark.end() :])
            self._margin = (_indent(line), _width(line))
            quoted = line.lstrip().startswith(">")
            if quoted:
                self.end(True)
            self._item = not quoted
            self._todo = _TODO.match(line) is not None
            self._listed = True
        else:
            if self._item and self._lines and self._leaves_the_item(line):
                self.end(False)
                self._item = self._todo = False
            if self._listed and not self._lines and not self._item:
                self._label = ""
            self._lines.append(line)
            self._margin = (self._margin[0], _width(line))

    def _leaves_the_item(self, line: str) -> bool:
        """Whether the line is below the list: not indented further than it, and the one above had room for its word."""
        indent, above = self._margin
        return _indent(line) <= indent and above + 1 + len(line.split(None, 1)[0]) <= self._width

    def _one(self, line: str) -> None:
        """A line that stands for itself and heads what follows."""
        self.end(False)
        self._item = self._todo = False
        self._lines.append(line)
        self.end(False, heads=True)


def _runs(lines: list[str]) -> list[list[str]]:
    """The lines of a paragraph that were broken for their width only; one broken on purpose begins a new run."""
    if len(lines) < 2:
        return [lines] if lines else []
    width = max(map(_width, lines))
    narrow = width if width < _WRAPPED else _NARROW * width
    runs = [lines[:1]]
    for above, line in itertools.pairwise(lines):
        first = min(len(line.split(None, 1)[0]), _LONGEST_WORD)
        below = _BEGINS.match(above) and line[:1].isupper() and not _GOES_ON.search(above)
        own = _BEGINS.match(line) or below
        if own or _width(above) + 1 + first <= narrow:
            runs.append([line])
        else:
            runs[-1].append(line)
    return runs


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _width(line: str) -> int:
    """Columns of a terminal: letters of scripts written without blanks take two."""
    return len(line) if line.isascii() else sum(1 + _is_wide(character) for character in line)


def _sentences(paragraph: str) -> list[tuple[str, bool]]:
    """The sentences, each with whether it stands directly at the one before."""
    pieces: list[tuple[str, bool]] = []
    start = 0
    for match in _SENTENCE_END.finditer(paragraph):
        piece = paragraph[start : match.end()]
        if piece.strip() and (whole(piece.strip()) or match.end() - start > _LONGEST_IN_MARKS):
            pieces.append((piece.strip(), start > 0 and not paragraph[start - 1].isspace()))
            start = match.end()
    if rest := paragraph[start:].strip():
        pieces.append((rest, start > 0 and not paragraph[start - 1].isspace()))
    return pieces


def joined(pieces: Sequence[Unit]) -> str:
    """Units that stand together as one text, as the passage has them."""
    text = ""
    for piece in pieces:
        text += piece.text if piece.glued or not text else f" {piece.text}"
    return text


def whole(text: str) -> bool:
    """Whether every quotation mark and bracket that opens in ``text`` closes there, and none closes that did not."""
    if text.count('"') % 2 or text.count("`") % 2:
        return False
    if any(text.count(left) != text.count(right) for left, right in ("()", "“”", "「」", "『』", "（）", "《》")):
        return False
    opens = len(_SINGLE_OPENS.findall(text))
    return opens <= len(_SINGLE_CLOSES.findall(text)) and not (opens == 0 and _SINGLE_ENDS.search(text))


def clip(text: str, limit: int) -> str:
    """``text``, or its beginning up to a word's end within ``limit`` characters, closed with `` …``.

    A bracket or quotation mark that would stay open is left out, where enough remains before it.
    """
    if len(text) <= limit:
        return text
    cut = text[:limit]
    space = cut.rfind(" ")
    if space > 0:
        cut = cut[:space]
    for left, right in (("(", ")"), ("“", "”"), ("（", "）"), ('"', '"')):
        opened = cut.count(left) % 2 == 1 if left == right else cut.count(left) > cut.count(right)
        at = cut.rfind(left)
        if opened and at > limit // 3 and cut[at - 1] == " ":
            cut = cut[:at]
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
        run = f"{run}{'' if piece.glued else ' '}{piece.text}" if run else piece.text
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
