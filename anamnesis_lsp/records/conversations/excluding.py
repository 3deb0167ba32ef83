"""What the person keeps out of our index: folders and sessions, by patterns.

A pattern takes ``*``, ``?`` and ``[…]``; ``*`` crosses ``/``. One that holds a ``/`` (or begins with ``~``) is a whole
path, any other the name of a folder anywhere. A folder stands for all that lies below it. A conversation is kept out
where a file of it lies in such a folder, or where it ran in one. Case counts where it does for the system's files, and
never that of a drive. Pure.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path

from anamnesis_lsp.records.conversations.model import Source


@dataclass(frozen=True, slots=True)
class Excluded:
    """Patterns of folders and of session ids."""

    folders: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        """Whether anything is kept out."""
        return bool(self.folders or self.sessions)

    def folder(self, path: str | Path) -> bool:
        """Whether ``path`` is such a folder or lies below one."""
        return bool(self.folders) and _in_folder(self.folders, str(path))

    def session(self, identity: str, parent: str | None = None) -> bool:
        """Whether that session, or the one it is a part of, is kept out."""
        return any(
            fnmatchcase(name, pattern) for name in (identity, parent) if name is not None for pattern in self.sessions
        )

    def source(self, source: Source) -> bool:
        """Whether a conversation is kept out by what is known before it is read."""
        return self.session(source.id, source.parent_id) or any(self.folder(part.path) for part in source.parts)

    def record(self, identity: str, parent: str | None, path: str | Path, cwds: Iterable[str] = ()) -> bool:
        """Whether a record is kept out by what is known once it was read."""
        return self.session(identity, parent) or self.folder(path) or any(self.folder(cwd) for cwd in cwds)


NOTHING = Excluded()
CASELESS = sys.platform in ("win32", "darwin")
"""Whether two spellings of a path that differ in case are one folder."""


@lru_cache(maxsize=8192)
def _in_folder(patterns: tuple[str, ...], path: str) -> bool:
    path = _comparable(path)
    parts = [part for part in path.split("/") if part]
    whole = path.startswith("/")
    for pattern in patterns:
        wanted = _expanded(pattern)
        if "/" in wanted:
            for end in range(1, len(parts) + 1):
                if fnmatchcase(("/" if whole else "") + "/".join(parts[:end]), wanted):
                    return True
        elif any(fnmatchcase(part, wanted) for part in parts):
            return True
    return False


@lru_cache(maxsize=256)
def _expanded(pattern: str) -> str:
    if pattern.startswith("~"):
        try:
            pattern = str(Path(pattern).expanduser())
        except RuntimeError:
            return pattern
    return _comparable(pattern).rstrip("/") or "/"


def _comparable(path: str) -> str:
    path = path.replace("\\", "/")
    if CASELESS:
        return path.casefold()
    return path[0].lower() + path[1:] if path[1:2] == ":" else path
