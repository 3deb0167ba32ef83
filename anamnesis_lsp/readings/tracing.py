"""From blame to the commits that own the selected lines, and how much of the selection each of them owns.

A blank line belongs to the line above it. A line that says little (an import, a bracket) is no copy: where blame takes
it from elsewhere, and the commit that wrote the lines around it added it as well, it is that commit's.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.index import lines
from anamnesis_lsp.readings.content import Invocation, LineShare, LinesTraced
from anamnesis_lsp.readings.past import Past
from anamnesis_lsp.records.git import Blame
from anamnesis_lsp.records.git.model import BlameLine

TRIVIAL_LINE = 0.05
"""What a line that says nothing (a bracket, a blank) counts in a commit's share of the selection."""
COPIED = 3
"""So many lines with nothing telling among them are no copy of another place."""


def traced(past: Past, blame: Blame, invocation: Invocation, cancel: CancelToken) -> LinesTraced:
    """The commits of the selection, the one that carries most of it first; of equals the latest line's."""
    first, last = invocation.lines or (1, len(invocation.selected) or 10**9)
    mine = [line for line in blame.lines if first <= line.line <= last]
    text = {first + n: line for n, line in enumerate(invocation.selected)}
    mine = _given_back(past, mine, text, cancel)
    mine = _blank_with_its_line(mine, text)
    uncommitted = tuple(n for n in blame.uncommitted if first <= n <= last)
    root: Path = past.repository.root
    return LinesTraced(root, blame.path, blame.commit, _shares(mine, text), uncommitted, blame.ignored_revisions)


def _shares(mine: Sequence[BlameLine], text: Mapping[int, str]) -> tuple[LineShare, ...]:
    weight: Counter[str] = Counter()
    paths: dict[str, str] = {}
    sources: defaultdict[str, list[int]] = defaultdict(list)
    here: defaultdict[str, list[int]] = defaultdict(list)
    boundary: set[str] = set()
    for line in mine:
        telling = lines.normalise(text.get(line.line, "")) is not None
        weight[line.commit] += 1.0 if telling else TRIVIAL_LINE  # type: ignore[assignment]
        here[line.commit].append(line.line)
        paths.setdefault(line.commit, line.path)
        if paths[line.commit] == line.path:
            sources[line.commit].append(line.source_line)
        if line.boundary:
            boundary.add(line.commit)
    whole = sum(weight.values()) or 1.0
    shares = [
        LineShare(
            commit,
            paths[commit],
            len(here[commit]),
            weight[commit] / whole,
            runs(here[commit]),
            runs(sources[commit]),
            commit in boundary,
        )
        for commit in weight
    ]
    return tuple(sorted(shares, key=lambda s: -s.weight))


def _given_back(past: Past, mine: Sequence[BlameLine], text: Mapping[int, str], cancel: CancelToken) -> list[BlameLine]:
    """Lines too trivial to be copies go to the commit of the lines around them, where that added them as well."""
    found = list(mine)
    for start, stop in _stretches(found):
        group = found[start:stop]
        if len(group) > COPIED or any(lines.telling(text.get(line.line, "")) for line in group):
            continue
        owner = next((found[n] for n in (stop, start - 1) if 0 <= n < len(found)), None)
        if owner is None or owner.boundary or all(not text.get(line.line, "").strip() for line in group):
            continue
        added = {" ".join(line.split()) for line in past.patch(owner.commit, cancel).added.get(owner.path, ())}
        if all(" ".join(text.get(line.line, "").split()) in added for line in group):
            shift = owner.source_line - owner.line
            found[start:stop] = [
                replace(line, commit=owner.commit, path=owner.path, source_line=max(1, line.line + shift))
                for line in group
            ]
    return found


def _stretches(found: Sequence[BlameLine]) -> list[tuple[int, int]]:
    """The runs of lines of one commit, as they stood when asked."""
    starts = [n for n, line in enumerate(found) if n == 0 or found[n - 1].commit != line.commit]
    return list(zip(starts, [*starts[1:], len(found)], strict=True))


def _blank_with_its_line(mine: Sequence[BlameLine], text: Mapping[int, str]) -> list[BlameLine]:
    """A blank line between lines of one commit is that commit's, whoever left one there before."""
    found = list(mine)
    for n, line in enumerate(found[:-1]):
        if n and not text.get(line.line, "-").strip() and found[n - 1].commit == found[n + 1].commit != line.commit:
            beside = found[n - 1]
            found[n] = replace(line, commit=beside.commit, path=beside.path, source_line=beside.source_line + 1)
    return found


def runs(numbers: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """Ascending runs of consecutive numbers, each number once."""
    found: list[tuple[int, int]] = []
    for number in sorted(set(numbers)):
        if found and number == found[-1][1] + 1:
            found[-1] = (found[-1][0], number)
        else:
            found.append((number, number))
    return tuple(found)


def selected_count(invocation: Invocation | None) -> int:
    """How many lines were selected, blank ones among them, as a person counts them."""
    return len(invocation.selected) if invocation is not None else 0
