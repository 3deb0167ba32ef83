"""Links in the words of a commit message or a note: trailers of known keys, and identifiers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from anamnesis_lsp.records.identifiers import IdKind, canonical_session, identifiers
from anamnesis_lsp.records.links.model import Link, LinkKind, Place, once

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


@dataclass(frozen=True, slots=True)
class Trailer:
    """One trailer of a commit message, continuation lines joined by a space."""

    key: str
    value: str
    text: str
    line: int
    """1-based line of the message."""


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
    return once(links)


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
    return once(links)


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
