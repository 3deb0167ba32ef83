"""Crush: a database in each project's ``.crush`` folder.

Format: ``formats/FORMATS.md`` section 11, *Crush*. A root is the data folder or the database; the project is the folder
it lies in. Sessions without messages (made for titles) are not told. Not read: reasoning, the output of tools (beyond
outcome and commits), ``files`` (whole snapshots: the tool calls tell what was written).
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.records.conversations import patches, shell
from anamnesis_lsp.records.conversations.drafts import Draft, Drafts, entitle, note, unknown
from anamnesis_lsp.records.conversations.handles import resumed
from anamnesis_lsp.records.conversations.json_document import small_object
from anamnesis_lsp.records.conversations.jsonl import JsonObject, object_of, objects_of, text_of
from anamnesis_lsp.records.conversations.model import (
    MAX_LINE_BYTES,
    Edit,
    EditOutcome,
    Handle,
    Head,
    Reading,
    Runtime,
    Scan,
    Source,
    Turn,
)
from anamnesis_lsp.records.conversations.sqlite_store import (
    Database,
    json_list,
    json_object,
    listed,
    opened,
    row_part,
    words,
)
from anamnesis_lsp.records.conversations.stores import gone, require_root
from anamnesis_lsp.records.conversations.times import moment
from anamnesis_lsp.records.evidence import Speaker

_REFUSED = re.compile(r"\A\s*(?:user )?(?:denied permission|permission denied)|user (?:denied|rejected)", re.IGNORECASE)
_EXIT = re.compile(r"^(?:Exit code|exit status):? (\d+)\s*$", re.IGNORECASE | re.MULTILINE)
_PARTS = f"SELECT CASE WHEN length(parts) <= {MAX_LINE_BYTES} THEN parts END FROM messages WHERE rowid = ?"
_SILENT = frozenset(("reasoning", "finish", "image_url", "binary"))


class Crush(Runtime):
    """Sessions of Crush."""

    name: ClassVar[str] = "crush"
    versions: ClassVar[str] = "databases of 2025 and 2026 (messages with parts)"

    def default_roots(self, environ: Mapping[str, str], home: Path, workspace: Path | None) -> list[Path]:
        """``.crush`` of the work tree or the nearest folder above, and those that Crush's registry names."""
        roots: list[Path] = []
        if workspace is not None:
            above = [folder / ".crush" for folder in (workspace, *workspace.parents)]
            roots.append(next((folder for folder in above if (folder / "crush.db").is_file()), above[0]))
        data = environ.get("CRUSH_GLOBAL_DATA")
        registries = [Path(data) if data else Path(environ.get("XDG_DATA_HOME") or home / ".local" / "share") / "crush"]
        if environ.get("LOCALAPPDATA"):
            registries.append(Path(environ["LOCALAPPDATA"]) / "crush")
        for registry in registries:
            for project in objects_of(small_object(registry / "projects.json").get("projects")):
                path, folder = text_of(project.get("path")), text_of(project.get("data_dir"))
                if path:
                    roots.append(Path(path) / (folder or ".crush"))
        return list(dict.fromkeys(roots))

    def sources(self, root: Path, cancel: CancelToken) -> Iterator[Source]:
        """Every session that has messages. Raises ``storeUnreadable``, ``storeBusy``."""
        require_root(root)
        path = _database(root)
        if path is not None:
            yield from listed(path, cancel, lambda database: self._sessions(database, root, path))

    def _sessions(self, database: Database, root: Path, path: Path) -> list[Source]:
        database.require("Crush", "sessions", "id")
        database.require("Crush", "messages", "id", "session_id", "role", "parts")
        changed = database.column("messages", "updated_at")
        counts = {
            words(session): (count, last)
            for session, count, last in database.rows(
                f"SELECT session_id, count(*), max({changed}) FROM messages GROUP BY session_id"
            )
        }
        columns = ", ".join(database.column("sessions", name) for name in ("parent_session_id", "updated_at"))
        found: list[Source] = []
        for identity, above, updated in database.rows(f"SELECT id, {columns} FROM sessions"):
            session = words(identity)
            if session is None or session not in counts:
                continue
            count, last = counts[session]
            newest = max((when.timestamp() for value in (updated, last) if (when := moment(value))), default=0)
            parent = words(above)
            agent = "sub-agent" if parent else None
            found.append(Source(self.name, root, session, (row_part(path, count, newest),), parent, agent))
        return found

    def read(self, source: Source, cancel: CancelToken) -> Reading:
        """One pass over the session's messages."""
        return CrushReading(source, cancel)

    def handle(self, source: Source, head: Head, exists: Iterable[str] | None = None) -> Handle:
        """``crush -s`` in the project: the database lies there."""
        identity, notes = source.id, list[str]()
        if source.parent_id is not None:
            identity = source.parent_id
            notes.append("A sub-agent is not resumed by itself: this reopens its parent session.")
        directory = head.cwds[0] if head.cwds else None
        return resumed(f"crush -s {shlex.quote(identity)}", directory, exists, notes, bound=True)


RUNTIMES = (Crush,)


def _database(root: Path) -> Path | None:
    if root.is_file():
        return root
    return next((path for path in (root / "crush.db", root / ".crush" / "crush.db") if path.is_file()), None)


