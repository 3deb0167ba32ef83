"""Logs with every kind of record their reader knows, bent: a value of a wrong type, lines in any order and number."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from anamnesis_lsp.cancel import never
from anamnesis_lsp.records.conversations.registry import runtime
from tests.builders import cursor, gemini
from tests.builders.codex import Rollout, patch
from tests.stores.test_rows_of_any_shape import junk, replaced


def rollout(paginated: bool) -> list[bytes]:
    git = {"commit_hash": "f" * 40, "branch": "b", "repository_url": "u"}
    made = Rollout(paginated=paginated, git=git, subagent_history_start_ordinal=0).prompt("Go").reply("Hm")
    made.message("user", "<skill>x</skill>").message("developer", "d").record("compacted", message="c")
    call = made.custom_patch(patch("a.py", "x", "y"), None)
    changes: dict[str, Any] = {
        "/a.py": {"type": "update", "unified_diff": "@@ -1 +1 @@\n-x\n+y\n", "move_path": "/b.py"}
    }
    made.event("patch_apply_end", call_id=call, success=True, changes=changes, status={"type": "completed"})
    listed = [{"path": "/c.py", "kind": {"type": "add", "move_path": None}, "diff": "x"}]
    made.event("item_completed", item={"type": "FileChange", "id": "f", "changes": listed, "status": "declined"})
    ran = {"command": ["bash", "-lc", "git commit"], "cwd": "/w", "exit_code": 0, "aggregated_output": "[m abc1234] S"}
    made.event("item_completed", item={"type": "CommandExecution", "id": "r", **ran})
    made.event("exec_command_end", call_id="r", **ran).shell("git commit", "[m abc1234] S")
    made.output(made.call("shell", command=["apply_patch", patch("a.py", "x", "y")], workdir="/w"), [{"text": "ok"}])
    made.output(made.call("exec_command", cmd="git commit"), "Process running with session ID 7\nOutput:\n")
    made.output(made.call("write_stdin", session_id=7), {"content": "x", "success": True})
    answers = json.dumps({"answers": {"q": {"answers": ["a"]}}})
    made.output(made.call("request_user_input", questions=[{"question": "q"}]), answers)
    made.item("local_shell_call", call_id="l", action={"command": ["ls"]}).event("thread_name_updated", name="n")
    return made.lines


def session() -> list[bytes]:
    display = {"filePath": "a", "originalContent": "x", "newContent": "y", "diffStat": {"user_added_lines": 1}}
    calls = [gemini.call("replace", {"file_path": "a", "old_string": "x", "new_string": "y"}, resultDisplay=display)]
    calls.append(gemini.call("run_shell_command", {"command": "git commit"}, output="Exit Code: 0"))
    records = [
        gemini.head(directories=["/d"], kind="main", summary="s"),
        gemini.message("1", "user", [{"text": "Go"}], displayContent="Go"),
        gemini.message("2", "gemini", "Hm", toolCalls=calls, model="m"),
        gemini.message("2", "gemini", "Hm, yes"),
        {"$set": {"messages": [gemini.message("1", "user", "Go"), gemini.message("3", "info", "i")], "summary": "t"}},
        {"$rewindTo": "3"},
    ]
    return [json.dumps(record).encode() for record in records]


def qwen() -> list[bytes]:
    call = {
        "functionCall": {"id": "1", "name": "edit", "args": {"file_path": "a", "old_string": "x", "new_string": "y"}}
    }
    answer = {"functionResponse": {"id": "1", "response": {"output": "ok"}}}
    records = [
        gemini.qwen("user", "1", {"text": "Go"}),
        gemini.qwen("assistant", "2", {"text": "Hm"}, call, model="m"),
        gemini.qwen(
            "tool_result", "3", answer, toolCallResult={"callId": "1", "status": "success", "resultDisplay": {}}
        ),
        gemini.qwen("system", "4", subtype="ui_telemetry"),
    ]
    return [json.dumps(record).encode() for record in records]


def transcript() -> list[bytes]:
    records: list[dict[str, Any]] = [
        cursor.line("user", "<user_query>Go</user_query>"),
        cursor.line("assistant", "Hm", cursor.use("Write", path="a", contents="x")),
        {"type": "turn_ended"},
    ]
    return [json.dumps(record).encode() for record in records]


def goose() -> list[bytes]:
    from tests.builders.goose import request, response

    records: list[dict[str, Any]] = [
        {"working_dir": "/w", "description": "d", "created_at": "2026-03-01T09:00:00Z"},
        {"id": "1", "role": "user", "created": 1, "content": [{"type": "text", "text": "Go"}]},
        {"id": "2", "role": "assistant", "created": 2, "content": [request("a", "write", path="a", content="x")]},
        {"id": "3", "role": "user", "created": 3, "content": [response("a")]},
    ]
    return [json.dumps(record).encode() for record in records]


LOGS: dict[str, tuple[str, str, Callable[[], list[bytes]]]] = {
    "codex": ("codex", "a.jsonl", lambda: rollout(False)),
    "codex paginated": ("codex", "a.jsonl", lambda: rollout(True)),
    "gemini": ("gemini", "a.jsonl", session),
    "qwen": ("qwen", "a.jsonl", qwen),
    "cursor": ("cursor", "a.jsonl", transcript),
    "goose": ("goose", "a.jsonl", goose),
}
PROPERTY = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def read(kind: str, path: Path, lines: list[bytes]) -> tuple[int, int, dict[str, int]]:
    """Turns, lines skipped and unknown types of a log."""
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    turns = skipped = 0
    unknown: dict[str, int] = {}
    for source in runtime(kind).sources(path, never()):
        reading = runtime(kind).read(source, never())
        for turn in reading:
            turns += 1
            edits = "".join(edit.path + edit.written + (edit.removed or "") for edit in turn.edits)
            "".join([turn.text, turn.name or "", turn.cwd or "", *turn.mentions, edits]).encode("utf-8")
        skipped += reading.scan.skipped_lines or 0
        unknown |= reading.scan.unknown_types
        runtime(kind).handle(source, reading.head, [])
    return turns, skipped, unknown


@pytest.mark.parametrize("name", LOGS)
def test_the_log_itself_is_read_whole(name: str, tmp_path: Path) -> None:
    kind, file, made = LOGS[name]
    turns, skipped, unknown = read(kind, tmp_path / file, made())
    assert turns >= 2 and skipped == 0 and unknown == {}


@pytest.mark.parametrize("name", LOGS)
@PROPERTY
@given(number=st.integers(0, 60), path=st.lists(st.integers(0, 40), min_size=1, max_size=9), value=junk)
def test_any_value_of_a_wrong_type(name: str, tmp_path: Path, number: int, path: list[int], value: object) -> None:
    kind, file, made = LOGS[name]
    lines = made()
    bent = replaced(json.loads(lines[number % len(lines)]), path, value)
    lines[number % len(lines)] = json.dumps(bent).encode()
    assert read(kind, tmp_path / file, lines)[1] == 0


@pytest.mark.parametrize("name", LOGS)
@PROPERTY
@given(order=st.lists(st.integers(0, 60), max_size=60))
def test_lines_in_any_order_and_number(name: str, tmp_path: Path, order: list[int]) -> None:
    kind, file, made = LOGS[name]
    lines = made()
    assert read(kind, tmp_path / file, [lines[number % len(lines)] for number in order])[1] == 0
