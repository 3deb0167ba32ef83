"""SQLite databases of other programs, read without leaving a trace beside them (``DESIGN.md`` section 8).

A plain ``mode=ro`` writes a ``-shm`` file beside a WAL database. So: with no ``-wal``, or an empty one, the database is
opened ``immutable`` where it lies, and its identity is checked again afterwards; with a filled ``-wal`` both are copied
to our cache (0700, capped, deleted after) and the copy is read. Where that cannot be done the error is ``storeBusy``.

The content is hostile: no schema of theirs is trusted, only real tables are read, every value has a cap, and no
``sqlite3`` exception leaves this module. Text comes back as bytes (it need not be UTF-8): see :func:`words`.
"""

from __future__ import annotations

import atexit
import os
import shutil
import sqlite3
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar, cast

from anamnesis_lsp.cancel import Cancelled, CancelToken
from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.places import cache_dir
from anamnesis_lsp.records.conversations.jsonl import JsonObject, object_of, open_log, parse
from anamnesis_lsp.records.conversations.model import MAX_LINE_BYTES, Part
from anamnesis_lsp.records.conversations.stores import busy, gone, unreadable

MAX_COPY_BYTES = 1 << 30
"""Database and ``-wal`` together: more is not copied, and told as in use."""
MAX_VALUE_BYTES = 64 << 20
"""No value longer than this is taken out of a database (where the platform lets us say so)."""

_LINGER_SECONDS = 10.0
_LARGE = 32 << 20
_MAY_LAG_SECONDS = 10.0
"""A copy of a large database serves this long, though the original is written to: copying it again costs more."""
_LEFT_OVER_SECONDS = 3600.0
_STEPS = 20_000
_JOURNAL_MAGIC = b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"
_WAL_HEADER = 32
_CHUNK = 1 << 20

Row = tuple[Any, ...]
T = TypeVar("T")
_Identity = tuple[int, int, int, int]


def words(value: object) -> str | None:
    """The text in a value of a row, or None where it holds none. Invalid UTF-8 is replaced."""
    if isinstance(value, bytes):
        return value.decode("utf-8", errors="replace") or None
    return value if isinstance(value, str) and value else None


def json_object(value: object) -> JsonObject | None:
    """The JSON object in a value of a row (text or blob); None where there is none, or it is too long."""
    if isinstance(value, str):
        value = value.encode("utf-8", "surrogatepass")
    if not isinstance(value, bytes) or len(value) > MAX_LINE_BYTES:
        return None
    try:
        found = parse(value)
    except ValueError:
        return None
    return object_of(cast("object", found)) if isinstance(found, dict) else None


def json_list(value: object) -> list[object] | None:
    """The JSON array in a value of a row; None where there is none, or it is too long."""
    if isinstance(value, str):
        value = value.encode("utf-8", "surrogatepass")
    if not isinstance(value, bytes) or len(value) > MAX_LINE_BYTES:
        return None
    try:
        found = parse(value)
    except ValueError:
        return None
    return cast("list[object]", found) if isinstance(found, list) else None


def name_of(table: str) -> str:
    """A name as SQL spells it."""
    return '"' + table.replace('"', '""') + '"'


