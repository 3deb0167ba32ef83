"""Cline and Roo Code: whose words a text block of the model's conversation holds, and what it says of a tool's result.

Rules: ``formats/FORMATS.md`` section 8. In a message of role ``user`` only what stands in ``<task>``, ``<feedback>``,
``<user_message>``, ``<answer>`` or ``<user_input>`` is a person's. Results of tools may be plain text blocks there, and
calls of tools XML in the assistant's text. Pure functions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from anamnesis_lsp.records.conversations.model import EditOutcome, Head, name_once

_PERSON = re.compile(r"<(task|feedback|user_message|answer|user_input)\b[^<>\n]{0,200}>")
_NOTICE = re.compile(r"<(mode_notice)\b[^<>\n]{0,200}>")
_INJECTED = (
    "<environment_details>",
    "<explicit_instructions",
    "<file_content",
    "<folder_content",
    "<url_content",
    "# task_progress",
    "# TODO LIST",
    "[TASK RESUMPTION]",
    "[ERROR]",
    "[NOTE]",
    "[[NOTE]",
    "[Continue assisting",
    "New instructions for task continuation",
    "New message to respond to",
    "(The user did not provide a new message",
    "You seem to be having trouble",
)
_RESULT = re.compile(
    r"\[([A-Za-z]\w{0,60})(?: (?:for|to|with) ['\"](.{0,2000}?)['\"])?[^\]\n]{0,300}\] Result:", re.DOTALL
)
_DENIED = re.compile(r"(?:The )?user (?:has )?(?:denied|rejected|declined) this", re.IGNORECASE)
_FAILED = re.compile(
    r"\A\s*(?:<error|error\b|\[ERROR\]|failed\b|unable to\b|missing value\b|access to .{0,300} is blocked)"
    r"|The tool execution failed|file was reverted|was not executed because|Unable to apply diff"
    r"|\"success\"\s*:\s*false",
    re.IGNORECASE,
)
_SUCCEEDED = re.compile(
    r"successfully|<final_file_content|<file_write_result>|The user made the following updates to your content"
    r"|\"operation\"\s*:\s*\"(?:created|modified)\"|Changes applied|\"success\"\s*:\s*true",
    re.IGNORECASE,
)
_CREATED = re.compile(r"\"operation\"\s*:\s*\"created\"|<operation>created</operation>")
_BY_PERSON = "The user made the following updates to your content"
_CWD = re.compile(r"# Current (?:Working|Workspace) Directory \(([^\n]{1,1000}?)\)(?: Files)?\s*$", re.MULTILINE)
_COMMIT = re.compile(r'"latestGitCommitHash"\s*:\s*"([0-9a-f]{7,64})"')
_REMOTES = re.compile(r'"associatedRemoteUrls"\s*:\s*\[([^\]]{0,4000})\]')
_REMOTE = re.compile(r'"(?:[\w.-]+:\s+)?([^"\s]+)"')

_TOOLS = (
    "write_to_file",
    "replace_in_file",
    "apply_diff",
    "apply_patch",
    "insert_content",
    "search_and_replace",
    "search_replace",
    "edit_file",
    "edit",
    "execute_command",
    "read_file",
    "search_files",
    "list_files",
    "list_code_definition_names",
    "new_task",
    "attempt_completion",
    "ask_followup_question",
    "plan_mode_respond",
    "use_mcp_tool",
    "access_mcp_resource",
    "browser_action",
    "new_rule",
    "update_todo_list",
    "switch_mode",
    "fetch_instructions",
    "codebase_search",
    "focus_chain",
    "condense",
)
_OPENING = re.compile(rf"<({'|'.join(_TOOLS)})>")
_PARAMETER = re.compile(r"<([a-z]\w{0,40})>")
_SAID = {"attempt_completion": "result", "ask_followup_question": "question", "plan_mode_respond": "response"}
_THINKING = re.compile(r"<(thinking)>")


@dataclass(frozen=True, slots=True)
class Piece:
    """What a text block of a user message is: ``person`` words, a tool's ``result``, or ``injected`` text."""

    kind: str
    text: str
    tool: str | None = None
    target: str | None = None


