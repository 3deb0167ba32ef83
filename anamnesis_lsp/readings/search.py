"""The search of one pass: what the cue gives reason to read, each read an evidence turn and an entry of the ledger.

Axes in order of worth per cost, following what each read exposes: the selected lines lead to commits (blame), the
commits to what they record (trailers, notes, ids) and to what was written, said and decided around them (the catalog),
the best of these are opened at their own source. Without lines, the cue's words, names and times lead. Time orders; it
hides nothing.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from pathlib import Path

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.contract import Context, Origin, Turn
from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.index import lines, terms
from anamnesis_lsp.index.rows import Pending, RecordRow
from anamnesis_lsp.readings import axes, capture, covering, grounds, linked, opening, surviving, tracing
from anamnesis_lsp.readings.content import (
    AxisRead,
    CandidatesFound,
    CommitNamed,
    CommitsFound,
    Content,
    Ground,
    Invocation,
    LinesTraced,
    Proposal,
    RecordNotOpened,
    RecordOpened,
    ScopeSearched,
    SearchFailed,
)
from anamnesis_lsp.readings.corpus import Corpus, rarity
from anamnesis_lsp.readings.cue import CueRead
from anamnesis_lsp.readings.fitting import UNKNOWN, Pointed, pointed_of
from anamnesis_lsp.readings.found import Candidate, score
from anamnesis_lsp.readings.grounds import Evidence, Facts
from anamnesis_lsp.readings.joining import LINK_ENOUGH, is_changelog
from anamnesis_lsp.readings.opening import Reach
from anamnesis_lsp.readings.owning import Owned, grounds_of
from anamnesis_lsp.readings.past import Past, said
from anamnesis_lsp.readings.reachable import Progress, Reachable, silent
from anamnesis_lsp.readings.weights import TABLE
from anamnesis_lsp.records import decisions
from anamnesis_lsp.records.conversations.stores import Store
from anamnesis_lsp.records.evidence import Kind, RecordKey
from anamnesis_lsp.records.git import Repository

PROPOSED = 40
"""Candidates whose evidence enters the context."""
TOLD_WHY_OURS = 12
"""So many of the first proposals are told with the ground on which they belong to the repository."""
SECOND_COMMIT = 0.5
"""What the evidence of a further commit of the selection counts, times its share."""
OWNS_MUCH = 0.25
"""Share of the selection from which a record that is linked to a further commit belongs to the story."""
CUE_WITH_LINES = 0.15
"""What the cue's words count where lines are selected: the commits say more."""
DATED = 8
"""So many of the first proposals are dated by the history where they say no date themselves."""
RATED = 400
"""Words of the selection and the cue whose rarity is looked up."""
COMMON = 0.25
"""Rarity of a word that every record has."""
FEW_RECORDS = 20
"""Of so many records the rarity of a word says half of what it says of many."""
TELLS_WHAT = 0.6
"""What the score of a changelog's entry counts where words alone lead: it tells what, seldom why."""
NAMED_COMMIT = 3.0
"""Score of a commit that the cue names by its hash, where the best reached by words has 1."""


@dataclass(slots=True)
class Workplace:
    """What a pass works with: what can be reached, and how it is told to stop."""

    reachable: Reachable
    stores: tuple[Store, ...]
    cancel: CancelToken
    progress: Progress = silent
    buffers: Mapping[str, str] = field(default_factory=lambda: dict[str, str]())
    """Unsaved texts by the digest an invocation names them by."""
    at_once: bool = False
    """Blame asks no commit where it copied lines from; what is known of that counts (for a hover)."""
    unsettled: bool = False
    """Some of it was not known: the same question may be answered better later."""


Leads = Callable[[Context[Content]], Iterable[Candidate]]
"""The candidates of a context, best first: asked again as the context grows."""


