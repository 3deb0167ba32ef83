"""The catalog: one SQLite file that says which record to open for a line, a word, a path, a hash or a time.

Everything it returns is a cue. Every query is for given stores; records whose source is gone are among the answers and
say so (``RecordRow.gone``): "found and not openable" and "not found" are two things. Thread-safe; the queries block for
milliseconds, ``refresh`` for as long as it takes. Raises ``indexUnusable`` where the file can neither be used nor
replaced.
"""

from __future__ import annotations

import json
import math
import re
import sqlite3
from array import array
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.contract.types import ExtractorState, Reach, SourceScan
from anamnesis_lsp.index import schema
from anamnesis_lsp.index.capture import Writer
from anamnesis_lsp.index.database import Database, damaged, placeholders, restored, stored, transaction
from anamnesis_lsp.index.receipts import unpacked
from anamnesis_lsp.index.refresh import Policy, ProgressFunction, Refresher, pending
from anamnesis_lsp.index.rows import (
    Captured,
    CommitRow,
    EditRow,
    LineWriter,
    MentionRow,
    PassageHit,
    Pending,
    Receipt,
    RecordRow,
    Refreshed,
    Status,
    StoreStatus,
)
from anamnesis_lsp.places import cache_dir
from anamnesis_lsp.records.conversations.excluding import NOTHING, Excluded
from anamnesis_lsp.records.conversations.hypomnesis import ForeignReceipt
from anamnesis_lsp.records.conversations.model import EditOutcome, Part, Runtime, Source
from anamnesis_lsp.records.conversations.stores import Store
from anamnesis_lsp.records.evidence import Kind, RecordKey, Speaker

K1 = 1.2
B = 0.75
MAX_ROWS = 30_000
"""So many rows of passages are scored in one query, rarest terms first: the commonest tell little and cost most."""

_BATCH = 500


