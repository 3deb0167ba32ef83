"""``read-turns``: how a person's turns would be read, by the code that reads them in a dialogue."""

from __future__ import annotations

import argparse

from anamnesis_lsp.cli.given import requests_in
from anamnesis_lsp.cli.output import DONE
from anamnesis_lsp.readings.answers import read_turns_lines


def run(options: argparse.Namespace) -> int:
    """Print one JSON object per line of the file."""
    for line in read_turns_lines(requests_in(options.file)):
        print(line, flush=True)
    return DONE
