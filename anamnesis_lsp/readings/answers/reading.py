"""The reading of one turn of the person's: from its clauses to one of the eleven kinds, with the words it rests on.

The rules are the notes' (*The person's answers*, *When a recall starts*), in this order:

1. Nobody's quoted or reported words are the person's; a supposition neither takes nor refuses anything.
2. An identification, said and clear, of what is presented. The name of an adjacent candidate, a doubt, a question, or a
   correction after it makes it none. It beats other work, another past, and an end that only says "you can stop".
3. An end; where it also reaches another recall, that.
4. What bears on the recall: a place to look, a correction, more cue, a question, a form.
5. Another past, other work, a remark; then what the round leaves open.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from rapidfuzz.distance import DamerauLevenshtein

from anamnesis_lsp.readings.answers.clauses import Clause, Hit, clauses
from anamnesis_lsp.readings.answers.gathering import Gathered, gather, is_mere_word, reaches_held
from anamnesis_lsp.readings.answers.language import Act, Language, Mood
from anamnesis_lsp.readings.answers.languages import language_of
from anamnesis_lsp.readings.answers.names import Said, named, words_of
from anamnesis_lsp.readings.answers.turn import Kind, LastRound, TurnReading, TurnState
from anamnesis_lsp.readings.answers.writing import Writing, respelled, written

_FAR = 1 << 60
_CONTENT = 2
"""So many words beside a remark are more than a remark."""
_SHOWING = (LastRound.PRESENTATION, LastRound.ENDED)


def read_turn(state: TurnState, utterance: str) -> TurnReading:
    """How the person's turn reads against the state it follows. Never raises; what says nothing clear is a remark."""
    writing = written(utterance)
    language = language_of(writing)
    writing = _mended(writing, language)
    told = clauses(writing, language)
    if state.last_round is LastRound.NONE:
        return _activation(_Spoken(writing, language, told), state)
    return _Decision(_Spoken(writing, language, told), state, gather(told, state, writing, language)).reading()


def _mended(writing: Writing, language: Language) -> Writing:
    """The writing with one slip of the keyboard mended in the words that matter."""
    for match in reversed(list(re.finditer(r"(?<![\w-])[a-z]+(?![\w-])", writing.text))):
        word = match[0]
        near = [language.slips[word]] if word in language.slips else _near(word, language)
        if len(near) == 1:
            writing = respelled(writing, match.start(), match.end(), near[0])
    return writing


def _near(word: str, language: Language) -> list[str]:
    if len(word) < 5 or word in language.known_words:
        return []
    return [right for right in language.spelled_words if _slip(word, right)]


def _slip(word: str, right: str) -> bool:
    """Whether ``word`` is ``right`` with one slip inside it; another ending is another word."""
    if len(right) < 5 or word[0] != right[0] or word[:-1] in (right, right[:-1]) or right[:-1] == word:
        return False
    return DamerauLevenshtein.distance(word, right, score_cutoff=1) == 1


@dataclass(frozen=True, slots=True)
class _Spoken:
    writing: Writing
    language: Language
    told: tuple[Clause, ...]

    def words(self, hits: Iterable[Hit]) -> tuple[str, ...]:
        """What the person wrote where the hits stand, in order, each once; the whole turn where there are none."""
        spans = sorted({(hit.start, hit.end) for hit in hits}) or [(clause.start, clause.end) for clause in self.told]
        said = (self.writing.words(start, end) for start, end in spans)
        return tuple(dict.fromkeys(words for words in said if words))


def _activation(spoken: _Spoken, state: TurnState) -> TurnReading:
    """With no recall running: whether the text carries an empty intention."""
    effort: list[Hit] = []
    against: list[Hit] = []
    names_held: str | None = None
    for clause in spoken.told:
        if clause.hypothetical:
            continue
        text = Said(spoken.writing.plain[clause.start : clause.end], clause.text)
        held = named(text, state.held, (), spoken.language)
        reaches = held is not None and reaches_held(clause, held)
        if held is not None and reaches:
            names_held = held.name
        for hit in clause.hits:
            if hit.act in (Act.WORK, Act.WORK_QUESTION, Act.OPEN_RECORD):
                against.append(hit)
            elif (hit.act in (Act.RECALL, Act.WHY) and not is_mere_word(clause)) or (hit.act is Act.RETURN and reaches):
                effort.append(hit)
    code = spoken.language.code
    if effort and not against:
        return TurnReading(Kind.ACTIVATED, spoken.words(effort), names_held=names_held, language=code)
    return TurnReading(Kind.NOT_ACTIVATED, spoken.words(against), names_held=names_held, language=code)


