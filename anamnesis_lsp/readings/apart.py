"""Whether a record and a change belong together by their words, absolutely: not only better than others do.

Two ways to be there by chance, and a test against each. A record may be the best of many that all fit the change a
little: it must stand apart from the other records. And it may fit every change of the repository, since both are about
the same program: the change must stand apart from the other commits, as the record sees them.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence

from anamnesis_lsp.readings.corpus import Corpus, rarity
from anamnesis_lsp.readings.naming import families
from anamnesis_lsp.readings.past import Sample
from anamnesis_lsp.records.evidence import Kind

Values = dict[int, float]

TYPICAL = slice(1, 8)
"""The places behind the best (which may be of the same work) that say how a record of this corpus fits by chance."""
LEAST_EVER = 0.03
"""The same among many."""
A_FEW_WORDS = 3
AMONG_FEW = 0.15
"""Where there are too few others to compare with, a record that shares a few of the words speaks of the same at all."""
LEAST_TYPICAL = {Kind.CONVERSATION: 0.3, Kind.DECISION: 0.12}
"""Share of all that is sought that a record fits by chance, where there are too few others to tell."""
NEAREST = 8
"""Of the other commits so many that the record fits best say how a commit fits by chance."""


def stands_apart(corpus: Corpus, sought: Mapping[str, float]) -> Values:
    """How far each record stands apart from the others of its kind: the share of its score they do not reach."""
    if not sought:
        return {}
    scores = corpus.weighted_body(sought)
    whole = corpus.all_of(sought)
    family = families(corpus)
    best: defaultdict[Kind, dict[str, float]] = defaultdict(dict)
    for record, row in corpus.rows.items():
        of_kind = best[row.kind]
        of_kind[family[record]] = max(of_kind.get(family[record], 0.0), scores.get(record, 0.0))
    values: Values = {}
    some = A_FEW_WORDS * rarity(len(corpus.rows), len(corpus.rows))
    for kind, of_kind in best.items():
        ordered = sorted(of_kind.items(), key=lambda item: -item[1])[: TYPICAL.stop + 1]
        few = len(of_kind) <= TYPICAL.stop
        least = whole * (LEAST_TYPICAL[kind] if few else LEAST_EVER)
        for record, score in scores.items():
            if corpus.rows[record].kind is kind and score > 0:
                others = [value for name, value in ordered if name != family[record]]
                value = max(0.0, 1.0 - _by_chance(others, least) / (score + 1.0))
                values[record] = max(value, AMONG_FEW) if few and score >= some else value
    return values


def _by_chance(others: Sequence[float], least: float) -> float:
    """What a record like this one fits by chance: the mean of those behind the best of the others, ``least`` at least.

    One word that no other record holds is not enough: a part of all that is sought is said by chance.
    """
    behind = others[TYPICAL]
    places = TYPICAL.stop - TYPICAL.start
    return max(least, (sum(behind) + (places - len(behind)) * least) / places) + 1.0


def meant(corpus: Corpus, sample: Sample, message: Sequence[str], commit: str) -> Values:
    """How far the commit stands apart from others of the history, as each record sees them: by their messages alone.

    A long message fits everything more: each is measured by the root of what a perfect fit of it would score.
    """
    bag = dict.fromkeys(sorted(set(message)), 1.0)
    if not bag:
        return {}
    nearest = _nearest(corpus, sample)
    scores = corpus.weighted_body(bag)
    perfect = math.sqrt(corpus.all_of(bag) or 1.0)
    found: Values = {}
    for record, score in scores.items():
        others = [value for value, other in nearest.get(record, ()) if other != commit][:NEAREST]
        found[record] = max(0.0, 1.0 - math.fsum(others) / NEAREST / (score / perfect)) if score > 0 else 0.0
    return found


def _nearest(corpus: Corpus, sample: Sample) -> Mapping[int, Sequence[tuple[float, str]]]:
    """Of each record the commits of the sample that it fits best: kept while the corpus lives."""
    kept = corpus.nearest.get(sample[0][0] if sample else "")
    if kept is not None:
        return kept
    bags = [dict.fromkeys(sorted(words), 1.0) for _, words in sample]
    scores = corpus.catalog.body_scores_of(bags, corpus.stores)
    count = len(corpus.rows)
    frequency = corpus.catalog.frequencies({word for bag in bags for word in bag}, corpus.stores)
    best: defaultdict[int, list[tuple[float, str]]] = defaultdict(list)
    for (commit, words), of_commit in zip(sample, scores, strict=True):
        whole = 2.2 * math.fsum(rarity(count, min(count, frequency.get(word, 0))) for word in sorted(words))
        for record, score in of_commit.items():
            if record in corpus.rows and whole > 0:
                best[record].append((score / math.sqrt(whole), commit))
    made = {record: sorted(values, reverse=True)[: NEAREST + 1] for record, values in best.items()}
    corpus.nearest[sample[0][0] if sample else ""] = made
    return made
