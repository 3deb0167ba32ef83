"""Every failure a person can meet, with what to do about it.

One exception class, one code per cause. A code is part of the wire (``Error`` in the protocol page): it never changes
its meaning. The text of an error never holds text of a record.
"""

from __future__ import annotations

import errno
from enum import Enum


class ErrorCode(str, Enum):
    """What went wrong. The value is what goes over the wire; ``exit_code`` is what the command line returns."""

    NOT_A_REPOSITORY = "notARepository"
    FILE_MISSING = "fileMissing"
    FILE_UNTRACKED = "fileUntracked"
    FILE_IGNORED = "fileIgnored"
    OUTSIDE_ROOT = "outsideRoot"
    FILE_BINARY = "fileBinary"
    FILE_EMPTY = "fileEmpty"
    FILE_IN_LFS = "fileInLfs"
    RANGE_PAST_END = "rangePastEnd"
    RANGE_REVERSED = "rangeReversed"
    RANGE_EMPTY = "rangeEmpty"
    UNBORN_HEAD = "unbornHead"
    UNKNOWN_REVISION = "unknownRevision"
    DUBIOUS_OWNERSHIP = "dubiousOwnership"
    GIT_MISSING = "gitMissing"
    GIT_TOO_OLD = "gitTooOld"
    GIT_FAILED = "gitFailed"
    GIT_TIMEOUT = "gitTimeout"
    OBJECT_MISSING = "objectMissing"
    OUTPUT_TOO_LARGE = "outputTooLarge"
    STORE_UNKNOWN = "storeUnknown"
    STORE_UNREADABLE = "storeUnreadable"
    STORE_BUSY = "storeBusy"
    INDEX_UNUSABLE = "indexUnusable"
    STATE_TOO_NEW = "stateTooNew"
    STATE_UNUSABLE = "stateUnusable"
    BAD_LOCATOR = "badLocator"
    UNKNOWN_ROOT = "unknownRoot"
    RECORD_GONE = "recordGone"
    NO_SUCH_RECALL = "noSuchRecall"
    NOTHING_PRESENTED = "nothingPresented"
    BAD_REQUEST = "badRequest"
    CANCELLED = "cancelled"
    PERMISSION_DENIED = "permissionDenied"
    INTERNAL = "internal"

    @property
    def exit_code(self) -> int:
        """The command line's exit code: 2 bad input, 3 refused, 4 internal."""
        if self in (ErrorCode.DUBIOUS_OWNERSHIP, ErrorCode.PERMISSION_DENIED):
            return 3
        if self in (ErrorCode.INTERNAL, ErrorCode.CANCELLED):
            return 4
        return 2


class AnamnesisError(Exception):
    """One clear error: what was wrong (``message``) and what to do about it (``remedy``)."""

    def __init__(self, code: ErrorCode, message: str, remedy: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.remedy = remedy

    def as_wire(self) -> dict[str, str]:
        """The inside of the wire's ``Error`` object: ``{"code", "message", "remedy"}``."""
        return {"code": self.code.value, "message": self.message, "remedy": self.remedy}


_FULL = "No room is left for this program's own files."
_REFUSED = "This program's own files cannot be written."
_ROOM = "Make room, or set ANAMNESIS_CACHE_DIR and ANAMNESIS_STATE_DIR to directories that have some."
_WRITABLE = "Make them writable for you, or set ANAMNESIS_CACHE_DIR and ANAMNESIS_STATE_DIR to directories that are."
_SYSTEM = {
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT, errno.EFBIG), (ErrorCode.INDEX_UNUSABLE, _FULL, _ROOM)),
    **dict.fromkeys((errno.EROFS, errno.EACCES, errno.EPERM), (ErrorCode.PERMISSION_DENIED, _REFUSED, _WRITABLE)),
    **dict.fromkeys(
        (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN),
        (
            ErrorCode.GIT_FAILED,
            "The system gave no more files, processes or memory.",
            "Close something, or raise the limit.",
        ),
    ),
    errno.ENOENT: (
        ErrorCode.RECORD_GONE,
        "A file or folder that is needed here is no longer there.",
        "Check that the folder you work in exists, and try again.",
    ),
}
_SQLITE = (
    ("full", (ErrorCode.INDEX_UNUSABLE, _FULL, _ROOM)),
    ("readonly", (ErrorCode.PERMISSION_DENIED, _REFUSED, _WRITABLE)),
    (
        "locked",
        (ErrorCode.INDEX_UNUSABLE, "Another program holds this program's own files locked.", "Try again in a moment."),
    ),
    ("", (ErrorCode.INDEX_UNUSABLE, "The index cannot be read or written.", "Run 'anamnesis-lsp index --rebuild'.")),
)


def of_system(error: BaseException) -> AnamnesisError | None:
    """What the operating system or SQLite refused, as an error with a remedy; None for what is a fault of ours.

    The last resort of the outermost rooms: a room that knows more says more.
    """
    no_thread = isinstance(error, RuntimeError) and str(error) == "can't start new thread"
    if isinstance(error, MemoryError) or no_thread:
        return AnamnesisError(*_SYSTEM[errno.ENOMEM])
    if isinstance(error, OSError) and error.errno in _SYSTEM:
        return AnamnesisError(*_SYSTEM[error.errno])
    if type(error).__module__ == "sqlite3" and type(error).__name__ in ("OperationalError", "DatabaseError"):
        return AnamnesisError(*next(told for word, told in _SQLITE if word in str(error)))
    return None
