"""``docs/STORES.md`` and the code say the same: a row per runtime, its versions, and tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from anamnesis_lsp.records.conversations.registry import RUNTIMES

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/STORES.md").read_text(encoding="utf-8")


def tables() -> list[dict[str, dict[str, str]]]:
    """Of each table: runtime → column → cell."""
    found: list[dict[str, dict[str, str]]] = []
    for block in re.findall(r"(?:^\|.*\n)+", PAGE, re.MULTILINE):
        head, _, *rows = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in block.splitlines()]
        found.append({row[0].strip("` |"): dict(zip(head, row, strict=True)) for row in rows})
    return found


WHAT, TESTS = tables()


def test_every_runtime_has_a_row_and_no_other() -> None:
    assert list(WHAT) == list(RUNTIMES) == list(TESTS)


@pytest.mark.parametrize("name", list(RUNTIMES))
def test_the_versions_are_the_readers(name: str) -> None:
    assert WHAT[name]["versions known"] == RUNTIMES[name].versions


@pytest.mark.parametrize("name", list(RUNTIMES))
def test_every_cell_is_held_by_a_test_that_exists(name: str) -> None:
    for column, cell in TESTS[name].items():
        if column == "runtime" or cell == "-":
            continue
        file, _, test = cell.strip("`").rpartition("::")
        path = ROOT / "tests/stores" / file if file else ROOT / f"tests/unit/test_{name.replace('-', '_')}.py"
        assert re.search(rf"^def {re.escape(test)}\(", path.read_text(encoding="utf-8"), re.MULTILINE), cell


MUST_NAME = {"discovery": "default_roots", "handle": "handle|command", "edits": "edit", "commits": "commit"}
"""Column → what a test of it must speak of: the code cannot tell more of whether a test holds its cell."""


@pytest.mark.parametrize("name", list(RUNTIMES))
def test_the_test_of_a_cell_speaks_of_it(name: str) -> None:
    source = (ROOT / f"tests/unit/test_{name.replace('-', '_')}.py").read_text(encoding="utf-8")
    for column, words in MUST_NAME.items():
        test = TESTS[name][column].strip("`")
        body = re.search(rf"^def {test}\(.*?(?=^(?:def |class |@)|\Z)", source, re.MULTILINE | re.DOTALL)
        assert body is not None and re.search(words, body[0].partition("\n")[2]), f"{column}: {test}"


@pytest.mark.parametrize("name", list(RUNTIMES))
def test_only_what_is_not_stored_has_no_test(name: str) -> None:
    untested = {column for column, cell in TESTS[name].items() if cell == "-"}
    assert untested <= {"sub-agents", "samples"}
    assert ("samples" in untested) == (WHAT[name]["samples"] == "fixture")
    if "sub-agents" in untested:
        assert re.match(r"no(ne|t) ", WHAT[name]["sub-agents"]), WHAT[name]["sub-agents"]
