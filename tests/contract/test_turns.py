"""How a person's turn is read: the utterances written for it, and what holds for every turn.

``utterances.jsonl`` was written in nine sittings, each before the readings had seen it. Read right at first sight:
94.9, 91.8, 83.6, 90.7, 86.0, 89.8, 86.1, 84.7 and 86.9 % of the sitting; what a sitting showed was then mended in
general.
``anamnesis-lsp read-turns tests/contract/utterances.jsonl`` reads the same file.
"""

from __future__ import annotations

import functools
import json
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anamnesis_lsp.readings.answers import Kind, LastRound, TurnState, read_turn, read_turns_lines
from anamnesis_lsp.readings.answers.language import Act, Mood
from anamnesis_lsp.readings.answers.languages import LANGUAGES, language_of
from anamnesis_lsp.readings.answers.writing import LONGEST, written

FILE = Path(__file__).with_name("utterances.jsonl")
ROWS: list[dict[str, Any]] = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]


def state_of(row: dict[str, Any]) -> TurnState:
    state = row["state"]
    return TurnState(
        LastRound(state["last_round"]), state["cue"], state["presented"], tuple(state["adjacent"]), tuple(state["held"])
    )


@functools.cache
def kinds() -> dict[int, Kind]:
    return {id(row): read_turn(state_of(row), row["utterance"]).kind for row in ROWS}


def share_right(rows: list[dict[str, Any]]) -> float:
    return sum(kinds()[id(row)].value == row["reading"] for row in rows) / len(rows)


SHOWN = TurnState(
    LastRound.PRESENTATION,
    cue="why the lock file was dropped",
    presented="Drop the lock file before 2.0",
    adjacent=(
        "Retry loop for the uploader (session of 12 March)",
        "docs/adr/0007-locking.md",
        "Bob's rewrite of the scheduler",
    ),
    held=("the database migration",),
)
ASKED = TurnState(LastRound.OPEN_QUESTION, cue="something about caching")
OFFERED = TurnState(LastRound.EXPANSION, cue="something about caching")
ENDED = TurnState(LastRound.ENDED, SHOWN.cue, SHOWN.presented, SHOWN.adjacent, SHOWN.held)
NONE = TurnState(LastRound.NONE, held=SHOWN.held)


# -- the utterances ----------------------------------------------------------------------------------------------------


def test_there_are_enough_utterances_and_a_third_of_them_is_hard() -> None:
    assert len(ROWS) >= 200
    assert sum(row["hard"] for row in ROWS) * 3 >= len(ROWS)
    assert {row["reading"] for row in ROWS} == {kind.value for kind in Kind}
    assert {row["language"] for row in ROWS} == {language.code for language in LANGUAGES}


@pytest.mark.parametrize("kind", Kind)
def test_each_reading_is_right_for_nearly_all_its_utterances(kind: Kind) -> None:
    rows = [row for row in ROWS if row["reading"] == kind.value]
    right = share_right(rows)
    print(f"{kind.value}: {right:.1%} of {len(rows)}")
    assert right >= 0.95


@pytest.mark.parametrize("code", [language.code for language in LANGUAGES])
def test_each_language_is_read(code: str) -> None:
    assert share_right([row for row in ROWS if row["language"] == code]) >= 0.97


def test_the_hard_ones_too() -> None:
    assert share_right([row for row in ROWS if row["hard"]]) >= 0.97


def test_nothing_is_identified_that_the_person_did_not_identify() -> None:
    taken = [row for row in ROWS if kinds()[id(row)] is Kind.IDENTIFIED]
    assert [row["utterance"] for row in taken if row["reading"] != "identified"] == []


def test_how_it_is_written_changes_nothing() -> None:
    for row in ROWS[::5]:
        state, utterance = state_of(row), row["utterance"]
        for variant in (f"  {utterance} \n", utterance.replace("'", "’")):
            assert read_turn(state, variant).kind is kinds()[id(row)], variant


# -- sentence by sentence ----------------------------------------------------------------------------------------------


def kind_of(utterance: str, state: TurnState = SHOWN) -> Kind:
    return read_turn(state, utterance).kind


@pytest.mark.parametrize(
    "utterance",
    [
        "if that's it, why is the file still there?",
        "he said 'that's it'",
        "Bob told me that's the one",
        "is that it?",
        "that's it, right?",
        "maybe that's it",
        "I thought that's it",
        "looks like it but",
        "thanks",
        "hm",
        "👍",
        "ok",
        "",
        "open [1]",
        "that's it, I give up",
        "no, that's it",
        "yes, the retry loop session",
        "yes, but earlier",
        "whether that's it I can't say",
    ],
)
def test_what_is_unclear_reported_supposed_or_said_of_another_identifies_nothing(utterance: str) -> None:
    assert kind_of(utterance) is not Kind.IDENTIFIED


@pytest.mark.parametrize("utterance", ["that's it", "yes", "yes, that one", "exactly what I meant"])
@pytest.mark.parametrize("state", [ASKED, OFFERED, NONE, TurnState(LastRound.ENDED, cue="x")])
def test_only_what_was_presented_can_be_identified(utterance: str, state: TurnState) -> None:
    assert kind_of(utterance, state) is not Kind.IDENTIFIED


