"""What led to an edit, of all the turns of a conversation: the ask, what it answered, and what was said on the way.

The person's last words before the edit that ask for something are the ask. Where they only accept (``yes, do it``) or
choose (``2``), what the assistant had proposed is told with them, and the item where one is named. An earlier ask of
the same stretch leads where it speaks of the selection and the last one does not. What was said after the edit did not
lead to it; only in the same answer may it still explain what was done, where it plainly speaks of the selection.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta

from anamnesis_lsp.readings.fitting import Pointed
from anamnesis_lsp.readings.own_words import heard_lines, own_runs
from anamnesis_lsp.readings.quoting import units
from anamnesis_lsp.readings.reasons import accepts, asks, substantial, why
from anamnesis_lsp.records.conversations.model import Turn
from anamnesis_lsp.records.evidence import Passage, Span, Speaker

MARKS = 400_000
"""Lines that were said which are remembered, to know them again where they are pasted."""
WEIGHED = 1000
"""Turns of one speaker whose words are weighed, the last of them: a log without end is not."""
SAID = 6
"""Turns of the assistant that are opened."""
PLAIN = 1.2
"""Fit from which words plainly speak of the selection."""
BETTER = 0.8
"""By so much more an earlier ask has to fit than the last one."""
FAR = 2.2
"""Fit from which what was said elsewhere before the edit, or after it in the same answer, is opened."""
NEAR = 3
"""Turns before the edit in which the assistant leads up to it."""
SHORT = 90
"""Characters up to which an ask leans on the one before it."""
TASKS, TASK_TIME = 3, timedelta(hours=2)
"""Asks before the last one, and the time before it, within which an earlier one still belongs to the same task."""
OPENINGS = 5
"""The last asks that are opened beside the first, where no edit tells which it was."""
BACK = 6
"""Mere nods that are passed over on the way back to the ask."""

_CHOICE = re.compile(
    r"\A\W*#?(\d{1,2})\W*\Z"
    r"|\b(?:fix|option|number|item|point|step|approach|solution|alternative|issue|choose|pick|do|for|with"
    r"|implement|use|try|no\.?)"
    r"\s+#?(\d{1,2})\b(?!\s*(?:[%.:\d]|\w+s\b))",
    re.IGNORECASE,
)
_NUMBERED = re.compile(
    r"\s*(?:#{1,6}\s+)?(?:\*\*|__)?(?:(?:option|approach|solution|step|issue|alternative"
    r"|phase)\s*)?#?(\d{1,2})(?:[.):]|\s*[-–—:])\s*\S",
    re.IGNORECASE,
)
_LEANS = re.compile(
    r"\s*(?:really|no\b|not\b|but\b|and\b|also\b|then\b|so\b|still\b|again\b|instead\b|why\b|hmm|what about"
    r"|how about|can'?t|it\b|that\b|this\b|these\b"
    r"|those\b|they\b|same\b|actually|wait\b|oh\b|aber|und\b|але|но\b|а\b|不|那|还|但)",
    re.IGNORECASE,
)


@dataclass(slots=True, eq=False)
class Spoken:
    """A turn of somebody, with what of its text are that speaker's own words."""

    turn: Turn
    raw: str
    _own: tuple[str, ...] | None = None

    @property
    def own(self) -> tuple[str, ...]:
        """The own words, in runs: cut when they are first asked for, as most turns of a long log are not."""
        if self._own is None:
            self._own = tuple(own_runs(self.raw, person=False))
        return self._own

    @property
    def text(self) -> str:
        """The own words."""
        return "\n\n".join(self.own)


@dataclass(slots=True)
class Talk:
    """The words of a conversation, as they are heard turn by turn."""

    persons: list[Spoken] = field(default_factory=lambda: list[Spoken]())
    others: list[Spoken] = field(default_factory=lambda: list[Spoken]())
    _marks: set[int] = field(default_factory=lambda: set[int]())

    def hear(self, turn: Turn, limit: int) -> None:
        """One more turn; of its text ``limit`` characters are looked at."""
        text = turn.text[:limit]
        if not text.strip():
            return
        if turn.speaker is Speaker.PERSON:
            self.persons.append(Spoken(_bare(turn), "", tuple(own_runs(text, self._marks))))
        elif turn.speaker in (Speaker.ASSISTANT, Speaker.SUBAGENT):
            if len(self._marks) < MARKS:
                self._marks.update(heard_lines(text))
            self.others.append(Spoken(_bare(turn), text))

    def keep(self, timely: Callable[[Turn], bool]) -> None:
        """Keep the turns of which that holds."""
        self.persons = [spoken for spoken in self.persons if timely(spoken.turn)]
        self.others = [spoken for spoken in self.others if timely(spoken.turn)]


