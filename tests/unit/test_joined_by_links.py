"""A commit and a record that name each other, in every way in which they do: the story says which."""

from __future__ import annotations

import json
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from anamnesis_lsp.cancel import never
from anamnesis_lsp.present.round import Round
from anamnesis_lsp.recall.recaller import Recaller, RecallSettings, RecollectRequest
from anamnesis_lsp.records.conversations.stores import Store
from tests.builders.claude import Transcript, session
from tests.builders.repos import GRACE, Repo, new_repo

NOON = datetime(2026, 3, 2, 12, 0, tzinfo=timezone.utc)
BEFORE = "def fetch(url):\n    return get(url)\n"
AFTER = "def fetch(url):\n    wait_for_the_gateway(45)\n    return get_with_patience(url)\n"
RECORD = """\
# {title}

## Status

Accepted

## Context

The gateway of the harbour restarts every night, and a request that comes too early is lost.

## Decision

We wait for the gateway with patience instead of asking again and again.
"""


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    made = new_repo(tmp_path / "app")
    made.commit("Add fetch", {"src/fetch.py": BEFORE}, date=(NOON - timedelta(days=9)).isoformat())
    return made


def committed(repo: Repo, message: str, **files: str) -> str:
    changed = {name.replace("__", "/").replace("_dot_", "."): text for name, text in files.items()}
    return repo.commit(message, {"src/fetch.py": AFTER, **changed}, author=GRACE, date=NOON.isoformat())


def written(repo: Repo, path: str, title: str) -> str:
    """A record that was committed a day before."""
    when = (NOON - timedelta(days=1)).isoformat()
    repo.commit(f"Write {path}", {path: RECORD.format(title=title)}, author=GRACE, date=when)
    return path


def recollected(repo: Repo) -> Round:
    config = repo.path.parent / "claude"
    (config / "projects").mkdir(parents=True, exist_ok=True)
    stores = (Store.at("claude-code", config), Store.at("decisions", repo.path))
    recaller = Recaller(RecallSettings(stores=stores), [repo.path])
    try:
        return recaller.recollect(RecollectRequest(repo.path / "src/fetch.py", (2, 3)), never())
    finally:
        recaller.close()


def leading(shown: Round) -> set[str]:
    return {member.id for member in shown.recognizables[0].members}


@pytest.mark.parametrize(
    "path,title,cites",
    [
        ("docs/adr/0003-wait.md", "3. Wait for the gateway", "ADR-3"),
        ("docs/rfcs/0003-wait.md", "RFC 3: Wait for the gateway", "RFC-3"),
        ("docs/rfc/RFC-0003-wait.md", "Wait for the gateway", "RFC 3"),
    ],
)
def test_a_message_that_cites_a_record_leads_to_it(repo: Repo, path: str, title: str, cites: str) -> None:
    written(repo, path, title)
    commit = committed(repo, f"Wait for the gateway ({cites})\n\nA request that comes too early is lost.")
    shown = recollected(repo)
    assert leading(shown) == {path, commit}
    assert f"cites {cites}" in shown.recognizables[0].joins


def test_of_two_records_that_a_message_cites_the_one_that_speaks_of_the_lines_leads(repo: Repo) -> None:
    meant = written(repo, "docs/adr/0003-wait.md", "3. Wait for the gateway with patience")
    other = repo.commit(
        "Write the other", {"docs/adr/0005-teal.md": "# 5. Paint the map\n\n## Decision\n\nThe map is teal.\n"}
    )
    assert other
    committed(repo, "Wait for the gateway (ADR-3, ADR-5)\n\nwait_for_the_gateway, get_with_patience")
    assert meant in leading(recollected(repo))


def test_a_trailer_that_names_the_session_leads_to_it(repo: Repo) -> None:
    transcript = Transcript(session(1), cwd=str(repo.path), start=NOON - timedelta(minutes=40))
    transcript.person("The gateway restarts every night and loses the first request. Can we wait for it?")
    transcript.assistant("We can wait for the gateway with patience.")
    transcript.write_to(repo.path.parent / "claude", "-app")
    commit = committed(repo, f"Wait for the gateway\n\nClaude-Code-Session: {session(1)}")
    shown = recollected(repo)
    assert leading(shown) == {session(1), commit}
    assert "trailer Claude-Code-Session names it" in shown.recognizables[0].joins


