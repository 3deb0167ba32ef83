"""``read-turns``: turns given as lines of JSON, read by the very code of the dialogue.

In: ``{"state": {"cue", "presented", "adjacent", "last_round", "held"}, "utterance"}``, further keys ignored. Out, per
line and in order: ``{"reading": kind, "words": [...]}``, or the wire's ``Error`` object for a line that is none of
that.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, cast

from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.readings.answers.reading import read_turn
from anamnesis_lsp.readings.answers.turn import LastRound, TurnState


def _refused(n: int, what: str) -> AnamnesisError:
    remedy = (
        'Write one object per line: {"state": {"cue", "presented", "adjacent", "last_round", "held"}, "utterance"}.'
    )
    return AnamnesisError(ErrorCode.BAD_REQUEST, f"Line {n}: {what}.", remedy)


def _text(n: int, state: dict[str, Any], key: str) -> str | None:
    value = state.get(key)
    if value is not None and not isinstance(value, str):
        raise _refused(n, f'"{key}" is neither a text nor null')
    return value


def _texts(n: int, state: dict[str, Any], key: str) -> tuple[str, ...]:
    value = state.get(key)
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(item, str) for item in cast("list[Any]", value)):
        raise _refused(n, f'"{key}" is not a list of texts')
    return tuple(cast("list[str]", value))


def _read(n: int, line: str) -> tuple[TurnState, str]:
    try:
        request: Any = json.loads(line)
    except (ValueError, RecursionError):
        raise _refused(n, "not JSON") from None
    if not isinstance(request, dict):
        raise _refused(n, "not an object")
    given = cast("dict[str, Any]", request)
    utterance, state = given.get("utterance"), given.get("state")
    if not isinstance(utterance, str):
        raise _refused(n, '"utterance" is not a text')
    if not isinstance(state, dict):
        raise _refused(n, '"state" is not an object')
    fields = cast("dict[str, Any]", state)
    names = [round_.value for round_ in LastRound]
    if fields.get("last_round") not in names:
        raise _refused(n, f'"last_round" is none of {", ".join(names)}')
    return (
        TurnState(
            last_round=LastRound(fields["last_round"]),
            cue=_text(n, fields, "cue"),
            presented=_text(n, fields, "presented"),
            adjacent=_texts(n, fields, "adjacent"),
            held=_texts(n, fields, "held"),
        ),
        utterance,
    )


def read_turns_lines(lines: Iterable[str]) -> Iterator[str]:
    """One line of output per line of input that is not blank; never raises on what a line holds."""
    for n, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            state, utterance = _read(n, line)
        except AnamnesisError as error:
            yield json.dumps({"error": error.as_wire()}, ensure_ascii=False)
            continue
        reading = read_turn(state, utterance)
        yield json.dumps({"reading": reading.kind.value, "words": list(reading.words)}, ensure_ascii=False)
