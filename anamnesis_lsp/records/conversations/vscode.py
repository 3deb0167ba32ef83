"""What VS Code and its kin share: where they keep a user's data, what their URIs name, whose a workspace storage is.

``<User>`` of ``formats/FORMATS.md`` section 6a: per system and per variant (Code, Insiders, VSCodium, Cursor,
Windsurf), remote servers and portable installations included.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from urllib.parse import unquote, urlsplit

from anamnesis_lsp.records.conversations.json_document import small_object
from anamnesis_lsp.records.conversations.jsonl import object_of, text_of

CODE = ("Code", "Code - Insiders", "VSCodium")
ALL = (*CODE, "Cursor", "Windsurf")
_SERVERS = {
    "Code": ".vscode-server",
    "Code - Insiders": ".vscode-server-insiders",
    "VSCodium": ".vscodium-server",
    "Cursor": ".cursor-server",
    "Windsurf": ".windsurf-server",
}


def user_folders(environ: Mapping[str, str], home: Path, variants: Iterable[str] = CODE) -> list[Path]:
    """The ``User`` folders of these variants, existing or not, the usual one of this system first for each."""
    folders: list[Path] = []
    portable = environ.get("VSCODE_PORTABLE")
    if portable:
        folders.append(Path(portable) / "user-data" / "User")
    bases = [Path(environ["VSCODE_APPDATA"])] if environ.get("VSCODE_APPDATA") else []
    bases.append(Path(environ.get("XDG_CONFIG_HOME") or home / ".config"))
    bases.append(home / "Library" / "Application Support")
    if environ.get("APPDATA"):
        bases.append(Path(environ["APPDATA"]))
    for variant in variants:
        folders += [base / variant / "User" for base in bases]
        folders.append(home / _SERVERS[variant] / "data" / "User")
    return list(dict.fromkeys(folders))


def present_or_usual(candidates: Iterable[Path]) -> list[Path]:
    """The candidates that are there; where none is, the first, so that a store can be told as absent."""
    listed = list(candidates)
    found = [path for path in listed if path.exists()]
    return found or listed[:1]


def path_of_uri(uri: object) -> str | None:
    """The path a URI names, as text (``file:///c%3A/x`` is ``c:/x``); of a remote one, its path over there.

    Takes the text of a URI, a plain path, or the object VS Code writes (``fsPath``, ``path``, ``external``).
    """
    parts = object_of(uri)
    if parts:
        if parts.get("scheme") in ("untitled", "output", "http", "https", "command"):
            return None
        plain = text_of(parts.get("path")) or text_of(parts.get("fsPath"))
        return _drive(plain) if plain else path_of_uri(parts.get("external"))
    if not isinstance(uri, str) or not uri:
        return None
    if not re.match(r"[a-zA-Z][\w+.-]+://", uri):
        return uri
    try:
        return _drive(unquote(urlsplit(uri).path)) or None
    except ValueError:
        return None


def _drive(path: str) -> str:
    return path[1:] if re.match(r"/[A-Za-z]:(?:/|\Z)", path) else path


def workspace_folder(storage: Path) -> str | None:
    """The folder a workspace storage (``workspaceStorage/<hash>``) is of; None for none or several."""
    return path_of_uri(small_object(storage / "workspace.json").get("folder"))
