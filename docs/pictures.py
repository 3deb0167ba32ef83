"""Makes docs/story.svg: the first story of `anamnesis-lsp demo` as a terminal shows it.

Run by hand: `python docs/pictures.py`.
"""

from __future__ import annotations

import io
import os
import pty
import re
import struct
import subprocess
import sys
from fcntl import ioctl
from pathlib import Path
from termios import TIOCSWINSZ

from rich.console import Console
from rich.text import Text

DOCS = Path(__file__).resolve().parent
COLUMNS = 104


def on_a_terminal(command: list[str]) -> str:
    """What a command prints on a terminal of ``COLUMNS`` columns."""
    ours, its = pty.openpty()
    ioctl(its, TIOCSWINSZ, struct.pack("HHHH", 60, COLUMNS, 0, 0))
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": str(COLUMNS)}
    shown = bytearray()
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=its, stderr=subprocess.DEVNULL, env=environment):
        os.close(its)
        while True:
            try:
                chunk = os.read(ours, 65536)
            except OSError:  # the other end is closed
                break
            if not chunk:
                break
            shown += chunk
    os.close(ours)
    return shown.decode().replace("\r\n", "\n")


def main() -> None:
    """Run the demo on a terminal, keep its first story, and write it as SVG."""
    shown = on_a_terminal([sys.executable, "-m", "anamnesis_lsp", "demo"])
    code, story = shown.split("$ anamnesis-lsp recollect ")[:2]
    code = code[code.index("│") - len("   11 ") :].rpartition("\n\n")[0].rpartition("\n\n")[0]
    story = re.sub(r"/\S*anamnesis-demo-\w+/", "~/", story)
    story = re.split(r"\n[^\n]*NEAR IT", story)[0]
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True)
    console.print(Text.from_ansi(f"{code}\n\n$ anamnesis-lsp recollect {story.rstrip()}"))
    picture = console.export_svg(title="anamnesis-lsp")
    picture = re.sub(r"@font-face \{.*?\}", "", picture, flags=re.DOTALL)  # nothing is fetched to show it
    picture = picture.replace("Fira Code", "DejaVu Sans Mono, Menlo, Consolas")
    (DOCS / "story.svg").write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    main()
