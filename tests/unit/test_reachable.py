"""What the readings reach: kept values, sources by id, a refresh that fails."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from anamnesis_lsp.cancel import Cancelled, CancelToken, never
from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.index import Catalog
from anamnesis_lsp.readings.reachable import Kept, Reachable, silent
from anamnesis_lsp.records.conversations.stores import Store
from tests.builders.claude import Transcript, session


def test_the_least_recently_used_value_goes_first() -> None:
    kept, made = Kept(2), []

    def make(value: str) -> str:
        made.append(value)
        return value

    for key in ("a", "b", "a", "c", "a", "b"):
        assert kept.get(key, lambda key=key: make(key)) == key
    assert made == ["a", "b", "c", "b"], "b was used least recently when c came"
    kept.clear()
    kept.get("a", lambda: make("a"))
    assert made[-1] == "a" and len(made) == 5


def test_a_value_that_two_ask_for_at_a_time_is_made_once() -> None:
    kept, made, begun, go = Kept(4), [], threading.Event(), threading.Event()

    def slowly() -> int:
        begun.set()
        go.wait(10)
        made.append(1)
        return len(made)

    got: list[int] = []
    threads = [threading.Thread(target=lambda: got.append(kept.get("key", slowly))) for _ in range(2)]
    threads[0].start()
    assert begun.wait(10)
    threads[1].start()
    go.set()
    for thread in threads:
        thread.join(10)
    assert got == [1, 1] and made == [1]


def test_a_value_that_could_not_be_made_is_asked_for_again() -> None:
    kept = Kept(1)
    with pytest.raises(ZeroDivisionError):
        kept.get("key", lambda: 1 // 0)
    assert kept.get("key", lambda: 3) == 3


@pytest.fixture
def store(tmp_path: Path) -> Store:
    for number in (1, 2):
        Transcript(session(number)).person(f"Words number {number}.").write_to(tmp_path / "claude", "-app")
    return Store.at("claude-code", tmp_path / "claude")


def test_a_conversation_that_the_catalog_does_not_know_is_found_in_its_store(store: Store, tmp_path: Path) -> None:
    catalog = Catalog.open(tmp_path / "index.sqlite3")
    reachable = Reachable(catalog, given=True)
    found = reachable.source(store, session(2), never())
    assert found.id == session(2) and found.path.exists() and found.root == store.root
    with pytest.raises(AnamnesisError) as raised:
        reachable.source(store, session(9), never())
    assert raised.value.code is ErrorCode.RECORD_GONE
    catalog.close()


def test_a_conversation_that_changed_since_it_was_captured_is_read_as_it_lies_there(
    store: Store, tmp_path: Path
) -> None:
    catalog = Catalog.open(tmp_path / "index.sqlite3")
    reachable = Reachable(catalog, given=True)
    reachable.refresh([store], never(), silent)
    before = reachable.source(store, session(1), never())
    with before.path.open("a", encoding="utf-8") as file:
        file.write('{"type": "summary", "summary": "More"}\n')
    after = reachable.source(store, session(1), never())
    assert after.path == before.path and after.parts[0].size > before.parts[0].size
    catalog.close()


def test_a_refresh_that_is_cancelled_forgets_what_was_listed(store: Store, tmp_path: Path) -> None:
    catalog = Catalog.open(tmp_path / "index.sqlite3")
    reachable = Reachable(catalog, given=True)
    cancel = CancelToken()
    cancel.cancel()
    with pytest.raises(Cancelled):
        reachable.refresh([store], cancel, silent)
    assert reachable.source(store, session(1), never()).id == session(1)
    catalog.close()
