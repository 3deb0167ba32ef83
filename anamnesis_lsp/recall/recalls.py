"""The recalls there are: open, held or closed, in this process and on disk.

A recall is its fused context with an id. Everything else here (the last round, the state, the name) is derived from it
and kept so that it need not be derived again. One recall at a time is open: the one that was spoken to last. One that
was open in a process that ended is held. Thread-safe; one utterance at a time per recall.
"""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Literal, cast

from anamnesis_lsp import masking
from anamnesis_lsp.contract import Context
from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.present.round import Round
from anamnesis_lsp.readings.content import Content, Invocation
from anamnesis_lsp.recall.state import Row, State

RecallState = Literal["open", "held", "identified", "stopped", "unresolved"]
ContractName = Literal["anamnesis", "recollect"]

KEPT = 200
"""Recalls kept in a process that keeps none on disk; the oldest closed ones go first."""
LOADED = 40
"""Contexts of recalls on disk that are held in memory."""
NAMED = 40
"""Other recalls whose names a turn is read against, latest first."""

_WAITING = ("open", "held")


@dataclass(slots=True)
class Recall:
    """One recall."""

    id: str
    contract: ContractName
    context: Context[Content] = ()
    state: RecallState = "open"
    round: Round | None = None
    """The last round; None where it was not derived yet."""
    when: datetime | None = None
    """When it changed last."""
    began: datetime | None = None
    root: Path | None = None
    meant: str = ""
    leading: str | None = None
    buffers: dict[str, str] = field(default_factory=lambda: dict[str, str]())
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def name(self) -> str:
        """What it is called: what is meant, and what it presented last."""
        parts = [" ".join(part.split())[:80] for part in (self.meant, self.leading) if part and part.strip()]
        return " — ".join(dict.fromkeys(parts))

    @property
    def invocation(self) -> Invocation | None:
        """The latest invocation of it that selected something, else the latest."""
        ran = [t.content for t in reversed(self.context) if isinstance(t.content, Invocation)]
        return next((one for one in ran if one.path is not None), ran[0] if ran else None)


@dataclass(frozen=True, slots=True)
class Listed:
    """A recall as it is listed and named; its context may not have been read."""

    id: str
    contract: ContractName
    state: RecallState
    name: str
    meant: str
    leading: str | None
    when: datetime | None
    root: Path | None


