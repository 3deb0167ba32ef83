"""Each feature as a client sees it, over a scripted brain."""

from __future__ import annotations

import json
import os
import re
import stat
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

from tests.server.fake_server import fake_server
from tests.server.rpc import Inside, Rpc

LITERALS = {"textDocument": {"codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": [""]}}}}}
MARKDOWN = {"textDocument": {"hover": {"contentFormat": ["markdown", "plaintext"]}}}
SHOW = {"window": {"showDocument": {"support": True}}}


@pytest.fixture
def rpc(fake_log: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Rpc]:
    """A server of this process over the scripted brain, not yet initialized."""
    monkeypatch.setenv("FAKE_LOG", str(fake_log))
    client = Rpc(Inside(fake_server()))
    yield client
    client.kill()
    assert b"Traceback" not in client.errors
    assert b"private words" not in client.errors
    faults = [line for line in client.errors.splitlines() if b"failed:" in line and b"RuntimeError" not in line]
    assert not faults


def selection(first: int, last: int, column: int = 0) -> dict[str, Any]:
    return {"start": {"line": first, "character": 0}, "end": {"line": last, "character": column}}


def actions(rpc: Rpc, uri: str, lines: dict[str, Any], **context: Any) -> Any:
    params = {"textDocument": {"uri": uri}, "range": lines, "context": {"diagnostics": [], **context}}
    return rpc.result("textDocument/codeAction", params)


def eventually(check: Any, seconds: float = 3.0) -> Any:
    deadline = time.monotonic() + seconds
    while not (value := check()) and time.monotonic() < deadline:
        time.sleep(0.02)
    return value


# --- code action -----------------------------------------------------------------------------------------------------


def test_recollect_is_offered_on_any_range_with_its_arguments(rpc: Rpc, project: Path) -> None:
    rpc.initialize(project, LITERALS)
    uri = rpc.open(project / "a.py", version=7)
    [action] = actions(rpc, uri, selection(3, 3, 5))
    assert action["title"] == "Recollect: why is this here?"
    assert action["kind"] == "recollect"
    assert action["command"]["command"] == "anamnesis.recollect"
    assert action["command"]["arguments"] == [{"uri": uri, "range": selection(3, 3, 5), "version": 7}]


def test_a_comment_has_its_own_title(rpc: Rpc, project: Path) -> None:
    rpc.initialize(project, LITERALS)
    uri = rpc.open(project / "a.py")
    [action] = actions(rpc, uri, selection(2, 2))
    assert action["title"] == "Recollect this comment"
    [action] = actions(rpc, uri, selection(2, 3, 5))
    assert action["title"] == "Recollect: why is this here?"


def test_the_kinds_a_client_asks_for_are_honoured(rpc: Rpc, project: Path) -> None:
    rpc.initialize(project, LITERALS)
    uri = rpc.open(project / "a.py")
    lines = selection(3, 3)
    assert actions(rpc, uri, lines, only=["recollect"])[0]["kind"] == "recollect"
    assert actions(rpc, uri, lines, only=["source"])[0]["kind"] == "source.recollect"
    assert actions(rpc, uri, lines, only=[""])[0]["kind"] == "recollect"
    assert actions(rpc, uri, lines, only=["quickfix"]) is None
    assert actions(rpc, uri, lines, only=["rec"]) is None
    assert actions(rpc, uri, lines, triggerKind=2) is None


def test_a_client_without_literals_gets_a_command(rpc: Rpc, project: Path) -> None:
    rpc.initialize(project)
    uri = rpc.open(project / "a.py")
    [action] = actions(rpc, uri, selection(3, 3))
    assert action["command"] == "anamnesis.recollect"


@pytest.mark.parametrize(
    "uri", ["untitled:Untitled-1", "anamnesis:///recall/r1.md", "file:///somewhere/else.py", "git:/a.py"]
)
def test_nothing_is_offered_outside_the_workspaces_files(rpc: Rpc, project: Path, uri: str) -> None:
    rpc.initialize(project, LITERALS)
    assert actions(rpc, uri, selection(0, 0)) is None


# --- recollect -------------------------------------------------------------------------------------------------------


