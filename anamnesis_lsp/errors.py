"""Every failure a person can meet, with what to do about it.

One exception class, one code per cause. A code is part of the wire (``Error`` in the protocol page): it never changes
its meaning. The text of an error never holds text of a record.
"""

from __future__ import annotations

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
