"""Notebooks of a client: which cells they show, so that a place in a cell is a place in the notebook's file.

The text of each cell is a document like any other (:mod:`.buffers`); here is only the order of the cells. What a cell's
lines are in the file is found out when it is asked about (:func:`anamnesis_lsp.records.git.notebook.file_lines`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types

from anamnesis_lsp.server.buffers import path_of

if TYPE_CHECKING:
    from anamnesis_lsp.server.buffers import Buffers

SYNC = types.NotebookDocumentSyncOptions(
    [
        types.NotebookDocumentFilterWithNotebook(
            notebook=types.NotebookDocumentFilterNotebookType(notebook_type="jupyter-notebook", scheme="file")
        )
    ],
    save=False,
)


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell as the client shows it: its notebook's file, its place among the cells (from 0), and its text."""

    path: Path
    place: int
    text: str


@dataclass(slots=True)
class Notebooks:
    """The open notebooks of one client. Used on the event loop only."""

    buffers: Buffers
    _cells: dict[str, list[str]] = field(default_factory=lambda: dict[str, list[str]]())
    """The URIs of the cells, in order, by their notebook's."""

    def open(self, params: types.DidOpenNotebookDocumentParams) -> None:
        """Hold a notebook and the texts of its cells."""
        self._cells[params.notebook_document.uri] = [cell.document for cell in params.notebook_document.cells]
        self._hold(params.cell_text_documents)

    def change(self, params: types.DidChangeNotebookDocumentParams) -> None:
        """Cells came, went or moved, or their texts changed; of a notebook that was never opened: nothing."""
        cells = self._cells.get(params.notebook_document.uri)
        changed = params.change.cells
        if cells is None or changed is None:
            return
        if changed.structure is not None:
            array = changed.structure.array
            new = [cell.document for cell in array.cells or ()]
            cells[array.start : array.start + array.delete_count] = new
            self._hold(changed.structure.did_open or ())
            for closed in changed.structure.did_close or ():
                self.buffers.close(closed.uri)
        for content in changed.text_content or ():
            self.buffers.change(content.document.uri, content.document.version, content.changes)

    def close(self, params: types.DidCloseNotebookDocumentParams) -> None:
        """Forget a notebook and its cells."""
        for uri in self._cells.pop(params.notebook_document.uri, ()):
            self.buffers.close(uri)

    def cell(self, uri: str) -> Cell | None:
        """The cell that this document is; None for any other document, and where the notebook is no file."""
        for notebook, cells in self._cells.items():
            if uri in cells:
                path, buffer = path_of(notebook), self.buffers.get(uri)
                return None if path is None or buffer is None else Cell(path, cells.index(uri), buffer.text)
        return None

    def _hold(self, documents: Sequence[types.TextDocumentItem]) -> None:
        for item in documents:
            self.buffers.open(item.uri, item.language_id, item.version, item.text)


def in_file(cell: Cell, lines: tuple[int, int]) -> tuple[int, int]:
    """Lines of a cell (1-based, inclusive) as lines of its notebook's file. Blocking; raises as
    :func:`~anamnesis_lsp.records.git.notebook.file_lines`, and ``fileMissing``."""
    from anamnesis_lsp.cancel import never
    from anamnesis_lsp.records.git import Repository, editor_lines
    from anamnesis_lsp.records.git.notebook import file_lines

    repository = Repository.discover(cell.path, never())
    text = repository.work_text(repository.relative(cell.path))
    return file_lines(text, cell.place, lines, editor_lines(cell.text))
