"""``demo``: the main job on a small example that is made for it."""

from __future__ import annotations

import argparse
from pathlib import Path

from anamnesis_lsp import demo
from anamnesis_lsp.cli.output import print_round


def run(options: argparse.Namespace) -> int:
    """Make it and recollect its questions."""
    return demo.run(Path(options.keep) if options.keep else None, print_round)
