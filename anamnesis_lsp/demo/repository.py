"""The repository of the example: a little program that watches tide gauges, in six commits by two people.

Made with the ``git`` of this machine, told to read nobody's configuration.
"""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from pathlib import Path

from anamnesis_lsp.records.git.process import find_git

ZONE = timezone(timedelta(hours=1))
MAINTAINER = ("Tidewatch Maintainer", "maintainer@tidewatch.example")
CONTRIBUTOR = ("Tidewatch Contributor", "contributor@tidewatch.example")


@dataclass(frozen=True, slots=True)
class Question:
    """Lines of a file, by what they begin and end with: what somebody would select; and why they would."""

    path: str
    first: str
    last: str
    wondered: str


QUESTIONS = (
    Question(
        "tidewatch/fetch.py", "def fetch(", "raise last",
        "Three attempts, always 45 seconds apart. Doubling the wait is what everybody does: why not here?",
    ),
    Question(
        "tidewatch/store.py", "connection = sqlite3", 'connection.execute("PRAGMA busy',
        "Writers wait up to twenty seconds for each other. Would a lock file not do?",
    ),
)  # fmt: skip


@dataclass(slots=True)
class Made:
    """What was made: the repository, the folder of conversations, and the commits by a short name."""

    root: Path
    store: Path
    commits: dict[str, str] = field(default_factory=lambda: dict[str, str]())

    def text(self, path: str) -> list[str]:
        """The lines of a file of the work tree."""
        return (self.root / path).read_text(encoding="utf-8").split("\n")

    def lines(self, path: str, first: str, last: str) -> tuple[int, int]:
        """The 1-based lines that begin with ``first`` and, after it, with ``last`` (blanks in front aside)."""
        text = [line.strip() for line in self.text(path)]
        start = next(n for n, line in enumerate(text, 1) if line.startswith(first))
        return start, next(n for n, line in enumerate(text, 1) if n >= start and line.startswith(last))


FETCH_FIRST = '''"""Readings from the gauges."""

import urllib.request

GAUGE = "https://gauges.example/{station}/level"


def fetch(station):
    """The level at a station, in centimetres."""
    with urllib.request.urlopen(GAUGE.format(station=station), timeout=10) as reply:
        return int(reply.read())
'''
FETCH_RETRIES = '''"""Readings from the gauges."""

import time
import urllib.error
import urllib.request

GAUGE = "https://gauges.example/{station}/level"
REBOOT_SECONDS = 45


def fetch(station):
    """The level at a station, in centimetres."""
    last = None
    for _ in range(3):
        try:
            with urllib.request.urlopen(GAUGE.format(station=station), timeout=10) as reply:
                return int(reply.read())
        except urllib.error.HTTPError as error:
            if error.code != 503:
                raise
            last = error
            time.sleep(REBOOT_SECONDS)
    raise last
'''
STORE_LOCKED = '''"""Readings on disk."""

import os
import sqlite3


class Locked(Exception):
    """Another run is writing."""


def save(path, station, level, when):
    """Keep one reading."""
    lock = path + ".lock"
    if os.path.exists(lock):
        raise Locked(lock)
    open(lock, "w").close()
    try:
        with sqlite3.connect(path) as connection:
            connection.execute("INSERT INTO readings VALUES (?, ?, ?)", (station, level, when))
    finally:
        os.remove(lock)
'''
STORE_OPEN = '''"""Readings on disk."""

import sqlite3


def save(path, station, level, when):
    """Keep one reading."""
    connection = sqlite3.connect(path, timeout=20)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA busy_timeout = 20000")
    with connection:
        connection.execute("INSERT INTO readings VALUES (?, ?, ?)", (station, level, when))
    connection.close()
'''
README = """# tidewatch

Reads the tide gauges of the harbour every ten minutes and keeps the levels.
"""
DECISION = """# 2. No lock file

Date: 2025-04-02

## Status

Accepted

## Context

The job wrote `readings.db.lock` before each write. When the machine lost power in March the file stayed behind, and
nothing was recorded for two days because every run believed that another one was writing.

## Decision

We drop the lock file. SQLite locks the database itself, so a second lock can only disagree with it. Writers wait up to
twenty seconds for each other instead of giving up.

## Consequences

A run that really hangs blocks the others for twenty seconds, which the schedule of ten minutes can bear.
"""
CHANGELOG = """# Changes

- 1.1: waits for the pier gauge while it reboots
- 1.2: no lock file
"""


