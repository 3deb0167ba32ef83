"""Whether a record may be told as the origin of the lines, and what joins it to their commits.

The order says which record is likeliest; this says whether even that one belongs, by what it holds itself. In most
repositories most lines have no conversation and no decision record, and the best of many that fit a little is nothing.
A recorded link joins, the lines joined, the part of a log or record that was written in the commit together with its
words, and words that no other record comes near. Time, a much-named file, a line that anybody writes never do. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping

from anamnesis_lsp.readings.content import Proposal
from anamnesis_lsp.readings.weights import TABLE, Join
from anamnesis_lsp.records.decisions.model import Form
from anamnesis_lsp.records.decisions.store import form_of
from anamnesis_lsp.records.evidence import Kind

IN_THE_BODY = 0.6
"""What an id cited in the body of a message counts against one in the subject: bodies cite in passing."""
LINES_ENOUGH = {"lines.selected": 0.25, "lines.owned": 0.5, "lines.patch": 0.25}
"""Shares from which having written the lines joins: less than half of them only where the file was edited, and lately;
an earlier conversation wrote some of nearly any lines."""
LATELY = 0.5
LINK_ENOUGH = 0.5
APART = 0.35
"""From here on its words alone join a record: others, by chance, do not come near."""
MEANT = 0.2
"""And the commit must stand apart from the other commits, as the record sees them."""
SPOKEN = 0.5
"""Speaking of the selected lines as no other does, and naming their file as few others do."""
TITLED = 0.85
NAMED = 0.15
"""What naming the selected file adds, where few others name it."""
APART_LINKED = 0.12
"""With a weak link (its file in the commit, its id in the body) so much is enough: it speaks of the same at all."""
APART_SWEPT = 0.3
"""With its file in a commit that swept many together."""
NOT_SWEPT = 0.3
APART_EDITED = 0.3
"""With an edit of the same file, and work on it nearly as late before the commit as any other's."""
NEAR = 0.6


def joins_by(proposal: Proposal) -> Join | None:
    """The strongest relation by which the proposal is joined to the commits of the lines; None: it only proposes."""
    if is_changelog(proposal):
        return None  # it tells what was done, afterwards, many things under one version: near it, and no origin
    values = {ground.name: ground.value for ground in proposal.grounds}
    if values.get("link.recorded", 0.0) >= LINK_ENOUGH:
        return Join.CONVERSATION_RECORDS
    if any(values.get(name, 0.0) >= LINK_ENOUGH for name in ("link.named", "link.cited in lines", "link.alone")):
        return Join.COMMIT_RECORDS
    apart = values.get("words.apart", 0.0)
    wrote = _wrote(values)
    if values.get("link.cited", 0.0) > IN_THE_BODY:
        return Join.COMMIT_RECORDS
    speaks = max(apart, values.get("words.spoken", 0.0))
    together = values.get("link.together", 0.0)
    if (values.get("link.cited", 0.0) >= LINK_ENOUGH or together >= NOT_SWEPT) and (wrote or speaks >= APART_LINKED):
        return Join.COMMIT_RECORDS
    if together > 0 and speaks >= APART_SWEPT:
        return Join.COMMIT_RECORDS
    if wrote:
        return Join.WROTE_LINES
    if values.get("path.edited", 0.0) > 0 and apart >= APART_EDITED and values.get("time.work", 0.0) >= NEAR:
        return Join.SAME_PATH
    if values.get("words.titled", 0.0) >= TITLED:
        return Join.SAME_WORDS
    spoken, named = values.get("words.spoken", 0.0), values.get("path.named", 0.0)
    if spoken >= SPOKEN and named >= SPOKEN and values.get("words.meant", 0.0) >= MEANT:
        return Join.SAME_WORDS
    near = apart + NAMED * values.get("path.named", 0.0) >= APART
    return Join.SAME_WORDS if near and values.get("words.meant", 0.0) >= MEANT else None


MOST = 0.5


def _wrote(values: Mapping[str, float]) -> bool:
    if max(values.get("lines.selected", 0.0), values.get("lines.owned", 0.0)) >= MOST:
        return True
    some = any(values.get(name, 0.0) >= LINES_ENOUGH[name] for name in ("lines.selected", "lines.patch"))
    return some and values.get("path.edited", 0.0) > 0 and values.get("time.work", LATELY) >= LATELY


def wrote_a_part(proposal: Proposal) -> bool:
    """Whether its edits wrote less than half of the selected lines, and of what the commit added."""
    values = {ground.name: ground.value for ground in proposal.grounds}
    selected, patch = values.get("lines.selected", 0.0), values.get("lines.patch", 0.0)
    return selected < MOST and patch < MOST and min(selected, patch) < LINES_ENOUGH["lines.selected"]


def is_changelog(proposal: Proposal) -> bool:
    """Whether the record is a change log's entry: it tells what was done, afterwards, and is no origin by its words."""
    return proposal.key.kind is Kind.DECISION and form_of(proposal.key.id.partition("#")[0]) is Form.CHANGELOG


_TOLD_FIRST = ("link.", "lines.", "path.", "words.", "time.", "cue.")


def told(proposal: Proposal) -> str:
    """What joins the members, strongest first, in words: ``its edits wrote the selected lines; 12 minutes before``."""
    parts: list[str] = []
    edited = any(ground.name == "path.edited" for ground in proposal.grounds)
    for prefix in _TOLD_FIRST:
        for ground in sorted(proposal.grounds, key=lambda g: -g.value * TABLE[g.name].weight):
            if not ground.name.startswith(prefix) or not ground.told or ground.value <= 0.05:
                continue
            if ground.told not in parts and not (edited and ground.name == "path.named"):
                parts.append(ground.told)
    return "; ".join(parts[:5]) or "their words are alike"
