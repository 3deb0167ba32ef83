"""Past the boundary: what is there, what it would cost (:func:`boundary`), and reading it once admitted (:func:`run`).

A cost is the amount times a rate measured on this machine (:mod:`.rates`); where a rate is not known yet, a small
sample is read first.
"""

from __future__ import annotations

import math
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import TypeVar

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.index import lines, terms
from anamnesis_lsp.index.rows import RecordRow
from anamnesis_lsp.readings import covering, rates
from anamnesis_lsp.readings.content import (
    Avenue,
    CommitNamed,
    Ground,
    LinesTraced,
    Proposal,
    ScopeSearched,
    SearchFailed,
    WiderFound,
)
from anamnesis_lsp.readings.corpus import Corpus, best_is_one, rarity
from anamnesis_lsp.readings.cue import CueRead
from anamnesis_lsp.readings.found import COVERED, score
from anamnesis_lsp.readings.past import Past, said
from anamnesis_lsp.readings.reachable import Progress, Reachable
from anamnesis_lsp.records.conversations.registry import runtime
from anamnesis_lsp.records.conversations.stores import Store
from anamnesis_lsp.records.evidence import Kind, RecordKey
from anamnesis_lsp.records.git import Commit, Repository
from anamnesis_lsp.records.git.blame_lines import parse_incremental
from anamnesis_lsp.records.git.process import GitFailed

K = TypeVar("K", str, int)

FOUND = 12
"""Records that one wider search proposes."""
SAMPLE_COMMITS = 40
SAMPLE_BYTES = 400_000
REFS_NAMED = 3
LONG_SECONDS = 1800.0
"""How long an admitted search of git may take; the person can cancel it before."""

_KEPT_COUNTS: dict[tuple[object, ...], tuple[int, tuple[str, ...], tuple[str, ...]]] = {}


@dataclass(frozen=True, slots=True)
class Outlook:
    """What a pass knows of where it is: enough to say what lies past it."""

    reachable: Reachable
    past: Past | None
    corpus: Corpus
    cue: CueRead
    traced: LinesTraced | None
    further_stores: tuple[Store, ...]
    """Stores known here that this recall does not search."""
    cancel: CancelToken
    progress: Progress
    rates: rates.Rates
    others: tuple[RecordRow, ...] = ()
    """Conversations in the searched stores that belong to other repositories: left out of the order."""

    @property
    def repository(self) -> Repository | None:
        """The repository the recall is in."""
        return self.past.repository if self.past is not None else None


# ── what is there ───────────────────────────────────────────────────────────────────────────────────────────────────


def boundary(at: Outlook) -> tuple[Avenue, ...]:
    """What lies past the boundary here, the cheapest first; what was not measured yet comes last."""
    found: list[Avenue] = []
    for look in (_refs, _further, _bodies, _copies, _pickaxe):
        at.cancel.check()
        try:
            avenue = look(at)
        except AnamnesisError as error:
            if error.code is ErrorCode.CANCELLED:
                raise
            continue
        if avenue is not None:
            found.append(avenue)
    return tuple(sorted(found, key=lambda avenue: math.inf if avenue.seconds is None else avenue.seconds))


def _refs(at: Outlook) -> Avenue | None:
    if at.past is None:
        return None
    count, names, _ = _beyond_head(at)
    if not count:
        return None
    listed = ", ".join(names[:REFS_NAMED]) + (" …" if len(names) > REFS_NAMED else "")
    seconds = _rate(at, "commits", count, lambda: _sample_log(at))
    what = f"their messages, and their changes of {_quoted(_needles(at))}" if _needles(at) else "their messages"
    if _needles(at):
        diffs = _rate(at, "changes", count, lambda: _sample_pickaxe(at))
        seconds = None if seconds is None or diffs is None else seconds + diffs
    commits = f"{count:,} commit{'s' if count != 1 else ''}"
    reach = f"{commits} that only other branches, tags and refs have ({listed}): {what}"
    return Avenue("refs", reach, rates.told(seconds), seconds)


