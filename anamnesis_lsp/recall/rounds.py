"""From what a step of the machine left to the round that is shown: pure, over the context."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from anamnesis_lsp.contract import Branch, Claim, Context, Origin, Recognizable, Response, Turn
from anamnesis_lsp.contract.types import Identified, Outcome, Stepped
from anamnesis_lsp.present import escape, markdown
from anamnesis_lsp.present.locators import of_record
from anamnesis_lsp.present.markdown import render_round
from anamnesis_lsp.present.round import (
    AdjacentShown,
    AxisShown,
    CueShown,
    ExpansionShown,
    MemberShown,
    QualificationShown,
    ReachShown,
    ReadingShown,
    RecognizableShown,
    RecordShown,
    Round,
    SearchedShown,
    SentenceShown,
)
from anamnesis_lsp.readings import dialogue, scope
from anamnesis_lsp.readings.answers import Kind as TurnKind
from anamnesis_lsp.readings.content import (
    Answered,
    Asked,
    CandidatesFound,
    Content,
    ExpansionAsked,
    LinesTraced,
    Presented,
    RecordOpened,
    Said,
)
from anamnesis_lsp.readings.found import Candidate, latest, not_opened, opened_records
from anamnesis_lsp.readings.reader import ADJACENT, Reader, name_of, named
from anamnesis_lsp.records.evidence import Kind, OpenedRecord, Passage, RecordKey, Speaker

ENDED = "Read as an end: this recall is kept as it stands, and can be taken up again."
OUTSIDE = "Read as other work: nothing was searched, and this recall stays as it stood. Say so if it was meant for it."
QUESTION = "What else do you remember of it: when it was, who took part, a word that was used, another file?"


# ── responses: what the machine is told to say ──────────────────────────────────────────────────────────────────────


def respond(reader: Reader, c: Context[Content]) -> Response[Content]:
    """The round a pass leaves, as the turn that stays in the context."""
    return Response(Turn[Content](Origin.ASSISTANT, _response(reader, c)))


def _response(reader: Reader, c: Context[Content]) -> Content:
    found = reader.candidates(c)
    leading = next((one for one in found if reader.story(c, one.recognizable)), None)
    if leading is not None:
        beside = [one for one in found if one is not leading][:ADJACENT]
        return Presented(
            leading=named(leading),
            story=tuple(claim.text for claim in reader.story(c, leading.recognizable)),
            adjacent=tuple(named(one) for one in beside),
            doubts=tuple(reader.dissent(c, leading.recognizable)),
            notes=tuple(_notes(c, leading)),
        )
    expansion = reader.expansion(c)
    if expansion is not None and reader.added_to_cue(c):
        return ExpansionAsked(expansion.reach, expansion.cost)
    return Asked(QUESTION)


def answer_session(reader: Reader, c: Context[Content]) -> Response[Content]:
    """The session's answer to a turn that runs no pass: an end carries the scope report."""
    ended = dialogue.ends(c)
    text = ENDED if ended else OUTSIDE
    report = reader.searched(c) if ended else None
    return Response(Turn[Content](Origin.ASSISTANT, Answered(text, report)))


def _notes(c: Context[Content], leading: Candidate) -> list[str]:
    notes: list[str] = []
    traced = latest(c, LinesTraced)
    if traced is not None:
        if traced.uncommitted:
            count = len(traced.uncommitted)
            are = "is" if count == 1 else "are"
            notes.append(f"{count} of the selected lines {are} not committed; the story tells of the others.")
        if traced.ignored_revisions:
            count = len(traced.ignored_revisions)
            notes.append(
                f"Blame passed over {count} revision{'s' if count != 1 else ''} that .git-blame-ignore-revs names."
            )
    if leading.proposal is None and latest(c, CandidatesFound) is not None and traced is not None:
        notes.append("No conversation or decision record was found to belong to it among what was searched.")
    return notes


# ── the round ───────────────────────────────────────────────────────────────────────────────────────────────────────


