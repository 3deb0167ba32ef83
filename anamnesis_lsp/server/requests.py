"""Parameters of our own requests and commands: plain JSON in, a frozen value out, or one clear error.

Unknown keys are ignored. A wrong value is refused as ``badRequest`` with its place and what belongs there, never with
the value. The shapes are those of ``WIRE.md``, *Commands and requests*.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NoReturn, cast

from lsprotocol import types

from anamnesis_lsp.errors import AnamnesisError, ErrorCode

TEXT_LIMIT = 4_000
"""Characters of what a person says or asks: it is read for names, places and times, word by word."""
URI_LIMIT = 8192
UINTEGER = 2**31 - 1
_RECALL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")

CopyForm = Literal["markdown", "commit", "comment"]


@dataclass(frozen=True, slots=True)
class RecollectParams:
    """``recollect``: all optional; ``range`` needs ``uri``."""

    uri: str | None
    range: types.Range | None
    version: int | None
    cue: str | None
    recall: str | None
    show: bool


@dataclass(frozen=True, slots=True)
class SayParams:
    """``say``: the person's words, to a recall or to the latest."""

    text: str
    recall: str | None
    show: bool


@dataclass(frozen=True, slots=True)
class RecallParams:
    """``identify`` and ``end``: a recall, or the latest."""

    recall: str | None
    show: bool


@dataclass(frozen=True, slots=True)
class OpenParams:
    """``open``: a locator; ``show`` where the server should show it as well."""

    locator: str
    show: bool


@dataclass(frozen=True, slots=True)
class StepParams:
    """``before``: lines of a document, or a locator; ``after``: a document that a step led to, or its locator."""

    uri: str | None
    range: types.Range | None
    locator: str | None
    show: bool


@dataclass(frozen=True, slots=True)
class CopyParams:
    """``copyContext``."""

    recall: str | None
    form: CopyForm


@dataclass(frozen=True, slots=True)
class ReindexParams:
    """``reindex``: one kind of store, or all."""

    kind: str | None


@dataclass(frozen=True, slots=True)
class ContentParams:
    """``content``: the URI of a virtual document, and whether a story is wanted without marks."""

    uri: str
    form: Literal["markdown", "plain"] = "markdown"


def recollect_params(raw: object) -> RecollectParams:
    """Read the parameters of ``recollect``."""
    fields = _object(raw)
    uri, selection = _text(fields, "uri", URI_LIMIT), _range(fields)
    if selection is not None and uri is None:
        _bad("uri", "the document's URI, since a range is given")
    return RecollectParams(
        uri,
        selection,
        _integer(fields, "version"),
        _text(fields, "cue", TEXT_LIMIT),
        _recall(fields),
        _boolean(fields, "show", default=True),
    )


def say_params(raw: object) -> SayParams:
    """Read the parameters of ``say``."""
    fields = _object(raw)
    text = _text(fields, "text", TEXT_LIMIT)
    if text is None or not text.strip():
        _bad("text", "what the person says, not empty")
    return SayParams(text, _recall(fields), _boolean(fields, "show", default=True))


def recall_params(raw: object) -> RecallParams:
    """Read the parameters of ``identify`` or ``end``."""
    fields = _object(raw)
    return RecallParams(_recall(fields), _boolean(fields, "show", default=True))


def open_params(raw: object) -> OpenParams:
    """Read the parameters of ``open``."""
    fields = _object(raw)
    locator = _text(fields, "locator", URI_LIMIT)
    if locator is None:
        _bad("locator", "a locator as a story shows it")
    return OpenParams(locator, _boolean(fields, "show", default=False))


def step_params(raw: object, *, forward: bool) -> StepParams:
    """Read the parameters of ``before`` or ``after``."""
    fields = _object(raw)
    uri, locator, selection = _text(fields, "uri", URI_LIMIT), _text(fields, "locator", URI_LIMIT), _range(fields)
    if locator is None and uri is None:
        _bad("uri", "the document's URI, or 'locator' be given")
    if locator is None and selection is None and not forward:
        _bad("range", "the range of the lines")
    return StepParams(uri, selection, locator, _boolean(fields, "show", default=False))