def test_identification_beats_other_work_and_another_past_and_an_end_that_only_stops_the_search() -> None:
    assert kind_of("that's it, now fix the failing test") is Kind.IDENTIFIED
    assert kind_of("that's the one. What about the database migration?") is Kind.IDENTIFIED
    assert kind_of("that's it, you can stop searching") is Kind.IDENTIFIED


def test_an_end_beats_a_correction_and_goes_elsewhere_where_it_names_another_recall() -> None:
    assert kind_of("no, earlier... ah, never mind") is Kind.END
    reading = read_turn(SHOWN, "never mind, back to the database migration")
    assert (reading.kind, reading.ends, reading.names_held) == (Kind.ELSEWHERE, True, "the database migration")


def test_after_an_end_an_identification_reopens_and_a_mere_mention_does_not() -> None:
    assert kind_of("actually, that was it", ENDED) is Kind.IDENTIFIED
    assert kind_of("yes", ENDED) is Kind.FORM
    assert kind_of("the server is down", ENDED) is Kind.OTHER_WORK


def test_a_turn_that_bears_on_both_stays_and_names_the_other() -> None:
    reading = read_turn(SHOWN, "no, earlier. And do you remember the database migration?")
    assert (reading.kind, reading.also_points_elsewhere) == (Kind.CORRECTION, True)
    assert reading.names_held == "the database migration"


@pytest.mark.parametrize(
    ("utterance", "rejects"),
    [
        ("not that one", True),
        ("no", True),
        ("that's not it, it was earlier", True),
        ("no, earlier", False),
        ("Alice, not Bob", False),
        ("the other file", False),
        ("before the rewrite", False),
        ("shorter", False),
        ("that's it", False),
    ],
)
def test_a_rejection_is_told_from_a_mere_correction(utterance: str, *, rejects: bool) -> None:
    assert read_turn(SHOWN, utterance).rejects_presented is rejects


@pytest.mark.parametrize(
    ("utterance", "name"),
    [
        ("I meant the retry loop", 0),
        ("docs/adr/0007-locking.md is the one", 1),
        ("it's ADR 7", 1),
        ("the scheduler one", 2),
        ("what about Bob's rewrite?", 2),
    ],
)
def test_a_name_of_an_adjacent_candidate_is_a_correction_to_it(utterance: str, name: int) -> None:
    reading = read_turn(SHOWN, utterance)
    assert (reading.kind, reading.names_adjacent) == (Kind.CORRECTION, SHOWN.adjacent[name])


@pytest.mark.parametrize(
    "utterance", ["not Bob's rewrite, that's it", "I thought it was the retry loop. But that's it"]
)
def test_a_name_that_is_denied_points_at_nothing(utterance: str) -> None:
    assert read_turn(SHOWN, utterance).names_adjacent is None


@pytest.mark.parametrize("utterance", ["yes", "ok", "go ahead", "sure, why not", "search everything"])
def test_the_wider_search_is_admitted(utterance: str) -> None:
    reading = read_turn(OFFERED, utterance)
    assert (reading.kind, reading.asks_expansion) == (Kind.PLACE_TO_LOOK, True)


@pytest.mark.parametrize("utterance", ["no", "no thanks", "not now", "too expensive"])
def test_the_wider_search_is_declined(utterance: str) -> None:
    assert read_turn(OFFERED, utterance).kind is Kind.END


def test_a_wider_search_can_be_asked_for_after_any_round() -> None:
    assert read_turn(SHOWN, "expand the search").asks_expansion
    assert not read_turn(SHOWN, "look in docs/adr").asks_expansion


def test_with_no_recall_running_a_held_one_is_named() -> None:
    assert read_turn(NONE, "back to the database migration").names_held == "the database migration"
    assert read_turn(NONE, "fix the test").names_held is None


def test_the_words_are_the_persons_own() -> None:
    assert read_turn(SHOWN, "Hmm… NO, EARLIER than that!").words == ("NO", "EARLIER than that")
    assert read_turn(SHOWN, "Ja, genau DAS ist es.").words[-1] == "genau DAS ist es"
    assert read_turn(SHOWN, "exaclty that").words == ("exaclty that",)


# -- what holds for every turn -----------------------------------------------------------------------------------------

names = st.none() | st.text(max_size=12) | st.sampled_from(["Drop the lock", "docs/adr/7.md", "commit 3fa92c1 “x”"])
states = st.builds(
    TurnState,
    st.sampled_from(LastRound),
    names,
    names,
    st.lists(st.text(max_size=12) | st.just("the retry loop"), max_size=3).map(tuple),
    st.lists(st.text(max_size=12) | st.just("the migration"), max_size=3).map(tuple),
)
WORDS = (
    "yes no not that's it the one earlier if but , . ? ! 'that's it' look in docs/a.md shorter stop never mind who said"
    " do you remember the migration fix [1] 👍 3fa92c1 それです 就是这个 그거야 ja genau c'est ça é isso sí"
)
pieces = st.sampled_from(WORDS.split())
utterances = st.text(max_size=40) | st.lists(pieces, max_size=12).map(" ".join)


