"""zstd, in which Codex keeps rollouts older than a week and Zed its threads.

The library is Python's own from 3.14 on, and its backport before; imported when something compressed is first met.
Output is bounded: a small file may expand to any size.
"""

from __future__ import annotations

import importlib
import io
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.records.conversations.jsonl import JsonLines, JsonObject, open_log
from anamnesis_lsp.records.conversations.stores import unreadable

MAX_EXPANDED_BYTES = 4 << 30
"""Of a file that is streamed: what lies beyond is told as an incomplete end."""
_MAX_WINDOW_LOG = 27


def expanded(data: bytes, limit: int, path: Path) -> bytes | None:
    """The content of a frame in memory; None where it is longer than ``limit`` bytes. Raises ``storeUnreadable``."""
    library = _library(path)
    try:
        with _reader(library, io.BytesIO(data)) as reader:
            content = reader.read(limit + 1)
    except (library.ZstdError, EOFError, ValueError, MemoryError) as error:
        raise unreadable(path, "its compressed content is damaged") from error
    return content if len(content) <= limit else None


class CompressedJsonLines(JsonLines):
    """The objects of a ``.jsonl.zst`` file. Offsets are of the expanded content; a damaged end is an incomplete one."""

    def __init__(self, path: Path, *args: Any, **settings: Any) -> None:
        super().__init__(path, *args, **settings)
        self._compressed = path

    def __iter__(self) -> Iterator[tuple[int, JsonObject]]:
        """Raises ``recordGone``, ``storeUnreadable``, ``Cancelled``."""
        with stream(self._compressed) as file:
            try:
                yield from self._objects(cast(BinaryIO, file))
            finally:
                if file.raw.damaged:
                    self.incomplete_tail = True


@contextmanager
def stream(path: Path) -> Generator[Any]:
    """The expanded content of a file as a buffered binary file; ``raw.damaged`` tells of a torn or endless one.

    Raises ``recordGone``, ``storeUnreadable`` (also where the library is not installed), ``permissionDenied``.
    """
    library = _library(path)
    with open_log(path) as file:
        damage = (library.ZstdError, EOFError, OSError, MemoryError)
        with io.BufferedReader(_Bounded(_reader(library, file), damage), 1 << 18) as buffered:
            yield buffered


class _Bounded(io.RawIOBase):
    """What the decompressor gives, up to the bound; damage ends it instead of raising."""

    def __init__(self, reader: IO[bytes], damage: tuple[type[Exception], ...]) -> None:
        super().__init__()
        self._reader = reader
        self._damage = damage
        self._left = MAX_EXPANDED_BYTES
        self.damaged = False

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: Any, /) -> int:
        """Fill the buffer as far as there is content; 0 at the end, at damage and at the bound."""
        if self.damaged:
            return 0
        try:
            data = self._reader.read(min(len(buffer), self._left))
        except self._damage:
            self.damaged = True
            return 0
        self._left -= len(data)
        if not self._left and data:
            self.damaged = True
        buffer[: len(data)] = data
        return len(data)


def _reader(library: Any, file: IO[bytes]) -> Any:
    """The content of all frames of a file, one after the other; a torn one raises ``EOFError`` where it is torn."""
    return library.ZstdFile(file, options={library.DecompressionParameter.window_log_max: _MAX_WINDOW_LOG})


def _library(path: Path) -> Any:
    name = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise AnamnesisError(
            ErrorCode.STORE_UNREADABLE,
            f"{path} is compressed with zstd, and the Python package that reads it is not installed.",
            "Install it: pip install backports.zstd",
        ) from error
