"""Searches of a history: by message, by author, by identifier, by content.

By content, ``-S`` (the number of occurrences changed) and ``-G`` (a changed line holds it) are run at once for a path.
Over a whole repository each commit is compared with its parent: that is never run unasked but offered as an
:class:`Expansion`, with a cost from what this machine took for the last commits of the same repository.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Literal

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.records.git.log import LOG_SECONDS
from anamnesis_lsp.records.git.model import LogEntry
from anamnesis_lsp.records.git.repository import Repository
from anamnesis_lsp.records.identifiers import IdKind, identifiers

MOST_CHARACTERS = 500
"""Of a sought text; a longer one (a minified line) is cut."""
SAMPLE = 120
"""Commits that are searched to learn what a commit costs."""

ContentHow = Literal["occurrences", "lines"]
"""``-S``: how often the text occurs changed. ``-G``: a line that was added or removed holds it."""


class PullKind(str, Enum):
    """How a message names a pull or merge request."""

    MERGE = "merge"
    """It is the merge of it."""
    SQUASH = "squash"
    """It is the squashed request."""


@dataclass(frozen=True, slots=True)
class Pull:
    """The pull or merge request that a commit is the merge or the squash of."""

    number: int
    kind: PullKind
    project: str | None = None
    """The project, where the message names it."""


@dataclass(frozen=True, slots=True)
class Expansion:
    """A search that was not run: what it would read, and about how long it takes."""

    commits: int
    seconds: float
    measured: int
    """Commits that the estimate was measured on."""

    @property
    def reach(self) -> str:
        """What would be searched, in words."""
        return f"the changes of all {self.commits:,} commits of the history"

    @property
    def cost(self) -> str:
        """The cost, in words."""
        seconds = max(1, round(self.seconds))
        return f"about {seconds} s" if seconds < 90 else f"about {round(seconds / 60)} min"


_MERGES = (
    re.compile(r"Merge pull request #(?P<n>\d+) (?:from|in) (?P<p>\S+)?"),
    re.compile(r"Merged in \S+ \(pull request #(?P<n>\d+)\)"),
    re.compile(r"Pull request #(?P<n>\d+): "),
    re.compile(r"Merged PR (?P<n>\d+): "),
    re.compile(r"Merge PR #(?P<n>\d+)\b"),
    re.compile(r"Merge #(?P<n>\d+)\b"),
    re.compile(r"Auto merge of #(?P<n>\d+) - "),
)
_MERGES_BELOW = (
    re.compile(r"^See merge request (?P<p>[\w./-]+)?!(?P<n>\d+)\s*$", re.MULTILINE),
    re.compile(r"^Reviewed-on: https?://\S+/pulls/(?P<n>\d+)\s*$", re.MULTILINE),
)
_SPECIAL = re.compile(r"[\[\]\\.*^$+?(){}|]")
_SQUASH = re.compile(r".*\((?:#|!|pull request #)(?P<n>\d+)\)\s*$")


def pull_of(message: str) -> Pull | None:
    """The request that a message says its commit is the merge or the squash of; a mere mention is none."""
    subject = message.split("\n", 1)[0]
    for form in _MERGES:
        match = form.match(subject)
        if match is not None:
            return Pull(int(match["n"]), PullKind.MERGE)
    for form in _MERGES_BELOW:
        match = form.search(message)
        if match is not None:
            named = match.groupdict().get("p")
            return Pull(int(match["n"]), PullKind.MERGE, named or None)
    match = _SQUASH.match(subject)
    return None if match is None else Pull(int(match["n"]), PullKind.SQUASH)


def by_message(
    repo: Repository,
    start: str,
    text: str,
    cancel: CancelToken,
    paths: Sequence[str] | None = None,
    limit: int | None = None,
    all_refs: bool = False,
) -> Iterator[LogEntry]:
    """Commits whose message holds ``text``, upper or lower case, newest first, as they are found."""
    return repo.log(start, cancel, paths, limit, grep=_sought(text), all_refs=all_refs)


def by_author(
    repo: Repository,
    start: str,
    author: str,
    cancel: CancelToken,
    paths: Sequence[str] | None = None,
    limit: int | None = None,
) -> Iterator[LogEntry]:
    """Commits whose author's name or address holds ``author``, upper or lower case, newest first."""
    return repo.log(start, cancel, paths, limit, author=_sought(author))


def by_content(
    repo: Repository,
    start: str,
    text: str,
    paths: Sequence[str],
    cancel: CancelToken,
    how: ContentHow = "occurrences",
    limit: int | None = None,
) -> Iterator[str]:
    """The ids of the commits that changed ``text`` in one of the ``paths``, newest first, as git finds them.

    ``text`` is literal, its case counts; its first line is sought, of at most 500 characters. Commits are compared
    with their first parent, merges are passed over. Raises ``objectMissing`` in a partial clone, ``badRequest`` without
    paths: for a whole repository see :func:`expansion`.
    """
    if not paths:
        raise AnamnesisError(
            ErrorCode.BAD_REQUEST,
            "A search by content needs a path.",
            "Name the file, or admit the search of the whole repository.",
        )
    return _contents(repo, start, text, paths, cancel, how, limit)


