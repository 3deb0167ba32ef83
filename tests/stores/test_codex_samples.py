"""The samples of Codex, counted by hand once. They are read where they lie."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from tests.stores.samples import counted, samples
from tests.unit.reading import only

SAMPLES = samples("codex")


@dataclass(frozen=True)
class Expected:
    speakers: dict[str, int]
    edits: dict[str, int] = field(default_factory=dict[str, int])
    skipped: int = 0
    person: tuple[str, ...] = ()
    cwds: tuple[str, ...] = ()


EXPECTED = {
    "agentsview-blockquotes.jsonl": Expected({"injected": 1, "assistant": 1}, cwds=("/tmp/agentsview-quote",)),
    "agentsview-function_calls.jsonl": Expected(
        {"person": 1}, person=("Run the tests",), cwds=("/Users/alice/code/app",)
    ),
    "gitai-codex-session-simple.jsonl": Expected(
        {"person": 1, "assistant": 2},
        {"apply_patch unconfirmed": 1},
        person=("Refactor src/main.rs to add a greeting function.",),
        cwds=("/Users/test/projects/git-ai",),
    ),
    "gitai-codex-session-updated-0.99.jsonl": Expected(
        {"person": 1, "assistant": 2},
        {"apply_patch unconfirmed": 1},
        person=("Refactor src/main.rs to add a greeting function and tests.",),
        cwds=("/Users/test/projects/git-ai",),
    ),
    "letta-cleanup.jsonl": Expected({"person": 1, "assistant": 1}, skipped=1, person=("inspect both files",)),
    "letta-tool-calls.jsonl": Expected(
        {"person": 1, "injected": 1, "assistant": 1},
        person=("create one focused commit",),
        cwds=("/workspace/project",),
    ),
    "prateek-sample_rollout.jsonl": Expected(
        {"person": 1, "assistant": 2}, person=("Hello Codex",), cwds=("/Users/prateek/code/openai",)
    ),
    "prateek-sample_rollout_known_event_types.jsonl": Expected(
        {"person": 1, "assistant": 1}, person=("Hello Codex",), cwds=("/tmp",)
    ),
}


def test_every_sample_has_an_expectation() -> None:
    assert {path.name for path in SAMPLES.glob("*.jsonl")} == set(EXPECTED)


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_a_sample_is_read_as_counted(name: str) -> None:
    expected, read = EXPECTED[name], only("codex", SAMPLES / name)
    assert counted(read) == (expected.speakers, expected.edits, 0, expected.skipped, {})
    assert tuple(text for speaker, text in read.said if speaker == "person") == expected.person
    assert tuple(read.head.cwds) == expected.cwds


def test_where_the_recorded_session_started() -> None:
    head = only("codex", SAMPLES / "prateek-sample_rollout.jsonl").head
    assert head.head_commits == ["deadbeef"] and head.branches == ["main"]
    assert head.remotes == ["https://github.com/openai/codex.git"]
