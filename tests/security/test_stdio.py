"""Bytes on the wire: whatever frame comes in, whatever standard output is, and whoever has gone."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from anamnesis_lsp.server.stdio import MAX_BODY, Writer, too_dense
from tests.server.rpc import Rpc, fake_command


class Bare(io.RawIOBase):
    """Standard output without a buffer: takes a part at a time, and now and then nothing."""

    def __init__(self) -> None:
        self.taken = bytearray()
        self.calls = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any, /) -> int | None:
        self.calls += 1
        if self.calls % 3 == 0:
            return None
        part = bytes(data)[:1000]
        self.taken += part
        return len(part)


def frames(data: bytes) -> Iterator[bytes]:
    while data:
        head, _, rest = data.partition(b"\r\n\r\n")
        length = int(head.removeprefix(b"Content-Length: "))
        yield rest[:length]
        data = rest[length:]


def test_an_answer_is_written_whole_where_standard_output_is_unbuffered() -> None:
    out = Bare()
    writer = Writer(out)  # type: ignore[arg-type]
    bodies = [json.dumps({"id": n, "result": "x" * n * 700}).encode() for n in range(12)]
    for body in bodies:
        writer.send(body)
    writer.close(10)
    assert list(frames(bytes(out.taken))) == bodies


def test_a_client_that_reads_slowly_gets_every_byte(tmp_path: Path) -> None:
    """Python unbuffered, and answers that a pipe does not hold."""
    log = tmp_path / "log"
    log.touch()
    client = Rpc(fake_command(), {"FAKE_LOG": str(log), "PYTHONUNBUFFERED": "1"})
    client.initialize()
    for number in range(200):
        cue = f"{number} " + "long words " * 400
        assert len(json.dumps(client.result("anamnesis/recollect", {"cue": cue[:3_900], "show": False}))) > 3_900
    client.end()
    client.kill()


# ---- found by the fuzzer, kept small


@pytest.fixture
def rpc(tmp_path: Path) -> Iterator[Rpc]:
    log = tmp_path / "fake.log"
    log.touch()
    client = Rpc(fake_command(), {"FAKE_LOG": str(log)})
    client.initialize()
    yield client
    client.kill()
    assert b"Traceback" not in client.errors and b"failed:" not in client.errors, client.errors


def test_what_the_fuzzer_found_stays_found(rpc: Rpc, tmp_path: Path) -> None:
    uri = (tmp_path / "a.py").as_uri()
    rpc.notify("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "p", "version": 1, "text": "x\n"}})
    change = {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [{"text": "y\n"}]}
    rpc.notify("textDocument/didChange", change)  # its handler was called without the server
    for token in ([], {}, [[1]], None, 1.5, True, {"a": 1}):  # a token that cannot be hashed
        rpc.notify("window/workDoneProgress/cancel", {"token": token})
        command = {"command": "anamnesis.recollect", "arguments": [{"cue": "x", "show": False}], "workDoneToken": token}
        assert rpc.request("workspace/executeCommand", command).get("error", {}).get("code") != -32603
    for half in ("file:///a\ud800.py", "file:///%ff%00", "file:///a%ED%A0%80"):  # no file has such a name
        rpc.notify("textDocument/didOpen", {"textDocument": {"uri": half, "languageId": "p", "version": 1, "text": ""}})
        rpc.notify("textDocument/didSave", {"textDocument": {"uri": half}})
        at = {"textDocument": {"uri": half}, "position": {"line": 0, "character": 0}}
        assert "error" not in rpc.request("textDocument/hover", at)
    time.sleep(0.5)
    assert rpc.result("anamnesis/recalls")


def test_recalls_and_locators_of_half_characters_are_plain_refusals(tmp_path: Path) -> None:
    """With the real brain: SQLite and the percent-encoding take no half of a surrogate pair."""
    from tests.server.rpc import real_command
    from tests.server.scene import a_scene

    scene = a_scene(tmp_path)
    client = Rpc(real_command(), scene.env)
    client.initialize(scene.repo.path)
    assert client.request("anamnesis/recollect", {"cue": "retry \ud800 \udcff", "show": False}, 60)["result"]["recall"]
    for locator in (
        "anamnesis:///recall/%ed%a0%80.md",
        f"anamnesis:///decision/{'0' * 12}/%c0%ae.md",
        "anamnesis:///conversation/claude-code/000000000000/%ff%fe.md?turn=1",
    ):
        assert client.error("anamnesis/content", {"uri": locator})["code"] == -32803
    assert client.result("anamnesis/recalls")
    client.kill()
    assert b"failed:" not in client.errors, client.errors


FRAMES = {
    "of ten gigabytes, and then nothing": b"Content-Length: 10000000000\r\n\r\n{}",
    "of less than nothing": b"Content-Length: -1\r\n\r\n{}",
    "of no length": b"Content-Length: \r\n\r\n{}",
    "of no number": b"Content-Length: 0x10\r\n\r\n{}",
    "of a digit that is none": "Content-Length: ²\r\n\r\n{}".encode(),
    "of five thousand digits": b"Content-Length: " + b"9" * 5000 + b"\r\n\r\n{}",
    "without a length": b"Content-Type: x\r\n\r\n{}",
    "without an end of its head": b"x" * 20_000,
    "cut in its body": b'Content-Length: 500\r\n\r\n{"jsonrpc":',
}


@pytest.mark.thorough
@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES.keys())
def test_a_frame(frame: bytes, tmp_path: Path) -> None:
    log = tmp_path / "fake.log"
    log.touch()
    client = Rpc(fake_command(), {"FAKE_LOG": str(log)})
    client.initialize()
    client.raw(frame)
    assert client.process.stdin is not None
    client.process.stdin.close()
    assert client.process.wait(10) == 1
    client.kill()
    assert b"Traceback" not in client.errors


def test_a_message_past_the_cap_is_skipped_and_the_next_one_answered(rpc: Rpc) -> None:
    rpc.raw(b"Content-Length: %d\r\n\r\n" % (MAX_BODY + 1))
    for _ in range(MAX_BODY >> 20):
        rpc.raw(b" " * (1 << 20))
    rpc.raw(b" ")
    assert rpc.wait(lambda m: m.get("id", 0) is None and "error" in m, 20)["error"]["code"] == -32600
    assert rpc.result("anamnesis/recalls")


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_a_client_that_stops_reading_is_left(tmp_path: Path) -> None:
    """Its answers pile up; once it is gone the server ends."""
    log = tmp_path / "fake.log"
    log.touch()
    process = subprocess.Popen(
        fake_command(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env={**os.environ, "FAKE_LOG": str(log), "PYTHONPATH": str(Path(__file__).parents[2])},
    )  # fmt: skip
    assert process.stdin is not None and process.stdout is not None
    start = {
        "jsonrpc": "2.0",
        "id": 0,
        "method": "initialize",
        "params": {"processId": None, "rootUri": None, "capabilities": {}},
    }
    messages = [start, *({"jsonrpc": "2.0", "id": n, "method": "anamnesis/stores"} for n in range(1, 3000))]
    for message in messages:
        body = json.dumps(message).encode()
        process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    process.stdin.flush()
    time.sleep(0.3)
    assert process.poll() is None
    process.stdout.close()
    process.stdin.close()
    assert process.wait(10) == 1
    assert process.stderr is not None
    assert b"Traceback" not in process.stderr.read()
    process.stderr.close()


@pytest.mark.skipif(os.name == "nt", reason="signals")
@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_it(sent: signal.Signals, tmp_path: Path) -> None:
    log = tmp_path / "fake.log"
    log.touch()
    before = signal.signal(sent, signal.SIG_DFL)  # a run in the background inherits it ignored, and so would the server
    try:
        client = Rpc(fake_command(), {"FAKE_LOG": str(log)})
    finally:
        signal.signal(sent, before)
    client.initialize()
    client.start("anamnesis/recollect", {"cue": "slow"})
    time.sleep(0.2)
    client.process.send_signal(sent)
    client.process.wait(10)
    client.kill()
    assert b"Traceback" not in client.errors


# ---- what a message may cost


def test_a_text_in_the_place_of_a_list_is_one_fault(rpc: Rpc) -> None:
    """Found by the fuzzer's memory: each letter was a fault with its traceback, 380 MB of them for these 0.1 MB."""
    before = _resident(rpc)
    span = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}}
    document = {"textDocument": {"uri": "file:///x.py"}, "range": span}
    for context in ({"diagnostics": "a" * 3_000_000}, {"diagnostics": [], "only": "\u4e2d" * 3_000_000}):
        began = time.monotonic()
        answer = rpc.request("textDocument/codeAction", {**document, "context": context}, 20)
        assert answer["error"]["code"] == -32602
        assert time.monotonic() - began < 5
    assert rpc.result("anamnesis/recalls") is not None
    assert _highest(rpc) - before < 150


