"""What a decision record tells: what it says of the selection, and why; its title, and how it stands."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from anamnesis_lsp.readings import forms
from anamnesis_lsp.readings.fitting import SECTION, Pointed
from anamnesis_lsp.readings.quoting import Unit
from anamnesis_lsp.readings.reasons import celebrates, why
from anamnesis_lsp.readings.telling.sentence import (
    QUOTE_LIMIT,
    SUBJECT_LIMIT,
    Chosen,
    Sentence,
    choose,
    first_unit,
    limited,
    says_no_more,
    tellable,
)
from anamnesis_lsp.records.decisions import Sense
from anamnesis_lsp.records.decisions.vocabulary import sense
from anamnesis_lsp.records.evidence import OpenedRecord, Passage

SAID = 2
DECISIONS = 2
"""Sections of decisions up to which a record decides one thing."""
ABOUT = 1.0
"""Fit from which a sentence of a record is about the selection."""
PLAINLY = 2.2
"""The same of one that celebrates what was done."""
MORE = 1.8
"""The same of a second one."""
TOUCHED = 0.3
"""Fit, with the selection or with the subject of the commits, of a reason that is not plainly about the selection."""
REASON = 0.8
"""What a sentence of its context, decision or reasons has to say of a cause, where it does not name the selection."""
_OPEN_ENDED = re.compile(
    r"\W*(?:open|backlog|to-?do|in[- _]?progress|in[- _]?review|new|planned|ready|blocked|hooked|pinned|closed"
    r"|done|complete\w*|finished"
    r"|implemented|merged|-+)\b",
    re.IGNORECASE,
)
"""How a task stands on a board: that says nothing of the decision."""


_OVER = re.compile(r"supersed|replac|reject|deprecat|obsolete|withdrawn|abandon|废弃|取代|拒绝", re.IGNORECASE)
"""A standing that is told also of a record of which nothing else is."""
_NAMES_A_VERSION = re.compile(r"\W*(?:change ?log|history|releases?(?: notes)?|news|changes)\b[^a-z]*\Z", re.IGNORECASE)
"""A title that says nothing but which release it is."""


def of_decision(
    record: OpenedRecord, pointed: Pointed, subject: Pointed, tied: bool = True, strict: bool = True
) -> Iterator[Sentence]:
    """The sentences of a decision record. One that is not ``tied`` is quoted only where it speaks of the selection;
    of one that is, also a reason that speaks of the ``subject`` of the commits.

    Not ``strict``: its title, also where that only names a release.
    """
    title = next((p for p in record.passages if p.role == "title"), None)
    status = next((p for p in record.passages if p.role == "status"), None)
    if status is not None:
        told = first_unit(status.text, SUBJECT_LIMIT)
        if told and _OPEN_ENDED.match(told) is None:
            needs = "" if _OVER.search(told) else "record"
            yield Sentence(0, forms.compose("record status", quote=told), record.started, 900, 5.2, needs=needs)
    found = sorted(_told(record, pointed, subject, tied), key=lambda item: (-item[0], item[1]))
    taken: list[str] = []
    for score, number, passage, chosen in _of_both(found, pointed, sum(map(decides, record.passages)) <= DECISIONS):
        if len(taken) == SAID:
            break
        if any(says_no_more(chosen.text, other) for other in (record.title, *taken)):
            continue
        worth = 9.2 - 1.4 * len(taken) + min(0.5, score / 12)
        taken.append(chosen.text)
        lead = _lead(record, passage, chosen)
        speaker = "comment" if lead is None else "record"  # who wrote a comment does not name the record
        yield Sentence(0, _plain(passage, chosen), passage.when, 1 + number, worth, lead, None, speaker)
    if title is not None and not (strict and _NAMES_A_VERSION.match(title.text)):
        date = forms.date_of(title.when or record.started)
        name = "record dated" if date else "record"
        text = forms.compose(name, path=record.key.id, title=title.text, date=date or "")
        yield Sentence(0, text, record.started, 0, 5.0 if taken else 9.2, text, None, "title")


def _of_both(
    found: Sequence[tuple[float, int, Passage, Chosen]], pointed: Pointed, single: bool
) -> list[tuple[float, int, Passage, Chosen]]:
    """What is about the selection, and what was decided where that is one thing; else the best reason alone."""
    about = [item for item in found if pointed.fit(item[3].text) >= ABOUT]
    decided = [item for item in found if single and item not in about and decides(item[2])]
    more = [item for item in about[1:] if pointed.fit(item[3].text) >= MORE]
    return [*about[:1], *decided[:1], *more] or list(found[:1])


def decides(passage: Passage) -> bool:
    """Whether it stands where the record says what was decided."""
    return any(sense(heading) is Sense.DECISION for heading in passage.under)


def _plain(passage: Passage, chosen: Chosen) -> str:
    if passage.name:
        return forms.compose("wrote in record", name=passage.name, quote=chosen.text)
    return forms.compose("record says", quote=chosen.text)


def _lead(record: OpenedRecord, passage: Passage, chosen: Chosen) -> str | None:
    if passage.name:
        return None
    begun = forms.date_of(record.started)
    slots = {"path": record.key.id, "called": record.title, "quote": chosen.text}
    if begun is None:
        return forms.compose("record called says", **slots)
    return forms.compose("record dated says", begun=begun, **slots)


def _told(
    record: OpenedRecord, pointed: Pointed, subject: Pointed, tied: bool
) -> Iterator[tuple[float, int, Passage, Chosen]]:
    for number, passage in enumerate(record.passages):
        if passage.role not in ("section", "reason"):
            continue
        cited = pointed.cited(passage.under)
        reason = passage.role == "reason"

        def score(unit: Unit, cited: bool = cited, reason: bool = reason) -> float:
            value = pointed.worth(unit.text) + 1.2 * why(unit.text, {}) + (0.4 if reason else 0.0)
            return value + (SECTION if cited or pointed.cited((unit.text[:60], *unit.under)) else 0.0)

        def may(unit: Unit, passage: Passage = passage) -> bool:
            return tellable(unit) and not limited(unit, passage.under)

        short = len(passage.text) <= QUOTE_LIMIT  # a short section is one thought
        chosen = choose(passage.text, score, least=-0.5 if short else 1.6, may=may)
        if chosen is None:
            continue
        fit, why_so = pointed.fit(chosen.text), why(chosen.unit.text, {})
        named = cited or pointed.cited((chosen.unit.text[:60], *chosen.unit.under))
        if (
            named
            or (fit >= ABOUT and (fit >= PLAINLY or not celebrates(chosen.unit.text)))
            or (tied and reason and decides(passage) and why_so >= 0.0)
            or (tied and reason and why_so >= REASON and max(fit, subject.fit(chosen.text)) >= TOUCHED)
        ):
            yield chosen.score, number, passage, chosen