class Catalog:
    """Reads of one catalog file, and its refresh."""

    def __init__(self, database: Database, runtimes: Mapping[str, Runtime] | None = None) -> None:
        self._database = database
        self._runtimes = runtimes

    @classmethod
    def open(cls, path: Path | None = None, runtimes: Mapping[str, Runtime] | None = None) -> Catalog:
        """The catalog at ``path`` (default: in our cache). A file of another version, or a damaged one, is made anew.

        ``runtimes`` replaces the table of readers.
        """
        if path is None:
            path = cache_dir("index") / f"catalog-{schema.SCHEMA_VERSION}.sqlite3"
            _remove_older(path)
        return cls(Database(path), runtimes)

    def close(self) -> None:
        """Close its connections."""
        self._database.close()

    @property
    def notes(self) -> tuple[str, ...]:
        """What a person should know of the file: that and why it was made anew."""
        return tuple(self._database.notes)

    # Writing

    def refresh(
        self,
        stores: Sequence[Store],
        cancel: CancelToken,
        progress: ProgressFunction | None = None,
        policy: Policy | None = None,
    ) -> Refreshed:
        """Capture what changed in ``stores``; mark what is gone. Where another refresh runs, return at once and say so.

        Raises ``Cancelled``; what was captured until then is kept.
        """
        lock = self._database.writer_lock()
        if not lock.acquire():
            return Refreshed(other_writer=True, notes=self.notes)
        try:
            for attempt in (1, 2):
                try:
                    return Refresher(self._database, cancel, progress, policy or Policy(), self._runtimes).run(stores)
                except sqlite3.DatabaseError as error:
                    if attempt == 2 or not damaged(error):
                        raise
                    self._database.replace(f"it was damaged ({error})")
            raise AssertionError("unreachable")
        finally:
            lock.release()

    def rebuild(self) -> bool:
        """Empty the catalog, to be filled by the next refresh. False where another process is writing it."""
        lock = self._database.writer_lock()
        if not lock.acquire():
            return False
        try:
            self._database.empty()
        finally:
            lock.release()
        return True

    def forget(self, store: Store, identities: Collection[str] | None = None) -> int | None:
        """Remove a store's records (of these ids only, when given) with all that was captured of them.

        How many were removed; None where another process is writing. They come back at the next refresh of that store:
        to keep them out, leave the store (or session) out of it.
        """
        lock = self._database.writer_lock()
        if not lock.acquire():
            return None
        try:
            db = self._database.writer()
            with transaction(db):
                rows = db.execute(
                    "SELECT r.id, r.identity, r.source, r.store FROM records r JOIN stores s ON s.id = r.store"
                    " WHERE s.runtime = ? AND s.root = ?",
                    (store.runtime, stored(str(store.root))),
                ).fetchall()
                chosen = [row for row in rows if identities is None or restored(row[1]) in identities]
                writer = Writer(db)
                writer.forget([row[0] for row in chosen])
                db.executemany("DELETE FROM sources WHERE store = ? AND key = ?", [(row[3], row[2]) for row in chosen])
                writer.flush()
                schema.mark_written(db)
            return len(chosen)
        finally:
            lock.release()

    # Records

    def records(self, stores: Sequence[Store]) -> list[RecordRow]:
        """Every record of the stores, in order of their start (unknown last)."""
        numbers = self._numbers(stores)
        return self._all(
            f"SELECT {_RECORD} FROM records WHERE store IN ({placeholders(numbers)})"
            " ORDER BY started IS NULL, started, id",
            list(numbers),
            lambda row: _record(row, numbers),
        )

    def record(self, number: int) -> RecordRow | None:
        """One record by its number in the catalog."""
        rows = self._all(f"SELECT {_RECORD} FROM records WHERE id = ?", [number])
        return next((_record(row, self._every_store()) for row in rows), None)

    def find(self, key: RecordKey) -> RecordRow | None:
        """The record of that key."""
        rows = self._all(
            f"SELECT {_RECORD} FROM records WHERE identity = ? AND kind = ? AND root = ? ORDER BY gone IS NOT NULL, id",
            [stored(key.id), key.kind.value, stored(str(key.root))],
        )
        found = [_record(row, self._every_store()) for row in rows]
        return next((row for row in found if key.runtime is None or row.store.runtime == key.runtime), None)

    def source(self, store: Store, identity: str) -> Source | None:
        """Where a conversation was read from when it was captured; None where it was not."""
        rows = self._all(
            "SELECT c.receipt, r.parent, r.agent FROM records r JOIN stores s ON s.id = r.store"
            " JOIN receipts c ON c.record = r.id"
            " WHERE s.runtime = ? AND s.root = ? AND r.identity = ? AND r.kind = ?",
            [store.runtime, stored(str(store.root)), stored(identity), Kind.CONVERSATION.value],
        )
        for receipt, parent, agent in rows:
            parts = tuple(Part(Path(path), size, mtime) for path, size, mtime in unpacked(receipt)["revision"])
            if parts:
                return Source(
                    store.runtime, store.root, identity, parts, None if parent is None else restored(parent), agent
                )
        return None

    def by_identity(self, prefix: str, stores: Sequence[Store]) -> list[RecordRow]:
        """The records whose id is ``prefix`` or begins with it: session ids are cited by their first digits."""
        if not prefix:
            return []
        numbers = self._numbers(stores)
        rows = self._all(
            f"SELECT {_RECORD} FROM records WHERE store IN ({placeholders(numbers)}) AND substr(identity, 1, ?) = ?",
            [*numbers, len(prefix), stored(prefix)],
        )
        return [_record(row, numbers) for row in rows]

    def records_started_between(self, since: float | None, until: float | None, stores: Sequence[Store]) -> list[int]:
        """Records that began in ``[since, until]`` (None: no bound); one whose start is unknown is not among them."""
        numbers = self._numbers(stores)
        rows = self._all(
            f"SELECT id FROM records WHERE started BETWEEN ? AND ? AND store IN ({placeholders(numbers)})"
            " ORDER BY started",
            [-math.inf if since is None else since, math.inf if until is None else until, *numbers],
        )
        return [row[0] for row in rows]

    # Lines, edits, commits

    def writers(
        self, hashes: Collection[int], stores: Sequence[Store], until: float | None = None
    ) -> dict[int, list[LineWriter]]:
        """Who wrote each line (by ``lines.line_hash``), latest first, unknown times last; one nobody wrote is left out.

        ``until``: only edits at or before that time, and those of unknown time. Copies of one turn in several records
        (a conversation resumed into a new file) are one writer: the record that ended first.
        """
        numbers = self._numbers(stores)
        found: dict[int, dict[tuple[object, ...], tuple[_Rank, LineWriter]]] = {}
        for batch in _batches(sorted(hashes)):
            rows = self._all(
                "SELECT l.hash, e.record, e.n, p.path, e.at, e.outcome, e.whole_file, e.native, r.ended"
                " FROM lines l CROSS JOIN edits e ON e.id = l.edit CROSS JOIN records r ON r.id = e.record"
                " CROSS JOIN paths p ON p.id = e.path"
                f" WHERE l.hash IN ({placeholders(batch)}) AND r.store IN ({placeholders(numbers)})"
                + ("" if until is None else " AND (e.at IS NULL OR e.at <= ?)"),
                [*batch, *numbers, *(() if until is None else (until,))],
            )
            for line, record, turn, path, at, outcome, whole, native, ended in rows:
                writer = LineWriter(record, turn, restored(path), at, EditOutcome(outcome), bool(whole))
                same = (record, turn, path) if native is None else (native, path)
                known = found.setdefault(line, {})
                rank = _rank(record, ended)
                if same not in known or rank < known[same][0]:
                    known[same] = (rank, writer)
        return {line: _latest_first(writer for _, writer in known.values()) for line, known in found.items()}

    def shares(self, hashes: Collection[int], stores: Sequence[Store], until: float | None = None) -> dict[int, float]:
        """For each record that wrote any of the lines, the share of them that it wrote (0 < share ≤ 1)."""
        distinct = set(hashes)
        counts: dict[int, int] = {}
        for writers in self.writers(distinct, stores, until).values():
            for record in {writer.record for writer in writers}:
                counts[record] = counts.get(record, 0) + 1
        return {record: count / len(distinct) for record, count in counts.items()}

    def line_hashes(self, record: int) -> set[int]:
        """The hashes of all lines that the record wrote."""
        found: set[int] = set()
        for (blob,) in self._all("SELECT hashes FROM edits WHERE record = ?", [record]):
            written = array("q")
            written.frombytes(blob)
            found.update(written)
        return found

    def edits(self, stores: Sequence[Store]) -> list[EditRow]:
        """Every edit recorded in the stores, in order of record and turn."""
        return self._edits(stores, "", [], "e.record, e.n, e.id")

    def edits_between(self, since: float | None, until: float | None, stores: Sequence[Store]) -> list[EditRow]:
        """The edits made in ``[since, until]`` (None: no bound), in order of time; one of unknown time is not here."""
        bounds = [-math.inf if since is None else since, math.inf if until is None else until]
        return self._edits(stores, "e.at BETWEEN ? AND ?", bounds, "e.at, e.id")

    def edits_of(self, names: Collection[str], stores: Sequence[Store]) -> list[EditRow]:
        """The edits of files with one of these names (last part of the path): the caller compares the folders."""
        wanted = sorted({stored(name) for name in names})
        where = f"e.path IN (SELECT id FROM paths WHERE name IN ({placeholders(wanted)}))"
        return self._edits(stores, where, wanted, "e.at IS NULL, e.at, e.id")

    def mentions(self, stores: Sequence[Store]) -> list[MentionRow]:
        """Every path that a record's tools read or searched, or that a decision record names."""
        return self._mentions(stores, "", [])

    def recorded_commits(self, prefixes: Collection[str], stores: Sequence[Store]) -> list[CommitRow]:
        """The commits recorded whose hash begins with one of ``prefixes`` (7 digits or more), or is its beginning."""
        numbers = self._numbers(stores)
        wanted: dict[str, set[str]] = {}
        for prefix in prefixes:
            if len(prefix) >= 7:
                wanted.setdefault(prefix[:7].lower(), set()).add(prefix.lower())
        found: list[CommitRow] = []
        for batch in _batches(sorted(wanted)):
            rows = self._all(
                f"SELECT {_COMMIT} FROM commits c JOIN records r ON r.id = c.record"
                f" WHERE c.short IN ({placeholders(batch)}) AND r.store IN ({placeholders(numbers)})"
                " ORDER BY c.at IS NULL, c.at, c.record, c.n",
                [*batch, *numbers],
            )
            found += _commits(rows)
        return [
            row
            for row in found
            if any(row.hash.startswith(prefix) or prefix.startswith(row.hash) for prefix in wanted[row.hash[:7]])
        ]

    def commits(self, stores: Sequence[Store]) -> list[CommitRow]:
        """Every commit that a record of the stores shows to have been made."""
        numbers = self._numbers(stores)
        rows = self._all(
            f"SELECT {_COMMIT} FROM commits c JOIN records r ON r.id = c.record"
            f" WHERE r.store IN ({placeholders(numbers)}) ORDER BY c.record, c.n",
            list(numbers),
        )
        return _commits(rows)

    # Words

    def frequencies(self, terms: Collection[str], stores: Sequence[Store]) -> dict[str, int]:
        """In how many records of the stores each term stands; a term of none is left out."""
        lengths = self._lengths(stores)
        return {
            term: count
            for term, rows in self._postings(terms).items()
            if (count := sum(1 for row in rows if row[0] in lengths))
        }

    def body_scores(
        self, terms: Mapping[str, float], stores: Sequence[Store], *, person: float = 1.0, wrote: float = 1.0
    ) -> dict[int, float]:
        """BM25 of a bag of words (term → weight) against whole records; records that hold none of them are left out.

        ``person`` is what a word said by the person counts against one said by the assistant, ``wrote`` what a word of
        an edit or a command counts. Document frequencies are of the records of ``stores``.
        """
        return self.body_scores_of([terms], stores, person=person, wrote=wrote)[0]

    def body_scores_of(
        self,
        bags: Sequence[Mapping[str, float]],
        stores: Sequence[Store],
        *,
        person: float = 1.0,
        wrote: float = 1.0,
    ) -> list[dict[int, float]]:
        """As :meth:`body_scores`, for several bags at once: terms they share are read once."""
        lengths = self._lengths(stores)
        if not lengths:
            return [{} for _ in bags]
        total = {
            record: said + (person - 1) * own + wrote * written for record, (said, own, written) in lengths.items()
        }
        average = max(sum(total.values()) / len(total), 1e-9)
        norms = {record: K1 * (1 - B + B * length / average) for record, length in total.items()}
        plain = person == 1.0 and wrote == 1.0
        unit: dict[str, list[tuple[int, float]]] = {}
        for term, rows in self._postings({term for bag in bags for term in bag}).items():
            within = [row for row in rows if row[0] in norms]
            idf = math.log1p((len(lengths) - len(within) + 0.5) / (len(within) + 0.5))
            scored: list[tuple[int, float]] = []
            for record, said, own, written in within:
                frequency = said + written if plain else said + (person - 1) * own + wrote * written
                if frequency > 0:
                    scored.append((record, idf * frequency * (K1 + 1) / (frequency + norms[record])))
            unit[term] = scored
        results: list[dict[int, float]] = []
        for bag in bags:
            scores: dict[int, float] = {}
            for term, weight in bag.items():
                for record, score in unit.get(term, ()):
                    scores[record] = scores.get(record, 0.0) + weight * score
            results.append(scores)
        return results

    def passages(
        self,
        terms: Mapping[str, float],
        stores: Sequence[Store],
        limit: int = 50,
        *,
        person: float = 1.0,
        wrote: float = 0.5,
        records: Collection[int] | None = None,
    ) -> list[PassageHit]:
        """The turns (or sections) that a bag of words reaches, best first, by BM25 of their best passage.

        ``person`` multiplies the score of the person's own turns; ``wrote`` weighs what edits and commands wrote.
        ``records``: only in these.
        """
        numbers = self._numbers(stores)
        scores = self._passage_scores(terms, wrote)
        best: dict[tuple[int, int], PassageHit] = {}
        ordered = sorted(scores, key=lambda passage: -scores[passage])
        for start in range(0, len(ordered), _BATCH):
            if len(best) >= 4 * limit:
                break
            batch = ordered[start : start + _BATCH]
            rows = self._all(
                "SELECT p.id, p.record, p.n, t.part, t.speaker, t.at FROM passages p"
                " JOIN turns t ON t.record = p.record AND t.n = p.n JOIN records r ON r.id = p.record"
                f" WHERE p.id IN ({placeholders(batch)}) AND r.store IN ({placeholders(numbers)})",
                [*batch, *numbers],
            )
            for passage, record, turn, part, speaker, at in rows:
                if records is not None and record not in records:
                    continue
                who = Speaker(speaker)
                score = scores[passage] * (person if who is Speaker.PERSON else 1.0)
                known = best.get((record, turn))
                if known is None or known.score < score:
                    best[record, turn] = PassageHit(record, turn, part, who, at, score)
        return sorted(best.values(), key=lambda hit: (-hit.score, hit.record, hit.turn))[:limit]

    # Receipts and state

    def pending(self, stores: Sequence[Store], cancel: CancelToken, excluded: Excluded = NOTHING) -> list[Pending]:
        """What of each store the catalog does not have yet. Lists the stores; nothing is read or written."""
        try:
            return [pending(self._database.reader(), store, self._runtimes, excluded, cancel) for store in stores]
        except sqlite3.DatabaseError as error:
            if not damaged(error):
                raise
            return [Pending(store) for store in stores]  # it is being made anew: what is pending is known afterwards

    def captured(self, stores: Sequence[Store]) -> dict[Store, Captured]:
        """The receipts of each store's records, added up."""
        numbers = self._numbers(stores)
        rows = self._all(
            "SELECT r.store, c.receipt FROM receipts c JOIN records r ON r.id = c.record"
            f" WHERE r.store IN ({placeholders(numbers)})",
            list(numbers),
        )
        receipts: dict[Store, list[Receipt]] = {}
        for number, text in rows:
            receipts.setdefault(numbers[number], []).append(_receipt(text))
        return {store: _added_up(found) for store, found in receipts.items()}

    def receipts(self, records: Collection[int]) -> dict[int, Receipt]:
        """The receipt of each record that has one."""
        found: dict[int, Receipt] = {}
        for batch in _batches(sorted(records)):
            rows = self._all(
                f"SELECT record, receipt FROM receipts WHERE record IN ({placeholders(batch)})", list(batch)
            )
            found.update((record, _receipt(text)) for record, text in rows)
        return found

    def stores(self, stores: Sequence[Store]) -> list[StoreStatus]:
        """Each of the stores as the catalog has it, one that was never refreshed included."""
        rows = self._all(
            "SELECT s.runtime, s.root, s.state, s.note, s.checked, count(r.id), count(r.gone),"
            " coalesce((SELECT sum(b) FROM (SELECT max(bytes) AS b FROM records WHERE store = s.id GROUP BY path)), 0),"
            " min(r.started), max(coalesce(r.ended, r.started))"
            " FROM stores s LEFT JOIN records r ON r.store = s.id GROUP BY s.id",
            [],
        )
        known = {
            (row[0], restored(row[1])): StoreStatus(
                Store(row[0], Path(restored(row[1]))), row[2], row[3], row[5], row[6], row[7], row[8], row[9], row[4]
            )
            for row in rows
        }
        return [
            known.get((store.runtime, str(store.root))) or StoreStatus(store, "unread", None, 0, 0, 0, None, None, None)
            for store in stores
        ]

    def status(self) -> Status:
        """The catalog as a whole, with every store it knows."""
        rows = self._all(
            "SELECT (SELECT count(*) FROM records), (SELECT count(*) FROM passages),"
            " (SELECT count(*) FROM passage_text_docsize), (SELECT count(*) FROM lines)",
            [],
        )
        records, passages, held, lines = rows[0] if rows else (0, 0, 0, 0)
        return Status(
            self._database.path,
            self._database.size(),
            records,
            passages,
            held - passages,
            lines,
            self.being_written(),
            tuple(self.stores(list(self._every_store().values()))),
            self.notes,
        )

    def written(self) -> object:
        """Another value whenever records were written since, by whatever process."""
        return self._all("SELECT value FROM meta WHERE key = 'written'", [])

    def being_written(self) -> bool:
        """Whether a refresh runs now, here or in another process."""
        lock = self._database.writer_lock()
        if lock.acquire():
            lock.release()
            return False
        return True

    # Inside

    def _all(self, sql: str, parameters: Sequence[Any], make: Callable[[Any], Any] | None = None) -> list[Any]:
        """The rows, or what ``make`` makes of each, one by one."""
        try:
            found = self._database.reader().execute(sql, parameters)
            return found.fetchall() if make is None else [make(row) for row in found]
        except sqlite3.DatabaseError as error:
            if not damaged(error):
                raise
            lock = self._database.writer_lock()
            if lock.acquire():
                try:
                    self._database.replace(f"it was damaged ({error})")
                finally:
                    lock.release()
            return []

    def _every_store(self) -> dict[int, Store]:
        rows = self._all("SELECT id, runtime, root FROM stores", [])
        return {row[0]: Store(row[1], Path(restored(row[2]))) for row in rows}

    def _numbers(self, stores: Sequence[Store]) -> dict[int, Store]:
        wanted = {(store.runtime, str(store.root)): store for store in stores}
        return {
            number: wanted[store.runtime, str(store.root)]
            for number, store in self._every_store().items()
            if (store.runtime, str(store.root)) in wanted
        }

    def _edits(self, stores: Sequence[Store], where: str, parameters: Sequence[Any], order: str) -> list[EditRow]:
        numbers = self._numbers(stores)
        rows = self._all(
            "SELECT e.record, e.n, p.path, e.at, e.outcome, e.whole_file, length(e.hashes) / 8, e.native, r.ended"
            " FROM edits e JOIN records r ON r.id = e.record JOIN paths p ON p.id = e.path"
            f" WHERE {where or '1'} AND r.store IN ({placeholders(numbers)}) ORDER BY {order}",
            [*parameters, *numbers],
        )
        credited = _credited((row[7], row[0], row[8]) for row in rows)
        return [
            EditRow(row[0], row[1], restored(row[2]), row[3], EditOutcome(row[4]), bool(row[5]), row[6])
            for row in rows
            if row[7] is None or credited[row[7]] == row[0]
        ]

    def _mentions(self, stores: Sequence[Store], where: str, parameters: Sequence[Any]) -> list[MentionRow]:
        numbers = self._numbers(stores)
        rows = self._all(
            "SELECT m.record, p.path, m.count FROM mentions m JOIN records r ON r.id = m.record"
            f" JOIN paths p ON p.id = m.path WHERE {where or '1'} AND r.store IN ({placeholders(numbers)})"
            " ORDER BY m.record, m.path",
            [*parameters, *numbers],
        )
        return [MentionRow(record, restored(path), count) for record, path, count in rows]

    def _lengths(self, stores: Sequence[Store]) -> dict[int, tuple[int, int, int]]:
        numbers = self._numbers(stores)
        rows = self._all(
            f"SELECT id, said, person, wrote FROM records WHERE store IN ({placeholders(numbers)})", list(numbers)
        )
        return {row[0]: (row[1], row[2], row[3]) for row in rows}

    def _postings(self, terms: Iterable[str]) -> dict[str, list[tuple[int, int, int, int]]]:
        found: dict[str, list[tuple[int, int, int, int]]] = {}
        for batch in _batches(sorted(set(terms))):
            numbers = self._all(f"SELECT term, id FROM terms WHERE term IN ({placeholders(batch)})", list(batch))
            for term, number in numbers:
                found[term] = self._all("SELECT record, said, person, wrote FROM postings WHERE term = ?", [number])
        return found

    def _passage_scores(self, terms: Mapping[str, float], wrote: float) -> dict[int, float]:
        weights = {term: weight for term, weight in terms.items() if weight > 0}
        if not weights:
            return {}
        counts: dict[str, int] = {}
        for batch in _batches(sorted(weights)):
            counts.update(
                self._all(f"SELECT term, doc FROM passage_terms WHERE term IN ({placeholders(batch)})", list(batch))
            )
        scores: dict[int, float] = {}
        rows_read = 0
        for term in sorted(counts, key=lambda term: (counts[term], term)):
            if rows_read and rows_read + counts[term] > MAX_ROWS:
                break
            rows_read += counts[term]
            weight = weights[term]
            rows = self._all(
                "SELECT rowid, bm25(passage_text, 1.0, ?) FROM passage_text WHERE passage_text MATCH ?",
                [wrote, f'"{term}"'],
            )
            for passage, score in rows:
                scores[passage] = scores.get(passage, 0.0) - weight * score
        return scores


