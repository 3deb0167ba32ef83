"""Tokens here are made up: right in format, from nowhere in content, put together at run time."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anamnesis_lsp.masking import mask, mask_tokens

FILL = "aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY" * 8
HEX = "0a1b2c3d4e5f6978" * 8

FIXED = {
    "aws": "AKIA" + "Q3R7T2W5X4Y6Z7AB",
    "github": "ghp_" + FILL[:36],
    "github oauth": "gho_" + FILL[:36],
    "github fine-grained": "github_pat_" + FILL[:22] + "_" + FILL[:59],
    "gitlab": "glpat-" + FILL[:20],
    "slack": "xoxb-" + "123456789012-1234567890123-" + FILL[:24],
    "stripe": "sk_live_" + FILL[:24],
    "google": "AIza" + FILL[:35],
    "openai": "sk-" + FILL[:20] + "T3BlbkFJ" + FILL[:20],
    "openai project": "sk-proj-" + FILL[:60],
    "anthropic": "sk-ant-api03-" + FILL[:93] + "AA",
    "hugging face": "hf_" + "abcdefghijklmnopqrstuvwxyzABCDEFGH",
    "npm": "npm_" + FILL[:36],
    "pypi": "pypi-AgEIcHlwaS5vcmc" + FILL[:60],
    "jwt": "eyJ" + FILL[:20] + ".eyJ" + FILL[:30] + "." + FILL[:43],
    "telegram": "123456789:AA" + FILL[:33],
    "azure storage": "AccountKey=" + FILL[:86] + "==",
    "sendgrid": "SG." + FILL[:22] + "." + FILL[:43],
    "digitalocean": "dop_v1_" + HEX[:64],
    "twilio": "SK" + HEX[:32],
    "vault": "hvs." + FILL[:24],
    "private key": "-----BEGIN RSA PRIVATE KEY-----\n" + (FILL[:64] + "\n") * 3 + "-----END RSA PRIVATE KEY-----",
}


@pytest.mark.parametrize("name", FIXED)
def test_a_token_of_a_fixed_format_is_masked_when_shown_and_before_it_is_indexed(name: str) -> None:
    secret = FIXED[name]
    body = secret.split("=", 1)[-1] if name == "azure storage" else secret
    body = body.split("\n")[1] if "\n" in body else body
    for text in (f"export KEY={secret} # mine", f'"{secret}"', secret):
        assert body not in mask(text)
        assert "[masked: " in mask(text)
        assert body not in mask_tokens(text)
        assert body.encode() not in mask_tokens(text.encode())


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("password = 'hunter2hunter2'", "hunter2hunter2"),
        ('"db_password": "s3cr3t-value"', "s3cr3t-value"),
        ("DATABASE_PASSWORD=Tr0ub4dor3", "Tr0ub4dor3"),
        ("Authorization: Bearer abcdef1234567890abcdef", "abcdef1234567890abcdef"),
        ("-H 'Authorization: Basic dXNlcjpwYXNzd29yZA=='", "dXNlcjpwYXNzd29yZA=="),
        ("postgres://admin:pa55word@db.example.com/x", "pa55word"),
        ("API_KEY: 9f8e7d6c5b4a39281706", "9f8e7d6c5b4a39281706"),
    ],
)
def test_a_secret_known_by_what_stands_before_it_is_masked_when_shown(text: str, secret: str) -> None:
    assert secret not in mask(text)


@pytest.mark.parametrize(
    "text",
    [
        "password = user.password",
        "token: str",
        "def login(password: str) -> Token:",
        "api_key = os.environ['API_KEY']",
        "secret = get_secret(name)",
        "PASSWORD=your-password-here",
        "the token bucket refills every 100 ms",
        "fixed in 3f9ab12c8d7e6f5a4b3c2d1e0f9a8b7c6d5e4f3a",
        "https://example.com/a/b:c@d",
        "key: value",
        "keys = sorted(table)",
        "Secrets: `.env.local`, see the guide",
        "the secret key:\n2025-09-10T16:03:55.3391913Z ##[endgroup]",
    ],
)
def test_code_and_prose_stay_as_they_are(text: str) -> None:
    assert mask(text) == text
    assert mask_tokens(text) == text


def test_line_numbers_stay_right() -> None:
    text = "before\n" + FIXED["private key"] + "\nafter"
    assert mask(text).count("\n") == text.count("\n")


def test_a_secret_among_ordinary_lines_takes_only_its_own_place() -> None:
    lines = ["def connect():", f"    token = '{FIXED['github']}'", "    return token", "# 3f9ab12c8d7e6f5a4b3c2d1e"]
    shown = mask("\n".join(lines)).split("\n")
    assert [shown[0], shown[2], shown[3]] == [lines[0], lines[2], lines[3]]
    assert shown[1] == "    token = '[masked: github token]'"


@given(st.text(max_size=300))
def test_masking_twice_changes_nothing(text: str) -> None:
    assert mask(mask(text)) == mask(text)


def test_hostile_text_is_masked_in_time_that_grows_with_its_length() -> None:
    for unit in (
        "a",
        "://",
        "password=",
        "-----BEGIN PRIVATE KEY-----",
        "eyJ",
        "sk-",
        "xox",
        "Bearer ",
        "key" + "-" * 5,
    ):
        text = unit * (200_000 // len(unit))
        begun = time.perf_counter()
        mask(text)
        assert time.perf_counter() - begun < 3.0, unit
