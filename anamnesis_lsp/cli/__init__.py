"""The command line: the same recall in a terminal. ``anamnesis-lsp --help`` says what there is.

Promises: results go to standard output, progress and errors to standard error, progress only where that is a terminal;
an error is one line, what was wrong and what to do; lines shown to people are 1-based and inclusive; nothing that a
record or a name says is live on the terminal. The exit codes are those of :mod:`.output`. May not: judge, search, or
read a repository or a store where the recaller or a room below does it.

``parser`` names every command and its arguments, ``commands/`` has a module for each, which is imported when it runs:
``--help`` and ``--version`` load nothing else.
"""

from __future__ import annotations

from anamnesis_lsp.cli.program import entry, main

__all__ = ["entry", "main"]
