"""Fuzz every reader of conversations, and the capture of what it gives, for as many inputs as wanted.

    python tests/bench/fuzz_readers.py --inputs 20000 --seed 1 [--swollen]

Each input is a small sound store of one runtime (``tests/builders/seeds.py``, and logs with every kind of record),
wounded one to four times: cut off, spliced, doubled, filled with NUL, given halves of surrogate pairs, values of a
wrong type, values nested from ten to a hundred thousand deep, bytes turned over. It is read whole, and every few inputs
captured into an index. What counts as a fault: any exception but ``AnamnesisError``, text that cannot be sent, turns
that are not numbered, a count of lines skipped that is not that of the lines which are no objects, a reader's fault in
the index, and memory over 300 MB. Prints one JSON object of figures; a fault is told with the input's number, by which
``--only`` repeats it. ``--swollen`` then reads each form once more with 100 MB in one line or value, in a process of
its own whose memory is told.
"""

from __future__ import annotations

import argparse
import contextlib
import copy
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from anamnesis_lsp.cancel import never
from anamnesis_lsp.index import Catalog
from anamnesis_lsp.records.conversations.stores import Store
from tests.builders.databases import database
from tests.builders.seeds import VARIANTS, Seed
from tests.stores.test_every_reader import MEASURE, read, replaced, skipped, swell_database, swollen
from tests.stores.test_lines_of_any_shape import LOGS
from tests.stores.test_rows_of_any_shape import STORES, plain
from tests.unit.test_claude_fuzz import LINES

MOST_MEMORY = 300
JUNK: list[Any] = [
    None, True, False, 0, -1, 1e308, 2**63, -(2**70), "", "\ud800", "\0", "x" * 5000, "{", "[]", '{"a":', [], {}, [[]],
    [None], {"": None}, {"type": "text"}, [{"type": "text", "text": None}], {"text": ["a"]}, "2026-13-45T99:99:99Z",
    "\u2028", "<command-name>", "*** Begin Patch\n*** Update File:", "[main 1234567] x", -1e400, float("nan"),
]  # fmt: skip


def nested(rng: random.Random) -> Any:
    """A value nested as deep as a JSON parser can give it (some are deeper, and are written as text)."""
    value: Any = copy.deepcopy(rng.choice(JUNK))
    for _ in range(rng.choice((10, 100, 400, 900))):
        value = [value] if rng.random() < 0.5 else {"content": value}
    return value


def wounded_lines(rng: random.Random, lines: list[bytes]) -> tuple[list[bytes], bool]:
    """The lines with one wound, and whether each is still a line of its own."""
    lines = list(lines)
    at = rng.randrange(len(lines)) if lines else 0
    kind = rng.randrange(9)
    if not lines or kind == 0:
        lines = [rng.choice(lines) for _ in range(rng.randrange(2 * len(lines) + 1))]
    elif kind == 1:
        lines[at] = lines[at][rng.randrange(len(lines[at]) + 1) :]
    elif kind == 2:
        other = rng.choice(lines)
        lines[at] = lines[at][: rng.randrange(len(lines[at]) + 1)] + other[rng.randrange(len(other) + 1) :]
    elif kind == 3:
        lines[at : at + 1] = [lines[at]] * rng.randrange(2, 5)
    elif kind == 4:
        place = rng.randrange(len(lines[at]) + 1)
        wound = rng.choice((b"\0" * 9, b"\xff\xfe", b"\\ud800", b'"', b"{", b"\xe2\x80\xa8", b"\\"))
        lines[at] = lines[at][:place] + wound + lines[at][place:]
    elif kind == 5:
        depth = rng.choice((500, 990, 1020, 1030, 5000, 100_000))
        begins, ends = rng.choice(((b"[", b"]"), (b'{"a":', b"}")))
        lines.insert(at, b'{"type":"user","message":' + begins * depth + b"1" + ends * depth + b"}")
        return lines, False  # how deep is too deep is the parser's business
    elif kind == 6 and lines[at]:
        place = rng.randrange(len(lines[at]))
        turned = lines[at][place] ^ (1 << rng.randrange(8))
        lines[at] = lines[at][:place] + bytes([turned]) + lines[at][place + 1 :]
    elif _given(lines[at]):
        deep = rng.random() < 0.2
        path = [rng.randrange(40) for _ in range(rng.randrange(1, 9))]
        with contextlib.suppress(RecursionError):
            bent = replaced(
                json.loads(lines[at].decode("utf-8", "replace").strip("\0")),
                path,
                nested(rng) if deep else copy.deepcopy(rng.choice(JUNK)),
            )
            lines[at] = json.dumps(bent).encode()
        if deep:
            return lines, False
    return lines, all(b"\n" not in line for line in lines)


