"""demo: a small repository with a real history, three conversations and a decision record, and the main job run on it.

Everything is made in a temporary folder (or one that is kept) with a cache of its own, so that it shows what a first
run does on a machine that has none of it. :func:`tell` tells its stories in the terminal, :func:`serve` leaves it there
to be opened in an editor. Nothing else of this program depends on it.
"""

from __future__ import annotations

from anamnesis_lsp.demo.example import make, stores
from anamnesis_lsp.demo.telling import tell
from anamnesis_lsp.demo.workspace import serve

__all__ = ["make", "serve", "stores", "tell"]
