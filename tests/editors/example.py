"""What every editor is shown: a repository and the conversations it came from, with what the checks look for in them.

``build(home)`` makes the shipped example: a small repository ``home/harbour`` with a decision record, and Claude Code
transcripts under ``home/.claude``. ``given(home)`` takes a real repository instead, named by environment variables:

    ANAMNESIS_EDITORS_REPO    a git repository; it is copied, the copy is shown
    ANAMNESIS_EDITORS_CLAUDE  the folder that is Claude Code's configuration, with its transcripts
    ANAMNESIS_EDITORS_LINES   lines of it that a conversation and a commit wrote, as PATH:FIRST-LAST
    ANAMNESIS_EDITORS_CUE     words that lead to a past of it without lines

An editor started with :meth:`Example.environment` finds both as it would find a person's.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

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
RETRY_SESSION, LOCK_SESSION = session(11), session(12)
GIVEN = "ANAMNESIS_EDITORS_"


@dataclass(frozen=True)
class Told:
    """Where the checks ask, what they say, and what they then look for. Lines are 1-based, inclusive."""

    file: str
    """In the repository, with ``/``."""
    first: int
    last: int
    code: str
    """A text of these lines that a screen shows."""
    line: int
    """A line of them to hover over."""
    line_code: str
    hover: str
    """In the hover of that line."""
    story: list[str]
    """In the story of the lines."""
    commit: str
    """The hash of the commit that the story cites."""
    commit_says: str
    """In its message."""
    added: str
    """In the file at the commit, and not before it."""
    commit_number: int
    """The number of its citation."""
    session: str
    """The id of the conversation that the story cites."""
    session_number: int
    correction: str
    corrected: list[str]
    """In the story after the correction."""
    more: str
    """What is remembered besides."""
    more_told: str
    cue: str
    cue_told: str
    """In the story of the cue alone."""
    other: str
    """Another file that git tracks."""


@dataclass(frozen=True)
class Example:
    home: Path
    repo: Path
    store: Path
    """Claude Code's configuration."""
    told: Told

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
            "ANAMNESIS_EXAMPLE_TOLD": json.dumps(asdict(self.told)),
        }
        if self.store != self.home / ".claude":
            env["CLAUDE_CONFIG_DIR"] = str(self.store)
        return env


def shown(home: Path) -> Example:
    """What the editors are shown: the repository that the environment names, else the shipped example."""
    return given(home) if os.environ.get(f"{GIVEN}REPO") else build(home)


def build(home: Path) -> Example:
    """Build the shipped example under ``home``, which is made."""
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
    told = Told(
        file=client, first=8, last=18, code="ATTEMPTS = 3",
        line=13, line_code="for attempt in range", hover="gateway drops",
        story=[f"ommit {retry[:9]}", "the person asked"],
        commit=retry, commit_says="the operators", added="for attempt in range(ATTEMPTS)", commit_number=3,
        session=RETRY_SESSION, session_number=2,
        correction="No, the other one: the lock file that was left behind",
        corrected=["Read as a correction", "lock file"],
        more="It was about the gateway and its nightly restart", more_told="nightly restart",
        cue="that time we gave up on the lock file", cue_told="ompare and swap",
        other=berths,
    )  # fmt: skip
    return Example(home, root, store, told)


HOVER = """
import sys
from pathlib import Path
from anamnesis_lsp.cancel import never
from anamnesis_lsp.recall.recaller import Recaller
from anamnesis_lsp.server.settings import Settings, for_recall
repo, file, line = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
recaller = Recaller(for_recall(Settings()), [repo])
recaller.refresh(never())
told = recaller.hover(repo / file, line, (repo / file).read_text(), 1, never())
print(told.sentences[0].text.split(":")[0])
recaller.close()
"""
"""What a hover begins with, up to what it quotes."""


ROW = 40
"""Characters of a line that an editor beside another one shows in one row: what is longer may be wrapped."""


def given(home: Path) -> Example:
    """The repository that the environment names, copied under ``home``, with what the command line tells of it: the
    editors must show the same records."""
    where = {name: os.environ[GIVEN + name] for name in ("REPO", "CLAUDE", "LINES", "CUE")}
    repo = home / Path(where["REPO"]).name
    shutil.copytree(where["REPO"], repo, symlinks=True)
    file, _, lines = where["LINES"].rpartition(":")
    first, last = (int(number) for number in lines.split("-"))
    unknown = Told(file, first, last, "", first, "", "", [], "", "", "", 0, "", 0, "", [], "", "", where["CUE"], "", "")
    bare = Example(home, repo, Path(where["CLAUDE"]), unknown)

    def recalled(*arguments: str) -> dict[str, Any]:
        command = [sys.executable, "-m", "anamnesis_lsp", "recollect", "--json", "--no-dialogue", *arguments]
        env = bare.environment() | {"PYTHONPATH": str(Path(__file__).parents[2])}
        done = subprocess.run(command, cwd=repo, env=env, capture_output=True, text=True, check=True)
        told: dict[str, Any] = json.loads(done.stdout)
        return told

    def hovered(line: int) -> str:
        env = bare.environment() | {"PYTHONPATH": str(Path(__file__).parents[2])}
        command = [sys.executable, "-c", HOVER, str(repo), file, str(line)]
        return subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout.strip()

    def git(*arguments: str) -> str:
        return subprocess.run(["git", *arguments], cwd=repo, capture_output=True, text=True, check=True).stdout

    story, by_words = recalled(where["LINES"]), recalled("--cue", where["CUE"])
    cited = {number for sentence in story["story"] for number in sentence["cites"]}
    records = [record for record in story["records"] if record["n"] in cited]
    commit = next(r for r in records if r["kind"] == "commit" and _adds(git, r["id"], file, repo, first, last))
    talk = next(r for r in records if r["kind"] == "conversation")
    added = _adds(git, commit["id"], file, repo, first, last)
    message = git("log", "-1", "--format=%B", commit["id"]).strip().splitlines()
    line = (repo / file).read_text().splitlines().index(added) + 1
    told = Told(
        file=file, first=first, last=last, code=added.strip(),
        line=line, line_code=added.strip(), hover=hovered(line),
        story=[f"ommit {commit['id'][:9]}", "## Records"],
        commit=commit["id"], commit_says=max(message, key=len)[:ROW].strip(), added=added.strip()[:ROW].strip(),
        commit_number=commit["n"], session=talk["id"], session_number=talk["n"],
        correction="No, earlier than that", corrected=["Read as a correction"],
        more=f"It was about {where['CUE']}", more_told=" ".join(where["CUE"].split()[:3]),
        cue=where["CUE"], cue_told=" ".join(by_words["story"][0]["text"].split()[:4]),
        other=next(name for name in git("ls-files", str(Path(file).parent)).split("\n") if name not in ("", file)),
    )  # fmt: skip
    return Example(home, repo, bare.store, told)


def _adds(git: Any, commit: str, file: str, repo: Path, first: int, last: int) -> str:
    """The longest of the lines that the commit added to the file; empty where it added none of them."""
    diff = git("show", "--format=", "--unified=0", commit, "--", file).splitlines()
    new = {line[1:] for line in diff if line.startswith("+") and not line.startswith("+++")}
    gone = {line[1:] for line in diff if line.startswith("-")}
    lines = (repo / file).read_text().splitlines()[first - 1 : last]
    return max((line for line in lines if line in new - gone and lines.count(line) == 1), key=len, default="")


if __name__ == "__main__":  # python -m tests.editors.example FOLDER
    made = build(Path(sys.argv[1]))
    print(made.repo)
