"""Changes of commits: ``git diff-tree`` in the shadow, parsed as bytes.

The raw part (``-z``) gives names and status, the patch part the hunks. A hunk is read by the counts of its header, so
that no line of a file can pass for a header.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.records.git.model import FileChange, Hunk
from anamnesis_lsp.records.git.objects import ObjectStore
from anamnesis_lsp.records.git.process import GitFailed
from anamnesis_lsp.records.git.shadow import Shadow, missing
from anamnesis_lsp.records.git.text import decode_line, decode_path

RENAME_LIMIT = 1000
"""Files on one side up to which renames that changed content are looked for."""
_HUNK = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


@dataclass(frozen=True, slots=True)
class RawChange:
    """One record of ``--raw -z``: modes and blob ids of both sides, git's status letter, similarity in per cent."""

    old_mode: str
    new_mode: str
    old_blob: str
    new_blob: str
    status: str
    score: int | None
    path: str
    old_path: str | None


@dataclass(frozen=True, slots=True)
class _Patch:
    binary: bool
    hunks: tuple[Hunk, ...]


def changes_between(
    shadow: Shadow,
    objects: ObjectStore,
    old: str | None,
    new: str,
    cancel: CancelToken,
    paths: Sequence[str] | None,
    context: int,
    renames: bool,
    hunks: bool,
) -> list[FileChange]:
    """What differs between two commits; ``old`` None is nothing at all. See :meth:`.Repository.changes`."""
    if paths is None and hunks:
        try:
            return _patched(shadow, old, new, cancel, context, renames)
        except GitFailed:
            pass  # a blob is not here: below, file by file
    raw = _raw_as_far_as_possible(shadow, old, new, cancel, renames)
    if paths is not None:
        wanted = set(paths)
        raw = [change for change in raw if change.path in wanted or change.old_path in wanted]
    if not hunks or not raw:
        return [FileChange(change.status, change.path, change.old_path, False) for change in raw]
    try:
        return _patched(shadow, old, new, cancel, context, renames, _names(raw))
    except GitFailed as error:
        here = objects.present((blob for change in raw for blob in (change.old_blob, change.new_blob)), cancel)
        complete = [change for change in raw if _complete(change, here)]
        if len(complete) == len(raw):
            raise _unreadable(new, error) from error
    patched: dict[str, FileChange] = {}
    if complete:
        try:
            found = _patched(shadow, old, new, cancel, context, renames, _names(complete))
        except GitFailed as error:
            raise _unreadable(new, error) from error
        patched = {change.path: change for change in found}
    return [
        patched.get(change.path, FileChange(change.status, change.path, change.old_path, False, (), True))
        for change in raw
    ]


def _names(raw: Sequence[RawChange]) -> list[str]:
    return sorted({name for change in raw for name in (change.path, change.old_path) if name is not None})


def _complete(change: RawChange, here: set[str]) -> bool:
    """Whether both contents are here; nothing (all zeros) and submodules need none."""
    sides = ((change.old_mode, change.old_blob), (change.new_mode, change.new_blob))
    return all(mode == "160000" or not blob.strip("0") or blob in here for mode, blob in sides)


def _patched(
    shadow: Shadow,
    old: str | None,
    new: str,
    cancel: CancelToken,
    context: int,
    renames: bool,
    limit: Sequence[str] | None = None,
) -> list[FileChange]:
    arguments = ["-r", "-z", "--raw", "-p", "--no-abbrev", "--full-index", f"-U{max(0, context)}", *_renames(renames)]
    data = _diff_tree(shadow, old, new, cancel, arguments, limit)
    raw, position = parse_raw(data)
    return _join(raw, _parse_patches(data[position:]))


def _raw_as_far_as_possible(
    shadow: Shadow, old: str | None, new: str, cancel: CancelToken, renames: bool
) -> list[RawChange]:
    """Looking for renames reads contents; where one is not here, renames stay a removal and an addition."""
    try:
        return raw_changes(shadow, old, new, cancel, renames)
    except AnamnesisError as error:
        if not renames or error.code is not ErrorCode.OBJECT_MISSING:
            raise
        return raw_changes(shadow, old, new, cancel, renames=False)


def raw_changes(
    shadow: Shadow, old: str | None, new: str, cancel: CancelToken, renames: bool = True
) -> list[RawChange]:
    """Names, status, modes and blob ids of what differs; no content is read unless renames are looked for."""
    arguments = ["-r", "-z", "--raw", "--no-abbrev", *_renames(renames)]
    try:
        return parse_raw(_diff_tree(shadow, old, new, cancel, arguments))[0]
    except GitFailed as error:
        raise _unreadable(new, error) from error


