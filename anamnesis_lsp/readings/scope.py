"""The scope report: what was searched per store and root, how far, what was not and why. Never "there is none"."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from anamnesis_lsp.contract import Context
from anamnesis_lsp.readings import expansion
from anamnesis_lsp.readings.content import Avenue, CommitsFound, Content, LinesTraced, ScopeSearched, SearchFailed
from anamnesis_lsp.readings.found import latest, not_opened


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


def not_searched(c: Context[Content]) -> list[Avenue]:
    """What lay past the boundary and did not run, with what it would cost."""
    gone = expansion.ran(c)
    return [avenue for avenue in expansion.boundary(c) if avenue.kind not in gone]


def too_young(c: Context[Content], entry: ScopeSearched) -> str | None:
    """Where a store holds nothing as old as the selected lines: that, as a cause its own times support."""
    written = _lines_written(c)
    if written is None or entry.since is None or entry.kind.startswith("git") or not entry.examined:
        return None
    if entry.since <= written:
        return None
    began, code = entry.since.date().isoformat(), written.date().isoformat()
    return f"nothing in it is older than {began}; the selected lines are from {code}"


def _lines_written(c: Context[Content]) -> datetime | None:
    traced, named = latest(c, LinesTraced), latest(c, CommitsFound)
    if traced is None or named is None or not traced.shares:
        return None
    return next((commit.when for commit in named.commits if commit.key.id == traced.shares[0].commit), None)


def report(c: Context[Content]) -> str:
    """The scope searched, as text: one line per store or root, per failure, and per search that was not run."""
    return "\n".join(_lines(c)) or "nothing was searched"


def _lines(c: Context[Content]) -> Iterator[str]:
    for entry in entries(c):
        of = "" if entry.of is None else f" of {entry.of:,}"
        span = ""
        if entry.since is not None and entry.until is not None:
            span = f", {entry.since.date().isoformat()} to {entry.until.date().isoformat()}"
        line = f"{entry.kind} in {entry.root}: {entry.examined:,}{of} examined{span}; {entry.how}"
        if entry.not_searched:
            line += f"; not searched: {entry.not_searched}"
        young = too_young(c, entry)
        yield f"{line}; {young}" if young else line
    for failed in failures(c):
        yield f"{failed.kind}{f' in {failed.root}' if failed.root else ''}: {failed.reason}"
    for key, reason in not_opened(c).items():
        yield f"found, but not opened: {key.id}: {reason}"
    for avenue in not_searched(c):
        yield f"not searched: {avenue.reach} ({avenue.cost})"
