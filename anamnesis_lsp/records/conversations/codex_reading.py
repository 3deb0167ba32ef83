"""Codex: one pass over a rollout, from lines to turns. Rules: ``formats/FORMATS.md`` section 2.

A rollout tells most things twice, as an item for the model and as an event for people. The person's turns are taken
from the events where the file has any (a look at its lines beforehand tells), the assistant's from whichever comes
first. A fork's file may start with a copy of its parent's lines; those are passed over: they are the parent's.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import cast

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.errors import AnamnesisError
from anamnesis_lsp.records.conversations import shell
from anamnesis_lsp.records.conversations.codex_words import (
    Asked,
    Output,
    answers_of,
    arguments_of,
    asked_by,
    asked_in,
    changed_files,
    outcome_of,
    output_of,
    split_message,
    state_of,
    text_of_parts,
)
from anamnesis_lsp.records.conversations.drafts import Draft, Drafts, entitle, note, unknown
from anamnesis_lsp.records.conversations.jsonl import JsonLines, JsonObject, object_of, objects_of, text_of
from anamnesis_lsp.records.conversations.model import Edit, EditOutcome, Head, Reading, Scan, Source, Turn
from anamnesis_lsp.records.conversations.times import moment
from anamnesis_lsp.records.conversations.tool_edits import settled
from anamnesis_lsp.records.conversations.typed_prompts import NOT_LISTED, TypedPrompts
from anamnesis_lsp.records.conversations.zstd import CompressedJsonLines
from anamnesis_lsp.records.evidence import Speaker

_REMEMBERED = 10_000
_NOBODYS = re.compile(
    rb'"payload":\{"type":"(?:token_count|reasoning|agent_reasoning\w*|exec_command_(?:begin|output_delta))"'
)
_CONFIRMABLE = 64

_SILENT_RECORDS = frozenset(
    (
        "world_state",
        "token_usage_record",
        "retained_context",
        "security_risk_score",
        "inter_agent_communication_metadata",
    )
)
_SILENT_ITEMS = frozenset(
    (
        "reasoning",
        "web_search_call",
        "tool_search_call",
        "tool_search_output",
        "image_generation_call",
        "ghost_snapshot",
        "compaction",
        "compaction_summary",
        "context_compaction",
        "other",
    )
)
_SILENT_EVENTS = re.compile(
    r"token_count|agent_reasoning\w*|task_(?:started|complete)|turn_(?:started|complete|diff)|context_compacted|"
    r"exec_command_(?:begin|output_delta)|patch_apply_(?:begin|updated)|mcp_tool_call_\w+|web_search_\w+|plan_\w+|"
    r"item_(?:started|updated)|background_event|stream_error|stream_info|error|warning|thread_rolled_back|"
    r"thread_settings_applied|\w*review_mode|view_image_tool_call|undo_\w+|collab_\w+|sub_agent_\w+|guardian_\w+|"
    r"agent_message_(?:delta|content_delta)|reasoning_\w+|shutdown_complete|session_configured|deprecation_notice|"
    r"\w+_approval_request|elicitation_\w+|request_user_input|image_generation_\w+|hook_\w+|model_reroute\w*|"
    r"dynamic_tool_call_\w+|skills_update_available|raw_response_item|thread_goal_\w+|user_shell_command"
)
_SILENT_THREAD_ITEMS = frozenset(
    ("Reasoning", "WebSearch", "Plan", "McpToolCall", "ImageView", "ContextCompaction", "SubAgentActivity", "TodoList")
)
"""Item kinds of paginated rollouts that are known and hold nobody's words."""


@dataclass(frozen=True, slots=True)
class Survey:
    """What a look over a file's lines tells before it is read."""

    has_events: bool
    """Whether the person's prompts are recorded as events of their own."""
    own_from: int
    """Offset at which the copy of the parent's lines ends; 0 where there is none."""


