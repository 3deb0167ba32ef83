"""Records open as documents: outline, links and focus stand where the text is, and nothing of a record acts."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from anamnesis_lsp.present import locators
from anamnesis_lsp.present.documents import (
    DecisionText,
    Document,
    commit_document,
    conversation_document,
    decision_document,
    diff_document,
    file_document,
)
from anamnesis_lsp.records.conversations.model import CommitMade, Edit, EditOutcome, Handle, Head, Scan, Turn
from anamnesis_lsp.records.evidence import Kind, RecordKey, Speaker
from anamnesis_lsp.records.git.model import Commit, FileChange, Hunk, Person

ROOT = Path("/home/dev/app")
HASH = "a" * 40
COMMIT = RecordKey(Kind.COMMIT, ROOT, HASH)
CONVERSATION = RecordKey(Kind.CONVERSATION, Path("/store"), "5e55", "claude-code")
WHEN = datetime(2024, 3, 5, 14, 3, tzinfo=timezone(timedelta(hours=1)))
ADA = Person("Ada", "ada@example.org")
HOSTILE = "```\n# forged heading\n![x](https://evil.example)\n[1]: https://evil.example\n<b>\x1b[31m\u202e\n~~~"


def a_commit(message: str = "Retry twice\n\nBecause the lock file lies.\n") -> Commit:
    return Commit(HASH, "b" * 40, ("c" * 40,), ADA, WHEN, ADA, WHEN, message)


def a_change(path: str = "src/retry.py") -> FileChange:
    return FileChange(
        "M",
        path,
        path,
        False,
        (Hunk(1, 1, 1, 2, (" a", "+b")), Hunk(20, 1, 21, 2, ("-old", "+new", "+newer"))),
    )


def check(document: Document) -> None:
    lines = document.text.split("\n")
    for anchor in document.anchors:
        assert lines[anchor.line][anchor.start : anchor.end].startswith("[")
        locators.parse(anchor.target)
    for symbol in document.symbols:
        assert 0 <= symbol.line <= symbol.end_line < len(lines)
    if document.focus is not None:
        assert 0 <= document.focus[0] <= document.focus[1] < len(lines)
    locators.parse(document.uri)
    if document.language_id == "markdown":
        for token in MarkdownIt("gfm-like").parse(document.text):
            assert token.type != "html_block"
            for child in token.children or []:
                assert child.type not in ("image", "html_inline")
                if child.type == "link_open":
                    assert str(child.attrs["href"]).startswith("anamnesis:///")


def focused(document: Document) -> list[str]:
    assert document.focus is not None
    return document.text.split("\n")[document.focus[0] : document.focus[1] + 1]


def test_a_commit_shows_its_message_and_the_hunk_of_the_span() -> None:
    document = commit_document(COMMIT, a_commit(), [a_change(), a_change("docs/x.md")], "src/retry.py", (21, 22))
    check(document)
    assert "Because the lock file lies." in document.text
    assert focused(document) == ["@@ -20,1 +21,2 @@", "-old", "+new", "+newer"]
    assert "+b" not in document.text
    assert "1 more hunk of this file" in document.text
    assert any(a.target.endswith(f"/{HASH}/docs/x.md") for a in document.anchors)
    assert [s.name for s in document.symbols if s.kind == "hunk"] == ["lines 21–22"]


def test_a_commit_without_a_span_lists_its_files() -> None:
    document = commit_document(COMMIT, a_commit(), [a_change()])
    check(document)
    assert document.focus is None
    assert any("/diff/" in a.target for a in document.anchors)


def test_a_span_no_hunk_touches_is_said() -> None:
    document = commit_document(COMMIT, a_commit(), [a_change()], "src/retry.py", (100, 101))
    assert "No hunk of this commit touches lines 100–101" in document.text


def test_a_diff_is_a_unified_diff() -> None:
    document = diff_document(COMMIT, a_change())
    check(document)
    assert document.text.startswith("--- a/src/retry.py\n+++ b/src/retry.py\n@@ -1,1 +1,2 @@\n a\n+b\n")
    assert document.language_id == "diff"


def test_a_file_is_itself_with_its_lines_in_focus() -> None:
    document = file_document(COMMIT, "src/retry.py", "one\ntwo\nthree\x1b[31m\n", (2, 99))
    check(document)
    assert document.text == "one\ntwo\nthree\n"
    assert document.focus == (1, 2)
    assert document.language_id == "python"
    assert file_document(COMMIT, "x", "one\n", (7, 8)).focus is None


def turns() -> list[Turn]:
    return [
        Turn(3, Speaker.PERSON, "can we retry twice?", WHEN),
        Turn(
            4,
            Speaker.ASSISTANT,
            "Done.",
            WHEN,
            edits=(Edit("src/retry.py", "retry(2)", "retry(1)", EditOutcome.APPLIED, "Edit"),),
            commits=(CommitMade(HASH[:8], "Retry twice", None),),
            name="some-model",
        ),
        Turn(7, Speaker.TOOL, "\n".join(f"line {n}" for n in range(100))),
    ]


def test_a_conversation_opens_at_its_turn_with_every_speaker_named() -> None:
    target = f"anamnesis:///commit/0123456789ab/{HASH}.md"
    document = conversation_document(
        CONVERSATION,
        Head(title="Retries", title_from="assistant", started=WHEN),
        turns(),
        9,
        4,
        scan=Scan(skipped_lines=3),
        handle=Handle("claude --resume 5e55"),
        commits={HASH[:8]: target},
    )
    check(document)
    assert (
        focused(document)[0].startswith("## 4 · the assistant (`some-model`)") or "some-model" in focused(document)[0]
    )
    assert "named by the assistant; a title is no evidence" in document.text
    assert "*Turns 1 to 2 are not shown.*" in document.text
    assert "*Turns 5 to 6 are not shown.*" in document.text
    assert "*Turns 8 to 9 are not shown.*" in document.text
    assert "-retry(1)\n+retry(2)" in document.text
    assert "… 88 more lines" in document.text
    assert "captured in part: 3 lines did not parse" in document.text
    assert any(anchor.target == target for anchor in document.anchors)
    assert [s.name for s in document.symbols if s.kind == "turn"] == ["3 the person", "4 the assistant", "7 a tool"]


def test_a_turn_that_is_gone_is_said() -> None:
    assert "no turn 42" in conversation_document(CONVERSATION, Head(), turns(), 9, 42).text


@dataclass(frozen=True)
class Section:
    name: str
    start_line: int
    end_line: int


def test_a_decision_opens_at_its_section() -> None:
    key = RecordKey(Kind.DECISION, ROOT, "docs/adr/0007.md")
    text = "# 7. No lock file\n\n## Context\nIt lies.\n\n## Decision\nRetry twice.\n"
    sections = [Section("Context", 3, 5), Section("Decision", 6, 7)]
    decision = DecisionText("No lock file", "accepted", "2024-03-05", text, sections)
    document = decision_document(key, decision, "Decision")
    check(document)
    assert focused(document) == ["## Decision", "Retry twice."]
    assert document.uri.endswith("/docs/adr/0007.md?part=Decision")


@pytest.mark.parametrize("text", [HOSTILE, "````\n" + HOSTILE, "x\r\n```\r\n"])
def test_hostile_records_stay_inside_their_fences(text: str) -> None:
    hostile_change = FileChange("R", "a`[1](x)\n.py", "<b>.py", False, (Hunk(1, 1, 1, 1, tuple(text.split("\n"))),))
    head = Head(title=text, cwds=[text], started=WHEN)
    turn = Turn(
        1,
        Speaker.PERSON,
        text,
        edits=(Edit(text, text, text, EditOutcome.APPLIED, text),),
        commits=(CommitMade("abc1234", text, text),),
        name=text,
    )
    section = Section(text, 1, 3)
    for document in (
        commit_document(COMMIT, a_commit(text), [hostile_change], hostile_change.path, (1, 1)),
        conversation_document(CONVERSATION, head, [turn], 1, 1, handle=Handle(text, text)),
        decision_document(RecordKey(Kind.DECISION, ROOT, "x.md"), DecisionText(text, text, text, text, [section])),
        diff_document(COMMIT, hostile_change),
        file_document(COMMIT, "x.py", text),
    ):
        check(document)
        assert "\x1b" not in document.text and "\u202e" not in document.text
        if document.language_id == "markdown":
            tokens = MarkdownIt("commonmark").parse(document.text)
            titles = [tokens[i + 1].content for i, token in enumerate(tokens) if token.type == "heading_open"]
            assert "forged heading" not in titles
