"""Edits as a client sends them carry the line maps: a hover after an edit is right, with no process and no diff."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from anamnesis_lsp.records.git import children, process, warming
from anamnesis_lsp.records.git.buffers import open_buffers
from anamnesis_lsp.records.git.linemap import LineMap
from anamnesis_lsp.server import sync
from anamnesis_lsp.server.app import AnamnesisServer, build
from tests.server.rpc import Inside, Rpc
from tests.server.scene import Scene, a_scene


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return a_scene(tmp_path)


@pytest.fixture
def server(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> AnamnesisServer:
    for name, value in scene.env.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sync, "DELAY_SECONDS", 0.0)
    open_buffers.clear()
    return build()


@pytest.fixture
def client(scene: Scene, server: AnamnesisServer) -> Iterator[Rpc]:
    """The real server, in this process."""
    client = Rpc(Inside(server))
    client.initialize(scene.repo.path, {"textDocument": {"hover": {"contentFormat": ["markdown"]}}})
    yield client
    client.kill()
    server.close(5.0)
    assert b"Traceback" not in client.errors and b"failed:" not in client.errors


def hovered(client: Rpc, uri: str, line: int, seconds: float = 15.0) -> Any:
    """The hover of a line (from 1), as soon as there is one."""
    position = {"textDocument": {"uri": uri}, "position": {"line": line - 1, "character": 0}}
    deadline = time.monotonic() + seconds
    while (found := client.result("textDocument/hover", position)) is None and time.monotonic() < deadline:
        time.sleep(0.05)
    return found


def edit(client: Rpc, uri: str, version: int, line: int, text: str) -> None:
    place = {"line": line, "character": 0}
    change = {"range": {"start": place, "end": place}, "text": text}
    client.notify(
        "textDocument/didChange", {"textDocument": {"uri": uri, "version": version}, "contentChanges": [change]}
    )


def test_a_hover_after_edits_starts_no_process_and_makes_no_diff(
    scene: Scene, server: AnamnesisServer, client: Rpc, monkeypatch: pytest.MonkeyPatch
) -> None:
    uri = client.open(scene.file)
    assert scene.commit[:9] in hovered(client, uri, 5)["contents"]["value"]
    edit(client, uri, 2, 0, "# 😋 one\n")
    assert scene.commit[:9] in hovered(client, uri, 6)["contents"]["value"]
    assert server.work.drained(20) and warming.idle(20)

    started: list[Any] = []
    for module in (children, process):
        monkeypatch.setattr(module, "start", lambda *given: started.append(given))
    monkeypatch.setattr(LineMap, "between", lambda *given: pytest.fail("a full diff was made"))
    for version in range(3, 23):
        edit(client, uri, version, 0, f"# line {version}\n")
        found = hovered(client, uri, version + 4)
        assert scene.commit[:9] in found["contents"]["value"], version
        assert found["range"]["start"]["line"] == version + 3
    assert not started


def test_a_line_that_was_typed_is_no_commits(scene: Scene, client: Rpc) -> None:
    uri = client.open(scene.file)
    assert hovered(client, uri, 5)
    edit(client, uri, 2, 4, "    typed = just_now()\n")
    shown = client.request(
        "anamnesis/recollect",
        {
            "uri": uri,
            "range": {"start": {"line": 4, "character": 0}, "end": {"line": 5, "character": 0}},
            "show": False,
        },
        60,
    )["result"]
    assert scene.commit[:9] not in " ".join(sentence["text"] for sentence in shown["story"])
    assert scene.commit[:9] in hovered(client, uri, 6)["contents"]["value"]
