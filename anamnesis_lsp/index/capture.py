"""Writing one record into the catalog: as :mod:`.prepare` gives it, in the transaction of the caller, with a receipt.

A record that was captured before is brought up to date: turns that did not change keep their passages, edits and lines
(a conversation that grows by a turn costs that turn, and a second look at its text), everything else is replaced.
Nothing of a record's text is stored beyond terms, hashes, paths, titles and subjects of commits.
"""

from __future__ import annotations

import hashlib
import json
import re
import sqlite3
import time
import zlib
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.contract.types import ExtractorState
from anamnesis_lsp.index.database import stored
from anamnesis_lsp.index.prepare import MAX_TITLE, Body, Outcome, Piece, Prepared, Preparing, Words, pieces_of
from anamnesis_lsp.index.receipts import packed
from anamnesis_lsp.index.vocabulary import Vocabulary
from anamnesis_lsp.masking import mask_tokens
from anamnesis_lsp.records.conversations import hypomnesis
from anamnesis_lsp.records.conversations.model import Head, Part, Reading, Scan, Source
from anamnesis_lsp.records.evidence import Kind

_CREDENTIALS = re.compile(r"(?<=://)[^/@\s]*@")
"""The name and password in a remote's URL."""

_ITS_NAMES = {"claude-code": "claude", "codex": "codex"}
"""How the runtimes are called in foreign receipts."""


@dataclass(frozen=True, slots=True)
class Subject:
    """Which record is being captured, and where it comes from."""

    store: int
    source: str
    identity: str
    kind: Kind
    runtime: str
    root: Path
    path: Path
    parts: tuple[tuple[str, int, int], ...]
    parent: str | None = None
    agent: str | None = None
    beside: tuple[Part, ...] = ()

    @classmethod
    def of(cls, store: int, source: Source) -> Subject:
        """A conversation's source."""
        parts = tuple((str(part.path), part.size, part.mtime_ns) for part in source.parts)
        return cls(
            store,
            source.id,
            source.id,
            Kind.CONVERSATION,
            source.runtime,
            source.root,
            source.path,
            parts,
            source.parent_id,
            source.agent,
            source.beside,
        )


