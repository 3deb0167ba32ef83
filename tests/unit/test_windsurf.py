"""Windsurf's hook transcripts. Fixtures built from FORMATS section 11; a real transcript is in ``tests/stores``."""

from __future__ import annotations

from pathlib import Path

from anamnesis_lsp.records.conversations.windsurf import Windsurf
from tests.builders.copilot import write
from tests.builders.reading import Read, read_one
from tests.builders.windsurf import code, person, ran, reply, step


def read(tmp_path: Path, *lines: bytes) -> Read:
    return read_one("windsurf", write(tmp_path / "t1.jsonl", b"".join(lines)))


def test_the_steps_between_two_prompts_are_the_assistants(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        person("Go"),
        reply("I will"),
        step("view_file", path="file:///a.py"),
        code("/b.py", "x"),
        person("More"),
        code("/c.py", "y"),
    )
    assert found.said == [("person", "Go"), ("assistant", "I will"), ("person", "More"), ("assistant", "")]
    assert found.turns[1].mentions == ("/a.py",) and [edit.path for edit in found.turns[3].edits] == ["/c.py"]


def test_an_edit_is_what_the_person_made_of_it(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        code("/a", "1"),
        code("/b", "1", "REJECT"),
        code("/c", "1", "UNSPECIFIED"),
        code("/d", "1", status="error"),
    )
    assert [outcome for _, outcome in found.outcomes] == ["applied", "rejected", "unconfirmed", "failed"]
    assert all(edit.whole_file for edit in found.edits)


def test_lines_the_transcript_wrote_before_are_not_new(tmp_path: Path) -> None:
    found = read(tmp_path, code("/a", "1\n2\n"), code("/a", "1\n3\n", "REJECT"), code("/a", "1\n4\n"))
    assert [(edit.written, edit.removed) for edit in found.edits] == [("1\n2\n", None), ("3", "2"), ("4", "2")]
    assert [edit.whole_file for edit in found.edits] == [True, False, False]


def test_a_commit_and_the_directory_of_a_command(tmp_path: Path) -> None:
    refused = ran("git commit -m no", "[main 7654321] no", rejected=True)
    found = read(
        tmp_path, reply("Done"), ran("git commit -a", '".git/COMMIT_EDITMSG" written\n[main 1234567] Add   \n'), refused
    )
    assert found.commits == [("1234567", "Add")] and found.head.cwds == ["/home/dev/app"]


def test_what_is_not_known_is_counted_and_there_is_no_way_back_in(tmp_path: Path) -> None:
    found = read(tmp_path, person("Go"), step("hologram"), b"{torn\n")
    assert (found.scan.skipped_lines, found.scan.unknown_types) == (1, {"hologram": 1})
    assert found.handle().command is None
    assert Windsurf().default_roots({}, tmp_path, None) == [tmp_path / ".windsurf" / "transcripts"]
