"""opencode: three generations, built from ``formats/FORMATS.md`` section 4 (no public sample has the second's rows)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from anamnesis_lsp.cancel import never
from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.records.conversations.opencode import Opencode
from tests.builders.databases import database, in_use, snapshot
from tests.builders.opencode import (
    DIRECTORY,
    FIRST,
    SECOND,
    START,
    Row,
    entry,
    message,
    second_session,
    session,
    text,
    tool,
    tree,
)
from tests.unit.reading import Read, only, store

HOME = Path("/home/dev")


def first(tmp_path: Path, *rows: Row, head: Row | None = None) -> Read:
    database(tmp_path / "opencode.db", FIRST, [head or session(), *rows])
    return only("opencode", tmp_path)


def second(tmp_path: Path, *rows: Row) -> Read:
    database(tmp_path / "opencode.db", SECOND, [second_session(), *rows])
    return only("opencode", tmp_path)


def test_default_roots() -> None:
    assert Opencode().default_roots({}, HOME, None) == [HOME / ".local/share/opencode"]
    environ = {"XDG_DATA_HOME": "/x", "LOCALAPPDATA": "/l", "OPENCODE_DB": "/db/oc.db"}
    assert Opencode().default_roots(environ, HOME, None) == [
        Path("/x/opencode"),
        Path("/l/opencode"),
        Path("/db/oc.db"),
    ]


def test_whose_words_a_user_message_holds(tmp_path: Path) -> None:
    read = first(
        tmp_path,
        *message(1, "user", text("Why a lock?"), text("Called the Read tool", synthetic=True), text("x", ignored=True)),
        *message(2, "assistant", text("Two writers."), modelID="gpt-5", path={"cwd": DIRECTORY + "/sub"}),
        *message(3, "user", {"type": "subtask", "prompt": "Review it", "agent": "a", "command": "review"}),
        *message(4, "user", text("file content", synthetic=True)),
        *message(5, "assistant", text("What was said so far"), summary=True),
    )
    assert read.said == [
        ("person", "Why a lock?"),
        ("assistant", "Two writers."),
        ("injected", "Review it"),
        ("injected", "file content"),
        ("injected", "What was said so far"),
    ]
    assert (read.turns[1].name, read.turns[1].cwd, read.turns[4].name) == (
        "gpt-5",
        DIRECTORY + "/sub",
        "compaction summary",
    )
    assert (read.head.title, read.head.title_from, read.head.version) == ("Locks", "assistant", "1.18.0")


def test_edits_by_state_and_by_what_the_metadata_shows(tmp_path: Path) -> None:
    edit = {"filePath": "a.py", "oldString": "c\nx", "newString": "c\ny"}
    shown = {"filediff": {"file": "/app/a.py", "before": "c\nx\n", "after": "c\nz\n"}}
    read = first(
        tmp_path,
        *message(
            1,
            "assistant",
            tool("edit", edit),
            tool("edit", edit, metadata=shown),
            tool("edit", edit, "error", error="oldString not found"),
            tool("edit", edit, "error", error="The user rejected permission to use this specific tool call."),
            tool("edit", edit, "running"),
            tool("write", {"filePath": "n.py", "content": "n\n"}, metadata={"exists": False}),
            tool("apply_patch", {"patchText": "*** Begin Patch\n*** Add File: p.py\n+p\n*** End Patch"}),
            tool("invalid", {"tool": "edit", "error": "bad arguments"}),
            {"type": "patch", "hash": "h", "files": ["/app/made-by-bash.txt", "a.py"]},
        ),
    )
    assert read.edits == [
        ("a.py", "y", "applied"),
        ("/app/a.py", "z", "applied"),
        ("a.py", "y", "failed"),
        ("a.py", "y", "rejected"),
        ("a.py", "y", "unconfirmed"),
        ("n.py", "n\n", "applied"),
        ("p.py", "p", "applied"),
    ]
    assert not read.turns[0].edits[5].whole_file and read.turns[0].mentions == ("/app/made-by-bash.txt",)


def test_a_commit_needs_a_recorded_exit_of_0(tmp_path: Path) -> None:
    def ran(sha: str, **meta: object) -> dict[str, object]:
        return tool("bash", {"command": "git commit -m S"}, output=f"[main {sha}] S", metadata=meta)

    read = first(tmp_path, *message(1, "assistant", ran("aaa1111", exit=0), ran("bbb2222", exit=1), ran("ccc3333")))
    assert read.commits == [("aaa1111", "S")]


def test_what_a_revert_took_back_is_undone(tmp_path: Path) -> None:
    edit = tool("write", {"filePath": "a.py", "content": "x"})
    head = session(revert={"messageID": "msg_002"})
    read = first(
        tmp_path,
        *message(1, "assistant", edit),
        *message(2, "user", text("No")),
        *message(3, "assistant", edit),
        head=head,
    )
    assert [outcome for _, _, outcome in read.edits] == ["applied", "undone"]
    assert read.turns[1].name == "reverted"


def test_a_child_session_is_a_sub_agents(tmp_path: Path) -> None:
    rows = [session(), session("ses_2", parent="ses_1"), *message(1, "user", text("Look"), session_id="ses_2")]
    database(tmp_path / "opencode.db", FIRST, rows)
    read = store("opencode", tmp_path)["ses_2"]
    assert read.said == [("assistant", "Look")] and read.source.parent_id == "ses_1"
    assert read.handle([DIRECTORY]).command == f"cd {DIRECTORY} && opencode -s ses_1"


def test_the_second_generation(tmp_path: Path) -> None:
    edit = {
        "type": "tool",
        "id": "t",
        "name": "edit",
        "state": {"status": "completed", "input": {"path": "a.py", "oldString": "x", "newString": "y"}},
    }
    read = second(
        tmp_path,
        entry(2, "assistant", content=[{"type": "text", "text": "Two writers."}, edit], model={"id": "gpt-5"}),
        entry(1, "user", text="Why a lock?", files=[{"path": "a.py"}]),
        entry(3, "synthetic", text="reminder"),
        entry(4, "shell", command="git commit -m S", output="[main abc1234] S"),
        entry(5, "compaction", summary="So far"),
        entry(6, "model-switched"),
        entry(7, "hologram"),
    )
    assert read.said == [
        ("person", "Why a lock?"),
        ("assistant", "Two writers."),
        ("injected", "reminder"),
        ("person", "git commit -m S"),
        ("injected", "So far"),
    ]
    assert read.edits == [("a.py", "y", "applied")] and read.commits == [("abc1234", "S")]
    assert read.turns[0].mentions == ("a.py",) and read.scan.unknown_types == {"hologram": 1}
    assert read.turns[1].name == "gpt-5" and read.head.version == "2.0.1"


def test_each_session_is_read_from_one_generation(tmp_path: Path) -> None:
    rows = [
        session("ses_1"),
        session("ses_2"),
        *message(1, "user", text("frozen"), session_id="ses_1"),
        *message(2, "user", text("not taken over"), session_id="ses_2"),
        second_session("ses_1"),
        second_session("ses_2"),
        entry(1, "user", "ses_1", text="current"),
    ]
    database(tmp_path / "opencode.db", FIRST + SECOND, rows)
    tree(
        tmp_path,
        message(1, "user", text("oldest"), session_id="ses_1") + message(3, "user", text("files"), session_id="ses_3"),
    )
    assert {name: read.said for name, read in store("opencode", tmp_path).items()} == {
        "ses_1": [("person", "current")],
        "ses_2": [("person", "not taken over")],
        "ses_3": [("person", "files")],
    }


def test_the_tree_of_files(tmp_path: Path) -> None:
    rows = message(2, "assistant", text("Two writers.")) + message(1, "user", text("Why a lock?"))
    about = {
        "id": "ses_1",
        "directory": DIRECTORY,
        "title": "New session - 2026-03-01",
        "version": "0.9",
        "time": {"created": START},
    }
    tree(tmp_path, rows, about)
    (tmp_path / "storage" / "part" / "msg_001" / "prt_torn.json").write_text('{"type":"te')
    read = only("opencode", tmp_path)
    assert read.said == [("person", "Why a lock?"), ("assistant", "Two writers.")]
    assert read.head.title_from == "first turn" and read.head.cwds == [DIRECTORY] and read.scan.skipped_lines == 1


def test_a_change_of_one_session_changes_only_its_source(tmp_path: Path) -> None:
    rows = [
        session("ses_1"),
        session("ses_2"),
        *message(1, "user", text("a")),
        *message(2, "user", text("b"), session_id="ses_2"),
    ]
    path = database(tmp_path / "opencode.db", FIRST, rows)
    before = {source.id: source.parts for source in Opencode().sources(path, never())}
    database(path, "", message(3, "user", text("more"), session_id="ses_2"))
    after = {source.id: source.parts for source in Opencode().sources(path, never())}
    assert before["ses_1"] == after["ses_1"] and before["ses_2"] != after["ses_2"]


def test_a_database_in_use_leaves_its_folder_as_it_is(tmp_path: Path) -> None:
    connection = in_use(tmp_path / "opencode.db", FIRST, [session(), *message(1, "user", text("live"))])
    before = snapshot(tmp_path)
    assert only("opencode", tmp_path).said == [("person", "live")]
    assert snapshot(tmp_path) == before
    connection.close()


def test_a_database_that_is_something_else_is_told_after_the_rest(tmp_path: Path) -> None:
    database(tmp_path / "opencode-dev.db", "CREATE TABLE other (x);")
    database(tmp_path / "opencode.db", FIRST, [session(), *message(1, "user", text("Go"))])
    found: list[str] = []
    with pytest.raises(AnamnesisError) as caught:
        found += [source.id for source in Opencode().sources(tmp_path, never())]
    assert caught.value.code is ErrorCode.STORE_UNREADABLE and "no table session" in caught.value.message
    with pytest.raises(AnamnesisError):
        for source in Opencode().sources(tmp_path, never()):
            found.append(source.id)
    assert found == ["ses_1"]


def test_rows_that_hold_no_object_are_counted(tmp_path: Path) -> None:
    rows = message(1, "user", text("Go"))
    rows += [("message", ["msg_9", "ses_1", 1, 1, "not json"]), ("part", ["prt_9", "msg_001", "ses_1", 1, 1, None])]
    read = first(tmp_path, *rows)
    assert read.said == [("person", "Go")] and read.scan.skipped_lines == 2


def test_an_export(tmp_path: Path) -> None:
    told = {
        "info": {"id": "ses_x", "directory": DIRECTORY},
        "messages": [{"info": {"id": "m", "role": "user"}, "parts": [text("Go")]}],
    }
    (tmp_path / "export.json").write_text(json.dumps(told))
    read = only("opencode", tmp_path / "export.json")
    assert read.source.id == "ses_x" and read.said == [("person", "Go")]
