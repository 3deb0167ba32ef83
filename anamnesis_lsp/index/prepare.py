"""From turns to what the catalog keeps of them: terms, hashes and numbers. Pure work, without the database.

It is most of what an index costs, and needs nothing but the turns: :mod:`.ahead` does it in other processes.
"""

from __future__ import annotations

import posixpath
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b

from anamnesis_lsp.cancel import Cancelled, CancelToken
from anamnesis_lsp.contract.types import ExtractorState
from anamnesis_lsp.errors import AnamnesisError
from anamnesis_lsp.index import lines, terms
from anamnesis_lsp.index.database import stored
from anamnesis_lsp.masking import mask_tokens
from anamnesis_lsp.records.conversations.model import Edit, EditOutcome, Head, Reading, Scan, Turn
from anamnesis_lsp.records.evidence import Speaker

PASSAGE_CHARS = 1200
"""Longer turns are searched in pieces of about this size, cut at line ends."""
MAX_WROTE_CHARS = 20_000
"""Of what the edits of one turn wrote, so much is searchable by its words; the lines are known by their hashes all."""
MAX_TOOL_CHARS = 600
"""Of a tool's own turn (a command, a result kept by the reader) so much is searchable."""
MAX_EDIT_LINES = 20_000
"""Lines of one edit known by their hashes; more is generated data."""
MAX_TITLE = 300
LONGEST_TOKEN = 4096
"""So much is looked at beyond a cut, lest the first half of a secret stay."""
MAX_HELD = 250_000
"""Raw words whose terms are held in memory at once; beyond, the table starts afresh."""

_REACHED_THE_FILE = (EditOutcome.APPLIED, EditOutcome.UNCONFIRMED)
_SAID_BY_SOMEONE = (Speaker.PERSON, Speaker.ASSISTANT, Speaker.SUBAGENT, Speaker.DOCUMENT, Speaker.AUTHOR)


@dataclass(frozen=True, slots=True)
class Piece:
    """A turn of a conversation or a section of a decision record, as it enters the catalog."""

    turn: Turn
    part: str | None = None


@dataclass(slots=True)
class Prepared:
    """A turn as it is written. Where it is ``kept`` the catalog has it already, and only what is counted is here."""

    n: int
    digest: int
    speaker: str
    at: float | None
    part: str | None
    native: int | None = None
    kept: bool = False
    passages: list[tuple[str, str]] = field(default_factory=lambda: list[tuple[str, str]]())
    """Terms between spaces: said, and written."""
    edits: list[tuple[str, str, str, bool, bytes]] = field(
        default_factory=lambda: list[tuple[str, str, str, bool, bytes]]()
    )
    """Path, outcome, tool, whether the whole file was written, hashes of the lines (8 bytes each)."""
    commits: list[tuple[str, str | None, str | None, str]] = field(
        default_factory=lambda: list[tuple[str, str | None, str | None, str]]()
    )
    """Hash, subject, branch, how."""


@dataclass(slots=True)
class Body:
    """What one pass over a record's pieces adds up to. ``said``, ``person`` and ``wrote`` count terms."""

    turns: int = 0
    person_turns: int = 0
    edits: int = 0
    commits: int = 0
    text: int = 0
    omitted_text: int = 0
    omitted_lines: int = 0
    kept: int = 0
    said: dict[str, int] = field(default_factory=lambda: dict[str, int]())
    person: dict[str, int] = field(default_factory=lambda: dict[str, int]())
    wrote: dict[str, int] = field(default_factory=lambda: dict[str, int]())
    mentions: Counter[str] = field(default_factory=lambda: Counter[str]())


@dataclass(slots=True)
class Outcome:
    """How the reading of a record ended."""

    head: Head = field(default_factory=Head)
    scan: Scan = field(default_factory=Scan)
    state: ExtractorState = ExtractorState.SUCCEEDED
    failure: str | None = None
    """What went wrong where it was read in part, for people."""


class Words(dict[str, tuple[str, tuple[str, ...]]]):
    """Raw word → its terms, between spaces and one by one, filled as words come."""

    def __missing__(self, word: str) -> tuple[str, tuple[str, ...]]:
        parts = terms.parts(word)
        entry = (" ".join(parts), parts)
        if len(word) <= terms.MAX_TERM:
            if len(self) > MAX_HELD:
                self.clear()
            self[word] = entry
        return entry

    def text(self, words: Iterable[str]) -> str:
        """The terms of the words as one text for the full-text index: terms between spaces, in order."""
        return " ".join([self[word][0] for word in words])

    def count(self, counts: Mapping[str, int]) -> dict[str, int]:
        """How often each term stands among words that stand so often."""
        found: dict[str, int] = {}
        for word, times in counts.items():
            for term in self[word][1]:
                found[term] = found.get(term, 0) + times
        return found


