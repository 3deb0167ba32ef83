"""Searches past the boundary, each on a past in which it alone finds something, or cannot; and the axes of a cue."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from anamnesis_lsp.present.round import Round
from anamnesis_lsp.recall.recaller import Recaller, RecallSettings, RecollectRequest
from anamnesis_lsp.records.conversations.stores import Store
from tests.builders.claude import Transcript, session
from tests.builders.repos import GRACE, Repo, new_repo
from tests.builders.scenes import PastScene, leading, past_scene, recollect, say

COPIED = "".join(
    f"    total = total + weight_of_the_{name} * {n}\n" for n, name in enumerate(("north", "south", "west"))
)


@pytest.fixture
def scene(tmp_path: Path) -> PastScene:
    return past_scene(tmp_path)


def over(root: Path, *stores: Store) -> Recaller:
    return Recaller(RecallSettings(stores=stores), [root])


def searched(shown: Round) -> dict[str, str]:
    """What each search of the round did, by its kind."""
    return {one.kind: one.how for one in shown.searched if one.how}


def left(shown: Round) -> set[str]:
    return {one.kind for one in shown.searched if not one.how}


def asked_wider(recaller: Recaller, request: RecollectRequest, words: str) -> Round:
    recollect(recaller, request)
    shown = say(recaller, words)
    recaller.close()
    return shown


@pytest.fixture
def copied(tmp_path: Path) -> Iterator[Repo]:
    """``weights.py`` holds lines that a later commit copied into ``sums.py``, and touched nothing else."""
    repo = new_repo(tmp_path / "copied")
    repo.commit("Weigh the three sides\n\nThe harbour asked for it.", {"weights.py": f"def weights():\n{COPIED}"})
    repo.commit("Add sums", {"sums.py": f"def sums():\n{COPIED}    return total\n"}, author=GRACE)
    yield repo


def test_where_lines_were_copied_from_is_found_among_all_files(copied: Repo) -> None:
    request = RecollectRequest(copied.path / "sums.py", (2, 4))
    shown = asked_wider(over(copied.path), request, "look at where it was copied from")
    assert "blame -C -C -C" in searched(shown)["git copies"]
    named = [member.gist for one in shown.recognizables for member in one.members] + [n.name for n in shown.adjacent]
    assert any("Weigh the three sides" in name for name in named), named


def test_a_line_that_another_branch_brought_too_is_found_there(copied: Repo) -> None:
    copied.git("checkout", "-q", "-b", "side", "HEAD~1")
    line = COPIED.splitlines()[0]
    elsewhere = copied.commit("Try it in another place first", {"try.py": f"def tried():\n{line}\n"})
    copied.git("checkout", "-q", "main")
    request = RecollectRequest(copied.path / "sums.py", (2, 2))
    shown = asked_wider(over(copied.path), request, "check the other branches")
    assert "their changes of" in searched(shown)["git refs"]
    assert elsewhere in {member.id for one in shown.recognizables for member in one.members}


def test_a_clone_without_the_files_of_other_branches_says_what_it_could_not_read(
    scene: PastScene, tmp_path: Path
) -> None:
    scene.repo.git("config", "uploadpack.allowFilter", "true")
    clone = tmp_path / "partial"
    scene.repo.git("clone", "-q", "--filter=blob:none", scene.repo.path.as_uri(), str(clone))
    request = RecollectRequest(cue="where did `broker_send` come from? it was something with a queue")
    shown = asked_wider(over(clone, scene.store), request, "check the other branches")
    assert "git refs" in searched(shown)
    refused = [one.not_searched or "" for one in shown.searched] + [*shown.notes]
    assert any("does not hold all of their files" in words for words in refused), shown.searched


def test_outside_of_a_repository_what_git_would_search_is_not_offered_and_finds_nothing(
    scene: PastScene, tmp_path: Path
) -> None:
    plain = tmp_path / "plain"
    plain.mkdir()
    recaller = over(plain, scene.store)
    first = recollect(recaller, RecollectRequest(cue="the gateway drops the first request"))
    assert not {"refs", "pickaxe", "copies"} & left(first)
    shown = say(recaller, "check the other branches")
    assert "git refs" not in searched(shown)
    recaller.close()


def test_the_history_is_searched_for_a_name_that_the_cue_has(scene: PastScene) -> None:
    recaller = over(scene.repo.path, scene.store)
    request = RecollectRequest(cue="why was `BACKOFF_SECONDS` put into src/fetch.py?")
    shown = asked_wider(recaller, request, "search the whole history")
    assert "(-S)" in searched(shown)["git changes"]
    assert scene.retry in {member.id for one in shown.recognizables for member in one.members}


# ── the axes of a cue ───────────────────────────────────────────────────────────────────────────────────────────────


def asked(scene: PastScene, cue: str) -> Round:
    recaller = over(scene.repo.path, scene.store)
    shown = recollect(recaller, RecollectRequest(cue=cue))
    recaller.close()
    return shown


def test_a_hash_in_the_cue_is_that_commit(scene: PastScene) -> None:
    assert scene.retry in leading(asked(scene, f"what was {scene.retry[:9]} about?"))


def test_a_path_in_the_cue_leads_to_what_touched_it(scene: PastScene) -> None:
    assert scene.sessions[1] in leading(asked(scene, "the discussion about src/store.py"))


def test_a_release_in_the_cue_is_its_tag(scene: PastScene) -> None:
    scene.repo.git("tag", "v1.2", scene.retry)
    notes = "\n".join(asked(scene, "why did we drop the lock file, after the release of 1.2?").notes)
    assert "tag v1.2" in notes or "1.2" in asked(scene, "the lock file, after the release of 1.2").cue.meant


def test_an_event_in_the_cue_is_the_commit_that_speaks_of_it(scene: PastScene) -> None:
    scene.repo.commit("Begin with Python 3.9 again after the migration", {"README": "An app, migrated.\n"})
    shown = asked(scene, "the lock file, before the migration")
    assert shown.outcome == "presented" and "before the migration" in shown.cue.meant


def test_an_id_in_the_cue_leads_to_the_record_that_is_called_so(scene: PastScene) -> None:
    path = scene.repo.path / "docs/adr/0007-no-lock-file.md"
    path.parent.mkdir(parents=True)
    path.write_text("# 7. No lock file\n\n## Status\n\nAccepted\n\n## Decision\n\nSQLite locks, so we do not.\n")
    scene.repo.git("add", ".")
    scene.repo.git("commit", "-q", "-m", "Write the decision down")
    recaller = over(scene.repo.path, scene.store, Store.at("decisions", scene.repo.path))
    shown = recollect(recaller, RecollectRequest(cue="what did ADR-7 say?"))
    recaller.close()
    assert "docs/adr/0007-no-lock-file.md" in leading(shown)


@pytest.mark.parametrize("who", ["I", "Grace"])
def test_a_person_in_the_cue_orders_what_they_wrote_first(scene: PastScene, who: str) -> None:
    scene.repo.git("config", "user.email", "ada@example.org")
    shown = asked(scene, f"{who} wrote something about the first request" if who != "I" else "I dropped the lock file")
    assert shown.outcome == "presented"
    wanted = scene.retry if who == "Grace" else scene.lock
    assert wanted in {member.id for one in shown.recognizables for member in one.members}


def test_words_added_later_bring_what_only_they_reach(scene: PastScene) -> None:
    transcript = Transcript(session(9), cwd=str(scene.repo.path)).person("Let us paint the harbour map in teal.")
    transcript.assistant("Teal it is.").write_to(scene.config, str(scene.repo.path).replace("/", "-"))
    recaller = over(scene.repo.path, scene.store)
    recollect(recaller, scene.request("src/fetch.py", 5, 6))
    shown = say(recaller, "no, it was about the harbour map in teal")
    recaller.close()
    met = {member.id for one in shown.recognizables for member in one.members}
    assert session(9) in met or any("teal" in one.name for one in shown.adjacent)


def test_before_the_first_commit_the_scope_says_that_git_has_nothing(scene: PastScene, tmp_path: Path) -> None:
    empty = new_repo(tmp_path / "empty")
    recaller = over(empty.path, scene.store)
    shown = recollect(recaller, RecollectRequest(cue="the gateway drops the first request"))
    said = [one.not_searched or "" for one in shown.searched] + [*shown.notes]
    assert any("no commit" in words for words in said), shown.searched
    recaller.close()


def test_a_wish_for_the_rule_behind_it_prefers_where_it_was_settled(scene: PastScene) -> None:
    path = scene.repo.path / "docs/adr/0007-no-lock-file.md"
    path.parent.mkdir(parents=True)
    path.write_text("# 7. No lock file\n\n## Decision\n\nOur rule is that SQLite locks, so there is no lock file.\n")
    scene.repo.git("add", ".")
    scene.repo.git("commit", "-q", "-m", "Write the decision down")
    recaller = over(scene.repo.path, scene.store, Store.at("decisions", scene.repo.path))
    shown = recollect(recaller, RecollectRequest(cue="what is our rule about the lock file?"))
    recaller.close()
    assert "docs/adr/0007-no-lock-file.md" in leading(shown)
