"""Reading ahead in other processes: the same index, whatever becomes of them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from anamnesis_lsp.cancel import Cancelled, CancelToken, never
from anamnesis_lsp.index import Catalog, Policy, Progress, ahead
from anamnesis_lsp.records.conversations.stores import Store
from tests.builders.claude import Transcript, session
from tests.builders.codex import Rollout

PROJECT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.usefixtures("worth_it")


@pytest.fixture
def worth_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let any amount be worth a process."""
    monkeypatch.setattr(ahead, "PAYS_FROM", 1)


@pytest.fixture
def stores(tmp_path: Path) -> list[Store]:
    for number in range(1, 13):
        talk = Transcript(session(number), cwd=f"/home/dev/app{number}").person(f"Why does walrus{number} back off?")
        talk.assistant("Because the server bans us.").edit("a.py", "x", f"alpha_function({number})\nbeta(gamma, delta)")
        talk.failed_edit("b.py", "x", "never_written()").commit(f"Back off {number}", sha=f"{number:07x}")
        talk.write_to(tmp_path / "claude")
    for number in range(1, 4):
        Rollout(number).prompt(f"heron {number}").reply("It wades.").write_to(tmp_path / "codex")
    return [Store.at("claude-code", tmp_path / "claude"), Store.at("codex", tmp_path / "codex")]


def built(path: Path, stores: list[Store], processes: int) -> Catalog:
    catalog = Catalog.open(path)
    done = catalog.refresh(stores, never(), policy=Policy(processes=processes))
    assert (done.captured, done.failures) == (15, ())
    return catalog


def contents(catalog: Catalog, stores: list[Store]) -> dict[str, object]:
    """All that the catalog answers, by conversation and not by number."""
    rows = {row.record: row for row in catalog.records(stores)}
    name = {record: row.key.id for record, row in rows.items()}
    words = ["walrus3", "alpha", "server", "heron", "delta", "never"]
    edits = sorted((name[e.record], e.turn, e.path, e.when, e.outcome, e.lines) for e in catalog.edits(stores))
    hits = [
        (name[hit.record], hit.turn, round(hit.score, 6)) for hit in catalog.passages(dict.fromkeys(words, 1.0), stores)
    ]
    receipts = {name[record]: (receipt.reach, receipt.scan) for record, receipt in catalog.receipts(rows).items()}
    return {
        "records": sorted((r.key.id, r.title, r.started, r.ended, r.cwds, r.turns, r.terms) for r in rows.values()),
        "edits": edits,
        "lines": {name[record]: sorted(catalog.line_hashes(record)) for record in rows},
        "commits": sorted((name[one.record], one.turn, one.hash, one.subject) for one in catalog.commits(stores)),
        "hits": sorted(hits),
        "scores": {name[r]: round(s, 6) for r, s in catalog.body_scores(dict.fromkeys(words, 1.0), stores).items()},
        "mentions": sorted((name[one.record], one.path) for one in catalog.mentions(stores)),
        "receipts": receipts,
    }


