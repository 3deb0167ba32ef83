"""The stores that would be searched, and in what state each of them is: every runtime known, absent ones too."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.index import Captured, Pending, StoreStatus
from anamnesis_lsp.index import Progress as Reading
from anamnesis_lsp.present import escape
from anamnesis_lsp.readings.reachable import Reachable, how_far
from anamnesis_lsp.recall.settings import RecallSettings
from anamnesis_lsp.records.conversations.registry import RUNTIMES, discover_stores, possible_stores
from anamnesis_lsp.records.conversations.stores import Store

DECISION_KINDS = ("decisions", "beads")
TYPES_TOLD = 4
"""Unknown types of record that are told by name."""


def stores_of(
    settings: RecallSettings, root: Path | None, environ: Mapping[str, str] | None = None, home: Path | None = None
) -> tuple[Store, ...]:
    """The stores a recall in ``root`` searches: the given ones, else those discovered, without those that are switched
    off or lie in a folder that is kept out.
    """
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
    return tuple(
        store
        for store in dict.fromkeys(found)
        if store.runtime not in settings.stores_off and not settings.excluded.folder(store.root)
    )


def statuses(
    settings: RecallSettings,
    roots: Sequence[Path],
    reachable: Reachable,
    reading: Reading | None,
    cancel: CancelToken,
) -> list[dict[str, Any]]:
    """The wire's list of stores. ``reading`` is how far a background reading is."""
    searched: dict[Store, None] = {}
    for root in [*roots] or [None]:
        searched.update(dict.fromkeys(stores_of(settings, root)))
    stores = list(searched)
    captured = reachable.catalog.captured(stores)
    pending = {one.store: one for one in reachable.pending(stores, cancel)}
    writing = reading is not None or reachable.catalog.being_written()
    listed = [
        _status(
            status,
            captured.get(status.store, Captured()),
            pending[status.store],
            reading if reading is not None and reading.store == status.store else None,
            writing,
        )
        for status in reachable.catalog.stores(stores)
    ]
    named = {store.runtime for store in searched}
    if settings.stores is None:
        listed += [_missing(kind, settings, roots) for kind in (*RUNTIMES, *DECISION_KINDS) if kind not in named]
    return listed


_COLUMNS = ("store", "state", "records", "MB", "from", "to", "skipped", "unknown", "unverified", "failed")


def table(listed: Sequence[Mapping[str, Any]], captured: Mapping[Store, Captured]) -> Iterator[str]:
    """The wire's list as lines for a terminal: a row of counts per store, below it where it is and its notes.

    ``-`` is not counted. *skipped* are lines that did not parse, *unknown* records of types the reader does not know,
    *unverified* turns of the person that the runtime's own list of typed prompts does not have, *failed* records that
    could not be read whole.
    """
    of = {(store.runtime, str(store.root)): counts for store, counts in captured.items()}
    rows: list[tuple[tuple[str, ...], str, str]] = [(_COLUMNS, "", "")]
    for one in listed:
        counts = of.get((one["kind"], one["root"]))
        row = (
            one["kind"],
            one["state"],
            _number(one["records"]),
            "-" if one["bytes"] is None else f"{one['bytes'] / 1e6:,.1f}",
            (one["from"] or "-")[:10],
            (one["to"] or "-")[:10],
            _number(None if counts is None else counts.skipped_lines),
            _number(None if counts is None else sum(count for _, count in counts.unknown_types)),
            _number(None if counts is None else counts.unverified_person_turns),
            _number(None if counts is None else counts.failed),
        )
        rows.append((row, one["root"] or "", one["note"]))
    widths = [max(len(row[n]) for row, _, _ in rows) for n in range(len(_COLUMNS))]
    for row, root, note in rows:
        cells = [cell.ljust(width) if n in (0, 1, 4, 5) else cell.rjust(width)
                 for n, (cell, width) in enumerate(zip(row, widths, strict=True))]  # fmt: skip
        yield "  ".join(cells).rstrip()
        for line in (root, *note.split("; ")):
            if line:
                yield f"    {escape.terminal(line)}"


