"""From what a step of the machine left to the round that is shown: pure, over the context."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from anamnesis_lsp.contract import Branch, Claim, Context, Origin, Recognizable, Response, Turn, anamnesis, recollect
from anamnesis_lsp.contract.types import Holding, Identified, NotActivated, Outcome, Stepped, Stopped, Unresolved
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
from anamnesis_lsp.readings import dialogue, expansion, forms, scope
from anamnesis_lsp.readings.answers import Kind as TurnKind
from anamnesis_lsp.readings.answers import TurnReading
from anamnesis_lsp.readings.content import (
    Answered,
    Asked,
    CandidatesFound,
    Content,
    ExpansionAsked,
    Invocation,
    Named,
    PassRecord,
    Presented,
    RecordOpened,
    Said,
    WiderFound,
)
from anamnesis_lsp.readings.dialogue import Heard
from anamnesis_lsp.readings.found import Candidate, gist_name, latest, lines_traced, not_opened, opened_records
from anamnesis_lsp.readings.reader import ADJACENT, Reader, name_of, named
from anamnesis_lsp.records.conversations.belonging import IN_WORK_TREE, NO_GROUND
from anamnesis_lsp.records.evidence import Kind, OpenedRecord, RecordKey, Speaker

ENDED = "Read as an end: this recall is kept as it stands, and can be taken up again."
ENDED_SHOWN = f"{ENDED} If it was meant as “that’s it”, say so: the recall then closes on what was shown."
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
    offered = expansion.offered(c)
    if offered is not None and reader.added_to_cue(c):
        return ExpansionAsked(offered.reach, offered.cost, offered.kind)
    return Asked(QUESTION)


def answer_session(reader: Reader, c: Context[Content]) -> Response[Content]:
    """The session's answer to a turn that runs no pass: an end carries the scope report."""
    ended = dialogue.ends(c)
    text = (ENDED if dialogue.presented(c) is None else ENDED_SHOWN) if ended else OUTSIDE
    report = reader.searched(c) if ended else None
    return Response(Turn[Content](Origin.ASSISTANT, Answered(text, report)))


def _notes(c: Context[Content], leading: Candidate) -> list[str]:
    notes: list[str] = []
    traced = lines_traced(c)
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
    told = _why_ours(leading)
    if told is not None:
        notes.append(told)
    unread = sum(entry.unread for entry in scope.entries(c))
    if unread:
        records = "record is" if unread == 1 else "records are"
        notes.append(f"{unread:,} {records} still being read by our index, and not in this yet: ask again in a moment.")
    return notes


def _why_ours(leading: Candidate) -> str | None:
    """On what ground the leading conversation is this repository's; None where that is plain."""
    ground = leading.proposal.belongs if leading.proposal is not None else ""
    if not ground or ground == IN_WORK_TREE.ground:
        return None
    if ground == NO_GROUND.ground:
        named = (one.name for one in leading.proposal.grounds) if leading.proposal is not None else ()
        if any(name.startswith(("link.", "lines.", "path.")) for name in named):
            return None  # a link to a commit of this repository, its lines or a path of it name it
        return "Nothing in the conversation names this repository: see whether it is about another one."
    return f"The conversation counts as this repository's because {ground}."


# ── the round ───────────────────────────────────────────────────────────────────────────────────────────────────────


def last_step(reader: Reader, contract: str, c: Context[Content]) -> Stepped[Content, Outcome[Content]]:
    """The step that left a context, read from the context: the branch by what stands last in it."""
    last = c[-1].content if c else None
    branch = _BRANCHES.get(type(last))
    if branch is not None:
        return Stepped(c, branch)
    if isinstance(last, PassRecord):
        searched = reader.searched(c)
        return Stepped(c, Branch.UNRESOLVED, Unresolved(c, searched, tuple(q.finding for _, q in reader.qualified(c))))
    closed = (recollect if contract == "recollect" else anamnesis).closing(reader, c)
    if closed is not None:
        return Stepped(c, Branch.STOPPED if isinstance(closed, Stopped) else Branch.IDENTIFIED, closed)
    if contract != "recollect" and reader.elsewhere(c):
        return Stepped(c, Branch.HELD_ELSEWHERE, Holding(c))
    return Stepped(c, Branch.NOT_ACTIVATED, NotActivated(c))