class Search:
    """One pass. Make one per pass; :meth:`run` returns the evidence it read, in order."""

    def __init__(self, workplace: Workplace, c: Context[Content], cue: CueRead, leads: Leads) -> None:
        self._at = workplace
        self._cancel = workplace.cancel
        self._start = c
        self._cue = cue
        self._leads = leads
        self._read: list[Content] = []
        self._past: Past | None = None
        self._corpus: Corpus
        self._owned: Owned
        self._facts: list[Facts] = []
        self._until: float | None = None
        """Until when commits are asked what they carry of recorded ones."""
        self._rows: dict[RecordKey, RecordRow] = {}
        self._carried: dict[tuple[RecordKey, str], str] = {}
        self._misnamed: dict[str, frozenset[str]] = {}
        """Which hash a conversation recorded for what a commit of the history carries now."""

    def run(self) -> list[Content]:
        """Search along the axes, then open what leads. Raises ``AnamnesisError`` only where the selection cannot be
        read.
        """
        invocation = self._cue.invocation
        traced: LinesTraced | None = None
        if invocation is not None and invocation.root is not None:
            repository = self._at.reachable.repository(invocation.root, self._cancel)
            head = invocation.rev or self._head(repository)
            if head is not None:
                self._past = self._at.reachable.past(repository, head)
            if invocation.path is not None and self._past is not None and self._cue.left_lines:
                self._read.append(LinesTraced(repository.root, invocation.path, self._past.head, ()))
            elif invocation.path is not None and self._past is not None:
                self._at.progress("Tracing the selected lines")
                traced = self._trace(invocation, self._past)
                self._read.append(traced)
        corpus = self._corpus = self._at.reachable.corpus(self._at.stores, self._cancel)
        self._rows = {row.key: row for row in corpus.rows.values()}
        self._owned = self._at.reachable.owned(corpus, self._past, self._cancel)
        if traced is not None and traced.shares:
            self._by_lines(traced, invocation, corpus)
        else:
            self._by_words(corpus)
        self._scope(corpus, traced)
        self._read.extend(capture.receipts(self._at.reachable, corpus, self._proposed()))
        self._at.progress("Opening the records")
        self._open_leading(traced)
        return self._read

    def _head(self, repository: Repository) -> str | None:
        try:
            return repository.head(self._cancel)
        except AnamnesisError as error:
            if error.code is not ErrorCode.UNBORN_HEAD:
                raise
            self._read.append(SearchFailed("git", repository.root, error.message))
            return None

    # ── lines → commits ─────────────────────────────────────────────────────────────────────────────────────────────

    def _trace(self, invocation: Invocation, past: Past) -> LinesTraced:
        assert invocation.path is not None
        ask = not self._at.at_once
        wanted = None
        if invocation.lines is not None:
            first, last = invocation.lines
            wanted = [(max(1, first - tracing.BESIDE), last + tracing.BESIDE)] if ask else [invocation.lines]
        buffer = self._at.buffers.get(invocation.buffer) if invocation.buffer else None
        if buffer is not None and invocation.rev is None:
            blame = past.repository.blame_buffer(invocation.path, buffer, wanted, self._cancel, past.head, ask)
        else:
            blame = past.repository.blame(past.head, invocation.path, wanted, self._cancel, ask)
        self._at.unsettled = self._at.unsettled or not blame.copies_followed
        return tracing.traced(past, blame, invocation, self._cue.words, self._cancel, ask=ask)

    def _by_lines(self, traced: LinesTraced, invocation: Invocation | None, corpus: Corpus) -> None:
        assert self._past is not None and invocation is not None
        first = invocation.lines[0] if invocation.lines is not None else 1
        text = invocation.selected
        for share in traced.shares[:3]:
            if share.boundary or share.commit in traced.put_back:
                continue
            mine = [text[n - first] for a, b in share.at for n in range(a, b + 1) if 0 <= n - first < len(text)]
            self._facts.append(grounds.facts_of(self._past, share, mine, self._cancel))
        self._at.progress("Looking for who wrote and decided them")
        self._until = None if self._at.at_once else time.monotonic() + surviving.SECONDS
        proposals = self._ranked(corpus, traced)
        sought = self._sought(text)
        self._read.append(replace(_found(proposals, sought), rarity=self._rarity(corpus, text)))
        root = self._past.repository.root
        self._read.append(CommitsFound(tuple(_named(root, facts) for facts in self._facts)))

    def _ranked(self, corpus: Corpus, traced: LinesTraced) -> list[Proposal]:
        sums: defaultdict[int, dict[str, float]] = defaultdict(dict)
        told: dict[tuple[str, int], str] = {}
        turns: defaultdict[int, Counter[int]] = defaultdict(Counter)
        commits: defaultdict[int, list[str]] = defaultdict(list)
        allowed: set[int] = set()
        for rank, facts in enumerate(self._facts):
            weight = 1.0 if rank == 0 else SECOND_COMMIT * facts.share.weight
            evidence = self._evidence(corpus, facts, rank == 0)
            possible = grounds.possible(corpus, facts) | _linked_in(evidence)
            allowed |= possible
            for name, values in evidence.values.items():
                if rank and not name.startswith(("link.", "lines.")):
                    continue
                for record, value in values.items():
                    if record not in possible and not name.startswith("link."):
                        continue
                    if name == "lines.selected" and value > sums[record].get("lines.owned", 0.0):
                        sums[record]["lines.owned"] = value
                    counted = value * weight
                    if rank and name.startswith("link.") and facts.share.weight >= OWNS_MUCH:
                        counted = max(counted, min(value, LINK_ENOUGH))  # it joins still: of its part it is the origin
                    known = sums[record].get(name, 0.0)
                    if counted > known:
                        sums[record][name] = counted
                        if (name, record) in evidence.told:
                            told[name, record] = evidence.told[name, record]
                    if (
                        name.startswith("link.")
                        and TABLE[name].weight >= 5
                        and facts.commit.hash not in commits[record]
                    ):
                        commits[record].append(facts.commit.hash)
            for record, pointed in evidence.turns.items():
                for turn, value in pointed.items():
                    turns[record][turn] += value * weight  # type: ignore[assignment]
        allowed |= {record for record, names in sums.items() if any(name.startswith("link.") for name in names)}
        proposals = [
            _proposal(corpus.rows[record], names, told, turns[record], commits[record])
            for record, names in sums.items()
            if record in allowed and record in corpus.rows and self._is_ours(record, names)
        ]
        proposals.sort(key=lambda p: (-p.score, p.key.id))
        proposals = self._without_later(proposals[:PROPOSED])
        return self._with_grounds(corpus, proposals)

    def _without_later(self, proposals: Sequence[Proposal]) -> list[Proposal]:
        """Without undated decision records that came into the history after the commits: they led to none of them.

        Asked of the first few only: the others are not told.
        """
        assert self._past is not None
        latest = max((facts.latest for facts in self._facts), default=0.0)
        root = self._past.repository.root
        kept: list[Proposal] = []
        for n, proposal in enumerate(proposals):
            key = proposal.key
            undated = key.kind is Kind.DECISION and proposal.started is None and key.root == root
            if undated and n < DATED and not self._at.at_once:
                came = self._past.first_seen(key.id.partition("#")[0], self._cancel)
                if came is not None and came > latest:
                    continue
            kept.append(proposal)
        return kept

    def _evidence(self, corpus: Corpus, facts: Facts, first: bool) -> Evidence:
        evidence = grounds.gather(corpus, facts, self._cancel) if first else grounds.lines_only(corpus, facts)
        assert self._past is not None
        linked.links(self._past, corpus, facts, evidence, self._cancel)
        self._misnamed[facts.commit.hash] = frozenset(evidence.misnamed)
        carried = surviving.evidence(self._past, corpus, facts, evidence, self._cancel, until=self._until)
        for record, recorded in carried.items():
            self._carried.setdefault((corpus.rows[record].key, facts.commit.hash), recorded)
        linked.doubt_false_anchors(evidence)
        linked.which_of_several(evidence)
        if first and self._cue.words:
            own = grounds.cue_beside_lines(corpus, terms.tokens(self._cue.words))
            for name, values in own.items():
                evidence.values[name] = {record: value * CUE_WITH_LINES for record, value in values.items()}
        return evidence

    def _with_grounds(self, corpus: Corpus, proposals: Sequence[Proposal]) -> list[Proposal]:
        """The proposals, the first ones with the ground on which they belong to this repository."""
        if self._past is None or not proposals:
            return list(proposals)
        rows = {row.key: row.record for row in corpus.rows.values()}
        traits = self._at.reachable.traits(self._past, self._cancel)
        first = [rows[p.key] for p in proposals[:TOLD_WHY_OURS] if p.key in rows]
        found = grounds_of(corpus, first, traits)
        return [replace(p, belongs=found[rows[p.key]].ground) if rows.get(p.key) in found else p for p in proposals]

    def _is_ours(self, record: int, names: Mapping[str, float]) -> bool:
        """Whether the record belongs to this repository, or is tied to it by a link or by the lines themselves.

        One in which nothing was said (a log of snapshots alone) is no past that anybody could have meant.
        """
        if record in self._corpus.rows and not self._corpus.rows[record].terms:
            return False
        return record in self._owned.records or any(name.startswith(("link.", "lines.")) for name in names)

    # ── words → records ─────────────────────────────────────────────────────────────────────────────────────────────

    def _by_words(self, corpus: Corpus) -> None:
        words = terms.tokens(self._cue.words)
        sought = grounds.with_forms(words)
        evidence = Evidence()
        self._at.progress("Searching the conversations and decision records")
        grounds.cue_evidence(corpus, words, evidence, self._cancel, self._past)
        axes_read = axes.times(self._cue.times, self._past, self._cancel)
        self._read.extend(axes_read)
        axes.evidence(self._cue, corpus, axes_read, evidence)
        sums: defaultdict[int, dict[str, float]] = defaultdict(dict)
        for name, values in evidence.values.items():
            for record, value in values.items():
                sums[record][name] = value
        proposals = [
            _proposal(corpus.rows[record], names, evidence.told, Counter(evidence.turns.get(record, {})), [])
            for record, names in sums.items()
            if record in corpus.rows and self._is_ours(record, names)
        ]
        proposals = [replace(p, score=p.score * TELLS_WHAT) if is_changelog(p) else p for p in proposals]
        proposals.sort(key=lambda p: (-p.score, p.key.id))
        proposals = self._with_grounds(corpus, proposals[:PROPOSED])
        found = _found(proposals, opening.sought_words([(self._cue.words, 1.0)]))
        covered = tuple(covering.shares(self._cue, corpus, self._past, self._cancel).items())
        self._read.append(replace(found, rarity=self._rarity(corpus, ()), covered=covered))
        if self._past is not None and sought:
            self._at.progress("Searching the commit messages")
            self._read.append(self._commits_by_words(self._past, sought, axes_read))

    def _commits_by_words(self, past: Past, sought: Mapping[str, float], read: Sequence[AxisRead]) -> CommitsFound:
        authors = axes.people(self._cue, past, self._cancel)
        reached = past.search(sought, self._cancel, limit=4 * PROPOSED)
        best = reached[0][1] if reached else 1.0
        scores = {c.hash: (c, value / best * axes.fit(c, read, authors)) for c, value in reached}
        scores |= {c.hash: (c, NAMED_COMMIT) for c in axes.named_commits(self._cue, past, self._cancel)}
        ordered = sorted(scores.values(), key=lambda pair: -pair[1])[:PROPOSED]
        root = past.repository.root
        return CommitsFound(
            tuple(
                CommitNamed(RecordKey(Kind.COMMIT, root, c.hash), c.subject, c.author.name, c.author_time, value)
                for c, value in ordered
            )
        )

    def _sought(self, selected: Sequence[str]) -> dict[str, float]:
        texts = [(said(f.commit.message), 1.0 if n == 0 else 0.4) for n, f in enumerate(self._facts)]
        texts.append(("\n".join(selected), 0.6))
        if self._cue.words:
            texts.append((self._cue.words, 1.0))
        return opening.sought_words(texts)

    def _rarity(self, corpus: Corpus, selected: Sequence[str]) -> tuple[tuple[str, float], ...]:
        """How rare the words pointed at are among the records, the less sure the fewer records there are."""
        words = list(terms.distinct([self._cue.words, *selected]))[:RATED]
        count = len(corpus.rows)
        if not count:
            return ()
        frequency = corpus.catalog.frequencies(words, self._at.stores)
        rarest, sure = rarity(count, 0), count / (count + FEW_RECORDS)
        return tuple(
            (word, max(COMMON, sure * rarity(count, frequency.get(word, 0)) / rarest + (1 - sure) * UNKNOWN))
            for word in words
        )

    def _pointed(self) -> Pointed:
        found = next((r for r in reversed(self._read) if isinstance(r, CandidatesFound)), None)
        return pointed_of(self._cue, dict(found.rarity) if found is not None else {})

    # ── the ledger ──────────────────────────────────────────────────────────────────────────────────────────────────

    def _scope(self, corpus: Corpus, traced: LinesTraced | None) -> None:
        if self._past is not None:
            log = self._past.commits(self._cancel)
            times = [commit.commit_time for commit in log.values()]
            newest = "" if self._past.whole else f"newest {len(log):,} "
            how = f"the {newest}commit messages of the history of {self._past.head[:9]}"
            if traced is not None:
                how = f"blame of the selection at {traced.asked_from[:9]}, renames, moves and copies followed; {how}"
            shallow = "the clone is shallow: what came before it is not here" if self._past.repository.shallow else None
            self._read.append(
                ScopeSearched(
                    "git", self._past.repository.root, len(log),
                    len(log) if self._past.whole and not shallow else None,
                    min(times, default=None), max(times, default=None), how, shallow,
                )
            )  # fmt: skip
        for store in self._at.stores:
            rows = [row for row in corpus.rows.values() if row.store == store]
            ours = sum(row.record in self._owned.records for row in rows)
            self._read.append(_store_scope(store, rows, ours, self._at.reachable.unread.get(store)))
        for refusal in self._at.reachable.refusals:
            if refusal.store in self._at.stores:
                self._read.append(SearchFailed(refusal.store.runtime, refusal.store.root, refusal.reason))

    def _proposed(self) -> list[RecordKey]:
        return [p.key for content in self._read if isinstance(content, CandidatesFound) for p in content.proposals]

    # ── opening ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def _context(self) -> Context[Content]:
        return (*self._start, *(Turn[Content](Origin.EXTERNAL, content) for content in self._read))

    def _open_leading(self, traced: LinesTraced | None) -> None:
        """Open the members of the leading candidate; where none of them opens, those of the next, until one does."""
        tried: set[RecordKey] = set()
        for candidate in self._leads(self._context()):
            self._cancel.check()
            any_opened = False
            for key in candidate.keys:
                if key not in tried:
                    tried.add(key)
                    self._open(key, candidate, traced)
                any_opened = any_opened or self._is_open(key)
            if any_opened:
                return

    def _is_open(self, key: RecordKey) -> bool:
        return any(isinstance(content, RecordOpened) and content.record.key == key for content in self._read)

    def _open(self, key: RecordKey, candidate: Candidate, traced: LinesTraced | None) -> None:
        try:
            if key.kind is Kind.COMMIT:
                self._open_commit(key, traced)
            elif key.kind is Kind.CONVERSATION:
                self._open_conversation(key, candidate)
            else:
                self._read.append(RecordOpened(decisions.open_decision(key.root, key.id, None, self._cancel)))
        except AnamnesisError as error:
            self._read.append(RecordNotOpened(key, error.message))

    def _open_commit(self, key: RecordKey, traced: LinesTraced | None) -> None:
        if self._past is None:
            raise AnamnesisError(
                ErrorCode.RECORD_GONE,
                f"The repository of commit {key.id[:12]} cannot be read (any more).",
                "Check the repository with `git fsck`, and run Recollect again.",
            )
        share = next((s for s in traced.shares if s.commit == key.id), None) if traced is not None else None
        total = tracing.selected_count(self._cue.invocation)
        self._read.append(RecordOpened(opening.open_commit(self._past, key, share, total, self._cancel)))
        for later in self._since().reverted_by(key.id, self._cancel)[:1]:
            reverting = RecordKey(Kind.COMMIT, key.root, later.hash)
            record = opening.open_revert(self._past, reverting, key.id, self._cancel)
            if record is not None:
                self._read.append(RecordOpened(record))

    def _since(self) -> Past:
        """The history up to now, also where the question was asked from an older revision: what came later is said."""
        assert self._past is not None
        head = self._head(self._past.repository)
        return self._past if head is None else self._at.reachable.past(self._past.repository, head)

    def _open_conversation(self, key: RecordKey, candidate: Candidate) -> None:
        row = self._rows.get(key)
        if row is None:
            raise AnamnesisError(
                ErrorCode.RECORD_GONE, f"The conversation {key.id} is not known any more.", "Search again."
            )
        source = self._at.reachable.source(row.store, row.key.id, self._cancel)
        found = next((r for r in reversed(self._read) if isinstance(r, CandidatesFound)), None)
        proposed = next((p for p in (found.proposals if found is not None else ()) if p.key == key), None)
        turns = proposed.turns if proposed is not None else ()
        facts = self._facts_of((*(proposed.commits if proposed is not None else ()), *candidate.commits))
        reach = Reach(turns=turns, pointed=self._pointed())
        if facts is not None:
            invocation = self._cue.invocation
            reach = Reach(
                selected=invocation.selected if invocation is not None else facts.selected,
                path=facts.share.path,
                commit=facts.commit.hash,
                recorded=self._carried.get((key, facts.commit.hash)),
                misnamed=self._misnamed.get(facts.commit.hash, frozenset()),
                added=frozenset(h for text in facts.patch.added.values() for h in lines.hashes("\n".join(text))),
                patch=facts.patch.added if facts.patch.whole else {},
                until=facts.latest - self._corpus.shift(row.record, facts.commit.author_time),
                turns=turns,
                pointed=reach.pointed,
            )
        self._read.append(RecordOpened(opening.open_conversation(source, key, reach, self._cancel)))

    def _facts_of(self, joined: Sequence[str]) -> Facts | None:
        """What is known of the first of the commits that a record is joined to; None where it is joined to none."""
        known = {facts.commit.hash: facts for facts in self._facts}
        return next(
            (known[commit] for commit in joined if commit in known), self._facts[0] if joined and known else None
        )


