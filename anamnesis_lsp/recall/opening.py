"""Locators opened as documents: the record is read again, now, from its own source, under a root this process knows."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.places import KnownRoots
from anamnesis_lsp.present import documents
from anamnesis_lsp.present.locators import Locator
from anamnesis_lsp.present.page import Document
from anamnesis_lsp.records import decisions
from anamnesis_lsp.records.conversations.opening import find_source, open_conversation
from anamnesis_lsp.records.evidence import Kind, RecordKey
from anamnesis_lsp.records.git import Repository
from anamnesis_lsp.records.git.stepping import End, Oldest, Stop, before_commit
from anamnesis_lsp.records.git.weblinks import web_links

AROUND = 12
"""Turns of a conversation shown before and after the one a locator names."""


def open_document(locator: Locator, roots: KnownRoots, cancel: CancelToken) -> Document:
    """The document of a record's locator. Raises ``unknownRoot``, ``recordGone``, and what reading raises."""
    places = {"conversation": locator.runtime or "transcripts", "decision": "decisions"}
    root = roots.resolve(locator.root or "", places.get(locator.kind, "repository"))
    if locator.kind == "conversation":
        return _conversation(locator, root, cancel)
    if locator.kind == "decision":
        return _decision(locator, root, cancel)
    repository = Repository.discover(root, cancel)
    commit = locator.hash or ""
    key = RecordKey(Kind.COMMIT, root, commit)
    try:
        if locator.kind == "file":
            text = repository.text(commit, locator.path or "", cancel)
            return documents.file_document(key, locator.path or "", text, locator.lines)
        if locator.kind == "diff":
            changes = repository.changes(commit, cancel, paths=[locator.path or ""], context=3)
            change = next((c for c in changes if locator.path in (c.path, c.old_path)), None)
            if change is None:
                raise AnamnesisError(
                    ErrorCode.RECORD_GONE,
                    f"Commit {commit[:12]} does not change {locator.path}.",
                    "Open the commit to see the files it changes.",
                )
            return documents.diff_document(key, change)
        found = repository.commit(commit, cancel)
        changes = repository.changes(commit, cancel, hunks=False)
        if locator.path is not None:
            shown = repository.changes(commit, cancel, paths=[locator.path], context=3)
            changes = [*shown, *(c for c in changes if c.path not in {s.path for s in shown})]
        web = web_links(repository, found, cancel, locator.path, locator.lines)
        earlier = _before(repository, locator, cancel)
        return documents.commit_document(key, found, changes, locator.path, locator.lines, web=web, earlier=earlier)
    except AnamnesisError as error:
        if error.code in (ErrorCode.OBJECT_MISSING, ErrorCode.UNKNOWN_REVISION):
            raise AnamnesisError(
                ErrorCode.RECORD_GONE,
                f"Commit {commit[:12]} is not in this repository (any more).",
                "History may have been rewritten or not fetched; run Recollect again on the lines.",
            ) from error
        raise


def _before(repository: Repository, locator: Locator, cancel: CancelToken) -> Stop | End | None:
    """Where the lines of a commit's locator were before it, or why nowhere; None where it names no lines, or they
    cannot be mapped."""
    if locator.path is None or locator.lines is None:
        return None
    try:
        found = before_commit(repository, Stop(locator.hash or "", locator.path, locator.lines), cancel)
        return found.why if isinstance(found, Oldest) else found
    except AnamnesisError as error:
        if error.code is ErrorCode.CANCELLED:
            raise
        return None


def _conversation(locator: Locator, root: Path, cancel: CancelToken) -> Document:
    runtime = locator.runtime or "transcripts"
    key = RecordKey(Kind.CONVERSATION, root, locator.id or "", runtime)
    source = find_source(runtime, root, locator.id or "", cancel)
    wanted = None
    if locator.turn is not None:
        wanted = range(max(1, locator.turn - AROUND), locator.turn + AROUND + 1)
    opened = open_conversation(source, wanted, cancel)
    return documents.conversation_document(
        key, opened.head, opened.turns, opened.total, locator.turn, scan=opened.scan, handle=opened.handle
    )


@dataclass(frozen=True, slots=True)
class _Section:
    name: str
    start_line: int
    end_line: int


def _decision(locator: Locator, root: Path, cancel: CancelToken) -> Document:
    identity = locator.path or ""
    part = locator.part
    try:
        record = decisions.read_decision(root, identity if part is None else f"{identity}#{part}", cancel)
        section = None
    except AnamnesisError as error:
        if part is None or error.code is not ErrorCode.RECORD_GONE:
            raise
        record, section = decisions.read_decision(root, identity, cancel), part
    whole = record.form not in (decisions.Form.ISSUE, decisions.Form.CHANGELOG)
    shown = documents.DecisionText(
        title=record.title,
        status=record.status,
        date=None if record.created is None else record.created.date().isoformat(),
        text=record.text,
        sections=[_Section(s.name, *s.lines) for s in record.sections if s.name] if whole else (),
    )
    return documents.decision_document(record.key, shown, section)
