"""Every test has a cache and a state directory of its own; none touches the user's."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def own_places(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    places = tmp_path_factory.mktemp("places")
    monkeypatch.setenv("ANAMNESIS_CACHE_DIR", str(places / "cache"))
    monkeypatch.setenv("ANAMNESIS_STATE_DIR", str(places / "state"))
    return places
