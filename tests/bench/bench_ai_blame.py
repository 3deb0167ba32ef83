"""From a line to the conversation that wrote it: ai-blame and us over the same sessions and questions.

``tests/bench/bench_ai_blame.py --repo CLONE --store CLAUDE_CONFIG --questions FILE.jsonl --ai-blame BIN --work FOLDER``

ai-blame matches absolute paths, so the sessions are written once into ``FOLDER`` as if all had run in ``CLONE``: each
one's own checkout replaced (the path of ``CLONE`` should be of letters and ``/`` alone). It tells the minute of an edit
and no session: the session is the one that edited the file in that minute (or the one before: an edit is stamped when
its result arrives), those that did so for most lines first. Answered: it names any session; we answer where we tell a
conversation as the origin. First right: the first one named has the gold id.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import time
from collections import Counter, defaultdict
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from bench_rivals import ROOT, UUID, copied

Asked = list[dict[str, Any]]
_MINUTE = re.compile(r"(\d{4}-\d\d-\d\d \d\d:\d\d)\s+\d+ \|")


def localised(store: Path, work: Path, repository: Path) -> Path:
    """The sessions in one project, each with its own checkout's root replaced by the repository's."""
    home = work / "home"
    project = home / ".claude" / "projects" / re.sub(r"[^A-Za-z0-9]", "-", str(repository))
    if project.is_dir():
        return home
    project.mkdir(parents=True)
    for path in sorted(copied(store, work).rglob("*.jsonl")):
        text = path.read_text(encoding="utf-8", errors="replace")
        directories = Counter(re.findall(r'"cwd":"([^"]+)"', text))
        if directories:
            root = min(directories, key=len)
            text = re.sub(re.escape(root) + r"(?=[\"/\\\s`:,)'])", str(repository), text)
        (project / path.name).write_text(text, encoding="utf-8")
    return home


def edits_by_minute(home: Path, repository: Path) -> dict[tuple[str, str], set[str]]:
    """Who edited which file in which minute."""
    found: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for path in home.rglob("*.jsonl"):
        for line in path.open(encoding="utf-8", errors="replace"):
            if '"tool_use"' not in line:
                continue
            record = json.loads(line)
            content = (record.get("message") or {}).get("content")
            for block in content if isinstance(content, list) else []:
                if block.get("type") == "tool_use" and block.get("name") in ("Edit", "Write", "MultiEdit"):
                    file = str((block.get("input") or {}).get("file_path", "")).removeprefix(f"{repository}/")
                    found[file, str(record.get("timestamp", ""))[:16].replace("T", " ")].add(path.stem)
    return found


def ai_blame(tool: Path, home: Path, repository: Path, asked: Asked) -> tuple[list[list[str]], list[float]]:
    """The sessions it leads to, by question, and how long each took."""
    minutes = edits_by_minute(home, repository)
    traces = next(path for path in (home / ".claude" / "projects").iterdir())
    named: list[list[str]] = []
    times: list[float] = []
    for question in asked:
        lines = f"{question['start_line']}-{question['end_line']}"
        command = [str(tool), "blame", "--trace-dir", str(traces), "--no-header", "--columns", "TLC", "--lines", lines]
        begun = time.perf_counter()
        done = subprocess.run([*command, question["path"]], cwd=repository, capture_output=True, text=True, check=False,
                              env={**os.environ, "HOME": str(home)})  # fmt: skip
        times.append(time.perf_counter() - begun)
        counted: Counter[str] = Counter()
        for line in done.stdout.splitlines():
            if match := _MINUTE.match(line):
                at = datetime.strptime(match[1], "%Y-%m-%d %H:%M")
                before = (at - timedelta(minutes=1)).strftime("%Y-%m-%d %H:%M")
                path = question["path"]
                counted.update(minutes.get((path, match[1])) or minutes.get((path, before)) or ())
        named.append([session for session, _ in counted.most_common()])
    return named, times


def ours(home: Path, repository: Path, work: Path, asked: Asked) -> tuple[list[list[str]], list[float]]:
    """The conversations told as the origin, by question, and how long each took."""
    environment = {
        **os.environ, "PYTHONPATH": str(ROOT), "ANAMNESIS_CACHE_DIR": str(work / "cache"),
        "ANAMNESIS_STATE_DIR": str(work / "state"),
    }  # fmt: skip
    command = [sys.executable, "-m", "anamnesis_lsp"]
    store = ["--store", f"claude-code:{home / '.claude'}"]
    subprocess.run([*command, "index", "--refresh", *store], cwd=repository, env=environment, check=True,
                   capture_output=True)  # fmt: skip
    batch = work / "lines.jsonl"
    fields = ("path", "start_line", "end_line")
    batch.write_text("".join(json.dumps({name: q[name] for name in fields}) + "\n" for q in asked))
    named: list[list[str]] = []
    times: list[float] = []
    run = [*command, "recollect", "--batch", str(batch), *store]
    with subprocess.Popen(run, cwd=repository, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        begun = time.perf_counter()
        for line in process.stdout:
            times.append(time.perf_counter() - begun)
            leading = (json.loads(line).get("recognizables") or [{"members": []}])[0]
            named.append([m["id"] for m in leading["members"] if m["kind"] == "conversation"])
            begun = time.perf_counter()
    return named, times


def main() -> None:
    """Ask both and print a line for each."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("repo", "store", "questions", "ai-blame", "work"):
        arguments.add_argument(f"--{name}", type=Path, required=True)
    given = arguments.parse_args()
    repository = given.repo.resolve()
    asked = [json.loads(line) for line in given.questions.read_text(encoding="utf-8").splitlines()]
    gold = [set(UUID.findall(json.dumps(question["gold_sessions"]))) for question in asked]
    given.work.mkdir(parents=True, exist_ok=True)
    home = localised(given.store, given.work, repository)
    for tool, (named, times) in (
        ("ai-blame", ai_blame(given.ai_blame, home, repository, asked)),
        ("ours", ours(home, repository, given.work, asked)),
    ):
        answered = sum(bool(names) for names in named)
        right = sum(bool(names) and names[0] in ids for names, ids in zip(named, gold, strict=True))
        among = sum(bool(ids & set(names)) for names, ids in zip(named, gold, strict=True))
        print(f"{tool:10} of {len(asked)}: answered {answered}, first right {right}, named among {among}; "
              f"median {statistics.median(times):.2f} s")  # fmt: skip


if __name__ == "__main__":
    main()
