"""What each piece of evidence adds, and whether the weights were learnt or lucky: over recall-bench's blind questions.

python tests/bench/bench_weights.py --bench SCRATCH --shared SHARED [--variant blind]

Prints the figures of the table in ``anamnesis_lsp/readings/weights.py``; of the same evidence with equal weights;
without each piece (ablation); and leave-one-repository-out: weights fitted by coordinate search on six repositories,
scored on the seventh. Also the share that is right by confidence. Gold is read by ``score.py``'s rules only.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from types import ModuleType

from bench_recall import STORES, VARIANTS, scorer

from anamnesis_lsp.cancel import never
from anamnesis_lsp.contract import Context, Origin, Turn
from anamnesis_lsp.index.catalog import Catalog
from anamnesis_lsp.readings.content import CandidatesFound, Content, Invocation
from anamnesis_lsp.readings.cue import comment_at, read_cue
from anamnesis_lsp.readings.found import SURE, confidence_of
from anamnesis_lsp.readings.reachable import Reachable, silent
from anamnesis_lsp.readings.search import Search, Workplace
from anamnesis_lsp.readings.weights import LINKED_AT_MOST, TABLE
from anamnesis_lsp.records.conversations.stores import Store
from anamnesis_lsp.records.git import Repository, check_selection, editor_lines

Weights = Mapping[str, float]
STEPS = (0.0, 0.5, 0.75, 1.5, 2.0, 3.0)


@dataclass(frozen=True)
class Question:
    """The proposals of one question: their evidence, and whether each is the gold record."""

    id: str
    hard: bool
    proposals: tuple[tuple[Mapping[str, float], bool], ...]
    confidence: float
    right: bool


def main() -> None:
    """Gather the evidence once, then weigh it in several ways."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", required=True)
    parser.add_argument("--shared", required=True)
    parser.add_argument("--variant", default="blind", choices=VARIANTS)
    options = parser.parse_args()
    by = scorer(Path(options.shared) / "recall-bench")
    with tempfile.TemporaryDirectory() as own:
        os.environ["ANAMNESIS_CACHE_DIR"] = str(Path(own) / "cache")
        asked = {key: gathered(Path(options.bench), options.variant, key, by) for key in STORES}
    everything = [question for questions in asked.values() for question in questions]
    hand = {name: row.weight for name, row in TABLE.items()}
    used = sorted({name for q in everything for evidence, _ in q.proposals for name in evidence})
    print(f"{'':26} {'r@1':>6} {'r@5':>6} {'hard@1':>7}")
    tell("the table", everything, hand)
    tell("equal weights", everything, dict.fromkeys(used, 1.0))
    for name in used:
        tell(f"without {name}", everything, {**hand, name: 0.0})
    held_out: list[int | None] = []
    hard: list[int | None] = []
    for key, questions in asked.items():
        fitted = fit([q for other, qs in asked.items() if other != key for q in qs], hand, used)
        ranks = [rank(q, fitted) for q in questions]
        held_out += ranks
        hard += [r for q, r in zip(questions, ranks, strict=True) if q.hard]
        changed = {n: round(fitted[n], 2) for n in used if fitted[n] != hand[n]}
        print(f"{'fitted without ' + key:46} r@1 there {at(ranks, 1):.3f}  {changed}")
    print(f"{'leave one repository out':26} {at(held_out, 1):6.3f} {at(held_out, 5):6.3f} {at(hard, 1):7.3f}")
    for least in (0.0, 0.6, 0.8, 0.9, SURE, 0.98):
        some = [q for q in everything if q.confidence >= least]
        share = sum(q.right for q in some) / max(1, len(some))
        print(f"confidence >= {least:.2f}: {len(some):4d} of {len(everything)}, right {share:.3f}")


def gathered(bench: Path, variant: str, key: str, by: ModuleType) -> list[Question]:
    """The evidence of every question of one repository, gold marked."""
    work, questions = VARIANTS[variant]
    kind, _, place = STORES[key].partition(":")
    store = Store.at(kind, bench / "raw" / key / place)
    repository = Repository.discover(bench / work / key, never())
    catalog = Catalog.open()
    reachable = Reachable(catalog, given=True)
    reachable.refresh((store,), never(), silent)
    found: list[Question] = []
    for line in (bench / questions / f"{key}.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        chosen = check_selection(repository, repository.root / row["path"], row["start_line"], row["end_line"], never())
        text = editor_lines(chosen.text)
        first, last = chosen.lines
        invocation = Invocation(
            when=datetime.now(timezone.utc), text=row["cue"], root=repository.root, path=chosen.path,
            lines=chosen.lines, selected=tuple(text[first - 1 : last]),
            comment=comment_at(chosen.path, list(text), first, last), rev=chosen.commit,
        )  # fmt: skip
        c: Context[Content] = (Turn(Origin.PERSON, invocation),)
        read = Search(Workplace(reachable, (store,), never()), c, read_cue(c), lambda _: []).run()
        proposals = next(content.proposals for content in read if isinstance(content, CandidatesFound))
        gold = [any(by.same_record(g, {"id": p.key.id}) for g in row["gold_sessions"]) for p in proposals]
        found.append(
            Question(
                row["id"],
                row["id"] in by.hard,
                tuple(
                    ({ground.name: ground.value for ground in p.grounds}, is_gold)
                    for p, is_gold in zip(proposals, gold, strict=True)
                ),
                confidence_of(0, proposals) if proposals else 0.0,
                bool(gold and gold[0]),
            )
        )
    catalog.close()
    print(f"read {key}: {len(found)} questions", flush=True)
    return found


def weighed(evidence: Mapping[str, float], weights: Weights) -> float:
    """As :func:`anamnesis_lsp.readings.found.score`, with other weights."""
    linked = sum(value * weights[name] for name, value in evidence.items() if name.startswith("link."))
    other = sum(value * weights[name] for name, value in evidence.items() if not name.startswith("link."))
    return min(linked, LINKED_AT_MOST) + other


def rank(question: Question, weights: Weights) -> int | None:
    """Place of the gold record under these weights; None where it is not among the proposals."""
    scored = sorted((-weighed(evidence, weights), n) for n, (evidence, _) in enumerate(question.proposals))
    return next((place for place, (_, n) in enumerate(scored) if question.proposals[n][1]), None)


def at(ranks: Iterable[int | None], depth: int) -> float:
    """Recall at that depth."""
    listed = list(ranks)
    return sum(r is not None and r < depth for r in listed) / max(1, len(listed))


def tell(name: str, questions: list[Question], weights: Weights) -> None:
    """One line of the table."""
    ranks = [rank(question, weights) for question in questions]
    hard = [r for question, r in zip(questions, ranks, strict=True) if question.hard]
    print(f"{name:26} {at(ranks, 1):6.3f} {at(ranks, 5):6.3f} {at(hard, 1):7.3f}")


def fit(questions: list[Question], start: Weights, names: list[str]) -> dict[str, float]:
    """Coordinate search from ``start``, two rounds, by recall at 1 and the mean reciprocal rank."""

    def worth(weights: Weights) -> tuple[float, float]:
        ranks = [rank(question, weights) for question in questions]
        return at(ranks, 1), sum(1 / (r + 1) for r in ranks if r is not None)

    weights = dict(start)
    best = worth(weights)
    for _ in range(2):
        for name in names:
            for step in STEPS:
                tried = {**weights, name: start[name] * step}
                if (value := worth(tried)) > best:
                    weights, best = tried, value
    return weights


if __name__ == "__main__":
    main()
