"""Reading in the background, as a client sees it: progress, cancelling, the conversation of a moment ago."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.builders.claude import Transcript, session
from tests.server.rpc import Rpc
from tests.server.scene import Scene, a_scene
from tests.server.servers import Start, servers

CLIENT = {"window": {"workDoneProgress": True}, "textDocument": {"hover": {"contentFormat": ["markdown"]}}}


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return a_scene(tmp_path)


@pytest.fixture
def start(scene: Scene) -> Iterator[Start]:
    with servers(scene.repo.path, scene.env, CLIENT, {}) as start:
        yield start


def claude(client: Rpc) -> dict[str, Any]:
    (store,) = [one for one in client.request("anamnesis/stores", {})["result"] if one["kind"] == "claude-code"]
    return store


def until(client: Rpc, true: Callable[[dict[str, Any]], bool], seconds: float = 15.0) -> float:
    begun = time.monotonic()
    while not true(claude(client)):
        assert time.monotonic() - begun < seconds, claude(client)
        time.sleep(0.05)
    return time.monotonic() - begun


def test_the_stores_are_read_without_being_asked_and_kept_up_to_date(scene: Scene, start: Start) -> None:
    client = start()
    until(client, lambda store: store["state"] == "read" and store["records"] == 1)
    Transcript(session(7), cwd=str(scene.repo.path)).person("the walrus").write_to(scene.config, "-app")
    assert until(client, lambda store: store["records"] == 2) < 4.0


def test_every_kind_of_store_is_listed_with_exactly_the_fields_of_the_wire(scene: Scene, start: Start) -> None:
    from anamnesis_lsp.records.conversations.registry import RUNTIMES

    client = start(options={"stores": {"codex": False}})
    until(client, lambda store: store["state"] == "read")
    listed = client.request("anamnesis/stores", {})["result"]
    assert {one["kind"] for one in listed} == {*RUNTIMES, "decisions", "beads"}
    for one in listed:
        assert set(one) == {"kind", "root", "state", "records", "bytes", "from", "to", "note"}
        assert one["state"] in ("read", "indexing", "absent", "off", "unreadable")
    states = {one["kind"]: one for one in listed}
    assert states["codex"]["state"] == "off" and "settings" in states["codex"]["note"]
    assert states["gemini"]["state"] == "absent" and states["gemini"]["records"] is None
    assert states["claude-code"]["records"] == 1 and states["claude-code"]["bytes"] > 0
    assert "versions known: 1.0 to" in states["claude-code"]["note"]
    assert states["claude-code"]["from"].startswith("2026-03-01T")


def test_excluded_conversations_leave_the_index(scene: Scene, start: Start) -> None:
    until(start(), lambda store: store["records"] == 1)
    client = start(options={"excludeSessions": [scene.session]})
    until(client, lambda store: store["records"] == 0)


def test_long_reading_is_shown_and_cancelled_and_taken_up_again(scene: Scene, start: Start) -> None:
    text = "the walrus speaks of the heron and the otter\n" * 2000
    for number in range(10, 160):
        Transcript(session(number), cwd=str(scene.repo.path)).person(text).write_to(scene.config, "-app")
    client = start()
    client.answers["window/workDoneProgress/create"] = None
    begun = client.wait(_begins, 20)
    assert begun["params"]["value"]["cancellable"]
    token = begun["params"]["token"]
    client.notify("window/workDoneProgress/cancel", {"token": token})

    def ends(message: dict[str, Any]) -> bool:
        return message.get("method") == "$/progress" and _ends(message, token)

    client.wait(ends, 20)
    read = claude(client)["records"] or 0
    time.sleep(1.5)
    assert (claude(client)["records"] or 0) == read < 151, "nothing is read until it is asked for"
    client.request("anamnesis/reindex", {"kind": "claude-code"}, 120)
    assert claude(client)["records"] == 151


def _begins(message: dict[str, Any]) -> bool:
    value: dict[str, Any] = message["params"]["value"] if message.get("method") == "$/progress" else {}
    return value.get("kind") == "begin" and "Reading" in value.get("title", "")


def _ends(message: dict[str, Any], token: object) -> bool:
    return message["params"]["token"] == token and message["params"]["value"]["kind"] == "end"
