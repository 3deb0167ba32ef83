"""The records of a set of stores as the catalog has them: rows, titles, paths, times. A cue for ordering, never
evidence.

Read once per state of the catalog and set of stores; everything that needs the full text is asked of the catalog.
"""

from __future__ import annotations

import math
from array import array
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.index import terms
from anamnesis_lsp.index.catalog import Catalog
from anamnesis_lsp.index.rows import CommitRow, LineWriter, PassageHit, RecordRow
from anamnesis_lsp.records.conversations.excluding import NOTHING, Excluded
from anamnesis_lsp.records.conversations.stores import Store
from anamnesis_lsp.records.evidence import Kind

WORKING = 900.0
"""Seconds after a commit's time in which work on it may still be recorded: clocks differ, messages follow commits."""


LOCAL_CLOCK = frozenset({"aider"})
"""Runtimes that record local time without its zone: the catalog has it as this machine's, the commit says whose it
was."""
WIDEST_ZONE = 26 * 3600.0


@dataclass(frozen=True, slots=True)
class Titles:
    """Which records have a word in their title: numbers, for a hundred thousand sets of words would be 40 MB."""

    records: array[int]
    whole: array[float]
    """What the words of each title weigh together."""
    of_word: dict[str, tuple[float, array[int]]]
    """What a word weighs, and where the records with it stand in ``records``, ascending."""

    @classmethod
    def of(cls, titles: Mapping[int, str]) -> Titles:
        """From the title of each record."""
        of_word: dict[str, array[int]] = {}
        for place, title in enumerate(titles.values()):
            for word in set(terms.tokens(title)):
                of_word.setdefault(word, array("I")).append(place)
        weighed = {word: (rarity(len(titles), len(places)), places) for word, places in of_word.items()}
        sums: list[list[float]] = [[] for _ in titles]
        for weight, places in weighed.values():
            for place in places:
                sums[place].append(weight)
        return cls(array("q", titles), array("d", map(math.fsum, sums)), weighed)

    def covered(self, sought: Collection[str]) -> dict[int, float]:
        """How much of each title the words cover, rare words counting more; titles without any are left out."""
        common: defaultdict[int, list[float]] = defaultdict(list)
        for word in frozenset(sought):
            weight, places = self.of_word.get(word, (0.0, ()))
            for place in places:
                common[place].append(weight)
        return {
            self.records[place]: math.fsum(weights) / (1.0 + self.whole[place])
            for place, weights in sorted(common.items())
        }

    def same(self, line: Collection[str]) -> dict[int, float]:
        """How nearly each title is a line of those words: the share of the shorter that the other has, too.

        Rare words count more. Nothing of fewer than :data:`SAME_WORDS` common words, or where the longer is twice as
        long as what they share.
        """
        words = sorted(set(line))
        rarest = rarity(len(self.records), 0)
        length = math.fsum(self.of_word[word][0] if word in self.of_word else rarest for word in words)
        common: defaultdict[int, list[float]] = defaultdict(list)
        for word in words:
            weight, places = self.of_word.get(word, (0.0, ()))
            for place in places:
                common[place].append(weight)
        found: dict[int, float] = {}
        for place, weights in sorted(common.items()):
            shared = math.fsum(weights)
            if len(weights) >= SAME_WORDS and shared * 2 >= max(length, self.whole[place]):
                found[self.records[place]] = shared / min(length, self.whole[place])
        return found


SAME_WORDS = 3


