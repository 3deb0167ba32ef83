"""Nothing of a repository runs: every vector × every public operation of the server and of the command line.

Each vector is first shown live with plain git (:func:`tests.builders.hostile.armed`), and once more by a program that
asks GitPython what this one asks. No byte and no mtime under the repository changes either.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.builders.hostile import FILE, VECTORS, Trap, armed
from tests.security.matrix import (
    ASKED_OF_GITPYTHON,
    Plant,
    asked_of_gitpython,
    asked_of_us,
    folders_of_git,
    with_git,
)
from tests.security.session import inside

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the planted programs are shell scripts")

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
def home(tmp_path: Path) -> Iterator[Path]:
    with with_git(None, tmp_path / "home"):
        yield tmp_path / "home"


@pytest.mark.parametrize("plant", each(VECTORS, QUICK))
def test_no_operation_runs_what_was_planted(tmp_path: Path, home: Path, plant: Plant) -> None:
    nothing_runs(plant, tmp_path, home)


def nothing_runs(plant: Plant, folder: Path, home: Path) -> None:
    ran, found = asked_of_us(armed(folder, plant), home)
    assert not [name for name, did in ran.items() if did]
    assert len(ran) >= 46
    assert found or "promisor" in plant.__name__, "nothing was found, so little was run"


@pytest.mark.parametrize("plant", each(ASKED_OF_GITPYTHON, frozenset({"textconv", "everything_at_once"})))
def test_the_same_questions_asked_of_gitpython_run_it(tmp_path: Path, home: Path, plant: Plant) -> None:
    assert any(asked_of_gitpython(armed(tmp_path, plant)).values())


OTHER_GITS = folders_of_git()


@pytest.mark.thorough
@pytest.mark.skipif(not OTHER_GITS, reason="ANAMNESIS_TEST_GITS names no folder with another git")
@pytest.mark.parametrize("plant", VECTORS, ids=lambda plant: plant.__name__)
@pytest.mark.parametrize("folder", OTHER_GITS, ids=str)
def test_no_operation_runs_what_was_planted_with_another_git(tmp_path: Path, folder: Path, plant: Plant) -> None:
    with with_git(folder, tmp_path / "home"):
        nothing_runs(plant, tmp_path, tmp_path / "home")


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
