"""Open documents: what is opened or saved is warmed in the background, so that a hover finds its answer ready.

The text itself is held by :mod:`.protocol` and :mod:`.buffers`. An edit carries the line maps of the text on (no
process, no diff, microseconds); any other change is mapped when it is asked about.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from lsprotocol import types

from anamnesis_lsp.cancel import Cancelled
from anamnesis_lsp.errors import AnamnesisError
from anamnesis_lsp.server.buffers import Edit, path_of

if TYPE_CHECKING:
    from anamnesis_lsp.server.app import AnamnesisServer

MAPS = "anamnesis_lsp.records.git.buffers"
DELAY_SECONDS = 0.3
"""Opening many files in a row warms the ones that stay."""


def register(server: AnamnesisServer) -> None:
    """Register the features."""
    server.protocol.buffers.on_edits = carry_maps
    server.feature(types.TEXT_DOCUMENT_DID_OPEN)(did_open)
    server.feature(types.TEXT_DOCUMENT_DID_CHANGE)(did_change)
    server.feature(types.TEXT_DOCUMENT_DID_SAVE, types.SaveOptions(include_text=False))(did_save)
    server.feature(types.TEXT_DOCUMENT_DID_CLOSE)(did_close)


def carry_maps(before: str, after: str, edits: Sequence[Edit]) -> bool:
    """Carry the line maps of a text on to what the edits made of it; whether any was. Loads nothing: before git was
    asked about a file there is no map."""
    if MAPS not in sys.modules:
        return False
    from anamnesis_lsp.records.git.buffers import TextEdit, open_buffers

    return open_buffers.edited(before, after, [TextEdit(*edit) for edit in edits])


async def did_open(ls: AnamnesisServer, params: types.DidOpenTextDocumentParams) -> None:
    """Warm the file."""
    ls.spawn(warm(ls, params.text_document.uri))


async def did_change(ls: AnamnesisServer, params: types.DidChangeTextDocumentParams) -> None:
    """Nothing more: buffer and maps are up to date already. (pygls knows the server by the parameter's name.)"""
    del ls, params


async def did_save(ls: AnamnesisServer, params: types.DidSaveTextDocumentParams) -> None:
    """Warm the file again: it may have been committed."""
    ls.spawn(warm(ls, params.text_document.uri))


async def did_close(ls: AnamnesisServer, params: types.DidCloseTextDocumentParams) -> None:
    """Stop warming it; forget a document of ours."""
    ls.latest.drop(f"warm {params.text_document.uri}")
    ls.library.forget(params.text_document.uri)


async def warm(ls: AnamnesisServer, uri: str) -> None:
    """Warm one file; of several askings for the same file only the last runs. Fails silently: nobody asked for it."""
    path = path_of(uri)
    if path is None or ls.settings.hover == "off":
        return
    kind = f"warm {uri}"
    token = ls.latest.take(kind)
    await asyncio.sleep(DELAY_SECONDS)
    buffer = ls.protocol.buffers.get(uri)
    if token.cancelled or buffer is None or ls.copies.document(uri) is not None:
        return
    text = buffer.text
    try:
        recaller = await ls.recaller()
        await ls.work.run(lambda cancel: recaller.warm(path, text, cancel), "background", token)
    except (AnamnesisError, Cancelled):
        pass
    finally:
        ls.latest.done(kind, token)