class Preparing:
    """One record in preparation: iterate :meth:`turns` to its end, then read ``body``."""

    def __init__(self, words: Words, old: Mapping[int, int], gist: str | None = None) -> None:
        """``old``: the digest of each turn that the catalog has; ``gist``: words that lead to the record only."""
        self.body = Body()
        self._words = words
        self._old = old
        self._said: Counter[str] = Counter()
        self._person: Counter[str] = Counter()
        self._wrote: Counter[str] = Counter()
        if gist is not None:
            self._said.update(terms.words(mask_tokens(gist)))

    def turns(self, pieces: Iterator[Piece]) -> Iterator[Prepared]:
        """What is written of each piece."""
        body = self.body
        for piece in pieces:
            turn = piece.turn
            body.turns += 1
            body.person_turns += turn.speaker is Speaker.PERSON
            body.edits += len(turn.edits)
            body.commits += len(turn.commits)
            body.mentions.update(turn.mentions)
            said, wrote = self._spoken(turn)
            at = None if turn.when is None else turn.when.timestamp()
            made = Prepared(turn.n, _digest(piece, at), turn.speaker.value, at, piece.part)
            if self._old.get(turn.n) == made.digest:
                made.kept = True
                body.kept += 1
            else:
                made.passages += [(self._words.text(words), "") for words in said]
                made.passages += [("", self._words.text(words)) for words in wrote]
                if turn.edits or turn.commits:
                    self._take_work(turn, made)
            yield made
        body.said = self._words.count(self._said)
        body.person = self._words.count(self._person)
        body.wrote = self._words.count(self._wrote)

    def _spoken(self, turn: Turn) -> tuple[list[list[str]], list[list[str]]]:
        """The words of a turn in pieces: said, and written. Counts them, and what is left out."""
        body = self.body
        said: list[list[str]] = []
        wrote: list[list[str]] = []
        if turn.text and turn.speaker is not Speaker.INJECTED:
            size = len(turn.text)
            if turn.speaker not in _SAID_BY_SOMEONE:
                body.omitted_text += max(0, size - MAX_TOOL_CHARS)
                size = min(size, MAX_TOOL_CHARS)
            body.text += size
            for chunk in chunks(_masked_start(turn.text, size), PASSAGE_CHARS):
                words = terms.words(chunk)
                if turn.speaker in _SAID_BY_SOMEONE:
                    said.append(words)
                    self._said.update(words)
                    if turn.speaker is Speaker.PERSON:
                        self._person.update(words)
                else:
                    wrote.append(words)
                    self._wrote.update(words)
        room = MAX_WROTE_CHARS
        for edit in turn.edits:
            if edit.outcome is EditOutcome.FAILED:
                continue
            size = min(len(edit.written), room)
            body.omitted_text += len(edit.written) - size
            body.text += size
            room -= size
            name = mask_tokens(posixpath.basename(edit.path))
            for number, chunk in enumerate(chunks(_masked_start(edit.written, size), 2 * PASSAGE_CHARS) or [""]):
                words = terms.words(f"{name} {chunk}" if number == 0 else chunk)
                wrote.append(words)
                self._wrote.update(words)
        return said, wrote

    def _take_work(self, turn: Turn, made: Prepared) -> None:
        made.native = _native(turn)
        for edit in turn.edits:
            found: list[int] = []
            if edit.outcome in _REACHED_THE_FILE and edit.written:
                found = lines.hashes(edit.written)
                self.body.omitted_lines += max(0, len(found) - MAX_EDIT_LINES)
                del found[MAX_EDIT_LINES:]
            written = array("q", found).tobytes()
            tool = stored(edit.tool)[:100]
            made.edits.append((_joined(edit, turn), edit.outcome.value, tool, edit.whole_file, written))
        for commit in turn.commits:
            subject = None if commit.subject is None else stored(mask_tokens(commit.subject))[:MAX_TITLE]
            branch = None if commit.branch is None else stored(mask_tokens(commit.branch))
            made.commits.append((commit.hash.lower(), subject, branch, commit.how))


def pieces_of(read: Callable[[], Reading], outcome: Outcome, cancel: CancelToken) -> Iterator[Piece]:
    """The turns of a conversation; how that ended is in ``outcome`` afterwards. Raises ``Cancelled`` only."""
    try:
        reading = read()
        outcome.head, outcome.scan = reading.head, reading.scan
        for turn in reading:
            if not turn.n & 0x3F:
                cancel.check()
            yield Piece(turn)
        outcome.head, outcome.scan = reading.head, reading.scan
    except Cancelled:
        raise
    except AnamnesisError as error:
        outcome.failure, outcome.state = error.message, ExtractorState.INPUT_FAILED
    except Exception as error:  # a reader's fault must not end the refresh; the receipt tells of it
        outcome.failure = f"its reader failed ({type(error).__name__})"
        outcome.state = ExtractorState.INVOCATION_FAILED


def chunks(text: str, size: int) -> list[str]:
    """``text`` in pieces of about ``size`` characters, cut after a line where there is one; empty for blank text."""
    if len(text) <= size + size // 2:
        return [text] if text and not text.isspace() else []
    found: list[str] = []
    start = 0
    while start < len(text):
        end = start + size
        if end + size // 2 >= len(text):
            end = len(text)
        else:
            cut = text.rfind("\n", start + size // 2, end)
            end = cut + 1 if cut > 0 else end
        piece = text[start:end]
        if not piece.isspace():
            found.append(piece)
        start = end
    return found


def _masked_start(text: str, size: int) -> str:
    """The first ``size`` characters without tokens; masked before it is cut, for half a token is no token to a rule."""
    return mask_tokens(text[: size + LONGEST_TOKEN])[:size]


def _digest(piece: Piece, at: float | None) -> int:
    turn = piece.turn
    hasher = blake2b(turn.text.encode("utf-8", "surrogatepass"), digest_size=8)
    about = [turn.speaker.value, piece.part, at, turn.native_id, turn.cwd]
    for edit in turn.edits:
        about += [edit.path, edit.written, edit.outcome.value, edit.whole_file]
    for commit in turn.commits:
        about += [commit.hash, commit.subject, commit.branch, commit.how]
    about += turn.mentions
    hasher.update(repr(about).encode("utf-8", "surrogatepass"))
    return int.from_bytes(hasher.digest(), "big", signed=True)


def _native(turn: Turn) -> int | None:
    if turn.native_id is None:
        return None
    digest = blake2b(turn.native_id.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def _joined(edit: Edit, turn: Turn) -> str:
    path = edit.path
    if turn.cwd and path and not path.startswith(("/", "\\", "~")) and path[1:2] != ":":
        return posixpath.normpath(posixpath.join(turn.cwd, path))
    return path
