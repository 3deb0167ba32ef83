"""Cline: classic tasks and sessions of the SDK. Fixtures built from FORMATS section 8."""

from __future__ import annotations

from pathlib import Path

import pytest

from anamnesis_lsp.records.conversations.cline import Cline
from anamnesis_lsp.records.conversations.cline_words import calls_in, pieces_of
from tests.builders.cline import Task, said, session
from tests.builders.copilot import write
from tests.builders.reading import read_all, read_one

APP = "/home/dev/app"
SAVED = 'The content was successfully saved to {}.\n\n<final_file_content path="a">\n<feedback>no</feedback>\n'
DENIED = "The user denied this operation and provided the following feedback:\n<feedback>\nUse a lock\n</feedback>"
BLOCK = "------- SEARCH\nx\ny\n=======\nx\nz\n+++++++ REPLACE"


def wrote(path: str, content: str) -> str:
    return f"<write_to_file>\n<path>{path}</path>\n<content>\n{content}\n</content>\n</write_to_file>"


def result(tool: str, target: str, body: str) -> str:
    return f"[{tool} for '{target}'] Result:\n{body}"


def test_what_was_shown_marks_the_persons_words(tmp_path: Path) -> None:
    task = Task().say("text", "Fix the retry").say("api_req_started", {"request": "<task>"}).say("reasoning", "hm")
    task.say("text", "I look").say("text", "I loo", partial=True).say("text", "I look further", partial=False)
    task.ask("followup", {"question": "Which?", "options": ["a", "b"], "selected": "b"}).say(
        "user_feedback", "Not that one"
    )
    task.ask("plan_mode_respond", {"response": "The plan", "selected": ""}).say("checkpoint_created", "abc")
    task.say("completion_result", "DoneHAS_CHANGES").ask("completion_result", "").ask("resume_completed_task")
    task.write_to(tmp_path)
    found = read_one("cline", tmp_path)
    assert found.said == [
        ("person", "Fix the retry"),
        ("assistant", "I look\n\nI look further\n\nWhich?"),
        ("person", "b"),
        ("person", "Not that one"),
        ("assistant", "The plan\n\nDone"),
    ]
    assert found.scan.unknown_types == {} and all(turn.when is not None for turn in found.turns)


def test_words_left_partial_are_kept_where_nothing_replaced_them(tmp_path: Path) -> None:
    task = (
        Task().say("text", "Go").say("text", "I look", partial=True).say("tool", {"tool": "readFile", "path": "a.py"})
    )
    task.write_to(tmp_path)
    found = read_one("cline", tmp_path)
    assert found.said == [("person", "Go"), ("assistant", "I look")] and found.turns[1].mentions == ("a.py",)


def test_an_edit_shown_has_its_text_and_outcome_from_the_models_conversation(tmp_path: Path) -> None:
    task = Task().say("text", "Go")
    task.say("tool", {"tool": "newFileCreated", "path": "a.py", "content": "x"})
    task.ask("tool", {"tool": "editedExistingFile", "path": "b.py", "content": BLOCK})
    task.ask("tool", {"tool": "editedExistingFile", "path": "c.py", "content": BLOCK})
    task.say("tool", {"tool": "editedExistingFile", "path": "d.py", "content": BLOCK})
    task.user("<task>\nGo\n</task>").native("write_to_file", {"absolutePath": f"{APP}/a.py", "content": "one\n"}, SAVED)
    task.assistant(f"<replace_in_file>\n<path>b.py</path>\n<diff>\n{BLOCK}\n</diff>\n</replace_in_file>")
    task.user(result("replace_in_file", "b.py", DENIED))
    task.assistant(f"<replace_in_file><path>c.py</path><diff>{BLOCK}</diff></replace_in_file>")
    task.user(
        "[replace_in_file for 'c.py'] Result:", "The tool execution failed with the following error:\n<error>x</error>"
    )
    task.write_to(tmp_path)
    found = read_one("cline", tmp_path)
    assert found.outcomes == [
        (f"{APP}/a.py", "applied"),
        ("b.py", "rejected"),
        ("c.py", "failed"),
        ("d.py", "unconfirmed"),
    ]
    assert [(edit.written, edit.removed) for edit in found.edits] == [
        ("one\n", None),
        ("z", "y"),
        ("z", "y"),
        ("z", "y"),
    ]


