"""Claude Code: where its transcripts lie, which file is which conversation, and how to get back into one.

Format: ``formats/FORMATS.md`` section 1. The work of reading is in :mod:`.claude_reading`. A root may be a
configuration folder (``projects/`` inside), a ``projects`` folder, one project's folder, any folder that holds
transcripts further down (Desktop's agent mode), or a single file. Slugs are never decoded: they are not invertible.

Not read: thinking blocks, images, the output of tools (beyond outcome and commits), files of ``file-history``.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import ClassVar

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.errors import AnamnesisError
from anamnesis_lsp.records.conversations import hypomnesis
from anamnesis_lsp.records.conversations.claude_reading import ClaudeReading
from anamnesis_lsp.records.conversations.jsonl import JsonObject, object_of, open_log, parse, text_of
from anamnesis_lsp.records.conversations.model import Handle, Head, Part, Reading, Runtime, Source, exists_on_disk
from anamnesis_lsp.records.conversations.stores import files, part, require_root
from anamnesis_lsp.records.conversations.typed_prompts import NOT_LISTED, of_claude

_UUID = re.compile(r"(?:\A|[-_.])([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\Z", re.IGNORECASE)
_NOT_SESSIONS = frozenset(("journal.jsonl", "history.jsonl", "audit.jsonl"))
_NOT_ENTERED = (
    "tool-results",
    "memory",
    "hypomnesis",
    "file-history",
    "todos",
    "shell-snapshots",
    "node_modules",
    ".git",
)
_FIRST_LINES = 1 << 16


class ClaudeCode(Runtime):
    """Claude Code in the terminal, in editors, on the web (as far as kept here), and Desktop's agent mode."""

    name: ClassVar[str] = "claude-code"
    versions: ClassVar[str] = "1.0 to 2.1.332"
    ids_are_unique: ClassVar[bool] = True

    def default_roots(self, environ: Mapping[str, str], home: Path, workspace: Path | None) -> list[Path]:
        """Configuration folders (``CLAUDE_CONFIG_DIR``, a list, replaces the usual one) and Desktop's agent mode."""
        roots = [Path(item).expanduser() for item in _listed(environ.get("CLAUDE_CONFIG_DIR", ""))]
        roots += [home / ".claude", home / ".config" / "claude"]
        desktop = "local-agent-mode-sessions"
        roots.append(home / "Library" / "Application Support" / "Claude" / desktop)
        roots.append(Path(environ.get("XDG_CONFIG_HOME") or home / ".config") / "Claude" / desktop)
        if environ.get("APPDATA"):
            roots.append(Path(environ["APPDATA"]) / "Claude" / desktop)
        if environ.get("LOCALAPPDATA"):
            packages = Path(environ["LOCALAPPDATA"]) / "Packages"
            roots += sorted(packages.glob(f"Claude_*/LocalCache/Roaming/Claude/{desktop}"))
        return [root for root in dict.fromkeys(roots) if root.name == desktop or _holds_projects(root)]

    def sources(self, root: Path, cancel: CancelToken) -> Iterator[Source]:
        """Every session and sub-agent. Files of one session id (copies, continuations) are the parts of one source."""
        require_root(root)
        base = root / "projects" if (root / "projects").is_dir() else root
        sessions: dict[str, list[Part]] = {}
        agents: list[tuple[Part, str | None]] = []
        for found in files(base, cancel, (".jsonl",), _NOT_ENTERED):
            name = found.path.name
            if name in _NOT_SESSIONS and not root.is_file():
                continue
            if name.startswith("agent-"):
                agents.append((found, _parent_of(found.path)))
            elif _UUID.search(found.path.stem) is None and _first_record(found.path).get("isSidechain") is True:
                agents.append((found, text_of(_first_record(found.path).get("sessionId"))))
            else:
                sessions.setdefault(session_id(found.path), []).append(found)
        for identity, parts in sessions.items():
            ordered = tuple(_in_order(parts))
            about = hypomnesis.beside(hypomnesis.folder_of(ordered[0].path), identity)
            yield Source(self.name, root, identity, ordered, beside=about)
        taken = set(sessions)
        for found, parent in agents:
            identity = found.path.stem
            if identity in taken:
                identity = f"{parent or found.path.parent.name}/{identity}"
            if identity in taken:
                continue
            taken.add(identity)
            agent = text_of(_description(found.path).get("agentType"))
            yield Source(self.name, root, identity, (found,), parent, agent)
        if root.is_file():
            return
        known = {name.removeprefix("agent-").rpartition("/")[2] for name in taken} | taken
        for folder in sorted({found.path.parent for parts in sessions.values() for found in parts}):
            for found, agent_id, parent in hypomnesis.forks(folder / hypomnesis.FOLDER, cancel):
                if agent_id not in known and agent_id not in taken:
                    taken.add(agent_id)
                    yield Source(self.name, root, agent_id, (found,), parent, "fork")

    def read(self, source: Source, cancel: CancelToken) -> Reading:
        """One pass over the conversation, checked against ``history.jsonl`` where the root has one."""
        if hypomnesis.FOLDER in source.path.parts[-3:]:
            return hypomnesis.ForkReading(source, cancel)
        config = config_folder(source.root)
        listed = NOT_LISTED if config is None or source.parent_id else of_claude(config, source.id, cancel)
        reading = ClaudeReading(source, cancel, listed)
        if source.parent_id is not None or source.agent is not None:
            title = text_of(_description(source.path).get("description"))
            if title:
                reading.title_of_agent = title
        return reading

    def handle(self, source: Source, head: Head, exists: Iterable[str] | None = None) -> Handle:
        """``claude --resume``, in the recorded directory where that still exists; a sub-agent's is its parent's."""
        known = None if exists is None else frozenset(exists)

        def there(path: str) -> bool:
            return exists_on_disk(path) if known is None else path in known

        identity, notes = source.id, list[str]()
        if source.parent_id is not None or source.path.name.startswith("agent-"):
            parent = source.parent_id
            if parent is None or not self._has_session(source, parent):
                return Handle(
                    None,
                    f"A sub-agent cannot be resumed, and its parent conversation is gone. Its record: {source.path}",
                )
            identity = parent
            notes.append("A sub-agent cannot be resumed: this reopens its parent conversation.")
        if not head.cwds:
            return Handle(
                None,
                " ".join([*notes, "The record names no directory, so there is no command that surely reopens it."]),
            )
        command = f"claude --resume {shlex.quote(identity)}"
        directory = _launch_directory(source, head)
        if there(directory):
            command = f"cd {shlex.quote(directory)} && {command}"
        else:
            notes.append(
                f"{directory} is not there any more: the project's context comes from where the command is run."
            )
        config = config_folder(source.root)
        if config is None:
            notes.append("This copy lies outside a Claude Code configuration folder: Claude Code may not have it.")
        elif not _is_default(config):
            notes.append(
                f"It is kept under another configuration folder: set CLAUDE_CONFIG_DIR={shlex.quote(str(config))}."
            )
        return Handle(command, " ".join(notes) or None)

    def _has_session(self, source: Source, parent: str) -> bool:
        folder = source.path.parent
        for _ in range(4):
            if (folder / f"{parent}.jsonl").is_file():
                return True
            folder = folder.parent
        return False


