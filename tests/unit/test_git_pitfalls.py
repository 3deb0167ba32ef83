"""The cases of PITFALLS.jsonl in the areas buffer, lsp, encoding, path, repo, gitenv, perf and history.

Every case has the tests that hold it. The few that no other file holds are here.
"""

from __future__ import annotations

import ast
import json
import os
import re
from pathlib import Path, PurePosixPath, PureWindowsPath

import pytest

from anamnesis_lsp.cancel import never
from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.records.git import Repository, check_selection, history
from anamnesis_lsp.records.git.invocation import NEUTRAL_OPTIONS, environment
from anamnesis_lsp.records.git.shadow import c_quote
from anamnesis_lsp.records.git.text import inside
from tests.builders.repos import GRACE, new_repo, numbered, retry_repo

AREAS = frozenset({"buffer", "lsp", "encoding", "path", "repo", "gitenv", "perf", "history"})
TESTS = Path(__file__).resolve().parents[1]

HELD: dict[str, tuple[str, ...]] = {
    "P001": ("unit/test_git_buffers.py::test_lines_above_and_below_an_insertion_keep_theirs",
             "unit/test_git_blame.py::test_lines_inserted_above_shift_nothing"),
    "P002": ("unit/test_git_blame.py::test_deletions_and_edits_leave_the_other_lines_alone",),
    "P004": ("unit/test_git_buffers.py::test_a_deletion_alone_shifts_what_follows",),
    "P005": ("unit/test_git_pitfalls.py::test_the_editors_text_counts_not_the_disks",),
    "P007": ("unit/test_git_selection.py::test_a_range_that_ends_after_the_last_line_is_cut",),
    "P008": ("unit/test_git_process.py::test_options_that_write_run_or_read_elsewhere_are_never_passed",
             "unit/test_git_blame.py::test_lines_inserted_above_shift_nothing"),
    "P010": ("unit/test_buffers.py::test_columns_go_there_and_back",),
    "P011": ("unit/test_git_linemap.py::test_git_counts_line_feeds_the_editor_every_end",
             "unit/test_git_blame.py::test_a_lone_carriage_return_ends_a_line_for_the_editor_only"),
    "P013": ("unit/test_git_texts.py::test_a_bom_and_crlf_are_no_change",),
    "P014": ("unit/test_git_texts.py::test_utf_16_that_git_takes_for_binary_is_refused_with_the_reason",
             "unit/test_git_texts.py::test_a_working_tree_encoding_is_read_as_the_editor_shows_it"),
    "P016": ("unit/test_git_texts.py::test_a_pointer_of_git_lfs_is_told_as_what_it_is",),
    "P017": ("unit/test_git_objects.py::test_a_message_in_another_encoding_is_read_by_its_header",
             "unit/test_git_objects.py::test_a_message_that_lies_about_its_encoding_is_still_shown"),
    "P019": ("unit/test_git_objects.py::test_strange_authors_never_fail",),
    "P020": ("unit/test_git_pitfalls.py::test_strange_names_are_names",),
    "P022": ("unit/test_git_selection.py::test_a_decomposed_name_finds_the_composed_one",),
    "P023": ("unit/test_git_pitfalls.py::test_strange_names_are_names",),
    "P025": ("unit/test_git_pitfalls.py::test_strange_names_are_names",),
    "P026": ("unit/test_git_pitfalls.py::test_paths_of_windows_are_inside_whatever_their_case_and_prefix",),
    "P028": ("unit/test_git_pitfalls.py::test_strange_names_are_names",),
    "P029": ("unit/test_git_selection.py::test_a_spelling_of_the_same_file_is_put_right",
             "unit/test_git_follow.py::test_every_name_a_file_had_is_followed_and_kept_for_its_commits"),
    "P031": ("unit/test_git_discovery.py::test_a_symbolic_link_to_the_root_and_to_a_file",),
    "P032": ("unit/test_git_pitfalls.py::test_a_link_into_another_repository_has_the_history_of_its_target",),
    "P034": ("unit/test_buffers.py::test_only_local_files_have_a_path",),
    "P035": ("unit/test_git_pitfalls.py::test_a_path_with_the_separator_of_lists_is_quoted_for_git",
             "unit/test_git_discovery.py::test_objects_borrowed_from_another_repository_are_found_also_behind_a_colon"),
    "P037": ("unit/test_git_pitfalls.py::test_a_worktree_inside_its_repository_is_its_own",),
    "P038": ("unit/test_git_discovery.py::test_work_trees_beside_a_bare_clone",),
    "P040": ("unit/test_git_process.py::test_nothing_of_the_callers_git_environment_reaches_the_child",),
    "P041": ("unit/test_git_discovery.py::test_a_submodule_is_a_repository_of_its_own",),
    "P043": ("unit/test_git_discovery.py::test_a_file_in_a_sub_folder_finds_the_repository_above_it",
             "unit/test_git_discovery.py::test_a_submodule_is_a_repository_of_its_own"),
    "P044": ("unit/test_git_discovery.py::test_an_unborn_head_is_told",),
    "P046": ("unit/test_git_selection.py::test_a_binary_file_and_an_empty_one",
             "unit/test_git_pitfalls.py::test_an_empty_file_has_no_lines_and_no_error"),
    "P047": ("unit/test_git_texts.py::test_a_staged_rename_is_asked_about_under_its_old_name",),
    "P049": ("unit/test_git_blame.py::test_where_a_shallow_clone_ends_is_a_boundary_and_the_root_commit_is_none",),
    "P050": ("unit/test_git_blame.py::test_where_a_shallow_clone_ends_is_a_boundary_and_the_root_commit_is_none",
             "unit/test_history_walk.py::test_the_end_of_a_shallow_clone_is_a_boundary"),
    "P052": ("unit/test_git_objects.py::test_no_commit_graph_is_built_for_a_treeless_clone",
             "unit/test_git_warming.py::test_no_graph_where_git_would_not_use_it_or_would_fetch_for_it"),
    "P053": ("unit/test_git_pitfalls.py::test_children_can_neither_ask_nor_fetch_nor_pack",
             "unit/test_git_objects.py::test_a_partial_clone_says_which_file_is_not_there_and_fetches_nothing"),
    "P055": ("unit/test_git_hostile.py::test_replaced_commits_and_grafts_are_not_believed",),
    "P056": ("unit/test_git_pitfalls.py::test_a_commit_of_very_many_files_is_read_for_the_asked_path_only",),
    "P058": ("unit/test_git_texts.py::test_each_side_of_a_conflict_comes_from_its_own_commit",
             "unit/test_git_texts.py::test_markers_are_conflicts_only_in_their_order"),
    "P059": ("unit/test_git_discovery.py::test_head_follows_commits_packing_and_detaching",
             "unit/test_git_blame.py::test_history_that_was_rewritten_invalidates_nothing_but_itself"),
    "P061": ("unit/test_git_hostile.py::test_every_operation_leaves_the_repository_as_it_was_to_the_mtime",),
    "P062": ("unit/test_git_hostile.py::test_every_operation_leaves_the_repository_as_it_was_to_the_mtime",
             "unit/test_git_process.py::test_only_listed_subcommands_run"),
    "P064": ("unit/test_git_hostile.py::test_config_that_breaks_or_bends_blame_and_diff_is_not_heard",),
    "P065": ("unit/test_git_pitfalls.py::test_the_ignore_list_is_that_of_the_root_wherever_the_file_is",),
    "P067": ("unit/test_git_blame.py::test_revisions_the_repository_ignores_are_passed_over_and_named",
             "unit/test_git_blame.py::test_white_space_alone_changes_nothing",
             "unit/test_history_walk.py::test_format_comment_and_doc_are_told_as_such"),
    "P068": ("unit/test_git_hostile.py::test_nothing_planted_in_a_repository_runs",),
    "P070": ("unit/test_git_hostile.py::test_config_that_breaks_or_bends_blame_and_diff_is_not_heard",),
    "P071": ("unit/test_git_hostile.py::test_config_that_breaks_or_bends_blame_and_diff_is_not_heard",),
    "P073": ("unit/test_git_pitfalls.py::test_author_and_committer_are_told_apart",),
    "P074": ("unit/test_git_process.py::test_no_git_on_path_is_told",
             "unit/test_git_process.py::test_a_program_that_is_not_git_is_told"),
    "P076": ("unit/test_git_pitfalls.py::test_children_speak_one_language",),
    "P077": ("unit/test_git_fuzz.py::test_five_hundred_hovers_edits_cancels_and_saves_leave_no_child_behind",
             "unit/test_git_blame.py::test_ten_who_ask_at_once_share_one_answer"),
    "P079": ("unit/test_git_blame.py::test_a_line_does_not_wait_for_the_whole_file",
             "unit/test_git_linemap.py::test_twenty_thousand_lines_with_many_edits_are_mapped_quickly"),
    "P080": ("unit/test_git_texts.py::test_a_minified_file_of_one_line_is_one_line_and_no_burden",
             "unit/test_git_pitfalls.py::test_a_very_long_text_is_cut_before_it_is_searched"),
    "P082": ("unit/test_git_pitfalls.py::test_children_can_neither_ask_nor_fetch_nor_pack",),
    "P083": ("server/test_dispatch.py::test_slow_work_does_not_hold_up_other_answers",),
    "P085": ("unit/test_history_walk.py::test_a_file_split_in_two_that_git_takes_for_one_rename",
             "unit/test_git_follow.py::test_a_file_that_is_like_no_other_begins_where_it_was_added"),
    "P086": ("unit/test_git_follow.py::test_every_name_a_file_had_is_followed_and_kept_for_its_commits",
             "unit/test_git_stepping.py::test_stepping_back_and_forward_loses_no_range"),
    "P088": ("unit/test_search.py::test_a_note_counts_for_the_lines_it_names",),
    "P089": ("unit/test_git_discovery.py::test_a_linked_worktree_has_its_own_root_and_head_and_the_common_dir",
             "unit/test_git_survival.py::test_an_object_that_is_gone_is_found_by_the_lines_of_the_record"),
    "P091": ("unit/test_history_walk.py::test_deleted_then_restored",
             "unit/test_history_walk.py::test_a_file_deleted_then_restored"),
    "P092": ("unit/test_history_walk.py::test_a_merge_that_writes_its_own_line_is_a_step",
             "unit/test_git_stepping.py::test_a_change_made_in_a_merge_steps_to_its_first_parent"),
    "P094": ("unit/test_git_stepping.py::test_the_root_a_new_file_and_the_end_of_a_shallow_clone_stop_politely",),
    "P095": ("unit/test_git_forges.py::test_what_is_no_known_host_gives_no_link",
             "unit/test_git_search.py::test_the_request_that_a_commit_merges_or_squashes"),
}  # fmt: skip


