"""recall-bench as a habit: prepares, runs and scores all its repositories in both variants, and writes a table.

python tests/bench/bench_recall.py --mirrors MIRRORS --bench SCRATCH --shared SHARED [--only SUBSTRING] [--out FILE]

MIRRORS holds bare mirrors ``<owner>+<name>/repo``; SCRATCH is prepared by ``recall-bench/prepare.sh`` when it is empty;
SHARED holds ``recall-bench``. The questions are answered through the command line alone, one process per repository and
variant; the gold is read by ``score.py`` only. Also told: how often what was told without a doubt was right, whether
the gold record was told as the origin, another one, or none, the seconds of a question (mean, and p95 without the first
of a process, which reads what all of them need), and the misses by kind.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

STORES = {
    "entireio+cli": "claude-code:claude_config",
    "daviswhitehead+chef-chopsky": "specstory:.specstory/history",
    "ThatHunky+gryag": "specstory:.specstory/history",
    "BBXtreme+Waterfront": "aider:.aider.chat.history.md",
    "Kaoruha+GinkGO": "decisions:docs/adrs",
    "edobry+minsky": "decisions:process/tasks",
    "steveyegge+beads": "beads:.beads/issues.jsonl",
}
VARIANTS = {"open": ("work", "questions"), "blind": ("workblind", "questions_blind")}


@dataclass
class Scores:
    """Ranks of the gold in the results: of sessions, of hard ones, of commits; and what the confidence promised."""

    sessions: list[int | None] = field(default_factory=list)
    hard: list[int | None] = field(default_factory=list)
    commits: list[int | None] = field(default_factory=list)
    undoubted: list[bool] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    """Of each question whether the gold record was told as the origin (``gold``), another (``other``), or none."""
    seconds: list[float] = field(default_factory=list)
    warm: list[float] = field(default_factory=list)
    """Those of all questions but the first of a process."""
    errors: int = 0

    def add(self, other: Scores) -> None:
        """Take in another repository's."""
        self.sessions += other.sessions
        self.hard += other.hard
        self.commits += other.commits
        self.undoubted += other.undoubted
        self.told += other.told
        self.seconds += other.seconds
        self.warm += other.warm
        self.errors += other.errors


