"""The ways in which others went wrong with session logs, each held by a test.

``PITFALLS.jsonl`` of the project's design material lists them with their sources; its cases of the area ``session`` are
all named here, with the tests that hold them. A case whose right behaviour is not ours says why.
"""

from __future__ import annotations

import ast
import json
import os
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from anamnesis_lsp.records.conversations.belonging import RepositoryTraits, belongs, repository_path
from anamnesis_lsp.records.conversations.claude_code import slug
from anamnesis_lsp.records.conversations.model import Head
from tests.builders.claude import START, Transcript, session
from tests.builders.copilot import write
from tests.builders.reading import read_all, read_one

TESTS = Path(__file__).parents[1]
SHARED = Path(os.environ.get("ANAMNESIS_SHARED") or Path(__file__).parents[3] / "shared")

HELD: dict[str, tuple[str, ...]] = {
    "P097": (
        "unit/test_conversation_lines.py::test_a_torn_last_line_is_unfinished_not_lost",
        "stores/test_every_reader.py::test_cut_at_any_byte",
        "unit/test_index_refresh.py::test_an_appended_turn_is_found_and_the_turns_before_it_stay",
    ),
    "P098": (
        "unit/test_conversation_lines.py::test_a_bad_line_hides_nothing",
        "unit/test_json_items.py::test_one_broken_item_hides_no_other",
        "stores/test_every_reader.py::test_lines_spliced_and_doubled",
    ),
    "P100": (
        "unit/test_conversation_lines.py::test_runs_of_nul_before_a_record_are_dropped",
        "stores/test_every_reader.py::test_a_run_of_nul_before_and_after",
    ),
    "P101": ("unit/test_session_pitfalls.py::test_p101_two_writers_of_one_session",),
    "P103": ("unit/test_session_pitfalls.py::test_p103_two_children_of_one_parent_are_both_read",),
    "P104": (
        "unit/test_session_pitfalls.py::test_p104_a_compaction_summary_is_never_the_persons",
        "unit/test_copilot_cli.py::test_a_compaction_summary_is_nobodys",
        "unit/test_roo.py::test_a_condensed_context_is_nobodys_words",
    ),
    "P106": (
        "unit/test_claude_code.py::test_prompts_typed_while_it_worked_are_attachments",
        "unit/test_claude_code.py::test_queue_rows_alone_show_what_went_into_the_running_turn",
    ),
    "P107": (
        "unit/test_claude_code.py::test_sub_agents_in_their_three_layouts",
        "unit/test_claude_code.py::test_a_sub_agent_is_reopened_by_its_parent",
    ),
    "P109": (
        "unit/test_claude_code.py::test_unknown_types_are_counted_not_raised",
        "stores/test_every_reader.py::test_any_value_of_a_wrong_type",
    ),
    "P110": (
        "unit/test_conversation_lines.py::test_a_line_over_the_cap_is_never_held",
        "stores/test_every_reader.py::test_a_line_of_100_megabytes_is_not_held",
        "unit/test_index_catalog.py::test_what_is_too_long_to_index_is_counted",
    ),
    "P112": ("unit/test_session_pitfalls.py::test_p112_two_directories_of_one_slug",),
    "P113": ("unit/test_session_pitfalls.py::test_p113_a_slug_that_was_cut_and_hashed",),
    "P115": ("unit/test_session_pitfalls.py::test_p115_a_worktree_that_is_gone",),
    "P116": ("unit/test_claude_code.py::test_directories_and_branches_are_per_record",),
    "P118": (
        "unit/test_claude_code.py::test_default_roots_follow_the_environment",
        "unit/test_claude_code.py::test_another_configuration_folder_is_said",
        "unit/test_codex.py::test_default_root_is_codex_home_or_dot_codex",
    ),
    "P119": (
        "unit/test_index_refresh.py::test_a_deleted_source_is_marked_and_comes_back",
        "unit/test_index_refresh.py::test_a_gone_record_is_forgotten_after_its_retention",
        "unit/test_conversation_stores.py::test_a_conversation_that_is_gone_is_said_to_be",
    ),
    "P121": ("unit/test_codex.py::test_the_output_grammar_of_exec_json_is_told_as_no_rollout",),
    "P122": (
        "unit/test_sqlite_store.py::test_a_database_in_use_is_read_from_a_copy_and_its_folder_is_untouched",
        "unit/test_sqlite_store.py::test_a_filled_wal_without_its_shm_gets_none",
        "unit/test_sqlite_store.py::test_what_is_too_large_to_copy_is_told_as_in_use",
    ),
    "P124": (
        "unit/test_masking.py::test_a_token_of_a_fixed_format_is_masked_when_shown_and_before_it_is_indexed",
        "unit/test_index_catalog.py::test_secrets_of_fixed_formats_do_not_enter_the_index",
        "unit/test_index_refresh.py::test_the_index_is_for_its_owner_only",
    ),
    "P125": (
        "unit/test_escape.py::test_no_line_of_a_record_is_live_in_markdown",
        "unit/test_escape.py::test_only_our_own_schemes_become_links",
    ),
    "P127": (
        "unit/test_index_refresh.py::test_a_rewritten_source_equals_a_rebuild",
        "unit/test_conversation_stores.py::test_opening_reads_the_record_as_it_is_now",
    ),
    "P128": (
        "stores/test_every_reader.py::test_a_line_of_100_megabytes_is_not_held",
        "unit/test_index_ahead.py::test_no_reader_outlives_its_starter",
    ),
    "P130": (
        "unit/test_conversation_edits.py::test_the_files_of_an_apply_patch",
        "unit/test_conversation_edits.py::test_a_heredoc_that_goes_to_a_file_writes_it",
        "unit/test_conversation_stores.py::test_a_recorded_path_names_a_path_of_the_repository",
    ),
    "P131": (
        "unit/test_claude_code.py::test_failed_staged_and_unanswered_edits_are_not_applied",
        "unit/test_claude_code.py::test_a_reason_given_with_a_refusal_is_the_persons_and_the_edit_is_rejected",
        "unit/test_index_catalog.py::test_lines_that_were_removed_failed_or_rejected_were_written_by_nobody",
    ),
}
"""Case → the tests that hold it, as ``file::test`` under ``tests``."""

