"""A commit that a conversation recorded and that lives on in another joins the two; the story says which is which."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from anamnesis_lsp.present.round import Round
from anamnesis_lsp.readings import forms
from anamnesis_lsp.records.evidence import Kind, OpenedRecord, Passage, RecordKey, Span, Speaker
from tests.builders.claude import Transcript
from tests.builders.repos import Repo
from tests.unit.test_search import MESSAGE, NOON, a_repo, at, beside_it, changed, leading, recollected, that_wrote_it


def told(shown: Round) -> str:
    return " ".join(sentence.text for sentence in shown.story)


def recorded_on_a_branch(repo: Repo) -> tuple[str, Transcript]:
    """The commit as the conversation made it, on a branch of its own, and that conversation."""
    repo.git("checkout", "-q", "-b", "topic")
    recorded = changed(repo)
    transcript = that_wrote_it(repo).commit(MESSAGE.split("\n")[0], recorded[:7])
    repo.git("checkout", "-q", "main")
    return recorded, transcript


@pytest.mark.parametrize("how", ["rebase", "squash", "amend"])
def test_the_story_says_recorded_as_and_now_in(tmp_path: Path, how: str) -> None:
    repo = a_repo(tmp_path)
    recorded, transcript = recorded_on_a_branch(repo)
    repo.commit("Meanwhile", {"README": "read me\n"}, date=at(NOON))
    if how == "rebase":
        repo.git("cherry-pick", recorded)
    else:
        repo.git("merge", "-q", "--squash", "topic")
        repo.write("docs/more.md", "More of it, written before the squash.\n")
        repo.commit("Retry, and more (#4)" if how == "squash" else MESSAGE, date=at(NOON))
    now = repo.head()
    repo.git("branch", "-D", "topic")
    shown = recollected(repo, [beside_it(repo), transcript])
    assert set(leading(shown)) == {now, transcript.id}
    assert f"recorded as {recorded[:7]}, now in {now[:9]}" in shown.recognizables[0].joins
    assert f"The conversation records the commit as {recorded[:7]}, now in {now[:9]}." in told(shown)


def test_a_commit_that_is_gone_is_known_by_its_subject_and_the_lines(tmp_path: Path) -> None:
    repo = a_repo(tmp_path)
    recorded, transcript = recorded_on_a_branch(repo)
    repo.git("merge", "-q", "--squash", "topic")
    repo.commit(f"Work of the week (#4)\n\n* {MESSAGE.splitlines()[0]}", date=at(NOON))
    repo.git("branch", "-D", "topic")
    repo.git("reflog", "expire", "--expire=now", "--all")
    repo.git("gc", "-q", "--prune=now")
    shown = recollected(repo, [transcript])
    assert f"records the commit as {recorded[:7]}, now in {repo.head()[:9]}." in told(shown)


def test_what_was_dropped_is_now_in_nothing(tmp_path: Path) -> None:
    repo = a_repo(tmp_path)
    _, transcript = recorded_on_a_branch(repo)
    other = repo.commit(
        "Try once more", {"src/fetch.py": "def fetch(url):\n    return get(url) or get(url)\n"}, date=at(NOON)
    )
    shown = recollected(repo, [transcript], lines=(2, 2))
    assert other[:9] in told(shown) and "now in" not in told(shown)


def test_neither_hash_of_the_sentence_can_be_another(tmp_path: Path) -> None:
    then, now = "a" * 40, "b" * 40
    made = Passage("Retry", Speaker.ASSISTANT, None, None, Span(turn=3), "rewritten")
    key = RecordKey(Kind.CONVERSATION, tmp_path, "s", "claude-code")
    opened = OpenedRecord(key, "t", None, None, None, (made,), hashes=(then, now))
    sentence = forms.compose("recorded then", hash=then[:9], target=now[:9])
    assert forms.supported(opened, sentence)
    for wrong in ((now, then), (then, then), (now, now), ("c" * 9, now)):
        assert not forms.supported(opened, forms.compose("recorded then", hash=wrong[0][:9], target=wrong[1][:9]))
    assert not forms.supported(replace(opened, hashes=(now,)), sentence)
