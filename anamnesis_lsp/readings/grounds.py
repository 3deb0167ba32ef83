"""What speaks for a record: the pieces of evidence between one commit and every record of a corpus.

Each function gives values from 0 to 1 by record; :mod:`.weights` says what they weigh and why. A value is a fact of the
commit and the record as the catalog has it: it orders, and is verified on the opened record before anything is told of
it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.index import lines, terms
from anamnesis_lsp.index.rows import LineWriter
from anamnesis_lsp.readings.apart import meant, stands_apart
from anamnesis_lsp.readings.content import LineShare
from anamnesis_lsp.readings.corpus import Corpus, best_is_one, rarity, same_path
from anamnesis_lsp.readings.joining import TITLED
from anamnesis_lsp.readings.past import Past, Patch, Sample, said
from anamnesis_lsp.records.evidence import Kind
from anamnesis_lsp.records.git.model import Commit

GRACE = 600.0
"""Seconds after a commit's times in which a record may begin and still have led to it."""
HALF = 6 * 3600.0
"""Seconds after which nearness in time is worth half."""
WIDE_PATHS = 60
"""Paths of one commit that are looked at: a commit of more is a sweep."""

Values = dict[int, float]


@dataclass(slots=True)
class Facts:
    """One commit as the evidence needs it."""

    commit: Commit
    share: LineShare
    selected: tuple[str, ...]
    """The selected lines that the commit wrote."""
    patch: Patch
    neighbours: tuple[Commit, ...]
    rarity: Mapping[str, float] = field(default_factory=lambda: dict[str, float]())
    """How rare the words of the change are in the messages of the history, 0 to 1."""
    sample: Sample = ()
    """Messages of the history, to compare with."""

    @property
    def at(self) -> float:
        """Author time, epoch seconds."""
        return self.commit.author_time.timestamp()

    @property
    def latest(self) -> float:
        """A record that begins after this cannot have led to the commit."""
        return max(self.at, self.commit.commit_time.timestamp()) + GRACE


@dataclass(slots=True)
class Evidence:
    """The evidence of one commit: values by name and record, and where in a record it points."""

    values: dict[str, Values] = field(default_factory=lambda: dict[str, Values]())
    told: dict[tuple[str, int], str] = field(default_factory=lambda: dict[tuple[str, int], str]())
    turns: dict[int, dict[int, float]] = field(default_factory=lambda: dict[int, dict[int, float]]())
    """Record → turn → how much of the evidence it carries."""
    misnamed: set[str] = field(default_factory=lambda: set[str]())
    """Recorded abbreviations that fit the commit's hash, and another's as well."""

    def point(self, record: int, turn: int, weight: float) -> None:
        """Say that ``turn`` of ``record`` carries evidence."""
        turns = self.turns.setdefault(record, {})
        turns[turn] = turns.get(turn, 0.0) + weight


def facts_of(past: Past, share: LineShare, selected: Sequence[str], cancel: CancelToken) -> Facts:
    """Read what the evidence needs of a commit."""
    commit = past.commit(share.commit, cancel)
    patch = past.patch(share.commit, cancel)
    facts = Facts(commit, share, tuple(selected), patch, tuple(past.neighbours(commit, cancel)))
    facts.sample = past.sample(cancel)
    facts.rarity = past.rarity({*_sought(facts), *_words_of_lines(facts)}, cancel)
    return facts


def possible(corpus: Corpus, facts: Facts) -> set[int]:
    """The records that did not begin after the commit."""
    when = facts.commit.author_time
    return {
        r
        for r, row in corpus.rows.items()
        if row.started is None or row.started + corpus.shift(r, when) <= facts.latest
    }


def gather(corpus: Corpus, facts: Facts, cancel: CancelToken) -> Evidence:
    """All evidence but recorded links and the cue's own words."""
    found = Evidence()
    _words(corpus, facts, found)
    cancel.check()
    _lines(corpus, facts, found)
    cancel.check()
    _paths(corpus, facts, found)
    _times(corpus, facts, found)
    return found


def lines_only(corpus: Corpus, facts: Facts) -> Evidence:
    """Line provenance alone: what a further commit of the selection adds."""
    found = Evidence()
    _lines(corpus, facts, found)
    return found


WORDS_KEPT = 200
"""Commits of which is kept what their words say."""


