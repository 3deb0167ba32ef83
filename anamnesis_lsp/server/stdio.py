"""Standard input and output: one thread reads, one writes, the event loop in between never waits for either.

pygls reads through the same pool its handlers use and writes on the event loop; with threads of our own a busy or
stuck client cannot stop a cancel from being read. The server ends at ``exit``, at the end of input, and when the
client's process is gone.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import queue
import sys
import threading
import time
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from anamnesis_lsp.server.app import AnamnesisServer

log = logging.getLogger(__name__)

MAX_BODY = 64 * 1024 * 1024
MAX_HEADER = 8 * 1024
MAX_VALUES = 1_000_000
"""Commas outside of texts, and texts, in one message: about its values, which parsed take a hundred bytes each."""
MAX_CONTAINERS = 200_000
"""Objects and lists in one message."""
LOOKED_AT_FROM = 256 * 1024
"""Shorter messages cannot hold so many values that it matters."""
MAX_QUEUED = 256 * 1024 * 1024
"""Bytes waiting for a client that does not read; beyond it the client is taken for gone."""
SWITCH_SECONDS = 0.001
"""So long a worker holds the interpreter while the event loop waits for it: Python's own 5 ms would be felt."""
GRACE_SECONDS = 2.0
PARENT_SECONDS = 2.0


class Reader:
    """Buffered reading straight from a descriptor. Python's own buffered reader holds a lock that a thread still
    waiting for input would take into the interpreter's end, which then aborts.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._held = bytearray()

    def readline(self, limit: int) -> bytes:
        """Up to and with the next line end, at most ``limit`` bytes; empty at the end of input."""
        while (end := self._held.find(b"\n")) < 0 and len(self._held) < limit:
            if not self._fill():
                break
        return self._take(limit if end < 0 else min(end + 1, limit))

    def read(self, size: int) -> bytes:
        """``size`` bytes; fewer only at the end of input."""
        while len(self._held) < size and self._fill():
            pass
        return self._take(size)

    def _fill(self) -> bool:
        chunk = os.read(self._descriptor, 1 << 16)
        self._held += chunk
        return bool(chunk)

    def _take(self, size: int) -> bytes:
        taken = bytes(self._held[:size])
        del self._held[:size]
        return taken


class Writer:
    """A thread that writes whole messages in order."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._queue: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._waiting = 0
        self._lock = threading.Lock()
        self.broken = threading.Event()
        self._thread = threading.Thread(target=self._run, name="anamnesis-writer", daemon=True)
        self._thread.start()

    def send(self, body: bytes) -> None:
        """Queue one message."""
        if self.broken.is_set():
            return
        with self._lock:
            self._waiting += len(body)
            if self._waiting > MAX_QUEUED:
                self.broken.set()
                return
        self._queue.put(body)

    def close(self, seconds: float) -> None:
        """Write what is queued, at most this long."""
        self._queue.put(None)
        self._thread.join(seconds)

    def _run(self) -> None:
        while (body := self._queue.get()) is not None:
            try:
                _write_all(self._stream, b"Content-Length: %d\r\n\r\n" % len(body) + body)
                self._stream.flush()
            except (OSError, ValueError):
                self.broken.set()
                return
            with self._lock:
                self._waiting -= len(body)


def _write_all(stream: BinaryIO, data: bytes) -> None:
    """Write ``data`` whole. Where Python runs unbuffered (``PYTHONUNBUFFERED``, ``-u``) standard output is the bare
    file, whose ``write`` may take a part only, or nothing while a pipe that does not block is full.
    """
    left = memoryview(data)
    while left:
        try:
            taken: int | None = stream.write(left)
        except BlockingIOError as error:
            taken = error.characters_written
        if not taken:
            time.sleep(0.005)
        left = left[taken or 0 :]


class _FramingError(Exception):
    """Input that is no message: nothing after it can be found again."""


