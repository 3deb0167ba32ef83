"""What the tests reach, by room: ``make coverage``, or after a measured run ``python tests/coverage_by_room.py``.

Exit code 1 where a room is below its floor. ``--missing ROOM`` names the lines and branches of it that nothing reaches.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from coverage import Coverage

FLOORS = {"contract": 100.0, "readings": 90.0}
"""Percent of a room's branches that are taken at least. What is reached may only be raised; readings aim at 95."""


@dataclass
class Room:
    """Counts of a room: statements and branches, and those that were reached."""

    statements: int = 0
    run: int = 0
    branches: int = 0
    taken: int = 0
    missing: list[str] = field(default_factory=list)

    def add(self, path: str, file: dict[str, Any]) -> None:
        counts = file["summary"]
        self.statements += counts["num_statements"]
        self.run += counts["covered_lines"]
        self.branches += counts["num_branches"]
        self.taken += counts["covered_branches"]
        lines, arcs = file["missing_lines"], file["missing_branches"]
        if lines or arcs:
            left = [f"{start}->{'exit' if end < 0 else end}" for start, end in arcs if start not in lines]
            self.missing.append(f"{path}: {' '.join([*map(str, lines), *left])}")


def percent(part: int, whole: int) -> float:
    return 100.0 * part / whole if whole else 100.0


def rooms(report: dict[str, Any]) -> dict[str, Room]:
    """By the name of the folder or module under the package; of ``records`` by the folder below too."""
    found: dict[str, Room] = defaultdict(Room)
    for path, file in report["files"].items():
        parts = Path(path).with_suffix("").parts
        inside = parts[parts.index("anamnesis_lsp") + 1 :]
        name = "/".join(inside[:2]) if inside[0] == "records" and len(inside) > 2 else inside[0]
        found[name].add(path, file)
    return dict(sorted(found.items()))


def measured() -> dict[str, Any]:
    coverage = Coverage()
    coverage.load()
    with tempfile.TemporaryDirectory() as folder:
        where = Path(folder) / "coverage.json"
        coverage.json_report(outfile=str(where))
        return json.loads(where.read_text(encoding="utf-8"))


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--missing", metavar="ROOM", action="append", default=[])
    wanted = options.parse_args().missing
    found = rooms(measured())
    print(f"{'room':24} {'lines':>7} {'reached':>8}   {'branches':>8} {'taken':>8}   floor")
    total, below = Room(), []
    for name, room in found.items():
        branch = percent(room.taken, room.branches)
        floor = FLOORS.get(name)
        if floor is not None and branch < floor:
            below.append(name)
        said = "" if floor is None else f"{floor:.0f} %{' NOT HELD' if name in below else ''}"
        lines = percent(room.run, room.statements)
        print(f"{name:24} {room.statements:7,} {lines:6.1f} %   {room.branches:8,} {branch:6.1f} %   {said}".rstrip())
        total.statements, total.run = total.statements + room.statements, total.run + room.run
        total.branches, total.taken = total.branches + room.branches, total.taken + room.taken
    lines, branch = percent(total.run, total.statements), percent(total.taken, total.branches)
    print(f"{'all':24} {total.statements:7,} {lines:6.1f} %   {total.branches:8,} {branch:6.1f} %")
    for name in wanted:
        print("\n".join(["", *found[name].missing]))
    return 1 if below else 0


if __name__ == "__main__":
    sys.exit(main())
