"""The languages a turn is read in, one table each, and which of them an utterance is written in.

English is the table the others are measured by; the others hold the plain cases. A new language is a new module here
and one line in ``LANGUAGES``.
"""

from __future__ import annotations

import re

from anamnesis_lsp.readings.answers.language import Language
from anamnesis_lsp.readings.answers.languages import de, en, es, fr, ja, ko, pt, ru, zh
from anamnesis_lsp.readings.answers.writing import Writing

ENGLISH = en.LANGUAGE
LANGUAGES = (ENGLISH, *(module.LANGUAGE for module in (de, es, fr, pt, ru, ja, zh, ko)))

_SPACED = tuple(language for language in LANGUAGES if language.spaced)
_WORD = re.compile(r"[^\W\d_]+")
_KANA = re.compile(r"[\u3040-\u30ff]")
_HANGUL = re.compile(r"[\uac00-\ud7af\u1100-\u11ff]")
_CYRILLIC = re.compile(r"[\u0400-\u04ff]")
_HAN = re.compile(r"[\u3400-\u9fff]")


def language_of(writing: Writing) -> Language:
    """By its script, else by the words that betray it; English where nothing does."""
    if _HANGUL.search(writing.text):
        return ko.LANGUAGE
    if _KANA.search(writing.text):
        return ja.LANGUAGE
    if _HAN.search(writing.text):
        return zh.LANGUAGE
    if _CYRILLIC.search(writing.text):
        return ru.LANGUAGE
    words = [match[0] for match in _WORD.finditer(writing.text)]
    scores = {language.code: sum(_telling(word, language) for word in words) for language in _SPACED}
    best = max(_SPACED, key=lambda language: scores[language.code])
    return ENGLISH if scores[best.code] <= scores["en"] else best


def _telling(word: str, language: Language) -> float:
    """How much the word speaks for the language: less where other languages have it too."""
    if word not in language.mark_words:
        return 0.0
    return 1 / sum(word in other.mark_words for other in _SPACED)
