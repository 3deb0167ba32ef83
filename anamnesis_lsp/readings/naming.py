"""By which names the records of a corpus are cited, and which of them are parts of one: by ids, paths and titles."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from anamnesis_lsp.index.rows import RecordRow
from anamnesis_lsp.readings.corpus import Corpus
from anamnesis_lsp.records.evidence import Kind
from anamnesis_lsp.records.identifiers import IdKind, identifiers


def spellings(kind: IdKind, value: str) -> Iterator[str]:
    """The keys of :func:`names_of` under which an identifier is looked up."""
    if kind in (IdKind.TASK, IdKind.ISSUE):
        number = value.rpartition("#")[2]
        yield f"number:{number.lstrip('0') or '0'}"
    elif kind is IdKind.SESSION:
        yield f"session:{value.casefold()}"
    else:
        yield f"id:{value.casefold()}"


def names_of(corpus: Corpus) -> dict[str, set[int]]:
    """Every spelling by which the records of a corpus may be cited, to the records: made once per corpus."""
    if corpus.names is None:
        made: dict[str, set[int]] = {}
        for record, row in corpus.rows.items():
            for name in _names_of_row(row):
                made.setdefault(name, set()).add(record)
        corpus.names = made
    return corpus.names


_NUMBERED = re.compile(r"(?:(?P<prefix>[A-Za-z]{2,5})[-_ #]?)?0*(?P<number>\d{1,6})(?=[-_. ]|$)")
_DAY = re.compile(r"\d{4}-\d\d")


def _names_of_row(row: RecordRow) -> Iterator[str]:
    path, _, part = row.key.id.partition("#")
    if row.kind is Kind.CONVERSATION:
        bare = re.sub(r"^\d{4}-\d\d-\d\d-(?=[0-9a-f]{8}-)", "", row.key.id)
        yield f"session:{row.key.id.casefold()}"
        yield f"session:{bare.casefold()}"
        for link in row.links:
            for identifier in identifiers(link):
                if identifier.kind is IdKind.SESSION:
                    yield f"session:{identifier.value.casefold()}"
        return
    yield f"path:{path}"
    if part:
        yield f"id:{part.casefold()}"
    for identifier in identifiers(row.title or "")[:2]:
        if identifier.start == 0:
            yield from spellings(identifier.kind, identifier.value)
    named = PurePosixPath(path)
    for text in (named.name, named.parent.name):
        match = _NUMBERED.match(text)
        if match is None or _DAY.match(text):
            continue
        number = match["number"]
        prefix = (match["prefix"] or "").upper()
        folders = {folder.lower() for folder in named.parts[:-1]}
        if prefix in ("ADR", "MADR") or (not prefix and folders & {"adr", "adrs", "decisions", "decision"}):
            yield f"id:adr-{number}"
        elif prefix == "RFC" or (not prefix and folders & {"rfc", "rfcs"}):
            yield f"id:rfc-{number}"
        else:
            yield f"number:{number}"
        break


def families(corpus: Corpus) -> dict[int, str]:
    """What each record is a part of: files of one task or decision share its number; any other is its own family."""
    if corpus.families is None:
        corpus.families = {record: _family(row) for record, row in corpus.rows.items()}
    return corpus.families


def _family(row: RecordRow) -> str:
    if row.kind is Kind.DECISION and "#" not in row.key.id.rpartition("/")[2]:
        return next((name for name in _names_of_row(row) if name.startswith(("number:", "id:"))), row.key.id)
    return row.key.id
