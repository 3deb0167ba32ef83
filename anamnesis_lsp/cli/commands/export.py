"""``export``: a recall whole as JSON, or what it recalled as text to paste."""

from __future__ import annotations

import argparse
import sys

from anamnesis_lsp.cli.output import DONE, print_json
from anamnesis_lsp.cli.recalling import recaller_of


def run(options: argparse.Namespace) -> int:
    """Print it in the form asked for."""
    with recaller_of(options) as recaller:
        if options.form == "json":
            print_json(recaller.export(options.recall))
        else:
            sys.stdout.write(recaller.copy_context(options.recall, options.form))
    return DONE
