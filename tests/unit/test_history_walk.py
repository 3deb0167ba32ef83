"""Histories of real repositories, each built to hold one thing that happens to code."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from anamnesis_lsp.cancel import Cancelled, CancelToken, never
from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.records.git.history import history
from anamnesis_lsp.records.git.model import Match, Step
from anamnesis_lsp.records.git.repository import Repository
from tests.builders.repos import BEGIN, STEP, Repo, new_repo, numbered


@pytest.fixture
def repo(tmp_path: Path) -> Iterator[Repo]:
    yield new_repo(tmp_path / "repo")


def steps(repo: Repo, path: str, start: int, end: int, rev: str | None = None) -> list[Step]:
    opened = Repository.discover(repo.path, never())
    return list(history(opened, rev or repo.head(), path, start, end, never()))


def told(found: list[Step]) -> list[tuple[str, str, str]]:
    return [(step.commit, step.kind, step.match.value) for step in found]


def java(*methods: str, name: str = "A") -> str:
    return f"class {name} {{\n" + "\n".join(methods) + "}\n"


SEND = """\
    int send(String to, int tries) {
        log(to);
        open(to);
        return post(to, tries);
    }
"""
CLOSE = """\
    void close() {
        socket.shutdown();
        socket = null;
    }
"""
COUNT = """\
    int count(List all) {
        int n = 0;
        for (Object o : all) { n += weight(o); }
        return n;
    }
