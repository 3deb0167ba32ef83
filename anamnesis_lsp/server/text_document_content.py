"""``workspace/textDocumentContent`` (LSP 3.18): the text of a virtual document, opened now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

if TYPE_CHECKING:
    from anamnesis_lsp.server.app import AnamnesisServer


def register(server: AnamnesisServer) -> None:
    """Register the feature; :mod:`.protocol` advertises its scheme."""
    server.feature(types.WORKSPACE_TEXT_DOCUMENT_CONTENT)(text_document_content)


async def text_document_content(
    ls: AnamnesisServer, params: types.TextDocumentContentParams
) -> types.TextDocumentContentResult:
    """The text. Raises what opening the record raises: a locator that names nothing, a record that is gone."""
    document = await ls.library.fetch(params.uri)
    return types.TextDocumentContentResult(document.text)
