"""Locators name records, never files of the machine."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote, unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.present.locators import Locator, of_record, parse, written
from anamnesis_lsp.records.evidence import Kind, RecordKey, Span

HASH = "0123456789abcdef" * 2 + "01234567"
ROOT = "0123456789ab"

segment = st.text(st.characters(exclude_characters="/\0", exclude_categories=("Cs",)), min_size=1, max_size=12).filter(
    lambda s: s not in (".", "..")
)
paths = st.lists(segment, min_size=1, max_size=4).map("/".join)
lines = st.one_of(st.none(), st.tuples(st.integers(1, 99), st.integers(0, 99)).map(lambda t: (t[0], t[0] + t[1])))
every_locator = st.one_of(
    st.builds(Locator, st.sampled_from(["recall", "scope"]), id=segment),
    st.builds(
        Locator, st.just("commit"), st.just(ROOT), hash=st.just(HASH), path=st.one_of(st.none(), paths), lines=lines
    ),
    st.builds(Locator, st.just("file"), st.just(ROOT), hash=st.just(HASH), path=paths, lines=lines),
    st.builds(Locator, st.just("diff"), st.just(ROOT), hash=st.just(HASH), path=paths),
    st.builds(
        Locator,
        st.just("conversation"),
        st.just(ROOT),
        runtime=st.sampled_from(["claude-code", "codex"]),
        id=paths,
        turn=st.one_of(st.none(), st.integers(1, 10**6)),
    ),
    st.builds(Locator, st.just("decision"), st.just(ROOT), path=paths, part=st.one_of(st.none(), segment)),
)


@given(every_locator)
def test_a_locator_reads_back_as_it_was_written(locator: Locator) -> None:
    text = str(locator)
    assert text.startswith("anamnesis:///")
    assert text.isascii() and " " not in text and "(" not in text
    assert parse(text) == locator


def as_vs_code_sends_it(text: str) -> str:
    """``Uri.parse(text).toString()``: decoded, then encoded again, "=" and "&" of the query included."""
    path, _, query = text.removeprefix("anamnesis:///").partition("?")
    encoded = "/".join(quote(unquote(part), safe="") for part in path.split("/"))
    return f"anamnesis:///{encoded}" + (f"?{quote(unquote(query), safe='/')}" if query else "")


@given(every_locator)
def test_vs_codes_spelling_of_a_locator_is_understood(locator: Locator) -> None:
    if "&" in (locator.path or ""):
        return  # what VS Code decoded cannot be told apart
    assert parse(as_vs_code_sends_it(str(locator))) == locator


@given(every_locator)
def test_a_locator_with_one_slash_is_read_and_written_with_three(locator: Locator) -> None:
    short = str(locator).replace("///", "/", 1)
    assert parse(short) == locator
    assert written(short) == written(str(locator)) == str(locator)


@given(st.text(max_size=60))
def test_whatever_is_no_locator_is_refused_with_one_error(text: str) -> None:
    try:
        parse(text)
    except AnamnesisError as error:
        assert error.code is ErrorCode.BAD_LOCATOR


@pytest.mark.parametrize(
    "text",
    [
        "file:///etc/passwd",
        "anamnesis://host/commit/x",
        f"anamnesis://commit/{ROOT}/{HASH}.md",
        f"anamnesis:////commit/{ROOT}/{HASH}.md",
        f"anamnesis:commit/{ROOT}/{HASH}.md",
        f"anamnesis:///file/{ROOT}/{HASH}/../../etc/passwd",
        f"anamnesis:///file/{ROOT}/{HASH}/%2e%2e/x",
        f"anamnesis:///file/{ROOT}/{HASH}/a%2F..%2F..%2Fb",
        f"anamnesis:///decision/{ROOT}/a%00b",
        f"anamnesis:///commit/{ROOT}/{HASH}.md?path=../../etc/passwd",
        f"anamnesis:///commit/{ROOT}/{HASH}.md?path=/etc/passwd",
        f"anamnesis:///commit/{ROOT}/HEAD.md",
        f"anamnesis:///commit/../{HASH}.md",
        f"anamnesis:///commit/{ROOT}/{HASH}.md?lines=0-3",
        f"anamnesis:///commit/{ROOT}/{HASH}.md?lines=5-3",
        "anamnesis:///recall/..%2Fx.md",
        "anamnesis:///recall/x",
        f"anamnesis:///conversation/claude-code/{ROOT}/x.md?turn=0",
        "anamnesis:///" + "x" * 9000,
        "anamnesis://[::1",
        f"anamnesis:///decision/{ROOT}/x.md#fragment",
    ],
)
def test_a_hostile_locator_is_refused(text: str) -> None:
    with pytest.raises(AnamnesisError) as caught:
        parse(text)
    assert caught.value.code is ErrorCode.BAD_LOCATOR


def test_a_record_has_its_locator() -> None:
    commit = RecordKey(Kind.COMMIT, Path("/r"), HASH)
    assert str(of_record(commit, Span(path="a b.py", lines=(1, 2)))).endswith(f"{HASH}.md?path=a%20b.py&lines=1-2")
    beads = RecordKey(Kind.DECISION, Path("/r"), ".beads/issues.jsonl#bd-12")
    assert str(of_record(beads)).endswith("/.beads/issues.jsonl?part=bd-12")
