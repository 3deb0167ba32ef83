"""What the catalog answers, over real Claude Code transcripts and decision records in a temporary folder."""

from __future__ import annotations

import math
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from anamnesis_lsp.cancel import never
from anamnesis_lsp.contract.types import ExtractorState
from anamnesis_lsp.index import Catalog, Refreshed
from anamnesis_lsp.index.lines import hashes, line_hash
from anamnesis_lsp.index.prepare import MAX_TOOL_CHARS
from anamnesis_lsp.records.conversations.model import EditOutcome
from anamnesis_lsp.records.conversations.stores import Store
from anamnesis_lsp.records.evidence import Kind, RecordKey, Speaker
from tests.builders.claude import START, Transcript, session
from tests.builders.codex import Rollout

ADR = "# Use SQLite\n\nStatus: accepted\n\n## Context\n\nWe need a store.\n\n## Decision\n\nWalruses vote for SQLite.\n"
RETRY = "    delay = base * 2 ** attempt\n    time.sleep(min(delay, ceiling))"


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    return Catalog.open(tmp_path / "index.sqlite3")


def store_at(root: Path) -> Store:
    return Store.at("claude-code", root)


def refreshed(catalog: Catalog, *stores: Store) -> Refreshed:
    return catalog.refresh(stores, never())


def retry_session(number: int = 1, start: datetime = START) -> Transcript:
    return (
        Transcript(session(number), start=start)
        .person("Please back off exponentially, the server bans us when we hammer it")
        .edit(
            "/home/dev/app/src/retry.py",
            "    time.sleep(1)",
            RETRY,
            say="I will add exponential backoff with a ceiling.",
        )
        .commit("Back off exponentially", sha="abc1234")
    )


def by_id(catalog: Catalog, store: Store) -> dict[str, int]:
    return {row.key.id: row.record for row in catalog.records([store])}


def test_a_line_is_traced_to_the_edit_that_wrote_it(catalog: Catalog, tmp_path: Path) -> None:
    retry_session().write_to(tmp_path / "claude")
    store = store_at(tmp_path / "claude")
    refreshed(catalog, store)
    sought = line_hash("time.sleep(min(delay, ceiling))")
    (writer,) = catalog.writers([sought, 42], [store])[sought]
    assert writer.record == by_id(catalog, store)[session(1)]
    assert writer.path == "/home/dev/app/src/retry.py"
    assert writer.outcome is EditOutcome.APPLIED
    assert writer.when is not None
    assert not writer.whole_file


def test_lines_that_were_removed_failed_or_rejected_were_written_by_nobody(catalog: Catalog, tmp_path: Path) -> None:
    transcript = Transcript(session(1)).person("go on")
    transcript.edit("/a.py", "the_old_line_here()", "the_new_line_here()")
    transcript.failed_edit("/a.py", "x", "the_failed_line_here()")
    transcript.rejected_edit("/a.py", "x", "the_rejected_line_here()", said="no, not that way")
    transcript.assistant("```\nthe_quoted_line_here()\n```")
    transcript.write_to(tmp_path / "claude")
    store = store_at(tmp_path / "claude")
    refreshed(catalog, store)
    kinds = ["old", "new", "failed", "rejected", "quoted"]
    found = {k: bool(catalog.writers([line_hash(f"the_{k}_line_here()")], [store])) for k in kinds}
    assert found == {"old": False, "new": True, "failed": False, "rejected": False, "quoted": False}
    assert [e.outcome for e in catalog.edits([store])] == [
        EditOutcome.APPLIED,
        EditOutcome.FAILED,
        EditOutcome.REJECTED,
    ]


def test_writers_come_latest_first_and_can_be_cut_at_a_time(catalog: Catalog, tmp_path: Path) -> None:
    for number in (1, 2, 3):
        retry_session(number, START + timedelta(days=number)).write_to(tmp_path / "claude")
    store = store_at(tmp_path / "claude")
    refreshed(catalog, store)
    ids = by_id(catalog, store)
    sought = hashes(RETRY)[0]
    assert [w.record for w in catalog.writers([sought], [store])[sought]] == [ids[session(n)] for n in (3, 2, 1)]
    until = (START + timedelta(days=2, hours=1)).timestamp()
    assert [w.record for w in catalog.writers([sought], [store], until)[sought]] == [ids[session(n)] for n in (2, 1)]


