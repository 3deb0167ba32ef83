"""The person's turns as the machine asks about them: what they identify, reject, add, steer, or leave.

Each turn is read by :func:`anamnesis_lsp.readings.answers.read_turn` against what stood when it was said; this module turns
those readings into the contract's judgements, over the context alone. An explicit command is the same act as the words.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from datetime import datetime

from anamnesis_lsp.contract import Answer, Context, Member, Origin, Recognizable, Turn, Whole
from anamnesis_lsp.present.locators import of_record
from anamnesis_lsp.readings.answers import Kind, LastRound, TurnReading, TurnState, read_turn
from anamnesis_lsp.readings.content import (
    Answered,
    Asked,
    Content,
    ExpansionAsked,
    Invocation,
    Named,
    Presented,
    RecordOpened,
    Said,
)
from anamnesis_lsp.readings.story import FULL
from anamnesis_lsp.records.evidence import RecordKey

SHORT = 3
"""Sentences of a story that the person asked to have shorter."""

_COMMANDS = {"identify": Kind.IDENTIFIED, "end": Kind.END}
_EARLIER = re.compile(r"\b(?:earlier|older|before (?:that|this|it)|previous|first (?:time|one)|original(?:ly)?)\b|früher|avant|antes|更早|之前|前の|이전", re.I)
_LATER = re.compile(r"\b(?:later|newer|after (?:that|this|it)|more recent|latest|last (?:time|one))\b|später|après|después|depois|更晚|之后|後の|나중", re.I)
_SHORTER = re.compile(r"\b(?:short|shorter|brief|briefly|briefer|less|summar\w+|concise)\b|kürzer|court|breve|corto|curto|短|짧", re.I)


# ── where a turn stands ─────────────────────────────────────────────────────────────────────────────────────────────


def latest_person(c: Context[Content]) -> int | None:
    """Index of the person's latest turn."""
    for index in range(len(c) - 1, -1, -1):
        if c[index].origin is Origin.PERSON:
            return index
    return None


def reading_at(c: Context[Content], index: int) -> TurnReading | None:
    """How the person's words at ``index`` were read; None for a turn that is no words (an invocation)."""
    content = c[index].content
    if c[index].origin is not Origin.PERSON or not isinstance(content, Said):
        return None
    if content.command in _COMMANDS:
        return TurnReading(_COMMANDS[content.command], (content.text,), ends=content.command == "end")
    return _read(state_before(c, index), content.text)


@functools.lru_cache(maxsize=512)
def _read(state: TurnState, text: str) -> TurnReading:
    return read_turn(state, text)


def state_before(c: Context[Content], index: int) -> TurnState:
    """What the turn at ``index`` is read against."""
    before = c[:index]
    content = c[index].content
    held = content.held if isinstance(content, Said) else ()
    round_ = _last_round(before)
    shown = _presentation(before)
    if shown is None:
        return TurnState(round_, _cue_words(before), held=held)
    return TurnState(
        round_,
        _cue_words(before),
        None if _was_rejected(before) else shown.leading.name,
        tuple(named.name for named in (*shown.adjacent, *_rejected_names(before))),
        held,
    )


def _last_round(c: Context[Content]) -> LastRound:
    for turn in reversed(c):
        match turn.content:
            case Presented():
                return LastRound.PRESENTATION
            case Asked():
                return LastRound.OPEN_QUESTION
            case ExpansionAsked():
                return LastRound.EXPANSION
            case Answered():
                if turn.content.scope is not None:
                    return LastRound.ENDED
            case _:
                pass
    return LastRound.NONE


def _presentation(c: Context[Content]) -> Presented | None:
    return next((t.content for t in reversed(c) if isinstance(t.content, Presented)), None)


def _cue_words(c: Context[Content]) -> str | None:
    for turn in c:
        if isinstance(turn.content, Invocation):
            return turn.content.text or turn.content.comment or turn.content.path
        if isinstance(turn.content, Said):
            return turn.content.text
    return None


