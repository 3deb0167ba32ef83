"""Copilot Chat in VS Code: both containers, edits by call and by editor, workspaces. Fixtures from FORMATS 6a, 6b."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from anamnesis_lsp.records.conversations import copilot_chat_log
from anamnesis_lsp.records.conversations.copilot_chat import CopilotChat
from tests.builders.copilot import EventLog, called, chat, edited, request, storage, write
from tests.builders.reading import Read, read_all, read_one

APP = "/home/dev/app"


def one(tmp_path: Path, *requests: dict[str, Any], **fields: Any) -> Read:
    path = write(storage(tmp_path) / "chatSessions" / "c1.json", chat(*requests, **fields))
    return read_one("copilot-chat", path)


def log(*operations: object) -> bytes:
    return b"".join(json.dumps(operation).encode() + b"\n" for operation in operations)


def test_a_request_is_the_person_and_its_reply(tmp_path: Path) -> None:
    link = {"kind": "inlineReference", "inlineReference": {"path": f"{APP}/a.py", "scheme": "file"}}
    reply = [
        {"kind": "thinking", "value": "hm"},
        {"value": "See "},
        link,
        {"kind": "markdownContent", "content": {"value": "."}},
    ]
    found = one(tmp_path, request("Why?", response=reply), customTitle="A question")
    assert found.said == [("person", "Why?"), ("assistant", "See `a.py`.")]
    assert (found.head.title, found.head.title_from) == ("A question", "assistant")
    assert found.head.cwds == [APP] and found.turns[0].cwd == APP
    assert found.turns[0].native_id == "request_1" and found.turns[1].name == "copilot/gpt-5"


def test_a_request_the_system_made_is_not_the_persons(tmp_path: Path) -> None:
    found = one(tmp_path, request("terminal finished", isSystemInitiated=True))
    assert found.speakers == {"injected": 1}


def test_the_operation_log_builds_the_session(tmp_path: Path) -> None:
    data = log(
        {"kind": 0, "v": chat(request("First"), request("Dropped", 2))},
        {"kind": 2, "k": ["requests"], "i": 1, "v": [request("Second", 3)]},
        {"kind": 2, "k": ["requests", 1, "response"], "v": [{"value": "An answer"}]},
        {"kind": 1, "k": ["customTitle"], "v": "Named"},
        {"kind": 3, "k": ["requests", 0, "response"]},
        {"kind": 1, "k": ["inputState", "inputText"], "v": "typing"},
    )
    found = read_one("copilot-chat", write(tmp_path / "chatSessions" / "c1.jsonl", data).parent)
    assert found.said == [("person", "First"), ("person", "Second"), ("assistant", "An answer")]
    assert found.head.title == "Named" and found.scan.unknown_types == {}


def test_operations_on_nothing_and_lost_lines_are_counted(tmp_path: Path) -> None:
    data = log({"kind": 0, "v": chat(request("One"))}, {"kind": 1, "k": ["requests", 9, "x"], "v": 1}, {"kind": 7})
    found = read_one(
        "copilot-chat", write(tmp_path / "chatSessions" / "c1.jsonl", data + b"{torn\n" + b'{"kind":').parent
    )
    assert found.scan.unknown_types == {"operation on nothing": 1, "operation 7": 1}
    assert (found.scan.skipped_lines, found.scan.incomplete_tail) == (1, True)


def test_an_edit_has_the_exact_arguments_and_is_applied_where_that_shows(tmp_path: Path) -> None:
    replace = {"filePath": f"{APP}/a.py", "oldString": "x\ny", "newString": "x\nz"}
    by_editor = request(
        "1", 1, response=[edited(f"{APP}/a.py", "x\nz", lines=(1, 2))], result=called("replace_string_in_file", replace)
    )
    by_result = request(
        "2", 2, result=called("replace_string_in_file", replace, "The following files were successfully edited:\n/a.py")
    )
    failed = request("3", 3, result=called("replace_string_in_file", replace, "ERROR: no match found"))
    cancelled = request("4", 4, isCanceled=True, result=called("replace_string_in_file", replace))
    found = one(tmp_path, by_editor, by_result, failed, cancelled)
    assert [outcome for _, outcome in found.outcomes] == ["applied", "applied", "failed", "unconfirmed"]
    assert {(edit.written, edit.removed) for edit in found.edits} == {("z", "y")}


@pytest.mark.parametrize("confirmed", [False, {"type": 0}, {"type": 5}])
def test_an_invocation_the_person_refused_is_rejected(tmp_path: Path, confirmed: object) -> None:
    shown = {
        "kind": "toolInvocationSerialized",
        "toolId": "copilot_createFile",
        "toolCallId": "v",
        "isConfirmed": confirmed,
    }
    found = one(
        tmp_path, request("1", response=[shown], result=called("create_file", {"filePath": "/n", "content": "c"}))
    )
    assert found.outcomes == [("/n", "rejected")]


def test_edits_the_editor_made_without_a_call_are_told_by_their_text(tmp_path: Path) -> None:
    inserted, replaced = edited("/i.py", "new line"), edited("/r.py", "a\nb", done=False, lines=(1, 9))
    found = one(tmp_path, request("1", response=[inserted, replaced]))
    assert found.outcomes == [("/i.py", "applied"), ("/r.py", "unconfirmed")]
    assert [(edit.written, edit.whole_file) for edit in found.edits] == [("new line", False), ("a\nb", True)]


def test_an_inserted_edit_is_what_the_editor_applied_not_its_placeholders(tmp_path: Path) -> None:
    arguments = {"filePath": "/a.py", "code": "head\n// ...existing code...\ntail"}
    result = called("insert_edit_into_file", arguments)
    shown = one(tmp_path / "1", request("1", response=[edited("/a.py", "tail")], result=result))
    alone = one(tmp_path / "2", request("1", result=result))
    assert [(edit.written, edit.outcome.value) for edit in shown.edits] == [("tail", "applied")]
    assert [(edit.written, edit.outcome.value) for edit in alone.edits] == [("head\ntail", "unconfirmed")]


def test_a_windows_path_is_the_same_file_in_both_spellings(tmp_path: Path) -> None:
    arguments = {"filePath": "C:\\app\\a.py", "oldString": "x", "newString": "y"}
    found = one(
        tmp_path,
        request("1", response=[edited("/c:/app/a.py", "y")], result=called("replace_string_in_file", arguments)),
    )
    assert found.outcomes == [("C:\\app\\a.py", "applied")]


def test_several_replacements_and_patches(tmp_path: Path) -> None:
    many = {
        "explanation": "",
        "replacements": [
            {"filePath": "/a", "oldString": "1", "newString": "2"},
            {"filePath": "/b", "oldString": "3", "newString": "4"},
        ],
    }
    patch = {"input": "*** Begin Patch\n*** Update File: /c\n@@\n-old\n+new\n*** End Patch", "explanation": ""}
    found = one(
        tmp_path,
        request("1", 1, result=called("multi_replace_string_in_file", many)),
        request("2", 2, result=called("apply_patch", patch)),
    )
    assert [(edit.path, edit.written) for edit in found.edits] == [("/a", "2"), ("/b", "4"), ("/c", "new")]


def test_a_commit_in_the_terminal(tmp_path: Path) -> None:
    by_call = request(
        "1",
        1,
        result=called("run_in_terminal", {"command": "git commit -m Add"}, "[main 1234567] Add\n 1 file changed"),
    )
    data = {
        "kind": "terminal",
        "commandLine": {"original": "git commit -m B"},
        "terminalCommandOutput": {"text": "[main 7654321] B"},
    }
    shown = {
        "kind": "toolInvocationSerialized",
        "toolId": "run_in_terminal",
        "isConfirmed": {"type": 4},
        "toolSpecificData": data,
    }
    refused = {**shown, "isConfirmed": {"type": 0}}
    found = one(tmp_path, by_call, request("2", 2, response=[shown]), request("3", 3, response=[refused]))
    assert found.commits == [("1234567", "Add"), ("7654321", "B")]


def test_what_the_person_rejected_afterwards_is_undone(tmp_path: Path) -> None:
    place = storage(tmp_path)
    entry = {"resource": "file:///home/dev/app/a.py", "state": 2, "telemetryInfo": {"requestId": "request_1"}}
    write(place / "chatEditingSessions" / "c1" / "state.json", {"version": 2, "recentSnapshot": {"entries": [entry]}})
    both = [edited(f"{APP}/a.py", "x"), edited(f"{APP}/b.py", "y")]
    write(place / "chatSessions" / "c1.json", chat(request("1", response=both)))
    assert read_one("copilot-chat", tmp_path).outcomes == [(f"{APP}/a.py", "undone"), (f"{APP}/b.py", "applied")]


def test_a_request_taken_back_is_undone(tmp_path: Path) -> None:
    found = one(tmp_path, request("1", response=[edited("/a.py", "x")], shouldBeRemovedOnSend={"requestId": "r"}))
    assert found.outcomes == [("/a.py", "undone")]


def test_a_store_is_every_workspace_and_the_windows_without_one(tmp_path: Path) -> None:
    here, there = storage(tmp_path, "h1"), storage(tmp_path, "h2", "vscode-remote://ssh-remote%2Bbox/srv/app")
    write(here / "chatSessions" / "a.json", chat(request("older form")))
    write(here / "chatSessions" / "a.jsonl", log({"kind": 0, "v": chat(request("newer form"))}))
    write(there / "chatSessions" / "b.jsonl", log({"kind": 0, "v": chat(request("remote"))}))
    write(here / "GitHub.copilot-chat" / "transcripts" / "a.jsonl", EventLog("a").person("also kept").data)
    write(here / "GitHub.copilot-chat" / "transcripts" / "t.jsonl", EventLog("t").start().person("only here").data)
    write(tmp_path / "globalStorage" / "emptyWindowChatSessions" / "e.json", chat(request("no folder")))
    write(here / "state.json", {"requests": []})
    found = {one.source.id: one for one in read_all("copilot-chat", tmp_path)}
    assert {name: one.said[0][1] for name, one in found.items()} == {
        "a": "newer form", "b": "remote", "e": "no folder", "t": "only here",
    }  # fmt: skip
    assert {name: one.head.cwds for name, one in found.items()} == {"a": [APP], "b": ["/srv/app"], "e": [], "t": [APP]}
    for root in (here, tmp_path / "workspaceStorage", here / "chatSessions"):
        assert "a" in {one.source.id for one in read_all("copilot-chat", root)}
    handle = found["a"].handle()
    assert handle.command is None and handle.note is not None and APP in handle.note


def test_what_was_cut_when_saving_or_is_beyond_the_bound_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copilot_chat_log, "MAX_HELD_BYTES", 9000)
    cut = "[JustRide: value truncated for persistence; original 4000000 chars]"
    found = one(tmp_path, request("1", response=[{"value": cut}, {"value": "y" * 50_000}]))
    assert found.scan.omitted_chars == 4_050_000


def test_parts_of_an_unknown_kind_are_counted(tmp_path: Path) -> None:
    found = one(tmp_path, request("1", response=[{"kind": "hologram"}, {"kind": "undoStop", "id": "u"}]))
    assert found.scan.unknown_types == {"part of a reply: hologram": 1}


def test_a_torn_document_gives_what_it_holds(tmp_path: Path) -> None:
    whole = json.dumps(chat(request("One"), request("Two", 2))).encode()
    found = read_one("copilot-chat", write(tmp_path / "chatSessions" / "c1.json", whole[: whole.index(b"Two")]).parent)
    assert found.said == [("person", "One")] and found.scan.incomplete_tail


def test_the_users_folders_of_every_system_and_variant(tmp_path: Path) -> None:
    places = [".config/Code - Insiders/User", ".vscode-server/data/User", "Library/Application Support/VSCodium/User"]
    for place in places:
        (tmp_path / place).mkdir(parents=True)
    (tmp_path / "roaming" / "Code" / "User").mkdir(parents=True)
    roots = CopilotChat().default_roots({"APPDATA": str(tmp_path / "roaming")}, tmp_path, None)
    assert {root.relative_to(tmp_path).as_posix() for root in roots} == {*places, "roaming/Code/User"}
    assert CopilotChat().default_roots({}, tmp_path / "none", None) == [tmp_path / "none" / ".config" / "Code" / "User"]
