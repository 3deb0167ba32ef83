"""Gemini CLI: where its sessions lie, whose project they are of, and how to get back into one.

Format: ``formats/FORMATS.md`` section 3. A root may be ``.gemini``, its ``tmp``, one project's folder in it, a
``chats`` folder, or any folder or file of sessions. A session names no directory: the project is told by the folder's
``.project_root`` and by ``projects.json`` (by a hash before 2026). Where a session is there as ``.jsonl`` and as
``.json``, the first goes on from the second and is read alone.

Not read: thoughts, the output of tools (beyond outcome and commits), ``checkpoints``, copies named ``*.unreadable-…``.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import ClassVar

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.errors import AnamnesisError
from anamnesis_lsp.records.conversations.gemini_reading import GeminiReading
from anamnesis_lsp.records.conversations.handles import resumed
from anamnesis_lsp.records.conversations.json_document import small_object
from anamnesis_lsp.records.conversations.jsonl import object_of, open_log
from anamnesis_lsp.records.conversations.model import Handle, Head, Part, Reading, Runtime, Source
from anamnesis_lsp.records.conversations.stores import files, require_root
from anamnesis_lsp.records.conversations.typed_prompts import NOT_LISTED, of_gemini

_HEAD = 1 << 16
_SESSION = re.compile(rb'"sessionId"\s*:\s*"([^"\\\n]{1,200})"')
_NOT_SESSIONS = re.compile(
    r"(?:logs|projects|settings|state|trustedFolders|installation_id)\.json\Z|.*\.(?:unreadable|tmp)-"
)
_NOT_ENTERED = ("checkpoints", "history", "bin", "extensions", "node_modules", ".git", "images", "tool-outputs", "logs")


class Gemini(Runtime):
    """Sessions of Gemini CLI."""

    name: ClassVar[str] = "gemini"
    versions: ClassVar[str] = "one object per session (2025), logs to be replayed (to 0.61)"

    def default_roots(self, environ: Mapping[str, str], home: Path, workspace: Path | None) -> list[Path]:
        """``.gemini`` in ``GEMINI_CLI_HOME``, else in the home directory."""
        given = environ.get("GEMINI_CLI_HOME")
        return [(Path(given).expanduser() if given else home) / ".gemini"]

    def sources(self, root: Path, cancel: CancelToken) -> Iterator[Source]:
        """Every session; of each file only the start is looked at."""
        yield from chats(self.name, root, cancel)

    def read(self, source: Source, cancel: CancelToken) -> Reading:
        """The session as it stood at its end, rewound turns kept and named so."""
        return reading_of(source, cancel)

    def handle(self, source: Source, head: Head, exists: Iterable[str] | None = None) -> Handle:
        """``gemini --resume`` in the project's root: elsewhere it finds no session."""
        identity, notes = source.id, list[str]()
        if source.parent_id is not None:
            identity = source.parent_id
            notes.append("A sub-agent is not resumed by itself: this reopens its parent session.")
        home = _home_of(source.path)
        if home is not None and home != _usual_home():
            notes.append(f"It is kept in another home: set GEMINI_CLI_HOME={shlex.quote(str(home))}.")
        return resumed(
            f"gemini --resume {shlex.quote(identity)}", head.cwds[0] if head.cwds else None, exists, notes, bound=True
        )


RUNTIMES = (Gemini,)


def chats(runtime: str, root: Path, cancel: CancelToken) -> Iterator[Source]:
    """The sessions of a folder laid out as Gemini CLI's, for it and its kin. Raises ``storeUnreadable``."""
    require_root(root)
    inner = root / "tmp"
    base = inner if inner.is_dir() else root
    loose = base is root and root.name not in (".gemini", ".qwen", "tmp")
    sessions: dict[str, list[Part]] = {}
    agents: list[tuple[Part, str]] = []
    for found in files(base, cancel, (".jsonl", ".json"), _NOT_ENTERED):
        if _NOT_SESSIONS.match(found.path.name):
            continue
        folder = found.path.parent
        if folder.parent.name == "chats":
            agents.append((found, folder.name))
        elif folder.name == "chats" or (loose and folder == (base if base.is_dir() else base.parent)):
            identity = _session_of(found.path, found.size, found.mtime_ns) or found.path.stem
            sessions.setdefault(identity, []).append(found)
    for identity, parts in sessions.items():
        logs = [one for one in parts if one.path.name.endswith(".jsonl")]
        yield Source(runtime, root, identity, tuple(logs or parts))
    taken = set(sessions)
    for found, parent in agents:
        identity = found.path.stem if found.path.stem not in taken else f"{parent}/{found.path.stem}"
        if identity not in taken:
            taken.add(identity)
            yield Source(runtime, root, identity, (found,), parent, "sub-agent")


def reading_of(source: Source, cancel: CancelToken) -> GeminiReading:
    """The reading of a session laid out as Gemini CLI's."""
    folder = _project_folder(source.path)
    if folder is None:
        return GeminiReading(source, cancel)
    root = _project_root(folder)
    prompts = NOT_LISTED if source.parent_id else of_gemini(folder, source.id, cancel)
    return GeminiReading(source, cancel, [root] if root else [], prompts)


@lru_cache(maxsize=8192)
def _session_of(path: Path, size: int, mtime_ns: int) -> str | None:
    """The session's id, from the start of its file; of an old one whose id stands at the end, from there."""
    try:
        with open_log(path) as file:
            head = file.readline(_HEAD) if path.name.endswith(".jsonl") else file.read(_HEAD)
            found = _SESSION.search(head)
            if found is None and size > _HEAD:
                file.seek(size - 4096)
                found = _SESSION.search(file.read(4096))
    except (AnamnesisError, OSError):
        return None
    return None if found is None else found[1].decode("utf-8", "replace")


def _project_folder(path: Path) -> Path | None:
    """The project's folder that a session's file lies in."""
    for folder in path.parents:
        if folder.name == "chats":
            return folder.parent
    return None


def _home_of(path: Path) -> Path | None:
    for folder in path.parents:
        if folder.name == ".gemini":
            return folder.parent
    return None


def _usual_home() -> Path:
    return Path(os.environ.get("GEMINI_CLI_HOME") or Path.home())


def _project_root(folder: Path) -> str | None:
    """The directory a project's folder stands for: it says so itself, or the registry does, by name or by hash."""
    try:
        with open_log(folder / ".project_root") as file:
            told = file.read(4096).decode("utf-8", "replace").strip()
        if told:
            return told
    except (AnamnesisError, OSError):
        pass
    registry = object_of(small_object(folder.parent.parent / "projects.json").get("projects"))
    for path, slug in registry.items():
        if slug == folder.name or hashlib.sha256(path.encode("utf-8", "replace")).hexdigest() == folder.name:
            return path
    return None
