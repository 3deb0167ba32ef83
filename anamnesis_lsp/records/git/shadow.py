"""The shadow git directory: the repository's objects under a git directory of our own.

One bare directory per repository in our cache, with our own ``config``, an unborn HEAD, no refs, no hooks, no
attributes. Its objects are ours (a commit-graph, nothing else) with the repository's as alternates, so that nothing a
repository's config, attributes, hooks, mailmap, replace refs or grafts say is in the picture, and nothing is ever
written into theirs (DESIGN section 8, stack/STACK.md 4.2, stack/PERF.md 3). All history commands run here, on full
object ids only.

The caller must have let git check the ownership of the real repository first: a shadow bypasses that check.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.places import cache_dir
from anamnesis_lsp.records.git import process
from anamnesis_lsp.records.git.process import DEFAULT_CAP, DEFAULT_SECONDS, STREAM_CAP, Dialogue, Git, GitFailed, Stream

ObjectFormat = Literal["sha1", "sha256"]

_HASH = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_SHALLOW_CAP = 16 * 1024 * 1024
_GRAPH_CAP = 512 * 1024 * 1024
_STALE_LOCK_SECONDS = 3600

_ALWAYS: dict[str, tuple[str, ...]] = {
    "log": (
        "--no-ext-diff",
        "--no-textconv",
        "--no-show-signature",
        "--no-color",
        "--no-notes",
        "--no-mailmap",
        "--no-decorate",
        "--encoding=UTF-8",
        f"-O{os.devnull}",
    ),
    "diff-tree": ("--no-ext-diff", "--no-textconv", "--no-color", f"-O{os.devnull}"),
    "blame": ("--no-textconv", "--no-ignore-revs-file"),
}
"""What every call of a subcommand carries, before the caller's own arguments (STACK 4.3)."""


def is_hash(text: str) -> bool:
    """Whether ``text`` is a full object id: 40 or 64 lower-case hex digits."""
    return _HASH.fullmatch(text) is not None


