"""Bringing the catalog up to date with the stores: what changed is captured, what is missing is marked.

One writer over all processes: who does not get the lock does nothing and reads what is there. Work is committed every
half second, a record never in part; a process that is killed loses at most that, and the next refresh goes on from
there.
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from anamnesis_lsp.cancel import Cancelled, CancelToken
from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.index.ahead import MOST_BYTES, ReadAhead, Readers, worth
from anamnesis_lsp.index.capture import Subject, Writer
from anamnesis_lsp.index.database import Database, stored
from anamnesis_lsp.index.prepare import Piece
from anamnesis_lsp.index.rows import Failure, Pending, Progress, Refreshed
from anamnesis_lsp.index.schema import mark_written
from anamnesis_lsp.records import decisions
from anamnesis_lsp.records.conversations.excluding import NOTHING, Excluded
from anamnesis_lsp.records.conversations.model import Runtime, Source, Turn
from anamnesis_lsp.records.conversations.registry import RUNTIMES
from anamnesis_lsp.records.conversations.stores import Store
from anamnesis_lsp.records.evidence import Kind, Speaker

DECISION_STORES = ("decisions", "beads")
COMMIT_SECONDS = 0.5
COMMIT_BYTES = 64 * 1024 * 1024
LARGE_BYTES = 4 * 1024 * 1024
"""What was captured before a source of this size is committed first: it may take a while, and be cancelled."""
FAILED = "failed "
"""Before the revision of a source that could not be read whole: every refresh tries it again."""
MIN_DEAD_PASSAGES = 5_000
"""Fewer replaced passages are left in the full-text index without a thought."""


@dataclass(frozen=True, slots=True)
class Policy:
    """What may be kept."""

    max_bytes: int | None = None
    """Of the index file; beyond, further sources are left out, newest conversations having come first."""
    retention_days: float | None = 90.0
    """How long a record stays whose source is gone. None: for ever."""
    excluded: Excluded = NOTHING
    """Folders and sessions that are kept out; what the catalog has of them is removed."""
    processes: int = 0
    """So many other processes may read ahead where much is new; 0: this one reads alone."""


ProgressFunction = Callable[[Progress], None]


def lower_priority() -> None:
    """Make the calling thread (on Linux) or process (elsewhere) yield to others. For a worker that only refreshes."""
    with contextlib.suppress(OSError, AttributeError):
        if sys.platform == "linux":
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 10)
        elif sys.platform != "win32":
            os.nice(10)


@dataclass(frozen=True, slots=True)
class _Listed:
    """One file to capture: a conversation's, or one that holds decision records."""

    key: str
    size: int
    newest: int
    path: Path
    excluded: bool
    conversation: Source | None = None
    decisions: tuple[decisions.DecisionStore, decisions.DecisionSource] | None = None

    @property
    def revision(self) -> str:
        """Of what state it is: the files it is read from, with their sizes and times. Made when asked for."""
        if self.decisions is not None:
            _, source = self.decisions
            return json.dumps([[source.path, source.size, source.mtime_ns]])
        assert self.conversation is not None
        parts = (*self.conversation.parts, *self.conversation.beside)
        return json.dumps([[os.fspath(part.path), part.size, part.mtime_ns] for part in parts])


@dataclass(slots=True)
class _Tally:
    captured: int = 0
    unchanged: int = 0
    gone: int = 0
    bytes: int = 0
    failures: list[Failure] = field(default_factory=lambda: list[Failure]())
    full: bool = False