_RECORD = (
    "id, store, identity, kind, root, path, parent, agent, title, title_from, started, ended, cwds, branches, remotes,"
    " head_commits, links, person_turns, turns, bytes, said + wrote, gone, pull_requests"
)


def _record(row: Sequence[Any], stores: Mapping[int, Store]) -> RecordRow:
    store = stores[row[1]]
    kind = Kind(row[3])
    runtime = store.runtime if kind is Kind.CONVERSATION else None
    return RecordRow(
        record=row[0],
        key=RecordKey(kind, _root(row[4]), restored(row[2]), runtime),
        store=store,
        file=restored(row[5]),
        parent_id=None if row[6] is None else restored(row[6]),
        agent=row[7],
        title=row[8],
        title_from=row[9],
        started=row[10],
        ended=row[11],
        cwds=_texts(row[12]),
        branches=_texts(row[13]),
        remotes=_texts(row[14]),
        head_commits=_texts(row[15]),
        links=_texts(row[16]),
        person_turns=row[17],
        turns=row[18],
        bytes=row[19],
        terms=row[20],
        gone=row[21],
        pull_requests=_texts(row[22]),
    )


@lru_cache(maxsize=256)
def _root(text: str) -> Path:
    """Few records have a root of their own, and a path takes half a kilobyte."""
    return Path(restored(text))


