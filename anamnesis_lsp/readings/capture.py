"""Capture evidence: the receipts of the records a search examined, as evidence turns.

A receipt belongs to a record only where runtime, root and session id all match. Not counted stays unknown.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from anamnesis_lsp.index.catalog import Catalog
from anamnesis_lsp.index.rows import Receipt, RecordRow
from anamnesis_lsp.readings.content import CaptureReceipt, CaptureReceipts, Extraction
from anamnesis_lsp.readings.corpus import Corpus
from anamnesis_lsp.readings.reachable import Reachable
from anamnesis_lsp.records.conversations.stores import part
from anamnesis_lsp.records.evidence import RecordKey

TELLING = 40
"""Receipts that tell of something missed and are listed one by one; the rest are counted."""
BATCH = 1000
"""Receipts looked at and let go at a time."""


def receipts(reachable: Reachable, corpus: Corpus, proposed: Sequence[RecordKey]) -> Iterable[CaptureReceipts]:
    """One evidence turn with the receipts of what was examined: of the proposed, and of those that tell of a gap."""
    if not corpus.rows:
        return
    telling, missing = reachable.of_receipts(corpus, lambda: _telling(reachable.catalog, corpus))
    first = frozenset(proposed[:6])
    known = {**telling, **reachable.catalog.receipts([r for r, row in corpus.rows.items() if row.key in first])}
    listed: list[CaptureReceipt] = []
    for record, row in corpus.rows.items():
        if record in known and _matches(known[record], row) and (row.key in first or len(listed) < TELLING):
            listed.append(_listed(known[record], row))
    yield CaptureReceipts(tuple(listed), len(corpus.rows), missing)


def _telling(catalog: Catalog, corpus: Corpus) -> tuple[dict[int, Receipt], int]:
    """The first receipts that tell of something missed, and how many records have none. All are too many to hold."""
    telling: dict[int, Receipt] = {}
    missing = 0
    records = list(corpus.rows)
    for start in range(0, len(records), BATCH):
        batch = records[start : start + BATCH]
        receipts = catalog.receipts(batch)
        missing += len(batch) - len(receipts)
        for record in batch:
            receipt = receipts.get(record)
            if receipt is None or len(telling) >= TELLING:
                continue
            if tells(receipt) and _matches(receipt, corpus.rows[record]):
                telling[record] = receipt
    return telling, missing


def _matches(receipt: Receipt, row: RecordRow) -> bool:
    kind = row.key.runtime or row.store.runtime
    return receipt.id == row.key.id and receipt.runtime == kind and Path(receipt.root) in (row.key.root, row.store.root)


def tells(receipt: Receipt) -> bool:
    """Whether the receipt says that something did not reach the index."""
    scan = receipt.scan
    if any(scan_count for scan_count in (scan.skipped_lines, scan.unverified_person_turns, scan.omitted_chars)):
        return True
    foreign = receipt.foreign
    if foreign is not None and (
        foreign.attempt == "in_progress"
        or any((state or "").endswith("Failed") or omitted for _, state, omitted in foreign.extractions)
    ):
        return True
    return receipt.incomplete_tail or any(
        reach.omitted or (reach.state is not None and reach.state.value.endswith("Failed")) for reach in receipt.reach
    )


def _listed(receipt: Receipt, row: RecordRow) -> CaptureReceipt:
    foreign = receipt.foreign
    return CaptureReceipt(
        key=row.key,
        extractions=tuple(
            Extraction(r.extractor, None if r.state is None else r.state.value, r.omitted) for r in receipt.reach
        ),
        skipped_lines=receipt.scan.skipped_lines,
        unverified_person_turns=receipt.scan.unverified_person_turns,
        omitted_chars=receipt.scan.omitted_chars,
        stale=row.gone is None and _changed(receipt),
        gone=row.gone is not None,
        foreign=tuple(Extraction(f"{foreign.tool} {e[0]}", e[1], e[2]) for e in foreign.extractions) if foreign else (),
        foreign_attempt=foreign.attempt if foreign else None,
        foreign_stale=receipt.foreign_stale,
    )


def _changed(receipt: Receipt) -> bool:
    """Whether the source is another one now than the receipt speaks of."""
    for path, size, mtime_ns in receipt.revision:
        now = part(Path(path))
        if now is not None and (now.size, now.mtime_ns) != (size, mtime_ns):
            return True
    return False
