"""Settings of a recall, as values: what the server's configuration and the command line's options become."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from anamnesis_lsp.records.conversations.excluding import NOTHING, Excluded
from anamnesis_lsp.records.conversations.stores import Store


@dataclass(frozen=True, slots=True)
class RecallSettings:
    """How recalls run. The defaults are those of a first start."""

    contract: Literal["anamnesis", "recollect"] = "anamnesis"
    stores: tuple[Store, ...] | None = None
    """Given stores replace the discovered ones, and are searched whole."""
    stores_off: frozenset[str] = frozenset()
    """Runtimes (or ``decisions``, ``beads``) that are not searched."""
    extra_stores: tuple[Store, ...] = ()
    """Further stores beside the discovered ones."""
    index_path: Path | None = None
    """Where the catalog lies; None: in our cache."""
    refresh: bool = True
    """Bring the catalog up to date before a recall. False: read what it has."""
    keep: bool = True
    """Keep recalls on disk, so that they can be taken up again. False: a question each, nothing is kept."""
    keep_days: float | None = 90.0
    """Recalls that did not change for so many days are removed when the file is opened; None: never."""
    state_path: Path | None = None
    """Where the recalls lie; None: in our state directory."""
    excluded: Excluded = NOTHING
    """Folders and sessions that are kept out of our index, and of every search."""
    index_retention_days: float | None = 90.0
    """How long our index keeps what it read of a conversation that is not there any more; None: for ever."""
    index_max_bytes: int | None = 2_000_000_000
    """Beyond this size of our index further records are left out, the newest having come first; None: no bound."""
    reading_processes: int = 0
    """So many other processes may read where much is new: for who has nothing else to do; 0: this one reads alone."""
    wait_seconds: float = 600.0
    """So long a recall waits for the catalog to be brought up to date; then it runs on what was read, and says so."""
