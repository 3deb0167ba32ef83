"""No text takes longer than its length is worth: what attacking the readers with one thing over and over found."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from anamnesis_lsp.readings.own_words import heard_lines, own_runs
from anamnesis_lsp.readings.quoting import units
from anamnesis_lsp.records.conversations import shell
from anamnesis_lsp.server.requests import TEXT_LIMIT

OVER_AND_OVER = (
    " ", "\t", "a", "A", "0", "-", ".", "/", "a ", "a.", "a/", "A-", "0.", "(", "[", "<", '"', "`", "*", "#", "|", "=",
    "\n", " \n", "a\n", "─", "中", "git ", "git commit ", "git commit && ", "[main ", "[a", "**", "- a\n", "> ", "a: ",
    "| a ", "```\n", "&& ", "2024-01-01 ", "a@b ",
)  # fmt: skip
READERS: dict[str, tuple[Callable[[str], object], int]] = {
    "what a command printed": (lambda text: shell.commits_in("git commit -m x", text), 100_000),
    "a command": (lambda text: shell.commits_in(text, "[main abc1234] x"), 100_000),
    "a command and what it prints": (lambda text: shell.commits_in(f"git commit -qm x && {text}", "abc1234"), 100_000),
    "own words": (lambda text: own_runs(text, {1}), 20_000),
    "lines heard": (heard_lines, 20_000),
    "quotable pieces": (units, 20_000),
}


@pytest.mark.parametrize("reader", READERS)
def test_no_text_holds_a_reader(reader: str) -> None:
    read, length = READERS[reader]
    slow: dict[str, float] = {}
    for piece in OVER_AND_OVER:
        for begin in ("", "Why is this? "):
            text = f"{begin}{piece * (length // len(piece))}!"
            began = time.process_time()
            read(text)
            if (took := time.process_time() - began) > 1.0:
                slow[f"{begin}{piece}"] = took
    assert not slow


def test_what_a_person_says_is_bounded() -> None:
    """Its reading grows with the square of its length where it is one word without an end."""
    assert TEXT_LIMIT <= 4_000
