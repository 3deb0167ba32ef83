#!/usr/bin/env python3
"""Measures line histories: against the oracle of history-bench, and against blame on random ranges.

    bench_history.py oracle METHODS.jsonl --mirrors DIR [--score score.py] [--follow name|indented|lines] [--out
    RESULTS.jsonl] bench_history.py blame GITDIR... [--ranges 1000] [--seed 1]

DIR holds the repositories as ``OWNER+NAME/repo`` (bare) or ``OWNER/NAME`` (work tree or bare). ``oracle`` prints what
score.py prints, every commit that differs, and the times; ``blame`` prints how often the first step is the newest
commit of plain blame. Nothing is written into the repositories.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from anamnesis_lsp.cancel import never
from anamnesis_lsp.records.git.history import Family, history
from anamnesis_lsp.records.git.model import Step
from anamnesis_lsp.records.git.repository import Repository

FOLLOW = {"name": None, "indented": Family.INDENTED, "lines": Family.LINES}


def place(mirrors: Path, name: str) -> Path:
    owner, _, short = name.partition("/")
    places = [mirrors / f"{owner}+{short}" / "repo", mirrors / owner / short]
    return next((p for p in places if p.exists()), places[0])


def oracle(options: argparse.Namespace) -> None:
    methods = [json.loads(row) for row in options.methods.read_text(encoding="utf-8").splitlines()]
    for name in dict.fromkeys(m["repo"] for m in methods):
        began = time.perf_counter()
        Repository.discover(place(options.mirrors, name), never()).build_commit_graph(never())
        print(f"commit-graph {name:32s} {time.perf_counter() - began:5.2f} s")
    results: list[tuple[list[Step], float, float]] = []
    for method in methods:
        repo = Repository.discover(place(options.mirrors, method["repo"]), never())
        began = time.perf_counter()
        first = 0.0
        steps: list[Step] = []
        lines = (method["start_line"], method["end_line"])
        for step in history(repo, method["commit"], method["path"], *lines, never(), FOLLOW[options.follow]):
            first = first or time.perf_counter() - began
            steps.append(step)
        results.append((steps, time.perf_counter() - began, first))
    with options.out.open("w", encoding="utf-8") as out:
        for steps, seconds, _ in results:
            commits = [step.commit for step in steps if step.kind != "format"]
            out.write(json.dumps({"commits": commits, "seconds": seconds}) + "\n")
    for method, (steps, _, _) in zip(methods, results, strict=True):
        known, told = method["history"], {step.commit: step for step in steps}
        for commit, step in told.items():
            if commit not in known and step.kind != "format":
                what = f"{step.kind} {step.match.value} {step.confidence}"
                print(f"beyond the oracle  {method['id']:44s} {commit[:12]} {what}")
        for commit, kind in known.items():
            if commit not in told and kind not in ("Ydocchange", "Yannotationchange", "Yformatchange"):
                print(f"missed             {method['id']:44s} {commit[:12]} {kind}")
    if options.score is not None:
        subprocess.run([sys.executable, options.score, options.methods, options.out], check=True)
    times = sorted(seconds for _, seconds, _ in results)
    firsts = statistics.median(first for _, _, first in results)
    print(
        f"seconds: median {statistics.median(times):.3f}, p90 {times[int(0.9 * len(times))]:.3f}, "
        f"worst {times[-1]:.3f}; first step, median {firsts:.3f}"
    )


def blame(options: argparse.Namespace) -> None:
    rng = random.Random(options.seed)
    counts: Counter[str] = Counter()
    for number, directory in enumerate(options.repositories):
        repo = Repository.discover(directory, never())
        repo.build_commit_graph(never())
        head = repo.head(never())
        paths = [entry.path for entry in repo.tree(head, never()) if entry.mode.startswith("100")]
        wanted = options.ranges // len(options.repositories) + (number < options.ranges % len(options.repositories))
        while wanted:
            path = rng.choice(paths)
            data = repo.file(head, path, never())
            count = data.count(b"\n")
            if b"\0" in data or count == 0 or len(data) > 1_000_000:
                continue
            start = rng.randint(1, count)
            end = min(count, start + rng.choice([0, 0, 1, 3, 8, 20, 60]))
            wanted -= 1
            counts[compared(repo, head, path, start, end)] += 1
    total = sum(counts.values())
    for name, count in counts.most_common():
        print(f"{count:5d}  {100 * count / total:5.1f} %  {name}")


def compared(repo: Repository, head: str, path: str, start: int, end: int) -> str:
    """How the history of a range and plain blame of it agree on the newest commit."""
    raw = repo.run("blame", "--root", "--incremental", "-L", f"{start},{end}", head, "--", path, cancel=never())
    rows = [row.split(b" ")[0] for row in raw.split(b"\n") if row.count(b" ") == 3]
    named = {row.decode() for row in rows if len(row) in (40, 64)}
    whole = repo.commits(named, never())
    newest = max(commit.commit_time for commit in whole.values())
    wanted = {commit for commit, facts in whole.items() if facts.commit_time == newest}
    steps = list(history(repo, head, path, start, end, never()))
    if steps and steps[0].commit in wanted:
        return "the first step is blame's newest commit"
    for step in steps:
        if step.commit in wanted:
            if any(row[0] == "+" for hunk in steps[0].hunks for row in hunk.lines):
                return "the first step wrote lines that are gone again, or on a side blame did not take"
            return "the first step only took lines out (blame cannot see it), then blame's newest"
        if step.commit in named:
            print(f"another first: {path}:{start}-{end} {step.commit} before {sorted(wanted)}")
            return "ANOTHER COMMIT OF BLAME COMES FIRST"
    print(f"not a step: {path}:{start}-{end} {sorted(wanted)}")
    return "BLAME'S NEWEST COMMIT IS NOT A STEP"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    first = commands.add_parser("oracle")
    first.add_argument("methods", type=Path)
    first.add_argument("--mirrors", type=Path, required=True)
    first.add_argument("--score", type=Path)
    first.add_argument("--follow", choices=sorted(FOLLOW), default="name")
    first.add_argument("--out", type=Path, default=Path("history-results.jsonl"))
    first.set_defaults(run=oracle)
    second = commands.add_parser("blame")
    second.add_argument("repositories", type=Path, nargs="+")
    second.add_argument("--ranges", type=int, default=1000)
    second.add_argument("--seed", type=int, default=1)
    second.set_defaults(run=blame)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
