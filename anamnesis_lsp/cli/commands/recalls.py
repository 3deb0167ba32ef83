"""``recalls``: the recalls that are kept."""

from __future__ import annotations

import argparse

from anamnesis_lsp.cli.dialogue import listed
from anamnesis_lsp.cli.output import DONE, print_json
from anamnesis_lsp.cli.recalling import recaller_of


def run(options: argparse.Namespace) -> int:
    """List them."""
    with recaller_of(options) as recaller:
        if options.json:
            print_json(recaller.recalls())
        else:
            for line in listed(recaller):
                print(line)
    return DONE
