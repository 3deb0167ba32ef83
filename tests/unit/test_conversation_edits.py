"""What a patch, a tool call and a shell command wrote: new lines only, and commits only where the output shows them."""

from __future__ import annotations

from difflib import ndiff
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anamnesis_lsp.records.conversations import patches, shell
from anamnesis_lsp.records.conversations.model import EditOutcome
from anamnesis_lsp.records.conversations.tool_edits import edits_files, proposed_edits

# -- old and new


def test_only_lines_that_are_new_count_as_written() -> None:
    assert patches.changed_lines("a\nb\nc\n", "a\nB\nc\nd\n") == ("B\nd", "b")
    assert patches.new_lines("", "a\nb") == "a\nb"
    assert patches.new_lines("a\r\nb\r\n", "a\nb\n") == ""
    assert patches.new_lines("x\nx\n", "x\nx\nx\n") == "x"


@given(st.lists(st.sampled_from("abcd"), max_size=14), st.lists(st.sampled_from("abcd"), max_size=14))
def test_the_diff_leads_from_the_old_text_to_the_new(old: list[str], new: list[str]) -> None:
    written, removed = patches.changed_lines("\n".join(old), "\n".join(new))
    added, dropped = written.split("\n") if written else [], removed.split("\n") if removed else []
    assert sorted([*old, *added]) == sorted([*new, *dropped])
    assert len(added) <= sum(line[0] == "+" for line in ndiff(old, new)) or len(added) <= len(new)


def test_a_large_rewrite_is_still_told_apart() -> None:
    old = "\n".join(f"line {number}" for number in range(3000))
    new = "\n".join(f"line {number}" for number in range(2999, -1, -1)) + "\nnew"
    assert patches.new_lines(old, new) == "new"


# -- apply_patch

PATCH = """*** Begin Patch
*** Add File: new.py
+import os
+
*** Update File: src/old.py
*** Move to: src/moved.py
@@ def f():
 context
-gone
+come
*** Delete File: dead.py
*** End Patch"""


def test_the_files_of_an_apply_patch() -> None:
    add, update, delete = patches.apply_patch(f"apply_patch <<'EOF'\n{PATCH}\nEOF")
    assert (add.kind, add.path, add.written) == ("add", "new.py", "import os\n")
    assert (update.path, update.old_path, update.written, update.removed) == (
        "src/moved.py",
        "src/old.py",
        "come",
        "gone",
    )
    assert (delete.kind, delete.path, delete.written) == ("delete", "dead.py", "")


def test_a_torn_patch_gives_what_is_there() -> None:
    assert [file.path for file in patches.apply_patch(PATCH[:90])] == ["new.py", "src/old.py"]
    assert patches.apply_patch("no patch") == []


# -- unified diffs


def test_the_files_of_a_unified_diff() -> None:
    text = "\n".join(
        [
            "diff --git a/a.sql b/a.sql",
            "--- a/a.sql",
            "+++ b/a.sql",
            "@@ -1,3 +1,3 @@",
            " select 1",
            "--- an old comment",
            "+-- a new comment",
            " from t",
            "--- /dev/null",
            "+++ b/new.py\t2026-03-01",
            "@@ -0,0 +1 @@",
            "+x = 1",
            "\\ No newline at end of file",
        ]
    )
    changed, added = patches.unified(text)
    assert (changed.path, changed.written, changed.removed) == ("a.sql", "-- a new comment", "-- an old comment")
    assert (added.kind, added.path, added.written) == ("add", "new.py", "x = 1")


def test_bare_hunks_take_the_name_that_is_given() -> None:
    (file,) = patches.unified("@@ -1 +1 @@\n-a\n+b", "f.py")
    assert (file.path, file.written, file.removed) == ("f.py", "b", "a")


# -- SEARCH/REPLACE


