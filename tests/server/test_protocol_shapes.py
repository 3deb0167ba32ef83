"""Every answer has the shape that ``editors/PROTOCOL.md`` shows for it, from a server over a real repository."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from anamnesis_lsp.server import protocol
from tests.server.rpc import Rpc, real_command
from tests.server.scene import Scene, a_scene
from tests.unit.test_protocol_page import PAGE, shape, under

ADVERTISED: dict[str, Any] = {}


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    return a_scene(tmp_path_factory.mktemp("scene"))


@pytest.fixture(scope="module")
def client(scene: Scene) -> Iterator[Rpc]:
    client = Rpc(real_command(), scene.env)
    ADVERTISED.update(client.initialize(scene.repo.path, {}, {"virtualDocuments": True})["capabilities"])
    client.result("anamnesis/recollect", {**place(scene), "show": False})
    yield client
    client.kill()


def place(scene: Scene) -> dict[str, Any]:
    lines = {"start": {"line": 4, "character": 0}, "end": {"line": 6, "character": 0}}
    return {"uri": scene.file.as_uri(), "range": lines}


def test_what_is_answered_has_the_shape_on_the_page(scene: Scene, client: Rpc) -> None:
    changed = {"start": {"line": 3, "character": 0}, "end": {"line": 7, "character": 0}}
    before = client.result("anamnesis/before", {"uri": scene.file.as_uri(), "range": changed})
    file = f"anamnesis:///file/{before['uri'].split('/')[4]}/{scene.commit}/src/fetch.py?lines=5-6"
    answers = {
        "anamnesis/before": before,
        "anamnesis/open": client.result("anamnesis/open", {"locator": file}),
        "anamnesis/copyContext": client.result("anamnesis/copyContext", {"as": "commit"}),
        "anamnesis/recalls": client.result("anamnesis/recalls"),
        "anamnesis/stores": client.result("anamnesis/stores"),
        "anamnesis/content": client.result("anamnesis/content", {"uri": file}),
    }
    for method, answer in answers.items():
        assert shape(answer) == shape(under(method)[-1]), method


def test_the_commands_take_and_answer_what_the_requests_do(scene: Scene, client: Rpc) -> None:
    def run(name: str, argument: dict[str, Any]) -> Any:
        return client.result("workspace/executeCommand", {"command": f"anamnesis.{name}", "arguments": [argument]})

    quiet = {"show": False}
    [example] = [json.loads(b) for b in re.findall(r"```json\n(.*?)```", PAGE.split("## A round")[1], re.DOTALL)][:1]
    for name, argument in {"recollect": {**place(scene), **quiet}, "say": {"text": "no, earlier", **quiet}}.items():
        assert set(run(name, argument)) == set(example), name
    for name in ("identify", "end"):
        client.result("anamnesis/recollect", {**place(scene), **quiet})
        assert set(run(name, quiet)) == set(example), name
    assert run("reindex", {}) is None


def test_the_codes_on_the_page_are_the_code_s() -> None:
    codes = {int(code) for code in re.findall(r"`(-32\d\d\d)`", PAGE)}
    assert codes == {
        protocol.REQUEST_FAILED, protocol.INVALID_PARAMS, protocol.INTERNAL_ERROR, protocol.REQUEST_CANCELLED,
        protocol.METHOD_NOT_FOUND, protocol.INVALID_REQUEST, protocol.NOT_INITIALIZED, protocol.PARSE_ERROR,
    }  # fmt: skip


@pytest.mark.usefixtures("client")
def test_what_is_advertised_is_on_the_page() -> None:
    expected = {
        "hoverProvider", "codeActionProvider", "documentLinkProvider", "definitionProvider", "documentSymbolProvider",
        "foldingRangeProvider", "executeCommandProvider", "workspace", "textDocumentSync", "positionEncoding",
    }  # fmt: skip
    assert {name for name, value in ADVERTISED.items() if value} == expected
    assert ADVERTISED["workspace"]["textDocumentContent"]["schemes"] == ["anamnesis"]
    said = PAGE.split("Advertised in return:")[1].split("## Settings")[0]
    words = ("hover", "code actions", "document links", "definition", "document symbols", "folding ranges", "commands")
    words += ("notebook documents",)
    assert all(word in said for word in words)


def test_the_pages_of_the_editors_name_settings_that_there_are() -> None:
    from anamnesis_lsp.server import settings

    root = Path(__file__).parents[2] / "editors"
    named: set[str] = set()
    for page in root.glob("*/README.md"):
        text = page.read_text(encoding="utf-8")
        named |= set(re.findall(r"\"?anamnesis\"?\s*[:=]\s*\{\s*\"?(\w+)\"?", text))
    named.discard("enabled")  # Sublime's own, under the client's name
    assert named and named <= set(settings.NAMES), named
