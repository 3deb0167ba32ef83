"""One small sound store for every runtime: what the tests over all readers tear, splice and bend.

Each has at least one turn of a person, one of the assistant and, where the format tells edits, one edit.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.builders import continue_dev, gemini, windsurf
from tests.builders.amp import Thread
from tests.builders.claude import Transcript, session
from tests.builders.cline import Task, said
from tests.builders.cline import session as cline_session
from tests.builders.codex import Rollout, patch
from tests.builders.copilot import EventLog, called, chat, edited, request, write
from tests.builders.databases import Rows, database
from tests.builders.exports import aider_launch, aider_prompt, aider_says, model_says, specstory


@dataclass(frozen=True)
class Seed:
    """A store: its root, the file that is the conversation, and that file's form."""

    root: Path
    main: Path
    form: str
    """``lines`` (JSON, one a line), ``document`` (JSON), ``text`` or ``database``."""


PATCH = patch("a.py", "x", "y")


def _claude(folder: Path) -> Seed:
    transcript = Transcript(session(1)).person("Go").assistant("I look").edit("a.py", "x", "y").commit("Add it")
    path = write(folder / f"{session(1)}.jsonl", b"".join(line + b"\n" for line in transcript.lines))
    return Seed(folder, path, "lines")


def _codex(folder: Path) -> Seed:
    rollout = Rollout().prompt("Go").reply("I look")
    rollout.custom_patch(PATCH)
    return Seed(folder, rollout.shell("git commit -m x", "[main 1234567] x").write_to(folder), "lines")


def _gemini(folder: Path) -> Seed:
    chats = gemini.project(folder)
    edit = gemini.call("replace", {"file_path": "a.py", "old_string": "x", "new_string": "y"})
    told = gemini.message("2", "gemini", "I look", toolCalls=[edit])
    return Seed(folder / ".gemini", gemini.session_log(chats, gemini.message("1", "user", "Go"), told), "lines")


def _qwen(folder: Path) -> Seed:
    call = {"functionCall": {"id": "c", "name": "write_file", "args": {"file_path": "a.py", "content": "y"}}}
    records = [
        gemini.qwen("user", "1", {"text": "Go"}),
        gemini.qwen("assistant", "2", {"text": "I look"}, call),
    ]
    path = folder / "projects" / "-home-dev-app" / "chats" / f"{gemini.SESSION}.jsonl"
    return Seed(folder, gemini.log(path, *records), "lines")


def _aider(folder: Path) -> Seed:
    edit = "a.py\n```\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n```"
    said = (aider_prompt("Go"), model_says(f"I look\n\n{edit}"), aider_says("Applied edit to a.py\nCommit 1234567 x"))
    text = aider_launch("2026-03-01 09:00:00", *said)
    return Seed(folder, write(folder / ".aider.chat.history.md", text.encode()), "text")


def _specstory(folder: Path) -> Seed:
    text = specstory("_**User**_\n\nGo", "_**Assistant**_\n\nI look")
    return Seed(folder, write(folder / "2026-03-01_09-00Z-go.md", text.encode()), "text")


def _transcripts(folder: Path) -> Seed:
    return Seed(folder, write(folder / "log.md", "> Go\n\n⏺ Right.\n\n> On\n\n⏺ I look at it.\n".encode()), "text")


def _copilot_cli(folder: Path) -> Seed:
    log = EventLog().start(cwd="/home/dev/app").person("Go").assistant("I look")
    log.tool("edit", {"path": "a.py", "old_str": "x", "new_str": "y"})
    return Seed(
        folder, log.tool("bash", {"command": "git commit"}, output="[main 1234567] x").write_to(folder), "lines"
    )


def _copilot_chat(folder: Path) -> Seed:
    result = called("replace_string_in_file", {"filePath": "/a.py", "oldString": "x", "newString": "y"}, "ok")
    asked = request("Go", response=[{"value": "I look"}, edited("/a.py", "y")], result=result)
    operations = [
        {"kind": 0, "v": chat(asked)},
        {"kind": 2, "k": ["requests"], "v": [request("More", 2)]},
        {"kind": 1, "k": ["requests", 1, "response"], "v": [{"value": "Yes"}]},
    ]
    data = b"".join(json.dumps(operation).encode() + b"\n" for operation in operations)
    path = write(folder / "workspaceStorage" / "h" / "chatSessions" / "c1.jsonl", data)
    return Seed(folder, path, "lines")


def _cline(folder: Path) -> Seed:
    task = (
        Task().user("<task>Go</task>").native("write_to_file", {"path": "a.py", "content": "y"}, "successfully saved")
    )
    return Seed(folder, task.assistant("I look").write_to(folder) / "api_conversation_history.json", "document")


