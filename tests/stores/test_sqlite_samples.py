"""The samples of Goose and Zed, which are scripts, and of Cursor's transcripts; counted by hand once."""

from __future__ import annotations

from pathlib import Path

from tests.stores.samples import counted, loaded, samples
from tests.unit.reading import only, store

TWO = ({"person": 1, "assistant": 1}, dict[str, int](), 0, 0, dict[str, int]())


def test_goose_samples(tmp_path: Path) -> None:
    root = samples("goose")
    loaded(root / "goose.sql", tmp_path / "sessions.db")
    read = only("goose", tmp_path)
    assert counted(read) == TWO and read.source.id == "20250724_2"
    assert read.said == [("person", "inspect the sqlite fixture"), ("assistant", "the sqlite rows are readable")]
    old = only("goose", root / "20250724_1.jsonl")
    assert counted(old) == TWO and old.said == [("person", "Say hello"), ("assistant", "Hello from Goose!")]
    assert old.head.cwds == ["/workspace/demo"]


def test_zed_samples(tmp_path: Path) -> None:
    root = samples("zed")
    loaded(root / "deja-zed.sql", tmp_path / "threads.db")
    found = store("zed", tmp_path)
    assert {name: counted(read) for name, read in found.items()} == {
        "registry-zed-legacy": TWO,
        "registry-zed-modern": TWO,
    }
    assert found["registry-zed-modern"].said == [
        ("person", "where does zed keep its agent threads?"),
        ("assistant", "in threads.db under the data dir"),
    ]
    (tmp_path / "older").mkdir()
    loaded(root / "agentsview-legacy.sql", tmp_path / "older" / "threads.db")
    assert store("zed", tmp_path / "older") == {}


def test_cursor_samples() -> None:
    found = store("cursor", samples("cursor"))
    assert {name: counted(read) for name, read in found.items()} == {
        "claude-mem-cursor-session": ({"person": 2, "assistant": 2}, {}, 0, 0, {}),
        "codeburn-cursor-agent": TWO,
        "deja-registry-cursor": TWO,
    }
    assert found["codeburn-cursor-agent"].said[0] == ("person", "Run a quick smoke test")