def _bare(turn: Turn) -> Turn:
    return Turn(turn.n, turn.speaker, "", turn.when, name=turn.name)


def passages(
    talk: Talk,
    at: int | None,
    commits: Collection[int],
    turns: Sequence[int],
    pointed: Pointed,
    slight: bool = False,
) -> Iterator[Passage]:
    """The passages that lead to the edit in turn ``at``, in no order. ``commits``: turns that made a commit.

    Without an edit (None) those that speak of what was pointed at, near ``turns`` where a cue named some. An edit that
    is ``slight`` wrote little of the selection: what led to it has to speak of that.
    """
    if at is None:
        yield from _openings(talk)
        yield from _spoken_of(talk, turns, pointed)
        return
    begin = max((n for n in commits if n < at), default=0)
    asks = list(_asks(talk, at, begin, pointed, near=not slight))
    if slight:
        fits = any(role == "proposal" and _fit(spoken.text, pointed) >= PLAIN for spoken, role in asks)
        asks = [
            (spoken, role)
            for spoken, role in asks
            if (fits if role in ("answer", "proposal") else _fit(spoken.text, pointed) >= FAR)
        ]
    for spoken, role in asks:
        yield from _opened(spoken, role)
    first = min((spoken.turn.n for spoken, role in asks if role == "request"), default=0)
    last = max((spoken.turn.n for spoken, _ in asks), default=0)
    taken = {spoken.turn.n for spoken, role in asks if role == "proposal"}
    for passage in _said(talk, at, (first, last), commits, taken, pointed):
        yield replace(passage, role="earlier") if slight and passage.role in ("before", "reason") else passage


# ── the person ──────────────────────────────────────────────────────────────────────────────────────────────────────


def _asks(talk: Talk, at: int, begin: int, pointed: Pointed, near: bool = True) -> Iterator[tuple[Spoken, str]]:
    before = [spoken for spoken in talk.persons if spoken.turn.n <= at and spoken.own]
    ask: Spoken | None = None
    answered: Spoken | None = None
    for spoken in reversed(before[-BACK:]):
        proposed = _answered(talk, spoken, pointed) if answered is None else None
        if proposed is not None:
            answered = proposed
            yield spoken, "answer"
            yield proposed, "proposal"
        if _asks_something(spoken.text) and not (proposed is not None and not substantial(spoken.text)):
            ask = spoken
            if proposed is None:
                yield spoken, "request"
            break
    if ask is None:
        ask = next((spoken for spoken in reversed(before) if substantial(spoken.text)), None)
        if ask is None:
            return
        yield ask, "request"
    earlier = [s for s in before[-WEIGHED:] if begin < s.turn.n < ask.turn.n and substantial(s.text)]
    if near:
        earlier = [s for s in earlier[-TASKS:] if not _long_before(s.turn, ask.turn)]
    if not earlier:
        return
    fits = {s.turn.n: _fit(s.text, pointed) for s in (*earlier, ask)}
    best = max(earlier, key=lambda s: (fits[s.turn.n], s.turn.n))
    if fits[best.turn.n] >= PLAIN and fits[best.turn.n] > fits[ask.turn.n] + BETTER:
        yield best, "request"
    elif len(ask.text) <= SHORT and _LEANS.match(ask.text) and fits[ask.turn.n] < FAR:
        yield earlier[-1], "request"


def _long_before(turn: Turn, other: Turn) -> bool:
    """Whether it was said so long before the other that it belongs to another task."""
    return turn.when is not None and other.when is not None and other.when - turn.when > TASK_TIME


def _asks_something(text: str) -> bool:
    return substantial(text) or (asks(text) > 0 and len(text.split()) >= 2)


def _openings(talk: Talk) -> Iterator[Passage]:
    """The ask the conversation begins with, and the last ones: one of them is told where nothing else is."""
    asked = [s for s in talk.persons if _asks_something(s.text)]
    for spoken in dict.fromkeys((*asked[:1], *asked[-OPENINGS:])):
        yield from _opened(spoken, "opening")


def _answered(talk: Talk, spoken: Spoken, pointed: Pointed) -> Spoken | None:
    """What the assistant had proposed, where the person's turn accepts it or chooses of it."""
    text = spoken.text.strip()
    chosen = _chooses(text)
    if chosen is None and not (len(text) <= SHORT and accepts(text)):
        return None
    proposed = next((o for o in reversed(talk.others) if o.turn.n < spoken.turn.n and o.own), None)
    if proposed is None or any(proposed.turn.n < p.turn.n < spoken.turn.n for p in talk.persons):
        return None
    if chosen is None:
        return proposed
    items = _items(proposed, chosen)
    return Spoken(proposed.turn, "", (max(items, key=pointed.fit),)) if items else None


