"""An utterance made comparable, without losing where each character came from.

Quotes, dashes, width, case and the accents of Latin letters are made plain, apostrophes inside words are dropped
("that's" and "thats" read alike), a letter held down is let go ("yesss"). What is somebody else's words or a name is
masked by one private character each, so that no speech act is read out of it: a quotation, a path, a hash, a citation.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

QUOTED, PATH, HASH, CITED = "\ue001", "\ue002", "\ue003", "\ue004"
"""What a masked span reads as. None of them is a word character."""

LONGEST = 2000
"""Characters of a turn that are read."""

_PLAIN = str.maketrans(
    {
        **dict.fromkeys("‘’ʼ`´", "'"),
        **dict.fromkeys("“”„«»「」『』", '"'),
        **dict.fromkeys("‐‑–—―−", "-"),
        "…": ".",
        "。": ".",
        "、": ",",
        "・": " ",
        "¿": " ",
        "¡": " ",
        "\u3000": " ",
        "\u00a0": " ",
    }
)
_IGNORED = re.compile(r"[\u200b-\u200d\ufe0e\ufe0f\U0001f3fb-\U0001f3ff]")
_ACCENT_TELLS = re.compile(r"\bsí\b", re.IGNORECASE)
"""Words that only their accent tells from another: Spanish "sí" (yes) from "si" (if)."""
_PATHS = re.compile(
    r"\bhttps?://\S+"
    r"|(?<![\w/.])(?:~?/|\.{1,2}/)?(?:[\w.@+-]+/)+[\w.@+*-]*"
    r"|(?<![\w/])[\w@+-][\w.@+-]*\.(?:md|py|pyi|js|jsx|ts|tsx|go|rs|c|h|cc|cpp|hpp|java|kt|rb|php|cs|swift|lua|sh|sql|json|jsonl|toml"
    r"|ya?ml|txt|rst|cfg|ini|lock|html|css|vue|ex|hs|ml|scala|proto)(?!\w)",
)
_HASHES = re.compile(
    r"(?<![\w-])(?:[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|(?=[0-9a-f]*[0-9])[0-9a-f]{7,64})(?![\w-])"
)
_CITES = re.compile(r"\[\d+\]")
_QUOTES = re.compile(r"\"[^\"]*\"|(?<![\w'])'(?=\S)(?:[^']|(?<=\w)'(?=\w))*(?<=\S)'(?![\w'])")
_PLACES_WITH_SLASH = re.compile(r"^(?:and|or|he|she|his|him|yes|no|on|off|his|w)/\w+$")


@dataclass(frozen=True, slots=True)
class Writing:
    """A text in its comparable form (``text``), the same unmasked for names (``plain``), and as written
    (``source``)."""

    source: str
    plain: str
    text: str
    origin: tuple[int, ...]
    """For each character of ``text``, the index in ``source`` it came from."""

    def words(self, start: int, end: int) -> str:
        """What the person wrote where ``text[start:end]`` stands, without the space around it."""
        if start >= end:
            return ""
        last = self.origin[end - 1] + 1
        while last < len(self.source) and (
            unicodedata.combining(self.source[last]) or _IGNORED.match(self.source[last])
        ):
            last += 1
        return self.source[self.origin[start] : last].strip(" \t\n,;")


def _plain_letters(char: str) -> str:
    """The character in plain width and case, a Latin letter without its accents."""
    bare = unicodedata.normalize("NFD", char)[0]
    return unicodedata.normalize("NFKC", bare if bare.isascii() else char).translate(_PLAIN).casefold()


def _comparable(source: str) -> tuple[str, list[int]]:
    chars: list[str] = []
    origin: list[int] = []
    accented = {at for match in _ACCENT_TELLS.finditer(source) for at in range(match.start(), match.end())}
    for at, char in enumerate(source):
        if _IGNORED.match(char) or unicodedata.combining(char):
            continue
        for plain in char.casefold() if at in accented else _plain_letters(char):
            blank = plain.isspace()
            if blank and chars and chars[-1] == " " and char != "\n":
                continue
            chars.append("\n" if char == "\n" else " " if blank else plain)
            origin.append(at)
    return "".join(chars), origin


_HELD_LETTER = re.compile(r"([^\W\d_])(\1{2,})")
_APOSTROPHE = re.compile(r"(?<=\w)'(?=\w)|(?<=\w)'(?=\s|$)")


def _let_go(text: str, origin: list[int]) -> tuple[str, list[int]]:
    """Three or more of one letter become one."""
    gone = {at for match in _HELD_LETTER.finditer(text) for at in range(match.start(2), match.end(2))}
    keep = [at for at in range(len(text)) if at not in gone]
    return "".join(text[at] for at in keep), [origin[at] for at in keep]


def _masked(text: str, pattern: re.Pattern[str], mark: str) -> str:
    return pattern.sub(lambda match: mark * len(match[0]), text)


def _is_path(match: re.Match[str]) -> str:
    return match[0] if _PLACES_WITH_SLASH.match(match[0]) else PATH * len(match[0])


def written(source: str) -> Writing:
    """Make ``source`` comparable. Of a text longer than a turn ever is (pasted output) only the beginning is read."""
    source = unicodedata.normalize("NFC", source[:LONGEST])
    text, origin = _comparable(source)
    text, origin = _let_go(text, origin)
    masked = text
    whole = _QUOTES.fullmatch(text.strip(" .!,"))
    if whole is None:
        masked = _masked(masked, _QUOTES, QUOTED)
    masked = _PATHS.sub(_is_path, masked)
    masked = _masked(masked, _HASHES, HASH)
    masked = _masked(masked, _CITES, CITED)
    dropped = {match.start() for match in _APOSTROPHE.finditer(masked)}
    keep = [at for at in range(len(masked)) if at not in dropped]
    return Writing(
        source,
        "".join(text[at] for at in keep),
        "".join(masked[at] for at in keep),
        tuple(origin[at] for at in keep),
    )


def respelled(writing: Writing, start: int, end: int, word: str) -> Writing:
    """The same writing with ``word`` where ``text[start:end]`` stands; each of its letters comes from there."""
    last = end - 1
    at = (*(writing.origin[min(start + n, last)] for n in range(len(word) - 1)), writing.origin[last])
    return Writing(
        writing.source,
        writing.plain[:start] + word + writing.plain[end:],
        writing.text[:start] + word + writing.text[end:],
        writing.origin[:start] + at + writing.origin[end:],
    )
