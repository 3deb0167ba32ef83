"""Settings are validated, and a repository cannot widen what is searched."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anamnesis_lsp.server.settings import NAMES, ExtraStore, Settings, from_person, from_workspace

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*NAMES, "x", "kind", "path"]), inner, max_size=4)
    ),
    max_leaves=10,
)


def test_every_setting_can_be_given_by_the_person() -> None:
    read = from_person(
        {
            "contract": "recollect",
            "hover": "off",
            "codeLens": True,
            "stores": {"codex": False},
            "extraStores": [{"kind": "aider", "path": "/logs"}],
            "extraRoots": ["/other"],
            "index": False,
        }
    )
    assert read.problems == ()
    assert read.settings == Settings(
        "recollect", "off", True, {"codex": False}, (ExtraStore("aider", Path("/logs")),), (Path("/other"),), False
    )


@pytest.mark.parametrize("section", ["anamnesis", "settings"])
def test_settings_may_stand_in_a_section(section: str) -> None:
    assert from_person({section: {"hover": "full"}, "virtualDocuments": True}).settings.hover == "full"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("contract", "other"),
        ("contract", 3),
        ("hover", ["brief"]),
        ("codeLens", "yes"),
        ("stores", ["codex"]),
        ("stores", {"codex": "off"}),
        ("extraStores", [{"kind": "aider"}]),
        ("extraStores", [{"kind": "aider", "path": "relative"}]),
        ("extraRoots", ["relative"]),
        ("extraRoots", ["/a\0b"]),
        ("extraRoots", ["/x"] * 65),
        ("index", 1),
    ],
)
def test_a_wrong_value_is_named_and_left_out(name: str, value: object) -> None:
    read = from_person({name: value})
    assert read.settings == Settings()
    assert len(read.problems) == 1
    assert f"anamnesis.{name}" in read.problems[0]
    assert "relative" not in read.problems[0]


def test_a_workspace_cannot_add_stores_or_roots() -> None:
    read = from_workspace(
        {"extraStores": [{"kind": "aider", "path": "/"}], "extraRoots": ["/"], "hover": "full"}, Settings()
    )
    assert read.settings == Settings(hover="full")
    assert len(read.problems) == 2


def test_a_workspace_that_repeats_the_persons_own_paths_is_not_complained_about() -> None:
    person = Settings(extra_roots=(Path("/other"),))
    assert from_workspace({"extraRoots": ["/other"]}, person).problems == ()


def test_a_workspace_can_only_turn_stores_off() -> None:
    person = from_person({"stores": {"codex": False}}).settings
    read = from_workspace({"stores": {"codex": True, "aider": False}}, person)
    assert read.settings.stores == {"codex": False, "aider": False}
    assert read.problems


@given(json_values)
def test_no_value_stops_the_server_or_reaches_a_message(value: object) -> None:
    for read in (from_person(value), from_workspace(value, Settings())):
        assert isinstance(read.settings, Settings)
        assert all(isinstance(problem, str) and problem.startswith("anamnesis") for problem in read.problems)
    assert from_workspace(value, Settings()).settings.extra_stores == ()


def test_only_what_a_recall_depends_on_makes_another_brain() -> None:
    assert Settings(hover="off").of_recalls == Settings().of_recalls
    assert Settings(contract="recollect").of_recalls != Settings().of_recalls
    assert json.dumps(NAMES)