class Refresher:
    """One refresh, under the writer's lock. Raises ``Cancelled`` with all that was captured until then kept."""

    def __init__(
        self,
        database: Database,
        cancel: CancelToken,
        progress: ProgressFunction | None,
        policy: Policy,
        runtimes: Mapping[str, Runtime] | None = None,
    ) -> None:
        self._database = database
        self._db = database.writer()
        self._cancel = cancel
        self._progress = progress
        self._policy = policy
        self._runtimes = RUNTIMES if runtimes is None else runtimes
        self._tally = _Tally()
        self._writer: Writer | None = None
        self._committed = time.monotonic()
        self._pending = 0

    def run(self, stores: Sequence[Store]) -> Refreshed:
        """Refresh each store in turn."""
        begun = time.monotonic()
        try:
            self._renew_passages_if_mostly_dead()
            for store in dict.fromkeys(stores):
                self._store(store)
            self._expire()
            self._commit()
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            self._db.execute("PRAGMA shrink_memory")  # 64 MB of pages, which nobody needs until the next time
        except BaseException:
            if self._db.in_transaction:
                with contextlib.suppress(sqlite3.Error):
                    self._db.execute("ROLLBACK")
            raise
        tally = self._tally
        return Refreshed(
            captured=tally.captured,
            unchanged=tally.unchanged,
            gone=tally.gone,
            bytes=tally.bytes,
            seconds=time.monotonic() - begun,
            failures=tuple(tally.failures),
            full=tally.full,
            notes=tuple(self._database.notes),
        )

    # One store

    def _store(self, store: Store) -> None:
        self._cancel.check()
        number = self._store_number(store)
        found = self._db.execute("SELECT key, revision FROM sources WHERE store = ?", (number,))
        known = {key: hash(revision) for key, revision in found}  # a revision is 200 bytes, and there may be many
        seen: set[str] = set()
        kept_out: set[str] = set()
        work: list[_Listed] = []
        state, note = "read", None
        try:
            for item in _listed(store, self._runtimes, self._policy.excluded, self._cancel):
                seen.add(item.key)
                if item.excluded:
                    kept_out.add(item.key)
                elif known.get(item.key) in (hash(item.revision), hash(self._without(item.revision))):
                    self._tally.unchanged += 1
                else:
                    work.append(item)
        except AnamnesisError as error:
            state, note = ("absent" if not store.root.exists() else "unreadable"), error.message
            self._tally.failures.append(Failure(store, str(store.root), error.message))
        except (Cancelled, sqlite3.Error):
            raise
        except Exception as error:  # a reader's fault must not keep the other stores from being read
            state, note = "unreadable", f"its reader failed ({type(error).__name__})"
            self._tally.failures.append(Failure(store, str(store.root), note))
        work.reverse()  # where one file holds several, the last are the newest
        work.sort(key=lambda item: -item.newest)
        self._keep_out(number, kept_out)
        failed = self._work(store, number, work)
        if state == "read":
            self._mark_gone(number, set(known) - seen, set(known) & seen)
            if failed or self._tally.full:
                state, note = (
                    "partly",
                    f"{failed} of its records could not be read whole" if failed else "the index is full",
                )
        elif state == "absent":
            self._mark_gone(number, set(known), set())
        self._begin()
        self._db.execute(
            "UPDATE stores SET state = ?, note = ?, checked = ? WHERE id = ?",
            (state, None if note is None else stored(note), time.time(), number),
        )
        self._commit()

    def _work(self, store: Store, number: int, work: Sequence[_Listed]) -> int:
        total = sum(item.size for item in work)
        done_bytes = 0
        failed = 0
        for done, (item, ahead) in enumerate(self._in_turn(store, number, work)):
            if self._cancel.cancelled or item.size > LARGE_BYTES:
                self._commit()
            self._cancel.check()
            self._tell(Progress(store, done, len(work), done_bytes, total))
            if self._policy.max_bytes is not None and self._database.size() > self._policy.max_bytes:
                self._tally.full = True
                break
            self._begin()
            failure = self._capture(item, store, number, ahead)
            revision = self._without(item.revision) if self._ran_where_excluded(number, item.key) else item.revision
            if failure is not None:
                failed += 1
                self._tally.failures.append(Failure(store, str(item.path), failure))
                revision = f"{FAILED}{item.revision}"
            self._db.execute("INSERT OR REPLACE INTO sources VALUES (?, ?, ?)", (number, item.key, revision))
            self._tally.captured += 1
            self._tally.bytes += item.size
            done_bytes += item.size
            self._pending += item.size
            if self._pending > COMMIT_BYTES or time.monotonic() - self._committed > COMMIT_SECONDS:
                self._commit()
        if work:
            self._tell(Progress(store, len(work), len(work), total, total))
        return failed

    def _in_turn(
        self, store: Store, number: int, work: Sequence[_Listed]
    ) -> Generator[tuple[_Listed, ReadAhead | None]]:
        """What is to be captured, in order, with what was read ahead of it."""
        processes = 0
        if self._policy.processes and self._runtimes is RUNTIMES and store.runtime in RUNTIMES:
            processes = worth(sum(item.size for item in work), self._policy.processes)
        ahead = self._alone_and_new(number, work) if processes else []
        if ahead:
            self._commit()
            sources = [item.conversation for item in ahead if item.conversation is not None]
            with Readers(sources, processes, self._cancel) as readers:
                try:
                    for position, found in readers:
                        yield ahead[position], found
                except Cancelled:
                    self._commit()
                    raise
        taken = {id(item) for item in ahead}
        yield from ((item, None) for item in work if id(item) not in taken)

    def _alone_and_new(self, number: int, work: Sequence[_Listed]) -> list[_Listed]:
        """The conversations that have a file of their own, of which the catalog has nothing."""
        sharing = Counter(item.path for item in work)
        return [
            item
            for item in work
            if item.conversation is not None
            and item.size <= MOST_BYTES
            and sharing[item.path] == 1
            and not self._ready().has(number, item.conversation.id)
        ]

    def _capture(self, item: _Listed, store: Store, number: int, ahead: ReadAhead | None) -> str | None:
        """Capture one file; returns what went wrong, for people."""
        if item.conversation is not None and ahead is not None:
            subject = Subject.of(number, item.conversation)
            return self._ready().prepared(subject, ahead.turns, ahead.body, ahead.outcome)
        if item.conversation is not None:
            source, runtime = item.conversation, self._runtimes[store.runtime]
            return self._ready().conversation(
                Subject.of(number, source), lambda: runtime.read(source, self._cancel), self._cancel
            )
        assert item.decisions is not None
        given, source = item.decisions
        parts = ((str(item.path), source.size, source.mtime_ns),)
        before = {
            row[0]: row[1]
            for row in self._db.execute(
                "SELECT identity, id FROM records WHERE store = ? AND source = ?", (number, stored(source.path))
            )
        }
        found: set[str] = set()
        try:
            for record in decisions.read_source(given, source, self._cancel):
                found.add(stored(record.key.id))
                subject = Subject(
                    number, source.path, record.key.id, Kind.DECISION, store.runtime, given.root, item.path, parts
                )
                self._ready().decision(subject, record.title, record.created, record.updated, _sections(record))
        except AnamnesisError as error:
            return error.message
        self._gone([record for identity, record in before.items() if identity not in found])
        return None

    # What is kept out

    def _without(self, revision: str) -> str:
        """The revision of a source of which nothing is kept because of the folders that are excluded now."""
        return f"excluded {json.dumps(self._policy.excluded.folders)} {revision}"

    def _ran_where_excluded(self, number: int, key: str) -> bool:
        """Whether a conversation ran in a folder that is kept out, as its record says; it is then removed."""
        if not self._policy.excluded.folders:
            return False
        rows = self._db.execute("SELECT id, cwds FROM records WHERE store = ? AND source = ?", (number, key)).fetchall()
        chosen = [row[0] for row in rows if any(map(self._policy.excluded.folder, json.loads(row[1])))]
        self._ready().forget(chosen)
        return bool(chosen)

    def _keep_out(self, number: int, keys: set[str]) -> None:
        """Remove what the catalog has of sources that are kept out: those ``keys``, and those that ran there."""
        excluded = self._policy.excluded
        if not excluded:
            return
        rows = self._db.execute(
            "SELECT id, source, identity, parent, path, cwds FROM records WHERE store = ?", (number,)
        ).fetchall()
        chosen: list[int] = []
        self._begin()
        for record, source, identity, parent, path, cwds in rows:
            if source in keys:
                self._db.execute("DELETE FROM sources WHERE store = ? AND key = ?", (number, source))
            elif excluded.record(identity, parent, path, json.loads(cwds)):
                self._db.execute(
                    "UPDATE sources SET revision = ? || revision WHERE store = ? AND key = ?",
                    (self._without(""), number, source),
                )
            else:
                continue
            chosen.append(record)
        self._ready().forget(chosen)
        self._commit()

    # Bookkeeping

    def _store_number(self, store: Store) -> int:
        row = self._db.execute(
            "SELECT id FROM stores WHERE runtime = ? AND root = ?", (store.runtime, stored(str(store.root)))
        ).fetchone()
        if row is not None:
            return int(row[0])
        cursor = self._db.execute(
            "INSERT INTO stores (runtime, root, state) VALUES (?, ?, 'unread')",
            (store.runtime, stored(str(store.root))),
        )
        return int(cursor.lastrowid or 0)

    def _mark_gone(self, number: int, missing: set[str], present: set[str]) -> None:
        self._begin()
        for key in missing:
            rows = self._db.execute("SELECT id FROM records WHERE store = ? AND source = ?", (number, key)).fetchall()
            self._gone([row[0] for row in rows])
            self._db.execute("DELETE FROM sources WHERE store = ? AND key = ?", (number, key))
        if present:
            self._db.execute(
                "UPDATE records SET gone = NULL WHERE store = ? AND gone IS NOT NULL AND source IN"
                " (SELECT key FROM sources WHERE store = ?) AND kind = ?",
                (number, number, Kind.CONVERSATION.value),
            )

    def _gone(self, records: Sequence[int]) -> None:
        now = time.time()
        for record in records:
            cursor = self._db.execute("UPDATE records SET gone = ? WHERE id = ? AND gone IS NULL", (now, record))
            self._tally.gone += cursor.rowcount

    def _expire(self) -> None:
        if self._policy.retention_days is None:
            return
        before = time.time() - self._policy.retention_days * 86400
        rows = self._db.execute("SELECT id FROM records WHERE gone < ?", (before,)).fetchall()
        if rows:
            self._begin()
            self._ready().forget([row[0] for row in rows])

    def _renew_passages_if_mostly_dead(self) -> None:
        """Empty the full-text index where most of it was replaced; every source is then captured again."""
        held = self._db.execute("SELECT count(*) FROM passage_text_docsize").fetchone()[0]
        dead = held - self._db.execute("SELECT count(*) FROM passages").fetchone()[0]
        if dead > MIN_DEAD_PASSAGES and dead > held // 2:
            self._begin()
            self._db.execute("INSERT INTO passage_text (passage_text) VALUES ('delete-all')")
            self._db.execute("DELETE FROM passages")
            self._db.execute("UPDATE turns SET digest = 0, passages = 0")
            self._db.execute("UPDATE sources SET revision = NULL")
            self._commit()

    def _ready(self) -> Writer:
        if self._writer is None:
            self._writer = Writer(self._db)
        return self._writer

    def _begin(self) -> None:
        if not self._db.in_transaction:
            self._db.execute("BEGIN IMMEDIATE")

    def _commit(self) -> None:
        if self._db.in_transaction:
            if self._writer is not None:
                self._writer.flush()
            if self._writer is not None or self._tally.gone:
                mark_written(self._db)
            self._db.execute("COMMIT")
        self._committed = time.monotonic()
        self._pending = 0

    def _tell(self, progress: Progress) -> None:
        if self._progress is not None:
            self._progress(progress)


