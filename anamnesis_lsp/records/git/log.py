"""The log as a stream: commits newest first, with the paths each touched, while git finds them.

git gives ids and raw records (``-z``); authors, times and messages come from the commit objects, so that no mailmap
and no re-encoding stands between.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.records.git.model import LogEntry
from anamnesis_lsp.records.git.objects import ObjectStore
from anamnesis_lsp.records.git.process import GitFailed
from anamnesis_lsp.records.git.shadow import Shadow, missing
from anamnesis_lsp.records.git.text import decode_path

LOG_SECONDS = 600.0
_AT_A_TIME = 256


def read_log(
    shadow: Shadow,
    objects: ObjectStore,
    starts: Sequence[str],
    cancel: CancelToken,
    paths: Sequence[str] | None = None,
    limit: int | None = None,
    since: datetime | None = None,
    grep: str | None = None,
    author: str | None = None,
) -> Iterator[LogEntry]:
    """The commits reachable from ``starts``.

    ``paths`` keeps commits that touched one of them, and only those paths in the entries; ``since`` is compared with
    the commit time; ``grep`` (message) and ``author`` (name or address) are literal text, upper or lower case.
    ``LogEntry.paths`` is against the first parent and empty for merges and where a shallow clone's history ends. Close
    the iterator to stop git. Raises ``objectMissing``, ``gitTimeout``.
    """
    arguments = ["--format=%H", "-z", "--raw", "--no-abbrev", "--no-renames"]
    if limit is not None:
        arguments.append(f"--max-count={limit}")
    if since is not None:
        arguments.append(f"--since={since.isoformat()}")
    if grep is not None or author is not None:
        arguments += ["--fixed-strings", "--regexp-ignore-case"]
    if grep is not None:
        arguments.append(f"--grep={grep}")
    if author is not None:
        arguments.append(f"--author={author}")
    arguments.append("--stdin")
    boundary = shadow.boundary
    stream = shadow.stream(
        "log",
        *arguments,
        "--",
        *(paths or ()),
        cancel=cancel,
        separator=b"\0",
        seconds=LOG_SECONDS,
        input_="".join(f"{start}\n" for start in dict.fromkeys(starts)).encode("ascii"),
    )
    with stream:
        waiting: list[tuple[str, tuple[str, ...]]] = []
        try:
            for commit, touched in _commits(stream):
                waiting.append((commit, () if commit in boundary else touched))
                if len(waiting) >= _AT_A_TIME or not stream.pending:
                    yield from _entries(objects, waiting, cancel)
                    waiting = []
        except GitFailed as error:
            raise missing("Part of this history") from error
        yield from _entries(objects, waiting, cancel)


def _commits(tokens: Iterator[bytes]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """``ID NUL [LF] (:record NUL path NUL)*`` for each commit."""
    commit: str | None = None
    touched: list[str] = []
    for token in tokens:
        token = token.removeprefix(b"\n")
        if token.startswith(b":"):
            touched.append(decode_path(next(tokens, b"")))
        elif token:
            if commit is not None:
                yield commit, tuple(touched)
            commit, touched = token.decode("ascii", "replace"), []
    if commit is not None:
        yield commit, tuple(touched)


def _entries(
    objects: ObjectStore, waiting: Sequence[tuple[str, tuple[str, ...]]], cancel: CancelToken
) -> Iterator[LogEntry]:
    found = objects.commits((commit for commit, _ in waiting), cancel)
    for commit, touched in waiting:
        cancel.check()
        it = found.get(commit)
        if it is not None:
            yield LogEntry(commit, it.author, it.author_time, it.commit_time, it.message, touched, it.parents)