def _words(corpus: Corpus, facts: Facts, found: Evidence) -> None:
    _apart(corpus, facts, found)
    found.values["words.selected"] = corpus.bodies([_words_of_lines(facts)])[0]
    key = (facts.commit.hash, facts.share.path)
    kept = corpus.by_words.get(key)
    if kept is None:
        if len(corpus.by_words) >= WORDS_KEPT:
            corpus.by_words.clear()
        kept = corpus.by_words[key] = _read_words(corpus, facts)
    found.values.update(kept)
    _tell_words(found)


def _read_words(corpus: Corpus, facts: Facts) -> dict[str, Values]:
    message = terms.tokens(said(facts.commit.message))
    paths = facts.patch.paths[:WIDE_PATHS] or (facts.share.path,)
    bags = {
        "words.message": message,
        "words.comments": terms.tokens(facts.patch.comments()),
        "words.neighbours": [t for commit in facts.neighbours for t in terms.tokens(said(commit.message))],
        "words.paths": [term for path in paths for term in terms.tokens(path)],
    }
    read = dict(zip(bags, corpus.bodies(list(bags.values())), strict=True))
    read["words.title"] = corpus.title(set(message))
    return read


_BAG = (("subject", 1.0), ("message", 1.0), ("comments", 0.5), ("selected", 1.0), ("path", 0.5), ("paths", 0.3))
"""What a word counts by where it stands; in several places a little more."""
AGAIN = 0.3
_PREFIX = re.compile(r"\A\w+(?:\([^)]*\))?!?:\s*|\s*\(#\d+\)\s*\Z")
"""What a subject has beside its words: ``feat(x):``, the number of the pull request."""


def _apart(corpus: Corpus, facts: Facts, found: Evidence) -> None:
    """How far a record stands apart from others of its kind: by all words of the change, and by those of the lines.

    The best of many that all fit a little is nothing: the value is the share of its score that others do not reach.
    """
    whole = stands_apart(corpus, _sought(facts))
    for record in whole:
        if corpus.rows[record].kind is Kind.CONVERSATION:
            whole[record] *= _soon_enough(corpus, record, facts)
    lines_alone = stands_apart(corpus, {word: facts.rarity.get(word, 1.0) for word in _words_of_lines(facts)})
    found.values["words.apart"], found.values["words.spoken"] = whole, lines_alone
    message = terms.tokens(said(facts.commit.message))
    subject = _PREFIX.sub("", facts.commit.subject)
    found.values["words.titled"] = corpus.titles.same(terms.tokens(subject))
    for record, value in found.values["words.titled"].items():
        if value >= TITLED:
            found.told["words.titled", record] = "its title is the commit's subject"
    found.values["words.meant"] = meant(corpus, facts.sample, message, facts.commit.hash)
    for record in whole.keys() | lines_alone.keys():
        if lines_alone.get(record, 0.0) >= APART_TOLD:
            found.told["words.spoken", record] = "speaks of what stands in the lines"
        if whole.get(record, 0.0) >= APART_TOLD:
            found.told["words.apart", record] = "speaks of the change as no other does"


def _words_of_lines(facts: Facts) -> list[str]:
    return sorted({*terms.tokens("\n".join(facts.selected)), *terms.tokens(facts.share.path)})


APART_TOLD = 0.33
SOON = 86400.0
"""Seconds within which what was said in a conversation is committed."""
LATER = 7 * 86400.0
"""Seconds after which its words say half as much."""


def _soon_enough(corpus: Corpus, record: int, facts: Facts) -> float:
    at = facts.at - corpus.shift(record, facts.commit.author_time)
    active = corpus.last_active(record, at)
    return 1.0 if active is None else 1.0 / (1.0 + max(0.0, at - active - SOON) / LATER)


def _sought(facts: Facts) -> dict[str, float]:
    message = said(facts.commit.message)
    texts = {
        "subject": facts.commit.subject,
        "message": message,
        "comments": facts.patch.comments(),
        "selected": "\n".join(facts.selected),
        "path": facts.share.path,
        "paths": "\n".join(facts.patch.paths[:WIDE_PATHS]),
    }
    found: dict[str, float] = {}
    for place, weight in _BAG:
        for term in dict.fromkeys(terms.tokens(texts[place])):
            found[term] = max(found[term], weight) + AGAIN if term in found else weight
    return {term: weight * facts.rarity.get(term, 1.0) for term, weight in found.items()}


ALIKE = 0.75
"""From here on words are told as a ground."""


