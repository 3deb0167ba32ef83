"""How much of what the person said a record holds: the share of the cue's telling words, rare ones counting more.

Without selected lines nothing but words, names and times leads to a record, and the best of a bad lot is no past that
anybody meant. What holds too small a share of the words stays named, and nothing is told of it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.index import terms
from anamnesis_lsp.readings.answers.languages import language_of
from anamnesis_lsp.readings.answers.writing import written
from anamnesis_lsp.readings.corpus import Corpus, rarity
from anamnesis_lsp.readings.cue import CueRead
from anamnesis_lsp.readings.past import Past

MOST = 24
"""Words of a cue that are looked at."""
UNKNOWN = 0.5
"""What a word counts that nothing here holds: it may be mistyped, or said in another language."""
_VAGUE = frozenset(
    """
    something someone somewhere somehow thing things stuff time times when where why how what who once back again around
    about without remember recall think thought reason because discussion discussed talked said decided session
    conversation chat commit commits everything anything long while ago last first then also kind sort did does doing
    done made make got get went use used using way lot bit some any one our their his her its
    """.split()  # noqa: SIM905  a list of words is read more easily than a list of strings
)


def telling(cue: CueRead) -> list[str]:
    """The words of the cue that say something of its subject: no times, no people, none that name nothing."""
    text = cue.words
    for said in cue.times:
        text = text.replace(said.words, " ") if said.anchor is None else text
    people = {term for axis in cue.cue.axes if axis.kind == "person" for term in terms.tokens(axis.value)}
    language = language_of(written(text))
    common = language.common_words | language.mark_words | _VAGUE | people
    found = dict.fromkeys(term for term in terms.tokens(text) if term not in common and len(term) > 1)
    return list(found)[:MOST]


def shares(cue: CueRead, corpus: Corpus, past: Past | None, cancel: CancelToken) -> dict[str, float]:
    """The share (0 to 1) of the cue's telling words by record id and commit hash; empty where the cue has none, of
    nothing in particular (``""``) where no record holds any.
    """
    words = telling(cue)
    if not words:
        return {}
    forms = [dict.fromkeys(inflected(word), 1.0) for word in words]
    in_records = corpus.bodies([list(form) for form in forms])
    count = len(corpus.rows) + (len(past.commits(cancel)) if past is not None else 0)
    held: defaultdict[str, float] = defaultdict(float)
    whole = 0.0
    for form, records in zip(forms, in_records, strict=True):
        cancel.check()
        ids = {corpus.rows[record].key.id for record in records}
        commits = set(_commits(form, past, cancel)) if past is not None else set[str]()
        weight = rarity(count, min(count, len(ids) + len(commits)))
        whole += weight if ids or commits else UNKNOWN * weight
        for one in sorted(ids | commits):
            held[one] += weight
    return {one: weight / whole for one, weight in held.items()} if held else {"": 0.0}


_ENDINGS = ("s", "es", "d", "ed", "ing")


def inflected(word: str) -> list[str]:
    """The word and its inflections, no word made from it: "cache" is in "cached", "mast" is not in "master"."""
    if not (word.isascii() and word.isalpha() and len(word) > 3):
        return [word]
    bases = {word, *(word.removesuffix(end) for end in ("e", *_ENDINGS) if len(word) - len(end) >= 3)}
    bases |= {base[:-1] for base in bases if len(base) > 3 and base[-1] == base[-2]}
    doubled = {base + base[-1] for base in bases if base[-1] not in "aeiouwxy"}
    return sorted(
        {
            word,
            *(b + end for b in bases for end in ("", "e", *_ENDINGS)),
            *(b + end for b in doubled for end in ("ed", "ing")),
        }
    )


def _commits(form: Mapping[str, float], past: Past, cancel: CancelToken) -> Iterable[str]:
    return (commit.hash for commit, _ in past.search(form, cancel, limit=1 << 20))
