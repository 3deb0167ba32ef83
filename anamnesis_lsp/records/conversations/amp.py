"""Amp: threads that were kept on this machine, one JSON file each (``T-<uuid>.json``).

Format: ``formats/FORMATS.md`` section 10. A person's message is a user message with text; the results of tools are user
messages of their own. A result's ``diff`` shows what an edit really wrote. Where a thread began is recorded: the
repository's remote, branch and commit. Since spring 2026 threads live on Amp's server, and a file here may be old.

Not read: thinking, the talk of sub-agents (not stored), threads on the server, the new client's logs.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.records.conversations.drafts import Draft, Drafts, among, entitle, exact_edits, note, unknown
from anamnesis_lsp.records.conversations.handles import resumed
from anamnesis_lsp.records.conversations.json_items import JsonItems
from anamnesis_lsp.records.conversations.jsonl import JsonObject, object_of, objects_of, text_of
from anamnesis_lsp.records.conversations.model import (
    EditOutcome,
    Handle,
    Head,
    Reading,
    Runtime,
    Scan,
    Source,
    Turn,
    name_once,
)
from anamnesis_lsp.records.conversations.stores import files
from anamnesis_lsp.records.conversations.times import moment
from anamnesis_lsp.records.conversations.tool_edits import path_of
from anamnesis_lsp.records.conversations.vscode import path_of_uri
from anamnesis_lsp.records.evidence import Speaker

_OUTCOMES = {
    "done": EditOutcome.APPLIED,
    "error": EditOutcome.FAILED,
    "cancelled": EditOutcome.REJECTED,
    "canceled": EditOutcome.REJECTED,
    "rejected-by-user": EditOutcome.REJECTED,
}
_SILENT = frozenset(("thinking", "redacted_thinking", "image", "manual_bash_invocation"))


class AmpReading(Reading):
    """One pass over a thread. Turns go out at the end: an edit may be undone by a later call."""

    def __init__(self, source: Source, cancel: CancelToken) -> None:
        self.head = Head(links=[f"https://ampcode.com/threads/{source.id}"])
        self.scan = Scan(skipped_lines=0)
        self._source = source
        self._cancel = cancel
        self._drafts = Drafts(self.head, until_the_end=True)
        self._undos: dict[str, str] = {}
        self._title: str | None = None
        self._known = False

    def __iter__(self) -> Iterator[Turn]:
        items = JsonItems(self._source.path, self._cancel, lists=("messages",))
        for key, value in items:
            if key == "messages":
                self._known = True
                self._message(object_of(value))
                yield from self._drafts.ready()
            elif key == "title":
                self._title = text_of(value)
            elif key == "created":
                note(self.head, moment(value))
            elif key == "env":
                self._began(object_of(object_of(value).get("initial")))
        self.scan.skipped_lines = items.skipped
        self.scan.incomplete_tail = items.incomplete
        if not self._known and not items.incomplete:
            unknown(self.scan, "(no thread of Amp)")
        entitle(self.head, self._title, "assistant", self._drafts.first_words)
        yield from self._drafts.rest()

    def _began(self, initial: JsonObject) -> None:
        head = self.head
        for tree in objects_of(initial.get("trees")):
            repository = object_of(tree.get("repository"))
            ref = text_of(repository.get("ref"))
            note(head, None, path_of_uri(tree.get("uri")), ref.removeprefix("refs/heads/") if ref else None)
            url, commit = text_of(repository.get("url")), text_of(repository.get("sha"))
            name_once(head.remotes, url)
            name_once(head.head_commits, commit)
        head.version = text_of(object_of(initial.get("platform")).get("clientVersion")) or head.version

    def _message(self, message: JsonObject) -> None:
        role, content = message.get("role"), message.get("content")
        number = message.get("messageId")
        native = (
            None if not isinstance(number, (int, str)) or isinstance(number, bool) else f"{self._source.id}:{number}"
        )
        blocks = objects_of(content)
        if role == "assistant":
            usage = object_of(message.get("usage"))
            draft = self._drafts.open(
                Speaker.ASSISTANT, moment(usage.get("timestamp")), name=text_of(usage.get("model")), native_id=native
            )
            for block in blocks:
                self._said(draft, block)
            if isinstance(content, str):
                self._drafts.add(draft, content)
            return
        if role != "user":
            unknown(self.scan, f"message of {role}" if isinstance(role, str) else None)
            return
        results = [block for block in blocks if block.get("type") == "tool_result"]
        for block in results:
            self._result(block)
        texts = [content] if isinstance(content, str) else [block.get("text") for block in blocks]
        text = "\n\n".join(one.strip() for one in texts if isinstance(one, str) and one.strip())
        speaker = Speaker.INJECTED if results else Speaker.PERSON
        self._drafts.say(speaker, text, moment(object_of(message.get("meta")).get("sentAt")), native_id=native)

    def _said(self, draft: Draft, block: JsonObject) -> None:
        kind = block.get("type")
        if kind == "text":
            self._drafts.add(draft, text_of(block.get("text")) or "")
        elif kind == "tool_use":
            tool, identity = text_of(block.get("name")), text_of(block.get("id"))
            arguments = object_of(block.get("input"))
            if tool == "undo_edit":
                path = path_of(arguments)
                if identity and path:
                    self._undos[identity] = path
            elif tool:
                self._drafts.call(draft, identity, tool, arguments)
        elif not among(kind, _SILENT):
            unknown(self.scan, f"content of type {kind}" if isinstance(kind, str) else None)

    def _result(self, block: JsonObject) -> None:
        identity = text_of(block.get("toolUseID")) or text_of(block.get("tool_use_id"))
        run = object_of(block.get("run"))
        status = run.get("status")
        outcome = _OUTCOMES.get(status, EditOutcome.UNCONFIRMED) if isinstance(status, str) else EditOutcome.UNCONFIRMED
        result = run.get("result")
        detail = object_of(result)
        if detail.get("success") is False:
            outcome = EditOutcome.FAILED
        if identity is None:
            return
        undone = self._undos.pop(identity, None)
        if undone is not None and outcome is EditOutcome.APPLIED:
            self._drafts.change(
                lambda edit: edit.path == undone and edit.outcome is EditOutcome.APPLIED,
                lambda edit: replace(edit, outcome=EditOutcome.UNDONE),
            )
            return
        output = result if isinstance(result, str) else text_of(detail.get("output")) or ""
        diff = text_of(detail.get("diff"))
        exact = exact_edits(self._drafts.edits_of(identity), diff) if diff else None
        self._drafts.result(identity, outcome, output, exact)


class Amp(Runtime):
    """Threads of Amp kept on this machine."""

    name: ClassVar[str] = "amp"
    versions: ClassVar[str] = "threads of schema v up to 220 (until spring 2026; newer threads live on the server)"

    def default_roots(self, environ: Mapping[str, str], home: Path, workspace: Path | None) -> list[Path]:
        """``threads`` under the data folder of this system."""
        if environ.get("LOCALAPPDATA"):
            return [Path(environ["LOCALAPPDATA"]) / "amp" / "threads"]
        return [Path(environ.get("XDG_DATA_HOME") or home / ".local" / "share") / "amp" / "threads"]

    def sources(self, root: Path, cancel: CancelToken) -> Iterator[Source]:
        """One per ``T-*.json`` under ``root``."""
        for found in files(root, cancel, (".json",), (".git", "node_modules"), 3):
            if root.is_file() or found.path.name.startswith("T-"):
                yield Source(self.name, root, found.path.stem, (found,))

    def read(self, source: Source, cancel: CancelToken) -> Reading:
        """One pass over the thread."""
        return AmpReading(source, cancel)

    def handle(self, source: Source, head: Head, exists: Iterable[str] | None = None) -> Handle:
        """``amp threads continue``, where it began; the thread's page on the web is named beside it."""
        web = f"On the web: https://ampcode.com/threads/{source.id}"
        command = f"amp threads continue {shlex.quote(source.id)}"
        return resumed(command, head.cwds[0] if head.cwds else None, exists, [web])


RUNTIMES = (Amp,)
