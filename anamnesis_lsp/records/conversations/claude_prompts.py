"""Claude Code's own list of typed prompts, ``history.jsonl``: the cross-check for a person's turns.

It lies in the configuration folder, lives longer than the transcripts, and shortens pasted text to a placeholder
(``formats/FORMATS.md`` section 1). Read once per state of the file and kept as short keys.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from pathlib import Path

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.errors import AnamnesisError
from anamnesis_lsp.records.conversations.jsonl import JsonLines, text_of
from anamnesis_lsp.records.conversations.stores import part

_KEY_LENGTH = 48
_PLACEHOLDER = re.compile(r"\[Pasted text #\d+[^\]]*\]|\[Image #\d+\]")


class TypedPrompts:
    """The prompts of one session in the list, each confirming one turn."""

    def __init__(self, keys: Counter[str]) -> None:
        self._keys = Counter(keys)
        self._shortened = [key for key in keys if key.endswith("\0")]

    def confirms(self, text: str) -> bool:
        """Whether the list has this prompt (once per entry)."""
        key = _key(text)
        if self._keys[key] > 0:
            self._keys[key] -= 1
            return True
        for prefix in self._shortened:
            if self._keys[prefix] > 0 and key.startswith(prefix[:-1]):
                self._keys[prefix] -= 1
                return True
        return False


class Prompts:
    """The whole list, by session."""

    def __init__(self, sessions: dict[str, Counter[str]]) -> None:
        self._sessions = sessions

    def of_session(self, identity: str) -> TypedPrompts:
        """The prompts of one session, none where the list does not name it."""
        return TypedPrompts(self._sessions.get(identity, Counter()))


def _key(text: str) -> str:
    return " ".join(text[: _KEY_LENGTH * 8].split())[:_KEY_LENGTH]


def prompts(config: Path, cancel: CancelToken) -> Prompts | None:
    """The list of the configuration folder, or None where there is none, it cannot be read, or it names no sessions."""
    found = part(config / "history.jsonl")
    if found is None:
        return None
    return _read(found.path, found.size, found.mtime_ns, _Token(cancel))


class _Token:
    """The caller's token, equal to every other one: it takes no part in the cache's key."""

    def __init__(self, cancel: CancelToken) -> None:
        self.cancel = cancel

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Token)

    def __hash__(self) -> int:
        return 0


@lru_cache(maxsize=4)
def _read(path: Path, size: int, mtime_ns: int, token: _Token) -> Prompts | None:
    sessions: dict[str, Counter[str]] = {}
    try:
        for _, entry in JsonLines(path, token.cancel):
            session, shown = text_of(entry.get("sessionId")), text_of(entry.get("display"))
            if session is None or shown is None:
                continue
            cut = _PLACEHOLDER.search(shown)
            key = _key(shown) if cut is None else _key(shown[: cut.start()]) + "\0"
            sessions.setdefault(session, Counter())[key] += 1
    except AnamnesisError:
        return None
    return Prompts(sessions) if sessions else None
