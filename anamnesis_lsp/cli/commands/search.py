"""``search``: commits by message, author, content or identifier, newest first."""

from __future__ import annotations

import argparse

from anamnesis_lsp.cli import commits
from anamnesis_lsp.cli.progress import progress

KINDS = ("message", "author", "content", "lines", "id")


def run(options: argparse.Namespace) -> int:
    """Print each commit as git finds it."""
    kind = next(name for name in KINDS if getattr(options, name) is not None)
    with progress() as (cancel, _):
        found = commits.sought(
            kind, getattr(options, kind), options.paths, options.rev, cancel, options.limit,
            everywhere=options.everywhere, all_refs=options.all,
        )  # fmt: skip
        return commits.print_each(found, options)
