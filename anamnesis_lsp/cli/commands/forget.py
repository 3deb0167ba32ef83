"""``forget``: remove recalls, and the evidence kept with them."""

from __future__ import annotations

import argparse

from anamnesis_lsp.cli.output import DONE
from anamnesis_lsp.cli.recalling import recaller_of


def run(options: argparse.Namespace) -> int:
    """Remove those named, those older than so many days, or all."""
    with recaller_of(options) as recaller:
        named = None if options.all or options.older is not None else options.recall
        count = recaller.forget(named, options.older)
    print(f"Forgotten: {count} recall{'s' if count != 1 else ''}.")
    return DONE
