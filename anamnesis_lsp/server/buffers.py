"""Open documents as the client sees them, and positions between its units and code points.

Lines are the protocol's: they end at ``\\n``, ``\\r\\n`` or ``\\r`` and nowhere else, so that a form feed or U+2028
moves no line. Positions past the end of a line or of the document are clamped; no value of the client's is changed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple
from urllib.parse import unquote, urlsplit

from lsprotocol import types

Encoding = Literal["utf-8", "utf-16", "utf-32"]

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_UNIT = {"utf-8": 1, "utf-16": 2, "utf-32": 4}
_NAME = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}


def split_lines(text: str) -> list[str]:
    """The lines with their ends; the last one is what follows the last end, possibly empty."""
    lines = _LINE.findall(text)
    if len(lines) > 1 and not lines[-1] and not lines[-2].endswith(("\n", "\r")):
        lines.pop()
    return lines


def to_code_points(line: str, units: int, encoding: Encoding) -> int:
    """The column in code points of a column in client units, clamped to the line without its end."""
    line = line.rstrip("\r\n")
    if line.isascii() or encoding == "utf-32":
        return min(units, len(line))
    encoded = line.encode(_NAME[encoding], "surrogatepass")[: units * _UNIT[encoding]]
    return len(encoded.decode(_NAME[encoding], "ignore"))


def to_units(line: str, column: int, encoding: Encoding) -> int:
    """The column in client units of a column in code points, clamped to the line without its end."""
    line = line.rstrip("\r\n")[:column]
    if line.isascii() or encoding == "utf-32":
        return len(line)
    return len(line.encode(_NAME[encoding], "surrogatepass")) // _UNIT[encoding]


class Edit(NamedTuple):
    """One change of a text: what stood between two places became ``text``. Lines and columns are from 0, columns in
    code points."""

    start_line: int
    start_column: int
    end_line: int
    end_column: int
    text: str


@dataclass(slots=True)
class Buffer:
    """One open document."""

    uri: str
    language_id: str
    version: int
    text: str
    revision: int = 0
    """Counts changes; unlike ``version`` it never goes back."""


class Buffers:
    """The open documents of one client. Used on the event loop only."""

    def __init__(self) -> None:
        self.encoding: Encoding = "utf-16"
        self.on_edits: Callable[[str, str, Sequence[Edit]], object] | None = None
        """Told the text before, the text after and the edits between them, where all that came were edits."""
        self._open: dict[str, Buffer] = {}

    def open(self, uri: str, language_id: str, version: int, text: str) -> Buffer:
        """Hold a document; one that is open already is replaced."""
        self._open[unquote(uri)] = buffer = Buffer(uri, language_id, version, text)
        return buffer

    def close(self, uri: str) -> None:
        """Forget a document."""
        self._open.pop(unquote(uri), None)

    def get(self, uri: str) -> Buffer | None:
        """The open document of that URI, however its characters are encoded."""
        return self._open.get(unquote(uri))

    def all(self) -> list[Buffer]:
        """Every open document."""
        return list(self._open.values())

    def change(self, uri: str, version: int, changes: Sequence[types.TextDocumentContentChangeEvent]) -> Buffer | None:
        """Apply changes in order; None where the document is not open."""
        buffer = self.get(uri)
        if buffer is None:
            return None
        before = buffer.text
        edits: list[Edit] | None = []
        for change in changes:
            if isinstance(change, types.TextDocumentContentChangePartial):
                text, first, last = buffer.text, change.range.start, change.range.end
                start, start_column = self._place(text, first)
                end, end_column = self._place(text, last)
                if (last.line, end) < (first.line, start):
                    last, end, end_column = first, start, start_column
                buffer.text = text[:start] + change.text + text[end:]
                if edits is not None:
                    edits.append(Edit(first.line, start_column, last.line, end_column, change.text))
            else:
                buffer.text, edits = change.text, None
        buffer.version = version
        buffer.revision += 1
        if edits and self.on_edits is not None:
            self.on_edits(before, buffer.text, edits)
        return buffer

    def offset(self, text: str, position: types.Position) -> int:
        """The code-point offset of a client's position in ``text``."""
        return self._place(text, position)[0]

    def _place(self, text: str, position: types.Position) -> tuple[int, int]:
        """The offset of a position and its column, in code points; past the end: the end, and column 0."""
        start = 0
        if "\r" not in text:  # as every line counts here, the quick way where there is one
            for _ in range(position.line):
                end = text.find("\n", start)
                if end < 0:
                    return len(text), 0
                start = end + 1
            end = text.find("\n", start)
            column = to_code_points(text[start : len(text) if end < 0 else end], position.character, self.encoding)
            return start + column, column
        for _ in range(position.line):
            match = _LINE.match(text, start)
            assert match is not None
            if match.end() >= len(text) and not match[0].endswith(("\n", "\r")):
                return len(text), 0
            start = match.end()
        line = _LINE.match(text, start)
        assert line is not None
        column = to_code_points(line[0], position.character, self.encoding)
        return start + column, column


def selected_lines(selection: types.Range) -> tuple[int, int]:
    """The lines of a range, 1-based and inclusive: one that ends at column 0 of a later line leaves that line out.

    An empty range is its line. A reversed one stays reversed, for the rooms below to refuse.
    """
    first, last = selection.start.line + 1, selection.end.line + 1
    if last > first and selection.end.character == 0:
        last -= 1
    return first, last


def path_of(uri: str) -> Path | None:
    """The path of a ``file:`` URI; None for every other scheme, another machine's files, and what no file is called."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None
    if parts.scheme != "file" or parts.netloc not in ("", "localhost"):
        return None
    if os.name == "nt":
        from urllib.request import url2pathname

        path = Path(url2pathname(parts.path))
    else:
        path = Path(unquote(parts.path))
    return path if path.is_absolute() and _nameable(path) else None


def _nameable(path: Path) -> bool:
    """Whether a file can have that name: no NUL, no half of a surrogate pair that stands for no byte."""
    try:
        return b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        return False
