"""Every name of both Lean texts has a Python name and a test, and the tables say so truthfully."""

from __future__ import annotations

import ast
import importlib
import os
import re
from pathlib import Path

import pytest

from anamnesis_lsp.contract import Op, Readings, anamnesis, recollect
from tests.contract.scripted import Scripted

ROOT = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("ANAMNESIS_SHARED", ROOT.parent / "shared"))
TEXTS = {"Anamnesis": "anamnesis.lean.txt", "Recollect": "recollect.lean.txt"}
MACHINES = {"Anamnesis": anamnesis, "Recollect": recollect}
HEADING = "## Conformance: Lean name → Python name → test"


def lines_of(text: str) -> list[str]:
    path = SHARED / "contract" / TEXTS[text]
    if not path.is_file():
        pytest.skip(f"the Lean texts are not there: {path} (set ANAMNESIS_SHARED)")
    return path.read_text(encoding="utf-8").split("\n")


def names_of(text: str) -> list[str]:
    found = [
        re.match(r"(?:noncomputable )?(?:def|structure|inductive|axiom|abbrev) (\S+)", line) for line in lines_of(text)
    ]
    return [match[1] for match in found if match]


def table() -> list[tuple[str, str, str, str]]:
    section = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").split(HEADING, 1)[1].split("\n## ", 1)[0]
    rows = [
        [cell.strip().strip("`") for cell in line.strip("| \n").split("|")]
        for line in section.splitlines()
        if "`" in line
    ]
    return [(row[0], row[1], row[2], row[3]) for row in rows if len(row) == 4]


def test_no_row_of_the_table_is_missing_for_either_text() -> None:
    for text in TEXTS:
        rows = [lean for lean, where, _, _ in table() if where in ("both", text)]
        assert sorted(rows) == sorted(names_of(text))


def test_the_readings_are_the_axioms_of_both_texts() -> None:
    axioms = {
        re.sub(r"(?<=[a-z])([A-Z])", r"_\1", match[1]).lower()
        for text in TEXTS
        for line in lines_of(text)
        if (match := re.match(r"axiom (\S+)", line))
    }
    methods = {name for name in vars(Readings) if not name.startswith("_")}
    assert methods == axioms
    assert methods <= set(dir(Scripted))


def test_every_python_name_of_the_table_exists() -> None:
    for _, _, dotted, _ in table():
        module, *rest = dotted.split(".")
        value = importlib.import_module(f"anamnesis_lsp.contract.{module}")
        for name in rest:
            value = getattr(value, name)
        assert value is not None, dotted


def test_every_test_of_the_table_exists() -> None:
    for lean, _, _, test in table():
        file, name = test.split("::")
        tree = ast.parse((ROOT / "tests" / "contract" / file).read_text(encoding="utf-8"))
        assert name in {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)}, lean


@pytest.mark.parametrize("text", TEXTS)
def test_the_head_of_each_machine_cites_the_lines_of_its_text(text: str) -> None:
    lines = lines_of(text)
    rows = re.findall(r"^``\w+``\s+``(\w+)``\s+(\d+)(?:-(\d+))?$", MACHINES[text].__doc__ or "", re.MULTILINE)
    assert len(rows) >= 12
    for name, first, last in rows:
        cited = lines[int(first) - 1 : int(last or first)]
        assert any(line.startswith(f"def {name} ") for line in cited), (name, first, last)
        assert not lines[int(first) - 2].strip(), "the citation begins where the definition begins"
        assert not lines[int(last or first)].strip() or first == last, "and ends where it ends"


@pytest.mark.parametrize("text", TEXTS)
def test_the_grounding_is_the_text_word_for_word(text: str) -> None:
    rows = re.findall(
        r'^  \| \.(\w+)\s*=> \(\.(\w+)(?: \.(\w+))?, "((?:[^"\\]|\\.)*)"\)', "\n".join(lines_of(text)), re.M
    )
    assert len(rows) == 14
    for op, what, kind, says in rows:
        annot, told = MACHINES[text].grounding(Op(op))
        assert (annot.what, annot.interaction.value if annot.interaction else "") == (what, kind)
        assert told == says.replace('\\"', '"')


def test_each_text_has_an_operation_the_other_has_not() -> None:
    with pytest.raises(ValueError, match="expand is no operation of this text"):
        anamnesis.grounding(Op.EXPAND)
    with pytest.raises(ValueError, match="holdReply is no operation of this text"):
        recollect.grounding(Op.HOLD_REPLY)


def test_each_operation_of_a_text_says_what_it_does_in_words() -> None:
    for machine, foreign in ((anamnesis, Op.EXPAND), (recollect, Op.HOLD_REPLY)):
        told = {op: machine.grounding(op) for op in Op if op is not foreign}
        assert len(told) == 14
        for annot, words in told.values():
            assert (annot.what == "interaction") == (annot.interaction is not None)
            assert len(words.split()) >= 3
