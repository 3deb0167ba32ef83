"""The person's turns over a context, without a repository: what they identify, reject, reopen, add, steer and leave."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anamnesis_lsp.contract import Answer, Context, Origin, Turn, Whole
from anamnesis_lsp.readings import dialogue, expansion, steering
from anamnesis_lsp.readings.content import (
    Answered,
    Asked,
    Avenue,
    CommitNamed,
    CommitsFound,
    Content,
    ExpansionAsked,
    Invocation,
    Named,
    PastBoundary,
    Presented,
    Said,
    WiderFound,
)
from anamnesis_lsp.readings.cue import read_cue
from anamnesis_lsp.readings.dialogue import heard
from anamnesis_lsp.readings.found import Wish
from anamnesis_lsp.records.evidence import Kind, RecordKey

NOW = datetime(2026, 3, 1, 12, tzinfo=timezone.utc)
ROOT = Path("/repo")
LOCK, QUEUE, CACHE = "Drop the lock file", "Try a queue for the rows", "Keep nothing in a cache"
HELD = ("the retry with a backoff",)


def key(name: str) -> RecordKey:
    return RecordKey(Kind.COMMIT, ROOT, f"{sum(map(ord, name)):040x}")


def named(name: str) -> Named:
    return Named(name, (key(name),), "line")


def person(content: Said | Invocation) -> Turn[Content]:
    return Turn[Content](Origin.PERSON, content)


def ours(content: Content) -> Turn[Content]:
    return Turn[Content](Origin.ASSISTANT, content)


def ran(text: str | None = "why are rows saved like this?") -> Turn[Content]:
    return person(Invocation(NOW, text, ROOT))


def said(text: str, **more: object) -> Turn[Content]:
    return person(Said(text, NOW, **more))  # type: ignore[arg-type]


def shown(name: str = LOCK, *beside: str) -> Turn[Content]:
    return ours(Presented(named(name), ("It was dropped.",), tuple(named(other) for other in beside)))


def found(*contents: Content) -> Iterable[Turn[Content]]:
    return (Turn[Content](Origin.EXTERNAL, content) for content in contents)


BEGUN: Context[Content] = (ran(), shown(LOCK, QUEUE, CACHE))
ENDED = (*BEGUN, said("never mind"), ours(Answered("kept", "searched: everything")))


def presented(c: Context[Content]) -> str | None:
    led = dialogue.presented(c)
    return None if led is None else led.members[0].gist


# ── identifying, rejecting, reopening ───────────────────────────────────────────────────────────────────────────────


def test_the_person_identifies_what_was_presented() -> None:
    c = (*BEGUN, said("that's it"))
    assert dialogue.closes(c, c[-1]) is Answer.IDENTIFIED
    assert presented(c) == LOCK


def test_an_invocation_that_identifies_closes() -> None:
    c = (*BEGUN, ran("yes, that's the one"))
    assert dialogue.closes(c, c[-1]) is Answer.IDENTIFIED


def test_an_explicit_command_is_the_same_act_as_the_words() -> None:
    for command, answer in (("identify", Answer.IDENTIFIED), ("end", Answer.STOPPED)):
        c = (*BEGUN, said("whatever the editor sends", command=command))
        assert dialogue.closes(c, c[-1]) is answer


def test_a_rejected_candidate_is_not_presented_and_one_corrected_away_from_still_is() -> None:
    assert presented((*BEGUN, said("not that one"))) is None
    assert presented((*BEGUN, said("no, earlier"))) == LOCK


def test_a_rejected_candidate_stays_named_and_comes_back_when_the_words_reopen_it() -> None:
    c = (*BEGUN, said("not that one"), shown(QUEUE, CACHE))
    assert [gone.name for gone in dialogue.rejected(c)] == [LOCK]
    assert LOCK in dialogue.state_after(c).adjacent
    c = (*c, said("no, the lock file one after all"))
    assert dialogue.rejected(c) == ()
    assert dialogue.steer(c).named == LOCK


def test_two_rejections_in_a_row_rule_out_only_what_was_shown() -> None:
    c = (*BEGUN, said("not that one"), said("not that one"))
    assert [gone.name for gone in dialogue.rejected(c)] == [LOCK]


def test_after_an_end_an_identification_closes_on_what_was_shown() -> None:
    c = (*ENDED, said("that's it"))
    assert dialogue.closes(c, c[-1]) is Answer.IDENTIFIED
    assert presented(c) == LOCK


def test_an_end_and_an_open_question_leave_what_was_presented_as_it_was() -> None:
    assert presented(ENDED) == LOCK
    assert presented((*BEGUN, said("it had to do with rows"), ours(Asked("What else?")))) == LOCK


# ── adding to the cue ───────────────────────────────────────────────────────────────────────────────────────────────


def test_the_words_a_recall_begins_with_are_the_cue_and_no_addition() -> None:
    assert not dialogue.added_to_cue(BEGUN)
    assert not dialogue.added_to_cue((said("what was that thing where we dropped the lock file?"), shown()))


@pytest.mark.parametrize("words", ["no, earlier", "look in docs/adr", "it was when the job was down"])
def test_an_answer_a_correction_and_a_place_to_look_add_to_the_cue(words: str) -> None:
    assert dialogue.added_to_cue((ran(), ours(Asked("What else?")), said(words)))


@pytest.mark.parametrize("words", ["shorter please", "interesting", "that's it", "never mind"])
def test_a_form_a_remark_an_identification_and_an_end_do_not(words: str) -> None:
    assert not dialogue.added_to_cue((*BEGUN, said(words)))


def test_merely_coming_back_adds_nothing_and_reads_nothing() -> None:
    c = (*BEGUN, said("back to the lock file", returns=True))
    assert dialogue.reaches(c) and dialogue.only_form(c)
    assert not dialogue.added_to_cue(c)


def test_a_selection_named_again_says_no_more_of_it() -> None:
    bare = (person(Invocation(NOW, None, ROOT, "src/row_store.py", (4, 6), (), "Rows wait.")), shown(LOCK))
    assert dialogue.only_form((*bare, said("back to lines 4-6 of row_store.py", returns=True)))


def test_coming_back_with_a_correction_corrects() -> None:
    c = (*BEGUN, said("back to the lock file, but it was earlier", returns=True))
    assert dialogue.reaches(c) and not dialogue.only_form(c)
    assert dialogue.added_to_cue(c)


def test_the_words_that_only_steer_are_not_searched_for() -> None:
    c = (*BEGUN, said("no, earlier"), shown(QUEUE), said("check other branches"), said("it had to do with the broker"))
    cue = read_cue(c, dialogue.bears_on_cue, dialogue.says)
    assert cue.words.splitlines() == ["why are rows saved like this?", "broker"]
    assert "earlier" in cue.cue.meant and "branches" not in cue.cue.meant


def test_what_a_correction_denies_is_not_searched_for() -> None:
    c = (*BEGUN, said("no, the broker, not the scheduler"))
    assert dialogue.says(c, len(c) - 1).split() == ["broker"]


def test_a_continuing_invocation_carries_what_was_said_before() -> None:
    c = (*BEGUN, said("it had to do with the broker"), shown(QUEUE), ran(None))
    cue = read_cue(c, dialogue.bears_on_cue, dialogue.says)
    assert "rows saved" in cue.words and "broker" in cue.words


# ── other recalls ───────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "words", ["back to the retry", "let's go back to the retry with the backoff", "go back to the other recall"]
)
def test_words_that_go_back_to_another_recall_reach_it(words: str) -> None:
    c = (*BEGUN, said(words, held=HELD))
    assert dialogue.elsewhere(c) and not dialogue.reaches(c)


def test_going_back_names_a_recall_before_a_candidate_of_that_name() -> None:
    c = (ran(), shown(LOCK, "Retry with a backoff"), said("back to the retry", held=HELD))
    reading = dialogue.latest_reading(c)
    assert dialogue.elsewhere(c) and reading is not None and reading.names_held == HELD[0]


def test_an_identification_beats_another_past() -> None:
    c = (*BEGUN, said("that's it. Now back to the retry", held=HELD))
    assert dialogue.closes(c, c[-1]) is Answer.IDENTIFIED


def test_with_no_other_recall_nothing_is_elsewhere() -> None:
    assert not dialogue.elsewhere((*BEGUN, said("go back to the other recall")))


def test_the_command_that_rejects_is_a_correction_and_rules_out_what_was_shown() -> None:
    c = (*BEGUN, said("not this one", command="not"))
    reading = dialogue.latest_reading(c)
    assert reading is not None and reading.rejects_presented
    assert dialogue.rejected(c) == (named(LOCK),)


def test_where_nobody_spoke_nothing_is_reached_said_or_asked_of_the_form() -> None:
    silent: Context[Content] = ()
    assert not dialogue.reaches(silent) and not dialogue.only_form(silent) and dialogue.latest(silent) is None
    assert dialogue.says(silent, 0) == ""
    assert dialogue.keys_shown(BEGUN, dialogue.recognizable(named("nothing of it"))) == ()


def test_a_wish_for_more_after_one_for_less_is_heard() -> None:
    shorter = (*BEGUN, said("shorter please"))
    assert dialogue.sentences(shorter) < dialogue.sentences(BEGUN)
    assert dialogue.sentences((*shorter, *(shown(LOCK),), said("longer please, the full story"))) == dialogue.sentences(
        BEGUN
    )


def test_a_turn_is_known_again_by_what_it_is_where_it_is_another_object() -> None:
    c = (*BEGUN, said("that's it"))
    assert dialogue.closes(c, said("that's it")) is Answer.IDENTIFIED
    assert dialogue.closes(c, said("never said")) is None


# ── what is pointed at ──────────────────────────────────────────────────────────────────────────────────────────────


def pointing(words: str) -> steering.Pointing:
    [one] = steering.pointings((*BEGUN, said(words)))
    return one


def conversation(runtime: str) -> RecordKey:
    return RecordKey(Kind.CONVERSATION, Path("/store"), "session", runtime)


def decision(path: str) -> RecordKey:
    return RecordKey(Kind.DECISION, ROOT, path)


def test_a_place_points_at_the_records_under_it() -> None:
    place = pointing("look in docs/adr")
    assert place.where(decision("docs/adr/0001-lock.md"))
    assert not place.where(decision("notes/lock.md"))


def test_a_kind_and_a_runtime_point_at_records_of_that_kind() -> None:
    assert not pointing("check the sessions").where(decision("docs/a.md"))
    codex = pointing("look at the codex sessions")
    assert codex.where(conversation("codex")) and not codex.where(conversation("claude-code"))


def test_a_year_points_at_a_time() -> None:
    place = pointing("check the 2024 sessions")
    of_2024 = datetime(2024, 5, 1, tzinfo=timezone.utc)
    assert place.when(of_2024, None) and not place.when(of_2024 + timedelta(days=400), None)
    assert place.when(None, None), "an unknown time is not ruled out"


def test_a_time_in_words_points_at_it() -> None:
    place = pointing("check the sessions of 2024-05-01")
    assert place.when(datetime(2024, 5, 1, 9, tzinfo=timezone.utc), None)
    assert not place.when(datetime(2024, 5, 9, tzinfo=timezone.utc), None)


def test_what_lies_in_another_time_than_was_pointed_at_comes_after_the_rest() -> None:
    commits = tuple(
        CommitNamed(key(name), name, "Ada", NOW - timedelta(days=days), 1.0) for name, days in ((LOCK, 1), (QUEUE, 700))
    )
    c = (ran(), *found(CommitsFound(commits)), shown(LOCK, QUEUE), said("look at the commits of 2024"))
    candidates = expansion.candidates((*found(WiderFound("refs", commits)),), Whole.LINE, {}, ())
    ordered = steering.ordered(c, candidates, Wish())
    assert [candidate.keys[0] for candidate in ordered] == [key(QUEUE), key(LOCK)]


def test_alice_not_bob() -> None:
    people = pointing("Alice, not Bob")
    assert people.who(["Alice Liddell"]) == 0
    assert people.who(["Bob Cratchit"]) == 2
    assert people.who(["Carol Danvers"]) == 1


# ── past the boundary ───────────────────────────────────────────────────────────────────────────────────────────────

BOUNDARY = PastBoundary((Avenue("refs", "3 commits on other branches", "about a second", 0.5),
                         Avenue("bodies", "the full text of 9 conversations", "about 20 s, 90 MB", 20.0)))  # fmt: skip
ASKED = (ran(), *found(BOUNDARY), ours(Asked("What else?")), said("it was about rows"), *found(BOUNDARY),
         ours(ExpansionAsked("3 commits on other branches", "about a second", "refs")))  # fmt: skip


def test_the_cheapest_search_not_yet_run_is_offered() -> None:
    offered = expansion.expansion(ASKED)
    assert offered is not None and offered.reach.startswith("3 commits")
    after = expansion.offered((*ASKED, said("yes, go ahead"), *found(WiderFound("refs"), BOUNDARY)))
    assert after is not None and after.kind == "bodies"
    both = found(WiderFound("refs"), WiderFound("bodies"), BOUNDARY)
    assert expansion.expansion((*ASKED, said("go ahead"), *both)) is None


def test_admitting_runs_what_was_offered_and_no_more() -> None:
    assert expansion.admitted((*ASKED, said("go ahead"))) == ("refs",)
    assert expansion.admitted((*ASKED, said("no thanks"))) == ()


def test_naming_one_admits_that_one_under_either_text() -> None:
    assert expansion.admitted((*BEGUN, *found(BOUNDARY), said("check the other branches"))) == ("refs",)
    assert expansion.admitted((*BEGUN, *found(BOUNDARY), said("search the full text of the sessions"))) == ("bodies",)


def test_asking_for_everything_admits_everything_there_is() -> None:
    c = (*BEGUN, *found(BOUNDARY), said("search wider"))
    assert expansion.admitted(c) == ("refs", "bodies")


def test_a_place_within_the_boundary_admits_nothing() -> None:
    assert expansion.admitted((*BEGUN, *found(BOUNDARY), said("look in docs/adr"))) == ()


def test_authors_order_what_a_search_found() -> None:
    commits = tuple(CommitNamed(key(name), name, who, NOW, 1.0) for name, who in ((LOCK, "Bob"), (QUEUE, "Alice")))
    c = (ran(), *found(CommitsFound(commits)), shown(LOCK, QUEUE), said("Alice, not Bob"))
    candidates = expansion.candidates((*found(WiderFound("refs", commits)),), Whole.LINE, {}, ())
    ordered = steering.ordered(c, candidates, Wish())
    assert [candidate.keys[0] for candidate in ordered] == [key(QUEUE), key(LOCK)]


# ── what holds for every dialogue ───────────────────────────────────────────────────────────────────────────────────

WORDS = st.sampled_from(
    [
        "that's it", "not that one", "no, earlier", "never mind", "shorter", "check other branches", "Alice, not Bob",
        "it was about the queue", "the queue one", "no, the lock file one after all", "back to the retry",
        "fix the tests",
        "what did it say about rows?", "ok", "yes", "no", "look in docs/adr",
    ]
)  # fmt: skip
RESPONSES = st.sampled_from(
    [shown(LOCK, QUEUE), shown(QUEUE, LOCK), ours(Asked("?")), ours(Answered("x", "s")), ours(Answered("x"))]
)
DIALOGUES = st.lists(st.tuples(WORDS, st.booleans(), RESPONSES), max_size=25)


def of(turns: list[tuple[str, bool, Turn[Content]]]) -> Context[Content]:
    c: list[Turn[Content]] = [ran(), shown(LOCK, QUEUE, CACHE)]
    for words, returns, response in turns:
        c.append(said(words, returns=returns, held=() if returns else HELD))
        gone = {one.name for one in dialogue.rejected(tuple(c))}
        if not (isinstance(response.content, Presented) and response.content.leading.name in gone):
            c.append(response)
    return tuple(c)


@settings(max_examples=150, deadline=None)
@given(DIALOGUES)
def test_a_turn_is_read_alike_in_every_longer_context(turns: list[tuple[str, bool, Turn[Content]]]) -> None:
    c = of(turns)
    whole = heard(c)
    for cut in range(len(c) + 1):
        assert heard(c[:cut]) == tuple(turn for turn in whole if turn.index < cut)


@settings(max_examples=150, deadline=None)
@given(DIALOGUES)
def test_what_is_ruled_out_is_never_presented_and_always_named(turns: list[tuple[str, bool, Turn[Content]]]) -> None:
    c = of(turns)
    for cut in range(1, len(c) + 1):
        gone = [one.name for one in dialogue.rejected(c[:cut])]
        last = c[cut - 1]
        if last.origin is Origin.PERSON:
            assert presented(c[:cut]) not in gone
            assert set(gone) <= {*dialogue.state_after(c[:cut]).adjacent}


def test_a_long_dialogue_is_read_in_one_walk() -> None:
    turn = (said("not that one"), shown(QUEUE, LOCK), said("no, the lock file one"), shown(LOCK, QUEUE))
    c = (*BEGUN, *turn * 100)
    begun = time.monotonic()
    assert len(heard(c)) == 201
    assert len(heard(tuple(replace(one) for one in c))) == 201
    assert time.monotonic() - begun < 2
