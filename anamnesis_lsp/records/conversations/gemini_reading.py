"""Gemini CLI: one pass over a session, and what its kin (Qwen Code) share with it. ``formats/FORMATS.md`` section 3.

A ``.jsonl`` is a log to be replayed: a message may come again and replace itself, ``$set`` may replace all of them,
``$rewindTo`` drops the last ones. It is read twice: once for where the final state of each message stands, once to tell
them in order. What was rewound is kept, since it may hold the reason, and its turns are named ``rewound``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.errors import AnamnesisError
from anamnesis_lsp.records.conversations import patches
from anamnesis_lsp.records.conversations.drafts import Draft, Drafts, entitle, note, unknown
from anamnesis_lsp.records.conversations.json_items import JsonItems
from anamnesis_lsp.records.conversations.jsonl import (
    JsonLines,
    JsonObject,
    object_of,
    objects_of,
    open_log,
    parse,
    text_of,
)
from anamnesis_lsp.records.conversations.model import (
    MAX_LINE_BYTES,
    Edit,
    EditOutcome,
    Head,
    Reading,
    Scan,
    Source,
    Turn,
)
from anamnesis_lsp.records.conversations.seen import Seen
from anamnesis_lsp.records.conversations.stores import unreadable
from anamnesis_lsp.records.conversations.times import moment
from anamnesis_lsp.records.conversations.typed_prompts import NOT_LISTED, TypedPrompts
from anamnesis_lsp.records.evidence import Speaker

_INJECTED_TAGS = ("<session_context>", "<hook_context>", "<system-reminder>", "<environment_context>")
_COMMANDS = ("/", "?")
_EXIT = re.compile(r"^Exit Code: (-?\d{1,10})\s*$", re.MULTILINE)
_LABEL = re.compile(r"^(?:Stdout|Stderr|Output): ?", re.MULTILINE)
_REFUSED = re.compile(
    r"did not allow|denied by (?:the )?user|user (?:denied|rejected|declined)|\[Operation Cancelled\]", re.I
)


# -- shared with Qwen Code


def text_of_parts(content: object) -> str:
    """The text of a content: a string, or its text parts (thoughts and calls left out) joined."""
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        content = [cast("object", content)]
    texts: list[str] = []
    if isinstance(content, list):
        for part in cast("list[object]", content):
            if isinstance(part, str):
                texts.append(part)
            elif object_of(part).get("thought") is not True:
                text = object_of(part).get("text")
                texts += [text] if isinstance(text, str) else []
    return "\n".join(texts)


def injected_as(text: str) -> str | None:
    """The name of what the client put there or a command of its own; None for what a person asked."""
    start = text.lstrip()
    for tag in _INJECTED_TAGS:
        if start.startswith(tag):
            return tag.strip("<>")
    return "command" if start.startswith(_COMMANDS) else None


def outcome_of(status: object, output: str, error: bool) -> EditOutcome:
    """What became of a call, by its status (``success``, ``error``, ``cancelled``) or its response."""
    if status == "cancelled":
        return EditOutcome.REJECTED
    if status == "error" or (status is None and error):
        return EditOutcome.REJECTED if _REFUSED.search(output[:400]) else EditOutcome.FAILED
    if status == "success" or status is None:
        return EditOutcome.APPLIED
    return EditOutcome.UNCONFIRMED


def response_in(value: object) -> tuple[str, bool]:
    """What the function responses in a result say, and whether one is an error."""
    texts: list[str] = []
    failed = False
    if isinstance(value, str):
        return value, False
    for part in objects_of(value) or [object_of(value)]:
        response = object_of(object_of(part.get("functionResponse")).get("response"))
        for key in ("output", "error"):
            text = response.get(key)
            if isinstance(text, str):
                texts.append(text)
                failed = failed or key == "error"
        own = part.get("text")
        texts += [own] if isinstance(own, str) else []
    return "\n".join(texts), failed


def printed_by_shell(output: str) -> str | None:
    """What a shell command printed, its labels taken off; None where the record says that it failed."""
    code = _EXIT.search(output)
    return None if code is not None and code[1] != "0" else _LABEL.sub("", output)


def as_displayed(edits: Sequence[Edit], display: object) -> list[Edit] | None:
    """The edits of a call as its result's ``FileDiff`` shows them; None where it shows none."""
    shown = object_of(display)
    new, old, diff = shown.get("newContent"), shown.get("originalContent"), shown.get("fileDiff")
    if len(edits) != 1 or not (isinstance(new, str) or isinstance(diff, str)):
        return None
    edit = edits[0]
    path = text_of(shown.get("filePath")) or edit.path
    if isinstance(new, str) and ("originalContent" in shown or not edit.whole_file):
        written, removed = patches.changed_lines(old if isinstance(old, str) else "", new)
    elif isinstance(diff, str) and (found := patches.unified(diff, path)):
        written, removed = found[0].written, found[0].removed
    else:
        return None
    stat = object_of(shown.get("diffStat"))
    changed = any(
        isinstance(count := stat.get(key), int) and count > 0 for key in ("user_added_lines", "user_removed_lines")
    )
    return [
        replace(edit, path=path, written=written, removed=removed or None, whole_file=False, person_changed=changed)
    ]


