"""The virtual documents a client looks at: opened once, so that links and outline fit the text it was given."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace
from typing import TYPE_CHECKING

from lsprotocol import types

from anamnesis_lsp.places import SCHEME
from anamnesis_lsp.server.buffers import split_lines, to_units

if TYPE_CHECKING:
    from anamnesis_lsp.present.page import Document
    from anamnesis_lsp.server.app import AnamnesisServer

KEPT = 64


def is_virtual(uri: str) -> bool:
    """Whether a URI is one of ours."""
    return uri.startswith(f"{SCHEME}:")


class Library:
    """The latest documents by URI. Used on the event loop."""

    def __init__(self, server: AnamnesisServer) -> None:
        self._server = server
        self._documents: OrderedDict[str, Document] = OrderedDict()

    async def fetch(self, uri: str) -> Document:
        """Open the document now. Raises what opening its record raises."""
        recaller = await self._server.recaller()
        document = await self._server.work.run(lambda cancel: recaller.document(uri, cancel), "peek")
        self.keep(uri, document)
        return document

    async def shown(self, uri: str) -> Document | None:
        """The document as the client has it: a virtual one (opened now where it is not held), a copy, or None."""
        held = self._documents.get(uri)
        if held is not None:
            self._documents.move_to_end(uri)
            return held
        copied = self._server.copies.document(uri)
        if copied is not None:
            return copied
        return await self.fetch(uri) if is_virtual(uri) else None

    def locator_of(self, uri: str, lines: tuple[int, int] | None = None) -> str | None:
        """The locator of a document of ours, at ``lines`` (1-based, inclusive) where it is a file at a revision; None
        for any other document."""
        if not is_virtual(uri):
            copied = self._server.copies.document(uri)
            if copied is None:
                return None
            uri = copied.uri
        from anamnesis_lsp.present import locators

        if lines is None:
            return locators.written(uri)
        parsed = locators.parse(uri)
        return str(replace(parsed, lines=lines) if parsed.kind == "file" and 1 <= lines[0] <= lines[1] else parsed)

    def keep(self, uri: str, document: Document) -> None:
        """Hold what the client was given."""
        self._documents[uri] = document
        self._documents.move_to_end(uri)
        while len(self._documents) > KEPT:
            self._documents.popitem(last=False)

    def forget(self, uri: str) -> None:
        """The client closed it."""
        self._documents.pop(uri, None)

    def range_on(self, document: Document, line: int, start: int, end: int) -> types.Range:
        """Columns of a line in the client's units."""
        lines = split_lines(document.text)
        text = lines[line] if line < len(lines) else ""
        encoding = self._server.protocol.buffers.encoding
        return types.Range(
            types.Position(line, to_units(text, start, encoding)), types.Position(line, to_units(text, end, encoding))
        )


def whole_lines(first: int, last: int) -> types.Range:
    """Lines ``first`` to ``last``, 0-based and inclusive, as a range that ends where the next line begins."""
    return types.Range(types.Position(first, 0), types.Position(last + 1, 0))
