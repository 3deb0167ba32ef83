"""Which sentence of a record is told: the one that speaks of the selection, and none rather than a wrong one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from anamnesis_lsp.readings import asking, forms, story
from anamnesis_lsp.readings.asking import Talk
from anamnesis_lsp.readings.fitting import Pointed, pointed
from anamnesis_lsp.readings.quoting import units, whole
from anamnesis_lsp.readings.telling.sentence import choose, limited, tellable
from anamnesis_lsp.records.conversations.model import Turn
from anamnesis_lsp.records.evidence import Kind, OpenedRecord, Passage, RecordKey, Span, Speaker

ROOT = Path("/repo")
DAY = datetime(2025, 3, 11, 9, 30, tzinfo=timezone.utc)
HASH = "4f2a9c1d" * 5
LINES = ["    # The station reboots at four, wait for it", "    time.sleep(BACKOFF_SECONDS)"]
HERE = pointed(LINES, "The station reboots at four, wait for it", "tide/fetch.py", "", None)


def commit(message: str, brought: int = 2, selected: int = 2) -> OpenedRecord:
    return OpenedRecord(
        key=RecordKey(Kind.COMMIT, ROOT, HASH),
        title=message.split("\n", 1)[0],
        started=DAY,
        ended=DAY,
        author="A. Maintainer",
        passages=(Passage(message, Speaker.AUTHOR, "A. Maintainer", DAY, Span(), "message"),),
        paths=("tide/fetch.py",),
        hashes=(HASH,),
        numbers=(("lines brought", brought), ("lines selected", selected)),
    )


def decision(*sections: tuple[str, str], status: str = "Accepted", identity: str = "docs/adr/7.md") -> OpenedRecord:
    passages = [Passage("Wait for the station", Speaker.DOCUMENT, None, DAY, Span(), "title")]
    passages += [Passage(status, Speaker.DOCUMENT, None, DAY, Span(), "status")] if status else []
    passages += [
        Passage(text, Speaker.DOCUMENT, None, DAY, Span(lines=(5, 5)), "reason", (heading,))
        for heading, text in sections
    ]
    key = RecordKey(Kind.DECISION, ROOT, identity)
    return OpenedRecord(key, "Wait for the station", DAY, None, None, tuple(passages))


def talk(*turns: tuple[Speaker, str]) -> Talk:
    heard = Talk()
    for n, (speaker, text) in enumerate(turns, 1):
        heard.hear(Turn(n, speaker, text, DAY + timedelta(minutes=n)), 20_000)
    return heard


PERSON, ASSISTANT = Speaker.PERSON, Speaker.ASSISTANT


def conversation(
    turns: Sequence[tuple[Speaker, str]], at: int | None, here: Pointed = HERE, commits: Sequence[int] = ()
) -> OpenedRecord:
    passages = list(asking.passages(talk(*turns), at, commits, (), here))
    if at is not None:
        passages.append(Passage("x", ASSISTANT, None, DAY + timedelta(minutes=at), Span(turn=at), "edit"))
    passages.sort(key=lambda p: p.span.turn or 0)
    return OpenedRecord(
        key=RecordKey(Kind.CONVERSATION, Path("/store"), "0b7c", "claude-code"),
        title="retry",
        started=DAY,
        ended=DAY,
        author=None,
        passages=tuple(passages),
        paths=("tide/fetch.py",) if at is not None else (),
        numbers=(("lines written", 2), ("lines selected", 2)) if at is not None else (),
    )


def told(*records: OpenedRecord, limit: int = story.FULL, tied: bool = True) -> list[str]:
    sentences = [s.text for s in story.tell(records, HERE, limit, None if tied else ())]
    for text in sentences:
        assert any(forms.supported(record, text) for record in records)
    return sentences


def quoted(sentences: Sequence[str]) -> str:
    return "\n".join(sentences)


# ── fit ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("Wait eight messages.", "8 messages"),
        ("a timeout of 180s", "3 minute timeout"),
        ("call getUserName()", "the user name is read"),
        ("the cache expires", "expired caches"),
        ("因为缓存会过期", "缓存过期"),
    ],
)
def test_the_same_thing_in_other_words_fits(text: str, other: str) -> None:
    assert pointed([text], None, None, "", None).fit(other) > 0.6
    assert pointed([text], None, None, "", None).fit("Something else entirely.") == 0.0


def test_a_rare_word_counts_more_than_a_common_one_and_the_cue_more_than_the_code() -> None:
    here = pointed(["retry(backoff)"], None, None, "why the jitter", {"retry": 0.1, "backoff": 0.9, "jitter": 0.9})
    assert here.fit("with a backoff") > here.fit("a retry")
    assert here.fit("with jitter") > here.fit("with a backoff")


def test_a_file_is_named_by_its_own_path_only() -> None:
    here = pointed(["x"], None, "app/a/route.ts", "", None)
    assert here.names_file("see route.ts") and here.names_file("`web/app/a/route.ts`: reads it")
    assert not here.names_file("app/b/route.ts: writes it") and here.names_another("app/b/route.ts: writes it")


# ── units ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_sentence_does_not_end_inside_quotation_marks() -> None:
    text = 'Refuse with the error "Out of sync. Run import first." and stop. Then go on.'
    assert [u.text for u in units(text)] == [text.removesuffix(" Then go on."), "Then go on."]
    assert not whole("You can't squash your CV.'") and not whole('it says "Out of sync.')
    assert whole("don't run 'tide fetch' twice")


def test_a_line_below_a_list_is_no_part_of_its_last_item() -> None:
    text = (
        "The importer takes pictures as they come:\n- Several pages (TIFF): the slow call, through the bucket\n"
        "- BMP is turned into PNG before it is read\n7 tests cover all formats.\n"
    )
    assert [unit.text for unit in units(text)][2:] == [
        "BMP is turned into PNG before it is read",
        "7 tests cover all formats.",
    ]


def test_an_item_goes_on_below_where_its_line_was_full() -> None:
    text = (
        "- The placeholders with null bytes broke the formatting of the\nmessages, so they are words in capitals now.\n"
        "- Nothing else\n"
    )
    assert units(text)[0].text.endswith("the formatting of the messages, so they are words in capitals now.")


def test_a_line_broken_on_purpose_begins_anew() -> None:
    message = (
        "Constraint: only one of them\nRejected: SVG docs | recipes need more\nfix(a): another thing\nD4: the types"
    )
    assert [u.text for u in units(message)] == message.split("\n")
    wrapped = "This is one sentence that goes on for so long that\nit had to be wrapped at the width of the page."
    assert len(units(wrapped)) == 1


def test_a_line_that_cannot_end_there_goes_on_below_also_after_a_key() -> None:
    text = "Fix: make the table again after it was tidied so the\nTantivy index is built on what is there now."
    assert len(units(text)) == 1


def test_what_stands_under_a_limiting_heading_is_known() -> None:
    text = (
        "### Recommendations\n\n**For Production**:\n1. Remove the bypass of certificates again\n\nWe are done with it."
    )
    item = next(u for u in units(text) if u.item)
    assert limited(item) and item.under == ("Recommendations", "**For Production**:")
    assert not limited(units("**Root cause:** the certificate is not known here.")[0])


@pytest.mark.parametrize(
    "text",
    [
        "Any of these holds, else remove:",
        "- [ ] Refactor the code that uses the store",
        "src/app/page.tsx",
        "\ufffd the cause is the lock that stays",
        "Currently local-only.",
        "src/app/page.tsx (contains the cards that are to be changed)",
    ],
)
def test_what_cannot_stand_alone_is_not_quoted(text: str) -> None:
    assert not any(tellable(unit) for unit in units(text))


def test_a_sentence_that_leans_on_another_takes_it_along_or_is_not_chosen() -> None:
    text = "The descriptions were kept twice. This change keeps them in one place, because they had drifted apart."
    chosen = choose(text, lambda unit: 3.0 if "because" in unit.text else 0.1)
    assert chosen is not None and chosen.text == text
    apart = "This change keeps them in one place.\n\n- The descriptions of both had drifted apart for months."
    chosen = choose(apart, lambda unit: 1.0)
    assert chosen is not None and chosen.text.startswith("The descriptions")


# ── a commit ────────────────────────────────────────────────────────────────────────────────────────────────────────

MANY = """Stabilise everything

