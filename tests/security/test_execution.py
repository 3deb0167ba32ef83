"""Nothing of a repository runs: every vector × every public operation of the server and of the command line.

Each vector is first shown live with plain git (:func:`tests.builders.hostile.armed`), and once more by a program that
asks GitPython what this one asks. No byte and no mtime under the repository changes either.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.builders.claude import Transcript
from tests.builders.hostile import FILE, VECTORS, Trap, armed
from tests.builders.repos import unchanged
from tests.security.session import Session, inside, terminal_operations

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the planted programs are shell scripts")

Plant = Callable[[Trap], None]

QUICK = frozenset(
    {
        "textconv", "clean_filter", "promisor_ext", "hooks", "embedded_bare_repository", "inherited_environment",
        "git_in_the_repositorys_bin", "everything_at_once",
    }
)  # fmt: skip
"""One of each kind: what ``make test`` runs. ``make security`` runs all, ``unit/test_git_hostile.py`` always does."""


def each(vectors: list[Plant], quick: frozenset[str]) -> list[Any]:
    marks = {True: (), False: (pytest.mark.thorough,)}
    return [pytest.param(one, id=one.__name__, marks=marks[one.__name__ in quick]) for one in vectors]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    for name in ("CLAUDE_CONFIG_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    return home


def with_its_conversation(trap: Trap, home: Path) -> None:
    path = str(trap.repo.path)
    talk = Transcript(cwd=path).person("Number three is a word, not a digit, before the release.")
    talk.edit(f"{path}/{FILE}", "line number 3 of the text", "line number three of the text", say="Written out.")
    talk.write_to(home / ".claude", path.replace("/", "-"))


@pytest.mark.parametrize("plant", each(VECTORS, QUICK))
def test_no_operation_runs_what_was_planted(
    tmp_path: Path, home: Path, plant: Plant, monkeypatch: pytest.MonkeyPatch
) -> None:
    trap = armed(tmp_path, plant)
    with_its_conversation(trap, home)
    for name, value in trap.environment.items():
        monkeypatch.setenv(name, value)
    folder = tmp_path / "requests"
    folder.mkdir()
    ran: list[str] = []
    monkeypatch.chdir(trap.repo.path)
    with unchanged(trap.repo.path, home):
        client = inside(trap.repo.path)
        session = Session(client, trap.repo.path / FILE, 2, 4)
        terminal = terminal_operations(trap.repo.path, FILE, "2-4", folder)
        operations = {**session.operations(), **terminal}
        for name, operation in operations.items():
            operation()
            if trap.mark.exists():
                ran.append(name)
                trap.mark.unlink()
        client.kill()
    assert not ran
    assert not trap.mark.exists()
    assert len(operations) >= 45
    assert session.locators or "promisor" in plant.__name__, "nothing was found, so little was run"


# ---- the same questions, asked of GitPython


def naive(folder: Path) -> None:
    """What this program asks of a repository, as GitPython's documentation shows how to ask it."""
    import git

    repo = git.Repo(folder, search_parent_directories=True)
    questions: list[Callable[[], object]] = [
        lambda: repo.blame("HEAD", FILE),
        lambda: list(repo.blame_incremental("HEAD", FILE)),
        lambda: repo.git.blame("--", FILE),
        lambda: repo.git.log("-p", "--", FILE),
        lambda: repo.git.log("-L", f"2,4:{FILE}"),
        lambda: repo.git.show("HEAD"),
        lambda: repo.git.diff("HEAD~1", "HEAD"),
        lambda: repo.head.commit.diff("HEAD~1", create_patch=True),
        lambda: repo.head.commit.diff(None, create_patch=True),
        lambda: repo.is_dirty(),
        lambda: repo.untracked_files,
        lambda: repo.git.status(),
        lambda: repo.git.cat_file("--filters", f"HEAD:{FILE}"),
        lambda: repo.git.cat_file("-p", f"HEAD~1:{FILE}"),
        lambda: repo.git.hist(),
    ]
    for question in questions:
        with suppress(Exception):
            question()


NOT_OF_GITPYTHON = {
    "pager": "needs a terminal",
    "merge_driver": "runs in a merge only",
    "trailer_command": "runs where trailers are added only",
    "git_beside_the_code": "GitPython looks for git once, where it was imported",
    "git_in_the_repositorys_bin": "GitPython looks for git once, where it was imported",
}
"""Vectors that these questions do not reach; plain git shows that they are live."""


OF_GITPYTHON = [vector for vector in VECTORS if vector.__name__ not in NOT_OF_GITPYTHON]


@pytest.mark.parametrize("plant", each(OF_GITPYTHON, frozenset({"textconv", "everything_at_once"})))
def test_the_same_questions_asked_of_gitpython_run_it(
    tmp_path: Path, plant: Plant, monkeypatch: pytest.MonkeyPatch
) -> None:
    trap = armed(tmp_path, plant)
    for name, value in trap.environment.items():
        monkeypatch.setenv(name, value)
    inner = trap.repo.path / "docs" / "sub"
    if (trap.repo.path / ".git" / "index").exists():
        os.utime(trap.repo.path / FILE, (2, 2))  # what a hook on the index waits for
    place = inner if inner.exists() else trap.repo.path
    monkeypatch.chdir(place)
    naive(place)
    assert trap.mark.exists()


# ---- programs and modules beside the code


def test_modules_of_the_repository_are_not_imported(tmp_path: Path, home: Path) -> None:
    """The installed program, run in a folder full of modules named as those it imports."""
    trap = Trap(tmp_path)
    names = [name for name in sys.stdlib_module_names if name.isidentifier() and not name.startswith("_")]
    for name in [*names, "pygls", "lsprotocol", "git", "rapidfuzz", "rich", "anamnesis_lsp", "sitecustomize"]:
        trap.repo.write(f"{name}.py", f"open({str(trap.mark)!r}, 'a').write({name!r})\n")
    code = (
        "import sys; sys.argv = ['anamnesis-lsp', *sys.argv[1:]]; from anamnesis_lsp.cli import main; sys.exit(main())"
    )
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), "HOME": str(home)}
    script = tmp_path / "anamnesis-lsp"
    script.write_text(code.replace("; ", "\n"))
    for arguments in (["stores"], ["history", f"{FILE}:2-4"], ["recollect", f"{FILE}:2-4"], ["doctor"]):
        done = subprocess.run(
            [sys.executable, str(script), *arguments], cwd=trap.repo.path, env=env, capture_output=True, check=False
        )
        assert done.returncode in (0, 1), done.stderr.decode()
    assert not trap.mark.exists(), trap.mark.read_text()


def test_a_planted_program_is_not_run_later_either(tmp_path: Path, home: Path) -> None:
    """Warming runs after the answer: it too must leave the mark alone."""
    trap = armed(tmp_path, VECTORS[-1])
    client = inside(trap.repo.path)
    client.open(trap.repo.path / FILE)
    time.sleep(1.0)
    client.kill()
    assert not trap.mark.exists()