def _roo(folder: Path) -> Seed:
    task = (
        Task()
        .say("text", "Go")
        .say("text", "I look")
        .say("tool", {"tool": "newFileCreated", "path": "a", "content": "y"})
    )
    return Seed(folder, task.write_to(folder) / "ui_messages.json", "document")


def _amp(folder: Path) -> Seed:
    thread = Thread().person("Go").assistant("I look").tool("edit_file", {"path": "/a", "old_str": "x", "new_str": "y"})
    return Seed(folder, write(folder / f"{thread.id}.json", thread.document()), "document")


def _continue(folder: Path) -> Seed:
    edit = continue_dev.used("Edit", {"file_path": "/a", "old_string": "x", "new_string": "y"})
    whole = continue_dev.session(continue_dev.asked("Go"), continue_dev.replied("I look"), edit)
    return Seed(folder, write(folder / "sessions" / "s1.json", whole), "document")


def _windsurf(folder: Path) -> Seed:
    steps = [windsurf.person("Go"), windsurf.reply("I look"), windsurf.code("/a.py", "y")]
    return Seed(folder, write(folder / "t1.jsonl", b"".join(steps)), "lines")


def _goose(folder: Path) -> Seed:
    schema = """
    CREATE TABLE sessions (id TEXT PRIMARY KEY, name TEXT, description TEXT, user_set_name BOOLEAN, session_type TEXT,
        working_dir TEXT, created_at TIMESTAMP, updated_at TIMESTAMP);
    CREATE TABLE messages (id INTEGER PRIMARY KEY, message_id TEXT, session_id TEXT, role TEXT, content_json TEXT,
        created_timestamp INTEGER, timestamp TIMESTAMP);
    """
    rows: Rows = [
        ("sessions", ["s1", "n", "", 0, "user", "/home/dev/app", "2026-03-01T09:00:00Z", "2026-03-01T09:10:00Z"]),
        ("messages", [1, "m1", "s1", "user", [{"type": "text", "text": "Go"}], 1_784_282_401, "2026-03-01T09:00:00Z"]),
        ("messages", [2, "m2", "s1", "assistant", [{"type": "text", "text": "I look"}], 1_784_282_402, None]),
    ]
    return Seed(folder, database(folder / "sessions.db", schema, rows), "database")


def _opencode(folder: Path) -> Seed:
    schema = """
    CREATE TABLE session (id TEXT PRIMARY KEY, directory TEXT, time_created, time_updated);
    CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created, data TEXT);
    CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, data TEXT);
    """
    rows: Rows = [
        ("session", ["ses_1", "/home/dev/app", 1_784_278_800_000, 1_784_278_802_000]),
        ("message", ["msg_1", "ses_1", 1_784_278_801_000, {"role": "user"}]),
        ("message", ["msg_2", "ses_1", 1_784_278_802_000, {"role": "assistant"}]),
        ("part", ["prt_1", "msg_1", {"type": "text", "text": "Go"}]),
        ("part", ["prt_2", "msg_2", {"type": "text", "text": "I look"}]),
    ]
    return Seed(folder, database(folder / "opencode.db", schema, rows), "database")


def _zed(folder: Path) -> Seed:
    schema = "CREATE TABLE threads (id TEXT PRIMARY KEY, summary TEXT, updated_at TEXT, data_type TEXT, data BLOB);"
    messages = [
        {"User": {"id": "u1", "content": [{"Text": "Go"}]}},
        {"Agent": {"content": [{"Text": "I look"}], "tool_results": {}}},
    ]
    data = {"version": "0.3.0", "title": "t", "updated_at": "2026-03-01T09:00:00Z", "messages": messages}
    rows: Rows = [("threads", ["t1", "t", "2026-03-01T09:00:00Z", "json", data])]
    return Seed(folder, database(folder / "threads.db", schema, rows), "database")


def _crush(folder: Path) -> Seed:
    schema = """
    CREATE TABLE sessions (id TEXT PRIMARY KEY, parent_session_id TEXT, title TEXT, created_at INTEGER,
        updated_at INTEGER);
    CREATE TABLE messages (id TEXT PRIMARY KEY, session_id TEXT, role TEXT, parts TEXT, model TEXT,
        created_at INTEGER, updated_at INTEGER, is_summary_message INTEGER);
    CREATE TABLE files (id TEXT PRIMARY KEY, session_id TEXT, path TEXT, content TEXT, version INTEGER,
        created_at INTEGER, updated_at INTEGER);
    """

    def text(words: str) -> list[dict[str, object]]:
        return [{"type": "text", "data": {"text": words}}]

    rows: Rows = [
        ("sessions", ["s1", None, "t", 1_784_278_800, 1_784_278_802]),
        ("messages", ["m1", "s1", "user", text("Go"), None, 1_784_278_801, 1_784_278_801, 0]),
        ("messages", ["m2", "s1", "assistant", text("I look"), "m", 1_784_278_802, 1_784_278_802, 0]),
    ]
    return Seed(folder, database(folder / ".crush" / "crush.db", schema, rows), "database")


