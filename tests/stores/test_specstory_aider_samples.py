"""The samples of SpecStory and aider, counted by hand once. They are read where they lie."""

from __future__ import annotations

import os
from collections import Counter
from datetime import datetime, timezone
from pathlib import Path

import pytest

from anamnesis_lsp.cancel import never
from anamnesis_lsp.records.conversations.aider import Aider
from anamnesis_lsp.records.conversations.model import EditOutcome, Head, Runtime, Scan, Turn
from anamnesis_lsp.records.conversations.specstory import SpecStory

SHARED = Path(os.environ.get("ANAMNESIS_SHARED") or Path(__file__).parents[3] / "shared")


def _read(runtime: Runtime, folder: str) -> dict[str, tuple[list[Turn], Head, Scan]]:
    root = SHARED / "samples" / folder
    if not root.is_dir():
        pytest.skip(f"the samples are not there: {root} (set ANAMNESIS_SHARED)")
    found: dict[str, tuple[list[Turn], Head, Scan]] = {}
    for source in runtime.sources(root, never()):
        reading = runtime.read(source, never())
        turns = list(reading)
        found[source.id] = (turns, reading.head, reading.scan)
    return found


def _speakers(turns: list[Turn]) -> dict[str, int]:
    return dict(Counter(turn.speaker.value for turn in turns))


def test_specstory_samples() -> None:
    found = _read(SpecStory(), "specstory")
    assert {name: _speakers(turns) for name, (turns, _, _) in found.items()} == {
        "2025-06-18-vscode-copilot-ext.md": {"person": 2, "assistant": 2},
        "2026-01-23_14-20-54Z.md": {"person": 1, "injected": 2, "assistant": 4},
        "lore-projA.md": {"person": 1, "assistant": 2},
    }
    assert all(scan.skipped_lines == 0 and not scan.unknown_types for _, _, scan in found.values())
    assert not any(turn.edits or turn.commits for turns, _, _ in found.values() for turn in turns)


def test_a_review_command_is_the_persons_and_its_expansion_is_not() -> None:
    turns, head, _ = _read(SpecStory(), "specstory")["2026-01-23_14-20-54Z.md"]
    assert (turns[0].speaker.value, turns[0].text) == ("person", "/pr-review 151")
    assert turns[1].text.startswith("## Context") and turns[1].name == "command"
    assert turns[-1].text == "/exit"
    assert head.started == datetime(2026, 1, 23, 14, 20, 54, tzinfo=timezone.utc)
    assert head.links == ["Claude Code:b61faf06-fca5-4945-938e-d6c66a40fbb1"] and head.version == "2.1.0"
    assert {mention for turn in turns for mention in turn.mentions} == {"./main.go"}


def test_aider_samples() -> None:
    found = _read(Aider(), "aider")
    assert {name.partition("#")[2]: _speakers(turns) for name, (turns, _, _) in found.items()} == {
        "2026-06-09T14:01:00": {"person": 1, "assistant": 1},
        "2026-06-09T15:30:00": {"person": 1, "assistant": 1},
        "2026-06-09T16:00:00": {},
        "2026-07-17T09:00:00": {"person": 1, "assistant": 1},
    }
    edits = [(edit.path, edit.outcome) for turns, _, _ in found.values() for turn in turns for edit in turn.edits]
    assert edits == [
        ("src/webhook.py", EditOutcome.APPLIED),
        ("src/retry.py", EditOutcome.APPLIED),
        ("src/skip.py", EditOutcome.REJECTED),
        ("src/other.py", EditOutcome.REJECTED),
        ("src/config.py", EditOutcome.APPLIED),
    ]
