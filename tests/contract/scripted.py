"""Readings that answer anything the types allow, the same every time they are asked: what drives the machines in tests.

Every answer is picked from a drawn list by the name of the reading and the length of the context, so that a run can be
replayed, compared with the oracle, and shrunk.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence

from anamnesis_lsp.contract import (
    Answer,
    Cite,
    Claim,
    Context,
    Coord,
    Cue,
    Evidence,
    Expansion,
    Filled,
    Grounding,
    Member,
    Occ,
    Open,
    Origin,
    Qualification,
    Recognizable,
    Response,
    SourceScan,
    Turn,
    Utterance,
    Whole,
)

CANDIDATES = tuple(Recognizable(Whole.SESSION, (Member(f"record {name}", name),)) for name in "abc")


def person(text: str) -> Utterance[str]:
    return Utterance(Turn(Origin.PERSON, text))


def respond(c: Context[str]) -> Response[str]:
    return Response(Turn(Origin.ASSISTANT, f"round after {len(c)}"))


def session(c: Context[str]) -> Response[str]:
    return Response(Turn(Origin.ASSISTANT, f"answer after {len(c)}"))


def of_origin(c: Context[str], *origins: Origin) -> list[int]:
    return [i for i, turn in enumerate(c) if turn.origin in origins]


class Scripted:
    """Arbitrary readings over payloads of text; ``fixed`` sets the readings a test is about."""

    def __init__(self, draws: Sequence[int], **fixed: object) -> None:
        self.draws = draws
        self.fixed = fixed
        self.asked: list[str] = []

    def pick(self, name: str, c: Context[str], n: int) -> int:
        if name in self.fixed:
            return int(self.fixed[name])  # type: ignore[call-overload]
        return self.draws[zlib.crc32(f"{name} {len(c)}".encode()) % len(self.draws)] % n

    def cue(self, c: Context[str]) -> Cue:
        return Cue(f"cue of {len(c)}", Whole.TOPIC)

    def found(self, c: Context[str]) -> Sequence[Recognizable]:
        self.asked.append("found")
        return CANDIDATES[: self.pick("found", c, 4)]

    def claim_supported(self, c: Context[str], turn: Turn[str], text: str) -> bool:
        return turn.origin in (Origin.EXTERNAL, Origin.PEER)

    def story(self, c: Context[str], r: Recognizable) -> Sequence[Claim[str]]:
        evidence = of_origin(c, Origin.EXTERNAL, Origin.PEER)
        wanted = self.pick(f"story of {r.members[0].gist}", c, 3)
        return [
            Claim(f"{r.members[0].gist} {i} at {len(c)}", Cite.to(c, i), self.claim_supported)
            for i in evidence[:wanted]
        ]

    def opened(self, c: Context[str], r: Recognizable) -> Sequence[tuple[Member, Cite[str] | None]]:
        return [(member, None) for member in r.members]

    def _qualified(self, c: Context[str], what: str) -> Sequence[Qualification[str]]:
        return [
            Qualification(f"record {i}", (), SourceScan(), f"{what} {i} at {len(c)}", Cite.to(c, i))
            for i in of_origin(c, Origin.EXTERNAL)[:2]
        ]

    def qualifications(self, c: Context[str], r: Recognizable) -> Sequence[Qualification[str]]:
        return self._qualified(c, r.members[0].gist)

    def scope_qualifications(self, c: Context[str]) -> Sequence[Qualification[str]]:
        return self._qualified(c, "scope")

    def searched(self, c: Context[str]) -> str:
        return f"searched by {len(c)}"

    def added_to_cue(self, c: Context[str]) -> bool:
        return bool(self.pick("added_to_cue", c, 2))

    def presented(self, c: Context[str]) -> Recognizable | None:
        return (None, *CANDIDATES)[self.pick("presented", c, 4)]

    def answer_supported(self, c: Context[str], turn: Turn[str], answer: Answer) -> bool:
        return True

    def answer(self, c: Context[str]) -> Occ[str, Answer]:
        coord: Coord[str, Answer] = Coord(lambda src: src.val is Origin.PERSON, self.answer_supported)
        turns = of_origin(c, Origin.PERSON)
        kind = self.pick("answer", c, 4)
        if not turns or kind == 0:
            return Open()
        turn = turns[-1 - self.pick("answer by", c, 3) % len(turns)]
        if kind == 1:
            return Open(Cite(c, turn, Grounding(Origin.PERSON)))
        return Filled(coord, Answer.IDENTIFIED if kind == 2 else Answer.STOPPED, Cite.to(c, turn))

    def reaches(self, c: Context[str]) -> bool:
        self.asked.append("reaches")
        return bool(self.pick("reaches", c, 2))

    def invoked(self, c: Context[str]) -> bool:
        return bool(self.pick("invoked", c, 2))

    def empty_intention(self, c: Context[str]) -> bool:
        return bool(self.pick("empty_intention", c, 2))

    def elsewhere(self, c: Context[str]) -> bool:
        self.asked.append("elsewhere")
        return self.pick("elsewhere", c, 3) == 1

    def dissent(self, c: Context[str], r: Recognizable) -> Sequence[str]:
        return [f"doubt of {r.members[0].gist} at {len(c)}"]

    def expansion(self, c: Context[str]) -> Expansion | None:
        self.asked.append("expansion")
        return Expansion("all refs", "40 s") if self.pick("expansion", c, 2) else None

    def search(self, c: Context[str]) -> Sequence[Evidence[str]]:
        self.asked.append("search")
        origins = (Origin.EXTERNAL, Origin.PEER)
        return [
            Evidence(Turn(origins[self.pick(f"origin {i}", c, 2)], f"read {i} at {len(c)}"))
            for i in range(self.pick("search", c, 3))
        ]

    def pass_record(self, c: Context[str]) -> Sequence[Response[str]]:
        return [Response(Turn(Origin.ASSISTANT, f"pass over {len(c)}"))][: self.pick("pass_record", c, 2)]