def cases() -> dict[str, str]:
    """Id to area of every case, where the shared material is at hand."""
    shared = Path(os.environ.get("ANAMNESIS_SHARED") or TESTS.parents[1] / "shared")
    file = shared / "PITFALLS.jsonl"
    if not file.exists():
        pytest.skip("PITFALLS.jsonl is not here")
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
    return {row["id"]: row["area"] for row in rows}


def test_every_case_has_its_tests_or_its_reason() -> None:
    mine = {identity for identity, area in cases().items() if area in AREAS}
    assert mine == HELD.keys()


def test_every_test_that_is_named_exists() -> None:
    known: dict[str, set[str]] = {}
    for node in {node for nodes in HELD.values() for node in nodes}:
        name, _, function = node.partition("::")
        if name not in known:
            tree = ast.parse((TESTS / name).read_text(encoding="utf-8"))
            kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
            known[name] = {item.name for item in ast.walk(tree) if isinstance(item, kinds)}
        assert function in known[name], node


# ---- the cases that no other file holds


def test_the_editors_text_counts_not_the_disks(tmp_path: Path) -> None:
    repo = new_repo(tmp_path / "r")
    made = repo.commit("one", {"a.txt": numbered(5)})
    repo.write("a.txt", "written by another program\n")
    it = Repository.discover(repo.path, never())
    chosen = check_selection(it, repo.path / "a.txt", 4, 4, never(), "new\n" + numbered(5))
    assert chosen.count == 6
    blame = it.blame_buffer("a.txt", "new\n" + numbered(5), None, never())
    assert blame.uncommitted == (1,) and {line.commit for line in blame.lines} == {made}


