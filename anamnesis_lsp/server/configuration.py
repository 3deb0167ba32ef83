"""Settings and folders: read at ``initialize``, pulled after ``initialized``, pulled again when they change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types

from anamnesis_lsp.server import code_lens, settings, sync
from anamnesis_lsp.server.buffers import path_of
from anamnesis_lsp.server.capabilities import resolve
from anamnesis_lsp.server.requests import members

if TYPE_CHECKING:
    from anamnesis_lsp.server.app import AnamnesisServer

SECTION = "anamnesis"


def register(server: AnamnesisServer) -> None:
    """Register the features."""
    server.feature(types.INITIALIZE)(initialize)
    server.feature(types.INITIALIZED)(initialized)
    server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)(did_change_configuration)
    server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)(did_change_workspace_folders)


async def initialize(ls: AnamnesisServer, params: types.InitializeParams) -> None:
    """Resolve the client and the person's settings, before the capabilities are told."""
    ls.client = resolve(params)
    read = settings.from_person(params.initialization_options)
    ls.person = ls.settings = read.settings
    ls.startup_problems = read.problems
    if read.settings.code_lens:
        code_lens.enable(ls)


async def initialized(ls: AnamnesisServer, _params: types.InitializedParams) -> None:
    """Pull the settings, then make the brain ready and warm what was opened meanwhile."""
    _say(ls, ls.startup_problems)
    if ls.client.register_configuration:
        registration = types.Registration(
            "anamnesis-configuration", types.WORKSPACE_DID_CHANGE_CONFIGURATION, {"section": SECTION}
        )
        ls.spawn(_register(ls, registration))
    await pull(ls)
    await ls.recaller()
    for buffer in ls.protocol.buffers.all():
        ls.spawn(sync.warm(ls, buffer.uri))


async def _register(ls: AnamnesisServer, registration: types.Registration) -> None:
    try:
        await ls.ask(types.CLIENT_REGISTER_CAPABILITY, types.RegistrationParams([registration]))
    except Exception:
        return  # the client then sends changes its own way, or not at all


async def did_change_configuration(ls: AnamnesisServer, params: types.DidChangeConfigurationParams) -> None:
    """A signal to pull again; a client that cannot be asked sends the settings themselves."""
    if ls.client.configuration:
        await pull(ls)
        return
    _apply(ls, members(params.settings).get(SECTION))


async def did_change_workspace_folders(ls: AnamnesisServer, params: types.DidChangeWorkspaceFoldersParams) -> None:
    """Records of an added folder can be opened from now on."""
    added = [path for folder in params.event.added if (path := path_of(folder.uri)) is not None]
    if added:
        recaller = await ls.recaller()
        for path in added:
            await ls.work.run(lambda _, root=path: recaller.add_root(root), "background")


async def pull(ls: AnamnesisServer) -> None:
    """Ask the client for the section ``anamnesis``; silence leaves the settings as they are."""
    if not ls.client.configuration:
        return
    try:
        params = types.ConfigurationParams([types.ConfigurationItem(section=SECTION)])
        answer: Any = await ls.ask(types.WORKSPACE_CONFIGURATION, params)
    except Exception:
        return
    _apply(ls, answer[0] if isinstance(answer, (list, tuple)) and answer else None)  # pyright: ignore


def _apply(ls: AnamnesisServer, section: object) -> None:
    read = settings.from_workspace(section, ls.person)
    ls.settings = read.settings
    _say(ls, read.problems)


def _say(ls: AnamnesisServer, problems: tuple[str, ...]) -> None:
    for problem in problems:
        ls.log_to_client(problem)
