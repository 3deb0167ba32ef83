"""The protocol: pygls' dispatch, with what a user would meet of its faults put right.

Messages arrive here as parsed JSON, one at a time, on the event loop (:mod:`.stdio` reads and writes). Every request
is answered exactly once: malformed parameters with ``-32602``, too early with ``-32002``, after ``shutdown`` with
``-32600``, cancelled with ``-32800``, refused by the rooms below with ``-32803`` and the wire's error object as
``data``; a fault of ours with ``-32603`` and no traceback. Parameters of ``anamnesis/*`` stay plain JSON values: each
method validates its own.

What pygls 2.1.1 does otherwise: no answer to malformed parameters or after ``shutdown``; exit code 0 without
``shutdown``; an error storm when the client is gone; requests before ``initialize`` answered; tracebacks in ``data``;
``initialize`` and every sent body logged; nested objects with a ``jsonrpc`` key taken for messages; edits placed by
``str.splitlines``.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import logging
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any, Protocol, cast

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.protocol import JsonRPCNotification, JsonRPCRequestMessage, LanguageServerProtocol, lsp_method

from anamnesis_lsp.cancel import Cancelled
from anamnesis_lsp.errors import AnamnesisError, ErrorCode, of_system
from anamnesis_lsp.server.buffers import Buffers, Encoding
from anamnesis_lsp.server.notebooks import Notebooks
from anamnesis_lsp.server.progress import is_token
from anamnesis_lsp.server.structures import place_of_fault

if TYPE_CHECKING:
    from anamnesis_lsp.server.app import AnamnesisServer

log = logging.getLogger(__name__)

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL_ERROR = -32700, -32600, -32601, -32602, -32603
NOT_INITIALIZED, REQUEST_CANCELLED, REQUEST_FAILED = -32002, -32800, -32803

OWN_METHODS = "anamnesis/"
EARLY = frozenset({types.INITIALIZE, types.EXIT})

Key = tuple[type, "int | str"]


class Sink(Protocol):
    """Where whole messages go."""

    def send(self, body: bytes) -> None:
        """Queue one message; never blocks, never raises."""
        ...


class AnamnesisProtocol(LanguageServerProtocol):
    """One client's connection. Everything here runs on the event loop."""

    _server: AnamnesisServer  # pyright: ignore[reportIncompatibleVariableOverride]

    def __init__(self, server: AnamnesisServer, converter: Any) -> None:
        super().__init__(cast(Any, server), converter)
        self.buffers = Buffers()
        self.notebooks = Notebooks(self.buffers)
        self.sink: Sink | None = None
        self.on_exit: Callable[[int], None] | None = None
        self._initialized = False
        self._incoming: dict[Key, asyncio.Future[Any]] = {}

    # --- receiving -------------------------------------------------------------------------------------------------

    def receive(self, message: object) -> None:
        """Handle one parsed message. Raises nothing: what is no message is answered or dropped."""
        if not isinstance(message, dict):
            self._fail(None, INVALID_REQUEST, "A message is one JSON object; batches are not part of the protocol.")
            return
        raw = cast("dict[str, Any]", message)
        method, identity = raw.get("method"), raw.get("id")
        if method is None and "id" in raw and ("result" in raw or "error" in raw):
            self._receive_response(raw)
        elif not isinstance(method, str):
            self._fail(_answerable(identity), INVALID_REQUEST, "The message has neither a method nor a result.")
        elif "id" not in raw:
            self._receive_notification(method, raw)
        elif _answerable(identity) is None:
            self._fail(None, INVALID_REQUEST, "The id of a request is a number or a string.")
        else:
            self._receive_request(cast("int | str", identity), method, raw)

    def unparsable(self) -> None:
        """Answer a body that is not JSON."""
        self._fail(None, PARSE_ERROR, "The body of a message is not JSON in UTF-8.")

    def oversized(self, limit: int) -> None:
        """Answer a body that was skipped for its size."""
        self._fail(None, INVALID_REQUEST, f"A message is longer than {limit} bytes; it was skipped.")

    def too_dense(self) -> None:
        """Answer a body that was not parsed for the many values in it."""
        self._fail(None, INVALID_REQUEST, "A message holds too many values; it was skipped.")

    def _receive_response(self, raw: dict[str, Any]) -> None:
        identity = raw["id"]
        future = self._request_futures.pop(identity, None) if isinstance(identity, str) else None
        result_type = self._result_types.pop(identity, None) if future is not None else None
        if future is None or future.done():
            return
        if raw.get("error") is not None:
            code = cast("dict[str, object]", raw["error"]).get("code") if isinstance(raw["error"], dict) else None
            future.set_exception(
                JsonRpcException("the client refused", code if isinstance(code, int) else INTERNAL_ERROR)
            )
            return
        try:
            shaped = {"jsonrpc": "2.0", "id": identity, "result": raw.get("result")}
            result = shaped["result"] if result_type is None else self._converter.structure(shaped, result_type).result
        except Exception:
            future.set_exception(JsonRpcException("the client's answer is malformed"))
            return
        future.set_result(result)

    def _receive_notification(self, method: str, raw: dict[str, Any]) -> None:
        if method == types.CANCEL_REQUEST:
            self._cancel(raw.get("params"))
            return
        if method != types.EXIT and (not self._initialized or self._shutdown):
            return
        try:
            message = self._structured(method, raw)
        except BaseException as error:
            log.warning(
                "A %s notification was dropped: its parameters are malformed (%s).",
                _known(method),
                type(error).__name__,
            )
            return
        self._handle_notification(method, message.params)

    def _receive_request(self, identity: int | str, method: str, raw: dict[str, Any]) -> None:
        if self._shutdown:
            self._fail(identity, INVALID_REQUEST, "The server is shutting down.")
        elif not self._initialized and method not in EARLY:
            self._fail(identity, NOT_INITIALIZED, "The first request is initialize.")
        elif self._initialized and method == types.INITIALIZE:
            self._fail(identity, INVALID_REQUEST, "initialize was already answered.")
        elif _key(identity) in self._incoming:
            self._fail(identity, INVALID_REQUEST, "A request with this id is still being answered.")
        elif self._handler(method) is None:
            self._fail(identity, METHOD_NOT_FOUND, "This server does not know the method.")
        else:
            try:
                message = self._structured(method, raw)
            except Exception:
                where = self._where(method, raw)
                self._fail(identity, INVALID_PARAMS, f"The parameters of {method} are malformed{where}.", method)
                return
            self._handle_request(identity, method, message.params)

    def _structured(self, method: str, raw: dict[str, Any]) -> Any:
        params = raw.get("params")
        kind = self.get_message_type(method)
        if method.startswith(OWN_METHODS) or kind is None:
            if "id" in raw:
                return JsonRPCRequestMessage(id=raw["id"], method=method, jsonrpc="2.0", params=params)
            return JsonRPCNotification(method=method, jsonrpc="2.0", params=params)
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        if "id" in raw:
            message["id"] = raw["id"]
        return self._converter.structure(message, kind)

    def _where(self, method: str, raw: dict[str, Any]) -> str:
        """The place of the first fault in the parameters, as a path of names: never a value."""
        kind = self.get_message_type(method)
        if kind is None:
            return ""
        message = {"jsonrpc": "2.0", "id": raw.get("id"), "method": method, "params": raw.get("params")}
        place = place_of_fault(message, kind)
        return f" at params{place.removeprefix('.params')}" if place else ""

    # --- running ---------------------------------------------------------------------------------------------------

    def _handle_request(self, msg_id: Any, method_name: str, params: Any) -> None:
        if method_name == types.INITIALIZE:
            self._initialized = True
        task = asyncio.ensure_future(self._answer(method_name, params))
        self._incoming[_key(msg_id)] = task
        task.add_done_callback(lambda done: self._answered(msg_id, method_name, done))

    async def _answer(self, method: str, params: Any) -> Any:
        handler = self._handler(method)
        assert handler is not None
        return await self._run(handler, (params,))

    def _handler(self, method: str) -> Callable[..., Any] | None:
        """Who answers a method: pygls' own handlers first (they call ours), then ours."""
        builtin = cast("dict[str, Callable[..., Any]]", cast(Any, self.fm).builtin_features)
        return builtin.get(method) or self._ours(method)

    def _ours(self, method: str) -> Callable[..., Any] | None:
        return cast("dict[str, Callable[..., Any]]", cast(Any, self.fm).features).get(method)

    async def _run(self, handler: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        """Run a handler of pygls' (a generator that yields further handlers) or of ours (``async def``)."""
        result = handler(*args)
        if inspect.isawaitable(result):
            return await result
        if not isinstance(result, Generator):
            return result
        generator = cast("Generator[Any, Any, Any]", result)
        try:
            asked = next(generator)
            while True:
                try:
                    inner = await self._run(asked[0], tuple(asked[1] or ()))
                except Exception as error:
                    asked = generator.throw(error)
                else:
                    asked = generator.send(inner)
        except StopIteration as stop:
            return stop.value

    def _answered(self, identity: int | str, method: str, done: asyncio.Future[Any]) -> None:
        self._incoming.pop(_key(identity), None)
        if done.cancelled():
            self._fail(identity, REQUEST_CANCELLED, "The request was cancelled.")
            return
        error = done.exception()
        if error is None:
            self._succeed(identity, method, done.result())
        elif isinstance(error, Cancelled):
            self._fail(identity, REQUEST_CANCELLED, "The request was cancelled.")
        elif isinstance(error, AnamnesisError):
            code = INVALID_PARAMS if error.code is ErrorCode.BAD_REQUEST else REQUEST_FAILED
            self._send(_error(identity, code, error.message, error.as_wire()))
        elif (refused := of_system(error)) is not None:
            log.warning("%s: %s", method, describe(error))
            self._send(_error(identity, REQUEST_FAILED, refused.message, refused.as_wire()))
        elif isinstance(error, JsonRpcException) and error.code != INTERNAL_ERROR:
            self._fail(identity, error.code, error.message)
        else:
            self._fault(identity, method, error)

    def _succeed(self, identity: int | str, method: str, result: Any) -> None:
        try:
            body = self._body({"jsonrpc": "2.0", "id": identity, "result": self._converter.unstructure(result)})
        except Exception as error:
            self._fault(identity, method, error)
            return
        self._post(body)

    def _fault(self, identity: int | str, method: str, error: BaseException) -> None:
        log.error("%s failed: %s", method, describe(error))
        wire = AnamnesisError(
            ErrorCode.INTERNAL,
            "The server met a fault of its own.",
            "Try again. If it comes back, report it with the server's log; the log holds no text of yours.",
        )
        self._send(_error(identity, INTERNAL_ERROR, wire.message, wire.as_wire()))

    def _handle_notification(self, method_name: str, params: Any) -> None:
        handler = self._handler(method_name)
        if handler is None:
            return
        # Edits must be applied in the order they come: a plain handler runs now, only what it awaits runs later.
        task = asyncio.ensure_future(self._run_notification(method_name, handler, params))
        self._server.keep(task)

    async def _run_notification(self, method: str, handler: Callable[..., Any], params: Any) -> None:
        try:
            await self._run(handler, (params,))
        except (Cancelled, asyncio.CancelledError):
            pass
        except AnamnesisError as error:
            log.warning("%s: %s", method, error.code.value)
        except Exception as error:
            kind = log.error if of_system(error) is None else log.warning
            kind("%s %s: %s", method, "failed" if kind == log.error else "was refused", describe(error))

    def _cancel(self, params: object) -> None:
        identity: object = cast("dict[str, object]", params).get("id") if isinstance(params, dict) else None
        if _answerable(identity) is not None:
            task = self._incoming.get(_key(cast("int | str", identity)))
            if task is not None:
                task.cancel()

    def cancel_everything(self) -> None:
        """Cancel every request that is being answered."""
        for task in list(self._incoming.values()):
            task.cancel()

    # --- sending ---------------------------------------------------------------------------------------------------

    def _fail(self, identity: int | str | None, code: int, message: str, method: str | None = None) -> None:
        data = None
        if code == INVALID_PARAMS:
            remedy = "See the protocol page for the shape of this request." if method else "Correct the parameters."
            data = AnamnesisError(ErrorCode.BAD_REQUEST, message, remedy).as_wire()
        self._send(_error(identity, code, message, data))

    def _send(self, message: dict[str, Any]) -> None:
        self._post(self._body(message))

    def _body(self, message: Any) -> bytes:
        text = json.dumps(message, default=self._serialize_message, ensure_ascii=False, separators=(",", ":"))
        return text.encode("utf-8", errors="replace")

    def _post(self, body: bytes) -> None:
        if self.sink is not None:
            self.sink.send(body)

    def _send_data(self, data: Any) -> None:
        """What pygls itself sends (notifications, requests to the client): never logged, never a storm."""
        try:
            self._post(self._body(data))
        except Exception as error:
            log.error("A message could not be written: %s", describe(error))

    # --- pygls' own handlers, replaced -----------------------------------------------------------------------------

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: types.InitializeParams) -> Generator[Any, Any, types.InitializeResult]:
        """Advertise what pygls forgets: the content of our virtual documents."""
        result = yield from super().lsp_initialize(params)
        self.buffers.encoding = _encoding(result.capabilities.position_encoding)
        workspace = result.capabilities.workspace or types.WorkspaceOptions()
        workspace.text_document_content = types.TextDocumentContentOptions(schemes=["anamnesis"])
        workspace.file_operations = None
        result.capabilities.workspace = workspace
        return result

    @lsp_method(types.SHUTDOWN)
    def lsp_shutdown(self, *_args: Any) -> Generator[Any, Any, None]:
        """Stop all work; every request still under way is answered as cancelled."""
        self._shutdown = True
        current = asyncio.current_task()
        for task in list(self._incoming.values()):
            if task is not current:
                task.cancel()
        handler = self._ours(types.SHUTDOWN)
        if handler is not None:
            yield handler, (None,), None
        return None

    @lsp_method(types.EXIT)
    def lsp_exit(self, *_args: Any) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """End the process: 0 after ``shutdown``, else 1."""
        if self.on_exit is not None:
            self.on_exit(0 if self._shutdown else 1)

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> Generator[Any, Any, None]:
        """Hold the document; lines are the protocol's (``\\n``, ``\\r\\n``, ``\\r``), not Python's."""
        item = params.text_document
        self.buffers.open(item.uri, item.language_id, item.version, item.text)
        yield from self._then(types.TEXT_DOCUMENT_DID_OPEN, params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> Generator[Any, Any, None]:
        """Apply the changes in order; those of a document that was never opened are dropped."""
        document = params.text_document
        self.buffers.change(document.uri, document.version, params.content_changes)
        yield from self._then(types.TEXT_DOCUMENT_DID_CHANGE, params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> Generator[Any, Any, None]:
        """Forget the document."""
        yield from self._then(types.TEXT_DOCUMENT_DID_CLOSE, params)
        self.buffers.close(params.text_document.uri)

    @lsp_method(types.NOTEBOOK_DOCUMENT_DID_OPEN)
    def lsp_notebook_document__did_open(self, params: types.DidOpenNotebookDocumentParams) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Hold the notebook and its cells."""
        self.notebooks.open(params)

    @lsp_method(types.NOTEBOOK_DOCUMENT_DID_CHANGE)
    def lsp_notebook_document__did_change(self, params: types.DidChangeNotebookDocumentParams) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Apply the changes of its cells."""
        self.notebooks.change(params)

    @lsp_method(types.NOTEBOOK_DOCUMENT_DID_CLOSE)
    def lsp_notebook_document__did_close(self, params: types.DidCloseNotebookDocumentParams) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Forget the notebook and its cells."""
        self.notebooks.close(params)

    @lsp_method(types.WORKSPACE_EXECUTE_COMMAND)
    def lsp_workspace__execute_command(self, params: types.ExecuteCommandParams) -> Generator[Any, Any, Any]:
        """Run a command on its one argument as plain JSON; progress under the client's token where it gave one."""
        handler = self._server.command_handlers.get(params.command)
        if handler is None:
            raise AnamnesisError(
                ErrorCode.BAD_REQUEST,
                "This server does not know the command.",
                "Use one of the commands the server named when it was initialized.",
            )
        arguments = [self._converter.unstructure(argument) for argument in params.arguments or ()]
        token = params.work_done_token if is_token(params.work_done_token) else None
        result = yield handler, (arguments, token), None
        return result

    @lsp_method(types.WINDOW_WORK_DONE_PROGRESS_CANCEL)
    def lsp_work_done_progress_cancel(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, params: types.WorkDoneProgressCancelParams
    ) -> None:
        """Cancel the request that reports under this token, exactly as ``$/cancelRequest`` would."""
        self._server.reports.cancel(params.token)

    def _then(self, method: str, params: Any) -> Generator[Any, Any, None]:
        handler = self._ours(method)
        if handler is not None:
            yield handler, (params,), None


def _answerable(identity: object) -> int | str | None:
    if isinstance(identity, bool):
        return None
    return identity if isinstance(identity, (int, str)) else None


def _encoding(kind: object) -> Encoding:
    name = getattr(kind, "value", kind)
    return "utf-8" if name == "utf-8" else "utf-32" if name == "utf-32" else "utf-16"


def _key(identity: int | str) -> Key:
    return type(identity), identity


def _error(identity: int | str | None, code: int, message: str, data: Any) -> dict[str, Any]:
    error: dict[str, Any] = {"code": code, "message": message}
    if data is not None:
        error["data"] = data
    return {"jsonrpc": "2.0", "id": identity, "error": error}


def _known(method: str) -> str:
    """A method's name for a log: a made-up name may hold anything."""
    return (
        method
        if method in types.METHOD_TO_TYPES or (method.startswith(OWN_METHODS) and method.isascii())
        else "unknown"
    )


def describe(error: BaseException) -> str:
    """A fault for the log: its type and the lines of our code it passed through; its text may hold private words."""
    import traceback

    frames = [
        f"{frame.filename.rsplit('/', 1)[-1]}:{frame.lineno}" for frame in traceback.extract_tb(error.__traceback__)
    ]
    return f"{type(error).__name__} at {' > '.join(frames[-8:])}"
