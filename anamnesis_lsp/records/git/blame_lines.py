"""What ``git blame --incremental`` prints, and the ignore list: parsed, nothing runs here."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from anamnesis_lsp.records.git.shadow import is_hash
from anamnesis_lsp.records.git.text import decode_path

_ESCAPE = re.compile(rb'\\([abtnvfr"\\]|[0-7]{3})')
_ESCAPES = {
    b"a": b"\a",
    b"b": b"\b",
    b"t": b"\t",
    b"n": b"\n",
    b"v": b"\v",
    b"f": b"\f",
    b"r": b"\r",
    b'"': b'"',
    b"\\": b"\\",
}


@dataclass(frozen=True, slots=True)
class Group:
    """Neighbouring lines of one commit, as git reports them: ``count`` lines from ``line`` here, ``source_line``
    there."""

    commit: str
    source_line: int
    line: int
    count: int
    path: str
    marked: bool
    """git itself says that an ignored revision was passed over."""
    bound: bool = False
    """git went no further: a commit that was left out of the question, or where a shallow clone ends."""


def parse_incremental(lines: Iterable[bytes]) -> Iterator[Group]:
    """``git blame --incremental``: an entry is a line ``ID SOURCE LINE COUNT``, headers, and ``filename PATH`` last.

    The headers of a commit come with its first entry only, ``boundary`` among them.
    """
    head: list[bytes] = []
    marked = False
    bound: set[bytes] = set()
    for line in lines:
        if not head:
            head, marked = line.split(b" "), False
            continue
        key, _, value = line.partition(b" ")
        if key == b"filename":
            commit, source, here, count = head
            path = decode_path(c_unquote(value))
            yield Group(commit.decode("ascii"), int(source), int(here), int(count), path, marked, commit in bound)
            head = []
        elif key in (b"ignored", b"unblamable"):
            marked = True
        elif key == b"boundary":
            bound.add(head[0])


def parse_ignore_file(data: bytes) -> list[str]:
    """The full ids of an ignore-revs file, in order, once each: one a line, ``#`` begins a comment."""
    found: dict[str, None] = {}
    for line in data.decode("utf-8", "replace").split("\n"):
        word = line.partition("#")[0].strip().lower()
        if is_hash(word):
            found[word] = None
    return list(found)


def c_unquote(name: bytes) -> bytes:
    """A path as git prints it without ``-z``: in double quotes with C escapes where it holds strange bytes."""
    if not (len(name) >= 2 and name.startswith(b'"') and name.endswith(b'"')):
        return name
    return _ESCAPE.sub(lambda m: _ESCAPES.get(m[1]) or bytes([int(m[1], 8) & 255]), name[1:-1])
