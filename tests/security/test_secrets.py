"""Secrets in conversations: masked in whatever is shown, copied or logged, and not in the index; ``forget`` forgets."""

from __future__ import annotations

import random
import sqlite3
import stat
import string
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.builders.claude import Transcript
from tests.builders.repos import GRACE, new_repo
from tests.security.session import Session, inside, terminal

UPPER, LOWER, DIGITS = string.ascii_uppercase, string.ascii_lowercase, string.digits
ALNUM, HEX = UPPER + LOWER + DIGITS, "0123456789abcdef"


def tokens(seed: int) -> dict[str, str]:
    """One token of each format, made up: of the issuer's shape, and none that was ever issued."""
    rng = random.Random(seed)

    def some(alphabet: str, count: int) -> str:
        return "".join(rng.choice(alphabet) for _ in range(count))

    def uuid() -> str:
        return "-".join(some(HEX, count) for count in (8, 4, 4, 4, 12))

    base = UPPER + "234567"
    return {
        "aws": "AKIA" + some(base, 16),
        "github": "ghp_" + some(ALNUM, 36),
        "github fine": "github_pat_" + some(ALNUM, 22) + "_" + some(ALNUM, 59),
        "gitlab": "glpat-" + some(ALNUM, 20),
        "slack": "xoxb-" + some(DIGITS, 12) + "-" + some(DIGITS, 12) + "-" + some(ALNUM, 24),
        "slack hook": "https://hooks.slack.com/services/T"
        + some(base, 9)
        + "/B"
        + some(base, 9)
        + "/"
        + some(ALNUM, 24),
        "stripe": "sk_live_" + some(ALNUM, 24),
        "google": "AIza" + some(ALNUM, 35),
        "google oauth": "GOCSPX-" + some(ALNUM, 28),
        "anthropic": "sk-ant-api03-" + some(ALNUM, 93) + "AA",
        "openai": "sk-proj-" + some(ALNUM, 20) + "T3BlbkFJ" + some(ALNUM, 20),
        "openai old": "sk-" + some(ALNUM, 20) + "T3BlbkFJ" + some(ALNUM, 20),
        "hugging face": "hf_" + some(UPPER + LOWER, 34),
        "groq": "gsk_" + some(ALNUM, 52),
        "xai": "xai-" + some(ALNUM, 80),
        "npm": "npm_" + some(ALNUM, 36),
        "pypi": "pypi-AgEIcHlwaS5vcmc" + some(ALNUM, 60),
        "rubygems": "rubygems_" + some(HEX, 48),
        "docker": "dckr_pat_" + some(ALNUM, 27),
        "digitalocean": "dop_v1_" + some(HEX, 64),
        "databricks": "dapi" + some(HEX, 32),
        "linear": "lin_api_" + some(ALNUM, 40),
        "notion": "ntn_" + some(DIGITS, 11) + some(ALNUM, 35),
        "airtable": "pat" + some(ALNUM, 14) + "." + some(HEX, 64),
        "shopify": "shpat_" + some(HEX, 32),
        "twilio": "SK" + some(HEX, 32),
        "sendgrid": "SG." + some(ALNUM, 22) + "." + some(ALNUM, 43),
        "mailgun": "key-" + some(HEX, 32),
        "telegram": some(DIGITS, 10) + ":AA" + some(ALNUM, 33),
        "vault": "hvs." + some(ALNUM, 90),
        "pulumi": "pul-" + some(HEX, 40),
        "grafana": "glsa_" + some(ALNUM, 32) + "_" + some(HEX, 8),
        "jwt": "eyJ" + some(ALNUM, 30) + ".eyJ" + some(ALNUM, 60) + "." + some(ALNUM, 43),
        "teams hook": "https://x.webhook.office.com/webhookb2/"
        + f"{uuid()}@{uuid()}/IncomingWebhook/{some(HEX, 32)}/{uuid()}",
        "nvidia": "nvapi-" + some(ALNUM, 64),
        "linear oauth": "lin_oauth_" + some(ALNUM, 64),
        "fly": "fm2_" + some(ALNUM, 160),
        "vercel": "vercel_blob_rw_" + some(ALNUM, 16) + "_" + some(ALNUM, 30),
        "heroku": "HRKU-" + some(ALNUM, 60),
        "dynatrace": "dt0c01." + some(UPPER + DIGITS, 24) + "." + some(UPPER + DIGITS, 64),
        "clojars": "CLOJARS_" + some(HEX, 60),
        "mapbox": "sk.eyJ" + some(ALNUM, 60) + "." + some(ALNUM, 22),
        "discord": "MT" + some(ALNUM, 24) + "." + some(ALNUM, 6) + "." + some(ALNUM, 38),
        "google refresh": "1//0" + some(ALNUM, 80),
        "deepseek": "sk-" + some(HEX, 32),
        "aws of a role": "ASIA" + some(UPPER + DIGITS, 16),
        "openrouter": "sk-or-v1-" + some(HEX, 64),
        "replicate": "r8_" + some(ALNUM, 37),
        "supabase": "sbp_" + some(HEX, 40),
        "atlassian": "ATATT3" + some(ALNUM, 186),
        "terraform": some(ALNUM, 14) + ".atlasv1." + some(ALNUM, 64),
        "azure ad": some(ALNUM, 3) + "8Q~" + some(ALNUM, 34),
        "age": "AGE-SECRET-KEY-1" + some("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58),
    }


FRAMED = {
    "password": ("password = '{}'", lambda rng: "".join(rng.choice(ALNUM) for _ in range(18))),
    "url": ("postgres://app:{}@db.example/x", lambda rng: "".join(rng.choice(ALNUM) for _ in range(16))),
    "bearer": ("Authorization: Bearer {}", lambda rng: "".join(rng.choice(ALNUM) for _ in range(40))),
    "netrc": ("machine db.example login app password {}", lambda rng: "".join(rng.choice(ALNUM) for _ in range(18))),
    "cookie": ("Cookie: session={}", lambda rng: "".join(rng.choice(ALNUM) for _ in range(40))),
    "azure": ("AccountKey={}==", lambda rng: "".join(rng.choice(ALNUM) for _ in range(86))),
}
"""Secrets known by what stands before them. The index may hold these: it keeps words, not lines."""


@dataclass(frozen=True)
class Leaky:
    fixed: dict[str, str]
    framed: dict[str, str]
    key: str
    answers: list[Any]
    outputs: str
    errors: bytes
    places: Path
    root: Path
    home: Path

    @property
    def all(self) -> dict[str, str]:
        return {**self.fixed, **self.framed, "private key": self.key}


@pytest.fixture(scope="module")
def leaky(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Leaky]:
    """A whole session of server and terminal over a conversation in which every turn gives a secret away."""
    folder = tmp_path_factory.mktemp("secrets")
    fixed = tokens(7)
    rng = random.Random(8)
    framed = {name: make(rng) for name, (_, make) in FRAMED.items()}
    key = "".join(rng.choice(ALNUM + "+/") for _ in range(64))
    repo = new_repo(folder / "app")
    repo.commit("Add fetch", {"src/fetch.py": "def fetch(url):\n    return get(url)\n"})
    after = "def fetch(url):\n    for attempt in range(RETRY_LIMIT):\n        return get(url)\n"
    commit = repo.commit("Retry with a backoff", {"src/fetch.py": after}, author=GRACE)
    file = repo.path / "src/fetch.py"
    said = [f"The {name} token is {token}, retry with it." for name, token in fixed.items()]
    said += [FRAMED[name][0].format(value) for name, value in framed.items()]
    said.append(f"-----BEGIN RSA PRIVATE KEY-----\n{key}\n{key}\n-----END RSA PRIVATE KEY-----")
    talk = Transcript(cwd=str(repo.path)).person("Retry with a backoff, RETRY_LIMIT times. " + said[0])
    for one in said:
        talk.person(f"RETRY_LIMIT: {one}").assistant(f"I note it: {one}")
    talk.edit(
        str(file),
        "    return get(url)",
        "    for attempt in range(RETRY_LIMIT):\n        return get(url)",
        say="\n".join(said),
    )
    talk.commit("Retry with a backoff", commit[:7])
    home = folder / "home"
    talk.write_to(home / ".claude", "app")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(home))
        patch.delenv("CLAUDE_CONFIG_DIR", raising=False)
        patch.setenv("ANAMNESIS_CACHE_DIR", str(folder / "own" / "cache"))
        patch.setenv("ANAMNESIS_STATE_DIR", str(folder / "own" / "state"))
        client = inside(repo.path)
        session = Session(client, file, 1, 3)
        for operation in session.operations().values():
            operation()
        client.kill()
        shown = next(
            a["result"] for a in session.seen if isinstance(a.get("result"), dict) and "records" in a["result"]
        )
        talks = [record["locator"] for record in shown["records"] if record["kind"] == "conversation"]
        assert talks
        outputs = ""
        commands = [["recollect", "src/fetch.py:1-3"], ["recollect", "--json", "src/fetch.py:1-3"], ["open", talks[0]],
                    *(["open", f"{talks[0].split('?')[0]}?turn={n}"] for n in range(1, 90, 12)),
                    *(["recollect", "--cue", f"the {name} token"] for name in ("github", "stripe", "aws"))]  # fmt: skip
        for command in commands:
            code, out, err = terminal(repo.path, *command)
            assert code in (0, 1), err
            outputs += out + err
        yield Leaky(fixed, framed, key, session.seen, outputs, client.errors, folder / "own", repo.path, home)


