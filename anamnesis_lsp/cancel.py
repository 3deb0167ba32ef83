"""Cancellation: one token per piece of work, handed down to everything that waits or loops.

Python threads cannot be stopped from outside, so workers ask: ``token.check()`` in loops,
``token.on_cancel(kill)`` around a child process. Cancelling is idempotent and may come from any thread.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager


class Cancelled(Exception):  # noqa: N818  no error: the work was told to end
    """The work was cancelled. Not an error: nothing is reported beyond that it ended."""


class CancelToken:
    """Set once, read often. Callbacks run in the cancelling thread, at once when already cancelled."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self._lock = threading.Lock()
        self._callbacks: dict[int, Callable[[], None]] = {}
        self._next = 0

    @property
    def cancelled(self) -> bool:
        """Whether :meth:`cancel` was called."""
        return self._event.is_set()

    def cancel(self) -> None:
        """Mark the work as cancelled and run the callbacks that are registered now."""
        with self._lock:
            if self._event.is_set():
                return
            self._event.set()
            callbacks = list(self._callbacks.values())
            self._callbacks.clear()
        for callback in callbacks:
            callback()

    def check(self) -> None:
        """Raise :class:`Cancelled` when the work was cancelled."""
        if self._event.is_set():
            raise Cancelled

    def wait(self, seconds: float) -> bool:
        """Sleep up to ``seconds``, waking at once on cancel; returns whether the work is cancelled."""
        return self._event.wait(seconds)

    @contextmanager
    def on_cancel(self, callback: Callable[[], None]) -> Generator[None]:
        """Run ``callback`` if the work is cancelled while the ``with`` block runs."""
        with self._lock:
            key, self._next = self._next, self._next + 1
            already = self._event.is_set()
            if not already:
                self._callbacks[key] = callback
        if already:
            callback()
        try:
            yield
        finally:
            with self._lock:
                self._callbacks.pop(key, None)


def never() -> CancelToken:
    """A fresh token that nobody else holds: for work that is not cancelled from outside."""
    return CancelToken()
