"""``open``: the record that a locator names."""

from __future__ import annotations

import argparse

from anamnesis_lsp.cli.output import DONE, print_json, print_markdown
from anamnesis_lsp.cli.progress import progress
from anamnesis_lsp.cli.recalling import recaller_of


def run(options: argparse.Namespace) -> int:
    """Print its document."""
    with recaller_of(options) as recaller, progress() as (cancel, _):
        target = recaller.open(options.locator, cancel)
        document = recaller.document(options.locator, cancel)
    if options.json:
        print_json({"uri": target.uri, "lines": target.lines, "text": document.text})
    elif document.language_id == "markdown":
        print_markdown(document.text)
    else:
        print(document.text, end="")
    return DONE
