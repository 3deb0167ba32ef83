"""``textDocument/foldingRange`` in our own documents: sections, turns, hunks, and the link definitions at the end.

The kind ``region`` marks what a client folds from the start where a document does not fit its window: sections beside
the main matter, and the definitions. No range holds the whole page, so that folding all leaves every heading in sight.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from lsprotocol import types

from anamnesis_lsp.server.buffers import split_lines
from anamnesis_lsp.server.library import is_virtual

if TYPE_CHECKING:
    from anamnesis_lsp.present.page import Document
    from anamnesis_lsp.server.app import AnamnesisServer

FOLDED = frozenset({"section", "turn", "hunk", "file"})
_DEFINITION = re.compile(r"\[[^\[\]]+\]:? (?:anamnesis|file|https?):\S+\Z")


def register(server: AnamnesisServer) -> None:
    """Register the feature."""
    server.feature(types.TEXT_DOCUMENT_FOLDING_RANGE)(folding_range)


async def folding_range(ls: AnamnesisServer, params: types.FoldingRangeParams) -> list[types.FoldingRange] | None:
    """The folds of a document of ours; None for any other."""
    uri = params.text_document.uri
    if not is_virtual(uri) and ls.copies.document(uri) is None:
        return None
    document = await ls.library.shown(uri)
    return None if document is None else folds(document)


def folds(document: Document) -> list[types.FoldingRange]:
    """Ranges of whole lines, 0-based and inclusive; blank lines at an end stay outside."""
    lines = [line.rstrip() for line in split_lines(document.text)]
    while lines and not lines[-1]:
        lines.pop()
    linked = {anchor.line for anchor in document.anchors if anchor.start == 0}
    definitions = len(lines)
    while definitions - 1 in linked and _DEFINITION.match(lines[definitions - 1]):
        definitions -= 1
    ranges: list[types.FoldingRange] = []
    for symbol in document.symbols:
        if symbol.depth > 0 and symbol.kind in FOLDED:
            last = _last_written(lines, min(symbol.end_line, definitions - 1))
            _add(ranges, symbol.line, last, aside=symbol.aside)
    _add(ranges, definitions, len(lines) - 1, aside=True)
    return ranges


def _last_written(lines: Sequence[str], last: int) -> int:
    while last > 0 and not lines[last]:
        last -= 1
    return last


def _add(ranges: list[types.FoldingRange], first: int, last: int, *, aside: bool) -> None:
    if first < last:
        ranges.append(types.FoldingRange(first, last, kind=types.FoldingRangeKind.Region if aside else None))
