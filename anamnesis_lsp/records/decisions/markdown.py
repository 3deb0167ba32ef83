"""Markdown (AsciiDoc, reStructuredText) decision records: title, status, dates, sections. Pure.

Forms read: Nygard's (``Date:``, ``## Status``), MADR (front matter or a ``* Status:`` list), log4brains (``- Status:``,
the day in the file's name), and plain task, plan and RFC files. Headings are told from fenced code.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from urllib.parse import unquote

from anamnesis_lsp.records.decisions.model import DecisionRecord, Form, Section, Sense, Standing
from anamnesis_lsp.records.decisions.vocabulary import (
    DATE_KEYS,
    EXTENSIONS,
    STATUS_KEYS,
    UPDATED_KEYS,
    sense,
    standing,
)
from anamnesis_lsp.records.evidence import RecordKey
from anamnesis_lsp.records.identifiers import IdKind, canonical_number, values

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_ATX = re.compile(r" {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*\Z")
_ADOC = re.compile(r"(={1,6})[ \t]+(\S.*)\Z")
_RULE = re.compile(r" {0,3}(=+|-+|~+|\^+|\"+)[ \t]*\Z")
_FIELD = re.compile(
    r"[ \t]*(?:[-*+>|][ \t]+)?(?:[*_]{1,2})?([^\W\d_][\w /-]{0,30}?)(?:[*_]{1,2})?"
    r"[ \t]*[:：|][ \t]*(?:[*_]{1,2}[ \t]*)?(.*)"
)
_FRONT_KEY = re.compile(r"([A-Za-z][\w -]{0,40}):[ \t]*(.*)")
_ISO = re.compile(
    r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[T ](\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?[ ]?(Z|UTC|[+-]\d{2}:?\d{2})?)?"
)
_CJK_DAY = re.compile(r"(\d{4})年(\d{1,2})月(\d{1,2})日")
_NAMED_DAY = re.compile(
    r"(?:(\d{1,2})(?:st|nd|rd|th)?\.?[ ]+([A-Za-z]{3,9})\.?"
    r"|([A-Za-z]{3,9})\.?[ ]+(\d{1,2})(?:st|nd|rd|th)?),?[ ]+(\d{4})"
)
_MONTHS = {name: n for n, name in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split(), 1)}  # noqa: SIM905
_FILE_DAY = re.compile(r"(\d{4})-?(\d{2})-?(\d{2})(?=[-_T.])")
_HEADER_LINES = 40

_SUPERSEDED_BY = re.compile(r"\b(?:superseded|replaced|obsoleted)[- _]?by\b|被.{0,12}取代|已由", re.IGNORECASE)
_SUPERSEDES = re.compile(r"\b(?:supersedes|supercedes|replaces|obsoletes|amends)\b|取代(?!者)", re.IGNORECASE)
_LINK = re.compile(r"\]\(<?([^)\s>]+)>?\)")
_TOKEN = re.compile(r"(?<![\w@.+/:-])[\w@.+/-]{3,300}(?![\w@.+/:-]|\()")
_NUMBERED = re.compile(r"(?:(?P<prefix>[A-Za-z]{2,12})[-_ #]*)?(?P<number>\d{1,6})(?=[-_. ]|\Z)")


@dataclass(frozen=True, slots=True)
class _Heading:
    level: int
    text: str
    line: int
    """1-based line of the heading's text."""
    body: int
    """1-based line after the heading."""


def parse(key: RecordKey, path: str, text: str, form: Form) -> DecisionRecord:
    """Read one file as one record. Never raises: what is not there is None or empty."""
    lines = text.split("\n")
    front, first = _front_matter(lines)
    headings = list(_headings(lines, first, path))
    header = dict(_header_fields(lines, first, headings))
    title, title_line = _title(path, front, headings)
    status, status_line = _status(lines, front, header, headings)
    sections = tuple(_sections(lines, first, headings))
    created, day_only = _created(path, lines, front, header, headings)
    updated = next((d for k in UPDATED_KEYS for d, _ in [_when_of(front, header, k)] if d), None)
    supersedes, superseded_by = _supersession(key, path, lines, front, status_line, headings)
    return DecisionRecord(
        key=key,
        form=form,
        title=title,
        title_line=title_line,
        status=status,
        status_line=status_line,
        standing=Standing.SUPERSEDED if superseded_by else standing(status),
        created=created,
        updated=updated,
        day_only=day_only,
        supersedes=supersedes,
        superseded_by=superseded_by,
        sections=sections,
        ids=tuple(dict.fromkeys(_ids(path, title, front, form))),
        paths=paths(text),
        text=text,
    )