def _tell_words(found: Evidence) -> None:
    for record, value in found.values["words.title"].items():
        if value >= ALIKE:
            found.told["words.title", record] = "its title is in the words of the commit's message"
    for record, value in found.values["words.message"].items():
        if value >= ALIKE:
            best = " best" if value == 1.0 else ""
            found.told["words.message", record] = f"its words fit the commit's message{best}"


def _lines(corpus: Corpus, facts: Facts, found: Evidence) -> None:
    selected = _by_hash(facts.selected, facts.share.path)
    added: dict[int, _Line] = {}
    for path, text in facts.patch.added.items():
        new = (line for line in text if " ".join(line.split()) not in facts.patch.kept)
        for number, line in _by_hash(new, path).items():
            if number in added:
                added[number].paths.add(path)
            else:
                added[number] = line
    writers = corpus.writers(selected.keys() | added.keys(), facts.latest)
    latest: defaultdict[int, int] = defaultdict(int)
    wrote: defaultdict[int, int] = defaultdict(int)
    for number in sorted(selected.keys() | added.keys()):
        when = facts.commit.author_time
        line = added.get(number) or selected[number]
        before = [
            w
            for w in writers.get(number, ())
            if (w.when is None or w.when + corpus.shift(w.record, when) <= facts.latest) and line.may_be_from(w)
        ]
        if not before:
            continue
        if number in added:
            for record in {w.record for w in before}:
                wrote[record] += 1
        last = before[0]
        if number in selected:
            latest[last.record] += 1
        weight = 3.0 if number in selected else 1.0 / max(1, len(added))
        for writer in before:
            found.point(writer.record, writer.turn, weight if writer is last else weight * 0.3)
    if selected:
        found.values["lines.selected"] = {r: n / len(selected) for r, n in latest.items()}
        for record, count in latest.items():
            found.told["lines.selected", record] = f"its edits wrote {_how_much(count, len(selected))}"
    if added:
        found.values["lines.patch"] = {r: n / len(added) for r, n in wrote.items()}
        for record, count in wrote.items():
            found.told["lines.patch", record] = f"wrote {_part(count, len(added))} of what the commit added"


@dataclass(slots=True)
class _Line:
    """One line, and where it stands."""

    paths: set[str]
    telling: bool

    def may_be_from(self, writer: LineWriter) -> bool:
        """Whether an edit that wrote this text wrote this line: any may have written a line that tells nothing."""
        return self.telling or any(same_path(writer.path, path) for path in self.paths)


def _by_hash(text: Iterable[str], path: str) -> dict[int, _Line]:
    found: dict[int, _Line] = {}
    for line in text:
        if (normalised := lines.normalise(line)) is not None:
            found.setdefault(lines.line_hash(normalised), _Line({path}, lines.telling(line)))
    return found


def _how_much(count: int, of: int) -> str:
    if of == 1:
        return "the selected line"
    if count == of:
        return "the selected lines"
    return "most of the selected lines" if count * 2 > of else "some of the selected lines"


def _part(count: int, of: int) -> str:
    return "nearly all" if count * 10 >= of * 9 else "most" if count * 2 > of else "a part"


def _paths(corpus: Corpus, facts: Facts, found: Evidence) -> None:
    count = len(corpus.rows)
    path = facts.share.path
    editors = corpus.editors(path)
    if editors:
        value = 1.0 / (1.0 + rarity(count, 1) - rarity(count, len(editors)))
        found.values["path.edited"] = dict.fromkeys(editors, value)
        for record in editors:
            found.told["path.edited", record] = f"edited {path}"
    mentioners = corpus.mentioners(path)
    if mentioners:
        value = 1.0 / (1.0 + rarity(count, 1) - rarity(count, len(mentioners)))
        found.values["path.named"] = dict.fromkeys(mentioners, value)
        for record in mentioners:
            found.told["path.named", record] = f"names {path}"


def _times(corpus: Corpus, facts: Facts, found: Evidence) -> None:
    if corpus.dated < 0.1:
        return
    work: Values = {}
    close: Values = {}
    for record, row in corpus.rows.items():
        if row.started is None and row.ended is None:
            continue
        at = facts.at - corpus.shift(record, facts.commit.author_time)
        active = corpus.last_active(record, at)
        if active is not None:
            work[record] = 1.0 / (1.0 + max(0.0, at - active) / HALF)
            day_only = row.kind is Kind.DECISION and active % 86400 == 0
            found.told["time.work", record] = days_ago(at - active) if day_only else ago(at - active)
        ended = row.ended if row.ended is not None else row.started
        if ended is not None:
            close[record] = 1.0 / (1.0 + abs(at - ended) / HALF)
    undated = [r for r, row in corpus.rows.items() if row.started is None and row.ended is None]
    found.values["time.work"] = best_is_one(work) | dict.fromkeys(undated, 0.5)
    found.values["time.close"] = best_is_one(close) | dict.fromkeys(undated, 0.5)


