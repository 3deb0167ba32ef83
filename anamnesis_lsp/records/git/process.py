"""Running git: the only code that starts a git process.

What holds for every process started here:

- ``git`` is resolved once to an absolute path outside the repository at hand, and must be 2.30 or newer;
- the subcommand is on a fixed list, arguments are a list, standard input is closed (or a file of ours);
- the environment is ours: no ``GIT_*`` of the caller reaches the child, lazy fetch, prompts, replace refs, grafts,
  pathspec magic, optional locks and system attributes are off;
- the working directory is our cache, never the repository;
- it runs in its own process group, under a time limit and an output cap, and is killed with its group on cancel;
- at most :data:`AT_ONCE` run at the same time (idle object readers of :mod:`.objects` apart).

Raises ``gitMissing``, ``gitTooOld``, ``gitTimeout``, ``outputTooLarge``, ``badRequest`` and ``Cancelled``. What a
non-zero exit means is left to the caller: :class:`Output` carries it.

Standard invocation: stack/STACK.md 4.3.
"""

from __future__ import annotations

import atexit
import heapq
import itertools
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import IO

from anamnesis_lsp.cancel import CancelToken, never
from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.places import cache_dir

AT_ONCE = 2
OLDEST = (2, 30)
BATCH_COMMAND_SINCE = (2, 36)
DEFAULT_SECONDS = 60.0
DEFAULT_CAP = 64 * 1024 * 1024
STREAM_CAP = 512 * 1024 * 1024
_CHUNK = 1 << 16
_STDERR_CAP = 1 << 16

REAL_SUBCOMMANDS = frozenset({"rev-parse", "for-each-ref", "config", "check-ignore", "ls-files"})
"""Run against the real repository. None of these executes anything a repository's config names (STACK 4.1)."""
HISTORY_SUBCOMMANDS = frozenset(
    {"log", "blame", "rev-list", "diff-tree", "ls-tree", "merge-base", "patch-id", "name-rev", "cat-file"}
)
"""Run against the shadow git directory only."""
OWN_SUBCOMMANDS = frozenset({"commit-graph"})
"""Write, and only ever into the shadow git directory."""

_NEUTRAL_CONFIG = (
    "core.fsmonitor=false",
    f"core.hooksPath={os.devnull}",
    f"core.attributesFile={os.devnull}",
    "core.quotePath=false",
    "core.untrackedCache=false",
    "log.showSignature=false",
    "log.follow=false",
    "gpg.program=false",
    "gpg.ssh.program=false",
    "gpg.x509.program=false",
    "diff.external=",
    "diff.noprefix=false",
    "diff.mnemonicPrefix=false",
    "diff.autoRefreshIndex=false",
    "submodule.recurse=false",
    "color.ui=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "protocol.allow=never",
)
NEUTRAL_OPTIONS: tuple[str, ...] = ("--no-pager", *(part for pair in _NEUTRAL_CONFIG for part in ("-c", pair)))
"""Options before every subcommand. They override whatever a repository's own config says."""
EXPLICIT_BARE: tuple[str, ...] = ("-c", "safe.bareRepository=explicit")

_FORBIDDEN = (
    "--output",
    "--contents",
    "--ext-diff",
    "--textconv",
    "--ignore-revs-file",
    "--open-files-in-pager",
    "--show-signature",
    "--filters",
    "--upload-pack",
    "--exec",
)
_ALLOWED = frozenset({"--ignore-rev"})
"""Options of their own that only look like the beginning of a forbidden one."""
_ENVIRONMENT = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_GRAFT_FILE": "/nonexistent/grafts",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_PAGER": "cat",
    "GIT_ASKPASS": "true",
    "SSH_ASKPASS": "true",
    "GIT_SSH_COMMAND": "false",
    "GIT_EDITOR": "false",
    "LC_ALL": "C.UTF-8",
}
_KEPT = ("HOME", "SYSTEMROOT", "SystemRoot", "USERPROFILE", "TMPDIR", "TEMP", "TMP")


@dataclass(frozen=True, slots=True)
class Git:
    """The git that is used: its absolute path and its version."""

    path: str
    version: tuple[int, int, int]

    @property
    def batch_command(self) -> bool:
        """Whether ``cat-file`` knows ``--batch-command`` (2.36)."""
        return self.version[:2] >= BATCH_COMMAND_SINCE


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


# ---- finding


_chosen: Path | None = None
_versions: dict[tuple[str, int, int], Git] = {}
_found: dict[tuple[str, Path | None], list[str]] = {}
_finding = threading.Lock()


def use_git(path: Path | None) -> None:
    """Use this git and no other (a setting of the user's own, never of a workspace); None: the one on PATH again."""
    global _chosen
    _chosen = path


