"""Cursor's agent: the transcripts it exports, and the chats of its command line. ``formats/FORMATS.md`` section 7.

A transcript has no times, no results of tools and no directory (a log beside it names that); an edit in it is therefore
``UNCONFIRMED``. A chat of the command line is a database of content-addressed messages, listed by an index node.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.errors import AnamnesisError
from anamnesis_lsp.records.conversations.cursor_ide import TABLE, about_composer
from anamnesis_lsp.records.conversations.cursor_words import asked_in, outcome_of_text, without_redacted, workspace_in
from anamnesis_lsp.records.conversations.drafts import Draft, Drafts, entitle, note, unknown
from anamnesis_lsp.records.conversations.jsonl import JsonLines, JsonObject, object_of, objects_of, open_log, text_of
from anamnesis_lsp.records.conversations.model import EditOutcome, Head, Reading, Scan, Source, Turn
from anamnesis_lsp.records.conversations.sqlite_store import Database, json_object, opened, words
from anamnesis_lsp.records.conversations.textlog import MAX_TURN_CHARS, TextLines
from anamnesis_lsp.records.conversations.times import moment
from anamnesis_lsp.records.evidence import Speaker

_LOG_START = 1 << 16
_WORKSPACE = re.compile(rb'workspacePath=(?:"([^"\n]+)"|([^\s,"]+))')
_MAX_NODES = 1_000_000


class _AgentReading(Reading):
    """What transcripts and chats have in common: messages of a role with text and calls."""

    def __init__(self, source: Source, cancel: CancelToken) -> None:
        self.head = Head()
        self.scan = Scan(skipped_lines=0)
        self._source = source
        self._cancel = cancel
        self._drafts = Drafts(self.head)
        self._is_agent = source.parent_id is not None
        self._model: str | None = None
        self._cwd: str | None = None

    def _asked(self, text: str, offset: int | None, identity: str | None = None) -> None:
        cwd = workspace_in(text)
        if cwd is not None:
            self._cwd = cwd
            note(self.head, None, cwd)
        asked, around = asked_in(text)
        if asked is None:
            self._drafts.say(Speaker.INJECTED, around, offset=offset, name="context", cwd=self._cwd, native_id=identity)
            return
        speaker, name = (Speaker.ASSISTANT, "prompt to a sub-agent") if self._is_agent else (Speaker.PERSON, None)
        self._drafts.say(speaker, asked, offset=offset, name=name, cwd=self._cwd, native_id=identity)
        if self._is_agent:
            self._drafts.first_words = self._drafts.first_words or asked

    def _replying(self, text: str, offset: int | None, identity: str | None = None) -> Draft:
        """The reply that this text begins, or that a call without text goes on with."""
        text = without_redacted(text)
        draft = self._drafts.current
        if draft is None or text:
            draft = self._drafts.open(
                Speaker.SUBAGENT if self._is_agent else Speaker.ASSISTANT,
                offset=offset,
                name=self._source.agent or self._model,
                cwd=self._cwd,
                native_id=identity,
            )
            self._drafts.add(draft, text)
            self._drafts.current = draft
        return draft


class TranscriptReading(_AgentReading):
    """One pass over a transcript; title and times from the editor's database, where that is a part of the source."""

    def __iter__(self) -> Iterator[Turn]:
        source = self._source
        self._cwd = _logged_workspace(source.path)
        note(self.head, None, self._cwd)
        for one in source.parts[1:]:
            if one.path.suffix == ".vscdb":
                self._join(one.path)
        if source.path.suffix == ".txt":
            yield from self._plain(source.path)
        else:
            yield from self._lines(source.path)
        yield from self._drafts.rest()
        entitle(self.head, self.head.title, self.head.title_from or "assistant", self._drafts.first_words)

    def _join(self, path: Path) -> None:
        try:
            with opened(path, self._cancel) as database:
                if database.has(TABLE, "key", "value"):
                    about_composer(database, self._source.id, self.head)
        except AnamnesisError:
            unknown(self.scan, "(the editor's database could not be joined)")
        self._cwd = self._cwd or (self.head.cwds[0] if self.head.cwds else None)

    def _lines(self, path: Path) -> Iterator[Turn]:
        lines = JsonLines(path, self._cancel)
        try:
            for offset, record in lines:
                self._record(record, offset)
                yield from self._drafts.ready()
        finally:
            self.scan.skipped_lines = (self.scan.skipped_lines or 0) + lines.skipped_lines
            self.scan.incomplete_tail |= lines.incomplete_tail

    def _record(self, record: JsonObject, offset: int) -> None:
        role = record.get("role")
        if role is None:
            if record.get("type") not in ("turn_ended", "turn_started"):
                unknown(self.scan, record.get("type"))
            return
        content: object = object_of(record.get("message")).get("content")
        texts = [content] if isinstance(content, str) else []
        blocks = objects_of(content)
        texts += [text for one in blocks if one.get("type") == "text" and (text := text_of(one.get("text")))]
        if role == "user":
            self._asked("\n".join(texts), offset)
        elif role == "assistant":
            calls = [one for one in blocks if one.get("type") == "tool_use"]
            if texts or calls:
                draft = self._replying("\n\n".join(texts), offset)
                for call in calls:
                    self._drafts.call(draft, None, text_of(call.get("name")) or "", object_of(call.get("input")))
        else:
            unknown(self.scan, f"message of {role}"[:60])

    def _plain(self, path: Path) -> Iterator[Turn]:
        """A transcript of before JSON: lines under ``user:`` and ``assistant:``."""
        lines = TextLines(path, self._cancel)
        role, start, held, size = "", 0, list[str](), 0
        for offset, line in lines:
            if line.strip() in ("user:", "assistant:"):
                self._section(role, "\n".join(held), start)
                yield from self._drafts.ready()
                role, start, held, size = line.strip()[:-1], offset, [], 0
            elif size + len(line) > MAX_TURN_CHARS:
                self.scan.omitted_chars = (self.scan.omitted_chars or 0) + len(line) + 1
            else:
                held.append(line)
                size += len(line) + 1
        self._section(role, "\n".join(held), start)
        self.scan.skipped_lines = (self.scan.skipped_lines or 0) + lines.skipped_lines

    def _section(self, role: str, text: str, offset: int) -> None:
        if role == "user" and text.strip():
            self._asked(text, offset)
        elif role == "assistant" and text.strip():
            self._replying(text, offset)
        elif text.strip():
            unknown(self.scan, "(text before the first mark)")


