"""Notes on commits: git-ai's authorship notes, line by line, and identifiers in notes of other refs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.records import plain
from anamnesis_lsp.records.conversations.jsonl import object_of, text_of
from anamnesis_lsp.records.git.model import Ref
from anamnesis_lsp.records.links.foreign import object_in, runtime_of
from anamnesis_lsp.records.links.messages import text_links
from anamnesis_lsp.records.links.model import GitTrees, Link, LinkKind, Place

AI_NOTES = "refs/notes/ai"
_MAX_NOTE = 8 << 20


@dataclass(frozen=True, slots=True)
class NotedLines:
    """Lines of a file that a git-ai note attributes to one conversation (or to one prompt of it)."""

    path: str
    lines: tuple[tuple[int, int], ...]
    session_id: str | None
    """The runtime's own id; None where the note gives only its own key."""
    tool: str | None
    model: str | None
    author: str | None
    text: str


def git_ai_note(text: str) -> list[NotedLines]:
    """The attestations of an authorship note: ``path``, then indented ``key ranges`` lines, ``---``, metadata as JSON.

    What does not follow the form is passed over.
    """
    head, _, tail = f"\n{text}".partition("\n---")
    metadata = object_in(tail.lstrip("-").strip().encode("utf-8", "replace")) or {}
    people = {**object_of(metadata.get("prompts")), **object_of(metadata.get("sessions"))}
    found: list[NotedLines] = []
    path = ""
    for line in head.split("\n"):
        if not line.strip():
            continue
        if line[:1] not in (" ", "\t"):
            path = line.strip().strip('"')
            continue
        key, _, ranges = line.strip().partition(" ")
        spans = tuple(_spans(ranges))
        if not path or not spans:
            continue
        record = object_of(people.get(key) or people.get(key.partition("::")[0]))
        agent = object_of(record.get("agent_id"))
        found.append(
            NotedLines(
                path,
                spans,
                text_of(agent.get("id")),
                text_of(agent.get("tool")),
                text_of(agent.get("model")),
                text_of(record.get("human_author")),
                line.strip(),
            )
        )
    return found


def note_links(repository: GitTrees, commit: str, cancel: CancelToken, refs: Sequence[Ref] | None = None) -> list[Link]:
    """The links that notes on ``commit`` record: git-ai's line ranges, and the identifiers in notes of other refs."""
    links: list[Link] = []
    for ref in refs if refs is not None else repository.refs(cancel):
        if not ref.name.startswith("refs/notes/") or ref.type != "commit":
            continue
        cancel.check()
        text = _note(repository, ref.hash, commit, cancel)
        if text is None:
            continue
        if ref.name != AI_NOTES and "authorship/" not in text:
            links += text_links(text, Place.NOTE, ref.name)
            continue
        for noted in git_ai_note(text):
            if noted.session_id:
                runtime = runtime_of(noted.tool)
                links.append(
                    Link(
                        LinkKind.SESSION,
                        noted.session_id,
                        Place.NOTE,
                        ref.name,
                        noted.text,
                        runtime,
                        path=noted.path,
                        lines=noted.lines,
                    )
                )
    return links


def _note(repository: GitTrees, ref: str, commit: str, cancel: CancelToken) -> str | None:
    """A note lies under the commit's hash, or with its first pairs of digits as folders where there are many."""
    for fan in range(4):
        parts = [commit[n * 2 : n * 2 + 2] for n in range(fan)]
        try:
            raw = repository.file(ref, "/".join([*parts, commit[fan * 2 :]]), cancel)
        except AnamnesisError as error:
            if error.code in (ErrorCode.FILE_MISSING, ErrorCode.OBJECT_MISSING, ErrorCode.OUTPUT_TOO_LARGE):
                continue
            raise
        return plain.decode(raw[:_MAX_NOTE])
    return None


def _spans(ranges: str) -> Iterator[tuple[int, int]]:
    for part in ranges.split(","):
        match = re.fullmatch(r"\s*(\d{1,9})(?:-(\d{1,9}))?\s*", part)
        if match is not None:
            start, end = int(match[1]), int(match[2] or match[1])
            if 1 <= start <= end:
                yield start, end