class Database:
    """An open database of another program. Every failure of SQLite is ``storeUnreadable``."""

    def __init__(self, path: Path, connection: sqlite3.Connection, cancel: CancelToken) -> None:
        self.path = path
        self._connection = connection
        self._cancel = cancel
        self._tables: dict[str, tuple[str, ...]] = {}

    def has(self, table: str, *columns: str) -> bool:
        """Whether there is a real table (no view, no virtual one) of that name with these columns."""
        known = self.columns(table)
        return bool(known) and set(columns) <= set(known)

    def columns(self, table: str) -> tuple[str, ...]:
        """The columns of a real table; empty where there is none of that name."""
        if table not in self._tables:
            real = self.row(
                "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ? AND rootpage > 0"
                " AND sql LIKE 'create table%'",
                (table,),
            )
            rows = [] if real is None else list(self.rows(f"PRAGMA table_info({name_of(table)})"))
            self._tables[table] = tuple(words(row[1]) or "" for row in rows)
        return self._tables[table]

    def column(self, table: str, column: str) -> str:
        """The column as SQL, or ``NULL`` where this version has none: for columns that come and go."""
        return name_of(column) if column in self.columns(table) else "NULL"

    def require(self, kind: str, table: str, *columns: str) -> None:
        """Raise ``storeUnreadable`` where a table or a column that is needed is not there."""
        missing = [column for column in columns if column not in self.columns(table)]
        if not self.columns(table):
            raise _foreign(self.path, kind, f"it has no table {table}")
        if missing:
            raise _foreign(self.path, kind, f"its table {table} has no column {', '.join(missing)}")

    def rows(self, sql: str, parameters: Sequence[object] = ()) -> Generator[Row]:
        """The rows, streaming. Raises ``storeUnreadable``, ``Cancelled``."""
        try:
            cursor = self._connection.execute(sql, tuple(parameters))
            while True:
                self._cancel.check()
                rows: list[Row] = cursor.fetchmany(64)
                if not rows:
                    return
                yield from rows
        except (sqlite3.Error, sqlite3.Warning, ValueError, OverflowError, MemoryError) as error:
            raise self._failed(error) from error

    def row(self, sql: str, parameters: Sequence[object] = ()) -> Row | None:
        """The first row. Raises ``storeUnreadable``, ``Cancelled``."""
        found = self.rows(f"{sql} LIMIT 1", parameters)
        try:
            return next(found, None)
        finally:
            found.close()

    def cell(self, sql: str, parameters: Sequence[object] = ()) -> object:
        """The first value of the first row; None where there is none or it is over the cap."""
        try:
            row = self.row(sql, parameters)
        except AnamnesisError as error:
            if isinstance(error.__cause__, sqlite3.DataError):
                return None
            raise
        return None if row is None else row[0]

    def _failed(self, error: Exception) -> AnamnesisError | Cancelled:
        if isinstance(error, sqlite3.OperationalError) and str(error) == "interrupted":
            return Cancelled()
        if isinstance(error, sqlite3.OperationalError) and "locked" in str(error):
            return busy(self.path, "another program has locked it")
        return _corrupt(self.path, error)


@contextmanager
def opened(path: Path, cancel: CancelToken) -> Generator[Database]:
    """The database at ``path``, open for reading while the ``with`` block runs.

    Raises ``recordGone``, ``permissionDenied``, ``storeUnreadable``, and ``storeBusy`` where it is in use and cannot be
    copied, or was changed while it was read.
    """
    real = Path(os.path.realpath(path))
    before = _identity(real)
    if _filled(_beside(real, "-wal")):
        with _copied(real, cancel) as copy, _connected(real, copy, "mode=ro", cancel) as database:
            yield database
        return
    if _hot(_beside(real, "-journal")):
        raise busy(real, "another program is writing to it")
    with open_log(real):
        pass
    with _connected(real, real, "mode=ro&immutable=1", cancel) as database:
        yield database
    if _identity(real) != before or _filled(_beside(real, "-wal")):
        raise busy(real, "it was changed while it was read")


def listed(path: Path, cancel: CancelToken, query: Callable[[Database], list[T]]) -> list[T]:
    """What ``query`` returns of the database; asked again, twice, where it was changed meanwhile. Raises as above."""
    for _ in range(2):
        try:
            with opened(path, cancel) as database:
                return query(database)
        except AnamnesisError as error:
            if error.code is not ErrorCode.STORE_BUSY:
                raise
            cancel.wait(0.05)
            cancel.check()
    with opened(path, cancel) as database:
        return query(database)


def row_part(path: Path, size: object, changed: object) -> Part:
    """A part that is rows of a database: ``size`` in bytes (or rows), ``changed`` in seconds or nanoseconds since 1970.

    The database's own size and time would make every conversation look changed when one of them is.
    """
    number = changed if isinstance(changed, (int, float)) and not isinstance(changed, bool) else 0
    nanoseconds = number if abs(number) > 1e17 else number * 1e9
    length = size if isinstance(size, int) and not isinstance(size, bool) else 0
    try:
        return Part(path, max(0, min(length, 1 << 62)), int(max(0, min(nanoseconds, 1 << 62))))
    except (ValueError, OverflowError):
        return Part(path, 0, 0)


