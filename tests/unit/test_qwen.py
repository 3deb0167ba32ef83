"""Qwen Code: records built from ``formats/FORMATS.md`` section 11; a real session is in ``tests/stores``."""

from __future__ import annotations

import json
from pathlib import Path

from anamnesis_lsp.records.conversations.registry import runtime
from tests.builders.gemini import PROJECT, SESSION, head, log, message, qwen
from tests.unit.reading import only, store


def session(root: Path, *records: object) -> Path:
    return log(root / ".qwen" / "projects" / "-home-dev-app" / "chats" / f"{SESSION}.jsonl", *records)


def asked(call: str, name: str, **args: object) -> dict[str, object]:
    return {"functionCall": {"id": call, "name": name, "args": args}}


def answered(call: str, name: str, **response: object) -> dict[str, object]:
    return {"functionResponse": {"id": call, "name": name, "response": response}}


def test_one_root_has_both_layouts(tmp_path: Path) -> None:
    (root,) = runtime("qwen").default_roots({}, tmp_path, None)
    assert root == tmp_path / ".qwen"
    session(tmp_path, qwen("user", "1", {"text": "Go"}))
    older = tmp_path / ".qwen" / "tmp" / "app" / "chats" / "session-2025-09-01T10-00-aaaaaaaa.json"
    older.parent.mkdir(parents=True)
    older.write_text(json.dumps({**head("aaaaaaaa"), "messages": [message("1", "user", "Before")]}))
    assert {name: read.said for name, read in store("qwen", root).items()} == {
        SESSION: [("person", "Go")],
        "aaaaaaaa": [("person", "Before")],
    }


def test_a_session_is_told_by_its_records(tmp_path: Path) -> None:
    session(
        tmp_path,
        qwen("user", "1", {"text": "Why a lock?"}),
        qwen("user", "1", {"text": "Why a lock?"}),
        qwen("assistant", "2", {"text": "thinking", "thought": True}, {"text": "Two writers."}, model="coder"),
        qwen("system", "3", subtype="ui_telemetry"),
        qwen("user", "4", {"text": "<session_context>x</session_context>"}),
    )
    read = only("qwen", tmp_path / ".qwen")
    assert read.said == [
        ("person", "Why a lock?"),
        ("assistant", "Two writers."),
        ("injected", "<session_context>x</session_context>"),
    ]
    assert (read.turns[0].cwd, read.turns[0].branch, read.head.version) == (PROJECT, "main", "0.18.1")
    assert read.handle([PROJECT]).command == f"cd {PROJECT} && qwen -r {SESSION}" and read.handle([]).command is None


def test_edits_and_commits_wait_for_their_results(tmp_path: Path) -> None:
    edit = {"file_path": "a.py", "old_string": "x", "new_string": "y"}
    session(
        tmp_path,
        qwen(
            "assistant",
            "1",
            asked("a", "edit", **edit),
            asked("b", "edit", **edit),
            asked("c", "edit", **edit),
            asked("d", "run_shell_command", command="git commit -m S"),
            asked("e", "edit", **edit),
        ),
        qwen(
            "tool_result", "2", answered("a", "edit", output="ok"), toolCallResult={"callId": "a", "status": "success"}
        ),
        qwen("tool_result", "3", answered("b", "edit", error="no match"), toolCallResult={"callId": "b"}),
        qwen(
            "tool_result", "4", answered("c", "edit", error="x"), toolCallResult={"callId": "c", "status": "cancelled"}
        ),
        qwen("tool_result", "5", answered("d", "run_shell_command", output="Stdout: [main abc1234] S\nExit Code: 0")),
    )
    read = only("qwen", tmp_path / ".qwen")
    assert [outcome for _, _, outcome in read.edits] == ["applied", "failed", "rejected", "unconfirmed"]
    assert read.commits == [("abc1234", "S")]


def test_the_earlier_layout_is_read_as_gemini_clis(tmp_path: Path) -> None:
    session(tmp_path, qwen("user", "1", {"text": "New"}))
    old = "6" + SESSION[1:]
    log(tmp_path / ".qwen" / "tmp" / "abc" / "chats" / "session-x.jsonl", head(old), message("1", "user", "Earlier"))
    found = store("qwen", tmp_path / ".qwen")
    assert {name: read.said for name, read in found.items()} == {
        SESSION: [("person", "New")],
        old: [("person", "Earlier")],
    }


def test_what_is_not_known_is_counted(tmp_path: Path) -> None:
    session(tmp_path, qwen("system", "1", subtype="new"), qwen("hologram", "2"), qwen("user", "3", {"text": "Go"}))
    assert only("qwen", tmp_path / ".qwen").scan.unknown_types == {"system new": 1, "hologram": 1}