@pytest.mark.parametrize(
    "name",
    [
        "with space.txt",
        "[id].tsx",
        "a*b?.txt",
        "a:b,1,2:c.txt",
        "~/a.txt",
        "~",
        ":(glob)x",
        "-L1,1",
        "a'b\"c.txt",
        "%41",
    ],
)
def test_strange_names_are_names(tmp_path: Path, name: str) -> None:
    repo = new_repo(tmp_path / "r")
    first = repo.commit("one", {name: numbered(6), "aXbY.txt": "decoy\n", "i.tsx": "decoy\n"})
    made = repo.commit("two", {name: numbered(6).replace("number 3 ", "number three ")})
    it = Repository.discover(repo.path, never())
    assert it.relative(repo.path / name) == name
    assert check_selection(it, repo.path / name, 3, 3, never()).path == name
    assert [line.commit for line in it.blame(made, name, [(2, 3)], never()).lines] == [first, made]
    assert [entry.commit for entry in it.log(made, never(), [name])] == [made, first]
    assert [step.commit for step in history.history(it, made, name, 3, 3, never())] == [made, first]


@pytest.mark.parametrize(
    ("root", "path", "there"),
    [
        (r"C:\Work\repo", r"c:\work\REPO\src\a.py", "src/a.py"),
        (r"C:\Work\repo", r"\\?\C:\Work\repo\a.py", "a.py"),
        (r"\\server\share\repo", r"\\SERVER\share\repo\a.py", "a.py"),
        (r"\\server\share\repo", r"\\?\UNC\server\share\repo\a.py", "a.py"),
        (r"C:\Work\repo", r"D:\Work\repo\a.py", None),
        (r"C:\Work\repo", r"C:\Work\repo-other\a.py", None),
        (r"C:\Work\repo", r"C:\Work\repo", "."),
    ],
)
def test_paths_of_windows_are_inside_whatever_their_case_and_prefix(root: str, path: str, there: str | None) -> None:
    found = inside(PureWindowsPath(root), PureWindowsPath(path))
    assert (None if found is None else found.as_posix()) == there


