"""Conflict markers in a text: which lines are ours, which theirs, which belong to neither."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from anamnesis_lsp.records.git.shadow import is_hash, read_small

_OTHER_HEADS = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REBASE_HEAD")


@dataclass(frozen=True, slots=True)
class Conflict:
    """One conflict, by line numbers from 1 of its markers; ``ancestor`` is None where git was not told to show it."""

    ours: int
    ancestor: int | None
    theirs: int
    end: int


def conflicts(lines: Sequence[str]) -> list[Conflict]:
    """The conflicts in a text, in order; markers that do not come in their order are text."""
    found: list[Conflict] = []
    ours = ancestor = theirs = 0
    for number, line in enumerate(lines, 1):
        if line.startswith("<<<<<<<") and line[7:8] in ("", " "):
            ours, ancestor, theirs = number, 0, 0
        elif not ours:
            continue
        elif line.startswith("|||||||") and line[7:8] in ("", " ") and not theirs:
            ancestor = number
        elif line == "=======" and not theirs:
            theirs = number
        elif line.startswith(">>>>>>>") and line[7:8] in ("", " ") and theirs:
            found.append(Conflict(ours, ancestor or None, theirs, number))
            ours = ancestor = theirs = 0
    return found


def sides(lines: Sequence[str], found: Sequence[Conflict]) -> tuple[list[str], list[str]]:
    """The text as our side has it and as theirs has it, line numbers kept: what is not of a side, markers too, is
    replaced by lines that no text has."""
    ours, theirs = list(lines), list(lines)
    for conflict in found:
        for number in range(conflict.ours, conflict.end + 1):
            nothing = f"\0{number}"
            if not conflict.ours < number < (conflict.ancestor or conflict.theirs):
                ours[number - 1] = nothing
            if not conflict.theirs < number < conflict.end:
                theirs[number - 1] = nothing
    return ours, theirs


def their_lines(found: Sequence[Conflict]) -> set[int]:
    """The lines that are theirs."""
    return {number for conflict in found for number in range(conflict.theirs + 1, conflict.end)}


def other_head(git_dir: Path) -> str | None:
    """The commit that is being merged, picked or rebased: where their lines come from. None outside of that."""
    for name in _OTHER_HEADS:
        words = (read_small(git_dir / name, 4096) or b"").decode("ascii", "replace").split()
        if words and is_hash(words[0]):
            return words[0]
    return None