_BRANCHES: dict[type[object], Branch] = {
    Presented: Branch.PRESENTED,
    Asked: Branch.ASKED,
    ExpansionAsked: Branch.EXPANSION,
    Answered: Branch.ANSWERED,
}


def steps(c: Context[Content]) -> Iterator[Context[Content]]:
    """The contexts that the steps of a recall left, in order: the last one is ``c``."""
    starts = [index for index, turn in enumerate(c) if turn.origin is Origin.PERSON]
    for end in starts[1:]:
        yield c[:end]
    if c:
        yield c


def derived(reader: Reader, recall: str, contract: str, c: Context[Content]) -> Round:
    """The round that the last step of a context showed, from the context alone."""
    return round_of(reader, recall, contract, last_step(reader, contract, c))


def last_presented(c: Context[Content]) -> Context[Content] | None:
    """The context as the latest presentation left it; None where nothing was presented."""
    for index in range(len(c) - 1, -1, -1):
        if isinstance(c[index].content, Presented):
            return c[: index + 1]
    return None


def round_of(reader: Reader, recall: str, contract: str, stepped: Stepped[Content, Outcome[Content]]) -> Round:
    """The round of one step."""
    c = stepped.context
    cue = reader.cue(c)
    found = reader.candidates(c) if stepped.branch is not Branch.NOT_ACTIVATED else []
    leading = _leading(reader, c, found, stepped.branch)
    order = found if leading is None else [leading, *(one for one in found if one is not leading)]
    opened = opened_records(c)
    story = list(reader.story(c, leading.recognizable)) if leading is not None else []
    numbers = _Numbers(c, opened)
    sentences = tuple(SentenceShown(claim.text, (numbers.of_claim(claim),), (_at(claim),)) for claim in story)
    silent = _silent(leading, numbers, opened) if leading is not None else ()
    unsaid = _unsaid(leading, numbers, opened) if leading is not None else ()
    for key in leading.keys if leading is not None else ():
        if key not in unsaid:
            numbers.of(key)
    qualifications = _qualifications(reader, c, leading, numbers, stepped.branch)
    last = c[-1].content if c else None
    shown = Round(
        recall=recall,
        contract="recollect" if contract == "recollect" else "anamnesis",
        outcome=stepped.branch.value,
        reading=_reading(c),
        cue=CueShown(
            cue.meant,
            {"emergent": cue.whole.name} if cue.whole.kind == "emergent" else cue.whole.kind,
            tuple(AxisShown(axis.kind, axis.value, axis.source) for axis in cue.axes),
        ),
        recognizables=tuple(_recognizable(one, opened) for one in order),
        story=sentences,
        records=tuple(numbers.records()),
        adjacent=(
            *(AdjacentShown(gist_name(opened[key].title) or key.id[:12], False, (key.id,)) for key in unsaid),
            *(_adjacent(one) for one in order[1 : ADJACENT + 1] if leading is not None),
            *_rejected(c),
        ),
        qualifications=qualifications,
        searched=_searched(c),
        expansion=_expansion(c, last) if _with_scope(c, stepped.branch) else None,
        dissent=_dissent(reader, c, contract, leading, stepped.outcome),
        notes=(*_round_notes(c, last, stepped.branch), *silent, *_others(reader, c, stepped.branch)),
        trace=tuple(trace(c)) if stepped.branch in _CLOSES else (),
        with_scope=_with_scope(c, stepped.branch),
    )
    if isinstance(stepped.outcome, Identified):
        shown = replace(shown, recalled_context=_recalled(shown, stepped.outcome))
    return replace(shown, markdown=render_round(shown))


