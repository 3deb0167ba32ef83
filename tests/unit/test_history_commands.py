"""``history`` of a file and of a notebook's cell, and ``search``, as the command line prints them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from anamnesis_lsp import cli
from tests.builders.repos import GRACE, Repo, new_repo, numbered


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    made = new_repo(tmp_path / "app")
    made.commit("Add the client (#7)", {"a.py": numbered(9), "other.py": "x = 1\n"})
    made.commit("Wait for PROJ-3", {"a.py": numbered(9) + "BACKOFF_SECONDS = 3\n"}, author=GRACE)
    made.move("a.py", "lib/client.py")
    made.commit("Move it")
    made.commit("No back-off any more, see #7", {"lib/client.py": numbered(9)}, author=GRACE)
    monkeypatch.chdir(made.path)
    monkeypatch.setenv("HOME", str(tmp_path))
    return made


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, list[Any], str]:
    code = cli.main([*arguments, "--json"])
    out, err = capsys.readouterr()
    return code, [json.loads(line) for line in out.splitlines()], err


def test_the_history_of_a_file_goes_through_its_rename(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    code, steps, _ = run(capsys, "history", "lib/client.py")
    assert code == 0
    assert [step["commit"] for step in steps] == repo.git("rev-list", "HEAD").split()
    assert [(step["path"], step["status"]) for step in steps] == [
        ("lib/client.py", "M"),
        ("lib/client.py", "R"),
        ("a.py", "M"),
        ("a.py", "A"),
    ]
    assert cli.main(["history", "lib/client.py"]) == 0
    assert "(renamed from a.py)" in capsys.readouterr()[0]


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        (("--message", "back-off"), ["No back-off any more, see #7"]),
        (("--author", "grace"), ["No back-off any more, see #7", "Wait for PROJ-3"]),
        (("--content", "BACKOFF_SECONDS", "a.py"), ["Move it", "Wait for PROJ-3"]),
        (("--content", "BACKOFF_SECONDS", "lib"), ["No back-off any more, see #7", "Move it"]),
        (("--lines", "x = 1", "other.py"), ["Add the client (#7)"]),
        (("--content", "BACKOFF_SECONDS", "--everywhere", "--limit", "1"), ["No back-off any more, see #7"]),
        (("--id", "#7"), ["Add the client (#7)", "No back-off any more, see #7"]),
        (("--id", "PROJ-3"), ["Wait for PROJ-3"]),
    ],
)
def test_a_search_finds(
    repo: Repo, capsys: pytest.CaptureFixture[str], asked: tuple[str, ...], found: list[str]
) -> None:
    code, entries, _ = run(capsys, "search", *asked)
    assert code == 0 and [entry["subject"] for entry in entries] == found


def test_a_hash_is_found_and_nothing_is_told_as_nothing(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "search", "--id", repo.head()[:8])[1][0]["how"] == "hash"
    assert run(capsys, "search", "--message", "no such words")[:2] == (1, [])


def test_a_search_of_every_content_is_offered_with_its_cost(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    code, entries, err = run(capsys, "search", "--content", "BACKOFF_SECONDS")
    assert (code, entries) == (2, [])
    assert "the changes of all 4 commits of the history: about 1 s" in err and "--everywhere" in err


def notebook(*sources: str) -> str:
    made = [{"id": f"c{n}", "cell_type": "code", "metadata": {}, "source": s.splitlines(keepends=True)}
            for n, s in enumerate(sources)]  # fmt: skip
    return json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1) + "\n"


def test_lines_of_a_cell(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    repo.commit("Two cells", {"n.ipynb": notebook("import os\n", "x = 1\ny = 2\n")})
    changed = repo.commit("Another y", {"n.ipynb": notebook("import os\n", "x = 1\ny = 3\n")}, author=GRACE)
    for cell in ("2", "c1"):
        _, [told], _ = run(capsys, "history", "n.ipynb:2", "--cell", cell)
        assert told["steps"][0]["commit"] == changed and '"y = 3' in told["steps"][0]["diff"]
        _, [shown], _ = run(capsys, "recollect", "n.ipynb:2", "--cell", cell)
        assert changed[:9] in shown["story"][0]["text"]
    assert run(capsys, "history", "n.ipynb:9", "--cell", "2")[0] == 2
    assert run(capsys, "history", "lib/client.py:1", "--cell", "2")[0] == 2


def test_paths_are_relative_to_the_working_directory(
    repo: Repo, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repo.path / "lib")
    assert run(capsys, "history", "client.py:1")[0] == 0
    assert run(capsys, "recollect", "client.py:1")[1][0]["outcome"] == "presented"
    assert run(capsys, "recollect", "../other.py:1")[1][0]["outcome"] == "presented"
    assert run(capsys, "search", "--content", "x = 1", "../other.py")[0] == 0


def test_a_bare_repository_a_submodule_and_a_pointer_of_lfs(
    repo: Repo, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:" + "4d" * 32 + "\nsize 12345\n"
    made = repo.commit("Keep the film in LFS", {"film.bin": pointer})
    code, _, err = run(capsys, "history", "film.bin:1")
    assert code != 0 and "kept in Git LFS" in err
    assert [step["commit"] for step in run(capsys, "history", "film.bin")[1]] == [made]
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(repo.path), "sub")
    repo.commit("Add a submodule")
    assert run(capsys, "history", "sub/lib/client.py:1")[0] == 0
    assert "is the folder of a repository, not a file" in run(capsys, "history", "sub:1")[2]
    bare = repo.clone(repo.path.parent / "bare.git", "--bare")
    monkeypatch.chdir(bare.path)
    assert run(capsys, "history", "lib/client.py:1")[0] == 0
    assert run(capsys, "search", "--author", "grace")[0] == 0


def test_lines_are_those_on_disk(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    changed = repo.commit("Row five", {"lib/client.py": numbered(9).replace("line number 5 ", "row number 5 ")})
    text = (repo.path / "lib/client.py").read_text()
    repo.write("lib/client.py", "typed\n" + text)
    [told] = run(capsys, "history", "lib/client.py:6")[1]
    assert (told["lines"], told["steps"][0]["commit"]) == ([5, 5], changed)
    code, _, err = run(capsys, "history", "lib/client.py:1")
    assert code == 2 and "is committed yet" in err
    [told] = run(capsys, "history", "--rev", "HEAD", "lib/client.py:5")[1]
    assert told["lines"] == [5, 5]
    repo.git("mv", "lib/client.py", "moved.py")
    assert run(capsys, "history", "moved.py:6")[1][0]["lines"] == [5, 5]
