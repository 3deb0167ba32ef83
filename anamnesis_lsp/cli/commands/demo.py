"""``demo``: the main job on a small example that is made for it, in the terminal or (``--serve``) for an editor."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from anamnesis_lsp import demo
from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.cli import dialogue
from anamnesis_lsp.cli.output import print_round
from anamnesis_lsp.cli.progress import progress
from anamnesis_lsp.present.round import Round
from anamnesis_lsp.recall.recaller import Progress, Recaller


def run(options: argparse.Namespace) -> int:
    """Make it, and tell its stories or leave it to be opened. Nothing is asked where nobody sits at the terminal."""
    keep = Path(options.keep) if options.keep else None
    if options.serve:
        return demo.serve(keep, _until_enter)
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return demo.tell(keep, print_round, lambda _: True)
    return demo.tell(keep, print_round, _goes_on, _talk)


def _until_enter() -> None:
    sys.stdin.readline()


def _goes_on(prompt: str) -> bool:
    try:
        input(prompt)
    except EOFError:
        print()
        return False
    print()
    return True


def _talk(recaller: Recaller, begin: Callable[[], Round]) -> None:
    def again(cancel: CancelToken, report: Progress) -> Round:
        del cancel, report
        return begin()

    dialogue.converse(recaller, again, _once_shown(), progress, farewell="A recall that is left open holds like this.")


def _once_shown() -> Callable[[Round], None]:
    """Shows every round but the first, which is on the screen already."""
    seen = False

    def show(round_: Round) -> None:
        nonlocal seen
        if seen:
            print_round(round_)
        seen = True

    return show
