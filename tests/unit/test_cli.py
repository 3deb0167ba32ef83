"""The command line: what it prints, what it returns, and that its errors are one clear line."""

from __future__ import annotations

import argparse
import importlib
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from anamnesis_lsp import __version__, cli
from anamnesis_lsp.cli import commands as commands_package
from anamnesis_lsp.cli import parser
from anamnesis_lsp.index import Catalog
from tests.builders.claude import Transcript, session
from tests.builders.repos import Repo, new_repo, retry_repo


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    made = retry_repo(tmp_path / "app")
    monkeypatch.chdir(made.path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    monkeypatch.delenv("ANAMNESIS_DEBUG", raising=False)
    return made


@pytest.fixture
def store(repo: Repo) -> str:
    config = repo.path.parent / "claude"
    Transcript(session(1), cwd=str(repo.path)).person("Why do we retry at all?").write_to(config, "-app")
    return f"claude-code:{config}"


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = cli.main(arguments)
    out, err = capsys.readouterr()
    return code, out, err


def test_recollect_prints_a_round_as_json(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "recollect", "--json", "src/fetch.py:2-2")
    shown = json.loads(out)
    assert code == 0 and out.count("\n") == 1
    assert shown["schema"] == 1 and shown["outcome"] == "presented"
    assert shown["recognizables"][0]["members"][0]["id"] == repo.head()
    assert shown["story"][0]["cites"] == [1]


def test_recollect_in_a_pipe_is_plain_text(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "recollect", "src/fetch.py:2")
    assert code == 0
    assert "brought the selected line: “Raise the limit” [1]" in out
    assert "\x1b" not in out


def test_recollect_at_a_revision(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    before = repo.git("rev-parse", "HEAD~1")
    _, out, _ = run(capsys, "recollect", "--json", "--rev", before, "src/fetch.py:2-2")
    assert json.loads(out)["recognizables"][0]["members"][0]["id"] == before


def test_a_cue_alone(repo: Repo, store: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "recollect", "--json", "--store", store, "--cue", "the gateway dropped something")
    shown = json.loads(out)
    assert code == 0 and "gateway drops" in shown["story"][-1]["text"]
    assert shown["cue"]["meant"] == "the gateway dropped something"


def test_nothing_found_is_said_and_returns_1(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "recollect", "--json", "--cue", "zebra crossing xylophone")
    shown = json.loads(out)
    assert code == 1 and shown["outcome"] == "asked" and shown["searched"]


def test_a_batch_answers_each_line_in_order(repo: Repo, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [
        {"path": "src/fetch.py", "start_line": 2, "end_line": 2, "further": "ignored"},
        {"path": "src/nothing.py", "start_line": 1, "end_line": 1},
        {"cue": "retry"},
        {"path": "src/fetch.py", "start_line": "2", "end_line": 2},
        {"nothing": 1},
        {"path": "src/fetch.py", "start_line": 1, "end_line": 1},
    ]
    file = tmp_path / "batch.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)) + "\nnot json\n[1]\n")
    code, out, _ = run(capsys, "recollect", "--batch", str(file))
    answers = [json.loads(line) for line in out.splitlines()]
    assert code == 0 and len(answers) == 8
    assert [a["error"]["code"] if "error" in a else a["outcome"] for a in answers] == [
        "presented", "fileMissing", "presented", "badRequest", "badRequest", "presented", "badRequest", "badRequest",
    ]  # fmt: skip
    assert all({"code", "message", "remedy"} == set(a["error"]) for a in answers if "error" in a)


def test_each_line_of_a_batch_is_a_question_by_itself(
    repo: Repo, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "batch.jsonl"
    asked = {"path": "src/fetch.py", "start_line": 1, "end_line": 3}
    file.write_text("\n".join(json.dumps({**asked, "start_line": n}) for n in (1, 2, 1)))
    answers = [json.loads(line) for line in run(capsys, "recollect", "--batch", str(file))[1].splitlines()]
    assert len({answer["recall"] for answer in answers}) == 3
    assert all(answer["reading"] is None for answer in answers)
    assert answers[0]["notes"] == answers[2]["notes"] and answers[0]["story"] == answers[2]["story"]


def test_a_batch_from_standard_input(
    repo: Repo, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO('{"path": "src/fetch.py", "start_line": 2, "end_line": 2}\n'))
    code, out, _ = run(capsys, "recollect", "--batch", "-")
    assert code == 0 and json.loads(out)["outcome"] == "presented"


@pytest.mark.parametrize(
    "arguments,code,words",
    [
        (["recollect"], 2, "Neither lines nor a cue"),
        (["recollect", "src/fetch.py"], 2, "names no lines"),
        (["recollect", "src/fetch.py:3-1"], 2, "ends before it begins"),
        (["recollect", "src/fetch.py:99-100"], 2, "past the end"),
        (["recollect", "nowhere.py:1-2"], 2, "no file nowhere.py"),
        (["recollect", "--rev", "nope", "src/fetch.py:1-2"], 2, "names no commit"),
        (["recollect", "--store", "nonsense:/x", "src/fetch.py:1-2"], 2, "names no store"),
        (["recollect", "--store", "claude-code:/not/there", "src/fetch.py:1-2"], 2, "nothing at /not/there"),
        (["recollect", "--batch", "missing.jsonl"], 2, "cannot be read"),
        (["open", "anamnesis:///commit/0123456789ab/" + "0" * 40 + ".md"], 2, "No repository or store"),
        (["open", "file:///etc/passwd"], 2, "not a locator"),
        (["nonsense"], 2, "invalid choice"),
        (["recollect", "--nonsense"], 2, "unrecognized"),
        (["history"], 2, "No lines were given"),
    ],
)
def test_bad_input_is_one_clear_line(
    repo: Repo, capsys: pytest.CaptureFixture[str], arguments: list[str], code: int, words: str
) -> None:
    found, out, err = run(capsys, *arguments)
    assert found == code and out == ""
    assert words in err and err.count("\n") == 1 and "Traceback" not in err


def test_outside_a_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "x.py").write_text("x = 1\n")
    monkeypatch.chdir(tmp_path)
    code, _, err = run(capsys, "recollect", "x.py:1")
    assert code == 2 and "not in a git repository" in err


def test_a_fault_of_ours_shows_no_traceback(
    repo: Repo, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("secret words of a record")

    monkeypatch.setattr("anamnesis_lsp.cli.commands.recollect.request_of", broken)
    code, _, err = run(capsys, "recollect", "src/fetch.py:1")
    assert code == 4 and "RuntimeError" in err and "secret words" not in err


def test_open_shows_what_a_story_cites(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "recollect", "--json", "src/fetch.py:2-2")
    locator = json.loads(out)["records"][0]["locator"]
    code, out, _ = run(capsys, "open", locator)
    assert code == 0 and "Raise the limit" in out and "for attempt in range(5)" in out
    code, out, _ = run(capsys, "open", "--json", locator)
    assert json.loads(out)["uri"] == locator


def test_stores_lists_every_kind_and_its_state(repo: Repo, store: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "stores", "--json")
    listed = json.loads(out)
    kinds = {entry["kind"]: entry for entry in listed}
    assert code == 0 and {"claude-code", "codex", "decisions", "beads", "aider"} <= set(kinds)
    assert kinds["claude-code"]["state"] == "read" and kinds["claude-code"]["records"] == 1
    assert kinds["codex"]["state"] == "absent" and kinds["codex"]["records"] is None
    for entry in listed:
        assert set(entry) == {"kind", "root", "state", "records", "bytes", "from", "to", "note"}
    code, out, _ = run(capsys, "stores")
    assert code == 0 and "claude-code" in out


def test_index_tells_and_forgets(repo: Repo, store: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "index", "--refresh")[0] == 0
    assert json.loads(run(capsys, "index", "--json")[1])["records"] == 1
    assert run(capsys, "index", "--forget", "claude-code")[0] == 0
    assert json.loads(run(capsys, "index", "--json")[1])["records"] == 0
    assert run(capsys, "index", "--forget", "codex")[0] == 2


def test_index_says_what_it_waits_for_and_goes_on(
    repo: Repo, store: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("anamnesis_lsp.recall.recaller.OTHER_SECONDS", 0.5)
    lock = Catalog.open()._database.writer_lock()  # pyright: ignore[reportPrivateUsage]
    assert lock.acquire()
    code, out, err = run(capsys, "index", "--refresh", "--store", store)
    lock.release()
    assert code == 0 and "1 record is not in it yet" in out
    assert err == "anamnesis-lsp: Waiting for another program that is reading the conversations (1 left, 0 MB)\n"
    code, out, err = run(capsys, "index", "--refresh", "--store", store)
    assert code == 0 and "not in it" not in out and err == ""


def test_history_tells_the_steps(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "history", "--json", "src/fetch.py:1-3")
    assert code == 0
    assert [step["subject"] for step in json.loads(out)["steps"]] == [
        "Raise the limit",
        "Retry three times",
        "Add fetch",
    ]
    assert "Retry three times" in run(capsys, "history", "src/fetch.py:1-3")[1]


def test_read_turns_reads_through_the_dialogues_own_code(
    repo: Repo, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    state = {"cue": "x", "presented": "y", "adjacent": [], "last_round": "presentation", "held": []}
    file = tmp_path / "turns.jsonl"
    file.write_text("\n".join(json.dumps({"state": state, "utterance": said}) for said in ("that's it", "never mind")))
    code, out, _ = run(capsys, "read-turns", str(file))
    assert code == 0 and [json.loads(line)["reading"] for line in out.splitlines()] == ["identified", "end"]


def test_help_and_version_load_little() -> None:
    script = (
        "import sys; from anamnesis_lsp import cli\n"
        "try: cli.main(['--help'])\n"
        "except SystemExit: pass\n"
        "heavy = {'lsprotocol', 'rich', 'git', 'pygls', 'sqlite3', 'rapidfuzz'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    unmeasured = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}
    subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, env=unmeasured)
    done = subprocess.run(
        [sys.executable, "-m", "anamnesis_lsp", "--version"], check=True, capture_output=True, text=True
    )
    assert done.stdout.strip() == f"anamnesis-lsp {__version__}"


def test_every_command_has_a_module_and_every_module_is_a_command() -> None:
    [commands] = [action for action in parser.build()._actions if isinstance(action, argparse._SubParsersAction)]
    named = {name: one.get_default("command") for name, one in commands.choices.items()}
    modules = {path.stem for path in Path(commands_package.__file__ or "").parent.glob("*.py")} - {"__init__"}
    assert set(named.values()) == modules
    for name, module in named.items():
        assert name.replace("-", "_") == module
        assert callable(importlib.import_module(f"anamnesis_lsp.cli.commands.{module}").run)


def test_an_unborn_head_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made = new_repo(tmp_path / "new")
    made.write("a.py", "x = 1\n")
    monkeypatch.chdir(made.path)
    code, _, err = run(capsys, "recollect", "a.py:1")
    assert code == 2 and "no commit on its current branch" in err
