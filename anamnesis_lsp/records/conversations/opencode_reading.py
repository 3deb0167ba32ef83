"""opencode: one pass over a session, of whichever generation. Rules: ``formats/FORMATS.md`` section 4."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import cast

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.errors import AnamnesisError
from anamnesis_lsp.records.conversations import patches, shell
from anamnesis_lsp.records.conversations.drafts import Draft, Drafts, entitle, note, unknown
from anamnesis_lsp.records.conversations.json_document import json_document
from anamnesis_lsp.records.conversations.json_items import JsonItems
from anamnesis_lsp.records.conversations.jsonl import JsonObject, object_of, objects_of, text_of
from anamnesis_lsp.records.conversations.model import (
    MAX_LINE_BYTES,
    Edit,
    EditOutcome,
    Head,
    Reading,
    Scan,
    Source,
    Turn,
)
from anamnesis_lsp.records.conversations.sqlite_store import Database, json_object, opened, words
from anamnesis_lsp.records.conversations.stores import gone, part
from anamnesis_lsp.records.conversations.times import moment
from anamnesis_lsp.records.evidence import Speaker

_DEFAULT_TITLE = re.compile(r"(?:New|Child) session\b")
_REFUSED = re.compile(r"reject|den(?:y|ied)|dismiss", re.IGNORECASE)
_SILENT_PARTS = frozenset(
    ("reasoning", "step-start", "step-finish", "snapshot", "agent", "retry", "compaction", "text")
)
_SILENT_TYPES = frozenset(("agent-switched", "model-switched", "location-switched", "idle"))


class OpencodeReading(Reading):
    """One pass over a session of a database, of the JSON files, or of an export."""

    def __init__(self, source: Source, cancel: CancelToken) -> None:
        self.head = Head()
        self.scan = Scan(skipped_lines=0)
        self._source = source
        self._cancel = cancel
        self._is_agent = source.parent_id is not None
        self._drafts = Drafts(self.head)
        self._directory: str | None = None
        self._reverted_at: str | None = None
        self._reverted = False
        self._title: str | None = None
        self._calls = 0

    def __iter__(self) -> Iterator[Turn]:
        path = self._source.path
        if path.suffix != ".json":
            yield from self._in_database(path)
        elif path == self._source.root:
            yield from self._in_export(path)
        else:
            yield from self._in_files()
        yield from self._drafts.rest()
        entitle(self.head, self._title, "assistant", self._drafts.first_words)

    # -- where the records are

    def _in_database(self, path: Path) -> Iterator[Turn]:
        identity = self._source.id
        with opened(path, self._cancel) as database:
            generation = generation_of(database, identity)
            if generation == 0:
                raise gone(path)
            self._about_row(database, "session_v2" if generation == 2 else "session")
            if generation == 2:
                yield from self._second(database)
                return
            stamp = database.column("message", "time_created")
            for row, message in database.rows(
                f"SELECT rowid, id FROM message WHERE session_id = ? ORDER BY {stamp}, id", (identity,)
            ):
                data = json_object(database.cell(_capped("message"), (row,)))
                if data is None:
                    self._skip()
                    continue
                parts: list[JsonObject] = []
                mine = database.rows("SELECT rowid FROM part WHERE message_id = ? ORDER BY id", (words(message),))
                for (number,) in mine:
                    body = json_object(database.cell(_capped("part"), (number,)))
                    if body is None:
                        self._skip()
                    else:
                        parts.append(body)
                self._message({"id": words(message), **data}, parts)
                yield from self._drafts.ready()

    def _second(self, database: Database) -> Iterator[Turn]:
        order = "seq" if "seq" in database.columns("session_message") else "rowid"
        stamp = database.column("session_message", "time_created")
        for row, kind, number, when in database.rows(
            f"SELECT rowid, type, id, {stamp} FROM session_message WHERE session_id = ? ORDER BY {order}, rowid",
            (self._source.id,),
        ):
            data = json_object(database.cell(_capped("session_message"), (row,)))
            if data is None:
                self._skip()
                continue
            self._entry(words(kind) or "", {"id": words(number), "when": _time(when), **data})
            yield from self._drafts.ready()

    def _about_row(self, database: Database, table: str) -> None:
        if not database.has(table, "id"):
            return
        names = ("directory", "title", "version", "share_url", "time_created", "time_updated", "revert", "project_id")
        columns = ", ".join(database.column(table, name) for name in names)
        row = database.row(f"SELECT {columns} FROM {table} WHERE id = ?", (self._source.id,))
        if row is None:
            return
        directory, title, version, share, created, updated, revert, project = row
        self._directory = words(directory)
        if self._directory is None and project is not None and database.has("project", "id", "worktree"):
            found = database.row("SELECT worktree FROM project WHERE id = ?", (words(project),))
            worktree = words(found[0]) if found else None
            self._directory = worktree if worktree != "/" else None
        note(self.head, moment(_time(created)), self._directory)
        note(self.head, moment(_time(updated)))
        self._about(words(title), words(version), words(share), json_object(revert) or {})

    def _about(self, title: str | None, version: str | None, share: str | None, revert: JsonObject) -> None:
        self._title = None if title is None or _DEFAULT_TITLE.match(title) else title
        self.head.version = version
        if share and share not in self.head.links:
            self.head.links.append(share)
        self._reverted_at = text_of(revert.get("messageID"))

    def _about_object(self, about: JsonObject) -> None:
        self._directory = text_of(about.get("directory"))
        times = object_of(about.get("time"))
        note(self.head, moment(times.get("created")), self._directory)
        note(self.head, moment(times.get("updated")))
        share = text_of(object_of(about.get("share")).get("url"))
        self._about(text_of(about.get("title")), text_of(about.get("version")), share, object_of(about.get("revert")))

    def _in_files(self) -> Iterator[Turn]:
        source = self._source
        for one in source.parts:
            if part(one.path) is None:
                raise gone(one.path)
        storage = next(folder.parent for folder in source.path.parents if folder.name in ("session", "message", "part"))
        if "message" not in source.path.relative_to(storage).parts[:1]:
            self._about_object(object_of(json_document(source.path, MAX_LINE_BYTES)))
        messages: list[tuple[float, str, JsonObject]] = []
        for path in sorted((storage / "message" / source.id).glob("*.json")):
            self._cancel.check()
            data = self._object_in(path)
            if data is not None:
                created = moment(object_of(data.get("time")).get("created"))
                messages.append((created.timestamp() if created else 0.0, path.stem, {"id": path.stem, **data}))
        for _, name, data in sorted(messages, key=lambda one: one[:2]):
            parts = [self._object_in(path) for path in sorted((storage / "part" / name).glob("*.json"))]
            self._message(data, [one for one in parts if one is not None])
            yield from self._drafts.ready()

    def _object_in(self, path: Path) -> JsonObject | None:
        try:
            found = json_document(path, MAX_LINE_BYTES)
        except AnamnesisError:
            found = None
        if not isinstance(found, dict):
            self._skip()
            return None
        return object_of(cast("object", found))

    def _in_export(self, path: Path) -> Iterator[Turn]:
        items = JsonItems(path, self._cancel, lists=("messages",))
        try:
            for key, value in items:
                if key == "info":
                    self._about_object(object_of(value))
                elif key == "messages":
                    message = object_of(value)
                    self._message(object_of(message.get("info")), objects_of(message.get("parts")))
                    yield from self._drafts.ready()
        finally:
            self.scan.skipped_lines = (self.scan.skipped_lines or 0) + items.skipped
            self.scan.incomplete_tail |= items.incomplete

    def _skip(self) -> None:
        self.scan.skipped_lines = (self.scan.skipped_lines or 0) + 1

    # -- the first generation: messages with parts

    def _message(self, message: JsonObject, parts: list[JsonObject]) -> None:
        identity = text_of(message.get("id"))
        self._reverted = self._reverted or (identity is not None and identity == self._reverted_at)
        role = message.get("role")
        when = moment(object_of(message.get("time")).get("created"))
        if role == "user":
            self._asked(identity, when, parts)
        elif role == "assistant":
            self._replied(message, identity, when, parts)
        else:
            unknown(self.scan, f"message of {role}"[:60])
        for one in parts:
            kind = text_of(one.get("type"))
            if not (kind in _SILENT_PARTS or kind in ("tool", "patch", "file", "subtask")):
                unknown(self.scan, f"part {kind}"[:60])

    def _asked(self, identity: str | None, when: datetime | None, parts: list[JsonObject]) -> None:
        texts = [one for one in parts if one.get("type") == "text" and isinstance(one.get("text"), str)]
        own = [str(one["text"]) for one in texts if one.get("synthetic") is not True and one.get("ignored") is not True]
        made = [str(one["text"]) for one in texts if one.get("synthetic") is True]
        commands = [one for one in parts if one.get("type") in ("subtask", "compaction")]
        speaker, name = Speaker.PERSON, "reverted" if self._reverted else None
        if self._is_agent:
            speaker, name = Speaker.ASSISTANT, "prompt to a sub-agent"
        elif commands:
            speaker, name = Speaker.INJECTED, text_of(commands[0].get("command")) or str(commands[0]["type"])
            own += [text for one in commands if (text := text_of(one.get("prompt")))]
        draft = self._say(speaker, "\n".join(own), when, name, identity)
        if draft is None:
            draft = self._say(Speaker.INJECTED, "\n".join(made), when, "synthetic", identity)
        elif self._is_agent:
            self._drafts.first_words = self._drafts.first_words or "\n".join(own)
        for one in parts:
            path = text_of(object_of(one.get("source")).get("path")) or text_of(one.get("filename"))
            if draft is not None and one.get("type") == "file" and path:
                draft.mentions[path] = None

    def _replied(
        self, message: JsonObject, identity: str | None, when: datetime | None, parts: list[JsonObject]
    ) -> None:
        cwd = text_of(object_of(message.get("path")).get("cwd")) or self._directory
        if message.get("summary") is True:
            texts = [text for one in parts if one.get("type") == "text" and (text := text_of(one.get("text")))]
            self._say(Speaker.INJECTED, "\n".join(texts), when, "compaction summary", identity)
            return
        name = text_of(message.get("modelID")) or text_of(object_of(message.get("model")).get("id"))
        if self._is_agent:
            name = text_of(message.get("agent")) or self._source.agent or name
        draft = self._drafts.open(
            Speaker.SUBAGENT if self._is_agent else Speaker.ASSISTANT,
            when,
            name=name,
            cwd=cwd,
            native_id=identity,
        )
        draft.undone = self._reverted
        for one in parts:
            kind = one.get("type")
            if kind == "text" and one.get("synthetic") is not True:
                self._drafts.add(draft, text_of(one.get("text")) or "")
            elif kind == "tool":
                self._tool(draft, text_of(one.get("tool")) or "", object_of(one.get("state")))
            elif kind == "patch":
                self._touched(draft, one.get("files"))

    def _touched(self, draft: Draft, files: object) -> None:
        """The files that a step changed by whatever means: weak evidence where no edit of them is recorded."""
        edited = {edit.path for edit in draft.edits}
        for path in cast("list[object]", files) if isinstance(files, list) else []:
            if isinstance(path, str) and path and path not in edited:
                draft.mentions[path] = None

    # -- tools, of both generations

    def _tool(self, draft: Draft, tool: str, state: JsonObject) -> None:
        given: object = state.get("input")
        arguments = (json_object(given) or {}) if isinstance(given, str) else object_of(given)
        status, meta = state.get("status"), {**object_of(state.get("structured")), **object_of(state.get("metadata"))}
        self._calls += 1
        identity = f"{self._calls}"
        self._drafts.call(draft, identity, tool, arguments)
        if identity not in draft.waiting:
            return
        if status in ("pending", "running", "streaming"):
            draft.waiting.discard(identity)
            return
        output = _text_in(state.get("output")) or _text_in(state.get("content")) or _text_in(meta.get("output"))
        outcome = EditOutcome.UNCONFIRMED
        if status == "completed":
            outcome = EditOutcome.APPLIED
        elif status == "error":
            error = state.get("error")
            said = error if isinstance(error, str) else text_of(object_of(error).get("message")) or ""
            outcome = EditOutcome.REJECTED if _REFUSED.search(said[:200]) else EditOutcome.FAILED
        if tool in ("bash", "shell"):
            exit_code: object = meta.get("exit", meta.get("exit_code", meta.get("exitCode")))
            if exit_code is False or exit_code != 0:
                output = ""  # only a command that is told to have succeeded shows a commit
                outcome = EditOutcome.FAILED if outcome is EditOutcome.APPLIED else outcome
        self._drafts.result(identity, outcome, output, _exact(self._drafts.edits_of(identity), meta))

    # -- the second generation: typed entries

    def _entry(self, kind: str, data: JsonObject) -> None:
        identity = text_of(data.get("id"))
        self._reverted = self._reverted or (identity is not None and identity == self._reverted_at)
        when = moment(object_of(data.get("time")).get("created")) or moment(data.get("when"))
        if kind == "user":
            speaker, name = (
                (Speaker.ASSISTANT, "prompt to a sub-agent")
                if self._is_agent
                else (Speaker.PERSON, "reverted" if self._reverted else None)
            )
            draft = self._say(speaker, text_of(data.get("text")), when, name, identity)
            for one in objects_of(data.get("files")):
                path = text_of(one.get("path")) or text_of(one.get("name")) or text_of(one.get("uri"))
                if draft is not None and path:
                    draft.mentions[path] = None
        elif kind in ("synthetic", "system", "skill"):
            self._say(Speaker.INJECTED, text_of(data.get("text")), when, kind, identity)
        elif kind == "compaction":
            self._say(Speaker.INJECTED, text_of(data.get("summary")), when, "compaction summary", identity)
        elif kind == "shell":
            self._shell(data, when, identity)
        elif kind == "assistant":
            parts: list[JsonObject] = [
                {**one, "tool": one.get("name", one.get("tool"))} if one.get("type") == "tool" else one
                for one in objects_of(data.get("content"))
            ]
            parts.append({"type": "patch", "files": object_of(data.get("snapshot")).get("files")})
            self._replied(data, identity, when, parts)
        elif kind not in _SILENT_TYPES:
            unknown(self.scan, kind)

    def _shell(self, data: JsonObject, when: datetime | None, identity: str | None) -> None:
        """What the person ran with ``!``."""
        command = text_of(data.get("command"))
        speaker = Speaker.SUBAGENT if self._is_agent else Speaker.PERSON
        draft = self._say(speaker, command, when, None, identity)
        if draft is not None and data.get("exit", 0) == 0:
            draft.commits += shell.commits_in(command, _text_in(data.get("output")))

    def _say(
        self, speaker: Speaker, text: str | None, when: datetime | None, name: str | None, identity: str | None
    ) -> Draft | None:
        return self._drafts.say(
            speaker,
            text,
            when,
            name=name,
            cwd=self._directory,
            native_id=identity,
        )


def generation_of(database: Database, session: str) -> int:
    """The generation that a session is read from: 2 where the second has messages of it, else 1; 0 for none."""
    if (
        database.has("session_v2", "id")
        and database.has("session_message", "session_id", "type", "data")
        and database.row("SELECT 1 FROM session_v2 WHERE id = ?", (session,)) is not None
        and database.row("SELECT 1 FROM session_message WHERE session_id = ?", (session,)) is not None
    ):
        return 2
    if not database.has("message", "id", "session_id", "data"):
        return 0
    database.require("opencode", "part", "id", "message_id", "data")
    known = database.has("session", "id") and database.row("SELECT 1 FROM session WHERE id = ?", (session,))
    return 1 if known or database.row("SELECT 1 FROM message WHERE session_id = ?", (session,)) else 0


def _capped(table: str) -> str:
    return f"SELECT CASE WHEN length(data) <= {MAX_LINE_BYTES} THEN data END FROM {table} WHERE rowid = ?"


def _time(value: object) -> object:
    return words(value) if isinstance(value, bytes) else value


def _text_in(value: object) -> str:
    if isinstance(value, str):
        return value
    return "\n".join(text for one in objects_of(value) if isinstance(text := one.get("text"), str))


def _exact(edits: list[Edit], meta: JsonObject) -> list[Edit] | None:
    """The edits of a call as its metadata shows them: a file before and after, or a diff."""
    shown = [one for one in objects_of(meta.get("files")) if isinstance(one.get("after"), str)]
    if not shown and isinstance(object_of(meta.get("filediff")).get("after"), str):
        shown = [object_of(meta.get("filediff"))]
    if shown and len(shown) == len(edits):
        found: list[Edit] = []
        for edit, file in zip(edits, shown, strict=True):
            before: object = file.get("before")
            written, removed = patches.changed_lines(before if isinstance(before, str) else "", str(file["after"]))
            path = text_of(file.get("file")) or text_of(file.get("filePath")) or edit.path
            found.append(replace(edit, path=path, written=written, removed=removed or None, whole_file=False))
        return found
    if len(edits) != 1:
        return None
    diff = meta.get("diff")
    if edits[0].whole_file and isinstance(diff, str) and (files := patches.unified(diff, edits[0].path)):
        return [replace(edits[0], written=files[0].written, removed=files[0].removed or None, whole_file=False)]
    if edits[0].whole_file and meta.get("exists") is False:
        return [replace(edits[0], whole_file=False)]
    return None
