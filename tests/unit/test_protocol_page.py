"""``editors/PROTOCOL.md`` and the code say the same: methods, commands, settings, error codes, URIs, shapes."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args

import pytest

from anamnesis_lsp.errors import ErrorCode
from anamnesis_lsp.present import locators
from anamnesis_lsp.present.round import OutcomeName, Round
from anamnesis_lsp.server import commands, requests, settings
from anamnesis_lsp.server.app import build

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "editors/PROTOCOL.md").read_text(encoding="utf-8")


def section(title: str) -> str:
    return re.split(r"\n## ", PAGE.split(f"\n## {title}\n", 1)[1])[0]


def rows(title: str) -> list[list[str]]:
    """The cells of a section's tables, their heads left out."""
    lines = [line for line in section(title).splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [row for above, row in zip([None, *cells], cells, strict=False) if above is not None and row[0][:3] != "---"]


def under(method: str) -> list[Any]:
    """The examples below the heading that names a method."""
    parts = re.split(r"\n##+ ", PAGE)
    [part] = [part for part in parts if f"`{method}`" in part.splitlines()[0]]
    return [json.loads(block) for block in re.findall(r"```json\n(.*?)```", part, re.DOTALL)]


def test_every_example_is_json() -> None:
    blocks = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
    assert len(blocks) > 12
    for block in blocks:
        json.loads(block)


def test_every_request_and_command_is_on_the_page_and_no_other() -> None:
    assert set(re.findall(r"`anamnesis/(\w+)`", PAGE)) - {"NAME"} == {*commands.REQUESTS, "roundPresented"}
    headings = " ".join(re.findall(r"^### (.*)$", PAGE, re.MULTILINE))
    assert set(re.findall(r"`anamnesis\.(\w+)`", headings)) == set(commands.COMMANDS)
    assert commands.ROUND_PRESENTED == "anamnesis/roundPresented"


def test_the_server_answers_what_the_page_names() -> None:
    server = build(lambda *_: None)  # type: ignore[arg-type,return-value]
    own = {name for name in server.protocol.fm.features if name.startswith("anamnesis/")}
    assert own == {f"anamnesis/{name}" for name in commands.REQUESTS}
    assert set(server.command_handlers) == {f"anamnesis.{name}" for name in commands.COMMANDS}
    assert "workspace/textDocumentContent" in server.protocol.fm.features


def test_every_setting_is_on_the_page_with_its_default() -> None:
    listed = {row[0].strip("`").removeprefix("anamnesis."): row for row in rows("Settings")}
    assert set(listed) == set(settings.NAMES)
    read = settings.from_person({name: json.loads(row[2].strip("`")) for name, row in listed.items()})
    assert read == settings.Read(settings.Settings()), "a default on the page is not the default"
    for name, row in listed.items():
        for value in re.findall(r"`(\"[^`]*\"|true|false|\[[^`]*\]|\{[^`]*\})`", row[1]):
            assert not settings.from_person({name: json.loads(value)}).problems, f"{name} does not take {value}"
        assert (row[3] == "no") == (name in settings._WIDENING), name  # pyright: ignore[reportPrivateUsage]


def test_every_error_code_is_on_the_page_and_no_other() -> None:
    assert [row[0].strip("`") for row in rows("Errors")] == [code.value for code in ErrorCode]


def test_every_kind_of_uri_is_on_the_page() -> None:
    listed = re.findall(r"^\| `anamnesis:///(\w+)/", section("URIs"), re.MULTILINE)
    assert listed == list(dict.fromkeys(listed)) and set(listed) == set(get_args(locators.LocatorKind))


def test_the_shape_of_a_round_is_the_code_s() -> None:
    [example] = [json.loads(b) for b in re.findall(r"```json\n(.*?)```", section("A round"), re.DOTALL)]
    fixed = ("recall", "contract", "outcome", "reading", "cue")
    assert set(fixed) < {field.name for field in fields(Round)}
    from tests.unit.rounds import a_round

    assert shape(a_round().as_wire()) == shape(example)
    outcomes = section("A round").split("`outcome`:")[1].split(".\n")[0]
    assert re.findall(r"`(\w+)`", outcomes) == list(get_args(OutcomeName))


def shape(value: Any) -> Any:
    """The names in a value, whatever the values are."""
    if isinstance(value, dict):
        return {name: shape(inner) for name, inner in sorted(value.items()) if name != "whole"}
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return [shape(value[0])]
    return None


@pytest.mark.parametrize(
    ("method", "read"),
    [
        ("anamnesis/recollect", requests.recollect_params),
        ("anamnesis/say", requests.say_params),
        ("anamnesis/identify", requests.recall_params),
        ("anamnesis/open", requests.open_params),
        ("anamnesis/copyContext", requests.copy_params),
        ("anamnesis/reindex", requests.reindex_params),
        ("anamnesis/content", requests.content_params),
    ],
)
def test_the_example_of_a_request_is_taken(method: str, read: Any) -> None:
    example = under(method)[0]
    taken = read(example)
    named = {"form" if name == "as" else name for name in example}
    assert named <= {field.name for field in fields(taken)}


def test_the_extension_offers_every_setting_with_the_same_default() -> None:
    manifest = json.loads((ROOT / "editors/vscode/package.json").read_text(encoding="utf-8"))
    offered = manifest["contributes"]["configuration"]["properties"]
    own = {"server.path", "server.package", "trace.server"}
    assert {name.removeprefix("anamnesis.") for name in offered} - own == set(settings.NAMES)
    defaults = {row[0].strip("`"): json.loads(row[2].strip("`")) for row in rows("Settings")}
    for name, default in defaults.items():
        assert offered[name]["default"] == default
        assert offered[name].get("description") or offered[name].get("markdownDescription")
    for name in settings._WIDENING:  # pyright: ignore[reportPrivateUsage]
        assert offered[f"anamnesis.{name}"]["scope"] == "machine"


def test_the_extension_takes_no_id_of_the_server_s() -> None:
    manifest = json.loads((ROOT / "editors/vscode/package.json").read_text(encoding="utf-8"))
    own = {command["command"] for command in manifest["contributes"]["commands"]}
    assert not own & {f"anamnesis.{name}" for name in commands.COMMANDS}
