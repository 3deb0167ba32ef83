"""Others' databases: read whatever state they are in, and nothing beside them changes."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anamnesis_lsp.cancel import Cancelled, CancelToken, never
from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.places import cache_dir
from anamnesis_lsp.records.conversations import sqlite_store
from anamnesis_lsp.records.conversations.sqlite_store import Database, listed, opened, row_part, words
from tests.builders.databases import database, in_use, snapshot

SCHEMA = "CREATE TABLE talk (id INTEGER PRIMARY KEY, said TEXT);"
ROWS = [("talk", (1, "hello")), ("talk", (2, "again"))]


def said(path: Path) -> list[str | None]:
    with opened(path, never()) as found:
        return [words(value) for (value,) in found.rows("SELECT said FROM talk ORDER BY id")]


def code_of(path: Path) -> ErrorCode:
    with pytest.raises(AnamnesisError) as caught:
        said(path)
    assert caught.value.remedy
    return caught.value.code


@pytest.fixture(autouse=True)
def no_copies_left():
    yield
    sqlite_store._COPIES.clear()  # pyright: ignore[reportPrivateUsage]


@pytest.mark.parametrize("wal", [False, True])
def test_a_closed_database_is_read_where_it_lies(tmp_path: Path, wal: bool) -> None:
    database(tmp_path / "a.db", SCHEMA, ROWS, wal=wal)
    before = snapshot(tmp_path)
    assert said(tmp_path / "a.db") == ["hello", "again"]
    assert snapshot(tmp_path) == before
    assert not list(cache_dir("sqlite-copies").iterdir())


def test_a_database_in_use_is_read_from_a_copy_and_its_folder_is_untouched(tmp_path: Path) -> None:
    connection = in_use(tmp_path / "a.db", SCHEMA, ROWS)
    before = snapshot(tmp_path)
    assert set(before) == {"a.db", "a.db-wal", "a.db-shm"}
    assert said(tmp_path / "a.db") == ["hello", "again"]
    assert snapshot(tmp_path) == before
    connection.execute("INSERT INTO talk VALUES (3, 'the writer goes on')")
    connection.commit()
    assert said(tmp_path / "a.db")[-1] == "the writer goes on"
    connection.close()


def test_a_filled_wal_without_its_shm_gets_none(tmp_path: Path) -> None:
    """What a crash, or a copy of the folder, leaves."""
    (tmp_path / "live").mkdir()
    connection = in_use(tmp_path / "live" / "a.db", SCHEMA, ROWS)
    folder = tmp_path / "copied"
    folder.mkdir()
    for name in ("a.db", "a.db-wal"):
        shutil.copy2(tmp_path / "live" / name, folder / name)
    connection.close()
    before = snapshot(folder)
    assert said(folder / "a.db") == ["hello", "again"]
    assert snapshot(folder) == before and set(before) == {"a.db", "a.db-wal"}


def test_an_empty_wal_is_none(tmp_path: Path) -> None:
    database(tmp_path / "a.db", SCHEMA, ROWS, wal=True)
    (tmp_path / "a.db-wal").touch()
    before = snapshot(tmp_path)
    assert said(tmp_path / "a.db") == ["hello", "again"] and snapshot(tmp_path) == before


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX")
def test_the_copy_is_private_and_goes_away(tmp_path: Path) -> None:
    connection = in_use(tmp_path / "a.db", SCHEMA, ROWS)
    with opened(tmp_path / "a.db", never()):
        (folder,) = cache_dir("sqlite-copies").iterdir()
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert all(
            stat.S_IMODE(path.stat().st_mode) & 0o077 == 0 for path in folder.glob("copy.db*") if "shm" not in path.name
        )
    sqlite_store._COPIES.clear()  # pyright: ignore[reportPrivateUsage]
    assert not folder.exists()
    connection.close()


def test_one_copy_serves_many_readings_and_a_change_makes_a_new_one(tmp_path: Path) -> None:
    connection = in_use(tmp_path / "a.db", SCHEMA, ROWS)
    with opened(tmp_path / "a.db", never()), opened(tmp_path / "a.db", never()):
        (first,) = cache_dir("sqlite-copies").iterdir()
    connection.execute("INSERT INTO talk VALUES (3, 'x')")
    connection.commit()
    with opened(tmp_path / "a.db", never()):
        (second,) = cache_dir("sqlite-copies").iterdir()
    assert first != second
    connection.close()


def test_a_large_database_that_is_written_to_is_not_copied_for_every_conversation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_store, "_LARGE", 0)
    connection = in_use(tmp_path / "a.db", SCHEMA, ROWS)
    for number in range(3, 6):
        assert len(said(tmp_path / "a.db")) == 2
        connection.execute("INSERT INTO talk VALUES (?, 'x')", (number,))
        connection.commit()
    monkeypatch.setattr(sqlite_store, "_MAY_LAG_SECONDS", 0.0)
    assert len(said(tmp_path / "a.db")) == 5
    connection.close()


def test_what_is_too_large_to_copy_is_told_as_in_use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    connection = in_use(tmp_path / "a.db", SCHEMA, ROWS)
    monkeypatch.setattr(sqlite_store, "MAX_COPY_BYTES", 100)
    assert code_of(tmp_path / "a.db") is ErrorCode.STORE_BUSY
    connection.close()


def test_a_change_while_it_is_read_in_place_is_told(tmp_path: Path) -> None:
    path = database(tmp_path / "a.db", SCHEMA, ROWS)
    with pytest.raises(AnamnesisError) as caught, opened(path, never()) as found:
        list(found.rows("SELECT * FROM talk"))
        database(path, "", [("talk", (3, "written meanwhile"))])
    assert caught.value.code is ErrorCode.STORE_BUSY


def test_a_listing_is_asked_again_where_it_was_changed_meanwhile(tmp_path: Path) -> None:
    path = database(tmp_path / "a.db", SCHEMA, ROWS)
    asked: list[int] = []

    def query(found: Database) -> list[int]:
        asked.append(len(list(found.rows("SELECT * FROM talk"))))
        if len(asked) == 1:
            database(path, "", [("talk", (3, "x"))])
        return asked

    assert listed(path, never(), query) == [2, 3]


def test_a_change_that_is_not_finished_is_told_as_in_use(tmp_path: Path) -> None:
    path = database(tmp_path / "a.db", SCHEMA, ROWS)
    journal = tmp_path / "a.db-journal"
    journal.write_bytes(b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + b"\0" * 600)
    assert code_of(path) is ErrorCode.STORE_BUSY
    journal.write_bytes(b"\0" * 600)  # of PERSIST mode: finished
    assert said(path) == ["hello", "again"]


def test_what_is_no_database_or_is_missing_or_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "text.db").write_text("not a database, " * 100)
    assert code_of(tmp_path / "text.db") is ErrorCode.STORE_UNREADABLE
    assert code_of(tmp_path / "none.db") is ErrorCode.RECORD_GONE
    assert code_of(tmp_path) is ErrorCode.STORE_UNREADABLE
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe.db")
        assert code_of(tmp_path / "pipe.db") is ErrorCode.STORE_UNREADABLE
    assert not (tmp_path / "none.db").exists()


def test_a_path_with_marks_of_a_uri_is_a_path(tmp_path: Path) -> None:
    path = database(tmp_path / "a?mode=rwc#x %41.db", SCHEMA, ROWS)
    assert said(path) == ["hello", "again"] and len(list(tmp_path.iterdir())) == 1


def test_a_missing_table_or_column_is_told_with_its_name(tmp_path: Path) -> None:
    path = database(tmp_path / "a.db", SCHEMA, ROWS)
    with opened(path, never()) as found:
        with pytest.raises(AnamnesisError, match="no table messages"):
            found.require("Goose", "messages")
        with pytest.raises(AnamnesisError, match="no column who"):
            found.require("Goose", "talk", "id", "who")


def test_views_and_virtual_tables_are_no_tables(tmp_path: Path) -> None:
    schema = "CREATE VIEW talk AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x FROM n) SELECT x AS said FROM n;"
    path = database(tmp_path / "a.db", schema + "CREATE VIRTUAL TABLE v USING fts5(said);")
    with opened(path, never()) as found:
        assert not found.has("talk") and not found.has("v")


def test_a_disguised_virtual_table_is_none(tmp_path: Path) -> None:
    """A schema written by hand: the words of SQL apart by a comment, the root that of a real table."""
    path = database(tmp_path / "a.db", "CREATE TABLE v(said); CREATE TABLE other(x);")
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA writable_schema = ON")
    connection.execute("UPDATE sqlite_master SET sql = 'CREATE/**/VIRTUAL TABLE v USING fts5(said)' WHERE name = 'v'")
    connection.commit()
    connection.close()
    try:
        with opened(path, never()) as found:
            assert not found.has("v")
    except AnamnesisError as error:
        assert error.code is ErrorCode.STORE_UNREADABLE


def test_an_endless_query_is_cancelled(tmp_path: Path) -> None:
    path = database(tmp_path / "a.db", SCHEMA, ROWS)
    cancel = CancelToken()
    endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x FROM n) SELECT count(*) FROM n"
    import threading

    threading.Timer(0.2, cancel.cancel).start()
    with pytest.raises(Cancelled), opened(path, cancel) as found:
        found.row(endless)


def test_text_that_is_no_utf8_is_replaced(tmp_path: Path) -> None:
    path = database(tmp_path / "a.db", SCHEMA)
    connection = sqlite3.connect(path)
    connection.execute("INSERT INTO talk VALUES (1, CAST(x'68c3' AS TEXT))")
    connection.commit()
    connection.close()
    assert said(path) == ["h\ufffd"]


@given(changed=st.one_of(st.none(), st.integers(), st.floats(), st.text()), size=st.one_of(st.none(), st.integers()))
def test_a_part_of_rows_never_fails(changed: object, size: object) -> None:
    found = row_part(Path("x.db"), size, changed)
    assert found.size >= 0 and 0 <= found.mtime_ns < 1 << 63


@settings(max_examples=60, deadline=None)
@given(data=st.binary(max_size=400), at=st.integers(0, 8191), header=st.booleans())
def test_random_bytes_end_in_rows_or_in_our_error(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, at: int, header: bool
) -> None:
    path = database(tmp_path_factory.mktemp("db") / "a.db", SCHEMA, ROWS)
    whole = path.read_bytes()
    path.write_bytes(whole[:at] + data + whole[at + len(data) :] if header else data)
    try:
        said(path)
    except AnamnesisError as error:
        assert error.code in (ErrorCode.STORE_UNREADABLE, ErrorCode.STORE_BUSY)
