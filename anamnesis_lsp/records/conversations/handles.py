"""Handles that are a command run in the conversation's directory (``contract/NOTES.md``, *Reopening*)."""

from __future__ import annotations

import shlex
from collections.abc import Iterable

from anamnesis_lsp.records.conversations.model import Handle, exists_on_disk


def safe(handle: Handle) -> Handle:
    """The handle, without a command whose last word, the conversation's id, would be read as an option.

    Quoting does not help there: a record named ``--dangerously-…`` would choose how the assistant is started.
    """
    if handle.command is None:
        return handle
    last = shlex.split(handle.command)[-1]
    if not last.startswith("-") or last.startswith("--resume="):
        return handle
    return Handle(None, "The record names itself like an option of a command, so no command is offered to reopen it.")


def resumed(
    command: str, directory: str | None, exists: Iterable[str] | None, notes: Iterable[str] = (), *, bound: bool = False
) -> Handle:
    """``command`` in ``directory`` where that still exists; alone where it is gone, saying so.

    Where none was recorded there is no command. ``bound``: the runtime finds the conversation from its own directory
    only, so that with the directory gone there is no command either.
    """
    told = list(notes)
    if not directory:
        told.append("The record names no directory, so there is no command that surely reopens it.")
        return Handle(None, " ".join(told))
    if exists_on_disk(directory) if exists is None else directory in set(exists):
        return Handle(f"cd {shlex.quote(directory)} && {command}", " ".join(told) or None)
    if bound:
        told.append(f"{directory} is not there any more, and `{command}` works only there.")
        return Handle(None, " ".join(told))
    told.append(f"{directory} is not there any more: the project's context comes from where the command is run.")
    return Handle(command, " ".join(told))
