"""Zed: threads built from ``formats/FORMATS.md`` section 11."""

from __future__ import annotations

from pathlib import Path

import pytest

from anamnesis_lsp.cancel import never
from anamnesis_lsp.errors import AnamnesisError
from anamnesis_lsp.records.conversations import zed
from anamnesis_lsp.records.conversations.zed import Zed
from tests.builders.databases import database, in_use, snapshot
from tests.builders.zed import FOLDER, SCHEMA, Row, agent, result, thread, use, user
from tests.unit.reading import Read, only, store

HOME = Path("/home/dev")


def read_of(tmp_path: Path, *rows: Row) -> Read:
    database(tmp_path / "threads.db", SCHEMA, rows)
    return only("zed", tmp_path)


def test_default_roots() -> None:
    roots = Zed().default_roots(
        {"XDG_DATA_HOME": "/x", "FLATPAK_XDG_DATA_HOME": "/f", "LOCALAPPDATA": "/l"}, HOME, None
    )
    assert roots == [Path("/f/zed/threads"), HOME / "Library/Application Support/Zed/threads", Path("/l/Zed/threads")]


@pytest.mark.parametrize("packed", [True, False])
def test_a_thread_of_either_encoding(tmp_path: Path, packed: bool) -> None:
    mention = {"Mention": {"uri": {"File": {"abs_path": "/home/dev/app/a.py"}}, "content": "the file"}}
    talk = (user("Why a lock?", mention), agent({"Thinking": {"text": "x"}}, "Two writers."), "Resume")
    read = read_of(tmp_path, thread("t", *talk, packed=packed, model={"provider": "p", "model": "m1"}))
    assert read.said == [("person", "Why a lock?"), ("assistant", "Two writers.")]
    assert read.turns[0].mentions == ("/home/dev/app/a.py",) and read.turns[1].name == "m1"
    assert (read.head.title, read.head.cwds, read.head.version) == ("Locks", [FOLDER, "/home/dev/lib"], "0.3.0")
    assert read.head.started is not None and not read.scan.unknown_types


def test_the_older_messages_of_role_and_segments(tmp_path: Path) -> None:
    def said(number: int, role: str, text: str, **fields: object) -> dict[str, object]:
        return {"id": number, "role": role, "segments": [{"type": "text", "text": text}], **fields}

    edit = {"id": "c", "name": "edit_file", "input": {"path": "app/a.py", "old_text": "x", "new_text": "y"}}
    done = {"tool_use_id": "c", "is_error": False, "content": "ok"}
    read = read_of(
        tmp_path,
        thread(
            "t",
            said(1, "user", "Why?"),
            said(2, "user", "hidden", is_hidden=True),
            said(3, "assistant", "So.", tool_uses=[edit], tool_results=[done]),
            version="0.2.0",
        ),
    )
    assert read.said == [("person", "Why?"), ("injected", "hidden"), ("assistant", "So.")]
    assert read.edits == [(f"{FOLDER}/a.py", "y", "applied")]


def test_edits_by_result_and_in_the_folder_they_name(tmp_path: Path) -> None:
    shown = {"old_text": "c\nx\n", "new_text": "c\ny\n", "diff": "…"}
    edit = {"path": "app/a.py", "mode": "edit"}
    read = read_of(
        tmp_path,
        thread(
            "t",
            agent(
                use("a", "edit_file", **edit),
                use("b", "edit_file", path="lib/b.py", edits=[{"old_text": "x", "new_text": "z"}]),
                use("c", "create_file", path="other/c.py", content="n"),
                use("d", "create_file", path="app/d.py", content="n"),
                use("e", "read_file", path="app/seen.py"),
                a=result(output=shown),
                b=result("no match", error=True),
                c=result("Permission to run tool denied by user", error=True),
            ),
        ),
    )
    assert read.edits == [
        (f"{FOLDER}/a.py", "y", "applied"),
        ("/home/dev/lib/b.py", "z", "failed"),
        ("other/c.py", "n", "rejected"),
        (f"{FOLDER}/d.py", "n", "unconfirmed"),
    ]
    assert read.turns[0].mentions == (f"{FOLDER}/seen.py",)


def test_a_commit_of_the_terminal(tmp_path: Path) -> None:
    good = "Command executed successfully.\n\n```\n[main abc1234] S\n```"
    bad = 'Command "git commit" failed with exit code 1.\n\n```\n[main bad1234] S\n```'
    uses = [use(name, "terminal", command="git commit -m S", cd="app") for name in ("a", "b")]
    assert read_of(tmp_path, thread("t", agent(*uses, a=result(good), b=result(bad)))).commits == [("abc1234", "S")]


def test_the_snapshot_of_git(tmp_path: Path) -> None:
    git = {"head_sha": "f" * 40, "current_branch": "main", "remote_url": "https://example.org/a/b", "diff": None}
    tree = {"worktree_snapshots": [{"worktree_path": FOLDER, "git_state": git}]}
    head = read_of(tmp_path, thread("t", user("Go"), initial_project_snapshot=tree)).head
    assert (head.head_commits, head.branches, head.remotes) == (["f" * 40], ["main"], ["https://example.org/a/b"])


def test_a_child_thread_is_a_sub_agents_and_no_thread_has_a_command(tmp_path: Path) -> None:
    database(
        tmp_path / "threads" / "threads.db", SCHEMA, [thread("t", user("Go")), thread("c", user("Look"), parent="t")]
    )
    read = store("zed", tmp_path)["c"]
    assert read.said == [("assistant", "Look")] and read.source.parent_id == "t"
    assert read.handle().command is None and FOLDER in (read.handle().note or "")


def test_what_is_not_known_is_counted(tmp_path: Path) -> None:
    read = read_of(tmp_path, thread("t", user("Go", {"Hologram": 1}), {"Robot": {}}, version="0.9.0"))
    assert read.said == [("person", "Go")]
    assert read.scan.unknown_types == {"thread version 0.9.0": 1, "content Hologram": 1, "Robot": 1}


def test_a_damaged_or_a_huge_thread_is_told_and_hides_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table, values = thread("bad", user("x"))
    rows = [
        (table, [*values[:4], b"\x28\xb5\x2f\xfdrubbish", *values[5:]]),
        thread("huge", user("y" * 5000)),
        thread("t", user("Go")),
    ]
    database(tmp_path / "threads.db", SCHEMA, rows)
    monkeypatch.setattr(zed, "_MAX_THREAD", 1000)
    sources = {source.id: source for source in Zed().sources(tmp_path, never())}
    for identity, words in (("bad", "damaged"), ("huge", "larger")):
        with pytest.raises(AnamnesisError, match=words):
            list(Zed().read(sources[identity], never()))
    assert Read("zed", sources["t"]).said == [("person", "Go")]


def test_a_database_in_use_leaves_its_folder_as_it_is(tmp_path: Path) -> None:
    connection = in_use(tmp_path / "threads.db", SCHEMA, [thread("t", user("live"))])
    before = snapshot(tmp_path)
    assert only("zed", tmp_path).said == [("person", "live")] and snapshot(tmp_path) == before
    connection.close()