@pytest.mark.parametrize(
    ("begin", "end"),
    [
        ("<<<<<<< SEARCH", ">>>>>>> REPLACE"),
        ("------- SEARCH", "+++++++ REPLACE"),
        ("<<<<<<< SEARCH :start_line:3", ">>>>>>> REPLACE"),
    ],
)
def test_search_and_replace_blocks(begin: str, end: str) -> None:
    text = f"{begin}\nold\n=======\nnew\nmore\n{end}\ntalk\n{begin}\n=======\nadded\n{end}"
    assert patches.search_replace(text) == [("old", "new\nmore"), ("", "added")]


def test_a_block_that_does_not_end_is_left_out_and_hints_are_no_content() -> None:
    text = "<<<<<<< SEARCH\n:start_line:12\n-------\nold\n=======\nnew\n>>>>>>> REPLACE\n<<<<<<< SEARCH\nx\n======="
    assert patches.search_replace(text) == [("old", "new")]


@given(st.text(st.sampled_from("@+- \n*<>=SEARCHREPLACBegin PthdUpFl:,1"), max_size=300))
def test_no_text_breaks_a_grammar(text: str) -> None:
    """Whatever is found is words of the text."""
    patches.apply_patch(text)
    patches.unified(text, "x")
    for old, new in patches.search_replace(text):
        assert all(line in text for line in [*old.split("\n"), *new.split("\n")])
    shell.heredoc_writes(text)
    for commit in shell.commits_in("git commit", text):
        assert commit.hash in text


# -- tool calls


@pytest.mark.parametrize(
    ("tool", "arguments", "expected"),
    [
        ("Edit", {"file_path": "a", "old_string": "x\ny", "new_string": "x\nz"}, [("a", "z", "y", False)]),
        ("edit", {"filePath": "a", "oldString": "x", "newString": "y"}, [("a", "y", "x", False)]),
        ("StrReplace", {"path": "a", "old_str": "x", "new_str": "y"}, [("a", "y", "x", False)]),
        ("write_to_file", {"path": "a", "content": "x\n"}, [("a", "x\n", None, True)]),
        ("create_file", {"filePath": "a", "content": "x"}, [("a", "x", None, True)]),
        (
            "text_editor",
            {"command": "insert", "path": "a", "insert_line": 3, "new_str": "x"},
            [("a", "x", None, False)],
        ),
        ("text_editor", {"command": "view", "path": "a"}, []),
        (
            "MultiEdit",
            {"file_path": "a", "edits": [{"old_string": "x", "new_string": "y"}, "junk", {}]},
            [("a", "y", "x", False)],
        ),
        (
            "multi_replace",
            {"replacements": [{"filePath": "b", "oldString": "x", "newString": "y"}]},
            [("b", "y", "x", False)],
        ),
        (
            "apply_patch",
            {"input": PATCH.replace("*** Delete File: dead.py\n", "")},
            [("new.py", "import os\n", None, False), ("src/moved.py", "come", "gone", False)],
        ),
        (
            "replace_in_file",
            {"path": "a", "diff": "------- SEARCH\nx\n=======\ny\n+++++++ REPLACE"},
            [("a", "y", "x", False)],
        ),
        ("apply_diff", {"path": "a", "diff": "@@ -1 +1 @@\n-x\n+y"}, [("a", "y", "x", False)]),
        ("Edit", {"file_path": 3, "old_string": [], "new_string": None}, []),
        ("write", {"uri": "file:///w/a", "content": "x"}, [("/w/a", "x", None, True)]),
    ],
)
def test_the_shape_of_a_call_tells_what_it_writes(
    tool: str, arguments: dict[str, Any], expected: list[tuple[str, str, str | None, bool]]
) -> None:
    edits = proposed_edits(tool, arguments)
    assert [(edit.path, edit.written, edit.removed, edit.whole_file) for edit in edits] == expected
    assert all(edit.outcome is EditOutcome.UNCONFIRMED for edit in edits)


