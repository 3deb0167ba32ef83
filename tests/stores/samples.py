"""Where the samples lie (``ANAMNESIS_SHARED``), and what is counted of a conversation."""

from __future__ import annotations

import os
import sqlite3
from collections import Counter
from pathlib import Path

import pytest

from tests.unit.reading import Read

SHARED = Path(os.environ.get("ANAMNESIS_SHARED") or Path(__file__).parents[3] / "shared")


def samples(folder: str) -> Path:
    """A folder of samples; the module that asks is skipped where there is none."""
    path = SHARED / "samples" / folder
    if not path.is_dir():
        pytest.skip(f"no samples at {path} (set ANAMNESIS_SHARED)", allow_module_level=True)
    return path


def counted(read: Read) -> tuple[dict[str, int], dict[str, int], int, int | None, dict[str, int]]:
    """Turns by speaker, edits by tool and outcome, commits, what did not parse, and unknown types."""
    return (
        dict(Counter(turn.speaker.value for turn in read.turns)),
        dict(Counter(f"{edit.tool} {edit.outcome.value}" for turn in read.turns for edit in turn.edits)),
        len(read.commits),
        read.scan.skipped_lines,
        read.scan.unknown_types,
    )


def loaded(script: Path, target: Path) -> Path:
    """A database made by a sample's script."""
    connection = sqlite3.connect(target)
    connection.executescript(script.read_text("utf-8"))
    connection.close()
    return target
