"""Codex: whose words a message holds, and what a tool's call and result say. Pure functions over recorded objects.

Rules: ``formats/FORMATS.md`` section 2. ``role: user`` is mostly injected; the filter here is for records that carry no
event of the person's own.
"""

from __future__ import annotations

import posixpath
import re
import shlex
from dataclasses import dataclass, replace
from typing import cast

from anamnesis_lsp.records.conversations import patches
from anamnesis_lsp.records.conversations.claude_results import shell_edits
from anamnesis_lsp.records.conversations.jsonl import JsonObject, loads, object_of, objects_of, text_of
from anamnesis_lsp.records.conversations.model import Edit, EditOutcome
from anamnesis_lsp.records.conversations.tool_edits import edits_files, of_patch, proposed_edits

_TAGS = (
    "environment_context|user_instructions|INSTRUCTIONS|skill|turn_aborted|subagent_notification|goal_context|"
    "codex_internal_context|recommended_plugins|permissions instructions|collaboration_mode|system-reminder|"
    "user_shell_command|apps_instructions|plugins_instructions|skills_instructions|personality_spec|model_switch"
)
_ENVELOPE = re.compile(
    rf"\A\s*(?:# AGENTS\.md instructions[^\n]*\n\s*)?<(?P<tag>{_TAGS})(?:\s[^>\n]*)?>.*?</(?P=tag)>\s*", re.DOTALL
)
_OPENING = re.compile(rf"\A\s*(?:# AGENTS\.md instructions|<(?P<tag>{_TAGS})(?:\s[^>\n]*)?>)")
_IDE_CONTEXT = re.compile(
    r"\A\s*# Context from my IDE setup:.*?^## My request for Codex:[ \t]*\n", re.DOTALL | re.MULTILINE
)

_EXIT = re.compile(
    r"^(?:Process exited with code|Exit code:|Command exited with code)\s*(-?\d{1,10})\s*$", re.MULTILINE
)
_OUTPUT_MARK = re.compile(r"^Output:\n?", re.MULTILINE)
_RUNNING = re.compile(r"^Process running with session ID (\d{1,12})\s*$", re.MULTILINE)
_HEADER = 2_000
_REJECTED = re.compile(r"rejected by (?:the )?user|(?:command|patch) rejected|declined by (?:the )?user", re.IGNORECASE)
_SUCCESS = re.compile(r"\A\s*(?:Success\b|Done\b|Updated the following files)", re.IGNORECASE)
_FAILURE = re.compile(r"\A\s*(?:apply_patch|patch|failed|failure|error|err\b|invalid|unsupported)", re.IGNORECASE)
_SHELLS = frozenset(("shell", "shell_command", "exec_command", "local_shell_call", "container.exec", "bash", "exec"))


@dataclass(frozen=True, slots=True)
class Asked:
    """What one call of a tool asks for."""

    edits: tuple[Edit, ...] = ()
    command: str | None = None
    looks_at: str | None = None
    is_patch: bool = False


@dataclass(frozen=True, slots=True)
class Output:
    """What a tool returned. ``exit_code`` and ``success`` are None where the record does not say."""

    text: str
    exit_code: int | None = None
    success: bool | None = None
    session: str | None = None
    """The number of the process that goes on in the background."""


def text_of_parts(content: object) -> str:
    """The text of a message's content: a string, or its text parts joined by a line end."""
    if isinstance(content, str):
        return content
    return "\n".join(text for part in objects_of(content) if isinstance(text := part.get("text"), str))


def split_prompt(text: str) -> tuple[str, list[tuple[str, str]]]:
    """A user message as ``(what a person wrote, [(envelope, text)])``; an envelope that does not end takes the rest."""
    injected: list[tuple[str, str]] = []
    while True:
        envelope = _ENVELOPE.match(text)
        if envelope is None:
            break
        injected.append((envelope["tag"], envelope[0].strip()))
        text = text[envelope.end() :]
    opening = _OPENING.match(text)
    if opening is not None:
        injected.append((opening["tag"] or "AGENTS.md", text.strip()))
        text = ""
    return asked_in(text), injected