def test_which_names_edit_files() -> None:
    assert all(
        map(edits_files, ["Edit", "mcp__fs__write_file", "str_replace_editor", "apply_patch", "create_file", "create"])
    )
    assert not any(
        map(edits_files, ["Read", "TodoWrite", "mcp__linear__create_issue", "Grep", "update_memory", "list"])
    )


# -- the shell


@pytest.mark.parametrize(
    ("command", "output", "expected"),
    [
        ("git commit -m x", "[main abc1234] Add x\n 1 file changed", [("abc1234", "Add x", "main", "committed")]),
        ("git commit -m x", "[main (root-commit) abc1234] First", [("abc1234", "First", "main", "committed")]),
        ("git commit -m x", "[detached HEAD abc1234] Fix", [("abc1234", "Fix", None, "committed")]),
        ("git commit --amend --no-edit", "[main abc1234] Fix\n Date: x", [("abc1234", "Fix", "main", "amended")]),
        ("git cherry-pick 999", "[rel abc1234] Fix", [("abc1234", "Fix", "rel", "cherry-picked")]),
        ("git rebase --continue", "[detached HEAD abc1234] Fix", [("abc1234", "Fix", None, "committed")]),
        ("git -C /x commit -m y", "\x1b[32m[main abc1234] Y\x1b[0m", [("abc1234", "Y", "main", "committed")]),
        (
            "git commit -am a && git commit -am b",
            "[m abc1234] A\n[m def5678] B",
            [("abc1234", "A", "m", "committed"), ("def5678", "B", "m", "committed")],
        ),
        (
            "git commit -q -m x && git rev-parse HEAD",
            "abcdef0123456789abcdef0123456789abcdef01",
            [("abcdef0123456789abcdef0123456789abcdef01", None, None, "committed")],
        ),
        (
            "git commit -qm x && git log --oneline -1",
            "abc1234 (HEAD -> main) Add x",
            [("abc1234", "Add x", None, "committed")],
        ),
        ("git commit -qm x; git rev-parse HEAD", "abc1234", []),
        ("git commit -m x", "On branch main\nnothing to commit", []),
        ("git log", "[main abc1234] quoted", []),
        ("cat notes.txt", "[main abc1234] quoted", []),
        ("STRATEGY=manual-commit ./run.sh", "[main abc1234] in a test repository", []),
        ("git commit -m x", "[WARNING] hook said no abc1234", []),
        (None, "[main abc1234] Add x", [("abc1234", "Add x", "main", "committed")]),
    ],
)
def test_a_commit_is_what_the_output_shows(
    command: str | None, output: str, expected: list[tuple[str, str | None, str | None, str]]
) -> None:
    made = shell.commits_in(command, output)
    assert [(commit.hash, commit.subject, commit.branch, commit.how) for commit in made] == expected


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("cat > a.txt <<'EOF'\none\ntwo\nEOF", [("a.txt", "one\ntwo", False)]),
        ("cat <<EOF >> 'my file'\nx\nEOF\nls", [("my file", "x", True)]),
        ("cd /w && cat > b <<-END\n\tx\n\tEND", [("b", "x", False)]),
        ("tee -a c <<EOF >/dev/null\nx\nEOF", [("c", "x", True)]),
        ("cat > a <<EOF\n1\nEOF\ncat > b <<EOF\n2\nEOF", [("a", "1", False), ("b", "2", False)]),
        ("git commit -m \"$(cat <<'EOF'\nmsg > x\nEOF\n)\"", []),
        ("python - <<EOF\nopen('x')\nEOF", []),
        ("cat > $HOME/x <<EOF\nx\nEOF", []),
        ("cat > a <<EOF\nnever ends", []),
        ("grep '<<<<<<<' a", []),
        ("cat <<< here > b", []),
    ],
)
def test_a_heredoc_that_goes_to_a_file_writes_it(command: str, expected: list[tuple[str, str, bool]]) -> None:
    assert [(write.path, write.text, write.append) for write in shell.heredoc_writes(command)] == expected
