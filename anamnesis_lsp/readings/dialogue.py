"""The person's turns as the machine asks about them: what they identify, reject, add, steer, or leave.

Each turn is read by :func:`anamnesis_lsp.readings.answers.read_turn` against what stood when it was said; this module
turns those readings into the contract's judgements, over the context alone. An explicit command is the same act as the
words. One walk over the context reads every turn (:func:`heard`); everything else here asks that.
"""

from __future__ import annotations

import functools
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime

from anamnesis_lsp.contract import Answer, Context, Member, Origin, Recognizable, Turn, Whole
from anamnesis_lsp.present.locators import of_record
from anamnesis_lsp.readings import remembering
from anamnesis_lsp.readings.answers import Kind, LastRound, TurnReading, TurnState, read_turn
from anamnesis_lsp.readings.answers.languages import language_of
from anamnesis_lsp.readings.answers.names import words_of
from anamnesis_lsp.readings.answers.writing import written
from anamnesis_lsp.readings.content import (
    Answered,
    Asked,
    Content,
    ExpansionAsked,
    Invocation,
    Named,
    Presented,
    RecordOpened,
    Said,
)
from anamnesis_lsp.readings.story import FULL
from anamnesis_lsp.readings.times import read_times
from anamnesis_lsp.records.evidence import RecordKey

SHORT = 3
"""Sentences of a story that the person asked to have shorter."""

_COMMANDS = {"identify": Kind.IDENTIFIED, "end": Kind.END}
_EARLIER = re.compile(
    r"\b(?:earlier|older|before|previous|prior|first (?:time|one)|original(?:ly)?)\b"
    r"|früher|avant|antes|更早|之前|前の|이전|раньше|раніше",
    re.IGNORECASE,
)
_LATER = re.compile(
    r"\b(?:later|newer|after|more recent|latest|last (?:time|one))\b"
    r"|später|après|después|depois|更晚|之后|後の|나중|позже|пізніше",
    re.IGNORECASE,
)
_SHORTER = re.compile(
    r"\b(?:short|shorter|brief|briefly|briefer|less|summar\w+|concise)\b|kürzer|court|breve|corto|curto|短|짧",
    re.IGNORECASE,
)
_LONGER = re.compile(
    r"\b(?:long|longer|full|fuller|more|detail\w*|everything)\b|länger|ausführlich|largo|longo|详|長|길", re.IGNORECASE
)
_OTHER_RECALL = re.compile(
    r"\bback to (?:the |that |my )?(?:other|previous|earlier|last|first|former) (?:one|recall|thing|past|search)\b"
    r"|\b(?:the|that|my) (?:other|previous|earlier|last|former) recall\b",
    re.IGNORECASE,
)
"""Another recall, pointed at without a name."""
_GOING_BACK = re.compile(
    r"\bback to\b|\breturn(?:ing)? to\b|\bresum(?:e|ing)\b"
    r"|\bzurück zu\b|\bvolver a\b|\brevenir à\b|\bvoltar a\b|回到|に戻|로 돌아",
    re.IGNORECASE,
)
"""Going back: what is named after it is a recall before it is a candidate of this one."""
_DENIED = re.compile(r"\b(?:not|n['’]t|rather than|instead of)\b[^,.;!?]*", re.IGNORECASE)
"""What a turn denies: its words say nothing of the past that is meant."""
_SEARCHED_FOR = re.compile(
    r"^[\s,;:]*(?:(?:and|please|then|too|as well|also|instead|there|for|where|something about|the one about)\b"
    r"[\s,;:]*)+",
    re.IGNORECASE,
)
"""What joins what is looked for to where it is to be looked for."""
_WITHIN_PATHS = re.compile(r"(?<=\w)[/._-]+(?=\w)|/")
_LINES = re.compile(r"\blines?\s+\d+(?:\s*(?:-|–|to)\s*\d+)?", re.IGNORECASE)
"""Lines of a selection: where it is, nothing more of it."""
_SEVERAL = 2
"""Words of a name, of no other's, that point at it together."""


# ── the walk: every turn of the person's, read against what stood when it was said ──────────────────────────────────


@dataclass(frozen=True, slots=True)
class Heard:
    """One turn of the person's as it was read."""

    index: int
    content: Said | Invocation
    state: TurnState
    """What it was read against."""
    reading: TurnReading | None
    """None for an invocation, and for words that only come back to this recall."""
    shown: Presented | None
    """The latest presentation before it."""
    asked: str | None
    """The kind of the wider search that was offered last before it."""
    rejected: tuple[Named, ...]
    """What is ruled out once it was said."""
    adds: bool
    """Whether it adds to the cue."""
    opening: bool = False
    """Whether the recall began with it."""

    @property
    def text(self) -> str:
        """The person's words; empty for a bare invocation."""
        return self.content.text or ""


