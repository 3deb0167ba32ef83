"""Roo Code and its forks. Fixtures built from FORMATS section 8."""

from __future__ import annotations

import json
from pathlib import Path

from anamnesis_lsp.records.conversations.roo import Roo
from tests.builders.cline import Task
from tests.builders.copilot import write
from tests.builders.reading import read_all, read_one

APP = "/home/dev/app"
DIFF = "<<<<<<< SEARCH\n:start_line:1\n-------\nx\ny\n=======\nx\nz\n>>>>>>> REPLACE"


def test_the_history_item_names_the_workspace_and_the_task(tmp_path: Path) -> None:
    Task("1").say("text", "Fix it").write_to(tmp_path, workspace=APP, task="Fix it")
    found = read_one("roo", tmp_path)
    assert (found.head.cwds, found.head.title, found.head.title_from) == ([APP], "Fix it", "first turn")
    assert found.handle([APP]).command is None


def test_a_task_that_a_task_made_begins_with_the_assistants_words(tmp_path: Path) -> None:
    Task("1").say("text", "Go").write_to(tmp_path, task="Go")
    Task("2").say("text", "Do the part").say("user_feedback", "Careful").write_to(tmp_path, parentTaskId="1", task="Do")
    Task("3").user("<task>Only this is left</task>").write_to(tmp_path, parentTaskId="1")
    found = {one.source.id: one for one in read_all("roo", tmp_path)}
    assert found["2"].said == [("assistant", "Do the part"), ("person", "Careful")]
    assert found["3"].said == [("assistant", "Only this is left")]
    assert (found["2"].source.parent_id, found["2"].source.agent) == ("1", "sub-task")


def test_edits_by_diff_and_by_file(tmp_path: Path) -> None:
    task = (
        Task()
        .user("<task>Go</task>")
        .native("apply_diff", {"path": "a.py", "diff": DIFF}, '{"path":"a.py","operation":"modified"}')
    )
    task.native("write_to_file", {"path": "b.py", "content": "1\n"}, '{"path":"b.py","operation":"created"}')
    task.native(
        "search_replace", {"file_path": "c.py", "old_string": "1", "new_string": "2"}, "Unable to apply diff to file"
    )
    task.native(
        "edit_file", {"file_path": "d.py", "old_string": "1", "new_string": "2"}, "The user denied this operation."
    )
    task.write_to(tmp_path)
    found = read_one("roo", tmp_path)
    assert [outcome for _, outcome in found.outcomes] == ["applied", "applied", "failed", "rejected"]
    assert [(edit.written, edit.whole_file) for edit in found.edits[:2]] == [("z", False), ("1\n", False)]


def test_a_commit_is_what_the_output_shows_and_a_checkpoint_is_none(tmp_path: Path) -> None:
    task = Task().say("text", "Go").say("checkpoint_saved", "9d27c5a" * 5, checkpoint={"suppressMessage": True})
    task.ask("command", "git commit -m Add").say("command_output", "[main 1234567] Add\n 1 file changed")
    task.ask("command", "git commit -m Again").say("command_output", "nothing to commit").write_to(tmp_path)
    assert read_one("roo", tmp_path).commits == [("1234567", "Add")]


def test_an_edit_as_shown(tmp_path: Path) -> None:
    Task().say("text", "Go").ask("tool", {"tool": "appliedDiff", "path": "a.py", "diff": DIFF}).write_to(tmp_path)
    (edit,) = read_one("roo", tmp_path).edits
    assert (edit.written, edit.removed, edit.outcome.value) == ("z", "y", "unconfirmed")


def test_a_condensed_context_is_nobodys_words(tmp_path: Path) -> None:
    Task("1").say("text", "Go").say("condense_context", "", contextCondense={"summary": "So far"}).write_to(tmp_path)
    Task("2").user("<task>Go</task>").assistant("So far", isSummary=True).write_to(tmp_path)
    for found in read_all("roo", tmp_path):
        assert found.said == [("person", "Go"), ("injected", "So far")]


def test_a_setting_moves_the_tasks_and_forks_are_found(tmp_path: Path) -> None:
    user = tmp_path / ".config" / "Code" / "User"
    settings = '{\n // mine\n "roo-cline.customStoragePath": ' + json.dumps(str(tmp_path / "moved")) + "\n}"
    write(user / "settings.json", settings.encode())
    fork = user / "globalStorage" / "kilocode.kilo-code"
    fork.mkdir(parents=True)
    assert Roo().default_roots({}, tmp_path, None) == [tmp_path / "moved", fork]
