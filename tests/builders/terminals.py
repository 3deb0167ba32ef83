"""A command at a pseudo-terminal, and somebody who types."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]


def at_a_terminal(
    command: Sequence[str], cwd: Path, answers: Mapping[str, Sequence[str]], seconds: float = 60
) -> tuple[int, str]:
    """Run ``command``; at each prompt (a text of the screen) the next of its answers is typed, after the last Ctrl-D.

    Where ``answers`` is empty, Ctrl-D is typed at once. Returns the exit code and what was shown.
    """
    master, slave = pty.openpty()
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "dumb", "COLUMNS": "100"}
    process = subprocess.Popen(
        command, cwd=cwd, env=environment, stdin=slave, stdout=slave, stderr=slave, close_fds=True
    )
    os.close(slave)
    shown = ""
    typed = dict.fromkeys(answers, 0)
    if not answers:
        os.write(master, b"\x04")
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        ready, _, _ = select.select([master], [], [], 0.2)
        if ready:
            try:
                chunk = os.read(master, 65536)
            except OSError:
                break
            if not chunk:
                break
            shown += chunk.decode(errors="replace")
        for prompt, lines in answers.items():
            if shown.count(prompt) > typed[prompt]:
                line = lines[typed[prompt]] if typed[prompt] < len(lines) else None
                os.write(master, b"\x04" if line is None else f"{line}\n".encode())
                typed[prompt] += 1
        if process.poll() is not None and not ready:
            break
    os.close(master)
    return process.wait(10), shown
