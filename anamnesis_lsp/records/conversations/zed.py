"""Zed's agent: a database of threads, each one document, compressed with zstd or not.

Format: ``formats/FORMATS.md`` section 11, *Zed*. A root may be Zed's data folder, its ``threads`` folder or the
database. Messages carry no time. A tool's path begins with the name of the folder it lies in; it is told with that
folder in its place. Agents that Zed runs from outside keep stores of their own.

Not read: thinking, images, the output of tools (beyond outcome and commits).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import ClassVar, cast

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.records.conversations import patches
from anamnesis_lsp.records.conversations.drafts import Draft, Drafts, entitle, note, unknown
from anamnesis_lsp.records.conversations.jsonl import JsonObject, object_of, objects_of, parse, text_of
from anamnesis_lsp.records.conversations.model import (
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
from anamnesis_lsp.records.conversations.sqlite_store import Database, listed, opened, row_part, words
from anamnesis_lsp.records.conversations.stores import gone, require_root, unreadable
from anamnesis_lsp.records.conversations.times import moment
from anamnesis_lsp.records.conversations.zstd import expanded
from anamnesis_lsp.records.evidence import Speaker

_VERSIONS = ("0.1.0", "0.2.0", "0.3.0")
_MAX_THREAD = 32 << 20
_REFUSED = re.compile(
    r"denied by (?:the )?user|user (?:denied|rejected|declined)|permission (?:to run|denied)", re.IGNORECASE
)
_FAILED = re.compile(r"\A\s*Command .*? (?:failed|was interrupted|timed out)|exit code:? [1-9]", re.DOTALL)


class Zed(Runtime):
    """Threads of Zed's own agent."""

    name: ClassVar[str] = "zed"
    versions: ClassVar[str] = f"threads of version {', '.join(_VERSIONS)}"

    def default_roots(self, environ: Mapping[str, str], home: Path, workspace: Path | None) -> list[Path]:
        """The ``threads`` folder in Zed's data folder of this system."""
        data = environ.get("FLATPAK_XDG_DATA_HOME") or environ.get("XDG_DATA_HOME") or home / ".local" / "share"
        roots = [Path(data) / "zed", home / "Library" / "Application Support" / "Zed"]
        if environ.get("LOCALAPPDATA"):
            roots.append(Path(environ["LOCALAPPDATA"]) / "Zed")
        return [root / "threads" for root in roots]

    def sources(self, root: Path, cancel: CancelToken) -> Iterator[Source]:
        """Every thread. Raises ``storeUnreadable``, ``storeBusy``."""
        require_root(root)
        path = _database(root)
        if path is not None:
            yield from listed(path, cancel, lambda database: self._threads(database, root, path))

    def _threads(self, database: Database, root: Path, path: Path) -> list[Source]:
        database.require("Zed", "threads", "id", "data", "data_type")
        columns = ", ".join(database.column("threads", name) for name in ("updated_at", "parent_id"))
        found: list[Source] = []
        for identity, updated, above, size in database.rows(f"SELECT id, {columns}, length(data) FROM threads"):
            thread = words(identity)
            if thread is None:
                continue
            when, parent = moment(words(updated)), words(above)
            one = row_part(path, size, None if when is None else when.timestamp())
            found.append(Source(self.name, root, thread, (one,), parent, "sub-agent" if parent else None))
        return found

    def read(self, source: Source, cancel: CancelToken) -> Reading:
        """One pass over the thread's document."""
        return ZedReading(source, cancel)

    def handle(self, source: Source, head: Head, exists: Iterable[str] | None = None) -> Handle:
        """None: Zed has no command that opens a thread."""
        where = f" in {head.cwds[0]}" if head.cwds else ""
        title = f" “{head.title}”" if head.title else ""
        return Handle(
            None, f"Zed has no command for it: open Zed{where} and pick the thread{title} in the agent's history."
        )


RUNTIMES = (Zed,)


def _database(root: Path) -> Path | None:
    if root.is_file():
        return root
    return next((path for path in (root / "threads.db", root / "threads" / "threads.db") if path.is_file()), None)


