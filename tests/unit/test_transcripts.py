"""Plain exported logs: speakers are told by their marks, edits and commits by what the log shows as done."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from anamnesis_lsp.cancel import Cancelled, CancelToken, never
from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.records.conversations.model import EditOutcome, Reading, Turn
from anamnesis_lsp.records.conversations.transcripts import Transcripts
from anamnesis_lsp.records.evidence import Speaker
from tests.builders.exports import write

TRANSCRIPTS = Transcripts()

CONSOLE = """\
╭───────────────────────────╮
│ ✻ Welcome to Claude Code! │
╰───────────────────────────╯

> fix the retry loop
  in src/retry.py please

⏺ I'll look at the loop first.

⏺ Read(src/retry.py)
  ⎿  Read 40 lines (ctrl+r to expand)

⏺ Update(src/retry.py)
  ⎿  Updated src/retry.py with 2 additions and 1 removal
       10      attempts = 0
       11 -    while True:
       11 +    while attempts < 5:
       12 +        attempts += 1
       13          try:

⏺ Bash(git add -A && git commit -m "Bound the
      retries")
  ⎿  [main 1a2b3c4] Bound the retries
      1 file changed, 2 insertions(+), 1 deletion(-)

✻ Thinking…

> /clear
  ⎿  (no content)

> no, use a deadline

⏺ Write(src/deadline.py)
  ⎿  Error: File has not been read yet

⏺ Edit(src/retry.py)
  ⎿  User rejected update to src/retry.py

⏺ Bash(git commit -m "x")
  ⎿  pre-commit hook failed

⏺ Done.
"""


def _reading(root: Path, name: str, text: str) -> Reading:
    write(root / name, text)
    [source] = TRANSCRIPTS.sources(root, never())
    return TRANSCRIPTS.read(source, never())


def _turns(root: Path, text: str, name: str = "log.txt") -> list[Turn]:
    return list(_reading(root, name, text))


def test_a_console_log_has_prompts_answers_edits_and_commits(tmp_path: Path) -> None:
    turns = _turns(tmp_path, CONSOLE)
    assert [(turn.speaker, turn.text) for turn in turns] == [
        (Speaker.PERSON, "fix the retry loop\nin src/retry.py please"),
        (Speaker.ASSISTANT, "I'll look at the loop first."),
        (Speaker.INJECTED, "/clear"),
        (Speaker.PERSON, "no, use a deadline"),
        (Speaker.ASSISTANT, ""),
        (Speaker.ASSISTANT, "Done."),
    ]
    [edit] = turns[1].edits
    assert (edit.path, edit.outcome) == ("src/retry.py", EditOutcome.APPLIED)
    assert (edit.written, edit.removed) == ("    while attempts < 5:\n        attempts += 1", "    while True:")
    assert [(c.hash, c.subject) for turn in turns for c in turn.commits] == [("1a2b3c4", "Bound the retries")]
    assert turns[1].mentions == ("src/retry.py",)
    assert [e.outcome for e in turns[4].edits] == [EditOutcome.FAILED, EditOutcome.REJECTED]


def test_control_sequences_of_the_terminal_are_taken_out(tmp_path: Path) -> None:
    turns = _turns(tmp_path, "\x1b[1m> why?\x1b[0m\n\n\x1b[32m⏺\x1b[0m Because.\n")
    assert [turn.text for turn in turns] == ["why?", "Because."]


@pytest.mark.parametrize(
    "text",
    [
        "# Chat\n\n## User\n\nwhy?\n\n## Assistant (claude)\n\nBecause.\n",
        "# Chat\n\n### 🧑 User:\n\nwhy?\n\n### 🤖 ChatGPT:\n\nBecause.\n",
        "**User:** why?\n\n**Assistant:** Because.\n",
        "**You**\n\nwhy?\n\n**Claude**\n\nBecause.\n",
        "Human: why?\n\nAssistant: Because.\n",
        "You said:\nwhy?\nChatGPT said:\nBecause.\n",
    ],
)
def test_named_speakers_are_told_apart(tmp_path: Path, text: str) -> None:
    turns = _turns(tmp_path, text, "chat.md")
    assert [(turn.speaker, turn.text) for turn in turns] == [(Speaker.PERSON, "why?"), (Speaker.ASSISTANT, "Because.")]


def test_a_name_inside_code_is_no_speaker(tmp_path: Path) -> None:
    turns = _turns(tmp_path, "## User\n\nlook\n\n```\n## Assistant\n```\n\n## Assistant\n\nSeen.\n", "chat.md")
    assert len(turns) == 2


def test_a_commit_needs_the_command_and_its_output(tmp_path: Path) -> None:
    text = (
        '## User\n\ngo\n\n## Assistant\n\n```console\n$ git commit -m "x"\n[main abcdef1] x\n```\n\n'
        "```\n[main 1234567] only quoted\n```\n"
    )
    turns = _turns(tmp_path, text, "chat.md")
    assert [c.hash for c in turns[1].commits] == ["abcdef1"]


def test_code_that_is_shown_is_no_edit(tmp_path: Path) -> None:
    assert _turns(tmp_path, "Human: x\n\nAssistant: src/a.py\n```py\nx = 1\n```\n")[1].edits == ()


def test_a_log_without_speakers_has_no_turns_and_says_so(tmp_path: Path) -> None:
    reading = _reading(tmp_path, "notes.md", "# Notes\n\n> a quotation\n")
    assert list(reading) == [] and reading.scan.unknown_types == {"(no speakers can be told)": 1}


def test_logs_are_read_only_where_a_folder_is_given(tmp_path: Path) -> None:
    assert TRANSCRIPTS.default_roots({}, tmp_path, tmp_path) == []
    for name in ("a/one.md", "two.txt", "picture.png", ".git/three.md"):
        write(tmp_path / name, CONSOLE)
    assert {source.id for source in TRANSCRIPTS.sources(tmp_path, never())} == {"a/one.md", "two.txt"}


def test_the_id_is_the_path_and_the_name_may_tell_the_time(tmp_path: Path) -> None:
    write(tmp_path / "a/2026-01-02T15-30Z-x.md", "Human: x\n\nAssistant: y\n")
    write(tmp_path / "a/picture.png", "")
    [source] = TRANSCRIPTS.sources(tmp_path, never())
    reading = TRANSCRIPTS.read(source, never())
    list(reading)
    assert source.id == "a/2026-01-02T15-30Z-x.md"
    assert reading.head.started is not None and reading.head.started.isoformat() == "2026-01-02T15:30:00+00:00"
    handle = TRANSCRIPTS.handle(source, reading.head)
    assert handle.command is None and handle.note


def test_a_line_over_the_cap_is_skipped_and_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("anamnesis_lsp.records.conversations.textlog.MAX_LINE_BYTES", 100)
    reading = _reading(tmp_path, "log.md", "Human: a\n" + "x" * 5000 + "\n\nAssistant: b\n" + "y" * 300)
    assert [turn.text for turn in reading] == ["a", "b"]
    assert (reading.scan.skipped_lines, reading.scan.omitted_chars) == (2, 5001 + 300)


def test_a_turn_over_the_cap_is_cut_and_what_is_left_out_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("anamnesis_lsp.records.conversations.transcripts.MAX_TURN_CHARS", 20)
    reading = _reading(tmp_path, "log.md", "Human: a\n\nAssistant: b\n0123456789\n0123456789\n")
    assert [turn.text for turn in reading] == ["a", "b\n0123456789"]
    assert reading.scan.omitted_chars == 11


def test_reading_stops_when_it_is_cancelled(tmp_path: Path) -> None:
    write(tmp_path / "log.md", "Human: a\n\nAssistant: b\n")
    token = CancelToken()
    [source] = TRANSCRIPTS.sources(tmp_path, token)
    token.cancel()
    with pytest.raises(Cancelled):
        list(TRANSCRIPTS.read(source, token))


def test_a_log_that_is_gone_is_said_to_be_gone(tmp_path: Path) -> None:
    path = write(tmp_path / "log.md", "Human: a\n\nAssistant: b\n")
    [source] = TRANSCRIPTS.sources(tmp_path, never())
    path.unlink()
    with pytest.raises(AnamnesisError) as error:
        list(TRANSCRIPTS.read(source, never()))
    assert error.value.code is ErrorCode.RECORD_GONE


_PIECES = st.one_of(
    st.text(max_size=30),
    st.sampled_from(
        [
            "> x",
            "❯ y",
            "⏺ Update(a.py)",
            "⏺ Bash(git commit",
            "● said",
            "  ⎿  Updated a",
            "  ⎿ ",
            "       10 + x",
            "## User",
            "## Assistant",
            "**User:**",
            "Human:",
            "Assistant: x",
            "```",
            "$ git commit -m x",
            "[main 1234567] x",
            "\x1b[31m",
            "\0",
            "✻ Thinking…",
        ]
    ),
)


@settings(
    max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(lines=st.lists(_PIECES, max_size=40))
def test_no_log_makes_the_reader_raise(tmp_path: Path, lines: list[str]) -> None:
    (tmp_path / "log.txt").write_bytes("\n".join(lines).encode("utf-8", "surrogatepass"))
    [source] = TRANSCRIPTS.sources(tmp_path, never())
    turns = list(TRANSCRIPTS.read(source, never()))
    assert [turn.n for turn in turns] == list(range(1, len(turns) + 1))
