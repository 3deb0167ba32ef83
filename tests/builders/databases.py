"""SQLite databases as assistants keep them: from a script and rows, closed, in WAL mode, or still being written."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

Rows = Iterable[tuple[str, Sequence[Any]]]


def database(path: Path, schema: str, rows: Rows = (), *, wal: bool = False) -> Path:
    """A database with these tables and rows (``(table, values)``), closed; in WAL mode without a ``-wal`` left."""
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA synchronous=OFF")
    if wal:
        connection.execute("PRAGMA journal_mode=WAL")
    fill(connection, schema, rows)
    connection.close()
    return path


def in_use(path: Path, schema: str, rows: Rows) -> sqlite3.Connection:
    """A WAL database whose rows stand in its ``-wal`` only; it is in use until the returned connection is closed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA wal_autocheckpoint=0")
    fill(connection, schema, rows)
    return connection


def fill(connection: sqlite3.Connection, schema: str, rows: Rows) -> None:
    """Add tables and rows."""
    connection.executescript(schema)
    for table, values in rows:
        marks = ", ".join("?" * len(values))
        connection.execute(f"INSERT INTO {table} VALUES ({marks})", [plain(value) for value in values])
    connection.commit()


def plain(value: Any) -> Any:
    """Objects and lists as JSON text."""
    return json.dumps(value) if isinstance(value, (dict, list)) else value


def snapshot(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    """Every file of a folder with its size, time of change and content: what must be the same after reading."""
    return {
        str(path.relative_to(folder)): (path.stat().st_size, path.stat().st_mtime_ns, path.read_bytes())
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
