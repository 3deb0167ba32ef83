"""Continue's sessions. Fixtures built from FORMATS section 11; a real session is in ``tests/stores``."""

from __future__ import annotations

from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from anamnesis_lsp.records.conversations.continue_dev import Continue, typed
from tests.builders.continue_dev import asked, replied, session, used
from tests.builders.copilot import write
from tests.builders.reading import Read, read_all, read_one


def read(tmp_path: Path, *history: dict[str, Any], **fields: Any) -> Read:
    write(tmp_path / "sessions" / "s1.json", session(*history, **fields))
    return read_one("continue", tmp_path)


def test_what_the_person_typed_is_the_editors_state(tmp_path: Path) -> None:
    mention = {"type": "mention", "attrs": {"id": "file", "label": "a.py"}}
    words = [{"type": "text", "text": "Look at "}, mention, {"type": "text", "text": " please"}]
    state = {"type": "doc", "content": [{"type": "paragraph", "content": words}]}
    found = read(tmp_path, asked("```a.py\ncontents\n```\nLook at a.py please", state), replied("I did"))
    assert found.said == [("person", "Look at @a.py please"), ("assistant", "I did")]
    assert (found.head.cwds, found.head.title, found.head.title_from) == (["/home/dev/app"], "Chat", "assistant")


def test_paragraphs_are_lines() -> None:
    lines = [{"type": "paragraph", "content": [{"type": "text", "text": line}]} for line in ("one", "two")]
    assert typed({"type": "doc", "content": lines}) == "one\ntwo"
    assert typed("plain") == "plain" and typed(None) == ""


def test_without_a_state_the_content_is_the_persons_and_a_system_message_is_not(tmp_path: Path) -> None:
    system = {"message": {"role": "system", "content": "Rules"}}
    parts = {"message": {"role": "user", "content": [{"type": "text", "text": "Hi"}, {"type": "imageUrl"}]}}
    assert read(tmp_path, system, parts).said == [("injected", "Rules"), ("person", "Hi")]


def test_edits_are_settled_by_their_state(tmp_path: Path) -> None:
    edits = {"file_path": "/a", "edits": [{"old_string": "1\n2", "new_string": "1\n3"}]}
    output = "Successfully wrote /w\nDiff:\n--- /w\n+++ /w\n@@ -1 +1 @@\n-x\n+y\n"
    found = read(
        tmp_path,
        used("MultiEdit", edits, call="1"),
        used("Write", {"filepath": "/w", "content": "y"}, output=output, call="2"),
        used("Edit", {"file_path": "/b", "old_string": "1", "new_string": "2"}, "errored", call="3"),
        used("Edit", {"file_path": "/c", "old_string": "1", "new_string": "2"}, "canceled", call="4"),
        used("Edit", {"file_path": "/d", "old_string": "1", "new_string": "2"}, None, call="5"),
    )
    assert [outcome for _, outcome in found.outcomes] == ["applied", "applied", "failed", "rejected", "unconfirmed"]
    assert [(edit.written, edit.whole_file) for edit in found.edits[:2]] == [("3", False), ("y", False)]


def test_a_commit_and_the_handle(tmp_path: Path) -> None:
    found = read(tmp_path, used("Bash", {"command": "git commit -m Add"}, output="[main 1234567] Add"))
    assert found.commits == [("1234567", "Add")]
    assert found.handle(["/home/dev/app"]).command == "cd /home/dev/app && cn --fork s1"


def test_the_index_tells_when_it_began(tmp_path: Path) -> None:
    index = [{"sessionId": "s1", "title": "t", "dateCreated": "1767225600000", "workspaceDirectory": "file:///w"}]
    write(tmp_path / "sessions" / "sessions.json", index)
    found = read(tmp_path, asked("Hi"))
    assert found.head.started == datetime(2026, 1, 1, tzinfo=timezone.utc) and found.turns[0].when is None
    assert len(read_all("continue", tmp_path / "sessions")) == 1


def test_what_is_not_known_is_counted(tmp_path: Path) -> None:
    assert read(tmp_path, {"message": {"role": "ghost"}}).scan.unknown_types == {"message of ghost": 1}
    write(tmp_path / "other" / "x.json", {"a": 1})
    assert read_one("continue", tmp_path / "other").scan.unknown_types == {"(no session of Continue)": 1}


def test_where_sessions_are_kept(tmp_path: Path) -> None:
    assert Continue().default_roots({}, tmp_path, None) == [tmp_path / ".continue"]
    assert Continue().default_roots({"CONTINUE_GLOBAL_DIR": "/c"}, tmp_path, None) == [Path("/c")]
