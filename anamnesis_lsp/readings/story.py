"""The story: what the opened records carry of a recognizable, in order of time, each sentence a form with checked
slots.

Extractive. Every sentence quotes one opened record or states a fact it carries;
:func:`anamnesis_lsp.readings.forms.supported` reads each one back before it is told, and one that fails is dropped.
Quotations are chosen for the reason they give. Nothing here knows an index, a title of one, or a record that did not
open.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone

from anamnesis_lsp.readings import forms
from anamnesis_lsp.readings.quoting import clip, units
from anamnesis_lsp.readings.reasons import gives_a_reason, is_trailer, substantial, why
from anamnesis_lsp.records.evidence import Kind, OpenedRecord, Passage, Speaker

QUOTE_LIMIT = 280
"""Characters of one quotation."""
SUBJECT_LIMIT = 140
FULL = 7
"""Sentences of a full story, at most."""
BRIEF = 2
"""Sentences in a hover."""

REPLIES = 2
SECOND_REPLY = 3.0
"""Score from which a second thing the assistant said is worth a sentence."""

_HASH_SHOWN = 9


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, the index (in ``records``) of the record it rests on, and what decides its place and chance."""

    record: int
    text: str
    when: datetime | None
    order: int
    """Place within the record."""
    worth: float
    """Which sentences stay when there are too many."""
    lead: str | None = None
    """How it reads where it is the first sentence of its record."""


def tell(records: Sequence[OpenedRecord], sought: Mapping[str, float], limit: int = FULL) -> list[Sentence]:
    """The story of these records in order of time, at most ``limit`` sentences. ``sought``: words of the cue with
    weights.
    """
    drafts: list[Sentence] = []
    for index, record in enumerate(records):
        drafts.extend(
            replace(draft, record=index) for draft in _sentences(record, sought) if forms.supported(record, draft.text)
        )
    kept = _kept(drafts, limit)
    starts = {index: _start(record) for index, record in enumerate(records)}
    ordered = sorted(kept, key=lambda s: (starts[s.record], s.record, s.order))
    begun: set[int] = set()
    for place, sentence in enumerate(ordered):
        lead = sentence.lead if sentence.record not in begun else None
        if lead is not None and forms.supported(records[sentence.record], lead):
            ordered[place] = replace(sentence, text=lead)
        begun.add(sentence.record)
    return ordered


def _kept(drafts: list[Sentence], limit: int) -> list[Sentence]:
    chosen: list[Sentence] = []
    seen: set[str] = set()
    for draft in sorted(drafts, key=lambda d: -d.worth):
        if len(chosen) == limit:
            break
        quoted = _quoted(draft.text)
        if quoted and quoted in seen:
            continue
        seen.add(quoted)
        chosen.append(draft)
    return chosen


def _quoted(text: str) -> str:
    start = text.find(forms.OPEN)
    return text[start + 1 : text.rfind(forms.CLOSE)].casefold() if start >= 0 else ""


def _start(record: OpenedRecord) -> datetime:
    times = [
        p.when
        for p in record.passages
        if p.when is not None and p.role in ("request", "reply", "reason", "message", "edit")
    ]
    when = min(times) if times else record.started or record.ended
    if when is not None and not times and record.key.kind is Kind.CONVERSATION:
        return when.replace(hour=0, minute=0, second=0)
    if when is None and record.key.kind is Kind.DECISION:
        return datetime.min.replace(tzinfo=timezone.utc)
    return when or datetime.max.replace(tzinfo=timezone.utc)


def _sentences(record: OpenedRecord, sought: Mapping[str, float]) -> Iterator[Sentence]:
    if record.key.kind is Kind.COMMIT:
        yield from _of_commit(record, sought)
    elif record.key.kind is Kind.CONVERSATION:
        yield from _of_conversation(record, sought)
    else:
        yield from _of_decision(record, sought)


# ── quotations ──────────────────────────────────────────────────────────────────────────────────────────────────────


def quote(passage: Passage, sought: Mapping[str, float], limit: int = QUOTE_LIMIT) -> tuple[str, float]:
    """The run of units of the passage that tells most of a reason, within ``limit`` characters, and its score."""
    pieces = units(passage.text)
    if not pieces:
        return "", -9.0
    scores = [why(piece.text, sought) for piece in pieces]
    best = max(range(len(pieces)), key=lambda i: (scores[i], -i))
    whole = sum(len(piece.text) + 1 for piece in pieces) - 1
    if passage.speaker is Speaker.PERSON and whole <= limit and all(piece.follows for piece in pieces[1:]):
        return " ".join(piece.text for piece in pieces), max(scores)
    first = last = best
    length = len(pieces[best].text)
    least = 0.2 if passage.speaker is Speaker.PERSON else 0.7
    while True:
        options = [
            (scores[i], i)
            for i, joint in ((first - 1, first), (last + 1, last + 1))
            if 0 <= i < len(pieces)
            and pieces[joint].follows
            and scores[i] > least
            and length + 1 + len(pieces[i].text) <= limit
        ]
        if not options:
            break
        _, chosen = max(options)
        first, last = min(first, chosen), max(last, chosen)
        length += 1 + len(pieces[chosen].text)
    return clip(" ".join(piece.text for piece in pieces[first : last + 1]), limit), scores[best]


