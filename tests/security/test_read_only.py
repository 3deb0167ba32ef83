"""Repository and stores are only read: no file is made, changed, locked or touched, for however short a time."""

from __future__ import annotations

import json
import os
import sqlite3
from pathlib import Path

import pytest

from tests.builders.repos import unchanged
from tests.builders.watching import available, watching
from tests.security.session import Session, inside, terminal_operations
from tests.server.scene import Scene, a_scene

pytestmark = pytest.mark.skipif(not available, reason="inotify is Linux's")


@pytest.fixture
def scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Scene:
    """The scene, with a database in use beside it and everything that a careless git would write anew."""
    made = a_scene(tmp_path)
    for name, value in made.env.items():
        monkeypatch.setenv(name, value)
    os.utime(made.file, (1, 1))  # its entry in the index is stale: `git status` would refresh and lock it
    made.repo.git("config", "gc.auto", "1")
    made.repo.git("config", "core.untrackedCache", "true")
    made.repo.write(".specstory/history/2026-03-01_09-00Z-retry.md", "# retry\n\n_**User**_\n\nretry with a backoff\n")
    made.repo.write(".aider.chat.history.md", "# aider chat started at 2026-03-01 09:00:00\n\n#### retry\n\nok\n")
    made.repo.write("docs/adr/0001-retry.md", "# 1. Retry\n\n## Decision\n\nRetry with BACKOFF_SECONDS.\n")
    made.repo.write(".beads/issues.jsonl", json.dumps({"id": "bd-1", "title": "Retry", "status": "open"}) + "\n")
    return made


def goose(home: Path) -> sqlite3.Connection:
    """A database of another program with its log filled, still held open by that program."""
    folder = home / ".local" / "share" / "goose" / "sessions"
    folder.mkdir(parents=True)
    held = sqlite3.connect(folder / "sessions.db")
    held.execute("PRAGMA journal_mode = WAL")
    held.execute("CREATE TABLE sessions (id TEXT, description TEXT)")
    held.execute("INSERT INTO sessions VALUES ('1', 'retry')")
    held.commit()
    return held


def test_nothing_under_repository_and_stores_is_written_not_even_for_a_moment(
    scene: Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = Path(scene.env["HOME"])
    held = goose(home)
    requests = tmp_path / "requests"
    requests.mkdir()
    roots = (scene.repo.path, scene.config, home)
    with unchanged(*roots), watching(*roots) as changes:
        client = inside(scene.repo.path)
        for operation in Session(client, scene.file, 4, 7).operations().values():
            operation()
        client.kill()
        for operation in terminal_operations(scene.repo.path, "src/fetch.py", "4-7", requests).values():
            operation()
    held.close()
    assert not changes


def test_the_watch_sees_a_lock_that_lives_for_a_moment(scene: Scene) -> None:
    with watching(scene.repo.path) as changes:
        scene.repo.git("status")
    assert any("index.lock" in change for change in changes)


def test_a_program_that_reads_a_database_in_the_usual_way_is_seen(tmp_path: Path) -> None:
    held = goose(tmp_path)
    held.close()
    [database] = tmp_path.rglob("sessions.db")
    with watching(tmp_path) as changes:
        sqlite3.connect(f"file:{database}?mode=ro", uri=True).execute("SELECT * FROM sessions").fetchall()
    assert any("-shm" in change for change in changes)
