"""Cursor: the editor's composers, the transcripts of its agent, and the chats of its command line, as one store.

Format: ``formats/FORMATS.md`` section 7. A root may be the editor's ``User`` folder or its ``state.vscdb``, the folder
``.cursor``, any folder of transcripts, or one transcript or chat. The ``User`` folder of a home takes the ``.cursor``
of the same home with it, so that a conversation that is kept in both is told once: from the chat of the command line,
else from the editor's bubbles, else from the transcript, joined with what the editor knows of it.

Not read: thinking, opaque ``agentKv`` blobs, chats of before the composer, ``ai-tracking`` (commits that Cursor scored:
how they join a conversation is not known).
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import ClassVar

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.errors import AnamnesisError
from anamnesis_lsp.records.conversations.cursor_agent import ChatReading, TranscriptReading
from anamnesis_lsp.records.conversations.cursor_ide import IdeReading, composers
from anamnesis_lsp.records.conversations.handles import resumed
from anamnesis_lsp.records.conversations.model import Handle, Head, Part, Reading, Runtime, Source
from anamnesis_lsp.records.conversations.stores import files, part, require_root
from anamnesis_lsp.records.conversations.vscode import present_or_usual, user_folders

_USER_IN_HOME = (
    (".config", "Cursor", "User"),
    ("Library", "Application Support", "Cursor", "User"),
    ("AppData", "Roaming", "Cursor", "User"),
)
_NOT_ENTERED = ("node_modules", ".git", "extensions", "logs", "CachedData", "History")


class Cursor(Runtime):
    """Conversations of Cursor's editor and command line."""

    name: ClassVar[str] = "cursor"
    versions: ClassVar[str] = "editor 0.4x to 3.12 (composers), agent transcripts, command line chats of 2025 and 2026"

    def default_roots(self, environ: Mapping[str, str], home: Path, workspace: Path | None) -> list[Path]:
        """The editor's ``User`` folder and ``~/.cursor``, the latter only where the first does not take it along."""
        given = environ.get("CURSOR_USER_DATA_DIR")
        users = [Path(given).expanduser() / "User"] if given else []
        users += user_folders(environ, home, ("Cursor",))
        users = present_or_usual(users)
        config = Path(environ.get("CURSOR_CONFIG_DIR") or home / ".cursor").expanduser()
        if any(_database(user) is not None and _config_beside(user) == config for user in users):
            return users
        return [*users, config]

    def sources(self, root: Path, cancel: CancelToken) -> Iterator[Source]:
        """Every conversation once. Raises ``storeUnreadable`` or ``storeBusy`` after the files were told."""
        require_root(root)
        failed: AnamnesisError | None = None
        taken: set[str] = set()
        config = root if root.is_dir() and _database(root) is None else _config_beside(root)
        for source in self._chats(root, config, cancel):
            taken.add(source.id)
            yield source
        transcripts: dict[str, tuple[Part, str | None]] = {}
        if config is not None and config.is_dir():
            transcripts = _transcripts(config, cancel)
        elif root.suffix in (".jsonl", ".txt") and (one := part(root)) is not None:
            transcripts = {root.stem: (one, _parent_of(root))}
        database = _database(root)
        known = list(composers(database, cancel)) if database is not None and root.is_file() else []
        if database is not None and not root.is_file():
            try:
                known = composers(database, cancel)
            except AnamnesisError as error:
                failed = error
        joined: dict[str, Part] = {}
        for composer in known:
            if composer.id in taken:
                continue
            if composer.has_bubbles or composer.id not in transcripts:
                taken.add(composer.id)
                agent = "sub-agent" if composer.parent else None
                yield Source(self.name, root, composer.id, (composer.part,), composer.parent, agent)
            else:
                joined[composer.id] = composer.part
        for identity, (one, parent) in transcripts.items():
            if identity not in taken:
                parts = (one, joined[identity]) if identity in joined else (one,)
                yield Source(self.name, root, identity, parts, parent, "sub-agent" if parent else None)
        if failed is not None:
            raise failed

    def _chats(self, root: Path, config: Path | None, cancel: CancelToken) -> Iterator[Source]:
        if root.name == "store.db":
            found = [root]
        elif config is not None and (config / "chats").is_dir():
            found = sorted((config / "chats").glob("*/*/store.db"))
        else:
            found = []
        for path in found:
            cancel.check()
            parts = [one for name in (path, path.with_name("store.db-wal")) if (one := part(name)) is not None]
            if parts and parts[0].path == path:
                yield Source(self.name, root, path.parent.name, tuple(parts))

    def read(self, source: Source, cancel: CancelToken) -> Reading:
        """One pass over the conversation, from where it is told best."""
        if source.path.name == "store.db":
            return ChatReading(source, cancel)
        if source.path.suffix == ".vscdb":
            return IdeReading(source, cancel)
        return TranscriptReading(source, cancel)

    def handle(self, source: Source, head: Head, exists: Iterable[str] | None = None) -> Handle:
        """``cursor-agent --resume`` for a chat of the command line; the editor has no way back from outside."""
        if source.path.name == "store.db":
            directory = head.cwds[0] if head.cwds else None
            return resumed(f"cursor-agent --resume {shlex.quote(source.id)}", directory, exists, bound=True)
        where = f" in {head.cwds[0]}" if head.cwds else ""
        title = f" “{head.title}”" if head.title else ""
        told = "A sub-agent is found through its parent conversation. " if source.parent_id else ""
        return Handle(
            None,
            f"{told}Cursor has no command for it: open Cursor{where} and pick the conversation{title} in its history.",
        )


RUNTIMES = (Cursor,)


def _database(root: Path) -> Path | None:
    """The editor's database that a root is or has."""
    if root.is_file():
        return root if root.suffix == ".vscdb" else None
    return next(
        (path for path in (root / "globalStorage" / "state.vscdb", root / "state.vscdb") if path.is_file()), None
    )


def _config_beside(root: Path) -> Path | None:
    """The ``.cursor`` of the home whose editor's ``User`` folder (or database) this is."""
    for folder in (root, *root.parents):
        for ending in _USER_IN_HOME:
            if folder.parts[-len(ending) :] == ending:
                return Path(*folder.parts[: -len(ending)]) / ".cursor"
    return None


def _transcripts(config: Path, cancel: CancelToken) -> dict[str, tuple[Part, str | None]]:
    """The transcripts under a folder by id; of several of one id that in its own folder, then a flat one, then text."""
    projects = config / "projects"
    base = projects if projects.is_dir() else config
    found: dict[str, tuple[tuple[int, str], Part, str | None]] = {}
    for one in files(base, cancel, (".jsonl", ".txt"), _NOT_ENTERED):
        path = one.path
        if base is projects and "agent-transcripts" not in path.parts:
            continue
        if (
            base is not projects
            and "agent-transcripts" not in path.parts
            and (path.suffix == ".txt" or config.name == ".cursor")
        ):
            continue
        parent = _parent_of(path)
        rank = (0 if path.parent.name == path.stem else 1 if path.suffix == ".jsonl" else 2, str(path))
        if path.stem not in found or rank < found[path.stem][0]:
            found[path.stem] = (rank, one, parent)
    return {identity: (one, parent) for identity, (_, one, parent) in found.items()}


def _parent_of(path: Path) -> str | None:
    """The conversation whose sub-agent a transcript is of."""
    if path.parent.name != "subagents":
        return None
    return path.parent.parent.name if re.match(r"[\w-]+\Z", path.parent.parent.name) else None
