"""The forms of sentences a story is made of, each with slots, and the check of a sentence against the record it cites.

A sentence is built by :func:`compose` and read back by :func:`supported`: the forms are parsed, and every slot is
checked against the opened record. A quotation is a run of whole units of one passage of the right speaker and role; the
date, name and path are those of that passage or its record; a hash is one the record names; a count is one the record
carries. What fails is refused, never softened. The fixed words of a form claim only what its check has established.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from anamnesis_lsp.present.records import RUNTIME_NAMES
from anamnesis_lsp.readings.quoting import collapse, is_quotation
from anamnesis_lsp.records.evidence import Kind, OpenedRecord, Passage, Speaker

OPEN, CLOSE = "“", "”"

WRITERS: Mapping[Speaker, str] = {
    Speaker.ASSISTANT: "The assistant's",
    Speaker.SUBAGENT: "A sub-agent's",
    Speaker.PERSON: "The person's",
    Speaker.TOOL: "A tool's",
}
"""Whose edits they are, by the speaker of the edit's turn."""

_SLOT = re.compile(r"\{(\w+)\}")
_SLOT_PATTERNS = {
    "date": r"\d{4}-\d\d-\d\d",
    "begun": r"\d{4}-\d\d-\d\d",
    "hash": r"[0-9a-f]{7,64}",
    "target": r"[0-9a-f]{7,64}",
    "count": r"[1-9]\d*",
    "total": r"[1-9]\d*",
    "quote": r".+",
    "title": r".+",
    "called": r".+?",
    "part": r".+?",
}


@dataclass(frozen=True, slots=True)
class Form:
    """One form: its template, and which passage its quotation may come from."""

    name: str
    template: str
    kind: Kind
    roles: frozenset[str] = frozenset()
    speakers: frozenset[Speaker] = frozenset()
    numbers: Mapping[str, str] = field(default_factory=lambda: dict[str, str]())
    """Which counted fact of the record each numeric slot is."""
    equal: tuple[str, str] | None = None
    """Two counted facts that must be the same for this form."""
    single: bool = False
    """Both of them are one."""

    @property
    def slots(self) -> tuple[str, ...]:
        """The names of its slots, in order."""
        return tuple(_SLOT.findall(self.template))


def _form(
    name: str,
    template: str,
    kind: Kind,
    roles: str = "",
    speaker: Speaker | None = None,
    equal: tuple[str, str] | None = None,
    single: bool = False,
    counts: Mapping[str, str] | None = None,
) -> Form:
    speakers = frozenset({speaker} if speaker else ())
    return Form(name, template, kind, frozenset(roles.split()), speakers, dict(counts or {}), equal, single)


def _both(
    name: str,
    what: str,
    equal: tuple[str, str] | None = None,
    single: bool = False,
    counts: Mapping[str, str] | None = None,
) -> tuple[Form, Form]:
    """What edits of a conversation did, after something else of it, and as the first that is told of it."""
    begun = f"{name} in one begun"
    begins = "In a conversation kept by {runtime} and begun on {begun}, {writer} edits "
    return (
        _form(name, "{writer} edits there " + what, Kind.CONVERSATION, "edit", None, equal, single, counts),
        _form(begun, begins + what, Kind.CONVERSATION, "edit", None, equal, single, counts),
    )


_QUOTE = OPEN + "{quote}" + CLOSE
_TALK, _COMMIT, _DECISION = Kind.CONVERSATION, Kind.COMMIT, Kind.DECISION
_ASKED, _SAID = "request answer opening", "before reason earlier reply proposal"
_SELECTED = {"total": "lines selected"}
_WRITTEN = {"count": "lines written", **_SELECTED}
_BROUGHT = {"count": "lines brought", **_SELECTED}

