"""An utterance as clauses, each with what its few words do and in which mood.

A clause ends at punctuation or where a word breaks it ("but"). A question mark belongs to the last clause before it,
and to the one before that where the last is a mere tag ("that's it, right?"). A condition makes its own clause
hypothetical and the clauses after it in the same sentence its consequence. Reported speech reaches to the end of its
clause.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from anamnesis_lsp.readings.answers.language import Act, Language, Mood
from anamnesis_lsp.readings.answers.writing import Writing


@dataclass(frozen=True, slots=True)
class Hit:
    """A few words that do something: where they stand in the comparable text."""

    act: Act
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause: its span in the comparable text, its hits, and its mood."""

    text: str
    start: int
    hits: tuple[Hit, ...]
    question: bool
    """Asked, by its mark or by how it opens."""
    opens: bool
    """Opens as a question does."""
    request: bool
    """Asked for: a question in form only."""
    suggests: bool
    """Proposes another candidate."""
    hypothetical: bool
    consequence: bool
    """Follows from a condition in the same sentence."""
    contrast: bool
    """Takes back what came before it."""
    reported_from: int | None
    """Where somebody else's words begin, in the comparable text."""
    negations: tuple[int, ...]
    """Where a negation that is no idiom begins, in the comparable text."""
    unsure: bool
    tag: bool
    """Makes a question of what came before it, and is nothing else."""
    mistaken: bool
    """Says what was believed before."""

    @property
    def end(self) -> int:
        """Where the clause ends in the comparable text."""
        return self.start + len(self.text)

    def of(self, *acts: Act) -> list[Hit]:
        """The hits of these acts."""
        return [hit for hit in self.hits if hit.act in acts]

    def said(self, hit: Hit) -> bool:
        """Whether the person says it themselves."""
        return self.reported_from is None or hit.start < self.reported_from

    def negated(self, hit: Hit) -> bool:
        """Whether a negation stands before it in the clause."""
        return any(at < hit.start for at in self.negations)


MOST = 100
"""Clauses of a turn that are read."""

_SENTENCE_END = re.compile(r"[.!?;\n]+(?=\s|$|\")|[？！；]|\?+")
_CLAUSE_END = re.compile(r",|，|:(?=\s|$)|：|\s-+\s|[()]")


def _spans(text: str, pattern: re.Pattern[str]) -> list[tuple[int, int, str]]:
    """The pieces between the matches, each with the mark that ended it."""
    pieces: list[tuple[int, int, str]] = []
    start = 0
    for match in pattern.finditer(text):
        pieces.append((start, match.start(), match[0]))
        start = match.end()
    pieces.append((start, len(text), ""))
    return [piece for piece in pieces if text[piece[0] : piece[1]].strip()]


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip(' "')), start + len(piece.rstrip(' "'))


_CONTENT = frozenset(
    {Act.CUE, Act.HINT, Act.RECALL, Act.WHY, Act.SWITCH, Act.OTHER, Act.ASIDE, Act.RETURN, Act.OPEN_RECORD}
)
"""Acts that say what a clause is about: they stand beside each other and beside what the clause does."""
_COVERING = frozenset({Act.NEUTRAL, Act.REMARK, Act.FORM, Act.END, Act.IDENTIFY, Act.REJECT, Act.DECLINE, Act.ADMIT})
"""Acts whose words are about nothing else."""


def _stand_together(kept: Hit, hit: Hit) -> bool:
    """Whether the same words do both: no idiom does."""
    return kept.act is not Act.NEUTRAL and (kept.start, kept.end) == (hit.start, hit.end)


def _hits(text: str, start: int, language: Language) -> tuple[Hit, ...]:
    """Every match that no longer one overlaps; what a clause is about is only covered by idioms and the like."""
    every = [
        Hit(act, start + match.start(name), start + match.end(name))
        for act, patterns in language.act_patterns.items()
        for pattern, name in patterns
        for match in pattern.finditer(text)
        if match.end(name) > match.start(name)
    ]
    every.sort(key=lambda hit: (hit.start - hit.end, hit.start, hit.act is not Act.NEUTRAL))
    kept: list[Hit] = []
    for hit in every:
        rivals = _COVERING if hit.act in _CONTENT else frozenset(Act) - _CONTENT
        clash = [k for k in kept if k.act in rivals and k.start < hit.end and hit.start < k.end]
        if hit not in kept and all(_stand_together(k, hit) for k in clash):
            kept.append(hit)
    return tuple(sorted(kept, key=lambda hit: (hit.start, hit.end)))


