"""Cline and Roo Code: the model's conversation (``api_conversation_history.json``, ``<id>.messages.json``) as turns.

Both generations keep Anthropic's messages; the classic one may have tool calls as XML in the text and their results as
plain text. See :mod:`.cline_words` for whose words a block holds.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.records.conversations.cline_words import (
    Piece,
    calls_in,
    changed_by_person,
    created,
    note_environment,
    pieces_of,
    result_outcome,
)
from anamnesis_lsp.records.conversations.drafts import Draft, Drafts, among, unknown
from anamnesis_lsp.records.conversations.json_items import JsonItems
from anamnesis_lsp.records.conversations.jsonl import JsonObject, object_of, objects_of, text_of
from anamnesis_lsp.records.conversations.model import Edit, Head, Scan, Turn
from anamnesis_lsp.records.conversations.times import moment
from anamnesis_lsp.records.conversations.tool_edits import path_of
from anamnesis_lsp.records.evidence import Speaker

_SAYING_TOOLS = ("attempt_completion", "submit_and_exit", "ask_followup_question", "ask_question", "plan_mode_respond")
_SHELLS = ("execute_command", "run_commands")
_SILENT = frozenset(("thinking", "redacted_thinking", "image", "file", "reasoning"))


@dataclass(frozen=True, slots=True)
class Whose:
    """Whose conversation a file is, where the file beside it tells."""

    agent: str | None = None
    """The sub-agent's kind: what opens its part was written by the agent that made it."""
    prompt: str | None = None
    """The first prompt as the manifest has it."""
    wrapped: bool = False
    """Prompts stand in ``<user_input>``: what stands outside is not the person's."""
    cwd: str | None = None


