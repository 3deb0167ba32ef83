"""Faults injected under a running server: it answers, or refuses with a reason, and goes on afterwards."""

from __future__ import annotations

import contextlib
import os
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.server.rpc import ROOT, Rpc
from tests.server.scene import AFTER, Scene, a_scene
from tests.server.servers import Start, servers

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="mounts, signals and limits of Linux"),
    pytest.mark.thorough,
]

SPAN = {"start": {"line": 3, "character": 0}, "end": {"line": 7, "character": 0}}
TEXT = f"import time\n\n\n{AFTER}\n"
TOLD = ("presented", "asked", "unresolved")


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return a_scene(tmp_path)


@pytest.fixture
def start(scene: Scene) -> Iterator[Start]:
    """Servers over the scene, with cache and state in a folder where one is named."""
    with servers(scene.repo.path, scene.env, {}, {}) as plain:

        def start(places: Path | None = None, env: dict[str, str] | None = None, **more: Any) -> Rpc:
            own = {} if places is None else {f"ANAMNESIS_{n}_DIR": str(places / n.lower()) for n in ("CACHE", "STATE")}
            return plain(env={**own, **(env or {})}, **more)

        yield start


def asked(client: Rpc, scene: Scene, seconds: float = 60) -> str:
    """The outcome of a Recollect: what was told, or the code it was refused with; a fault of the server's is none."""
    answer = client.request("anamnesis/recollect", {"uri": scene.file.as_uri(), "range": SPAN, "show": False}, seconds)
    if "result" in answer:
        return answer["result"]["outcome"]
    assert answer["error"]["code"] == -32803, answer
    assert answer["error"]["data"]["remedy"]
    return answer["error"]["data"]["code"]


def everything_else(client: Rpc, scene: Scene) -> None:
    """The other requests: each is answered, and none by a fault."""
    at = {"textDocument": {"uri": client.open(scene.file, TEXT)}, "position": {"line": 4, "character": 1}}
    for method, params in (
        ("textDocument/hover", at), ("anamnesis/stores", {}), ("anamnesis/recalls", {}), ("anamnesis/reindex", {}),
        ("anamnesis/say", {"text": "earlier than that", "show": False}), ("anamnesis/copyContext", {}),
        ("anamnesis/end", {"show": False}),
    ):  # fmt: skip
        answer = client.request(method, params, 60)
        assert answer.get("error", {}).get("code") != -32603, (method, answer)


# ---- our own folders


@contextmanager
def small_disk(folder: Path, options: str) -> Generator[Path]:
    folder.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)], capture_output=True, check=False
    )
    if made.returncode:
        pytest.skip(f"no file system can be mounted here: {made.stderr.decode().strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=False)


def test_our_folders_are_read_only(start: Start, scene: Scene, tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "size=8m") as disk:
        for name in ("cache", "state"):
            (disk / name).mkdir(mode=0o700)
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        client = start(disk)
        assert asked(client, scene) in ("permissionDenied", "indexUnusable", "stateUnusable", *TOLD)
        everything_else(client, scene)


def test_our_folders_become_read_only_under_a_running_server(start: Start, scene: Scene, tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "size=32m") as disk:
        client = start(disk)
        assert asked(client, scene) == "presented"
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=False)
        asked(client, scene)
        everything_else(client, scene)
        subprocess.run(["mount", "-o", "remount,rw", str(disk)], check=False)
        assert asked(client, scene) == "presented"


@pytest.mark.parametrize("free", [0, 64, 400])
def test_the_disk_is_full(start: Start, scene: Scene, tmp_path: Path, free: int) -> None:
    with small_disk(tmp_path / "disk", "size=2m") as disk:
        filler = disk / "filler"
        with contextlib.suppress(OSError), filler.open("wb") as file:
            for _ in range(2048 - free):
                file.write(b"x" * 1024)
                file.flush()
        client = start(disk)
        asked(client, scene)
        everything_else(client, scene)
        filler.unlink()
        assert asked(client, scene) == "presented"


def test_there_is_no_home(start: Start, scene: Scene) -> None:
    for home in ("/nonexistent/home", ""):
        client = start(env={"HOME": home})
        assert asked(client, scene) in TOLD
        everything_else(client, scene)


