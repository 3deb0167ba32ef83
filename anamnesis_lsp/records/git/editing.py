"""Blame of the text in an editor: mapped to a commit by our own diff, git never sees it.

The committed text is read as the editor reads it (encodings, line ends, BOM); conflict markers part a text into sides,
each mapped to its own commit; a pointer of Git LFS stands for no lines. Raises ``fileBinary``, ``fileInLfs``, and as
:mod:`.blame`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.records.git.attributes import attributes_of, is_lfs_pointer
from anamnesis_lsp.records.git.blame import BlameReader, runs_of
from anamnesis_lsp.records.git.buffers import open_buffers
from anamnesis_lsp.records.git.conflicts import conflicts, other_head, sides, their_lines
from anamnesis_lsp.records.git.linemap import LineMap, editor_lines, git_numbers
from anamnesis_lsp.records.git.model import Blame
from anamnesis_lsp.records.git.objects import ObjectStore
from anamnesis_lsp.records.git.text import decode_like, decode_text, is_utf8, printable, tree_path


class EditorBlame:
    """Blames editor texts of one repository. Thread-safe."""

    def __init__(self, blame: BlameReader, objects: ObjectStore, git_dir: Path) -> None:
        self._blame, self._objects, self._git_dir = blame, objects, git_dir

    def blame(
        self,
        commit: str,
        path: str,
        buffer: str,
        ranges: Sequence[tuple[int, int]] | None,
        cancel: CancelToken,
        ask_copies: bool,
    ) -> Blame:
        """See :meth:`.Repository.blame_buffer`."""
        known = open_buffers.kept(buffer, (self._git_dir, commit, path))
        if known is None and "<<<<<<<" in buffer and (found := conflicts(lines := editor_lines(buffer))):
            ours, theirs = sides(lines, found)
            mine = self._blame_lines(path, ours, ranges, cancel, commit, ask_copies)
            other = other_head(self._git_dir)
            wanted = sorted(their_lines(found).intersection(mine.uncommitted))
            return mine if other is None else self._with_theirs(mine, path, theirs, wanted, cancel, other, ask_copies)
        mapping, count = known or self.line_map(commit, path, buffer, cancel)
        return self._blame_mapped(mapping, _wanted(ranges, count), path, commit, cancel, ask_copies)

    def line_map(self, commit: str, path: str, buffer: str, cancel: CancelToken) -> tuple[LineMap, int]:
        """The map of an editor's text to the file at a commit, and how many lines the text has."""
        return open_buffers.mapping(
            buffer, (self._git_dir, commit, path), lambda: self._committed(commit, path, buffer, cancel), cancel
        )

    def _blame_lines(
        self,
        path: str,
        lines: Sequence[str],
        ranges: Sequence[tuple[int, int]] | None,
        cancel: CancelToken,
        commit: str,
        ask_copies: bool,
    ) -> Blame:
        committed, numbers = self._committed(commit, path, "\n".join(lines), cancel)
        mapping = LineMap.between(lines, committed, cancel, numbers)
        return self._blame_mapped(mapping, _wanted(ranges, len(lines)), path, commit, cancel, ask_copies)

    def _blame_mapped(
        self, mapping: LineMap, wanted: list[int], path: str, commit: str, cancel: CancelToken, ask_copies: bool
    ) -> Blame:
        if not wanted:
            return Blame(commit, path, ())
        committed = sorted({origin for line in wanted if (origin := mapping.committed(line)) is not None})
        if not committed:
            return Blame(commit, path, (), tuple(wanted))
        blame = self._blame.blame(commit, tree_path(path), runs_of(committed), cancel, ask_copies)
        return mapping.renumber(blame, wanted)

    def _with_theirs(
        self,
        mine: Blame,
        path: str,
        theirs: Sequence[str],
        wanted: Sequence[int],
        cancel: CancelToken,
        other: str,
        ask_copies: bool,
    ) -> Blame:
        if not wanted:
            return mine
        try:
            found = self._blame_lines(path, theirs, runs_of(wanted), cancel, other, ask_copies)
        except AnamnesisError as error:
            if error.code not in (ErrorCode.FILE_MISSING, ErrorCode.OBJECT_MISSING):
                raise
            return mine
        lines = [*mine.lines, *(replace(line, theirs=True) for line in found.lines)]
        committed = {line.line for line in found.lines}
        return replace(
            mine,
            lines=tuple(sorted(lines, key=lambda line: line.line)),
            uncommitted=tuple(line for line in mine.uncommitted if line not in committed),
            copies_followed=mine.copies_followed and found.copies_followed,
        )

    def _committed(
        self, commit: str, path: str, buffer: str, cancel: CancelToken
    ) -> tuple[list[str], Sequence[int] | None]:
        """The committed lines as the editor that shows ``buffer`` reads them, and git's numbers where they differ."""
        data = self._objects.file(commit, path, cancel)
        refuse_pointer(data, path, buffer)
        if is_utf8(data):
            text = decode_text(data, path)
        else:
            named = attributes_of(self._objects, commit, tree_path(path), cancel).get("working-tree-encoding")
            text = decode_like(data, path, editor_lines(buffer), named if isinstance(named, str) else None)
        return editor_lines(text), git_numbers(text) if "\r" in text else None


def refuse_pointer(data: bytes, path: str, shown: str | None = None) -> None:
    """Raise ``fileInLfs`` where a committed content is a pointer of Git LFS, unless the pointer itself is shown."""
    if is_lfs_pointer(data) and (shown is None or not is_lfs_pointer(shown.encode("utf-8", "replace"))):
        raise AnamnesisError(
            ErrorCode.FILE_IN_LFS,
            f"{printable(path)} is kept in Git LFS: git has a pointer of three lines, not the lines of the file.",
            "Ask about the file as a whole: the commits that changed the pointer changed the file.",
        )


def _wanted(ranges: Sequence[tuple[int, int]] | None, length: int) -> list[int]:
    if ranges is None:
        return list(range(1, length + 1))
    return sorted({line for start, end in ranges for line in range(max(1, start), min(end, length) + 1)})