def round_of(
    reader: Reader,
    recall: str,
    contract: str,
    stepped: Stepped[Content, Outcome[Content]],
    *,
    continuing: bool = False,
) -> Round:
    """The round of one step."""
    c = stepped.context
    cue = reader.cue(c)
    found = reader.candidates(c) if stepped.branch is not Branch.NOT_ACTIVATED else []
    leading = _leading(reader, c, found, stepped.branch)
    order = found if leading is None else [leading, *(one for one in found if one is not leading)]
    opened = opened_records(c)
    story = list(reader.story(c, leading.recognizable)) if leading is not None else []
    numbers = _Numbers(c, opened)
    sentences = tuple(SentenceShown(claim.text, (numbers.of_claim(claim),)) for claim in story)
    if leading is not None:
        for key in leading.keys:
            numbers.of(key)
    qualifications = _qualifications(reader, c, leading, numbers, stepped.branch)
    last = c[-1].content if c else None
    shown = Round(
        recall=recall,
        contract="recollect" if contract == "recollect" else "anamnesis",
        outcome=stepped.branch.value,
        reading=_reading(c, continuing),
        cue=CueShown(
            cue.meant,
            {"emergent": cue.whole.name} if cue.whole.kind == "emergent" else cue.whole.kind,
            tuple(AxisShown(axis.kind, axis.value, axis.source) for axis in cue.axes),
        ),
        recognizables=tuple(_recognizable(one, opened) for one in order),
        story=sentences,
        records=tuple(numbers.records()),
        adjacent=(*(_adjacent(one) for one in order[1 : ADJACENT + 1] if leading is not None), *_rejected(c)),
        qualifications=qualifications,
        searched=_searched(c),
        expansion=_expansion(last),
        dissent=tuple(reader.dissent(c, leading.recognizable))
        if leading is not None and contract != "recollect"
        else (),
        notes=tuple(_round_notes(c, last)),
    )
    if isinstance(stepped.outcome, Identified):
        shown = replace(shown, recalled_context=_recalled(shown, stepped.outcome))
    return replace(shown, markdown=render_round(shown))


def _reading(c: Context[Content], continuing: bool) -> ReadingShown | None:
    """How the latest turn was read; for an invocation, whether it began this recall or goes on with it."""
    reading = dialogue.latest_reading(c)
    if reading is None:
        return ReadingShown("continuing", ()) if continuing else None
    return ReadingShown(reading.kind.value, reading.words)


def _recalled(shown: Round, outcome: Identified[Content]) -> str:
    """The recalled context: the story with its records, the scope searched, and the identifying turn, quoted."""
    said = outcome.context[outcome.value.identified_at].content
    words = said.text if isinstance(said, Said) else ""
    lines = [markdown.copy_context(shown, "markdown").rstrip(), "", f"Identified by: {escape.quoted(words)}"]
    lines.append(f"Searched: {escape.inline('; '.join(outcome.value.searched.splitlines()), 1200)}")
    return "\n".join(lines) + "\n"


def _leading(reader: Reader, c: Context[Content], found: Sequence[Candidate], branch: Branch) -> Candidate | None:
    if branch in (Branch.PRESENTED, Branch.IDENTIFIED):
        if branch is Branch.IDENTIFIED:
            shown = dialogue.shown(c)
            if shown is not None:
                return next((one for one in found if set(one.keys) == set(shown.members)), found[0] if found else None)
        return next((one for one in found if reader.story(c, one.recognizable)), None)
    return None


def _round_notes(c: Context[Content], last: Content | None) -> Iterator[str]:
    if isinstance(last, Presented):
        yield from last.notes
        yield from _changed(c)
    elif isinstance(last, Asked):
        yield last.question
    elif isinstance(last, Answered):
        yield last.text
    reading = dialogue.latest_reading(c)
    if reading is not None and reading.kind is TurnKind.ELSEWHERE:
        other = f": {reading.names_held}" if reading.names_held else ""
        yield f"Read as reaching another past{other}. This recall was left where it stood."
    elif reading is not None and reading.also_points_elsewhere:
        other = f" ({reading.names_held})" if reading.names_held else ""
        yield f"You also pointed at another past{other}; it was not followed here."


def _changed(c: Context[Content]) -> Iterator[str]:
    """After a correction: what changed since the last presentation."""
    reading = dialogue.latest_reading(c)
    shown = [turn.content for turn in c if isinstance(turn.content, Presented)]
    if reading is None or not reading.kind.adds_to_cue or len(shown) < 2:
        return
    if shown[-1].leading.members == shown[-2].leading.members:
        yield "Nothing that was searched fits the change better: the same past leads."
    else:
        yield f"Before it led: {shown[-2].leading.name}."


def _expansion(last: Content | None) -> ExpansionShown | None:
    return ExpansionShown(last.reach, last.cost) if isinstance(last, ExpansionAsked) else None


