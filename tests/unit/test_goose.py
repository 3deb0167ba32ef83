"""Goose: database and files, built from ``formats/FORMATS.md`` section 9 (no real public log was found)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from anamnesis_lsp.cancel import never
from anamnesis_lsp.errors import AnamnesisError
from anamnesis_lsp.records.conversations.goose import Goose
from tests.builders.databases import database, in_use, snapshot
from tests.builders.goose import DIRECTORY, SCHEMA, Row, message, request, response, session, version
from tests.unit.reading import Read, only, store

HOME = Path("/home/dev")


def read_of(tmp_path: Path, *rows: Row, head: Row | None = None) -> Read:
    database(tmp_path / "sessions.db", SCHEMA, [version(), head or session(), *rows])
    return only("goose", tmp_path)


def test_default_roots() -> None:
    assert Goose().default_roots({}, HOME, None) == [HOME / ".local/share/goose/sessions"]
    windows = {"APPDATA": "/roaming", "XDG_DATA_HOME": "/x"}
    assert Goose().default_roots(windows, HOME, None) == [
        Path("/x/goose/sessions"),
        Path("/roaming/Block/goose/data/sessions"),
    ]
    assert Goose().default_roots({"GOOSE_PATH_ROOT": "/g"}, HOME, None) == [Path("/g/data/sessions")]


def test_whose_words_a_user_message_holds(tmp_path: Path) -> None:
    read = read_of(
        tmp_path,
        message(1, "user", "Why a lock?"),
        message(2, "assistant", "Two writers.", {"type": "thinking", "thinking": "x"}),
        message(3, "user", "a summary", userVisible=False, agentVisible=True),
        message(4, "user", response("r"), "text beside a result"),
    )
    assert read.said == [("person", "Why a lock?"), ("assistant", "Two writers."), ("injected", "a summary")]
    assert (read.head.title, read.head.title_from, read.head.cwds) == ("About locks", "assistant", [DIRECTORY])


@pytest.mark.parametrize("kind,speaker", [("terminal", "person"), ("scheduled", "injected"), ("hidden", "injected")])
def test_only_typed_sessions_are_a_persons(tmp_path: Path, kind: str, speaker: str) -> None:
    assert read_of(tmp_path, message(1, "user", "Go"), head=session(kind=kind)).said == [(speaker, "Go")]


def test_a_name_that_the_person_gave_is_the_title(tmp_path: Path) -> None:
    head = read_of(tmp_path, message(1, "user", "Go"), head=session(named=True)).head
    assert (head.title, head.title_from) == ("Lock file", "person")


def test_edits_under_old_and_new_names_by_outcome(tmp_path: Path) -> None:
    read = read_of(
        tmp_path,
        message(
            1,
            "assistant",
            request("a", "developer__text_editor", command="str_replace", path="a.py", old_str="x", new_str="y"),
            request("b", "developer__text_editor", command="write", path="b.py", file_text="w"),
            request("c", "developer__text_editor", command="view", path="c.py"),
            request("d", "edit", path="d.py", old_text="x", new_text="z"),
            request("e", "write", path="e.py", content="w"),
            request("f", "write", path="f.py", content="w"),
        ),
        message(2, "user", response("a"), response("b", "no", "error"), response("d")),
        message(3, "user", response("e", "The user has declined to run this tool. DO NOT attempt to call it again.")),
    )
    assert read.edits == [
        ("a.py", "y", "applied"),
        ("b.py", "w", "failed"),
        ("d.py", "z", "applied"),
        ("e.py", "w", "rejected"),
        ("f.py", "w", "unconfirmed"),
    ]


def test_an_edit_that_was_taken_back_is_undone(tmp_path: Path) -> None:
    edit = request("a", "developer__text_editor", command="write", path="a.py", file_text="w")
    undo = request("u", "developer__text_editor", command="undo_edit", path="a.py")
    waiting = request("w", "developer__text_editor", command="write", path="w.py", file_text="w")
    rows = [message(1, "assistant", waiting, edit), message(2, "user", response("a")), message(3, "assistant", undo)]
    assert [outcome for _, _, outcome in read_of(tmp_path, *rows).edits] == ["unconfirmed", "undone"]


def test_a_commit_of_the_shell(tmp_path: Path) -> None:
    shell = [request(name, "developer__shell", command="git commit -m S") for name in ("a", "b")]
    rows = [message(1, "assistant", *shell), message(2, "user", response("a", "[main abc1234] S"))]
    rows.append(message(3, "user", response("b", "[main bad1234] S\nexit code: 1")))
    assert read_of(tmp_path, *rows).commits == [("abc1234", "S")]


def test_a_sub_agents_session(tmp_path: Path) -> None:
    child = session("20260301_2", "sub_agent", parent="20260301_1")
    database(tmp_path / "sessions.db", SCHEMA, [session(), child, message(1, "user", "Look", session_id="20260301_2")])
    read = store("goose", tmp_path)["20260301_2"]
    assert read.said == [("assistant", "Look")]
    assert read.handle([DIRECTORY]).command == f"cd {DIRECTORY} && goose session --resume --session-id 20260301_1"


def test_a_file_that_was_taken_over_is_not_read_twice(tmp_path: Path) -> None:
    database(tmp_path / "sessions.db", SCHEMA, [session(), message(1, "user", "In the database")])
    for name in ("20260301_1", "20250101_000000"):
        lines = [
            {"working_dir": DIRECTORY, "description": "Old"},
            {"role": "user", "created": 1, "content": [{"type": "text", "text": "In the file"}]},
        ]
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = store("goose", tmp_path)
    assert found["20260301_1"].said == [("person", "In the database")]
    assert found["20250101_000000"].said == [("person", "In the file")]
    assert "--path" in (found["20250101_000000"].handle([DIRECTORY]).command or "")


def test_a_newer_schema_is_read_and_said(tmp_path: Path) -> None:
    database(tmp_path / "sessions.db", SCHEMA, [version(99), session(), message(1, "user", "Go", {"type": "hologram"})])
    read = only("goose", tmp_path)
    assert read.said == [("person", "Go")]
    assert read.scan.unknown_types == {"schema version 99": 1, "content hologram": 1}


def test_an_older_schema_without_newer_columns(tmp_path: Path) -> None:
    schema = "CREATE TABLE sessions (id TEXT, working_dir TEXT);"
    schema += "CREATE TABLE messages (session_id TEXT, role TEXT, content_json TEXT, created_timestamp INTEGER);"
    content = [{"type": "text", "text": "Go"}]
    rows = [("sessions", ["1", DIRECTORY]), ("messages", ["1", "user", content, 1_772_355_600_000])]
    database(tmp_path / "sessions.db", schema, rows)
    read = only("goose", tmp_path)
    assert read.said == [("person", "Go")] and read.turns[0].when is not None and read.turns[0].when.year == 2026


def test_a_database_of_something_else(tmp_path: Path) -> None:
    database(tmp_path / "sessions.db", "CREATE TABLE x (y);")
    with pytest.raises(AnamnesisError, match="no table sessions"):
        list(Goose().sources(tmp_path, never()))


def test_a_database_in_use_leaves_its_folder_as_it_is(tmp_path: Path) -> None:
    connection = in_use(tmp_path / "sessions.db", SCHEMA, [version(), session(), message(1, "user", "live")])
    before = snapshot(tmp_path)
    assert only("goose", tmp_path).said == [("person", "live")] and snapshot(tmp_path) == before
    connection.close()
