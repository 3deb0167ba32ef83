"""``python -m anamnesis_lsp``: the command line."""

from anamnesis_lsp.cli import entry

entry()
