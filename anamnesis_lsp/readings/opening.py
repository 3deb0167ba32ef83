"""Opening a record: now, at its own source, at the span the cue reaches. What comes back is evidence; nothing else is.

A commit at its message and the hunk of the selected lines; a conversation at the person's request that led to the edit,
the edit, and what was said about it; a decision record at its title, status and sections. What the index said of the
record is verified here: lines counted as written are counted in the record's own text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.index import lines, terms
from anamnesis_lsp.readings import asking, window
from anamnesis_lsp.readings.asking import Talk
from anamnesis_lsp.readings.content import LineShare
from anamnesis_lsp.readings.corpus import LOCAL_CLOCK, same_path
from anamnesis_lsp.readings.counting import lines_of, with_the_one_above
from anamnesis_lsp.readings.fitting import Pointed
from anamnesis_lsp.readings.past import Past
from anamnesis_lsp.records.conversations.handles import safe
from anamnesis_lsp.records.conversations.model import CommitMade, Edit, EditOutcome, Head, Reading, Source, Turn
from anamnesis_lsp.records.conversations.registry import runtime
from anamnesis_lsp.records.evidence import OpenedRecord, Passage, RecordKey, Span, Speaker

PASSAGE_LIMIT = 20_000
"""Characters of one passage that are kept: a longer turn is opened at its beginning."""
IN_THE_FILE = 0.5
"""What being of the selected file adds to the lines an edit wrote."""
SLIGHT = 0.25
"""An edit that wrote less of the selection is not what it was asked for by the last words before it."""
HUNK_LINES = 60
MOST_EDITS = 20_000
"""Of a long conversation so many edits are compared, the most telling."""
ELSEWHERE = 2
"""Telling lines of the selection from which an edit of another file counts as having written them: they moved."""
SELECTED_WORTH = 1000.0
"""What a selected line counts against a line of the commit, where the telling edit is chosen."""

_FAILED = (EditOutcome.FAILED, EditOutcome.REJECTED, EditOutcome.UNDONE)
_REVERTS = re.compile(r"[Tt]his reverts commit ([0-9a-f]{7,64})")


@dataclass(frozen=True, slots=True)
class Reach:
    """What the cue reaches in a conversation: where to look for the edit, and what counts as telling."""

    selected: tuple[str, ...] = ()
    """The selected lines as the commits have them."""
    path: str | None = None
    commit: str | None = None
    """Full hash of the commit the conversation is joined to."""
    recorded: str | None = None
    """The hash under which the conversation recorded it, where that commit lives on in ``commit``."""
    misnamed: frozenset[str] = frozenset()
    """Abbreviations of ``commit`` that are another's as well, and were not meant for it."""
    added: frozenset[int] = frozenset()
    """Hashes of the lines that commit added."""
    patch: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: dict[str, tuple[str, ...]]())
    """The lines themselves, by path."""
    until: float | None = None
    """Edits after this (epoch seconds) did not lead to the commit."""
    turns: tuple[int, ...] = ()
    """Turns that a cue pointed at."""
    pointed: Pointed = field(default_factory=Pointed)
    """What the person pointed at: what a turn has to speak of."""


# ── a commit ────────────────────────────────────────────────────────────────────────────────────────────────────────


def open_commit(
    past: Past, key: RecordKey, share: LineShare | None, selected: int, cancel: CancelToken
) -> OpenedRecord:
    """The commit at its message and, where lines are known, their hunk. ``selected`` counts the selected lines."""
    commit = past.repository.commit(key.id, cancel)
    when = commit.author_time
    author = commit.author.name
    passages = [Passage(commit.message, Speaker.AUTHOR, author, when, Span(), "message")]
    hashes = [commit.hash]
    numbers: list[tuple[str, int]] = []
    if reverts := _REVERTS.search(commit.message):
        hashes.append(reverts[1])
    paths: tuple[str, ...] = ()
    if share is not None:
        paths = (share.path,)
        if share.boundary:
            passages.append(Passage("", Speaker.AUTHOR, author, when, Span(), "boundary"))
        else:
            numbers += [("lines brought", share.lines), ("lines selected", selected)]
            passages += _hunks(past, commit.hash, share, author, when, cancel)
    else:
        paths = past.patch(commit.hash, cancel).paths[:50]
    return OpenedRecord(
        key=key,
        title=commit.subject,
        started=when,
        ended=commit.commit_time,
        author=author,
        passages=tuple(passages),
        paths=paths,
        hashes=tuple(hashes),
        numbers=tuple(numbers),
    )


