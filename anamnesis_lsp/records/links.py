"""Links that others recorded between commits, conversations and decisions: trailers, notes, checkpoints, traces, files.

A link says what a record says, where it says it, and whether its target was found. Any of them can be forged or dangle:
:attr:`Place.written_by` names who could have written it, and nothing here takes a link for more than its words. Reads
git only through the three methods of :class:`GitTrees`, and files of the work tree confined to its root.

Formats: ``Entire-Checkpoint`` and the branch ``entire/checkpoints/v1`` (``ab/cdef…/metadata.json`` with one folder per
session), git-ai's authorship notes 3.0.0 (``refs/notes/ai``), Agent Trace (``.agent-trace/*.jsonl``).
``formats/FORMATS.md`` section 12.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum
from pathlib import Path
from typing import Any, Protocol, cast

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.records import plain
from anamnesis_lsp.records.conversations.jsonl import JsonLines, clean_text, object_of, objects_of, text_of
from anamnesis_lsp.records.conversations.times import moment
from anamnesis_lsp.records.decisions.store import form_of
from anamnesis_lsp.records.git.model import FileChange, Ref, TreeEntry
from anamnesis_lsp.records.identifiers import IdKind, canonical_session, identifiers

CHECKPOINT_BRANCH = "entire/checkpoints/v1"
AI_NOTES = "refs/notes/ai"
_MAX_METADATA = 8 << 20
_MAX_NOTE = 8 << 20


class LinkKind(str, Enum):
    """What the other end of a link is."""

    SESSION = "session"
    """A conversation by its runtime's id (``value``), or by the file it was committed as."""
    CHECKPOINT = "checkpoint"
    COMMIT = "commit"
    ISSUE = "issue"
    PULL_REQUEST = "pull request"
    TICKET = "ticket"
    DECISION = "decision"
    """``ADR-12``, or the path of a record that the commit touched."""
    RFC = "rfc"
    TASK = "task"
    BEAD = "bead"
    CO_AUTHOR = "co-author"
    REVIEWER = "reviewer"
    URL = "url"


class Place(str, Enum):
    """Where a link is recorded."""

    TRAILER = "trailer"
    MESSAGE = "message"
    NOTE = "note"
    CHECKPOINT = "checkpoint"
    TRACE = "trace"
    FILES = "files"

    @property
    def written_by(self) -> str:
        """Who could have written such a link, for people."""
        return {
            Place.TRAILER: "whoever wrote the commit message",
            Place.MESSAGE: "whoever wrote the commit message",
            Place.NOTE: "whoever can push notes to this repository",
            Place.CHECKPOINT: "whoever can push to the checkpoint branch",
            Place.TRACE: "whoever can write files in this work tree",
            Place.FILES: "whoever made the commit",
        }[self]


@dataclass(frozen=True, slots=True)
class Link:
    """One recorded link."""

    kind: LinkKind
    value: str
    """The target in its canonical spelling."""
    place: Place
    where: str
    """The trailer's key, the ref of the note, the checkpoint's id, the file."""
    text: str
    """The words of the record, exactly."""
    runtime: str | None = None
    """The runtime of a conversation, where the record tells it."""
    found: bool | None = None
    """Whether the target was looked for and found; None where it was not looked for."""
    path: str | None = None
    """The file that the link is about, where it is about one."""
    lines: tuple[tuple[int, int], ...] = ()
    """Lines of ``path`` at the commit (git-ai, Agent Trace)."""


@dataclass(frozen=True, slots=True)
class Trailer:
    """One trailer of a commit message, continuation lines joined by a space."""

    key: str
    value: str
    text: str
    line: int
    """1-based line of the message."""


class GitTrees(Protocol):
    """What is read of git: the part of the git door that this module needs."""

    def refs(self, cancel: CancelToken) -> list[Ref]:
        """Branches, tags, notes and remote-tracking branches."""
        ...

    def tree(self, commit: str, cancel: CancelToken, under: str = "") -> list[TreeEntry]:
        """The files of a commit below a folder."""
        ...

    def file(self, commit: str, path: str, cancel: CancelToken) -> bytes:
        """A file at a commit. Raises ``fileMissing``."""
        ...


# --- messages ---------------------------------------------------------------------------------------------------------