def _first(text: str, limit: int) -> str:
    pieces = units(text)
    return clip(pieces[0].text, limit) if pieces else ""


# ── a commit ────────────────────────────────────────────────────────────────────────────────────────────────────────


def _of_commit(record: OpenedRecord, sought: Mapping[str, float]) -> Iterator[Sentence]:
    short = record.key.id[:_HASH_SHOWN]
    numbers = dict(record.numbers)
    for passage in record.passages:
        if passage.role == "boundary":
            yield Sentence(
                0,
                forms.compose("history ends", hash=short, date=forms.date_of(passage.when) or ""),
                passage.when,
                0,
                9.0,
            )
            return
    message = next((p for p in record.passages if p.role == "message"), None)
    if message is None:
        return
    when = message.when or record.started
    subject = _first(message.text, SUBJECT_LIMIT)
    slots: dict[str, str | int] = {
        "hash": short,
        "name": record.author or "",
        "date": forms.date_of(when) or "",
        "quote": subject,
    }
    brought, total = numbers.get("lines brought"), numbers.get("lines selected")
    reverted = [h for h in record.hashes if h != record.key.id]
    if reverted and "reverts" in numbers:
        yield Sentence(0, forms.compose("reverted", target=reverted[0][:_HASH_SHOWN], **slots), when, 0, 8.5)
    elif brought and total:
        slots |= {"count": brought, "total": total}
        name = "brought one" if total == 1 else "brought all" if brought == total else "brought"
        yield Sentence(0, forms.compose(name, **slots), when, 0, 9.0 if brought * 2 >= total else 5.0)
    elif record.paths:
        yield Sentence(0, forms.compose("changed", path=record.paths[0], **slots), when, 0, 6.0)
    else:
        yield Sentence(0, forms.compose("committed", **slots), when, 0, 6.0)
    body = replace(message, text=_body(message.text))
    told, score = quote(body, sought)
    if told and score > -0.5 and told != subject and not is_trailer(told):
        yield Sentence(
            0,
            forms.compose("wrote in commit", name=record.author or "", hash=short, quote=told),
            when, 1, 4.0 if brought and total and brought * 2 < total else 6.5 + min(2.0, score / 2),
        )  # fmt: skip


def _body(message: str) -> str:
    lines = message.rstrip().split("\n")[1:]
    while lines and (not lines[-1].strip() or is_trailer(lines[-1].strip())):
        lines.pop()
    return "\n".join(lines)


# ── a conversation ──────────────────────────────────────────────────────────────────────────────────────────────────


def _of_conversation(record: OpenedRecord, sought: Mapping[str, float]) -> Iterator[Sentence]:
    requests = [p for p in record.passages if p.role == "request" and p.speaker is Speaker.PERSON]
    edits = [p for p in record.passages if p.role == "edit"]
    asked = _asked(requests, edits, sought)
    for number, passage in enumerate(asked):
        told, score = quote(passage, sought)
        if not told:
            continue
        date = forms.date_of(passage.when)
        later = number > 0 and date is not None and date != forms.date_of(asked[0].when)
        text = forms.compose("went on later" if later else "went on", quote=told, date=date or "")
        lead = _lead(record, passage, told, "asked")
        yield Sentence(0, text, passage.when, _order(passage), 9.5 - number * 1.5 + min(1.0, score / 4), lead)
    taken: list[set[str]] = []
    for passage, score in sorted(_replies(record, edits, sought), key=lambda pair: -pair[1]):
        told = quote(passage, sought)[0]
        words = set(told.casefold().split())
        if any(len(words & other) > 0.6 * min(len(words), len(other)) for other in taken):
            continue
        if len(taken) == REPLIES or (taken and score < SECOND_REPLY):
            break
        name = "sub-agent said" if passage.speaker is Speaker.SUBAGENT else "said"
        lead = _lead(record, passage, told, "said") if name == "said" else None
        worth = 7.0 - 2.0 * len(taken) + min(1.5, score / 2)
        taken.append(words)
        yield Sentence(0, forms.compose(name, quote=told), passage.when, _order(passage), worth, lead)
    yield from _doings(record, edits)


