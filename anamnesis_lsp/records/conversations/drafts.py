"""Turns in the making, for readers whose records tell a tool's call and its result apart.

A turn is handed out once the results of its calls are known, in the order in which turns were opened, so that each
edit says what became of it. How many turns wait, and how much text, is bounded: past the bound the oldest goes out
with its open calls ``UNCONFIRMED``.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from anamnesis_lsp.records.conversations import patches, shell
from anamnesis_lsp.records.conversations.claude_results import shell_edits
from anamnesis_lsp.records.conversations.jsonl import JsonObject, object_of, parse
from anamnesis_lsp.records.conversations.model import CommitMade, Edit, EditOutcome, Head, Scan, Turn, name_once
from anamnesis_lsp.records.conversations.tool_edits import edits_files, path_of, proposed_edits, settled
from anamnesis_lsp.records.evidence import Speaker

_WAITING = 256
_HELD_CHARS = 24_000_000
_TITLE_LENGTH = 120
_SHELL = re.compile(
    r"(?:^|_)(?:bash|shell|terminal|powershell|pwsh|cmd|run_?commands?|execute_?(?:command|bash)|run_?terminal"
    r"_?command|run_in_terminal|exec)",
    re.IGNORECASE,
)
_LOOKING = re.compile(
    r"read|view|grep|glob|search|find|list|^ls$|fetch|open|get_|usages|diagnostic|definition|outline", re.IGNORECASE
)


@dataclass(slots=True)
class Draft:
    """A turn that is still being put together."""

    speaker: Speaker
    offset: int | None = None
    when: datetime | None = None
    name: str | None = None
    cwd: str | None = None
    branch: str | None = None
    native_id: str | None = None
    texts: list[str] = field(default_factory=lambda: list[str]())
    edits: list[Edit] = field(default_factory=lambda: list[Edit]())
    commits: list[CommitMade] = field(default_factory=lambda: list[CommitMade]())
    mentions: dict[str, None] = field(default_factory=lambda: dict[str, None]())
    waiting: set[str] = field(default_factory=lambda: set[str]())
    undone: bool = False
    """The record says later that what was done here was taken back."""
    size: int = 0

    def turn(self, n: int) -> Turn:
        """The finished turn."""
        edits = self.edits
        if self.undone:
            edits = [
                replace(edit, outcome=EditOutcome.UNDONE) if edit.outcome is EditOutcome.APPLIED else edit
                for edit in edits
            ]
        return Turn(
            n,
            self.speaker,
            "\n\n".join(self.texts),
            self.when,
            tuple(edits),
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
        """Whether nothing would be lost without it."""
        return not (self.texts or self.edits or self.commits or self.mentions)


@dataclass(frozen=True, slots=True)
class _Call:
    draft: Draft
    tool: str
    first: int
    count: int
    command: str | None


class Drafts:
    """The turns of one conversation in the making. Times, directories and branches are noted in ``head``."""

    def __init__(
        self, head: Head, *, waiting: int = _WAITING, held: int = _HELD_CHARS, until_the_end: bool = False
    ) -> None:
        """``until_the_end``: a later record may change any turn, so all go out at the end, or past ``held``."""
        self._head = head
        self._most = 1 << 40 if until_the_end else waiting
        self._late = until_the_end
        self._most_held = held
        self._queue: deque[Draft] = deque()
        self._calls: dict[str, _Call] = {}
        self._held = 0
        self._number = 0
        self.current: Draft | None = None
        """The reply that further records go on with; it is not handed out yet."""
        self.first_words: str | None = None
        """The first thing the person said."""

    def open(
        self,
        speaker: Speaker,
        when: datetime | None = None,
        *,
        offset: int | None = None,
        name: str | None = None,
        cwd: str | None = None,
        branch: str | None = None,
        native_id: str | None = None,
    ) -> Draft:
        """Begin a turn behind all others; what came before is complete but for its tools' results."""
        self.current = None
        draft = Draft(speaker, offset, when, name, cwd, branch, native_id)
        self._queue.append(draft)
        note(self._head, when, cwd, branch)
        return draft

    def say(
        self,
        speaker: Speaker,
        text: str | None,
        when: datetime | None = None,
        *,
        offset: int | None = None,
        name: str | None = None,
        cwd: str | None = None,
        branch: str | None = None,
        native_id: str | None = None,
    ) -> Draft | None:
        """A turn that is these words; nothing where there are none."""
        if text is None or not text.strip():
            return None
        draft = self.open(speaker, when, offset=offset, name=name, cwd=cwd, branch=branch, native_id=native_id)
        self.add(draft, text)
        if speaker is Speaker.PERSON and self.first_words is None:
            self.first_words = text.strip()
        return draft

    def add(self, draft: Draft, text: str) -> None:
        """More words of the same turn."""
        text = text.strip()
        if text:
            draft.texts.append(text)
            self._hold(draft, len(text))

    def _hold(self, draft: Draft, size: int) -> None:
        draft.size += size
        self._held += size

    def call(self, draft: Draft, identity: str | None, tool: str, arguments: Mapping[str, Any]) -> None:
        """A tool was called: its edits join the turn, ``UNCONFIRMED`` until its result is told."""
        first = len(draft.edits)
        command = command_of(tool, arguments)
        if command is not None:
            draft.edits += shell_edits(tool, command)
        elif edits_files(tool):
            draft.edits += proposed_edits(tool, arguments)
        path = path_of(arguments)
        if command is None and len(draft.edits) == first:
            if path and (edits_files(tool) or _LOOKING.search(tool)):
                draft.mentions[path] = None
            return
        count = len(draft.edits) - first
        own = draft.edits[first:]
        self._hold(draft, 200 + sum(len(edit.written) + len(edit.removed or "") for edit in own))
        if identity:
            draft.waiting.add(identity)
            self._calls[identity] = _Call(draft, tool, first, count, command)

    def edits_of(self, identity: str) -> list[Edit]:
        """The edits that a call waiting for its result asks for."""
        call = self._calls.get(identity)
        return [] if call is None else call.draft.edits[call.first : call.first + call.count]

    def result(
        self, identity: str | None, outcome: EditOutcome, output: str = "", exact: Sequence[Edit] | None = None
    ) -> None:
        """What became of a call. ``exact`` has its edits as the result shows them, one for each that was proposed."""
        call = self._calls.pop(identity, None) if identity else None
        if call is None or identity is None:
            return
        call.draft.waiting.discard(identity)
        span = slice(call.first, call.first + call.count)
        if call.command is not None:
            # A failing chain of commands may have failed after the write: the record does not say.
            settles = EditOutcome.UNCONFIRMED if outcome is EditOutcome.FAILED else outcome
            call.draft.edits[span] = settled(call.draft.edits[span], settles)
            if outcome is not EditOutcome.REJECTED:
                known = {one.hash for one in call.draft.commits}
                call.draft.commits += [one for one in shell.commits_in(call.command, output) if one.hash not in known]
            return
        edits = exact if exact is not None and len(exact) == call.count else call.draft.edits[span]
        call.draft.edits[span] = settled(edits, outcome)

    def change(self, matches: Callable[[Edit], bool], changed: Callable[[Edit], Edit]) -> None:
        """Change the latest edit that ``matches`` among the turns not handed out yet."""
        for draft in reversed(self._queue):
            for at in range(len(draft.edits) - 1, -1, -1):
                if matches(draft.edits[at]):
                    draft.edits[at] = changed(draft.edits[at])
                    return

    def ready(self) -> Iterator[Turn]:
        """The turns that are complete, in order."""
        while self._queue and (
            len(self._queue) > self._most
            or self._held > self._most_held
            or not (self._late or self._queue[0].waiting or self._queue[0] is self.current)
        ):
            yield from self._next()

    def rest(self) -> Iterator[Turn]:
        """All that is left, in order."""
        self.current = None
        while self._queue:
            yield from self._next()

    def _next(self) -> Iterator[Turn]:
        draft = self._queue.popleft()
        self._held -= draft.size
        for call in draft.waiting:
            self._calls.pop(call, None)
        if not draft.empty:
            self._number += 1
            yield draft.turn(self._number)


