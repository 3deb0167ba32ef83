"""What a record says can be read, and cannot act."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from anamnesis_lsp.present import escape

GFM = MarkdownIt("gfm-like")  # CommonMark, tables, strikethrough and linkify: what VS Code's preview and GitHub add
INERT_INLINE = {"text", "code_inline"}

HOSTILE = [
    "![beacon](https://evil.example/x.png)",
    "[click](command:workbench.action.terminal.new)",
    "<img src=x onerror=alert(1)>",
    "<script>alert(1)</script>",
    "<!-- comment -->",
    "<https://evil.example>",
    "https://evil.example/?q=1",
    "www.evil.example",
    "evil.example",
    "mail me@evil.example now",
    "ping @alice about #12",
    "[ref]: https://evil.example 'title'",
    "[x][ref]",
    "[^1]: note",
    "&lt;img&gt; &#x3c;b&#x3e;",
    "# heading",
    "- list",
    "12) list",
    "> quote",
    "---",
    "===",
    "```\nfence",
    "~~~\nfence",
    "*em* __strong__ ~~gone~~",
    "$(zap) $x^2$",
    "| a | b |\n|---|---|",
    "a ` b `` c ``` d",
    "`a``b` `x` y`z_z`",
    "`a`http://evil.example",
    "http://e(`a` b",
    "\x1b]8;;https://evil.example\x07text\x1b]8;;\x07",
    "\x1b[31mred\x1b[0m \x9b1m",
    "safe\u202egnp.exe",
    "\U000e0041\U000e0042\U000e0043 hidden tags",
    "zero\u200bwidth\ufeff",
    "\ud800 lone",
    "trailing \\",
    "a\\`b",
    "line one\rline two\u2028line three\x85",
    "vim: set modeline:",
]

hostile_text = st.lists(
    st.one_of(
        st.sampled_from(HOSTILE), st.text(max_size=20), st.text("`*_[]()<>!&\\~|#-+=:/@. \n\t\x1ba1", max_size=24)
    ),
    max_size=5,
).map(" ".join)


def rendered(markdown: str) -> tuple[set[str], str]:
    """Every token type a renderer sees, and the text it would show."""
    tokens = GFM.parse(markdown)
    types: set[str] = set()
    shown: list[str] = []
    for token in tokens:
        if token.type != "inline":
            types.add(token.type)
            continue
        for child in token.children or []:
            types.add(child.type)
            shown.append(child.content)
    return types, "".join(shown)


def check_inert(text: str) -> None:
    types, shown = rendered(escape.inline(text))
    assert types <= INERT_INLINE | {"paragraph_open", "paragraph_close"}, (types, escape.inline(text))
    assert shown.replace("`", "") == escape.plain(text).replace("`", "")
    types, _ = rendered("said: " + escape.quoted(text) + " [[1]]")
    assert types <= INERT_INLINE | {"paragraph_open", "paragraph_close"}


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_line_renders_as_its_plain_text(text: str) -> None:
    check_inert(text)


@given(hostile_text)
@settings(max_examples=400, deadline=None)
def test_no_line_of_a_record_is_live_in_markdown(text: str) -> None:
    check_inert(text)


@given(hostile_text)
@settings(max_examples=200, deadline=None)
def test_no_block_of_a_record_leaves_its_fence(text: str) -> None:
    tokens = GFM.parse("before\n\n" + escape.block(text) + "\n\nafter")
    assert [token.type for token in tokens] == [
        *("paragraph_open", "inline", "paragraph_close"),
        "fence",
        *("paragraph_open", "inline", "paragraph_close"),
    ]


ACTS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\ud800-\udfff\U000e0000-\U000e007f]"
)


@given(hostile_text)
@settings(max_examples=300, deadline=None)
def test_nothing_that_acts_is_left_in_any_output(text: str) -> None:
    for shown in (
        escape.inline(text),
        escape.plain(text),
        escape.terminal(text),
        escape.block(text),
        escape.plain_block(text),
        escape.code(text),
        escape.raw_text(text),
    ):
        assert not ACTS.search(shown)
        shown.encode("utf-8")


@given(hostile_text)
def test_cleaning_twice_changes_nothing(text: str) -> None:
    assert escape.clean(escape.clean(text)) == escape.clean(text)


@given(st.text(max_size=60))
def test_a_plain_block_never_starts_a_line_of_its_own(text: str) -> None:
    assert all(line.startswith("| ") for line in escape.plain_block(text).splitlines())


@given(st.text(max_size=80))
def test_a_file_keeps_its_number_of_lines(text: str) -> None:
    normal = text.replace("\r\n", "\n").replace("\r", "\n")
    assert escape.raw_text(text).count("\n") == normal.count("\n")


@pytest.mark.parametrize("forged", ["as shown [1]", "[2]", "see [ 3 ]", "and [1, 2].", "(really) ［4］", "[^1]"])
def test_a_record_cannot_imitate_a_citation(forged: str) -> None:
    assert not re.search(r"\[\s*\^?\d", escape.plain(forged))
    assert "⟦" in escape.plain(forged)


def test_an_index_in_code_is_not_taken_for_a_citation() -> None:
    assert escape.plain("argv[1] and f(x)[0] and a[0][1]") == "argv[1] and f(x)[0] and a[0][1]"


def test_a_quote_cannot_be_ended_from_inside() -> None:
    assert escape.quoted_plain("done.” The server says: “trust me") == "“done.’ The server says: ‘trust me”"


def test_paths_and_identifiers_stay_readable() -> None:
    assert escape.inline("retry_count in src/app/retry.py, e.g. twice and/or never") == (
        "`retry_count` in `src/app/retry.py`, e.g. twice and/or never"
    )


def test_a_bidi_character_is_shown_as_its_code_point() -> None:
    assert escape.plain("a\u202eb") == "a⟨U+202E⟩b"


def test_escape_sequences_leave_their_text() -> None:
    assert escape.plain("\x1b[31mred\x1b[0m and \x1b]8;;https://x\x1b\\link\x1b]8;;\x1b\\") == "red and link"


def test_long_text_is_cut_and_says_so() -> None:
    assert escape.plain("x" * 500) == "x" * 199 + "…"
    assert escape.block("\n".join("line" for _ in range(50)), lines=40).splitlines()[-2] == "… 10 more lines"


def test_only_our_own_schemes_become_links() -> None:
    assert escape.link("a", "anamnesis:///recall/r1.md") == "[a](anamnesis:///recall/r1.md)"
    assert escape.link("a", "command:evil") == "a"
    assert escape.link("a", "https://evil.example") == "a"
    assert escape.link("a", "javascript:alert(1)") == "a"
    assert ")" not in (escape.uri("file:///tmp/a)b") or "")


def test_modelines_of_a_copy_are_disarmed() -> None:
    text = "# vim: set ts=1:\n" + "\n" * 20 + "x\n/* ex: set: */\n# -*- mode: lisp -*-\nLocal Variables: x"
    disarmed = escape.without_modelines(text)
    assert not re.search(r"(?:^|\s)(?:vim|ex):", disarmed)
    assert "-*-" not in disarmed
    assert disarmed.count("\n") == text.count("\n")


def test_a_file_name_of_ours_is_never_a_path() -> None:
    assert escape.file_name("../../etc/passwd") == "etc-passwd"
    assert escape.file_name("%2e%2e/x") == "x"
    assert escape.file_name("") == "record"
