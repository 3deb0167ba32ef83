"""Which of the discovered conversations belong to the repository a recall is about.

A machine's store holds the conversations of every project on it. Those that belong on no ground are left out of the
order, and counted in the scope. Given stores are searched whole: there belonging hides nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.errors import AnamnesisError
from anamnesis_lsp.index.rows import RecordRow
from anamnesis_lsp.readings.corpus import Corpus
from anamnesis_lsp.readings.past import Past
from anamnesis_lsp.records.conversations.belonging import Belonging, RepositoryTraits, belongs
from anamnesis_lsp.records.conversations.model import Head
from anamnesis_lsp.records.evidence import Kind

ENOUGH = 0.5
"""Strength of the ground from which a conversation counts as one of this repository's."""


@dataclass(frozen=True, slots=True)
class Owned:
    """The records of a corpus that belong to a repository, and on what ground the conversations do."""

    records: frozenset[int]
    grounds: dict[int, str]


def owned(corpus: Corpus, past: Past | None, traits: RepositoryTraits | None) -> Owned:
    """The records that belong; everything where there is no repository. Decision records belong by where they lie."""
    if past is None or traits is None:
        return Owned(frozenset(corpus.rows), {})
    root = past.repository.root
    edited = _edited(corpus)
    records: set[int] = set()
    grounds: dict[int, str] = {}
    for record, row in corpus.rows.items():
        if row.kind is Kind.DECISION or root in row.store.root.parents or row.store.root == root:
            records.add(record)
            continue
        ground = belongs(traits, _head(row), edited.get(record, ()))
        if ground.strength >= ENOUGH:
            records.add(record)
            grounds[record] = ground.ground
    return Owned(frozenset(records), grounds)


def grounds_of(corpus: Corpus, records: Collection[int], traits: RepositoryTraits) -> dict[int, Belonging]:
    """On what ground each of these conversations belongs to the repository, ``NO_GROUND`` included."""
    edited = _edited(corpus, frozenset(records))
    return {
        record: belongs(traits, _head(corpus.rows[record]), edited.get(record, ()))
        for record in records
        if corpus.rows[record].kind is Kind.CONVERSATION
    }


def traits_of(past: Past, cancel: CancelToken) -> RepositoryTraits:
    """What tells the repository from others, as of the commit its history is seen from."""
    repository = past.repository
    try:
        tracked = frozenset(entry.path for entry in repository.tree(past.head, cancel))
        remotes = tuple(repository.remotes(cancel).values())
    except AnamnesisError:
        tracked, remotes = frozenset[str](), ()
    return RepositoryTraits(
        work_trees=(str(repository.root),),
        common_dir=str(repository.common_dir),
        remotes=remotes,
        tracked=tracked,
        has_commit=lambda commit: any(known.startswith(commit) for known in past.commits(cancel)),
    )


def _head(row: RecordRow) -> Head:
    return Head(cwds=list(row.cwds), remotes=list(row.remotes), head_commits=list(row.head_commits))


def _edited(corpus: Corpus, only: frozenset[int] | None = None) -> dict[int, list[tuple[str, str | None]]]:
    found: defaultdict[int, list[tuple[str, str | None]]] = defaultdict(list)
    for paths in corpus.edited.values():
        for record, path in paths:
            if only is None or record in only:
                found[record].append((path, None))
    return found