def _number(count: int | None) -> str:
    return "-" if count is None else f"{count:,}"


def _status(
    status: StoreStatus, captured: Captured, pending: Pending, reading: Reading | None, writing: bool
) -> dict[str, Any]:
    store = status.store
    state = {"partly": "read", "unread": "indexing"}.get(status.state, status.state)
    if not store.root.exists():
        state = "absent"
    elif reading is not None or (writing and pending.sources and state == "read"):
        state = "indexing"
    known = state in ("read", "indexing") and (status.state != "unread" or status.records > 0)
    return {
        "kind": store.runtime,
        "root": str(store.root),
        "state": state,
        "records": status.records if known else None,
        "bytes": status.bytes if known else None,
        "from": _iso(status.since),
        "to": _iso(status.until),
        "note": "; ".join(_notes(status, captured, pending, reading, writing)),
    }


def _notes(
    status: StoreStatus, captured: Captured, pending: Pending, reading: Reading | None, writing: bool
) -> Iterator[str]:
    """What is worth saying of a store, most important first."""
    if reading is not None:
        yield how_far(reading)
    elif pending.sources:
        size = f"{pending.sources:,} new or changed ({pending.bytes / 1e6:,.1f} MB)"
        yield f"{size} being read" if writing else f"{size} not read yet: a recall reads them"
    if status.note and not captured.failed:
        yield status.note
    if captured.failed:
        yield _count(captured.failed, "record", "could not be read whole")
    if captured.skipped_lines:
        yield _count(captured.skipped_lines, "line", "did not parse")
    if captured.omitted_chars:
        yield f"{captured.omitted_chars:,} characters were left out"
    if captured.unverified_person_turns:
        turns = _count(captured.unverified_person_turns, "turn of the person", "not in the list of typed prompts", "is")
        yield turns
    if captured.unknown_types:
        types = captured.unknown_types
        named = ", ".join(f"{name[:40]} ({count:,})" for name, count in types[:TYPES_TOLD])
        more = f" and {len(types) - TYPES_TOLD:,} more" if len(types) > TYPES_TOLD else ""
        yield f"record types not known: {named}{more}"
    if captured.being_written:
        yield _count(captured.being_written, "record", "still being written", "is")
    if status.gone:
        yield _count(status.gone, "record", "no longer there", "is")
    runtime = RUNTIMES.get(status.store.runtime)
    if runtime is not None:
        seen = _range(captured.versions)
        yield f"versions known: {runtime.versions}" + (f"; seen: {seen}" if seen else "")


def _range(versions: Sequence[str]) -> str:
    if len(versions) < 2:
        return "".join(versions)
    return f"{versions[0][:30]} to {versions[-1][:30]}"


def _count(number: int, one: str, what: str, verb: str | None = None) -> str:
    """``3 lines did not parse``; with a verb, ``1 record is …`` and ``2 records are …``."""
    head, _, tail = one.partition(" ")
    name = one if number == 1 else f"{head}s{' ' + tail if tail else ''}"
    verbs = {"is": "are"}
    said = "" if verb is None else f" {verb if number == 1 else verbs.get(verb, verb)}"
    return f"{number:,} {name}{said} {what}"


def _missing(kind: str, settings: RecallSettings, roots: Sequence[Path]) -> dict[str, Any]:
    off = kind in settings.stores_off
    places = [
        store.root
        for store in possible_stores(roots[0] if roots else None, os.environ, Path.home())
        if store.runtime == kind
    ]
    kept_out = any(place.exists() and settings.excluded.folder(place) for place in places)
    if off:
        note = "switched off in the settings"
    elif kept_out:
        note = "its folder is kept out by the settings"
    else:
        note = "nothing there on this machine"
    return {
        "kind": kind,
        "root": str(places[0]) if places else None,
        "state": "off" if off or kept_out else "absent",
        "records": None,
        "bytes": None,
        "from": None,
        "to": None,
        "note": note,
    }


def _iso(seconds: float | None) -> str | None:
    if seconds is None:
        return None
    return datetime.fromtimestamp(seconds, timezone.utc).isoformat(timespec="seconds")