def test_plain_results_settle_native_calls_too(tmp_path: Path) -> None:
    use = {
        "type": "tool_use",
        "id": "t1",
        "name": "write_to_file",
        "input": {"absolutePath": f"{APP}/a.py", "content": "x"},
    }
    task = Task().user("<task>Go</task>")
    task.messages.append({"role": "assistant", "content": [use]})
    task.user(result("write_to_file", f"{APP}/a.py", SAVED)).write_to(tmp_path)
    assert read_one("cline", tmp_path).outcomes == [(f"{APP}/a.py", "applied")]


def test_the_models_conversation_alone_tells_who_spoke(tmp_path: Path) -> None:
    environment = (
        f'<environment_details>\n# Current Working Directory ({APP}) Files\na.py\n"latestGitCommitHash": "1234567"\n'
    )
    environment += '"associatedRemoteUrls": [\n "origin: https://github.com/dev/app"\n]\n</environment_details>'
    task = Task().user("<task>\nFix it\n</task>", "# task_progress RECOMMENDED\n", environment)
    task.assistant("<thinking>hm</thinking>\nI write.\n" + wrote("a.py", "1\n</content> 2"))
    task.user(result("write_to_file", "a.py", DENIED)).assistant(
        "<ask_followup_question><question>How?</question></ask_followup_question>"
    )
    task.user("[ask_followup_question for 'How?'] Result:", "<answer>\nLike that\n</answer>")
    task.user("[ERROR] You did not use a tool").user(
        "[TASK RESUMPTION] ...\n", "New instructions:\n<user_message>\nGo on\n</user_message>"
    )
    task.write_to(tmp_path)
    found = read_one("cline", tmp_path)
    assert found.said == [
        ("person", "Fix it"),
        ("injected", "# task_progress RECOMMENDED"),
        ("assistant", "I write."),
        ("person", "Use a lock"),
        ("assistant", "How?"),
        ("person", "Like that"),
        ("injected", "[ERROR] You did not use a tool"),
        ("injected", "[TASK RESUMPTION] ..."),
        ("person", "Go on"),
    ]
    assert [(edit.written, edit.outcome.value) for edit in found.edits] == [("1\n</content> 2\n", "rejected")]
    assert (found.head.cwds, found.head.head_commits) == ([APP], ["1234567"])
    assert found.head.remotes == ["https://github.com/dev/app"]


def test_what_the_person_changed_before_saving_is_told(tmp_path: Path) -> None:
    task = Task().say("text", "Go").say("tool", {"tool": "newFileCreated", "path": "a.py", "content": "x"})
    task.say("user_feedback_diff", {"tool": "newFileCreated", "path": "a.py", "diff": "@@ -1 +1 @@\n-x\n+y"})
    task.write_to(tmp_path)
    found = read_one("cline", tmp_path)
    assert [edit.person_changed for edit in found.edits] == [True]
    assert found.said[-1] == ("person", "@@ -1 +1 @@\n-x\n+y")


def test_a_commit_is_what_the_output_shows_and_a_checkpoint_is_none(tmp_path: Path) -> None:
    task = Task().say("text", "Go").say("checkpoint_created", "", lastCheckpointHash="9d27c5a")
    task.ask("command", "git commit -m Add").say("command_output", "[main 1234567] Add").say(
        "command_output", " 1 file"
    )
    task.say("command", "git commit -m Again").say("command_output", "nothing to commit").write_to(tmp_path)
    assert read_one("cline", tmp_path).commits == [("1234567", "Add")]


def test_the_history_names_the_directory_and_the_task_is_opened_there_only(tmp_path: Path) -> None:
    Task("1").say("text", "Fix it").write_to(tmp_path)
    write(tmp_path / "state" / "taskHistory.json", [{"id": "1", "task": "Fix it", "cwdOnTaskInitialization": APP}])
    found = read_one("cline", tmp_path)
    assert found.head.cwds == [APP] and found.turns[0].cwd == APP
    handle = found.handle([APP])
    assert handle.command is None and handle.note is not None and "Fix it" in handle.note


