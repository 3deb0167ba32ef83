"""What a command is given: lines of a file as ``PATH:START-END``, and files of one request per line."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from anamnesis_lsp.cli.output import bad

_RANGE = re.compile(r"(?P<path>.+?):(?P<start>\d{1,9})(?:-(?P<end>\d{1,9}))?\Z", re.DOTALL)


def names_lines(where: str) -> bool:
    """Whether ``where`` is ``PATH:START-END`` or ``PATH:LINE``, and not a path alone."""
    return _RANGE.fullmatch(where) is not None


def split_range(where: str) -> tuple[str, tuple[int, int]]:
    """``PATH:START-END`` or ``PATH:LINE`` taken apart. Raises ``badRequest`` where there are no lines."""
    match = _RANGE.fullmatch(where)
    if match is None:
        raise bad(f"'{where[:200]}' names no lines.", "Write it as PATH:START-END, for example src/app.py:10-14.")
    start = int(match["start"])
    return match["path"], (start, int(match["end"] or start))


def requests_in(name: str) -> Iterator[str]:
    """The lines of a file (``-``: of standard input) that hold something. Raises ``badRequest``."""
    if name == "-":
        yield from (line for line in sys.stdin if line.strip())
        return
    try:
        with Path(name).open(encoding="utf-8", errors="replace") as file:
            yield from (line for line in file if line.strip())
    except OSError as error:
        raise bad(f"{name} cannot be read: {error.strerror}.", "Give a file with one request per line.") from error
