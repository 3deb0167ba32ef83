"""Cursor: whose words a user message holds, and what a tool's call and result say. Shared by its three stores.

Rules: ``formats/FORMATS.md`` section 7.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import cast

from anamnesis_lsp.records.conversations import patches
from anamnesis_lsp.records.conversations.jsonl import JsonObject, object_of, objects_of, text_of
from anamnesis_lsp.records.conversations.model import Edit, EditOutcome
from anamnesis_lsp.records.conversations.sqlite_store import json_object
from anamnesis_lsp.records.conversations.tool_edits import edits_files, proposed_edits, settled

_QUERY = re.compile(r"<user_query>\s*(.*?)\s*</user_query>", re.DOTALL)
_ENVELOPE = re.compile(r"\A\s*<([a-z_]{2,60})(?:\s[^>\n]*)?>.*?</\1>\s*", re.DOTALL)
_REDACTED = re.compile(r"^[ \t]*\[REDACTED\][ \t]*$\n?", re.MULTILINE)
_EXIT = re.compile(r"^(?:Exit code|exit code):? (-?\d{1,10})\s*$", re.MULTILINE)
_REFUSED = re.compile(r"\b(?:user|User) (?:rejected|chose not|skipped|declined|denied)|[Rr]ejected by (?:the )?user")
_WORKSPACE = re.compile(r"^Workspace Path: (\S.*?)\s*$", re.MULTILINE)


def asked_in(text: str) -> tuple[str | None, str]:
    """``(what the person asked, what the client put around it)``; the first is None where a person asked nothing.

    The query stands in a tag of its own; without one, text is the person's only where no other tag precedes it.
    """
    asked = [found for found in _QUERY.findall(text) if found]
    if asked:
        return "\n".join(asked), ""
    if "<user_query>" in text or _ENVELOPE.match(text):
        return None, text.strip()
    return text.strip() or None, ""


def workspace_in(text: str) -> str | None:
    """The directory that a message's ``<user_info>`` names."""
    found = _WORKSPACE.search(text) if "<user_info>" in text else None
    return None if found is None else found[1]


def without_redacted(text: str) -> str:
    """The text without the marks of reasoning that was taken out."""
    return _REDACTED.sub("", text).strip()


def outcome_of_text(printed: str, failed: bool) -> EditOutcome:
    """What became of a call of the command line's agent, by its result's text."""
    if _REFUSED.search(printed[:300]):
        return EditOutcome.REJECTED
    code = _EXIT.search(printed[:2000])
    if failed or (code is not None and code[1] != "0") or printed.startswith("Error"):
        return EditOutcome.FAILED
    return EditOutcome.APPLIED


def object_in(value: object) -> JsonObject:
    """The object that a field holds, as itself or as JSON text."""
    return (json_object(value) or {}) if isinstance(value, str) else object_of(value)


def outcome_of_bubble(tool: JsonObject) -> EditOutcome:
    """What became of a call in the editor: the person's decision first."""
    status, decision = tool.get("status"), tool.get("userDecision")
    if decision == "rejected" or status in ("cancelled", "rejected"):
        return EditOutcome.REJECTED
    if status in ("error", "failed"):
        return EditOutcome.FAILED
    return EditOutcome.APPLIED if status == "completed" else EditOutcome.UNCONFIRMED


def edits_of_bubble(tool: JsonObject, before: str | None, after: str | None) -> list[Edit]:
    """The edits of a call in the editor. ``before`` and ``after`` are the file's contents where the store has them."""
    name = text_of(tool.get("name")) or ""
    if not (edits_files(name) or name in ("reapply", "delete_file")):
        return []
    params, result = object_in(tool.get("params")), object_in(tool.get("result"))
    raw: object = tool.get("rawArgs")
    arguments = {**params, **object_in(raw)}
    path = text_of(params.get("relativeWorkspacePath"))
    found = proposed_edits(name, arguments)
    if not found and isinstance(raw, str) and "*** Begin Patch" in raw:
        found = proposed_edits(name, {"input": raw})
    path = path or (found[0].path if found else text_of(arguments.get("target_file")))
    if path is None:
        return list(settled(found, outcome_of_bubble(tool)))
    if after is not None:
        written, removed = patches.changed_lines(before or "", after)
        found = [Edit(path, written, removed or None, EditOutcome.UNCONFIRMED, name)]
    elif chunks := objects_of(object_of(result.get("diff")).get("chunks")):
        lines = [line for chunk in chunks for line in (text_of(chunk.get("diffString")) or "").split("\n")]
        written, removed = patches.marked_lines(cast("list[object]", lines))
        found = [Edit(path, written, removed or None, EditOutcome.UNCONFIRMED, name)]
    elif len(found) == 1 and text_of(params.get("relativeWorkspacePath")):
        found = [replace(found[0], path=path)]
    return list(settled(found, outcome_of_bubble(tool)))
