"""Foreign capture evidence: what the hypomnesis hooks leave in a ``hypomnesis/`` folder beside transcripts.

``<id>/*.md`` is a gist written by a model: words to find the session by, a cue and never evidence.
``.outcomes/<id>.json`` (schema 1) is the receipt of that capture: it qualifies the gist. ``subagent/<agent>.jsonl``
holds the last message of a forked agent whose own transcript may be gone. Codex has the folder in its home, with the
gists in ``catalog/<id>.json``. Source: the producer's reader and its notes, and ``contract/NOTES.md``, *Capture
evidence*. Everything here is read with bounds and believed only where runtime and session id match.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.records.conversations.jsonl import JsonLines, JsonObject, object_of, parse, text_of
from anamnesis_lsp.records.conversations.model import Head, Part, Reading, Scan, Source, Turn
from anamnesis_lsp.records.conversations.stores import part
from anamnesis_lsp.records.conversations.times import moment
from anamnesis_lsp.records.evidence import Speaker

FOLDER = "hypomnesis"
MAX_RECEIPT_BYTES = 256 * 1024
MAX_GIST_BYTES = 64 * 1024
_STATES = {
    "succeeded": "succeeded",
    "empty": "empty",
    "invocation_failed": "invocationFailed",
    "validation_failed": "validationFailed",
    "input_failed": "inputFailed",
    "skipped": "skipped",
}
_OMITTED = ("omitted_chars", "omitted", "input_omitted_chars", "source_chars_omitted")
_LINES_OF_PARENT = 50
_FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)


@dataclass(frozen=True, slots=True)
class ForeignReceipt:
    """What another tool says of its own capture of a conversation."""

    tool: str
    attempt: str
    """``in_progress``, ``complete`` or ``superseded``: an unfinished attempt has not said that it completed."""
    extractions: tuple[tuple[str, str | None, int | None], ...]
    """Extractor, its state as the contract spells it, characters it did not receive. None: not said."""
    revision: tuple[int, int] | None
    """Size, and mtime in ms, of the transcript it captured."""

    def stale(self, of: Part) -> bool | None:
        """Whether the transcript is another one now; None where the receipt does not say what it captured."""
        return None if self.revision is None else self.revision != (of.size, of.mtime_ns // 1_000_000)


def folder_of(transcript: Path) -> Path:
    """Where the folder lies for a transcript of Claude Code: beside it."""
    return transcript.parent / FOLDER


def beside(folder: Path, session: str) -> tuple[Part, ...]:
    """The files about a session in such a folder: their state is part of what is known of it."""
    if not _plain(session) or not folder.is_dir():
        return ()
    wanted = [folder / ".outcomes" / f"{session}.json", folder / "catalog" / f"{session}.json"]
    gist = folder / session
    wanted += [gist / name for name in ("clue.md", "narrative.md", "vector.md")] if gist.is_dir() else []
    return tuple(found for path in wanted if (found := part(path)) is not None)


def gist(files: tuple[Part, ...]) -> str | None:
    """The words of a gist, shortened to what orders records; None where there is none."""
    texts: list[str] = []
    for file in files:
        if file.path.suffix == ".md":
            texts.append(_FRONT_MATTER.sub("", _text(file, MAX_GIST_BYTES) or ""))
        elif file.path.parent.name == "catalog":
            entry = object_of(parse((_text(file, MAX_GIST_BYTES) or "").encode("utf-8", "replace")))
            texts += [value for value in entry.values() if isinstance(value, str) and " " in value]
    return "\n".join(text for text in texts if text.strip()) or None


def receipt(files: tuple[Part, ...], runtime: str, session: str) -> ForeignReceipt | None:
    """The receipt among the files about a session; None where there is none that can be believed to be of it."""
    file = next((file for file in files if file.path.parent.name == ".outcomes"), None)
    if file is None or file.size > MAX_RECEIPT_BYTES:
        return None
    try:
        read: object = json.loads(_text(file, MAX_RECEIPT_BYTES) or "")
    except (ValueError, RecursionError):
        return None
    held = object_of(read)
    attempt = text_of(held.get("state"))
    if (
        held.get("schema_version") != 1
        or held.get("runtime") != runtime
        or held.get("session_id") != session
        or attempt not in ("in_progress", "complete", "superseded")
        or not isinstance(held.get("extractors"), dict)
    ):
        return None
    extractions = tuple(
        (name[:60], _STATES.get(text_of(object_of(value).get("state")) or ""), _omitted(object_of(value)))
        for name, value in list(object_of(held["extractors"]).items())[:64]
    )
    return ForeignReceipt(FOLDER, attempt, extractions, _revision(held.get("revision")))


def forks(folder: Path, cancel: CancelToken) -> Iterator[tuple[Part, str, str]]:
    """The captured forks in such a folder: the file, the agent's id, and the conversation it says it was forked from.

    A capture that names none is no record of anything.
    """
    try:
        listed = sorted((folder / "subagent").glob("*.jsonl"))
    except OSError:
        return
    for path in listed:
        cancel.check()
        found = part(path)
        parent = None if found is None else _parent(found)
        if found is not None and parent is not None:
            yield found, path.stem, parent


class ForkReading(Reading):
    """A captured fork: one turn of the agent per capture. All that was captured is its last message."""

    def __init__(self, source: Source, cancel: CancelToken) -> None:
        self.head = Head()
        self.scan = Scan(skipped_lines=0)
        self._source = source
        self._cancel = cancel

    def __iter__(self) -> Iterator[Turn]:
        lines = JsonLines(self._source.path, self._cancel)
        directory = _directory_of(self._source)
        if directory is not None:
            self.head.cwds.append(directory)
        number = 0
        for offset, entry in lines:
            text = text_of(entry.get("last_assistant_message"))
            if not text:
                continue
            number += 1
            when = moment(entry.get("timestamp"))
            self.head.started = self.head.started or when
            self.head.ended = when or self.head.ended
            yield Turn(number, Speaker.SUBAGENT, text, when, offset=offset)
        self.scan.skipped_lines = lines.skipped_lines
        self.scan.incomplete_tail = lines.incomplete_tail


def _parent(file: Part) -> str | None:
    try:
        with file.path.open("rb") as opened:
            first = object_of(parse(opened.readline(1 << 20)))
    except (OSError, ValueError):
        return None
    return text_of(first.get("session_id"))


def _directory_of(fork: Source) -> str | None:
    """Where the parent ran, by its own transcript: the fork's capture does not say."""
    parent = fork.path.parent.parent.parent / f"{fork.parent_id}.jsonl"
    try:
        with parent.open("rb") as opened:
            for _ in range(_LINES_OF_PARENT):
                line = opened.readline(1 << 20)
                if not line:
                    return None
                try:
                    directory = text_of(object_of(parse(line)).get("cwd"))
                except ValueError:
                    continue
                if directory:
                    return directory
    except OSError:
        return None
    return None


def _revision(value: object) -> tuple[int, int] | None:
    held = object_of(value)
    size, mtime = held.get("size"), held.get("mtime_ms")
    if isinstance(size, (int, float)) and isinstance(mtime, (int, float)):
        return int(size), int(mtime)
    return None


def _omitted(stage: JsonObject) -> int | None:
    counts = [stage[name] for name in _OMITTED if isinstance(stage.get(name), int) and stage[name] is not True]
    return cast("int", counts[0]) if counts else None


def _text(file: Part, limit: int) -> str | None:
    try:
        with file.path.open("rb") as opened:
            return opened.read(limit).decode("utf-8", "replace")
    except OSError:
        return None


def _plain(session: str) -> bool:
    """Whether an id can stand in a path: no separator, no way up."""
    return bool(re.fullmatch(r"[A-Za-z0-9._-]{1,160}", session)) and not session.startswith(".")
