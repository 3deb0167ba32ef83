"""Reading a store in a test: its conversations with their turns, and short forms of them to compare."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from anamnesis_lsp.cancel import never
from anamnesis_lsp.records.conversations.model import Edit, Handle, Head, Scan, Source, Turn
from anamnesis_lsp.records.conversations.registry import runtime


@dataclass(frozen=True)
class Read:
    """One conversation as it was read."""

    source: Source
    head: Head
    scan: Scan
    turns: list[Turn]

    @property
    def said(self) -> list[tuple[str, str]]:
        """``(speaker, text)`` of every turn."""
        return [(turn.speaker.value, turn.text) for turn in self.turns]

    @property
    def edits(self) -> list[Edit]:
        return [edit for turn in self.turns for edit in turn.edits]

    @property
    def outcomes(self) -> list[tuple[str, str]]:
        """``(path, outcome)`` of every edit."""
        return [(edit.path, edit.outcome.value) for edit in self.edits]

    @property
    def commits(self) -> list[tuple[str, str | None]]:
        return [(commit.hash, commit.subject) for turn in self.turns for commit in turn.commits]

    @property
    def speakers(self) -> dict[str, int]:
        return dict(Counter(turn.speaker.value for turn in self.turns))

    def handle(self, exists: Iterable[str] = ()) -> Handle:
        return runtime(self.source.runtime).handle(self.source, self.head, exists)


def read_all(kind: str, root: Path) -> list[Read]:
    """Every conversation of a store, in the order of the store."""
    reader = runtime(kind)
    found: list[Read] = []
    for source in reader.sources(root, never()):
        reading = reader.read(source, never())
        turns = list(reading)
        assert [turn.n for turn in turns] == list(range(1, len(turns) + 1))
        found.append(Read(source, reading.head, reading.scan, turns))
    return found


def read_one(kind: str, root: Path) -> Read:
    """The only conversation of a store."""
    (found,) = read_all(kind, root)
    return found
