"""The door to decision records: ADRs, task and plan files, RFCs, change-log entries, issues of beads.

Promises: plain reads inside the root only, every text exactly as the record has it with its lines, dates only where the
record itself has them. May not: run git (first and last commit times are added by others), judge relevance, or write.
Raises ``AnamnesisError``: ``storeUnreadable``, ``recordGone``, ``permissionDenied``, ``outputTooLarge``,
``outsideRoot``.

Ids (``WIRE.md``): the file's path relative to the root; ``#part`` where one file holds several records: the version of
a change log, ``.beads/issues.jsonl#bd-a1b2``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.records import plain
from anamnesis_lsp.records.decisions import beads, changelog, markdown
from anamnesis_lsp.records.decisions.model import (
    DecisionRecord,
    DecisionSource,
    Form,
    Section,
    Sense,
    Standing,
)
from anamnesis_lsp.records.decisions.store import (
    MAX_RECORD_BYTES,
    DecisionStore,
    form_of,
    given_store,
    may_hold_records,
    repository_stores,
    sources,
)
from anamnesis_lsp.records.evidence import Kind, NotOpened, OpenedRecord, Passage, RecordKey, Span, Speaker

__all__ = [
    "MAX_RECORD_BYTES",
    "DecisionRead",
    "DecisionRecord",
    "DecisionSource",
    "DecisionStore",
    "Form",
    "Section",
    "Sense",
    "Standing",
    "decision_sources",
    "form_of",
    "given_store",
    "iter_decisions",
    "open_decision",
    "read_decision",
    "read_source",
    "repository_stores",
]

_REASONED = (Sense.CONTEXT, Sense.DECISION, Sense.REASON, Sense.ALTERNATIVES, Sense.CONSEQUENCES)


@dataclass(slots=True)
class DecisionRead:
    """What reading a store left out, filled while it is iterated."""

    skipped_lines: int = 0
    """Lines of issue files that are no issue."""
    not_opened: tuple[NotOpened, ...] = ()
    """Files that could not be read, with the reason."""


def decision_sources(store: DecisionStore, cancel: CancelToken) -> Iterator[DecisionSource]:
    """Every file of records of a store with its size and mtime, without reading any: for an incremental index."""
    return sources(store, cancel)


def iter_decisions(
    store: DecisionStore, cancel: CancelToken, left_out: DecisionRead | None = None
) -> Iterator[DecisionRecord]:
    """Every decision record of a store. What cannot be read is told in ``left_out`` and passed over."""
    told = left_out if left_out is not None else DecisionRead()
    for source in sources(store, cancel):
        try:
            yield from read_source(store, source, cancel, told)
        except AnamnesisError as error:
            told.not_opened += (NotOpened(RecordKey(Kind.DECISION, store.root, source.path), error.message),)


def read_source(
    store: DecisionStore, source: DecisionSource, cancel: CancelToken, left_out: DecisionRead | None = None
) -> Iterator[DecisionRecord]:
    """The records of one file. Raises what :func:`anamnesis_lsp.records.plain.read_confined` raises."""
    told = left_out if left_out is not None else DecisionRead()

    def skip(_line: int) -> None:
        told.skipped_lines += 1

    yield from _records(store.root, source.path, source.form, cancel, skip)


def read_decision(root: Path, identity: str, cancel: CancelToken) -> DecisionRecord:
    """One record by its id, read again. Raises ``recordGone`` where the file or its part is not there any more."""
    base = Path(os.path.realpath(root))
    path, part = _split(base, identity)
    if not may_hold_records(path):
        raise AnamnesisError(
            ErrorCode.RECORD_GONE, f"{path} is no decision record.", "Open a record as a story or a search names it."
        )
    form = form_of(path) or Form.NOTE
    if form is Form.ISSUE and part is not None:
        with plain.open_regular(plain.confined(base, path)) as file:
            found = beads.find(RecordKey(Kind.DECISION, base, identity), path, file, part, cancel)
        if found is not None:
            return found
    else:
        records = list(_records(base, path, form, cancel, lambda _line: None))
        for record in records:
            if record.key.id == identity or (part is None and len(records) == 1):
                return record
    raise AnamnesisError(
        ErrorCode.RECORD_GONE,
        f"{path} has no entry {part or identity!r} any more.",
        "Open the file itself; its entries may have been renamed.",
    )


def open_decision(root: Path, identity: str, part: str | None, cancel: CancelToken) -> OpenedRecord:
    """A record opened now: its title, its status, and the section ``part`` (all of them where it is None).

    ``identity`` may leave out the ``#entry`` and have it in ``part`` instead, as a locator does. Raises as
    :func:`read_decision`; ``recordGone`` also where the section is not there any more.
    """
    record, part = _resolve(root, identity, part, cancel)
    chosen = record.sections if part is None else tuple(s for s in record.sections if part in (s.part, s.name))
    if part is not None and not chosen:
        raise AnamnesisError(
            ErrorCode.RECORD_GONE,
            f"{record.key.id} has no section {part!r} any more.",
            "Open the whole record; its headings may have been changed.",
        )
    passages = [Passage(record.title, Speaker.DOCUMENT, None, record.created, _at(record.title_line), "title")]
    if record.status:
        passages.append(
            Passage(record.status, Speaker.DOCUMENT, None, record.created, _at(record.status_line), "status")
        )
    for section in chosen:
        role = "reason" if section.sense in _REASONED else "section"
        when = section.when or record.created
        under = (*section.within, *((section.name,) if section.name else ()))
        at = Span(lines=section.lines)
        passages.append(Passage(section.text, Speaker.DOCUMENT, section.speaker, when, at, role, under))
    return OpenedRecord(
        key=record.key,
        title=record.title,
        started=record.created,
        ended=record.updated,
        author=None,
        passages=tuple(passages),
        paths=record.paths if part is None else markdown.paths("\n".join(s.text for s in chosen)),
        hashes=tuple(dict.fromkeys(re.findall(r"(?<![\w-])(?:[0-9a-f]{64}|[0-9a-f]{40})(?![\w-])", record.text))),
        numbers=(("sections", len(record.sections)),),
        clock="day" if record.day_only and record.created is not None else "",
    )


def _resolve(root: Path, identity: str, part: str | None, cancel: CancelToken) -> tuple[DecisionRecord, str | None]:
    if part is not None:
        try:
            return read_decision(root, f"{identity}#{part}", cancel), None
        except AnamnesisError as error:
            if error.code is not ErrorCode.RECORD_GONE:
                raise
    return read_decision(root, identity, cancel), part


def _records(
    root: Path, path: str, form: Form, cancel: CancelToken, skip: Callable[[int], None]
) -> Iterator[DecisionRecord]:
    key = RecordKey(Kind.DECISION, root, path)
    if form is Form.ISSUE:
        with plain.open_regular(plain.confined(root, path)) as file:
            yield from beads.issues(key, path, file, cancel, skip)
        return
    text = plain.decode(plain.read_confined(root, path, MAX_RECORD_BYTES))
    if form is Form.CHANGELOG:
        yield from changelog.entries(key, path, text)
    elif text.strip():
        yield markdown.parse(key, path, text, form)


def _split(base: Path, identity: str) -> tuple[str, str | None]:
    """Path and part of an id. A path may itself hold ``#``: the longest that is a file wins."""
    path, part = identity, None
    while True:
        try:
            if plain.confined(base, path).is_file():
                return path, part
        except (OSError, ValueError):
            pass
        head, mark, tail = path.rpartition("#")
        if not mark:
            raise AnamnesisError(
                ErrorCode.RECORD_GONE,
                f"{identity} is no longer there.",
                "Refresh the index, or check that the file has not moved.",
            )
        path, part = head, tail if part is None else f"{tail}#{part}"


def _at(line: int | None) -> Span:
    return Span() if line is None else Span(lines=(line, line))
