"""Sessions of Goose, built from ``formats/FORMATS.md`` section 9 (schema 17)."""

from __future__ import annotations

from typing import Any

SCHEMA = """
CREATE TABLE schema_version (version INTEGER PRIMARY KEY, applied_at TEXT);
CREATE TABLE sessions (id TEXT PRIMARY KEY, name TEXT, description TEXT, user_set_name BOOLEAN, session_type TEXT,
  working_dir TEXT, created_at TEXT, updated_at TEXT, parent_session_id TEXT);
CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, message_id TEXT, session_id TEXT, role TEXT,
  content_json TEXT, created_timestamp INTEGER, timestamp TEXT, metadata_json TEXT);
"""
START = 1_772_355_600
DIRECTORY = "/home/dev/app"
Row = tuple[str, list[Any]]


def version(number: int = 17) -> Row:
    """The schema's version."""
    return "schema_version", [number, "2026-03-01"]


def session(identity: str = "20260301_1", kind: str = "user", *, parent: str | None = None, named: bool = False) -> Row:
    """A session."""
    times = ["2026-03-01 09:00:00", "2026-03-01 09:30:00"]
    return "sessions", [identity, "Lock file", "About locks", named, kind, DIRECTORY, *times, parent]


def message(number: int, role: str, *content: Any, session_id: str = "20260301_1", **metadata: Any) -> Row:
    """A message; text stands for a text block."""
    blocks = [{"type": "text", "text": one} if isinstance(one, str) else one for one in content]
    when = START + number
    return "messages", [number, f"m{number}", session_id, role, blocks, when, None, metadata or None]


def request(identity: str, tool: str, **arguments: Any) -> dict[str, Any]:
    """A tool's request."""
    call = {"status": "success", "value": {"name": tool, "arguments": arguments}}
    return {"type": "toolRequest", "id": identity, "toolCall": call}


def response(identity: str, text: str = "ok", status: str = "success") -> dict[str, Any]:
    """A tool's response."""
    value: dict[str, Any] = (
        {"value": {"content": [{"type": "text", "text": text}]}} if status == "success" else {"error": text}
    )
    return {"type": "toolResponse", "id": identity, "toolResult": {"status": status, **value}}
