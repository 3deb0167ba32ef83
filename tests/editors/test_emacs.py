"""Emacs 28 with Debian's eglot, and Emacs 30 where it was unpacked: in batch, the person's path."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.editors.conftest import CACHE, Verdicts, environment
from tests.editors.example import Example

pytestmark = pytest.mark.editor("emacs")
DRIVE = Path(__file__).parent / "emacs/drive.el"
CHECKS = re.findall(r'^\(check "([^"]+)"', DRIVE.read_text(), re.MULTILINE)


def drive(program: list[str], env: dict[str, str], results: Path) -> Verdicts:
    done = subprocess.run(
        [*program, "-q", "--batch", "-l", str(DRIVE)], env=env, capture_output=True, text=True, timeout=110, check=False
    )
    return Verdicts(results, done.stdout + done.stderr)


@pytest.fixture(scope="module")
def emacs(shown: Example, tmp_path_factory: pytest.TempPathFactory) -> Verdicts:
    program = shutil.which("emacs")
    assert program, "emacs is not installed"
    results = tmp_path_factory.mktemp("emacs") / "results"
    return drive([program], environment(shown, results), results)


@pytest.mark.parametrize("name", CHECKS)
def test_in_the_installed_emacs(emacs: Verdicts, name: str) -> None:
    emacs.check(name)


@pytest.fixture(scope="module")
def emacs30(shown: Example, tmp_path_factory: pytest.TempPathFactory) -> Verdicts:
    root = CACHE / "emacs30/root/usr"
    programs = list(root.glob("bin/emacs-nox"))
    if not programs:
        pytest.skip("Emacs 30 was not unpacked (.ci/editors does so on Debian 12)")
    results = tmp_path_factory.mktemp("emacs30") / "results"
    [version] = root.glob("share/emacs/30.*")
    folders = [str(folder) for folder in [version / "lisp", *sorted((version / "lisp").rglob("*/"))] if folder.is_dir()]
    [dump] = root.rglob("*.pdmp")
    env = environment(shown, results) | {
        "LD_LIBRARY_PATH": str(root / "lib/x86_64-linux-gnu"),
        "EMACSDATA": str(version / "etc"),
        "EMACSDOC": str(version / "etc"),
        "EMACSLOADPATH": os.pathsep.join(folders),
    }
    return drive([str(programs[0]), f"--dump-file={dump}", "--no-site-file"], env, results)


@pytest.mark.parametrize("name", CHECKS)
def test_in_emacs_30(emacs30: Verdicts, name: str) -> None:
    emacs30.check(name)