@pytest.mark.parametrize("lines,named", [("2-3", True), ("1", False)])
def test_a_note_of_lines_leads_to_its_session_where_they_are_the_selected_ones(
    repo: Repo, lines: str, named: bool
) -> None:
    transcript = Transcript(session(1), cwd=str(repo.path), start=NOON - timedelta(minutes=40))
    transcript.person("Please paint the harbour map in teal.").assistant("Teal it is.")
    transcript.write_to(repo.path.parent / "claude", "-app")
    commit = committed(repo, "Wait for the gateway")
    prompts = {"p1": {"agent_id": {"tool": "claude", "id": session(1), "model": "m"}, "human_author": "Grace"}}
    note = f"src/fetch.py\n  p1 {lines}\n---\n{json.dumps({'schema_version': 'authorship/3.0.0', 'prompts': prompts})}"
    repo.git("notes", "--ref=ai", "add", "-m", note, commit)
    shown = recollected(repo)
    assert (session(1) in leading(shown)) == named
    if named:
        assert "a note of the commit" in shown.recognizables[0].joins


def test_an_agent_trace_leads_to_the_conversation_it_names(repo: Repo) -> None:
    transcript = Transcript(session(1), cwd=str(repo.path), start=NOON - timedelta(minutes=40))
    transcript.person("The gateway restarts every night. Can we wait for it?").assistant("With patience.")
    transcript.write_to(repo.path.parent / "claude", "-app")
    commit = committed(repo, "Wait for the gateway")
    trace = {
        "version": "0.1.0", "timestamp": NOON.isoformat(), "vcs": {"type": "git", "revision": commit},
        "tool": {"name": "claude-code"},
        "files": [{"path": "src/fetch.py", "conversations": [
            {"url": f"file:///x/{session(1)}.jsonl", "contributor": {"type": "ai"},
             "ranges": [{"start_line": 2, "end_line": 3}]}]}],
    }  # fmt: skip
    repo.write(".agent-trace/traces.jsonl", json.dumps(trace) + "\n")
    shown = recollected(repo)
    assert leading(shown) == {session(1), commit}
    assert "an agent trace names it" in shown.recognizables[0].joins


def test_an_entry_of_a_change_log_belongs_where_the_commit_wrote_it(repo: Repo) -> None:
    old = "# Changelog\n\n## 1.0.0 - 2025-11-01\n\n- The first of the many versions of fetch\n"
    new = old.replace("## 1.0.0", "## 1.1.0 - 2026-03-02\n\n- Waits for the gateway with patience\n\n## 1.0.0")
    repo.commit("Release 1.0.0", {"CHANGELOG.md": old}, date=(NOON - timedelta(days=8)).isoformat())
    repo.commit("Wait for the gateway", {"src/fetch.py": AFTER, "CHANGELOG.md": new}, date=NOON.isoformat())
    shown = recollected(repo)
    assert "CHANGELOG.md#1.0.0" not in leading(shown), "its entry is of an earlier release"


def test_a_scope_names_what_was_worked_on_and_a_number_at_the_end_the_request_it_came_by(repo: Repo) -> None:
    path = written(repo, "backlog/tasks/12-wait.md", "12. Wait for the gateway")
    commit = committed(repo, "feat(#12): wait for the gateway with patience")
    shown = recollected(repo)
    assert commit in leading(shown)
    assert path in leading(shown) or path in {member for one in shown.adjacent for member in one.members} or shown.story


def test_a_record_in_a_sweep_of_very_many_files_says_little(repo: Repo) -> None:
    teal = "# 6. Paint the map\n\n## Decision\n\nThe map is painted in teal.\n"
    many = {f"docs/notes/n{n}.txt": f"{n}\n" for n in range(400)}
    commit = repo.commit(
        "Bring everything over", {"src/fetch.py": AFTER, "docs/adr/0006-teal.md": teal, **many}, date=NOON.isoformat()
    )
    shown = recollected(repo)
    assert leading(shown) == {commit}
