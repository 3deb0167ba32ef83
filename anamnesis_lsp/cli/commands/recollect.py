"""``recollect``: one round, or on a terminal the dialogue; a batch with ``--batch``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.cli import dialogue
from anamnesis_lsp.cli.commits import cell_of
from anamnesis_lsp.cli.given import split_range
from anamnesis_lsp.cli.output import bad, exit_code, print_answer, print_round
from anamnesis_lsp.cli.progress import progress
from anamnesis_lsp.cli.recalling import recaller_of
from anamnesis_lsp.recall.recaller import RecollectRequest
from anamnesis_lsp.records.git import Repository
from anamnesis_lsp.records.git.notebook import file_lines


def run(options: argparse.Namespace) -> int:
    """Recall what was asked for."""
    if options.batch is not None:
        from anamnesis_lsp.cli.batch import recollect_batch

        return recollect_batch(options)
    talks = not (options.json or options.no_dialogue) and sys.stdin.isatty() and sys.stdout.isatty()
    request = request_of(options, bare=talks)
    with recaller_of(options) as recaller:
        if talks:
            last = dialogue.converse(
                recaller, lambda cancel, report: recaller.recollect(request, cancel, report), print_round, progress
            )
            return exit_code(last)
        with progress() as (cancel, report):
            answer = recaller.recollect(request, cancel, report)
    return print_answer(answer, options)


def request_of(options: argparse.Namespace, *, bare: bool) -> RecollectRequest:
    """What was asked. ``bare``: nothing at all may be asked, the first round is then the open question."""
    cue, rev, recall = options.cue, options.rev, options.recall
    fresh = recall is None
    if options.where is None:
        if (cue is None or not cue.strip()) and not bare and recall is None:
            raise bad("Neither lines nor a cue were given.", "Give PATH:START-END, or --cue TEXT, or both.")
        return RecollectRequest(cue=cue, rev=rev, recall=recall, fresh=fresh)
    path, lines = split_range(options.where)
    if options.cell is not None:
        lines = _cell_lines(Path(path), options, lines)
    return RecollectRequest(path=Path(path), lines=lines, cue=cue, rev=rev, recall=recall, fresh=fresh)


def _cell_lines(path: Path, options: argparse.Namespace, lines: tuple[int, int]) -> tuple[int, int]:
    """Lines of a notebook's cell as lines of its file, as it lies on disk or is at the revision asked about."""
    cancel = CancelToken()
    repository = Repository.discover(path, cancel)
    inside = repository.relative(Path.cwd() / path)
    if options.rev is None:
        text = repository.work_text(inside)
    else:
        text = repository.text(repository.resolve(options.rev, cancel), inside, cancel)
    return file_lines(text, cell_of(options.cell), lines)
