"""The ground of both texts (``GROUND``): turns, who sent them, and what may be cited.

Everything is generic over ``P``, what a turn says: the contract never looks inside it. A Lean subtype ``{x // p x}``
is a small frozen value with the field ``val`` whose constructor checks ``p``; an invalid value raises ``ValueError``.

The generic values have no slots: before Python 3.12 ``Turn[str](…)`` on a frozen class with slots raises ``TypeError``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Generic, TypeAlias, TypeVar

P = TypeVar("P")
"""What a turn says (the payload)."""
A = TypeVar("A")
"""What an occurrence settles."""


class Origin(str, Enum):
    """Who sent a turn, as the harness says. Speakers inside a record are part of its content, never an origin."""

    PERSON = "person"
    ASSISTANT = "assistant"
    EXTERNAL = "external"
    PEER = "peer"
    INJECTED = "injected"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Turn(Generic[P]):
    """Who sent it and what it says. What the turn does is read from ``content``, never stored here."""

    origin: Origin
    content: P


Context: TypeAlias = tuple[Turn[P], ...]
"""The fused context: turns in order. A tuple, so it never changes; it only grows, by ``+`` into a new one."""

Mode: TypeAlias = tuple[Turn[P], ...]
"""Λ: the fused context and nothing else."""

VagueRecall: TypeAlias = tuple[Turn[P], ...]
"""V: the person's utterance and the context it stands in, pointing at a past they cannot name."""


@dataclass(frozen=True, slots=True)
class Grounding:
    """An origin that may ground: a person, something external, a peer. The others ground nothing."""

    val: Origin

    def __post_init__(self) -> None:
        if self.val in (Origin.ASSISTANT, Origin.INJECTED, Origin.UNKNOWN):
            raise ValueError(f"a turn of origin {self.val.value} grounds nothing")


@dataclass(frozen=True)
class Utterance(Generic[P]):
    """Any turn a person sent, whatever it does."""

    val: Turn[P]

    def __post_init__(self) -> None:
        if self.val.origin is not Origin.PERSON:
            raise ValueError(f"an utterance is a person's turn, this one is of origin {self.val.origin.value}")


@dataclass(frozen=True)
class Response(Generic[P]):
    """A turn of our own: a round, a session's answer, the record of a pass. It grounds nothing."""

    val: Turn[P]

    def __post_init__(self) -> None:
        if self.val.origin is not Origin.ASSISTANT:
            raise ValueError(f"a response is the assistant's turn, this one is of origin {self.val.origin.value}")


@dataclass(frozen=True)
class Evidence(Generic[P]):
    """A turn from outside the conversation: what a read returned (``external``), or a peer's report (``peer``)."""

    val: Turn[P]

    def __post_init__(self) -> None:
        if self.val.origin not in (Origin.EXTERNAL, Origin.PEER):
            raise ValueError(f"evidence is external or a peer's, this turn is of origin {self.val.origin.value}")


def fuse(c: Context[P], u: Utterance[P]) -> Context[P]:
    """The context with the person's turn at its end."""
    return (*c, u.val)


@dataclass(frozen=True)
class Cite(Generic[P]):
    """One turn of ``context`` (0-based ``idx``), with the origin it grounds on.

    Bound to its context: the index must lie in it and the turn's origin must be ``src``. Use :meth:`to` to read ``src``
    from the turn itself, :meth:`lift` to cite the same turn from a longer context.
    """

    context: Context[P] = field(repr=False, hash=False)
    idx: int
    src: Grounding

    def __post_init__(self) -> None:
        if not 0 <= self.idx < len(self.context):
            raise ValueError(f"no turn {self.idx} in a context of {len(self.context)}")
        if self.turn.origin is not self.src.val:
            raise ValueError(f"turn {self.idx} is of origin {self.turn.origin.value}, not {self.src.val.value}")

    @classmethod
    def to(cls, c: Context[P], idx: int) -> Cite[P]:
        """Cite turn ``idx`` of ``c`` on the origin it has; ``ValueError`` where that grounds nothing."""
        if not 0 <= idx < len(c):
            raise ValueError(f"no turn {idx} in a context of {len(c)}")
        return cls(c, idx, Grounding(c[idx].origin))

    @property
    def turn(self) -> Turn[P]:
        """The cited turn."""
        return self.context[self.idx]

    def lift(self, t: Context[P]) -> Cite[P]:
        """The same turn cited from ``context + t``. What it supports is judged again against that context."""
        return Cite(self.context + t, self.idx, self.src)

    def stands_in(self, c: Context[P]) -> bool:
        """Whether this is a cite of ``c`` itself: Lean's ``Cite c``."""
        return self.context is c or self.context == c


@dataclass(frozen=True)
class Coord(Generic[P, A]):
    """What settles an ``A``: who may (``admits``, on the origin alone) and what does (``supports``, a reading)."""

    admits: Callable[[Grounding], bool]
    supports: Callable[[Context[P], Turn[P], A], bool]


@dataclass(frozen=True)
class Open(Generic[P]):
    """Nothing is settled (``Occ.open_``). ``candidate`` may carry a citation whose support is still short."""

    candidate: Cite[P] | None = None


@dataclass(frozen=True)
class Filled(Generic[P, A]):
    """``a`` is settled by the cited turn (``Occ.filled``).

    Building it makes the judgement: ``coord`` must admit the origin and find that the turn supports ``a``, else
    ``ValueError``.
    """

    coord: Coord[P, A] = field(repr=False, compare=False)
    a: A
    src: Cite[P]

    def __post_init__(self) -> None:
        if not self.coord.admits(self.src.src):
            raise ValueError(f"a turn of origin {self.src.src.val.value} is not admitted to settle this")
        if not self.coord.supports(self.src.context, self.src.turn, self.a):
            raise ValueError(f"turn {self.src.idx} does not support {self.a!r}")


Occ: TypeAlias = Open[P] | Filled[P, A]
"""Whether a coordinate is settled in a context."""
