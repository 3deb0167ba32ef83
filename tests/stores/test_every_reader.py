"""Every reader over torn, spliced, bent and swollen records: no exception escapes, what was lost is counted.

The stores are those of :mod:`tests.builders.seeds`, one for each registered runtime. A reader may refuse a source with
an ``AnamnesisError``; it may never raise anything else, give text that cannot be sent, or take memory by the size of a
line.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from anamnesis_lsp.cancel import Cancelled, CancelToken, never
from anamnesis_lsp.errors import AnamnesisError
from anamnesis_lsp.records.conversations.model import Scan, Turn
from anamnesis_lsp.records.conversations.registry import RUNTIMES, runtime
from tests.builders.databases import snapshot
from tests.builders.seeds import SEEDS, VARIANTS, Seed

HERE = sorted(name for name, (kind, _) in VARIANTS.items() if kind in RUNTIMES)
PROPERTY = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
MEGABYTE = 1 << 20
MOST_MEMORY = 300 * MEGABYTE

junk = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=6), st.just("\ud800")),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=6), inner, max_size=3)),
    max_leaves=6,
)


@pytest.fixture(scope="module", params=HERE)
def seed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Seed, bytes]:
    """A runtime, its store, and the bytes of the file that a test puts something else into."""
    kind, make = VARIANTS[request.param]
    made = make(tmp_path_factory.mktemp(kind))
    return kind, made, made.main.read_bytes()


def read(kind: str, root: Path) -> tuple[list[Turn], list[Scan], bool]:
    """Everything a reader gives of a store, checked; and whether it refused any of it."""
    reader = runtime(kind)
    turns: list[Turn] = []
    scans: list[Scan] = []
    refused = False
    try:
        sources = list(reader.sources(root, never()))
    except AnamnesisError:
        return [], [], True
    assert len({source.id for source in sources}) == len(sources)
    for source in sources:
        source.id.encode("utf-8")
        reading = reader.read(source, never())
        own: list[Turn] = []
        try:
            own.extend(reading)
        except AnamnesisError:
            refused = True
        assert [turn.n for turn in own] == list(range(1, len(own) + 1))
        reader.handle(source, reading.head, [])
        turns += own
        scans.append(reading.scan)
    for turn in turns:
        texts = [turn.text, turn.name or "", turn.cwd or "", turn.native_id or "", *turn.mentions]
        texts += [part or "" for edit in turn.edits for part in (edit.path, edit.written, edit.removed)]
        "".join(texts).encode("utf-8")
        assert turn.when is None or turn.when.tzinfo is not None
    return turns, scans, refused


def skipped(scans: list[Scan]) -> int:
    return sum(scan.skipped_lines or 0 for scan in scans)


def put(seed: Seed, data: bytes) -> None:
    seed.main.write_bytes(data)


def test_every_registered_runtime_has_a_store_to_test() -> None:
    assert set(RUNTIMES) <= set(SEEDS)


def test_a_sound_store_is_read_whole(seed: tuple[str, Seed, bytes]) -> None:
    kind, made, whole = seed
    put(made, whole)
    before = snapshot(made.root)
    turns, scans, refused = read(kind, made.root)
    assert snapshot(made.root) == before, "a store is only read"
    assert not refused and skipped(scans) == 0 and not any(scan.unknown_types for scan in scans)
    person = [turn.text for turn in turns if turn.speaker.value == "person"]
    assert person[:1] == ["Go"] and any(turn.text.startswith("I look") for turn in turns)
    assert runtime(kind).versions and runtime(kind).name == kind


@PROPERTY
@given(at=st.floats(0, 1))
def test_cut_at_any_byte(seed: tuple[str, Seed, bytes], at: float) -> None:
    kind, made, whole = seed
    put(made, whole[: int(len(whole) * at)])
    _, scans, _ = read(kind, made.root)
    if made.form in ("lines", "document"):
        assert skipped(scans) == 0, "what is cut off is still being written, not lost"


@PROPERTY
@given(data=st.data())
def test_lines_spliced_and_doubled(seed: tuple[str, Seed, bytes], data: st.DataObject) -> None:
    kind, made, whole = seed
    lines = whole.split(b"\n")
    picked = data.draw(st.lists(st.sampled_from(range(len(lines))), max_size=2 * len(lines)))
    torn = data.draw(st.lists(st.tuples(st.sampled_from(range(len(lines))), st.integers(0, 300)), max_size=3))
    spliced = [lines[number] for number in picked] + [lines[number][at:] for number, at in torn]
    put(made, b"\n".join(spliced) + b"\n")
    _, scans, _ = read(kind, made.root)
    if made.form == "lines" and scans:
        assert skipped(scans) == sum(bool(line.strip()) and not is_object(line) for line in spliced)


def is_object(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False


@PROPERTY
@given(times=st.integers(2, 4))
def test_every_line_several_times(seed: tuple[str, Seed, bytes], times: int) -> None:
    kind, made, whole = seed
    if made.form != "lines":
        pytest.skip("no lines")
    put(made, b"".join(line + b"\n" for line in whole.split(b"\n") if line for _ in range(times)))
    turns, scans, refused = read(kind, made.root)
    assert turns and skipped(scans) == 0 and not refused


@PROPERTY
@given(
    wounds=st.lists(
        st.tuples(
            st.floats(0, 1), st.sampled_from([b"\0" * 9, b"\xff\xfe", b"\\ud800", b"\n", b'"', b"{", b"\xe2\x80\xa8"])
        ),
        min_size=1,
        max_size=6,
    )
)
def test_bytes_put_in_anywhere(seed: tuple[str, Seed, bytes], wounds: list[tuple[float, bytes]]) -> None:
    kind, made, whole = seed
    for at, wound in wounds:
        place = int(len(whole) * at)
        whole = whole[:place] + wound + whole[place:]
    put(made, whole)
    read(kind, made.root)


@PROPERTY
@given(length=st.integers(1, 5000))
def test_a_run_of_nul_before_and_after(seed: tuple[str, Seed, bytes], length: int) -> None:
    kind, made, whole = seed
    if made.form == "database":
        pytest.skip("a database begins with its own header")
    put(made, b"\0" * length + whole + b"\0" * length)
    turns, _, refused = read(kind, made.root)
    assert turns and not refused


@PROPERTY
@given(data=st.data(), value=junk, path=st.lists(st.integers(0, 40), min_size=1, max_size=8))
def test_any_value_of_a_wrong_type(
    seed: tuple[str, Seed, bytes], data: st.DataObject, value: object, path: list[int]
) -> None:
    kind, made, whole = seed
    if made.form not in ("lines", "document"):
        pytest.skip("no JSON of its own")
    records = [line for line in whole.split(b"\n") if line] if made.form == "lines" else [whole]
    number = data.draw(st.integers(0, len(records) - 1))
    records[number] = json.dumps(replaced(json.loads(records[number]), path, value)).encode()
    put(made, b"\n".join(records) + b"\n")
    _, scans, _ = read(kind, made.root)
    assert skipped(scans) <= 1


def replaced(record: Any, path: list[int], value: object) -> Any:
    """The record with the value at a path (of positions among its keys) replaced."""
    keys: list[Any] = (
        list(record) if isinstance(record, dict) else list(range(len(record))) if isinstance(record, list) else []
    )
    if not path or not keys:
        return value
    key = keys[path[0] % len(keys)]
    record[key] = replaced(record[key], path[1:], value)
    return record


@pytest.mark.parametrize("opening", [b'{"a":', b"["])
def test_a_deeply_nested_record(seed: tuple[str, Seed, bytes], opening: bytes) -> None:
    kind, made, whole = seed
    deep = opening * 100_000 + b"1" + (b"}" if opening.startswith(b"{") else b"]") * 100_000
    if made.form == "lines":
        put(made, whole + deep + b"\n" + whole.split(b"\n", 1)[0] + b"\n")
        turns, scans, refused = read(kind, made.root)
        assert turns and skipped(scans) == 1 and not refused
    elif made.form == "document":
        put(made, whole.replace(b'"I look"', deep, 1))
        turns, scans, refused = read(kind, made.root)
        assert turns and skipped(scans) == 1 and not refused
    else:
        put(made, whole.replace(b"I look", deep[:200_000]) if made.form == "text" else whole)
        read(kind, made.root)


def test_a_cancelled_reading_stops(seed: tuple[str, Seed, bytes]) -> None:
    kind, made, whole = seed
    put(made, whole)
    sources = list(runtime(kind).sources(made.root, never()))
    token = CancelToken()
    token.cancel()
    for source in sources:
        with pytest.raises(Cancelled):
            list(runtime(kind).read(source, token))


def test_a_conversation_that_is_gone_says_so(seed: tuple[str, Seed, bytes]) -> None:
    kind, made, whole = seed
    put(made, whole)
    sources = list(runtime(kind).sources(made.root, never()))
    made.main.unlink()
    for source in sources:
        with pytest.raises(AnamnesisError):
            list(runtime(kind).read(source, never()))
    put(made, whole)


def test_a_root_that_is_not_there_says_so(seed: tuple[str, Seed, bytes]) -> None:
    with pytest.raises(AnamnesisError):
        list(runtime(seed[0]).sources(seed[1].root / "gone", never()))


MEASURE = """
import json, sys
from pathlib import Path
from anamnesis_lsp.cancel import never
from anamnesis_lsp.errors import AnamnesisError
from anamnesis_lsp.records.conversations.registry import runtime

