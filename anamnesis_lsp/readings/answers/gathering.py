"""What a whole turn does: the acts of its clauses that count, and the names it points at.

An act counts where the person says it themselves and means it. Reported words, suppositions, doubts and questions
change an act or take it away; which does what to which act is written out here, once for every language.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from anamnesis_lsp.readings.answers.clauses import Clause, Hit
from anamnesis_lsp.readings.answers.language import Act, Language, Mood
from anamnesis_lsp.readings.answers.names import Named, Said, named, named_by_kind, words_of
from anamnesis_lsp.readings.answers.turn import LastRound, TurnState
from anamnesis_lsp.readings.answers.writing import Writing

_PARTICLES = frozenset({Act.REMARK, Act.ADMIT, Act.YES, Act.NO, Act.ASIDE, Act.DECLINE})
_ALWAYS = frozenset({Act.REMARK, Act.RECALL, Act.WHY, Act.SWITCH, Act.OTHER, Act.ASIDE})
_NEVER = frozenset({Act.NEUTRAL, Act.OPEN_RECORD, Act.RETURN})
_FRAGMENT = 4
"""A clause of so many words may be nothing but a name."""


@dataclass(slots=True)
class Gathered:
    """A turn taken apart: hits by act, and what else the clauses show."""

    acts: dict[Act, list[Hit]] = field(default_factory=dict[Act, list[Hit]])
    questions: list[Hit] = field(default_factory=list[Hit])
    """Clauses that ask and do nothing else."""
    requests: list[Hit] = field(default_factory=list[Hit])
    """Of these, the ones that ask for something to be done."""
    unclear: list[Hit] = field(default_factory=list[Hit])
    """Identifications that are none: asked, doubted, supposed."""
    hedged: list[Hit] = field(default_factory=list[Hit])
    """Corrections in a clause that is unsure ("could be the other")."""
    denials: list[Hit] = field(default_factory=list[Hit])
    """Corrections that deny something in so many words ("not Bob")."""
    contrasts: list[int] = field(default_factory=list[int])
    """Where a clause takes back what came before it."""
    objections: list[Hit] = field(default_factory=list[Hit])
    """What speaks against what came before ("but Omar was not there yet")."""
    adjacent: str | None = None
    adjacent_at: list[Hit] = field(default_factory=list[Hit])
    presented_at: list[Hit] = field(default_factory=list[Hit])
    held: str | None = None
    elsewhere: list[Hit] = field(default_factory=list[Hit])
    """Where the turn points at another past."""

    def of(self, *acts: Act) -> list[Hit]:
        """The hits of these acts that count."""
        return [hit for act in acts for hit in self.acts.get(act, [])]

    def keep(self, act: Act, hit: Hit) -> None:
        """Count a hit, as this act."""
        self.acts.setdefault(act, []).append(Hit(act, hit.start, hit.end))


def _leads(clause: Clause, hit: Hit) -> bool:
    """Whether only particles stand before the hit in its clause, or nothing after it."""
    covered = max([h.end for h in clause.hits if h.end <= hit.start and h.act in _PARTICLES], default=clause.start)
    before = clause.text[covered - clause.start : hit.start - clause.start]
    after = clause.text[hit.end - clause.start :]
    return not before.strip(" ,.") or not after.strip(" ,.")


def is_mere_word(clause: Clause) -> bool:
    """Whether the clause is one word and asks nothing ("remember, …"): too little to be an effort to recall."""
    return clause.text.isascii() and " " not in clause.text and not clause.question


def _counts(clause: Clause, hit: Hit, gathered: Gathered, state: TurnState) -> Act | None:
    """As which act the hit counts; None where it does not."""
    supposed = clause.hypothetical or clause.consequence
    asked_only = clause.question and not clause.request
    match hit.act:
        case Act.IDENTIFY:
            if supposed or clause.question or clause.unsure or clause.mistaken:
                gathered.unclear.append(hit)
                return None
            return Act.REJECT if clause.negated(hit) else Act.IDENTIFY
        case Act.YES:
            if clause.question or clause.hypothetical or not _leads(clause, hit):
                return None
            if clause.unsure:
                gathered.unclear.append(hit)
                return None
            return Act.YES
        case Act.NO:
            meant = not supposed and (clause.suggests or not clause.question)
            return hit.act if meant and _leads(clause, hit) else None
        case Act.REJECT:
            return hit.act if not supposed and not clause.question else None
        case Act.CORRECT | Act.SHIFT:
            if clause.hypothetical or (asked_only and not clause.suggests):
                return None
            if clause.unsure:
                gathered.hedged.append(hit)
            if hit.start in clause.negations:
                gathered.denials.append(hit)
            return hit.act
        case Act.PLACE | Act.WIDER:
            return hit.act if not clause.hypothetical and not clause.negated(hit) else None
        case Act.FORM:
            told = any(h.start < hit.start for h in clause.of(Act.CUE))
            return hit.act if not (clause.hypothetical or asked_only or told) else None
        case Act.WORK:
            return hit.act if not clause.hypothetical and (clause.request or not clause.opens) else None
        case Act.WORK_QUESTION:
            return Act.WORK if clause.question else None
        case Act.ADMIT:
            return hit.act if not clause.negated(hit) and _leads(clause, hit) else None
        case Act.END | Act.GIVE_UP | Act.DECLINE:
            told = any(h.start < hit.start for h in clause.of(Act.CUE, Act.RECALL, Act.PLACE))
            return hit.act if not (supposed or clause.negated(hit) or asked_only or told) else None
        case Act.RECALL:
            return None if is_mere_word(clause) else hit.act
        case Act.CUE | Act.HINT:
            offered = not clause.question or (clause.suggests and not state.presented)
            return hit.act if not clause.hypothetical and offered else None
        case _:
            return None if hit.act in _NEVER else hit.act


_SELECTING = frozenset({Act.CORRECT, Act.SHIFT})
"""Acts that select another candidate; in a clause about other work they select nothing ("remove the second cache")."""

_DOES = frozenset(
    {
        Act.CUE,
        Act.HINT,
        Act.CORRECT,
        Act.SHIFT,
        Act.PLACE,
        Act.WIDER,
        Act.FORM,
        Act.WORK,
        Act.END,
        Act.GIVE_UP,
        Act.DECLINE,
    }
)
"""Acts that a question in form may do: it then asks about nothing shown."""


def _gather_acts(told: tuple[Clause, ...], gathered: Gathered, state: TurnState) -> None:
    for clause in told:
        if clause.contrast:
            gathered.contrasts.append(clause.start)
            against = (clause.negations or gathered.unclear) and not clause.question
            objections = clause.of(Act.CUE, Act.HINT) if against else []
            gathered.objections.extend(hit for hit in objections if clause.said(hit))
        if clause.tag:
            gathered.unclear.extend(gathered.acts.pop(Act.IDENTIFY, []))
        does = False
        for hit in clause.hits:
            if not clause.said(hit) and hit.act not in _ALWAYS:
                continue
            act = _counts(clause, hit, gathered, state)
            if act is None or (act in _SELECTING and clause.of(Act.WORK)):
                continue
            gathered.keep(act, hit)
            does = does or act in _DOES
        if clause.question and not does:
            asked = Hit(Act.WHY, clause.start, clause.end)
            gathered.questions.append(asked)
            if clause.request:
                gathered.requests.append(asked)


def _points(clause: Clause) -> bool:
    """Whether a name in the clause is pointed at: not denied, reported, supposed or asked about."""
    if clause.hypothetical or clause.consequence or clause.mistaken or clause.reported_from is not None:
        return False
    if clause.question and not clause.suggests:
        return False
    return not clause.negations


def _definite(clause: Clause, language: Language) -> bool:
    """Whether the clause does little but select something shown, so that the kind of record it says is meant."""
    short = len(clause.text.split()) <= _FRAGMENT + 1 and not clause.of(Act.IDENTIFY, Act.OTHER, Act.RECALL)
    return short and language.mood_patterns[Mood.SELECT].search(clause.text) is not None


def reaches_held(clause: Clause, held: Named) -> bool:
    """Whether the clause goes to the other recall that it names, and does not merely mention it."""
    fragment = held.whole and len(clause.text.split()) <= _FRAGMENT + 2
    return fragment or clause.question or bool(clause.of(Act.RETURN, Act.ASIDE, Act.RECALL, Act.OTHER, Act.SWITCH))


def _gather_names(
    told: tuple[Clause, ...], gathered: Gathered, state: TurnState, writing: Writing, language: Language
) -> None:
    shown = () if state.presented is None else (state.presented,)
    sought = () if state.cue is None else (state.cue,)
    for clause in told:
        text = Said(writing.plain[clause.start : clause.end], clause.text)
        short = len(text.plain.split()) <= _FRAGMENT
        states = bool(clause.of(Act.CUE, Act.HINT)) and not clause.question
        selects = (short and not states) or language.mood_patterns[Mood.SELECT].search(clause.text) is not None
        if _points(clause) and not clause.of(Act.PLACE, Act.FORM, Act.WORK):
            adjacent = named(text, state.adjacent, (*shown, *sought), language)
            if adjacent is not None and (adjacent.whole or selects):
                gathered.adjacent = gathered.adjacent or adjacent.name
                gathered.adjacent_at.append(Hit(Act.CORRECT, clause.start, clause.end))
                continue
            of_kind = named_by_kind(text, state.adjacent, shown) if shown and _definite(clause, language) else None
            if of_kind is not None:
                gathered.adjacent = gathered.adjacent or of_kind
                gathered.adjacent_at.append(Hit(Act.CORRECT, clause.start, clause.end))
                continue
            if selects and named(text, shown, state.adjacent, language) is not None:
                gathered.presented_at.append(Hit(Act.IDENTIFY, clause.start, clause.end))
        held = named(text, state.held, (*shown, *sought, *state.adjacent), language)
        if (
            held is not None
            and reaches_held(clause, held)
            and (clause.of(Act.RETURN) or not clause.of(Act.WORK, Act.PLACE))
        ):
            gathered.held = held.name
            gathered.elsewhere.append(Hit(Act.SWITCH, clause.start, clause.end))


def _bears_on_shown(clause: Clause, state: TurnState, writing: Writing, language: Language) -> bool:
    """Whether the clause speaks of what is looked for or shown, by its words or by pointing at it."""
    known: set[str] = set()
    for name in (state.cue, state.presented, *state.adjacent):
        known |= words_of(name or "", language)
    said = words_of(writing.plain[clause.start : clause.end], language)
    return bool(said & known) or language.mood_patterns[Mood.DEIXIS].search(clause.text) is not None


def _gather_elsewhere(
    told: tuple[Clause, ...], gathered: Gathered, state: TurnState, writing: Writing, language: Language
) -> None:
    effort = gathered.of(Act.RECALL)
    for switch in gathered.of(Act.SWITCH):
        if effort or gathered.of(Act.WHY) or gathered.questions or gathered.elsewhere:
            gathered.elsewhere.append(switch)
    for clause in told:
        if effort and any(clause.start <= other.start < clause.end for other in gathered.of(Act.OTHER)):
            gathered.elsewhere.append(Hit(Act.OTHER, clause.start, clause.end))
    for aside in gathered.of(Act.ASIDE):
        if any(hit.start >= aside.start for hit in effort):
            gathered.elsewhere.append(aside)
    if gathered.elsewhere or state.last_round is LastRound.OPEN_QUESTION:
        return
    for clause in told:
        new = [hit for hit in effort if clause.start <= hit.start < clause.end]
        if state.last_round is LastRound.ENDED and not new and clause.question:
            new = [hit for hit in gathered.of(Act.WHY) if clause.start <= hit.start < clause.end]
        if (
            new
            and clause.question
            and not clause.of(Act.PLACE)
            and not _bears_on_shown(clause, state, writing, language)
        ):
            gathered.elsewhere.append(Hit(Act.RECALL, clause.start, clause.end))


def gather(told: tuple[Clause, ...], state: TurnState, writing: Writing, language: Language) -> Gathered:
    """Take the clauses of a turn in a running recall together."""
    gathered = Gathered()
    _gather_acts(told, gathered, state)
    _gather_names(told, gathered, state, writing, language)
    _gather_elsewhere(told, gathered, state, writing, language)
    away = min((hit.start for hit in gathered.elsewhere), default=None)
    if away is not None and not any(hit.start < away for hit in gathered.adjacent_at):
        gathered.adjacent, gathered.adjacent_at = None, []
    gathered.questions = [
        question
        for question in gathered.questions
        if state.last_round is not LastRound.ENDED
        or any(c.start == question.start and _bears_on_shown(c, state, writing, language) for c in told)
    ]
    return gathered
