"""Hovers under load: a large store is indexed and a file is edited while ten thousand hovers are asked.

    python tests/bench/load.py [--hovers 10000] [--megabytes 300] [--files 5000] [--folder DIR]

Prints one JSON object: p50, p95 and p99 of a hover idle and under load (ms), what was answered, the memory, children,
threads and open files of the server over time, and how long the index took.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.builders.claude import Transcript, session  # noqa: E402
from tests.builders.repos import GRACE  # noqa: E402
from tests.server.rpc import Rpc, real_command  # noqa: E402
from tests.server.scene import a_scene  # noqa: E402


def fill(config: Path, root: str, megabytes: int) -> int:
    """Transcripts of about a megabyte each; returns how many."""
    rng = random.Random(1)
    words = [f"word{n}" for n in range(4000)]
    for number in range(megabytes):
        talk = Transcript(session(100 + number), cwd=root)
        size = 0
        while size < 1_000_000:
            said = " ".join(rng.choice(words) for _ in range(120))
            talk.person(said).assistant(said[::-1])
            size += 2 * len(said) + 700
        talk.write_to(config, "load")
    return megabytes


def facts(process: int) -> dict[str, int]:
    """Memory in MiB, children, threads, open files."""
    folder = Path(f"/proc/{process}")
    status = dict(line.split(":", 1) for line in (folder / "status").read_text().splitlines())
    children = sum(len((task / "children").read_text().split()) for task in (folder / "task").iterdir())
    return {
        "rss": int(status["VmRSS"].split()[0]) >> 10,
        "children": children,
        "threads": int(status["Threads"]),
        "files": len(list((folder / "fd").iterdir())),
    }


def spread(milliseconds: list[float]) -> dict[str, float]:
    cuts = statistics.quantiles(milliseconds, n=100)
    return {
        "p50": round(cuts[49], 1),
        "p95": round(cuts[94], 1),
        "p99": round(cuts[98], 1),
        "max": round(max(milliseconds), 1),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--hovers", type=int, default=10_000)
    parser.add_argument("--megabytes", type=int, default=300)
    parser.add_argument("--files", type=int, default=5000, help="files of the repository")
    parser.add_argument("--folder", type=Path, help="where to work (a temporary folder otherwise)")
    options = parser.parse_args()
    work = Path(tempfile.mkdtemp(prefix="load-", dir=options.folder))
    scene = a_scene(work)
    many = {f"pkg{n % 100}/m{n}.py": f"x = {n}\n" for n in range(options.files)}
    scene.repo.commit("Many files", many)
    lines = [f"value_{n} = compute({n})\n" for n in range(400)]
    for version in range(30):
        for n in range(version, 400, 30):
            lines[n] = f"value_{n} = compute({n}, {version})\n"
        scene.repo.commit(f"Change {version}", {"big.py": "".join(lines)}, author=GRACE)
    env = {**scene.env, "ANAMNESIS_CACHE_DIR": str(work / "cache"), "ANAMNESIS_STATE_DIR": str(work / "state")}
    figures: dict[str, Any] = {"files": options.files, "facts": []}
    client = Rpc(real_command(), env)
    client.initialize(
        scene.repo.path, {"textDocument": {"hover": {"contentFormat": ["markdown"]}}}, {"virtualDocuments": True}
    )
    file = scene.repo.path / "big.py"
    uri = client.open(file)
    rng = random.Random(2)
    answered = {"told": 0, "nothing": 0, "refused": 0}

    def hover() -> float:
        at = {"textDocument": {"uri": uri}, "position": {"line": rng.randrange(400), "character": 1}}
        began = time.monotonic()
        answer = client.request("textDocument/hover", at, 60)
        told = "refused" if "error" in answer else "told" if answer["result"] else "nothing"
        answered[told] += 1
        client.kept.clear()
        return (time.monotonic() - began) * 1000

    time.sleep(3)
    for _ in range(400):
        hover()  # each line once: what comes is kept
    idle = [hover() for _ in range(1000)]
    figures["idle"] = {**spread(idle), **answered, **facts(client.process.pid)}
    figures["transcripts"] = fill(scene.config, str(scene.repo.path), options.megabytes)
    began = time.monotonic()
    indexing = client.start("anamnesis/reindex", {})
    done: list[float] = []
    for key in answered:
        answered[key] = 0
    loaded: list[float] = []
    version = 1
    text = file.read_text()
    while len(loaded) < options.hovers:
        at = {"textDocument": {"uri": uri}, "position": {"line": rng.randrange(400), "character": 1}}
        sent = time.monotonic()
        identity = client.start("textDocument/hover", at)
        answer = client.answer(identity, 60)
        loaded.append((time.monotonic() - sent) * 1000)
        answered["refused" if "error" in answer else "told" if answer["result"] else "nothing"] += 1
        if not done and any(message.get("id") == indexing for message in client.kept):
            done.append(time.monotonic() - began)
        client.kept[:] = [message for message in client.kept if message.get("id") == indexing]
        if len(loaded) % 20 == 0:
            version += 1
            changed = text if version % 2 else f"# edited\n{text}"
            document = {"uri": uri, "version": version}
            client.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": changed}]})
        if len(loaded) % (options.hovers // 20 or 1) == 0:
            figures["facts"].append({"hovers": len(loaded), **facts(client.process.pid), "indexed": bool(done)})
    figures["loaded"] = {**spread(loaded), **answered}
    if not done:
        client.answer(indexing, 1800)
        done.append(time.monotonic() - began)
    figures["index_seconds"] = round(done[0])
    figures["after"] = facts(client.process.pid)
    figures["exit"] = client.end()
    client.kill()
    figures["faults"] = client.errors.decode().count("failed:")
    print(json.dumps(figures, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