def asked_in(text: str) -> str:
    """What the person asked, without the context that an editor puts before it."""
    return _IDE_CONTEXT.sub("", text, count=1).strip()


def split_message(payload: JsonObject) -> tuple[str, list[tuple[str, str]]]:
    """A user message item as :func:`split_prompt`; newer versions say of each part whether a person wrote it."""
    content = payload.get("content")
    passed = object_of(payload.get("internal_chat_message_metadata_passthrough"))
    kinds: object = passed.get("content_item_kinds")
    parts = objects_of(content)
    if isinstance(kinds, list) and len(cast("list[object]", kinds)) == len(parts) and parts:
        own: list[str] = []
        injected: list[tuple[str, str]] = []
        for kind, part in zip(cast("list[object]", kinds), parts, strict=True):
            text = part.get("text")
            if not isinstance(text, str) or not text.strip():
                continue
            if isinstance(kind, str) and kind.startswith("user."):
                own.append(text)
            else:
                injected.append((kind if isinstance(kind, str) else "context", text.strip()))
        return asked_in("\n".join(own)), injected
    return split_prompt(text_of_parts(content))


def arguments_of(value: object) -> JsonObject:
    """The arguments of a call: an object, or the JSON text of one; empty where it is neither."""
    if isinstance(value, str):
        try:
            return object_of(loads(value))
        except ValueError:
            return {}
    return object_of(value)


def asked_by(tool: str, arguments: JsonObject, raw: str | None = None) -> Asked:
    """What a call asks for; ``raw`` is the input of a custom tool."""
    name = tool.removeprefix("functions.")
    if name == "apply_patch":
        text = raw or next((t for key in ("input", "patch") if (t := text_of(arguments.get(key)))), "")
        return Asked(tuple(of_patch("apply_patch", patches.apply_patch(text))), is_patch=True)
    if name in _SHELLS:
        given: object = next((arguments[key] for key in ("command", "cmd") if arguments.get(key)), None)
        return _asked_of_shell(name, given, text_of(arguments.get("workdir")))
    if edits_files(name):
        return Asked(tuple(proposed_edits(name, arguments)))
    if name in ("view_image", "read_file", "list_dir", "grep_files"):
        return Asked(
            looks_at=next((p for k in ("path", "file_path", "dir_path") if (p := text_of(arguments.get(k)))), None)
        )
    return Asked()


def _asked_of_shell(tool: str, given: object, workdir: str | None) -> Asked:
    words = [word for word in cast("list[object]", given) if isinstance(word, str)] if isinstance(given, list) else []
    if len(words) >= 2 and posixpath.basename(words[0]) in ("apply_patch", "applypatch"):
        return Asked(_in(workdir, of_patch("apply_patch", patches.apply_patch(words[1]))), is_patch=True)
    if len(words) >= 3 and re.fullmatch(r"-l?c|/c|-Command", words[1]):
        command = words[2]
    else:
        command = given if isinstance(given, str) else shlex.join(words)
    if not command:
        return Asked()
    patch_alone = bool(re.match(r"\s*(?:cd [^\n&;|]+&&\s*)?apply_?patch\b", command)) and "*** Begin Patch" in command
    if patch_alone:
        return Asked(_in(workdir, of_patch("apply_patch", patches.apply_patch(command))), command, is_patch=True)
    return Asked(_in(workdir, shell_edits(tool, command)), command)


def _in(workdir: str | None, edits: list[Edit]) -> tuple[Edit, ...]:
    """The edits with their paths taken from the call's own directory, where it names one."""
    if not workdir:
        return tuple(edits)
    return tuple(replace(edit, path=posixpath.join(workdir, edit.path)) for edit in edits)


def output_of(value: object) -> Output:
    """What a tool returned: text with a header, the JSON text of ``{output, metadata}``, parts, or an object."""
    if isinstance(value, str):
        if value.startswith("{"):
            found = arguments_of(value)
            if "output" in found or "metadata" in found:
                text = found.get("output")
                code = object_of(found.get("metadata")).get("exit_code")
                return Output(text if isinstance(text, str) else "", _whole(code))
        return _of_text(value)
    if isinstance(value, dict):
        found = object_of(cast("object", value))
        inner = _of_text(text_of_parts(found.get("content") or found.get("output")))
        success = found.get("success")
        return replace(inner, success=success) if isinstance(success, bool) else inner
    return _of_text(text_of_parts(value))


