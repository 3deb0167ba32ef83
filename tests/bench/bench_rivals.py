"""The cues of recall-bench put to two tools that search transcripts, to ``rg`` and to us, over the same sessions.

``tests/bench/bench_rivals.py --repo CLONE --store CLAUDE_CONFIG --questions FILE.jsonl --rivals VENVS --work FOLDER``

``VENVS`` holds one virtual environment per tool (``claude-recall``, ``claude-session-search``); one that is missing is
left out. The sessions are copied to ``FOLDER`` once, named as Claude Code names them, so that every tool sees the same;
each tool begins without an index, in a home of its own. A cue counts as found where a right session is among the first
ten that a tool names. Memory is the peak of the process that made the index, and of the one that answered.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import time
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
PORT = 18082
Asked = tuple[str, frozenset[str]]


def row(tool: str, *cells: str) -> None:
    print(f"{tool:24} " + " ".join(f"{cell:>16}" for cell in cells), flush=True)


def first_ten(text: str) -> list[str]:
    """The first ten session ids that a tool's answer names."""
    return list(dict.fromkeys(UUID.findall(text)))[:10]


def copied(store: Path, work: Path) -> Path:
    """The sessions named ``<id>.jsonl``, the longer of two copies."""
    config = work / "store"
    if config.exists():
        return config
    largest: dict[Path, Path] = {}
    for path in sorted(store.rglob("*.jsonl")):
        names = UUID.findall(path.stem)
        name = f"{names[-1]}.jsonl" if names else path.name
        to = config / path.relative_to(store).with_name(name)
        if to not in largest or largest[to].stat().st_size < path.stat().st_size:
            largest[to] = path
    for to, path in largest.items():
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, to)
    return config


def home(work: Path, tool: str, config: Path) -> dict[str, str]:
    """An environment whose home holds the sessions, hard-linked, and nothing else."""
    place = work / "home" / tool
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    shutil.copytree(config, place / ".claude", copy_function=os.link)
    return {**os.environ, "HOME": str(place), "XDG_CACHE_HOME": str(place / ".cache")}


def size_of(folder: Path) -> float:
    """Megabytes of what a tool wrote into its home beside the sessions."""
    files = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return sum(path.stat().st_size for path in files if path.suffix != ".jsonl") / 1e6


@dataclass(slots=True)
class Made:
    """What it took to make an index: seconds on the wall and of the processor, megabytes of memory and on disk."""

    wall: float = 0.0
    processor: float = 0.0
    memory: float = 0.0
    disk: float = 0.0


