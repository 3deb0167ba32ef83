"""Fuzz the wire: mutated messages and broken frames against a real server over a small scene, for as long as wanted.

    python tests/bench/fuzz_wire.py --seconds 1800 --seed 1 [--keep FOLDER]

What counts as a fault: a request that is not answered exactly once, an internal error (-32603), a line of a fault or a
traceback on standard error, a server that ends without having been told to, one that hangs, text of the scene in the
log, and more memory than ``--rss`` MiB. The messages since the last quiet point are kept beside each fault. Prints one
JSON object of figures.
"""

from __future__ import annotations

import argparse
import copy
import json
import os
import random
import signal
import string
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.server.scene import ASKED, Scene, a_scene  # noqa: E402

HOSTILE: list[Any] = [
    None,
    True,
    False,
    0,
    -1,
    1,
    2**31 - 1,
    2**31,
    2**53,
    -(2**63),
    10**40,
    1.5,
    float("nan"),
    float("inf"),
    "",
    " ",
    "\0",
    "\ud800",
    "\U000e0041",
    "a" * 9000,
    "a" * 100_000,
    "\n",
    "\r\n",
    "${HOME}",
    "%00",
    "%2e%2e%2f",
    "../../etc/passwd",
    "file:///etc/passwd",
    "file:///%00",
    "file://",
    "file:",
    "file:///dev/zero",
    "file:///proc/self/mem",
    "http://x/",
    "anamnesis:",
    "anamnesis:///",
    "anamnesis:///commit/x/y.md",
    "anamnesis:////etc/passwd",
    "untitled:Untitled-1",
    "anamnesis:///recall/..%2f..%2fetc.md",
    "anamnesis:///scope/r1.md",
    "\\\\host\\share",
    "[",
    "{}",
    "jsonrpc",
    [],
    {},
    [None],
    [[]],
    [[[[[]]]]],
    {"": ""},
    {"jsonrpc": "2.0"},
    {"type_name": "x", "class": 1, "_p": 2},
    {"line": -1},
    {"start": {}, "end": {}},
    {"line": 10**9, "character": 10**9},
    ["x"] * 500,
    "⟨U+202E⟩\u202e",
    "-" * 50,
    "--output=/tmp/x",
]


def deep(rng: random.Random) -> Any:
    value: Any = 1
    for _ in range(rng.choice((10, 60, 150))):
        value = [value] if rng.random() < 0.5 else {"a": value}
    return value


