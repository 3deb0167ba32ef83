"""The main job over stdio with the real brain: select, Recollect, read, jump; bad input; nothing written, nothing
left.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.builders.repos import Repo, new_repo, numbered, unchanged
from tests.server.rpc import Rpc
from tests.server.scene import AFTER, ASKED, Scene, a_scene
from tests.server.servers import Start, servers


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return a_scene(tmp_path)


@pytest.fixture
def start(scene: Scene) -> Iterator[Start]:
    with servers(scene.repo.path, scene.env) as start:
        yield start


def selection(first: int, last: int) -> dict[str, Any]:
    """1-based lines, inclusive, as a range."""
    return {"start": {"line": first - 1, "character": 0}, "end": {"line": last, "character": 0}}


def recollect(client: Rpc, uri: str, first: int, last: int, **more: Any) -> Any:
    params = {"uri": uri, "range": selection(first, last), "show": False, **more}
    answer = client.request("anamnesis/recollect", params, 60)
    return answer.get("result", answer.get("error"))


def test_a_selection_is_told_with_its_commit_and_its_conversation(scene: Scene, start: Start) -> None:
    client = start()
    shown = recollect(client, client.open(scene.file), 4, 7)
    assert shown["outcome"] == "presented"
    told = " ".join(sentence["text"] for sentence in shown["story"])
    assert "Grace Hopper" in told and scene.commit[:9] in told
    assert f"the person asked: “{ASKED}”" in told
    assert all(sentence["cites"] for sentence in shown["story"])
    named = {(record["kind"], record["id"]) for record in shown["records"] if record["opened"]}
    assert {("commit", scene.commit), ("conversation", scene.session)} <= named


def test_every_citation_can_be_jumped_to(scene: Scene, start: Start) -> None:
    client = start()
    shown = recollect(client, client.open(scene.file), 4, 7)
    uri = f"anamnesis:///recall/{shown['recall']}.md"
    lines = client.result("workspace/textDocumentContent", {"uri": uri})["text"].split("\n")
    seen: set[str] = set()
    told = False
    for number, line in enumerate(lines):
        for record in shown["records"]:
            column = line.find(f"[[{record['n']}]]")
            if column < 0:
                continue
            place = {"textDocument": {"uri": uri}, "position": {"line": number, "character": column + 2}}
            found = client.result("textDocument/definition", place)
            said = next((s for s in shown["story"] if s["text"][:40] in line.replace("\\", "")), None)
            assert found["uri"] == (record["locator"] if said is None else said["locators"][0])
            told |= said is not None
            seen.add(record["kind"])
    assert seen == {"commit", "conversation"} and told
    for record in shown["records"]:
        text = client.result("anamnesis/content", {"uri": record["locator"]})["text"]
        assert (ASKED in text) if record["kind"] == "conversation" else (record["id"] in text)
        opened = client.result("anamnesis/open", {"locator": record["locator"]})
        assert opened["uri"] == record["locator"] and opened["range"]["start"]["line"] > 0
        for link in client.result("textDocument/documentLink", {"textDocument": {"uri": record["locator"]}}):
            assert client.result("anamnesis/content", {"uri": link["target"]})["text"]


def test_unsaved_lines_are_mapped_and_told_as_uncommitted(scene: Scene, start: Start) -> None:
    client = start()
    uri = client.open(scene.file, f"# new\n# lines\nimport time\n\n\n{AFTER}\n")
    shown = recollect(client, uri, 7, 8)
    assert scene.commit in [record["id"] for record in shown["records"]]
    assert "Retry with a backoff" in shown["markdown"]


def test_the_hover_of_a_warmed_file_is_short_and_cited(scene: Scene, start: Start) -> None:
    client = start()
    uri = client.open(scene.file)
    position = {"textDocument": {"uri": uri}, "position": {"line": 4, "character": 3}}
    deadline = time.monotonic() + 15
    while (found := client.result("textDocument/hover", position)) is None and time.monotonic() < deadline:
        time.sleep(0.1)
    assert found is not None
    text = found["contents"]["value"]
    assert scene.commit[:9] in text and "[[1]]" in text
    assert len(text.splitlines()) <= 10


def test_a_story_is_continued_identified_and_copied(scene: Scene, start: Start) -> None:
    client = start()
    shown = recollect(client, client.open(scene.file), 4, 7)
    identified = client.result("anamnesis/identify", {"recall": shown["recall"], "show": False})
    assert identified["outcome"] == "identified"
    assert identified["recalledContext"]
    for form, mark in (("markdown", "**Recalled context**"), ("commit", "Recalled:"), ("comment", "# Recalled:")):
        assert client.result("anamnesis/copyContext", {"as": form})["text"].startswith(mark)
    [listed] = client.result("anamnesis/recalls")
    assert listed["recall"] == shown["recall"] and listed["state"] == "identified"


def test_every_store_is_named_with_its_state(scene: Scene, start: Start) -> None:
    client = start()
    recollect(client, client.open(scene.file), 4, 7)
    stores = client.result("anamnesis/stores")
    assert {"kind": "claude-code", "state": "read", "records": 1}.items() <= stores[0].items()
    assert all(store["state"] in ("read", "indexing", "absent", "off", "unreadable") for store in stores)


def test_repository_and_store_are_untouched_by_a_whole_session(scene: Scene, start: Start) -> None:
    with unchanged(scene.repo.path, scene.config):
        client = start()
        uri = client.open(scene.file)
        shown = recollect(client, uri, 4, 7)
        client.result("textDocument/hover", {"textDocument": {"uri": uri}, "position": {"line": 4, "character": 3}})
        for record in shown["records"]:
            client.result("anamnesis/content", {"uri": record["locator"]})
        client.result("anamnesis/stores")
        client.result("anamnesis/identify", {"show": False})
        assert client.end() == 0


# --- bad input: one clear error each, and a server that goes on -------------------------------------------------------


def git_ignore(repo: Repo) -> Path:
    repo.commit("Ignore", {".gitignore": "ignored.py\n"})
    return repo.write("ignored.py", "x\n")


BAD: dict[str, tuple[Callable[[Repo], Path], str]] = {
    "untracked": (lambda repo: repo.write("new.py", "x\n"), "fileUntracked"),
    "ignored": (git_ignore, "fileIgnored"),
    "missing": (lambda repo: repo.path / "nowhere.py", "fileMissing"),
    "binary": (lambda repo: (repo.commit("b", {"b.bin": b"\0\1\2\n\0"}), repo.path / "b.bin")[1], "fileBinary"),
    "empty": (lambda repo: (repo.commit("e", {"e.py": ""}), repo.path / "e.py")[1], "fileEmpty"),
}


def test_a_file_that_has_no_history_is_one_clear_error_each_and_the_server_goes_on(scene: Scene, start: Start) -> None:
    client = start()
    for make, code in BAD.values():
        error = recollect(client, make(scene.repo).as_uri(), 1, 1)
        assert error["code"] == -32803 and error["data"]["code"] == code
        assert error["data"]["remedy"]
    assert recollect(client, scene.file.as_uri(), 4, 7)["outcome"] == "presented"


def test_a_folder_that_is_no_repository(start: Start, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain/a.py").write_text("x\n")
    client = start(tmp_path / "plain")
    assert recollect(client, (tmp_path / "plain/a.py").as_uri(), 1, 1)["data"]["code"] == "notARepository"


def test_a_repository_without_a_commit(start: Start, tmp_path: Path) -> None:
    repo = new_repo(tmp_path / "unborn")
    path = repo.write("a.py", "x\n")
    client = start(repo.path)
    assert recollect(client, path.as_uri(), 1, 1)["data"]["code"] == "unbornHead"


def test_ranges_past_the_end_and_reversed(scene: Scene, start: Start) -> None:
    client = start()
    uri = client.open(scene.file)
    assert recollect(client, uri, 90, 95)["data"]["code"] == "rangePastEnd"
    assert recollect(client, uri, 6, 3)["data"]["code"] == "rangeReversed"
    assert recollect(client, uri, 4, 700)["outcome"] == "presented"


def test_no_git_on_the_path(scene: Scene, start: Start, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    client = start(env={"PATH": str(tmp_path / "empty")})
    assert recollect(client, scene.file.as_uri(), 4, 7)["data"]["code"] == "gitMissing"


def test_a_store_of_garbage_is_passed_over(scene: Scene, start: Start) -> None:
    folder = next((scene.config / "projects").iterdir())
    (folder / "garbage.jsonl").write_bytes(os.urandom(5000) + b"\n{\n" + b'{"type":"user"}\n')
    assert recollect(start(), scene.file.as_uri(), 4, 7)["outcome"] == "presented"


def test_a_locator_of_an_unknown_root_or_a_record_that_is_gone(scene: Scene, start: Start) -> None:
    client = start()
    shown = recollect(client, client.open(scene.file), 4, 7)
    conversation = next(record for record in shown["records"] if record["kind"] == "conversation")
    next(scene.config.rglob("*.jsonl")).unlink()
    assert client.error("anamnesis/open", {"locator": conversation["locator"]})["data"]["code"] == "recordGone"
    commit = next(record for record in shown["records"] if record["kind"] == "commit")
    nobody = commit["locator"].replace(commit["locator"].split("/")[4], "0" * 12)
    assert client.error("anamnesis/content", {"uri": nobody})["data"]["code"] == "unknownRoot"


# --- cancel ----------------------------------------------------------------------------------------------------------


def children(process: int) -> list[str]:
    found = subprocess.run(
        ["ps", "-ww", "-o", "args=", "--ppid", str(process)], capture_output=True, text=True, check=False
    )
    return [line for line in found.stdout.splitlines() if line.strip()]


def test_a_running_recollect_ends_within_100_ms_and_its_git_is_gone(scene: Scene, start: Start) -> None:
    for version in range(40):
        scene.repo.commit(f"Change {version}", {"big.py": numbered(900, version * 7)})
    client = start()
    uri = client.open(scene.file)
    recollect(client, uri, 4, 7)
    big = {"uri": (scene.repo.path / "big.py").as_uri(), "range": selection(1, 900), "show": False}
    took: list[float] = []
    for attempt in range(6):  # the machine may be busy, and an attempt may come too late
        identity = client.start("anamnesis/recollect", big)
        time.sleep(0.03 * (attempt + 1))
        started = time.monotonic()
        client.notify("$/cancelRequest", {"id": identity})
        answer = client.answer(identity)
        if "error" in answer:
            assert answer["error"]["code"] == -32800
            took.append(time.monotonic() - started)
    assert took and min(took) < 0.1
    deadline = time.monotonic() + 1
    while (left := running_git(client.process.pid)) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not left
    assert recollect(client, uri, 4, 7)["outcome"] == "presented"


def running_git(process: int) -> list[str]:
    """Children at work: the one idle object reader is no work."""
    return [line for line in children(process) if "cat-file" not in line]


def test_nothing_is_left_running_after_exit(scene: Scene, start: Start) -> None:
    client = start()
    recollect(client, client.open(scene.file), 4, 7)
    before = children(client.process.pid)
    assert client.end() == 0
    time.sleep(0.1)
    found = subprocess.run(["ps", "-ww", "-eo", "args="], capture_output=True, text=True, check=False).stdout
    cache = os.environ["ANAMNESIS_CACHE_DIR"]
    assert not [line for line in found.splitlines() if cache in line], before
