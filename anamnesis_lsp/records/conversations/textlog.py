"""Logs that are text for people (Markdown, console exports): their lines with offsets, their fences, paths in them.

Streaming: a line over the cap is passed over without being held, and counted. No assistant's own grammar is here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.records.conversations.jsonl import open_log
from anamnesis_lsp.records.conversations.model import MAX_LINE_BYTES
from anamnesis_lsp.records.conversations.stores import unreadable

MAX_TURN_CHARS = 16 << 20
"""Text of one turn beyond this is not held; what is left out is counted."""

_ANSI = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[()][A-Z0-9]|[=>])")
_FENCE = re.compile(r"(?P<indent> {0,3})(?P<mark>`{3,}|~{3,})(?P<info>[^`\n]*)\Z")
_PATH_LINE = re.compile(r"[\w@.+(){}\[\]$#~ /\\:-]{1,400}\Z")


class TextLines:
    """The lines of a text file from byte ``start`` to byte ``end``: ``(offset, line)`` without its line end.

    Not UTF-8 is replaced, never raised. ``skipped_lines`` counts over-long lines, ``omitted_chars`` what they held.
    """

    def __init__(self, path: Path, cancel: CancelToken, start: int = 0, end: int | None = None) -> None:
        self._path = path
        self._cancel = cancel
        self._start = start
        self._end = end
        self.skipped_lines = 0
        self.omitted_chars = 0

    def __iter__(self) -> Iterator[tuple[int, str]]:
        """Raises ``recordGone``, ``storeUnreadable``, ``permissionDenied``, ``Cancelled``."""
        with open_log(self._path) as file:
            try:
                file.seek(self._start)
                offset, count = self._start, 0
                while raw := file.readline(MAX_LINE_BYTES + 1):
                    count += 1
                    if count % 512 == 1:
                        self._cancel.check()
                    at = offset
                    if self._end is not None and at >= self._end:
                        return
                    offset += len(raw)
                    if len(raw) > MAX_LINE_BYTES and not raw.endswith(b"\n"):
                        self.skipped_lines += 1
                        self.omitted_chars += len(raw)
                        while raw and not raw.endswith(b"\n"):
                            self._cancel.check()
                            raw = file.readline(1 << 20)
                            offset += len(raw)
                            self.omitted_chars += len(raw)
                        continue
                    if at == 0 and raw.startswith(b"\xef\xbb\xbf"):
                        raw = raw[3:]
                    yield at, raw.rstrip(b"\r\n").decode("utf-8", errors="replace").replace("\0", "")
            except OSError as error:
                raise unreadable(self._path, error) from error


class Fence:
    """Whether a line stands inside fenced code (CommonMark: a fence closes with its own mark, at least as long)."""

    def __init__(self) -> None:
        self._mark = ""
        self.info = ""

    @property
    def open(self) -> bool:
        """Whether the next line is inside."""
        return bool(self._mark)

    def feed(self, line: str) -> bool:
        """Take one line; whether it is a fence line itself."""
        if "```" not in line and "~~~" not in line:
            return False
        match = _FENCE.match(line.rstrip())
        if match is None:
            return False
        mark = match["mark"]
        if not self._mark:
            self._mark, self.info = mark, match["info"].strip()
            return True
        if mark[0] == self._mark[0] and len(mark) >= len(self._mark) and not match["info"].strip():
            self.close()
            return True
        return False

    def close(self) -> None:
        """Leave the fence: the record shows that it ended without its mark."""
        self._mark = self.info = ""


def without_ansi(text: str) -> str:
    """The text without terminal control sequences."""
    return _ANSI.sub("", text) if "\x1b" in text else text


def path_on(line: str) -> str | None:
    """The path a line consists of (emphasis, code marks, heading marks and a colon around it allowed), else None."""
    text = line.strip().rstrip(":").strip("*`").lstrip("#").strip().strip("*`").rstrip(":")
    if not text or not _PATH_LINE.match(text) or text.startswith(("-", "> ")):
        return None
    name = re.split(r"[/\\]", text)[-1]
    plain = " " not in text or text.count(" ") <= 6
    return text if plain and ("." in name.strip(".") or "/" in text) and not text.endswith((".", " ")) else None
