"""From terms to their numbers, while records are captured."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping

MAX_HELD = 250_000
"""Terms held in memory at once; beyond, the table starts afresh (the database has all terms)."""


class Vocabulary:
    """The terms of a database being written. Not thread-safe; belongs to one writer, between two rollbacks."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        highest = connection.execute("SELECT max(id) FROM terms").fetchone()[0]
        self._next = (highest or 0) + 1
        self._held_all = highest is None
        self._ids: dict[str, int] = {}
        self._new: list[tuple[str, int]] = []

    def count(self, counts: Mapping[str, int]) -> dict[int, int]:
        """The counts of terms by their numbers."""
        return {self.number(term): times for term, times in counts.items()}

    def flush(self) -> None:
        """Write the terms that are new. Before every commit."""
        self._connection.executemany("INSERT INTO terms (term, id) VALUES (?, ?)", self._new)
        self._new.clear()
        if len(self._ids) > MAX_HELD:
            self._ids.clear()
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
