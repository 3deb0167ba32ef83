"""What ``.gitattributes`` says of a path: read as text at a commit, by us; git itself never sees it.

Only what line numbers and text depend on is used: ``working-tree-encoding``, ``filter=lfs``, ``text``, ``eol``. Nothing
named there is run. Patterns are those of gitattributes(5): the last that matches counts, a nearer file over a farther.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.records.git.blame_lines import c_unquote
from anamnesis_lsp.records.git.objects import ObjectStore

ATTRIBUTES_FILE = ".gitattributes"
_CAP = 1 << 20
_MOST_DEEP = 64
_LFS = re.compile(rb"version https://(?:git-lfs\.github\.com|hawser\.github\.com)/spec/v\d\n")
_LFS_LARGEST = 1024
_NOTHING = re.compile(r"(?!)")

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
        apply_attributes(data, inside, found)
    return found


def apply_attributes(data: bytes, path: str, found: dict[str, Value]) -> None:
    """Enter into ``found`` what one file says of ``path``, which is relative to its folder."""
    for pattern, values in parse_attributes(data):
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
    """Whether a pattern of gitattributes(5) matches a path relative to the folder of its file."""
    if pattern.endswith("/"):
        return False
    if "/" not in pattern:
        return _expression(pattern).fullmatch(path.rpartition("/")[2]) is not None
    return _expression(pattern.removeprefix("/")).fullmatch(path) is not None


def _expression(pattern: str) -> re.Pattern[str]:
    parts: list[str] = []
    place = 0
    while place < len(pattern):
        char = pattern[place]
        if pattern.startswith("**/", place) and (place == 0 or pattern[place - 1] == "/"):
            parts.append("(?:[^/]+/)*")
            place += 3
            continue
        if pattern.startswith("/**", place) and place + 3 == len(pattern):
            parts.append("/.+")
            place += 3
            continue
        place += 1
        if char == "*":
            while pattern.startswith("*", place):
                place += 1
            parts.append("[^/]*")
        elif char == "?":
            parts.append("[^/]")
        elif char == "[" and "]" not in pattern[place + 1 :]:
            return _NOTHING
        elif char == "[" and (end := pattern.find("]", place + 1)) > 0:
            inside = pattern[place:end].replace("\\", "\\\\")
            parts.append(f"(?!/)[^{inside[1:]}]" if inside[0] in "!^" else f"[{inside}]")
            place = end + 1
        elif char == "\\" and place < len(pattern):
            parts.append(re.escape(pattern[place]))
            place += 1
        else:
            parts.append(re.escape(char))
    try:
        return re.compile("".join(parts), re.DOTALL)
    except re.error:
        return _NOTHING


def is_lfs_pointer(data: bytes) -> bool:
    """Whether a content is a pointer of Git LFS: a few lines that stand for a file kept elsewhere."""
    return len(data) <= _LFS_LARGEST and _LFS.match(data) is not None and b"\noid sha256:" in data
