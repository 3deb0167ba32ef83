"""Decision records: what they say of themselves, where they lie, and that nothing outside their root is read."""

from __future__ import annotations

import json
import os
from datetime import datetime, timezone
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from anamnesis_lsp.cancel import Cancelled, CancelToken, never
from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.records import plain
from anamnesis_lsp.records.decisions import (
    DecisionRead,
    DecisionRecord,
    Form,
    Sense,
    Standing,
    decision_sources,
    given_store,
    iter_decisions,
    markdown,
    open_decision,
    read_decision,
    repository_stores,
)
from anamnesis_lsp.records.evidence import Kind, RecordKey
from tests.builders.exports import write

NYGARD = """# 3. Use a lock file

Date: 2021-03-04

## Status

Superseded by [5. Use a database](0005-use-a-database.md)

Supersedes [1. Use nothing](0001-use-nothing.md)

## Context

Two processes write `src/store/index.py` at once.

```
# not a heading
```

## Decision

We take a lock.

## Consequences

Slower.
"""

MADR = """---
status: "accepted"
date: 2024-02-03
deciders: [ada]
---

# Use Markdown Decision Records

## Context and Problem Statement

We want to record decisions.

## Considered Options

* MADR
* Nothing

## Decision Outcome

Chosen: MADR, because it is lean.
"""

LOG4BRAINS = """# Use React

- Status: draft
- Deciders: Ada
- Tags: ui

## Context and Problem Statement

Which library?
"""


def _at(day: str) -> datetime:
    return datetime.fromisoformat(day).replace(tzinfo=timezone.utc)


def _parse(path: str, text: str, form: Form = Form.ADR) -> DecisionRecord:
    return markdown.parse(RecordKey(Kind.DECISION, Path("/r"), path), path, text, form)


def _all(kind: str, path: Path) -> list[DecisionRecord]:
    return list(iter_decisions(given_store(kind, path), never()))


def test_nygards_form_says_title_date_status_and_what_replaced_it() -> None:
    record = _parse("docs/adr/0003-use-a-lock-file.md", NYGARD)
    assert record.title == "3. Use a lock file" and record.title_line == 1
    assert record.created == _at("2021-03-04") and record.day_only
    assert record.status is not None and record.status.startswith("Superseded by") and record.status_line == 7
    assert record.standing is Standing.SUPERSEDED and not record.settled
    assert record.superseded_by == ("docs/adr/0005-use-a-database.md",)
    assert record.supersedes == ("docs/adr/0001-use-nothing.md",)
    assert record.ids[:2] == ("ADR-3", "ADR-0003")
    assert [(s.name, s.sense) for s in record.sections][1:] == [
        ("Status", Sense.OTHER),
        ("Context", Sense.CONTEXT),
        ("Decision", Sense.DECISION),
        ("Consequences", Sense.CONSEQUENCES),
    ]
    assert "src/store/index.py" in record.paths


def test_a_section_is_exactly_the_lines_it_names() -> None:
    record = _parse("adr/0003-x.md", NYGARD)
    lines = NYGARD.split("\n")
    for section in record.sections:
        start, end = section.lines
        assert section.text == "\n".join(lines[start - 1 : end])


def test_madrs_front_matter_is_read() -> None:
    record = _parse("docs/decisions/0001-use-madr.md", MADR)
    assert (record.status, record.standing, record.settled) == ("accepted", Standing.ACCEPTED, True)
    assert record.status_line == 2 and record.created == _at("2024-02-03")
    assert [s.sense for s in record.sections] == [Sense.CONTEXT, Sense.ALTERNATIVES, Sense.DECISION]


def test_log4brains_has_its_day_in_the_files_name() -> None:
    record = _parse("docs/adr/20200102-use-react.md", LOG4BRAINS)
    assert (record.standing, record.created) == (Standing.PROPOSED, _at("2020-01-02"))
    assert record.ids == ()


@pytest.mark.parametrize(
    ("text", "status", "created"),
    [
        ("# X\n\n**Status:** Accepted\n**Date:** 2026-06-13\n", "Accepted", "2026-06-13"),
        ("# X\n\n* Status: accepted\n* Date: 4 May 2020\n", "accepted", "2020-05-04"),
        ("# 标题\n\n**状态：** 已接受\n**日期：** 2026年7月1日\n", "已接受", "2026-07-01"),
        ("# X\n\n## Status: ❌ OBSOLETE\n\ntext\n", "❌ OBSOLETE", None),
        ("# X\n\n| Status | Accepted |\n", "Accepted", None),
        (
            "# X\n\n**Status:** The first part is done in PR\n[#2](https://x.y/2), rebased.\n\nMore.\n",
            "The first part is done in PR [#2](https://x.y/2), rebased.",
            None,
        ),
        ("# X\n\nStatus: accepted\nDeciders: all of us\n", "accepted", None),
        ("# X\n\nNothing said.\n", None, None),
    ],
)
def test_status_and_date_are_read_where_they_are_written(text: str, status: str | None, created: str | None) -> None:
    record = _parse("adr/x.md", text)
    assert record.status == status
    assert record.created == (None if created is None else _at(created))