def test_paths_elsewhere_keep_their_case() -> None:
    assert inside(PurePosixPath("/work/repo"), PurePosixPath("/work/REPO/a")) is None
    assert inside(PurePosixPath("/work/repo"), PurePosixPath("/work/repo/a")) == PurePosixPath("a")


def test_a_link_into_another_repository_has_the_history_of_its_target(tmp_path: Path) -> None:
    one, other = retry_repo(tmp_path / "one"), new_repo(tmp_path / "other")
    made = other.commit("Theirs", {"target.txt": "theirs\n"})
    (one.path / "link.txt").symlink_to(other.path / "target.txt")
    it = Repository.discover(one.path / "link.txt", never())
    assert it.root == other.path.resolve()
    chosen = check_selection(it, one.path / "link.txt", 1, 1, never())
    assert (chosen.path, chosen.commit) == ("target.txt", made)


def test_a_path_with_the_separator_of_lists_is_quoted_for_git() -> None:
    assert c_quote(f"/a{os.pathsep}b") == f'"/a{os.pathsep}b"'
    assert c_quote('"/a\\b') == '"\\"/a\\\\b"' and c_quote("/a b") == "/a b"


def test_a_worktree_inside_its_repository_is_its_own(tmp_path: Path) -> None:
    repo = retry_repo(tmp_path / "r")
    repo.git("worktree", "add", "-q", "trees/inner", "HEAD~1")
    inner = Repository.discover(repo.path / "trees" / "inner" / "src" / "fetch.py", never())
    assert inner.root == (repo.path / "trees" / "inner").resolve()
    assert inner.head(never()) != repo.head()


