"""What a conversation tells: who asked for it, what the assistant said that led to the edit, and what was done."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from anamnesis_lsp.readings import forms
from anamnesis_lsp.readings.fitting import Pointed
from anamnesis_lsp.readings.quoting import CLIP, Unit, joined, units, whole
from anamnesis_lsp.readings.reasons import (
    accepts,
    asks,
    celebrates,
    instructs,
    is_task,
    narrates,
    offers,
    substantial,
    why,
)
from anamnesis_lsp.readings.telling.commits import HASH_SHOWN
from anamnesis_lsp.readings.telling.sentence import (
    QUOTE_LIMIT,
    Chosen,
    Sentence,
    choose,
    is_option,
    leans,
    limited,
    negated,
    says_no_more,
    tellable,
)
from anamnesis_lsp.records.evidence import OpenedRecord, Passage, Speaker

A_TURN, A_PASSAGE, WITHIN = 10_000_000, 20_000, 9_000_000
"""Places of a turn in the order of sentences, and those of what is quoted of it: what was done stands behind."""
REPLIES = 2
ABOUT = 0.9
"""Fit from which words are about the selection."""
ASKS = 2
OF_SEVERAL = 2.0
"""By so much the ask has to speak of the commits' subjects, where several were asked and none is known to be it."""
FEWEST = 4
"""Words of an ask, where the turn has more of them elsewhere."""
REASON = 1.0
"""What was said after the edit has to say so much of a reason."""
NAMED = 0.4
"""What naming the selected file is worth in a talk, where much is said of a file."""
OTHER_FILE = 1.5
"""What a sentence loses that names another file by its path."""
NOD = 7
"""Words up to which one that accepts says nothing else."""
HEADLINE = 1.2
"""What the first sentence of an ask is worth: it says what it is about."""
OFFER_TOUCHES = 0.4
"""Fit of an offer that was taken up."""
FURTHER = 0.6
"""By so much more it has to speak of the selection where no edit ties it to that."""
NEAREST = 2.0
"""What being said last before the edit is worth; half of that before it."""
NARRATED = -0.4
"""What only tells what is done next says no reason."""
ANNOUNCES = 1.0
"""What words lose that only announce what was pasted after them."""
TAKEN_UP = 0.6
"""What a proposal that is no offer has to say of a reason: a list of headings is none."""
ANNOUNCED = 5
"""Words of the line before an edit, where it is more than a heading."""
OFFERED = 1.5
"""What an offer is worth, where it was taken."""
_LEAST: dict[str, tuple[float, float, float, float]] = {
    "before": (1.3, 0.5, 1.6, 0.3),
    "reason": (1.8, 1.0, 1.6, 0.3),
    "earlier": (3.0, 2.2, 9.9, 0.0),
    "reply": (4.0, 2.0, 9.9, 0.0),
    "proposal": (0.8, 0.8, 9.9, 0.0),
}
"""Of each role: the score and the fit that are needed; or the reason that does with the last, a lesser fit."""


def of_conversation(
    record: OpenedRecord, pointed: Pointed, subject: Pointed, tied: bool = True, strict: bool = True
) -> Iterator[Sentence]:
    """The sentences of a conversation. One that is not ``tied`` is quoted only where it speaks of the selection.

    Where none is, the ask that speaks of the ``subject`` of the commits, or the only one there is. Not ``strict``: its
    best words, also where they do not plainly fit.
    """
    edits = [p for p in record.passages if p.role == "edit"]
    said = list(_said(record, pointed, FURTHER if strict and not (tied and edits) else 0.0))
    latest = max((sentence.order for sentence in said), default=0)
    wrote = edits and (dict(record.numbers).get("lines written") or not pointed.terms)
    asked = list(_asked(record, None if wrote or not strict else latest, pointed))
    if not asked and not said:
        asked = list(_opening(record, pointed, subject))
    yield from asked
    yield from said
    yield from _doings(record, edits)