def _renames(renames: bool) -> list[str]:
    return ["-M", f"-l{RENAME_LIMIT}"] if renames else ["--no-renames"]


def _diff_tree(
    shadow: Shadow,
    old: str | None,
    new: str,
    cancel: CancelToken,
    arguments: Sequence[str],
    limit: Sequence[str] | None = None,
) -> bytes:
    sides = ["--root", "--no-commit-id", new] if old is None else [old, new]
    return shadow.run("diff-tree", *arguments, *sides, "--", *(limit or ()), cancel=cancel)


def _unreadable(commit: str, error: GitFailed) -> AnamnesisError:
    return missing(f"Something that the change of {commit[:12]} needs") if error.output.returncode == 128 else error


def patch_id_of(shadow: Shadow, old: str | None, new: str, cancel: CancelToken) -> str | None:
    """``git patch-id --stable`` of the difference; None where there is none."""
    try:
        patch = _diff_tree(shadow, old, new, cancel, ["-r", "-p", "--no-renames", "--full-index", "-U3"])
    except GitFailed as error:
        raise _unreadable(new, error) from error
    answer = shadow.run("patch-id", "--stable", cancel=cancel, input_=patch).split()
    return answer[0].decode("ascii", "replace") if answer else None


# ---- parsing


def parse_raw(data: bytes) -> tuple[list[RawChange], int]:
    """The records of ``--raw -z`` at the start of ``data``, and where the patch part begins (the end, without one)."""
    changes: list[RawChange] = []
    position = 0
    while data[position : position + 1] == b":":
        end = data.index(b"\0", position)
        old_mode, new_mode, old_blob, new_blob, status = data[position + 1 : end].decode("ascii", "replace").split(" ")
        names: list[str] = []
        position = end + 1
        for _ in range(2 if status[0] in "RC" else 1):
            end = data.index(b"\0", position)
            names.append(decode_path(data[position:end]))
            position = end + 1
        score = int(status[1:]) if status[1:].isdigit() else None
        old_path = names[0] if len(names) == 2 else None
        changes.append(RawChange(old_mode, new_mode, old_blob, new_blob, status[0], score, names[-1], old_path))
    return changes, position + (data[position : position + 1] == b"\0")


def _parse_patches(data: bytes) -> list[_Patch]:
    patches: list[_Patch] = []
    lines = data.split(b"\n")
    position = 0
    while position < len(lines):
        if not lines[position].startswith(b"diff --git "):
            position += 1
            continue
        position += 1
        binary = False
        hunks: list[Hunk] = []
        while position < len(lines) and not lines[position].startswith(b"diff --git "):
            line = lines[position]
            header = _HUNK.match(line)
            if header is not None:
                hunk, position = _parse_hunk(header, lines, position + 1)
                hunks.append(hunk)
                continue
            binary = binary or line.startswith(b"Binary files ")
            position += 1
        patches.append(_Patch(binary, tuple(hunks)))
    return patches


def _parse_hunk(header: re.Match[bytes], lines: list[bytes], position: int) -> tuple[Hunk, int]:
    old_start, new_start = int(header[1]), int(header[3])
    old_count = 1 if header[2] is None else int(header[2])
    new_count = 1 if header[4] is None else int(header[4])
    old_left, new_left = old_count, new_count
    kept: list[str] = []
    while (old_left > 0 or new_left > 0) and position < len(lines):
        line = lines[position]
        position += 1
        kind = line[:1]
        if kind == b"\\":
            continue
        old_left -= kind in (b" ", b"-")
        new_left -= kind in (b" ", b"+")
        kept.append(decode_line(line))
    while position < len(lines) and lines[position].startswith(b"\\"):
        position += 1
    return Hunk(old_start, old_count, new_start, new_count, tuple(kept)), position


def _join(raw: Sequence[RawChange], patches: Sequence[_Patch]) -> list[FileChange]:
    """Patches come in the order of the records; a change of type (T) is printed as a removal and an addition."""
    changes: list[FileChange] = []
    left = iter(patches)
    for change in raw:
        mine = [next(left, None) for _ in range(2 if change.status == "T" else 1)]
        found = [patch for patch in mine if patch is not None]
        hunks = tuple(hunk for patch in found for hunk in patch.hunks)
        binary = any(patch.binary for patch in found)
        changes.append(FileChange(change.status, change.path, change.old_path, binary, hunks))
    return changes
