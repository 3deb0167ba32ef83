"""Which commit now carries one that was recorded: after a squash, a rebase, an amend, a cherry-pick.

A hash in a log may be in the history still, be an object that no branch reaches any more, or be gone. In this order:
the hash itself; the same change (git's patch-id) by a commit of the history; a commit that says it was picked from it;
the same author time and subject (a rebase and an amend keep them) with mostly the same lines; a commit that added the
recorded lines among others (a squash). Where the object is gone, the lines that the record has (a conversation's edits)
stand for it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.records.git.model import Commit, LogEntry
from anamnesis_lsp.records.git.process import GitFailed
from anamnesis_lsp.records.git.repository import Repository
from anamnesis_lsp.records.git.shadow import is_hash

How = Literal["same", "patchId", "named", "rewritten", "content"]

MOST_CANDIDATES = 400
MOST_BY_LINES = 60
"""Candidates whose lines are compared."""
EARLIER = timedelta(days=1)
"""A commit made so much before the recorded one cannot carry it; clocks differ."""
CONTAINED = 0.6
"""Share of the recorded lines that a commit must have added to carry them."""
_MOST_LINES = 20_000
_PICKED = re.compile(r"cherry picked from commit ([0-9a-f]{7,64})")
_EMPTY_KEY = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Survivor:
    """The commit of the history that carries a recorded one. ``confidence`` is 0 to 1; ``share`` of the recorded lines
    that it added, None where they were not compared."""

    commit: str
    how: How
    confidence: float
    share: float | None = None


@dataclass(frozen=True, slots=True)
class Recorded:
    """What is known of a recorded commit: its hash, whole or short, and what the record has beside it."""

    hash: str | None = None
    subject: str | None = None
    when: datetime | None = None
    added: Mapping[str, Sequence[str]] | None = None
    """The lines that were written, by path: for a commit whose object is gone."""


def survivor(repo: Repository, recorded: Recorded, head: str, cancel: CancelToken) -> Survivor | None:
    """The commit reachable from ``head`` that carries the recorded one; None where nothing is sure enough.

    Raises what reading the history raises; an object that is gone is no error.
    """
    commit = _object(repo, recorded.hash, cancel)
    if commit is not None and repo.is_ancestor(commit.hash, head, cancel):
        return Survivor(commit.hash, "same", 1.0)
    added = _added(repo, recorded, commit, cancel)
    when = commit.author_time if commit is not None else recorded.when
    candidates = _candidates(repo, head, list(added), when, cancel)
    return _among(repo, recorded, commit, added, candidates, cancel)


def carried_by(repo: Repository, recorded: Recorded, carrier: Commit, cancel: CancelToken) -> Survivor | None:
    """Whether this one commit carries the recorded one: as :func:`survivor`, at a fraction of its cost.

    ``same`` where it is that very commit. That the recorded one is not in the history itself is for the caller to know.
    """
    if recorded.hash and carrier.hash.startswith(recorded.hash):
        return Survivor(carrier.hash, "same", 1.0)
    commit = _object(repo, recorded.hash, cancel)
    entry = LogEntry(
        commit=carrier.hash,
        author=carrier.author,
        author_time=carrier.author_time,
        commit_time=carrier.commit_time,
        message=carrier.message,
        paths=(),
        parents=carrier.parents,
    )
    return _among(repo, recorded, commit, _added(repo, recorded, commit, cancel), [entry], cancel)


def _added(
    repo: Repository, recorded: Recorded, commit: Commit | None, cancel: CancelToken
) -> Mapping[str, Counter[str]]:
    own = _changed(repo, commit.hash, cancel) if commit is not None else None
    return own if own is not None else _keyed(recorded.added or {})


def _among(
    repo: Repository,
    recorded: Recorded,
    commit: Commit | None,
    added: Mapping[str, Counter[str]],
    candidates: Sequence[LogEntry],
    cancel: CancelToken,
) -> Survivor | None:
    subject = commit.subject if commit is not None else recorded.subject
    if commit is not None:
        patch = _same_patch(repo, commit, candidates, cancel)
        if patch is not None:
            return Survivor(patch, "patchId", 0.98)
    for entry in candidates:
        named = _PICKED.findall(entry.message)
        if recorded.hash and any(recorded.hash.startswith(h) or h.startswith(recorded.hash) for h in named):
            return Survivor(entry.commit, "named", 0.95)
    return _by_lines(repo, candidates, added, commit, subject, cancel)


def _object(repo: Repository, named: str | None, cancel: CancelToken) -> Commit | None:
    if not named:
        return None
    try:
        return repo.commit(named if is_hash(named) else repo.resolve(named, cancel), cancel)
    except AnamnesisError as error:
        if error.code not in (ErrorCode.OBJECT_MISSING, ErrorCode.UNKNOWN_REVISION):
            raise
        return None


def _changed(repo: Repository, commit: str, cancel: CancelToken) -> Mapping[str, Counter[str]] | None:
    """The lines that a commit added, by path; None where its parent or a content is not here."""
    try:
        changes = repo.changes(commit, cancel)
    except AnamnesisError as error:
        if error.code not in (ErrorCode.OBJECT_MISSING, ErrorCode.OUTPUT_TOO_LARGE):
            raise
        return None
    if any(change.content_missing for change in changes):
        return None
    return _keyed(
        {
            change.path: [line[1:] for hunk in change.hunks for line in hunk.lines if line.startswith("+")]
            for change in changes
        }
    )


def _keyed(added: Mapping[str, Sequence[str]]) -> dict[str, Counter[str]]:
    """Lines that say something, white space aside. The paths stay, also those without such a line."""
    left = _MOST_LINES
    result: dict[str, Counter[str]] = {}
    for path, lines in added.items():
        kept = [key for line in lines[: max(0, left)] if len(key := _EMPTY_KEY.sub("", line)) > 3]
        left -= len(lines)
        result[path] = Counter(kept)
    return result


def _candidates(
    repo: Repository, head: str, paths: Sequence[str], when: datetime | None, cancel: CancelToken
) -> list[LogEntry]:
    """Commits that touched one of the paths since, oldest last. Without a time: the newest."""
    if not paths:
        return []
    since = None if when is None else when - EARLIER
    return list(repo.log(head, cancel, paths[:200], limit=MOST_CANDIDATES, since=since))


def _same_patch(repo: Repository, commit: Commit, candidates: Sequence[LogEntry], cancel: CancelToken) -> str | None:
    """A candidate with the same patch-id, found by two processes for all of them."""
    try:
        wanted = repo.patch_id(commit.hash, cancel)
    except AnamnesisError as error:
        if error.code not in (ErrorCode.OBJECT_MISSING, ErrorCode.OUTPUT_TOO_LARGE):
            raise
        return None
    ids = [entry.commit for entry in candidates if len(entry.parents) < 2]
    if wanted is None or not ids:
        return None
    try:
        patches = repo.run(
            "diff-tree",
            *("--stdin", "--root", "-r", "-p", "--no-renames", "--full-index", "-U3"),
            cancel=cancel,
            input_="\n".join([*ids, ""]).encode(),
        )
        answer = repo.run("patch-id", "--stable", cancel=cancel, input_=patches)
    except AnamnesisError as error:
        if not isinstance(error, GitFailed) and error.code not in (ErrorCode.OUTPUT_TOO_LARGE, ErrorCode.GIT_TIMEOUT):
            raise
        return _one_by_one(repo, wanted, ids, cancel)
    for line in answer.decode("ascii", "replace").split("\n"):
        patch, _, identity = line.partition(" ")
        if patch == wanted:
            return identity.strip()
    return None


def _one_by_one(repo: Repository, wanted: str, ids: Sequence[str], cancel: CancelToken) -> str | None:
    for identity in ids[:MOST_BY_LINES]:
        try:
            if repo.patch_id(identity, cancel) == wanted:
                return identity
        except AnamnesisError as error:
            if error.code not in (ErrorCode.OBJECT_MISSING, ErrorCode.OUTPUT_TOO_LARGE):
                raise
    return None


def _by_lines(
    repo: Repository,
    candidates: Sequence[LogEntry],
    added: Mapping[str, Counter[str]],
    commit: Commit | None,
    subject: str | None,
    cancel: CancelToken,
) -> Survivor | None:
    total = sum(counted.total() for counted in added.values())
    if not total:
        return None
    same = [entry for entry in candidates if _rewritten(entry, commit, subject)]
    paths = set(added)
    rest = sorted(
        (entry for entry in candidates if entry not in same and (len(entry.parents) < 2 or entry.paths)),
        key=lambda entry: -len(paths.intersection(entry.paths)),
    )
    best: Survivor | None = None
    for entry in [*same, *rest][:MOST_BY_LINES]:
        theirs = _changed(repo, entry.commit, cancel)
        if theirs is None:
            continue
        pool: Counter[str] = sum((theirs[path] for path in theirs), Counter[str]())
        wanted: Counter[str] = sum(added.values(), Counter[str]())
        share = (wanted & pool).total() / total
        rewritten = entry in same
        if share < (0.3 if rewritten else CONTAINED):
            continue
        few = min(1.0, total / 4)  # one line alone may be anybody's
        confidence = share * few * (0.9 if rewritten else 0.8) + (0.08 if rewritten else 0.0)
        if best is None or confidence > best.confidence:
            best = Survivor(
                entry.commit, "rewritten" if rewritten else "content", round(confidence, 3), round(share, 3)
            )
    return best


def _rewritten(entry: LogEntry, commit: Commit | None, subject: str | None) -> bool:
    """A rebase and an amend keep the author and the author's time; with the subject alone it may be another try."""
    if commit is not None and entry.author == commit.author and entry.author_time == commit.author_time:
        return True
    return bool(subject) and entry.message.split("\n", 1)[0] == subject
