"""Buffers hold what the client holds, in each position encoding."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from anamnesis_lsp.server.buffers import (
    Buffers,
    Encoding,
    path_of,
    selected_lines,
    split_lines,
    to_code_points,
    to_units,
)

ENCODINGS: list[Encoding] = ["utf-8", "utf-16", "utf-32"]
text_of_lines = st.text(st.sampled_from("ab😋é中\u2028\x0c\r\n\x85"), max_size=30)


def units(text: str, encoding: Encoding) -> int:
    name = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}[encoding]
    return len(text.encode(name)) // {"utf-8": 1, "utf-16": 2, "utf-32": 4}[encoding]


@given(text_of_lines)
def test_lines_are_the_protocols_and_lose_nothing(text: str) -> None:
    lines = split_lines(text)
    assert "".join(lines) == text
    assert len(lines) == len(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"))


@given(st.text(st.sampled_from("ab😋é中"), max_size=12), st.sampled_from(ENCODINGS), st.integers(0, 40))
def test_columns_go_there_and_back(line: str, encoding: Encoding, column: int) -> None:
    inside = min(column, len(line))
    assert to_units(line, column, encoding) == units(line[:inside], encoding)
    assert to_code_points(line + "\n", to_units(line, column, encoding), encoding) == inside
    assert to_code_points(line + "\r\n", 10_000, encoding) == len(line)


@given(text_of_lines, text_of_lines, st.sampled_from(ENCODINGS), st.data())
def test_an_edit_gives_the_text_the_client_has(text: str, new: str, encoding: Encoding, data: st.DataObject) -> None:
    lines = split_lines(text)
    places: list[tuple[int, types.Position]] = []
    start = 0
    for number, line in enumerate(lines):
        content = line.rstrip("\r\n")
        for column in range(len(content) + 1):
            places.append((start + column, types.Position(number, units(content[:column], encoding))))
        start += len(line)
    first, last = sorted(
        (data.draw(st.sampled_from(range(len(places)))), data.draw(st.sampled_from(range(len(places)))))
    )
    buffers = Buffers()
    buffers.encoding = encoding
    buffers.open("file:///x", "python", 1, text)
    change = types.TextDocumentContentChangePartial(types.Range(places[first][1], places[last][1]), new)
    changed = buffers.change("file:///x", 2, [change])
    assert changed is not None
    assert changed.text == text[: places[first][0]] + new + text[places[last][0] :]


def test_positions_past_the_end_are_clamped_and_not_changed() -> None:
    buffers = Buffers()
    buffers.open("file:///x", "python", 1, "ab\ncd")
    end = types.Position(99, 99)
    changed = buffers.change("file:///x", 2, [types.TextDocumentContentChangePartial(types.Range(end, end), "!")])
    assert changed is not None and changed.text == "ab\ncd!"
    assert end == types.Position(99, 99)


def test_a_reversed_edit_inserts_and_an_unknown_document_is_ignored() -> None:
    buffers = Buffers()
    buffers.open("file:///x", "python", 1, "abc")
    change = types.TextDocumentContentChangePartial(types.Range(types.Position(0, 2), types.Position(0, 1)), "-")
    changed = buffers.change("file:///x", 2, [change])
    assert changed is not None and changed.text == "ab-c"
    assert buffers.change("file:///y", 2, [change]) is None


def test_a_document_is_found_however_its_uri_is_encoded() -> None:
    buffers = Buffers()
    buffers.open("file:///a%20b%3A.py", "python", 1, "x")
    assert buffers.get("file:///a b:.py") is not None


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        ((0, 0), (0, 0), (1, 1)),
        ((3, 2), (3, 9), (4, 4)),
        ((0, 0), (1, 0), (1, 1)),
        ((0, 0), (2, 1), (1, 3)),
        ((2, 0), (5, 0), (3, 5)),
        ((5, 0), (2, 0), (6, 3)),
    ],
)
def test_a_range_that_ends_at_column_0_leaves_that_line_out(
    start: tuple[int, int], end: tuple[int, int], expected: tuple[int, int]
) -> None:
    assert selected_lines(types.Range(types.Position(*start), types.Position(*end))) == expected


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///a/b%20c.py", "/a/b c.py"),
        ("file:///a/%C3%A9%23.py", "/a/é#.py"),
        ("file://localhost/a", "/a"),
        ("file://elsewhere/a", None),
        ("untitled:Untitled-1", None),
        ("vscode-notebook-cell:/a", None),
        ("anamnesis:///recall/r.md", None),
        ("file:///a%00b", None),
        ("http://[", None),
        ("", None),
    ],
)
def test_only_local_files_have_a_path(uri: str, path: str | None) -> None:
    assert path_of(uri) == (None if path is None else Path(path))
