"""How a context is written down: tagged JSON, one object per turn.

``{"origin": "person", "content": {"is": "Said", …}}``. A frozen dataclass becomes an object whose ``is`` is the
class's name; tuples become lists, times ISO 8601, paths and enums their text. Reading is strict: an unknown tag, a
surplus field or a wrong type raises ``ValueError``, so that a state written by a later version is refused and never
half understood. A field that is missing takes its default, so that one written by an earlier version is read: every
field that is added has a default.
"""

from __future__ import annotations

import dataclasses
import functools
import types
import typing
from datetime import datetime
from enum import Enum
from pathlib import Path
from typing import Any, Union, cast

from anamnesis_lsp.readings.content import Content

_CLASSES: dict[str, type[Any]] = {cls.__name__: cls for cls in typing.get_args(Content)}


def encode(value: Content) -> dict[str, Any]:
    """The content of a turn as JSON-able values."""
    return {"is": type(value).__name__, **_fields(value)}


def decode(written: object) -> Content:
    """The content :func:`encode` wrote. Raises ``ValueError`` for anything else."""
    if not isinstance(written, dict):
        raise ValueError("a turn's content is not an object")
    fields = dict(cast("dict[str, Any]", written))
    cls = _CLASSES.get(str(fields.pop("is", None)))
    if cls is None:
        raise ValueError("a turn's content has a tag that this version does not know")
    return cast("Content", _object(cls, fields))


def _fields(value: object) -> dict[str, Any]:
    return {f.name: _plain(getattr(value, f.name)) for f in dataclasses.fields(cast("Any", value))}


def _plain(value: object) -> Any:
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, str):
        return value
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, (tuple, list)):
        return [_plain(item) for item in cast("tuple[object, ...]", value)]
    if dataclasses.is_dataclass(value):
        return _fields(value)
    raise TypeError(f"{type(value).__name__} cannot be written")


@functools.cache
def _hints(cls: type[Any]) -> dict[str, Any]:
    return typing.get_type_hints(cls)


def _object(cls: type[Any], fields: dict[str, Any]) -> Any:
    hints = _hints(cls)
    known = dataclasses.fields(cls)
    if set(fields) - {f.name for f in known}:
        raise ValueError(f"{cls.__name__} has fields that this version does not know")
    if any(f.name not in fields and f.default is dataclasses.MISSING for f in known):
        raise ValueError(f"{cls.__name__} lacks a field")
    return cls(**{name: _value(hints[name], written) for name, written in fields.items()})


def _value(kind: Any, written: Any) -> Any:
    origin = typing.get_origin(kind)
    arguments = typing.get_args(kind)
    if origin in (Union, types.UnionType):
        if written is None and type(None) in arguments:
            return None
        (inner,) = (a for a in arguments if a is not type(None))
        return _value(inner, written)
    if origin is tuple:
        if not isinstance(written, list):
            raise ValueError("a list was expected")
        items = cast("list[Any]", written)
        if len(arguments) == 2 and arguments[1] is Ellipsis:
            return tuple(_value(arguments[0], item) for item in items)
        if len(items) != len(arguments):
            raise ValueError("a list of another length was expected")
        return tuple(_value(a, item) for a, item in zip(arguments, items, strict=True))
    if dataclasses.is_dataclass(kind):
        if not isinstance(written, dict):
            raise ValueError("an object was expected")
        return _object(cast("type[Any]", kind), dict(cast("dict[str, Any]", written)))
    return _leaf(kind, written)


def _leaf(kind: object, written: Any) -> Any:
    if kind is datetime and isinstance(written, str):
        return datetime.fromisoformat(written)
    if kind is Path and isinstance(written, str):
        return Path(written)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind(written)
    if kind is float and isinstance(written, (int, float)) and not isinstance(written, bool):
        return float(written)
    if kind in (int, str, bool) and type(written) is kind:
        return written
    raise ValueError(f"{kind} was expected")
