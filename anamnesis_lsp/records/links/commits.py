"""What is recorded about one commit: by its message, its checkpoints, its notes, and its own files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.records.decisions.store import form_of
from anamnesis_lsp.records.git.model import FileChange, Ref
from anamnesis_lsp.records.links.checkpoints import Checkpoints
from anamnesis_lsp.records.links.foreign import bare_session
from anamnesis_lsp.records.links.messages import message_links
from anamnesis_lsp.records.links.model import GitTrees, Link, LinkKind, Place, once
from anamnesis_lsp.records.links.notes import note_links

_AIDER_START = re.compile(r"\+# aider chat started at (\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)\s*\Z")
_ENTIRE_FILE = re.compile(r"\.entire/metadata/([\w.-]{8,100})/")
_CLAUDE_FILE = re.compile(r"(?:^|/)([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22,27})\.jsonl\Z")


def file_links(changes: Iterable[FileChange]) -> list[Link]:
    """What a commit's own files say: conversations and decision records committed with the code.

    Where the changes carry hunks, a chat history of aider names the launches that were added to it, an issue file of
    beads the issues that were written, and a file that only lost lines names nothing.
    """
    links: list[Link] = []
    for change in changes:
        path = change.path
        name = path.rpartition("/")[2]
        added = [line for hunk in change.hunks for line in hunk.lines if line.startswith("+")]
        if _shrank(change):
            continue
        if "/.specstory/history/" in f"/{path}" and name.endswith(".md"):
            links.append(Link(LinkKind.SESSION, path, Place.FILES, path, path, "specstory", path=path))
        elif name.endswith(".aider.chat.history.md"):
            starts = [f"{path}#{m[1]}T{m[2]}" for line in added if (m := _AIDER_START.match(line))]
            for value in starts or [path]:
                links.append(Link(LinkKind.SESSION, value, Place.FILES, path, path, "aider", path=path))
        elif entire := _ENTIRE_FILE.search(path):
            value = bare_session(entire[1])
            links.append(Link(LinkKind.SESSION, value, Place.FILES, path, path, None, path=path))
        elif claude := _CLAUDE_FILE.search(path):
            links.append(Link(LinkKind.SESSION, claude[1], Place.FILES, path, path, "claude-code", path=path))
        elif path.startswith(".beads/") and name.endswith(".jsonl"):
            for line in added:
                if match := re.match(r"\+\{\"id\": ?\"([^\"\\]{1,80})\"", line):
                    links.append(Link(LinkKind.BEAD, match[1], Place.FILES, path, match[1], path=path))
        elif name.endswith((".md", ".markdown", ".mdx", ".adoc", ".rst")) and form_of(path) is not None:
            links.append(Link(LinkKind.DECISION, path, Place.FILES, path, path, path=path))
    return once(links)


def _shrank(change: FileChange) -> bool:
    """Whether more was taken from the file than written into it, by much: it was tidied, and tells of nothing new."""
    lines = [line for hunk in change.hunks for line in hunk.lines if line[:1] in "+-" and line[1:].strip()]
    written = sum(line[0] == "+" for line in lines)
    return bool(lines) and written * 2 < len(lines) - written


_REVERT = re.compile(r"\A\s*revert\b|^this reverts commit [0-9a-f]{7}", re.IGNORECASE | re.MULTILINE)


def commit_links(
    repository: GitTrees,
    commit: str,
    message: str,
    changes: Iterable[FileChange],
    cancel: CancelToken,
    checkpoints: Checkpoints | None = None,
    refs: Sequence[Ref] | None = None,
) -> list[Link]:
    """Everything recorded about one commit: its message, the checkpoints that it names, its notes, its own files.

    A checkpoint's own link tells in ``found`` whether the branch holds it; its conversations follow it.
    """
    reader = checkpoints if checkpoints is not None else Checkpoints(repository, cancel)
    links: list[Link] = []
    for link in message_links(message):
        if link.kind is not LinkKind.CHECKPOINT:
            links.append(link)
            continue
        itself, *sessions = reader.links(link.value, cancel)
        links += [replace(link, found=itself.found), *sessions]
    own = [] if _REVERT.search(message) else file_links(changes)  # a revert puts files back, and writes nothing
    return once([*links, *note_links(repository, commit, cancel, refs), *own])
