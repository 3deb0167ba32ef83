"""Recalls on disk: what is kept, what is refused, what is removed, and what a killed process loses."""

from __future__ import annotations

import os
import signal
import sqlite3
import stat
import subprocess
import sys
import time
import zlib
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from anamnesis_lsp.contract import Origin, Turn
from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.readings import codec
from anamnesis_lsp.readings.content import Asked, Content, Invocation, Said
from anamnesis_lsp.recall.state import SCHEMA_VERSION, Row, State

NOW = datetime(2026, 3, 1, 12, tzinfo=timezone.utc)
SECRET = "the gateway password was swordfish"


def turn(text: str) -> Turn[Content]:
    return Turn[Content](Origin.PERSON, Said(text, NOW))


def row(name: str, turns: int, changed: datetime = NOW) -> Row:
    return Row(name, "anamnesis", "/repo", NOW, changed, "open", "a past", None, turns)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "recalls.sqlite3"


def refused(path: Path) -> ErrorCode:
    with pytest.raises(AnamnesisError) as raised:
        State.open(path)
    return raised.value.code


def test_a_context_is_read_back_as_it_was_kept(path: Path) -> None:
    invocation = Invocation(NOW, "why", Path("/repo"), "a.py", (1, 2), ("x = 1", "y = \ud800"), None, "f" * 40, "abc")
    turns = (
        Turn[Content](Origin.PERSON, invocation),
        Turn[Content](Origin.ASSISTANT, Asked("What else?")),
        turn("é\0"),
    )
    state = State.open(path)
    state.keep(row("one", 3), turns, {"abc": "unsaved \ud800 text"})
    state.close()
    again = State.open(path)
    assert again.context("one") == turns
    assert again.buffers("one") == {"abc": "unsaved \ud800 text"}
    assert again.rows() == [row("one", 3)]


def test_only_the_person_may_read_the_file(path: Path) -> None:
    State.open(path).keep(row("one", 1), [turn("hm")], {})
    modes = {p.name: stat.S_IMODE(p.stat().st_mode) for p in path.parent.iterdir()}
    assert modes and all(mode == 0o600 for mode in modes.values()), modes


def test_a_file_that_others_could_read_is_closed_to_them(path: Path) -> None:
    path.touch(mode=0o644)
    State.open(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_state_of_a_later_version_is_refused_and_left_untouched(path: Path) -> None:
    state = State.open(path)
    state.keep(row("one", 1), [turn("hm")], {})
    state.close()
    with sqlite3.connect(path) as later:
        later.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
        later.execute("ALTER TABLE recalls ADD COLUMN mood TEXT")
    later.close()
    before = {p: (p.read_bytes(), p.stat().st_mtime_ns) for p in path.parent.iterdir()}
    assert refused(path) is ErrorCode.STATE_TOO_NEW
    assert {p: (p.read_bytes(), p.stat().st_mtime_ns) for p in path.parent.iterdir()} == before


def test_a_turn_of_a_later_version_is_refused(path: Path) -> None:
    state = State.open(path)
    state.keep(row("one", 1), [turn("hm")], {})
    with sqlite3.connect(path) as other:
        other.execute("UPDATE turns SET content = ?", (zlib.compress(b'{"is": "Dreamt", "of": "x"}'),))
    with pytest.raises(AnamnesisError) as raised:
        state.context("one")
    assert raised.value.code is ErrorCode.STATE_TOO_NEW


def test_a_turn_of_an_earlier_version_takes_the_defaults_of_what_was_added_since(path: Path) -> None:
    written = codec.encode(Said("hm", NOW))
    for added in ("returns", "left"):
        del written[added]
    assert codec.decode(written) == Said("hm", NOW)
    for broken in ({**written, "mood": "x"}, {"is": "Said", "text": "hm"}, {**written, "text": 3}):
        with pytest.raises(ValueError):
            codec.decode(broken)


@pytest.mark.parametrize("damage", [b"not a database at all", b"SQLite format 3\0" + b"\xff" * 4096, b"SQLite form"])
def test_a_damaged_file_is_moved_aside_and_said(path: Path, damage: bytes) -> None:
    if len(damage) > 100:
        damage = damage[:60] + b"\0\0\0\1" + damage[64:]
    path.write_bytes(damage)
    state = State.open(path)
    assert state.rows() == []
    [aside] = [p for p in path.parent.iterdir() if ".damaged-" in p.name]
    assert aside.read_bytes() == damage
    assert aside.name in state.notes[0]


def test_what_is_forgotten_is_not_in_the_file_any_more(path: Path) -> None:
    state = State.open(path)
    long = " ".join(f"{SECRET} {os.urandom(8).hex()}" for _ in range(2000))
    state.keep(row("one", 1), [turn(long)], {"d": long})
    state.keep(row("two", 1), [turn("something else")], {})
    size = sum(p.stat().st_size for p in path.parent.iterdir())
    assert state.forget(["one"]) == 1
    state.close()
    assert sum(p.stat().st_size for p in path.parent.iterdir()) < size / 2
    again = State.open(path)
    assert [kept.id for kept in again.rows()] == ["two"]
    assert again.context("one") == ()
    assert again.buffers("one") == {}


def test_recalls_that_did_not_change_for_long_are_removed(path: Path) -> None:
    state = State.open(path)
    state.keep(row("old", 1, NOW - timedelta(days=91)), [turn("a")], {})
    state.keep(row("new", 1, NOW - timedelta(days=89)), [turn("b")], {})
    assert state.forget_older(90, NOW) == 1
    assert [kept.id for kept in state.rows()] == ["new"]


def test_a_recall_that_went_on_elsewhere_is_not_overwritten(path: Path) -> None:
    mine, theirs = State.open(path), State.open(path)
    mine.keep(row("one", 1), [turn("a")], {})
    theirs.keep(row("one", 2), [turn("b")], {})
    with pytest.raises(AnamnesisError) as raised:
        mine.keep(row("one", 2), [turn("c")], {})
    assert raised.value.code is ErrorCode.STATE_UNUSABLE
    assert mine.context("one") == (turn("a"), turn("b"))


WRITER = """
import sys
from datetime import datetime, timezone
from pathlib import Path
from anamnesis_lsp.contract import Origin, Turn
from anamnesis_lsp.readings.content import Said
from anamnesis_lsp.recall.state import Row, State

now = datetime(2026, 3, 1, tzinfo=timezone.utc)
state = State.open(Path(sys.argv[1]))
for n in range(0, 100000, 3):
    turns = [Turn(Origin.PERSON, Said(f"{k} " + "words " * 2000, now)) for k in range(n, n + 3)]
    state.keep(Row("one", "anamnesis", None, now, now, "open", "m", None, n + 3), turns, {})
    print(n + 3, flush=True)
"""


def test_a_process_killed_while_it_writes_loses_at_most_the_round_it_was_in(path: Path) -> None:
    for attempt in range(6):
        target = path.with_name(f"{attempt}.sqlite3")
        process = subprocess.Popen([sys.executable, "-c", WRITER, str(target)], stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(0.003 * attempt)
        process.send_signal(signal.SIGKILL)
        told = [int(line) for line in process.stdout.read().split()]
        process.wait()
        state = State.open(target)
        context = state.context("one")
        assert state.notes == ()
        assert len(context) % 3 == 0, "no round is kept in part"
        assert len(context) >= max(told, default=3)
        assert len(context) <= max(told, default=3) + 3
        assert state.rows()[0].turns == len(context)
        state.close()
