"""On what ground a conversation belongs to a repository. It orders and explains; it never hides a conversation.

A recorded directory is the plainest ground, and the first to break: repositories move, worktrees are deleted, links and
containers rename paths, and a colleague's transcript comes from another machine. What was edited then still tells.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePosixPath

from anamnesis_lsp.records.conversations.model import Head


@dataclass(frozen=True, slots=True)
class Belonging:
    """Why a conversation is taken to be about a repository, in words for people, and how sure that is (0 to 1)."""

    ground: str
    strength: float


IN_WORK_TREE = Belonging("it ran in this repository's work tree", 1.0)
NO_GROUND = Belonging("nothing in the record names this repository", 0.0)


@dataclass(frozen=True, slots=True)
class RepositoryTraits:
    """What tells one repository from others."""

    work_trees: tuple[str, ...]
    """Resolved roots of the main and the linked work trees, also of ones that were removed where they are known."""
    common_dir: str | None = None
    remotes: tuple[str, ...] = ()
    """URLs as configured."""
    tracked: frozenset[str] = frozenset()
    """Paths in the tree, ``/``-separated, relative to the root."""
    has_commit: Callable[[str], bool] | None = None
    """Whether a (possibly abbreviated) hash names a commit here."""


def belongs(repository: RepositoryTraits, head: Head, edited: Iterable[tuple[str, str | None]]) -> Belonging:
    """The strongest ground on which a conversation belongs to ``repository``.

    ``edited`` are its edited paths as recorded, each with the ``cwd`` of its turn. Grounds, strongest first: it ran in
    a work tree; in a directory whose git common directory is this one; it recorded one of the remotes; one of the
    commits; it edited paths that are tracked here; its directory has the repository's name.
    """
    cwds = [_slashes(cwd) for cwd in head.cwds]
    roots = [_slashes(root) for root in repository.work_trees]
    if any(_under(cwd, root) is not None for cwd in cwds for root in roots):
        return IN_WORK_TREE
    resolved = {os.path.realpath(cwd) for cwd in head.cwds if os.path.isabs(cwd)}  # noqa: PTH117  recorded text
    if any(_under(_slashes(cwd), root) is not None for cwd in resolved for root in roots):
        return Belonging("it ran in this repository's work tree, reached by a link", 1.0)
    if repository.common_dir and any(common_dir(cwd) == repository.common_dir for cwd in resolved):
        return Belonging("it ran in a worktree of this repository", 1.0)
    ours = {remote for url in repository.remotes if (remote := remote_name(url))}
    if any(remote_name(url) in ours for url in head.remotes):
        return Belonging("it recorded the remote of this repository", 0.95)
    if repository.has_commit is not None and any(repository.has_commit(commit) for commit in head.head_commits):
        return Belonging("it recorded a commit of this repository as its start", 0.95)
    paths = list(dict.fromkeys(edited))
    matched = sum(repository_path(repository, path, cwd) is not None for path, cwd in paths)
    if matched:
        share = matched / len(paths)
        return Belonging(
            f"{matched} of the {len(paths)} paths it edited are paths of this repository",
            round(min(0.9, 0.3 + 0.5 * share + 0.02 * min(matched, 5)), 3),
        )
    names = {PurePosixPath(root).name for root in roots} | {remote.rsplit("/", 1)[-1] for remote in ours}
    if any(PurePosixPath(cwd).name in names for cwd in cwds):
        return Belonging("it ran in a directory of the same name", 0.2)
    return NO_GROUND


def repository_path(repository: RepositoryTraits, recorded: str, cwd: str | None = None) -> str | None:
    """The path in the repository that a recorded path names, or None.

    A path of another machine, a container or a removed worktree is matched by its longest ending that is tracked here:
    at least two parts long, or the whole path below ``cwd``. A file that is not tracked (any more) is matched by its
    folder in the same way.
    """
    path, base = _slashes(recorded), _slashes(cwd) if cwd else None
    if not _absolute(path) and base:
        below_base = _normal(path)
        path = f"{base.rstrip('/')}/{path}"
    else:
        below_base = None if base is None else _under(path, base)
    path = _normal(path)
    for root in repository.work_trees:
        inside = _under(path, _slashes(root))
        if inside and (inside in repository.tracked or not repository.tracked):
            return inside
    for ending in _endings(path):
        if ending in repository.tracked:
            return ending
    if below_base and below_base in repository.tracked:
        return below_base
    for root in repository.work_trees:
        inside = _under(path, _slashes(root))
        if inside:
            return inside
    folders = _folders(repository.tracked)
    return next((ending for ending in _endings(path) if ending.rpartition("/")[0] in folders), None)


@lru_cache(maxsize=8)
def _folders(tracked: frozenset[str]) -> frozenset[str]:
    """The folders of the tracked paths that are at least two parts deep: a name like ``src`` alone tells nothing."""
    found: set[str] = set()
    for path in tracked:
        folder = path.rpartition("/")[0]
        while "/" in folder and folder not in found:
            found.add(folder)
            folder = folder.rpartition("/")[0]
    return frozenset(found)


def _endings(path: str) -> Iterator[str]:
    """The endings of a path of two parts and more, longest first; of a relative path, itself whatever its length."""
    parts = [part for part in path.split("/") if part]
    if not _absolute(path) and parts:
        yield "/".join(parts)
    for start in range(0 if _absolute(path) else 1, len(parts) - 1):
        yield "/".join(parts[start:])


def common_dir(directory: str) -> str | None:
    """The git common directory that ``directory`` lies under, read from ``.git`` without running git; None if none."""
    here = Path(directory)
    for folder in (here, *here.parents):
        marker = folder / ".git"
        try:
            if marker.is_dir():
                return os.path.realpath(marker)
            if not marker.is_file():
                continue
            link = re.match(r"gitdir: (.+)", marker.read_text("utf-8", "replace")[:4096])
            if link is None:
                return None
            git_dir = folder / link[1].strip()
            common = git_dir / "commondir"
            if common.is_file():
                return os.path.realpath(git_dir / common.read_text("utf-8", "replace")[:4096].strip())
            return os.path.realpath(git_dir)
        except (OSError, ValueError):
            return None
    return None


def remote_name(url: str) -> str | None:
    """A remote URL as ``host/owner/name`` in lower case, whatever its spelling; None where it names no host."""
    match = re.match(
        r"(?:[a-z+]+://)?(?:[^@/]*@)?([^/:@]+)(?::\d+)?[/:]+(.+?)(?:\.git)?/*\Z", url.strip(), re.IGNORECASE
    )
    return None if match is None or "." not in match[1] else f"{match[1]}/{match[2].strip('/')}".lower()


def _slashes(path: str) -> str:
    return path.replace("\\", "/") if re.match(r"[A-Za-z]:[\\/]|\\\\", path) else path


def _absolute(path: str) -> bool:
    return path.startswith("/") or bool(re.match(r"[A-Za-z]:/", path))


def _normal(path: str) -> str:
    if "/." not in path and not path.startswith(".") and "//" not in path:
        return path
    parts: list[str] = []
    for part in path.split("/"):
        if part == ".." and parts and parts[-1] not in ("", ".."):
            parts.pop()
        elif part not in (".",) and (part or not parts):
            parts.append(part)
    return "/".join(parts)


def _under(path: str, root: str) -> str | None:
    """``path`` relative to ``root`` (empty for the root itself), or None where it lies elsewhere."""
    root = root.rstrip("/")
    if path == root:
        return ""
    return path[len(root) + 1 :] if path.startswith(root + "/") else None
