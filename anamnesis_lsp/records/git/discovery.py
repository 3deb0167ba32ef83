"""Where a repository is: the nearest ``.git`` above a path, and what git says of it.

The search is ours, so that a bare repository that merely lies in the way (tracked files can make one) is never taken.
git is then asked at the place found, without an explicit git directory: so it checks the ownership. The user's own
``safe.directory`` entries count; a refusal is told, never overridden.

Raises ``notARepository``, ``dubiousOwnership``, ``gitMissing``, ``gitTooOld``.
"""

from __future__ import annotations

import os
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.places import cache_dir
from anamnesis_lsp.records.git import process
from anamnesis_lsp.records.git.process import Git, Output
from anamnesis_lsp.records.git.shadow import ObjectFormat, fingerprint, read_small
from anamnesis_lsp.records.git.text import printable

_DUBIOUS = "dubious ownership"
_OLD_DUBIOUS = "unsafe repository"
_GITFILE_CAP = 64 * 1024
_ASKED_SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class Place:
    """A repository as git reports it; see :class:`.Repository` for the fields."""

    git: Git
    root: Path
    git_dir: Path
    common_dir: Path
    object_format: ObjectFormat
    bare: bool


def find_place(path: Path) -> Path | None:
    """The nearest directory at or above ``path`` that holds a ``.git``; or ``path`` itself where it is a git
    directory."""
    if path.is_dir() and _looks_like_git_dir(path):
        if path.name == ".git":
            return path.parent
        if not (path / ".git").exists():
            return path
    for directory in (path, *path.parents):
        marker = directory / ".git"
        if marker.is_file() or (marker.is_dir() and _looks_like_git_dir(marker)):
            return directory
    return None


def _looks_like_git_dir(path: Path) -> bool:
    return (path / "HEAD").exists() and (path / "objects").is_dir() and (path / "refs").is_dir()


def identity_of(place: Path) -> object:
    """What, when it changes, makes an opened repository another one: its ``.git``, its owner, its config, the git in
    use."""
    marker = place / ".git"
    kept: list[object] = [os.environ.get("PATH"), str(cache_dir())]
    for path in (place, marker if marker.exists() else place):
        try:
            facts = path.stat()
        except OSError:
            continue
        kept.append((facts.st_dev, facts.st_ino, facts.st_uid))
    if marker.is_file():
        kept.append(fingerprint(marker))
    kept.append(fingerprint((marker if marker.is_dir() else place) / "config"))
    return tuple(kept)


def ask_git(place: Path, cancel: CancelToken) -> Place:
    """Let git say what ``place`` is and whether its owner may be trusted."""
    git = process.find_git(outside=(place,))
    bare_itself = not (place / ".git").exists()
    expected = place if bare_itself else _git_dir_of(place / ".git")
    if (blocking := _blocking(expected)) is not None:
        raise _no_file(blocking)
    arguments = ("--absolute-git-dir", "--git-common-dir", "--show-object-format", "--is-bare-repository")
    options = ["-c", "safe.bareRepository=all"] if bare_itself else [*process.EXPLICIT_BARE]
    options += ["-C", str(place)]
    env = process.environment(git.path)
    output = process.run(git, options, "rev-parse", arguments, env=env, cancel=cancel, seconds=_ASKED_SECONDS)
    if output.returncode != 0 and _refused(output):
        trusted = _trusted_directories(git, cancel)
        if trusted:
            descriptor, name = tempfile.mkstemp(dir=cache_dir("git"), prefix="safe-")
            try:
                with os.fdopen(descriptor, "w", encoding="utf-8", errors="surrogateescape") as file:
                    file.write("[safe]\n" + "".join(f"\tdirectory = {_quoted(entry)}\n" for entry in trusted))
                env["GIT_CONFIG_GLOBAL"] = name
                output = process.run(git, options, "rev-parse", arguments, env=env, cancel=cancel)
            finally:
                Path(name).unlink(missing_ok=True)
    if output.returncode != 0:
        raise _refusal(place) if _refused(output) else not_a_repository(place)
    lines = os.fsdecode(output.stdout).rstrip("\r\n").split("\n")
    if len(lines) != 4 or lines[2] not in ("sha1", "sha256"):
        raise not_a_repository(place)
    git_dir = Path(os.path.realpath(lines[0]))
    common_dir = Path(os.path.realpath(place / lines[1]))
    if expected is not None and git_dir != expected:
        raise not_a_repository(place)
    bare = lines[3] == "true"
    return Place(
        git, git_dir if bare else place, git_dir, common_dir, "sha256" if lines[2] == "sha256" else "sha1", bare
    )