class _Numbers:
    """The numbers of the records that a round cites, in the order in which they are first cited."""

    def __init__(self, c: Context[Content], opened: dict[RecordKey, OpenedRecord]) -> None:
        self._c = c
        self._opened = opened
        self._refused = not_opened(c)
        self._numbers: dict[RecordKey, int] = {}
        self._passages: dict[RecordKey, Passage] = {}

    def of(self, key: RecordKey) -> int:
        """The number of a record."""
        return self._numbers.setdefault(key, len(self._numbers) + 1)

    def of_claim(self, claim: Claim[Content]) -> int:
        """The number of the record a sentence rests on."""
        content = claim.src.turn.content
        assert isinstance(content, RecordOpened)
        return self.of(content.record.key)

    def records(self) -> list[RecordShown]:
        """The records, in order of their numbers."""
        return [self._record(key, number) for key, number in self._numbers.items()]

    def _record(self, key: RecordKey, number: int) -> RecordShown:
        record = self._opened.get(key)
        if record is None:
            shown = MemberShown(key.kind.value, key.id, str(key.root), str(of_record(key)), "", None, None)
            return RecordShown(number, shown, None, None, None, False, why_not=self._refused.get(key))
        return RecordShown(
            n=number,
            member=_member(key, record, str(_locator(record)), ""),
            speaker=_speaker(record),
            when=_iso(record.started),
            span=_span(record),
            opened=True,
        )


def _locator(record: OpenedRecord) -> object:
    if record.key.kind is Kind.CONVERSATION:
        told = next((p for role in ("edit", "request") for p in record.passages if p.role == role), None)
        return of_record(record.key, told.span if told is not None else None)
    if record.key.kind is Kind.COMMIT:
        hunk = next((p for p in record.passages if p.role == "hunk"), None)
        return of_record(record.key, hunk.span if hunk is not None else None)
    return of_record(record.key)


def _speaker(record: OpenedRecord) -> str | None:
    if record.author is not None:
        return record.author
    speakers = {p.speaker for p in record.passages}
    return next(iter(speakers)).value if len(speakers) == 1 and speakers != {Speaker.DOCUMENT} else None


def _span(record: OpenedRecord) -> str | None:
    if record.key.kind is Kind.CONVERSATION:
        turns = sorted({p.span.turn for p in record.passages if p.span.turn is not None})
        return f"turns {', '.join(map(str, turns))}" if turns else None
    if record.key.kind is Kind.COMMIT:
        return record.paths[0] if len(record.paths) == 1 else None
    return None


def _member(key: RecordKey, record: OpenedRecord | None, locator: str, gist: str) -> MemberShown:
    return MemberShown(
        kind=key.kind.value,
        id=key.id,
        root=str(key.root),
        locator=locator,
        gist=(record.title if record is not None and record.title else gist)[:300],
        handle=record.handle if record is not None else None,
        handle_note=record.handle_note if record is not None else None,
    )


def _recognizable(candidate: Candidate, opened: dict[RecordKey, OpenedRecord]) -> RecognizableShown:
    r: Recognizable = candidate.recognizable
    members = tuple(
        _member(key, opened.get(key), member.locator, member.gist)
        for key, member in zip(candidate.keys, r.members, strict=True)
    )
    whole: str | dict[str, str] = {"emergent": r.whole.name} if r.whole.kind == "emergent" else r.whole.kind
    return RecognizableShown(whole, r.joins, candidate.confidence, members)


def _adjacent(candidate: Candidate) -> AdjacentShown:
    return AdjacentShown(name_of(candidate), False, tuple(key.id for key in candidate.keys))


def _rejected(c: Context[Content]) -> Iterator[AdjacentShown]:
    for gone in dialogue.rejected(c):
        yield AdjacentShown(gone.name, True, tuple(key.id for key in gone.members))


def _qualifications(
    reader: Reader, c: Context[Content], leading: Candidate | None, numbers: _Numbers, branch: Branch
) -> tuple[QualificationShown, ...]:
    if leading is not None:
        wanted = set(leading.keys)
        given = [(key, q) for key, q in reader.qualified(c) if key in wanted]
    elif branch is Branch.NOT_ACTIVATED:
        given = []
    else:
        given = list(reader.qualified(c))[:20]
    return tuple(
        QualificationShown(
            numbers.of(key),
            q.finding,
            tuple(ReachShown(r.extractor, None if r.state is None else r.state.value, r.omitted) for r in q.reach),
            q.scan.skipped_lines,
            q.scan.unverified_person_turns,
            q.scan.omitted_chars,
        )
        for key, q in given
    )


def _searched(c: Context[Content]) -> tuple[SearchedShown, ...]:
    refused = not_opened(c)
    shown: list[SearchedShown] = []
    for entry in scope.entries(c):
        missing = tuple(
            key.id for key in refused if key.root == entry.root and (key.runtime or "git") in (entry.kind, "git")
        )
        shown.append(
            SearchedShown(
                entry.kind, str(entry.root), entry.examined, entry.of, _iso(entry.since), _iso(entry.until), entry.how,
                missing, entry.not_searched,
            )
        )  # fmt: skip
    for failed in scope.failures(c):
        root = str(failed.root) if failed.root is not None else ""
        shown.append(SearchedShown(failed.kind, root, 0, None, None, None, "", (), failed.reason))
    return tuple(shown)


def _iso(when: datetime | None) -> str | None:
    return None if when is None else when.isoformat(timespec="seconds")
