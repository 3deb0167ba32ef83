"""Fitting: how much a sentence speaks of what the person pointed at.

The selected lines, their comment, their path and the words of the cue are taken as terms with weights: what the person
said counts most, then the comment, then the code; a word that many records have counts little, a keyword of a language
next to nothing. Numbers agree across their spellings (``eight`` and ``8``, ``3-minute`` and ``180s``). A sentence fits
by the terms it shares. The words of the commits' messages are no part of it: a message does not speak for itself.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from anamnesis_lsp.index import terms
from anamnesis_lsp.readings.cue import CueRead

UNKNOWN = 0.6
"""Rarity of a term where none was counted."""
CUE, COMMENT, CODE, PATH = 1.8, 1.2, 0.9, 0.5
TERMS = 240
"""Terms that are kept, the weightiest."""
SECTION = 2.5
"""What standing in a section that the lines cite is worth."""
FILE = 0.9
"""What naming the selected file is worth."""
PLENTY = 3.0
LONG = 28
"""Words from which a sentence is long: it shares terms by its length."""

_KEYWORDS = frozenset(
    """
    return const var func function def class self none true false null nil undefined import from export default async
    await public private protected static void int str string bool boolean float double number char byte new delete try
    catch except finally raise throw throws error errors err else elif while for switch case break continue pass yield
    lambda struct enum type types interface extends implements package module require include print log logger console
    fmt errorf sprintf printf len append make map list dict set array object value values key keys name data result
    args kwargs params param props item items index test tests assert expect todo fixme note use used using add added
    make makes file files code line lines change changes changed update updated
    """.split()  # noqa: SIM905
)
_ASKING = frozenset(
    """
    why who whom how come no not did does reason asked wanted decided thing things something anything
    """.split()  # noqa: SIM905
)
"""Words of a question, which ask for the past and say nothing of it."""
_ENDINGS = (("ations", 5), ("ation", 5), ("ings", 4), ("ing", 4), ("ies", 3), ("ed", 4), ("s", 3))
_NUMBERS = {
    word: str(n)
    for n, word in enumerate("zero one two three four five six seven eight nine ten eleven twelve".split())  # noqa: SIM905
    if n > 1
} | {"fifteen": "15", "twenty": "20", "thirty": "30", "sixty": "60", "hundred": "100"}  # fmt: skip
_UNITS = {
    "ms": 0.001, "millisecond": 0.001, "s": 1.0, "sec": 1.0, "second": 1.0, "m": 60.0, "min": 60.0, "minute": 60.0,
    "h": 3600.0, "hr": 3600.0, "hour": 3600.0, "day": 86400.0,
}  # fmt: skip
_NUMBER = re.compile(
    rf"(?<![\w.])(\d{{1,7}}(?:\.\d+)?|{'|'.join(_NUMBERS)})(?:[ -]?([a-zA-Z]{{1,12}}))?(?![\w])", re.IGNORECASE
)
_LABEL = re.compile(
    r"(principle|decision|section|rule|step|phase|option|alternative|requirement|criterion|point|原则|决策|步骤|阶段|方案"
    r"|第|§|[A-Z])\s*[#.:]?\s*(\d{1,2}(?:\.\d{1,2})?)(?![\w.])",
    re.IGNORECASE,
)
_NAME = re.compile(r"[\w./-]+")
_OTHER = re.compile(r"(?:[\w@.-]+/)+[\w-]+\.[a-z]{1,5}\b")


@dataclass(frozen=True, slots=True)
class Pointed:
    """What the person pointed at, as terms with weights."""

    terms: Mapping[str, float] = field(default_factory=lambda: dict[str, float]())
    told: frozenset[str] = frozenset()
    """Terms of the person's own words: the cue."""
    names: tuple[str, ...] = ()
    """The selected file by its name, and by its path."""
    labels: frozenset[str] = frozenset()
    """Sections that the selected lines cite: ``principle 2``."""

    def fit(self, text: str, file: float = FILE) -> float:
        """How much ``text`` speaks of it: 0 not at all, from about 1 plainly. ``file``: what naming the file counts."""
        return self.shared(text) + (file if self.names_file(text) else 0.0)

    def worth(self, text: str, file: float = FILE) -> float:
        """The same as a part of a score: what is beyond :data:`PLENTY` counts ever less."""
        fit = self.fit(text, file)
        return fit if fit <= PLENTY else PLENTY + math.log2(fit / PLENTY)

    def shared(self, text: str) -> float:
        """How much by the words it shares: naming the file is not enough where much else is in it."""
        if not self.terms:
            return 0.0
        found = spoken(text)
        shared = math.fsum(self.terms[term] for term in found if term in self.terms)
        if len(found) > LONG:
            shared *= math.sqrt(LONG / len(found))
        return shared

    def names_file(self, text: str) -> bool:
        """Whether ``text`` names the selected file."""
        if not self.names or self.names[0] not in text:
            return False
        return any(
            named == self.names[0]
            or ("/" in named and (self.names[-1].endswith(named) or named.endswith(self.names[-1])))
            for match in _NAME.finditer(text)
            for named in (match[0].strip("."),)
        )

    def names_another(self, text: str) -> bool:
        """Whether ``text`` names a file by its path, and not the selected one."""
        return _OTHER.search(text) is not None and not self.names_file(text)

    def cited(self, headings: Iterable[str]) -> bool:
        """Whether one of the headings is a section that the lines cite."""
        return bool(self.labels) and any(self.labels & labels(heading) for heading in headings)


