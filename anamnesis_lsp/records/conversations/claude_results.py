"""Claude Code: what a tool call asks for and what its result shows. Pure functions over the recorded objects.

``toolUseResult`` (here: *detail*) is an object on success and a string on failure; the printed result stands in the
message. Rules: ``formats/FORMATS.md`` section 1, *Edits* and *Commits*.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from anamnesis_lsp.records.conversations import patches, shell
from anamnesis_lsp.records.conversations.jsonl import JsonObject, object_of, objects_of, text_of
from anamnesis_lsp.records.conversations.model import CommitMade, Edit, EditOutcome
from anamnesis_lsp.records.conversations.tool_edits import of_patch

_SHELL_TOOL = re.compile(r"(?:^|_)(?:bash|shell|terminal|powershell|run_command|execute_command|exec)", re.IGNORECASE)
_REJECTED = ("The user doesn't want", "Error: The user doesn't want", "User rejected", "The user rejected")
_PERSISTED = re.compile(r"Full output saved to: (\S[^\n<]*)")
_PERSISTED_LIMIT = 4 << 20
_KINDS = ("committed", "amended", "cherry-picked")


def command_of(tool: str, arguments: JsonObject) -> str | None:
    """The shell command of a call, or None where the tool is no shell."""
    command = arguments.get("command")
    return command if isinstance(command, str) and _SHELL_TOOL.search(tool) else None


def shell_edits(tool: str, command: str) -> list[Edit]:
    """The files a shell command writes by heredoc or ``apply_patch``, whether it worked still to come."""
    edits = [
        Edit(written.path, written.text, None, EditOutcome.UNCONFIRMED, tool, whole_file=not written.append)
        for written in shell.heredoc_writes(command)
    ]
    return edits + of_patch(tool, patches.apply_patch(command)) if "*** Begin Patch" in command else edits


def questions_of(arguments: JsonObject) -> list[str]:
    """The questions of ``AskUserQuestion``, each with its options below."""
    asked: list[str] = []
    for question in objects_of(arguments.get("questions")):
        text = text_of(question.get("question"))
        if text is None:
            continue
        lines = [text]
        for option in objects_of(question.get("options")):
            label, description = text_of(option.get("label")), text_of(option.get("description"))
            if label:
                lines.append(f"- {label}: {description}" if description else f"- {label}")
        asked.append("\n".join(lines))
    return asked


def outcome_of(block: JsonObject, detail: object, printed: str) -> EditOutcome:
    """What became of a call."""
    said = detail if isinstance(detail, str) else ""
    if printed.startswith(_REJECTED) or said.startswith(_REJECTED):
        return EditOutcome.REJECTED
    if block.get("is_error") is True or said.startswith("Error:") or "<tool_use_error>" in printed[:200]:
        return EditOutcome.FAILED
    if object_of(detail).get("staged") is True:
        return EditOutcome.UNCONFIRMED
    return EditOutcome.APPLIED


def settled_by(edits: list[Edit], result: JsonObject, outcome: EditOutcome) -> list[Edit]:
    """The edits of one call with their outcome, and with the lines that the result shows to be new."""
    changed = result.get("userModified") is True
    if outcome is not EditOutcome.APPLIED or not result or len(edits) != 1:
        return [replace(edit, outcome=outcome, person_changed=changed) for edit in edits]
    (edit,) = edits
    hunks = [line for hunk in objects_of(result.get("structuredPatch")) for line in _list(hunk.get("lines"))]
    original = result.get("originalFile")
    written, removed, whole = edit.written, edit.removed, edit.whole_file
    if hunks:
        written, removed = patches.marked_lines(hunks)
        whole = False
    elif whole and result.get("type") == "create":
        whole = False
    elif whole and isinstance(original, str):
        written, removed = patches.changed_lines(original, edit.written)
        whole = False
    path = text_of(result.get("filePath")) or edit.path
    return [
        replace(
            edit,
            path=path,
            written=written,
            removed=removed or None,
            whole_file=whole,
            outcome=outcome,
            person_changed=changed,
        )
    ]


def plan_edits(proposed: str, result: JsonObject) -> str | None:
    """What the person wrote into a plan before approving it, where the result shows another text."""
    approved = result.get("plan")
    if not isinstance(approved, str) or approved.strip() == proposed.strip() or result.get("isAgent") is True:
        return None
    return patches.new_lines(proposed, approved).strip() or None


def commits_of(command: str, detail: object, printed: str, saved: Callable[[str], str]) -> list[CommitMade]:
    """The commits that the result of a shell command shows.

    ``gitOperation`` is preferred, with the subject from the output where that has the same hash. ``saved`` returns the
    start of a long output that the client put beside the transcript, given its recorded path.
    """
    result = object_of(detail)
    output = detail if isinstance(detail, str) else f"{result.get('stdout') or ''}\n{result.get('stderr') or ''}"
    made = shell.commits_in(command, output if output.strip() else printed)
    commit = object_of(object_of(result.get("gitOperation")).get("commit"))
    sha = text_of(commit.get("sha"))
    if sha and re.fullmatch(r"[0-9a-f]{7,64}", sha):
        same = next((one for one in made if one.hash.startswith(sha) or sha.startswith(one.hash)), None)
        kind = commit.get("kind")
        recorded = CommitMade(
            sha,
            same.subject if same else None,
            text_of(commit.get("branch")) or (same.branch if same else None),
            kind if isinstance(kind, str) and kind in _KINDS else "committed",
        )
        return [recorded if one is same else one for one in made] if same else [*made, recorded]
    if not made:
        match = _PERSISTED.search(printed, 0, 4096)
        path = text_of(result.get("persistedOutputPath")) or (match[1] if match else None)
        if path:
            made = shell.commits_in(command, saved(path))
    return made


def saved_output(transcript: Path, recorded: str) -> str:
    """The start of a long output saved beside the transcript; empty where it is not there."""
    name = re.split(r"[/\\]", recorded.strip())[-1]
    if not name or name.startswith("."):
        return ""
    path = transcript.with_suffix("") / "tool-results" / name
    try:
        if not path.is_file():
            return ""
        with path.open("rb") as file:
            return file.read(_PERSISTED_LIMIT).decode("utf-8", "replace")
    except (OSError, ValueError):
        return ""


def pull_request_of(result: JsonObject) -> str | None:
    """The URL of a pull request that the command made."""
    return text_of(object_of(object_of(result.get("gitOperation")).get("pr")).get("url"))


def _list(value: object) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []
