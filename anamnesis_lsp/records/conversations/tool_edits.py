"""What a tool call would write, told by the shape of its arguments: for every runtime and for editors behind MCP.

The result says nothing of success: each edit is ``UNCONFIRMED`` until the reader has seen the tool's result and
:func:`settled` it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from anamnesis_lsp.records.conversations import patches
from anamnesis_lsp.records.conversations.jsonl import objects_of
from anamnesis_lsp.records.conversations.model import Edit, EditOutcome

_EDITING = re.compile(
    r"edit|write|replace|patch|insert|create_?file|new_?file|save_?file|append|update_?file|apply_?diff|put_?file|^create$",
    re.IGNORECASE,
)
_NOT_EDITING = re.compile(r"todo|memory|issue|comment|pull_?request|^read|page|message", re.IGNORECASE)
_LOOKING = ("view", "undo_edit", "read", "open")

_PATH = (
    "file_path",
    "filePath",
    "path",
    "absolutePath",
    "notebook_path",
    "target_file",
    "targetFile",
    "relative_path",
    "relativePath",
    "relativeWorkspacePath",
    "filename",
    "fileName",
    "file",
    "filepath",
    "uri",
)
_OLD = ("old_string", "oldString", "old_str", "oldStr", "old_text", "oldText", "search", "old", "original")
_NEW = (
    "new_string",
    "newString",
    "new_str",
    "newStr",
    "new_text",
    "newText",
    "replace",
    "replacement",
    "new",
    "updated",
)
_WHOLE = ("content", "contents", "file_text", "fileText", "text", "code", "body", "data", "new_content", "code_edit")
_INSERTED = ("insert_text", "insertText", "new_source", "newSource")
_MANY = ("edits", "replacements", "changes", "multi_edits")
_PATCH = ("diff", "patch", "patchText", "patch_text", "input", "unified_diff")


def edits_files(tool: str) -> bool:
    """Whether a tool of this name (server prefix of MCP included) is one that changes files."""
    name = tool.rsplit("__", 1)[-1]
    return bool(_EDITING.search(name)) and not _NOT_EDITING.search(name)


def path_of(arguments: Mapping[str, Any]) -> str | None:
    """The file a tool call names, as recorded."""
    path = _first(arguments, _PATH)
    return path[7:] if path is not None and path.startswith("file://") else path or None


def proposed_edits(tool: str, arguments: Mapping[str, Any]) -> list[Edit]:
    """The edits that a call of ``tool`` asks for, ``written`` holding new lines only where the old text is given.

    The caller decides by the tool's name whether it edits (:func:`edits_files`); a shape that is not understood gives
    nothing.
    """
    for key in _PATCH:
        text = arguments.get(key)
        if isinstance(text, str) and "*** Begin Patch" in text:
            return of_patch(tool, patches.apply_patch(text))
    path = path_of(arguments)
    command = arguments.get("command")
    if command in _LOOKING:
        return []
    many = [item for key in _MANY for item in objects_of(arguments.get(key))]
    if many:
        pairs = [(path_of(item) or path, _pair(item)) for item in many]
        return [_replaced(tool, where, *pair) for where, pair in pairs if where and pair]
    if path is None:
        return []
    if "insert_line" in arguments or command == "insert":
        text = _first(arguments, (*_INSERTED, *_NEW, *_WHOLE))
        return [] if text is None else [Edit(path, text, None, EditOutcome.UNCONFIRMED, tool)]
    pair = _pair(arguments)
    if pair is not None:
        return [_replaced(tool, path, *pair)]
    for key in _PATCH:
        text = arguments.get(key)
        if isinstance(text, str):
            blocks = patches.search_replace(text)
            if blocks:
                return [_replaced(tool, path, old, new) for old, new in blocks]
            found = patches.unified(text, path)
            if found:
                return of_patch(tool, found)
    inserted = _first(arguments, _INSERTED)
    if inserted is not None:
        return [Edit(path, inserted, None, EditOutcome.UNCONFIRMED, tool)]
    whole = _first(arguments, _WHOLE)
    if whole is not None:
        return [Edit(path, whole, None, EditOutcome.UNCONFIRMED, tool, whole_file=True)]
    return []


def of_patch(tool: str, files: Iterable[patches.FilePatch]) -> list[Edit]:
    """The edits of a parsed patch."""
    return [Edit(file.path, file.written, file.removed or None, EditOutcome.UNCONFIRMED, tool) for file in files]


def settled(edits: Iterable[Edit], outcome: EditOutcome) -> tuple[Edit, ...]:
    """The edits with what the record says became of them."""
    return tuple(replace(edit, outcome=outcome) for edit in edits)


def _replaced(tool: str, path: str, old: str, new: str) -> Edit:
    written, removed = patches.changed_lines(old, new)
    return Edit(path, written, removed or None, EditOutcome.UNCONFIRMED, tool)


def _pair(arguments: Mapping[str, Any]) -> tuple[str, str] | None:
    old, new = _first(arguments, _OLD), _first(arguments, _NEW)
    return None if old is None or new is None else (old, new)


def _first(arguments: Mapping[str, Any], keys: Iterable[str]) -> str | None:
    for key in keys:
        value = arguments.get(key)
        if isinstance(value, str):
            return value
    return None
