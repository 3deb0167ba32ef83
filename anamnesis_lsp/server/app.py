"""The server of one client: what it holds, and which module answers which method."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from anamnesis_lsp import __version__
from anamnesis_lsp.errors import of_system
from anamnesis_lsp.server import (
    code_action,
    code_lens,
    commands,
    configuration,
    definition,
    document_link,
    document_symbol,
    folding_range,
    hover,
    structures,
    sync,
    text_document_content,
)
from anamnesis_lsp.server.buffers import path_of
from anamnesis_lsp.server.capabilities import Client
from anamnesis_lsp.server.indexing import Indexing
from anamnesis_lsp.server.library import Library
from anamnesis_lsp.server.notebooks import SYNC
from anamnesis_lsp.server.peeks import Peeks
from anamnesis_lsp.server.progress import Reports
from anamnesis_lsp.server.protocol import AnamnesisProtocol, describe
from anamnesis_lsp.server.settings import Settings
from anamnesis_lsp.server.show import Copies
from anamnesis_lsp.server.work import Latest, Work

if TYPE_CHECKING:
    from anamnesis_lsp.present.hover import HoverStory
    from anamnesis_lsp.recall.recaller import Recaller

log = logging.getLogger(__name__)

MakeRecaller = Callable[[Settings, "list[Path]"], "Recaller"]


class AnamnesisServer(LanguageServer):
    """The state of one connection. Everything but :meth:`close` runs on the event loop."""

    protocol: AnamnesisProtocol  # pyright: ignore[reportIncompatibleVariableOverride]

    def __init__(self, make_recaller: MakeRecaller) -> None:
        super().__init__(  # pyright: ignore[reportUnknownMemberType]  pygls leaves *args untyped
            "anamnesis-lsp",
            __version__,
            protocol_cls=AnamnesisProtocol,
            converter_factory=structures.converter,
            notebook_document_sync=SYNC,
        )
        self.client = Client()
        self.person = Settings()
        """Settings of the person's own configuration."""
        self.settings = Settings()
        """Those, as the workspace changed them."""
        self.startup_problems: tuple[str, ...] = ()
        self.work = Work()
        self.latest = Latest()
        self.hovers: Peeks[HoverStory | None] = Peeks(self.work)
        self.reports = Reports(self)
        self.copies = Copies()
        self.library = Library(self)
        self.indexing = Indexing(self)
        self.command_handlers: dict[str, Callable[..., Awaitable[Any]]] = {}
        self._make_recaller = make_recaller
        self._recaller: Recaller | None = None
        self._recaller_for: object = None
        self._making: asyncio.Lock | None = None
        self._tasks: set[asyncio.Future[Any]] = set()
        self._notes_told: set[str] = set()

    @property
    def roots(self) -> list[Path]:
        """The workspace's folders on disk."""
        paths = [path_of(folder.uri) for folder in self.workspace.folders.values()]
        if not paths and self.workspace.root_uri:
            paths = [path_of(self.workspace.root_uri)]
        return [path for path in paths if path is not None]

    def keep(self, task: asyncio.Future[Any]) -> None:
        """Hold a task until it is done; its fault is logged, not raised."""
        self._tasks.add(task)
        task.add_done_callback(self._forget)

    def _forget(self, task: asyncio.Future[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            if of_system(error) is None:
                log.error("background work failed: %s", describe(error))
            else:
                log.warning("background work was refused: %s", describe(error))

    def spawn(self, work: Coroutine[Any, Any, Any]) -> None:
        """Run ``work`` beside the requests."""
        self.keep(asyncio.ensure_future(work))

    async def recaller(self) -> Recaller:
        """The brain, made on first need and again when the settings it depends on changed."""
        if self._making is None:
            self._making = asyncio.Lock()
        async with self._making:
            settings = self.settings
            if self._recaller is None or self._recaller_for != settings.of_recalls:
                roots, before = [*self.roots, *settings.extra_roots], self._recaller
                self._recaller = await self.work.run(lambda _: self._make_recaller(settings, roots), "answer")
                self._recaller_for = settings.of_recalls
                self.indexing.begin(self._recaller)
                if before is not None:
                    self.spawn(self.work.run(lambda _: before.close(), "background"))
            for note in getattr(self._recaller, "notes", ()):
                if note not in self._notes_told:
                    self._notes_told.add(note)
                    self.log_to_client(note)
            return self._recaller

    async def ask(self, method: str, params: Any, seconds: float = 10.0) -> Any:
        """Send the client a request and wait for its answer; ``TimeoutError`` where it gives none."""
        return await asyncio.wait_for(self.protocol.send_request_async(method, params), seconds)

    def log_to_client(self, message: str, kind: types.MessageType = types.MessageType.Warning) -> None:
        """A line for the client's log. Only words of ours and names of settings."""
        self.window_log_message(types.LogMessageParams(kind, message))

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Nothing is sent to the client out of band: every request has its own answer."""
        log.error("%s: %s", getattr(source, "__name__", "error"), describe(error))

    def stop(self) -> None:
        """Cancel everything under way; called once, at the end of the connection."""
        self.protocol.cancel_everything()
        for task in list(self._tasks):
            task.cancel()
        self.work.stop()

    def close(self, seconds: float) -> bool:
        """Wait for the workers and close the brain, at most this long each; whether both ended."""
        self.work.stop()
        drained = self.work.drained(seconds)
        recaller = self._recaller
        if recaller is None:
            return drained
        closing = threading.Thread(target=_close, args=(recaller,), name="anamnesis-close", daemon=True)
        closing.start()
        closing.join(seconds)
        return drained and not closing.is_alive()


def _close(recaller: Recaller) -> None:
    with contextlib.suppress(Exception):
        recaller.close()


def real_recaller(settings: Settings, roots: list[Path]) -> Recaller:
    """The brain of this machine. Imported here: it loads git, SQLite and the ranking."""
    from anamnesis_lsp.recall.recaller import Recaller
    from anamnesis_lsp.server.settings import for_recall

    return Recaller(for_recall(settings), roots)


def build(make_recaller: MakeRecaller = real_recaller) -> AnamnesisServer:
    """A server with every feature registered, not yet connected."""
    logging.getLogger("pygls").setLevel(logging.ERROR)  # below that it writes parameters and sent bodies
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)  # it writes exceptions with their text
    server = AnamnesisServer(make_recaller)
    for module in (
        configuration,
        sync,
        code_action,
        hover,
        document_link,
        definition,
        document_symbol,
        folding_range,
        text_document_content,
        code_lens,
        commands,
    ):
        module.register(server)
    return server
