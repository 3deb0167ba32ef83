"""Keeping the catalog up to date in a running server: one thread of low priority, and what a recall waits for.

The stores are polled, not watched by the system: that works over networks, in containers and for databases, holds no
handles, and its cost is bounded here. A look lists a store and compares sizes and times (15 ms for 600 logs); a store
is looked at every second where that is cheap, seldomer in proportion to what looking and reading cost, and seldomer
still where reading it changed nothing (another program writes back what this one leaves out, a source that fails).

One writer over all processes: while another server writes, this one looks on and reads what that one wrote; when it has
gone, this one writes. A recall asks for a look and waits for it a bounded time; what is unread then is told with it.
"""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from anamnesis_lsp.cancel import Cancelled, CancelToken
from anamnesis_lsp.errors import AnamnesisError
from anamnesis_lsp.index import Pending, Refreshed, lower_priority
from anamnesis_lsp.index import Progress as Reading
from anamnesis_lsp.records.conversations.stores import Store

log = logging.getLogger(__name__)

SHORTEST = 1.0
"""Seconds between two looks at a store."""
LONGEST = 60.0
COST_OF_LOOKING = 20.0
"""A look that took t seconds of work is repeated after so many times t: looking takes a twentieth of a core at most."""
COST_OF_READING = 3.0
"""The same for reading what changed: a long log that grows all the time takes a quarter of a core at most."""
POLITE = 0.05
"""Seconds that the thread sleeps at a time while someone is being answered."""

Look = Callable[[Store, CancelToken], Pending]
Read = Callable[[Store, CancelToken, Callable[[Reading], None]], Refreshed]


@dataclass(slots=True)
class _Watched:
    store: Store
    next: float = 0.0
    """When it is looked at next."""
    fresh: float = -1.0
    """Begin of the last look after which nothing was left to read."""
    left: tuple[int, int] = (0, 0)
    """Sources and bytes that were pending when it was read last."""
    wait: float = SHORTEST


class Until(CancelToken):
    """A token that is also set when its time is over."""

    def __init__(self, outer: CancelToken, seconds: float) -> None:
        super().__init__()
        self._outer = outer
        self._end = time.monotonic() + seconds

    @property
    def cancelled(self) -> bool:
        """Whether the work was cancelled, or its time is over."""
        return super().cancelled or self._outer.cancelled or time.monotonic() > self._end

    def check(self) -> None:
        """Raise ``Cancelled`` where the work was cancelled, or its time is over."""
        if self.cancelled:
            raise Cancelled


class _Polite(CancelToken):
    """The token of background work: where it looks whether it is cancelled, it lets others go first."""

    def __init__(self, upkeep: Upkeep) -> None:
        super().__init__()
        self._upkeep = upkeep

    def check(self) -> None:
        """Wait while someone is being answered who does not wait for this work."""
        super().check()
        while self._upkeep.should_yield:
            if self.wait(POLITE):
                raise Cancelled


