"""Whole documents made from hostile records: read by every parser, nothing in them is live, forged or poses as ours.

Single strings: ``tests/unit/test_escape.py``, and by the hundred thousand ``tests/bench/injection_run.py``.
"""

from __future__ import annotations

import io
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from anamnesis_lsp.present import escape
from tests.builders.claude import Transcript
from tests.builders.injection import EVERYTHING, EVIL, PIECES, hostile_text
from tests.builders.repos import Repo, new_repo
from tests.security.inert import GFM, check_markdown, check_plain, check_terminal, check_text
from tests.security.session import Session, inside, terminal

NAME = "a`](command:x)![b](https:e) \u202e[77].py"


@dataclass(frozen=True)
class Told:
    repo: Repo
    file: Path
    home: Path
    answers: list[Any]
    messages: list[Any]
    errors: bytes


def hostile_repository(folder: Path) -> tuple[Repo, Path]:
    repo = new_repo(folder / "app [78] ![x](https:y)")
    author = "Eve ![x](https://evil.example/x.png) [77] \x1b]8;;https://evil.example\x07x <eve@example.org>"
    repo.commit("One", {f"src/{NAME}": "import time\n\n\ndef fetch(url):\n    return get(url)\n"})
    after = "import time\n\n\n# why: see [the note](command:evil) and ADR-0001 ![b](https://evil.example/p.png) [77]\n"
    after += "def fetch(url):\n    for attempt in range(RETRY_LIMIT_FOR_GATEWAY):\n        return get(url)\n"
    repo.commit(f"Retry, see ADR-0001 {PIECES[0]} [77]\n\n{EVERYTHING}", {f"src/{NAME}": after}, author=author)
    adr = f"# 1. Retry the gateway {PIECES[3]} [77]\n\nStatus: accepted ![b](https://evil.example/s.png)\n"
    adr += f"\n## Decision\n\nRetry RETRY_LIMIT_FOR_GATEWAY times in fetch.\n\n{EVERYTHING}\n"
    repo.commit("Record it", {"docs/adr/0001-retry.md": adr, "README.md": EVERYTHING})
    return repo, repo.path / "src" / NAME


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Told]:
    """A whole session over a repository and a conversation in which everything is hostile."""
    folder = tmp_path_factory.mktemp("injection")
    repo, file = hostile_repository(folder)
    home = folder / "home"
    home.mkdir()
    talk = Transcript(cwd=str(repo.path), branch="main ![x](https:y) [77]")
    talk.person(f"Why retry? RETRY_LIMIT_FOR_GATEWAY ![b](https://evil.example/t.png) [77]\n{EVERYTHING}")
    talk.edit(
        str(file), "    return get(url)", "    for attempt in range(RETRY_LIMIT_FOR_GATEWAY):\n        return get(url)",
        say=f"I retry RETRY_LIMIT_FOR_GATEWAY times. [77]\n{EVERYTHING}",
    )  # fmt: skip
    talk.commit(f"Retry {PIECES[0]} [77]", repo.git("rev-parse", "HEAD~1")[:7])
    talk.write_to(home / ".claude", "app")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(home))
        patch.delenv("CLAUDE_CONFIG_DIR", raising=False)
        patch.setenv("ANAMNESIS_CACHE_DIR", str(folder / "cache"))
        patch.setenv("ANAMNESIS_STATE_DIR", str(folder / "state"))
        client = inside(repo.path)
        session = Session(client, file, 5, 6)
        for operation in session.operations().values():
            operation()
        client.kill()
        yield Told(repo, file, home, session.seen, [*client.kept, *client.asked, *client.received.queue], client.errors)


def texts(value: Any, at: str = "") -> Iterator[tuple[str, str]]:
    """Every string of an answer with where it stands."""
    if isinstance(value, str):
        yield at, value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield from texts(inner, f"{at}.{name}")
    elif isinstance(value, list):
        for inner in value:
            yield from texts(inner, at)


def test_the_session_told_of_the_hostile_records(told: Told) -> None:
    """Else the tests below would look at nothing."""
    shown = [answer["result"] for answer in told.answers if isinstance(answer.get("result"), dict)]
    markdown = "\n".join(s["markdown"] for s in shown if "markdown" in s) + "\n".join(s.get("text", "") for s in shown)
    assert "RETRY_LIMIT_FOR_GATEWAY" in markdown and EVIL in markdown and "Eve" in markdown
    kinds = {record["kind"] for one in shown for record in one.get("records", ())}
    assert {"commit", "conversation"} <= kinds


def test_every_document_is_inert(told: Told) -> None:
    seen = 0
    for answer in told.answers:
        for at, text in texts(answer):
            if at.endswith((".markdown", ".recalledContext", ".contents.value")):
                check_markdown(text)
                seen += 1
    assert seen >= 6


def documents(told: Told) -> list[str]:
    """The texts of virtual documents and of what was copied."""
    results = [answer.get("result") for answer in told.answers]
    return [result["text"] for result in results if isinstance(result, dict) and set(result) == {"text"}]


OURS = ("# Why", "# What", "# Commit", "# Claude", "# Decision", "# Recalled", "# Kept", "# Not", "# Ended")


