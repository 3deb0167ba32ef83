"""Sessions of opencode in its three generations, built from ``formats/FORMATS.md`` section 4."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

START = 1_772_355_600_000
"""2026-03-01 09:00 UTC, in milliseconds."""
DIRECTORY = "/home/dev/app"

FIRST = """
CREATE TABLE project (id TEXT PRIMARY KEY, worktree TEXT NOT NULL, vcs TEXT);
CREATE TABLE session (id TEXT PRIMARY KEY, project_id TEXT, parent_id TEXT, slug TEXT, directory TEXT, title TEXT,
  version TEXT, share_url TEXT, revert TEXT, time_created INTEGER, time_updated INTEGER);
CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_created INTEGER, time_updated INTEGER,
  data TEXT);
CREATE INDEX message_session ON message (session_id);
CREATE INDEX part_message ON part (message_id);
"""
SECOND = """
CREATE TABLE session_v2 (id TEXT PRIMARY KEY, project_id TEXT, parent_id TEXT, fork_session_id TEXT, slug TEXT,
  directory TEXT, title TEXT, version TEXT, time_created INTEGER, time_updated INTEGER);
CREATE TABLE session_message (id TEXT PRIMARY KEY, session_id TEXT, type TEXT, seq INTEGER, time_created INTEGER,
  time_updated INTEGER, data TEXT);
"""
Row = tuple[str, list[Any]]


def session(identity: str = "ses_1", *, parent: str | None = None, title: str = "Locks", **fields: Any) -> Row:
    """A row of the first generation's ``session``."""
    told = {"directory": DIRECTORY, "share_url": None, "revert": None, "updated": START, **fields}
    head = [identity, "p1", parent, "slug", told["directory"], title, "1.18.0"]
    return "session", [*head, told["share_url"], told["revert"], START, told["updated"]]


def message(number: int, role: str, *parts: dict[str, Any], session_id: str = "ses_1", **data: Any) -> list[Row]:
    """A message with its parts, as rows of the first generation."""
    identity, when = f"msg_{number:03}", START + number * 1000
    body = {"role": role, "time": {"created": when}, **data}
    rows: list[Row] = [("message", [identity, session_id, when, when, body])]
    rows += [
        ("part", [f"prt_{number:03}_{at:03}", identity, session_id, when, when, part]) for at, part in enumerate(parts)
    ]
    return rows


def text(said: str, **fields: Any) -> dict[str, Any]:
    """A text part."""
    return {"type": "text", "text": said, **fields}


def tool(name: str, arguments: dict[str, Any], status: str = "completed", **state: Any) -> dict[str, Any]:
    """A tool part."""
    told = {"status": status, "input": arguments, "output": "", "metadata": {}, **state}
    return {"type": "tool", "tool": name, "callID": "c", "state": told}


def second_session(identity: str = "ses_1", *, parent: str | None = None, directory: str = DIRECTORY) -> Row:
    """A row of the second generation's ``session_v2``."""
    return "session_v2", [identity, "p1", parent, None, "slug", directory, "Second", "2.0.1", START, START]


def entry(seq: int, kind: str, session_id: str = "ses_1", **data: Any) -> Row:
    """A row of the second generation's ``session_message``."""
    when = START + seq * 1000
    return "session_message", [f"msg_{seq:03}", session_id, kind, seq, when, when, {"time": {"created": when}, **data}]


def tree(root: Path, rows: list[Row], about: dict[str, Any] | None = None) -> Path:
    """The same session as a tree of JSON files under ``storage``."""
    storage = root / "storage"
    files: dict[Path, Any] = {}
    if about is not None:
        files[storage / "session" / "p1" / f"{about['id']}.json"] = about
    for table, values in rows:
        if table == "message":
            files[storage / "message" / values[1] / f"{values[0]}.json"] = values[-1]
        elif table == "part":
            files[storage / "part" / values[1] / f"{values[0]}.json"] = values[-1]
    for path, value in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value))
    return root