@dataclass(slots=True)
class _Call:
    """A tool call, kept until its result is told (a patch a little longer, for the record that confirms it)."""

    draft: Draft
    tool: str
    asked: Asked
    edits: list[Edit] = field(default_factory=lambda: list[Edit]())
    confirmed: bool = False


class _Told:
    """What is told over several channels: each text is taken from the first channel that has it."""

    def __init__(self) -> None:
        self._by_channel: Counter[tuple[str, int]] = Counter()
        self._taken: Counter[int] = Counter()

    def first(self, channel: str, text: str) -> bool:
        """Whether no other channel told of this (the same text may be said twice, and is then told twice by each)."""
        key = hash(text.strip())
        self._by_channel[channel, key] += 1
        if self._by_channel[channel, key] <= self._taken[key]:
            return False
        self._taken[key] += 1
        return True


class CodexReading(Reading):
    """One pass over the rollouts of a thread, oldest first."""

    def __init__(
        self,
        source: Source,
        cancel: CancelToken,
        title: str | None = None,
        prompts: TypedPrompts = NOT_LISTED,
        parent: Callable[[str], Path | None] | None = None,
    ) -> None:
        self.head = Head()
        self.scan = Scan(skipped_lines=0)
        self._source = source
        self._cancel = cancel
        self._title = title
        self._prompts = prompts
        self._parent = parent
        self._is_agent = source.parent_id is not None or source.agent is not None
        self._drafts = Drafts(self.head)
        self._calls: dict[str, _Call] = {}
        self._patches: dict[str, _Call] = {}
        self._background: dict[str, str] = {}
        self._commits: set[str] = set()
        self._said = _Told()
        self._asked = _Told()
        self._survey = Survey(has_events=False, own_from=0)
        self._meta: JsonObject | None = None
        self._own_ordinal: int | None = None
        self._script = False
        self._cwd: str | None = None
        self._model: str | None = None
        self._turn: str | None = None
        self._aborted = False
        self._last_prompt: str | None = None
        self._offset: int | None = None
        self._known = 0

    def __iter__(self) -> Iterator[Turn]:
        for number, part in enumerate(self._source.parts):
            packed = part.path.name.endswith(".zst")
            try:
                self._begin(part.path)
                lines = lines_of(part.path, self._cancel, self._passed_over)
                try:
                    for offset, record in lines:
                        self._offset = None if packed or number else offset
                        self._record(offset, record)
                        yield from self._drafts.ready()
                finally:
                    self.scan.skipped_lines = (self.scan.skipped_lines or 0) + lines.skipped_lines
                    self.scan.incomplete_tail |= lines.incomplete_tail
            except AnamnesisError:
                if not number:
                    raise
                unknown(self.scan, "(a further rollout of this thread that could not be read)")
        yield from self._drafts.rest()
        self._finish()

    def _passed_over(self, line: bytes) -> bool:
        """Lines that are known to hold nobody's words, told by their bytes (a quote in a JSON string is escaped)."""
        if _NOBODYS.search(line, 0, 200) is None:
            return False
        self._known += 1
        return True

    def _begin(self, path: Path) -> None:
        self._meta = None
        self._own_ordinal = None
        self._survey = survey(path, self._cancel, self._parent)

    def _finish(self) -> None:
        if self._title:
            entitle(self.head, self._title, "person", None)
        else:
            entitle(self.head, None, "person", self._drafts.first_words)
        if not self._known and (self.scan.skipped_lines or self.scan.unknown_types):
            self.scan.unknown_types["(not a Codex rollout)"] = 1

    # -- records

    def _record(self, offset: int, record: JsonObject) -> None:
        kind = record.get("type")
        payload: object = record.get("payload")
        if not isinstance(payload, dict):
            self._bare(record)
            return
        body = object_of(cast("object", payload))
        if kind == "session_meta":
            self._known += 1
            if self._meta is None:  # later ones are copied from a parent
                self._session(body, record)
            return
        if offset < self._survey.own_from or self._inherited(record):
            self._known += 1
            return
        when = moment(record.get("timestamp"))
        note(self.head, when)
        if kind == "turn_context":
            self._context(body)
        elif kind == "response_item":
            self._item(body, when)
        elif kind == "event_msg":
            self._event(body, when)
        elif kind == "compacted":
            self._say(Speaker.INJECTED, text_of(body.get("message")), when, "compaction summary")
        elif not isinstance(kind, str) or kind not in _SILENT_RECORDS:
            unknown(self.scan, kind)
            return
        self._known += 1

    def _inherited(self, record: JsonObject) -> bool:
        ordinal = record.get("ordinal")
        return self._own_ordinal is not None and isinstance(ordinal, int) and ordinal < self._own_ordinal

    def _bare(self, record: JsonObject) -> None:
        """Before about 0.32: a head, then items without an envelope."""
        kind = record.get("type")
        if kind is None and text_of(record.get("id")) and "timestamp" in record:
            self._known += 1
            if self._meta is None:
                self._session(record, record)
            return
        if record.get("record_type") is not None:
            self._known += 1
            return
        if isinstance(kind, str) and (kind in _SILENT_ITEMS or kind == "message" or kind.endswith(("call", "output"))):
            self._known += 1
            self._item(record, moment(record.get("timestamp")))
            return
        unknown(self.scan, kind)

    def _session(self, meta: JsonObject, record: JsonObject) -> None:
        self._meta = meta
        head = self.head
        self._cwd = text_of(meta.get("cwd")) or self._cwd
        note(head, moment(meta.get("timestamp")) or moment(record.get("timestamp")), self._cwd)
        head.version = text_of(meta.get("cli_version")) or head.version
        source = meta.get("source")
        self._script = source == "exec"
        if source not in ("cli", None):
            self._prompts = NOT_LISTED  # only the terminal lists what was typed
        start = meta.get("subagent_history_start_ordinal")
        if isinstance(start, int) and not isinstance(start, bool):
            self._own_ordinal = start
        git = object_of(meta.get("git"))
        for key, listed in (
            ("commit_hash", head.head_commits),
            ("branch", head.branches),
            ("repository_url", head.remotes),
        ):
            value = text_of(git.get(key))
            if value and value not in listed:
                listed.append(value)

    def _context(self, body: JsonObject) -> None:
        self._cwd = text_of(body.get("cwd")) or self._cwd
        self._model = text_of(body.get("model")) or self._model
        self._turn = text_of(body.get("turn_id")) or self._turn
        note(self.head, None, self._cwd)

    # -- items: what the model saw and said

    def _item(self, item: JsonObject, when: datetime | None) -> None:
        kind = item.get("type")
        if kind == "message" or (kind is None and text_of(item.get("role"))):
            self._message(item, when)
        elif kind == "function_call":
            tool = text_of(item.get("name")) or ""
            space = text_of(item.get("namespace"))
            self._call(item, f"{space}{tool}" if space else tool, arguments_of(item.get("arguments")), None, when)
        elif kind == "custom_tool_call":
            given, tool = item.get("input"), text_of(item.get("name")) or ""
            self._call(
                item,
                text_of(item.get("name")) or "",
                arguments_of(given),
                given if isinstance(given, str) else None,
                when,
            )
        elif kind == "local_shell_call":
            self._call(item, "local_shell_call", object_of(item.get("action")), None, when)
        elif kind in ("function_call_output", "custom_tool_call_output", "local_shell_call_output"):
            self._result(text_of(item.get("call_id")), output_of(item.get("output")), when)
        elif not isinstance(kind, str) or kind not in _SILENT_ITEMS:
            unknown(self.scan, f"response_item {kind}"[:60])

    def _message(self, item: JsonObject, when: datetime | None) -> None:
        role = item.get("role")
        identity = text_of(item.get("id"))
        if role == "assistant":
            self._reply("item", text_of_parts(item.get("content")), when, identity)
        elif role == "user":
            asked, injected = split_message(item)
            for name, text in injected:
                self._say(Speaker.INJECTED, text, when, name)
            if not self._survey.has_events:
                self._prompt("item", asked, when, identity)
        elif role in ("developer", "system"):
            self._say(Speaker.INJECTED, text_of_parts(item.get("content")), when, str(role))
        else:
            unknown(self.scan, f"message of {role}"[:60])

    def _prompt(self, channel: str, text: str, when: datetime | None, identity: str | None = None) -> None:
        text = text.strip()
        if not text or not self._asked.first(channel, text):
            return
        repeated = self._aborted and text == self._last_prompt
        self._aborted = False
        if repeated:
            return
        self._last_prompt = text
        if self._is_agent:
            self._say(Speaker.ASSISTANT, text, when, "prompt to a sub-agent", identity)
            self._drafts.first_words = self._drafts.first_words or text
        elif self._script:
            self._say(Speaker.INJECTED, text, when, "codex exec", identity)
            self._drafts.first_words = self._drafts.first_words or text
        else:
            self._say(Speaker.PERSON, text, when, None, identity or (self._turn and f"{self._turn}:prompt"))
            self._prompts.check(self.scan, text)

    def _reply(self, channel: str, text: str, when: datetime | None, identity: str | None = None) -> None:
        if not text.strip() or not self._said.first(channel, text):
            return
        self._aborted = False
        self._drafts.current = self._say(
            Speaker.SUBAGENT if self._is_agent else Speaker.ASSISTANT, text, when, self._name(), identity
        )

    def _name(self) -> str | None:
        return (self._source.agent or self._model) if self._is_agent else self._model

    def _say(
        self, speaker: Speaker, text: str | None, when: datetime | None, name: str | None, identity: str | None = None
    ) -> Draft | None:
        return self._drafts.say(speaker, text, when, offset=self._offset, name=name, cwd=self._cwd, native_id=identity)

    def _working(self, when: datetime | None, identity: str | None) -> Draft:
        """The reply that a tool call belongs to."""
        if self._drafts.current is None:
            speaker = Speaker.SUBAGENT if self._is_agent else Speaker.ASSISTANT
            self._drafts.current = self._drafts.open(
                speaker, when, offset=self._offset, name=self._name(), cwd=self._cwd, native_id=identity
            )
        return self._drafts.current

    # -- tools

    def _call(self, item: JsonObject, tool: str, arguments: JsonObject, raw: str | None, when: datetime | None) -> None:
        identity = text_of(item.get("call_id")) or text_of(item.get("id"))
        if not tool:
            return
        self._aborted = False
        asked = asked_by(tool, arguments, raw)
        if tool.removeprefix("functions.") == "write_stdin":
            command = self._background.get(str(arguments.get("session_id")))
            asked = Asked(command=command) if command else asked
        waits = bool(asked.edits or asked.command or asked.is_patch or tool == "request_user_input")
        if not waits and not asked.looks_at:
            return
        draft = self._working(when, identity)
        if asked.looks_at:
            draft.mentions[asked.looks_at] = None
        if tool == "request_user_input":
            for question in objects_of(arguments.get("questions")):
                self._drafts.add(draft, text_of(question.get("question")) or "")
        call = _Call(draft, tool, asked, list(asked.edits))
        draft.edits += call.edits
        if identity and waits and identity not in self._calls and len(self._calls) < _REMEMBERED:
            draft.waiting.add(identity)
            self._calls[identity] = call
            if asked.is_patch:
                self._patches[identity] = call
                while len(self._patches) > _CONFIRMABLE:
                    self._patches.pop(next(iter(self._patches)))

    def _result(self, identity: str | None, output: Output, when: datetime | None) -> None:
        call = self._calls.pop(identity, None) if identity else None
        if call is None or identity is None:
            return
        call.draft.waiting.discard(identity)
        if call.tool == "request_user_input":
            answer = answers_of(output.text)
            if answer and not self._is_agent:
                self._say(Speaker.PERSON, answer, when, None, identity)
            return
        if not call.confirmed:
            outcome = outcome_of(output, patch=call.asked.is_patch or call.asked.command is None)
            if call.asked.command is None and not call.asked.is_patch and outcome is EditOutcome.UNCONFIRMED:
                outcome = EditOutcome.APPLIED  # another server's tool that returned, and said nothing of a failure
            self._settle(call, list(settled(call.edits, outcome)))
        if call.asked.command is not None:
            if output.session and len(self._background) < _REMEMBERED:
                self._background[output.session] = call.asked.command
            self._committed(call.draft, call.asked.command, output.text, output.exit_code)

    def _settle(self, call: _Call, edits: list[Edit]) -> None:
        """Put the edits as they are known now in the place of the call's own."""
        own = {id(edit) for edit in call.edits}
        held = call.draft.edits
        at = next((i for i, edit in enumerate(held) if id(edit) in own), len(held))
        held[:] = [edit for edit in held if id(edit) not in own]
        held[at:at] = edits
        call.edits = edits

    def _committed(self, draft: Draft, command: str, output: str, exit_code: int | None) -> None:
        """The commits that a command made: it succeeded, and its output names them."""
        if exit_code not in (0, None) and not _goes_on_after_commit(command):
            return
        for commit in shell.commits_in(command, output):
            if commit.hash not in self._commits:
                self._commits.add(commit.hash)
                draft.commits.append(commit)

    def _confirm(self, identity: str | None, record: JsonObject, when: datetime | None) -> None:
        """What a patch did, as the record of its application says: before what the call asked for."""
        outcome = state_of(record)
        edits = list(settled(changed_files(record.get("changes")), outcome))
        call = self._patches.pop(identity, None) if identity else None
        if call is None and edits:
            call = next((one for one in self._patches.values() if _same_files(one, edits)), None)
            for key in [key for key, one in self._patches.items() if one is call]:
                del self._patches[key]
        if call is None:
            if edits and identity not in self._calls:
                self._working(when, identity).edits += edits
            return
        call.confirmed = True
        self._settle(call, edits if edits else list(settled(call.edits, outcome)))

    # -- events: what people saw

    def _event(self, event: JsonObject, when: datetime | None) -> None:
        kind = event.get("type")
        if kind == "user_message":
            self._prompt("event", asked_in(text_of(event.get("message")) or ""), when)
        elif kind == "agent_message":
            self._reply("event", text_of(event.get("message")) or "", when)
        elif kind == "item_completed":
            self._thread_item(object_of(event.get("item")), when)
        elif kind == "patch_apply_end":
            self._confirm(text_of(event.get("call_id")), event, when)
        elif kind == "exec_command_end":
            self._ran(event, text_of(event.get("call_id")), when)
        elif kind == "turn_aborted":
            self._aborted = True
        elif kind == "thread_name_updated":
            self._title = text_of(event.get("thread_name")) or text_of(event.get("name")) or self._title
        elif not isinstance(kind, str) or not _SILENT_EVENTS.fullmatch(kind):
            unknown(self.scan, f"event_msg {kind}"[:60])

    def _thread_item(self, item: JsonObject, when: datetime | None) -> None:
        kind, identity = item.get("type"), text_of(item.get("id"))
        if kind == "UserMessage":
            self._prompt("thread", asked_in(text_of_parts(item.get("content"))), when, identity)
        elif kind == "AgentMessage":
            text = text_of_parts(item.get("content")) or text_of(item.get("text")) or ""
            self._reply("thread", text, when, identity)
        elif kind == "FileChange":
            self._confirm(identity, item, when)
        elif kind == "CommandExecution":
            self._ran(item, identity, when)
        elif not isinstance(kind, str) or kind not in _SILENT_THREAD_ITEMS:
            unknown(self.scan, f"item {kind}"[:60])

    def _ran(self, record: JsonObject, identity: str | None, when: datetime | None) -> None:
        """A command as it really ran (in code mode only this tells of it)."""
        asked = asked_by("shell", {"command": record.get("command"), "workdir": record.get("cwd")})
        exit_code = record.get("exit_code")
        code = exit_code if isinstance(exit_code, int) and not isinstance(exit_code, bool) else None
        text = text_of(record.get("aggregated_output")) or text_of(record.get("stdout")) or ""
        call = self._calls.get(identity or "")
        if asked.command is None and not asked.edits:
            return
        if call is not None:
            if asked.command is not None:
                self._committed(call.draft, asked.command, text, code)
            return
        edits = [] if asked.is_patch else list(settled(asked.edits, outcome_of(Output(text, code), patch=False)))
        if not edits and "commit" not in (asked.command or ""):
            return
        draft = self._working(when, identity)
        known = {(edit.path, edit.written) for edit in draft.edits}
        draft.edits += [edit for edit in edits if (edit.path, edit.written) not in known]
        self._committed(draft, asked.command or "", text, code)