RUNTIMES = (ClaudeCode,)


def session_id(path: Path) -> str:
    """The session id in a transcript's name: the uuid it ends in (copies put a date before it), else the whole name."""
    match = _UUID.search(path.stem)
    return match[1].lower() if match else path.stem


def config_folder(root: Path) -> Path | None:
    """The configuration folder that a root is or lies in, or None for a folder of transcripts found elsewhere."""
    for folder in (root, *root.parents):
        if folder.name == "projects":
            return folder.parent
        if folder == root and (folder / "projects").is_dir():
            return folder
    return None


def slug(directory: str) -> str:
    """The name of the project folder for a directory: all but ASCII letters, digits and ``-`` become ``-``."""
    return re.sub(r"[^A-Za-z0-9-]", "-", directory)


def _listed(value: str) -> list[str]:
    pieces = [piece.strip() for chunk in value.split(",") for piece in chunk.split(os.pathsep)]
    return [piece for piece in pieces if piece]


def _holds_projects(root: Path) -> bool:
    """``~/.config/claude`` exists on machines that keep nothing there; the usual folder is told even when absent."""
    return root.name != "claude" or root.parent.name != ".config" or (root / "projects").is_dir()


def _in_order(parts: list[Part]) -> list[Part]:
    """The file with the plain name first (its offsets are what a locator means), then copies by name."""
    return sorted(parts, key=lambda found: (len(found.path.stem) > 36, found.path.name, str(found.path)))


def _parent_of(path: Path) -> str | None:
    """The parent's session id: from the folder since 2.1.2, from the first record before."""
    parts = path.parts
    if "subagents" in parts:
        at = len(parts) - 1 - parts[::-1].index("subagents")
        return session_id(Path(parts[at - 1])) if at else None
    return text_of(_first_record(path).get("sessionId"))


def _first_record(path: Path) -> JsonObject:
    try:
        with open_log(path) as file:
            return object_of(parse(file.readline(_FIRST_LINES)))
    except (AnamnesisError, OSError, ValueError):
        return {}


def _description(path: Path) -> JsonObject:
    found = part(path.with_suffix(".meta.json"))
    if found is None or found.size > _FIRST_LINES:
        return {}
    try:
        with open_log(found.path) as file:
            return object_of(parse(file.read()))
    except (AnamnesisError, OSError, ValueError):
        return {}


def _launch_directory(source: Source, head: Head) -> str:
    """The recorded directory that the project folder is named after (a session may have moved), else the first."""
    folder = source.path.parent.name
    return next((cwd for cwd in head.cwds if slug(cwd) == folder), head.cwds[0])


def _is_default(config: Path) -> bool:
    usual = os.environ.get("CLAUDE_CONFIG_DIR") or str(Path.home() / ".claude")
    return os.path.realpath(config) == os.path.realpath(usual)