@dataclass(slots=True)
class _Walk:
    """What stands while the context is walked through."""

    last: LastRound = LastRound.NONE
    cue: str | None = None
    shown: Presented | None = None
    refused: bool = False
    """What was presented last was rejected since."""
    asked: str | None = None
    gone: dict[frozenset[RecordKey], Named] = field(default_factory=lambda: dict[frozenset[RecordKey], Named]())
    began: bool = False
    where: str | None = None
    """The path of the selection; empty for none, None before the recall began."""

    def state(self, held: tuple[str, ...]) -> TurnState:
        if self.shown is None:
            return TurnState(self.last, self.cue, held=held)
        beside = (*(n.name for n in self.shown.adjacent), *(n.name for n in self.gone.values()))
        presented = None if self.refused else self.shown.leading.name
        adjacent = tuple(name for name in dict.fromkeys(beside) if name != presented)
        return TurnState(self.last, self.cue, presented, adjacent, held)

    def responded(self, content: Content) -> None:
        match content:
            case Presented():
                self.shown, self.refused, self.last = content, False, LastRound.PRESENTATION
            case Asked():
                self.last = LastRound.OPEN_QUESTION
            case ExpansionAsked():
                self.last, self.asked = LastRound.EXPANSION, content.kind
            case Answered() if content.scope is not None:
                self.last = LastRound.ENDED
            case _:
                pass

    def heard(self, index: int, content: Said | Invocation) -> Heard:
        state = self.state(content.held if isinstance(content, Said) else ())
        if state.held and isinstance(content, Said) and _GOING_BACK.search(content.text):
            state = replace(state, adjacent=())
        reading = _pointed(state, _reading(state, content, self.where), content.text or "")
        if reading is not None and self.shown is not None:
            if reading.rejects_presented and not self.refused:
                self.gone[frozenset(self.shown.leading.members)] = self.shown.leading
                self.refused = True
            if reading.names_adjacent is not None:
                self.gone = {keys: n for keys, n in self.gone.items() if n.name != reading.names_adjacent}
        adds = self.began and reading is not None and reading.kind.adds_to_cue
        opening = not self.began
        if self.cue is None:
            self.cue = _cue_words(content)
        self.began = True
        if isinstance(content, Invocation) and content.path is not None:
            self.where = content.path
        self.where = self.where or ""
        return Heard(index, content, state, reading, self.shown, self.asked, tuple(self.gone.values()), adds, opening)


def _reading(state: TurnState, content: Said | Invocation, where: str | None) -> TurnReading | None:
    if isinstance(content, Invocation):
        if where is None or not content.text or not content.text.strip():
            return None
        return _bearing(_read(state, content.text))
    if content.command in _COMMANDS:
        return TurnReading(_COMMANDS[content.command], (content.text,), ends=content.command == "end")
    if content.command == "not":
        return TurnReading(Kind.CORRECTION, (content.text,), rejects_presented=state.presented is not None)
    reading = _read(state, content.text)
    if not content.returns:
        return _elsewhere(state, reading, content.text)
    if reading.kind in (Kind.IDENTIFIED, Kind.CORRECTION, Kind.PLACE_TO_LOOK, Kind.QUESTION_ABOUT_SHOWN, Kind.END):
        return reading
    if reading.kind is Kind.MORE_CUE and _says_more(state, content.text, where or ""):
        return reading
    return None


def goes_back(text: str) -> bool:
    """Whether the words go back to another recall without saying which."""
    return _OTHER_RECALL.search(text) is not None


def _elsewhere(state: TurnState, reading: TurnReading, text: str) -> TurnReading:
    """The reading, or another recall where the words go back to one without its name."""
    if not state.held or reading.kind in (Kind.IDENTIFIED, Kind.ELSEWHERE) or not goes_back(text):
        return reading
    return replace(reading, kind=Kind.ELSEWHERE, words=(text.strip(),), rejects_presented=False, names_adjacent=None)


def _pointed(state: TurnState, reading: TurnReading | None, text: str) -> TurnReading | None:
    """A correction that speaks of one of the others by several of its words points at it, in any order."""
    if reading is None or reading.kind is not Kind.CORRECTION or reading.names_adjacent is not None:
        return reading
    said = _DENIED.sub(" ", text)
    language = language_of(written(said))
    words = words_of(said, language)
    names = {name: words_of(name, language) for name in (state.presented, *state.adjacent) if name}
    scored: list[tuple[int, str]] = []
    for name, own in names.items():
        others = {word for other, theirs in names.items() if other != name for word in theirs}
        if len((words & own) - others) >= _SEVERAL:
            scored.append((len(words & own), name))
    scored.sort(reverse=True)
    if not scored or scored[0][1] == state.presented or (len(scored) > 1 and scored[0][0] == scored[1][0]):
        return reading
    return replace(reading, names_adjacent=scored[0][1])


