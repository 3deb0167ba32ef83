"""``say``: words to a recall that is held."""

from __future__ import annotations

import argparse

from anamnesis_lsp.cli.output import print_answer
from anamnesis_lsp.cli.progress import progress
from anamnesis_lsp.cli.recalling import recaller_of


def run(options: argparse.Namespace) -> int:
    """Say them, and print the round they lead to."""
    with recaller_of(options) as recaller, progress() as (cancel, report):
        answer = recaller.say(" ".join(options.words), options.recall, cancel, report)
    return print_answer(answer, options)
