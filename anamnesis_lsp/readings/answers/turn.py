"""The values of this part: where a recall stands when the person speaks, and how their turn was read."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class LastRound(str, Enum):
    """The round the turn follows. ``NONE``: no recall is running."""

    PRESENTATION = "presentation"
    OPEN_QUESTION = "open_question"
    EXPANSION = "expansion"
    ENDED = "ended"
    NONE = "none"


class Kind(str, Enum):
    """How a turn was read; the values are ``read-turns``' own."""

    IDENTIFIED = "identified"
    CORRECTION = "correction"
    MORE_CUE = "more_cue"
    PLACE_TO_LOOK = "place_to_look"
    FORM = "form"
    QUESTION_ABOUT_SHOWN = "question_about_shown"
    ELSEWHERE = "elsewhere"
    END = "end"
    OTHER_WORK = "other_work"
    ACTIVATED = "activated"
    NOT_ACTIVATED = "not_activated"

    @property
    def bears(self) -> bool:
        """Whether a turn read so bears on the running recall (``Reaches``): a pass reads it, no session answers it."""
        return self in _BEARING

    @property
    def adds_to_cue(self) -> bool:
        """Whether it adds to the cue (``AddedToCue``): an answer, a correction, a place to look."""
        return self in _ADDING


_ADDING = frozenset({Kind.CORRECTION, Kind.MORE_CUE, Kind.PLACE_TO_LOOK})
_BEARING = _ADDING | {Kind.FORM, Kind.QUESTION_ABOUT_SHOWN}


@dataclass(frozen=True, slots=True)
class TurnState:
    """Where the recall stands: what a turn is read against."""

    last_round: LastRound
    cue: str | None = None
    """What the person is looking for, in their words."""
    presented: str | None = None
    """The name of what is presented; None where nothing is, so that nothing can be identified."""
    adjacent: tuple[str, ...] = ()
    """The names of the other candidates, rejected ones included."""
    held: tuple[str, ...] = ()
    """The names of the other recalls, held or closed."""


@dataclass(frozen=True, slots=True)
class TurnReading:
    """One reading with the words it rests on, as the person wrote them, and what else the turn carries."""

    kind: Kind
    words: tuple[str, ...]
    rejects_presented: bool = False
    """The presented candidate itself is rejected ("not that one"), not only corrected away from ("no, earlier")."""
    names_adjacent: str | None = None
    """The adjacent candidate that the turn points at: it is reopened where it was rejected."""
    names_held: str | None = None
    """The other recall that the turn reaches or mentions."""
    asks_expansion: bool = False
    """The turn admits or asks for a search past the boundary."""
    also_points_elsewhere: bool = False
    """Another past is pointed at too, and the turn stays here: that past is only named."""
    ends: bool = False
    """The turn also ends this recall; with ``ELSEWHERE`` the hold reply carries the scope report."""
    language: str = "en"
    """The table it was read with."""