- Changed the colour of the header because it was too dark to read
- Wait while the station reboots, so that it is not knocked over
- Removed an unused import of the parser
- Renamed the session to conversation everywhere
"""


def test_of_a_message_of_many_things_the_line_about_the_selection_is_told_or_none() -> None:
    assert "Wait while the station reboots" in quoted(told(commit(MANY)))
    without = MANY.replace(
        "- Wait while the station reboots, so that it is not knocked over\n", "- Bumped all versions\n"
    )
    assert len(told(commit(without))) == 1


def test_a_message_about_one_thing_gives_its_reason() -> None:
    assert "it answers nothing" in quoted(told(commit("Be patient\n\nWhen knocked too early it answers nothing.")))


def test_of_a_subject_of_several_sentences_the_telling_one_is_not_lost() -> None:
    long = "Replaced the database of the whole program. Wait until the station reboots at four. Updated all the docs."
    assert "Wait until the station reboots at four." in quoted(told(commit(long)))


# ── a conversation ──────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_last_ask_before_the_edit_is_told_and_nothing_said_after_it() -> None:
    record = conversation(
        [
            (PERSON, "Please change the colour of the page to blue."),
            (ASSISTANT, "The colour is blue now, because you asked."),
            (PERSON, "Please wait for the station when it reboots."),
            (ASSISTANT, "The root cause is that the station reboots at four."),
            (PERSON, "Why does the station reboot at four, by the way?"),
            (ASSISTANT, "The station reboots because its operator wants it to."),
        ],
        at=4,
    )
    text = quoted(told(record))
    assert "the person asked: “Please wait for the station when it reboots.”" in text
    assert "The assistant said: “The root cause is that the station reboots at four.”" in text
    assert "colour" not in text and "operator" not in text and "by the way" not in text


@pytest.mark.parametrize("words", ["yes, do it", "2", "yeah let's drop this branch, and then add a fix for 2"])
def test_an_acceptance_is_told_with_what_it_accepts(words: str) -> None:
    record = conversation(
        [
            (PERSON, "What is wrong with the nightly job?"),
            (
                ASSISTANT,
                "Two things are wrong:\n\n1. The page is slow because of its pictures.\n\n"
                "2. The station reboots at four, which means that nobody answers then.\n\n"
                "Should I wait for the station?",
            ),
            (PERSON, words),
            (ASSISTANT, "Now the edit."),
        ],
        at=4,
    )
    sentences = told(record)
    proposed = next(n for n, t in enumerate(sentences) if "assistant said" in t)
    assert "station" in sentences[proposed]
    assert sentences[proposed + 1] == f"The person answered: “{words}”"


def test_a_mere_nod_alone_is_not_an_ask() -> None:
    record = conversation(
        [(PERSON, "Wait for the station when it reboots, please."), (ASSISTANT, "ok"), (PERSON, "go on")], 3
    )
    assert "Wait for the station" in quoted(told(record)) and "go on" not in quoted(told(record))


def test_an_earlier_ask_that_speaks_of_the_selection_leads() -> None:
    record = conversation(
        [
            (PERSON, "The station reboots at four: wait BACKOFF_SECONDS for it."),
            (ASSISTANT, "I propose another way."),
            (PERSON, "really? can't we do it as I said"),
            (ASSISTANT, "You are right."),
        ],
        at=4,
    )
    text = quoted(told(record))
    assert "the person asked: “The station reboots at four" in text and "The person went on: “really?" in text


def test_what_a_person_pasted_is_not_what_they_asked() -> None:
    said = "- Client-side guard to avoid knocking at the station while it reboots."
    record = conversation(
        [
            (PERSON, "Summarise what you did for the station so far."),
            (ASSISTANT, f"This is what I did:\n\n{said}"),
            (
                PERSON,
                f"See below what was done:\n\n{said}\n\nWhy does it still fail when it runs?\n\nError: station reboots",
            ),
            (ASSISTANT, "Let me see."),
        ],
        at=4,
    )
    text = quoted(told(record))
    assert "Why does it still fail when it runs?" in text
    assert "Client-side guard" not in text and "Error: station" not in text


def test_an_ask_that_announces_a_paste_is_closed_where_it_stops() -> None:
    pasted = "\n".join(f"cmd/a.go:{n}:2: string has 5 occurrences (goconst)" for n in range(9))
    record = conversation([(PERSON, f"fix lint errors:\n{pasted}"), (ASSISTANT, "Now the edit.")], 2)
    assert "“fix lint errors …”" in quoted(told(record))


def test_what_the_assistant_only_does_celebrates_or_recommends_is_not_told() -> None:
    for words in (
        "Let me look at the station while it reboots, because I need to see it.",
        "The wait for the station works perfectly now, because it reboots at four.",
        "### Next steps\n\n- Stop waiting for the station when it reboots, because that is slow",
        "Should the station reboot at four, because it must?",
    ):
        record = conversation([(PERSON, "Please mend the nightly job of ours."), (ASSISTANT, words)], 2)
        assert not any("assistant said" in t for t in told(record)), words


def test_the_person_goes_on_only_after_having_begun() -> None:
    record = conversation(
        [
            (PERSON, "Do something about the nightly job."),
            (ASSISTANT, "The station reboots at four, which means it cannot answer: wait BACKOFF_SECONDS."),
            (PERSON, "Then please do so in the job as well."),
            (ASSISTANT, "Now the edit."),
        ],
        at=4,
    )
    begun = False
    for text in told(record):
        assert begun or "went on" not in text
        begun = begun or "the person asked" in text.lower()


def test_the_line_before_the_edit_is_told_where_it_says_what_it_is_for() -> None:
    record = conversation(
        [(PERSON, "The build fails."), (ASSISTANT, "Let me look.\n\nWe need to wait while the station reboots:")], at=3
    )
    assert "the assistant said: “We need to wait while the station reboots …”" in quoted(told(record))
    record = conversation([(PERSON, "The build fails."), (ASSISTANT, "Let me look at what is missing here:")], at=3)
    assert "look at what" not in quoted(told(record))


def test_a_nod_is_not_told_without_what_it_takes_up() -> None:
    record = conversation([(PERSON, "Let's go with option a"), (ASSISTANT, "I do.")], at=3)
    assert "option a" not in quoted(told(record))


def test_the_first_ask_is_no_filler_for_edits_that_wrote_other_lines() -> None:
    record = conversation([(PERSON, "Please paint the page blue again."), (ASSISTANT, "I paint it.")], at=3)
    assert "paint the page" in quoted(told(record))
    elsewhere = replace(record, numbers=(("commit lines written", 4), ("commit lines added", 9)))
    assert "paint the page" not in quoted(told(elsewhere, commit("Wait")))


def test_of_a_record_a_reason_that_has_nothing_to_do_with_the_lines_is_left_out() -> None:
    text = "Ten of the old scripts were removed because nobody ran them any more."
    assert text not in quoted(told(decision(("Results", text)), commit("Be patient")))
    assert text in quoted(told(decision(("Decision", text)), commit("Be patient")))


@pytest.mark.parametrize(
    ("text", "may"),
    [
        ("--after STATION: where the tide is read from, and when it is", False),
        ("COMMAND: tide fetch north south [--as name] [--type sequential]", False),
        ("COMMAND: tide fetch north --attach south and all that is near", False),
        ("Add --parent to the list command, because children were lost in it", True),
        ("For each --attach the proto is spawned and wired to the primary one", True),
    ],
)
def test_how_a_command_is_called_is_no_reason(text: str, may: bool) -> None:
    assert tellable(units(text)[0]) is may


def test_the_whole_subject_is_told() -> None:
    assert "“New songs! (for the station)”" in told(commit("New songs! (for the station)\n\nAnd more."))[0]


def test_without_an_edit_only_what_speaks_of_the_selection_is_told() -> None:
    record = conversation(
        [(PERSON, "Please paint the page blue again."), (ASSISTANT, "The page is blue because you asked.")], None
    )
    others = [(PERSON, "Please write the page anew."), (PERSON, "Please paint the page blue again.")]
    record = conversation([*others, (ASSISTANT, "The page is blue because you asked.")], None)
    assert told(commit("Be patient"), record, tied=False) == told(commit("Be patient"))
    assert told(record), "where there is nothing else its best words are told"


def test_a_conversation_that_wrote_nothing_is_left_out_beside_the_one_that_wrote_the_lines() -> None:
    wrote = conversation([(PERSON, "Wait for the station when it reboots."), (ASSISTANT, "Now.")], 2)
    beside = replace(
        conversation([(PERSON, "The station reboots at four, says the page."), (ASSISTANT, "Now.")], 2),
        key=RecordKey(Kind.CONVERSATION, Path("/store"), "1c8d", "claude-code"),
        numbers=(),
    )
    assert "says the page" not in quoted(told(wrote, beside))


def test_a_long_log_is_opened_in_bounded_time() -> None:
    turns = [(PERSON, "Wait for the station.")] + [(ASSISTANT, "The page is blue. " * 50)] * 3000
    heard = talk(*turns)
    begun = datetime.now(timezone.utc)
    list(asking.passages(heard, 3000, (), (), HERE))
    assert (datetime.now(timezone.utc) - begun).total_seconds() < 5.0


# ── a decision record ───────────────────────────────────────────────────────────────────────────────────────────────


def test_a_record_is_named_by_the_first_sentence_that_quotes_it() -> None:
    sentences = told(decision(("Context", "The station reboots at four, so that nobody answers for a while.")))
    assert sentences[0] == (
        "The record docs/adr/7.md, dated 2025-03-11 and titled “Wait for the station”, says: "
        "“The station reboots at four, so that nobody answers for a while.”"
    )
    assert not any("is titled" in text for text in sentences)


def test_the_section_that_the_lines_cite_is_told() -> None:
    here = pointed(["# see ADR-7 principle 2"], None, "tide/fetch.py", "", None)
    record = decision(
        ("Principle 1", "We never double a delay, because that takes too long for everybody."),
        ("Principle 2", "A delay is always written down with the reason it was chosen for."),
    )
    assert "A delay is always written down" in story.tell([record], here)[0].text


def test_alternatives_and_things_to_do_are_not_told_as_the_decision() -> None:
    record = decision(
        ("Alternatives considered", "The station reboots at four, because of which we could double the delay."),
        ("Implementation", "- [ ] Wait for the station when it reboots at four, because it must"),
    )
    assert "double the delay" not in quoted(told(record)) and "because it must" not in quoted(told(record))


def test_a_standing_is_told_where_it_matters() -> None:
    context = ("Context", "The station reboots at four, so that nobody answers for a while.")
    assert "closed" not in quoted(told(decision(context, status="closed")))
    assert "Superseded by ADR-9" in quoted(told(decision(context, status="Superseded by ADR-9")))


def test_a_release_is_no_title_worth_telling() -> None:
    record = replace(decision(status="", identity="CHANGELOG.md#1.2.0"), title="CHANGELOG 1.2.0")
    title = replace(record.passages[0], text="CHANGELOG 1.2.0")
    assert told(commit("Be patient"), replace(record, passages=(title,))) == told(commit("Be patient"))


def test_the_two_sentences_of_a_hover_are_the_ask_and_the_commit() -> None:
    record = conversation([(PERSON, "Wait for the station when it reboots."), (ASSISTANT, "Now.")], 2)
    sentences = told(record, commit("Be patient"), limit=story.BRIEF)
    assert len(sentences) == 2
    assert "the person asked" in quoted(sentences) and "brought all 2 selected lines" in quoted(sentences)


def test_what_stands_under_a_heading_that_negates_it_is_not_told_as_asked() -> None:
    words = (
        "Work on the nightly job as we said.\n\n1. Wait BACKOFF_SECONDS for the station.\n\n"
        "2. Do NOT:\n   - Reboot the station at four, or wait for it\n   - Sleep while it reboots at four"
    )
    record = conversation([(PERSON, words), (ASSISTANT, "Now.")], 2)
    assert "Wait BACKOFF_SECONDS for the station." in quoted(told(record))
    assert "Reboot the station" not in quoted(told(record)) and "Sleep while" not in quoted(told(record))


def test_a_conversation_without_a_telling_word_still_has_its_ask() -> None:
    record = conversation([(PERSON, "Please be patient with it from now on."), (ASSISTANT, "The page is blue.")], None)
    text = quoted(told(commit("Be patient with it"), record, tied=False))
    assert "the person asked: “Please be patient with it from now on.”" in text


def test_the_numbers_of_lines_pasted_with_a_text_are_not_part_of_it() -> None:
    message = "  1 feat: be patient with it\n  2\n  3 - Wait while the station reboots\n  4 - Paint it blue again"
    assert [u.text for u in units(message)] == [
        "feat: be patient with it",
        "Wait while the station reboots",
        "Paint it blue again",
    ]
    assert "“feat: be patient with it”" in quoted(told(commit(message)))


def test_sentences_of_one_turn_stand_in_its_order() -> None:
    words = (
        "The station reboots at four, which means that it cannot answer for a while.\n\n"
        "Nothing is known of the page.\n\n"
        "The operator bans whoever knocks while it reboots, so we must wait BACKOFF_SECONDS for the station."
    )
    passages = [Passage(text, ASSISTANT, None, DAY, Span(turn=2), "reason") for text in words.split("\n\n")]
    record = conversation([(PERSON, "Please mend the nightly job of ours."), (ASSISTANT, "Now.")], 2)
    one = Passage(words, ASSISTANT, None, DAY, Span(turn=2), "reason")
    sentences = told(replace(record, passages=(*record.passages, one, *passages)))
    assert [t for t in sentences if "assistant said" in t] == sorted(
        (t for t in sentences if "assistant said" in t), key=lambda t: words.find(t.split(forms.OPEN)[1][:20])
    )


def test_what_only_says_where_something_is_is_not_told() -> None:
    record = decision(
        ("Context", "The wait for the station is in `tide/fetch.py` lines 4-9, where it reboots at four.")
    )
    assert "lines 4-9" not in quoted(told(record))


def test_what_is_put_off_and_what_has_no_subject_says_no_why() -> None:
    put_off = "How the station is waited for is out of scope, because it reboots at four."
    bare = "Must wait for the station because it reboots at four."
    record = decision(("Context", put_off), ("Notes", bare))
    assert "out of scope" not in quoted(told(record)) and "Must wait" not in quoted(told(record))