_TRAILER = re.compile(r"([A-Za-z][A-Za-z0-9-]{1,60})[ \t]*:[ \t]+(\S.*?)\s*\Z")
_SESSION_TRAILERS = {
    "claude-session": "claude-code",
    "claude-code-session": "claude-code",
    "amp-thread-id": "amp",
    "amp-thread": "amp",
    "codex-session": "codex",
    "codex-session-id": "codex",
    "gemini-session": "gemini",
    "opencode-session": "opencode",
    "cursor-session": "cursor",
    "copilot-session": "copilot-cli",
    "goose-session": "goose",
    "session-id": None,
    "ai-session": None,
    "chat-session": None,
}
_PEOPLE = {
    "co-authored-by": LinkKind.CO_AUTHOR,
    "assisted-by": LinkKind.CO_AUTHOR,
    "reviewed-by": LinkKind.REVIEWER,
    "acked-by": LinkKind.REVIEWER,
    "approved-by": LinkKind.REVIEWER,
    "tested-by": LinkKind.REVIEWER,
}
_PULL_TRAILERS = ("pr-url", "pull-request", "pull-request-url", "pr", "merge-request", "change-url")
_BY_ID = {
    IdKind.COMMIT: LinkKind.COMMIT,
    IdKind.ISSUE: LinkKind.ISSUE,
    IdKind.TICKET: LinkKind.TICKET,
    IdKind.DECISION: LinkKind.DECISION,
    IdKind.RFC: LinkKind.RFC,
    IdKind.TASK: LinkKind.TASK,
    IdKind.BEAD: LinkKind.BEAD,
    IdKind.SESSION: LinkKind.SESSION,
    IdKind.URL: LinkKind.URL,
}
_CHECKPOINT = re.compile(r"\b[0-9a-f]{12}\b")
_PULL = re.compile(
    r"(?:Merge pull request|\bPR|\bpull request) ?#(\d{1,8})\b|\(#(\d{1,8})\)"
    r"|/pull/(\d{1,8})\b|merge_requests/(\d{1,8})\b"
)
_SIGNATURE = re.compile(r"https?://(?:claude\.(?:com|ai)/(?:claude-)?code|aider\.chat|happy\.engineering)/?\Z")
_MERGE_REQUEST = re.compile(r"See merge request ([\w./-]{1,200}!\d{1,8})")
_THREAD = re.compile(r"\bT-[0-9a-fA-F-]{8,40}\b")


def trailers(message: str) -> list[Trailer]:
    """The trailers of a message: the lines of its last paragraph that are all ``Key: value``, and known keys anywhere.

    A squash merge leaves the trailers of its commits in the middle of the message: known keys count there too.
    """
    lines = message.rstrip().split("\n")
    start = len(lines)
    while start > 0 and lines[start - 1].strip():
        start -= 1
    last = range(start, len(lines)) if start > 0 else range(0)
    block = {n for n in last if _TRAILER.match(lines[n])}
    is_block = bool(block) and all(
        n in block or lines[n][:1] in (" ", "\t") or lines[n].startswith("(cherry") for n in last
    )
    found: list[Trailer] = []
    for n, line in enumerate(lines):
        match = _TRAILER.match(line)
        if match is None or not ((is_block and n in last) or _is_known(match[1])):
            continue
        value, text, after = match[2], line, n + 1
        while after < len(lines) and lines[after][:1] in (" ", "\t") and lines[after].strip():
            value, text, after = f"{value} {lines[after].strip()}", f"{text}\n{lines[after]}", after + 1
        found.append(Trailer(match[1], value, text, n + 1))
    return found


def message_links(message: str) -> list[Link]:
    """Every link a commit message records, in order: its trailers, then the identifiers in its text. Each once."""
    links: list[Link] = []
    taken: set[int] = set()
    for trailer in trailers(message):
        made = list(_of_trailer(trailer))
        links += made
        if made:
            taken.update(range(trailer.line, trailer.line + trailer.text.count("\n") + 1))
    rest = "\n".join("" if n in taken else line for n, line in enumerate(message.split("\n"), 1))
    links += text_links(rest, Place.MESSAGE, "message")
    return _once(links)


