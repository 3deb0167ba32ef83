"""``recollect --batch``: one question per line, each by itself, answered by one line of JSON; errors too."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any, cast

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.cli.given import requests_in
from anamnesis_lsp.cli.output import DONE, bad, internal, print_json
from anamnesis_lsp.cli.progress import progress
from anamnesis_lsp.cli.recalling import recaller_of
from anamnesis_lsp.errors import AnamnesisError, of_system
from anamnesis_lsp.recall.recaller import Recaller, RecollectRequest


def recollect_batch(options: argparse.Namespace) -> int:
    """Answer each line of the file as it is read."""
    if options.where is not None:
        raise bad("--batch takes its lines from FILE.", "Leave out PATH:START-END.")
    with recaller_of(options, keep=False) as recaller, progress() as (cancel, report):
        try:
            recaller.refresh(cancel, report)
        except AnamnesisError:
            pass  # each question tells it for itself
        for line in requests_in(options.batch):
            print_json(_answer(recaller, line, options, cancel))
            sys.stdout.flush()
    return DONE


def _answer(recaller: Recaller, line: str, options: argparse.Namespace, cancel: CancelToken) -> dict[str, Any]:
    try:
        answer = recaller.recollect(_request(line, options), cancel)
        recaller.forget(None)  # each line is a question by itself: none continues another's recall
        return answer.as_wire()
    except AnamnesisError as error:
        return {"error": error.as_wire()}
    except Exception as error:
        if os.environ.get("ANAMNESIS_DEBUG"):
            raise
        return {"error": (of_system(error) or internal(error)).as_wire()}


def _request(line: str, options: argparse.Namespace) -> RecollectRequest:
    try:
        asked: object = json.loads(line)
    except (ValueError, RecursionError):
        raise bad("The line is no JSON.", "Give one JSON object per line.") from None
    if not isinstance(asked, dict):
        raise bad("The line is no JSON object.", "Give one JSON object per line.")
    fields = cast("dict[str, object]", asked)
    path, cue, rev = (fields.get(name) for name in ("path", "cue", "rev"))
    start, end = fields.get("start_line"), fields.get("end_line")
    if not all(value is None or isinstance(value, str) for value in (path, cue, rev)):
        raise bad("path, cue and rev are texts.", "Give them as JSON strings, or leave them out.")
    if path is None:
        if not cue:
            raise bad("Neither path nor cue was given.", "Give a path with start_line and end_line, or a cue.")
        return RecollectRequest(cue=str(cue), rev=cast("str | None", rev), fresh=True)
    if not (_is_int(start) and (end is None or _is_int(end))):
        raise bad("start_line and end_line are numbers.", "Give 1-based lines, inclusive.")
    first = cast("int", start)
    lines = (first, first if end is None else cast("int", end))
    asked_at = cast("str | None", rev) or options.rev
    return RecollectRequest(path=Path(str(path)), lines=lines, cue=cast("str | None", cue), rev=asked_at, fresh=True)


def _is_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