def _lead(record: OpenedRecord, passage: Passage, told: str, what: str) -> str:
    """The sentence as it stands where it is the first of its conversation: with the date and whose log it is."""
    runtime = forms.runtime_name(record.key.runtime)
    date, begun = forms.date_of(passage.when), forms.date_of(record.started)
    if date is not None:
        return forms.compose("asked" if what == "asked" else "said dated", date=date, runtime=runtime, quote=told)
    if begun is not None:
        return forms.compose(f"{what} in one begun", begun=begun, runtime=runtime, quote=told)
    return forms.compose(f"{what} undated", runtime=runtime, quote=told)


def _order(passage: Passage) -> int:
    return (passage.span.turn or 0) * 4


def _asked(requests: list[Passage], edits: list[Passage], sought: Mapping[str, float]) -> list[Passage]:
    """The person's words that led to the edit: the last substantial ones before it, and the most telling one."""
    if not requests:
        return []
    edit_turn = min((p.span.turn or 0 for p in edits), default=None)
    before = [p for p in requests if edit_turn is None or (p.span.turn or 0) <= edit_turn] or requests
    weighty = [p for p in before if substantial(p.text)] or before
    if edit_turn is None:
        best = max(weighty, key=lambda p: quote(p, sought)[1])
        return [best]
    nearest = weighty[-1]
    others = [(quote(p, sought)[1], p) for p in weighty[:-1]]
    if others:
        score, telling = max(others, key=lambda pair: pair[0])
        if score > quote(nearest, sought)[1] + 1.2:
            return [telling, nearest]
    return [nearest]


def _replies(
    record: OpenedRecord, edits: list[Passage], sought: Mapping[str, float]
) -> Iterator[tuple[Passage, float]]:
    edit_turn = min((p.span.turn or 0 for p in edits), default=None)
    for passage in record.passages:
        if passage.role not in ("reply", "reason") or passage.speaker not in (Speaker.ASSISTANT, Speaker.SUBAGENT):
            continue
        told, score = quote(passage, sought)
        if not gives_a_reason(told):
            continue
        if edit_turn is not None:
            score += 0.5 if passage.role == "reason" else -0.02 * abs((passage.span.turn or 0) - edit_turn)
        if score > 0.9:
            yield passage, score


def _doings(record: OpenedRecord, edits: list[Passage]) -> Iterator[Sentence]:
    numbers = dict(record.numbers)
    written, selected = numbers.get("lines written"), numbers.get("lines selected")
    if edits:
        at = edits[0]
        path = record.paths[0] if record.paths else None
        writer = forms.WRITERS.get(at.speaker, "")
        if written and selected and path:
            name = "wrote one" if selected == 1 else "wrote all" if written == selected else "wrote"
            text = forms.compose(name, writer=writer, count=written, total=selected, path=path)
            yield Sentence(0, text, at.when, _order(at) + 2, 6.0)
        elif numbers.get("commit lines written"):
            text = forms.compose(
                "wrote of commit", count=numbers["commit lines written"], total=numbers.get("commit lines added", 0)
            )
            yield Sentence(0, text, at.when, _order(at) + 2, 5.0)
        elif path:
            yield Sentence(0, forms.compose("edited", writer=writer, path=path), at.when, _order(at) + 2, 4.0)
    made = next((p for p in record.passages if p.role in ("commit", "rewritten")), None)
    if made is not None and record.hashes:
        then, now = record.hashes[0][:_HASH_SHOWN], record.hashes[-1][:_HASH_SHOWN]
        name = "recorded then" if made.role == "rewritten" else "recorded commit"
        text = forms.compose(name, hash=then, target=now)
        yield Sentence(0, text, made.when, _order(made) + 3, 4.5)


# ── a decision record ───────────────────────────────────────────────────────────────────────────────────────────────


def _of_decision(record: OpenedRecord, sought: Mapping[str, float]) -> Iterator[Sentence]:
    title = next((p for p in record.passages if p.role == "title"), None)
    if title is not None:
        date = forms.date_of(title.when or record.started)
        name = "record dated" if date else "record"
        text = forms.compose(name, path=record.key.id, title=title.text, date=date or "")
        yield Sentence(0, text, record.started, 0, 9.2)
    status = next((p for p in record.passages if p.role == "status"), None)
    if status is not None:
        told = _first(status.text, SUBJECT_LIMIT)
        if told:
            yield Sentence(0, forms.compose("record status", quote=told), record.started, 900, 5.2)
    sections: list[tuple[float, int, Passage, str]] = []
    for number, passage in enumerate(record.passages):
        if passage.role in ("section", "reason"):
            told, score = quote(passage, sought)
            if told and score > 0.0:
                sections.append((score + (0.4 if passage.role == "reason" else 0.0), number, passage, told))
    sections.sort(key=lambda item: -item[0])
    for rank, (score, number, passage, told) in enumerate(sections[:3]):
        if passage.name:
            text = forms.compose("wrote in record", name=passage.name, quote=told)
        else:
            text = forms.compose("record says", quote=told)
        yield Sentence(0, text, passage.when, 1 + number, 8.6 - 1.2 * rank + min(0.5, score / 8))