class Writer:
    """Writes records into one database. One per transaction-holding thread; made anew after a rollback."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._db = connection
        self._vocabulary = Vocabulary(connection)
        self._words = Words()
        self._next_passage = (connection.execute("SELECT max(id) FROM passage_text_docsize").fetchone()[0] or 0) + 1
        self._paths: dict[str, int] = {}

    def conversation(self, subject: Subject, read: Callable[[], Reading], cancel: CancelToken) -> str | None:
        """Capture a conversation; returns what went wrong where it was captured in part, for people.

        Raises ``Cancelled``: the caller rolls back.
        """
        outcome = Outcome()
        record, old = self._begin(subject)
        preparing = Preparing(self._words, _digests(old), hypomnesis.gist(subject.beside))
        self._take(record, old, preparing.turns(pieces_of(read, outcome, cancel)))
        return self._end(subject, record, old, preparing.body, outcome)

    def prepared(self, subject: Subject, turns: Iterable[Prepared], body: Body, outcome: Outcome) -> str | None:
        """As :meth:`conversation`, of one that was prepared elsewhere, of which the catalog has nothing yet."""
        record, old = self._begin(subject)
        self._take(record, old, turns)
        return self._end(subject, record, old, body, outcome)

    def has(self, store: int, identity: str) -> bool:
        """Whether there is a record of this id."""
        found = self._db.execute("SELECT 1 FROM records WHERE store = ? AND identity = ?", (store, stored(identity)))
        return found.fetchone() is not None

    def _end(
        self, subject: Subject, record: int, old: Mapping[int, tuple[int, int, int]], body: Body, outcome: Outcome
    ) -> str | None:
        state, failure, scan = outcome.state, outcome.failure, outcome.scan
        if failure is None and body.turns == 0:
            state = ExtractorState.VALIDATION_FAILED if scan.skipped_lines else ExtractorState.EMPTY
        if failure is not None and body.turns == 0 and old:
            self._receipt(record, subject, body, scan, state)
            return failure
        self._finish(subject, record, old, body, outcome.head)
        self._receipt(record, subject, body, scan, state, outcome.head.version)
        return failure

    def decision(
        self,
        subject: Subject,
        title: str,
        created: datetime | None,
        updated: datetime | None,
        sections: Sequence[Piece],
    ) -> None:
        """Capture a decision record, a section a turn."""
        record, old = self._begin(subject)
        preparing = Preparing(self._words, _digests(old))
        self._take(record, old, preparing.turns(iter(sections)))
        body = preparing.body
        head = Head(title=title, title_from=None, started=created, ended=updated or created)
        self._finish(subject, record, old, body, head)
        self._receipt(record, subject, body, Scan(), ExtractorState.SUCCEEDED if body.turns else ExtractorState.EMPTY)

    def forget(self, records: Iterable[int]) -> None:
        """Remove records with all that belongs to them."""
        for record in records:
            rows = self._db.execute("SELECT n, passage, passages FROM turns WHERE record = ?", (record,)).fetchall()
            self._drop_turns(record, rows)
            self._drop_postings(record, self._bag(record))
            for table in ("turns", "bags", "receipts", "mentions"):
                self._db.execute(f"DELETE FROM {table} WHERE record = ?", (record,))
            self._db.execute("DELETE FROM records WHERE id = ?", (record,))

    def flush(self) -> None:
        """Write what is held back. Before every commit."""
        self._vocabulary.flush()

    # One record

    def _begin(self, subject: Subject) -> tuple[int, dict[int, tuple[int, int, int]]]:
        """The record's number, and its turns as captured before: n → (digest, first passage, passages)."""
        row = self._db.execute(
            "SELECT id FROM records WHERE store = ? AND identity = ?", (subject.store, stored(subject.identity))
        ).fetchone()
        if row is None:
            cursor = self._db.execute(
                "INSERT INTO records (store, source, identity, kind, root, path, cwds, branches, remotes, head_commits,"
                " links, pull_requests, person_turns, turns, bytes, said, person, wrote)"
                " VALUES (?, ?, ?, ?, ?, ?, '[]', '[]', '[]', '[]', '[]', '[]', 0, 0, 0, 0, 0, 0)",
                (
                    subject.store,
                    stored(subject.source),
                    stored(subject.identity),
                    subject.kind.value,
                    stored(str(subject.root)),
                    stored(str(subject.path)),
                ),
            )
            return int(cursor.lastrowid or 0), {}
        known = self._db.execute("SELECT n, digest, passage, passages FROM turns WHERE record = ?", (row[0],))
        return int(row[0]), {n: (digest, passage, passages) for n, digest, passage, passages in known}

    def _take(self, record: int, old: Mapping[int, tuple[int, int, int]], turns: Iterable[Prepared]) -> None:
        turn_rows: list[tuple[object, ...]] = []
        passage_rows: list[tuple[int, int, int]] = []
        text_rows: list[tuple[int, str, str]] = []
        for turn in turns:
            if turn.kept:
                continue
            first = self._next_passage
            for said, wrote in turn.passages:
                passage_rows.append((self._next_passage, record, turn.n))
                text_rows.append((self._next_passage, said, wrote))
                self._next_passage += 1
            before = old.get(turn.n)
            if before is not None:
                self._drop_turns(record, [(turn.n, before[1], before[2])])
            if turn.edits:
                self._write_edits(record, turn)
            if turn.commits:
                self._write_commits(record, turn)
            turn_rows.append(
                (record, turn.n, turn.digest, turn.speaker, turn.at, turn.part, first, self._next_passage - first)
            )
            if len(text_rows) >= 512:
                self._write_turns(turn_rows, passage_rows, text_rows)
        self._write_turns(turn_rows, passage_rows, text_rows)

    def _write_turns(
        self,
        turn_rows: list[tuple[object, ...]],
        passage_rows: list[tuple[int, int, int]],
        text_rows: list[tuple[int, str, str]],
    ) -> None:
        self._db.executemany("INSERT OR REPLACE INTO turns VALUES (?, ?, ?, ?, ?, ?, ?, ?)", turn_rows)
        self._db.executemany("INSERT INTO passages VALUES (?, ?, ?)", passage_rows)
        self._db.executemany("INSERT INTO passage_text (rowid, said, wrote) VALUES (?, ?, ?)", text_rows)
        turn_rows.clear()
        passage_rows.clear()
        text_rows.clear()

    def _write_edits(self, record: int, turn: Prepared) -> None:
        line_rows: list[tuple[int, int]] = []
        for path, outcome, tool, whole_file, hashes in turn.edits:
            cursor = self._db.execute(
                "INSERT INTO edits (record, n, path, at, outcome, tool, whole_file, native, hashes)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (record, turn.n, self._path(path), turn.at, outcome, tool, int(whole_file), turn.native, hashes),
            )
            number = int(cursor.lastrowid or 0)
            written = array("q")
            written.frombytes(hashes)
            line_rows += [(line, number) for line in written]
        line_rows.sort()
        self._db.executemany("INSERT OR IGNORE INTO lines VALUES (?, ?)", line_rows)

    def _write_commits(self, record: int, turn: Prepared) -> None:
        self._db.executemany(
            "INSERT INTO commits VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                (record, turn.n, number, number[:7], subject, branch, how, turn.at, turn.native)
                for number, subject, branch, how in turn.commits
            ],
        )

    def _finish(
        self, subject: Subject, record: int, old: Mapping[int, tuple[int, int, int]], body: Body, head: Head
    ) -> None:
        left = [(n, passage, passages) for n, (_, passage, passages) in old.items() if n > body.turns]
        if left:
            self._drop_turns(record, left)
            self._db.executemany("DELETE FROM turns WHERE record = ? AND n = ?", [(record, n) for n, _, _ in left])
        if not old or left or body.kept < body.turns or subject.beside:
            lengths = self._write_postings(record, body)
            self._db.execute("UPDATE records SET said = ?, person = ?, wrote = ? WHERE id = ?", (*lengths, record))
            self._db.execute("DELETE FROM mentions WHERE record = ?", (record,))
            self._db.executemany(
                "INSERT INTO mentions (path, record, count) VALUES (?, ?, ?)"
                " ON CONFLICT (record, path) DO UPDATE SET count = count + excluded.count",
                [(self._path(path), record, count) for path, count in body.mentions.items()],
            )
        title = None if head.title is None else stored(mask_tokens(head.title))[:MAX_TITLE]
        self._db.execute(
            "UPDATE records SET source = ?, path = ?, parent = ?, agent = ?, title = ?, title_from = ?, started = ?,"
            " ended = ?, cwds = ?, branches = ?, remotes = ?, head_commits = ?, links = ?, pull_requests = ?,"
            " person_turns = ?, turns = ?, bytes = ?, gone = NULL WHERE id = ?",
            (
                stored(subject.source),
                stored(str(subject.path)),
                None if subject.parent is None else stored(subject.parent),
                None if subject.agent is None else stored(subject.agent),
                title,
                head.title_from,
                None if head.started is None else head.started.timestamp(),
                None if head.ended is None else head.ended.timestamp(),
                _listed(head.cwds),
                _listed(head.branches),
                _listed([_CREDENTIALS.sub("", url) for url in head.remotes]),
                _listed(head.head_commits),
                _listed(head.links),
                _listed(head.pull_requests),
                body.person_turns,
                body.turns,
                sum(size for _, size, _ in subject.parts),
                record,
            ),
        )

    def _write_postings(self, record: int, body: Body) -> tuple[int, int, int]:
        said = self._vocabulary.count(body.said)
        person = self._vocabulary.count(body.person)
        wrote = self._vocabulary.count(body.wrote)
        found = sorted(said.keys() | wrote.keys())
        self._drop_postings(record, set(self._bag(record)).difference(found))
        self._db.executemany(
            "INSERT OR REPLACE INTO postings VALUES (?, ?, ?, ?, ?)",
            [(term, record, said.get(term, 0), person.get(term, 0), wrote.get(term, 0)) for term in found],
        )
        steps = array("I", [b - a for a, b in zip([0, *found], found, strict=False)])
        self._db.execute("INSERT OR REPLACE INTO bags VALUES (?, ?)", (record, zlib.compress(steps.tobytes(), 6)))
        return sum(said.values()), sum(person.values()), sum(wrote.values())

    def _bag(self, record: int) -> list[int]:
        row = self._db.execute("SELECT terms FROM bags WHERE record = ?", (record,)).fetchone()
        if row is None:
            return []
        steps = array("I")
        steps.frombytes(zlib.decompress(row[0]))
        found: list[int] = []
        total = 0
        for step in steps:
            total += step
            found.append(total)
        return found

    def _drop_postings(self, record: int, gone: Iterable[int]) -> None:
        self._db.executemany("DELETE FROM postings WHERE term = ? AND record = ?", [(term, record) for term in gone])

    def _drop_turns(self, record: int, turns: Sequence[tuple[int, int, int]]) -> None:
        """Remove what hangs on turns: passages (their text stays behind, unreachable), edits with lines, commits."""
        for n, first, count in turns:
            if count:
                self._db.execute("DELETE FROM passages WHERE id >= ? AND id < ?", (first, first + count))
            edits = self._db.execute("SELECT id, hashes FROM edits WHERE record = ? AND n = ?", (record, n)).fetchall()
            for number, blob in edits:
                written = array("q")
                written.frombytes(blob)
                self._db.executemany(
                    "DELETE FROM lines WHERE hash = ? AND edit = ?", [(line, number) for line in written]
                )
            if edits:
                self._db.execute("DELETE FROM edits WHERE record = ? AND n = ?", (record, n))
            self._db.execute("DELETE FROM commits WHERE record = ? AND n = ?", (record, n))

    def _path(self, path: str) -> int:
        number = self._paths.get(path)
        if number is None:
            given, path = path, stored(mask_tokens(path))[:4096]
            row = self._db.execute("SELECT id FROM paths WHERE path = ?", (path,)).fetchone()
            if row is None:
                name = path.replace("\\", "/").rstrip("/").rpartition("/")[2]
                cursor = self._db.execute("INSERT INTO paths (path, name) VALUES (?, ?)", (path, name))
                number = int(cursor.lastrowid or 0)
            else:
                number = int(row[0])
            if len(self._paths) > 50_000:
                self._paths.clear()
            self._paths[given] = number
        return number

    def _receipt(
        self,
        record: int,
        subject: Subject,
        body: Body,
        scan: Scan,
        state: ExtractorState,
        version: str | None = None,
    ) -> None:
        whole = state in (ExtractorState.SUCCEEDED, ExtractorState.EMPTY)
        cut_off = None if not whole else scan.omitted_chars
        receipt: dict[str, object] = {
            "runtime": subject.runtime,
            "root": stored(str(subject.root)),
            "id": subject.identity,
            "revision": subject.parts,
            "head": _head_hash(subject.path),
            "captured": time.time(),
            "reach": {
                "input": (state.value, cut_off),
                "turns": (_outcome(body.turns, whole, state), 0 if whole else None),
                "edits": (_outcome(body.edits, whole, state), 0 if whole and not body.omitted_lines else None),
                "commits": (_outcome(body.commits, whole, state), 0 if whole else None),
                "text": (_outcome(body.text, whole, state), body.omitted_text if whole else None),
            },
            "scan": (scan.skipped_lines, scan.unverified_person_turns, scan.omitted_chars),
            "unknown": scan.unknown_types,
            "tail": scan.incomplete_tail,
        }
        if version is not None:
            receipt["version"] = stored(version)[:60]
        foreign = hypomnesis.receipt(subject.beside, _ITS_NAMES.get(subject.runtime, ""), subject.identity)
        if foreign is not None:
            path, size, mtime_ns = subject.parts[0]
            stale = foreign.stale(Part(Path(path), size, mtime_ns))
            receipt["foreign"] = (foreign.tool, foreign.attempt, foreign.extractions, foreign.revision, stale)
        self._db.execute("INSERT OR REPLACE INTO receipts VALUES (?, ?)", (record, packed(receipt)))


def _digests(old: Mapping[int, tuple[int, int, int]]) -> dict[int, int]:
    return {n: digest for n, (digest, _, _) in old.items()}


def _outcome(count: int, whole: bool, state: ExtractorState) -> str:
    if count:
        return ExtractorState.SUCCEEDED.value
    return ExtractorState.EMPTY.value if whole else state.value


def _listed(values: Sequence[str]) -> str:
    return json.dumps([stored(mask_tokens(value)) for value in values[:200]])


def _head_hash(path: Path) -> str | None:
    try:
        with path.open("rb") as file:
            return hashlib.sha256(file.read(4096)).hexdigest()
    except OSError:
        return None