def test_an_empty_file_has_no_lines_and_no_error(tmp_path: Path) -> None:
    repo = new_repo(tmp_path / "r")
    made = repo.commit("one", {"empty": ""})
    it = Repository.discover(repo.path, never())
    assert it.blame(made, "empty", None, never()).lines == ()
    assert it.blame_buffer("empty", "", None, never()).lines == ()
    assert it.blame_buffer("empty", "new\n", None, never()).uncommitted == (1,)


def test_children_can_neither_ask_nor_fetch_nor_pack() -> None:
    env = environment("/usr/bin/git")
    assert env["GIT_TERMINAL_PROMPT"] == "0" and env["GIT_NO_LAZY_FETCH"] == "1"
    assert env["GIT_ASKPASS"] == env["SSH_ASKPASS"] == "true" and env["GIT_SSH_COMMAND"] == "false"
    assert env["GIT_ALLOW_PROTOCOL"] == "none" and env["GIT_OPTIONAL_LOCKS"] == "0"
    assert {"gc.auto=0", "maintenance.auto=false", "protocol.allow=never"} <= set(NEUTRAL_OPTIONS)


def test_children_speak_one_language() -> None:
    assert environment("/usr/bin/git")["LC_ALL"] == "C.UTF-8"


def test_a_commit_of_very_many_files_is_read_for_the_asked_path_only(tmp_path: Path) -> None:
    repo = new_repo(tmp_path / "r")
    made = repo.commit("Import", {f"d{n % 20}/f{n}.txt": numbered(50) for n in range(1500)})
    it = Repository.discover(repo.path, never())
    changes = it.changes(made, never(), paths=["d1/f1.txt"])
    assert [change.path for change in changes] == ["d1/f1.txt"] and len(changes[0].hunks[0].lines) == 50
    assert len(it.changes(made, never(), hunks=False)) == 1500


def test_the_ignore_list_is_that_of_the_root_wherever_the_file_is(tmp_path: Path) -> None:
    repo = new_repo(tmp_path / "r")
    repo.commit("one", {"deep/er/a.txt": "x=1\ny=2\n"})
    formatted = repo.commit("Format", {"deep/er/a.txt": "x := 1\ny := 2\n"})
    head = repo.commit("list", {".git-blame-ignore-revs": f"{formatted}  # format\n"})
    it = Repository.discover(repo.path / "deep" / "er", never())
    blame = it.blame(head, "deep/er/a.txt", None, never())
    assert blame.ignored_revisions == (formatted,) and formatted not in {line.commit for line in blame.lines}


def test_author_and_committer_are_told_apart(tmp_path: Path) -> None:
    repo = new_repo(tmp_path / "r")
    made = Repository.discover(repo.path, never()).commit(repo.commit("one", {"a": "x"}, author=GRACE), never())
    assert (made.author.name, made.committer.name) == ("Grace Hopper", "Ada Lovelace")


def test_a_very_long_text_is_cut_before_it_is_searched(tmp_path: Path) -> None:
    from anamnesis_lsp.records.git.search import by_content

    repo = new_repo(tmp_path / "r")
    line = "x" * 400 + "y" * 100_000
    made = repo.commit("one", {"a.min.js": line})
    it = Repository.discover(repo.path, never())
    assert list(by_content(it, made, line, ["a.min.js"], never())) == [made]


def test_what_is_refused_says_what_to_do(tmp_path: Path) -> None:
    repo = new_repo(tmp_path / "r")
    with pytest.raises(AnamnesisError) as caught:
        check_selection(Repository.discover(repo.path, never()), repo.path / "a", 1, 1, never())
    assert caught.value.code is ErrorCode.UNBORN_HEAD and re.match(r"[A-Z].*\.", caught.value.remedy)
