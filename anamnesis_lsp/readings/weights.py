"""What each piece of evidence weighs in the order of the candidates: one table, each row with its reason.

A piece of evidence has a value from 0 to 1; a candidate's score is the sum of value times weight. ``joins`` says which
of the design's relations it is (``DESIGN.md`` section 7): 1 the conversation records the commit, 2 the commit records
the conversation, 3 it wrote these lines, 4 it edited the path shortly before, 5 it talks about the same things. A
relation of 1 to 3 joins by itself; 4 and 5 join only together; time never joins.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class Join(IntEnum):
    """How a piece of evidence may join a record to a commit, strongest first."""

    CONVERSATION_RECORDS = 1
    COMMIT_RECORDS = 2
    WROTE_LINES = 3
    SAME_PATH = 4
    SAME_WORDS = 5
    NEVER = 6
    """Orders, and joins nothing."""


@dataclass(frozen=True, slots=True)
class Weight:
    """One row: the weight, which relation it is, and why it has this weight."""

    name: str
    weight: float
    joins: Join
    reason: str


_ROWS = (
    # recorded links: what the records themselves say
    Weight("link.recorded", 12.0, Join.CONVERSATION_RECORDS,
           "the conversation shows the commit's hash after a successful commit: a mistake would need a forged log"),
    Weight("link.named", 12.0, Join.COMMIT_RECORDS,
           "a trailer, checkpoint, note or trace of the commit names this very record"),
    Weight("link.cited", 9.0, Join.COMMIT_RECORDS,
           "the commit's message cites the record's id; ids are cited in passing too, so below a trailer"),
    Weight("link.together", 9.0, Join.COMMIT_RECORDS,
           "the record's file was added or changed in the commit itself; several sessions may be swept in together"),
    Weight("link.alone", 1.0, Join.COMMIT_RECORDS,
           "of a commit of few files it is the only record that was added: written down with the code, and for it"),
    Weight("link.cited in lines", 1.5, Join.COMMIT_RECORDS,
           "the selected lines or their comment cite the record's id"),
    # line provenance: narrow and nearly certain
    Weight("lines.selected", 2.0, Join.WROTE_LINES,
           "share of the selected lines whose latest writer before the commit it is: right in 100 of 106 at one half"),
    Weight("lines.owned", 0.3, Join.WROTE_LINES,
           "share of what one of the commits brought to the selection that its edits wrote: the origin of that part"),
    Weight("lines.patch", 1.5, Join.WROTE_LINES,
           "share of the commit's added lines that its edits wrote: right in 96 of 99 at one quarter"),
    Weight("lines.linked", 8.0, Join.WROTE_LINES,
           "of several linked records, the one that wrote the lines: the others only went into the same commit"),
    Weight("path.linked", 4.0, Join.SAME_PATH, "of several linked records, the one that edited the selected file"),
    Weight("named.linked", 2.0, Join.SAME_PATH, "of several linked records, the one that names the selected file"),
    Weight("words.linked", 3.0, Join.SAME_WORDS,
           "of several linked records, the one that speaks of the selected lines, whatever else the commit did"),
    # words
    Weight("words.selected", 0.2, Join.SAME_WORDS, "the selected lines and the file's name against the whole record"),
    Weight("words.message", 1.0, Join.SAME_WORDS,
           "the commit's message against the whole record: the best single evidence in words"),
    Weight("words.comments", 1.0, Join.SAME_WORDS, "the comments the commit added against the whole record"),
    Weight("words.title", 0.7, Join.SAME_WORDS,
           "how much of the record's title the commit's message covers: a title is short and meant to name"),
    Weight("words.apart", 0.8, Join.SAME_WORDS,
           "how far it stands apart from the other records by all those words together: the best of many that fit a"
           " little is nothing"),
    Weight("words.titled", 0.3, Join.SAME_WORDS,
           "its title is the commit's subject, nearly word for word: three words at least, and hardly any other"),
    Weight("words.meant", 0.1, Join.SAME_WORDS,
           "how far the commit stands apart from others as the record sees them; it tests more than it orders"),
    Weight("words.spoken", 0.2, Join.SAME_WORDS,
           "the same by the words of the selected lines and of the file's name alone"),
    Weight("words.neighbours", 0.7, Join.SAME_WORDS,
           "the messages of the author's previous and next commits: work comes in runs"),
    Weight("words.paths", 0.5, Join.SAME_WORDS, "the words in the names of the files the commit touched"),
    # path and time
    Weight("path.edited", 1.0, Join.SAME_PATH, "its edits touched the selected file; more where few others did"),
    Weight("path.named", 0.4, Join.SAME_PATH, "its tools read the selected file, or its text names it"),
    Weight("time.work", 0.6, Join.NEVER, "it was active shortly before the commit was made"),
    Weight("time.close", 0.6, Join.NEVER, "it ended, or was closed, near the commit"),
    # the person's own words
    Weight("cue.words", 1.0, Join.SAME_WORDS, "the cue's words against its best passages, rare above common"),
    Weight("cue.body", 1.5, Join.SAME_WORDS,
           "the cue's words against the whole record: what is meant is said over many turns; of 188 cues 109 are among"
           " the first ten, 106 at 1.0, in no repository fewer"),
    Weight("cue.commits", 0.4, Join.SAME_WORDS, "the words of the commits that the cue's words reach"),
    Weight("cue.title", 0.3, Join.SAME_WORDS, "the cue's words against its title"),
    Weight("cue.time", 1.0, Join.NEVER, "it lies in the time the person named"),
    Weight("cue.path", 1.0, Join.SAME_PATH, "it edited or mentions a path the person named"),
    Weight("cue.id", 6.0, Join.COMMIT_RECORDS, "the person named its id"),
)  # fmt: skip

LINKED_AT_MOST = 12.0
"""What all recorded links of one record weigh together: two links to one commit say no more than one."""

TABLE: dict[str, Weight] = {row.name: row for row in _ROWS}
"""Every piece of evidence by name."""
