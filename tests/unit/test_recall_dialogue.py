"""Whole dialogues over real git, a real store and a real file of recalls: what each turn reaches, shows and leaves."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from anamnesis_lsp.cancel import Cancelled, CancelToken, never
from anamnesis_lsp.contract import Origin
from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.present.round import Round
from anamnesis_lsp.readings import codec
from anamnesis_lsp.recall.recaller import Recaller, RecollectRequest
from tests.builders.scenes import PastScene, leading, past_scene, recollect, say

BOTH = pytest.mark.parametrize("contract", ["anamnesis", "recollect"])


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> PastScene:
    return past_scene(tmp_path_factory.mktemp("scene"))


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "recalls.sqlite3"


@pytest.fixture
def recaller(scene: PastScene, state: Path) -> Iterator[Recaller]:
    opened = scene.recaller(state=state)
    yield opened
    opened.close()


def fetch(scene: PastScene) -> RecollectRequest:
    return scene.request("src/fetch.py", 5, 6)


def store(scene: PastScene) -> RecollectRequest:
    return scene.request("src/store.py", 4, 6)


def states(recaller: Recaller) -> dict[str, str]:
    return {one["recall"]: one["state"] for one in recaller.recalls()}


def told(shown: Round) -> str:
    return "\n".join(shown.notes)


# ── one recall ──────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_presentation_is_identified_and_the_context_quotes_the_turn(scene: PastScene, recaller: Recaller) -> None:
    shown = recollect(recaller, fetch(scene))
    assert scene.sessions[0] in leading(shown) and scene.retry in leading(shown)
    closed = say(recaller, "yes, that's the one")
    assert closed.outcome == "identified" and closed.recall == shown.recall
    assert closed.story == shown.story
    assert closed.recalled_context is not None
    assert "Identified by: “yes, that's the one”" in closed.recalled_context
    assert "src/fetch.py:5-6" in closed.recalled_context, "the trace begins with the selection"
    assert scene.sessions[0] in closed.recalled_context
    assert states(recaller) == {shown.recall: "identified"}


def test_a_rejected_candidate_leaves_the_lead_and_stays_named(scene: PastScene, recaller: Recaller) -> None:
    first = recollect(recaller, fetch(scene))
    second = say(recaller, "not that one")
    assert second.outcome == "presented" and leading(second) != leading(first)
    assert scene.sessions[0] not in leading(second)
    assert [one.rejected for one in second.adjacent if scene.sessions[0] in one.members] == [True]
    assert "Ruled out:" in told(second)
    assert "you ruled it out" in second.markdown
    third = say(recaller, "no, the one where the gateway drops the first request")
    assert scene.sessions[0] in leading(third), "the words reopened it"
    assert not any(one.rejected for one in third.adjacent)


def test_what_was_ruled_out_cannot_be_identified(scene: PastScene, recaller: Recaller) -> None:
    asked = recollect(recaller, RecollectRequest(cue="that time we dropped the lock file"))
    while asked.outcome == "presented":
        asked = say(recaller, "not that one")
    assert asked.outcome == "unresolved"
    with pytest.raises(AnamnesisError) as raised:
        recaller.identify(asked.recall, never())
    assert raised.value.code is ErrorCode.NOTHING_PRESENTED
    assert say(recaller, "that's it", asked.recall).outcome != "identified"


def test_a_correction_says_what_changed_and_what_it_leads_away_from_can_still_be_identified(
    scene: PastScene, recaller: Recaller
) -> None:
    recollect(recaller, store(scene))
    corrected = say(recaller, "no, earlier")
    assert "led" in told(corrected) or "same past leads" in told(corrected)
    assert say(recaller, "that's it").outcome == "identified"


def test_a_wish_about_the_form_searches_nothing(scene: PastScene, recaller: Recaller) -> None:
    first = recollect(recaller, fetch(scene))
    shorter = say(recaller, "shorter please")
    assert shorter.outcome == "presented" and leading(shorter) == leading(first)
    assert len(shorter.story) < len(first.story)
    exported = recaller.export(first.recall)["context"]
    after = [turn["content"]["is"] for turn in exported if turn["origin"] == "external"]
    assert after.count("CandidatesFound") == 1


def test_a_bare_invocation_with_nothing_before_it_reads_nothing_and_asks(recaller: Recaller) -> None:
    shown = recollect(recaller, RecollectRequest())
    assert shown.outcome == "asked" and shown.searched == () and "?" in told(shown)
    assert {turn["origin"] for turn in recaller.export(shown.recall)["context"]} == {"person", "assistant"}


def test_an_answer_to_the_open_question_is_searched_for(scene: PastScene, recaller: Recaller) -> None:
    asked = recollect(recaller, RecollectRequest())
    shown = say(recaller, "it was about the lock file that was left behind")
    assert shown.recall == asked.recall and shown.outcome == "presented"
    assert scene.sessions[1] in leading(shown)


def test_words_that_say_nothing_findable_close_unresolved_with_the_scope(recaller: Recaller) -> None:
    recollect(recaller, RecollectRequest())
    shown = say(recaller, "it had to do with zymurgy and quokkas")
    assert shown.outcome == "unresolved"
    assert shown.searched and "## Scope" in shown.markdown
    assert "there is none" not in shown.markdown.lower()


def test_an_overlapping_selection_goes_on_and_another_begins(scene: PastScene, recaller: Recaller) -> None:
    first = recollect(recaller, fetch(scene))
    again = recollect(recaller, scene.request("src/fetch.py", 6, 7))
    assert again.recall == first.recall and "going on with this recall" in told(again)
    other = recollect(recaller, store(scene))
    assert other.recall != first.recall and "kept where it stood" in told(other)
    assert states(recaller) == {first.recall: "held", other.recall: "open"}


def test_a_bare_invocation_goes_on_with_the_open_recall(scene: PastScene, recaller: Recaller) -> None:
    first = recollect(recaller, fetch(scene))
    again = recollect(recaller, RecollectRequest())
    assert again.recall == first.recall and leading(again) == leading(first)


def test_an_invocation_that_identifies_closes_what_was_presented(scene: PastScene, recaller: Recaller) -> None:
    first = recollect(recaller, fetch(scene))
    assert recollect(recaller, RecollectRequest(cue="that's it", recall=first.recall)).outcome == "identified"


def test_free_words_begin_a_recall_only_with_an_empty_intention(scene: PastScene, recaller: Recaller) -> None:
    nothing = say(recaller, "fix the failing tests please")
    assert nothing.outcome == "notActivated" and nothing.searched == () and recaller.recalls() == []
    begun = say(recaller, "what was that thing where the job was down for two days?")
    assert begun.outcome == "presented" and scene.sessions[1] in leading(begun)


# ── ends ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_under_anamnesis_an_end_holds_with_the_scope_and_an_identification_reopens_and_closes(
    scene: PastScene, recaller: Recaller
) -> None:
    first = recollect(recaller, fetch(scene))
    ended = say(recaller, "never mind")
    assert ended.outcome == "answered" and ended.searched and "## Scope" in ended.markdown
    assert states(recaller) == {first.recall: "held"}
    closed = say(recaller, "that's it")
    assert closed.outcome == "identified" and closed.recall == first.recall


def test_under_recollect_an_end_closes_stopped_with_the_scope(scene: PastScene, state: Path) -> None:
    recaller = scene.recaller("recollect", state)
    first = recollect(recaller, fetch(scene))
    ended = say(recaller, "never mind")
    assert ended.outcome == "stopped" and "## Scope" in ended.markdown and ended.trace
    assert states(recaller) == {first.recall: "stopped"}
    with pytest.raises(AnamnesisError):
        say(recaller, "that's it", first.recall)
    again = recollect(recaller, fetch(scene))
    assert again.recall != first.recall, "an invocation after a close starts a fresh recall"
    recaller.close()


@BOTH
def test_the_explicit_commands_are_the_same_acts(scene: PastScene, state: Path, contract: str) -> None:
    recaller = scene.recaller(contract, state)
    first = recollect(recaller, fetch(scene))
    assert recaller.identify(None, never()).outcome == "identified"
    second = recollect(recaller, store(scene))
    assert recaller.end(second.recall, never()).outcome == ("answered" if contract == "anamnesis" else "stopped")
    assert first.recall != second.recall
    recaller.close()


# ── several recalls ─────────────────────────────────────────────────────────────────────────────────────────────────


def test_words_that_reach_another_recall_leave_this_one_and_take_that_one_up(
    scene: PastScene, recaller: Recaller
) -> None:
    first = recollect(recaller, fetch(scene))
    second = recollect(recaller, store(scene))
    held = say(recaller, "back to the retry with the gateway")
    assert held.outcome == "holding" and held.recall == second.recall
    assert held.reached is not None and held.reached.recall == first.recall
    assert held.reached.round is not None and leading(held.reached.round) == leading(first)
    assert "Taken up instead" in held.markdown and "## Scope" not in held.markdown
    assert states(recaller) == {first.recall: "open", second.recall: "held"}
    assert say(recaller, "that's it").recall == first.recall


def test_an_end_that_reaches_another_recall_carries_the_scope(scene: PastScene, recaller: Recaller) -> None:
    recollect(recaller, fetch(scene))
    recollect(recaller, store(scene))
    held = say(recaller, "never mind that, back to the retry with the gateway")
    assert held.outcome == "holding" and "## Scope" in held.markdown


def test_the_other_recall_is_reached_without_its_name(scene: PastScene, recaller: Recaller) -> None:
    first = recollect(recaller, fetch(scene))
    recollect(recaller, store(scene))
    held = say(recaller, "go back to the other recall")
    assert held.reached is not None and held.reached.recall == first.recall


def test_another_past_that_no_recall_is_about_begins_one(scene: PastScene, recaller: Recaller) -> None:
    first = recollect(recaller, fetch(scene))
    held = say(recaller, "different topic: what was that discussion about the disk being full every week?")
    assert held.outcome == "holding" and held.recall == first.recall
    assert held.reached is not None and held.reached.round is not None
    assert held.reached.recall != first.recall
    assert scene.sessions[2] in leading(held.reached.round)


def test_words_that_only_point_never_identify_an_older_recall_than_the_one_that_closed(
    scene: PastScene, state: Path
) -> None:
    recaller = scene.recaller("recollect", state)
    first = recollect(recaller, fetch(scene))
    second = recollect(recaller, store(scene))
    assert say(recaller, "never mind").outcome == "stopped"
    assert say(recaller, "actually, that's it").outcome == "notActivated"
    assert states(recaller) == {first.recall: "held", second.recall: "stopped"}
    recaller.close()


# ── kept on disk ────────────────────────────────────────────────────────────────────────────────────────────────────


@BOTH
def test_a_held_recall_is_taken_up_again_by_another_process(scene: PastScene, state: Path, contract: str) -> None:
    before = scene.recaller(contract, state)
    first = recollect(before, fetch(scene))
    second = recollect(before, store(scene))
    say(before, "no, earlier")
    listed = [(one["recall"], one["meant"], one["leading"]) for one in before.recalls()]
    before.close()
    after = scene.recaller(contract, state)
    assert [(one["recall"], one["meant"], one["leading"]) for one in after.recalls()] == listed
    assert set(states(after).values()) == {"held"}
    assert after.document(f"anamnesis:///recall/{first.recall}.md", never()).text == first.markdown
    closed = say(after, "that's it", first.recall)
    assert closed.outcome == "identified" and closed.story == first.story
    assert states(after)[second.recall] == "held"
    after.close()


def test_a_selection_in_an_unsaved_buffer_is_searched_again_after_a_restart(scene: PastScene, state: Path) -> None:
    text = "# unsaved\n" + (scene.repo.path / "src/fetch.py").read_text()
    before = scene.recaller(state=state)
    first = recollect(before, scene.request("src/fetch.py", 6, 7, buffer=text))
    before.close()
    after = scene.recaller(state=state)
    again = say(after, "it was about the gateway", first.recall)
    assert again.outcome == "presented" and leading(again) == leading(first)
    after.close()


def test_every_round_is_derived_again_from_the_context_alone(scene: PastScene, recaller: Recaller) -> None:
    shown = [recollect(recaller, fetch(scene))]
    for words in ("no, earlier", "check other branches", "shorter please", "never mind", "that's it"):
        shown.append(say(recaller, words, shown[0].recall))
    assert recaller.export(shown[0].recall)["rounds"] == [one.as_wire() for one in shown]


def test_forgetting_removes_recalls_here_and_on_disk(scene: PastScene, recaller: Recaller, state: Path) -> None:
    first, second = recollect(recaller, fetch(scene)), recollect(recaller, store(scene))
    assert recaller.forget([first.recall]) == 1
    assert list(states(recaller)) == [second.recall]
    with pytest.raises(AnamnesisError) as raised:
        recaller.forget([first.recall])
    assert raised.value.code is ErrorCode.NO_SUCH_RECALL
    assert recaller.forget(None, 1.0) == 0 and recaller.forget(None) == 1
    assert recaller.recalls() == []
    assert recollect(recaller, store(scene)).outcome == "presented"


def test_a_process_that_keeps_nothing_writes_nothing(scene: PastScene, state: Path) -> None:
    recaller = scene.recaller(state=state, keep=False)
    recollect(recaller, fetch(scene))
    assert say(recaller, "that's it").outcome == "identified"
    recaller.close()
    assert not state.exists()


def test_a_hover_leaves_no_trace(scene: PastScene, recaller: Recaller, state: Path) -> None:
    shown = recollect(recaller, fetch(scene))
    before, exported = state.read_bytes(), recaller.export(shown.recall)
    story = recaller.hover(scene.repo.path / "src/store.py", 5, None, None, never())
    assert story is not None
    assert state.read_bytes() == before and recaller.export(shown.recall) == exported
    assert list(states(recaller)) == [shown.recall]


def test_a_cancelled_turn_leaves_the_recall_as_it_stood(scene: PastScene, recaller: Recaller) -> None:
    shown = recollect(recaller, fetch(scene))
    before = recaller.export(shown.recall)
    cancel = CancelToken()

    def report(message: str, percent: int | None = None) -> None:
        del message, percent
        cancel.cancel()

    with pytest.raises(Cancelled):
        recaller.say("no, it was about the disk", None, cancel, report)
    assert recaller.export(shown.recall) == before
    assert say(recaller, "that's it").outcome == "identified"


def test_turns_from_several_threads_are_taken_one_at_a_time(scene: PastScene, recaller: Recaller) -> None:
    shown = recollect(recaller, fetch(scene))
    threads = [threading.Thread(target=say, args=(recaller, "shorter please", shown.recall)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(recaller.export(shown.recall)["rounds"]) == 5


# ── past the boundary ───────────────────────────────────────────────────────────────────────────────────────────────


def test_the_scope_names_what_was_not_searched_and_its_cost(scene: PastScene, recaller: Recaller) -> None:
    shown = recollect(recaller, store(scene))
    left = {one.kind: one.not_searched or "" for one in shown.searched if not one.how}
    assert {"refs", "bodies", "pickaxe", "copies"} <= set(left)
    assert "1 commit that only other branches" in left["refs"] and "about a second" in left["refs"]
    assert scene.queue not in leading(shown)


def test_under_anamnesis_a_wider_search_runs_when_the_words_ask_for_it(scene: PastScene, recaller: Recaller) -> None:
    recollect(recaller, RecollectRequest(cue="we tried a queue with a broker for the rows once"))
    shown = say(recaller, "check the other branches")
    assert leading(shown) == scene.queue
    assert "Searched as well: other branches" in told(shown)
    assert "git refs" in {one.kind for one in shown.searched}
    assert "refs" not in {one.kind for one in shown.searched if not one.how}, "it is searched now"


def test_under_recollect_it_is_offered_and_runs_when_it_is_admitted(scene: PastScene, state: Path) -> None:
    recaller = scene.recaller("recollect", state)
    recollect(recaller, RecollectRequest())
    asked = say(recaller, "it was something with quokkas")
    assert asked.outcome == "expansion" and asked.expansion is not None and asked.expansion.cost
    seen: list[str] = []
    while asked.outcome == "expansion":
        assert asked.expansion is not None
        seen.append(asked.expansion.reach)
        asked = say(recaller, "yes, go ahead")
    assert asked.outcome in ("unresolved", "presented")
    assert len(seen) == len(set(seen)) >= 1, "each is offered once"
    recaller.close()


def test_declining_the_wider_search_closes_stopped(scene: PastScene, state: Path) -> None:
    recaller = scene.recaller("recollect", state)
    recollect(recaller, RecollectRequest())
    assert say(recaller, "it was something with quokkas").outcome == "expansion"
    assert say(recaller, "no thanks").outcome == "stopped"
    recaller.close()


# ── arbitrary dialogues ─────────────────────────────────────────────────────────────────────────────────────────────

WORDS = st.sampled_from(
    [
        "that's it", "not that one", "no, earlier", "never mind", "shorter", "check other branches", "ok",
        "yes, go ahead",
        "it was about the disk", "what did it say about the gateway?", "back to the retry", "back to the lock file",
        "go back to the other recall", "Grace, not Ada", "fix the tests please", "search wider", "look in docs/adr",
        "what was that thing where the job was down?", "no, the retry with a backoff one",
    ]
)  # fmt: skip


class Dialogues(RuleBasedStateMachine):
    """Lives through recalls in one process after another, and holds what holds for all of them."""

    contract = "anamnesis"
    scene: PastScene
    directory: Path
    count = 0

    @initialize()
    def begin(self) -> None:
        Dialogues.count += 1
        self.state = self.directory / f"{Dialogues.count}.sqlite3"
        self.recaller = self.scene.recaller(self.contract, self.state)
        self.contexts: dict[str, list[object]] = {}
        self.shown: dict[str, list[Round]] = {}

    def took(self, shown: Round) -> None:
        if shown.outcome == "notActivated":
            return
        self.shown.setdefault(shown.recall, []).append(shown)
        self.hold(shown)
        if shown.reached is not None and shown.reached.round is not None:
            self.took(shown.reached.round)

    def hold(self, shown: Round) -> None:
        exported = self.recaller.export(shown.recall)
        context, before = exported["context"], self.contexts.get(shown.recall, [])
        assert context[: len(before)] == before and len(context) > len(before), "the context only grows"
        self.contexts[shown.recall] = context
        opened = {one.n for one in shown.records if one.opened}
        assert all(set(sentence.cites) <= opened for sentence in shown.story), "told only from what opened"
        out = [set(one.members) for one in shown.adjacent if one.rejected]
        if shown.outcome == "presented":
            assert shown.story and {one.id for one in shown.recognizables[0].members} not in out, (
                "ruled out, yet it leads"
            )
        if self.contract == "anamnesis":
            assert shown.outcome not in ("stopped", "expansion")
        else:
            assert shown.outcome not in ("holding", "answered") and shown.dissent == ()
        if shown.outcome == "identified":
            assert context[-1]["origin"] == Origin.PERSON.value
            assert any(one.outcome == "presented" for one in self.shown[shown.recall])
        if shown.outcome in ("unresolved", "stopped"):
            assert shown.trace

    @rule(which=st.sampled_from(["fetch", "store", "bare", "cue"]))
    def run(self, which: str) -> None:
        request = {
            "fetch": fetch(self.scene),
            "store": store(self.scene),
            "bare": RecollectRequest(),
            "cue": RecollectRequest(cue="that time we gave up on the lock file"),
        }[which]
        self.took(recollect(self.recaller, request))

    @rule(words=WORDS)
    def speak(self, words: str) -> None:
        self.took(say(self.recaller, words))

    @precondition(lambda self: bool(self.contexts))
    @rule(words=WORDS, data=st.data())
    def speak_to(self, words: str, data: st.DataObject) -> None:
        recall = data.draw(st.sampled_from(sorted(self.contexts, key=list(self.contexts).index)))
        closed = self.contract == "recollect" and states(self.recaller)[recall] not in ("open", "held")
        if closed:
            with pytest.raises(AnamnesisError):
                say(self.recaller, words, recall)
        else:
            self.took(say(self.recaller, words, recall))

    @rule()
    def hover(self) -> None:
        self.recaller.hover(self.scene.repo.path / "src/store.py", 5, None, None, never())

    @rule()
    def restart(self) -> None:
        before = states(self.recaller)
        self.recaller.close()
        self.recaller = self.scene.recaller(self.contract, self.state)
        assert states(self.recaller) == {r: "held" if s == "open" else s for r, s in before.items()}

    @invariant()
    def what_is_kept_is_what_was_shown(self) -> None:
        if not hasattr(self, "recaller"):
            return
        assert set(states(self.recaller)) == set(self.contexts)
        assert list(states(self.recaller).values()).count("open") <= 1

    def teardown(self) -> None:
        if not hasattr(self, "recaller"):
            return
        for recall, shown in self.shown.items():
            exported = self.recaller.export(recall)
            assert exported["context"] == self.contexts[recall]
            rounds = [dict(one.as_wire(), reached=None, markdown="") for one in shown]
            assert [dict(one, reached=None, markdown="") for one in exported["rounds"]] == rounds
            assert all(codec.decode(turn["content"]) for turn in exported["context"])
        self.recaller.close()


@BOTH
def test_arbitrary_dialogues(scene: PastScene, tmp_path: Path, contract: str) -> None:
    machine = type("Lived", (Dialogues,), {"contract": contract, "scene": scene, "directory": tmp_path})
    run = settings(
        max_examples=12,
        stateful_step_count=14,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        print_blob=False,
    )
    from hypothesis.stateful import run_state_machine_as_test

    run_state_machine_as_test(machine, settings=run)
