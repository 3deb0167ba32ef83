"""Speed and size of the index: ``tests/bench/index_speed.py [--mb 1000] [--sessions 2000] [--store KIND:PATH]…``.

Without ``--store`` it measures generated logs (``logs.py``). The bounds are those of the project's issue on the stores.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from anamnesis_lsp.cancel import never
from anamnesis_lsp.index import Catalog, prepare
from anamnesis_lsp.records.conversations.stores import Store
from tests.bench.logs import write_store

clock = time.perf_counter
"""With ``--cpu`` this process's own time: what is told of a machine that others use too."""


def timed(run: Callable[[], Any], repeat: int = 15) -> list[float]:
    """Milliseconds of each run, sorted."""
    found: list[float] = []
    for _ in range(repeat):
        begun = clock()
        run()
        found.append((clock() - begun) * 1000)
    return sorted(found)


def row(name: str, value: str, bound: str = "") -> None:
    print(f"{name:46} {value:>26}  {bound}", flush=True)


def spread(times: list[float]) -> str:
    return f"p50 {statistics.median(times):.2f} p95 {times[int(len(times) * 0.95)]:.2f} ms"


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--mb", type=int, default=1000)
    arguments.add_argument("--sessions", type=int, default=2000)
    arguments.add_argument("--store", action="append", default=[])
    arguments.add_argument("--cpu", action="store_true", help="measure processor time, not the clock on the wall")
    given = arguments.parse_args()
    if given.cpu:
        globals()["clock"] = time.process_time
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        if given.store:
            stores = [Store.at(*spec.split(":", 1)[:1], Path(spec.split(":", 1)[1])) for spec in given.store]
        else:
            write_store(work / "claude", given.mb * 1_000_000, given.sessions)
            stores = [Store.at("claude-code", work / "claude")]
        measure(work / "index" / "index.sqlite3", stores, generated=not given.store)


def ripgrep(term: str, roots: list[str]) -> float:
    """Milliseconds that ``rg`` takes to name the files that hold ``term``; with ``--cpu`` its processor time."""
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(["rg", "-F", "-l", term, *roots], capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return (used if clock is time.process_time else time.perf_counter() - begun) * 1000


def timed_masking() -> list[float]:
    """The seconds that each masking of a text takes from now on, filled while the index is built."""
    taken: list[float] = []
    mask = prepare.mask_tokens

    def timed_mask(text: str) -> str:
        begun = time.perf_counter()
        masked = mask(text)
        taken.append(time.perf_counter() - begun)
        return masked

    prepare.mask_tokens = timed_mask
    return taken


def measure(index: Path, stores: list[Store], generated: bool) -> None:
    index.parent.mkdir()
    catalog = Catalog.open(index)
    masking = timed_masking()
    cpu = time.process_time()
    done = catalog.refresh(stores, never())
    cpu = time.process_time() - cpu
    status = catalog.status()
    mb = sum(store.bytes for store in status.stores) / 1e6
    row("sources", f"{done.captured} of {mb:.0f} MB")
    row("first build", f"{done.bytes / 1e6 / cpu:.1f} MB/s of CPU, {done.seconds:.1f} s", ">= 30 MB/s")
    row("masking before it is indexed", f"{sum(masking):.2f} s, {sum(masking) / cpu:.1%} of it")
    row("peak RSS", f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB", "<= 300 MB")
    row("index", f"{status.bytes / 1e6:.1f} MB, {status.bytes / 1e6 / mb:.3f} of the logs", "<= 0.3")
    row("passages, lines", f"{status.passages}, {status.lines}")
    row("no-op refresh", spread(timed(lambda: catalog.refresh(stores, never()), 5)), "<= 1000 ms")

    reader = catalog._database.reader()  # pyright: ignore[reportPrivateUsage]
    rng = random.Random(3)
    held = reader.execute(
        "SELECT t.term, count(*) FROM postings p JOIN terms t ON t.id = p.term GROUP BY p.term"
    ).fetchall()
    rare = [term for term, count in held if count <= 2 and term.isascii() and len(term) > 8]
    medium = [term for term, count in held if 10 < count < 100]
    common = [term for term, _ in sorted(held, key=lambda pair: -pair[1])[:30]]
    lines = [line for (line,) in reader.execute("SELECT DISTINCT hash FROM lines")]

    row("passages, a rare term", spread(times := timed(lambda: catalog.passages({rng.choice(rare): 1.0}, stores), 60)))
    if shutil.which("rg"):
        roots = [str(store.root) for store in stores]
        searched = [ripgrep(rng.choice(rare), roots) for _ in range(10)]
        ratio = times[int(len(times) * 0.95)] / statistics.median(searched)
        row("the same by rg -F -l", f"{statistics.median(searched):.0f} ms, ratio {ratio:.4f}", "<= 0.02")
    mixed = dict.fromkeys([*rng.sample(common, 8), *rng.sample(medium, 12), *rng.sample(rare, 10)], 1.0)
    row("passages, 30 mixed terms", spread(timed(lambda: catalog.passages(mixed, stores))))
    row("passages, the 30 commonest terms", spread(timed(lambda: catalog.passages(dict.fromkeys(common, 1.0), stores))))
    row("body scores, 30 mixed terms", spread(timed(lambda: catalog.body_scores(mixed, stores))), "<= 60 ms")
    row("body scores, the 30 commonest", spread(timed(lambda: catalog.body_scores(dict.fromkeys(common, 1.0), stores))))
    row("writers of 20 lines", spread(timed(lambda: catalog.writers(rng.sample(lines, 20), stores), 300)), "<= 5 ms")
    row("shares of 500 lines", spread(timed(lambda: catalog.shares(rng.sample(lines, 500), stores))))
    row("records", spread(timed(lambda: catalog.records(stores))))
    row("edits, all", spread(timed(lambda: catalog.edits(stores), 5)))
    if generated:
        appended(catalog, stores)


def appended(catalog: Catalog, stores: list[Store]) -> None:
    """How long until a turn that was just written is found, in the largest log."""
    log = max(stores[0].root.rglob("*.jsonl"), key=lambda path: path.stat().st_size)
    record = json.loads(log.open(encoding="utf-8").readline())
    for number in range(3):
        record["uuid"] = f"appended-{number}"
        record["message"]["content"] = f"the appendedwalrus{number} speaks"
        with log.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")
        begun = clock()
        catalog.refresh(stores, never())
        assert catalog.passages({f"appendedwalrus{number}": 1.0}, stores)
        took = (clock() - begun) * 1000
        row(f"an appended turn is found ({log.stat().st_size / 1e6:.1f} MB log)", f"{took:.0f} ms", "<= 2000 ms")


if __name__ == "__main__":
    main()