def pointed(
    selected: Sequence[str], comment: str | None, path: str | None, words: str, rarity: Mapping[str, float] | None
) -> Pointed:
    """What was pointed at. ``rarity``: of each term how rare it is among the records, 0 to 1."""
    weights: dict[str, float] = {}
    code = "\n".join(selected)
    file = path.rsplit("/", 1)[-1] if path else ""
    stem = file.rsplit(".", 1)[0] if file else ""
    for text, weight in ((words, CUE), (comment or "", COMMENT), (code, CODE), (stem, PATH)):
        for term, raw in _terms(text):
            if raw in _ASKING:
                continue
            value = weight * (rarity or {}).get(raw, UNKNOWN)
            if raw in _KEYWORDS:
                value *= 0.15
            elif not raw:
                value *= 0.6
            weights[term] = max(weights.get(term, 0.0), value)
    kept = sorted(weights.items(), key=lambda pair: (-pair[1], pair[0]))[:TERMS]
    names = (file, path or "") if len(stem) > 3 else ()
    return Pointed(dict(kept), frozenset(spoken(words)), names, labels(code))


def pointed_of(cue: CueRead, rarity: Mapping[str, float]) -> Pointed:
    """What a cue points at: its words, and the selection of its invocation."""
    invocation = cue.invocation
    if invocation is None:
        return pointed((), None, None, cue.words, rarity)
    words = cue.words if cue.words != (invocation.comment or "").strip() else ""
    return pointed(invocation.selected, invocation.comment, invocation.path, words, rarity)


def labels(text: str) -> frozenset[str]:
    """The sections that ``text`` cites or heads: ``principle 2``, ``原则 2``, ``D4``."""
    return frozenset(f"{match[1].casefold()} {match[2]}" for match in _LABEL.finditer(text))


@functools.lru_cache(maxsize=8192)
def spoken(text: str) -> tuple[str, ...]:
    """The terms of ``text``, each once in order, without their endings; numbers with their units."""
    return tuple(dict.fromkeys(term for term, _ in _terms(text)))


def _terms(text: str) -> Iterator[tuple[str, str]]:
    """Each term without its ending, and as the index has it; a number has no such term."""
    for raw in terms.distinct([text]):
        if not raw.isdigit():
            yield _stem(raw) if raw.isascii() else raw, raw
    for match in _NUMBER.finditer(text):
        number = _NUMBERS.get(match[1].lower(), match[1])
        unit = (match[2] or "").lower()
        seconds = _UNITS.get(unit) or _UNITS.get(unit.removesuffix("s"))
        if seconds is not None:
            yield f"={float(number) * seconds:g}s", ""
        if number not in ("0", "1"):
            yield f"={number}", ""


def _stem(term: str) -> str:
    """A word without its commonest endings, so that ``reboots``, ``rebooted`` and ``reboot`` meet."""
    for ending, least in _ENDINGS:
        if term.endswith(ending) and len(term) - len(ending) >= least and not term.endswith("ss"):
            term = term[: -len(ending)] + ("y" if ending == "ies" else "")
            break
    return term.removesuffix("e") if len(term) > 4 else term
