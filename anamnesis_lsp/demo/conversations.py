"""The conversations of the example, as Claude Code keeps them: about the retries, about the lock, and one beside them.

The third was held in the same hour and read the same file; it is there so that nearness alone would be misled.
"""

from __future__ import annotations

import json
import re
import uuid
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from typing_extensions import Self

from anamnesis_lsp.demo import repository
from anamnesis_lsp.demo.repository import Made


class Conversation:
    """The lines of one transcript, in the making."""

    def __init__(self, number: int, cwd: Path, start: datetime) -> None:
        self.id = str(uuid.UUID(int=0x7D1E_0000_4000_8000_0000_0000_0000 + number))
        self._cwd = str(cwd)
        self._now = start.astimezone(timezone.utc)
        self._lines: list[str] = []
        self._last: str | None = None

    def _record(self, kind: str, content: object, **fields: Any) -> Self:
        self._now += timedelta(seconds=40)
        identity = str(uuid.uuid5(uuid.NAMESPACE_URL, f"{self.id}/{len(self._lines)}"))
        role = "assistant" if kind == "assistant" else "user"
        message: dict[str, Any] = {"role": role, "content": content}
        if kind == "assistant":
            message |= {"id": f"msg_{identity[:8]}", "type": "message", "model": "claude-sonnet-4-5"}
        record = {
            "parentUuid": self._last,
            "isSidechain": False,
            "userType": "external",
            "cwd": self._cwd,
            "sessionId": self.id,
            "version": "2.1.37",
            "gitBranch": "main",
            "type": kind,
            "message": message,
            "uuid": identity,
            "timestamp": self._now.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            **fields,
        }
        self._last = identity
        self._lines.append(json.dumps(record, ensure_ascii=False))
        return self

    def person(self, text: str) -> Self:
        """The person types."""
        return self._record("user", text)

    def assistant(self, text: str) -> Self:
        """The assistant speaks."""
        return self._record("assistant", [{"type": "text", "text": text}])

    def _tool(self, name: str, given: dict[str, Any], result: str, outcome: dict[str, Any]) -> Self:
        call = f"toolu_{len(self._lines):04d}"
        self._record("assistant", [{"type": "tool_use", "id": call, "name": name, "input": given}])
        block = {"type": "tool_result", "tool_use_id": call, "content": result}
        return self._record("user", [block], toolUseResult=outcome)

    def read(self, path: str, text: str) -> Self:
        """The assistant reads a file."""
        where = f"{self._cwd}/{path}"
        numbered = "\n".join(f"{n:6}→{line}" for n, line in enumerate(text.split("\n"), 1))
        return self._tool("Read", {"file_path": where}, numbered, {"type": "text", "file": {"filePath": where}})

    def edit(self, path: str, old: str, new: str) -> Self:
        """The assistant edits a file."""
        where = f"{self._cwd}/{path}"
        given = {"file_path": where, "old_string": old, "new_string": new}
        outcome: dict[str, Any] = {
            "filePath": where,
            "oldString": old,
            "newString": new,
            "originalFile": old,
            "structuredPatch": [],
            "userModified": False,
            "replaceAll": False,
        }
        return self._tool("Edit", given, f"The file {where} has been updated.", outcome)

    def commit(self, commit: str, subject: str) -> Self:
        """The assistant commits, and git says so."""
        said = f"[main {commit[:7]}] {subject}\n 1 file changed"
        outcome = {"stdout": said, "stderr": "", "interrupted": False}
        return self._tool("Bash", {"command": f'git commit -am "{subject}"'}, said, outcome)

    def write_to(self, config: Path) -> None:
        """Put the transcript where Claude Code keeps it under ``config``."""
        slug = re.sub(r"[^A-Za-z0-9-]", "-", self._cwd)
        folder = config / "projects" / slug
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{self.id}.jsonl").write_text("\n".join(self._lines) + "\n", encoding="utf-8", newline="\n")


def write_conversations(made: Made, config: Path) -> None:
    """The three conversations, under a configuration folder of Claude Code."""
    for conversation in (_retries(made), _beside(made), _lock(made)):
        conversation.write_to(config)


def _retries(made: Made) -> Conversation:
    start = datetime(2025, 3, 11, 9, 50, tzinfo=repository.ZONE)
    return (
        Conversation(1, made.root, start)
        .person(
            "The pier gauge answers 503 every night after its reboot and we lose that reading. Please retry, but no "
            "exponential backoff: the harbour office banned us in January because we came back too early."
        )
        .read("tidewatch/fetch.py", repository.FETCH_FIRST)
        .assistant(
            "The cause is the reboot at four: the gauge is away for about 40 seconds. A fixed wait of 45 seconds is "
            "safer than doubling a short one, because the first retries would knock while it is still starting."
        )
        .edit("tidewatch/fetch.py", repository.FETCH_FIRST, repository.FETCH_RETRIES)
        .assistant("Three attempts of 45 seconds stay well inside the ten minutes until the next run.")
        .person("Good. Commit it.")
        .commit(made.commits["retry"], "Wait for the pier gauge while it reboots")
    )


def _beside(made: Made) -> Conversation:
    start = datetime(2025, 3, 11, 10, 0, tzinfo=repository.ZONE)
    return (
        Conversation(2, made.root, start)
        .person("Which stations are read, and in which order? I want to draw them on the map.")
        .read("tidewatch/fetch.py", repository.FETCH_FIRST)
        .assistant("fetch.py takes one station at a time; the order is that of the crontab.")
    )


def _lock(made: Made) -> Conversation:
    start = datetime(2025, 4, 2, 15, 30, tzinfo=repository.ZONE)
    return (
        Conversation(3, made.root, start)
        .person(
            "After the power cut nothing was recorded for two days: readings.db.lock was left behind. Can we get rid "
            "of the lock file instead of cleaning it up?"
        )
        .read("tidewatch/store.py", repository.STORE_LOCKED)
        .assistant(
            "SQLite already locks the database, so the extra file can only disagree with it. I would rather let "
            "writers wait for each other with a busy timeout than remove stale locks by age."
        )
        .edit("tidewatch/store.py", repository.STORE_LOCKED, repository.STORE_OPEN)
        .person("Yes, and write it down as a decision. I will commit both together.")
    )
