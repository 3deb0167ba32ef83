"""Databases whose rows are bent: any value in a column or inside its JSON of a wrong type. No exception escapes."""

from __future__ import annotations

import contextlib
import copy
import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from anamnesis_lsp.cancel import never
from anamnesis_lsp.errors import AnamnesisError
from anamnesis_lsp.records.conversations.registry import runtime
from tests.builders import cursor, goose, opencode, zed
from tests.builders.databases import database
from tests.unit import test_crush as crush

Row = tuple[str, list[Any]]
EDIT = {"filePath": "a.py", "oldString": "x", "newString": "y"}


def opencode_rows() -> list[Row]:
    shell = opencode.tool("bash", {"command": "git commit"}, output="[main abc1234] S", metadata={"exit": 0})
    meta = {"filediff": {"file": "a", "before": "x", "after": "y"}, "files": [{"after": "y"}]}
    parts = [
        opencode.text("I look"),
        opencode.tool("edit", EDIT, metadata=meta),
        shell,
        {"type": "patch", "files": ["b"]},
    ]
    state = {"status": "completed", "input": EDIT, "structured": {"exit": 0}, "content": [{"text": "t"}]}
    content = [{"type": "text", "text": "Hm"}, {"type": "tool", "name": "edit", "state": state}]
    return [
        opencode.session(revert={"messageID": "msg_009"}),
        opencode.session("ses_2", parent="ses_1"),
        *opencode.message(1, "user", opencode.text("Go"), {"type": "file", "source": {"path": "p"}}),
        *opencode.message(2, "assistant", *parts, path={"cwd": "/w"}, modelID="m"),
        *opencode.message(3, "user", {"type": "subtask", "prompt": "p", "command": "c"}, session_id="ses_2"),
        opencode.second_session("ses_3"),
        opencode.entry(1, "user", "ses_3", text="Go", files=[{"path": "a"}]),
        opencode.entry(2, "assistant", "ses_3", content=content, snapshot={"files": ["f"]}),
        opencode.entry(3, "shell", "ses_3", command="git commit", output="o"),
    ]


def goose_rows() -> list[Row]:
    calls = [goose.request("a", "developer__text_editor", command="write", path="a", file_text="w")]
    calls.append(goose.request("b", "developer__shell", command="git commit"))
    return [
        goose.version(),
        goose.session(),
        goose.message(1, "user", "Go", userVisible=True),
        goose.message(2, "assistant", "Hm", *calls),
        goose.message(3, "user", goose.response("a"), goose.response("b", "no", "error")),
    ]


def zed_rows() -> list[Row]:
    mention = {"Mention": {"uri": {"File": {"abs_path": "/a"}}}}
    shown = zed.result(output={"new_text": "y", "old_text": "x"})
    reply = zed.agent("Hm", zed.use("a", "edit_file", path="app/a"), zed.use("b", "terminal", command="c"), a=shown)
    git = {"worktree_snapshots": [{"git_state": {"head_sha": "f" * 40}}]}
    older = {"id": 1, "role": "assistant", "segments": [{"type": "text", "text": "t"}], "tool_uses": [{"name": "n"}]}
    packed = zed.thread("t", zed.user("Go", mention), reply, "Resume", packed=False, initial_project_snapshot=git)
    return [packed, zed.thread("o", older, packed=False), zed.thread("z", zed.user("Go"))]


def crush_rows() -> list[Row]:
    calls = [
        crush.call("a", "edit", file_path="a", old_string="x", new_string="y"),
        crush.call("b", "bash", command="c"),
    ]
    shell = {"type": "shell_command", "data": {"command": "git commit", "output": "o"}}
    return [
        crush.session(),
        crush.message(1, "user", "Go", shell),
        crush.message(2, "assistant", "Hm", *calls),
        crush.message(3, "tool", crush.result("a", new_content="y"), crush.result("b", exit_code=0)),
    ]


def cursor_rows() -> list[Row]:
    diff = {"diff": {"chunks": [{"diffString": "+y"}]}, "afterContentId": "composer.content.1"}
    params = {"relativeWorkspacePath": "a"}
    bubbles = [
        cursor.bubble(1, 1, "Go", workspaceProjectDir="/w"),
        cursor.bubble(2, 2, "Hm", timingInfo={"clientStartTime": 1}),
        cursor.tool(3, "edit_file", params=params, result=diff, target_file="a", code_edit="y"),
        cursor.tool(4, "run_terminal_cmd", result={"output": "o", "exitCodeV2": 0}, command="git commit"),
    ]
    old = cursor.composer(cursor.uuid(2), conversation=[cursor.bubble(1, 1, "Old")])
    return cursor.composer(cursor.uuid(1), *bubbles, subComposerIds=[cursor.uuid(2)]) + old


