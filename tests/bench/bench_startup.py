"""How long a person waits: from the start of a server to its answer to ``initialize``, and for ``--help``.

Beside this server an empty pygls server on the same Python, the least that can be had, and others where they are
installed: ``jedi-language-server`` and ``ruff server``, from PATH or ``--beside FOLDER``. The servers take turns, so
that a busy moment meets all of them alike. Prints medians (and the least) in milliseconds, and the ratio to the empty
one; exit code 1 where a bound is not held.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EMPTY = "from pygls.lsp.server import LanguageServer; LanguageServer('empty', '1').start_io()"
RATIO = 1.3
HELP_MILLISECONDS = 150.0


def initialized(command: Sequence[str]) -> float:
    """Milliseconds until the reply to ``initialize`` is whole."""
    params = {"processId": None, "rootUri": ROOT.as_uri(), "capabilities": {}}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}).encode()
    begun = time.perf_counter()
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as server:
        assert server.stdin is not None and server.stdout is not None
        server.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        server.stdin.flush()
        length = 0
        while line := server.stdout.readline().strip():
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        answer = json.loads(server.stdout.read(length))
        took = time.perf_counter() - begun
        server.kill()
    assert answer["result"]["capabilities"], command
    return took * 1e3


def printed(command: Sequence[str]) -> float:
    """Milliseconds until a command has ended."""
    begun = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return (time.perf_counter() - begun) * 1e3


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=15)
    options.add_argument("--beside", action="append", default=[], metavar="FOLDER", help="where other servers lie")
    given = options.parse_args()
    own = str(Path(sys.executable).with_name("anamnesis-lsp"))
    servers = {"empty pygls server": [sys.executable, "-c", EMPTY], "anamnesis-lsp": [own, "serve"]}
    for name, *arguments in (("jedi-language-server",), ("ruff", "server")):
        found = next(filter(None, (shutil.which(name, path=folder) for folder in (*given.beside, None))), None)
        if found is not None:
            servers[" ".join([name, *arguments])] = [found, *arguments]
    for command in servers.values():
        initialized(command)  # byte code is written, files are in memory
    taken: dict[str, list[float]] = {name: [] for name in servers}
    for _ in range(given.rounds):
        for name, command in servers.items():
            taken[name].append(initialized(command))
    least = statistics.median(taken["empty pygls server"])
    print(f"start to reply of initialize, median (least) of {given.rounds}:")
    for name, times in taken.items():
        median = statistics.median(times)
        print(f"  {name:22} {median:6.0f} ms ({min(times):4.0f})   {median / least:5.2f} x empty")
    ratio = statistics.median(taken["anamnesis-lsp"]) / least
    held = ratio <= RATIO
    for option in ("--help", "--version"):
        times = [printed([own, option]) for _ in range(given.rounds)]
        print(f"  anamnesis-lsp {option:9} {statistics.median(times):6.0f} ms ({min(times):4.0f})")
        held &= statistics.median(times) <= HELP_MILLISECONDS
    print(f"bounds: {RATIO} x empty, {HELP_MILLISECONDS:.0f} ms: {'held' if held else 'NOT held'}")
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
