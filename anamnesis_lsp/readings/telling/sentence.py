"""A sentence of a story, and the choice of what is quoted of a passage."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from anamnesis_lsp.readings.fitting import spoken
from anamnesis_lsp.readings.quoting import CLIP, Unit, clip, joined, units, whole
from anamnesis_lsp.readings.reasons import gives_a_reason, is_trailer, offers

QUOTE_LIMIT = 280
"""Characters of one quotation."""
SUBJECT_LIMIT = 140
LEANING, LINKED = 2.5, 0.4
"""What a sentence loses that means something said before it, or only links to it, which cannot be told with it."""
REFUSED = -99.0
ANTECEDENT = 400
"""Characters of a quotation that takes along what it leans on."""
ALIKE = 0.65
"""Share of the words of a quotation from which one that has them makes it say nothing more."""
WORDS, WIDE = 5, 8
"""Words, or letters of a script without blanks, that a sentence has beside paths and code: less is a fragment."""
OPTION = 2.5
"""What a sentence loses that names an option beside another one."""

_LIMITS = re.compile(
    r"\b(?:recommend\w*|conclusions?|next steps?|remaining|future|follow[- ]?ups?|to-?dos?|for production"
    r"|in production"
    r"|alternatives?(?: considered)?"
    r"|options?|optional(?:ly)?|known (?:issues|limitations)|limitations?|out of scope|non-?goals?|not (?:done"
    r"|included|implemented|yet)"
    r"|if (?:you|needed|this|that)|could (?:also|be)|ideas?|suggest\w*|improvements?|enhancements?"
    r"|open questions?|considerations?"
    r"|rejected|won'?t (?:do|fix)|deferred|later|post-?mvp|phase [2-9]|example\w*|usage|how to|test(?:s|ing"
    r"|ed)?|test plan|verif\w*|validation|quality|checklist"
    r"|acceptance criteria|success criteria|definition of done|deliverables|estimat\w*|timeline"
    r"|files? (?:changed|modified|created))\b"
    r"|替代|备选|建议|后续|待办|未来|示例|测试|验收|альтернатив|рекоменд|наступні кроки|дальнейш",
    re.IGNORECASE,
)
_NEGATES = re.compile(
    r"\W*(?:\d+[.)]\s*)?\W*(?:(?:please\s+)?(?:do(?:es)?\W{1,4}not|don['’]?t|never|avoid|no\b|not\b|without"
    r"|non-?goals?|out of scope|what (?:not|we (?:won['’]?t|will not))"
    r"|must\W{1,4}not|should\W{1,4}not|won['’]?t|wrong|bad|anti-?patterns?|forbidden|stop\b|exclude)|不要|不得|禁止"
    r"|避免|не\b|без\b|nicht\b|kein)",
    re.IGNORECASE,
)
_DEFERS = re.compile(
    r"另立|待.{0,12}落地"
    r"|\b(?:out of scope|to be decided|will be (?:decided|done|handled) (?:later|in a)|is deferred|left for later)\b",
    re.IGNORECASE,
)
"""What is put off is no reason for what is there."""
_PREFIX = re.compile(r"\W*\*\*([^*\n]{2,40})\*\*\s*[:：-]|([A-Z][\w ]{2,30}): ")
_OPTION = re.compile(
    r"\W*(?:alternatively|otherwise|or\b|if needed|if necessary|optionally|as an alternative|another option"
    r"|one option|you could|you can also"
    r"|we could also|in the future|later\b|would (?:need|require)|could (?:also )?|或者|也可以|曾考虑|考虑过)",
    re.IGNORECASE,
)
_LEANS = re.compile(
    r"\W*(?:(?:this|that|these|those|such) (?:is|was|are|were|will|would|means?|makes?|made|allows?|ensures?"
    r"|prevents?|causes?|caused|fix\w*"
    r"|change|approach|issue|problem|way|commit|replaces?|also|should|can|could|one|works?|happens?|happened"
    r"|includes?|gives?|avoids?|adds?)\b"
    r"|th(?:is|at|ese|ose)\b(?! (?:file|repo|repository|project|module|function|class|package|task|adr|record"
    r"|document|method|bug|conversation))"
    r"|(?:must|needs?|currently)\b(?! (?:we|i|you|it|the|this|that|a|an|there)\b)"
    r"|it(?:'s| is| was| will| would|\b)|they\b|he\b|she\b|the (?:problem|issue|change|former|latter|same|above"
    r"|second|first|other|reason|fix)"
    r" (?!is (?:that|in|with|the|a)\b|was (?:that|in|with|the|a|caused)\b)|same\b|both\b|neither|either"
    r"|as a result|because of this"
    r"|这(?!个?(?:文件|模块|函数))|它|其|цей\b|це\b|этот|это\b)",
    re.IGNORECASE,
)
_LINKS = re.compile(
    r"\W*(?:so\b|but\b|however|therefore|thus\b|hence|instead|also\b|and\b|then\b|yet\b|该|此|因此|所以|但|而|并|也)",
    re.IGNORECASE,
)
_LEANS_LAST = re.compile(
    r"\b(?:to|of|by|with|for|from|on|like|do|does|doing) (?:this|that|these|those)\W*\Z", re.IGNORECASE
)
_WHERE = re.compile(
    r"\b(?:is|are|was|were|lives?|located|defined|implemented|found|stands?) (?:in|at"
    r"|under) (?:the )?(?:file )?[`*\"]*[\w@.-]+/[\w./@-]+",
    re.IGNORECASE,
)
_MEANS_BEFORE = re.compile(r"\b(?:that|this|it|these|those|them)\b", re.IGNORECASE)
_APART = re.compile(
    r"`[^`]*`|(?:[\w@.-]+/)+[\w.@*-]*|\b[\w-]+\.(?:py|go|tsx?|jsx?|md|json|rs|java|cpp|c|h|ya?ml|toml|sql|sh)\b"
)
_LISTED = re.compile(r"\W*(?:[\w@.-]+/)+[\w.@*-]+\W*\(")
_USAGE = re.compile(
    r"\W*--?[a-z][\w-]*(?:[ =][A-Z<\[]\S*)?\s*[:：—–-]\s"
    r"|[^.。]{0,80}\[--?[a-z]"
    r"|\W*(?:commands?|usage|syntax|examples?): [a-z]",
    re.IGNORECASE,
)
"""How a command is called, or what one of its options is for: help, and no reason."""
_WORD = re.compile(r"[^\W\d_]{2,}")
_WIDE = re.compile(r"[\u3000-\u9fff\uac00-\ud7af]")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, the index (in ``records``) of the record it rests on, and what decides its place and chance."""

    record: int
    text: str
    when: datetime | None
    order: int
    """Place within the record."""
    worth: float
    """Which sentences stay when there are too many."""
    lead: str | None = None
    """How it reads where it is the first sentence of its record."""
    after_other: str | None = None
    """How it reads where another speaker of its record was quoted before, and this one was not."""
    speaker: str = ""
    """Whose words it quotes; empty where it states a fact."""
    needs: str = ""
    """The text of the sentence without which it is not told."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """What is quoted of a passage, and how well it scored."""

    text: str
    score: float
    unit: Unit


def tellable(unit: Unit) -> bool:
    """Whether a unit can stand as a quotation at all."""
    text = unit.text
    if unit.heads or unit.todo or is_trailer(text) or "\ufffd" in text:
        return False
    if text.endswith((":", "：")) or not whole(text) or _LISTED.match(text) or _USAGE.match(text):
        return False
    if negated(unit) or _DEFERS.search(text):
        return False
    if _WHERE.search(text) and not gives_a_reason(text):
        return False  # where something is says no why
    return len(_WORD.findall(_APART.sub(" ", text))) >= WORDS or len(_WIDE.findall(text)) >= WIDE


def negated(unit: Unit) -> bool:
    """Whether it stands under a heading that negates it: told without that, it would say the opposite."""
    return any(_NEGATES.match(heading) for heading in unit.under)


def limited(unit: Unit, above: Sequence[str] = ()) -> bool:
    """Whether it stands under a heading that limits what it says (``Recommendations``, ``For production``)."""
    label = _PREFIX.match(unit.text)
    headings = (*above, *unit.under, *((label[1] or label[2],) if label is not None else ()))
    return any(_LIMITS.search(heading) for heading in headings)


def is_option(text: str) -> bool:
    """Whether it names an option beside another one: not what was asked, and not what was done."""
    return _OPTION.match(text) is not None


def leans(text: str) -> float:
    """What it loses told alone: it begins with a word that means something said before it, or that links to it."""
    if _LEANS.match(text) or _LEANS_LAST.search(text) or (offers(text) and _MEANS_BEFORE.search(text)):
        return LEANING
    return LINKED if _LINKS.match(text) else 0.0


def choose(
    text: str,
    score: Callable[[Unit], float],
    limit: int = QUOTE_LIMIT,
    least: float = 0.6,
    may: Callable[[Unit], bool] = tellable,
    skip: int = 0,
    leaning: bool = False,
) -> Chosen | None:
    """The run of units of a passage that scores best and can stand by itself; None where no unit may be told.

    A sentence that leans on the one before it takes it along; one that cannot loses :data:`LEANING`, and is not told
    unless ``leaning`` allows it (what it means is plain: the commit, the paste beside it). Neighbours of the same
    paragraph that score above ``least`` are told with it. The first ``skip`` units are left out.
    """
    pieces = units(text)
    scores: list[float] = []
    for place, piece in enumerate(pieces):
        if place < skip or not may(piece):
            scores.append(REFUSED)
            continue
        value = score(piece) - (OPTION if is_option(piece.text) else 0.0)
        lost = leans(piece.text)
        if lost and not _before(pieces, place, skip, ANTECEDENT - len(piece.text), may):
            value = value - lost if leaning or lost < LEANING else REFUSED
        scores.append(value)
    if not scores or max(scores) <= REFUSED:
        return None
    best = max(range(len(pieces)), key=lambda i: (scores[i], -i))
    first = last = best
    length = len(pieces[best].text)
    while leans(pieces[first].text) and _before(pieces, first, skip, ANTECEDENT - length, may):
        first -= 1
        length += 1 + len(pieces[first].text)
    if first < last:
        limit = max(limit, min(length, ANTECEDENT))
    while True:
        grown = [
            (scores[i], i)
            for i, joint in ((first - 1, first), (last + 1, last + 1))
            if 0 <= i < len(pieces)
            and pieces[joint].follows
            and pieces[i].paragraph == pieces[best].paragraph
            and scores[i] > least
            and length + 1 + len(pieces[i].text) <= limit
        ]
        if not grown:
            break
        _, taken = max(grown)
        first, last = min(first, taken), max(last, taken)
        length += 1 + len(pieces[taken].text)
    quoted = clip(joined(pieces[first : last + 1]), limit)
    return Chosen(quoted, scores[best], pieces[best])


def _before(pieces: Sequence[Unit], place: int, skip: int, left: int, may: Callable[[Unit], bool]) -> bool:
    return place > skip and pieces[place].follows and may(pieces[place - 1]) and len(pieces[place - 1].text) + 1 <= left


def first_unit(text: str, limit: int) -> str:
    """The first unit of a passage, clipped."""
    pieces = units(text)
    return clip(pieces[0].text, limit) if pieces else ""


def first_paragraph(text: str, limit: int) -> str:
    """The units of the first paragraph as they stand together, where they fit; else the first one, clipped."""
    pieces = units(text)
    run = joined([piece for piece in pieces if piece.paragraph == pieces[0].paragraph])
    return run if run and len(run) <= limit else first_unit(text, limit)


def says_no_more(told: str, other: str) -> bool:
    """Whether nearly all words of a quotation stand in the other one."""
    words, others = set(spoken(told.removesuffix(CLIP))), set(spoken(other.removesuffix(CLIP)))
    return len(words & others) > ALIKE * len(words)
