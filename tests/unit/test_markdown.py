"""A round reads in the fixed order, every citation leads to its record, and no record text is live in it."""

from __future__ import annotations

import importlib.util
import re
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from markdown_it import MarkdownIt

from anamnesis_lsp.present.hover import HoverStory, render_hover
from anamnesis_lsp.present.markdown import (
    CURRENCY,
    copy_context,
    render_round,
    render_round_plain,
    render_scope,
    round_document,
    scope_document,
)
from anamnesis_lsp.present.page import Document, read_back, retarget
from anamnesis_lsp.present.records import shown_root
from anamnesis_lsp.present.round import OutcomeName, SentenceShown


def _sibling(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(f"_{name}", Path(__file__).with_name(f"{name}.py"))
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


rounds = _sibling("rounds")
hostile = _sibling("test_escape")
a_round = rounds.a_round
OURS = {rounds.COMMIT, rounds.CONVERSATION, rounds.DECISION, "anamnesis:///scope/r1.md", "anamnesis:///recall/r1.md"}
GFM = MarkdownIt("gfm-like")


def links(markdown: str) -> list[tuple[str, str]]:
    """``(text, target)`` of every link a renderer makes; fails on anything else that is live."""
    found: list[tuple[str, str]] = []
    for token in GFM.parse(markdown):
        assert token.type not in ("html_block", "table_open"), markdown
        inside: list[str] | None = None
        target = ""
        for child in token.children or []:
            assert child.type not in ("image", "html_inline", "s_open"), markdown
            if child.type == "link_open":
                inside, target = [], str(child.attrs["href"])
            elif child.type == "link_close" and inside is not None:
                found.append(("".join(inside), target))
                inside = None
            elif inside is not None:
                inside.append(child.content)
    return found


def headings(markdown: str) -> list[str]:
    tokens = GFM.parse(markdown)
    return [tokens[i + 1].content for i, token in enumerate(tokens) if token.type == "heading_open"]


def test_a_presented_round_reads_in_the_order_of_the_contract() -> None:
    text = render_round(a_round("plain"))
    order = [
        "You are looking for “plain”",
        "Read as a correction",
        "## Story",
        "## Records",
        "reopen: `claude --resume 5e55`",
        "## Found, but not opened",
        "## Near it",
        "(you ruled it out)",
        "## How completely the records were read",
        "## Doubts",
        "Not searched yet: plain (plain).",
        CURRENCY,
    ]
    positions = [text.index(part) for part in order]
    assert positions == sorted(positions)


def test_the_sentences_from_one_record_are_one_paragraph() -> None:
    said = (("Ada wrote it.", 1), ("It was hers.", 1), ("The assistant said so.", 2))
    shown = a_round("plain", story=tuple(SentenceShown(text, (n,)) for text, n in said))
    assert "\n\nAda wrote it. [[1]]\nIt was hers. [[1]]\n\nThe assistant said so. [[2]]\n\n" in render_round(shown)


def test_a_selection_that_is_what_is_meant_is_not_told_twice() -> None:
    def first(meant: str, place: str = "src/fetch.py:4-9") -> str:
        axes = (replace(a_round().cue.axes[0], value=place, source="selection"),)
        shown = a_round(cue=replace(a_round().cue, meant=meant, axes=axes))
        return render_round(shown).split("\n")[2]

    told = "You are looking for “why lines 4-9 of `src/fetch.py` are there”, as a line of work."
    assert first("why lines 4-9 of src/fetch.py are there") == told
    assert "selection" not in first("why line 4 of src/fetch.py is there", "src/fetch.py:4-4")
    assert "`src/fetch.py:4-9` from the selection" in first("why did we retry?")
    assert "`src/fetch.py:4-9` from the selection" in first("why lines 4-90 of src/fetch.py are there")


def test_what_lies_in_the_home_of_the_person_begins_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "home", lambda: Path("/home/ada"))
    assert [shown_root(root) for root in ("/home/ada", "/home/ada/x/y", "/home/adam/x", "/srv/x", "")] == [
        "~", "~/x/y", "/home/adam/x", "/srv/x", "",
    ]  # fmt: skip


def test_every_sentence_is_followed_by_its_citations() -> None:
    shown = a_round(
        "plain", story=(SentenceShown("Ada wrote it.", (1,)), SentenceShown("The assistant said so.", (2,)))
    )
    assert "Ada wrote it. [[1]]\n\nThe assistant said so. [[2]]\n" in render_round(shown)
    found = links(render_round(shown))
    assert found[:2] == [("1", rounds.COMMIT), ("2", rounds.CONVERSATION)]
    assert {target for _, target in found} <= OURS


def test_a_citation_without_a_record_is_not_shown() -> None:
    assert "[9]" not in render_round(a_round(story=(SentenceShown("x", (9, 1)),)))


@given(hostile.hostile_text)
@settings(max_examples=60, deadline=None)
def test_no_record_text_is_live_in_a_round_a_scope_or_a_copy(text: str) -> None:
    shown = a_round(text)
    reference = a_round("plain")
    for render in (render_round, render_scope):
        assert {target for _, target in links(render(shown))} <= OURS
        assert len(headings(render(shown))) == len(headings(render(reference)))
    assert not links(copy_context(shown, "markdown"))
    for rendered in (render_round(shown), render_round_plain(shown), copy_context(shown, "commit")):
        assert not hostile.ACTS.search(rendered)


@given(hostile.hostile_text)
@settings(max_examples=60, deadline=None)
def test_only_our_own_citations_look_like_citations(text: str) -> None:
    for render in (render_round, render_round_plain):
        shown = render(a_round(text))
        numbers = re.findall(r"(?<![\w)\]\\])\[{1,2}(\d+)\]", shown)
        assert len(numbers) == len(re.findall(r"(?<![\w)\]\\])\[{1,2}(\d+)\]", render(a_round("plain"))))


