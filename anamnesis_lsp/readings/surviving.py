"""Commits that a conversation recorded and that live on in another: after a rebase, a squash, an amend, a pick.

A conversation records the hash its commit had then. Where no commit of the history has that hash any more, the commit
of the selected lines is asked whether it carries the recorded one (:mod:`anamnesis_lsp.records.git.survival`): by the
same change, by what it says it was picked from, by author and time, by the recorded lines. Where the recorded object is
gone, its subject and the lines that the conversation's edits wrote stand for it.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import timedelta

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.index.rows import CommitRow
from anamnesis_lsp.readings.corpus import Corpus
from anamnesis_lsp.readings.grounds import Evidence, Facts, possible
from anamnesis_lsp.readings.past import Past
from anamnesis_lsp.records.git.survival import Recorded, carried_by

ASKED = 12
"""Recorded commits that one commit is asked for."""
SECONDS = 0.7
"""So long the commits of a pass are asked, at most: what was not asked is asked when it is met again."""
WITHIN = timedelta(days=60)
"""A commit that was recorded so much before, by a conversation that did not edit the file, is not asked for."""
WROTE = 0.25
"""Share of the commit's lines that the edits must have written where the recorded object is gone."""
SHOWN = 9


@dataclass(frozen=True, slots=True)
class Carried:
    """A recorded commit that lives on, how sure that is (0 to 1), and the turn that records it."""

    row: CommitRow
    confidence: float


def evidence(
    past: Past, corpus: Corpus, facts: Facts, found: Evidence, cancel: CancelToken, *, until: float | None
) -> dict[int, str]:
    """Add the conversations that recorded what the commit of ``facts`` carries; their records, to the hash recorded.

    Asked ``until`` that moment (``time.monotonic``); without one (for a hover) only what was asked before counts.
    """
    told: dict[int, str] = {}
    for one in _carried(past, corpus, facts, found, cancel, until):
        record, here, then = one.row.record, facts.commit.hash[:SHOWN], one.row.hash[:SHOWN]
        values = found.values.setdefault("link.recorded", {})
        if one.confidence <= values.get(record, 0.0):
            continue
        values[record] = one.confidence
        found.told["link.recorded", record] = f"records making the commit, recorded as {then}, now in {here}"
        found.point(record, one.row.turn, 0.5)
        told[record] = one.row.hash
    return told


def _carried(
    past: Past, corpus: Corpus, facts: Facts, found: Evidence, cancel: CancelToken, until: float | None
) -> Iterator[Carried]:
    for row in _rewritten_away(past, corpus, facts, cancel)[:ASKED]:
        cancel.check()
        key = (row.hash, facts.commit.hash)
        if key not in past.carries:
            if until is None or time.monotonic() > until:
                continue
            past.carries[key] = _confidence(past, row, facts, cancel)
        sure = past.carries[key]
        if sure is None:  # its object is gone
            wrote = found.values.get("lines.patch", {}).get(row.record, 0.0)
            sure = 0.5 + 0.4 * wrote if wrote >= WROTE and _says(facts.commit.message, row.subject) else 0.0
        if sure > 0:
            yield Carried(row, sure)


def _rewritten_away(past: Past, corpus: Corpus, facts: Facts, cancel: CancelToken) -> list[CommitRow]:
    """The recorded commits that the history has no more, those of conversations that edited the file first."""
    here = past.prefixes(cancel)
    allowed, editors = possible(corpus, facts), _editors(corpus, facts.patch.paths[:50] or (facts.share.path,))
    rows: list[tuple[bool, float, CommitRow]] = []
    for row in corpus.commits:
        if row.record not in allowed or row.hash[:7] in here:
            continue
        age = facts.latest - row.when if row.when is not None else 0.0
        if age >= 0 and (row.record in editors or age <= WITHIN.total_seconds()):
            rows.append((row.record not in editors, age, row))
    return [row for _, _, row in sorted(rows, key=lambda one: one[:2])]


def _editors(corpus: Corpus, paths: Collection[str]) -> set[int]:
    return {record for path in paths for record in corpus.editors(path)}


def _confidence(past: Past, row: CommitRow, facts: Facts, cancel: CancelToken) -> float | None:
    """How sure the commit carries the recorded one; None where the recorded object is not here to be compared."""
    try:
        if past.repository.objects.kind(past.repository.resolve(row.hash, cancel), cancel) is None:
            return None
        survivor = carried_by(past.repository, Recorded(row.hash, row.subject), facts.commit, cancel)
    except AnamnesisError as error:
        if error.code is ErrorCode.CANCELLED:
            raise
        return None
    return 0.0 if survivor is None else survivor.confidence


def _says(message: str, subject: str | None) -> bool:
    """Whether a message is that subject, or lists it as a squash does."""
    wanted = " ".join((subject or "").split())
    if len(wanted) < 6:
        return False
    lines = (" ".join(line.strip().lstrip("*-").split()) for line in message.split("\n"))
    return any(line == wanted or line.startswith(f"{wanted} (#") for line in lines)
