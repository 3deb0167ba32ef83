"""SpecStory's Markdown exports (``.specstory/history/*.md``) of Claude Code, Cursor, Codex, Gemini and VS Code chats.

Rules: ``formats/FORMATS.md`` section 11. The id is the file's path under the folder that holds ``.specstory`` (or under
the given root). The file's name tells when a conversation started: messages may carry times of before it, or one and
the same time, which are ignored. The grammar of a message is in :mod:`.specstory_reading`. The way back in is the
exported runtime's own, by the native id in the session comment.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import ClassVar

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.records.conversations.model import Handle, Head, Reading, Runtime, Source, exists_on_disk
from anamnesis_lsp.records.conversations.specstory_reading import SpecStoryReading
from anamnesis_lsp.records.conversations.stores import files

_COMMANDS = {
    "claude code": ("claude --resume {id}", "Claude Code"),
    "codex cli": ("codex resume {id}", "Codex"),
    "gemini cli": ("gemini --resume {id}", "Gemini CLI"),
    "cursor cli": ("cursor-agent --resume {id}", "Cursor's CLI"),
    "droid cli": ("droid --resume {id}", "Droid"),
}


class SpecStory(Runtime):
    """Exports by SpecStory's extensions and its command line."""

    name: ClassVar[str] = "specstory"
    versions: ClassVar[str] = "extension exports of 2025 (Cursor, VS Code), Markdown v2.1.0"

    def default_roots(self, environ: Mapping[str, str], home: Path, workspace: Path | None) -> list[Path]:
        """``.specstory/history`` of the work tree."""
        return [workspace / ".specstory" / "history"] if workspace is not None else []

    def sources(self, root: Path, cancel: CancelToken) -> Iterator[Source]:
        """One per Markdown file: of ``.specstory/history`` where ``root`` holds one, else of ``root``."""
        inner = root / ".specstory" / "history"
        history = inner if inner.is_dir() else root / "history" if (root / "history").is_dir() else root
        base = _base(root)
        for found in files(history, cancel, (".md",), ("ai_rules_backups", ".git", "node_modules"), 4):
            identity = found.path.relative_to(base).as_posix() if base in found.path.parents else found.path.name
            yield Source(self.name, root, identity, (found,))

    def read(self, source: Source, cancel: CancelToken) -> Reading:
        """The whole export, one message at a time."""
        return SpecStoryReading(source, cancel)

    def handle(self, source: Source, head: Head, exists: Iterable[str] | None = None) -> Handle:
        """The exported runtime's own command, run where the export lies; none where the runtime has no way back."""
        agent, _, native = (head.links[0] if head.links else "").partition(":")
        known = _COMMANDS.get(agent.lower())
        if not native:
            return Handle(None, f"This export names no session to resume; read it in {source.id}.")
        if known is None:
            return Handle(None, f"{agent} cannot resume a session by id ({native}); look for it in its own history.")
        command, tool = known
        resume = command.format(id=native)
        note = f"Works where {tool} still has the session: the export does not hold it."
        project = _base(source.path.parent)
        if project == source.path.parent:
            return Handle(None, f"{tool}'s session {native}: the directory it ran in is not recorded. {note}")
        lives = str(project) in set(exists) if exists is not None else exists_on_disk(str(project))
        if not lives:
            return Handle(resume, f"Its project is gone: the context comes from where it is run. {note}")
        return Handle(f"cd {_quoted(str(project))} && {resume}", note)


RUNTIMES = (SpecStory,)


def _base(root: Path) -> Path:
    """What ids are relative to: the folder that holds the ``.specstory`` that ``root`` is or lies in, else ``root``."""
    for folder in (root, *root.parents):
        if folder.name == ".specstory":
            return folder.parent
    return root if root.is_dir() else root.parent


def _quoted(path: str) -> str:
    import shlex

    return shlex.quote(path)
