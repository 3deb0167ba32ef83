"""Qwen Code: a line per record under ``~/.qwen/projects``; before that, Gemini CLI's own layout under ``~/.qwen/tmp``.

Format: ``formats/FORMATS.md`` section 11, *Qwen Code*. Tools, contents and outcomes are as Gemini CLI's
(:mod:`.gemini_reading`). Not read: thoughts, telemetry, the output of tools (beyond outcome and commits).
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import ClassVar

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.errors import AnamnesisError
from anamnesis_lsp.records.conversations.drafts import Drafts, entitle, unknown
from anamnesis_lsp.records.conversations.gemini import chats, reading_of
from anamnesis_lsp.records.conversations.gemini_reading import (
    injected_as,
    outcome_of,
    response_in,
    settle,
    text_of_parts,
)
from anamnesis_lsp.records.conversations.handles import resumed
from anamnesis_lsp.records.conversations.jsonl import (
    JsonLines,
    JsonObject,
    object_of,
    objects_of,
    open_log,
    parse,
    text_of,
)
from anamnesis_lsp.records.conversations.model import Handle, Head, Part, Reading, Runtime, Scan, Source, Turn
from anamnesis_lsp.records.conversations.seen import Seen
from anamnesis_lsp.records.conversations.stores import files, require_root
from anamnesis_lsp.records.conversations.times import moment
from anamnesis_lsp.records.evidence import Speaker

_SILENT = frozenset(
    (
        "attribution_snapshot",
        "ui_telemetry",
        "chat_compression",
        "slash_command",
        "at_command",
        "file_history_snapshot",
        "session_artifact_snapshot",
    )
)
_FIRST_LINE = 1 << 16


class Qwen(Runtime):
    """Sessions of Qwen Code."""

    name: ClassVar[str] = "qwen"
    versions: ClassVar[str] = "0.18 to 0.24, and the earlier layout of Gemini CLI"

    def default_roots(self, environ: Mapping[str, str], home: Path, workspace: Path | None) -> list[Path]:
        """``~/.qwen`` on every system."""
        return [home / ".qwen"]

    def sources(self, root: Path, cancel: CancelToken) -> Iterator[Source]:
        """Every session of both layouts; a session that is in both is read from the newer."""
        require_root(root)
        inner = root / "projects"
        base = inner if inner.is_dir() else root
        taken: set[str] = set()
        for found in files(base, cancel, (".jsonl",), ("tmp", "node_modules", ".git")):
            if base is inner and "chats" not in found.path.parts:
                continue
            if base is not inner and not _is_qwen(found):
                continue
            identity = _session_of(found)
            if identity not in taken:
                taken.add(identity)
                yield Source(self.name, root, identity, (found,))
        for source in chats(self.name, root, cancel):
            if source.id not in taken and not _is_qwen(source.parts[0]):
                yield source

    def read(self, source: Source, cancel: CancelToken) -> Reading:
        """One pass over the session."""
        return QwenReading(source, cancel) if _is_qwen(source.parts[0]) else reading_of(source, cancel)

    def handle(self, source: Source, head: Head, exists: Iterable[str] | None = None) -> Handle:
        """``qwen -r`` in the project's directory: sessions are kept by project."""
        identity, notes = source.id, list[str]()
        if source.parent_id is not None:
            identity = source.parent_id
            notes.append("A sub-agent is not resumed by itself: this reopens its parent session.")
        return resumed(
            f"qwen -r {shlex.quote(identity)}", head.cwds[0] if head.cwds else None, exists, notes, bound=True
        )


RUNTIMES = (Qwen,)


def _first_record(path: Path) -> JsonObject:
    try:
        with open_log(path) as file:
            return object_of(parse(file.readline(_FIRST_LINE)))
    except (AnamnesisError, OSError, ValueError):
        return {}


def _is_qwen(found: Part) -> bool:
    """Whether a file has Qwen Code's own records: it lies among its projects, or begins with one."""
    if not found.path.name.endswith(".jsonl"):
        return False
    if "projects" in found.path.parts and "tmp" not in found.path.parts[found.path.parts.index("projects") :]:
        return True
    first = _first_record(found.path)
    return "uuid" in first or not ("projectHash" in first or "startTime" in first)


