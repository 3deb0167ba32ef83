"""Objects read through long-lived ``cat-file`` processes: commits, trees, blobs.

One request takes about 20 microseconds, a process of its own 3 milliseconds (stack/PERF.md 5). A few idle processes
are kept over all repositories, the least recently used is ended; none outlives this one. Thread-safe: a process serves
one reader at a time.

Raises ``objectMissing``, ``fileMissing``, ``outputTooLarge``, ``unknownRevision``, ``gitTimeout`` and ``Cancelled``.
"""

from __future__ import annotations

import codecs
import itertools
import re
import threading
from collections import OrderedDict
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from functools import lru_cache

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.records.git.model import Commit, Person, TreeEntry
from anamnesis_lsp.records.git.process import Dialogue
from anamnesis_lsp.records.git.shadow import Shadow, is_hash, missing
from anamnesis_lsp.records.git.text import decode_path, encode_path, printable, tree_path

_LONGEST_SIGNATURE = 4096
_MESSAGE_BEGIN = 128 * 1024
_MESSAGE_END = 32 * 1024
"""Bytes that are read of a message: all of any that a person wrote. What lies between is not searched."""
FILE_CAP = 32 * 1024 * 1024
"""Bytes of the largest blob that is read."""
MOST_IDLE = 4
_COMMITS_KEPT = 8192
_AT_A_TIME = 256
_MOST_ASKED = 24_000
"""Bytes of requests between two readings."""
_HEADER = re.compile(rb"([0-9a-f]{40,64}) (commit|tree|blob|tag) (\d+)")
_GITLINK = "160000"
_FOLDER = "040000"
_STRANGE_CODECS = frozenset({"idna", "punycode", "unicode_escape", "raw_unicode_escape", "undefined"})


@dataclass(frozen=True, slots=True)
class _Header:
    hash: str
    kind: str
    size: int


