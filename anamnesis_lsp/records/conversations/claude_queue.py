"""Claude Code: prompts typed while the assistant works, as the rows ``queue-operation`` tell of them.

Versions without ``queued_command`` attachments show such a prompt only here: ``enqueue`` has the text; a ``remove``
without another reason means that it went into the running turn; ``dequeue`` that it was sent as a prompt of its own
(a record follows); ``popAll`` that the person took it back into the editor. Newer versions record it twice.
"""

from __future__ import annotations

from datetime import datetime, timedelta

_CAPACITY = 1000
_SOON = timedelta(minutes=2)


class PromptQueue:
    """What waits, and what was just taken into the running turn."""

    def __init__(self) -> None:
        self._waiting: list[tuple[str, datetime | None]] = []
        self._absorbed: list[tuple[str, datetime | None]] = []

    def row(
        self, operation: object, text: str, reason: object, when: datetime | None
    ) -> tuple[str, datetime | None] | None:
        """Take in one row; returns the prompt that it shows to have gone into the running turn, with its time."""
        text = text.strip()
        if operation == "enqueue":
            if text and len(self._waiting) < _CAPACITY:
                self._waiting.append((text, when))
        elif operation == "popAll":
            self._waiting.clear()
        elif operation in ("dequeue", "remove") and self._waiting:
            at = next((at for at, (waiting, _) in enumerate(self._waiting) if waiting == text), 0)
            prompt = self._waiting.pop(at)
            if operation == "remove" and reason in (None, "absorbed_mid_turn"):
                return prompt
        return None

    def told(self, text: str, when: datetime | None) -> None:
        """A turn was made of a row: a record that repeats it within moments is no further one."""
        self._absorbed = [*self._absorbed[-20:], (text, when)]

    def told_already(self, text: str, when: datetime | None) -> bool:
        """Whether a record repeats a prompt that a row told of moments ago; a later one of the same words is new."""
        for at, (absorbed, then) in enumerate(self._absorbed):
            if absorbed == text and (when is None or then is None or abs(when - then) <= _SOON):
                del self._absorbed[at]
                return True
        return False

    def sent(self, text: str) -> None:
        """A record of its own has this prompt: it waits no longer."""
        for at, (waiting, _) in enumerate(self._waiting):
            if waiting == text:
                del self._waiting[at]
                return
