"""Which ids a log has shown, without holding all of a log without end."""

from __future__ import annotations

MOST = 400_000
"""So many ids at least are remembered, the last ones; twice as many at most."""


class Seen:
    """Ids by their hashes. Exact up to :data:`MOST`; of a longer log at least the last so many are known again."""

    def __init__(self) -> None:
        self._recent: set[int] = set()
        self._before: set[int] = set()

    def add(self, identity: str) -> bool:
        """Whether the id is new; it is remembered."""
        key = hash(identity)
        if key in self._recent or key in self._before:
            return False
        if len(self._recent) >= MOST:
            self._before, self._recent = self._recent, set()
        self._recent.add(key)
        return True

    def __contains__(self, identity: str) -> bool:
        key = hash(identity)
        return key in self._recent or key in self._before
