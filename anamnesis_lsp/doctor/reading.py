"""The index, and the stores that would be searched."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, cast

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.doctor.check import Check
from anamnesis_lsp.errors import AnamnesisError
from anamnesis_lsp.index import Catalog, Status
from anamnesis_lsp.recall.recaller import Recaller, RecallSettings

KEPT_DAYS = 30
"""So long Claude Code keeps a conversation where nothing else is set (its ``cleanupPeriodDays``)."""


def index_and_stores(
    here: Path, home: Path, environ: dict[str, str], now: datetime, cancel: CancelToken
) -> Iterator[Check]:
    """What the index has, and each store that is there. Reads nothing in: that is what a recall does."""
    try:
        catalog = Catalog.open()
        try:
            yield from _index(catalog.status(), now)
        finally:
            catalog.close()
        recaller = Recaller(RecallSettings(), [here])
        try:
            yield from _stores(recaller.stores(cancel), home, environ)
        finally:
            recaller.close()
    except AnamnesisError as error:
        yield Check("index", "index", "bad", error.message, error.remedy)


def _index(status: Status, now: datetime) -> Iterator[Check]:
    said = f"{_records(status.records)}, {status.bytes / 1e6:,.1f} MB"
    if status.records:
        said += f", last written {_age(status.path, now)}"
    if status.writing:
        said += "; being written now"
    if status.notes:
        yield Check("index", "index", "note", f"{said}; {'; '.join(status.notes)}")
    else:
        yield Check("index", "index", "ok", f"{said} ({status.path})")


def _age(path: Path, now: datetime) -> str:
    """When the index was last written, its journal included, as people say it."""
    facts = [file.stat() for file in (path, path.with_name(f"{path.name}-wal")) if file.exists()]
    times = [fact.st_mtime for fact in facts if fact.st_size]
    seconds = max(now.timestamp() - max(times, default=now.timestamp()), 0)
    for unit, length in (("days", 86_400), ("hours", 3_600), ("minutes", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:.0f} {unit} ago"
    return "just now"


def _stores(listed: Sequence[dict[str, Any]], home: Path, environ: dict[str, str]) -> Iterator[Check]:
    present = [store for store in listed if store["state"] != "absent"]
    for store in present:
        what = f"{store['kind']} in {store['root']}"
        said = _read(store)
        if store["state"] == "unreadable":
            yield Check(
                "store", what, "bad", said, "Make it readable for you, or leave it out with `stores` in the settings."
            )
        elif store["kind"] == "claude-code" and (days := _kept_days(home, environ)) <= KEPT_DAYS:
            yield Check(
                "store", what, "note", f"{said}; Claude Code deletes conversations after {days} days",
                'Set "cleanupPeriodDays" in its settings.json to keep them longer.',
            )  # fmt: skip
        else:
            yield Check("store", what, "ok", said)
    if not any(store["kind"] not in ("decisions", "beads") for store in present):
        yield Check(
            "store", "conversations", "note", "no conversation of an assistant was found where they are usually kept",
            "Recalls go by git and decision records. If yours are elsewhere, name them with --store KIND:PATH.",
        )  # fmt: skip
    absent = [store["kind"] for store in listed if store["state"] == "absent"]
    if absent:
        yield Check("store", "not here", "ok", ", ".join(absent))


def _read(store: dict[str, Any]) -> str:
    records = store["records"]
    if records is None:
        said = "nothing read" if store["state"] == "indexing" else str(store["state"])
    else:
        said = f"{_records(records)} read"
    return f"{said}; {store['note']}" if store["note"] else said


def _records(count: int) -> str:
    return f"{count:,} {'record' if count == 1 else 'records'}"


def _kept_days(home: Path, environ: dict[str, str]) -> float:
    """What Claude Code's own settings say, else its default; a file that cannot be read says nothing."""
    folder = Path(environ.get("CLAUDE_CONFIG_DIR") or home / ".claude")
    try:
        settings: object = json.loads((folder / "settings.json").read_bytes())
    except (OSError, ValueError, RecursionError):
        return KEPT_DAYS
    days = cast("dict[str, object]", settings).get("cleanupPeriodDays") if isinstance(settings, dict) else None
    return days if isinstance(days, (int, float)) and not isinstance(days, bool) else KEPT_DAYS


def utc_now() -> datetime:
    """The time of a report."""
    return datetime.now(timezone.utc)
