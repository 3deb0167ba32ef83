"""``doctor``: what is there, what is wrong, and how to mend it."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from anamnesis_lsp.cli.output import DONE, NOTHING, print_json, shown
from anamnesis_lsp.cli.progress import progress
from anamnesis_lsp.cli.recalling import recaller_of
from anamnesis_lsp.errors import AnamnesisError
from anamnesis_lsp.records.git.discovery import find_place
from anamnesis_lsp.records.git.process import find_git


def run(options: argparse.Namespace) -> int:
    """Look at everything; 0 where all is well."""
    checks: list[dict[str, Any]] = []
    try:
        git = find_git(outside=(find_place(Path.cwd()) or Path.cwd(),))
        checks.append({"what": "git", "ok": True, "said": f"{git.path}"})
    except AnamnesisError as error:
        checks.append({"what": "git", "ok": False, "said": f"{error.message} {error.remedy}"})
    with recaller_of(options) as recaller, progress() as (cancel, _):
        for store in recaller.stores(cancel):
            if store["state"] != "absent":
                checks.append(
                    {"what": f"{store['kind']} in {store['root']}", "ok": store["state"] != "unreadable",
                     "said": f"{store['state']}{'; ' + store['note'] if store['note'] else ''}"}
                )  # fmt: skip
    if options.json:
        print_json(checks)
    else:
        for check in checks:
            print(f"{'ok ' if check['ok'] else 'BAD'} {shown(check['what'])}: {shown(check['said'])}")
    return DONE if all(check["ok"] for check in checks) else NOTHING