def _bearing(reading: TurnReading) -> TurnReading:
    """An invocation's words that continue a recall bear on it: they identify, or they say more of what is meant."""
    if reading.kind is Kind.IDENTIFIED or reading.kind.bears:
        return reading
    return replace(reading, kind=Kind.MORE_CUE, ends=False)


def _says_more(state: TurnState, text: str, where: str) -> bool:
    """Whether words that come back to a recall say more than its name and where it is."""
    said, known = _words(state, text, where)
    return bool(said - known)


def shares_words(state: TurnState, text: str) -> bool:
    """Whether words speak of what a recall is about: its cue, what it presented, what it named beside it."""
    said, known = _words(state, text)
    return bool(said & known)


def _words(state: TurnState, text: str, where: str = "") -> tuple[frozenset[str], frozenset[str]]:
    language = language_of(written(text))
    known: set[str] = set()
    for name in (where, state.cue, state.presented, *state.adjacent):
        known |= words_of(_WITHIN_PATHS.sub(" ", name or ""), language)
    said = words_of(_WITHIN_PATHS.sub(" ", _LINES.sub(" ", _GOING_BACK.sub(" ", text))), language)
    return frozenset(said), frozenset(known)


@functools.lru_cache(maxsize=512)
def _read(state: TurnState, text: str) -> TurnReading:
    return read_turn(state, text)


def _cue_words(content: Said | Invocation) -> str | None:
    if isinstance(content, Said):
        return content.text
    return content.text or content.comment or content.path


_Walked = tuple[tuple[Heard, ...], _Walk]


class _Lately:
    """The walks of the contexts asked about lately, by identity: a context never changes."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._kept: list[tuple[Context[Content], _Walked]] = []
        self._lock = threading.Lock()

    def get(self, c: Context[Content], make: Callable[[Context[Content]], _Walked]) -> _Walked:
        with self._lock:
            for context, walked in self._kept:
                if context is c:
                    return walked
        walked = make(c)
        with self._lock:
            self._kept = [(c, walked), *self._kept[: self._size - 1]]
        return walked


_LATELY = _Lately(8)


def _walk(c: Context[Content]) -> _Walked:
    walk = _Walk()
    found: list[Heard] = []
    for index, turn in enumerate(c):
        if turn.origin is Origin.PERSON and isinstance(turn.content, (Said, Invocation)):
            found.append(walk.heard(index, turn.content))
        elif turn.origin is Origin.ASSISTANT:
            walk.responded(turn.content)
    return tuple(found), walk


def heard(c: Context[Content]) -> tuple[Heard, ...]:
    """The person's turns in order, each as it was read when it was said."""
    return _LATELY.get(c, _walk)[0]


def state_after(c: Context[Content], held: tuple[str, ...] = ()) -> TurnState:
    """What the next turn of the person's would be read against."""
    return _LATELY.get(c, _walk)[1].state(held)


def latest_person(c: Context[Content]) -> int | None:
    """Index of the person's latest turn."""
    turns = heard(c)
    return turns[-1].index if turns else None


def latest(c: Context[Content]) -> Heard | None:
    """The person's latest turn as it was read."""
    turns = heard(c)
    return turns[-1] if turns else None


def latest_reading(c: Context[Content]) -> TurnReading | None:
    """How the person's latest turn was read."""
    turn = latest(c)
    return turn.reading if turn is not None else None


# ── the contract's judgements ───────────────────────────────────────────────────────────────────────────────────────


def bears_on_cue(c: Context[Content], index: int) -> bool:
    """Whether the person's words at ``index`` are part of the cue: those that began the recall, and what was added that
    says something of the past, or which way it lies.
    """
    turns = heard(c)
    turn = next((one for one in turns if one.index == index), None)
    if turn is None or not (turn.adds or turn is turns[0]):
        return False
    if turn is turns[0] or turn.reading is None or says(c, index).strip():
        return True
    return turn.reading.kind is Kind.CORRECTION and not turn.reading.rejects_presented


