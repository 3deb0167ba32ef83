"""Every file of the samples is read by the reader of its runtime and counted in a test here, or says why not."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from anamnesis_lsp.cancel import never
from anamnesis_lsp.records.conversations.registry import RUNTIMES, runtime

SHARED = Path(os.environ.get("ANAMNESIS_SHARED") or Path(__file__).parents[3] / "shared")
SAMPLES = SHARED / "samples"

COUNTED = {
    "aider": (("aider",), "test_specstory_aider_samples.py::test_aider_samples"),
    "amp": (("amp",), "test_editor_samples.py::test_a_sample_is_read_as_counted"),
    "claude-code": (("claude-code",), "test_claude_samples.py::test_a_sample_is_read_as_counted"),
    "cline-roo": (("cline", "roo"), "test_editor_samples.py::test_a_sample_is_read_as_counted"),
    "codex": (("codex",), "test_codex_samples.py::test_a_sample_is_read_as_counted"),
    "continue": (("continue",), "test_editor_samples.py::test_a_sample_is_read_as_counted"),
    "copilot": (("copilot-cli", "copilot-chat"), "test_editor_samples.py::test_a_sample_is_read_as_counted"),
    "cursor": (("cursor",), "test_sqlite_samples.py::test_cursor_samples"),
    "gemini-cli": (("gemini",), "test_gemini_samples.py::test_gemini_samples"),
    "goose": (("goose",), "test_sqlite_samples.py::test_goose_samples"),
    "opencode": (("opencode",), "test_opencode_samples.py::test_the_database"),
    "qwen": (("qwen",), "test_gemini_samples.py::test_qwen_sample"),
    "specstory": (("specstory",), "test_specstory_aider_samples.py::test_specstory_samples"),
    "windsurf": (("windsurf",), "test_editor_samples.py::test_a_sample_is_read_as_counted"),
    "zed": (("zed",), "test_sqlite_samples.py::test_zed_samples"),
}
"""Folder of samples → the runtimes whose they are, and the test that has the counts."""

NOT_READ = {
    r"kiro/.*": "Kiro is not among the runtimes that are read",
    r"aider/README\.txt": "says where the samples come from",
    r".*\.sql": "a script: the database that it makes is read by the test of its folder",
    r"cline-roo/.*/taskHistory\.json": "a list of titles beside the conversations, read with them",
    r"cline-roo/.*/history_item\.json": "the title beside a conversation, read with it",
    r"cline-roo/.*/session_synthetic_01\.json": "the head of a session, read with its messages",
    r"opencode/gitai-storage/(message|part)/.*": "pieces of one conversation in a tree of files",
}
"""Pattern of a path → why no reader has it as a conversation's own file."""

pytestmark = pytest.mark.skipif(not SAMPLES.is_dir(), reason=f"no samples at {SAMPLES} (set ANAMNESIS_SHARED)")


def of_runtimes(folder: str) -> set[Path]:
    """The files that the runtimes of a folder of samples read, the folder and each file of it given as a store."""
    found: set[Path] = set()
    for kind in COUNTED[folder][0]:
        for root in (SAMPLES / folder, *(path for path in (SAMPLES / folder).rglob("*"))):
            try:
                for source in runtime(kind).sources(root, never()):
                    found.update(part.path for part in source.parts)
            except Exception as error:
                assert type(error).__name__ == "AnamnesisError", error
    return found


def test_every_folder_of_samples_is_known() -> None:
    folders = {path.name for path in SAMPLES.iterdir() if path.is_dir()}
    assert folders == set(COUNTED) | {"kiro"}
    assert {kind for kinds, _ in COUNTED.values() for kind in kinds} | {"crush", "transcripts"} == set(RUNTIMES)


@pytest.mark.parametrize("folder", sorted(COUNTED))
def test_every_file_is_read_or_says_why_not(folder: str) -> None:
    read = of_runtimes(folder)
    for path in (SAMPLES / folder).rglob("*"):
        name = path.relative_to(SAMPLES).as_posix()
        if path.is_file():
            explained = any(re.fullmatch(pattern, name) for pattern in NOT_READ)
            assert path in read or explained, name


@pytest.mark.parametrize("folder", sorted(COUNTED))
def test_its_counts_are_kept_in_a_test_that_exists(folder: str) -> None:
    file, _, name = COUNTED[folder][1].partition("::")
    assert re.search(rf"^def {name}\(", (Path(__file__).parent / file).read_text(encoding="utf-8"), re.MULTILINE)
