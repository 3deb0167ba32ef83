"""``textDocument/codeLens``: above the lines a recall of this file was about. Off unless ``anamnesis.codeLens`` is set.

Costs no git: it shows only recalls that were run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types

from anamnesis_lsp.server.buffers import path_of
from anamnesis_lsp.server.library import whole_lines

if TYPE_CHECKING:
    from pathlib import Path

    from anamnesis_lsp.server.app import AnamnesisServer


def register(server: AnamnesisServer) -> None:
    """Nothing yet: :func:`enable` registers it when the person's configuration asks for it at start."""


def enable(server: AnamnesisServer) -> None:
    """Register the feature, before the capabilities are told."""
    server.feature(types.TEXT_DOCUMENT_CODE_LENS, types.CodeLensOptions(resolve_provider=False))(code_lens)


async def code_lens(ls: AnamnesisServer, params: types.CodeLensParams) -> list[types.CodeLens] | None:
    """One lens for each recall on lines of this file."""
    path = path_of(params.text_document.uri)
    if not ls.settings.code_lens or path is None:
        return None
    recaller = await ls.recaller()
    recalls = await ls.work.run(lambda _: recaller.recalls(), "peek")
    return [lens for recall in recalls if (lens := _lens(recall, path)) is not None]


def _lens(recall: dict[str, Any], path: Path) -> types.CodeLens | None:
    from anamnesis_lsp.present.escape import plain
    from anamnesis_lsp.present.markdown import recall_uri

    lines, about = recall.get("lines"), recall.get("path")
    if not lines or about is None or str(path) != str(about):
        return None
    command = types.Command(
        title=f"Recalled: {plain(str(recall.get('meant') or 'this'), 60)}",
        command="anamnesis.open",
        arguments=[{"locator": recall_uri(str(recall["recall"]))}],
    )
    return types.CodeLens(whole_lines(lines[0] - 1, lines[1] - 1), command)
