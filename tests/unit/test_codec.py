"""A context is written down and read back; what no version of ours could have written is refused."""

from __future__ import annotations

from datetime import datetime, timezone
from pathlib import Path

import pytest

from anamnesis_lsp.readings import codec
from anamnesis_lsp.readings.content import (
    CommitNamed,
    CommitsFound,
    Content,
    Invocation,
    LineShare,
    LinesTraced,
    Named,
    Presented,
    Said,
)
from anamnesis_lsp.records.evidence import Kind, RecordKey

NOW = datetime(2026, 3, 1, 12, tzinfo=timezone.utc)
KEY = RecordKey(Kind.COMMIT, Path("/repo"), "a" * 40)
CONTENTS: tuple[Content, ...] = (
    Said("no, earlier", NOW, held=("the retry",)),
    Invocation(NOW, "why", Path("/repo"), "a.py", (1, 2), ("x = 1",)),
    LinesTraced(Path("/repo"), "a.py", "b" * 40, (LineShare("b" * 40, "a.py", 1, 1.0, ((1, 1),), ((1, 1),)),)),
    CommitsFound((CommitNamed(KEY, "Begin", "Ada", NOW, 1.0),)),
    Presented(Named("Begin", (KEY,), "line"), ("It was begun.",), ()),
)


@pytest.mark.parametrize("content", CONTENTS, ids=lambda content: type(content).__name__)
def test_what_is_written_is_read_back(content: Content) -> None:
    assert codec.decode(codec.encode(content)) == content


@pytest.mark.parametrize("written", [None, [], "Said", {}, {"is": "Nothing"}, {"is": 3}])
def test_what_is_no_content_is_refused(written: object) -> None:
    with pytest.raises(ValueError, match="content"):
        codec.decode(written)


@pytest.mark.parametrize(
    "changes",
    [
        {"when": "yesterday"},
        {"when": 3},
        {"text": None},
        {"text": 3},
        {"root": 3},
        {"lines": 3},
        {"lines": [1]},
        {"lines": [1, 2, 3]},
        {"lines": [1, True]},
        {"selected": "x = 1"},
        {"selected": [3]},
        {"later": 1},
    ],
    ids=str,
)
def test_a_field_of_another_type_or_name_is_refused(changes: dict[str, object]) -> None:
    written = {**codec.encode(CONTENTS[1]), **changes}
    if changes == {"text": None}:
        assert codec.decode(written) == Invocation(NOW, None, Path("/repo"), "a.py", (1, 2), ("x = 1",))
        return
    with pytest.raises(ValueError):
        codec.decode(written)


def test_an_inner_value_is_held_to_its_type_too() -> None:
    written = codec.encode(CONTENTS[3])
    [commit] = written["commits"]
    for broken in ("commit", {**commit, "weight": "much"}, {**commit, "key": None}, {"is": "CommitNamed"}):
        with pytest.raises(ValueError):
            codec.decode({**written, "commits": [broken]})


def test_what_is_no_value_of_ours_is_not_written() -> None:
    with pytest.raises(TypeError, match="cannot be written"):
        codec.encode(Said(b"bytes", NOW))  # type: ignore[arg-type]
