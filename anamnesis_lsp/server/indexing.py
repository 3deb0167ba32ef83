"""Reading the conversations in the background: begun with the server, shown as progress, cancelled by the person.

The work is :mod:`anamnesis_lsp.recall.upkeep`'s, in a thread of its own. Cancelling its progress ends the reading until
the next recall or reindex; what was read is kept.
"""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from anamnesis_lsp.recall.recaller import Recaller
    from anamnesis_lsp.server.app import AnamnesisServer

TITLE = "Reading conversations"


class Indexing:
    """The progress of background reading, for one client."""

    def __init__(self, server: AnamnesisServer) -> None:
        self._server = server
        self._loop: asyncio.AbstractEventLoop | None = None
        self._recaller: Recaller | None = None
        self._shown: asyncio.Event | None = None
        self._latest: tuple[str, int | None] = ("", None)

    def begin(self, recaller: Recaller) -> None:
        """Have this brain read in the background. On the event loop."""
        self._loop = asyncio.get_running_loop()
        self._recaller = recaller
        self._server.spawn(self._server.work.run(lambda _: recaller.keep_fresh(self._told), "background"))

    def _told(self, message: str, percent: int | None) -> None:
        """How far it is; an empty message: it ended. From the reading thread."""
        loop = self._loop
        if loop is not None:
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(self._show, message, percent)

    def _show(self, message: str, percent: int | None) -> None:
        self._latest = (message, percent)
        if not message:
            if self._shown is not None:
                self._shown.set()
        elif self._shown is None:
            self._shown = asyncio.Event()
            self._server.spawn(self._during(self._shown))

    async def _during(self, ended: asyncio.Event) -> None:
        try:
            async with self._server.reports.during(TITLE) as report:
                told: tuple[str, int | None] | None = None
                while not ended.is_set():
                    if self._latest[0] and self._latest != told:
                        told = self._latest
                        report(*told)
                    with contextlib.suppress(asyncio.TimeoutError):
                        await asyncio.wait_for(ended.wait(), 0.2)
        except asyncio.CancelledError:
            if self._recaller is not None:
                self._recaller.pause()
            raise
        finally:
            self._shown = None
