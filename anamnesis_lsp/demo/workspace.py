"""The example as a workspace: made, left there while the person looks at it in an editor, and removed again."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path

from anamnesis_lsp.demo.example import folder_of, make, variables
from anamnesis_lsp.demo.repository import QUESTIONS

SETTINGS = '{\n  "anamnesis.hover": "brief",\n  "workbench.startupEditor": "none"\n}\n'


def serve(keep: Path | None, wait: Callable[[], None]) -> int:
    """Make the example, say how it is opened, and remove it once ``wait`` returns; with ``keep`` it is left there."""
    with folder_of(keep) as folder:
        made = make(folder)
        (folder / "vscode" / "User").mkdir(parents=True)
        (folder / "vscode" / "User" / "settings.json").write_text(SETTINGS, encoding="utf-8")
        here = folder / "here.sh"
        given = "".join(f"export {name}={shlex.quote(value)}\n" for name, value in variables(folder).items())
        here.write_text(f"cd {shlex.quote(str(made.root))}\n{given}", encoding="utf-8")
        file = QUESTIONS[0].path
        first, last = made.lines(file, QUESTIONS[0].first, QUESTIONS[0].last)
        print(
            f"A workspace in {made.root}\n\n"
            "In another terminal, this goes there, and makes the server search the example's conversations instead of "
            f"yours:\n\n    . {shlex.quote(str(here))}\n\n"
            "Then, with an editor that is set up as the README says (VS Code gets a profile of its own here):\n\n"
            f"    code --user-data-dir ../vscode . --goto {file}:{first}\n"
            f"    nvim +{first} {file}\n\n"
            f"Select lines {first} to {last}, and run Recollect. In the terminal it is\n\n"
            f"    anamnesis-lsp recollect {file}:{first}-{last}\n"
        )
        if keep is not None:
            print(f"It is left in {folder}.")
            return 0
        print("Enter or Ctrl-C here removes it.", flush=True)
        try:
            wait()
        except KeyboardInterrupt:
            print()
    return 0
