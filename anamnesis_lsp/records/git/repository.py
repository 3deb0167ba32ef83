"""One repository, opened read-only: the class behind which everything about git lies.

Discovery is ours: the nearest ``.git`` above the path, never a bare repository that merely lies in the way. git then
says whether it is one and whether its owner may be trusted. What concerns the real repository (revisions, refs,
remotes, ignore rules) is asked of it with commands that execute nothing; everything else is read through the
:mod:`.shadow`.
"""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import Path

from anamnesis_lsp.cancel import CancelToken, never
from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.records.git import process
from anamnesis_lsp.records.git.attributes import Value, attributes_of
from anamnesis_lsp.records.git.blame import BlameReader
from anamnesis_lsp.records.git.diff import RawChange, changes_between, patch_id_of, raw_changes
from anamnesis_lsp.records.git.discovery import Place, ask_git, find_place, identity_of, not_a_repository
from anamnesis_lsp.records.git.editing import EditorBlame
from anamnesis_lsp.records.git.linemap import LineMap
from anamnesis_lsp.records.git.log import read_log
from anamnesis_lsp.records.git.model import Blame, Commit, FileChange, LogEntry, Ref, TreeEntry
from anamnesis_lsp.records.git.objects import FILE_CAP, ObjectStore
from anamnesis_lsp.records.git.process import DEFAULT_CAP, DEFAULT_SECONDS, STREAM_CAP, GitFailed, Output, Stream
from anamnesis_lsp.records.git.renames import staged_origin
from anamnesis_lsp.records.git.shadow import ObjectFormat, Shadow, fingerprint, is_hash, missing, read_small
from anamnesis_lsp.records.git.text import (
    decode_named,
    decode_path,
    decode_text,
    is_binary,
    is_utf8,
    printable,
    tree_path,
)
from anamnesis_lsp.records.git.worktree import WorkTree

_REF = re.compile(r"refs/[^\x00-\x20\x7f~^:?*\[\\]+")

_ASKED_SECONDS = 20.0
"""For what the repository itself is asked. No history is walked there: longer only a pipe among its files takes."""

_open: dict[Path, tuple[object, Repository]] = {}
_opening = threading.Lock()


