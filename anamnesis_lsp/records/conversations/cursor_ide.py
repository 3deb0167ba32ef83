"""Cursor's editor: composers and their bubbles in ``state.vscdb``. Rules: ``formats/FORMATS.md`` section 7.

The table may hold many GB: it is read by key ranges and single keys only.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import cast

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.errors import AnamnesisError
from anamnesis_lsp.records.conversations.cursor_words import edits_of_bubble, object_in, outcome_of_bubble
from anamnesis_lsp.records.conversations.drafts import Draft, Drafts, command_of, entitle, note, unknown
from anamnesis_lsp.records.conversations.jsonl import JsonObject, object_of, objects_of, text_of
from anamnesis_lsp.records.conversations.model import EditOutcome, Head, Part, Reading, Scan, Source, Turn
from anamnesis_lsp.records.conversations.sqlite_store import (
    Database,
    json_list,
    json_object,
    listed,
    opened,
    row_part,
    words,
)
from anamnesis_lsp.records.conversations.stores import gone, part
from anamnesis_lsp.records.conversations.times import moment
from anamnesis_lsp.records.conversations.tool_edits import path_of
from anamnesis_lsp.records.conversations.vscode import path_of_uri, workspace_folder
from anamnesis_lsp.records.evidence import Speaker

TABLE = "cursorDiskKV"
KNOWN_SHAPES = range(1, 20)
_VALUE = f"SELECT value FROM {TABLE} WHERE key = ?"
_TEXT = "CAST(value AS TEXT)"
_GLANCE = (
    f"SELECT length(CAST(value AS BLOB)), json_extract({_TEXT}, '$.lastUpdatedAt', '$.createdAt', '$.subComposerIds'),"
    f" coalesce(json_array_length({_TEXT}, '$.fullConversationHeadersOnly'), 0)"
    f" + coalesce(json_array_length({_TEXT}, '$.conversation'), 0)"
    f" FROM {TABLE} WHERE rowid = ? AND value IS NOT NULL AND json_valid({_TEXT})"
)


@dataclass(frozen=True, slots=True)
class Composer:
    """A composer of the editor, before it is read."""

    id: str
    part: Part
    parent: str | None
    has_bubbles: bool
    """Whether its messages are kept in the database (newer agents keep some elsewhere, opaque)."""


def composers(path: Path, cancel: CancelToken) -> list[Composer]:
    """The composers that hold anything. Raises ``storeUnreadable``, ``storeBusy``."""
    return listed(path, cancel, lambda database: _composers(database, path))


def _composers(database: Database, path: Path) -> list[Composer]:
    database.require("Cursor", TABLE, "key", "value")
    rows = list(
        database.rows(
            f"SELECT rowid, key FROM {TABLE} WHERE key >= 'composerData:' AND key < 'composerData;' ORDER BY key"
        )
    )
    found: list[tuple[str, Part]] = []
    parents: dict[str, str] = {}
    for number, key in rows:
        identity = (words(key) or "").partition(":")[2]
        try:
            row = database.row(_GLANCE, (number,))
        except AnamnesisError:
            continue
        if not identity or row is None:
            continue
        updated, created, below = (json_list(row[1]) or [None, None, None])[:3]
        for child in cast("list[object]", below) if isinstance(below, list) else []:
            if isinstance(child, str) and child != identity:
                parents[child] = identity
        if row[2]:
            when = moment(updated) or moment(created)
            found.append((identity, row_part(path, row[0], None if when is None else when.timestamp())))
    told: list[Composer] = []
    for identity, one in found:
        prefix = f"bubbleId:{identity}"
        stored = database.row(f"SELECT 1 FROM {TABLE} WHERE key >= ? AND key < ?", (prefix + ":", prefix + ";"))
        inline = stored is None and _inline(database, identity)
        told.append(Composer(identity, one, parents.get(identity), stored is not None or inline))
    return told


def _inline(database: Database, identity: str) -> bool:
    return (
        database.row(
            f"SELECT 1 FROM {TABLE} WHERE key = ? AND json_array_length({_TEXT}, '$.conversation') > 0",
            (f"composerData:{identity}",),
        )
        is not None
    )


def about_composer(database: Database, identity: str, head: Head) -> JsonObject | None:
    """The composer's own record; its title, times and directory are noted in ``head``."""
    composer = json_object(database.cell(_VALUE, (f"composerData:{identity}",)))
    if composer is None:
        return None
    workspace = object_of(composer.get("workspaceIdentifier"))
    note(head, moment(composer.get("createdAt")), path_of_uri(workspace.get("uri")))
    note(head, moment(composer.get("lastUpdatedAt")))
    entitle(head, text_of(composer.get("name")), "assistant", None)
    return composer


