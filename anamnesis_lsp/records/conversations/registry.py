"""Which runtimes there are, and where their stores lie on this machine.

A runtime's module is imported when it is first asked for. Each such module has a tuple ``RUNTIMES`` of the classes it
offers; the table here says which name lives in which module.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.records.conversations.model import Runtime
from anamnesis_lsp.records.conversations.stores import Store

_MODULES = {
    "claude-code": "claude_code",
    "codex": "codex",
    "gemini": "gemini",
    "opencode": "opencode",
    "aider": "aider",
    "copilot-chat": "copilot_chat",
    "copilot-cli": "copilot_cli",
    "cursor": "cursor",
    "cline": "cline",
    "roo": "cline",
    "goose": "goose",
    "amp": "amp",
    "specstory": "specstory",
    "continue": "continue_dev",
    "zed": "zed",
    "crush": "crush",
    "qwen": "qwen",
    "windsurf": "windsurf",
    "transcripts": "transcripts",
}
"""Name on the wire → module of this package. Order is the order in which stores are listed."""


class _Runtimes(Mapping[str, Runtime]):
    """The runtimes by name, each made once and only when asked for."""

    def __init__(self) -> None:
        self._made: dict[str, Runtime] = {}
        here = __name__.rpartition(".")[0]
        self._homes = {
            name: f"{here}.{module}"
            for name, module in _MODULES.items()
            if importlib.util.find_spec(f"{here}.{module}")
        }

    def __getitem__(self, name: str) -> Runtime:
        if name not in self._made:
            module = importlib.import_module(self._homes[name])
            kinds: tuple[type[Runtime], ...] = module.RUNTIMES
            self._made[name] = next(kind for kind in kinds if kind.name == name)()
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._homes)

    def __len__(self) -> int:
        return len(self._homes)


RUNTIMES: Mapping[str, Runtime] = _Runtimes()
"""Every runtime by its name on the wire."""


def runtime(name: str) -> Runtime:
    """The runtime of that name. Raises ``storeUnknown`` with the names there are."""
    if name not in RUNTIMES:
        raise AnamnesisError(
            ErrorCode.STORE_UNKNOWN,
            f"'{name[:60]}' is no kind of conversation store.",
            f"Use one of: {', '.join(RUNTIMES)}.",
        )
    return RUNTIMES[name]


def possible_stores(workspace: Path | None, environ: Mapping[str, str], home: Path) -> list[Store]:
    """Where each runtime would keep its conversations here, existing or not; each root once per runtime."""
    stores: dict[Store, None] = {}
    for name, reader in RUNTIMES.items():
        for root in reader.default_roots(environ, home, workspace):
            if workspace is None or _stays(workspace, root):
                stores[Store.at(name, root)] = None
    return list(stores)


def _stays(workspace: Path, root: Path) -> bool:
    """Whether a store that lies in the workspace by its name lies there: a repository may hold links to anywhere."""
    if workspace not in root.parents and root != workspace:
        return True
    inside, real = Path(os.path.realpath(workspace)), Path(os.path.realpath(root))
    return real == inside or inside in real.parents


def discover_stores(workspace: Path | None, environ: Mapping[str, str], home: Path) -> list[Store]:
    """The stores that exist on this machine for someone working in ``workspace``. Nothing is read."""
    return [store for store in possible_stores(workspace, environ, home) if store.root.exists()]
