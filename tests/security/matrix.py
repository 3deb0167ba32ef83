"""The execution matrix: one planted vector, every operation of ours, and the same asked of GitPython.

Which git: the one on ``PATH``, and those whose folders (``bin``, with a ``git`` in it) ``ANAMNESIS_TEST_GITS`` lists.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path

import pytest

from tests.builders.claude import Transcript
from tests.builders.hostile import FILE, VECTORS, Trap
from tests.builders.repos import unchanged
from tests.builders.watching import available, watching
from tests.security.session import Session, inside, terminal_operations

Plant = Callable[[Trap], None]

SILENT = {
    "git_beside_the_code": "GitPython looks for git once, where it was imported",
    "git_in_the_repositorys_bin": "GitPython looks for git once, where it was imported",
    "merge_driver": "runs in a merge only",
    "pager": "needs a terminal",
    "trailer_command": "runs where trailers are added only",
}
"""Vectors that the questions asked of GitPython do not reach; plain git shows that they are live."""

ASKED_OF_GITPYTHON = [vector for vector in VECTORS if vector.__name__ not in SILENT]


def folders_of_git() -> list[Path]:
    """The ``bin`` folders of other gits to run the matrix with."""
    return [Path(one) for one in os.environ.get("ANAMNESIS_TEST_GITS", "").split(os.pathsep) if one]


@contextmanager
def with_git(folder: Path | None, home: Path) -> Iterator[str]:
    """The git of ``folder`` is the one on ``PATH``, and ``home`` the person's; yields what it calls itself."""
    home.mkdir(parents=True, exist_ok=True)
    with pytest.MonkeyPatch.context() as patch:
        if folder is not None:
            patch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
        patch.setenv("HOME", str(home))
        for name in ("CLAUDE_CONFIG_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "CODEX_HOME"):
            patch.delenv(name, raising=False)
        told = subprocess.run(["git", "version"], capture_output=True, check=True, text=True).stdout
        yield told.removeprefix("git version ").split(" ")[0].strip()


def with_its_conversation(trap: Trap, home: Path) -> None:
    """A conversation in which the lines asked about were written."""
    path = str(trap.repo.path)
    talk = Transcript(cwd=path).person("Number three is a word, not a digit, before the release.")
    talk.edit(f"{path}/{FILE}", "line number 3 of the text", "line number three of the text", say="Written out.")
    talk.write_to(home / ".claude", path.replace("/", "-"))


@contextmanager
def surrounded(trap: Trap, where: Path) -> Iterator[None]:
    """In the folder ``where``, with the environment that is part of the vector."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in trap.environment.items():
            patch.setenv(name, value)
        patch.chdir(where)
        yield


def watched(*roots: Path) -> AbstractContextManager[list[str]]:
    """The kernel's word on every change under the roots, where it can be had."""
    return watching(*roots) if available else nullcontext([])


def asked_of_us(trap: Trap, home: Path) -> tuple[dict[str, bool], int]:
    """Every public operation → whether the planted program ran, and how many records they found.

    Raises AssertionError where an operation fails by a fault of ours, or anything under repository or home changes, for
    however short a time.
    """
    with_its_conversation(trap, home)
    folder = trap.folder / "requests"
    folder.mkdir()
    ran: dict[str, bool] = {}
    roots = (*dict.fromkeys((trap.repo.path, trap.folder / "repo")), home)
    with surrounded(trap, trap.repo.path), unchanged(*roots), watched(*roots) as changes:
        client = inside(trap.repo.path)
        session = Session(client, trap.repo.path / FILE, 2, 4)
        operations = {**session.operations(), **terminal_operations(trap.repo.path, FILE, "2-4", folder)}
        for name, operation in operations.items():
            operation()
            ran[name] = trap.mark.exists()
            trap.mark.unlink(missing_ok=True)
        client.kill()
        ran["what is left to do"] = trap.mark.exists()
    assert not changes, changes[:5]
    return ran, len(session.locators)


def asked_of_gitpython(trap: Trap) -> dict[str, bool]:
    """What this program asks of a repository, as GitPython's documentation shows how to ask it → whether it ran."""
    import git

    inner = trap.repo.path / "docs" / "sub"
    place = inner if inner.exists() else trap.repo.path
    if (trap.repo.path / ".git" / "index").exists():
        os.utime(trap.repo.path / FILE, (2, 2))  # what a hook on the index waits for
    ran: dict[str, bool] = {}
    with surrounded(trap, place):
        repo = git.Repo(place, search_parent_directories=True)
        questions: dict[str, Callable[[], object]] = {
            "blame": lambda: repo.blame("HEAD", FILE),
            "blame_incremental": lambda: list(repo.blame_incremental("HEAD", FILE)),
            "git.blame of the work tree": lambda: repo.git.blame("--", FILE),
            "git.log -p": lambda: repo.git.log("-p", "--", FILE),
            "git.log -L": lambda: repo.git.log("-L", f"2,4:{FILE}"),
            "git.show": lambda: repo.git.show("HEAD"),
            "git.diff": lambda: repo.git.diff("HEAD~1", "HEAD"),
            "commit.diff": lambda: repo.head.commit.diff("HEAD~1", create_patch=True),
            "commit.diff of the work tree": lambda: repo.head.commit.diff(None, create_patch=True),
            "is_dirty": repo.is_dirty,
            "untracked_files": lambda: repo.untracked_files,
            "git.status": repo.git.status,
            "git.cat_file --filters": lambda: repo.git.cat_file("--filters", f"HEAD:{FILE}"),
            "git.cat_file -p": lambda: repo.git.cat_file("-p", f"HEAD~1:{FILE}"),
            "an alias": lambda: repo.git.hist(),
        }
        for name, question in questions.items():
            with suppress(Exception):
                question()
            ran[name] = trap.mark.exists()
            trap.mark.unlink(missing_ok=True)
        repo.close()
    return ran
