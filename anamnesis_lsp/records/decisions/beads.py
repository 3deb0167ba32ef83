"""Issues of beads (``.beads/issues.jsonl``): one JSON object a line, read line by line.

Fields of an issue: ``id``, ``title``, ``status``, ``issue_type``, ``description``, ``design``, ``acceptance_criteria``,
``notes``, ``close_reason``, ``created_at``, ``updated_at``, ``closed_at``, ``labels``, ``dependencies`` (``issue_id``,
``depends_on_id``, ``type``), ``comments`` (``author``, ``text``, ``created_at``). A deleted one
stays as a ``tombstone``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any, BinaryIO, cast

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.records.decisions import markdown
from anamnesis_lsp.records.decisions.model import DecisionRecord, Form, Section, Sense, Standing
from anamnesis_lsp.records.decisions.vocabulary import standing
from anamnesis_lsp.records.evidence import Kind, RecordKey

MAX_LINE_BYTES = 16 << 20
_FIELDS: tuple[tuple[str, Sense], ...] = (
    ("description", Sense.CONTEXT),
    ("design", Sense.DECISION),
    ("acceptance_criteria", Sense.REQUIREMENTS),
    ("notes", Sense.OTHER),
    ("close_reason", Sense.DECISION),
    ("delete_reason", Sense.OTHER),
)
_STANDINGS = {
    "open": Standing.OPEN,
    "in_progress": Standing.OPEN,
    "hooked": Standing.OPEN,
    "blocked": Standing.OPEN,
    "deferred": Standing.OPEN,
    "closed": Standing.DONE,
    "tombstone": Standing.REJECTED,
}


def lines(file: BinaryIO, cancel: CancelToken) -> Iterator[tuple[int, bytes | None]]:
    """Each line with its number from 1; None for one that is too long, which is passed over without being held."""
    number = 0
    while chunk := file.readline(MAX_LINE_BYTES + 1):
        number += 1
        if number % 256 == 0:
            cancel.check()
        if len(chunk) <= MAX_LINE_BYTES or chunk.endswith(b"\n"):
            yield number, chunk
            continue
        while chunk and not chunk.endswith(b"\n"):
            cancel.check()
            chunk = file.readline(MAX_LINE_BYTES)
        yield number, None


def issues(
    key: RecordKey, path: str, file: BinaryIO, cancel: CancelToken, skipped: Callable[[int], None]
) -> Iterator[DecisionRecord]:
    """Every issue of the file. ``skipped`` is told the number of each line that is no issue."""
    for number, line in lines(file, cancel):
        record = None if line is None else issue(key, path, number, line)
        if record is not None:
            yield record
        elif line is None or line.strip():
            skipped(number)


def find(key: RecordKey, path: str, file: BinaryIO, wanted: str, cancel: CancelToken) -> DecisionRecord | None:
    """The issue of that id; of several lines with one id the last, as later lines replace earlier ones."""
    needle = json.dumps(wanted).encode()
    found: DecisionRecord | None = None
    for number, line in lines(file, cancel):
        if line is not None and needle in line:
            record = issue(key, path, number, line)
            if record is not None and record.ids[0] == wanted:
                found = record
    return found


def issue(key: RecordKey, path: str, number: int, line: bytes) -> DecisionRecord | None:
    """One issue of one line, or None where the line is not an object with an ``id``."""
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(data, dict):
        return None
    fields = cast(dict[str, Any], data)
    identity = _text(fields.get("id"))
    if not identity:
        return None
    status = _text(fields.get("status")) or None
    sections = tuple(_sections(fields, number))
    title = _text(fields.get("title")) or identity
    body = "\n\n".join((title, *(section.text for section in sections)))
    older, newer = _replaced(identity, fields)
    return DecisionRecord(
        key=RecordKey(Kind.DECISION, key.root, f"{path}#{identity}"),
        form=Form.ISSUE,
        title=title,
        title_line=number,
        status=status,
        status_line=number if status else None,
        standing=_STANDINGS.get(status or "", standing(status)),
        created=_when(fields.get("created_at")),
        updated=max((d for f in ("updated_at", "closed_at") if (d := _when(fields.get(f)))), default=None),
        day_only=False,
        supersedes=older,
        superseded_by=newer,
        sections=sections,
        ids=tuple(dict.fromkeys(i for i in (identity, _text(fields.get("external_ref"))) if i)),
        paths=markdown.paths(body),
        text=body,
    )


def _sections(fields: dict[str, Any], number: int) -> Iterator[Section]:
    for name, sense in _FIELDS:
        text = _text(fields.get(name)).replace("\r\n", "\n").strip("\n")
        if text.strip():
            yield Section(name, name, (number, number), text, sense)
    comments = fields.get("comments")
    if isinstance(comments, list):
        for n, comment in enumerate(cast(list[Any], comments), 1):
            if isinstance(comment, dict):
                one = cast(dict[str, Any], comment)
                text = _text(one.get("text") or one.get("body")).strip("\n")
                if text.strip():
                    author = _text(one.get("author") or one.get("created_by")) or None
                    yield Section(
                        "comment",
                        f"comment {n}",
                        (number, number),
                        text,
                        Sense.OTHER,
                        (),
                        author,
                        _when(one.get("created_at")),
                    )


def _replaced(identity: str, fields: dict[str, Any]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    older: list[str] = []
    newer: list[str] = []
    dependencies = fields.get("dependencies")
    for dependency in cast(list[Any], dependencies) if isinstance(dependencies, list) else []:
        if isinstance(dependency, dict):
            one = cast(dict[str, Any], dependency)
            other, kind = _text(one.get("depends_on_id")), _text(one.get("type"))
            if kind == "supersedes" and other and other != identity:
                older.append(other)
            elif (
                kind in ("superseded-by", "superseded_by", "duplicate-of", "duplicates") and other and other != identity
            ):
                newer.append(other)
    for name in ("superseded_by", "duplicate_of"):
        if other := _text(fields.get(name)):
            newer.append(other)
    return tuple(dict.fromkeys(older)), tuple(dict.fromkeys(newer))


def _text(value: object) -> str:
    """A JSON string that can be stored and shown (no lone surrogate), empty for anything else."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""


def _when(value: object) -> datetime | None:
    return markdown.when(_text(value)[:64])[0]