def _further(at: Outlook) -> Avenue | None:
    known = {status.store: status for status in at.reachable.catalog.stores(list(at.further_stores))}
    amount = sum(known[store].bytes or 0 for store in at.further_stores if store in known)
    parts: list[str] = []
    if at.others:
        count = len(at.others)
        parts.append(f"{count:,} conversation{'s' if count != 1 else ''} of other repositories in these stores")
    if at.further_stores:
        count = len(at.further_stores)
        named = ", ".join(dict.fromkeys(store.runtime for store in at.further_stores))
        parts.append(f"{count} other store{'s' if count != 1 else ''} known here ({named})")
    if not parts:
        return None
    if not at.further_stores:
        return Avenue("stores", parts[0], rates.told(0.0), 0.0)  # they are in our index
    seconds = at.rates.seconds("bytes", amount) if amount else None
    cost = rates.told(seconds, rates.size(amount) if amount else "their size is not known")
    return Avenue("stores", " and ".join(parts), cost, seconds)


def _bodies(at: Outlook) -> Avenue | None:
    rows = _conversations(at)
    amount = sum(row.bytes for row in rows)
    if not amount or not _sought(at):
        return None
    seconds = _rate(at, "bytes", amount, lambda: _sample_body(at, rows))
    reach = f"the full text of {len(rows):,} conversations, read at their source instead of our index"
    return Avenue("bodies", reach, rates.told(seconds, rates.size(amount)), seconds)


def _copies(at: Outlook) -> Avenue | None:
    if at.past is None or at.traced is None or not at.traced.shares or at.cue.invocation is None:
        return None
    commits = [share.commit for share in at.traced.shares[:3] if not share.boundary]
    if not commits:
        return None
    entries = len(at.past.repository.tree(at.past.head, at.cancel))
    seconds = at.rates.seconds("files compared", float(entries * len(commits)))
    reach = (
        f"where the selected lines were copied or moved from: all {entries:,} files at {len(commits)}"
        f" commit{'s' if len(commits) != 1 else ''} (git blame -C -C -C)"
    )
    return Avenue("copies", reach, rates.told(seconds), seconds)


def _pickaxe(at: Outlook) -> Avenue | None:
    needles = _needles(at)
    if at.past is None or not needles:
        return None
    count = len(at.past.commits(at.cancel))
    seconds = _rate(at, "changes", count * len(needles), lambda: _sample_pickaxe(at))
    reach = f"the changes of all {count:,} commits of this history, every file, for {_quoted(needles)} (git log -S)"
    return Avenue("pickaxe", reach, rates.told(seconds), seconds)


# ── reading it ──────────────────────────────────────────────────────────────────────────────────────────────────────


Read = WiderFound | ScopeSearched | SearchFailed


def run(kind: str, at: Outlook) -> list[Read]:
    """One admitted search: what it found, and its entry in the ledger. ``stores`` is run by searching wider."""
    searches: dict[str, Callable[[Outlook], list[Read]]] = {
        "refs": _run_refs,
        "bodies": _run_bodies,
        "copies": _run_copies,
        "pickaxe": _run_pickaxe,
    }
    search = searches.get(kind)
    if search is None:
        return [WiderFound(kind)]
    try:
        return list(search(at))
    except AnamnesisError as error:
        root = at.repository.root if at.repository is not None else None
        return [WiderFound(kind), SearchFailed("git" if kind != "bodies" else "conversations", root, error.message)]


def _run_refs(at: Outlook) -> list[Read]:
    past = at.past
    if past is None:
        return [WiderFound("refs")]
    at.progress("Reading other branches and refs")
    _, names, heads = _beyond_head(at)
    begun = time.monotonic()
    listed = past.repository.run("rev-list", *heads, "--not", past.head, "--", cancel=at.cancel, cap=1 << 28)
    hashes = listed.decode("ascii", "replace").split()
    commits = past.repository.commits(hashes, at.cancel)
    at.rates.measured("commits", len(hashes), time.monotonic() - begun)
    scores = _by_message(commits, _sought(at))
    failed: list[SearchFailed] = []
    try:
        for commit in _holding(at, past.repository, _needles(at), [*heads, "--not", past.head], len(hashes)):
            scores[commit] = scores.get(commit, 0.0) + 2.0
    except GitFailed:
        why = "the changes on other branches could not be read: this clone does not hold all of their files"
        failed.append(SearchFailed("git refs", past.repository.root, why))
    found = [_named(past.repository, commits[h], value) for h, value in _best(scores) if h in commits]
    how = f"commit messages of {', '.join(names[:REFS_NAMED])}{' …' if len(names) > REFS_NAMED else ''}"
    if _needles(at) and not failed:
        how += f"; their changes of {_quoted(_needles(at))} (-S)"
    return [WiderFound("refs", tuple(found)), _ledger(past.repository, "git refs", commits.values(), how), *failed]


