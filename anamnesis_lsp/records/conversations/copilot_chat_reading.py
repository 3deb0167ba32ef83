"""Copilot Chat in VS Code: one session, from its requests to turns. Rules: ``formats/FORMATS.md`` section 6a.

A request is the person's message and the reply to it. What an edit wrote is taken from the exact arguments of the
model's tool calls (``toolCallRounds``); that it reached the file, from the tool's result and from the edits the editor
made (``textEditGroup``). Edits the editor made without such a call are told by their own text. The editing session kept
beside the chat says which edits the person rejected afterwards.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import cast

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.records.conversations import shell
from anamnesis_lsp.records.conversations.claude_results import shell_edits
from anamnesis_lsp.records.conversations.copilot_chat_log import ChatLog
from anamnesis_lsp.records.conversations.drafts import (
    Draft,
    Drafts,
    among,
    arguments_of,
    command_of,
    entitle,
    note,
    unknown,
)
from anamnesis_lsp.records.conversations.json_document import small_object
from anamnesis_lsp.records.conversations.jsonl import JsonObject, object_of, objects_of, text_of
from anamnesis_lsp.records.conversations.model import Edit, EditOutcome, Head, Reading, Scan, Source, Turn
from anamnesis_lsp.records.conversations.times import moment
from anamnesis_lsp.records.conversations.tool_edits import edits_files, path_of, proposed_edits, settled
from anamnesis_lsp.records.conversations.vscode import path_of_uri
from anamnesis_lsp.records.evidence import Speaker

_SILENT = frozenset(
    """codeblockUri undoStop thinking prepareToolInvocation progressMessage progressTask progressTaskSerialized
    mcpServersStarting command confirmation elicitation elicitationSerialized warning treeData codeCitation reference
    multiDiffData pullRequest extensions questionCarousel hook workspaceEdit externalEdit notebookEdit
    systemNotification planReview""".split()  # noqa: SIM905  a list of words
)
_DOING = ("toolInvocationSerialized", "textEditGroup", "notebookEditGroup")
_TOOL_IDS = {
    "copilot_replaceString": "replace_string_in_file",
    "copilot_multiReplaceString": "multi_replace_string_in_file",
    "copilot_createFile": "create_file",
    "copilot_insertEdit": "insert_edit_into_file",
    "copilot_applyPatch": "apply_patch",
    "copilot_editNotebook": "edit_notebook_file",
    "copilot_runInTerminal": "run_in_terminal",
}
_FAILED = re.compile(
    r"\s*(?:error\b|failed\b|the (?:edit|patch|tool)\b.{0,40}\bfailed|could not\b|cannot\b|can't\b|no match|invalid\b"
    r"|unable to\b)",
    re.IGNORECASE,
)
_REJECTED = re.compile(
    r"\s*(?:the user (?:cancelled|canceled|rejected|skipped|chose to skip)|cancelled|canceled)", re.IGNORECASE
)
_SUCCEEDED = re.compile(r"successfully (?:edited|created|written|applied|replaced)|file created|was (?:edited|created)")
_NOT_RUN = (0, 5)
"""``isConfirmed.type``: the person denied it, or skipped it."""
_REJECTED_STATE = 2
_EXISTING = re.compile(r"^.*\.\.\. ?existing code ?\.\.\..*$\n?", re.MULTILINE)
_EMPTY_FENCE = re.compile(r"\n*(`{3,})\n+\1\n*")
_MAX_STATE = 16 << 20


class CopilotChatReading(Reading):
    """One pass over a session: the file is replayed first, then told request by request."""

    def __init__(self, source: Source, cancel: CancelToken, folder: str | None, state: Path | None) -> None:
        """``folder`` is the workspace's, ``state`` the editing session's ``state.json``, where there are such."""
        self.head = Head()
        self.scan = Scan(skipped_lines=0)
        self._source = source
        self._cancel = cancel
        self._folder = folder
        self._state = state
        self._drafts = Drafts(self.head)
        self._rejected: frozenset[tuple[str, str]] = frozenset()

    def __iter__(self) -> Iterator[Turn]:
        log = ChatLog(self._source.path, self._cancel, self.scan)
        log.read()
        session = log.session
        note(self.head, moment(session.get("creationDate")), self._folder)
        note(self.head, moment(session.get("lastMessageDate")))
        if self._state is not None:
            self._rejected = _rejections(self._state)
        title = text_of(session.get("customTitle"))
        for request in log.requests():
            self._cancel.check()
            self._request(request)
            yield from self._drafts.rest()
        entitle(self.head, title, "assistant", self._drafts.first_words)

    def _request(self, request: JsonObject) -> None:
        identity, when = text_of(request.get("requestId")), moment(request.get("timestamp"))
        message = request.get("message")
        text = message if isinstance(message, str) else text_of(object_of(message).get("text"))
        agent = object_of(request.get("agent"))
        self.head.version = text_of(agent.get("extensionVersion")) or self.head.version
        response = _items(request.get("response"))
        self._workspace(response)
        cwd = self.head.cwds[0] if self.head.cwds else None
        speaker = Speaker.INJECTED if request.get("isSystemInitiated") is True else Speaker.PERSON
        asked = self._drafts.say(speaker, text, when, cwd=cwd, native_id=identity)
        done = moment(object_of(request.get("modelState")).get("completedAt")) or when
        reply = self._drafts.open(
            Speaker.ASSISTANT,
            done,
            name=text_of(request.get("modelId")),
            cwd=cwd,
            native_id=text_of(request.get("responseId")),
        )
        undone = bool(request.get("shouldBeRemovedOnSend"))
        reply.undone = undone
        if asked is not None:
            asked.undone = undone
        self._drafts.add(reply, self._said(response))
        self._did(reply, request, response, identity or "")

    def _workspace(self, response: list[JsonObject]) -> None:
        """The folder that links of a reply are relative to: told where no workspace file is beside the chat."""
        if self._folder is None and not self.head.cwds:
            for item in response:
                base = path_of_uri(item.get("baseUri")) if item.get("baseUri") else None
                if base:
                    note(self.head, None, base.rstrip("/") or base)
                    return

    def _said(self, response: list[JsonObject]) -> str:
        pieces: list[str] = []
        for item in response:
            kind = item.get("kind")
            if kind is None or kind in ("markdownContent", "markdownVuln"):
                content = item.get("content") if kind is not None else item.get("value", item)
                value = content if isinstance(content, str) else object_of(content).get("value")
                if isinstance(value, str):
                    pieces.append(value)
                elif kind is None and "value" not in item:
                    unknown(self.scan, "part of a reply without kind")
            elif kind == "inlineReference":
                pieces.append(_reference(item))
            elif not among(kind, _SILENT) and kind not in (
                "toolInvocationSerialized",
                "textEditGroup",
                "notebookEditGroup",
            ):
                unknown(self.scan, f"part of a reply: {kind}" if isinstance(kind, str) else None)
        return _EMPTY_FENCE.sub("\n", "".join(pieces)).strip()

    # -- what was done

    def _did(self, reply: Draft, request: JsonObject, response: list[JsonObject], identity: str) -> None:
        metadata = object_of(object_of(request.get("result")).get("metadata"))
        results = object_of(metadata.get("toolCallResults"))
        invocations = [item for item in response if item.get("kind") == "toolInvocationSerialized"]
        groups = _groups(response)
        ran: set[str] = set()
        for turn in objects_of(metadata.get("toolCallRounds")):
            for call in objects_of(turn.get("toolCalls")):
                tool, called = text_of(call.get("name")), text_of(call.get("id")) or ""
                if tool is None:
                    continue
                arguments = arguments_of(call.get("arguments"))
                invocation = _taken(invocations, called, tool)
                printed = result_text(results[called]) if called in results else None
                command = command_of(tool, arguments)
                if command is not None:
                    ran.add(command)
                    self._ran(reply, command, printed or _terminal_output(invocation), _refused(invocation))
                elif edits_files(tool):
                    outcome = _outcome(printed, invocation)
                    self._edited(reply, tool, arguments, outcome, groups, identity)
                elif path := path_of(arguments):
                    reply.mentions[path] = None
        for invocation in invocations:
            command = _terminal_command(invocation)
            if command and command not in ran:
                self._ran(reply, command, _terminal_output(invocation), _refused(invocation))
        for path, (edits, done) in groups.items():
            edit = _of_group(path, edits, EditOutcome.APPLIED if done else EditOutcome.UNCONFIRMED)
            if edit is not None:
                reply.edits.append(self._kept(edit, identity))

    def _ran(self, reply: Draft, command: str, output: str, refused: bool) -> None:
        outcome = EditOutcome.REJECTED if refused else EditOutcome.UNCONFIRMED
        reply.edits += settled(shell_edits("run_in_terminal", command), outcome)
        if not refused:
            known = {one.hash for one in reply.commits}
            reply.commits += [one for one in shell.commits_in(command, output) if one.hash not in known]

    def _edited(
        self,
        reply: Draft,
        tool: str,
        arguments: JsonObject,
        outcome: EditOutcome,
        groups: dict[str, tuple[list[JsonObject], bool]],
        identity: str,
    ) -> None:
        """The edits of one call. What the editor applied to those files is thereby told."""
        proposed = proposed_edits(tool, arguments)
        for edit in proposed:
            group = groups.get(_spelled(edit.path))
            became = outcome
            if became is EditOutcome.UNCONFIRMED and group is not None and group[1] and group[0]:
                became = EditOutcome.APPLIED
            if tool == "insert_edit_into_file":
                shown = _of_group(edit.path, group[0], became) if group is not None else None
                edit = shown or replace(edit, written=_EXISTING.sub("", edit.written), whole_file=True)
            reply.edits.append(self._kept(replace(edit, outcome=became, tool=tool), identity))
        if outcome not in (EditOutcome.FAILED, EditOutcome.REJECTED):
            for edit in proposed:
                groups.pop(_spelled(edit.path), None)

    def _kept(self, edit: Edit, identity: str) -> Edit:
        rejected = edit.outcome is EditOutcome.APPLIED and (identity, _spelled(edit.path)) in self._rejected
        return replace(edit, outcome=EditOutcome.UNDONE) if rejected else edit


def _items(value: object) -> list[JsonObject]:
    """The parts of a reply; a bare text is a part of its own."""
    if not isinstance(value, list):
        return []
    return [
        {"value": item} if isinstance(item, str) else cast(JsonObject, item)
        for item in cast("list[object]", value)
        if isinstance(item, (str, dict))
    ]


def _reference(item: JsonObject) -> str:
    """What stands for a link to a file or symbol in a reply: its name as code."""
    target = object_of(item.get("inlineReference"))
    path = path_of_uri(target.get("uri") or object_of(target.get("location")).get("uri") or target)
    name = text_of(item.get("name")) or text_of(target.get("name")) or (path or "").rstrip("/").rsplit("/", 1)[-1]
    return f"`{name}`" if name else ""


def _groups(response: list[JsonObject]) -> dict[str, tuple[list[JsonObject], bool]]:
    """What the editor applied, per path: its text edits in order, and whether it was done with them."""
    groups: dict[str, tuple[list[JsonObject], bool]] = {}
    for item in response:
        path = path_of_uri(item.get("uri")) if item.get("kind") == "textEditGroup" else None
        if path is None or not isinstance(item.get("edits"), list):
            continue
        edits = [edit for batch in cast("list[object]", item["edits"]) for edit in objects_of(batch)]
        before, done = groups.get(_spelled(path), ([], True))
        groups[_spelled(path)] = (before + edits, done and item.get("done") is True)
    return groups


def _spelled(path: str) -> str:
    """One spelling of a path: Windows' slashes and drive letter differ between a tool's argument and a URI."""
    return path.replace("\\", "/").lower() if path[1:2] == ":" else path


def _of_group(path: str, edits: list[JsonObject], outcome: EditOutcome) -> Edit | None:
    """The text the editor put in. Where it replaced text, the record does not show which lines are new."""
    texts = [edit["text"] for edit in edits if isinstance(edit.get("text"), str)]
    written = "\n".join(cast("list[str]", texts)).strip("\n")
    if not written:
        return None
    return Edit(path, written, None, outcome, "textEditGroup", whole_file=any(_replaces(edit) for edit in edits))


def _replaces(edit: JsonObject) -> bool:
    span = object_of(edit.get("range"))
    return (span.get("startLineNumber"), span.get("startColumn")) != (span.get("endLineNumber"), span.get("endColumn"))


def _taken(invocations: list[JsonObject], called: str, tool: str) -> JsonObject:
    """The invocation shown for a call, taken out of the list: of the same id, else the next of the same tool."""
    same_id = (one for one in invocations if called and text_of(one.get("toolCallId")) == called)
    same_tool = (one for one in invocations if _TOOL_IDS.get(str(one.get("toolId")), one.get("toolId")) == tool)
    found = next(same_id, None) or next(same_tool, None)
    if found is None:
        return {}
    invocations.remove(found)
    return found


def _refused(invocation: JsonObject) -> bool:
    confirmed = invocation.get("isConfirmed")
    return confirmed is False or object_of(confirmed).get("type") in _NOT_RUN


def _outcome(printed: str | None, invocation: JsonObject) -> EditOutcome:
    if _refused(invocation) or (printed is not None and _REJECTED.match(printed)):
        return EditOutcome.REJECTED
    if printed is None:
        return EditOutcome.UNCONFIRMED
    if _FAILED.match(printed):
        return EditOutcome.FAILED
    return EditOutcome.APPLIED if _SUCCEEDED.search(printed) else EditOutcome.UNCONFIRMED


def _terminal_command(invocation: JsonObject) -> str | None:
    data = object_of(invocation.get("toolSpecificData"))
    if data.get("kind") != "terminal":
        return None
    return text_of(object_of(data.get("commandLine")).get("original")) or text_of(data.get("command"))


def _terminal_output(invocation: JsonObject) -> str:
    data = object_of(invocation.get("toolSpecificData"))
    return text_of(object_of(data.get("terminalCommandOutput")).get("text")) or ""


def result_text(result: object) -> str:
    """The text of a tool's result: its content's texts, of rendered trees the texts of their leaves in order."""
    pieces: list[str] = []
    stack: list[object] = [result]
    while stack:
        value = stack.pop()
        if isinstance(value, str):
            pieces.append(value)
        elif isinstance(value, list):
            stack += reversed(cast("list[object]", value))
        elif isinstance(value, dict):
            parts: Mapping[str, object] = cast(JsonObject, value)
            if isinstance(parts.get("text"), str):
                pieces.append(("\n" if parts.get("lineBreakBefore") is True else "") + str(parts["text"]))
            else:
                stack += [parts[key] for key in ("children", "node", "value", "content") if key in parts]
    return "".join(pieces).lstrip("\n")


def _rejections(state: Path) -> frozenset[tuple[str, str]]:
    """The files whose edits the person rejected: ``(request, path)`` of every entry in that state."""
    snapshot = object_of(small_object(state, _MAX_STATE).get("recentSnapshot"))
    found: set[tuple[str, str]] = set()
    for entry in objects_of(snapshot.get("entries")):
        path = path_of_uri(entry.get("resource"))
        request = text_of(object_of(entry.get("telemetryInfo")).get("requestId"))
        if entry.get("state") == _REJECTED_STATE and path and request:
            found.add((request, _spelled(path)))
    return frozenset(found)
