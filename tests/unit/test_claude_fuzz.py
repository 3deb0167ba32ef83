"""Transcripts of Claude Code torn, spliced and bent: no exception escapes, and every line is read or counted."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anamnesis_lsp.cancel import never
from anamnesis_lsp.records.conversations.claude_code import ClaudeCode
from anamnesis_lsp.records.conversations.model import Reading, Turn
from tests.builders.claude import Transcript, session

CLAUDE = ClaudeCode()


def whole() -> list[bytes]:
    """A transcript with every kind of record the reader knows."""
    transcript = Transcript().person("Go").assistant("Looking.").edit("a.py", "x", "y", context="c")
    transcript.write("b.py", "1\n", original="0\n").failed_edit("a.py", "x", "z").rejected_edit(
        "a.py", "x", "z", said="No"
    )
    transcript.bash("cat > c.py <<EOF\nx\nEOF").commit("Add it").subagent("Look", "Explore")
    operation = {"commit": {"sha": "be937de", "kind": "amended"}, "pr": {"url": "https://x/1"}}
    transcript.bash("git commit --amend", "[main be937de] Again", gitOperation=operation)
    call = transcript.call("AskUserQuestion", questions=[{"question": "Q?", "options": [{"label": "A"}]}])
    transcript.result(call, "", detail={"answers": {"Q?": "A"}, "annotations": {"Q?": {"notes": "n"}}})
    call = transcript.call("ExitPlanMode", plan="# P")
    transcript.result(call, "approved", detail={"plan": "# P\nmore"})
    call = transcript.call("MultiEdit", file_path="m", edits=[{"old_string": "a", "new_string": "b"}])
    transcript.result(call, "ok", detail={"filePath": "m", "userModified": True})
    transcript.record(
        "attachment", attachment={"type": "queued_command", "prompt": "also", "origin": {"kind": "human"}}
    )
    inner: dict[str, Any] = {
        "type": "assistant",
        "uuid": "p1",
        "message": {"id": "m", "content": [{"type": "text", "text": "s"}]},
    }
    transcript.record(
        "progress", data={"type": "agent_progress", "agentId": "a", "message": inner}, parentToolUseID="t"
    )
    transcript.record(
        "system", subtype="local_command", content="<command-name>/rename</command-name><command-args>T</command-args>"
    )
    transcript.person("<bash-input>git commit</bash-input>").person("<bash-stdout>[main 1234567] S</bash-stdout>")
    transcript.bare("queue-operation", operation="enqueue", content="q").bare("queue-operation", operation="remove")
    transcript.bare("summary", summary="S", leafUuid="x").bare("ai-title", aiTitle="A").bare(
        "custom-title", customTitle="C"
    )
    transcript.bare("bridge-session", bridgeSessionId="cse_01AbCdEf").bare("pr-link", prUrl="https://x/2")
    return transcript.lines


LINES = whole()
junk = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8), st.just("\ud800")),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=8), inner, max_size=3)),
    max_leaves=8,
)


def read(data: bytes, folder: Path) -> tuple[list[Turn], Reading]:
    path = folder / f"{session(1)}.jsonl"
    path.write_bytes(data)
    (source,) = CLAUDE.sources(path, never())
    reading = CLAUDE.read(source, never())
    turns = list(reading)
    assert [turn.n for turn in turns] == list(range(1, len(turns) + 1))
    for turn in turns:
        turn.text.encode("utf-8")
        for edit in turn.edits:
            (edit.path + edit.written + (edit.removed or "")).encode("utf-8")
    CLAUDE.handle(source, reading.head, [])
    return turns, reading


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fuzz")


def test_the_whole_transcript_reads_clean(folder: Path) -> None:
    turns, reading = read(b"\n".join(LINES) + b"\n", folder)
    assert (reading.scan.skipped_lines, reading.scan.unknown_types, reading.scan.incomplete_tail) == (0, {}, False)
    assert len(turns) >= 19


@given(st.integers(0, sum(len(line) + 1 for line in LINES)))
def test_cut_anywhere(folder: Path, at: int) -> None:
    _, reading = read((b"\n".join(LINES) + b"\n")[:at], folder)
    assert reading.scan.skipped_lines == 0


@given(st.lists(st.tuples(st.sampled_from(LINES), st.integers(0, 400), st.integers(0, 400)), max_size=12))
def test_spliced(folder: Path, pieces: list[tuple[bytes, int, int]]) -> None:
    spliced = [line[:head] + line[tail:] for line, head, tail in pieces]
    _, reading = read(b"".join(line + b"\n" for line in spliced), folder)
    bad = sum(bool(line.strip()) and not is_object(line) for line in spliced)
    assert reading.scan.skipped_lines == bad


def is_object(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False


@given(st.lists(st.sampled_from(range(len(LINES))), max_size=60))
def test_shuffled_and_duplicated(folder: Path, order: list[int]) -> None:
    _, reading = read(b"".join(LINES[number] + b"\n" for number in order), folder)
    assert reading.scan.skipped_lines == 0


@given(
    st.lists(
        st.tuples(st.integers(0, len(LINES) - 1), st.integers(0, 3000), st.sampled_from([b"\0", b"\xff", b"\\ud800"])),
        max_size=8,
    )
)
def test_bytes_put_in(folder: Path, wounds: list[tuple[int, int, bytes]]) -> None:
    lines = list(LINES)
    for number, at, byte in wounds:
        lines[number] = lines[number][:at] + byte + lines[number][at:]
    read(b"".join(line + b"\n" for line in lines), folder)


@settings(max_examples=300)
@given(st.integers(0, len(LINES) - 1), st.lists(st.integers(0, 40), min_size=1, max_size=6), junk)
def test_any_value_of_a_wrong_type(folder: Path, number: int, path: list[int], value: object) -> None:
    lines = list(LINES)
    lines[number] = json.dumps(replaced(json.loads(lines[number]), path, value)).encode()
    _, reading = read(b"".join(line + b"\n" for line in lines), folder)
    assert (reading.scan.skipped_lines or 0) <= 1


def replaced(record: Any, path: list[int], value: object) -> Any:
    """The record with the value at a path (of positions among its keys) replaced."""
    keys: list[Any] = []
    with contextlib.suppress(TypeError, AttributeError):
        keys = list(record.keys() if hasattr(record, "keys") else range(len(record)))
    if not path or not keys or not hasattr(record, "__setitem__"):
        return value
    key = keys[path[0] % len(keys)]
    record[key] = replaced(record[key], path[1:], value)
    return record


@given(
    st.lists(
        st.fixed_dictionaries(
            {"type": st.sampled_from(["user", "assistant", "system", "attachment", "progress", "summary"])},
            optional={
                "message": junk,
                "attachment": junk,
                "data": junk,
                "content": junk,
                "uuid": junk,
                "timestamp": junk,
                "cwd": junk,
                "toolUseResult": junk,
            },
        ),
        max_size=6,
    )
)
def test_records_of_any_shape(folder: Path, records: list[dict[str, object]]) -> None:
    read(b"".join(json.dumps(record).encode() + b"\n" for record in records), folder)


def test_deep_nesting_is_a_skipped_line(folder: Path) -> None:
    deep = b'{"type":"user","message":' + b'{"a":' * 50_000 + b"1" + b"}" * 50_001
    turns, reading = read(LINES[0] + b"\n" + deep + b"\n", folder)
    assert (len(turns), reading.scan.skipped_lines) == (1, 1)
