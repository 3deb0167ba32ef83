"""Which editors are set up on this machine, and which of them were told of this server.

An editor is known by its folder of configuration, or by its program on PATH. It was told of the server where a file of
its configuration names it. Files are read up to :data:`MAX_BYTES`, and nothing of them is shown.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from anamnesis_lsp.doctor.check import Check

MAX_BYTES = 1 << 20
MAX_FILES = 400
NAME = b"anamnesis"


@dataclass(frozen=True, slots=True)
class Editor:
    """One editor: where its configuration lies (under the folders of :func:`_bases`), and the page that says how."""

    name: str
    programs: tuple[str, ...]
    folders: tuple[str, ...]
    """Its folders, as ``home/…``, ``config/…`` or ``data/…``: one of them there means that it is set up."""
    told: tuple[str, ...]
    """Patterns of the files in which it is told of a server, in the same form."""
    extensions: tuple[str, ...] = ()
    """Folders of its extensions, where ours would lie."""
    page: str = ""


_CODE = (
    ("VS Code", "code", ".vscode"),
    ("VS Code's server", "code-server", ".vscode-server"),
    ("VSCodium", "codium", ".vscode-oss"),
    ("Cursor", "cursor", ".cursor"),
    ("Windsurf", "windsurf", ".windsurf"),
)
"""VS Code and what is made of it: name, program, folder under the home folder."""

EDITORS = (
    *(
        Editor(name, (program,), (f"home/{folder}/extensions",), (), (f"home/{folder}/extensions",), "vscode")
        for name, program, folder in _CODE
    ),
    Editor(
        "Neovim", ("nvim",), ("config/nvim",),
        ("config/nvim/init.*", "config/nvim/lua/**/*.lua", "config/nvim/lsp/*.lua", "config/nvim/plugin/**/*.*",
         "data/nvim/site/pack/*/*/anamnesis*"), page="neovim",
    ),
    Editor("Vim", ("vim",), ("home/.vimrc", "home/.vim/vimrc"), ("home/.vimrc", "home/.vim/vimrc"), page="vim"),
    Editor(
        "Emacs", ("emacs",), ("home/.emacs", "home/.emacs.d", "config/emacs"),
        ("home/.emacs", "home/.emacs.d/*.el", "home/.emacs.d/lisp/*.el", "config/emacs/*.el"), page="emacs",
    ),
    Editor("Helix", ("hx", "helix"), ("config/helix",), ("config/helix/languages.toml",), page="helix"),
    Editor("Kate", ("kate",), ("config/kate", "config/katerc"), ("config/kate/lspclient/settings.json",), page="kate"),
    Editor("Zed", ("zed", "zeditor"), ("config/zed",), ("config/zed/*.json",), page="zed"),
    Editor(
        "Sublime Text", ("subl",), ("config/sublime-text",),
        ("config/sublime-text/Packages/User/LSP.sublime-settings",), page="sublime",
    ),
)  # fmt: skip


def editors(home: Path, environ: dict[str, str]) -> Iterator[Check]:
    """A line for each editor that is here; where none is, one that says so."""
    bases = _bases(home, environ)
    any_here = False
    for editor in EDITORS:
        program = next(filter(None, (shutil.which(name, path=environ.get("PATH")) for name in editor.programs)), None)
        if program is None and not any(path.exists() for path in _all(editor.folders, bases)):
            continue
        any_here = True
        told = _told(editor, bases)
        if told is not None:
            yield Check("editor", editor.name, "ok", f"set up in {told}")
        else:
            said = "is here and was not told of this server"
            yield Check("editor", editor.name, "note", said, f"See editors/{editor.page}/README.md in the sources.")
    if not any_here:
        yield Check(
            "editor", "editors", "note", "none was found", "See editors/README.md in the sources; or use a terminal."
        )


def _bases(home: Path, environ: dict[str, str]) -> dict[str, Path]:
    """The folders that configuration lies under, on this system."""
    support = home / "Library" / "Application Support" if sys.platform == "darwin" else None
    config = Path(environ.get("XDG_CONFIG_HOME") or home / ".config")
    return {
        "home": home,
        "config": config,
        "data": Path(environ.get("XDG_DATA_HOME") or home / ".local" / "share"),
        **({} if support is None else {"support": support}),
    }


def _all(names: tuple[str, ...], bases: dict[str, Path]) -> Iterator[Path]:
    for name in names:
        base, _, rest = name.partition("/")
        yield bases[base] / rest
        if base == "config" and "support" in bases:
            yield bases["support"] / rest


def _told(editor: Editor, bases: dict[str, Path]) -> Path | None:
    """The file or folder in which the editor is told of the server."""
    for folder in _all(editor.extensions, bases):
        for extension in _matching(folder, "*anamnesis*"):
            return extension
    for pattern in _all(editor.told, bases):
        base = next(base for base in (*bases.values(),) if pattern.is_relative_to(base))
        for path in _matching(base, pattern.relative_to(base).as_posix()):
            if path.is_dir() or _names_it(path):
                return path
    return None


def _matching(folder: Path, pattern: str) -> list[Path]:
    try:
        found = folder.glob(pattern)
        return [path for path, _ in zip(found, range(MAX_FILES), strict=False)]
    except OSError:
        return []


def _names_it(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return path.is_file() and NAME in file.read(MAX_BYTES)
    except OSError:
        return False
