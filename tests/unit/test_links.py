"""Recorded links: what a message, a checkpoint, a note, a trace or a committed file says, and what is found."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anamnesis_lsp.cancel import never
from anamnesis_lsp.records.git import Repository
from anamnesis_lsp.records.git.model import FileChange, Hunk
from anamnesis_lsp.records.identifiers import IdKind, canonical_session, cited, identifiers
from anamnesis_lsp.records.links import (
    Checkpoints,
    LinkKind,
    Place,
    agent_traces,
    commit_links,
    file_links,
    git_ai_note,
    message_links,
    note_links,
    text_links,
    trailers,
)
from tests.builders.exports import write
from tests.builders.repos import Repo, new_repo


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see ADR-012 and adr 12, ADR0012", [("decision", "ADR-12")] * 3),
        ("task#007 and md#409", [("task", "task#7"), ("task", "md#409")]),
        ("(bd-kwro.2) bd-a1b2:", [("bead", "bd-kwro.2"), ("bead", "bd-a1b2")]),
        ("fixes #12, GH-13, owner/name#14", [("issue", "#12"), ("issue", "#13"), ("issue", "owner/name#14")]),
        ("PROJ-123 not UTF-8 or SHA-256", [("ticket", "PROJ-123")]),
        ("reverts 1a2b3c4d", [("commit", "1a2b3c4d")]),
        ("deadbeef cafe 1234567 #0 version 1.2.3", []),
        (
            "https://claude.ai/code/session_01ABCdef23 and cse_01ABCdef2345678",
            [("session", "session_01ABCdef23"), ("session", "session_01ABCdef2345678")],
        ),
        ("session_timeout session_handling", []),
        ("RFC 2119", [("rfc", "RFC-2119")]),
        ("at https://example.org/a#12.", [("url", "https://example.org/a#12")]),
    ],
)
def test_identifiers_are_found_by_their_own_spelling(text: str, found: list[tuple[str, str]]) -> None:
    assert [(identifier.kind.value, identifier.value) for identifier in identifiers(text)] == found


def test_cse_and_session_are_one_id() -> None:
    assert (
        canonical_session("cse_01ABCdef23")
        == canonical_session("https://claude.ai/code/session_01ABCdef23")
        == "session_01ABCdef23"
    )


def test_ids_of_a_projects_own_spelling_are_cited_as_whole_words() -> None:
    assert cited("closes gt-12, not gt-120 or xgt-12.", {"gt-12", "gt-1"}) == ["gt-12"]


def test_trailers_are_the_last_paragraph_and_known_keys_anywhere() -> None:
    message = (
        "Subject: not one\n\nBody.\n\nEntire-Checkpoint: 00c9e2351016\n\nsquashed\n\n"
        "Note: x\nReviewed-by: Grace <g@x>\n"
    )
    assert [(t.key, t.value) for t in trailers(message)] == [
        ("Entire-Checkpoint", "00c9e2351016"),
        ("Note", "x"),
        ("Reviewed-by", "Grace <g@x>"),
    ]


def test_a_message_of_one_paragraph_has_no_trailer_block() -> None:
    assert trailers("fix: a thing") == []


def test_the_links_of_a_message() -> None:
    message = (
        "Drop the lock (#41)\n\nFixes #12, see ADR-3.\n\nClaude-Session: https://claude.ai/code/session_01ABCdef23\n"
        "Entire-Checkpoint: 00c9e2351016, 013118c3a750\nAmp-Thread-ID: https://ampcode.com/threads/T-5ad38d33-28ba\n"
        "Co-Authored-By: Claude <noreply@anthropic.com>\nReviewed-by: Grace <g@x>\n"
    )
    links = {(link.kind, link.value, link.place, link.runtime) for link in message_links(message)}
    assert links == {
        (LinkKind.SESSION, "session_01ABCdef23", Place.TRAILER, "claude-code"),
        (LinkKind.CHECKPOINT, "00c9e2351016", Place.TRAILER, None),
        (LinkKind.CHECKPOINT, "013118c3a750", Place.TRAILER, None),
        (LinkKind.SESSION, "T-5ad38d33-28ba", Place.TRAILER, "amp"),
        (LinkKind.CO_AUTHOR, "Claude <noreply@anthropic.com>", Place.TRAILER, None),
        (LinkKind.REVIEWER, "Grace <g@x>", Place.TRAILER, None),
        (LinkKind.PULL_REQUEST, "#41", Place.MESSAGE, None),
        (LinkKind.ISSUE, "#12", Place.MESSAGE, None),
        (LinkKind.DECISION, "ADR-3", Place.MESSAGE, None),
    }
    assert all(link.found is None and link.place.written_by for link in message_links(message))


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("Merge pull request #7 from a/b", LinkKind.PULL_REQUEST, "#7"),
        ("https://github.com/o/r/pull/9#issuecomment-1", LinkKind.PULL_REQUEST, "#9"),
        ("https://github.com/o/r/issues/10", LinkKind.ISSUE, "#10"),
        ("https://github.com/o/r/commit/1a2b3c4d5e", LinkKind.COMMIT, "1a2b3c4d5e"),
        ("See merge request group/project!12", LinkKind.PULL_REQUEST, "group/project!12"),
    ],
)
def test_addresses_name_what_they_lead_to(text: str, kind: LinkKind, value: str) -> None:
    assert [(link.kind, link.value) for link in text_links(text)] == [(kind, value)]


def test_a_tools_signature_is_no_link() -> None:
    assert text_links("Generated with [Claude Code](https://claude.com/claude-code)") == []


def _checkpoint_branch(repo: Repo, files: dict[str, object]) -> None:
    repo.git("checkout", "-q", "--orphan", "entire/checkpoints/v1")
    repo.git("rm", "-rfq", "--ignore-unmatch", ".")
    repo.commit("checkpoints", {name: json.dumps(value) for name, value in files.items()})
    repo.git("checkout", "-q", "main")


def _repo(path: Path) -> Repo:
    repo = new_repo(path)
    repo.commit("start", {"a.py": "x\n"})
    return repo


def test_a_checkpoint_leads_to_all_of_its_conversations(tmp_path: Path) -> None:
    repo = _repo(tmp_path / "r")
    _checkpoint_branch(
        repo,
        {
            "00/c9e2351016/metadata.json": {
                "checkpoint_id": "00c9e2351016",
                "branch": "feature",
                "files_touched": ["a.py"],
                "sessions": [
                    {"metadata": "/00/c9e2351016/0/metadata.json", "transcript": "/00/c9e2351016/0/full.jsonl"},
                    {"metadata": "/00/c9e2351016/2/metadata.json", "transcript": "/00/c9e2351016/2/full.jsonl"},
                    {"metadata": "/../../etc/passwd"},
                ],
            },
            "00/c9e2351016/0/metadata.json": {
                "session_id": "253fd5ef-0000-0000-0000-000000000000",
                "agent": "Claude Code",
                "created_at": "2026-02-03T06:34:50Z",
            },
            "00/c9e2351016/2/metadata.json": {
                "session_id": "2026-01-15-0790ea37-0000-0000-0000-000000000000",
                "agent": "Gemini CLI",
            },
            "01/3118c3a750/metadata.json": {"session_id": "99999999-0000-0000-0000-000000000000", "agent": "Codex"},
        },
    )
    git = Repository.discover(repo.path, never())
    checkpoints = Checkpoints(git, never())
    found = checkpoints.open("00c9e2351016", never())
    assert found is not None and found.branch == "feature" and found.files == ("a.py",)
    assert [(s.session_id, s.transcript) for s in found.sessions] == [
        ("253fd5ef-0000-0000-0000-000000000000", "00/c9e2351016/0/full.jsonl"),
        ("0790ea37-0000-0000-0000-000000000000", "00/c9e2351016/2/full.jsonl"),
    ]
    assert found.sessions[0].when is not None
    old = checkpoints.open("013118c3a750", never())
    assert old is not None and [s.session_id for s in old.sessions] == ["99999999-0000-0000-0000-000000000000"]
    links = commit_links(git, repo.head(), "x\n\nEntire-Checkpoint: 00c9e2351016\n", [], never())
    assert [(link.kind, link.value[:8], link.runtime, link.found) for link in links] == [
        (LinkKind.CHECKPOINT, "00c9e235", None, True),
        (LinkKind.SESSION, "253fd5ef", "claude-code", True),
        (LinkKind.SESSION, "0790ea37", "gemini", True),
    ]


def test_a_dangling_checkpoint_is_told_as_one_and_an_absent_branch_as_not_looked_for(tmp_path: Path) -> None:
    repo = _repo(tmp_path / "r")
    message = "x\n\nEntire-Checkpoint: ffffffffffff\n"
    git = Repository.discover(repo.path, never())
    assert [link.found for link in commit_links(git, repo.head(), message, [], never())] == [None]
    _checkpoint_branch(repo, {"00/c9e2351016/metadata.json": {}})
    again = Repository.discover(repo.path, never())
    assert [link.found for link in commit_links(again, repo.head(), message, [], never())] == [False]


NOTE = """src/a.py
  d9978a8723e02b52 1-3,7
  unknown 9
