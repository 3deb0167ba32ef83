"""Locators: ``anamnesis:///KIND/ROOT/REST``, written with three slashes (Vim takes one for a relative path), also read
with one, as URI libraries write what has no authority.

A locator names a record, never a file of the machine: ROOT is an id that resolves only among the roots this process
knows.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal
from urllib.parse import quote, unquote

from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.places import ROOT_ID_LENGTH, SCHEME, root_id
from anamnesis_lsp.records.evidence import Kind, RecordKey, Span

LocatorKind = Literal["recall", "scope", "commit", "file", "diff", "conversation", "decision"]

_HASH = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?\Z")
_ROOT = re.compile(rf"[0-9a-f]{{{ROOT_ID_LENGTH}}}\Z")
_SHAPE = re.compile(rf"{SCHEME}:/(?://)?(?P<path>[!-\"$->@-~]+)(?:\?(?P<query>[!-\"$-~]*))?")
_ENCODED_WHOLE = re.compile(
    r"(?:path=(?P<path>.*?))?&?(?:(?:lines=(?P<lines>[^&]*))|(?:turn=(?P<turn>[^&]*))|(?:part=(?P<part>.*)))?",
    re.DOTALL,
)
_LINES = re.compile(r"(\d{1,9})-(\d{1,9})\Z", re.ASCII)


@dataclass(frozen=True, slots=True)
class Locator:
    """A parsed locator. Fields that a kind does not have are None."""

    kind: LocatorKind
    root: str | None = None
    hash: str | None = None
    path: str | None = None
    runtime: str | None = None
    id: str | None = None
    turn: int | None = None
    lines: tuple[int, int] | None = None
    part: str | None = None

    def __str__(self) -> str:
        return _format(self)


def of_record(key: RecordKey, span: Span | None = None) -> Locator:
    """The locator of a record, at a span when given."""
    span = span or Span()
    root = root_id(key.root)
    if key.kind is Kind.COMMIT:
        return Locator("commit", root, hash=key.id, path=span.path, lines=span.lines)
    if key.kind is Kind.CONVERSATION:
        return Locator("conversation", root, runtime=key.runtime or "transcripts", id=key.id, turn=span.turn)
    path, mark, part = key.id.rpartition("#")
    if not mark or "/" in part:  # a folder may be called md#409; a part never holds a slash
        path, part = key.id, ""
    return Locator("decision", root, path=path, part=span.part or part or None)


def _segments(text: str) -> str:
    return "/".join(quote(segment, safe="", errors="surrogateescape") for segment in text.split("/"))


def _query(**parameters: str | None) -> str:
    pairs = [
        f"{name}={quote(value, safe='/-', errors='surrogateescape')}"
        for name, value in parameters.items()
        if value is not None
    ]
    return "?" + "&".join(pairs) if pairs else ""


def _format(locator: Locator) -> str:
    lines = None if locator.lines is None else f"{locator.lines[0]}-{locator.lines[1]}"
    head = f"{SCHEME}:///{locator.kind}/"
    if locator.kind in ("recall", "scope"):
        return f"{head}{quote(locator.id or '', safe='')}.md"
    head += f"{locator.root}/" if locator.kind != "conversation" else ""
    if locator.kind == "commit":
        return f"{head}{locator.hash}.md{_query(path=locator.path, lines=lines)}"
    if locator.kind == "file":
        return f"{head}{locator.hash}/{_segments(locator.path or '')}{_query(lines=lines)}"
    if locator.kind == "diff":
        return f"{head}{locator.hash}/{_segments(locator.path or '')}"
    if locator.kind == "conversation":
        turn = None if locator.turn is None else str(locator.turn)
        name = f"{quote(locator.runtime or '', safe='')}/{locator.root}/{_segments(locator.id or '')}"
        return f"{head}{name}.md{_query(turn=turn)}"
    return f"{head}{_segments(locator.path or '')}{_query(part=locator.part)}"


def written(uri: str) -> str:
    """A locator with three slashes where a URI library left one; anything else as it is."""
    return re.sub(rf"\A{SCHEME}:/(?!/)", f"{SCHEME}:///", uri)


def parse(text: str) -> Locator:
    """Parse a locator. Raises ``badLocator`` with what is wrong; knows nothing of which roots exist."""
    if len(text) > 8192:
        raise _bad("it is longer than 8192 characters")
    match = _SHAPE.fullmatch(text)
    if match is None:
        raise _bad(f"it does not begin with {SCHEME}:///, or a character in it is not percent-encoded")
    segments = [unquote(segment, errors="surrogateescape") for segment in match["path"].split("/")]
    if any(s in ("", ".", "..") or "\0" in s or "/" in s for s in segments):
        raise _bad("it has an empty, '.' or '..' segment, or an encoded '/'")
    query = _parameters(match["query"] or "")
    kind, rest = segments[0], segments[1:]
    if kind in ("recall", "scope") and len(rest) == 1 and rest[0].endswith(".md"):
        return Locator("recall" if kind == "recall" else "scope", id=rest[0][:-3])
    if kind == "conversation" and len(rest) >= 3 and rest[-1].endswith(".md"):
        identity = "/".join(rest[2:])[:-3]
        return Locator("conversation", _root(rest[1]), runtime=rest[0], id=identity, turn=_number(query.get("turn")))
    if kind == "commit" and len(rest) == 2 and rest[1].endswith(".md"):
        path = query.get("path")
        if path is not None and _escapes(path):
            raise _bad("its path leaves the repository")
        return Locator(
            "commit", _root(rest[0]), hash=_full_hash(rest[1][:-3]), path=path, lines=_lines(query.get("lines"))
        )
    if kind in ("file", "diff") and len(rest) >= 3:
        return Locator(
            "file" if kind == "file" else "diff",
            _root(rest[0]),
            hash=_full_hash(rest[1]),
            path="/".join(rest[2:]),
            lines=_lines(query.get("lines")),
        )
    if kind == "decision" and len(rest) >= 2:
        return Locator("decision", _root(rest[0]), path="/".join(rest[1:]), part=query.get("part"))
    raise _bad(f"'{kind[:40]}' with {len(rest)} further segments is no kind of record known here")


def _parameters(query: str) -> dict[str, str]:
    if "=" in query or not query:
        pairs = [pair.partition("=") for pair in query.split("&") if pair]
        return {name: unquote(value, errors="surrogateescape") for name, _, value in pairs}
    # VS Code decodes a query and encodes it again whole, "=" and "&" included: a value ends where the next name is
    decoded = _ENCODED_WHOLE.fullmatch(unquote(query, errors="surrogateescape"))
    if decoded is None:
        raise _bad("its query is not name=value")
    return {name: value for name, value in decoded.groupdict().items() if value is not None}


def _escapes(path: str) -> bool:
    return path.startswith("/") or "\0" in path or ".." in path.split("/")


def _root(text: str) -> str:
    if not _ROOT.match(text):
        raise _bad(f"its root is not {ROOT_ID_LENGTH} hex digits")
    return text


def _full_hash(text: str) -> str:
    if not _HASH.match(text):
        raise _bad("its commit is not a full hash of 40 or 64 hex digits")
    return text


def _number(text: str | None) -> int | None:
    if text is None:
        return None
    if not re.fullmatch(r"[1-9]\d{0,8}", text):
        raise _bad("its turn is not a number from 1")
    return int(text)


def _lines(text: str | None) -> tuple[int, int] | None:
    if text is None:
        return None
    match = _LINES.match(text)
    if match is None or not 1 <= int(match[1]) <= int(match[2]):
        raise _bad("its lines are not A-B with 1 <= A <= B")
    return int(match[1]), int(match[2])


def _bad(why: str) -> AnamnesisError:
    return AnamnesisError(
        ErrorCode.BAD_LOCATOR,
        f"This is not a locator: {why}.",
        "Use a locator as a story shows it, for example anamnesis:///commit/ROOT/HASH.md.",
    )
