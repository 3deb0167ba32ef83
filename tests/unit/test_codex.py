"""Codex: rollouts built from ``formats/FORMATS.md`` section 2 (no public sample is paginated, compressed or forked)."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from anamnesis_lsp.cancel import never
from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.records.conversations.codex import Codex
from tests.builders import zstd
from tests.builders.codex import Rollout, patch, thread
from tests.unit.reading import only, store

HOME = Path("/home/dev")


def rollout_read(tmp_path: Path, rollout: Rollout):
    rollout.write_to(tmp_path)
    return only("codex", tmp_path)


def test_default_root_is_codex_home_or_dot_codex() -> None:
    assert Codex().default_roots({}, HOME, None) == [HOME / ".codex"]
    assert Codex().default_roots({"CODEX_HOME": "/data/codex"}, HOME, None) == [Path("/data/codex")]


@pytest.mark.parametrize("paginated", [False, True])
def test_each_prompt_and_reply_is_told_once(tmp_path: Path, paginated: bool) -> None:
    rollout = Rollout(paginated=paginated).prompt("Fix it").reply("Done.").prompt("Fix it").reply("Done.")
    read = rollout_read(tmp_path, rollout)
    assert read.said == [("person", "Fix it"), ("assistant", "Done.")] * 2
    assert read.head.title == "Fix it" and read.head.title_from == "first turn"
    assert read.turns[0].native_id and read.turns[0].offset is not None


def test_injected_messages_are_never_the_persons(tmp_path: Path) -> None:
    rollout = (
        Rollout().message("developer", "You are Codex").message("user", "<user_instructions>x</user_instructions>")
    )
    rollout.message("user", "# AGENTS.md instructions for /app\n\n<INSTRUCTIONS>\nbe terse\n</INSTRUCTIONS>")
    rollout.prompt("Go").message("user", "<subagent_notification>done</subagent_notification>")
    read = rollout_read(tmp_path, rollout)
    assert [text for speaker, text in read.said if speaker == "person"] == ["Go"]
    assert [speaker for speaker, _ in read.said].count("injected") == 4


def test_without_events_a_prompt_behind_an_envelope_is_the_persons(tmp_path: Path) -> None:
    text = "<environment_context>\n<cwd>/app</cwd>\n</environment_context>\n\nRename the flag"
    read = rollout_read(tmp_path, Rollout().message("user", text).message("user", "<skill>\nnever ends"))
    assert [text for speaker, text in read.said if speaker == "person"] == ["Rename the flag"]


def test_parts_say_who_wrote_them(tmp_path: Path) -> None:
    rollout = Rollout()
    parts = [{"type": "input_text", "text": "ctx"}, {"type": "input_text", "text": "<skill>mine</skill>"}]
    kinds = {"content_item_kinds": ["context.skill", "user.text"]}
    rollout.item("message", role="user", content=parts, internal_chat_message_metadata_passthrough=kinds)
    assert rollout_read(tmp_path, rollout).said == [("injected", "ctx"), ("person", "<skill>mine</skill>")]


def test_the_editors_context_is_taken_off_a_prompt(tmp_path: Path) -> None:
    text = "# Context from my IDE setup:\n\n## Open tabs:\n- a.py\n\n## My request for Codex:\nWhy is this here?"
    assert rollout_read(tmp_path, Rollout().prompt(text)).said == [("person", "Why is this here?")]


def test_a_script_is_no_person(tmp_path: Path) -> None:
    read = rollout_read(tmp_path, Rollout(source="exec").prompt("Review the diff"))
    assert read.said == [("injected", "Review the diff")] and read.turns[0].name == "codex exec"


def test_a_prompt_that_is_sent_again_after_an_abort_is_told_once(tmp_path: Path) -> None:
    rollout = Rollout().prompt("Go").event("turn_aborted", reason="interrupted").prompt("Go").reply("Ok")
    assert rollout_read(tmp_path, rollout).said == [("person", "Go"), ("assistant", "Ok")]


SPELLINGS = {
    "custom tool": lambda r: r.custom_patch(patch("a.py", "x", "y")),
    "function with input": lambda r: r.output(r.call("apply_patch", input=patch("a.py", "x", "y")), "Success. Updated"),
    "function with patch": lambda r: r.output(r.call("apply_patch", patch=patch("a.py", "x", "y")), "Done!"),
    "argument list": lambda r: r.output(
        r.call("shell", command=["apply_patch", patch("a.py", "x", "y")]),
        json.dumps({"output": "Success.", "metadata": {"exit_code": 0}}),
    ),
    "heredoc": lambda r: r.output(
        r.call("shell", command=["bash", "-lc", f"apply_patch <<'EOF'\n{patch('a.py', 'x', 'y')}\nEOF"]),
        "Exit code: 0\nWall time: 1 seconds\nOutput:\nSuccess.",
    ),
}


@pytest.mark.parametrize("spelling", sorted(SPELLINGS))
def test_a_patch_in_every_spelling_is_one_applied_edit_of_new_lines(tmp_path: Path, spelling: str) -> None:
    rollout = Rollout().prompt("Go")
    SPELLINGS[spelling](rollout)
    assert rollout_read(tmp_path, rollout).edits == [("a.py", "y", "applied")]


def test_a_patch_that_failed_or_was_refused_or_has_no_result_says_so(tmp_path: Path) -> None:
    rollout = Rollout().prompt("Go")
    rollout.custom_patch(patch("a.py", "x", "1"), "apply_patch verification failed: no match")
    rollout.output(rollout.call("apply_patch", input=patch("a.py", "x", "2")), "patch rejected by user")
    rollout.custom_patch(patch("a.py", "x", "3"), None)
    outcomes = [outcome for _, _, outcome in rollout_read(tmp_path, rollout).edits]
    assert outcomes == ["failed", "rejected", "unconfirmed"]


def test_the_record_of_the_application_is_preferred(tmp_path: Path) -> None:
    rollout = Rollout().prompt("Go")
    call = rollout.custom_patch(patch("a.py", "x", "y"), None)
    changes = {
        "/home/dev/app/a.py": {"type": "update", "unified_diff": "@@ -1,2 +1,2 @@\n c\n-x\n+y\n", "move_path": None},
        "/home/dev/app/new.py": {"type": "add", "content": "one\ntwo\n"},
        "/home/dev/app/old.py": {"type": "delete", "content": "gone\n"},
    }
    rollout.event("patch_apply_end", call_id=call, success=True, changes=changes, status="completed")
    rollout.item("custom_tool_call_output", call_id=call, output="Success.")
    read = rollout_read(tmp_path, rollout)
    assert read.edits == [
        ("/home/dev/app/a.py", "y", "applied"),
        ("/home/dev/app/new.py", "one\ntwo", "applied"),
        ("/home/dev/app/old.py", "", "applied"),
    ]
    assert read.turns[1].edits[2].removed == "gone"


def test_a_declined_file_change_is_rejected_and_one_of_code_mode_is_told(tmp_path: Path) -> None:
    rollout = Rollout(paginated=True).prompt("Go")
    rollout.item("custom_tool_call", name="exec", input="await tools.apply_patch(…)", call_id="c1")
    item = {"type": "FileChange", "id": "f1", "changes": {"/a.py": {"type": "add", "content": "n\n"}}}
    rollout.event("item_completed", item={**item, "status": "completed"})
    rollout.event("item_completed", item={**item, "id": "f2", "status": "declined"})
    assert rollout_read(tmp_path, rollout).edits == [("/a.py", "n", "applied"), ("/a.py", "n", "rejected")]


def test_a_file_change_confirms_the_patch_of_the_same_files_whatever_its_id(tmp_path: Path) -> None:
    rollout = Rollout(paginated=True).prompt("Go")
    rollout.custom_patch(patch("src/a.py", "x", "y"), None)
    listed = [{"path": "/home/dev/app/src/a.py", "kind": {"type": "update"}, "diff": "@@ -1 +1 @@\n-x\n+y\n"}]
    rollout.event("item_completed", item={"type": "FileChange", "id": "other", "changes": listed})
    assert rollout_read(tmp_path, rollout).edits == [("/home/dev/app/src/a.py", "y", "applied")]


def test_a_commit_needs_exit_0_and_its_line_in_the_output(tmp_path: Path) -> None:
    rollout = Rollout().prompt("Commit")
    rollout.shell("git commit -m 'Add it'", "[main abc1234] Add it\n 1 file changed")
    rollout.shell("git commit -m 'Refused'", "hook failed\n[main bad0000] Refused", code=1)
    rollout.shell("git commit -m 'Kept' && git push", "[main def5678] Kept\n! [rejected]", code=1)
    rollout.shell("git log --oneline", "abc1234 Add it")
    assert rollout_read(tmp_path, rollout).commits == [("abc1234", "Add it"), ("def5678", "Kept")]


def test_a_commit_told_by_call_and_by_item_is_one(tmp_path: Path) -> None:
    rollout = Rollout(paginated=True).prompt("Commit").shell("git commit -m S", "[main abc1234] S")
    item = {"type": "CommandExecution", "id": "x", "command": ["bash", "-lc", "git commit -m S"], "exit_code": 0}
    rollout.event("item_completed", item={**item, "aggregated_output": "[main abc1234] S\n"})
    rollout.event("item_completed", item={**item, "aggregated_output": "[main fed4321] T\n", "cwd": "/home/dev/app"})
    assert rollout_read(tmp_path, rollout).commits == [("abc1234", "S"), ("fed4321", "T")]


def test_a_commit_of_a_process_in_the_background_is_found_when_it_ends(tmp_path: Path) -> None:
    rollout = Rollout().prompt("Go")
    first = rollout.call("exec_command", cmd="git commit -m S")
    rollout.output(first, "Wall time: 10 seconds\nProcess running with session ID 7\nOutput:\nhooks …")
    rollout.output(
        rollout.call("write_stdin", session_id=7, chars=""), "Process exited with code 0\nOutput:\n[main abc1234] S"
    )
    assert rollout_read(tmp_path, rollout).commits == [("abc1234", "S")]


def test_where_it_ran_and_from_which_commit(tmp_path: Path) -> None:
    git = {"commit_hash": "f" * 40, "branch": "feature", "repository_url": "git@example.org:a/b.git"}
    rollout = Rollout(git=git).prompt("Go").turn(cwd="/home/dev/other").reply("There")
    head = rollout_read(tmp_path, rollout).head
    assert (head.head_commits, head.branches, head.remotes) == (["f" * 40], ["feature"], ["git@example.org:a/b.git"])
    assert head.cwds == ["/home/dev/app", "/home/dev/other"] and head.version == "0.150.0"


def test_compressed_rollouts_are_read_and_the_plain_one_is_preferred(tmp_path: Path) -> None:
    Rollout(1).prompt("Packed").write_to(tmp_path, name=Rollout(1).name + ".zst")
    Rollout(2).prompt("Stale copy").write_to(tmp_path, name=Rollout(2).name + ".zst")
    Rollout(2).prompt("Plain").write_to(tmp_path)
    found = store("codex", tmp_path)
    assert found[thread(1)].said == [("person", "Packed")] and found[thread(1)].turns[0].offset is None
    assert found[thread(2)].said == [("person", "Plain")] and len(found[thread(2)].source.parts) == 1


def test_a_torn_compressed_rollout_gives_what_it_holds(tmp_path: Path) -> None:
    rollout = Rollout()
    for number in range(2000):
        rollout.prompt(f"Prompt {number} {hash((number, 'x'))}")
    path = rollout.write_to(tmp_path, name=rollout.name + ".zst")
    path.write_bytes(path.read_bytes()[: path.stat().st_size * 2 // 3])
    read = only("codex", tmp_path)
    assert read.turns and read.scan.incomplete_tail


def test_without_the_library_a_compressed_rollout_is_told_as_unreadable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Rollout().prompt("Packed").write_to(tmp_path, name=Rollout().name + ".zst")
    monkeypatch.setitem(sys.modules, zstd.LIBRARY, None)
    (source,) = Codex().sources(tmp_path, never())
    with pytest.raises(AnamnesisError) as caught:
        list(Codex().read(source, never()))
    assert caught.value.code is ErrorCode.STORE_UNREADABLE and "pip install backports.zstd" in caught.value.remedy


def test_a_reverted_thread_is_one_conversation_of_two_rollouts(tmp_path: Path) -> None:
    Rollout(1).prompt("First").write_to(tmp_path)
    later = Rollout(1, history_base={"thread_id": thread(1), "end_ordinal_exclusive": 2}).prompt("Again")
    later.write_to(tmp_path, name=f"rollout-2026-03-02T10-00-00-{thread(1)}_r2.jsonl")
    read = only("codex", tmp_path)
    assert read.said == [("person", "First"), ("person", "Again")] and len(read.source.parts) == 2


def test_a_fork_holds_what_is_its_own(tmp_path: Path) -> None:
    parent = Rollout(1).turn("t1").prompt("Shared").reply("Yes").turn("t2")
    parent.write_to(tmp_path)
    fork = Rollout(2, forked_from_id=thread(1))
    fork.lines += parent.lines
    fork.turn("t3").prompt("Mine").write_to(tmp_path)
    found = store("codex", tmp_path)
    assert found[thread(2)].said == [("person", "Mine")] and found[thread(2)].source.parent_id is None
    assert found[thread(1)].said == [("person", "Shared"), ("assistant", "Yes")]


def test_a_fork_whose_parent_is_gone_is_read_whole(tmp_path: Path) -> None:
    fork = Rollout(2, forked_from_id=thread(1)).prompt("Shared").prompt("Mine")
    assert [text for _, text in rollout_read(tmp_path, fork).said] == ["Shared", "Mine"]


def test_a_sub_agents_prompt_is_its_parents_and_its_handle_too(tmp_path: Path) -> None:
    Rollout(1).prompt("Go").write_to(tmp_path)
    spawn = {"subagent": {"thread_spawn": {"parent_thread_id": thread(1), "depth": 1, "agent_role": "explorer"}}}
    Rollout(2, source=spawn, parent_thread_id=thread(1)).prompt("Look around").reply("Seen").write_to(tmp_path)
    read = store("codex", tmp_path)[thread(2)]
    assert read.said == [("assistant", "Look around"), ("subagent", "Seen")]
    assert (read.source.parent_id, read.source.agent) == (thread(1), "explorer")
    assert read.handle(["/home/dev/app"]).command == f"cd /home/dev/app && codex resume {thread(1)}"


def test_handles_follow_the_directory(tmp_path: Path) -> None:
    read = rollout_read(tmp_path, Rollout().prompt("Go"))
    there, away = read.handle(["/home/dev/app"]), read.handle([])
    assert there.command == f"cd /home/dev/app && codex resume {thread(1)}" and "CODEX_HOME" in (there.note or "")
    assert away.command == f"codex resume {thread(1)}" and "not there any more" in (away.note or "")


def test_an_archived_thread_says_how_to_get_it_back(tmp_path: Path) -> None:
    Rollout().prompt("Go").write_to(tmp_path, "archived_sessions")
    assert f"codex unarchive {thread(1)}" in (only("codex", tmp_path).handle().note or "")


def test_typed_prompts_are_checked_against_the_list(tmp_path: Path) -> None:
    rollout = Rollout().prompt("Listed").prompt("Not listed")
    (tmp_path / "history.jsonl").write_text(json.dumps({"session_id": rollout.id, "ts": 1, "text": "Listed"}) + "\n")
    assert rollout_read(tmp_path, rollout).scan.unverified_person_turns == 1
    Rollout(2).prompt("Other").write_to(tmp_path)
    assert store("codex", tmp_path)[thread(2)].scan.unverified_person_turns is None


def test_a_given_name_is_the_title(tmp_path: Path) -> None:
    rollout = Rollout().prompt("Go")
    names = [{"id": rollout.id, "thread_name": "Old"}, {"id": rollout.id, "thread_name": "Lock file"}]
    (tmp_path / "session_index.jsonl").write_text("".join(json.dumps(name) + "\n" for name in names))
    head = rollout_read(tmp_path, rollout).head
    assert (head.title, head.title_from) == ("Lock file", "person")


def test_the_bare_form_of_before_0_32(tmp_path: Path) -> None:
    lines = [
        {"id": thread(1), "timestamp": "2025-07-01T10:00:00Z", "instructions": None, "git": {"commit_hash": "a" * 40}},
        {"record_type": "state"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Old times"}]},
        {
            "type": "function_call",
            "name": "shell",
            "call_id": "c",
            "arguments": '{"command":["git","commit","-m","S"]}',
        },
        {
            "type": "function_call_output",
            "call_id": "c",
            "output": '{"output":"[main abc1234] S","metadata":{"exit_code":0}}',
        },
    ]
    path = tmp_path / "sessions" / f"rollout-2025-07-01T10-00-00-{thread(1)}.jsonl"
    path.parent.mkdir()
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    read = only("codex", tmp_path)
    assert read.said[0] == ("person", "Old times") and read.commits == [("abc1234", "S")]
    assert read.head.head_commits == ["a" * 40] and not read.scan.unknown_types


def test_answers_to_questions_are_the_persons(tmp_path: Path) -> None:
    rollout = Rollout().prompt("Go")
    call = rollout.call("request_user_input", questions=[{"id": "q", "question": "Which lock?"}])
    rollout.output(call, json.dumps({"answers": {"q": {"answers": ["The file lock"]}}}))
    assert rollout_read(tmp_path, rollout).said[1:] == [("assistant", "Which lock?"), ("person", "The file lock")]


def test_what_is_not_known_is_counted_and_hides_nothing(tmp_path: Path) -> None:
    rollout = Rollout().record("holo_item", x=1).event("new_event").item("new_item").raw("not json").prompt("Go")
    scan = rollout_read(tmp_path, rollout).scan
    assert scan.unknown_types == {"holo_item": 1, "event_msg new_event": 1, "response_item new_item": 1}
    assert scan.skipped_lines == 1


def test_the_output_grammar_of_exec_json_is_told_as_no_rollout(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    path.write_text('{"type":"thread.started","thread_id":"x"}\n{"type":"turn.started"}\n')
    assert "(not a Codex rollout)" in only("codex", path).scan.unknown_types
