"""Recorded links between a commit and the records of a corpus: what the commit, its notes or the conversation itself
says.

The strongest evidence there is, and forgeable: it is told as what the record says. A link that names a record which is
not in the corpus finds nothing here; it is told as dangling where it was looked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.index.rows import CommitRow, RecordRow
from anamnesis_lsp.readings.corpus import Corpus
from anamnesis_lsp.readings.grounds import WIDE_PATHS, Evidence, Facts
from anamnesis_lsp.readings.joining import APART_SWEPT, IN_THE_BODY
from anamnesis_lsp.readings.naming import names_of, spellings
from anamnesis_lsp.readings.past import Past
from anamnesis_lsp.records import decisions
from anamnesis_lsp.records.identifiers import IdKind, identifiers
from anamnesis_lsp.records.links import Link, LinkKind, Place

BESIDE_A_CITED_ONE = 0.4
"""What a record's file in the commit counts where the subject cites another record."""
CHANGED = (0.35, 0.75)
"""What a record's file counts that the commit changed rather than added: of decision records, of conversations."""
_ALIKE = (("words.apart", 0.05), ("words.meant", 0.2), ("words.title", 0.5))
"""Below all of these a record speaks of other things than the commit: others, by chance, speak as much of it."""
DAY = 86400.0
SWEPT = 0.29
SWEEP = 12
"""A commit that holds more session or decision files than this is a sweep: being in it says little."""


def links(past: Past, corpus: Corpus, facts: Facts, found: Evidence, cancel: CancelToken) -> None:
    """Add what is recorded between the commit of ``facts`` and the records."""
    _recorded(past, corpus, facts, found, cancel)
    names = names_of(corpus)
    recorded = past.links(facts.commit.hash, cancel)
    swept = len([link for link in recorded if link.place is Place.FILES])
    subject = facts.commit.subject
    cited = any(names.get(_key(link, subject)) and link.text in subject for link in recorded if _cites(link, subject))
    for link in recorded:
        ground = _ground(link, subject)
        if ground is None:
            continue
        value = 1.0
        if ground == "link.together":
            value = min(1.0, SWEEP / swept) * (BESIDE_A_CITED_ONE if cited else 1.0)
            if link.path not in facts.patch.created:
                value *= CHANGED[link.kind is LinkKind.SESSION]
        elif ground == "link.cited" and link.text not in subject:
            value = IN_THE_BODY
        elif ground == "link.named" and not _about(link, facts):
            continue
        for record in names.get(_key(link, subject), ()):
            if link.place is Place.FILES and not _part_written(corpus.rows[record], link, facts, cancel):
                continue
            values = found.values.setdefault(ground, {})
            values[record] = max(values.get(record, 0.0), value)
            found.told.setdefault((ground, record), _told(link, corpus.rows[record]))
    _cited_in_lines(facts, names, found)
    if not cited:
        _added_alone(recorded, facts, names, found)
    if len(facts.patch.paths) > WIDE_PATHS:
        _doubt_swept(found)


FEW_FILES = 12


def _added_alone(recorded: Sequence[Link], facts: Facts, names: Mapping[str, set[int]], found: Evidence) -> None:
    """The one record that a small commit added beside its code; where the subject cites another, it only followed."""
    added = [link for link in recorded if link.place is Place.FILES and link.path in facts.patch.created]
    if len(added) != 1 or len(facts.patch.paths) > FEW_FILES:
        return
    together = found.values.get("link.together", {})
    for record in names.get(_key(added[0], facts.commit.subject), ()):
        if record in together:
            found.values.setdefault("link.alone", {})[record] = 1.0


def _doubt_swept(found: Evidence) -> None:
    """In a commit of very many files a record's own file is one of them: it has to speak of the change as well."""
    together = found.values.get("link.together", {})
    for record in together:
        speaks = max(found.values.get(name, {}).get(record, 0.0) for name in ("words.apart", "words.spoken"))
        wrote = any(found.values.get(name, {}).get(record, 0.0) > 0 for name in ("lines.selected", "lines.patch"))
        if speaks < APART_SWEPT and not wrote:
            together[record] = min(together[record], SWEPT)


def doubt_false_anchors(found: Evidence) -> None:
    """An id that a message cites anchors only where the record speaks of the same things: else it counts half."""
    cited = found.values.get("link.cited", {})
    for record in cited:
        if all(found.values.get(name, {}).get(record, 0.0) < least for name, least in _ALIKE):
            cited[record] *= 0.5


_OF_SEVERAL = (
    ("lines.linked", "lines.selected"),
    ("path.linked", "path.edited"),
    ("named.linked", "path.named"),
    ("words.linked", "words.selected"),
)


def which_of_several(found: Evidence) -> None:
    """Where several records are linked to the commit, the selected lines and the path tell which of them it is."""
    joined = {
        record
        for name, values in found.values.items()
        if name in ("link.recorded", "link.named", "link.together", "link.cited")
        for record in values
    }
    if len(joined) < 2:
        return
    for ground, of in _OF_SEVERAL:
        values = found.values.get(of, {})
        best = max((values.get(record, 0.0) for record in joined), default=0.0)
        if best > 0:
            scale = 1.0 if of == "lines.selected" else best
            found.values[ground] = {r: values[r] / scale for r in joined if values.get(r, 0.0) > 0}


