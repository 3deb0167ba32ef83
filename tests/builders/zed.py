"""Threads of Zed, built from ``formats/FORMATS.md`` section 11."""

from __future__ import annotations

import json
from typing import Any

from tests.builders import zstd

SCHEMA = """
CREATE TABLE threads (id TEXT PRIMARY KEY, summary TEXT, updated_at TEXT, data_type TEXT, data BLOB, parent_id TEXT,
  folder_paths TEXT, folder_paths_order TEXT, created_at TEXT);
"""
FOLDER = "/home/dev/app"
Row = tuple[str, list[Any]]


def thread(identity: str, *messages: Any, packed: bool = True, parent: str | None = None, **document: Any) -> Row:
    """A thread's row; its document is compressed unless said otherwise."""
    body = {"version": "0.3.0", "title": "Locks", "messages": list(messages), **document}
    data: Any = json.dumps(body)
    if packed:
        data = zstd.compress(data.encode())
    kind = "zstd" if packed else "json"
    times = ("2026-03-01T09:30:00+00:00", "2026-03-01T09:00:00+00:00")
    return "threads", [identity, "Locks", times[0], kind, data, parent, FOLDER + "\n/home/dev/lib", "0,1", times[1]]


def user(*content: Any, identity: str = "u1") -> dict[str, Any]:
    """A message of the person; text stands for a text block."""
    return {"User": {"id": identity, "content": [{"Text": one} if isinstance(one, str) else one for one in content]}}


def agent(*content: Any, **results: Any) -> dict[str, Any]:
    """A reply; ``results`` by the id of the call."""
    blocks = [{"Text": one} if isinstance(one, str) else one for one in content]
    return {"Agent": {"content": blocks, "tool_results": results}}


def use(identity: str, name: str, **arguments: Any) -> dict[str, Any]:
    """A tool's use."""
    return {"ToolUse": {"id": identity, "name": name, "input": arguments}}


def result(text: str = "ok", *, error: bool = False, output: Any = None) -> dict[str, Any]:
    """A tool's result."""
    return {"is_error": error, "content": {"Text": text}, "output": output}
