"""A store of very many conversations is searched without holding it."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest

from anamnesis_lsp.cancel import never
from anamnesis_lsp.index import Catalog
from anamnesis_lsp.readings import capture
from anamnesis_lsp.readings.corpus import Titles, rarity
from anamnesis_lsp.readings.reachable import Reachable
from anamnesis_lsp.records.conversations.stores import Store
from tests.builders.claude import Transcript, session

MANY = 1200
MOST_EACH = 1600
"""Bytes held of a conversation between two recalls: its row, its title's words."""


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Store]:
    folder = tmp_path_factory.mktemp("many")
    text = Transcript(session(1), cwd="/home/ada/app").person("Number NNNN: rename it.").assistant("Renamed it.").bytes
    projects = folder / "claude" / "projects" / "-home-ada-app"
    projects.mkdir(parents=True)
    for n in range(MANY):
        one = text.replace(session(1).encode(), session(n + 2).encode()).replace(b"NNNN", str(n).encode())
        (projects / f"{session(n + 2)}.jsonl").write_bytes(one)
    store = Store.at("claude-code", folder / "claude")
    Catalog.open(folder / "index.sqlite3").refresh([store], never())
    return folder / "index.sqlite3", store


def test_little_is_held_of_each(many: tuple[Path, Store]) -> None:
    index, store = many
    reachable = Reachable(Catalog.open(index), given=True)
    reachable.catalog.records([store])  # what is made once is made
    tracemalloc.start()
    try:
        corpus = reachable.corpus([store], never())
        list(capture.receipts(reachable, corpus, []))
        for row in list(corpus.rows.values())[:20]:
            assert reachable.source(store, row.key.id, never()).path == row.path
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(corpus.rows) == MANY
    assert held / MANY < MOST_EACH


def test_nothing_is_held_of_an_older_state_of_the_index(many: tuple[Path, Store]) -> None:
    index, store = many
    reachable = Reachable(Catalog.open(index), given=True)
    before = reachable.corpus([store], never())
    reachable.renew()
    assert reachable.corpus([store], never()) is not before
    kept = reachable._corpora  # pyright: ignore[reportPrivateUsage]
    assert len(kept._values) == 1  # pyright: ignore[reportPrivateUsage]


def test_a_conversation_that_is_as_it_was_captured_is_found_without_a_look_at_its_store(
    many: tuple[Path, Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    index, store = many
    reachable = Reachable(Catalog.open(index), given=True)
    row = reachable.catalog.records([store])[5]
    listed = reachable.source(store, row.key.id, never())
    with monkeypatch.context() as patch:
        patch.setattr("anamnesis_lsp.readings.reachable._Sources", None)
        assert reachable.source(store, row.key.id, never()) == listed
    with row.path.open("ab") as file:
        file.write(b"\n")
    changed = reachable.source(store, row.key.id, never())
    assert changed.path == row.path and changed.parts[0].size == listed.parts[0].size + 1


def test_titles_by_their_words_are_as_titles_one_by_one() -> None:
    titles = {7: "Retry the gateway", 3: "", 9: "Rename the gateway of the gateway", 4: "Retry"}
    found = Titles.of(titles).covered(["gateway", "retry", "unknown"])
    assert list(found) == [7, 9, 4]
    retry, gateway = rarity(4, 2), rarity(4, 2)
    assert found[4] == retry / (1 + retry)
    assert found[9] < found[7] and gateway > 0
