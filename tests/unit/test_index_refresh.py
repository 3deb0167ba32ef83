"""How the catalog follows its stores: what grows, shrinks, vanishes, breaks, is cancelled, killed, or written twice."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import ClassVar

import pytest

from anamnesis_lsp.cancel import Cancelled, CancelToken, never
from anamnesis_lsp.contract.types import ExtractorState
from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.index import Catalog, Policy, Progress, Refreshed
from anamnesis_lsp.index.lines import line_hash
from anamnesis_lsp.index.schema import SCHEMA_VERSION
from anamnesis_lsp.records.conversations.model import Handle, Head, Part, Reading, Runtime, Scan, Source, Turn
from anamnesis_lsp.records.conversations.stores import Store
from anamnesis_lsp.records.evidence import Speaker
from tests.builders.claude import Transcript, session

PROJECT = Path(__file__).resolve().parents[2]


class Spoken(Reading):
    """Every line of a file is a person's turn; ``!break`` ends the reading with an error, ``!fault`` with a bug."""

    def __init__(self, source: Source, after: Mapping[str, CancelToken]) -> None:
        self.head = Head()
        self.scan = Scan(skipped_lines=0)
        self._source = source
        self._after = after

    def __iter__(self) -> Iterator[Turn]:
        for n, line in enumerate(self._source.path.read_text().splitlines(), 1):
            if line == "!break":
                raise AnamnesisError(ErrorCode.STORE_UNREADABLE, "It broke off.", "Mend it.")
            if line == "!fault":
                raise KeyError("unexpected")
            if line in self._after:
                self._after[line].cancel()
            yield Turn(n, Speaker.PERSON, line)


class Lines(Runtime):
    """A store of text files; ``after`` maps a line to the token that is cancelled when the line is read."""

    name: ClassVar[str] = "lines"
    versions: ClassVar[str] = "all"

    def __init__(self, after: Mapping[str, CancelToken] | None = None) -> None:
        self.reads = 0
        self._after = after or {}

    def default_roots(self, environ: Mapping[str, str], home: Path, workspace: Path | None) -> list[Path]:
        return []

    def sources(self, root: Path, cancel: CancelToken) -> Iterator[Source]:
        if root.name == "faulty":
            raise KeyError("unexpected")
        if not root.is_dir():
            raise AnamnesisError(ErrorCode.STORE_UNREADABLE, "It is not there.", "Make it.")
        for path in sorted(root.glob("*.txt")):
            stat = path.stat()
            yield Source("lines", root, path.stem, (Part(path, stat.st_size, stat.st_mtime_ns),))

    def read(self, source: Source, cancel: CancelToken) -> Reading:
        self.reads += 1
        if source.id == "unopenable":
            raise AnamnesisError(ErrorCode.RECORD_GONE, "It is gone.", "Search again.")
        return Spoken(source, self._after)

    def handle(self, source: Source, head: Head, exists: Iterable[str] | None = None) -> Handle:
        return Handle(None)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    (tmp_path / "talks").mkdir()
    return Store.at("lines", tmp_path / "talks")


def talk(store: Store, name: str, *lines: str) -> Path:
    path = store.root / f"{name}.txt"
    path.write_text("".join(line + "\n" for line in lines))
    return path


def opened(tmp_path: Path, runtime: Lines | None = None) -> Catalog:
    return Catalog.open(tmp_path / "index.sqlite3", {"lines": runtime or Lines()})


def refreshed(catalog: Catalog, *stores: Store) -> Refreshed:
    return catalog.refresh(stores, never())


def found(catalog: Catalog, store: Store, term: str) -> list[tuple[str, int]]:
    names = {row.record: row.key.id for row in catalog.records([store])}
    return sorted((names[hit.record], hit.turn) for hit in catalog.passages({term: 1.0}, [store]))


