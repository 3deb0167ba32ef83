"""Which git is run: an absolute path outside the repository at hand, 2.30 or newer.

Raises ``gitMissing`` and ``gitTooOld``.
"""

from __future__ import annotations

import os
import re
import sys
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from anamnesis_lsp.cancel import never
from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.records.git.children import collect
from anamnesis_lsp.records.git.invocation import environment

OLDEST = (2, 30)
BATCH_COMMAND_SINCE = (2, 36)


@dataclass(frozen=True, slots=True)
class Git:
    """The git that is used: its absolute path and its version."""

    path: str
    version: tuple[int, int, int]

    @property
    def batch_command(self) -> bool:
        """Whether ``cat-file`` knows ``--batch-command`` (2.36)."""
        return self.version[:2] >= BATCH_COMMAND_SINCE


_chosen: Path | None = None
_versions: dict[tuple[str, int, int], Git] = {}
_found: dict[tuple[str, Path | None], list[str]] = {}
_finding = threading.Lock()


def use_git(path: Path | None) -> None:
    """Use this git and no other (a setting of the user's own, never of a workspace); None: the one on PATH again."""
    global _chosen
    _chosen = path


def find_git(outside: Sequence[Path] = ()) -> Git:
    """The git to run: the first on PATH that lies in an absolute directory and in none of ``outside``.

    Raises ``gitMissing`` and ``gitTooOld``. The answer is kept for as long as PATH and the executable stay the same.
    """
    with _finding:
        key = (os.environ.get("PATH", ""), _chosen)
        candidates = _found.get(key)
        if candidates is None:
            candidates = list(_candidates())
            _found.clear()
            _found[key] = candidates
        for candidate in candidates:
            real = os.path.realpath(candidate)
            if any(_inside(real, root) or _inside(candidate, root) for root in outside):
                continue
            return _checked(candidate)
    raise AnamnesisError(
        ErrorCode.GIT_MISSING,
        "No git was found on PATH.",
        "Install git 2.30 or newer, or start the editor from an environment whose PATH has it.",
    )


def _candidates() -> Iterator[str]:
    if _chosen is not None:
        if _chosen.is_absolute() and _chosen.is_file():
            yield str(_chosen)
        return
    name = "git.exe" if sys.platform == "win32" else "git"
    for directory in os.environ.get("PATH", "").split(os.pathsep):
        if not Path(directory).is_absolute():
            continue
        candidate = Path(directory, name)
        if candidate.is_file() and os.access(candidate, os.X_OK):
            yield str(candidate)


def _inside(path: str, root: Path) -> bool:
    return Path(path).is_relative_to(root)


def _checked(path: str) -> Git:
    facts = Path(path).stat()
    key = (path, facts.st_mtime_ns, facts.st_size)
    if key not in _versions:
        _versions[key] = Git(path, _version(path))
    git = _versions[key]
    if git.version[:2] < OLDEST:
        raise AnamnesisError(
            ErrorCode.GIT_TOO_OLD,
            f"The git at {path} is version {'.'.join(map(str, git.version))}; 2.30 or newer is needed.",
            "Update git, or put a newer one first on PATH.",
        )
    return git


def _version(path: str) -> tuple[int, int, int]:
    output = collect([path, "version"], environment(path), None, never(), 10.0, 4096)
    match = re.search(rb"git version (\d{1,4})\.(\d{1,4})(?:\.(\d{1,4}))?", output.stdout)
    if match is None:
        raise AnamnesisError(
            ErrorCode.GIT_MISSING,
            f"The program at {path} does not answer as git does.",
            "Install git 2.30 or newer, or put it first on PATH.",
        )
    return int(match[1]), int(match[2]), int(match[3] or 0)