def test_every_virtual_document_is_inert(told: Told) -> None:
    ours = [text for text in documents(told) if text.startswith(OURS)]
    assert len({text.split(" ", 2)[1] for text in ours}) >= 3
    for text in documents(told):
        check_text(text)
        if text.startswith(OURS):
            check_markdown(text)


def test_what_is_copied_is_inert(told: Told) -> None:
    copied = [text for text in documents(told) if text.startswith(("**Recalled", "Recalled:"))]
    assert copied
    for text in copied:
        check_text(text)
        if text.startswith("**"):
            check_markdown(text)
        else:
            check_plain(text)


def test_messages_progress_and_titles_are_inert(told: Told) -> None:
    for message in told.messages:
        for _, text in texts(message.get("params", {}).get("value", {})):
            check_text(text)
        if message.get("method") in ("window/showMessage", "window/logMessage"):
            check_text(message["params"]["message"])


def test_the_outline_and_the_notes_of_links_are_inert(told: Told) -> None:
    outlines = [answer["result"] for answer in told.answers if isinstance(answer.get("result"), list)]
    names = [
        text for one in outlines for at, text in texts(one) if at.rsplit(".", 1)[-1] in ("name", "detail", "tooltip")
    ]
    assert names
    for name in names:
        check_text(name)
        assert "\n" not in name


def test_no_text_of_a_record_is_in_the_log(told: Told) -> None:
    assert EVIL.encode() not in told.errors and b"RETRY_LIMIT" not in told.errors and b"Traceback" not in told.errors


COMMANDS = (
    ["recollect"],
    ["history"],
    ["recollect", "--cue", "RETRY_LIMIT_FOR_GATEWAY"],
    ["stores"],
    ["index"],
    ["doctor"],
)


@pytest.fixture
def there(told: Told, monkeypatch: pytest.MonkeyPatch) -> Told:
    monkeypatch.setenv("HOME", str(told.home))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    return told


def test_what_a_pipe_gets_from_the_command_line_is_inert(there: Told) -> None:
    for command in COMMANDS:
        where = [f"src/{NAME}:5-6"] if command in (["recollect"], ["history"]) else []
        code, out, err = terminal(there.repo.path, *command, *where)
        assert code in (0, 1), (command, err)
        check_text(out)
        check_text(err)
        if command != ["history"]:  # no story: it cites nothing
            check_plain(out)
    code, out, err = terminal(there.repo.path, "recollect", "--json", f"src/{NAME}:5-6")
    assert out.isascii() and "\x1b" not in out
    for record in json.loads(out)["records"]:
        code, shown, err = terminal(there.repo.path, "open", record["locator"])
        assert code == 0, err
        check_markdown(shown)


class Screen(io.StringIO):
    """A terminal to write on."""

    def isatty(self) -> bool:
        return True


def test_what_a_terminal_gets_is_inert(there: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    from anamnesis_lsp import cli

    monkeypatch.chdir(there.repo.path)
    monkeypatch.setenv("TERM", "xterm-256color")
    answered = next(
        a["result"] for a in there.answers if isinstance(a.get("result"), dict) and "records" in a["result"]
    )
    locators = [record["locator"] for record in answered["records"]]
    for arguments in (
        ["recollect", f"src/{NAME}:5-6"],
        *(["open", one] for one in locators),
        ["history", f"src/{NAME}:5-6"],
    ):
        out, err = Screen(), Screen()
        monkeypatch.setattr("sys.stdout", out)
        monkeypatch.setattr("sys.stderr", err)
        code = cli.main(arguments)
        monkeypatch.undo()
        monkeypatch.setenv("HOME", str(there.home))
        monkeypatch.chdir(there.repo.path)
        assert code == 0 and out.getvalue(), (arguments, err.getvalue())
        check_terminal(out.getvalue())
        check_terminal(err.getvalue().replace("\r", ""))
        assert "\x1b]" not in out.getvalue()


def test_errors_name_hostile_paths_inertly(there: Told) -> None:
    for where in ("no\x1b]8;;https://x\x07 \u202e[77]:1-2", "\u202ex.py:1-1", "x\ny [77].py:3-4", "--\x1b[2J"):
        for arguments in (
            ["recollect", where],
            ["history", where],
            ["open", where],
            ["recollect", "--store", where, "x:1-2"],
        ):
            code, out, err = terminal(there.repo.path, *arguments)
            assert code == 2, (arguments, code, out, err)
            check_text(err)
            assert err.count("\n") <= 2


@pytest.mark.parametrize("seed", range(4))
def test_hostile_strings_are_inert_in_every_form(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(150):
        text = hostile_text(rng)
        check_markdown(f"said: {escape.quoted(text)} and {escape.inline(text)} in {escape.code(text)}")
        check_markdown(f"They said: {escape.inline(text)}\n\n" + escape.block(text) + "\n\nafter")
        check_plain("They said: " + escape.plain(text) + "\n" + escape.plain_block(text))
        tokens = [token.type for token in GFM.parse("before\n\n" + escape.block(text) + "\n\nafter")]
        assert tokens.count("fence") == 1 and tokens.count("paragraph_open") == 2
