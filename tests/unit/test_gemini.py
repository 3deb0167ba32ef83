"""Gemini CLI: logs to be replayed and old sessions, built from ``formats/FORMATS.md`` section 3."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from anamnesis_lsp.records.conversations.gemini import Gemini
from tests.builders.gemini import PROJECT, SESSION, call, head, log, message, project, session_log
from tests.unit.reading import only, store

HOME = Path("/home/dev")


def test_default_root_is_dot_gemini_of_the_home_or_of_the_given_one() -> None:
    assert Gemini().default_roots({}, HOME, None) == [HOME / ".gemini"]
    assert Gemini().default_roots({"GEMINI_CLI_HOME": "/data"}, HOME, None) == [Path("/data/.gemini")]


def test_a_message_that_comes_again_replaces_itself(tmp_path: Path) -> None:
    session_log(
        project(tmp_path),
        message("u1", "user", "Why a lock?"),
        message("g1", "gemini", "Thinking"),
        message("g1", "gemini", "Because of two writers.", model="gemini-2.5-pro"),
    )
    read = only("gemini", tmp_path / ".gemini")
    assert read.said == [("person", "Why a lock?"), ("assistant", "Because of two writers.")]
    assert read.turns[1].name == "gemini-2.5-pro" and read.turns[0].native_id == "u1"
    assert read.source.id == SESSION and read.head.cwds == [PROJECT]


def test_what_was_rewound_is_kept_and_named_so(tmp_path: Path) -> None:
    session_log(
        project(tmp_path),
        message("u1", "user", "First"),
        message("u2", "user", "Wrong way"),
        message("g2", "gemini", "Done wrong"),
        {"$rewindTo": "u2"},
        message("u3", "user", "Right way"),
    )
    read = only("gemini", tmp_path / ".gemini")
    assert [text for _, text in read.said] == ["First", "Wrong way", "Done wrong", "Right way"]
    assert [turn.name for turn in read.turns] == [None, "rewound", "model (rewound)", None]


def test_an_unknown_rewind_target_drops_all_and_set_replaces_all(tmp_path: Path) -> None:
    session_log(
        project(tmp_path),
        message("u1", "user", "One"),
        {"$rewindTo": "nowhere"},
        message("u2", "user", "Two"),
        {
            "$set": {
                "messages": [message("u2", "user", "Two, again"), message("u3", "user", "Three")],
                "summary": "Locks",
            }
        },
    )
    read = only("gemini", tmp_path / ".gemini")
    assert [(turn.text, turn.name) for turn in read.turns] == [
        ("One", "rewound"),
        ("Two, again", None),
        ("Three", None),
    ]
    assert (read.head.title, read.head.title_from) == ("Locks", "assistant")


def test_whose_words_a_user_message_holds(tmp_path: Path) -> None:
    session_log(
        project(tmp_path),
        message("1", "user", [{"text": "expanded @a.py\n--- content ---"}], displayContent=[{"text": "See @a.py"}]),
        message("2", "user", "/chat save x"),
        message("3", "user", "?"),
        message("4", "user", [{"text": "<session_context>\ntoday\n</session_context>"}]),
        message("5", "user", "<hook_context>x</hook_context>"),
        message("6", "user", [{"functionResponse": {"response": {"output": "x"}}}]),
        message("7", "user", ""),
        message("8", "info", "Update available"),
    )
    said = only("gemini", tmp_path / ".gemini").said
    assert [text for speaker, text in said if speaker == "person"] == ["See @a.py"]
    assert [speaker for speaker, _ in said].count("injected") == 5


def test_edits_by_outcome_and_by_what_the_result_shows(tmp_path: Path) -> None:
    old = {"file_path": "a.py", "old_string": "c\nx", "new_string": "c\ny"}
    display = {"filePath": f"{PROJECT}/b.py", "originalContent": "c\nx\n", "newContent": "c\nz\n"}
    stat = {"diffStat": {"user_added_lines": 1}}
    calls = [
        call("replace", old),
        call("replace", old, "error"),
        call("replace", old, "cancelled"),
        call("replace", old, "executing"),
        call("write_file", {"file_path": "b.py", "content": "c\nw\n"}, resultDisplay={**display, **stat}),
        call(
            "write_file",
            {"file_path": "n.py", "content": "n\n"},
            resultDisplay={"originalContent": None, "newContent": "n\n"},
        ),
        call("read_file", {"file_path": "seen.py"}),
    ]
    session_log(project(tmp_path), message("g", "gemini", "", toolCalls=calls))
    read = only("gemini", tmp_path / ".gemini")
    assert read.edits == [
        ("a.py", "y", "applied"),
        ("a.py", "y", "failed"),
        ("a.py", "y", "rejected"),
        ("a.py", "y", "unconfirmed"),
        (f"{PROJECT}/b.py", "z", "applied"),
        ("n.py", "n", "applied"),
    ]
    turn = read.turns[0]
    assert turn.edits[4].person_changed and not turn.edits[5].whole_file and turn.mentions == ("seen.py",)


def test_a_commit_is_read_from_labelled_output_only_where_it_succeeded(tmp_path: Path) -> None:
    good = "Command: git commit\nDirectory: (root)\nStdout: [main abc1234] Add it\nStderr: (empty)\nExit Code: 0"
    bad = good.replace("abc1234", "bad1234").replace("Exit Code: 0", "Exit Code: 1")
    command = {"command": "git commit -m 'Add it'"}
    calls = [call("run_shell_command", command, output=good), call("run_shell_command", command, output=bad)]
    session_log(project(tmp_path), message("g", "gemini", "", toolCalls=calls))
    assert only("gemini", tmp_path / ".gemini").commits == [("abc1234", "Add it")]


def test_the_log_that_goes_on_from_an_old_session_is_read_alone(tmp_path: Path) -> None:
    chats = project(tmp_path)
    old = chats / f"session-2026-02-01T09-00-{SESSION[:8]}.json"
    old.write_text(json.dumps({**head(), "messages": [message("u1", "user", "Old")]}))
    assert only("gemini", tmp_path / ".gemini").said == [("person", "Old")]
    session_log(chats, message("u1", "user", "Old"), message("u2", "user", "New"))
    assert [text for _, text in only("gemini", tmp_path / ".gemini").said] == ["Old", "New"]


def test_an_old_session_that_was_torn_gives_what_it_holds(tmp_path: Path) -> None:
    text = json.dumps({**head(), "messages": [message("u1", "user", "Whole"), message("u2", "user", "Torn")]})
    (project(tmp_path) / "session-x.json").write_text(text[: text.index("Torn")])
    read = only("gemini", tmp_path / ".gemini")
    assert read.said == [("person", "Whole")] and read.scan.incomplete_tail


def test_recovery_copies_logs_and_checkpoints_are_no_sessions(tmp_path: Path) -> None:
    chats = project(tmp_path)
    session_log(chats, message("u1", "user", "Go"))
    for name in ("../logs.json", "session-x.jsonl.unreadable-1", "session-x.tmp-77.jsonl", "../checkpoints/c.json"):
        (chats / name).parent.mkdir(exist_ok=True)
        (chats / name).write_text("[]")
    assert set(store("gemini", tmp_path / ".gemini")) == {SESSION}


def test_a_sub_agents_prompt_is_its_parents(tmp_path: Path) -> None:
    chats = project(tmp_path)
    session_log(chats, message("u1", "user", "Go"))
    log(
        chats / SESSION / "agent-1.jsonl",
        head("agent-1", kind="subagent"),
        message("1", "user", "Look"),
        message("2", "gemini", "Seen"),
    )
    read = store("gemini", tmp_path / ".gemini")["agent-1"]
    assert read.said == [("assistant", "Look"), ("subagent", "Seen")] and read.source.parent_id == SESSION
    assert f"gemini --resume {SESSION}" in (read.handle([PROJECT]).command or "")


def test_the_project_is_told_by_the_registry_and_by_a_hash(tmp_path: Path) -> None:
    (tmp_path / ".gemini").mkdir()
    (tmp_path / ".gemini" / "projects.json").write_text(
        json.dumps({"projects": {"/w/named": "named", "/w/hashed": "h"}})
    )
    hashed = hashlib.sha256(b"/w/hashed").hexdigest()
    for number, slug in enumerate(("named", hashed)):
        chats = project(tmp_path, slug)
        (chats.parent / ".project_root").unlink()
        session_log(chats, message("u", "user", "Go"), session=f"{number}" * 8 + SESSION[8:], directories=["/w/added"])
    assert sorted(read.head.cwds for read in store("gemini", tmp_path / ".gemini").values()) == [
        ["/w/hashed", "/w/added"],
        ["/w/named", "/w/added"],
    ]


def test_a_handle_works_only_in_the_project(tmp_path: Path) -> None:
    session_log(project(tmp_path), message("u1", "user", "Go"))
    read = only("gemini", tmp_path / ".gemini")
    assert read.handle([PROJECT]).command == f"cd {PROJECT} && gemini --resume {SESSION}"
    assert read.handle([]).command is None and "works only there" in (read.handle([]).note or "")


def test_typed_prompts_are_checked_against_logs_json(tmp_path: Path) -> None:
    chats = project(tmp_path)
    listed = [{"sessionId": SESSION, "messageId": 0, "type": "user", "message": "Listed", "timestamp": "x"}]
    (chats.parent / "logs.json").write_text(json.dumps(listed))
    session_log(chats, message("1", "user", "Listed"), message("2", "user", "Not listed"))
    assert only("gemini", tmp_path / ".gemini").scan.unverified_person_turns == 1


def test_what_is_not_known_is_counted(tmp_path: Path) -> None:
    session_log(project(tmp_path), {"$new": 1}, message("1", "hologram", "x"), message("2", "user", "Go"))
    assert only("gemini", tmp_path / ".gemini").scan.unknown_types == {"(a record of no known shape)": 1, "hologram": 1}
