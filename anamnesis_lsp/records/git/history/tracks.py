"""A track: a range, or a block, at one revision, and where a patch carries it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from anamnesis_lsp.records.git.model import Match

from .blocks import Block, Scan, is_one_block, scan, span_text
from .families import Family
from .patches import Patch
from .tokens import tokens


@dataclass(frozen=True, slots=True)
class Track:
    """A range at one revision. For a block, ``start`` to ``end`` is its core and ``top`` where its documentation
    begins."""

    path: str
    start: int
    end: int
    top: int
    is_block: bool
    body: int = field(default=0, compare=False)
    """First line after a block's header; 0 when not known."""

    @property
    def lines(self) -> tuple[int, int]:
        """First and last line."""
        return (self.top, self.end)


@dataclass(frozen=True, slots=True)
class Older:
    """Where a track was in an older commit, and how it was matched."""

    commit: str
    track: Track
    match: Match
    confidence: float


class Text:
    """A text and, once asked for, its blocks."""

    def __init__(self, text: str, family: Family) -> None:
        self._text = text
        self.family = family
        self.lines = text.split("\n")

    @property
    def scan(self) -> Scan:
        """Its blocks."""
        return scan(self._text, self.family)


def met(tracks: list[Track]) -> list[Track]:
    """Tracks that met in one revision: the same ones once, line ranges that overlap or nearly touch as one."""
    blocks = list(dict.fromkeys(track for track in tracks if track.is_block))
    joined: list[Track] = []
    for track in sorted((t for t in tracks if not t.is_block), key=lambda t: (t.start, t.end)):
        if joined and track.start <= joined[-1].end + 3:
            last = joined[-1]
            joined[-1] = replace(last, end=max(last.end, track.end))
        else:
            joined.append(track)
    return [*blocks, *joined]


def kept_by(track: Track, patch: Patch) -> Track | None:
    """The track before a patch that leaves it alone; ``None`` when the texts must be read."""
    if patch.bordering(track.top, track.end) if track.is_block else patch.touching(track.top, track.end):
        return None
    return moved_by(track, patch.before(track.end) - track.end)


def moved_by(track: Track, shift: int) -> Track:
    """The track so many lines further down."""
    if shift == 0:
        return track
    body = track.body + shift if track.body else 0
    return replace(track, start=track.start + shift, end=track.end + shift, top=track.top + shift, body=body)


def inside_block(track: Track, patch: Patch, new: Text, old: Text) -> Track | None:
    """The block before a patch that leaves its header and its last line alone; ``None`` when the texts must be scanned.

    Header and last line stand on both sides of the patch; where what is between them is still one block, it is that
    block.
    """
    if not track.body:
        return None
    for change in patch.changes:
        if not change.borders(track.top, track.end):
            continue
        last = change.new_end if change.plus else change.new_start
        if change.new_start < track.body - (not change.plus) or last >= track.end:
            return None
    start, end, body = patch.before(track.start), patch.before(track.end), patch.before(track.body - 1) + 1
    if not is_one_block(old.lines, start, body, end, new.family):
        return None
    return replace(track, start=start, end=end, top=patch.before(track.top), body=body)


def code_of(text: Text, track: Track) -> tuple[str, ...]:
    """The tokens of the track that are code."""
    return tokens(span_text(text.lines, track.start, track.end), text.family).code


def header_of(text: Text, track: Track) -> list[str]:
    """The lines of the track's header; its first line where it is no block."""
    return text.lines[track.start - 1 : max(track.start, track.body - 1)]


def block_track(track: Track, block: Block, path: str | None = None) -> Track:
    """A block as the track that follows ``track``, with its documentation where that has its own."""
    top = block.top if track.top < track.start else block.start
    return Track(path or track.path, block.start, block.end, top, True, block.body)


def lines_track(track: Track, start: int, end: int, path: str | None = None) -> Track:
    """Lines as the track that follows ``track``."""
    return Track(path or track.path, start, end, start, False)
