"""Bytes of a file as text, and names as git has them.

Line numbers of committed text are git's: lines end at ``\\n`` only. Editors end lines at ``\\r\\n`` and a lone ``\\r``
too; :mod:`.linemap` knows the difference.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable
from pathlib import PurePath, PureWindowsPath

from anamnesis_lsp.errors import AnamnesisError, ErrorCode

_BINARY_PROBE = 8000
_BOM = b"\xef\xbb\xbf"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_MULTIBYTE = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
_NO_TEXT = frozenset(
    {
        "idna",
        "punycode",
        "unicode_escape",
        "raw_unicode_escape",
        "undefined",
        "base64",
        "hex",
        "zlib",
        "bz2",
        "rot13",
        "quopri",
        "uu",
    }
)
_LIKELY_ENCODINGS = (
    "utf-8",
    "cp1252",
    "latin-1",
    "shift_jis",
    "euc_jp",
    "gb18030",
    "big5",
    "euc_kr",
    "cp1251",
    "koi8_r",
    "iso8859_2",
    "cp1250",
)
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


def inside(root: PurePath, path: PurePath) -> PurePath | None:
    """``path`` relative to ``root``, both resolved; None where it is not inside. On Windows drive letters and names are
    compared in either case, and the prefix of long paths (``\\\\?\\``) is taken off."""
    try:
        return _plain(path).relative_to(_plain(root))
    except ValueError:
        return None


def _plain(path: PurePath) -> PurePath:
    text = str(path)
    if not isinstance(path, PureWindowsPath) or not text.startswith("\\\\?\\"):
        return path
    return type(path)("\\\\" + text[8:] if text[4:8].upper() == "UNC\\" else text[4:])


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


def is_utf8(data: bytes) -> bool:
    """Whether the bytes are UTF-8 throughout."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def decode_named(data: bytes, encoding: str) -> str | None:
    """The text of a file in the encoding that its attributes name (``UTF-16LE-BOM`` and the like are git's own names);
    None where that is no text encoding, or it is not in it. ``\\n`` line ends, BOM gone."""
    name = encoding.strip().lower()
    name = name.removesuffix("-bom")
    try:
        if codecs.lookup(name).name in _NO_TEXT:
            return None
        return data.decode(name).removeprefix("\ufeff").replace("\r\n", "\n")
    except (LookupError, UnicodeError, ValueError):
        return None


def decode_like(data: bytes, path: str, shown: Iterable[str], named: str | None = None) -> str:
    """The text of a committed file as the editor that shows the lines ``shown`` reads it.

    Only matters where the bytes are not UTF-8: of ``named`` and the common encodings the one in which most of the lines
    that hold other than ASCII are lines of the editor's too. Raises ``fileBinary``.
    """
    text = decode_text(data, path)
    if is_utf8(data):
        return text
    wanted = {line.rstrip("\r\n") for line in shown if not line.isascii()}
    strange = [line.rstrip(b"\r\n") for line in data.removeprefix(_BOM).split(b"\n") if not line.isascii()]
    if not wanted or not strange:
        return text
    best, chosen = sum(_decode(line) in wanted for line in strange), text
    for name in dict.fromkeys((*([named] if named else ()), *_LIKELY_ENCODINGS)):
        found = sum(line.decode(name, "replace") in wanted for line in strange) if _is_text_codec(name) else 0
        if found > best:
            best, chosen = found, data.removeprefix(_BOM).decode(name, "replace").replace("\r\n", "\n")
    return chosen


def _is_text_codec(name: str) -> bool:
    try:
        return codecs.lookup(name).name not in _NO_TEXT
    except LookupError:
        return False


def line_count(data: bytes) -> int:
    """How many lines git counts: a last line without ``\\n`` is one."""
    return data.count(b"\n") + (1 if data and not data.endswith(b"\n") else 0)