def read_small(path: Path, cap: int) -> bytes | None:
    """The bytes of a regular file of at most ``cap`` bytes; None when there is none (or it is a pipe, a device …)."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        facts = os.fstat(file.fileno())
        if not stat.S_ISREG(facts.st_mode) or facts.st_size > cap:
            return None
        return file.read(cap + 1)


def fingerprint(path: Path) -> tuple[int, int, int] | None:
    """Inode, size and mtime of a file, None when it is not there: what changes when somebody writes it."""
    try:
        facts = path.stat()
    except OSError:
        return None
    return facts.st_ino, facts.st_size, facts.st_mtime_ns


def c_quote(path: str) -> str:
    """A path as an entry of ``GIT_ALTERNATE_OBJECT_DIRECTORIES``: quoted as C does where it would be cut or
    unquoted."""
    if os.pathsep not in path and not path.startswith('"') and not path.startswith("#"):
        return path
    escaped = path.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


class Shadow:
    """The shadow of one repository, and the only way to run history commands. Thread-safe."""

    def __init__(self, git: Git, common_dir: Path, object_format: ObjectFormat) -> None:
        self.git = git
        self.common_dir = common_dir
        self.object_format: ObjectFormat = object_format
        identity = hashlib.sha256(os.fsencode(common_dir) + b"\0" + object_format.encode()).hexdigest()[:24]
        self.directory = cache_dir("git") / identity
        self._lock = threading.Lock()
        self._seen_shallow: tuple[int, int, int] | Literal["never"] | None = "never"
        self._boundary: frozenset[str] = frozenset()

    # ---- the folder

    def refresh(self) -> None:
        """Make the directory (again) and copy ``shallow`` when it changed. Cheap: two ``stat`` calls when nothing
        did."""
        with self._lock:
            if not (self.directory / "HEAD").exists():
                self._make()
                self._seen_shallow = "never"
            seen = fingerprint(self.common_dir / "shallow")
            if seen != self._seen_shallow:
                self._copy_shallow()
                self._seen_shallow = seen

    def _make(self) -> None:
        for part in ("objects/info", "objects/pack", "refs"):
            (self.directory / part).mkdir(mode=0o700, parents=True, exist_ok=True)
        lines = ["[core]", "\tbare = true", "\tlogAllRefUpdates = false"]
        if self.object_format == "sha256":
            lines += ["\trepositoryformatversion = 1", "[extensions]", "\tobjectFormat = sha256"]
        else:
            lines.append("\trepositoryformatversion = 0")
        self._write("config", "\n".join([*lines, ""]).encode())
        self._write("repository", os.fsencode(self.common_dir) + b"\n")
        self._write("HEAD", b"ref: refs/heads/none\n")

    def _copy_shallow(self) -> None:
        theirs = read_small(self.common_dir / "shallow", _SHALLOW_CAP)
        mine = self.directory / "shallow"
        ids = [line for line in (theirs or b"").decode("ascii", "replace").split() if is_hash(line)]
        self._boundary = frozenset(ids)
        if ids:
            content = "".join(f"{line}\n" for line in ids).encode()
            if read_small(mine, _SHALLOW_CAP) != content:
                self._write("shallow", content)
        else:
            mine.unlink(missing_ok=True)

    def _write(self, name: str, content: bytes) -> None:
        descriptor, temporary = tempfile.mkstemp(dir=self.directory, prefix=f".{name}-")
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        Path(temporary).replace(self.directory / name)

    @property
    def boundary(self) -> frozenset[str]:
        """The commits where a shallow clone's history ends, as full ids. Empty for a whole one."""
        self.refresh()
        return self._boundary

    # ---- running

    def environment(self) -> dict[str, str]:
        """The environment of a process that runs here: our objects first, theirs (and theirs' alternates) behind.

        ``HOME`` too is ours, since a git before 2.32 does not know ``GIT_CONFIG_GLOBAL``.
        """
        self.refresh()
        return process.environment(
            self.git.path,
            {
                "HOME": str(self.directory),
                "XDG_CONFIG_HOME": str(self.directory),
                "GIT_OBJECT_DIRECTORY": str(self.directory / "objects"),
                "GIT_ALTERNATE_OBJECT_DIRECTORIES": c_quote(str(self.common_dir / "objects")),
            },
        )

    @property
    def options(self) -> tuple[str, ...]:
        """The options before the subcommand."""
        return (*process.EXPLICIT_BARE, f"--git-dir={self.directory}")

    def _checked(self, subcommand: str, arguments: Sequence[str]) -> tuple[str, ...]:
        if subcommand not in process.HISTORY_SUBCOMMANDS:
            raise ValueError(f"git {subcommand} is not a history command")
        return (*_ALWAYS.get(subcommand, ()), *arguments)

    def run(
        self,
        subcommand: str,
        *arguments: str,
        cancel: CancelToken,
        seconds: float = DEFAULT_SECONDS,
        cap: int = DEFAULT_CAP,
        input_: bytes | None = None,
    ) -> bytes:
        """Run a history command to its end; returns its standard output. Raises :class:`GitFailed` on a non-zero
        exit."""
        output = process.run(
            self.git,
            self.options,
            subcommand,
            self._checked(subcommand, arguments),
            env=self.environment(),
            cancel=cancel,
            seconds=seconds,
            cap=cap,
            input_=input_,
        )
        if output.returncode != 0:
            raise GitFailed(subcommand, output)
        return output.stdout

    def stream(
        self,
        subcommand: str,
        *arguments: str,
        cancel: CancelToken,
        separator: bytes = b"\n",
        seconds: float = DEFAULT_SECONDS,
        cap: int = STREAM_CAP,
        input_: bytes | None = None,
        background: bool = False,
    ) -> Stream:
        """Start a history command; its records (split at ``separator``) come while it runs. ``background``: it gives
        way to everything else."""
        return Stream(
            self.git,
            self.options,
            subcommand,
            self._checked(subcommand, arguments),
            env=self.environment(),
            cancel=cancel,
            separator=separator,
            seconds=seconds,
            cap=cap,
            input_=input_,
            background=background,
        )

    def dialogue(self, *arguments: str) -> Dialogue:
        """Start a ``cat-file`` that answers requests."""
        return Dialogue(self.git, self.options, arguments, self.environment())

    # ---- commit-graph

    def build_commit_graph(self, heads: Sequence[str], cancel: CancelToken, rewritten: bool = False) -> bool:
        """Write a commit-graph with changed-path filters for what ``heads`` reach, into ours. False: not built.

        Incremental (``--split``); ``rewritten`` starts anew (``--split=replace``), as the first build does, so that no
        layer of ours ever rests on a graph file of theirs. Not for shallow clones (git ignores the graph there).
        Nothing depends on it: a graph that is missing, stale or cut changes no answer, only the time.
        """
        self.refresh()
        if self._boundary:
            return False
        info = self.directory / "objects" / "info"
        chain = info / "commit-graphs" / "commit-graph-chain"
        for lock in (info / "commit-graphs").glob("*.lock"):
            if time.time() - lock.stat().st_mtime > _STALE_LOCK_SECONDS:
                lock.unlink(missing_ok=True)
        split = "--split" if chain.exists() and not rewritten else "--split=replace"
        output = process.run(
            self.git,
            self.options,
            "commit-graph",
            ("write", "--stdin-commits", "--changed-paths", split, "--no-progress"),
            env=self.environment(),
            cancel=cancel,
            seconds=1800.0,
            input_="".join(f"{head}\n" for head in heads).encode(),
            background=True,
        )
        if output.returncode != 0:
            return False
        if sum(file.stat().st_size for file in (info / "commit-graphs").glob("*.graph")) > _GRAPH_CAP:
            self.drop_commit_graph()
            return False
        return True

    def drop_commit_graph(self) -> None:
        """Remove the commit-graph; everything goes on without it."""
        folder = self.directory / "objects" / "info" / "commit-graphs"
        for file in folder.glob("*"):
            file.unlink(missing_ok=True)
        self.graph_mark.unlink(missing_ok=True)

    @property
    def graph_mark(self) -> Path:
        """The file that holds the id of the HEAD our commit-graph was last written for."""
        return self.directory / "graph-head"


def missing(what: str, boundary: bool = False) -> AnamnesisError:
    """The error for an object that is named and not there: a shallow or partial clone, or a damaged repository."""
    return AnamnesisError(
        ErrorCode.OBJECT_MISSING,
        f"{what} is not in this clone" + (": its history ends here (shallow clone)." if boundary else "."),
        "Fetch it with git (`git fetch --unshallow`, or `git fetch --refetch` in a partial clone), then try again.",
    )
