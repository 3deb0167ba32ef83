"""Windsurf, as far as it can be read: the transcripts that its hooks write (``~/.windsurf/transcripts/<id>.jsonl``).

Format: ``formats/FORMATS.md`` section 11. A line is one step; no step has a time. What the person typed is a
``user_input``; an edit is a ``code_action`` with what the person made of it, and holds the file's whole new text: lines
that the transcript itself wrote to that file before are not counted as new.

Not read: the store of Cascade itself (encrypted), and the chat state in ``state.vscdb`` (its shape is not known).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import ClassVar

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.records.conversations import patches, shell
from anamnesis_lsp.records.conversations.claude_results import shell_edits
from anamnesis_lsp.records.conversations.drafts import Draft, Drafts, among, entitle, note, unknown
from anamnesis_lsp.records.conversations.jsonl import JsonLines, JsonObject, object_of, text_of
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
from anamnesis_lsp.records.conversations.stores import files
from anamnesis_lsp.records.conversations.tool_edits import settled
from anamnesis_lsp.records.conversations.vscode import path_of_uri
from anamnesis_lsp.records.evidence import Speaker

_SILENT = frozenset(
    (
        "list_directory",
        "find",
        "grep_search",
        "list_resources",
        "read_resource",
        "code_search",
        "search_web",
        "read_url_content",
        "mcp_tool",
        "checkpoint",
        "memory",
        "todo_list",
        "view_code_item",
        "command_status",
    )
)
_MAX_FILE_CHARS = 2 << 20
_MAX_KNOWN_CHARS = 32 << 20


class WindsurfReading(Reading):
    """One pass over a transcript."""

    def __init__(self, source: Source, cancel: CancelToken) -> None:
        self.head = Head()
        self.scan = Scan(skipped_lines=0)
        self._source = source
        self._cancel = cancel
        self._drafts = Drafts(self.head)
        self._written: dict[str, str] = {}
        self._chars = 0
        self._offset: int | None = None

    def __iter__(self) -> Iterator[Turn]:
        lines = JsonLines(self._source.path, self._cancel)
        try:
            for offset, record in lines:
                self._offset = offset
                self._step(record)
                yield from self._drafts.ready()
        finally:
            self.scan.skipped_lines = lines.skipped_lines
            self.scan.incomplete_tail = lines.incomplete_tail
        entitle(self.head, None, "assistant", self._drafts.first_words)
        yield from self._drafts.rest()

    def _step(self, record: JsonObject) -> None:
        kind = record.get("type")
        step = object_of(record.get(kind)) if isinstance(kind, str) else {}
        if kind == "user_input":
            self._drafts.say(Speaker.PERSON, text_of(step.get("user_response")), offset=self._offset)
        elif kind == "planner_response":
            draft = self._drafts.open(Speaker.ASSISTANT, offset=self._offset)
            self._drafts.add(draft, text_of(step.get("response")) or "")
            self._drafts.current = draft
        elif kind == "view_file":
            path = path_of_uri(step.get("path"))
            if path:
                self._reply().mentions[path] = None
        elif kind == "code_action":
            self._edit(step, record.get("status"))
        elif kind == "run_command":
            self._ran(step)
        elif not among(kind, _SILENT):
            unknown(self.scan, kind)

    def _reply(self) -> Draft:
        """The assistant's turn that its steps belong to."""
        if self._drafts.current is None:
            self._drafts.current = self._drafts.open(Speaker.ASSISTANT, offset=self._offset)
        return self._drafts.current

    def _edit(self, step: JsonObject, status: object) -> None:
        path, text = path_of_uri(step.get("path")), step.get("new_content")
        if path is None or not isinstance(text, str):
            return
        acknowledged = text_of(step.get("acknowledgement_type")) or ""
        outcome = EditOutcome.UNCONFIRMED
        if status == "error":
            outcome = EditOutcome.FAILED
        elif acknowledged.endswith("_ACCEPT"):
            outcome = EditOutcome.APPLIED
        elif acknowledged.endswith("_REJECT"):
            outcome = EditOutcome.REJECTED
        before = self._written.get(path)
        if before is None:
            edit = Edit(path, text, None, outcome, "code_action", whole_file=True)
        else:
            written, removed = patches.changed_lines(before, text)
            edit = Edit(path, written, removed or None, outcome, "code_action")
        if outcome is EditOutcome.APPLIED:
            self._remember(path, text)
        self._reply().edits.append(edit)

    def _remember(self, path: str, text: str) -> None:
        self._chars += len(text) - len(self._written.pop(path, ""))
        if len(text) > _MAX_FILE_CHARS or self._chars > _MAX_KNOWN_CHARS:
            self._chars -= len(text)
        else:
            self._written[path] = text

    def _ran(self, step: JsonObject) -> None:
        command, directory = text_of(step.get("command")), path_of_uri(step.get("cwd"))
        note(self.head, None, directory)
        if command is None or step.get("user_rejected") is True:
            return
        draft = self._reply()
        draft.cwd = draft.cwd or directory
        outcome = EditOutcome.APPLIED if step.get("exit_code") == 0 else EditOutcome.UNCONFIRMED
        draft.edits += settled(shell_edits("run_command", command), outcome)
        draft.commits += shell.commits_in(command, text_of(step.get("output")) or "")


class Windsurf(Runtime):
    """Windsurf's transcripts."""

    name: ClassVar[str] = "windsurf"
    versions: ClassVar[str] = "hook transcripts of 2026 (Cascade's own store is encrypted)"

    def default_roots(self, environ: Mapping[str, str], home: Path, workspace: Path | None) -> list[Path]:
        """``~/.windsurf/transcripts``."""
        return [home / ".windsurf" / "transcripts"]

    def sources(self, root: Path, cancel: CancelToken) -> Iterator[Source]:
        """One per transcript."""
        for found in files(root, cancel, (".jsonl",), max_depth=2):
            yield Source(self.name, root, found.path.stem, (found,))

    def read(self, source: Source, cancel: CancelToken) -> Reading:
        """One pass over the transcript."""
        return WindsurfReading(source, cancel)

    def handle(self, source: Source, head: Head, exists: Iterable[str] | None = None) -> Handle:
        """There is no way back in."""
        return Handle(None, f"Windsurf cannot reopen a conversation by id; read it in {source.path}.")


RUNTIMES = (Windsurf,)
