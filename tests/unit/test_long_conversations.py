"""A transcript of gigabytes is opened as a short one is, and not held."""

from __future__ import annotations

import json
import sys
import time
import tracemalloc
from pathlib import Path
from typing import ClassVar

import pytest

from anamnesis_lsp.cancel import never
from anamnesis_lsp.index import lines
from anamnesis_lsp.readings import asking, window
from anamnesis_lsp.readings.asking import Talk
from anamnesis_lsp.readings.fitting import Pointed
from anamnesis_lsp.readings.opening import PASSAGE_LIMIT, Reach, open_conversation
from anamnesis_lsp.records.conversations import seen
from anamnesis_lsp.records.conversations.model import MOST_NAMED, Edit, EditOutcome, Source, Turn
from anamnesis_lsp.records.conversations.registry import runtime
from anamnesis_lsp.records.conversations.seen import Seen
from anamnesis_lsp.records.evidence import Kind, OpenedRecord, RecordKey, Speaker
from tests.builders.claude import Transcript, session

BEFORE = "def fetch(url):\n    return get(url)"
AFTER = "def fetch(url):\n    return get(url, attempts=RETRY_LIMIT)"
FILE = "/home/ada/app/src/fetch.py"


def written(folder: Path, talk: Transcript) -> Source:
    talk.write_to(folder, "-home-ada-app")
    [source] = runtime("claude-code").sources(folder, never())
    return source


def chatter(talk: Transcript, turns: int, about: str = "the weather") -> None:
    for n in range(turns):
        talk.person(f"Question {n} about {about}, what do you think of it?")
        talk.assistant(f"Answer {n} about {about}: it depends on what was said before.")


def opened(source: Source, **reach: object) -> OpenedRecord:
    pointed = Pointed({"retry": 2.0, "gateway": 2.0, "attempts": 2.0})
    key = RecordKey(Kind.CONVERSATION, source.root, source.id, source.runtime)
    return open_conversation(source, key, Reach(pointed=pointed, **reach), never())  # type: ignore[arg-type]


def a_talk(around: int) -> Transcript:
    talk = Transcript(session(1), cwd="/home/ada/app")
    chatter(talk, around)
    talk.person("The gateway drops requests, retry them with a limit of attempts please.")
    talk.edit(FILE, BEFORE, AFTER, say="I will retry the gateway's requests, with RETRY_LIMIT attempts.")
    talk.assistant("The gateway is asked again now, up to RETRY_LIMIT attempts.")
    chatter(talk, around)
    talk.commit("Retry", "abcdef0")
    chatter(talk, 3, "the commit")
    return talk


LINES = tuple(AFTER.split("\n"))
ADDED = frozenset(lines.hashes(LINES[1]))


@pytest.mark.parametrize(
    "reach",
    [
        {"selected": LINES, "path": "src/fetch.py", "added": ADDED, "commit": "abcdef0" + "1" * 33},
        {"selected": LINES, "path": "src/fetch.py", "added": ADDED},
        {"selected": LINES, "path": "src/fetch.py", "until": "turn 50"},
        {"turns": (41, 42)},
        {},
    ],
    ids=["with its commit", "by its lines", "too late for it", "by turns", "by words"],
)
def test_a_long_conversation_is_opened_as_a_short_one_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reach: dict[str, object]
) -> None:
    source = written(tmp_path, a_talk(30))
    if "until" in reach:
        [late] = [turn for turn in runtime("claude-code").read(source, never()) if turn.n == 50]
        assert late.when is not None
        reach = {**reach, "until": late.when.timestamp()}
    short = opened(source, **reach)
    assert short.passages
    monkeypatch.setattr(window, "LONG", 0)
    assert opened(source, **reach) == short


def test_far_from_the_edit_nothing_is_heard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = written(tmp_path, a_talk(60))
    heard: list[int] = []
    hear = Talk.hear
    monkeypatch.setattr(Talk, "hear", lambda self, turn, limit: (heard.append(turn.n), hear(self, turn, limit)))
    monkeypatch.setattr(window, "LONG", 0)
    monkeypatch.setattr(window, "BEFORE", 20)
    monkeypatch.setattr(window, "AFTER", 5)
    record = opened(source, selected=LINES, path="src/fetch.py", added=ADDED)
    [edit] = [passage.span.turn for passage in record.passages if passage.role == "edit"]
    assert edit is not None
    assert heard == list(range(edit - 20, edit + 6))
    assert record.title.startswith("Question 0")