def text_links(text: str, place: Place = Place.MESSAGE, where: str = "text") -> list[Link]:
    """The identifiers in a text as links. A ``#12`` that the text calls a pull request is one."""
    pulls = {next(number for number in match.groups() if number) for match in _PULL.finditer(text)}
    links = [Link(LinkKind.PULL_REQUEST, match[1], place, where, match[0]) for match in _MERGE_REQUEST.finditer(text)]
    for found in identifiers(text):
        kind = _BY_ID[found.kind]
        value = found.value
        runtime = "claude-code" if kind is LinkKind.SESSION else None
        if kind is LinkKind.ISSUE and value.rpartition("#")[2] in pulls:
            kind = LinkKind.PULL_REQUEST
        elif kind is LinkKind.URL:
            if _SIGNATURE.match(value):
                continue
            if pull := re.search(r"/(?:pull|merge_requests)/(\d{1,8})\b", value):
                kind, value = LinkKind.PULL_REQUEST, f"#{pull[1]}"
            elif issue := re.search(r"/issues/(\d{1,8})\b", value):
                kind, value = LinkKind.ISSUE, f"#{issue[1]}"
            elif commit := re.search(r"/commits?/([0-9a-f]{7,64})\b", value):
                kind, value = LinkKind.COMMIT, commit[1]
            elif "ampcode.com" in value and (thread := _THREAD.search(value)):
                kind, value, runtime = LinkKind.SESSION, thread[0], "amp"
        links.append(Link(kind, value, place, where, found.text, runtime))
    return _once(links)


def _is_known(key: str) -> bool:
    lowered = key.lower()
    return (
        lowered in _SESSION_TRAILERS
        or lowered in _PEOPLE
        or lowered == "entire-checkpoint"
        or lowered in _PULL_TRAILERS
    )


def _of_trailer(trailer: Trailer) -> Iterator[Link]:
    key = trailer.key.lower()
    if key == "entire-checkpoint":
        for identity in _CHECKPOINT.findall(trailer.value.lower()):
            yield Link(LinkKind.CHECKPOINT, identity, Place.TRAILER, trailer.key, trailer.text)
    elif key in _SESSION_TRAILERS:
        for part in re.split(r"[,\s]+", trailer.value):
            if not part:
                continue
            thread = _THREAD.search(part) if key.startswith("amp") else None
            value = thread[0] if thread else canonical_session(part) if key.startswith("claude") else part
            yield Link(LinkKind.SESSION, value, Place.TRAILER, trailer.key, trailer.text, _SESSION_TRAILERS[key])
    elif key in _PEOPLE:
        yield Link(_PEOPLE[key], trailer.value, Place.TRAILER, trailer.key, trailer.text)
    elif key in _PULL_TRAILERS:
        number = re.search(r"(\d{1,8})/?\Z", trailer.value)
        value = f"#{number[1]}" if number else trailer.value
        yield Link(LinkKind.PULL_REQUEST, value, Place.TRAILER, trailer.key, trailer.text)
    else:
        for link in text_links(trailer.value, Place.TRAILER, trailer.key):
            yield replace(link, text=trailer.text)


def _once(links: Iterable[Link]) -> list[Link]:
    seen: dict[tuple[LinkKind, str, Place, str | None], Link] = {}
    for link in links:
        seen.setdefault((link.kind, link.value, link.place, link.path), link)
    return list(seen.values())


# --- checkpoints ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CheckpointSession:
    """One conversation of a checkpoint."""

    session_id: str
    agent: str | None
    transcript: str | None
    """Path of the transcript in the checkpoint branch."""
    when: datetime | None
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """What the checkpoint branch holds of one checkpoint."""

    identity: str
    ref: str
    commit: str
    """The commit of the branch it was read from."""
    branch: str | None
    files: tuple[str, ...]
    sessions: tuple[CheckpointSession, ...]


