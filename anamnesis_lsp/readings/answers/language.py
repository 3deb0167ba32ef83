"""What a language is here: a table of patterns per speech act. Another language is another table, nothing else.

A pattern is a regular expression over the comparable form (:mod:`.writing`): lower case, no apostrophes inside words,
masked spans. ``<name>`` in a pattern stands for the table's macro of that name; ``<path>``, ``<hash>``, ``<cited>``,
``<quoted>`` for a masked span; ``<end>`` for the end of the clause. Where a pattern has a group ``hit``, that group is
what counts and the rest is only what must stand around it. Patterns match whole words where the script has spaces.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property

from anamnesis_lsp.readings.answers.writing import CITED, HASH, PATH, QUOTED


class Act(str, Enum):
    """What a few words do. In one clause the longest match wins over every match inside it."""

    IDENTIFY = "identify"
    """Takes what is presented as the past meant."""
    YES = "yes"
    NO = "no"
    REJECT = "reject"
    """Refuses what is presented itself."""
    CORRECT = "correct"
    """Points from what is presented to another: earlier, the other file, Alice not Bob."""
    PLACE = "place"
    """Names a place to look."""
    WIDER = "wider"
    """Asks for a wider search."""
    ADMIT = "admit"
    """Admits what was offered; an answer only to the expansion question, a remark after any other round."""
    DECLINE = "decline"
    """Declines what was offered; an answer only to the expansion question."""
    FORM = "form"
    """Asks for another form of what is shown."""
    REMARK = "remark"
    SHIFT = "shift"
    """A mere "before the rewrite": a correction of what is shown, more cue where nothing is."""
    CUE = "cue"
    """States something of the past meant."""
    HINT = "hint"
    """May state something of it, where the turn does nothing else."""
    RECALL = "recall"
    """An empty intention: effort to recall, uncertain self-reference, a vague time, an existence claim."""
    WHY = "why"
    """Asks for a reason or an author in the past: an empty intention where no recall runs, else a question."""
    SWITCH = "switch"
    """Says that another matter comes now."""
    OTHER = "other"
    """Names another past without saying that it comes now."""
    ASIDE = "aside"
    RETURN = "return"
    """Frames what follows as what to go back to."""
    END = "end"
    GIVE_UP = "give_up"
    """Ends in resignation: beats an identification in the same breath ("that's it, I give up")."""
    WORK = "work"
    """Asks for something to be made, changed or run."""
    WORK_QUESTION = "work_question"
    """A question that has nothing to do with what is shown."""
    OPEN_RECORD = "open_record"
    """Asks for a named record to be opened."""
    NEUTRAL = "neutral"
    """Idioms that hold the words of an act and are none ("not that it matters")."""


class Mood(str, Enum):
    """What is around an act and changes it."""

    NEGATED = "negated"
    """Turns an identification into a rejection, an end into none."""
    UNSURE = "unsure"
    """Leaves an identification unclear."""
    CONDITION = "condition"
    """Opens a hypothetical clause."""
    REPORTED = "reported"
    """Opens somebody else's words, up to the end of the clause."""
    CONTRAST = "contrast"
    """Opens a clause that takes back what the one before it gave."""
    QUESTION = "question"
    """Opens a question, written with a question mark or not."""
    REQUEST = "request"
    """Opens a request in the form of a question."""
    SUGGEST = "suggest"
    """Opens a question that proposes another candidate ("what about", "could it be", "wasn't it")."""
    TAG = "tag"
    """A clause that makes a question of the one before it ("right?")."""
    MISTAKEN = "mistaken"
    """Says what was believed before ("I thought it was"): a name or an identification there is taken back."""
    DEIXIS = "deixis"
    """Points at what is shown without naming it ("it", "that", "[2]")."""
    REPAIR = "repair"
    """Takes back what was just said ("wait", "actually")."""
    SELECT = "select"
    """Frames a name as the one that is meant ("the … one", "I meant")."""


_MASKS = {"path": PATH, "hash": HASH, "cited": CITED, "quoted": QUOTED}
_MACRO = re.compile(r"(?<!\?P)<([a-z_]+)>")


@dataclass(frozen=True)
class Language:
    """One language's table. ``marks`` are words that betray the language; ``spaced``: words stand apart in it."""

    code: str
    acts: Mapping[Act, Sequence[str]]
    moods: Mapping[Mood, Sequence[str]] = field(default_factory=dict[Mood, Sequence[str]])
    macros: Mapping[str, str] = field(default_factory=dict[str, str])
    marks: str = ""
    """Words, separated by blanks; for a language without spaces a pattern of its script."""
    breaks: str = ""
    """Words at which a new clause begins, as a pattern."""
    common: str = ""
    """Words that name nothing, left out where names are compared."""
    spelled: str = ""
    """Words, separated by blanks, that are recognised with one slip of the keyboard."""
    slips: Mapping[str, str] = field(default_factory=dict[str, str])
    """Misspellings and short forms with what they stand for."""
    spaced: bool = True

    def expand(self, pattern: str) -> str:
        """``pattern`` with its macros and masks written out."""

        def macro(match: re.Match[str]) -> str:
            name = match[1]
            if name in _MASKS:
                return f"{_MASKS[name]}+"
            if name == "end":
                return r"(?=[\s.!,)]*$)"
            return f"(?:{self.expand(self.macros[name])})"

        return _MACRO.sub(macro, pattern)

    def compiled(self, patterns: Sequence[str]) -> re.Pattern[str]:
        """One pattern for all of them; matches nothing where there are none."""
        if not patterns:
            return re.compile(r"(?!)")
        either = "|".join(f"(?:{self.expand(pattern)})" for pattern in patterns)
        return re.compile(rf"(?<!\w)(?:{either})(?!\w)" if self.spaced else f"(?:{either})")

    @cached_property
    def act_patterns(self) -> dict[Act, tuple[tuple[re.Pattern[str], str | int], ...]]:
        """Each pattern on its own, so that every match is found and the longest can win; with its hit group."""

        def ready(pattern: str) -> tuple[re.Pattern[str], str | int]:
            compiled = self.compiled([pattern])
            return compiled, "hit" if "hit" in compiled.groupindex else 0

        return {act: tuple(ready(pattern) for pattern in patterns) for act, patterns in self.acts.items()}

    @cached_property
    def mood_patterns(self) -> dict[Mood, re.Pattern[str]]:
        """One pattern per mood."""
        return {mood: self.compiled(self.moods.get(mood, ())) for mood in Mood}

    @cached_property
    def break_pattern(self) -> re.Pattern[str]:
        """Where a new clause begins without punctuation."""
        return self.compiled([self.breaks] if self.breaks else [])

    @cached_property
    def mark_words(self) -> frozenset[str]:
        """The words that betray the language."""
        return frozenset(self.marks.split()) if self.spaced else frozenset()

    @cached_property
    def spelled_words(self) -> frozenset[str]:
        """The words recognised with one slip."""
        return frozenset(self.spelled.split())

    @cached_property
    def known_words(self) -> frozenset[str]:
        """Every word the table speaks of: none of them is a slip for another."""
        sources = [
            *self.macros.values(),
            *(p for patterns in (*self.acts.values(), *self.moods.values()) for p in patterns),
        ]
        return self.mark_words | self.common_words | frozenset(re.findall(r"[a-z]{3,}", " ".join(sources)))

    @cached_property
    def common_words(self) -> frozenset[str]:
        """The words that name nothing."""
        return frozenset(self.common.split())
