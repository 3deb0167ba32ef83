"""index: our catalog of conversation stores and decision records. A cue that says where to look, never evidence.

The door is :class:`Catalog`; its rows are in :mod:`.rows`, what makes two lines the same line in :mod:`.lines`, what a
term is in :mod:`.terms`. Promises: incremental by (identity, size, mtime); one receipt per record captured; nothing of
a record's text beyond terms, hashes, paths and titles; lies under our cache only; one writer over all processes. May
not be imported by ``present``: nothing shown comes from here. Raises ``indexUnusable`` and ``Cancelled``.
"""

from __future__ import annotations

from anamnesis_lsp.index.catalog import Catalog
from anamnesis_lsp.index.refresh import Policy, lower_priority
from anamnesis_lsp.index.rows import (
    Captured,
    CommitRow,
    EditRow,
    Failure,
    LineWriter,
    MentionRow,
    PassageHit,
    Pending,
    Progress,
    Receipt,
    RecordRow,
    Refreshed,
    Status,
    StoreStatus,
)

__all__ = [
    "Captured",
    "Catalog",
    "CommitRow",
    "EditRow",
    "Failure",
    "LineWriter",
    "MentionRow",
    "PassageHit",
    "Pending",
    "Policy",
    "Progress",
    "Receipt",
    "RecordRow",
    "Refreshed",
    "Status",
    "StoreStatus",
    "lower_priority",
]