_ACT_WORDS = frozenset(
    """
    earlier later older newer before after previous prior other another one ones wrong different instead rather actually
    check look search find wider branch branches repo repos repository repositories store stores everything everywhere
    shorter longer full text history recall back again sorry please yes no not never mind also too only just even first
    last next original time file files it
    """.split()  # noqa: SIM905  a list of words is read more easily than a list of strings
)
"""Words that steer a recall and say nothing of the past itself."""
_VAGUE = frozenset(["something", "anything", "somehow", "somewhere", "someone", "stuff", "thing", "things"])
"""Words of an answer that name nothing."""


_RESTATED = 2
"""Words of a correction, beside times and people, that say anew what is meant."""
_NAMES_SAID = re.compile(r"\b[A-ZÀ-ÞА-ЯІЇЄҐ][\w'’-]+")


def says(c: Context[Content], index: int) -> str:
    """What the words at ``index`` say of the past that is meant: not what only steers, or sends the search somewhere,
    and not what they deny.
    """
    turn = _turn_at(c, index)
    if turn is None:
        return ""
    if turn.opening or turn.reading is None:
        return turn.text
    text = _past_of(turn)
    if turn.reading.kind is Kind.CORRECTION:
        text = _DENIED.sub(" ", text)
    steering = _VAGUE if turn.reading.kind is Kind.MORE_CUE else _ACT_WORDS
    language = language_of(written(text))
    kept = [
        word
        for word in re.findall(r"\w[\w./#-]*", text)
        if word.casefold() not in steering and words_of(word, language)
    ]
    return " ".join(kept)


def phrase(c: Context[Content], index: int) -> str:
    """The same in the person's own words, as what is looked for is named: empty where they only steer."""
    turn = _turn_at(c, index)
    if turn is None or turn.opening or turn.reading is None:
        return turn.text if turn is not None else ""
    if turn.reading.kind is Kind.MORE_CUE or says(c, index).strip():
        return _past_of(turn)
    return ""


def restated_at(c: Context[Content]) -> int | None:
    """Where the person said anew what they mean, so that what the recall began with is not what is looked for any more:
    the index of the latest such turn since the latest selection; None where they did not.
    """
    latest_one: int | None = None
    for turn in heard(c):
        if isinstance(turn.content, Invocation):
            latest_one = None
        elif _says_anew(c, turn):
            latest_one = turn.index
    return latest_one


def _says_anew(c: Context[Content], turn: Heard) -> bool:
    reading = turn.reading
    if reading is None or reading.kind is not Kind.CORRECTION or reading.names_adjacent is not None:
        return False
    said = remembering.remembered(turn.text)
    meaning = remembering.says_meaning(turn.text)
    if not remembering.restates(turn.text) or (not meaning and (_EARLIER.search(said) or _LATER.search(said))):
        return False
    left = said if meaning else _DENIED.sub(" ", said)
    for time in read_times(left, turn.content.when):
        left = left.replace(time.words, " ")
    if not meaning:
        left = _NAMES_SAID.sub(" ", left)
    language = language_of(written(left))
    words = words_of(left, language) - words_of(" ".join(_ACT_WORDS), language)
    return len(words) >= _RESTATED


def _past_of(turn: Heard) -> str:
    """What a turn says of the past: without what leads up to it, and without the command it gives."""
    text = turn.text
    if turn.reading is not None and turn.reading.kind is Kind.PLACE_TO_LOOK:
        for words in sorted(turn.reading.words, key=len, reverse=True):
            text = text.replace(words, " ")
        said = remembering.remembered(_SEARCHED_FOR.sub("", text))
        return said if words_of(said, language_of(written(said))) else ""
    return remembering.remembered(text)


def _turn_at(c: Context[Content], index: int) -> Heard | None:
    return next((one for one in heard(c) if one.index == index), None)


def added_to_cue(c: Context[Content]) -> bool:
    """Whether the person added to the cue since this recall began."""
    return any(turn.adds for turn in heard(c))


def presented(c: Context[Content]) -> Recognizable | None:
    """What the latest presentation led with; None where the person has rejected it since."""
    walk = _LATELY.get(c, _walk)[1]
    return None if walk.shown is None or walk.refused else recognizable(walk.shown.leading)


def rejected(c: Context[Content]) -> tuple[Named, ...]:
    """The candidates that the person rejected and has not reopened, as they were shown."""
    turn = latest(c)
    return turn.rejected if turn is not None else ()


def closes(c: Context[Content], turn: Turn[Content]) -> Answer | None:
    """How that turn of the person's closes the recall; None where it does not."""
    index = next((i for i in range(len(c) - 1, -1, -1) if c[i] is turn), None)
    if index is None:
        index = next((i for i in range(len(c) - 1, -1, -1) if c[i] == turn), None)
    reading = next((h.reading for h in heard(c) if h.index == index), None)
    if reading is None:
        return None
    if reading.kind is Kind.IDENTIFIED:
        return Answer.IDENTIFIED
    return Answer.STOPPED if reading.kind is Kind.END else None


