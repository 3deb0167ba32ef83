"""Lines of JSON as assistants leave them: torn, huge, hostile. Counted, never raised, never hiding the next line."""

from __future__ import annotations

import json
import os
import tracemalloc
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anamnesis_lsp.cancel import Cancelled, CancelToken, never
from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.records.conversations.jsonl import JsonLines
from anamnesis_lsp.records.conversations.stores import Store, files, require_root
from anamnesis_lsp.records.conversations.times import moment


def lines_of(path: Path, data: bytes, max_line: int = 1 << 20) -> tuple[list[tuple[int, object]], JsonLines]:
    path.write_bytes(data)
    lines = JsonLines(path, never(), max_line=max_line)
    return list(lines), lines


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "log.jsonl"


def test_lines_end_at_the_line_feed_only(log: Path) -> None:
    text = json.dumps({"text": "one\u2028two\u2029three\x85four"}, ensure_ascii=False)
    found, lines = lines_of(log, f"{text}\r\n\n{{}}\n".encode())
    assert [value for _, value in found] == [json.loads(text), {}]
    assert found[1][0] == len(text.encode()) + 3
    assert (lines.skipped_lines, lines.lines) == (0, 2)


def test_a_torn_last_line_is_unfinished_not_lost(log: Path) -> None:
    found, lines = lines_of(log, b'{"a":1}\n{"b":')
    assert [value for _, value in found] == [{"a": 1}]
    assert (lines.skipped_lines, lines.incomplete_tail, lines.complete_to) == (0, True, 8)


def test_a_last_line_that_is_whole_needs_no_line_end(log: Path) -> None:
    found, lines = lines_of(log, b'{"a":1}\n{"b":2}')
    assert [value for _, value in found] == [{"a": 1}, {"b": 2}]
    assert (lines.incomplete_tail, lines.complete_to) == (False, 15)


def test_a_bad_line_hides_nothing(log: Path) -> None:
    deep = b"[" * 100_000 + b"]" * 100_000
    bad = [b"{", b"nonsense", b"[1]", b'"text"', b"42", b"null", b"\0\0\0", deep, b'{"n":' + b"9" * 9000 + b"}"]
    found, lines = lines_of(log, b'{"a":1}\n' + b"\n".join(bad) + b'\n{"b":2}\n')
    assert [value for _, value in found] == [{"a": 1}, {"b": 2}]
    assert lines.skipped_lines == len(bad)


@pytest.mark.parametrize("depth", [100, 500, 900, 990, 1010, 1023, 1030, 20_000])
def test_what_nests_deeply_is_given_or_counted(log: Path, depth: int) -> None:
    """With and without what only the lenient parser takes; either way the next line is read."""
    for inner in (b"1", b'"\\ud800"', b"NaN"):
        deep = b'{"a":' + b"[" * depth + inner + b"]" * depth + b"}"
        found, lines = lines_of(log, deep + b'\n{"b":2}\n')
        assert found[-1][1] == {"b": 2} and len(found) + lines.skipped_lines == 2
        assert depth > 100 or lines.skipped_lines == 0


def test_what_json_forbids_and_logs_hold_is_read(log: Path) -> None:
    found, _ = lines_of(log, b'{"a":"x\\ud800y","\\udc00":[1e999]}\n{"a":"x\xff\xfey"}\n{"a":NaN,"a":-Infinity}\n')
    assert [value for _, value in found] == [
        {"a": "x\ufffdy", "\ufffd": [float("inf")]}, {"a": "x\ufffd\ufffdy"}, {"a": float("-inf")}
    ]  # fmt: skip


def test_runs_of_nul_before_a_record_are_dropped(log: Path) -> None:
    found, lines = lines_of(log, b"\0" * 4096 + b'{"a":1}\n')
    assert ([value for _, value in found], lines.skipped_lines) == ([{"a": 1}], 0)


def test_text_that_cannot_be_encoded_is_replaced(log: Path) -> None:
    found, _ = lines_of(log, b'{"a":"x\\ud800y","\\udfffk":["\\uD83D\\uDE00"]}\n{"b":"\xff\xed\xa0\x80"}\n')
    values = [value for _, value in found]
    assert values[0] == {"a": "x\ufffdy", "\ufffdk": ["😀"]}
    json.dumps(values, ensure_ascii=False).encode("utf-8")


def test_a_byte_order_mark_is_no_part_of_the_record(log: Path) -> None:
    assert lines_of(log, b'\xef\xbb\xbf{"a":1}\n')[0] == [(0, {"a": 1})]


def test_a_line_over_the_cap_is_never_held(log: Path) -> None:
    with log.open("wb") as file:
        file.write(b'{"a":1}\n{"big":"')
        for _ in range(100):
            file.write(b"x" * (1 << 20))
        file.write(b'"}\n{"b":2}\n')
    tracemalloc.start()
    lines = JsonLines(log, never(), max_line=4 << 20)
    assert [value for _, value in lines] == [{"a": 1}, {"b": 2}]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (lines.skipped_lines, lines.lines) == (1, 3)
    assert peak < 32 << 20


