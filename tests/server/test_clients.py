"""Negotiation with every client whose capabilities pytest-lsp ships, end to end over stdio."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from lsprotocol.converters import get_converter
from pytest_lsp import ClientServerConfig, LanguageClient

from anamnesis_lsp.server.buffers import to_units
from tests.server.scene import Scene, a_scene

CLIENTS = sorted(file.name for file in resources.files("pytest_lsp.clients").iterdir() if file.name.endswith(".json"))
ROOT = Path(__file__).resolve().parents[2]


async def connected(scene: Scene, snapshot: str) -> tuple[LanguageClient, types.InitializeResult]:
    env = {**os.environ, **scene.env, "PYTHONPATH": str(ROOT)}
    config = ClientServerConfig([sys.executable, "-m", "anamnesis_lsp.server"], server_env=env)
    client = await config.start()
    assert isinstance(client, LanguageClient)
    raw: Any = json.loads(resources.files("pytest_lsp.clients").joinpath(snapshot).read_text())
    params = get_converter().structure(raw, types.InitializeParams)
    params.root_uri = scene.repo.path.as_uri()
    params.workspace_folders = [types.WorkspaceFolder(scene.repo.path.as_uri(), "app")]
    params.process_id = os.getpid()
    return client, await client.initialize_session(params)


@pytest.mark.parametrize("snapshot", CLIENTS)
async def test_the_main_job_in_every_client(tmp_path: Path, snapshot: str) -> None:
    scene = a_scene(tmp_path)
    client, result = await connected(scene, snapshot)
    try:
        general = client.capabilities.general if client.capabilities else None
        offered = general.position_encodings if general else None
        encoding = result.capabilities.position_encoding
        assert encoding == (offered or ["utf-16"])[0]
        assert result.capabilities.workspace and result.capabilities.workspace.text_document_content
        uri = scene.file.as_uri()
        client.text_document_did_open(
            types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, "python", 1, scene.file.read_text()))
        )
        lines = types.Range(types.Position(3, 0), types.Position(6, 4))
        document = types.TextDocumentIdentifier(uri)
        offers = await client.text_document_code_action_async(
            types.CodeActionParams(document, lines, types.CodeActionContext([]))
        )
        assert offers is not None
        assert [offer.title for offer in offers] == ["Recollect: why is this here?"]
        shown: Any = await client.workspace_execute_command_async(
            types.ExecuteCommandParams(
                "anamnesis.recollect", [{"uri": uri, "range": get_converter().unstructure(lines)}]
            )
        )
        assert shown["outcome"] == "presented"
        assert scene.commit in [record["id"] for record in shown["records"]]
        window = client.capabilities.window if client.capabilities else None
        if window and window.show_document and window.show_document.support:
            for _ in range(200):
                if client.shown_documents:
                    break
                await asyncio.sleep(0.02)
            copy = client.shown_documents[0].uri
            assert copy.startswith("file://")
            text = Path(copy.removeprefix("file://")).read_text()
            line = next(n for n, line in enumerate(text.splitlines()) if "[[2]]" in line)
            before = text.splitlines()[line].partition("[[2]]")[0]
            column = to_units(before, len(before), str(getattr(encoding, "value", encoding))) + 2  # type: ignore[arg-type]
            found = await client.text_document_definition_async(
                types.DefinitionParams(types.TextDocumentIdentifier(copy), types.Position(line, column))
            )
            assert isinstance(found, types.Location) and found.uri.startswith("file://")
        found_hover = await client.text_document_hover_async(types.HoverParams(document, types.Position(4, 0)))
        if found_hover is not None:
            assert isinstance(found_hover.contents, types.MarkupContent)
        await client.shutdown_session()
        assert client._server is not None and client._server.returncode == 0
    finally:
        if client._server is not None and client._server.returncode is None:
            client._server.kill()
        await client.stop()
