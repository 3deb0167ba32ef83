"""Vim 9 with ALE: typed in a terminal."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.editors.conftest import Tmux, environment
from tests.editors.example import Example

pytestmark = pytest.mark.editor("vim")
VIMRC = Path(__file__).parent / "vim/vimrc"


def test_typed_in_vim_with_ale(shown: Example, terminal: type[Tmux], tmp_path: Path) -> None:
    told = shown.told
    env = environment(shown, tmp_path / "none") | {"TERM": "screen-256color"}
    screen = terminal(f"/usr/bin/vim.nox -n -i NONE -u {VIMRC} {told.file}", env, shown.repo, 110, 50)
    screen.type(f":{told.line}", "Enter")
    screen.wait_for(told.line_code[:50])
    screen.type(":ALELint", "Enter")
    screen.type_until(told.hover, f":{told.line}", "Enter", ":ALEHover", "Enter")
    screen.type("q", "Escape", ":only", "Enter")

    screen.type(f":{told.first},{told.last}Recollect", "Enter")
    story = screen.wait_for("## Story")
    assert told.code[:50] in story, "the code stays beside the story"
    screen.type(f"/\\[\\[{told.session_number}", "Enter", "l", "gd")
    screen.wait_for(told.session)
    screen.type("C-o")
    screen.wait_for("## Story")
    screen.type(f"/\\[\\[{told.commit_number}", "Enter", "l", "gd")
    assert told.commit_says in screen.wait_for("## Message")
    screen.type("/the file here", "Enter", "gd")
    screen.wait_for(":///file/")  # a long name is cut at its beginning
    screen.type(":RecollectCopy commit", "Enter")
    screen.type_until("Recalled:", "Enter", ':echo split(@", "\\n")[0]', "Enter")
    screen.type("Enter", f":RecollectSay {told.correction}", "Enter")
    for said in told.corrected:
        screen.wait_for(said)
    screen.type(":RecollectIdentify", "Enter")
    screen.wait_for("# Recalled")
    screen.type(":RecollectOpen anamnesis:///commit/000000000000/" + told.commit + ".md", "Enter")
    screen.type_until("is known here", ":messages", "Enter")
