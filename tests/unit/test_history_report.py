"""What `anamnesis-lsp history` writes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from anamnesis_lsp.cancel import never
from anamnesis_lsp.records.git.history import history
from anamnesis_lsp.records.git.history.report import batch_objects, history_object, rendered
from anamnesis_lsp.records.git.repository import Repository
from tests.builders.repos import ADA, GRACE, Repo, new_repo, retry_repo, unchanged


def batch(here: Path, *requests: dict[str, Any] | str) -> list[dict[str, Any]]:
    rows = [request if isinstance(request, str) else json.dumps(request) for request in requests]
    return list(batch_objects(rows, here, never()))


def test_json_holds_every_step_with_its_commit(tmp_path: Path) -> None:
    repo = retry_repo(tmp_path / "r")
    found = history_object(Repository.discover(repo.path, never()), repo.head(), "src/fetch.py", 1, 99, never())
    assert (found["schema"], found["commit"], found["lines"]) == (1, repo.head(), [1, 3])
    assert [(step["subject"], step["kind"], step["author"]) for step in found["steps"]] == [
        ("Raise the limit", "change", ADA.split(" <")[0]),
        ("Retry three times", "change", GRACE.split(" <")[0]),
        ("Add fetch", "introduced", ADA.split(" <")[0]),
    ]
    last = found["steps"][0]
    assert last["date"] == "2020-01-01T03:00:00+00:00"
    assert last["diff"].split("\n")[2:4] == ["-    for attempt in range(3):", "+    for attempt in range(5):"]
    assert json.loads(json.dumps(found)) == found


def test_a_batch_answers_each_line_in_order(tmp_path: Path) -> None:
    repo = retry_repo(tmp_path / "r")
    formatted = repo.commit(
        "Wrap", {"src/fetch.py": (repo.path / "src/fetch.py").read_text().replace("get(url)", "get( url )")}
    )
    one, error, empty, two = batch(
        tmp_path,
        {"repo": "r", "rev": "HEAD", "path": "src/fetch.py", "start_line": 1, "end_line": 3, "function": "fetch"},
        {"repo": "r", "path": "gone.py", "start_line": 1, "end_line": 3},
        {"repo": "nowhere", "path": "gone.py", "start_line": 1, "end_line": 3},
        {"repo": "r", "rev": "HEAD~2", "path": "src/fetch.py", "start_line": 2, "end_line": 2},
    )
    assert one["format"] == [formatted]
    assert one["commits"] == repo.git("rev-list", "HEAD~1").split()
    assert [step["commit"] for step in one["steps"]] == [formatted, *one["commits"]]
    assert 0 <= one["seconds"] < 30
    assert error["error"]["code"] == "fileMissing"
    assert empty["error"]["code"] == "notARepository"
    assert len(two["commits"]) == 1


def test_a_batch_takes_a_bare_git_directory(tmp_path: Path) -> None:
    repo = retry_repo(tmp_path / "r")
    repo.git("clone", "-q", "--bare", ".", str(tmp_path / "bare"))
    with unchanged(tmp_path / "bare"):
        answers = batch(tmp_path, *[{"repo": "bare", "path": "src/fetch.py", "start_line": 1, "end_line": 3}] * 3)
    assert [len(answer["commits"]) for answer in answers] == [3, 3, 3]


def test_bad_lines_of_a_batch_get_one_clear_error_each(tmp_path: Path) -> None:
    repo = retry_repo(tmp_path / "r")
    answers = batch(
        repo.path,
        "not json",
        "[1]",
        {"path": "README"},
        {"path": 3, "start_line": 1, "end_line": 1},
        {"path": "README", "start_line": "1", "end_line": True},
        {"path": "README", "start_line": 1, "end_line": 1, "rev": "no-such"},
        {"path": "../README", "start_line": 1, "end_line": 1},
        "",
        {"path": "README", "start_line": 1, "end_line": 1},
    )
    assert [answer.get("error", {}).get("code") for answer in answers] == [
        *["badRequest"] * 5, "unknownRevision", "outsideRoot", None,
    ]  # fmt: skip


def test_people_read_who_when_what_and_the_diff(tmp_path: Path) -> None:
    repo = retry_repo(tmp_path / "r")
    opened = Repository.discover(repo.path, never())
    blocks = list(rendered(opened, history(opened, repo.head(), "src/fetch.py", 1, 3, never()), never()))
    assert blocks[0].startswith(f"{repo.head()[:12]}  2020-01-01  Ada Lovelace  (change, ")
    assert "    Raise the limit\n    src/fetch.py:1-3\n    @@ -1,3 +1,3 @@\n" in blocks[0]
    assert "(introduced)" in blocks[2]


def test_no_control_character_of_a_record_reaches_a_terminal(tmp_path: Path) -> None:
    repo: Repo = new_repo(tmp_path / "r")
    repo.commit("Evil \x1b[2J\u202e subject", {"a.txt": "plain \x1b]0;title\x07 text\tkept\n"}, author="E\x1bve <e@x>")
    opened = Repository.discover(repo.path, never())
    text = "".join(rendered(opened, history(opened, repo.head(), "a.txt", 1, 1, never()), never()))
    assert "\x1b" not in text and "\x07" not in text and "\u202e" not in text
    assert "\\x1b" in text and "\tkept" in text