def test_a_record_without_a_status_says_nothing_of_its_standing() -> None:
    assert _parse("adr/x.md", "# X\n").standing is None


def test_a_time_with_an_offset_keeps_it() -> None:
    record = _parse("plans/x.md", "---\ncreated: 2025-05-01T19:41:07+02:00\n---\n# X\n")
    assert (
        record.created is not None and record.created.isoformat() == "2025-05-01T19:41:07+02:00" and not record.day_only
    )


@pytest.mark.parametrize(
    ("path", "title", "ids"),
    [
        ("docs/adrs/ADR-012-kafka.md", "", ("ADR-12", "ADR-012")),
        ("process/tasks/001-session.md", "", ("task#1", "task#001", "#1")),
        ("process/tasks/md#409/spec.md", "", ("md#409", "#409")),
        ("docs/rfcs/0042-x.md", "", ("RFC-42", "RFC-0042")),
        ("specs/003-default/spec.md", "", ("SPEC-3", "SPEC-003")),
        ("docs/plans/cleanup.md", "", ()),
        (".coding-aider-plans/cleanup.md", "PROJ-7: clean up", ("PROJ-7",)),
    ],
)
def test_ids_are_those_that_commits_cite(path: str, title: str, ids: tuple[str, ...]) -> None:
    from anamnesis_lsp.records.decisions.store import form_of

    assert _parse(path, f"# {title or 'X'}\n", form_of(path) or Form.NOTE).ids == ids


def test_two_headings_of_one_name_are_two_parts() -> None:
    record = _parse("adr/x.md", "# X\n\n## Notes\n\na\n\n## Notes\n\nb\n")
    assert [s.part for s in record.sections] == ["Notes", "Notes (2)"]


