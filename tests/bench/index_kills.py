"""Kill what writes the index at random, many times: ``tests/bench/index_kills.py [--times 200]``.

Two servers (each refreshing again and again) and an indexer (which has other processes read ahead) share one index
while their logs grow and further ones begin; each round one of them is killed with SIGKILL. After every kill the index
must open without being made anew, at the end its content must equal a rebuild, and no reader may be left over.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from anamnesis_lsp.cancel import never
from anamnesis_lsp.index import Catalog
from anamnesis_lsp.records.conversations.stores import Store
from tests.bench.logs import code, session_bytes

INDEXER = 2
PROJECT = Path(__file__).resolve().parents[2]
CHILD = """
import sys, time
from pathlib import Path
from anamnesis_lsp.cancel import never
from anamnesis_lsp.index import Catalog, Policy, ahead
from anamnesis_lsp.records.conversations.stores import Store
ahead.PAYS_FROM = 1
catalog = Catalog.open(Path(sys.argv[1]))
while True:
    catalog.refresh([Store.at("claude-code", Path(sys.argv[2]))], never(), policy=Policy(processes=int(sys.argv[3])))
    time.sleep(0.02)
"""


def contents(catalog: Catalog, store: Store) -> dict[str, object]:
    """Per session what the catalog holds of it."""
    found: dict[str, object] = {}
    words = ["self", "return", "import", "value", "encoding", "module"]
    scores = catalog.body_scores(dict.fromkeys(words, 1.0), [store])
    for row in catalog.records([store]):
        edits = [(e.turn, e.path, e.when, e.lines) for e in catalog.edits([store]) if e.record == row.record]
        lines = sorted(catalog.line_hashes(row.record))
        found[row.key.id] = (row.turns, row.terms, row.bytes, edits, lines, round(scores.get(row.record, 0.0), 6))
    return found


READER = b"anamnesis_lsp.index.ahead import serve"


def read(path: Path) -> bytes:
    """A file's bytes; none where it is gone."""
    try:
        return path.read_bytes()
    except OSError:
        return b""


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--times", type=int, default=200)
    times = arguments.parse_args().times
    rng = random.Random(11)
    files = code(2_000_000)
    with tempfile.TemporaryDirectory() as folder:
        index, root = Path(folder) / "index.sqlite3", Path(folder) / "claude"
        project = root / "projects" / "-home-dev-app"
        project.mkdir(parents=True)
        logs = [project / f"{number:08d}-0000-4000-8000-000000000000.jsonl" for number in range(30)]
        for number, log in enumerate(logs):
            log.write_bytes(session_bytes(rng, files, number, 60_000))

        def child(number: int) -> subprocess.Popen[bytes]:
            processes = "2" if number == INDEXER else "0"
            return subprocess.Popen([sys.executable, "-c", CHILD, str(index), str(root), processes], cwd=PROJECT)

        running = [child(number) for number in range(3)]
        time.sleep(2)
        try:
            for number in range(times):
                for log in rng.sample(logs, 3):
                    with log.open("ab") as file:
                        file.write(session_bytes(rng, files, number, 8_000))
                for _ in range(rng.choice((0, 0, 3))):
                    logs.append(project / f"{len(logs):08d}-0000-4000-8000-000000000000.jsonl")
                    logs[-1].write_bytes(session_bytes(rng, files, len(logs), 20_000))
                time.sleep(rng.uniform(0.05, 0.4))
                victim = rng.randrange(3)
                running[victim].kill()
                running[victim].wait()
                opened = Catalog.open(index)
                assert opened.notes == (), opened.notes
                opened.records([Store.at("claude-code", root)])
                opened.close()
                assert all(process.poll() is None for n, process in enumerate(running) if n != victim), "one died"
                running[victim] = child(victim)
                if number % 20 == 19:
                    print(f"{number + 1} kills", flush=True)
        finally:
            for process in running:
                process.kill()
                process.wait()
        time.sleep(2)
        left = [path for path in Path("/proc").glob("[0-9]*/cmdline") if READER in read(path)]
        assert not left, f"readers are left over: {left}"
        store = Store.at("claude-code", root)
        catalog, fresh = Catalog.open(index), Catalog.open(Path(folder) / "fresh.sqlite3")
        assert not catalog.refresh([store], never()).other_writer
        fresh.refresh([store], never())
        assert contents(catalog, store) == contents(fresh, store), "the index differs from a rebuild"
        integrity = catalog._database.reader().execute("PRAGMA integrity_check").fetchone()[0]  # pyright: ignore[reportPrivateUsage]
        assert integrity == "ok", integrity
        print(f"{times} kills: the index opened each time, and equals a rebuild", flush=True)


if __name__ == "__main__":
    main()
