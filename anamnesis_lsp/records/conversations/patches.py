"""What a patch wrote: only the lines that are new, by the patch's own marks or by a real diff of old and new.

Four grammars that assistants use: ``*** Begin Patch`` (``apply_patch``), unified diffs, SEARCH/REPLACE blocks, and a
pair of old and new text. All return text without the unchanged context, so that a line counts as written once.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

_DIFF_CELLS = 1_000_000
"""Above this many pairs of lines a diff by multiset is used: the new lines that the old text has not as often."""


@dataclass(frozen=True, slots=True)
class FilePatch:
    """What a patch does to one file. ``written`` and ``removed`` are lines joined by ``\\n``, context left out."""

    path: str
    """Where the file is afterwards, as the patch spells it."""
    written: str
    removed: str
    kind: str
    """``add``, ``update`` or ``delete``."""
    old_path: str | None = None
    """Where it was before, where it moved."""


def new_lines(old: str, new: str) -> str:
    """The lines of ``new`` that a diff against ``old`` adds, joined by ``\\n``."""
    return changed_lines(old, new)[0]


def changed_lines(old: str, new: str) -> tuple[str, str]:
    """``(written, removed)``: the lines a diff from ``old`` to ``new`` adds and takes away, each joined by ``\\n``."""
    before, after = _lines(old), _lines(new)
    start, limit = 0, min(len(before), len(after))
    while start < limit and before[start] == after[start]:
        start += 1
    end = 0
    while end < limit - start and before[-1 - end] == after[-1 - end]:
        end += 1
    before, after = before[start : len(before) - end], after[start : len(after) - end]
    if not before or not after:
        return "\n".join(after), "\n".join(before)
    if len(before) * len(after) > _DIFF_CELLS:
        return "\n".join(_only(after, before)), "\n".join(_only(before, after))
    added: list[str] = []
    dropped: list[str] = []
    for tag, i, j, k, m in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag != "equal":
            dropped += before[i:j]
            added += after[k:m]
    return "\n".join(added), "\n".join(dropped)


def _lines(text: str) -> list[str]:
    if not text:
        return []
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return [line[:-1] if line.endswith("\r") else line for line in lines]


def _only(these: Sequence[str], those: Sequence[str]) -> Iterator[str]:
    left = Counter(those)
    for line in these:
        if left[line] > 0:
            left[line] -= 1
        else:
            yield line


def marked_lines(lines: Iterable[object]) -> tuple[str, str]:
    """``(written, removed)`` of hunk lines with their ``+``, ``-`` and space marks; what is no text is passed over."""
    added: list[str] = []
    dropped: list[str] = []
    for line in lines:
        if not isinstance(line, str):
            continue
        if line.startswith("+"):
            added.append(line[1:].rstrip("\r\n"))
        elif line.startswith("-"):
            dropped.append(line[1:].rstrip("\r\n"))
    return "\n".join(added), "\n".join(dropped)


_PATCH_FILE = re.compile(r"\*\*\* (Add|Update|Delete) File: (.+?)\s*\Z")
_PATCH_MOVE = re.compile(r"\*\*\* Move to: (.+?)\s*\Z")


def apply_patch(text: str) -> list[FilePatch]:
    """The files of a ``*** Begin Patch`` text (``formats/FORMATS.md`` section 2); a torn patch gives what is there.

    Text before the first and after the last patch is ignored, so a shell heredoc or a string that holds one will do.
    """
    found: list[FilePatch] = []
    kind = path = ""
    moved: str | None = None
    body: list[str] = []

    def close() -> None:
        if path:
            added, dropped = marked_lines(body)
            found.append(FilePatch(moved or path, added, dropped, kind, path if moved else None))

    inside = False
    for line in text.split("\n"):
        if line.startswith("*** Begin Patch") or line.rstrip().endswith("*** Begin Patch"):
            inside = True
            continue
        if not inside:
            continue
        header = _PATCH_FILE.match(line)
        if header is not None or line.startswith("*** End Patch"):
            close()
            kind = path = ""
            moved, body = None, []
            if header is None:
                inside = False
            else:
                kind, path = header[1].lower(), header[2]
            continue
        move = _PATCH_MOVE.match(line)
        if move is not None:
            moved = move[1]
        elif not line.startswith("*** "):
            body.append(line)
    close()
    return found


_HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")


def unified(text: str, path: str | None = None) -> list[FilePatch]:
    """The files of a unified diff. ``path`` names the file where the diff has no headers (``@@`` hunks only).

    Line counts of the hunks decide what is content, so removed lines that look like headers stay lines.
    """
    found: list[FilePatch] = []
    old = new = None
    body: list[str] = []
    minus = plus = 0

    def close() -> None:
        target = _diff_path(new) or _diff_path(old) or path
        if target and body:
            added, dropped = marked_lines(body)
            before = _diff_path(old)
            kind = "add" if old == "/dev/null" else "delete" if new == "/dev/null" else "update"
            found.append(FilePatch(target, added, dropped, kind, before if before and before != target else None))

    for line in text.split("\n"):
        if minus > 0 or plus > 0:
            mark = line[:1]
            if mark in ("-", "+", " ", "\\") or not line.strip("\r"):
                body.append(line)
                minus -= mark in ("-", " ", "", "\r")
                plus -= mark in ("+", " ", "", "\r")
                continue
            minus = plus = 0
        hunk = _HUNK.match(line)
        if hunk is not None:
            minus, plus = int((hunk[1] or "1")[:9]), int((hunk[2] or "1")[:9])
        elif line.startswith("--- "):
            close()
            old, new, body = line[4:].split("\t")[0].strip(), None, []
        elif line.startswith("+++ "):
            new = line[4:].split("\t")[0].strip()
        elif line[:1] in ("+", "-") and (path or new):
            body.append(line)
    close()
    return found


def _diff_path(name: str | None) -> str | None:
    if not name or name == "/dev/null":
        return None
    return name[2:] if name[:2] in ("a/", "b/") else name


_SEARCH = re.compile(r"\s*(?:<{5,9}|-{5,9}) ?SEARCH\b.*\Z")
_MIDDLE = re.compile(r"\s*={5,9}\s*\Z")
_REPLACE = re.compile(r"\s*(?:>{5,9}|\+{5,9}) ?REPLACE\b.*\Z")
_HINT = re.compile(r":(?:start|end)_line:\s*\d+\s*\Z|-{5,9}\s*\Z")


def search_replace(text: str) -> list[tuple[str, str]]:
    """The ``(old, new)`` pairs of SEARCH/REPLACE blocks (Aider, Cline, Roo); a block that does not end is left out."""
    pairs: list[tuple[str, str]] = []
    old: list[str] | None = None
    new: list[str] | None = None
    for line in text.split("\n"):
        if old is None:
            if _SEARCH.match(line):
                old = []
        elif new is None:
            if _MIDDLE.match(line):
                new = []
            elif not (_HINT.match(line) and all(_HINT.match(earlier) for earlier in old)):
                old.append(line)
        elif _REPLACE.match(line):
            pairs.append(("\n".join(old), "\n".join(new)))
            old = new = None
        else:
            new.append(line)
    return pairs