def test_a_window_holds_so_many_characters() -> None:
    lengths = window.Lengths(PASSAGE_LIMIT)
    for n in range(1, 5001):
        edits = (Edit("x.py", "x" * 200_000, None, EditOutcome.APPLIED, "Write"),) if 1900 < n <= 2000 else ()
        lengths.add(Turn(n, Speaker.PERSON, "a" * 50, edits=edits))
    assert lengths.around(2000) == range(2000 - 78, 2000 + 1 + window.AFTER)
    assert lengths.around(1500) == range(1, 1500 + 1 + window.AFTER)
    assert lengths.around(0) == range(5000 - window.BEFORE, 5001)
    assert lengths.around(9999) == lengths.around(0)
    huge = window.Lengths(PASSAGE_LIMIT)
    for n in range(1, 4):
        huge.add(Turn(n, Speaker.TOOL, "", edits=(Edit("x", "x" * window.HELD, None, EditOutcome.APPLIED, "Write"),)))
    assert huge.around(2) == range(2, 3)


def test_opening_holds_little_of_a_long_conversation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    talk = Transcript(session(1), cwd="/home/ada/app")
    for n in range(1500):
        talk.person(f"Number {n}: " + "what the person says " * 60).assistant("what is answered to it " * 60)
    talk.edit(FILE, BEFORE, AFTER, say="I will retry the gateway's requests.")
    source = written(tmp_path, talk)
    assert source.parts[0].size > 4_000_000
    monkeypatch.setattr(window, "LONG", 1_000_000)
    monkeypatch.setattr(window, "HELD", 100_000)
    opened(source, selected=LINES, path="src/fetch.py")  # what is made once is made
    tracemalloc.start()
    try:
        record = opened(source, selected=LINES, path="src/fetch.py")
        _, highest = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert any(passage.role == "edit" for passage in record.passages)
    assert highest < 1_500_000


class Counting(Pointed):
    """Which texts were weighed."""

    weighed: ClassVar[set[str]] = set()

    def fit(self, text: str) -> float:
        self.weighed.add(text)
        return super().fit(text)


@pytest.mark.parametrize("at", [7001, None], ids=["before an edit", "without an edit"])
def test_the_last_thousand_turns_of_a_speaker_are_weighed(at: int | None) -> None:
    """A log without end is not: what was said 1,100 turns of the assistant before is not opened, 900 before it is."""
    talk = Talk()
    for n in range(1, 7001, 2):
        talk.hear(Turn(n, Speaker.PERSON, f"Question {n} about the weather, what do you think?"), PASSAGE_LIMIT)
        about = "retry of the gateway because it drops attempts" if n in (4801, 5201) else "weather of the day"
        talk.hear(Turn(n + 1, Speaker.ASSISTANT, f"Answer {n + 1}: the {about} is so."), PASSAGE_LIMIT)
    pointed = Counting({"retry": 2.0, "gateway": 2.0, "attempts": 2.0})
    pointed.weighed.clear()
    told = {passage.span.turn for passage in asking.passages(talk, at, (), (), pointed)}
    assert 5202 in told and 4802 not in told
    assert len(pointed.weighed) <= 2 * asking.WEIGHED + 10


def test_ids_are_known_again_within_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seen, "MOST", 100)
    ids = Seen()
    for n in range(1000):
        assert ids.add(f"id-{n}")
        assert not ids.add(f"id-{max(n - 99, 0)}")
    assert "id-950" in ids and "id-5" not in ids
    assert sys.getsizeof(ids._recent) + sys.getsizeof(ids._before) < 40_000  # pyright: ignore[reportPrivateUsage]


def test_a_conversation_of_a_thousand_directories_takes_no_longer(tmp_path: Path) -> None:
    """Each is compared with those named before: so many are named, and no more."""
    record = json.loads(Transcript(session(1)).person("Hello").bytes.splitlines()[0])
    folder = tmp_path / "projects" / "x"
    folder.mkdir(parents=True)
    with (folder / f"{session(1)}.jsonl").open("w") as file:
        for n in range(40_000):
            links = {"cwd": f"/home/{n}/{'a' * 50}", "gitBranch": f"branch-{'b' * 50}-{n}", "uuid": f"{n:032x}"}
            file.write(json.dumps({**record, **links}) + "\n")
    [source] = runtime("claude-code").sources(tmp_path, never())
    reading = runtime("claude-code").read(source, never())
    began = time.process_time()
    assert sum(1 for _ in reading) == 40_000
    assert time.process_time() - began < 10
    assert len(reading.head.cwds) == len(reading.head.branches) == MOST_NAMED
