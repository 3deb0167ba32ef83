"""A runtime's own list of what was typed at its prompt: the cross-check for a person's turns.

Codex keeps ``history.jsonl``, Gemini CLI and its kin ``logs.json``. A session that a list does not name is not counted:
such lists can be turned off, and are shortened.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.errors import AnamnesisError
from anamnesis_lsp.records.conversations.json_items import JsonItems
from anamnesis_lsp.records.conversations.jsonl import JsonLines, JsonObject, object_of, text_of
from anamnesis_lsp.records.conversations.model import Scan
from anamnesis_lsp.records.conversations.stores import part

_KEY_LENGTH = 48


class TypedPrompts:
    """The prompts that a list has of one session, each confirming one turn."""

    def __init__(self, keys: Counter[str] | None) -> None:
        self._keys = None if keys is None else Counter(keys)

    def check(self, scan: Scan, text: str) -> None:
        """Count a person's turn that the list does not have; nothing where there is no list of this session."""
        if self._keys is None:
            return
        key = _key(text)
        missing = self._keys[key] <= 0
        if not missing:
            self._keys[key] -= 1
        scan.unverified_person_turns = (scan.unverified_person_turns or 0) + missing


NOT_LISTED = TypedPrompts(None)


def of_codex(home: Path, session: str, cancel: CancelToken) -> TypedPrompts:
    """What ``history.jsonl`` of a Codex folder has of a session (``{session_id, ts, text}``)."""
    found = part(home / "history.jsonl")
    if found is None:
        return NOT_LISTED
    return TypedPrompts(_codex(found.path, found.size, found.mtime_ns, _Token(cancel)).get(session))


def of_gemini(folder: Path, session: str, cancel: CancelToken) -> TypedPrompts:
    """What ``logs.json`` of a Gemini CLI project folder has of a session (``{sessionId, type, message}``)."""
    found = part(folder / "logs.json")
    if found is None:
        return NOT_LISTED
    return TypedPrompts(_gemini(found.path, found.size, found.mtime_ns, _Token(cancel)).get(session))


def _key(text: str) -> str:
    return " ".join(text[: _KEY_LENGTH * 8].split())[:_KEY_LENGTH]


def _by_session(entries: Iterable[JsonObject], session: str, text: str) -> dict[str, Counter[str]]:
    found: dict[str, Counter[str]] = {}
    for entry in entries:
        identity, typed = text_of(entry.get(session)), text_of(entry.get(text))
        if identity and typed:
            found.setdefault(identity, Counter())[_key(typed)] += 1
    return found


class _Token:
    """The caller's token, equal to every other one: it takes no part in the cache's key."""

    def __init__(self, cancel: CancelToken) -> None:
        self.cancel = cancel

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Token)

    def __hash__(self) -> int:
        return 0


@lru_cache(maxsize=4)
def _codex(path: Path, size: int, mtime_ns: int, token: _Token) -> dict[str, Counter[str]]:
    try:
        return _by_session((entry for _, entry in JsonLines(path, token.cancel)), "session_id", "text")
    except AnamnesisError:
        return {}


@lru_cache(maxsize=32)
def _gemini(path: Path, size: int, mtime_ns: int, token: _Token) -> dict[str, Counter[str]]:
    entries = (object_of(item) for _, item in JsonItems(path, token.cancel))
    try:
        return _by_session((entry for entry in entries if entry.get("type") == "user"), "sessionId", "message")
    except AnamnesisError:
        return {}
