"""Whatever JSON is sent, the server answers each request once and goes on."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.server.fake_server import fake_server
from tests.server.rpc import Inside, Rpc

REQUESTS = [
    *(
        f"anamnesis/{name}"
        for name in ("recollect", "say", "identify", "end", "open", "copyContext", "recalls", "stores")
    ),
    *("anamnesis/content", "anamnesis/reindex", "workspace/textDocumentContent", "workspace/executeCommand"),
    *(
        f"textDocument/{name}"
        for name in ("hover", "codeAction", "definition", "documentLink", "documentSymbol", "foldingRange")
    ),
    *("documentLink/resolve", "textDocument/rename", "no/such", ""),
]
NOTIFICATIONS = [
    *(f"textDocument/{name}" for name in ("didOpen", "didChange", "didSave", "didClose")),
    *("workspace/didChangeConfiguration", "workspace/didChangeWorkspaceFolders", "$/cancelRequest", "$/setTrace"),
    *("window/workDoneProgress/cancel", "notebookDocument/didOpen", "notebookDocument/didChange", "initialized"),
]
WORDS = [
    "uri",
    "range",
    "start",
    "end",
    "line",
    "character",
    "textDocument",
    "position",
    "context",
    "text",
    "cue",
    "recall",
]
WORDS += [
    "locator",
    "as",
    "show",
    "version",
    "command",
    "arguments",
    "contentChanges",
    "id",
    "token",
    "event",
    "settings",
]
VALUES = [
    "file:///x.py",
    "anamnesis:///recall/r1.md",
    "anamnesis:///commit/../x",
    "anamnesis.recollect",
    "markdown",
    "\ud800",
]

values: Any = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2**40) | st.floats() | st.sampled_from(VALUES) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=5),
    max_leaves=12,
)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rpc]:
    places = tmp_path_factory.mktemp("fuzz")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FAKE_LOG", str(places / "log"))
        patch.setenv("ANAMNESIS_CACHE_DIR", str(places / "cache"))
        client = Rpc(Inside(fake_server()))
        client.initialize(Path("/"))
        yield client
        client.kill()
        assert b"failed:" not in client.errors, client.errors.decode()


ids = itertools.count(10_000)


@given(st.sampled_from(REQUESTS), values)
@settings(max_examples=250, deadline=None, suppress_health_check=list(HealthCheck))
def test_every_request_has_one_answer(server: Rpc, method: str, params: object) -> None:
    identity = next(ids)
    server.send({"id": identity, "method": method, "params": params})
    answer = server.answer(identity)
    assert ("result" in answer) != ("error" in answer)
    if "error" in answer:
        assert answer["error"]["code"] in (-32602, -32601, -32803)
    server.kept.clear()


@given(st.sampled_from(NOTIFICATIONS), values)
@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
def test_no_notification_stops_the_server(server: Rpc, method: str, params: object) -> None:
    server.notify(method, params)
    identity = next(ids)
    server.send({"id": identity, "method": "anamnesis/recalls"})
    assert "result" in server.answer(identity)
    server.kept.clear()


@given(values)
@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
def test_no_message_stops_the_server(server: Rpc, message: object) -> None:
    server.send(message)
    identity = next(ids)
    server.send({"id": identity, "method": "anamnesis/recalls"})
    assert "result" in server.answer(identity)
    server.kept.clear()
