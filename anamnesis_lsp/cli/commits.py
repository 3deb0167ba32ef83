"""Commits for people: the steps of lines or of a file (``history``), and commits sought (``search``).

Each function yields what is printed, one JSON object or one text block at a time, as git finds it. Errors are
``AnamnesisError``.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.cli.output import DONE, NOTHING, print_json
from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.records.git import Repository, check_range, editor_lines, search
from anamnesis_lsp.records.git.follow import file_history
from anamnesis_lsp.records.git.history import history, report
from anamnesis_lsp.records.git.notebook import file_lines
from anamnesis_lsp.records.git.selection import tracked_spelling
from anamnesis_lsp.records.git.text import printable

ANSWERS = 50
"""Commits that a search prints where no number is asked for."""

_FILE_STATUS = {"A": "added", "M": "changed", "D": "deleted", "R": "renamed", "T": "type changed"}


def of_lines(
    name: str, lines: tuple[int, int], rev: str | None, cell: str | None, cancel: CancelToken
) -> tuple[Repository, str, str, tuple[int, int]]:
    """Where a history of lines begins: the repository, the commit, the path there, and the lines there.

    Without ``rev`` the lines are those of the file as it lies on disk, changed or not. With a ``cell`` (its place from
    1, or its id) they are that cell's. Raises ``rangeEmpty`` where none of them is committed.
    """
    repository, commit, inside = _found(name, rev, cancel)
    committed = repository.text(commit, inside, cancel)
    text = committed
    if rev is None and not repository.bare:
        with suppress(AnamnesisError):  # what cannot be read or was deleted is asked about as it was committed
            text = repository.work_text(repository.relative(Path.cwd() / name))
    if cell is not None:
        lines = file_lines(text, cell_of(cell), lines)
    if text != committed:
        lines = _committed(repository, commit, inside, text, lines, cancel)
    return repository, commit, inside, lines


def _committed(
    repository: Repository, commit: str, path: str, text: str, lines: tuple[int, int], cancel: CancelToken
) -> tuple[int, int]:
    """Lines of the text on disk as the lines of the committed file that they are, or that they stand in place of."""
    first, last = check_range(path, *lines, len(editor_lines(text)))
    found = repository.line_map(path, text, cancel, commit).committed_range(first, last)
    if found is None:
        raise AnamnesisError(
            ErrorCode.RANGE_EMPTY,
            f"No line from {first} to {last} of {printable(path)} is committed yet: they have no history.",
            "Commit them first, or select others.",
        )
    return found


def cell_of(cell: str) -> int | str:
    """A cell as it was given: a number is its place from 1, anything else its id."""
    return int(cell) - 1 if cell.isdecimal() and int(cell) > 0 else cell


def line_steps(
    repository: Repository, commit: str, path: str, lines: tuple[int, int], cancel: CancelToken
) -> Iterator[str]:
    """The steps of lines, as text."""
    yield from report.rendered(repository, history(repository, commit, path, *lines, cancel), cancel)


def file_steps(name: str, rev: str | None, cancel: CancelToken) -> Iterator[dict[str, Any]]:
    """The commits that changed a file, through its renames, newest first."""
    repository, commit, inside = _found(name, rev, cancel)
    for step in file_history(repository, commit, inside, cancel):
        yield {
            **_told(repository, step.commit, cancel),
            "path": step.path,
            "status": step.status,
            "oldPath": step.old_path,
        }


def sought(
    kind: str,
    text: str,
    paths: Sequence[str],
    rev: str | None,
    cancel: CancelToken,
    limit: int = ANSWERS,
    *,
    everywhere: bool = False,
    all_refs: bool = False,
) -> Iterator[dict[str, Any]]:
    """The commits that ``text`` leads to, newest first: by ``message``, ``author``, ``id`` (a hash, ``#12``,
    ``PROJ-7``, a URL), ``content`` (it was brought or taken) or ``lines`` (a changed line holds it).

    By content without a path only with ``everywhere``: else ``badRequest`` says what that would read, and its cost.
    """
    repository = _repository(Path.cwd() / (paths[0] if paths else "."), cancel)
    start = repository.resolve(rev or "HEAD", cancel)
    inside = [repository.relative(Path.cwd() / path) for path in paths]
    for commit, how in islice(_commits(repository, start, kind, text, inside, cancel, everywhere, all_refs), limit):
        yield {**_told(repository, commit, cancel), "how": how}


def _commits(
    repository: Repository,
    start: str,
    kind: str,
    text: str,
    paths: Sequence[str],
    cancel: CancelToken,
    everywhere: bool,
    all_refs: bool,
) -> Iterable[tuple[str, str]]:
    if kind == "id":
        return [(named.commit, named.how) for named in search.by_identifier(repository, start, text, cancel)]
    if kind == "message":
        entries = search.by_message(repository, start, text, cancel, paths or None, all_refs=all_refs)
        return ((entry.commit, kind) for entry in entries)
    if kind == "author":
        return ((e.commit, kind) for e in search.by_author(repository, start, text, cancel, paths or None))
    how: search.ContentHow = "lines" if kind == "lines" else "occurrences"
    if paths:
        return ((commit, kind) for commit in search.by_content(repository, start, text, paths, cancel, how))
    if everywhere:
        return ((commit, kind) for commit in search.by_content_everywhere(repository, start, text, cancel, how))
    wider = search.expansion(repository, start, text, cancel)
    raise AnamnesisError(
        ErrorCode.BAD_REQUEST,
        f"Without a path this would read {wider.reach}: {wider.cost}.",
        "Name a path, or give --everywhere to have it read.",
    )


def _found(name: str, rev: str | None, cancel: CancelToken) -> tuple[Repository, str, str]:
    repository = _repository(Path.cwd() / name, cancel)
    commit = repository.resolve(rev or "HEAD", cancel)
    inside = repository.relative(Path.cwd() / name)
    return repository, commit, tracked_spelling(repository, commit, inside, cancel, by_rev=rev is not None)


def _repository(path: Path, cancel: CancelToken) -> Repository:
    """The repository that a path lies in; where it lies in none, the bare one that is the working directory."""
    try:
        return Repository.discover(path, cancel)
    except AnamnesisError as error:
        if error.code is ErrorCode.NOT_A_REPOSITORY:
            with suppress(AnamnesisError):
                here = Repository.discover(Path.cwd(), cancel)
                if here.bare:
                    return here
        raise


def _told(repository: Repository, commit: str, cancel: CancelToken) -> dict[str, Any]:
    found = repository.commit(commit, cancel)
    return {
        "commit": commit,
        "author": found.author.name,
        "email": found.author.email,
        "date": found.author_time.isoformat(timespec="seconds"),
        "subject": found.subject,
    }


def as_text(told: dict[str, Any]) -> str:
    """An entry of :func:`file_steps` or :func:`sought` for people, in two lines."""
    note = str(_FILE_STATUS.get(told.get("status", ""), told.get("how", "")))
    if told.get("oldPath"):
        note = f"{note} from {told['oldPath']}"
    head = f"{told['commit'][:12]}  {told['date'][:10]}  {told['author']}"
    return f"{report.shown(head)}  ({report.shown(note)})\n    {report.shown(told['subject'])}"


def print_each(entries: Iterator[dict[str, Any]], options: argparse.Namespace) -> int:
    """Print commits as they come; returns 1 where there are none."""
    any_found = False
    for entry in entries:
        any_found = True
        if options.json:
            print_json(entry)
        else:
            print(as_text(entry))
        sys.stdout.flush()
    return DONE if any_found else NOTHING
