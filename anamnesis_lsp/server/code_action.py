"""``textDocument/codeAction``: *Recollect*, on any range of a file. Offering it runs nothing.

An own kind: VS Code hides ``source.*`` from its menus unless it is asked for. Nothing for an automatic trigger, so
that no light bulb lights on every line. The command carries its arguments: some clients cannot resolve.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from anamnesis_lsp.server.buffers import Buffer, path_of, selected_lines, split_lines

if TYPE_CHECKING:
    from pathlib import Path

    from anamnesis_lsp.server.app import AnamnesisServer

KIND, SOURCE_KIND = "recollect", "source.recollect"
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
    path = path_of(params.text_document.uri)
    if kind is None or path is None or not _under(path, ls.roots):
        return None
    if ls.copies.document(params.text_document.uri) is not None:
        return None
    buffer = ls.protocol.buffers.get(params.text_document.uri)
    argument: dict[str, object] = {"uri": params.text_document.uri, "range": _plain(params.range)}
    if buffer is not None:
        argument["version"] = buffer.version
    title = COMMENT_TITLE if buffer is not None and _on_comment(buffer, str(path), params.range) else TITLE
    command = types.Command(title=title, command="anamnesis.recollect", arguments=[argument])
    if not ls.client.code_action_literals:
        return [command]
    return [types.CodeAction(title=title, kind=kind, command=command)]


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
