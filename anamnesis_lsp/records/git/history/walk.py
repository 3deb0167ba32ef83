"""Walks the history of a range, newest first, from the selection to where its lines or its block appear.

What is followed is either a whole block (the selection *is* a function or class, see :func:`blocks.whole_block`) or
the lines themselves; the block around lines only helps to find them again after a move. Every revision of the path is
first asked whether it touches the range at all, from its bytes where they show it plainly (:mod:`.untouched`), else
through git's own diff; only where it does, the texts are read and compared.
"""

from __future__ import annotations

import heapq
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.records.git.model import Match, Step

from .ancestry import copied_from, gone_elsewhere, in_file
from .anchors import anchored
from .blocks import Block, span_text, whole_block
from .classify import kind_of, made_here, only_renamed
from .families import Family, family_of, suffix_of
from .lines import ELSEWHERE_LETTERS, LOST, MOVED_LETTERS, Carried, carry, narrowed, search, telling
from .patches import Patch, compare, decode, span_hunks
from .revisions import Past, Revision, Revisions, TreeChange
from .tokens import similarity
from .tracks import (
    Older,
    Text,
    Track,
    block_track,
    code_of,
    header_of,
    inside_block,
    kept_by,
    lines_track,
    met,
    moved_by,
)
from .untouched import Content, may_hold, shifted

_LARGEST_TEXT = 4 * 1024 * 1024
_FILES_READ_WHOLE = 40
"""Changed files up to which a commit's other files are also searched for blocks of another name and for copies."""
_SPLIT_ALIKE = 0.5
"""Share of equal lines from which an added file was split off a renamed one."""
_AROUND = (3, 8)
"""Lines on both sides that are looked for with a range that says too little by itself."""
_RESTORED_WITHIN = 64
"""Revisions of the path that are looked through for an earlier life of lines that appear."""
_RESTORED_ALIKE = 0.8
_CONTENTS_KEPT = 96
_READ_AHEAD = 32
"""Blobs of the path that are read at once, at most."""