def test_the_selection_arrives_as_lines_with_the_unsaved_text(rpc: Rpc, project: Path, fake_log: Path) -> None:
    rpc.initialize(project)
    uri = rpc.open(project / "a.py", "one\ntwo\nthree\n", version=3)
    rpc.notify(
        "textDocument/didChange",
        {"textDocument": {"uri": uri, "version": 4}, "contentChanges": [{"range": selection(0, 0, 3), "text": "ONE"}]},
    )
    shown = rpc.result("anamnesis/recollect", {"uri": uri, "range": selection(0, 2), "version": 4, "show": False})
    assert shown["schema"] == 1 and shown["outcome"] == "presented"
    assert f"recollect {project / 'a.py'} (1, 2) 4 'ONE\\ntwo\\nthree\\n'" in fake_log.read_text()


def test_a_command_and_a_request_answer_the_same(rpc: Rpc, project: Path) -> None:
    rpc.initialize(project)
    for name, params in [
        ("recollect", {"cue": "x", "show": False}),
        ("say", {"text": "no, earlier", "show": False}),
        ("identify", {"show": False}),
        ("end", {"show": False}),
        ("copyContext", {"as": "commit"}),
        ("recalls", {}),
        ("stores", {}),
        ("reindex", {"kind": "codex"}),
    ]:
        asked = rpc.result(f"anamnesis/{name}", params)
        assert asked == rpc.result("workspace/executeCommand", {"command": f"anamnesis.{name}", "arguments": [params]})
    assert rpc.result("workspace/executeCommand", {"command": "anamnesis.recalls"})


def test_recollect_on_what_is_no_file_is_one_clear_error(rpc: Rpc, project: Path) -> None:
    rpc.initialize(project)
    error = rpc.error("anamnesis/recollect", {"uri": "untitled:x", "range": selection(0, 0)})
    assert error["data"]["code"] == "badRequest" and "Recollect works on files" in error["message"]


# --- showing: the ladder ---------------------------------------------------------------------------------------------


def shown_uris(rpc: Rpc) -> list[str]:
    return [ask["params"]["uri"] for ask in rpc.asked if ask["method"] == "window/showDocument"]


@pytest.mark.parametrize(
    ("capabilities", "options"),
    [({"workspace": {"textDocumentContent": {}}, **SHOW}, None), (SHOW, {"virtualDocuments": True})],
)
def test_first_rung_the_virtual_document(rpc: Rpc, project: Path, capabilities: Any, options: Any) -> None:
    rpc.answers["window/showDocument"] = {"success": True}
    rpc.initialize(project, capabilities, options)
    rpc.result("anamnesis/recollect", {"cue": "x"})
    assert eventually(lambda: shown_uris(rpc)) == ["anamnesis:///recall/r1.md"]
    assert "Ada wrote it." in rpc.result("workspace/textDocumentContent", {"uri": "anamnesis:///recall/r1.md"})["text"]


def test_a_plugin_is_told_of_the_round_and_no_other_client_is(rpc: Rpc, project: Path) -> None:
    rpc.initialize(project, {}, {"virtualDocuments": True})
    shown = rpc.result("anamnesis/recollect", {"cue": "x", "show": False})
    assert rpc.notification("anamnesis/roundPresented")["params"] == shown


def test_second_rung_a_read_only_copy_whose_citations_lead_to_copies(rpc: Rpc, project: Path, own_places: Path) -> None:
    rpc.answers["window/showDocument"] = {"success": True}
    rpc.initialize(project, SHOW)
    rpc.result("anamnesis/recollect", {"cue": "x"})
    [uri] = eventually(lambda: shown_uris(rpc))
    path = Path(unquote(urlsplit(uri).path))
    assert path.parent == own_places / "cache" / "copies"
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(path.stat().st_mode) == 0o400
    text = path.read_text()
    targets = [line.split(": ", 1)[1] for line in text.splitlines() if line.startswith(("[1]: ", "[2]: "))]
    assert len(targets) == 2
    for target in targets:
        assert "line 10 of" in Path(unquote(urlsplit(target).path)).read_text()
    line = text.splitlines().index("Ada wrote it. [[1]]")
    rpc.open(path, text)
    place = {"textDocument": {"uri": uri}, "position": {"line": line, "character": 16}}
    assert rpc.result("textDocument/definition", place)["uri"] == targets[0]
    assert rpc.result("textDocument/definition", place)["range"] == selection(9, 12)
    links = rpc.result("textDocument/documentLink", {"textDocument": {"uri": uri}})
    assert targets[0] in [link.get("target") for link in links]
    assert not any(str(link.get("target", "")).startswith("anamnesis:") for link in links)
    lazy = next(link for link in links if "target" not in link)
    assert rpc.result("documentLink/resolve", lazy)["target"].startswith("file://")


