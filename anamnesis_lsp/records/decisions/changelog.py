"""Entries of a change log: one record per version. Pure.

Keep a Changelog's form (``## [1.2.0] - 2024-01-31``) and its relatives: the headings of the level that names versions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from anamnesis_lsp.records.decisions import markdown
from anamnesis_lsp.records.decisions.model import DecisionRecord, Form
from anamnesis_lsp.records.evidence import Kind, RecordKey

_VERSION = re.compile(
    r"\A\s*[\[(*_`]*(?:(?:version|release|rel\.?)\s+)?(v?\d+(?:\.\d+){0,3}(?:[-+.]?[\w.]+)?|unreleased|next|upcoming|\d{4}-\d{2}-\d{2})\b",
    re.IGNORECASE,
)
_HEADING = re.compile(r" {0,3}(#{1,4})[ \t]+(.*?)[ \t#]*\Z")


def entries(key: RecordKey, path: str, text: str) -> Iterator[DecisionRecord]:
    """One record per version, its id ``path#VERSION``; a log without headings of versions is one record."""
    lines = text.split("\n")
    marks: list[tuple[int, int, str]] = []
    fenced = False
    for number, line in enumerate(lines):
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        elif not fenced and (match := _HEADING.match(line)) and (version := _VERSION.match(match[2])):
            marks.append((number, len(match[1]), version[1]))
    level = min((mark[1] for mark in marks), default=0)
    marks = [mark for mark in marks if mark[1] == level]
    if not marks:
        yield markdown.parse(key, path, text, Form.CHANGELOG)
        return
    seen: dict[str, int] = {}
    name = path.rsplit("/", 1)[-1].rsplit(".", 1)[0]
    for n, (start, _, version) in enumerate(marks):
        end = marks[n + 1][0] if n + 1 < len(marks) else len(lines)
        seen[version] = seen.get(version, 0) + 1
        part = version if seen[version] == 1 else f"{version} ({seen[version]})"
        body = "\n".join(lines[start:end])
        one = markdown.parse(RecordKey(Kind.DECISION, key.root, f"{path}#{part}"), path, body, Form.CHANGELOG)
        created, day_only = markdown.when(lines[start])
        yield replace(
            one,
            title=f"{name} {version}",
            title_line=start + 1,
            status=None,
            status_line=None,
            standing=None,
            created=created,
            day_only=day_only,
            supersedes=(),
            superseded_by=(),
            sections=tuple(
                replace(section, lines=(section.lines[0] + start, section.lines[1] + start)) for section in one.sections
            ),
            ids=(version,),
        )
