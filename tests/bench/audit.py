"""Installed packages against public advisories, from a copy of an advisory database: for where pip-audit reaches none.

    python tests/bench/audit.py DATABASE ... [--of anamnesis-lsp] [--python PYTHON]

A database is a folder or a (bare) git repository of advisories in the OSV format: JSON, or YAML where PyYAML is
installed. github.com/pypa/advisory-database and github.com/github/advisory-database are such. What is asked about is
what is installed beside ``--python`` (this interpreter by default), with ``--of`` what a package needs of it. Prints
each advisory that holds for an installed version, how old the databases are, and how many advisories of these packages
were looked at. Exit code 1 where any holds, 2 where a database could not be read.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.version import InvalidVersion, Version


def installed(python: str, of: str | None) -> dict[str, str]:
    """What is installed beside an interpreter, all or what one package needs: names and versions."""
    listing = (
        "import importlib.metadata as m, json; "
        "print(json.dumps([[d.metadata['Name'], d.version, d.requires or []] for d in m.distributions()]))"
    )
    told = subprocess.run([python, "-c", listing], capture_output=True, check=True, text=True).stdout
    found = {canonical(name): (version, requires) for name, version, requires in json.loads(told)}
    waiting = list(found) if of is None else [canonical(of)]
    chosen: dict[str, str] = {}
    while waiting:
        name = waiting.pop()
        if name in found and name not in chosen:
            chosen[name], requires = found[name]
            needed = map(Requirement, requires)
            waiting += [canonical(one.name) for one in needed if not one.marker or "extra" not in str(one.marker)]
    return chosen


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def advisories(database: Path, names: set[str]) -> Iterator[dict[str, Any]]:
    """Each advisory that speaks of one of these packages."""
    for name, text in texts(database):
        if not any(package in canonical(text) for package in names):
            continue
        if name.endswith(".json"):
            yield json.loads(text)
        else:
            import yaml  # pyright: ignore[reportMissingModuleSource]

            yield yaml.safe_load(text)


def texts(database: Path) -> Iterator[tuple[str, str]]:
    """Path and text of each advisory: of a folder, or of the newest commit of a repository."""
    if not (database / "objects").is_dir() and not (database / ".git").is_dir():
        for file in sorted(database.rglob("*")):
            if file.suffix in (".json", ".yaml"):
                yield str(file), file.read_text(encoding="utf-8")
        return
    git = ["git", "-C", str(database)]
    listed = subprocess.run([*git, "ls-tree", "-r", "-z", "HEAD"], capture_output=True, check=True).stdout.split(b"\0")
    blobs = [line.split(b"\t", 1) for line in listed if line.endswith((b".json", b".yaml"))]
    blobs = [(about.split()[2], path) for about, path in blobs if b"/unreviewed/" not in path]
    with subprocess.Popen([*git, "cat-file", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as reader:
        assert reader.stdin is not None and reader.stdout is not None
        for blob, path in blobs:
            reader.stdin.write(blob + b"\n")
            reader.stdin.flush()
            head = reader.stdout.readline().split()
            if len(head) == 3:
                yield path.decode(), reader.stdout.read(int(head[2]) + 1).decode("utf-8")
        reader.stdin.close()


def date_of(database: Path) -> str:
    told = subprocess.run(["git", "-C", str(database), "log", "-1", "--format=%cs"], capture_output=True, text=True)
    return told.stdout.strip() or "of unknown date"


def holds(affected: dict[str, Any], version: str) -> bool:
    """Whether an entry of ``affected`` holds for a version: listed, or within a range of versions."""
    if version in (affected.get("versions") or ()):
        return True
    at = parsed(version)
    for span in affected.get("ranges") or ():
        if span.get("type") == "GIT":
            continue
        inside = False
        for event in span.get("events") or ():
            (kind, bound), *_ = event.items()
            edge = Version("0") if bound == "0" else parsed(bound)
            if kind == "introduced" and at >= edge:
                inside = True
            elif (kind == "fixed" and at >= edge) or (kind == "last_affected" and at > edge):
                inside = False
        if inside:
            return True
    return False


def parsed(version: str) -> Version:
    try:
        return Version(version)
    except InvalidVersion:
        return Version(re.match(r"\d+(?:\.\d+)*|", version)[0] or "0")  # type: ignore[index]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("database", type=Path, nargs="+")
    parser.add_argument("--of", help="a package: what it needs, and no more")
    parser.add_argument("--python", default=sys.executable)
    options = parser.parse_args()
    packages = installed(options.python, options.of)
    found: dict[str, str] = {}
    for database in options.database:
        looked = 0
        try:
            for advisory in advisories(database, set(packages)):
                for affected in advisory.get("affected") or ():
                    package = affected.get("package") or {}
                    name = canonical(package.get("name") or "")
                    if package.get("ecosystem") != "PyPI" or name not in packages:
                        continue
                    looked += 1
                    if not advisory.get("withdrawn") and holds(affected, packages[name]):
                        found[advisory["id"]] = f"{name} {packages[name]}: {advisory.get('summary') or ''}".strip()
        except (OSError, subprocess.CalledProcessError, ImportError) as error:
            print(f"{database} could not be read: {error}", file=sys.stderr)
            return 2
        print(f"{database.name}, {date_of(database)}: {looked} advisories of {len(packages)} installed packages")
    for identity, about in sorted(found.items()):
        print(f"{identity}  {about}")
    print(f"{len(found)} hold")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