class _Idle:
    """The idle ``cat-file`` processes of all repositories, most recently used last."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: list[tuple[int, Dialogue]] = []

    def take(self, owner: int) -> Dialogue | None:
        with self._lock:
            for position in range(len(self._kept) - 1, -1, -1):
                if self._kept[position][0] == owner:
                    return self._kept.pop(position)[1]
        return None

    def give(self, owner: int, dialogue: Dialogue) -> None:
        with self._lock:
            self._kept.append((owner, dialogue))
            surplus = [self._kept.pop(0)[1] for _ in range(len(self._kept) - MOST_IDLE)]
        for old in surplus:
            old.close()

    def close(self, owner: int) -> None:
        with self._lock:
            mine = [dialogue for key, dialogue in self._kept if key == owner]
            self._kept = [(key, dialogue) for key, dialogue in self._kept if key != owner]
        for dialogue in mine:
            dialogue.close()


_idle = _Idle()
_owners = itertools.count()


class ObjectStore:
    """Reads the objects of one repository, through its shadow."""

    def __init__(self, shadow: Shadow) -> None:
        self._shadow = shadow
        self._commands = shadow.git.batch_command
        self._owner = next(_owners)  # not id(self): that of a store that is gone would name its processes
        self._commits: OrderedDict[str, Commit] = OrderedDict()
        self._lock = threading.Lock()

    def close(self) -> None:
        """End the idle processes of this repository. It can be used again afterwards."""
        _idle.close(self._owner)

    # ---- the process

    @contextmanager
    def _reader(self, cancel: CancelToken) -> Generator[Dialogue]:
        cancel.check()
        dialogue = _idle.take(self._owner)
        if dialogue is not None and not dialogue.alive:
            dialogue.close()
            dialogue = None
        if dialogue is None:
            options = ("--batch-command", "--buffer") if self._commands else ("--batch",)
            dialogue = self._shadow.dialogue(*options)
        try:
            with dialogue.guarded(cancel):
                yield dialogue
        except (EOFError, OSError) as error:
            raise AnamnesisError(
                ErrorCode.GIT_FAILED,
                "git stopped while it read an object.",
                "Run `git fsck` in the repository; if it is sound, please report this.",
            ) from error
        if cancel.cancelled:  # its kill may still be on the way: nobody else shall meet it
            dialogue.close()
        else:
            _idle.give(self._owner, dialogue)

    def _request(self, spec: bytes) -> bytes:
        return (b"contents " + spec if self._commands else spec) + b"\n"

    def _ask(self, dialogue: Dialogue, requests: bytes) -> None:
        """Send requests that are answered together: buffered, git writes many answers at once."""
        dialogue.ask(requests + b"flush\n" if self._commands else requests)

    def _header(self, dialogue: Dialogue) -> _Header | None:
        match = _HEADER.fullmatch(dialogue.line())
        return None if match is None else _Header(match[1].decode(), match[2].decode(), int(match[3]))

    def _body(self, dialogue: Dialogue, header: _Header, cap: int) -> bytes:
        if header.size > cap:
            dialogue.close()
            raise _too_large(header.size, cap)
        data = dialogue.exactly(header.size)
        dialogue.exactly(1)
        return data

    def _read(self, spec: bytes, cancel: CancelToken, cap: int = FILE_CAP) -> tuple[_Header, bytes] | None:
        with self._reader(cancel) as dialogue:
            if self._commands:
                self._ask(dialogue, b"info " + spec + b"\n")
                header = self._header(dialogue)
                if header is None:
                    return None
                if header.size > cap:
                    raise _too_large(header.size, cap)
                spec = header.hash.encode()
            self._ask(dialogue, self._request(spec))
            header = self._header(dialogue)
            return None if header is None else (header, self._body(dialogue, header, cap))

    # ---- commits

    def commit(self, commit: str, cancel: CancelToken) -> Commit:
        """The commit of that full id. Raises ``objectMissing``, and ``unknownRevision`` where the id is no commit's."""
        found = self.commits((commit,), cancel).get(commit)
        if found is None:
            if self.kind(commit, cancel) is not None:
                raise AnamnesisError(
                    ErrorCode.UNKNOWN_REVISION, f"{commit[:12]} is not a commit.", "Pass the id of a commit."
                )
            raise missing(f"The commit {commit[:12]}")
        return found

    def commits(self, hashes: Iterable[str], cancel: CancelToken) -> dict[str, Commit]:
        """The commits of these full ids, in one conversation with git; ids that name none here are left out."""
        result: dict[str, Commit] = {}
        wanted: list[str] = []
        with self._lock:
            for commit in dict.fromkeys(hashes):
                known = self._commits.get(commit)
                if known is not None:
                    self._commits.move_to_end(commit)
                    result[commit] = known
                elif is_hash(commit):
                    wanted.append(commit)
        for found in self._read_commits(wanted, cancel):
            result[found.hash] = found
        return result

    def _read_commits(self, wanted: Sequence[str], cancel: CancelToken) -> Iterator[Commit]:
        for start in range(0, len(wanted), _AT_A_TIME):
            batch = wanted[start : start + _AT_A_TIME]
            read: list[Commit] = []
            with self._reader(cancel) as dialogue:
                self._ask(dialogue, b"".join(self._request(commit.encode()) for commit in batch))
                for commit in batch:
                    header = self._header(dialogue)
                    if header is None:
                        continue
                    data = self._body(dialogue, header, FILE_CAP)
                    if header.kind == "commit":
                        read.append(parse_commit(commit, data))
            with self._lock:
                for commit in read:
                    self._commits[commit.hash] = commit
                while len(self._commits) > _COMMITS_KEPT:
                    self._commits.popitem(last=False)
            yield from read

    def kind(self, identity: str, cancel: CancelToken) -> str | None:
        """``commit``, ``tree``, ``blob`` or ``tag``; None where no such object is here."""
        if not is_hash(identity):
            return None
        with self._reader(cancel) as dialogue:
            if self._commands:
                self._ask(dialogue, f"info {identity}\n".encode())
                header = self._header(dialogue)
            else:
                self._ask(dialogue, self._request(identity.encode()))
                header = self._header(dialogue)
                if header is not None:
                    self._body(dialogue, header, FILE_CAP)
        return None if header is None else header.kind

    def present(self, identities: Iterable[str], cancel: CancelToken) -> set[str]:
        """Which of these full ids are objects here. A partial clone lacks some."""
        wanted = [identity for identity in dict.fromkeys(identities) if is_hash(identity)]
        if not self._commands:
            return {identity for identity in wanted if self.kind(identity, cancel) is not None}
        found: set[str] = set()
        for start in range(0, len(wanted), _AT_A_TIME):
            batch = wanted[start : start + _AT_A_TIME]
            with self._reader(cancel) as dialogue:
                self._ask(dialogue, b"".join(f"info {identity}\n".encode() for identity in batch))
                found.update(identity for identity in batch if self._header(dialogue) is not None)
        return found

    # ---- files, trees

    def file(self, commit: str, path: str, cancel: CancelToken, cap: int = FILE_CAP) -> bytes:
        """The bytes of ``path`` at ``commit``. Raises ``fileMissing``, ``objectMissing`` (partial clone),
        ``outputTooLarge``."""
        return self.blob_at(commit, path, cancel, cap)[1]

    def blob_at(self, commit: str, path: str, cancel: CancelToken, cap: int = FILE_CAP) -> tuple[str, bytes]:
        """The blob's id and bytes of ``path`` at ``commit``."""
        _require_hash(commit)
        name = encode_path(tree_path(path))
        if b"\n" not in name:
            found = self._read(commit.encode() + b":" + name, cancel, cap)
            if found is not None and found[0].kind == "blob":
                return found[0].hash, found[1]
        entry = self.entry(commit, path, cancel)
        if entry is None:
            raise _no_file(f"There is no {printable(path)} at {commit[:12]}.")
        if entry.mode == _GITLINK:
            raise _no_file(f"{printable(path)} is a submodule at {commit[:12]}, not a file.")
        if entry.mode == _FOLDER:
            raise _no_file(f"{printable(path)} is a folder at {commit[:12]}, not a file.")
        return entry.hash, self.blob(entry.hash, cancel, cap)

    def blob(self, identity: str, cancel: CancelToken, cap: int = FILE_CAP) -> bytes:
        """The bytes of the blob of that full id."""
        _require_hash(identity)
        found = self._read(identity.encode(), cancel, cap)
        if found is None or found[0].kind != "blob":
            raise missing(f"The content {identity[:12]}")
        return found[1]

    def blobs(self, identities: Sequence[str], cancel: CancelToken, cap: int = FILE_CAP) -> dict[str, bytes]:
        """The bytes of several blobs by id, in one conversation with git; what is no blob here, or larger than ``cap``,
        is left out."""
        result: dict[str, bytes] = {}
        wanted = [identity for identity in dict.fromkeys(identities) if is_hash(identity)]
        if self._commands and wanted:
            with self._reader(cancel) as dialogue:
                self._ask(dialogue, b"".join(f"info {identity}\n".encode() for identity in wanted))
                headers = [self._header(dialogue) for _ in wanted]
            wanted = [header.hash for header in headers if header and header.kind == "blob" and header.size <= cap]
        for start in range(0, len(wanted), _AT_A_TIME):
            batch = wanted[start : start + _AT_A_TIME]
            with self._reader(cancel) as dialogue:
                self._ask(dialogue, b"".join(self._request(identity.encode()) for identity in batch))
                for identity in batch:
                    header = self._header(dialogue)
                    if header is None:
                        continue
                    data = dialogue.exactly(header.size)
                    dialogue.exactly(1)
                    if header.kind == "blob" and header.size <= cap:
                        result[identity] = data
        return result

    def blob_ids(self, commits: Sequence[str], path: str, cancel: CancelToken) -> list[str | None]:
        """The id of the blob that ``path`` is at each of the commits; None where it is no file there, or not here."""
        name = encode_path(tree_path(path))
        if not self._commands or b"\n" in name:
            found = [self._entry_or_none(commit, path, cancel) for commit in commits]
            return [e.hash if e is not None and e.mode not in (_FOLDER, _GITLINK) else None for e in found]
        result: list[str | None] = []
        at_a_time = max(1, _MOST_ASKED // (len(name) + 80))
        for start in range(0, len(commits), at_a_time):
            batch = commits[start : start + at_a_time]
            with self._reader(cancel) as dialogue:
                self._ask(dialogue, b"".join(b"info " + commit.encode() + b":" + name + b"\n" for commit in batch))
                headers = [self._header(dialogue) for _ in batch]
            result += [h.hash if h is not None and h.kind == "blob" else None for h in headers]
        return result

    def _entry_or_none(self, commit: str, path: str, cancel: CancelToken) -> TreeEntry | None:
        try:
            return self.entry(commit, path, cancel)
        except AnamnesisError as error:
            if error.code not in (ErrorCode.OBJECT_MISSING, ErrorCode.UNKNOWN_REVISION):
                raise
            return None

    def entry(self, commit: str, path: str, cancel: CancelToken) -> TreeEntry | None:
        """The entry of ``path`` in the tree of ``commit``, None where there is none. Raises ``objectMissing``."""
        tree = self.commit(commit, cancel).tree
        parts = tree_path(path).split("/")
        for depth, part in enumerate(parts):
            found = next((entry for entry in self._folder(tree, cancel) if entry.path == part), None)
            if found is None:
                return None
            if depth == len(parts) - 1:
                return TreeEntry(path, found.hash, found.mode)
            if found.mode != _FOLDER:
                return None
            tree = found.hash
        return None

    def folder(self, commit: str, under: str, cancel: CancelToken) -> list[TreeEntry]:
        """The entries directly in the folder ``under`` (``""``: the root) at ``commit``; empty where it is none."""
        tree = self.commit(commit, cancel).tree
        if under:
            entry = self.entry(commit, under, cancel)
            if entry is None or entry.mode != _FOLDER:
                return []
            tree = entry.hash
        prefix = f"{under}/" if under else ""
        return [TreeEntry(prefix + entry.path, entry.hash, entry.mode) for entry in self._folder(tree, cancel)]

    def _folder(self, tree: str, cancel: CancelToken) -> list[TreeEntry]:
        found = self._read(tree.encode(), cancel)
        if found is None or found[0].kind != "tree":
            raise missing(f"The folder listing {tree[:12]}")
        return parse_tree(found[1], 32 if len(tree) == 64 else 20)


def _require_hash(identity: str) -> None:
    if not is_hash(identity):
        raise AnamnesisError(
            ErrorCode.UNKNOWN_REVISION,
            f"{printable(identity)[:60]} is not a full object id.",
            "Resolve the revision first.",
        )


def _too_large(size: int, cap: int) -> AnamnesisError:
    return AnamnesisError(
        ErrorCode.OUTPUT_TOO_LARGE,
        f"The object is {size / 2**20:.1f} MiB; at most {cap / 2**20:g} MiB are read.",
        "Ask about a smaller file.",
    )


def _no_file(message: str) -> AnamnesisError:
    return AnamnesisError(ErrorCode.FILE_MISSING, message, "Check the path and the revision.")


# ---- parsing


def parse_tree(data: bytes, id_length: int) -> list[TreeEntry]:
    """The entries of a raw tree object (gitformat: ``mode SP name NUL id``); ``id_length`` is 20 or 32 bytes."""
    entries: list[TreeEntry] = []
    position = 0
    while position < len(data):
        space = data.find(b" ", position)
        end = data.find(b"\0", space)
        if space < 0 or end < 0:
            break
        mode = data[position:space].decode("ascii", "replace").rjust(6, "0")
        identity = data[end + 1 : end + 1 + id_length].hex()
        entries.append(TreeEntry(decode_path(data[space + 1 : end]), identity, mode))
        position = end + 1 + id_length
    return entries


def parse_commit(identity: str, data: bytes) -> Commit:
    """A raw commit object. Headers it does not know (``gpgsig``, ``mergetag`` …) are passed over with their
    continuations."""
    head, _, body = data.partition(b"\n\n")
    tree, parents, author, committer, encoding = "", list[str](), b"", b"", "utf-8"
    for line in head.split(b"\n"):
        key, _, value = line.partition(b" ")
        if key == b"tree" and not tree:
            tree = value.decode("ascii", "replace")
        elif key == b"parent":
            parents.append(value.decode("ascii", "replace"))
        elif key == b"author" and not author:
            author = value
        elif key == b"committer" and not committer:
            committer = value
        elif key == b"encoding":
            encoding = value.decode("ascii", "replace").strip()
    wrote, wrote_at = _signature(author, encoding)
    put, put_at = _signature(committer, encoding)
    message = _decode(_bounded(body), encoding).replace("\r\n", "\n")
    return Commit(identity, tree, tuple(parents), wrote, wrote_at, put, put_at, message)


def _bounded(body: bytes) -> bytes:
    """A message of a size that can be judged: its begin and, with its trailers, its end; dots for the rest."""
    if len(body) <= _MESSAGE_BEGIN + _MESSAGE_END:
        return body
    begin = body[:_MESSAGE_BEGIN].rpartition(b"\n")[0] or body[:_MESSAGE_BEGIN]
    end = body[-_MESSAGE_END:].partition(b"\n")[2] or body[-_MESSAGE_END:]
    return begin + b"\n\n...\n\n" + end


def _signature(value: bytes, encoding: str) -> tuple[Person, datetime]:
    """``Name <address> seconds zone``, read from both ends: names may hold anything but ``<`` and a line end."""
    if len(value) > _LONGEST_SIGNATURE:
        value = value[: _LONGEST_SIGNATURE // 2] + value[-_LONGEST_SIGNATURE // 2 :]
    who, _, when = value.rpartition(b">")
    fields = when.split()
    seconds = fields[0] if fields else b""
    zone = fields[1] if len(fields) > 1 else b"+0000"
    return _person(who, encoding), _time(seconds, zone)


@lru_cache(maxsize=4096)
def _person(who: bytes, encoding: str) -> Person:
    name, _, address = who.partition(b"<")
    return Person(_decode(name.strip(), encoding), _decode(address.strip(), encoding))


def _time(seconds: bytes, zone: bytes) -> datetime:
    """An aware time with the recorded offset; the epoch where the commit's own date cannot be read, as git shows it."""
    try:
        return datetime.fromtimestamp(int(seconds), _offset(zone))
    except (ValueError, OverflowError, OSError):
        return datetime.fromtimestamp(0, _offset(zone))


@lru_cache(maxsize=256)
def _offset(zone: bytes) -> timezone:
    try:
        sign = -1 if zone.startswith(b"-") else 1
        digits = int(zone.lstrip(b"+-"))
        return timezone(sign * timedelta(hours=digits // 100, minutes=digits % 100))
    except ValueError:
        return timezone.utc


def _decode(data: bytes, encoding: str) -> str:
    """By the commit's own ``encoding`` header where it holds, else UTF-8."""
    if encoding == "utf-8":
        with suppress(ValueError):
            return data.decode()
    try:
        if codecs.lookup(encoding).name.replace("-", "_") in _STRANGE_CODECS:
            encoding = "utf-8"
    except (LookupError, ValueError):
        encoding = "utf-8"
    for name in (encoding, "utf-8"):
        try:
            return data.decode(name)
        except (LookupError, ValueError):
            continue
    try:
        return data.decode(encoding, "replace")
    except (LookupError, ValueError):
        return data.decode("utf-8", "replace")
