"""Neovim 0.11 with its own client and no plugin of ours: the whole of the main job, with copies and with virtual
documents.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.editors.conftest import CACHE, ROOT
from tests.server.scene import a_scene

pytestmark = [pytest.mark.editor("neovim"), pytest.mark.timeout(180)]
HERE = Path(__file__).parent / "neovim_bare"
NVIM = CACHE / "neovim/bin/nvim"


@pytest.mark.parametrize("virtual", [False, True], ids=["read-only copies", "virtual documents"])
def test_the_main_job_without_a_plugin(tmp_path: Path, virtual: bool) -> None:
    scene = a_scene(tmp_path)
    out = tmp_path / "out.txt"
    env = {
        **os.environ,
        **scene.env,
        **{f"XDG_{name}_HOME": str(tmp_path / "xdg" / name) for name in ("CONFIG", "DATA", "STATE", "CACHE")},
        "PYTHONPATH": str(ROOT),
        "ANAMNESIS_COMMAND": f"{sys.executable} -m anamnesis_lsp.server",
        "ANAMNESIS_ROOT": str(scene.repo.path),
        "ANAMNESIS_VIRTUAL": "1" if virtual else "0",
        "ANAMNESIS_OUT": str(out),
    }
    command = [str(NVIM), "--headless", "-n", "-i", "NONE", "-u", str(HERE / "init.lua"), str(scene.file)]
    command += ["-c", f"luafile {HERE / 'check.lua'}"]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=150, check=False)
    report = out.read_text() if out.exists() else f"no report\n{done.stdout}"
    print(report)
    assert done.returncode == 0, report + done.stderr