@pytest.mark.parametrize("content", [b"", b"garbage" * 5000, b"SQLite format 3\0" + b"\0" * 5000])
def test_index_and_recalls_are_damaged(start: Start, scene: Scene, tmp_path: Path, content: bytes) -> None:
    places = tmp_path / "own"
    first = start(places)
    assert asked(first, scene) == "presented"
    first.kill()
    databases = [path for path in places.rglob("*") if path.is_file() and "sqlite" in path.name]
    assert databases
    for path in databases:
        path.write_bytes(content)
    client = start(places)
    assert asked(client, scene) == "presented"
    everything_else(client, scene)


def test_the_index_is_damaged_under_a_running_server(start: Start, scene: Scene, tmp_path: Path) -> None:
    places = tmp_path / "own"
    client = start(places)
    assert asked(client, scene) == "presented"
    for path in (places / "cache" / "index").iterdir():
        if path.suffix != ".lock":
            path.write_bytes(b"garbage" * 9000)
    asked(client, scene)
    everything_else(client, scene)
    shutil.rmtree(places / "cache")
    assert asked(client, scene) == "presented"


def test_another_program_holds_the_databases_locked(start: Start, scene: Scene, tmp_path: Path) -> None:
    places = tmp_path / "own"
    first = start(places)
    assert asked(first, scene) == "presented"
    first.kill()
    held: list[sqlite3.Connection] = []
    for path in places.rglob("*.sqlite3"):
        connection = sqlite3.connect(path, isolation_level=None)
        connection.execute("BEGIN EXCLUSIVE")
        held.append(connection)
    assert held
    client = start(places)
    asked(client, scene)
    assert client.request("anamnesis/recalls", {}, 30)
    for connection in held:
        connection.close()
    assert asked(client, scene) == "presented"


# ---- what is read


def test_repository_and_store_go_and_come_back(start: Start, scene: Scene) -> None:
    client = start()
    assert asked(client, scene) == "presented"
    for path in (scene.repo.path, scene.config):
        aside = path.with_name(f"{path.name}-aside")
        path.rename(aside)
        asked(client, scene)
        everything_else(client, scene)
        aside.rename(path)
        assert asked(client, scene) == "presented"