class Recalls:
    """The recalls of a process, and those kept on disk. ``state`` opens the file on first need; None: nothing is kept.

    ``state`` may raise ``stateTooNew`` or ``stateUnusable``: then no recall is begun or taken up.
    """

    def __init__(self, state: Callable[[], State] | None = None) -> None:
        self._state = state
        self._loaded: OrderedDict[str, Recall] = OrderedDict()
        self._open: str | None = None
        self._lock = threading.RLock()

    # ── which there are ─────────────────────────────────────────────────────────────────────────────────────────────

    def all(self) -> list[Listed]:
        """Every recall, the one that changed last first."""
        with self._lock:
            found = {recall.id: self._listed(recall) for recall in self._loaded.values() if recall.context}
            for row in self._state().rows() if self._state is not None else []:
                recall = self._loaded.get(row.id)
                if recall is None or len(recall.context) != row.turns:
                    found[row.id] = self._of_row(row)
            order = {identity: n for n, identity in enumerate(self._loaded)}
        stamp = {one.id: one.when.timestamp() if one.when is not None else 0.0 for one in found.values()}
        return sorted(found.values(), key=lambda one: (stamp[one.id], order.get(one.id, -1)), reverse=True)

    def names(self, but: str | None) -> tuple[str, ...]:
        """What the other recalls are called, latest first."""
        names = (one.name for one in self.all() if one.id != but and one.name)
        return tuple(dict.fromkeys(names))[:NAMED]

    def open(self) -> Recall | None:
        """The recall that is open in this process; None where none is."""
        with self._lock:
            recall = self._loaded.get(self._open) if self._open is not None else None
            return recall if recall is not None and recall.state == "open" else None

    def get(self, identity: str | None) -> Recall:
        """The recall of that id, or the open (else the latest held) one, its context read. Raises ``noSuchRecall``."""
        with self._lock:
            if identity is None:
                running = self.open()
                held = next((one.id for one in self.all() if one.state == "held"), None)
                identity = running.id if running is not None else held
            recall = None if identity is None else self._load(identity)
        if recall is None:
            raise AnamnesisError(
                ErrorCode.NO_SUCH_RECALL,
                f"There is no recall {identity} here." if identity else "No recall is running.",
                "Run Recollect on a selection first, or list the recalls there are.",
            )
        return recall

    def latest_told(self) -> Recall:
        """The open recall, else the one that changed last. Raises ``noSuchRecall``."""
        running = self.open()
        if running is not None:
            return running
        return self.get(next((one.id for one in self.all()), None))

    def overlapping(self, root: object, path: str, lines: tuple[int, int]) -> Recall | None:
        """The open recall, where it is on a range of the same file that overlaps these lines."""
        recall = self.open()
        invocation = recall.invocation if recall is not None else None
        if invocation is None or invocation.lines is None or invocation.root != root or invocation.path != path:
            return None
        first, last = invocation.lines
        return recall if first <= lines[1] and lines[0] <= last else None

    # ── what becomes of them ────────────────────────────────────────────────────────────────────────────────────────

    def new(self, contract: ContractName, root: Path | None = None) -> Recall:
        """A fresh recall. It exists for others once its first round is kept."""
        if self._state is not None:
            self._state()  # refused before anything is searched, not after
        return Recall(secrets.token_hex(6), contract, root=root)

    def keep(self, recall: Recall, context: Context[Content], shown: Round, state: RecallState, when: datetime) -> None:
        """One round of a recall: on disk first, then here. An open one becomes the open one of this process."""
        leading = _leading(shown)
        began = recall.began or when
        added = context[len(recall.context) :]
        if self._state is not None:
            row = Row(
                recall.id, recall.contract, None if recall.root is None else str(recall.root), began, when, state,
                shown.cue.meant, leading if leading is not None else recall.leading, len(context),
            )  # fmt: skip
            self._state().keep(row, added, recall.buffers)
        with self._lock:
            recall.context, recall.round, recall.state = context, shown, state
            recall.when, recall.began, recall.meant = when, began, shown.cue.meant
            recall.leading = leading if leading is not None else recall.leading
            self._loaded[recall.id] = recall
            self._loaded.move_to_end(recall.id)
            if state == "open":
                before = self._loaded.get(self._open) if self._open not in (None, recall.id) else None
                if before is not None and before.state == "open":
                    before.state = "held"
                self._open = recall.id
            elif self._open == recall.id:
                self._open = None
            self._evict()

    def forget(self, identities: Iterable[str]) -> int:
        """Remove recalls here and on disk; how many there were."""
        wanted = set(identities)
        with self._lock:
            here = {identity for identity in wanted if self._loaded.pop(identity, None) is not None}
            if self._open in wanted:
                self._open = None
        return len(here) if self._state is None else self._state().forget(wanted)

    def _evict(self) -> None:
        limit = KEPT if self._state is None else LOADED
        closed = [r.id for r in self._loaded.values() if r.state not in _WAITING or self._state is not None]
        while len(self._loaded) > limit and closed:
            gone = closed.pop(0)
            if gone != self._open:
                del self._loaded[gone]

    def _load(self, identity: str) -> Recall | None:
        recall = self._loaded.get(identity)
        if self._state is None:
            return recall
        state = self._state()
        row = state.row(identity)
        if row is None:
            return None
        if recall is not None and len(recall.context) == row.turns:
            return recall
        listed = self._of_row(row)
        if recall is None:
            recall = Recall(row.id, listed.contract)
        recall.context, recall.round = state.context(identity), None
        recall.buffers = state.buffers(identity)
        recall.state, recall.when, recall.began = listed.state, row.changed, row.began
        recall.root, recall.meant, recall.leading = listed.root, row.meant, row.leading
        self._loaded[identity] = recall
        self._loaded.move_to_end(identity)
        self._evict()
        return recall

    def _listed(self, recall: Recall) -> Listed:
        return Listed(
            recall.id,
            recall.contract,
            recall.state,
            recall.name,
            recall.meant,
            recall.leading,
            recall.when,
            recall.root,
        )

    def _of_row(self, row: Row) -> Listed:
        state = "held" if row.state == "open" and row.id != self._open else row.state
        contract: ContractName = "recollect" if row.contract == "recollect" else "anamnesis"
        root = Path(row.root) if row.root is not None else None
        named = Recall(row.id, contract, meant=row.meant, leading=row.leading)
        when = row.changed.astimezone()
        return Listed(row.id, contract, cast("RecallState", state), named.name, row.meant, row.leading, when, root)


def _leading(shown: Round) -> str | None:
    leading = shown.recognizables[0] if shown.story and shown.recognizables else None
    if leading is None:
        return None
    return masking.mask(next((m.gist for m in leading.members if m.gist.strip()), leading.members[0].id))
