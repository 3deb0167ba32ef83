"""Cursor: composers, transcripts and chats, built from ``formats/FORMATS.md`` section 7."""

from __future__ import annotations

import json
from pathlib import Path

from anamnesis_lsp.records.conversations.cursor import Cursor
from anamnesis_lsp.records.conversations.registry import discover_stores
from tests.builders.cursor import (
    FOLDER,
    ITEMS,
    KV,
    START,
    bubble,
    chat,
    composer,
    editor,
    line,
    tool,
    transcript,
    use,
    uuid,
)
from tests.builders.databases import database, in_use, snapshot
from tests.unit.reading import only, store

HOME = Path("/home/dev")


def test_default_roots_by_system_and_by_variable(tmp_path: Path) -> None:
    assert Cursor().default_roots({}, HOME, None) == [HOME / ".config/Cursor/User", HOME / ".cursor"]
    windows = {"APPDATA": str(tmp_path / "Roaming"), "CURSOR_CONFIG_DIR": "/c"}
    (tmp_path / "Roaming" / "Cursor" / "User").mkdir(parents=True)
    assert Cursor().default_roots(windows, HOME, None) == [tmp_path / "Roaming/Cursor/User", Path("/c")]


def test_a_composer_is_told_in_the_order_of_its_list(tmp_path: Path) -> None:
    rows = composer(
        uuid(1),
        bubble(2, 1, "Why a lock?"),
        bubble(1, 2, "Two writers.", thinking={"text": "x"}),
        tool(3, "read_file", params={"relativeWorkspacePath": "seen.py"}, target_file="seen.py"),
        bubble(4, 1, "Thanks"),
        modelConfig={"modelName": "m1"},
    )
    read = only("cursor", editor(tmp_path, rows))
    assert read.said == [("person", "Why a lock?"), ("assistant", "Two writers."), ("person", "Thanks")]
    assert read.turns[1].mentions == ("seen.py",) and read.turns[1].name == "m1"
    assert (read.head.title, read.head.cwds) == ("Locks", [FOLDER]) and read.turns[0].when is not None
    assert read.handle().command is None and FOLDER in (read.handle().note or "")


def test_hidden_headers_and_lost_bubbles(tmp_path: Path) -> None:
    rows = composer(uuid(1), bubble(1, 1, "Go"), bubble(2, 2, "Hidden"), bubble(3, 2, "Lost"))
    headers = rows[0][1][1]["fullConversationHeadersOnly"]
    headers[1]["grouping"] = {"isRenderable": False}
    rows[3][1][1] = None
    read = only("cursor", editor(tmp_path, rows))
    assert read.said == [("person", "Go")] and read.scan.skipped_lines == 1


def test_the_older_inline_conversation(tmp_path: Path) -> None:
    rows = composer(uuid(1), conversation=[bubble(1, 1, "Old"), bubble(2, 2, "Yes")])
    assert only("cursor", editor(tmp_path, rows)).said == [("person", "Old"), ("assistant", "Yes")]


def test_edits_by_decision_status_and_shown_difference(tmp_path: Path) -> None:
    diff = {"diff": {"chunks": [{"diffString": " c\n-x\n+y\n"}]}}
    params = {"relativeWorkspacePath": "a.py"}
    content = {"beforeContentId": "composer.content.1", "afterContentId": "composer.content.2"}
    rows = composer(
        uuid(1),
        bubble(1, 2, "Editing"),
        tool(2, "edit_file", params=params, result=diff, target_file="a.py", code_edit="// … existing code …\ny"),
        tool(3, "edit_file", params=params, result=diff, decision="rejected", target_file="a.py", code_edit="y"),
        tool(4, "search_replace", "error", params=params, file_path="a.py", old_string="x", new_string="z"),
        tool(5, "search_replace", "cancelled", file_path="b.py", old_string="x", new_string="z"),
        tool(6, "search_replace", "loading", file_path="b.py", old_string="x", new_string="z"),
        tool(7, "edit_file_v2", params={"relativeWorkspacePath": "v2.py"}, result=content),
    )
    rows += [("cursorDiskKV", ["composer.content.1", "c\nx\n"]), ("cursorDiskKV", ["composer.content.2", "c\nw\n"])]
    assert only("cursor", editor(tmp_path, rows)).edits == [
        ("a.py", "y", "applied"),
        ("a.py", "y", "rejected"),
        ("a.py", "z", "failed"),
        ("b.py", "z", "rejected"),
        ("b.py", "z", "unconfirmed"),
        ("v2.py", "w", "applied"),
    ]


