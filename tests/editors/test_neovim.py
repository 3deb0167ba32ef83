"""Neovim 0.11: the person's path headless, and typed in a terminal."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.editors.conftest import CACHE, ROOT, Tmux, Verdicts, environment
from tests.editors.example import Example

pytestmark = pytest.mark.editor("neovim")
HERE = Path(__file__).parent / "neovim"
NVIM = CACHE / "neovim/bin/nvim"
FLAGS = ["-n", "-i", "NONE", "-u", str(HERE / "init.lua")]


@pytest.fixture(scope="module")
def verdicts(shown: Example, tmp_path_factory: pytest.TempPathFactory) -> Verdicts:
    results = tmp_path_factory.mktemp("neovim") / "results"
    start = f"autocmd VimEnter * ++once lua vim.schedule(function() dofile('{HERE / 'drive.lua'}') end)"
    done = subprocess.run(
        [str(NVIM), "--headless", *FLAGS, "harbour/client.py", "-c", start],
        cwd=shown.repo, env=environment(shown, results), capture_output=True, text=True, timeout=110, check=False,
    )  # fmt: skip
    return Verdicts(results, done.stdout + done.stderr)


CHECKS = re.findall(r"^check\('([^']+)'", (HERE / "drive.lua").read_text(), re.MULTILINE)


@pytest.mark.parametrize("name", CHECKS)
def test_headless(verdicts: Verdicts, name: str) -> None:
    verdicts.check(name)


def test_typed_in_a_terminal(shown: Example, terminal: type[Tmux], tmp_path: Path) -> None:
    env = environment(shown, tmp_path / "none") | {"TERM": "screen-256color"}
    screen = terminal(f"{NVIM} {' '.join(FLAGS)} harbour/client.py", env, shown.repo, 110, 40)
    screen.wait_for("for attempt in range")
    attached = "function() local c = vim.lsp.get_clients()[1]; return c and c.initialized end"
    screen.type(f":lua vim.wait(9000, {attached})", "Enter")
    screen.type(":lua print('ready' .. '-now')", "Enter")
    screen.wait_for("ready-now")
    screen.type_until("Recollect for the whole story", ":silent! fclose!", "Enter", "13G", "K")
    screen.type("Escape", "j", "k", "gra")
    screen.wait_for("Recollect: why is this here?")
    screen.type("1", "Enter")
    screen.wait_for("## Story")
    screen.type(":q", "Enter", "8GV18G", ":Recollect", "Enter")
    told = screen.wait_for("## Story")
    assert "the person asked" in told
    assert "ATTEMPTS = 3" in told, "the code stays beside the story"
    screen.type("/\\[\\[2", "Enter", "l", "gd")
    screen.wait_for("conversation", 20)


def test_loads_in_under_5_ms(shown: Example, tmp_path: Path) -> None:
    times = []
    for _ in range(5):
        log = tmp_path / "startup"
        subprocess.run(
            [str(NVIM), "--headless", *FLAGS, "--startuptime", str(log), "+qa!"],
            cwd=shown.home, env=environment(shown, tmp_path / "none"), check=True, capture_output=True, timeout=60,
        )  # fmt: skip
        sourced = r"^\S+\s+\S+\s+(\S+): sourcing \S*neovim/plugin/anamnesis.lua"
        [took] = re.findall(sourced, log.read_text(), re.MULTILINE)
        log.unlink()
        times.append(float(took))
    assert min(times) < 5, times


def test_the_plugin_uses_documented_requests_only() -> None:
    page = (ROOT / "editors/PROTOCOL.md").read_text(encoding="utf-8")
    for source in (ROOT / "editors/neovim").rglob("*.lua"):
        for name in re.findall(r"request\('(\w+)'|'anamnesis/(\w+)'", source.read_text(encoding="utf-8")):
            assert f"anamnesis/{''.join(name)}" in page
