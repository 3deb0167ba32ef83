"""Records in a line: what a record is, where it is, how to reopen it, and a sentence with its citations."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from pathlib import Path, PurePath

from anamnesis_lsp.errors import AnamnesisError
from anamnesis_lsp.present import locators
from anamnesis_lsp.present.page import Ref, Style
from anamnesis_lsp.present.round import MemberShown, RecordShown, SentenceShown

SENTENCE_LIMIT = 1200

RUNTIME_NAMES = {
    "claude-code": "Claude Code",
    "codex": "Codex",
    "gemini": "Gemini CLI",
    "opencode": "opencode",
    "aider": "aider",
    "copilot-chat": "Copilot Chat",
    "copilot-cli": "Copilot CLI",
    "cursor": "Cursor",
    "cline": "Cline",
    "roo": "Roo Code",
    "goose": "Goose",
    "amp": "Amp",
    "specstory": "SpecStory",
    "continue": "Continue",
    "zed": "Zed",
    "crush": "Crush",
    "qwen": "Qwen Code",
    "windsurf": "Windsurf",
    "kiro": "Kiro",
    "transcripts": "transcript",
}
"""How a runtime is called in what people read."""

SPEAKERS = {
    "person": "the person",
    "assistant": "the assistant",
    "subagent": "a sub-agent",
    "tool": "a tool",
    "injected": "text injected by the tool",
    "author": "the author",
    "document": "the document",
}


def speaker_name(speaker: str) -> str:
    """A speaker as people read it; a name that is none of ours stays as recorded."""
    return SPEAKERS.get(speaker, speaker)


def shown_time(when: str, clock: str | None = None) -> str:
    """An ISO time as people read it: ``2024-03-05 14:03 +01:00``; other text stays as it is.

    ``clock``: of a ``day`` only the date is told, of a ``local`` time no zone.
    """
    match = re.fullmatch(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?", when)
    if match is None:
        return when
    if clock == "day":
        return match[1]
    if clock == "local":
        return f"{match[1]} {match[2]}"
    zone = {"Z": " UTC", "+00:00": " UTC"}.get(match[3] or "", f" {match[3]}" if match[3] else "")
    return f"{match[1]} {match[2]}{zone}"


def shown_root(root: str) -> str:
    """A root as people read it: what lies in their home begins with ``~``."""
    try:
        inside = PurePath(root).relative_to(Path.home())
    except (ValueError, RuntimeError):  # elsewhere, or there is no home
        return root
    return "~" if inside == PurePath() else f"~/{inside.as_posix()}"


def kind_name(member: MemberShown) -> str:
    """``commit``, ``decision record``, ``Claude Code conversation`` …"""
    if member.kind == "decision":
        return "decision record"
    if member.kind != "conversation":
        return member.kind
    try:
        runtime = locators.parse(member.locator).runtime or ""
    except AnamnesisError:
        return "conversation"
    return f"{RUNTIME_NAMES.get(runtime, runtime)} conversation".strip()


def short_id(member: MemberShown) -> str:
    """The id as people read it: twelve digits of a hash, the whole of anything else."""
    return member.id[:12] if member.kind == "commit" else member.id


def naming(style: Style, member: MemberShown) -> str:
    """The record in a few words: ``commit `1a2b3c4d5e6f` “subject”``, escaped for ``style``."""
    name = f"{style.inline(kind_name(member), 60)} {style.code(short_id(member), 120)}"
    return f"{name} {style.quoted(member.gist, 160)}" if member.gist.strip() else name


def note(style: Style, record: RecordShown) -> str:
    """What a citation points at, for its hover: naming, speaker, time."""
    parts = [naming(style, record.member)]
    if record.speaker:
        parts.append(style.inline(speaker_name(record.speaker), 80))
    if record.when:
        parts.append(style.inline(shown_time(record.when, record.clock), 40))
    return " · ".join(parts)


def cite(style: Style, record: RecordShown, at: str = "") -> Ref:
    """The citation ``[n]`` of a record, linked to its locator; a jump leads to ``at`` within it."""
    return Ref(str(record.n), record.member.locator, note(style, record), cite=True, at=at)


def sentence(
    style: Style, shown: SentenceShown, records: Sequence[RecordShown], limit: int = SENTENCE_LIMIT
) -> list[str | Ref]:
    """A sentence of a story with its citations. A number without a record is left out: it would lead nowhere."""
    parts: list[str | Ref] = [style.inline(shown.text, limit)]
    by_number = {record.n: record for record in records}
    for number, at in itertools.zip_longest(shown.cites, shown.locators[: len(shown.cites)], fillvalue=""):
        record = by_number.get(int(number))
        if record is not None:
            parts += [" ", cite(style, record, at)]
    return parts
