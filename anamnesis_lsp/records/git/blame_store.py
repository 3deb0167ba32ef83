"""What was blamed, on disk: whole files by path, commit and options, and where a commit's lines were copied from.

One small SQLite file in the shadow git directory of a repository, ours alone. Both kinds of rows are facts about
commits and so never go stale; the least recently used go when the file passes :data:`CAP` bytes. Nothing depends on
it: a file that is missing, locked, full or damaged costs time, not answers.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
import threading
import time
import zlib
from array import array
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from anamnesis_lsp.records.git.blame_lines import Group

CAP = 48 * 1024 * 1024
_TRIMMED = 0.8
_SCHEMA = """
CREATE TABLE IF NOT EXISTS whole (path TEXT, line_commit TEXT, options TEXT, used REAL, data BLOB,
    PRIMARY KEY (path, line_commit, options)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS copied (line_commit TEXT, path TEXT, used REAL, data BLOB,
    PRIMARY KEY (line_commit, path)) WITHOUT ROWID;
"""

Copied = tuple[int, int, str, str, int]
"""Lines ``first`` to ``last`` of a file at a commit come from this commit, this path, from this line on."""
T = TypeVar("T")


class BlameStore:
    """The file of one repository. Thread-safe; every method answers at once and raises nothing."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._written = 0
        self._unusable = False

    def whole(self, path: str, commit: str, options: str, count: int) -> list[Group] | None:
        """The groups of the whole file, ``count`` lines; None where it is not kept."""
        row = self._do(lambda c: _used(c, path, commit, options), None)
        return None if row is None else _groups(row, count)

    def bases(self, path: str, options: str, limit: int = 2) -> list[str]:
        """The commits at which the whole file is kept, the last used first."""
        sought = "SELECT line_commit FROM whole WHERE path = ? AND options = ? ORDER BY used DESC LIMIT ?"
        rows = self._do(lambda c: c.execute(sought, (_key(path), options, limit)).fetchall(), [])
        return [str(row[0]) for row in rows]

    def keep_whole(self, path: str, commit: str, options: str, groups: Sequence[Group]) -> None:
        """Keep the blame of a whole file."""
        data = _packed_groups(groups)
        self._write(
            "INSERT OR REPLACE INTO whole VALUES (?, ?, ?, ?, ?)", (_key(path), commit, options, time.time(), data)
        )

    def copied(self, commit: str, path: str) -> list[Copied] | None:
        """Where the lines of ``path`` at ``commit`` come from; None where it is not kept."""
        sought = "SELECT data FROM copied WHERE line_commit = ? AND path = ?"
        row = self._do(lambda c: c.execute(sought, (commit, _key(path))).fetchone(), None)
        if row is None:
            return None
        with contextlib.suppress(ValueError, TypeError, zlib.error):
            pieces: list[Copied] = [tuple(piece) for piece in json.loads(zlib.decompress(row[0]))]
            return pieces
        return None

    def keep_copied(self, found: Sequence[tuple[str, str, Sequence[Copied]]]) -> None:
        """Keep, for each commit and path, where its lines come from."""
        now = time.time()
        for commit, path, pieces in found:
            row = (commit, _key(path), now, _packed(list(pieces)))
            self._write("INSERT OR REPLACE INTO copied VALUES (?, ?, ?, ?)", row)

    def close(self) -> None:
        """Close the file. It is opened again when needed."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    # ---- the file

    def _write(self, statement: str, row: tuple[object, ...]) -> None:
        def act(connection: sqlite3.Connection) -> None:
            connection.execute(statement, row)
            self._written += len(row[-1]) if isinstance(row[-1], bytes) else 0
            if self._written > CAP // 16:
                self._written = 0
                _trim(connection)

        self._do(act, None)

    def _do(self, act: Callable[[sqlite3.Connection], T], otherwise: T) -> T:
        with self._lock:
            if self._unusable:
                return otherwise
            try:
                if self._connection is None:
                    self._connection = self._opened()
                return act(self._connection)
            except sqlite3.OperationalError:  # locked by another process of ours, or the disk is full
                return otherwise
            except (sqlite3.Error, OSError, UnicodeError, ValueError):
                self._start_anew()
                return otherwise

    def _opened(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._file, timeout=0.2, isolation_level=None, check_same_thread=False)
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = OFF")
            connection.executescript(_SCHEMA)
        except sqlite3.Error:
            connection.close()
            raise
        return connection

    def _start_anew(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        try:
            for ending in ("", "-wal", "-shm"):
                self._file.with_name(self._file.name + ending).unlink(missing_ok=True)
        except OSError:
            self._unusable = True


def _used(connection: sqlite3.Connection, path: str, commit: str, options: str) -> bytes | None:
    key = (_key(path), commit, options)
    row = connection.execute(
        "SELECT data, used FROM whole WHERE path = ? AND line_commit = ? AND options = ?", key
    ).fetchone()
    if row is None:
        return None
    if time.time() - row[1] > 60:
        connection.execute(
            "UPDATE whole SET used = ? WHERE path = ? AND line_commit = ? AND options = ?", (time.time(), *key)
        )
    return row[0]


def _trim(connection: sqlite3.Connection) -> None:
    size = sum(
        connection.execute(f"SELECT coalesce(sum(length(data) + 160), 0) FROM {t}").fetchone()[0] for t in _TABLES
    )
    if size <= CAP:
        return
    for table in _TABLES:
        rows = connection.execute(f"SELECT used, length(data) + 160 FROM {table} ORDER BY used DESC").fetchall()
        left = CAP * _TRIMMED / len(_TABLES)
        for used, length in rows:
            left -= length
            if left < 0:
                connection.execute(f"DELETE FROM {table} WHERE used <= ?", (used,))
                break


_TABLES = ("whole", "copied")


def _key(path: str) -> str:
    """A path as SQLite text: the bytes that are no UTF-8 stay told apart."""
    return path.encode("utf-8", "surrogateescape").decode("latin-1")


def _packed(value: object) -> bytes:
    return zlib.compress(json.dumps(value, separators=(",", ":")).encode("ascii"), 3)


def _packed_groups(groups: Sequence[Group]) -> bytes:
    """A line of JSON with the commits and the paths, then six integers for each group: packed and unpacked without a
    long call, which would hold up every other thread."""
    commits: dict[str, int] = {}
    paths: dict[str, int] = {}
    numbers = array("i")
    for group in groups:
        commit = commits.setdefault(group.commit, len(commits))
        path = paths.setdefault(group.path, len(paths))
        numbers.extend((commit, group.source_line, group.line, group.count, path, int(group.marked)))
    head = json.dumps([list(commits), list(paths)], separators=(",", ":")).encode("ascii")
    return zlib.compress(head + b"\n" + numbers.tobytes(), 3)


def _groups(data: bytes, count: int) -> list[Group] | None:
    """The groups as they were kept, None where they do not cover ``count`` lines exactly."""
    numbers = array("i")
    groups: list[Group] = []
    try:
        head, _, rest = zlib.decompress(data).partition(b"\n")
        commits, paths = json.loads(head)
        numbers.frombytes(rest)
        for at in range(0, len(numbers), 6):
            commit, source, line, length, path, marked = numbers[at : at + 6]
            groups.append(Group(commits[commit], source, line, length, paths[path], bool(marked)))
    except (ValueError, TypeError, IndexError, zlib.error):
        return None
    return groups if sum(group.count for group in groups) == count else None