"odd name.py"
  d9978a8723e02b52 4
---
{"schema_version": "authorship/3.0.0", "prompts": {"d9978a8723e02b52":
  {"agent_id": {"tool": "claude", "id": "253fd5ef-0000-0000-0000-000000000000", "model": "opus"},
   "human_author": "Ada"}}}
"""


def test_a_note_of_git_ai_names_lines_and_conversation() -> None:
    noted = git_ai_note(NOTE)
    assert [(n.path, n.lines, n.session_id, n.tool) for n in noted] == [
        ("src/a.py", ((1, 3), (7, 7)), "253fd5ef-0000-0000-0000-000000000000", "claude"),
        ("src/a.py", ((9, 9),), None, None),
        ("odd name.py", ((4, 4),), "253fd5ef-0000-0000-0000-000000000000", "claude"),
    ]


def test_notes_are_read_from_git_in_either_layout(tmp_path: Path) -> None:
    repo = _repo(tmp_path / "r")
    head = repo.head()
    repo.git("notes", "--ref=ai", "add", "-m", NOTE, head)
    repo.git("notes", "--ref=review", "add", "-m", "discussed in #77", head)
    git = Repository.discover(repo.path, never())
    links = note_links(git, head, never())
    assert {(link.kind, link.value, link.path, link.where) for link in links} == {
        (LinkKind.SESSION, "253fd5ef-0000-0000-0000-000000000000", "src/a.py", "refs/notes/ai"),
        (LinkKind.SESSION, "253fd5ef-0000-0000-0000-000000000000", "odd name.py", "refs/notes/ai"),
        (LinkKind.ISSUE, "#77", None, "refs/notes/review"),
    }
    other = repo.commit("more", {"b.py": "y\n"})
    assert note_links(Repository.discover(repo.path, never()), other, never()) == []
    repo.git("checkout", "-q", "--orphan", "fan")
    repo.git("rm", "-rfq", "--cached", ".")
    repo.git("clean", "-fdq")
    fanned = repo.commit("notes", {f"{head[:2]}/{head[2:]}": NOTE})
    repo.git("update-ref", "refs/notes/ai", fanned)
    repo.git("checkout", "-q", "main")
    assert len(note_links(Repository.discover(repo.path, never()), head, never())) == 3


def test_agent_traces_are_read_from_the_work_tree(tmp_path: Path) -> None:
    record = {
        "version": "0.1.0",
        "timestamp": "2026-01-23T14:30:00Z",
        "vcs": {"type": "git", "revision": "a" * 40},
        "tool": {"name": "claude-code"},
        "files": [
            {
                "path": "src/a.py",
                "conversations": [
                    {
                        "url": "file:///home/ada/.claude/projects/x/253fd5ef-0000-0000-0000-000000000000.jsonl",
                        "contributor": {"type": "ai"},
                        "ranges": [{"start_line": 3, "end_line": 5}, {"start_line": "x"}],
                    },
                    {"contributor": {"type": "human"}, "ranges": []},
                ],
            }
        ],
    }
    write(tmp_path / ".agent-trace/traces.jsonl", json.dumps(record) + "\nbroken\n[]\n")
    [trace] = agent_traces(tmp_path, never())
    assert (trace.revision, trace.contributor, trace.tool) == ("a" * 40, "ai", "claude-code")
    assert (trace.link.value, trace.link.path, trace.link.lines) == (
        "253fd5ef-0000-0000-0000-000000000000",
        "src/a.py",
        ((3, 5),),
    )
    assert list(agent_traces(tmp_path / "nowhere", never())) == []


def _change(path: str, *lines: str) -> FileChange:
    return FileChange("M", path, None, False, (Hunk(1, 0, 1, len(lines), lines),) if lines else ())


def test_conversations_and_records_committed_with_the_code() -> None:
    links = file_links(
        [
            _change("src/a.py"),
            _change(".specstory/history/2026-01-23_14-20Z-x.md"),
            _change(".aider.chat.history.md", "+# aider chat started at 2026-02-24 16:53:06", "+#### x"),
            _change("docs/adr/0003-x.md"),
            _change(".beads/issues.jsonl", '+{"id":"bd-a1","title":"x"}', '-{"id":"bd-a1","title":"y"}'),
            _change(".entire/metadata/2026-01-15-0790ea37-0000-0000-0000-000000000000/prompt.txt"),
        ]
    )
    assert [(link.kind, link.value, link.runtime) for link in links] == [
        (LinkKind.SESSION, ".specstory/history/2026-01-23_14-20Z-x.md", "specstory"),
        (LinkKind.SESSION, ".aider.chat.history.md#2026-02-24T16:53:06", "aider"),
        (LinkKind.DECISION, "docs/adr/0003-x.md", None),
        (LinkKind.BEAD, "bd-a1", None),
        (LinkKind.SESSION, "0790ea37-0000-0000-0000-000000000000", None),
    ]


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.one_of(
            st.text(max_size=60),
            st.sampled_from(
                [
                    "Key: value",
                    " more",
                    "Entire-Checkpoint: zz",
                    "Amp-Thread-ID: T-",
                    "Claude-Session: ,",
                    "---",
                    "a.py",
                    "  k 1-2,x",
                    "{",
                    "#1",
                ]
            ),
        ),
        max_size=20,
    )
)
def test_no_text_makes_the_readers_raise(lines: list[str]) -> None:
    text = "\n".join(lines)
    for link in message_links(text):
        assert link.text
    git_ai_note(text)
    for identifier in identifiers(text):
        assert text[identifier.start :].startswith(identifier.text) and identifier.kind in IdKind