def paths(text: str, limit: int = 400) -> tuple[str, ...]:
    """Paths of files mentioned in ``text``, as written, each once: names with an ending that files of projects have."""
    found: dict[str, None] = {}
    for match in _TOKEN.finditer(text):
        path = match[0].rstrip(".").removeprefix("./")
        folders, _, name = path.rpartition("/")
        stem, dot, ending = name.rpartition(".")
        if (dot and (stem or folders) and ending.lower() in EXTENSIONS) or name in ("Dockerfile", "Makefile"):
            found.setdefault(path)
            if len(found) >= limit:
                break
    return tuple(found)


def when(text: str) -> tuple[datetime | None, bool]:
    """The first date in ``text``, aware, and whether only a day is written (then midnight UTC)."""
    if match := _ISO.search(text):
        year, month, day, hour, minute, second, zone = match.groups()
        made = _at(int(year), int(month), int(day), int(hour or 0), int(minute or 0), int(second or 0), zone)
        return made, hour is None
    if match := _CJK_DAY.search(text):
        return _at(int(match[1]), int(match[2]), int(match[3])), True
    if match := _NAMED_DAY.search(text):
        day, month = match[1] or match[4], match[2] or match[3]
        number = _MONTHS.get(month[:3].lower())
        return (_at(int(match[5]), number, int(day)) if number else None), True
    return None, True


def _at(
    year: int, month: int, day: int, hour: int = 0, minute: int = 0, second: int = 0, zone: str | None = None
) -> datetime | None:
    offset = timedelta()
    if zone and zone not in ("Z", "UTC"):
        digits = zone[1:].replace(":", "")
        offset = timedelta(hours=int(digits[:2]), minutes=int(digits[2:])) * (-1 if zone[0] == "-" else 1)
    try:
        return datetime(year, month, day, hour, minute, second, tzinfo=timezone(offset))
    except (ValueError, OverflowError):
        return None


def _front_matter(lines: list[str]) -> tuple[dict[str, str], int]:
    """Top-level keys of a YAML or TOML head (values as text, a list joined), and the index of the line after it."""
    fence = lines[0].strip() if lines else ""
    if fence not in ("---", "+++"):
        return {}, 0
    end = next(
        (n for n in range(1, min(len(lines), 200)) if lines[n].strip() == fence or lines[n].strip() == "..."), None
    )
    if end is None:
        return {}, 0
    fields: dict[str, str] = {}
    last = ""
    for line in lines[1:end]:
        match = _FRONT_KEY.match(line.replace("=", ":", 1) if fence == "+++" else line)
        if match:
            last = match[1].strip().lower().replace("_", " ")
            fields[last] = match[2].split(" #")[0].strip().strip("\"'")
        elif last and line.strip().startswith("- "):
            fields[last] = f"{fields[last]}, {line.strip()[2:].strip(chr(34) + chr(39))}".lstrip(", ")
    return fields, end + 1


def _headings(lines: list[str], first: int, path: str) -> Iterator[_Heading]:
    fence: str | None = None
    adoc, rst = path.endswith((".adoc", ".asciidoc")), path.endswith(".rst")
    previous = ""
    for n in range(first, len(lines)):
        line = lines[n]
        if match := _FENCE.match(line):
            if fence is None:
                fence = match[1]
            elif match[1][0] == fence[0] and len(match[1]) >= len(fence) and not match[2].strip():
                fence = None
            previous = ""
            continue
        if fence is not None:
            continue
        if adoc and (match := _ADOC.match(line)):
            yield _Heading(len(match[1]), match[2].strip(), n + 1, n + 2)
        elif not adoc and (match := _ATX.match(line)):
            if match[2].strip():
                yield _Heading(len(match[1]), match[2].strip(), n + 1, n + 2)
        elif (
            previous.strip()
            and not previous.startswith(("    ", "\t", "-", "*", ">", "|", "#"))
            and (match := _RULE.match(line))
        ):
            mark = match[1]
            # In Markdown only = and - underline, and a paragraph of several lines is not a heading here.
            if (rst and len(mark) >= len(previous.strip()) - 1) or (
                not rst
                and (mark[0] == "=" or len(mark) >= 3)
                and mark[0] in "=-"
                and (n < 2 or not lines[n - 2].strip())
            ):
                yield _Heading(1 if mark[0] == "=" else 2, previous.strip(), n, n + 2)
        previous = line


