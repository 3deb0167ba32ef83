"""Fixture repositories, built by real git: deterministic authors and dates, nothing of this machine's git config."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

GIT = "git"
BEGIN = 1_577_836_800  # 2020-01-01T00:00:00Z
STEP = 3600

ADA = "Ada Lovelace <ada@example.org>"
GRACE = "Grace Hopper <grace@example.org>"


def hermetic(**extra: str) -> dict[str, str]:
    """The environment of a builder's git."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    env.update(
        GIT_CONFIG_GLOBAL=os.devnull, GIT_CONFIG_NOSYSTEM="1", GIT_AUTHOR_NAME="Ada Lovelace",
        GIT_AUTHOR_EMAIL="ada@example.org", GIT_COMMITTER_NAME="Ada Lovelace", GIT_COMMITTER_EMAIL="ada@example.org",
        GIT_ALLOW_PROTOCOL="file", LC_ALL="C.UTF-8",
    )  # fmt: skip
    env.update(extra)
    return env


class Repo:
    """A repository under construction. Every commit is one hour after the one before it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._commits = 0

    def git(self, *arguments: str, input_: bytes | None = None, env: Mapping[str, str] | None = None) -> str:
        """Run git here and return its output, stripped."""
        done = subprocess.run(
            [GIT, "-c", "commit.gpgsign=false", "-c", "gc.auto=0", *arguments],
            cwd=self.path, input=input_, env=hermetic(**(env or {})), capture_output=True, check=False,
        )  # fmt: skip
        if done.returncode:
            raise AssertionError(f"git {' '.join(arguments)}: {done.stderr.decode(errors='replace')}")
        return os.fsdecode(done.stdout).strip()

    def write(self, name: str, content: str | bytes) -> Path:
        """Write a file of the work tree."""
        file = self.path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        return file

    def commit(
        self,
        message: str | bytes,
        files: Mapping[str, str | bytes | None] | None = None,
        author: str = ADA,
        date: str | None = None,
        config: tuple[str, ...] = (),
    ) -> str:
        """Write ``files`` (None deletes), commit everything, and return the full id."""
        for name, content in (files or {}).items():
            if content is None:
                (self.path / name).unlink()
            else:
                self.write(name, content)
        self.git("add", "-A")
        self._commits += 1
        when = date or f"{BEGIN + STEP * self._commits} +0000"
        options = [part for pair in config for part in ("-c", pair)]
        self.git(
            *options, "commit", "-q", "--allow-empty", "--allow-empty-message", "--no-verify", "-F", "-",
            f"--author={author}", f"--date={when}",
            input_=message.encode() if isinstance(message, str) else message, env={"GIT_COMMITTER_DATE": when},
        )  # fmt: skip
        return self.head()

    def move(self, old: str, new: str) -> None:
        """``git mv``, folders made."""
        (self.path / new).parent.mkdir(parents=True, exist_ok=True)
        self.git("mv", old, new)

    def head(self) -> str:
        """The full id of HEAD."""
        return self.git("rev-parse", "HEAD")

    def clone(self, path: Path, *options: str) -> Repo:
        """A clone over the file transport, so that ``--depth`` and ``--filter`` count."""
        self.git("config", "uploadpack.allowFilter", "true")
        self.git("clone", "-q", *options, f"file://{self.path}", str(path))
        return Repo(path)


def new_repo(path: Path, object_format: str = "sha1", bare: bool = False) -> Repo:
    """An empty repository on branch ``main``."""
    path.mkdir(parents=True, exist_ok=True)
    repo = Repo(path)
    repo.git("init", "-q", "-b", "main", f"--object-format={object_format}", *(["--bare"] if bare else []))
    return repo


def numbered(count: int, start: int = 1, word: str = "line") -> str:
    """A text of ``count`` different lines."""
    return "".join(f"{word} number {n} of the text\n" for n in range(start, start + count))


def retry_repo(path: Path) -> Repo:
    """Three commits: a function, a retry loop in it by another author, then its limit changed."""
    repo = new_repo(path)
    repo.commit("Add fetch", {"src/fetch.py": "def fetch(url):\n    return get(url)\n", "README": "Fetch things.\n"})
    repo.commit(
        "Retry three times\n\nThe gateway drops the first request after a restart.",
        {"src/fetch.py": "def fetch(url):\n    for attempt in range(3):\n        return get(url)\n"},
        author=GRACE,
    )
    repo.commit(
        "Raise the limit",
        {"src/fetch.py": "def fetch(url):\n    for attempt in range(5):\n        return get(url)\n"},
    )
    return repo


@contextmanager
def unchanged(*roots: Path) -> Iterator[None]:
    """Assert that nothing under ``roots`` changes: names, modes, sizes, mtimes, bytes."""
    before = [snapshot(root) for root in roots]
    yield
    for root, was in zip(roots, before, strict=True):
        now = snapshot(root)
        assert now == was, f"changed under {root}: {sorted(set(now.items()) ^ set(was.items()))[:5]}"


def snapshot(root: Path) -> dict[str, tuple[int, int, int, bytes]]:
    """Mode, size, mtime and bytes of everything under ``root``."""
    result: dict[str, tuple[int, int, int, bytes]] = {}
    for path in [root, *sorted(root.rglob("*"))]:
        facts = path.lstat()
        data = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
        result[str(path.relative_to(root))] = (facts.st_mode, facts.st_size, facts.st_mtime_ns, data)
    return result
