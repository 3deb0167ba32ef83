"""Cline and Roo Code: what the extension showed (``ui_messages.json``) as turns. ``formats/FORMATS.md`` section 8.

It marks the person's words by type, so they are taken from here: the first ``text`` (or ``task``), every
``user_feedback``, the answer chosen for a question. What an edit wrote and whether it was saved is taken from the
model's conversation beside it, where that has the call and its result; else the edit is told as unconfirmed.
Checkpoints are commits of a shadow repository, never the person's.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.errors import AnamnesisError
from anamnesis_lsp.records.conversations import shell
from anamnesis_lsp.records.conversations.claude_results import shell_edits
from anamnesis_lsp.records.conversations.cline_messages import settled_edits
from anamnesis_lsp.records.conversations.cline_words import note_environment
from anamnesis_lsp.records.conversations.drafts import Draft, Drafts, arguments_of, unknown
from anamnesis_lsp.records.conversations.json_items import JsonItems
from anamnesis_lsp.records.conversations.jsonl import JsonObject, object_of, text_of
from anamnesis_lsp.records.conversations.model import Edit, EditOutcome, Head, Scan, Turn
from anamnesis_lsp.records.conversations.patches import search_replace
from anamnesis_lsp.records.conversations.times import moment
from anamnesis_lsp.records.conversations.tool_edits import path_of, proposed_edits
from anamnesis_lsp.records.evidence import Speaker

_SILENT = frozenset(
    """api_req_started api_req_finished api_req_retried api_req_deleted api_req_retry_delayed api_req_failed
    api_req_rate_limit_wait reasoning error error_retry diff_error clineignore_error rooignore_error
    shell_integration_warning shell_integration_warning_with_suggestion browser_action browser_action_result
    browser_action_launch mcp_server_request_started mcp_server_response mcp_notification use_mcp_server
    mcp_server_response load_mcp_documentation checkpoint_created checkpoint_saved info task_progress deleted_api_reqs
    generate_explanation hook_status hook_output hook_output_stream conditional_rules_applied command_permission_denied
    codebase_search_result condense_context_error sliding_window_truncation user_edit_todos image
    mistake_limit_reached resume_task resume_completed_task auto_approval_max_req_reached too_many_tools_warning
    use_subagents subagent subagent_usage completion_result_changes condense new_task summarize_task
    report_bug interactive_app""".split()  # noqa: SIM905  a list of words
)
_EDITED = ("editedExistingFile", "newFileCreated", "appliedDiff", "insertContent", "searchAndReplace")
_LOOKED = (
    "readFile",
    "listFilesTopLevel",
    "listFilesRecursive",
    "listCodeDefinitionNames",
    "searchFiles",
    "codebaseSearch",
    "fileDeleted",
)
_WORDS = ("text", "completion_result")
_HELD_EDITS = 24_000_000
_MAX_OUTPUT = 1 << 20
_CHANGES_FLAG = "HAS_CHANGES"


class UiMessages:
    """One pass over what was shown, with ``head`` and ``scan`` of the caller filled on the way."""

    def __init__(
        self, path: Path, conversation: Path | None, cancel: CancelToken, head: Head, scan: Scan, is_child: bool
    ) -> None:
        """``conversation`` is the model's own file beside it; ``is_child``: another task wrote the first prompt."""
        self._path = path
        self._conversation = conversation
        self._cancel = cancel
        self._head = head
        self._scan = scan
        self._is_child = is_child
        self._drafts = Drafts(head)
        self._edits: dict[str, list[Edit]] = {}
        self._begun = False
        self._command: tuple[Draft, str, list[str]] | None = None
        self._partial: tuple[str, str, datetime | None] | None = None

    @property
    def first_words(self) -> str | None:
        """The first thing the person said."""
        return self._drafts.first_words

    def __iter__(self) -> Iterator[Turn]:
        if self._conversation is not None:
            try:
                self._edits = settled_edits(self._conversation, self._cancel, _HELD_EDITS)
            except AnamnesisError:
                unknown(self._scan, "(the model's conversation could not be read)")
        items = JsonItems(self._path, self._cancel, lists=("messages",))
        for key, value in items:
            if key in ("", "messages"):
                self._shown(object_of(value))
                yield from self._drafts.ready()
        self._flush()
        self._end_command()
        self._scan.skipped_lines = (self._scan.skipped_lines or 0) + items.skipped
        self._scan.incomplete_tail |= items.incomplete
        yield from self._drafts.rest()

    def _shown(self, message: JsonObject) -> None:
        form = message.get("type")
        kind = message.get(form) if form in ("say", "ask") else None
        if not isinstance(kind, str):
            unknown(self._scan, form if isinstance(form, str) and form not in ("say", "ask") else None)
            return
        text, when = text_of(message.get("text")) or "", moment(message.get("ts"))
        if self._partial is not None and self._partial[0] == kind and text.startswith(self._partial[1][:200]):
            self._partial = None
        self._flush()
        if message.get("partial") is True:
            if kind in _WORDS and self._begun:
                self._partial = (kind, text, when)
            return
        if kind == "command_output":
            self._output(text)
            return
        if kind == "api_req_started":
            self._drafts.current = None
            note_environment(self._head, text_of(arguments_of(text).get("request")) or "")
            return
        if kind not in _SILENT:
            self._end_command()
        if kind == "task" or (kind == "text" and not self._begun):
            self._begun = True
            if self._is_child:
                self._drafts.say(Speaker.ASSISTANT, text, when, name="prompt to a sub-agent", cwd=self._cwd())
            else:
                self._person(text, when)
        elif kind == "user_feedback":
            self._person(text, when)
        elif kind == "user_feedback_diff":
            self._person_changed(text, when)
        elif kind in ("text", "completion_result"):
            self._said(text.removesuffix(_CHANGES_FLAG), when)
        elif kind in ("followup", "plan_mode_respond", "plan_mode_response", "act_mode_respond"):
            self._asked(text, when)
        elif kind == "condense_context":
            summary = object_of(message.get("contextCondense")).get("summary")
            self._drafts.say(Speaker.INJECTED, text_of(summary) or text, when, name="compaction summary")
        elif kind == "subtask_result":
            self._drafts.say(Speaker.INJECTED, text, when, name="result of a sub-task")
        elif kind == "command":
            self._ran(text, when)
        elif kind == "tool":
            self._tool(text, when)
        elif kind not in _SILENT:
            unknown(self._scan, kind)

    def _flush(self) -> None:
        """Words that were being written when the next message came: no whole copy of them followed."""
        if self._partial is not None:
            _, text, when = self._partial
            self._partial = None
            self._said(text.removesuffix(_CHANGES_FLAG), when)

    def _cwd(self) -> str | None:
        return self._head.cwds[-1] if self._head.cwds else None

    def _person(self, text: str, when: datetime | None) -> None:
        self._drafts.say(Speaker.PERSON, text, when, cwd=self._cwd())

    def _reply(self, when: datetime | None) -> Draft:
        if self._drafts.current is None:
            self._drafts.current = self._drafts.open(Speaker.ASSISTANT, when, cwd=self._cwd())
        return self._drafts.current

    def _said(self, text: str, when: datetime | None) -> None:
        if text.strip():
            self._drafts.add(self._reply(when), text)

    def _asked(self, text: str, when: datetime | None) -> None:
        """A question or plan; the option that was chosen is the person's answer."""
        asked = arguments_of(text)
        self._said(text_of(asked.get("question")) or text_of(asked.get("response")) or ("" if asked else text), when)
        chosen = text_of(asked.get("selected"))
        if chosen:
            self._person(chosen, when)

    # -- commands

    def _ran(self, text: str, when: datetime | None) -> None:
        command, _, output = text.partition("\nOutput:")
        draft = self._reply(when)
        draft.edits += shell_edits("execute_command", command)
        self._command = (draft, command, [output])

    def _output(self, text: str) -> None:
        if self._command is not None and sum(map(len, self._command[2])) < _MAX_OUTPUT:
            self._command[2].append(text)

    def _end_command(self) -> None:
        if self._command is None:
            return
        draft, command, output = self._command
        self._command = None
        known = {one.hash for one in draft.commits}
        draft.commits += [one for one in shell.commits_in(command, "\n".join(output)) if one.hash not in known]

    # -- edits

    def _tool(self, text: str, when: datetime | None) -> None:
        shown = arguments_of(text)
        tool, path = text_of(shown.get("tool")), path_of(shown)
        if tool is None or path is None:
            return
        draft = self._reply(when)
        if tool in _LOOKED:
            draft.mentions[path] = None
        elif tool in _EDITED:
            recorded = self._recorded(path)
            draft.edits += [recorded] if recorded is not None else shown_edits(tool, path, shown)

    def _recorded(self, path: str) -> Edit | None:
        """The next edit of that file in the model's conversation; a path is shown relative to the workspace."""
        tail = "/" + path.replace("\\", "/").removeprefix("./")
        for known, edits in self._edits.items():
            if edits and (known == path or known.replace("\\", "/").endswith(tail)):
                return edits.pop(0)
        return None

    def _person_changed(self, text: str, when: datetime | None) -> None:
        changed = arguments_of(text)
        path = path_of(changed)
        if path is not None:
            self._drafts.change(
                lambda edit: edit.path.replace("\\", "/").endswith(path.replace("\\", "/")),
                lambda edit: replace(edit, person_changed=True),
            )
        self._person(text_of(changed.get("diff")) or "", when)


def shown_edits(tool: str, path: str, shown: JsonObject) -> list[Edit]:
    """An edit as it was shown for approval: whether it was saved is not told there."""
    for key in ("diff", "content"):
        text = shown.get(key)
        if not isinstance(text, str) or not text:
            continue
        edits = proposed_edits(tool, {"path": path, "diff": text})
        if edits and (search_replace(text) or key == "diff" or text.startswith(("--- ", "@@ "))):
            return edits
        if key == "content":
            whole = tool != "insertContent"
            return [Edit(path, text, None, EditOutcome.UNCONFIRMED, tool, whole_file=whole)]
    return []
