"""The Anamnesis machine (the current text, ``contract/anamnesis.lean.txt``), function for function.

===================  =================  =======
here                 in the text        lines
===================  =================  =======
``answer_coord``     ``answerCoord``    270-272
``activated``        ``Activated``      309
``pass_``            ``pass``           397-399
``leading``          ``leading``        401-404
``no_person_after``  ``NoPersonAfter``  406-408
``closing``          ``closing``        410-419
``settle``           ``settle``         421-427
``round``            ``round``          429-437
``step``             ``recollect``      439-453
``recollect``        ``recollect``      439-453
``begin``            ``start``          455-462
``start``            ``start``          455-462
``grounding``        ``grounding``      513-527
===================  =================  =======

The axioms a Lean function reads are its first argument here. ``step`` holds the branches of ``recollect`` for one
utterance, ``begin`` those of ``start`` before the first one; ``recollect`` and ``start`` are folds over them, so that a
running system, which takes one utterance at a time, and the text cannot drift apart.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from anamnesis_lsp.contract.ground import Context, Filled, Origin, Utterance, fuse
from anamnesis_lsp.contract.operations import EXTENSION, OBSERVE, SENSE, Annot, Op
from anamnesis_lsp.contract.passing import (
    activated,
    answer_coord,
    answered,
    findings,
    leading,
    pass_,
    story_of,
)
from anamnesis_lsp.contract.readings import Readings, Respond
from anamnesis_lsp.contract.types import (
    AnamnesisOutcome,
    Answer,
    Branch,
    Holding,
    Identified,
    NotActivated,
    RecalledContext,
    Stepped,
    Unresolved,
)

__all__ = [
    "activated",
    "answer_coord",
    "begin",
    "closing",
    "grounding",
    "leading",
    "no_person_after",
    "pass_",
    "recollect",
    "round",
    "round_kind",
    "settle",
    "start",
    "step",
]

P = TypeVar("P")


def no_person_after(c: Context[P], i: int) -> bool:
    """Whether no turn the person sent comes after turn ``i``."""
    return all(t.origin is not Origin.PERSON for t in c[i + 1 :])


def closing(readings: Readings[P], c: Context[P]) -> Identified[P] | None:
    """The person's close: an identification of ``presented`` by a turn no later person turn follows."""
    answer = answered(readings, c)
    if not (isinstance(answer, Filled) and answer.a is Answer.IDENTIFIED):
        return None
    r = readings.presented(c)
    if r is None:
        return None
    s = answer.src
    if not no_person_after(c, s.idx):
        return None
    return Identified(
        RecalledContext(
            context=c,
            recognizable=r,
            story=tuple(claim.text for claim in story_of(readings, c, r)),
            qualifications=findings(readings.qualifications(c, r), c),
            searched=readings.searched(c),
            identified_at=s.idx,
            dissent=tuple(readings.dissent(c[: s.idx], r)),
        )
    )


def settle(readings: Readings[P], c: Context[P]) -> Unresolved[P] | None:
    """The AI's own close after a pass: nothing to present, and the person has already added to the cue."""
    if leading(readings, c) is None and readings.added_to_cue(c):
        return Unresolved(c, readings.searched(c), findings(readings.scope_qualifications(c), c))
    return None


def round_kind(readings: Readings[P], c1: Context[P]) -> Branch:
    """Which round a pass leaves where ``settle`` does not close: the presentation, or the open question."""
    return Branch.ASKED if leading(readings, c1) is None else Branch.PRESENTED


def round(readings: Readings[P], respond: Respond[P], c1: Context[P]) -> Stepped[P, AnamnesisOutcome[P]]:
    """After a pass: our own close where it fires, otherwise the round. The text's ``k`` is whoever goes on from it."""
    unresolved = settle(readings, c1)
    if unresolved is not None:
        return Stepped(c1, Branch.UNRESOLVED, unresolved)
    return Stepped((*c1, respond(c1).val), round_kind(readings, c1))


def step(
    readings: Readings[P], respond: Respond[P], session: Respond[P], c: Context[P], u: Utterance[P]
) -> Stepped[P, AnamnesisOutcome[P]]:
    """One utterance, read in the text's order of branches.

    Identification first; a turn that reaches another recall leaves this one holding; a turn that bears on this one
    runs a pass and a round; the session answers the rest, words that end the recall included.
    """
    fused = fuse(c, u)
    identified = closing(readings, fused)
    if identified is not None:
        return Stepped(fused, Branch.IDENTIFIED, identified)
    if readings.elsewhere(fused):
        return Stepped(fused, Branch.HELD_ELSEWHERE, Holding(fused))
    if readings.reaches(fused):
        return round(readings, respond, pass_(readings, fused))
    return Stepped((*fused, session(fused).val), Branch.ANSWERED)


