#!/usr/bin/env python3
"""Measures the door to git against raw git, in one run, interleaved: the ratios that users feel.

    bench_git.py choose GITDIR... > FILES.json          12 hot and 15 ordinary files, chosen by rule
    bench_git.py run FILES.json [--only NAME,...] [--repeat 3] [--out RESULTS.json]
    bench_git.py agree GITDIR... [--ranges 1000]        the first step of a history against blame, on random ranges
    bench_git.py loop [--lines 20000]                   the event loop while a large file is blamed and mapped

Ratios are ours over raw, the minimum of the repetitions each; means are geometric, over the files whose raw time is at
least 500 ms; for the others the worst excess over raw is printed (the bound: 10 ms). ``run`` needs a cache of its own
(``ANAMNESIS_CACHE_DIR``), which it empties between the cold measurements. Nothing is written into the repositories.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import os
import random
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from anamnesis_lsp.cancel import never
from anamnesis_lsp.records.git import Repository, process
from anamnesis_lsp.records.git.blame_lines import parse_incremental
from anamnesis_lsp.records.git.buffers import TextEdit, open_buffers
from anamnesis_lsp.records.git.discovery import ask_git, find_place
from anamnesis_lsp.records.git.follow import file_history
from anamnesis_lsp.records.git.history import history
from anamnesis_lsp.server.stdio import SWITCH_SECONDS

SLOW = 0.5
HOT = {"git": 4, "vim": 2, "redis": 3, "cargo": 3}
ORDINARY = {"git": 4, "vim": 3, "redis": 4, "cargo": 4}
CODE = (".c", ".h", ".rs", ".sh", ".py", ".tcl", ".vim", ".perl", "Makefile")


def git(repo: str, *arguments: str) -> bytes:
    command = ["git", f"--git-dir={repo}", *arguments]
    return subprocess.run(command, capture_output=True, check=True).stdout


def short(repo: str) -> str:
    return Path(repo).parent.name.split("+")[-1] if Path(repo).name == "repo" else Path(repo).stem


# ---- the files


def choose(options: argparse.Namespace) -> None:
    """Hot: most commits. Ordinary: 8 to 60 commits, 100 to 3,000 lines, drawn with a fixed seed."""
    chosen: list[dict[str, Any]] = []
    for repo in options.repos:
        named = git(repo, "log", "--format=", "--name-only", "--no-renames", "-z", "HEAD").decode("utf-8", "replace")
        counts = Counter(name.strip("\n") for name in named.split("\0"))
        tracked = [
            name
            for name in git(repo, "ls-tree", "-r", "-z", "--name-only", "HEAD").decode("utf-8", "replace").split("\0")
            if name.endswith(CODE) and not name.startswith(("deps/", "t/t", "src/testdir/", "compat/"))
        ]
        hot = sorted(tracked, key=lambda name: -counts[name])[: HOT.get(short(repo), 3)]
        candidates = [name for name in sorted(tracked) if 8 <= counts[name] <= 60]
        random.Random(1).shuffle(candidates)
        ordinary: list[str] = []
        for name in candidates:
            if 100 <= git(repo, "cat-file", "-p", f"HEAD:{name}").count(b"\n") <= 3000:
                ordinary.append(name)
            if len(ordinary) == ORDINARY.get(short(repo), 4):
                break
        for kind, names in (("hot", hot), ("ordinary", ordinary)):
            for name in names:
                lines = git(repo, "cat-file", "-p", f"HEAD:{name}").count(b"\n")
                line = random.Random(name).randint(lines // 5, 4 * lines // 5)
                entry = {"repo": repo, "path": name, "kind": kind, "commits": counts[name], "lines": lines}
                chosen.append({**entry, "line": line})
    json.dump(chosen, sys.stdout, indent=1)


# ---- measuring


def fresh(repo: str, graph: bool) -> Repository:
    """The repository as a new process opens it: nothing remembered, the commit-graph there or not."""
    place = find_place(Path(repo).resolve())
    assert place is not None
    it = Repository(ask_git(place, never()))
    it.shadow.refresh()
    for name in ("blame.sqlite", "blame.sqlite-wal", "blame.sqlite-shm"):
        (it.shadow.directory / name).unlink(missing_ok=True)
    if graph:
        it.build_commit_graph(never())
    else:
        it.shadow.drop_commit_graph()
    it.head(never())
    return it


def timed(act: Callable[[], object]) -> float:
    begin = time.perf_counter()
    act()
    return time.perf_counter() - begin


def processor() -> float:
    """Seconds of processor that this process and its ended children took."""
    mine, theirs = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return mine.ru_utime + mine.ru_stime + theirs.ru_utime + theirs.ru_stime


@dataclass
class Best:
    """The minima of the repetitions, wall and processor time, raw and ours."""

    raw: float = math.inf
    ours: float = math.inf
    raw_cpu: float = math.inf
    ours_cpu: float = math.inf


def interleaved(
    repeat: int,
    raw: Callable[[], object],
    prepare: Callable[[], Callable[[], object]],
    finish: Callable[[], object] = lambda: None,
) -> Best:
    """``prepare`` returns what is timed; ``finish`` ends our idle children, so that their time counts."""
    best = Best()
    for _ in range(repeat):
        begin = processor()
        best.raw = min(best.raw, timed(raw))
        best.raw_cpu = min(best.raw_cpu, processor() - begin)
        act = prepare()
        finish()
        begin = processor()
        best.ours = min(best.ours, timed(act))
        finish()
        best.ours_cpu = min(best.ours_cpu, processor() - begin)
        if best.raw > 6.0:
            break
    return best


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


class Run:
    def __init__(self, options: argparse.Namespace) -> None:
        self.files: list[dict[str, Any]] = json.loads(options.files.read_text(encoding="utf-8"))
        self.only = set(options.only.split(",")) if options.only else set()
        self.repeat = options.repeat
        self.results: list[dict[str, Any]] = []

    def wanted(self, name: str) -> bool:
        return not self.only or name in self.only

    def best(self, file: dict[str, Any], name: str, best: Best, **more: Any) -> None:
        self.note(file, name, best.raw, best.ours, cpu=round(best.ours_cpu / max(1e-4, best.raw_cpu), 3), **more)

    def note(self, file: dict[str, Any], name: str, raw: float, ours: float, **more: Any) -> None:
        self.results.append({**file, "what": name, "raw": raw, "ours": ours, **more})
        facts = " ".join(f"{k}={v}" for k, v in more.items())
        print(
            f"{short(file['repo']):6s}{file['kind']:9s}{file['path']:44s}{name:18s}"
            f"{raw * 1e3:9.1f}{ours * 1e3:9.1f}  {ours / raw:6.3f}  {facts}",
            flush=True,
        )

    def run(self) -> None:
        for name, graph, ask in (
            ("cold", False, False),
            ("cold-copies", False, True),
            ("cold-graph", True, False),
            ("cold-graph-copies", True, True),
        ):
            if self.wanted(name):
                for file in self.files:
                    self.cold(file, name, graph, ask)
        for repo in dict.fromkeys(file["repo"] for file in self.files):
            fresh(repo, graph=True)
            for file in self.files:
                if file["repo"] != repo:
                    continue
                for name in ("hover", "edit", "commits", "steps", "history", "file", "file-sides", "details"):
                    if self.wanted(name):
                        getattr(self, name.replace("-", "_"))(file)
        self.summary()

    def cold(self, file: dict[str, Any], name: str, graph: bool, ask: bool) -> None:
        """The first answer about a line; ``-copies``: its commits asked for copies too."""
        repo, path, line = file["repo"], file["path"], file["line"]
        lines = f"{line},{line}"

        opened: list[Repository] = []

        def prepare() -> Callable[[], object]:
            it = fresh(repo, graph)
            opened.append(it)
            head = it.head(never())
            return lambda: it.blame(head, path, [(line, line)], never(), ask_copies=ask)

        def raw() -> bytes:
            return git(repo, "blame", "--porcelain", "-L", lines, "HEAD", "--", path)

        self.best(file, name, interleaved(self.repeat, raw, prepare, lambda: opened[-1].close()))

    def hover(self, file: dict[str, Any]) -> None:
        """Warm: the file was warmed and its buffer asked about once."""
        it = Repository.discover(Path(file["repo"]), never())
        path, head = file["path"], it.head(never())
        settled = it.warm(path, never(), 30.0)
        text = it.text(head, path, never())
        it.blame_buffer(path, text, [(1, 1)], never(), ask_copies=False)
        draw = random.Random(2)
        times = [self.one(it, path, text, draw.randint(1, file["lines"])) for _ in range(200)]
        raw = timed(lambda: git(file["repo"], "blame", "--porcelain", "-L", "1,1", "HEAD", "--", path))
        self.note(file, "hover", raw, percentile(times, 0.95), settled=settled)

    def one(self, it: Repository, path: str, text: str, line: int) -> float:
        return timed(lambda: it.blame_buffer(path, text, [(line, line)], never(), ask_copies=False))

    def edit(self, file: dict[str, Any]) -> None:
        """After an edit: splice and hover, against the warm hover."""
        it = Repository.discover(Path(file["repo"]), never())
        path, head = file["path"], it.head(never())
        it.blame(head, path, None, never(), ask_copies=False)
        text = it.text(head, path, never())
        it.blame_buffer(path, text, [(1, 1)], never(), ask_copies=False)
        draw = random.Random(3)
        warm: list[float] = []
        edited: list[float] = []
        start, process.start = process.start, lambda *_: sys.exit("a process was started")  # type: ignore[assignment]
        for number in range(100):
            warm.append(self.one(it, path, text, draw.randint(1, file["lines"])))
            at = draw.randrange(file["lines"])
            place = 0
            for _ in range(at):
                place = text.index("\n", place) + 1
            new = f"{text[:place]}inserted {number}\n{text[place:]}"
            edit = TextEdit(at, 0, at, 0, f"inserted {number}\n")
            begin = time.perf_counter()
            assert open_buffers.edited(text, new, [edit])
            spliced = time.perf_counter() - begin
            text = new
            edited.append(spliced + self.one(it, path, text, at + 2))
        process.start = start
        self.note(file, "edit", percentile(warm, 0.5), percentile(edited, 0.5))

    def commits(self, file: dict[str, Any]) -> None:
        """Some 100 commits after a blame of the whole file, against the full blame."""
        repo, path = file["repo"], file["path"]
        mainline = git(repo, "rev-list", "--first-parent", "--max-count=101", "HEAD").decode().split()
        since = [(int(git(repo, "rev-list", "--count", f"{old}..HEAD")), old) for old in mainline[1:101:3]]
        old = min(since, key=lambda pair: abs(pair[0] - 100))[1]
        try:
            git(repo, "cat-file", "-e", f"{old}:{path}")
        except subprocess.CalledProcessError:
            return

        opened: list[Repository] = []

        def prepare() -> Callable[[], object]:
            it = fresh(repo, True)
            opened.append(it)
            head = it.head(never())
            it.blame(old, path, None, never(), ask_copies=False)
            return lambda: it.blame(head, path, None, never(), ask_copies=False)

        def raw() -> bytes:
            return git(repo, "blame", "--incremental", "HEAD", "--", path)

        best = interleaved(min(2, self.repeat), raw, prepare, lambda: opened[-1].close())
        self.best(file, "commits", best)

    def span(self, file: dict[str, Any]) -> tuple[int, int]:
        return file["line"], min(file["lines"], file["line"] + 19)

    def steps(self, file: dict[str, Any]) -> None:
        """The first three steps of a line history."""
        self.line_history(file, "steps", 3)

    def history(self, file: dict[str, Any]) -> None:
        """A line history to its end."""
        self.line_history(file, "history", None)

    def line_history(self, file: dict[str, Any], name: str, limit: int | None) -> None:
        repo, path = file["repo"], file["path"]
        start, end = self.span(file)
        it = Repository.discover(Path(repo), never())
        head = it.head(never())
        more = [f"-n{limit}"] if limit else []
        asked = ["log", "-s", "--format=%H", f"-L{start},{end}:{path}", *more, "HEAD"]

        def ours() -> int:
            count = 0
            for count, _ in enumerate(history(it, head, path, start, end, never()), 1):
                if count == limit:
                    break
            return count

        best = interleaved(min(2, self.repeat), lambda: git(repo, *asked), lambda: ours, it.close)
        self.best(file, name, best)

    def file(self, file: dict[str, Any]) -> None:
        """File history against ``--follow``."""
        self.file_history(file, "file", every_side=False)

    def file_sides(self, file: dict[str, Any]) -> None:
        """As ``file``, every side of a merge told."""
        self.file_history(file, "file-sides", every_side=True)

    def file_history(self, file: dict[str, Any], name: str, *, every_side: bool) -> None:
        repo, path = file["repo"], file["path"]
        it = Repository.discover(Path(repo), never())
        head = it.head(never())
        found: set[str] = set()
        theirs: set[str] = set()
        best = interleaved(
            min(2, self.repeat),
            lambda: theirs.update(git(repo, "log", "--follow", "--format=%H", "HEAD", "--", path).decode().split()),
            lambda: (
                lambda: found.update(
                    step.commit for step in file_history(it, head, path, never(), every_side=every_side)
                )
            ),
            it.close,
        )
        missing = len(theirs - found) / max(1, len(theirs))
        self.best(file, name, best, missing=round(missing, 4), more=len(found - theirs))

    def details(self, file: dict[str, Any]) -> None:
        """The details of commits, one and many at once, against ``git show`` (``of_s``: against ``git show -s``)."""
        repo = file["repo"]
        it = fresh(repo, True)
        ids = git(repo, "rev-list", "--max-count=300", "HEAD", "--", file["path"]).decode().split()
        it.commit(ids[0], never())
        raw = min(timed(lambda i=i: git(repo, "show", i)) for i in ids[:8])
        short_raw = min(timed(lambda i=i: git(repo, "show", "-s", i)) for i in ids[:8])
        half = len(ids) // 2
        one = percentile([timed(lambda i=i: it.commit(i, never())) for i in ids[1:half]] or [0.0], 0.5)
        batch = timed(lambda: it.commits(ids[half:], never())) / max(1, len(ids) - half)
        it.close()
        self.note(file, "details", raw, one, of_s=round(one / short_raw, 4))
        self.note(file, "details-batch", raw, batch, of_s=round(batch / short_raw, 4))

    # ---- what it comes to

    def summary(self) -> None:
        heads = f"{'n':>4s}{'geo':>9s}{'cpu geo':>9s}{'worst':>9s}"
        print(f"\n{'measured':18s}{'files':10s}{heads}   others: n, worst excess in ms")
        for name in dict.fromkeys(result["what"] for result in self.results):
            for kind in ("hot", "ordinary", "all"):
                mine = [r for r in self.results if r["what"] == name and kind in (r["kind"], "all")]
                slow = [r for r in mine if r["raw"] >= SLOW or name in ("edit", "details", "details-batch", "hover")]
                quick = [r for r in mine if r not in slow]
                ratios = [r["ours"] / r["raw"] for r in slow]
                geo = math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else math.nan
                cpus = [r["cpu"] for r in slow if r.get("cpu")]
                cpu = math.exp(sum(map(math.log, cpus)) / len(cpus)) if cpus else math.nan
                excess = max((r["ours"] - r["raw"] for r in quick), default=math.nan) * 1e3
                worst = max(ratios, default=math.nan)
                told = f"{len(slow):4d}{geo:9.4f}{cpu:9.4f}{worst:9.4f}"
                print(f"{name:18s}{kind:10s}{told}   {len(quick):3d} {excess:9.1f}")
        hovers = [r["ours"] * 1e3 for r in self.results if r["what"] == "hover"]
        if hovers:
            print(f"hover, warm: worst p95 of a file {max(hovers):.2f} ms")


# ---- agreement


def agree(options: argparse.Namespace) -> None:
    """How often the newest commit that blame finds in a range is the first step of the range's history.

    A later step is *removal* where the history tells a change that left no line in the range (blame cannot see it).
    """
    draw = random.Random(options.seed)
    counts: Counter[str] = Counter()
    share = options.ranges // len(options.repos)
    for repo in options.repos:
        it = fresh(repo, graph=True)
        head = it.head(never())
        names = git(repo, "ls-tree", "-r", "-z", "--name-only", "HEAD").decode("utf-8", "replace").split("\0")
        names = [name for name in names if name.endswith(CODE)]
        done = 0
        while done < share:
            path = draw.choice(names)
            length = git(repo, "cat-file", "-p", f"HEAD:{path}").count(b"\n")
            if not 20 <= length <= 4000:
                continue
            for _ in range(min(5, share - done)):
                done += 1
                start = draw.randint(1, length - 4)
                lines = (start, min(length, start + draw.choice((0, 2, 9, 29))))
                blame = it.blame(head, path, [lines], never())
                found = it.commits({line.commit for line in blame.lines}, never())
                newest = max(commit.commit_time for commit in found.values())
                expected = {commit.hash for commit in found.values() if commit.commit_time == newest}
                seen: list[Any] = []
                for step in history(it, head, path, *lines, never()):
                    seen.append(step)
                    if step.commit in expected or len(seen) == 12:
                        break
                verdict = judged(expected, set(found), seen)
                if verdict == "missed" and seen and seen[0].commit in uncopied(it, head, path, lines):
                    verdict = "first before a copy"
                counts[verdict] += 1
                if verdict in ("missed", "older first"):
                    told = " ".join(f"{step.commit[:9]}:{step.kind}:{step.match.value}" for step in seen[:4])
                    print(
                        f"{verdict}: {short(repo)} {path}:{lines[0]}-{lines[1]} blame {min(expected)[:9]} steps {told}"
                    )
    total = sum(counts.values())
    print(", ".join(f"{name} {count} ({100 * count / total:.1f} %)" for name, count in counts.most_common()))


def uncopied(it: Repository, head: str, path: str, lines: tuple[int, int]) -> set[str]:
    """The commits of a range when copies are not followed: a history tells a copy as where the lines come in."""
    span = f"{lines[0]},{lines[1]}"
    told = it.run("blame", "--incremental", "-w", "-L", span, head, "--", path, cancel=never())
    return {group.commit for group in parse_incremental(told.split(b"\n"))}


def judged(expected: set[str], blamed: set[str], steps: list[Any]) -> str:
    """``first``: agrees. ``after format``: only steps that change no sense come before. ``after removals``: steps come
    before that left no line in the range. Else ``older first`` or ``missed``."""
    before: list[Any] = []
    for step in steps:
        if step.commit in expected:
            if not before:
                return "first"
            if all(other.kind == "format" for other in before):
                return "after format"
            return "older first" if any(other.commit in blamed for other in before) else "after removals"
        before.append(step)
    return "missed"


# ---- the event loop


def loop(options: argparse.Namespace) -> None:
    """How late a 1 ms tick of the event loop is while a file of many lines is blamed, settled and mapped, with the
    interpreter set as the server sets it."""
    sys.setswitchinterval(SWITCH_SECONDS)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        env = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull}

        def made(*arguments: str) -> None:
            identity = ("-c", "user.name=A", "-c", "user.email=a@example.org")
            subprocess.run(["git", *identity, *arguments], cwd=root, env=env, check=True, capture_output=True)

        made("init", "-q")
        draw = random.Random(4)
        lines = [f"line {n} holds {draw.randrange(10**6)} and more of the text" for n in range(options.lines)]
        for number in range(40):
            for _ in range(300):
                lines[draw.randrange(len(lines))] = f"changed in {number} to {draw.randrange(10**6)}"
            (root / "a.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
            made("add", "-A")
            made("commit", "-q", "-m", f"commit {number}")
        for _ in range(400):
            lines.insert(draw.randrange(len(lines)), f"new {draw.random()}")
        buffer = "\n".join(lines) + "\n"
        it = Repository.discover(root, never())
        done = threading.Event()

        def work() -> None:
            it.blame(it.head(never()), "a.txt", None, never(), ask_copies=False)
            it.blame_buffer("a.txt", buffer, None, never(), ask_copies=False)
            it.warm("a.txt", never(), 5.0)
            for number in range(5):
                it.blame_buffer("a.txt", f"{number}\n{buffer}", [(5, 5)], never(), ask_copies=False)
            done.set()

        async def watch() -> list[float]:
            late: list[float] = []
            while not done.is_set():
                begin = time.perf_counter()
                await asyncio.sleep(0.001)
                late.append(time.perf_counter() - begin - 0.001)
            return late

        quiet = threading.Timer(3.0, done.set)
        quiet.start()
        alone = asyncio.run(watch())
        done.clear()
        threading.Thread(target=work, daemon=True).start()
        late = asyncio.run(watch())
        print(f"nothing to do: {len(alone)} ticks, late by ms: p99.9 {percentile(alone, 0.999) * 1e3:.2f}")
        told = ", ".join(f"p{100 * p:g} {percentile(late, p) * 1e3:.2f}" for p in (0.5, 0.99, 0.999))
        print(f"{options.lines} lines: {len(late)} ticks, late by ms: {told}, worst {max(late) * 1e3:.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    choosing = commands.add_parser("choose")
    choosing.add_argument("repos", nargs="+")
    choosing.set_defaults(act=choose)
    running = commands.add_parser("run")
    running.add_argument("files", type=Path)
    running.add_argument("--only")
    running.add_argument("--repeat", type=int, default=3)
    running.add_argument("--out", type=Path)
    running.set_defaults(act=run)
    agreeing = commands.add_parser("agree")
    agreeing.add_argument("repos", nargs="+")
    agreeing.add_argument("--ranges", type=int, default=1000)
    agreeing.add_argument("--seed", type=int, default=1)
    agreeing.set_defaults(act=agree)
    looping = commands.add_parser("loop")
    looping.add_argument("--lines", type=int, default=20_000)
    looping.set_defaults(act=loop)
    options = parser.parse_args()
    options.act(options)


def run(options: argparse.Namespace) -> None:
    if "ANAMNESIS_CACHE_DIR" not in os.environ:
        sys.exit("Set ANAMNESIS_CACHE_DIR to a folder for this run: it is emptied.")
    bench = Run(options)
    bench.run()
    if options.out is not None:
        options.out.write_text(json.dumps(bench.results, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
