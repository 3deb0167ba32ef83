"""Whether an utterance points at a candidate or a recall by its name.

A name is a title, a path, a hash, a few words in the person's own terms. Two names are told apart by the words only one
of them has: "the scheduler one" points at "Bob's rewrite of the scheduler" where nothing else shown speaks of a
scheduler.
"""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from anamnesis_lsp.readings.answers.language import Language
from anamnesis_lsp.readings.answers.writing import written

_HASH = re.compile(r"(?<![\w])(?=[0-9a-f]*[0-9])[0-9a-f]{6,64}(?![\w])")
_PATH = re.compile(r"[\w.@+-]+(?:/[\w.@+-]+)+|[\w@+-]+\.[a-z]{1,6}(?!\w)")
_WORD = re.compile(r"[^\W_]+")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_TECHNICAL_WORDS = (
    "session sessions commit commits conversation chat decision record adr adrs doc docs md file branch pr issue ticket"
    " bug bugs fix test tests code change changes problem error feature function discussion thread recall topic"
)
_TECHNICAL = frozenset(_TECHNICAL_WORDS.split())
"""Words of every language's developers that name a kind of record and no record."""
_ENDINGS = ("ations", "ation", "ings", "ing", "ially", "ally", "ed", "es", "ly", "al", "s", "e")


def stem(word: str) -> str:
    """The word without its commonest endings; a doubled last consonant is single ("pinned", "pin")."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)].removesuffix("e")
            break
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] else word


@functools.lru_cache(maxsize=4096)
def _plain(text: str) -> str:
    return written(text).plain


@functools.lru_cache(maxsize=4096)
def _words(text: str, common: frozenset[str]) -> frozenset[str]:
    found: set[str] = set()
    for match in _WORD.finditer(_plain(text)):
        word = match[0]
        if _CJK.search(word):
            found |= {word[i : i + 2] for i in range(len(word) - 1)}
        elif word not in common and word not in _TECHNICAL and len(word) > 1:
            found.add(stem(word))
    return frozenset(found)


def words_of(text: str, language: Language) -> frozenset[str]:
    """The words of ``text`` that may name something, as stems; characters in pairs where the script has no spaces."""
    return _words(text, language.common_words)


_KINDS = (
    frozenset(("session", "sessions", "conversation", "conversations", "chat", "chats", "transcript")),
    frozenset(("commit", "commits")),
    frozenset(("adr", "adrs", "decision", "decisions", "rfc")),
    frozenset(("issue", "issues", "ticket", "tickets")),
    frozenset(("pr", "prs", "pull")),
    frozenset(("changelog", "release")),
)


def _kinds(text: str) -> set[int]:
    words = {match[0] for match in _WORD.finditer(_plain(text))}
    return {n for n, kind in enumerate(_KINDS) if words & kind}


def named_by_kind(said: Said, names: Sequence[str], shown: Sequence[str]) -> str | None:
    """The one name of the kind of record that is said ("the ADR"), where nothing ``shown`` is of that kind."""
    told = _kinds(said.masked)
    for name in shown:
        told -= _kinds(name)
    of_kind = [name for name in names if told & _kinds(name)]
    return of_kind[0] if len(told) == 1 and len(of_kind) == 1 else None


@dataclass(frozen=True, slots=True)
class Said:
    """A clause for comparing names: as written, and with paths, hashes and quotations masked (their parts name
    nothing)."""

    plain: str
    masked: str


@dataclass(frozen=True, slots=True)
class Named:
    """A name that an utterance points at: which of the names given, and how firmly."""

    name: str
    whole: bool
    """By its hash, its path, or most of its words; otherwise by a word only it has."""
    words: frozenset[str]
    """The words they share, as stems; empty where a hash or a path named it."""


_NUMBERED = re.compile(
    r"(?<![^\W_])(adr|rfc|pr|issue|ticket|pep|gh|decision|bug|story|task)s?[ #/_-]*0*([1-9][0-9]*)(?![0-9])"
)


def _literal(name: str, plain: str) -> bool:
    """Whether the name's own hash or path stands in the text."""
    lowered = _plain(name)
    for match in _HASH.finditer(lowered):
        for said in _HASH.finditer(plain):
            if match[0].startswith(said[0]) or said[0].startswith(match[0]):
                return True
    for match in _PATH.finditer(lowered):
        if match[0] in plain or (len(base := match[0].rsplit("/", 1)[-1]) > 4 and base in plain):
            return True
    said_numbers = {match.groups() for match in _NUMBERED.finditer(plain)}
    if said_numbers & {match.groups() for match in _NUMBERED.finditer(lowered)}:
        return True
    return len(lowered) > 4 and lowered.strip() in plain


def named(said: Said, names: Sequence[str], others: Sequence[str], language: Language) -> Named | None:
    """Which of ``names`` is pointed at, told apart from ``others``; None where none is, or not one alone."""
    for name in names:
        if _literal(name, said.plain):
            return Named(name, True, frozenset())
    said_words = words_of(said.masked, language)
    own_words = [words_of(name, language) for name in names]
    told_by = Counter(word for own in own_words for word in own)
    told_by.update(word for other in others for word in words_of(other, language))
    best: list[tuple[int, Named]] = []
    for name, own in zip(names, own_words, strict=True):
        shared = said_words & own
        if any(told_by[word] == 1 and (not word.isdigit() or len(word) == 4) for word in shared):
            whole = len(shared) >= 2 and len(shared) * 5 >= len(own) * 3
            best.append((len(shared), Named(name, whole, shared)))
    best.sort(key=lambda entry: entry[0], reverse=True)
    if not best or (len(best) > 1 and best[0][0] == best[1][0]):
        return None
    return best[0][1]
