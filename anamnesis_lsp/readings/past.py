"""The history of one repository as seen from one commit: what a search asks of it again and again, read once.

The messages of the whole history (no paths: cheap) give neighbours, reverts and a search by words; the change of a
single commit is read when it is asked for. Values only: git is behind :mod:`anamnesis_lsp.records.git`.
"""

from __future__ import annotations

import math
import re
import threading
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.index import terms
from anamnesis_lsp.readings.cue import comment_lines, comment_marker
from anamnesis_lsp.records.git import Repository
from anamnesis_lsp.records.git.model import Commit, FileChange, Hunk, Ref
from anamnesis_lsp.records.links import Checkpoints, Link, Trace, agent_traces, commit_links

NEIGHBOUR = timedelta(days=2)
"""An author's previous or next commit further away than this says nothing about this one."""
HISTORY_READ = 150_000
"""Commits whose messages are read, newest first; blame and line history are not bounded by it."""
PATCH_LINES = 40_000
"""Lines of one patch that are looked at."""
SAMPLED = 150
"""Commits whose messages stand for the history's."""
HUNKS_KEPT = 256
"""Files of commits whose hunks are kept: a hover shows them again at every line of theirs."""

_REVERTS = re.compile(r"[Tt]his reverts commit ([0-9a-f]{7,64})")
_TRAILER = re.compile(
    r"^(?:(?:co-authored-by|signed-off-by|reviewed-by|acked-by|tested-by|change-id|entire-[\w-]+|claude-session)\s*:.*"
    r"|.*generated with \[?claude code.*)$",
    re.IGNORECASE | re.MULTILINE,
)


Sample = tuple[tuple[str, frozenset[str]], ...]
"""Commits from all over a history: hash and the words of the message."""


@dataclass(frozen=True, slots=True)
class Patch:
    """What a commit added, by path, and every path it touched. Empty where the change could not be read."""

    added: Mapping[str, tuple[str, ...]]
    paths: tuple[str, ...]
    created: frozenset[str] = frozenset()
    """Those of them that the commit added."""
    kept: frozenset[str] = frozenset()
    """Added lines, white space collapsed, that the commit removed as well: moved or indented, not written by it."""
    whole: bool = True
    """False: only the first lines of it are in ``added``."""
    known: bool = True
    """False: the parent is not here (shallow clone), or the change is too large."""

    def comments(self) -> str:
        """The comments among the added lines, markers stripped."""
        found: list[str] = []
        for path, lines in self.added.items():
            marker = comment_marker(path)
            for line in lines:
                found.extend(comment_lines([line], marker))
                if marker and f" {marker}" in line and not line.lstrip().startswith(marker):
                    found.append(line.split(f" {marker}", 1)[1])
        return "\n".join(found)


def said(message: str) -> str:
    """A commit message without the trailers that say nothing of what was done."""
    return _TRAILER.sub("", message)


