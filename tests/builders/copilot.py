"""Copilot's stores in the making, after ``formats/FORMATS.md`` section 6: event logs, VS Code's chat sessions."""

from __future__ import annotations

import json
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from typing_extensions import Self

START = datetime(2026, 5, 12, 9, 0, tzinfo=timezone.utc)


class EventLog:
    """An event log, event by event; each is ten seconds after the one before."""

    def __init__(self, session: str = "5e551011-0000-4000-8000-000000000001") -> None:
        self.id = session
        self.lines: list[bytes] = []
        self.now = START
        self._calls = 0

    def event(self, kind: str, data: dict[str, Any] | None = None, **fields: Any) -> Self:
        self.now += timedelta(seconds=10)
        time = self.now.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        identity = fields.pop("id", f"e{len(self.lines) + 1}")
        record = {"type": kind, "data": data or {}, "id": identity, "timestamp": time, "parentId": None, **fields}
        self.lines.append(json.dumps(record).encode())
        return self

    def start(self, version: str = "1.0.85", **context: Any) -> Self:
        about = {"sessionId": self.id, "version": 1, "producer": "copilot-agent", "copilotVersion": version}
        return self.event("session.start", {**about, "startTime": START.isoformat(), "context": context})

    def person(self, text: str, **data: Any) -> Self:
        return self.event("user.message", {"content": text, "transformedContent": f"<now/>{text}", **data})

    def assistant(self, text: str, **fields: Any) -> Self:
        return self.event("assistant.message", {"messageId": "m", "content": text}, **fields)

    def tool(
        self, name: str, arguments: dict[str, Any] | str, success: bool | None = True, output: str = "", **result: Any
    ) -> Self:
        """A call as a message asks for it, its start, and its end (``success`` None: it never ended)."""
        self._calls += 1
        call = f"call-{self._calls}"
        request = {"toolCallId": call, "name": name, "arguments": arguments}
        self.event("assistant.message", {"messageId": "m", "content": "", "toolRequests": [request]})
        self.event("tool.execution_start", {"toolCallId": call, "toolName": name, "arguments": arguments})
        if success is not None:
            done = {"toolCallId": call, "success": success, "result": {"content": output, **result}}
            self.event("tool.execution_complete", done)
        return self

    @property
    def data(self) -> bytes:
        return b"".join(line + b"\n" for line in self.lines)

    def write_to(self, home: Path, folder: str | None = None) -> Path:
        """Put it where Copilot CLI keeps it."""
        return write(home / "session-state" / (folder or self.id) / "events.jsonl", self.data)


def request(text: str, number: int = 1, **fields: Any) -> dict[str, Any]:
    """One request of a chat session with an empty reply."""
    whole: dict[str, Any] = {
        "requestId": f"request_{number}",
        "timestamp": 1_770_580_000_000 + number * 60_000,
        "message": {"text": text, "parts": [{"kind": "text", "text": text}]},
        "variableData": {"variables": []},
        "response": [],
        "responseId": f"response_{number}",
        "result": {"metadata": {"toolCallRounds": [], "toolCallResults": {}}},
        "modelId": "copilot/gpt-5",
        "agent": {"extensionVersion": "0.37.1"},
    }
    return {**whole, **fields}


def called(tool: str, arguments: dict[str, Any], printed: str | None = None, call: str = "call_1") -> dict[str, Any]:
    """The ``result`` of a request whose model called one tool."""
    turn = {"response": "", "toolCalls": [{"id": call, "name": tool, "arguments": json.dumps(arguments)}]}
    results = {} if printed is None else {call: {"content": [{"value": {"node": _leaf(printed)}}]}}
    return {"metadata": {"toolCallRounds": [turn], "toolCallResults": results}}


def _leaf(text: str) -> dict[str, Any]:
    return {"type": 1, "children": [{"type": 2, "text": text, "lineBreakBefore": False}], "props": {}}


def edited(path: str, text: str, done: bool = True, lines: tuple[int, int] = (1, 1)) -> dict[str, Any]:
    """What the editor put into a file: an insertion, or a replacement of the lines."""
    span = {"startLineNumber": lines[0], "startColumn": 1, "endLineNumber": lines[1], "endColumn": 1}
    uri = {"$mid": 1, "path": path, "scheme": "file"}
    return {"kind": "textEditGroup", "uri": uri, "edits": [[{"text": text, "range": span}], []], "done": done}


def chat(*requests: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """A chat session."""
    return {"version": 3, "sessionId": "c1", "creationDate": 1_770_580_000_000, "requests": list(requests), **fields}


def write(path: Path, value: object) -> Path:
    """Write bytes, or JSON, with the folders above."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(value if isinstance(value, bytes) else json.dumps(value).encode())
    return path


def storage(user: Path, name: str = "a1b2", folder: str | None = "file:///home/dev/app") -> Path:
    """One workspace's storage under a ``User`` folder, with the file that says whose it is."""
    place = user / "workspaceStorage" / name
    place.mkdir(parents=True, exist_ok=True)
    if folder is not None:
        write(place / "workspace.json", {"folder": folder})
    return place
