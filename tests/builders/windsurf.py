"""Transcripts of Windsurf's hooks in the making, after ``formats/FORMATS.md`` section 11."""

from __future__ import annotations

import json
from typing import Any


def step(kind: str, status: str = "done", **fields: Any) -> bytes:
    """One line."""
    return json.dumps({"type": kind, "status": status, kind: fields}).encode() + b"\n"


def person(text: str) -> bytes:
    return step("user_input", user_response=text)


def reply(text: str) -> bytes:
    return step("planner_response", response=text)


def code(path: str, text: str, acknowledged: str = "ACCEPT", status: str = "done") -> bytes:
    kind = f"ACKNOWLEDGEMENT_TYPE_{acknowledged}"
    return step("code_action", status, path=f"file://{path}", new_content=text, acknowledgement_type=kind)


def ran(command: str, output: str = "", exit_code: int = 0, rejected: bool = False) -> bytes:
    about: dict[str, Any] = {"command": command, "cwd": "/home/dev/app", "exit_code": exit_code, "output": output}
    return step("run_command", **about, user_rejected=rejected)