def lines_of(path: Path, cancel: CancelToken, ignore: Callable[[bytes], bool] | None = None) -> JsonLines:
    """The records of a rollout, compressed or not."""
    if path.name.endswith(".zst"):
        return CompressedJsonLines(path, cancel, ignore=ignore)
    return JsonLines(path, cancel, ignore=ignore)


_TYPED = re.compile(rb'"type"\s*:\s*"(?:user_message|UserMessage)"')
_TURN = re.compile(rb'"type"\s*:\s*"(?:turn_context|task_started|turn_started)"')


def survey(path: Path, cancel: CancelToken, parent: Callable[[str], Path | None] | None) -> Survey:
    """Look over a rollout's lines. Raises ``recordGone``, ``storeUnreadable``."""
    has_events = False
    first = True

    def passed_over(line: bytes) -> bool:
        nonlocal has_events, first
        start = line[:2048]
        has_events = has_events or _TYPED.search(start) is not None
        if first:
            first = False
            return False
        return _TURN.search(start[:512]) is None

    turns: list[tuple[int, str]] = []
    origin: str | None = None
    for offset, record in lines_of(path, cancel, passed_over):
        body = object_of(record.get("payload"))
        if record.get("type") == "session_meta" and origin is None:
            spawned = object_of(object_of(object_of(body.get("source")).get("subagent")).get("thread_spawn"))
            origin = (
                text_of(body.get("forked_from_id"))
                or text_of(body.get("parent_thread_id"))
                or text_of(spawned.get("parent_thread_id"))
            )
        turn = text_of(body.get("turn_id"))
        if turn:
            turns.append((offset, turn))
    return Survey(has_events, _own_from(turns, origin, cancel, parent))