def pending(
    db: sqlite3.Connection,
    store: Store,
    runtimes: Mapping[str, Runtime] | None,
    excluded: Excluded,
    cancel: CancelToken,
) -> Pending:
    """What of a store the database does not have. Only reads; a store that cannot be listed has nothing pending."""
    row = db.execute(
        "SELECT id FROM stores WHERE runtime = ? AND root = ?", (store.runtime, stored(str(store.root)))
    ).fetchone()
    known: dict[str, int] = {}
    if row is not None:
        found = db.execute("SELECT key, revision FROM sources WHERE store = ?", (row[0],))
        known = {key: hash(revision) for key, revision in found}
    without = f"excluded {json.dumps(excluded.folders)} "
    sources = size = failing = 0
    if row is not None and excluded.folders:
        ran = db.execute("SELECT cwds FROM records WHERE store = ?", row).fetchall()
        sources += sum(any(map(excluded.folder, json.loads(cwds))) for (cwds,) in ran)
    try:
        for item in _listed(store, RUNTIMES if runtimes is None else runtimes, excluded, cancel):
            have, now = known.pop(item.key, None), item.revision
            if item.excluded:
                sources += have is not None
            elif have == hash(f"{FAILED}{now}"):
                failing += 1
            elif have not in (hash(now), hash(without + now)):
                sources += 1
                size += item.size
    except Cancelled:
        raise
    except Exception:  # the refresh tells what is wrong with a store
        return Pending(store, gone=len(known) if not store.root.exists() else 0)
    return Pending(store, sources, size, len(known), failing)