def order_of(passage: Passage, quoted: str = "", record: OpenedRecord | None = None) -> int:
    """Where in the conversation it stands: its turn, which of the passages of that, and where the quotation begins."""
    begins = passage.text.find(quoted.split(CLIP)[0][:24]) if quoted else 0
    of_turn = [p for p in record.passages if p.span.turn == passage.span.turn] if record is not None else []
    place = next((n for n, p in enumerate(of_turn) if p is passage), 0)
    return (passage.span.turn or 0) * A_TURN + min(place * A_PASSAGE + max(begins, 0), WITHIN)


# ── the person ──────────────────────────────────────────────────────────────────────────────────────────────────────


def _asked(record: OpenedRecord, until: int | None, pointed: Pointed) -> Iterator[Sentence]:
    """What was asked. Where no edit is known, only what fits, or led to what is told up to ``until``."""
    turns: dict[int | None, list[tuple[Passage, Chosen]]] = {}
    for passage in record.passages:
        if passage.role in ("request", "answer") and passage.speaker is Speaker.PERSON:
            chosen = _of_ask(passage, pointed)
            if chosen is not None and not (passage.role == "request" and _only_nods(chosen.text, pointed)):
                turns.setdefault(passage.span.turn, []).append((passage, chosen))
    told = [max(of_turn, key=lambda pair: (_says_enough(pair[1].text), pair[1].score)) for of_turn in turns.values()]
    if until is not None:
        told = [pair for pair in told if pointed.fit(pair[1].text) >= ABOUT or order_of(pair[0]) < until]
    told.sort(key=lambda pair: -(pair[0].span.turn or 0))
    for number, (passage, chosen) in enumerate(told[:ASKS]):
        worth = 9.5 - number * 1.0 + min(1.0, pointed.fit(chosen.text) / 4)
        if passage.role == "answer":
            yield _answer(record, passage, chosen.text, worth)
            continue
        yield Sentence(
            0,
            forms.compose("went on", quote=chosen.text),
            passage.when,
            order_of(passage, chosen.text, record),
            worth,
            _lead(record, passage, chosen.text, "asked"),
            forms.compose("asked on", quote=chosen.text),
            "person",
        )


def _only_nods(text: str, pointed: Pointed) -> bool:
    """Whether it takes up what is not told (``Let's go with option a``), and says nothing else."""
    return accepts(text) and len(text.split()) <= NOD and pointed.fit(text) < ABOUT


def _opening(record: OpenedRecord, pointed: Pointed, subject: Pointed) -> Iterator[Sentence]:
    found: list[tuple[float, int, Passage, Chosen]] = []
    for number, passage in enumerate(record.passages):
        chosen = _of_ask(passage, pointed) if passage.role == "opening" else None
        if chosen is not None and substantial(chosen.text) and not leans(chosen.text) and not accepts(chosen.text):
            fit = max(subject.fit(chosen.text), subject.fit(passage.text[:2000]) / 2)
            found.append((fit, -number, passage, chosen))
    turns = {passage.span.turn for _, _, passage, _ in found}
    best = max(found, key=lambda item: item[:2], default=None)
    if best is None or (best[0] < OF_SEVERAL and len(turns) > 1):
        return
    _, _, passage, chosen = best
    lead = _lead(record, passage, chosen.text, "asked")
    text = forms.compose("asked on", quote=chosen.text)
    yield Sentence(0, text, passage.when, order_of(passage), 7.0, lead, text, "person")


def _says_enough(text: str) -> bool:
    """Whether it is more than a name: a turn with a paste in it leaves such scraps."""
    return len(text.split()) >= FEWEST or not text.isascii()


def _answer(record: OpenedRecord, passage: Passage, quoted: str, worth: float) -> Sentence:
    lead = _lead(record, passage, quoted, "asked")
    answered = forms.compose("answered", quote=quoted)
    return Sentence(0, answered, passage.when, order_of(passage), worth - 0.1, lead, answered, "answer", "proposal")


