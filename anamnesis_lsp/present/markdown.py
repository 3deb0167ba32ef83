"""A round as text: for a virtual document, for the result of a command, for a terminal, for the clipboard.

The order is fixed by ``contract/NOTES.md``, *The presentation*: how the cue was read, the story, the records, what did
not open, the adjacent candidates, the qualifications, the doubts, and the line that this took place and may no longer
hold. Everything that comes from a record is escaped here; what is written without escaping is our own.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from typing import Literal

from anamnesis_lsp.present import escape, records
from anamnesis_lsp.present.page import MARKDOWN, PLAIN, Document, Page, Ref, Style, Target
from anamnesis_lsp.present.round import (
    AdjacentShown,
    MemberShown,
    QualificationShown,
    RecordShown,
    Round,
    SearchedShown,
)

CURRENCY = "This tells what took place, as the records have it. It may no longer hold."
AXES_SHOWN = 6

CopyForm = Literal["markdown", "commit", "comment"]

_WHOLES = {"session": "one session", "line": "a line of work", "topic": "a topic", "concept": "a settled idea"}
_READINGS = {
    "fresh": "Read as a new recall.",
    "continuing": "Read as going on with this recall.",
    "correction": "Read as a correction.",
    "rejection": "Read as: not that one.",
    "more_cue": "Read as more of what you remember.",
    "place_to_look": "Read as a place to look.",
    "form": "Read as a wish about the form: nothing was searched.",
    "question_about_shown": "Read as a question about what was shown.",
    "elsewhere": "Read as being about another past.",
}
_SOURCES = {
    "text": "your words",
    "comment": "the comment",
    "selection": "the selection",
    "earlier": "what you said before",
}
_SCOPED = frozenset({"unresolved", "stopped", "holding"})


def recall_uri(recall: str) -> str:
    """The locator of a recall's last round."""
    from anamnesis_lsp.present.locators import Locator

    return str(Locator("recall", id=recall))


def scope_uri(recall: str) -> str:
    """The locator of a recall's scope report."""
    from anamnesis_lsp.present.locators import Locator

    return str(Locator("scope", id=recall))


def render_round(shown: Round, target: Target | None = None) -> str:
    """The round as Markdown."""
    return round_document(shown, target).text


def render_round_plain(shown: Round) -> str:
    """The round as plain text, for clients and pipes without Markdown."""
    return plain_document(shown).text


def round_document(shown: Round, target: Target | None = None) -> Document:
    """The round as a document with its links and outline."""
    return _round_page(shown, Page(MARKDOWN, target)).finish(recall_uri(shown.recall))


def plain_document(shown: Round) -> Document:
    """The round as a document without marks, to be listened to."""
    return _round_page(shown, Page(PLAIN)).finish(recall_uri(shown.recall))


def scope_document(shown: Round, target: Target | None = None, style: Style = MARKDOWN) -> Document:
    """The scope report of a recall as a document."""
    page = Page(style, target)
    page.heading(1, "What was searched", "page")
    page.paragraph(*_cue_line(page.style, shown))
    _scope(page, shown)
    _qualifications(page, shown.qualifications, shown.records)
    page.paragraph("Back to ", Ref("the story", recall_uri(shown.recall), "the last round of this recall"), ".")
    return page.finish(scope_uri(shown.recall))


def render_scope(shown: Round) -> str:
    """The scope report as Markdown."""
    return scope_document(shown).text


def _round_page(shown: Round, page: Page) -> Page:
    page.heading(1, _title(shown), "page")
    page.paragraph(*_cue_line(page.style, shown))
    _reading(page, shown)
    for line in shown.notes:
        page.paragraph(page.style.inline(line, records.SENTENCE_LIMIT))
    _opening(page, shown)
    _story(page, shown)
    _records(page, shown.records)
    _not_opened(page, shown)
    _adjacent(page, shown.adjacent)
    _qualifications(page, shown.qualifications, shown.records)
    if shown.dissent:
        page.heading(2, "Doubts", "section")
        for doubt in shown.dissent:
            page.write("- ", page.style.inline(doubt, 400))
    _trace(page, shown)
    if _scoped(shown):
        _scope(page, shown)
    page.blank()
    page.close_sections()
    if not _scoped(shown) and shown.outcome != "expansion" and shown.expansion is not None:
        page.paragraph(*_expansion(page.style, shown))
    if shown.story:
        page.paragraph(CURRENCY)
    _closing(page, shown)
    return page


def _scoped(shown: Round) -> bool:
    return shown.outcome in _SCOPED if shown.with_scope is None else shown.with_scope


