"""Rollouts of Codex, built from ``formats/FORMATS.md`` section 2: ``Rollout().prompt("…").patch(…).shell(…)``.

Legacy by default; ``paginated=True`` gives the items of versions from 0.147 on. Times advance by ten seconds a line.
"""

from __future__ import annotations

import json
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from typing_extensions import Self

from tests.builders import zstd

START = datetime(2026, 3, 1, 9, 0, tzinfo=timezone.utc)


def thread(number: int) -> str:
    """A thread id (UUIDv7 of 2026-03-01) that is the same in every run."""
    stamp = int(START.timestamp() * 1000)
    return f"{stamp >> 16:08x}-{stamp & 0xFFFF:04x}-7000-8000-{number:012x}"


class Rollout:
    """The lines of one rollout in the making."""

    def __init__(self, number: int = 1, *, paginated: bool = False, cwd: str = "/home/dev/app", **meta: Any) -> None:
        self.id = thread(number)
        self.paginated = paginated
        self.cwd = cwd
        self.lines: list[bytes] = []
        self.now = START
        self._calls = number * 1000
        self._turns = 0
        mode = {"history_mode": "paginated"} if paginated else {}
        base = {"id": self.id, "cwd": cwd, "originator": "codex_cli_rs", "cli_version": "0.150.0", "source": "cli"}
        self.record("session_meta", timestamp="2026-03-01T09:00:00Z", **{**base, **mode, **meta})

    def raw(self, line: str | bytes) -> Self:
        """A line exactly as given."""
        self.lines.append(line.encode("utf-8", "surrogatepass") if isinstance(line, str) else line)
        return self

    def record(self, kind: str, **payload: Any) -> Self:
        """A record with its envelope."""
        self.now += timedelta(seconds=10)
        stamp = self.now.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        return self.raw(json.dumps({"timestamp": stamp, "type": kind, "payload": payload}, separators=(",", ":")))

    def item(self, kind: str, **fields: Any) -> Self:
        """A response item."""
        return self.record("response_item", type=kind, **fields)

    def event(self, kind: str, **fields: Any) -> Self:
        """An event."""
        return self.record("event_msg", type=kind, **fields)

    def turn(self, turn_id: str | None = None, **fields: Any) -> Self:
        """The context that begins a turn."""
        self._turns += 1
        turn = turn_id or f"{self.id}-t{self._turns}"
        return self.record("turn_context", turn_id=turn, **{"cwd": self.cwd, "model": "gpt-5-codex", **fields})

    def message(self, role: str, text: str) -> Self:
        """A message item."""
        kind = "output_text" if role == "assistant" else "input_text"
        return self.item("message", role=role, content=[{"type": kind, "text": text}])

    def prompt(self, text: str) -> Self:
        """What the person typed: as an item for the model and as an event of its own."""
        self.turn()
        self.message("user", text)
        if self.paginated:
            item = {"type": "UserMessage", "id": f"u{self._turns}", "content": [{"type": "text", "text": text}]}
            return self.event("item_completed", thread_id=self.id, item=item)
        return self.event("user_message", message=text, images=[])

    def reply(self, text: str) -> Self:
        """What the assistant said, told over both channels."""
        if self.paginated:
            item = {"type": "AgentMessage", "id": f"a{self._turns}", "content": [{"type": "Text", "text": text}]}
            self.event("item_completed", item=item)
        else:
            self.event("agent_message", message=text)
        return self.message("assistant", text)

    def call(self, name: str, **arguments: Any) -> str:
        """A function call without its output; returns its id."""
        self._calls += 1
        self.item("function_call", name=name, arguments=json.dumps(arguments), call_id=f"call_{self._calls}")
        return f"call_{self._calls}"

    def output(self, call: str, output: Any) -> Self:
        """The output of a call."""
        return self.item("function_call_output", call_id=call, output=output)

    def shell(self, command: str, output: str = "", code: int = 0) -> Self:
        """A command with its output, as ``exec_command`` tells it."""
        call = self.call("exec_command", cmd=command, workdir=self.cwd)
        text = f"Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code {code}\nOutput:\n{output}"
        return self.output(call, text)

    def custom_patch(self, patch: str, output: str | None = "Success. Updated the following files:\nM a.py") -> str:
        """A patch by the custom tool; ``output`` None leaves its result out. Returns the call's id."""
        self._calls += 1
        call = f"call_{self._calls}"
        self.item("custom_tool_call", name="apply_patch", input=patch, call_id=call, status="completed")
        if output is not None:
            body = json.dumps({"output": output, "metadata": {"exit_code": 0 if "Success" in output else 1}})
            self.item("custom_tool_call_output", call_id=call, output=body)
        return call

    @property
    def bytes(self) -> bytes:
        """The whole rollout."""
        return b"".join(line + b"\n" for line in self.lines)

    @property
    def name(self) -> str:
        """The file's name."""
        return f"rollout-2026-03-01T10-00-00-{self.id}.jsonl"

    def write_to(self, home: Path, folder: str = "sessions/2026/03/01", name: str | None = None) -> Path:
        """Store it in a Codex folder, compressed where the name ends in ``.zst``; returns the file."""
        path = home / folder / (name or self.name)
        path.parent.mkdir(parents=True, exist_ok=True)
        data = self.bytes
        if path.suffix == ".zst":
            data = zstd.compress(data)
        path.write_bytes(data)
        return path


def patch(path: str, old: str, new: str) -> str:
    """An ``apply_patch`` text that replaces a line."""
    return f"*** Begin Patch\n*** Update File: {path}\n@@\n context\n-{old}\n+{new}\n*** End Patch"
