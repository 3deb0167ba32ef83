"""The dialogue in a terminal, and the commands for recalls that are kept."""

from __future__ import annotations

import contextlib
import json
import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from anamnesis_lsp import cli
from anamnesis_lsp.cancel import Cancelled, CancelToken
from anamnesis_lsp.cli import dialogue
from anamnesis_lsp.present.round import Round
from anamnesis_lsp.readings.reachable import Progress, silent
from tests.builders.repos import unchanged
from tests.builders.scenes import PastScene, past_scene
from tests.builders.terminals import at_a_terminal


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> PastScene:
    return past_scene(tmp_path_factory.mktemp("scene"))


@contextlib.contextmanager
def no_progress() -> Iterator[tuple[CancelToken, Progress]]:
    yield CancelToken(), silent


class Sitting:
    """A conversation with what was typed given, and what was shown and said kept."""

    def __init__(self, scene: PastScene, *lines: str | BaseException) -> None:
        self.rounds: list[Round] = []
        self.said: list[str] = []
        left = list(lines)

        def read(prompt: str) -> str:
            assert prompt == dialogue.PROMPT
            line = left.pop(0) if left else EOFError()
            if isinstance(line, BaseException):
                raise line
            return line

        recaller = scene.recaller()
        request = scene.request("src/fetch.py", 5, 6, fresh=True)
        self.last = dialogue.converse(
            recaller, lambda cancel, report: recaller.recollect(request, cancel, report), self.rounds.append,
            no_progress, read, self.said.append,
        )  # fmt: skip
        self.states = {one["recall"]: one["state"] for one in recaller.recalls()}
        recaller.close()

    @property
    def outcomes(self) -> list[str]:
        return [shown.outcome for shown in self.rounds]


def test_a_dialogue_goes_on_until_it_is_identified(scene: PastScene) -> None:
    sitting = Sitting(scene, "shorter please", "", "that's it", "never read")
    assert sitting.outcomes == ["presented", "presented", "identified"]
    assert sitting.said == []


def test_the_end_of_input_is_silence_and_the_recall_holds(scene: PastScene) -> None:
    sitting = Sitting(scene)
    assert sitting.outcomes == ["presented"]
    assert f"--recall {sitting.last.recall}" in sitting.said[-1]
    assert sitting.states == {sitting.last.recall: "open"}, "open in this process, held for the next"


def test_words_that_end_it_end_the_sitting(scene: PastScene) -> None:
    sitting = Sitting(scene, "never mind", "never read")
    assert sitting.outcomes == ["presented", "answered"]


def test_commands_copy_open_and_list(scene: PastScene) -> None:
    sitting = Sitting(scene, "/copy commit", "/open 1", "/open 9", "/recalls", "/what", "/copy nonsense")
    copied, opened, refused, listed, *helps = sitting.said[:-2]
    assert copied.startswith("Recalled:")
    assert "gateway" in opened
    assert "no record 9" in refused
    assert sitting.last.recall in listed
    assert helps == [dialogue.HELP] * 2
    assert sitting.outcomes == ["presented"]


def test_ctrl_c_at_the_prompt_says_how_to_leave(scene: PastScene) -> None:
    sitting = Sitting(scene, KeyboardInterrupt(), "that's it")
    assert "Ctrl-D" in sitting.said[0] and sitting.outcomes[-1] == "identified"


def test_a_turn_that_reaches_another_recall_shows_both_rounds(scene: PastScene) -> None:
    sitting = Sitting(
        scene, "different topic: what was that discussion about the disk being full every week?", "that's it"
    )
    assert sitting.outcomes == ["presented", "holding", "presented", "identified"]
    assert sitting.rounds[2].recall != sitting.rounds[0].recall == sitting.rounds[1].recall


def test_interrupting_a_search_sets_its_token() -> None:
    cancel = CancelToken()

    def work() -> str:
        cancel.cancel()
        cancel.check()
        return "done"

    with pytest.raises(Cancelled):
        dialogue.interruptible(work, cancel)
    assert dialogue.interruptible(lambda: "done", CancelToken()) == "done"


# ── the commands ────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def run(scene: PastScene, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    monkeypatch.chdir(scene.repo.path)
    store = f"claude-code:{scene.config}"

    def running(command: str, *arguments: str) -> tuple[int, str]:
        given = ("--store", store) if command in ("recollect", "say") else ()
        code = cli.main([command, *arguments, *given])
        shown = capsys.readouterr()
        return code, shown.out + shown.err

    return running


