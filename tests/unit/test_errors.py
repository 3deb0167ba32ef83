"""What the operating system and SQLite refuse is told with a remedy; what is a fault of ours is not."""

from __future__ import annotations

import errno
import sqlite3

import pytest

from anamnesis_lsp.errors import AnamnesisError, ErrorCode, of_system


@pytest.mark.parametrize(
    "refused,code,words",
    [
        (OSError(errno.ENOSPC, "full"), ErrorCode.INDEX_UNUSABLE, "Make room"),
        (OSError(errno.EROFS, "read-only"), ErrorCode.PERMISSION_DENIED, "writable"),
        (PermissionError(errno.EACCES, "no"), ErrorCode.PERMISSION_DENIED, "ANAMNESIS_CACHE_DIR"),
        (OSError(errno.EMFILE, "too many"), ErrorCode.GIT_FAILED, "raise the limit"),
        (MemoryError(), ErrorCode.GIT_FAILED, "raise the limit"),
        (RuntimeError("can't start new thread"), ErrorCode.GIT_FAILED, "raise the limit"),
        (FileNotFoundError(errno.ENOENT, "gone"), ErrorCode.RECORD_GONE, "exists"),
        (sqlite3.OperationalError("database or disk is full"), ErrorCode.INDEX_UNUSABLE, "Make room"),
        (sqlite3.OperationalError("attempt to write a readonly database"), ErrorCode.PERMISSION_DENIED, "writable"),
        (sqlite3.OperationalError("database is locked"), ErrorCode.INDEX_UNUSABLE, "in a moment"),
        (sqlite3.DatabaseError("file is not a database"), ErrorCode.INDEX_UNUSABLE, "--rebuild"),
    ],
)
def test_what_the_system_refuses_has_a_remedy(refused: BaseException, code: ErrorCode, words: str) -> None:
    told = of_system(refused)
    assert told is not None and told.code is code and words in told.remedy
    assert not str(refused) or str(refused) not in told.message, "its own text may name a record"


@pytest.mark.parametrize("fault", [RuntimeError("secret words"), ValueError("x"), OSError("no number"), KeyError("k")])
def test_a_fault_of_ours_is_none_of_the_systems(fault: BaseException) -> None:
    assert of_system(fault) is None


def test_every_code_has_an_exit_code_and_a_spelling_of_its_own() -> None:
    assert {code.exit_code for code in ErrorCode} == {2, 3, 4}
    assert ErrorCode.DUBIOUS_OWNERSHIP.exit_code == ErrorCode.PERMISSION_DENIED.exit_code == 3
    assert ErrorCode.INTERNAL.exit_code == ErrorCode.CANCELLED.exit_code == 4
    error = AnamnesisError(ErrorCode.FILE_MISSING, "There is no file.", "Name one that is.")
    assert error.as_wire() == {"code": "fileMissing", "message": "There is no file.", "remedy": "Name one that is."}