FORMS: tuple[Form, ...] = (
    # what was asked, answered and said in a conversation
    _form("asked", f"On {{date}}, in a conversation kept by {{runtime}}, the person asked: {_QUOTE}", _TALK, _ASKED,
          Speaker.PERSON),
    _form("asked undated", f"In a conversation kept by {{runtime}}, the person asked: {_QUOTE}", _TALK, _ASKED,
          Speaker.PERSON),
    _form("asked in one begun",
          f"In a conversation kept by {{runtime}} and begun on {{begun}}, "
          f"the person asked: {_QUOTE}", _TALK, _ASKED, Speaker.PERSON),
    _form("said in one begun",
          f"In a conversation kept by {{runtime}} and begun on {{begun}}, "
          f"the assistant said: {_QUOTE}", _TALK, _SAID, Speaker.ASSISTANT),
    _form("said undated", f"In a conversation kept by {{runtime}}, the assistant said: {_QUOTE}", _TALK, _SAID,
          Speaker.ASSISTANT),
    _form("asked on", f"The person asked: {_QUOTE}", _TALK, _ASKED, Speaker.PERSON),
    _form("asked later", f"On {{date}} the person asked: {_QUOTE}", _TALK, _ASKED, Speaker.PERSON),
    _form("answered", f"The person answered: {_QUOTE}", _TALK, "answer", Speaker.PERSON),
    _form("went on", f"The person went on: {_QUOTE}", _TALK, _ASKED, Speaker.PERSON),
    _form("went on later", f"On {{date}} the person went on: {_QUOTE}", _TALK, _ASKED, Speaker.PERSON),
    _form("said", f"The assistant said: {_QUOTE}", _TALK, _SAID, Speaker.ASSISTANT),
    _form("said dated", f"On {{date}}, in a conversation kept by {{runtime}}, the assistant said: {_QUOTE}", _TALK,
          _SAID, Speaker.ASSISTANT),
    _form("sub-agent said", f"A sub-agent of the assistant said: {_QUOTE}", _TALK, _SAID, Speaker.SUBAGENT),
    _form("summary said", f"A summary in that conversation, not the person's words, says: {_QUOTE}", _TALK, "summary"),
    # what a conversation did
    *_both("wrote all", "wrote all {total} selected lines, in {path}.", equal=("lines written", "lines selected"),
           counts=_SELECTED),
    *_both("wrote one", "wrote the selected line, in {path}.", equal=("lines written", "lines selected"), single=True),
    *_both("wrote", "wrote {count} of the {total} selected lines, in {path}.", counts=_WRITTEN),
    *_both("wrote of commit", "wrote lines that the commit added."),
    *_both("edited", "touched {path}."),
    _form("recorded commit", "The conversation records the commit as {hash}.", _TALK, "commit"),
    _form("recorded then", "The conversation records the commit as {hash}, now in {target}.", _TALK,
          "rewritten"),
    # a commit
    _form("brought all", f"Commit {{hash}} by {{name}} on {{date}} brought all {{total}} selected lines: {_QUOTE}",
          _COMMIT, "message", Speaker.AUTHOR, equal=("lines brought", "lines selected"), counts=_SELECTED),
    _form("brought one", f"Commit {{hash}} by {{name}} on {{date}} brought the selected line: {_QUOTE}", _COMMIT,
          "message", Speaker.AUTHOR, equal=("lines brought", "lines selected"), single=True),
    _form("brought", f"Commit {{hash}} by {{name}} on {{date}} brought {{count}} of the {{total}} selected lines: "
          f"{_QUOTE}", _COMMIT, "message", Speaker.AUTHOR, counts=_BROUGHT),
    _form("reverted", f"Commit {{hash}} by {{name}} on {{date}} says that it reverts {{target}}: {_QUOTE}", _COMMIT,
          "message", Speaker.AUTHOR),
    _form("changed", f"Commit {{hash}} by {{name}} on {{date}} changed {{path}}: {_QUOTE}", _COMMIT, "message",
          Speaker.AUTHOR),
    _form("committed", f"Commit {{hash}} by {{name}} on {{date}}: {_QUOTE}", _COMMIT, "message", Speaker.AUTHOR),
    _form("wrote in commit", f"{{name}} wrote in the message of commit {{hash}}: {_QUOTE}", _COMMIT, "message",
          Speaker.AUTHOR),
    _form("history ends", "The history here ends at commit {hash} ({date}): who wrote the lines before it is not "
          "known from this clone.", _COMMIT, "boundary"),
    # a decision record
    _form("record dated", f"The record {{path}}, dated {{date}}, is titled {OPEN}{{title}}{CLOSE}.", _DECISION,
          "title"),
    _form("record", f"The record {{path}} is titled {OPEN}{{title}}{CLOSE}.", _DECISION, "title"),
    _form("record status", f"It gives its status as {_QUOTE}.", _DECISION, "status"),
    _form("record dated says",
          f"The record {{path}}, dated {{begun}} and titled {OPEN}{{called}}{CLOSE}, says: {_QUOTE}",
          _DECISION, "section reason"),
    _form("record called says", f"The record {{path}}, titled {OPEN}{{called}}{CLOSE}, says: {_QUOTE}", _DECISION,
          "section reason"),
    _form("record says under", f"Under {OPEN}{{part}}{CLOSE} it says: {_QUOTE}", _DECISION, "section reason"),
    _form("record says", f"It says: {_QUOTE}", _DECISION, "section reason"),
    _form("wrote in record", f"In it {{name}} wrote: {_QUOTE}", _DECISION, "section reason"),
)  # fmt: skip

