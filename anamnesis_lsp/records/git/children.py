"""Child processes: in a group of their own, limited in time and output, killed on cancel, at most two at once."""

from __future__ import annotations

import atexit
import heapq
import itertools
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.places import cache_dir
from anamnesis_lsp.records.git.invocation import HISTORY_SUBCOMMANDS, REAL_SUBCOMMANDS

AT_ONCE = 2
CHUNK = 1 << 16
_STDERR_CAP = 1 << 16


@dataclass(frozen=True, slots=True)
class Output:
    """What a finished process left: ``stderr`` is capped at 64 KiB."""

    returncode: int
    stdout: bytes
    stderr: bytes

    @property
    def complaint(self) -> str:
        """The first line git wrote to standard error, for classifying; never shown where it may hold record text."""
        return self.stderr.decode("utf-8", "replace").strip().split("\n", 1)[0]


class GitFailed(AnamnesisError):  # noqa: N818
    """git ended with an error. The message never holds git's own words; :attr:`output` does, for the door only."""

    def __init__(self, subcommand: str, output: Output) -> None:
        super().__init__(
            ErrorCode.GIT_FAILED,
            f"git {subcommand} ended with exit code {output.returncode}.",
            "Run `git fsck` in the repository; if it is sound, please report this.",
        )
        self.output = output


# ---- limits


class _Slots:
    """At most so many processes at once, one place fewer for background work, so that a question never waits for it.
    Waiting for a place ends at once on cancel."""

    def __init__(self, places: int) -> None:
        self._free = places
        self._free_in_background = places - 1
        self._condition = threading.Condition()

    @property
    def free(self) -> int:
        """How many could start now."""
        return self._free

    @contextmanager
    def take(self, cancel: CancelToken, background: bool = False) -> Generator[None]:
        self.acquire(cancel, background)
        try:
            yield
        finally:
            self.release(background)

    def acquire(self, cancel: CancelToken, background: bool = False) -> None:
        with self._condition:
            if self._took(background):
                return
        with cancel.on_cancel(self._wake), self._condition:
            while True:
                cancel.check()
                if self._took(background):
                    return
                self._condition.wait(1.0)

    def _took(self, background: bool) -> bool:
        if self._free <= 0 or (background and self._free_in_background <= 0):
            return False
        self._free -= 1
        self._free_in_background -= background
        return True

    def release(self, background: bool = False) -> None:
        with self._condition:
            self._free += 1
            self._free_in_background += background
            self._condition.notify_all()

    def _wake(self) -> None:
        with self._condition:
            self._condition.notify_all()


@dataclass(order=True, slots=True)
class _Deadline:
    at: float
    number: int
    act: Callable[[], None] | None = field(compare=False)


class _Watchdog:
    """One daemon thread that kills what outlives its time limit."""

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._heap: list[_Deadline] = []
        self._numbers = itertools.count()
        self._thread: threading.Thread | None = None

    def add(self, seconds: float, act: Callable[[], None]) -> _Deadline:
        entry = _Deadline(time.monotonic() + seconds, next(self._numbers), act)
        with self._condition:
            if len(self._heap) > 512:
                self._heap = [kept for kept in self._heap if kept.act is not None]
                heapq.heapify(self._heap)
            heapq.heappush(self._heap, entry)
            if self._thread is None:
                self._thread = threading.Thread(target=self._watch, name="git-time-limit", daemon=True)
                self._thread.start()
            elif self._heap[0] is entry:
                self._condition.notify()
        return entry

    def _watch(self) -> None:
        while True:
            with self._condition:
                while not self._heap or self._heap[0].at > time.monotonic():
                    self._condition.wait(self._heap[0].at - time.monotonic() if self._heap else None)
                entry = heapq.heappop(self._heap)
            act = entry.act
            if act is not None:
                act()


slots = _Slots(AT_ONCE)
watchdog = _Watchdog()


# ---- processes

_PIPE_BYTES = 1 << 20
LOOK_SECONDS = 0.4
"""So often a process is looked at for whether it waits for a pipe."""
_TOLD = sys.platform == "linux"
"""The system tells what a process waits for."""


def _widen(pipe: IO[bytes]) -> None:
    """Give a pipe more room, where the system lets us: git then waits less often for its reader."""
    if sys.platform == "linux":
        import fcntl

        with suppress(OSError):
            fcntl.fcntl(pipe.fileno(), fcntl.F_SETPIPE_SZ, _PIPE_BYTES)