@settings(max_examples=300, deadline=None)
@given(states, utterances)
def test_every_turn_is_read_with_words_of_its_own(state: TurnState, utterance: str) -> None:
    reading = read_turn(state, utterance)
    running = state.last_round is not LastRound.NONE
    assert (reading.kind in (Kind.ACTIVATED, Kind.NOT_ACTIVATED)) != running
    if state.presented is None:
        assert reading.kind is not Kind.IDENTIFIED
        assert not reading.rejects_presented
    if reading.kind is Kind.IDENTIFIED:
        assert not reading.rejects_presented
        assert reading.names_adjacent is None
    source = written(utterance).source
    assert all(words and words in source for words in reading.words)
    assert reading.names_adjacent is None or reading.names_adjacent in state.adjacent
    assert reading.names_held is None or reading.names_held in state.held
    assert reading == read_turn(state, utterance)


@pytest.mark.parametrize(
    "piece",
    ["no ", "and so but ", "the one with ", "'", '"', "docs/", "very ", "はい、", "看看", "- ", "in the ", "yes " * 40],
)
def test_a_turn_of_any_length_is_read_in_moments(piece: str) -> None:
    read_turn(SHOWN, "warm")
    started = time.perf_counter()
    read_turn(SHOWN, piece * (100_000 // len(piece)))
    assert time.perf_counter() - started < 3


# -- the writing and the tables ----------------------------------------------------------------------------------------


@given(st.text(max_size=60))
def test_the_comparable_form_knows_where_each_character_came_from(source: str) -> None:
    writing = written(source)
    assert len(writing.text) == len(writing.plain) == len(writing.origin)
    assert list(writing.origin) == sorted(writing.origin)
    assert len(writing.source) <= LONGEST
    assert writing.words(0, 0) == ""


def test_what_is_not_the_persons_own_is_masked() -> None:
    text = written("he said 'that's it' about docs/stop.md in 3fa92c1 [2], isn't it").text
    assert "thats it" not in text
    assert "stop" not in text
    assert "3fa92c1" not in text
    assert "[2]" not in text
    assert text.endswith("isnt it")


def test_a_quotation_that_is_the_whole_turn_is_the_persons() -> None:
    assert written('"that\'s it"').text == '"thats it"'


@pytest.mark.parametrize(
    ("utterance", "code"),
    [
        ("yes", "en"),
        ("nein", "de"),
        ("sí", "es"),
        ("oui", "fr"),
        ("não", "pt"),
        ("それです", "ja"),
        ("是的", "zh"),
        ("네", "ko"),
        ("3fa92c1", "en"),
    ],
)
def test_the_language_is_told_by_its_script_or_its_words(utterance: str, code: str) -> None:
    assert language_of(written(utterance)).code == code


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.code)
def test_every_language_is_a_whole_table(language: Any) -> None:
    needed = set(Act) - {Act.GIVE_UP}
    assert needed <= set(language.acts)
    assert all(language.acts[act] for act in language.acts)
    assert {Mood.QUESTION, Mood.CONDITION, Mood.REPORTED, Mood.UNSURE, Mood.NEGATED} <= set(language.moods)
    assert all(language.act_patterns.values())
    assert set(language.mood_patterns) == set(Mood)


# -- lines of JSON -----------------------------------------------------------------------------------------------------


def test_lines_are_read_through_the_same_code_in_order() -> None:
    told = [json.loads(line) for line in read_turns_lines(FILE.read_text(encoding="utf-8").splitlines()[:200])]
    for row, answer in zip(ROWS, told, strict=False):
        reading = read_turn(state_of(row), row["utterance"])
        assert answer == {"reading": reading.kind.value, "words": list(reading.words)}
    assert len(told) == 200


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("nonsense", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[]", "not an object"),
        ('{"state": {"last_round": "none"}}', '"utterance" is not a text'),
        ('{"utterance": "yes"}', '"state" is not an object'),
        ('{"utterance": "yes", "state": {}}', '"last_round" is none of'),
        ('{"utterance": "yes", "state": {"last_round": "x"}}', '"last_round" is none of'),
        ('{"utterance": "yes", "state": {"last_round": []}}', '"last_round" is none of'),
        ('{"utterance": "yes", "state": {"last_round": "none", "cue": 3}}', '"cue" is neither'),
        ('{"utterance": "yes", "state": {"last_round": "none", "adjacent": "a"}}', '"adjacent" is not a list'),
        ('{"utterance": "yes", "state": {"last_round": "none", "held": [1]}}', '"held" is not a list'),
    ],
)
def test_a_line_that_is_none_gets_an_error_and_the_next_is_read(line: str, says: str) -> None:
    good = '{"state": {"last_round": "none", "cue": null}, "utterance": "fix the test", "further": 1}'
    first, second = (json.loads(answer) for answer in read_turns_lines([line, "", good]))
    assert first["error"]["code"] == "badRequest"
    assert says in first["error"]["message"]
    assert first["error"]["message"].startswith("Line 1: ")
    assert first["error"]["remedy"]
    assert second["reading"] == "not_activated"
