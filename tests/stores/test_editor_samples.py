"""The samples of Copilot, Cline, Roo Code, Amp, Continue and Windsurf, read where they lie, counted by hand once.

The counts were taken from the files by record type, role and tool name, apart from the readers, and compared.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.builders.reading import Read, read_all, read_one

SHARED = Path(os.environ.get("ANAMNESIS_SHARED") or Path(__file__).parents[3] / "shared")
SAMPLES = SHARED / "samples"

pytestmark = pytest.mark.skipif(not SAMPLES.is_dir(), reason=f"no samples at {SAMPLES}")


@dataclass(frozen=True)
class Expected:
    speakers: dict[str, int]
    person: tuple[str, ...] = ()
    edits: tuple[tuple[str, str, str], ...] = ()
    """Tool, file's name, outcome."""
    commits: tuple[tuple[str, str], ...] = ()
    title_from: str | None = "first turn"
    cwd: str | None = None


GIT_AI = "/Users/svarlamov/projects/testing-git"
EXPECTED = {
    ("copilot-cli", "copilot/deja-events.jsonl"): Expected(
        {"injected": 1, "person": 1, "assistant": 1},
        ("why is the connection pool exhausted",),
        cwd="/Users/x/coding/gateway",
    ),
    ("copilot-cli", "copilot/gitai-copilot_cli_session_events.jsonl"): Expected(
        {"person": 1, "assistant": 1},
        ("create a hello world file",),
        (("create", "hello.py", "applied"),),
        cwd="/Users/test/project",
    ),
    ("copilot-cli", "copilot/gitai-copilot_cli_session_no_model.jsonl"): Expected(
        {"person": 1, "assistant": 1}, ("hello",), cwd="/Users/test/project"
    ),
    # Its prompt is known from a hook's input only: no message of a person is recorded.
    ("copilot-cli", "copilot/letta-cli-tool-calls.jsonl"): Expected(
        {"assistant": 1}, title_from=None, cwd="/workspace/copilot-demo"
    ),
    ("copilot-chat", "copilot/gitai-copilot_vscode_event_stream.jsonl"): Expected(
        {"person": 1, "assistant": 2}, ("Add a comment to the file",), (("apply_patch", "main.ts", "applied"),)
    ),
    ("copilot-chat", "copilot/gitai-copilot_session_empty_then_patched.jsonl"): Expected(
        {"person": 1, "assistant": 1}, ("What is the meaning of life?",)
    ),
    ("copilot-chat", "copilot/gitai-copilot_session_multiline.jsonl"): Expected(
        {"person": 2, "assistant": 2},
        ("Add a joke about 7sadfh32u23gdaWF to jokes.csv", "follow up message"),
        (("insert_edit_into_file", "jokes.csv", "applied"),),
        title_from="assistant",
        cwd=GIT_AI,
    ),
    ("copilot-chat", "copilot/gitai-copilot_session_simple.json"): Expected(
        {"person": 3, "assistant": 3},
        (
            "What can you help me with?",
            "Change Bonjour World to hello world",
            "Search for any other mentions of Bonjour",
        ),
        (("replace_string_in_file", "index.ts", "applied"),),
        title_from="assistant",
        cwd=GIT_AI,
    ),
    ("copilot-chat", "copilot/gitai-copilot_session_simple.jsonl"): Expected(
        {"person": 3, "assistant": 3},
        (
            "What can you help me with?",
            "Change Bonjour World to hello world",
            "Search for any other mentions of Bonjour",
        ),
        (("replace_string_in_file", "index.ts", "applied"),),
        title_from="assistant",
        cwd=GIT_AI,
    ),
    ("cline", "cline-roo/deja-cline/legacy"): Expected(
        {"person": 1, "assistant": 1}, ("Say hello",), cwd="/home/example/work/demo"
    ),
    ("cline", "cline-roo/deja-cline/modern"): Expected(
        {"person": 1, "assistant": 1}, ("Say hello",), title_from="assistant", cwd="/home/example/work/demo"
    ),
    ("roo", "cline-roo/deja-roo"): Expected(
        {"person": 1, "assistant": 1}, ("Fix the flaky test",), cwd="/home/example/work/demo"
    ),
    ("amp", "amp"): Expected(
        {"person": 1, "assistant": 3},
        ("Create a plan to add a jokes.csv",),
        title_from="assistant",
        cwd="/Users/svarlamov/projects/testing-git-amp",
    ),
    ("continue", "continue"): Expected(
        {"person": 1, "assistant": 3},
        ("Add another hello world line to @index.ts",),
        (("MultiEdit", "index.ts", "applied"),),
        title_from="assistant",
        cwd=GIT_AI,
    ),
    ("windsurf", "windsurf"): Expected(
        {"person": 4, "assistant": 7},
        ("Write a song in @[xyz.md]", "Eraase rewrite you cand", "@[xyz.md]", "call some tools :)"),
        (("code_action", "xyz.md", "applied"), ("code_action", "xyz.md", "applied")),
        (("f013e4e", "abc"), ("049a887", "abc")),
        cwd="/Users/aidancunniffe/Desktop/testing-gitflows-git-ai",
    ),
}


