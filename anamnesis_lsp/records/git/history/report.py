"""What ``anamnesis-lsp history`` writes: JSON for scripts, one line per request of a batch, text for people.

Values and iterators only; the command line does the reading and printing.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.records.git.model import Commit, Match, Step
from anamnesis_lsp.records.git.repository import Repository
from anamnesis_lsp.records.git.weblinks import WebLinks, web_links

from . import committed_range, history

SCHEMA = 1
_GRAPH_FROM = 3
"""Requests about one repository from which a batch first builds our commit-graph of it (once, a second or so)."""

_MATCHED = {
    Match.DIFF: "",
    Match.RENAME: "file renamed",
    Match.MOVE: "moved",
    Match.COPY: "copied",
    Match.RESTORED: "restored after a deletion",
    Match.ORIGIN: "",
    Match.BOUNDARY: "the history of this shallow clone ends here",
}


def diff_text(step: Step) -> str:
    """The change of the span in unified form (without file headers); empty where nothing of the text changed."""
    rows: list[str] = []
    for hunk in step.hunks:
        rows.append(f"@@ -{hunk.old_start},{hunk.old_lines} +{hunk.new_start},{hunk.new_lines} @@")
        rows.extend(hunk.lines)
    return "\n".join(rows)


def step_object(step: Step, commit: Commit | None, web: WebLinks | None = None) -> dict[str, Any]:
    """A step as JSON: ``commit``, ``path``, ``lines`` ([first, last], there, after it), ``match``, ``confidence`` (0
    to 1), ``kind``, ``diff``, and of the commit ``author``, ``email``, ``date`` (ISO 8601 with offset), ``subject``
    (null when it could not be read); by the remote's name, nothing fetched, ``web`` (the file and lines at the commit,
    or null), ``request`` and ``issues`` (pages)."""
    return {
        "commit": step.commit,
        "path": step.path,
        "lines": list(step.lines),
        "match": step.match.value,
        "confidence": step.confidence,
        "kind": step.kind,
        "diff": diff_text(step),
        "author": commit.author.name if commit is not None else None,
        "email": commit.author.email if commit is not None else None,
        "date": commit.author_time.isoformat(timespec="seconds") if commit is not None else None,
        "subject": commit.subject if commit is not None else None,
        "web": web.file if web is not None else None,
        "request": web.pull[1] if web is not None and web.pull is not None else None,
        "issues": [page for _, page in web.issues] if web is not None else [],
    }


def step_objects(repo: Repository, steps: Iterable[Step], cancel: CancelToken) -> Iterator[dict[str, Any]]:
    """The steps as :func:`step_object`, each as soon as it comes."""
    for step in steps:
        commit = repo.commits([step.commit], cancel).get(step.commit)
        web = web_links(repo, commit, cancel, step.path, step.lines) if commit is not None else None
        yield step_object(step, commit, web)


def history_object(
    repo: Repository, commit: str, path: str, start: int, end: int, cancel: CancelToken
) -> dict[str, Any]:
    """What ``history --json`` prints: ``{"schema", "commit", "path", "lines", "steps": [step_object]}``.

    ``commit`` is a full hash. Raises as :func:`.history`.
    """
    start, end = committed_range(repo, commit, path, start, end, cancel)
    steps = history(repo, commit, path, start, end, cancel)
    return {
        "schema": SCHEMA,
        "commit": commit,
        "path": path,
        "lines": [start, end],
        "steps": list(step_objects(repo, steps, cancel)),
    }


def batch_objects(
    requests: Sequence[str],
    here: Path,
    cancel: CancelToken,
    discover: Callable[[Path, CancelToken], Repository] = Repository.discover,
) -> Iterator[dict[str, Any]]:
    """What ``history --batch`` prints, one object per non-blank line of ``requests``, in order.

    A request is ``{"repo"?, "rev"?, "path", "start_line", "end_line"}``, further keys ignored; ``repo`` is a work
    tree or a bare git directory, relative to ``here``, which is also the default; ``rev`` is HEAD when absent. An
    answer is ``{"commits": [hashes of the steps that are not format], "format": [hashes of those that are], "steps":
    [step_object], "seconds": s}``; ``seconds`` is the time to the last step, from the request on. A request that
    cannot be answered gives ``{"error": {"code", "message", "remedy"}}``. Where three or more requests name one
    repository, our commit-graph for it is brought up to date before the first of them.
    """
    rows = [row for row in requests if row.strip()]
    asked: dict[str, int] = {}
    for row in rows:
        name = _repository_of(row)
        asked[name] = asked.get(name, 0) + 1
    prepared: set[str] = set()
    for row in rows:
        cancel.check()
        try:
            request = _parsed(row)
            name = _repository_of(row)
            repo = discover(here / name, cancel)
            if asked[name] >= _GRAPH_FROM and name not in prepared:
                prepared.add(name)
                repo.build_commit_graph(cancel)
            yield _answer(repo, request, cancel)
        except AnamnesisError as error:
            yield {"error": error.as_wire()}


def _answer(repo: Repository, request: Mapping[str, Any], cancel: CancelToken) -> dict[str, Any]:
    began = time.perf_counter()
    path, start, end = _text(request, "path"), _number(request, "start_line"), _number(request, "end_line")
    commit = repo.resolve(_text(request, "rev") if request.get("rev") is not None else "HEAD", cancel)
    steps = list(history(repo, commit, path, start, end, cancel))
    seconds = time.perf_counter() - began
    return {
        "commits": [step.commit for step in steps if step.kind != "format"],
        "format": [step.commit for step in steps if step.kind == "format"],
        "steps": list(step_objects(repo, steps, cancel)),
        "seconds": round(seconds, 4),
    }


def _parsed(row: str) -> dict[str, Any]:
    try:
        value: object = json.loads(row)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise AnamnesisError(
            ErrorCode.BAD_REQUEST,
            "A line of the batch is not a JSON object.",
            'Write one object per line: {"rev", "path", "start_line", "end_line"}.',
        )
    return cast("dict[str, Any]", value)


def _repository_of(row: str) -> str:
    try:
        name = _parsed(row).get("repo")
    except AnamnesisError:
        return ""
    return name if isinstance(name, str) else ""


def _text(request: Mapping[str, Any], key: str) -> str:
    value = request.get(key)
    if not isinstance(value, str) or not value:
        raise AnamnesisError(
            ErrorCode.BAD_REQUEST, f"The request has no '{key}'.", f"Give '{key}' as a non-empty string."
        )
    return value


def _number(request: Mapping[str, Any], key: str) -> int:
    value = request.get(key)
    if not isinstance(value, int) or isinstance(value, bool):
        raise AnamnesisError(
            ErrorCode.BAD_REQUEST, f"The request has no '{key}'.", f"Give '{key}' as a whole number, counted from 1."
        )
    return value


def rendered(repo: Repository, steps: Iterable[Step], cancel: CancelToken, with_diff: bool = True) -> Iterator[str]:
    """The steps for people, one text block each, as they come: who, when, what kind, where, the subject, the diff.

    Plain text; what comes from commits has its control characters shown as escapes, so that none reaches the terminal.
    """
    for step in steps:
        commit = repo.commits([step.commit], cancel).get(step.commit)
        when = commit.author_time.strftime("%Y-%m-%d") if commit is not None else "unknown date"
        author = commit.author.name if commit is not None else "unknown author"
        facts = [step.kind, *(note for note in (_MATCHED[step.match],) if note)]
        if step.match not in (Match.ORIGIN, Match.BOUNDARY) and step.confidence < 0.995:
            facts.append(f"{step.confidence:.0%} sure")
        rows = [f"{step.commit[:12]}  {when}  {shown(author)}  ({', '.join(facts)})"]
        rows.append(f"    {shown(commit.subject if commit is not None else '')}")
        rows.append(f"    {shown(step.path)}:{step.lines[0]}-{step.lines[1]}")
        if with_diff and step.hunks:
            rows.extend(f"    {shown(row)}" for row in diff_text(step).split("\n"))
        yield "\n".join(rows) + "\n"


def shown(text: str) -> str:
    """One line of a record without live control or direction characters; tabs stay."""
    return "".join(
        c if c == "\t" or c.isprintable() or c == " " else c.encode("unicode_escape", "backslashreplace").decode()
        for c in text
    )
