"""Where the person's words point among what can be found: a time, a place to look, a kind of record, a person.

What is pointed at is searched first and comes first; nothing else is hidden by it. Of several turns the later ones
count more. Pure: read from the context alone. English in the main; the words that name a runtime or a path belong to no
language.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from anamnesis_lsp.contract import Context
from anamnesis_lsp.readings.answers import Kind
from anamnesis_lsp.readings.content import CommitsFound, Content, RecordOpened, WiderFound
from anamnesis_lsp.readings.dialogue import Heard, heard
from anamnesis_lsp.readings.found import Candidate, Wish, gist_name
from anamnesis_lsp.readings.times import read_times
from anamnesis_lsp.records.evidence import Kind as RecordKind
from anamnesis_lsp.records.evidence import RecordKey

_PLACE = re.compile(
    r"(?<![\w/:.])(?:\.{0,2}/)?(?:[\w.@+-]+/)+[\w.@+-]*|(?<![\w/])[\w-]+\.[A-Za-z][A-Za-z0-9]{0,6}\b(?!\()"
)
_KINDS: tuple[tuple[RecordKind, re.Pattern[str]], ...] = (
    (RecordKind.CONVERSATION, re.compile(
        r"\b(?:sessions?|conversations?|chats?|transcripts?|discussions?|talk(?:ed)?)\b|会话|对话|会話|대화", re.I)),
    (RecordKind.DECISION, re.compile(
        r"\b(?:adrs?|decision records?|design docs?|decisions? (?:log|folder|records?)|rfcs?|beads|changelog)\b",
        re.I)),
    (RecordKind.COMMIT, re.compile(r"\b(?:commits?|git (?:log|history)|commit messages?)\b", re.I)),
)  # fmt: skip
_RUNTIMES = {
    "claude": "claude-code", "codex": "codex", "gemini": "gemini", "opencode": "opencode", "aider": "aider",
    "copilot": "copilot", "cursor": "cursor", "cline": "cline", "roo": "roo", "goose": "goose", "amp": "amp",
    "specstory": "specstory", "windsurf": "windsurf", "qwen": "qwen", "zed": "zed", "crush": "crush",
    "continue": "continue", "beads": "beads",
}  # fmt: skip
_RUNTIME = re.compile(rf"\b({'|'.join(n for n in _RUNTIMES if n != 'continue')})(?:['’]s|-\w+| code)?\b", re.I)
_YEAR = re.compile(r"(?<![\w#./-])((?:19|20)\d\d)(?![\w./-]|:\d)")
_NAME = r"[A-ZÀ-Þ][\w'’-]+"
_NOT_NAMED = re.compile(rf"\b(?:not|n['’]t|no)\s+(?:by\s+)?({_NAME})")
_NAMED = re.compile(
    rf"\b(?:by|with|from|ask(?:ed)?|told|said|was|meant?)\s+({_NAME})"
    rf"|\b({_NAME})(?:['’]s\b|\s+(?:did|wrote|said|made|asked|was))"
    rf"|^\W*(?:no\W+)?({_NAME})\s*,\s*not\b"
)
_NO_NAMES = frozenset(
    """
    I The This That It No Not Yes We You He She They There Then When Where Why What Which Who How And But Or So In On
    January February March April May June July August September October November December Monday Tuesday Wednesday
    Thursday Friday Saturday Sunday Claude Codex Cursor Copilot Gemini Git GitHub ADR Check Look Search
    """.split()  # noqa: SIM905  a list of words is read more easily than a list of strings
)


@dataclass(frozen=True, slots=True)
class Pointing:
    """One turn's pointing."""

    since: datetime | None = None
    until: datetime | None = None
    kinds: frozenset[RecordKind] = frozenset()
    runtimes: frozenset[str] = frozenset()
    places: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    not_people: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return self != Pointing()

    def where(self, key: RecordKey) -> bool:
        """Whether the record is of a kind and in a place that was named; True where none was."""
        if self.kinds and key.kind not in self.kinds:
            return False
        if self.runtimes and not any((key.runtime or "").startswith(name) or name in key.id for name in self.runtimes):
            return False
        return not self.places or key.kind is RecordKind.COMMIT or any(_under(place, key) for place in self.places)

    def when(self, started: datetime | None, ended: datetime | None) -> bool:
        """Whether the record may lie in the time that was named; True where none was or its own is unknown."""
        if started is None or (self.since is None and self.until is None):
            return True
        last = ended or started
        return (self.since is None or last >= self.since) and (self.until is None or started <= self.until)

    def who(self, names: Iterable[str]) -> int:
        """0: a person who was named took part; 2: one who was ruled out; 1 otherwise."""
        said = [name.casefold() for name in names if name]
        if any(other.casefold() in name for other in self.not_people for name in said):
            return 2
        if self.people and any(one.casefold() in name for one in self.people for name in said):
            return 0
        return 1