# -- how it is opened


def _beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def _identity(path: Path) -> _Identity:
    try:
        found = path.stat()
    except (FileNotFoundError, NotADirectoryError) as error:
        raise gone(path) from error
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from error
    return (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)


def _filled(path: Path) -> bool:
    try:
        return path.stat().st_size > 0
    except (OSError, ValueError):
        return False


def _hot(journal: Path) -> bool:
    """Whether a rollback journal is of a change that is not finished."""
    if not _filled(journal):
        return False
    try:
        with open_log(journal) as file:
            return file.read(len(_JOURNAL_MAGIC)) == _JOURNAL_MAGIC
    except (AnamnesisError, OSError):
        return True


@contextmanager
def _connected(shown: Path, path: Path, how: str, cancel: CancelToken) -> Generator[Database]:
    try:
        connection = sqlite3.connect(
            f"{path.absolute().as_uri()}?{how}", uri=True, timeout=1.0, isolation_level=None, check_same_thread=False
        )
    except (sqlite3.Error, ValueError, OSError) as error:
        raise _corrupt(shown, error) from error
    try:
        connection.text_factory = bytes
        connection.set_progress_handler(lambda: int(cancel.cancelled), _STEPS)
        if sys.version_info >= (3, 11):
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES)
        try:
            for pragma in ("query_only=ON", "trusted_schema=OFF", "cell_size_check=ON", "mmap_size=0"):
                connection.execute(f"PRAGMA {pragma}")
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except (sqlite3.Error, ValueError) as error:
            cancel.check()
            raise _corrupt(shown, error) from error
        yield Database(shown, connection, cancel)
    finally:
        with suppress(sqlite3.Error):
            connection.close()


def _corrupt(path: Path, error: Exception) -> AnamnesisError:
    return AnamnesisError(
        ErrorCode.STORE_UNREADABLE,
        f"{path} cannot be read as a SQLite database: {_said(error)}.",
        "If the assistant itself still opens it, close the assistant and try again; else restore the file from a copy.",
    )


def _foreign(path: Path, kind: str, what: str) -> AnamnesisError:
    return AnamnesisError(
        ErrorCode.STORE_UNREADABLE,
        f"{path} is no {kind} database of a version that is known here: {what}.",
        f"Check that the path is {kind}'s own store; if it is, this program is older than the store.",
    )


def _said(error: Exception) -> str:
    """SQLite's own words, without text of the database in them."""
    text = str(error)
    for known in ("not a database", "malformed", "no such table", "no such column", "disk I/O", "too big", "encrypted"):
        if known in text:
            return {"no such table": "a table is missing", "no such column": "a column is missing"}.get(known, known)
    return type(error).__name__


# -- copies of databases that are in use


@dataclass(slots=True)
class _Copy:
    folder: Path
    database: Path
    state: tuple[_Identity, _Identity]
    made: float
    users: int = 0
    stale: bool = False
    timer: threading.Timer | None = field(default=None)


