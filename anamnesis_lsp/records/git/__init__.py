"""records.git: the one door to git.

Promises
    Whatever a repository holds, reading it through here executes nothing of it, sends nothing, writes nothing into it
    and takes none of its words for git's: config, attributes, hooks, filters, mailmap, replace refs, grafts and
    promisor remotes are out of the picture (DESIGN section 8, stack/STACK.md 4). Authors and times are those of the
    commit objects. The end of a shallow clone's history is told as a boundary. Everything blocks, takes a
    ``CancelToken`` and ends within 100 ms of its cancellation, its git children gone.

May not
    Show git the working tree, write outside our cache, judge, rank, or hand out a GitPython object. Nothing outside
    this package starts git.

Raises
    ``AnamnesisError``: ``notARepository``, ``dubiousOwnership``, ``gitMissing``, ``gitTooOld``, ``gitFailed``,
    ``gitTimeout``, ``objectMissing``, ``outputTooLarge``, ``unknownRevision``, ``unbornHead``, and of a selection
    ``outsideRoot``, ``fileMissing``, ``fileUntracked``, ``fileIgnored``, ``fileBinary``, ``fileEmpty``,
    ``fileInLfs``, ``rangeEmpty``, ``rangeReversed``, ``rangePastEnd``. ``Cancelled``.

Begin with :meth:`Repository.discover`. Beside it: ``history`` (the steps of a range), :mod:`.follow` (of a file),
:mod:`.search`, :mod:`.survival` (where a recorded commit lives on), :mod:`.stepping` (before a change, and back),
:mod:`.forges` and :mod:`.weblinks` (pages), :mod:`.notebook` (cells), :mod:`.buffers` (maps of edited buffers),
:mod:`.warming` (commit-graphs in the background).
"""

from __future__ import annotations

from anamnesis_lsp.records.git.buffers import TextEdit, open_buffers
from anamnesis_lsp.records.git.linemap import LineMap, editor_lines, matching_blocks
from anamnesis_lsp.records.git.model import (
    Blame,
    BlameLine,
    Commit,
    FileChange,
    Hunk,
    LogEntry,
    Match,
    Person,
    Ref,
    Step,
    TreeEntry,
)
from anamnesis_lsp.records.git.process import GitFailed, Stream, use_git
from anamnesis_lsp.records.git.repository import Repository
from anamnesis_lsp.records.git.selection import Selection, check_range, check_selection

__all__ = [
    "Blame",
    "BlameLine",
    "Commit",
    "FileChange",
    "GitFailed",
    "Hunk",
    "LineMap",
    "LogEntry",
    "Match",
    "Person",
    "Ref",
    "Repository",
    "Selection",
    "Step",
    "Stream",
    "TextEdit",
    "TreeEntry",
    "check_range",
    "check_selection",
    "editor_lines",
    "matching_blocks",
    "open_buffers",
    "use_git",
]
