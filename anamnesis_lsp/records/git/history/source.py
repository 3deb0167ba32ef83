"""What a history asks of git, answered by a :class:`~anamnesis_lsp.records.git.repository.Repository`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.records.git.model import Commit
from anamnesis_lsp.records.git.process import GitFailed
from anamnesis_lsp.records.git.repository import Repository
from anamnesis_lsp.records.git.text import decode_path

from .revisions import LOG_FORMAT, PATCH_FORMAT, Pair, TreeChange

_ABSENT = frozenset(
    {ErrorCode.FILE_MISSING, ErrorCode.OBJECT_MISSING, ErrorCode.OUTPUT_TOO_LARGE, ErrorCode.FILE_BINARY}
)
_PLAIN_DIFF = ("-p", "-U0", "--no-renames", "--diff-algorithm=myers", "--indent-heuristic", "--ignore-submodules=all")
_RENAME_LIMIT = "-l1000"


class RepositoryPast:
    """A :class:`~.revisions.Past` over one repository. Every process it starts has ended when a method returns."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository

    @property
    def boundary(self) -> frozenset[str]:
        """The commits where a shallow clone ends."""
        return self._repository.shadow.boundary

    def log(self, commits: Sequence[str], path: str, count: int, cancel: CancelToken) -> bytes:
        """Commits that changed the path, with their rewritten parents and the blobs before and after, newest first."""
        return self._run(
            "log",
            f"--format={LOG_FORMAT}",
            "--parents",
            *("--raw", "--no-abbrev", "--no-renames", "--ignore-submodules=all"),
            f"-n{count}",
            *commits,
            "--",
            path,
            cancel=cancel,
        )

    def patches(self, pairs: Sequence[Pair], path: str, cancel: CancelToken) -> list[bytes]:
        """The diffs of a path in commits, each against the parent named with it; empty where there is none."""
        output = self._run(
            "diff-tree",
            *("--stdin", "--always", "-r", f"--format={PATCH_FORMAT}", *_PLAIN_DIFF, "--", path),
            cancel=cancel,
            input_="".join(f"{commit} {parent}\n" for commit, parent in pairs).encode("ascii"),
        )
        found = [record.partition(b"\0")[2] for record in (b"\n" + output).split(b"\n\0")[1:]]
        if len(found) != len(pairs):
            raise AnamnesisError(
                ErrorCode.GIT_FAILED,
                f"git told {len(found)} changes where {len(pairs)} were asked for.",
                "Run `git fsck` in the repository; if it is sound, please report this.",
            )
        return found

    def file(self, commit: str, path: str, cancel: CancelToken) -> bytes | None:
        """The blob of a path at a commit; ``None`` when it is not there, not here, or too large."""
        try:
            return self._repository.file(commit, path, cancel)
        except AnamnesisError as error:
            if error.code in _ABSENT:
                return None
            raise

    def blob(self, blob: str, cancel: CancelToken) -> bytes | None:
        """The bytes of a blob; ``None`` when it is not here, or too large."""
        try:
            return self._repository.objects.blob(blob, cancel)
        except AnamnesisError as error:
            if error.code in _ABSENT:
                return None
            raise

    def blobs(self, blobs: Sequence[str], cancel: CancelToken) -> Mapping[str, bytes]:
        """The bytes of several blobs in one conversation; what is not here, or too large, is left out."""
        return self._repository.objects.blobs(blobs, cancel)

    def blob_ids(self, commits: Sequence[str], path: str, cancel: CancelToken) -> list[str | None]:
        """The blob of a path at each of the commits; ``None`` where there is none."""
        return self._repository.objects.blob_ids(commits, path, cancel)

    def tree_changes(self, old: str, new: str, cancel: CancelToken) -> list[TreeChange]:
        """The raw diff of two commits, files only."""
        output = self._run(
            "diff-tree",
            "-r",
            "--raw",
            "-z",
            "--full-index",
            "--no-abbrev",
            "-M40%",
            _RENAME_LIMIT,
            old,
            new,
            cancel=cancel,
        )
        return parse_raw(output)

    def _run(self, subcommand: str, *arguments: str, cancel: CancelToken, input_: bytes | None = None) -> bytes:
        try:
            return self._repository.run(subcommand, *arguments, cancel=cancel, input_=input_)
        except GitFailed as error:
            if self._repository.partial:
                raise AnamnesisError(
                    ErrorCode.OBJECT_MISSING,
                    "Part of this history was not downloaded: the clone leaves out old file contents.",
                    "Run `git fetch --refetch --no-filter`, or ask where the repository is whole.",
                ) from error
            raise

    def commit(self, commit: str, cancel: CancelToken) -> Commit:
        """The commit object."""
        return self._repository.commit(commit, cancel)

    def commits(self, commits: Sequence[str], cancel: CancelToken) -> Mapping[str, Commit]:
        """Several commit objects in one conversation."""
        return self._repository.commits(commits, cancel)


def parse_raw(output: bytes) -> list[TreeChange]:
    """The entries of ``diff-tree -r --raw -z``. Submodules and symbolic links are left out."""
    fields = output.split(b"\0")
    changes: list[TreeChange] = []
    at = 0
    while at < len(fields):
        head = fields[at].decode("ascii", "replace").lstrip(":").split()
        at += 1
        if len(head) != 5:
            continue
        old_mode, mode, old_blob, blob, status = head
        old_path = path = decode_path(fields[at])
        at += 1
        if status[0] in "RC":
            path = decode_path(fields[at])
            at += 1
        if "160000" in (old_mode, mode) or "120000" in (old_mode, mode):
            continue
        changes.append(
            TreeChange(
                status[0], old_path, path, old_blob if old_blob.strip("0") else None, blob if blob.strip("0") else None
            )
        )
    return changes


__all__ = ["RepositoryPast", "parse_raw"]
