"""Texts that git and an editor see differently: encodings, line ends, LFS, notebooks, conflicts, staged renames."""

from __future__ import annotations

import json
import random
import time
from pathlib import Path

import pytest

from anamnesis_lsp.cancel import never
from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.records.git import Blame, Repository, check_selection
from anamnesis_lsp.records.git.attributes import Value, apply_attributes, is_lfs_pointer, matches
from anamnesis_lsp.records.git.conflicts import Conflict, conflicts
from anamnesis_lsp.records.git.notebook import cells, json_line
from tests.builders.repos import GRACE, Repo, new_repo, numbered

POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:" + "ab" * 32 + "\nsize 12345\n"


def buffer(repo: Repo, path: str, text: str, *ranges: tuple[int, int]) -> Blame:
    return Repository.discover(repo.path, never()).blame_buffer(path, text, ranges or None, never())


def refused(repo: Repo, path: str, text: str | None = None) -> ErrorCode:
    it = Repository.discover(repo.path, never())
    with pytest.raises(AnamnesisError) as caught:
        check_selection(it, repo.path / path, 1, 1, never(), text)
    assert caught.value.remedy
    return caught.value.code


# ---- attributes


@pytest.mark.parametrize(
    ("pattern", "path", "holds"),
    [
        ("*.txt", "a.txt", True),
        ("*.txt", "deep/er/a.txt", True),
        ("/*.txt", "deep/a.txt", False),
        ("docs/*.md", "docs/a.md", True),
        ("docs/*.md", "docs/sub/a.md", False),
        ("docs/**/*.md", "docs/sub/deep/a.md", True),
        ("docs/**/*.md", "docs/a.md", True),
        ("**/a.md", "x/y/a.md", True),
        ("docs/**", "docs/x/y", True),
        ("docs/", "docs/a", False),
        ("a?c.[ch]", "abc.h", True),
        ("a[!b]c", "abc", False),
        ("a[!b]c", "a/c", False),
        (r"star\*", "star*", True),
        ("[", "[", False),
        ("a[", "a[", False),
        ("*a*b*c", "xaybzc", True),
        ("*a*b*c", "xbyazc", False),
        ("a*a", "a", False),
        ("*[0-9]?", "v1b", True),
        ("*[0-9]?", "1bb", False),
        ("?", "", False),
        ("a/**", "a", False),
        ("**/a/**/b", "x/a/b", True),
        ("**/a/**/b", "x/a/b/a/c/b", True),
        ("**/a/**/b", "x/b/a", False),
        ("a/*/c", "a/c", False),
        ("**", "x/y", True),
    ],
)
def test_patterns_are_those_of_gitattributes(tmp_path: Path, pattern: str, path: str, holds: bool) -> None:
    assert matches(pattern, path) == holds
    repo = new_repo(tmp_path / "r")
    repo.write(".gitattributes", f"{pattern} marked\n")
    told = repo.git("-c", "core.quotePath=false", "check-attr", "marked", "--", path)
    assert told.endswith(": set") == holds


def test_any_pattern_matches_what_git_matches(tmp_path: Path) -> None:
    rng = random.Random(5)
    repo = new_repo(tmp_path / "r")
    paths = sorted({"/".join("".join(rng.choice("ab1") for _ in range(rng.randint(1, 4)))
                             for _ in range(rng.randint(1, 4))) for _ in range(40)})  # fmt: skip
    pieces = ("a", "b", "1", "*", "**", "?", "[ab]", "[!a]", "/", "/**/", "**/", "/**")
    for _ in range(60):
        pattern = "".join(rng.choice(pieces) for _ in range(rng.randint(1, 7)))
        if pattern.startswith("!") or "//" in pattern or "***" in pattern:
            continue
        repo.write(".gitattributes", f"{pattern} marked\n")
        told = repo.git("check-attr", "--stdin", "marked", input_="\n".join(paths).encode()).split("\n")
        assert [one.endswith(": set") for one in told] == [matches(pattern, path) for path in paths], pattern