def test_a_records_share_of_a_patch(catalog: Catalog, tmp_path: Path) -> None:
    retry_session().write_to(tmp_path / "claude")
    store = store_at(tmp_path / "claude")
    refreshed(catalog, store)
    patch = {*hashes(RETRY), line_hash("somebody_else_wrote_this()"), line_hash("and_this_one_too()")}
    record = by_id(catalog, store)[session(1)]
    assert catalog.shares(patch, [store]) == {record: 0.5}
    assert set(hashes(RETRY)) <= catalog.line_hashes(record)


def test_a_resumed_copy_is_not_a_second_writer(catalog: Catalog, tmp_path: Path) -> None:
    original = retry_session(1)
    original.write_to(tmp_path / "claude")
    fork = Transcript(session(2), start=original.now)
    for line in original.lines:
        fork.raw(line.replace(session(1).encode(), session(2).encode()))
    fork.person("and now something else").edit("/home/dev/app/b.py", "x", "another_line_entirely()")
    fork.write_to(tmp_path / "claude")
    store = store_at(tmp_path / "claude")
    refreshed(catalog, store)
    sought = hashes(RETRY)[0]
    assert [w.record for w in catalog.writers([sought], [store])[sought]] == [by_id(catalog, store)[session(1)]]
    assert len(catalog.edits_of(["retry.py"], [store])) == 1
    assert len(catalog.commits([store])) == 1


def test_a_commit_is_found_by_full_hash_and_by_prefix(catalog: Catalog, tmp_path: Path) -> None:
    retry_session().write_to(tmp_path / "claude")
    store = store_at(tmp_path / "claude")
    refreshed(catalog, store)
    for asked in ("abc1234" + "0" * 33, "abc1234", "ABC12345"):
        (row,) = catalog.recorded_commits([asked], [store])
        assert (row.hash, row.subject, row.branch) == ("abc1234", "Back off exponentially", "main")
    assert catalog.recorded_commits(["abc1235" + "0" * 33, "abc1"], [store]) == []


def test_edits_by_time_and_by_name(catalog: Catalog, tmp_path: Path) -> None:
    retry_session().write_to(tmp_path / "claude")
    store = store_at(tmp_path / "claude")
    refreshed(catalog, store)
    (edit,) = catalog.edits_between(START.timestamp(), START.timestamp() + 3600, [store])
    assert edit.path == "/home/dev/app/src/retry.py"
    assert edit.lines == 2
    assert catalog.edits_between(None, START.timestamp(), [store]) == []
    assert catalog.edits_of(["retry.py"], [store]) == [edit]
    assert catalog.edits_of(["other.py"], [store]) == []
    assert catalog.records_started_between(START.timestamp(), None, [store]) == [edit.record]
    assert catalog.records_started_between(None, START.timestamp() - 1, [store]) == []


def test_body_scores_are_bm25(catalog: Catalog, tmp_path: Path) -> None:
    Transcript(session(1)).person("walrus walrus penguin").write_to(tmp_path / "claude")
    Transcript(session(2)).person("penguin seal otter").write_to(tmp_path / "claude")
    Transcript(session(3)).person("seal otter").write_to(tmp_path / "claude")
    store = store_at(tmp_path / "claude")
    refreshed(catalog, store)
    ids = by_id(catalog, store)
    average = (3 + 3 + 2) / 3
    idf = math.log(1 + (3 - 1 + 0.5) / (1 + 0.5))
    expected = idf * 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 3 / average))
    scores = catalog.body_scores({"walrus": 2.0, "unknown": 1.0}, [store])
    assert scores == {ids[session(1)]: pytest.approx(2 * expected)}
    assert set(catalog.body_scores({"otter": 1.0}, [store])) == {ids[session(2)], ids[session(3)]}
    assert catalog.frequencies(["penguin", "otter", "walrus", "none"], [store]) == {
        "penguin": 2,
        "otter": 2,
        "walrus": 1,
    }
    both = catalog.body_scores_of([{"walrus": 2.0}, {"otter": 1.0}], [store])
    assert both == [catalog.body_scores({"walrus": 2.0}, [store]), catalog.body_scores({"otter": 1.0}, [store])]