class Checkpoints:
    """The checkpoints of one repository, local branch first, then remote-tracking ones. Nothing is fetched."""

    def __init__(self, repository: GitTrees, cancel: CancelToken) -> None:
        self._repository = repository
        refs = [
            ref
            for ref in repository.refs(cancel)
            if ref.name.endswith(f"/{CHECKPOINT_BRANCH}") and ref.type == "commit"
        ]
        self._refs = sorted(refs, key=lambda ref: not ref.name.startswith("refs/heads/"))

    @property
    def present(self) -> bool:
        """Whether the repository has a checkpoint branch here at all: else a link into it was not looked for."""
        return bool(self._refs)

    def open(self, identity: str, cancel: CancelToken) -> Checkpoint | None:
        """The checkpoint of that id with all its conversations; None where no branch here holds it."""
        folder = f"{identity[:2]}/{identity[2:]}"
        for ref in self._refs:
            cancel.check()
            data = self._metadata(ref.hash, f"{folder}/metadata.json", cancel)
            if data is None:
                continue
            return Checkpoint(
                identity,
                ref.name,
                ref.hash,
                text_of(data.get("branch")),
                _texts(data.get("files_touched")),
                tuple(self._sessions(ref.hash, folder, data, cancel)),
            )
        return None

    def links(self, identity: str, cancel: CancelToken) -> list[Link]:
        """The checkpoint itself, with whether a branch here holds it, then its conversations."""
        checkpoint = self.open(identity, cancel) if self.present else None
        found = (checkpoint is not None) if self.present else None
        links = [Link(LinkKind.CHECKPOINT, identity, Place.CHECKPOINT, CHECKPOINT_BRANCH, identity, found=found)]
        for session in checkpoint.sessions if checkpoint is not None else ():
            links.append(
                Link(
                    LinkKind.SESSION,
                    session.session_id,
                    Place.CHECKPOINT,
                    identity,
                    session.session_id,
                    _runtime_of(session.agent),
                    found=True,
                    path=session.transcript,
                )
            )
        return links

    def _sessions(
        self, commit: str, folder: str, data: dict[str, Any], cancel: CancelToken
    ) -> Iterator[CheckpointSession]:
        seen: set[str] = set()
        paths: list[tuple[str, str | None]] = []
        for entry in objects_of(data.get("sessions")):
            metadata, transcript = text_of(entry.get("metadata")), text_of(entry.get("transcript"))
            if metadata:
                paths.append((metadata.lstrip("/"), transcript.lstrip("/") if transcript else None))
        if not paths:
            try:
                entries = self._repository.tree(commit, cancel, under=folder)
            except AnamnesisError:
                entries = []
            names = {entry.path for entry in entries}
            for path in sorted(names):
                if path.endswith("/metadata.json"):
                    beside = path.removesuffix("metadata.json") + "full.jsonl"
                    paths.append((path, beside if beside in names else None))
        for path, transcript in paths:
            cancel.check()
            if not path.startswith(f"{folder}/") or ".." in path.split("/"):
                continue
            own = data if path == f"{folder}/metadata.json" else self._metadata(commit, path, cancel)
            identity = text_of(own.get("session_id")) if own is not None else None
            if own is None or identity is None or identity in seen:
                continue
            seen.add(identity)
            yield CheckpointSession(
                _bare_session(identity),
                text_of(own.get("agent")),
                transcript,
                moment(own.get("created_at")),
                _texts(own.get("files_touched")),
            )

    def _metadata(self, commit: str, path: str, cancel: CancelToken) -> dict[str, Any] | None:
        try:
            raw = self._repository.file(commit, path, cancel)
        except AnamnesisError as error:
            if error.code in (ErrorCode.FILE_MISSING, ErrorCode.OBJECT_MISSING, ErrorCode.OUTPUT_TOO_LARGE):
                return None
            raise
        return _object(raw) if len(raw) <= _MAX_METADATA else None


def _bare_session(identity: str) -> str:
    """Entire prefixed early session ids with the day: ``2026-01-15-<uuid>`` is the conversation ``<uuid>``."""
    return re.sub(r"\A\d{4}-\d\d-\d\d-(?=[0-9a-f]{8}-)", "", identity)


def _runtime_of(agent: str | None) -> str | None:
    name = (agent or "").lower()
    if "claude" in name or name == "agent":
        return "claude-code"
    names = (
        "codex",
        "gemini",
        "opencode",
        "cursor",
        "amp",
        "cline",
        "goose",
        "qwen",
        "aider",
        "crush",
        "zed",
        "windsurf",
    )
    known = next((runtime for runtime in names if runtime in name), None)
    return "copilot-cli" if known is None and "copilot" in name else known


# --- notes ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class NotedLines:
    """Lines of a file that a git-ai note attributes to one conversation (or to one prompt of it)."""

    path: str
    lines: tuple[tuple[int, int], ...]
    session_id: str | None
    """The runtime's own id; None where the note gives only its own key."""
    tool: str | None
    model: str | None
    author: str | None
    text: str


