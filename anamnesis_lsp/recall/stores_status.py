"""The stores that would be searched, and in what state each of them is: every runtime known, absent ones too."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from anamnesis_lsp.index.catalog import Catalog
from anamnesis_lsp.recall.settings import RecallSettings
from anamnesis_lsp.records.conversations.registry import RUNTIMES, discover_stores, possible_stores
from anamnesis_lsp.records.conversations.stores import Store

DECISION_KINDS = ("decisions", "beads")


def stores_of(
    settings: RecallSettings, root: Path | None, environ: Mapping[str, str] | None = None, home: Path | None = None
) -> tuple[Store, ...]:
    """The stores a recall in ``root`` searches: the given ones, else those discovered, without those switched off."""
    if settings.stores is not None:
        return tuple(dict.fromkeys(settings.stores))
    environ = os.environ if environ is None else environ
    home = Path.home() if home is None else home
    found = discover_stores(root, environ, home)
    if root is not None:
        found.append(Store.at("decisions", root))
        if (root / ".beads").is_dir():
            found.append(Store.at("beads", root))
    found.extend(settings.extra_stores)
    return tuple(store for store in dict.fromkeys(found) if store.runtime not in settings.stores_off)


def statuses(settings: RecallSettings, roots: Sequence[Path], catalog: Catalog, indexing: bool) -> list[dict[str, Any]]:
    """The wire's list of stores."""
    searched: dict[Store, None] = {}
    for root in [*roots] or [None]:
        searched.update(dict.fromkeys(stores_of(settings, root)))
    listed = [_status(status, indexing) for status in catalog.stores(list(searched))]
    named = {store.runtime for store in searched}
    if settings.stores is None:
        listed += [_missing(kind, settings, roots) for kind in (*RUNTIMES, *DECISION_KINDS) if kind not in named]
    return listed


def _status(status: Any, indexing: bool) -> dict[str, Any]:
    store: Store = status.store
    state = {"partly": "read", "unread": "indexing"}.get(status.state, status.state)
    if not store.root.exists():
        state = "absent"
    note = status.note or ""
    if status.state == "unread" and state == "indexing" and not indexing:
        note = "not read yet: it is read by the first recall"
    if status.gone:
        note = "; ".join(part for part in (note, f"{status.gone} of its records are no longer there") if part)
    known = state in ("read", "indexing") and status.state != "unread"
    return {
        "kind": store.runtime,
        "root": str(store.root),
        "state": state,
        "records": status.records if known else None,
        "bytes": status.bytes if known else None,
        "from": _iso(status.since),
        "to": _iso(status.until),
        "note": note,
    }


def _missing(kind: str, settings: RecallSettings, roots: Sequence[Path]) -> dict[str, Any]:
    off = kind in settings.stores_off
    places = [
        str(store.root)
        for store in possible_stores(roots[0] if roots else None, os.environ, Path.home())
        if store.runtime == kind
    ]
    return {
        "kind": kind,
        "root": places[0] if places else None,
        "state": "off" if off else "absent",
        "records": None,
        "bytes": None,
        "from": None,
        "to": None,
        "note": "switched off in the settings" if off else "nothing there on this machine",
    }


def _iso(seconds: float | None) -> str | None:
    if seconds is None:
        return None
    return datetime.fromtimestamp(seconds, timezone.utc).isoformat(timespec="seconds")