class CrushReading(Reading):
    """One pass over a session."""

    def __init__(self, source: Source, cancel: CancelToken) -> None:
        self.head = Head()
        self.scan = Scan(skipped_lines=0)
        self._source = source
        self._cancel = cancel
        self._drafts = Drafts(self.head)
        folder = source.path.parent
        self._cwd = str(folder.parent) if folder.name == ".crush" else None
        self._shells: set[str] = set()
        self._title: str | None = None

    def __iter__(self) -> Iterator[Turn]:
        source = self._source
        with opened(source.path, self._cancel) as database:
            names = ("title", "created_at", "updated_at")
            columns = ", ".join(database.column("sessions", name) for name in names)
            row = database.row(f"SELECT {columns} FROM sessions WHERE id = ?", (source.id,))
            if row is None:
                raise gone(source.path)
            self._title = words(row[0])
            note(self.head, moment(row[1]), self._cwd)
            note(self.head, moment(row[2]))
            names = ("id", "role", "model", "created_at", "is_summary_message")
            columns = ", ".join(database.column("messages", name) for name in names)
            stamp = database.column("messages", "created_at")
            order = f"CASE WHEN {stamp} > 1e11 THEN {stamp} / 1000.0 ELSE {stamp} END"  # both units are written
            for number, *fields in database.rows(
                f"SELECT rowid, {columns} FROM messages WHERE session_id = ? ORDER BY {order}, rowid", (source.id,)
            ):
                parts = json_list(database.cell(_PARTS, (number,)))
                if parts is None:
                    self.scan.skipped_lines = (self.scan.skipped_lines or 0) + 1
                    continue
                self._message(fields, objects_of(parts))
                yield from self._drafts.ready()
        yield from self._drafts.rest()
        entitle(self.head, self._title, "assistant", self._drafts.first_words)

    def _message(self, fields: list[object], parts: list[JsonObject]) -> None:
        identity, role, model, created, summary = fields
        who, when, own = words(role), moment(created), words(identity)
        blocks = [(text_of(part.get("type")) or "(none)", object_of(part.get("data"))) for part in parts]
        text = "\n".join(body for kind, data in blocks if kind == "text" and (body := text_of(data.get("text"))))
        for kind, data in blocks:
            if kind == "tool_result":
                self._result(data)
            elif kind not in ("text", "tool_call", "shell_command", *_SILENT):
                unknown(self.scan, f"part {kind}"[:60])
        if summary == 1:
            self._drafts.say(Speaker.INJECTED, text, when, name="compaction summary", cwd=self._cwd, native_id=own)
        elif who == "user":
            is_agent = self._source.parent_id is not None
            speaker, name = (Speaker.ASSISTANT, "prompt to a sub-agent") if is_agent else (Speaker.PERSON, None)
            commands = [data for kind, data in blocks if kind == "shell_command"]
            typed = "\n".join([text, *(text_of(data.get("command")) or "" for data in commands)]).strip()
            draft = self._drafts.say(speaker, typed, when, name=name, cwd=self._cwd, native_id=own)
            if draft is not None:
                for data in commands:
                    if data.get("exit_code", 0) == 0:
                        printed = text_of(data.get("output")) or ""
                        draft.commits += shell.commits_in(text_of(data.get("command")), printed)
                if is_agent:
                    self._drafts.first_words = self._drafts.first_words or typed
        elif who == "assistant":
            draft = self._drafts.open(
                Speaker.ASSISTANT if self._source.parent_id is None else Speaker.SUBAGENT,
                when,
                name=self._source.agent or words(model),
                cwd=self._cwd,
                native_id=own,
            )
            self._drafts.add(draft, text)
            for kind, data in blocks:
                if kind == "tool_call":
                    self._call(draft, data)
        elif who == "system":
            self._drafts.say(Speaker.INJECTED, text, when, name="system", cwd=self._cwd, native_id=own)
        elif who != "tool":
            unknown(self.scan, f"message of {who}"[:60])

    def _call(self, draft: Draft, data: JsonObject) -> None:
        tool, identity, given = text_of(data.get("name")), text_of(data.get("id")), data.get("input")
        if tool is None:
            return
        arguments = (json_object(given) or {}) if isinstance(given, str) else object_of(given)
        self._drafts.call(draft, identity, tool, arguments)
        if identity and tool == "bash":
            self._shells.add(identity)

    def _result(self, data: JsonObject) -> None:
        identity, printed = text_of(data.get("tool_call_id")), text_of(data.get("content")) or ""
        given = data.get("metadata")
        meta = (json_object(given) or {}) if isinstance(given, str) else object_of(given)
        outcome = EditOutcome.APPLIED
        if data.get("is_error") is True or _REFUSED.match(printed):
            outcome = EditOutcome.REJECTED if _REFUSED.search(printed[:300]) else EditOutcome.FAILED
        if identity in self._shells:
            code = _EXIT.search(printed[-400:])
            if meta.get("exit_code", 0) != 0 or (code is not None and code[1] != "0"):
                outcome = EditOutcome.FAILED if outcome is EditOutcome.APPLIED else outcome
            printed = printed if outcome is EditOutcome.APPLIED else ""
        self._drafts.result(identity, outcome, printed, _exact(self._drafts.edits_of(identity or ""), meta))


def _exact(edits: list[Edit], meta: JsonObject) -> list[Edit] | None:
    """The edit of a call as its result's file before and after show it."""
    old, new = meta.get("old_content"), meta.get("new_content")
    if len(edits) != 1 or not isinstance(new, str):
        return None
    written, removed = patches.changed_lines(old if isinstance(old, str) else "", new)
    return [replace(edits[0], written=written, removed=removed or None, whole_file=False)]