def test_what_others_read_is_what_is_read_alone(
    tmp_path: Path, stores: list[Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = contents(built(tmp_path / "alone.sqlite3", stores, 0), stores)
    monkeypatch.setattr("anamnesis_lsp.index.capture.Writer.conversation", None)  # nothing is read here
    helped = built(tmp_path / "helped.sqlite3", stores, 3)
    assert contents(helped, stores) == alone
    assert helped.refresh(stores, never(), policy=Policy(processes=3)).captured == 0


@pytest.mark.parametrize("serving", ["pass", "print('no pickle')", "import time; time.sleep(0.2); raise SystemExit(3)"])
def test_readers_that_fail_are_done_without(
    serving: str, tmp_path: Path, stores: list[Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = contents(built(tmp_path / "alone.sqlite3", stores, 0), stores)
    monkeypatch.setattr(ahead, "_SERVE", serving)
    assert contents(built(tmp_path / "helped.sqlite3", stores, 2), stores) == alone


def test_without_an_interpreter_to_start_it_reads_alone(
    tmp_path: Path, stores: list[Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    assert len(contents(built(tmp_path / "index.sqlite3", stores, 2), stores)["records"]) == 15  # type: ignore[arg-type]


def test_little_is_read_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ahead, "PAYS_FROM", 64_000_000)
    assert [ahead.worth(size, most) for size, most in ((1_000, 4), (64_000_000, 4), (10**9, 64), (10**9, 1))] == [
        0, 4, ahead.MOST_PROCESSES, 0
    ]  # fmt: skip


def test_a_record_that_is_known_is_brought_up_to_date_here(tmp_path: Path, stores: list[Store]) -> None:
    catalog = built(tmp_path / "index.sqlite3", stores, 2)
    before = contents(catalog, stores)
    path = next((tmp_path / "claude").rglob(f"{session(4)}.jsonl"))
    more = Transcript(session(4))
    more._key = "more"  # pyright: ignore[reportPrivateUsage]
    path.write_bytes(path.read_bytes() + more.person("And the otter?").lines[0] + b"\n")
    assert catalog.refresh(stores, never(), policy=Policy(processes=2)).captured == 1
    assert contents(catalog, stores) != before and catalog.passages({"otter": 1.0}, stores)


def test_a_cancel_ends_the_readers(tmp_path: Path, stores: list[Store], monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[subprocess.Popen[bytes]] = []
    start = ahead._started  # pyright: ignore[reportPrivateUsage]

    def remembered() -> subprocess.Popen[bytes] | None:
        child = start()
        assert child is not None
        started.append(child)
        return child

    monkeypatch.setattr(ahead, "_started", remembered)
    token = CancelToken()

    def cancel(progress: Progress) -> None:
        if progress.done == 2:
            token.cancel()

    catalog = Catalog.open(tmp_path / "index.sqlite3")
    with pytest.raises(Cancelled):
        catalog.refresh(stores, token, cancel, Policy(processes=2))
    assert len(started) == 2 and all(child.poll() is not None for child in started)
    assert len(catalog.records(stores)) >= 2, "what was read is kept"


def test_nothing_of_the_directory_is_imported(
    tmp_path: Path, stores: list[Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    trap = tmp_path / "repository"
    for name in ("orjson", "pickle", "anamnesis_lsp", "sitecustomize", "usercustomize"):
        (trap / name).mkdir(parents=True)
        (trap / name / "__init__.py").write_text(f"open({str(tmp_path / 'sprung')!r}, 'w')")
    monkeypatch.chdir(trap)
    monkeypatch.setenv("PYTHONPATH", str(trap))
    monkeypatch.setattr("anamnesis_lsp.index.capture.Writer.conversation", None)
    built(tmp_path / "index.sqlite3", stores, 2)
    assert not (tmp_path / "sprung").exists()


STARTER = """
import sys
from anamnesis_lsp.cancel import never
from anamnesis_lsp.index import ahead
from anamnesis_lsp.records.conversations.registry import runtime
from pathlib import Path
sources = list(runtime("claude-code").sources(Path(sys.argv[1]), never()))
readers = ahead.Readers(sources * 2000, 2, never())
print(*(child.pid for child in readers._children), flush=True)
for _ in readers:
    pass
"""


@pytest.mark.skipif(sys.platform == "win32", reason="looks for processes by signal 0")
def test_no_reader_outlives_its_starter(tmp_path: Path, stores: list[Store]) -> None:
    command = [sys.executable, "-c", STARTER, str(tmp_path / "claude")]
    starter = subprocess.Popen(command, cwd=PROJECT, stdout=subprocess.PIPE, text=True)
    assert starter.stdout is not None
    pids = [int(pid) for pid in starter.stdout.readline().split()]
    assert len(pids) == 2 and all(lives(pid) for pid in pids)
    starter.send_signal(signal.SIGKILL)
    starter.wait()
    begun = time.monotonic()
    while any(lives(pid) for pid in pids):
        assert time.monotonic() - begun < 10, "a reader is left over"
        time.sleep(0.05)


def lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/status")  # one that ended and was not waited for is no more
    return not (status.exists() and "State:\tZ" in status.read_text())