def test_the_conversation_was_told(leaky: Leaky) -> None:
    assert "[masked" in str(leaky.answers) and "[masked" in leaky.outputs


def test_no_secret_is_shown_or_copied(leaky: Leaky) -> None:
    shown = str(leaky.answers) + leaky.outputs
    leaks = {name: shown.find(token) for name, token in leaky.all.items() if token in shown}
    assert not leaks, {name: shown[max(at - 200, 0) : at] for name, at in leaks.items()}


def test_no_secret_is_in_the_log(leaky: Leaky) -> None:
    assert not [name for name, token in leaky.all.items() if token.encode() in leaky.errors]


def test_no_token_of_a_fixed_format_is_in_the_index_or_in_the_cache(leaky: Leaky) -> None:
    cached = b"".join(path.read_bytes() for path in (leaky.places / "cache").rglob("*") if path.is_file()).lower()
    halves = {name: token[len(token) // 2 :].lower() for name, token in leaky.fixed.items()}
    assert not [name for name, half in halves.items() if half.encode() in cached]


def test_our_folders_are_ours_alone(leaky: Leaky) -> None:
    for path in [leaky.places / "cache", leaky.places / "state", *leaky.places.rglob("*")]:
        if path.is_dir():
            assert stat.S_IMODE((leaky.places / path.relative_to(leaky.places).parts[0]).stat().st_mode) == 0o700
        elif "state" in path.parts:
            assert not stat.S_IMODE(path.stat().st_mode) & 0o077, path


def test_forgetting_overwrites_what_was_kept_of_a_record(leaky: Leaky, monkeypatch: pytest.MonkeyPatch) -> None:
    from anamnesis_lsp.recall.recaller import Recaller, RecallSettings
    from anamnesis_lsp.recall.state import FILE_NAME

    monkeypatch.setenv("HOME", str(leaky.home))
    monkeypatch.setenv("ANAMNESIS_CACHE_DIR", str(leaky.places / "cache"))
    monkeypatch.setenv("ANAMNESIS_STATE_DIR", str(leaky.places / "state"))
    brain = Recaller(RecallSettings(), [leaky.root])
    assert brain.recalls()
    kept = leaky.places / "state" / FILE_NAME
    with sqlite3.connect(kept) as connection:
        blobs = [row[0] for row in connection.execute("SELECT content FROM turns WHERE length(content) > 60")]
    assert blobs
    assert brain.forget(None) > 0
    brain.close()
    with sqlite3.connect(kept) as connection:
        for table in ("recalls", "turns", "buffers"):
            assert connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] == 0
        pages, free = (connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "freelist_count"))
    assert free == 0 and pages < 12
    left = b"".join(path.read_bytes() for path in kept.parent.iterdir() if path.is_file())
    assert not [blob for blob in blobs if blob[:40] in left or blob[-40:] in left]


@pytest.mark.parametrize("seed", range(3))
def test_every_format_is_masked_wherever_it_stands(seed: int) -> None:
    from anamnesis_lsp import masking
    from anamnesis_lsp.present import escape

    for name, token in tokens(seed).items():
        for around in (
            "{}",
            "x={}",
            "'{}'",
            '"{}",',
            "({})",
            "token: {}",
            "curl -H 'X: {}'",
            "`{}`",
            "\t{}\n",
            "**{}**",
        ):
            text = around.format(token)
            for shown in (
                masking.mask(text),
                escape.inline(text, 400),
                escape.block(text),
                escape.plain(text, 400),
                escape.code(text, 400),
            ):
                assert token not in shown, (name, around, shown)
