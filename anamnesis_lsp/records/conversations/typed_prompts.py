"""A runtime's own list of what was typed at its prompt: the cross-check for a person's turns.

Claude Code and Codex keep ``history.jsonl``, Gemini CLI and its kin ``logs.json``. A list is read once per state of
its file and kept as short keys. Claude Code's outlives its transcripts and shortens pasted text to a placeholder
(``formats/FORMATS.md`` section 1); the others can be turned off and are shortened themselves, so a session that they do
not name is not counted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from functools import lru_cache
from pathlib import Path

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.errors import AnamnesisError
from anamnesis_lsp.records.conversations.json_items import JsonItems
from anamnesis_lsp.records.conversations.jsonl import JsonLines, JsonObject, object_of, text_of
from anamnesis_lsp.records.conversations.model import Scan
from anamnesis_lsp.records.conversations.stores import part

_KEY_LENGTH = 48
_PLACEHOLDER = re.compile(r"\[Pasted text #\d+[^\]]*\]|\[Image #\d+\]")
_SHORTENED = "\0"
"""Ends a key of which the list has only the beginning."""


class TypedPrompts:
    """The prompts that a list has of one session, each confirming one turn. None: there is no list to ask."""

    def __init__(self, keys: Counter[str] | None) -> None:
        self._keys = None if keys is None else Counter(keys)
        self._shortened = [key for key in keys or () if key.endswith(_SHORTENED)]

    @property
    def listed(self) -> bool:
        """Whether there is a list that can tell of this session."""
        return self._keys is not None

    def check(self, scan: Scan, text: str) -> None:
        """Count a person's turn that the list does not have; nothing where there is no list of this session."""
        if self._keys is not None:
            missing = not self._confirms(self._keys, text)
            scan.unverified_person_turns = (scan.unverified_person_turns or 0) + missing

    def _confirms(self, keys: Counter[str], text: str) -> bool:
        key = _key(text)
        if keys[key] > 0:
            keys[key] -= 1
            return True
        for prefix in self._shortened:
            if keys[prefix] > 0 and key.startswith(prefix[:-1]):
                keys[prefix] -= 1
                return True
        return False


NOT_LISTED = TypedPrompts(None)


def of_claude(config: Path, session: str, cancel: CancelToken) -> TypedPrompts:
    """What ``history.jsonl`` of a Claude Code folder has of a session (``{sessionId, display}``).

    Of a session that it does not name it has nothing: no turn is confirmed. A list from before sessions were named
    tells nothing.
    """
    sessions = _listed(config / "history.jsonl", _claude, cancel)
    return TypedPrompts(sessions.get(session, Counter())) if sessions else NOT_LISTED


def of_codex(home: Path, session: str, cancel: CancelToken) -> TypedPrompts:
    """What ``history.jsonl`` of a Codex folder has of a session (``{session_id, ts, text}``)."""
    return TypedPrompts(_listed(home / "history.jsonl", _codex, cancel).get(session))


def of_gemini(folder: Path, session: str, cancel: CancelToken) -> TypedPrompts:
    """What ``logs.json`` of a Gemini CLI project folder has of a session (``{sessionId, type, message}``)."""
    return TypedPrompts(_listed(folder / "logs.json", _gemini, cancel).get(session))


def _key(text: str) -> str:
    return " ".join(text[: _KEY_LENGTH * 8].split())[:_KEY_LENGTH]


def _key_of_shown(shown: str) -> str:
    cut = _PLACEHOLDER.search(shown)
    return _key(shown) if cut is None else _key(shown[: cut.start()]) + _SHORTENED


def _claude(path: Path, cancel: CancelToken) -> Iterable[tuple[object, object]]:
    for _, entry in JsonLines(path, cancel):
        shown = text_of(entry.get("display"))
        yield entry.get("sessionId"), None if shown is None else _key_of_shown(shown)


def _codex(path: Path, cancel: CancelToken) -> Iterable[tuple[object, object]]:
    for _, entry in JsonLines(path, cancel):
        yield entry.get("session_id"), _typed(entry, "text")


def _gemini(path: Path, cancel: CancelToken) -> Iterable[tuple[object, object]]:
    for _, item in JsonItems(path, cancel):
        entry = object_of(item)
        if entry.get("type") == "user":
            yield entry.get("sessionId"), _typed(entry, "message")


def _typed(entry: JsonObject, name: str) -> str | None:
    text = text_of(entry.get(name))
    return _key(text) if text else None


_Entries = Callable[[Path, CancelToken], Iterable[tuple[object, object]]]


class _Reading:
    """How to read a list, and the caller's token, which takes no part in the cache's key."""

    def __init__(self, read: _Entries, cancel: CancelToken) -> None:
        self.read = read
        self.cancel = cancel

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Reading) and other.read is self.read

    def __hash__(self) -> int:
        return hash(self.read)


def _listed(path: Path, read: _Entries, cancel: CancelToken) -> dict[str, Counter[str]]:
    found = part(path)
    return {} if found is None else _by_session(path, found.size, found.mtime_ns, _Reading(read, cancel))


@lru_cache(maxsize=32)
def _by_session(path: Path, size: int, mtime_ns: int, reading: _Reading) -> dict[str, Counter[str]]:
    found: dict[str, Counter[str]] = {}
    try:
        for session, key in reading.read(path, reading.cancel):
            if isinstance(session, str) and session and isinstance(key, str):
                found.setdefault(session, Counter())[key] += 1
    except AnamnesisError:
        return {}
    return found
