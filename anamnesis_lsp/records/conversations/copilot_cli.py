"""GitHub Copilot CLI: where its event logs lie, which is which session, and how to get back into one.

Format: ``formats/FORMATS.md`` section 6c; the log is read in :mod:`.copilot_events`. A root may be the configuration
folder (``session-state/`` inside), one of its state folders, one session's folder, a folder of logs, or a single log.
The folder's name can differ from the session's id, which stands in the first event.

Not read: reasoning, the checkpoints and files kept beside a log, and the derived ``session-store.db``.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import ClassVar

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.errors import AnamnesisError
from anamnesis_lsp.records.conversations.copilot_events import CopilotEventsReading
from anamnesis_lsp.records.conversations.handles import resumed
from anamnesis_lsp.records.conversations.jsonl import JsonObject, object_of, open_log, parse, text_of
from anamnesis_lsp.records.conversations.model import Handle, Head, Part, Reading, Runtime, Source
from anamnesis_lsp.records.conversations.stores import files, part, require_root

_STATES = ("session-state", "history-session-state")
_NOT_ENTERED = ("checkpoints", "files", "rewind-snapshots", "logs", "node_modules", ".git", "pkg")
_FIRST_BYTES = 1 << 17
_MAX_YAML = 1 << 16


class CopilotCliReading(CopilotEventsReading):
    """One pass over a session's log, with the name and directory its ``workspace.yaml`` gives it."""

    def __init__(self, source: Source, cancel: CancelToken) -> None:
        super().__init__(source, cancel)
        about = _workspace(source.path)
        self.title, cwd = about.get("name"), about.get("cwd")
        if cwd:
            self.head.cwds.append(cwd)


class CopilotCli(Runtime):
    """GitHub Copilot in the terminal."""

    name: ClassVar[str] = "copilot-cli"
    versions: ClassVar[str] = "1.0.45 to 1.0.85 (event log version 1)"

    def default_roots(self, environ: Mapping[str, str], home: Path, workspace: Path | None) -> list[Path]:
        """``~/.copilot``; ``COPILOT_HOME`` and ``XDG_STATE_HOME`` move it."""
        roots = [Path(environ["COPILOT_HOME"]).expanduser()] if environ.get("COPILOT_HOME") else []
        if environ.get("XDG_STATE_HOME"):
            roots.append(Path(environ["XDG_STATE_HOME"]) / ".copilot")
        return list(dict.fromkeys([*roots, home / ".copilot"]))

    def sources(self, root: Path, cancel: CancelToken) -> Iterator[Source]:
        """One per log. A session that is kept twice (an older flat file beside the folder) is one source."""
        require_root(root)
        bases = [root / name for name in _STATES if (root / name).is_dir()] or [root]
        sessions: dict[str, list[Part]] = {}
        for base in bases:
            for found in files(base, cancel, (".jsonl",), _NOT_ENTERED, 3):
                first = first_event(found.path)
                if not root.is_file() and not _is_ours(found.path, first):
                    continue
                sessions.setdefault(session_id(found.path, first), []).append(found)
        for identity, parts in sessions.items():
            main = max(parts, key=lambda found: (found.path.name == "events.jsonl", found.mtime_ns))
            yield Source(self.name, root, identity, (main,))

    def read(self, source: Source, cancel: CancelToken) -> Reading:
        """One pass over the log."""
        return CopilotCliReading(source, cancel)

    def handle(self, source: Source, head: Head, exists: Iterable[str] | None = None) -> Handle:
        """``copilot --resume=<id>``, in the recorded directory where that still exists."""
        command = f"copilot --resume={shlex.quote(source.id)}"
        return resumed(command, head.cwds[0] if head.cwds else None, exists)


RUNTIMES = (CopilotCli,)


def first_event(path: Path) -> JsonObject:
    """The first record of a log; empty where it is none."""
    try:
        with open_log(path) as file:
            return object_of(parse(file.readline(_FIRST_BYTES).strip(b"\0 \t\r\n\xef\xbb\xbf")))
    except (AnamnesisError, OSError, ValueError):
        return {}


def is_event(record: JsonObject) -> bool:
    """Whether this is a record of Copilot's event log."""
    kind = record.get("type")
    return isinstance(kind, str) and "." in kind and isinstance(record.get("data"), dict)


def from_vscode(record: JsonObject) -> bool:
    """Whether a log's first event says that VS Code wrote it."""
    return "vscodeVersion" in object_of(record.get("data"))


def session_id(path: Path, first: JsonObject) -> str:
    """The session's id: from the first event, else from the name of the file or its folder."""
    recorded = text_of(object_of(first.get("data")).get("sessionId"))
    if first.get("type") == "session.start" and recorded:
        return recorded
    return path.parent.name if path.name == "events.jsonl" else path.stem


def _is_ours(path: Path, first: JsonObject) -> bool:
    if path.name == "events.jsonl" or path.parent.name in _STATES:
        return True
    return is_event(first) and not from_vscode(first)


def _workspace(log: Path) -> dict[str, str]:
    """The plain ``key: value`` lines of the ``workspace.yaml`` beside a log."""
    found = part(log.with_name("workspace.yaml"))
    if log.name != "events.jsonl" or found is None or found.size > _MAX_YAML:
        return {}
    try:
        with open_log(found.path) as file:
            text = file.read(_MAX_YAML).decode("utf-8", "replace")
    except (AnamnesisError, OSError):
        return {}
    pairs = (line.split(":", 1) for line in text.split("\n") if ":" in line and line[:1].isalpha())
    return {key.strip(): value.strip().strip("'\"") for key, value in pairs}
