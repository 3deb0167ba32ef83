"""What ``docs/STORES.md`` says is not read is not told: thoughts of the model and what tools printed, of every runtime.

Each store holds a person's words, an answer, and, where its format has them, a thought and the output of a tool.
Neither may be among the words, edits, paths or names of a turn, nor in the title; the words beside them must be.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from anamnesis_lsp.records.conversations.registry import RUNTIMES
from tests.builders import continue_dev, copilot, cursor, gemini, goose, opencode, windsurf, zed
from tests.builders.amp import Thread
from tests.builders.claude import Transcript, session
from tests.builders.cline import Task, said
from tests.builders.cline import session as cline_session
from tests.builders.codex import Rollout
from tests.builders.copilot import EventLog, write
from tests.builders.databases import database
from tests.builders.exports import aider_launch, aider_prompt, aider_says, model_says, specstory_v2, tool_use
from tests.builders.reading import read_all
from tests.unit import test_crush as crush

THOUGHT = "thought-of-a-walrus"
PRINTED = "printed-by-a-heron"
LOOKING = {"command": "ls"}


def _claude(folder: Path) -> None:
    transcript = Transcript(session(1)).person("Go")
    transcript.assistant(
        {"type": "thinking", "thinking": THOUGHT, "signature": "s"}, {"type": "text", "text": "I look"}
    )
    transcript.bash("ls", PRINTED).write_to(folder)


def _codex(folder: Path) -> None:
    rollout = Rollout().prompt("Go").item("reasoning", summary=[{"type": "summary_text", "text": THOUGHT}])
    rollout.event("agent_reasoning", text=THOUGHT).reply("I look").shell("ls", PRINTED).write_to(folder)


def _gemini(folder: Path) -> None:
    thoughts = [{"subject": THOUGHT, "description": THOUGHT, "timestamp": "2026-03-01T09:01:00.000Z"}]
    call = gemini.call("run_shell_command", LOOKING, output=PRINTED, resultDisplay=PRINTED)
    told = gemini.message("2", "gemini", "I look", thoughts=thoughts, toolCalls=[call])
    gemini.session_log(gemini.project(folder), gemini.message("1", "user", "Go"), told)


def _qwen(folder: Path) -> None:
    call = {"functionCall": {"id": "c", "name": "run_shell_command", "args": LOOKING}}
    printed = {"functionResponse": {"id": "c", "response": {"output": PRINTED}}}
    records = [
        gemini.qwen("user", "1", {"text": "Go"}),
        gemini.qwen("assistant", "2", {"text": THOUGHT, "thought": True}, {"text": "I look"}, call),
        gemini.qwen("tool_result", "3", printed, toolCallResult={"callId": "c", "resultDisplay": PRINTED}),
    ]
    gemini.log(folder / "projects" / "-home-dev-app" / "chats" / f"{gemini.SESSION}.jsonl", *records)


def _opencode(folder: Path) -> None:
    shell = opencode.tool("bash", LOOKING, output=PRINTED, metadata={"exit": 0, "output": PRINTED})
    parts = [{"type": "reasoning", "text": THOUGHT}, opencode.text("I look"), shell]
    rows = [opencode.session(), *opencode.message(1, "user", opencode.text("Go"))]
    rows += opencode.message(2, "assistant", *parts)
    database(folder / "opencode.db", opencode.FIRST, rows)


def _opencode_second(folder: Path) -> None:
    state = {"status": "completed", "input": LOOKING, "content": [{"type": "text", "text": PRINTED}]}
    content = [{"type": "reasoning", "text": THOUGHT}, {"type": "text", "text": "I look"}]
    content.append({"type": "tool", "name": "bash", "state": state})
    rows = [opencode.second_session(), opencode.entry(1, "user", text="Go")]
    database(
        folder / "opencode.db", opencode.SECOND, [*rows, opencode.entry(2, "assistant", content=content, agent="build")]
    )


def _aider(folder: Path) -> None:
    said = (aider_prompt("Go"), aider_says(f"Running ls\n{PRINTED}"), model_says("I look"))
    write(folder / ".aider.chat.history.md", aider_launch("2026-03-01 09:00:00", *said).encode())


def _copilot_chat(folder: Path) -> None:
    result = copilot.called("run_in_terminal", LOOKING, PRINTED)
    response = [{"kind": "thinking", "value": THOUGHT, "id": "t"}, {"value": "I look"}]
    whole = copilot.chat(copilot.request("Go", response=response, result=result))
    write(folder / "chatSessions" / "c1.json", whole)


def _copilot_cli(folder: Path) -> None:
    log = EventLog().start(cwd="/home/dev/app").person("Go").event("assistant.reasoning", {"content": THOUGHT})
    log.assistant("I look").tool("bash", LOOKING, output=PRINTED, detailedContent=PRINTED).write_to(folder)


def _cursor(folder: Path) -> Path:
    bubbles = [
        cursor.bubble(1, 1, "Go"),
        cursor.bubble(2, 2, "", thinking={"text": THOUGHT}),
        cursor.bubble(3, 2, "I look", allThinkingBlocks=[THOUGHT]),
        cursor.tool(4, "run_terminal_cmd", result={"output": PRINTED}, **LOOKING),
    ]
    return cursor.editor(folder, cursor.composer(cursor.uuid(1), *bubbles))


def _cline(folder: Path) -> None:
    task = Task().user("<task>Go</task>").native("execute_command", LOOKING, PRINTED)
    blocks = [
        {"type": "thinking", "thinking": THOUGHT},
        {"type": "text", "text": f"<thinking>{THOUGHT}</thinking>\n\nI look"},
    ]
    task.messages.append({"role": "assistant", "content": blocks})
    task.write_to(folder)


def _cline_shown(folder: Path) -> None:
    task = Task().say("text", "Go").say("reasoning", THOUGHT).say("text", "I look", reasoning=THOUGHT)
    task.ask("command", "ls").say("command_output", PRINTED).user("<task>Go</task>").write_to(folder)


def _cline_session(folder: Path) -> None:
    use = {"type": "tool_use", "id": "1", "name": "bash", "input": LOOKING}
    result = {"type": "tool_result", "tool_use_id": "1", "content": PRINTED}
    thought = {"type": "reasoning", "text": THOUGHT}
    messages = [said("user", "<user_input>Go</user_input>"), said("assistant", thought, "I look", use)]
    cline_session(folder, "s1", [*messages, said("user", result)], cwd="/home/dev/app")


def _roo(folder: Path) -> None:
    task = Task().say("text", "Go").say("reasoning", THOUGHT).say("text", "I look")
    task.ask("command", "ls").say("command_output", PRINTED).write_to(folder)


def _goose(folder: Path) -> None:
    thought = {"type": "thinking", "thinking": THOUGHT, "signature": "s"}
    calls = [goose.request("a", "developer__shell", **LOOKING)]
    rows = [
        goose.version(),
        goose.session(),
        goose.message(1, "user", "Go"),
        goose.message(2, "assistant", thought, "I look", *calls),
        goose.message(3, "user", goose.response("a", PRINTED)),
    ]
    database(folder / "sessions.db", goose.SCHEMA, rows)


def _amp(folder: Path) -> None:
    thread = Thread().person("Go").assistant("I look").tool("Bash", {"cmd": "ls"}, output=PRINTED, exitCode=0)
    thread.messages[1]["content"].insert(0, {"type": "thinking", "thinking": THOUGHT})
    write(folder / f"{thread.id}.json", thread.document())


def _specstory(folder: Path) -> None:
    shell = tool_use("shell", "Bash", f"\n`ls`\n\n```text\n{PRINTED}\n```\n")
    thought = f"<think><details><summary>Thought Process</summary>\n{THOUGHT}</details></think>"
    text = specstory_v2("_**User**_\n\nGo", f"_**Agent**_\n\n{thought}\n\nI look\n\n{shell}")
    write(folder / "2026-01-23_14-20-54Z-go.md", text.encode())


def _continue(folder: Path) -> None:
    thought: dict[str, Any] = {"message": {"role": "thinking", "content": THOUGHT}, "contextItems": []}
    answer = {**continue_dev.replied("I look"), "reasoning": {"active": False, "text": THOUGHT}}
    ran = continue_dev.used("Bash", LOOKING, output=PRINTED)
    items = [{"content": PRINTED, "name": "a.py", "description": "a.py"}]
    asked = {**continue_dev.asked("Go"), "contextItems": items}
    write(folder / "sessions" / "s1.json", continue_dev.session(asked, thought, answer, ran))


def _zed(folder: Path) -> None:
    thought = {"Thinking": {"text": THOUGHT, "signature": "s"}}
    told = zed.agent(thought, "I look", zed.use("a", "terminal", **LOOKING), a=zed.result(PRINTED, output=PRINTED))
    database(folder / "threads.db", zed.SCHEMA, [zed.thread("t1", zed.user("Go"), told)])


def _crush(folder: Path) -> None:
    thought = {"type": "reasoning", "data": {"thinking": THOUGHT}}
    rows = [
        crush.session(),
        crush.message(1, "user", "Go"),
        crush.message(2, "assistant", thought, "I look", crush.call("a", "bash", **LOOKING)),
        crush.message(3, "tool", crush.result("a", PRINTED, output=PRINTED)),
        ("files", ["f", "s1", "/home/dev/app/a.py", PRINTED, 1]),
    ]
    database(folder / ".crush" / "crush.db", crush.SCHEMA, rows)


def _windsurf(folder: Path) -> None:
    steps = [windsurf.person("Go"), windsurf.reply("I look"), windsurf.ran("ls", PRINTED)]
    write(folder / "t1.jsonl", b"".join(steps))


def _transcripts(folder: Path) -> None:
    log = f"> Go\n\n⏺ I look at it.\n\n⏺ Bash(ls)\n  ⎿  {PRINTED}\n     {PRINTED}\n\n> On\n\n⏺ Right.\n"
    write(folder / "log.md", log.encode())


STORES: dict[str, tuple[str, Callable[[Path], Path | None]]] = {
    "claude-code": ("claude-code", _claude),
    "codex": ("codex", _codex),
    "gemini": ("gemini", _gemini),
    "opencode": ("opencode", _opencode),
    "opencode 2.0": ("opencode", _opencode_second),
    "aider": ("aider", _aider),
    "copilot-chat": ("copilot-chat", _copilot_chat),
    "copilot-cli": ("copilot-cli", _copilot_cli),
    "cursor": ("cursor", _cursor),
    "cline": ("cline", _cline),
    "cline shown": ("cline", _cline_shown),
    "cline session": ("cline", _cline_session),
    "roo": ("roo", _roo),
    "goose": ("goose", _goose),
    "amp": ("amp", _amp),
    "specstory": ("specstory", _specstory),
    "continue": ("continue", _continue),
    "zed": ("zed", _zed),
    "crush": ("crush", _crush),
    "qwen": ("qwen", _qwen),
    "windsurf": ("windsurf", _windsurf),
    "transcripts": ("transcripts", _transcripts),
}


def test_every_runtime_is_here() -> None:
    assert {kind for kind, _ in STORES.values()} == set(RUNTIMES)


@pytest.mark.parametrize("name", STORES)
def test_thoughts_and_what_tools_printed_are_not_told(name: str, tmp_path: Path) -> None:
    kind, make = STORES[name]
    (read,) = read_all(kind, make(tmp_path) or tmp_path)
    words = [text for _, text in read.said]
    assert any(text.startswith("Go") for text in words) and any("I look" in text for text in words)
    told = [*words, read.head.title or "", *(turn.name or "" for turn in read.turns)]
    told += [mention for turn in read.turns for mention in turn.mentions]
    told += [part or "" for edit in read.edits for part in (edit.path, edit.written, edit.removed)]
    assert not [text for text in told if THOUGHT in text or PRINTED in text]
    assert read.scan.skipped_lines in (0, None) and not read.scan.unknown_types