def command_of(tool: str, arguments: Mapping[str, Any]) -> str | None:
    """The shell command of a call, or None where the tool is no shell."""
    if not _SHELL.search(tool):
        return None
    for key in ("command", "cmd", "commandLine", "script"):
        value = arguments.get(key)
        if isinstance(value, str) and value:
            return value
    return None


def among(value: object, names: Container[str]) -> bool:
    """Whether a recorded value of any type is one of these names."""
    return isinstance(value, str) and value in names


def note(head: Head, when: datetime | None, cwd: str | None = None, branch: str | None = None) -> None:
    """Let the head know of a time, a directory, a branch."""
    if when is not None:
        if head.started is None or when < head.started:
            head.started = when
        if head.ended is None or when > head.ended:
            head.ended = when
    name_once(head.cwds, cwd)
    name_once(head.branches, branch)


def unknown(scan: Scan, name: object) -> None:
    """Count a record of a type that is not known."""
    key = name[:60] if isinstance(name, str) and name else "(none)"
    if key in scan.unknown_types or len(scan.unknown_types) < 100:
        scan.unknown_types[key] = scan.unknown_types.get(key, 0) + 1


def shortened(text: str) -> str:
    """The first line with something in it, at most 120 characters: a title, never evidence."""
    line = next((line.strip() for line in text.split("\n") if line.strip()), "")
    return line if len(line) <= _TITLE_LENGTH else line[: _TITLE_LENGTH - 1].rstrip() + "…"


def entitle(head: Head, title: str | None, said_by: str, first_words: str | None) -> None:
    """Name the conversation by its recorded title, else by the person's first words."""
    if title and title.strip():
        head.title, head.title_from = shortened(title), said_by
    elif first_words and head.title is None:
        head.title, head.title_from = shortened(first_words), "first turn"


def arguments_of(recorded: object) -> JsonObject:
    """Arguments that are recorded as an object, or as the text of one."""
    if isinstance(recorded, str):
        try:
            return object_of(parse(recorded.encode("utf-8", "replace")))
        except ValueError:
            return {}
    return object_of(recorded)


def exact_edits(proposed: list[Edit], diff: str) -> list[Edit] | None:
    """The one proposed edit with the lines that a unified diff shows it to have written; None where it shows none."""
    if len(proposed) != 1:
        return None
    (edit,) = proposed
    found = patches.unified(diff, edit.path)
    if len(found) != 1:
        return None
    return [replace(edit, written=found[0].written, removed=found[0].removed or None, whole_file=False)]
