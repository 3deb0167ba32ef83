"""Running git: the only code that starts a git process.

What holds for every process started here:

- ``git`` is resolved once to an absolute path outside the repository at hand, and must be 2.30 or newer;
- the subcommand is on a fixed list, arguments are a list, standard input is closed (or a file of ours);
- the environment is ours: no ``GIT_*`` of the caller reaches the child, lazy fetch, prompts, replace refs, grafts,
  pathspec magic, optional locks and system attributes are off;
- the working directory is our cache, never the repository;
- it runs in its own process group, under a time limit and an output cap, and is killed with its group on cancel;
- at most two run at the same time, of these one in the background (idle object readers of :mod:`.objects` apart).

Raises ``gitMissing``, ``gitTooOld``, ``gitTimeout``, ``outputTooLarge``, ``badRequest`` and ``Cancelled``. What a
non-zero exit means is left to the caller: :class:`Output` carries it.

Standard invocation: stack/STACK.md 4.3.
"""

from __future__ import annotations

import subprocess
import tempfile
import threading
from collections import deque
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import TracebackType

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.places import cache_dir
from anamnesis_lsp.records.git.children import (
    CHUNK,
    Child,
    GitFailed,
    Output,
    collect,
    kill_all,
    limited,
    living,
    read_errors,
    slots,
    start,
    timeout,
    too_large,
)
from anamnesis_lsp.records.git.executable import Git, find_git, use_git
from anamnesis_lsp.records.git.invocation import (
    EXPLICIT_BARE,
    HISTORY_SUBCOMMANDS,
    NEUTRAL_OPTIONS,
    OWN_SUBCOMMANDS,
    REAL_SUBCOMMANDS,
    environment,
    refuse_dangerous,
)

__all__ = [
    "DEFAULT_CAP",
    "DEFAULT_SECONDS",
    "EXPLICIT_BARE",
    "HISTORY_SUBCOMMANDS",
    "STREAM_CAP",
    "Dialogue",
    "Git",
    "GitFailed",
    "Output",
    "Stream",
    "environment",
    "find_git",
    "kill_all",
    "living",
    "run",
    "slots",
    "timeout",
    "too_large",
    "use_git",
]

DEFAULT_SECONDS = 60.0
DEFAULT_CAP = 64 * 1024 * 1024
STREAM_CAP = 512 * 1024 * 1024


def run(
    git: Git,
    options: Sequence[str],
    subcommand: str,
    arguments: Sequence[str],
    *,
    env: Mapping[str, str],
    cancel: CancelToken,
    seconds: float = DEFAULT_SECONDS,
    cap: int = DEFAULT_CAP,
    input_: bytes | None = None,
    background: bool = False,
) -> Output:
    """Run one git process to its end and return what it wrote. Waits for one of the two places first."""
    argv = _argv(git, options, subcommand, arguments)
    cancel.check()
    with slots.take(cancel, background):
        return collect(argv, env, input_, cancel, seconds, cap, background)


def _argv(git: Git, options: Sequence[str], subcommand: str, arguments: Sequence[str]) -> list[str]:
    if subcommand not in REAL_SUBCOMMANDS | HISTORY_SUBCOMMANDS | OWN_SUBCOMMANDS:
        raise ValueError(f"{subcommand!r} is not a git subcommand this program runs")
    refuse_dangerous(subcommand, arguments)
    return [git.path, *NEUTRAL_OPTIONS, *options, subcommand, *arguments]