class Messages:
    """What a client sends in a life, and how it goes wrong."""

    def __init__(self, rng: random.Random, scene: Scene, locators: list[str]) -> None:
        self.rng = rng
        self.uri = scene.file.as_uri()
        self.locators = locators
        self._id = 0
        self.text = scene.file.read_text()

    def next_id(self) -> Any:
        self._id += 1
        roll = self.rng.random()
        if roll < 0.03:
            return self.rng.choice(HOSTILE)
        if roll < 0.06:
            return max(self._id - self.rng.randint(0, 3), 1)
        return self._id if roll < 0.8 else f"s{self._id}"

    def position(self) -> dict[str, Any]:
        return {"line": self.rng.choice((0, 3, 4, 5, 6, 99)), "character": self.rng.choice((0, 1, 3, 400))}

    def template(self) -> tuple[str, Any, bool]:
        """A method, its parameters as they should be, and whether it is a request."""
        rng, here = self.rng, {"uri": self.uri}
        document = {"textDocument": here}
        ours = {"textDocument": {"uri": rng.choice(self.locators)}}
        span = {"start": {"line": 3, "character": 0}, "end": {"line": 6, "character": 0}}
        shown = {"show": rng.random() < 0.2}
        options: list[tuple[str, Any, bool]] = [
            ("textDocument/hover", {**document, "position": self.position()}, True),
            ("textDocument/hover", {**ours, "position": self.position()}, True),
            ("textDocument/definition", {**rng.choice((ours, document)), "position": self.position()}, True),
            ("textDocument/documentLink", rng.choice((ours, document)), True),
            ("documentLink/resolve", {"range": span, "data": {"locator": rng.choice(self.locators)}}, True),
            ("textDocument/documentSymbol", rng.choice((ours, document)), True),
            ("textDocument/codeLens", document, True),
            ("textDocument/codeAction", {**document, "range": span, "context": {"diagnostics": []}}, True),
            ("workspace/textDocumentContent", {"uri": rng.choice(self.locators)}, True),
            ("anamnesis/content", {"uri": rng.choice(self.locators)}, True),
            ("anamnesis/open", {"locator": rng.choice(self.locators), **shown}, True),
            ("anamnesis/recollect", {"uri": self.uri, "range": span, **shown}, True),
            ("anamnesis/recollect", {"cue": rng.choice(("the retry", "BACKOFF_SECONDS", "gateway")), **shown}, True),
            ("anamnesis/say", {"text": rng.choice(("that's it", "no, the other", "earlier", "stop")), **shown}, True),
            ("anamnesis/identify", shown, True),
            ("anamnesis/end", shown, True),
            ("anamnesis/copyContext", {"as": rng.choice(("markdown", "commit", "comment"))}, True),
            ("anamnesis/recalls", None, True),
            ("anamnesis/stores", {}, True),
            ("anamnesis/reindex", {"kind": "claude-code"}, True),
            ("workspace/executeCommand", {"command": "anamnesis.recalls", "arguments": [{}]}, True),
            (
                "workspace/executeCommand",
                {
                    "command": "anamnesis.recollect",
                    "arguments": [{"uri": self.uri, "range": span}],
                    "workDoneToken": rng.choice((1, "t")),
                },
                True,
            ),
            (
                "textDocument/didOpen",
                {"textDocument": {**here, "languageId": "python", "version": 1, "text": self.text}},
                False,
            ),
            (
                "textDocument/didChange",
                {
                    "textDocument": {**here, "version": 2},
                    "contentChanges": [{"range": span, "text": rng.choice(("", "x", "\r\n😋\n"))}],
                },
                False,
            ),
            (
                "textDocument/didChange",
                {"textDocument": {**here, "version": 3}, "contentChanges": [{"text": self.text}]},
                False,
            ),
            ("textDocument/didSave", document, False),
            ("textDocument/didClose", document, False),
            ("workspace/didChangeConfiguration", {"settings": {"anamnesis": {"hover": "full"}}}, False),
            ("workspace/didChangeWorkspaceFolders", {"event": {"added": [], "removed": []}}, False),
            ("window/workDoneProgress/cancel", {"token": rng.choice((1, "t"))}, False),
            ("$/cancelRequest", {"id": max(self._id - rng.randint(0, 5), 0)}, False),
            ("$/setTrace", {"value": "off"}, False),
            ("initialize", {"processId": None, "rootUri": None, "capabilities": {}}, True),
            ("initialized", {}, False),
            ("textDocument/rename", {}, True),
        ]
        return rng.choice(options)

    def mutated(self, value: Any) -> Any:
        """A copy with one node of it changed."""
        rng = self.rng
        value = copy.deepcopy(value)
        places: list[tuple[Any, Any]] = []

        def walk(node: Any) -> None:
            if isinstance(node, dict):
                for key in node:
                    places.append((node, key))
                    walk(node[key])
            elif isinstance(node, list):
                for index, item in enumerate(node):
                    places.append((node, index))
                    walk(item)

        walk(value)
        if not places:
            return rng.choice(HOSTILE)
        node, key = rng.choice(places)
        act = rng.random()
        if act < 0.15 and isinstance(node, dict):
            del node[key]
        elif act < 0.25 and isinstance(node, dict):
            node[rng.choice(("jsonrpc", "x", "", "uri", "range", "text"))] = rng.choice(HOSTILE)
        elif act < 0.3:
            node[key] = [node[key]]
        elif act < 0.35:
            node[key] = deep(rng)
        elif act < 0.5 and isinstance(node[key], str):
            node[key] = self.bent(node[key])
        else:
            node[key] = rng.choice(HOSTILE)
        return value

    def bent(self, text: str) -> str:
        rng = self.rng
        at = rng.randint(0, len(text))
        piece = rng.choice(
            ("%", "%2e%2e/", "..", "\0", "/", "?", "#", "\u202e", "\ud800", rng.choice(string.printable))
        )
        return text[:at] + piece + text[at + rng.randint(0, 4) :]

    def message(self) -> dict[str, Any]:
        method, params, request = self.template()
        for _ in range(self.rng.choice((0, 0, 1, 1, 1, 2, 4))):
            params = self.mutated(params)
        message: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params}
        if request:
            message["id"] = self.next_id()
        if self.rng.random() < 0.06:
            message = self.mutated(message)
        return message if isinstance(message, dict) else {"method": method}

    def body(self) -> tuple[bytes, dict[str, Any] | None]:
        """A body, and the message it is where it is one."""
        rng = self.rng
        roll = rng.random()
        if roll < 0.9:
            message = self.message()
            try:
                return json.dumps(message).encode("utf-8", "surrogatepass"), message
            except (ValueError, RecursionError):
                return b"{}", {}
        if roll < 0.93:
            return bytes(rng.getrandbits(8) for _ in range(rng.randint(0, 200))), None
        if roll < 0.94:
            return b"[" * rng.choice((1, 1000, 200_000)), None
        if roll < 0.95:  # whether it can be read is the reader's affair
            depth = rng.choice((300, 900, 5000))
            body = b'{"jsonrpc":"2.0","id":null,"method":"anamnesis/recalls","params":' + b"[" * depth + b"]" * depth
            return body + b"}", None
        whole = bytearray(json.dumps(self.message(), default=str).encode("utf-8", "surrogatepass"))
        for _ in range(rng.randint(1, 3)):
            if whole:
                whole[rng.randrange(len(whole))] = rng.getrandbits(8)
        try:
            parsed = json.loads(bytes(whole))
            return bytes(whole), parsed if isinstance(parsed, dict) else None
        except (ValueError, RecursionError):
            return bytes(whole[: rng.randint(0, len(whole))]), None


