"""The file of the catalog: connections per thread, one writer over all processes, a new file for an unusable one."""

from __future__ import annotations

import contextlib
import os
import secrets
import sqlite3
import sys
import threading
from collections.abc import Collection, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.index import schema


class WriterLock:
    """The right to write, for one thread of one process. Held by a lock the system drops when the process dies."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: BinaryIO | None = None

    def acquire(self) -> bool:
        """Try once, without waiting; whether the lock is ours now."""
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
        file = os.fdopen(descriptor, "r+b")
        try:
            _lock(file)
        except OSError:
            file.close()
            return False
        self._file = file
        return True

    def release(self) -> None:
        """Give it back. Harmless when it is not held."""
        if self._file is not None:
            self._file.close()
            self._file = None


if sys.platform == "win32":

    def _lock(file: BinaryIO) -> None:
        import msvcrt

        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)

else:

    def _lock(file: BinaryIO) -> None:
        import fcntl

        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)


class Database:
    """Connections to one catalog file, one per thread. An unusable file is replaced by an empty one, and said."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.notes: list[str] = []
        """What a person should know: why the index was rebuilt."""
        self._local = threading.local()
        self._lock = threading.Lock()
        self._generation = 0
        self._heal()

    @property
    def lock_path(self) -> Path:
        """Where the writer's lock lies."""
        return self.path.with_name(self.path.name + ".lock")

    def writer_lock(self) -> WriterLock:
        """A lock that is not held yet."""
        return WriterLock(self.lock_path)

    def reader(self) -> sqlite3.Connection:
        """This thread's connection for reading."""
        return self._connection("reader")

    def writer(self) -> sqlite3.Connection:
        """This thread's connection for writing. Only under the writer's lock."""
        return self._connection("writer")

    def size(self) -> int:
        """Bytes on disk: the database and its log."""
        return sum(p.stat().st_size for p in self._files() if p.exists())

    def close(self) -> None:
        """Close this thread's connections, and have every other thread close its own when it next asks for one.

        Not those of others: closing a connection in the middle of another thread's query crashes the process. The
        database opens again when it is asked again.
        """
        with self._lock:
            self._generation += 1
        for role in ("reader", "writer"):
            kept: tuple[sqlite3.Connection, int, object] | None = getattr(self._local, role, None)
            if kept is not None:
                setattr(self._local, role, None)
                with contextlib.suppress(sqlite3.Error):
                    kept[0].close()

    def replace(self, why: str) -> None:
        """Start afresh with an empty file because of ``why``. Only under the writer's lock."""
        self.close()
        for path in self._files():
            try:
                path.unlink(missing_ok=True)
            except OSError as error:
                raise AnamnesisError(
                    ErrorCode.INDEX_UNUSABLE,
                    f"The index {self.path} cannot be used ({why}) and cannot be removed: {error.strerror}.",
                    "Close other programs that use it, remove it, and try again: it is made again from the records.",
                ) from error
        self.notes.append(f"The index was made anew because {why}.")
        self._make()

    def empty(self) -> None:
        """Empty it in place, for all who read it. Only under the writer's lock; a damaged one is replaced."""
        try:
            schema.renew(self.writer())
        except sqlite3.Error as error:
            with contextlib.suppress(sqlite3.Error):
                self.writer().execute("ROLLBACK")
            self.replace(f"it could not be emptied ({error})")
            return
        with contextlib.suppress(sqlite3.Error):
            self.writer().execute("VACUUM")

    def _files(self) -> list[Path]:
        return [self.path.with_name(self.path.name + ending) for ending in ("", "-wal", "-shm")]

    def _heal(self) -> None:
        why = self._examine()
        if why is None:
            return
        if not why:
            self._make()
            return
        lock = self.writer_lock()
        if not lock.acquire():
            raise AnamnesisError(
                ErrorCode.INDEX_UNUSABLE,
                f"The index {self.path} cannot be used: {why}; and another process is writing it.",
                "Try again in a moment, or end the other process.",
            )
        try:
            self.replace(why)
        finally:
            lock.release()

    def _examine(self) -> str | None:
        """None: fine. Empty: not there yet. Else why it is unusable."""
        if not self.path.exists() or self.path.stat().st_size == 0:
            return ""
        try:
            with contextlib.closing(sqlite3.connect(self.path, timeout=10, isolation_level=None)) as connection:
                why = schema.unusable(connection)
                empty = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0
            return "" if why is None and empty else why
        except sqlite3.OperationalError as error:
            if "locked" in str(error):
                return None
            return f"it is damaged ({error})"
        except sqlite3.DatabaseError as error:
            return f"it is damaged ({error})"

    def _make(self) -> None:
        """Make the file. It comes to be whole: others look at it at any moment, and one without tables is damaged."""
        if self.path.exists():
            self._fill(self.path)
            return
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)  # our cache may be removed at any time
        new = self.path.with_name(f".{self.path.name}-{secrets.token_hex(8)}")
        try:
            self._fill(new)
            try:
                os.link(new, self.path)
            except FileExistsError:
                pass  # another was quicker
            except OSError:
                new.replace(self.path)
        finally:
            new.unlink(missing_ok=True)

    def _fill(self, path: Path) -> None:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        os.close(descriptor)
        with contextlib.closing(sqlite3.connect(path, timeout=30, isolation_level=None)) as connection:
            try:
                if connection.execute("PRAGMA user_version").fetchone()[0] == 0:
                    schema.create(connection)
            except sqlite3.OperationalError:
                # Another process made the tables between the look and the making.
                if connection.execute("PRAGMA user_version").fetchone()[0] != schema.SCHEMA_VERSION:
                    raise

    def _identity(self) -> tuple[int, int] | None:
        try:
            found = self.path.stat()
        except OSError:
            return None
        return (found.st_dev, found.st_ino)

    def _connection(self, role: str) -> sqlite3.Connection:
        identity = self._identity()
        kept: tuple[sqlite3.Connection, int, tuple[int, int] | None] | None = getattr(self._local, role, None)
        if kept is not None and kept[1] == self._generation and kept[2] == identity and identity is not None:
            return kept[0]
        if kept is not None:
            with contextlib.suppress(sqlite3.Error):
                kept[0].close()
        if identity is None:
            self._make()
            identity = self._identity()
        connection = sqlite3.connect(self.path, timeout=30, isolation_level=None, check_same_thread=False)
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA temp_store = MEMORY")
        if role == "reader":
            connection.execute("PRAGMA cache_size = -16000")
            connection.execute("PRAGMA query_only = ON")
        else:
            connection.execute("PRAGMA cache_size = -64000")
            connection.execute("PRAGMA wal_autocheckpoint = 4000")
        with self._lock:
            generation = self._generation
        setattr(self._local, role, (connection, generation, identity))
        return connection


def damaged(error: sqlite3.Error) -> bool:
    """Whether the error says that the file itself is broken, not that it was busy, full or interrupted."""
    text = str(error)
    return any(word in text for word in ("malformed", "not a database", "no such table", "no such column", "corrupt"))


@contextmanager
def transaction(connection: sqlite3.Connection) -> Generator[None]:
    """``BEGIN IMMEDIATE`` … ``COMMIT``, rolled back on any exception."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        with contextlib.suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


_ESCAPED = {0xDC80 + n: 0xF780 + n for n in range(0x80)}
_MEANT = {stored: byte for byte, stored in _ESCAPED.items()}


def stored(text: str) -> str:
    """``text`` as SQLite takes it: an undecodable byte of a file name becomes a private character, and back by
    :func:`restored`; any other half of a surrogate pair, which no file name has, becomes ``?``.
    """
    if text.isascii():
        return text
    return text.translate(_ESCAPED).encode("utf-8", "replace").decode("utf-8")


def restored(text: str) -> str:
    """What :func:`stored` was given."""
    return text if text.isascii() else text.translate(_MEANT)


def placeholders(values: Collection[Any]) -> str:
    """``?,?,?`` for as many values."""
    return ",".join("?" * len(values))