class ChatReading(_AgentReading):
    """One pass over a chat of the command line."""

    def __iter__(self) -> Iterator[Turn]:
        with opened(self._source.path, self._cancel) as database:
            database.require("Cursor", "blobs", "id", "data")
            database.require("Cursor", "meta", "key", "value")
            about = _meta(database)
            note(self.head, moment(about.get("createdAt")))
            self._model = text_of(about.get("lastUsedModel"))
            for identity in self._messages(database, text_of(about.get("latestRootBlobId"))):
                data = database.cell("SELECT data FROM blobs WHERE id = ?", (identity,))
                message = json_object(data)
                if message is None:
                    if data is None or (isinstance(data, bytes) and data[:1] == b"{"):
                        self.scan.skipped_lines = (self.scan.skipped_lines or 0) + 1
                    continue
                self._message(message, identity)
                yield from self._drafts.ready()
        yield from self._drafts.rest()
        entitle(self.head, text_of(about.get("name")), "assistant", self._drafts.first_words)

    def _messages(self, database: Database, root: str | None) -> list[str]:
        """The ids of the messages in their order; in that of storing, and said so, where the index cannot be read."""
        node = database.cell("SELECT data FROM blobs WHERE id = ?", (root,)) if root else None
        found = _references(node) if isinstance(node, bytes) else []
        if found:
            return found
        unknown(self.scan, "(no index of the messages: told as they were stored)")
        return [one for (name,) in database.rows("SELECT id FROM blobs ORDER BY rowid") if (one := words(name))]

    def _message(self, message: JsonObject, identity: str) -> None:
        role: object = message.get("role")
        content: object = message.get("content")
        blocks = objects_of(content)
        texts = [content] if isinstance(content, str) else []
        texts += [text for one in blocks if one.get("type") == "text" and (text := text_of(one.get("text")))]
        if role == "user":
            self._asked("\n".join(texts), None, identity)
        elif role == "assistant":
            draft = self._replying("\n\n".join(texts), None, identity)
            for one in blocks:
                if one.get("type") == "tool-call":
                    self._drafts.call(
                        draft,
                        text_of(one.get("toolCallId")),
                        text_of(one.get("toolName")) or "",
                        object_of(one.get("args")),
                    )
        elif role == "tool":
            for one in blocks:
                if one.get("type") == "tool-result":
                    self._result(one)
        elif role != "system":
            unknown(self.scan, f"message of {role}"[:60])

    def _result(self, block: JsonObject) -> None:
        result: object = block.get("result")
        printed = result if isinstance(result, str) else text_of(object_of(result).get("output")) or ""
        if not printed:
            shown = objects_of(block.get("experimental_content"))
            printed = "\n".join(text for one in shown if (text := text_of(one.get("text"))))
        outcome = outcome_of_text(printed, block.get("isError") is True)
        self._drafts.result(
            text_of(block.get("toolCallId")), outcome, printed if outcome is EditOutcome.APPLIED else ""
        )


def _meta(database: Database) -> JsonObject:
    """What a chat says of itself: JSON, written in hex."""
    value = words(database.cell("SELECT value FROM meta WHERE key = '0'"))
    if value is None:
        return {}
    try:
        return json_object(bytes.fromhex(value)) or {}
    except ValueError:
        return json_object(value) or {}


def _references(node: bytes) -> list[str]:
    """The blobs that an index node (protobuf) lists in its first field."""
    found: list[str] = []
    at = 0
    while at < len(node) and len(found) < _MAX_NODES:
        tag, at = _varint(node, at)
        kind = tag & 7
        if kind == 0:
            _, at = _varint(node, at)
        elif kind == 1:
            at += 8
        elif kind == 5:
            at += 4
        elif kind == 2:
            length, at = _varint(node, at)
            if tag >> 3 == 1 and length == 32 and at + 32 <= len(node):
                found.append(node[at : at + 32].hex())
            at += length
        else:
            return found
    return found


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while at < len(data) and shift < 70:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
    return 0, len(data)


def _logged_workspace(path: Path) -> str | None:
    """The directory that the log beside a project's transcripts names."""
    for folder in path.parents:
        if folder.name == "agent-transcripts":
            try:
                with open_log(folder.parent / "worker.log") as file:
                    found = _WORKSPACE.search(file.read(_LOG_START))
            except (AnamnesisError, OSError):
                return None
            return None if found is None else (found[1] or found[2]).decode("utf-8", "replace")
    return None
