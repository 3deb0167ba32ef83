"""Where VS Code and its kin keep a user's data, and what their URIs name."""

from __future__ import annotations

from pathlib import Path

import pytest

from anamnesis_lsp.records.conversations.vscode import path_of_uri, user_folders, workspace_folder
from tests.builders.copilot import write


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///home/dev/a%20b.py", "/home/dev/a b.py"),
        ("file:///c%3A/app/a.py", "c:/app/a.py"),
        ("vscode-remote://ssh-remote%2Bbox/srv/app", "/srv/app"),
        ("/plain/path", "/plain/path"),
        ("relative/path", "relative/path"),
        ({"$mid": 1, "path": "/c:/app", "scheme": "file"}, "c:/app"),
        ({"external": "file:///x"}, "/x"),
        ({"path": "Untitled-1", "scheme": "untitled"}, None),
        ("file://[torn", None),
        (7, None),
    ],
)
def test_the_path_of_a_uri(uri: object, path: str | None) -> None:
    assert path_of_uri(uri) == path


def test_every_system_and_a_portable_installation(tmp_path: Path) -> None:
    environ = {"VSCODE_PORTABLE": "/p", "XDG_CONFIG_HOME": "/x", "APPDATA": "/r"}
    assert [path.as_posix() for path in user_folders(environ, Path("/h"), ("Code",))] == [
        "/p/user-data/User",
        "/x/Code/User",
        "/h/Library/Application Support/Code/User",
        "/r/Code/User",
        "/h/.vscode-server/data/User",
    ]


def test_a_storage_names_its_folder_where_it_has_one(tmp_path: Path) -> None:
    write(tmp_path / "workspace.json", {"folder": "file:///home/dev/app"})
    assert workspace_folder(tmp_path) == "/home/dev/app"
    write(tmp_path / "workspace.json", {"workspace": "file:///home/dev/all.code-workspace"})
    assert workspace_folder(tmp_path) is None and workspace_folder(tmp_path / "gone") is None
