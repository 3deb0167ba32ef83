"""``stores``: what would be searched here, and its state."""

from __future__ import annotations

import argparse

from anamnesis_lsp.cli.output import DONE, print_json
from anamnesis_lsp.cli.progress import progress
from anamnesis_lsp.cli.recalling import recaller_of


def run(options: argparse.Namespace) -> int:
    """Read what changed, then list them, absent ones too."""
    with recaller_of(options) as recaller, progress() as (cancel, report):
        recaller.refresh(cancel, report)
        if options.json:
            print_json(recaller.stores(cancel))
            return DONE
        lines = recaller.stores_table(cancel)
    for line in lines:
        print(line)
    return DONE
