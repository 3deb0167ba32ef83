"""Names by which texts cite records: hashes, issue and pull request numbers, decision and task ids, sessions, URLs.

Pure. An identifier is found by its kind's own spelling; a bare number is none (``contract/NOTES.md``, *Where to look*).
``value`` is the canonical spelling, so that ``ADR 012``, ``adr-12`` and ``ADR-0012`` are one.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from enum import Enum


class IdKind(str, Enum):
    """What an identifier names."""

    COMMIT = "commit"
    ISSUE = "issue"
    """``#123``, ``GH-12``, ``owner/name#4``: an issue or a pull request."""
    TICKET = "ticket"
    """``PROJ-123`` of an issue tracker."""
    DECISION = "decision"
    """``ADR-012``."""
    RFC = "rfc"
    TASK = "task"
    """``task#123``, ``md#123``."""
    BEAD = "bead"
    """``bd-a1b2``, ``bd-kwro.2``."""
    SESSION = "session"
    """A conversation: ``https://claude.ai/code/session_…``; ``value`` is ``session_…``."""
    CHECKPOINT = "checkpoint"
    """A checkpoint of Entire, 12 hex digits."""
    URL = "url"


@dataclass(frozen=True, slots=True)
class Identifier:
    """One identifier as found in a text: where it stands there, as written and in its canonical spelling."""

    kind: IdKind
    value: str
    text: str
    start: int
    """Offset of ``text`` in what was searched."""


_BEFORE = r"(?<![\w/.#&-])"
_FIND = re.compile(
    "|".join(
        (
            r"(?<!\w)(?:https?://claude\.ai/code/(?:session|cse)_|(?:session|cse)_(?=[A-Za-z]*\d)(?=\w{12}))"
            r"(?P<session>[A-Za-z0-9]{8,64})(?!\w)",
            r"(?P<url>https?://[^\s<>\"'`)\]}|\\^]{3,2000})",
            _BEFORE + r"M?(?:ADR|adr|Adr)[-_ #]?0*(?P<decision>\d{1,5})(?![\d.]*\d)",
            _BEFORE + r"(?:RFC|rfc)[-_ #]?0*(?P<rfc>\d{1,5})(?![\d.]*\d)",
            _BEFORE + r"(?P<work>task|Task|TASK|md|mt)(?:#| #|-#)0*(?P<task>\d{1,6})(?!\d)",
            _BEFORE + r"(?P<bead>bd-[a-z0-9][a-z0-9-]{0,40}(?:\.\d{1,4})*)(?![\w-])",
            r"(?<![\w/.&#-])(?:(?P<repo>[\w.-]{1,60}/[\w.-]{1,100})#|GH-|gh-|#)0*(?P<issue>[1-9]\d{0,7})(?![\w-])",
            _BEFORE + r"(?P<ticket>[A-Z][A-Z0-9_]{1,14}-[1-9]\d{0,6})(?![\w-])",
            r"(?<![\w/#.=-])(?P<commit>[0-9a-f]{64}|[0-9a-f]{7,40})(?![\w-])",
        )
    )
)
_WORD = re.compile(r"[\w#][\w#.-]*")
_NO_TICKET = frozenset("UTF ISO SHA RFC ADR GH CVE CWE PEP MD RS ES AES RSA BASE HTTP TLS SSL IPV X PR".split())  # noqa: SIM905


def canonical_session(text: str) -> str:
    """``session_X`` for every spelling of a session of claude.ai (``cse_X``, ``session_X``, the URL)."""
    match = re.search(r"(?:session|cse)_([A-Za-z0-9]{8,64})\b", text)
    return f"session_{match[1]}" if match else text.strip()


def canonical_number(prefix: str, number: str) -> str:
    """``ADR-12``, ``RFC-7``, ``task#3``, ``md#3``, ``#9``: the spelling used for comparing."""
    bare = str(int(number)) if number.isdecimal() else number
    if prefix.lower() in ("task", "md", "mt"):
        return f"{prefix.lower()}#{bare}"
    if prefix in ("", "#"):
        return f"#{bare}"
    return f"{prefix.upper()}-{bare}"


def identifiers(text: str) -> list[Identifier]:
    """Every identifier in ``text``, in order."""
    found: list[Identifier] = []
    for match in _FIND.finditer(text):
        kind = IdKind(match.lastgroup) if match.lastgroup != "work" else IdKind.TASK
        value = _value(kind, match)
        if value is not None:
            found.append(Identifier(kind, value, match[0].rstrip(".,;:!?*_"), match.start()))
    return found


def cited(text: str, known: Collection[str]) -> list[str]:
    """Those of the ``known`` ids that stand in ``text`` as whole words, each once, in order.

    For ids whose spelling is a project's own (beads with another prefix than ``bd``): only the records tell them.
    """
    found: dict[str, None] = {}
    for match in _WORD.finditer(text):
        word = match[0].rstrip(".-")
        if word in known:
            found.setdefault(word)
    return list(found)


def values(text: str, *kinds: IdKind) -> Iterator[str]:
    """The canonical values of those kinds in ``text``, each once, in order."""
    seen: set[str] = set()
    for identifier in identifiers(text):
        if identifier.kind in kinds and identifier.value not in seen:
            seen.add(identifier.value)
            yield identifier.value


def _value(kind: IdKind, match: re.Match[str]) -> str | None:
    written = match[kind.value]
    if kind is IdKind.SESSION:
        return f"session_{written}"
    if kind is IdKind.URL:
        return written.rstrip(".,;:!?*_")
    if kind is IdKind.DECISION:
        return canonical_number("ADR", written)
    if kind is IdKind.RFC:
        return canonical_number("RFC", written)
    if kind is IdKind.TASK:
        return canonical_number(match["work"], written)
    if kind is IdKind.ISSUE:
        return f"{match['repo'] or ''}#{written}"
    if kind is IdKind.TICKET:
        return None if written.split("-")[0] in _NO_TICKET else written
    if kind is IdKind.COMMIT:
        # A word of the letters a to f, or a plain number, is not a hash.
        mixed = any(c.isdigit() for c in written) and any(c.isalpha() for c in written)
        return written if mixed or len(written) >= 40 else None
    return written
