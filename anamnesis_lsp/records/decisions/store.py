"""Where decision records lie: the usual folders of a repository, a folder that was given, the issue files of beads.

A store given as a folder inside a repository, or under one of the usual names, is read only there, but its root is
what holds it: ids read ``docs/adr/0001-x.md`` wherever the store was given from.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.records import plain
from anamnesis_lsp.records.decisions.model import DecisionSource, Form

MAX_RECORD_BYTES = 4 << 20
"""A larger file is no decision record; it is told as not opened."""

_ENDINGS = (".md", ".markdown", ".mdx", ".adoc", ".asciidoc", ".rst")
_NOT_ENTERED = frozenset(
    [
        ".git",
        ".hg",
        ".svn",
        "node_modules",
        "bower_components",
        "vendor",
        "third_party",
        "managed_components",
        "dist",
        "build",
        "out",
        "target",
        ".venv",
        "venv",
        "env",
        "__pycache__",
        ".tox",
        ".nox",
        "site-packages",
        ".mypy_cache",
        ".ruff_cache",
        ".pytest_cache",
        ".next",
        ".nuxt",
        ".cache",
        ".gradle",
        ".idea",
        ".vscode",
        "Pods",
        "DerivedData",
        "coverage",
        "testdata",
        "fixtures",
        "__fixtures__",
        "test-tmp",
        "tmp",
        ".specstory",
    ]
)
_NAMES = {
    Form.ADR: """
        adr adrs .adr .adrs decisions .decisions decision-records decision_records decision-log architecture-decisions
        architectural-decisions architecture_decisions madr
        """,
    Form.RFC: "rfc rfcs .rfcs proposals enhancements keps deps seps",
    Form.PLAN: "plans plan .plans .coding-aider-plans .plan design-docs design_docs designs",
    Form.TASK: "tasks .tasks specs .specs stories issues backlog epics",
}
_FOLDERS = {name: form for form, names in _NAMES.items() for name in names.split()}
_CHANGELOG = re.compile(
    r"(?:change[-_]?log|changes|history|news|release[-_]?notes)(?:\.(?:md|markdown|rst|txt|adoc))?\Z", re.IGNORECASE
)
_ASIDE = re.compile(
    r"(?:readme|index|_index|template|.*[-_]template|template[-_].*|contributing|license|toc|summary)\Z", re.IGNORECASE
)
_BEADS_FILES = ("issues.jsonl", "beads.jsonl")
_DEPTH = 12


@dataclass(frozen=True, slots=True)
class DecisionStore:
    """What is searched: ``under`` (a folder or file relative to ``root``; empty for the whole root)."""

    kind: str
    """``decisions`` or ``beads``."""
    root: Path
    """Resolved; ids are relative to it, and nothing outside it is read."""
    under: str
    whole: bool
    """Every document under it is a record (a folder that was given); else only those in the usual places."""
    folders: tuple[str, ...] = ()
    """Further folders of records by setting, relative to the root."""


def given_store(kind: str, path: Path, folders: Sequence[str] = ()) -> DecisionStore:
    """The store behind ``--store decisions:PATH`` or ``beads:PATH``, or a repository's own (its work tree as ``path``).

    Raises ``storeUnreadable`` where there is nothing at ``path``.
    """
    resolved = Path(os.path.realpath(path))
    if not resolved.exists():
        raise AnamnesisError(
            ErrorCode.STORE_UNREADABLE,
            f"There is nothing at {path}.",
            f"Give --store {kind}: a folder (or file) that exists.",
        )
    if kind == "beads":
        return _beads_store(resolved)
    if (resolved / ".git").exists():
        return DecisionStore(kind, resolved, "", whole=False, folders=tuple(folders))
    base = resolved.parent if resolved.is_file() else resolved
    root = _repository_of(base) or _above_usual_name(base)
    under = resolved.relative_to(root).as_posix()
    return DecisionStore(kind, root, "" if under == "." else under, whole=True, folders=tuple(folders))


def repository_stores(root: Path, folders: Sequence[str] = ()) -> list[DecisionStore]:
    """The stores a repository's work tree holds: the usual folders, and the issues of beads where there are some."""
    resolved = Path(os.path.realpath(root))
    stores = [DecisionStore("decisions", resolved, "", whole=False, folders=tuple(folders))]
    if (resolved / ".beads").is_dir():
        stores.append(_beads_store(resolved))
    return stores


def sources(store: DecisionStore, cancel: CancelToken) -> Iterator[DecisionSource]:
    """Every file of records in the store, without reading any. A folder that cannot be listed is passed over."""
    if store.kind == "beads":
        yield from _beads_sources(store)
    elif store.whole:
        yield from _whole(store, cancel)
    else:
        yield from _usual(store, cancel)


