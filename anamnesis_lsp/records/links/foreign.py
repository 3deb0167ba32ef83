"""How other tools write what they record: ids of sessions, names of agents, metadata as JSON."""

from __future__ import annotations

import json
import re
from typing import Any, cast

from anamnesis_lsp.records.conversations.jsonl import clean_text


def bare_session(identity: str) -> str:
    """Entire prefixed early session ids with the day: ``2026-01-15-<uuid>`` is the conversation ``<uuid>``."""
    return re.sub(r"\A\d{4}-\d\d-\d\d-(?=[0-9a-f]{8}-)", "", identity)


def runtime_of(agent: str | None) -> str | None:
    """The runtime that another tool calls by its agent's name; None where the name is none that is known."""
    name = (agent or "").lower()
    if "claude" in name or name == "agent":
        return "claude-code"
    names = (
        "codex",
        "gemini",
        "opencode",
        "cursor",
        "amp",
        "cline",
        "goose",
        "qwen",
        "aider",
        "crush",
        "zed",
        "windsurf",
    )
    known = next((runtime for runtime in names if runtime in name), None)
    return "copilot-cli" if known is None and "copilot" in name else known


def object_in(raw: bytes) -> dict[str, Any] | None:
    """A JSON object; None for what is none."""
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None


def texts_of(value: object) -> tuple[str, ...]:
    """The texts of a JSON list, made clean; none where it is no list."""
    if not isinstance(value, list):
        return ()
    return tuple(clean_text(item) for item in cast("list[object]", value) if isinstance(item, str))