def _outside_idioms(pattern: re.Pattern[str], text: str, start: int, hits: tuple[Hit, ...]) -> list[int]:
    idioms = [hit for hit in hits if hit.act is Act.NEUTRAL]
    return [
        start + match.start()
        for match in pattern.finditer(text)
        if not any(i.start <= start + match.start() and start + match.end() <= i.end for i in idioms)
    ]


def _clause(writing: Writing, span: tuple[int, int], language: Language, *, asked: bool) -> Clause:
    start, end = span
    text = writing.text[start:end]
    mood = language.mood_patterns
    hits = _hits(text, start, language)
    opens = mood[Mood.QUESTION].search(text) is not None
    reported = mood[Mood.REPORTED].search(text)
    return Clause(
        text=text,
        start=start,
        hits=hits,
        question=asked or opens,
        opens=opens,
        request=mood[Mood.REQUEST].search(text) is not None,
        suggests=mood[Mood.SUGGEST].search(text) is not None,
        hypothetical=bool(_outside_idioms(mood[Mood.CONDITION], text, start, hits)),
        consequence=False,
        contrast=mood[Mood.CONTRAST].match(text) is not None,
        reported_from=None if reported is None else start + reported.end(),
        negations=tuple(_outside_idioms(mood[Mood.NEGATED], text, start, hits)),
        tag=asked and _is_tag(text, language),
        unsure=bool(_outside_idioms(mood[Mood.UNSURE], text, start, hits)),
        mistaken=mood[Mood.MISTAKEN].search(text) is not None,
    )


def _pieces(text: str, start: int, end: int, language: Language) -> list[tuple[int, int]]:
    """A sentence's clauses, cut at punctuation and at the language's own breaks."""
    cuts: list[tuple[int, int]] = []
    for a, b, _ in _spans(text[start:end], _CLAUSE_END):
        cut = start + a
        for match in language.break_pattern.finditer(text[start + a : start + b]):
            if match.start() > 0:
                cuts.append((cut, start + a + match.start()))
                cut = start + a + match.start()
        cuts.append((cut, start + b))
    return [trimmed for a, b in cuts if (trimmed := _trimmed(text, a, b))[0] < trimmed[1]]


def _is_tag(text: str, language: Language) -> bool:
    return language.mood_patterns[Mood.TAG].fullmatch(text) is not None


def _only_doubts(clause: Clause, language: Language) -> bool:
    """Whether a clause is a word of doubt and nothing else: it stands for the clause after it."""
    return clause.unsure and language.mood_patterns[Mood.UNSURE].fullmatch(clause.text) is not None


def clauses(writing: Writing, language: Language) -> tuple[Clause, ...]:
    """The clauses of the utterance, in order."""
    told: list[Clause] = []
    for start, end, mark in _spans(writing.text, _SENTENCE_END):
        pieces = _pieces(writing.text, start, end, language)
        asked = "?" in mark or "？" in mark
        tagged = asked and len(pieces) > 1 and _is_tag(writing.text[slice(*pieces[-1])], language)
        under_condition = False
        for n, piece in enumerate(pieces):
            last = n >= len(pieces) - (2 if tagged else 1)
            clause = _clause(writing, piece, language, asked=asked and last)
            if under_condition and not clause.contrast:
                clause = replace(clause, consequence=True)
            if n and _only_doubts(told[-1], language) and piece[0] >= told[-1].end:
                clause = replace(clause, unsure=True)  # "maybe, that's it"
            under_condition = (under_condition and not clause.contrast) or clause.hypothetical
            told.append(clause)
            if len(told) == MOST:
                return tuple(told)
    return tuple(told)
