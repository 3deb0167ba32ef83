"""The web pages of a commit: itself, its request, the issues its message names, and a file of it.

Built from the text of the repository's remotes alone (:mod:`.forges`): nothing is fetched, so whether the commit was
pushed, or an issue exists, is not known here.
"""

from __future__ import annotations

from dataclasses import dataclass

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.records.git.forges import Forge, forges
from anamnesis_lsp.records.git.model import Commit
from anamnesis_lsp.records.git.repository import Repository
from anamnesis_lsp.records.git.search import pull_of
from anamnesis_lsp.records.identifiers import IdKind, identifiers

MOST_ISSUES = 6


@dataclass(frozen=True, slots=True)
class WebLinks:
    """The pages of one commit, each with the words it is named by."""

    commit: str
    file: str | None
    """A file at the commit, its lines marked; None where none was asked for."""
    pull: tuple[str, str] | None
    """The request that the commit is the merge or the squash of: ``#12`` and its page."""
    issues: tuple[tuple[str, str], ...]
    """Other issues and requests of the project that the message names."""


def web_links(
    repo: Repository,
    commit: Commit,
    cancel: CancelToken,
    path: str | None = None,
    lines: tuple[int, int] | None = None,
) -> WebLinks | None:
    """The pages of a commit at the first remote that is a known forge (``origin`` first); None where none is."""
    found = forges(repo.remotes(cancel))
    return _links(found[0], commit, path, lines) if found else None


def _links(forge: Forge, commit: Commit, path: str | None, lines: tuple[int, int] | None) -> WebLinks:
    pulled = pull_of(commit.message)
    pull = None
    if pulled is not None and pulled.project in (None, forge.project):
        pull = f"{'!' if forge.kind == 'gitlab' else '#'}{pulled.number}", forge.pull(pulled.number)
    number = pulled.number if pulled is not None else None
    issues: dict[str, str] = {}
    for identifier in identifiers(commit.message):
        project, mark, digits = identifier.value.rpartition("#")
        if identifier.kind is not IdKind.ISSUE or not mark or project not in ("", forge.project):
            continue
        page = forge.issue(int(digits)) if int(digits) != number else None
        if page is not None and len(issues) < MOST_ISSUES:
            issues.setdefault(f"#{digits}", page)
    return WebLinks(
        forge.commit(commit.hash),
        None if path is None else forge.file(commit.hash, path, lines),
        pull,
        tuple(issues.items()),
    )