def test_no_pattern_of_a_repository_takes_long() -> None:
    began = time.process_time()
    for many in ("*a" * 60 + "*b", "**/a/" * 60 + "b", "*[ab]?" * 60 + "c", "*" * 4000 + "b", "[" * 4000, "a" * 99_999):
        assert not matches(many, "a" * 250 + ".py")
        assert not matches(many, "a/" * 120 + "a.py")
    assert time.process_time() - began < 2


def test_the_nearer_file_and_the_later_line_count(tmp_path: Path) -> None:
    found: dict[str, Value] = {}
    apply_attributes(b'*.c text eol=lf\n# c\n"a b.c" -text\n*.c !eol\n[attr]x y\n\xff* z\n', "a b.c", found, never())
    assert found == {"text": False}
    repo = new_repo(tmp_path / "r")
    nearer = "*.txt binary !working-tree-encoding\n"
    repo.commit("one", {".gitattributes": "*.txt working-tree-encoding=cp1251\n", "sub/.gitattributes": nearer})
    it = Repository.discover(repo.path, never())
    assert it.attributes(repo.head(), "x.txt", never()) == {"working-tree-encoding": "cp1251"}
    assert it.attributes(repo.head(), "sub/x.txt", never()) == {"text": False, "diff": False, "merge": False}


# ---- encodings


def test_a_working_tree_encoding_is_read_as_the_editor_shows_it(tmp_path: Path) -> None:
    text = "erste Zeile\nzweite, größer\n"
    repo = new_repo(tmp_path / "r")
    repo.commit("one", {".gitattributes": "*.txt working-tree-encoding=UTF-16LE-BOM eol=lf\n"})
    made = repo.commit("two", {"a.txt": b"\xff\xfe" + text.encode("utf-16-le")})
    it = Repository.discover(repo.path, never())
    assert it.work_text("a.txt") == text
    chosen = check_selection(it, repo.path / "a.txt", 2, 2, never())
    assert chosen.text == text
    assert [line.commit for line in buffer(repo, "a.txt", text).lines] == [made, made]


def test_utf_16_that_git_takes_for_binary_is_refused_with_the_reason(tmp_path: Path) -> None:
    repo = new_repo(tmp_path / "r")
    repo.commit("one", {"a.txt": "\ufeffhello\n".encode("utf-16-le")})
    it = Repository.discover(repo.path, never())
    assert refused(repo, "a.txt") is ErrorCode.FILE_BINARY
    with pytest.raises(AnamnesisError, match="UTF-16"):
        it.blame_buffer("a.txt", "hello\n", None, never())


@pytest.mark.parametrize("encoding", ["latin-1", "cp1251", "shift_jis", "euc_jp", "gb18030", "euc_kr"])
def test_lines_in_an_old_encoding_are_those_the_editor_shows(tmp_path: Path, encoding: str) -> None:
    words = {
        "latin-1": "größe", "cp1251": "привет", "shift_jis": "日本語",
        "euc_jp": "日本語", "gb18030": "汉字编码", "euc_kr": "한국어",
    }[encoding]  # fmt: skip
    text = f"plain\n# {words} one\n# {words} two\nplain too\n"
    repo = new_repo(tmp_path / "r")
    made = repo.commit("one", {"a.py": text.encode(encoding)})
    edited = text.replace("plain too", "edited")
    result = buffer(repo, "a.py", edited)
    assert [line.line for line in result.lines] == [1, 2, 3] and {line.commit for line in result.lines} == {made}


def test_a_bom_and_crlf_are_no_change(tmp_path: Path) -> None:
    repo = new_repo(tmp_path / "r")
    repo.commit("one", {"a.cs": b"\xef\xbb\xbfusing A;\r\nusing B;\r\n"})
    for shown in ("using A;\nusing B;\n", "\ufeffusing A;\r\nusing B;\r\n"):
        assert buffer(repo, "a.cs", shown).uncommitted == ()


