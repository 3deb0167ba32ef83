"""The files of a work tree, read plainly: git is not asked, nothing outside of the root is opened."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.records.git import process
from anamnesis_lsp.records.git.objects import FILE_CAP
from anamnesis_lsp.records.git.shadow import read_small
from anamnesis_lsp.records.git.text import decode_path, inside, printable, tree_path


class WorkTree:
    """The work tree at ``root``, resolved (of a bare repository: its git directory)."""

    def __init__(self, root: Path, bare: bool) -> None:
        self.root, self.bare = root, bare

    def relative(self, path: Path) -> str:
        """See :meth:`.Repository.relative`."""
        real = Path(os.path.realpath(self.root / path))
        found = inside(self.root, real)
        if found is not None and not found.parts:
            raise AnamnesisError(
                ErrorCode.OUTSIDE_ROOT,
                f"{printable(str(path))} is the folder of a repository, not a file.",
                "Pass the path of a file.",
            )
        if found is None or (found.parts[0] == ".git" and not self.bare):
            raise AnamnesisError(
                ErrorCode.OUTSIDE_ROOT,
                f"{printable(str(path))} is not inside the repository at {printable(str(self.root))}.",
                "Open the folder of the repository that holds the file; a symbolic link counts as its target.",
            )
        return decode_path(os.fsencode(found.as_posix())) if os.name != "nt" else found.as_posix()

    def read(self, path: str) -> bytes:
        """See :meth:`.Repository.work_bytes`."""
        file = self.root / self.relative(self.root / tree_path(path))
        try:
            facts = file.stat()
        except OSError as error:
            raise AnamnesisError(
                ErrorCode.PERMISSION_DENIED if isinstance(error, PermissionError) else ErrorCode.FILE_MISSING,
                f"{printable(path)} could not be read: {error.strerror}.",
                "Check the path.",
            ) from error
        if not stat.S_ISREG(facts.st_mode):
            raise AnamnesisError(
                ErrorCode.FILE_MISSING, f"{printable(path)} is not a file.", "Pass the path of a text file."
            )
        if facts.st_size > FILE_CAP:
            raise process.too_large(FILE_CAP)
        data = read_small(file, FILE_CAP)
        if data is None:
            raise AnamnesisError(
                ErrorCode.PERMISSION_DENIED, f"{printable(path)} could not be read.", "Check its permissions."
            )
        return data
