"""Cursor's three stores, built from ``formats/FORMATS.md`` section 7."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from tests.builders.databases import database

KV = "CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);"
ITEMS = "CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);"
CHAT = "CREATE TABLE blobs (id TEXT PRIMARY KEY, data BLOB); CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT);"
START = 1_772_355_600_000
FOLDER = "/home/dev/app"
Row = tuple[str, list[Any]]


def uuid(number: int) -> str:
    """An id that is the same in every run."""
    return f"c0000000-0000-4000-8000-{number:012}"


def composer(identity: str, *bubbles: dict[str, Any], folder: str | None = FOLDER, **fields: Any) -> list[Row]:
    """A composer with its bubbles."""
    headers = [{"bubbleId": bubble["bubbleId"], "type": bubble["type"]} for bubble in bubbles]
    body = {"_v": 3, "composerId": identity, "name": "Locks", "createdAt": START, "lastUpdatedAt": START + 60_000}
    if folder:
        body["workspaceIdentifier"] = {"id": "w", "uri": {"fsPath": folder, "path": folder, "scheme": "file"}}
    rows: list[Row] = [
        ("cursorDiskKV", [f"composerData:{identity}", {**body, "fullConversationHeadersOnly": headers, **fields}])
    ]
    return rows + [("cursorDiskKV", [f"bubbleId:{identity}:{bubble['bubbleId']}", bubble]) for bubble in bubbles]


def bubble(number: int, kind: int, text: str = "", **fields: Any) -> dict[str, Any]:
    """A bubble: 1 is the person's, 2 the assistant's."""
    return {"bubbleId": f"b{number:03}", "type": kind, "text": text, "createdAt": START + number * 1000, **fields}


def tool(number: int, name: str, status: str = "completed", result: Any = None, **arguments: Any) -> dict[str, Any]:
    """A bubble that is a tool's call; ``params`` among the arguments are the call's own."""
    params, decision = arguments.pop("params", {}), arguments.pop("decision", None)
    told = {"name": name, "status": status, "rawArgs": json.dumps(arguments), "params": json.dumps(params)}
    told |= {"result": json.dumps(result)} if result is not None else {}
    told |= {"userDecision": decision} if decision else {}
    return bubble(number, 2, toolFormerData=told)


def editor(home: Path, rows: list[Row]) -> Path:
    """The editor's ``User`` folder in a home, with its global database."""
    user = home / ".config" / "Cursor" / "User"
    database(user / "globalStorage" / "state.vscdb", KV + ITEMS, rows)
    return user


def transcript(home: Path, identity: str, *records: dict[str, Any], flat: bool = False, under: str = "") -> Path:
    """A transcript of the agent, in a project whose log names :data:`FOLDER`."""
    project = home / ".cursor" / "projects" / "home-dev-app"
    folder = project / "agent-transcripts"
    path = folder / f"{identity}.jsonl" if flat else folder / (under or identity) / f"{identity}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    (project / "worker.log").write_text(f"[info] starting workspacePath={FOLDER} pid=7\n")
    return path


def line(role: str, *content: Any) -> dict[str, Any]:
    """A line of a transcript; text stands for a text block."""
    blocks = [{"type": "text", "text": one} if isinstance(one, str) else one for one in content]
    return {"role": role, "message": {"content": blocks}}


def use(name: str, **arguments: Any) -> dict[str, Any]:
    """A tool's use in a transcript."""
    return {"type": "tool_use", "name": name, "input": arguments}


def chat(home: Path, identity: str, *messages: dict[str, Any], folder: str = FOLDER, index: bool = True) -> Path:
    """A chat of the command line."""
    blobs = [json.dumps(message).encode() for message in messages]
    names = [hashlib.sha256(blob).digest() for blob in blobs]
    root = b"".join(b"\x0a\x20" + name for name in names) + b"\x12\x03abc" if index else b"\xff\xff"
    about = {
        "agentId": identity,
        "latestRootBlobId": "f" * 64,
        "name": "Chat",
        "createdAt": START,
        "lastUsedModel": "m1",
    }
    rows: list[Row] = [("meta", ["0", json.dumps(about).encode().hex()]), ("blobs", ["f" * 64, root])]
    rows += [("blobs", [name.hex(), blob]) for name, blob in reversed(list(zip(names, blobs, strict=True)))]
    md5 = hashlib.md5(folder.encode(), usedforsecurity=False).hexdigest()
    return database(home / ".cursor" / "chats" / md5 / identity / "store.db", CHAT, rows)
