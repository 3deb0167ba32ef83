"""Showing a story: the ladder of ``WIRE.md``, *Showing*, and the read-only copies for clients without virtual
documents.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import time
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types

from anamnesis_lsp.cancel import Cancelled
from anamnesis_lsp.errors import AnamnesisError
from anamnesis_lsp.places import cache_dir
from anamnesis_lsp.server.buffers import path_of
from anamnesis_lsp.server.library import is_virtual, whole_lines

if TYPE_CHECKING:
    from anamnesis_lsp.present.page import Document
    from anamnesis_lsp.present.round import Round
    from anamnesis_lsp.server.app import AnamnesisServer

KEPT_SECONDS = 24 * 60 * 60
RECORDS_COPIED = 20
SHOW_SECONDS = 30.0


class Copies:
    """Read-only copies of documents under our cache (folder 0700, files 0400), removed after a day."""

    def __init__(self) -> None:
        self._documents: dict[str, Document] = {}
        self._uris: dict[str, str] = {}

    def write(self, document: Document) -> str:
        """Write a copy and return its ``file:`` URI. Blocking. Raises ``permissionDenied`` where it cannot be."""
        from anamnesis_lsp.present import escape

        folder = cache_dir("copies")
        self._sweep(folder)
        path = folder / _name(document)
        temporary = folder / f".new-{secrets.token_hex(8)}"
        try:
            handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o400)
            with os.fdopen(handle, "w", encoding="utf-8", errors="replace", newline="\n") as file:
                file.write(escape.without_modelines(document.text))
            temporary.replace(path)
        except BaseException:
            with contextlib.suppress(OSError):
                temporary.unlink()
            raise
        uri = path.as_uri()
        self._documents[uri] = document
        self._uris[document.uri] = uri
        return uri

    def document(self, uri: str) -> Document | None:
        """The document that a copy holds; one written by another run is read back."""
        from anamnesis_lsp.present.page import Document, read_back

        held = self._documents.get(uri)
        path = None if held is not None else path_of(uri)
        if held is not None or path is None or path.suffix != ".md":
            return held
        try:
            if path.parent != cache_dir("copies"):
                return None
            text = path.read_text(encoding="utf-8")
            # a file at a revision is a record through and through: what looks like a link of ours in it is its own
            read = Document(uri, text, "markdown") if path.name.startswith("file-") else read_back(uri, text)
        except (OSError, ValueError, AnamnesisError):
            return None
        self._documents[uri] = read
        return read

    def of(self, locator: str) -> str | None:
        """The URI of a locator's copy in this session, while the copy is there."""
        uri = self._uris.get(locator)
        return uri if uri is not None and (path := path_of(uri)) is not None and path.exists() else None

    def _sweep(self, folder: Path) -> None:
        oldest = time.time() - KEPT_SECONDS
        for path in folder.iterdir():
            with contextlib.suppress(OSError):
                if path.stat().st_mtime < oldest:
                    path.unlink()


def _name(document: Document) -> str:
    """A name that shows what it is; the digest keeps two documents apart."""
    from anamnesis_lsp.present import escape

    head = document.uri.split("?", 1)[0].removeprefix("anamnesis:///")
    kind, _, rest = head.partition("/")
    digest = hashlib.sha256(document.uri.encode("utf-8", "surrogatepass")).hexdigest()[:10]
    name = escape.file_name(rest.rsplit("/", 1)[-1])
    stem, dot, suffix = name.rpartition(".")
    if document.language_id == "diff":
        return f"{kind}-{name}-{digest}.diff"
    if document.language_id == "markdown" or not dot:
        return f"{kind}-{stem or name}-{digest}.md"
    return f"{kind}-{stem}-{digest}.{suffix}"


async def place(server: AnamnesisServer, document: Document) -> str:
    """The URI under which this client can open a document: its own, or that of a copy."""
    if server.client.opens_virtual_documents or not is_virtual(document.uri):
        return document.uri
    return await server.work.run(lambda _: server.copies.write(document), "peek")


async def show_round(server: AnamnesisServer, shown: Round) -> None:
    """Show a round by the first rung of the ladder that holds; a client that refuses gets the next one."""
    from anamnesis_lsp.present.markdown import round_document

    document = round_document(shown)
    if server.client.opens_virtual_documents:
        server.library.keep(document.uri, document)
        if await show_uri(server, document.uri):
            return
    uri = await _copy_with_records(server, shown, document)
    if server.client.show_document and await show_uri(server, uri):
        return
    server.window_show_message(
        types.ShowMessageParams(types.MessageType.Info, f"Recollect: the story is in {path_of(uri)}")
    )


async def show_uri(server: AnamnesisServer, uri: str, lines: tuple[int, int] | None = None) -> bool:
    """``window/showDocument``; whether the client did."""
    selection = None if lines is None else whole_lines(*lines)
    params = types.ShowDocumentParams(uri=uri, take_focus=True, selection=selection)
    try:
        answer = await server.ask(types.WINDOW_SHOW_DOCUMENT, params, SHOW_SECONDS)
    except Exception:
        return False
    return bool(getattr(answer, "success", False))


async def _copy_with_records(server: AnamnesisServer, shown: Round, document: Document) -> str:
    from anamnesis_lsp.present.page import retarget

    copies: dict[str, str] = {}
    for record in shown.records[:RECORDS_COPIED]:
        locator = record.member.locator
        if not record.opened or locator in copies:
            continue
        try:
            opened = await server.library.fetch(locator)
            copies[locator] = await server.work.run(lambda _, value=opened: server.copies.write(value), "peek")
        except (AnamnesisError, Cancelled, OSError):
            continue
    return await server.work.run(lambda _: server.copies.write(retarget(document, copies)), "peek")