# ── values ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def _linked_in(evidence: Evidence) -> set[int]:
    """Records that a link ties to the commit, whatever their dates: an entry of a change log has its release's."""
    return {record for name, values in evidence.values.items() if name.startswith("link.") for record in values}


def _proposal(
    row: RecordRow,
    values: Mapping[str, float],
    told: Mapping[tuple[str, int], str],
    turns: Counter[int],
    commits: Sequence[str],
) -> Proposal:
    given = tuple(
        Ground(name, min(1.0, value), told.get((name, row.record), ""))
        for name, value in sorted(values.items(), key=lambda item: -item[1] * TABLE[item[0]].weight)
        if value > 0.001
    )
    return Proposal(
        key=row.key,
        gist=row.title or "",
        grounds=given,
        score=score(given),
        started=_time(row.started),
        ended=_time(row.ended),
        turns=tuple(turn for turn, _ in turns.most_common(6)) if row.kind is Kind.CONVERSATION else (),
        commits=tuple(commits),
    )


def _time(seconds: float | None) -> datetime | None:
    if seconds is None:
        return None
    try:
        return datetime.fromtimestamp(seconds, timezone.utc)
    except (OverflowError, ValueError, OSError):
        return None


def _found(proposals: Sequence[Proposal], sought: Mapping[str, float]) -> CandidatesFound:
    margin = proposals[0].score - proposals[1].score if len(proposals) > 1 else None
    return CandidatesFound(tuple(proposals), tuple(sought.items()), margin)


