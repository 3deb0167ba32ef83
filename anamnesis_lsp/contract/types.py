"""The types of both texts (``TYPES``): what a person reaches for, what records make up, how a recall ends.

Shapes are the Lean ones; a list is a tuple. A constructor that carries a proof in Lean checks it here and raises
``ValueError``. Where the proof is a judgement (``ClaimSupported``), the constructor takes the judgement and makes it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import InitVar, dataclass
from enum import Enum
from typing import ClassVar, Generic, Literal, TypeAlias, TypeVar

from anamnesis_lsp.contract.ground import Cite, Context, Origin, Turn

P = TypeVar("P")
O_co = TypeVar("O_co", covariant=True)
"""The outcomes of one text."""

WholeKind = Literal["session", "line", "topic", "concept", "emergent"]


@dataclass(frozen=True, slots=True)
class Whole:
    """The whole the person means: ``Whole.SESSION``, ``LINE``, ``TOPIC``, ``CONCEPT``, or ``Whole.emergent(name)``."""

    kind: WholeKind
    name: str = ""
    """The name of an emergent whole; empty for the four that have one already."""

    SESSION: ClassVar[Whole]
    """One conversation."""
    LINE: ClassVar[Whole]
    """A succession of work across records."""
    TOPIC: ClassVar[Whole]
    """Pieces worked out on one subject."""
    CONCEPT: ClassVar[Whole]
    """A settled idea; recognized only where a record carries it as settled."""

    def __post_init__(self) -> None:
        if (self.kind == "emergent") != bool(self.name.strip()):
            raise ValueError("an emergent whole has a name, the others have none of their own")

    @classmethod
    def emergent(cls, name: str) -> Whole:
        """A whole that matches none of the named ones, named as it comes."""
        return cls("emergent", name)

    def __str__(self) -> str:
        return self.name or self.kind


Whole.SESSION = Whole("session")
Whole.LINE = Whole("line")
Whole.TOPIC = Whole("topic")
Whole.CONCEPT = Whole("concept")


@dataclass(frozen=True, slots=True)
class Axis:
    """One axis the past can be reached along. Lean's axis is a string: that string is ``str(axis)``, ``"kind: value"``.

    ``kind`` is open (``artifact``, ``identifier``, ``term``, ``time``, ``person`` …); ``source`` says where it was read
    from: ``text``, ``comment``, ``selection`` or ``earlier``.
    """

    kind: str
    value: str
    source: str = "text"

    def __post_init__(self) -> None:
        if not self.kind or not self.value:
            raise ValueError("an axis has a kind and a value")

    def __str__(self) -> str:
        return f"{self.kind}: {self.value}"


@dataclass(frozen=True, slots=True)
class Cue:
    """What the person reaches for: the past they mean in their words, the whole, the axes."""

    meant: str
    whole: Whole
    axes: tuple[Axis, ...] = ()


@dataclass(frozen=True, slots=True)
class Member:
    """A record the past work left and a search reached, named by where it is, its root included."""

    locator: str
    """Where the record is; never empty."""
    gist: str
    """What an index or the record's head says of it: a cue for ordering, never evidence."""
    handle: str | None = None
    """How to reopen or resume it; None where there is no way."""

    def __post_init__(self) -> None:
        if not self.locator:
            raise ValueError("a member is named by where it is: its locator is empty")


@dataclass(frozen=True, slots=True)
class Recognizable:
    """A candidate for what the person means: one shape at every scope."""

    whole: Whole
    members: tuple[Member, ...]
    joins: str = ""
    """What joins the members and what the records support of it; empty for one member."""

    def __post_init__(self) -> None:
        if not self.members:
            raise ValueError("a recognizable has at least one member")
        if len(self.members) == 1 and self.joins:
            raise ValueError("one member alone is joined to nothing: joins must be empty")


@dataclass(frozen=True)
class Claim(Generic[P]):
    """One sentence of a story, with the opened record that carries it.

    ``src`` must cite a turn that is not a person's, so evidence (``external`` or ``peer``). ``claim_supported`` is the
    judgement ``ClaimSupported`` (normally ``readings.claim_supported``). It is asked here whether the cited turn is a
    record opened and carries this sentence; a sentence it refuses cannot be built.
    """

    text: str
    src: Cite[P]
    claim_supported: InitVar[Callable[[Context[P], Turn[P], str], bool]]

    def __post_init__(self, claim_supported: Callable[[Context[P], Turn[P], str], bool]) -> None:
        if self.src.src.val is Origin.PERSON:
            raise ValueError("a claim rests on a record, not on a person's turn")
        if not claim_supported(self.src.context, self.src.turn, self.text):
            raise ValueError(f"turn {self.src.idx} does not carry this sentence")


class ExtractorState(str, Enum):
    """How one extraction ended, by the value its capture receipt records."""

    SUCCEEDED = "succeeded"
    EMPTY = "empty"
    INVOCATION_FAILED = "invocationFailed"
    VALIDATION_FAILED = "validationFailed"
    INPUT_FAILED = "inputFailed"
    SKIPPED = "skipped"


def _refuse_negative(name: str, count: int | None) -> None:
    if count is not None and count < 0:
        raise ValueError(f"{name} counts something: {count} is below zero (unknown is None)")