def ago(seconds: float) -> str:
    """``12 minutes before``, ``3 days before``: how long before the commit the record was at work."""
    if seconds < 90:
        return "at the time of the commit"
    for unit, size in (("day", 86400), ("hour", 3600), ("minute", 60)):
        count = round(seconds / size)
        if count >= 2 or (unit == "minute" and count >= 1):
            return f"{count} {unit}{'s' if count != 1 else ''} before"
    return "shortly before"


def days_ago(seconds: float) -> str:
    """As :func:`ago`, for a record that tells only its day."""
    days = int(seconds // 86400)
    return f"dated {days} day{'s' if days != 1 else ''} before" if days >= 1 else "dated the same day"


_ENDINGS = ("s", "es", "ed", "d", "ing", "er", "ers", "ly", "ion", "ions")
INFLECTED = 0.5
"""What another form of a word counts against the word as it was said."""


def with_forms(words: Iterable[str]) -> dict[str, float]:
    """The words with the forms that English gives them: people remember the word, not its ending."""
    found = dict.fromkeys(words, 1.0)
    for word in list(found):
        if not (word.isascii() and word.isalpha() and len(word) > 3):
            continue
        stems = {word}
        for ending in _ENDINGS:
            if word.endswith(ending) and len(word) - len(ending) >= 3:
                stems |= {word[: -len(ending)], word[: -len(ending)] + "e"}
                if len(word) - len(ending) >= 4 and word[-len(ending) - 1] == word[-len(ending) - 2]:
                    stems.add(word[: -len(ending) - 1])
        for stem in stems:
            for form in (
                stem,
                *(stem + ending for ending in _ENDINGS),
                *(stem.removesuffix("e") + e for e in _ENDINGS),
            ):
                found.setdefault(form, INFLECTED)
    return found


def cue_evidence(
    corpus: Corpus, words: Sequence[str], found: Evidence, cancel: CancelToken, past: Past | None = None
) -> None:
    """What the person's own words reach: passages, titles, bodies, and through the messages of commits.

    Passages first, each record by its best three, later ones discounted. A commit whose message the words reach lends
    its own words: what was said in other words there leads to the record that speaks of the same.
    """
    sought = with_forms(words)
    if not sought:
        return
    best: defaultdict[int, list[float]] = defaultdict(list)
    for hit in corpus.passages(sought):
        best[hit.record].append(hit.score)
        found.point(hit.record, hit.turn, hit.score * 0.1)
    cancel.check()
    discounts = (1.0, 0.35, 0.15)
    found.values["cue.words"] = best_is_one(
        {
            record: sum(s * d for s, d in zip(sorted(scores, reverse=True), discounts, strict=False))
            for record, scores in best.items()
        }
    )
    found.values["cue.title"] = corpus.title(set(sought))
    found.values["cue.body"] = best_is_one(corpus.weighted_body(sought))
    if past is not None:
        found.values["cue.commits"] = _through_commits(corpus, sought, past, cancel)


def cue_beside_lines(corpus: Corpus, words: Sequence[str]) -> dict[str, Values]:
    """What the cue's words add where lines are selected: little, so only what costs little is asked."""
    sought = with_forms(words)
    if not sought:
        return {}
    return {"cue.body": best_is_one(corpus.weighted_body(sought)), "cue.title": corpus.title(set(sought))}


COMMITS_FOLLOWED = 5


def _through_commits(corpus: Corpus, sought: Mapping[str, float], past: Past, cancel: CancelToken) -> Values:
    reached = past.search(sought, cancel, COMMITS_FOLLOWED)
    if not reached:
        return {}
    best = reached[0][1]
    values: Values = {}
    bags = [terms.tokens(said(commit.message)) for commit, _ in reached]
    for (commit, score), bodies in zip(reached, corpus.bodies(bags), strict=True):
        latest = max(commit.author_time, commit.commit_time).timestamp() + GRACE
        for record, value in bodies.items():
            started = corpus.rows[record].started
            if started is None or started <= latest:
                values[record] = max(values.get(record, 0.0), value * score / best)
    return best_is_one(values)
