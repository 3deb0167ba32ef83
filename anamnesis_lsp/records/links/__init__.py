"""Links that others recorded between commits, conversations and decisions: trailers, notes, checkpoints, traces, files.

A link says what a record says, where it says it, and whether its target was found. Any of them can be forged or dangle:
:attr:`Place.written_by` names who could have written it, and nothing here takes a link for more than its words. Reads
git only through the three methods of :class:`GitTrees`, and files of the work tree confined to its root.

Formats: ``Entire-Checkpoint`` and the branch ``entire/checkpoints/v1`` (``ab/cdef…/metadata.json`` with one folder per
session), git-ai's authorship notes 3.0.0 (``refs/notes/ai``), Agent Trace (``.agent-trace/*.jsonl``).
``formats/FORMATS.md`` section 12.
"""

from __future__ import annotations

from anamnesis_lsp.records.links.checkpoints import Checkpoint, Checkpoints, CheckpointSession
from anamnesis_lsp.records.links.commits import commit_links, file_links
from anamnesis_lsp.records.links.messages import Trailer, message_links, text_links, trailers
from anamnesis_lsp.records.links.model import GitTrees, Link, LinkKind, Place
from anamnesis_lsp.records.links.notes import NotedLines, git_ai_note, note_links
from anamnesis_lsp.records.links.traces import Trace, agent_traces

__all__ = [
    "Checkpoint",
    "CheckpointSession",
    "Checkpoints",
    "GitTrees",
    "Link",
    "LinkKind",
    "NotedLines",
    "Place",
    "Trace",
    "Trailer",
    "agent_traces",
    "commit_links",
    "file_links",
    "git_ai_note",
    "message_links",
    "note_links",
    "text_links",
    "trailers",
]
