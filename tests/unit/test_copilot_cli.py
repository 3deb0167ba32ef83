"""Copilot CLI: the person's words, edits by their results, commits, sub-agents. Fixtures built from FORMATS 6c."""

from __future__ import annotations

from pathlib import Path

from anamnesis_lsp.records.conversations.copilot_cli import CopilotCli
from anamnesis_lsp.records.conversations.model import EditOutcome
from tests.builders.copilot import EventLog, write
from tests.builders.reading import read_all, read_one

HOME = "/home/dev/app"


def test_only_what_a_person_typed_is_the_persons(tmp_path: Path) -> None:
    log = EventLog().start(cwd=HOME).event("system.message", {"content": "You are Copilot", "role": "system"})
    log.person("why does it hang").person("skill text", source="skill-pdf").person(
        "go on", isAutopilotContinuation=True
    )
    log.person("do a part", source="agent-7").person("a task", parentAgentTaskId="t").event(
        "user.message", {"content": "inner"}, agentId="a1"
    )
    log.event("system.notification", {"content": "agent idle"}).assistant("Because of the lock.")
    log.event("user_input.requested", {"requestId": "q", "question": "Which one?"})
    log.event("user_input.completed", {"requestId": "q", "answer": "the first"})
    found = read_one("copilot-cli", log.write_to(tmp_path).parents[2])
    assert found.said == [
        ("injected", "You are Copilot"),
        ("person", "why does it hang"),
        ("injected", "skill text"),
        ("injected", "go on"),
        ("assistant", "do a part"),
        ("assistant", "a task"),
        ("assistant", "inner"),
        ("injected", "agent idle"),
        ("assistant", "Because of the lock."),
        ("assistant", "Which one?"),
        ("person", "the first"),
    ]
    assert (found.head.title, found.head.title_from) == ("why does it hang", "first turn")


def test_an_edit_is_what_its_result_says(tmp_path: Path) -> None:
    log = EventLog().start(cwd=HOME).person("Go")
    log.tool("create", {"path": "new.py", "file_text": "a\nb\n"}, output="Created file new.py")
    log.tool(
        "edit", {"path": "a.py", "old_str": "x\ny", "new_str": "x\nz"}, detailedContent="@@ -1,2 +1,2 @@\n x\n-y\n+z\n"
    )
    log.tool("str_replace", {"path": "b.py", "old_str": "x", "new_str": "y"}, success=False)
    log.tool("edit", {"path": "c.py", "old_str": "x", "new_str": "y"}, success=None)
    log.tool("apply_patch", "*** Begin Patch\n*** Add File: d.py\n+one\n*** End Patch")
    found = read_one("copilot-cli", log.write_to(tmp_path))
    assert found.outcomes == [
        ("new.py", "applied"),
        ("a.py", "applied"),
        ("b.py", "failed"),
        ("c.py", "unconfirmed"),
        ("d.py", "applied"),
    ]
    new, changed = found.edits[:2]
    assert (new.written, new.whole_file) == ("a\nb\n", False)
    assert (changed.written, changed.removed) == ("z", "y")


def test_a_commit_is_only_what_the_output_shows(tmp_path: Path) -> None:
    log = EventLog().start(cwd=HOME).person("Commit it")
    log.tool("bash", {"command": "git commit -m 'Add it'"}, output="[main 1234567] Add it\n 1 file changed")
    log.tool("bash", {"command": "git commit -m again"}, success=False, output="nothing to commit")
    log.tool("bash", {"command": "cat > notes.md <<EOF\nwhy\nEOF"})
    found = read_one("copilot-cli", log.write_to(tmp_path))
    assert found.commits == [("1234567", "Add it")]
    assert found.outcomes == [("notes.md", "applied")]


def test_the_persons_own_command_is_theirs(tmp_path: Path) -> None:
    log = EventLog().start(cwd=HOME)
    asked = {"toolCallId": "u1", "toolName": "bash", "arguments": {"command": "git commit -m x"}}
    done = {"toolCallId": "u1", "success": True, "isUserRequested": True, "result": {"content": "[main abcdef0] x"}}
    log.event("tool.user_requested", asked).event("tool.execution_complete", done)
    found = read_one("copilot-cli", log.write_to(tmp_path))
    assert found.said == [("person", "!git commit -m x")] and found.commits == [("abcdef0", "x")]


def test_a_sub_agent_speaks_under_its_name(tmp_path: Path) -> None:
    log = EventLog().start(cwd=HOME).person("Look")
    log.event("subagent.started", {"toolCallId": "t9", "agentName": "explore", "agentDisplayName": "E"}, agentId="ag1")
    log.event("assistant.message", {"messageId": "m", "content": "I see", "parentToolCallId": "t9"}, agentId="ag1")
    found = read_one("copilot-cli", log.write_to(tmp_path))
    assert [(turn.speaker.value, turn.name) for turn in found.turns] == [("person", None), ("subagent", "explore")]


