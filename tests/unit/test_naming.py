"""By which spellings a record may be cited, and which records are one family."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from anamnesis_lsp.index import RecordRow
from anamnesis_lsp.readings.naming import families, names_of, spellings
from anamnesis_lsp.records.evidence import Kind, RecordKey
from anamnesis_lsp.records.identifiers import IdKind

ROOT = Path("/repo")


def row(kind: Kind, identity: str, title: str | None = None, links: tuple[str, ...] = ()) -> RecordRow:
    made: Any = SimpleNamespace(kind=kind, key=RecordKey(kind, ROOT, identity), title=title, links=links)
    return made


def corpus(*rows: RecordRow) -> Any:
    return SimpleNamespace(rows=dict(enumerate(rows)), names=None, families=None)


def names(identity: str, title: str | None = None, kind: Kind = Kind.DECISION, links: tuple[str, ...] = ()) -> set[str]:
    return set(names_of(corpus(row(kind, identity, title, links))))


@pytest.mark.parametrize(
    "kind,value,spelling",
    [
        (IdKind.ISSUE, "org/app#0012", "number:12"),
        (IdKind.TASK, "#000", "number:0"),
        (IdKind.SESSION, "AB-12", "session:ab-12"),
        (IdKind.DECISION, "ADR-7", "id:adr-7"),
        (IdKind.TICKET, "PROJ-7", "id:proj-7"),
    ],
)
def test_an_identifier_is_looked_up_by_its_spelling(kind: IdKind, value: str, spelling: str) -> None:
    assert list(spellings(kind, value)) == [spelling]


@pytest.mark.parametrize(
    "path,spelling",
    [
        ("docs/adr/0003-wait.md", "id:adr-3"),
        ("docs/ADR-0003-wait.md", "id:adr-3"),
        ("docs/rfcs/0003-wait.md", "id:rfc-3"),
        ("docs/RFC-3.md", "id:rfc-3"),
        ("backlog/tasks/12-wait.md", "number:12"),
        ("backlog/task-12/plan.md", "number:12"),
    ],
)
def test_a_numbered_record_is_called_by_its_number_in_the_manner_of_its_folder(path: str, spelling: str) -> None:
    assert names(path) == {f"path:{path}", spelling}


def test_a_day_is_no_number_of_a_record() -> None:
    assert names("docs/notes/2026-03-01-wait.md") == {"path:docs/notes/2026-03-01-wait.md"}


def test_a_title_that_begins_with_an_id_names_the_record_and_one_that_cites_it_does_not() -> None:
    assert "id:adr-9" in names("notes/wait.md", "ADR-9: Wait for the gateway")
    assert "id:adr-9" not in names("notes/wait.md", "Wait, as ADR-9 says")


def test_a_part_of_a_file_is_called_by_its_part() -> None:
    assert names("beads.jsonl#App-12") >= {"path:beads.jsonl", "id:app-12"}


def test_a_conversation_is_called_by_its_id_and_by_that_of_its_cloud_page() -> None:
    identity = "2026-01-15-0a1b2c3d-0000-4000-8000-000000000001"
    called = names(identity, kind=Kind.CONVERSATION, links=("https://claude.ai/code/session_01ABCDEFGH", "PROJ-7"))
    assert {f"session:{identity}", "session:0a1b2c3d-0000-4000-8000-000000000001"} <= called
    assert any("session_01abcdefgh" in name for name in called) and "id:proj-7" not in called


def test_the_names_and_families_of_a_corpus_are_made_once() -> None:
    whole = corpus(
        row(Kind.DECISION, "tasks/12/plan.md"), row(Kind.DECISION, "tasks/12/spec.md"),
        row(Kind.DECISION, "CHANGELOG.md#1.2"), row(Kind.CONVERSATION, "s1"), row(Kind.DECISION, "notes/wait.md"),
    )  # fmt: skip
    assert families(whole)[0] == families(whole)[1] == "number:12", "two files of one task"
    assert families(whole)[2] == "CHANGELOG.md#1.2" and families(whole)[3] == "s1"
    assert families(whole)[4] == "notes/wait.md"
    assert families(whole) is families(whole) and names_of(whole) is names_of(whole)
