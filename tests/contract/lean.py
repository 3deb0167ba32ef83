"""The two machines transcribed from the Lean texts once more, as literally as Python allows: the oracle of the tests.

Recursive, with the continuation ``k`` of ``round``, and with nothing of ``anamnesis_lsp.contract`` but its types.
"""

from __future__ import annotations

from collections.abc import Callable

from anamnesis_lsp.contract import (
    Answer,
    Context,
    Filled,
    Holding,
    Identified,
    NotActivated,
    Origin,
    Outcome,
    RecalledContext,
    Recognizable,
    Response,
    Stopped,
    Unresolved,
    Utterance,
)
from tests.contract.scripted import Scripted

Say = Callable[[Context[str]], Response[str]]


def passed(rd: Scripted, c: Context[str]) -> Context[str]:
    c1 = (*c, *(e.val for e in rd.search(c)))
    return (*c1, *(r.val for r in rd.pass_record(c1)))


def leading(rd: Scripted, c: Context[str]) -> Recognizable | None:
    for r in rd.found(c):
        if len(rd.story(c, r)) > 0:
            return r
    return None


def recalled(rd: Scripted, c: Context[str], r: Recognizable, idx: int, dissent: tuple[str, ...] | None) -> Outcome[str]:
    return Identified(
        RecalledContext(
            c,
            r,
            tuple(s.text for s in rd.story(c, r)),
            tuple(q.finding for q in rd.qualifications(c, r)),
            rd.searched(c),
            idx,
            dissent,
        )
    )


def scope(rd: Scripted, c: Context[str]) -> tuple[str, ...]:
    return tuple(q.finding for q in rd.scope_qualifications(c))


class Anamnesis:
    def __init__(self, rd: Scripted, respond: Say, session: Say) -> None:
        self.rd, self.respond, self.session = rd, respond, session

    def closing(self, c: Context[str]) -> Outcome[str] | None:
        match self.rd.answer(c), self.rd.presented(c):
            case Filled(a=Answer.IDENTIFIED, src=s), Recognizable() as r:
                if not [t for t in c[s.idx + 1 :] if t.origin == Origin.PERSON]:
                    return recalled(self.rd, c, r, s.idx, tuple(self.rd.dissent(c[0 : s.idx], r)))
        return None

    def settle(self, c: Context[str]) -> Outcome[str] | None:
        if leading(self.rd, c) is None and self.rd.added_to_cue(c):
            return Unresolved(c, self.rd.searched(c), scope(self.rd, c))
        return None

    def round(self, k: Callable[[Context[str]], Outcome[str]], c1: Context[str]) -> Outcome[str]:
        return self.settle(c1) or k((*c1, self.respond(c1).val))

    def recollect(self, c: Context[str], us: list[Utterance[str]]) -> Outcome[str]:
        if not us:
            return Holding(c)
        c1 = (*c, us[0].val)
        if (o := self.closing(c1)) is not None:
            return o
        if self.rd.elsewhere(c1):
            return Holding(c1)
        if self.rd.reaches(c1):
            return self.round(lambda d: self.recollect(d, us[1:]), passed(self.rd, c1))
        return self.recollect((*c1, self.session(c1).val), us[1:])

    def start(self, c: Context[str], us: list[Utterance[str]]) -> Outcome[str]:
        if not (self.rd.invoked(c) or self.rd.empty_intention(c)):
            return NotActivated(c)
        if (o := self.closing(c)) is not None:
            return o
        return self.round(lambda d: self.recollect(d, us), passed(self.rd, c))


class Recollect:
    def __init__(self, rd: Scripted, respond: Say) -> None:
        self.rd, self.respond = rd, respond

    def closing(self, c: Context[str]) -> Outcome[str] | None:
        match self.rd.answer(c), self.rd.presented(c):
            case Filled(a=Answer.IDENTIFIED, src=s), Recognizable() as r:
                return recalled(self.rd, c, r, s.idx, None)
            case Filled(a=Answer.STOPPED), _:
                return Stopped(c, self.rd.searched(c), scope(self.rd, c))
        return None

    def settle(self, c: Context[str]) -> Outcome[str] | None:
        if leading(self.rd, c) is None and self.rd.added_to_cue(c) and self.rd.expansion(c) is None:
            return Unresolved(c, self.rd.searched(c), scope(self.rd, c))
        return None

    def recollect(self, c: Context[str], us: list[Utterance[str]]) -> Outcome[str]:
        if not us:
            return Holding(c)
        c1 = (*c, us[0].val)
        if (o := self.closing(c1)) is not None:
            return o
        c2 = passed(self.rd, c1)
        if (o := self.settle(c2)) is not None:
            return o
        return self.recollect((*c2, self.respond(c2).val), us[1:])

    def start(self, c: Context[str], us: list[Utterance[str]]) -> Outcome[str]:
        if not (self.rd.invoked(c) or self.rd.empty_intention(c)):
            return NotActivated(c)
        c1 = passed(self.rd, c)
        if (o := self.settle(c1)) is not None:
            return o
        return self.recollect((*c1, self.respond(c1).val), us)
