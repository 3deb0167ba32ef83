"""Claude Code: one pass over a transcript, from lines to turns. Rules: ``formats/FORMATS.md`` section 1.

Lines are read in file order (a transcript is a tree, but a rewound branch still tells why) and merged where one reply
of the model spans several. A turn waits for the results of its tool calls before it is handed out, so that every
edit says what became of it; at most :data:`_WAITING` turns wait. Results of tools are read for the outcome and for
commits only: what a tool printed is never text that somebody wrote.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Any

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.errors import AnamnesisError
from anamnesis_lsp.records.conversations import shell
from anamnesis_lsp.records.conversations.claude_queue import PromptQueue
from anamnesis_lsp.records.conversations.claude_results import (
    command_of,
    commits_of,
    outcome_of,
    plan_edits,
    pull_request_of,
    questions_of,
    saved_output,
    settled_by,
    shell_edits,
)
from anamnesis_lsp.records.conversations.claude_words import (
    Words,
    answers_in,
    feedback_in,
    rename_of,
    text_of_content,
    words_beside_results,
    words_of_enqueued,
    words_of_local_command,
    words_of_queued,
    words_of_user,
)
from anamnesis_lsp.records.conversations.jsonl import JsonLines, JsonObject, object_of, objects_of, text_of
from anamnesis_lsp.records.conversations.model import (
    CommitMade,
    Edit,
    EditOutcome,
    Head,
    Reading,
    Scan,
    Source,
    Turn,
    name_once,
)
from anamnesis_lsp.records.conversations.seen import Seen
from anamnesis_lsp.records.conversations.times import moment
from anamnesis_lsp.records.conversations.tool_edits import edits_files, path_of, proposed_edits
from anamnesis_lsp.records.conversations.typed_prompts import NOT_LISTED, TypedPrompts
from anamnesis_lsp.records.evidence import Speaker

_WAITING = 256
_SHELL_OUTPUT = "!"
_HELD_CHARS = 24_000_000
_TITLE_LENGTH = 120
_REMEMBERED = 10_000

_SILENT_TYPES = frozenset(
    (
        "progress",
        "file-history-snapshot",
        "agent-name",
        "agent-setting",
        "last-prompt",
        "mode",
        "permission-mode",
        "worktree-state",
    )
)
"""Record types that are known and hold no words: passed over, and not told as unknown."""

_SKIPPED_PROGRESS = re.compile(rb'"type":"progress","data":\{"type":"(?!agent_progress|skill_progress)\w+"')
_PROGRESS = b'"type":"progress","data":'
_READ_RESULT = b'"toolUseResult":{"type":"text","file":{'
_ORIGINAL = b'"originalFile":"'
_PATCH_AFTER_IT = b'","structuredPatch":[{'
_SNAPSHOT = b'{"type":"file-history-snapshot"'

_OUTPUT_TOOLS = frozenset(("BashOutput", "TaskOutput", "AgentOutputTool", "KillShell"))
_LOOKING_TOOLS = frozenset(("Read", "Grep", "Glob", "LS", "LSP", "NotebookRead"))
_AGENT_TOOLS = frozenset(("Task", "Agent"))
_SESSION_LINK = re.compile(r"(?:cse|session)_(\w{6,64})")


@dataclass(slots=True)
class _Open:
    """A turn that is still being put together."""

    speaker: Speaker
    offset: int | None
    when: datetime | None
    name: str | None
    cwd: str | None
    branch: str | None
    native_id: str | None
    lane: str | None = None
    message_id: str | None = None
    texts: list[str] = field(default_factory=lambda: list[str]())
    edits: list[Edit] = field(default_factory=lambda: list[Edit]())
    commits: list[CommitMade] = field(default_factory=lambda: list[CommitMade]())
    mentions: dict[str, None] = field(default_factory=lambda: dict[str, None]())
    waiting: set[str] = field(default_factory=lambda: set[str]())
    size: int = 0
    """Characters held, about."""

    def turn(self, n: int) -> Turn:
        return Turn(
            n,
            self.speaker,
            "\n\n".join(self.texts),
            self.when,
            tuple(self.edits),
            tuple(self.commits),
            tuple(self.mentions),
            self.name,
            self.cwd,
            self.branch,
            self.native_id,
            self.offset,
        )

    @property
    def empty(self) -> bool:
        """Whether nothing would be lost without it; a person's turn never is."""
        return not (self.texts or self.edits or self.commits or self.mentions or self.speaker is Speaker.PERSON)


