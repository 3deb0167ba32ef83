"""``doctor``: what is there, what is wrong, and how to mend it."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from anamnesis_lsp.cli.output import DONE, NOTHING, print_json, shown
from anamnesis_lsp.cli.progress import progress
from anamnesis_lsp.doctor import Check, examine

MARKS = {"ok": "ok  ", "note": "note", "bad": "BAD "}
COLOURS = {"ok": "32", "note": "33", "bad": "1;31"}


def run(options: argparse.Namespace) -> int:
    """Look at everything; 0 where nothing is wrong."""
    checks: list[Check] = []
    with progress() as (cancel, _):
        for check in examine(Path.cwd(), cancel):
            checks.append(check)
            if not options.json:
                _print(check)
    wrong = sum(check.state == "bad" for check in checks)
    if options.json:
        print_json([check.as_data() for check in checks])
    else:
        print(f"\n{wrong} {'thing is' if wrong == 1 else 'things are'} wrong." if wrong else "\nNothing is wrong.")
    return NOTHING if wrong else DONE


def _print(check: Check) -> None:
    mark = MARKS[check.state]
    if sys.stdout.isatty():
        mark = f"\x1b[{COLOURS[check.state]}m{mark}\x1b[0m"
    print(f"{mark} {shown(check.what)}: {shown(check.said)}")
    if check.remedy:
        print(f"     → {shown(check.remedy)}")
