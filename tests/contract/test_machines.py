"""Both machines under arbitrary readings: they agree with the Lean texts, and hold what the texts promise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from anamnesis_lsp.contract import (
    Answer,
    Branch,
    Cite,
    Claim,
    Context,
    Coord,
    Evidence,
    Filled,
    Grounding,
    Holding,
    Identified,
    NotActivated,
    Occ,
    Origin,
    Qualification,
    Recognizable,
    SourceScan,
    Stepped,
    Stopped,
    Turn,
    Unresolved,
    Utterance,
    anamnesis,
    recollect,
)
from tests.contract import lean
from tests.contract.scripted import CANDIDATES, Scripted, of_origin, person, respond, session

draws = st.lists(st.integers(0, 11), min_size=1, max_size=40)
turns = st.builds(Turn, st.sampled_from(Origin), st.sampled_from("xyz"))
contexts = st.lists(turns, max_size=6).map(tuple)
utterances = st.lists(st.sampled_from(["that's it", "no, earlier", "never mind", "hm"]).map(person), max_size=5)

PRESENT: dict[str, object] = {"found": 3, "search": 2, "story of a": 1}
NOTHING: dict[str, object] = {"found": 0}


# -- against the texts -------------------------------------------------------------------------------------------------


@settings(max_examples=400)
@given(draws, contexts, utterances)
def test_anamnesis_is_the_machine_of_the_text(drawn: list[int], c: Context[str], us: list[Utterance[str]]) -> None:
    oracle = lean.Anamnesis(Scripted(drawn), respond, session)
    assert anamnesis.start(Scripted(drawn), respond, session, c, us) == oracle.start(c, us)
    assert anamnesis.recollect(Scripted(drawn), respond, session, c, us) == oracle.recollect(c, us)
    assert anamnesis.closing(Scripted(drawn), c) == oracle.closing(c)
    assert anamnesis.settle(Scripted(drawn), c) == oracle.settle(c)


@settings(max_examples=400)
@given(draws, contexts, utterances)
def test_recollect_is_the_machine_of_the_earlier_text(
    drawn: list[int], c: Context[str], us: list[Utterance[str]]
) -> None:
    oracle = lean.Recollect(Scripted(drawn), respond)
    assert recollect.start(Scripted(drawn), respond, c, us) == oracle.start(c, us)
    assert recollect.recollect(Scripted(drawn), respond, c, us) == oracle.recollect(c, us)
    assert recollect.closing(Scripted(drawn), c) == oracle.closing(c)
    assert recollect.settle(Scripted(drawn), c) == oracle.settle(c)


# -- one utterance at a time, either machine ---------------------------------------------------------------------------


class Dialogue(RuleBasedStateMachine):
    """One recall lived through step by step, the readings drawn anew before each step."""

    branches: frozenset[Branch]
    outcomes: tuple[type, ...]

    def begin_with(self, rd: Scripted, c: Context[str]) -> Stepped[str, Any]:
        raise NotImplementedError

    def step_with(self, rd: Scripted, c: Context[str], u: Utterance[str]) -> Stepped[str, Any]:
        raise NotImplementedError

    def lives_through(self, rd: Scripted, before: Context[str], stepped: Stepped[str, Any]) -> None:
        self.rd, self.before, self.last = rd, before, stepped
        self.c = stepped.context
        self.running = stepped.outcome is None

    @initialize(drawn=draws, c=contexts)
    def begins(self, drawn: list[int], c: Context[str]) -> None:
        rd = Scripted(drawn)
        self.said: Utterance[str] | None = None
        self.lives_through(rd, c, self.begin_with(rd, c))

    @precondition(lambda self: self.running)
    @rule(drawn=draws, text=st.sampled_from(["that's it", "no, earlier", "never mind", "hm"]))
    def the_person_says(self, drawn: list[int], text: str) -> None:
        rd = Scripted(drawn)
        self.said = person(text)
        self.lives_through(rd, self.c, self.step_with(rd, self.c, self.said))

    @precondition(lambda self: not self.running)
    @rule(drawn=draws)
    def it_is_taken_up_again(self, drawn: list[int]) -> None:
        rd = Scripted(drawn)
        self.said = None
        self.lives_through(rd, self.c, self.begin_with(rd, self.c))

    @invariant()
    def the_context_only_grows(self) -> None:
        assert self.c[: len(self.before)] == self.before

    @invariant()
    def the_turn_is_kept(self) -> None:
        if self.said is not None:
            assert self.c[len(self.before)] is self.said.val

    @invariant()
    def nobody_else_speaks_for_the_person(self) -> None:
        added = self.c[len(self.before) :]
        assert [t for t in added if t.origin is Origin.PERSON] == ([] if self.said is None else [self.said.val])

    @invariant()
    def only_branches_of_the_text_are_taken(self) -> None:
        assert self.last.branch in self.branches
        assert self.last.outcome is None or isinstance(self.last.outcome, self.outcomes)
        assert self.last.outcome is None or self.last.outcome.context == self.c

    @invariant()
    def a_round_ends_with_what_was_presented(self) -> None:
        if not self.running:
            return
        stood = self.c[:-1]
        said = session if self.last.branch is Branch.ANSWERED else respond
        assert self.c[-1] == said(stood).val
        lead = anamnesis.leading(self.rd, stood)
        if self.last.branch is Branch.PRESENTED:
            assert lead is not None
        elif self.last.branch is not Branch.ANSWERED:
            assert lead is None
            assert (self.last.branch is Branch.EXPANSION) == self.rd.added_to_cue(stood)

    @invariant()
    def nothing_is_presented_whose_records_did_not_open(self) -> None:
        if self.last.branch is Branch.PRESENTED:
            lead = anamnesis.leading(self.rd, self.c[:-1])
            assert lead is not None
            cited = [claim.src.turn.origin for claim in self.rd.story(self.c[:-1], lead)]
            assert cited
            assert set(cited) <= {Origin.EXTERNAL, Origin.PEER}

    @invariant()
    def only_the_persons_turn_identifies(self) -> None:
        if isinstance(self.last.outcome, Identified):
            value = self.last.outcome.value
            assert self.c[value.identified_at].origin is Origin.PERSON
            assert value.recognizable == self.rd.presented(self.c)

    @invariant()
    def an_unresolved_close_follows_words_added_and_nothing_to_present(self) -> None:
        if isinstance(self.last.outcome, Unresolved):
            assert self.rd.added_to_cue(self.c)
            assert anamnesis.leading(self.rd, self.c) is None


class AnamnesisDialogue(Dialogue):
    branches = frozenset(Branch) - {Branch.STOPPED, Branch.EXPANSION}
    outcomes = (NotActivated, Identified, Unresolved, Holding)

    def begin_with(self, rd: Scripted, c: Context[str]) -> Stepped[str, Any]:
        return anamnesis.begin(rd, respond, c)

    def step_with(self, rd: Scripted, c: Context[str], u: Utterance[str]) -> Stepped[str, Any]:
        return anamnesis.step(rd, respond, session, c, u)

    @invariant()
    def a_closed_identification_carries_the_doubts_that_stood_before_the_turn(self) -> None:
        if isinstance(self.last.outcome, Identified):
            value = self.last.outcome.value
            assert value.dissent == tuple(self.rd.dissent(self.c[: value.identified_at], value.recognizable))

    @invariant()
    def no_later_turn_of_the_person_follows_the_identifying_one(self) -> None:
        if isinstance(self.last.outcome, Identified):
            assert of_origin(self.c, Origin.PERSON)[-1] == self.last.outcome.value.identified_at


class RecollectDialogue(Dialogue):
    branches = frozenset(Branch) - {Branch.HELD_ELSEWHERE, Branch.ANSWERED}
    outcomes = (NotActivated, Identified, Stopped, Unresolved)

    def begin_with(self, rd: Scripted, c: Context[str]) -> Stepped[str, Any]:
        return recollect.begin(rd, respond, c)

    def step_with(self, rd: Scripted, c: Context[str], u: Utterance[str]) -> Stepped[str, Any]:
        return recollect.step(rd, respond, c, u)

    @invariant()
    def it_asks_neither_whether_a_turn_reaches_it_nor_another_recall(self) -> None:
        assert not {"reaches", "elsewhere"} & set(self.rd.asked)

    @invariant()
    def it_keeps_no_doubts(self) -> None:
        if isinstance(self.last.outcome, Identified):
            assert self.last.outcome.value.dissent is None

    @invariant()
    def it_does_not_settle_while_a_wider_search_is_worth_offering(self) -> None:
        if isinstance(self.last.outcome, Unresolved):
            assert self.rd.expansion(self.c) is None


TestAnamnesisDialogue = AnamnesisDialogue.TestCase
TestRecollectDialogue = RecollectDialogue.TestCase
TestAnamnesisDialogue.settings = settings(max_examples=80, stateful_step_count=12)
TestRecollectDialogue.settings = settings(max_examples=80, stateful_step_count=12)


# -- sentence by sentence ----------------------------------------------------------------------------------------------


def started(rd: Scripted, machine: str, c: Context[str]) -> Stepped[str, Any]:
    return anamnesis.begin(rd, respond, c) if machine == "anamnesis" else recollect.begin(rd, respond, c)


def stepped(rd: Scripted, machine: str, c: Context[str], text: str) -> Stepped[str, Any]:
    if machine == "anamnesis":
        return anamnesis.step(rd, respond, session, c, person(text))
    return recollect.step(rd, respond, c, person(text))


BOTH = pytest.mark.parametrize("machine", ["anamnesis", "recollect"])
SHOWN = (Turn(Origin.PERSON, "why?"), Turn(Origin.EXTERNAL, "a record"), Turn(Origin.ASSISTANT, "a round"))


@given(draws, contexts)
def test_silence_never_closes(drawn: list[int], c: Context[str]) -> None:
    assert anamnesis.recollect(Scripted(drawn), respond, session, c, []) == Holding(c)
    assert recollect.recollect(Scripted(drawn), respond, c, []) == Holding(c)


@BOTH
@pytest.mark.parametrize(("invoked", "empty"), [(0, 0), (0, 1), (1, 0), (1, 1)])
def test_a_recall_starts_on_an_invocation_or_an_empty_intention(machine: str, invoked: int, empty: int) -> None:
    rd = Scripted([0], invoked=invoked, empty_intention=empty)
    begun = started(rd, machine, SHOWN)
    if invoked or empty:
        assert begun.branch is Branch.ASKED
        assert "search" in rd.asked
    else:
        assert begun == Stepped(SHOWN, Branch.NOT_ACTIVATED, NotActivated(SHOWN))
        assert rd.asked == []


@BOTH
def test_a_pass_adds_its_reads_and_then_its_record_of_them(machine: str) -> None:
    c = (Turn(Origin.PERSON, "why?"),)
    pass_ = anamnesis.pass_ if machine == "anamnesis" else recollect.pass_
    rd = Scripted([0], search=2, pass_record=1, **{"origin 1": 1})
    assert pass_(rd, c) == (
        *c,
        Turn(Origin.EXTERNAL, "read 0 at 1"),
        Turn(Origin.PEER, "read 1 at 1"),
        Turn(Origin.ASSISTANT, "pass over 3"),
    )


@BOTH
def test_the_leading_one_is_the_first_found_whose_story_rests_on_an_opened_record(machine: str) -> None:
    leading = anamnesis.leading if machine == "anamnesis" else recollect.leading
    c = (Turn(Origin.EXTERNAL, "a record"),)
    assert leading(Scripted([0], found=3, **{"story of b": 1, "story of c": 1}), c) == CANDIDATES[1]
    assert leading(Scripted([0], found=3), c) is None
    assert leading(Scripted([1], found=0), c) is None


@BOTH
def test_with_a_leading_recognizable_the_round_presents_it(machine: str) -> None:
    for added in (0, 1):
        done = stepped(Scripted([0], reaches=1, added_to_cue=added, **PRESENT), machine, (), "hm")
        assert (done.branch, done.outcome) == (Branch.PRESENTED, None)


@BOTH
@pytest.mark.parametrize("expansion", [0, 1])
def test_with_nothing_to_present_and_nothing_added_one_open_question_is_asked(machine: str, expansion: int) -> None:
    done = stepped(Scripted([0], reaches=1, added_to_cue=0, expansion=expansion, **NOTHING), machine, (), "hm")
    assert (done.branch, done.outcome) == (Branch.ASKED, None)


def test_with_nothing_to_present_and_something_added_anamnesis_closes_unresolved() -> None:
    c = (Turn(Origin.EXTERNAL, "a record"),)
    done = stepped(Scripted([0], reaches=1, added_to_cue=1, expansion=1, **NOTHING), "anamnesis", c, "in May")
    assert done.branch is Branch.UNRESOLVED
    assert done.outcome == Unresolved(done.context, "searched by 2", ("scope 0 at 2",))


def test_recollect_offers_the_wider_search_before_it_closes_unresolved() -> None:
    offered = stepped(Scripted([0], added_to_cue=1, expansion=1, **NOTHING), "recollect", (), "in May")
    assert (offered.branch, offered.outcome) == (Branch.EXPANSION, None)
    closed = stepped(Scripted([0], added_to_cue=1, expansion=0, **NOTHING), "recollect", (), "in May")
    assert closed.outcome == Unresolved(closed.context, "searched by 1", ())


def test_an_identification_carries_the_doubts_that_stood_before_the_turn() -> None:
    fixed = {"answer": 2, "answer by": 0, "presented": 1, "story of a": 1}
    done = stepped(Scripted([0], **fixed), "anamnesis", SHOWN, "that's it")
    assert done.branch is Branch.IDENTIFIED
    assert isinstance(done.outcome, Identified)
    value = done.outcome.value
    assert (value.identified_at, value.dissent) == (3, ("doubt of a at 3",))
    assert (value.story, value.qualifications, value.searched) == (("a 1 at 4",), ("a 1 at 4",), "searched by 4")


def test_under_recollect_the_same_identification_keeps_no_doubts() -> None:
    fixed = {"answer": 2, "answer by": 0, "presented": 1}
    done = stepped(Scripted([0], **fixed), "recollect", SHOWN, "that's it")
    assert done.branch is Branch.IDENTIFIED
    assert isinstance(done.outcome, Identified)
    assert done.outcome.value.dissent is None


@BOTH
def test_an_identification_of_nothing_presented_closes_nothing(machine: str) -> None:
    done = stepped(Scripted([0], answer=2, presented=0, reaches=1), machine, SHOWN, "that's it")
    assert done.outcome is None


def test_under_anamnesis_an_earlier_turn_of_the_person_identifies_nothing() -> None:
    earlier = {"answer": 2, "answer by": 1, "presented": 1}
    assert stepped(Scripted([0], **earlier), "anamnesis", SHOWN, "hm").branch is Branch.ANSWERED
    assert stepped(Scripted([0], **earlier), "recollect", SHOWN, "hm").branch is Branch.IDENTIFIED


@BOTH
def test_words_that_end_the_recall_stop_it_only_under_recollect(machine: str) -> None:
    done = stepped(Scripted([0], answer=3, presented=1), machine, SHOWN, "never mind")
    if machine == "recollect":
        assert done.branch is Branch.STOPPED
        assert done.outcome == Stopped(done.context, "searched by 4", ("scope 1 at 4",))
    else:
        assert (done.branch, done.outcome) == (Branch.ANSWERED, None)


def test_a_turn_that_reaches_another_recall_leaves_this_one_holding_with_the_turn_kept() -> None:
    rd = Scripted([0], elsewhere=1, reaches=1)
    done = stepped(rd, "anamnesis", SHOWN, "the other thing")
    held = (*SHOWN, person("the other thing").val)
    assert done == Stepped(held, Branch.HELD_ELSEWHERE, Holding(held))
    assert rd.asked == ["elsewhere"]


def test_an_identification_beats_another_recall_and_other_work() -> None:
    fixed = {"answer": 2, "answer by": 0, "presented": 1, "elsewhere": 1}
    assert stepped(Scripted([0], **fixed), "anamnesis", SHOWN, "that's it").branch is Branch.IDENTIFIED


def test_what_does_not_bear_on_the_recall_is_answered_without_a_pass() -> None:
    rd = Scripted([0], reaches=0)
    done = stepped(rd, "anamnesis", SHOWN, "fix the test")
    assert done.branch is Branch.ANSWERED
    assert done.context == (*SHOWN, person("fix the test").val, session((*SHOWN, person("fix the test").val)).val)
    assert "search" not in rd.asked


@pytest.mark.parametrize("machine", ["anamnesis", "recollect"])
def test_a_continued_recall_is_closed_at_its_start_only_under_anamnesis(machine: str) -> None:
    c = (*SHOWN, Turn(Origin.PERSON, "yes, that one"))
    rd = Scripted([0], invoked=1, answer=2, presented=1, **{"answer by": 0})
    begun = started(rd, machine, c)
    assert begun.branch is (Branch.IDENTIFIED if machine == "anamnesis" else Branch.ASKED)


@given(contexts, st.integers(-1, 6))
def test_no_person_after_means_what_it_says(c: Context[str], i: int) -> None:
    assert anamnesis.no_person_after(c, i) == (not [j for j in of_origin(c, Origin.PERSON) if j > i])


# -- what a reading may not answer -------------------------------------------------------------------------------------


class Unbound(Scripted):
    """Readings that answer with values bound to a context other than the one they were given."""

    def __init__(self, what: str, **fixed: object) -> None:
        super().__init__([0], **fixed)
        self.what = what

    def other(self, c: Context[str]) -> Context[str]:
        return (*c, Turn(Origin.EXTERNAL, "of another context"), Turn(Origin.PERSON, "that's it"))

    def story(self, c: Context[str], r: Recognizable) -> list[Claim[str]]:
        other = self.other(c) if self.what == "a claim" else c
        return [Claim("said", Cite.to(other, i), self.claim_supported) for i in of_origin(other, Origin.EXTERNAL)[-1:]]

    def _qualified(self, c: Context[str], what: str) -> list[Qualification[str]]:
        other = self.other(c) if self.what == "a qualification" else c
        return [
            Qualification("r", (), SourceScan(), what, Cite.to(other, i))
            for i in of_origin(other, Origin.EXTERNAL)[-1:]
        ]

    def answer(self, c: Context[str]) -> Occ[str, Answer]:
        other = self.other(c) if self.what == "the answer" else c
        admits: Callable[[Grounding], bool] = lambda _src: True  # noqa: E731
        origin = Origin.EXTERNAL if self.what == "a record" else Origin.PERSON
        return Filled(
            Coord(admits, self.answer_supported), Answer.IDENTIFIED, Cite.to(other, of_origin(other, origin)[-1])
        )


@BOTH
@pytest.mark.parametrize("what", ["a claim", "a qualification", "the answer"])
def test_an_answer_bound_to_another_context_is_refused(machine: str, what: str) -> None:
    with pytest.raises(ValueError, match=f"{what} cites another context"):
        stepped(Unbound(what, presented=1), machine, SHOWN, "that's it")
    assert isinstance(stepped(Unbound("nothing", presented=1), machine, SHOWN, "that's it").outcome, Identified)


@BOTH
def test_a_claim_bound_to_another_context_leads_nothing(machine: str) -> None:
    leading = anamnesis.leading if machine == "anamnesis" else recollect.leading
    with pytest.raises(ValueError, match="a claim cites another context"):
        leading(Unbound("a claim", found=1), SHOWN)


@BOTH
def test_a_record_cannot_close_a_recall(machine: str) -> None:
    with pytest.raises(ValueError, match="only a person's turn closes a recall"):
        stepped(Unbound("a record", presented=1), machine, SHOWN, "hm")


@BOTH
@pytest.mark.parametrize("origin", [Origin.PERSON, Origin.EXTERNAL, Origin.PEER])
def test_the_answer_coordinate_admits_the_person_alone_and_asks_the_reading(machine: str, origin: Origin) -> None:
    rd = Scripted([0])
    coord = anamnesis.answer_coord(rd) if machine == "anamnesis" else recollect.answer_coord(rd)
    assert coord.admits(Grounding(origin)) == (origin is Origin.PERSON)
    assert coord.supports == rd.answer_supported


@BOTH
def test_a_reading_that_fails_leaves_the_context_as_it_was(machine: str) -> None:
    class CancelledError(Exception):
        pass

    class Failing(Scripted):
        def search(self, c: Context[str]) -> list[Evidence[str]]:
            raise CancelledError

    before = tuple(SHOWN)
    with pytest.raises(CancelledError):
        stepped(Failing([0], reaches=1), machine, SHOWN, "hm")
    assert before == SHOWN