def _run_pickaxe(at: Outlook) -> list[Read]:
    past = at.past
    if past is None:
        return [WiderFound("pickaxe")]
    at.progress("Reading every change of the history")
    log = past.commits(at.cancel)
    held = list(_holding(at, past.repository, _needles(at), [past.head], len(log)))
    commits = past.repository.commits(held, at.cancel)
    # the oldest that brought or took the text first: where it came from
    ordered = sorted((commits[h] for h in held if h in commits), key=lambda commit: commit.commit_time)
    found = [_named(past.repository, commit, 1.0 / (1 + n)) for n, commit in enumerate(ordered[:FOUND])]
    how = f"the changes of every commit of {past.head[:9]}, every file, for {_quoted(_needles(at))} (-S)"
    return [WiderFound("pickaxe", tuple(found)), _ledger(past.repository, "git changes", log.values(), how)]


def _run_copies(at: Outlook) -> list[Read]:
    past, traced = at.past, at.traced
    if past is None or traced is None:
        return [WiderFound("copies")]
    at.progress("Looking for where the lines were copied from")
    repository = past.repository
    begun = time.monotonic()
    origins: Counter[tuple[str, str]] = Counter()
    asked = 0
    for share in traced.shares[:3]:
        if share.boundary:
            continue
        asked += 1
        ranges = [part for first, last in share.source for part in ("-L", f"{first},{last}")]
        options = ("--incremental", "--root", "-w", "-M", "-C", "-C", "-C", *ranges, share.commit, "--", share.path)
        with repository.stream("blame", *options, cancel=at.cancel, seconds=LONG_SECONDS) as answered:
            for group in parse_incremental(answered):
                if group.commit != share.commit:
                    origins[group.commit, group.path] += group.count
    files = len(repository.tree(past.head, at.cancel))
    at.rates.measured("files compared", files * asked, time.monotonic() - begun)
    commits = repository.commits({commit for commit, _ in origins}, at.cancel)
    found = [
        _named(repository, commits[commit], float(count), path)
        for (commit, path), count in origins.most_common(FOUND)
        if commit in commits
    ]
    how = f"where the selected lines were copied or moved from, among all {files:,} files (blame -C -C -C)"
    entry = ScopeSearched("git copies", repository.root, asked, asked, None, None, how)
    return [WiderFound("copies", tuple(found)), entry]