def test_a_changelog_is_one_record_per_version(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    write(
        tmp_path / "CHANGELOG.md",
        "# Changelog\n\n## [Unreleased]\n\n- x\n\n## [1.2.0] - 2024-01-31\n\n### Fixed\n\n- y in `a/b.py`\n\n"
        "## 1.1.0 (2023-12-01)\n\n- z\n",
    )
    records = _all("decisions", tmp_path)
    assert [r.key.id for r in records] == ["CHANGELOG.md#Unreleased", "CHANGELOG.md#1.2.0", "CHANGELOG.md#1.1.0"]
    assert [r.created for r in records] == [None, _at("2024-01-31"), _at("2023-12-01")]
    fixed = records[1].sections[0]
    assert (fixed.name, fixed.text, fixed.lines) == ("Fixed", "- y in `a/b.py`", (11, 11))
    assert open_decision(tmp_path, "CHANGELOG.md", "1.2.0", never()).title == "CHANGELOG 1.2.0"


def test_a_repository_is_read_in_its_usual_folders_only(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    for path in (
        "docs/adr/0001-a.md",
        ".decisions/b.md",
        "process/tasks/003-c.md",
        ".coding-aider-plans/d.md",
        "rfcs/e.md",
    ):
        write(tmp_path / path, "# X\n")
    for path in (
        "README.md",
        "docs/guide.md",
        "docs/adr/README.md",
        "docs/adr/template.md",
        "node_modules/p/docs/adr/0001-z.md",
    ):
        write(tmp_path / path, "# X\n")
    write(tmp_path / "src/tasks/run.py", "x = 1\n")
    found = sorted(source.path for source in decision_sources(given_store("decisions", tmp_path), never()))
    assert found == [
        ".coding-aider-plans/d.md",
        ".decisions/b.md",
        "docs/adr/0001-a.md",
        "process/tasks/003-c.md",
        "rfcs/e.md",
    ]


def test_further_folders_come_by_setting_and_by_the_tools_own_files(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    write(tmp_path / "notes/why/a.md", "# A\n")
    write(tmp_path / "architecture/log/b.md", "# B\n")
    write(tmp_path / ".adr-dir", "architecture/log\n")
    store = given_store("decisions", tmp_path, folders=["notes/why"])
    assert sorted(s.path for s in decision_sources(store, never())) == ["architecture/log/b.md", "notes/why/a.md"]


def test_a_given_folder_is_read_whole_and_its_ids_end_with_the_path(tmp_path: Path) -> None:
    write(tmp_path / "docs/adrs/ADR-012-x.md", "# X\n")
    write(tmp_path / "docs/adrs/README.md", "# Index\n")
    [record] = _all("decisions", tmp_path / "docs" / "adrs")
    assert record.key.id == "docs/adrs/ADR-012-x.md" and record.key.root == tmp_path.resolve()
    write(tmp_path / "anything/notes.md", "# Notes\n")
    [note] = _all("decisions", tmp_path / "anything")
    assert (note.key.id, note.key.root, note.form) == ("notes.md", (tmp_path / "anything").resolve(), Form.NOTE)


def test_a_readme_is_a_record_where_there_is_nothing_else(tmp_path: Path) -> None:
    write(tmp_path / "d/README.md", "# Only this\n")
    assert [r.title for r in _all("decisions", tmp_path / "d")] == ["Only this"]


def test_a_folder_given_inside_a_repository_has_ids_relative_to_it(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    write(tmp_path / "a/deep/place/x.md", "# X\n")
    [record] = _all("decisions", tmp_path / "a" / "deep")
    assert (record.key.root, record.key.id) == (tmp_path.resolve(), "a/deep/place/x.md")


def _issue(**fields: object) -> str:
    return json.dumps({"id": "bd-a1", "title": "T", "status": "open", **fields})


def test_issues_of_beads_are_records_of_one_file(tmp_path: Path) -> None:
    lines = [
        _issue(
            description="why", design="how", created_at="2025-12-30T15:15:34.9-08:00", updated_at="2025-12-31T00:00:00Z"
        ),
        "{broken",
        "[1]",
        _issue(id="bd-a1.2", status="closed", dependencies=[{"depends_on_id": "bd-a1", "type": "supersedes"}]),
        _issue(
            id="bd-t",
            status="tombstone",
            comments=[{"author": "ada", "text": "no", "created_at": "2026-01-01T00:00:00Z"}],
        ),
    ]
    path = write(tmp_path / ".beads/issues.jsonl", "\n".join(lines) + "\n")
    told = DecisionRead()
    records = list(iter_decisions(given_store("beads", path), never(), told))
    assert [r.key.id for r in records] == [
        ".beads/issues.jsonl#bd-a1",
        ".beads/issues.jsonl#bd-a1.2",
        ".beads/issues.jsonl#bd-t",
    ]
    assert told.skipped_lines == 2
    assert [s.part for s in records[0].sections] == ["description", "design"]
    assert records[0].created is not None and records[0].created.utcoffset() is not None
    assert records[1].supersedes == ("bd-a1",) and records[1].settled
    assert records[2].standing is Standing.REJECTED and records[2].sections[0].speaker == "ada"
    for store in (path.parent, tmp_path):
        assert [r.key for r in _all("beads", store)] == [r.key for r in records]
    opened = open_decision(tmp_path, ".beads/issues.jsonl#bd-a1", "design", never())
    assert [p.text for p in opened.passages] == ["T", "open", "how"]
    assert opened.passages[2].span.lines == (1, 1)


def test_a_later_line_of_an_issue_is_the_one_that_opens(tmp_path: Path) -> None:
    path = write(tmp_path / "issues.jsonl", _issue(title="old") + "\n" + _issue(title="new") + "\n")
    assert open_decision(tmp_path, "issues.jsonl#bd-a1", None, never()).title == "new"
    assert path.exists()


def test_an_opened_record_has_title_status_and_the_wanted_section(tmp_path: Path) -> None:
    write(tmp_path / "adr/0003-x.md", NYGARD)
    opened = open_decision(tmp_path, "adr/0003-x.md", "Decision", never())
    assert (opened.passages[0].role, opened.passages[0].text) == ("title", "3. Use a lock file")
    assert (opened.passages[-1].role, opened.passages[-1].text, opened.passages[-1].span.lines) == (
        "reason",
        "We take a lock.",
        (21, 21),
    )
    lines = NYGARD.split("\n")
    for passage in open_decision(tmp_path, "adr/0003-x.md", None, never()).passages:
        assert passage.span.lines is not None
        assert passage.text in "\n".join(lines[passage.span.lines[0] - 1 : passage.span.lines[1]])


def test_a_path_with_a_hash_sign_opens(tmp_path: Path) -> None:
    write(tmp_path / "process/tasks/md#409/spec.md", "# Spec\n\n## Why\n\nBecause.\n")
    assert open_decision(tmp_path, "process/tasks/md#409/spec.md", None, never()).title == "Spec"
    assert open_decision(tmp_path, "process/tasks/md", "409/spec.md", never()).title == "Spec"


@pytest.mark.parametrize(("identity", "part"), [("gone.md", None), ("a.md", "No such section"), ("c.jsonl#bd-9", None)])
def test_what_is_gone_is_said_to_be_gone(tmp_path: Path, identity: str, part: str | None) -> None:
    write(tmp_path / "a.md", "# A\n")
    write(tmp_path / "c.jsonl", _issue() + "\n")
    with pytest.raises(AnamnesisError) as error:
        open_decision(tmp_path, identity, part, never())
    assert error.value.code is ErrorCode.RECORD_GONE and error.value.remedy


@pytest.mark.parametrize("identity", ["../secret.md", "/etc/passwd", "link.md", "folder/../../secret.md", "a\0b"])
def test_nothing_outside_the_root_is_read(tmp_path: Path, identity: str) -> None:
    root = tmp_path / "root"
    write(tmp_path / "secret.md", "# Secret\n")
    write(root / "folder/a.md", "# A\n")
    (root / "link.md").symlink_to(tmp_path / "secret.md")
    with pytest.raises(AnamnesisError) as error:
        read_decision(root, identity, never())
    assert error.value.code in (ErrorCode.OUTSIDE_ROOT, ErrorCode.RECORD_GONE)


def test_a_linked_folder_is_not_entered_and_a_pipe_does_not_block(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    write(outside / "x.md", "# X\n")
    root = tmp_path / "root"
    write(root / "a.md", "# A\n")
    (root / "linked").symlink_to(outside)
    os.mkfifo(root / "pipe.md")
    assert [r.title for r in _all("decisions", root)] == ["A"]
    with pytest.raises(AnamnesisError):
        plain.read_confined(root, "pipe.md", 100)


def test_a_file_that_cannot_be_read_is_told_and_the_others_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "d/a.md", "# A\n" + "x" * 200)
    write(tmp_path / "d/b.md", "# B\n")
    monkeypatch.setattr("anamnesis_lsp.records.decisions.MAX_RECORD_BYTES", 100)
    told = DecisionRead()
    records = list(iter_decisions(given_store("decisions", tmp_path / "d"), never(), told))
    assert [r.title for r in records] == ["B"]
    assert [n.key.id for n in told.not_opened] == ["a.md"]


def test_a_store_that_is_not_there_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(AnamnesisError) as error:
        given_store("decisions", tmp_path / "no")
    assert error.value.code is ErrorCode.STORE_UNREADABLE


def test_reading_stops_when_it_is_cancelled(tmp_path: Path) -> None:
    write(tmp_path / "d/a.md", "# A\n")
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        list(iter_decisions(given_store("decisions", tmp_path / "d"), token))


def test_a_repository_with_beads_has_two_stores(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    write(tmp_path / ".beads/issues.jsonl", _issue() + "\n")
    assert [s.kind for s in repository_stores(tmp_path)] == ["decisions", "beads"]


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"\xef\xbb\xbf# A\r\nb\r\n", "# A\nb\n"),
        ("# Ü\n".encode("utf-16"), "# Ü\n"),
        ("# Grüße\n".encode("latin-1"), "# Grüße\n"),
        (b"# A\xff " + "ü".encode() * 20, "# A\ufffd " + "ü" * 20),
    ],
)
def test_text_is_decoded_as_it_was_meant(data: bytes, text: str) -> None:
    assert plain.decode(data) == text


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(
        st.one_of(
            st.text(max_size=40),
            st.sampled_from(
                [
                    "---",
                    "# A",
                    "## Status",
                    "Status: accepted",
                    "```",
                    "~~~",
                    "===",
                    "Date: 2024-13-45",
                    "date: 0000-00-00T99:99:99+99:99",
                    "Superseded by ADR-1",
                    "[x](../../y.md)",
                    "| a | b |",
                    "\0",
                    "\u2028",
                    "- item",
                    "+++",
                    "2024年99月1日",
                    "99 Jan 99999",
                ]
            ),
        ),
        max_size=30,
    ),
    st.sampled_from(["adr/0001-x.md", "x.adoc", "y.rst", "md#1/a.md", "20249999-x.md", ""]),
    st.sampled_from(list(Form)),
)
def test_no_text_makes_the_parser_raise_and_sections_are_its_lines(lines: list[str], path: str, form: Form) -> None:
    text = plain.decode("\n".join(lines).encode("utf-8", "replace"))
    record = _parse(path, text, form)
    split = text.split("\n")
    for section in record.sections:
        assert section.text == "\n".join(split[section.lines[0] - 1 : section.lines[1]])
    assert record.title is not None


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=10,
)


@settings(max_examples=150, deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(
            ["id", "title", "status", "description", "comments", "dependencies", "created_at", "superseded_by"]
        ),
        _JSON,
    )
)
def test_no_issue_makes_the_reader_raise(fields: dict[str, object]) -> None:
    from anamnesis_lsp.records.decisions import beads

    record = beads.issue(RecordKey(Kind.DECISION, Path("/r"), "x"), "x", 1, json.dumps(fields).encode())
    assert record is None or record.text.encode("utf-8") is not None