def test_the_store_is_removed_and_replaced_while_it_is_read(start: Start, scene: Scene, tmp_path: Path) -> None:
    folder = next((scene.config / "projects").iterdir())
    [transcript] = folder.glob("*.jsonl")
    original = transcript.read_bytes()
    stop = threading.Event()

    def stir() -> None:
        number = 0
        while not stop.is_set():
            number += 1
            with contextlib.suppress(OSError):
                if number % 3 == 0:
                    transcript.unlink()
                elif number % 3 == 1:
                    transcript.write_bytes(original[: len(original) // 2] + b"\0garbage")
                else:
                    transcript.write_bytes(original * 40)
            time.sleep(0.003)

    client = start()
    thread = threading.Thread(target=stir)
    thread.start()
    try:
        for _ in range(6):
            assert asked(client, scene) in (*TOLD, "recordGone", "storeUnreadable")
            assert client.request("anamnesis/reindex", {}, 60).get("error", {}).get("code") != -32603
    finally:
        stop.set()
        thread.join()
    transcript.write_bytes(original)
    assert client.request("anamnesis/reindex", {}, 60)
    assert asked(client, scene) == "presented"


def test_git_is_killed_whenever_it_runs(start: Start, scene: Scene) -> None:
    client = start()
    stop = threading.Event()
    killed = 0

    def kill() -> None:
        nonlocal killed
        children = Path(f"/proc/{client.process.pid}/task/{client.process.pid}/children")
        while not stop.is_set():
            for task in Path(f"/proc/{client.process.pid}/task").iterdir():
                with contextlib.suppress(OSError, ValueError):
                    for child in (task / "children").read_text().split():
                        os.kill(int(child), signal.SIGKILL)
                        killed += 1
            time.sleep(0.002)
        del children

    thread = threading.Thread(target=kill)
    thread.start()
    outcomes = []
    try:
        for version in range(8):
            scene.repo.commit(f"Change {version}", {"other.py": f"x = {version}\n"})
            outcomes.append(asked(client, scene))
            client.request("textDocument/hover", {"textDocument": {"uri": scene.file.as_uri()},
                                                  "position": {"line": 4, "character": 0}}, 30)  # fmt: skip
    finally:
        stop.set()
        thread.join()
    assert killed
    assert asked(client, scene) == "presented", outcomes


def test_the_repository_is_garbage(start: Start, scene: Scene) -> None:
    client = start()
    assert asked(client, scene) == "presented"
    git = scene.repo.path / ".git"
    for path in [git / "HEAD", *(git / "objects").rglob("*")]:
        if path.is_file():
            path.chmod(0o644)
            path.write_bytes(b"garbage")
    asked(client, scene)
    everything_else(client, scene)


# ---- the machine


def limited(kind: str, value: int) -> list[str]:
    code = f"import resource,os,sys; resource.setrlimit(resource.{kind}, ({value},{value}));"
    code += "os.execv(sys.argv[1], sys.argv[1:])"
    return [sys.executable, "-c", code]


@pytest.mark.parametrize(
    ("kind", "value"),
    [("RLIMIT_NOFILE", 40), ("RLIMIT_FSIZE", 20_000), ("RLIMIT_AS", 600 << 20), ("RLIMIT_NOFILE", 26)],
)
def test_a_limit_of_the_system(start: Start, scene: Scene, kind: str, value: int) -> None:
    assert hasattr(resource, kind)
    client = start(prefix=limited(kind, value))
    asked(client, scene)
    everything_else(client, scene)
    assert client.request("anamnesis/recalls").get("error", {}).get("code") != -32603


CLOCK = """
import time
real, began = time.time, time.time()
time.time = lambda: began - (real() - began) * 1000.0
"""


def test_the_clock_goes_backwards(start: Start, scene: Scene, tmp_path: Path) -> None:
    (tmp_path / "clock").mkdir()
    (tmp_path / "clock" / "sitecustomize.py").write_text(CLOCK)
    client = start(env={"PYTHONPATH": f"{tmp_path / 'clock'}{os.pathsep}{ROOT}"})
    for _ in range(3):
        assert asked(client, scene) == "presented"
    everything_else(client, scene)


def test_the_working_directory_is_gone(scene: Scene, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    run = f"rmdir {gone} && exec {sys.executable} -m anamnesis_lsp stores --json"
    env: dict[str, Any] = {**os.environ, **scene.env, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(["sh", "-c", run], cwd=gone, env=env, capture_output=True, check=False)
    assert b"Traceback" not in done.stderr, done.stderr.decode()
    assert done.returncode in (0, 1, 2, 3)


STIRRED = """
import sys, threading, time
from pathlib import Path
from anamnesis_lsp.cancel import never
from anamnesis_lsp.index.catalog import Catalog
from anamnesis_lsp.records.conversations.stores import Store

store = Store.at("claude-code", Path(sys.argv[1]))
catalog = Catalog.open(Path(sys.argv[2]) / "catalog.sqlite3")
catalog.refresh([store], never())
end = time.monotonic() + 3
def read():
    while time.monotonic() < end:
        catalog.records([store]), catalog.edits([store]), catalog.body_scores({"retry": 1.0}, [store])
threads = [threading.Thread(target=read) for _ in range(4)]
for thread in threads:
    thread.start()
while time.monotonic() < end:
    catalog.rebuild()
    catalog.refresh([store], never())
    catalog.close()
for thread in threads:
    thread.join()
assert len(catalog.records([store])) == 1
"""


def test_the_index_is_made_anew_while_others_read_it(scene: Scene, tmp_path: Path) -> None:
    """A connection that was closed under another thread's query ended the process with a signal."""
    env: dict[str, Any] = {**os.environ, **scene.env, "PYTHONPATH": str(ROOT)}
    run = [sys.executable, "-X", "faulthandler", "-c", STIRRED, str(scene.config), str(tmp_path)]
    done = subprocess.run(run, env=env, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