def contents(catalog: Catalog, stores: list[Store]) -> object:
    """All that the catalog answers, without its own numbers: equal for equal stores, however it came to be."""
    names = {row.record: (row.store.root, row.key.id) for row in catalog.records(stores)}
    rows = [(row.key, row.title, row.turns, row.person_turns, row.terms, row.bytes) for row in catalog.records(stores)]
    edits = [(names[e.record], e.turn, e.path, e.when, e.outcome, e.lines) for e in catalog.edits(stores)]
    hashes = {names[r]: sorted(catalog.line_hashes(r)) for r in names}
    words = ["walrus", "otter", "heron", "seal", "backoff", "retry", "alpha", "function"]
    scores = {names[r]: round(s, 9) for r, s in catalog.body_scores(dict.fromkeys(words, 1.0), stores).items()}
    turns = {w: sorted((names[h.record], h.turn) for h in catalog.passages({w: 1.0}, stores, 10_000)) for w in words}
    return sorted(map(repr, rows)), sorted(map(repr, edits)), hashes, scores, turns


def test_an_unchanged_source_is_not_read_again(tmp_path: Path, store: Store) -> None:
    talk(store, "a", "walrus")
    runtime = Lines()
    catalog = opened(tmp_path, runtime)
    assert refreshed(catalog, store).captured == 1
    done = refreshed(catalog, store)
    assert (done.captured, done.unchanged, runtime.reads) == (0, 1, 1)


def test_an_appended_turn_is_found_and_the_turns_before_it_stay(tmp_path: Path, store: Store) -> None:
    path = talk(store, "a", "walrus", "otter")
    catalog = opened(tmp_path)
    refreshed(catalog, store)
    before = catalog.records([store])[0].record
    with path.open("a") as file:
        file.write("heron\n")
    assert refreshed(catalog, store).captured == 1
    assert found(catalog, store, "heron") == [("a", 3)]
    assert found(catalog, store, "walrus") == [("a", 1)]
    assert catalog.records([store])[0].record == before
    assert catalog.status().dead_passages == 0
    assert catalog.body_scores({"heron": 1.0}, [store]).keys() == {before}


@pytest.mark.parametrize("lines", [("otter",), ("otter", "walrus", "seal"), ("heron", "heron", "heron", "heron"), ()])
def test_a_rewritten_source_equals_a_rebuild(tmp_path: Path, store: Store, lines: tuple[str, ...]) -> None:
    path = talk(store, "a", "walrus", "otter", "seal")
    talk(store, "b", "walrus backoff")
    catalog = opened(tmp_path)
    refreshed(catalog, store)
    path.write_text("".join(line + "\n" for line in lines))
    refreshed(catalog, store)
    fresh = Catalog.open(tmp_path / "fresh.sqlite3", {"lines": Lines()})
    refreshed(fresh, store)
    assert contents(catalog, [store]) == contents(fresh, [store])


def test_a_grown_transcript_with_edits_equals_a_rebuild(tmp_path: Path) -> None:
    transcript = Transcript(session(1)).person("walrus").edit("/a.py", "x", "alpha_function(1)\nbeta_function(2)")
    path = transcript.write_to(tmp_path / "claude")
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) - 400])
    claude = Store.at("claude-code", tmp_path / "claude")
    catalog = Catalog.open(tmp_path / "index.sqlite3")
    refreshed(catalog, claude)
    for step in ("again", "retry"):
        transcript.person(step).edit("/b.py", "x", f"{step}_function()").write_to(tmp_path / "claude")
        refreshed(catalog, claude)
    fresh = Catalog.open(tmp_path / "fresh.sqlite3")
    refreshed(fresh, claude)
    assert contents(catalog, [claude]) == contents(fresh, [claude])
    assert catalog.writers([line_hash("retry_function()")], [claude])