def make_repository(root: Path) -> Made:
    """The repository with its history, as it stands after the last commit."""
    made = Made(root, root.parent / "claude")
    git = _Git(root)
    git.run("init", "--quiet", "--initial-branch=main")
    git.write("README.md", README)
    git.write("tidewatch/fetch.py", FETCH_FIRST)
    git.write("tidewatch/store.py", STORE_LOCKED)
    made.commits["first"] = git.commit(
        MAINTAINER, datetime(2025, 2, 3, 10, 12, tzinfo=ZONE), "Read the gauges and keep the levels"
    )
    git.write("tidewatch/fetch.py", FETCH_RETRIES)
    made.commits["retry"] = git.commit(
        MAINTAINER,
        datetime(2025, 3, 11, 10, 30, tzinfo=ZONE),
        "Wait for the pier gauge while it reboots\n\n"
        "It answers 503 for about 40 seconds every night at four. Exponential backoff was refused: the harbour\n"
        "office bans clients that come back too early, so we wait 45 seconds each time, three times at most.",
    )
    git.write("CHANGES.md", CHANGELOG.replace("- 1.2: no lock file\n", ""))
    made.commits["changes"] = git.commit(
        CONTRIBUTOR, datetime(2025, 3, 12, 9, 0, tzinfo=ZONE), "Start a list of changes"
    )
    git.write("docs/adr/0002-no-lock-file.md", DECISION)
    git.write("tidewatch/store.py", STORE_OPEN)
    made.commits["lock"] = git.commit(
        CONTRIBUTOR,
        datetime(2025, 4, 2, 16, 5, tzinfo=ZONE),
        "Drop the lock file (ADR-2)\n\nA stale lock kept the job down for two days after the power cut in March.",
    )
    git.write("CHANGES.md", CHANGELOG)
    made.commits["release"] = git.commit(CONTRIBUTOR, datetime(2025, 4, 3, 9, 0, tzinfo=ZONE), "Release 1.2")
    git.write("README.md", README + "\nRun it from cron; see `docs/adr` for why things are as they are.\n")
    made.commits["readme"] = git.commit(MAINTAINER, datetime(2025, 5, 6, 9, 0, tzinfo=ZONE), "Say how to run it")
    return made


class _Git:
    def __init__(self, root: Path) -> None:
        root.mkdir(parents=True, exist_ok=True)
        self._root = root
        self._git = find_git().path
        self._environment = {
            "PATH": os.environ.get("PATH", ""),
            "HOME": str(root),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "LC_ALL": "C",
        }

    def run(self, *arguments: str, **environment: str) -> str:
        done = subprocess.run(
            [str(self._git), *arguments], cwd=self._root, env={**self._environment, **environment},
            check=True, capture_output=True, text=True, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        return done.stdout.strip()

    def write(self, path: str, text: str) -> None:
        target = self._root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8", newline="\n")

    def commit(self, who: tuple[str, str], when: datetime, message: str) -> str:
        self.run("add", "--all")
        name, email = who
        self.run(
            "commit", "--quiet", "-m", message,
            GIT_AUTHOR_NAME=name, GIT_AUTHOR_EMAIL=email, GIT_AUTHOR_DATE=when.isoformat(),
            GIT_COMMITTER_NAME=name, GIT_COMMITTER_EMAIL=email, GIT_COMMITTER_DATE=when.isoformat(),
        )  # fmt: skip
        return self.run("rev-parse", "HEAD")
