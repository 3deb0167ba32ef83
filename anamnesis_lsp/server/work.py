"""Blocking work off the event loop, each piece with a token that a cancelled request sets.

Three lanes, so that no kind of work waits for another: ``answer`` for what a person asked for, ``peek`` for hovers
and documents, ``background`` for warming and indexing. A request that is cancelled is answered at once; its worker
notices at its next look at the token. Threads are daemons: one that does not look cannot keep the process alive.

What nobody waits for any more but is worth ending can be put behind everything else (:meth:`Work.put_behind`): it
leaves its lane to another worker and goes on at low priority.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import queue
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from anamnesis_lsp.cancel import Cancelled, CancelToken

T = TypeVar("T")
Lane = Literal["answer", "peek", "background"]

WORKERS: dict[Lane, int] = {"answer": 4, "peek": 2, "background": 1}
BEHIND = 10
"""How much nicer a worker is that was put behind; what it starts inherits that."""


@dataclass(slots=True)
class _Worker:
    lane: Lane
    thread: int
    """The system's id of the thread."""
    left: bool = False
    """It was put behind: it ends with what it does."""


class Work:
    """The workers of one server. :meth:`run` is for the event loop, :meth:`stop` for its end."""

    def __init__(self) -> None:
        self._queues: dict[Lane, queue.SimpleQueue[tuple[CancelToken, Callable[[], None]]]] = {
            lane: queue.SimpleQueue() for lane in WORKERS
        }
        self._started: dict[Lane, int] = dict.fromkeys(WORKERS, 0)
        self._idle: dict[Lane, int] = dict.fromkeys(WORKERS, 0)
        self._tokens: set[CancelToken] = set()
        self._at_work: dict[CancelToken, _Worker] = {}
        self._running = 0
        self._lock = threading.Lock()
        self._stopped = False

    async def run(self, job: Callable[[CancelToken], T], lane: Lane = "answer", token: CancelToken | None = None) -> T:
        """Run ``job(token)`` in the lane and return what it returns.

        Raises what the job raises, and ``CancelledError`` at once when the awaiting task is cancelled: the token is
        then set and what the job still does is dropped.
        """
        loop = asyncio.get_running_loop()
        mine = token or CancelToken()
        answer: asyncio.Future[T] = loop.create_future()
        if self._stopped:
            raise Cancelled

        def work() -> None:
            try:
                mine.check()
                result = job(mine)
            except BaseException as error:
                self._tell(loop, answer, None, error)
            else:
                self._tell(loop, answer, result, None)
            finally:
                with self._lock:
                    self._tokens.discard(mine)

        with self._lock:
            self._tokens.add(mine)
        self._submit(lane, mine, work)
        try:
            return await answer
        except asyncio.CancelledError:
            mine.cancel()
            raise

    def _tell(self, loop: asyncio.AbstractEventLoop, answer: asyncio.Future[Any], result: Any, error: Any) -> None:
        def deliver() -> None:
            if answer.done():
                return
            if error is None:
                answer.set_result(result)
            else:
                answer.set_exception(error if isinstance(error, Exception) else RuntimeError(type(error).__name__))

        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(deliver)

    def _submit(self, lane: Lane, token: CancelToken, job: Callable[[], None]) -> None:
        self._queues[lane].put((token, job))
        with self._lock:
            self._staff(lane)

    def _staff(self, lane: Lane) -> None:
        """Start a worker where jobs wait for one and the lane may have it. Under the lock."""
        if self._idle[lane] >= self._queues[lane].qsize() or self._started[lane] >= WORKERS[lane]:
            return
        self._started[lane] += 1
        number = self._started[lane]
        threading.Thread(target=self._work, args=(lane,), name=f"anamnesis-{lane}-{number}", daemon=True).start()

    def _work(self, lane: Lane) -> None:
        me = _Worker(lane, threading.get_native_id())
        while not me.left:
            with self._lock:
                self._idle[lane] += 1
            token, job = self._queues[lane].get()
            with self._lock:
                self._idle[lane] -= 1
                self._running += 1
                self._at_work[token] = me
            try:
                job()
            finally:
                with self._lock:
                    self._running -= 1
                    self._at_work.pop(token, None)

    def put_behind(self, token: CancelToken) -> bool:
        """Let the job of this token go on behind everything else, its lane being another worker's; False where it has
        not begun or has ended.
        """
        with self._lock:
            worker = self._at_work.get(token)
            if worker is None or worker.left:
                return worker is not None
            worker.left = True
            self._started[worker.lane] -= 1
            self._staff(worker.lane)
        if sys.platform == "linux":  # elsewhere a thread has no priority of its own
            with contextlib.suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, worker.thread, BEHIND)
        return True

    def stop(self) -> None:
        """Set every token; nothing new runs."""
        self._stopped = True
        with self._lock:
            tokens = list(self._tokens)
        for token in tokens:
            token.cancel()

    def drained(self, seconds: float) -> bool:
        """Wait for the workers to end what they do; whether they did."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            with self._lock:
                if self._running == 0:
                    return True
            time.sleep(0.01)
        return False


class Latest:
    """Of several askings for one kind of answer only the last is worth an answer: the one before it is cancelled."""

    def __init__(self) -> None:
        self._current: dict[str, CancelToken] = {}

    def take(self, kind: str) -> CancelToken:
        """A token for the newest asking; the token of the one before is set."""
        before = self._current.get(kind)
        if before is not None:
            before.cancel()
        token = self._current[kind] = CancelToken()
        return token

    def drop(self, kind: str) -> None:
        """Cancel what is asked for, if anything."""
        token = self._current.pop(kind, None)
        if token is not None:
            token.cancel()

    def done(self, kind: str, token: CancelToken) -> None:
        """Forget an asking that ended."""
        if self._current.get(kind) is token:
            del self._current[kind]