def read_message(stream: Reader) -> bytes | int | None:
    """The next body; its length where it was too long and skipped; None at the end of input.

    Raises :class:`_FramingError` where the framing itself is broken.
    """
    length: int | None = None
    read = 0
    while True:
        line = stream.readline(MAX_HEADER)
        if not line:
            return None
        read += len(line)
        if read > MAX_HEADER:
            raise _FramingError
        if not line.strip():
            if length is None:
                continue
            break
        name, colon, value = line.partition(b":")
        if colon and name.strip().lower() == b"content-length":
            if not value.strip().isdigit():
                raise _FramingError
            length = int(value)
    if length > MAX_BODY:
        remaining = length
        while remaining > 0:
            chunk = stream.read(min(remaining, 1 << 20))
            if not chunk:
                return None
            remaining -= len(chunk)
        return length
    body = stream.read(length)
    return body if len(body) == length else None


def too_dense(body: bytes) -> bool:
    """Whether the parsed message would take many times its size: hundreds of thousands of tiny values.

    The texts in it do not count: a document may hold as many brackets as it likes.
    """
    if len(body) < LOOKED_AT_FROM or not _many(body):
        return False
    bare = body.replace(b"\\\\", b"").replace(b'\\"', b"")
    return bare.count(b'"') > 2 * MAX_VALUES or _many(b"".join(bare.split(b'"')[::2]))


def _many(text: bytes) -> bool:
    return text.count(b"[") + text.count(b"{") > MAX_CONTAINERS or text.count(b",") > MAX_VALUES


def run(server: AnamnesisServer) -> int:
    """Serve on standard input and output until the client ends it; returns the exit code. The process is the
    server's.
    """
    source, sink = Reader(sys.stdin.fileno()), sys.stdout.buffer
    sys.setswitchinterval(SWITCH_SECONDS)
    sys.stdout = sys.stderr  # nothing but the protocol may reach the client: a stray print goes to stderr
    code, finished = serve_streams(server, source, sink)
    if not finished:
        with contextlib.suppress(OSError, ValueError):
            sys.stderr.flush()
        os._exit(code)
    return code


def serve_streams(server: AnamnesisServer, source: Reader, sink: BinaryIO) -> tuple[int, bool]:
    """Serve over two streams; returns the exit code, and whether all work ended in time."""
    writer = Writer(sink)
    try:
        code = asyncio.run(_serve(server, source, writer))
    except KeyboardInterrupt:
        code = 1
    finished = server.close(GRACE_SECONDS)
    writer.close(GRACE_SECONDS)
    return code, finished


async def _serve(server: AnamnesisServer, source: Reader, writer: Writer) -> int:
    loop = asyncio.get_running_loop()
    done: asyncio.Future[int] = loop.create_future()

    def end(code: int) -> None:
        if not done.done():
            done.set_result(code)

    protocol = server.protocol
    protocol.sink = writer
    protocol.on_exit = end

    def call(function: object, *args: object) -> bool:
        try:
            loop.call_soon_threadsafe(function, *args)  # type: ignore[arg-type]
        except RuntimeError:
            return False
        return True

    def read() -> None:
        while True:
            try:
                body = read_message(source)
            except (_FramingError, OSError, ValueError):
                call(protocol.unparsable)
                body = None
            if body is None:
                call(protocol.lsp_exit)  # the input ended: after a shutdown as good as an exit, which may be on its way
                return
            if isinstance(body, int):
                call(protocol.oversized, MAX_BODY)
                continue
            if too_dense(body):
                call(protocol.too_dense)
                continue
            try:
                message: object = json.loads(body)
            except (ValueError, RecursionError):
                call(protocol.unparsable)
                continue
            if not call(protocol.receive, message):
                return

    threading.Thread(target=read, name="anamnesis-reader", daemon=True).start()
    watch = asyncio.ensure_future(_watch(server, writer, end))
    try:
        return await done
    finally:
        watch.cancel()
        server.stop()


async def _watch(server: AnamnesisServer, writer: Writer, end: object) -> None:
    """End when nobody is left to answer: the pipe is broken, or the client's process is gone."""
    while True:
        await asyncio.sleep(PARENT_SECONDS if not writer.broken.is_set() else 0)
        parent = server.process_id
        if writer.broken.is_set() or (parent is not None and not _alive(parent)):
            end(1)  # type: ignore[operator]
            return


def _alive(process: int) -> bool:
    if os.name == "nt" or process <= 0:
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True
