"""Recorded links between a commit and the records of a corpus: what the commit, its notes or the conversation itself says.

The strongest evidence there is, and forgeable: it is told as what the record says. Where a link names a record that is not
in the corpus, nothing is found by it here.
"""

from __future__ import annotations

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.readings.corpus import Corpus
from anamnesis_lsp.readings.grounds import Evidence, Facts
from anamnesis_lsp.readings.past import Past


def links(past: Past, corpus: Corpus, facts: Facts, found: Evidence, cancel: CancelToken) -> None:
    """Add what is recorded between the commit of ``facts`` and the records."""
    _recorded(corpus, facts, found)
    _together(corpus, facts, found)


def _recorded(corpus: Corpus, facts: Facts, found: Evidence) -> None:
    """The conversation shows the commit: git's own output, or an aider history line, names the hash."""
    values = found.values.setdefault("link.recorded", {})
    for row in corpus.catalog.recorded_commits([facts.commit.hash], corpus.stores):
        values[row.record] = 1.0
        found.told["link.recorded", row.record] = f"records making commit {facts.commit.hash[:9]}"
        found.point(row.record, row.turn, 0.5)


def _together(corpus: Corpus, facts: Facts, found: Evidence) -> None:
    """The record's own file was added or changed in the commit."""
    touched = set(facts.patch.paths)
    values = found.values.setdefault("link.together", {})
    for record, row in corpus.rows.items():
        path = row.key.id.partition("#")[0]
        if path in touched and row.key.id == path:
            values[record] = 1.0
            found.told["link.together", record] = "its own file is part of the commit"
