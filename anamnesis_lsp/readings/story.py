"""The story: what the opened records carry of a recognizable, in order of time, each sentence a form with checked
slots.

Every sentence quotes one opened record or states a fact it carries; :func:`anamnesis_lsp.readings.forms.supported`
reads each one back before it is told, and one that fails is dropped. Which sentence a record gives is chosen in
:mod:`.telling`. Nothing here knows an index, a title of one, or a record that did not open.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timezone

from anamnesis_lsp.readings import forms
from anamnesis_lsp.readings.fitting import Pointed
from anamnesis_lsp.readings.fitting import pointed as made_of
from anamnesis_lsp.readings.telling.commits import of_commit
from anamnesis_lsp.readings.telling.conversations import of_conversation
from anamnesis_lsp.readings.telling.decisions import of_decision
from anamnesis_lsp.readings.telling.sentence import Sentence, says_no_more
from anamnesis_lsp.records.evidence import Kind, OpenedRecord, RecordKey

FULL = 7
"""Sentences of a full story, at most."""
BRIEF = 2
"""Sentences in a hover."""
_REPLIES = ("before", "reason", "earlier", "reply")
_TIMED = ("request", "answer", "proposal", *_REPLIES, "message", "edit")
MOST = 0.5
"""Where a conversation wrote so much of the selection, one that wrote nothing of it is not told."""


def tell(
    records: Sequence[OpenedRecord],
    pointed: Pointed,
    limit: int = FULL,
    tied: Collection[RecordKey] | None = None,
) -> list[Sentence]:
    """The story of these records in order of time, at most ``limit`` sentences.

    ``tied``: the records that a recorded link or the lines themselves tie to the selection (None: all are). Of another
    one only what speaks of the selection is told.
    """
    tie = {record.key for record in records if tied is None or record.key in tied}
    kept = _kept(_drafts(records, pointed, tie), limit) or _kept(_drafts(records, pointed, None), limit)
    starts = {index: _start(record) for index, record in enumerate(records)}
    ordered = sorted(kept, key=lambda s: (starts[s.record], s.record, s.order))
    return [replace(s, text=text) for s, text in zip(ordered, _readings(ordered, records), strict=True)]


def _drafts(records: Sequence[OpenedRecord], pointed: Pointed, tie: Collection[RecordKey] | None) -> list[Sentence]:
    subjects = [record.title for record in records if record.key.kind is Kind.COMMIT]
    subject = made_of((), None, None, "\n".join(subjects), None)
    wrote = any(_share_written(record) >= MOST for record in records)
    return [
        replace(draft, record=index)
        for index, record in enumerate(records)
        if not (wrote and record.key.kind is Kind.CONVERSATION and _share_written(record) == 0.0)
        for draft in _sentences(record, pointed, subject, tie)
        if forms.supported(record, draft.text)
    ]


def _share_written(record: OpenedRecord) -> float:
    """How much of the selection the conversation's edits wrote."""
    numbers = dict(record.numbers)
    return numbers.get("lines written", 0) / (numbers.get("lines selected") or 1)


def _readings(ordered: Sequence[Sentence], records: Sequence[OpenedRecord]) -> Iterator[str]:
    """How each sentence reads where it stands: the first of its record names it, the first of a speaker begins."""
    heard: dict[int, set[str]] = {}
    for sentence in ordered:
        record = records[sentence.record]
        spoken = heard.setdefault(sentence.record, set())
        text = sentence.text
        if not spoken and sentence.lead is not None:
            text = sentence.lead
        elif sentence.after_other is not None and sentence.speaker not in spoken:
            text = sentence.after_other
        spoken.add("person" if sentence.speaker == "answer" else sentence.speaker)
        yield text if forms.supported(record, text) else sentence.text


def _kept(drafts: list[Sentence], limit: int) -> list[Sentence]:
    chosen: list[Sentence] = []
    speaking = {(draft.record, draft.speaker) for draft in drafts}
    for draft in sorted(drafts, key=lambda d: -d.worth):
        if len(chosen) == limit:
            break
        if draft.needs and (draft.record, draft.needs) not in speaking:
            continue
        if not any(_repeats(draft, other) for other in chosen):
            chosen.append(draft)
    return _without_what_lacks(chosen)


def _repeats(draft: Sentence, other: Sentence) -> bool:
    """Whether it quotes what is quoted already: a message its subject, an assistant its own words, a record another."""
    if draft.text == other.text:
        return True
    if draft.speaker == "author":
        compared = other.record == draft.record
    elif draft.speaker == "record":
        compared = other.speaker == "record"
    else:
        compared = draft.speaker in _REPLIES and other.speaker in ("", "author", *_REPLIES)
    return compared and says_no_more(_quoted(draft.text), _quoted(other.text))


def _without_what_lacks(chosen: list[Sentence]) -> list[Sentence]:
    """Without a title of a record that is named already, and without an answer to what is not told."""
    told = {(sentence.record, sentence.speaker) for sentence in chosen}
    return [
        sentence
        for sentence in chosen
        if not (sentence.speaker == "title" and (sentence.record, "record") in told)
        and not (sentence.needs in ("proposal", "answer") and (sentence.record, sentence.needs) not in told)
    ]


def _quoted(text: str) -> str:
    """What it quotes: the last thing in quotation marks, as a record is called by its title before."""
    start = text.rfind(f" {forms.OPEN}")
    return text[start + 2 : text.rfind(forms.CLOSE)].casefold() if start >= 0 else ""


def _start(record: OpenedRecord) -> datetime:
    times = [p.when for p in record.passages if p.when is not None and p.role in _TIMED]
    when = min(times) if times else record.started or record.ended
    if when is not None and not times and record.key.kind is Kind.CONVERSATION:
        return when.replace(hour=0, minute=0, second=0)
    if when is None and record.key.kind is Kind.DECISION:
        return datetime.min.replace(tzinfo=timezone.utc)
    return when or datetime.max.replace(tzinfo=timezone.utc)


def _sentences(
    record: OpenedRecord, pointed: Pointed, subject: Pointed, tie: Collection[RecordKey] | None
) -> Iterator[Sentence]:
    tied = tie is None or record.key in tie
    if record.key.kind is Kind.COMMIT:
        yield from of_commit(record, pointed)
    elif record.key.kind is Kind.CONVERSATION:
        yield from of_conversation(record, pointed, subject, tied, strict=tie is not None)
    else:
        yield from of_decision(record, pointed, subject, tied, strict=tie is not None)
