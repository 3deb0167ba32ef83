"""No network, ever: a session in a namespace without a route, a session whose every socket is told, and remotes that
listen in vain.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.builders.hostile import FILE, Trap, lose_a_blob
from tests.builders.repos import unchanged
from tests.security.session import Session, terminal_operations
from tests.server.rpc import ROOT, Rpc, real_command
from tests.server.scene import Scene, a_scene

AUDIT = """
import os, sys
LOG = {log!r}
def told(event, arguments):
    if event.startswith("socket.") and event not in ("socket.__new__", "socket.gethostname"):
        address = arguments[1] if len(arguments) > 1 else ""
        with open(LOG, "a") as file:
            file.write(f"{{event}} {{address}}\\n")
    elif event in ("urllib.Request", "http.client.connect", "ftplib.connect", "smtplib.connect", "webbrowser.open"):
        with open(LOG, "a") as file:
            file.write(event + "\\n")
sys.addaudithook(told)
"""


def whole_session(client: Rpc, file: Path, first: int, last: int) -> Session:
    client.initialize(file.parents[1], {"textDocument": {"hover": {"contentFormat": ["markdown"]}}})
    session = Session(client, file, first, last)
    for operation in session.operations().values():
        operation()
    client.notify("exit")
    assert client.process.wait(20) == 0
    client.kill()
    return session


def without_a_route() -> list[str] | str:
    """What starts a program in an empty network namespace; or why there is none."""
    unshare = shutil.which("unshare")
    if unshare is None:
        return "there is no unshare here"
    for options in (["-n"], ["-rn"]):
        tried = subprocess.run([unshare, *options, "true"], capture_output=True, check=False)
        if tried.returncode == 0:
            return [unshare, *options]
    return f"unshare -n is not permitted here: {tried.stderr.decode().strip()}"


def test_a_whole_session_needs_no_network(tmp_path: Path) -> None:
    start = without_a_route()
    if isinstance(start, str):
        pytest.skip(start)
    scene = a_scene(tmp_path)
    client = Rpc([*start, *real_command()], scene.env)
    session = whole_session(client, scene.file, 4, 7)
    assert any("conversation" in locator for locator in session.locators)
    run = "import socket; socket.create_connection(('192.0.2.1', 9), 1)"
    assert subprocess.run([*start, sys.executable, "-c", run], capture_output=True, check=False).returncode != 0


def audited(tmp_path: Path, scene: Scene) -> tuple[dict[str, str], Path]:
    log = tmp_path / "audit.log"
    log.touch()
    hook = tmp_path / "hook"
    hook.mkdir()
    (hook / "sitecustomize.py").write_text(AUDIT.format(log=str(log)))
    return {**scene.env, "PYTHONPATH": f"{hook}{os.pathsep}{ROOT}"}, log


def test_no_socket_is_opened_in_a_whole_session(tmp_path: Path) -> None:
    scene = a_scene(tmp_path)
    env, log = audited(tmp_path, scene)
    client = Rpc([*real_command()], {**env, "TO_BE_SURE": "1"})
    whole_session(client, scene.file, 4, 7)
    assert not log.read_text(), "a socket was used"
    # the hook is live
    code = "import socket\ntry: socket.create_connection(('127.0.0.1', 9), 0.2)\nexcept OSError: pass"
    subprocess.run([sys.executable, "-c", code], env={**os.environ, **env}, check=True)
    assert "socket.connect" in log.read_text()


class Listener:
    """A port on this machine that counts who knocks."""

    def __init__(self) -> None:
        self.server = socket.create_server(("127.0.0.1", 0))
        self.port = self.server.getsockname()[1]
        self.knocks = 0
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        while True:
            try:
                connection, _ = self.server.accept()
            except OSError:
                return
            self.knocks += 1
            connection.close()


@pytest.mark.parametrize("scheme", ["http", pytest.param("git", marks=pytest.mark.thorough)])
def test_a_clone_without_its_objects_asks_no_remote_for_them(
    tmp_path: Path, scheme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    listener = Listener()
    trap = Trap(tmp_path)
    lose_a_blob(trap)
    trap.config("remote.origin.url", f"{scheme}://127.0.0.1:{listener.port}/x")
    trap.environment = {"GIT_ALLOW_PROTOCOL": scheme}
    trap.plain("blame", "HEAD", "--", FILE)
    assert listener.knocks, "plain git asks nobody here, so this would prove nothing"
    listener.knocks = 0
    with unchanged(trap.repo.path):
        client = Rpc(real_command(), {"HOME": str(home)})
        whole_session(client, trap.repo.path / FILE, 2, 4)
        for operation in terminal_operations(trap.repo.path, FILE, "2-4", tmp_path).values():
            operation()
    listener.server.close()
    assert not listener.knocks


def test_an_object_that_is_not_there_is_said_and_not_fetched(tmp_path: Path) -> None:
    trap = Trap(tmp_path)
    lose_a_blob(trap)
    client = Rpc(real_command(), {"HOME": str(tmp_path)})
    client.initialize(trap.repo.path)
    head = trap.repo.git("rev-parse", "HEAD~1")
    from anamnesis_lsp.places import root_id

    answer = client.request("anamnesis/content", {"uri": f"anamnesis:///file/{root_id(trap.repo.path)}/{head}/{FILE}"})
    client.kill()
    assert answer["error"]["data"]["code"] in ("objectMissing", "recordGone"), json.dumps(answer)
