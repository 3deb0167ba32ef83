"""The judgements: one method per axiom of both texts.

The contract calls these and decides nothing in their place; ``anamnesis_lsp.readings`` realises them. A Lean ``Prop``
is a ``bool``, an ``Option`` is ``| None``, a ``List`` a sequence. What depends on a context in Lean's types
(``Cite c``, ``Claim c``) is a value bound to the context given: a machine refuses an answer bound to another one.

=====================  ========================  ==========================
Lean axiom             method                    in
=====================  ========================  ==========================
``cue``                ``cue``                   both
``found``              ``found``                 both
``ClaimSupported``     ``claim_supported``       both
``story``              ``story``                 both
``opened``             ``opened``                both
``qualifications``     ``qualifications``        both
``scopeQualifications``  ``scope_qualifications``  both
``searched``           ``searched``              both
``AddedToCue``         ``added_to_cue``          both
``presented``          ``presented``             both
``AnswerSupported``    ``answer_supported``      both (``Unit`` is ``Answer.IDENTIFIED``)
``answer``             ``answer``                both
``Reaches``            ``reaches``               Anamnesis
``Invoked``            ``invoked``               both
``EmptyIntention``     ``empty_intention``       both (latest utterance / context)
``Elsewhere``          ``elsewhere``             Anamnesis
``dissent``            ``dissent``               Anamnesis
``expansion``          ``expansion``             Recollect
``search``             ``search``                both
``passRecord``         ``pass_record``           both
=====================  ========================  ==========================
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias, TypeVar

from anamnesis_lsp.contract.ground import Cite, Context, Evidence, Occ, Response, Turn
from anamnesis_lsp.contract.types import Answer, Claim, Cue, Expansion, Member, Qualification, Recognizable

P = TypeVar("P")

Respond: TypeAlias = Callable[[Context[P]], Response[P]]
"""``respond`` and ``session`` of the texts: what is said, given the context as it stands."""


class Readings(Protocol[P]):
    """One recall's judgements over a context. Methods may do I/O; they never change a context or a record.

    A machine may ask the same reading of the same context more than once: a costly realisation remembers its answers.
    """

    def cue(self, c: Context[P]) -> Cue:
        """Read the cue from the whole context, afresh: the latest utterance and every earlier one of this recall."""
        ...

    def found(self, c: Context[P]) -> Sequence[Recognizable]:
        """This recall's recognizables, best first; a rejected candidate is left out."""
        ...

    def claim_supported(self, c: Context[P], turn: Turn[P], text: str) -> bool:
        """Whether the cited turn is a record opened and carries this sentence, its speaker as the record names them."""
        ...

    def story(self, c: Context[P], r: Recognizable) -> Sequence[Claim[P]]:
        """The story the opened records carry of ``r``; empty where none opened."""
        ...

    def opened(self, c: Context[P], r: Recognizable) -> Sequence[tuple[Member, Cite[P] | None]]:
        """For each member of ``r`` the turn in which its record was opened; None where nothing openable came back."""
        ...

    def qualifications(self, c: Context[P], r: Recognizable) -> Sequence[Qualification[P]]:
        """The capture evidence for the members of ``r``."""
        ...

    def scope_qualifications(self, c: Context[P]) -> Sequence[Qualification[P]]:
        """The capture evidence for every record that was examined, one that matched nothing included."""
        ...

    def searched(self, c: Context[P]) -> str:
        """What the searches covered, to what extent, and which records did not open."""
        ...

    def added_to_cue(self, c: Context[P]) -> bool:
        """Whether the person has added to the cue since this recall began: an answer, a correction, a place to look."""
        ...

    def presented(self, c: Context[P]) -> Recognizable | None:
        """What the latest presenting round led with; None before any, and where the person has rejected it since."""
        ...

    def answer_supported(self, c: Context[P], turn: Turn[P], answer: Answer) -> bool:
        """Whether the cited turn closes the recall this way. Unclear identifies nothing."""
        ...

    def answer(self, c: Context[P]) -> Occ[P, Answer]:
        """Read the latest utterance; ``Open`` where it closes nothing. ``Filled`` is built with ``answer_coord``."""
        ...

    def reaches(self, c: Context[P]) -> bool:
        """Anamnesis: whether the latest utterance bears on this recall. Words that end it do not."""
        ...

    def invoked(self, c: Context[P]) -> bool:
        """Whether the latest utterance (Recollect: this recall) is the person's own invocation."""
        ...

    def empty_intention(self, c: Context[P]) -> bool:
        """Whether a past is pointed at without a name: by the latest utterance (Recollect: in the context)."""
        ...

    def elsewhere(self, c: Context[P]) -> bool:
        """Anamnesis: whether the latest utterance reaches another recall rather than this one."""
        ...

    def dissent(self, c: Context[P], r: Recognizable) -> Sequence[str]:
        """Anamnesis: the doubts that ``r`` is the past meant, each naming what it rests on."""
        ...

    def expansion(self, c: Context[P]) -> Expansion | None:
        """Recollect: a search past the boundary still worth offering."""
        ...

    def search(self, c: Context[P]) -> Sequence[Evidence[P]]:
        """One pass's reads, each an evidence turn; writes nothing to the records."""
        ...

    def pass_record(self, c: Context[P]) -> Sequence[Response[P]]:
        """The record of the pass: what was found, opened and qualified, and the scope searched. It grounds nothing."""
        ...