def copy_params(raw: object) -> CopyParams:
    """Read the parameters of ``copyContext``."""
    fields = _object(raw)
    form: CopyForm | None = fields.get("as", "markdown")
    if form not in ("markdown", "commit", "comment"):
        _bad("as", "'markdown', 'commit' or 'comment'")
    return CopyParams(_recall(fields), form)


def reindex_params(raw: object) -> ReindexParams:
    """Read the parameters of ``reindex``."""
    return ReindexParams(_text(_object(raw), "kind", 64))


def content_params(raw: object) -> ContentParams:
    """Read the parameters of ``content``."""
    fields = _object(raw)
    uri, form = _text(fields, "uri", URI_LIMIT), fields.get("as", "markdown")
    if uri is None:
        _bad("uri", "the URI of a virtual document")
    if form not in ("markdown", "plain"):
        _bad("as", "'markdown' or 'plain'")
    return ContentParams(uri, form)


def no_params(raw: object) -> None:
    """Requests without parameters take none, null, or an object."""
    _object(raw)


def members(value: object) -> dict[str, object]:
    """The members of a JSON object; empty for any other value."""
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}


def one_argument(arguments: object) -> object:
    """The one argument of a command; none is taken as an empty object."""
    if arguments is None:
        return {}
    if not isinstance(arguments, list):
        _bad("arguments", "a list of one object")
    listed = cast("list[object]", arguments)
    if len(listed) > 1:
        _bad("arguments", "a list of one object")
    return listed[0] if listed else {}


def _object(raw: object) -> Mapping[str, Any]:
    if raw is None:
        return {}
    if not isinstance(raw, dict):
        _bad("params", "an object")
    return cast("dict[str, Any]", raw)


def _text(fields: Mapping[str, Any], name: str, limit: int) -> str | None:
    value = fields.get(name)
    if value is None:
        return None
    if not isinstance(value, str):
        _bad(name, "a string")
    if len(value) > limit:
        _bad(name, f"a string of at most {limit} characters")
    return value


def _recall(fields: Mapping[str, Any]) -> str | None:
    value = _text(fields, "recall", 128)
    if value is not None and not _RECALL.fullmatch(value):
        _bad("recall", "the id of a recall as a round names it")
    return value


def _boolean(fields: Mapping[str, Any], name: str, *, default: bool) -> bool:
    value = fields.get(name)
    if value is None:
        return default
    if not isinstance(value, bool):
        _bad(name, "true or false")
    return value


def _integer(fields: Mapping[str, Any], name: str) -> int | None:
    value = fields.get(name)
    if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
        _bad(name, "an integer")
    return value


def _range(fields: Mapping[str, Any]) -> types.Range | None:
    value = fields.get("range")
    if value is None:
        return None
    if not isinstance(value, dict):
        _bad("range", "a range")
    ends = cast("dict[str, object]", value)
    return types.Range(_position(ends.get("start"), "range.start"), _position(ends.get("end"), "range.end"))


def _position(value: object, place: str) -> types.Position:
    if not isinstance(value, dict):
        _bad(place, "a position")
    fields = cast("dict[str, object]", value)
    numbers: list[int] = []
    for name in ("line", "character"):
        number = fields.get(name)
        if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number <= UINTEGER:
            _bad(f"{place}.{name}", "a number from 0")
        numbers.append(number)
    return types.Position(*numbers)


def _bad(place: str, expected: str) -> NoReturn:
    raise AnamnesisError(
        ErrorCode.BAD_REQUEST,
        f"The parameters are malformed: '{place}' must be {expected}.",
        "See the protocol page for the shape of this request.",
    )