"""


def span(text: str, block: str) -> tuple[int, int]:
    start = text[: text.index(block)].count("\n") + 1
    return start, start + block.count("\n") - 1


def test_changes_of_a_function_and_not_of_its_neighbours(repo: Repo) -> None:
    first = repo.commit("Add", {"A.java": java(SEND, CLOSE)})
    repo.commit("Change close", {"A.java": java(SEND, CLOSE.replace("null", "none"))})
    second = repo.commit("Log more", {"A.java": java(SEND.replace("log(to)", "log(to, tries)"), CLOSE)})
    repo.commit("Add count before it", {"A.java": java(COUNT, SEND.replace("log(to)", "log(to, tries)"), CLOSE)})
    found = steps(repo, "A.java", 8, 12)
    assert told(found) == [(second, "change", "diff"), (first, "introduced", "origin")]
    assert found[0].lines == (2, 6)
    assert [row for hunk in found[0].hunks for row in hunk.lines if row[0] in "+-"] == [
        "-        log(to);",
        "+        log(to, tries);",
    ]


def test_a_renamed_file(repo: Repo) -> None:
    first = repo.commit("Add", {"src/A.java": java(SEND, CLOSE)})
    repo.move("src/A.java", "lib/B.java")
    moved = repo.commit("Rename")
    found = steps(repo, "lib/B.java", 2, 6)
    assert told(found) == [(moved, "rename", "rename"), (first, "introduced", "origin")]
    assert [step.path for step in found] == ["lib/B.java", "src/A.java"]


def test_a_file_renamed_and_changed_at_once(repo: Repo) -> None:
    first = repo.commit("Add", {"A.java": java(SEND, CLOSE, COUNT)})
    text = java(SEND.replace("log(to)", "trace(to)"), CLOSE, COUNT)
    moved = repo.commit("Rename and change", {"A.java": None, "B.java": text})
    assert told(steps(repo, "B.java", 2, 6)) == [(moved, "change", "rename"), (first, "introduced", "origin")]


def test_a_file_split_in_two_that_git_takes_for_one_rename(repo: Repo) -> None:
    first = repo.commit("Add", {"A.java": java(SEND, CLOSE, COUNT)})
    split = repo.commit("Split", {"A.java": None, "A1.java": java(SEND, CLOSE), "A2.java": java(SEND, CLOSE, COUNT)})
    assert told(steps(repo, "A1.java", 3, 4)) == [(split, "rename", "rename"), (first, "introduced", "origin")]


def test_a_function_moved_to_another_file(repo: Repo) -> None:
    first = repo.commit("Add", {"A.java": java(SEND, CLOSE, COUNT), "B.java": java(CLOSE, name="B")})
    moved = repo.commit("Move", {"A.java": java(CLOSE, COUNT), "B.java": java(CLOSE, SEND, name="B")})
    text = java(CLOSE, SEND.replace("tries)", "tries + 1)", 2), name="B")
    last = repo.commit("Change", {"B.java": text})
    found = steps(repo, "B.java", 7, 11)
    assert told(found) == [(last, "change", "diff"), (moved, "move", "move"), (first, "introduced", "origin")]
    assert found[-1].path == "A.java"


def test_lines_moved_to_another_file(repo: Repo) -> None:
    block = "timeout: 30 seconds for the gateway\nretries: 5 because it drops the first\n"
    first = repo.commit("Add", {"a.conf": numbered(5) + block + numbered(5, 10), "b.conf": numbered(3, word="other")})
    moved = repo.commit("Move", {"a.conf": numbered(5) + numbered(5, 10), "b.conf": numbered(3, word="other") + block})
    assert told(steps(repo, "b.conf", 4, 5)) == [(moved, "move", "move"), (first, "introduced", "origin")]


def test_a_copied_function_is_introduced_and_its_source_is_told(repo: Repo) -> None:
    long = SEND.replace("log(to);", "log(to); trace(to, tries); check(to, tries, limit);")
    repo.commit("Add", {"A.java": java(long), "B.java": java(CLOSE, name="B")})
    copied = repo.commit("Copy", {"A.java": java(long, COUNT), "B.java": java(CLOSE, long, name="B")})
    assert told(steps(repo, "B.java", 7, 11)) == [(copied, "introduced", "copy")]


def test_a_function_renamed_in_its_file(repo: Repo) -> None:
    first = repo.commit("Add", {"A.java": java(COUNT, CLOSE)})
    renamed = repo.commit("Rename", {"A.java": java(COUNT.replace("count(", "total("), CLOSE)})
    assert told(steps(repo, "A.java", 2, 6)) == [(renamed, "rename", "diff"), (first, "introduced", "origin")]


def test_a_rewrite_under_the_same_signature(repo: Repo) -> None:
    first = repo.commit("Add", {"A.java": java(SEND, CLOSE)})
    other = "    int send(String to, int tries) {\n        queue.push(new Mail(to));\n        return DONE;\n    }\n"
    rewritten = repo.commit("Rewrite", {"A.java": java(other, CLOSE)})
    assert told(steps(repo, "A.java", 2, 5)) == [(rewritten, "change", "diff"), (first, "introduced", "origin")]


def test_a_body_handed_over_to_a_new_function(repo: Repo) -> None:
    body = "".join(f"        step{n}(to, options, {n});\n" for n in range(8))
    old = f"    void run(String to) {{\n{body}    }}\n"
    thin = "    void run(String to) {\n        runAll(to, DEFAULTS);\n    }\n"
    full = f"    void runAll(String to, Map options) {{\n{body}    }}\n"
    first = repo.commit("Add", {"A.java": java(old)})
    split = repo.commit("Split", {"A.java": java(thin, full)})
    start, end = span(java(thin, full), full)
    assert told(steps(repo, "A.java", start, end)) == [(split, "change", "diff"), (first, "introduced", "origin")]
    assert told(steps(repo, "A.java", 2, 4)) == [(split, "change", "diff"), (first, "introduced", "origin")]


def test_two_functions_merged_into_one(repo: Repo) -> None:
    first = repo.commit("Add", {"A.java": java(SEND, CLOSE, COUNT)})
    joined = SEND.replace("return post", "socket.shutdown();\n        socket = null;\n        return post")
    merged = repo.commit("Merge", {"A.java": java(joined, COUNT)})
    assert told(steps(repo, "A.java", 2, 8)) == [(merged, "change", "diff"), (first, "introduced", "origin")]


def test_a_revert_and_its_revert_are_steps(repo: Repo) -> None:
    new = SEND.replace("open(to)", "openLater(to)")
    first = repo.commit("Add", {"A.java": java(SEND, CLOSE)})
    made = repo.commit("Change", {"A.java": java(new, CLOSE)})
    undone = repo.commit("Revert", {"A.java": java(SEND, CLOSE)})
    redone = repo.commit("Revert the revert", {"A.java": java(new, CLOSE)})
    assert told(steps(repo, "A.java", 2, 6)) == [
        (redone, "change", "diff"),
        (undone, "change", "diff"),
        (made, "change", "diff"),
        (first, "introduced", "origin"),
    ]


def test_deleted_then_restored(repo: Repo) -> None:
    first = repo.commit("Add", {"A.java": java(SEND, CLOSE)})
    repo.commit("Delete", {"A.java": java(CLOSE)})
    repo.commit("Other", {"A.java": java(CLOSE.replace("null", "none"))})
    restored = repo.commit("Restore", {"A.java": java(SEND, CLOSE)})
    found = steps(repo, "A.java", 2, 6)
    assert told(found) == [(restored, "change", "restored"), (first, "introduced", "origin")]


def test_a_file_deleted_then_restored(repo: Repo) -> None:
    first = repo.commit("Add", {"A.java": java(SEND, CLOSE), "x": "x\n"})
    repo.commit("Delete", {"A.java": None})
    restored = repo.commit("Restore", {"A.java": java(SEND, CLOSE)})
    assert told(steps(repo, "A.java", 2, 6)) == [(restored, "change", "restored"), (first, "introduced", "origin")]


def test_the_side_of_a_merge_on_which_it_was_changed(repo: Repo) -> None:
    first = repo.commit("Add", {"A.java": java(SEND, CLOSE)})
    repo.git("checkout", "-q", "-b", "side")
    side = repo.commit("Side", {"A.java": java(SEND.replace("open", "reopen"), CLOSE)})
    repo.git("checkout", "-q", "main")
    repo.commit("Main", {"A.java": java(SEND, CLOSE.replace("null", "none"))})
    repo.git("merge", "-q", "--no-edit", "side", env={"GIT_COMMITTER_DATE": "1577870000 +0000"})
    assert told(steps(repo, "A.java", 2, 6)) == [(side, "change", "diff"), (first, "introduced", "origin")]


def test_a_change_made_on_a_side_where_the_file_had_its_old_name(repo: Repo) -> None:
    first = repo.commit("Add", {"A.java": java(SEND, CLOSE, COUNT)})
    repo.git("checkout", "-q", "-b", "side")
    side = repo.commit("Side", {"A.java": java(SEND.replace("open", "reopen"), CLOSE, COUNT)})
    repo.git("checkout", "-q", "main")
    repo.move("A.java", "B.java")
    repo.commit("Rename")
    repo.git("merge", "-q", "--no-edit", "side", env={"GIT_COMMITTER_DATE": "1577870000 +0000"})
    assert told(steps(repo, "B.java", 2, 6)) == [(side, "change", "diff"), (first, "introduced", "origin")]


def test_a_merge_that_writes_its_own_line_is_a_step(repo: Repo) -> None:
    first = repo.commit("Add", {"A.java": java(SEND)})
    repo.git("checkout", "-q", "-b", "side")
    side = repo.commit("Side", {"A.java": java(SEND.replace("open(to)", "open(to, SIDE)"))})
    repo.git("checkout", "-q", "main")
    main = repo.commit("Main", {"A.java": java(SEND.replace("open(to)", "open(to, MAIN)"))})
    with pytest.raises(AssertionError, match="merge"):
        repo.git("merge", "-q", "side")
    merged = repo.commit("Merge", {"A.java": java(SEND.replace("open(to)", "open(to, BOTH)"))})
    found = told(steps(repo, "A.java", 2, 6))
    assert found[0] == (merged, "merge", "diff")
    assert sorted(found[1:3]) == sorted([(side, "change", "diff"), (main, "change", "diff")])
    assert found[3:] == [(first, "introduced", "origin")]


def test_lines_from_both_sides_of_a_merge_are_followed_on_their_side(repo: Repo) -> None:
    lines = numbered(12).split("\n")
    first = repo.commit("Add", {"t.txt": "\n".join(lines)})
    repo.git("checkout", "-q", "-b", "side")
    changed = [*lines[:1], "line number 2 as the side has it", *lines[2:]]
    side = repo.commit("Side", {"t.txt": "\n".join(changed)})
    repo.git("checkout", "-q", "main")
    other = [*lines[:9], "line number 10 as main has it", *lines[10:]]
    main = repo.commit("Main", {"t.txt": "\n".join(other)})
    repo.git("merge", "-q", "--no-edit", "side")
    found = steps(repo, "t.txt", 1, 12)
    assert {step.commit for step in found} == {side, main, first}


def test_format_comment_and_doc_are_told_as_such(repo: Repo) -> None:
    doc = "    /** Sends. */\n"
    laid = SEND.replace("(String to, int", "(String to,\n        int")
    why = laid.replace("log(to);", "log(to); // why")
    first = repo.commit("Add", {"A.java": java(doc + SEND, CLOSE)})
    formatted = repo.commit("Format", {"A.java": java(doc + laid, CLOSE)})
    noted = repo.commit("Comment", {"A.java": java(doc + why, CLOSE)})
    documented = repo.commit("Doc", {"A.java": java("    /** Sends it. */\n" + why, CLOSE)})
    with_doc = told(steps(repo, "A.java", 2, 8))
    assert with_doc == [
        (documented, "doc", "diff"),
        (noted, "comment", "diff"),
        (formatted, "format", "diff"),
        (first, "introduced", "origin"),
    ]
    assert told(steps(repo, "A.java", 3, 8)) == with_doc[1:]


def test_line_ends_alone_are_format(repo: Repo) -> None:
    first = repo.commit("Add", {"A.java": java(SEND, CLOSE)})
    crlf = repo.commit("CRLF", {"A.java": java(SEND, CLOSE).replace("\n", "\r\n")})
    assert told(steps(repo, "A.java", 2, 6)) == [(crlf, "format", "diff"), (first, "introduced", "origin")]


def test_text_that_is_not_utf8(repo: Repo) -> None:
    first = repo.commit("Add", {"t.txt": "caf\xe9 au lait\nzwei \xfc\n".encode("latin-1")})
    second = repo.commit("Change", {"t.txt": "caf\xe9 au lait, grand\nzwei \xfc\n".encode("latin-1")})
    assert told(steps(repo, "t.txt", 1, 1)) == [(second, "change", "diff"), (first, "introduced", "origin")]


def test_a_few_lines_inside_a_function_are_followed_as_lines(repo: Repo) -> None:
    first = repo.commit("Add", {"A.java": java(SEND, CLOSE)})
    repo.commit("Elsewhere in it", {"A.java": java(SEND.replace("return post", "return repost"), CLOSE)})
    assert told(steps(repo, "A.java", 3, 4)) == [(first, "introduced", "origin")]


def test_lines_inside_a_function_that_moved_to_another_place_of_its_file(repo: Repo) -> None:
    far = "".join(f"    int f{n}() {{\n        return {n} * factor();\n    }}\n" for n in range(12))
    first = repo.commit("Add", {"A.java": java(COUNT, far)})
    moved = repo.commit("Sort", {"A.java": java(far, COUNT)})
    start, _ = span(java(far, COUNT), COUNT)
    found = steps(repo, "A.java", start + 1, start + 2)
    assert [step.commit for step in found][-1] == first
    assert set(told(found)) <= {(moved, "format", "move"), (moved, "format", "diff"), (first, "introduced", "origin")}


def test_markdown_is_followed_line_by_line(repo: Repo) -> None:
    first = repo.commit("Add", {"README.md": "# Title\n\nUse the retry option.\n\nMore text here.\n"})
    second = repo.commit("Say more", {"README.md": "# Title\n\nUse the retry option twice.\n\nMore text here.\n"})
    assert told(steps(repo, "README.md", 3, 3)) == [(second, "change", "diff"), (first, "introduced", "origin")]


def test_the_end_of_a_shallow_clone_is_a_boundary(repo: Repo, tmp_path: Path) -> None:
    repo.commit("Add", {"A.java": java(SEND, CLOSE)})
    boundary = repo.commit("Other", {"B.java": java(COUNT)})
    last = repo.commit("Change", {"A.java": java(SEND.replace("log", "trace"), CLOSE)})
    shallow = repo.clone(tmp_path / "shallow", "--depth", "2")
    found = steps(shallow, "A.java", 2, 6)
    assert told(found) == [(last, "change", "diff"), (boundary, "introduced", "boundary")]
    assert found[-1].confidence == 0.0


def test_a_sha256_repository(tmp_path: Path) -> None:
    repo = new_repo(tmp_path / "repo", object_format="sha256")
    first = repo.commit("Add", {"A.java": java(SEND, CLOSE)})
    last = repo.commit("Change", {"A.java": java(SEND.replace("log", "trace"), CLOSE)})
    assert told(steps(repo, "A.java", 2, 6)) == [(last, "change", "diff"), (first, "introduced", "origin")]


def test_the_first_step_comes_before_the_history_is_read(repo: Repo) -> None:
    for n in range(40):
        repo.commit(f"Change {n}", {"A.java": java(SEND.replace("log(to)", f"log(to, {n})"), CLOSE)})
    cancel = CancelToken()
    found = history(Repository.discover(repo.path, cancel), repo.head(), "A.java", 2, 6, cancel)
    assert next(found).commit == repo.head()
    cancel.cancel()
    with pytest.raises(Cancelled):
        list(found)


@pytest.mark.parametrize(
    ("path", "start", "end", "code"),
    [
        ("missing.txt", 1, 1, ErrorCode.FILE_MISSING),
        ("empty.txt", 1, 1, ErrorCode.FILE_EMPTY),
        ("image.bin", 1, 1, ErrorCode.FILE_BINARY),
        ("t.txt", 9, 12, ErrorCode.RANGE_PAST_END),
        ("t.txt", 3, 2, ErrorCode.RANGE_REVERSED),
        ("t.txt", 0, 0, ErrorCode.RANGE_EMPTY),
    ],
)
def test_bad_ranges_are_refused_before_the_first_step(
    repo: Repo, path: str, start: int, end: int, code: ErrorCode
) -> None:
    repo.commit("Add", {"t.txt": numbered(3), "empty.txt": "", "image.bin": b"\0\1\2\n"})
    with pytest.raises(AnamnesisError) as refused:
        history(Repository.discover(repo.path, never()), repo.head(), path, start, end, never())
    assert refused.value.code is code


def test_a_range_that_ends_after_the_last_line_is_cut(repo: Repo) -> None:
    repo.commit("Add", {"t.txt": numbered(3)})
    assert steps(repo, "t.txt", 2, 99)[0].lines == (2, 3)


# --- agreement with blame


def _grow(repo: Repo, commits: int, rng: random.Random) -> None:
    """A file that lines are put into, changed in, taken out of and moved in, on a main line and on merged branches."""
    lines = numbered(40).rstrip("\n").split("\n")
    counter = 1000
    repo.commit("Begin", {"f.txt": "\n".join(lines) + "\n"})
    for n in range(commits):
        branch = n % 7 == 3
        if branch:
            repo.git("checkout", "-q", "-b", f"side{n}", "HEAD~1" if n else "HEAD")
            lines = (repo.path / "f.txt").read_text().rstrip("\n").split("\n")
        for _ in range(rng.randint(1, 3)):
            at = rng.randrange(len(lines))
            counter += 1
            action = rng.random()
            if action < 0.4:
                lines[at] = f"{lines[at].rsplit(' ', 1)[0]} v{counter}"
            elif action < 0.7:
                lines[at:at] = [
                    f"inserted {counter} into the text {rng.random():.6f}" for _ in range(rng.randint(1, 3))
                ]
            elif action < 0.9 and len(lines) > 20:
                del lines[at : at + rng.randint(1, 3)]
            else:
                lines.append(lines.pop(at))
        repo.commit(f"Commit {n}", {"f.txt": "\n".join(lines) + "\n"})
        if branch:
            repo.git("checkout", "-q", "main")
            when = f"{BEGIN + STEP * (n + 2) + 60} +0000"
            repo.git(
                *("merge", "-q", "--no-edit", "-X", "ours", f"side{n}"),
                env={"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when},
            )
        lines = (repo.path / "f.txt").read_text().rstrip("\n").split("\n")


def _blamed(repo: Repo, start: int, end: int) -> list[str]:
    """The commits blame names for the range, newest first."""
    out = repo.git("blame", "--root", "-l", "-s", "-L", f"{start},{end}", "HEAD", "--", "f.txt")
    named = {line.split()[0].lstrip("^") for line in out.split("\n")}
    return [commit for commit in repo.git("rev-list", "--date-order", "HEAD").split("\n") if commit in named]


@pytest.mark.parametrize("seed", [1, 2])
def test_the_newest_commit_of_blame_is_the_first_that_left_a_line(repo: Repo, seed: int) -> None:
    rng = random.Random(seed)
    _grow(repo, 24, rng)
    opened = Repository.discover(repo.path, never())
    count = (repo.path / "f.txt").read_text().count("\n")
    for _ in range(60):
        start = rng.randint(1, count)
        end = min(count, start + rng.choice([0, 0, 1, 2, 5, 12, 30]))
        blamed = _blamed(repo, start, end)
        found = list(history(opened, repo.head(), "f.txt", start, end, never()))
        commits = [step.commit for step in found]
        assert blamed[0] in commits, (start, end)
        before = set(commits[: commits.index(blamed[0])])
        assert not before & set(blamed), (start, end)
        if commits[0] != blamed[0]:
            assert all(row[0] != "+" for hunk in found[0].hunks for row in hunk.lines), (start, end)


def test_every_step_is_a_commit_that_touched_the_file_there(repo: Repo) -> None:
    _grow(repo, 15, random.Random(5))
    for step in steps(repo, "f.txt", 5, 25):
        text = repo.git("show", f"{step.commit}:{step.path}").split("\n")
        assert 1 <= step.lines[0] <= step.lines[1] <= len(text)
        assert 0.0 <= step.confidence <= 1.0
        if step.match is not Match.ORIGIN:
            plus = [row[1:] for hunk in step.hunks for row in hunk.lines if row[0] == "+"]
            assert set(plus) <= set(text[step.lines[0] - 1 : step.lines[1]])


def test_a_merge_that_took_a_whole_file_from_another_name_goes_on_there(repo: Repo) -> None:
    """A subtree: the merged history has the file at another path, as it is; plain blame goes on there."""
    text = numbered(40)
    repo.commit("ours, long ago", {"lib/a.c": text.replace("line number 3 ", "row three ")})
    repo.git("checkout", "-q", "--orphan", "theirs")
    repo.git("rm", "-rfq", ".")
    theirs = repo.commit("theirs", {"a.c": text})
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "-s", "ours", "--no-commit", "--allow-unrelated-histories", "theirs")
    repo.commit("Merge theirs as lib", {"lib/a.c": text})
    assert told(steps(repo, "lib/a.c", 20, 24)) == [(theirs, "introduced", "origin")]


def test_a_line_that_says_too_little_is_found_elsewhere_with_what_stands_around_it(repo: Repo) -> None:
    body = SEND + CLOSE + COUNT
    made = repo.commit("one", {"a.txt": numbered(5) + body, "b.txt": numbered(9, word="b")})
    moved = repo.commit("two", {"a.txt": numbered(5), "b.txt": numbered(9, word="b") + body})
    line = 9 + 1 + SEND.count("\n") + CLOSE.split("\n").index("        socket = null;")
    assert told(steps(repo, "b.txt", line, line)) == [(moved, "move", "move"), (made, "introduced", "origin")]


def test_a_bom_and_line_ends_that_go_are_form(repo: Repo) -> None:
    repo.commit("one", {"a.txt": "\ufefffirst line\r\nsecond line\r\n"})
    gone = repo.commit("two", {"a.txt": "first line\nsecond line\n"})
    newest = steps(repo, "a.txt", 1, 2)[0]
    assert (newest.commit, newest.kind) == (gone, "format")