def _turns(c: Context[Content]) -> list[tuple[int, TurnReading]]:
    """The person's words in order, each with its reading."""
    found: list[tuple[int, TurnReading]] = []
    for index in range(len(c)):
        reading = reading_at(c, index)
        if reading is not None:
            found.append((index, reading))
    return found


# ── the contract's judgements ───────────────────────────────────────────────────────────────────────────────────────


def bears_on_cue(c: Context[Content], index: int) -> bool:
    """Whether the person's words at ``index`` are part of the cue: the ones that began the recall, and what was added."""
    reading = reading_at(c, index)
    return reading is None or reading.kind.adds_to_cue or reading.kind is Kind.ACTIVATED


def added_to_cue(c: Context[Content]) -> bool:
    """Whether the person added to the cue since this recall began."""
    return any(reading.kind.adds_to_cue for _, reading in _turns(c))


def presented(c: Context[Content]) -> Recognizable | None:
    """What the latest presentation led with; None where the person has rejected it since."""
    shown = _presentation(c)
    return None if shown is None or _was_rejected(c) else recognizable(shown.leading)


def _was_rejected(c: Context[Content]) -> bool:
    """Whether what was presented last was rejected by a turn after it."""
    for index in range(len(c) - 1, -1, -1):
        if isinstance(c[index].content, Presented):
            return False
        reading = _reading_of_rejection(c, index)
        if reading is not None and reading.rejects_presented:
            return True
    return False


def _reading_of_rejection(c: Context[Content], index: int) -> TurnReading | None:
    content = c[index].content
    if c[index].origin is not Origin.PERSON or not isinstance(content, Said):
        return None
    if content.command == "not":
        return TurnReading(Kind.CORRECTION, (content.text,), rejects_presented=True)
    shown = _presentation(c[:index])
    if shown is None:
        return None
    names = tuple(named.name for named in shown.adjacent)
    return _read(TurnState(_last_round(c[:index]), _cue_words(c), shown.leading.name, names, content.held), content.text)


def rejected(c: Context[Content]) -> tuple[Named, ...]:
    """The candidates that the person rejected and has not reopened, as they were shown."""
    gone: dict[frozenset[RecordKey], Named] = {}
    for index, turn in enumerate(c):
        if turn.origin is not Origin.PERSON:
            continue
        reading = _reading_of_rejection(c, index)
        shown = _presentation(c[:index])
        if reading is None or shown is None:
            continue
        if reading.rejects_presented:
            gone[frozenset(shown.leading.members)] = shown.leading
        else:
            full = reading_at(c, index)
            if full is not None and full.names_adjacent is not None:
                gone = {keys: named for keys, named in gone.items() if named.name != full.names_adjacent}
    return tuple(gone.values())


def _rejected_names(c: Context[Content]) -> tuple[Named, ...]:
    return rejected(c)


def closes(c: Context[Content], turn: Turn[Content]) -> Answer | None:
    """How that turn of the person's closes the recall; None where it does not."""
    index = next((i for i in range(len(c) - 1, -1, -1) if c[i] is turn), None)
    if index is None:
        index = next((i for i in range(len(c) - 1, -1, -1) if c[i] == turn), None)
    reading = reading_at(c, index) if index is not None else None
    if reading is None:
        return None
    if reading.kind is Kind.IDENTIFIED:
        return Answer.IDENTIFIED
    return Answer.STOPPED if reading.kind is Kind.END else None


def latest_reading(c: Context[Content]) -> TurnReading | None:
    """How the person's latest turn was read."""
    index = latest_person(c)
    return reading_at(c, index) if index is not None else None


def reaches(c: Context[Content]) -> bool:
    """Whether the latest utterance bears on this recall."""
    index = latest_person(c)
    if index is None:
        return False
    if isinstance(c[index].content, Invocation):
        return True
    reading = reading_at(c, index)
    return reading is not None and (reading.kind.bears or reading.kind is Kind.ACTIVATED)