def settle(drafts: Drafts, identity: str, tool: str, outcome: EditOutcome, output: str, display: object) -> None:
    """Tell a call's result. A shell command that failed shows no commit, and leaves open what it wrote."""
    printed = printed_by_shell(output) if "shell" in tool else output
    if printed is None and outcome is EditOutcome.APPLIED:
        outcome = EditOutcome.FAILED
    drafts.result(identity, outcome, printed or "", as_displayed(drafts.edits_of(identity), display))


# -- the session


@dataclass(slots=True)
class _Place:
    """Where the final state of a message stands."""

    offset: int
    index: int | None
    rewound: bool = False


class _Replay:
    """Where each message of a log stands at its end; metadata merged."""

    def __init__(self) -> None:
        self.meta: JsonObject = {}
        self.places: list[_Place] = []
        self.unknown = 0
        self._by_id: dict[str, int] = {}

    def record(self, offset: int, record: JsonObject) -> None:
        """Take one line."""
        if "$rewindTo" in record:
            self._rewind(record["$rewindTo"])
        elif isinstance(record.get("$set"), dict):
            changes = object_of(record["$set"])
            messages: object = changes.get("messages")
            if isinstance(messages, list):
                self._replace_all(offset, objects_of(cast("object", messages)))
            self.meta.update({key: value for key, value in changes.items() if key != "messages"})
        elif "type" in record and ("content" in record or "id" in record or "toolCalls" in record):
            self._put(_Place(offset, None), text_of(record.get("id")))
        elif "sessionId" in record or "projectHash" in record or "startTime" in record:
            self.meta.update(record)
        else:
            self.unknown += 1

    def _put(self, place: _Place, identity: str | None) -> None:
        at = self._by_id.get(identity) if identity else None
        if at is not None:
            self.places[at] = place
            return
        if identity:
            self._by_id[identity] = len(self.places)
        self.places.append(place)

    def _replace_all(self, offset: int, messages: list[JsonObject]) -> None:
        kept = {identity for message in messages if (identity := text_of(message.get("id")))}
        for identity, at in list(self._by_id.items()):
            if identity not in kept:
                self.places[at].rewound = True
                del self._by_id[identity]
        named = set(self._by_id.values())
        for at, place in enumerate(self.places):
            place.rewound |= at not in named
        for index, message in enumerate(messages):
            self._put(_Place(offset, index), text_of(message.get("id")))

    def _rewind(self, target: object) -> None:
        first = self._by_id.get(target, 0) if isinstance(target, str) else 0
        for place in self.places[first:]:
            place.rewound = True
        self._by_id = {identity: at for identity, at in self._by_id.items() if at < first}


