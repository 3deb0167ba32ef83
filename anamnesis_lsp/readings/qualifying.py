"""What a capture receipt is worth saying of a record. Unknown stays unknown; a success says nothing of absence."""

from __future__ import annotations

from anamnesis_lsp.readings.content import CaptureReceipt


def finding(receipt: CaptureReceipt) -> str | None:
    """The finding in one line; None where the receipt tells of nothing missed."""
    parts: list[str] = []
    if receipt.skipped_lines:
        parts.append(_count(receipt.skipped_lines, "line of the log did not parse", "lines of the log did not parse"))
    if receipt.unverified_person_turns:
        missing = _count(receipt.unverified_person_turns, "turn of the person is", "turns of the person are")
        parts.append(f"{missing} not in the list of what was typed")
    if receipt.omitted_chars:
        parts.append(f"{receipt.omitted_chars:,} characters were left out")
    failed = [e.extractor for e in receipt.extractions if e.state is not None and e.state.endswith("Failed")]
    if failed:
        parts.append(f"reading its {' and '.join(failed)} failed")
    if receipt.gone:
        parts.append("its source was missing when it was last looked for")
    elif receipt.stale:
        parts.append("it has changed since our index read it")
    found = "captured in part: " + "; ".join(parts) if parts else None
    foreign = _of_another_tool(receipt)
    return found if foreign is None else foreign if found is None else f"{found}; {foreign}"


def _of_another_tool(receipt: CaptureReceipt) -> str | None:
    """What the receipt of another tool's capture is worth saying: how good a cue that tool's gist is."""
    if not receipt.foreign and receipt.foreign_attempt is None:
        return None
    parts: list[str] = []
    if receipt.foreign_attempt == "in_progress":
        parts.append("has not said that it completed")
    failed = [
        e.extractor.partition(" ")[2] for e in receipt.foreign if e.state is not None and e.state.endswith("Failed")
    ]
    if failed:
        parts.append(f"failed at its {' and '.join(failed)}")
    omitted = sum(e.omitted or 0 for e in receipt.foreign)
    if omitted:
        parts.append(f"left out {omitted:,} characters")
    if not parts:
        return None
    if receipt.foreign_stale:
        parts.append("was of an earlier state of it")
    tool = next((e.extractor.partition(" ")[0] for e in receipt.foreign), "another tool")
    return f"its capture by {tool} {', '.join(parts)}"


def _count(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"
