"""The reader: the contract's ``Readings`` realised, one module per judgement behind it.

A reader is made for one utterance: it knows what can be reached, the token that cancels the work, and who is told of
its progress. It holds nothing of the recall: every answer is read from the context given. What was read of one context
is kept for that context only, because the machine asks the same things of it several times.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from anamnesis_lsp.contract import (
    Answer,
    Cite,
    Claim,
    Context,
    Cue,
    Evidence,
    Expansion,
    Filled,
    Member,
    Occ,
    Open,
    Origin,
    Qualification,
    Reach,
    Recognizable,
    Response,
    SourceScan,
    Turn,
    Whole,
)
from anamnesis_lsp.contract.types import ExtractorState
from anamnesis_lsp.present.locators import of_record
from anamnesis_lsp.readings import dialogue, doubts, expansion, forms, qualifying, scope, steering, story
from anamnesis_lsp.readings.content import (
    CandidatesFound,
    CaptureReceipt,
    CaptureReceipts,
    Content,
    Named,
    PassRecord,
    RecordOpened,
)
from anamnesis_lsp.readings.cue import CueRead, read_cue
from anamnesis_lsp.readings.fitting import pointed_of
from anamnesis_lsp.readings.found import (
    Candidate,
    Wish,
    candidates,
    gist_name,
    holds_too_little,
    latest,
    not_opened,
    opened_at,
    opened_records,
)
from anamnesis_lsp.readings.further import FurtherSearch
from anamnesis_lsp.readings.search import Search, Workplace
from anamnesis_lsp.readings.telling.sentence import Sentence
from anamnesis_lsp.records.conversations.stores import Store
from anamnesis_lsp.records.evidence import OpenedRecord, RecordKey

T = TypeVar("T")

ADJACENT = 4
"""Candidates named beside the leading one."""


class Reader:
    """``Readings[Content]`` for one utterance."""

    def __init__(
        self,
        workplace: Workplace,
        contract: str = "anamnesis",
        sentences: int | None = None,
        further_stores: Sequence[Store] | None = None,
        root: Path | None = None,
    ) -> None:
        self._at = workplace
        self._contract = contract
        self._sentences = sentences
        self._further_stores = further_stores
        """Stores known here that this recall does not search: they lie past its boundary. None: nothing past it is
        looked at."""
        self._root = root
        """Where the person is: whose history words alone are searched for in."""
        self._kept: dict[tuple[object, ...], object] = {}
        self._kept_of: Context[Content] = ()
        self._told: dict[tuple[str | int, ...], tuple[list[OpenedRecord], list[Sentence]]] = {}
        """Stories by the records they are told from: the same records tell the same in a longer context."""

    def _once(self, c: Context[Content], key: tuple[object, ...], read: Callable[[], T]) -> T:
        if c is not self._kept_of:
            self._kept, self._kept_of = {}, c
        if key not in self._kept:
            self._kept[key] = read()
        return self._kept[key]  # type: ignore[return-value]

    # ── what is meant, found, and told ──────────────────────────────────────────────────────────────────────────────

    def cue_read(self, c: Context[Content]) -> CueRead:
        """The cue with everything the search needs of it."""
        return self._once(c, ("cue",), lambda: _read_cue(c))

    def cue(self, c: Context[Content]) -> Cue:
        """The cue."""
        return self.cue_read(c).cue

    def candidates(self, c: Context[Content]) -> list[Candidate]:
        """The candidates with what they were made of, best first."""
        whole = self.cue(c).whole
        return self._once(c, ("found",), lambda: _ordered(c, whole))

    def found(self, c: Context[Content]) -> Sequence[Recognizable]:
        """This recall's recognizables, best first."""
        return [candidate.recognizable for candidate in self.candidates(c)]

    def claim_supported(self, c: Context[Content], turn: Turn[Content], text: str) -> bool:
        """Whether the turn is a record opened in this recall and carries the sentence, slot by slot."""
        return isinstance(turn.content, RecordOpened) and forms.supported(turn.content.record, text)

    def story(self, c: Context[Content], r: Recognizable) -> Sequence[Claim[Content]]:
        """The story of ``r`` from its opened records."""
        return self._once(c, ("story", r), lambda: self._tell(c, r))

    def _tell(self, c: Context[Content], r: Recognizable) -> list[Claim[Content]]:
        if holds_too_little(c, self.keys(c, r)):
            return []
        at = opened_at(c)
        opened = opened_records(c)
        keys = [key for key in self.keys(c, r) if key in opened]
        keys += [key for key in _later(keys, opened) if key not in keys]
        records = [opened[key] for key in keys]
        proposals = latest(c, CandidatesFound)
        pointed = pointed_of(self.cue_read(c), dict(proposals.rarity) if proposals is not None else {})
        limit = self._sentences or dialogue.sentences(c)
        mark = (self.cue_read(c).words, limit, *map(id, records))
        told = self._told.get(mark)
        if told is None:
            told = (records, story.tell(records, pointed, limit, _tied(proposals)))
            self._told[mark] = told
        return [Claim(s.text, Cite[Content].to(c, at[keys[s.record]]), self.claim_supported) for s in told[1]]

    def keys(self, c: Context[Content], r: Recognizable) -> tuple[RecordKey, ...]:
        """The records that the members of ``r`` are, in their order."""
        for candidate in self.candidates(c):
            if candidate.recognizable == r:
                return candidate.keys
        return dialogue.keys_shown(c, r)

    def opened(self, c: Context[Content], r: Recognizable) -> Sequence[tuple[Member, Cite[Content] | None]]:
        """For each member the turn in which its record was opened."""
        at = opened_at(c)
        keys = self.keys(c, r)
        return [
            (member, Cite[Content].to(c, at[key]) if key in at else None)
            for member, key in zip(r.members, keys, strict=False)
        ]

    # ── how completely it was read ──────────────────────────────────────────────────────────────────────────────────

    def qualifications(self, c: Context[Content], r: Recognizable) -> Sequence[Qualification[Content]]:
        """What the capture receipts say of the members, where it is worth saying."""
        wanted = set(self.keys(c, r))
        return [q for key, q in self.qualified(c) if key in wanted]

    def scope_qualifications(self, c: Context[Content]) -> Sequence[Qualification[Content]]:
        """What the capture receipts say of every record examined, where it is worth saying."""
        return [q for _, q in self.qualified(c)]

    def qualified(self, c: Context[Content]) -> list[tuple[RecordKey, Qualification[Content]]]:
        """The qualifications of everything examined, each with the record it is of."""
        for index in range(len(c) - 1, -1, -1):
            content = c[index].content
            if isinstance(content, CaptureReceipts):
                return [
                    (receipt.key, _qualification(Cite[Content].to(c, index), receipt, finding))
                    for receipt in content.receipts
                    if (finding := qualifying.finding(receipt)) is not None
                ]
        return []

    def searched(self, c: Context[Content]) -> str:
        """What was searched, per store and root."""
        return scope.report(c)

    # ── the person's turns ──────────────────────────────────────────────────────────────────────────────────────────

    def added_to_cue(self, c: Context[Content]) -> bool:
        """Whether the person added to the cue since the recall began."""
        return dialogue.added_to_cue(c)

    def presented(self, c: Context[Content]) -> Recognizable | None:
        """What the latest presentation led with, unless it was rejected since."""
        return dialogue.presented(c)

    def answer_supported(self, c: Context[Content], turn: Turn[Content], answer: Answer) -> bool:
        """Whether that turn of the person's closes the recall this way."""
        return dialogue.closes(c, turn) is answer

    def answer(self, c: Context[Content]) -> Occ[Content, Answer]:
        """The latest utterance, read for whether it closes the recall."""
        from anamnesis_lsp.contract import anamnesis, recollect

        index = dialogue.latest_person(c)
        if index is None:
            return Open()
        answer = dialogue.closes(c, c[index])
        if answer is None or (answer is Answer.STOPPED and self._contract == "anamnesis"):
            return Open()
        coord = (anamnesis if self._contract == "anamnesis" else recollect).answer_coord(self)
        return Filled(coord, answer, Cite[Content].to(c, index))

    def reaches(self, c: Context[Content]) -> bool:
        """Whether the latest utterance bears on this recall."""
        return dialogue.reaches(c)

    def invoked(self, c: Context[Content]) -> bool:
        """Whether the latest utterance (Recollect: any of this recall) is an invocation."""
        return dialogue.invoked(c, anywhere=self._contract == "recollect")

    def empty_intention(self, c: Context[Content]) -> bool:
        """Whether the latest utterance (Recollect: any of this recall) points at a past without a name."""
        return dialogue.empty_intention(c, anywhere=self._contract == "recollect")

    def elsewhere(self, c: Context[Content]) -> bool:
        """Whether the latest utterance reaches another recall."""
        return dialogue.elsewhere(c)

    def dissent(self, c: Context[Content], r: Recognizable) -> Sequence[str]:
        """The doubts that ``r`` is the past meant."""
        return doubts.doubts(c, self.candidates(c), self.keys(c, r))

    def expansion(self, c: Context[Content]) -> Expansion | None:
        """A search past the boundary still worth offering."""
        return expansion.expansion(c)

    # ── the pass ────────────────────────────────────────────────────────────────────────────────────────────────────

    def search(self, c: Context[Content]) -> Sequence[Evidence[Content]]:
        """The reads of one pass; none where there is no recoverable cue, or where only the form is to change."""
        cue = self.cue_read(c)
        if not cue.recoverable or dialogue.only_form(c):
            return []

        def leads(grown: Context[Content]) -> list[Candidate]:
            return _ordered(grown, cue.cue.whole)

        if self._further_stores is None:
            read = Search(self._at, c, cue, leads).run()
        else:
            read = FurtherSearch(self._at, c, cue, leads, self._further_stores, self._root).run()
        return [Evidence(Turn[Content](Origin.EXTERNAL, content)) for content in read]

    def pass_record(self, c: Context[Content]) -> Sequence[Response[Content]]:
        """The record of the pass."""
        found = tuple(named(candidate) for candidate in self.candidates(c)[: ADJACENT + 1])
        record = PassRecord(found, tuple(opened_records(c)), tuple(not_opened(c)))
        return [Response(Turn[Content](Origin.ASSISTANT, record))]