def git_ai_note(text: str) -> list[NotedLines]:
    """The attestations of an authorship note: ``path``, then indented ``key ranges`` lines, ``---``, metadata as JSON.

    What does not follow the form is passed over.
    """
    head, _, tail = f"\n{text}".partition("\n---")
    metadata = _object(tail.lstrip("-").strip().encode("utf-8", "replace")) or {}
    people = {**object_of(metadata.get("prompts")), **object_of(metadata.get("sessions"))}
    found: list[NotedLines] = []
    path = ""
    for line in head.split("\n"):
        if not line.strip():
            continue
        if line[:1] not in (" ", "\t"):
            path = line.strip().strip('"')
            continue
        key, _, ranges = line.strip().partition(" ")
        spans = tuple(_spans(ranges))
        if not path or not spans:
            continue
        record = object_of(people.get(key) or people.get(key.partition("::")[0]))
        agent = object_of(record.get("agent_id"))
        found.append(
            NotedLines(
                path,
                spans,
                text_of(agent.get("id")),
                text_of(agent.get("tool")),
                text_of(agent.get("model")),
                text_of(record.get("human_author")),
                line.strip(),
            )
        )
    return found


def note_links(repository: GitTrees, commit: str, cancel: CancelToken, refs: Sequence[Ref] | None = None) -> list[Link]:
    """The links that notes on ``commit`` record: git-ai's line ranges, and the identifiers in notes of other refs."""
    links: list[Link] = []
    for ref in refs if refs is not None else repository.refs(cancel):
        if not ref.name.startswith("refs/notes/") or ref.type != "commit":
            continue
        cancel.check()
        text = _note(repository, ref.hash, commit, cancel)
        if text is None:
            continue
        if ref.name != AI_NOTES and "authorship/" not in text:
            links += text_links(text, Place.NOTE, ref.name)
            continue
        for noted in git_ai_note(text):
            if noted.session_id:
                runtime = _runtime_of(noted.tool)
                links.append(
                    Link(
                        LinkKind.SESSION,
                        noted.session_id,
                        Place.NOTE,
                        ref.name,
                        noted.text,
                        runtime,
                        path=noted.path,
                        lines=noted.lines,
                    )
                )
    return links


def _note(repository: GitTrees, ref: str, commit: str, cancel: CancelToken) -> str | None:
    """A note lies under the commit's hash, or with its first pairs of digits as folders where there are many."""
    for fan in range(4):
        parts = [commit[n * 2 : n * 2 + 2] for n in range(fan)]
        try:
            raw = repository.file(ref, "/".join([*parts, commit[fan * 2 :]]), cancel)
        except AnamnesisError as error:
            if error.code in (ErrorCode.FILE_MISSING, ErrorCode.OBJECT_MISSING, ErrorCode.OUTPUT_TOO_LARGE):
                continue
            raise
        return plain.decode(raw[:_MAX_NOTE])
    return None


def _spans(ranges: str) -> Iterator[tuple[int, int]]:
    for part in ranges.split(","):
        match = re.fullmatch(r"\s*(\d{1,9})(?:-(\d{1,9}))?\s*", part)
        if match is not None:
            start, end = int(match[1]), int(match[2] or match[1])
            if 1 <= start <= end:
                yield start, end


# --- traces and files -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Trace:
    """One entry of an Agent Trace file: lines of a file at a revision, and the conversation they are from."""

    revision: str | None
    when: datetime | None
    tool: str | None
    contributor: str | None
    """``ai``, ``human``, ``mixed`` or ``unknown``, as recorded."""
    link: Link


def agent_traces(root: Path, cancel: CancelToken) -> Iterator[Trace]:
    """The entries of ``.agent-trace/*.jsonl`` in a work tree, streaming; lines that are no trace are passed over."""
    for file in plain.walk(root, ".agent-trace", cancel, skip=frozenset(), depth=1):
        if not file.path.endswith(".jsonl"):
            continue
        for _, record in JsonLines(plain.confined(root, file.path), cancel):
            revision = text_of(object_of(record.get("vcs")).get("revision"))
            tool = text_of(object_of(record.get("tool")).get("name"))
            when = moment(record.get("timestamp"))
            for touched in objects_of(record.get("files")):
                path = text_of(touched.get("path"))
                for conversation in objects_of(touched.get("conversations")) if path else []:
                    yield from _of_conversation(conversation, path or "", file.path, revision, when, tool)


