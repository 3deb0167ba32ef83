"""The cues of recall-bench put to two tools that search transcripts, to ``rg`` and to us, over the same sessions.

``tests/bench/bench_rivals.py --repo CLONE --store CLAUDE_CONFIG --questions FILE.jsonl --rivals VENVS --work FOLDER``

``VENVS`` holds one virtual environment per tool (``claude-recall``, ``claude-session-search``); one that is missing is
left out. The sessions are copied to ``FOLDER`` once, named as Claude Code names them, so that every tool sees the same.
A cue counts as found where a right session is among the first ten that a tool names.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import time
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
PORT = 18082
Asked = tuple[str, frozenset[str]]


def row(tool: str, *cells: str) -> None:
    print(f"{tool:24} " + " ".join(f"{cell:>14}" for cell in cells), flush=True)


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
    """An environment whose home holds the sessions, hard-linked."""
    place = work / "home" / tool
    if not (place / ".claude").exists():
        place.mkdir(parents=True, exist_ok=True)
        shutil.copytree(config, place / ".claude", copy_function=os.link)
    return {**os.environ, "HOME": str(place), "XDG_CACHE_HOME": str(place / ".cache")}


def size_of(folder: Path) -> float:
    """Megabytes of what a tool wrote into its home beside the sessions."""
    files = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return sum(path.stat().st_size for path in files if path.suffix != ".jsonl") / 1e6


def used(run: Callable[[], Any]) -> tuple[float, float]:
    """Seconds on the wall, and of processor time of the children."""
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    run()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.perf_counter() - begun, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def report(tool: str, index: tuple[float, float], megabytes: float, asked: Iterable[Asked],
           ask: Callable[[str], str]) -> None:  # fmt: skip
    times: list[float] = []
    first = ten = count = 0
    for cue, gold in asked:
        begun = time.perf_counter()
        named = first_ten(ask(cue))
        times.append(time.perf_counter() - begun)
        count += 1
        first += bool(named) and named[0] in gold
        ten += any(name in gold for name in named)
    told = f"{index[0]:.1f} ({index[1]:.1f})" if index[0] else "-"
    row(tool, told, f"{megabytes:.1f}", f"{statistics.median(times) * 1000:.0f} ms", f"{first} / {ten} of {count}")


def claude_recall(venv: Path, environment: dict[str, str], asked: list[Asked]) -> None:
    tool = str(venv / "bin/claude-recall")
    archive = f"{environment['HOME']}/.claude/projects"
    indexing = [tool, "index", "--archive-root", archive, "--no-embed"]
    took = used(lambda: subprocess.run(indexing, env=environment, capture_output=True, check=True))
    search = [tool, "search", "--extract-keywords", "--format", "json", "--days", "3650", "--limit", "50"]

    def ask(cue: str) -> str:
        return subprocess.run([*search, cue], env=environment, capture_output=True, text=True, check=False).stdout

    report("claude-recall", took, size_of(Path(environment["HOME"])), asked, ask)


def claude_session_search(venv: Path, environment: dict[str, str], asked: list[Asked]) -> None:
    tool = str(venv / "bin/cc-search")
    took = used(lambda: _until_served(subprocess.Popen([tool, "--reindex", "--no-open", "--port", str(PORT)],
                env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)))  # fmt: skip
    server = subprocess.Popen(
        [tool, "--no-open", "--port", str(PORT)], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        _wait_for_server()

        def ask(cue: str) -> str:
            where = f"http://127.0.0.1:{PORT}/api/search?limit=200&q={urllib.parse.quote(cue)}"
            with urllib.request.urlopen(where, timeout=30) as answer:
                return answer.read().decode("utf-8", "replace")

        report("claude-session-search", took, size_of(Path(environment["HOME"])), asked, ask)
    finally:
        server.kill()
        server.wait()


def _until_served(process: subprocess.Popen[bytes]) -> None:
    """Wait until ``--reindex`` has ended, or the server it goes on as answers; then end it."""
    for _ in range(600):
        if process.poll() is not None:
            return
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{PORT}/", timeout=1).close()
            break
        except OSError:
            time.sleep(0.1)
    process.kill()
    process.wait()


def _wait_for_server() -> None:
    for _ in range(300):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{PORT}/", timeout=1).close()
            return
        except OSError:
            time.sleep(0.1)


def ripgrep(config: Path, asked: list[Asked]) -> None:
    def ask(cue: str) -> str:
        return subprocess.run(
            ["rg", "-l", "-i", "-F", cue, str(config)], capture_output=True, text=True, check=False
        ).stdout

    report("rg -l -i -F", (0.0, 0.0), 0.0, asked, ask)


def ours(config: Path, repository: Path, work: Path, asked: list[Asked]) -> None:
    """``recollect --batch`` with the cue alone, and the catalog's passages without any of the readings."""
    from anamnesis_lsp.cancel import never
    from anamnesis_lsp.index import Catalog
    from anamnesis_lsp.index.terms import tokens
    from anamnesis_lsp.records.conversations.stores import Store

    places = work / "ours"
    shutil.rmtree(places, ignore_errors=True)
    environment = {
        **os.environ, "PYTHONPATH": str(ROOT), "ANAMNESIS_CACHE_DIR": str(places / "cache"),
        "ANAMNESIS_STATE_DIR": str(places / "state"),
    }  # fmt: skip
    command = [sys.executable, "-m", "anamnesis_lsp"]
    store = ["--store", f"claude-code:{config}"]
    refresh = [*command, "index", "--refresh", *store]
    took = used(lambda: subprocess.run(refresh, cwd=repository, env=environment, capture_output=True, check=True))
    index = next((places / "cache" / "index").glob("catalog-*.sqlite3"))
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

    report("ours: recollect --cue", took, index.stat().st_size / 1e6, asked, ask)
    run.wait()
    catalog, whole = Catalog.open(index), Store.at("claude-code", config)
    rows = {record.record: record.key.id for record in catalog.records([whole])}

    def passages(cue: str) -> str:
        hits = catalog.passages(dict.fromkeys(tokens(cue), 1.0), [whole], 200)
        return " ".join(rows[hit.record] for hit in hits)

    report("ours: passages alone", took, index.stat().st_size / 1e6, asked, passages)
    catalog.refresh([whole], never())
    catalog.close()


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
    row("tool", "index s (cpu)", "index MB", "query", "first / ten")
    for name, run in (("claude-recall", claude_recall), ("claude-session-search", claude_session_search)):
        if (given.rivals / name).is_dir():
            run(given.rivals / name, home(given.work, name, config), asked)
    if shutil.which("rg"):
        ripgrep(config, asked)
    ours(config, given.repo, given.work, asked)


if __name__ == "__main__":
    main()
