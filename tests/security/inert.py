"""What must hold of every text that reaches a client: nothing in it acts, and nothing in it poses as ours."""

from __future__ import annotations

import re

from markdown_it import MarkdownIt

GFM = MarkdownIt("gfm-like")  # CommonMark with HTML, tables, strikethrough, linkify: VS Code's family, at its widest
ACTS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\ud800-\udfff"
    "\U000e0000-\U000e007f]"
)
LIVE = {"image", "html_inline", "html_block", "s_open", "math_inline"}
FORGED = re.compile(r"(?<![\w)\]])[\[［]\s*7[789]\b")  # an index in code is none: ``argv[1]``
POSING = re.compile(r"\s*(?:[-*] |\d+\. )?(?:reopen: `?rm|\[7[789]\]:|## Records EVIL|trust EVIL)")


def check_text(text: str) -> None:
    """Of any text, plain or not."""
    found = ACTS.search(text)
    assert not found, (repr(found[0]), text[max(found.start() - 80, 0) : found.start() + 40])
    text.encode("utf-8")


def check_plain(text: str) -> None:
    """Of text for clients and terminals without Markdown: a record's lines begin with ``| ``."""
    check_text(text)
    for line in text.split("\n"):
        if not line.startswith("| "):
            assert not FORGED.search(line), line
            assert not POSING.match(line), line


def check_markdown(text: str, links: str = "anamnesis:///") -> None:
    """Of a document of ours: its links are ours, and outside its fences no line and no citation is a record's."""
    check_text(text)
    for token in GFM.parse(text):
        assert token.type not in LIVE and token.type != "code_block", (token.type, token.content)
        shown = ""
        for child in token.children or []:
            assert child.type not in LIVE, (child.type, token.content)
            # in a code span a path stays as it is, and is no link
            shown += child.content if child.type == "text" else "\n" if child.type.endswith("break") else "\ufffc"
            if child.type == "link_open":
                href = str(child.attrs["href"])
                assert href.startswith((links, "file:///")), (href, token.content)
        assert not FORGED.search(shown), token.content
        assert not POSING.match(shown), token.content


SGR = re.compile(r"\x1b\[[0-9;]*m")


def check_terminal(text: str) -> None:
    """Of what a terminal gets: colours, and no other sequence; no hyperlink."""
    check_text(SGR.sub("", text).replace("\r\n", "\n"))
