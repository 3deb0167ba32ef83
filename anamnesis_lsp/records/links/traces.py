"""Agent Trace: files of a work tree that say which conversation which lines are from."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.records import plain
from anamnesis_lsp.records.conversations.jsonl import JsonLines, object_of, objects_of, text_of
from anamnesis_lsp.records.conversations.times import moment
from anamnesis_lsp.records.identifiers import canonical_session
from anamnesis_lsp.records.links.foreign import runtime_of
from anamnesis_lsp.records.links.model import Link, LinkKind, Place


@dataclass(frozen=True, slots=True)
class Trace:
    """One entry of an Agent Trace file: lines of a file at a revision, and the conversation they are from."""

    revision: str | None
    when: datetime | None
    tool: str | None
    contributor: str | None
    """``ai``, ``human``, ``mixed`` or ``unknown``, as recorded."""
    link: Link


def agent_traces(root: Path, cancel: CancelToken) -> Iterator[Trace]:
    """The entries of ``.agent-trace/*.jsonl`` in a work tree, streaming; lines that are no trace are passed over."""
    for file in plain.walk(root, ".agent-trace", cancel, skip=frozenset(), depth=1):
        if not file.path.endswith(".jsonl"):
            continue
        for _, record in JsonLines(plain.confined(root, file.path), cancel):
            revision = text_of(object_of(record.get("vcs")).get("revision"))
            tool = text_of(object_of(record.get("tool")).get("name"))
            when = moment(record.get("timestamp"))
            for touched in objects_of(record.get("files")):
                path = text_of(touched.get("path"))
                for conversation in objects_of(touched.get("conversations")) if path else []:
                    yield from _of_conversation(conversation, path or "", file.path, revision, when, tool)


def _of_conversation(
    conversation: dict[str, Any], path: str, where: str, revision: str | None, when: datetime | None, tool: str | None
) -> Iterator[Trace]:
    url = text_of(conversation.get("url")) or text_of(conversation.get("id"))
    if not url:
        return
    spans = tuple(
        (start, end)
        for one in objects_of(conversation.get("ranges"))
        if isinstance(start := one.get("start_line"), int)
        and isinstance(end := one.get("end_line", start), int)
        and 1 <= start <= end
    )
    contributor = text_of(object_of(conversation.get("contributor")).get("type"))
    value = canonical_session(url) if "claude.ai" in url else url.removeprefix("file://")
    stem = re.search(r"([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22,27})(?:\.jsonl)?\Z", value)
    value = stem[1] if stem else value
    link = Link(LinkKind.SESSION, value, Place.TRACE, where, url, runtime_of(tool), path=path, lines=spans)
    yield Trace(revision, when, tool, contributor, link)
