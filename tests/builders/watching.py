"""The kernel's own word on what happens under a folder: inotify, by ctypes. Linux only."""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MODIFY, ATTRIB, CLOSE_WRITE, MOVED, CREATE, DELETE = 0x2, 0x4, 0x8, 0xC0, 0x100, 0x200
CHANGES = MODIFY | ATTRIB | CLOSE_WRITE | MOVED | CREATE | DELETE | 0x400 | 0x800
"""Everything but reading: bytes, names, modes and times (``DELETE_SELF`` and ``MOVE_SELF`` too)."""
NAMES = {0x2: "modify", 0x4: "attrib", 0x8: "close after write", 0x40: "moved from", 0x80: "moved to", 0x100: "create",
         0x200: "delete", 0x400: "delete self", 0x800: "move self", 0x4000: "overflow"}  # fmt: skip

available = sys.platform == "linux"


@contextmanager
def watching(*roots: Path) -> Iterator[list[str]]:
    """Every change under the roots while the ``with`` block runs, in the list at its end: a lock file too that is
    made and removed at once.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    descriptor = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
    assert descriptor >= 0
    folders: dict[int, Path] = {}
    for root in roots:
        for folder in (root, *(path for path in root.rglob("*") if path.is_dir() and not path.is_symlink())):
            watch = libc.inotify_add_watch(descriptor, os.fsencode(folder), CHANGES)
            assert watch >= 0, (folder, os.strerror(ctypes.get_errno()))
            folders[watch] = folder
    changes: list[str] = []
    try:
        yield changes
        while True:
            try:
                data = os.read(descriptor, 1 << 16)
            except BlockingIOError:
                break
            position = 0
            while position < len(data):
                watch, mask, _, length = struct.unpack_from("iIII", data, position)
                name = os.fsdecode(data[position + 16 : position + 16 + length].rstrip(b"\0"))
                what = [word for bit, word in NAMES.items() if mask & bit]
                changes.append(f"{'+'.join(what)} {folders.get(watch, Path('?')) / name}")
                position += 16 + length
    finally:
        os.close(descriptor)
