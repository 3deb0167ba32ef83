"""Files of JSON lines, as assistants leave them: half written, torn, huge, hostile. One bad line never hides the next.

Framing is on the byte 0x0A only (``formats/FORMATS.md`` 0.1: U+2028 may stand unescaped in a string). What comes out is
always an object whose strings can be encoded as UTF-8; everything else is counted in :attr:`JsonLines.skipped_lines`.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, cast

import orjson

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.records.conversations.model import MAX_LINE_BYTES
from anamnesis_lsp.records.conversations.stores import gone, unreadable

JsonObject = dict[str, Any]

_BEGINS = b"{["
_ENDS = (b"}", b"]")
_DENSE_FROM = 1 << 20
_MAX_CONTAINERS = 500_000
_MAX_COMMAS = 3_000_000


def open_log(path: Path) -> BinaryIO:
    """Open a regular file for reading.

    A FIFO or device in a store would block the reader, so anything but a regular file is refused. Raises ``recordGone``
    where there is none, ``storeUnreadable`` or ``permissionDenied`` where it cannot be read.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except (FileNotFoundError, NotADirectoryError) as error:
        raise gone(path) from error
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise unreadable(path, "it is not a regular file")
    return os.fdopen(descriptor, "rb", buffering=1 << 18)


def parse(line: bytes) -> object:
    """The JSON value of one line, lone surrogates replaced. Raises ``ValueError`` (also for absurd nesting)."""
    if len(line) > _DENSE_FROM and _too_dense(line):
        raise ValueError("too many values in one line")
    try:
        return orjson.loads(line)
    except ValueError:
        return _leniently(line.decode("utf-8", errors="replace"), b"\\ud" in line or b"\\uD" in line)


def loads(text: str) -> object:
    """The JSON value of a text, as :func:`parse` gives that of a line."""
    try:
        return orjson.loads(text)
    except ValueError:
        return _leniently(text, "\\ud" in text or "\\uD" in text)


def _leniently(text: str, halves: bool) -> object:
    """What the strict parser refuses and logs hold nevertheless: half surrogate pairs, bytes of no UTF-8, ``NaN``.

    ``halves``: replace half surrogate pairs.
    """
    try:
        value: object = json.loads(text)
        return clean(value) if halves else value
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _too_dense(line: bytes) -> bool:
    """Whether the parsed line would take many times its size: millions of tiny values."""
    return line.count(b"[") + line.count(b"{") > _MAX_CONTAINERS or line.count(b",") > _MAX_COMMAS


def clean(value: object) -> object:
    """The value with every lone surrogate replaced by U+FFFD, so that it can be stored and sent."""
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, list):
        return [clean(item) for item in cast("list[object]", value)]
    if isinstance(value, dict):
        return {clean_text(key): clean(item) for key, item in cast("dict[str, object]", value).items()}
    return value


def clean_text(text: str) -> str:
    """The text with lone surrogates replaced by U+FFFD."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


class JsonLines:
    """The objects of one file with the byte offset of their line, streaming.

    ``skipped_lines`` counts lines that are no JSON object, are longer than ``max_line`` bytes (never held) or nest too
    deeply; blank lines count as nothing. ``incomplete_tail`` is set where the last line has no line end and does not
    parse: it is still being written, is not counted as skipped, and ``complete_to`` is the offset before it. ``ignore``
    sees the raw line first; a line for which it returns True is passed over unparsed (the caller counts those);
    ``trim`` gives of any other what is parsed.
    """

    def __init__(
        self,
        path: Path,
        cancel: CancelToken,
        *,
        start: int = 0,
        ignore: Callable[[bytes], bool] | None = None,
        trim: Callable[[bytes], bytes] | None = None,
        max_line: int = MAX_LINE_BYTES,
    ) -> None:
        self._path = path
        self._cancel = cancel
        self._start = start
        self._ignore = ignore
        self._trim = trim
        self._max_line = max_line
        self.skipped_lines = 0
        self.incomplete_tail = False
        self.complete_to = start
        self.lines = 0
        """Non-blank lines seen, skipped ones included."""

    def __iter__(self) -> Iterator[tuple[int, JsonObject]]:
        """Yield ``(offset, object)``. Raises ``recordGone``, ``storeUnreadable``, ``Cancelled``."""
        with open_log(self._path) as file:
            try:
                if self._start:
                    file.seek(self._start)
                yield from self._objects(file)
            except OSError as error:
                raise unreadable(self._path, error) from error

    def _objects(self, file: BinaryIO) -> Iterator[tuple[int, JsonObject]]:
        offset = self._start
        ignore, trim, limit, check = self._ignore, self._trim, self._max_line, self._cancel.check
        while line := file.readline(limit + 1):
            check()
            at, ended = offset, line.endswith(b"\n")
            offset += len(line)
            if not ended and len(line) > limit:
                length, ended = self._pass_over(file)
                offset += length
                self.lines += 1
                self.skipped_lines += 1
                if ended:
                    self.complete_to = offset
                else:
                    self.incomplete_tail = True
                continue
            # Nearly every line begins with its value and ends with 0A, which the parser takes: no copy is made of it.
            body = line if ended and line[0] in _BEGINS and line[-2:-1] in _ENDS else line.strip(b"\0 \t\r\n")
            if not at and body.startswith(b"\xef\xbb\xbf"):
                body = body[3:]
            if not body:
                self.complete_to = offset
                if b"\0" in line:
                    self.lines += 1
                    self.skipped_lines += 1
                continue
            self.lines += 1
            if ended and ignore is not None and ignore(body):
                self.complete_to = offset
                continue
            try:
                value = parse(body if trim is None else trim(body))
            except ValueError:
                if ended:
                    self.skipped_lines += 1
                    self.complete_to = offset
                else:
                    self.incomplete_tail = True
                continue
            self.complete_to = offset
            if isinstance(value, dict):
                yield at, value  # pyright: ignore[reportUnknownVariableType]
            else:
                self.skipped_lines += 1

    def _pass_over(self, file: BinaryIO) -> tuple[int, bool]:
        """Read to the end of an over-long line without holding it: its further length, and whether it ends."""
        length = 0
        while chunk := file.readline(1 << 20):
            self._cancel.check()
            length += len(chunk)
            if chunk.endswith(b"\n"):
                return length, True
        return length, False


def text_of(value: object) -> str | None:
    """The value where it is text with something in it, else None: for reading fields of unknown type."""
    return value if isinstance(value, str) and value else None


def object_of(value: object) -> JsonObject:
    """The value where it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}  # pyright: ignore[reportUnknownVariableType]  # asked often: no cast


def objects_of(value: object) -> list[JsonObject]:
    """The objects in the value where it is a list, else nothing."""
    if not isinstance(value, list):
        return []
    return [item for item in value if isinstance(item, dict)]  # pyright: ignore[reportUnknownVariableType]