def test_a_deleted_source_is_marked_and_comes_back(tmp_path: Path, store: Store) -> None:
    path = talk(store, "a", "walrus")
    talk(store, "b", "otter")
    catalog = opened(tmp_path)
    refreshed(catalog, store)
    text = path.read_text()
    path.unlink()
    assert refreshed(catalog, store).gone == 1
    assert {row.key.id: row.gone is None for row in catalog.records([store])} == {"a": False, "b": True}
    assert found(catalog, store, "walrus") == [("a", 1)]
    assert catalog.stores([store])[0].gone == 1
    path.write_text(text)
    refreshed(catalog, store)
    assert all(row.gone is None for row in catalog.records([store]))


def test_a_gone_record_is_forgotten_after_its_retention(tmp_path: Path, store: Store) -> None:
    talk(store, "a", "walrus").unlink()
    path = talk(store, "b", "walrus otter")
    catalog = opened(tmp_path)
    refreshed(catalog, store)
    path.unlink()
    catalog.refresh([store], never(), policy=Policy(retention_days=1))
    assert len(catalog.records([store])) == 1
    catalog.refresh([store], never(), policy=Policy(retention_days=-1))
    assert catalog.records([store]) == []
    assert found(catalog, store, "walrus") == []
    assert catalog.body_scores({"walrus": 1.0}, [store]) == {}
    assert catalog.status().passages == 0


def test_a_store_that_is_absent_is_said_and_does_not_stop_the_others(tmp_path: Path, store: Store) -> None:
    talk(store, "a", "walrus")
    absent = Store.at("lines", tmp_path / "nowhere")
    unknown = Store.at("no-such-runtime", tmp_path)
    catalog = opened(tmp_path)
    done = refreshed(catalog, absent, unknown, store)
    assert [failure.store for failure in done.failures] == [absent, unknown]
    assert [status.state for status in catalog.stores([absent, store])] == ["absent", "read"]
    assert catalog.stores([Store.at("lines", tmp_path / "other")])[0].state == "unread"
    assert found(catalog, store, "walrus") == [("a", 1)]


@pytest.mark.parametrize(
    ("line", "state"), [("!break", ExtractorState.INPUT_FAILED), ("!fault", ExtractorState.INVOCATION_FAILED)]
)
def test_a_source_that_breaks_off_is_captured_in_part_and_says_so(
    tmp_path: Path, store: Store, line: str, state: ExtractorState
) -> None:
    path = talk(store, "a", "walrus", line, "otter")
    talk(store, "b", "heron")
    runtime = Lines()
    catalog = opened(tmp_path, runtime)
    done = refreshed(catalog, store)
    assert [failure.path for failure in done.failures] == [str(path)]
    assert found(catalog, store, "walrus") == [("a", 1)]
    assert found(catalog, store, "heron") == [("b", 1)]
    record = next(row.record for row in catalog.records([store]) if row.key.id == "a")
    receipt = catalog.receipts([record])[record]
    assert receipt.state("input") is state
    assert receipt.state("edits") is state
    assert next(reach.omitted for reach in receipt.reach if reach.extractor == "turns") is None
    assert catalog.stores([store])[0].state == "partly"
    assert runtime.reads == 2
    refreshed(catalog, store)
    assert runtime.reads == 3, "it is tried again, the whole one is not"


def test_a_source_that_can_no_longer_be_read_keeps_what_was_captured(tmp_path: Path, store: Store) -> None:
    path = talk(store, "a", "walrus")
    catalog = opened(tmp_path)
    refreshed(catalog, store)
    path.write_text("!break\n")
    refreshed(catalog, store)
    assert found(catalog, store, "walrus") == [("a", 1)]
    record = catalog.records([store])[0].record
    assert catalog.receipts([record])[record].state("input") is ExtractorState.INPUT_FAILED


