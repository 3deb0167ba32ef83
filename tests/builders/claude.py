"""Transcripts of Claude Code, built turn by turn: ``Transcript(...).person("…").edit(path, old, new).commit("…")``.

Records have the fields of version 2.1 unless a test says otherwise (``**fields`` override any of them). Times advance
by ten seconds a record. ``write_to(config, slug)`` puts the file where Claude Code keeps it and returns its path.
"""

from __future__ import annotations

import json
import uuid
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from typing_extensions import Self

START = datetime(2026, 3, 1, 9, 0, tzinfo=timezone.utc)


def session(number: int) -> str:
    """A session id that is the same in every run."""
    return str(uuid.UUID(int=0x5E551011_0000_4000_8000_000000000000 + number))


class Transcript:
    """The lines of one transcript in the making."""

    def __init__(
        self,
        session_id: str | None = None,
        *,
        cwd: str | None = "/home/dev/app",
        branch: str = "main",
        version: str = "2.1.37",
        start: datetime = START,
        agent: str | None = None,
    ) -> None:
        self.id = session_id or session(1)
        self.cwd = cwd
        self.branch = branch
        self.version = version
        self.agent = agent
        self.lines: list[bytes] = []
        self.now = start
        self._key = f"{self.id[-4:]}{agent or ''}"
        self._count = 0
        self._last: str | None = None

    # -- the pieces

    def raw(self, line: str | bytes) -> Self:
        """A line exactly as given."""
        self.lines.append(line.encode("utf-8", "surrogatepass") if isinstance(line, str) else line)
        return self

    def record(self, kind: str, **fields: Any) -> Self:
        """A record of any type with the common envelope; a field given as None is left out."""
        self._count += 1
        self.now += timedelta(seconds=10)
        identity = f"{self._key}-{self._count:04d}"
        whole: dict[str, Any] = {
            "parentUuid": self._last,
            "isSidechain": self.agent is not None,
            "userType": "external",
            "cwd": self.cwd,
            "sessionId": self.id,
            "version": self.version,
            "gitBranch": self.branch,
            "agentId": self.agent,
            "type": kind,
            "uuid": identity,
            "timestamp": self.now.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            **fields,
        }
        self._last = identity
        kept = {key: value for key, value in whole.items() if value is not None or key == "parentUuid"}
        return self.raw(json.dumps(kept, ensure_ascii=False, separators=(",", ":")))

    def bare(self, kind: str, **fields: Any) -> Self:
        """A record without time, directory or uuid, as titles and modes have it."""
        return self.raw(json.dumps({"type": kind, "sessionId": self.id, **fields}, separators=(",", ":")))

    def person(self, text: str | list[dict[str, Any]], **fields: Any) -> Self:
        """A prompt."""
        return self.record("user", message={"role": "user", "content": text}, **fields)

    def assistant(self, *content: str | dict[str, Any], message_id: str | None = None, **fields: Any) -> Self:
        """A reply; text as text blocks, anything else as given. One line, as the client writes one."""
        blocks = [{"type": "text", "text": block} if isinstance(block, str) else block for block in content]
        message = {
            "id": message_id or f"msg_{self._key}_{self._count}",
            "type": "message",
            "role": "assistant",
            "model": "claude-opus-4-6",
            "content": blocks,
        }
        return self.record("assistant", message=message, **fields)

    def call(self, tool: str, message_id: str | None = None, **arguments: Any) -> str:
        """A tool call without its result; returns its id for :meth:`result`."""
        identity = f"toolu_{self._key}_{self._count}"
        block = {"type": "tool_use", "id": identity, "name": tool, "input": arguments}
        self.assistant(block, message_id=message_id)
        return identity

    def result(self, call: str, text: str = "", *, detail: Any = None, error: bool = False, **fields: Any) -> Self:
        """The result of a call; ``detail`` is ``toolUseResult``."""
        block: dict[str, Any] = {"type": "tool_result", "tool_use_id": call, "content": text}
        if error:
            block["is_error"] = True
        return self.record("user", message={"role": "user", "content": [block]}, toolUseResult=detail, **fields)

    # -- what people and assistants do

    def edit(self, path: str, old: str, new: str, *, context: str = "", say: str | None = None, **detail: Any) -> Self:
        """An edit that was applied, with the patch the client records (``context`` is a line around it)."""
        if say:
            self.assistant(say)
        call = self.call("Edit", file_path=path, old_string=old, new_string=new)
        lines = ["-" + line for line in old.split("\n")] + ["+" + line for line in new.split("\n")]
        hunk = {"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 1, "lines": [f" {context}", *lines]}
        shown = {
            "filePath": path,
            "oldString": old,
            "newString": new,
            "originalFile": f"{context}\n{old}\n",
            "structuredPatch": [hunk],
            "userModified": False,
            "replaceAll": False,
            **detail,
        }
        return self.result(call, f"The file {path} has been updated successfully.", detail=shown)

    def failed_edit(self, path: str, old: str, new: str) -> Self:
        """An edit that did not match."""
        call = self.call("Edit", file_path=path, old_string=old, new_string=new)
        message = "String to replace not found in file."
        return self.result(call, f"<tool_use_error>{message}</tool_use_error>", detail=f"Error: {message}", error=True)

    def rejected_edit(self, path: str, old: str, new: str, said: str | None = None) -> Self:
        """An edit that the person refused, saying why or not."""
        call = self.call("Edit", file_path=path, old_string=old, new_string=new)
        text = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file "
        text += "edit, the new_string was NOT written to the file). "
        text += f"To tell you how to proceed, the user said:\n{said}" if said else "STOP what you are doing and wait."
        return self.result(call, text, detail="User rejected tool use" if not said else f"Error: {text}", error=True)

    def write(self, path: str, content: str, original: str | None = None, *, say: str | None = None) -> Self:
        """A whole file written: new, or over ``original``."""
        if say:
            self.assistant(say)
        call = self.call("Write", file_path=path, content=content)
        kind = "create" if original is None else "update"
        shown: dict[str, Any] = {"type": kind, "filePath": path, "content": content}
        shown |= {"structuredPatch": [], "originalFile": original}
        return self.result(call, f"File created successfully at: {path}", detail=shown)

    def bash(self, command: str, stdout: str = "", stderr: str = "", *, error: bool = False, **detail: Any) -> Self:
        """A shell command with its output."""
        call = self.call("Bash", command=command)
        if error:
            text = f"Exit code 1\n{stdout}{stderr}"
            return self.result(call, text, detail=f"Error: {text}", error=True)
        shown = {"stdout": stdout, "stderr": stderr, "interrupted": False, "isImage": False, **detail}
        return self.result(call, stdout, detail=shown)

    def commit(self, subject: str, sha: str = "abc1234", branch: str = "main") -> Self:
        """A commit whose success the output shows."""
        return self.bash(
            f'git add -A && git commit -m "{subject}"', f"[{branch} {sha}] {subject}\n 1 file changed, 1 insertion(+)"
        )

    def subagent(self, task: str, agent_type: str = "general-purpose", answer: str = "Done.") -> Self:
        """A call of the Task tool with its report."""
        call = self.call("Task", description=task, prompt=task, subagent_type=agent_type)
        return self.result(call, answer, detail={"status": "completed", "agentId": "a1", "content": []})

    # -- the file

    @property
    def bytes(self) -> bytes:
        """The whole transcript."""
        return b"".join(line + b"\n" for line in self.lines)

    def write_to(self, config: Path, slug: str = "-home-dev-app") -> Path:
        """Store it under a configuration folder, a sub-agent's beside its parent; returns the file."""
        project = config / "projects" / slug
        path = project / f"{self.id}.jsonl"
        if self.agent is not None:
            path = project / self.id / "subagents" / f"agent-{self.agent}.jsonl"
        return self.save(path)

    def save(self, path: Path) -> Path:
        """Store it in any file."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(self.bytes)
        return path
