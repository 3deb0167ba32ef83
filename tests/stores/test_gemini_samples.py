"""The samples of Gemini CLI and Qwen Code (the latter real), counted by hand once."""

from __future__ import annotations

from pathlib import Path

from tests.stores.samples import counted, samples
from tests.unit.reading import store

SAMPLES = samples("gemini-cli")


def test_gemini_samples() -> None:
    found = store("gemini", SAMPLES)
    assert {name: counted(read) for name, read in found.items()} == {
        "sess-uuid-3": ({"injected": 3}, {}, 0, 0, {}),
        "sess-uuid-tool-results": ({"person": 1, "assistant": 1}, {}, 0, 0, {}),
        "reg-gem-set-001": ({"person": 1, "assistant": 1}, {}, 0, 0, {}),
        "registry-gemini": ({"person": 1, "assistant": 1}, {}, 0, 0, {}),
        "gemini-session-1": ({"injected": 1, "person": 1, "assistant": 1}, {}, 0, 0, {}),
    }
    assert found["reg-gem-set-001"].said == [
        ("person", "gemini set-snapshot conformance question"),
        ("assistant", "gemini set-snapshot conformance answer"),
    ]
    assert found["sess-uuid-tool-results"].turns[1].mentions == (".planning/ONE-PAGER.md",)
    assert found["gemini-session-1"].turns[2].mentions == ("OVERVIEW.md",)


def test_qwen_sample() -> None:
    found = store("qwen", samples("qwen"))
    (read,) = found.values()
    assert counted(read) == ({"person": 1, "assistant": 2}, {}, 0, 0, {})
    assert read.said == [("person", "List the files here."), ("assistant", ""), ("assistant", "Done.")]
    assert (read.source.id, read.head.cwds) == ("69f0814a-8bfc-4c8e-93d3-05757f17b96f", ["/tmp/qwentest"])
    assert isinstance(read.source.path, Path) and read.head.version == "0.18.1"