class Upkeep:
    """The one scheduler of a process. Every method may be called from any thread; ``start`` it once, ``stop`` it once.

    ``look`` says what of a store is pending, ``read`` brings the catalog up to date with it.
    """

    def __init__(self, look: Look, read: Read, watcher: Callable[[Reading | None], None] | None = None) -> None:
        self._look = look
        self._read = read
        self._watcher = watcher
        """Told how far reading is, and None when it ends."""
        self._watched: dict[Store, _Watched] = {}
        self._changed = threading.Condition()
        self._stopped = False
        self._paused = False
        self._holding = 0
        self._busy = 0
        self._waiting = 0
        self._current: CancelToken | None = None
        self._reading: Reading | None = None
        self._thread: threading.Thread | None = None

    # ── what it is told ─────────────────────────────────────────────────────────────────────────────────────────────

    def start(self) -> None:
        """Start the thread."""
        with self._changed:
            if self._thread is None and not self._stopped:
                self._thread = threading.Thread(target=self._run, name="anamnesis-index", daemon=True)
                self._thread.start()

    def watch(self, stores: Iterable[Store]) -> None:
        """Keep these stores up to date too."""
        with self._changed:
            for store in stores:
                self._watched.setdefault(store, _Watched(store))
            self._changed.notify_all()

    def cancel(self) -> None:
        """End the reading that is under way, and read nothing more until the next :meth:`wait`.

        What was read is kept.
        """
        with self._changed:
            self._paused = True
            current = self._current
        if current is not None:
            current.cancel()

    def stop(self, seconds: float = 5.0) -> bool:
        """End the thread; whether it ended in that time."""
        with self._changed:
            self._stopped = True
            current, thread = self._current, self._thread
            self._changed.notify_all()
        if current is not None:
            current.cancel()
        if thread is None or thread is threading.current_thread():
            return True
        thread.join(seconds)
        return not thread.is_alive()

    @contextmanager
    def held(self) -> Generator[None]:
        """Nothing is read in the background while the block runs: for work that writes the catalog itself."""
        with self._changed:
            self._holding += 1
            current = self._current
        if current is not None:
            current.cancel()
        try:
            with self._changed:
                self._changed.wait_for(lambda: self._current is None, 30.0)
            yield
        finally:
            with self._changed:
                self._holding -= 1
                self._changed.notify_all()

    @contextmanager
    def answering(self) -> Generator[None]:
        """Someone is being answered while the block runs: background reading stands aside."""
        with self._changed:
            self._busy += 1
        try:
            yield
        finally:
            with self._changed:
                self._busy -= 1

    # ── what it tells ───────────────────────────────────────────────────────────────────────────────────────────────

    @property
    def reading(self) -> Reading | None:
        """How far it is with what it reads now; None where it reads nothing."""
        return self._reading

    @property
    def should_yield(self) -> bool:
        """Whether someone is being answered, and nobody waits for the reading."""
        return self._busy > 0 and self._waiting == 0 and not self._stopped

    def wait(
        self,
        stores: Sequence[Store],
        seconds: float,
        cancel: CancelToken,
        progress: Callable[[Reading], None] | None = None,
    ) -> bool:
        """Wait until the catalog has what these stores hold now, at most so many seconds; whether it has.

        Raises ``Cancelled``.
        """
        begun = time.monotonic()
        with self._changed:
            self._paused = False
            self._waiting += 1
            mine = [self._watched.setdefault(store, _Watched(store)) for store in stores]
            for watched in mine:
                watched.next = 0.0
            self._changed.notify_all()
        try:
            while True:
                cancel.check()
                reading = self._reading
                if progress is not None and reading is not None:
                    progress(reading)
                with self._changed:
                    if all(watched.fresh >= begun for watched in mine):
                        return True
                    left = begun + seconds - time.monotonic()
                    if left <= 0 or self._stopped:
                        return False
                    self._changed.wait(min(left, 0.1))
        finally:
            with self._changed:
                self._waiting -= 1

    # ── the thread ──────────────────────────────────────────────────────────────────────────────────────────────────

    def _run(self) -> None:
        lower_priority()
        while True:
            with self._changed:
                due = self._due()
                while not due and not self._stopped:
                    self._changed.wait(self._idle())
                    due = self._due()
                if self._stopped:
                    return
                token = self._current = _Polite(self)
            try:
                with contextlib.suppress(Cancelled):
                    self._pass(due, token)
            except Exception as error:  # the thread must outlive a fault of one pass
                log.error("keeping the index failed: %s", type(error).__name__)
                self._put_off(due)
            finally:
                self._reading = None
                with self._changed:
                    self._current = None
                    self._changed.notify_all()
                self._tell(None)

    def _due(self) -> list[_Watched]:
        if self._paused or self._holding:
            return []
        now = time.monotonic()
        return [watched for watched in self._watched.values() if watched.next <= now]

    def _idle(self) -> float | None:
        """Seconds until the next look is due; None: until something changes."""
        if self._paused or self._holding or not self._watched:
            return None
        return max(0.0, min(watched.next for watched in self._watched.values()) - time.monotonic())

    def _pass(self, due: Sequence[_Watched], token: CancelToken) -> None:
        """Look at the stores that are due, then read those that changed, the least work first."""
        changed: list[tuple[int, _Watched, Pending, float]] = []
        for watched in due:
            token.check()
            begun, worked = time.monotonic(), time.thread_time()
            pending = self._look(watched.store, token)
            took = time.thread_time() - worked
            if pending:
                changed.append((pending.bytes, watched, pending, begun))
            else:
                self._settle(watched, begun, max(SHORTEST, took * COST_OF_LOOKING))
        for _, watched, pending, begun in sorted(changed, key=lambda one: one[0]):
            token.check()
            self._bring(watched, pending, begun, token)

    def _bring(self, watched: _Watched, pending: Pending, begun: float, token: CancelToken) -> None:
        worked = time.thread_time()
        try:
            done = self._read(watched.store, token, self._progress)
        except AnamnesisError as error:
            log.warning("a store was not read: %s", error.code.value)
            self._put_off([watched])
            return
        if done.other_writer:
            with self._changed:
                watched.next = time.monotonic() + SHORTEST
            return
        took = time.thread_time() - worked
        left = (pending.sources, pending.bytes)
        in_vain = done.captured == len(done.failures) and not done.gone
        if in_vain or left == watched.left:
            watched.wait = min(LONGEST, watched.wait * 2)
        else:
            watched.wait = SHORTEST
        watched.left = left
        self._settle(watched, begun, max(watched.wait, took * COST_OF_READING))

    def _settle(self, watched: _Watched, begun: float, wait: float) -> None:
        with self._changed:
            watched.fresh = begun
            watched.next = time.monotonic() + min(LONGEST, wait)
            self._changed.notify_all()

    def _put_off(self, due: Sequence[_Watched]) -> None:
        with self._changed:
            for watched in due:
                watched.wait = min(LONGEST, watched.wait * 2)
                watched.next = time.monotonic() + watched.wait
                watched.fresh = time.monotonic()
            self._changed.notify_all()

    def _progress(self, reading: Reading) -> None:
        self._reading = reading
        self._tell(reading)

    def _tell(self, reading: Reading | None) -> None:
        if self._watcher is not None:
            with contextlib.suppress(Exception):
                self._watcher(reading)