def made(command: list[str], environment: dict[str, str], cwd: Path | None = None) -> Made:
    """Run what makes an index."""
    quiet = subprocess.DEVNULL
    begun = time.perf_counter()
    process = subprocess.Popen(command, env=environment, cwd=cwd, stdout=quiet, stderr=quiet)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, command
    return Made(time.perf_counter() - begun, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def peak(pid: int) -> float:
    """Megabytes of memory that a running process has had at most."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def report(tool: str, index: Made | None, asked: Iterable[Asked], ask: Callable[[str], str],
           memory: Callable[[], float] | None = None) -> None:  # fmt: skip
    times: list[float] = []
    first = ten = count = 0
    for cue, gold in asked:
        begun = time.perf_counter()
        named = first_ten(ask(cue))
        times.append(time.perf_counter() - begun)
        count += 1
        first += bool(named) and named[0] in gold
        ten += any(name in gold for name in named)
    of_index = (
        ("-", "-", "-")
        if index is None
        else (f"{index.wall:.1f} ({index.processor:.1f})", f"{index.memory:.0f}", f"{index.disk:.1f}")
    )
    row(tool, *of_index, f"{statistics.median(times) * 1000:.1f} / {max(times) * 1000:.1f}",
        f"{memory():.0f}" if memory else "-", f"{first} / {ten} of {count}")  # fmt: skip


def claude_recall(venv: Path, environment: dict[str, str], asked: list[Asked]) -> None:
    tool = str(venv / "bin/claude-recall")
    archive = f"{environment['HOME']}/.claude/projects"
    index = made([tool, "index", "--archive-root", archive, "--no-embed"], environment)
    index.disk = size_of(Path(environment["HOME"]))
    search = [tool, "search", "--extract-keywords", "--format", "json", "--days", "3650", "--limit", "50"]

    def ask(cue: str) -> str:
        return subprocess.run([*search, cue], env=environment, capture_output=True, text=True, check=False).stdout

    report("claude-recall", index, asked, ask)


def claude_session_search(venv: Path, environment: dict[str, str], asked: list[Asked]) -> None:
    tool = str(venv / "bin/cc-search")
    index = made([tool, "--reindex", "--no-open", "--port", str(PORT)], environment)
    index.disk = size_of(Path(environment["HOME"]))
    quiet = subprocess.DEVNULL
    server = subprocess.Popen([tool, "--no-open", "--port", str(PORT)], env=environment, stdout=quiet, stderr=quiet)
    try:
        _wait_for_server(server)

        def ask(cue: str) -> str:
            where = f"http://127.0.0.1:{PORT}/api/search?limit=200&q={urllib.parse.quote(cue)}"
            with urllib.request.urlopen(where, timeout=30) as answer:
                return answer.read().decode("utf-8", "replace")

        report("claude-session-search", index, asked, ask, lambda: peak(server.pid))
    finally:
        server.kill()
        server.wait()


def _wait_for_server(process: subprocess.Popen[bytes]) -> None:
    """Until it answers, or has ended."""
    for _ in range(3000):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{PORT}/", timeout=1).close()
            return
        except OSError:
            if process.poll() is not None:
                return
            time.sleep(0.02)


def ripgrep(config: Path, asked: list[Asked]) -> None:
    def ask(cue: str) -> str:
        return subprocess.run(
            ["rg", "-l", "-i", "-F", cue, str(config)], capture_output=True, text=True, check=False
        ).stdout

    report("rg -l -i -F", None, asked, ask)


RESIDENT = """
import json, sys
from pathlib import Path
from anamnesis_lsp.index import Catalog
from anamnesis_lsp.index.terms import tokens
from anamnesis_lsp.records.conversations.stores import Store
catalog, store = Catalog.open(Path(sys.argv[1])), Store.at("claude-code", Path(sys.argv[2]))
names = {record.record: record.key.id for record in catalog.records([store])}
for line in sys.stdin:
    hits = catalog.passages(dict.fromkeys(tokens(json.loads(line)), 1.0), [store], 200)
    print(" ".join(names[hit.record] for hit in hits), flush=True)
"""
"""Our passages alone, resident: no git, none of the readings, no record opened."""


def ours(config: Path, repository: Path, work: Path, asked: list[Asked]) -> None:
    """``recollect --batch`` with the cue alone, and the catalog's passages without any of the readings."""
    places = work / "ours"
    shutil.rmtree(places, ignore_errors=True)
    environment = {
        **os.environ, "PYTHONPATH": str(ROOT), "ANAMNESIS_CACHE_DIR": str(places / "cache"),
        "ANAMNESIS_STATE_DIR": str(places / "state"),
    }  # fmt: skip
    command = [sys.executable, "-m", "anamnesis_lsp"]
    store = ["--store", f"claude-code:{config}"]
    taken = made([*command, "index", "--refresh", *store], environment, repository)
    index = next((places / "cache" / "index").glob("catalog-*.sqlite3"))
    taken.disk = index.stat().st_size / 1e6
    batch = work / "cues.jsonl"
    batch.write_text("".join(json.dumps({"cue": cue}) + "\n" for cue, _ in asked))
    run = subprocess.Popen(
        [*command, "recollect", "--batch", str(batch), *store], cwd=repository, env=environment, stdout=subprocess.PIPE,
        text=True,
    )  # fmt: skip
    assert run.stdout is not None
    answers = iter(run.stdout)

    def ask(_: str) -> str:
        round_ = json.loads(next(answers))
        members = [m for one in round_.get("recognizables", []) for m in one["members"]]
        return " ".join(m["id"] for m in members if m["kind"] == "conversation")

    report("ours: recollect --cue", taken, asked, ask, lambda: peak(run.pid) if run.poll() is None else 0.0)
    run.wait()
    resident = subprocess.Popen(
        [sys.executable, "-c", RESIDENT, str(index), str(config)], env=environment, text=True, stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )  # fmt: skip
    assert resident.stdin is not None and resident.stdout is not None
    asking, answered = resident.stdin, resident.stdout

    def passages(cue: str) -> str:
        asking.write(json.dumps(cue) + "\n")
        asking.flush()
        return answered.readline()

    passages("ready")  # as the other servers are waited for before they are asked
    report("ours: passages alone", taken, asked, passages, lambda: peak(resident.pid))
    asking.close()
    resident.wait()


def main() -> None:
    arguments = argparse.ArgumentParser()
    for name in ("repo", "store", "questions", "rivals", "work"):
        arguments.add_argument(f"--{name}", type=Path, required=True)
    given = arguments.parse_args()
    asked: list[Asked] = []
    for line in given.questions.read_text(encoding="utf-8").splitlines():
        question = json.loads(line)
        if question.get("cue"):
            gold = frozenset(UUID.findall(json.dumps(question["gold_sessions"])))
            asked.append((question["cue"], gold))
    given.work.mkdir(parents=True, exist_ok=True)
    config = copied(given.store, given.work)
    row("tool", "index s (cpu)", "its RSS MB", "index MB", "query med/max ms", "query RSS MB", "first / ten")
    for name, run in (("claude-recall", claude_recall), ("claude-session-search", claude_session_search)):
        if (given.rivals / name).is_dir():
            run(given.rivals / name, home(given.work, name, config), asked)
    if shutil.which("rg"):
        ripgrep(config, asked)
    ours(config, given.repo, given.work, asked)


if __name__ == "__main__":
    main()