class Stream:
    """The records of a running process, as they come; each without its separator.

    A thread of its own drains the process, so that it ends as soon as it can and gives its place back however slowly
    the records are taken. Iterating raises ``Cancelled``, ``gitTimeout``, ``outputTooLarge`` and, at the end,
    :class:`GitFailed`. Close it (or use ``with``) when not read to its end: that kills the process.
    """

    def __init__(
        self,
        git: Git,
        options: Sequence[str],
        subcommand: str,
        arguments: Sequence[str],
        *,
        env: Mapping[str, str],
        cancel: CancelToken,
        separator: bytes = b"\n",
        seconds: float = DEFAULT_SECONDS,
        cap: int = STREAM_CAP,
        input_: bytes | None = None,
        background: bool = False,
    ) -> None:
        self._subcommand, self._separator, self._cancel = subcommand, separator, cancel
        self._argv = _argv(git, options, subcommand, arguments)
        self._seconds, self._cap = seconds, cap
        self._condition = threading.Condition()
        self._chunks: deque[bytes] = deque()
        self._done = False
        self._output: Output | None = None
        self._error: AnamnesisError | None = None
        self._closed = False
        self._records: deque[bytes] = deque()
        self._rest: list[bytes] = []
        cancel.check()
        self._background = background
        slots.acquire(cancel, background)
        try:
            self._errors = tempfile.TemporaryFile(dir=cache_dir("git"))  # noqa: SIM115
            self._child = start(self._argv, env, input_, self._errors)
        except BaseException:
            slots.release(background)
            raise
        if background:
            self._child.lower_priority()
        threading.Thread(target=self._drain, name="git-stream", daemon=True).start()

    def _drain(self) -> None:
        size, child, error = 0, self._child, None
        code = -1
        try:
            with self._cancel.on_cancel(self._cancelled), limited(child, self._seconds):
                while size <= self._cap and (chunk := child.stdout.read(CHUNK)):
                    size += len(chunk)
                    with self._condition:
                        self._chunks.append(chunk)
                        self._condition.notify_all()
                if size > self._cap:
                    error = too_large(self._cap)
                    child.kill()
                child.popen.wait()
        finally:
            code = child.end()
            slots.release(self._background)
            if child.timed_out:
                error = timeout(self._argv, self._seconds)
            error = child.held_up() or error
            errors = read_errors(self._errors)
            self._errors.close()
            with self._condition:
                self._done, self._error = True, error
                self._output = Output(code, b"", errors)
                self._condition.notify_all()

    def _cancelled(self) -> None:
        self._child.kill()
        with self._condition:
            self._condition.notify_all()

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        while not self._records:
            self._fill()
        return self._records.popleft()

    def _fill(self) -> None:
        with self._condition:
            while not self._chunks and not self._done and not self._cancel.cancelled:
                self._condition.wait(1.0)
            self._cancel.check()
            chunk = b"".join(self._chunks)
            self._chunks.clear()
        if not chunk:
            self._end()
        pieces = chunk.split(self._separator)
        if len(pieces) == 1:
            self._rest.append(chunk)
            return
        pieces[0] = b"".join([*self._rest, pieces[0]])
        self._rest = [pieces.pop()]
        self._records.extend(pieces)

    def _end(self) -> None:
        rest, self._rest = b"".join(self._rest), []
        if rest:
            self._records.append(rest)
            return
        if self._closed:
            raise StopIteration
        if self._error is not None:
            raise self._error
        if self._output is not None and self._output.returncode != 0:
            raise GitFailed(self._subcommand, self._output)
        raise StopIteration

    @property
    def pending(self) -> bool:
        """Whether a record can be taken now without waiting for git."""
        return bool(self._records) or bool(self._chunks)

    def close(self) -> None:
        """Stop the process; what was not read is lost. Idempotent."""
        self._closed = True
        self._child.kill()

    def __enter__(self) -> Stream:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __del__(self) -> None:
        child = getattr(self, "_child", None)
        if child is not None:
            child.kill()


class Dialogue:
    """A process that answers requests for as long as it lives: ``cat-file`` in batch. Not one of the two places."""

    def __init__(self, git: Git, options: Sequence[str], arguments: Sequence[str], env: Mapping[str, str]) -> None:
        argv = _argv(git, options, "cat-file", arguments)
        try:
            self._child = Child(argv, env, subprocess.PIPE, subprocess.DEVNULL)
        except OSError as error:
            raise AnamnesisError(
                ErrorCode.GIT_MISSING,
                f"The git at {git.path} could not be started: {error.strerror}.",
                "Check that git runs in a terminal, and try again.",
            ) from error
        assert self._child.popen.stdin is not None
        self._stdin = self._child.popen.stdin
        self._buffer = bytearray()
        self._start = 0

    @property
    def alive(self) -> bool:
        """Whether it still runs."""
        return self._child.popen.poll() is None

    @contextmanager
    def guarded(self, cancel: CancelToken, seconds: float = DEFAULT_SECONDS) -> Generator[None]:
        """Kill it on cancel and after ``seconds``; then ``Cancelled`` or ``gitTimeout`` is raised instead of an
        EOFError."""
        try:
            cancel.check()
            with cancel.on_cancel(self._child.kill), limited(self._child, seconds):
                yield
        except (EOFError, OSError):
            self.close()
            cancel.check()
            if (held_up := self._child.held_up()) is not None:
                raise held_up from None
            if self._child.timed_out:
                raise timeout(["cat-file"], seconds) from None
            raise
        except BaseException:
            self.close()
            raise

    def ask(self, request: bytes) -> None:
        """Send requests. Keep them under 32 KiB between two readings, or both sides wait for each other."""
        view = memoryview(request)
        while view:
            view = view[self._stdin.write(view) :]

    def line(self) -> bytes:
        """The next line of the answer, without its end. EOFError when the process is gone."""
        while True:
            end = self._buffer.find(b"\n", self._start)
            if end >= 0:
                line = bytes(self._buffer[self._start : end])
                self._start = end + 1
                return line
            self._more(CHUNK)

    def exactly(self, size: int) -> bytes:
        """The next ``size`` bytes of the answer. EOFError when the process is gone."""
        while len(self._buffer) - self._start < size:
            self._more(max(CHUNK, size - (len(self._buffer) - self._start)))
        data = bytes(memoryview(self._buffer)[self._start : self._start + size])
        self._start += size
        return data

    def _more(self, size: int) -> None:
        if self._start:
            del self._buffer[: self._start]
            self._start = 0
        chunk = self._child.stdout.read(min(size, 1 << 20))
        if not chunk:
            raise EOFError
        self._buffer += chunk

    def close(self) -> None:
        """End it. Idempotent."""
        self._child.end()
