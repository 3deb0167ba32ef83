"""The samples of opencode: a database, a tree of files, an export, a script; counted by hand once."""

from __future__ import annotations

from pathlib import Path

from tests.builders.databases import snapshot
from tests.stores.samples import counted, loaded, samples
from tests.unit.reading import only

SAMPLES = samples("opencode")
FILE = "/Users/test/project/index.ts"


def test_the_database() -> None:
    before = snapshot(SAMPLES)
    read = only("opencode", SAMPLES / "gitai-opencode.db")
    assert snapshot(SAMPLES) == before
    assert counted(read) == ({"assistant": 1, "subagent": 1}, {"edit applied": 1}, 0, 0, {})
    assert read.said[0] == ("assistant", "Please update index.ts using sqlite transcript data")
    assert read.edits == [(FILE, r'// sqlite path\nconsole.log("sqlite");', "applied")]
    assert read.source.parent_id == "parent-session-456" and read.head.cwds == ["/Users/test/project"]


def test_the_tree_of_files() -> None:
    read = only("opencode", SAMPLES / "gitai-storage")
    assert counted(read) == ({"person": 1, "assistant": 1}, {"edit applied": 1}, 0, 0, {})
    assert read.said[0] == ("person", "Update the comment in index.ts to say 'Hello World'")
    assert read.edits == [(FILE, "// Hello World\nconsole.log('test');", "applied")]


def test_the_export() -> None:
    read = only("opencode", SAMPLES / "letta-export-tool-calls.json")
    assert counted(read) == ({"person": 1, "assistant": 1}, {}, 0, 0, {})
    assert read.source.id == "oc-session-1" and read.head.version == "1.2.21"


def test_a_script_with_few_columns(tmp_path: Path) -> None:
    loaded(SAMPLES / "deja-opencode.sql", tmp_path / "opencode.db")
    read = only("opencode", tmp_path)
    assert counted(read) == ({"person": 1, "assistant": 1}, {}, 0, 0, {})
    assert read.said == [("person", "inspect the sqlite fixture"), ("assistant", "the sqlite rows are readable")]