class _Copies:
    """Copies that are in use or were a moment ago, one per database: a refresh reads its conversations one by one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._making: dict[Path, threading.Lock] = {}
        self._kept: dict[Path, _Copy] = {}
        self._swept = False

    def take(self, path: Path, cancel: CancelToken) -> _Copy:
        with self._lock:
            making = self._making.setdefault(path, threading.Lock())
        while not making.acquire(timeout=0.1):
            cancel.check()
        try:
            state = (_identity(path), _identity(_beside(path, "-wal")))
            with self._lock:
                kept = self._kept.get(path)
                if kept is not None and kept.database.exists() and (kept.state == state or _serves(kept)):
                    return self._used(kept)
            self._sweep()
            made = _copy(path, cancel)
            with self._lock:
                old = self._kept.pop(path, None)
                if old is not None:
                    old.stale = True
                    self._drop(old)
                self._kept[path] = made
                return self._used(made)
        finally:
            making.release()

    def give_back(self, path: Path, copy: _Copy) -> None:
        with self._lock:
            copy.users -= 1
            if copy.stale:
                self._drop(copy)
            elif copy.users == 0:
                copy.timer = threading.Timer(_LINGER_SECONDS, self._expire, (path, copy))
                copy.timer.daemon = True
                copy.timer.start()

    def clear(self) -> None:
        """Delete every copy. At the end of the process."""
        with self._lock:
            for copy in self._kept.values():
                if copy.timer is not None:
                    copy.timer.cancel()
                shutil.rmtree(copy.folder, ignore_errors=True)
            self._kept.clear()

    def _used(self, copy: _Copy) -> _Copy:
        copy.users += 1
        if copy.timer is not None:
            copy.timer.cancel()
            copy.timer = None
        return copy

    def _expire(self, path: Path, copy: _Copy) -> None:
        with self._lock:
            if copy.users == 0:
                if self._kept.get(path) is copy:
                    del self._kept[path]
                shutil.rmtree(copy.folder, ignore_errors=True)

    def _drop(self, copy: _Copy) -> None:
        if copy.users == 0:
            if copy.timer is not None:
                copy.timer.cancel()
            shutil.rmtree(copy.folder, ignore_errors=True)

    def _sweep(self) -> None:
        """Remove what a process that was killed left behind."""
        if self._swept:
            return
        self._swept = True
        with suppress(OSError):
            for folder in cache_dir("sqlite-copies").iterdir():
                if time.time() - folder.stat().st_mtime > _LEFT_OVER_SECONDS:
                    shutil.rmtree(folder, ignore_errors=True)


def _serves(copy: _Copy) -> bool:
    size = copy.state[0][2] + copy.state[1][2]
    return size > _LARGE and time.monotonic() - copy.made < _MAY_LAG_SECONDS


_COPIES = _Copies()
atexit.register(_COPIES.clear)


@contextmanager
def _copied(path: Path, cancel: CancelToken) -> Generator[Path]:
    copy = _COPIES.take(path, cancel)
    try:
        yield copy.database
    finally:
        _COPIES.give_back(path, copy)


def _copy(path: Path, cancel: CancelToken) -> _Copy:
    """A copy of the database and its ``-wal`` that belong together.

    Frames may be added to the ``-wal`` meanwhile: SQLite takes those that came whole. What must not happen between the
    two copies is a checkpoint, which changes the database or starts the ``-wal`` anew.
    """
    wal = _beside(path, "-wal")
    for _ in range(3):
        state = (_identity(path), _identity(wal))
        size = state[0][2] + state[1][2]
        if size > MAX_COPY_BYTES:
            raise busy(path, f"it is too large to be copied ({size >> 20} MiB)")
        base = cache_dir("sqlite-copies")
        if shutil.disk_usage(base).free < size + (256 << 20):
            raise busy(path, "there is no room to copy it")
        folder = Path(tempfile.mkdtemp(prefix=f"{os.getpid()}-", dir=base))
        try:
            database = folder / "copy.db"
            _write(path, database, cancel)
            head = _write(wal, _beside(database, "-wal"), cancel)
            if _identity(path) == state[0] and _wal_head(wal) == head and _identity(wal)[2] >= state[1][2]:
                return _Copy(folder, database, state, time.monotonic())
        except AnamnesisError as error:
            shutil.rmtree(folder, ignore_errors=True)
            if error.code is not ErrorCode.RECORD_GONE or not path.exists():
                raise
        except OSError as error:
            shutil.rmtree(folder, ignore_errors=True)
            raise busy(path, "it cannot be copied") from error
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        shutil.rmtree(folder, ignore_errors=True)
        cancel.wait(0.05)
        cancel.check()
    raise busy(path, "it changes faster than it can be copied")


def _write(source: Path, target: Path, cancel: CancelToken) -> bytes:
    """Copy a file; returns its first bytes as they were copied."""
    head = b""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    with open_log(source) as old, os.fdopen(os.open(target, flags, 0o600), "wb") as new:
        while chunk := old.read(_CHUNK):
            cancel.check()
            head = head or chunk[:_WAL_HEADER]
            new.write(chunk)
    return head


def _wal_head(wal: Path) -> bytes:
    with open_log(wal) as file:
        return file.read(_WAL_HEADER)
