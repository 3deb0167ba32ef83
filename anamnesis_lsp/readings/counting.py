"""Counting lines as a person and ``git show --numstat`` count them: every line, blank ones among them.

A line that says nothing by itself (blank, a bracket) is written by whoever wrote the line above it, or, at the top, the
first one below that says something. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from anamnesis_lsp.index import lines


def with_the_one_above(text: Sequence[str], judge: Callable[[str], bool | None]) -> list[bool]:
    """Which lines are written; ``judge`` gives None for one that says nothing by itself."""
    judged = [judge(line) for line in text]
    last = next((value for value in judged if value is not None), False)
    found: list[bool] = []
    for value in judged:
        last = last if value is None else value
        found.append(last)
    return found


def lines_of(patch: Mapping[str, Sequence[str]], written: Collection[int]) -> int:
    """How many of the lines that a commit added were written, by the hashes of what was written."""

    def judge(line: str) -> bool | None:
        normalised = lines.normalise(line)
        return None if normalised is None else lines.line_hash(normalised) in written

    return sum(sum(with_the_one_above(text, judge)) for text in patch.values())