def reaches(c: Context[Content]) -> bool:
    """Whether the latest utterance bears on this recall."""
    turn = latest(c)
    if turn is None:
        return False
    if turn.reading is None:
        return True  # an invocation, or words that come back to it
    return turn.reading.kind.bears or turn.reading.kind is Kind.ACTIVATED


def empty_intention(c: Context[Content], *, anywhere: bool = False) -> bool:
    """Whether the latest utterance (``anywhere``: any) points at a past without a name."""
    turns = heard(c) if anywhere else heard(c)[-1:]
    return any(turn.reading is not None and turn.reading.kind is Kind.ACTIVATED for turn in turns)


def invoked(c: Context[Content], *, anywhere: bool = False) -> bool:
    """Whether the latest utterance (``anywhere``: any) is an invocation."""
    turns = heard(c) if anywhere else heard(c)[-1:]
    return any(isinstance(turn.content, Invocation) for turn in turns)


def elsewhere(c: Context[Content]) -> bool:
    """Whether the latest utterance reaches another recall rather than this one."""
    reading = latest_reading(c)
    return reading is not None and reading.kind is Kind.ELSEWHERE


def only_form(c: Context[Content]) -> bool:
    """Whether the latest utterance gives no reason to read more: a remark, another form, a mere coming back."""
    turn = latest(c)
    if turn is None:
        return False
    if turn.reading is None:
        return isinstance(turn.content, Said)
    return turn.reading.kind is Kind.FORM


def ends(c: Context[Content]) -> bool:
    """Whether the latest utterance ends the recall."""
    reading = latest_reading(c)
    return reading is not None and reading.ends


def sentences(c: Context[Content]) -> int:
    """How many sentences the story may have, by what the person asked of its form."""
    for turn in reversed(heard(c)):
        if turn.reading is not None and turn.reading.kind is Kind.FORM:
            if _SHORTER.search(turn.text):
                return SHORT
            if _LONGER.search(turn.text):
                return FULL
    return FULL


# ── steering: corrections move the order ────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Steer:
    """Where the person's corrections point: away from what was shown, to one that was named, to earlier or later."""

    away: tuple[frozenset[RecordKey], ...] = ()
    named: str | None = None
    before: datetime | None = None
    after: datetime | None = None


def steer(c: Context[Content]) -> Steer:
    """All corrections of this recall together; of two that name a time the later one counts."""
    away: list[frozenset[RecordKey]] = []
    named: str | None = None
    before: datetime | None = None
    after: datetime | None = None
    for turn in heard(c):
        if turn.reading is None or turn.reading.kind is not Kind.CORRECTION or turn.shown is None:
            continue
        named = turn.reading.names_adjacent
        if named is not None:
            away = []
        away.append(frozenset(turn.shown.leading.members))
        when = _time_of(c[: turn.index], turn.shown.leading.members)
        if _EARLIER.search(turn.text):
            before, after = when, None
        elif _LATER.search(turn.text):
            before, after = None, when
    return Steer(tuple(away), named, before, after)


def _time_of(c: Context[Content], keys: tuple[RecordKey, ...]) -> datetime | None:
    times = [
        t.content.record.started
        for t in c
        if isinstance(t.content, RecordOpened) and t.content.record.key in keys and t.content.record.started is not None
    ]
    return min(times, default=None)


# ── what was shown ──────────────────────────────────────────────────────────────────────────────────────────────────


def shown(c: Context[Content]) -> Named | None:
    """What the latest presentation led with, as it was shown."""
    walk = _LATELY.get(c, _walk)[1]
    return walk.shown.leading if walk.shown is not None else None


def recognizable(named: Named) -> Recognizable:
    """A candidate as it was shown."""
    members = tuple(Member(str(of_record(key)), named.name if n == 0 else "") for n, key in enumerate(named.members))
    whole = {w.kind: w for w in (Whole.SESSION, Whole.LINE, Whole.TOPIC, Whole.CONCEPT)}.get(named.whole)  # type: ignore[call-overload]
    return Recognizable(whole or Whole.emergent(named.whole), members, named.joins if len(members) > 1 else "")


def keys_shown(c: Context[Content], r: Recognizable) -> tuple[RecordKey, ...]:
    """The records of a candidate that an earlier round showed."""
    for turn in reversed(c):
        if isinstance(turn.content, Presented):
            for named in (turn.content.leading, *turn.content.adjacent):
                if recognizable(named) == r:
                    return named.members
    return ()