def _header_fields(lines: list[str], first: int, headings: list[_Heading]) -> Iterator[tuple[str, tuple[str, int]]]:
    """``Key: value`` lines between the title and the first section, last to first so that the first of a key wins."""
    sections = [h.line for h in headings if h.line > first + 1 and h is not headings[0]]
    end = min(sections[0] - 1 if sections else len(lines), first + _HEADER_LINES)
    for n in reversed(range(first, end)):
        match = _FIELD.match(lines[n])
        if match and match[2].strip(" |*_"):
            yield match[1].strip().lower().replace("_", " "), (match[2].strip().strip("|").strip(), n + 1)


def _title(path: str, front: dict[str, str], headings: list[_Heading]) -> tuple[str, int | None]:
    for heading in headings:
        if heading.level == 1:
            return heading.text, heading.line
    if front.get("title"):
        return front["title"], None
    stem = path.rsplit("/", 1)[-1].rsplit(".", 1)[0]
    if stem.lower() in (
        "pr",
        "spec",
        "plan",
        "tasks",
        "task",
        "design",
        "requirements",
        "notes",
        "readme",
        "index",
        "proposal",
    ):
        folder = path.split("/")[-2:-1]
        return "/".join([*folder, stem]), None
    return stem, None


def _status(
    lines: list[str], front: dict[str, str], header: dict[str, tuple[str, int]], headings: list[_Heading]
) -> tuple[str | None, int | None]:
    for key in STATUS_KEYS:
        if front.get(key):
            return _one_line(front[key]), _front_line(lines, key)
        if key in header:
            return _one_line(_going_on(lines, *header[key])), header[key][1]
    for n, heading in enumerate(headings):
        name, _, rest = heading.text.strip("*_ ").partition(":")
        if name.strip("*_ ").lower() not in STATUS_KEYS:
            continue
        if rest.strip():
            return _one_line(rest), heading.line
        end = headings[n + 1].line if n + 1 < len(headings) else len(lines) + 1
        for number in range(heading.body, min(end, heading.body + 20)):
            if lines[number - 1].strip() and not lines[number - 1].strip().startswith("<!--"):
                return _one_line(lines[number - 1]), number
    return None, None


def _going_on(lines: list[str], text: str, number: int) -> str:
    """A field's value with the lines it goes on in: those below it that begin no field, item or heading."""
    for line in lines[number : number + 4]:
        if not line.strip() or re.match(r"\s*(?:[-*+>#|]|\d+[.)]\s|\*\*|__|[^\s:]{1,30}:\s)", line) or len(text) > 300:
            break
        text = f"{text} {line.strip()}"
    return text


def _front_line(lines: list[str], key: str) -> int | None:
    return next(
        (n + 1 for n in range(min(len(lines), 200)) if lines[n].lower().replace("_", " ").startswith(f"{key}:")), None
    )


def _one_line(text: str) -> str:
    """A status as written, without list mark, emphasis and quotes around it."""
    return re.sub(r"\A[-*+>\s]+(?=\S)|[*_`]{2,}", "", text.strip()).strip("*_`\"' ").strip()


def _created(
    path: str, lines: list[str], front: dict[str, str], header: dict[str, tuple[str, int]], headings: list[_Heading]
) -> tuple[datetime | None, bool]:
    for key in DATE_KEYS:
        made, day_only = _when_of(front, header, key)
        if made:
            return made, day_only
    for n, heading in enumerate(headings):
        if heading.text.strip("*_: ").lower() in DATE_KEYS:
            end = headings[n + 1].line if n + 1 < len(headings) else len(lines) + 1
            made, day_only = when("\n".join(lines[heading.body - 1 : min(end - 1, heading.body + 5)]))
            if made:
                return made, day_only
    match = _FILE_DAY.match(path.rsplit("/", 1)[-1])
    if match:
        return _at(int(match[1]), int(match[2]), int(match[3])), True
    return None, True


def _when_of(front: dict[str, str], header: dict[str, tuple[str, int]], key: str) -> tuple[datetime | None, bool]:
    for text in (front.get(key), header[key][0] if key in header else None):
        if text:
            made, day_only = when(text)
            if made:
                return made, day_only
    return None, True