def test_what_a_rewind_took_away_is_undone(tmp_path: Path) -> None:
    log = EventLog().start(cwd=HOME).person("One")
    log.tool("edit", {"path": "kept.py", "old_str": "", "new_str": "k"})
    log.event("user.message", {"content": "Two"}, id="two")
    log.tool("edit", {"path": "gone.py", "old_str": "", "new_str": "g"})
    log.event("session.snapshot_rewind", {"upToEventId": "two", "eventsRemoved": 4}).person("Three")
    log.tool("edit", {"path": "after.py", "old_str": "", "new_str": "a"})
    found = read_one("copilot-cli", log.write_to(tmp_path))
    assert found.outcomes == [("kept.py", "applied"), ("gone.py", "undone"), ("after.py", "applied")]


def test_where_it_began_and_what_it_is_called(tmp_path: Path) -> None:
    log = EventLog().start(
        cwd=HOME, gitRoot=HOME, branch="topic", headCommit="3a97d3e01e093f632865982193c9506debda3a87",
        repository="dev/app", repositoryHost="github.example.com",
    ).person("Go")  # fmt: skip
    log.event("session.context_changed", {"cwd": "/home/dev/other", "branch": "main"}).person("More")
    path = log.write_to(tmp_path)
    write(path.with_name("workspace.yaml"), b"id: x\nname: Fix the hang\ncwd: /home/dev/app\n")
    found = read_one("copilot-cli", tmp_path)
    head = found.head
    assert (head.cwds, head.branches) == ([HOME, "/home/dev/other"], ["topic", "main"])
    assert head.remotes == ["https://github.example.com/dev/app"] and head.version == "1.0.85"
    assert head.head_commits == ["3a97d3e01e093f632865982193c9506debda3a87"]
    assert (head.title, head.title_from) == ("Fix the hang", "assistant")
    assert [turn.cwd for turn in found.turns] == [HOME, "/home/dev/other"]
    assert found.handle([HOME]).command == f"cd {HOME} && copilot --resume={log.id}"
    assert found.handle().command == f"copilot --resume={log.id}"


def test_the_id_is_in_the_log_not_in_the_folder_and_a_flat_copy_is_the_same_session(tmp_path: Path) -> None:
    log = EventLog().start(cwd=HOME).person("Go")
    log.write_to(tmp_path, "another-name")
    write(tmp_path / "session-state" / f"{log.id}.jsonl", log.data)
    write(tmp_path / "history-session-state" / "old.jsonl", EventLog("old-1").start().person("Then").data)
    found = read_all("copilot-cli", tmp_path)
    assert [(one.source.id, one.source.path.name) for one in found] == [
        (log.id, "events.jsonl"),
        ("old-1", "old.jsonl"),
    ]


def test_unknown_events_and_lost_lines_are_counted(tmp_path: Path) -> None:
    log = EventLog().start().person("Go").event("session.new_thing").event("session.new_thing")
    log.lines.insert(2, b'{"type": "user.mess')
    found = read_one("copilot-cli", log.write_to(tmp_path))
    assert (found.scan.skipped_lines, found.scan.unknown_types) == (1, {"session.new_thing": 2})
    assert found.handle().command is None


def test_a_copied_event_is_read_once(tmp_path: Path) -> None:
    log = EventLog().start().person("Go").assistant("Yes")
    log.lines += log.lines
    assert read_one("copilot-cli", log.write_to(tmp_path)).speakers == {"person": 1, "assistant": 1}


def test_a_compaction_summary_is_nobodys(tmp_path: Path) -> None:
    log = EventLog().start().event("session.compaction_complete", {"success": True, "summaryContent": "So far: x"})
    (turn,) = read_one("copilot-cli", log.write_to(tmp_path)).turns
    assert (turn.speaker.value, turn.name) == ("injected", "compaction summary")


def test_the_environment_moves_the_store(tmp_path: Path) -> None:
    reader = CopilotCli()
    environ = {"COPILOT_HOME": "/c", "XDG_STATE_HOME": "/s"}
    assert reader.default_roots(environ, tmp_path, None) == [Path("/c"), Path("/s/.copilot"), tmp_path / ".copilot"]
    assert reader.default_roots({}, tmp_path, None) == [tmp_path / ".copilot"]


def test_a_refused_tool_is_rejected(tmp_path: Path) -> None:
    log = EventLog().start().tool("edit", {"path": "a", "old_str": "x", "new_str": "y"}, success=None)
    denied = {"toolCallId": "call-1", "success": False, "error": {"code": "denied", "message": "no"}}
    log.event("tool.execution_complete", denied)
    (edit,) = read_one("copilot-cli", log.write_to(tmp_path)).edits
    assert edit.outcome is EditOutcome.REJECTED
