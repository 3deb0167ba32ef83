"""What a commit tells: that it brought the lines, its subject, and of its message the line that speaks of them."""

from __future__ import annotations

from collections.abc import Iterator

from anamnesis_lsp.readings import forms
from anamnesis_lsp.readings.fitting import Pointed
from anamnesis_lsp.readings.quoting import Unit, units
from anamnesis_lsp.readings.reasons import is_done, why
from anamnesis_lsp.readings.telling.sentence import (
    SUBJECT_LIMIT,
    Sentence,
    choose,
    first_paragraph,
    limited,
    says_no_more,
    tellable,
)
from anamnesis_lsp.records.evidence import OpenedRecord, Passage

HASH_SHOWN = 9
FEW = 3
"""Pieces of a message up to which it is about one thing: a reason in it is the reason."""
ABOUT = 1.2
"""Fit from which a line of a message of many things is about the selection."""
LITTLE = 2.2
"""The same of a commit that brought less than half of it."""
SHARED = 0.7
"""Of that so much by words: a message may name the file for anything else in it."""
TOUCHED = 0.5
"""Fit of a line that lists work that was done."""
NEIGHBOUR = 0.7
"""Score from which the sentence beside it is told with it."""
NARRATED = -0.4
"""What only lists or narrates says no reason."""


def of_commit(record: OpenedRecord, pointed: Pointed) -> Iterator[Sentence]:
    """The sentences of a commit."""
    short = record.key.id[:HASH_SHOWN]
    boundary = next((p for p in record.passages if p.role == "boundary"), None)
    if boundary is not None:
        date = forms.date_of(boundary.when) or ""
        yield Sentence(0, forms.compose("history ends", hash=short, date=date), boundary.when, 0, 9.0)
        return
    message = next((p for p in record.passages if p.role == "message"), None)
    if message is None:
        return
    when = message.when or record.started
    subject = first_paragraph(message.text, SUBJECT_LIMIT)
    numbers = dict(record.numbers)
    slots: dict[str, str | int] = {
        "hash": short,
        "name": record.author or "",
        "date": forms.date_of(when) or "",
        "quote": subject,
    }
    brought, total = numbers.get("lines brought"), numbers.get("lines selected")
    most = bool(brought and total and brought * 2 >= total)
    reverted = [h for h in record.hashes if h != record.key.id]
    fits = min(1.0, pointed.fit(message.text[:4000]) / 4)
    if reverted and "reverts" in numbers:
        yield Sentence(0, forms.compose("reverted", target=reverted[0][:HASH_SHOWN], **slots), when, 0, 8.5)
    elif brought and total:
        slots |= {"count": brought, "total": total}
        name = "brought one" if total == 1 else "brought all" if brought == total else "brought"
        yield Sentence(0, forms.compose(name, **slots), when, 0, (9.0 if most else 5.0) + fits)
    elif record.paths:
        yield Sentence(0, forms.compose("changed", path=record.paths[0], **slots), when, 0, 6.0 + fits)
    else:
        yield Sentence(0, forms.compose("committed", **slots), when, 0, 6.0 + fits)
    told = _of_message(message, pointed, ABOUT if most or not total else LITTLE)
    if told is not None and not says_no_more(told[0], subject):
        text = forms.compose("wrote in commit", name=record.author or "", hash=short, quote=told[0])
        worth = (6.5 if most or not total else 4.5) + min(2.0, told[1] / 2)
        yield Sentence(0, text, when, 1, worth, speaker="author")


def _of_message(message: Passage, pointed: Pointed, about: float) -> tuple[str, float] | None:
    pieces = units(message.text)[1:]
    few = sum(tellable(piece) for piece in pieces) <= FEW

    def score(unit: Unit) -> float:
        return 1.3 * pointed.worth(unit.text) + 0.6 * why(unit.text, {}) - (1.5 if limited(unit) else 0.0)

    chosen = choose(message.text, score, least=NEIGHBOUR, skip=1, leaning=True)
    if chosen is None or limited(chosen.unit):
        return None
    reason, fit = why(chosen.unit.text, {}), pointed.fit(chosen.text)
    if (fit >= about and pointed.shared(chosen.text) >= SHARED) or (
        few and reason > NARRATED and (fit >= TOUCHED or not is_done(chosen.unit.text))
    ):
        return chosen.text, chosen.score
    return None
