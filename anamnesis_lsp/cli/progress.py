"""Progress of a command on standard error: a line that is written over on a terminal, next to nothing elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from anamnesis_lsp.cancel import CancelToken

if TYPE_CHECKING:
    from anamnesis_lsp.readings.reachable import Progress


@contextmanager
def progress() -> Generator[tuple[CancelToken, Progress], None, None]:
    """The token of a command's work, and where it reports how far it is."""
    cancel = CancelToken()
    if not sys.stderr.isatty():
        yield cancel, _waits_told_once()
        return
    width = 0

    def report(message: str, percent: int | None = None) -> None:
        nonlocal width
        text = message if percent is None else f"{message} {percent} %"
        sys.stderr.write(f"\r{text:<{width}}")
        sys.stderr.flush()
        width = max(width, len(text))

    try:
        yield cancel, report
    finally:
        if width:
            sys.stderr.write(f"\r{'':<{width}}\r")
            sys.stderr.flush()


def _waits_told_once() -> Progress:
    """Silence, but for what else would look like a program that hangs."""
    from anamnesis_lsp.readings.reachable import WAITING

    told = False

    def report(message: str, percent: int | None = None) -> None:
        nonlocal told
        if not told and message.startswith(WAITING):
            told = True
            print(f"anamnesis-lsp: {message}", file=sys.stderr, flush=True)

    return report
