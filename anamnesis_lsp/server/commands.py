"""Our requests and commands: ``anamnesis/NAME`` and ``anamnesis.NAME`` take the same object and answer the same."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.server import requests, show
from anamnesis_lsp.server.buffers import path_of, selected_lines
from anamnesis_lsp.server.library import is_virtual, whole_lines
from anamnesis_lsp.server.notebooks import in_file

if TYPE_CHECKING:
    from anamnesis_lsp.present.round import Round
    from anamnesis_lsp.recall.steps import Stepped
    from anamnesis_lsp.server.app import AnamnesisServer

ROUND_PRESENTED = "anamnesis/roundPresented"
SHOWN = ("open", "before", "after")
"""Commands that are run to see something: their ``show`` is true where it is not given."""

Token = types.ProgressToken
Run = Callable[["AnamnesisServer", object, "Token | None"], Awaitable[Any]]


async def recollect(ls: AnamnesisServer, raw: object, token: Token | None) -> dict[str, Any]:
    """Run a recall on a selection, or on the cue alone."""
    from anamnesis_lsp.recall.recaller import RecollectRequest

    params = requests.recollect_params(raw)
    path, lines, buffer = await _place(ls, params.uri, params.range)
    request = RecollectRequest(
        path=path,
        lines=lines,
        buffer=buffer,
        cue=params.cue,
        rev=None,
        recall=params.recall,
        version=params.version,
    )
    recaller = await ls.recaller()
    async with ls.reports.during("Recollect", token) as report:
        shown = await ls.work.run(lambda cancel: recaller.recollect(request, cancel, report))
    return _presented(ls, shown, show_it=params.show)


async def say(ls: AnamnesisServer, raw: object, token: Token | None) -> dict[str, Any]:
    """Take what the person says to a recall."""
    params = requests.say_params(raw)
    recaller = await ls.recaller()
    async with ls.reports.during("Recollect", token) as report:
        shown = await ls.work.run(lambda cancel: recaller.say(params.text, params.recall, cancel, report))
    return _presented(ls, shown, show_it=params.show)


async def identify(ls: AnamnesisServer, raw: object, token: Token | None) -> dict[str, Any]:
    """The person says: that is it."""
    params = requests.recall_params(raw)
    recaller = await ls.recaller()
    async with ls.reports.during("Recollect", token) as report:
        shown = await ls.work.run(lambda cancel: recaller.identify(params.recall, cancel, report))
    return _presented(ls, shown, show_it=params.show)


async def end(ls: AnamnesisServer, raw: object, token: Token | None) -> dict[str, Any]:
    """The person ends the recall."""
    params = requests.recall_params(raw)
    recaller = await ls.recaller()
    async with ls.reports.during("Recollect", token) as report:
        shown = await ls.work.run(lambda cancel: recaller.end(params.recall, cancel, report))
    return _presented(ls, shown, show_it=params.show)


async def open_record(ls: AnamnesisServer, raw: object, _token: Token | None) -> dict[str, Any]:
    """Where a locator leads for this client: a URI, and the lines it names there."""
    params = requests.open_params(raw)
    recaller = await ls.recaller()
    target = await ls.work.run(lambda cancel: recaller.open(params.locator, cancel), "peek")
    return await _led_to(ls, target.uri, target.lines, show_it=params.show)


async def before(ls: AnamnesisServer, raw: object, _token: Token | None) -> dict[str, Any]:
    """The lines before the change that last touched them."""
    params = requests.step_params(raw, forward=False)
    recaller = await ls.recaller()
    lines = None if params.range is None else selected_lines(params.range)
    locator = params.locator or ls.library.locator_of(params.uri or "", lines)
    if locator is not None:
        stepped = await ls.work.run(lambda cancel: recaller.steps.before(locator, cancel))
    else:
        path, lines, buffer = await _place(ls, params.uri, params.range)
        assert path is not None and lines is not None
        stepped = await ls.work.run(lambda cancel: recaller.steps.before_file(path, lines, buffer, cancel))
    return await _stepped(ls, stepped, show_it=params.show)


async def after(ls: AnamnesisServer, raw: object, _token: Token | None) -> dict[str, Any]:
    """Forward again, to the very lines a step came from."""
    params = requests.step_params(raw, forward=True)
    recaller = await ls.recaller()
    locator = params.locator or ls.library.locator_of(params.uri or "") or ""
    stepped = await ls.work.run(lambda cancel: recaller.steps.after(locator, cancel))
    return await _stepped(ls, stepped, show_it=params.show)


async def _stepped(ls: AnamnesisServer, stepped: Stepped, *, show_it: bool) -> dict[str, Any]:
    place = await _led_to(ls, stepped.target, stepped.lines, show_it=show_it and stepped.oldest is None)
    locator = stepped.target if is_virtual(stepped.target) else None
    facts = {"commit": stepped.commit, "subject": stepped.subject, "oldest": stepped.oldest}
    return {**place, "locator": locator, **facts}


async def _led_to(
    ls: AnamnesisServer, uri: str, lines_there: tuple[int, int] | None, *, show_it: bool
) -> dict[str, Any]:
    """A locator or a file, as this client opens it: ``uri`` and, where lines are meant, their ``range``."""
    lines = None if lines_there is None else (lines_there[0] - 1, lines_there[1] - 1)
    if is_virtual(uri):
        document = await ls.library.fetch(uri)
        lines = document.focus
        uri = await show.place(ls, document)
    if show_it and (ls.client.show_document or ls.client.opens_virtual_documents):
        ls.spawn(show.show_uri(ls, uri, lines))
    return {"uri": uri} if lines is None else {"uri": uri, "range": whole_lines(*lines)}


async def copy_context(ls: AnamnesisServer, raw: object, _token: Token | None) -> dict[str, Any]:
    """The recalled context as text to paste."""
    params = requests.copy_params(raw)
    recaller = await ls.recaller()

    def copy(_: object) -> str:
        # without a name, the latest that has a story: an identified recall is no longer running, and is what one copies
        listed = [entry for entry in recaller.recalls() if entry["leading"] is not None]
        recall = params.recall or (listed[0]["recall"] if listed else None)
        return recaller.copy_context(recall, params.form)

    return {"text": await ls.work.run(copy, "peek")}


async def recalls(ls: AnamnesisServer, raw: object, _token: Token | None) -> list[dict[str, Any]]:
    """The recalls that are open, held or closed."""
    requests.no_params(raw)
    recaller = await ls.recaller()
    return await ls.work.run(lambda _: recaller.recalls(), "peek")


async def stores(ls: AnamnesisServer, raw: object, _token: Token | None) -> list[dict[str, Any]]:
    """Every kind of store, and its state here."""
    requests.no_params(raw)
    recaller = await ls.recaller()
    return await ls.work.run(lambda cancel: recaller.stores(cancel), "peek")


async def reindex(ls: AnamnesisServer, raw: object, token: Token | None) -> None:
    """Index the stores again, all or one kind."""
    params = requests.reindex_params(raw)
    recaller = await ls.recaller()
    async with ls.reports.during("Indexing conversations", token) as report:
        await ls.work.run(lambda cancel: recaller.reindex(params.kind, cancel, report))


async def content(ls: AnamnesisServer, raw: object, _token: Token | None) -> dict[str, Any]:
    """The text of a virtual document."""
    params = requests.content_params(raw)
    if params.form == "plain":  # not kept: links and outline are those of the document with marks
        recaller = await ls.recaller()
        bare = await ls.work.run(lambda cancel: recaller.document(params.uri, cancel, plain=True), "peek")
        return {"text": bare.text}
    return {"text": (await ls.library.fetch(params.uri)).text}


COMMANDS: dict[str, Run] = {
    "recollect": recollect,
    "say": say,
    "identify": identify,
    "end": end,
    "open": open_record,
    "before": before,
    "after": after,
    "copyContext": copy_context,
    "recalls": recalls,
    "stores": stores,
    "reindex": reindex,
}
"""Commands by name; each is also a request."""
REQUESTS: dict[str, Run] = {**COMMANDS, "content": content}


def register(server: AnamnesisServer) -> None:
    """Register every request and command."""
    for name, run in REQUESTS.items():
        server.feature(f"anamnesis/{name}")(_request(run))
    for name, run in COMMANDS.items():
        handler = _command(server, name, run)
        server.command_handlers[f"anamnesis.{name}"] = handler
        server.command(f"anamnesis.{name}")(handler)  # advertised; run through command_handlers


def _request(run: Run) -> Callable[..., Awaitable[Any]]:
    async def handler(ls: AnamnesisServer, params: object) -> Any:
        token = requests.members(params).get("workDoneToken")
        return await run(ls, params, token if isinstance(token, (int, str)) and not isinstance(token, bool) else None)

    return handler


def _command(server: AnamnesisServer, name: str, run: Run) -> Callable[..., Awaitable[Any]]:
    async def handler(arguments: object, token: Token | None) -> Any:
        argument = requests.one_argument(arguments)
        if name in SHOWN and (given := requests.members(argument)):
            argument = {"show": True, **given}
        return await run(server, argument, token)

    return handler


async def _place(
    ls: AnamnesisServer, uri: str | None, selection: types.Range | None
) -> tuple[Path | None, tuple[int, int] | None, str | None]:
    """The path of a document, the selected lines, and its text where it is open; of a cell, its notebook's."""
    if uri is None:
        return None, None, None
    lines = None if selection is None else selected_lines(selection)
    cell = ls.protocol.notebooks.cell(uri)
    if cell is not None:
        there = None if lines is None else await ls.work.run(lambda _: in_file(cell, lines))
        return cell.path, there, None
    path = path_of(uri)
    if path is None:
        raise AnamnesisError(
            ErrorCode.BAD_REQUEST,
            "Recollect works on files; this document is none.",
            "Run it on a file of a repository, or give a cue alone.",
        )
    buffer = ls.protocol.buffers.get(uri)
    return path, lines, None if buffer is None else buffer.text


def _presented(ls: AnamnesisServer, shown: Round, *, show_it: bool) -> dict[str, Any]:
    """Tell the client of the round; where it took up another recall, of that one's too, and show that one."""
    wire = shown.as_wire()
    taken = shown.reached.round if shown.reached is not None else None
    if ls.client.virtual_documents:
        ls.protocol.notify(ROUND_PRESENTED, wire)
        if taken is not None:
            ls.protocol.notify(ROUND_PRESENTED, taken.as_wire())
    if show_it:
        ls.spawn(show.show_round(ls, shown if taken is None else taken))
    return wire
