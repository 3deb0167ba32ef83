"""The program, git, the repository at hand, and where our own files lie."""

from __future__ import annotations

import platform
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from anamnesis_lsp import __version__
from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.doctor.check import Check, Kind
from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.places import cache_dir, state_dir
from anamnesis_lsp.records.git import Repository
from anamnesis_lsp.records.git.discovery import find_place
from anamnesis_lsp.records.git.process import find_git

ROOM_BYTES = 200 * 1000 * 1000
"""Less room than this where our own files lie is told: an index of a gigabyte of conversations takes half of it."""


def program(environ: dict[str, str]) -> Iterator[Check]:
    """The program, and whether an editor that starts it by its name would find it."""
    running = f"{__version__} on Python {platform.python_version()}, {platform.system()}"
    yield Check("program", "anamnesis-lsp", "ok", running)
    found = shutil.which("anamnesis-lsp", path=environ.get("PATH"))
    if found is None:
        yield Check(
            "program",
            "on PATH",
            "note",
            "editors that start the server by its name do not find it",
            f"Put {Path(sys.executable).parent} on PATH (`pipx ensurepath`, `uv tool update-shell`), or give the "
            "editor the whole path of the program.",
        )
    else:
        yield Check("program", "on PATH", "ok", found)


def git_and_repository(here: Path, cancel: CancelToken) -> Iterator[Check]:
    """The git that is run, and what it says of the repository at hand."""
    try:
        git = find_git(outside=(find_place(here) or here,))
    except AnamnesisError as error:
        yield _wrong("git", "git", error)
        return
    yield Check("git", "git", "ok", f"{'.'.join(map(str, git.version))}, {git.path}")
    try:
        repository = Repository.discover(here, cancel)
    except AnamnesisError as error:
        if error.code is ErrorCode.NOT_A_REPOSITORY:
            remedy = "Run it in the repository you want to ask about."
            yield Check("repository", "repository", "note", f"{here} lies in none", remedy)
        else:
            yield _wrong("repository", "repository", error)
        return
    yield from _of_repository(repository, cancel)


def _of_repository(repository: Repository, cancel: CancelToken) -> Iterator[Check]:
    name = "repository"
    try:
        head = repository.head(cancel)
    except AnamnesisError as error:
        yield _wrong("repository", name, error)
        return
    said = f"{repository.root}, at {head[:12]}"
    if repository.shallow:
        said += "; a shallow clone: its history ends early"
        yield Check("repository", name, "note", said, "Run `git fetch --unshallow`.")
    elif repository.partial:
        said += "; a partial clone: what is not here is not fetched, and told as missing"
        yield Check("repository", name, "note", said, "Clone it whole, or run `git fetch --refetch --no-filter`.")
    else:
        yield Check("repository", name, "ok", f"{said}{', bare' if repository.bare else ''}")


def own_places() -> Iterator[Check]:
    """Whether our cache and our state can be written, and how much room is left there."""
    places: tuple[tuple[str, str, Callable[[], Path]], ...] = (
        ("cache", "ANAMNESIS_CACHE_DIR", cache_dir),
        ("state", "ANAMNESIS_STATE_DIR", state_dir),
    )
    for name, variable, place in places:
        try:
            yield _of_place(name, variable, place())
        except AnamnesisError as error:
            yield _wrong("place", name, error)


def _of_place(name: str, variable: str, path: Path) -> Check:
    try:
        with tempfile.TemporaryFile(dir=path):
            free = shutil.disk_usage(path).free
    except OSError as error:
        remedy = f"Make it writable for you, or set {variable} to a directory that is."
        return Check("place", name, "bad", f"{path} cannot be written: {error.strerror}", remedy)
    said = f"{path}, {free / 1e9:,.1f} GB free"
    if free < ROOM_BYTES:
        return Check("place", name, "note", said, f"Make room, or set {variable} to a directory that has some.")
    return Check("place", name, "ok", said)


def _wrong(kind: Kind, what: str, error: AnamnesisError) -> Check:
    return Check(kind, what, "bad", error.message, error.remedy)
