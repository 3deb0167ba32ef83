"""What a capture receipt is worth saying of a record. Unknown stays unknown; a success says nothing of absence."""

from __future__ import annotations

from anamnesis_lsp.readings.content import CaptureReceipt


def finding(receipt: CaptureReceipt) -> str | None:
    """The finding in one line; None where the receipt tells of nothing missed."""
    parts: list[str] = []
    if receipt.skipped_lines:
        parts.append(_count(receipt.skipped_lines, "line of the log did not parse", "lines of the log did not parse"))
    if receipt.unverified_person_turns:
        parts.append(
            _count(receipt.unverified_person_turns, "turn of the person is missing", "turns of the person are missing")
        )
    if receipt.omitted_chars:
        parts.append(f"{receipt.omitted_chars:,} characters were left out")
    failed = [e.extractor for e in receipt.extractions if e.state is not None and e.state.endswith("Failed")]
    if failed:
        parts.append(f"reading its {' and '.join(failed)} failed")
    if receipt.stale:
        parts.append("its source was missing when it was last looked for")
    return "captured in part: " + "; ".join(parts) if parts else None


def _count(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"
