"""Peeks: answers that are worth having at once or not at all.

Of several askings only the last is worth an answer: the one before it is cancelled. One that is late answers nothing
and goes on behind everything else, one at a time and not for ever, so that whoever asks the same again finds it done or
waits for the rest of it only.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.server.work import Work

T = TypeVar("T")

LONGEST_SECONDS = 30.0
"""So long a late peek may go on."""


@dataclass(frozen=True, slots=True)
class _Late(Generic[T]):
    key: object
    task: asyncio.Future[T]
    token: CancelToken


class Peeks(Generic[T]):
    """The peeks of one kind. Used on the event loop."""

    def __init__(self, work: Work, longest: float = LONGEST_SECONDS) -> None:
        self._work = work
        self._longest = longest
        self._newest: CancelToken | None = None
        self._late: _Late[T] | None = None

    async def look(self, key: object, job: Callable[[CancelToken], T], seconds: float) -> T | None:
        """What ``job`` returns within ``seconds``, else None. ``key``: askings with an equal key have the same answer.

        Raises what the job raises, ``Cancelled`` where a newer peek was asked for.
        """
        if self._newest is not None:
            self._newest.cancel()
            self._newest = None
        late = self._late
        if late is not None and late.key == key:
            await asyncio.wait({late.task}, timeout=seconds)
            return late.task.result() if late.task.done() else None
        token = self._newest = CancelToken()
        task = asyncio.ensure_future(self._work.run(job, "peek", token))
        task.add_done_callback(_seen)
        try:
            await asyncio.wait({task}, timeout=seconds)
        except asyncio.CancelledError:  # who asked does not want it any more
            token.cancel()
            raise
        if self._newest is token:
            self._newest = None
        if task.done():
            return task.result()
        self._go_on(_Late(key, task, token))
        return None

    def _go_on(self, late: _Late[T]) -> None:
        if not self._work.put_behind(late.token):
            late.token.cancel()
            return
        if self._late is not None:
            self._late.token.cancel()
        self._late = late
        end = asyncio.get_running_loop().call_later(self._longest, late.token.cancel)

        def ended(_: object) -> None:
            end.cancel()
            if self._late is late:
                self._late = None

        late.task.add_done_callback(ended)


def _seen(task: asyncio.Future[T]) -> None:
    """Take note of how a task ended: nobody may be left that asks."""
    if not task.cancelled():
        task.exception()