def test_the_persons_words_can_weigh_more_than_the_assistants(catalog: Catalog, tmp_path: Path) -> None:
    Transcript(session(1)).person("walrus").assistant("certainly").write_to(tmp_path / "claude")
    Transcript(session(2)).person("certainly").assistant("walrus").write_to(tmp_path / "claude")
    store = store_at(tmp_path / "claude")
    refreshed(catalog, store)
    ids = by_id(catalog, store)
    even = catalog.body_scores({"walrus": 1.0}, [store])
    assert even[ids[session(1)]] == pytest.approx(even[ids[session(2)]])
    weighed = catalog.body_scores({"walrus": 1.0}, [store], person=2.0)
    assert weighed[ids[session(1)]] > weighed[ids[session(2)]]
    hits = catalog.passages({"walrus": 1.0}, [store], person=2.0)
    assert [(hit.record, hit.speaker) for hit in hits] == [
        (ids[session(1)], Speaker.PERSON),
        (ids[session(2)], Speaker.ASSISTANT),
    ]


def test_a_passage_names_its_turn(catalog: Catalog, tmp_path: Path) -> None:
    retry_session().person("unrelated").write_to(tmp_path / "claude")
    store = store_at(tmp_path / "claude")
    refreshed(catalog, store)
    best = catalog.passages({"hammer": 1.0, "server": 1.0}, [store])[0]
    assert (best.turn, best.speaker) == (1, Speaker.PERSON)
    assert catalog.passages({"walrus": 1.0}, [store]) == []
    assert catalog.passages({"hammer": 1.0}, [store], records=[best.record + 1]) == []
    assert catalog.passages({"ceiling": 1.0}, [store])[0].speaker is Speaker.ASSISTANT


def test_a_word_common_to_all_passages_still_finds(catalog: Catalog, tmp_path: Path) -> None:
    for number in range(1, 30):
        Transcript(session(number)).person(f"walrus number {number}").write_to(tmp_path / "claude")
    store = store_at(tmp_path / "claude")
    refreshed(catalog, store)
    assert len(catalog.passages({"walrus": 1.0}, [store])) == 29


def test_a_coined_term_and_its_parts_find_the_same_record(catalog: Catalog, tmp_path: Path) -> None:
    Transcript(session(1)).person("why does the ShadowBranchReaper exist").write_to(tmp_path / "claude")
    store = store_at(tmp_path / "claude")
    refreshed(catalog, store)
    for term in ("shadowbranchreaper", "shadow", "reaper"):
        assert len(catalog.body_scores({term: 1.0}, [store])) == 1


def test_the_same_id_under_two_roots_is_two_records(catalog: Catalog, tmp_path: Path) -> None:
    retry_session().write_to(tmp_path / "one")
    retry_session().person("one more").write_to(tmp_path / "two")
    one, two = store_at(tmp_path / "one"), store_at(tmp_path / "two")
    refreshed(catalog, one, two)
    first, second = catalog.records([one])[0], catalog.records([two])[0]
    assert first.key.id == second.key.id
    assert first.record != second.record
    assert catalog.find(first.key) == first
    assert catalog.find(second.key) == second
    receipts = catalog.receipts([first.record, second.record])
    assert {receipts[first.record].root, receipts[second.record].root} == {str(one.root), str(two.root)}
    assert {w.record for w in catalog.writers(hashes(RETRY), [two])[hashes(RETRY)[0]]} == {second.record}
    assert catalog.by_identity(session(1)[:8], [one]) == [first]


