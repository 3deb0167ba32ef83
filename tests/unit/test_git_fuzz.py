"""Hovers, edits, cancels, saves and commits in any order: right answers, at most two children, none left behind."""

from __future__ import annotations

import random
import threading
import time
from pathlib import Path

from anamnesis_lsp.cancel import Cancelled, CancelToken, never
from anamnesis_lsp.errors import AnamnesisError
from anamnesis_lsp.records.git import Repository, editor_lines, process, warming
from anamnesis_lsp.records.git.buffers import TextEdit, open_buffers
from tests.builders.repos import Repo, new_repo, numbered

STEPS = 500
FILES = ("a.txt", "b.txt", "sub/c.txt")


def grown(path: Path) -> Repo:
    repo = new_repo(path)
    draw = random.Random(11)
    texts = {name: numbered(60, word=name).splitlines(keepends=True) for name in FILES}
    for number in range(12):
        for name, lines in texts.items():
            lines[draw.randrange(len(lines))] = f"{name} changed in {number}\n"
        repo.commit(f"c{number}", {name: "".join(lines) for name, lines in texts.items()})
    return repo


class Editor:
    """Buffers as a client edits them."""

    def __init__(self, repo: Repo) -> None:
        self.repo, self.it = repo, Repository.discover(repo.path, never())
        self.texts = {name: (repo.path / name).read_text(encoding="utf-8") for name in FILES}
        self.faults: list[str] = []

    def edit(self, name: str, draw: random.Random) -> None:
        lines = self.texts[name].split("\n")
        start = draw.randrange(len(lines))
        end = min(len(lines) - 1, start + draw.choice((0, 0, 1, 2)))
        column = draw.randrange(len(lines[start]) + 1)
        last = max(draw.randrange(len(lines[end]) + 1), column if end == start else 0)
        words = draw.choice(("", "typed", "new line\n", "\n", "<<<<<<< HEAD\nx\n=======\ny\n>>>>>>> z\n"))
        edit = TextEdit(start, column, end, last, words)
        before = self.texts[name]
        offsets = [sum(len(line) + 1 for line in lines[:n]) for n in (start, end)]
        self.texts[name] = before[: offsets[0] + column] + words + before[offsets[1] + last :]
        open_buffers.edited(before, self.texts[name], [edit])

    def hover(self, name: str, text: str, draw: random.Random, token: CancelToken) -> None:
        lines = editor_lines(text)
        if not lines:
            return
        line = draw.randrange(len(lines)) + 1
        try:
            found = self.it.blame_buffer(name, text, [(line, line)], token, ask_copies=draw.random() < 0.5)
        except Cancelled:
            return
        except AnamnesisError as error:
            self.faults.append(f"{error.code}: {error.message}")
            return
        if [part.line for part in found.lines] != [line] and found.uncommitted != (line,):
            self.faults.append(f"line {line} of {name} has no answer")
        for part in found.lines:
            there = self.it.text(part.commit, part.path, never()).split("\n")[part.source_line - 1]
            if there.split() != lines[line - 1].split():
                self.faults.append(f"line {line} of {name} is not the line it is said to be")

    def warm(self, name: str, _text: str, _draw: random.Random, token: CancelToken) -> None:
        try:
            self.it.warm(name, token, 0.2)
        except Cancelled:
            pass
        except AnamnesisError as error:
            self.faults.append(f"{error.code}: {error.message}")


def test_five_hundred_hovers_edits_cancels_and_saves_leave_no_child_behind(tmp_path: Path) -> None:
    repo = grown(tmp_path / "r")
    editor, draw = Editor(repo), random.Random(7)
    threads: list[threading.Thread] = []
    tokens: list[CancelToken] = []
    busiest = 0
    for number in range(STEPS):
        name = draw.choice(FILES)
        what = draw.choice(("hover", "hover", "hover", "edit", "edit", "cancel", "save", "warm"))
        token = CancelToken()
        if what == "edit":
            editor.edit(name, draw)
        elif what == "cancel" and tokens:
            draw.choice(tokens).cancel()
        elif what == "save" and number % 5 == 0:
            repo.commit(f"save {number}", {name: editor.texts[name]})
        elif what in ("hover", "warm"):
            text, seed = editor.texts[name], random.Random(number)

            act = editor.hover if what == "hover" else editor.warm
            thread = threading.Thread(target=act, args=(name, text, seed, token))
            thread.start()
            threads.append(thread)
            tokens.append(token)
        busiest = max(busiest, running())
        while sum(thread.is_alive() for thread in threads) > 6:
            time.sleep(0.005)
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    warming.stop()
    assert warming.idle(30)
    editor.it.close()
    deadline = time.monotonic() + 5
    while process.living() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert process.living() == 0
    assert editor.faults == []
    assert busiest <= 2


def running() -> int:
    """Places taken now; idle object readers take none."""
    return 2 - process.slots.free
