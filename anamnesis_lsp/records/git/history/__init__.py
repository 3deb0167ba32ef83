"""The history of a range of lines: who changed it, back to where it appears, and what each step was.

Promises
    :func:`history` streams :class:`~anamnesis_lsp.records.git.model.Step` newest first. It goes on where ``git log -L``
    stops: through renamed files, moves between files, functions that were renamed, split or rewritten under the same
    signature, merges (the side on which the change was made) and deletions that were undone. What is followed is a
    whole block when the selection is one, else the lines themselves (:func:`.blocks.whole_block` decides).

    It agrees with blame: the newest commit that ``git blame`` names for the range is a step, and every step before it
    left no line in the range (it only took lines out, or its lines were taken out since).

    Where a range was not touched to the byte there is no step. Kinds: ``change``; ``format`` (same tokens: blanks, line
    ends, wrapping, or only another place in the file); ``comment``; ``doc`` (of a block selected with its
    documentation); ``rename`` (of the file, or only the block's name); ``move`` (from another file); ``merge`` (a merge
    that wrote a line none of its parents has); ``introduced`` (nothing older was found, or a shallow clone ends:
    ``match`` tells which). A step with ``match`` ``copy`` is ``introduced`` too: its hunks are against what it copied,
    whose own history is not told.

May not
    Look at the working tree, start a process other than through the repository, or keep one between two steps.

Raises
    ``AnamnesisError`` before the first step: ``fileMissing``, ``fileBinary``, ``fileInLfs``, ``fileEmpty``,
    ``rangeEmpty``, ``rangeReversed``, ``rangePastEnd``, ``objectMissing``; while it runs what the repository raises.
    ``Cancelled``.
"""

from __future__ import annotations

from collections.abc import Iterator

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.records.git.editing import refuse_pointer
from anamnesis_lsp.records.git.model import Step
from anamnesis_lsp.records.git.repository import Repository
from anamnesis_lsp.records.git.selection import check_range
from anamnesis_lsp.records.git.text import printable

from .families import Family
from .source import RepositoryPast
from .walk import Walk

__all__ = ["Family", "committed_range", "history"]


def history(
    repo: Repository,
    commit: str,
    path: str,
    start: int,
    end: int,
    cancel: CancelToken,
    family: Family | None = None,
) -> Iterator[Step]:
    """The steps of lines ``start`` to ``end`` (1-based, inclusive; cut at the end of the file) of ``path`` at
    ``commit``.

    ``commit`` is a full hash, ``path`` relative to the root. Newest first, each as soon as it is known; stop reading
    and no more is done. ``family`` replaces the rule that the file's name gives (:data:`Family.LINES`: follow lines
    only).
    """
    start, end = committed_range(repo, commit, path, start, end, cancel)
    return Walk(RepositoryPast(repo), cancel, family).steps(commit, path, start, end)


def committed_range(
    repo: Repository, commit: str, path: str, start: int, end: int, cancel: CancelToken
) -> tuple[int, int]:
    """The range as it holds in the committed file, cut at its end. Raises what :func:`history` raises at first."""
    refuse_pointer(repo.file(commit, path, cancel), path)
    text = repo.text(commit, path, cancel)
    count = text.count("\n") + (not text.endswith("\n") and bool(text))
    if count == 0:
        raise AnamnesisError(
            ErrorCode.FILE_EMPTY, f"{printable(path)} is empty.", "Select lines of a file that has some."
        )
    return check_range(path, start, end, count)
