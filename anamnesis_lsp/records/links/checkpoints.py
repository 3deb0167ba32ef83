"""Entire's checkpoints: a branch with the conversations that a commit's trailer names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.records.conversations.jsonl import objects_of, text_of
from anamnesis_lsp.records.conversations.times import moment
from anamnesis_lsp.records.links.foreign import bare_session, object_in, runtime_of, texts_of
from anamnesis_lsp.records.links.model import GitTrees, Link, LinkKind, Place

CHECKPOINT_BRANCH = "entire/checkpoints/v1"
_MAX_METADATA = 8 << 20


@dataclass(frozen=True, slots=True)
class CheckpointSession:
    """One conversation of a checkpoint."""

    session_id: str
    agent: str | None
    transcript: str | None
    """Path of the transcript in the checkpoint branch."""
    when: datetime | None
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """What the checkpoint branch holds of one checkpoint."""

    identity: str
    ref: str
    commit: str
    """The commit of the branch it was read from."""
    branch: str | None
    files: tuple[str, ...]
    sessions: tuple[CheckpointSession, ...]


class Checkpoints:
    """The checkpoints of one repository, local branch first, then remote-tracking ones. Nothing is fetched."""

    def __init__(self, repository: GitTrees, cancel: CancelToken) -> None:
        self._repository = repository
        refs = [
            ref
            for ref in repository.refs(cancel)
            if ref.name.endswith(f"/{CHECKPOINT_BRANCH}") and ref.type == "commit"
        ]
        self._refs = sorted(refs, key=lambda ref: not ref.name.startswith("refs/heads/"))

    @property
    def present(self) -> bool:
        """Whether the repository has a checkpoint branch here at all: else a link into it was not looked for."""
        return bool(self._refs)

    def open(self, identity: str, cancel: CancelToken) -> Checkpoint | None:
        """The checkpoint of that id with all its conversations; None where no branch here holds it."""
        folder = f"{identity[:2]}/{identity[2:]}"
        for ref in self._refs:
            cancel.check()
            data = self._metadata(ref.hash, f"{folder}/metadata.json", cancel)
            if data is None:
                continue
            return Checkpoint(
                identity,
                ref.name,
                ref.hash,
                text_of(data.get("branch")),
                texts_of(data.get("files_touched")),
                tuple(self._sessions(ref.hash, folder, data, cancel)),
            )
        return None

    def links(self, identity: str, cancel: CancelToken) -> list[Link]:
        """The checkpoint itself, with whether a branch here holds it, then its conversations."""
        checkpoint = self.open(identity, cancel) if self.present else None
        found = (checkpoint is not None) if self.present else None
        links = [Link(LinkKind.CHECKPOINT, identity, Place.CHECKPOINT, CHECKPOINT_BRANCH, identity, found=found)]
        for session in checkpoint.sessions if checkpoint is not None else ():
            links.append(
                Link(
                    LinkKind.SESSION,
                    session.session_id,
                    Place.CHECKPOINT,
                    identity,
                    session.session_id,
                    runtime_of(session.agent),
                    found=True,
                    path=session.transcript,
                )
            )
        return links

    def _sessions(
        self, commit: str, folder: str, data: dict[str, Any], cancel: CancelToken
    ) -> Iterator[CheckpointSession]:
        seen: set[str] = set()
        paths: list[tuple[str, str | None]] = []
        for entry in objects_of(data.get("sessions")):
            metadata, transcript = text_of(entry.get("metadata")), text_of(entry.get("transcript"))
            if metadata:
                paths.append((metadata.lstrip("/"), transcript.lstrip("/") if transcript else None))
        if not paths:
            try:
                entries = self._repository.tree(commit, cancel, under=folder)
            except AnamnesisError:
                entries = []
            names = {entry.path for entry in entries}
            for path in sorted(names):
                if path.endswith("/metadata.json"):
                    beside = path.removesuffix("metadata.json") + "full.jsonl"
                    paths.append((path, beside if beside in names else None))
        for path, transcript in paths:
            cancel.check()
            if not path.startswith(f"{folder}/") or ".." in path.split("/"):
                continue
            own = data if path == f"{folder}/metadata.json" else self._metadata(commit, path, cancel)
            identity = text_of(own.get("session_id")) if own is not None else None
            if own is None or identity is None or identity in seen:
                continue
            seen.add(identity)
            yield CheckpointSession(
                bare_session(identity),
                text_of(own.get("agent")),
                transcript,
                moment(own.get("created_at")),
                texts_of(own.get("files_touched")),
            )

    def _metadata(self, commit: str, path: str, cancel: CancelToken) -> dict[str, Any] | None:
        try:
            raw = self._repository.file(commit, path, cancel)
        except AnamnesisError as error:
            if error.code in (ErrorCode.FILE_MISSING, ErrorCode.OBJECT_MISSING, ErrorCode.OUTPUT_TOO_LARGE):
                return None
            raise
        return object_in(raw) if len(raw) <= _MAX_METADATA else None