@dataclass(frozen=True, slots=True)
class _Call:
    """A tool call whose result is still to come. ``first`` and ``count`` say which edits of its turn are its own."""

    turn: _Open
    tool: str
    first: int = 0
    count: int = 0
    command: str | None = None
    plan: str | None = None


class ClaudeReading(Reading):
    """One pass over the parts of a Claude Code conversation, records of the same uuid read once."""

    def __init__(self, source: Source, cancel: CancelToken, typed: TypedPrompts = NOT_LISTED) -> None:
        self.head = Head()
        self.scan = Scan(skipped_lines=0)
        self._source = source
        self._cancel = cancel
        self._typed = NOT_LISTED if source.parent_id else typed
        self._is_agent = source.parent_id is not None or source.agent is not None or source.id.startswith("agent-")
        self.title_of_agent: str | None = None
        """What the parent called the task, where the sub-agent's description is kept."""
        self._queue: deque[_Open] = deque()
        self._current: dict[str | None, _Open] = {}
        self._calls: dict[str, _Call] = {}
        self._agents: dict[str, str] = {}
        self._background: dict[str, str] = {}
        self._prompts = PromptQueue()
        self._seen = Seen()
        self._part = 0
        self._number = 0
        self._offset: int | None = None
        self._titles: dict[str, str] = {}
        self._summaries: list[tuple[str, str]] = []
        self._first_words: str | None = None
        self._plan: str | None = None
        self._shell: tuple[_Open, str] | None = None
        self._agent_files: frozenset[str] | None = None
        self._known = 0
        self._held = 0

    def __iter__(self) -> Iterator[Turn]:
        if self._typed.listed:
            self.scan.unverified_person_turns = 0
        for number, part in enumerate(self._source.parts):
            self._part = number
            lines = JsonLines(part.path, self._cancel, ignore=self._passed_over, trim=_without_original)
            try:
                for offset, record in lines:
                    self._offset = None if self._part else offset
                    self._record(record)
                    yield from self._ready(_WAITING)
            except AnamnesisError:
                if not self._part:
                    raise
                self._unknown("(a copy that could not be read)")
            finally:
                self.scan.skipped_lines = (self.scan.skipped_lines or 0) + lines.skipped_lines
                self.scan.incomplete_tail |= lines.incomplete_tail
        self._finish()
        self._current.clear()
        yield from self._ready(0)

    def _passed_over(self, line: bytes) -> bool:
        """Lines that are known to matter to nobody, told by their bytes. A quote in a JSON string is escaped, so
        these can only match structure."""
        if line.startswith(_SNAPSHOT) or (
            line.find(_PROGRESS, 0, 4096) >= 0 and _SKIPPED_PROGRESS.search(line, 0, 4096) is not None
        ):
            self._known += 1
            return True
        return len(line) > 4096 and _READ_RESULT in line and line.count(b'"tool_use_id":') == 1

    # -- turns: opened, settled, handed out in order

    def _ready(self, waiting: int) -> Iterator[Turn]:
        queue = self._queue
        while queue and (
            len(queue) > waiting
            or self._held > _HELD_CHARS
            or not (queue[0].waiting or self._current.get(queue[0].lane) is queue[0])
        ):
            done = queue.popleft()
            self._held -= done.size
            for call in done.waiting:
                self._calls.pop(call, None)
            if not done.empty:
                self._number += 1
                yield done.turn(self._number)

    def _open(self, speaker: Speaker, record: JsonObject, lane: str | None, name: str | None = None) -> _Open:
        branch = text_of(record.get("gitBranch"))
        turn = _Open(
            speaker,
            self._offset,
            moment(record.get("timestamp")),
            name,
            text_of(record.get("cwd")),
            None if branch == "HEAD" else branch,
            text_of(record.get("uuid")),
            lane,
        )
        self._queue.append(turn)
        return turn

    def _hold(self, turn: _Open, size: int) -> None:
        turn.size += size
        self._held += size

    def _say(self, words: Words | None, record: JsonObject, lane: str | None = None) -> _Open | None:
        """Open a turn that is complete with these words."""
        self._close_shell()
        if words is None:
            return None
        self._current.pop(lane, None)
        turn = self._open(words.speaker, record, lane, words.name)
        if words.text:
            turn.texts.append(words.text)
            self._hold(turn, len(words.text))
        if self._first_words is None and words.text and (words.speaker is Speaker.PERSON or self._is_agent):
            self._first_words = words.text
        if words.name == "plan" and self._plan is None:
            self._plan = words.text
        if words.typed and words.text:
            self._typed.check(self.scan, words.text)
        if words.shell:
            self._shell = (turn, words.shell)
            turn.waiting.add(_SHELL_OUTPUT)
        return turn

    def _say_once(self, words: Words | None, record: JsonObject) -> None:
        """Open a turn with these words unless a row of the queue has told of them."""
        if words is None or self._prompts.told_already(words.text, moment(record.get("timestamp"))):
            return
        self._prompts.sent(words.text)
        self._say(words, record)

    def _close_shell(self) -> None:
        """The person's ``!`` command waits for its output no longer."""
        if self._shell is not None:
            self._shell[0].waiting.discard(_SHELL_OUTPUT)
            self._shell = None

    # -- records

    def _record(self, record: JsonObject) -> None:
        kind = record.get("type")
        if kind in ("assistant", "user"):
            if not object_of(record.get("message")).get("content"):
                if not isinstance(record.get("message"), dict) or "content" not in object_of(record.get("message")):
                    self._unknown(f"{kind} without content")
                    return
            elif self._fresh(record):
                self._note(record)
                if kind == "assistant":
                    self._assistant(record, self._lane(record))
                else:
                    self._user(record, self._lane(record))
        elif kind == "progress":
            self._progress(record)
        elif kind == "attachment":
            self._attachment(record)
        elif kind == "queue-operation":
            self._queued(record)
        elif kind == "system":
            self._system(record)
        elif kind == "summary":
            summary, leaf = text_of(record.get("summary")), text_of(record.get("leafUuid"))
            if summary and len(self._summaries) < _REMEMBERED:
                self._summaries.append((summary, leaf or ""))
        elif kind in ("custom-title", "ai-title"):
            title = text_of(record.get("customTitle" if kind == "custom-title" else "aiTitle"))
            if title:
                self._titles[str(kind)] = title
        elif kind == "bridge-session":
            self._link(record)
        elif kind == "pr-link":
            self._pull_request(text_of(record.get("prUrl")))
        elif not isinstance(kind, str) or kind not in _SILENT_TYPES:
            self._unknown(kind[:60] if isinstance(kind, str) else "(none)")
            return
        self._known += 1

    def _unknown(self, name: str) -> None:
        known = self.scan.unknown_types
        if name in known or len(known) < 100:
            known[name] = known.get(name, 0) + 1

    def _fresh(self, record: JsonObject) -> bool:
        """Whether this record was not read before: copies keep the uuid (forks, resumed files, two writers)."""
        identity = record.get("uuid")
        return not isinstance(identity, str) or self._seen.add(identity)

    def _lane(self, record: JsonObject) -> str | None:
        """Which of the conversations woven into this file: None for the main one, else the sub-agent's."""
        if record.get("isSidechain") is not True or self._is_agent:
            return None
        return text_of(record.get("agentId")) or "sidechain"

    def _note(self, record: JsonObject) -> None:
        head = self.head
        when = moment(record.get("timestamp"))
        if when is not None:
            if head.started is None or when < head.started:
                head.started = when
            if head.ended is None or when > head.ended:
                head.ended = when
        cwd, branch, version = record.get("cwd"), record.get("gitBranch"), record.get("version")
        if isinstance(cwd, str):
            name_once(head.cwds, cwd)
        if isinstance(branch, str) and branch != "HEAD":
            name_once(head.branches, branch)
        if isinstance(version, str) and version:
            head.version = version

    def _assistant(self, record: JsonObject, lane: str | None) -> None:
        self._close_shell()
        message = object_of(record.get("message"))
        content = message.get("content")
        model = text_of(message.get("model"))
        if record.get("isCompactSummary") is True or model == "<synthetic>" or record.get("isApiErrorMessage") is True:
            text = text_of_content(content).strip()
            name = "compaction summary" if record.get("isCompactSummary") is True else "notice"
            self._say(Words(Speaker.INJECTED, text, name) if text else None, record, lane)
            return
        identity = text_of(message.get("id"))
        turn = self._current.get(lane)
        if turn is None or identity is None or turn.message_id != identity:
            agent = lane is not None or self._is_agent
            name = self._agents.get(lane or "", self._source.agent) if agent else None
            turn = self._open(Speaker.SUBAGENT if agent else Speaker.ASSISTANT, record, lane, name or model)
            turn.message_id = identity
            self._current[lane] = turn
        if isinstance(content, str):
            if content.strip():
                turn.texts.append(content.strip())
                self._hold(turn, len(content))
            return
        for block in objects_of(content):
            kind = block.get("type")
            if kind == "text":
                text = block.get("text")
                if isinstance(text, str) and text.strip():
                    turn.texts.append(text.strip())
                    self._hold(turn, len(text))
            elif kind == "tool_use":
                self._call(block, turn)
                own = turn.edits[-64:]
                self._hold(turn, 200 + sum(len(edit.written) + len(edit.removed or "") for edit in own))

    def _call(self, block: JsonObject, turn: _Open) -> None:
        tool, identity = text_of(block.get("name")), text_of(block.get("id"))
        arguments = object_of(block.get("input"))
        if tool is None:
            return
        call = _Call(turn, tool)
        if tool in _LOOKING_TOOLS:
            for key in ("file_path", "path", "notebook_path", "filePath"):
                path = text_of(arguments.get(key))
                if path:
                    turn.mentions[path] = None
            return
        if tool == "ExitPlanMode":
            plan = text_of(arguments.get("plan"))
            if plan and plan.strip():
                turn.texts.append(plan.strip())
            call = replace(call, plan=plan)
        elif tool == "AskUserQuestion":
            turn.texts += questions_of(arguments)
        elif tool in _AGENT_TOOLS:
            agent = text_of(arguments.get("subagent_type"))
            if identity and agent and len(self._agents) < _REMEMBERED:
                self._agents[identity] = agent
            return
        elif tool in _OUTPUT_TOOLS:
            of = next(
                (text_of(arguments.get(key)) for key in ("task_id", "bash_id", "shell_id") if arguments.get(key)), None
            )
            command = self._background.get(of or "")
            if command is None:
                return
            call = replace(call, command=command)
        elif (command := command_of(tool, arguments)) is not None:
            edits = shell_edits(tool, command)
            call = replace(call, command=command, first=len(turn.edits), count=len(edits))
            turn.edits += edits
        elif edits_files(tool):
            edits = proposed_edits(tool, arguments)
            call = replace(call, first=len(turn.edits), count=len(edits))
            turn.edits += edits
            if not edits:
                path = path_of(arguments)
                if path:
                    turn.mentions[path] = None
        else:
            path = text_of(arguments.get("file_path")) or text_of(arguments.get("relative_path"))
            if path:
                turn.mentions[path] = None
            return
        if identity:
            turn.waiting.add(identity)
            self._calls[identity] = call

    def _user(self, record: JsonObject, lane: str | None) -> None:
        content = object_of(record.get("message")).get("content")
        results = [block for block in objects_of(content) if block.get("type") == "tool_result"]
        if not results:
            if lane is not None or self._is_agent:
                self._agent_prompt(record, lane)
                return
            raw = text_of_content(content)
            if self._shell is not None and raw.lstrip().startswith("<bash-std"):
                turn, command = self._shell
                turn.commits += shell.commits_in(
                    command, raw.replace("<bash-stdout>", "").replace("</bash-stdout>", "")
                )
                self._close_shell()
                return
            title = rename_of(raw)
            if title:
                self._titles["custom-title"] = title
            words = words_of_user(record)
            self._say_once(words, record)
            return
        detail = record.get("toolUseResult")
        for block in results:
            self._result(block, detail if len(results) == 1 else None, record, lane)
        if len(content or ()) > len(results) and lane is None and not self._is_agent:
            self._say_once(words_beside_results(record), record)

    def _agent_prompt(self, record: JsonObject, lane: str | None) -> None:
        """What opens a sub-agent's part: the parent agent wrote it."""
        if record.get("isMeta") is True or record.get("isCompactSummary") is True:
            self._say(words_of_user(record), record, lane)
            return
        text = text_of_content(object_of(record.get("message")).get("content")).strip()
        if text:
            self._say(Words(Speaker.ASSISTANT, text, "prompt to a sub-agent"), record, lane)

    def _result(self, block: JsonObject, detail: object, record: JsonObject, lane: str | None) -> None:
        identity = text_of(block.get("tool_use_id"))
        call = self._calls.pop(identity, None) if identity else None
        printed = text_of_content(block.get("content"))
        outcome = outcome_of(block, detail, printed)
        result = object_of(detail)
        if call is not None and identity is not None:
            call.turn.waiting.discard(identity)
            if call.command is not None:
                self._ran(call, detail, printed, outcome)
            elif call.count:
                own = call.turn.edits[call.first : call.first + call.count]
                call.turn.edits[call.first : call.first + call.count] = settled_by(own, result, outcome)
        said = feedback_in(printed) or (feedback_in(detail) if isinstance(detail, str) else None)
        if said is None and result.get("answers"):
            said = answers_in(result)
        if said is None and call is not None and call.plan is not None:
            said = plan_edits(call.plan, result)
        if said and lane is None and not self._is_agent:
            self._say(Words(Speaker.PERSON, said), record)

    def _ran(self, call: _Call, detail: object, printed: str, outcome: EditOutcome) -> None:
        """What the result of a shell command shows."""
        command, turn, result = call.command or "", call.turn, object_of(detail)
        for at in range(call.first, call.first + call.count):
            # A failing chain may have failed after the write: the record does not say.
            settled = EditOutcome.UNCONFIRMED if outcome is EditOutcome.FAILED else outcome
            turn.edits[at] = replace(turn.edits[at], outcome=settled)
        background = text_of(result.get("backgroundTaskId")) or text_of(result.get("shellId"))
        if background and len(self._background) < _REMEMBERED:
            self._background[background] = command
        if outcome is EditOutcome.REJECTED:
            return
        known = {one.hash for one in turn.commits}
        made = commits_of(command, detail, printed, partial(saved_output, self._source.path))
        turn.commits += [one for one in made if one.hash not in known]
        self._pull_request(pull_request_of(result))

    def _pull_request(self, url: str | None) -> None:
        name_once(self.head.pull_requests, url)

    def _progress(self, record: JsonObject) -> None:
        """A sub-agent's message inside the parent's file (2.1.x), where the sub-agent has no file of its own."""
        data = object_of(record.get("data"))
        message = object_of(data.get("message"))
        if data.get("type") not in ("agent_progress", "skill_progress") or message.get("type") not in (
            "user",
            "assistant",
        ):
            return
        agent = text_of(data.get("agentId")) or text_of(record.get("toolUseID")) or "agent"
        if agent in self._own_files():
            return
        inner: dict[str, Any] = {
            **message,
            "cwd": record.get("cwd"),
            "gitBranch": record.get("gitBranch"),
            "version": record.get("version"),
            "timestamp": message.get("timestamp") or record.get("timestamp"),
            "uuid": message.get("uuid") or record.get("uuid"),
        }
        if not self._fresh(inner):
            return
        self._note(inner)
        parent = text_of(record.get("parentToolUseID"))
        if parent and parent in self._agents:
            self._agents.setdefault(agent, self._agents[parent])
        if message.get("type") == "assistant":
            self._assistant(inner, agent)
        else:
            self._user(inner, agent)

    def _own_files(self) -> frozenset[str]:
        """The ids of this conversation's sub-agents that have files of their own."""
        if self._agent_files is None:
            folder = self._source.path.with_suffix("") / "subagents"
            try:
                names = [path.stem for path in folder.rglob("agent-*.jsonl")]
            except OSError:
                names = []
            self._agent_files = frozenset(name.removeprefix("agent-") for name in names)
        return self._agent_files

    def _attachment(self, record: JsonObject) -> None:
        attachment = object_of(record.get("attachment"))
        if attachment.get("type") != "queued_command" or not self._fresh(record):
            return
        self._note(record)
        if not self._is_agent:
            self._say_once(words_of_queued(attachment), record)

    def _queued(self, record: JsonObject) -> None:
        text = text_of_content(record.get("content"))
        row = self._prompts.row(record.get("operation"), text, record.get("reason"), moment(record.get("timestamp")))
        if row is None:
            return
        words = words_of_enqueued(row[0])
        if words is None or words.speaker is not Speaker.PERSON or words.text.startswith("/"):
            return
        turn = self._say(words, record)
        if turn is not None:
            self._prompts.told(words.text, turn.when)
            turn.when = row[1] or turn.when
            turn.cwd = self.head.cwds[-1] if self.head.cwds else None

    def _system(self, record: JsonObject) -> None:
        subtype, content = record.get("subtype"), record.get("content")
        if isinstance(content, str) and (subtype == "local_command" or content.startswith("<command-")):
            title = rename_of(content)
            if title:
                self._titles["custom-title"] = title
            elif self._fresh(record):
                words = words_of_local_command(content)
                if words is not None:
                    self._note(record)
                    self._say(words, record)
        elif subtype == "bridge_status":
            self._link(record)

    def _link(self, record: JsonObject) -> None:
        """The spellings ``cse_…`` and ``session_…`` are one id; people open the second."""
        for value in record.values():
            if isinstance(value, str):
                for suffix in _SESSION_LINK.findall(value):
                    url = f"https://claude.ai/code/session_{suffix}"
                    name_once(self.head.links, url)

    def _finish(self) -> None:
        head, titles = self.head, self._titles
        own = [summary for summary, leaf in self._summaries if leaf in self._seen]
        if self.title_of_agent:
            head.title, head.title_from = self.title_of_agent, "assistant"
        elif "custom-title" in titles:
            head.title, head.title_from = titles["custom-title"], "person"
        elif "ai-title" in titles:
            head.title, head.title_from = titles["ai-title"], "assistant"
        elif own:
            head.title, head.title_from = own[-1], "assistant"
        elif self._first_words:
            head.title, head.title_from = shortened(self._first_words), "first turn"
        elif self._plan:
            heading = re.search(r"^#+ +(\S.*)$", self._plan, re.MULTILINE)
            head.title, head.title_from = shortened(heading[1] if heading else self._plan), "assistant"
        if not self._known and (self.scan.skipped_lines or self.scan.unknown_types):
            self.scan.unknown_types["(not a Claude Code transcript)"] = 1


def _without_original(line: bytes) -> bytes:
    """An edit's result without the file as it was: the patch beside it says what changed, in a tenth of the bytes."""
    at = line.find(_ORIGINAL)
    if at < 0:
        return line
    end = line.find(_PATCH_AFTER_IT, at)
    return line if end < 0 else line[:at] + b'"originalFile":null' + line[end + 1 :]


def shortened(text: str) -> str:
    """The first line with something in it, at most 120 characters: a title, never evidence."""
    line = next((line.strip() for line in text.split("\n") if line.strip()), "")
    return line if len(line) <= _TITLE_LENGTH else line[: _TITLE_LENGTH - 1].rstrip() + "…"
