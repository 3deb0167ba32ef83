"""Commit-graphs built in the background: one daemon thread builds them one after another, behind everything else.

HEAD's history first, then what the other refs reach. Asking again costs nothing while HEAD stays where it was.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from pathlib import Path
from typing import TYPE_CHECKING

from anamnesis_lsp.cancel import Cancelled, CancelToken
from anamnesis_lsp.errors import AnamnesisError

if TYPE_CHECKING:
    from anamnesis_lsp.records.git.repository import Repository


class Warming:
    """The repositories whose commit-graph is wanted. Thread-safe; :meth:`warm` returns at once and raises nothing."""

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._wanted: OrderedDict[Path, Repository] = OrderedDict()
        self._built: dict[Path, str] = {}
        self._thread: threading.Thread | None = None
        self._token = CancelToken()
        self._building = False

    def warm(self, repository: Repository) -> None:
        """Have the commit-graph of a repository built or extended, when there is time for it."""
        with self._condition:
            if self._token.cancelled:
                self._token = CancelToken()
            self._wanted[repository.common_dir] = repository
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="git-warming", daemon=True)
                self._thread.start()
            self._condition.notify_all()

    def stop(self) -> None:
        """Drop what is wanted and end what is being built."""
        with self._condition:
            self._wanted.clear()
            self._token.cancel()

    def idle(self, seconds: float) -> bool:
        """Wait until nothing is wanted; whether that came about."""
        with self._condition:
            return self._condition.wait_for(lambda: not self._wanted and not self._building, seconds)

    def _work(self) -> None:
        while True:
            with self._condition:
                while not self._wanted:
                    self._condition.wait()
                _, repository = self._wanted.popitem(last=False)
                token, self._building = self._token, True
            try:
                self._build(repository, token)
            except (AnamnesisError, Cancelled, OSError):
                pass
            finally:
                with self._condition:
                    self._building = False
                    self._condition.notify_all()

    def _build(self, repository: Repository, token: CancelToken) -> None:
        head = repository.head(token)
        if self._built.get(repository.common_dir) == head:
            return
        if repository.build_commit_graph(token):
            repository.build_commit_graph(token, all_refs=True)
        self._built[repository.common_dir] = head


_warming = Warming()
warm, stop, idle = _warming.warm, _warming.stop, _warming.idle