@dataclass(frozen=True, slots=True)
class _Decision:
    spoken: _Spoken
    state: TurnState
    found: Gathered

    def reading(self) -> TurnReading:
        taken = self.identification()
        if taken:
            return self.told(Kind.IDENTIFIED, taken)
        ending = self.ending()
        if ending and self.found.elsewhere:
            return self.told(Kind.ELSEWHERE, [*ending, *self.found.elsewhere], ends=True)
        if ending:
            return self.told(Kind.END, ending, ends=True)
        return self.bearing() or self.otherwise()

    def told(self, kind: Kind, hits: Iterable[Hit], *, ends: bool = False) -> TurnReading:
        found = self.found
        admits = [*found.of(Act.WIDER), *(self.admitted() if kind is Kind.PLACE_TO_LOOK else [])]
        return TurnReading(
            kind,
            self.spoken.words(hits),
            rejects_presented=self.state.presented is not None and kind is not Kind.IDENTIFIED and self.rejects(),
            names_adjacent=found.adjacent,
            names_held=found.held,
            asks_expansion=bool(admits) and kind in (Kind.PLACE_TO_LOOK, Kind.CORRECTION),
            also_points_elsewhere=bool(found.elsewhere) and kind is not Kind.ELSEWHERE,
            ends=ends,
            language=self.spoken.language.code,
        )

    # -- what stands where --------------------------------------------------------------------------------------------

    def here(self, *acts: Act) -> list[Hit]:
        """The hits of these acts that stand before the turn points elsewhere: they speak of this recall."""
        away = min((hit.start for hit in self.found.elsewhere), default=_FAR)
        return [hit for hit in self.found.of(*acts) if hit.start < away]

    def rejects(self) -> bool:
        """Whether the presented candidate itself is refused: in so many words, or by a bare "no"."""
        if self.here(Act.REJECT):
            return True
        replaced = self.here(Act.CORRECT, Act.SHIFT, Act.PLACE, Act.WIDER, Act.CUE, Act.HINT) or self.found.adjacent_at
        return self.state.last_round is LastRound.PRESENTATION and bool(self.here(Act.NO)) and not replaced

    # -- identified ---------------------------------------------------------------------------------------------------

    def identification(self) -> list[Hit]:
        """The hits that take what is presented as the past meant; none where that is unclear."""
        found = self.found
        if self.state.presented is None or found.adjacent_at:
            return []
        yes = found.of(Act.YES)
        taken = found.of(Act.IDENTIFY)
        if found.presented_at and yes:
            taken = [*taken, *yes, *found.presented_at]
        against = found.of(Act.NO, Act.REJECT, Act.CORRECT)
        if taken:
            first, last = min(hit.start for hit in taken), max(hit.end for hit in taken)
            refused = any(hit.start >= last for hit in against) or bool(found.of(Act.GIVE_UP))
            denied = self.opens_with_no(first) and not self.repaired(first)
            return [] if refused or denied else taken
        if not yes or self.state.last_round is not LastRound.PRESENTATION:
            return []
        last = max(hit.end for hit in yes)
        instructed = found.of(Act.PLACE, Act.WIDER, Act.FORM, Act.END, Act.GIVE_UP, Act.DECLINE)
        qualified = found.unclear or any(at >= last for at in found.contrasts)
        more = any(hit.start >= last for hit in [*against, *found.of(Act.ADMIT)])
        return [] if instructed or qualified or more else yes

    def opens_with_no(self, upto: int) -> bool:
        """Whether nothing but a "no" stands before ``upto``: "no, that's it" may refuse, or say that this is all."""
        before = self.spoken.writing.text[:upto]
        for hit in self.found.of(Act.NO):
            before = before[: hit.start] + " " * (hit.end - hit.start) + before[hit.end :]
        return bool(self.found.of(Act.NO)) and not before.strip(" ,.!-")

    def repaired(self, upto: int) -> bool:
        """Whether the person takes a "no" back before ``upto`` ("no, wait")."""
        repair = self.spoken.language.mood_patterns[Mood.REPAIR]
        return repair.search(self.spoken.writing.text[:upto]) is not None or bool(self.found.of(Act.YES))

    # -- the end ------------------------------------------------------------------------------------------------------

    def ending(self) -> list[Hit]:
        """The hits that end the recall."""
        ends = self.found.of(Act.END, Act.GIVE_UP)
        polite = {(hit.start, hit.end) for hit in self.found.of(Act.DECLINE)}
        if all((hit.start, hit.end) in polite for hit in ends) and self.here(
            Act.CORRECT, Act.REJECT, Act.PLACE, Act.FORM
        ):
            ends = []
        if ends or self.state.last_round is not LastRound.EXPANSION:
            return ends
        corrects = [hit for hit in self.here(Act.CORRECT) if (hit.start, hit.end) not in polite]
        if corrects or self.here(Act.PLACE, Act.WIDER, Act.CUE, Act.FORM):
            return []
        return [*self.found.of(Act.DECLINE), *self.found.of(Act.NO), *self.found.of(Act.REJECT)]

    # -- what bears on the recall -------------------------------------------------------------------------------------

    def admitted(self) -> list[Hit]:
        """The hits that admit the wider search that was offered."""
        return self.here(Act.ADMIT, Act.YES) if self.state.last_round is LastRound.EXPANSION else []

    def bearing(self) -> TurnReading | None:
        found, state = self.found, self.state
        places = self.here(Act.PLACE, Act.WIDER)
        if not self.here(Act.PLACE) and self.correction():
            places = []
        admitted = max((hit.end for hit in self.admitted()), default=0)
        later = [h for h in self.here(Act.CORRECT, Act.REJECT, Act.CUE, Act.FORM) if h.end > admitted]
        if places or (admitted and not later):
            return self.told(Kind.PLACE_TO_LOOK, [*places, *self.admitted()])
        corrects = self.correction()
        if corrects:
            return self.told(Kind.CORRECTION, corrects)
        if state.last_round is LastRound.ENDED:
            returns = [*self.here(Act.RECALL), *self.here(Act.CUE)] if self.speaks_of_cue() else []
        else:
            returns = [*self.here(Act.RECALL), *self.here(Act.CUE)]
            if not state.presented or state.last_round is not LastRound.PRESENTATION:
                returns += self.here(Act.CORRECT, Act.SHIFT)
        work = found.of(Act.WORK)
        away = min((hit.start for hit in found.elsewhere), default=_FAR)
        asked = [q for q in found.questions if q.start < away and not (work and q in found.requests)]
        cues = [hit for hit in returns if not any(q.start <= hit.start < q.end for q in asked)]
        if cues and not work:
            return self.told(Kind.MORE_CUE, cues)
        if asked:
            return self.told(Kind.QUESTION_ABOUT_SHOWN, asked)
        if self.here(Act.FORM):
            return self.told(Kind.FORM, self.here(Act.FORM))
        return None

    def correction(self) -> list[Hit]:
        """The hits that point from what is shown, or from the cue, to something else."""
        found, state = self.found, self.state
        refused, no = self.here(Act.REJECT), self.here(Act.NO)
        undecided = found.hedged if found.unclear else []
        corrected = [hit for hit in self.here(Act.CORRECT) if hit not in undecided]
        if found.adjacent_at:
            return [*no, *refused, *found.adjacent_at, *corrected]
        if state.presented is not None and state.last_round in _SHOWING:
            corrected += found.objections
            shifted = self.here(Act.SHIFT) if state.last_round is LastRound.PRESENTATION else []
            said = [*refused, *corrected, *shifted]
            if state.last_round is LastRound.PRESENTATION and (said or not found.elsewhere):
                said = [*no, *said]
            return said
        if corrected and (no or refused or found.denials):
            return [*no, *refused, *corrected]
        return []

    def speaks_of_cue(self) -> bool:
        language = self.spoken.language
        known = words_of(self.state.cue or "", language) | words_of(self.state.presented or "", language)
        return bool(words_of(self.spoken.writing.source, language) & known)

    def left_over(self, hits: Iterable[Hit]) -> int:
        """How many words that may name something stand outside the hits and the idioms."""
        covered = [*hits, *(hit for clause in self.spoken.told for hit in clause.of(Act.NEUTRAL))]
        text = self.spoken.writing.text
        for hit in covered:
            text = text[: hit.start] + " " * (hit.end - hit.start) + text[hit.end :]
        return len(words_of(text, self.spoken.language) - self.spoken.language.mark_words)

    # -- the rest -----------------------------------------------------------------------------------------------------

    def otherwise(self) -> TurnReading:
        found, state = self.found, self.state
        if found.elsewhere:
            return self.told(Kind.ELSEWHERE, found.elsewhere)
        if found.of(Act.WORK):
            return self.told(Kind.OTHER_WORK, found.of(Act.WORK))
        if found.unclear:
            return self.told(Kind.FORM, found.unclear)
        particles = [*found.of(Act.REMARK, Act.ADMIT, Act.DECLINE, Act.YES, Act.NO, Act.IDENTIFY)]
        if state.last_round is LastRound.ENDED and found.of(Act.RECALL):
            return self.told(Kind.ELSEWHERE, found.of(Act.RECALL))
        if state.last_round is LastRound.ENDED:
            remarks = particles and self.left_over(particles) < _CONTENT
            return self.told(Kind.FORM if remarks else Kind.OTHER_WORK, particles if remarks else ())
        hints = found.of(Act.HINT)
        if particles and not hints and self.left_over(particles) < _CONTENT:
            return self.told(Kind.FORM, particles)
        if hints or re.search(r"\w", self.spoken.writing.text):
            return self.told(Kind.MORE_CUE, hints)
        return self.told(Kind.FORM, ())