def find_git(outside: Sequence[Path] = ()) -> Git:
    """The git to run: the first on PATH that lies in an absolute directory and in none of ``outside``.

    Raises ``gitMissing`` and ``gitTooOld``. The answer is kept for as long as PATH and the executable stay the same.
    """
    with _finding:
        key = (os.environ.get("PATH", ""), _chosen)
        candidates = _found.get(key)
        if candidates is None:
            candidates = list(_candidates())
            _found.clear()
            _found[key] = candidates
        for candidate in candidates:
            real = os.path.realpath(candidate)
            if any(_inside(real, root) or _inside(candidate, root) for root in outside):
                continue
            return _checked(candidate)
    raise AnamnesisError(
        ErrorCode.GIT_MISSING,
        "No git was found on PATH.",
        "Install git 2.30 or newer, or start the editor from an environment whose PATH has it.",
    )


def _candidates() -> Iterator[str]:
    if _chosen is not None:
        if _chosen.is_absolute() and _chosen.is_file():
            yield str(_chosen)
        return
    name = "git.exe" if sys.platform == "win32" else "git"
    for directory in os.environ.get("PATH", "").split(os.pathsep):
        if not Path(directory).is_absolute():
            continue
        candidate = Path(directory, name)
        if candidate.is_file() and os.access(candidate, os.X_OK):
            yield str(candidate)


def _inside(path: str, root: Path) -> bool:
    return Path(path).is_relative_to(root)


def _checked(path: str) -> Git:
    facts = Path(path).stat()
    key = (path, facts.st_mtime_ns, facts.st_size)
    if key not in _versions:
        _versions[key] = Git(path, _version(path))
    git = _versions[key]
    if git.version[:2] < OLDEST:
        raise AnamnesisError(
            ErrorCode.GIT_TOO_OLD,
            f"The git at {path} is version {'.'.join(map(str, git.version))}; 2.30 or newer is needed.",
            "Update git, or put a newer one first on PATH.",
        )
    return git


def _version(path: str) -> tuple[int, int, int]:
    output = _collect([path, "version"], environment(path), None, never(), 10.0, 4096)
    match = re.search(rb"git version (\d{1,4})\.(\d{1,4})(?:\.(\d{1,4}))?", output.stdout)
    if match is None:
        raise AnamnesisError(
            ErrorCode.GIT_MISSING,
            f"The program at {path} does not answer as git does.",
            "Install git 2.30 or newer, or put it first on PATH.",
        )
    return int(match[1]), int(match[2]), int(match[3] or 0)


def environment(git_path: str, extra: Mapping[str, str] | None = None, own_config: bool = False) -> dict[str, str]:
    """The whole environment of a git child. ``own_config``: the user's own config may be read (only for ``config``)."""
    result = {name: os.environ[name] for name in _KEPT if name in os.environ}
    directories = [str(Path(git_path).parent), *os.environ.get("PATH", "").split(os.pathsep)]
    result["PATH"] = os.pathsep.join(d for d in dict.fromkeys(directories) if Path(d).is_absolute())
    result.update(_ENVIRONMENT)
    if own_config:
        for name in ("GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"):
            result.pop(name, None)
            if name in os.environ:
                result[name] = os.environ[name]
        if "XDG_CONFIG_HOME" in os.environ:
            result["XDG_CONFIG_HOME"] = os.environ["XDG_CONFIG_HOME"]
    result.update(extra or {})
    return result


# ---- limits


class _Slots:
    """At most so many processes at once; waiting for a place ends at once on cancel."""

    def __init__(self, places: int) -> None:
        self._free = places
        self._condition = threading.Condition()

    @contextmanager
    def take(self, cancel: CancelToken) -> Generator[None]:
        self.acquire(cancel)
        try:
            yield
        finally:
            self.release()

    def acquire(self, cancel: CancelToken) -> None:
        with self._condition:
            if self._free > 0:
                self._free -= 1
                return
        with cancel.on_cancel(self._wake), self._condition:
            while self._free <= 0:
                cancel.check()
                self._condition.wait(1.0)
            self._free -= 1

    def release(self) -> None:
        with self._condition:
            self._free += 1
            self._condition.notify()

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

    @contextmanager
    def limit(self, seconds: float, act: Callable[[], None]) -> Generator[None]:
        entry = self.add(seconds, act)
        try:
            yield
        finally:
            entry.act = None

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


_slots = _Slots(AT_ONCE)
_watchdog = _Watchdog()


# ---- processes


class _Child:
    """A git process in its own group; killed as a group, reaped by whoever reads it."""

    def __init__(
        self, argv: Sequence[str], env: Mapping[str, str], stdin: int | IO[bytes], stderr: int | IO[bytes]
    ) -> None:
        encoded = list(argv) if sys.platform == "win32" else [_encode(argument) for argument in argv]
        self.timed_out = False
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

    def end(self) -> int:
        """Kill when still running, reap, close; returns the exit code."""
        self.kill()
        return self.reap()

    def reap(self) -> int:
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