def _trace(page: Page, shown: Round) -> None:
    if not shown.trace:
        return
    page.heading(2, "How it came to this", "section", aside=True)
    for number, line in enumerate(shown.trace, 1):
        page.write(f"{number}. ", page.style.inline(line, 500))
    page.blank()


def _title(shown: Round) -> str:
    return {
        "presented": "Why is this here?",
        "asked": "What do you remember of it?",
        "expansion": "Search further?",
        "unresolved": "Not found in what was searched",
        "identified": "Recalled",
        "stopped": "Ended",
        "holding": "Kept for later",
        "answered": "Answered",
        "notActivated": "Nothing to recall here",
    }[shown.outcome]


def _cue_line(style: Style, shown: Round) -> list[str | Ref]:
    cue = shown.cue
    if not cue.meant.strip():
        return ["You are looking for something not yet said."]
    whole = cue.whole
    name = style.inline(next(iter(whole.values()), ""), 60) if isinstance(whole, dict) else _WHOLES.get(whole, "")
    line = f"You are looking for {style.quoted(cue.meant, 300)}"
    if name:
        line += f", as {name}"
    told = [axis for axis in cue.axes if not _says(cue.meant, axis.value)]
    axes = [
        f"{style.inline(axis.kind, 30)} {style.code(axis.value, 80)} from {_SOURCES.get(axis.source, 'what you said')}"
        for axis in told[:AXES_SHOWN]
    ]
    if axes:
        more = len(told) - AXES_SHOWN
        line += "; by " + ", ".join(axes) + (f" and {more} more" if more > 0 else "")
    return [line + "."]


def _says(meant: str, value: str) -> bool:
    """Whether what is meant names a place (``path:first-last``) already."""
    path, _, lines = value.rpartition(":")
    first, mark, last = lines.partition("-")
    return bool(mark) and (f"line {first} of {path}" if first == last else f"lines {lines} of {path}") in meant


def _reading(page: Page, shown: Round) -> None:
    reading = shown.reading
    if reading is None or reading.kind not in _READINGS:
        return
    words = ", ".join(page.style.quoted(word, 80) for word in reading.words[:3])
    page.paragraph(_READINGS[reading.kind] + (f" It rests on {words}." if words else ""))


def _opening(page: Page, shown: Round) -> None:
    if shown.outcome == "asked" and not shown.notes:
        page.paragraph("When was it, roughly? Who was in it? A word that was used, or another file, helps as well.")
    elif shown.outcome == "expansion" and shown.expansion is not None:
        page.paragraph(*_expansion(page.style, shown))
    elif shown.outcome == "unresolved":
        page.paragraph("No record was found that this can be told from. What was searched stands below.")
    elif shown.outcome == "holding":
        page.paragraph("This recall is kept as it stands, and can be taken up again.")
        _reached(page, shown)


def _reached(page: Page, shown: Round) -> None:
    reached = shown.reached
    if reached is None:
        return
    name = page.style.quoted(reached.name, 160) if reached.name else "a new recall"
    if reached.recall is None:
        page.paragraph("Read as reaching another past. Say what you remember of it to begin a recall of it.")
        return
    link = Ref("its last round", recall_uri(reached.recall), "the recall that was taken up")
    page.paragraph("Taken up instead: ", name, ", see ", link, ".")


def _story(page: Page, shown: Round) -> None:
    if not shown.story:
        return
    page.heading(2, "Story", "section")
    before: tuple[int, ...] | None = None
    for sentence in shown.story:
        if before is not None and sentence.cites != before:  # a paragraph for each record
            page.blank()
        before = sentence.cites
        page.write(*records.sentence(page.style, sentence, shown.records))
    page.blank()
    leading = shown.recognizables[0] if shown.recognizables else None
    if leading is not None and leading.joins.strip() and len(leading.members) > 1:
        page.paragraph("Why these records belong together: ", page.style.inline(leading.joins, 400).rstrip("."), ".")
    if leading is not None and len(shown.recognizables) > 1 and leading.confidence < 0.5:
        page.paragraph("Another candidate is close: this may not be the one you mean.")


def _records(page: Page, shown: Sequence[RecordShown]) -> None:
    opened = [record for record in shown if record.opened]
    if not opened:
        return
    page.heading(2, "Records", "section")
    for record in opened:
        page.symbol(
            f"{record.n}. {records.kind_name(record.member)} {records.short_id(record.member)}",
            "record",
            2,
            record.member.gist,
        )
        page.write("- ", records.cite(page.style, record), " ", *_record_line(page.style, record))
        _handle(page, record.member)
    page.blank()