def test_a_record_says_what_its_head_says(catalog: Catalog, tmp_path: Path) -> None:
    path = retry_session().bare("custom-title", customTitle="Backing off").write_to(tmp_path / "claude")
    store = store_at(tmp_path / "claude")
    refreshed(catalog, store)
    (row,) = catalog.records([store])
    assert row.key == RecordKey(Kind.CONVERSATION, store.root, session(1), "claude-code")
    assert (row.title, row.title_from, row.person_turns) == ("Backing off", "person", 1)
    assert (row.path, row.bytes, row.gone) == (path, path.stat().st_size, None)
    assert row.cwds == ("/home/dev/app",)
    assert row.branches == ("main",)
    assert row.started is not None
    assert datetime.fromtimestamp(row.started, timezone.utc) == START + timedelta(seconds=10)
    assert catalog.record(row.record) == row
    assert catalog.record(row.record + 1) is None


def test_every_record_has_a_receipt(catalog: Catalog, tmp_path: Path) -> None:
    path = retry_session().raw("{not json").write_to(tmp_path / "claude")
    Transcript(session(2)).person("only talk").write_to(tmp_path / "claude")
    store = store_at(tmp_path / "claude")
    refreshed(catalog, store)
    ids = by_id(catalog, store)
    receipts = catalog.receipts(ids.values())
    full, talk = receipts[ids[session(1)]], receipts[ids[session(2)]]
    assert (full.runtime, full.root, full.id) == ("claude-code", str(store.root), session(1))
    assert full.revision == ((str(path), path.stat().st_size, path.stat().st_mtime_ns),)
    assert full.head_hash is not None
    assert [reach.extractor for reach in full.reach] == ["input", "turns", "edits", "commits", "text"]
    assert {reach.state for reach in full.reach} == {ExtractorState.SUCCEEDED}
    assert full.scan.skipped_lines == 1
    assert talk.state("edits") is ExtractorState.EMPTY
    assert talk.state("commits") is ExtractorState.EMPTY
    assert talk.state("turns") is ExtractorState.SUCCEEDED


def test_what_is_too_long_to_index_is_counted(catalog: Catalog, tmp_path: Path) -> None:
    text = "\n".join(f"generated_value_{n} = compute({n})" for n in range(2000))
    Transcript(session(1)).person("generate").edit("/a.py", "x", text).write_to(tmp_path / "claude")
    store = store_at(tmp_path / "claude")
    refreshed(catalog, store)
    (record,) = by_id(catalog, store).values()
    receipt = catalog.receipts([record])[record]
    assert next(r.omitted for r in receipt.reach if r.extractor == "text") == len(text) - 20_000
    assert line_hash("generated_value_1999 = compute(1999)") in catalog.writers(hashes(text), [store])


def test_secrets_of_fixed_formats_do_not_enter_the_index(catalog: Catalog, tmp_path: Path) -> None:
    token = "ghp_" + "aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xYz1Z2"
    Transcript(session(1)).person(f"my token is {token}, use it").write_to(tmp_path / "claude")
    store = store_at(tmp_path / "claude")
    refreshed(catalog, store)
    catalog.close()
    held = b"".join(path.read_bytes() for path in tmp_path.glob("index.sqlite3*"))
    assert token.lower().encode() not in held.lower()
    assert len(catalog.body_scores({"token": 1.0}, [store])) == 1


