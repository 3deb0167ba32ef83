"""Work-done progress: under the client's token where it gave one, under one of ours after half a second, else nowhere.

A token is forgotten when its work ends, whatever the end was. Cancelling it cancels the request that reports under it.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
import uuid
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from lsprotocol import types

if TYPE_CHECKING:
    from anamnesis_lsp.server.app import AnamnesisServer

CREATE_AFTER = 0.5
"""Seconds of work before progress that nobody asked for is shown."""
INTERVAL = 0.1
"""Seconds between two reports."""


def is_token(value: object) -> bool:
    """Whether a value can name progress: the converter lets through whatever a client sent."""
    return isinstance(value, (int, str)) and not isinstance(value, bool)


class Report:
    """The progress of one piece of work. Call it from any thread: ``report(message, percent)``."""

    def __init__(self, server: AnamnesisServer, title: str) -> None:
        self._server = server
        self._title = title
        self._loop = asyncio.get_running_loop()
        self._token: types.ProgressToken | None = None
        self._message: str | None = None
        self._percent: int | None = None
        self._last = 0.0
        self._ended = False

    def __call__(self, message: str, percent: int | None = None) -> None:
        """Report from any thread."""
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._tell, message, percent)

    def _tell(self, message: str, percent: int | None) -> None:
        self._message, self._percent = message, None if percent is None else max(0, min(100, percent))
        now = time.monotonic()
        if self._token is None or self._ended or now - self._last < INTERVAL:
            return
        self._last = now
        self._send(types.WorkDoneProgressReport(message=self._message, percentage=self._percent, cancellable=True))

    def begin(self, token: types.ProgressToken) -> None:
        """Show the work under ``token``."""
        self._token = token
        self._send(
            types.WorkDoneProgressBegin(
                title=self._title, message=self._message, percentage=self._percent, cancellable=True
            )
        )

    def end(self) -> None:
        """Say that the work ended, once."""
        if self._token is not None and not self._ended:
            self._send(types.WorkDoneProgressEnd())
        self._ended = True

    def _send(
        self, value: types.WorkDoneProgressBegin | types.WorkDoneProgressReport | types.WorkDoneProgressEnd
    ) -> None:
        assert self._token is not None
        self._server.protocol.notify(types.PROGRESS, types.ProgressParams(token=self._token, value=value))


class Reports:
    """The running progress of one client."""

    def __init__(self, server: AnamnesisServer) -> None:
        self._server = server
        self._tasks: dict[types.ProgressToken, asyncio.Task[object]] = {}

    @property
    def running(self) -> int:
        """How many tokens are in use."""
        return len(self._tasks)

    def cancel(self, token: types.ProgressToken) -> None:
        """Cancel the request that reports under this token; an unknown token, and what is no token, is ignored."""
        task = self._tasks.get(token) if is_token(token) else None
        if task is not None:
            task.cancel()

    @asynccontextmanager
    async def during(self, title: str, token: types.ProgressToken | None = None) -> AsyncGenerator[Report, None]:
        """Progress for the work of the current task."""
        report = Report(self._server, title)
        task = asyncio.current_task()
        assert task is not None
        mine: types.ProgressToken = token if token is not None else f"anamnesis-{uuid.uuid4()}"
        creating: asyncio.Task[None] | None = None
        self._tasks[mine] = task
        if token is not None:
            report.begin(token)
        elif self._server.client.work_done_progress:
            creating = asyncio.ensure_future(self._create(report, mine))
        try:
            yield report
        finally:
            if creating is not None:
                creating.cancel()
            report.end()
            self._tasks.pop(mine, None)

    async def _create(self, report: Report, token: types.ProgressToken) -> None:
        await asyncio.sleep(CREATE_AFTER)
        try:
            await self._server.ask(
                types.WINDOW_WORK_DONE_PROGRESS_CREATE, types.WorkDoneProgressCreateParams(token=token)
            )
        except Exception:
            return
        report.begin(token)