def test_a_fault_of_a_reader_stays_with_its_store_or_record(tmp_path: Path, store: Store) -> None:
    talk(store, "a", "walrus")
    talk(store, "unopenable", "otter")
    catalog = opened(tmp_path)
    faulty = Store.at("lines", tmp_path / "faulty")
    done = refreshed(catalog, faulty, store)
    assert [failure.message for failure in done.failures] == ["its reader failed (KeyError)", "It is gone."]
    assert found(catalog, store, "walrus") == [("a", 1)]
    ids = {row.key.id: row.record for row in catalog.records([store])}
    assert catalog.receipts([ids["unopenable"]])[ids["unopenable"]].state("input") is ExtractorState.INPUT_FAILED


def test_an_empty_source_is_a_record_with_an_empty_receipt(tmp_path: Path, store: Store) -> None:
    talk(store, "a")
    catalog = opened(tmp_path)
    refreshed(catalog, store)
    record = catalog.records([store])[0].record
    assert catalog.receipts([record])[record].state("input") is ExtractorState.EMPTY


def test_progress_counts_sources_and_bytes(tmp_path: Path, store: Store) -> None:
    sizes = [talk(store, name, "walrus" * n).stat().st_size for n, name in enumerate("abc", 1)]
    told: list[Progress] = []
    opened(tmp_path).refresh([store], never(), told.append)
    assert [(p.done, p.of) for p in told] == [(0, 3), (1, 3), (2, 3), (3, 3)]
    assert told[-1].bytes_done == told[-1].bytes_of == sum(sizes)
    assert [told[0].percent, told[-1].percent] == [0, 100]


def test_cancelling_keeps_the_records_captured_until_then(tmp_path: Path, store: Store) -> None:
    for n, name in enumerate("abc"):
        path = talk(store, name, *["walrus"] * 100, f"last of {name}", *["otter"] * 100)
        os.utime(path, (1_000_000 - n, 1_000_000 - n))
    token = CancelToken()
    catalog = opened(tmp_path, Lines({"last of c": token}))
    with pytest.raises(Cancelled):
        catalog.refresh([store], token)
    assert {row.key.id for row in catalog.records([store])} <= {"a", "b"}
    assert not catalog.being_written()
    refreshed(catalog, store)
    fresh = Catalog.open(tmp_path / "fresh.sqlite3", {"lines": Lines()})
    refreshed(fresh, store)
    assert contents(catalog, [store]) == contents(fresh, [store])


def test_cancelling_between_records_keeps_the_finished_ones(tmp_path: Path, store: Store) -> None:
    for n, name in enumerate("abc"):
        os.utime(talk(store, name, f"walrus {name}"), (1_000_000 - n, 1_000_000 - n))
    token = CancelToken()
    catalog = opened(tmp_path, Lines({"walrus b": token}))
    with pytest.raises(Cancelled):
        catalog.refresh([store], token)
    assert {row.key.id for row in catalog.records([store])} == {"a", "b"}


def test_the_size_cap_leaves_sources_out_and_says_so(tmp_path: Path, store: Store) -> None:
    for name in "abc":
        talk(store, name, "walrus")
    catalog = opened(tmp_path)
    done = catalog.refresh([store], never(), policy=Policy(max_bytes=1))
    assert done.full
    assert done.captured == 0
    assert catalog.stores([store])[0].state == "partly"
    assert refreshed(catalog, store).captured == 3


def test_forgetting_a_store_or_a_session_leaves_nothing_of_it(tmp_path: Path) -> None:
    for n in (1, 2):
        Transcript(session(n)).person("walrus").edit("/a.py", "x", "alpha_function()").commit("walrus").write_to(
            tmp_path
        )
    claude = Store.at("claude-code", tmp_path)
    catalog = Catalog.open(tmp_path / "index.sqlite3")
    refreshed(catalog, claude)
    assert catalog.forget(claude, [session(1)]) == 1
    assert [row.key.id for row in catalog.records([claude])] == [session(2)]
    assert catalog.forget(claude) == 1
    connection = sqlite3.connect(tmp_path / "index.sqlite3")
    for table in (
        "records",
        "turns",
        "passages",
        "postings",
        "bags",
        "edits",
        "lines",
        "commits",
        "receipts",
        "sources",
    ):
        assert connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] == 0, table
    connection.close()
    assert refreshed(catalog, claude).captured == 2