def by_content_everywhere(
    repo: Repository,
    start: str,
    text: str,
    cancel: CancelToken,
    how: ContentHow = "occurrences",
    limit: int | None = None,
) -> Iterator[str]:
    """As :func:`by_content` over every file: only when the person admitted the :class:`Expansion`."""
    return _contents(repo, start, text, (), cancel, how, limit)


def _contents(
    repo: Repository,
    start: str,
    text: str,
    paths: Sequence[str],
    cancel: CancelToken,
    how: ContentHow,
    limit: int | None,
) -> Iterator[str]:
    arguments = ["--format=%H", "--no-renames", *_pickaxe(text, how)]
    if limit is not None:
        arguments.append(f"--max-count={limit}")
    with repo.stream("log", *arguments, start, "--", *paths, cancel=cancel, seconds=LOG_SECONDS) as lines:
        for line in lines:
            yield line.decode("ascii", "replace")


def _pickaxe(text: str, how: ContentHow) -> tuple[str, ...]:
    sought = _sought(text)
    return (f"-S{sought}",) if how == "occurrences" else (f"-G{_SPECIAL.sub(_escaped, sought)}",)


def _escaped(match: re.Match[str]) -> str:
    """A character that is special in a regular expression of POSIX, basic or extended, as itself."""
    return r"\^" if match[0] == "^" else r"\\" if match[0] == "\\" else f"[{match[0]}]"


def _sought(text: str) -> str:
    line = next((part.strip() for part in text.split("\n") if part.strip()), "")[:MOST_CHARACTERS]
    if not line or "\0" in line:
        raise AnamnesisError(
            ErrorCode.BAD_REQUEST, "There is nothing to search for.", "Give a text of at least one character."
        )
    return line


def expansion(repo: Repository, start: str, text: str, cancel: CancelToken) -> Expansion:
    """What a search by content over the whole history would cost, from the last :data:`SAMPLE` commits. Some 0.1 s."""
    recent = repo.run("rev-list", "--no-merges", f"--max-count={SAMPLE}", start, cancel=cancel).decode("ascii").split()
    begin = time.perf_counter()
    arguments = ["--format=%H", "--no-renames", "--no-walk=unsorted", *_pickaxe(text, "occurrences"), "--stdin"]
    try:
        repo.run("log", *arguments, cancel=cancel, input_="\n".join([*recent, ""]).encode(), seconds=30.0)
    except AnamnesisError as error:
        if error.code not in (ErrorCode.GIT_TIMEOUT, ErrorCode.GIT_FAILED):
            raise
    spent = time.perf_counter() - begin
    commits = int(repo.run("rev-list", "--count", "--no-merges", start, cancel=cancel).decode("ascii").strip() or 0)
    return Expansion(commits, spent * commits / max(1, len(recent)), len(recent))


@dataclass(frozen=True, slots=True)
class Named:
    """A commit that an identifier leads to, and how."""

    commit: str
    how: Literal["hash", "merge", "squash", "mention"]


def by_identifier(repo: Repository, start: str, identifier: str, cancel: CancelToken, limit: int = 20) -> list[Named]:
    """The commits that an identifier leads to: a hash (also a short one) names its commit; an issue, a pull or merge
    request (``#12``, ``!12``), a ticket (``PROJ-12``) or a URL the commits whose message holds it as a whole word.

    The merge or the squash of a request first, then mentions, newest first.
    """
    word = identifier.strip()
    found = identifiers(word)
    if re.fullmatch(r"[0-9a-fA-F]{4,64}", word) and (not found or found[0].kind is IdKind.COMMIT):
        try:
            return [Named(repo.resolve(word.lower(), cancel), "hash")]
        except AnamnesisError as error:
            if error.code is not ErrorCode.UNKNOWN_REVISION:
                raise
            return []
    number = re.fullmatch(r"(?:[\w.-]+/[\w./-]+)?[#!](\d+)|GH-(\d+)", word, re.IGNORECASE)
    digits = (number[1] or number[2]) if number else None
    whole = re.compile(
        rf"(?<![\w#!])(?:#|!|GH-|PR ){digits}(?!\w)|/(?:pull|pulls|pull-requests|merge_requests|issues)/{digits}(?!\w)"
        if digits
        else rf"(?<![\w-]){re.escape(word)}(?![\w-])",
        re.IGNORECASE,
    )
    merges: list[Named] = []
    mentions: list[Named] = []
    for entry in repo.log(start, cancel, grep=digits or _sought(word)):
        pull = pull_of(entry.message) if digits else None
        if pull is not None and pull.number == int(digits or 0):
            merges.append(Named(entry.commit, "merge" if pull.kind is PullKind.MERGE else "squash"))
        elif whole.search(entry.message):
            mentions.append(Named(entry.commit, "mention"))
        if len(merges) + len(mentions) >= limit:
            break
    return [*merges, *mentions]
