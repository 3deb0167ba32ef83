"""The folders that Cline, Roo Code and their forks keep: ``tasks/<id>/`` with what was shown and the model's own file.

``formats/FORMATS.md`` section 8. Files are rewritten whole on every change.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.errors import AnamnesisError
from anamnesis_lsp.records.conversations.cline_messages import Messages, Whose
from anamnesis_lsp.records.conversations.cline_ui import UiMessages
from anamnesis_lsp.records.conversations.drafts import entitle, note, unknown
from anamnesis_lsp.records.conversations.json_document import json_document, small_object
from anamnesis_lsp.records.conversations.jsonl import JsonObject, objects_of, text_of
from anamnesis_lsp.records.conversations.model import Head, Part, Reading, Scan, Source, Turn
from anamnesis_lsp.records.conversations.stores import files, part
from anamnesis_lsp.records.conversations.times import moment

SHOWN = "ui_messages.json"
CONVERSATION = "api_conversation_history.json"
ABOUT = "history_item.json"
_MAX_HISTORY = 16 << 20
NOT_ENTERED = (
    ".git",
    "node_modules",
    "checkpoints",
    "settings",
    "cache",
    "puppeteer",
    "vector",
    "logs",
    "workflows",
    "rules",
    "locks",
)


@dataclass(frozen=True, slots=True)
class Task:
    """One task's folder: the parts that are there, what was shown first."""

    folder: Path
    parts: tuple[Part, ...]


def tasks(root: Path, cancel: CancelToken) -> Iterator[Task]:
    """The tasks under ``root`` (or the one that a given file belongs to)."""
    if root.is_file():
        if root.name in (SHOWN, CONVERSATION):
            yield _task(root.parent)
        return
    seen: set[Path] = set()
    for found in files(root, cancel, (SHOWN, CONVERSATION), NOT_ENTERED, 6):
        folder = found.path.parent
        if found.path.name in (SHOWN, CONVERSATION) and folder not in seen:
            seen.add(folder)
            yield _task(folder)


def _task(folder: Path) -> Task:
    found = (part(folder / name) for name in (SHOWN, CONVERSATION, ABOUT))
    return Task(folder, tuple(one for one in found if one is not None and (one.size or one.path.name != SHOWN)))


def about(folder: Path) -> JsonObject:
    """What the history says of a task: its own item, else its entry in the extension's list."""
    item = small_object(folder / ABOUT)
    if item:
        return item
    found = part(folder.parent.parent / "state" / "taskHistory.json")
    return {} if found is None else _listed(found.path, found.size, found.mtime_ns).get(folder.name, {})


@lru_cache(maxsize=16)
def _listed(path: Path, size: int, mtime_ns: int) -> dict[str, JsonObject]:
    try:
        items = objects_of(json_document(path, _MAX_HISTORY))
    except AnamnesisError:
        return {}
    return {identity: item for item in items if (identity := text_of(item.get("id")))}


class TaskReading(Reading):
    """One pass over a task: what was shown, joined with the model's conversation; or that alone."""

    def __init__(self, source: Source, cancel: CancelToken) -> None:
        self.head = Head()
        self.scan = Scan(skipped_lines=0)
        self._source = source
        self._cancel = cancel

    def __iter__(self) -> Iterator[Turn]:
        head, source = self.head, self._source
        item = about(source.path.parent)
        cwd = text_of(item.get("cwdOnTaskInitialization")) or text_of(item.get("workspace"))
        note(head, None, cwd)
        found = {one.path.name: one.path for one in source.parts}
        count = 0
        first_words: str | None = None
        if SHOWN in found:
            shown = UiMessages(
                found[SHOWN], found.get(CONVERSATION), self._cancel, head, self.scan, source.parent_id is not None
            )
            for turn in shown:
                count = turn.n
                yield turn
            first_words = shown.first_words
        if not count and CONVERSATION in found:
            agent = "sub-task" if source.parent_id is not None else None
            messages = Messages(found[CONVERSATION], self._cancel, head, self.scan, Whose(agent, cwd=cwd))
            for turn in messages:
                count = turn.n
                yield turn
            first_words = messages.first_words
        if not count and not self.scan.incomplete_tail and self.scan.skipped_lines:
            unknown(self.scan, "(no task)")
        if head.started is None:
            note(head, moment(item.get("ts")))
        title = text_of(item.get("task"))
        if first_words is None and title:
            first_words = title
        entitle(head, None, "person", first_words)
