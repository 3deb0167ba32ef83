"""ARCHITECTURE.md names tests and rooms that exist."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")


def test_every_test_named_for_an_invariant_exists() -> None:
    invariants = PAGE.split("## Invariants")[1].split("## Decisions")[0]
    named = re.findall(r"`((?:unit|server|contract|stores)/[\w/]+\.py)(?:::(\w+))?`", invariants)
    assert len(named) >= 20
    for path, name in named:
        file = ROOT / "tests" / path
        assert file.exists(), path
        assert not name or re.search(rf"def {name}\(", file.read_text(encoding="utf-8")), f"{path}::{name}"


def test_every_module_named_exists() -> None:
    rooms = "contract|records|index|present|readings|recall|server|cli|doctor|demo"
    for path in set(re.findall(rf"`((?:{rooms})/[\w/]*\.py)`", PAGE)):
        assert (ROOT / "anamnesis_lsp" / path).exists() or (ROOT / "tests" / path).exists(), path


def test_every_dependency_has_its_reason() -> None:
    declared = (ROOT / "pyproject.toml").read_text(encoding="utf-8").split("dependencies = [")[1].split("]")[0]
    libraries = PAGE.split("## Libraries")[1].split("##")[0]
    for name in re.findall(r'"([A-Za-z_]+)', declared):
        assert name in libraries, name
