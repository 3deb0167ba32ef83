"""Every form of a sentence: carried by a record that has what each slot says, refused once one slot says another."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from anamnesis_lsp.readings import forms
from anamnesis_lsp.readings.forms import FORMS, Form
from anamnesis_lsp.records.evidence import Kind, OpenedRecord, Passage, RecordKey, Span, Speaker

DAY = datetime(2025, 3, 11, 10, 30, tzinfo=timezone.utc)
BEGUN = DAY - timedelta(days=3)
HASH, OTHER = "4f2a9c1" + "a" * 33, "9e4d606" + "b" * 33
QUOTE = "We wait for the gauge because it reboots at four."
SLOTS = {
    "date": "2025-03-11", "begun": "2025-03-08", "runtime": "Claude Code", "quote": QUOTE, "path": "tide/fetch.py",
    "writer": "the assistant's", "total": 5, "count": 4, "hash": HASH[:9], "target": OTHER[:9], "name": "Ada Lovelace",
    "title": "No lock file", "called": "No lock file", "part": "Decision",
}  # fmt: skip
ALTERED = {
    "date": "2025-03-12", "begun": "2025-03-09", "runtime": "Codex", "quote": "We wait because it sleeps.",
    "path": "tide/store.py", "writer": "a sub-agent's", "total": 6, "count": 3, "hash": "0" * 9, "target": "1" * 9,
    "name": "Grace Hopper", "title": "A lock file", "called": "A lock file", "part": "Context",
}  # fmt: skip
PATH = "docs/adr/0002-no-lock-file.md"


def record(form: Form) -> OpenedRecord:
    """One that carries the form's sentence."""
    identity = {Kind.COMMIT: HASH, Kind.CONVERSATION: "0b7c", Kind.DECISION: PATH}[form.kind]
    runtime = "claude-code" if form.kind is Kind.CONVERSATION else None
    root = Path("/store" if form.kind is Kind.CONVERSATION else "/repo")
    speaker = next(iter(form.speakers), Speaker.ASSISTANT if form.kind is Kind.CONVERSATION else Speaker.DOCUMENT)
    text = "No lock file" if "title" in form.slots else QUOTE
    said = Passage(text, speaker, "Ada Lovelace", DAY, Span(), next(iter(sorted(form.roles))), ("Notes", "Decision"))
    fives = form.equal is not None
    counted = 1 if form.single else 5
    numbers = tuple(dict.fromkeys([
        *((fact, counted) for fact in form.equal or ()),
        *((fact, int(SLOTS[slot])) for slot, fact in form.numbers.items() if not fives or slot == "count"),
    ]))  # fmt: skip
    started = DAY if form.kind is Kind.DECISION and "begun" not in form.slots else BEGUN
    return OpenedRecord(
        RecordKey(form.kind, root, identity, runtime), "No lock file", started, None,
        "Ada Lovelace" if form.kind is Kind.COMMIT else None, (said,), ("tide/fetch.py",), (HASH, OTHER), numbers,
    )  # fmt: skip


def slots(form: Form) -> dict[str, object]:
    given: dict[str, object] = {slot: SLOTS[slot] for slot in form.slots}
    if form.kind is Kind.DECISION and "path" in given:
        given["path"] = PATH
    return given


def told(form: Form, given: dict[str, object]) -> str:
    text = forms.compose(form.name, **given)
    return text[:1].upper() + text[1:] if form.template.startswith("{writer}") else text


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_the_sentence_is_carried_by_a_record_that_has_what_it_says(form: Form) -> None:
    assert forms.supported(record(form), told(form, slots(form)))


@pytest.mark.parametrize(
    "form,slot", [(form, slot) for form in FORMS for slot in form.slots], ids=lambda it: getattr(it, "name", it)
)
def test_it_is_refused_where_one_slot_says_another(form: Form, slot: str) -> None:
    assert not forms.supported(record(form), told(form, {**slots(form), slot: ALTERED[slot]}))


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_it_is_refused_for_a_passage_of_another_role_or_speaker(form: Form) -> None:
    made, text = record(form), told(form, slots(form))
    [said] = made.passages
    assert not forms.supported(replace(made, passages=(replace(said, role="hunk"),)), text)
    if form.speakers:
        assert not forms.supported(replace(made, passages=(replace(said, speaker=Speaker.INJECTED),)), text)
    assert not forms.supported(replace(made, passages=()), text)


@pytest.mark.parametrize("form", [form for form in FORMS if form.equal], ids=lambda form: form.name)
def test_all_is_said_only_where_the_counts_are_the_same(form: Form) -> None:
    made, text = record(form), told(form, slots(form))
    assert form.equal is not None
    first, second = form.equal
    most = dict(made.numbers)
    assert not forms.supported(replace(made, numbers=((first, most[first] + 1), (second, most[second]))), text)
    assert not forms.supported(replace(made, numbers=((second, most[second]),)), text)
    if form.single:
        assert not forms.supported(replace(made, numbers=((first, 2), (second, 2))), text)