def empty_intention(c: Context[Content]) -> bool:
    """Whether the latest utterance points at a past without a name."""
    reading = latest_reading(c)
    return reading is not None and reading.kind is Kind.ACTIVATED


def elsewhere(c: Context[Content]) -> bool:
    """Whether the latest utterance reaches another recall rather than this one."""
    reading = latest_reading(c)
    return reading is not None and reading.kind is Kind.ELSEWHERE


def only_form(c: Context[Content]) -> bool:
    """Whether the latest utterance is a remark or asks for another form: nothing new is to be read."""
    reading = latest_reading(c)
    return reading is not None and reading.kind is Kind.FORM


def ends(c: Context[Content]) -> bool:
    """Whether the latest utterance ends the recall."""
    reading = latest_reading(c)
    return reading is not None and reading.ends


def wants_wider(c: Context[Content]) -> bool:
    """Whether the person admitted or asked for the search past the boundary, at any time in this recall."""
    return any(reading.asks_expansion for _, reading in _turns(c))


def sentences(c: Context[Content]) -> int:
    """How many sentences the story may have, by what the person asked of its form."""
    for index, reading in reversed(_turns(c)):
        if reading.kind is Kind.FORM:
            content = c[index].content
            return SHORT if isinstance(content, Said) and _SHORTER.search(content.text) else FULL
    return FULL


# ── steering: corrections move the order ────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Steer:
    """Where the person's corrections point: away from what was shown, to one that was named, to earlier or later."""

    away: tuple[frozenset[RecordKey], ...] = ()
    named: str | None = None
    before: datetime | None = None
    after: datetime | None = None


def steer(c: Context[Content]) -> Steer:
    """All corrections of this recall together; of two that name a time the later one counts."""
    away: list[frozenset[RecordKey]] = []
    named: str | None = None
    before: datetime | None = None
    after: datetime | None = None
    for index, reading in _turns(c):
        if reading.kind is not Kind.CORRECTION:
            continue
        shown = _presentation(c[:index])
        content = c[index].content
        if shown is None or not isinstance(content, Said):
            continue
        named = reading.names_adjacent
        if named is not None:
            away = []
        away.append(frozenset(shown.leading.members))
        when = _time_of(c[:index], shown.leading.members)
        if _EARLIER.search(content.text):
            before, after = when, None
        elif _LATER.search(content.text):
            before, after = None, when
    return Steer(tuple(away), named, before, after)


def _time_of(c: Context[Content], keys: tuple[RecordKey, ...]) -> datetime | None:
    times = [
        t.content.record.started
        for t in c
        if isinstance(t.content, RecordOpened) and t.content.record.key in keys and t.content.record.started is not None
    ]
    return min(times, default=None)


# ── what was shown ──────────────────────────────────────────────────────────────────────────────────────────────────


def shown(c: Context[Content]) -> Named | None:
    """What the latest presentation led with, as it was shown."""
    presentation = _presentation(c)
    return presentation.leading if presentation is not None else None


def recognizable(named: Named) -> Recognizable:
    """A candidate as it was shown."""
    members = tuple(Member(str(of_record(key)), named.name if n == 0 else "") for n, key in enumerate(named.members))
    whole = {w.kind: w for w in (Whole.SESSION, Whole.LINE, Whole.TOPIC, Whole.CONCEPT)}.get(named.whole)  # type: ignore[call-overload]
    return Recognizable(whole or Whole.emergent(named.whole), members, named.joins if len(members) > 1 else "")


def keys_shown(c: Context[Content], r: Recognizable) -> tuple[RecordKey, ...]:
    """The records of a candidate that an earlier round showed."""
    for turn in reversed(c):
        if isinstance(turn.content, Presented):
            for named in (turn.content.leading, *turn.content.adjacent):
                if recognizable(named) == r:
                    return named.members
    return ()
