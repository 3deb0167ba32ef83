"""``python -m anamnesis_lsp.server``: the server on standard input and output."""

from __future__ import annotations

import sys

from anamnesis_lsp.server import serve

if __name__ == "__main__":
    sys.exit(serve())
