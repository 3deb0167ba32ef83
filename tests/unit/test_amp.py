"""Amp's threads. Fixtures built from FORMATS section 10; a real thread is in ``tests/stores``."""

from __future__ import annotations

from pathlib import Path

from anamnesis_lsp.records.conversations.amp import Amp
from tests.builders.amp import Thread
from tests.builders.copilot import write
from tests.builders.reading import Read, read_all, read_one


def read(tmp_path: Path, thread: Thread, **fields: object) -> Read:
    return read_one("amp", write(tmp_path / f"{thread.id}.json", thread.document(**fields)))


def test_the_person_the_assistant_and_where_it_began(tmp_path: Path) -> None:
    found = read(tmp_path, Thread().person("Plan it").assistant("A plan"), title="A plan for it")
    assert found.said == [("person", "Plan it"), ("assistant", "A plan")]
    head = found.head
    assert (head.cwds, head.branches, head.remotes) == (["/home/dev/app"], ["main"], ["https://github.com/dev/app"])
    assert head.head_commits == ["6be354d80ba6ad3af3e22c2e1a0d8e93da1577fa"] and head.version == "0.0.1"
    assert (head.title, head.title_from) == ("A plan for it", "assistant")
    handle = found.handle(["/home/dev/app"])
    assert handle.command == f"cd /home/dev/app && amp threads continue {found.source.id}"
    assert handle.note == f"On the web: https://ampcode.com/threads/{found.source.id}"
    assert found.handle().command == f"amp threads continue {found.source.id}"


def test_an_edit_is_what_the_results_diff_shows(tmp_path: Path) -> None:
    diff = "```diff\nIndex: a.py\n--- a.py\n+++ a.py\n@@ -1,2 +1,2 @@\n x\n-y\n+z\n```"
    thread = Thread().person("Go").tool("create_file", {"path": "/a.py", "content": "x\nz"}, diff=diff)
    thread.tool("edit_file", {"path": "/b.py", "old_str": "1\n2", "new_str": "1\n3"}, "error")
    thread.tool("edit_file", {"path": "/c.py", "old_str": "1", "new_str": "2"}, "rejected-by-user")
    thread.tool("edit_file", {"path": "/d.py", "old_str": "1", "new_str": "2"}, None)
    thread.tool("edit_file", {"path": "/e.py", "old_str": "1", "new_str": "2"}, success=False)
    found = read(tmp_path, thread)
    assert [outcome for _, outcome in found.outcomes] == ["applied", "failed", "rejected", "unconfirmed", "failed"]
    assert [(edit.written, edit.removed) for edit in found.edits[:2]] == [("z", "y"), ("3", "2")]
    assert not found.edits[0].whole_file


def test_an_edit_that_was_undone_is_told_so(tmp_path: Path) -> None:
    thread = Thread().tool("edit_file", {"path": "/a", "old_str": "1", "new_str": "2"})
    thread.tool("edit_file", {"path": "/a", "old_str": "2", "new_str": "3"}).tool("undo_edit", {"path": "/a"})
    assert [outcome for _, outcome in read(tmp_path, thread).outcomes] == ["applied", "undone"]


def test_a_commit_in_bash(tmp_path: Path) -> None:
    thread = Thread().tool("Bash", {"cmd": "git commit -m Add", "cwd": "/home/dev/app"}, output="[main 1234567] Add")
    assert read(tmp_path, thread).commits == [("1234567", "Add")]


def test_a_folder_holds_threads_and_other_files_are_none(tmp_path: Path) -> None:
    write(tmp_path / "T-1.json", Thread("T-1").person("a").document())
    write(tmp_path / "settings.json", {})
    assert [one.source.id for one in read_all("amp", tmp_path)] == ["T-1"]


def test_what_is_not_known_is_counted(tmp_path: Path) -> None:
    thread = Thread().person("Go")
    thread.messages.append({"role": "tool", "content": []})
    thread.messages.append({"role": "assistant", "content": [{"type": "hologram"}, {"type": "thinking"}]})
    assert read(tmp_path, thread).scan.unknown_types == {"message of tool": 1, "content of type hologram": 1}


def test_where_threads_are_kept(tmp_path: Path) -> None:
    assert Amp().default_roots({}, tmp_path, None) == [tmp_path / ".local" / "share" / "amp" / "threads"]
    assert Amp().default_roots({"XDG_DATA_HOME": "/d"}, tmp_path, None) == [Path("/d/amp/threads")]
    assert Amp().default_roots({"LOCALAPPDATA": "/l"}, tmp_path, None) == [Path("/l/amp/threads")]