def _cursor(folder: Path) -> Seed:
    lines = [
        {"role": "user", "message": {"content": [{"type": "text", "text": "<user_query>\nGo\n</user_query>"}]}},
        {"role": "assistant", "message": {"content": [{"type": "text", "text": "I look"}]}},
        {
            "role": "assistant",
            "message": {"content": [{"type": "tool_use", "name": "Write", "input": {"path": "a.py", "contents": "y"}}]},
        },
    ]
    identity = "5e551011-0000-4000-8000-000000000001"
    place = folder / "projects" / "home-dev-app" / "agent-transcripts" / identity / f"{identity}.jsonl"
    return Seed(folder, write(place, b"".join(json.dumps(line).encode() + b"\n" for line in lines)), "lines")


def _chat_document(folder: Path) -> Seed:
    """The older form of a chat session."""
    result = called("create_file", {"filePath": "/a.py", "content": "y"}, "ok")
    whole = chat(request("Go", response=[{"value": "I look"}], result=result), request("More", 2))
    return Seed(folder, write(folder / "chatSessions" / "c1.json", whole), "document")


def _chat_transcript(folder: Path) -> Seed:
    """What hooks write of a chat."""
    log = EventLog().start(vscode="1").person("Go").assistant("I look").tool("apply_patch", PATCH)
    return Seed(folder, write(folder / "GitHub.copilot-chat" / "transcripts" / "t.jsonl", log.data), "lines")


def _cline_session(folder: Path) -> Seed:
    """A session of the SDK."""
    use = {"type": "tool_use", "id": "1", "name": "editor", "input": {"path": "a", "old_text": "x", "new_text": "y"}}
    result = {"type": "tool_result", "tool_use_id": "1", "content": "ok"}
    messages = [said("user", "<user_input>Go</user_input>"), said("assistant", "I look", use), said("user", result)]
    return Seed(folder, cline_session(folder, "s1", messages, cwd="/home/dev/app"), "document")


def _cline_shown(folder: Path) -> Seed:
    """A task of which both files are kept; what was shown is torn."""
    task = Task().say("text", "Go").say("api_req_started", {"request": "x"}).say("text", "I look")
    task.ask("tool", {"tool": "newFileCreated", "path": "a.py", "content": "y"}).say("command", "git commit -m x")
    task.say("command_output", "[main 1234567] x").ask("followup", {"question": "Q?", "selected": "A"})
    task.user("<task>Go</task>").native("write_to_file", {"path": "a.py", "content": "y"}, "successfully saved")
    return Seed(folder, task.write_to(folder) / "ui_messages.json", "document")


def _codex_paginated(folder: Path) -> Seed:
    return Seed(folder, Rollout(paginated=True).prompt("Go").reply("I look").write_to(folder), "lines")


SEEDS: dict[str, Callable[[Path], Seed]] = {
    "claude-code": _claude,
    "codex": _codex,
    "gemini": _gemini,
    "opencode": _opencode,
    "aider": _aider,
    "copilot-chat": _copilot_chat,
    "copilot-cli": _copilot_cli,
    "cursor": _cursor,
    "cline": _cline,
    "roo": _roo,
    "goose": _goose,
    "amp": _amp,
    "specstory": _specstory,
    "continue": _continue,
    "zed": _zed,
    "crush": _crush,
    "qwen": _qwen,
    "windsurf": _windsurf,
    "transcripts": _transcripts,
}
"""Runtime → how to make its store in a folder."""

VARIANTS: dict[str, tuple[str, Callable[[Path], Seed]]] = {
    **{kind: (kind, maker) for kind, maker in SEEDS.items()},
    "copilot-chat document": ("copilot-chat", _chat_document),
    "copilot-chat transcript": ("copilot-chat", _chat_transcript),
    "cline session": ("cline", _cline_session),
    "cline shown": ("cline", _cline_shown),
    "codex paginated": ("codex", _codex_paginated),
}
"""Every form of store that has a seed: its name → the runtime, and how to make it."""