_BY_NAME = {form.name: form for form in FORMS}


def _pattern(template: str) -> re.Pattern[str]:
    out: list[str] = []
    position = 0
    for match in _SLOT.finditer(template):
        out.append(re.escape(template[position : match.start()]))
        out.append(f"(?P<{match[1]}>{_SLOT_PATTERNS.get(match[1], '.+?')})")
        position = match.end()
    out.append(re.escape(template[position:]))
    return re.compile("".join(out), re.DOTALL)


_PATTERNS = {form.name: _pattern(form.template) for form in FORMS}


def compose(name: str, /, **slots: str | int) -> str:
    """A sentence of that form. Names and titles are put in with their white space collapsed."""
    return _SLOT.sub(lambda m: collapse(str(slots[m[1]])), _BY_NAME[name].template)


def date_of(when: datetime | None) -> str | None:
    """The calendar date as the record has it, in the record's own offset."""
    return None if when is None else when.date().isoformat()


def runtime_name(runtime: str | None) -> str:
    """What a runtime is called in a sentence."""
    return RUNTIME_NAMES.get(runtime or "", runtime or "recorded")


def supported(opened: OpenedRecord, text: str) -> bool:
    """Whether ``text`` is a sentence of one of the forms and every slot of it is carried by the opened record."""
    return carrier(opened, text) is not None


def carrier(opened: OpenedRecord, text: str) -> Passage | None:
    """The passage of the record that carries the sentence; None where it is not supported."""
    for candidate in FORMS:
        if candidate.kind is not opened.key.kind:
            continue
        match = _PATTERNS[candidate.name].fullmatch(text)
        if match is not None and _record_carries(opened, candidate, slots := match.groupdict()):
            found = next((p for p in opened.passages if _passage_carries(opened, p, candidate, slots)), None)
            if found is not None:
                return found
    return None


def _record_carries(opened: OpenedRecord, candidate: Form, slots: Mapping[str, str]) -> bool:
    numbers = dict(opened.numbers)
    for slot, fact in candidate.numbers.items():
        if numbers.get(fact) != int(slots[slot]):
            return False
    if candidate.equal is not None:
        first, second = (numbers.get(fact) for fact in candidate.equal)
        if first is None or first != second:
            return False
        if candidate.single and first != 1:
            return False
    if "runtime" in slots and slots["runtime"] != runtime_name(opened.key.runtime):
        return False
    if "begun" in slots and slots["begun"] != date_of(opened.started):
        return False
    if "called" in slots and slots["called"] != collapse(opened.title):
        return False
    if "hash" in slots and not _names(opened, slots["hash"]):
        return False
    if candidate.name == "recorded then" and not (
        len(opened.hashes) == 2
        and all(h.startswith(slots[s]) for h, s in zip(opened.hashes, ("hash", "target"), strict=True))
    ):
        return False
    if "target" in slots and not any(h.startswith(slots["target"]) for h in opened.hashes if h != opened.key.id):
        return False
    return "path" not in slots or _has_path(opened, slots["path"])


def _names(opened: OpenedRecord, prefix: str) -> bool:
    if opened.key.kind is Kind.COMMIT:
        return opened.key.id.startswith(prefix)
    return any(h.startswith(prefix) for h in opened.hashes)


def _has_path(opened: OpenedRecord, path: str) -> bool:
    if opened.key.kind is Kind.DECISION:
        return path == collapse(opened.key.id)
    return any(collapse(known) == path for known in opened.paths)


def _passage_carries(opened: OpenedRecord, passage: Passage, candidate: Form, slots: Mapping[str, str]) -> bool:
    if candidate.roles and passage.role not in candidate.roles:
        return False
    if candidate.speakers and passage.speaker not in candidate.speakers:
        return False
    if "date" in slots:
        when = passage.when if opened.key.kind is Kind.CONVERSATION else (passage.when or opened.started)
        if slots["date"] != date_of(when):
            return False
    if "part" in slots and slots["part"] not in map(collapse, passage.under[-1:]):
        return False
    if "name" in slots and slots["name"] != collapse(opened.author or passage.name or ""):
        return False
    writer = WRITERS.get(passage.speaker, "")
    if not candidate.template.startswith("{writer}"):
        writer = writer[:1].lower() + writer[1:]
    if "writer" in slots and slots["writer"] != writer:
        return False
    if "title" in slots and slots["title"] != collapse(passage.text):
        return False
    return "quote" not in slots or is_quotation(passage.text, slots["quote"])