def pieces_of(text: str) -> list[Piece]:
    """The pieces of one text block. A person's words may stand in the result of a tool that they denied."""
    found: list[Piece] = []
    header = _RESULT.match(text.lstrip())
    if header is not None:
        body = text.lstrip()[header.end() :].strip()
        found.append(Piece("result", body, header[1], header[2]))
        outside = _outside_of_files(body)
    else:
        outside = text
        if text.lstrip().startswith("<environment_details>"):
            return [Piece("injected", text.strip())]
    said = [_without(_NOTICE, outside[part.inner : part.close]).strip() for part in _tagged(_PERSON, outside)]
    found += [Piece("person", words) for words in said if words]
    if not found:
        stripped = text.strip()
        kind = "injected" if stripped.startswith(_INJECTED) else "plain"
        found.append(Piece(kind, _without(_NOTICE, stripped).strip()))
    return found


def _outside_of_files(body: str) -> str:
    """A result without the contents of files in it, which may hold any tag."""
    places = (body.find("<final_file_content"), body.find("<file_content"))
    return body[: min((place for place in places if place >= 0), default=len(body))]


def result_outcome(text: str, failed: bool | None) -> EditOutcome:
    """What a result says became of the call; ``failed`` is the record's own mark where it has one."""
    start = text[:2000]
    if _DENIED.search(start):
        return EditOutcome.REJECTED
    if failed is True or _FAILED.search(start):
        return EditOutcome.FAILED
    if failed is False or _SUCCEEDED.search(text[:20_000]):
        return EditOutcome.APPLIED
    return EditOutcome.UNCONFIRMED


def created(text: str) -> bool:
    """Whether the result says that the file was not there before."""
    return _CREATED.search(text[:4000]) is not None


def changed_by_person(text: str) -> bool:
    """Whether the result says that the person altered the proposal before it was saved."""
    return _BY_PERSON in text[:4000]


@dataclass(frozen=True, slots=True)
class XmlCall:
    """A tool call written as XML in the assistant's text."""

    tool: str
    arguments: dict[str, str]


def calls_in(text: str) -> tuple[str, list[XmlCall]]:
    """The assistant's words without tool calls and thinking (questions and results stay), and the calls in order."""
    if "<" not in text:
        return text.strip(), []
    text = _without(_THINKING, text)
    said: list[str] = []
    calls: list[XmlCall] = []
    at = 0
    for part in _tagged(_OPENING, text):
        said.append(text[at : part.start])
        arguments = dict(_parameters(text[part.inner : part.close]))
        if part.name in _SAID:
            said.append(arguments.get(_SAID[part.name], ""))
        calls.append(XmlCall(part.name, arguments))
        at = part.end
    said.append(text[at:])
    return "".join(said).strip(), calls


@dataclass(frozen=True, slots=True)
class _Tagged:
    """Where an element stands in a text: from its opening tag to behind its closing one, with what is inside."""

    name: str
    start: int
    inner: int
    close: int
    end: int


def _tagged(opening: re.Pattern[str], text: str) -> Iterator[_Tagged]:
    """The elements that ``opening`` begins (its group 1 is the name), one after the other; unclosed ones are none."""
    at = 0
    unclosed: set[str] = set()
    while (match := opening.search(text, at)) is not None:
        name = match[1]
        close = -1 if name in unclosed else text.find(f"</{name}>", match.end())
        if close < 0:
            unclosed.add(name)
            at = match.end()
            continue
        at = close + len(name) + 3
        yield _Tagged(name, match.start(), match.end(), close, at)


def _without(opening: re.Pattern[str], text: str) -> str:
    """The text without the elements that ``opening`` begins."""
    kept: list[str] = []
    at = 0
    for part in _tagged(opening, text):
        kept.append(text[at : part.start])
        at = part.end
    return "".join(kept) + text[at:] if at else text


def _parameters(body: str) -> Iterator[tuple[str, str]]:
    at = 0
    while True:
        opening = _PARAMETER.search(body, at)
        if opening is None:
            return
        name = opening[1]
        close = f"</{name}>"
        # A file's content may hold the closing tag itself: the last one ends it.
        find = body.rfind if name in ("content", "diff") else body.find
        end = find(close, opening.end())
        if end < 0:
            at = opening.end()
            continue
        value = body[opening.end() : end]
        yield name, value[1:] if name in ("content", "diff") and value.startswith("\n") else value.strip()
        at = end + len(close)


def note_environment(head: Head, text: str) -> None:
    """What ``environment_details`` say of the place: its directory, its commit, its remotes."""
    if "# Current W" in text:
        for match in _CWD.finditer(text):
            name_once(head.cwds, match[1])
    if "latestGitCommitHash" in text:
        for match in _COMMIT.finditer(text):
            name_once(head.head_commits, match[1])
    if "associatedRemoteUrls" in text:
        for match in _REMOTES.finditer(text):
            for remote in _REMOTE.finditer(match[1]):
                name_once(head.remotes, remote[1])
