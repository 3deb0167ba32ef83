"""What one look of the doctor's found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["program", "git", "repository", "place", "index", "store", "editor"]
State = Literal["ok", "note", "bad"]


@dataclass(frozen=True, slots=True)
class Check:
    """One line of the report. ``note``: nothing is wrong, and something could be done; ``bad``: it does not work."""

    kind: Kind
    what: str
    state: State
    said: str
    remedy: str = ""
    """What to do; empty where there is nothing to do."""

    def as_data(self) -> dict[str, object]:
        """The check as one JSON object."""
        return {
            "kind": self.kind,
            "what": self.what,
            "state": self.state,
            "ok": self.state != "bad",
            "said": self.said,
            "remedy": self.remedy,
        }