def test_a_second_writer_does_nothing_and_says_so(tmp_path: Path, store: Store) -> None:
    talk(store, "a", "walrus")
    first, second = opened(tmp_path), opened(tmp_path)
    refreshed(first, store)
    talk(store, "b", "otter")
    inside: list[Refreshed] = []

    def try_too(_progress: Progress) -> None:
        inside.append(refreshed(second, store))
        assert second.being_written()
        assert found(second, store, "walrus") == [("a", 1)]
        assert second.forget(store) is None
        assert not second.rebuild()

    first.refresh([store], never(), try_too)
    assert inside
    assert all(done.other_writer and done.captured == 0 for done in inside)
    assert found(second, store, "otter") == [("b", 1)]


@pytest.mark.parametrize(
    "damage", [b"this is no database", b"SQLite format 3\x00" + b"\xff" * 5000, b"SQLite format 3\0"]
)
def test_a_damaged_index_is_made_anew_and_said(tmp_path: Path, store: Store, damage: bytes) -> None:
    talk(store, "a", "walrus")
    (tmp_path / "index.sqlite3").write_bytes(damage)
    catalog = opened(tmp_path)
    assert "damaged" in catalog.notes[0]
    assert "damaged" in refreshed(catalog, store).notes[0]
    assert found(catalog, store, "walrus") == [("a", 1)]


def test_an_index_damaged_in_the_middle_is_made_anew_when_it_is_met(tmp_path: Path, store: Store) -> None:
    talk(store, "a", *[f"walrus number {n} alpha{n}" for n in range(3000)])
    catalog = opened(tmp_path)
    refreshed(catalog, store)
    catalog.close()
    path = tmp_path / "index.sqlite3"
    whole = bytearray(path.read_bytes())
    whole[4096 : len(whole) - 4096] = os.urandom(len(whole) - 8192)
    path.write_bytes(whole)
    again = opened(tmp_path)
    refreshed(again, store)
    refreshed(again, store)
    assert again.notes
    assert len(found(again, store, "alpha7")) == 1


@pytest.mark.parametrize(("version", "age"), [(SCHEMA_VERSION + 1, "newer"), (SCHEMA_VERSION - 1 or -1, "older")])
def test_an_index_of_another_version_is_made_anew_and_said(
    tmp_path: Path, store: Store, version: int, age: str
) -> None:
    talk(store, "a", "walrus")
    refreshed(opened(tmp_path), store)
    with sqlite3.connect(tmp_path / "index.sqlite3") as connection:
        connection.execute(f"PRAGMA user_version = {version}")
    connection.close()
    catalog = opened(tmp_path)
    assert age in catalog.notes[0]
    assert catalog.records([store]) == []
    refreshed(catalog, store)
    assert found(catalog, store, "walrus") == [("a", 1)]


def test_our_own_index_of_a_newer_program_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANAMNESIS_CACHE_DIR", str(tmp_path))
    folder = tmp_path / "index"
    folder.mkdir()
    for number in (SCHEMA_VERSION + 1, 0):
        (folder / f"catalog-{number}.sqlite3").write_bytes(b"")
    Catalog.open().close()
    left = {path.name for path in folder.glob("*.sqlite3")}
    assert left == {f"catalog-{SCHEMA_VERSION}.sqlite3", f"catalog-{SCHEMA_VERSION + 1}.sqlite3"}


def test_a_reader_follows_an_index_that_another_process_made_anew(tmp_path: Path, store: Store) -> None:
    talk(store, "a", "walrus")
    reader, writer = opened(tmp_path), opened(tmp_path)
    refreshed(writer, store)
    assert found(reader, store, "walrus") == [("a", 1)]
    assert writer.rebuild()
    assert found(reader, store, "walrus") == []
    refreshed(writer, store)
    assert found(reader, store, "walrus") == [("a", 1)]