def _recorded(past: Past, corpus: Corpus, facts: Facts, found: Evidence, cancel: CancelToken) -> None:
    """The conversation shows the commit: git's own output, or an aider history line, names the hash."""
    for row in corpus.catalog.recorded_commits([facts.commit.hash], corpus.stores):
        if not _is_meant(past, row, facts, cancel):
            found.misnamed.add(row.hash)
            continue
        found.values.setdefault("link.recorded", {})[row.record] = 1.0
        found.told["link.recorded", row.record] = f"records making commit {facts.commit.hash[:9]}"
        found.point(row.record, row.turn, 0.5)


def _is_meant(past: Past, row: CommitRow, facts: Facts, cancel: CancelToken) -> bool:
    """Whether a recorded hash names the commit: whole, with its subject, or abbreviated as that of no other here."""
    commit = facts.commit
    if len(row.hash) >= len(commit.hash) or row.subject == commit.subject:
        return True
    try:
        return past.repository.resolve(row.hash, cancel) == commit.hash
    except AnamnesisError:
        return False


def _cites(link: Link, subject: str) -> bool:
    return _ground(link, subject) == "link.cited"


def _ground(link: Link, subject: str) -> str | None:
    if link.place is Place.FILES:
        return "link.together" if link.kind in (LinkKind.SESSION, LinkKind.DECISION, LinkKind.BEAD) else None
    if link.kind is LinkKind.SESSION:
        return "link.named"
    if link.kind in (LinkKind.DECISION, LinkKind.RFC, LinkKind.TASK, LinkKind.BEAD, LinkKind.ISSUE, LinkKind.TICKET):
        return "link.cited"
    if link.kind is LinkKind.PULL_REQUEST and link.place is Place.MESSAGE and _is_scope(link, subject):
        return "link.cited"
    return None


def _is_scope(link: Link, subject: str) -> bool:
    """``feat(#12): …`` names what was worked on; ``… (#12)`` at the end is the pull request it came by."""
    return re.match(rf"\w+\({re.escape(link.text.strip('()'))}\)!?:", subject) is not None


LONG_ENOUGH = 12
"""Characters from which a line says which part of a file it stands in."""


def _part_written(row: RecordRow, link: Link, facts: Facts, cancel: CancelToken) -> bool:
    """Whether the commit wrote into the record itself, where a file holds many (the versions of a change log)."""
    path, _, part = row.key.id.partition("#")
    if link.kind is not LinkKind.DECISION or not part:
        return True
    if row.started is not None and row.started < facts.at - DAY:
        return False  # released before
    written = {line.strip() for line in facts.patch.added.get(path, ()) if len(line.strip()) >= LONG_ENOUGH}
    if not written:
        return False
    try:
        text = decisions.read_decision(row.key.root, row.key.id, cancel).text
    except AnamnesisError as error:
        if error.code is ErrorCode.CANCELLED:
            raise
        return False
    return any(line.strip() in written for line in text.split("\n"))


def _told(link: Link, row: RecordRow) -> str:
    match link.place:
        case Place.FILES:
            its = "its own entry was written" if "#" in row.key.id else "its own file was committed"
            return f"{its} with the code"
        case Place.CHECKPOINT:
            return f"the commit's checkpoint {link.where} names it"
        case Place.NOTE:
            return f"a note of the commit ({link.where}) names it"
        case Place.TRACE:
            return "an agent trace names it"
        case Place.TRAILER:
            return f"the commit's trailer {link.where} names it"
        case Place.MESSAGE:
            return f"the commit's message cites {link.text}"


def _about(link: Link, facts: Facts) -> bool:
    """Whether a link that names lines (a note, a trace) names some of the selected ones."""
    if not link.lines or link.path is None:
        return True
    return link.path == facts.share.path and _overlap(link.lines, facts.share.source)


def _overlap(some: Iterable[tuple[int, int]], others: Iterable[tuple[int, int]]) -> bool:
    return any(a <= d and c <= b for a, b in some for c, d in others)


def _cited_in_lines(facts: Facts, names: dict[str, set[int]], found: Evidence) -> None:
    for identifier in identifiers("\n".join(facts.selected)):
        for key in spellings(identifier.kind, identifier.value):
            for record in names.get(key, ()):
                found.values.setdefault("link.cited in lines", {})[record] = 1.0
                found.told["link.cited in lines", record] = f"the lines cite {identifier.text}"


def _key(link: Link, subject: str) -> str:
    if link.kind is LinkKind.PULL_REQUEST:
        return f"number:{link.value.rpartition('#')[2].lstrip('0')}" if _is_scope(link, subject) else ""
    if link.kind is LinkKind.SESSION:
        return f"session:{link.value.casefold()}"
    if link.kind is LinkKind.DECISION and ("/" in link.value or link.place is Place.FILES):
        return f"path:{link.value}"
    kinds = {
        LinkKind.DECISION: IdKind.DECISION,
        LinkKind.RFC: IdKind.RFC,
        LinkKind.TASK: IdKind.TASK,
        LinkKind.BEAD: IdKind.BEAD,
        LinkKind.ISSUE: IdKind.ISSUE,
        LinkKind.TICKET: IdKind.TICKET,
    }
    kind = kinds.get(link.kind)
    return next(spellings(kind, link.value), "") if kind is not None else ""