def recollect(
    readings: Readings[P],
    respond: Respond[P],
    session: Respond[P],
    c: Context[P],
    us: Iterable[Utterance[P]],
) -> AnamnesisOutcome[P]:
    """The fold of :func:`step`; with no utterance left the recall holds."""
    for u in us:
        stepped = step(readings, respond, session, c, u)
        if stepped.outcome is not None:
            return stepped.outcome
        c = stepped.context
    return Holding(c)


def begin(readings: Readings[P], respond: Respond[P], c: Context[P]) -> Stepped[P, AnamnesisOutcome[P]]:
    """The first step of ``start``: not activated; closed, where what was carried over is identified; or a pass."""
    if not activated(readings, c):
        return Stepped(c, Branch.NOT_ACTIVATED, NotActivated(c))
    identified = closing(readings, c)
    if identified is not None:
        return Stepped(c, Branch.IDENTIFIED, identified)
    return round(readings, respond, pass_(readings, c))


def start(
    readings: Readings[P],
    respond: Respond[P],
    session: Respond[P],
    c: Context[P],
    us: Iterable[Utterance[P]],
) -> AnamnesisOutcome[P]:
    """:func:`begin`, and :func:`recollect` from the round it left."""
    begun = begin(readings, respond, c)
    if begun.outcome is not None:
        return begun.outcome
    return recollect(readings, respond, session, begun.context, us)


_GROUNDING: dict[Op, tuple[Annot, str]] = {
    Op.DETECT: (
        SENSE,
        "Internal analysis: whether the latest utterance carries an empty intention; an invocation of the "
        "person's own activates without one",
    ),
    Op.RELAY_NOT_ACTIVATED: (
        EXTENSION,
        "with no empty intention and no invocation, the finding with its reasoning; proceed without activation",
    ),
    Op.CUE: (
        SENSE,
        "Internal analysis: the past meant, the whole, and the axes it can be reached along, read from the "
        "utterance and the fused context afresh every pass",
    ),
    Op.SEARCH: (
        OBSERVE,
        "artifact read, artifact search: the records the past work left that may bear the cue, along its "
        "axes, as `search` says, and each member of the leading recognizable opened at the span the cue "
        "reaches — for an artifact, the change history of that span; where each runtime keeps its "
        "conversations is bound by its realization reference; read-only",
    ),
    Op.GROUP: (
        SENSE,
        "Internal analysis: found records joined into the cue's whole by relations the records support, and "
        "ordered; a method that computes groups may propose, and the judgment decides",
    ),
    Op.GROUND: (
        SENSE,
        "Internal analysis: the story composed from the opened records, one supported claim per sentence, "
        "each speaker kept as the record names it",
    ),
    Op.QUALIFY: (
        OBSERVE,
        "artifact read, environment run: the capture outcome for every record the searches examined, one that "
        "matched nothing included, associated by runtime, store root, and session identity, per the "
        "capture-outcome reference; read-only",
    ),
    Op.ASK: (
        EXTENSION,
        "with nothing to present and nothing yet added to the cue, what was searched with the capture "
        "evidence of the records examined, then one open question asking for more of what the person "
        "remembers",
    ),
    Op.PRESENT: (
        EXTENSION,
        "the round with a leading recognizable, as The presentation in the Protocol section lays it out",
    ),
    Op.READ_TURN: (
        SENSE,
        "Internal analysis: the latest utterance read whole against the fused context, as `recollect` reads it",
    ),
    Op.RESOLVE: (
        EXTENSION,
        "on identification, RecalledContext — the story, the excerpts with locators and handles, the "
        "qualifications, the scope searched, the doubts that stood, the identifying turn quoted, and the "
        "currency caveat",
    ),
    Op.UNRESOLVED: (
        EXTENSION,
        "on an unresolved close, and in the session's answer to words that end this recall (`Reaches`), the "
        'scope report the Rule "Scope report" names',
    ),
    Op.HOLD_REPLY: (
        EXTENSION,
        "on the step's hold branch only (`Elsewhere`): that this recall was left where it stood, and which "
        "recall the turn was read as reaching, as The presentation says; where the turn also ended this "
        'recall, the scope report the Rule "Scope report" names',
    ),
    Op.CONVERGE: (
        EXTENSION,
        "the convergence trace from the first cue through each correction to the close",
    ),
}


def grounding(op: Op) -> tuple[Annot, str]:
    """What the operation does, in the words of the text; ``ValueError`` for an operation that is not of this text."""
    if op not in _GROUNDING:
        raise ValueError(f"{op.value} is no operation of this text")
    return _GROUNDING[op]
