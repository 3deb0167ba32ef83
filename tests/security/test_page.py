"""``SECURITY.md`` names tests that exist, and every promise names one."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
NAMED = re.compile(r"`([\w/]+\.py)(?:::(\w+))?`")


def test_every_test_that_the_page_names_exists() -> None:
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    named = [(path, name) for path, name in NAMED.findall(text)]
    assert len(named) > 25
    for path, name in named:
        base = ROOT if path.startswith("tests/") else ROOT / "tests"
        file = base / path
        assert file.is_file(), path
        functions = {
            n.name for n in ast.walk(ast.parse(file.read_text(encoding="utf-8"))) if isinstance(n, ast.FunctionDef)
        }
        assert not name or name in functions, f"{path}::{name}"


def test_every_promise_names_its_test() -> None:
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    promises = re.split(r"(?m)^\d+\. ", text.split("## Promises")[1].split("\n## ")[0])[1:]
    assert len(promises) >= 14
    for promise in promises:
        assert NAMED.search(promise), promise[:80]


def test_the_page_counts_the_vectors() -> None:
    from tests.builders.hostile import VECTORS

    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    assert f"{len(VECTORS)} vectors" in text
