"""A store: one root of one runtime. Walking one, naming its parts, and what is said where it cannot be read."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.records.conversations.model import Part


@dataclass(frozen=True, slots=True)
class Store:
    """One root of one runtime, as discovered on this machine or given with ``--store``."""

    runtime: str
    root: Path

    @classmethod
    def at(cls, runtime: str, root: Path) -> Store:
        """The store with its root resolved, so that two spellings of a root are one store."""
        return cls(runtime, Path(os.path.realpath(root.expanduser())))


def unreadable(path: Path, why: OSError | ValueError | str) -> AnamnesisError:
    """``storeUnreadable``, or ``permissionDenied`` where the system refuses."""
    if isinstance(why, PermissionError):
        return AnamnesisError(
            ErrorCode.PERMISSION_DENIED,
            f"{path} cannot be read: permission denied.",
            "Make it readable for you, or leave this store out of the search.",
        )
    reason = why if isinstance(why, str) else (getattr(why, "strerror", None) or "it cannot be opened")
    return AnamnesisError(
        ErrorCode.STORE_UNREADABLE,
        f"{path} cannot be read: {reason}.",
        "Check that the path is right and that the folder or file is readable.",
    )


def gone(path: Path) -> AnamnesisError:
    """``recordGone``: the record was there when it was found and is not any more."""
    return AnamnesisError(
        ErrorCode.RECORD_GONE,
        f"{path} is not there any more.",
        "The assistant may have cleaned up old conversations. Search again to see what is left.",
    )


def busy(path: Path, why: str) -> AnamnesisError:
    """``storeBusy``: a database that is in use and cannot be copied."""
    return AnamnesisError(
        ErrorCode.STORE_BUSY, f"{path} is in use and was not read: {why}.", "Close the assistant, or try again later."
    )


def part(path: Path) -> Part | None:
    """The file with its size and modification time; None where it is no regular file (any more)."""
    try:
        found = path.stat()
    except (OSError, ValueError):
        return None
    return Part(path, found.st_size, found.st_mtime_ns) if stat.S_ISREG(found.st_mode) else None


def require_root(root: Path) -> None:
    """Raise ``storeUnreadable`` or ``permissionDenied`` where ``root`` is no folder or file that can be read."""
    try:
        mode = root.stat().st_mode
    except FileNotFoundError:
        raise unreadable(root, "it does not exist") from None
    except (OSError, ValueError) as error:
        raise unreadable(root, error) from error
    if not (stat.S_ISDIR(mode) or stat.S_ISREG(mode)):
        raise unreadable(root, "it is neither a folder nor a file")
    if not os.access(root, os.R_OK):
        raise unreadable(root, PermissionError())


def files(
    root: Path,
    cancel: CancelToken,
    suffixes: tuple[str, ...] = (),
    skip: Iterable[str] = (),
    max_depth: int = 12,
) -> Iterator[Part]:
    """The regular files under ``root`` (or ``root`` itself) whose name ends in one of ``suffixes``, in order of name.

    Linked folders are followed, each folder once, but none out of a repository: what it holds is not the person's own.
    Folders named in ``skip`` are not entered; a folder below ``root`` that cannot be listed is passed over. Raises
    ``storeUnreadable`` for ``root`` itself.
    """
    require_root(root)
    if root.is_file():
        found = part(root)
        if found is not None:
            yield found
        return
    seen: set[tuple[int, int]] = set()
    yield from _walk(root, cancel, suffixes, frozenset(skip), max_depth, seen, _work_tree(root))


def _work_tree(root: Path) -> Path | None:
    """The work tree that ``root`` lies in or is; a home kept in git is the person's own and counts as none."""
    home = Path(os.path.realpath(Path.home()))
    real = Path(os.path.realpath(root))
    return next((p for p in (real, *real.parents) if (p / ".git").exists() and p != home), None)


def _walk(
    folder: Path,
    cancel: CancelToken,
    suffixes: tuple[str, ...],
    skip: frozenset[str],
    depth: int,
    seen: set[tuple[int, int]],
    within: Path | None,
) -> Iterator[Part]:
    cancel.check()
    try:
        here = folder.stat()
        if (here.st_dev, here.st_ino) in seen and here.st_ino:
            return
        seen.add((here.st_dev, here.st_ino))
        with os.scandir(folder) as entries:
            listed = sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return
    for entry in listed:
        try:
            if within is not None and entry.is_symlink() and within not in Path(os.path.realpath(entry.path)).parents:
                continue
            if entry.is_dir():
                if depth and entry.name not in skip:
                    yield from _walk(folder / entry.name, cancel, suffixes, skip, depth - 1, seen, within)
                continue
            if suffixes and not entry.name.endswith(suffixes):
                continue
            found = entry.stat()
        except OSError:
            continue
        if stat.S_ISREG(found.st_mode):
            yield Part(folder / entry.name, found.st_size, found.st_mtime_ns)
