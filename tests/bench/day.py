"""A day of work in one server: does anything pile up?

    python tests/bench/day.py [--hours 24] [--hovers 60]

Each simulated hour does what a person does in one: a file is opened, edited, hovered over and closed, lines are asked
about, answered, copied and ended, a commit is made, a conversation goes on, the index follows. Prints one JSON object
an hour with memory, children, threads and open files, then how far they grew from the eighth hour to the last. Exit
code 1 where children, threads or files grew by more than 3, or memory by more than 20 MiB.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.bench.load import facts  # noqa: E402
from tests.builders.claude import Transcript, session  # noqa: E402
from tests.server.rpc import Rpc, real_command  # noqa: E402
from tests.server.scene import a_scene  # noqa: E402

MOST = {"rss": 20, "children": 3, "threads": 3, "files": 3}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--hours", type=int, default=24)
    parser.add_argument("--hovers", type=int, default=60)
    options = parser.parse_args()
    work = Path(tempfile.mkdtemp(prefix="day-"))
    scene = a_scene(work)
    env = {**scene.env, "ANAMNESIS_CACHE_DIR": str(work / "cache"), "ANAMNESIS_STATE_DIR": str(work / "state")}
    client = Rpc(real_command(), env)
    client.initialize(scene.repo.path, {"textDocument": {"hover": {"contentFormat": ["markdown"]}}})
    text = scene.file.read_text()
    span = {"start": {"line": 3, "character": 0}, "end": {"line": 6, "character": 0}}
    hours = []
    for hour in range(options.hours):
        uri = client.open(scene.file, text)
        for number in range(options.hovers):
            if number % 5 == 0:
                edited = {"uri": uri, "version": number + 2}
                changes = [{"text": f"# {hour} {number}\n{text}"}]
                client.notify("textDocument/didChange", {"textDocument": edited, "contentChanges": changes})
            at = {"textDocument": {"uri": uri}, "position": {"line": 1 + number % 7, "character": 1}}
            client.request("textDocument/hover", at, 60)
        for asked in ({"uri": uri, "range": span}, {"cue": f"the retry of hour {hour}"}):
            answer = client.request("anamnesis/recollect", {**asked, "show": False}, 120)
            for record in answer.get("result", {}).get("records", ()):
                client.request("anamnesis/content", {"uri": record["locator"]}, 60)
            client.request("anamnesis/say", {"text": "no, earlier than that", "show": False}, 120)
            client.request("anamnesis/copyContext", {}, 60)
            client.request("anamnesis/end", {"show": False}, 60)
        scene.repo.commit(f"Hour {hour}", {"log.txt": f"{hour}\n" * (hour + 1)})
        talk = Transcript(session(500 + hour), cwd=str(scene.repo.path)).person(f"What of hour {hour}?")
        talk.assistant("It went well.").write_to(scene.config, "day")
        client.request("anamnesis/reindex", {}, 120)
        client.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
        client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
        client.kept.clear()
        time.sleep(1.0)
        hours.append(facts(client.process.pid))
        print(json.dumps({"hour": hour + 1, **hours[-1]}), flush=True)
    grown = {name: hours[-1][name] - hours[min(7, len(hours) - 1)][name] for name in MOST}
    faults = client.errors.decode().count("failed:")
    print(json.dumps({"grown": grown, "exit": client.end(), "faults": faults}))
    client.kill()
    return int(bool(faults) or any(grown[name] > most for name, most in MOST.items()))


if __name__ == "__main__":
    sys.exit(main())
