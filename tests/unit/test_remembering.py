"""What of a person's words says something of the past, and what only leads up to it or sends the search somewhere."""

from __future__ import annotations

from datetime import datetime, timezone
from pathlib import Path

import pytest

from anamnesis_lsp.contract import Context, Origin, Turn
from anamnesis_lsp.readings import covering, dialogue
from anamnesis_lsp.readings.answers import Kind
from anamnesis_lsp.readings.content import Content, Invocation, Named, Presented, Said
from anamnesis_lsp.readings.cue import CueRead, read_cue
from anamnesis_lsp.readings.remembering import remembered
from anamnesis_lsp.records.evidence import Kind as RecordKind
from anamnesis_lsp.records.evidence import RecordKey

NOW = datetime(2026, 11, 30, 15, 0, tzinfo=timezone.utc)


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("no, I mean the time we fixed the memory use", "the time we fixed the memory use"),
        ("it was about jemalloc", "about jemalloc"),
        ("nope. the other file", "the other file"),
        ("I mean it was when we dropped redis, I think", "when we dropped redis"),
        ("me refiero a cuando quitamos el proxy", "cuando quitamos el proxy"),
        ("不是，我是说删除 Redis 的那次", "删除 Redis 的那次"),
        ("нет, я имею в виду переезд на nginx", "переезд на nginx"),
        ("ні, я маю на увазі перехід на чергу", "перехід на чергу"),
        ("no", ""),
        ("we moved to uv", "we moved to uv"),
        ("it wasn't Alice", "it wasn't Alice"),
    ],
)
def test_what_leads_up_to_it_is_left_out(said: str, left: str) -> None:
    assert remembered(said) == left


def context(*said: str) -> Context[Content]:
    """A recall of selected lines that presented something, and what was said since."""
    shown = Named("Save through a queue", (RecordKey(RecordKind.COMMIT, Path("/r"), "a" * 40),), "line", "", 0.9)
    turns: list[Turn[Content]] = [
        Turn(Origin.PERSON, Invocation(NOW, None, Path("/r"), "src/save.py", (3, 9), ("x = 1",))),
    ]
    for words in said:
        turns.append(Turn(Origin.ASSISTANT, Presented(shown, (), ())))
        turns.append(Turn(Origin.PERSON, Said(words, NOW)))
    return tuple(turns)


def cue(*said: str) -> CueRead:
    return read_cue(context(*said), dialogue.bears_on_cue, dialogue.says, dialogue.phrase, dialogue.restated_at)


def test_a_correction_that_says_anew_what_is_meant_leaves_the_lines() -> None:
    read = cue("no, I mean the time we fixed the memory use of the sync", "it was about jemalloc")
    assert read.left_lines and read.cue.meant == "the time we fixed the memory use of the sync, about jemalloc"
    assert [axis for axis in read.cue.axes if axis.kind == "artifact"] == []


@pytest.mark.parametrize(
    "said", ["no, earlier", "not that one", "Alice, not Bob", "no, before the rewrite", "the other one"]
)
def test_a_correction_that_points_stays_with_the_lines(said: str) -> None:
    read = cue(said)
    assert not read.left_lines and read.cue.meant.startswith("why lines 3-9 of src/save.py are there")


@pytest.mark.parametrize(
    "said",
    [
        "search the full text of the sessions",
        "search all the other branches too",
        "durchsuche den Volltext der Gespräche",
        "busca en el texto completo de las sesiones",
        "cherche dans le texte intégral",
        "procure no texto completo",
        "搜索全文",
        "全文を検索して",
        "전체 텍스트를 검색해 줘",
    ],
)
def test_sending_the_search_wider_is_a_place_to_look_and_no_cue(said: str) -> None:
    c = context(said)
    reading = dialogue.latest_reading(c)
    assert reading is not None and reading.kind is Kind.PLACE_TO_LOOK
    assert dialogue.says(c, len(c) - 1) == "" and dialogue.phrase(c, len(c) - 1) == ""


def test_what_is_looked_for_in_a_place_is_cue() -> None:
    c = context("check the old branches for the broker with retries")
    assert dialogue.phrase(c, len(c) - 1) == "the broker with retries"


def test_the_telling_words_of_a_cue_are_no_times_people_or_fillers() -> None:
    told = read_cue((Turn(Origin.PERSON, Invocation(NOW, "that thing last spring where Omar cached the tokens")),))
    assert covering.telling(told) == ["cached", "tokens"]


def test_an_inflection_is_the_same_word_and_a_word_made_from_it_is_not() -> None:
    assert {"cached", "caches", "caching", "cache"} <= set(covering.inflected("cache"))
    assert "master" not in covering.inflected("mast")
