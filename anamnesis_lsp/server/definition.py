"""``textDocument/definition`` in our own documents: from a citation to its record, in any client."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from anamnesis_lsp.server import show
from anamnesis_lsp.server.buffers import split_lines, to_code_points
from anamnesis_lsp.server.library import is_virtual, whole_lines

if TYPE_CHECKING:
    from anamnesis_lsp.server.app import AnamnesisServer


def register(server: AnamnesisServer) -> None:
    """Register the feature."""
    server.feature(types.TEXT_DOCUMENT_DEFINITION)(definition)


async def definition(ls: AnamnesisServer, params: types.DefinitionParams) -> types.Location | None:
    """The record of the citation at a position; None elsewhere and in documents that are not ours."""
    uri = params.text_document.uri
    if not is_virtual(uri) and ls.copies.document(uri) is None:
        return None
    document = await ls.library.shown(uri)
    lines = [] if document is None else split_lines(document.text)
    if document is None or params.position.line >= len(lines):
        return None
    column = to_code_points(lines[params.position.line], params.position.character, ls.protocol.buffers.encoding)
    anchor = document.anchor_at(params.position.line, column)
    if anchor is None or anchor.target.startswith(("https:", "http:")):
        return None
    if not is_virtual(anchor.target):
        copied = ls.copies.document(anchor.target)
        focus = copied.focus if copied is not None else None
        return types.Location(anchor.target, _at(focus))
    opened = await ls.library.fetch(anchor.target)
    return types.Location(await show.place(ls, opened), _at(opened.focus))


def _at(focus: tuple[int, int] | None) -> types.Range:
    return types.Range(types.Position(0, 0), types.Position(0, 0)) if focus is None else whole_lines(*focus)