_living: set[_Child] = set()
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


def _popen(argv: Sequence[str], env: Mapping[str, str], input_: bytes | None, errors: IO[bytes]) -> _Child:
    try:
        if input_ is None:
            return _Child(argv, env, subprocess.DEVNULL, errors)
        with tempfile.TemporaryFile(dir=cache_dir("git")) as file:
            file.write(input_)
            file.seek(0)
            return _Child(argv, env, file, errors)
    except OSError as error:
        raise AnamnesisError(
            ErrorCode.GIT_MISSING,
            f"The git at {argv[0]} could not be started: {error.strerror}.",
            "Check that git runs in a terminal, and try again.",
        ) from error


def _read_errors(file: IO[bytes]) -> bytes:
    file.seek(0)
    return file.read(_STDERR_CAP)


def _collect(
    argv: Sequence[str],
    env: Mapping[str, str],
    input_: bytes | None,
    cancel: CancelToken,
    seconds: float,
    cap: int,
    background: bool = False,
) -> Output:
    chunks: list[bytes] = []
    size = 0
    with tempfile.TemporaryFile(dir=cache_dir("git")) as errors:
        child = _popen(argv, env, input_, errors)
        try:
            if background:
                child.lower_priority()
            with cancel.on_cancel(child.kill), _watchdog.limit(seconds, child.expire):
                while size <= cap and (chunk := child.stdout.read(_CHUNK)):
                    chunks.append(chunk)
                    size += len(chunk)
                if size > cap:
                    child.kill()
                child.popen.wait()
        finally:
            code = child.end()
        cancel.check()
        if child.timed_out:
            raise timeout(argv, seconds)
        if size > cap:
            raise too_large(cap)
        return Output(code, b"".join(chunks), _read_errors(errors))


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
    with _slots.take(cancel):
        return _collect(argv, env, input_, cancel, seconds, cap, background)


def _argv(git: Git, options: Sequence[str], subcommand: str, arguments: Sequence[str]) -> list[str]:
    if subcommand not in REAL_SUBCOMMANDS | HISTORY_SUBCOMMANDS | OWN_SUBCOMMANDS:
        raise ValueError(f"{subcommand!r} is not a git subcommand this program runs")
    refuse_dangerous(subcommand, arguments)
    return [git.path, *NEUTRAL_OPTIONS, *options, subcommand, *arguments]


def refuse_dangerous(subcommand: str, arguments: Sequence[str]) -> None:
    """Raise ValueError on an option that writes a file, reads another, or runs a program; also abbreviated or
    joined."""
    for argument in arguments:
        if argument in ("--", "--end-of-options"):
            return
        name = argument.split("=", 1)[0]
        joined = name.startswith("--") and len(name) > 4 and name not in _ALLOWED
        if joined and any(bad.startswith(name) for bad in _FORBIDDEN):
            raise ValueError(f"{name} is not an option this program passes to git {subcommand}")
        if "%G" in argument or (argument.startswith("-O") and argument != f"-O{os.devnull}"):
            raise ValueError(f"{argument!r} is not an option this program passes to git {subcommand}")
        if subcommand == "blame" and argument.startswith("-S"):
            raise ValueError("git blame -S reads any file")


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
        _slots.acquire(cancel)
        try:
            self._errors = tempfile.TemporaryFile(dir=cache_dir("git"))  # noqa: SIM115
            self._child = _popen(self._argv, env, input_, self._errors)
        except BaseException:
            _slots.release()
            raise
        threading.Thread(target=self._drain, name="git-stream", daemon=True).start()

    def _drain(self) -> None:
        size, child, error = 0, self._child, None
        code = -1
        try:
            with self._cancel.on_cancel(self._cancelled), _watchdog.limit(self._seconds, child.expire):
                while size <= self._cap and (chunk := child.stdout.read(_CHUNK)):
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
            _slots.release()
            if child.timed_out:
                error = timeout(self._argv, self._seconds)
            errors = _read_errors(self._errors)
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
            self._child = _Child(argv, env, subprocess.PIPE, subprocess.DEVNULL)
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
            with cancel.on_cancel(self._child.kill), _watchdog.limit(seconds, self._child.expire):
                yield
        except (EOFError, OSError):
            self.close()
            cancel.check()
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
            self._more(_CHUNK)

    def exactly(self, size: int) -> bytes:
        """The next ``size`` bytes of the answer. EOFError when the process is gone."""
        while len(self._buffer) - self._start < size:
            self._more(max(_CHUNK, size - (len(self._buffer) - self._start)))
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
