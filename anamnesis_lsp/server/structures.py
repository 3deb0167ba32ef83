"""From parsed JSON to the protocol's types: what does not fit ends at its first fault.

cattrs collects every fault, with a traceback each: a text in the place of a list has one a letter, and a message of 0.1
MB made 380 MB of them. Faults are collected, for the place of the first, where the parameters are small.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, cast, get_args, get_origin

from cattrs import Converter, transform_error
from cattrs.errors import BaseValidationError
from lsprotocol import converters

SMALL = 2_000
"""Values and letters of parameters whose faults are told by their place."""


def converter() -> Converter:
    """Between JSON and the protocol's types. Raises whatever the first fault is."""
    return _converter(detailed=False)


def place_of_fault(message: object, kind: type) -> str | None:
    """Where a message is not of its kind, as a path of names, never a value; None where it is too large to tell."""
    if _size(message, SMALL) > SMALL:
        return None
    try:
        _detailed().structure(message, kind)
    except BaseValidationError as error:
        try:
            return transform_error(error)[0].rpartition(" @ $")[2] or None
        except Exception:
            return None
    except Exception:
        return None
    return None


@lru_cache(maxsize=1)
def _detailed() -> Converter:
    return _converter(detailed=True)


def _converter(*, detailed: bool) -> Converter:
    made = Converter(detailed_validation=detailed)

    def lists(kind: Any) -> Callable[[Any, Any], list[Any]]:
        return _lists(made, kind)

    made.register_structure_hook_factory(_is_sequence, lists)
    return converters.get_converter(made)


def _is_sequence(kind: Any) -> bool:
    return get_origin(kind) is Sequence


def _lists(made: Converter, kind: Any) -> Callable[[Any, Any], list[Any]]:
    """The hook of a list of one kind: JSON's own lists only. A text is a sequence too."""
    (item,) = get_args(kind)

    def structure(value: Any, _: Any) -> list[Any]:
        if not isinstance(value, list):
            raise TypeError("no list")
        return [made.structure(one, item) for one in cast("list[Any]", value)]

    return structure


def _size(value: object, most: int) -> int:
    """How many values and letters there are; more than ``most`` are not counted on."""
    waiting, found = [value], 0
    while waiting and found <= most:
        one = waiting.pop()
        if isinstance(one, str):
            found += len(one)
        elif isinstance(one, list):
            waiting.extend(cast("list[object]", one)[:most])
        elif isinstance(one, dict):
            for key, held in list(cast("dict[str, object]", one).items())[:most]:
                found += len(key)
                waiting.append(held)
        found += 1
    return found
