"""From blame to the commits that own the selected lines, and how much of the selection each of them owns.

A blank line belongs to the line above it. A line that says little (an import, a bracket) is no copy: where blame takes
it from elsewhere, and the commit that wrote the lines around it added it there as well, it is that commit's. Where
blame ends at a revert, which only put the lines back, the commit that first wrote them goes before it. With a cue, a
commit that speaks of it goes before one that owns a little more.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.index import lines, terms
from anamnesis_lsp.readings.content import Invocation, LineShare, LinesTraced
from anamnesis_lsp.readings.past import Past, said
from anamnesis_lsp.records.git import Blame
from anamnesis_lsp.records.git.model import BlameLine
from anamnesis_lsp.records.git.search import by_content

TRIVIAL_LINE = 0.05
"""What a line that says nothing (a bracket, a blank) counts in a commit's share of the selection."""
COPIED = 3
"""So many lines with nothing telling among them, or of another file, are no copy of another place."""


BESIDE = 4
"""Lines above and below the selection that are blamed with it, to see in whose text it stands."""
OWNERS = 3
"""Commits around a short stretch that are asked whether they added it."""
FITS = 0.6
"""What speaking of all of the cue counts, where owning the whole selection counts 1."""
PUT_BACK = 0.5
"""Share of the lines of a revert that an earlier commit must have added to be who first wrote them."""

_REVERT = re.compile(r"\A\s*revert\b|^this reverts commit [0-9a-f]{7}", re.IGNORECASE | re.MULTILINE)


def traced(
    past: Past, blame: Blame, invocation: Invocation, cue: str, cancel: CancelToken, *, ask: bool = True
) -> LinesTraced:
    """The commits of the selection, the one that carries most of it first; of equals the latest line's.

    ``cue``: the person's words, or nothing. Without ``ask`` (for a hover) no history is searched.
    """
    first, last = invocation.lines or (1, len(invocation.selected) or 10**9)
    text = {first + n: line for n, line in enumerate(invocation.selected)}
    mine = [line for line in _given_back(past, blame.lines, text, cancel) if first <= line.line <= last]
    mine = _blank_with_its_line(mine, text)
    uncommitted = tuple(n for n in blame.uncommitted if first <= n <= last)
    root: Path = past.repository.root
    shares = _shares(mine, text)
    put_back: tuple[str, ...] = ()
    if ask and shares:
        shares, put_back = _through_revert(past, shares, text, cancel)
        shares = _by_cue(past, shares, text, cue, cancel)
    return LinesTraced(root, blame.path, blame.commit, shares, uncommitted, blame.ignored_revisions, put_back)


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


def _by_cue(
    past: Past, shares: tuple[LineShare, ...], text: Mapping[int, str], cue: str, cancel: CancelToken
) -> tuple[LineShare, ...]:
    """The order by what each owns and how much of the cue its message and its lines speak of."""
    words = set(terms.tokens(cue))
    if not words or len(shares) < 2:
        return shares
    rarity = past.rarity(words, cancel)
    spoken: dict[str, list[str]] = {}
    for share in shares:
        own = "\n".join(text.get(n, "") for a, b in share.at for n in range(a, b + 1))
        message = said(past.commit(share.commit, cancel).message)
        spoken[share.commit] = sorted(words & set(terms.tokens(f"{message}\n{own}")))
    whole = math.fsum(rarity[word] for word in sorted({word for found in spoken.values() for word in found})) or 1.0

    def worth(share: LineShare) -> float:
        return share.weight + FITS * math.fsum(rarity[word] for word in spoken[share.commit]) / whole

    return tuple(sorted(shares, key=lambda share: -worth(share)))