class Past:
    """The history reachable from ``head``. Thread-safe; what is read is kept while the object lives."""

    def __init__(self, repository: Repository, head: str, before: Past | None = None) -> None:
        """``before``: the history as it was read from an earlier head; what is the same is not read again."""
        self.repository = repository
        self.head = head
        self.whole = True
        """Whether all of the history was read: known once :meth:`commits` was called."""
        self._before = before
        self._lock = threading.Lock()
        self._log: dict[str, Commit] | None = None
        self._by_author: dict[str, list[str]] = {}
        self._reverted_by: dict[str, list[str]] = {}
        self._patches: dict[str, Patch] = {}
        self.carries: dict[tuple[str, str], float | None] = {}
        """Of a recorded commit and one of the history, how sure the latter carries the former: kept by
        :mod:`.surviving`."""
        self._sample: Sample | None = None
        self._first_seen: dict[str, float | None] = {}
        self._prefixes: frozenset[str] | None = None
        self._hunks: dict[tuple[str, str], tuple[Hunk, ...]] = {}
        self._links: dict[str, list[Link]] = {}
        self._refs: list[Ref] | None = None
        self._checkpoints: Checkpoints | None = None
        self._traces: list[Trace] | None = None
        self._postings: dict[str, list[tuple[int, int]]] | None = None
        self._lengths: list[int] = []
        self._order: list[str] = []

    def commits(self, cancel: CancelToken) -> Mapping[str, Commit]:
        """Every commit of the history by hash, newest first."""
        with self._lock:
            if self._log is None:
                self._read(cancel)
            assert self._log is not None
            return self._log

    def _read(self, cancel: CancelToken) -> None:
        limit = f"--max-count={HISTORY_READ + 1}"
        data = self.repository.run("rev-list", "--date-order", limit, self.head, cancel=cancel, cap=1 << 28)
        hashes = data.decode("ascii", "replace").split()
        self.whole = len(hashes) <= HISTORY_READ
        hashes = hashes[:HISTORY_READ]
        known = (self._before._log or {}) if self._before is not None else {}
        found = {**known, **self.repository.commits([h for h in hashes if h not in known], cancel)}
        self._before = None
        self._log = {h: found[h] for h in hashes if h in found}
        by_author: defaultdict[str, list[Commit]] = defaultdict(list)
        for commit in self._log.values():
            by_author[commit.author.email.casefold()].append(commit)
            for match in _REVERTS.finditer(commit.message):
                self._reverted_by.setdefault(match[1], []).append(commit.hash)
        for author, commits in by_author.items():
            commits.sort(key=lambda c: (c.author_time, c.commit_time))
            self._by_author[author] = [c.hash for c in commits]

    def commit(self, commit: str, cancel: CancelToken) -> Commit:
        """One commit."""
        with self._lock:
            if self._log is not None and commit in self._log:
                return self._log[commit]
        return self.repository.commit(commit, cancel)

    def prefixes(self, cancel: CancelToken) -> frozenset[str]:
        """The first seven digits of every commit of the history."""
        if self._prefixes is None:
            self._prefixes = frozenset(commit[:7] for commit in self.commits(cancel))
        return self._prefixes

    def neighbours(self, commit: Commit, cancel: CancelToken) -> list[Commit]:
        """The author's previous and next commits within two days."""
        log = self.commits(cancel)
        ordered = self._by_author.get(commit.author.email.casefold(), [])
        try:
            at = ordered.index(commit.hash)
        except ValueError:
            return []
        near = [log[ordered[i]] for i in (at - 1, at + 1) if 0 <= i < len(ordered)]
        return [c for c in near if abs(c.author_time - commit.author_time) <= NEIGHBOUR]

    def reverted_by(self, commit: str, cancel: CancelToken) -> list[Commit]:
        """Commits of this history whose message says that they revert ``commit``, oldest first."""
        log = self.commits(cancel)
        found = [log[by] for named, bys in self._reverted_by.items() if commit.startswith(named) for by in bys]
        return sorted(found, key=lambda c: c.commit_time)

    def patch(self, commit: str, cancel: CancelToken) -> Patch:
        """What the commit added. A change that cannot be read gives an empty patch that says so."""
        with self._lock:
            kept = self._patches.get(commit)
        if kept is None:
            changes: list[FileChange] = []
            try:
                changes = self.repository.changes(commit, cancel)
                kept = _patch(changes)
            except AnamnesisError:
                kept = Patch({}, (), known=False)
            with self._lock:  # the patch last: one that is there has its links, also where reading them was cancelled
                self._links[commit] = self._links_of(commit, changes, cancel)
                self._patches[commit] = kept
        return kept

    def hunks(self, commit: str, path: str, cancel: CancelToken) -> tuple[Hunk, ...]:
        """The hunks of one file in a commit, without context. Raises what reading the change raises."""
        with self._lock:
            kept = self._hunks.get((commit, path))
        if kept is None:
            changes = self.repository.changes(commit, cancel, paths=[path], context=0)
            kept = tuple(hunk for change in changes if change.path == path for hunk in change.hunks)
            with self._lock:
                if len(self._hunks) >= HUNKS_KEPT:
                    self._hunks.pop(next(iter(self._hunks)))
                self._hunks[commit, path] = kept
        return kept

    def links(self, commit: str, cancel: CancelToken) -> list[Link]:
        """What is recorded about the commit: trailers and ids, checkpoints, notes, its own session files, traces."""
        self.patch(commit, cancel)
        return self._links[commit]

    def _links_of(self, commit: str, changes: Sequence[FileChange], cancel: CancelToken) -> list[Link]:
        if self._refs is None:
            self._refs = self.repository.refs(cancel)
        if self._checkpoints is None:
            self._checkpoints = Checkpoints(self.repository, cancel)
        message = self.repository.commit(commit, cancel).message
        found = commit_links(self.repository, commit, message, changes, cancel, self._checkpoints, self._refs)
        return found + [trace.link for trace in self._traced(cancel) if trace.revision == commit]

    def _traced(self, cancel: CancelToken) -> list[Trace]:
        if self._traces is None:
            try:
                self._traces = [] if self.repository.bare else list(agent_traces(self.repository.root, cancel))
            except AnamnesisError:
                self._traces = []
        return self._traces

    def first_seen(self, path: str, cancel: CancelToken) -> float | None:
        """When a file came into the history, under whatever name (epoch seconds); None where the history has it not."""
        if path not in self._first_seen:
            try:
                asked = ("--follow", "--diff-filter=A", "--format=%ct", self.head, "--", path)
                times = self.repository.run("log", *asked, cancel=cancel).split()
            except AnamnesisError as error:
                if error.code is ErrorCode.CANCELLED:
                    raise
                times = []
            self._first_seen[path] = float(times[-1]) if times else None
        return self._first_seen[path]

    def rarity(self, words: Collection[str], cancel: CancelToken) -> dict[str, float]:
        """How rare each word is among the messages of the history, 0 to 1: by BM25's inverse document frequency."""
        postings, count = self._indexed(cancel)
        rarest = _rarity(count, 0)
        return {word: _rarity(count, len(postings.get(word, ()))) / rarest for word in words}

    def sample(self, cancel: CancelToken) -> Sample:
        """Commits evenly from all over the history, with the words of their messages."""
        log = self.commits(cancel)
        if self._sample is None:
            hashes = list(log)[:: max(1, len(log) // SAMPLED)]
            self._sample = tuple((commit, frozenset(terms.tokens(said(log[commit].message)))) for commit in hashes)
        return self._sample

    def _indexed(self, cancel: CancelToken) -> tuple[Mapping[str, list[tuple[int, int]]], int]:
        log = self.commits(cancel)
        with self._lock:
            if self._postings is None:
                self._index(log)
            assert self._postings is not None
            return self._postings, len(self._order)

    def search(self, sought: Mapping[str, float], cancel: CancelToken, limit: int = 30) -> list[tuple[Commit, float]]:
        """The commits whose messages the words reach, best first, by BM25."""
        log = self.commits(cancel)
        postings, count = self._indexed(cancel)
        lengths, order = self._lengths, self._order
        if not count:
            return []
        mean = sum(lengths) / count or 1.0
        scores: defaultdict[int, float] = defaultdict(float)
        for term, weight in sought.items():
            rows = postings.get(term, ())
            rarity = _rarity(count, len(rows))
            for index, times in rows:
                scores[index] += weight * rarity * times * 2.2 / (times + 1.2 * (0.25 + 0.75 * lengths[index] / mean))
        best = sorted(scores.items(), key=lambda pair: -pair[1])[:limit]
        return [(log[order[index]], score) for index, score in best]

    def _index(self, log: Mapping[str, Commit]) -> None:
        postings: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
        for index, commit in enumerate(log.values()):
            counted = Counter(terms.tokens(said(commit.message)))
            self._order.append(commit.hash)
            self._lengths.append(sum(counted.values()))
            for term, times in counted.items():
                postings[term].append((index, times))
        self._postings = dict(postings)


def _rarity(count: int, seen: int) -> float:
    return math.log(1 + (count - seen + 0.5) / (seen + 0.5))


def _patch(changes: Sequence[FileChange]) -> Patch:
    added: dict[str, tuple[str, ...]] = {}
    paths: dict[str, None] = {}
    left = PATCH_LINES
    for change in changes:
        paths[change.path] = None
        if change.old_path:
            paths.setdefault(change.old_path, None)
        if left <= 0:
            continue
        lines = [line[1:] for hunk in change.hunks for line in hunk.lines if line.startswith("+")][:left]
        left -= len(lines)
        if lines:
            added[change.path] = tuple(lines)
    created = frozenset(change.path for change in changes if change.status.startswith("A"))
    removed = {" ".join(line[1:].split()) for c in changes for h in c.hunks for line in h.lines if line[:1] == "-"}
    kept = frozenset(plain for text in added.values() for line in text if (plain := " ".join(line.split())) in removed)
    return Patch(added, tuple(paths), created, kept, left > 0)
