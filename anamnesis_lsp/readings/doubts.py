"""Doubts that the leading candidate is the past meant, each naming what it rests on."""

from __future__ import annotations

from collections.abc import Sequence

from anamnesis_lsp.contract import Context
from anamnesis_lsp.readings.content import Content
from anamnesis_lsp.readings.found import BY_WORDS, SURE, Candidate, lines_traced
from anamnesis_lsp.readings.joining import joins_by, wrote_a_part
from anamnesis_lsp.readings.weights import Join
from anamnesis_lsp.records.evidence import RecordKey


def doubts(c: Context[Content], found: Sequence[Candidate], keys: Sequence[RecordKey]) -> list[str]:
    """The doubts about the candidate whose records ``keys`` are; empty where nothing speaks for another candidate and a
    record joins it.
    """
    at = next((i for i, candidate in enumerate(found) if set(candidate.keys) == set(keys)), None)
    if at is None:
        return []
    mine = found[at]
    told: list[str] = []
    traced = lines_traced(c)
    if traced is not None and any(share.boundary for share in traced.shares[:1]):
        told.append("the clone is shallow: the lines may be older than the commit they are told from")
    if traced is not None and traced.uncommitted:
        told.append(
            f"{len(traced.uncommitted)} of the selected lines are not committed: nothing is recorded of them yet"
        )
    rivals = [one for n, one in enumerate(found) if n != at and one.proposal is not None]
    if mine.proposal is None:
        if rivals and traced is not None:
            told.append(f"no conversation or decision record is joined to it; the nearest is {_name(rivals[0])}")
    elif traced is None and mine.confidence <= BY_WORDS:
        nearest = f"; the nearest other is {_name(rivals[0])}" if rivals else ""
        told.append(f"only the words of the cue lead to it{nearest}")
    elif mine.confidence < SURE and rivals:
        told.append(f"the evidence for {_name(rivals[0])} is nearly as strong")
    if mine.proposal is not None and traced is not None:
        how = joins_by(mine.proposal)
        if how in (Join.SAME_WORDS, Join.SAME_PATH):
            told.append("what joins its records is what they say and when, not a recorded link or the lines themselves")
        elif how is Join.WROTE_LINES and wrote_a_part(mine.proposal):
            told.append("its edits wrote a part of these lines only: the rest may come from elsewhere")
    return told


def _name(candidate: Candidate) -> str:
    gist = next((m.gist for m in candidate.recognizable.members if m.gist.strip()), "")
    return f"“{' '.join(gist.split())[:100]}”" if gist else candidate.keys[0].id
