"""Real servers for a test: each is started as an editor starts it, and none may have met a fault of its own."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.server.rpc import Rpc, real_command

Start = Callable[..., Rpc]
"""``start(root=…, capabilities=…, options=…, env=…, prefix=…)``: an initialized server; each has its usual value."""
FAULT = re.compile(rb"Traceback|failed: \w+ at ")
"""A fault of the server's own, as its log tells one."""
MARKDOWN = {"textDocument": {"hover": {"contentFormat": ["markdown"]}}}
PLUGIN = {"virtualDocuments": True}


@contextmanager
def servers(
    folder: Path,
    given: Mapping[str, str],
    usual: Mapping[str, Any] = MARKDOWN,
    usual_options: Mapping[str, Any] = PLUGIN,
) -> Generator[Start]:
    """Starts servers over ``folder`` with the variables ``given``; at the end all are gone and their logs looked at."""
    running: list[Rpc] = []

    def start(
        root: Path | None = None,
        *,
        env: Mapping[str, str] | None = None,
        options: Mapping[str, Any] | None = None,
        capabilities: Mapping[str, Any] = usual,
        prefix: Sequence[str] = (),
    ) -> Rpc:
        server = Rpc([*prefix, *real_command()], {**given, **(env or {})})
        running.append(server)
        server.initialize(root or folder, dict(capabilities), {**usual_options, **(options or {})})
        return server

    try:
        yield start
    finally:
        for server in running:
            server.kill()
    for server in running:
        assert not FAULT.search(server.errors), server.errors.decode()
