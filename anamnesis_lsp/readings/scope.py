"""The scope report: what was searched per store and root, how far, what was not and why. Never "there is none"."""

from __future__ import annotations

from anamnesis_lsp.contract import Context, Expansion
from anamnesis_lsp.readings.content import Content, ScopeSearched, SearchFailed
from anamnesis_lsp.readings.found import not_opened
from anamnesis_lsp.readings.search import Workplace


def entries(c: Context[Content]) -> list[ScopeSearched]:
    """The ledger: one entry per store or root, the latest where a pass searched it again."""
    found: dict[tuple[str, str], ScopeSearched] = {}
    for turn in c:
        if isinstance(turn.content, ScopeSearched):
            found[turn.content.kind, str(turn.content.root)] = turn.content
    return list(found.values())


def failures(c: Context[Content]) -> list[SearchFailed]:
    """Searches that could not run, each once."""
    return list(dict.fromkeys(t.content for t in c if isinstance(t.content, SearchFailed)))


def report(c: Context[Content]) -> str:
    """The scope searched, as text: one line per store or root."""
    lines: list[str] = []
    for entry in entries(c):
        of = "" if entry.of is None else f" of {entry.of:,}"
        span = ""
        if entry.since is not None and entry.until is not None:
            span = f", {entry.since.date().isoformat()} to {entry.until.date().isoformat()}"
        line = f"{entry.kind} in {entry.root}: {entry.examined:,}{of} examined{span}; {entry.how}"
        lines.append(f"{line}; not searched: {entry.not_searched}" if entry.not_searched else line)
    lines.extend(
        f"{failed.kind}{f' in {failed.root}' if failed.root else ''}: {failed.reason}" for failed in failures(c)
    )
    lines.extend(f"found, but not opened: {key.id}: {reason}" for key, reason in not_opened(c).items())
    return "\n".join(lines) or "nothing was searched"


def expansion(c: Context[Content], workplace: Workplace) -> Expansion | None:
    """A search past the boundary still worth offering; none is known yet to this version."""
    del c, workplace
    return None