class Repository:
    """A repository. Thread-safe; every method blocks and ends with ``Cancelled`` when its token is cancelled.

    Get one from :meth:`discover`. Attributes: ``root`` (resolved; the directory that holds ``.git``, or the git
    directory of a bare one), ``git_dir``, ``common_dir`` (shared by linked worktrees), ``object_format``, ``bare``.
    """

    def __init__(self, place: Place) -> None:
        self.git = place.git
        self.root = place.root
        self.git_dir = place.git_dir
        self.common_dir = place.common_dir
        self.object_format: ObjectFormat = place.object_format
        self.bare = place.bare
        self.shadow = Shadow(place.git, place.common_dir, place.object_format)
        self.objects = ObjectStore(self.shadow)
        self._blame = BlameReader(self.shadow, self.objects)
        self._editing = EditorBlame(self._blame, self.objects, self.git_dir)
        self._work = WorkTree(self.root, self.bare)
        self._head: tuple[object, str] | None = None
        self._config: tuple[object, dict[str, list[str]]] | None = None

    def __repr__(self) -> str:
        return f"Repository({str(self.root)!r})"

    # ---- discovery

    @classmethod
    def discover(cls, path: Path, cancel: CancelToken | None = None) -> Repository:
        """The repository that ``path`` (a file or directory, there or not yet) lies in, or the bare one that it is.

        The same object is returned for as long as the repository stays what it was, so that what it keeps is shared.
        Raises ``notARepository``, ``dubiousOwnership``, ``gitMissing``, ``gitTooOld``.
        """
        cancel = cancel or never()
        real = Path(os.path.realpath(path))
        place = find_place(real)
        if place is None:
            raise not_a_repository(real)
        identity = identity_of(place)
        with _opening:
            known = _open.get(place)
            if known is not None and known[0] == identity:
                return known[1]
        repository = cls(ask_git(place, cancel))
        with _opening:
            _open[place] = (identity, repository)
        return repository

    # ---- the low-level methods

    def run(
        self,
        subcommand: str,
        *arguments: str,
        cancel: CancelToken,
        seconds: float = DEFAULT_SECONDS,
        cap: int = DEFAULT_CAP,
        input_: bytes | None = None,
    ) -> bytes:
        """Run one history command in the shadow and return its standard output.

        ``log``, ``blame``, ``rev-list``, ``diff-tree``, ``ls-tree``, ``merge-base``, ``patch-id``, ``name-rev``,
        ``cat-file``. There are no refs there: give full ids (:meth:`resolve`), then ``--``, then paths relative to the
        root, taken literally. The options that keep a repository's words out of it are put in front. ``input_``
        becomes standard input (``--stdin``). Raises :class:`GitFailed` on a non-zero exit, ``gitTimeout``,
        ``outputTooLarge``, ``Cancelled``.
        """
        return self.shadow.run(subcommand, *arguments, cancel=cancel, seconds=seconds, cap=cap, input_=input_)

    def stream(
        self,
        subcommand: str,
        *arguments: str,
        cancel: CancelToken,
        separator: bytes = b"\n",
        seconds: float = DEFAULT_SECONDS,
        cap: int = STREAM_CAP,
        input_: bytes | None = None,
    ) -> Stream:
        """As :meth:`run`, but the records (split at ``separator``) come while the command runs. Close it, or use
        ``with``."""
        return self.shadow.stream(
            subcommand, *arguments, cancel=cancel, separator=separator, seconds=seconds, cap=cap, input_=input_
        )

    def _real(
        self,
        subcommand: str,
        *arguments: str,
        cancel: CancelToken,
        own_config: bool = False,
        work_tree: bool = False,
        input_: bytes | None = None,
    ) -> Output:
        options = [*process.EXPLICIT_BARE, f"--git-dir={self.git_dir}"]
        if work_tree:
            options += [f"--work-tree={self.root}", "-C", str(self.root)]
        env = process.environment(self.git.path, own_config=own_config)
        if subcommand == "check-ignore":
            del env["GIT_LITERAL_PATHSPECS"]  # which it refuses; it takes paths as they are, a leading colon apart
        return process.run(
            self.git, options, subcommand, arguments, env=env, cancel=cancel, seconds=_ASKED_SECONDS, input_=input_
        )

    def close(self) -> None:
        """End the idle object readers and close the kept blames. The repository can be used again afterwards."""
        self.objects.close()
        self._blame.close()

    # ---- what it is

    @property
    def shallow(self) -> bool:
        """Whether its history was cut when it was cloned."""
        return bool(self.shadow.boundary)

    def is_boundary(self, commit: str) -> bool:
        """Whether a shallow clone's history ends at this commit: what is older is not here."""
        return commit in self.shadow.boundary

    @property
    def partial(self) -> bool:
        """Whether objects were left out when it was cloned (``--filter``)."""
        return any((self.common_dir / "objects" / "pack").glob("*.promisor"))

    def treeless(self, cancel: CancelToken) -> bool:
        """Whether it was cloned without trees (``--filter=tree:…``)."""
        config = self._own_config(cancel)
        return any(
            value.startswith("tree:")
            for name, values in config.items()
            if name.endswith(".partialclonefilter")
            for value in values
        )

    def _own_config(self, cancel: CancelToken) -> dict[str, list[str]]:
        identity = (fingerprint(self.common_dir / "config"), fingerprint(self.git_dir / "config.worktree"))
        if self._config is None or self._config[0] != identity:
            output = self._real("config", "--null", "--local", "--list", cancel=cancel)
            values: dict[str, list[str]] = {}
            for record in output.stdout.split(b"\0"):
                if record:
                    name, _, value = record.decode("utf-8", "replace").partition("\n")
                    values.setdefault(name, []).append(value)
            self._config = (identity, values)
        return self._config[1]

    def remotes(self, cancel: CancelToken) -> dict[str, str]:
        """Name to URL of each remote, as the repository's config has it. Nothing is fetched; text to be treated as
        such."""
        found: dict[str, str] = {}
        for name, values in self._own_config(cancel).items():
            if name.startswith("remote.") and name.endswith(".url"):
                found[name[len("remote.") : -len(".url")]] = values[0]
        return found

    def user_name(self, cancel: CancelToken | None = None) -> str | None:
        """The name this person commits with here, None when not configured."""
        return self._user("user.name", cancel or never())

    def user_email(self, cancel: CancelToken | None = None) -> str | None:
        """The address this person commits with here, None when not configured."""
        return self._user("user.email", cancel or never())

    def _user(self, key: str, cancel: CancelToken) -> str | None:
        output = self._real("config", "--null", "--get", key, cancel=cancel, own_config=True)
        value = output.stdout.rstrip(b"\0\n").decode("utf-8", "replace").strip()
        return value or None

    # ---- revisions and refs

    def head(self, cancel: CancelToken) -> str:
        """The full id of the commit HEAD is at. Raises ``unbornHead``.

        Read from the ref files where they say it plainly (no process), else from git.
        """
        plain = self._plain_head()
        if plain is not None:
            return plain
        identity = self._head_files()
        if self._head is not None and identity is not None and self._head[0] == identity:
            return self._head[1]
        output = self._real("rev-parse", "--verify", "--quiet", "HEAD^{commit}", cancel=cancel)
        commit = output.stdout.decode("ascii", "replace").strip()
        if output.returncode != 0 or not is_hash(commit):
            raise AnamnesisError(
                ErrorCode.UNBORN_HEAD,
                f"The repository at {printable(str(self.root))} has no commit on its current branch yet.",
                "Make a first commit, then try again.",
            )
        self._head = None if identity is None else (identity, commit)
        return commit

    def _head_text(self) -> str | None:
        data = read_small(self.git_dir / "HEAD", 4096)
        return None if data is None else data.decode("utf-8", "replace").strip()

    def _plain_head(self) -> str | None:
        text = self._head_text()
        if text is None or is_hash(text):
            return text
        name = text.removeprefix("ref:").strip()
        if not text.startswith("ref:") or not _REF.fullmatch(name) or ".." in name:
            return None
        data = read_small(self.common_dir / name, 4096) if name.startswith("refs/heads/") else None
        value = "" if data is None else data.decode("ascii", "replace").strip()
        return value if is_hash(value) else None

    def _head_files(self) -> object:
        text = self._head_text()
        if text is None or "\n" in text or (self.common_dir / "reftable").exists():
            return None
        name = text.removeprefix("ref:").strip()
        if not _REF.fullmatch(name) or ".." in name:
            return None
        return text, fingerprint(self.common_dir / "packed-refs"), fingerprint(self.common_dir / name)

    def resolve(self, rev: str, cancel: CancelToken) -> str:
        """The full id of the commit that ``rev`` names (branch, tag, ``HEAD~3``, short id …). Raises
        ``unknownRevision``."""
        if rev == "HEAD":
            return self.head(cancel)
        commit = ""
        if rev and len(rev) <= 512 and not rev.startswith("-") and rev.isprintable():
            output = self._real(
                "rev-parse", "--verify", "--quiet", "--end-of-options", f"{rev}^{{commit}}", cancel=cancel
            )
            lines = output.stdout.decode("ascii", "replace").split()
            commit = lines[-1] if output.returncode == 0 and lines else ""
        if not is_hash(commit):
            raise AnamnesisError(
                ErrorCode.UNKNOWN_REVISION,
                f"{printable(rev)[:100]} names no commit here.",
                "Check the spelling; in a shallow clone the commit may not have been fetched.",
            )
        return commit

    def refs(self, cancel: CancelToken) -> list[Ref]:
        """Every ref: branches, tags, notes, remote-tracking branches. Annotated tags are peeled."""
        form = "%(refname)%00%(objectname)%00%(objecttype)%00%(*objectname)%00%(*objecttype)"
        output = self._real("for-each-ref", f"--format={form}", cancel=cancel)
        result: list[Ref] = []
        for line in output.stdout.split(b"\n"):
            fields = line.split(b"\0")
            if len(fields) != 5:
                continue
            name, commit, kind, peeled, peeled_kind = (decode_path(field) for field in fields)
            result.append(Ref(name, peeled or commit, peeled_kind or kind))
        return result

    def branch(self) -> str | None:
        """The short name of the current branch; None when HEAD is detached."""
        text = self._head_text() or ""
        name = text.removeprefix("ref:").strip()
        return name.removeprefix("refs/heads/") if text.startswith("ref:") else None

    # ---- objects

    def commit(self, commit: str, cancel: CancelToken) -> Commit:
        """The commit of that full id, as the object has it. Raises ``objectMissing``, ``unknownRevision``."""
        return self.objects.commit(commit, cancel)

    def commits(self, hashes: Iterable[str], cancel: CancelToken) -> dict[str, Commit]:
        """The commits of these full ids by id; those not here are left out. About 20 microseconds each."""
        return self.objects.commits(hashes, cancel)

    def file(self, commit: str, path: str, cancel: CancelToken, cap: int = FILE_CAP) -> bytes:
        """The bytes of a file at a commit. Raises ``fileMissing``, ``objectMissing``, ``outputTooLarge``."""
        return self.objects.file(commit, path, cancel, cap)

    def text(self, commit: str, path: str, cancel: CancelToken) -> str:
        """The text of a file at a commit, ``\\n`` line ends, BOM gone. Raises also ``fileBinary``."""
        return decode_text(self.objects.file(commit, path, cancel), path)

    def tree(self, commit: str, cancel: CancelToken, under: str = "", sizes: bool = False) -> list[TreeEntry]:
        """Every file at a commit (below ``under``), in git's order. With ``sizes``, bytes where the blob is here."""
        if not is_hash(commit):
            raise missing(f"The revision {printable(commit)[:60]}")
        arguments = ["-r", "-z", "--full-tree", *(["-l"] if sizes else []), commit]
        if under:
            arguments += ["--", tree_path(under).rstrip("/") + "/"]
        try:
            data = self.run("ls-tree", *arguments, cancel=cancel, cap=STREAM_CAP)
        except GitFailed as error:
            raise missing(f"The tree of {commit[:12]}") from error
        result: list[TreeEntry] = []
        for record in data.split(b"\0"):
            head, tab, name = record.partition(b"\t")
            if tab:
                fields = head.decode("ascii", "replace").split()
                size = int(fields[3]) if len(fields) > 3 and fields[3].isdigit() else None
                result.append(TreeEntry(decode_path(name), fields[2], fields[0], size))
        return result

    # ---- blame

    def blame(
        self,
        commit: str,
        path: str,
        ranges: Sequence[tuple[int, int]] | None,
        cancel: CancelToken,
        ask_copies: bool = True,
    ) -> Blame:
        """Where lines of a file at a commit come from: through renames, moves and copies, white space aside.

        ``ranges`` are 1-based and inclusive, cut at the end of the file; None is the whole file, which gives way to
        questions about some lines. Revisions that ``.git-blame-ignore-revs`` names at ``commit`` are passed over and
        listed in the result. Without ``ask_copies`` (for a hover) no commit is asked where it took its lines from: what
        is known of that counts, the rest makes ``copies_followed`` False. Raises ``fileMissing``, ``objectMissing``,
        ``rangePastEnd``, ``gitTimeout``.
        """
        return self._blame.blame(commit, tree_path(path), ranges, cancel, ask_copies)

    def blame_buffer(
        self,
        path: str,
        buffer: str,
        ranges: Sequence[tuple[int, int]] | None,
        cancel: CancelToken,
        commit: str | None = None,
        ask_copies: bool = True,
    ) -> Blame:
        """Blame of the text in an editor, saved or not: mapped to ``commit`` (HEAD) by our own diff.

        Line numbers, in ``ranges`` and in the result, are the editor's. Lines that the commit does not have are
        ``uncommitted``, and so are conflict markers; the other side's lines of a conflict are blamed from the commit
        that is being merged, picked or rebased (``theirs``). The map is kept for the string ``buffer`` and carried on
        by :meth:`.buffers.Buffers.edited`. Raises as :meth:`blame`, and ``fileBinary``, ``fileInLfs``.
        """
        return self._editing.blame(commit or self.head(cancel), path, buffer, ranges, cancel, ask_copies)

    def line_map(self, path: str, buffer: str, cancel: CancelToken, commit: str | None = None) -> LineMap:
        """The map of an editor's text to the file at ``commit`` (HEAD). Raises as :meth:`blame_buffer`."""
        return self._editing.line_map(commit or self.head(cancel), path, buffer, cancel)[0]

    def attributes(self, commit: str, path: str, cancel: CancelToken) -> dict[str, Value]:
        """What ``.gitattributes`` at ``commit`` says of a path, read as text; see :mod:`.attributes`."""
        return attributes_of(self.objects, commit, tree_path(path), cancel)

    def warm(self, path: str, cancel: CancelToken, seconds: float = 10.0) -> bool:
        """Read ahead, in the background, what :meth:`blame_buffer` will ask at HEAD: the blame of the whole file, then,
        for up to ``seconds``, where its commits took lines from. Whether all of it is known now.

        Begins to build the commit-graph (:mod:`.warming`). Raises as :meth:`blame`.
        """
        from anamnesis_lsp.records.git.warming import warm

        try:
            return self._blame.settle(self.head(cancel), tree_path(path), cancel, seconds)
        finally:
            warm(self)

    # ---- changes, log

    def changes(
        self,
        commit: str,
        cancel: CancelToken,
        paths: Sequence[str] | None = None,
        context: int = 0,
        renames: bool = True,
        hunks: bool = True,
    ) -> list[FileChange]:
        """What a commit changed against its first parent (a root commit: against nothing), files in git's order.

        ``paths`` limits it to files that had or got one of these names. Without ``hunks``, names and status only.
        Raises ``objectMissing`` where the parent is not here (shallow clone), ``outputTooLarge``.
        """
        found = self.objects.commit(commit, cancel)
        if found.parents and self.is_boundary(commit):
            raise missing(f"What came before {commit[:12]}", boundary=True)
        parent = found.parents[0] if found.parents else None
        return changes_between(self.shadow, self.objects, parent, commit, cancel, paths, context, renames, hunks)

    def changes_between(
        self,
        old: str,
        new: str,
        cancel: CancelToken,
        paths: Sequence[str] | None = None,
        context: int = 0,
        renames: bool = True,
        hunks: bool = True,
    ) -> list[FileChange]:
        """What differs between two commits, as :meth:`changes`."""
        return changes_between(self.shadow, self.objects, old, new, cancel, paths, context, renames, hunks)

    def raw_changes(self, old: str | None, new: str, cancel: CancelToken, renames: bool = True) -> list[RawChange]:
        """Names, status, modes, blob ids and likeness of what differs between two commits (None: nothing at all)."""
        return raw_changes(self.shadow, old, new, cancel, renames)

    def log(
        self,
        commit: str,
        cancel: CancelToken,
        paths: Sequence[str] | None = None,
        limit: int | None = None,
        since: datetime | None = None,
        grep: str | None = None,
        author: str | None = None,
        all_refs: bool = False,
    ) -> Iterator[LogEntry]:
        """The commits reachable from ``commit``, newest first, while git finds them; see :func:`.log.read_log`."""
        starts = [commit]
        if all_refs:
            starts += [ref.hash for ref in self.refs(cancel) if ref.type == "commit"]
        return read_log(self.shadow, self.objects, starts, cancel, paths, limit, since, grep, author)

    def patch_id(self, commit: str, cancel: CancelToken) -> str | None:
        """git's stable patch-id of a commit's change: the same after a rebase or cherry-pick. None where it changed
        nothing."""
        found = self.objects.commit(commit, cancel)
        if found.parents and self.is_boundary(commit):
            raise missing(f"What came before {commit[:12]}", boundary=True)
        return patch_id_of(self.shadow, found.parents[0] if found.parents else None, commit, cancel)

    def is_ancestor(self, older: str, newer: str, cancel: CancelToken) -> bool:
        """Whether ``older`` is reachable from ``newer``. In a shallow clone False may only mean: not seen."""
        try:
            self.run("merge-base", "--is-ancestor", older, newer, cancel=cancel)
        except GitFailed as error:
            if error.output.returncode == 1:
                return False
            raise missing(f"{older[:12]} or {newer[:12]}") from error
        return True

    # ---- commit-graph

    def build_commit_graph(self, cancel: CancelToken, all_refs: bool = False) -> bool:
        """Build or extend our commit-graph with changed-path filters: history becomes 2 to 10 times faster. For a
        background thread.

        HEAD's history first; ``all_refs`` adds the rest. False where it is not built (shallow, treeless, no commit
        yet).
        """
        if self.shallow or self.treeless(cancel):
            return False
        try:
            head = self.head(cancel)
        except AnamnesisError as error:
            if error.code is ErrorCode.UNBORN_HEAD:
                return False
            raise
        mark = self.shadow.graph_mark
        last = (read_small(mark, 128) or b"").decode("ascii", "replace").strip()
        if last == head and not all_refs:
            return True
        rewritten = is_hash(last) and last != head and self._rewritten(last, head, cancel)
        built = self.shadow.build_commit_graph([head], cancel, rewritten)
        if built and all_refs:
            heads = sorted({ref.hash for ref in self.refs(cancel) if ref.type == "commit"})
            built = self.shadow.build_commit_graph(heads, cancel)
        if built:
            mark.write_text(head)
        return built

    def _rewritten(self, last: str, head: str, cancel: CancelToken) -> bool:
        """Whether what the commit-graph was written for is history no longer. While its objects are still here the
        graph is right, only larger than need be: it is then begun anew once an hour at most."""
        if self.objects.kind(last, cancel) is None:
            return True
        if self.is_ancestor(last, head, cancel):
            return False
        output = self._real("for-each-ref", "--count=1", f"--contains={last}", "--format=1", cancel=cancel)
        if output.stdout.strip():
            return False
        written = fingerprint(self.shadow.graph_mark)
        return written is None or time.time() - written[2] / 1e9 > 3600

    # ---- work tree

    def relative(self, path: Path) -> str:
        """The path inside the repository, ``/``-separated, symbolic links followed. Raises ``outsideRoot``."""
        return self._work.relative(path)

    def work_text(self, path: str) -> str:
        """The text of a file as it lies in the work tree now, in the encoding that ``working-tree-encoding`` names
        where it names one. Raises ``outsideRoot``, ``fileMissing``, ``fileBinary``."""
        data = self.work_bytes(path)
        if is_binary(data) or not is_utf8(data):
            cancel = never()
            try:
                encoding = self.attributes(self.head(cancel), path, cancel).get("working-tree-encoding")
            except AnamnesisError:
                encoding = None
            text = decode_named(data, encoding) if isinstance(encoding, str) else None
            if text is not None:
                return text
        return decode_text(data, path)

    def work_bytes(self, path: str) -> bytes:
        """The bytes of a regular file in the work tree; a symbolic link that leaves the root is refused."""
        return self._work.read(path)

    def ignored(self, path: str, cancel: CancelToken) -> bool:
        """Whether the ignore rules name this path, the user's own included. Never reads the index."""
        output = self._real(
            "check-ignore", "--no-index", "--quiet", "--", f"./{path}", cancel=cancel, own_config=True, work_tree=True
        )
        return output.returncode == 0

    def staged(self, path: str, cancel: CancelToken) -> str | None:
        """The blob that the index has for this path, None where it has none."""
        return self._index(cancel, "--", path).get(path)

    def staged_origin(self, commit: str, path: str, cancel: CancelToken) -> tuple[str, float] | None:
        """The name that a file whose rename is staged has at ``commit``, and how similar it is there (0 to 1); None
        where it is no rename."""
        if self.staged(path, cancel) is None:
            return None
        tree = {entry.path: entry.hash for entry in self.tree(commit, cancel) if entry.mode.startswith("100")}
        return staged_origin(self.objects, self._index(cancel), tree, path, cancel)

    def _index(self, cancel: CancelToken, *limit: str) -> dict[str, str]:
        output = self._real("ls-files", "--stage", "-z", "--full-name", *limit, cancel=cancel, work_tree=True)
        found: dict[str, str] = {}
        for record in output.stdout.split(b"\0"):
            head, _, name = record.partition(b"\t")
            fields = head.split()
            if len(fields) == 3:
                found[decode_path(name)] = fields[1].decode("ascii", "replace")
        return found