@pytest.mark.parametrize("outcome", get_args(OutcomeName))
def test_every_outcome_has_its_text(outcome: str) -> None:
    text = render_round(a_round("plain", outcome=outcome))
    assert text.startswith("# ")
    assert "There is none" not in text
    if outcome in ("unresolved", "stopped", "holding"):
        assert "## Scope" in text and "120 of 5,500 examined" in text


def test_an_unknown_count_is_never_a_zero() -> None:
    text = render_round(a_round("plain"))
    assert "3 lines that did not parse" in text
    assert "not counted: turns of the person missing" in text
    assert "edits: not recorded" in text
    assert "0 characters" not in text


def anchors_match(document: Document) -> None:
    lines = document.text.split("\n")
    for anchor in document.anchors:
        covered = lines[anchor.line][anchor.start : anchor.end]
        assert covered.startswith("["), (covered, anchor)
    for symbol in document.symbols:
        assert 0 <= symbol.line <= symbol.end_line < len(lines)


def test_anchors_stand_where_the_citations_stand() -> None:
    document = round_document(a_round("plain"))
    anchors_match(document)
    line = document.text.split("\n").index("plain [[1]] [[2]]")
    anchor = document.anchor_at(line, 7)
    assert anchor is not None and anchor.target == rounds.COMMIT
    anchor = document.anchor_at(line, 14)
    assert anchor is not None and anchor.target == rounds.CONVERSATION
    assert document.anchor_at(line, 2) is None


def test_the_outline_names_sections_and_records() -> None:
    names = [symbol.name for symbol in round_document(a_round("plain")).symbols]
    assert names[:3] == ["Why is this here?", "Story", "Records"]
    assert "2. Claude Code conversation 5e55" in names


def test_links_can_point_at_copies() -> None:
    copy = "file:///cache/a.md"
    document = retarget(round_document(a_round("plain")), {rounds.COMMIT: copy})
    assert f"\n[1]: {copy}\n" in document.text
    assert any(anchor.target == copy for anchor in document.anchors)
    anchors_match(document)


def test_a_document_is_read_back_from_its_text() -> None:
    document = round_document(a_round("plain"))
    again = read_back(document.uri, document.text)
    written = {(a.line, a.start, a.end, a.target) for a in document.anchors if a.start != 0}
    assert written <= {(a.line, a.start, a.end, a.target) for a in again.anchors}
    assert {a.target for a in again.anchors} == OURS - {"anamnesis:///recall/r1.md"}
    assert [s.name for s in again.symbols][:2] == ["Why is this here?", "Story"]


def test_what_a_record_says_is_no_link_when_read_back() -> None:
    text = "x [[1]] \\[1\\]\n\n````text\n[[1]] ```\n[1]: anamnesis:///recall/evil.md\n````\n\n[1]: anamnesis:///recall/r1.md\n"
    again = read_back("file:///x.md", text)
    assert [(a.line, a.start, a.target) for a in again.anchors] == [
        (0, 3, "anamnesis:///recall/r1.md"),
        (7, 0, "anamnesis:///recall/r1.md"),
    ]


def test_the_scope_report_leads_back() -> None:
    assert ("the story", "anamnesis:///recall/r1.md") in links(scope_document(a_round()).text)


def test_record_text_never_begins_a_line_of_a_commit_message() -> None:
    text = "x\nSigned-off-by: Mallory <m@evil.example>\n# dropped"
    for line in copy_context(a_round(text), "commit").splitlines():
        assert not line.startswith(("Signed-off-by", "#", "x"))


def test_a_comment_uses_the_marks_of_the_file() -> None:
    shown = a_round("ends */ here --> too")
    assert copy_context(shown, "comment", "a/b.py").startswith("# Recalled:")
    assert copy_context(shown, "comment", "a/b.rs").startswith("// Recalled:")
    css = copy_context(shown, "comment", "a/b.css")
    assert all(line.startswith("/* ") and line.endswith(" */") and line.count("*/") == 1 for line in css.splitlines())
    html = copy_context(shown, "comment", "a/b.html")
    assert all(line.count("-->") == 1 for line in html.splitlines())


def test_a_hover_is_two_sentences_and_a_link() -> None:
    shown = a_round("plain", story=tuple(SentenceShown(f"Sentence {n}.", (1,)) for n in range(5)))
    story = HoverStory(shown.story, shown.records, ("conversations are still being indexed",), "r1")
    text = render_hover(story)
    assert text.count("Sentence") == 2
    assert ("Full story", "anamnesis:///recall/r1.md") in links(text)
    assert "Not ready yet: conversations are still being indexed." in text
    assert render_hover(story, "full").count("Sentence") == 5
    assert len(render_hover(story, "full", plain=True).splitlines()) <= 12


def test_an_empty_hover_is_no_hover() -> None:
    assert render_hover(HoverStory((), ())) == ""


def test_command_links_replace_locators_where_the_client_trusts_them() -> None:
    from anamnesis_lsp.present.escape import command_uri

    shown = a_round("plain")
    text = render_hover(
        HoverStory(shown.story, shown.records), target=lambda locator: command_uri("anamnesis.open", locator)
    )
    assert all(target.startswith("command:anamnesis.open?%5B") for _, target in links_of_commands(text))


def links_of_commands(text: str) -> list[tuple[str, str]]:
    return re.findall(r"^\[(\d)\]: (\S+)$", text, re.MULTILINE)
