"""Documents read item by item: whatever their size, order and state."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anamnesis_lsp.cancel import Cancelled, CancelToken, never
from anamnesis_lsp.records.conversations import json_items
from anamnesis_lsp.records.conversations.json_items import JsonItems

values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=12), st.just('\\"[{'), st.just("\\\\")),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=4), inner, max_size=3)),
    max_leaves=10,
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("documents")


def items(
    folder: Path, data: bytes, at_once: int = -1, most: int = 1 << 20
) -> tuple[list[tuple[str, object]], JsonItems]:
    path = folder / "x.json"
    path.write_bytes(data)
    document = JsonItems(path, never(), lists=("l",), at_once=at_once, max_value=most)
    return list(document), document


@given(st.lists(values, max_size=5), values, st.booleans(), st.sampled_from([1, 3, 1 << 18]))
def test_following_a_document_gives_what_parsing_it_gives(
    folder: Path, listed: list[object], other: object, indented: bool, chunk: int
) -> None:
    data = json.dumps({"a": other, "l": listed, "b": other}, indent=2 if indented else None).encode()
    expected = [("a", other), *(("l", item) for item in listed), ("b", other)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_items, "_CHUNK", chunk)
        followed, document = items(folder, b"\0\0" + data + b"\0\n")
    assert followed == expected and (document.skipped, document.incomplete) == (0, False)
    assert items(folder, data, at_once=1 << 20)[0] == expected


@given(st.lists(values, max_size=4), st.data())
def test_a_cut_document_gives_its_beginning_and_says_so(
    folder: Path, listed: list[object], data: st.DataObject
) -> None:
    whole = json.dumps({"l": listed}).encode()
    at = data.draw(st.integers(0, len(whole) - 1))
    found, document = items(folder, whole[:at])
    assert [item for _, item in found] == listed[: len(found)]
    assert document.incomplete and not document.skipped


@given(st.binary(max_size=60))
def test_any_bytes_are_read(folder: Path, data: bytes) -> None:
    items(folder, data)
    found, document = items(folder, b'{"l": [1, ' + data)
    assert found[:1] == [("l", 1)] or (not data[:1].strip() and document.incomplete)


def test_one_broken_item_hides_no_other(folder: Path) -> None:
    found, document = items(folder, b'{"l": [1, {"a" 2}, "x", nul, {"b": [3]}], "z": tru, "y": 4}')
    assert found == [("l", 1), ("l", "x"), ("l", {"b": [3]}), ("y", 4)] and document.skipped == 3


def test_an_item_past_the_bound_is_counted_and_not_held(folder: Path) -> None:
    long = json.dumps({"text": '\\"]}' * 400})
    found, document = items(folder, f'[1, {long}, "{"x" * 900}", 2]'.encode(), most=500)
    assert found == [("", 1), ("", 2)] and document.skipped == 2


@pytest.mark.parametrize(("data", "skipped", "incomplete"), [(b"12", 1, False), (b"", 0, True), (b"[] x", 1, False)])
def test_what_is_no_document(folder: Path, data: bytes, skipped: int, incomplete: bool) -> None:
    _, document = items(folder, data)
    assert (document.skipped, document.incomplete) == (skipped, incomplete)


def test_lone_surrogates_and_a_mark_are_cleaned(folder: Path) -> None:
    assert items(folder, b'\xef\xbb\xbf["\\ud800"]')[0] == [("", "�")]


def test_it_can_be_cancelled(folder: Path) -> None:
    path = folder / "x.json"
    path.write_bytes(b"[1]")
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        list(JsonItems(path, token))
