"""Reading ahead: conversations prepared in other processes while this one writes. It pays where much is new at once.

A process is this interpreter running this module. It gets sources and gives what was prepared of them, by its standard
input and output, and ends when its input does: none outlives who started it. One that dies or says something else is
done without; who reads then does the rest by himself.
"""

from __future__ import annotations

import contextlib
import pickle
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from anamnesis_lsp.cancel import CancelToken, never
from anamnesis_lsp.index.prepare import Body, Outcome, Prepared, Preparing, Words, pieces_of
from anamnesis_lsp.records.conversations import hypomnesis
from anamnesis_lsp.records.conversations.model import Source
from anamnesis_lsp.records.conversations.registry import runtime

PAYS_FROM = 64_000_000
"""Bytes to be read below which no process is started: starting one takes as long as reading some megabytes."""
MOST_BYTES = 8_000_000
"""A larger source is not read ahead: what is prepared of it would have to be held whole, of several at once."""
MOST_PROCESSES = 5
"""More do not help: one process writes what they read."""


@dataclass(frozen=True, slots=True)
class ReadAhead:
    """What was prepared of one source."""

    turns: Sequence[Prepared]
    body: Body
    outcome: Outcome


class Readers:
    """Other processes that read ``sources``, each source once, in about this order.

    Iterate: ``(position of the source, what was prepared)``, None where the caller must read it himself. Raises
    ``Cancelled``. Use as a context: the processes end with it.
    """

    def __init__(self, sources: Sequence[Source], processes: int, cancel: CancelToken) -> None:
        self._cancel = cancel
        self._count = len(sources)
        self._wanted: queue.SimpleQueue[tuple[int, Source]] = queue.SimpleQueue()
        for wanted in enumerate(sources):
            self._wanted.put(wanted)
        self._read: queue.Queue[tuple[int, ReadAhead | None]] = queue.Queue(processes)
        self._ended = threading.Event()
        self._children = [child for _ in range(processes) if (child := _started()) is not None]
        self._threads = [threading.Thread(target=self._serve, args=(one,), daemon=True) for one in self._children]
        for thread in self._threads:
            thread.start()

    def __enter__(self) -> Readers:
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        for child in self._children:
            child.kill()
            child.wait()
        for thread in self._threads:
            thread.join(10)
        for child in self._children:
            for stream in (child.stdin, child.stdout):
                if stream is not None:
                    with contextlib.suppress(OSError):
                        stream.close()

    def __iter__(self) -> Iterator[tuple[int, ReadAhead | None]]:
        for _ in range(self._count):
            yield self._next()

    def _next(self) -> tuple[int, ReadAhead | None]:
        while True:
            self._cancel.check()
            with contextlib.suppress(queue.Empty):
                return self._read.get(timeout=0.05)
            if not any(thread.is_alive() for thread in self._threads):
                with contextlib.suppress(queue.Empty):
                    return self._read.get_nowait()
                return self._wanted.get_nowait()[0], None

    def _serve(self, child: subprocess.Popen[bytes]) -> None:
        """Have one process read source after source."""
        assert child.stdin is not None and child.stdout is not None
        while not self._ended.is_set():
            try:
                position, source = self._wanted.get_nowait()
            except queue.Empty:
                return
            found: ReadAhead | None = None
            try:
                pickle.dump(source, child.stdin)
                child.stdin.flush()
                found = cast("ReadAhead", pickle.load(child.stdout))
            except Exception:  # whatever became of it: the source is read by who asked
                child.kill()
            self._give(position, found)
            if found is None:
                return

    def _give(self, position: int, found: ReadAhead | None) -> None:
        while not self._ended.is_set():
            with contextlib.suppress(queue.Full):
                self._read.put((position, found), timeout=0.1)
                return


def worth(size: int, most: int) -> int:
    """How many processes to read ``size`` new bytes with, of ``most``; 0 where they are not worth their start."""
    if size < PAYS_FROM or most < 2 or not sys.executable:
        return 0
    return min(most, MOST_PROCESSES)


_SERVE = "import sys; sys.path[:0] = sys.argv[1:]; from anamnesis_lsp.index.ahead import serve; serve()"


def _started() -> subprocess.Popen[bytes] | None:
    """One such process. Isolated, and away from here: nothing of the directory we run in is imported."""
    package = str(Path(__file__).resolve().parents[2])
    installed = [path for path in sys.path if Path(path).name in ("site-packages", "dist-packages")]
    try:
        return subprocess.Popen(
            [sys.executable, "-I", "-c", _SERVE, package, *installed],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=package,
            start_new_session=True,  # an interrupt from the keyboard is for who asked
        )
    except OSError:
        return None


def serve() -> None:
    """What such a process does: prepare each source that comes, until no more come."""
    given, told, words = sys.stdin.buffer, sys.stdout.buffer, Words()
    while True:
        try:
            source = cast("Source", pickle.load(given))
        except EOFError:
            return
        pickle.dump(prepared(source, words), told, pickle.HIGHEST_PROTOCOL)
        told.flush()


def prepared(source: Source, words: Words) -> ReadAhead:
    """One conversation, read and prepared whole."""
    outcome = Outcome()
    preparing = Preparing(words, {}, hypomnesis.gist(source.beside))
    turns = list(preparing.turns(pieces_of(lambda: runtime(source.runtime).read(source, never()), outcome, never())))
    return ReadAhead(turns, preparing.body, outcome)
