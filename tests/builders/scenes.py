"""A past with several matters in it, for dialogues: two files, their commits and conversations, and a side branch."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

from anamnesis_lsp.cancel import never
from anamnesis_lsp.present.round import Round
from anamnesis_lsp.recall.recaller import Recaller, RecallSettings, RecollectRequest
from anamnesis_lsp.records.conversations.stores import Store
from tests.builders.claude import Transcript, session
from tests.builders.repos import ADA, GRACE, Repo, new_repo

FETCH = """\
import time


def fetch(url):
    for attempt in range(RETRY_LIMIT):
        time.sleep(BACKOFF_SECONDS)
        return get(url)
"""
STORE = """\
import sqlite3


def save(row):
    with sqlite3.connect(PATH, timeout=LOCK_SECONDS) as db:
        db.execute(INSERT_ROW, row)
"""
RETRY_ASKED = "The gateway drops the first request after a restart, can we retry with a backoff?"
LOCK_ASKED = "The lock file was left behind again and the job was down for two days. Can we drop the lock file?"
CACHE_ASKED = "Should responses be cached on disk? I would rather not, the disk is full every week."


@dataclass(frozen=True)
class PastScene:
    """Where everything lies; commits by what they did."""

    repo: Repo
    config: Path
    retry: str
    lock: str
    queue: str
    """On the branch ``side``, and only there."""
    sessions: tuple[str, str, str]

    @property
    def store(self) -> Store:
        return Store.at("claude-code", self.config)

    def recaller(self, contract: str = "anamnesis", state: Path | None = None, *, keep: bool = True) -> Recaller:
        """A process over this past."""
        settings = RecallSettings(
            contract="recollect" if contract == "recollect" else "anamnesis",
            stores=(self.store,),
            keep=keep,
            state_path=state,
        )
        return Recaller(settings, [self.repo.path])

    def request(self, name: str, first: int, last: int, **more: object) -> RecollectRequest:
        """Recollect on lines of a file."""
        return RecollectRequest(self.repo.path / name, (first, last), **more)  # type: ignore[arg-type]


def past_scene(tmp: Path) -> PastScene:
    """Two matters that were worked out with an assistant (a retry, a lock file), one that was only talked about."""
    repo = new_repo(tmp / "app")
    repo.commit(
        "Begin", {"src/fetch.py": "import time\n\n\ndef fetch(url):\n    return get(url)\n", "README": "An app.\n"}
    )
    repo.commit("Write rows under a lock file", {"src/store.py": "def save(row):\n    lock()\n    write(row)\n"})
    repo.git("checkout", "-q", "-b", "side")
    queue = repo.commit("Try a queue for the rows instead of a lock\n\nGiven up: the broker cannot be run here.",
                        {"src/queue.py": "def push(row):\n    broker.send(row)\n"}, author=GRACE)  # fmt: skip
    repo.git("checkout", "-q", "main")
    retry = repo.commit(
        "Retry with a backoff\n\nThe gateway drops the first request.", {"src/fetch.py": FETCH}, author=GRACE
    )
    lock = repo.commit("Drop the lock file\n\nSQLite already locks.", {"src/store.py": STORE}, author=ADA)
    cwd, config = str(repo.path), tmp / "claude"
    first = Transcript(session(1), cwd=cwd, start=_day(1)).person(RETRY_ASKED)
    first.edit(f"{cwd}/src/fetch.py", "    return get(url)\n", FETCH.split("def fetch(url):\n")[1],
               say="I will retry with BACKOFF_SECONDS between the attempts.")  # fmt: skip
    first.commit("Retry with a backoff", retry[:7])
    second = Transcript(session(2), cwd=cwd, start=_day(2)).person(LOCK_ASKED)
    second.edit(f"{cwd}/src/store.py", "def save(row):\n    lock()\n    write(row)\n", STORE,
                say="SQLite already locks, so the lock file can go because it only repeats that.")  # fmt: skip
    second.commit("Drop the lock file", lock[:7])
    third = (
        Transcript(session(3), cwd=cwd, start=_day(3)).person(CACHE_ASKED).assistant("Then nothing is cached on disk.")
    )
    for transcript in (first, second, third):
        transcript.write_to(config, cwd.replace("/", "-"))
    return PastScene(repo, config, retry, lock, queue, (first.id, second.id, third.id))


def _day(number: int) -> datetime:
    return datetime(2020, 1, 1, number, tzinfo=timezone.utc)


def recollect(recaller: Recaller, request: RecollectRequest) -> Round:
    """One round."""
    return recaller.recollect(request, never())


def say(recaller: Recaller, text: str, recall: str | None = None) -> Round:
    """The person's words."""
    return recaller.say(text, recall, never())


def leading(shown: Round) -> str:
    """What the round leads with, by its ids."""
    return " ".join(member.id for member in shown.recognizables[0].members) if shown.story else ""