class GeminiReading(Reading):
    """One pass over a session's file (or files: of several, messages of one id are told once)."""

    def __init__(
        self, source: Source, cancel: CancelToken, cwds: Sequence[str] = (), prompts: TypedPrompts = NOT_LISTED
    ) -> None:
        self.head = Head(cwds=list(cwds))
        self.scan = Scan(skipped_lines=0)
        self._source = source
        self._cancel = cancel
        self._prompts = prompts
        self._cwd = cwds[0] if cwds else None
        self._is_agent = source.parent_id is not None
        self._drafts = Drafts(self.head)
        self._seen = Seen()
        self._summary: str | None = None
        self._calls = 0

    def __iter__(self) -> Iterator[Turn]:
        for number, part in enumerate(self._source.parts):
            try:
                messages = self._replayed(part.path) if part.path.name.endswith(".jsonl") else self._listed(part.path)
                for message, rewound, offset in messages:
                    self._message(message, rewound, None if number else offset)
                    yield from self._drafts.ready()
            except AnamnesisError:
                if not number:
                    raise
                unknown(self.scan, "(a copy that could not be read)")
        yield from self._drafts.rest()
        entitle(self.head, self._summary, "assistant", self._drafts.first_words)

    def _replayed(self, path: Path) -> Iterator[tuple[JsonObject, bool, int | None]]:
        replay = _Replay()
        lines = JsonLines(path, self._cancel)
        for offset, record in lines:
            replay.record(offset, record)
        self.scan.skipped_lines = (self.scan.skipped_lines or 0) + lines.skipped_lines
        self.scan.incomplete_tail |= lines.incomplete_tail
        for _ in range(replay.unknown):
            unknown(self.scan, "(a record of no known shape)")
        self._about(replay.meta)
        held: tuple[int, JsonObject] | None = None
        with open_log(path) as file:
            for place in replay.places:
                self._cancel.check()
                if held is None or held[0] != place.offset:
                    try:
                        file.seek(place.offset)
                        line = file.readline(MAX_LINE_BYTES + 1).strip(b"\0 \t\r\n").removeprefix(b"\xef\xbb\xbf")
                        held = (place.offset, object_of(parse(line)))
                    except OSError as error:
                        raise unreadable(path, error) from error
                    except ValueError:
                        held = (place.offset, {})
                message = held[1]
                if place.index is not None:
                    listed = objects_of(object_of(message.get("$set")).get("messages"))
                    message = listed[place.index] if place.index < len(listed) else {}
                yield message, place.rewound, place.offset

    def _listed(self, path: Path) -> Iterator[tuple[JsonObject, bool, int | None]]:
        """The messages of an old session, which is one object."""
        meta: JsonObject = {}
        items = JsonItems(path, self._cancel, lists=("messages",))
        try:
            for key, value in items:
                if key == "messages":
                    yield object_of(value), False, None
                elif key:
                    meta[key] = value
        finally:
            self.scan.skipped_lines = (self.scan.skipped_lines or 0) + items.skipped
            self.scan.incomplete_tail |= items.incomplete
            self._about(meta)

    def _about(self, meta: JsonObject) -> None:
        note(self.head, moment(meta.get("startTime")))
        note(self.head, moment(meta.get("lastUpdated")))
        self._summary = text_of(meta.get("summary")) or self._summary
        self._is_agent = self._is_agent or meta.get("kind") == "subagent"
        directories: object = meta.get("directories")
        if isinstance(directories, list):
            for directory in cast("list[object]", directories):
                note(self.head, None, text_of(directory))

    def _message(self, message: JsonObject, rewound: bool, offset: int | None) -> None:
        identity = text_of(message.get("id"))
        if identity and not self._seen.add(identity) and not rewound:
            return
        kind = message.get("type")
        if kind == "user":
            self._asked(message, rewound, offset)
        elif kind in ("gemini", "model", "assistant", "qwen"):
            self._replied(message, rewound, offset)
        elif kind in ("info", "warning", "error"):
            self._say(message, Speaker.INJECTED, text_of_parts(message.get("content")), str(kind), offset)
        else:
            unknown(self.scan, kind)

    def _asked(self, message: JsonObject, rewound: bool, offset: int | None) -> None:
        content = text_of_parts(message.get("content"))
        if not content.strip():
            return
        name = injected_as(content)
        if name is not None:
            self._say(message, Speaker.INJECTED, content, name, offset)
            return
        shown = text_of_parts(message.get("displayContent")).strip() or content
        if self._is_agent:
            self._say(message, Speaker.ASSISTANT, shown, "prompt to a sub-agent", offset)
            self._drafts.first_words = self._drafts.first_words or shown
            return
        self._say(message, Speaker.PERSON, shown, "rewound" if rewound else None, offset)
        self._prompts.check(self.scan, shown)

    def _replied(self, message: JsonObject, rewound: bool, offset: int | None) -> None:
        model = text_of(message.get("model"))
        name = f"{model or 'model'} (rewound)" if rewound else model
        speaker = Speaker.SUBAGENT if self._is_agent else Speaker.ASSISTANT
        draft = self._drafts.open(
            speaker,
            moment(message.get("timestamp")),
            offset=offset,
            name=name,
            cwd=self._cwd,
            native_id=text_of(message.get("id")),
        )
        self._drafts.add(draft, text_of_parts(message.get("content")))
        for call in objects_of(message.get("toolCalls")):
            self._called(draft, call)

    def _called(self, draft: Draft, call: JsonObject) -> None:
        tool = text_of(call.get("name"))
        if tool is None:
            return
        self._calls += 1
        identity = f"{self._calls}"
        self._drafts.call(draft, identity, tool, object_of(call.get("args")))
        output, failed = response_in(call.get("result"))
        status = call.get("status")
        if status is None and not output:
            return
        settle(self._drafts, identity, tool, outcome_of(status, output, failed), output, call.get("resultDisplay"))

    def _say(self, message: JsonObject, speaker: Speaker, text: str, name: str | None, offset: int | None) -> None:
        self._drafts.say(
            speaker,
            text,
            moment(message.get("timestamp")),
            offset=offset,
            name=name,
            cwd=self._cwd,
            native_id=text_of(message.get("id")),
        )
