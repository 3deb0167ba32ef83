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
from anamnesis_lsp.records.git.discovery import Place, ask_git, find_place
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


def copied_repo(path: Path) -> tuple[Repo, str]:
    """Lines written in ``a.py`` and moved to ``b.py``; the commit that wrote them."""
    body = "".join(f"    total += weight[{n}] * measure_of_everything({n})\n" for n in range(12))
    repo = new_repo(path)
    first = repo.commit("One", {"a.py": f"def one():\n{body}\n{numbered(20)}", "b.py": "pass\n"})
    repo.commit("Move over", {"a.py": numbered(20), "b.py": f"pass\ndef one():\n{body}"})
    return repo, first


def test_when_copies_take_too_long_the_rest_is_found_without_and_it_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo, first = copied_repo(tmp_path / "r")
    stream = Shadow.stream

    def slow_with_copies(shadow: Shadow, *arguments: str, **options: Any) -> process.Stream:
        if "-C" in arguments:
            raise process.timeout(arguments, 3.0)
        return stream(shadow, *arguments, **options)

    monkeypatch.setattr(Shadow, "stream", slow_with_copies)
    slow = blame(repo, "b.py")
    assert not slow.copies_followed and first not in commits(slow)[1:]
    assert set(commits(slow)[2:]) == {repo.head()}


def test_a_hover_that_asks_for_no_copies_agrees_once_they_are_known(tmp_path: Path) -> None:
    repo, first = copied_repo(tmp_path / "r")
    it, head = Repository.discover(repo.path, never()), repo.head()
    hover = it.blame(head, "b.py", [(5, 5)], never(), ask_copies=False)
    assert not hover.copies_followed and commits(hover) == [head]
    recollect = it.blame(head, "b.py", [(5, 5)], never())
    assert recollect.copies_followed and commits(recollect) == [first] and recollect.lines[0].path == "a.py"
    assert it.blame(head, "b.py", [(5, 5)], never(), ask_copies=False) == recollect


def test_what_is_found_does_not_depend_on_the_lines_that_were_asked_for(tmp_path: Path) -> None:
    repo, _ = copied_repo(tmp_path / "r")
    it, head = Repository.discover(repo.path, never()), repo.head()
    one_by_one = [it.blame(head, "b.py", [(line, line)], never()).lines[0] for line in range(1, 15)]
    again = Repository(find_again(it))
    assert tuple(one_by_one) == again.blame(head, "b.py", None, never()).lines


def find_again(it: Repository) -> Place:
    """The place of a repository, to open it with nothing remembered."""
    it.close()
    (it.shadow.directory / "blame.sqlite").unlink()
    place = find_place(it.root)
    assert place is not None
    return ask_git(place, never())


def test_a_file_warmed_before_is_known_to_the_next_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo, first = copied_repo(tmp_path / "r")
    it = Repository.discover(repo.path, never())
    assert it.warm("b.py", never())
    again = Repository(ask_git_of(repo.path))
    monkeypatch.setattr(process, "start", lambda *_: pytest.fail("a process was started"))
    found = again.blame(repo.head(), "b.py", None, never(), ask_copies=False)
    assert found.copies_followed and commits(found)[-1] == first


def ask_git_of(path: Path) -> Place:
    place = find_place(path.resolve())
    assert place is not None
    return ask_git(place, never())


def test_new_commits_are_walked_only_since_the_last_blame(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = new_repo(tmp_path / "r")
    for number in range(6):
        lines = numbered(60).splitlines(keepends=True)
        lines[number * 7] = f"changed in {number}\n"
        repo.commit(f"c{number}", {"a.txt": "".join(lines)})
    blame(repo, "a.txt")
    before = repo.head()
    repo.commit("top", {"a.txt": "new first line\n" + "".join(lines), "other": "x"})
    repo.git("checkout", "-q", "-b", "side", before)
    repo.commit("side", {"a.txt": "".join(lines) + "new last line\n"})
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "--no-edit", "side")
    asked: list[tuple[str, ...]] = []
    stream = Shadow.stream

    def seen(shadow: Shadow, *arguments: str, **options: Any) -> process.Stream:
        asked.append(arguments)
        return stream(shadow, *arguments, **options)

    monkeypatch.setattr(Shadow, "stream", seen)
    composed = blame(repo, "a.txt")
    walks = [arguments for arguments in asked if "-C" not in arguments]
    assert len(walks) == 1 and f"^{before}" in walks[0]
    monkeypatch.setattr(Shadow, "stream", stream)
    it = Repository.discover(repo.path, never())
    assert composed.lines == Repository(find_again(it)).blame(repo.head(), "a.txt", None, never()).lines


def test_lines_from_a_side_branch_that_began_before_the_last_blame_are_asked_for_in_full(tmp_path: Path) -> None:
    repo = new_repo(tmp_path / "r")
    repo.commit("one", {"a.txt": numbered(30)})
    repo.git("checkout", "-q", "-b", "side")
    repo.commit("side", {"a.txt": numbered(30) + "side\n"})
    repo.git("checkout", "-q", "main")
    repo.commit("two", {"a.txt": "main\n" + numbered(30)})
    blame(repo, "a.txt")
    repo.git("merge", "-q", "--no-edit", "side")
    composed = blame(repo, "a.txt")
    it = Repository.discover(repo.path, never())
    assert composed.lines == Repository(find_again(it)).blame(repo.head(), "a.txt", None, never()).lines
    assert len(set(commits(composed))) == 3


def test_history_that_was_rewritten_invalidates_nothing_but_itself(tmp_path: Path) -> None:
    repo = retry_repo(tmp_path / "r")
    blame(repo, "src/fetch.py")
    repo.git("commit", "-q", "--amend", "-m", "Amended")
    assert repo.head() in commits(blame(repo, "src/fetch.py"))
    repo.git("checkout", "-q", "HEAD~1")
    assert len(blame(repo, "src/fetch.py").lines) == 3 and repo.head() in commits(blame(repo, "src/fetch.py"))


def test_a_line_does_not_wait_for_the_whole_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = new_repo(tmp_path / "r")
    for number in range(8):
        repo.commit(f"c{number}", {"a.txt": numbered(300, start=number)})
    it, head = Repository.discover(repo.path, never()), repo.head()
    walking, stopped = threading.Event(), list[bool]()
    stream = Shadow.stream

    def slow(shadow: Shadow, *arguments: str, **options: Any) -> process.Stream:
        if not any(a.startswith("-L") for a in arguments) and "-C" not in arguments and not stopped:
            walking.set()
            stopped.append(options["cancel"].wait(30))
            options["cancel"].check()
        return stream(shadow, *arguments, **options)

    monkeypatch.setattr(Shadow, "stream", slow)
    whole: list[Blame] = []
    thread = threading.Thread(target=lambda: whole.append(it.blame(head, "a.txt", None, never())))
    thread.start()
    assert walking.wait(10)
    line = it.blame(head, "a.txt", [(5, 5)], never())
    assert stopped == [True] and len(line.lines) == 1
    thread.join(30)
    assert whole[0].lines[4] == line.lines[0] and len(whole[0].lines) == 300


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