def _session_of(found: Part) -> str:
    folder = found.path.parent.name
    if folder == "chats":
        return found.path.stem
    return text_of(_first_record(found.path).get("sessionId")) or found.path.stem


class QwenReading(Reading):
    """One pass over a session's records in the order of the file; a record that is there twice is told once."""

    def __init__(self, source: Source, cancel: CancelToken) -> None:
        self.head = Head()
        self.scan = Scan(skipped_lines=0)
        self._source = source
        self._cancel = cancel
        self._drafts = Drafts(self.head)
        self._tools: dict[str, str] = {}
        self._seen = Seen()

    def __iter__(self) -> Iterator[Turn]:
        for part in self._source.parts:
            lines = JsonLines(part.path, self._cancel)
            try:
                for offset, record in lines:
                    self._record(record, offset)
                    yield from self._drafts.ready()
            finally:
                self.scan.skipped_lines = (self.scan.skipped_lines or 0) + lines.skipped_lines
                self.scan.incomplete_tail |= lines.incomplete_tail
        yield from self._drafts.rest()
        entitle(self.head, None, "assistant", self._drafts.first_words)

    def _record(self, record: JsonObject, offset: int) -> None:
        identity = text_of(record.get("uuid"))
        if identity and not self._seen.add(identity):
            return
        self.head.version = text_of(record.get("version")) or self.head.version
        kind = record.get("type")
        if kind == "user":
            self._user(record, offset)
        elif kind == "assistant":
            self._assistant(record, offset)
        elif kind == "tool_result":
            self._results(record)
        elif kind == "system":
            subtype = text_of(record.get("subtype"))
            if subtype not in _SILENT:
                unknown(self.scan, f"system {subtype}"[:60])
        else:
            unknown(self.scan, kind)

    def _user(self, record: JsonObject, offset: int) -> None:
        parts: object = object_of(record.get("message")).get("parts")
        if any("functionResponse" in part for part in objects_of(parts)):
            self._results(record)
            return
        text = text_of_parts(parts)
        name = injected_as(text) or text_of(record.get("subtype"))
        if record.get("isSidechain") is True:
            self._say(record, Speaker.ASSISTANT, text, "prompt to a sub-agent", offset)
        elif name is not None:
            self._say(record, Speaker.INJECTED, text, name, offset)
        else:
            self._say(record, Speaker.PERSON, text, None, offset)

    def _assistant(self, record: JsonObject, offset: int) -> None:
        parts: object = object_of(record.get("message")).get("parts")
        speaker = Speaker.SUBAGENT if record.get("isSidechain") is True else Speaker.ASSISTANT
        draft = self._drafts.open(
            speaker,
            moment(record.get("timestamp")),
            offset=offset,
            name=text_of(record.get("model")),
            cwd=text_of(record.get("cwd")),
            branch=text_of(record.get("gitBranch")),
            native_id=text_of(record.get("uuid")),
        )
        self._drafts.add(draft, text_of_parts(parts))
        for part in objects_of(parts):
            call = object_of(part.get("functionCall"))
            tool, identity = text_of(call.get("name")), text_of(call.get("id"))
            if tool is None:
                continue
            self._drafts.call(draft, identity, tool, object_of(call.get("args")))
            if identity and identity in draft.waiting:
                self._tools[identity] = tool

    def _results(self, record: JsonObject) -> None:
        result = object_of(record.get("toolCallResult"))
        parts = [
            part for part in objects_of(object_of(record.get("message")).get("parts")) if "functionResponse" in part
        ]
        for part in parts:
            response = object_of(part.get("functionResponse"))
            identity = text_of(response.get("id")) or text_of(result.get("callId"))
            if identity is None or identity not in self._tools:
                continue
            own = result if result.get("callId") in (identity, None) else {}
            output, failed = response_in([part])
            outcome = outcome_of(own.get("status"), output, failed)
            settle(self._drafts, identity, self._tools.pop(identity), outcome, output, own.get("resultDisplay"))

    def _say(self, record: JsonObject, speaker: Speaker, text: str, name: str | None, offset: int) -> None:
        self._drafts.say(
            speaker,
            text,
            moment(record.get("timestamp")),
            offset=offset,
            name=name,
            cwd=text_of(record.get("cwd")),
            branch=text_of(record.get("gitBranch")),
            native_id=text_of(record.get("uuid")),
        )