class Child:
    """A git process in its own group; killed as a group, reaped by whoever reads it."""

    def __init__(
        self, argv: Sequence[str], env: Mapping[str, str], stdin: int | IO[bytes], stderr: int | IO[bytes]
    ) -> None:
        encoded = list(argv) if sys.platform == "win32" else [_encode(argument) for argument in argv]
        self.timed_out = False
        self.waited = False
        """It waited for a pipe among the files of a repository."""
        self.popen = subprocess.Popen(
            encoded,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=stderr,
            cwd=cache_dir("git"),
            env=dict(env),
            bufsize=0,
            start_new_session=True,
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0) if sys.platform == "win32" else 0,
        )
        assert self.popen.stdout is not None
        self.stdout = self.popen.stdout
        _widen(self.stdout)
        with _living_lock:
            _living.add(self)

    def kill(self) -> None:
        """End the process and its group. Idempotent, from any thread."""
        if self.popen.poll() is not None:
            return
        try:
            if sys.platform == "win32":
                self.popen.kill()
            else:
                os.killpg(self.popen.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass

    def expire(self) -> None:
        """Kill for having outlived its time."""
        self.timed_out = True
        self.kill()

    def held_up(self) -> AnamnesisError | None:
        """The error for a process that was stopped because it waited for a pipe; None where it was not."""
        if not self.waited:
            return None
        return AnamnesisError(
            ErrorCode.GIT_TIMEOUT,
            "git waited for a pipe among the files of the repository and was stopped.",
            "Look for it with 'find . -type p' where the repository is, and remove it if you know why it is there.",
        )

    def end(self) -> int:
        """Kill when still running, reap, close; returns the exit code."""
        self.kill()
        return self.reap()

    def reap(self) -> int:
        """Wait for its end, close its pipes, and return the exit code."""
        code = self.popen.wait()
        self.stdout.close()
        if self.popen.stdin is not None:
            try:
                self.popen.stdin.close()
            except OSError:
                pass
        with _living_lock:
            _living.discard(self)
        return code

    def lower_priority(self) -> None:
        """Run behind everything else (where the platform can)."""
        if sys.platform != "win32":
            try:
                os.setpriority(os.PRIO_PROCESS, self.popen.pid, 15)
            except OSError:
                pass


def _waits_for_pipe(child: Child) -> bool:
    """Whether a process sleeps until somebody opens or fills a pipe. Only a standard input of ours may be one."""
    try:
        asleep_in = Path(f"/proc/{child.popen.pid}/wchan").read_text(encoding="ascii", errors="replace")
    except OSError:
        return False
    return asleep_in == "wait_for_partner" or ("pipe_read" in asleep_in and child.popen.stdin is None)


@contextmanager
def limited(child: Child, seconds: float) -> Generator[None]:
    """Within, a process is stopped after so many seconds, and where it waits for a pipe at two looks in a row (Linux
    tells).
    """
    end = time.monotonic() + seconds
    waiting = ended = False

    def look() -> None:
        nonlocal waiting, entry
        before, waiting = waiting, _waits_for_pipe(child)
        if ended or child.popen.returncode is not None:
            return
        if time.monotonic() >= end:
            child.expire()
        elif before and waiting:
            child.waited = True
            child.kill()
        else:
            entry = watchdog.add(min(LOOK_SECONDS, end - time.monotonic()), look)

    entry = watchdog.add(min(LOOK_SECONDS, seconds), look) if _TOLD else watchdog.add(seconds, child.expire)
    try:
        yield
    finally:
        ended = True
        entry.act = None


_living: set[Child] = set()
_living_lock = threading.Lock()


@atexit.register
def kill_all() -> None:
    """End every git process of ours, running or idle. Called at exit."""
    with _living_lock:
        children = list(_living)
    for child in children:
        child.kill()


def living() -> int:
    """How many git processes of ours are alive now, idle object readers included."""
    with _living_lock:
        return sum(1 for child in _living if child.popen.poll() is None)


def _encode(argument: str) -> bytes:
    try:
        encoded = argument.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        encoded = b"\0"
    if b"\0" in encoded:
        raise AnamnesisError(
            ErrorCode.BAD_REQUEST,
            "A path or revision holds a character that no file name can hold.",
            "Pass the name as it is in the repository.",
        )
    return encoded


def start(argv: Sequence[str], env: Mapping[str, str], input_: bytes | None, errors: IO[bytes]) -> Child:
    """Start a process; its standard input is closed, or a file holding ``input_``."""
    try:
        if input_ is None:
            return Child(argv, env, subprocess.DEVNULL, errors)
        with tempfile.TemporaryFile(dir=cache_dir("git")) as file:
            file.write(input_)
            file.seek(0)
            return Child(argv, env, file, errors)
    except OSError as error:
        raise AnamnesisError(
            ErrorCode.GIT_MISSING,
            f"The git at {argv[0]} could not be started: {error.strerror}.",
            "Check that git runs in a terminal, and try again.",
        ) from error


def read_errors(file: IO[bytes]) -> bytes:
    """What a process wrote to standard error, at most 64 KiB."""
    file.seek(0)
    return file.read(_STDERR_CAP)


def collect(
    argv: Sequence[str],
    env: Mapping[str, str],
    input_: bytes | None,
    cancel: CancelToken,
    seconds: float,
    cap: int,
    background: bool = False,
) -> Output:
    """Start a process and read it to its end. Takes no place: see :func:`.process.run`."""
    chunks: list[bytes] = []
    size = 0
    with tempfile.TemporaryFile(dir=cache_dir("git")) as errors:
        child = start(argv, env, input_, errors)
        try:
            if background:
                child.lower_priority()
            with cancel.on_cancel(child.kill), limited(child, seconds):
                while size <= cap and (chunk := child.stdout.read(CHUNK)):
                    chunks.append(chunk)
                    size += len(chunk)
                if size > cap:
                    child.kill()
                child.popen.wait()
        finally:
            code = child.end()
        cancel.check()
        if (held_up := child.held_up()) is not None:
            raise held_up
        if child.timed_out:
            raise timeout(argv, seconds)
        if size > cap:
            raise too_large(cap)
        return Output(code, b"".join(chunks), read_errors(errors))


def timeout(argv: Sequence[str], seconds: float) -> AnamnesisError:
    """The error for a process that outlived its time limit."""
    subcommand = next((part for part in argv if part in HISTORY_SUBCOMMANDS | REAL_SUBCOMMANDS), "git")
    return AnamnesisError(
        ErrorCode.GIT_TIMEOUT,
        f"git {subcommand} took longer than {seconds:g} seconds and was stopped.",
        "Select fewer lines or a smaller file, or try again when the machine is less busy.",
    )


def too_large(cap: int) -> AnamnesisError:
    """The error for output past its cap."""
    return AnamnesisError(
        ErrorCode.OUTPUT_TOO_LARGE,
        f"git answered with more than {cap // (1024 * 1024) or 1} MiB, which is not read.",
        "Ask for fewer files or fewer lines.",
    )
