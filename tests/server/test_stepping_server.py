"""Reopening over stdio: the pages of a commit, the lines before its change, and stepping back and forward again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from anamnesis_lsp.places import root_id
from tests.builders.repos import Repo, new_repo, numbered
from tests.server.rpc import Rpc, real_command

LITERALS = {"textDocument": {"codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": [""]}}}}}


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """``b.txt`` was ``a.txt``; its line 9 was changed before and after the rename, and a line came in above."""
    made = new_repo(tmp_path / "r")
    made.git("remote", "add", "origin", "git@github.com:o/n.git")
    made.commit("one", {"a.txt": numbered(20)})
    made.commit("two (#7)", {"a.txt": "above\n" + numbered(20).replace("line number 9 ", "row nine ")})
    made.move("a.txt", "b.txt")
    made.commit("three")
    made.commit("four", {"b.txt": "above\n" + numbered(20).replace("line number 9 ", "ninth row ")})
    return made


@pytest.fixture
def client(repo: Repo, tmp_path: Path) -> Iterator[Rpc]:
    home = tmp_path / "home"
    home.mkdir()
    client = Rpc(real_command(), {"HOME": str(home)})
    client.initialize(repo.path, LITERALS, {"virtualDocuments": True})
    yield client
    client.kill()
    assert b"Traceback" not in client.errors and b"failed:" not in client.errors, client.errors.decode()


def lines(first: int, last: int) -> dict[str, Any]:
    """1-based and inclusive, as a range."""
    return {"start": {"line": first - 1, "character": 0}, "end": {"line": last, "character": 0}}


def test_back_to_the_beginning_and_forward_to_the_very_lines(repo: Repo, client: Rpc) -> None:
    four, _, two, one = repo.git("rev-list", "HEAD").split()
    uri = client.open(repo.path / "b.txt")
    back = client.result("anamnesis/before", {"uri": uri, "range": lines(9, 12)})
    assert (back["commit"], back["subject"], back["range"]) == (four, "four", lines(9, 12))
    twice = client.result("anamnesis/before", {"uri": back["uri"], "range": back["range"]})
    assert twice["commit"] == two and "/a.txt?lines=8-11" in twice["uri"] and one in twice["uri"]
    assert client.result("anamnesis/content", {"uri": twice["uri"]})["text"] == numbered(20)
    oldest = client.result("anamnesis/before", {"locator": twice["locator"]})
    assert oldest["oldest"] == "root" and oldest["uri"] == twice["uri"]
    forward = client.result("anamnesis/after", {"locator": twice["locator"]})
    assert (forward["uri"], forward["range"]) == (back["uri"], back["range"])
    home = client.result("anamnesis/after", {"uri": forward["uri"]})
    assert (home["uri"], home["range"], home["locator"]) == (uri, lines(9, 12), None)


def test_lines_that_are_not_committed_step_to_head_first(repo: Repo, client: Rpc) -> None:
    text = (repo.path / "b.txt").read_text()
    uri = client.open(repo.path / "b.txt", "typed\n" + text)
    back = client.result("anamnesis/before", {"uri": uri, "range": lines(1, 3)})
    assert repo.head() in back["uri"] and back["range"] == lines(1, 2) and back["commit"] is None


def test_a_file_at_a_revision_offers_the_steps(repo: Repo, client: Rpc) -> None:
    uri = client.open(repo.path / "b.txt")
    back = client.result("anamnesis/before", {"uri": uri, "range": lines(10, 10)})
    asked = {"textDocument": {"uri": back["uri"]}, "range": back["range"], "context": {"diagnostics": []}}
    first, second = client.result("textDocument/codeAction", asked)
    for action, command in ((first, "anamnesis.before"), (second, "anamnesis.after")):
        assert action["command"]["command"] == command
        params = {"command": command, "arguments": action["command"]["arguments"]}
        assert client.result("workspace/executeCommand", params)["uri"]


def test_a_locator_of_a_commit_that_is_gone_says_so(repo: Repo, client: Rpc) -> None:
    gone = f"anamnesis:///file/{root_id(repo.path)}/{'1' * 40}/b.txt?lines=1-2"
    assert client.error("anamnesis/before", {"locator": gone})["data"]["code"] == "recordGone"
    there = f"anamnesis:///file/{root_id(repo.path)}/{repo.head()}/b.txt"
    assert client.error("anamnesis/before", {"locator": there})["data"]["code"] == "badRequest"
    assert client.error("anamnesis/after", {"locator": there})["data"]["code"] == "badRequest"


def test_a_commit_names_its_pages_and_the_lines_before_it(repo: Repo, client: Rpc) -> None:
    two = repo.git("rev-list", "HEAD").split()[2]
    uri = f"anamnesis:///commit/{root_id(repo.path)}/{two}.md?path=a.txt&lines=9-12"
    text = client.result("anamnesis/content", {"uri": uri})["text"]
    assert "before this change: [lines 8–11]" in text and "on the web, if it was pushed:" in text
    targets = [link["target"] for link in client.result("textDocument/documentLink", {"textDocument": {"uri": uri}})]
    assert f"https://github.com/o/n/blob/{two}/a.txt#L9-L12" in targets
    assert "https://github.com/o/n/pull/7" in targets
    [earlier] = {target for target in targets if "/file/" in target and "lines=8-11" in target}
    assert client.result("anamnesis/content", {"uri": earlier})["text"] == numbered(20)
    for number, line in enumerate(text.split("\n")):
        if "on the web" in line:
            place = {"textDocument": {"uri": uri}, "position": {"line": number, "character": line.index("[") + 1}}
            assert client.result("textDocument/definition", place) is None
