"""What this client can do, resolved once from ``initialize`` into booleans."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lsprotocol import types
from pygls.capabilities import get_capability

from anamnesis_lsp.server.requests import members


@dataclass(frozen=True, slots=True)
class Client:
    """One client's abilities. Everything false is a client that knows the protocol's minimum."""

    name: str = ""
    text_document_content: bool = False
    """It declares ``workspace.textDocumentContent``."""
    virtual_documents: bool = False
    """It said ``initializationOptions.virtualDocuments: true``: its plugin fetches ``anamnesis:`` URIs."""
    command_links: bool = False
    """It said ``initializationOptions.commandLinks: true``: links of a hover may be our own commands."""
    show_document: bool = False
    work_done_progress: bool = False
    configuration: bool = False
    register_configuration: bool = False
    hover_markdown: bool = True
    code_action_literals: bool = False
    hierarchical_symbols: bool = False

    @property
    def opens_virtual_documents(self) -> bool:
        """Whether an ``anamnesis:`` URI can be shown as it is."""
        return self.text_document_content or self.virtual_documents


def resolve(params: types.InitializeParams) -> Client:
    """The client's abilities. Unknown or malformed options are taken as absent."""
    capabilities = params.capabilities
    options = members(params.initialization_options)
    window, workspace, document = capabilities.window, capabilities.workspace, capabilities.text_document
    formats = get_capability(capabilities, "text_document.hover.content_format")
    action = document.code_action if document is not None else None
    symbol = document.document_symbol if document is not None else None
    return Client(
        name=params.client_info.name if params.client_info is not None else "",
        text_document_content=workspace is not None and workspace.text_document_content is not None,
        virtual_documents=options.get("virtualDocuments") is True,
        command_links=options.get("commandLinks") is True,
        show_document=window is not None and window.show_document is not None and window.show_document.support,
        work_done_progress=window is not None and bool(window.work_done_progress),
        configuration=workspace is not None and bool(workspace.configuration),
        register_configuration=bool(
            get_capability(capabilities, "workspace.did_change_configuration.dynamic_registration")
        ),
        hover_markdown=_prefers_markdown(formats),
        code_action_literals=action is not None and action.code_action_literal_support is not None,
        hierarchical_symbols=symbol is not None and bool(symbol.hierarchical_document_symbol_support),
    )


def _prefers_markdown(formats: Any) -> bool:
    """The first format the client lists is the one it prefers; one that lists none is shown plain text."""
    listed = [getattr(kind, "value", kind) for kind in formats or ()]
    return bool(listed) and listed[0] == "markdown"
