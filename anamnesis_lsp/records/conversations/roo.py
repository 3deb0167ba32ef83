"""Roo Code (closed in May 2026) and the forks that keep its layout. ``formats/FORMATS.md`` section 8.

A root may be the extension's storage (``tasks/`` inside), a folder of tasks, one task or one of its files. A task that
another task made names its parent: what opens it was written by the parent's assistant.

Not read: thinking, images, browser and MCP results, checkpoints (a shadow repository), ``task_metadata.json``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import ClassVar

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.errors import AnamnesisError
from anamnesis_lsp.records.conversations.cline_tasks import TaskReading, about, tasks
from anamnesis_lsp.records.conversations.jsonl import open_log, text_of
from anamnesis_lsp.records.conversations.model import Handle, Head, Reading, Runtime, Source
from anamnesis_lsp.records.conversations.stores import require_root
from anamnesis_lsp.records.conversations.vscode import ALL, present_or_usual, user_folders

_EXTENSIONS = ("rooveterinaryinc.roo-cline", "kilocode.kilo-code")
_CUSTOM = re.compile(rb'"(?:roo-cline|kilo-code)\.customStoragePath"\s*:\s*"((?:[^"\\]|\\.){1,1000})"')
_MAX_SETTINGS = 1 << 20


class Roo(Runtime):
    """Roo Code in editors."""

    name: ClassVar[str] = "roo"
    versions: ClassVar[str] = "3.x, until May 2026, and forks of the same layout (Kilo Code)"

    def default_roots(self, environ: Mapping[str, str], home: Path, workspace: Path | None) -> list[Path]:
        """The extension's storage in every editor here, and where its setting ``customStoragePath`` moved it."""
        users = user_folders(environ, home, ALL)
        stored = [user / "globalStorage" / name for name in _EXTENSIONS for user in users]
        moved = [path for user in users if (path := _moved(user / "settings.json")) is not None]
        return list(dict.fromkeys([*moved, *present_or_usual(stored)]))

    def sources(self, root: Path, cancel: CancelToken) -> Iterator[Source]:
        """One per task."""
        require_root(root)
        taken: set[str] = set()
        for task in tasks(root, cancel):
            if task.parts and task.folder.name not in taken:
                taken.add(task.folder.name)
                parent = text_of(about(task.folder).get("parentTaskId"))
                yield Source(self.name, root, task.folder.name, task.parts, parent, "sub-task" if parent else None)

    def read(self, source: Source, cancel: CancelToken) -> Reading:
        """One pass over the task."""
        return TaskReading(source, cancel)

    def handle(self, source: Source, head: Head, exists: Iterable[str] | None = None) -> Handle:
        """A task is opened in the extension's history only."""
        name = f"'{head.title}'" if head.title else source.id
        return Handle(None, f"Roo Code opens a task from its history only: look for {name}.")


RUNTIMES = (Roo,)


def _moved(settings: Path) -> Path | None:
    """The folder that an editor's settings (JSON with comments) name for the tasks."""
    try:
        with open_log(settings) as file:
            match = _CUSTOM.search(file.read(_MAX_SETTINGS))
    except (AnamnesisError, OSError):
        return None
    if match is None:
        return None
    named = match[1].decode("utf-8", "replace").replace("\\\\", "\\")
    return Path(named) if named.strip() and "\0" not in named else None