def _chooses(text: str) -> int | None:
    if len(text) > 3 * SHORT:
        return None
    match = _CHOICE.search(text)
    return int(match[1] or match[2]) if match is not None else None


def _items(proposed: Spoken, number: int) -> list[str]:
    """The items of that number in what was proposed, each with what belongs to it, the last one first."""
    found: list[str] = []
    for run in reversed(proposed.own):
        lines = run.split("\n")
        for start in reversed(range(len(lines))):
            match = _NUMBERED.match(lines[start])
            if match is None or int(match[1]) != number:
                continue
            end = start + 1
            while end < len(lines) and not _NUMBERED.match(lines[end]) and not lines[end].startswith("#"):
                if not lines[end].strip() and (end + 1 >= len(lines) or lines[end + 1][:1] not in " \t-*"):
                    break
                end += 1
            found.append("\n".join(lines[start:end]).rstrip())
    return found


# ── the assistant ───────────────────────────────────────────────────────────────────────────────────────────────────


def _said(
    talk: Talk, at: int, asked: tuple[int, int], commits: Collection[int], taken: Collection[int], pointed: Pointed
) -> Iterator[Passage]:
    after = min((s.turn.n for s in talk.persons if s.turn.n > at), default=1 << 60)
    made = min((n for n in commits if n > at), default=1 << 60)
    scored: list[tuple[float, str, Spoken]] = []
    up_to = [s for s in talk.others if s.turn.n <= at][-WEIGHED:]
    near = {s.turn.n: place for place, s in enumerate(reversed(up_to)) if s.turn.n > asked[1]}
    since = _task_begins(talk, at)
    for spoken in up_to:
        n = spoken.turn.n
        if n in taken:
            continue
        best = _best(spoken.text, pointed)
        if n > asked[1] and near[n] < NEAR:
            scored.append((best + 1.0 - 0.25 * near[n], "before", spoken))
        elif n > asked[0]:
            scored.append((best, "reason", spoken))
        elif n >= since and _fit(spoken.text, pointed) >= FAR:
            scored.append((best - 0.5, "earlier", spoken))
    for spoken in talk.others:
        if at < spoken.turn.n < min(after, made + 1) and _fit(spoken.text, pointed) >= FAR:
            scored.append((_best(spoken.text, pointed) - 0.5, "reply", spoken))
    scored.sort(key=lambda item: (-item[0], item[2].turn.n))
    for _, role, spoken in scored[:SAID]:
        yield from _opened(spoken, role)


def _task_begins(talk: Talk, at: int) -> int:
    """The turn of the earliest ask that, by its time, may still belong to the task of the edit."""
    before = [s.turn for s in talk.persons if s.turn.n <= at and substantial(s.text)]
    return next((turn.n for turn in before if not _long_before(turn, before[-1])), 0)


def _spoken_of(talk: Talk, turns: Sequence[int], pointed: Pointed) -> Iterator[Passage]:
    """What speaks of what was pointed at, where no edit is known: what was said best of it, and the ask before that."""
    said = [s for s in talk.others[-WEIGHED:] if _fit(s.text, pointed) >= PLAIN]
    if said:
        best = max(said, key=lambda s: (_best(s.text, pointed), -s.turn.n))
        asks_before = list(_asks(talk, best.turn.n, 0, pointed))
        for spoken, role in asks_before:
            yield from _opened(spoken, role)
        told = {spoken.turn.n for spoken, _ in asks_before}
        for spoken in sorted(said, key=lambda s: (-_best(s.text, pointed), s.turn.n))[:SAID]:
            if spoken.turn.n not in told:
                yield from _opened(spoken, "reason")
        return
    for speakers, role, count in ((talk.persons, "request", 2), (talk.others, "reason", 4)):
        weighed = [s for s in speakers if s.turn.n in set(turns)] + speakers[-WEIGHED:]
        scores = {s.turn.n: _best(s.text, pointed) + (0.5 if s.turn.n in turns else 0.0) for s in weighed if s.own}
        by_number = {s.turn.n: s for s in weighed}
        for n in sorted(scores, key=lambda n: (-scores[n], n))[:count]:
            yield from _opened(by_number[n], role)


def _opened(spoken: Spoken, role: str) -> Iterable[Passage]:
    turn = spoken.turn
    for run in spoken.own:
        yield Passage(run, turn.speaker, turn.name, turn.when, Span(turn=turn.n), role)


def _fit(text: str, pointed: Pointed) -> float:
    return max((pointed.fit(unit.text) for unit in units(text)), default=0.0)


def _best(text: str, pointed: Pointed) -> float:
    return max((pointed.fit(unit.text) + max(0.0, why(unit.text, {})) for unit in units(text)), default=-9.0)
