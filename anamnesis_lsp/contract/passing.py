"""What the two texts share word for word: ``Activated``, ``pass``, ``leading``, ``answerCoord``.

Both machines re-export these under the same names. ``story_of`` and ``findings`` are where Lean's dependent types are
held: a claim, a qualification or an answer is accepted only when it is bound to the very context it was read from.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from anamnesis_lsp.contract.ground import Cite, Context, Coord, Filled, Grounding, Occ, Origin
from anamnesis_lsp.contract.readings import Readings
from anamnesis_lsp.contract.types import Answer, Claim, Qualification, Recognizable

P = TypeVar("P")


def _hold_bound(cite: Cite[P], c: Context[P], what: str) -> None:
    if not cite.stands_in(c):
        raise ValueError(f"{what} cites another context than the one it was read from: lift it and judge it again")


def _person_only(src: Grounding) -> bool:
    return src.val is Origin.PERSON


def answer_coord(readings: Readings[P]) -> Coord[P, Answer]:
    """``answerCoord``: only a person's turn is admitted, ``AnswerSupported`` supports."""
    return Coord(admits=_person_only, supports=readings.answer_supported)


def answered(readings: Readings[P], c: Context[P]) -> Occ[P, Answer]:
    """The reading ``answer`` of ``c``, held to its type: bound to ``c``, on a person's turn."""
    occ = readings.answer(c)
    if isinstance(occ, Filled):
        _hold_bound(occ.src, c, "the answer")
        if not _person_only(occ.src.src):
            raise ValueError("only a person's turn closes a recall")
    return occ


def story_of(readings: Readings[P], c: Context[P], r: Recognizable) -> Sequence[Claim[P]]:
    """The reading ``story``, held to its type: every claim bound to ``c``."""
    claims = readings.story(c, r)
    for claim in claims:
        _hold_bound(claim.src, c, "a claim")
    return claims


def findings(qualifications: Sequence[Qualification[P]], c: Context[P]) -> tuple[str, ...]:
    """``map (·.finding)`` over qualifications, each held to be bound to ``c``."""
    for qualification in qualifications:
        _hold_bound(qualification.src, c, "a qualification")
    return tuple(qualification.finding for qualification in qualifications)


def activated(readings: Readings[P], c: Context[P]) -> bool:
    """``Activated``: invoked by the person, or an empty intention."""
    return readings.invoked(c) or readings.empty_intention(c)


def pass_(readings: Readings[P], c: Context[P]) -> Context[P]:
    """``pass``: the searches' evidence enters the context, then the record of the pass, read from what then stands."""
    c1 = c + tuple(evidence.val for evidence in readings.search(c))
    return c1 + tuple(record.val for record in readings.pass_record(c1))


def leading(readings: Readings[P], c: Context[P]) -> Recognizable | None:
    """``leading``: the first found whose story rests on at least one opened record."""
    return next((r for r in readings.found(c) if story_of(readings, c, r)), None)