class ZedReading(Reading):
    """One pass over a thread."""

    def __init__(self, source: Source, cancel: CancelToken) -> None:
        self.head = Head()
        self.scan = Scan(skipped_lines=0)
        self._source = source
        self._cancel = cancel
        self._drafts = Drafts(self.head)
        self._folders: list[str] = []
        self._model: str | None = None
        self._calls = 0

    def __iter__(self) -> Iterator[Turn]:
        document, title = self._document()
        self._about(document)
        for message in cast("list[object]", document.get("messages")) if _is_list(document.get("messages")) else []:
            self._cancel.check()
            self._message(message)
            yield from self._drafts.ready()
        yield from self._drafts.rest()
        recorded = title or text_of(document.get("title")) or text_of(document.get("summary"))
        entitle(self.head, recorded, "assistant", self._drafts.first_words)

    def _document(self) -> tuple[JsonObject, str | None]:
        path = self._source.path
        with opened(path, self._cancel) as database:
            database.require("Zed", "threads", "id", "data", "data_type")
            names = ("data_type", "summary", "updated_at", "created_at", "folder_paths")
            columns = ", ".join(database.column("threads", name) for name in names)
            row = database.row(f"SELECT rowid, {columns} FROM threads WHERE id = ?", (self._source.id,))
            if row is None:
                raise gone(path)
            number, form, summary, updated, created, folders = row
            data = database.cell("SELECT data FROM threads WHERE rowid = ?", (number,))
        self._folders = [line for line in (words(folders) or "").split("\n") if line.strip()]
        for folder in self._folders:
            note(self.head, None, folder)
        note(self.head, moment(words(created)))
        note(self.head, moment(words(updated)))
        if not isinstance(data, bytes):
            self.scan.skipped_lines = 1
            return {}, words(summary)
        if words(form) == "zstd":
            content = expanded(data, _MAX_THREAD, path)
        elif words(form) == "json":
            content = data if len(data) <= _MAX_THREAD else None
        else:
            unknown(self.scan, f"data type {words(form)}"[:60])
            return {}, words(summary)
        if content is None:
            raise unreadable(path, f"the thread is larger than the {_MAX_THREAD >> 20} MiB that are read of one")
        try:
            return object_of(parse(content)), words(summary)
        except ValueError as error:
            raise unreadable(path, "the thread is not JSON, or was not written whole") from error

    def _about(self, document: JsonObject) -> None:
        version = text_of(document.get("version"))
        self.head.version = version
        if version is not None and version not in _VERSIONS:
            unknown(self.scan, f"thread version {version}"[:60])
        self._model = text_of(object_of(document.get("model")).get("model"))
        snapshot = object_of(document.get("initial_project_snapshot"))
        for tree in objects_of(snapshot.get("worktree_snapshots")):
            git = object_of(tree.get("git_state"))
            for key, listed_in in (
                ("head_sha", self.head.head_commits),
                ("current_branch", self.head.branches),
                ("remote_url", self.head.remotes),
            ):
                value = text_of(git.get(key))
                if value and value not in listed_in:
                    listed_in.append(value)

    @property
    def _cwd(self) -> str | None:
        return self._folders[0] if self._folders else None

    def _message(self, message: object) -> None:
        if message == "Resume":
            return
        body = object_of(message)
        if "User" in body:
            self._asked(object_of(body["User"]))
        elif "Agent" in body:
            agent = object_of(body["Agent"])
            results = object_of(agent.get("tool_results"))
            blocks = _tagged(
                agent.get("content"), self.scan, ("Text", "Thinking", "RedactedThinking", "ToolUse", "Image")
            )
            calls = [object_of(value) for tag, value in blocks if tag == "ToolUse"]
            texts = [
                value if isinstance(value, str) else text_of(object_of(value).get("text")) or ""
                for tag, value in blocks
                if tag == "Text"
            ]
            self._replied("\n\n".join(texts), calls, results, text_of(agent.get("id")))
        elif "role" in body:
            self._older(body)
        else:
            unknown(self.scan, next(iter(body), type(message).__name__))

    def _asked(self, user: JsonObject) -> None:
        texts: list[str] = []
        mentions: list[str] = []
        for tag, value in _tagged(user.get("content"), self.scan, ("Text", "Mention", "Image")):
            if tag == "Text":
                texts += [value] if isinstance(value, str) else []
            elif tag == "Mention":
                uri = object_of(object_of(value).get("uri"))
                for place in uri.values():
                    path = text_of(object_of(place).get("abs_path")) or text_of(object_of(place).get("path"))
                    mentions += [path] if path else []
        self._say_user("\n".join(texts), text_of(user.get("id")), mentions)

    def _say_user(self, text: str, identity: str | None, mentions: Iterable[str] = ()) -> None:
        is_agent = self._source.parent_id is not None
        speaker, name = (Speaker.ASSISTANT, "prompt to a sub-agent") if is_agent else (Speaker.PERSON, None)
        draft = self._drafts.say(speaker, text, name=name, cwd=self._cwd, native_id=identity)
        if draft is not None:
            draft.mentions.update(dict.fromkeys(mentions))
            if is_agent:
                self._drafts.first_words = self._drafts.first_words or text

    def _older(self, body: JsonObject) -> None:
        """A message of version 0.2.0 and before: role and segments."""
        texts = [
            text
            for segment in objects_of(body.get("segments"))
            if segment.get("type") == "text" and (text := text_of(segment.get("text")))
        ]
        text = "\n".join(texts) or text_of(body.get("text")) or ""
        number = body.get("id")
        identity = f"{number}" if isinstance(number, (int, str)) else None
        role = body.get("role")
        if role == "user":
            if body.get("is_hidden") is True:
                self._drafts.say(Speaker.INJECTED, text, name="hidden", cwd=self._cwd, native_id=identity)
            else:
                self._say_user(text, identity)
        elif role == "assistant":
            results = {
                key: one for one in objects_of(body.get("tool_results")) if (key := text_of(one.get("tool_use_id")))
            }
            self._replied(text, objects_of(body.get("tool_uses")), results, identity)
        elif role == "system":
            self._drafts.say(Speaker.INJECTED, text, name="system", cwd=self._cwd, native_id=identity)
        else:
            unknown(self.scan, f"message of {role}"[:60])

    def _replied(self, text: str, calls: list[JsonObject], results: Mapping[str, object], identity: str | None) -> None:
        is_agent = self._source.parent_id is not None
        draft = self._drafts.open(
            Speaker.SUBAGENT if is_agent else Speaker.ASSISTANT,
            name=self._source.agent or self._model,
            cwd=self._cwd,
            native_id=identity,
        )
        self._drafts.add(draft, text)
        for call in calls:
            self._called(draft, call, object_of(results.get(text_of(call.get("id")) or "")))
        draft.edits[:] = [replace(edit, path=self._placed(edit.path)) for edit in draft.edits]
        draft.mentions = {self._placed(path): None for path in draft.mentions}

    def _called(self, draft: Draft, call: JsonObject, result: JsonObject) -> None:
        tool = text_of(call.get("name"))
        if tool is None:
            return
        arguments = object_of(call.get("input"))
        self._calls += 1
        identity = f"{self._calls}"
        shown = object_of(result.get("output"))
        made = _made(tool, arguments, shown)
        if made is None:
            self._drafts.call(draft, identity, tool, arguments)
        printed = _text_in(result.get("content")) or _text_in(result.get("output"))
        outcome = EditOutcome.UNCONFIRMED
        if result:
            outcome = EditOutcome.APPLIED
            if result.get("is_error") is True:
                outcome = EditOutcome.REJECTED if _REFUSED.search(printed[:300]) else EditOutcome.FAILED
            elif tool == "terminal" and _FAILED.search(printed[:2000]):
                outcome = EditOutcome.FAILED
        if made is not None:
            draft.edits.append(replace(made, outcome=outcome))
        elif outcome is not EditOutcome.UNCONFIRMED:
            self._drafts.result(identity, outcome, "" if outcome is EditOutcome.FAILED else printed)
        else:
            draft.waiting.discard(identity)

    def _placed(self, path: str) -> str:
        """A path that begins with the name of one of the thread's folders, with that folder in the name's place."""
        first, _, rest = path.partition("/")
        for folder in self._folders:
            if rest and PurePosixPath(folder.replace("\\", "/")).name == first:
                return f"{folder.rstrip('/')}/{rest}"
        return path


def _made(tool: str, arguments: JsonObject, shown: JsonObject) -> Edit | None:
    """The edit that a result's file before and after shows: what was asked for names only the file."""
    new, old, path = shown.get("new_text"), shown.get("old_text"), text_of(arguments.get("path"))
    if path is None or not isinstance(new, str):
        return None
    written, removed = patches.changed_lines(old if isinstance(old, str) else "", new)
    return Edit(path, written, removed or None, EditOutcome.UNCONFIRMED, tool)


def _tagged(content: object, scan: Scan, known: tuple[str, ...]) -> list[tuple[str, object]]:
    """The blocks of a message as ``(tag, value)``; those of other tags are counted."""
    found: list[tuple[str, object]] = []
    for block in objects_of(content):
        for tag, value in block.items():
            if tag in known:
                found.append((tag, value))
            else:
                unknown(scan, f"content {tag}"[:60])
    return found


def _text_in(value: object) -> str:
    """The text of a tool's result: a string, ``{"Text": …}``, or a list of such."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(_text_in(one) for one in cast("list[object]", value))
    body = object_of(value)
    return next((text for key in ("Text", "text", "output") if (text := text_of(body.get(key)))), "")


def _is_list(value: object) -> bool:
    return isinstance(value, list)