def wounded(rng: random.Random, form: str, whole: bytes) -> tuple[bytes, int | None]:
    """A file's bytes with some wounds, and how many of its lines are no objects, where that can be told."""
    lines = [line for line in whole.split(b"\n") if line] if form != "document" else [whole]
    apart = form == "lines"
    for _ in range(rng.randrange(1, 5)):
        lines, still = wounded_lines(rng, lines)
        apart = apart and still
    data = b"\n".join(lines) + b"\n"
    if rng.random() < 0.3:
        return data[: rng.randrange(len(data) + 1)], None
    if rng.random() < 0.1:
        return b"\0" * rng.randrange(1, 9000) + data + b"\0" * rng.randrange(1, 9000), None
    return data, sum(bool(line.strip(b"\0 \t\r\n")) and not _given(line) for line in lines) if apart else None


def _given(line: bytes) -> bool:
    """Whether the line is an object, bytes that are no UTF-8 replaced."""
    try:
        return isinstance(json.loads(line.decode("utf-8", "replace").strip("\0 \t\r\n")), dict)
    except (ValueError, RecursionError):
        return False


class Target:
    """One form of store, and how to put a wounded one into its place."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        folder.mkdir(parents=True)
        self.rows: Callable[[], list[Any]] | None = None
        if name in VARIANTS:
            self.kind, make = VARIANTS[name]
            made = make(folder)
        elif name.startswith("log "):
            self.kind, file, lines = LOGS[name[4:]]
            made = Seed(folder / file, folder / file, "lines")
            made.main.write_bytes(b"".join(line + b"\n" for line in lines()))
        elif name.startswith("rows "):
            self.kind, file, self.schema, self.rows = STORES[name[5:]]
            made = Seed(folder, folder / file, "rows")
            made.main.parent.mkdir(parents=True, exist_ok=True)
        else:
            self.kind = "claude-code"
            made = Seed(folder, folder / "5e551011-0000-4000-8000-000000000001.jsonl", "lines")
            made.main.write_bytes(b"".join(line + b"\n" for line in LINES))
        self.seed = made
        self.whole = made.main.read_bytes() if made.main.exists() else b""

    def wound(self, rng: random.Random) -> int | None:
        """Put a wounded store there; how many lines of it are no objects, where that can be told."""
        if self.rows is not None:
            self.wound_rows(rng)
            return None
        data, lost = wounded(rng, self.seed.form, self.whole)
        self.seed.main.write_bytes(data)
        return lost if self.seed.form == "lines" else None

    def wound_rows(self, rng: random.Random) -> None:
        import sqlite3

        assert self.rows is not None
        rows: list[Any] = copy.deepcopy(self.rows())
        for _ in range(rng.randrange(1, 5)):
            number = rng.randrange(len(rows))
            table, values = rows[number]
            value = nested(rng) if rng.random() < 0.2 else copy.deepcopy(rng.choice(JUNK))
            bent = replaced(values, [rng.randrange(40) for _ in range(rng.randrange(1, 9))], value)
            if isinstance(bent, list):
                rows[number] = (table, bent)
        self.seed.main.unlink(missing_ok=True)
        try:
            database(self.seed.main, self.schema, [(table, [plain(value) for value in row]) for table, row in rows])
        except (sqlite3.Error, OverflowError, RecursionError):
            pass  # what the table itself refuses
        if rng.random() < 0.2 and self.seed.main.exists():
            data = bytearray(self.seed.main.read_bytes())
            for _ in range(rng.randrange(1, 20)):
                data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
            self.seed.main.write_bytes(data[: rng.randrange(len(data) + 1)] if rng.random() < 0.3 else data)


def one_input(target: Target, lost: int | None) -> Counter[str]:
    """Read a store whole; what came out of it."""
    turns, scans, refused = read(target.kind, target.seed.root)
    if lost is not None and scans:
        assert skipped(scans) == lost, f"{skipped(scans)} lines skipped of {lost} that are no objects"
    return Counter(turns=len(turns), lost=skipped(scans), refused=int(refused))


def captured(target: Target, catalog: Catalog) -> None:
    """Capture the store; no fault of a reader may be among the failures."""
    store = Store.at(target.kind, target.seed.root)
    done = catalog.refresh([store], never())
    faults = [failure.message for failure in done.failures if "reader failed" in failure.message]
    assert not faults, faults


def memory_of_swollen(target: Target) -> int:
    """Megabytes that a process takes to read the store with 100 MB in one line or value; what was lost is counted."""
    target.seed.main.write_bytes(target.whole)
    if target.seed.form == "database":
        swell_database(target.seed.main)
    else:
        with target.seed.main.open("wb") as file:
            file.writelines(swollen(target.seed, target.whole))
    command = [sys.executable, "-c", MEASURE, target.kind, str(target.seed.root)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=Path(__file__).resolve().parents[2])
    turns, lost, omitted, _, refused, peak = json.loads(done.stdout)
    assert (lost or omitted or refused) and (turns or refused), target.name
    return peak >> 20


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--inputs", type=int, default=20_000)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--only", type=int, help="repeat one input")
    arguments.add_argument("--kind", help="only this runtime")
    arguments.add_argument("--swollen", action="store_true")
    given = arguments.parse_args()
    names = [*VARIANTS, "claude whole", *(f"log {name}" for name in LOGS), *(f"rows {name}" for name in STORES)]
    found: Counter[str] = Counter()
    faults: list[str] = []
    slowest = (0.0, "")
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        targets = [Target(name, Path(folder) / str(number)) for number, name in enumerate(names)]
        targets = [target for target in targets if given.kind in (None, target.kind)]
        catalog = Catalog.open(Path(folder) / "index.sqlite3")
        for number in range(given.inputs) if given.only is None else (given.only,):
            rng = random.Random(given.seed * 1_000_003 + number)
            target = targets[number % len(targets)]
            since = time.monotonic()
            try:
                lost = target.wound(rng)
                found += one_input(target, lost)
                if number // len(targets) % 4 == 0 or given.only is not None:
                    captured(target, catalog)
            except Exception:
                faults.append(f"{number} {target.name}: {traceback.format_exc(limit=-4)}")
                if len(faults) <= 10:
                    print(faults[-1], file=sys.stderr, flush=True)
            slowest = max(slowest, (time.monotonic() - since, f"{number} {target.name}"))
            found["inputs"] += 1
        catalog.close()
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> (10 if sys.platform != "darwin" else 20)
        seconds = round(time.monotonic() - begun, 1)
        swelling = [target for target in targets if given.swollen and target.name in VARIANTS]
        heaviest = max(((memory_of_swollen(target), target.name) for target in swelling), default=(0, ""))
    figures = {
        **found, "forms": len(targets), "faults": len(faults), "seconds": seconds, "memory MB": memory,
        "memory MB of 100 MB in a line": heaviest, "slowest s": [round(slowest[0], 2), slowest[1]],
    }  # fmt: skip
    print(json.dumps(figures))
    sys.exit(1 if faults or max(memory, heaviest[0]) > MOST_MEMORY else 0)


if __name__ == "__main__":
    main()