def _run_bodies(at: Outlook) -> list[Read]:
    rows = _conversations(at)
    sought = _sought(at)
    seen = at.corpus.catalog.frequencies(list(sought), at.corpus.stores)
    weights = {term: weight * rarity(len(rows), seen.get(term, 0)) for term, weight in sought.items()}
    values: dict[int, float] = {}
    turns: dict[int, int] = {}
    read = 0
    begun = time.monotonic()
    for n, row in enumerate(rows):
        at.cancel.check()
        at.progress("Reading the conversations at their source", 100 * n // max(1, len(rows)))
        best = _best_turn(at, row, weights)
        if best is None:
            continue
        read += row.bytes
        if best[1] > 0:
            turns[row.record], values[row.record] = best
    at.rates.measured("bytes", read, time.monotonic() - begun)
    by_record = {row.record: row for row in rows}
    proposals = [
        _proposal(by_record[record], value, turns[record]) for record, value in _best(best_is_one(values))[:FOUND]
    ]
    how = "every turn of the conversations read at its source, for the words of the cue"
    entries = _store_entries(rows, how)
    return [WiderFound("bodies", proposals=tuple(proposals)), *entries]


# ── git ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def _beyond_head(at: Outlook) -> tuple[int, tuple[str, ...], tuple[str, ...]]:
    """How many commits only other refs have, those refs' short names, and their commits."""
    assert at.past is not None
    repository = at.past.repository
    refs = [ref for ref in repository.refs(at.cancel) if ref.type == "commit"]
    refs = [ref for ref in refs if not ref.name.startswith("refs/notes/")]
    key = (repository.root, at.past.head, tuple((ref.name, ref.hash) for ref in refs))
    known = _KEPT_COUNTS.get(key)
    if known is not None:
        return known
    inside = at.past.commits(at.cancel)
    outside = [ref for ref in refs if ref.hash not in inside]
    heads = tuple(dict.fromkeys(ref.hash for ref in outside))
    count = 0
    if heads:
        try:
            data = repository.run("rev-list", "--count", *heads, "--not", at.past.head, "--", cancel=at.cancel)
            count = int(data.decode("ascii", "replace").strip() or 0)
        except (GitFailed, ValueError):
            count = 0
    names = tuple(ref.name.removeprefix("refs/").removeprefix("heads/") for ref in outside)
    if len(_KEPT_COUNTS) > 64:
        _KEPT_COUNTS.clear()
    _KEPT_COUNTS[key] = (count, names, heads)
    return _KEPT_COUNTS[key]


def _needles(at: Outlook) -> tuple[str, ...]:
    """What to look for in changes: the most telling selected line, or the names of code in the cue."""
    invocation = at.cue.invocation
    if at.traced is not None and invocation is not None:
        telling = [line.strip()[:200] for line in invocation.selected if lines.normalise(line) is not None]
        return tuple(sorted((line for line in telling if "%G" not in line), key=len)[-1:])
    named = [a.value for a in at.cue.cue.axes if a.kind in ("artifact", "identifier") and " " not in a.value]
    return tuple(dict.fromkeys(name.strip("()`") for name in named if "/" not in name and len(name) > 3))[:2]


def _holding(
    at: Outlook, repository: Repository, needles: Sequence[str], range_: Sequence[str], count: int
) -> Iterable[str]:
    """The commits of a range whose change brings or takes one of the needles."""
    for needle in needles:
        begun = time.monotonic()
        options = ("--format=%H", "-z", "--no-renames", f"-S{needle}", *range_, "--")
        data = repository.run("log", *options, cancel=at.cancel, seconds=LONG_SECONDS, cap=1 << 24)
        at.rates.measured("changes", count, time.monotonic() - begun)
        yield from dict.fromkeys(part.strip() for part in data.decode("ascii", "replace").split("\0") if part.strip())


def _by_message(commits: Mapping[str, Commit], sought: Mapping[str, float]) -> dict[str, float]:
    counted = {h: Counter(terms.tokens(said(commit.message))) for h, commit in commits.items()}
    frequency = Counter(term for words in counted.values() for term in words if term in sought)
    scores: defaultdict[str, float] = defaultdict(float)
    for h, words in counted.items():
        for term, weight in sought.items():
            if words[term]:
                scores[h] += weight * rarity(len(counted), frequency[term]) * words[term] / (words[term] + 1.2)
    whole = sum(weight * rarity(len(counted), frequency[term]) for term, weight in sought.items())
    held = {h: sum(w * rarity(len(counted), frequency[t]) for t, w in sought.items() if counted[h][t]) for h in scores}
    return best_is_one_of({h: value for h, value in scores.items() if held[h] >= COVERED * whole})


def best_is_one_of(scores: Mapping[str, float]) -> dict[str, float]:
    """Divided by the largest; empty where nothing is above zero."""
    best = max(scores.values(), default=0.0)
    return {key: value / best for key, value in scores.items() if value > 0} if best > 0 else {}


def _best(scores: Mapping[K, float]) -> list[tuple[K, float]]:
    return sorted(scores.items(), key=lambda pair: (-pair[1], str(pair[0])))[:FOUND]


def _named(repository: Repository, commit: Commit, value: float, path: str | None = None) -> CommitNamed:
    key = RecordKey(Kind.COMMIT, repository.root, commit.hash)
    return CommitNamed(key, commit.subject, commit.author.name, commit.author_time, value, path=path)


def _ledger(repository: Repository, kind: str, commits: Iterable[Commit], how: str) -> ScopeSearched:
    times = [commit.commit_time for commit in commits]
    return ScopeSearched(
        kind, repository.root, len(times), len(times), min(times, default=None), max(times, default=None), how
    )


# ── conversations ───────────────────────────────────────────────────────────────────────────────────────────────────


def _sought(at: Outlook) -> dict[str, float]:
    """The words of the cue; of a bare selection, the words of its lines."""
    text = at.cue.words
    if not text.strip() and at.cue.invocation is not None:
        text = "\n".join(at.cue.invocation.selected)
    words = covering.telling(at.cue) if at.cue.words.strip() else []
    return dict.fromkeys(words or terms.tokens(text), 1.0)


def _conversations(at: Outlook) -> list[RecordRow]:
    return [row for row in at.corpus.rows.values() if row.kind is Kind.CONVERSATION and row.gone is None]


def _best_turn(at: Outlook, row: RecordRow, weights: Mapping[str, float]) -> tuple[int, float] | None:
    """The turn that holds most of the words, with what they weigh; None where the record cannot be read."""
    best = (0, 0.0)
    try:
        source = at.reachable.source(row.store, row.key.id, at.cancel)
        for turn in runtime(row.store.runtime).read(source, at.cancel):
            held = set(terms.tokens(turn.text)) & weights.keys()
            value = sum(weights[term] for term in held)
            if value > best[1]:
                best = (turn.n, value)
    except AnamnesisError as error:
        if error.code is ErrorCode.CANCELLED:
            raise
        return None
    return best


def _proposal(row: RecordRow, value: float, turn: int) -> Proposal:
    grounds = (Ground("cue.words", value, "its full text holds the words of the cue"),)
    return Proposal(row.key, row.title or "", grounds, score(grounds), time_of(row.started), turns=(turn,))


def time_of(seconds: float | None) -> datetime | None:
    """The time of so many seconds since the epoch; None where that is none."""
    if seconds is None:
        return None
    try:
        return datetime.fromtimestamp(seconds, timezone.utc)
    except (OverflowError, ValueError, OSError):
        return None


def _store_entries(rows: Sequence[RecordRow], how: str) -> list[ScopeSearched]:
    count = Counter(row.store for row in rows)
    return [
        ScopeSearched(f"{store.runtime} full text", store.root, n, n, None, None, how) for store, n in count.items()
    ]


# ── rates ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def _rate(at: Outlook, what: str, amount: float, sample: Callable[[], None]) -> float | None:
    known = at.rates.seconds(what, amount)
    if known is None:
        sample()
        known = at.rates.seconds(what, amount)
    return known


def _sample_log(at: Outlook) -> None:
    assert at.past is not None
    begun = time.monotonic()
    count = 10 * SAMPLE_COMMITS
    options = ("-z", "--format=%H%x00%B", f"--max-count={count}", at.past.head, "--")
    data = at.past.repository.run("log", *options, cancel=at.cancel)
    read = min(count, len(at.past.commits(at.cancel)))
    if data:
        at.rates.measured("commits", read, time.monotonic() - begun)


def _sample_pickaxe(at: Outlook) -> None:
    assert at.past is not None
    newest = list(at.past.commits(at.cancel))[:SAMPLE_COMMITS]
    begun = time.monotonic()
    options = ("--format=%H", "-z", "--no-renames", "-Sa text that no change holds", "--no-walk", "--stdin", "--")
    text = "".join(f"{h}\n" for h in newest).encode("ascii")
    try:
        at.past.repository.run("log", *options, cancel=at.cancel, seconds=5.0, input_=text)
    except (AnamnesisError, GitFailed):
        return
    at.rates.measured("changes", len(newest), time.monotonic() - begun)


def _sample_body(at: Outlook, rows: Sequence[RecordRow]) -> None:
    if not rows:
        return
    row = min(rows, key=lambda one: abs(one.bytes - SAMPLE_BYTES))
    begun = time.monotonic()
    if row.bytes <= 10 * SAMPLE_BYTES and _best_turn(at, row, {"": 0.0}) is not None:
        at.rates.measured("bytes", row.bytes, time.monotonic() - begun)


def _quoted(needles: Sequence[str]) -> str:
    return ", ".join(f"“{needle[:60]}{'…' if len(needle) > 60 else ''}”" for needle in needles)
