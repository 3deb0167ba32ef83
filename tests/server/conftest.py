"""Servers to talk to."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.server.rpc import Rpc, fake_command


@pytest.fixture
def fake_log(tmp_path: Path) -> Path:
    log = tmp_path / "fake.log"
    log.touch()
    return log


@pytest.fixture
def rpc(fake_log: Path) -> Iterator[Rpc]:
    """A server over the scripted brain, not yet initialized."""
    client = Rpc(fake_command(), {"FAKE_LOG": str(fake_log)})
    yield client
    client.kill()
    assert b"Traceback" not in client.errors
    assert b"private words" not in client.errors


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rpc]:
    """One initialized server for the tests of a module that leave it as it was."""
    places = tmp_path_factory.mktemp("shared")
    env = {"ANAMNESIS_CACHE_DIR": str(places / "cache"), "ANAMNESIS_STATE_DIR": str(places / "state")}
    client = Rpc(fake_command(), {**env, "FAKE_LOG": str(places / "log")})
    client.initialize()
    yield client
    client.kill()
    assert b"Traceback" not in client.errors


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    (root / "a.py").write_text("import os\n\n# why this\nx = 1\n")
    return root
