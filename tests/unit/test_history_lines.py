"""Lines across one diff: what touches a range, where it was before, how lines pair, what counts as moved; kinds of
change."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anamnesis_lsp.records.git.history.classify import kind_of, made_here, only_renamed
from anamnesis_lsp.records.git.history.families import Family
from anamnesis_lsp.records.git.history.lines import align, carry, search
from anamnesis_lsp.records.git.history.patches import Change, Patch, compare, parse_patch, span_hunks

OLD = ["first line", "second line", "third line", "fourth line", "fifth line"]


def test_a_patch_is_read_as_git_prints_it() -> None:
    patch = parse_patch(
        b"diff --git a/f b/f\nindex 1..2 100644\n--- a/f\n+++ b/f\n"
        b"@@ -2 +2,2 @@ def x\n-b\n+c\r\n+--- d\n@@ -5,1 +5,0 @@\n-z\n"
        b"\\ No newline at end of file\n"
    )
    assert patch.changes == (Change(2, 2, ("b",), ("c\r", "--- d")), Change(5, 5, ("z",), ()))


def test_a_deletion_touches_a_range_only_between_its_lines() -> None:
    gone = Change(4, 3, ("x",), ())
    assert gone.touches(3, 4)
    assert not gone.touches(1, 3)
    assert not gone.touches(4, 6)
    assert gone.borders(1, 3)


def test_untouched_lines_are_shifted() -> None:
    patch = compare(OLD, ["new line here", *OLD])
    assert patch.before(4) == 3
    carried = carry(patch, 3, 5, ["new line here", *OLD])
    assert carried is not None
    assert (carried.start, carried.end, carried.kept) == (2, 4, 1.0)


def test_a_changed_line_pairs_with_the_one_it_is_like() -> None:
    change = Change(
        1, 1, ("alpha = compute(1)", "omega = other()"), ("something else entirely!", "alpha = compute(1, 2)")
    )
    assert align(change) == [(2, 1)]


def test_what_was_between_two_kept_lines_belongs_to_the_range_before() -> None:
    new = [OLD[0], OLD[4]]
    carried = carry(compare(OLD, new), 1, 2, new)
    assert carried is not None
    assert (carried.start, carried.end) == (1, 5)


def test_lines_that_a_long_stretch_parts_go_with_the_larger_side() -> None:
    between = [f"unrelated statement {n}" for n in range(60)]
    new = ["shared head line", "kept body one", "kept body two"]
    old = ["shared head line", *between, "kept body one", "kept body two"]
    carried = carry(compare(old, new), 1, 3, new)
    assert carried is not None
    assert (carried.start, carried.end) == (62, 63)


def test_new_lines_are_not_carried() -> None:
    new = [*OLD[:2], "brand new statement()", *OLD[2:]]
    assert carry(compare(OLD, new), 3, 3, new) is None


LINES = st.lists(st.sampled_from(["alpha one", "beta two", "gamma three", "}", ""]), max_size=12)


@given(LINES, LINES)
def test_a_comparison_rebuilds_the_new_text(old: list[str], new: list[str]) -> None:
    rebuilt: list[str] = []
    at = 0
    for change in compare(old, new).changes:
        begin = change.old_start - 1 if change.minus else change.old_start
        assert tuple(old[begin : begin + len(change.minus)]) == change.minus
        rebuilt += old[at:begin] + list(change.plus)
        at = begin + len(change.minus)
    assert rebuilt + old[at:] == new


@given(LINES, LINES)
def test_the_hunks_of_a_span_hold_its_change(old: list[str], new: list[str]) -> None:
    hunks = span_hunks(old, 11, new, 101)
    for hunk in hunks:
        minus = [row[1:] for row in hunk.lines if row[0] != "+"]
        plus = [row[1:] for row in hunk.lines if row[0] != "-"]
        assert (len(minus), len(plus)) == (hunk.old_lines, hunk.new_lines)
        if minus:
            assert old[hunk.old_start - 11 :][: len(minus)] == minus
        if plus:
            assert new[hunk.new_start - 101 :][: len(plus)] == plus
    assert bool(hunks) == (old != new)


def test_moved_lines_are_found_by_their_telling_lines() -> None:
    text = ["x", "}", "int total = price * count;", "", "total = discount(total);", "}", "y"]
    found = search(["    int total = price * count;", "    total = discount(total);"], text, 20)
    assert found is not None
    assert (found.start, found.end, found.share) == (3, 5, 1.0)
    assert search(["}", ""], text, 20) is None
    assert search(["int x;"], ["int x;"], 20) is None, "too short to be recognised"


@pytest.mark.parametrize(
    ("old", "new", "family", "kind"),
    [
        ("f(a, b);", "f(a,\n  b);", Family.BRACES, "format"),
        ("f(a);\r\n", "f(a);\n", Family.BRACES, "format"),
        ("f(a);", "f(b);", Family.BRACES, "change"),
        ("f(a); // old", "f(a); // new", Family.BRACES, "comment"),
        ("/* a b */ f();", "// a b\nf();", Family.BRACES, "comment"),
        ('f("a b");', 'f("a  b");', Family.BRACES, "change"),
        ("if x:\n    a()\n    b()", "if x:\n    a()\nb()", Family.PYTHON, "change"),
        ("if x:\n  a()", "if x:\n    a()", Family.PYTHON, "format"),
        ("x = 1  # a", "x = 1  # b", Family.PYTHON, "comment"),
        ("- a\n- b", "-  a\n- b", Family.LINES, "format"),
        ("# a", "# b", Family.LINES, "change"),
        ("a", "a", Family.LINES, None),
    ],
)
def test_kinds_of_change(old: str, new: str, family: Family, kind: str | None) -> None:
    assert kind_of(old, new, family) == kind


def test_a_block_is_only_renamed_when_its_name_is_all_that_changed() -> None:
    assert only_renamed("def f(x):\n  return f(x - 1)", "def g(x):\n  return g(x - 1)", "f", "g", Family.PYTHON)
    assert not only_renamed("def f(x): pass", "def g(y): pass", "f", "g", Family.PYTHON)


def test_a_merge_makes_something_when_it_holds_a_line_no_parent_has() -> None:
    assert not made_here(["a", "b"], [["a"], ["b"]])
    assert made_here(["a", "c"], [["a"], ["b"]])


def test_a_patch_that_leaves_the_range_alone_touches_nothing() -> None:
    assert Patch(()).touching(1, 100) == []


def test_what_the_edge_of_a_range_took_the_place_of_belongs_to_it() -> None:
    old = ["void send(String to)", "{", "    open(to);", "}", "rest of it"]
    new = ["public Answer post(Letter all)", "{", "    open(to);", "}", "rest of it"]
    carried = carry(compare(old, new), 1, 4, new)
    assert carried is not None and (carried.start, carried.end) == (1, 4)
    carried = carry(compare(old, new), 2, 4, new)
    assert carried is not None and (carried.start, carried.end) == (2, 4)
