"""The dialogue over stdio with the real brain: say, identify, end, several recalls, restarts, and a killed server."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from anamnesis_lsp.recall.state import FILE_NAME, SCHEMA_VERSION, State
from tests.builders.scenes import PastScene, past_scene
from tests.server.rpc import Rpc
from tests.server.servers import Start, servers


@pytest.fixture
def scene(tmp_path: Path) -> PastScene:
    return past_scene(tmp_path)


@pytest.fixture
def start(scene: PastScene, tmp_path: Path) -> Iterator[Start]:
    home = tmp_path / "home"
    home.mkdir()
    with servers(scene.repo.path, {"HOME": str(home), "CLAUDE_CONFIG_DIR": str(scene.config)}, {}) as start:
        yield start


def ask(client: Rpc, method: str, **params: Any) -> Any:
    answer = client.request(f"anamnesis/{method}", {"show": False, **params}, 60)
    return answer.get("result", answer.get("error"))


def recollect(client: Rpc, scene: PastScene, name: str, first: int, last: int) -> Any:
    span = {"start": {"line": first - 1, "character": 0}, "end": {"line": last, "character": 0}}
    return ask(client, "recollect", uri=(scene.repo.path / name).as_uri(), range=span)


def listed(client: Rpc) -> dict[str, str]:
    return {one["recall"]: one["state"] for one in ask(client, "recalls")}


def state_file() -> Path:
    return Path(os.environ["ANAMNESIS_STATE_DIR"]) / FILE_NAME


def test_a_dialogue_is_corrected_identified_and_copied(scene: PastScene, start: Start) -> None:
    client = start()
    first = recollect(client, scene, "src/fetch.py", 5, 6)
    second = ask(client, "say", text="not that one")
    assert second["recall"] == first["recall"] and second["reading"]["kind"] == "correction"
    assert any(one["rejected"] for one in second["adjacent"])
    third = ask(client, "say", text="no, the one where the gateway drops the first request")
    assert third["story"] == first["story"]
    closed = ask(client, "identify")
    assert closed["outcome"] == "identified" and len(closed["trace"]) == 4
    for form, mark in (("markdown", "**Recalled context**"), ("commit", "Recalled:"), ("comment", "# Recalled:")):
        assert ask(client, "copyContext", **{"as": form})["text"].startswith(mark)
    assert "Identified by" in ask(client, "copyContext", recall=first["recall"])["text"]


def test_commands_and_requests_take_the_same_object_and_answer_the_same(scene: PastScene, start: Start) -> None:
    client = start()
    recollect(client, scene, "src/fetch.py", 5, 6)
    said = {"text": "shorter please", "show": False}
    command = client.result("workspace/executeCommand", {"command": "anamnesis.say", "arguments": [said]})
    request = ask(client, "say", **said)
    assert {**command, "markdown": ""} == {**request, "markdown": ""}


def test_a_turn_that_reaches_another_recall_tells_the_client_of_both(scene: PastScene, start: Start) -> None:
    client = start()
    first = recollect(client, scene, "src/fetch.py", 5, 6)
    second = recollect(client, scene, "src/store.py", 4, 6)
    held = ask(client, "say", text="back to the retry with the gateway")
    assert held["outcome"] == "holding" and held["recall"] == second["recall"]
    assert held["reached"]["recall"] == first["recall"] and held["reached"]["round"]["story"] == first["story"]
    rounds: list[str] = []
    while len(rounds) < 4:
        rounds.append(client.notification("anamnesis/roundPresented")["params"]["recall"])
    assert rounds[-2:] == [second["recall"], first["recall"]]
    assert listed(client) == {first["recall"]: "open", second["recall"]: "held"}


def test_a_hold_reply_shows_the_recall_that_was_taken_up(scene: PastScene, start: Start) -> None:
    client = start()
    client.answers["window/showDocument"] = {"success": True}
    first = recollect(client, scene, "src/fetch.py", 5, 6)
    recollect(client, scene, "src/store.py", 4, 6)
    client.request("anamnesis/say", {"text": "back to the retry with the gateway"}, 60)
    deadline = time.monotonic() + 10
    while not client.asked and time.monotonic() < deadline:
        time.sleep(0.05)
    shown = [message["params"]["uri"] for message in client.asked if message["method"] == "window/showDocument"]
    assert shown and shown[-1] == f"anamnesis:///recall/{first['recall']}.md"


@pytest.mark.parametrize("contract", ["anamnesis", "recollect"])
def test_a_recall_held_before_the_server_ended_is_taken_up_again(scene: PastScene, start: Start, contract: str) -> None:
    client = start(options={"contract": contract})
    first = recollect(client, scene, "src/fetch.py", 5, 6)
    recollect(client, scene, "src/store.py", 4, 6)
    assert client.end() == 0
    again = start(options={"contract": contract})
    assert set(listed(again).values()) == {"held"}
    text = again.result("anamnesis/content", {"uri": f"anamnesis:///recall/{first['recall']}.md"})["text"]
    assert text == first["markdown"]
    closed = ask(again, "say", text="that's it", recall=first["recall"])
    assert closed["outcome"] == "identified" and closed["story"] == first["story"]


def test_the_end_of_a_recall_under_each_contract(scene: PastScene, start: Start) -> None:
    for contract, outcome, state in (("anamnesis", "answered", "held"), ("recollect", "stopped", "stopped")):
        client = start(options={"contract": contract})
        shown = recollect(client, scene, "src/fetch.py", 5, 6)
        ended = ask(client, "end")
        assert (ended["outcome"], listed(client)[shown["recall"]]) == (outcome, state)
        assert ended["searched"] and "Scope" in ended["markdown"]
        client.end()


def test_a_hover_leaves_no_trace(scene: PastScene, start: Start) -> None:
    client = start()
    uri = client.open(scene.repo.path / "src/fetch.py")
    place = {"textDocument": {"uri": uri}, "position": {"line": 4, "character": 3}}
    deadline = time.monotonic() + 15
    while client.result("textDocument/hover", place) is None and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not state_file().exists()
    assert ask(client, "recalls") == []


def test_state_of_a_later_version_is_refused_clearly_and_left_untouched(scene: PastScene, start: Start) -> None:
    client = start()
    recollect(client, scene, "src/fetch.py", 5, 6)
    client.end()
    import sqlite3

    with sqlite3.connect(state_file()) as later:
        later.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    later.close()
    before = state_file().read_bytes()
    again = start()
    for method, params in (("recalls", {}), ("say", {"text": "what was that thing where we retried?"})):
        refused = ask(again, method, **params)
        assert refused["data"]["code"] == "stateTooNew" and "ANAMNESIS_STATE_DIR" in refused["data"]["remedy"]
    assert recollect(again, scene, "src/fetch.py", 5, 6)["data"]["code"] == "stateTooNew"
    assert again.result("anamnesis/stores"), "what needs no recall still works"
    assert state_file().read_bytes() == before


def test_a_damaged_file_of_recalls_is_moved_aside_and_the_client_told(scene: PastScene, start: Start) -> None:
    state_file().parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    state_file().write_bytes(b"this was a database once")
    client = start()
    assert recollect(client, scene, "src/fetch.py", 5, 6)["outcome"] == "presented"
    ask(client, "recalls")
    told = client.wait(lambda message: message.get("method") == "window/logMessage" and "damaged" in str(message))
    assert "a new one was begun" in told["params"]["message"]


def test_a_server_killed_in_a_round_loses_at_most_that_round(scene: PastScene, start: Start) -> None:
    chance = random.Random(5)
    kept = 0
    recall = ""
    for attempt in range(5):
        client = start()
        if not recall:
            recall = recollect(client, scene, "src/fetch.py", 5, 6)["recall"]
            kept = 1
        told = ask(client, "say", text="no, it was about the disk", recall=recall)
        assert told["outcome"] == "presented"
        kept += 1
        client.start("anamnesis/say", {"text": f"it was the disk in week {attempt}", "recall": recall, "show": False})
        time.sleep(chance.random() * 0.25)
        client.process.send_signal(signal.SIGKILL)
        client.process.wait()
        state = State.open(state_file())
        origins = [turn.origin.value for turn in state.context(recall)]
        rounds = origins.count("person")
        assert kept <= rounds <= kept + 1
        assert origins[-1] == "assistant", "no round is kept in part"
        assert state.notes == ()
        state.close()
        kept = rounds
    again = start()
    assert ask(again, "identify", recall=recall)["outcome"] == "identified"