def _silent(leading: Candidate, numbers: _Numbers, opened: dict[RecordKey, OpenedRecord]) -> tuple[str, ...]:
    """Said of a record that leads and of which no sentence tells: it is there for what ties it to the commits."""
    first = leading.keys[0] if leading.keys else None
    if first is None or first.kind is Kind.COMMIT or first not in opened or not numbers.given() or numbers.has(first):
        return ()
    title = gist_name(opened[first].title) or first.id[:12]
    why = "none was found that plainly speaks of these lines. It is listed for what ties it to them."
    return (f"Of “{title}” no sentence is told: {why}",)


def _unsaid(leading: Candidate, numbers: _Numbers, opened: dict[RecordKey, OpenedRecord]) -> tuple[RecordKey, ...]:
    """Members that opened and of which no sentence tells: near it rather than among the records of the story.

    But for the one that leads: what is told of why they belong together is told of it.
    """
    if not numbers.given():
        return ()
    return tuple(key for key in leading.keys[1:] if key in opened and not numbers.has(key))


_CLOSES = (Branch.IDENTIFIED, Branch.UNRESOLVED, Branch.STOPPED)


def _with_scope(c: Context[Content], branch: Branch) -> bool:
    """Whether the scope report goes with the round: a close without identification, an end, a question back."""
    if branch in (Branch.UNRESOLVED, Branch.STOPPED, Branch.EXPANSION):
        return True
    if branch is Branch.ASKED:
        return bool(scope.entries(c) or scope.failures(c))
    return branch in (Branch.ANSWERED, Branch.HELD_ELSEWHERE) and dialogue.ends(c)


def _dissent(
    reader: Reader,
    c: Context[Content],
    contract: str,
    leading: Candidate | None,
    outcome: Outcome[Content] | None,
) -> tuple[str, ...]:
    """The doubts: with an identification those that stood before the turn that made it."""
    if contract == "recollect" or leading is None:
        return ()
    if isinstance(outcome, Identified):
        return outcome.value.dissent or ()
    return tuple(reader.dissent(c, leading.recognizable))


def _reading(c: Context[Content]) -> ReadingShown | None:
    """How the latest turn was read; None for an invocation and for words that only came back to this recall."""
    reading = dialogue.latest_reading(c)
    return ReadingShown(reading.kind.value, reading.words) if reading is not None else None


def _recalled(shown: Round, outcome: Identified[Content]) -> str:
    """The recalled context: the story with its records, the scope searched, and the identifying turn, quoted."""
    said = outcome.context[outcome.value.identified_at].content
    words = said.text if isinstance(said, (Said, Invocation)) else ""
    lines = [markdown.copy_context(shown, "markdown").rstrip(), "", f"Identified by: {escape.quoted(words or '')}", ""]
    lines += ["How it came to this:", ""]
    lines += [f"{number}. {escape.inline(line, 500)}" for number, line in enumerate(shown.trace, 1)]
    lines += ["", "Searched:", ""]
    lines += [f"- {escape.inline(line, 600)}" for line in outcome.value.searched.splitlines()]
    return "\n".join(lines) + "\n"


def _leading(reader: Reader, c: Context[Content], found: Sequence[Candidate], branch: Branch) -> Candidate | None:
    if branch is Branch.PRESENTED:
        return next((one for one in found if reader.story(c, one.recognizable)), None)
    shown = dialogue.shown(c) if branch is Branch.IDENTIFIED else None
    if shown is None:
        return None
    again = next((one for one in found if set(one.keys) == set(shown.members)), None)
    return again or Candidate(dialogue.recognizable(shown), shown.members, shown.confidence, None, ())


