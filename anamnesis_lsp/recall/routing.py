"""Which recall a turn reaches: the running one, another that it names or comes back to, or a fresh one. Pure.

V-BINDING of the contract: words that continue an earlier recall return to it, new cue text reads as fresh; among
several held recalls it is the one the words or the context point to.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from anamnesis_lsp.contract import Context
from anamnesis_lsp.readings import dialogue
from anamnesis_lsp.readings.answers import Kind, LastRound, TurnReading, TurnState, read_turn
from anamnesis_lsp.readings.answers.languages import language_of
from anamnesis_lsp.readings.answers.names import Said, named
from anamnesis_lsp.readings.answers.writing import written
from anamnesis_lsp.readings.content import Content
from anamnesis_lsp.recall.recalls import Listed

_TAKEN_UP_AGAIN = ("open", "held", "unresolved")
"""States of a recall that words may come back to without naming its id."""
_COMING_BACK = (
    Kind.IDENTIFIED,
    Kind.CORRECTION,
    Kind.MORE_CUE,
    Kind.PLACE_TO_LOOK,
    Kind.QUESTION_ABOUT_SHOWN,
)


def of_reading(reading: TurnReading, others: Sequence[Listed]) -> Listed | None:
    """The recall that a turn read as *elsewhere* reaches; None: a fresh one. ``others`` latest first."""
    if reading.names_held is not None:
        return next((one for one in others if one.name == reading.names_held), None)
    if dialogue.goes_back(" ".join(reading.words)):
        return next((one for one in others if one.state in _TAKEN_UP_AGAIN), None)
    return None


def with_none_running(
    text: str, others: Sequence[Listed], context: Callable[[Listed], Context[Content]]
) -> Listed | None:
    """The recall that words come back to while none is running; None where they reach none there is.

    One that the words name, with an effort to go back to it; else the latest waiting one, where they speak of its past
    again, or, nothing having closed since, identify what it presented or correct it.
    """
    if dialogue.goes_back(text):
        return next((one for one in others if one.state in _TAKEN_UP_AGAIN), None)
    named_one = _named(text, others)
    if named_one is not None and read_turn(TurnState(LastRound.NONE, held=(named_one.name,)), text).kind is (
        Kind.ACTIVATED
    ):
        return named_one
    latest = next((one for one in others if one.state in _TAKEN_UP_AGAIN), None)
    if latest is None:
        return None
    state = replace(dialogue.state_after(context(latest)), last_round=LastRound.ENDED)
    reading = read_turn(state, text)
    if reading.kind not in _COMING_BACK:
        return None
    if reading.kind not in (Kind.MORE_CUE, Kind.QUESTION_ABOUT_SHOWN) and latest is not others[0]:
        return None  # words that only point are about what was shown last, and that is closed
    effort = read_turn(TurnState(LastRound.NONE), text).kind is Kind.ACTIVATED
    if reading.kind in (Kind.MORE_CUE, Kind.QUESTION_ABOUT_SHOWN):
        about = replace(state, adjacent=()) if effort else state
        if not dialogue.shares_words(about, text):
            return None
    return None if reading.kind is Kind.MORE_CUE and not effort else latest


def continues(text: str, state: TurnState) -> bool:
    """Whether the words of an invocation continue the recall that is open; new cue text does not."""
    reading = read_turn(state, text)
    if reading.kind in (Kind.IDENTIFIED, Kind.CORRECTION, Kind.PLACE_TO_LOOK, Kind.FORM):
        return True
    ended = read_turn(replace(state, last_round=LastRound.ENDED), text)
    return reading.kind is Kind.MORE_CUE and ended.kind is Kind.MORE_CUE


def _named(text: str, others: Sequence[Listed]) -> Listed | None:
    writing = written(text)
    language = language_of(writing)
    names = tuple(dict.fromkeys(one.name for one in others if one.name))
    found = named(Said(writing.plain, writing.text), names, (), language)
    return None if found is None else next(one for one in others if one.name == found.name)