# ---- Git LFS


def test_a_pointer_of_git_lfs_is_told_as_what_it_is(tmp_path: Path) -> None:
    repo = new_repo(tmp_path / "r")
    repo.commit("one", {".gitattributes": "*.psd filter=lfs\n", "a.psd": POINTER})
    assert refused(repo, "a.psd", None) is ErrorCode.FILE_IN_LFS
    assert refused(repo, "a.psd", "the real\ncontent\n") is ErrorCode.FILE_IN_LFS
    with pytest.raises(AnamnesisError) as caught:
        buffer(repo, "a.psd", "the real\ncontent\n")
    assert caught.value.code is ErrorCode.FILE_IN_LFS
    assert len(buffer(repo, "a.psd", POINTER).lines) == 3
    assert is_lfs_pointer(POINTER.encode()) and not is_lfs_pointer(b"version https://git-lfs.github.com/spec/v1\n")


# ---- notebooks


def notebook(*sources: object) -> str:
    made = [{"cell_type": "code", "id": f"c{n}", "metadata": {}, "source": source} for n, source in enumerate(sources)]
    return json.dumps({"metadata": {"source": ["no"]}, "cells": made, "nbformat": 4}, indent=1) + "\n"


def test_the_lines_of_a_cell_are_lines_of_the_json() -> None:
    text = notebook(["import os\n", "print(1)"], "one string\nof two lines", [], ["a\n", "\n", "b\n"])
    found = cells(text)
    assert [cell.text for cell in found] == [
        ("import os", "print(1)"),
        ("one string", "of two lines"),
        (),
        ("a", "", "b"),
    ]
    lines = text.split("\n")
    for cell in found:
        for number, shown in zip(cell.lines, cell.text, strict=True):
            assert shown in lines[number - 1]
    assert json_line(found, 0, 2) == json_line(found, "c0", 2) == found[0].lines[1]
    assert found[1].lines[0] == found[1].lines[1]


def test_a_cell_is_blamed_by_its_lines_of_the_json(tmp_path: Path) -> None:
    repo = new_repo(tmp_path / "r")
    repo.commit("one", {"a.ipynb": notebook(["import os\n", "print(1)"], ["x = 1\n", "y = 2"])})
    made = repo.commit("two", {"a.ipynb": notebook(["import os\n", "print(1)"], ["x = 1\n", "y = 3"])}, author=GRACE)
    it = Repository.discover(repo.path, never())
    line = json_line(cells(it.text(made, "a.ipynb", never())), "c1", 2)
    assert it.blame(made, "a.ipynb", [(line, line)], never()).lines[0].commit == made


@pytest.mark.parametrize(
    "text", ["", "{", "[1,", '{"cells": [{"source": ["a" "b"]}]}', '{"cells": [}', "x" * 10, "[" * 5000]
)
def test_what_is_no_notebook_is_refused(text: str) -> None:
    with pytest.raises(AnamnesisError) as caught:
        cells(text)
    assert caught.value.code is ErrorCode.BAD_REQUEST


def test_a_cell_or_line_that_is_not_there_is_refused() -> None:
    for cell, line in ((0, 9), (9, 1), ("nope", 1), (0, 0)):
        with pytest.raises(AnamnesisError):
            json_line(cells(notebook(["a"])), cell, line)


# ---- conflicts


def conflicted(path: Path) -> tuple[Repo, str, str]:
    repo = new_repo(path)
    repo.commit("base", {"a.txt": "one\ntwo\nthree\n"})
    repo.git("checkout", "-q", "-b", "side")
    theirs = repo.commit("theirs", {"a.txt": "one\ntheir two\nand more\nthree\n"}, author=GRACE)
    repo.git("checkout", "-q", "main")
    ours = repo.commit("ours", {"a.txt": "one\nour two\nthree\n"})
    return repo, ours, theirs


