"""``index``: our index of the stores, its state; rebuild it, remove from it."""

from __future__ import annotations

import argparse
from pathlib import Path

from anamnesis_lsp.cli.output import DONE, bad, print_json, shown
from anamnesis_lsp.cli.progress import progress
from anamnesis_lsp.cli.recalling import recaller_of
from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.index import Catalog, Status


def run(options: argparse.Namespace) -> int:
    """Do what is asked with it, then print its state."""
    unread = 0
    if options.rebuild or options.refresh:
        with recaller_of(options) as recaller, progress() as (cancel, report):
            if options.rebuild:
                recaller.reindex(None, cancel, report)
            else:
                unread = recaller.refresh(cancel, report)
    catalog = Catalog.open()
    try:
        if options.forget is not None:
            removed = _forget(catalog, options.forget)
            if not options.json:
                print(f"{_counted(removed, 'record')} removed.")
        status = catalog.status()
    finally:
        catalog.close()
    if options.json:
        _print_data(status, unread)
    else:
        _print_text(status, unread)
    return DONE


def _print_data(status: Status, unread: int) -> None:
    stores = [
        {
            "kind": one.store.runtime,
            "root": str(one.store.root),
            "state": one.state,
            "records": one.records,
            "bytes": one.bytes,
        }
        for one in status.stores
    ]
    whole = {"path": str(status.path), "bytes": status.bytes, "records": status.records, "writing": status.writing}
    print_json(
        {**whole, "unread": unread, "passages": status.passages, "lines": status.lines, "stores": stores}
    )  # fmt: skip


def _print_text(status: Status, unread: int) -> None:
    print(f"{shown(str(status.path))}: {_counted(status.records, 'record')}, {status.bytes / 1e6:.1f} MB")
    lines = _counted(status.lines, "written line")
    print(f"  {_counted(status.passages, 'passage')} and {lines} can be looked up")
    if status.writing:
        print("  it is being written now, by this or another program")
    if unread:
        print(f"  {_counted(unread, 'record')} {'is' if unread == 1 else 'are'} not in it yet")
    for note in status.notes:
        print(f"  {shown(note)}")
    for one in status.stores:
        read = f"{one.state:10} {one.records:>7,} records {one.bytes / 1e6:>10,.1f} MB"
        print(f"  {one.store.runtime:14} {read}  {shown(str(one.store.root))}")


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _forget(catalog: Catalog, what: str) -> int:
    """Remove what was read of ``KIND``, or of the store ``KIND:PATH``, or of one session ``KIND:PATH#ID``."""
    kind, _, path = what.partition(":")
    stores = [status.store for status in catalog.status().stores if status.store.runtime == kind]
    identity: str | None = None
    chosen = [store for store in stores if not path or store.root == Path(path).resolve()]
    if not chosen and "#" in path:
        path, _, identity = path.partition("#")
        chosen = [store for store in stores if store.root == Path(path).resolve()]
    if not chosen:
        raise bad(f"The index has nothing of {what[:200]}.", "Run 'anamnesis-lsp index' to see what it has.")
    removed = [catalog.forget(store, None if identity is None else [identity]) for store in chosen]
    if None in removed:
        raise AnamnesisError(
            ErrorCode.STORE_BUSY, "Another program is writing the index.", "Try again when it is done, or end it."
        )
    if identity is not None and not sum(filter(None, removed)):
        raise bad(f"The index has no conversation {identity[:100]} there.", "Give the id as a story names it.")
    return sum(filter(None, removed))
