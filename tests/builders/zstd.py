"""Compression as Codex and Zed do it, by the library of the Python at hand."""

from __future__ import annotations

import importlib
import sys

LIBRARY = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"


def compress(data: bytes) -> bytes:
    """``data`` as one frame."""
    packed: bytes = importlib.import_module(LIBRARY).compress(data)
    return packed
