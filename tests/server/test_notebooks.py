"""Cells of a notebook over stdio: their lines are lines of the JSON, edited cells too."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.builders.repos import GRACE, Repo, new_repo
from tests.server.rpc import Rpc, real_command
from tests.unit.test_history_commands import notebook

FIRST, SECOND = "import os\n", "x = 1\ny = 3\n"


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    made = new_repo(tmp_path / "r")
    made.commit("Two cells", {"n.ipynb": notebook(FIRST, "x = 1\ny = 2\n")})
    made.commit("Another y", {"n.ipynb": notebook(FIRST, SECOND)}, author=GRACE)
    return made


@pytest.fixture
def client(repo: Repo, tmp_path: Path) -> Iterator[Rpc]:
    home = tmp_path / "home"
    home.mkdir()
    client = Rpc(real_command(), {"HOME": str(home)})
    wants = {"textDocument": {"hover": {"contentFormat": ["markdown"]}}, "notebookDocument": {"synchronization": {}}}
    sync = client.initialize(repo.path, wants)
    assert sync["capabilities"]["notebookDocumentSync"]["notebookSelector"]
    yield client
    client.kill()
    assert b"Traceback" not in client.errors and b"failed:" not in client.errors, client.errors.decode()


def cell_uri(repo: Repo, number: int) -> str:
    return f"vscode-notebook-cell:{repo.path}/n.ipynb#W{number}"


def opened(client: Rpc, repo: Repo, *sources: str) -> None:
    uris = [cell_uri(repo, number) for number in range(len(sources))]
    texts = [{"uri": u, "languageId": "python", "version": 1, "text": s} for u, s in zip(uris, sources, strict=True)]
    cells = [{"kind": 2, "document": uri} for uri in uris]
    document = {"uri": (repo.path / "n.ipynb").as_uri(), "notebookType": "jupyter-notebook", "version": 1}
    client.notify(
        "notebookDocument/didOpen", {"notebookDocument": {**document, "cells": cells}, "cellTextDocuments": texts}
    )


def changed(client: Rpc, repo: Repo, cells: dict[str, Any]) -> None:
    document = {"uri": (repo.path / "n.ipynb").as_uri(), "version": 2}
    client.notify("notebookDocument/didChange", {"notebookDocument": document, "change": {"cells": cells}})


def recollected(client: Rpc, uri: str, line: int) -> Any:
    selection = {"start": {"line": line - 1, "character": 0}, "end": {"line": line, "character": 0}}
    return client.request("anamnesis/recollect", {"uri": uri, "range": selection, "show": False}, 60)


def test_a_line_of_a_cell_leads_to_the_commit_of_its_json_line(repo: Repo, client: Rpc) -> None:
    opened(client, repo, FIRST, SECOND)
    shown = recollected(client, cell_uri(repo, 1), 2)["result"]
    assert "Another y" in shown["story"][0]["text"]
    shown = recollected(client, cell_uri(repo, 1), 1)["result"]
    assert "Two cells" in shown["story"][0]["text"]
    place = {"textDocument": {"uri": cell_uri(repo, 1)}, "position": {"line": 1, "character": 0}}
    deadline = time.monotonic() + 15
    while (found := client.result("textDocument/hover", place)) is None and time.monotonic() < deadline:
        time.sleep(0.05)
    assert "Another y" in found["contents"]["value"] and found["range"]["start"]["line"] == 1
    asked = {"textDocument": {"uri": cell_uri(repo, 1)}, "range": found["range"], "context": {"diagnostics": []}}
    [action] = client.result("textDocument/codeAction", asked)
    assert action["command"] == "anamnesis.recollect"


def test_cells_that_were_moved_and_edited_are_found(repo: Repo, client: Rpc) -> None:
    opened(client, repo, FIRST, SECOND)
    new = cell_uri(repo, 7)
    text = {"uri": new, "languageId": "python", "version": 1, "text": "brand_new_cell(1, 2, 3)"}
    cells = [{"kind": 2, "document": new}]
    changed(client, repo, {"structure": {"array": {"start": 0, "deleteCount": 0, "cells": cells}, "didOpen": [text]}})
    place = {"line": 0, "character": 0}
    edit = {"range": {"start": place, "end": place}, "text": "# typed\n"}
    document = {"uri": cell_uri(repo, 1), "version": 2}
    changed(client, repo, {"textContent": [{"document": document, "changes": [edit]}]})
    assert "Another y" in recollected(client, cell_uri(repo, 1), 3)["result"]["story"][0]["text"]
    error = recollected(client, new, 1)["error"]
    assert error["data"]["code"] == "rangePastEnd" and "Save the notebook" in error["data"]["remedy"]
    gone = {"structure": {"array": {"start": 0, "deleteCount": 1}, "didClose": [{"uri": new}]}}
    changed(client, repo, gone)
    assert recollected(client, new, 1)["error"]["data"]["code"] == "badRequest"
    client.notify(
        "notebookDocument/didClose",
        {"notebookDocument": {"uri": (repo.path / "n.ipynb").as_uri()}, "cellTextDocuments": []},
    )
    assert recollected(client, cell_uri(repo, 1), 1)["error"]["data"]["code"] == "badRequest"
