"""Large stores and repositories, one after the other: is a Recollect answered, in what time, and in how much memory?

    python tests/bench/scale.py [--repositories 50] [--files 200000] [--megabytes 2000] [--sessions 100000]

Four scenes, each with a server of its own: so many repositories in one workspace, one repository of so many files, one
transcript of so many megabytes, so many sessions in one store. Each is read in by ``anamnesis/reindex``; then the lines
of the scene are asked about. Prints one JSON object a scene; a size of 0 leaves that scene out. Exit code 1 where there
is no answer. ``--folder`` says where to work.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.bench.load import facts  # noqa: E402
from tests.builders.claude import Transcript, session  # noqa: E402
from tests.builders.repos import retry_repo  # noqa: E402
from tests.server.rpc import Rpc, real_command  # noqa: E402
from tests.server.scene import Scene, a_scene  # noqa: E402

SPAN = {"start": {"line": 3, "character": 0}, "end": {"line": 6, "character": 0}}


def many_sessions(scene: Scene, count: int) -> None:
    folder = scene.config / "projects" / "many"
    folder.mkdir(parents=True)
    talk = Transcript(session(1), cwd=str(scene.repo.path)).person("Number NNNN: rename it.").assistant("Renamed it.")
    talk.write_to(scene.config, "sample")
    [sample] = (scene.config / "projects" / "sample").glob("*.jsonl")
    text, identity = sample.read_text(), sample.stem
    shutil.rmtree(sample.parent)
    for number in range(count):
        one = f"{number:08x}{identity[8:]}"
        (folder / f"{one}.jsonl").write_text(text.replace(identity, one).replace("NNNN", str(number)))


def one_transcript(scene: Scene, megabytes: int) -> None:
    folder = scene.config / "projects" / "large"
    talk = Transcript(session(1), cwd=str(scene.repo.path))
    words = [f"word{n}" for n in range(5000)]
    for turn in range(40):
        talk.person(" ".join(words[turn * 100 : turn * 100 + 200])).assistant(" ".join(words[-turn * 100 - 200 :]))
    talk.write_to(scene.config, "large")
    [file] = folder.glob("*.jsonl")
    part = file.read_bytes()
    with file.open("ab") as out:
        for number in range((megabytes << 20) // len(part)):  # a line with the id of another is a copy, and not read
            named = part.replace(b'"uuid":"', b'"uuid":"%x-' % number)
            out.write(named.replace(b'"parentUuid":"', b'"parentUuid":"%x-' % number))


def many_files(scene: Scene, count: int) -> None:
    blob = scene.repo.git("hash-object", "-w", "--stdin", input_=b"x = 1\n")
    lines = "".join(f"100644 {blob}\tpkg{n % 500}/sub{n % 7}/module_{n}.py\n" for n in range(count))
    scene.repo.git("update-index", "--add", "--index-info", input_=lines.encode())
    scene.repo.git("commit", "-q", "-m", "Many files")
    scene.repo.git("checkout", "-q", "--", ".")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--repositories", type=int, default=50)
    parser.add_argument("--files", type=int, default=200_000)
    parser.add_argument("--megabytes", type=int, default=2000)
    parser.add_argument("--sessions", type=int, default=100_000)
    parser.add_argument("--folder", type=Path, help="where to work (a temporary folder otherwise)")
    options = parser.parse_args()
    failed = False
    for name, size in vars(options).items():
        if name == "folder" or not size:
            continue
        work = Path(tempfile.mkdtemp(prefix=f"scale-{name}-", dir=options.folder))
        told = {"scene": name, "size": size, **measured(work, name, size)}
        shutil.rmtree(work, ignore_errors=True)
        print(json.dumps(told), flush=True)
        failed |= told["outcome"] not in ("presented", "asked")
    return int(failed)


def measured(work: Path, name: str, size: int) -> dict[str, Any]:
    """One scene: seconds of each answer, what it was, and the memory at its highest (MiB)."""
    scene = a_scene(work)
    folders: list[Path] = []
    if name == "sessions":
        many_sessions(scene, size)
    elif name == "megabytes":
        one_transcript(scene, size)
    elif name == "files":
        many_files(scene, size)
    else:
        folders = [retry_repo(work / f"repository{n}").path for n in range(size - 1)]
    env = {**scene.env, "ANAMNESIS_CACHE_DIR": str(work / "cache"), "ANAMNESIS_STATE_DIR": str(work / "state")}
    client = Rpc(real_command(), env)
    told: dict[str, Any] = {}

    def timed(label: str, method: str, params: Any) -> Any:
        began = time.monotonic()
        answer = client.request(method, params, 1800)
        told[label] = round(time.monotonic() - began, 2)
        assert answer.get("error", {}).get("code") != -32603, answer
        return answer

    root = {"uri": scene.repo.path.as_uri(), "name": "app"}
    timed("initialize", "initialize", {"processId": None, "capabilities": {}, "workspaceFolders": [root]})
    client.notify("initialized", {})
    if folders:
        added = [{"uri": folder.as_uri(), "name": folder.name} for folder in folders]
        client.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": added, "removed": []}})
    uri = client.open(scene.file)
    asking = {"uri": uri, "range": SPAN, "show": False}
    timed("first hover", "textDocument/hover", {"textDocument": {"uri": uri}, "position": {"line": 5, "character": 1}})
    first = timed("recollect before it is read in", "anamnesis/recollect", asking)
    told["before"] = first["result"]["outcome"] if "result" in first else first["error"]["data"]["code"]
    timed("reindex", "anamnesis/reindex", {})
    for folder in folders[:3]:
        other = {"uri": (folder / "src/fetch.py").as_uri(), "range": {**SPAN, "start": {"line": 1, "character": 0}}}
        timed("recollect in another repository", "anamnesis/recollect", {**other, "show": False})
    answer = timed("recollect", "anamnesis/recollect", asking)
    told["outcome"] = answer["result"]["outcome"] if "result" in answer else answer["error"]["data"]["code"]
    told["conversations"] = [r["kind"] for r in answer.get("result", {}).get("records", ())].count("conversation")
    status = Path(f"/proc/{client.process.pid}/status").read_text()
    told["rss_highest"] = int(status.split("VmHWM:")[1].split()[0]) >> 10
    told |= {"after": facts(client.process.pid)}
    told["index_mib"] = sum(f.stat().st_size for f in (work / "cache").rglob("*") if f.is_file()) >> 20
    told["exit"] = client.end()
    client.kill()
    told["faults"] = client.errors.decode().count("failed:")
    return told


if __name__ == "__main__":
    sys.exit(main())