def _own_from(
    turns: list[tuple[int, str]], origin: str | None, cancel: CancelToken, parent: Callable[[str], Path | None] | None
) -> int:
    """Where the lines that were copied from the parent end, told by the turns that the parent has too."""
    path = parent(origin) if origin and parent and turns else None
    if path is None:
        return 0
    theirs: set[str] = set()
    try:
        for _, record in lines_of(path, cancel, lambda line: _TURN.search(line[:512]) is None):
            turn = text_of(object_of(record.get("payload")).get("turn_id"))
            if turn:
                theirs.add(turn)
    except AnamnesisError:
        return 0
    last = max((at for at, (_, turn) in enumerate(turns) if turn in theirs), default=-1)
    if last < 0:
        return 0
    return turns[last + 1][0] if last + 1 < len(turns) else 1 << 62


def _same_files(call: _Call, edits: list[Edit]) -> bool:
    """Whether the confirmed paths are those that a call asked for (recorded relative to the turn's directory)."""
    if not call.edits or call.confirmed:
        return False
    return all(any(_ends_in(edit.path, asked.path) for edit in edits) for asked in call.edits)


def _ends_in(path: str, ending: str) -> bool:
    ending = ending.removeprefix("./")
    return path == ending or path.replace("\\", "/").endswith("/" + ending.lstrip("/"))


def _goes_on_after_commit(command: str) -> bool:
    """Whether the exit code may be of a later command (``git commit … && git push``)."""
    return re.search(r"\bcommit\b.*?(?:&&|;|\n)\s*\S", command, re.DOTALL) is not None