class Messages:
    """One pass over a file of messages: its turns, with ``head`` and ``scan`` of the caller filled on the way."""

    def __init__(self, path: Path, cancel: CancelToken, head: Head, scan: Scan, whose: Whose | None = None) -> None:
        self._path = path
        self._cancel = cancel
        self._head = head
        self._scan = scan
        self._whose = whose or Whose()
        self._drafts = Drafts(head)
        self._classic: list[tuple[str, str, str | None]] = []
        self._calls = 0
        self._messages = 0
        self._header: Piece | None = None

    @property
    def first_words(self) -> str | None:
        """The first thing the person said."""
        return self._drafts.first_words

    def __iter__(self) -> Iterator[Turn]:
        items = JsonItems(self._path, self._cancel, lists=("messages",))
        for key, value in items:
            if key in ("", "messages"):
                self._message(object_of(value))
                yield from self._drafts.ready()
        self._scan.skipped_lines = (self._scan.skipped_lines or 0) + items.skipped
        self._scan.incomplete_tail |= items.incomplete
        yield from self._drafts.rest()

    def _message(self, message: JsonObject) -> None:
        role, content, when = message.get("role"), message.get("content"), moment(message.get("ts"))
        self._messages += 1
        identity = text_of(message.get("id"))
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else objects_of(content)
        if message.get("isSummary") is True:
            text = "\n".join(text_of(block.get("text")) or "" for block in blocks)
            self._drafts.say(Speaker.INJECTED, text, when, name="compaction summary")
        elif role == "assistant":
            self._assistant(message, blocks, identity)
        elif role == "user":
            self._header = None
            for block in blocks:
                self._heard(block, message, identity)
        else:
            unknown(self._scan, f"message of {role}" if isinstance(role, str) else None)

    # -- the assistant

    def _assistant(self, message: JsonObject, blocks: list[JsonObject], identity: str | None) -> None:
        model = text_of(object_of(message.get("modelInfo")).get("id"))
        agent = self._whose.agent
        draft = self._drafts.open(
            Speaker.SUBAGENT if agent else Speaker.ASSISTANT,
            moment(message.get("ts")),
            name=agent or model,
            cwd=self._cwd(),
            native_id=identity,
        )
        for block in blocks:
            kind = block.get("type")
            if kind == "text":
                said, calls = calls_in(text_of(block.get("text")) or "")
                self._drafts.add(draft, said)
                for call in calls:
                    self._calls += 1
                    called = f"xml {self._calls}"
                    self._drafts.call(draft, called, call.tool, call.arguments)
                    self._await(called, call.tool, path_of(call.arguments))
            elif kind == "tool_use":
                self._used(draft, block)
            elif not among(kind, _SILENT):
                unknown(self._scan, f"content of type {kind}" if isinstance(kind, str) else None)

    def _used(self, draft: Draft, block: JsonObject) -> None:
        tool, called, arguments = text_of(block.get("name")), text_of(block.get("id")), object_of(block.get("input"))
        if tool is None:
            return
        if tool in _SAYING_TOOLS:
            for key in ("result", "summary", "question", "response"):
                self._drafts.add(draft, text_of(arguments.get(key)) or "")
        if tool == "run_commands":
            arguments = {"command": _commands(arguments)}
        if tool == "editor" and "insert_line" in arguments and arguments.get("insert_line") is None:
            arguments = {key: value for key, value in arguments.items() if key != "insert_line"}
        self._drafts.call(draft, called, tool, arguments)
        if called:
            self._await(called, tool, path_of(arguments))

    def _await(self, called: str, tool: str, path: str | None) -> None:
        """Its result may come as plain text that names the tool and the file only."""
        if len(self._classic) < 1000:
            self._classic.append((called, tool, path))

    # -- what came back

    def _heard(self, block: JsonObject, message: JsonObject, identity: str | None) -> None:
        kind, when = block.get("type"), moment(message.get("ts"))
        if kind == "tool_result":
            text = content_text(block.get("content"))
            failed = block.get("is_error")
            marked = failed if isinstance(failed, bool) else None if _is_classic(self._path) else False
            called = text_of(block.get("tool_use_id"))
            self._classic = [one for one in self._classic if one[0] != called]
            self._settle(called, text, marked)
            for piece in pieces_of(f"[tool] Result:\n{text}") if "<feedback>" in text else []:
                if piece.kind == "person":
                    self._person(piece.text, message, identity)
            return
        if kind != "text":
            if not among(kind, _SILENT):
                unknown(self._scan, f"content of type {kind}" if isinstance(kind, str) else None)
            return
        text = text_of(block.get("text")) or ""
        if "environment_details>" in text:
            note_environment(self._head, text)
        for piece in pieces_of(text):
            if piece.kind == "person":
                self._person(piece.text, message, identity)
            elif piece.kind == "result":
                if piece.text:
                    self._told(piece)
                self._header = None if piece.text else piece
            elif self._header is not None:
                self._told(replace(self._header, text=piece.text))
                self._header = None
            elif piece.kind == "plain" and self._is_prompt(piece.text):
                self._person(piece.text, message, identity)
            elif not piece.text.startswith("<environment_details>"):
                self._drafts.say(Speaker.INJECTED, piece.text, when, name="context")

    def _is_prompt(self, text: str) -> bool:
        """Whether text outside any wrapping is what was typed: only where this generation does not wrap prompts."""
        if _is_classic(self._path) or not text:
            return False
        prompt = self._whose.prompt
        return (prompt is not None and text == prompt.strip()) or not self._whose.wrapped

    def _person(self, text: str, message: JsonObject, identity: str | None) -> None:
        agent = self._whose.agent
        self._drafts.say(
            Speaker.ASSISTANT if agent else Speaker.PERSON,
            text,
            moment(message.get("ts")),
            name="prompt to a sub-agent" if agent else None,
            cwd=self._cwd(),
            native_id=identity,
        )

    def _told(self, piece: Piece) -> None:
        """A result in plain text: of the oldest call of that tool that waits (and of that file, where it is named)."""
        of_tool = [one for one in self._classic if one[1] == piece.tool]
        of_file = [one for one in of_tool if one[2] is not None and _is_file(one[2], piece.target)]
        found = next(iter(of_file or of_tool), None)
        if found is not None:
            self._classic.remove(found)
            self._settle(found[0], piece.text, None)

    def _settle(self, called: str | None, text: str, failed: bool | None) -> None:
        if called is None:
            return
        exact: list[Edit] | None = None
        new, altered = created(text), changed_by_person(text)
        if new or altered:
            exact = [
                replace(edit, whole_file=edit.whole_file and not new, person_changed=altered)
                for edit in self._drafts.edits_of(called)
            ]
        self._drafts.result(called, result_outcome(text, failed), text, exact)

    def _cwd(self) -> str | None:
        return self._whose.cwd or (self._head.cwds[-1] if self._head.cwds else None)


def _is_file(path: str, named: str | None) -> bool:
    """Whether a result that names a file (relative to the workspace) is about ``path``."""
    return named is not None and (path == named or path.replace("\\", "/").endswith("/" + named.replace("\\", "/")))


def settled_edits(path: Path, cancel: CancelToken, limit: int) -> dict[str, list[Edit]]:
    """The edits of a file of messages by path, in order, with their outcomes: at most ``limit`` characters of them."""
    found: dict[str, list[Edit]] = {}
    held = 0
    for turn in Messages(path, cancel, Head(), Scan()):
        for edit in turn.edits:
            if edit.tool in _SHELLS:
                continue
            held += len(edit.written) + len(edit.removed or "") + 200
            if held > limit:
                return found
            found.setdefault(edit.path, []).append(edit)
    return found


def content_text(content: object) -> str:
    """The text of a result: itself, or its text blocks."""
    if isinstance(content, str):
        return content
    texts = (text_of(block.get("text")) for block in objects_of(content))
    return "\n".join(text for text in texts if text)


def _is_classic(path: Path) -> bool:
    return not path.name.endswith(".messages.json")


def _commands(arguments: JsonObject) -> str:
    """The commands of ``run_commands``, whose shape is loose: a text, texts, or objects with one."""
    given = arguments.get("commands", arguments.get("command"))
    if isinstance(given, str):
        return given
    lines = [text_of(one.get("command")) or "" for one in objects_of(given)]
    if isinstance(given, list):
        lines += [one for one in given if isinstance(one, str)]  # pyright: ignore[reportUnknownVariableType]
    return "\n".join(line for line in lines if line)