def _record_line(style: Style, record: RecordShown) -> Iterable[str]:
    yield records.naming(style, record.member)
    if record.speaker:
        yield f" · {style.inline(records.speaker_name(record.speaker), 80)}"
    if record.when:
        yield f" · {style.inline(records.shown_time(record.when, record.clock), 40)}"
    if record.span:
        yield f" · {style.code(record.span, 160)}"
    if record.member.root:
        yield f" · in {style.code(records.shown_root(record.member.root), 160)}"


def _handle(page: Page, member: MemberShown) -> None:
    if member.handle:
        line = f"  - reopen: {page.style.code(member.handle, 400)}"
        page.write(line + (f" ({page.style.inline(member.handle_note, 300)})" if member.handle_note else ""))
    elif member.handle_note:
        page.write(f"  - {page.style.inline(member.handle_note, 300)}")


def _not_opened(page: Page, shown: Round) -> None:
    missing = [record for record in shown.records if not record.opened]
    if not missing:
        return
    page.heading(2, "Found, but not opened", "section", aside=True)
    for record in missing:
        why = f": {page.style.inline(record.why_not, 300)}" if record.why_not else ""
        page.write("- ", records.cite(page.style, record), " ", records.naming(page.style, record.member), why)
    page.blank()


def _adjacent(page: Page, shown: Sequence[AdjacentShown]) -> None:
    if not shown:
        return
    page.heading(2, "Near it", "section", aside=True)
    page.paragraph("Other past that was met, in case it is meant instead:")
    for candidate in shown:
        page.write("- ", page.style.quoted(candidate.name, 160), " (you ruled it out)" if candidate.rejected else "")
    page.blank()


def _qualifications(page: Page, shown: Sequence[QualificationShown], cited: Sequence[RecordShown]) -> None:
    if not shown:
        return
    page.heading(2, "How completely the records were read", "section", aside=True)
    by_number = {record.n: record for record in cited}
    for qualification in shown:
        record = by_number.get(qualification.n)
        head: list[str | Ref] = [records.cite(page.style, record), " "] if record is not None else []
        details = "; ".join(_evidence(page.style, qualification))
        page.write("- ", *head, page.style.inline(qualification.finding, 300), f" ({details})" if details else "")
    page.blank()


def _evidence(style: Style, shown: QualificationShown) -> Iterable[str]:
    for reach in shown.reach:
        if reach.state is None:
            yield f"{style.inline(reach.extractor, 40)}: not recorded"
        elif reach.state not in ("succeeded", "empty") or reach.omitted:
            omitted = f", {_number(reach.omitted)} characters not received" if reach.omitted else ""
            yield f"{style.inline(reach.extractor, 40)}: {style.inline(reach.state, 40)}{omitted}"
    counts = (
        ("line that did not parse", "lines that did not parse", shown.skipped_lines),
        ("turn of the person missing", "turns of the person missing", shown.unverified_person_turns),
        ("character left out", "characters left out", shown.omitted_chars),
    )
    for one, many, count in counts:
        if count:
            yield f"{_number(count)} {one if count == 1 else many}"
    unknown = [many for _, many, count in counts if count is None]
    if unknown:
        yield "not counted: " + ", ".join(unknown)


def _number(value: int) -> str:
    return f"{value:,}"


def _expansion(style: Style, shown: Round) -> list[str | Ref]:
    assert shown.expansion is not None
    cost = f" ({style.inline(shown.expansion.cost, 120)})" if shown.expansion.cost else ""
    return [f"Not searched yet: {style.inline(shown.expansion.reach, 400)}{cost}. Say so to have it searched."]


def _scope(page: Page, shown: Round) -> None:
    page.heading(2, "Scope", "section")
    if not shown.searched:
        page.paragraph("Nothing was searched.")
    for searched in shown.searched:
        _searched(page, searched)
    page.blank()
    if shown.expansion is not None:
        page.paragraph(*_expansion(page.style, shown))


def _searched(page: Page, shown: SearchedShown) -> None:
    style = page.style
    if not shown.how and not shown.examined and shown.not_searched:
        where = f" in {style.code(shown.root, 200)}" if shown.root else ""
        page.write(f"- {style.inline(shown.kind, 60)}{where}: not searched: {style.inline(shown.not_searched, 400)}")
        return
    of = "" if shown.of is None else f" of {_number(shown.of)}"
    unknown = " (how many there are is not known)" if shown.of is None else ""
    times = [records.shown_time(time) if time else "unknown" for time in (shown.since, shown.until)]
    line = f"- {style.inline(shown.kind, 60)} in {style.code(shown.root, 200)}: {_number(shown.examined)}{of} examined"
    line += unknown
    if shown.since or shown.until:
        line += f", from {style.inline(times[0], 40)} to {style.inline(times[1], 40)}"
    if shown.how:
        line += f"; {style.inline(shown.how, 300)}"
    page.write(line)
    if shown.not_searched:
        page.write(f"  - not searched: {style.inline(shown.not_searched, 400)}")
    if shown.not_opened:
        names = ", ".join(style.code(identity, 80) for identity in shown.not_opened[:20])
        more = len(shown.not_opened) - 20
        page.write(f"  - found, but not opened: {names}" + (f" and {more} more" if more > 0 else ""))