class IdeReading(Reading):
    """One pass over a composer's bubbles, in the order of its list."""

    def __init__(self, source: Source, cancel: CancelToken) -> None:
        self.head = Head()
        self.scan = Scan(skipped_lines=0)
        self._source = source
        self._cancel = cancel
        self._drafts = Drafts(self.head)
        self._is_agent = source.parent_id is not None
        self._model: str | None = None
        self._calls = 0

    def __iter__(self) -> Iterator[Turn]:
        path = self._source.path
        with opened(path, self._cancel) as database:
            database.require("Cursor", TABLE, "key", "value")
            composer = about_composer(database, self._source.id, self.head)
            if composer is None:
                raise gone(path)
            shape = composer.get("_v")
            if isinstance(shape, int) and shape not in KNOWN_SHAPES:
                unknown(self.scan, f"composer version {shape}")
            self._model = text_of(object_of(composer.get("modelConfig")).get("modelName"))
            if not self.head.cwds:
                note(self.head, None, _workspace(path, database, self._source.id, self._cancel))
            for bubble in self._bubbles(database, composer):
                self._bubble(database, bubble)
                yield from self._drafts.ready()
        yield from self._drafts.rest()
        entitle(self.head, self.head.title, self.head.title_from or "assistant", self._drafts.first_words)

    def _bubbles(self, database: Database, composer: JsonObject) -> Iterator[JsonObject]:
        headers = objects_of(composer.get("fullConversationHeadersOnly"))
        for header in headers:
            identity = text_of(header.get("bubbleId"))
            if identity is None or object_of(header.get("grouping")).get("isRenderable") is False:
                continue
            key = f"bubbleId:{self._source.id}:{identity}"
            bubble = json_object(database.cell(_VALUE, (key,)))
            if bubble is None:
                self.scan.skipped_lines = (self.scan.skipped_lines or 0) + 1
                continue
            yield {"type": header.get("type"), "bubbleId": identity, **bubble}
        if not headers:
            yield from objects_of(composer.get("conversation"))

    def _bubble(self, database: Database, bubble: JsonObject) -> None:
        kind, identity = bubble.get("type"), text_of(bubble.get("bubbleId"))
        timing = object_of(bubble.get("timingInfo"))
        when = next(
            (
                found
                for value in (bubble.get("createdAt"), bubble.get("timestamp"), timing.get("clientStartTime"))
                if (found := moment(value)) is not None
            ),
            None,
        )
        project = path_of_uri(bubble.get("workspaceProjectDir"))
        if project and not self.head.cwds:
            note(self.head, None, project)
        cwd = project or (self.head.cwds[0] if self.head.cwds else None)
        text = text_of(bubble.get("text")) or text_of(bubble.get("rawText")) or ""
        if kind == 1:
            speaker, name = (Speaker.ASSISTANT, "prompt to a sub-agent") if self._is_agent else (Speaker.PERSON, None)
            self._drafts.say(speaker, text, when, name=name, cwd=cwd, native_id=identity)
            if self._is_agent:
                self._drafts.first_words = self._drafts.first_words or text
        elif kind == 2:
            draft = self._drafts.current
            if draft is None or text.strip():
                draft = self._drafts.open(
                    Speaker.SUBAGENT if self._is_agent else Speaker.ASSISTANT,
                    when,
                    name=self._source.agent or self._model,
                    cwd=cwd,
                    native_id=identity,
                )
                self._drafts.add(draft, text)
                self._drafts.current = draft
            note(self.head, when)
            self._tool(database, draft, object_of(bubble.get("toolFormerData")))
        else:
            unknown(self.scan, f"bubble {kind}"[:60])

    def _tool(self, database: Database, draft: Draft, tool: JsonObject) -> None:
        name = text_of(tool.get("name"))
        if name is None:
            return
        arguments = {**object_in(tool.get("params")), **object_in(tool.get("rawArgs"))}
        result = object_in(tool.get("result"))
        if command_of(name, arguments) is not None:
            self._ran(draft, tool, name, arguments, result)
            return
        after = self._content(database, result.get("afterContentId"))
        before = self._content(database, result.get("beforeContentId")) if after is not None else None
        edits = edits_of_bubble(tool, before, after)
        draft.edits += edits
        path = path_of(arguments)
        if not edits and path:
            draft.mentions[path] = None

    def _content(self, database: Database, key: object) -> str | None:
        """A file's content before or after an edit, which newer versions keep under a key of its own."""
        if not isinstance(key, str) or not key.startswith("composer.content."):
            return None
        return words(database.cell(_VALUE, (key,)))

    def _ran(self, draft: Draft, tool: JsonObject, name: str, arguments: JsonObject, result: JsonObject) -> None:
        outcome = outcome_of_bubble(tool)
        exit_code = result.get("exitCodeV2", result.get("exitCode"))
        if result.get("rejected") is True:
            outcome = EditOutcome.REJECTED
        elif exit_code not in (0, None) and outcome is EditOutcome.APPLIED:
            outcome = EditOutcome.FAILED
        self._calls += 1
        identity = f"{self._calls}"
        self._drafts.call(draft, identity, name, arguments)
        output = text_of(result.get("output")) or ""
        self._drafts.result(identity, outcome, output if outcome is EditOutcome.APPLIED else "")


