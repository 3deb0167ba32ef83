"""The Recollect machine (the earlier text, ``contract/recollect.lean.txt``), function for function.

===================  =================  =======
here                 in the text        lines
===================  =================  =======
``answer_coord``     ``answerCoord``    278-280
``activated``        ``Activated``      293
``pass_``            ``pass``           351-353
``leading``          ``leading``        355-358
``closing``          ``closing``        360-368
``settle``           ``settle``         370-376
``round``            ``recollect``      378-399
``step``             ``recollect``      378-399
``recollect``        ``recollect``      378-399
``begin``            ``start``          401-409
``start``            ``start``          401-409
``grounding``        ``grounding``      454-468
===================  =================  =======

It differs from :mod:`.anamnesis`: words that end the recall close it (``Stopped``), a search past the boundary is
offered before the recall settles, ``start`` does not read ``closing``, every utterance that closes nothing runs a pass,
and no doubts are kept.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from anamnesis_lsp.contract.ground import Context, Filled, Utterance, fuse
from anamnesis_lsp.contract.operations import CONSTITUTION, EXTENSION, OBSERVE, SENSE, Annot, Op
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
    Answer,
    Branch,
    Holding,
    Identified,
    NotActivated,
    RecalledContext,
    RecollectOutcome,
    Stepped,
    Stopped,
    Unresolved,
)

__all__ = [
    "activated",
    "answer_coord",
    "begin",
    "closing",
    "grounding",
    "leading",
    "pass_",
    "recollect",
    "round",
    "round_kind",
    "settle",
    "start",
    "step",
]

P = TypeVar("P")


def closing(readings: Readings[P], c: Context[P]) -> Identified[P] | Stopped[P] | None:
    """The person's close, read from the latest utterance: identified where something is presented, or stopped."""
    answer = answered(readings, c)
    if not isinstance(answer, Filled):
        return None
    if answer.a is Answer.STOPPED:
        return Stopped(c, readings.searched(c), findings(readings.scope_qualifications(c), c))
    r = readings.presented(c)
    if r is None:
        return None
    return Identified(
        RecalledContext(
            context=c,
            recognizable=r,
            story=tuple(claim.text for claim in story_of(readings, c, r)),
            qualifications=findings(readings.qualifications(c, r), c),
            searched=readings.searched(c),
            identified_at=answer.src.idx,
        )
    )


def settle(readings: Readings[P], c: Context[P]) -> Unresolved[P] | None:
    """The AI's own close after a pass: nothing to present, something added to the cue, no wider search worth it."""
    if leading(readings, c) is None and readings.added_to_cue(c) and readings.expansion(c) is None:
        return Unresolved(c, readings.searched(c), findings(readings.scope_qualifications(c), c))
    return None


def round_kind(readings: Readings[P], c1: Context[P]) -> Branch:
    """Which round a pass leaves where ``settle`` does not close: presentation, open question, expansion question."""
    if leading(readings, c1) is not None:
        return Branch.PRESENTED
    return Branch.EXPANSION if readings.added_to_cue(c1) else Branch.ASKED


def round(readings: Readings[P], respond: Respond[P], c1: Context[P]) -> Stepped[P, RecollectOutcome[P]]:
    """After a pass: our own close where it fires, otherwise the round. Written out twice in the text, once here."""
    unresolved = settle(readings, c1)
    if unresolved is not None:
        return Stepped(c1, Branch.UNRESOLVED, unresolved)
    return Stepped((*c1, respond(c1).val), round_kind(readings, c1))


def step(readings: Readings[P], respond: Respond[P], c: Context[P], u: Utterance[P]) -> Stepped[P, RecollectOutcome[P]]:
    """One utterance: a closing answer closes, and anything else is read by the next pass."""
    fused = fuse(c, u)
    closed = closing(readings, fused)
    if closed is not None:
        return Stepped(fused, Branch.STOPPED if isinstance(closed, Stopped) else Branch.IDENTIFIED, closed)
    return round(readings, respond, pass_(readings, fused))


def recollect(
    readings: Readings[P], respond: Respond[P], c: Context[P], us: Iterable[Utterance[P]]
) -> RecollectOutcome[P]:
    """The fold of :func:`step`; with no utterance left the recall holds."""
    for u in us:
        stepped = step(readings, respond, c, u)
        if stepped.outcome is not None:
            return stepped.outcome
        c = stepped.context
    return Holding(c)


def begin(readings: Readings[P], respond: Respond[P], c: Context[P]) -> Stepped[P, RecollectOutcome[P]]:
    """The first round of ``start``: not activated, or a pass. ``closing`` is not read here."""
    if not activated(readings, c):
        return Stepped(c, Branch.NOT_ACTIVATED, NotActivated(c))
    return round(readings, respond, pass_(readings, c))


def start(readings: Readings[P], respond: Respond[P], c: Context[P], us: Iterable[Utterance[P]]) -> RecollectOutcome[P]:
    """:func:`begin`, and :func:`recollect` from the round it left."""
    begun = begin(readings, respond, c)
    if begun.outcome is not None:
        return begun.outcome
    return recollect(readings, respond, begun.context, us)


_GROUNDING: dict[Op, tuple[Annot, str]] = {
    Op.DETECT: (
        SENSE,
        "Internal analysis: whether the context carries an empty intention; an invocation of the person's own "
        "activates without one",
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
        "axes, within the boundary the context has established, and each member of the leading recognizable "
        "opened at the span the cue reaches — for an artifact, the change history of that span; where each "
        "runtime keeps its conversations is bound by its realization reference; read-only",
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
        CONSTITUTION,
        "with nothing to present and nothing yet added to the cue, what was searched with the capture "
        "evidence of the records examined, then one open question asking for more of what the person "
        "remembers",
    ),
    Op.EXPAND: (
        CONSTITUTION,
        "what was searched so far, which records did not open, and the capture evidence of the records "
        "examined, then the wider search with what it would read and its cost, against stopping here",
    ),
    Op.PRESENT: (
        CONSTITUTION,
        "the story, each claim with the record it rests on and that record's handle, the members whose "
        "records did not open, the adjacent candidates named, the members' qualifications, and the currency "
        "caveat; no option list",
    ),
    Op.READ_TURN: (
        SENSE,
        "Internal analysis: the latest utterance read against the fused context — an identification, a stop, "
        "or more cue: a correction, a place to look, an admission of the wider search",
    ),
    Op.RESOLVE: (
        EXTENSION,
        "on identification, RecalledContext — the story, the excerpts with locators and handles, the "
        "qualifications, the scope searched, the identifying turn quoted, and the currency caveat",
    ),
    Op.UNRESOLVED: (
        EXTENSION,
        "on a stop or an unresolved close, the scope searched per root, the records that did not open, the "
        "capture evidence of the records examined, and the causes the evidence supports; no absence claimed",
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