def _of_conversation(
    conversation: dict[str, Any], path: str, where: str, revision: str | None, when: datetime | None, tool: str | None
) -> Iterator[Trace]:
    url = text_of(conversation.get("url")) or text_of(conversation.get("id"))
    if not url:
        return
    spans = tuple(
        (start, end)
        for one in objects_of(conversation.get("ranges"))
        if isinstance(start := one.get("start_line"), int)
        and isinstance(end := one.get("end_line", start), int)
        and 1 <= start <= end
    )
    contributor = text_of(object_of(conversation.get("contributor")).get("type"))
    value = canonical_session(url) if "claude.ai" in url else url.removeprefix("file://")
    stem = re.search(r"([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22,27})(?:\.jsonl)?\Z", value)
    value = stem[1] if stem else value
    link = Link(LinkKind.SESSION, value, Place.TRACE, where, url, _runtime_of(tool), path=path, lines=spans)
    yield Trace(revision, when, tool, contributor, link)


_AIDER_START = re.compile(r"\+# aider chat started at (\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)\s*\Z")
_ENTIRE_FILE = re.compile(r"\.entire/metadata/([\w.-]{8,100})/")
_CLAUDE_FILE = re.compile(r"(?:^|/)([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22,27})\.jsonl\Z")


def file_links(changes: Iterable[FileChange]) -> list[Link]:
    """What a commit's own files say: conversations and decision records committed with the code.

    Where the changes carry hunks, a chat history of aider names the launches that were added to it, and an issue file
    of beads the issues that were changed.
    """
    links: list[Link] = []
    for change in changes:
        path = change.path
        name = path.rpartition("/")[2]
        added = [line for hunk in change.hunks for line in hunk.lines if line.startswith("+")]
        if "/.specstory/history/" in f"/{path}" and name.endswith(".md"):
            links.append(Link(LinkKind.SESSION, path, Place.FILES, path, path, "specstory", path=path))
        elif name.endswith(".aider.chat.history.md"):
            starts = [f"{path}#{m[1]}T{m[2]}" for line in added if (m := _AIDER_START.match(line))]
            for value in starts or [path]:
                links.append(Link(LinkKind.SESSION, value, Place.FILES, path, path, "aider", path=path))
        elif entire := _ENTIRE_FILE.search(path):
            value = _bare_session(entire[1])
            links.append(Link(LinkKind.SESSION, value, Place.FILES, path, path, None, path=path))
        elif claude := _CLAUDE_FILE.search(path):
            links.append(Link(LinkKind.SESSION, claude[1], Place.FILES, path, path, "claude-code", path=path))
        elif path.startswith(".beads/") and name.endswith(".jsonl"):
            for line in [line for hunk in change.hunks for line in hunk.lines if line[:1] in "+-"]:
                if match := re.match(r"[+-]\{\"id\": ?\"([^\"\\]{1,80})\"", line):
                    links.append(Link(LinkKind.BEAD, match[1], Place.FILES, path, match[1], path=path))
        elif name.endswith((".md", ".markdown", ".mdx", ".adoc", ".rst")) and form_of(path) is not None:
            links.append(Link(LinkKind.DECISION, path, Place.FILES, path, path, path=path))
    return _once(links)


def commit_links(
    repository: GitTrees,
    commit: str,
    message: str,
    changes: Iterable[FileChange],
    cancel: CancelToken,
    checkpoints: Checkpoints | None = None,
    refs: Sequence[Ref] | None = None,
) -> list[Link]:
    """Everything recorded about one commit: its message, the checkpoints that it names, its notes, its own files.

    A checkpoint's own link tells in ``found`` whether the branch holds it; its conversations follow it.
    """
    reader = checkpoints if checkpoints is not None else Checkpoints(repository, cancel)
    links: list[Link] = []
    for link in message_links(message):
        if link.kind is not LinkKind.CHECKPOINT:
            links.append(link)
            continue
        itself, *sessions = reader.links(link.value, cancel)
        links += [replace(link, found=itself.found), *sessions]
    return _once([*links, *note_links(repository, commit, cancel, refs), *file_links(changes)])


def _object(raw: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None


def _texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        return ()
    return tuple(clean_text(item) for item in cast("list[object]", value) if isinstance(item, str))