def test_a_commit_of_the_terminal(tmp_path: Path) -> None:
    def ran(number: int, sha: str, code: int) -> dict[str, object]:
        told = {"output": f"[main {sha}] S", "exitCodeV2": code}
        return tool(number, "run_terminal_cmd", result=told, command="git commit -m S")

    rows = composer(uuid(1), bubble(1, 2, "Committing"), ran(2, "abc1234", 0), ran(3, "bad1234", 1))
    assert only("cursor", editor(tmp_path, rows)).commits == [("abc1234", "S")]


def test_a_sub_composer_is_a_sub_agents(tmp_path: Path) -> None:
    rows = composer(uuid(1), bubble(1, 1, "Go"), subComposerIds=[uuid(2)]) + composer(uuid(2), bubble(1, 1, "Look"))
    read = store("cursor", editor(tmp_path, rows))[uuid(2)]
    assert read.source.parent_id == uuid(1) and read.said == [("assistant", "Look")]


def test_the_project_of_a_composer_that_does_not_name_it(tmp_path: Path) -> None:
    user = editor(tmp_path, composer(uuid(1), bubble(1, 1, "Go"), folder=None))
    storage = user / "workspaceStorage" / "h1"
    listed = {"allComposers": [{"composerId": uuid(1)}]}
    database(storage / "state.vscdb", ITEMS, [("ItemTable", ["composer.composerData", listed])])
    (storage / "workspace.json").write_text(json.dumps({"folder": "file:///home/dev/my%20app"}))
    assert only("cursor", user).head.cwds == ["/home/dev/my app"]


def test_a_transcript(tmp_path: Path) -> None:
    query = "<timestamp>now</timestamp>\n<user_info>x</user_info>\n<user_query>\nWhy a lock?\n</user_query>"
    edit = use("StrReplace", path="a.py", old_string="x", new_string="y")
    transcript(
        tmp_path,
        uuid(1),
        line("user", query),
        line("assistant", "Two writers.\n[REDACTED]", edit),
        line("assistant", use("Shell", command="git commit -m S")),
        line("user", "<attached_files>\na.py\n</attached_files>"),
        {"type": "turn_ended", "status": "success"},
        {"type": "hologram"},
    )
    read = only("cursor", tmp_path / ".cursor")
    assert read.said[:2] == [("person", "Why a lock?"), ("assistant", "Two writers.")] and read.said[2][0] == "injected"
    assert read.edits == [("a.py", "y", "unconfirmed")] and not read.commits
    assert read.head.cwds == [FOLDER] and read.scan.unknown_types == {"hologram": 1}


def test_of_several_forms_of_a_transcript_the_best_is_read(tmp_path: Path) -> None:
    transcript(tmp_path, uuid(1), line("user", "own folder"))
    transcript(tmp_path, uuid(1), line("user", "flat"), flat=True)
    path = transcript(tmp_path, uuid(2), line("user", "x"), flat=True)
    path.rename(path.with_suffix(".txt"))
    path.with_suffix(".txt").write_text("user:\n<user_query>\nWhy?\n</user_query>\n\nassistant:\nSo.\n")
    found = store("cursor", tmp_path / ".cursor")
    assert found[uuid(1)].said == [("person", "own folder")]
    assert found[uuid(2)].said == [("person", "Why?"), ("assistant", "So.")]


def test_a_sub_agents_transcript(tmp_path: Path) -> None:
    transcript(tmp_path, uuid(2), line("user", "<user_query>Look</user_query>"), under=f"{uuid(1)}/subagents")
    read = only("cursor", tmp_path / ".cursor")
    assert read.source.parent_id == uuid(1) and read.said == [("assistant", "Look")]


