"""Plain exported transcripts: Markdown or text logs whose speakers can be told. Only where a folder or file is given.

Two kinds are read. *Console logs* of Claude Code (``/export``, a copied terminal): ``> `` or ``❯ `` before a prompt,
``⏺`` or ``●`` before the assistant's words and tool calls, ``⎿`` before a tool's result. *Named speakers*: a heading
(``## User``), a bold label (``**Assistant:**``) or a plain one (``Human:``) begins each turn. What a log shows as
applied is an edit, ``[branch hash] subject`` in the output of a ``git commit`` is a commit; code that is merely shown
is neither. A log in which no speaker can be told has no turns, and the scan says so. Nothing can be reopened by id.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from enum import Enum
from pathlib import Path
from typing import ClassVar

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.records.conversations import shell
from anamnesis_lsp.records.conversations.claude_words import words_of_enqueued
from anamnesis_lsp.records.conversations.model import (
    CommitMade,
    Edit,
    EditOutcome,
    Handle,
    Head,
    Reading,
    Runtime,
    Scan,
    Source,
    Turn,
)
from anamnesis_lsp.records.conversations.stores import files
from anamnesis_lsp.records.conversations.textlog import MAX_TURN_CHARS, Fence, TextLines, without_ansi
from anamnesis_lsp.records.evidence import Speaker

_ENDINGS = (".md", ".markdown", ".txt", ".log")
_NOT_ENTERED = (".git", "node_modules", ".venv", "venv", ".specstory")
_PERSONS = r"user|human|you|me|person|prompt|developer|you said|user prompt|my prompt"
_MACHINES = (
    r"assistant|ai|claude(?: code)?|chatgpt(?: said)?|gpt[\w.-]*|gemini|copilot|github copilot|cursor|model|agent"
    r"|codex|bot|response|answer"
)
_OTHERS = r"system|tool|tool result|tool output|function|result"
_NAMES = rf"(?P<name>{_PERSONS}|{_MACHINES}|{_OTHERS})"
_HEADING = re.compile(
    rf"#{{1,5}}\s+(?:[^\w\s#]+\s*)?(?:\d+[.)]\s*)?\**{_NAMES}\**(?:\s*[(\[#–—-].{{0,80}})?\s*:?\**\s*\Z", re.IGNORECASE
)
_BOLD = re.compile(
    rf"(?:[-*]\s+)?(?:[^\w\s*]+\s*)?\*\*{_NAMES}(?:\s*[(\[].{{0,60}}?[)\]])?\s*:?\*\*\s*:?\s*(?P<rest>.*)\Z",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"(?:\[\d[^\]]{3,30}\]\s*)?(?P<name>Human|User|You|Assistant|Claude|AI|ChatGPT|Gemini|Copilot|Codex|You said"
    r"|ChatGPT said|System)\s*:(?:\s+(?P<rest>.*))?\s*\Z"
)
_PROMPT = re.compile(r"[>❯›]\s(.*)\Z")
_BULLET = re.compile(r"[⏺●]\s+(.*)\Z")
_CALL = re.compile(r"(?P<tool>[A-Za-z][\w-]*(?: - [\w -]+ \(MCP\))?)\((?P<arguments>.*)\Z", re.DOTALL)
_RESULT = re.compile(r"\s{0,4}⎿\s{0,2}(.*)\Z")
_ASIDE = re.compile(r"\s{0,2}[✻✽✢✳✶∴※·*]\s+\S.*(?:…|\.\.\.|for \d+|Welcome|Thinking|Thought|recap|ctrl\+)")
_FRAME = re.compile(r"\s*[╭╰│┃▐▝▘─━]")
_DIFF_LINE = re.compile(r"\s*(?P<number>\d{1,7})\s(?P<mark>[ +-])(?P<text>.*)\Z")
_HIDDEN = re.compile(r"…\s*\+?\d+ lines?\b")
_WRITTEN_LINE = re.compile(r"\s*\d{1,7}\s{1,2}(.*)\Z")
_EDITED = re.compile(r"(?:Updated|Added \d+ line|Removed \d+ line|Wrote \d+ line|Created|Wrote to)\b")
_REFUSED = re.compile(r"(?:User rejected|User declined|Interrupted|The user doesn't want|\(rejected\))")
_FILE_TIME = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?:[T_ -](\d\d)[-:_]?(\d\d)(?:[-:_]?(\d\d))?(Z)?)?")
_COMMANDS = re.compile(r"(?:^|\s)[$%❯]\s+(\S.*)\Z")


class _Style(Enum):
    CONSOLE = "console"
    HEADINGS = "headings"
    BOLD = "bold"
    LABELS = "labels"


@dataclass(slots=True)
class _Open:
    """The turn being read."""

    speaker: Speaker
    offset: int
    name: str | None = None
    lines: list[str] = field(default_factory=lambda: list[str]())
    edits: list[Edit] = field(default_factory=lambda: list[Edit]())
    commits: list[CommitMade] = field(default_factory=lambda: list[CommitMade]())
    mentions: list[str] = field(default_factory=lambda: list[str]())
    chars: int = 0


@dataclass(slots=True)
class _Call:
    tool: str
    arguments: list[str]
    result: list[str] = field(default_factory=lambda: list[str]())
    answered: bool = False


class TranscriptReading(Reading):
    """The turns of one log."""

    def __init__(self, source: Source, cancel: CancelToken) -> None:
        self.head = Head(started=_of_name(source.path.name))
        self.scan = Scan(skipped_lines=0, omitted_chars=0)
        self._source = source
        self._cancel = cancel

    def __iter__(self) -> Iterator[Turn]:
        style = _style(self._source.path, self._cancel)
        if style is None:
            self.scan.unknown_types["(no speakers can be told)"] = 1
            return
        lines = TextLines(self._source.path, self._cancel)
        turns = self._console(lines) if style is _Style.CONSOLE else self._named(lines, style)
        n = 0
        for opened in turns:
            turn = self._turn(opened)
            if turn is not None:
                n += 1
                yield replace(turn, n=n)
        self.scan.skipped_lines = (self.scan.skipped_lines or 0) + lines.skipped_lines
        self.scan.omitted_chars = (self.scan.omitted_chars or 0) + lines.omitted_chars

    def _turn(self, opened: _Open) -> Turn | None:
        text = "\n".join(opened.lines).strip("\n").rstrip()
        speaker, name = opened.speaker, opened.name
        if speaker is Speaker.PERSON:
            words = words_of_enqueued(text)
            if words is None or not words.text:
                return None
            speaker, name, text = words.speaker, words.name or name, words.text
            if re.fullmatch(r"/[a-z][\w:-]{0,40}", text):
                speaker, name = Speaker.INJECTED, "command"
            if speaker is Speaker.PERSON and self.head.title is None:
                self.head.title = next(line.strip() for line in text.split("\n") if line.strip())[:120]
                self.head.title_from = "first turn"
        elif not (text.strip() or opened.edits or opened.commits or opened.mentions):
            return None
        return Turn(
            0,
            speaker,
            text,
            edits=tuple(opened.edits),
            commits=tuple(opened.commits),
            mentions=tuple(dict.fromkeys(opened.mentions)),
            name=name,
            offset=opened.offset,
        )

    def _add(self, turn: _Open, line: str) -> None:
        turn.chars += len(line) + 1
        if turn.chars <= MAX_TURN_CHARS:
            turn.lines.append(line)
        else:
            self.scan.omitted_chars = (self.scan.omitted_chars or 0) + len(line) + 1

    def _console(self, lines: TextLines) -> Iterator[_Open]:
        turn: _Open | None = None
        call: _Call | None = None
        for offset, raw in lines:
            line = without_ansi(raw)
            result = _RESULT.match(line)
            bullet = _BULLET.match(line)
            prompt = _PROMPT.match(line)
            if result is not None:
                if call is not None:
                    call.answered = True
                    call.result.append(result[1])
                elif turn is not None and turn.speaker is Speaker.PERSON:
                    # What a local command printed: nobody's words.
                    call = _Call("", [], answered=True)
                continue
            if bullet is None and prompt is None:
                if call is not None and (line.startswith("    ") or not line.strip() or not call.answered):
                    (call.result if call.answered else call.arguments).append(line)
                elif (
                    turn is not None
                    and not _ASIDE.match(line)
                    and not (turn.speaker is Speaker.PERSON and _FRAME.match(line))
                ):
                    self._add(turn, line[2:] if line.startswith("  ") else line)
                continue
            if call is not None:
                self._settle(turn, call)
                call = None
            if prompt is not None:
                if turn is not None:
                    yield turn
                turn = _Open(Speaker.PERSON, offset)
                self._add(turn, prompt[1])
                continue
            assert bullet is not None
            called = _CALL.match(bullet[1])
            if called is not None:
                call = _Call(called["tool"], [called["arguments"]])
                if turn is None or turn.speaker is Speaker.PERSON:
                    if turn is not None:
                        yield turn
                    turn = _Open(Speaker.ASSISTANT, offset)
                continue
            if turn is not None:
                yield turn
            turn = _Open(Speaker.ASSISTANT, offset)
            self._add(turn, bullet[1])
        if call is not None:
            self._settle(turn, call)
        if turn is not None:
            yield turn

    def _settle(self, turn: _Open | None, call: _Call) -> None:
        if turn is None or not call.tool:
            return
        arguments = "\n".join(line.strip() if n else line for n, line in enumerate(call.arguments)).strip()
        arguments = arguments.removesuffix(")").strip()
        output = "\n".join(line.removeprefix("     ") for line in call.result)
        tool = call.tool.lower()
        if tool in ("bash", "shell", "powershell"):
            turn.commits += shell.commits_in(arguments, output)
        elif tool in ("read", "search", "grep", "glob", "list", "notebookread"):
            quoted = re.search(r"path: \"([^\"]+)\"", arguments)
            path = quoted[1] if quoted else arguments.split(",")[0].strip("\"' ")
            if path and "pattern:" not in path and " " not in path:
                turn.mentions.append(path)
        elif tool in ("update", "edit", "multiedit", "write", "create", "notebookedit"):
            turn.edits.append(self._edit(call, arguments.strip("\"' "), output, whole=tool in ("write", "create")))

    def _edit(self, call: _Call, path: str, output: str, whole: bool) -> Edit:
        first = next((line for line in call.result if line.strip()), "").strip()
        if _REFUSED.search(first):
            outcome = EditOutcome.REJECTED
        elif first.startswith(("Error", "Failed")):
            outcome = EditOutcome.FAILED
        else:
            outcome = EditOutcome.APPLIED if _EDITED.match(first) else EditOutcome.UNCONFIRMED
        added: list[str] = []
        removed: list[str] = []
        for line in call.result[1:]:
            if _HIDDEN.search(line):
                continue
            if whole:
                if match := _WRITTEN_LINE.match(line):
                    added.append(match[1])
                elif line.startswith("     "):
                    added.append(line.removeprefix("     "))
            elif (match := _DIFF_LINE.match(line)) and match["mark"] != " ":
                (added if match["mark"] == "+" else removed).append(match["text"])
        del output
        return Edit(
            path, "\n".join(added).strip("\n"), "\n".join(removed) if removed else None, outcome, call.tool, whole
        )

    def _named(self, lines: TextLines, style: _Style) -> Iterator[_Open]:
        turn: _Open | None = None
        fence = Fence()
        fenced: list[str] = []
        for offset, raw in lines:
            line = without_ansi(raw)
            name, rest = _speaker_on(line, style) if not fence.open else (None, "")
            if name is not None:
                if turn is not None:
                    yield turn
                turn = _Open(_speaker(name), offset, None if _speaker(name) is Speaker.PERSON else name)
                if rest:
                    self._add(turn, rest)
                continue
            if turn is None:
                continue
            was_open = fence.open
            if not fence.feed(line) and was_open:
                fenced.append(line)
            elif was_open and not fence.open:
                turn.commits += _commits_shown(fenced)
                fenced = []
            if line.strip() != "---" or fence.open:
                self._add(turn, line)
        if turn is not None:
            yield turn


class Transcripts(Runtime):
    """Markdown and text logs in a folder that was given."""

    name: ClassVar[str] = "transcripts"
    versions: ClassVar[str] = "Claude Code console exports; Markdown or text with named speakers"

    def default_roots(self, environ: Mapping[str, str], home: Path, workspace: Path | None) -> list[Path]:
        """None: such logs lie wherever someone put them."""
        return []

    def sources(self, root: Path, cancel: CancelToken) -> Iterator[Source]:
        """One per text file; the id is its path under ``root``."""
        for found in files(root, cancel, _ENDINGS if root.is_dir() else (), _NOT_ENTERED):
            identity = found.path.name if found.path == root else found.path.relative_to(root).as_posix()
            yield Source(self.name, root, identity, (found,))

    def read(self, source: Source, cancel: CancelToken) -> Reading:
        """The whole log, one turn at a time."""
        return TranscriptReading(source, cancel)

    def handle(self, source: Source, head: Head, exists: Iterable[str] | None = None) -> Handle:
        """A log is a copy: there is no way back into the conversation."""
        return Handle(None, f"This is an exported log and names no session to resume; read it in {source.id}.")


RUNTIMES = (Transcripts,)


def _style(path: Path, cancel: CancelToken) -> _Style | None:
    """How speakers are marked: the marking with the most turns, a person and an assistant among them."""
    bullets = prompts = 0
    counts = {style: [0, 0] for style in (_Style.HEADINGS, _Style.BOLD, _Style.LABELS)}
    fence = Fence()
    for _, raw in TextLines(path, cancel):
        line = without_ansi(raw)
        if _BULLET.match(line):
            bullets += 1
        elif _PROMPT.match(line):
            prompts += 1
        fence.feed(line)
        if fence.open:
            continue
        for style, count in counts.items():
            name, _rest = _speaker_on(line, style)
            if name is not None:
                count[_speaker(name) is not Speaker.PERSON] += 1
    if bullets and prompts:
        return _Style.CONSOLE
    known = [(sum(count), style) for style, count in counts.items() if all(count)]
    return max(known, key=lambda found: found[0])[1] if known else None


def _speaker_on(line: str, style: _Style) -> tuple[str | None, str]:
    if style is _Style.HEADINGS:
        match = _HEADING.match(line) if line.startswith("#") else None
        return (match["name"], "") if match else (None, "")
    match = (
        (_BOLD if style is _Style.BOLD else _LABEL).match(line) if style is not _Style.BOLD or "**" in line else None
    )
    return (match["name"], match["rest"] or "") if match else (None, "")


def _speaker(name: str) -> Speaker:
    if re.fullmatch(_PERSONS, name, re.IGNORECASE):
        return Speaker.PERSON
    if re.fullmatch(_OTHERS, name, re.IGNORECASE):
        return Speaker.INJECTED if name.lower() == "system" else Speaker.TOOL
    return Speaker.ASSISTANT


def _commits_shown(fenced: list[str]) -> list[CommitMade]:
    """Commits in a fenced piece of a terminal: a ``git commit`` after a prompt sign, and its success line under it."""
    commands = [match[1] for line in fenced if (match := _COMMANDS.search(line))]
    made = next(
        (command for command in commands if re.search(r"\bgit\b.*\b(?:commit|cherry-pick|revert|merge)\b", command)),
        None,
    )
    return shell.commits_in(made, "\n".join(fenced)) if made is not None else []


def _of_name(name: str) -> datetime | None:
    """The time in a file's name, where it has one to the minute: UTC with ``Z``, else in this machine's zone."""
    match = _FILE_TIME.search(name)
    if match is None or match[4] is None:
        return None
    try:
        year, month, day, hour, minute, second = (int(part or 0) for part in match.groups()[:6])
        naive = datetime(year, month, day, hour, minute, second)
        return naive.replace(tzinfo=timezone.utc) if match[7] else naive.astimezone()
    except (ValueError, OverflowError, OSError):
        return None