def _of_ask(passage: Passage, pointed: Pointed) -> Chosen | None:
    """What of the person's words is quoted: all of them where they are short, else what asks for the selection."""
    pieces = units(passage.text)
    if not pieces:
        return None
    length = sum(len(piece.text) + 1 for piece in pieces) - 1

    def score(unit: Unit) -> float:
        place = next(n for n, piece in enumerate(pieces) if piece is unit)
        reason = 0.6 * max(why(unit.text, {}), -0.5)
        wish = asks(unit.text)
        headline = 0.0 if place else HEADLINE if wish else HEADLINE / 3
        headline = -HEADLINE if instructs(unit.text) else headline
        other = OTHER_FILE / 2 if pointed.names_another(unit.text) else 0.0
        return 1.6 * pointed.worth(unit.text, NAMED) + reason + wish + headline - other

    if length <= QUOTE_LIMIT and all(piece.follows for piece in pieces[1:]):
        quoted = joined(pieces)
        if (
            not any(map(negated, pieces))
            and whole(quoted)
            and "\ufffd" not in quoted
            and not any(is_option(piece.text) for piece in pieces)
        ):
            if not quoted.endswith((":", "：")):
                return Chosen(quoted, max(map(score, pieces)), pieces[0])
            announced = quoted.rstrip(" :：") + CLIP  # what was pasted after it is not the person's, and is left out
            return Chosen(announced, max(map(score, pieces)) - ANNOUNCES, pieces[0])
    chosen = choose(passage.text, score, least=0.4, leaning=True)
    short = [p for p in pieces if whole(p.text) and len(p.text) <= QUOTE_LIMIT and not negated(p)]
    short = [p for p in short if not p.text.endswith((":", "："))]
    if chosen is None and short:
        return Chosen(short[0].text, score(short[0]), short[0])
    return chosen


# ── the assistant ───────────────────────────────────────────────────────────────────────────────────────────────────


def _said(record: OpenedRecord, pointed: Pointed, further: float) -> Iterator[Sentence]:
    found: list[tuple[float, Passage, str]] = []
    nearest = NEAREST
    for passage in reversed(record.passages):
        if passage.role in _LEAST and passage.speaker in (Speaker.ASSISTANT, Speaker.SUBAGENT):
            told = _of_reply(passage, pointed, further)
            if told is not None:
                found.append((told[1] + (nearest if passage.role == "before" else 0.0), passage, told[0]))
                nearest = nearest / 2 if passage.role == "before" else nearest
    taken: list[str] = []
    for score, passage, quoted in sorted(found, key=lambda item: (item[1].role != "proposal", -item[0])):
        if len(taken) == REPLIES:
            break
        if any(says_no_more(quoted, other) for other in taken):
            continue
        name = "sub-agent said" if passage.speaker is Speaker.SUBAGENT else "said"
        lead = _lead(record, passage, quoted, "said") if name == "said" else None
        worth = (9.0 if passage.role == "proposal" else 7.5 - 1.5 * len(taken)) + min(1.0, score / 6)
        taken.append(quoted)
        yield Sentence(
            0,
            forms.compose(name, quote=quoted),
            passage.when,
            order_of(passage, quoted, record) + 1,
            worth,
            lead,
            None,
            passage.role,
            "answer" if passage.role == "proposal" else "",
        )


