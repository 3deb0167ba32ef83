"""Mutates the contract one place at a time and reports which mutants the tests let live. Run by hand; a few minutes.

    python tests/contract/mutants.py [MODULE ...]        default: anamnesis recollect passing ground types

Operators: comparison replaced, ``and``/``or`` exchanged, ``not`` dropped, a condition made true or false, a statement
dropped, a returned value made None, an argument or a keyword made None, an integer shifted, a slice's bound dropped, an
enum member replaced by a sibling. Docstrings, annotations, imports and the texts of errors are left alone.
"""

from __future__ import annotations

import ast
import copy
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TESTS = ["tests/contract/test_values.py", "tests/contract/test_machines.py", "tests/contract/test_conformance.py"]
COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
}
SIBLINGS = {
    "PERSON": "EXTERNAL",
    "ASSISTANT": "PERSON",
    "EXTERNAL": "PEER",
    "PEER": "INJECTED",
    "INJECTED": "PEER",
    "UNKNOWN": "PERSON",
    "IDENTIFIED": "STOPPED",
    "STOPPED": "IDENTIFIED",
    "PRESENTED": "ASKED",
    "ASKED": "PRESENTED",
    "EXPANSION": "ASKED",
    "ANSWERED": "PRESENTED",
    "CONSTITUTION": "EXTENSION",
    "STOP": "PROCEED",
}


def functions(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            yield node


def is_docstring(stmt: ast.stmt) -> bool:
    return isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Constant)


def variants(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """Every mutation of this one node, named."""
    if isinstance(node, ast.Compare):
        for i, op in enumerate(node.ops):
            new = copy.deepcopy(node)
            new.ops[i] = COMPARISONS[type(op)]()
            yield f"{type(op).__name__} -> {COMPARISONS[type(op)].__name__}", new
    elif isinstance(node, ast.BoolOp):
        yield "and/or", ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
        for i in range(len(node.values)):
            left = [v for j, v in enumerate(node.values) if j != i]
            yield f"operand {i} dropped", left[0] if len(left) == 1 else ast.BoolOp(node.op, left)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield "not dropped", node.operand
    elif isinstance(node, ast.If | ast.IfExp):
        for value in (True, False):
            new = copy.copy(node)
            new.test = ast.Constant(value)
            yield f"condition {value}", new
    elif isinstance(node, ast.Return) and node.value is not None:
        yield "returns None", ast.Return(ast.Constant(None))
    elif isinstance(node, ast.Call):
        for i in range(len(node.args)):
            new = copy.deepcopy(node)
            new.args[i] = ast.Constant(None)
            yield f"argument {i} None", new
        for i, keyword in enumerate(node.keywords):
            new = copy.deepcopy(node)
            new.keywords[i].value = ast.Constant(None)
            yield f"{keyword.arg}=None", new
    elif isinstance(node, ast.Constant) and type(node.value) is int:
        yield "integer + 1", ast.Constant(node.value + 1)
    elif isinstance(node, ast.Slice):
        yield "slice unbounded", ast.Slice()
    elif isinstance(node, ast.Attribute) and node.attr in SIBLINGS:
        yield f"{node.attr} -> {SIBLINGS[node.attr]}", ast.Attribute(node.value, SIBLINGS[node.attr], node.ctx)
    elif isinstance(node, ast.Expr | ast.Raise | ast.For) and not is_docstring(node):
        yield "statement dropped", ast.Pass()


def mutable(function: ast.FunctionDef) -> Iterator[tuple[ast.AST, str, int | None]]:
    """The places of a function's body that may be mutated: parent, field, index. Texts of errors are left alone."""
    stack: list[ast.AST] = [function]
    while stack:
        parent = stack.pop()
        for field, value in ast.iter_fields(parent):
            if field in ("annotation", "returns", "decorator_list", "args") and isinstance(parent, ast.FunctionDef):
                continue
            inside_raise = isinstance(parent, ast.Raise)
            for index, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
                if isinstance(child, ast.AST):
                    yield parent, field, index
                    if not inside_raise and not isinstance(child, ast.JoinedStr):
                        stack.append(child)


def mutants(source: str) -> Iterator[tuple[int, str, str]]:
    """Line, what was done, and the mutated source."""
    tree = ast.parse(source)
    unchanged = ast.unparse(tree)
    for function in functions(tree):
        for parent, field, index in list(mutable(function)):
            value = getattr(parent, field)
            child = value if index is None else value[index]
            if isinstance(parent, ast.Raise):
                continue
            for what, new in variants(child):
                ast.copy_location(new, child)
                if index is None:
                    setattr(parent, field, new)
                else:
                    value[index] = new
                mutated = ast.unparse(ast.fix_missing_locations(tree))
                if mutated != unchanged:
                    yield getattr(child, "lineno", function.lineno), what, mutated
                if index is None:
                    setattr(parent, field, child)
                else:
                    value[index] = child


def survives(copy_of: Path) -> bool:
    """Whether the tests pass on the mutated copy; a mutant that hangs is killed by the clock."""
    environ = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "ANAMNESIS_SHARED": str(ROOT.parent / "shared")}
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *TESTS]
    try:
        run = subprocess.run(command, cwd=copy_of, env=environ, capture_output=True, timeout=120, check=False)
    except subprocess.TimeoutExpired:
        return False
    return run.returncode == 0


def main(modules: list[str]) -> None:
    total = lived = 0
    with tempfile.TemporaryDirectory() as folder:
        copy_of = Path(folder)
        for name in ("anamnesis_lsp/__init__.py", "pyproject.toml", "ARCHITECTURE.md"):
            (copy_of / name).parent.mkdir(exist_ok=True)
            shutil.copy(ROOT / name, copy_of / name)
        shutil.copytree(ROOT / "anamnesis_lsp/contract", copy_of / "anamnesis_lsp/contract")
        shutil.copytree(ROOT / "tests/contract", copy_of / "tests/contract")
        if not survives(copy_of):
            sys.exit("the tests fail without a mutation")
        for module in modules:
            path = copy_of / f"anamnesis_lsp/contract/{module}.py"
            source = path.read_text(encoding="utf-8")
            for line, what, mutated in mutants(source):
                path.write_text(mutated, encoding="utf-8")
                total += 1
                if survives(copy_of):
                    lived += 1
                    print(f"{module}.py:{line}: {what}", flush=True)
            path.write_text(source, encoding="utf-8")
    print(f"{lived} of {total} mutants lived ({100 * lived / max(total, 1):.1f} %)")


if __name__ == "__main__":
    main(sys.argv[1:] or ["anamnesis", "recollect", "passing", "ground", "types"])
