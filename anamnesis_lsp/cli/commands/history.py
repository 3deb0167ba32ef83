"""``history``: the changes of lines or of a file, newest first."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from anamnesis_lsp.cli import commits
from anamnesis_lsp.cli.given import names_lines, requests_in, split_range
from anamnesis_lsp.cli.output import DONE, bad, print_json
from anamnesis_lsp.cli.progress import progress
from anamnesis_lsp.records.git.history import report


def run(options: argparse.Namespace) -> int:
    """Print each change as git finds it."""
    with progress() as (cancel, _):
        if options.batch is not None:
            for answer in report.batch_objects(list(requests_in(options.batch)), Path.cwd(), cancel):
                print_json(answer)
                sys.stdout.flush()
            return DONE
        if options.where is None:
            raise bad("No lines were given.", "Give PATH:START-END, PATH, or --batch FILE.")
        if not names_lines(options.where):
            return commits.print_each(commits.file_steps(options.where, options.rev, cancel), options)
        name, lines = split_range(options.where)
        repository, commit, inside, lines = commits.of_lines(name, lines, options.rev, options.cell, cancel)
        if options.json:
            print_json(report.history_object(repository, commit, inside, *lines, cancel))
            return DONE
        for block in commits.line_steps(repository, commit, inside, lines, cancel):
            print(block)
    return DONE