def test_every_sample_has_an_expectation() -> None:
    named = {path for _, path in EXPECTED}
    for folder in ("copilot", "amp", "continue", "windsurf"):
        for path in (SAMPLES / folder).iterdir():
            assert f"{folder}/{path.name}" in named or folder in named
    assert {path.name for path in (SAMPLES / "cline-roo").iterdir()} == {"deja-cline", "deja-roo"}


@pytest.mark.parametrize(("kind", "path"), sorted(EXPECTED))
def test_a_sample_is_read_as_counted(kind: str, path: str) -> None:
    expected = EXPECTED[kind, path]
    found = read_one(kind, SAMPLES / path)
    assert found.speakers == expected.speakers
    person = [text for speaker, text in found.said if speaker == "person"]
    assert len(person) == len(expected.person) and all(map(str.startswith, person, expected.person))
    edits = tuple((edit.tool, edit.path.rsplit("/", 1)[-1], edit.outcome.value) for edit in found.edits)
    assert edits == expected.edits and tuple(found.commits) == expected.commits
    assert (found.scan.skipped_lines, found.scan.unknown_types, found.scan.incomplete_tail) == (0, {}, False)
    assert found.head.title_from == expected.title_from
    assert (found.head.cwds[0] if found.head.cwds else None) == expected.cwd
    assert all(turn.when is None or turn.when.tzinfo is not None for turn in found.turns)


def written(found: Read) -> list[tuple[str, str | None, bool]]:
    return [(edit.written, edit.removed, edit.whole_file) for edit in found.edits]


def test_only_lines_that_are_new_count_as_written() -> None:
    hello = "console.log('hello world');"
    assert written(read_one("continue", SAMPLES / "continue")) == [(hello, None, False)]
    chat = read_one("copilot-chat", SAMPLES / "copilot" / "gitai-copilot_session_simple.json")
    assert written(chat) == [(hello, "console.log('Bonjour World');", False)]
    cli = read_one("copilot-cli", SAMPLES / "copilot" / "gitai-copilot_cli_session_events.jsonl")
    assert written(cli) == [("print('hello world')\n", None, False)]
    first, second = read_one("windsurf", SAMPLES / "windsurf").edits
    assert first.whole_file and not second.whole_file
    assert "## Digital Dreams" in second.written and "# XYZ" not in second.written.split("\n")


def test_a_folder_of_mixed_logs_gives_each_runtime_its_own() -> None:
    cli = {one.source.path.name for one in read_all("copilot-cli", SAMPLES / "copilot")}
    chat = {one.source.path.name for one in read_all("copilot-chat", SAMPLES / "copilot")}
    assert cli == {path.split("/")[1] for kind, path in EXPECTED if kind == "copilot-cli"}
    assert chat == {path.split("/")[1] for kind, path in EXPECTED if kind == "copilot-chat"} - {
        "gitai-copilot_session_simple.json"
    }
    both = read_all("cline", SAMPLES / "cline-roo" / "deja-cline")
    assert {one.source.id for one in both} == {"1767225600000", "session_synthetic_01"}


def test_where_a_conversation_began_is_read() -> None:
    cli = read_one("copilot-cli", SAMPLES / "copilot" / "gitai-copilot_cli_session_events.jsonl").head
    assert (cli.branches, cli.remotes) == (["master"], ["https://github.com/test/repo"])
    assert cli.head_commits == ["3a97d3e01e093f632865982193c9506debda3a87"]
    amp = read_one("amp", SAMPLES / "amp").head
    assert (amp.branches, amp.remotes) == (["master"], ["https://github.com/svarlamov/testing-git"])
    assert amp.head_commits == ["6be354d80ba6ad3af3e22c2e1a0d8e93da1577fa"]
