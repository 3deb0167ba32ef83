"""anamnesis-lsp: a language server that answers one question, *why is this code here?*

The rooms of this package and who may import whom are in ``ARCHITECTURE.md``. Importing the package itself is cheap: it
loads nothing else, so that the command line can print its version without the language-server stack.
"""

__version__ = "0.1.0"
