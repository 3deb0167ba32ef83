"""GitHub Copilot Chat in VS Code: where its sessions lie, whose workspace each belongs to.

Format: ``formats/FORMATS.md`` sections 6a and 6b. A root may be a user's data folder (``workspaceStorage`` inside), one
workspace's storage, a folder of sessions, or a single session. Where a session is kept in both forms the operation log
is read; the transcript that hooks write of a session is read where nothing else of it is left.

Not read: thinking, notebook edits, rendered prompts, attached content, the contents of editing sessions (only which
edits were rejected), what sub-agents said (not stored), JetBrains' databases, ``agent-traces.db``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import ClassVar

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.errors import AnamnesisError
from anamnesis_lsp.records.conversations.copilot_chat_reading import CopilotChatReading
from anamnesis_lsp.records.conversations.copilot_cli import first_event, from_vscode, is_event, session_id
from anamnesis_lsp.records.conversations.copilot_events import CopilotEventsReading
from anamnesis_lsp.records.conversations.jsonl import open_log
from anamnesis_lsp.records.conversations.model import Handle, Head, Part, Reading, Runtime, Source
from anamnesis_lsp.records.conversations.stores import files, part, require_root
from anamnesis_lsp.records.conversations.vscode import present_or_usual, user_folders, workspace_folder

_GLOBAL = ("emptyWindowChatSessions", "transferredChatSessions")
_TRANSCRIPTS = ("GitHub.copilot-chat", "transcripts")
_SESSION = re.compile(
    rb'\A\s*\{\s*(?:"kind"\s*:\s*[0-3]\b|"(?:version|requesterUsername|responderUsername|sessionId|requests)"\s*:)'
)


class CopilotChat(Runtime):
    """Chats of GitHub Copilot in VS Code, its Insiders build and VSCodium."""

    name: ClassVar[str] = "copilot-chat"
    versions: ClassVar[str] = "session version 3: JSON, and the operation log of VS Code 1.109 and later; transcripts"

    def default_roots(self, environ: Mapping[str, str], home: Path, workspace: Path | None) -> list[Path]:
        """The ``User`` folders that are there (local, portable, of remote servers), else the usual one."""
        return present_or_usual(user_folders(environ, home))

    def sources(self, root: Path, cancel: CancelToken) -> Iterator[Source]:
        """One per session."""
        require_root(root)
        sessions: dict[str, Part] = {}
        transcripts: dict[str, Part] = {}
        for found in self._logs(root, cancel):
            if found.path.parent.name == _TRANSCRIPTS[-1]:
                transcripts.setdefault(found.path.stem, found)
                continue
            if not _in_place(found.path) and is_event(first := first_event(found.path)):
                if root.is_file() or from_vscode(first):
                    transcripts.setdefault(session_id(found.path, first), found)
                continue
            known = sessions.get(found.path.stem)
            if known is None or _rank(found) > _rank(known):
                sessions[found.path.stem] = found
        for identity, found in sessions.items():
            state = part(_editing_state(found.path))
            yield Source(self.name, root, identity, (found,) if state is None else (found, state))
        for identity, found in transcripts.items():
            if identity not in sessions:
                yield Source(self.name, root, identity, (found,))

    def _logs(self, root: Path, cancel: CancelToken) -> Iterator[Part]:
        suffixes = (".json", ".jsonl")
        if root.is_file():
            yield from files(root, cancel)
            return
        storages = root / "workspaceStorage" if (root / "workspaceStorage").is_dir() else None
        if root.name == "workspaceStorage":
            storages = root
        known = storages is not None
        if storages is not None:
            for storage in _folders(storages):
                cancel.check()
                yield from _of_storage(storage, cancel)
        globals_of = root if root.name == "globalStorage" else root / "globalStorage"
        for name in _GLOBAL:
            if (globals_of / name).is_dir():
                known = True
                yield from files(globals_of / name, cancel, suffixes, max_depth=1)
        if (root / "chatSessions").is_dir() or root.joinpath(*_TRANSCRIPTS).is_dir():
            known = True
            yield from _of_storage(root, cancel)
        if known:
            return
        trusted = root.name in ("chatSessions", _TRANSCRIPTS[-1], *_GLOBAL)
        for found in files(root, cancel, suffixes, ("node_modules", ".git"), 4):
            if trusted or _is_session(found.path) or from_vscode(first_event(found.path)):
                yield found

    def read(self, source: Source, cancel: CancelToken) -> Reading:
        """One pass over the session."""
        path = source.path
        if path.suffix == ".jsonl" and is_event(first_event(path)):
            reading = CopilotEventsReading(source, cancel)
            folder = workspace_folder(path.parents[2]) if len(path.parents) > 2 else None
            if folder:
                reading.head.cwds.append(folder)
            return reading
        state = source.parts[1].path if len(source.parts) > 1 else None
        return CopilotChatReading(source, cancel, workspace_folder(path.parent.parent), state)

    def handle(self, source: Source, head: Head, exists: Iterable[str] | None = None) -> Handle:
        """No command opens a chat; where to find it is said."""
        where = f"open {head.cwds[0]} in VS Code" if head.cwds else "open the window it was held in"
        named = f"'{head.title}'" if head.title else f"the session {source.id}"
        return Handle(None, f"VS Code has no command that opens a chat: {where} and pick {named} in the chat history.")


RUNTIMES = (CopilotChat,)


def _in_place(path: Path) -> bool:
    """Whether a file lies where VS Code keeps sessions: what it is need not be looked up then."""
    return path.parent.name in ("chatSessions", *_GLOBAL)


def _editing_state(session: Path) -> Path:
    """Where the editing session of a chat keeps which edits were kept or rejected."""
    return session.parent.parent / "chatEditingSessions" / session.stem / "state.json"


def _rank(found: Part) -> tuple[bool, int]:
    return found.path.suffix == ".jsonl", found.mtime_ns


def _folders(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as entries:
            return sorted(folder / entry.name for entry in entries if entry.is_dir())
    except OSError:
        return []


def _of_storage(storage: Path, cancel: CancelToken) -> Iterator[Part]:
    chats, transcripts = storage / "chatSessions", storage.joinpath(*_TRANSCRIPTS)
    if chats.is_dir():
        yield from files(chats, cancel, (".json", ".jsonl"), max_depth=0)
    if transcripts.is_dir():
        yield from files(transcripts, cancel, (".jsonl",), max_depth=0)


def _is_session(path: Path) -> bool:
    try:
        with open_log(path) as file:
            return _SESSION.match(file.read(256)) is not None
    except (AnamnesisError, OSError):
        return False
