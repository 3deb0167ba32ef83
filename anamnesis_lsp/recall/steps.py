"""Stepping through the past of a range for an editor: before the change that last touched it, and forward again.

Each step is a file at a revision, named by its locator; where one came from is remembered with it, so that going
forward returns to exactly the lines one left, in the editor's file too. Thread-safe.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.places import KnownRoots, root_id
from anamnesis_lsp.present import locators
from anamnesis_lsp.present.locators import Locator
from anamnesis_lsp.records.git import Repository, check_selection
from anamnesis_lsp.records.git.stepping import Oldest, Stop, before, check

KEPT = 512
"""Steps whose way back is remembered."""

Nothing = Literal["root", "shallow", "created"]


@dataclass(frozen=True, slots=True)
class Stepped:
    """Where a step led: a locator or a ``file:`` URI, and its lines (1-based, inclusive; None: not there then)."""

    target: str
    lines: tuple[int, int] | None
    commit: str | None = None
    """The commit whose change is undone there; None forward, and where the change is not committed."""
    subject: str | None = None
    oldest: Nothing | None = None
    """There is nothing before, and why; it stays where it was."""


class Steps:
    """The steps of one process."""

    def __init__(self, roots: KnownRoots, repository: Callable[[Path, CancelToken], Repository]) -> None:
        self._roots = roots
        self._repository = repository
        self._came: OrderedDict[str, Stepped] = OrderedDict()
        self._lock = threading.Lock()

    def before_file(self, path: Path, lines: tuple[int, int], buffer: str | None, cancel: CancelToken) -> Stepped:
        """From lines of a file as the editor has it. Lines that are not committed step to HEAD first. Raises as
        Recollect does of a selection."""
        repository = self._repository(path, cancel)
        self._roots.add(repository.root, "repository", "decisions")
        selection = check_selection(repository, path, *lines, cancel, buffer)
        here = Stepped(path.as_uri(), selection.lines)
        mapping = repository.line_map(selection.path, selection.text, cancel, selection.commit)
        first, last = selection.lines
        committed = mapping.committed_range(first, last)
        if committed is None or any(mapping.committed(line) is None for line in range(first, last + 1)):
            stop = Stop(selection.commit, selection.path, committed or (1, 0))
            return self._reached(repository, stop, here, cancel)
        return self._back(repository, Stop(selection.commit, selection.path, committed), here, cancel)

    def before(self, locator: str, cancel: CancelToken) -> Stepped:
        """From a file at a revision, or from the lines of a commit. Raises ``recordGone``, and ``badRequest`` where the
        locator names no lines."""
        parsed = locators.parse(locator)
        if parsed.kind not in ("file", "commit") or parsed.path is None:
            raise _bad("the locator of a file at a revision, or of a commit with a file and its lines")
        repository = self._repository(self._roots.resolve(parsed.root or "", "repository"), cancel)
        here = Stepped(str(parsed), parsed.lines)
        if parsed.lines is None:
            if self._known(str(parsed)):
                return Stepped(str(parsed), None, oldest="created")
            raise _bad("a locator with lines")
        return self._back(repository, Stop(parsed.hash or "", parsed.path, parsed.lines), here, cancel)

    def after(self, locator: str, cancel: CancelToken) -> Stepped:
        """Back to where a step came from, to its very lines. Raises ``badRequest`` where no step led here, and
        ``recordGone``."""
        name = str(locators.parse(locator))
        with self._lock:
            came = self._came.get(name)
        if came is None:
            raise _bad("a locator that a step before led to")
        if came.target.startswith(f"{locators.SCHEME}:"):
            there = locators.parse(came.target)
            repository = self._repository(self._roots.resolve(there.root or "", "repository"), cancel)
            check(repository, Stop(there.hash or "", there.path or "", came.lines or (1, 0)), cancel)
        return came

    def _known(self, name: str) -> bool:
        with self._lock:
            return name in self._came

    def _back(self, repository: Repository, stop: Stop, here: Stepped, cancel: CancelToken) -> Stepped:
        found = before(repository, stop, cancel)
        if isinstance(found, Oldest):
            subject = repository.commit(found.commit, cancel).subject
            return Stepped(here.target, here.lines, found.commit, subject, found.why)
        return self._reached(repository, found, here, cancel)

    def _reached(self, repository: Repository, stop: Stop, here: Stepped, cancel: CancelToken) -> Stepped:
        lines = None if stop.empty else stop.lines
        name = str(Locator("file", root_id(repository.root), hash=stop.commit, path=stop.path, lines=lines))
        with self._lock:
            self._came[name] = here
            self._came.move_to_end(name)
            while len(self._came) > KEPT:
                self._came.popitem(last=False)
        subject = None if stop.after is None else repository.commit(stop.after, cancel).subject
        return Stepped(name, lines, stop.after, subject)


def _bad(expected: str) -> AnamnesisError:
    return AnamnesisError(
        ErrorCode.BAD_REQUEST,
        f"The parameters are malformed: 'locator' must be {expected}.",
        "See the protocol page for the shape of this request.",
    )