def test_the_index_is_for_its_owner_only(tmp_path: Path, store: Store) -> None:
    opened(tmp_path)
    assert (tmp_path / "index.sqlite3").stat().st_mode & 0o077 == 0


def test_replaced_passages_make_room_by_a_rebuild(
    tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("anamnesis_lsp.index.refresh.MIN_DEAD_PASSAGES", 10)
    catalog = opened(tmp_path)
    for word in ("walrus", "otter", "heron"):
        talk(store, "a", *[f"{word} {n}" for n in range(20)])
        refreshed(catalog, store)
    assert catalog.status().dead_passages > 10
    refreshed(catalog, store)
    assert catalog.status().dead_passages == 0
    fresh = Catalog.open(tmp_path / "fresh.sqlite3", {"lines": Lines()})
    refreshed(fresh, store)
    assert contents(catalog, [store]) == contents(fresh, [store])


CHILD = """
import sys
from pathlib import Path
from anamnesis_lsp.cancel import never
from anamnesis_lsp.index import Catalog
from anamnesis_lsp.records.conversations.stores import Store
catalog = Catalog.open(Path(sys.argv[1]))
print("open", flush=True)
done = catalog.refresh([Store.at("claude-code", Path(sys.argv[2]))], never())
print("other" if done.other_writer else "done", flush=True)
"""


def child(index: Path, root: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", CHILD, str(index), str(root)], stdout=subprocess.PIPE, text=True, cwd=PROJECT
    )


def many_transcripts(root: Path, count: int) -> Store:
    for number in range(count):
        transcript = Transcript(session(number))
        for n in range(30):
            transcript.person(f"walrus {number} {n} please")
            transcript.edit(f"/home/dev/app/m{n}.py", "x", f"alpha_function({number}, {n})\nbeta_function({n})")
        transcript.write_to(root)
    return Store.at("claude-code", root)


def test_a_refresh_that_was_killed_goes_on_and_equals_a_rebuild(tmp_path: Path) -> None:
    root = tmp_path / "claude"
    claude = many_transcripts(root, 40)
    index = tmp_path / "index.sqlite3"
    for pause in (0.02, 0.1, 0.2, 0.3):
        process = child(index, root)
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(pause)
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        assert Catalog.open(index).notes == ()
    catalog, fresh = Catalog.open(index), Catalog.open(tmp_path / "fresh.sqlite3")
    refreshed(catalog, claude)
    refreshed(fresh, claude)
    assert contents(catalog, [claude]) == contents(fresh, [claude])


def test_of_two_processes_one_writes_and_both_read_the_same(tmp_path: Path) -> None:
    root = tmp_path / "claude"
    claude = many_transcripts(root, 40)
    index = tmp_path / "index.sqlite3"
    processes = [child(index, root) for _ in range(2)]
    said = [process.communicate(timeout=60)[0].split()[-1] for process in processes]
    assert "done" in said
    assert all(process.returncode == 0 for process in processes)
    assert len(Catalog.open(index).records([claude])) == 40


def test_the_stores_are_only_read(tmp_path: Path, store: Store) -> None:
    talk(store, "a", "walrus")
    before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in store.root.iterdir()}
    refreshed(opened(tmp_path), store)
    assert {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in store.root.iterdir()} == before


def test_an_undecodable_name_does_not_stop_a_refresh(tmp_path: Path, store: Store) -> None:
    try:
        (store.root / os.fsdecode(b"b\xff.txt")).write_text("otter\n")
    except OSError:
        pytest.skip("this file system refuses such names")
    talk(store, "a", "walrus")
    catalog = opened(tmp_path)
    refreshed(catalog, store)
    assert found(catalog, store, "walrus") == [("a", 1)]
    row = next(row for row in catalog.records([store]) if row.key.id != "a")
    assert row.path.read_text() == "otter\n"
    assert catalog.find(row.key) == row
    assert refreshed(catalog, store).unchanged == 2
