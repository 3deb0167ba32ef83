"""Receipts as they lie in the catalog: JSON, compressed against what nearly all of them say."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from typing import Any

_USUAL = json.dumps(
    {
        "runtime": "claude-code",
        "root": "/home/.claude/projects/decisions/.jsonl",
        "id": "",
        "revision": [["/home/.claude/projects/-home-.jsonl", 0, 1700000000000000000]],
        "captured": 1700000000.0,
        "head": "0123456789abcdef",
        "scan": [0, 0, None],
        "unknown": {},
        "tail": False,
        "version": "2.1.",
        "reach": {
            "input": ["succeeded", 0],
            "turns": ["succeeded", 0],
            "edits": ["empty", 0],
            "commits": ["empty", 0],
            "text": ["succeeded", 0],
        },
        "states": ["invocationFailed", "validationFailed", "inputFailed", "skipped", None],
    },
    separators=(",", ":"),
).encode()
"""What is repeated in receipt after receipt. A change here is a new version of the schema."""


def packed(receipt: Mapping[str, object]) -> bytes:
    """The receipt as it is kept."""
    packing = zlib.compressobj(9, zlib.DEFLATED, -15, 9, zlib.Z_DEFAULT_STRATEGY, _USUAL)
    return packing.compress(json.dumps(receipt, separators=(",", ":")).encode()) + packing.flush()


def unpacked(kept: bytes) -> dict[str, Any]:
    """The receipt that was kept."""
    return json.loads(zlib.decompressobj(-15, _USUAL).decompress(kept))
