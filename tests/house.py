"""The house as it stands: ``python tests/house.py`` prints circles of imports, arrows between rooms, what is largest.

``tests/unit/test_rooms.py`` holds what is said here: no circle, no arrow upwards, and every file that is longer than
:data:`LONG_FILE` lines is named in ``ARCHITECTURE.md`` with the reason why it is.
"""

from __future__ import annotations

import ast
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Literal

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "anamnesis_lsp"
LONG_FILE = 500
LONG_FUNCTION = 80


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def name_of(path: Path) -> str:
    """The dotted name of a module of the package."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def modules() -> dict[str, Path]:
    return {name_of(path): path for path in sorted(PACKAGE.rglob("*.py"))}


def room_of(name: str) -> str:
    """The room of a module: the first name under the package."""
    return name.split(".")[1] if "." in name else "anamnesis_lsp"


When = Literal["loaded", "later", "for types"]
"""When an import is made: as the module is loaded, in a function, or never, by the type checker alone."""


def imported(path: Path) -> Iterator[tuple[str, When]]:
    """What a module imports by dotted name, and when."""
    package = [*path.relative_to(ROOT).parts[:-1]]

    def walk(node: ast.AST, when: When) -> Iterator[tuple[str, When]]:
        if isinstance(node, ast.Import):
            yield from ((alias.name, when) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            yield base, when
            yield from ((f"{base}.{alias.name}", when) for alias in node.names)
        else:
            if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
                when = "for types"
            elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and when == "loaded":
                when = "later"
            for child in ast.iter_child_nodes(node):
                yield from walk(child, when)

    yield from walk(tree(path), "loaded")


def graph(*times: When) -> dict[str, set[str]]:
    """Which module imports which at these times; a package that is imported for a module in it counts as that one."""
    known = modules()
    found: dict[str, set[str]] = {}
    for name, path in known.items():
        wanted = {other for other, when in imported(path) if other in known and when in times}
        deeper = {other for other in wanted if any(more.startswith(f"{other}.") for more in wanted)}
        found[name] = {other for other in wanted - {name} if other not in deeper or _names_of_its_own(path, other)}
    return found


def _names_of_its_own(path: Path, package: str) -> bool:
    """Whether ``path`` takes from a package a name that is not a module of it."""
    known = modules()
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.ImportFrom) and node.module == package:
            if any(f"{package}.{alias.name}" not in known for alias in node.names):
                return True
        elif isinstance(node, ast.Import) and any(alias.name == package for alias in node.names):
            return True
    return False


def circles(arrows: Mapping[str, set[str]]) -> list[list[str]]:
    """Modules that import each other, however far around (strongly connected components of more than one)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(node: str) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in arrows[node]:
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            circle = stack[stack.index(node) :]
            del stack[stack.index(node) :]
            if len(circle) > 1:
                found.append(sorted(circle))

    sys.setrecursionlimit(10_000)
    for node in arrows:
        if node not in index:
            visit(node)
    return found


def files() -> list[tuple[int, str]]:
    """The files by their lines, longest first."""
    lines = ((len(path.read_text(encoding="utf-8").splitlines()), path) for path in PACKAGE.rglob("*.py"))
    return sorted(((count, path.relative_to(PACKAGE).as_posix()) for count, path in lines), reverse=True)


def functions() -> list[tuple[int, str]]:
    """The functions by their lines, docstring included, longest first."""
    found: list[tuple[int, str]] = []
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(tree(path)):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.end_lineno is not None:
                where = f"{path.relative_to(PACKAGE).as_posix()}:{node.lineno} {node.name}"
                found.append((node.end_lineno - node.lineno + 1, where))
    return sorted(found, reverse=True)


def main() -> None:
    sizes, every = files(), graph("loaded", "later", "for types")
    print(f"{len(sizes)} modules, {sum(count for count, _ in sizes):,} lines, median {sizes[len(sizes) // 2][0]}")
    print(f"circles as modules are loaded: {circles(graph('loaded')) or 'none'}")
    print(f"circles with what is imported later: {circles(graph('loaded', 'later')) or 'none'}")
    print(f"circles with what is named for types alone: {circles(every) or 'none'}")
    between = Counter(
        (room_of(name), room_of(other)) for name, others in every.items() for other in others
        if room_of(name) != room_of(other)
    )  # fmt: skip
    print("arrows between rooms:")
    for room in dict.fromkeys(room for room, _ in sorted(between)):
        told = ", ".join(f"{other} {count}" for (one, other), count in between.most_common() if one == room)
        print(f"  {room:14} → {told}")
    print("longest files:")
    for count, path in sizes[:12]:
        print(f"  {count:5} {path}")
    print("longest functions:")
    for count, where in functions()[:12]:
        print(f"  {count:5} {where}")


if __name__ == "__main__":
    main()
