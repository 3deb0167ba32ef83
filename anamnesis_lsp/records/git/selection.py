"""Whether a selection can be asked about, with one clear error for each way it cannot.

In this order: the path (``outsideRoot``; a symbolic link counts as what it leads to), the history (``unbornHead``,
``unknownRevision``), the file (``fileMissing``, ``fileUntracked``, ``fileIgnored``), its content (``fileBinary``,
``fileEmpty``), the range (``rangeEmpty``, ``rangeReversed``, ``rangePastEnd``). A range that merely ends after the
last line is cut there.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from pathlib import Path

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.records.git.editing import refuse_pointer
from anamnesis_lsp.records.git.linemap import editor_lines
from anamnesis_lsp.records.git.repository import Repository
from anamnesis_lsp.records.git.text import is_binary, printable


@dataclass(frozen=True, slots=True)
class Selection:
    """A selection that holds: the path as git spells it, the lines after cutting, and the text they are lines of."""

    path: str
    commit: str
    """Full id: what the history is asked from."""
    lines: tuple[int, int]
    count: int
    """Lines of the text."""
    clipped: bool
    """The range ended after the last line and was cut."""
    text: str
    """The editor's text, the work tree's, or, with a revision, the committed one."""


def check_selection(
    repo: Repository,
    path: Path,
    start: int,
    end: int,
    cancel: CancelToken,
    buffer: str | None = None,
    rev: str | None = None,
) -> Selection:
    """Check lines ``start`` to ``end`` (from 1, inclusive) of a file; raises the errors listed above.

    ``buffer`` is the text in the editor where it is open; ``rev`` asks about the committed text of that revision
    instead.
    """
    inside = repo.relative(path)
    commit = repo.resolve(rev or "HEAD", cancel)
    shown = inside
    inside = tracked_spelling(repo, commit, inside, cancel, in_editor=buffer is not None, by_rev=rev is not None)
    committed = repo.file(commit, inside, cancel)
    if is_binary(committed):
        repo.text(commit, inside, cancel)
    refuse_pointer(committed, inside, buffer)
    if rev is not None:
        text = repo.text(commit, inside, cancel)
    else:
        text = buffer if buffer is not None else repo.work_text(shown)
    count = len(editor_lines(text))
    if count == 0:
        raise AnamnesisError(
            ErrorCode.FILE_EMPTY, f"{printable(inside)} is empty.", "Select lines of a file that has some."
        )
    lines = check_range(inside, start, end, count)
    return Selection(inside, commit, lines, count, lines[1] < end, text)


def check_range(path: str, start: int, end: int, count: int) -> tuple[int, int]:
    """The range, cut at ``count`` lines. Raises ``rangeEmpty``, ``rangeReversed``, ``rangePastEnd``."""
    if end < start:
        raise AnamnesisError(
            ErrorCode.RANGE_REVERSED,
            f"The range {start}-{end} ends before it begins.",
            "Give START-END with START not after END.",
        )
    if start < 1:
        raise AnamnesisError(
            ErrorCode.RANGE_EMPTY,
            f"The range {start}-{end} holds no line: lines are counted from 1.",
            "Select at least one line.",
        )
    if start > count:
        raise AnamnesisError(
            ErrorCode.RANGE_PAST_END,
            f"Line {start} is past the end of {printable(path)}, which has {count} line{'' if count == 1 else 's'}.",
            "Select lines that the file has.",
        )
    return start, min(end, count)


def tracked_spelling(
    repo: Repository, commit: str, path: str, cancel: CancelToken, in_editor: bool = False, by_rev: bool = False
) -> str:
    """The path as git spells it at ``commit``.

    Where file systems fold case or Unicode forms, an editor's spelling may differ: one that names the same file on
    disk is taken. A file whose rename is staged has its old name. Raises ``fileMissing``, ``fileUntracked``,
    ``fileIgnored``.
    """
    entry = repo.objects.entry(commit, path, cancel)
    if entry is not None and entry.mode in ("040000", "160000"):
        what = "a folder" if entry.mode == "040000" else "a submodule"
        raise AnamnesisError(
            ErrorCode.FILE_MISSING, f"{printable(path)} is {what}, not a file.", "Pass the path of a file."
        )
    on_disk = not by_rev and not repo.bare and (repo.root / path).exists()
    if entry is not None:
        if on_disk or in_editor or by_rev or repo.bare:
            return path
        raise AnamnesisError(
            ErrorCode.FILE_MISSING,
            f"{printable(path)} is tracked but no longer in the work tree.",
            "Pass --rev to ask about it as it was committed.",
        )
    if on_disk:
        other = _folded(repo, commit, path, cancel)
        if other is not None:
            return other
    if by_rev:
        raise AnamnesisError(
            ErrorCode.FILE_MISSING,
            f"There is no {printable(path)} at {commit[:12]}.",
            "Check the path and the revision; the file may have had another name then.",
        )
    if not on_disk and not in_editor:
        raise AnamnesisError(ErrorCode.FILE_MISSING, f"There is no file {printable(path)}.", "Check the path.")
    if (repo.root / path).is_dir():
        raise AnamnesisError(
            ErrorCode.FILE_MISSING, f"{printable(path)} is a folder, not a file.", "Pass the path of a file."
        )
    origin = repo.staged_origin(commit, path, cancel)
    if origin is not None:
        return origin[0]
    if repo.staged(path, cancel) is not None:
        raise AnamnesisError(
            ErrorCode.FILE_UNTRACKED,
            f"{printable(path)} is staged but not committed yet: it has no history under this name.",
            "Commit it first.",
        )
    if repo.ignored(path, cancel):
        raise AnamnesisError(
            ErrorCode.FILE_IGNORED,
            f"{printable(path)} is ignored by git: it has no history.",
            "Ask about a tracked file.",
        )
    raise AnamnesisError(
        ErrorCode.FILE_UNTRACKED,
        f"{printable(path)} is not tracked by git: it has no history.",
        "Add and commit it first.",
    )


def _folded(repo: Repository, commit: str, path: str, cancel: CancelToken) -> str | None:
    """Another spelling in the tree that is the same file on this disk."""
    spelled = ""
    for part in path.split("/"):
        names = [entry.path.rpartition("/")[2] for entry in repo.objects.folder(commit, spelled, cancel)]
        if part not in names:
            key = _fold(part)
            part = next((name for name in names if _fold(name) == key), "")
            if not part:
                return None
        spelled = f"{spelled}/{part}" if spelled else part
    try:
        return spelled if (repo.root / spelled).samefile(repo.root / path) else None
    except OSError:
        return None


def _fold(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()
