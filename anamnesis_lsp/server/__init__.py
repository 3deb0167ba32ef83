"""The language server: one module per LSP feature over one brain, :class:`anamnesis_lsp.recall.recaller.Recaller`.

Promises: the event loop never blocks; every request gets exactly one answer, a malformed one included; a cancelled
one is answered within 100 ms and its work stops; no text of a record or a buffer reaches a log. May not: judge,
search, or read a repository or a store itself. Errors of the rooms below arrive as ``-32803`` with the wire's error
object as ``data``.

Importing this package is cheap; :func:`serve` loads the language-server stack.
"""

from __future__ import annotations

__all__ = ["serve"]


def serve() -> int:
    """Serve one client over standard input and output; returns the process's exit code (0 only after ``shutdown``)."""
    import gc

    gc.disable()  # the protocol's classes and tables are made once and stay: looking through them finds no garbage
    from anamnesis_lsp.server.app import build
    from anamnesis_lsp.server.stdio import run

    server = build()
    gc.freeze()
    gc.enable()
    return run(server)