def _git_dir_of(marker: Path) -> Path | None:
    if marker.is_dir():
        return Path(os.path.realpath(marker))
    data = read_small(marker, _GITFILE_CAP)
    if data is None or not data.startswith(b"gitdir:"):
        return None
    return Path(os.path.realpath(marker.parent / os.fsdecode(data[len(b"gitdir:") :].strip())))


_READ_BY_GIT = (
    "HEAD", "commondir", "config", "config.worktree", "index", "info/exclude", "info/sparse-checkout",
    "objects/info/alternates", "packed-refs", "shallow",
)  # fmt: skip
"""What git opens and reads to its end, whatever it is asked: a pipe in its place would be waited for."""
_NOTHING = Path(os.devnull).stat().st_rdev if os.name != "nt" else -1


def _blocking(git_dir: Path | None) -> Path | None:
    """A file of a git directory, or of the one it belongs to, that is neither file nor folder; None where all are."""
    if git_dir is None:
        return None
    folders = [git_dir]
    main = read_small(git_dir / "commondir", _GITFILE_CAP)
    if main is not None:
        folders.append(git_dir / os.fsdecode(main.strip()))
    for folder in folders:
        for name in _READ_BY_GIT:
            try:
                facts = (folder / name).stat()
            except (OSError, ValueError):
                continue
            empty = facts.st_rdev == _NOTHING and stat.S_ISCHR(facts.st_mode)
            if not (stat.S_ISREG(facts.st_mode) or stat.S_ISDIR(facts.st_mode) or empty):
                return folder / name
    return None


def _no_file(path: Path) -> AnamnesisError:
    return AnamnesisError(
        ErrorCode.NOT_A_REPOSITORY,
        f"{printable(str(path))} is a pipe or a device, and git would wait for it.",
        "Remove it if you know why it is there; a repository has a file in its place.",
    )


def _trusted_directories(git: Git, cancel: CancelToken) -> list[str]:
    """The user's own ``safe.directory`` entries, system first, which our environment hides.

    They go back as a global config of ours: ``-c safe.directory`` is not heard by every version that checks ownership.
    """
    env = process.environment(git.path, own_config=True)
    found: list[str] = []
    for scope in ("--system", "--global"):
        arguments = ("--null", scope, "--includes", "--get-all", "safe.directory")
        output = process.run(git, (), "config", arguments, env=env, cancel=cancel)
        if output.returncode == 0:
            found += [os.fsdecode(entry) for entry in output.stdout.split(b"\0")[:-1]]
    return found


def _quoted(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _refused(output: Output) -> bool:
    return _DUBIOUS in output.complaint or _OLD_DUBIOUS in output.complaint


def _refusal(place: Path) -> AnamnesisError:
    return AnamnesisError(
        ErrorCode.DUBIOUS_OWNERSHIP,
        f"git refuses the repository at {printable(str(place))}: detected dubious ownership (another user owns it).",
        f"If you trust it, run: git config --global --add safe.directory '{printable(str(place))}'",
    )


def not_a_repository(path: Path) -> AnamnesisError:
    """The error for a path that lies in no repository."""
    return AnamnesisError(
        ErrorCode.NOT_A_REPOSITORY,
        f"{printable(str(path))} is not in a git repository.",
        "Open a folder that is one, or run `git init` there and commit.",
    )
