"""Continue (the editor extension and ``cn``): one JSON file per session, with an index beside them.

Format: ``formats/FORMATS.md`` section 11. No message has a time; the index knows when a session began. What the person
typed is ``editorState`` where there is one: the message's content has the files they mentioned put into it.

Not read: the content of context items, reasoning, ``dev_data``.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import ClassVar

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.errors import AnamnesisError
from anamnesis_lsp.records.conversations.drafts import Drafts, arguments_of, entitle, exact_edits, note, unknown
from anamnesis_lsp.records.conversations.handles import resumed
from anamnesis_lsp.records.conversations.json_document import json_document
from anamnesis_lsp.records.conversations.json_items import JsonItems
from anamnesis_lsp.records.conversations.jsonl import JsonObject, object_of, objects_of, open_log, text_of
from anamnesis_lsp.records.conversations.model import EditOutcome, Handle, Head, Reading, Runtime, Scan, Source, Turn
from anamnesis_lsp.records.conversations.stores import files, part
from anamnesis_lsp.records.conversations.times import moment
from anamnesis_lsp.records.conversations.vscode import path_of_uri
from anamnesis_lsp.records.evidence import Speaker

_INDEX = "sessions.json"
_OUTCOMES = {
    "done": EditOutcome.APPLIED,
    "errored": EditOutcome.FAILED,
    "canceled": EditOutcome.REJECTED,
    "cancelled": EditOutcome.REJECTED,
}
_SESSION_ID = re.compile(rb'\A\s*\{\s*"sessionId"\s*:\s*"([\w-]{1,100})"')
_HEAD_BYTES = 512
_MAX_INDEX = 16 << 20
_NO_TITLES = ("New Session", "Untitled Session", "Untitled")
_LINE_ENDS = ("paragraph", "heading", "codeBlock", "listItem", "blockquote")


class ContinueReading(Reading):
    """One pass over a session."""

    def __init__(self, source: Source, cancel: CancelToken) -> None:
        self.head = Head()
        self.scan = Scan(skipped_lines=0)
        self._source = source
        self._cancel = cancel
        self._drafts = Drafts(self.head)
        self._cwd: str | None = None
        self._title: str | None = None

    def __iter__(self) -> Iterator[Turn]:
        listed = _indexed(self._source.path).get(self._source.id, {})
        note(self.head, moment(listed.get("dateCreated")))
        self._in(listed.get("workspaceDirectory"))
        items = JsonItems(self._source.path, self._cancel, lists=("history",))
        known = False
        for key, value in items:
            if key == "history":
                known = True
                self._item(object_of(value))
                yield from self._drafts.ready()
            elif key == "workspaceDirectory":
                self._in(value)
            elif key == "title" and text_of(value) not in _NO_TITLES:
                self._title = text_of(value)
        self.scan.skipped_lines = items.skipped
        self.scan.incomplete_tail = items.incomplete
        if not known and not items.incomplete:
            unknown(self.scan, "(no session of Continue)")
        entitle(self.head, self._title, "assistant", self._drafts.first_words)
        yield from self._drafts.rest()

    def _in(self, directory: object) -> None:
        self._cwd = path_of_uri(directory) or self._cwd
        note(self.head, None, self._cwd)

    def _item(self, item: JsonObject) -> None:
        message = object_of(item.get("message"))
        role, identity = message.get("role"), text_of(message.get("id"))
        if role == "user":
            text = typed(item.get("editorState")) or plain(message.get("content"))
            self._drafts.say(Speaker.PERSON, text, cwd=self._cwd, native_id=identity)
        elif role == "system":
            self._drafts.say(Speaker.INJECTED, plain(message.get("content")), name="system prompt", cwd=self._cwd)
        elif role == "assistant":
            draft = self._drafts.open(Speaker.ASSISTANT, cwd=self._cwd, native_id=identity)
            self._drafts.add(draft, plain(message.get("content")))
            states = {text_of(state.get("toolCallId")): state for state in objects_of(item.get("toolCallStates"))}
            calls = objects_of(message.get("toolCalls"))
            calls += [object_of(s.get("toolCall")) for s in states.values() if not calls]
            for call in calls:
                function, called = object_of(call.get("function")), text_of(call.get("id"))
                tool, state = text_of(function.get("name")), states.get(called, {})
                arguments = object_of(state.get("parsedArgs")) or arguments_of(function.get("arguments"))
                if tool:
                    self._drafts.call(draft, called, tool, arguments)
                if state:
                    self._settle(called, state)
        elif role not in ("tool", "thinking"):
            unknown(self.scan, f"message of {role}" if isinstance(role, str) else None)
        summary = text_of(item.get("conversationSummary"))
        self._drafts.say(Speaker.INJECTED, summary, name="compaction summary", cwd=self._cwd)

    def _settle(self, called: str | None, state: JsonObject) -> None:
        status = state.get("status")
        outcome = _OUTCOMES.get(status, EditOutcome.UNCONFIRMED) if isinstance(status, str) else EditOutcome.UNCONFIRMED
        if called is None or outcome is EditOutcome.UNCONFIRMED:
            return
        output = "\n".join(text_of(one.get("content")) or "" for one in objects_of(state.get("output")))
        _, marked, diff = output.partition("\nDiff:\n")
        exact = exact_edits(self._drafts.edits_of(called), diff) if marked else None
        self._drafts.result(called, outcome, output, exact)


def plain(content: object) -> str:
    """The text of a message's content: text, or parts of which those of type text count."""
    if isinstance(content, str):
        return content
    texts = (text_of(one.get("text")) for one in objects_of(content) if one.get("type") == "text")
    return "\n".join(text for text in texts if text)