def _named(root: Path, facts: Facts) -> CommitNamed:
    commit, share = facts.commit, facts.share
    return CommitNamed(
        RecordKey(Kind.COMMIT, root, commit.hash), commit.subject, commit.author.name, commit.author_time, share.weight,
        path=share.path, lines=(share.source[0][0], share.source[-1][1]),
    )  # fmt: skip


def _store_scope(store: Store, rows: Sequence[RecordRow], ours: int, left: Pending | None) -> ScopeSearched:
    known = [row.started for row in rows if row.started is not None]
    ended = [row.started if row.ended is None else row.ended for row in rows if row.started is not None]
    return ScopeSearched(
        kind=store.runtime,
        root=store.root,
        examined=len(rows),
        of=len(rows) if left is None else len(rows) + left.sources,
        since=_time(min(known, default=None)),
        until=_time(max(ended, default=None)),
        how="words, written lines, paths and times, by our index; the leading one opened at its source"
        + ("" if ours == len(rows) else f"; {ours:,} of them belong to this repository"),
        not_searched=None if left is None else _not_read_yet(left),
        unread=0 if left is None else left.sources,
    )


def _not_read_yet(left: Pending) -> str | None:
    if not left.sources:
        return None
    size = f"{left.bytes / 1e6:,.1f} MB"
    return f"{left.sources:,} new or changed, {size}, that our index has not read yet; it goes on reading"