def test_a_chat_of_the_command_line(tmp_path: Path) -> None:
    info = f"<user_info>\nOS: linux\nWorkspace Path: {FOLDER}\n</user_info>"
    edit = {"path": "a.py", "old_string": "x", "new_string": "y"}

    def called(name: str, identity: str, **args: object) -> dict[str, object]:
        return {"type": "tool-call", "toolCallId": identity, "toolName": name, "args": args}

    def told(identity: str, text: str) -> dict[str, object]:
        return {"role": "tool", "content": [{"type": "tool-result", "toolCallId": identity, "result": text}]}

    chat(
        tmp_path,
        uuid(1),
        {"role": "system", "content": "You are"},
        {"role": "user", "content": info},
        {"role": "user", "content": [{"type": "text", "text": "<user_query>\nWhy a lock?\n</user_query>"}]},
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "Two writers."},
                called("StrReplace", "1", **edit),
                called("StrReplace", "2", **edit),
                called("Shell", "3", command="git commit -m S"),
            ],
        },
        told("1", "The file was updated."),
        told("2", "User rejected the edit"),
        told("3", "Exit code: 0\n\nCommand output:\n\n```\n[main abc1234] S\n```"),
    )
    read = only("cursor", tmp_path / ".cursor")
    assert [text for speaker, text in read.said if speaker == "person"] == ["Why a lock?"]
    assert [outcome for _, _, outcome in read.edits] == ["applied", "rejected"] and read.commits == [("abc1234", "S")]
    assert read.handle([FOLDER]).command == f"cd {FOLDER} && cursor-agent --resume {uuid(1)}"
    assert read.head.title == "Chat" and read.head.started is not None


def test_a_chat_whose_index_cannot_be_read_says_so(tmp_path: Path) -> None:
    chat(tmp_path, uuid(1), {"role": "user", "content": "Go"}, index=False)
    read = only("cursor", tmp_path / ".cursor")
    assert read.said == [("person", "Go")] and "as they were stored" in next(iter(read.scan.unknown_types))


def test_one_home_is_one_store_and_each_conversation_is_told_once(tmp_path: Path) -> None:
    rows = composer(uuid(1), bubble(1, 1, "bubbles"))
    opaque = composer(uuid(2), bubble(1, 1, "x"))[:1]
    user = editor(tmp_path, rows + opaque)
    transcript(tmp_path, uuid(1), line("user", "transcript"))
    transcript(tmp_path, uuid(2), line("user", "joined"))
    transcript(tmp_path, uuid(3), line("user", "alone"))
    transcript(tmp_path, uuid(4), line("user", "of the chat"))
    chat(tmp_path, uuid(4), {"role": "user", "content": "chat"})
    assert Cursor().default_roots({}, tmp_path, None) == [user]
    assert [one.root for one in discover_stores(None, {}, tmp_path) if one.runtime == "cursor"] == [user.resolve()]
    found = store("cursor", user)
    assert {name: read.said[0][1] for name, read in found.items()} == {
        uuid(1): "bubbles",
        uuid(2): "joined",
        uuid(3): "alone",
        uuid(4): "chat",
    }
    joined = found[uuid(2)].head
    assert joined.title == "Locks" and joined.started is not None and joined.started.timestamp() * 1000 == START
    given = store("cursor", tmp_path / ".cursor")
    assert {name: read.said[0][1] for name, read in given.items()}[uuid(1)] == "transcript"


def test_a_database_in_use_leaves_its_folder_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "User" / "globalStorage" / "state.vscdb"
    connection = in_use(path, KV, composer(uuid(1), bubble(1, 1, "live")))
    before = snapshot(tmp_path)
    assert only("cursor", tmp_path / "User").said == [("person", "live")] and snapshot(tmp_path) == before
    connection.close()


def test_a_change_of_one_composer_changes_only_its_source(tmp_path: Path) -> None:
    user = editor(tmp_path, composer(uuid(1), bubble(1, 1, "a")) + composer(uuid(2), bubble(1, 1, "b")))
    before = {name: read.source.parts for name, read in store("cursor", user).items()}
    path = user / "globalStorage" / "state.vscdb"
    database(path, "", composer(uuid(2), bubble(1, 1, "b"), bubble(2, 2, "c"), lastUpdatedAt=START + 90_000))
    after = {name: read.source.parts for name, read in store("cursor", user).items()}
    assert before[uuid(1)] == after[uuid(1)] and before[uuid(2)] != after[uuid(2)]
