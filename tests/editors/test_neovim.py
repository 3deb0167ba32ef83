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
        [str(NVIM), "--headless", *FLAGS, shown.told.file, "-c", start],
        cwd=shown.repo, env=environment(shown, results), capture_output=True, text=True, timeout=110, check=False,
    )  # fmt: skip
    return Verdicts(results, done.stdout + done.stderr)


CHECKS = re.findall(r"^check\('([^']+)'", (HERE / "drive.lua").read_text(), re.MULTILINE)


@pytest.mark.parametrize("name", CHECKS)
def test_headless(verdicts: Verdicts, name: str) -> None:
    verdicts.check(name)


def test_typed_in_a_terminal(shown: Example, terminal: type[Tmux], tmp_path: Path) -> None:
    told = shown.told
    env = environment(shown, tmp_path / "none") | {"TERM": "screen-256color"}
    screen = terminal(f"{NVIM} {' '.join(FLAGS)} +{told.line} {told.file}", env, shown.repo, 110, 40)
    screen.wait_for(told.line_code[:50])
    attached = "function() local c = vim.lsp.get_clients()[1]; return c and c.initialized end"
    screen.type(f":lua vim.wait(60000, {attached}); print('ready' .. '-now')", "Enter")
    screen.wait_for("ready-now")
    link = "Recollect for the whole story"
    screen.type_until(link, ":silent! fclose!", "Enter", f"{told.line}G", "K")
    screen.type("j", "k")
    screen.wait_until_gone(link)
    assert "1: Recollect" in screen.type_until("Code actions:", "gra")
    screen.type("1", "Enter")
    screen.wait_for("## Story")
    screen.type(":q", "Enter")
    screen.wait_until_gone("## Story")
    screen.type(f"{told.first}GV{told.last}G", ":Recollect", "Enter")
    story = screen.wait_for("## Story")
    assert f"lines {told.first}-{told.last} of" in story
    assert told.code[:50] in story, "the code stays beside the story"
    screen.type(f"/\\[\\[{told.session_number}\\]", "Enter", "l", "gd")
    screen.wait_for(told.session)


def test_a_missing_server_is_one_clear_message_when_it_is_asked_for(shown: Example, tmp_path: Path) -> None:
    missing = "lua vim.lsp.config('anamnesis', { cmd = { 'no-such-server' } })"
    said = f"call writefile(split(execute('messages'), '\\n'), '{tmp_path}/"
    command = [str(NVIM), "--headless", *FLAGS, "-c", missing, shown.told.file]
    for then in (f"sleep 1 | {said}before')", "Recollect", f"{said}after')", "qa!"):
        command += ["-c", then]
    env = environment(shown, tmp_path / "none")
    subprocess.run(command, cwd=shown.repo, env=env, check=True, capture_output=True, timeout=60)
    assert "anamnesis" not in (tmp_path / "before").read_text()
    assert (tmp_path / "after").read_text().count("no-such-server is not installed") == 1


def test_the_server_is_found_where_pipx_and_uv_put_it(shown: Example, tmp_path: Path) -> None:
    env = environment(shown, tmp_path / "none") | {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    said = "lua io.stdout:write(vim.inspect({ require('anamnesis.server').command() }))"
    here = f"set runtimepath+={ROOT / 'editors/neovim'}"
    command = [str(NVIM), "--headless", "-n", "-i", "NONE", "--clean", "-c", here, "-c", said, "+qa!"]

    def found() -> str:
        return subprocess.run(command, env=env, check=True, capture_output=True, text=True, timeout=60).stdout

    if not (ROOT / ".venv/bin/anamnesis-lsp").exists():  # that of the clone is taken as well
        assert found() == '{ "anamnesis-lsp serve", false }'
    program = tmp_path / ".local/bin/anamnesis-lsp"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    assert found() == f'{{ "{program} serve", true }}'


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