def _sections(lines: list[str], first: int, headings: list[_Heading]) -> Iterator[Section]:
    parts: dict[str, int] = {}
    above: list[_Heading] = []
    marks = [_Heading(0, "", first, first + 1), *headings]
    for n, heading in enumerate(marks):
        end = marks[n + 1].line - 1 if n + 1 < len(marks) else len(lines)
        while above and above[-1].level >= heading.level:
            above.pop()
        within = tuple(h.text for h in above if h.level > 1)
        if heading.level:
            above.append(heading)
        start, stop = heading.body, end
        while start <= stop and not lines[start - 1].strip():
            start += 1
        while stop >= start and not lines[stop - 1].strip():
            stop -= 1
        if start > stop:
            continue
        count = parts[heading.text] = parts.get(heading.text, 0) + 1
        part = heading.text if count == 1 else f"{heading.text} ({count})"
        inherited = next(
            (s for h in (heading.text, *reversed(within)) if (s := sense(h)) is not Sense.OTHER), Sense.OTHER
        )
        yield Section(heading.text, part, (start, stop), "\n".join(lines[start - 1 : stop]), inherited, within)


def _supersession(
    key: RecordKey,
    path: str,
    lines: list[str],
    front: dict[str, str],
    status_line: int | None,
    headings: list[_Heading],
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    older: dict[str, None] = {}
    newer: dict[str, None] = {}
    for name in ("supersedes", "replaces", "superseded by", "superseded-by", "replaced by"):
        if front.get(name):
            (older if name in ("supersedes", "replaces") else newer).update(dict.fromkeys(_records(front[name], path)))
    status_end = next((h.line - 1 for h in headings if status_line and h.line > status_line), len(lines))
    numbers = {*range(1, min(len(lines), _HEADER_LINES) + 1)}
    if status_line:
        numbers |= {*range(status_line, min(status_end, status_line + 20) + 1)}
    own = set(_ids(path, "", {}, Form.ADR))
    for number in sorted(numbers):
        line = lines[number - 1]
        by = _SUPERSEDED_BY.search(line)
        if by:
            newer.update(dict.fromkeys(r for r in _records(line[by.start() :], path) if r not in own))
        elif over := _SUPERSEDES.search(line):
            older.update(dict.fromkeys(r for r in _records(line[over.start() :], path) if r not in own))
    del key
    return tuple(older), tuple(newer)


def _records(text: str, path: str) -> Iterator[str]:
    """Records that a phrase names: by id, else by a link to a file beside this one."""
    named = list(values(text, IdKind.DECISION, IdKind.RFC, IdKind.TASK))
    if named:
        yield from named
        return
    for match in _LINK.finditer(text):
        target = unquote(match[1].split("#")[0])
        if target and "://" not in target:
            yield posixpath.normpath(posixpath.join(posixpath.dirname(path), target))


def _ids(path: str, title: str, front: dict[str, str], form: Form) -> Iterator[str]:
    for written in (front.get("id"), front.get("adr"), front.get("number")):
        if written and written.isdecimal():
            yield from _spelled("ADR" if form is Form.ADR else "RFC" if form is Form.RFC else "task", written)
        elif written:
            yield written
    *folders, name = path.split("/")
    named = {folder.lower() for folder in folders}
    usual = {Form.ADR: "ADR", Form.RFC: "RFC", Form.TASK: "task" if named & {"tasks", ".tasks"} else "spec"}.get(
        form, ""
    )
    for text in (name, *folders[-1:]):
        match = _NUMBERED.match(text)
        if match is None or _FILE_DAY.match(text):
            continue
        prefix = match["prefix"] or usual
        if prefix:
            yield from _spelled(prefix, match["number"])
            if named & {"tasks", ".tasks", "issues"}:
                yield f"#{int(match['number'])}"
            break
    if match := re.match(r"(?:Task[: ]*)?(#\d{1,6}|[A-Z]{2,10}-\d{1,6})\b", title):
        yield canonical_number("", match[1][1:]) if match[1][0] == "#" else match[1]


def _spelled(prefix: str, number: str) -> Iterator[str]:
    yield canonical_number(prefix, number)
    written = f"{prefix.lower()}#{number}" if prefix.lower() in ("task", "md", "mt") else f"{prefix.upper()}-{number}"
    yield written
