"""The same turn in several conversations: forks, resumed copies and hand-overs keep the runtime's own ids.

A reader reads the copies inside one source once. Across sources nothing in a fork's file points at where it came from,
so the credit goes to the conversation that ended first: a fork holds all of its original and goes on
(``formats/FORMATS.md`` section 1, *Forks*).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timezone

_LONG_AGO = datetime.min.replace(tzinfo=timezone.utc)


@dataclass(frozen=True, slots=True)
class Claim:
    """One conversation's claim to its turns: any name for it, when it ended, and the native ids of its turns."""

    conversation: str
    ended: datetime | None
    native_ids: frozenset[str]


def credited(claims: Iterable[Claim]) -> dict[str, str]:
    """For every native id that several conversations hold, the one that is credited with it; others are not named."""
    order = sorted(claims, key=lambda claim: (claim.ended is None, claim.ended or _LONG_AGO, claim.conversation))
    first: dict[str, str] = {}
    shared: dict[str, str] = {}
    for claim in order:
        for identity in claim.native_ids:
            if identity in first:
                shared[identity] = first[identity]
            else:
                first[identity] = claim.conversation
    return shared
