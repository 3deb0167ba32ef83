"""The event log of Copilot's agent, from lines to turns: Copilot CLI, and the transcripts VS Code writes of its chats.

Rules: ``formats/FORMATS.md`` sections 6b and 6c. A person's message is a ``user.message`` without ``source`` that no
autopilot continued and no agent wrote; ``content`` is what was typed, ``transformedContent`` is not. An edit is settled
by its ``tool.execution_complete``. Events that a rewind took away are told, and their edits as undone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.records.conversations.drafts import (
    Draft,
    Drafts,
    arguments_of,
    entitle,
    exact_edits,
    note,
    unknown,
)
from anamnesis_lsp.records.conversations.jsonl import JsonLines, JsonObject, object_of, objects_of, text_of
from anamnesis_lsp.records.conversations.model import Edit, EditOutcome, Head, Reading, Scan, Source, Turn, name_once
from anamnesis_lsp.records.conversations.seen import Seen
from anamnesis_lsp.records.conversations.times import moment
from anamnesis_lsp.records.evidence import Speaker

_SILENT = re.compile(
    r"""abort
    | assistant\.(?: reasoning | turn_end | turn_start | usage | fusion_phase_(?:completed|failed) )
    | external_tool\.(?: completed | requested )
    | hook\.(?: start | end | progress )
    | permission\.(?: assentDetected | carriedForward | completed | contextualAuthorization | requested
        | messageAuthorization(?:Degraded|Read)? )
    | session\.(?: auto_mode_resolved | autopilot_objective_changed | binary_asset | canvas\.(?:recorded|removed)
        | compaction_start | completion_receipt | context_cleared | error | fusion_(?:completed|resolved|route_failed)
        | idle | import_legacy | info | mode_changed | mode_notice_delivered | model_change | permissions_changed
        | plan_changed | remote_steerable_changed | schedule_(?:cancelled|created|rearmed) | session_limits_changed
        | task_complete | todos_changed | truncation | usage_checkpoint | usage_info | warning
        | workspace_file_changed )
    | subagent\.(?: completed | configured | deselected | failed | selected )
    | tool\.execution_(?: partial_result | progress )
    | tool_search\.activated""",
    re.VERBOSE,
)
"""Types that are known and hold no words (or, as reasoning, are not read)."""

_REJECTED = ("denied", "rejected", "user_rejected", "permission_denied")
_REWIND = b'"session.snapshot_rewind"'


@dataclass(slots=True)
class _Context:
    cwd: str | None = None
    branch: str | None = None


class CopilotEventsReading(Reading):
    """One pass over an event log (two where it was rewound)."""

    def __init__(self, source: Source, cancel: CancelToken) -> None:
        self.head = Head()
        self.scan = Scan(skipped_lines=0)
        self._source = source
        self._cancel = cancel
        self._drafts = Drafts(self.head)
        self._context = _Context()
        self._agents: dict[str, str] = {}
        self._started: set[str] = set()
        self._seen = Seen()
        self._rewound: dict[str, int] = {}
        self._undoing: set[str] = set()
        self._offset: int | None = None
        self.title: str | None = None
        """What the session is called, where a record says so."""
        self._known = 0
        self._handlers: dict[str, Callable[[JsonObject, JsonObject], None]] = {
            "session.start": self._start,
            "session.resume": self._context_changed,
            "session.context_changed": self._context_changed,
            "session.title_changed": self._retitled,
            "session.snapshot_rewind": self._rewind,
            "session.compaction_complete": self._compacted,
            "session.handoff": self._handed_off,
            "session.shutdown": self._shut_down,
            "user.message": self._user,
            "system.message": self._system,
            "system.notification": self._system,
            "skill.invoked": self._skill,
            "user_input.requested": self._asked,
            "user_input.completed": self._answered,
            "subagent.started": self._subagent,
            "assistant.message": self._assistant,
            "tool.execution_start": self._tool_started,
            "tool.user_requested": self._user_requested,
            "tool.execution_complete": self._tool_ended,
        }

    def __iter__(self) -> Iterator[Turn]:
        path = self._source.path
        self._find_rewinds()
        lines = JsonLines(path, self._cancel)
        try:
            for offset, record in lines:
                self._offset = offset
                self._record(record)
                yield from self._drafts.ready()
        finally:
            self.scan.skipped_lines = lines.skipped_lines
            self.scan.incomplete_tail = lines.incomplete_tail
        if not self._known and self.scan.unknown_types:
            self.scan.unknown_types["(no event log of Copilot)"] = 1
        entitle(self.head, self.title, "assistant", self._drafts.first_words)
        yield from self._drafts.rest()

    def _find_rewinds(self) -> None:
        """Which events a later rewind names: the reading marks what follows them as undone until that rewind."""
        for _, record in JsonLines(self._source.path, self._cancel, ignore=lambda line: _REWIND not in line):
            target = text_of(object_of(record.get("data")).get("upToEventId"))
            if record.get("type") == "session.snapshot_rewind" and target:
                self._rewound[target] = self._rewound.get(target, 0) + 1

    def _record(self, record: JsonObject) -> None:
        kind, identity = record.get("type"), text_of(record.get("id"))
        if not isinstance(kind, str) or not isinstance(record.get("data"), dict):
            unknown(self.scan, kind)
            return
        if identity:
            if not self._seen.add(identity):
                return
            if identity in self._rewound:
                self._undoing.add(identity)
        data = object_of(record.get("data"))
        handler = self._handlers.get(kind)
        if handler is not None:
            handler(record, data)
        elif not _SILENT.fullmatch(kind):
            unknown(self.scan, kind)
            return
        self._known += 1

    # -- the session

    def _start(self, record: JsonObject, data: JsonObject) -> None:
        self.head.version = text_of(data.get("copilotVersion")) or self.head.version
        note(self.head, moment(data.get("startTime")) or moment(record.get("timestamp")))
        self._set_context(object_of(data.get("context")))

    def _context_changed(self, record: JsonObject, data: JsonObject) -> None:
        self._set_context(object_of(data.get("context")) or data)

    def _set_context(self, context: JsonObject) -> None:
        head = self.head
        self._context.cwd = text_of(context.get("cwd")) or self._context.cwd
        branch = text_of(context.get("branch"))
        self._context.branch = None if branch == "HEAD" else branch or self._context.branch
        note(head, None, text_of(context.get("cwd")), self._context.branch)
        note(head, None, text_of(context.get("gitRoot")))
        commit = text_of(context.get("headCommit"))
        name_once(head.head_commits, commit)
        repository, host = text_of(context.get("repository")), text_of(context.get("repositoryHost"))
        if repository:
            remote = f"https://{host or 'github.com'}/{repository}"
            name_once(head.remotes, remote)

    def _retitled(self, record: JsonObject, data: JsonObject) -> None:
        self.title = text_of(data.get("title")) or self.title

    def _rewind(self, record: JsonObject, data: JsonObject) -> None:
        target = text_of(data.get("upToEventId"))
        if target is None or target not in self._rewound:
            return
        self._rewound[target] -= 1
        if not self._rewound[target]:
            self._undoing.discard(target)

    def _compacted(self, record: JsonObject, data: JsonObject) -> None:
        self._say(Speaker.INJECTED, data.get("summaryContent"), record, "compaction summary")

    def _handed_off(self, record: JsonObject, data: JsonObject) -> None:
        self._say(Speaker.INJECTED, data.get("summary"), record, "hand-over")

    def _shut_down(self, record: JsonObject, data: JsonObject) -> None:
        note(self.head, moment(record.get("timestamp")))

    # -- words

    def _say(self, speaker: Speaker, text: object, record: JsonObject, name: str | None = None) -> Draft | None:
        if not isinstance(text, str) or not text.strip():
            return None
        draft = self._open(speaker, record, name)
        self._drafts.add(draft, text)
        if speaker is Speaker.PERSON and self._drafts.first_words is None:
            self._drafts.first_words = text.strip()
        return draft

    def _open(self, speaker: Speaker, record: JsonObject, name: str | None) -> Draft:
        draft = self._drafts.open(
            speaker,
            moment(record.get("timestamp")),
            offset=self._offset,
            name=name,
            cwd=self._context.cwd,
            branch=self._context.branch,
            native_id=text_of(record.get("id")),
        )
        draft.undone = bool(self._undoing)
        return draft

    def _user(self, record: JsonObject, data: JsonObject) -> None:
        source = text_of(data.get("source"))
        if record.get("agentId") or data.get("parentAgentTaskId") or (source and source.startswith("agent-")):
            self._say(Speaker.ASSISTANT, data.get("content"), record, "prompt to a sub-agent")
        elif (source and source != "user") or data.get("isAutopilotContinuation") is True:
            self._say(Speaker.INJECTED, data.get("content"), record, source or "autopilot")
        else:
            self._say(Speaker.PERSON, data.get("content"), record)

    def _system(self, record: JsonObject, data: JsonObject) -> None:
        name = "system prompt" if record.get("type") == "system.message" else "notification"
        self._say(Speaker.INJECTED, data.get("content"), record, name)

    def _skill(self, record: JsonObject, data: JsonObject) -> None:
        self._say(Speaker.INJECTED, data.get("content"), record, text_of(data.get("name")) or "skill")

    def _asked(self, record: JsonObject, data: JsonObject) -> None:
        self._say(Speaker.ASSISTANT, data.get("question"), record)

    def _answered(self, record: JsonObject, data: JsonObject) -> None:
        self._say(Speaker.PERSON, data.get("answer"), record)

    def _subagent(self, record: JsonObject, data: JsonObject) -> None:
        name = text_of(data.get("agentName")) or text_of(data.get("agentDisplayName")) or text_of(data.get("agentType"))
        for key in (text_of(data.get("toolCallId")), text_of(record.get("agentId"))):
            if key and name and len(self._agents) < 10_000:
                self._agents[key] = name

    def _agent_of(self, record: JsonObject, data: JsonObject) -> str | None:
        """The sub-agent an event comes from; None for the main one."""
        identity = text_of(record.get("agentId")) or text_of(data.get("parentToolCallId"))
        if identity is None:
            return None
        return self._agents.get(identity) or self._agents.get(text_of(data.get("parentToolCallId")) or "") or "agent"

    def _assistant(self, record: JsonObject, data: JsonObject) -> None:
        requests = objects_of(data.get("toolRequests"))
        content = data.get("content")
        agent = self._agent_of(record, data)
        draft = self._open(
            Speaker.SUBAGENT if agent else Speaker.ASSISTANT, record, agent or text_of(data.get("model"))
        )
        if isinstance(content, str):
            self._drafts.add(draft, content)
        for request in requests:
            tool = text_of(request.get("name"))
            if tool:
                self._call(draft, text_of(request.get("toolCallId")), tool, request.get("arguments"))

    # -- tools

    def _call(self, draft: Draft, identity: str | None, tool: str, recorded: object) -> None:
        arguments = arguments_of(recorded)
        if not arguments and isinstance(recorded, str) and "*** Begin Patch" in recorded:
            arguments = {"input": recorded}
        if identity:
            self._started.add(identity)
        self._drafts.call(draft, identity, tool, arguments)

    def _tool_started(self, record: JsonObject, data: JsonObject) -> None:
        """Only a call that no message asked for: the others are known already."""
        identity, tool = text_of(data.get("toolCallId")), text_of(data.get("toolName"))
        if tool is None or (identity and identity in self._started):
            return
        agent = self._agent_of(record, data)
        draft = self._open(Speaker.SUBAGENT if agent else Speaker.ASSISTANT, record, agent)
        self._call(draft, identity, tool, data.get("arguments"))

    def _user_requested(self, record: JsonObject, data: JsonObject) -> None:
        """The person's own ``!`` command."""
        tool, arguments = text_of(data.get("toolName")), arguments_of(data.get("arguments"))
        command = text_of(arguments.get("command"))
        draft = self._say(Speaker.PERSON, f"!{command}" if command else None, record)
        if draft is not None and tool:
            self._call(draft, text_of(data.get("toolCallId")), tool, arguments)

    def _tool_ended(self, record: JsonObject, data: JsonObject) -> None:
        identity, output = text_of(data.get("toolCallId")), _output(data)
        self._drafts.result(identity, _outcome(data), output, self._exact(identity, data, output) if identity else None)

    def _exact(self, identity: str, data: JsonObject, output: str) -> list[Edit] | None:
        """The edits as the result shows them: by the diff it gives, or that the file is new."""
        proposed = self._drafts.edits_of(identity)
        detail = text_of(object_of(data.get("result")).get("detailedContent"))
        if detail and "@@ -" in detail:
            return exact_edits(proposed, detail)
        return [replace(edit, whole_file=False) for edit in proposed] if output.startswith("Created file") else None


def _outcome(data: JsonObject) -> EditOutcome:
    result = object_of(data.get("result"))
    kind = text_of(result.get("result_type")) or text_of(result.get("resultType")) or ""
    code = text_of(object_of(data.get("error")).get("code")) or ""
    if kind.lower() in _REJECTED or code.lower() in _REJECTED:
        return EditOutcome.REJECTED
    if data.get("success") is False or kind in ("failure", "error") or data.get("error"):
        return EditOutcome.FAILED
    if data.get("success") is True or kind == "success":
        return EditOutcome.APPLIED
    return EditOutcome.UNCONFIRMED


def _output(data: JsonObject) -> str:
    result = data.get("result")
    if isinstance(result, str):
        return result
    found = object_of(result)
    for key in ("content", "detailedContent", "text_result_for_llm", "textResultForLlm"):
        value = found.get(key)
        if isinstance(value, str) and value:
            return value
    texts = [text_of(item.get("text")) for item in objects_of(found.get("contents"))]
    return "\n".join(text for text in texts if text)