def test_a_copy_of_an_earlier_run_still_leads_on(rpc: Rpc, project: Path) -> None:
    rpc.answers["window/showDocument"] = {"success": True}
    rpc.initialize(project, SHOW)
    rpc.result("anamnesis/recollect", {"cue": "x"})
    [uri] = eventually(lambda: shown_uris(rpc))
    later = Rpc(Inside(fake_server()))
    try:
        later.initialize(project, SHOW)
        links = later.result("textDocument/documentLink", {"textDocument": {"uri": uri}})
        assert any(link.get("target", "").startswith("file://") for link in links)
    finally:
        later.kill()


def test_old_copies_are_removed(rpc: Rpc, project: Path, own_places: Path) -> None:
    folder = own_places / "cache" / "copies"
    folder.mkdir(parents=True)
    old = folder / "old.md"
    old.write_text("x")
    os.utime(old, (time.time() - 90_000, time.time() - 90_000))
    rpc.initialize(project, SHOW)
    rpc.result("anamnesis/recollect", {"cue": "x"})
    assert eventually(lambda: not old.exists())


def test_last_rung_a_message_and_the_markdown_in_the_result(rpc: Rpc, project: Path) -> None:
    rpc.initialize(project)
    shown = rpc.result("anamnesis/recollect", {"cue": "x"})
    assert "## Story" in shown["markdown"]
    message = rpc.notification("window/showMessage")["params"]["message"]
    assert Path(message.rpartition(" is in ")[2]).read_text().startswith("# Why is this here?")


def test_a_client_that_refuses_gets_the_next_rung(rpc: Rpc, project: Path) -> None:
    rpc.answers["window/showDocument"] = {"success": False}
    rpc.initialize(project, SHOW, {"virtualDocuments": True})
    rpc.result("anamnesis/recollect", {"cue": "x"})
    rpc.notification("window/showMessage")
    assert [urlsplit(uri).scheme for uri in shown_uris(rpc)] == ["anamnesis", "file"]


def test_show_false_shows_nothing(rpc: Rpc, project: Path) -> None:
    rpc.initialize(project, SHOW)
    rpc.result("anamnesis/recollect", {"cue": "x", "show": False})
    time.sleep(0.3)
    assert not shown_uris(rpc)


# --- virtual documents -----------------------------------------------------------------------------------------------

STORY = "anamnesis:///recall/r1.md"


def story_lines(rpc: Rpc) -> list[str]:
    return rpc.result("anamnesis/content", {"uri": STORY})["text"].split("\n")


def test_a_citation_leads_to_its_record(rpc: Rpc, project: Path) -> None:
    rpc.initialize(project, {}, {"virtualDocuments": True})
    line = story_lines(rpc).index("The assistant said so. [[2]]")
    place = {"textDocument": {"uri": STORY}, "position": {"line": line, "character": 25}}
    found = rpc.result("textDocument/definition", place)
    assert found["uri"].startswith("anamnesis:///conversation/claude-code/")
    assert found["range"] == selection(9, 12)
    note = rpc.result("textDocument/hover", place)
    assert "Claude Code conversation" in note["contents"]["value"]
    place["position"]["character"] = 3
    assert rpc.result("textDocument/definition", place) is None
    place["position"]["line"] = 10_000
    assert rpc.result("textDocument/definition", place) is None


def test_links_and_outline_of_a_story(rpc: Rpc, project: Path) -> None:
    rpc.initialize(
        project,
        {"textDocument": {"documentSymbol": {"hierarchicalDocumentSymbolSupport": True}}},
        {"virtualDocuments": True},
    )
    lines = story_lines(rpc)
    links = rpc.result("textDocument/documentLink", {"textDocument": {"uri": STORY}})
    for link in links:
        start, end = link["range"]["start"], link["range"]["end"]
        assert lines[start["line"]][start["character"] : end["character"]].startswith("[")
        assert link["target"].startswith("anamnesis:///")
    [page] = rpc.result("textDocument/documentSymbol", {"textDocument": {"uri": STORY}})
    assert [child["name"] for child in page["children"]][:2] == ["Story", "Records"]
    assert page["children"][1]["children"]


