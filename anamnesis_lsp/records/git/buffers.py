"""The line maps of open buffers, kept while their text is edited: an edit splices the map, no process, no diff.

An editor's text arrives as a new string at every change. A map belongs to exactly one such string;
:meth:`Buffers.edited` carries it on to the next one in microseconds, and :meth:`Buffers.mapping` makes it by a full
diff where none is kept: after opening, after HEAD moved, after a change that was no edit of lines. What a splice cannot
see (lines moved over a distance) stays *uncommitted* until the next full diff, which a worker makes after
:data:`MOST_SPLICES` edits.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.records.git.linemap import LineMap, editor_lines

MOST_SPLICES = 400
_KEPT = 16
_MARKER = "<<<<<<<"


@dataclass(frozen=True, slots=True)
class TextEdit:
    """One change of a text: the characters from one position up to another became ``text``. Lines and columns are from
    0, columns in code points."""

    start_line: int
    start_column: int
    end_line: int
    end_column: int
    text: str


@dataclass(slots=True)
class _Kept:
    text: str
    commit: Hashable
    lines: list[str]
    committed: Sequence[str]
    map: LineMap
    size: int
    """Characters of the lines, line ends apart."""
    splices: int = 0

    def fits(self, text: str) -> bool:
        """Whether a text is as long as the edits made it; a client that sent one wrong is found out here."""
        return len(text) == self.size + len(self.lines) - 1


class Buffers:
    """The maps of one process, for the last few buffers that were asked about. Thread-safe."""

    def __init__(self) -> None:
        self._kept: list[_Kept] = []
        self._lock = threading.Lock()

    def edited(self, before: str, after: str, edits: Sequence[TextEdit]) -> bool:
        """Carry the maps of ``before`` on to ``after``, which the edits, in order, made of it.

        Give the strings that :meth:`mapping` is asked with, not copies. Meant for the event loop: no I/O, microseconds.
        False where no map was kept, or where it could not be carried on: the next question makes a full diff.
        """
        with self._lock:
            mine = [kept for kept in self._kept if kept.text is before]
            carried = bool(mine)
            for kept in mine:
                sound = kept.splices < MOST_SPLICES and all(_splice(kept, edit) for edit in edits)
                if sound and kept.fits(after):
                    kept.text = after
                    kept.splices += len(edits)
                else:
                    self._kept.remove(kept)
                    carried = False
            return carried

    def kept(self, text: str, commit: Hashable) -> tuple[LineMap, int] | None:
        """The map that is kept for ``text`` and what ``commit`` (anything that names a committed text) has, and how
        many lines ``text`` has; None where none is kept. A text with conflict markers has none."""
        kept = self._find(text, commit)
        if kept is None:
            return None
        return kept.map, len(kept.map.exact) - 1

    def mapping(
        self,
        text: str,
        commit: Hashable,
        committed: Callable[[], tuple[Sequence[str], Sequence[int] | None]],
        cancel: CancelToken | None = None,
    ) -> tuple[LineMap, int]:
        """As :meth:`kept`, made by a full diff where none is.

        ``committed`` gives the lines of the committed text and, where git counts them otherwise, git's number of each.
        """
        known = self.kept(text, commit)
        if known is not None:
            return known
        lines = editor_lines(text)
        there, numbers = committed()
        mapping = LineMap.between(lines, there, cancel, numbers)
        if numbers is None and "\r" not in text and not text.startswith("\ufeff") and _MARKER not in text:
            kept = [*lines, ""] if text.endswith("\n") else list(lines)
            made = _Kept(text, commit, kept, there, mapping, len(text) - len(kept) + 1)
            with self._lock:
                self._kept = [k for k in self._kept if not (k.text is text and k.commit == commit)][1 - _KEPT :]
                self._kept.append(made)
        return mapping, len(lines)

    def lines(self, text: str) -> list[str] | None:
        """The lines of ``text`` where they are kept: a copy, as :func:`.linemap.editor_lines` gives them."""
        with self._lock:
            kept = next((k for k in self._kept if k.text is text), None)
            return None if kept is None else kept.lines[: _count(kept)]

    def _find(self, text: str, commit: Hashable) -> _Kept | None:
        with self._lock:
            for place in range(len(self._kept) - 1, -1, -1):
                kept = self._kept[place]
                if kept.commit == commit and (kept.text is text or kept.text == text):
                    self._kept.append(self._kept.pop(place))
                    kept.text = text  # an equal text, read anew: its edits will name this one
                    return kept
        return None

    def clear(self) -> None:
        """Forget every map."""
        with self._lock:
            self._kept.clear()


def _count(kept: _Kept) -> int:
    return len(kept.lines) - (1 if kept.lines and kept.lines[-1] == "" else 0)


def _splice(kept: _Kept, edit: TextEdit) -> bool:
    lines = kept.lines
    first, last = edit.start_line, min(edit.end_line, len(lines) - 1)
    if "\r" in edit.text or first > last or first < 0:
        return False
    end = edit.end_column if edit.end_line < len(lines) else len(lines[last])
    old = lines[first : last + 1]
    new = (old[0][: edit.start_column] + edit.text + old[-1][end:]).split("\n")
    if "<" in edit.text and any(line.startswith(_MARKER) for line in new):
        return False
    lines[first : last + 1] = new
    kept.size += sum(map(len, new)) - sum(map(len, old))
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    mapped = len(kept.map.exact) - 1  # an empty line after the last line end has no place in the map
    start = min(first + head, mapped)
    removed = min(first + len(old) - tail, mapped) - start
    added = lines[start : min(first + len(new) - tail, _count(kept))]
    if removed or added:
        kept.map = kept.map.splice(start + 1, removed, added, kept.committed)
    return len(kept.map.exact) - 1 == _count(kept)


open_buffers = Buffers()
"""The maps of this process."""
