"""Goose: its database of sessions, and the ``.jsonl`` files of before 1.10.

Format: ``formats/FORMATS.md`` section 9. A root may be the ``sessions`` folder, ``sessions.db``, or a session's file.
A session that was taken over into the database is read from there only. Columns come and go between versions: each is
asked for only where the table has it.

Not read: thinking, images, the output of tools (beyond outcome and commits), usage.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import ClassVar, cast

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.errors import AnamnesisError
from anamnesis_lsp.records.conversations.drafts import Draft, Drafts, entitle, note, unknown
from anamnesis_lsp.records.conversations.handles import resumed
from anamnesis_lsp.records.conversations.jsonl import JsonLines, JsonObject, object_of, objects_of, text_of
from anamnesis_lsp.records.conversations.model import (
    MAX_LINE_BYTES,
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
from anamnesis_lsp.records.conversations.stores import files, gone, part, require_root
from anamnesis_lsp.records.conversations.times import moment
from anamnesis_lsp.records.evidence import Speaker

KNOWN_SCHEMA = 17
_TYPED_IN = ("user", "terminal")
_DECLINED = re.compile(r"user (?:has )?(?:declined|denied|rejected)|declined to run", re.IGNORECASE)
_FAILED = re.compile(r"\A\s*(?:Error\b|Failed\b)|exit(?:ed with)? (?:code|status):? ?[1-9]", re.IGNORECASE)
_SILENT = frozenset(
    (
        "thinking",
        "redactedThinking",
        "reasoning",
        "image",
        "toolConfirmationRequest",
        "actionRequired",
        "systemNotification",
        "contextLengthExceeded",
        "summarizationRequested",
        "conversationCompacted",
    )
)


class Goose(Runtime):
    """Sessions of Goose, command line and desktop."""

    name: ClassVar[str] = "goose"
    versions: ClassVar[str] = f".jsonl (before 1.10), database schema up to {KNOWN_SCHEMA}"

    def default_roots(self, environ: Mapping[str, str], home: Path, workspace: Path | None) -> list[Path]:
        """The ``sessions`` folder: of ``GOOSE_PATH_ROOT``, else of the data folder of this system."""
        if environ.get("GOOSE_PATH_ROOT"):
            return [Path(environ["GOOSE_PATH_ROOT"]).expanduser() / "data" / "sessions"]
        roots = [Path(environ.get("XDG_DATA_HOME") or home / ".local" / "share") / "goose" / "sessions"]
        if environ.get("APPDATA"):
            roots.append(Path(environ["APPDATA"]) / "Block" / "goose" / "data" / "sessions")
        return roots

    def sources(self, root: Path, cancel: CancelToken) -> Iterator[Source]:
        """Every session once. Raises ``storeUnreadable`` or ``storeBusy`` after the files were told."""
        require_root(root)
        failed: AnamnesisError | None = None
        taken: set[str] = set()
        path = root if root.is_file() else root / "sessions.db"
        if path.suffix != ".jsonl" and part(path) is not None:
            try:
                found = listed(path, cancel, lambda database: self._sessions(database, root, path))
            except AnamnesisError as error:
                found, failed = [], error
            taken = {source.id for source in found}
            yield from found
        for one in files(root, cancel, (".jsonl",), max_depth=1):
            if one.path.stem not in taken:
                yield Source(self.name, root, one.path.stem, (one,))
        if failed is not None:
            raise failed

    def _sessions(self, database: Database, root: Path, path: Path) -> list[Source]:
        database.require("Goose", "sessions", "id")
        database.require("Goose", "messages", "session_id", "role", "content_json")
        counts: dict[str | None, int] = {
            words(session): count
            for session, count in database.rows("SELECT session_id, count(*) FROM messages GROUP BY session_id")
        }
        columns = ", ".join(
            database.column("sessions", name) for name in ("id", "updated_at", "session_type", "parent_session_id")
        )
        found: list[Source] = []
        for identity, updated, kind, above in database.rows(f"SELECT {columns} FROM sessions"):
            session = words(identity)
            if session is None:
                continue
            when = moment(words(updated) if isinstance(updated, bytes) else updated)
            agent = "sub-agent" if words(kind) == "sub_agent" or words(above) else None
            one = row_part(path, counts.get(session, 0), None if when is None else when.timestamp())
            found.append(Source(self.name, root, session, (one,), words(above), agent))
        return found

    def read(self, source: Source, cancel: CancelToken) -> Reading:
        """One pass over the session."""
        return GooseReading(source, cancel)

    def handle(self, source: Source, head: Head, exists: Iterable[str] | None = None) -> Handle:
        """``goose session --resume`` by id; of a file of before 1.10, by its path."""
        identity, notes = source.id, list[str]()
        if source.agent is not None:
            if source.parent_id is None:
                return Handle(None, "A sub-agent is not resumed by itself, and the record names no parent session.")
            identity = source.parent_id
            notes.append("A sub-agent is not resumed by itself: this reopens its parent session.")
        command = f"goose session --resume --session-id {shlex.quote(identity)}"
        if source.path.suffix == ".jsonl":
            command = f"goose session --resume --path {shlex.quote(str(source.path))}"
        return resumed(command, head.cwds[0] if head.cwds else None, exists, notes)


RUNTIMES = (Goose,)


class GooseReading(Reading):
    """One pass over a session, from rows or from lines."""

    def __init__(self, source: Source, cancel: CancelToken) -> None:
        self.head = Head()
        self.scan = Scan(skipped_lines=0)
        self._source = source
        self._cancel = cancel
        self._drafts = Drafts(self.head)
        self._kind = "user"
        self._cwd: str | None = None
        self._title: tuple[str | None, str] = (None, "assistant")
        self._shells: set[str] = set()
        self._seen: set[str] = set()

    def __iter__(self) -> Iterator[Turn]:
        if self._source.path.suffix == ".jsonl":
            yield from self._in_file(self._source.path)
        else:
            yield from self._in_database(self._source.path)
        yield from self._drafts.rest()
        entitle(self.head, self._title[0], self._title[1], self._drafts.first_words)

    @property
    def _is_agent(self) -> bool:
        return self._source.agent is not None

    def _in_file(self, path: Path) -> Iterator[Turn]:
        lines = JsonLines(path, self._cancel)
        try:
            for offset, record in lines:
                if "role" not in record and ("working_dir" in record or "description" in record):
                    self._about(record)
                else:
                    content: object = record.get("content")
                    identity = text_of(record.get("id"))
                    self._message(
                        record,
                        objects_of(content),
                        object_of(record.get("metadata")),
                        record.get("created"),
                        identity,
                        offset,
                    )
                yield from self._drafts.ready()
        finally:
            self.scan.skipped_lines = (self.scan.skipped_lines or 0) + lines.skipped_lines
            self.scan.incomplete_tail |= lines.incomplete_tail

    def _about(self, about: JsonObject) -> None:
        self._cwd = text_of(about.get("working_dir"))
        named = about.get("user_set_name") in (True, 1)
        self._title = (
            text_of(about.get("name")) if named else text_of(about.get("description")) or text_of(about.get("name")),
            "person" if named else "assistant",
        )
        self._kind = text_of(about.get("session_type")) or "user"
        note(self.head, moment(about.get("created_at")), self._cwd)
        note(self.head, moment(about.get("updated_at")))

    def _in_database(self, path: Path) -> Iterator[Turn]:
        with opened(path, self._cancel) as database:
            self._schema(database)
            names = ("working_dir", "name", "description", "user_set_name", "session_type", "created_at", "updated_at")
            columns = ", ".join(database.column("sessions", name) for name in names)
            row = database.row(f"SELECT {columns} FROM sessions WHERE id = ?", (self._source.id,))
            if row is None:
                raise gone(path)
            self._about({n: words(v) if isinstance(v, bytes) else v for n, v in zip(names, row, strict=True)})
            columns = ", ".join(
                database.column("messages", name)
                for name in ("role", "message_id", "created_timestamp", "timestamp", "metadata_json")
            )
            order = "id" if "id" in database.columns("messages") else "rowid"
            for number, role, identity, created, stamp, metadata in database.rows(
                f"SELECT rowid, {columns} FROM messages WHERE session_id = ? ORDER BY {order}", (self._source.id,)
            ):
                content = json_list(
                    database.cell(
                        f"SELECT CASE WHEN length(content_json) <= {MAX_LINE_BYTES} THEN content_json END FROM messages"
                        " WHERE rowid = ?",
                        (number,),
                    )
                )
                if content is None:
                    self.scan.skipped_lines = (self.scan.skipped_lines or 0) + 1
                    continue
                when = created if isinstance(created, (int, float)) else words(stamp)
                own = words(identity)
                if own in self._seen:
                    continue
                if own:
                    self._seen.add(own)
                self._message({"role": words(role)}, objects_of(content), json_object(metadata) or {}, when, own, None)
                yield from self._drafts.ready()

    def _schema(self, database: Database) -> None:
        if not database.has("schema_version", "version"):
            return
        row = database.row("SELECT max(version) FROM schema_version")
        version = None if row is None else row[0]
        if isinstance(version, int):
            self.head.version = f"schema {version}"
            if version > KNOWN_SCHEMA:
                unknown(self.scan, f"schema version {version}")

    def _message(
        self,
        record: JsonObject,
        content: list[JsonObject],
        metadata: JsonObject,
        created: object,
        identity: str | None,
        offset: int | None,
    ) -> None:
        role, when = record.get("role"), moment(created)
        text = "\n".join(
            part for one in content if one.get("type") == "text" and (part := text_of(one.get("text"))) is not None
        )
        for one in content:
            if one.get("type") == "toolResponse":
                self._result(one)
            elif one.get("type") not in ("text", "toolRequest", "frontendToolRequest", *_SILENT):
                unknown(self.scan, f"content {one.get('type')}"[:60])
        if role == "user":
            if any(one.get("type") == "toolResponse" for one in content):
                return
            speaker, name = self._who(metadata)
            self._drafts.say(speaker, text, when, offset=offset, name=name, cwd=self._cwd, native_id=identity)
            if self._is_agent:
                self._drafts.first_words = self._drafts.first_words or text
        elif role == "assistant":
            if metadata.get("userVisible") is False:
                self._drafts.say(
                    Speaker.INJECTED,
                    text,
                    when,
                    offset=offset,
                    name="compaction summary",
                    cwd=self._cwd,
                    native_id=identity,
                )
                return
            draft = self._drafts.open(
                Speaker.SUBAGENT if self._is_agent else Speaker.ASSISTANT,
                when,
                offset=offset,
                name=self._source.agent,
                cwd=self._cwd,
                native_id=identity,
            )
            self._drafts.add(draft, text)
            for one in content:
                if one.get("type") in ("toolRequest", "frontendToolRequest"):
                    self._call(draft, one)
        else:
            unknown(self.scan, f"message of {role}"[:60])

    def _who(self, metadata: JsonObject) -> tuple[Speaker, str | None]:
        """Whose a text of role ``user`` is."""
        if metadata.get("userVisible") is False:
            return Speaker.INJECTED, "compaction summary"
        if self._is_agent:
            return Speaker.ASSISTANT, "prompt to a sub-agent"
        return (Speaker.PERSON, None) if self._kind in _TYPED_IN else (Speaker.INJECTED, self._kind)

    def _call(self, draft: Draft, block: JsonObject) -> None:
        call = object_of(block.get("toolCall"))
        value = object_of(call.get("value"))
        tool, identity = text_of(value.get("name")), text_of(block.get("id"))
        if tool is None or call.get("status") == "error":
            return
        arguments = object_of(value.get("arguments"))
        self._drafts.call(draft, identity, tool, arguments)
        if identity and tool.rsplit("__", 1)[-1] in ("shell", "bash"):
            self._shells.add(identity)
        if arguments.get("command") == "undo_edit" and (path := text_of(arguments.get("path"))):
            self._drafts.change(
                lambda edit: edit.path == path and edit.outcome is EditOutcome.APPLIED,
                lambda edit: replace(edit, outcome=EditOutcome.UNDONE),
            )

    def _result(self, block: JsonObject) -> None:
        identity, result = text_of(block.get("id")), object_of(block.get("toolResult"))
        value: object = result.get("value")
        inner = cast("object", value) if isinstance(value, list) else object_of(cast("object", value)).get("content")
        text = "\n".join(part for one in objects_of(inner) if (part := text_of(one.get("text"))) is not None)
        text = text or (value if isinstance(value, str) else "") or text_of(result.get("error")) or ""
        failed = result.get("status") == "error" or object_of(cast("object", value)).get("isError") is True
        outcome = EditOutcome.APPLIED if result.get("status") in ("success", None) else EditOutcome.UNCONFIRMED
        if _DECLINED.search(text[:300]):
            outcome = EditOutcome.REJECTED
        elif failed or (identity in self._shells and _FAILED.search(text[-300:])):
            outcome = EditOutcome.FAILED
        self._drafts.result(identity, outcome, "" if outcome is EditOutcome.FAILED else text)
