"""Peeks: the newest is answered, a late one goes on behind everything else, once and not for ever."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
import time

import pytest

from anamnesis_lsp.cancel import Cancelled, CancelToken
from anamnesis_lsp.server.peeks import Peeks
from anamnesis_lsp.server.work import BEHIND, WORKERS, Work


class Job:
    """Works until it is let go, or cancelled where it looks."""

    def __init__(self, *, looks: bool = True) -> None:
        self.begun, self.cancelled, self.times = threading.Event(), threading.Event(), 0
        self.go = threading.Event()
        self.priority = 0
        self._looks = looks

    def __call__(self, cancel: CancelToken) -> str:
        self.times += 1
        self.begun.set()
        while not self.go.wait(0.005):
            if cancel.cancelled and self._looks:
                self.cancelled.set()
                raise Cancelled
        self.priority = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())
        return "told"


async def until(event: threading.Event) -> None:
    assert await asyncio.get_running_loop().run_in_executor(None, event.wait, 10)


async def test_a_late_peek_goes_on_and_is_joined_by_the_next_of_its_kind() -> None:
    peeks, job = Peeks[str](Work()), Job()
    assert await peeks.look("a", job, 0.05) is None
    assert await peeks.look("a", job, 0.05) is None
    asyncio.get_running_loop().call_later(0.1, job.go.set)
    assert await peeks.look("a", job, 10) == "told"
    assert job.times == 1 and not job.cancelled.is_set()
    if sys.platform == "linux":
        assert job.priority == BEHIND


async def test_of_two_late_ones_the_later_goes_on() -> None:
    peeks, one, other = Peeks[str](Work()), Job(), Job()
    assert await peeks.look("a", one, 0.05) is None
    assert await peeks.look("b", other, 0.05) is None
    await until(one.cancelled)
    other.go.set()
    assert await peeks.look("b", other, 10) == "told"
    assert other.times == 1


async def test_a_peek_that_is_not_late_does_not_end_the_one_that_is() -> None:
    peeks, late, quick = Peeks[str](Work()), Job(), Job()
    assert await peeks.look("a", late, 0.05) is None
    quick.go.set()
    assert await peeks.look("b", quick, 10) == "told"
    late.go.set()
    assert await peeks.look("a", late, 10) == "told"
    assert late.times == 1


async def test_a_late_peek_does_not_go_on_for_ever() -> None:
    peeks, job = Peeks[str](Work(), longest=0.1), Job()
    assert await peeks.look("a", job, 0.05) is None
    await until(job.cancelled)


async def test_of_several_only_the_newest_is_answered() -> None:
    peeks, one, other = Peeks[str](Work()), Job(), Job()
    first = asyncio.ensure_future(peeks.look("a", one, 10))
    await until(one.begun)
    other.go.set()
    assert await peeks.look("b", other, 10) == "told"
    with pytest.raises(Cancelled):
        await first


async def test_what_nobody_wants_any_more_is_cancelled() -> None:
    peeks, job = Peeks[str](Work()), Job()
    asked = asyncio.ensure_future(peeks.look("a", job, 10))
    await until(job.begun)
    asked.cancel()
    await until(job.cancelled)


async def test_late_peeks_leave_their_lane_to_others() -> None:
    work = Work()
    peeks = Peeks[str](work)
    jobs = [Job(looks=False) for _ in range(WORKERS["peek"] + 2)]
    for job in jobs:
        assert await peeks.look(job, job, 0.05) is None
    started = time.monotonic()
    assert await work.run(lambda _: "a document", "peek") == "a document"
    assert time.monotonic() - started < 1
    for job in jobs:
        job.go.set()
    assert work.drained(10)


async def test_a_fault_of_a_late_peek_is_told_to_the_next() -> None:
    peeks, go = Peeks[str](Work()), threading.Event()

    def fails(_: CancelToken) -> str:
        go.wait(10)
        raise ValueError

    assert await peeks.look("a", fails, 0.05) is None
    asyncio.get_running_loop().call_later(0.05, go.set)
    with pytest.raises(ValueError):
        await peeks.look("a", fails, 10)