def test_a_flat_outline_for_a_client_that_knows_no_other(shared: Rpc) -> None:
    symbols = shared.result("textDocument/documentSymbol", {"textDocument": {"uri": STORY}})
    assert symbols[0]["location"]["uri"] == STORY


def test_sections_fold_and_what_is_beside_the_story_is_marked(rpc: Rpc, project: Path) -> None:
    rpc.initialize(project, {}, {"virtualDocuments": True})
    lines = story_lines(rpc)
    ranges = rpc.result("textDocument/foldingRange", {"textDocument": {"uri": STORY}})
    by_head = {lines[fold["startLine"]]: fold for fold in ranges}
    assert "# Why is this here?" not in by_head, "folding everything would leave one line"
    assert by_head["## Story"].get("kind") is by_head["## Records"].get("kind") is None
    aside = {head for head, fold in by_head.items() if fold.get("kind") == "region"}
    definitions = next(line for line in lines if re.match(r"\[[^\]]+\]: anamnesis:", line))
    assert definitions in aside and not aside & {"## Story", "## Records"}
    heads = {line for line in lines if line.startswith("## ")}
    assert heads == {head for head in by_head if head.startswith("## ")}
    for fold in ranges:
        assert fold["startLine"] < fold["endLine"] and lines[fold["endLine"]].strip()
    ends = sorted((fold["startLine"], fold["endLine"]) for fold in ranges)
    assert all(end < start for (_, end), (start, _) in pairwise(ends)), "sections stand side by side"
    closing = next(number for number, line in enumerate(lines) if line.startswith("Is this it?"))
    assert not any(start <= closing <= end for start, end in ends), "the question stays in sight"


def test_a_story_without_marks_to_be_listened_to(rpc: Rpc, project: Path) -> None:
    rpc.initialize(project, {}, {"virtualDocuments": True})
    marked = story_lines(rpc)
    plain = rpc.result("anamnesis/content", {"uri": STORY, "as": "plain"})["text"]
    assert "WHY IS THIS HERE?" in plain and "STORY" in plain and "[1]" in plain
    assert not re.search(r"^#|\[\[|`|\\\\", plain, re.MULTILINE)
    assert story_lines(rpc) == marked
    links = rpc.result("textDocument/documentLink", {"textDocument": {"uri": STORY}})
    assert all(marked[link["range"]["start"]["line"]][link["range"]["start"]["character"]] == "[" for link in links)
    assert rpc.error("anamnesis/content", {"uri": STORY, "as": "html"})["data"]["code"] == "badRequest"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_positions_are_in_the_negotiated_encoding(rpc: Rpc, project: Path, encoding: str) -> None:
    result = rpc.initialize(
        project, {"general": {"positionEncodings": [encoding, "utf-16"]}}, {"virtualDocuments": True}
    )
    assert result["capabilities"]["positionEncoding"] == encoding
    lines = story_lines(rpc)
    name = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}[encoding]
    width = {"utf-8": 1, "utf-16": 2, "utf-32": 4}[encoding]
    wide = 0
    for link in rpc.result("textDocument/documentLink", {"textDocument": {"uri": STORY}}):
        start, end = link["range"]["start"], link["range"]["end"]
        line = lines[start["line"]]
        wide += not line.isascii()
        encoded = line.encode(name)[start["character"] * width : end["character"] * width]
        assert encoded.decode(name).startswith("[")


@pytest.mark.parametrize("method", ["documentLink", "documentSymbol", "foldingRange", "definition", "hover"])
@pytest.mark.parametrize("uri", ["untitled:x", "file:///nowhere.py"])
def test_other_documents_are_left_alone(shared: Rpc, method: str, uri: str) -> None:
    params: dict[str, Any] = {"textDocument": {"uri": uri}}
    if method in ("definition", "hover"):
        params["position"] = {"line": 0, "character": 0}
    assert shared.result(f"textDocument/{method}", params) is None


