"""Where lines come from: committed and in an editor."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from anamnesis_lsp.cancel import Cancelled, CancelToken, never
from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.records.git import Blame, Repository, process
from anamnesis_lsp.records.git.blame import c_unquote, parse_ignore_file
from anamnesis_lsp.records.git.shadow import Shadow
from tests.builders.repos import GRACE, Repo, new_repo, numbered, retry_repo


def blame(repo: Repo, path: str, *ranges: tuple[int, int], commit: str | None = None) -> Blame:
    it = Repository.discover(repo.path, never())
    return it.blame(commit or it.head(never()), path, ranges or None, never())


def buffer(repo: Repo, path: str, text: str, *ranges: tuple[int, int]) -> Blame:
    return Repository.discover(repo.path, never()).blame_buffer(path, text, ranges or None, never())


def commits(result: Blame) -> list[str]:
    return [line.commit for line in result.lines]


def test_each_line_has_its_commit_and_its_line_there(tmp_path: Path) -> None:
    repo = retry_repo(tmp_path / "r")
    first, second, third = reversed(repo.git("rev-list", "HEAD").split())
    result = blame(repo, "src/fetch.py")
    assert commits(result) == [first, third, first]
    assert [line.source_line for line in result.lines] == [1, 2, 2]
    assert not any(line.boundary for line in result.lines)
    assert second not in commits(result)


def test_the_blame_of_a_range_is_that_part_of_the_whole(tmp_path: Path) -> None:
    repo = new_repo(tmp_path / "r")
    for number in range(8):
        lines = numbered(40).splitlines(keepends=True)
        lines[number * 5] = f"changed in {number}\n"
        repo.commit(f"c{number}", {"a.txt": "".join(lines)})
    part = blame(repo, "a.txt", (3, 9), (30, 99))
    assert [line.line for line in part.lines] == [*range(3, 10), *range(30, 41)]
    whole = blame(repo, "a.txt")
    assert part.lines == tuple(line for line in whole.lines if 3 <= line.line <= 9 or line.line >= 30)


def test_ranges_past_the_end_reversed_or_before_the_start_are_told(tmp_path: Path) -> None:
    repo = retry_repo(tmp_path / "r")
    for lines, code in [((9, 9), "rangePastEnd"), ((3, 2), "rangeReversed"), ((0, 1), "rangeEmpty")]:
        with pytest.raises(AnamnesisError) as caught:
            blame(repo, "src/fetch.py", lines)
        assert caught.value.code.value == code


def test_a_renamed_file_keeps_its_lines(tmp_path: Path) -> None:
    repo = new_repo(tmp_path / "r")
    first = repo.commit("One", {"old.txt": numbered(10)})
    repo.move("old.txt", "sub/new.txt")
    repo.commit("Rename")
    result = blame(repo, "sub/new.txt")
    assert set(commits(result)) == {first} and {line.path for line in result.lines} == {"old.txt"}


def test_lines_moved_within_a_file_and_copied_from_another_keep_their_origin(tmp_path: Path) -> None:
    body = "".join(f"    total += weight[{n}] * measure_of_everything({n})\n" for n in range(12))
    repo = new_repo(tmp_path / "r")
    first = repo.commit("One", {"a.py": f"def one():\n{body}\n{numbered(20)}", "b.py": "pass\n"})
    repo.commit("Move down", {"a.py": f"{numbered(20)}\ndef one():\n{body}"})
    assert set(commits(blame(repo, "a.py", (23, 34)))) == {first}
    repo.commit("Move over", {"a.py": numbered(20), "b.py": f"pass\ndef one():\n{body}"})
    result = blame(repo, "b.py", (3, 14))
    assert set(commits(result)) == {first} and {line.path for line in result.lines} == {"a.py"}


def test_white_space_alone_changes_nothing(tmp_path: Path) -> None:
    repo = new_repo(tmp_path / "r")
    first = repo.commit("One", {"a.py": numbered(5)})
    repo.commit("Indent", {"a.py": "".join(f"    {line}\n" for line in numbered(5).splitlines())})
    assert set(commits(blame(repo, "a.py"))) == {first}


def test_revisions_the_repository_ignores_are_passed_over_and_named(tmp_path: Path) -> None:
    repo = new_repo(tmp_path / "r")
    first = repo.commit("One", {"a.py": "x = 'a'\ny = 'b'\nz = 'c'\n"})
    formatted = repo.commit("Format", {"a.py": 'x = "a"\ny = "b"\nz = "c"\n'})
    listed = f"# the formatter\n{formatted}  # black\n{formatted}\n{'0' * 40}\nHEAD\n{first[:12]}\n--output=x\n"
    repo.commit("Ignore it", {".git-blame-ignore-revs": listed})
    result = blame(repo, "a.py")
    assert set(commits(result)) == {first}
    assert result.ignored_revisions == (formatted,)
    assert set(commits(blame(repo, "a.py", commit=formatted))) == {formatted}


def test_lines_that_only_an_ignored_revision_has_are_marked(tmp_path: Path) -> None:
    repo = new_repo(tmp_path / "r")
    repo.commit("One", {"a.py": "x = 1\n"})
    added = repo.commit("Add", {"a.py": "x = 1\n" + numbered(3)})
    repo.commit("Ignore it", {".git-blame-ignore-revs": added + "\n"})
    assert [line.ignored for line in blame(repo, "a.py").lines] == [False, True, True, True]


def test_an_ignore_file_is_capped_and_only_full_ids_count() -> None:
    assert parse_ignore_file(b"\xff\n" + b"A" * 40 + b"\nabc\n# " + b"b" * 40 + b"\n" + b"c" * 64 + b"\n") == [
        "a" * 40,
        "c" * 64,
    ]


def test_where_a_shallow_clone_ends_is_a_boundary_and_the_root_commit_is_none(tmp_path: Path) -> None:
    repo = retry_repo(tmp_path / "r")
    _, second, third = reversed(repo.git("rev-list", "HEAD").split())
    clone = repo.clone(tmp_path / "c", "--depth=2")
    result = blame(clone, "src/fetch.py")
    assert [(line.commit, line.boundary) for line in result.lines] == [(second, True), (third, False), (second, True)]
    it = Repository.discover(clone.path, never())
    assert it.shallow and it.is_boundary(second) and not it.is_boundary(third)
    with pytest.raises(AnamnesisError) as caught:
        it.changes(second, never())
    assert caught.value.code is ErrorCode.OBJECT_MISSING and "shallow" in caught.value.message
    assert [entry.paths for entry in it.log(third, never())] == [("src/fetch.py",), ()]
    assert not it.build_commit_graph(never())
    clone.git("fetch", "-q", "--unshallow")
    assert not it.shallow and not any(line.boundary for line in it.blame(third, "README", None, never()).lines)
    assert [change.status for change in it.changes(second, never())] == ["M"]


def test_a_mailmap_renames_nobody(tmp_path: Path) -> None:
    repo = new_repo(tmp_path / "r")
    head = repo.commit("One", {"a": "x\n", ".mailmap": "Forged Boss <boss@x> <grace@example.org>\n"}, author=GRACE)
    it = Repository.discover(repo.path, never())
    assert it.commit(blame(repo, "a").lines[0].commit, never()).author.name == "Grace Hopper"
    assert next(it.log(head, never())).author.name == "Grace Hopper"


def test_a_file_missing_at_the_commit_is_told(tmp_path: Path) -> None:
    with pytest.raises(AnamnesisError) as caught:
        blame(retry_repo(tmp_path / "r"), "no.py")
    assert caught.value.code is ErrorCode.FILE_MISSING


def test_a_second_question_about_the_file_starts_no_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = retry_repo(tmp_path / "r")
    whole = blame(repo, "src/fetch.py")
    monkeypatch.setattr(process, "start", lambda *_: pytest.fail("a process was started"))
    assert blame(repo, "src/fetch.py") == whole
    assert blame(repo, "src/fetch.py", (2, 2)).lines == whole.lines[1:2]
    assert buffer(repo, "src/fetch.py", "# new\ndef fetch(url):\n", (2, 2)).lines[0].source_line == 1


def test_when_copies_take_too_long_the_rest_is_found_without_and_it_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = retry_repo(tmp_path / "r")
    fast = blame(repo, "src/fetch.py")
    assert fast.copies_followed
    stream = Shadow.stream

    def slow_with_copies(shadow: Shadow, *arguments: str, **options: Any) -> process.Stream:
        if "-C" in arguments:
            raise process.timeout(arguments, 6.0)
        return stream(shadow, *arguments, **options)

    monkeypatch.setattr(Shadow, "stream", slow_with_copies)
    repo.commit("Four", {"README": "x\n"})
    slow = blame(repo, "src/fetch.py")
    assert not slow.copies_followed and commits(slow) == commits(fast)


def test_ten_who_ask_at_once_share_one_answer(tmp_path: Path) -> None:
    repo = new_repo(tmp_path / "r")
    for number in range(5):
        repo.commit(f"c{number}", {"a.txt": numbered(200, start=number)})
    it = Repository.discover(repo.path, never())
    head, results = repo.head(), []
    threads = [
        threading.Thread(target=lambda: results.append(it.blame(head, "a.txt", None, never()))) for _ in range(10)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 10 and all(result == results[0] for result in results)


def test_one_who_gives_up_leaves_the_answer_to_the_others(tmp_path: Path) -> None:
    repo = retry_repo(tmp_path / "r")
    it, token = Repository.discover(repo.path, never()), CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        it.blame(repo.head(), "README", None, token)
    assert len(it.blame(repo.head(), "README", None, never()).lines) == 1


# ---- the text in an editor


def test_lines_inserted_above_shift_nothing(tmp_path: Path) -> None:
    repo = retry_repo(tmp_path / "r")
    text = (repo.path / "src/fetch.py").read_text()
    result = buffer(repo, "src/fetch.py", "import this\n\n" + text)
    assert result.uncommitted == (1, 2)
    assert [(line.line, line.commit) for line in result.lines] == [
        (line.line + 2, line.commit) for line in blame(repo, "src/fetch.py").lines
    ]


def test_deletions_and_edits_leave_the_other_lines_alone(tmp_path: Path) -> None:
    repo = new_repo(tmp_path / "r")
    repo.commit("One", {"a.txt": numbered(30)})
    lines = numbered(30).splitlines()
    del lines[3:7]
    lines[10] = "something else"
    result = buffer(repo, "a.txt", "\n".join(lines))
    assert result.uncommitted == (11,)
    assert [line.source_line for line in result.lines] == [1, 2, 3, *range(8, 15), *range(16, 31)]


def test_line_ends_and_a_byte_order_mark_are_no_change(tmp_path: Path) -> None:
    repo = new_repo(tmp_path / "r")
    repo.commit("One", {"a.txt": b"\xef\xbb\xbfone\r\ntwo\r\n", "b.txt": "one\ntwo\n"})
    assert buffer(repo, "a.txt", "one\ntwo\n").uncommitted == ()
    assert buffer(repo, "b.txt", "\ufeffone\r\ntwo").uncommitted == ()


def test_a_lone_carriage_return_ends_a_line_for_the_editor_only(tmp_path: Path) -> None:
    repo = new_repo(tmp_path / "r")
    repo.commit("One", {"a.txt": b"one\rtwo\nthree\n"})
    result = buffer(repo, "a.txt", "one\rtwo\nthree\n")
    assert [(line.line, line.source_line) for line in result.lines] == [(1, 1), (2, 1), (3, 2)]


def test_a_range_of_new_lines_only_asks_git_nothing(tmp_path: Path) -> None:
    repo = retry_repo(tmp_path / "r")
    result = buffer(repo, "src/fetch.py", "alpha\nbeta\n", (1, 2))
    assert result.lines == () and result.uncommitted == (1, 2)


def test_paths_git_quotes_are_read_back() -> None:
    assert c_unquote(rb'"a\tb\"c\\d\303\251\n"') == b'a\tb"c\\d\xc3\xa9\n'
    assert c_unquote(b"plain name") == b"plain name"