def _tied(proposals: CandidatesFound | None) -> frozenset[RecordKey]:
    """The records that a recorded link, an id or the lines themselves tie to the selection."""
    found = proposals.proposals if proposals is not None else ()
    return frozenset(p.key for p in found if any(g.name.startswith(("link.", "lines.", "cue.id")) for g in p.grounds))


def _read_cue(c: Context[Content]) -> CueRead:
    return read_cue(c, dialogue.bears_on_cue, dialogue.says, dialogue.phrase, dialogue.restated_at)


def _ordered(c: Context[Content], whole: Whole) -> list[Candidate]:
    """The candidates in the order the person's words give them: what a wider search found, then what was pointed at."""
    wished = wish(c)
    found = _settled(candidates(c, whole, wished), whole)
    wider = expansion.candidates(c, whole, opened_records(c), wished.rejected)
    known = {key for candidate in found for key in candidate.keys}
    wider = [candidate for candidate in wider if candidate.keys[0] not in known]
    if wider:
        first = 0 if expansion.admitted_last(c) else len(found)
        found = [*found[:first], *wider, *found[first:]]
    return steering.ordered(c, found, wished)


def wish(c: Context[Content]) -> Wish:
    """What the person's turns ask of the order of candidates."""
    steer = dialogue.steer(c)
    return Wish(
        tuple(named.members for named in dialogue.rejected(c)),
        steer.away,
        steer.named,
        steer.before,
        steer.after,
    )


