"""Capture evidence: receipts, scans, the cross-check channel, what another tool left, and where forks came from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from anamnesis_lsp.cancel import never
from anamnesis_lsp.index import Catalog, RecordRow
from anamnesis_lsp.readings.content import CaptureReceipt, Extraction
from anamnesis_lsp.readings.qualifying import finding
from anamnesis_lsp.recall.recaller import Recaller, RecallSettings, RecollectRequest
from anamnesis_lsp.records.conversations import hypomnesis
from anamnesis_lsp.records.conversations.opening import find_source, open_conversation
from anamnesis_lsp.records.conversations.stores import Store
from anamnesis_lsp.records.evidence import Kind, RecordKey, Speaker
from tests.builders.claude import Transcript, session
from tests.builders.repos import new_repo


@pytest.fixture
def store(tmp_path: Path) -> Store:
    (tmp_path / "claude" / "projects").mkdir(parents=True)
    return Store.at("claude-code", tmp_path / "claude")


def read(tmp_path: Path, store: Store) -> tuple[Catalog, dict[str, RecordRow]]:
    catalog = Catalog.open(tmp_path / "index.sqlite3")
    catalog.refresh([store], never())
    return catalog, {row.key.id: row for row in catalog.records([store])}


def outcome(transcript: Path, identity: str, **changes: Any) -> dict[str, Any]:
    stat = transcript.stat()
    return {
        "schema_version": 1,
        "attempt_id": "a1",
        "session_id": identity,
        "runtime": "claude",
        "revision": {"mtime_ms": stat.st_mtime_ns // 1_000_000, "size": stat.st_size},
        "state": "complete",
        "extractors": {
            "clue": {"state": "succeeded"},
            "vector": {"state": "invocation_failed"},
            "narrative": {"state": "empty", "omitted_chars": 4000},
        },
        "publication": {"state": "none", "artifacts": []},
        **changes,
    }


def leave(transcript: Path, identity: str, **changes: Any) -> Path:
    folder = transcript.parent / "hypomnesis" / ".outcomes"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{identity}.json"
    path.write_text(json.dumps(outcome(transcript, identity, **changes)))
    return path


# -- our own receipts


def test_a_stores_receipts_add_up_and_what_was_not_counted_stays_unknown(tmp_path: Path, store: Store) -> None:
    Transcript(session(1)).person("walrus").raw("{broken").raw('{"type":"novelty"}').write_to(store.root)
    Transcript(session(2), version="2.1.300").person("heron").raw("nor this").write_to(store.root)
    catalog, _ = read(tmp_path, store)
    (captured,) = catalog.captured([store]).values()
    assert (captured.records, captured.skipped_lines, captured.failed) == (2, 2, 0)
    assert captured.unverified_person_turns is None and captured.unchecked == 2
    assert dict(captured.unknown_types)["novelty"] == 1
    assert captured.versions == ("2.1.37", "2.1.300")


def test_the_cross_check_channel_counts_what_it_does_not_have(tmp_path: Path, store: Store) -> None:
    Transcript(session(1)).person("walrus").person("heron").write_to(store.root)
    Transcript(session(2)).person("otter").write_to(store.root)
    entries = [{"display": "walrus", "sessionId": session(1)}, {"display": "otter", "sessionId": session(2)}]
    (store.root / "history.jsonl").write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    catalog, rows = read(tmp_path, store)
    receipts = catalog.receipts([row.record for row in rows.values()])
    counts = {identity: receipts[row.record].scan.unverified_person_turns for identity, row in rows.items()}
    assert counts == {session(1): 1, session(2): 0}
    (captured,) = catalog.captured([store]).values()
    assert captured.unverified_person_turns == 1 and captured.unchecked == 0


# -- what another tool left


def test_a_gist_leads_to_its_record_and_supports_nothing(tmp_path: Path, store: Store) -> None:
    path = Transcript(session(1)).person("about seals").write_to(store.root)
    Transcript(session(2)).person("about herons").write_to(store.root)
    gist = path.parent / "hypomnesis" / session(1)
    gist.mkdir(parents=True)
    (gist / "narrative.md").write_text("---\nsession_id: frontmatterword\n---\n\nThe walrus episode.\n")
    catalog, rows = read(tmp_path, store)
    assert list(catalog.body_scores({"walrus": 1.0}, [store])) == [rows[session(1)].record]
    assert catalog.passages({"walrus": 1.0}, [store]) == [], "no turn is reached by a gist"
    assert not catalog.body_scores({"frontmatterword": 1.0}, [store])
    (gist / "narrative.md").write_text("The otter episode, at length.\n")
    assert catalog.pending([store], never())[0].sources == 1
    catalog.refresh([store], never())
    assert not catalog.body_scores({"walrus": 1.0}, [store])
    assert list(catalog.body_scores({"otter": 1.0}, [store])) == [rows[session(1)].record]


def test_a_foreign_receipt_is_held_beside_ours(tmp_path: Path, store: Store) -> None:
    path = Transcript(session(1)).person("walrus").write_to(store.root)
    leave(path, session(1))
    catalog, rows = read(tmp_path, store)
    receipt = catalog.receipts([rows[session(1)].record])[rows[session(1)].record]
    assert receipt.foreign is not None and receipt.foreign_stale is False
    assert receipt.foreign.extractions == (
        ("clue", "succeeded", None),
        ("vector", "invocationFailed", None),
        ("narrative", "empty", 4000),
    )
    path.write_bytes(path.read_bytes() + Transcript(session(1)).person("heron", uuid="u9").bytes)
    catalog.refresh([store], never())
    assert catalog.receipts([rows[session(1)].record])[rows[session(1)].record].foreign_stale is True


@pytest.mark.parametrize(
    "changes",
    [
        {"session_id": session(2)},
        {"runtime": "codex"},
        {"schema_version": 2},
        {"state": "done"},
        {"extractors": None},
        {"extractors": []},
    ],
)
def test_a_foreign_receipt_of_something_else_is_not_believed(
    tmp_path: Path, store: Store, changes: dict[str, Any]
) -> None:
    path = Transcript(session(1)).person("walrus").write_to(store.root)
    leave(path, session(1), **changes)
    catalog, rows = read(tmp_path, store)
    assert catalog.receipts([rows[session(1)].record])[rows[session(1)].record].foreign is None


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"[]", b"[" * 100_000, b"null", b"{" * 9, b"x" * 300_000])
def test_a_foreign_receipt_of_any_content_harms_nothing(tmp_path: Path, store: Store, content: bytes) -> None:
    path = Transcript(session(1)).person("walrus").write_to(store.root)
    leave(path, session(1)).write_bytes(content)
    catalog, rows = read(tmp_path, store)
    assert catalog.receipts([rows[session(1)].record])[rows[session(1)].record].foreign is None


def test_a_session_id_is_no_path(tmp_path: Path) -> None:
    (tmp_path / "secret.json").write_text("{}")
    assert hypomnesis.beside(tmp_path / "hypomnesis", "../secret") == ()


def test_a_state_the_contract_does_not_name_is_unknown(tmp_path: Path, store: Store) -> None:
    path = Transcript(session(1)).person("walrus").write_to(store.root)
    leave(path, session(1), extractors={"clue": {"state": "melted"}, "vector": 7})
    (source,) = [found for found in _sources(store) if found.id == session(1)]
    receipt = hypomnesis.receipt(source.beside, "claude", session(1))
    assert receipt is not None and receipt.extractions == (("clue", None, None), ("vector", None, None))


# -- forks


def fork(transcript: Path, agent: str, **entry: Any) -> Path:
    path = transcript.parent / "hypomnesis" / "subagent" / f"{agent}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    held = {
        "timestamp": "2026-03-01T09:10:00Z",
        "session_id": transcript.stem,
        "agent_id": agent,
        "agent_transcript_path": None,
        "last_assistant_message": "The walrus is in the pool.",
        **entry,
    }
    with path.open("a") as file:
        file.write(json.dumps(held) + "\n")
    return path


def test_a_captured_fork_is_a_record_and_reopens_its_parent(tmp_path: Path, store: Store) -> None:
    path = Transcript(session(1), cwd=str(tmp_path)).person("go").write_to(store.root)
    fork(path, "fork1")
    fork(path, "fork1", last_assistant_message="And the heron.")
    source = find_source("claude-code", store.root, "fork1", never())
    opened = open_conversation(source, None, never())
    assert [(turn.speaker, turn.text) for turn in opened.turns] == [
        (Speaker.SUBAGENT, "The walrus is in the pool."),
        (Speaker.SUBAGENT, "And the heron."),
    ]
    assert opened.handle.command == f"cd {tmp_path} && claude --resume {session(1)}"
    assert "parent" in (opened.handle.note or "")
    catalog, rows = read(tmp_path, store)
    assert rows["fork1"].parent_id == session(1)
    assert [hit.record for hit in catalog.passages({"walrus": 1.0}, [store])] == [rows["fork1"].record]


def test_a_fork_whose_parent_is_gone_is_told_with_the_path_of_its_capture(tmp_path: Path, store: Store) -> None:
    path = Transcript(session(1)).person("go").write_to(store.root)
    Transcript(session(2)).person("another").write_to(store.root)
    capture = fork(path, "fork1")
    path.unlink()
    source = find_source("claude-code", store.root, "fork1", never())
    handle = open_conversation(source, None, never()).handle
    assert handle.command is None and str(capture) in (handle.note or "")


def test_a_fork_that_kept_its_own_transcript_is_read_there(tmp_path: Path, store: Store) -> None:
    path = Transcript(session(1)).person("go").write_to(store.root)
    own = path.with_suffix("") / "subagents"
    own.mkdir(parents=True)
    Transcript(session(1), agent="fork1").person("the task").save(own / "agent-fork1.jsonl")
    fork(path, "fork1")
    assert sorted(source.id for source in _sources(store)) == sorted([session(1), "agent-fork1"])


def test_a_capture_that_names_no_parent_is_no_record(tmp_path: Path, store: Store) -> None:
    path = Transcript(session(1)).person("go").write_to(store.root)
    fork(path, "fork1", session_id=None)
    assert [source.id for source in _sources(store)] == [session(1)]


def _sources(store: Store) -> list[Any]:
    from anamnesis_lsp.records.conversations.registry import runtime

    return list(runtime(store.runtime).sources(store.root, never()))


# -- what is said of it

KEY = RecordKey(Kind.CONVERSATION, Path("/store"), "s1", "claude-code")


def receipt(**fields: Any) -> CaptureReceipt:
    given: dict[str, Any] = {"skipped_lines": None, "unverified_person_turns": None, "omitted_chars": None, **fields}
    return CaptureReceipt(key=KEY, extractions=given.pop("extractions", ()), **given)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (receipt(), None),
        (receipt(skipped_lines=0, unverified_person_turns=0, omitted_chars=0), None),
        (receipt(skipped_lines=1), "captured in part: 1 line of the log did not parse"),
        (receipt(skipped_lines=1200), "captured in part: 1,200 lines of the log did not parse"),
        (
            receipt(unverified_person_turns=2),
            "captured in part: 2 turns of the person are not in the list of what was typed",
        ),
        (receipt(stale=True), "captured in part: it has changed since our index read it"),
        (receipt(gone=True, stale=True), "captured in part: its source was missing when it was last looked for"),
        (
            receipt(extractions=(Extraction("text", "inputFailed", None),)),
            "captured in part: reading its text failed",
        ),
        (receipt(foreign=(Extraction("hypomnesis clue", "empty", None),), foreign_attempt="complete"), None),
        (
            receipt(foreign=(Extraction("hypomnesis clue", "inputFailed", 9),), foreign_attempt="complete"),
            "its capture by hypomnesis failed at its clue, left out 9 characters",
        ),
        (
            receipt(skipped_lines=1, foreign_attempt="in_progress", foreign_stale=True),
            "captured in part: 1 line of the log did not parse; its capture by another tool has not said that it"
            " completed, was of an earlier state of it",
        ),
    ],
)
def test_what_a_receipt_is_worth_saying(given: CaptureReceipt, said: str | None) -> None:
    assert finding(given) == said


def test_a_story_is_qualified_by_what_its_capture_missed(tmp_path: Path, store: Store) -> None:
    repo = new_repo(tmp_path / "app")
    repo.commit("Begin", {"a.py": "answer = 42\n"})
    transcript = Transcript(session(1), cwd=str(repo.path)).person("why the walrus speaks to herons").raw("{broken")
    path = transcript.assistant("It speaks because herons listen.").write_to(store.root)
    leave(path, session(1))
    recaller = Recaller(RecallSettings(stores=(store,)), [repo.path])
    wire = recaller.recollect(RecollectRequest(cue="walrus speaks to herons"), never()).as_wire()
    recaller.close()
    (qualification,) = wire["qualifications"]
    assert qualification["scan"]["skippedLines"] == 1 and qualification["scan"]["unverifiedPersonTurns"] is None
    assert "1 line of the log did not parse" in qualification["finding"]
    assert "failed at its vector" in qualification["finding"]
    states = {reach["extractor"]: reach["state"] for reach in qualification["reach"]}
    assert states["input"] == "succeeded" and states["hypomnesis vector"] == "invocationFailed"


def test_the_table_of_stores_has_the_counts(tmp_path: Path, store: Store) -> None:
    Transcript(session(1)).person("walrus").raw("{broken").raw('{"type":"novelty"}').write_to(store.root)
    recaller = Recaller(RecallSettings(stores=(store,)), [tmp_path])
    recaller.refresh(never())
    lines = recaller.stores_table(never())
    recaller.close()
    assert lines[0].split() == [
        "store", "state", "records", "MB", "from", "to", "skipped", "unknown", "unverified", "failed",
    ]  # fmt: skip
    counts = ["1", "0.0", "2026-03-01", "2026-03-01", "1", "1", "-", "0"]
    assert lines[1].split() == ["claude-code", "read", *counts]
    told = " ".join(lines[2:])
    assert "1 line did not parse" in told and "novelty (1)" in told and "seen: 2.1.37" in told
