"""Threads of Amp in the making, after ``formats/FORMATS.md`` section 10."""

from __future__ import annotations

from typing import Any

from typing_extensions import Self

START = 1_772_241_173_221


class Thread:
    """A thread, message by message."""

    def __init__(self, identity: str = "T-5e551011-0000-4000-8000-000000000001") -> None:
        self.id = identity
        self.messages: list[dict[str, Any]] = []
        self._calls = 0

    def _message(self, role: str, content: list[dict[str, Any]], **fields: Any) -> Self:
        number = len(self.messages)
        self.messages.append({"role": role, "messageId": number, "content": content, **fields})
        return self

    def person(self, text: str) -> Self:
        sent = {"sentAt": START + len(self.messages) * 1000}
        return self._message("user", [{"type": "text", "text": text}], meta=sent)

    def assistant(self, text: str) -> Self:
        usage = {"model": "m", "timestamp": "2026-02-28T01:13:27.454Z"}
        return self._message("assistant", [{"type": "text", "text": text}], usage=usage)

    def tool(self, name: str, arguments: dict[str, Any], status: str | None = "done", **result: Any) -> Self:
        """A call, and its result where it has one."""
        self._calls += 1
        call = f"toolu_{self._calls}"
        self._message(
            "assistant", [{"type": "tool_use", "complete": True, "id": call, "name": name, "input": arguments}]
        )
        if status is not None:
            run = {"status": status, "result": result}
            self._message("user", [{"type": "tool_result", "toolUseID": call, "run": run}])
        return self

    def document(self, **fields: Any) -> dict[str, Any]:
        repository = {
            "type": "git",
            "url": "https://github.com/dev/app",
            "ref": "refs/heads/main",
            "sha": "6be354d80ba6ad3af3e22c2e1a0d8e93da1577fa",
        }
        tree = {"displayName": "app", "uri": "file:///home/dev/app", "repository": repository}
        initial = {"trees": [tree], "platform": {"clientVersion": "0.0.1"}}
        whole = {"v": 220, "id": self.id, "created": START, "messages": self.messages, "env": {"initial": initial}}
        return {**whole, **fields}