def _of_reply(passage: Passage, pointed: Pointed, further: float) -> tuple[str, float] | None:
    needed, fits, reasoned, touched = (least + further for least in _LEAST[passage.role])

    def score(unit: Unit) -> float:
        value = 1.2 * pointed.worth(unit.text, NAMED) + why(unit.text, {}) - (0.2 if unit.item else 0.0)
        value -= OTHER_FILE if pointed.names_another(unit.text) else 0.0
        return value + (OFFERED if passage.role == "proposal" and offers(unit.text) else 0.0)

    last = next(reversed(units(passage.text)), None)

    def may(unit: Unit) -> bool:
        if passage.role == "before" and unit is last and _announces_an_edit(unit.text):
            return not narrates(unit.text)
        asked = unit.text.endswith(("?", "？")) and passage.role != "proposal"
        if (
            asked
            or celebrates(unit.text)
            or narrates(unit.text)
            or (unit.item and is_task(unit.text) and passage.role != "proposal")
        ):
            return False
        return tellable(unit) and not limited(unit)

    chosen = choose(passage.text, score, least=0.8, may=may)
    if chosen is None:
        return None
    if chosen.text.endswith((":", "：")):
        chosen = Chosen(chosen.text.rstrip(" :：") + CLIP, chosen.score, chosen.unit)
    fit, reason = pointed.fit(chosen.text, NAMED), why(chosen.unit.text, {})
    offered = passage.role == "proposal" and offers(chosen.unit.text)
    if passage.role == "proposal" and not offered and reason < REASON:
        return None
    if not offered and (chosen.score < needed or (fit < fits and (reason < reasoned or fit < touched))):
        return None
    if reason < (REASON if passage.role == "reply" else NARRATED):
        return None
    return chosen.text, chosen.score


_NEEDS = re.compile(
    r"\b(?:needs?|needed|missing|because|since|so that|must|have to|has to|instead of|should)\b", re.IGNORECASE
)


def _announces_an_edit(text: str) -> bool:
    """Whether the last words before an edit say what it is for: ``We need to create the missing form:``."""
    return text.endswith((":", "：")) and whole(text) and len(text.split()) >= ANNOUNCED and bool(_NEEDS.search(text))


# ── how it reads, and what was done ─────────────────────────────────────────────────────────────────────────────────


def _lead(record: OpenedRecord, passage: Passage, told: str, what: str) -> str:
    """The sentence as it stands where it is the first of its conversation: with the date and whose log it is."""
    runtime = forms.runtime_name(record.key.runtime)
    date, begun = forms.date_of(passage.when), forms.date_of(record.started)
    if date is not None:
        return forms.compose("asked" if what == "asked" else "said dated", date=date, runtime=runtime, quote=told)
    if begun is not None:
        return forms.compose(f"{what} in one begun", begun=begun, runtime=runtime, quote=told)
    return forms.compose(f"{what} undated", runtime=runtime, quote=told)


def _doings(record: OpenedRecord, edits: Sequence[Passage]) -> Iterator[Sentence]:
    numbers = dict(record.numbers)
    written, selected = numbers.get("lines written"), numbers.get("lines selected")
    if edits:
        at = edits[0]
        path = record.paths[0] if record.paths else None
        writer = forms.WRITERS.get(at.speaker, "")
        if written and selected and path:
            name = "wrote one" if selected == 1 else "wrote all" if written == selected else "wrote"
            yield _did(record, at, 6.0, name, writer=writer, count=written, total=selected, path=path)
        elif numbers.get("commit lines written"):
            yield _did(record, at, 5.0, "wrote of commit", writer=writer)
        elif path and not path.startswith("/"):  # outside of the repository it is another file
            yield _did(record, at, 4.0, "edited", writer=writer, path=path)
    made = next((p for p in record.passages if p.role in ("commit", "rewritten")), None)
    if made is not None and record.hashes:
        then, now = record.hashes[0][:HASH_SHOWN], record.hashes[-1][:HASH_SHOWN]
        name = "recorded then" if made.role == "rewritten" else "recorded commit"
        text = forms.compose(name, hash=then, target=now)
        yield Sentence(0, text, made.when, order_of(made) + WITHIN + 3, 4.5)


def _did(record: OpenedRecord, at: Passage, worth: float, name: str, **slots: str | int) -> Sentence:
    """What the edit did; where nothing of the conversation is told before, with whose log it is and when it began."""
    begun = forms.date_of(record.started)
    lead = None
    if begun is not None:
        slots_of_lead = {**slots, "writer": str(slots["writer"])[:1].lower() + str(slots["writer"])[1:]}
        runtime = forms.runtime_name(record.key.runtime)
        lead = forms.compose(f"{name} in one begun", begun=begun, runtime=runtime, **slots_of_lead)
    return Sentence(0, forms.compose(name, **slots), at.when, order_of(at) + WITHIN + 2, worth, lead)