@lru_cache(maxsize=4096)
def _texts(listed: str) -> tuple[str, ...]:
    return tuple([restored(text) for text in json.loads(listed)])


def _receipt(kept: bytes) -> Receipt:
    held = unpacked(kept)
    reach = tuple(
        Reach(extractor, ExtractorState(state), omitted) for extractor, (state, omitted) in held["reach"].items()
    )
    return Receipt(
        runtime=held["runtime"],
        root=held["root"],
        id=held["id"],
        revision=tuple((path, size, mtime) for path, size, mtime in held["revision"]),
        head_hash=held["head"],
        captured=held["captured"],
        reach=reach,
        scan=SourceScan(*held["scan"]),
        unknown_types=held["unknown"],
        incomplete_tail=held["tail"],
        version=held.get("version"),
        **_foreign(held.get("foreign")),
    )


def _foreign(held: Sequence[Any] | None) -> dict[str, Any]:
    if held is None:
        return {}
    tool, attempt, extractions, revision, stale = held
    receipt = ForeignReceipt(
        tool, attempt, tuple((e[0], e[1], e[2]) for e in extractions), None if revision is None else tuple(revision)
    )
    return {"foreign": receipt, "foreign_stale": stale}


def _added_up(receipts: Sequence[Receipt]) -> Captured:
    unknown: Counter[str] = Counter()
    for receipt in receipts:
        unknown.update(receipt.unknown_types)
    return Captured(
        records=len(receipts),
        skipped_lines=_sum(receipt.scan.skipped_lines for receipt in receipts),
        omitted_chars=_sum(receipt.scan.omitted_chars for receipt in receipts),
        unverified_person_turns=_sum(receipt.scan.unverified_person_turns for receipt in receipts),
        unchecked=sum(receipt.scan.unverified_person_turns is None for receipt in receipts),
        failed=sum(
            any(reach.state is not None and reach.state.value.endswith("Failed") for reach in receipt.reach)
            for receipt in receipts
        ),
        being_written=sum(receipt.incomplete_tail for receipt in receipts),
        unknown_types=tuple(unknown.most_common()),
        versions=tuple(sorted({receipt.version for receipt in receipts if receipt.version}, key=_in_numbers)),
    )


