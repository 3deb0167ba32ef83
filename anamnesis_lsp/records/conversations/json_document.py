"""Small whole files of JSON beside conversations: settings, registries, descriptions. Read at once, so with a cap."""

from __future__ import annotations

from pathlib import Path

from anamnesis_lsp.errors import AnamnesisError
from anamnesis_lsp.records.conversations.jsonl import JsonObject, object_of, open_log, parse
from anamnesis_lsp.records.conversations.model import MAX_LINE_BYTES
from anamnesis_lsp.records.conversations.stores import unreadable

_SMALL = 1 << 20


def json_document(path: Path, limit: int = MAX_LINE_BYTES) -> object:
    """The JSON value of a file. Raises ``recordGone``, ``permissionDenied``, ``storeUnreadable``."""
    with open_log(path) as file:
        try:
            data = file.read(limit + 1)
        except OSError as error:
            raise unreadable(path, error) from error
    if len(data) > limit:
        raise unreadable(path, f"it is larger than the {limit >> 10} KiB that are read of one document")
    try:
        return parse(data.removeprefix(b"\xef\xbb\xbf").strip(b"\0 \t\r\n"))
    except ValueError as error:
        raise unreadable(path, "it is not JSON, or was not written whole") from error


def small_object(path: Path, limit: int = _SMALL) -> JsonObject:
    """The object of a small file; an empty one where there is none that can be read."""
    try:
        return object_of(json_document(path, limit))
    except AnamnesisError:
        return {}
