"""Where our own files lie, and which roots a locator may name.

Everything written by this program lies under :func:`cache_dir` and :func:`state_dir`, both created 0700. Nothing is
ever written under a root that is searched. ``ANAMNESIS_CACHE_DIR`` and ``ANAMNESIS_STATE_DIR`` move them.
"""

from __future__ import annotations

import hashlib
import os
import threading
from pathlib import Path

from anamnesis_lsp.errors import AnamnesisError, ErrorCode

SCHEME = "anamnesis"
"""The scheme of a locator's URI."""
ROOT_ID_LENGTH = 12


def _own_dir(variable: str, default: str) -> Path:
    path = Path(os.environ.get(variable) or default)
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        if path.stat().st_mode & 0o077:
            path.chmod(0o700)
    except OSError as error:
        raise AnamnesisError(
            ErrorCode.PERMISSION_DENIED,
            f"Cannot use {path} for our own files: {error.strerror}.",
            f"Make it writable for you, or set {variable} to a directory that is.",
        ) from error
    return path


def cache_dir(*parts: str) -> Path:
    """Our cache (0700): indexes, shadow git directories, read-only copies. May be deleted at any time."""
    import platformdirs

    return _sub(_own_dir("ANAMNESIS_CACHE_DIR", platformdirs.user_cache_dir("anamnesis-lsp")), parts)


def state_dir(*parts: str) -> Path:
    """Our state (0700): recalls that were held or closed. ``anamnesis-lsp forget`` removes from it."""
    import platformdirs

    return _sub(_own_dir("ANAMNESIS_STATE_DIR", platformdirs.user_state_dir("anamnesis-lsp")), parts)


def _sub(base: Path, parts: tuple[str, ...]) -> Path:
    path = base.joinpath(*parts)
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise AnamnesisError(
            ErrorCode.PERMISSION_DENIED,
            f"Cannot use {path} for our own files: {error.strerror}.",
            "Make it writable for you and make room, or set ANAMNESIS_CACHE_DIR and ANAMNESIS_STATE_DIR.",
        ) from error
    return path


def root_id(root: Path) -> str:
    """The ROOT of a locator: the first 12 hex digits of SHA-256 over the resolved root path."""
    return hashlib.sha256(os.fsencode(os.path.realpath(root))).hexdigest()[:ROOT_ID_LENGTH]


class KnownRoots:
    """The roots a locator of this process may name: workspace repositories, discovered and given stores.

    A locator resolves only through this table, so that a URI from a client never reaches a path that nobody opened; and
    only as what the root is known for: the folder of an assistant's conversations, which may hold its credentials too,
    is no repository and holds no decision records. Thread-safe.
    """

    def __init__(self) -> None:
        self._roots: dict[str, tuple[Path, frozenset[str]]] = {}
        self._lock = threading.Lock()

    def add(self, root: Path, *kinds: str) -> str:
        """Make ``root`` known as a place of these kinds of record, besides those it is known for; returns its id.

        A kind is ``repository``, ``decisions``, or a runtime's name.
        """
        identity = root_id(root)
        with self._lock:
            known = self._roots.get(identity)
            every = frozenset(kinds) | (known[1] if known is not None else frozenset[str]())
            self._roots[identity] = (Path(os.path.realpath(root)), every)
        return identity

    def resolve(self, identity: str, kind: str) -> Path:
        """The root of that id. Raises ``unknownRoot`` when nobody made it known as a place of that kind."""
        with self._lock:
            root, kinds = self._roots.get(identity, (None, frozenset[str]()))
        if root is None or kind not in kinds:
            raise AnamnesisError(
                ErrorCode.UNKNOWN_ROOT,
                f"No repository or store with the id {identity} is known here.",
                "Open the repository in this workspace, or name the store with --store, and try again.",
            )
        return root
