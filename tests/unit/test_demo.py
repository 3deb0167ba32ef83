"""The example: its stories in a pipe and on a terminal, and the workspace that an editor can open."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from anamnesis_lsp import cli
from tests.builders.terminals import at_a_terminal

ROOT = Path(__file__).parents[2]
TOLD = ("no exponential backoff", "SQLite locks the database itself")


def test_in_a_pipe_it_tells_its_stories_and_asks_nothing(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert cli.main(["demo", "--keep", str(tmp_path / "demo")]) == 0
    told = capsys.readouterr().out
    for words in TOLD:
        assert words in told
    assert (tmp_path / "demo" / "tidewatch" / ".git").is_dir()
    assert f"left in {tmp_path / 'demo'}" in told and "recall>" not in told


def test_the_beside_conversation_is_in_no_story(capsys: pytest.CaptureFixture[str]) -> None:
    cli.main(["demo"])
    stories = re.findall(r"^STORY$(.*?)^RECORDS$", capsys.readouterr().out, re.MULTILINE | re.DOTALL)
    assert len(stories) == 2
    assert not any("which order" in story for story in stories)


def test_a_folder_that_has_an_example_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "tidewatch").mkdir()
    assert cli.main(["demo", "--keep", str(tmp_path)]) == 2
    assert "has an example already" in capsys.readouterr().err


def test_it_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    before = dict(os.environ)
    assert cli.main(["demo"]) == 0
    assert list(tmp_path.glob("anamnesis-demo-*")) == [] and dict(os.environ) == before


@pytest.mark.skipif(os.name == "nt", reason="a pseudo-terminal")
def test_on_a_terminal_it_waits_tells_and_listens() -> None:
    answers = {"ask why it is there": ["", ""], "recall> ": ["/open 1", "that's it"]}
    code, shown = at_a_terminal([sys.executable, "-m", "anamnesis_lsp", "demo"], ROOT, answers)
    assert code == 0
    for words in TOLD:
        assert words in re.sub(r"\s+", " ", re.sub(r"\x1b\[[0-9;]*m", "", shown))
    assert "# 2. No lock file" in shown, "the record that /open shows"
    assert "RECALLED" in shown, "what that's it keeps"
    assert "On your own repository" in shown


@pytest.mark.skipif(os.name == "nt", reason="a pseudo-terminal")
def test_on_a_terminal_it_can_be_left_at_any_question() -> None:
    code, shown = at_a_terminal([sys.executable, "-m", "anamnesis_lsp", "demo"], ROOT, {})
    assert code == 0 and "WHY IS THIS HERE?" not in shown


@pytest.mark.skipif(os.name == "nt", reason="a POSIX shell")
def test_the_workspace_is_one_a_server_answers_in_and_is_removed_at_the_end(tmp_path: Path) -> None:
    env = {**os.environ, "TMPDIR": str(tmp_path), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "anamnesis_lsp", "demo", "--serve"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env) as serving:
        assert serving.stdin is not None and serving.stdout is not None
        told = ""
        while "removes it" not in told:
            line = serving.stdout.readline()
            assert line, told
            told += line
        [here] = re.findall(r"^    \. (.*)$", told, re.MULTILINE)
        [where] = re.findall(r"recollect (\S+)$", told, re.MULTILINE)
        script = f". {here} && exec {sys.executable} -m anamnesis_lsp recollect {where}"
        asked = subprocess.run(["sh", "-c", script], env=env, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        assert asked.returncode == 0, asked.stderr
        assert TOLD[0] in asked.stdout
        assert Path(here).parent.parent == tmp_path
        serving.stdin.write("\n")
        serving.stdin.close()
        assert serving.wait(10) == 0
    assert list(tmp_path.glob("anamnesis-demo-*")) == []


def test_a_workspace_that_is_kept_stays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["demo", "--serve", "--keep", str(tmp_path / "kept")]) == 0
    assert "left in" in capsys.readouterr().out
    assert (tmp_path / "kept/here.sh").is_file() and (tmp_path / "kept/tidewatch/.git").is_dir()
