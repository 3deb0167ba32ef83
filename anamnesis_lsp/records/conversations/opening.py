"""Opening one conversation, now, at its own source: the only way by which its words become evidence."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.records.conversations.handles import safe
from anamnesis_lsp.records.conversations.model import Handle, Head, Scan, Source, Turn
from anamnesis_lsp.records.conversations.registry import runtime


@dataclass(frozen=True, slots=True)
class OpenedConversation:
    """A conversation as it was read just now."""

    source: Source
    head: Head
    scan: Scan
    total: int
    """Turns in the whole record."""
    turns: tuple[Turn, ...]
    """The turns that were asked for, in the order of the record; one that does not exist is not here."""
    handle: Handle


def open_conversation(source: Source, wanted: Collection[int] | None, cancel: CancelToken) -> OpenedConversation:
    """Read the source again and keep the turns numbered in ``wanted`` (None: all of them).

    Raises ``recordGone``, ``storeUnreadable``, ``permissionDenied``, ``Cancelled``.
    """
    reader = runtime(source.runtime)
    reading = reader.read(source, cancel)
    keep = None if wanted is None else frozenset(wanted)
    total = 0
    turns: list[Turn] = []
    for turn in reading:
        total = turn.n
        if keep is None or turn.n in keep:
            turns.append(turn)
    handle = safe(reader.handle(source, reading.head))
    return OpenedConversation(source, reading.head, reading.scan, total, tuple(turns), handle)


def find_source(kind: str, root: Path, identity: str, cancel: CancelToken) -> Source:
    """The conversation of that id under ``root``. Raises ``recordGone``, ``storeUnknown``, ``storeUnreadable``."""
    for source in runtime(kind).sources(root, cancel):
        if source.id == identity:
            return source
    raise AnamnesisError(
        ErrorCode.RECORD_GONE,
        f"{root} holds no conversation '{identity[:120]}' (any more).",
        "The assistant may have cleaned it up. Search again to see what is left.",
    )
