"""Vim 9 with ALE: typed in a terminal."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.editors.conftest import Tmux, environment
from tests.editors.example import RETRY_SESSION, Example

pytestmark = pytest.mark.editor("vim")
VIMRC = Path(__file__).parent / "vim/vimrc"


def test_typed_in_vim_with_ale(shown: Example, terminal: type[Tmux], tmp_path: Path) -> None:
    env = environment(shown, tmp_path / "none") | {"TERM": "screen-256color"}
    screen = terminal(f"/usr/bin/vim.nox -n -i NONE -u {VIMRC} harbour/client.py", env, shown.repo, 110, 50)
    screen.wait_for("for attempt in range")
    screen.type(":ALELint", "Enter")
    screen.type_until("gateway drops the first request after a restart", ":13", "Enter", ":ALEHover", "Enter")
    screen.type("q", "Escape", ":only", "Enter")

    screen.type(":8,18Recollect", "Enter")
    told = screen.wait_for("## Story")
    assert "ATTEMPTS = 3" in told, "the code stays beside the story"
    screen.type("/\\[\\[2", "Enter", "l", "gd")
    screen.wait_for(RETRY_SESSION)
    screen.type(":RecollectCopy commit", "Enter", ':sleep 1 | echo split(@", "\\n")[0]', "Enter")
    screen.wait_for("Recalled:")
    screen.type("Enter", ":RecollectSay No, the other one: the lock file that was left behind", "Enter")
    screen.wait_for("the lock file that was left behind")
    screen.type(":RecollectIdentify", "Enter")
    screen.wait_for("# Recalled")
    screen.type(":RecollectOpen anamnesis:///commit/000000000000/" + shown.retry + ".md", "Enter")
    screen.type_until("is known here", ":messages", "Enter")