class Walk:
    """One history. Blocking; every wait ends with ``cancel``."""

    def __init__(self, past: Past, cancel: CancelToken, family: Family | None = None) -> None:
        self._past = past
        self._cancel = cancel
        self._family = family
        self._revisions: dict[str, Revisions] = {}
        self._texts: dict[tuple[str, str], Text | None] = {}
        self._tree_changes: dict[tuple[str, str], list[TreeChange]] = {}
        self._heap: list[tuple[int, int, str, str]] = []
        self._waiting: dict[tuple[str, str], list[Track]] = {}
        self._seen: set[tuple[str, Track]] = set()
        self._told: set[str] = set()
        self._order = 0
        self._contents: OrderedDict[str, Content | None] = OrderedDict()
        self._ahead = 2

    def steps(self, commit: str, path: str, start: int, end: int) -> Iterator[Step]:
        """The steps from ``commit`` back, each as soon as it is known. ``start`` and ``end`` must lie in the file."""
        text = self._text(commit, path)
        if text is None:
            return
        first = self._of(path).first(commit)
        if first is None:
            return
        self._push(first, path, self._choose(text, path, start, end))
        while self._heap:
            self._cancel.check()
            _, _, commit, path = heapq.heappop(self._heap)
            tracks = self._waiting.pop((commit, path), [])
            revision = self._of(path).get(commit)
            if revision is None:
                continue
            for track in met(tracks):
                if (commit, track) in self._seen:
                    continue
                self._seen.add((commit, track))
                step, olders = self._process(revision, track)
                if step is not None and commit not in self._told:
                    self._told.add(commit)
                    yield step
                for older in olders:
                    self._follow(older)

    # --- where to go on ---------------------------------------------------------------------------------------------

    def _choose(self, text: Text, path: str, start: int, end: int) -> Track:
        chosen = whole_block(text.scan, start, end)
        if chosen is None:
            return Track(path, start, end, start, False)
        block, with_top = chosen
        return Track(path, block.start, block.end, block.top if with_top else block.start, True, block.body)

    def _of(self, path: str) -> Revisions:
        if path not in self._revisions:
            self._revisions[path] = Revisions(self._past, path, self._cancel)
        return self._revisions[path]

    def _follow(self, older: Older) -> None:
        path = older.track.path
        revision = self._of(path).first(older.commit)
        if revision is not None:
            self._push(revision, path, older.track)

    def _push(self, revision: Revision, path: str, track: Track) -> None:
        key = (revision.commit, path)
        if key not in self._waiting:
            self._waiting[key] = []
            self._order += 1
            heapq.heappush(self._heap, (-revision.time, self._order, revision.commit, path))
        self._waiting[key].append(track)

    def _text(self, commit: str, path: str) -> Text | None:
        key = (commit, path)
        if key not in self._texts:
            if len(self._texts) > 64:
                self._texts.pop(next(iter(self._texts)))
            self._texts[key] = self._as_text(self._past.file(commit, path, self._cancel), path)
        return self._texts[key]

    def _as_text(self, data: bytes | None, path: str) -> Text | None:
        if data is None or len(data) > _LARGEST_TEXT or b"\0" in data[:8000]:
            return None
        return Text(decode(data).removeprefix("\ufeff"), self._family or family_of(path))

    # --- one revision -----------------------------------------------------------------------------------------------

    def _process(self, revision: Revision, track: Track) -> tuple[Step | None, list[Older]]:
        if len(revision.parents) > 1:
            return self._merge(revision, track)
        if not revision.parents or revision.status == "A":
            return self._appeared(revision, track)
        alone = self._left_alone(revision.blob, revision.old_blob, track, revision)
        taken = self._taken_whole(revision, track)
        if taken is not None:
            return None, [taken]
        if alone is not None:
            return None, [Older(revision.parents[0], alone, Match.DIFF, 1.0)]
        patch = self._of(track.path).patch(revision)
        if not patch.readable or patch.added:
            return self._appeared(revision, track)
        kept = kept_by(track, patch)
        if kept is not None:
            return None, [Older(revision.parents[0], kept, Match.DIFF, 1.0)]
        return self._changed(revision, track, patch)

    def _taken_whole(self, revision: Revision, track: Track) -> Older | None:
        """The side of a merge that has the whole file as it is under another name (a subtree): blame goes on there, and
        history by path has left that parent out."""
        parents = self._past.commit(revision.commit, self._cancel).parents
        if len(parents) < 2 or revision.blob is None or revision.commit in self._past.boundary:
            return None
        for parent, blob in self._blobs(parents, track.path).items():
            if blob is None:
                renamed = next((c for c in self._changes(parent, revision.commit) if c.path == track.path), None)
                if renamed is not None and renamed.status == "R" and renamed.old_blob == revision.blob:
                    return Older(parent, replace(track, path=renamed.old_path), Match.RENAME, 1.0)
        return None

    def _left_alone(
        self, blob: str | None, old_blob: str | None, track: Track, revision: Revision | None = None
    ) -> Track | None:
        """The track before a change that plainly leaves it alone; ``None`` where a diff must tell."""
        if blob is None or old_blob is None:
            return None
        new, old = self._content(blob, track.path, revision), self._content(old_blob, track.path, revision)
        if new is None or old is None:
            return None
        shift = shifted(new, old, track.top, track.end)
        return None if shift is None else moved_by(track, shift)

    def _content(self, blob: str, path: str, revision: Revision | None = None) -> Content | None:
        """The bytes of a blob; those of the revisions before are read along, more of them the longer it goes on."""
        if blob in self._contents:
            self._contents.move_to_end(blob)
            return self._contents[blob]
        wanted = {blob: None}
        if revision is not None:
            ahead = self._of(path).ahead(revision, self._ahead)
            self._past.commits([other.commit for other in ahead], self._cancel)
            for other in ahead:
                wanted.update((b, None) for b in (other.blob, other.old_blob) if b and b not in self._contents)
            self._ahead = min(_READ_AHEAD, 2 * self._ahead)
        read = self._past.blobs(list(wanted), self._cancel)
        for one in wanted:
            self._contents[one] = Content(read[one]) if one in read else None
        while len(self._contents) > max(_CONTENTS_KEPT, len(wanted)):
            self._contents.popitem(last=False)
        return self._contents[blob]

    def _changed(self, revision: Revision, track: Track, patch: Patch) -> tuple[Step | None, list[Older]]:
        new = self._text(revision.commit, track.path)
        if new is None:
            return self._told_as(revision, track, (), Match.DIFF, 0.0, "change"), []
        older = self._in_same_file(revision.parents[0], track, new, patch)
        if older is None:
            return self._appeared(revision, track)
        sides = self._renamed_on_a_side(revision, track, new)
        if sides:
            return self._joined(revision, track, new, [older, *sides])
        step = self._step(revision, track, new, older)
        if step is None and patch.touching(track.top, track.end):
            step = self._told_as(revision, track, (), Match.MOVE, older.confidence, "format", older)
        return step, [older]

    def _in_same_file(self, parent: str, track: Track, new: Text, patch: Patch) -> Older | None:
        old = self._text(parent, track.path)
        if old is None:
            return None
        if track.is_block:
            within = inside_block(track, patch, new, old)
            if within is not None:
                likeness = similarity(code_of(old, within), code_of(new, track))
                return Older(parent, within, Match.DIFF, 0.7 + 0.3 * likeness)
            block = new.scan.at(track.start, track.end)
            found = in_file(block, new.scan, old.scan) if block is not None else None
            if found is not None:
                return Older(parent, block_track(track, found.block), Match.DIFF, found.confidence)
            if block is not None and old.scan.blocks:
                return None
        carried = anchored(new.lines, track.start, track.end, old.lines)
        carried = carried or carry(patch, track.start, track.end, new.lines)
        if carried is not None and carried.kept >= LOST:
            return Older(parent, lines_track(track, carried.start, carried.end), Match.DIFF, carried.kept)
        around = self._within_block(parent, track, new, old)
        if around is not None:
            return around
        gone = frozenset(change.old_start + i for change in patch.changes for i in range(len(change.minus)))
        found_lines = search(new.lines[track.start - 1 : track.end], old.lines, MOVED_LETTERS, gone)
        if found_lines is not None:
            return Older(
                parent, lines_track(track, found_lines.start, found_lines.end), Match.MOVE, 0.9 * found_lines.share
            )
        return None

    def _within_block(self, parent: str, track: Track, new: Text, old: Text, path: str | None = None) -> Older | None:
        """Lines whose place the diff lost, looked for in the block that the block around them was before."""
        around = new.scan.around(track.start, track.end)
        if around is None:
            return None
        found = in_file(around, new.scan, old.scan)
        if found is None:
            return None
        carried = _through_block(track, around, new, found.block, old)
        if carried is None or carried.kept < LOST:
            return None
        return Older(
            parent,
            lines_track(track, carried.start, carried.end, path),
            Match.DIFF,
            0.9 * carried.kept * found.confidence,
        )

    def _merge(self, revision: Revision, track: Track) -> tuple[Step | None, list[Older]]:
        equal = self._merged_alone(revision, track)
        if equal:
            return None, equal
        new = self._text(revision.commit, track.path)
        if new is None:
            return self._told_as(revision, track, (), Match.DIFF, 0.0, "merge"), []
        olders: list[Older] = []
        for parent in revision.parents:
            older = self._in_parent(revision, parent, track, new)
            if older is not None:
                olders.append(older)
        if not olders:
            return self._appeared(revision, track)
        return self._joined(revision, track, new, [*olders, *self._renamed_on_a_side(revision, track, new)])

    def _in_parent(self, revision: Revision, parent: str, track: Track, new: Text) -> Older | None:
        patch = self._of(track.path).patch(revision, parent)
        if not patch.readable or patch.added:
            return None
        kept = kept_by(track, patch)
        if kept is not None:
            return Older(parent, kept, Match.DIFF, 1.0)
        return self._in_same_file(parent, track, new, patch)

    def _merged_alone(self, revision: Revision, track: Track) -> list[Older]:
        """The parents of a merge that plainly have the range as it is, where every other one plainly has not; empty
        where a diff must tell."""
        parents = self._past.commit(revision.commit, self._cancel).parents
        blobs = self._blobs([revision.commit, *revision.parents, *parents], track.path)
        blob = blobs[revision.commit]
        content = self._content(blob, track.path) if blob is not None else None
        if content is None or any(blobs[parent] is None for parent in parents):
            return []
        equal: list[Older] = []
        rest: list[Content] = []
        for parent in revision.parents:
            other = blobs[parent]
            alone = track if other == blob else self._left_alone(blob, other, track)
            there = self._content(other, track.path) if other is not None else None
            if alone is not None:
                equal.append(Older(parent, alone, Match.DIFF, 1.0))
            elif there is not None:
                rest.append(there)
        if not equal:
            return []
        span = content.data[content.offset(track.top) : content.offset(track.end + 1)].split(b"\n")
        return [] if any(may_hold(there.data, span) for there in rest) else equal

    def _blobs(self, commits: Sequence[str], path: str) -> dict[str, str | None]:
        """The blob of a path at each of the commits, from the revisions that were read where they tell."""
        revisions = self._of(path)
        known: dict[str, str | None] = {}
        for commit in commits:
            revision = revisions.get(commit)
            if revision is not None and revision.blob is not None:
                known[commit] = revision.blob
        asked = list(dict.fromkeys(commit for commit in commits if commit not in known))
        known.update(zip(asked, self._past.blob_ids(asked, path, self._cancel), strict=True))
        return known

    def _joined(
        self, revision: Revision, track: Track, new: Text, olders: list[Older]
    ) -> tuple[Step | None, list[Older]]:
        """A merge: the sides that already have the range as it is, else every side; a step only for what it wrote
        itself."""
        span = span_text(new.lines, track.top, track.end)
        spans = [self._span(older) for older in olders]
        equal = [
            older for older, old in zip(olders, spans, strict=True) if "\n".join(line.rstrip() for line in old) == span
        ]
        if equal:
            return None, equal
        if not made_here(new.lines[track.top - 1 : track.end], spans):
            return None, olders
        return replace(
            self._step(revision, track, new, olders[0])
            or self._told_as(revision, track, (), Match.DIFF, olders[0].confidence, "merge"),
            kind="merge",
        ), olders

    def _renamed_on_a_side(self, revision: Revision, track: Track, new: Text) -> list[Older]:
        """Where a merge took the range from parents that have the file under another name: history by path leaves
        them out."""
        parents = self._past.commit(revision.commit, self._cancel).parents
        if len(parents) < 2 or revision.commit in self._past.boundary:
            return []
        found: list[Older] = []
        for parent, blob in self._blobs(parents, track.path).items():
            if blob is not None:
                continue
            renamed = self._rename_into(track.path, parent, revision.commit)
            older = self._renamed_file(parent, renamed, track, new) if renamed is not None else None
            if older is not None:
                found.append(older)
        return found

    def _rename_into(self, path: str, parent: str, commit: str) -> TreeChange | None:
        """The rename that made the file; also from a file that git gave to another new one, where it was split in
        several."""
        changes = self._changes(parent, commit)
        made = next((change for change in changes if change.path == path), None)
        if made is None or made.status != "A":
            return made if made is not None and made.status == "R" else None
        sources = [c for c in changes if c.status == "R" and suffix_of(c.old_path) == suffix_of(path)]
        new = self._text(commit, path)
        if new is None or len(sources) > _FILES_READ_WHOLE:
            return None
        best, alike = None, _SPLIT_ALIKE
        for source in sources:
            old = self._text(parent, source.old_path)
            if old is not None and (share := similarity(tuple(old.lines), tuple(new.lines), alike)) >= alike:
                best, alike = source, share
        return replace(best, path=path, blob=made.blob) if best is not None else None

    def _changes(self, parent: str, commit: str) -> list[TreeChange]:
        key = (parent, commit)
        if key not in self._tree_changes:
            self._tree_changes[key] = self._past.tree_changes(parent, commit, self._cancel)
        return self._tree_changes[key]

    def _span(self, older: Older) -> Sequence[str]:
        text = self._text(older.commit, older.track.path)
        return text.lines[older.track.top - 1 : older.track.end] if text is not None else ()

    # --- where the range is not in the file before -------------------------------------------------------------------

    def _appeared(self, revision: Revision, track: Track) -> tuple[Step | None, list[Older]]:
        commit = revision.commit
        if commit in self._past.boundary:
            return self._told_as(revision, track, (), Match.BOUNDARY, 0.0, "introduced"), []
        new = self._text(commit, track.path)
        parents = self._past.commit(commit, self._cancel).parents
        if new is None or not parents:
            return self._told_as(revision, track, (), Match.ORIGIN, 1.0, "introduced"), []
        sides = self._renamed_on_a_side(revision, track, new)
        if sides:
            return self._joined(revision, track, new, sides)
        older = self._elsewhere(commit, parents[0], track, new)
        if older is not None and older.match is not Match.COPY:
            return self._step(revision, track, new, older), [older]
        restored = self._restored(revision, track, new)
        if restored is not None:
            return self._step(revision, track, new, restored), [restored]
        if older is not None:
            return self._told_as(
                revision, track, self._span(older), Match.COPY, older.confidence, "introduced", older
            ), []
        return self._told_as(revision, track, (), Match.ORIGIN, 0.9, "introduced"), []

    def _elsewhere(self, commit: str, parent: str, track: Track, new: Text) -> Older | None:
        changes = self._changes(parent, commit)
        renamed = self._rename_into(track.path, parent, commit)
        if renamed is not None:
            older = self._renamed_file(parent, renamed, track, new)
            if older is not None:
                return older
        suffix = suffix_of(track.path)
        candidates = [
            change
            for change in changes
            if change.old_blob is not None
            and change.status in "DMR"
            and suffix_of(change.old_path) == suffix
            and (change.path != track.path or change.status == "R")
        ]
        if track.is_block:
            block = new.scan.at(track.start, track.end)
            if block is not None:
                return self._block_elsewhere(parent, candidates, track, block, new)
        return self._lines_elsewhere(parent, candidates, track, new)

    def _renamed_file(self, parent: str, renamed: TreeChange, track: Track, new: Text) -> Older | None:
        old = self._text(parent, renamed.old_path)
        if old is None:
            return None
        if track.is_block:
            block = new.scan.at(track.start, track.end)
            found = in_file(block, new.scan, old.scan) if block is not None else None
            if found is not None:
                return Older(parent, block_track(track, found.block, renamed.old_path), Match.RENAME, found.confidence)
            if block is not None and old.scan.blocks:
                return None
        carried = anchored(new.lines, track.start, track.end, old.lines)
        carried = carried or carry(compare(old.lines, new.lines), track.start, track.end, new.lines)
        if carried is not None and carried.kept >= LOST:
            return Older(
                parent, lines_track(track, carried.start, carried.end, renamed.old_path), Match.RENAME, carried.kept
            )
        within = self._within_block(parent, track, new, old, renamed.old_path)
        return replace(within, match=Match.RENAME) if within is not None else None

    def _block_elsewhere(
        self, parent: str, candidates: list[TreeChange], track: Track, block: Block, new: Text
    ) -> Older | None:
        code = new.scan.code(block)
        every = len(candidates) <= _FILES_READ_WHOLE
        name = block.name.encode()
        best: Older | None = None
        copy: Older | None = None
        for change in candidates:
            self._cancel.check()
            data = self._past.blob(change.old_blob or "", self._cancel)
            if data is None or (name not in data and not every):
                continue
            old = self._as_text(data, change.old_path)
            if old is None:
                continue
            now_data = self._past.blob(change.blob, self._cancel) if change.blob is not None else None
            now = self._as_text(now_data, change.path)
            found = gone_elsewhere(block, code, old.scan, now.scan if now is not None else None, every)
            if found is not None and (best is None or found.confidence > best.confidence):
                best = Older(parent, block_track(track, found.block, change.old_path), Match.MOVE, found.confidence)
            if best is None and copy is None and (copied := copied_from(block, code, old.scan)) is not None:
                copy = Older(parent, block_track(track, copied.block, change.old_path), Match.COPY, copied.confidence)
        if best is None and copy is None and (old := self._text(parent, track.path)) is not None:
            copied = copied_from(block, code, old.scan)
            if copied is not None:
                copy = Older(parent, block_track(track, copied.block), Match.COPY, copied.confidence)
        return best or copy

    def _lines_elsewhere(self, parent: str, candidates: list[TreeChange], track: Track, new: Text) -> Older | None:
        wide = self._telling_around(track, new)
        if wide is None:
            return None
        first, last = wide
        wanted = new.lines[first - 1 : last]
        longest = max((line.strip() for line in wanted), key=len, default="")
        best: Older | None = None
        for change in candidates:
            self._cancel.check()
            data = self._past.blob(change.old_blob or "", self._cancel)
            if data is None or (longest.encode() not in data and len(candidates) > _FILES_READ_WHOLE):
                continue
            old = self._as_text(data, change.old_path)
            if old is None:
                continue
            found = search(wanted, old.lines, ELSEWHERE_LETTERS)
            if found is not None and wide != (track.start, track.end):
                found = narrowed(found, wanted, old.lines, track.start - first, track.end - first)
            if found is None:
                continue
            now_data = self._past.blob(change.blob, self._cancel) if change.blob is not None else None
            now = self._as_text(now_data, change.path)
            stays = now is not None and search(wanted, now.lines, ELSEWHERE_LETTERS) is not None
            match = Match.COPY if stays else Match.MOVE
            if best is None or (match is Match.MOVE, found.share) > (best.match is Match.MOVE, best.confidence):
                best = Older(parent, lines_track(track, found.start, found.end, change.old_path), match, found.share)
        return best

    def _telling_around(self, track: Track, new: Text) -> tuple[int, int] | None:
        """The lines to look for elsewhere: the range, and where it says too little the lines around it that do."""
        for more in (0, *_AROUND):
            first, last = max(1, track.start - more), min(len(new.lines), track.end + more)
            if sum(map(str.isalnum, "".join(new.lines[first - 1 : last]))) >= ELSEWHERE_LETTERS * (1 + bool(more)):
                return first, last
        return None

    def _restored(self, revision: Revision, track: Track, new: Text) -> Older | None:
        """An earlier life of what appears here: the last revision of the path, not far back, that held it."""
        revisions = self._of(track.path)
        wanted = new.lines[track.start - 1 : track.end]
        telling_lines = [line.strip() for line in wanted if telling(line)]
        block = new.scan.at(track.start, track.end) if track.is_block else None
        at = revision
        for _ in range(_RESTORED_WITHIN):
            if not at.parents:
                return None
            parent = revisions.get(at.parents[0])
            if parent is None:
                return None
            if len(parent.parents) == 1 and self._held(parent, telling_lines, track.path):
                patch = revisions.patch(parent)
                taken_out = [line for change in patch.changes for line in change.minus]
                if search(wanted, taken_out, MOVED_LETTERS) is not None:
                    before = self._text(parent.parents[0], track.path)
                    found = self._earlier(track, block, new, before, wanted) if before is not None else None
                    if found is not None:
                        return Older(parent.parents[0], found[0], Match.RESTORED, found[1])
            at = parent
        return None

    def _held(self, revision: Revision, lines: Sequence[str], path: str) -> bool:
        """Whether the path held half of the lines before a revision: else none of it was taken out there."""
        content = self._content(revision.old_blob, path, revision) if revision.old_blob is not None else None
        if content is None:
            return revision.status != "A"
        codes = ("utf-8", "latin-1")  # as texts are decoded
        held = sum(any(line.encode(code, "replace") in content.data for code in codes) for line in lines)
        return 2 * held >= len(lines)

    def _earlier(
        self, track: Track, block: Block | None, new: Text, before: Text, wanted: Sequence[str]
    ) -> tuple[Track, float] | None:
        if block is not None:
            code = new.scan.code(block)
            for candidate in before.scan.by_name.get(block.name, ()):
                likeness = before.scan.likeness(candidate, code)
                if candidate.is_function == block.is_function and likeness >= _RESTORED_ALIKE:
                    return block_track(track, candidate), likeness
            return None
        found = search(wanted, before.lines, MOVED_LETTERS)
        if found is None or found.share < _RESTORED_ALIKE:
            return None
        return lines_track(track, found.start, found.end), found.share

    # --- telling -----------------------------------------------------------------------------------------------------

    def _step(self, revision: Revision, track: Track, new: Text, older: Older) -> Step | None:
        old = self._text(older.commit, older.track.path)
        if old is None:
            return self._told_as(revision, track, (), older.match, older.confidence, "change")
        family = new.family
        before, after = old.lines[older.track.top - 1 : older.track.end], new.lines[track.top - 1 : track.end]
        kind = kind_of("\n".join(before), "\n".join(after), family)
        if track.is_block:
            old_core = "\n".join(old.lines[older.track.start - 1 : older.track.end])
            new_core = "\n".join(new.lines[track.start - 1 : track.end])
            core = kind_of(old_core, new_core, family)
            kind = core or (("doc" if kind != "format" else kind) if kind is not None else None)
            if core == "change" and header_of(old, older.track) != header_of(new, track):
                was, now = old.scan.at(older.track.start, older.track.end), new.scan.at(track.start, track.end)
                if was is not None and now is not None and only_renamed(old_core, new_core, was.name, now.name, family):
                    kind = "rename"
        if older.match is Match.MOVE:
            kind = "move"
        elif older.match is Match.RENAME:
            kind = "rename" if kind in (None, "format") else kind
        elif older.match is Match.RESTORED:
            kind = "change"
        if kind is None:
            return None
        return self._told_as(revision, track, before, older.match, older.confidence, kind, older)

    def _told_as(
        self,
        revision: Revision,
        track: Track,
        before: Sequence[str],
        match: Match,
        confidence: float,
        kind: str,
        older: Older | None = None,
    ) -> Step:
        new = self._text(revision.commit, track.path)
        after = new.lines[track.top - 1 : track.end] if new is not None else ()
        hunks = span_hunks(before, older.track.top if older is not None else 1, after, track.top)
        return Step(revision.commit, track.path, track.lines, match, round(min(1.0, confidence), 3), kind, hunks)


def _through_block(track: Track, around: Block, new: Text, was: Block, old: Text) -> Carried | None:
    inside = compare(old.lines[was.top - 1 : was.end], new.lines[around.top - 1 : around.end])
    offset = around.top - 1
    carried = carry(inside, track.start - offset, track.end - offset, new.lines[around.top - 1 : around.end])
    if carried is None:
        return None
    return Carried(carried.start + was.top - 1, carried.end + was.top - 1, carried.kept)