NOT_HELD: dict[str, str] = {}
"""Case → why no test holds it."""

PARTLY: dict[str, str] = {
    "P122": "cases say never immutable=1 on a live WAL: so it is, and a filled -wal is read from a copy (DESIGN, 8).",
    "P128": "a server indexes in its own thread: no process can be left over; the command line's end with it.",
    "P130": "what sed -i or a script wrote is not told: the record does not show its lines.",
}
"""What part of a case is held otherwise than it says, or not."""


@cache
def names_in(path: Path) -> frozenset[str]:
    tree = ast.parse(path.read_text("utf-8"))
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)))


@pytest.mark.parametrize("case", sorted(HELD))
def test_the_tests_of_a_case_exist(case: str) -> None:
    for node in HELD[case]:
        file, _, name = node.partition("::")
        assert name in names_in(TESTS / file), node


def test_every_case_of_the_list_is_here() -> None:
    path = SHARED / "PITFALLS.jsonl"
    if not path.is_file():
        pytest.skip(f"the list is not there: {path} (set ANAMNESIS_SHARED)")
    cases: list[dict[str, Any]] = [json.loads(line) for line in path.read_text("utf-8").split("\n") if line.strip()]
    assert {case["id"] for case in cases if case["area"] == "session"} == set(HELD) | set(NOT_HELD)
    assert set(PARTLY) <= set(HELD)


def test_p101_two_writers_of_one_session(tmp_path: Path) -> None:
    """Two processes append to one file: the order is the file's, times are not sorted, a record is one by its uuid."""
    one = Transcript(session(1)).person("one").assistant("first")
    other = Transcript(session(1), agent=None)
    other._key = "zz"  # the second process makes records of its own
    other.now = START.replace(hour=8)
    other.person("two").assistant("second")
    lines = [one.lines[0], other.lines[0], one.lines[1], other.lines[1], one.lines[0]]
    path = write(tmp_path / f"{session(1)}.jsonl", b"".join(line + b"\n" for line in lines))
    found = read_one("claude-code", path)
    assert [text for _, text in found.said] == ["one", "two", "first", "second"]
    assert found.head.started is not None and found.head.started.hour == 8


def test_p103_two_children_of_one_parent_are_both_read(tmp_path: Path) -> None:
    """A rewound branch still tells why: the chain of parents is not followed."""
    transcript = Transcript(session(1)).person("Go")
    fork = transcript._last
    transcript.assistant("this way")
    transcript._last = fork
    transcript.person("no, that way").assistant("that way")
    found = read_one("claude-code", write(tmp_path / f"{session(1)}.jsonl", b"\n".join(transcript.lines) + b"\n"))
    assert [text for _, text in found.said] == ["Go", "this way", "no, that way", "that way"]


def test_p104_a_compaction_summary_is_never_the_persons(tmp_path: Path) -> None:
    """By its field, and in older files by its opening words."""
    opening = "This session is being continued from a previous conversation that ran out of context."
    transcript = Transcript(session(1)).person("Summary: we decided", isCompactSummary=True).person(opening)
    found = read_one("claude-code", write(tmp_path / f"{session(1)}.jsonl", b"\n".join(transcript.lines) + b"\n"))
    assert found.speakers == {"injected": 2}


def test_p112_two_directories_of_one_slug(tmp_path: Path) -> None:
    """The folder's name stands for both: which it was, only the records say."""
    here, there = "/home/dev/my_app", "/home/dev/my.app"
    assert slug(here) == slug(there)
    for number, cwd in enumerate((here, there), 1):
        Transcript(session(number), cwd=cwd).person("Go").write_to(tmp_path, slug(cwd))
    found = {one.source.id: one for one in read_all("claude-code", tmp_path)}
    assert found[session(1)].head.cwds == [here] and found[session(2)].head.cwds == [there]
    assert belongs(RepositoryTraits((here,)), found[session(2)].head, []).strength < 0.5
    assert belongs(RepositoryTraits((here,)), found[session(1)].head, []).strength == 1.0


def test_p113_a_slug_that_was_cut_and_hashed(tmp_path: Path) -> None:
    """A folder's name is never decoded, so what was done to it does not matter."""
    cwd = "/home/dev/" + "long-" * 60
    Transcript(session(1), cwd=cwd).person("Go").write_to(tmp_path, slug(cwd)[:200] + "-1a2b3c")
    found = read_one("claude-code", tmp_path)
    assert found.head.cwds == [cwd] and belongs(RepositoryTraits((cwd,)), found.head, []).strength == 1.0


def test_p115_a_worktree_that_is_gone(tmp_path: Path) -> None:
    """A deleted worktree's session belongs by its paths, and its paths are those of the repository."""
    tracked = frozenset({"src/retry.py", "README.md"})
    repository = RepositoryTraits(("/home/dev/app",), tracked=tracked)
    inside, beside = "/home/dev/app/.claude/worktrees/fix", "/home/dev/app--claude-worktrees-fix"
    for worktree in (inside, beside):
        assert repository_path(repository, f"{worktree}/src/retry.py", worktree) == "src/retry.py"
        found = belongs(repository, Head(cwds=[worktree]), [(f"{worktree}/src/retry.py", worktree)])
        assert found.strength >= 0.5
