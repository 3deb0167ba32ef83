"""``textDocument/documentSymbol`` in our own documents: sections of a story, turns of a conversation, hunks of a
commit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from anamnesis_lsp.server.buffers import split_lines
from anamnesis_lsp.server.library import is_virtual

if TYPE_CHECKING:
    from anamnesis_lsp.present.page import Document, Symbol
    from anamnesis_lsp.server.app import AnamnesisServer

KINDS = {
    "page": types.SymbolKind.File,
    "section": types.SymbolKind.Namespace,
    "record": types.SymbolKind.Object,
    "turn": types.SymbolKind.Event,
    "hunk": types.SymbolKind.Array,
    "file": types.SymbolKind.File,
}


def register(server: AnamnesisServer) -> None:
    """Register the feature."""
    server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)(document_symbol)


async def document_symbol(
    ls: AnamnesisServer, params: types.DocumentSymbolParams
) -> list[types.DocumentSymbol] | list[types.SymbolInformation] | None:
    """The outline of a document of ours; None for any other."""
    uri = params.text_document.uri
    if not is_virtual(uri) and ls.copies.document(uri) is None:
        return None
    document = await ls.library.shown(uri)
    if document is None:
        return None
    if ls.client.hierarchical_symbols:
        return _nested(ls, document)
    return [
        types.SymbolInformation(
            location=types.Location(uri, _range(ls, document, symbol)),
            name=symbol.name or "untitled",
            kind=KINDS[symbol.kind],
        )
        for symbol in document.symbols
    ]


def _nested(ls: AnamnesisServer, document: Document) -> list[types.DocumentSymbol]:
    top: list[types.DocumentSymbol] = []
    open_symbols: list[tuple[int, types.DocumentSymbol]] = []
    for symbol in document.symbols:
        entry = types.DocumentSymbol(
            name=symbol.name or "untitled",
            detail=symbol.detail or None,
            kind=KINDS[symbol.kind],
            range=_range(ls, document, symbol),
            selection_range=ls.library.range_on(document, symbol.line, 0, 10**9),
        )
        while open_symbols and open_symbols[-1][0] >= symbol.depth:
            open_symbols.pop()
        if open_symbols:
            above = open_symbols[-1][1]
            above.children = [*(above.children or ()), entry]
        else:
            top.append(entry)
        open_symbols.append((symbol.depth, entry))
    return top


def _range(ls: AnamnesisServer, document: Document, symbol: Symbol) -> types.Range:
    last = min(symbol.end_line, len(split_lines(document.text)) - 1)
    end = ls.library.range_on(document, last, 0, 10**9).end
    return types.Range(types.Position(symbol.line, 0), end)