@dataclass(slots=True)
class Corpus:
    """The records that a search may propose."""

    catalog: Catalog
    stores: tuple[Store, ...]
    rows: dict[int, RecordRow]
    titles: Titles
    edited: dict[str, set[tuple[int, str]]]
    """File name → records that edited a file of that name, with the path as recorded."""
    mentioned: dict[str, set[tuple[int, str]]]
    times: dict[int, list[float]]
    """When each record edited something, ascending."""
    dated: float
    """Share of the records whose time is known."""
    commits: tuple[CommitRow, ...]
    names: dict[str, set[int]] | None = None
    """By which spellings the records may be cited: filled by :mod:`.naming` when it is first asked."""
    families: dict[int, str] | None = None
    """What each record is a part of: likewise."""
    nearest: dict[str, Mapping[int, Sequence[tuple[float, str]]]] = field(
        default_factory=lambda: dict[str, Mapping[int, Sequence[tuple[float, str]]]]()
    )
    """By history the commits that each record fits best: kept by :mod:`.apart`."""
    by_words: dict[tuple[str, str], dict[str, dict[int, float]]] = field(
        default_factory=lambda: dict[tuple[str, str], dict[str, dict[int, float]]]()
    )
    """Commit and path → what the words of the commit say of the records, kept by :mod:`.grounds`: a hover asks it again
    at every line of the commit."""

    @classmethod
    def read(
        cls, catalog: Catalog, stores: Sequence[Store], cancel: CancelToken, excluded: Excluded = NOTHING
    ) -> Corpus:
        """Everything the catalog has of these stores that is small enough to keep, without what is kept out.

        (Another program that shares the catalog may have other settings.)
        """
        rows = {
            row.record: row
            for row in catalog.records(stores)
            if not (excluded and excluded.record(row.key.id, row.parent_id, row.file, row.cwds))
        }
        titles = Titles.of({record: row.title or "" for record, row in rows.items()})
        count = len(rows)
        cancel.check()
        edited: defaultdict[str, set[tuple[int, str]]] = defaultdict(set)
        times: defaultdict[int, list[float]] = defaultdict(list)
        for edit in catalog.edits(stores):
            if edit.record not in rows:
                continue
            edited[_name(edit.path)].add((edit.record, edit.path))
            if edit.when is not None:
                times[edit.record].append(edit.when)
        cancel.check()
        mentioned: defaultdict[str, set[tuple[int, str]]] = defaultdict(set)
        for mention in catalog.mentions(stores):
            if mention.record in rows:
                mentioned[_name(mention.path)].add((mention.record, mention.path))
        return cls(
            catalog=catalog,
            stores=tuple(stores),
            rows=rows,
            titles=titles,
            edited=dict(edited),
            mentioned=dict(mentioned),
            times={record: sorted(found) for record, found in times.items()},
            dated=sum(row.started is not None for row in rows.values()) / count if count else 0.0,
            commits=tuple(commit for commit in catalog.commits(stores) if commit.record in rows),
        )

    def bodies(self, bags: Sequence[Iterable[str]]) -> list[dict[int, float]]:
        """BM25 of each bag of words against whole records, divided by its best: the best has 1."""
        weighted = [dict.fromkeys(sorted(set(bag)), 1.0) for bag in bags]
        return [best_is_one(self._here(scores)) for scores in self.catalog.body_scores_of(weighted, self.stores)]

    def weighted_body(self, sought: Mapping[str, float]) -> dict[int, float]:
        """BM25 of weighted words against whole records."""
        return self._here(self.catalog.body_scores(sought, self.stores))

    def all_of(self, sought: Mapping[str, float]) -> float:
        """The score of a record that said all of these words again and again: what others are a share of."""
        frequency = self.catalog.frequencies(list(sought), self.stores)
        count = len(self.rows)
        return 2.2 * math.fsum(
            weight * rarity(count, min(count, frequency.get(term, 0))) for term, weight in sorted(sought.items())
        )

    def _here(self, scores: Mapping[int, float]) -> dict[int, float]:
        """Without records that entered the catalog after these rows were read: it may be written meanwhile."""
        return {record: score for record, score in scores.items() if record in self.rows}

    def title(self, sought: Collection[str]) -> dict[int, float]:
        """How much of each title the words cover, rare words counting more; the best has 1."""
        return best_is_one(self.titles.covered(sought))

    def shift(self, record: int, commit_time: datetime) -> float:
        """Seconds to add to the times of a record so that they stand on the clock of the commit's author.

        Zero where the runtime records absolute times.
        """
        row = self.rows[record]
        if row.store.runtime not in LOCAL_CLOCK or row.started is None:
            return 0.0
        here = datetime.fromtimestamp(row.started).astimezone().utcoffset() or timedelta(0)
        there = commit_time.utcoffset() or timedelta(0)
        return (here - there).total_seconds()

    def editors(self, path: str) -> set[int]:
        """Records that edited this path of the repository, whatever directory they had it in."""
        return {record for record, recorded in self.edited.get(_name(path), ()) if same_path(recorded, path)}

    def mentioners(self, path: str) -> set[int]:
        """Records whose tools read or whose text names this path."""
        name = _name(path)
        return {r for r, recorded in self.mentioned.get(name, ()) if recorded == name or same_path(recorded, path)}

    def last_active(self, record: int, until: float) -> float | None:
        """When the record was last at work before ``until`` (on its own clock, a little grace); None where unknown."""
        edits = self.times.get(record)
        if edits:
            at = bisect_right(edits, until + WORKING)
            if at:
                return edits[at - 1]
        row = self.rows[record]
        if row.started is None or row.started > until + WORKING:
            return None
        if row.ended is None or row.kind is Kind.DECISION:
            return row.started
        return max(row.started, min(row.ended, until))

    def writers(self, hashes: Collection[int], until: float) -> Mapping[int, list[LineWriter]]:
        """Who wrote each of these lines before that time (or at an unknown one), latest first.

        Where a store keeps local time, some later ones may be among them: compare with :meth:`shift`.
        """
        if any(store.runtime in LOCAL_CLOCK for store in self.stores):
            until += WIDEST_ZONE
        found = self.catalog.writers(hashes, self.stores, until)
        return {line: [w for w in writers if w.record in self.rows] for line, writers in found.items()}

    def passages(self, sought: Mapping[str, float], limit: int = 60) -> list[PassageHit]:
        """The turns and sections that the words reach, best first."""
        return [hit for hit in self.catalog.passages(sought, self.stores, limit) if hit.record in self.rows]


def _name(path: str) -> str:
    return path.replace("\\", "/").rsplit("/", 1)[-1]


def same_path(recorded: str, path: str) -> bool:
    """Whether a recorded path (absolute, of any machine, or relative) is this path of the repository."""
    recorded = recorded.replace("\\", "/")
    return recorded == path or recorded.endswith(f"/{path}")


def rarity(count: int, seen: int) -> float:
    """BM25's inverse document frequency."""
    return math.log(1 + (count - seen + 0.5) / (seen + 0.5))


def best_is_one(scores: Mapping[int, float]) -> dict[int, float]:
    """Divided by the largest; empty where nothing is above zero."""
    best = max(scores.values(), default=0.0)
    return {key: score / best for key, score in scores.items() if score > 0} if best > 0 else {}
