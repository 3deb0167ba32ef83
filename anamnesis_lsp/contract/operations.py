"""Tool grounding of both texts: the operations of a recall and the two kinds of interaction."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Literal


class Continuation(str, Enum):
    """What follows once an interaction's text is presented."""

    STOP = "stop"
    PROCEED = "proceed"


class Interaction(str, Enum):
    """A Constitution settles a judgement through the person's turn; an Extension settles none for the person."""

    CONSTITUTION = "constitution"
    EXTENSION = "extension"

    @property
    def realization(self) -> Continuation:
        """A Constitution stops for the person's turn, an Extension proceeds."""
        return Continuation.STOP if self is Interaction.CONSTITUTION else Continuation.PROCEED


@dataclass(frozen=True, slots=True)
class Annot:
    """What an operation is. ``interaction`` says which kind, and only an interaction does."""

    what: Literal["sense", "observe", "track", "transform", "dispatch", "interaction"]
    interaction: Interaction | None = None

    def __post_init__(self) -> None:
        if (self.what == "interaction") != (self.interaction is not None):
            raise ValueError("an interaction has a kind, nothing else has")


SENSE = Annot("sense")
OBSERVE = Annot("observe")
CONSTITUTION = Annot("interaction", Interaction.CONSTITUTION)
EXTENSION = Annot("interaction", Interaction.EXTENSION)


class Op(str, Enum):
    """The operations of both texts; ``EXPAND`` is Recollect's alone, ``HOLD_REPLY`` Anamnesis's."""

    DETECT = "detect"
    RELAY_NOT_ACTIVATED = "relayNotActivated"
    CUE = "cue"
    SEARCH = "search"
    GROUP = "group"
    GROUND = "ground"
    QUALIFY = "qualify"
    ASK = "ask"
    EXPAND = "expand"
    PRESENT = "present"
    READ_TURN = "readTurn"
    RESOLVE = "resolve"
    UNRESOLVED = "unresolved"
    HOLD_REPLY = "holdReply"
    CONVERGE = "converge"
