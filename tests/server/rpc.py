"""A raw JSON-RPC client: it sends what a well-behaved client library would refuse to send."""

from __future__ import annotations

import io
import json
import logging
import os
import queue
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


class Inside:
    """A server in a thread of this process, seen as the process it would be: no start-up to wait for."""

    pid = os.getpid()

    def __init__(self, server: Any) -> None:
        from anamnesis_lsp.server.stdio import Reader, serve_streams

        reading, writing = os.pipe(), os.pipe()
        self.stdin = os.fdopen(reading[1], "wb", buffering=0)
        self.stdout = os.fdopen(writing[0], "rb")
        self.stderr = io.BytesIO()
        self._log = logging.StreamHandler(io.TextIOWrapper(self.stderr, write_through=True))
        logging.getLogger().addHandler(self._log)
        self._code: int | None = None
        sink = os.fdopen(writing[1], "wb")

        def serve() -> None:
            self._code, _ = serve_streams(server, Reader(reading[0]), sink)
            sink.close()
            os.close(reading[0])

        self._thread = threading.Thread(target=serve, daemon=True)
        self._thread.start()

    def poll(self) -> int | None:
        return self._code

    def kill(self) -> None:
        self.stdin.close()

    def wait(self, timeout: float | None = 10) -> int | None:
        self._thread.join(timeout)
        logging.getLogger().removeHandler(self._log)
        return self._code


class Rpc:
    """One server. Requests of the server are answered with null unless ``answers`` names another answer."""

    def __init__(self, command: list[str] | Inside, env: dict[str, str] | None = None) -> None:
        environment = {**os.environ, "PYTHONPATH": str(ROOT), **(env or {})}
        self.process: Any = command
        if isinstance(command, list):
            self.process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
            )
        self.received: queue.Queue[dict[str, Any]] = queue.Queue()
        self.kept: list[dict[str, Any]] = []
        self.errors = b""
        self.answers: dict[str, Any] = {}
        self.asked: list[dict[str, Any]] = []
        self._id = 0
        threading.Thread(target=self._read, daemon=True).start()
        threading.Thread(target=self._read_errors, daemon=True).start()

    def _read(self) -> None:
        out = self.process.stdout
        assert out is not None
        while True:
            length = 0
            while (line := out.readline()).strip():
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            if not line:
                return
            message = json.loads(out.read(length))
            if "method" in message and "id" in message:
                self.asked.append(message)
                self.send({"id": message["id"], "result": self.answers.get(message["method"])})
            else:
                self.received.put(message)

    def _read_errors(self) -> None:
        assert self.process.stderr is not None
        if isinstance(self.process, Inside):
            return
        while chunk := self.process.stderr.read1(65536):
            self.errors += chunk

    def raw(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def body(self, body: bytes) -> None:
        self.raw(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def send(self, message: Any) -> None:
        if isinstance(message, dict):
            message = {"jsonrpc": "2.0", **message}
        try:
            self.body(json.dumps(message).encode())
        except (BrokenPipeError, ValueError):
            pass

    def start(self, method: str, params: Any = None) -> int:
        """Send a request and return its id."""
        self._id += 1
        self.send({"id": self._id, "method": method, "params": params})
        return self._id

    def notify(self, method: str, params: Any = None) -> None:
        self.send({"method": method, "params": params})

    def answer(self, identity: object, timeout: float = 10.0) -> dict[str, Any]:
        """The answer to a request; other messages are kept."""
        return self.wait(
            lambda message: "id" in message and message["id"] == identity and "method" not in message, timeout
        )

    def notification(self, method: str, timeout: float = 10.0) -> dict[str, Any]:
        return self.wait(lambda message: message.get("method") == method, timeout)

    def wait(self, wanted: Any, timeout: float = 10.0) -> dict[str, Any]:
        for message in self.kept:
            if wanted(message):
                self.kept.remove(message)
                return message
        deadline = time.monotonic() + timeout
        while True:
            try:
                message = self.received.get(timeout=max(deadline - time.monotonic(), 0.001))
            except queue.Empty:
                raise AssertionError(f"no such message; kept {self.kept}; stderr {self.errors.decode()}") from None
            if wanted(message):
                return message
            self.kept.append(message)

    def request(self, method: str, params: Any = None, timeout: float = 10.0) -> dict[str, Any]:
        return self.answer(self.start(method, params), timeout)

    def result(self, method: str, params: Any = None) -> Any:
        answer = self.request(method, params)
        assert "result" in answer, answer
        return answer["result"]

    def error(self, method: str, params: Any = None) -> dict[str, Any]:
        answer = self.request(method, params)
        assert "error" in answer, answer
        return answer["error"]

    def initialize(self, root: Path | None = None, capabilities: Any = None, options: Any = None) -> dict[str, Any]:
        folders = None if root is None else [{"uri": root.as_uri(), "name": root.name}]
        result = self.result(
            "initialize",
            {
                "processId": os.getpid(),
                "rootUri": None if root is None else root.as_uri(),
                "capabilities": capabilities or {},
                "workspaceFolders": folders,
                "initializationOptions": options,
            },
        )
        self.notify("initialized", {})
        return result

    def open(self, path: Path, text: str | None = None, version: int = 1) -> str:
        uri = path.as_uri()
        item = {"uri": uri, "languageId": "python", "version": version}
        self.notify(
            "textDocument/didOpen", {"textDocument": {**item, "text": path.read_text() if text is None else text}}
        )
        return uri

    def end(self, timeout: float = 10.0) -> int:
        """Shutdown, exit, and the exit code."""
        self.result("shutdown")
        self.notify("exit")
        return self.process.wait(timeout)

    def kill(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        if isinstance(self.process, Inside):
            self.errors = self.process.stderr.getvalue()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                try:
                    stream.close()
                except BrokenPipeError:
                    pass


def fake_command() -> list[str]:
    return [sys.executable, str(HERE / "fake_server.py")]


def real_command() -> list[str]:
    return [sys.executable, "-m", "anamnesis_lsp.server"]