def test_a_secret_enters_the_index_by_no_way(catalog: Catalog, tmp_path: Path) -> None:
    """Cut in two by a limit, in a path, a directory, a branch, a title, a subject, a link, a remote's URL."""
    token = "ghp_" + "aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xYz1Z2"
    talk = Transcript(session(1), cwd=f"/home/dev/{token}", branch=f"fix/{token}").person(f"about {token}")
    for before in range(MAX_TOOL_CHARS - 60, MAX_TOOL_CHARS + 1, 6):
        talk.bash("x" * 40 + " " * (before - 40) + token, "done")
    talk.edit(f"/home/dev/{token}.py", "", "y = 1\n" * 3300 + "# " * 80 + token).commit(f"Use {token}", branch=token)
    talk.bare("custom-title", customTitle=f"Key {token}").bare("pr-link", prUrl=f"https://x/{token}/1")
    talk.write_to(tmp_path / "claude")
    git = {"commit_hash": "f" * 40, "branch": token, "repository_url": f"https://dev:{token}@example.com/dev/app.git"}
    Rollout(git={**git, "password": "hunter2"}).prompt("Go").write_to(tmp_path / "codex")
    Rollout(2, git={**git, "repository_url": "https://dev:hunter2@example.com/dev/app.git"}).prompt("Go").write_to(
        tmp_path / "codex"
    )
    stores = [store_at(tmp_path / "claude"), Store.at("codex", tmp_path / "codex")]
    assert catalog.refresh(stores, never()).captured == 3
    assert {remote for row in catalog.records(stores) for remote in row.remotes} == {"https://example.com/dev/app.git"}
    catalog.close()
    held = b"".join(path.read_bytes() for path in tmp_path.glob("index.sqlite3*")).lower()
    assert token[:12].lower().encode() not in held and b"hunter2" not in held


def test_no_text_of_a_record_lies_in_the_index(catalog: Catalog, tmp_path: Path) -> None:
    said = "the quick heron jumps over seventeen sleeping otters"
    Transcript(session(1)).person("start").assistant(said).write_to(tmp_path / "claude")
    refreshed(catalog, store_at(tmp_path / "claude"))
    catalog.close()
    held = b"".join(path.read_bytes() for path in tmp_path.glob("index.sqlite3*"))
    assert b"heron" in held
    assert b"heron jumps" not in held


def test_decision_records_are_found_by_section(catalog: Catalog, tmp_path: Path) -> None:
    adr = tmp_path / "repo" / "docs" / "adr"
    adr.mkdir(parents=True)
    (adr / "0001-use-sqlite.md").write_text(ADR)
    store = Store.at("decisions", adr)
    done = refreshed(catalog, store)
    assert (done.captured, done.failures) == (1, ())
    (row,) = catalog.records([store])
    assert row.kind is Kind.DECISION
    assert row.title == "Use SQLite"
    assert catalog.find(row.key) == row
    (hit,) = catalog.passages({"walruses": 1.0}, [store])
    assert (hit.record, hit.part, hit.speaker) == (row.record, "Decision", Speaker.DOCUMENT)
    assert refreshed(catalog, store).unchanged == 1


def test_a_decision_record_that_was_removed_is_gone(catalog: Catalog, tmp_path: Path) -> None:
    (tmp_path / "adr").mkdir()
    for name in ("0001-a.md", "0002-b.md"):
        (tmp_path / "adr" / name).write_text(f"# {name}\n\n## Decision\n\nYes.\n")
    store = Store.at("decisions", tmp_path / "adr")
    refreshed(catalog, store)
    (tmp_path / "adr" / "0002-b.md").unlink()
    assert refreshed(catalog, store).gone == 1
    assert [row.gone is not None for row in catalog.records([store])] in ([False, True], [True, False])


def test_issues_of_beads_are_one_record_each(catalog: Catalog, tmp_path: Path) -> None:
    (tmp_path / ".beads").mkdir()
    issues = tmp_path / ".beads" / "issues.jsonl"
    issues.write_text(
        '{"id":"bd-1","title":"Lock file","status":"open","description":"walrus"}\n'
        '{"id":"bd-2","title":"Other","status":"closed","close_reason":"otter"}\n'
    )
    store = Store.at("beads", tmp_path)
    refreshed(catalog, store)
    assert {row.key.id for row in catalog.records([store])} == {".beads/issues.jsonl#bd-1", ".beads/issues.jsonl#bd-2"}
    assert len(catalog.body_scores({"otter": 1.0}, [store])) == 1
    assert catalog.stores([store])[0].bytes == issues.stat().st_size
