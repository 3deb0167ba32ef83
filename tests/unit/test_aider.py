"""Aider's chat histories: whose line a line is, what became of an edit, and which commits were made."""

from __future__ import annotations

from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from anamnesis_lsp.cancel import never
from anamnesis_lsp.records.conversations.aider import HISTORY, Aider, recorded_start
from anamnesis_lsp.records.conversations.model import EditOutcome, Head, Scan, Source, Turn
from anamnesis_lsp.records.evidence import Speaker
from tests.builders.exports import aider_launch, aider_prompt, aider_says, model_says, write

AIDER = Aider()
TOKENS = "Tokens: 1k sent, 2k received."


def test_where_the_history_is_looked_for(tmp_path: Path) -> None:
    assert AIDER.default_roots({}, tmp_path, None) == []
    assert AIDER.default_roots({}, tmp_path, tmp_path / "w") == [tmp_path / "w" / ".aider.chat.history.md"]
    named = AIDER.default_roots({"AIDER_CHAT_HISTORY_FILE": "log/chat.md"}, tmp_path, tmp_path / "w")
    assert named == [tmp_path / "w" / "log" / "chat.md", tmp_path / "w" / HISTORY]


def _read(root: Path, text: str) -> list[tuple[Source, list[Turn], Head, Scan]]:
    write(root / HISTORY, text)
    found: list[tuple[Source, list[Turn], Head, Scan]] = []
    for source in AIDER.sources(root, never()):
        reading = AIDER.read(source, never())
        turns = list(reading)
        found.append((source, turns, reading.head, reading.scan))
    return found


def _one(root: Path, *parts: str) -> list[Turn]:
    [(_, turns, _, _)] = _read(root, aider_launch("2026-02-24 16:53:06", *parts))
    return turns


def _whole(path: str, body: str) -> str:
    return model_says(f"Here it is.\n\n{path}\n```\n{body}\n```")


def _replace(path: str, old: str, new: str) -> str:
    return model_says(f"{path}\n```python\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n```")


def test_each_launch_is_a_conversation_named_by_its_time(tmp_path: Path) -> None:
    text = aider_launch("2026-02-24 16:53:06", aider_prompt("one")) + aider_launch(
        "2026-02-25 09:00:00", aider_prompt("two")
    )
    found = _read(tmp_path, text)
    assert [source.id for source, *_ in found] == [f"{HISTORY}#2026-02-24T16:53:06", f"{HISTORY}#2026-02-25T09:00:00"]
    assert [[turn.text for turn in turns] for _, turns, _, _ in found] == [["one"], ["two"]]
    started = found[0][2].started
    assert started is not None and started.replace(tzinfo=None) == recorded_start(found[0][0].id)


def test_two_launches_in_one_second_are_two(tmp_path: Path) -> None:
    text = aider_launch("2026-02-24 16:53:06", aider_prompt("one")) + aider_launch(
        "2026-02-24 16:53:06", aider_prompt("two")
    )
    ids = [source.id for source, *_ in _read(tmp_path, text)]
    assert ids == [f"{HISTORY}#2026-02-24T16:53:06", f"{HISTORY}#2026-02-24T16:53:06~2"]
    assert recorded_start(ids[1]) == recorded_start(ids[0])


def test_lines_are_the_persons_the_models_or_aiders(tmp_path: Path) -> None:
    turns = _one(
        tmp_path,
        aider_says("Aider v0.86.1\nModel: grok with whole edit format"),
        aider_prompt("why two lines?\nsecond line"),
        model_says("Because.\n\n#### Step 1\n\nDo it."),
        aider_says(f"{TOKENS}\nCreate new file? (Y)es/(N)o [Yes]: y"),
    )
    assert [(turn.speaker, turn.text) for turn in turns] == [
        (Speaker.PERSON, "why two lines?\nsecond line"),
        (Speaker.ASSISTANT, "Because.\n\n#### Step 1\n\nDo it."),
    ]
    assert turns[1].name == "grok"


def test_what_the_model_thought_aloud_is_left_out(tmp_path: Path) -> None:
    tag = "thinking-content-7bbeb8e1441453ad999a0bbba8a46d4b"
    shown = "-" * 14 + "\n► **THINKING**\n\nPerhaps a lock.\n\n" + "-" * 12 + "\n► **ANSWER**\n\nA queue."
    turns = _one(
        tmp_path,
        aider_prompt("a lock or a queue?"),
        model_says(f"<{tag}>\n\nFirst, the user wants a lock.\n\n---\n\n</{tag}>\n\nTake a queue."),
        aider_prompt("and then?"),
        model_says(shown),
        aider_prompt("go on"),
        model_says(f"Nothing more.\n\n<{tag}>\n\nI was cut"),
    )
    said = [turn.text for turn in turns if turn.speaker is Speaker.ASSISTANT]
    assert said == ["Take a queue.", "A queue.", "Nothing more."]