def named(candidate: Candidate) -> Named:
    """A candidate as it is named to a person: by its title, its members by key."""
    return Named(
        name=name_of(candidate),
        members=candidate.keys,
        whole=str(candidate.recognizable.whole),
        joins=candidate.recognizable.joins,
        confidence=candidate.confidence,
    )


def name_of(candidate: Candidate) -> str:
    """The words a candidate goes by."""
    gist = next((m.gist for m in candidate.recognizable.members if m.gist.strip()), "")
    first = candidate.keys[0]
    return gist_name(gist) or (first.id[:12] if first.kind.value == "commit" else first.id)


def _later(keys: Sequence[RecordKey], opened: dict[RecordKey, OpenedRecord]) -> list[RecordKey]:
    """Opened records that say they revert one of ``keys``."""
    ids = {key.id for key in keys}
    return [
        key for key, record in opened.items() if dict(record.numbers).get("reverts") and ids & set(record.hashes[1:])
    ]


def _settled(found: list[Candidate], whole: Whole) -> list[Candidate]:
    """A concept is recognized only where a record carries it as settled."""
    if whole is not Whole.CONCEPT:
        return found
    return sorted(found, key=lambda candidate: not any(key.kind.value == "decision" for key in candidate.keys))


def _qualification(cite: Cite[Content], receipt: CaptureReceipt, finding: str) -> Qualification[Content]:
    return Qualification(
        locator=str(of_record(receipt.key)),
        reach=tuple(
            Reach(e.extractor, ExtractorState(e.state) if e.state is not None else None, e.omitted)
            for e in (*receipt.extractions, *receipt.foreign)
        ),
        scan=SourceScan(receipt.skipped_lines, receipt.unverified_person_turns, receipt.omitted_chars),
        finding=finding,
        src=cite,
    )