def test_the_place_of_a_fault_is_told_where_the_parameters_are_small(rpc: Rpc) -> None:
    at = {"textDocument": {"uri": "file:///x.py"}, "position": {"line": "three", "character": 0}}
    assert "at params.position.line" in rpc.error("textDocument/hover", at)["message"]
    error = rpc.error("textDocument/hover", {**at, "more": ["x"] * 5000})
    assert error["code"] == -32602 and "position" not in error["message"]


@pytest.mark.parametrize(
    "params",
    [b"[" + b"[],{}," * 4_000_000 + b"1]", b"[" + b'"",' * 8_000_000 + b"1]", b"[" + b"1," * 12_000_000 + b"1]"],
    ids=["lists", "texts", "numbers"],
)
def test_a_message_of_a_million_values_is_not_parsed(rpc: Rpc, params: bytes) -> None:
    rpc.body(b'{"jsonrpc":"2.0","id":7,"method":"anamnesis/recalls","params":' + params + b"}")
    answer = rpc.answer(None, 20)
    assert "too many values" in answer["error"]["message"]
    assert _highest(rpc) < 250


def test_a_document_full_of_brackets_is_held(rpc: Rpc) -> None:
    assert not too_dense(json.dumps({"text": '[1, {"a": "\\\\"}],' * 300_000}).encode())
    text = '{"a": [1, 2, 3]},\n' * 150_000
    assert rpc.open(Path("/x/data.json"), text)
    assert rpc.result("anamnesis/recalls") is not None


def _resident(client: Rpc) -> int:
    return _of_status(client, "VmRSS:")


def _highest(client: Rpc) -> int:
    return _of_status(client, "VmHWM:")


def _of_status(client: Rpc, name: str) -> int:
    """MiB."""
    return int(Path(f"/proc/{client.process.pid}/status").read_text().split(name)[1].split()[0]) >> 10
