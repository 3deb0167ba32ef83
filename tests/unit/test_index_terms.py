from __future__ import annotations

import sqlite3

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anamnesis_lsp.index.terms import STOP_WORDS, fold, parts, tokens


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("getUserName", ["getusername", "get", "user", "name"]),
        ("get_user_name", ["get_user_name", "get", "user", "name"]),
        ("HTTPServer", ["httpserver", "http", "server"]),
        ("SHA256Sum", ["sha256sum", "sha256", "sum"]),
        ("__init__", ["init"]),
        ("the lock file", ["lock", "file"]),
        ("see #1234, not 4", ["see", "1234", "not"]),
        ("fixed in 3f9ab12c", ["fixed", "3f9ab12c"]),
        ("Émigré", ["emigre"]),
        ("E\u0301migre\u0301", ["emigre"]),
        ("STRASSE straße", ["strasse", "strasse"]),
        ("日本語", ["日本", "本語"]),
        ("字", ["字"]),
        ("JSON解析器", ["json", "解析", "析器"]),
        ("한국어", ["한국", "국어"]),
        ("ﬁle", ["file"]),
        ("хранение Данных", ["хранение", "данных"]),
        ("1699999999999", []),
        ("QmFzZTY0IHRleHQgdGhhdCBpcyB2ZXJ5IGxvbmcgaW5kZWVkIGFuZCBub3QgYSB3b3Jk0123", []),
    ],
)
def test_terms(text: str, expected: list[str]) -> None:
    assert tokens(text) == expected


def test_stop_words_are_no_terms() -> None:
    assert tokens(" ".join(sorted(STOP_WORDS))) == []


@given(st.text(max_size=80))
@settings(max_examples=300)
def test_a_term_asked_for_as_it_stands_finds_itself(text: str) -> None:
    """What is indexed can be asked: a term fed back to the tokenizer gives itself (among its parts)."""
    for term in tokens(text):
        assert term in tokens(term)


@given(st.text(max_size=60))
def test_folding_twice_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(st.text(max_size=60))
def test_terms_hold_no_white_space_and_no_ascii_punctuation(text: str) -> None:
    for term in tokens(text):
        assert all(not c.isascii() or c.isalnum() or c == "_" for c in term)
        assert not any(map(str.isspace, term))


def test_unicode61_with_underscore_agrees_on_a_term() -> None:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE VIRTUAL TABLE f USING fts5(t, tokenize=\"unicode61 tokenchars '_'\")")
    connection.execute("CREATE VIRTUAL TABLE v USING fts5vocab(f, row)")
    words = tokens("getUserName lock_file Émigré 日本語 данных 3f9ab12c 1234")
    connection.execute("INSERT INTO f VALUES (?)", (" ".join(words),))
    assert {row[0] for row in connection.execute("SELECT term FROM v")} == set(words)


def test_parts_give_each_term_once() -> None:
    assert parts("test_test_Test") == ("test_test_test", "test")
