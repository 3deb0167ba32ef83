"""Where the lines that a commit brought into a file come from: moved within it, or copied from a file changed with it.

``git blame -M -C`` looks for both at every commit it passes; on a long file that takes several times the rest, and git
then leaves the changed-path filters unused (stack/PERF.md 1). The question is the same for each commit alone: asked of
one commit (``git blame -w -M -C COMMIT --not PARENTS``) it takes some 20 ms, its answer holds for ever and does not
depend on which lines were asked for. So blame follows lines by their diffs alone, and only the commits that it ends at
are asked this.
"""

from __future__ import annotations

import bisect
import threading
from collections import OrderedDict
from collections.abc import Sequence

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.records.git.blame_lines import parse_incremental
from anamnesis_lsp.records.git.blame_store import BlameStore, Copied
from anamnesis_lsp.records.git.objects import ObjectStore
from anamnesis_lsp.records.git.process import GitFailed
from anamnesis_lsp.records.git.shadow import Shadow

STEP_SECONDS = 3.0
"""One commit is asked for at most so long: one that rewrote a tree of files has lines from anywhere."""
_KEPT = 20_000


class Copies:
    """Asks the commits of one repository, and keeps what they answer. Thread-safe."""

    def __init__(self, shadow: Shadow, objects: ObjectStore, store: BlameStore) -> None:
        self._shadow, self._objects, self._store = shadow, objects, store
        self._known: OrderedDict[tuple[str, str], Sequence[Copied] | None] = OrderedDict()
        self._lock = threading.Lock()

    def known(self, commit: str, path: str, cancel: CancelToken) -> tuple[bool, Sequence[Copied]]:
        """Whether it is settled where the lines of ``path`` at ``commit`` come from, and the pieces, in order.

        No process. Also settled: a first commit, one where a shallow clone ends, and one that could not be asked.
        """
        with self._lock:
            if (commit, path) in self._known:
                return True, self._known[commit, path] or ()
        if commit in self._shadow.boundary or not self._objects.commit(commit, cancel).parents:
            return True, ()
        pieces = self._store.copied(commit, path)
        if pieces is None:
            return False, ()
        self._remember(commit, path, pieces)
        return True, pieces

    def unanswered(self, commit: str, path: str) -> bool:
        """Whether the commit was asked and could not answer: it took too long, or lacks a file (partial clone)."""
        return self._known.get((commit, path), ()) is None

    def read(self, commit: str, path: str, cancel: CancelToken, seconds: float, background: bool = False) -> None:
        """Ask the commit. One that takes longer than :data:`STEP_SECONDS` or lacks a file is not asked again; one that
        only the remaining ``seconds`` cut short is."""
        if self.known(commit, path, cancel)[0]:
            return
        parents = self._objects.commit(commit, cancel).parents
        arguments = ["--incremental", "--root", "-w", "-M", "-C", commit, *(f"^{parent}" for parent in parents)]
        limit = min(seconds, STEP_SECONDS)
        pieces: list[Copied] = []
        try:
            with self._shadow.stream(
                "blame", *arguments, "--", path, cancel=cancel, seconds=limit, background=background
            ) as lines:
                for group in parse_incremental(lines):
                    if group.commit != commit:
                        last = group.line + group.count - 1
                        pieces.append((group.line, last, group.commit, group.path, group.source_line))
        except GitFailed:
            self._remember(commit, path, None)
            return
        except AnamnesisError as error:
            if error.code not in (ErrorCode.GIT_TIMEOUT, ErrorCode.OUTPUT_TOO_LARGE):
                raise
            if limit >= STEP_SECONDS:
                self._remember(commit, path, None)
            return
        pieces.sort()
        self._remember(commit, path, pieces)
        self._store.keep_copied([(commit, path, pieces)])

    def _remember(self, commit: str, path: str, pieces: Sequence[Copied] | None) -> None:
        with self._lock:
            self._known[commit, path] = pieces
            while len(self._known) > _KEPT:
                self._known.popitem(last=False)


def origin(pieces: Sequence[Copied], line: int) -> tuple[str, str, int] | None:
    """The commit, path and line that ``line`` came from; None where it was made there."""
    place = bisect.bisect_right(pieces, line, key=lambda piece: piece[0]) - 1
    if place < 0 or pieces[place][1] < line:
        return None
    first, _, commit, path, source = pieces[place]
    return commit, path, source + line - first
