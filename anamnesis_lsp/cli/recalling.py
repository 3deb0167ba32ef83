"""The recaller of a command: in the working directory, over the stores that were given or those found there."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from anamnesis_lsp.cli.output import shown
from anamnesis_lsp.errors import AnamnesisError, ErrorCode

if TYPE_CHECKING:
    import argparse

    from anamnesis_lsp.recall.recaller import Recaller
    from anamnesis_lsp.records.conversations.stores import Store


@contextmanager
def recaller_of(options: argparse.Namespace, *, keep: bool = True) -> Generator[Recaller, None, None]:
    """A recaller for one command; what it has to note is told at the end. ``keep``: its recalls outlive it."""
    from anamnesis_lsp.recall.recaller import Recaller, RecallSettings

    given: list[str] = getattr(options, "store", None) or []
    stores = tuple(store_of(text) for text in given) if given else None
    contract = "recollect" if getattr(options, "contract", None) == "recollect" else "anamnesis"
    # One more than the processors: each waits now and then. The server reads in its own time, and alone.
    cores = os.cpu_count() or 1
    processes = cores + 1 if cores > 1 else 0
    settings = RecallSettings(contract=contract, stores=stores, keep=keep, reading_processes=processes)
    recaller = Recaller(settings, [Path.cwd()])
    try:
        yield recaller
    finally:
        for note in recaller.notes:
            print(f"anamnesis-lsp: {shown(note)}", file=sys.stderr)
        recaller.close()


def store_of(text: str) -> Store:
    """``KIND:PATH`` as a store. Raises ``storeUnknown`` and, where there is nothing, ``storeUnreadable``."""
    from anamnesis_lsp.records.conversations.registry import RUNTIMES
    from anamnesis_lsp.records.conversations.stores import Store

    kind, mark, path = text.partition(":")
    known = [*RUNTIMES, "decisions", "beads"]
    if not mark or not path or kind not in known:
        raise AnamnesisError(
            ErrorCode.STORE_UNKNOWN,
            f"--store {text[:200]} names no store.",
            f"Write it as KIND:PATH, with KIND one of {', '.join(known)}.",
        )
    store = Store.at(kind, Path(path))
    if not store.root.exists():
        raise AnamnesisError(
            ErrorCode.STORE_UNREADABLE, f"There is nothing at {path}.", "Give the path of a store that exists."
        )
    return store
