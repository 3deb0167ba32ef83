"""Our own diff: what it maps is equal, in order, and nothing that could be mapped trivially is lost."""

from __future__ import annotations

import random
import time

from hypothesis import given, settings
from hypothesis import strategies as st

from anamnesis_lsp.records.git import LineMap, editor_lines, matching_blocks
from anamnesis_lsp.records.git.linemap import git_numbers

TEXTS = st.lists(st.sampled_from(["", "a", "b", "c", "}", "return x", "def f():"]), max_size=40)


@given(TEXTS, TEXTS)
@settings(max_examples=300, deadline=None)
def test_blocks_are_equal_runs_that_rise_on_both_sides(new: list[str], old: list[str]) -> None:
    here = there = 0
    for a, b, length in matching_blocks(new, old):
        assert length > 0 and a >= here and b >= there
        assert new[a : a + length] == old[b : b + length]
        here, there = a + length, b + length


@given(TEXTS, st.data())
@settings(max_examples=200, deadline=None)
def test_insertions_alone_lose_no_line(old: list[str], data: st.DataObject) -> None:
    new = list(old)
    for _ in range(data.draw(st.integers(0, 5))):
        new.insert(data.draw(st.integers(0, len(new))), "inserted")
    mapping = LineMap.between(new, old)
    assert [line for line in mapping.exact[1:] if line] == list(range(1, len(old) + 1))
    assert list(LineMap.between(old, old).exact[1:]) == list(range(1, len(old) + 1))


@given(st.text(alphabet="ab\r\n\u2028\x0c", max_size=40))
@settings(max_examples=300, deadline=None)
def test_git_counts_line_feeds_the_editor_every_end(text: str) -> None:
    lines, numbers = editor_lines(text), git_numbers(text)
    assert len(lines) == len(numbers)
    assert numbers == sorted(numbers)
    if numbers:
        assert numbers[0] == 1
        assert numbers[-1] == text.count("\n") + (not text.endswith("\n"))


def test_an_edited_line_keeps_a_likely_origin_but_no_committed_one() -> None:
    mapping = LineMap.between(["def f():", "    return retries + 2", "x"], ["def f():", "    return retries + 1", "x"])
    assert mapping.committed(2) is None and mapping.edited_from(2) == 2
    assert mapping.committed_range(1, 2) == (1, 2)
    assert mapping.committed(99) is None and mapping.committed_range(99, 99) is None


def test_a_line_that_is_like_nothing_has_no_origin() -> None:
    mapping = LineMap.between(["a", "completely other", "c"], ["a", "0123456789", "c"])
    assert mapping.edited_from(2) is None


def test_twenty_thousand_lines_with_many_edits_are_mapped_quickly() -> None:
    old = [f"line {n % 7000} of {n % 13}" if n % 5 else "" for n in range(20_000)]
    new = list(old)
    for n in range(0, 20_000, 37):
        new[n] = f"edited {n}"
    begin = time.perf_counter()
    mapping = LineMap.between(new, old)
    assert time.perf_counter() - begin < 3.0
    assert sum(1 for line in mapping.exact[1:] if line) > 19_000


def test_texts_that_share_only_repeated_lines_end_in_bounded_time() -> None:
    begin = time.perf_counter()
    LineMap.between(["a", "b"] * 15_000, ["b", "b", "a"] * 10_000)
    assert time.perf_counter() - begin < 5.0


def test_lines_of_megabytes_are_compared_in_bounded_time() -> None:
    old, new = ["aB" * 40_000 + str(n) for n in range(30)], ["aBc" * 40_000 + str(n) for n in range(30)]
    begin = time.process_time()
    mapping = LineMap.between(new, old)
    assert time.process_time() - begin < 3.0
    assert [line for line in mapping.likely[1:] if line] == list(range(1, 31))


@given(st.integers(0, 10_000))
@settings(max_examples=25, deadline=None)
def test_long_texts_with_few_edits_lose_no_line_that_was_not_touched(seed: int) -> None:
    draw = random.Random(seed)
    old = [draw.choice(("", "}", "    return", f"line {draw.randrange(900)}", f"line {n}")) for n in range(2_000)]
    new = list(old)
    kept = len(old)
    for _ in range(draw.randrange(30)):
        at = draw.randrange(len(new))
        if draw.random() < 0.5:
            new[at : at + 3] = [f"new {draw.random()}"]
        else:
            new.insert(at, f"new {draw.random()}")
    blocks = matching_blocks(new, old)
    here = there = 0
    for a, b, length in blocks:
        assert a >= here and b >= there and new[a : a + length] == old[b : b + length]
        here, there = a + length, b + length
    kept = sum(1 for line in new if not line.startswith("new "))
    assert sum(length for _, _, length in blocks) >= kept - 3
