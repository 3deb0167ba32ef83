"""Bytes of a file as text, and names as git has them.

Line numbers of committed text are git's: lines end at ``\\n`` only. Editors end lines at ``\\r\\n`` and a lone ``\\r``
too; :mod:`.linemap` knows the difference.
"""

from __future__ import annotations

import re

from anamnesis_lsp.errors import AnamnesisError, ErrorCode

_BINARY_PROBE = 8000
_BOM = b"\xef\xbb\xbf"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_MULTIBYTE = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
_HIGH = re.compile(rb"[\x80-\xff]")


def decode_path(name: bytes) -> str:
    """A path of git as str: UTF-8, other bytes kept as surrogates so that it can be handed back unchanged."""
    return name.decode("utf-8", "surrogateescape")


def encode_path(path: str) -> bytes:
    """The bytes of a path. Raises ``badRequest`` where no file name can hold it."""
    try:
        encoded = path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        encoded = b"\0"
    if b"\0" in encoded:
        raise AnamnesisError(
            ErrorCode.BAD_REQUEST,
            "The path holds a character that no file name can hold.",
            "Pass the path as it is in the repository.",
        )
    return encoded


def tree_path(path: str) -> str:
    """A path inside a tree, checked: relative, ``/``-separated, no empty, ``.`` or ``..`` segment. Raises
    ``outsideRoot``."""
    encode_path(path)
    if any(segment in ("", ".", "..") for segment in path.split("/")):
        raise AnamnesisError(
            ErrorCode.OUTSIDE_ROOT,
            f"{printable(path)} is not a path inside the repository.",
            "Pass a path relative to the repository's root, without '..'.",
        )
    return path


def printable(path: str) -> str:
    """A path for an error message: unprintable characters escaped, shortened."""
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode() for c in path)
    return shown if len(shown) <= 300 else f"{shown[:297]}…"


def is_binary(data: bytes) -> bool:
    """Whether git takes it for binary: a NUL in the first 8000 bytes."""
    return b"\0" in data[:_BINARY_PROBE]


def decode_text(data: bytes, path: str) -> str:
    """The text of a file: UTF-8, else UTF-8 with replacements where it mostly is, else Latin-1; BOM gone, ``\\n`` line
    ends.

    Line numbers stay git's. Raises ``fileBinary``.
    """
    if is_binary(data):
        reason = "in UTF-16, which git stores as binary" if data[:2] in _UTF16 else "binary"
        raise AnamnesisError(
            ErrorCode.FILE_BINARY,
            f"{printable(path)} is {reason}: it has no lines with a history.",
            "Ask about a text file, or about the file as a whole.",
        )
    return _decode(data.removeprefix(_BOM)).replace("\r\n", "\n")


def decode_line(data: bytes) -> str:
    """One line as :func:`decode_text` does it, its line end gone."""
    return _decode(data).rstrip("\r\n")


def _decode(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        inside = sum(len(match) for match in _MULTIBYTE.findall(data))
        strange = len(_HIGH.findall(data)) - inside
        return data.decode("utf-8", "replace") if inside > strange else data.decode("latin-1")


def line_count(data: bytes) -> int:
    """How many lines git counts: a last line without ``\\n`` is one."""
    return data.count(b"\n") + (1 if data and not data.endswith(b"\n") else 0)