def _round_notes(c: Context[Content], last: Content | None, branch: Branch) -> Iterator[str]:
    yield from _how_it_came(c)
    if isinstance(last, (Presented, Asked, ExpansionAsked, PassRecord)):
        yield from _changed(c)
    if isinstance(last, Presented):
        yield from last.notes
    elif isinstance(last, Asked):
        yield last.question
    elif isinstance(last, Answered):
        yield last.text
    turn = dialogue.latest(c)
    reading = turn.reading if turn is not None else None
    if turn is None or reading is None:
        return
    if branch is Branch.IDENTIFIED:
        yield f"You identified it: {escape.quoted(turn.text)}"
    elif branch is Branch.NOT_ACTIVATED:
        yield _not_activated(reading)
    elif reading.kind is TurnKind.ELSEWHERE:
        other = f": {reading.names_held}" if reading.names_held else ""
        ended = " It was read as ending this recall, too." if reading.ends else ""
        yield f"Read as reaching another past{other}. This recall was left where it stood.{ended}"
    elif reading.also_points_elsewhere:
        other = f" ({reading.names_held})" if reading.names_held else ""
        yield f"You also pointed at another past{other}; it was not followed here. Say so to take it up."


def _others(reader: Reader, c: Context[Content], branch: Branch) -> Iterator[str]:
    """Further pasts that the words point at: the first one is followed, the others are named."""
    if branch in (Branch.PRESENTED, Branch.ASKED, Branch.UNRESOLVED) and len(dialogue.heard(c)) == 1:
        for other in reader.cue_read(c).others:
            yield f"Your words point at another past too, which was not followed: {escape.quoted(other)}."


def _how_it_came(c: Context[Content]) -> Iterator[str]:
    """Whether the turn was read as a new recall or as going on with this one, where that is a question."""
    turns = dialogue.heard(c)
    if not turns:
        return
    if len(turns) == 1:
        if turns[0].content.left:
            yield f"Read as a new recall. The earlier one ({turns[0].content.left}) is kept where it stood."
        return
    content = turns[-1].content
    if isinstance(content, Invocation) or content.returns:
        yield "Read as going on with this recall."


def _not_activated(reading: TurnReading) -> str:
    words = f" It rests on {', '.join(escape.quoted(word) for word in reading.words[:3])}." if reading.words else ""
    return (
        "Nothing in these words points at a past without naming it, and no recall is running: nothing was searched."
        f"{words} Run Recollect on a selection, or say what you remember of it."
    )


def _changed(c: Context[Content]) -> Iterator[str]:
    """What changed since the last presentation: what is ruled out, what came back, what leads now."""
    turn = dialogue.latest(c)
    if turn is None or turn.reading is None:
        return
    for one in c[turn.index :]:
        if isinstance(one.content, WiderFound):
            count = len(one.content.commits) + len(one.content.proposals)
            found = f"{count} record{'s' if count != 1 else ''} reached" if count else "no record reached"
            yield f"Searched as well: {expansion.what(one.content.kind)} ({found})."
    shown = [one.content for one in c if isinstance(one.content, Presented)]
    if len(shown) < 2:
        return
    now, before = shown[-1].leading, shown[-2].leading
    if turn.reading.rejects_presented:
        yield f"Ruled out: {before.name}. It stays named below, and comes back when you name it."
    elif turn.reading.names_adjacent is not None and turn.reading.names_adjacent == now.name:
        yield f"You pointed at {now.name}. Before it led: {before.name}."
        return
    if not turn.reading.kind.adds_to_cue or not isinstance(c[-1].content, Presented):
        return
    if turn.reading.rejects_presented and lines_traced(c) is not None and _by_words_alone(now):
        yield "Nothing else that was found is joined to these lines: what is shown now only shares words with them."
    if now.members[0] == before.members[0]:
        yield "Nothing that was searched fits the change better: the same past leads."
    elif not turn.reading.rejects_presented:
        yield f"Before it led: {before.name}."


def _by_words_alone(named: Named) -> bool:
    return not named.joins and named.members[0].kind is not Kind.COMMIT


