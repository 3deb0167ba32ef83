"""The program: read the command line, run its command, tell what went wrong in one line."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable, Sequence
from typing import NoReturn

from anamnesis_lsp.cancel import Cancelled
from anamnesis_lsp.cli import parser
from anamnesis_lsp.cli.output import BAD_INPUT, DONE, INTERNAL, complain, internal, shown
from anamnesis_lsp.errors import AnamnesisError, of_system


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    reader = parser.build()
    try:
        options = reader.parse_args(arguments)
    except parser.UsageError as usage:
        print(f"anamnesis-lsp: {shown(str(usage))}", file=sys.stderr)
        return BAD_INPUT
    command: str | None = getattr(options, "command", None)
    if command is None:
        reader.print_help()
        return BAD_INPUT
    try:
        run: Callable[[object], int] = importlib.import_module(f"anamnesis_lsp.cli.commands.{command}").run
        return run(options)
    except AnamnesisError as error:
        complain(error)
        return error.code.exit_code
    except (KeyboardInterrupt, Cancelled):
        print("anamnesis-lsp: interrupted", file=sys.stderr)
        return INTERNAL
    except BrokenPipeError:
        sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115  the reader of our output has gone
        return DONE
    except Exception as error:
        if os.environ.get("ANAMNESIS_DEBUG"):
            raise
        refused = of_system(error)
        complain(refused or internal(error))
        return INTERNAL if refused is None else refused.code.exit_code


def entry() -> NoReturn:
    """For ``python -m anamnesis_lsp``."""
    raise SystemExit(main())