def _under(place: str, key: RecordKey) -> bool:
    place = place.strip("./")
    inside = key.id.replace("\\", "/")
    return bool(place) and (place in inside or place in str(key.root).replace("\\", "/"))


def ordered(c: Context[Content], found: Sequence[Candidate], wish: Wish) -> list[Candidate]:
    """The candidates with those first that what was pointed at fits; one corrected away from stays behind its equals.

    A candidate pointed at by its name comes before all.
    """
    pointed = pointings(c)
    if not pointed:
        return list(found)
    authors = _authors(c)

    def place(candidate: Candidate) -> tuple[object, ...]:
        names = {gist_name(member.gist) for member in candidate.recognizable.members}
        fits = [_misfit(pointing, candidate, authors) for pointing in pointed]
        return wish.named is None or wish.named not in names, *fits, frozenset(candidate.keys) in wish.away

    return sorted(found, key=place)


def _misfit(pointing: Pointing, candidate: Candidate, authors: Mapping[RecordKey, str]) -> int:
    """How little it fits what one turn pointed at: 0 fits."""
    if not any(pointing.where(key) for key in candidate.keys):
        return 3
    proposal = candidate.proposal
    started = proposal.started if proposal is not None else candidate.when
    ended = proposal.ended if proposal is not None else None
    if not pointing.when(started, ended):
        return 3
    if pointing.people or pointing.not_people:
        return pointing.who(authors[key] for key in candidate.keys if key in authors)
    return 0


def _authors(c: Context[Content]) -> dict[RecordKey, str]:
    found: dict[RecordKey, str] = {}
    for turn in c:
        match turn.content:
            case CommitsFound() | WiderFound():
                found.update({commit.key: commit.author for commit in turn.content.commits})
            case RecordOpened() if turn.content.record.author is not None:
                found[turn.content.record.key] = turn.content.record.author
            case _:
                pass
    return found


def pointings(c: Context[Content]) -> tuple[Pointing, ...]:
    """What the person's additions point at, the latest first; turns that point at nothing are left out."""
    found = (pointing(turn) for turn in reversed(heard(c)) if turn.adds)
    return tuple(one for one in found if one)


def pointing(turn: Heard) -> Pointing:
    """What one turn points at."""
    text = turn.text
    since, until = _time(turn)
    denied = tuple(name for name in _NOT_NAMED.findall(text) if name not in _NO_NAMES)
    named = tuple(
        name
        for groups in _NAMED.findall(text)
        for name in groups
        if name and name not in _NO_NAMES and name not in denied
    )
    if turn.reading is not None and turn.reading.kind is Kind.PLACE_TO_LOOK:
        kinds = frozenset(kind for kind, pattern in _KINDS if pattern.search(text))
        runtimes = frozenset(_RUNTIMES[name.lower()] for name in _RUNTIME.findall(text))
        places = tuple(place for place in _PLACE.findall(text) if place.strip("./"))
        return Pointing(since, until, kinds if not places else frozenset(), runtimes, places, named, denied)
    return Pointing(since, until, people=named, not_people=denied)


def _time(turn: Heard) -> tuple[datetime | None, datetime | None]:
    for time in read_times(turn.text, turn.content.when):
        if time.since is not None or time.until is not None:
            return time.since, time.until
    year = _YEAR.search(turn.text)
    if year is None or turn.reading is None or turn.reading.kind is not Kind.PLACE_TO_LOOK:
        return None, None
    zone = turn.content.when.tzinfo
    return datetime(int(year[1]), 1, 1, tzinfo=zone), datetime(int(year[1]) + 1, 1, 1, tzinfo=zone)