@pytest.mark.parametrize("method", ["anamnesis/content", "workspace/textDocumentContent"])
def test_a_bad_locator_is_one_clear_error(shared: Rpc, method: str) -> None:
    error = shared.error(method, {"uri": "anamnesis:///file/../../etc/passwd"})
    assert error["code"] == -32803 and error["data"]["code"] == "badLocator"
    assert shared.error(method, {"uri": "file:///etc/passwd"})["data"]["code"] == "badLocator"
    unknown = f"anamnesis:///commit/{'f' * 12}/{'a' * 40}.md"
    assert shared.error(method, {"uri": unknown})["data"]["code"] == "unknownRoot"


def test_open_answers_a_uri_this_client_can_open(rpc: Rpc, project: Path) -> None:
    locator = f"anamnesis:///commit/{'0' * 12}/{'a' * 40}.md"
    rpc.initialize(project)
    opened = rpc.result("anamnesis/open", {"locator": locator})
    assert opened["uri"].startswith("file://") and opened["range"] == selection(9, 12)


def test_open_answers_the_locator_to_a_plugin_and_the_command_shows_it(rpc: Rpc, project: Path) -> None:
    locator = f"anamnesis:///commit/{'0' * 12}/{'a' * 40}.md"
    rpc.initialize(project, SHOW, {"virtualDocuments": True})
    assert rpc.result("anamnesis/open", {"locator": locator})["uri"] == locator
    rpc.result("workspace/executeCommand", {"command": "anamnesis.open", "arguments": [{"locator": locator}]})
    assert eventually(lambda: shown_uris(rpc)) == [locator]


# --- hover -----------------------------------------------------------------------------------------------------------


def hover_at(rpc: Rpc, uri: str, line: int = 0) -> Any:
    return rpc.result("textDocument/hover", {"textDocument": {"uri": uri}, "position": {"line": line, "character": 0}})


def test_a_hover_is_short_cited_and_says_what_is_not_ready(rpc: Rpc, project: Path) -> None:
    rpc.initialize(project, MARKDOWN, {"virtualDocuments": True})
    found = hover_at(rpc, rpc.open(project / "a.py"), 3)
    text = found["contents"]["value"]
    assert found["contents"]["kind"] == "markdown"
    assert text.startswith("Ada wrote it. [[1]]\n\nThe assistant said so. [[2]]\n")
    assert "Not ready yet: conversations are still being indexed." in text
    assert found["range"] == selection(3, 4)


def test_a_plain_client_gets_plain_text(rpc: Rpc, project: Path) -> None:
    rpc.initialize(project, {"textDocument": {"hover": {"contentFormat": ["plaintext"]}}})
    found = hover_at(rpc, rpc.open(project / "a.py"))
    assert found["contents"]["kind"] == "plaintext"
    assert "[[1]]" not in found["contents"]["value"]


def test_command_links_only_where_the_client_trusts_them(rpc: Rpc, project: Path) -> None:
    rpc.initialize(project, MARKDOWN, {"commandLinks": True})
    text = hover_at(rpc, rpc.open(project / "a.py"))["contents"]["value"]
    assert "[1]: command:anamnesis.open?%5B" in text and "]: anamnesis:" not in text


@pytest.mark.parametrize("mode", ["off", "afterRecollect"])
def test_a_hover_can_be_turned_off(rpc: Rpc, project: Path, mode: str) -> None:
    rpc.initialize(project, MARKDOWN, {"anamnesis": {"hover": mode}})
    assert hover_at(rpc, rpc.open(project / "a.py")) is None


def test_of_many_hovers_the_last_is_answered(rpc: Rpc, project: Path) -> None:
    rpc.initialize(project, MARKDOWN)
    uri = rpc.open(project / "a.py", "slow hover\n")
    params = {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 0}}
    hover_at(rpc, rpc.open(project / "b.py", "x\n"))  # the brain is there
    identities = [rpc.start("textDocument/hover", params) for _ in range(10)]
    started = time.monotonic()
    answers = [rpc.answer(identity).get("result") for identity in identities]
    assert answers[-1] is not None
    assert answers[:-1] == [None] * 9
    assert time.monotonic() - started < 1.5


