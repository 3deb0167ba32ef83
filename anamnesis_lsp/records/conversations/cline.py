"""Cline: the extension's classic tasks, and the sessions of its SDK and command line. ``formats/FORMATS.md`` section 8.

A root may be the extension's storage (``tasks/`` inside), Cline's data folder (``tasks/``, ``sessions/``), any folder
that holds such folders, one task, one session, or one of their files. A sub-agent's messages lie in the folder of its
parent.

Not read: thinking, images, browser and MCP results, checkpoints (a shadow repository), ``context_history.json``,
``<id>.compaction.json``, ``sessions.db`` (what it says stands in the manifests).
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import ClassVar

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.errors import AnamnesisError
from anamnesis_lsp.records.conversations.cline_messages import Messages, Whose
from anamnesis_lsp.records.conversations.cline_tasks import NOT_ENTERED, TaskReading, tasks
from anamnesis_lsp.records.conversations.cline_words import pieces_of
from anamnesis_lsp.records.conversations.drafts import entitle, note, unknown
from anamnesis_lsp.records.conversations.handles import resumed
from anamnesis_lsp.records.conversations.json_document import small_object
from anamnesis_lsp.records.conversations.jsonl import object_of, open_log, text_of
from anamnesis_lsp.records.conversations.model import Handle, Head, Part, Reading, Runtime, Scan, Source, Turn
from anamnesis_lsp.records.conversations.roo import Roo
from anamnesis_lsp.records.conversations.stores import files, part, require_root
from anamnesis_lsp.records.conversations.times import moment
from anamnesis_lsp.records.conversations.vscode import ALL, present_or_usual, user_folders

_EXTENSION = "saoudrizwan.claude-dev"
_MESSAGES = ".messages.json"
_AGENT = re.compile(rb'"agent"\s*:\s*"(\w{1,40})"')
_WRAPPED = re.compile(rb"<user_input\b")
_HEAD_BYTES = 1 << 16


class SessionReading(Reading):
    """One pass over the messages of a session, with what its manifest says."""

    def __init__(self, source: Source, cancel: CancelToken) -> None:
        self.head = Head()
        self.scan = Scan(skipped_lines=0)
        self._source = source
        self._cancel = cancel

    def __iter__(self) -> Iterator[Turn]:
        source, head = self._source, self.head
        manifest = small_object(_manifest(source))
        cwd = text_of(manifest.get("cwd")) or text_of(manifest.get("workspace_root"))
        git = object_of(object_of(manifest.get("metadata")).get("git"))
        if source.agent is None:
            for key in ("started_at", "created_at", "ended_at"):
                note(head, moment(manifest.get(key)))
        note(head, None, cwd, text_of(git.get("branch")))
        note(head, None, text_of(manifest.get("workspace_root")))
        remote = text_of(git.get("url"))
        if remote:
            head.remotes.append(remote)
        prompt = text_of(manifest.get("prompt"))
        wrapped = _WRAPPED.search(_start(source.path)) is not None
        whose = Whose(source.agent, _unwrapped(prompt), wrapped, cwd)
        messages = Messages(source.path, self._cancel, head, self.scan, whose)
        count = 0
        for turn in messages:
            count = turn.n
            yield turn
        if not count and not self.scan.incomplete_tail and self.scan.skipped_lines:
            unknown(self.scan, "(no session)")
        title = text_of(object_of(manifest.get("metadata")).get("title")) if source.agent is None else None
        entitle(head, _unwrapped(title), "assistant", messages.first_words or _unwrapped(prompt))


class Cline(Runtime):
    """Cline in editors, and its command line."""

    name: ClassVar[str] = "cline"
    versions: ClassVar[str] = "classic tasks (2024 to early 2026), sessions of the SDK and CLI 3.x (messages version 1)"

    def default_roots(self, environ: Mapping[str, str], home: Path, workspace: Path | None) -> list[Path]:
        """Cline's data folder (``CLINE_DATA_DIR``, ``CLINE_DIR``) and the extension's storage in every editor here."""
        data = environ.get("CLINE_DATA_DIR")
        base = Path(environ["CLINE_DIR"]).expanduser() if environ.get("CLINE_DIR") else home / ".cline"
        roots = [Path(data).expanduser() if data else base / "data"]
        if environ.get("CLINE_SESSION_DATA_DIR"):
            roots.append(Path(environ["CLINE_SESSION_DATA_DIR"]).expanduser())
        editors = [folder / "globalStorage" / _EXTENSION for folder in user_folders(environ, home, ALL)]
        return list(dict.fromkeys([*roots, *present_or_usual(editors)]))

    def sources(self, root: Path, cancel: CancelToken) -> Iterator[Source]:
        """One per task, session and sub-agent."""
        require_root(root)
        taken: set[str] = set()
        for task in tasks(root, cancel):
            if task.parts and task.folder.name not in taken:
                taken.add(task.folder.name)
                yield Source(self.name, root, task.folder.name, task.parts)
        for found in files(root, cancel, (_MESSAGES,), NOT_ENTERED, 6):
            if found.path.name.endswith(_MESSAGES):
                yield from self._session(root, found, taken)

    def _session(self, root: Path, found: Part, taken: set[str]) -> Iterator[Source]:
        identity, folder = found.path.name.removesuffix(_MESSAGES), found.path.parent
        manifest = part(folder / f"{identity}.json")
        parent: str | None = None
        agent: str | None = None
        if manifest is None and identity != folder.name:
            parent = folder.name
            match = _AGENT.search(_start(found.path, 4096))
            kind = match[1].decode("ascii") if match else "subagent"
            agent = kind if kind != "lead" else None
            if agent is None:
                parent = None
            else:
                manifest = part(folder / f"{parent}.json")
        if identity not in taken:
            taken.add(identity)
            yield Source(self.name, root, identity, (found,) if manifest is None else (found, manifest), parent, agent)

    def read(self, source: Source, cancel: CancelToken) -> Reading:
        """One pass over the task or session."""
        return SessionReading(source, cancel) if _is_session(source) else TaskReading(source, cancel)

    def handle(self, source: Source, head: Head, exists: Iterable[str] | None = None) -> Handle:
        """``cline --id`` for a session; a task of the extension is opened in its history only."""
        if not _is_session(source):
            name = f"'{head.title}'" if head.title else source.id
            return Handle(None, f"Cline's extension opens a task from its history only: look for {name}.")
        identity, notes = source.id, list[str]()
        if source.parent_id is not None:
            if not part(source.path.with_name(source.parent_id + _MESSAGES)):
                return Handle(
                    None, f"A sub-agent cannot be resumed, and its parent session is gone. Its record: {source.path}"
                )
            identity = source.parent_id
            notes.append("A sub-agent cannot be resumed: this reopens its parent session.")
        return resumed(f"cline --id {shlex.quote(identity)}", head.cwds[0] if head.cwds else None, exists, notes)


RUNTIMES = (Cline, Roo)


def _is_session(source: Source) -> bool:
    return source.path.name.endswith(_MESSAGES)


def _manifest(source: Source) -> Path:
    return source.parts[1].path if len(source.parts) > 1 else source.path.with_name(f"{source.id}.json")


def _start(path: Path, limit: int = _HEAD_BYTES) -> bytes:
    try:
        with open_log(path) as file:
            return file.read(limit)
    except (AnamnesisError, OSError):
        return b""


def _unwrapped(prompt: str | None) -> str | None:
    if not prompt:
        return None
    said = [piece.text for piece in pieces_of(prompt) if piece.kind in ("person", "plain")]
    return "\n".join(said) or None
