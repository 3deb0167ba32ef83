"""Stores of Cline and Roo Code in the making, after ``formats/FORMATS.md`` section 8."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from typing_extensions import Self

from tests.builders.copilot import write

START = 1_767_225_600_000


class Task:
    """A classic task: what was shown, and the model's conversation beside it."""

    def __init__(self, identity: str = "1767225600000") -> None:
        self.id = identity
        self.shown: list[dict[str, Any]] = []
        self.messages: list[dict[str, Any]] = []
        self._now = START
        self._calls = 0

    def _show(self, form: str, kind: str, text: object = "", **fields: Any) -> Self:
        self._now += 1000
        written = text if isinstance(text, str) else json.dumps(text)
        self.shown.append({"ts": self._now, "type": form, form: kind, "text": written, **fields})
        return self

    def say(self, kind: str, text: object = "", **fields: Any) -> Self:
        return self._show("say", kind, text, **fields)

    def ask(self, kind: str, text: object = "", **fields: Any) -> Self:
        return self._show("ask", kind, text, **fields)

    def user(self, *texts: str, **fields: Any) -> Self:
        blocks = [{"type": "text", "text": text} for text in texts]
        self.messages.append({"role": "user", "content": blocks, **fields})
        return self

    def assistant(self, *texts: str, **fields: Any) -> Self:
        blocks = [{"type": "text", "text": text} for text in texts]
        self.messages.append({"role": "assistant", "content": blocks, **fields})
        return self

    def native(self, tool: str, arguments: dict[str, Any], printed: str, **fields: Any) -> Self:
        """A native tool call and its result."""
        self._calls += 1
        call = f"toolu_{self._calls}"
        use = {"type": "tool_use", "id": call, "name": tool, "input": arguments}
        self.messages.append({"role": "assistant", "content": [use]})
        result = {"type": "tool_result", "tool_use_id": call, "content": [{"type": "text", "text": printed}], **fields}
        self.messages.append({"role": "user", "content": [result]})
        return self

    def write_to(self, store: Path, **about: Any) -> Path:
        """Put it where the extension keeps it; ``about`` is Roo's ``history_item.json``."""
        folder = store / "tasks" / self.id
        if self.shown:
            write(folder / "ui_messages.json", self.shown)
        if self.messages:
            write(folder / "api_conversation_history.json", self.messages)
        if about:
            write(folder / "history_item.json", {"id": self.id, "ts": START, **about})
        return folder


def session(store: Path, identity: str, messages: list[dict[str, Any]], agent: str = "lead", **manifest: Any) -> Path:
    """A session of the SDK with its manifest."""
    folder = store / "sessions" / identity
    write(folder / f"{identity}.json", {"version": 1, "session_id": identity, **manifest})
    whole = {"version": 1, "agent": agent, "sessionId": identity, "messages": messages}
    return write(folder / f"{identity}.messages.json", whole)


def said(role: str, *content: dict[str, Any] | str, number: int = 1) -> dict[str, Any]:
    """One message of a session."""
    blocks = [{"type": "text", "text": block} if isinstance(block, str) else block for block in content]
    return {"id": f"msg_{number}", "role": role, "content": blocks, "ts": START + number * 1000}