def test_a_late_hover_is_left_out_and_goes_on_for_the_next(rpc: Rpc, project: Path, fake_log: Path) -> None:
    rpc.initialize(project, MARKDOWN)
    uri = rpc.open(project / "a.py", "very slow hover\n")
    hover_at(rpc, rpc.open(project / "b.py", "x\n"))  # the brain is there
    assert hover_at(rpc, uri) is None
    assert hover_at(rpc, uri)["contents"]["value"].startswith("Ada wrote it.")
    assert fake_log.read_text().count("hover done") == 1
    assert "hover cancelled" not in fake_log.read_text()


def test_a_hover_in_a_document_that_cannot_be_opened_says_nothing(shared: Rpc) -> None:
    unknown = f"anamnesis:///commit/{'f' * 12}/{'a' * 40}.md"
    assert hover_at(shared, unknown) is None
    assert hover_at(shared, "anamnesis:///nothing") is None


# --- settings, folders, warming --------------------------------------------------------------------------------------


def test_settings_are_pulled_and_cannot_widen(rpc: Rpc, project: Path, fake_log: Path) -> None:
    rpc.answers["workspace/configuration"] = [{"contract": "recollect", "extraRoots": ["/"], "hover": "loud"}]
    rpc.initialize(
        project, {"workspace": {"configuration": True, "didChangeConfiguration": {"dynamicRegistration": True}}}
    )
    assert rpc.result("anamnesis/recollect", {"cue": "x", "show": False})["contract"] in ("anamnesis", "recollect")
    logs = [rpc.notification("window/logMessage")["params"]["message"] for _ in range(2)]
    assert sorted(logs)[0].startswith("anamnesis.extraRoots is only read from your own configuration")
    assert sorted(logs)[1].startswith("anamnesis.hover must be 'brief', 'full'")
    assert eventually(lambda: any(ask["method"] == "client/registerCapability" for ask in rpc.asked))
    assert eventually(lambda: "made recollect" in fake_log.read_text())
    rpc.answers["workspace/configuration"] = [{"contract": "anamnesis"}]
    rpc.notify("workspace/didChangeConfiguration", {"settings": None})
    assert eventually(lambda: rpc.result("anamnesis/recollect", {"cue": "x", "show": False})["contract"] == "anamnesis")


def test_a_client_without_pull_sends_its_settings(rpc: Rpc, project: Path) -> None:
    rpc.initialize(project)
    rpc.notify("workspace/didChangeConfiguration", {"settings": {"anamnesis": {"contract": "recollect"}}})
    assert rpc.result("anamnesis/recollect", {"cue": "x", "show": False})["contract"] == "recollect"


def test_opened_and_saved_files_are_warmed_and_new_folders_known(
    rpc: Rpc, project: Path, fake_log: Path, tmp_path: Path
) -> None:
    rpc.initialize(project)
    uri = rpc.open(project / "a.py")
    rpc.open(project / "gone.py", "x")
    rpc.notify("textDocument/didClose", {"textDocument": {"uri": (project / "gone.py").as_uri()}})
    assert eventually(lambda: "warm a.py" in fake_log.read_text())
    rpc.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
    assert eventually(lambda: fake_log.read_text().count("warm a.py") == 2)
    assert "warm gone.py" not in fake_log.read_text()
    folder = {"uri": (tmp_path / "more").as_uri(), "name": "more"}
    rpc.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": [folder], "removed": []}})
    assert eventually(lambda: "root more" in fake_log.read_text())


@pytest.mark.parametrize(("options", "advertised"), [({"codeLens": True}, True), (None, False)])
def test_a_code_lens_only_where_it_is_asked_for(rpc: Rpc, project: Path, options: Any, advertised: bool) -> None:
    result = rpc.initialize(project, options=options)
    assert ("codeLensProvider" in result["capabilities"]) is advertised


def test_nothing_private_is_logged(rpc: Rpc, project: Path) -> None:
    rpc.initialize(project)
    uri = rpc.open(project / "a.py", "private words of a buffer\n")
    rpc.result("anamnesis/recollect", {"uri": uri, "range": selection(0, 0), "cue": "private words of mine"})
    rpc.error("anamnesis/recollect", {"cue": "fault"})
    rpc.body(json.dumps({"jsonrpc": "2.0", "id": 5000, "method": "private words", "params": "private words"}).encode())
    rpc.answer(5000)
    rpc.notify("private words", {"private words": 1})
    assert rpc.end() == 0
