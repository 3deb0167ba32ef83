"""The example on disk: its repository and its conversations in one folder, and the variables that point at them."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from anamnesis_lsp.demo.conversations import write_conversations
from anamnesis_lsp.demo.repository import Made, make_repository
from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.records.conversations.stores import Store


def make(folder: Path) -> Made:
    """The repository and the conversations, in ``folder``. Raises ``badRequest`` where it has one already."""
    if (folder / "tidewatch").exists():
        raise AnamnesisError(
            ErrorCode.BAD_REQUEST, f"{folder} has an example already.", "Name another folder, or remove it there."
        )
    made = make_repository(folder / "tidewatch")
    write_conversations(made, folder / "claude")
    return made


def stores(made: Made) -> tuple[Store, ...]:
    """The stores of the example: its conversations and its decision records."""
    return (Store.at("claude-code", made.store), Store.at("decisions", made.root))


def variables(folder: Path) -> dict[str, str]:
    """What makes a server keep to the example: its conversations instead of the person's, a cache of its own."""
    return {"CLAUDE_CONFIG_DIR": str(folder / "claude"), **_own(folder)}


def _own(folder: Path) -> dict[str, str]:
    return {"ANAMNESIS_CACHE_DIR": str(folder / "cache"), "ANAMNESIS_STATE_DIR": str(folder / "state")}


@contextmanager
def folder_of(keep: Path | None) -> Generator[Path, None, None]:
    """``keep``, made if need be; else a temporary folder that is removed at the end."""
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
        yield keep.resolve()
        return
    with tempfile.TemporaryDirectory(prefix="anamnesis-demo-", ignore_cleanup_errors=True) as folder:
        yield Path(folder).resolve()


@contextmanager
def own_places(folder: Path) -> Generator[None, None, None]:
    """Cache and state of the example in this process, for as long as the block runs."""
    given = _own(folder)
    before = {name: os.environ.get(name) for name in given}
    os.environ.update(given)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