kind, root = sys.argv[1:]
turns = skipped = omitted = longest = 0
refused = False
reader = runtime(kind)
try:
    sources = list(reader.sources(Path(root), never()))
except AnamnesisError:
    sources, refused = [], True
for source in sources:
    reading = reader.read(source, never())
    try:
        for turn in reading:
            turns += 1
            longest = max(longest, len(turn.text))
    except AnamnesisError:
        refused = True
    skipped += reading.scan.skipped_lines or 0
    omitted += reading.scan.omitted_chars or 0
try:
    peak = next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM:")) * 1024
except (OSError, StopIteration):
    import resource
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
print(json.dumps([turns, skipped, omitted, longest, refused, peak]))
"""


def swollen(seed: Seed, whole: bytes) -> Iterator[bytes]:
    """The store's file with 100 MB in one line or value."""
    block = b"x" * MEGABYTE
    if seed.form == "lines":
        yield whole + b'{"type":"user","message":"'
        yield from (block for _ in range(100))
        yield b'"}\n' + whole.split(b"\n", 1)[0] + b"\n"
        return
    before, _, after = whole.partition(b"I look")
    yield before
    yield from (block for _ in range(100))
    yield after


def test_a_line_of_100_megabytes_is_not_held(seed: tuple[str, Seed, bytes]) -> None:
    kind, made, whole = seed
    if made.form == "database":
        swell_database(made.main)
    else:
        with made.main.open("wb") as file:
            for piece in swollen(made, whole):
                file.write(piece)
    try:
        done = subprocess.run(
            [sys.executable, "-c", MEASURE, kind, str(made.root)],
            capture_output=True,
            text=True,
            timeout=110,
            check=False,
        )
    finally:
        put(made, whole)
    assert done.returncode == 0, done.stderr[-2000:]
    turns, lost, omitted, longest, refused, peak = json.loads(done.stdout)
    assert peak < MOST_MEMORY, f"{peak >> 20} MiB"
    assert lost or omitted or refused, "what was not read is counted"
    assert longest <= 17 * MEGABYTE and (turns or refused)


def swell_database(path: Path) -> None:
    """Put 100 MB into the text that the assistant said."""
    import sqlite3

    connection = sqlite3.connect(path)
    for table, column in [(t, c) for t in tables(connection) for c in columns(connection, t)]:
        for rowid, value in connection.execute(f"SELECT rowid, {column} FROM {table}").fetchall():
            text = value.decode() if isinstance(value, bytes) else value
            if isinstance(text, str) and "I look" in text:
                connection.execute(
                    f"UPDATE {table} SET {column} = ? WHERE rowid = ?",
                    (text.replace("I look", "x" * (100 * MEGABYTE)), rowid),
                )
    connection.commit()
    connection.close()


def tables(connection: Any) -> list[str]:
    return [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]


def columns(connection: Any, table: str) -> list[str]:
    return [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
