"""What the checks in real editors share: the example, where the editors are, and verdicts that a driver wrote."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.editors import example

ROOT = Path(__file__).parents[2]
CACHE = Path(os.environ.get("ANAMNESIS_CI_CACHE", ROOT / ".ci/cache"))


def wanted(editor: str) -> bool:
    """Whether ``.ci/editors`` asked for this editor."""
    return editor in os.environ.get("ANAMNESIS_EDITORS", "").split()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A check in an editor that was not asked for is skipped; one that was asked for and is not there fails."""
    for item in items:
        editor = item.get_closest_marker("editor")
        if editor is not None and not wanted(editor.args[0] if editor.args else ""):
            item.add_marker(pytest.mark.skip(reason="ANAMNESIS_EDITORS does not name this editor"))


@dataclass(frozen=True)
class Verdict:
    ok: bool
    detail: str


class Verdicts:
    """What a driver said of each check by name; one that it never reached failed."""

    def __init__(self, file: Path, log: str) -> None:
        lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
        self.by_name = {said["name"]: Verdict(said["ok"], said["detail"]) for said in map(json.loads, lines)}
        self.log = log

    def check(self, name: str) -> str:
        """The detail of a check that held."""
        verdict = self.by_name.get(name)
        if verdict is None:
            raise AssertionError(f"'{name}' was never reached; the driver said:\n{self.log[-4000:]}")
        assert verdict.ok, verdict.detail
        return verdict.detail


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> example.Example:
    """The repository with its conversations that the editor is shown."""
    return example.shown(tmp_path_factory.mktemp("home"))


def environment(made: example.Example, results: Path) -> dict[str, str]:
    """The environment of an editor that runs a driver."""
    return made.environment() | {
        "ANAMNESIS_ROOT": str(ROOT),
        "ANAMNESIS_PYTHON": sys.executable,
        "ANAMNESIS_RESULTS": str(results),
        "PYTHONPATH": str(ROOT),
        "SHELL": "/bin/bash",
    }


class Tmux:
    """One terminal that is typed into and read."""

    def __init__(self, command: str, env: dict[str, str], cwd: Path, columns: int = 100, lines: int = 30) -> None:
        self._name = f"anamnesis-{uuid.uuid4().hex[:8]}"
        self._env = env
        size = ["-x", str(columns), "-y", str(lines)]
        self._run("-f", "/dev/null", "new-session", "-d", *size, "-c", str(cwd), command)

    def _run(self, *arguments: str) -> str:
        done = subprocess.run(
            ["tmux", "-u", "-L", self._name, *arguments], env=self._env, capture_output=True, text=True, check=False
        )
        return done.stdout

    def type(self, *keys: str) -> None:
        """Type: names of keys, or text as it is."""
        self._run("send-keys", *keys)

    def screen(self) -> str:
        """What is on the screen now."""
        return self._run("capture-pane", "-p")

    def wait_until_gone(self, text: str, seconds: float = 60) -> None:
        """Wait until the screen does not show ``text``."""
        deadline = time.monotonic() + seconds
        while text in (screen := self.screen()):
            assert time.monotonic() < deadline, f"'{text}' stayed:\n{screen}"
            time.sleep(0.1)

    def wait_for(self, text: str, seconds: float = 60) -> str:
        """The screen once it shows ``text``."""
        deadline = time.monotonic() + seconds
        while text not in (screen := self.screen()):
            assert time.monotonic() < deadline, f"'{text}' never appeared:\n{screen}"
            time.sleep(0.1)
        return screen

    def type_until(self, text: str, *keys: str, times: int = 8) -> str:
        """Type again until ``text`` is shown: a hover that is not ready yet is left out, never late."""
        for _ in range(times - 1):
            self.type(*keys)
            try:
                return self.wait_for(text, 3)
            except AssertionError:
                continue
        self.type(*keys)
        return self.wait_for(text)

    def close(self) -> None:
        """End the terminal and what runs in it."""
        self._run("kill-server")


@pytest.fixture
def terminal(request: pytest.FixtureRequest) -> Iterator[type[Tmux]]:
    """Terminals that are closed after the test."""
    assert shutil.which("tmux"), "tmux is not installed"
    opened: list[Tmux] = []

    class Opened(Tmux):
        def __init__(self, *args: object, **kwargs: object) -> None:
            super().__init__(*args, **kwargs)  # type: ignore[arg-type]
            opened.append(self)

    yield Opened
    for tmux in opened:
        tmux.close()