@dataclass(frozen=True, slots=True)
class Reach:
    """How much of a record's source one extraction received. None is unknown, never zero and never success."""

    extractor: str
    state: ExtractorState | None
    omitted: int | None
    """Characters of the source it did not receive."""

    def __post_init__(self) -> None:
        _refuse_negative("omitted", self.omitted)


@dataclass(frozen=True, slots=True)
class SourceScan:
    """How completely a record's source reached its capture. Each count is None where none was recorded."""

    skipped_lines: int | None = None
    """Transcript lines that did not parse."""
    unverified_person_turns: int | None = None
    """The person's turns missing from the runtime's own cross-check channel."""
    omitted_chars: int | None = None
    """Characters a bounded extraction dropped."""

    def __post_init__(self) -> None:
        _refuse_negative("skipped_lines", self.skipped_lines)
        _refuse_negative("unverified_person_turns", self.unverified_person_turns)
        _refuse_negative("omitted_chars", self.omitted_chars)


@dataclass(frozen=True)
class Qualification(Generic[P]):
    """What the capture evidence says of one examined record, resting on the reader output that ``src`` cites."""

    locator: str
    reach: tuple[Reach, ...]
    """Empty where no receipt reached the record."""
    scan: SourceScan
    finding: str
    src: Cite[P]

    def __post_init__(self) -> None:
        if self.src.src.val is Origin.PERSON:
            raise ValueError("a qualification rests on what a reader returned, not on a person's turn")


class Answer(str, Enum):
    """How a person's turn closes a recall. Anamnesis knows only ``IDENTIFIED`` (its ``Unit``)."""

    IDENTIFIED = "identified"
    STOPPED = "stopped"
    """Recollect only: the person ends the recall, or declines the wider search."""


@dataclass(frozen=True, slots=True)
class Expansion:
    """A search past the boundary (Recollect): what it would read, and its cost."""

    reach: str
    cost: str


@dataclass(frozen=True)
class RecalledContext(Generic[P]):
    """What an identification emits: that the past took place, not that it still holds."""

    context: Context[P]
    recognizable: Recognizable
    story: tuple[str, ...]
    qualifications: tuple[str, ...]
    searched: str
    identified_at: int
    """0-based index in ``context`` of the person's turn that identified it."""
    dissent: tuple[str, ...] | None = None
    """The doubts that stood before that turn (Anamnesis); None under Recollect, which keeps none."""

    def __post_init__(self) -> None:
        if not 0 <= self.identified_at < len(self.context):
            raise ValueError(f"no turn {self.identified_at} in a context of {len(self.context)}")
        if self.context[self.identified_at].origin is not Origin.PERSON:
            raise ValueError("only a person's turn identifies")


@dataclass(frozen=True)
class NotActivated(Generic[P]):
    """No empty intention and no invocation: the finding is relayed, nothing is searched."""

    context: Context[P]


@dataclass(frozen=True)
class Identified(Generic[P]):
    """The person identified the presented recognizable."""

    value: RecalledContext[P]

    @property
    def context(self) -> Context[P]:
        """The context in which it was identified."""
        return self.value.context


@dataclass(frozen=True)
class Stopped(Generic[P]):
    """Recollect: the person ended the recall. What was searched, with its capture evidence, goes with it."""

    context: Context[P]
    searched: str
    qualifications: tuple[str, ...]


@dataclass(frozen=True)
class Unresolved(Generic[P]):
    """Nothing further was worth reaching for after the person had added to the cue. No absence is claimed."""

    context: Context[P]
    searched: str
    qualifications: tuple[str, ...]


@dataclass(frozen=True)
class Holding(Generic[P]):
    """The recall waits as its last round left it: on silence, or (Anamnesis) on a turn that reaches another recall."""

    context: Context[P]


AnamnesisOutcome: TypeAlias = NotActivated[P] | Identified[P] | Unresolved[P] | Holding[P]
"""``Outcome`` of the current text."""
RecollectOutcome: TypeAlias = NotActivated[P] | Identified[P] | Stopped[P] | Unresolved[P] | Holding[P]
"""``Outcome`` of the earlier text."""
Outcome: TypeAlias = RecollectOutcome[P]
"""Either text's ``Outcome``."""


class Branch(str, Enum):
    """Which branch a step took, spelled as the wire's ``outcome``."""

    NOT_ACTIVATED = "notActivated"
    IDENTIFIED = "identified"
    STOPPED = "stopped"
    UNRESOLVED = "unresolved"
    HELD_ELSEWHERE = "holding"
    PRESENTED = "presented"
    ASKED = "asked"
    EXPANSION = "expansion"
    ANSWERED = "answered"


GOES_ON = frozenset({Branch.PRESENTED, Branch.ASKED, Branch.EXPANSION, Branch.ANSWERED})
"""The branches after which the recall goes on with the next utterance; the last turn is then our response."""


@dataclass(frozen=True)
class Stepped(Generic[P, O_co]):
    """What one step did: the context it left, the branch it took, and the outcome where it ended the fold.

    ``outcome`` is None exactly where the recall goes on; ``context`` then ends with the response (a round, or the
    session's answer). Otherwise ``context`` is the outcome's own. The type says which text's outcomes it may carry.
    """

    context: Context[P]
    branch: Branch
    outcome: O_co | None = None

    def __post_init__(self) -> None:
        if (self.outcome is None) != (self.branch in GOES_ON):
            raise ValueError(f"a step that took the branch {self.branch.value} with outcome {self.outcome!r}")
