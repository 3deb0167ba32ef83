"""The axes of a cue, looked up: a time said to its two ends, an identifier to the records it names, a path, a person.

An identifier anchors only where the kind of thing it names fits: a hash names a commit, ``ADR-12`` a decision record
and the commits that cite it; a bare number names nothing. Time orders and hides nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from rapidfuzz import fuzz

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.index import terms
from anamnesis_lsp.readings import naming
from anamnesis_lsp.readings.answers.languages import language_of
from anamnesis_lsp.readings.answers.writing import written
from anamnesis_lsp.readings.content import AxisRead
from anamnesis_lsp.readings.corpus import Corpus
from anamnesis_lsp.readings.cue import CueRead
from anamnesis_lsp.readings.grounds import Evidence, with_forms
from anamnesis_lsp.readings.past import Past
from anamnesis_lsp.readings.times import TimeSaid
from anamnesis_lsp.records.git.model import Commit
from anamnesis_lsp.records.identifiers import IdKind, identifiers

AROUND = timedelta(days=21)
"""How far ``around`` an event reaches."""
NAMED = 82
"""Likeness (0 to 100) from which a name said is an author's."""
OUTSIDE = 0.35
"""What a commit outside the time or by others counts: it is not hidden."""

EVENTS = 12
"""Commits that are looked at for an event."""
AS_GOOD = 0.85
"""Of those that speak of an event so much as the best one does, the first is it."""
_FILL = frozenset(("we", "they", "when", "to", "from", "off", "away", "over", "onto"))
_VERSION = re.compile(r"\bv?(\d+\.\d+(?:\.\d+)?(?:[-.\w]*\w)?)\b")


def times(said: Sequence[TimeSaid], past: Past | None, cancel: CancelToken) -> list[AxisRead]:
    """The intervals of the times said; one anchored at an event by the tag or commit that is that event."""
    found: list[AxisRead] = []
    for time in said:
        if time.anchor is None:
            found.append(AxisRead("time", time.words, time.since, time.until))
            continue
        event = _event(time.anchor, past, cancel) if past is not None else None
        if event is None:
            continue
        when, name = event
        since = when if time.relation == "after" else when - AROUND if time.relation in ("around", "in") else None
        until = when if time.relation == "before" else when + AROUND if time.relation in ("around", "in") else None
        found.append(AxisRead("time", time.words, since, until, told=f"{time.anchor} taken for {name}"))
    return found


def _event(anchor: str, past: Past, cancel: CancelToken) -> tuple[datetime, str] | None:
    if version := _VERSION.search(anchor):
        for ref in past.repository.refs(cancel):
            name = ref.name.removeprefix("refs/tags/")
            if (
                name != ref.name
                and ref.type == "commit"
                and re.search(rf"(?<![\d.]){re.escape(version[1])}(?![\d.]\d)", name)
            ):
                return past.repository.commit(ref.hash, cancel).commit_time, f"tag {name}"
    language = language_of(written(anchor))
    named = [term for term in terms.tokens(anchor) if term not in language.common_words | language.mark_words | _FILL]
    reached = past.search(with_forms(named), cancel, limit=EVENTS) if named else []
    if not reached:
        return None
    near = [commit for commit, score in reached if score >= AS_GOOD * reached[0][1]]
    commit = min(near, key=lambda one: one.commit_time)  # what came later only speaks of it
    return commit.commit_time, f"commit {commit.hash[:9]}"


def evidence(cue: CueRead, corpus: Corpus, read: Sequence[AxisRead], found: Evidence) -> None:
    """What the cue's axes say of the records: named by id, in the time, with the path."""
    names = naming.names_of(corpus)
    for identifier in identifiers(cue.words):
        for key in naming.spellings(identifier.kind, identifier.value):
            for record in names.get(key, ()):
                found.values.setdefault("cue.id", {})[record] = 1.0
                found.told["cue.id", record] = f"you named {identifier.text}"
    for axis in cue.cue.axes:
        if axis.kind == "artifact" and axis.source != "selection" and ("/" in axis.value or "." in axis.value):
            for record in corpus.editors(axis.value) | corpus.mentioners(axis.value):
                found.values.setdefault("cue.path", {})[record] = 1.0
                found.told["cue.path", record] = f"it touches {axis.value}"
    for axis in read:
        for record, row in corpus.rows.items():
            if row.started is None or (axis.since is None and axis.until is None):
                continue
            began, ended = row.started, row.started if row.ended is None else row.ended
            if (axis.since is None or ended >= axis.since.timestamp()) and (
                axis.until is None or began <= axis.until.timestamp()
            ):
                found.values.setdefault("cue.time", {})[record] = 1.0
                found.told["cue.time", record] = f"it lies in the time you said ({axis.value})"


def named_commits(cue: CueRead, past: Past, cancel: CancelToken) -> Iterator[Commit]:
    """The commits that the cue names by their hash."""
    for identifier in identifiers(cue.words):
        if identifier.kind is IdKind.COMMIT:
            for commit in past.commits(cancel).values():
                if commit.hash.startswith(identifier.value):
                    yield commit


def people(cue: CueRead, past: Past, cancel: CancelToken) -> frozenset[str]:
    """The addresses of the authors whom the cue names; ``I`` is who commits here."""
    said = [axis.value for axis in cue.cue.axes if axis.kind == "person"]
    found: set[str] = set()
    if "I" in said:
        mine = past.repository.user_email(cancel)
        if mine:
            found.add(mine.casefold())
    others = [name for name in said if name != "I"]
    if others:
        for commit in past.commits(cancel).values():
            address = commit.author.email.casefold()
            if address not in found and any(_is_called(name, commit.author.name) for name in others):
                found.add(address)
    return frozenset(found)


def _is_called(said: str, name: str) -> bool:
    parts = [name, *name.split()]
    return any(fuzz.ratio(said.casefold(), part.casefold()) >= NAMED for part in parts if len(part) > 1)


def fit(commit: Commit, read: Sequence[AxisRead], authors: frozenset[str]) -> float:
    """What a commit counts by the time and the person that were said: 1 where it fits, or where nothing was said."""
    value = 1.0
    for axis in read:
        when = commit.author_time
        if (axis.since is not None and when < axis.since) or (axis.until is not None and when > axis.until):
            value *= OUTSIDE
    if authors and commit.author.email.casefold() not in authors:
        value *= OUTSIDE
    return value
