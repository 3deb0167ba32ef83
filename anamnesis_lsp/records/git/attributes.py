"""What ``.gitattributes`` says of a path: read as text at a commit, by us; git itself never sees it.

Only what line numbers and text depend on is used: ``working-tree-encoding``, ``filter=lfs``, ``text``, ``eol``. Nothing
named there is run. Patterns are those of gitattributes(5): the last that matches counts, a nearer file over a farther.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.records.git.blame_lines import c_unquote
from anamnesis_lsp.records.git.objects import ObjectStore

ATTRIBUTES_FILE = ".gitattributes"
_CAP = 1 << 20
_MOST_DEEP = 64
_LONGEST_PATTERN = 4096
_LFS = re.compile(rb"version https://(?:git-lfs\.github\.com|hawser\.github\.com)/spec/v\d\n")
_LFS_LARGEST = 1024

Value = str | bool
"""True: set; False: unset; a text: its value."""


def attributes_of(objects: ObjectStore, commit: str, path: str, cancel: CancelToken) -> dict[str, Value]:
    """The attributes of a path as the tree of ``commit`` has them. Unspecified ones are left out."""
    folders = path.split("/")[:-1][:_MOST_DEEP]
    found: dict[str, Value] = {}
    for depth in range(len(folders) + 1):
        folder = "/".join(folders[:depth])
        name = f"{folder}/{ATTRIBUTES_FILE}" if folder else ATTRIBUTES_FILE
        try:
            data = objects.file(commit, name, cancel, _CAP)
        except AnamnesisError as error:
            if error.code not in (ErrorCode.FILE_MISSING, ErrorCode.OBJECT_MISSING, ErrorCode.OUTPUT_TOO_LARGE):
                raise
            continue
        inside = path[len(folder) + 1 :] if folder else path
        apply_attributes(data, inside, found, cancel)
    return found


def apply_attributes(data: bytes, path: str, found: dict[str, Value], cancel: CancelToken) -> None:
    """Enter into ``found`` what one file says of ``path``, which is relative to its folder."""
    for number, (pattern, values) in enumerate(parse_attributes(data)):
        if number % 256 == 0:
            cancel.check()
        if matches(pattern, path):
            for name, value in values.items():
                if value is None:
                    found.pop(name, None)
                else:
                    found[name] = value


def parse_attributes(data: bytes) -> Iterator[tuple[str, Mapping[str, Value | None]]]:
    """The lines of one file: the pattern and what it says; None makes an attribute unspecified. Macros other than
    ``binary`` are passed over."""
    for raw in data.split(b"\n"):
        line = raw.strip()
        if not line or line.startswith((b"#", b"[")):
            continue
        if line.startswith(b'"'):
            match = re.match(rb'"(?:[^"\\]|\\.)*"', line)
            if match is None:
                continue
            pattern, rest = c_unquote(match[0]), line[match.end() :]
        else:
            pattern, _, rest = line.partition(line[len(line.split(None, 1)[0]) :][:1] or b" ")
        if pattern.startswith(b"!"):
            continue
        values: dict[str, Value | None] = {}
        for word in rest.decode("utf-8", "replace").split():
            if word == "binary":
                values |= {"text": False, "diff": False, "merge": False}
            elif word.startswith("-"):
                values[word[1:]] = False
            elif word.startswith("!"):
                values[word[1:]] = None
            else:
                name, equals, value = word.partition("=")
                values[name] = value if equals else True
        yield pattern.decode("utf-8", "surrogateescape"), values


def matches(pattern: str, path: str) -> bool:
    """Whether a pattern of gitattributes(5) matches a path relative to the folder of its file.

    Both are hostile: no pattern takes more time than its length times the path's.
    """
    if pattern.endswith("/") or len(pattern) > _LONGEST_PATTERN:
        return False
    segments = _segments(pattern.removeprefix("/"))
    if segments is None:
        return False
    names = path.split("/") if "/" in pattern else [path.rpartition("/")[2]]
    return _matches(segments, names)


_Part: TypeAlias = "str | re.Pattern[str]"
_Segment: TypeAlias = "tuple[_Part, ...] | None"
"""The parts of a name between its stars, in their order; None is ``**``, any number of folders."""


def _segments(pattern: str) -> list[_Segment] | None:
    """The names that a pattern consists of; None for one that matches nothing."""
    segments: list[_Segment] = []
    parts: list[_Part] = []
    literal, expression, plain = "", "", True
    place, begin = 0, 0

    def end_of_part() -> None:
        nonlocal literal, expression, plain
        parts.append(literal if plain else re.compile(expression, re.DOTALL))
        literal, expression, plain = "", "", True

    while place < len(pattern):
        char = pattern[place]
        if place == begin and pattern.startswith("**/", place):
            segments.append(None)
            place = begin = place + 3
            continue
        if place == begin and place and pattern[place:] == "**":
            segments += [None, ("", "")]
            return segments
        place += 1
        if char == "/":
            end_of_part()
            segments.append(tuple(parts))
            parts.clear()
            begin = place
        elif char == "*":
            while pattern.startswith("*", place):
                place += 1
            end_of_part()
        elif char == "?":
            expression, plain = expression + ".", False
        elif char == "[":
            end = pattern.find("]", place + 1)
            if end < 0:
                return None
            inside = pattern[place:end]
            negated = inside[0] in "!^"
            wanted = "".join(c if c == "-" else re.escape(c) for c in (inside[1:] if negated else inside))
            one = f"[^{wanted}]" if negated else f"[{wanted}]"
            try:
                re.compile(one)
            except re.error:
                return None
            expression, plain = expression + one, False
            place = end + 1
        else:
            if char == "\\" and place < len(pattern):
                char = pattern[place]
                place += 1
            literal += char
            expression += re.escape(char)
    end_of_part()
    segments.append(tuple(parts))
    return segments


def _matches(segments: Sequence[_Segment], names: Sequence[str]) -> bool:
    """Whether the segments match the names, all of them. Goes back to the last ``**`` only: that is enough."""
    at = name = mark = 0
    back = -1
    while name < len(names):
        segment = segments[at] if at < len(segments) else ()
        if segment is None:
            back, mark = at, name
            at += 1
        elif segment and _matches_name(segment, names[name]):
            at, name = at + 1, name + 1
        elif back >= 0:
            mark += 1
            at, name = back + 1, mark
        else:
            return False
    return at == len(segments)


def _matches_name(parts: Sequence[_Part], name: str) -> bool:
    """Whether a name begins with the first part, ends with the last and has the others between, in their order."""
    place = 0
    for number, part in enumerate(parts):
        last = number == len(parts) - 1
        if isinstance(part, str):
            if last and number:
                return len(name) - len(part) >= place and name.endswith(part)
            found = place if name.startswith(part, place) else -1 if not number else name.find(part, place)
            length = len(part)
        else:
            search = _at_its_end(part, name, place) if last and number else part.match(name) if not number else None
            match = search or (None if last or not number else part.search(name, place))
            found, length = (match.start(), match.end() - match.start()) if match else (-1, 0)
        if found < 0:
            return False
        place = found + length
    return place == len(name) if len(parts) == 1 else True


def _at_its_end(part: re.Pattern[str], name: str, place: int) -> re.Match[str] | None:
    """The match that ends where the name ends: a part has no repetition, so its length is the same wherever it is."""
    first = part.search(name, place)
    if first is None:
        return None
    start = len(name) - (first.end() - first.start())
    return part.fullmatch(name, start) if start >= place else None


def is_lfs_pointer(data: bytes) -> bool:
    """Whether a content is a pointer of Git LFS: a few lines that stand for a file kept elsewhere."""
    return len(data) <= _LFS_LARGEST and _LFS.match(data) is not None and b"\noid sha256:" in data
