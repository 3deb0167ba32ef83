"""What kind of change a step is, from the text of the span before and after."""

from __future__ import annotations

from collections.abc import Sequence

from .families import Family
from .tokens import indentation_ranks, tokens


def kind_of(old: str, new: str, family: Family) -> str | None:
    """``change``, ``comment`` or ``format``; ``None`` when the two texts are the same to the byte.

    ``format``: the same code tokens and comment words (in Python also the same nesting). ``comment``: only the words
    of comments differ.
    """
    if old == new:
        return None
    before, after = tokens(old, family), tokens(new, family)
    if before.code != after.code:
        return "change"
    if family is Family.PYTHON and indentation_ranks(old) != indentation_ranks(new):
        return "change"
    return "format" if before.comments == after.comments else "comment"


def only_renamed(old: str, new: str, old_name: str, new_name: str, family: Family) -> bool:
    """Whether the block's name is all that changed."""
    if old_name == new_name:
        return False
    before, after = tokens(old, family), tokens(new, family)
    return _without(before.code, old_name) == _without(after.code, new_name)


def _without(code: Sequence[str], name: str) -> list[str]:
    return ["" if token == name else token for token in code]


def made_here(new: Sequence[str], olds: Sequence[Sequence[str]]) -> bool:
    """Whether a merge wrote something of its own: a line, blanks aside, that none of its parents' spans has."""
    known = {line.strip() for old in olds for line in old}
    return any(line.strip() not in known for line in new if line.strip())