def test_a_piped_recollect_is_one_round_that_can_be_gone_on_with(run: Any) -> None:
    code, out = run("recollect", "src/fetch.py:5-6", "--json")
    first = json.loads(out)
    assert code == 0 and first["outcome"] == "presented"
    code, out = run("say", "shorter please", "--recall", first["recall"], "--json")
    assert code == 0 and json.loads(out)["reading"]["kind"] == "form"
    code, out = run("recollect", "--recall", first["recall"], "--json")
    assert json.loads(out)["recall"] == first["recall"]
    code, out = run("say", "that's", "it", "--json")
    assert code == 0 and json.loads(out)["outcome"] == "identified"


def test_asking_the_same_twice_gives_two_recalls(run: Any) -> None:
    first, second = (json.loads(run("recollect", "src/fetch.py:5-6", "--json")[1]) for _ in range(2))
    assert first["recall"] != second["recall"] and first["story"] == second["story"]
    assert first["notes"] == second["notes"]


def test_a_batch_keeps_nothing_and_each_question_stands_alone(run: Any, tmp_path: Path) -> None:
    line = json.dumps({"path": "src/fetch.py", "start_line": 5, "end_line": 6})
    (tmp_path / "batch.jsonl").write_text(f"{line}\n{line}\n")
    _, out = run("recollect", "--batch", str(tmp_path / "batch.jsonl"))
    first, second = (json.loads(one) for one in out.splitlines())
    assert first["recall"] != second["recall"] and first["story"] == second["story"]
    assert json.loads(run("recalls", "--json")[1]) == []


def test_kept_recalls_are_listed_exported_and_forgotten(run: Any) -> None:
    recall = json.loads(run("recollect", "src/fetch.py:5-6", "--json")[1])["recall"]
    other = json.loads(run("recollect", "--cue", "that time we dropped the lock file", "--json")[1])["recall"]
    assert [one["state"] for one in json.loads(run("recalls", "--json")[1])] == ["held", "held"]
    assert recall in run("recalls")[1]
    exported = json.loads(run("export", recall)[1])
    assert exported["rounds"][0]["outcome"] == "presented" and exported["context"]
    assert run("export", recall, "--as", "comment")[1].startswith("# Recalled:")
    assert run("forget", recall) == (0, "Forgotten: 1 recall.\n")
    code, out = run("export", recall)
    assert code == 2 and "no recall" in out
    assert run("forget", "--older", "1")[1] == "Forgotten: 0 recalls.\n"
    assert run("forget", "--all")[1] == "Forgotten: 1 recall.\n"
    assert run("forget")[0] == 2, "forgetting nothing in particular is refused"
    assert other not in run("recalls")[1]


def test_read_turns_reads_by_the_code_of_the_dialogue(run: Any, tmp_path: Path) -> None:
    state = {
        "cue": "why rows",
        "presented": "Drop the lock file",
        "adjacent": [],
        "last_round": "presentation",
        "held": [],
    }
    lines = [json.dumps({"state": state, "utterance": words}) for words in ("that's it", "not that one")]
    (tmp_path / "turns.jsonl").write_text("\n".join(lines))
    code, out = run("read-turns", str(tmp_path / "turns.jsonl"))
    assert code == 0 and [json.loads(line)["reading"] for line in out.splitlines()] == ["identified", "correction"]


# ── a real terminal ─────────────────────────────────────────────────────────────────────────────────────────────────


def in_a_terminal(scene: PastScene, lines: list[str], *arguments: str) -> tuple[int, str]:
    """Run the command in a pseudo-terminal, type each line at a prompt, then Ctrl-D; exit code and what was shown."""
    command = [sys.executable, "-m", "anamnesis_lsp", "recollect", "--store", f"claude-code:{scene.config}", *arguments]
    return at_a_terminal(command, scene.repo.path, {dialogue.PROMPT: lines})


def test_on_a_terminal_recollect_is_the_dialogue_itself(scene: PastScene) -> None:
    with unchanged(scene.repo.path, scene.config):
        code, shown = in_a_terminal(scene, ["shorter please", "that's it"], "src/fetch.py:5-6")
    assert code == 0, shown
    assert "RECALLED" in shown.upper() and "HOW IT CAME TO THIS" in shown.upper()
    history = Path(os.environ["ANAMNESIS_STATE_DIR"]) / dialogue.HISTORY_FILE
    assert "shorter please" in history.read_text()
    assert stat.S_IMODE(history.stat().st_mode) == 0o600


def test_on_a_terminal_a_bare_recollect_asks_and_ctrl_d_holds(scene: PastScene) -> None:
    code, shown = in_a_terminal(scene, [])
    assert "What else do you remember" in shown and "This recall holds" in shown
    assert code == 1


def test_no_dialogue_is_one_round_on_a_terminal_too(scene: PastScene) -> None:
    code, shown = in_a_terminal(scene, [], "src/fetch.py:5-6", "--no-dialogue")
    assert code == 0 and dialogue.PROMPT not in shown and "Retry with a backoff" in shown
