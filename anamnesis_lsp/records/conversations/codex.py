"""Codex (command line, editor extension, desktop): where its rollouts lie, and how to get back into a thread.

Format: ``formats/FORMATS.md`` section 2. The work of reading is in :mod:`.codex_reading`. A root may be ``CODEX_HOME``,
``sessions`` or ``archived_sessions``, any folder of rollouts, or one of them. A thread that was reverted has a further
rollout, read after the first; of a rollout that is there plain and compressed, the plain one is read.

A fork or a sub-agent is a thread of its own and holds what is its own: the start it shares with its parent is told by
the parent. Not read: reasoning, the output of tools (beyond outcome and commits), the ``*.sqlite`` files (caches).
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta, timezone
from functools import lru_cache, partial
from pathlib import Path
from typing import ClassVar

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.errors import AnamnesisError
from anamnesis_lsp.records.conversations import hypomnesis
from anamnesis_lsp.records.conversations.codex_reading import CodexReading
from anamnesis_lsp.records.conversations.handles import resumed
from anamnesis_lsp.records.conversations.jsonl import JsonLines, JsonObject, object_of, open_log, parse, text_of
from anamnesis_lsp.records.conversations.model import Handle, Head, Part, Reading, Runtime, Source
from anamnesis_lsp.records.conversations.stores import files, part, require_root
from anamnesis_lsp.records.conversations.typed_prompts import of_codex
from anamnesis_lsp.records.conversations.zstd import stream

_UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_NAME = re.compile(
    rf"rollout-(?P<when>\d{{4}}-\d\d-\d\dT\d\d-\d\d-\d\d)-(?P<thread>{_UUID})(?:_(?P<rollout>[\w-]+))?\Z", re.IGNORECASE
)
_NOT_ROLLOUTS = frozenset(("history.jsonl", "session_index.jsonl"))
_NOT_ENTERED = (".tmp", "log", "skills", "plugins", "memories", "hypomnesis", "node_modules", ".git")
_START = 8192
_FIRST_LINE = 4 << 20


class Codex(Runtime):
    """Codex threads, legacy and paginated, archived and compressed."""

    name: ClassVar[str] = "codex"
    versions: ClassVar[str] = "0.9 to 0.171 (bare, legacy and paginated rollouts, .jsonl.zst)"

    def default_roots(self, environ: Mapping[str, str], home: Path, workspace: Path | None) -> list[Path]:
        """``CODEX_HOME``, else ``~/.codex`` (on every system)."""
        given = environ.get("CODEX_HOME")
        return [Path(given).expanduser() if given else home / ".codex"]

    def sources(self, root: Path, cancel: CancelToken) -> Iterator[Source]:
        """Every thread; of each file the first line's start is looked at, for who started it."""
        require_root(root)
        rollouts: dict[str, list[Part]] = {}
        for base in _bases(root):
            for found in files(base, cancel, (".jsonl", ".jsonl.zst"), _NOT_ENTERED):
                if found.path.name in _NOT_ROLLOUTS and not root.is_file():
                    continue
                rollouts.setdefault(thread_of(found.path), []).append(found)
        home = codex_home(root)
        for thread, parts in rollouts.items():
            chosen = _in_order(parts)
            parent, agent = _spawned(chosen[0].path, chosen[0].size, chosen[0].mtime_ns)
            about = () if home is None else hypomnesis.beside(home / hypomnesis.FOLDER, thread)
            yield Source(self.name, root, thread, tuple(chosen), parent, agent, about)

    def read(self, source: Source, cancel: CancelToken) -> Reading:
        """One pass, checked against ``history.jsonl`` where the root has one."""
        home = codex_home(source.root)
        title = None if home is None else _names(home, cancel).get(source.id)
        prompts = None if home is None or source.parent_id else of_codex(home, source.id, cancel)
        parent = partial(_rollout_of, source.root)
        if prompts is None:
            return CodexReading(source, cancel, title, parent=parent)
        return CodexReading(source, cancel, title, prompts, parent)

    def handle(self, source: Source, head: Head, exists: Iterable[str] | None = None) -> Handle:
        """``codex resume``, in the recorded directory where that still exists; a sub-agent's is its parent's."""
        identity, notes = source.id, list[str]()
        archived = "archived_sessions" in source.path.parts
        if source.parent_id is not None or source.agent is not None:
            parent = None if source.parent_id is None else _rollout_of(source.root, source.parent_id)
            if source.parent_id is None or parent is None:
                return Handle(
                    None,
                    f"A sub-agent is not resumed by itself, and its parent thread is gone. Its record: {source.path}",
                )
            identity = source.parent_id
            archived = "archived_sessions" in parent.parts
            notes.append("A sub-agent is not resumed by itself: this reopens its parent thread.")
        if archived:
            notes.append(f"It is archived: run `codex unarchive {shlex.quote(identity)}` first.")
        home = codex_home(source.root)
        if home is None:
            notes.append("This copy lies outside a Codex folder: Codex may not have it.")
        elif not _is_default(home):
            notes.append(f"It is kept in another Codex folder: set CODEX_HOME={shlex.quote(str(home))}.")
        return resumed(f"codex resume {shlex.quote(identity)}", head.cwds[0] if head.cwds else None, exists, notes)


