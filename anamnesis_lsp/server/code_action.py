"""``textDocument/codeAction``: *Recollect*, on any range of a file; in a file at a revision, the step before the
change of these lines and the one forward again. Offering them runs nothing.

An own kind: VS Code hides ``source.*`` from its menus unless it is asked for. Nothing for an automatic trigger, so
that no light bulb lights on every line. The command carries its arguments: some clients cannot resolve.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from anamnesis_lsp.places import SCHEME
from anamnesis_lsp.server.buffers import Buffer, path_of, selected_lines, split_lines

if TYPE_CHECKING:
    from pathlib import Path

    from anamnesis_lsp.server.app import AnamnesisServer

KIND, SOURCE_KIND = "recollect", "source.recollect"
BEFORE_TITLE, AFTER_TITLE = "These lines before their last change", "Forward again"
TITLE, COMMENT_TITLE = "Recollect: why is this here?", "Recollect this comment"
LINES_LOOKED_AT = 200


def register(server: AnamnesisServer) -> None:
    """Register the feature."""
    options = types.CodeActionOptions(code_action_kinds=[KIND, SOURCE_KIND], resolve_provider=False)
    server.feature(types.TEXT_DOCUMENT_CODE_ACTION, options)(code_action)


async def code_action(
    ls: AnamnesisServer, params: types.CodeActionParams
) -> list[types.CodeAction | types.Command] | None:
    """The action for the range, or None."""
    if params.context.trigger_kind is types.CodeActionTriggerKind.Automatic:
        return None
    kind = _kind(params.context.only)
    locator = ls.library.locator_of(params.text_document.uri)
    if kind is not None and locator is not None:
        return _steps(ls, params, kind) if locator.startswith(f"{SCHEME}:///file/") else None
    cell = ls.protocol.notebooks.cell(params.text_document.uri)
    path = path_of(params.text_document.uri) if cell is None else cell.path
    if kind is None or path is None or not _under(path, ls.roots):
        return None
    buffer = ls.protocol.buffers.get(params.text_document.uri)
    argument: dict[str, object] = {"uri": params.text_document.uri, "range": _plain(params.range)}
    if buffer is not None:
        argument["version"] = buffer.version
    title = COMMENT_TITLE if buffer is not None and _on_comment(buffer, str(path), params.range) else TITLE
    command = types.Command(title=title, command="anamnesis.recollect", arguments=[argument])
    return [_offered(ls, command, kind)]


def _offered(ls: AnamnesisServer, command: types.Command, kind: str) -> types.CodeAction | types.Command:
    if not ls.client.code_action_literals:
        return command
    return types.CodeAction(title=command.title, kind=kind, command=command)


def _steps(ls: AnamnesisServer, params: types.CodeActionParams, kind: str) -> list[types.CodeAction | types.Command]:
    uri = params.text_document.uri
    back: dict[str, object] = {"uri": uri, "range": _plain(params.range)}
    commands = [
        types.Command(title=BEFORE_TITLE, command="anamnesis.before", arguments=[back]),
        types.Command(title=AFTER_TITLE, command="anamnesis.after", arguments=[{"uri": uri}]),
    ]
    return [_offered(ls, command, kind) for command in commands]


def _kind(only: object) -> str | None:
    """The kind to answer with, where the client asks for some only."""
    if not only or not isinstance(only, (list, tuple)):
        return KIND
    asked = [str(getattr(kind, "value", kind)) for kind in only]  # pyright: ignore
    for kind in (KIND, SOURCE_KIND):
        if any(name == "" or kind == name or kind.startswith(f"{name}.") for name in asked):
            return kind
    return None


def _under(path: Path, roots: list[Path]) -> bool:
    return not roots or any(path == root or root in path.parents for root in roots)


def _plain(selection: types.Range) -> dict[str, object]:
    return {
        "start": {"line": selection.start.line, "character": selection.start.character},
        "end": {"line": selection.end.line, "character": selection.end.character},
    }


def _on_comment(buffer: Buffer, path: str, selection: types.Range) -> bool:
    """Whether every selected line that is not blank is a comment."""
    from anamnesis_lsp.readings.cue import comment_lines, comment_marker

    first, last = selected_lines(selection)
    if not first <= last <= first + LINES_LOOKED_AT:
        return False
    lines = [line.rstrip("\r\n") for line in split_lines(buffer.text)[first - 1 : last]]
    written = [line for line in lines if line.strip()]
    return bool(written) and len(comment_lines(written, comment_marker(path))) == len(written)
