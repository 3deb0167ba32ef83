"""Sessions of Continue in the making, after ``formats/FORMATS.md`` section 11."""

from __future__ import annotations

import json
from typing import Any


def asked(text: str, state: object = None) -> dict[str, Any]:
    """The person's message; ``state`` is what the editor held."""
    item: dict[str, Any] = {"message": {"role": "user", "content": text}, "contextItems": []}
    return item if state is None else {**item, "editorState": state}


def replied(text: str) -> dict[str, Any]:
    return {"message": {"role": "assistant", "content": text}, "contextItems": []}


def used(
    tool: str, arguments: dict[str, Any], status: str | None = "done", output: str = "", call: str = "c1"
) -> dict[str, Any]:
    """A reply that calls one tool, with what became of it."""
    function = {"name": tool, "arguments": json.dumps(arguments)}
    one = {"id": call, "type": "function", "function": function}
    item: dict[str, Any] = {"message": {"role": "assistant", "content": "", "toolCalls": [one]}, "contextItems": []}
    if status is not None:
        state = {"toolCallId": call, "toolCall": one, "status": status, "parsedArgs": arguments}
        item["toolCallStates"] = [{**state, "output": [{"content": output, "name": "Tool Result"}]}]
    return item


def session(*history: dict[str, Any], identity: str = "s1", **fields: Any) -> dict[str, Any]:
    return {
        "sessionId": identity,
        "title": "Chat",
        "workspaceDirectory": "file:///home/dev/app",
        **fields,
        "history": list(history),
    }
