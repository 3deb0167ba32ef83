"""The person's turns as the machine asks about them: what they identify, reject, add, or leave.

Each is read by :func:`anamnesis_lsp.readings.answers.read_turn` against what was last shown; this module only turns the
readings into the contract's judgements, over the context.
"""

from __future__ import annotations

from anamnesis_lsp.contract import Answer, Context, Member, Origin, Recognizable, Turn, Whole
from anamnesis_lsp.present.locators import of_record
from anamnesis_lsp.readings.content import Answered, Asked, Content, ExpansionAsked, Invocation, Named, Presented, Said
from anamnesis_lsp.records.evidence import RecordKey


def latest_person(c: Context[Content]) -> int | None:
    """Index of the person's latest turn."""
    for index in range(len(c) - 1, -1, -1):
        if c[index].origin is Origin.PERSON:
            return index
    return None


def bears_on_cue(c: Context[Content], index: int) -> bool:
    """Whether the person's turn at ``index`` added to the cue."""
    return True


def rejected(c: Context[Content]) -> tuple[frozenset[RecordKey], ...]:
    """The candidates the person rejected."""
    return ()


def added_to_cue(c: Context[Content]) -> bool:
    """Whether the person said something to the cue after the recall began."""
    seen = False
    for index, turn in enumerate(c):
        if turn.origin is Origin.PERSON:
            if seen and isinstance(turn.content, Said) and bears_on_cue(c, index):
                return True
            seen = True
    return False


def presented(c: Context[Content]) -> Recognizable | None:
    """What the latest presentation led with."""
    for turn in reversed(c):
        if isinstance(turn.content, Presented):
            return recognizable(turn.content.leading)
    return None


def shown(c: Context[Content]) -> Named | None:
    """What the latest presentation led with, as it was shown."""
    return next((t.content.leading for t in reversed(c) if isinstance(t.content, Presented)), None)


def ends(c: Context[Content]) -> bool:
    """Whether the latest utterance ends the recall."""
    index = latest_person(c)
    if index is None:
        return False
    content = c[index].content
    return isinstance(content, Said) and content.command == "end"


def recognizable(named: Named) -> Recognizable:
    """A candidate as it was shown."""
    members = tuple(Member(str(of_record(key)), named.name if n == 0 else "") for n, key in enumerate(named.members))
    kinds = ("session", "line", "topic", "concept")
    whole = Whole(named.whole) if named.whole in kinds else Whole.emergent(named.whole)  # type: ignore[arg-type]
    return Recognizable(whole, members, named.joins if len(members) > 1 else "")


def keys_shown(c: Context[Content], r: Recognizable) -> tuple[RecordKey, ...]:
    """The records of a candidate that an earlier round showed."""
    for turn in reversed(c):
        if isinstance(turn.content, Presented):
            for named in (turn.content.leading, *turn.content.adjacent):
                if recognizable(named) == r:
                    return named.members
    return ()


def closes(c: Context[Content], turn: Turn[Content]) -> Answer | None:
    """How that turn of the person's closes the recall; None where it does not."""
    if not isinstance(turn.content, Said):
        return None
    if turn.content.command == "identify":
        return Answer.IDENTIFIED
    if turn.content.command == "end":
        return Answer.STOPPED
    return None


def reaches(c: Context[Content]) -> bool:
    """Whether the latest utterance bears on this recall."""
    index = latest_person(c)
    if index is None:
        return False
    content = c[index].content
    return isinstance(content, Invocation) or (isinstance(content, Said) and content.command != "end")


def empty_intention(c: Context[Content]) -> bool:
    """Whether a past is pointed at without a name."""
    return False


def elsewhere(c: Context[Content]) -> bool:
    """Whether the latest utterance reaches another recall."""
    return False


def only_form(c: Context[Content]) -> bool:
    """Whether the latest utterance asks for another form only."""
    return False


def last_round(c: Context[Content]) -> str:
    """What the last response was: ``presentation``, ``open_question``, ``expansion``, ``ended`` or ``none``."""
    for turn in reversed(c):
        if isinstance(turn.content, Presented):
            return "presentation"
        if isinstance(turn.content, Asked):
            return "open_question"
        if isinstance(turn.content, ExpansionAsked):
            return "expansion"
        if isinstance(turn.content, Answered):
            return "ended" if turn.content.scope else "presentation"
    return "none"