def _listed(
    store: Store, runtimes: Mapping[str, Runtime], excluded: Excluded, cancel: CancelToken
) -> Iterator[_Listed]:
    """The files of a store; of two with one session id the larger."""
    if store.runtime in DECISION_STORES:
        given = decisions.given_store(store.runtime, store.root)
        for source in decisions.decision_sources(given, cancel):
            path = given.root / source.path
            yield _Listed(
                key=stored(source.path),
                size=source.size,
                newest=source.mtime_ns,
                path=path,
                excluded=excluded.folder(path),
                decisions=(given, source),
            )
        return
    runtime = runtimes.get(store.runtime)
    if runtime is None:
        raise AnamnesisError(
            ErrorCode.STORE_UNKNOWN,
            f"'{store.runtime[:60]}' is no kind of store that can be read here.",
            f"Use one of: {', '.join([*runtimes, *DECISION_STORES])}.",
        )
    for source in _once(runtime, store.root, cancel):
        yield _Listed(
            key=stored(source.id),
            size=_size(source),
            newest=max((part.mtime_ns for part in source.parts), default=0),
            path=source.path,
            excluded=bool(excluded) and excluded.source(source),
            conversation=source,
        )


def _once(runtime: Runtime, root: Path, cancel: CancelToken) -> Iterator[Source]:
    """Every conversation; of two with one id the larger."""
    if runtime.ids_are_unique:
        yield from runtime.sources(root, cancel)
        return
    largest: dict[str, Source] = {}
    for source in runtime.sources(root, cancel):
        other = largest.get(source.id)
        if other is None or _size(other) < _size(source):
            largest[source.id] = source
    yield from largest.values()


def _size(source: Source) -> int:
    return sum(part.size for part in source.parts)


def _sections(record: decisions.DecisionRecord) -> list[Piece]:
    """The sections as turns from 1; the title and the status stand before the first one's text."""
    head = "\n".join(text for text in (record.title, record.status) if text)
    pieces: list[Piece] = []
    for n, section in enumerate(record.sections, 1):
        text = f"{section.name}\n{section.text}" if section.name else section.text
        pieces.append(
            Piece(
                Turn(
                    n=n,
                    speaker=Speaker.DOCUMENT,
                    text=f"{head}\n{text}" if n == 1 else text,
                    when=section.when or record.created,
                    mentions=record.paths if n == 1 else (),
                ),
                section.part,
            )
        )
    if not pieces and head:
        pieces.append(Piece(Turn(n=1, speaker=Speaker.DOCUMENT, text=head, when=record.created)))
    return pieces