@pytest.mark.parametrize("how", ["merge", "cherry-pick", "rebase"])
def test_each_side_of_a_conflict_comes_from_its_own_commit(tmp_path: Path, how: str) -> None:
    repo, ours, theirs = conflicted(tmp_path / "r")
    if how == "rebase":
        repo.git("checkout", "-q", "side")
    target = {"merge": ["merge", "side"], "cherry-pick": ["cherry-pick", "side"], "rebase": ["rebase", "main"]}[how]
    with pytest.raises(AssertionError):
        repo.git(*target)
    text = (repo.path / "a.txt").read_text(encoding="utf-8")
    lines = text.split("\n")
    result = buffer(repo, "a.txt", text)
    told = {line.line: line for line in result.lines}
    assert told[lines.index("our two") + 1].commit == ours and not told[lines.index("our two") + 1].theirs
    for shown in ("their two", "and more"):
        line = told[lines.index(shown) + 1]
        assert line.commit == theirs and line.theirs
    markers = [n for n, line in enumerate(lines, 1) if line.startswith(("<<<<<<<", "=======", ">>>>>>>"))]
    assert list(result.uncommitted) == markers
    one = buffer(repo, "a.txt", text, (lines.index("and more") + 1,) * 2)  # type: ignore[arg-type]
    assert [line.commit for line in one.lines] == [theirs] and not one.uncommitted


def test_markers_are_conflicts_only_in_their_order() -> None:
    text = "<<<<<<< a\n1\n||||||| b\n2\n=======\n3\n>>>>>>> c\n=======\n>>>>>>> d\n<<<<<<< e\n<<<<<<<< not\n"
    assert conflicts(text.split("\n")) == [Conflict(1, 3, 5, 7)]


def test_the_map_of_a_buffer_is_the_one_its_blame_uses(tmp_path: Path) -> None:
    repo = new_repo(tmp_path / "r")
    repo.commit("one", {"a.txt": numbered(4)})
    it = Repository.discover(repo.path, never())
    mapping = it.line_map("a.txt", "new\n" + numbered(4), never())
    assert [mapping.committed(line) for line in range(1, 6)] == [None, 1, 2, 3, 4]


# ---- staged renames


def test_a_staged_rename_is_asked_about_under_its_old_name(tmp_path: Path) -> None:
    repo = new_repo(tmp_path / "r")
    made = repo.commit("one", {"old/a.txt": numbered(20), "old/b.txt": numbered(20, start=100)})
    repo.move("old/a.txt", "new/c.txt")
    text = "edited\n" + numbered(20)
    repo.write("new/c.txt", text)
    it = Repository.discover(repo.path, never())
    exact = check_selection(it, repo.path / "new/c.txt", 3, 3, never(), text)
    assert exact.path == "old/a.txt"
    repo.git("add", "-A")
    similar = check_selection(it, repo.path / "new/c.txt", 3, 3, never())
    assert similar.path == "old/a.txt" and similar.text == text
    assert [line.commit for line in it.blame_buffer(similar.path, text, [(3, 3)], never()).lines] == [made]
    repo.write("fresh.txt", numbered(30, word="unlike"))
    repo.git("add", "-A")
    assert refused(repo, "fresh.txt") is ErrorCode.FILE_UNTRACKED


# ---- large lines


def test_a_minified_file_of_one_line_is_one_line_and_no_burden(tmp_path: Path) -> None:
    repo = new_repo(tmp_path / "r")
    line = "".join(f"function f{n}(a){{return a+{n}}};" for n in range(40_000))
    made = repo.commit("one", {"a.min.js": line})
    begin = time.perf_counter()
    assert [l.commit for l in buffer(repo, "a.min.js", line).lines] == [made]  # noqa: E741
    edited = buffer(repo, "a.min.js", line.replace("f77(", "g77(", 1))
    assert edited.uncommitted == (1,)
    assert time.perf_counter() - begin < 5.0
