"""Running recalls: which there are, in what state, and which of them a turn or a selection is for.

A recall is its fused context with an id. Everything else here (the last round, the state) is derived from it and kept
so that it need not be derived again. Thread-safe; one utterance at a time per recall.
"""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from anamnesis_lsp.contract import Context
from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.present.round import Round
from anamnesis_lsp.readings.content import Content, Invocation

RecallState = Literal["open", "held", "identified", "stopped", "unresolved"]

KEPT = 200
"""Recalls kept in a process; the oldest closed ones go first."""


@dataclass(slots=True)
class Recall:
    """One recall."""

    id: str
    contract: Literal["anamnesis", "recollect"]
    context: Context[Content] = ()
    state: RecallState = "open"
    round: Round | None = None
    when: datetime | None = None
    buffers: dict[str, str] = field(default_factory=lambda: dict[str, str]())
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def name(self) -> str:
        """What it is called: what it presented last, else what was meant."""
        if self.round is None:
            return ""
        leading = self.round.recognizables[0] if self.round.story and self.round.recognizables else None
        told = next((m.gist for m in leading.members if m.gist), "") if leading is not None else ""
        return " ".join((told or self.round.cue.meant).split())[:120]

    @property
    def invocation(self) -> Invocation | None:
        """The latest invocation of it."""
        return next((t.content for t in reversed(self.context) if isinstance(t.content, Invocation)), None)


class Recalls:
    """The recalls of a process, latest last."""

    def __init__(self) -> None:
        self._recalls: OrderedDict[str, Recall] = OrderedDict()
        self._lock = threading.Lock()

    def new(self, contract: Literal["anamnesis", "recollect"]) -> Recall:
        """A fresh recall. The one that was open is left holding where it stood."""
        recall = Recall(secrets.token_hex(6), contract)
        with self._lock:
            for other in self._recalls.values():
                if other.state == "open":
                    other.state = "held"
            self._recalls[recall.id] = recall
            closed = [r.id for r in self._recalls.values() if r.state not in ("open", "held")]
            while len(self._recalls) > KEPT and closed:
                del self._recalls[closed.pop(0)]
        return recall

    def get(self, identity: str | None) -> Recall:
        """The recall of that id, or the latest open (else held) one. Raises ``noSuchRecall``."""
        with self._lock:
            if identity is not None:
                found = self._recalls.get(identity)
            else:
                ordered = list(reversed(self._recalls.values()))
                found = next((r for r in ordered if r.state == "open"), None) or next(
                    (r for r in ordered if r.state == "held"), None
                )
            if found is None:
                raise AnamnesisError(
                    ErrorCode.NO_SUCH_RECALL,
                    f"There is no recall {identity} here." if identity else "No recall is running.",
                    "Run Recollect on a selection first, or list the recalls there are.",
                )
            self._recalls.move_to_end(found.id)
            return found

    def open(self) -> Recall | None:
        """The recall that is open; None where none is."""
        with self._lock:
            return next((r for r in reversed(self._recalls.values()) if r.state == "open"), None)

    def drop(self, recall: Recall) -> None:
        """Forget a recall that did not begin."""
        with self._lock:
            self._recalls.pop(recall.id, None)

    def overlapping(self, root: object, path: str, lines: tuple[int, int]) -> Recall | None:
        """The open recall on a range of the same file that overlaps these lines."""
        with self._lock:
            for recall in reversed(self._recalls.values()):
                invocation = recall.invocation
                if recall.state != "open" or invocation is None or invocation.lines is None:
                    continue
                first, last = invocation.lines
                if invocation.root == root and invocation.path == path and first <= lines[1] and lines[0] <= last:
                    return recall
        return None

    def all(self) -> list[Recall]:
        """Every recall, latest first."""
        with self._lock:
            return list(reversed(self._recalls.values()))