def open_revert(past: Past, key: RecordKey, target: str, cancel: CancelToken) -> OpenedRecord | None:
    """A commit that says it reverts ``target``; None where its own message does not say so."""
    commit = past.repository.commit(key.id, cancel)
    named = [match[1] for match in _REVERTS.finditer(commit.message) if target.startswith(match[1])]
    if not named:
        return None
    return OpenedRecord(
        key=key,
        title=commit.subject,
        started=commit.author_time,
        ended=commit.commit_time,
        author=commit.author.name,
        passages=(Passage(commit.message, Speaker.AUTHOR, commit.author.name, commit.author_time, Span(), "message"),),
        hashes=(commit.hash, target),
        numbers=(("reverts", 1),),
    )


def _hunks(
    past: Past, commit: str, share: LineShare, author: str, when: datetime, cancel: CancelToken
) -> Iterable[Passage]:
    for hunk in past.hunks(commit, share.path, cancel):
        last = hunk.new_start + max(hunk.new_lines, 1) - 1
        if any(hunk.new_start <= b and a <= last for a, b in share.source):
            text = "\n".join(hunk.lines[:HUNK_LINES])
            lines_there = (share.source[0][0], share.source[-1][1])
            yield Passage(text, Speaker.AUTHOR, author, when, Span(path=share.path, lines=lines_there), "hunk")


# ── a conversation ──────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(slots=True)
class _Heard:
    """What one pass over a conversation keeps of it: the words, and the edits that matter."""

    talk: Talk = field(default_factory=Talk)
    edits: list[tuple[float, Turn, Edit]] = field(default_factory=lambda: list[tuple[float, Turn, Edit]]())
    commit: tuple[Turn, CommitMade] | None = None
    sealed: bool = False
    """That commit is the very one: what came after it did not lead to it. One that lives on in a squash may have had
    more work after it."""
    commits: list[int] = field(default_factory=lambda: list[int]())
    """Turns in which a commit was made."""
    last: Turn | None = None
    first: str = ""
    """The person's first words, where only a window of the conversation is heard."""
    commit_lines: list[tuple[Turn, set[int]]] = field(default_factory=lambda: list[tuple[Turn, set[int]]]())
    """Which of the commit's lines each turn wrote."""


class _Unheard(Talk):
    """No words are kept."""

    def hear(self, turn: Turn, limit: int) -> None:
        """Nothing."""


def open_conversation(source: Source, key: RecordKey, reach: Reach, cancel: CancelToken) -> OpenedRecord:
    """Read the conversation from its source and open it at the turns the cue reaches.

    Raises ``recordGone``, ``storeUnreadable``, ``permissionDenied``, ``Cancelled``.
    """
    reader = runtime(source.runtime)
    reading = reader.read(source, cancel)
    selected = {
        lines.line_hash(n): lines.telling(n) for line in reach.selected if (n := lines.normalise(line)) is not None
    }
    if window.is_long(source):
        heard = _heard_of_a_long_one(source, reading, reach, selected, cancel)
    else:
        heard = _Heard()
        for turn in reading:
            _hear(heard, turn, reach, selected)
    handle = safe(reader.handle(source, reading.head))
    _without_what_came_after(heard, reach)
    edits = _telling_edits(heard)
    at = edits[0][1].n if edits else None
    slight = bool(edits) and bool(selected) and edits[0][0] < SLIGHT * SELECTED_WORTH * len(selected)
    passages = list(asking.passages(heard.talk, at, heard.commits, reach.turns, reach.pointed, slight))
    passages += [_edit_passage(turn, edit) for _, turn, edit in edits]
    hashes: tuple[str, ...] = ()
    if heard.commit is not None and reach.commit is not None:
        turn, made = heard.commit
        text = made.subject or made.hash
        rewritten = not reach.commit.startswith(made.hash)
        role = "rewritten" if rewritten else "commit"
        passages.append(Passage(text, turn.speaker, turn.name, turn.when, Span(turn=turn.n), role))
        hashes = (made.hash, reach.commit) if rewritten else (reach.commit,)
    passages.sort(key=lambda p: p.span.turn or 0)
    return OpenedRecord(
        key=key,
        title=_title(reading.head, heard),
        started=reading.head.started,
        ended=reading.head.ended or (heard.last.when if heard.last is not None else None),
        author=None,
        passages=tuple(passages),
        paths=tuple(dict.fromkeys(_shown_path(edit.path, reach.path) for _, _, edit in edits)),
        hashes=hashes,
        numbers=_counts(heard, edits, reach),
        handle=handle.command,
        handle_note=handle.note,
        clock="local" if source.runtime in LOCAL_CLOCK else "",
    )