def chat_rows() -> list[Row]:
    call = {"type": "tool-call", "toolCallId": "1", "toolName": "Shell", "args": {"command": "git commit"}}
    told = {"type": "tool-result", "toolCallId": "1", "result": "x", "experimental_content": [{"text": "t"}]}
    messages: list[Any] = [
        {"role": "user", "content": [{"type": "text", "text": "<user_query>Go</user_query>"}]},
        {"role": "assistant", "content": [{"type": "text", "text": "Hm"}, call]},
        {"role": "tool", "content": [told]},
    ]
    about = {"latestRootBlobId": "f", "createdAt": 1, "name": "n"}
    blobs: list[Row] = [("blobs", [f"{number}", message]) for number, message in enumerate(messages)]
    return [("meta", ["0", json.dumps(about).encode().hex()]), ("blobs", ["f", b"\xff"]), *blobs]


STORES: dict[str, tuple[str, str, str, Callable[[], list[Row]]]] = {
    "opencode": ("opencode", "opencode.db", opencode.FIRST + opencode.SECOND, opencode_rows),
    "goose": ("goose", "sessions.db", goose.SCHEMA, goose_rows),
    "zed": ("zed", "threads.db", zed.SCHEMA, zed_rows),
    "crush": ("crush", ".crush/crush.db", crush.SCHEMA, crush_rows),
    "cursor": ("cursor", "state.vscdb", cursor.KV + cursor.ITEMS, cursor_rows),
    "cursor chat": ("cursor", "chats/h/c1/store.db", cursor.CHAT, chat_rows),
}
junk = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(-(2**63), 2**63 - 1), st.floats(), st.text(max_size=6), st.just("\ud800")
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=6), inner, max_size=3)),
    max_leaves=6,
)


def replaced(value: Any, path: list[int], new: object) -> Any:
    """The value with what stands at a path (of positions among its keys) replaced."""
    keys: list[Any] = (
        list(value) if isinstance(value, dict) else list(range(len(value))) if isinstance(value, list) else []
    )
    if not path or not keys:
        return new
    key = keys[path[0] % len(keys)]
    value[key] = replaced(value[key], path[1:], new)
    return value


def read(kind: str, root: Path) -> int:
    """Turns of the whole store, checked."""
    reader, count = runtime(kind), 0
    try:
        sources = list(reader.sources(root, never()))
    except AnamnesisError:
        return 0
    for source in sources:
        reading = reader.read(source, never())
        try:
            for turn in reading:
                count += 1
                edits = "".join(edit.path + edit.written + (edit.removed or "") for edit in turn.edits)
                "".join([turn.text, turn.name or "", turn.cwd or "", *turn.mentions, edits]).encode("utf-8")
        except AnamnesisError:
            pass
        reader.handle(source, reading.head, [])
    return count


@pytest.mark.parametrize("name", STORES)
def test_the_rows_themselves_are_read(name: str, tmp_path: Path) -> None:
    kind, file, schema, rows = STORES[name]
    database(tmp_path / file, schema, rows())
    assert read(kind, tmp_path) >= 2


@pytest.mark.parametrize("name", STORES)
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(number=st.integers(0, 30), path=st.lists(st.integers(0, 40), min_size=1, max_size=9), value=junk)
def test_any_value_of_a_wrong_type(name: str, tmp_path: Path, number: int, path: list[int], value: object) -> None:
    kind, file, schema, made = STORES[name]
    rows = copy.deepcopy(made())
    table, values = rows[number % len(rows)]
    bent = replaced(values, path, value)
    rows[number % len(rows)] = (
        table,
        bent if isinstance(bent, list) and len(bent) == len(made()[number % len(rows)][1]) else values,
    )
    target = tmp_path / file
    target.unlink(missing_ok=True)
    rows = [(table, [plain(value) for value in values]) for table, values in rows]
    with contextlib.suppress(sqlite3.Error):  # what the table itself refuses
        database(target, schema, rows)
    read(kind, tmp_path)


def plain(value: Any) -> Any:
    """What SQLite takes: lone surrogates as they come in bytes, numbers in range."""
    if isinstance(value, str) and "\ud800" in value:
        return value.encode("utf-8", "surrogatepass")
    return value
