from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anamnesis_lsp.index.lines import hashes, line_hash, normalise, numbered


@pytest.mark.parametrize(
    "line",
    [
        "",
        "   ",
        "}",
        "});",
        "return nil",
        "\treturn err",
        "if err != nil {",
        "x = 1",
        "-----------",
        "else:",
        "a, b, c",
    ],
)
def test_a_line_that_anybody_could_have_written_has_no_normalised_form(line: str) -> None:
    assert normalise(line) is None


def test_indentation_and_inner_white_space_do_not_matter() -> None:
    assert normalise("\t\tretries  =   backoff(attempt)") == normalise("retries = backoff(attempt)\r")


@pytest.mark.parametrize("prefix", ["12→", "   12→\t", "3|", " 1045|  "])
def test_the_line_number_of_a_tools_output_is_removed(prefix: str) -> None:
    assert normalise(prefix + "retries = backoff(attempt)") == "retries = backoff(attempt)"


@pytest.mark.parametrize("line", ["do_it(a, b)", "id_a_of_b = 1", "- 値を確認する", "a+b+c+d == e"])
def test_four_letters_anywhere_are_enough(line: str) -> None:
    assert normalise(line) == line


def test_a_leading_number_that_is_code_stays() -> None:
    assert normalise("12 + compute(total)") == "12 + compute(total)"


def test_a_removed_prefix_may_leave_a_trivial_line() -> None:
    assert normalise("14→}") is None


def test_the_hash_is_fixed_for_all_time() -> None:
    assert line_hash("retries = backoff(attempt)") == 4322889548358935192


def test_each_line_is_hashed_once_in_order() -> None:
    text = "first_line(1)\nsecond_line(2)\n  first_line(1)\n}\n"
    assert hashes(text) == [line_hash("first_line(1)"), line_hash("second_line(2)")]
    assert [number for number, _ in numbered(text.split("\n"))] == [1, 2, 3]


@given(st.text(max_size=200))
def test_normalising_twice_changes_nothing_unless_numbers_are_nested(line: str) -> None:
    once = normalise(line)
    if once is not None and not once[0].isdigit():
        assert normalise(once) == once
        assert -(2**63) <= line_hash(once) < 2**63