class FaultError(Exception):
    """What went wrong."""


class Server:
    """One server process, and what it said."""

    def __init__(self, scene: Scene, places: Path, rng: random.Random) -> None:
        env = {
            **os.environ,
            **scene.env,
            "PYTHONPATH": str(ROOT),
            "ANAMNESIS_CACHE_DIR": str(places / "cache"),
            "ANAMNESIS_STATE_DIR": str(places / "state"),
        }
        self.process = subprocess.Popen(
            [sys.executable, "-X", "faulthandler", "-m", "anamnesis_lsp.server"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=env,
            cwd=places,
        )
        self.rng = rng
        self.answers: Counter[str] = Counter()
        self.nameless = 0
        self.internal: list[Any] = []
        self.results: dict[str, Any] = {}
        self.errors = b""
        self.changed = threading.Condition()
        self.lock = threading.Lock()
        threading.Thread(target=self._read, daemon=True).start()
        threading.Thread(target=self._read_errors, daemon=True).start()

    def _read_errors(self) -> None:
        assert self.process.stderr is not None
        while chunk := self.process.stderr.read1(65536):  # type: ignore[attr-defined]
            self.errors += chunk

    def _read(self) -> None:
        out = self.process.stdout
        assert out is not None
        while True:
            length = 0
            while (line := out.readline()).strip():
                length = int(line.split(b":")[1])
            if not line:
                return
            body = out.read(length)
            try:
                message = json.loads(body)
            except ValueError as error:
                Path(tempfile.gettempdir(), f"fuzz-wire-unread-{os.getpid()}").write_bytes(body)
                self.errors += f"failed: an answer of {length} bytes is no JSON: {error}".encode()
                return
            if "method" in message:
                if "id" in message:
                    reply = self.rng.choice([None, {}, [], {"success": True}, [{"hover": "full"}], "x"])
                    self.send(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": reply}).encode())
                continue
            with self.changed:
                if message.get("id") is None:
                    self.nameless += 1
                else:
                    self.answers[repr(message["id"])] += 1
                    self.results[repr(message["id"])] = message
                if message.get("error", {}).get("code") == -32603:
                    self.internal.append(message)
                self.changed.notify_all()

    def send(self, body: bytes) -> bool:
        try:
            with self.lock:
                assert self.process.stdin is not None
                self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
                self.process.stdin.flush()
        except (BrokenPipeError, ValueError):
            return False
        return True

    def wait(self, done: Any, seconds: float) -> bool:
        with self.changed:
            return self.changed.wait_for(lambda: done() or self.process.poll() is not None, seconds) and done()

    def ask(self, identity: str, method: str, params: Any, seconds: float = 60) -> Any:
        self.send(json.dumps({"jsonrpc": "2.0", "id": identity, "method": method, "params": params}).encode())
        if not self.wait(lambda: self.answers[repr(identity)], seconds):
            raise FaultError(f"{method} was not answered; exit code {self.process.poll()}")
        return self.results.pop(repr(identity))

    def rss(self) -> int:
        """MiB resident."""
        try:
            return int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]) * 4096 >> 20
        except (OSError, IndexError):
            return 0

    def children(self) -> int:
        try:
            return len(Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split())
        except OSError:
            return 0

    def kill(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()


def answerable(identity: Any) -> bool:
    return isinstance(identity, (int, str)) and not isinstance(identity, bool)


def is_response(message: dict[str, Any]) -> bool:
    return message.get("method") is None and ("result" in message or "error" in message)


def begin(scene: Scene, places: Path, rng: random.Random) -> Server:
    server = Server(scene, places, rng)
    folders = [{"uri": scene.repo.path.as_uri(), "name": "app"}]
    capabilities = {
        "window": {"workDoneProgress": True, "showDocument": {"support": True}},
        "workspace": {"configuration": True},
        "textDocument": {"hover": {"contentFormat": ["markdown"]}},
    }
    options = {"virtualDocuments": rng.random() < 0.5, "codeLens": rng.random() < 0.5}
    server.ask(
        "init",
        "initialize",
        {
            "processId": os.getpid(),
            "rootUri": None,
            "capabilities": capabilities,
            "workspaceFolders": folders,
            "initializationOptions": options,
        },
    )
    server.send(b'{"jsonrpc":"2.0","method":"initialized","params":{}}')
    return server


def locators_of(server: Server, scene: Scene) -> list[str]:
    span = {"start": {"line": 3, "character": 0}, "end": {"line": 6, "character": 0}}
    answer = server.ask("first", "anamnesis/recollect", {"uri": scene.file.as_uri(), "range": span, "show": False})
    if "result" not in answer:
        raise FaultError(f"the first recollect: {answer}")
    shown = answer["result"]
    found = [record["locator"] for record in shown["records"]]
    commit = next(record for record in shown["records"] if record["kind"] == "commit")
    root = commit["locator"].split("/")[4]
    found += [f"anamnesis:///{kind}/{root}/{commit['id']}/src/fetch.py" for kind in ("file", "diff")]
    return [
        *found,
        f"anamnesis:///recall/{shown['recall']}.md",
        f"anamnesis:///scope/{shown['recall']}.md",
        f"anamnesis:///decision/{root}/src/fetch.py",
        f"anamnesis:///decision/{root}/.git/config",
    ]


def round_of(server: Server, messages: Messages, size: int, sent: list[bytes]) -> int:
    """Send ``size`` bodies, then wait until each request is answered; returns how many bodies were sent."""
    server.answers.clear()
    expected: Counter[str] = Counter()
    for _ in range(size):
        body, message = messages.body()
        if isinstance(message, dict) and message.get("method") in ("shutdown", "exit"):
            continue
        sent.append(body)
        if message is not None and message.get("method") == "exit":
            continue
        if message is not None:
            try:
                message = json.loads(body)  # what the server reads: a lone surrogate, a repeated key
            except (ValueError, RecursionError):
                message = None
        if isinstance(message, dict) and answerable(message.get("id")) and not is_response(message):
            identity = message["id"]
            if isinstance(identity, str):
                identity = identity.encode("utf-8", "replace").decode()  # half a surrogate pair cannot be sent back
            expected[repr(identity)] += 1
        if not server.send(body):
            raise FaultError(f"the server went away; exit code {server.process.wait(10)}")
    server.ask(f"quiet-{time.monotonic()}", "anamnesis/recalls", {}, 120)
    if not server.wait(lambda: all(server.answers[one] >= count for one, count in expected.items()), 120):
        missing = [one for one, count in expected.items() if server.answers[one] < count]
        raise FaultError(f"not answered: {missing[:5]}; exit code {server.process.poll()}")
    twice = [one for one, count in server.answers.items() if count > expected[one] and "quiet-" not in one]
    if twice:
        raise FaultError(f"answered more than once: {[(one, server.answers[one], expected[one]) for one in twice[:5]]}")
    server.results.clear()
    if server.internal:
        raise FaultError(f"internal errors: {server.internal[:3]}")
    return size


FRAMES: list[bytes] = [
    b"Content-Length: 10000000000\r\n\r\n{}",
    b"Content-Length: -1\r\n\r\n{}",
    b"Content-Length: \r\n\r\n{}",
    b"Content-Length: 99999999999999999999999999\r\n\r\n",
    b"Content-Length: 1e3\r\n\r\n{}",
    b"\r\n\r\n\r\n{}",
    b"{}\r\n\r\n",
    b"Content-Length: 2\r\n\r\n{}Content-Length: 2\r\n\r\n{",
    b"x" * 20_000,
    b"Content-Length: " + b"9" * 5000 + b"\r\n\r\n",
    b"Content-Length: 2\nContent-Length: 70000000\n\n{}",
    b"Content-Type: x\r\nContent-Length: 0\r\n\r\n",
    b"\0" * 9000 + b"\n\n",
    b"Content-Length: \xb2\r\n\r\n{}",
    b"Content-Length: 0x10\r\n\r\n" + b"{" * 16,
    b"Content-Length:" + b" " * 9000 + b"2\r\n\r\n{}",
]


def broken_frames(scene: Scene, places: Path, rng: random.Random) -> Iterator[int]:
    """Servers that get a broken frame and the end of input: each must end by itself, quietly."""
    for _ in range(3):
        server = begin(scene, places, rng)
        data = rng.choice(FRAMES) + bytes(rng.getrandbits(8) for _ in range(rng.randint(0, 40)))
        try:
            assert server.process.stdin is not None
            server.process.stdin.write(data)
            server.process.stdin.close()
        except BrokenPipeError:
            pass
        try:
            code = server.process.wait(20)
        except subprocess.TimeoutExpired:
            server.kill()
            raise FaultError(f"a broken frame left the server running: {data[:80]!r}") from None
        time.sleep(0.05)
        if code != 1 or b"Traceback" in server.errors:
            raise FaultError(f"broken frame {data[:80]!r}: exit code {code}, {server.errors[-2000:]!r}")
        yield 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rss", type=int, default=250, help="MiB a server may hold")
    parser.add_argument("--keep", type=Path, help="a folder for the messages before each fault")
    options = parser.parse_args()
    rng = random.Random(options.seed)
    work = Path(tempfile.mkdtemp(prefix="fuzz-wire-"))
    scene = a_scene(work)
    figures: dict[str, Any] = {"seed": options.seed, "inputs": 0, "frames": 0, "servers": 0, "faults": [], "rss_max": 0}
    began = time.monotonic()
    server: Server | None = None
    messages: Messages | None = None
    sent: list[bytes] = []
    rounds = 0
    while time.monotonic() - began < options.seconds:
        try:
            if server is None:
                server = begin(scene, work, rng)
                figures["servers"] += 1
                messages = Messages(rng, scene, locators_of(server, scene))
            assert messages is not None
            sent.clear()
            figures["inputs"] += round_of(server, messages, rng.choice((5, 40, 150)), sent)
            figures["rss_max"] = max(figures["rss_max"], server.rss())
            rounds += 1
            noise = server.errors
            if b"Traceback" in noise or b"failed:" in noise or ASKED.encode() in noise:
                raise FaultError(f"standard error: {noise[-3000:].decode(errors='replace')}")
            if server.rss() > options.rss:
                raise FaultError(f"{server.rss()} MiB resident")
            if server.children() > 12:
                raise FaultError(f"{server.children()} children")
            if rounds % 60 == 0:  # another life, ended properly
                server.ask("bye", "shutdown", None)
                server.send(b'{"jsonrpc":"2.0","method":"exit"}')
                if server.process.wait(20) != 0:
                    raise FaultError(f"exit code {server.process.poll()} after shutdown")
                server = None
                for one in broken_frames(scene, work, rng):
                    figures["frames"] += one
        except (FaultError, AssertionError, subprocess.TimeoutExpired) as fault:
            told = f"{type(fault).__name__}: {fault}"
            if server is not None and server.process.poll() is None:
                server.process.send_signal(signal.SIGABRT)  # faulthandler writes where each thread is
                server.process.wait(20)
                time.sleep(0.2)
            figures["faults"].append(told[:600])
            noise = server.errors[-9000:].decode(errors="replace") if server is not None else ""
            print(f"FAULT after {figures['inputs']} inputs: {told[:2000]}\n{noise}", file=sys.stderr, flush=True)
            if options.keep is not None:
                options.keep.mkdir(parents=True, exist_ok=True)
                name = options.keep / f"fault-{options.seed}-{len(figures['faults'])}.txt"
                name.write_bytes(told.encode("utf-8", "replace") + b"\n" + noise.encode() + b"\n\n" + b"\n".join(sent))
            if server is not None:
                server.kill()
            server = None
    if server is not None:
        server.kill()
    figures["seconds"] = round(time.monotonic() - began)
    print(json.dumps(figures, indent=1))
    return 1 if figures["faults"] else 0


if __name__ == "__main__":
    sys.exit(main())
