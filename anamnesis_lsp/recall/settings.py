"""Settings of a recall, as values: what the server's configuration and the command line's options become."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

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