def main() -> None:
    """Run everything that was asked for and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mirrors", help="bare mirrors; only needed to prepare")
    parser.add_argument("--bench", required=True, help="scratch folder of recall-bench")
    parser.add_argument("--shared", required=True, help="folder that holds recall-bench")
    parser.add_argument("--only", default="", help="repositories whose name holds this")
    parser.add_argument("--variants", default="open,blind")
    parser.add_argument("--cue-alone", action="store_true", help="ask with the hand-written cues and no selection")
    parser.add_argument("--misses", action="store_true", help="list the questions that were missed")
    parser.add_argument("--out", help="write the table to this file as well")
    options = parser.parse_args()
    bench, shared = Path(options.bench), Path(options.shared) / "recall-bench"
    if not (bench / "questions").is_dir():
        prepare = {**os.environ, "RECALL_MIRRORS": options.mirrors or "", "RECALL_BENCH": str(bench)}
        subprocess.run([str(shared / "prepare.sh")], check=True, env=prepare)
    lines: list[str] = [HEADING]
    with tempfile.TemporaryDirectory() as own:
        for variant in options.variants.split(","):
            total = Scores()
            for key in STORES:
                if options.only in key:
                    scores = run(bench, shared, variant, key, Path(own), options)
                    total.add(scores)
                    lines.append(row(f"{variant} {key}", scores))
                    print(lines[-1], flush=True)
            lines.append(row(f"{variant} ALL", total))
            lines.append(misses(f"{variant} ALL", total))
    table = "\n".join(lines)
    print(f"\n{table}")
    if options.out:
        Path(options.out).write_text(table + "\n", encoding="utf-8")


def run(bench: Path, shared: Path, variant: str, key: str, own: Path, options: argparse.Namespace) -> Scores:
    """Answer the questions of one repository and score them."""
    work, questions = VARIANTS[variant]
    asked = bench / questions / f"{key}.jsonl"
    rows = [json.loads(line) for line in asked.read_text(encoding="utf-8").splitlines()]
    if options.cue_alone:
        rows = [question for question in rows if question["cue_kind"] == "hand"]
    requests = own / "requests.jsonl"
    fields = ("cue",) if options.cue_alone else ("path", "start_line", "end_line", "cue")
    requests.write_text("".join(json.dumps({f: q[f] for f in fields}) + "\n" for q in rows), encoding="utf-8")
    kind, _, place = STORES[key].partition(":")
    store = f"{kind}:{bench / 'raw' / key / place}"
    environment = {
        **os.environ,
        "ANAMNESIS_CACHE_DIR": str(own / f"cache-{variant}-{key}"),
        "ANAMNESIS_STATE_DIR": str(own / "state"),
        "PYTHONPATH": str(Path(__file__).resolve().parents[2]),
    }
    command = [sys.executable, "-m", "anamnesis_lsp"]
    folder = bench / work / key
    subprocess.run(
        [*command, "index", "--refresh", "--store", store], cwd=folder, env=environment, check=True, capture_output=True
    )
    scores, answers = Scores(), list[str]()
    asking = [*command, "recollect", "--store", store, "--batch", str(requests)]
    with subprocess.Popen(asking, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        begun = time.monotonic()
        for line in process.stdout:
            answers.append(line)
            scores.seconds.append(time.monotonic() - begun)
            begun = time.monotonic()
    assert process.returncode == 0, f"{asking} ended with {process.returncode}"
    scores.warm = scores.seconds[1:]
    results = [json.loads(line) for line in answers]
    score(scores, rows, results, scorer(shared), options.misses)
    return scores


def scorer(shared: Path) -> ModuleType:
    """``score.py``, whose rules say what counts as found."""
    spec = importlib.util.spec_from_file_location("recall_bench_score", shared / "score.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.hard = set((shared / "hard.txt").read_text().split())  # type: ignore[attr-defined]
    return module


def score(
    scores: Scores, rows: list[dict[str, Any]], results: list[dict[str, Any]], by: ModuleType, tell: bool
) -> None:
    """Rank the gold of each question in its result."""
    assert len(rows) == len(results), f"{len(rows)} questions, {len(results)} results"
    for question, result in zip(rows, results, strict=True):
        scores.errors += "error" in result
        session = by.rank_of(question["gold_sessions"], by.ranked(result, ("conversation", "decision")))
        commit = by.rank_of(question["gold_commits"], by.ranked(result, ("commit",)))
        scores.sessions.append(session)
        scores.commits.append(commit)
        if question["id"] in by.hard:
            scores.hard.append(session)
        leading = records(result)
        gold_told = bool(leading) and by.rank_of(question["gold_sessions"], leading) is not None
        scores.told.append("gold" if gold_told else "other" if leading else "none")
        if undoubted(result):
            scores.undoubted.append(session == 0)
        if tell and session != 0:
            print(
                f"  missed {question['id']}: {session}  {list(names(result))[:2]}  gold {question['gold_sessions'][:2]}"
            )


def undoubted(result: dict[str, Any]) -> bool:
    """Whether the round names no adjacent candidate as a doubt and leads with a record beside the commit."""
    doubts = ("nearly as strong", "only the words")
    told = any(doubt in said for said in result.get("dissent", []) for doubt in doubts)
    return bool(records(result)) and not told


def records(result: dict[str, Any]) -> list[dict[str, Any]]:
    """The conversations and decision records that are told as the origin: members of what leads."""
    leading: dict[str, Any] = (result.get("recognizables") or [{}])[0]
    return [member for member in leading.get("members", []) if member["kind"] in ("conversation", "decision")]


def names(result: dict[str, Any]) -> Iterator[str]:
    """What the round found, best first."""
    for candidate in result.get("recognizables", []):
        for member in candidate["members"]:
            if member["kind"] != "commit":
                yield f"{member['id']} ({candidate['confidence']})"


HEADING = (
    f"{'':36} {'n':>4} {'r@1':>6} {'r@5':>6} {'mrr':>6}  {'hard@1':>6} {'hard@5':>6}  {'commit':>6}  "
    f"{'undoubted':>14}  {'told: gold':>10} {'other':>5} {'none':>5}  {'s/q':>5} {'p95':>5}"
)


def row(name: str, scores: Scores) -> str:
    """One line of the table."""
    count = len(scores.sessions)
    right = f"{share(scores.undoubted)} of {len(scores.undoubted)}"
    seconds = sum(scores.seconds) / max(1, count)
    errors = f"  {scores.errors} errors" if scores.errors else ""
    told = " ".join(f"{scores.told.count(kind) / max(1, count):{width}.3f}" for kind, width in TOLD)
    ranks = f"{at(scores.sessions, 1)} {at(scores.sessions, 5)} {mrr(scores.sessions)}  "
    ranks += f"{at(scores.hard, 1)} {at(scores.hard, 5)}  {at(scores.commits, 1)}"
    return f"{name:36} {count:4d} {ranks}  {right:>14}  {told}  {seconds:5.2f} {p95(scores.warm):5.2f}{errors}"


TOLD = (("gold", 10), ("other", 5), ("none", 5))


def misses(name: str, scores: Scores) -> str:
    """The questions whose gold record is not first, by kind."""
    missed = [(rank, commit) for rank, commit in zip(scores.sessions, scores.commits, strict=True) if rank != 0]
    kinds = {
        "second to fifth": sum(rank is not None and rank < 5 for rank, _ in missed),
        "further": sum(rank is not None and rank >= 5 for rank, _ in missed),
        "not among what was found": sum(rank is None for rank, _ in missed),
        "where blame leads to another commit": sum(commit != 0 for _, commit in missed),
    }
    told = ", ".join(f"{count} {kind}" for kind, count in kinds.items() if count)
    return f"  {name}: {len(missed)} missed{': ' if told else ''}{told}"


def p95(seconds: list[float]) -> float:
    """The 95th percentile; 0 of nothing."""
    return sorted(seconds)[max(0, -(-len(seconds) * 95 // 100) - 1)] if seconds else 0.0


def at(ranks: list[int | None], depth: int) -> str:
    """Recall at that depth."""
    if not ranks:
        return "     -"
    return f"{sum(r is not None and r < depth for r in ranks) / len(ranks):6.3f}"


def mrr(ranks: list[int | None]) -> str:
    """Mean reciprocal rank."""
    return f"{sum(1 / (r + 1) for r in ranks if r is not None) / max(1, len(ranks)):6.3f}"


def share(right: list[bool]) -> str:
    """Share of the right ones."""
    return f"{sum(right) / len(right):.3f}" if right else "-"


if __name__ == "__main__":
    main()
