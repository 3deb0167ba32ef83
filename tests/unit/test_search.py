"""Which past a selection leads to, on real repositories and transcripts, decoys beside the right one."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from anamnesis_lsp.cancel import Cancelled, CancelToken, never
from anamnesis_lsp.present.round import Round
from anamnesis_lsp.recall.recaller import Recaller, RecallSettings, RecollectRequest
from anamnesis_lsp.records.conversations.stores import Store
from tests.builders.claude import Transcript, session
from tests.builders.repos import GRACE, Repo, new_repo, unchanged

BEFORE = "def fetch(url):\n    return get(url)\n"
AFTER = """\
def fetch(url):
    for attempt in range(RETRY_LIMIT):
        wait_for_gateway(BACKOFF_SECONDS * attempt)
        answer = get(url)
        if answer.status != GATEWAY_RESTARTING:
            return answer
    raise GatewayGone(url)
"""
ASKED = "The gateway drops the first request after a restart. Can we retry, because the nightly job dies of it?"
SAID = "I will back off between the attempts so that the gateway is not knocked over while it restarts."
MESSAGE = "Retry while the gateway restarts\n\nThe nightly job died of the first dropped request."
NOON = datetime(2026, 3, 2, 12, 0, tzinfo=timezone.utc)


def at(when: datetime) -> str:
    return when.isoformat()


def a_repo(tmp: Path) -> Repo:
    repo = new_repo(tmp / "app")
    repo.commit("Add fetch", {"src/fetch.py": BEFORE}, date=at(NOON - timedelta(days=9)))
    return repo


def changed(repo: Repo, message: str = MESSAGE, when: datetime = NOON, **more: str) -> str:
    return repo.commit(message, {"src/fetch.py": AFTER, **more}, author=GRACE, date=at(when))


def that_wrote_it(repo: Repo, number: int = 1, when: datetime = NOON - timedelta(minutes=30)) -> Transcript:
    transcript = Transcript(session(number), cwd=str(repo.path), start=when)
    transcript.person(ASKED)
    return transcript.edit(f"{repo.path}/src/fetch.py", BEFORE.rstrip(), AFTER.rstrip(), say=SAID)


def beside_it(repo: Repo, number: int = 2, when: datetime = NOON - timedelta(minutes=10)) -> Transcript:
    transcript = Transcript(session(number), cwd=str(repo.path), start=when)
    transcript.person("Rename get to fetch_page everywhere, I find the short name confusing in src/fetch.py.")
    return transcript.edit(f"{repo.path}/src/fetch.py", "import a", "import b  # renamed later on", say="Renaming.")


def recollected(
    repo: Repo,
    transcripts: Iterable[Transcript],
    lines: tuple[int, int] = (2, 5),
    path: str = "src/fetch.py",
    stores: tuple[Store, ...] | None = None,
    **request: str,
) -> Round:
    config = repo.path.parent / "claude"
    for transcript in transcripts:
        transcript.write_to(config, "-app")
    (config / "projects").mkdir(parents=True, exist_ok=True)
    recaller = Recaller(RecallSettings(stores=stores or (Store.at("claude-code", config),)), [repo.path])
    try:
        return recaller.recollect(RecollectRequest(repo.path / path, lines, **request), never())
    finally:
        recaller.close()


def leading(shown: Round) -> tuple[str, ...]:
    return tuple(member.id for member in shown.recognizables[0].members)


def told(shown: Round) -> str:
    return "\n".join(sentence.text for sentence in shown.story)


def test_the_conversation_that_wrote_the_lines_leads_with_their_commit(tmp_path: Path) -> None:
    repo = a_repo(tmp_path)
    commit = changed(repo)
    shown = recollected(repo, [beside_it(repo), that_wrote_it(repo)])
    assert shown.outcome == "presented"
    assert leading(shown) == (session(1), commit)
    assert "its edits wrote the selected lines" in shown.recognizables[0].joins
    assert shown.recognizables[0].confidence > 0.9
    assert "the person asked: “The gateway drops the first request" in told(shown)
    assert "The assistant's edits there wrote all 4 selected lines, in src/fetch.py." in told(shown)
    assert "Grace Hopper" in told(shown) and "The nightly job died" in told(shown)


def test_same_file_same_hour_another_conversation_is_only_adjacent(tmp_path: Path) -> None:
    repo = a_repo(tmp_path)
    changed(repo)
    shown = recollected(repo, [that_wrote_it(repo), beside_it(repo, when=NOON - timedelta(minutes=1))])
    assert leading(shown)[0] == session(1)
    assert any(session(2) in near.members for near in shown.adjacent)


def test_a_conversation_that_began_after_the_commit_did_not_lead_to_it(tmp_path: Path) -> None:
    repo = a_repo(tmp_path)
    commit = changed(repo)
    shown = recollected(repo, [that_wrote_it(repo, when=NOON + timedelta(days=2))])
    assert leading(shown) == (commit,)
    assert any("No conversation or decision record" in note for note in shown.notes)


def test_copied_text_is_the_first_writers_until_somebody_wrote_it_again(tmp_path: Path) -> None:
    repo = a_repo(tmp_path)
    changed(repo)
    quoting = Transcript(session(3), cwd=str(repo.path), start=NOON - timedelta(minutes=20))
    quoting.person(f"What does this do?\n\n{AFTER}")
    quoting.assistant(f"It retries:\n\n```py\n{AFTER}```")
    shown = recollected(repo, [that_wrote_it(repo), quoting])
    assert leading(shown)[0] == session(1)


def test_an_edit_that_failed_or_was_refused_wrote_nothing(tmp_path: Path) -> None:
    repo = a_repo(tmp_path)
    commit = changed(repo)
    failed = Transcript(session(4), cwd=str(repo.path), start=NOON - timedelta(minutes=20))
    failed.person("Please retry in src/fetch.py.")
    failed.failed_edit(f"{repo.path}/src/fetch.py", BEFORE, AFTER)
    failed.rejected_edit(f"{repo.path}/src/fetch.py", BEFORE, AFTER, "No, not like this.")
    shown = recollected(repo, [failed])
    assert "edits there wrote" not in told(shown)
    assert commit in leading(shown)


def test_a_recorded_commit_is_told_as_recorded(tmp_path: Path) -> None:
    repo = a_repo(tmp_path)
    commit = changed(repo)
    shown = recollected(repo, [that_wrote_it(repo).commit(MESSAGE.split("\n")[0], commit[:7])])
    assert f"The conversation records the commit as {commit[:9]}." in told(shown)
    assert shown.recognizables[0].joins.startswith("records making commit")


def test_a_trailer_that_names_another_conversation_is_told_as_what_the_commit_says(tmp_path: Path) -> None:
    repo = a_repo(tmp_path)
    message = f"{MESSAGE}\n\nAI-Session: {session(2)}"
    commit = changed(repo, message)
    shown = recollected(repo, [that_wrote_it(repo), beside_it(repo)])
    assert set(leading(shown)) == {session(1), session(2), commit}
    assert "the commit's trailer AI-Session names it" in shown.recognizables[0].joins
    assert "its edits wrote the selected lines" in shown.recognizables[0].joins


def test_a_trailer_to_a_conversation_that_is_gone_finds_nothing_by_itself(tmp_path: Path) -> None:
    repo = a_repo(tmp_path)
    commit = changed(repo, f"{MESSAGE}\n\nAI-Session: {session(9)}")
    assert leading(recollected(repo, []))[-1] == commit


def test_lines_are_found_again_after_a_rename_a_rebase_and_a_squash(tmp_path: Path) -> None:
    repo = a_repo(tmp_path)
    changed(repo, "wip", when=NOON)
    made = repo.head()
    transcript = that_wrote_it(repo).commit("wip", made[:7])
    repo.git("reset", "-q", "--soft", "HEAD~1")
    repo.move("src/fetch.py", "lib/client.py")
    squashed = repo.commit("Client\n\n* wip\n* rename", {}, author=GRACE, date=at(NOON + timedelta(hours=1)))
    shown = recollected(repo, [transcript, beside_it(repo)], path="lib/client.py")
    assert leading(shown) == (session(1), squashed)
    assert f"The conversation records the commit as {made[:7]}, now in {squashed[:9]}." in told(shown)


def test_a_deleted_transcript_is_found_and_named_as_not_opened(tmp_path: Path) -> None:
    repo = a_repo(tmp_path)
    commit = changed(repo)
    config = tmp_path / "claude"
    file = that_wrote_it(repo).write_to(config, "-app")
    store = (Store.at("claude-code", config),)
    recaller = Recaller(RecallSettings(stores=store), [repo.path])
    recaller.refresh(never())
    file.unlink()
    recaller.refresh(never())
    shown = recaller.recollect(RecollectRequest(repo.path / "src/fetch.py", (2, 5)), never())
    recaller.close()
    assert any(not record.opened and record.member.id == session(1) for record in shown.records)
    assert "edits there wrote" not in told(shown)
    assert commit in {member.id for one in shown.recognizables for member in one.members}
    assert any(session(1) in entry.not_opened for entry in shown.searched)


def test_unsaved_text_is_traced_where_it_is_committed(tmp_path: Path) -> None:
    repo = a_repo(tmp_path)
    commit = changed(repo)
    buffer = "# a new head\nimport time\n\n" + AFTER.replace(
        "raise GatewayGone(url)", "raise GatewayGone(url) from None"
    )
    shown = recollected(repo, [that_wrote_it(repo)], lines=(5, 10), buffer=buffer)
    assert leading(shown) == (session(1), commit)
    assert any("1 of the selected lines is not committed" in note for note in shown.notes)


def test_a_shallow_clone_tells_its_end_as_an_end(tmp_path: Path) -> None:
    repo = a_repo(tmp_path)
    repo.commit("More", {"b.py": "x = 1\n"})
    clone = repo.clone(tmp_path / "shallow", "--depth", "1")
    shown = recollected(clone, [], lines=(1, 2))
    assert "who wrote the lines before it is not known from this clone" in told(shown)
    assert not any("Ada Lovelace" in sentence.text for sentence in shown.story)
    assert any(entry.not_searched for entry in shown.searched)


def test_a_revert_is_said(tmp_path: Path) -> None:
    repo = a_repo(tmp_path)
    commit = changed(repo)
    repo.git("revert", "--no-edit", commit)
    revert = repo.head()
    shown = recollected(repo, [that_wrote_it(repo)], rev=commit)
    assert leading(shown)[0] == session(1)
    assert f"says that it reverts {commit[:9]}" in told(shown), "what came later is said"
    assert told(shown).rindex("reverts") > told(shown).rindex("brought all")
    repo.commit("Again", {"src/fetch.py": AFTER + "# again\n"})
    shown = recollected(repo, [], lines=(8, 8))
    assert revert not in leading(shown)


def test_a_decision_record_and_its_conversation_are_one_line_of_work(tmp_path: Path) -> None:
    repo = a_repo(tmp_path)
    head = "# 7. Back off while the gateway restarts\n\n## Status\n\nAccepted\n\n"
    text = f"{head}## Decision\n\nWe retry, because it drops.\n"
    commit = changed(repo, "Back off (ADR-7)", **{"docs/adr/0007-back-off.md": text})
    stores = (Store.at("claude-code", tmp_path / "claude"), Store.at("decisions", repo.path))
    shown = recollected(repo, [that_wrote_it(repo)], stores=stores)
    assert set(leading(shown)) == {"docs/adr/0007-back-off.md", session(1), commit}
    assert "the commit's message cites ADR-7" in shown.recognizables[0].joins
    assert "“7. Back off while the gateway restarts”" in told(shown) or "Back off while" in told(shown)
    assert "says: “We retry, because it drops.”" in told(shown)


def test_without_lines_the_words_lead(tmp_path: Path) -> None:
    repo = a_repo(tmp_path)
    changed(repo)
    config = tmp_path / "claude"
    that_wrote_it(repo).write_to(config, "-app")
    beside_it(repo).write_to(config, "-app")
    recaller = Recaller(RecallSettings(stores=(Store.at("claude-code", config),)), [repo.path])
    shown = recaller.recollect(RecollectRequest(cue="that time the gateway dropped requests at night"), never())
    recaller.close()
    assert leading(shown)[0] == session(1)
    assert "The gateway drops the first request" in told(shown)


def test_conversations_of_other_projects_are_left_out_of_a_discovered_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = a_repo(tmp_path)
    changed(repo)
    config = tmp_path / "claude"
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(config))
    monkeypatch.setenv("HOME", str(tmp_path))
    other = Transcript(session(5), cwd="/somewhere/else", start=NOON - timedelta(minutes=5)).person(ASKED)
    other.write_to(config, "-else")
    that_wrote_it(repo).write_to(config, "-app")
    recaller = Recaller(RecallSettings(), [repo.path])
    shown = recaller.recollect(RecollectRequest(repo.path / "src/fetch.py", (2, 5)), never())
    recaller.close()
    named = {member.id for one in shown.recognizables for member in one.members}
    assert session(1) in named and session(5) not in named
    entry = next(entry for entry in shown.searched if entry.kind == "claude-code")
    assert entry.examined == 2 and "1 of them belong to this repository" in entry.how


def test_repository_and_store_are_only_read(tmp_path: Path) -> None:
    repo = a_repo(tmp_path)
    changed(repo)
    that_wrote_it(repo).write_to(tmp_path / "claude", "-app")
    with unchanged(repo.path, tmp_path / "claude"):
        assert recollected(repo, []).story


def test_a_cancelled_search_ends_as_cancelled(tmp_path: Path) -> None:
    repo = a_repo(tmp_path)
    changed(repo)
    token = CancelToken()
    token.cancel()
    recaller = Recaller(RecallSettings(stores=()), [repo.path])
    with pytest.raises(Cancelled):
        recaller.recollect(RecollectRequest(repo.path / "src/fetch.py", (2, 5)), token)
    recaller.close()


def test_every_sentence_cites_a_record_that_opens(tmp_path: Path) -> None:
    repo = a_repo(tmp_path)
    changed(repo)
    config = tmp_path / "claude"
    that_wrote_it(repo).write_to(config, "-app")
    recaller = Recaller(RecallSettings(stores=(Store.at("claude-code", config),)), [repo.path])
    shown = recaller.recollect(RecollectRequest(repo.path / "src/fetch.py", (2, 5)), never())
    numbers = {record.n: record for record in shown.records}
    for sentence in shown.story:
        for n in sentence.cites:
            assert numbers[n].opened
            assert recaller.document(numbers[n].member.locator, never()).text
            assert recaller.open(numbers[n].member.locator, never()).uri.startswith("anamnesis:///")
    recaller.close()


def cued(repo: Repo, cue: str, stores: tuple[Store, ...] = ()) -> Round:
    recaller = Recaller(RecallSettings(stores=stores), [repo.path])
    try:
        return recaller.recollect(RecollectRequest(cue=cue), never())
    finally:
        recaller.close()


def test_a_hash_in_the_cue_names_its_commit(tmp_path: Path) -> None:
    repo = a_repo(tmp_path)
    commit = changed(repo)
    repo.commit("Gateway notes, gateway plans and gateway ideas", {"notes.md": "x\n"})
    assert leading(cued(repo, f"what was the gateway thing in {commit[:8]}")) == (commit,)


def test_an_id_in_the_cue_names_its_record(tmp_path: Path) -> None:
    repo = a_repo(tmp_path)
    repo.commit("Decide", {"docs/adr/0007-back-off.md": "# 7. Back off\n\n## Decision\n\nWe wait.\n"})
    repo.commit("Decide more", {"docs/adr/0008-other.md": "# 8. Reasons\n\n## Decision\n\nReasons, reasons.\n"})
    shown = cued(repo, "the reasons in ADR-7", (Store.at("decisions", repo.path),))
    assert leading(shown)[0] == "docs/adr/0007-back-off.md"


def test_a_time_and_a_person_order_the_commits_and_hide_none(tmp_path: Path) -> None:
    repo = new_repo(tmp_path / "app")
    first = repo.commit("Tune the cache", {"a.py": "1\n"}, date="2024-03-10T12:00:00+00:00")
    repo.git("tag", "v2.0")
    second = repo.commit("Tune the cache", {"a.py": "2\n"}, author=GRACE, date="2025-03-10T12:00:00+00:00")
    third = repo.commit("Tune the cache", {"a.py": "3\n"}, date="2026-03-10T12:00:00+00:00")
    assert leading(cued(repo, "tuning the cache in March 2025")) == (second,)
    assert leading(cued(repo, "when Grace tuned the cache")) == (second,)
    assert leading(cued(repo, "tuning the cache, since 2026")) == (third,)
    shown = cued(repo, "tuning the cache before the 2.0 release")
    assert leading(shown) == (first,)
    assert {first, second, third} == {member.id for one in shown.recognizables for member in one.members}


@pytest.mark.parametrize(("lines", "joined"), [("2-7", True), ("40-90", False)])
def test_a_note_counts_for_the_lines_it_names(tmp_path: Path, lines: str, joined: bool) -> None:
    """A note that was copied to another commit (a squash) names lines that the selection is not."""
    repo = a_repo(tmp_path)
    commit = changed(repo)
    agent = {"tool": "claude", "id": session(2), "model": "m"}
    about = json.dumps({"schema_version": "authorship/3.0.0", "prompts": {"k1": {"agent_id": agent}}})
    repo.git("notes", "--ref=ai", "add", "-m", f"src/fetch.py\n  k1 {lines}\n---\n{about}", commit)
    shown = recollected(repo, [beside_it(repo)])
    assert ("names it" in shown.recognizables[0].joins) is joined
