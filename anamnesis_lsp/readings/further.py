"""The pass of a dialogue: the search of the selection or the words, and what the person has pointed at since.

What the person added (a correction, more cue, a place to look) is searched for by its own words and weighs more than
the words the recall began with; a place, a time or a kind of record that was named is searched first. A search past the
boundary runs where it was admitted, once in a recall; what still lies past it is noted with its cost.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from anamnesis_lsp.contract import Context
from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.index import terms
from anamnesis_lsp.index.rows import RecordRow
from anamnesis_lsp.readings import beyond, dialogue, expansion, opening, rates, steering
from anamnesis_lsp.readings.content import (
    CandidatesFound,
    CommitNamed,
    CommitsFound,
    Content,
    Ground,
    Invocation,
    LinesTraced,
    PastBoundary,
    Proposal,
)
from anamnesis_lsp.readings.corpus import Corpus
from anamnesis_lsp.readings.cue import CueRead
from anamnesis_lsp.readings.found import score
from anamnesis_lsp.readings.grounds import Evidence, cue_evidence
from anamnesis_lsp.readings.joining import is_changelog
from anamnesis_lsp.readings.owning import Owned
from anamnesis_lsp.readings.past import Past
from anamnesis_lsp.readings.search import TELLS_WHAT, Leads, Search, Workplace
from anamnesis_lsp.readings.weights import TABLE
from anamnesis_lsp.records.conversations.stores import Store
from anamnesis_lsp.records.evidence import Kind, RecordKey

PROPOSED = 40
"""Candidates whose evidence enters the context."""
ADDED = 2.0
"""What the words of an addition weigh beside those the recall began with."""


class FurtherSearch(Search):
    """One pass inside a dialogue. ``further_stores`` are those known here that the recall does not search."""

    def __init__(
        self,
        workplace: Workplace,
        c: Context[Content],
        cue: CueRead,
        leads: Leads,
        further_stores: Sequence[Store] = (),
        root: Path | None = None,
    ) -> None:
        self._admitted = tuple(kind for kind in expansion.admitted(c) if kind not in expansion.ran(c))
        self._ever = frozenset(expansion.admitted(c)) | expansion.ran(c)
        self._further_stores = tuple(store for store in further_stores if store not in workplace.stores)
        if "stores" in self._ever and self._further_stores:
            workplace = replace(workplace, stores=(*workplace.stores, *self._further_stores))
            workplace.reachable.refresh(self._further_stores, workplace.cancel, workplace.progress)
            self._further_stores = ()
        super().__init__(workplace, c, cue, leads)
        self._root = root
        self._added = [turn for turn in dialogue.heard(c) if turn.adds]

    def _by_lines(self, traced: LinesTraced, invocation: Invocation | None, corpus: Corpus) -> None:
        self._widen(corpus)
        super()._by_lines(traced, invocation, corpus)
        self._renew(corpus)
        self._go_beyond(traced, corpus)

    def _by_words(self, corpus: Corpus) -> None:
        if self._past is None and self._root is not None and self._cue.invocation is None:
            self._past = self._history_of(self._root)
            self._owned = self._at.reachable.owned(corpus, self._past, self._cancel)
        self._widen(corpus)
        super()._by_words(corpus)
        self._renew(corpus)
        self._go_beyond(None, corpus)

    def _widen(self, corpus: Corpus) -> None:
        """With other stores and roots admitted, the conversations of other repositories are searched as well."""
        if "stores" in self._ever:
            self._owned = Owned(frozenset(corpus.rows), {})

    def _history_of(self, root: Path) -> Past | None:
        """The history where the person is; None where there is none."""
        try:
            repository = self._at.reachable.repository(root, self._cancel)
            return self._at.reachable.past(repository, repository.head(self._cancel))
        except AnamnesisError as error:
            if error.code is ErrorCode.CANCELLED:
                raise
            return None

    # ── what was added since ────────────────────────────────────────────────────────────────────────────────────────

    def _renew(self, corpus: Corpus) -> None:
        """Weigh the candidates again by the words that were added, and add those that only these words reach."""
        at = next((n for n in range(len(self._read) - 1, -1, -1) if isinstance(self._read[n], CandidatesFound)), None)
        found = self._read[at] if at is not None else None
        if not self._added or at is None or not isinstance(found, CandidatesFound):
            return
        words = "\n".join(dialogue.says(self._start, turn.index) for turn in self._added)
        sought = dict.fromkeys(terms.tokens(words), 1.0)
        evidence = Evidence()
        if sought:
            cue_evidence(corpus, list(sought), evidence, self._cancel)
        self._point(corpus, evidence)
        values: defaultdict[RecordKey, dict[str, float]] = defaultdict(dict)
        for name, by_record in evidence.values.items():
            for record, value in by_record.items():
                if record in corpus.rows and value > 0.001:
                    values[corpus.rows[record].key][name] = value
        rows = {row.key: row for row in corpus.rows.values()}
        proposals = [_weighed(p, values.pop(p.key, {}), evidence, rows.get(p.key)) for p in found.proposals]
        proposals += [_new(rows[key], named, evidence) for key, named in values.items()]
        if not self._facts:
            proposals = [replace(p, score=p.score * TELLS_WHAT) if is_changelog(p) else p for p in proposals]
        proposals.sort(key=lambda p: (-p.score, p.key.id))
        margin = proposals[0].score - proposals[1].score if len(proposals) > 1 else None
        sought_words = dict(found.terms)
        for term, weight in opening.sought_words([(words, 1.0)]).items():
            sought_words[term] = max(weight, sought_words.get(term, 0.0))
        self._read[at] = replace(
            found, proposals=tuple(proposals[:PROPOSED]), terms=tuple(sought_words.items()), margin=margin
        )
        self._renew_commits(sought)

    def _point(self, corpus: Corpus, evidence: Evidence) -> None:
        """Evidence for what was pointed at: a place, a kind, a time."""
        for pointing in steering.pointings(self._start):
            named = bool(pointing.kinds or pointing.runtimes or pointing.places)
            timed = pointing.since is not None or pointing.until is not None
            for record, row in corpus.rows.items():
                if named and pointing.where(row.key):
                    evidence.values.setdefault("cue.path", {})[record] = 1.0
                    evidence.told["cue.path", record] = "it lies where you said to look"
                began, ended = beyond.time_of(row.started), beyond.time_of(row.ended)
                if timed and began is not None and pointing.when(began, ended):
                    evidence.values.setdefault("cue.time", {})[record] = 1.0
                    evidence.told["cue.time", record] = "it lies in the time you named"

    def _renew_commits(self, sought: dict[str, float]) -> None:
        """Commits that the added words reach, beside those of the lines."""
        at = next((n for n in range(len(self._read) - 1, -1, -1) if isinstance(self._read[n], CommitsFound)), None)
        named = self._read[at] if at is not None else None
        if self._past is None or at is None or not isinstance(named, CommitsFound) or not sought:
            return
        known = {commit.key for commit in named.commits}
        reached = self._past.search(sought, self._cancel, limit=8)
        best = reached[0][1] if reached else 1.0
        root = self._past.repository.root
        more = [
            CommitNamed(
                RecordKey(Kind.COMMIT, root, commit.hash), commit.subject, commit.author.name, commit.author_time,
                0.5 * value / best,
            )
            for commit, value in reached
        ]  # fmt: skip
        self._read[at] = CommitsFound((*named.commits, *(commit for commit in more if commit.key not in known)))

    # ── past the boundary ───────────────────────────────────────────────────────────────────────────────────────────

    def _go_beyond(self, traced: LinesTraced | None, corpus: Corpus) -> None:
        others = tuple(row for row in corpus.rows.values() if row.record not in self._owned.records)
        outlook = beyond.Outlook(
            self._at.reachable, self._past, corpus, self._cue, traced, self._further_stores, self._cancel,
            self._at.progress, rates.Rates(), others,
        )  # fmt: skip
        for kind in self._admitted:
            self._read.extend(beyond.run(kind, outlook))
        left = [avenue for avenue in beyond.boundary(outlook) if avenue.kind not in self._ever]
        self._read.append(PastBoundary(tuple(left)))


def _weighed(proposal: Proposal, values: dict[str, float], evidence: Evidence, row: RecordRow | None) -> Proposal:
    if not values or row is None:
        return proposal
    added = tuple(_ground(name, value, evidence, row.record) for name, value in values.items())
    before = tuple(ground for ground in proposal.grounds if ground.name not in values)
    pointed = Counter(evidence.turns.get(row.record, {}))
    turns = tuple(turn for turn, _ in pointed.most_common(3)) if row.kind is Kind.CONVERSATION else ()
    return replace(
        proposal,
        grounds=(*before, *added),
        score=score(before) + _of_addition(added),
        turns=tuple(dict.fromkeys((*turns, *proposal.turns)))[:6],
    )


def _new(row: RecordRow, values: dict[str, float], evidence: Evidence) -> Proposal:
    grounds = tuple(_ground(name, value, evidence, row.record) for name, value in values.items())
    pointed = Counter(evidence.turns.get(row.record, {}))
    return Proposal(
        key=row.key,
        gist=row.title or "",
        grounds=grounds,
        score=_of_addition(grounds),
        started=beyond.time_of(row.started),
        ended=beyond.time_of(row.ended),
        turns=tuple(turn for turn, _ in pointed.most_common(6)) if row.kind is Kind.CONVERSATION else (),
    )


def _ground(name: str, value: float, evidence: Evidence, record: int) -> Ground:
    return Ground(name, min(1.0, value), evidence.told.get((name, record), ""))


def _of_addition(grounds: Sequence[Ground]) -> float:
    return sum(ground.value * TABLE[ground.name].weight for ground in grounds) * ADDED