def trace(c: Context[Content]) -> Iterator[str]:
    """How a recall came to where it is: each turn of the person's, quoted, how it was read, and what it led to."""
    turns = dialogue.heard(c)
    for n, turn in enumerate(turns):
        end = turns[n + 1].index if n + 1 < len(turns) else len(c)
        led = next((told for one in c[turn.index : end] if (told := _led_to(one.content)) is not None), None)
        yield f"{_said(turn)}{f' → {led}' if led is not None else ''}"


_AS = {
    TurnKind.IDENTIFIED: "identified what was shown",
    TurnKind.CORRECTION: "a correction",
    TurnKind.MORE_CUE: "more of what is remembered",
    TurnKind.PLACE_TO_LOOK: "a place to look",
    TurnKind.FORM: "a wish about the form",
    TurnKind.QUESTION_ABOUT_SHOWN: "a question about what was shown",
    TurnKind.ELSEWHERE: "another past",
    TurnKind.END: "an end",
    TurnKind.OTHER_WORK: "other work",
}


def _said(turn: Heard) -> str:
    content = turn.content
    if isinstance(content, Invocation):
        where = ""
        if content.path is not None:
            first, last = content.lines or (0, 0)
            where = f" on {content.path}" + (f":{first}-{last}" if first else "")
        words = f" with “{content.text}”" if content.text else ""
        return f"Recollect{where}{words}"
    if turn.reading is None:
        return f"“{content.text}” (back to this recall)"
    if turn.reading.rejects_presented and turn.reading.kind is not TurnKind.END:
        return f"“{content.text}” (not that one)"
    how = _AS.get(turn.reading.kind)
    return f"“{content.text}”" + (f" ({how})" if how else "")


def _led_to(content: Content) -> str | None:
    match content:
        case Presented():
            return f"shown: {content.leading.name}"
        case Asked():
            return "asked for more"
        case ExpansionAsked():
            return f"offered: {content.reach} ({content.cost})"
        case Answered():
            return "answered; nothing was searched"
        case _:
            return None


def _expansion(c: Context[Content], last: Content | None) -> ExpansionShown | None:
    if isinstance(last, ExpansionAsked):
        return ExpansionShown(last.reach, last.cost)
    offered = expansion.offered(c)
    return None if offered is None else ExpansionShown(offered.reach, offered.cost)


class _Numbers:
    """The numbers of the records that a round cites, in the order in which they are first cited."""

    def __init__(self, c: Context[Content], opened: dict[RecordKey, OpenedRecord]) -> None:
        self._opened = opened
        self._refused = not_opened(c)
        self._numbers: dict[RecordKey, int] = {}

    def of(self, key: RecordKey) -> int:
        """The number of a record."""
        return self._numbers.setdefault(key, len(self._numbers) + 1)

    def has(self, key: RecordKey) -> bool:
        """Whether the record has a number."""
        return key in self._numbers

    def given(self) -> bool:
        """Whether any record has one."""
        return bool(self._numbers)

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
            clock=record.clock or None,
        )


def _at(claim: Claim[Content]) -> str:
    """The record that a sentence rests on, at the turn that carries it."""
    content = claim.src.turn.content
    assert isinstance(content, RecordOpened)
    record = content.record
    carrier = forms.carrier(record, claim.text) if record.key.kind is Kind.CONVERSATION else None
    if carrier is not None and carrier.span.turn is not None:
        return str(of_record(record.key, carrier.span))
    return str(_locator(record))


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
                missing, "; ".join(told for told in (entry.not_searched, scope.too_young(c, entry)) if told) or None,
            )
        )  # fmt: skip
    for failed in scope.failures(c):
        root = str(failed.root) if failed.root is not None else ""
        shown.append(SearchedShown(failed.kind, root, 0, None, None, None, "", (), failed.reason))
    for avenue in scope.not_searched(c):
        told = f"{avenue.reach} ({avenue.cost})"
        shown.append(SearchedShown(avenue.kind, "", 0, None, None, None, "", (), told))
    return tuple(shown)


def _iso(when: datetime | None) -> str | None:
    return None if when is None else when.isoformat(timespec="seconds")