# -- whose project a composer is of, where it does not say so itself


def _workspace(path: Path, database: Database, composer: str, cancel: CancelToken) -> str | None:
    """The folder of the workspace whose list names the composer."""
    if database.has("ItemTable", "key", "value"):
        headers = json_object(database.cell("SELECT value FROM ItemTable WHERE key = 'composer.composerHeaders'"))
        for header in objects_of(object_of(headers).get("allComposers")):
            if header.get("composerId") == composer:
                folder = path_of_uri(object_of(header.get("workspaceIdentifier")).get("uri"))
                if folder:
                    return folder
    storages = path.parent.parent / "workspaceStorage"
    if not storages.is_dir():
        return None
    found = [one for storage in sorted(storages.iterdir()) if (one := part(storage / "state.vscdb")) is not None]
    return _folders(tuple(found), _Token(cancel)).get(composer)


class _Token:
    """The caller's token, equal to every other one: it takes no part in the cache's key."""

    def __init__(self, cancel: CancelToken) -> None:
        self.cancel = cancel

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Token)

    def __hash__(self) -> int:
        return 0


@lru_cache(maxsize=4)
def _folders(databases: tuple[Part, ...], token: _Token) -> dict[str, str]:
    """The folder of each composer that a workspace's own database lists."""
    found: dict[str, str] = {}
    for one in databases:
        folder = workspace_folder(one.path.parent)
        if folder is None:
            continue
        try:
            with opened(one.path, token.cancel) as database:
                if not database.has("ItemTable", "key", "value"):
                    continue
                about = json_object(database.cell("SELECT value FROM ItemTable WHERE key = 'composer.composerData'"))
        except AnamnesisError:
            continue
        for composer in objects_of(object_of(about).get("allComposers")):
            identity = text_of(composer.get("composerId"))
            if identity:
                found[identity] = folder
    return found