def _sum(counts: Iterable[int | None]) -> int | None:
    counted = [count for count in counts if count is not None]
    return sum(counted) if counted else None


def _in_numbers(version: str) -> tuple[tuple[int, ...], str]:
    return tuple(int(number) for number in re.findall(r"\d{1,9}", version)[:6]), version


_COMMIT = "c.record, c.n, c.hash, c.subject, c.branch, c.how, c.at, c.native, r.ended"


def _commits(rows: Sequence[Any]) -> list[CommitRow]:
    credited = _credited((row[7], row[0], row[8]) for row in rows)
    return [CommitRow(*row[:7]) for row in rows if row[7] is None or credited[row[7]] == row[0]]


_Rank = tuple[bool, float, int]


def _rank(record: int, ended: float | None) -> _Rank:
    """The lower is credited with a turn that several records hold: a copy goes on after its original."""
    return (ended is None, ended or 0.0, record)


def _credited(claims: Iterable[tuple[int | None, int, float | None]]) -> dict[int, int]:
    """From (native number of a turn, record, when the record ended): the record credited with each such turn."""
    best: dict[int, _Rank] = {}
    for native, record, ended in claims:
        if native is not None:
            rank = _rank(record, ended)
            best[native] = min(best.get(native, rank), rank)
    return {native: rank[2] for native, rank in best.items()}


def _latest_first(writers: Iterable[LineWriter]) -> list[LineWriter]:
    return sorted(writers, key=lambda w: (w.when is None, -(w.when or 0.0), w.record, -w.turn))


def _batches(values: Sequence[Any]) -> Iterable[Sequence[Any]]:
    for start in range(0, len(values), _BATCH):
        yield values[start : start + _BATCH]


def _remove_older(path: Path) -> None:
    """Remove catalogs of older schema versions from our cache; a newer one belongs to a newer program and stays."""
    for old in path.parent.glob("catalog-*.sqlite3*"):
        number = old.name.removeprefix("catalog-").partition(".")[0]
        if number.isdigit() and int(number) < schema.SCHEMA_VERSION:
            old.unlink(missing_ok=True)


__all__ = ["Catalog", "Policy"]