def _heard_of_a_long_one(
    source: Source, reading: Reading, reach: Reach, selected: Mapping[int, bool], cancel: CancelToken
) -> _Heard:
    """What is heard in the window around the telling edit, which a first pass finds: it keeps no text."""
    seen, lengths = _Heard(talk=_Unheard()), window.Lengths(PASSAGE_LIMIT)
    for turn in reading:
        lengths.add(turn)
        if not seen.first and turn.speaker is Speaker.PERSON:
            seen.first = turn.text.strip()[:120]
        known = len(seen.edits)
        _hear(seen, turn, reach, selected)
        seen.edits[known:] = [
            (value, _bare(of), replace(edit, written="", removed=None)) for value, of, edit in seen.edits[known:]
        ]
        seen.commit_lines.clear()
        if len(seen.edits) > MOST_EDITS:
            seen.edits.sort(key=_telling)
            seen.edits = sorted(seen.edits[MOST_EDITS // 2 :], key=lambda item: item[1].n)
    heard = _Heard(first=seen.first)
    _without_what_came_after(seen, reach)
    told = [edit[1].n for edit in _telling_edits(seen)]
    windows = [lengths.around(turn) for turn in told or [*reach.turns[:3], 0]]
    for turn in window.within(iter(runtime(source.runtime).read(source, cancel)), windows):
        _hear(heard, turn, reach, selected)
    heard.last, heard.commit, heard.sealed, heard.commits = seen.last, seen.commit, seen.sealed, seen.commits
    return heard


def _bare(turn: Turn) -> Turn:
    return Turn(turn.n, turn.speaker, "", turn.when)


def _title(head: Head, heard: _Heard) -> str:
    if head.title or heard.first:
        return head.title or heard.first
    return next((spoken.text[:120] for spoken in heard.talk.persons if spoken.own), "")


def _hear(heard: _Heard, turn: Turn, reach: Reach, selected: Mapping[int, bool]) -> None:
    """``selected``: the hashes of the selected lines, each with whether it is one that not anybody writes."""
    heard.last = turn
    if not heard.sealed:
        heard.talk.hear(turn, PASSAGE_LIMIT)
        for edit in turn.edits:
            if edit.outcome in _FAILED:
                continue
            wrote = set(lines.hashes(edit.written))
            of_selected = wrote & set(selected)
            of_commit = wrote & reach.added if _is_in_the_patch(edit, reach) else set[int]()
            in_the_file = reach.path is not None and same_path(edit.path, reach.path)
            if reach.path is not None and not in_the_file and sum(selected[one] for one in of_selected) < ELSEWHERE:
                of_selected = set[int]()
            value = SELECTED_WORTH * len(of_selected) + min(len(of_commit), SELECTED_WORTH - 1)
            if in_the_file:
                value += IN_THE_FILE
            if value > 0:
                heard.edits.append((value, turn, edit))
                heard.commit_lines.append((turn, of_commit))
    if turn.commits:
        heard.commits.append(turn.n)
    for made in turn.commits:
        named = reach.commit is not None and reach.commit.startswith(made.hash) and made.hash not in reach.misnamed
        if named or (reach.commit is not None and made.hash == reach.recorded):
            heard.commit = (turn, made)
            heard.sealed = heard.sealed or named


def _is_in_the_patch(edit: Edit, reach: Reach) -> bool:
    """Whether the commit changed the edit's file: common lines of another one are not those that it added."""
    return not reach.patch or any(same_path(edit.path, path) or same_path(path, edit.path) for path in reach.patch)


def _without_what_came_after(heard: _Heard, reach: Reach) -> None:
    """Without what was said and written after the commit. One that records the commit needs no clock to tell."""
    until = reach.until
    if heard.sealed or until is None:
        return
    recorded = heard.commit[0] if heard.commit is not None else None
    if recorded is not None and (recorded.when is None or recorded.when.timestamp() > until):
        last = recorded.n

        def timely(turn: Turn) -> bool:
            return turn.n <= last

    else:

        def timely(turn: Turn) -> bool:
            return turn.when is None or turn.when.timestamp() <= until

    heard.talk.keep(timely)
    heard.edits = [item for item in heard.edits if timely(item[1])]
    heard.commit_lines = [item for item in heard.commit_lines if timely(item[0])]


def _telling_edits(heard: _Heard) -> list[tuple[float, Turn, Edit]]:
    """The edit that wrote most of what is sought: the last of equals, of whole files (which repeat lines) the first.

    Where none wrote a selected line, one of the selected file, whatever else of the commit another one wrote.
    """
    if not heard.edits:
        return []
    best = max(heard.edits, key=_telling)
    of_the_file = [item for item in heard.edits if _of_the_file(item)]
    here = [item for item in of_the_file if item[0] * 2 >= best[0] or best[0] < SELECTED_WORTH]
    if here and not _of_the_file(best):  # a copy of the lines, as an example in a text, is not where they stand
        best = max(here, key=_telling)
    if best[0] < 1.0:
        best = (of_the_file or heard.edits)[-1]
    return [best]


def _edit_passage(turn: Turn, edit: Edit) -> Passage:
    return Passage(edit.written[:PASSAGE_LIMIT], turn.speaker, turn.name, turn.when, Span(turn=turn.n), "edit")


def _of_the_file(item: tuple[float, Turn, Edit]) -> bool:
    return item[0] % 1 == IN_THE_FILE


def _telling(item: tuple[float, Turn, Edit]) -> tuple[float, bool, int]:
    value, turn, edit = item
    return value, not edit.whole_file, -turn.n if edit.whole_file else turn.n


def _counts(heard: _Heard, told: list[tuple[float, Turn, Edit]], reach: Reach) -> tuple[tuple[str, int], ...]:
    """Counted in the text of the edits to the file that is told of: lines that stand elsewhere too do not count."""
    counted: list[tuple[str, int]] = []
    if told and told[0][0] >= SELECTED_WORTH:
        path, speaker = told[0][2].path, told[0][1].speaker
        written = {
            " ".join(line.split())
            for value, turn, edit in heard.edits
            if value >= SELECTED_WORTH and edit.path == path and turn.speaker is speaker
            for line in edit.written.split("\n")
        }
        mine = [" ".join(line.split()) for line in reach.selected]
        counted.append(("lines written", sum(with_the_one_above(mine, lambda line: line in written if line else None))))
        counted.append(("lines selected", len(mine)))
    of_commit = {line for _, written in heard.commit_lines for line in written}
    if reach.patch and of_commit:
        counted.append(("commit lines written", lines_of(reach.patch, of_commit)))
        counted.append(("commit lines added", sum(map(len, reach.patch.values()))))
    return tuple(counted)


def _shown_path(recorded: str, path: str | None) -> str:
    return path if path is not None and same_path(recorded, path) else recorded


# ── what the story looks for ────────────────────────────────────────────────────────────────────────────────────────


def sought_words(texts: Sequence[tuple[str, float]], rarity: Mapping[str, float] | None = None) -> dict[str, float]:
    """Words with weights for choosing quotations, from texts each with its own weight; the whole sums to about ten."""
    found: dict[str, float] = {}
    for text, weight in texts:
        for term in set(terms.tokens(text)):
            if len(term) > 2 or not term.isascii():
                value = weight * (rarity or {}).get(term, 1.0)
                found[term] = max(found.get(term, 0.0), value)
    kept = sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))[:60]
    whole = sum(value for _, value in kept)
    return {term: 10.0 * value / whole for term, value in kept} if whole else {}