def _through_revert(
    past: Past, shares: tuple[LineShare, ...], text: Mapping[int, str], cancel: CancelToken
) -> tuple[tuple[LineShare, ...], tuple[str, ...]]:
    """Before a commit that put lines back (a revert, a deleted file restored) the one that first wrote them.

    With the commits that only put back.
    """
    first = shares[0]
    commit = past.commit(first.commit, cancel)
    if first.boundary or not commit.parents:
        return shares, ()
    if not _REVERT.search(commit.message) and first.path not in past.patch(first.commit, cancel).created:
        return shares, ()
    numbers = [n for a, b in first.at for n in range(a, b + 1)]
    sought = max((text.get(n, "").strip() for n in numbers), key=len, default="")
    if not lines.telling(sought):
        return shares, ()
    try:
        changed = list(by_content(past.repository, commit.parents[0], sought, [first.path], cancel))
        writer = changed[-1] if changed else None
        if writer is None or writer in {share.commit for share in shares}:
            return shares, ()
        there = _added_at(past, writer, first.path, cancel)
    except AnamnesisError as error:
        if error.code is ErrorCode.CANCELLED:
            raise
        return shares, ()
    places = {line: number for number, line in there}
    written = [n for n in numbers if _collapsed(text.get(n, "")) in places]
    if len(written) < PUT_BACK * len(numbers):
        return shares, ()
    source = [places[_collapsed(text[n])] for n in written]
    own = LineShare(writer, first.path, len(written), first.weight, runs(written), runs(source))
    return (own, *shares), (first.commit,)


def _added_at(past: Past, commit: str, path: str, cancel: CancelToken) -> frozenset[tuple[int, str]]:
    """The lines that a commit added to a file, by number and with their white space collapsed; none it indented."""
    found: set[tuple[int, str]] = set()
    for hunk in past.hunks(commit, path, cancel):
        number = hunk.new_start
        removed = {_collapsed(line[1:]) for line in hunk.lines if line[:1] == "-"}
        for line in hunk.lines:
            if line[:1] == "+" and _collapsed(line[1:]) not in removed:
                found.add((number, _collapsed(line[1:])))
            number += line[:1] in ("+", " ")
    return frozenset(found)


def _collapsed(line: str) -> str:
    return " ".join(line.split())


def _given_back(past: Past, mine: Sequence[BlameLine], text: Mapping[int, str], cancel: CancelToken) -> list[BlameLine]:
    """Lines too trivial to be copies, and a few that stand elsewhere too, go to the commit of the lines around them,
    where that added them in this place.
    """
    found = list(mine)
    for begin, end in _stretches(found):
        start, stop = _within(found, begin, end, text)
        group = found[start:stop]
        if not group or len(group) > COPIED or all(not text.get(line.line, "").strip() for line in group):
            continue
        telling = any(lines.telling(text.get(line.line, "")) for line in group)
        beside = {found[n].commit for n in (begin - 1, end) if 0 <= n < len(found) and end - begin <= 2 * COPIED}
        for owner in _around(found, begin, end):
            alike = any(line.path == owner.path for line in group)
            if owner.boundary or (telling and alike and owner.commit not in beside):
                continue
            shift = owner.source_line - owner.line
            added = _added_at(past, owner.commit, owner.path, cancel)
            if all((line.line + shift, _collapsed(text.get(line.line, ""))) in added for line in group):
                found[start:stop] = [
                    replace(line, commit=owner.commit, path=owner.path, source_line=max(1, line.line + shift))
                    for line in group
                ]
                break
    return found


def _within(found: Sequence[BlameLine], start: int, stop: int, text: Mapping[int, str]) -> tuple[int, int]:
    """The part of a stretch that was selected."""
    inside = [n for n in range(start, stop) if found[n].line in text]
    return (inside[0], inside[-1] + 1) if inside else (start, start)


def _around(found: Sequence[BlameLine], start: int, stop: int) -> list[BlameLine]:
    """Of each other commit the line that is nearest to the stretch, the nearest first; below goes before above."""
    outside = [*enumerate(found[stop:]), *((start - 1 - n + 0.5, line) for n, line in enumerate(found[:start]))]
    nearest: dict[str, BlameLine] = {}
    for _, line in sorted(outside, key=lambda pair: pair[0]):
        nearest.setdefault(line.commit, line)
    return [line for commit, line in nearest.items() if commit != found[start].commit][:OWNERS]


def _stretches(found: Sequence[BlameLine]) -> list[tuple[int, int]]:
    """The runs of lines of one commit, as they stood when asked."""
    starts = [n for n, line in enumerate(found) if n == 0 or found[n - 1].commit != line.commit]
    return list(zip(starts, [*starts[1:], len(found)], strict=False))  # none where no line is committed


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
