"""Crush: databases built from ``formats/FORMATS.md`` section 11 (no public sample)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from anamnesis_lsp.records.conversations.crush import Crush
from tests.builders.databases import database, in_use, snapshot
from tests.unit.reading import Read, only, store

SCHEMA = """
CREATE TABLE sessions (id TEXT PRIMARY KEY, parent_session_id TEXT, title TEXT, created_at INTEGER, updated_at INTEGER);
CREATE TABLE messages (id TEXT PRIMARY KEY, session_id TEXT, role TEXT, parts TEXT, model TEXT, created_at INTEGER,
  updated_at INTEGER, is_summary_message INTEGER DEFAULT 0);
CREATE TABLE files (id TEXT, session_id TEXT, path TEXT, content TEXT, version INTEGER);
"""
START = 1_772_355_600
Row = tuple[str, list[Any]]


def session(identity: str = "s1", parent: str | None = None) -> Row:
    return "sessions", [identity, parent, "Locks", START, START + 60]


def message(number: int, role: str, *parts: Any, session_id: str = "s1", summary: int = 0, scale: int = 1) -> Row:
    blocks = [{"type": "text", "data": {"text": part}} if isinstance(part, str) else part for part in parts]
    when = (START + number) * scale
    return "messages", [f"m{number}", session_id, role, blocks, "gpt-5", when, when, summary]


def call(identity: str, name: str, **arguments: Any) -> dict[str, Any]:
    return {
        "type": "tool_call",
        "data": {"id": identity, "name": name, "input": json.dumps(arguments), "finished": True},
    }


def result(identity: str, content: str = "ok", *, error: bool = False, **metadata: Any) -> dict[str, Any]:
    told = {"tool_call_id": identity, "content": content, "metadata": json.dumps(metadata), "is_error": error}
    return {"type": "tool_result", "data": told}


def read_of(project: Path, *rows: Row) -> Read:
    database(project / ".crush" / "crush.db", SCHEMA, [session(), *rows])
    return only("crush", project / ".crush")


def test_roots_are_the_nearest_folder_above_and_those_of_the_registry(tmp_path: Path) -> None:
    database(tmp_path / "w" / ".crush" / "crush.db", SCHEMA)
    registry = tmp_path / "home" / ".local" / "share" / "crush" / "projects.json"
    registry.parent.mkdir(parents=True)
    registry.write_text(
        json.dumps({"projects": [{"path": "/p", "data_dir": "/p/.crush"}, {"path": "/q", "data_dir": "data"}]})
    )
    roots = Crush().default_roots({}, tmp_path / "home", tmp_path / "w" / "deep")
    assert roots == [tmp_path / "w" / ".crush", Path("/p/.crush"), Path("/q/data")]


def test_a_session_with_its_project(tmp_path: Path) -> None:
    shell = {"type": "shell_command", "data": {"command": "git commit -m T", "output": "[main def5678] T"}}
    read = read_of(
        tmp_path,
        message(1, "user", "Why a lock?"),
        message(2, "assistant", {"type": "reasoning", "data": {"thinking": "x"}}, "Two writers.", scale=1000),
        message(3, "assistant", "So far", summary=1),
        message(4, "user", shell),
    )
    assert read.said == [
        ("person", "Why a lock?"),
        ("assistant", "Two writers."),
        ("injected", "So far"),
        ("person", "git commit -m T"),
    ]
    assert read.head.cwds == [str(tmp_path)] and read.head.title == "Locks"
    assert {turn.when.year for turn in read.turns if turn.when} == {2026}
    assert read.commits == [("def5678", "T")]
    assert read.handle([str(tmp_path)]).command == f"cd {tmp_path} && crush -s s1" and read.handle([]).command is None


def test_edits_and_commits_by_result(tmp_path: Path) -> None:
    edit = {"file_path": "a.py", "old_string": "x", "new_string": "y"}
    read = read_of(
        tmp_path,
        message(
            1,
            "assistant",
            call("a", "edit", **edit),
            call("b", "edit", **edit),
            call("c", "edit", **edit),
            call("d", "write", file_path="d.py", content="c\nz"),
            call("e", "bash", command="git commit -m S"),
            call("f", "bash", command="git commit -m S"),
            call("g", "multiedit", file_path="g.py", edits=[{"old_string": "x", "new_string": "z"}]),
        ),
        message(2, "tool", result("a"), result("b", "old_string not found", error=True)),
        message(3, "tool", result("c", "user denied permission", error=True)),
        message(4, "tool", result("d", old_content="c\n", new_content="c\nz\n")),
        message(5, "tool", result("e", "[main abc1234] S"), result("f", "[main bad1234] S\nExit code 1")),
    )
    assert read.edits == [
        ("a.py", "y", "applied"),
        ("a.py", "y", "failed"),
        ("a.py", "y", "rejected"),
        ("d.py", "z", "applied"),
        ("g.py", "z", "unconfirmed"),
    ]
    assert read.commits == [("abc1234", "S")]


def test_a_child_session_and_one_without_messages(tmp_path: Path) -> None:
    rows = [session(), session("s2", "s1"), session("title-s1", "s1"), message(1, "user", "Look", session_id="s2")]
    database(tmp_path / ".crush" / "crush.db", SCHEMA, rows)
    found = store("crush", tmp_path / ".crush")
    assert set(found) == {"s2"} and found["s2"].said == [("assistant", "Look")]
    assert "crush -s s1" in (found["s2"].handle([str(tmp_path)]).command or "")


def test_what_is_not_known_is_counted(tmp_path: Path) -> None:
    odd = ("messages", ["m9", "s1", "user", "no json", None, 9, 9, 0])
    read = read_of(tmp_path, message(1, "user", "Go", {"type": "hologram", "data": {}}), message(2, "robot", "x"), odd)
    assert read.said == [("person", "Go")] and read.scan.skipped_lines == 1
    assert read.scan.unknown_types == {"part hologram": 1, "message of robot": 1}


def test_a_database_in_use_leaves_its_folder_as_it_is(tmp_path: Path) -> None:
    connection = in_use(tmp_path / ".crush" / "crush.db", SCHEMA, [session(), message(1, "user", "live")])
    before = snapshot(tmp_path)
    assert only("crush", tmp_path / ".crush").said == [("person", "live")] and snapshot(tmp_path) == before
    connection.close()