def form_of(path: str) -> Form | None:
    """The form of a record by the folders it lies in, innermost first; None where no folder's name says."""
    *folders, name = path.split("/")
    if name.endswith(".jsonl"):
        return Form.ISSUE
    if _CHANGELOG.match(name) and len(folders) <= 3:
        return Form.CHANGELOG
    for folder in reversed(folders):
        if form := _FOLDERS.get(folder.lower()):
            return form
    if re.match(r"ADR[-_ ]?\d", name, re.IGNORECASE):
        return Form.ADR
    return None


def may_hold_records(path: str) -> bool:
    """Whether a file of that path can be one of records, wherever it lies: what :func:`sources` would ever name."""
    *folders, name = path.lower().split("/")
    return ".git" not in folders and (name.endswith((*_ENDINGS, ".jsonl")) or bool(_CHANGELOG.match(name)))


def _repository_of(folder: Path) -> Path | None:
    return next((p for p in (folder, *folder.parents) if (p / ".git").exists()), None)


def _above_usual_name(folder: Path) -> Path:
    """What holds the usual path that ``folder`` ends with (``docs/adr``, ``process/tasks``), else the folder itself."""
    if folder.name.lower() not in _FOLDERS:
        return folder
    above = folder.parent
    usual = (
        "docs",
        "doc",
        "documentation",
        "process",
        "architecture",
        "design",
        "dev",
        "project",
        "analysis",
        ".specify",
        ".kiro",
    )
    while above.name.lower() in usual and above != above.parent:
        above = above.parent
    return above


def _beads_store(path: Path) -> DecisionStore:
    if path.is_file():
        folder = path.parent
        root = folder.parent if folder.name == ".beads" else folder
        return DecisionStore("beads", root, path.relative_to(root).as_posix(), whole=True)
    if path.name == ".beads":
        return DecisionStore("beads", path.parent, ".beads", whole=True)
    return DecisionStore("beads", path, ".beads" if (path / ".beads").is_dir() else "", whole=True)


def _beads_sources(store: DecisionStore) -> Iterator[DecisionSource]:
    at = plain.confined(store.root, store.under)
    names = [store.under] if at.is_file() else [f"{store.under}/{name}".lstrip("/") for name in _BEADS_FILES]
    for name in names:
        try:
            about = plain.confined(store.root, name).stat()
        except (OSError, AnamnesisError):
            continue
        yield DecisionSource(name, about.st_size, about.st_mtime_ns, Form.ISSUE)
        return


def _whole(store: DecisionStore, cancel: CancelToken) -> Iterator[DecisionSource]:
    at = plain.confined(store.root, store.under)
    if at.is_file():
        about = at.stat()
        yield DecisionSource(store.under, about.st_size, about.st_mtime_ns, form_of(store.under) or Form.NOTE)
        return
    aside: list[DecisionSource] = []
    found = False
    for file in plain.walk(store.root, store.under, cancel, skip=_NOT_ENTERED, depth=_DEPTH):
        if not file.path.lower().endswith(_ENDINGS):
            continue
        source = DecisionSource(file.path, file.size, file.mtime_ns, form_of(file.path) or Form.NOTE)
        if _is_aside(file.path):
            aside.append(source)
        else:
            found = True
            yield source
    if not found:
        yield from aside


def _usual(store: DecisionStore, cancel: CancelToken) -> Iterator[DecisionSource]:
    named = {folder.strip("/") for folder in (*store.folders, *_configured(store.root))} - {"", "."}
    for file in plain.walk(store.root, "", cancel, skip=_NOT_ENTERED, depth=_DEPTH):
        lowered = file.path.lower()
        if not lowered.endswith((*_ENDINGS, ".txt")) and not _CHANGELOG.match(lowered.rsplit("/", 1)[-1]):
            continue
        form = form_of(file.path)
        if any(file.path.startswith(f"{folder}/") for folder in named):
            form = form or Form.ADR
        if form is None or (lowered.endswith(".txt") and form is not Form.CHANGELOG) or _is_aside(file.path):
            continue
        yield DecisionSource(file.path, file.size, file.mtime_ns, form)


def _configured(root: Path) -> Iterator[str]:
    """The folder that adr-tools' ``.adr-dir`` or log4brains' ``.log4brains.yml`` names."""
    for name, pattern in ((".adr-dir", r"\A\s*(\S.*?)\s*\Z"), (".log4brains.yml", r"adrFolder:\s*[\"']?([^\"'\n]+)")):
        try:
            match = re.search(pattern, plain.decode(plain.read_confined(root, name, 1 << 16)))
        except AnamnesisError:
            continue
        if match:
            yield os.path.normpath(match[1].strip()).replace("\\", "/")


def _is_aside(path: str) -> bool:
    return bool(_ASIDE.match(path.rsplit("/", 1)[-1].rsplit(".", 1)[0]))