def _closing(page: Page, shown: Round) -> None:
    parts: list[str | Ref] = []
    if shown.outcome == "presented":
        parts.append("Is this it? Say so, correct it, or add what you remember. ")
    if shown.searched and not _scoped(shown):
        parts += [
            "See also ",
            Ref("what was searched", scope_uri(shown.recall), "the scope report of this recall"),
            ".",
        ]
    if parts:
        page.paragraph(*parts)


# --- the recalled context, for a chat, a commit message or a comment -------------------------------------------------


def copy_context(shown: Round, form: CopyForm, path: str | None = None) -> str:
    """The recalled context as text to paste. ``path`` chooses the comment's marks by its suffix.

    ``markdown`` names records by id and handle (locators mean nothing on another machine); ``commit`` is plain text in
    72 columns whose record text never begins a line, so that none can pass for a trailer; ``comment`` is line comments.
    """
    if form == "markdown":
        return _context_markdown(shown)
    lines = list(_context_lines(shown, 72 if form == "commit" else 88))
    if form == "commit":
        return "\n".join(lines) + "\n"
    before, after = _comment_marks(path)
    closing = after.strip()
    lines = [line for line in lines if line or not after]
    return "\n".join(f"{before}{_uncommented(line, closing)}{after}".rstrip() for line in lines) + "\n"


def _context_markdown(shown: Round) -> str:
    style = MARKDOWN
    lines = ["**Recalled context**", "", "".join(str(part) for part in _cue_line(style, shown)), ""]
    for sentence in shown.story:
        cites = "".join(f" \\[{n}\\]" for n in sentence.cites)
        lines.append(f"- {style.inline(sentence.text, records.SENTENCE_LIMIT)}{cites}")
    lines.append("")
    for record in shown.records:
        handle = f", reopen with {style.code(record.member.handle, 400)}" if record.member.handle else ""
        state = "" if record.opened else ", not opened"
        lines.append(f"- \\[{record.n}\\] {records.note(style, record)}{handle}{state}")
    lines += [f"- Of \\[{q.n}\\]: {style.inline(q.finding, 300)}" for q in shown.qualifications]
    lines += [f"- Doubt: {style.inline(doubt, 400)}" for doubt in shown.dissent]
    return "\n".join([*lines, "", CURRENCY, ""])


def _context_lines(shown: Round, width: int) -> Iterable[str]:
    def item(text: str) -> list[str]:
        return textwrap.wrap(
            text, width, initial_indent="- ", subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
        )

    yield "Recalled:"
    for sentence in shown.story:
        cites = "".join(f" [{n}]" for n in sentence.cites)
        yield from item(escape.plain(sentence.text, records.SENTENCE_LIMIT) + cites)
    for record in shown.records:
        yield from item(f"[{record.n}] {records.note(PLAIN, record)}" + ("" if record.opened else " (not opened)"))
    for doubt in shown.dissent:
        yield from item("Doubt: " + escape.plain(doubt, 400))
    yield ""
    yield from textwrap.wrap(CURRENCY, width)


_MARKS = (
    ("// ", "", "c cc cpp cs cxx dart go h hpp java js jsx kt kts m mjs mm php proto rs scala swift ts tsx v zig"),
    ("-- ", "", "ada adb ads elm hs lua sql vhd"),
    (";; ", "", "clj cljs el lisp scm rkt"),
    ("% ", "", "erl tex sty bib"),
    ("<!-- ", " -->", "html htm md svg vue xml"),
    ("/* ", " */", "css less scss"),
    ("(* ", " *)", "ml mli fs fsi"),
    ('" ', "", "vim"),
)
"""How a comment line begins and ends, by the suffixes of the files it belongs in; ``# `` elsewhere."""


def _comment_marks(path: str | None) -> tuple[str, str]:
    suffix = "" if path is None or "." not in path.rsplit("/", 1)[-1] else path.rsplit(".", 1)[-1].lower()
    return next(((before, after) for before, after, suffixes in _MARKS if suffix in suffixes.split()), ("# ", ""))


def _uncommented(line: str, closing: str) -> str:
    return line.replace(closing, " ".join(closing)) if closing else line
