"""The execution matrix as a table: every vector × every operation, for each git; GitPython beside it.

    python tests/bench/execution_matrix.py [--git FOLDER_WITH_GIT ...] [--without-gitpython] [--json]

One row a vector: whether plain git ran it just now, of how many operations of ours it ran, and of how many questions to
GitPython. The git on PATH is always asked; ``--git`` (or ANAMNESIS_TEST_GITS) names the ``bin`` folders of others. Exit
code 1 where anything ran, or where a vector is not live: it would prove nothing.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import pytest  # noqa: E402

from tests.builders.hostile import VECTORS, armed  # noqa: E402
from tests.security.matrix import SILENT, Plant, asked_of_gitpython, asked_of_us, folders_of_git, with_git  # noqa: E402


def row(plant: Plant, folder: Path, git: Path | None, gitpython: bool) -> dict[str, Any]:
    """One vector with one git."""
    told: dict[str, Any] = {"vector": plant.__name__}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ANAMNESIS_CACHE_DIR", str(folder / "cache"))
        patch.setenv("ANAMNESIS_STATE_DIR", str(folder / "state"))
        with with_git(git, folder / "home") as told["git"]:
            try:
                trap = armed(folder / "ours", plant)
            except AssertionError as error:
                return {**told, "live": False, "why": str(error)[:200]}
            ran, told["records"] = asked_of_us(trap, folder / "home")
            told |= {"live": True, "operations": len(ran), "ran": [name for name, did in ran.items() if did]}
            if gitpython and plant.__name__ not in SILENT:
                asked = asked_of_gitpython(armed(folder / "theirs", plant))
                told |= {"questions": len(asked), "gitpython ran": [name for name, did in asked.items() if did]}
    return told


def printed(rows: list[dict[str, Any]]) -> str:
    lines = ["| git | vector | live with plain git | operations | ran | GitPython ran |", "|---|---|---|---|---|---|"]
    for one in rows:
        if not one["live"]:
            lines.append(f"| {one['git']} | {one['vector']} | no | | | |")
            continue
        theirs = f"{len(one['gitpython ran'])} of {one['questions']}" if "questions" in one else "not asked"
        ran = ", ".join(one["ran"]) or "0"
        lines.append(f"| {one['git']} | {one['vector']} | yes | {one['operations']} | {ran} | {theirs} |")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--git", type=Path, nargs="*", default=folders_of_git())
    parser.add_argument("--without-gitpython", action="store_true")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rows: list[dict[str, Any]] = []
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="matrix-") as work:
        for number, git in enumerate([None, *options.git]):
            for plant in VECTORS:
                folder = Path(work, f"{number}-{plant.__name__}")
                for part in ("ours", "theirs"):
                    (folder / part).mkdir(parents=True)
                rows.append(row(plant, folder, git, not options.without_gitpython))
    print(json.dumps(rows, indent=1) if options.json else printed(rows))
    for version in dict.fromkeys(one["git"] for one in rows):
        of = [one for one in rows if one["git"] == version]
        live = [one for one in of if one["live"]]
        asked = [one for one in live if "questions" in one]
        print(
            f"git {version}: {len(of)} vectors, {len(live)} live; {sum(one['operations'] for one in live)} operations, "
            f"{sum(len(one['ran']) for one in live)} ran something; GitPython ran "
            f"{sum(bool(one['gitpython ran']) for one in asked)} of the {len(asked)} asked of it",
            file=sys.stderr if options.json else sys.stdout,
        )
    print(f"{round(time.monotonic() - began)} s", file=sys.stderr)
    return 1 if any(one.get("ran") or not one["live"] for one in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
