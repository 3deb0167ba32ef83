"""Reading a store in a test: sources by id, turns, and what was said by whom."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from anamnesis_lsp.cancel import never
from anamnesis_lsp.records.conversations.model import Handle, Reading, Source, Turn
from anamnesis_lsp.records.conversations.registry import runtime


class Read:
    """One conversation, read whole."""

    def __init__(self, kind: str, source: Source) -> None:
        self.source = source
        self._runtime = runtime(kind)
        self.reading: Reading = self._runtime.read(source, never())
        self.turns: list[Turn] = list(self.reading)
        assert [turn.n for turn in self.turns] == list(range(1, len(self.turns) + 1))
        self.head, self.scan = self.reading.head, self.reading.scan

    @property
    def said(self) -> list[tuple[str, str]]:
        return [(turn.speaker.value, turn.text) for turn in self.turns]

    @property
    def edits(self) -> list[tuple[str, str, str]]:
        return [(edit.path, edit.written, edit.outcome.value) for turn in self.turns for edit in turn.edits]

    @property
    def commits(self) -> list[tuple[str, str | None]]:
        return [(commit.hash, commit.subject) for turn in self.turns for commit in turn.commits]

    def handle(self, exists: Iterable[str] = ()) -> Handle:
        return self._runtime.handle(self.source, self.head, exists)


def store(kind: str, root: Path) -> dict[str, Read]:
    """Every conversation of a store, by id."""
    found = list(runtime(kind).sources(root, never()))
    assert len({source.id for source in found}) == len(found)
    return {source.id: Read(kind, source) for source in found}


def only(kind: str, root: Path) -> Read:
    """The one conversation of a store."""
    (read,) = store(kind, root).values()
    return read
