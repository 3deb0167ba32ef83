"""Recalls on disk: the fused contexts, one SQLite file in our state directory, mode 0600.

The context is the only state; what a row says beside it (the name, the last change) only lists. One transaction per
round, so that a killed process loses at most the round it was in. A file of a later version is refused and left as it
is; a damaged one is moved aside, and said. Evidence stands in a context as it was read, so that it can be read again:
what is kept longer than the person wants is removed, and what is removed is overwritten.

Raises ``stateTooNew``, ``stateUnusable``, ``noSuchRecall``, ``permissionDenied`` (the directory).
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import threading
import zlib
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from anamnesis_lsp.contract import Context, Origin, Turn
from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.index.database import restored, stored
from anamnesis_lsp.places import state_dir
from anamnesis_lsp.readings import codec
from anamnesis_lsp.readings.content import Content

SCHEMA_VERSION = 1
APPLICATION_ID = 0x616E616D
"""``anam``: whose file it is."""
FILE_NAME = "recalls.sqlite3"

_MAGIC = b"SQLite format 3\0"
_VERSION_AT = 60
"""Where SQLite keeps ``user_version`` in the header of the file: read without opening it as a database."""
_TABLES = """
CREATE TABLE recalls (
    id TEXT PRIMARY KEY, contract TEXT NOT NULL, root TEXT, began TEXT NOT NULL, changed TEXT NOT NULL,
    state TEXT NOT NULL, meant TEXT NOT NULL, leading TEXT, turns INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE turns (
    recall TEXT NOT NULL, n INTEGER NOT NULL, origin TEXT NOT NULL, content BLOB NOT NULL, PRIMARY KEY (recall, n)
) WITHOUT ROWID;
CREATE TABLE buffers (
    recall TEXT NOT NULL, digest TEXT NOT NULL, content BLOB NOT NULL, PRIMARY KEY (recall, digest)
) WITHOUT ROWID;
"""


@dataclass(frozen=True, slots=True)
class Row:
    """A recall as it is listed."""

    id: str
    contract: str
    root: str | None
    """The repository it was begun in; None where there was none."""
    began: datetime
    changed: datetime
    state: str
    meant: str
    leading: str | None
    turns: int


class State:
    """The recalls kept by one user. Thread-safe; several processes may use it."""

    def __init__(self, path: Path, connection: sqlite3.Connection, notes: Sequence[str]) -> None:
        self.path = path
        self.notes = tuple(notes)
        """What a person should know: that a damaged file was moved aside."""
        self._connection = connection
        self._lock = threading.RLock()

    @classmethod
    def open(cls, path: Path | None = None) -> State:
        """Open the file, made where it is not there yet. Raises ``stateTooNew`` and leaves such a file untouched."""
        path = path or state_dir() / FILE_NAME
        notes: list[str] = []
        why = _examine(path)
        if why is None:
            try:
                return cls(path, _connect(path), notes)
            except sqlite3.OperationalError as error:
                raise _unusable(path, error) from error
            except sqlite3.DatabaseError as error:
                why = f"it is damaged ({error})"
        notes.append(_move_aside(path, why))
        try:
            return cls(path, _connect(path), notes)
        except sqlite3.Error as error:
            raise _unusable(path, error) from error

    def close(self) -> None:
        """Close the file."""
        with self._lock, contextlib.suppress(sqlite3.Error):
            self._connection.close()

    # ── reading ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def rows(self) -> list[Row]:
        """Every recall kept, the one that changed last first."""
        with self._using() as connection:
            found = connection.execute(f"{_SELECT} ORDER BY changed DESC, began DESC, id").fetchall()
        return [_row(one) for one in found]

    def row(self, recall: str) -> Row | None:
        """One recall as it is listed; None where it is not kept."""
        with self._using() as connection:
            found = connection.execute(f"{_SELECT} WHERE id = ?", (stored(recall),)).fetchone()
        return None if found is None else _row(found)

    def context(self, recall: str) -> Context[Content]:
        """The fused context of a recall. Raises ``stateTooNew`` where a turn says what this version does not know."""
        with self._using() as connection:
            found = connection.execute(
                "SELECT origin, content FROM turns WHERE recall = ? ORDER BY n", (recall,)
            ).fetchall()
        try:
            return tuple(_turn(origin, content) for origin, content in found)
        except (ValueError, TypeError, KeyError, zlib.error) as error:
            raise AnamnesisError(
                ErrorCode.STATE_TOO_NEW,
                f"The recall {recall} holds a turn that this version cannot read.",
                "Use the version that wrote it, or forget the recall with 'anamnesis-lsp forget'.",
            ) from error

    def buffers(self, recall: str) -> dict[str, str]:
        """The unsaved texts that a recall was run on, by their digests."""
        with self._using() as connection:
            found = connection.execute("SELECT digest, content FROM buffers WHERE recall = ?", (recall,)).fetchall()
        return {digest: zlib.decompress(content).decode("utf-8", "surrogatepass") for digest, content in found}

    # ── writing ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def keep(self, row: Row, turns: Sequence[Turn[Content]], buffers: dict[str, str]) -> None:
        """One round, in one transaction: ``turns`` are the new ones, the last of them number ``row.turns``.

        Raises ``stateUnusable`` where it cannot be written, and where the recall went on in another process meanwhile.
        """
        first = row.turns - len(turns)
        written = [(row.id, first + n, turn.origin.value, _content(turn)) for n, turn in enumerate(turns)]
        texts = [(row.id, digest, _packed(text)) for digest, text in buffers.items()]
        with self._using(write=True) as connection:
            known = connection.execute("SELECT turns FROM recalls WHERE id = ?", (row.id,)).fetchone()
            if (0 if known is None else known[0]) != first:
                raise AnamnesisError(
                    ErrorCode.STATE_UNUSABLE,
                    "This recall went on in another window meanwhile.",
                    "Say it again: it is then read against what was said there.",
                )
            connection.execute(
                "INSERT INTO recalls VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET"
                " changed = excluded.changed, state = excluded.state, meant = excluded.meant,"
                " leading = excluded.leading, turns = excluded.turns, root = excluded.root",
                (
                    row.id, row.contract, _name(row.root), _stamp(row.began), _stamp(row.changed), row.state,
                    _name(row.meant), _name(row.leading), row.turns,
                ),
            )  # fmt: skip
            connection.executemany("INSERT INTO turns VALUES (?, ?, ?, ?)", written)
            connection.executemany("INSERT OR IGNORE INTO buffers VALUES (?, ?, ?)", texts)

    def forget(self, recalls: Iterable[str]) -> int:
        """Remove recalls, their evidence overwritten; how many there were."""
        wanted = [(recall,) for recall in dict.fromkeys(recalls)]
        with self._using(write=True) as connection:
            before = connection.execute("SELECT count(*) FROM recalls").fetchone()[0]
            for table, column in (("turns", "recall"), ("buffers", "recall"), ("recalls", "id")):
                connection.executemany(f"DELETE FROM {table} WHERE {column} = ?", wanted)
            left = connection.execute("SELECT count(*) FROM recalls").fetchone()[0]
        if before != left:
            with self._using() as connection, contextlib.suppress(sqlite3.OperationalError):
                connection.executescript("PRAGMA incremental_vacuum")  # ``execute`` takes one step: it frees one page
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return before - left

    def forget_older(self, days: float, now: datetime | None = None) -> int:
        """Remove the recalls that did not change for so many days; how many there were."""
        limit = _stamp((now or datetime.now(timezone.utc)) - timedelta(days=days))
        with self._using() as connection:
            old = [one[0] for one in connection.execute("SELECT id FROM recalls WHERE changed < ?", (limit,))]
        return self.forget(old) if old else 0

    @contextmanager
    def _using(self, *, write: bool = False) -> Generator[sqlite3.Connection]:
        with self._lock:
            try:
                if not write:
                    yield self._connection
                    return
                self._connection.execute("BEGIN IMMEDIATE")
                try:
                    yield self._connection
                except BaseException:
                    self._connection.execute("ROLLBACK")
                    raise
                self._connection.execute("COMMIT")
            except sqlite3.Error as error:
                with contextlib.suppress(sqlite3.Error):
                    if self._connection.in_transaction:
                        self._connection.execute("ROLLBACK")
                raise _unusable(self.path, error) from error


_SELECT = "SELECT id, contract, root, began, changed, state, meant, leading, turns FROM recalls"


def _examine(path: Path) -> str | None:
    """None: fine, or not there yet. Else why it is unusable. Raises ``stateTooNew``. Opens no database."""
    try:
        with path.open("rb") as file:
            header = file.read(100)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _unusable(path, error) from error
    if not header:
        return None
    if len(header) < 100 or not header.startswith(_MAGIC):
        return "it is no database"
    _refuse_newer(path, int.from_bytes(header[_VERSION_AT : _VERSION_AT + 4], "big"))
    return None


def _refuse_newer(path: Path, version: int) -> None:
    if version > SCHEMA_VERSION:
        raise AnamnesisError(
            ErrorCode.STATE_TOO_NEW,
            f"The recalls in {path} were kept by a later version (schema {version}, known here: {SCHEMA_VERSION}).",
            "Update anamnesis-lsp, or set ANAMNESIS_STATE_DIR to another directory. The file was left as it is.",
        )


def _connect(path: Path) -> sqlite3.Connection:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if os.fstat(descriptor).st_mode & 0o077 and hasattr(os, "fchmod"):
            os.fchmod(descriptor, 0o600)
    finally:
        os.close(descriptor)
    connection = sqlite3.connect(path, timeout=10, isolation_level=None, check_same_thread=False)
    try:
        version = int(connection.execute("PRAGMA user_version").fetchone()[0])
        _refuse_newer(path, version)
        connection.execute("PRAGMA secure_delete = ON")
        connection.execute("PRAGMA synchronous = FULL")
        if version == 0:
            _create(connection)
        connection.execute("SELECT count(*) FROM recalls").fetchone()
        connection.execute("SELECT count(*) FROM buffers").fetchone()
    except BaseException:
        connection.close()
        raise
    return connection


def _create(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("BEGIN IMMEDIATE")
    try:
        if connection.execute("PRAGMA user_version").fetchone()[0] == 0:  # another process may have been first
            for statement in _TABLES.split(";"):
                if statement.strip():
                    connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def _move_aside(path: Path, why: str) -> str:
    stamp = datetime.now(timezone.utc).strftime("%Y%m%dT%H%M%S")
    aside = path.with_name(f"{path.name}.damaged-{stamp}")
    try:
        for ending in ("-wal", "-shm", ""):
            part = path.with_name(path.name + ending)
            if part.exists():
                part.replace(aside.with_name(aside.name + ending))
    except OSError as error:
        raise _unusable(path, error) from error
    return f"The recalls kept in {path} could not be used: {why}. The file is {aside.name} now; a new one was begun."


def _unusable(path: Path, error: Exception) -> AnamnesisError:
    said = error.strerror if isinstance(error, OSError) else str(error)
    return AnamnesisError(
        ErrorCode.STATE_UNUSABLE,
        f"The recalls in {path} cannot be read or written: {said}.",
        "Make room or make it writable for you, or set ANAMNESIS_STATE_DIR to another directory.",
    )


def _row(found: Sequence[Any]) -> Row:
    identity, contract, root, began, changed, state, meant, leading, turns = found
    times = (datetime.fromisoformat(began), datetime.fromisoformat(changed))
    return Row(identity, contract, None if root is None else restored(root), *times, state, meant, leading, turns)


def _name(text: str | None) -> str | None:
    """As SQLite takes it: half of a surrogate pair may stand in a path, in a record and in what a client sends."""
    return None if text is None else stored(text)


def _stamp(when: datetime) -> str:
    """UTC with microseconds, so that the texts sort as the times do."""
    return when.astimezone(timezone.utc).isoformat(timespec="microseconds")


def _content(turn: Turn[Content]) -> bytes:
    return _packed(json.dumps(codec.encode(turn.content), ensure_ascii=True, separators=(",", ":")))


def _packed(text: str) -> bytes:
    return zlib.compress(text.encode("utf-8", "surrogatepass"), 6)


def _turn(origin: str, content: bytes) -> Turn[Content]:
    written: object = json.loads(zlib.decompress(content).decode("utf-8", "surrogatepass"))
    return Turn[Content](Origin(origin), codec.decode(written))
