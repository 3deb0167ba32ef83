"""Real and conformance transcripts of Claude Code, counted once by hand: turns by speaker, edits, commits, lost lines.

The counts were taken from the files by tool name, result and record type, apart from the reader, and compared.
"""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from anamnesis_lsp.cancel import never
from anamnesis_lsp.records.conversations.model import Turn
from anamnesis_lsp.records.conversations.opening import open_conversation
from anamnesis_lsp.records.conversations.registry import runtime
from anamnesis_lsp.records.evidence import Speaker

SHARED = Path(os.environ.get("ANAMNESIS_SHARED") or Path(__file__).parents[3] / "shared")
SAMPLES = SHARED / "samples" / "claude-code"

pytestmark = pytest.mark.skipif(not SAMPLES.is_dir(), reason=f"no samples at {SAMPLES}")


@dataclass(frozen=True)
class Expected:
    speakers: dict[str, int]
    edits: dict[str, int] = field(default_factory=dict[str, int])
    skipped: int = 0
    unknown: dict[str, int] = field(default_factory=dict[str, int])
    person: tuple[str, ...] = ()
    title_from: str | None = "first turn"
    parent: str | None = None


EXPECTED = {
    "agent-test-hash-123-v2.0.28-sidechain.jsonl": Expected(
        {"assistant": 1, "subagent": 1}, parent="5c0375b4-57a5-4f26-b12d-d022ee4e51b7"
    ),
    "agentsview-queued_system_messages.jsonl": Expected({"injected": 3}, title_from=None),
    "agentsview-truncated.jsonl": Expected({"person": 1, "assistant": 1}, skipped=1, person=("hello",)),
    "daaain-edge_cases.jsonl": Expected(
        {"person": 4, "assistant": 2},
        {"MultiEdit unconfirmed": 1},
        skipped=3,
        unknown={"(none)": 1, "user without content": 2},
        person=(
            "Here's a message with",
            "Let's test a very long",
            "/test-command --verbose",
            "Testing special characters: café",
        ),
        title_from="assistant",
    ),
    "daaain-representative.jsonl": Expected(
        {"person": 4, "assistant": 4},
        {"Edit applied": 1},
        person=("Hello Claude!", "Great! Can you also", "Can you run that", "This is really helpful!"),
        title_from="assistant",
    ),
    "episodic-short-v2.0.9-real.jsonl": Expected({"person": 1, "assistant": 1}, person=("Summarize this part",)),
    "fe5e1c67-v1.0.98-real.jsonl": Expected(
        {"person": 2, "injected": 1, "assistant": 12, "subagent": 133},
        {
            "Write applied": 28,
            "Write failed": 5,
            "Edit applied": 2,
            "Edit failed": 6,
            "MultiEdit applied": 5,
            "MultiEdit failed": 5,
            "Bash applied": 7,
            "Bash unconfirmed": 1,
        },
        person=("/orchestrator create TODO app by Next.js", "Thanks! Please update CLAUDE.md"),
    ),
    "gitai-example.jsonl": Expected(
        {"person": 1, "assistant": 10, "injected": 1},
        {"Edit applied": 2, "MultiEdit applied": 5},
        person=("Make the colors green and yellow",),
    ),
    "gitai-with-plan.jsonl": Expected(
        {"person": 1, "assistant": 6},
        {"Write applied": 1, "Edit applied": 1, "Edit unconfirmed": 1},
        person=("Help me implement user authentication",),
    ),
    "letta-subagent.jsonl": Expected({"assistant": 1, "subagent": 1}, parent="parent-session-fixture"),
}


def test_every_sample_has_an_expectation() -> None:
    assert {path.name for path in SAMPLES.glob("*.jsonl")} == set(EXPECTED)


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_a_sample_is_read_as_counted(name: str) -> None:
    expected = EXPECTED[name]
    reader = runtime("claude-code")
    (source,) = reader.sources(SAMPLES / name, never())
    reading = reader.read(source, never())
    turns = list(reading)
    assert Counter(turn.speaker.value for turn in turns) == expected.speakers
    assert Counter(f"{e.tool} {e.outcome.value}" for turn in turns for e in turn.edits) == expected.edits
    assert [commit for turn in turns for commit in turn.commits] == []
    assert (reading.scan.skipped_lines, reading.scan.unknown_types) == (expected.skipped, expected.unknown)
    assert starts(turns, expected.person)
    assert reading.head.title_from == expected.title_from
    assert source.parent_id == expected.parent
    assert [turn.n for turn in turns] == list(range(1, len(turns) + 1))
    assert all(turn.when is None or turn.when.tzinfo is not None for turn in turns)


def starts(turns: list[Turn], beginnings: tuple[str, ...]) -> bool:
    said = [turn.text for turn in turns if turn.speaker is Speaker.PERSON]
    return len(said) == len(beginnings) and all(map(str.startswith, said, beginnings))


def test_a_folder_of_samples_is_a_store_and_each_opens_at_a_turn() -> None:
    sources = list(runtime("claude-code").sources(SAMPLES, never()))
    assert len(sources) == len(EXPECTED)
    for source in sources:
        opened = open_conversation(source, {1, 10_000}, never())
        assert [turn.n for turn in opened.turns] == [1]
        assert opened.total >= 1
