"""From raw words to numbers of terms, while records are captured: a word is taken apart once, not each time."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping

from anamnesis_lsp.index import terms

MAX_HELD = 250_000
"""Words and terms held in memory at once; beyond, both tables start afresh (the database has all terms)."""


class Vocabulary:
    """The terms of a database being written. Not thread-safe; belongs to one writer, between two rollbacks."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        highest = connection.execute("SELECT max(id) FROM terms").fetchone()[0]
        self._next = (highest or 0) + 1
        self._held_all = highest is None
        self._words = _Words(self)
        self._ids: dict[str, int] = {}
        self._new: list[tuple[str, int]] = []

    def text(self, words: Iterable[str]) -> str:
        """The terms of the words as one text for the full-text index: terms between spaces, in order."""
        known = self._words
        return " ".join([known[word][0] for word in words])

    def count(self, counts: Mapping[str, int]) -> dict[int, int]:
        """How often each term stands among words that stand so often."""
        found: dict[int, int] = {}
        known = self._words
        for word, times in counts.items():
            for number in known[word][1]:
                found[number] = found.get(number, 0) + times
        return found

    def flush(self) -> None:
        """Write the terms that are new. Before every commit."""
        self._connection.executemany("INSERT INTO terms (term, id) VALUES (?, ?)", self._new)
        self._new.clear()
        if len(self._ids) > MAX_HELD or len(self._words) > MAX_HELD:
            self._ids.clear()
            self._words.clear()
            self._held_all = False

    def number(self, term: str) -> int:
        """The number of a term, a new one where it has none yet."""
        number = self._ids.get(term)
        if number is None:
            row = None
            if not self._held_all:
                row = self._connection.execute("SELECT id FROM terms WHERE term = ?", (term,)).fetchone()
            if row is None:
                number = self._next
                self._next += 1
                self._new.append((term, number))
            else:
                number = row[0]
            self._ids[term] = number
        return number


class _Words(dict[str, tuple[str, tuple[int, ...]]]):
    """Raw word → (its terms as text, their numbers), filled as words come."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        super().__init__()
        self._vocabulary = vocabulary

    def __missing__(self, word: str) -> tuple[str, tuple[int, ...]]:
        parts = terms.parts(word)
        number = self._vocabulary.number
        entry = (" ".join(parts), tuple([number(part) for part in parts]))
        if len(word) <= terms.MAX_TERM:
            self[word] = entry
        return entry
