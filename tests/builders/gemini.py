"""Sessions of Gemini CLI and Qwen Code, built from ``formats/FORMATS.md`` sections 3 and 11."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

SESSION = "5e551011-0000-4000-8000-000000000001"
PROJECT = "/home/dev/app"


def project(home: Path, slug: str = "app", root: str = PROJECT) -> Path:
    """A project's folder under ``.gemini/tmp``, which says whose it is; returns its ``chats`` folder."""
    folder = home / ".gemini" / "tmp" / slug
    (folder / "chats").mkdir(parents=True, exist_ok=True)
    (folder / ".project_root").write_text(root)
    return folder / "chats"


def head(session: str = SESSION, **fields: Any) -> dict[str, Any]:
    """The first line of a log."""
    times = {"startTime": "2026-03-01T09:00:00.000Z", "lastUpdated": "2026-03-01T09:10:00.000Z"}
    return {"sessionId": session, "projectHash": "0" * 64, **times, **fields}


def message(identity: str, kind: str, content: Any, **fields: Any) -> dict[str, Any]:
    """A message; ``kind`` is ``user``, ``gemini``, ``info`` …"""
    return {"id": identity, "timestamp": "2026-03-01T09:01:00.000Z", "type": kind, "content": content, **fields}


def call(
    name: str, args: dict[str, Any], status: str | None = "success", output: str = "", **fields: Any
) -> dict[str, Any]:
    """A tool call with its result."""
    response = {"functionResponse": {"id": "c", "name": name, "response": {"output": output}}}
    told = {"id": "c", "name": name, "args": args, "result": [response], **fields}
    return told if status is None else {**told, "status": status}


def log(path: Path, *records: Any) -> Path:
    """A log of these records, one a line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def session_log(chats: Path, *records: Any, session: str = SESSION, **fields: Any) -> Path:
    """A session's log in a ``chats`` folder."""
    return log(chats / f"session-2026-03-01T09-00-{session[:8]}.jsonl", head(session, **fields), *records)


def qwen(kind: str, uuid: str, *parts: Any, **fields: Any) -> dict[str, Any]:
    """A record of Qwen Code."""
    envelope = {"uuid": uuid, "parentUuid": None, "sessionId": SESSION, "timestamp": "2026-06-15T14:40:22.832Z"}
    about = {"type": kind, "cwd": PROJECT, "version": "0.18.1", "gitBranch": "main"}
    role = "model" if kind == "assistant" else "user"
    return {**envelope, **about, "message": {"role": role, "parts": list(parts)}, **fields}
