"""Bad input: each way gets its own clear error, and what was merely imprecise is put right."""

from __future__ import annotations

from pathlib import Path

import pytest

from anamnesis_lsp.cancel import never
from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.records.git import Repository, Selection, check_selection
from tests.builders.repos import Repo, new_repo, retry_repo


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return retry_repo(tmp_path / "r")


def check(repo: Repo, path: str | Path, start: int = 1, end: int = 1, **options: str) -> Selection:
    it = Repository.discover(repo.path, never())
    return check_selection(it, repo.path / path, start, end, never(), **options)  # type: ignore[arg-type]


def error(repo: Repo, path: str | Path, start: int = 1, end: int = 1, **options: str) -> AnamnesisError:
    with pytest.raises(AnamnesisError) as caught:
        check(repo, path, start, end, **options)
    assert caught.value.message and caught.value.remedy and caught.value.code.exit_code in (2, 3)
    return caught.value


def test_a_good_selection_is_returned_with_its_text(repo: Repo) -> None:
    found = check(repo, "src/fetch.py", 2, 3)
    assert (found.path, found.lines, found.count, found.clipped) == ("src/fetch.py", (2, 3), 3, False)
    assert found.commit == repo.head() and found.text.startswith("def fetch")


def test_a_range_that_ends_after_the_last_line_is_cut(repo: Repo) -> None:
    found = check(repo, "src/fetch.py", 2, 400)
    assert found.lines == (2, 3) and found.clipped


@pytest.mark.parametrize(
    ("start", "end", "code"),
    [
        (4, 9, ErrorCode.RANGE_PAST_END),
        (3, 2, ErrorCode.RANGE_REVERSED),
        (0, 0, ErrorCode.RANGE_EMPTY),
        (-3, 2, ErrorCode.RANGE_EMPTY),
        (0, 3, ErrorCode.RANGE_EMPTY),
    ],
)
def test_ranges_that_hold_nothing(repo: Repo, start: int, end: int, code: ErrorCode) -> None:
    assert error(repo, "src/fetch.py", start, end).code is code


def test_a_file_git_does_not_know(repo: Repo) -> None:
    repo.write("new.py", "x\n")
    assert error(repo, "new.py").code is ErrorCode.FILE_UNTRACKED
    repo.git("add", "new.py")
    staged = error(repo, "new.py")
    assert staged.code is ErrorCode.FILE_UNTRACKED and "staged" in staged.message


def test_a_file_git_ignores(repo: Repo) -> None:
    repo.write(".gitignore", "*.log\n/src/*.tmp\n")
    for name in ("x.log", ":(top)*.log", "src/a b.tmp", ":x.log"):
        repo.write(name, "x\n")
        assert error(repo, name).code is ErrorCode.FILE_IGNORED, name
    repo.write("*.log?", "x\n")
    assert error(repo, "*.log?").code is ErrorCode.FILE_UNTRACKED


def test_a_file_the_user_ignores_everywhere(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "ignore").write_text("*.swp\n")
    (tmp_path / "gitconfig").write_text(f"[core]\n\texcludesFile = {tmp_path / 'ignore'}\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    repo.write("a.swp", "x\n")
    assert error(repo, "a.swp").code is ErrorCode.FILE_IGNORED


def test_a_tracked_file_is_not_called_ignored(repo: Repo) -> None:
    repo.write(".gitignore", "*\n")
    assert check(repo, "src/fetch.py").path == "src/fetch.py"


def test_a_file_that_is_nowhere(repo: Repo) -> None:
    assert error(repo, "src/none.py").code is ErrorCode.FILE_MISSING
    assert error(repo, "src").code is ErrorCode.FILE_MISSING
    (repo.path / "README").unlink()
    gone = error(repo, "README")
    assert gone.code is ErrorCode.FILE_MISSING and "--rev" in gone.remedy
    assert check(repo, "README", rev="HEAD").text == "Fetch things.\n"
    assert check(repo, "README", buffer="Fetch things.\nmore\n").count == 2


def test_a_file_outside_and_a_link_that_leaves(repo: Repo, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("s\n")
    (repo.path / "link").symlink_to(tmp_path / "secret")
    assert error(repo, tmp_path / "secret").code is ErrorCode.OUTSIDE_ROOT
    assert error(repo, "link").code is ErrorCode.OUTSIDE_ROOT
    assert error(repo, "../secret").code is ErrorCode.OUTSIDE_ROOT
    assert error(repo, ".git/config").code is ErrorCode.OUTSIDE_ROOT
    assert error(repo, ".").code is ErrorCode.OUTSIDE_ROOT
    it = Repository.discover(repo.path, never())
    for path in ("link", "../secret", "/etc/passwd"):
        with pytest.raises(AnamnesisError) as caught:
            it.work_text(path)
        assert caught.value.code is ErrorCode.OUTSIDE_ROOT


def test_a_link_inside_counts_as_its_target(repo: Repo) -> None:
    (repo.path / "short.py").symlink_to("src/fetch.py")
    assert check(repo, "short.py").path == "src/fetch.py"


def test_a_binary_file_and_an_empty_one(tmp_path: Path) -> None:
    repo = new_repo(tmp_path / "b")
    repo.commit("One", {"bin": b"\x7fELF\0\0", "empty": "", "wide": "text\n".encode("utf-16")})
    assert error(repo, "bin").code is ErrorCode.FILE_BINARY
    assert error(repo, "empty").code is ErrorCode.FILE_EMPTY
    assert "UTF-16" in error(repo, "wide").message


def test_no_commit_yet_and_no_such_revision(tmp_path: Path, repo: Repo) -> None:
    unborn = new_repo(tmp_path / "u")
    unborn.write("a", "x\n")
    assert error(unborn, "a").code is ErrorCode.UNBORN_HEAD
    assert error(repo, "README", rev="nope").code is ErrorCode.UNKNOWN_REVISION
    assert error(repo, "README2", rev="HEAD").code is ErrorCode.FILE_MISSING


def test_a_special_file_is_not_waited_for(repo: Repo) -> None:
    import os

    (repo.path / "README").unlink()
    os.mkfifo(repo.path / "README")
    assert error(repo, "README").code is ErrorCode.FILE_MISSING


def test_a_spelling_of_the_same_file_is_put_right(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file system that folds case, imitated by a hard link."""
    (repo.path / "src" / "Fetch.py").hardlink_to(repo.path / "src" / "fetch.py")
    assert check(repo, "src/Fetch.py").path == "src/fetch.py"
    repo.write("readme", "another file\n")
    assert error(repo, "readme").code is ErrorCode.FILE_UNTRACKED


def test_a_decomposed_name_finds_the_composed_one(tmp_path: Path) -> None:
    repo = new_repo(tmp_path / "n")
    repo.commit("One", {"caf\u00e9.txt": "x\n"})
    (repo.path / "cafe\u0301.txt").hardlink_to(repo.path / "caf\u00e9.txt")
    assert check(repo, "cafe\u0301.txt").path == "caf\u00e9.txt"
