"""The doctor: a whole report on a machine where all is well, and on one where nothing is, each with its remedy."""

from __future__ import annotations

import json
import os
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from anamnesis_lsp import cli
from anamnesis_lsp.cancel import never
from anamnesis_lsp.doctor import Check, examine
from anamnesis_lsp.index import Catalog
from anamnesis_lsp.records.git.process import find_git
from tests.builders.claude import Transcript, session
from tests.builders.repos import Repo, new_repo, retry_repo

GIT = find_git().path


class Machine:
    """A home folder with nothing in it, and a PATH that has git and nothing else."""

    def __init__(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.home = tmp_path / "home"
        self.home.mkdir()
        self.programs = tmp_path / "bin"
        self.programs.mkdir()
        (self.programs / "git").symlink_to(GIT)
        self.repo: Repo = retry_repo(tmp_path / "app")
        self._monkeypatch = monkeypatch
        monkeypatch.chdir(self.repo.path)
        for name in ("CLAUDE_CONFIG_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
            monkeypatch.delenv(name, raising=False)
        self.set(HOME=str(self.home), PATH=str(self.programs))

    def set(self, **variables: str) -> None:
        for name, value in variables.items():
            self._monkeypatch.setenv(name, value)

    def program(self, name: str, script: str = "exit 0") -> Path:
        path = self.programs / name
        path.unlink(missing_ok=True)
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        return path

    def write(self, path: str, text: str) -> Path:
        file = self.home / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def report(self, here: Path | None = None, now: datetime | None = None) -> list[Check]:
        return list(examine(here or self.repo.path, never(), now=now))

    def found(self, kind: str, here: Path | None = None, now: datetime | None = None) -> list[Check]:
        return [check for check in self.report(here, now) if check.kind == kind]


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    return Machine(tmp_path, monkeypatch)


def test_where_all_is_well_nothing_is_wrong(machine: Machine, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["doctor"]) == 0
    told = capsys.readouterr().out
    assert f"ok   git: {'.'.join(map(str, find_git().version))}" in told
    assert f"ok   repository: {machine.repo.path}, at {machine.repo.head()[:12]}" in told
    assert "ok   index: 0 records" in told and told.endswith("\nNothing is wrong.\n")


def test_every_line_has_a_state_and_what_is_wrong_a_remedy(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    machine.set(PATH="/nowhere")
    assert cli.main(["doctor", "--json"]) == 1
    checks = json.loads(capsys.readouterr().out)
    assert {check["kind"] for check in checks} >= {"program", "git", "place", "index", "store", "editor"}
    for check in checks:
        assert set(check) == {"kind", "what", "state", "ok", "said", "remedy"}
        assert check["ok"] == (check["state"] != "bad") and check["said"]
        assert check["remedy"] or check["state"] != "bad"


def test_no_git(machine: Machine) -> None:
    machine.set(PATH="/nowhere")
    [git] = machine.found("git")
    assert git.state == "bad" and "No git" in git.said and "Install git" in git.remedy
    assert machine.found("index") and machine.found("place"), "the report goes on"


@pytest.mark.parametrize(
    "script,said",
    [
        ("echo git version 2.20.1", "version 2.20.1; 2.30 or newer"),
        ("echo hello", "does not answer as git does"),
        ("exit 3", "does not answer as git does"),
    ],
)
def test_a_git_that_will_not_do(machine: Machine, script: str, said: str) -> None:
    machine.program("git", script)
    [git] = machine.found("git")
    assert git.state == "bad" and said in git.said and git.remedy


def test_outside_of_a_repository_is_no_fault(machine: Machine, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    [repository] = machine.found("repository", tmp_path / "plain")
    assert repository.state == "note" and "lies in none" in repository.said


@pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="only root gives a folder away")
def test_a_repository_of_somebody_else(machine: Machine) -> None:
    for path in (machine.repo.path, machine.repo.path / ".git"):
        os.chown(path, 12345, 12345)
    [repository] = machine.found("repository")
    assert repository.state == "bad" and "dubious ownership" in repository.said
    assert "git config --global --add safe.directory" in repository.remedy


def test_a_repository_without_a_commit(machine: Machine, tmp_path: Path) -> None:
    [repository] = machine.found("repository", new_repo(tmp_path / "new").path)
    assert repository.state == "bad" and "no commit" in repository.said and repository.remedy


def test_a_shallow_and_a_partial_clone_are_told(machine: Machine, tmp_path: Path) -> None:
    source = machine.repo.path.as_uri()
    machine.repo.git("config", "uploadpack.allowFilter", "true")
    for name, option, word in (("s", "--depth=1", "ends early"), ("p", "--filter=blob:none", "not fetched")):
        machine.repo.git("clone", "-q", option, source, str(tmp_path / name))
        [repository] = machine.found("repository", tmp_path / name)
        assert repository.state == "note" and word in repository.said and repository.remedy


def test_places_that_cannot_be_written(machine: Machine, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    machine.set(ANAMNESIS_CACHE_DIR=str(tmp_path / "file/cache"))
    cache, state = machine.found("place")
    assert cache.state == "bad" and "ANAMNESIS_CACHE_DIR" in cache.remedy and state.state == "ok"
    [index] = machine.found("index")
    assert index.state == "bad" and index.remedy
    assert machine.found("editor"), "the report goes on"


def test_little_room_is_told(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("anamnesis_lsp.doctor.machine.ROOM_BYTES", 1 << 62)
    assert [(place.state, "room" in place.remedy) for place in machine.found("place")] == [("note", True)] * 2


def test_the_index_says_how_much_it_has_and_how_old_it_is(machine: Machine) -> None:
    Transcript(session(1), cwd=str(machine.repo.path)).person("Why?").write_to(machine.home / ".claude", "-app")
    assert cli.main(["index", "--refresh"]) == 0
    [index] = machine.found("index")
    assert "1 record, " in index.said and "just now" in index.said
    later = datetime.now(timezone.utc) + timedelta(days=3)
    assert "3 days ago" in machine.found("index", now=later)[0].said


def test_an_index_that_is_damaged_is_said(machine: Machine) -> None:
    catalog = Catalog.open()
    path = catalog.status().path
    catalog.close()
    path.write_bytes(b"no database" * 1000)
    [index] = machine.found("index")
    assert index.state in ("note", "bad") and index.said


def test_no_conversations_is_a_note_with_what_to_do(machine: Machine) -> None:
    stores = machine.found("store")
    [note] = [check for check in stores if check.state == "note"]
    assert "no conversation" in note.said and "--store" in note.remedy
    assert "claude-code" in next(check.said for check in stores if check.what == "not here")


def test_what_claude_code_will_delete_is_told_until_it_is_set(machine: Machine) -> None:
    Transcript(session(1), cwd=str(machine.repo.path)).person("Why?").write_to(machine.home / ".claude", "-app")
    [store] = [check for check in machine.found("store") if check.what.startswith("claude-code")]
    assert store.state == "note" and "after 30 days" in store.said and "cleanupPeriodDays" in store.remedy
    for settings, state in (('{"cleanupPeriodDays": 3650}', "ok"), ("no json", "note"), ("[]", "note")):
        machine.write(".claude/settings.json", settings)
        [store] = [check for check in machine.found("store") if check.what.startswith("claude-code")]
        assert store.state == state, settings


def test_an_unreadable_store_is_wrong(machine: Machine) -> None:
    machine.write(".local/share/opencode/opencode.db", "no database")
    machine.write(".codex/sessions", "a file in the place of a folder")
    assert cli.main(["index", "--refresh"]) == 0
    told = machine.found("store")
    assert all(check.remedy for check in told if check.state == "bad")


@pytest.mark.parametrize(
    "editor,there,file,text",
    [
        ("Neovim", ".config/nvim", ".config/nvim/init.lua", "vim.lsp.enable('anamnesis')"),
        ("Neovim", ".config/nvim", ".config/nvim/lua/plugins/why.lua", "{ dir = '~/anamnesis-lsp/editors/neovim' }"),
        ("Vim", ".vim", ".vimrc", "source ~/src/anamnesis-lsp/editors/vim/anamnesis.vim"),
        ("Emacs", ".emacs.d", ".emacs.d/init.el", "(require 'anamnesis)"),
        ("Helix", ".config/helix", ".config/helix/languages.toml", '[language-server.anamnesis]\ncommand = "x"'),
        ("Kate", ".config/kate", ".config/kate/lspclient/settings.json", '{"command": ["anamnesis-lsp", "serve"]}'),
        ("Zed", ".config/zed", ".config/zed/tasks.json", '[{"command": "anamnesis-lsp"}]'),
        ("VS Code", ".vscode/extensions", ".vscode/extensions/own.anamnesis-0.1.0/package.json", "{}"),
        (
            "Sublime Text", ".config/sublime-text",
            ".config/sublime-text/Packages/User/LSP.sublime-settings", '{"clients": {"anamnesis": {}}}',
        ),
    ],
)  # fmt: skip
def test_an_editor_is_found_and_whether_it_was_told(
    machine: Machine, editor: str, there: str, file: str, text: str
) -> None:
    assert [check.what for check in machine.found("editor")] == ["editors"]
    if editor != "Vim":
        (machine.home / there).mkdir(parents=True)
    else:
        machine.program("vim")
    [check] = machine.found("editor")
    assert (check.what, check.state) == (editor, "note") and "README.md" in check.remedy
    page = Path(__file__).parents[2] / check.remedy.removeprefix("See ").removesuffix(" in the sources.")
    assert page.is_file()
    machine.write(file, text)
    [check] = machine.found("editor")
    assert (check.what, check.state, check.remedy) == (editor, "ok", "")


def test_the_program_on_path_is_found(machine: Machine) -> None:
    assert [check.state for check in machine.found("program")] == ["ok", "note"]
    path = machine.program("anamnesis-lsp")
    assert machine.found("program")[1] == Check("program", "on PATH", "ok", str(path))


def test_a_home_that_does_not_exist(machine: Machine) -> None:
    machine.set(HOME="/nowhere/at/all")
    assert {check.kind for check in machine.report()} >= {"program", "git", "repository", "editor"}
