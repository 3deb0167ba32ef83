"""The example every editor is shown: a small repository, a decision record, and the conversations it came from.

``build(home)`` makes ``home/harbour`` and Claude Code transcripts under ``home/.claude``. An editor started with
``environment(home)`` finds them as it would find a person's.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

from tests.builders.claude import Transcript, session
from tests.builders.repos import ADA, GRACE, new_repo

CLIENT = '''"""The client of the berth gateway."""

import time

from harbour.errors import GatewayError


def send(gateway, message):
    return gateway.post("/berths", message)
'''
RETRY_OLD = """def send(gateway, message):
    return gateway.post("/berths", message)
"""
RETRY_NEW = """ATTEMPTS = 3


def send(gateway, message):
    # the gateway drops the first request after it restarts
    for attempt in range(ATTEMPTS):
        try:
            return gateway.post("/berths", message)
        except GatewayError:
            time.sleep(0.2 * 2**attempt)
    raise GatewayError("the gateway did not answer")
"""
LOCK_OLD = """def reserve(store, berth, ship):
    with store.lock_file(berth):
        store.put(berth, ship)
"""
LOCK_NEW = '''def reserve(store, berth, ship):
    """Reserve a berth: the store compares and swaps, no lock file."""
    return store.swap(berth, expected=None, ship=ship)
'''
ADR = """# 3. Compare and swap instead of lock files

Date: 2026-03-04

## Status

Accepted

## Context

Lock files were left behind when a worker was killed, and a berth stayed blocked until somebody removed the file.

## Decision

Reservations use the store's compare-and-swap. No lock file is written.

## Consequences

A reservation that lost the race is answered at once; the caller decides whether to try another berth.
"""
RETRY_LINES = (8, 18)
"""The lines of ``harbour/client.py`` that the story is about: 1-based, inclusive."""
RETRY_SESSION, LOCK_SESSION = session(11), session(12)


@dataclass(frozen=True)
class Example:
    home: Path
    repo: Path
    client: Path
    retry: str
    """The commit that brought the retry."""
    swap: str
    store: Path

    def environment(self) -> dict[str, str]:
        """What an editor is started with: a home of its own, its server, and nothing of this machine's settings."""
        env = {
            k: v
            for k, v in os.environ.items()
            if not k.startswith(("XDG_", "GIT_", "CLAUDE", "ANAMNESIS_", "NVIM", "TMUX"))
        }
        env |= {
            "HOME": str(self.home),
            "XDG_CONFIG_HOME": str(self.home / ".config"),
            "XDG_DATA_HOME": str(self.home / ".local/share"),
            "XDG_STATE_HOME": str(self.home / ".local/state"),
            "XDG_CACHE_HOME": str(self.home / ".cache"),
            "ANAMNESIS_CACHE_DIR": str(self.home / ".cache/anamnesis-lsp"),
            "ANAMNESIS_STATE_DIR": str(self.home / ".local/state/anamnesis-lsp"),
            "GIT_CONFIG_NOSYSTEM": "1",
            "LC_ALL": "C.UTF-8",
            "ANAMNESIS_EXAMPLE": str(self.repo),
            "ANAMNESIS_EXAMPLE_RETRY": self.retry,
            "ANAMNESIS_EXAMPLE_SESSION": RETRY_SESSION,
        }
        return env


def build(home: Path) -> Example:
    """Build everything under ``home``, which is made."""
    repo = new_repo(home / "harbour")
    root = repo.path
    client, berths = "harbour/client.py", "harbour/berths.py"
    repo.commit(
        "Start the berth service",
        {
            client: CLIENT,
            berths: f'"""Reservations."""\n\n\n{LOCK_OLD}',
            "harbour/errors.py": "class GatewayError(Exception):\n    pass\n",
            "README.md": "# Harbour\n\nReserves berths.\n",
        },
        author=ADA,
        date="2026-03-01T09:00:00+00:00",
    )
    after = CLIENT.replace(RETRY_OLD, RETRY_NEW)
    retry = repo.commit(
        "Retry requests that the gateway drops\n\n"
        "The gateway drops the first request after a restart, and the operators\n"
        "restart it every night. Three attempts were enough in a week of logs.",
        {client: after},
        author=GRACE,
        date="2026-03-02T15:40:00+00:00",
    )
    swap = repo.commit(
        "Reserve by compare and swap\n\nLock files stayed behind when a worker was killed.",
        {berths: f'"""Reservations."""\n\n\n{LOCK_NEW}', "docs/adr/0003-compare-and-swap.md": ADR},
        author=ADA,
        date="2026-03-04T11:20:00+00:00",
    )
    store = home / ".claude"
    slug = str(root).replace("/", "-").replace(".", "-")
    talk = Transcript(RETRY_SESSION, cwd=str(root), start=datetime(2026, 3, 2, 15, 10, tzinfo=timezone.utc))
    talk.person(
        "Every night at three the berth service logs a GatewayError and the reservation is lost. The gateway drops the "
        "first request after a restart. Please make send() try again."
    )
    talk.assistant(
        "The gateway closes its old connections when it restarts, so the first request after a restart always fails "
        "and the second one succeeds. I suggest three attempts with a growing pause rather than an endless loop: "
        "a gateway that is really down should still be reported."
    )
    talk.person("Three attempts, yes. Do not retry anything but GatewayError, a wrong message must fail at once.")
    talk.edit(
        str(root / client), RETRY_OLD.rstrip("\n"), RETRY_NEW.rstrip("\n"), say="I add the retry around the post only."
    )
    talk.bash("python -m pytest -q", "12 passed in 0.41s")
    talk.commit("Retry requests that the gateway drops", sha=retry[:7])
    talk.write_to(store, slug)
    other = Transcript(LOCK_SESSION, cwd=str(root), start=datetime(2026, 3, 4, 10, 50, tzinfo=timezone.utc))
    other.person(
        "A killed worker left its lock file behind again and berth 7 is blocked. We need another way to reserve."
    )
    other.assistant("The store can compare and swap. Then there is nothing to leave behind when a worker dies.")
    other.person("Good, give up on the lock file then, and write it down as a decision record.")
    other.edit(str(root / berths), LOCK_OLD.rstrip("\n"), LOCK_NEW.rstrip("\n"))
    other.write(str(root / "docs/adr/0003-compare-and-swap.md"), ADR)
    other.commit("Reserve by compare and swap", sha=swap[:7])
    other.write_to(store, slug)
    return Example(home, root, root / client, retry, swap, store)


if __name__ == "__main__":  # python -m tests.editors.example FOLDER
    made = build(Path(sys.argv[1]))
    print(made.repo)
