"""How often a wrong record is told as the origin: recall-bench with its gold left out, and with it in.

python tests/bench/bench_origin.py --bench SCRATCH --shared SHARED [--only SUBSTRING] [--variants open,blind] [--list]

Most code has no conversation and no decision record. So every question is asked twice: of the store as it is, and of
the store without its gold record (kept out as a person keeps a session out), where nothing should be told as the
origin; what is told there all the same is of the same work at best. Told without a doubt is what a reader is not warned
of. ``--list`` names what was told without the gold. Gold is read by ``score.py``'s rules only.
"""

from __future__ import annotations

import argparse
import glob
import json
import os
import pickle
import tempfile
from collections.abc import Iterator
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
from anamnesis_lsp.readings.doubts import doubts
from anamnesis_lsp.readings.found import candidates
from anamnesis_lsp.readings.reachable import Reachable, silent
from anamnesis_lsp.readings.search import Search, Workplace
from anamnesis_lsp.records.conversations.excluding import Excluded
from anamnesis_lsp.records.conversations.stores import Store
from anamnesis_lsp.records.evidence import Kind
from anamnesis_lsp.records.git import Repository, check_selection, editor_lines


@dataclass(frozen=True)
class Told:
    """What one question led to."""

    question: str
    without_gold: bool
    leads: str | None
    """The record told as the origin; None where the commits are told alone."""
    gold: bool
    """Whether that is the gold record."""
    doubts: tuple[str, ...]
    why: str
    proposals: tuple[tuple[str, bool, dict[str, float], float], ...] = ()
    """The first of them: id, whether gold, its evidence, its score."""


def main() -> None:
    """Ask everything twice and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", required=True)
    parser.add_argument("--shared", required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--variants", default="open,blind")
    parser.add_argument("--list", action="store_true", help="name what was told without the gold")
    parser.add_argument("--cache", help="keep the indexes here")
    parser.add_argument("--keep", help="write what was gathered to this file")
    options = parser.parse_args()
    by = scorer(Path(options.shared) / "recall-bench")
    kept: list[Told] = []
    print(HEADING)
    with tempfile.TemporaryDirectory() as own:
        for variant in options.variants.split(","):
            everything: list[Told] = []
            for key in STORES:
                if options.only in key:
                    os.environ["ANAMNESIS_CACHE_DIR"] = str(Path(options.cache or own) / f"cache-{variant}-{key}")
                    told = list(asked(Path(options.bench), variant, key, by))
                    everything += told
                    print(row(f"{variant} {key}", told), flush=True)
                    if options.list:
                        for one in told:
                            if one.without_gold and one.leads:
                                print(f"    {one.question} {one.leads[-60:]} | {one.why} | {'; '.join(one.doubts)}")
                            elif not one.without_gold and not one.gold:
                                print(f"    {one.question} with gold: {(one.leads or 'none')[-60:]} | {one.why}")
            print(row(f"{variant} ALL", everything), flush=True)
            kept += everything
    if options.keep:
        Path(options.keep).write_bytes(pickle.dumps(kept))


def asked(bench: Path, variant: str, key: str, by: ModuleType) -> Iterator[Told]:
    """Every question of one repository, with its gold and without."""
    work, questions = VARIANTS[variant]
    kind, _, place = STORES[key].partition(":")
    store = Store.at(kind, bench / "raw" / key / place)
    repository = Repository.discover(bench / work / key, never())
    catalog = Catalog.open()
    reachable = Reachable(catalog, given=True)
    reachable.refresh((store,), never(), silent)
    names = [row.key.id for row in catalog.records((store,))]
    plain = reachable.policy
    for line in (bench / questions / f"{key}.jsonl").read_text(encoding="utf-8").splitlines():
        question = json.loads(line)
        gold = [n for n in names if any(by.same_record(g, {"id": n}) for g in question["gold_sessions"])]
        out = Excluded(sessions=tuple(glob.escape(name) for name in gold))
        for without in (False, True):
            reachable.policy = type(plain)(excluded=out) if without else plain
            if without or reachable.policy is not plain:
                reachable.renew()
            yield one(repository, reachable, store, question, without, frozenset(gold))
        reachable.policy = plain
        reachable.renew()
    catalog.close()


def one(
    repository: Repository,
    reachable: Reachable,
    store: Store,
    question: dict[str, object],
    without: bool,
    gold: frozenset[str],
) -> Told:
    """What leads, and with which doubts."""
    path = repository.root / str(question["path"])
    chosen = check_selection(
        repository, path, int(str(question["start_line"])), int(str(question["end_line"])), never()
    )
    text = editor_lines(chosen.text)
    first, last = chosen.lines
    cue = question["cue"]
    invocation = Invocation(
        when=datetime.now(timezone.utc), text=str(cue) if cue else None, root=repository.root, path=chosen.path,
        lines=chosen.lines, selected=tuple(text[first - 1 : last]),
        comment=comment_at(chosen.path, list(text), first, last), rev=chosen.commit,
    )  # fmt: skip
    c: Context[Content] = (Turn(Origin.PERSON, invocation),)
    read_from = read_cue(c)
    read = Search(Workplace(reachable, (store,), never()), c, read_from, lambda _: []).run()
    grown: Context[Content] = (*c, *(Turn[Content](Origin.EXTERNAL, content) for content in read))
    found = candidates(grown, read_from.cue.whole)
    leading = found[0] if found else None
    records = [key for key in leading.keys if key.kind is not Kind.COMMIT] if leading is not None else []
    proposals = next((content.proposals for content in read if isinstance(content, CandidatesFound)), ())
    return Told(
        str(question["id"]),
        without,
        records[0].id if records else None,
        bool(records) and records[0].id in gold,
        tuple(doubts(grown, found, leading.keys)) if leading is not None else (),
        leading.recognizable.joins if leading is not None else "",
        tuple((p.key.id, p.key.id in gold, {g.name: g.value for g in p.grounds}, p.score) for p in proposals[:8]),
    )


HEADING = (
    f"{'':36} {'n':>4}  with gold: {'gold told':>9} {'other':>6} {'none':>6}   without: {'no doubt':>8} {'at all':>7}"
)


def row(name: str, told: list[Told]) -> str:
    """One line of the table."""
    inside = [one for one in told if not one.without_gold]
    outside = [one for one in told if one.without_gold]
    count = max(1, len(inside))
    gold = sum(one.gold for one in inside) / count
    other = sum(one.leads is not None and not one.gold for one in inside) / count
    none = sum(one.leads is None for one in inside) / count
    plain = sum(one.leads is not None and not one.doubts for one in outside) / count
    at_all = sum(one.leads is not None for one in outside) / count
    shares = f"{gold:9.3f} {other:6.3f} {none:6.3f}            {plain:8.3f} {at_all:7.3f}"
    return f"{name:36} {len(inside):4d}             {shares}"


if __name__ == "__main__":
    main()
