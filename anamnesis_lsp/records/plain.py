"""Plain reads of files that others wrote, confined to a root.

A path from a record never leaves its root: links are resolved first, and what lies outside is refused. Only regular
files are opened (a pipe would block, a device would do worse), nothing is created, and no file is read past its cap.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.errors import AnamnesisError, ErrorCode


@dataclass(frozen=True, slots=True)
class PlainFile:
    """A regular file under a root: its path relative to the root (``/``-separated), and what tells that it changed."""

    path: str
    size: int
    mtime_ns: int


def confined(root: Path, relative: str) -> Path:
    """The resolved path of ``relative``. Raises ``outsideRoot`` where it, or a link in it, leaves ``root``."""
    base = Path(os.path.realpath(root))
    if "\0" in relative:
        raise _outside(relative)
    path = Path(os.path.realpath(base / relative))
    if path != base and base not in path.parents:
        raise _outside(relative)
    return path


def open_regular(path: Path) -> BinaryIO:
    """Open a regular file for reading. Raises ``recordGone``, ``permissionDenied`` or ``storeUnreadable``."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise AnamnesisError(
            ErrorCode.STORE_UNREADABLE,
            f"{path} is not a regular file.",
            "Point the store at a file or a folder of files.",
        )
    return os.fdopen(descriptor, "rb")


def read_confined(root: Path, relative: str, cap: int) -> bytes:
    """The bytes of one file under ``root``. Raises ``outputTooLarge`` past ``cap``, else as :func:`open_regular`."""
    with open_regular(confined(root, relative)) as file:
        data = file.read(cap + 1)
    if len(data) > cap:
        raise AnamnesisError(
            ErrorCode.OUTPUT_TOO_LARGE,
            f"{relative} is larger than the {cap >> 20} MiB that are read of one record.",
            "Split the record, or leave it out of the store.",
        )
    return data


def unreadable(path: Path | str, error: Exception) -> AnamnesisError:
    """The error that fits what the operating system said of ``path``."""
    code = error.errno if isinstance(error, OSError) else None
    if code in (errno.ENOENT, errno.ENOTDIR):
        return AnamnesisError(
            ErrorCode.RECORD_GONE,
            f"{path} is no longer there.",
            "Refresh the index, or check that the store has not moved.",
        )
    if code in (errno.EACCES, errno.EPERM):
        return AnamnesisError(
            ErrorCode.PERMISSION_DENIED, f"{path} may not be read.", "Make it readable for you, or leave the store out."
        )
    return AnamnesisError(
        ErrorCode.STORE_UNREADABLE,
        f"{path} cannot be read: {error}.",
        "Check the store, or leave it out of the search.",
    )


def decode(data: bytes) -> str:
    """Text of a record: UTF-8 (UTF-16 by its mark, else Latin-1), without byte order mark, line ends as ``\\n``."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        text = data.decode("utf-16", errors="replace")
    else:
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = data.decode("latin-1") if _mostly_latin(data) else data.decode("utf-8-sig", errors="replace")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _mostly_latin(data: bytes) -> bool:
    """Whether replacing the invalid bytes of UTF-8 would lose more than a few of the non-ASCII characters."""
    high = sum(1 for byte in data if byte >= 0x80)
    return data.decode("utf-8", errors="replace").count("\ufffd") * 4 > high


def walk(root: Path, under: str, cancel: CancelToken, *, skip: frozenset[str], depth: int) -> Iterator[PlainFile]:
    """Regular files under ``root/under``, by name within a folder. Links are not followed; unreadable folders pass.

    ``skip`` names folders that are not entered; ``depth`` bounds how deep the walk goes.
    """
    start = confined(root, under)
    stack = [(start, under.strip("/"), depth)]
    while stack:
        cancel.check()
        folder, prefix, left = stack.pop()
        try:
            with os.scandir(folder) as entries:
                listed = sorted(entries, key=lambda entry: entry.name)
        except OSError:
            continue
        folders: list[tuple[Path, str, int]] = []
        for entry in listed:
            relative = f"{prefix}/{entry.name}" if prefix else entry.name
            try:
                if entry.is_dir(follow_symlinks=False):
                    if left > 0 and entry.name not in skip:
                        folders.append((Path(entry.path), relative, left - 1))
                elif entry.is_file(follow_symlinks=False):
                    about = entry.stat(follow_symlinks=False)
                    yield PlainFile(relative, about.st_size, about.st_mtime_ns)
            except OSError:
                continue
        stack.extend(reversed(folders))


def _outside(relative: str) -> AnamnesisError:
    return AnamnesisError(
        ErrorCode.OUTSIDE_ROOT,
        f"{relative!r} leads outside its root.",
        "Open a record inside the repository or the store it belongs to.",
    )
