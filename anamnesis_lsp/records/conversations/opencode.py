"""opencode: its databases of two generations and the tree of JSON files before them.

Format: ``formats/FORMATS.md`` section 4. A root may be opencode's data folder, its ``storage``, one database, or an
export (``opencode export``). Each session is read from one generation only: the second's tables where they have rows of
it, else the first's, else the files. A database may hold 13 GB: messages and parts are fetched one by one, by index.

Not read: reasoning, the output of tools (beyond outcome and commits), snapshots (trees of opencode's own repository).
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import ClassVar

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.errors import AnamnesisError
from anamnesis_lsp.records.conversations.handles import resumed
from anamnesis_lsp.records.conversations.json_document import small_object
from anamnesis_lsp.records.conversations.jsonl import object_of, text_of
from anamnesis_lsp.records.conversations.model import Handle, Head, Part, Reading, Runtime, Source
from anamnesis_lsp.records.conversations.opencode_reading import OpencodeReading
from anamnesis_lsp.records.conversations.sqlite_store import Database, listed, row_part, words
from anamnesis_lsp.records.conversations.stores import files, part, require_root, unreadable
from anamnesis_lsp.records.conversations.times import moment

_JSON_FOLDERS = ("session", "message", "part")


class Opencode(Runtime):
    """Sessions of opencode."""

    name: ClassVar[str] = "opencode"
    versions: ClassVar[str] = "JSON files (before 1.2), SQLite (1.2 to 1.18), SQLite of 2.0"

    def default_roots(self, environ: Mapping[str, str], home: Path, workspace: Path | None) -> list[Path]:
        """The data folder (XDG's on every system), a further one on Windows, and the database ``OPENCODE_DB`` names."""
        roots = [Path(environ.get("XDG_DATA_HOME") or home / ".local" / "share") / "opencode"]
        if environ.get("LOCALAPPDATA"):
            roots.append(Path(environ["LOCALAPPDATA"]) / "opencode")
        given = environ.get("OPENCODE_DB")
        if given and not given.startswith(":"):
            path = Path(given).expanduser()
            roots.append(path if path.is_absolute() else roots[0] / path)
        return list(dict.fromkeys(roots))

    def sources(self, root: Path, cancel: CancelToken) -> Iterator[Source]:
        """Every session once. Raises ``storeUnreadable`` or ``storeBusy`` after what could be listed was."""
        require_root(root)
        failed: AnamnesisError | None = None
        found: dict[str, tuple[int, Source]] = {}
        for path in _databases(root):
            try:
                sessions = listed(path, cancel, lambda database, path=path: _sessions(database, self.name, root, path))
            except AnamnesisError as error:
                failed = failed or error
                continue
            for rank, source in sessions:
                if source.id not in found or found[source.id][0] < rank:
                    found[source.id] = (rank, source)
        yield from (source for _, source in found.values())
        for source in self._in_files(root, cancel):
            if source.id not in found:
                found[source.id] = (0, source)
                yield source
        if failed is not None:
            raise failed

    def _in_files(self, root: Path, cancel: CancelToken) -> Iterator[Source]:
        if root.is_file():
            if root.suffix == ".json":
                export = part(root)
                if export is not None:
                    yield Source(self.name, root, _exported_id(root), (export,))
            return
        for storage in _storages(root):
            about: dict[str, Part] = {}
            for one in files(storage / "session", cancel, (".json",)) if (storage / "session").is_dir() else ():
                about[one.path.stem] = one
            folders = sorted(storage.glob("message/*")) if (storage / "message").is_dir() else []
            changed: dict[str, Part] = {}
            for folder in folders:
                cancel.check()
                newest = _newest(folder)
                if newest is not None:
                    changed[folder.name] = newest
            for identity in dict.fromkeys([*about, *changed]):
                parts = [one for one in (about.get(identity), changed.get(identity)) if one is not None]
                parent = text_of(small_object(parts[0].path).get("parentID")) if identity in about else None
                yield Source(self.name, root, identity, tuple(parts), parent, "sub-agent" if parent else None)

    def read(self, source: Source, cancel: CancelToken) -> Reading:
        """One pass over the session in its generation."""
        return OpencodeReading(source, cancel)

    def handle(self, source: Source, head: Head, exists: Iterable[str] | None = None) -> Handle:
        """``opencode -s`` in the session's directory."""
        identity, notes = source.id, list[str]()
        if source.parent_id is not None:
            identity = source.parent_id
            notes.append("A sub-agent is not resumed by itself: this reopens its parent session.")
        return resumed(f"opencode -s {shlex.quote(identity)}", head.cwds[0] if head.cwds else None, exists, notes)


RUNTIMES = (Opencode,)


def _databases(root: Path) -> list[Path]:
    if root.is_file():
        return [] if root.suffix == ".json" else [root]
    try:
        return sorted(path for path in root.glob("*opencode*.db") if path.is_file())
    except OSError as error:
        raise unreadable(root, error) from error


def _storages(root: Path) -> list[Path]:
    """The trees of JSON files under a root: its own, those of the projects before mid-2025, or itself."""
    candidates = [root / "storage", *sorted(root.glob("project/*/storage")), root, *sorted(root.glob("*-storage"))]
    return [path for path in candidates if any((path / name).is_dir() for name in _JSON_FOLDERS[:2])]


def _newest(folder: Path) -> Part | None:
    """The message of a folder that was written last, with the number of messages for its size."""
    found = [one for path in sorted(folder.glob("*.json")) if (one := part(path)) is not None]
    if not found:
        return None
    newest = max(found, key=lambda one: one.mtime_ns)
    return Part(newest.path, sum(one.size for one in found), newest.mtime_ns)


def _exported_id(path: Path) -> str:
    """The session an export is of; the file's name where that is not told in its start."""
    return text_of(object_of(small_object(path, 32 << 20).get("info")).get("id")) or path.stem


def _sessions(database: Database, runtime: str, root: Path, path: Path) -> list[tuple[int, Source]]:
    """The sessions of a database, each with the rank of its generation."""
    found: dict[str, tuple[int, Source]] = {}
    if not database.has("session_v2", "id"):
        database.require("opencode", "session", "id")
    counts: dict[str, tuple[int, object]] = {}
    if database.has("message", "session_id"):
        changed = database.column("message", "time_updated")
        for identity, count, last in database.rows(
            f"SELECT session_id, count(*), max({changed}) FROM message GROUP BY session_id"
        ):
            counts[words(identity) or ""] = (count, last)
    second: dict[str, tuple[int, object]] = {}
    if database.has("session_v2", "id") and database.has("session_message", "session_id", "type", "data"):
        changed = database.column("session_message", "time_updated")
        for identity, count, last in database.rows(
            f"SELECT session_id, count(*), max({changed}) FROM session_message GROUP BY session_id"
        ):
            second[words(identity) or ""] = (count, last)
    for table, rows, rank in (("session", counts, 1), ("session_v2", second, 2)):
        if not database.has(table, "id"):
            continue
        parent, updated = database.column(table, "parent_id"), database.column(table, "time_updated")
        for identity, origin, changed_at in database.rows(f"SELECT id, {parent}, {updated} FROM {table}"):
            session = words(identity)
            if session is None or (rank == 2 and session not in rows):
                continue
            count, last = rows.get(session, (0, None))
            newest = max(_seconds(changed_at), _seconds(last))
            above = words(origin)
            found[session] = (
                rank,
                Source(
                    runtime,
                    root,
                    session,
                    (row_part(path, count, newest),),
                    above,
                    "sub-agent" if above else None,
                ),
            )
    return list(found.values())


def _seconds(value: object) -> float:
    when = moment(words(value) if isinstance(value, bytes) else value)
    return 0.0 if when is None else when.timestamp()
