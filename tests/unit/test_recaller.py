"""The recaller: the one door of the server and the command line."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

import pytest

from anamnesis_lsp.cancel import Cancelled, CancelToken, never
from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.recall.recaller import Recaller, RecallSettings, RecollectRequest
from anamnesis_lsp.records.conversations.stores import Store
from tests.builders.claude import Transcript
from tests.builders.repos import GRACE, Repo, new_repo

BEFORE = "def fetch(url):\n    return get(url)"
HALF_AN_HOUR_BEFORE = datetime(2020, 1, 1, 1, 30, tzinfo=timezone.utc)
AFTER = """\
def fetch(url):
    for attempt in range(RETRY_LIMIT):
        wait_for_gateway(attempt)
        return get(url)"""


@dataclass
class Scene:
    repo: Repo
    file: Path
    commit: str
    transcript: Path
    session: str
    recaller: Recaller


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    repo = new_repo(tmp_path / "app")
    repo.commit("Add fetch", {"src/fetch.py": f"{BEFORE}\n"})
    commit = repo.commit("Retry\n\nThe gateway drops the first one.", {"src/fetch.py": f"{AFTER}\n"}, author=GRACE)
    transcript = Transcript(cwd=str(repo.path), start=HALF_AN_HOUR_BEFORE)
    transcript.person("The gateway drops the first request after a restart, please retry because the job dies.")
    transcript.edit(f"{repo.path}/src/fetch.py", BEFORE, AFTER, say="I will wait, so that it can come up.")
    path = transcript.write_to(tmp_path / "claude", "-app")
    recaller = Recaller(RecallSettings(stores=(Store.at("claude-code", tmp_path / "claude"),)), [repo.path])
    yield Scene(repo, repo.path / "src/fetch.py", commit, path, transcript.id, recaller)
    recaller.close()


def test_a_round_has_all_that_its_markdown_tells(scene: Scene) -> None:
    shown = scene.recaller.recollect(RecollectRequest(scene.file, (2, 3)), never())
    wire = shown.as_wire()
    assert wire["outcome"] == "presented" and wire["schema"] == 1
    members = wire["recognizables"][0]["members"]
    assert [m["id"] for m in members] == [scene.session, scene.commit]
    assert members[0]["handle"] is not None and scene.session in members[0]["handle"]
    assert all(record["opened"] for record in wire["records"])
    for sentence in shown.story:
        assert sentence.cites
    assert "may no longer hold" in shown.markdown
    assert {entry["kind"] for entry in wire["searched"]} >= {"git", "claude-code"}


def test_lines_of_the_whole_file_where_none_are_given(scene: Scene) -> None:
    shown = scene.recaller.recollect(RecollectRequest(scene.file), never())
    assert shown.outcome == "presented"


def test_progress_is_told(scene: Scene) -> None:
    said: list[str] = []
    scene.recaller.recollect(
        RecollectRequest(scene.file, (2, 3)), never(), lambda message, percent=None: said.append(message)
    )
    assert "Opening the records" in said


def test_a_second_selection_elsewhere_is_a_fresh_recall(scene: Scene) -> None:
    first = scene.recaller.recollect(RecollectRequest(scene.file, (2, 3)), never())
    again = scene.recaller.recollect(RecollectRequest(scene.file, (3, 3)), never())
    other = scene.recaller.recollect(RecollectRequest(scene.file, (1, 1)), never())
    assert first.recall == again.recall != other.recall
    states = {entry["recall"]: entry["state"] for entry in scene.recaller.recalls()}
    assert states[first.recall] == "held" and states[other.recall] == "open"


def test_only_what_was_presented_can_be_identified(scene: Scene) -> None:
    with pytest.raises(AnamnesisError) as error:
        scene.recaller.identify(None, never())
    assert error.value.code is ErrorCode.NO_SUCH_RECALL
    shown = scene.recaller.recollect(RecollectRequest(cue="zebra crossing"), never())
    assert shown.outcome == "asked"
    with pytest.raises(AnamnesisError) as error:
        scene.recaller.identify(shown.recall, never())
    assert error.value.code is ErrorCode.NOTHING_PRESENTED


def test_identifying_emits_the_recalled_context_with_the_turn_quoted(scene: Scene) -> None:
    scene.recaller.recollect(RecollectRequest(scene.file, (2, 3)), never())
    shown = scene.recaller.say("yes, that's the one", None, never())
    assert shown.outcome == "identified"
    assert shown.recalled_context is not None
    assert "yes, that's the one" in shown.recalled_context and "gateway drops" in shown.recalled_context
    assert scene.recaller.recalls()[0]["state"] == "identified"


def test_a_rejected_candidate_stays_adjacent_and_marked(scene: Scene) -> None:
    scene.recaller.recollect(RecollectRequest(scene.file, (2, 3)), never())
    shown = scene.recaller.say("not that one", None, never())
    assert any(near.rejected for near in shown.adjacent)
    assert all(member.id != scene.session for member in shown.recognizables[0].members)


@pytest.mark.parametrize("form", ["markdown", "commit", "comment"])
def test_the_context_can_be_copied(scene: Scene, form: str) -> None:
    scene.recaller.recollect(RecollectRequest(scene.file, (2, 3)), never())
    text = scene.recaller.copy_context(None, form)  # type: ignore[arg-type]
    assert "gateway" in text


def test_every_locator_of_a_round_opens(scene: Scene) -> None:
    shown = scene.recaller.recollect(RecollectRequest(scene.file, (2, 3)), never())
    for record in shown.records:
        target = scene.recaller.open(record.member.locator, never())
        document = scene.recaller.document(target.uri, never())
        assert document.text
    assert "turn=" in shown.records[0].member.locator or "turn=" in shown.records[1].member.locator
    for kind in ("recall", "scope"):
        assert scene.recaller.document(f"anamnesis:///{kind}/{shown.recall}.md", never()).text


def test_a_locator_that_leads_nowhere_says_which(scene: Scene) -> None:
    shown = scene.recaller.recollect(RecollectRequest(scene.file, (2, 3)), never())
    locator = next(r.member.locator for r in shown.records if r.member.kind == "conversation")
    scene.transcript.unlink()
    for text, code in (
        (locator, ErrorCode.RECORD_GONE),
        ("anamnesis:///commit/000000000000/" + "0" * 40 + ".md", ErrorCode.UNKNOWN_ROOT),
        ("anamnesis:///recall/nothing.md", ErrorCode.NO_SUCH_RECALL),
        ("https://example.org", ErrorCode.BAD_LOCATOR),
    ):
        with pytest.raises(AnamnesisError) as error:
            scene.recaller.open(text, never())
        assert error.value.code is code


def test_a_hover_is_a_peek_and_leaves_no_trace(scene: Scene) -> None:
    text = scene.file.read_text()
    scene.recaller.refresh(never())
    story = scene.recaller.hover(scene.file, 2, text, 1, never())
    assert story is not None and len(story.sentences) <= 2 and story.recall is None
    assert scene.recaller.recalls() == []
    shown = scene.recaller.recollect(RecollectRequest(scene.file, (2, 3)), never())
    story = scene.recaller.hover(scene.file, 3, text, 1, never())
    assert story is not None and story.recall == shown.recall


def test_a_hover_where_there_is_nothing_to_tell_is_none(scene: Scene, tmp_path: Path) -> None:
    other = tmp_path / "loose.py"
    other.write_text("x = 1\n")
    assert scene.recaller.hover(other, 1, "x = 1\n", 1, never()) is None
    assert scene.recaller.hover(scene.file, 99, scene.file.read_text(), 1, never()) is None


def test_a_warm_hover_is_quick(scene: Scene) -> None:
    text = scene.file.read_text()
    scene.recaller.warm(scene.file, text)
    scene.recaller.hover(scene.file, 2, text, 1, never())
    begun = time.perf_counter()
    for _ in range(20):
        scene.recaller.hover(scene.file, 2, text, 1, never())
    assert (time.perf_counter() - begun) / 20 < 0.05


def test_what_was_appended_a_moment_ago_is_found(scene: Scene) -> None:
    scene.recaller.recollect(RecollectRequest(scene.file, (2, 3)), never())
    later = Transcript("00000000-0000-4000-8000-00000000beef", cwd=str(scene.repo.path))
    later.person("Why does the flux capacitor need plutonium in this module?")
    later.write_to(scene.transcript.parents[2], "-app")
    scene.recaller.refresh(never())
    time.sleep(2.1)
    shown = scene.recaller.recollect(RecollectRequest(cue="flux capacitor plutonium"), never())
    assert shown.recognizables[0].members[0].id == later.id


def test_an_unreadable_store_is_told_and_the_rest_is_searched(tmp_path: Path) -> None:
    repo = new_repo(tmp_path / "app")
    commit = repo.commit("Add", {"a.py": "value = 1\n"})
    gone = Store.at("claude-code", tmp_path / "nowhere")
    recaller = Recaller(RecallSettings(stores=(gone,)), [repo.path])
    shown = recaller.recollect(RecollectRequest(repo.path / "a.py", (1, 1)), never())
    recaller.close()
    assert shown.recognizables[0].members[0].id == commit
    assert any(entry.not_searched for entry in shown.searched if entry.kind == "claude-code")


def test_a_cancelled_recall_leaves_what_stood(scene: Scene) -> None:
    before = scene.recaller.recollect(RecollectRequest(scene.file, (2, 3)), never())
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        scene.recaller.say("no, earlier", before.recall, token)
    assert scene.recaller.recalls()[0]["state"] == "open"
    assert scene.recaller.say("that's it", before.recall, never()).outcome == "identified"


def test_several_threads_may_ask_at_once(scene: Scene) -> None:
    def ask(line: int) -> str:
        return scene.recaller.recollect(RecollectRequest(scene.file, (line, line)), never()).outcome

    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(ask, [1, 2, 3, 4] * 2)) == {"presented"}