def _of_text(text: str) -> Output:
    head = text[:_HEADER]
    mark = _OUTPUT_MARK.search(head)
    header = head[: mark.start()] if mark else head[:200]
    code, running = _EXIT.search(header), _RUNNING.search(header)
    body = text[mark.end() :] if mark and (code or running) else text
    return Output(body, int(code[1]) if code else None, session=running[1] if running else None)


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def outcome_of(output: Output, *, patch: bool) -> EditOutcome:
    """What became of a call that edits: ``patch`` for one whose only business that is, else a shell command's."""
    if _REJECTED.search(output.text[:300]):
        return EditOutcome.REJECTED
    if output.exit_code is not None:
        if output.exit_code == 0:
            return EditOutcome.APPLIED
        # A failing chain of commands may have failed after the write: the record does not say.
        return EditOutcome.FAILED if patch else EditOutcome.UNCONFIRMED
    if output.success is not None:
        return EditOutcome.APPLIED if output.success else EditOutcome.FAILED
    if patch:
        if _SUCCESS.match(output.text):
            return EditOutcome.APPLIED
        return EditOutcome.FAILED if _FAILURE.match(output.text) else EditOutcome.UNCONFIRMED
    return EditOutcome.UNCONFIRMED


def changed_files(changes: object) -> list[Edit]:
    """The edits of ``patch_apply_end`` or of a ``FileChange`` item: real paths, real diffs."""
    found: list[Edit] = []
    if isinstance(changes, dict):
        for path, change in cast("dict[str, object]", changes).items():
            found += _changed(path, object_of(change))
    for change in objects_of(cast("object", changes)):
        path = text_of(change.get("path"))
        if path:
            kind: object = change.get("kind")
            found += _changed(path, {**change, "type": kind if isinstance(kind, str) else object_of(kind).get("type")})
    return found


def _changed(path: str, change: JsonObject) -> list[Edit]:
    kind = change.get("type")
    diff = change.get("unified_diff", change.get("diff"))
    content = change.get("content", diff if kind in ("add", "delete") else None)
    moved = text_of(change.get("move_path")) or text_of(object_of(change.get("kind")).get("move_path"))
    if kind in ("add", "delete") and isinstance(content, str) and not re.match(r"(?:---|@@) ", content):
        body = content.removesuffix("\n")
        if kind == "add":
            return [Edit(path, body, None, EditOutcome.UNCONFIRMED, "apply_patch")]
        return [Edit(path, "", body or None, EditOutcome.UNCONFIRMED, "apply_patch")]
    if not isinstance(diff, str):
        return [Edit(moved or path, "", None, EditOutcome.UNCONFIRMED, "apply_patch")] if kind else []
    written: list[str] = []
    removed: list[str] = []
    for file in patches.unified(diff, path):
        written += [file.written] if file.written else []
        removed += [file.removed] if file.removed else []
    return [Edit(moved or path, "\n".join(written), "\n".join(removed) or None, EditOutcome.UNCONFIRMED, "apply_patch")]


def state_of(record: JsonObject) -> EditOutcome:
    """The outcome that a confirming record states."""
    status = record.get("status")
    word = (status if isinstance(status, str) else text_of(object_of(status).get("type")) or "").lower()
    if word in ("declined", "rejected"):
        return EditOutcome.REJECTED
    if record.get("success") is False or word in ("failed", "error"):
        return EditOutcome.FAILED
    if record.get("success") is True or word in ("completed", "success", "applied", ""):
        return EditOutcome.APPLIED
    return EditOutcome.UNCONFIRMED


def answers_of(output: str) -> str | None:
    """The person's answers to ``request_user_input``, one a line."""
    given: list[str] = []
    for answer in object_of(arguments_of(output).get("answers")).values():
        listed = object_of(answer).get("answers")
        if isinstance(listed, list):
            given += [one.strip() for one in cast("list[object]", listed) if isinstance(one, str) and one.strip()]
    return "\n".join(given) or None
