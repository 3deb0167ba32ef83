"""The block scanner: spans, names and scopes without a grammar; which selections are a block."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anamnesis_lsp.records.git.history.blocks import Scan, is_one_block, whole_block
from anamnesis_lsp.records.git.history.families import Family, family_of

JAVA = """\
package a;

/** About A. */
public class A<T> {
    static final String[] NAMES = { "}", "{" };

    /**
     * Adds { one.
     */
    @Deprecated
    @SuppressWarnings({"a", "b"})
    public int add(final int x,
                   int y) throws IOException {
        if (x > 0) {
            return '{' + x; // }
        } else {
            run(new Runnable() {
                @Override public void run() { go(); }
            });
        }
        for (int i = 0; i < 3; i++) { y += i; }
        return y;
    }

    public A() { }

    abstract int later(int z);
}
"""

PYTHON = '''\
import os


class Reader:
    """Reads.

def not_a_function(): pass
"""

    @property
    # why
    def size(self,
             unit="b"):
        text = """
dedented
"""
        def inner(): return 1
        return len(text)

    async def close(self): ...


def open_(path):
    return Reader(
        path
    )
'''


def spans(text: str, family: Family) -> dict[str, tuple[int, int, int]]:
    return {".".join((*b.scope, b.name)): (b.top, b.start, b.end) for b in Scan(text, family).blocks}


def test_java_methods_have_the_spans_of_their_braces() -> None:
    assert spans(JAVA, Family.BRACES) == {
        "A<T>": (3, 4, 28),
        "A<T>.add": (7, 12, 23),
        "A<T>.add.<Runnable>.run": (18, 18, 18),
        "A<T>.A": (25, 25, 25),
    }


def test_parameters_are_the_tokens_between_the_parentheses() -> None:
    add = next(b for b in Scan(JAVA, Family.BRACES).blocks if b.name == "add")
    assert add.parameters == ("final", "int", "x", ",", "int", "y")
    assert add.body == 14


def test_python_functions_end_where_their_indentation_does() -> None:
    assert spans(PYTHON, Family.PYTHON) == {
        "Reader": (4, 4, 20),
        "Reader.size": (10, 12, 18),
        "Reader.size.inner": (17, 17, 17),
        "Reader.close": (20, 20, 20),
        "open_": (23, 23, 26),
    }


@pytest.mark.parametrize(
    ("path", "text", "name", "lines"),
    [
        ("a.go", "func (s *Server) Serve(l net.Listener) error {\n\treturn nil\n}\n", "Serve", (1, 3)),
        ("a.rs", "impl A {\n    fn get<'a>(&'a self) -> &'a str {\n        self.x\n    }\n}\n", "get", (2, 4)),
        ("a.ts", "export const load = async (id: string) => {\n  return id;\n};\n", "load", (1, 3)),
        ("a.js", "var t = `{`;\nfunction go(a) {\n  return /[{]/.test(a);\n}\n", "go", (2, 4)),
        ("a.c", "static struct node *find(struct node *n)\n{\n\twhile (n) {\n\t\tn++;\n\t}\n}\n", "find", (1, 6)),
        ("a.cpp", "int A::size() const {\n  return 1;\n}\n", "A::size", (1, 3)),
        ("a.rb", "class A\n  def call(x)\n    x\n  end\nend\n", "call", (2, 4)),
        ("a.lua", "local function go(a)\n  return a\nend\n", "go", (1, 3)),
        ("a.sh", "go() {\n  echo hi\n}\n", "go", (1, 3)),
        ("a.ex", "def go(a),\n  do: a\n", "go", None),
    ],
)
def test_other_languages_need_no_rule_of_their_own(
    path: str, text: str, name: str, lines: tuple[int, int] | None
) -> None:
    found = [(b.start, b.end) for b in Scan(text, family_of(path)).blocks if b.name == name]
    assert found == ([lines] if lines else [])


def test_data_and_markup_have_no_blocks() -> None:
    for path in ("a.md", "a.yaml", "a.json", "a.sql"):
        assert family_of(path) is Family.LINES
    assert Scan("call(x)\n  deeper\n", Family.LINES).blocks == ()


@given(st.text(alphabet="{}()\"'/*#;\n \tabdef:=<>@,`\\", max_size=200))
def test_no_text_breaks_the_scanner(text: str) -> None:
    for family in Family:
        for block in Scan(text, family).blocks:
            assert 1 <= block.top <= block.start <= block.end <= text.count("\n") + 1


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        (12, 23, ("add", False)),
        (7, 23, ("add", True)),
        (12, 22, ("add", False)),
        (12, 24, ("add", False)),
        (14, 16, None),
        (21, 21, None),
        (12, 25, None),
        (7, 9, None),
        (1, 3, None),
    ],
)
def test_a_selection_is_a_block_only_when_it_is_nearly_all_of_it_and_nothing_else(
    start: int, end: int, expected: tuple[str, bool] | None
) -> None:
    chosen = whole_block(Scan(JAVA, Family.BRACES), start, end)
    assert (chosen and (chosen[0].name, chosen[1])) == expected


def test_one_block_closes_on_its_last_line_and_not_before() -> None:
    lines = ["int f() {", "  g();", "}", "int h() {", "}"]
    assert is_one_block(lines, 1, 2, 3, Family.BRACES)
    assert not is_one_block(lines, 1, 2, 5, Family.BRACES)
    python = ["def f():", "    return 1", "", "def g():", "    return 2"]
    assert is_one_block(python, 1, 2, 2, Family.PYTHON)
    assert not is_one_block(python, 1, 2, 5, Family.PYTHON)