def test_a_line_of_millions_of_tiny_values_is_not_parsed(log: Path) -> None:
    found, lines = lines_of(log, b'{"a":[' + b"{}," * 600_000 + b'{}]}\n{"b":2}\n', max_line=16 << 20)
    assert ([value for _, value in found], lines.skipped_lines) == ([{"b": 2}], 1)


def test_reading_can_start_at_an_offset_and_be_cancelled(log: Path) -> None:
    log.write_bytes(b'{"a":1}\n{"b":2}\n')
    assert list(JsonLines(log, never(), start=8)) == [(8, {"b": 2})]
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        list(JsonLines(log, token))


def test_what_is_no_readable_file_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(AnamnesisError) as missing:
        list(JsonLines(tmp_path / "none", never()))
    assert missing.value.code is ErrorCode.RECORD_GONE
    with pytest.raises(AnamnesisError) as folder:
        list(JsonLines(tmp_path, never()))
    assert folder.value.code is ErrorCode.STORE_UNREADABLE


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no FIFOs here")
def test_a_fifo_in_a_store_blocks_nobody(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jsonl")
    assert list(files(tmp_path, never(), (".jsonl",))) == []
    with pytest.raises(AnamnesisError):
        list(JsonLines(tmp_path / "pipe.jsonl", never()))


@given(st.lists(st.one_of(st.binary(max_size=40).filter(lambda b: b"\n" not in b), st.just(b'{"ok":1}')), max_size=12))
def test_every_line_is_an_object_skipped_or_blank(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[bytes]
) -> None:
    path = tmp_path_factory.mktemp("fuzz") / "log.jsonl"
    path.write_bytes(b"".join(piece + b"\n" for piece in pieces))
    lines = JsonLines(path, never())
    found = list(lines)
    assert len(found) + lines.skipped_lines == lines.lines <= len(pieces)
    assert sum(value == {"ok": 1} for _, value in found) >= pieces.count(b'{"ok":1}')
    assert lines.complete_to == path.stat().st_size


# -- stores


def test_linked_folders_are_walked_once(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x.jsonl").write_text("")
    (tmp_path / "a" / "loop").symlink_to(tmp_path)
    (tmp_path / "skip").mkdir()
    (tmp_path / "skip" / "y.jsonl").write_text("")
    found = [part.path.name for part in files(tmp_path, never(), (".jsonl",), skip=("skip",))]
    assert found == ["x.jsonl"]


def test_a_root_is_the_same_store_however_it_is_spelled(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    assert Store.at("claude-code", tmp_path / "link") == Store.at("claude-code", tmp_path / ".")
    with pytest.raises(AnamnesisError):
        require_root(tmp_path / "nowhere")


# -- times

UTC = timezone.utc


@pytest.mark.parametrize(
    ("recorded", "meant"),
    [
        ("2026-03-01T09:00:00.123Z", datetime(2026, 3, 1, 9, 0, 0, 123000, UTC)),
        ("2026-03-01T09:00:00Z", datetime(2026, 3, 1, 9, tzinfo=UTC)),
        ("2026-03-01T09:00:00.123456789+02:00", datetime(2026, 3, 1, 9, 0, 0, 123456, timezone(timedelta(hours=2)))),
        ("2026-03-01 09:00:00", datetime(2026, 3, 1, 9, tzinfo=UTC)),
        ("2026-03-01T09:00-0530", datetime(2026, 3, 1, 9, tzinfo=timezone(-timedelta(hours=5, minutes=30)))),
        (1772355600, datetime(2026, 3, 1, 9, tzinfo=UTC)),
        (1772355600000, datetime(2026, 3, 1, 9, tzinfo=UTC)),
        (1772355600000000, datetime(2026, 3, 1, 9, tzinfo=UTC)),
        ("1772355600000", datetime(2026, 3, 1, 9, tzinfo=UTC)),
    ],
)
def test_times_are_aware(recorded: object, meant: datetime) -> None:
    found = moment(recorded)
    assert found == meant
    assert found is not None and found.utcoffset() is not None


@given(st.one_of(st.text(max_size=40), st.floats(), st.integers(), st.booleans(), st.none(), st.lists(st.integers())))
def test_what_is_no_time_is_none(value: object) -> None:
    found = moment(value)
    assert found is None or found.tzinfo is not None


@pytest.mark.parametrize(
    "value", ["", "yesterday", "2026-13-01T00:00:00Z", "2026-02-30", True, -1, 0, float("nan"), 1e30]
)
def test_nonsense_is_no_time(value: object) -> None:
    assert moment(value) is None
