"""``textDocument/documentLink`` in our own documents: every citation and every record is a link.

A client that opens ``anamnesis:`` URIs gets them; another gets the copy, written when the link is resolved.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.server import show
from anamnesis_lsp.server.library import is_virtual
from anamnesis_lsp.server.requests import members

if TYPE_CHECKING:
    from anamnesis_lsp.present.page import Anchor, Document
    from anamnesis_lsp.server.app import AnamnesisServer


def register(server: AnamnesisServer) -> None:
    """Register the feature and its resolve."""
    server.feature(types.TEXT_DOCUMENT_DOCUMENT_LINK)(document_link)
    server.feature(types.DOCUMENT_LINK_RESOLVE)(resolve)


async def document_link(ls: AnamnesisServer, params: types.DocumentLinkParams) -> list[types.DocumentLink] | None:
    """The links of a document of ours; None for any other."""
    uri = params.text_document.uri
    if not is_virtual(uri) and ls.copies.document(uri) is None:
        return None
    document = await ls.library.shown(uri)
    return None if document is None else [_link(ls, document, anchor) for anchor in document.anchors]


def _link(ls: AnamnesisServer, document: Document, anchor: Anchor) -> types.DocumentLink:
    where = ls.library.range_on(document, anchor.line, anchor.start, anchor.end)
    if not is_virtual(anchor.target) or ls.client.opens_virtual_documents:
        return types.DocumentLink(where, target=anchor.target)
    copied = ls.copies.of(anchor.target)
    if copied is not None:
        return types.DocumentLink(where, target=copied)
    return types.DocumentLink(where, data={"locator": anchor.target})


async def resolve(ls: AnamnesisServer, link: types.DocumentLink) -> types.DocumentLink:
    """Open the record of a link and give its copy."""
    locator = members(link.data).get("locator")
    if link.target is not None:
        return link
    if not isinstance(locator, str):
        raise AnamnesisError(
            ErrorCode.BAD_REQUEST, "The link is none of this server's.", "Ask for the links of the document again."
        )
    document = await ls.library.fetch(locator)
    link.target = await show.place(ls, document)
    return link
