"""One JSON document that is a whole conversation: its long lists item by item, so that a file of any size can be read.

Many assistants rewrite one file per conversation. Where such a file is small and sound it is parsed at once; otherwise
its structure is followed byte by byte, one item is held at a time, and a broken item hides no other. A document that
ends too early (torn by a crash, or read while it is rewritten) gives what it holds.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import BinaryIO, cast

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.records.conversations.jsonl import JsonObject, open_log, parse
from anamnesis_lsp.records.conversations.model import MAX_LINE_BYTES
from anamnesis_lsp.records.conversations.stores import unreadable

_AT_ONCE = 8 << 20
_CHUNK = 1 << 18
_NOT_SPACE = re.compile(rb"[^ \t\r\n\0]")
_STRUCTURE = re.compile(rb'["\[\]{}]')
_IN_STRING = re.compile(rb'["\\]')
_SCALAR_END = re.compile(rb'[,\[\]{}:" \t\r\n\0]')


class JsonItems:
    """The members of a document as ``(key, value)``; those named in ``lists`` as ``(key, item)`` for each item.

    A document that is a list gives ``("", item)``. ``skipped`` counts items and values that do not parse, are longer
    than ``max_value`` bytes (never held) or stand where none can; ``incomplete`` is set where the document ends early.
    """

    def __init__(
        self,
        path: Path,
        cancel: CancelToken,
        *,
        lists: Collection[str] = (),
        max_value: int = MAX_LINE_BYTES,
        at_once: int = _AT_ONCE,
    ) -> None:
        self._path = path
        self._cancel = cancel
        self._lists = frozenset(lists)
        self._max_value = max_value
        self._at_once = at_once
        self.skipped = 0
        self.incomplete = False

    def __iter__(self) -> Iterator[tuple[str, object]]:
        """Raises ``recordGone``, ``storeUnreadable``, ``permissionDenied``, ``Cancelled``."""
        with open_log(self._path) as file:
            try:
                whole = self._whole(file)
                if whole is None:
                    file.seek(0)
                    yield from self._followed(_Bytes(file, self._cancel, self._max_value))
                    return
            except OSError as error:
                raise unreadable(self._path, error) from error
        yield from self._members(whole[0])

    def _whole(self, file: BinaryIO) -> tuple[object] | None:
        if os.fstat(file.fileno()).st_size > self._at_once:
            return None
        self._cancel.check()
        data = file.read(self._at_once + 1)
        if len(data) > self._at_once:
            return None
        try:
            return (parse(data.strip(b"\0 \t\r\n").removeprefix(b"\xef\xbb\xbf")),)
        except ValueError:
            return None

    def _members(self, value: object) -> Iterator[tuple[str, object]]:
        if isinstance(value, list):
            yield from (("", item) for item in cast("list[object]", value))
        elif isinstance(value, dict):
            for key, member in cast(JsonObject, value).items():
                if key in self._lists and isinstance(member, list):
                    yield from ((key, item) for item in cast("list[object]", member))
                else:
                    yield key, member
        else:
            self.skipped += 1

    def _followed(self, data: _Bytes) -> Iterator[tuple[str, object]]:
        try:
            data.pass_mark()
            first = data.peek()
            if first == b"[":
                data.pos += 1
                yield from self._items(data, "")
            elif first == b"{":
                data.pos += 1
                yield from self._keys(data)
            elif first:
                self.skipped += 1
                return
            else:
                self.incomplete = True
                return
            if data.peek():
                self.skipped += 1
        except _TornError:
            self.incomplete = True

    def _items(self, data: _Bytes, key: str) -> Iterator[tuple[str, object]]:
        broken = False
        while True:
            mark = data.peek()
            if not mark:
                raise _TornError
            if mark == b"]":
                data.pos += 1
                return
            if mark in (b",", b"}", b":"):
                data.pos += 1
                if mark != b"," and not broken:
                    broken = True
                    self.skipped += 1
                continue
            value = self._value(data)
            broken = False
            if value is None:
                self.skipped += 1
            else:
                yield key, value[0]

    def _keys(self, data: _Bytes) -> Iterator[tuple[str, object]]:
        broken = False
        while True:
            mark = data.peek()
            if not mark:
                raise _TornError
            if mark == b"}":
                data.pos += 1
                return
            if mark == b",":
                data.pos += 1
                continue
            key = self._value(data) if mark == b'"' else None
            after = data.peek() if key is not None else b"?"
            if not after:
                raise _TornError
            if key is None or not isinstance(key[0], str) or after != b":":
                self.skipped += not broken
                broken = True
                if mark != b'"':
                    data.pos += 1
                continue
            data.pos += 1
            broken = False
            if key[0] in self._lists and data.peek() == b"[":
                data.pos += 1
                yield from self._items(data, key[0])
                continue
            value = self._value(data)
            if value is None:
                self.skipped += 1
            else:
                yield key[0], value[0]

    def _value(self, data: _Bytes) -> tuple[object] | None:
        try:
            raw = data.value()
        except _TooLongError:
            data.pass_over()
            return None
        try:
            return (parse(raw),) if raw else None
        except ValueError:
            return None


class _TornError(Exception):
    """The document ends inside a value."""


class _TooLongError(Exception):
    """A value is longer than may be held."""


class _Bytes:
    """The bytes of a document from ``pos`` on, read as they are needed; offsets named ``at`` are relative to it."""

    def __init__(self, file: BinaryIO, cancel: CancelToken, limit: int) -> None:
        self._file = file
        self._cancel = cancel
        self._limit = limit
        self._held = b""
        self.pos = 0

    def _more(self) -> bool:
        self._cancel.check()
        rest = self._held[self.pos :]
        chunk = self._file.read(max(_CHUNK, len(rest)))
        self._held, self.pos = rest + chunk, 0
        return bool(chunk)

    def pass_mark(self) -> None:
        """Pass over a byte order mark."""
        self._more()
        if self._held.startswith(b"\xef\xbb\xbf"):
            self.pos = 3

    def peek(self) -> bytes:
        """The next byte that is no space (``pos`` moves to it), empty at the end."""
        while True:
            match = _NOT_SPACE.search(self._held, self.pos)
            if match is not None:
                self.pos = match.start()
                return match[0]
            self.pos = len(self._held)
            if not self._more():
                return b""

    def value(self) -> bytes:
        """The bytes of the value that begins at ``pos``, which moves behind it; empty where none begins there."""
        first = self.peek()
        if first == b'"':
            end = self._string_end(1)
        elif first in (b"{", b"["):
            end = self._nested_end()
        else:
            end = self._scalar_end()
            if not end:
                self.pos += 1
        raw = self._held[self.pos : self.pos + end]
        self.pos += end
        return raw

    def _wait(self, at: int) -> None:
        if at > self._limit:
            raise _TooLongError
        if not self._more():
            raise _TornError

    def _string_end(self, at: int) -> int:
        while True:
            quote = self._held.find(b'"', self.pos + at)
            if quote < 0:
                at = len(self._held) - self.pos
                self._wait(at)
                continue
            before = quote
            while before > self.pos and self._held[before - 1] == 0x5C:
                before -= 1
            at = quote + 1 - self.pos
            if (quote - before) % 2 == 0:
                if at > self._limit:
                    raise _TooLongError
                return at

    def _nested_end(self) -> int:
        depth = at = 0
        while True:
            match = _STRUCTURE.search(self._held, self.pos + at)
            if match is None:
                at = len(self._held) - self.pos
                self._wait(at)
                continue
            at = match.end() - self.pos
            mark = match[0]
            if mark == b'"':
                at = self._string_end(at)
            elif mark in (b"{", b"["):
                depth += 1
            else:
                depth -= 1
                if depth <= 0:
                    if at > self._limit:
                        raise _TooLongError
                    return at

    def _scalar_end(self) -> int:
        while True:
            match = _SCALAR_END.search(self._held, self.pos)
            if match is not None:
                return match.start() - self.pos
            self._wait(len(self._held) - self.pos)

    def pass_over(self) -> None:
        """Move ``pos`` behind the value that begins there, without holding it."""
        depth, inside = 0, False
        while True:
            at = self.pos
            while at < len(self._held):
                match = (_IN_STRING if inside else _STRUCTURE).search(self._held, at)
                if match is None:
                    at = len(self._held)
                    break
                at, mark = match.end(), match[0]
                if mark == b"\\":
                    at += 1
                elif mark == b'"':
                    inside = not inside
                else:
                    depth += 1 if mark in (b"{", b"[") else -1
                if depth <= 0 and not inside:
                    self.pos = at
                    return
            beyond = at - len(self._held)
            self.pos = len(self._held)
            if not self._more():
                raise _TornError
            self.pos = beyond
