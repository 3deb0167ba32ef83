"""Every request has exactly one answer, whatever was sent, and the server goes on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.server.rpc import Rpc, fake_command


def test_before_initialize_a_request_is_refused_and_a_notification_dropped(rpc: Rpc) -> None:
    assert rpc.error("textDocument/hover", {})["code"] == -32002
    rpc.notify("textDocument/didOpen", {"nonsense": True})
    rpc.initialize()
    assert rpc.end() == 0


def test_after_shutdown_a_request_is_refused(rpc: Rpc) -> None:
    rpc.initialize()
    rpc.result("shutdown")
    assert rpc.error("anamnesis/recalls")["code"] == -32600
    rpc.notify("exit")
    assert rpc.process.wait(5) == 0


def test_initialize_is_answered_once(rpc: Rpc) -> None:
    rpc.initialize()
    assert rpc.error("initialize", {"processId": None, "rootUri": None, "capabilities": {}})["code"] == -32600


def test_a_client_that_goes_with_its_exit_is_no_error(rpc: Rpc) -> None:
    """Input may end before the exit is handled, or in its place."""
    rpc.initialize()
    rpc.result("shutdown")
    rpc.notify("exit")
    rpc.process.stdin.close()
    assert rpc.process.wait(5) == 0


def test_the_end_of_input_after_a_shutdown_is_no_error(rpc: Rpc) -> None:
    rpc.initialize()
    rpc.result("shutdown")
    rpc.process.stdin.close()
    assert rpc.process.wait(5) == 0


def test_exit_without_shutdown_is_an_error(rpc: Rpc) -> None:
    rpc.initialize()
    rpc.notify("exit")
    assert rpc.process.wait(5) == 1


def test_the_end_of_input_ends_the_server(rpc: Rpc) -> None:
    rpc.initialize()
    assert rpc.process.stdin is not None
    rpc.process.stdin.close()
    assert rpc.process.wait(5) == 1


@pytest.mark.parametrize(
    "params",
    [
        None,
        {},
        [],
        "x",
        7,
        {"textDocument": 3},
        {"textDocument": {"uri": "file:///x"}, "position": {"line": -1, "character": 0}},
    ],
)
def test_malformed_parameters_are_answered(shared: Rpc, params: object) -> None:
    error = shared.error("textDocument/hover", params)
    assert error["code"] == -32602
    assert error["data"]["code"] == "badRequest"
    assert shared.result("anamnesis/recalls") is not None


@pytest.mark.parametrize(
    ("method", "params", "place"),
    [
        ("recollect", [], "params"),
        ("recollect", {"uri": 3}, "uri"),
        ("recollect", {"range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}}, "uri"),
        ("recollect", {"uri": "file:///x", "range": {"start": {}}}, "range.start.line"),
        ("recollect", {"uri": "file:///x", "range": {"start": {"line": True, "character": 0}}}, "range.start.line"),
        ("recollect", {"cue": "x" * 20001}, "cue"),
        ("recollect", {"recall": "../../etc"}, "recall"),
        ("recollect", {"show": "yes"}, "show"),
        ("say", {}, "text"),
        ("say", {"text": "  "}, "text"),
        ("open", {}, "locator"),
        ("copyContext", {"as": "html"}, "as"),
        ("content", {"uri": None}, "uri"),
        ("stores", "x", "params"),
    ],
)
def test_malformed_own_parameters_name_their_place(shared: Rpc, method: str, params: object, place: str) -> None:
    error = shared.error(f"anamnesis/{method}", params)
    assert error["code"] == -32602
    assert f"'{place}'" in error["message"]
    assert error["data"]["code"] == "badRequest"
    if method != "content":
        assert (
            shared.error("workspace/executeCommand", {"command": f"anamnesis.{method}", "arguments": [params]})["code"]
            == -32602
        )


def test_keys_that_break_other_readers_are_plain_values_here(shared: Rpc) -> None:
    params = {
        "cue": "x",
        "type_name": "Evil",
        "class": 1,
        "b-c": 2,
        "_p": 3,
        "jsonrpc": "2.0",
        "nested": {"jsonrpc": "2.0", "id": 1},
    }
    assert shared.result("anamnesis/recollect", params)["cue"]["meant"] == "x"


def test_an_unknown_method_and_an_unknown_command_are_refused(rpc: Rpc) -> None:
    rpc.initialize()
    assert rpc.error("anamnesis/nothing", {})["code"] == -32601
    assert rpc.error("textDocument/rename", {})["code"] == -32601
    assert rpc.error("workspace/executeCommand", {"command": "evil"})["code"] == -32602
    rpc.notify("$/whatever", {"x": 1})
    rpc.notify("no/such", None)
    assert rpc.end() == 0


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"\xff\xfe",
        b"[" * 100_000,
        b"null",
        b"[]",
        b'[{"jsonrpc":"2.0","id":1,"method":"shutdown"}]',
        b"3",
        b'{"id":1}',
    ],
)
def test_what_is_no_message_is_answered_without_an_id(shared: Rpc, body: bytes) -> None:
    shared.body(body)
    answer = shared.answer(1 if body == b'{"id":1}' else None)
    assert answer["error"]["code"] in (-32700, -32600)
    assert shared.result("anamnesis/recalls") is not None


@pytest.mark.parametrize("identity", [None, True, 1.5, [], {"a": 1}])
def test_an_id_that_is_none_is_refused(shared: Rpc, identity: object) -> None:
    shared.send({"id": identity, "method": "anamnesis/recalls"})
    assert shared.answer(None)["error"]["code"] == -32600


def test_headers_in_any_case_and_order_are_read(rpc: Rpc) -> None:
    body = json.dumps(
        {
            "jsonrpc": "2.0",
            "id": "a",
            "method": "initialize",
            "params": {"processId": None, "rootUri": None, "capabilities": {}},
        }
    ).encode()
    rpc.raw(b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\ncontent-length:%d\r\n\r\n" % len(body) + body)
    assert "result" in rpc.answer("a")


def test_a_broken_frame_ends_the_server(rpc: Rpc) -> None:
    rpc.initialize()
    rpc.raw(b"Content-Length: none\r\n\r\n{}")
    assert rpc.process.wait(5) == 1


def test_an_id_in_use_is_refused_and_the_first_request_keeps_its_answer(shared: Rpc) -> None:
    shared.send({"id": 900, "method": "anamnesis/recollect", "params": {"cue": "stuck"}})
    shared.send({"id": 900, "method": "anamnesis/recalls"})
    assert shared.answer(900)["error"]["code"] == -32600
    assert shared.answer(900)["result"]["cue"]["meant"] == "stuck"


def test_text_and_number_ids_are_different_ids(shared: Rpc) -> None:
    shared.send({"id": 901, "method": "anamnesis/recollect", "params": {"cue": "stuck"}})
    shared.send({"id": "901", "method": "anamnesis/recalls"})
    assert shared.answer("901")["result"]
    assert "result" in shared.answer(901)


def test_a_refusal_carries_its_code_and_remedy(shared: Rpc) -> None:
    error = shared.error("anamnesis/recollect", {"cue": "refused"})
    assert error["code"] == -32803
    assert error["data"] == {"code": "fileUntracked", "message": "The file is not tracked.", "remedy": "Add it."}


def test_a_fault_of_ours_tells_nothing_private(rpc: Rpc) -> None:
    rpc.initialize()
    error = rpc.error("anamnesis/recollect", {"cue": "fault"})
    assert error["code"] == -32603
    assert error["data"]["code"] == "internal"
    assert "private words" not in json.dumps(error) and "Traceback" not in json.dumps(error)
    assert rpc.end() == 0
    assert b"RuntimeError at" in rpc.errors


def test_a_cancelled_request_is_answered_within_100_ms_and_its_work_stops(rpc: Rpc, fake_log: Path) -> None:
    rpc.initialize()
    took: list[float] = []
    for _ in range(5):  # the machine may be busy; the server is not
        identity = rpc.start("anamnesis/recollect", {"cue": "slow"})
        time.sleep(0.3)
        started = time.monotonic()
        rpc.notify("$/cancelRequest", {"id": identity})
        assert rpc.answer(identity)["error"]["code"] == -32800
        took.append(time.monotonic() - started)
    assert min(took) < 0.1
    deadline = time.monotonic() + 5
    while (log := fake_log.read_text()).count("cancelled") < log.count("recollect") and time.monotonic() < deadline:
        time.sleep(0.01)
    assert log.count("cancelled") == log.count("recollect") > 0


def test_a_command_is_cancelled_like_a_request(rpc: Rpc, fake_log: Path) -> None:
    rpc.initialize()
    identity = rpc.start("workspace/executeCommand", {"command": "anamnesis.recollect", "arguments": [{"cue": "slow"}]})
    time.sleep(0.3)
    rpc.notify("$/cancelRequest", {"id": identity})
    assert rpc.answer(identity)["error"]["code"] == -32800


def test_cancelling_from_the_progress_cancels_the_request(rpc: Rpc) -> None:
    rpc.initialize(capabilities={"window": {"workDoneProgress": True}})
    identity = rpc.start("anamnesis/recollect", {"cue": "slow"})
    begin = rpc.wait(lambda m: m.get("method") == "$/progress" and m["params"]["value"]["kind"] == "begin")
    assert begin["params"]["value"]["cancellable"] is True
    token = begin["params"]["token"]
    assert [ask["params"]["token"] for ask in rpc.asked if ask["method"] == "window/workDoneProgress/create"] == [token]
    rpc.wait(lambda m: m.get("method") == "$/progress" and m["params"]["value"]["kind"] == "report")
    rpc.notify("window/workDoneProgress/cancel", {"token": token})
    assert rpc.answer(identity)["error"]["code"] == -32800
    rpc.wait(lambda m: m.get("method") == "$/progress" and m["params"]["value"]["kind"] == "end")


def test_the_clients_own_token_is_used_at_once(rpc: Rpc) -> None:
    rpc.initialize()
    rpc.result(
        "workspace/executeCommand",
        {"command": "anamnesis.recollect", "arguments": [{"cue": "x"}], "workDoneToken": "mine"},
    )
    kinds = [
        m["params"]["value"]["kind"]
        for m in rpc.kept
        if m.get("method") == "$/progress" and m["params"]["token"] == "mine"
    ]
    assert kinds[0] == "begin" and kinds[-1] == "end"


def test_nothing_is_reported_to_a_client_without_progress(rpc: Rpc) -> None:
    rpc.initialize()
    identity = rpc.start("anamnesis/recollect", {"cue": "slow"})
    time.sleep(0.8)
    rpc.notify("$/cancelRequest", {"id": identity})
    rpc.answer(identity)
    assert not [m for m in rpc.kept if m.get("method") == "$/progress"]
    assert not rpc.asked


def test_a_storm_of_cancels_leaves_a_server_that_answers(rpc: Rpc) -> None:
    rpc.initialize()
    for _ in range(60):
        identity = rpc.start("anamnesis/recollect", {"cue": "slow"})
        rpc.notify("$/cancelRequest", {"id": identity})
    rpc.notify("$/cancelRequest", {"id": 424242})
    rpc.notify("$/cancelRequest", None)
    rpc.notify("$/cancelRequest", {"id": [1]})
    for identity in range(2, 62):
        assert rpc.answer(identity)["error"]["code"] == -32800
    assert rpc.result("anamnesis/recollect", {"cue": "x"})["outcome"] == "presented"


def test_slow_work_does_not_hold_up_other_answers(shared: Rpc) -> None:
    identities = [shared.start("anamnesis/recollect", {"cue": "slow"}) for _ in range(10)]
    started = time.monotonic()
    assert shared.result("anamnesis/recalls")
    assert time.monotonic() - started < 0.5
    for identity in identities:
        shared.notify("$/cancelRequest", {"id": identity})


def test_exit_with_work_under_way_is_quick_and_quiet(rpc: Rpc, fake_log: Path) -> None:
    rpc.initialize()
    identities = [rpc.start("anamnesis/recollect", {"cue": "slow"}) for _ in range(3)]
    time.sleep(0.3)
    started = time.monotonic()
    rpc.result("shutdown")
    assert all(rpc.answer(identity)["error"]["code"] == -32800 for identity in identities)
    rpc.notify("exit")
    assert rpc.process.wait(5) == 0
    assert time.monotonic() - started < 5
    assert fake_log.read_text().rstrip().endswith("closed")
    assert len(rpc.errors) < 2000


def test_work_that_does_not_look_at_its_token_cannot_hold_the_exit(rpc: Rpc) -> None:
    rpc.initialize()
    rpc.start("anamnesis/recollect", {"cue": "stuck"})
    time.sleep(0.2)
    started = time.monotonic()
    assert rpc.end() == 0
    assert time.monotonic() - started < 8


@pytest.mark.skipif(os.name == "nt", reason="POSIX process ids")
def test_a_client_that_is_gone_takes_the_server_with_it(tmp_path: Path) -> None:
    parent = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    client = Rpc(fake_command(), {"FAKE_LOG": str(tmp_path / "log")})
    try:
        client.result("initialize", {"processId": parent.pid, "rootUri": None, "capabilities": {}})
        client.notify("initialized", {})
        os.kill(parent.pid, signal.SIGKILL)
        parent.wait()
        assert client.process.wait(10) == 1
    finally:
        client.kill()


def test_answers_of_the_client_that_nobody_asked_for_are_dropped(shared: Rpc) -> None:
    shared.send({"id": "nobody", "result": {"x": 1}})
    shared.send({"id": 17, "error": "odd"})
    assert shared.result("anamnesis/recalls")


def test_unicode_that_is_no_text_comes_back_as_a_replacement(shared: Rpc) -> None:
    shared.body(b'{"jsonrpc":"2.0","id":77,"method":"anamnesis/recollect","params":{"cue":"\\ud800 x"}}')
    assert "x" in shared.answer(77)["result"]["cue"]["meant"]
