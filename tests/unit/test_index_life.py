"""The life of the catalog in a running program: kept fresh, waited for, shared, paused, bounded, kept clear."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from anamnesis_lsp.cancel import Cancelled, CancelToken, never
from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.index import Catalog, Pending, Policy, Refreshed
from anamnesis_lsp.index.database import transaction
from anamnesis_lsp.index.refresh import ProgressFunction
from anamnesis_lsp.index.schema import mark_written
from anamnesis_lsp.recall.recaller import Recaller, RecallSettings, RecollectRequest
from anamnesis_lsp.recall.upkeep import Until, Upkeep
from anamnesis_lsp.records.conversations import excluding
from anamnesis_lsp.records.conversations.claude_code import ClaudeCode
from anamnesis_lsp.records.conversations.excluding import Excluded
from anamnesis_lsp.records.conversations.model import Reading, Source
from anamnesis_lsp.records.conversations.stores import Store
from tests.builders.claude import Transcript, session
from tests.builders.repos import Repo, new_repo

PROJECT = Path(__file__).resolve().parents[2]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    (tmp_path / "claude" / "projects").mkdir(parents=True)
    return Store.at("claude-code", tmp_path / "claude")


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    repo = new_repo(tmp_path / "app")
    repo.commit("Begin", {"a.py": "answer = 42\n"})
    return repo


def talk(store: Store, number: int, *said: str, cwd: str = "/home/dev/app") -> Path:
    transcript = Transcript(session(number), cwd=cwd)
    for text in said:
        transcript.person(text)
    return transcript.write_to(store.root, cwd.replace("/", "-"))


def ids(catalog: Catalog, store: Store) -> list[str]:
    return sorted(row.key.id for row in catalog.records([store]))


def until(true: Callable[[], bool], seconds: float = 10.0) -> float:
    begun = time.monotonic()
    while not true():
        assert time.monotonic() - begun < seconds, "it did not come about"
        time.sleep(0.02)
    return time.monotonic() - begun


def says(catalog: Catalog, store: Store, word: str) -> bool:
    return bool(catalog.passages({word: 1.0}, [store]))


class Kept:
    """A catalog kept fresh by an upkeep of its own."""

    def __init__(self, path: Path, *stores: Store, policy: Policy | None = None) -> None:
        self.catalog = Catalog.open(path)
        self.policy = policy or Policy()
        self.looks = 0
        self.upkeep = Upkeep(self._look, self._read)
        self.upkeep.watch(stores)
        self.upkeep.start()

    def _look(self, store: Store, cancel: CancelToken) -> Pending:
        self.looks += 1
        return self.catalog.pending([store], cancel, self.policy.excluded)[0]

    def _read(self, store: Store, cancel: CancelToken, progress: ProgressFunction) -> Refreshed:
        return self.catalog.refresh([store], cancel, progress, self.policy)

    def close(self) -> None:
        assert self.upkeep.stop()
        self.catalog.close()


@pytest.fixture
def kept(tmp_path: Path, store: Store) -> Iterator[Kept]:
    kept = Kept(tmp_path / "index.sqlite3", store)
    yield kept
    kept.close()


# -- what is pending


def test_what_is_pending_is_told_without_reading(tmp_path: Path, store: Store) -> None:
    catalog = Catalog.open(tmp_path / "index.sqlite3")
    path = talk(store, 1, "walrus")
    (pending,) = catalog.pending([store], never())
    assert (pending.sources, pending.bytes, pending.gone) == (1, path.stat().st_size, 0) and pending
    catalog.refresh([store], never())
    assert not catalog.pending([store], never())[0]
    path.unlink()
    assert catalog.pending([store], never())[0].gone == 1


class Unreadable(ClaudeCode):
    """Every conversation is gone when it is read."""

    def read(self, source: Source, cancel: CancelToken) -> Reading:
        raise AnamnesisError(ErrorCode.RECORD_GONE, "It is gone.", "Search again.")


def test_a_source_that_fails_is_pending_again_only_when_it_changed(tmp_path: Path, store: Store) -> None:
    path = talk(store, 1, "walrus")
    catalog = Catalog.open(tmp_path / "index.sqlite3", {"claude-code": Unreadable()})
    assert catalog.refresh([store], never()).failures
    (pending,) = catalog.pending([store], never())
    assert not pending and pending.failing == 1
    path.write_bytes(path.read_bytes() * 2)
    assert catalog.pending([store], never())[0]
    readable = Catalog.open(tmp_path / "index.sqlite3")
    assert readable.refresh([store], never()).captured == 1 and ids(readable, store) == [session(1)]


# -- kept fresh


def test_an_appended_turn_is_searchable_within_two_seconds(kept: Kept, store: Store) -> None:
    path = talk(store, 1, "walrus")
    until(lambda: says(kept.catalog, store, "walrus"))
    for word in ("heron", "otter"):
        with path.open("ab") as file:
            file.write(Transcript(session(1)).person(f"the {word} speaks", uuid=word).bytes)
        assert until(lambda word=word: says(kept.catalog, store, word)) < 2.0


def test_a_conversation_that_begins_is_found(kept: Kept, store: Store) -> None:
    talk(store, 1, "walrus")
    until(lambda: says(kept.catalog, store, "walrus"))
    talk(store, 2, "heron")
    assert until(lambda: says(kept.catalog, store, "heron")) < 2.0


def test_an_unchanged_store_is_only_looked_at(kept: Kept, store: Store) -> None:
    talk(store, 1, "walrus")
    until(lambda: says(kept.catalog, store, "walrus"))
    before = kept.catalog.written()
    until(lambda: kept.looks > 3)
    assert kept.catalog.written() == before


def test_waiting_ends_when_everything_is_read(kept: Kept, store: Store) -> None:
    for number in range(1, 6):
        talk(store, number, "walrus")
    assert kept.upkeep.wait([store], 20.0, never())
    assert len(ids(kept.catalog, store)) == 5


def test_waiting_has_an_end_and_can_be_cancelled(tmp_path: Path, store: Store) -> None:
    gate = threading.Event()

    def read(store: Store, cancel: CancelToken, progress: object) -> Refreshed:
        while not gate.wait(0.01):
            cancel.check()
        return catalog.refresh([store], cancel)

    talk(store, 1, "walrus")
    catalog = Catalog.open(tmp_path / "index.sqlite3")
    upkeep = Upkeep(lambda one, cancel: catalog.pending([one], cancel)[0], read)
    upkeep.start()
    begun = time.monotonic()
    assert not upkeep.wait([store], 0.3, never())
    assert time.monotonic() - begun < 1.0
    token = CancelToken()
    threading.Timer(0.1, token.cancel).start()
    with pytest.raises(Cancelled):
        upkeep.wait([store], 30.0, token)
    gate.set()
    assert upkeep.wait([store], 10.0, never())
    assert upkeep.stop()


def test_cancelled_reading_is_taken_up_by_who_waits(tmp_path: Path, store: Store) -> None:
    reading = threading.Event()

    def read(store: Store, cancel: CancelToken, progress: object) -> Refreshed:
        if not reading.is_set():
            reading.set()
            cancel.wait(10)
            cancel.check()
        return catalog.refresh([store], cancel)

    talk(store, 1, "walrus")
    catalog = Catalog.open(tmp_path / "index.sqlite3")
    upkeep = Upkeep(lambda one, cancel: catalog.pending([one], cancel)[0], read)
    upkeep.watch([store])
    upkeep.start()
    assert reading.wait(5)
    upkeep.cancel()
    time.sleep(1.3)
    assert ids(catalog, store) == []
    assert upkeep.wait([store], 10.0, never())
    assert ids(catalog, store) == [session(1)]
    assert upkeep.stop()


def test_reading_stands_aside_while_someone_is_answered(kept: Kept, store: Store) -> None:
    with kept.upkeep.answering():
        assert kept.upkeep.should_yield
        talk(store, 1, "walrus")
        assert kept.upkeep.wait([store], 10.0, never()), "one who waits for it is not made to wait"
    assert not kept.upkeep.should_yield


def test_nothing_is_read_while_the_catalog_is_held(kept: Kept, store: Store) -> None:
    with kept.upkeep.held():
        talk(store, 1, "walrus")
        time.sleep(1.3)
        assert ids(kept.catalog, store) == []
    until(lambda: ids(kept.catalog, store) == [session(1)])


def test_what_changes_in_vain_is_read_ever_less_often(tmp_path: Path, store: Store) -> None:
    reads: list[float] = []

    def look(one: Store, cancel: CancelToken) -> Pending:
        return replace(catalog.pending([one], cancel)[0], sources=1, bytes=7)

    def read(store: Store, cancel: CancelToken, progress: object) -> Refreshed:
        reads.append(time.monotonic())
        return catalog.refresh([store], cancel)

    catalog = Catalog.open(tmp_path / "index.sqlite3")
    upkeep = Upkeep(look, read)
    upkeep.watch([store])
    upkeep.start()
    until(lambda: len(reads) > 2)
    assert upkeep.stop()
    assert reads[1] - reads[0] > 1.5 and reads[2] - reads[1] > reads[1] - reads[0]


def test_the_token_of_a_bounded_wait() -> None:
    outer = CancelToken()
    token = Until(outer, 0.05)
    token.check()
    time.sleep(0.06)
    assert token.cancelled and not outer.cancelled
    other = Until(outer, 60)
    outer.cancel()
    with pytest.raises(Cancelled):
        other.check()


# -- several programs

WRITER = """
import sys, time
from pathlib import Path
from anamnesis_lsp.index.database import Database
lock = Database(Path(sys.argv[1])).writer_lock()
assert lock.acquire()
print("holds", flush=True)
time.sleep(60)
"""


def test_a_second_server_reads_and_takes_over_when_the_first_goes(tmp_path: Path, store: Store) -> None:
    index = tmp_path / "index.sqlite3"
    talk(store, 1, "walrus")
    Catalog.open(index).refresh([store], never())
    first = subprocess.Popen([sys.executable, "-c", WRITER, str(index)], cwd=PROJECT, stdout=subprocess.PIPE, text=True)
    assert first.stdout is not None and first.stdout.readline() == "holds\n"
    kept = Kept(index, store)
    try:
        talk(store, 2, "heron")
        assert not kept.upkeep.wait([store], 1.5, never()), "the first one is writing"
        assert says(kept.catalog, store, "walrus"), "what is there is read meanwhile"
        first.send_signal(signal.SIGKILL)
        first.wait()
        assert until(lambda: says(kept.catalog, store, "heron")) < 5.0
    finally:
        first.kill()
        first.wait()
        kept.close()


def test_what_another_program_wrote_is_noticed(tmp_path: Path, store: Store) -> None:
    index = tmp_path / "index.sqlite3"
    mine, theirs = Catalog.open(index), Catalog.open(index)
    before = mine.written()
    theirs.refresh([store], never())
    assert mine.written() == before, "nothing was captured"
    talk(store, 1, "walrus")
    theirs.refresh([store], never())
    assert mine.written() != before


# -- a recall


def recaller(repo: Repo, store: Store, tmp_path: Path, **settings: object) -> Recaller:
    whole = RecallSettings(stores=(store,), index_path=tmp_path / "index.sqlite3", **settings)  # type: ignore[arg-type]
    return Recaller(whole, [repo.path])


def test_a_recall_on_a_cold_index_waits_a_bounded_time_and_says_what_is_unread(
    tmp_path: Path, repo: Repo, store: Store
) -> None:
    talk(store, 1, "the walrus speaks")
    mine = recaller(repo, store, tmp_path, wait_seconds=0.3)
    lock = Catalog.open(tmp_path / "index.sqlite3")._database.writer_lock()  # pyright: ignore[reportPrivateUsage]
    assert lock.acquire()
    begun = time.monotonic()
    shown = mine.recollect(RecollectRequest(repo.path / "a.py", (1, 1)), never())
    assert time.monotonic() - begun < 5.0
    (searched,) = [one for one in shown.as_wire()["searched"] if one["kind"] == "claude-code"]
    assert (searched["examined"], searched["of"]) == (0, 1)
    assert "not read yet" in searched["notSearched"]
    assert "still being read" in shown.markdown
    lock.release()
    time.sleep(1.1)
    shown = mine.recollect(RecollectRequest(repo.path / "a.py", (1, 1)), never())
    (searched,) = [one for one in shown.as_wire()["searched"] if one["kind"] == "claude-code"]
    assert (searched["examined"], searched["of"]) == (1, 1) and "not read yet" not in searched["notSearched"]
    assert "still being read" not in shown.markdown
    mine.close()


def test_who_waits_for_another_program_says_so_and_goes_on_with_what_was_read(
    tmp_path: Path, repo: Repo, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = tmp_path / "index.sqlite3"
    talk(store, 1, "the walrus speaks", cwd=str(repo.path))
    Catalog.open(index).refresh([store], never())
    talk(store, 2, "the heron speaks", cwd=str(repo.path))
    monkeypatch.setattr("anamnesis_lsp.recall.recaller.OTHER_SECONDS", 0.6)
    other = subprocess.Popen([sys.executable, "-c", WRITER, str(index)], cwd=PROJECT, stdout=subprocess.PIPE, text=True)
    assert other.stdout is not None and other.stdout.readline() == "holds\n"
    told: list[str] = []
    mine = recaller(repo, store, tmp_path)  # it would read for ten minutes
    try:
        begun = time.monotonic()
        assert mine.refresh(never(), lambda message, percent: told.append(message)) == 1
        shown = mine.recollect(RecollectRequest(cue="walrus speaks"), never())
        assert time.monotonic() - begun < 10.0
        assert set(told) == {"Waiting for another program that is reading the conversations (1 left, 0 MB)"}
        assert shown.as_wire()["recognizables"][0]["members"][0]["id"] == session(1)
        assert "still being read" in shown.markdown
    finally:
        other.kill()
        other.wait()
    assert mine.refresh(never()) == 0, "the system gave the lock back"
    mine.close()


def test_another_program_is_waited_for_as_long_as_it_writes(
    tmp_path: Path, repo: Repo, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("anamnesis_lsp.recall.recaller.OTHER_SECONDS", 0.6)
    theirs = Catalog.open(tmp_path / "index.sqlite3")
    lock = theirs._database.writer_lock()  # pyright: ignore[reportPrivateUsage]
    talk(store, 1, "walrus")
    assert lock.acquire()

    def write() -> None:
        connection = theirs._database.writer()  # pyright: ignore[reportPrivateUsage]
        for _ in range(8):
            time.sleep(0.25)
            with transaction(connection):
                mark_written(connection)
        lock.release()

    mine = recaller(repo, store, tmp_path)
    writing = threading.Thread(target=write)
    writing.start()
    assert mine.refresh(never()) == 0
    writing.join()
    assert says(theirs, store, "walrus")
    mine.close()


def test_a_recall_finds_the_conversation_of_a_moment_ago(tmp_path: Path, repo: Repo, store: Store) -> None:
    mine = recaller(repo, store, tmp_path, wait_seconds=20.0)
    mine.keep_fresh()
    talk(store, 1, "why the walrus speaks", cwd=str(repo.path))
    shown = mine.recollect(RecollectRequest(cue="walrus speaks"), never())
    assert shown.as_wire()["recognizables"][0]["members"][0]["id"] == session(1)
    mine.close()


def test_reindexing_reads_everything_again_beside_the_background(tmp_path: Path, repo: Repo, store: Store) -> None:
    talk(store, 1, "walrus")
    mine = recaller(repo, store, tmp_path, wait_seconds=20.0)
    told: list[str] = []
    mine.keep_fresh(lambda message, percent: told.append(message))
    catalog = Catalog.open(tmp_path / "index.sqlite3")
    until(lambda: ids(catalog, store) == [session(1)])
    until(lambda: "" in told)
    assert "Reading claude-code: 0 of 1 conversations" in told[0]
    before = catalog.records([store])[0].record
    mine.reindex("claude-code", never())
    assert ids(catalog, store) == [session(1)] and catalog.records([store])[0].record != before
    mine.close()


# -- what is kept out


def test_excluded_sessions_and_folders_are_not_read(tmp_path: Path, store: Store) -> None:
    talk(store, 1, "walrus")
    talk(store, 2, "heron", cwd="/home/dev/secret")
    talk(store, 3, "otter", cwd="/srv/clients/acme/app")
    catalog = Catalog.open(tmp_path / "index.sqlite3")
    policy = Policy(excluded=Excluded(("/srv/clients", "secret"), ()))
    catalog.refresh([store], never(), policy=policy)
    assert ids(catalog, store) == [session(1)]
    assert not catalog.pending([store], never(), policy.excluded)[0]
    assert not says(catalog, store, "heron")


def test_what_is_excluded_later_is_removed_and_comes_back(tmp_path: Path, store: Store) -> None:
    for number, cwd in ((1, "/home/dev/app"), (2, "/home/dev/secret"), (3, "/home/dev/other")):
        talk(store, number, f"walrus{number}", cwd=cwd)
    catalog = Catalog.open(tmp_path / "index.sqlite3")
    catalog.refresh([store], never())
    for excluded, left in (
        (Excluded(("*/secret",), (session(3)[:-3] + "*3",)), [session(1)]),
        (Excluded((), (session(1),)), [session(2), session(3)]),
        (Excluded(), [session(1), session(2), session(3)]),
    ):
        assert catalog.pending([store], never(), excluded)[0]
        catalog.refresh([store], never(), policy=Policy(excluded=excluded))
        assert ids(catalog, store) == left
        assert not catalog.pending([store], never(), excluded)[0]
        for number in (1, 2, 3):
            assert says(catalog, store, f"walrus{number}") == (session(number) in left)
    assert catalog.status().records == 3


def test_what_another_program_reads_in_is_not_searched_where_it_is_excluded(
    tmp_path: Path, repo: Repo, store: Store
) -> None:
    talk(store, 1, "why the walrus speaks", cwd=str(repo.path))
    Catalog.open(tmp_path / "index.sqlite3").refresh([store], never())
    mine = recaller(repo, store, tmp_path, excluded=Excluded((), (session(1),)), refresh=False)
    shown = mine.recollect(RecollectRequest(cue="walrus speaks"), never())
    assert session(1) not in str(shown.as_wire())
    mine.close()


@pytest.mark.parametrize(
    ("pattern", "path", "kept_out"),
    [
        ("secret", "/home/me/secret/app", True),
        ("secret", "/home/me/secrets", False),
        ("secret*", "/home/me/secrets/x", True),
        ("/home/me", "/home/me/secret", True),
        ("/home/me/*", "/home/me", False),
        ("/home/*/secret", "/home/me/a/secret/x", True),
        ("~/clients", str(Path.home() / "clients/acme"), True),
        ("C:/work", "C:\\work\\app", True),
        ("c:\\work", "C:/work/app", True),
        ("/", "/anything", False),
    ],
)
def test_patterns_of_folders(pattern: str, path: str, kept_out: bool) -> None:
    assert Excluded((pattern,)).folder(path) is kept_out


def test_case_counts_only_where_it_does_for_files(monkeypatch: pytest.MonkeyPatch) -> None:
    clear = (excluding._in_folder.cache_clear, excluding._expanded.cache_clear)  # pyright: ignore[reportPrivateUsage]
    for caseless in (False, True):
        for one in clear:
            one()
        monkeypatch.setattr(excluding, "CASELESS", caseless)
        assert Excluded(("/Users/Me/Private",)).folder("/users/me/private/app") is caseless
        assert Excluded(("Secret",)).folder("/home/me/SECRET") is caseless
    for one in clear:
        one()
