"""``serve``: the language server."""

from __future__ import annotations

import argparse

from anamnesis_lsp.server import serve


def run(options: argparse.Namespace) -> int:
    """Serve one client over standard input and output."""
    del options
    return serve()
