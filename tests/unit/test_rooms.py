"""The rooms import only downwards (ARCHITECTURE.md, *Who may import whom*)."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests import house

PACKAGE = house.PACKAGE

RANK = {
    "errors": 0,
    "places": 0,
    "cancel": 0,
    "masking": 0,
    "contract": 1,
    "records": 2,
    "index": 3,
    "present": 4,
    "readings": 5,
    "recall": 6,
    "server": 7,
    "cli": 8,
    "demo": 7,
    "doctor": 7,
    "__main__": 9,
}
"""A module may import any room of a lower rank, and its own. The leaves import only leaves."""

FORBIDDEN = {("present", "index"): "nothing shown comes from the cue"}

PURE = {
    "contract": {
        "os",
        "pathlib",
        "subprocess",
        "sqlite3",
        "socket",
        "asyncio",
        "threading",
        "tempfile",
        "shutil",
        "time",
    }
}
"""Standard modules a pure room may not use."""


def modules() -> Iterator[tuple[Path, str]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        relative = path.relative_to(PACKAGE)
        if relative.name == "__init__.py" and len(relative.parts) == 1:
            continue
        yield path, relative.parts[0].removesuffix(".py")


def imported(path: Path) -> Iterator[str]:
    """What a module names in an import at any time, by the dotted names of modules."""
    for name, _ in house.imported(path):
        yield name


def violations(path: Path, room: str) -> Iterator[str]:
    for name in imported(path):
        if not name.startswith("anamnesis_lsp.") or name == "anamnesis_lsp.__version__":
            continue
        other = name.split(".")[1]
        where = path.relative_to(PACKAGE)
        if other not in RANK:
            yield f"{where} imports {name}: {other} has no place in the order of the rooms"
        elif other != room and RANK[other] >= RANK[room] and not RANK[other] == RANK[room] == 0:
            yield f"{where}: {room} may not import {other}"
        elif (room, other) in FORBIDDEN:
            yield f"{where}: {room} may not import {other}: {FORBIDDEN[room, other]}"


def test_a_room_imports_only_lower_rooms() -> None:
    assert [found for path, room in modules() for found in violations(path, room)] == []


def test_a_pure_room_does_no_io() -> None:
    for path, room in modules():
        used = {name.split(".")[0] for name in imported(path)}
        assert not used & PURE.get(room, set()), path


def test_every_room_has_a_door_that_says_what_it_promises() -> None:
    for room in ("contract", "records", "index", "present", "readings", "recall", "server", "cli"):
        door = ast.get_docstring(ast.parse((PACKAGE / room / "__init__.py").read_text(encoding="utf-8")))
        assert door and len(door.splitlines()) >= 2, f"{room}/__init__.py says too little"


def test_only_the_door_to_git_starts_processes() -> None:
    """Beside our own readers, which are this program again."""
    starters = {
        path.relative_to(PACKAGE).parts[:2]
        for path, _ in modules()
        if "subprocess" in {name.split(".")[0] for name in imported(path)}
    }
    assert starters <= {("records", "git"), ("index", "ahead.py"), ("demo", "repository.py")}, starters


def test_no_module_imports_itself_by_way_of_others() -> None:
    assert house.circles(house.graph("loaded", "later")) == []


def test_a_circle_is_found_where_there_is_one() -> None:
    arrows = {"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": set[str](), "e": {"a"}}
    assert house.circles(arrows) == [["a", "b", "c"]]


def test_every_long_file_is_named_with_its_reason() -> None:
    page = (house.ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").split("## What is long")[1].split("\n## ")[0]
    named = set(re.findall(r"^\| `([\w/.]+)`", page, re.MULTILINE))
    assert {path for lines, path in house.files() if lines > house.LONG_FILE} <= named
    assert named <= {path for _, path in house.files()}


def test_no_function_is_longer_than_a_screen() -> None:
    assert [where for lines, where in house.functions() if lines > house.LONG_FUNCTION] == []