def test_of_a_question_of_aiders_only_the_answer_is_the_persons(tmp_path: Path) -> None:
    question = "Add file to the chat? (Y)es/(N)o/(A)ll/(S)kip all/(D)on't ask again [Yes]:"
    turns = _one(
        tmp_path, aider_prompt(f"{question} all"), model_says("Added."), aider_prompt(question), model_says("Waiting.")
    )
    assert [turn.text for turn in turns] == ["all", "Added.", "Waiting."]


def test_marks_inside_a_fence_are_content(tmp_path: Path) -> None:
    turns = _one(
        tmp_path, aider_prompt("quote"), model_says("```\n#### not a prompt  \n> not aider\n# not a launch\n```\nafter")
    )
    assert [turn.speaker for turn in turns] == [Speaker.PERSON, Speaker.ASSISTANT]
    assert "#### not a prompt" in turns[1].text


def test_a_fence_that_never_closes_ends_at_aiders_own_line(tmp_path: Path) -> None:
    turns = _one(tmp_path, aider_prompt("a"), model_says("```\ncut off"), aider_says(TOKENS), aider_prompt("b"))
    assert [turn.text for turn in turns if turn.speaker is Speaker.PERSON] == ["a", "b"]


def test_an_ask_that_is_repeated_is_one_prompt(tmp_path: Path) -> None:
    turns = _one(tmp_path, aider_prompt("/ask why?"), aider_prompt("why?"), model_says("So."), aider_says(TOKENS))
    assert [turn.text for turn in turns] == ["/ask why?", "So."]


def test_an_edit_counts_as_applied_only_where_aider_says_so(tmp_path: Path) -> None:
    turns = _one(
        tmp_path,
        aider_prompt("a"),
        _replace("src/a.py", "x = 1\ny = 1", "x = 2\ny = 1"),
        aider_says(f"{TOKENS}\nApplied edit to src/a.py\nCommit 1a2b3c4 fix: x"),
        aider_prompt("b"),
        _replace("src/a.py", "nowhere", "z"),
        aider_says(f"{TOKENS}\nThe LLM did not conform to the edit format."),
        aider_prompt("c"),
        _replace("src/b.py", "p", "q"),
        aider_prompt("d"),
        _replace("src/c.py", "p", "q"),
        aider_says("Skipping edits to src/c.py"),
    )
    edits = [edit for turn in turns for edit in turn.edits]
    assert [(e.path, e.written, e.outcome) for e in edits] == [
        ("src/a.py", "x = 2", EditOutcome.APPLIED),
        ("src/a.py", "z", EditOutcome.FAILED),
        ("src/b.py", "q", EditOutcome.UNCONFIRMED),
        ("src/c.py", "q", EditOutcome.REJECTED),
    ]
    [commit] = turns[1].commits
    assert (commit.hash, commit.subject, commit.how) == ("1a2b3c4", "fix: x", "committed")


def test_code_that_is_only_shown_is_no_edit(tmp_path: Path) -> None:
    turns = _one(tmp_path, aider_prompt("show"), _whole("src/a.py", "x = 1"), aider_says(TOKENS))
    assert turns[1].edits == ()


def test_a_whole_file_is_compared_with_what_the_log_wrote_before(tmp_path: Path) -> None:
    first = aider_launch(
        "2026-02-24 16:53:06",
        aider_prompt("a"),
        _whole("src/a.py", "one\ntwo"),
        aider_says(f"{TOKENS}\nApplied edit to src/a.py"),
    )
    second = aider_launch(
        "2026-02-24 17:53:06",
        aider_prompt("b"),
        _replace("src/a.py", "one", "ONE"),
        aider_says("Applied edit to src/a.py"),
        aider_prompt("c"),
        _whole("src/a.py", "ONE\ntwo\nthree"),
        aider_says(f"{TOKENS}\nApplied edit to src/a.py"),
    )
    edits = [edit for _, turns, _, _ in _read(tmp_path, first + second) for turn in turns for edit in turn.edits]
    assert [(e.written, e.whole_file) for e in edits] == [("one\ntwo", True), ("ONE", False), ("three", False)]


def test_an_undone_commit_undoes_its_edits(tmp_path: Path) -> None:
    turns = _one(
        tmp_path,
        aider_prompt("a"),
        _whole("a.py", "x"),
        aider_says(f"{TOKENS}\nApplied edit to a.py\nCommit 1a2b3c4 feat: x"),
        aider_prompt("/undo"),
        aider_says("Removed: 1a2b3c4 feat: x\nNow at:  0000000 before"),
    )
    assert turns[1].edits[0].outcome is EditOutcome.UNDONE


