"""Notebooks (``.ipynb``): the lines of a cell, as an editor shows them, and the lines of the JSON that git has.

A cell's ``source`` is a list of strings, one a line, or one string (nbformat 4). git's lines are those of the file.
Pure: the JSON is read with its offsets, nothing else is.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rapidfuzz.fuzz import ratio

from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.records.git.linemap import LineMap

_SPACE = re.compile(r"[ \t\n\r]*")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null|NaN|-?Infinity")
_DEEPEST = 200
_COMPARED = 8_000
"""Characters of a cell that likeness is judged by: its cost grows with the square of them."""
ALIKE = 50.0
"""Per cent of likeness from which a cell of the file is the one an editor shows."""
_DECODER = json.JSONDecoder(strict=False)


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell: its ``id`` where it has one, its type, and for each of its lines the line of the JSON."""

    id: str | None
    kind: str
    lines: tuple[int, ...]
    text: tuple[str, ...]


def cells(text: str) -> list[Cell]:
    """The cells of a notebook, in order. Raises ``badRequest`` where the text is none."""
    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    found: list[Cell] = []
    reading = _Reading(text)

    def cell(_: str | int) -> None:
        fields: dict[str, str] = {}
        source: list[tuple[int, str]] = []

        def inside(name: str | int) -> None:
            if name == "source":
                reading.value(lambda _: source.append(reading.string()), lambda: source.append(reading.string()))
            elif name in ("id", "cell_type") and reading.next() == '"':
                fields[str(name)] = reading.string()[1]
            else:
                reading.value()

        reading.value(inside)
        lines, shown = _lines(source, lambda offset: bisect_right(starts, offset))
        found.append(Cell(fields.get("id"), fields.get("cell_type", ""), lines, shown))

    try:
        reading.value(lambda name: reading.value(cell) if name == "cells" else reading.value())
    except (ValueError, IndexError, RecursionError) as error:
        raise AnamnesisError(
            ErrorCode.BAD_REQUEST, "The notebook is not JSON that can be read.", "Open it as text, or save it anew."
        ) from error
    return found


def json_line(found: list[Cell], cell: int | str, line: int) -> int:
    """The line of the JSON (from 1) that line ``line`` (from 1) of a cell is; the cell by its place (from 0) or id.
    Raises ``rangePastEnd``."""
    chosen = next((c for n, c in enumerate(found) if cell in (n, c.id)), None)
    if chosen is None or not 1 <= line <= len(chosen.lines):
        raise AnamnesisError(
            ErrorCode.RANGE_PAST_END, "The notebook has no such cell or line.", "Select lines of a cell that it has."
        )
    return chosen.lines[line - 1]


def file_lines(
    text: str, cell: int | str, lines: tuple[int, int], shown: Sequence[str] | None = None
) -> tuple[int, int]:
    """The lines of a notebook's file that ``lines`` (from 1, inclusive) of a cell are.

    The cell by its place (from 0) or id. ``shown`` are its lines as an editor has them, saved or not: the cell is then
    the one at that place, or, where cells were moved, the nearest one that is more like it, and lines that are not in
    the file count as those they stand in place of. Raises ``rangePastEnd`` where there are none, ``rangeReversed``,
    ``badRequest`` where the text is no notebook.
    """
    found = cells(text)
    place = cell if isinstance(cell, int) else next((n for n, c in enumerate(found) if c.id == cell), len(found))
    if shown is None:
        if lines[1] < lines[0]:
            raise AnamnesisError(
                ErrorCode.RANGE_REVERSED,
                f"The range {lines[0]}-{lines[1]} ends before it begins.",
                "Give START-END with START not after END.",
            )
        count = len(found[place].lines) if 0 <= place < len(found) else 0
        return json_line(found, place, lines[0]), json_line(found, place, min(lines[1], max(count, lines[0])))
    chosen = _shown_as(found, place, shown)
    if chosen is not None:
        mapping = LineMap.between(shown, chosen.text)
        origins = [o for line in range(lines[0], lines[1] + 1) if (o := mapping.edited_from(line)) is not None]
        if origins:
            return chosen.lines[min(origins) - 1], chosen.lines[max(origins) - 1]
    raise AnamnesisError(
        ErrorCode.RANGE_PAST_END,
        "These lines of the cell are not in the notebook's file yet.",
        "Save the notebook, or select lines that were saved.",
    )


def _shown_as(found: list[Cell], place: int, shown: Sequence[str]) -> Cell | None:
    """The cell of the file that an editor shows so."""
    text = "\n".join(shown)[:_COMPARED]
    likeness = [ratio(text, "\n".join(cell.text)[:_COMPARED]) for cell in found]
    best = max(range(len(found)), key=lambda n: (round(likeness[n]), -abs(n - place)), default=None)
    if best is None:
        return None
    there = 0 <= place < len(found) and likeness[place] >= min(ALIKE, likeness[best])
    return found[place] if there else found[best] if likeness[best] >= ALIKE else None


def _lines(source: list[tuple[int, str]], line_at: Callable[[int], int]) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """A string that goes on in the next one (no line end) shares its line."""
    lines: list[int] = []
    text: list[str] = []
    unended = False
    for offset, part in source:
        pieces = part.split("\n")
        for number, piece in enumerate(pieces):
            if number == 0 and unended:
                text[-1] += piece
            elif piece or number < len(pieces) - 1:
                text.append(piece)
                lines.append(line_at(offset))
        unended = bool(text) and not part.endswith("\n")
    return tuple(lines), tuple(text)


class _Reading:
    """A JSON text and the place that was read to."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at: int = len("\ufeff") if text.startswith("\ufeff") else 0
        self._deep = 0

    def next(self) -> str:
        match = _SPACE.match(self._text, self._at)
        assert match is not None
        self._at = match.end()
        return self._text[self._at]

    def string(self) -> tuple[int, str]:
        """Where the string begins, and the string."""
        if self.next() != '"':
            raise ValueError
        start = self._at
        value, end = _DECODER.raw_decode(self._text, start)
        self._at = end
        return start, str(value)

    def value(
        self, inside: Callable[[str | int], None] | None = None, scalar: Callable[[], None] | None = None
    ) -> None:
        """Pass over a value; ``inside`` is called for each entry of an object or array and must pass over it,
        ``scalar`` for a string."""
        kind = self.next()
        if kind == '"':
            if scalar is not None:
                scalar()
            else:
                self.string()
        elif kind in "{[":
            self._deep += 1
            if self._deep > _DEEPEST:
                raise ValueError
            self._entries("}" if kind == "{" else "]", inside or (lambda _: self.value()))
            self._deep -= 1
        else:
            match = _NUMBER.match(self._text, self._at)
            if match is None:
                raise ValueError
            self._at = match.end()

    def _entries(self, end: str, inside: Callable[[str | int], None]) -> None:
        self._at += 1
        number = 0
        while self.next() != end:
            name: str | int = number
            if end == "}":
                name = self.string()[1]
                if self.next() != ":":
                    raise ValueError
                self._at += 1
            inside(name)
            number += 1
            if self.next() == ",":
                self._at += 1
            elif self._text[self._at] != end:
                raise ValueError
        self._at += 1
