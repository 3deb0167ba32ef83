"""The smallest scene with everything in it: a repository, and the transcript of the conversation that made its last
commit.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tests.builders.claude import Transcript
from tests.builders.repos import GRACE, Repo, new_repo

BEFORE = "def fetch(url):\n    return get(url)"
AFTER = """\
def fetch(url):
    for attempt in range(RETRY_LIMIT):
        time.sleep(BACKOFF_SECONDS)
        return get(url)"""
ASKED = "The gateway drops the first request after a restart, can we retry with a backoff?"


@dataclass(frozen=True)
class Scene:
    repo: Repo
    config: Path
    """Claude Code's configuration folder."""
    file: Path
    commit: str
    session: str
    env: dict[str, str]


def a_scene(tmp: Path, name: str = "app") -> Scene:
    """``fetch`` begins at line 4 of ``src/fetch.py``; Grace's commit and the conversation wrote its lines 5 and 6."""
    repo = new_repo(tmp / name)
    repo.commit("Add fetch", {"src/fetch.py": f"import time\n\n\n{BEFORE}\n"})
    message = "Retry with a backoff\n\nThe gateway drops the first request after a restart."
    commit = repo.commit(message, {"src/fetch.py": f"import time\n\n\n{AFTER}\n"}, author=GRACE)
    file = repo.path / "src/fetch.py"
    transcript = Transcript(cwd=str(repo.path)).person(ASKED)
    transcript.edit(str(file), BEFORE, AFTER, say="I will retry with BACKOFF_SECONDS between the attempts.")
    transcript.commit("Retry with a backoff", commit[:7])
    config = tmp / "claude"
    transcript.write_to(config, str(repo.path).replace("/", "-"))
    home = tmp / "home"
    home.mkdir(exist_ok=True)
    return Scene(repo, config, file, commit, transcript.id, {"HOME": str(home), "CLAUDE_CONFIG_DIR": str(config)})
