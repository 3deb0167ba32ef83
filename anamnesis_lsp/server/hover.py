"""``textDocument/hover``: the short story of a line from what is ready, and what a citation is in our own documents.

Never blocks the editor: a hover that is late is left out and goes on for the next one (:mod:`.peeks`). Of several
hovers only the last is worth an answer. A hover raises no error a person would see.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from lsprotocol import types

from anamnesis_lsp.cancel import Cancelled, CancelToken
from anamnesis_lsp.errors import AnamnesisError
from anamnesis_lsp.server.buffers import path_of, split_lines, to_code_points
from anamnesis_lsp.server.library import is_virtual, whole_lines
from anamnesis_lsp.server.notebooks import in_file

if TYPE_CHECKING:
    from anamnesis_lsp.present.hover import HoverStory
    from anamnesis_lsp.server.app import AnamnesisServer

BUDGET_SECONDS = 1.0


def register(server: AnamnesisServer) -> None:
    """Register the feature."""
    server.feature(types.TEXT_DOCUMENT_HOVER)(hover)


async def hover(ls: AnamnesisServer, params: types.HoverParams) -> types.Hover | None:
    """The hover at a position, or None."""
    from anamnesis_lsp.present.hover import render_hover

    uri = params.text_document.uri
    if is_virtual(uri) or ls.copies.document(uri) is not None:
        return await _on_citation(ls, uri, params.position)
    mode = ls.settings.hover
    if mode == "off":
        return None
    story = await _story(ls, uri, params.position.line + 1)
    if story is None or (mode == "afterRecollect" and story.recall is None):
        return None
    plain = not ls.client.hover_markdown
    links = _command_link if ls.client.command_links else None
    text = render_hover(story, "full" if mode == "full" else "brief", plain=plain, target=links)
    if not text:
        return None
    lines = None if story.lines is None else whole_lines(story.lines[0] - 1, story.lines[1] - 1)
    return types.Hover(_markup(text, plain=plain), lines)


def _command_link(locator: str) -> str:
    from anamnesis_lsp.present.escape import command_uri

    return command_uri("anamnesis.open", locator)


async def _story(ls: AnamnesisServer, uri: str, line: int) -> HoverStory | None:
    buffer, cell = ls.protocol.buffers.get(uri), ls.protocol.notebooks.cell(uri)
    path = path_of(uri) if cell is None else cell.path
    if path is None or buffer is None:
        return None
    text, version = buffer.text, buffer.revision
    end = time.monotonic() + BUDGET_SECONDS

    def peek(cancel: CancelToken) -> HoverStory | None:
        if cell is None:
            return recaller.hover(path, line, text, version, cancel)
        story = recaller.hover(path, in_file(cell, (line, line))[0], None, version, cancel)
        return None if story is None else replace(story, lines=(line, line))

    try:
        recaller = await asyncio.wait_for(asyncio.shield(asyncio.ensure_future(ls.recaller())), BUDGET_SECONDS)
        return await ls.hovers.look((recaller, uri, line, text), peek, end - time.monotonic())
    except (AnamnesisError, Cancelled, asyncio.TimeoutError):
        return None


async def _on_citation(ls: AnamnesisServer, uri: str, position: types.Position) -> types.Hover | None:
    try:
        document = await ls.library.shown(uri)
    except (AnamnesisError, Cancelled):
        return None
    if document is None:
        return None
    lines = split_lines(document.text)
    if position.line >= len(lines):
        return None
    column = to_code_points(lines[position.line], position.character, ls.protocol.buffers.encoding)
    anchor = document.anchor_at(position.line, column)
    if anchor is None or not anchor.note:
        return None
    where = ls.library.range_on(document, anchor.line, anchor.start, anchor.end)
    plain = not ls.client.hover_markdown
    return types.Hover(_markup(anchor.note, plain=plain), where)


def _markup(text: str, *, plain: bool) -> types.MarkupContent:
    kind: Literal["plaintext", "markdown"] = "plaintext" if plain else "markdown"
    return types.MarkupContent(types.MarkupKind(kind), text)