def typed(state: object) -> str:
    """What stands in the editor that a person typed into: text, or a document of paragraphs with mentions."""
    if isinstance(state, str):
        return state
    pieces: list[str] = []
    stack: list[object] = [state]
    while stack:
        node = stack.pop()
        if isinstance(node, str):
            pieces.append(node)
            continue
        parts = object_of(node)
        kind, attributes = parts.get("type"), object_of(parts.get("attrs"))
        if kind == "text":
            pieces.append(text_of(parts.get("text")) or "")
        elif kind == "hardBreak":
            pieces.append("\n")
        elif kind in ("mention", "slashcommand", "slash-command", "prompt-block"):
            label = text_of(attributes.get("label")) or text_of(attributes.get("id")) or ""
            mark = "@" if kind == "mention" else "/"
            pieces.append(label if label.startswith(mark) else mark + label)
        if kind in _LINE_ENDS:
            stack.append("\n")
        stack += reversed(objects_of(parts.get("content")))
    return "".join(pieces).strip()


class Continue(Runtime):
    """Sessions of Continue's extensions and of ``cn``."""

    name: ClassVar[str] = "continue"
    versions: ClassVar[str] = "sessions of 2025 and 2026 (CLI up to 1.5.47)"

    def default_roots(self, environ: Mapping[str, str], home: Path, workspace: Path | None) -> list[Path]:
        """``~/.continue``; ``CONTINUE_GLOBAL_DIR`` moves it."""
        moved = environ.get("CONTINUE_GLOBAL_DIR")
        return [Path(moved).expanduser() if moved else home / ".continue"]

    def sources(self, root: Path, cancel: CancelToken) -> Iterator[Source]:
        """One per file in ``sessions`` (or in ``root`` itself, where it has no such folder)."""
        base = root / "sessions" if (root / "sessions").is_dir() else root
        for found in files(base, cancel, (".json",), max_depth=0):
            if found.path.name != _INDEX or root.is_file():
                yield Source(self.name, root, _session_id(found.path), (found,))

    def read(self, source: Source, cancel: CancelToken) -> Reading:
        """One pass over the session."""
        return ContinueReading(source, cancel)

    def handle(self, source: Source, head: Head, exists: Iterable[str] | None = None) -> Handle:
        """``cn --fork``, which goes on in a copy: nothing resumes a session by its id."""
        told = "This goes on in a copy. In the editor, open the session in Continue's history."
        return resumed(f"cn --fork {shlex.quote(source.id)}", head.cwds[0] if head.cwds else None, exists, [told])


RUNTIMES = (Continue,)


def _session_id(path: Path) -> str:
    """The id that the session gives itself at its head, else its file's name."""
    try:
        with open_log(path) as file:
            match = _SESSION_ID.search(file.read(_HEAD_BYTES))
    except (AnamnesisError, OSError):
        match = None
    return match[1].decode("ascii") if match else path.stem


def _indexed(session: Path) -> dict[str, JsonObject]:
    found = part(session.with_name(_INDEX))
    return {} if found is None else _index(found.path, found.size, found.mtime_ns)


@lru_cache(maxsize=8)
def _index(path: Path, size: int, mtime_ns: int) -> dict[str, JsonObject]:
    try:
        listed = objects_of(json_document(path, _MAX_INDEX))
    except AnamnesisError:
        return {}
    return {identity: entry for entry in listed if (identity := text_of(entry.get("sessionId")))}
