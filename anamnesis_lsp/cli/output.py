"""What is printed. Exit codes: 0 done, 1 nothing found or not identified, 2 bad input, 3 refused, 4 internal."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from anamnesis_lsp.errors import AnamnesisError, ErrorCode

if TYPE_CHECKING:
    import argparse

    from anamnesis_lsp.present.round import Round

DONE, NOTHING, BAD_INPUT, INTERNAL = 0, 1, 2, 4
FOUND = ("presented", "identified", "answered", "holding")
"""Outcomes of a round that are worth the exit code 0."""


def print_json(value: object) -> None:
    """One value as one line."""
    sys.stdout.write(json.dumps(value, ensure_ascii=True) + "\n")


def print_round(round_: Round) -> None:
    """A round for people; with colours where standard output is a terminal."""
    from anamnesis_lsp.present.markdown import render_round_plain

    text = render_round_plain(round_)
    if not sys.stdout.isatty():
        print(text)
        return
    from rich.console import Console

    from anamnesis_lsp.present.terminal import styled

    Console(highlight=False).print(styled(text))


def print_markdown(text: str) -> None:
    """A document; as it is read rather than as it is written where standard output is a terminal."""
    if not sys.stdout.isatty():
        print(text)
        return
    from rich.console import Console
    from rich.markdown import Markdown

    Console().print(Markdown(text, hyperlinks=False))


def print_answer(round_: Round, options: argparse.Namespace) -> int:
    """The round that answers a command, and that of a recall it was taken to; returns the exit code."""
    if options.json:
        print_json(round_.as_wire())
    else:
        print_round(round_)
        if round_.reached is not None and round_.reached.round is not None:
            print_round(round_.reached.round)
    return exit_code(round_)


def exit_code(round_: Round) -> int:
    """0 where the round found something, 1 where it did not."""
    return DONE if round_.outcome in FOUND else NOTHING


def shown(text: str) -> str:
    """``text`` with nothing in it that acts on a terminal."""
    from anamnesis_lsp.present import escape

    return escape.terminal(text)


def complain(error: AnamnesisError) -> None:
    """An error, in one line on standard error."""
    print(f"anamnesis-lsp: {shown(error.message)} {shown(error.remedy)}", file=sys.stderr)


def bad(message: str, remedy: str) -> AnamnesisError:
    """The error of a command line that asks for what cannot be."""
    return AnamnesisError(ErrorCode.BAD_REQUEST, message, remedy)


def internal(error: Exception) -> AnamnesisError:
    """A fault of ours. Its text may hold text of a record, so only its kind is told."""
    return AnamnesisError(
        ErrorCode.INTERNAL,
        f"Something went wrong inside ({type(error).__name__}).",
        "Please report it; ANAMNESIS_DEBUG=1 shows where it happened.",
    )