def test_the_persons_own_work_committed_before_edits_is_told_apart(tmp_path: Path) -> None:
    turns = _one(
        tmp_path,
        aider_prompt("a"),
        _whole("a.py", "x"),
        aider_says(
            f"{TOKENS}\nCommitting a.py before applying edits.\nCommit 0a0b0c0 chore: mine\n"
            "Applied edit to a.py\nCommit 1a2b3c4 feat: x"
        ),
    )
    assert [(c.hash, c.how) for c in turns[1].commits] == [("0a0b0c0", "before edits"), ("1a2b3c4", "committed")]


def test_a_udiff_and_an_edit_whose_text_is_not_shown(tmp_path: Path) -> None:
    turns = _one(
        tmp_path,
        aider_prompt("a"),
        model_says("```diff\n--- src/a.py\n+++ src/a.py\n@@ -1,2 +1,2 @@\n-x = 1\n+x = 2\n y = 1\n```"),
        aider_says("Applied edit to src/a.py\nApplied edit to src/lost.py"),
    )
    assert [(e.path, e.written, e.outcome) for e in turns[1].edits] == [
        ("src/a.py", "x = 2", EditOutcome.APPLIED),
        ("src/lost.py", "", EditOutcome.APPLIED),
    ]


def test_added_files_are_mentions_and_command_output_is_not(tmp_path: Path) -> None:
    turns = _one(
        tmp_path, aider_prompt("/add a.py"), aider_says("Added a.py to the chat\nAdded 6 lines of output to the chat.")
    )
    assert turns[-1].mentions == ("a.py",)


def test_prompts_have_times_where_the_input_history_lies_beside(tmp_path: Path) -> None:
    write(
        tmp_path / ".aider.input.history",
        "\n# 2026-02-24 16:54:00.5\n+why?\n\n# 2026-02-24 16:55:00.5\n+two\n+lines\n\n# 2020-01-01 00:00:00\n+later\n",
    )
    turns = _one(
        tmp_path,
        aider_prompt("why?"),
        model_says("So."),
        aider_says(TOKENS),
        aider_prompt("two\nlines"),
        aider_prompt("x"),
    )
    times = [turn.when.replace(tzinfo=None).isoformat(timespec="minutes") if turn.when else None for turn in turns]
    assert times == ["2026-02-24T16:54", None, "2026-02-24T16:55", None]


def test_a_stripped_file_is_still_told_apart(tmp_path: Path) -> None:
    text = (
        "# aider chat started at 2026-06-09 14:01:00\n\n#### add a retry\nI will.\n\n#### Step 1\nWrap it.\n\n"
        "> Applied edit to a.py\n\n#### next\n"
    )
    [(_, turns, _, _)] = _read(tmp_path, text)
    assert [turn.text for turn in turns if turn.speaker is Speaker.PERSON] == ["add a retry", "next"]


def test_nothing_can_be_reopened_by_id(tmp_path: Path) -> None:
    [(source, _, head, _)] = _read(tmp_path, aider_launch("2026-02-24 16:53:06", aider_prompt("a")))
    handle = AIDER.handle(source, head)
    assert handle.command is None and handle.note


_PIECES = st.one_of(
    st.text(max_size=30),
    st.sampled_from(
        [
            "# aider chat started at 2026-02-24 16:53:06",
            "# aider chat started at 2026-99-99 16:53:06",
            "#### x  ",
            "####",
            "> Tokens: 1  ",
            "> Applied edit to a.py  ",
            "> Commit 1a2b3c4 x  ",
            "> Removed: 1a2b3c4 x  ",
            "a.py",
            "```",
            "````diff",
            "<<<<<<< SEARCH",
            "=======",
            ">>>>>>> REPLACE",
            "--- a",
            "+++ b",
            "@@ -1 +1 @@",
            "\0\0",
            "\ud800",
            ">",
        ]
    ),
)


@settings(
    max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(lines=st.lists(_PIECES, max_size=40), cut=st.integers(0, 200))
def test_no_history_makes_the_reader_raise(tmp_path: Path, lines: list[str], cut: int) -> None:
    data = "\n".join(lines).encode("utf-8", "surrogatepass")
    (tmp_path / HISTORY).write_bytes(data[: len(data) - cut % (len(data) + 1)])
    for source in AIDER.sources(tmp_path, never()):
        turns = list(AIDER.read(source, never()))
        assert [turn.n for turn in turns] == list(range(1, len(turns) + 1))
        for turn in turns:
            turn.text.encode("utf-8")