RUNTIMES = (Codex,)


def thread_of(path: Path) -> str:
    """The thread a rollout is of: by its name, else by its first line, else its whole name."""
    named = _NAME.match(_stem(path))
    if named is not None:
        return named["thread"].lower()
    first = _first_record(path)
    body = object_of(first.get("payload")) or first
    return text_of(body.get("id")) or _stem(path)


def codex_home(root: Path) -> Path | None:
    """The Codex folder that a root is or lies in; None for rollouts found elsewhere."""
    for folder in (root, *root.parents):
        if folder.name in ("sessions", "archived_sessions"):
            return folder.parent
        if folder == root and any((folder / name).is_dir() for name in ("sessions", "archived_sessions")):
            return folder
    return None


def _is_default(home: Path) -> bool:
    usual = os.environ.get("CODEX_HOME") or str(Path.home() / ".codex")
    return os.path.realpath(home) == os.path.realpath(usual)


def _bases(root: Path) -> list[Path]:
    inner = [root / name for name in ("sessions", "archived_sessions") if (root / name).is_dir()]
    return inner or [root]


def _stem(path: Path) -> str:
    return path.name.removesuffix(".zst").removesuffix(".jsonl")


def _in_order(parts: list[Part]) -> list[Part]:
    """The rollouts of one thread, oldest first; of copies the plain one, and of those the one not archived."""
    best: dict[str, Part] = {}
    for found in sorted(
        parts, key=lambda one: ("archived_sessions" in one.path.parts, one.path.name.endswith(".zst"), str(one.path))
    ):
        best.setdefault(_stem(found.path) if _NAME.match(_stem(found.path)) else str(found.path), found)
    return sorted(best.values(), key=lambda one: (one.path.name.partition("_")[0], one.path.name, str(one.path)))


@lru_cache(maxsize=8192)
def _spawned(path: Path, size: int, mtime_ns: int) -> tuple[str | None, str | None]:
    """The parent thread and the kind of a sub-agent, from the first line; ``(None, None)`` for a thread of its own."""
    start = _start_of(path, _START)
    if b'"subagent"' not in start and b'"parent_thread_id"' not in start:
        return None, None
    meta = object_of(_first_record(path).get("payload"))
    source: object = meta.get("source")
    spawned = object_of(source).get("subagent")
    thread = object_of(object_of(spawned).get("thread_spawn"))
    parent = text_of(meta.get("parent_thread_id")) or text_of(thread.get("parent_thread_id"))
    if spawned is None and parent is None:
        return None, None
    agent = text_of(meta.get("agent_role")) or text_of(thread.get("agent_role")) or text_of(meta.get("agent_nickname"))
    if agent is None:
        other = object_of(spawned).get("other")
        agent = text_of(spawned) or text_of(other) or text_of(thread.get("agent_nickname")) or "sub-agent"
    return parent, agent


def _start_of(path: Path, length: int) -> bytes:
    """The start of the first line."""
    try:
        if path.name.endswith(".zst"):
            with stream(path) as file:
                return bytes(file.readline(length))
        with open_log(path) as file:
            return file.readline(length)
    except (AnamnesisError, OSError):
        return b""


def _first_record(path: Path) -> JsonObject:
    try:
        return object_of(parse(_start_of(path, _FIRST_LINE)))
    except ValueError:
        return {}


def _rollout_of(root: Path, thread: str) -> Path | None:
    """The rollout of a thread under the root, plain before compressed; its day is in the id (UUIDv7)."""
    if not re.fullmatch(_UUID, thread, re.IGNORECASE):
        return None
    home = codex_home(root)
    bases = [root] if home is None else [home / "sessions", home / "archived_sessions"]
    folders: list[Path] = []
    for base in bases:
        folders.append(base)
        if thread[14] == "7":
            day = datetime.fromtimestamp(int(thread[:8] + thread[9:13], 16) / 1000, tz=timezone.utc)
            folders += [base / f"{day + timedelta(days=away):%Y/%m/%d}" for away in (0, -1, 1)]
    for folder in folders:
        found = _named(folder.glob(f"rollout-*{thread}*.jsonl*"))
        if found is not None:
            return found
    for base in bases if home is not None else ():
        found = _named(base.rglob(f"rollout-*{thread}*.jsonl*"))
        if found is not None:
            return found
    return None


def _named(paths: Iterable[Path]) -> Path | None:
    try:
        return min(paths, key=lambda path: (path.name.endswith(".zst"), path.name), default=None)
    except (OSError, ValueError):
        return None


def _names(home: Path, cancel: CancelToken) -> dict[str, str]:
    """The names that threads were given, from ``session_index.jsonl``; the last one counts."""
    found = part(home / "session_index.jsonl")
    return {} if found is None else _read_names(found.path, found.size, found.mtime_ns)


@lru_cache(maxsize=4)
def _read_names(path: Path, size: int, mtime_ns: int) -> dict[str, str]:
    names: dict[str, str] = {}
    try:
        for _, entry in JsonLines(path, CancelToken()):
            thread, name = text_of(entry.get("id")), text_of(entry.get("thread_name"))
            if thread and name:
                names[thread] = name
    except AnamnesisError:
        return {}
    return names