def test_a_session_of_the_sdk(tmp_path: Path) -> None:
    edit = {
        "type": "tool_use",
        "id": "1",
        "name": "editor",
        "input": {"path": "a.py", "old_text": "x\ny", "new_text": "x\nz"},
    }
    failed = {
        "type": "tool_use",
        "id": "2",
        "name": "apply_patch",
        "input": {"input": "*** Begin Patch\n*** Add File: b\n+1\n*** End Patch"},
    }
    commands = {
        "type": "tool_use",
        "id": "3",
        "name": "run_commands",
        "input": {"commands": ["git add .", {"command": "git commit -m Add"}]},
    }
    results = [
        {"type": "tool_result", "tool_use_id": "1", "content": "ok"},
        {"type": "tool_result", "tool_use_id": "2", "content": "no", "is_error": True},
        {"type": "tool_result", "tool_use_id": "3", "content": [{"type": "text", "text": "[main 1234567] Add"}]},
    ]
    messages = [
        said("user", '<user_input mode="act">Fix <mode_notice>now acting</mode_notice>it</user_input>', number=1),
        said("user", "A reminder of the harness", number=2),
        said("assistant", {"type": "thinking", "thinking": "hm"}, "I fix", edit, failed, commands, number=3),
        said("user", *results, number=4),
    ]
    git = {"git": {"url": "git@github.com:dev/app.git", "branch": "topic"}, "title": "Fixing"}
    session(tmp_path, "s1", messages, cwd=APP, started_at="2026-01-01T00:00:00Z", metadata=git)
    found = read_one("cline", tmp_path)
    assert found.said == [("person", "Fix it"), ("injected", "A reminder of the harness"), ("assistant", "I fix")]
    assert found.outcomes == [("a.py", "applied"), ("b", "failed")] and found.edits[0].written == "z"
    assert found.commits == [("1234567", "Add")]
    assert (found.head.branches, found.head.remotes) == (["topic"], ["git@github.com:dev/app.git"])
    assert (found.head.title, found.head.title_from) == ("Fixing", "assistant")
    assert found.handle([APP]).command == f"cd {APP} && cline --id s1"


def test_a_sub_agent_has_its_parents_handle_and_its_prompt_is_not_a_persons(tmp_path: Path) -> None:
    session(tmp_path, "s1", [said("user", "<user_input>Go</user_input>")], cwd=APP)
    child = {
        "version": 1,
        "agent": "subagent",
        "messages": [said("user", "<user_input>Look</user_input>"), said("assistant", "Seen")],
    }
    write(tmp_path / "sessions" / "s1" / "a7.messages.json", child)
    found = {one.source.id: one for one in read_all("cline", tmp_path)}
    assert found["a7"].said == [("assistant", "Look"), ("subagent", "Seen")]
    assert (found["a7"].source.parent_id, found["a7"].source.agent) == ("s1", "subagent")
    handle = found["a7"].handle([APP])
    assert handle.command == f"cd {APP} && cline --id s1" and handle.note is not None and "parent" in handle.note
    (tmp_path / "sessions" / "s1" / "s1.messages.json").unlink()
    assert found["a7"].handle([APP]).command is None


def test_both_generations_lie_in_one_folder(tmp_path: Path) -> None:
    Task("1").say("text", "a").write_to(tmp_path)
    session(tmp_path, "s1", [said("user", "<user_input>b</user_input>")])
    assert {one.source.id for one in read_all("cline", tmp_path)} == {"1", "s1"}
    for root in (tmp_path / "tasks" / "1", tmp_path / "tasks" / "1" / "ui_messages.json"):
        assert [one.source.id for one in read_all("cline", root)] == ["1"]


def test_unknown_kinds_are_counted(tmp_path: Path) -> None:
    Task().say("text", "Go").say("hologram").write_to(tmp_path)
    assert read_one("cline", tmp_path).scan.unknown_types == {"hologram": 1}


def test_the_environment_and_the_editors_move_the_store(tmp_path: Path) -> None:
    reader = Cline()
    there = tmp_path / ".config" / "Cursor" / "User" / "globalStorage" / "saoudrizwan.claude-dev"
    there.mkdir(parents=True)
    assert reader.default_roots({}, tmp_path, None) == [tmp_path / ".cline" / "data", there]
    assert reader.default_roots({"CLINE_DIR": "/c"}, tmp_path, None)[0] == Path("/c/data")
    roots = reader.default_roots({"CLINE_DATA_DIR": "/d", "CLINE_SESSION_DATA_DIR": "/s"}, tmp_path, None)
    assert roots[:2] == [Path("/d"), Path("/s")]


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("<task>a</task>", [("person", "a")]),
        (
            "<environment_details><task>a</task></environment_details>",
            [("injected", "<environment_details><task>a</task></environment_details>")],
        ),
        ("[read_file for 'a'] Result:\nx", [("result", "x")]),
        ("<task>never closed", [("plain", "<task>never closed")]),
    ],
)
def test_the_pieces_of_a_text_block(text: str, kinds: list[tuple[str, str]]) -> None:
    assert [(piece.kind, piece.text) for piece in pieces_of(text)] == kinds


def test_many_unclosed_tags_cost_no_more_than_one() -> None:
    text = "<write_to_file><thinking><task>" * 100_000
    assert calls_in(text) == (text, []) and pieces_of(text)[0].kind == "plain"
