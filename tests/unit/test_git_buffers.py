"""Maps of open buffers: what splices say agrees with the full diff where it matters, and no process runs."""

from __future__ import annotations

import random
import time

import pytest

from anamnesis_lsp.records.git import LineMap, editor_lines
from anamnesis_lsp.records.git.buffers import Buffers, TextEdit


def offset(text: str, line: int, column: int) -> int:
    lines = text.split("\n")
    return sum(len(part) + 1 for part in lines[:line]) + min(column, len(lines[line]))


def apply(text: str, edit: TextEdit) -> str:
    start = offset(text, edit.start_line, edit.start_column)
    return text[:start] + edit.text + text[offset(text, edit.end_line, edit.end_column) :]


def opened(text: str, committed: str) -> Buffers:
    kept = Buffers()
    kept.mapping(text, "c", lambda: (editor_lines(committed), None))
    return kept


def mapped(kept: Buffers, text: str) -> LineMap:
    return kept.mapping(text, "c", lambda: pytest.fail("a full diff was made"))[0]


def after(committed: str, *edits: TextEdit, text: str | None = None) -> list[int]:
    text = committed if text is None else text
    kept = opened(text, committed)
    for edit in edits:
        was, text = text, apply(text, edit)
        assert kept.edited(was, text, [edit])
    return list(mapped(kept, text).exact[1:])


def test_lines_above_and_below_an_insertion_keep_theirs() -> None:
    assert after("a\nb\nc\n", TextEdit(1, 0, 1, 0, "new\nlines\n")) == [1, 0, 0, 2, 3]
    assert after("a\nb\nc\n", TextEdit(0, 1, 0, 1, "\nx")) == [1, 0, 2, 3]


def test_a_deletion_alone_shifts_what_follows() -> None:
    assert after("a\nb\nc\nd\n", TextEdit(1, 0, 3, 0, "")) == [1, 4]


def test_a_change_typed_back_is_committed_again() -> None:
    assert after("a\nbcd\ne\n", TextEdit(1, 1, 1, 2, "X")) == [1, 0, 3]
    assert after("a\nbcd\ne\n", TextEdit(1, 1, 1, 2, "X"), TextEdit(1, 1, 1, 2, "c")) == [1, 2, 3]
    assert after("a\nb\nc\n", TextEdit(0, 0, 2, 0, ""), TextEdit(0, 0, 0, 0, "a\nb\n")) == [1, 2, 3]


def test_the_end_of_the_text_with_and_without_a_line_end() -> None:
    assert after("a\nb", TextEdit(1, 1, 1, 1, "\n")) == [1, 2]
    assert after("a\nb", TextEdit(1, 1, 1, 1, "\n"), TextEdit(2, 0, 2, 0, "c")) == [1, 2, 0]
    assert after("a\nb\n", TextEdit(1, 1, 2, 0, "")) == [1, 2]
    assert after("a\n", TextEdit(0, 0, 1, 0, "")) == []


def test_random_edits_map_no_line_to_another_text_and_lose_none_outside_what_was_touched() -> None:
    rng = random.Random(5)
    for _ in range(60):
        committed = "".join(f"line {n} {rng.randrange(4)}\n" for n in range(40))
        text, kept, touched = committed, opened(committed, committed), set[str]()
        for _ in range(15):
            lines = text.split("\n")
            start = rng.randrange(len(lines))
            end = min(len(lines) - 1, start + rng.choice((0, 0, 0, 1, 3)))
            edit = TextEdit(
                start,
                a := rng.randrange(len(lines[start]) + 1),
                end,
                rng.randrange(a if end == start else 0, len(lines[end]) + 1),
                rng.choice(("", "x", "new\n", "\n", "y\nz", lines[rng.randrange(len(lines))] + "\n")),
            )
            touched.update(lines[start : end + 1])
            was, text = text, apply(text, edit)
            assert kept.edited(was, text, [edit])
        mapping, there = mapped(kept, text), editor_lines(committed)
        lines = editor_lines(text)
        assert len(mapping.exact) == len(lines) + 1
        origins = [line for line in mapping.exact[1:] if line]
        assert origins == sorted(set(origins))
        for number, line in enumerate(lines, 1):
            origin = mapping.committed(number)
            assert origin is None or there[origin - 1] == line
        lost = set(range(1, 41)) - set(origins)
        assert {there[line - 1] for line in lost} <= touched


def test_an_edit_of_twenty_thousand_lines_is_a_matter_of_microseconds() -> None:
    committed = "".join(f"line {n} of the text\n" for n in range(20_000))
    text, kept = committed, opened(committed, committed)
    spent = 0.0
    for number in range(100):
        edit = TextEdit(number * 150, 0, number * 150, 0, "inserted\n")
        was, text = text, apply(text, edit)
        begin = time.perf_counter()
        assert kept.edited(was, text, [edit])
        spent += time.perf_counter() - begin
    assert spent / 100 < 0.005


def test_what_cannot_be_carried_on_is_made_anew() -> None:
    kept = opened("a\nb\n", "a\nb\n")
    assert not kept.edited("another text", "x", [])
    was = "a\nb\n"
    assert not kept.edited(was, "a\r\nb\n", [TextEdit(0, 1, 0, 1, "\r")])
    made, count = kept.mapping("a\nnew\nb\n", "c", lambda: (["a", "b"], None))
    assert count == 3 and list(made.exact[1:]) == [1, 0, 2]
