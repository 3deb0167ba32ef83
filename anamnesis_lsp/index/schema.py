"""The tables of the catalog, and the version they have.

Everything here can be made again from the records, so a file of another version is not migrated but rebuilt. The
version also stands for the rules of ``lines.py`` and ``terms.py``: change them, and it is a new version.

- ``records`` one conversation or decision record; ``sources`` the file (or row) it came from, with its revision;
- ``turns`` one row per turn or section, ``passages`` the searchable pieces of it, ``passage_text`` their full-text
  index (contentless: it holds no text; rows of replaced passages stay behind until the next rebuild, never returned);
- ``postings`` how often a term stands in a record: said by anyone, of that by the person, and in what was written;
- ``edits`` and ``lines``: which edit wrote a line; ``commits``, ``mentions``, ``receipts`` as named.
"""

from __future__ import annotations

import sqlite3
import time

SCHEMA_VERSION = 2

TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE stores (
    id INTEGER PRIMARY KEY,
    runtime TEXT NOT NULL,
    root TEXT NOT NULL,
    checked REAL,            -- when the last refresh that saw the whole store ended
    state TEXT NOT NULL,     -- 'read', 'absent', 'unreadable', 'partly'
    note TEXT,
    UNIQUE (runtime, root)
);

CREATE TABLE sources (
    store INTEGER NOT NULL,
    key TEXT NOT NULL,       -- session id, or path of a file of decision records
    revision TEXT,           -- [[path, size, mtime_ns], ...] as JSON; NULL: read it again
    PRIMARY KEY (store, key)
) WITHOUT ROWID;

CREATE TABLE records (
    id INTEGER PRIMARY KEY AUTOINCREMENT,   -- never used twice
    store INTEGER NOT NULL,
    source TEXT NOT NULL,
    identity TEXT NOT NULL,
    kind TEXT NOT NULL,
    root TEXT NOT NULL,
    path TEXT NOT NULL,
    parent TEXT,
    agent TEXT,
    title TEXT,
    title_from TEXT,
    started REAL,
    ended REAL,
    cwds TEXT NOT NULL,
    branches TEXT NOT NULL,
    remotes TEXT NOT NULL,
    head_commits TEXT NOT NULL,
    links TEXT NOT NULL,
    pull_requests TEXT NOT NULL,
    person_turns INTEGER NOT NULL,
    turns INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    said INTEGER NOT NULL,   -- terms in all, as the postings count them
    person INTEGER NOT NULL,
    wrote INTEGER NOT NULL,
    gone REAL,               -- when its source was first missing
    UNIQUE (store, identity)
);
CREATE INDEX records_started ON records (started);

CREATE TABLE turns (
    record INTEGER NOT NULL,
    n INTEGER NOT NULL,
    digest INTEGER NOT NULL,
    speaker TEXT NOT NULL,
    at REAL,
    part TEXT,
    passage INTEGER NOT NULL,
    passages INTEGER NOT NULL,
    PRIMARY KEY (record, n)
) WITHOUT ROWID;

CREATE TABLE passages (id INTEGER PRIMARY KEY, record INTEGER NOT NULL, n INTEGER NOT NULL);

CREATE VIRTUAL TABLE passage_text USING fts5(said, wrote, content='', tokenize="unicode61 tokenchars '_'");

CREATE VIRTUAL TABLE passage_terms USING fts5vocab(passage_text, row);

CREATE TABLE terms (term TEXT PRIMARY KEY, id INTEGER NOT NULL) WITHOUT ROWID;

CREATE TABLE postings (
    term INTEGER NOT NULL,
    record INTEGER NOT NULL,
    said INTEGER NOT NULL,
    person INTEGER NOT NULL,
    wrote INTEGER NOT NULL,
    PRIMARY KEY (term, record)
) WITHOUT ROWID;

CREATE TABLE bags (record INTEGER PRIMARY KEY, terms BLOB NOT NULL);

CREATE TABLE paths (id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, name TEXT NOT NULL);
CREATE INDEX paths_name ON paths (name);

CREATE TABLE edits (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    record INTEGER NOT NULL,
    n INTEGER NOT NULL,
    path INTEGER NOT NULL,
    at REAL,
    outcome TEXT NOT NULL,
    tool TEXT NOT NULL,
    whole_file INTEGER NOT NULL,
    native INTEGER,          -- hash of the runtime's own id of the turn: equal in copies of a conversation
    hashes BLOB NOT NULL     -- of the lines written, 8 bytes each
);
CREATE INDEX edits_record ON edits (record, n);
CREATE INDEX edits_at ON edits (at);
CREATE INDEX edits_path ON edits (path);

CREATE TABLE lines (hash INTEGER NOT NULL, edit INTEGER NOT NULL, PRIMARY KEY (hash, edit)) WITHOUT ROWID;

CREATE TABLE mentions (
    path INTEGER NOT NULL, record INTEGER NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (record, path)
) WITHOUT ROWID;
CREATE INDEX mentions_path ON mentions (path);

CREATE TABLE commits (
    record INTEGER NOT NULL,
    n INTEGER NOT NULL,
    hash TEXT NOT NULL,
    short TEXT NOT NULL,     -- its first 7 digits
    subject TEXT,
    branch TEXT,
    how TEXT NOT NULL,
    at REAL,
    native INTEGER
);
CREATE INDEX commits_short ON commits (short);
CREATE INDEX commits_record ON commits (record, n);

CREATE TABLE receipts (record INTEGER PRIMARY KEY, receipt BLOB NOT NULL);   -- as receipts.py packs it
"""


def create(connection: sqlite3.Connection) -> None:
    """Make the tables in an empty database, all or nothing."""
    connection.execute("PRAGMA journal_mode = WAL")
    connection.executescript(f"BEGIN IMMEDIATE;\n{TABLES}\nPRAGMA user_version = {SCHEMA_VERSION};\nCOMMIT;")


def renew(connection: sqlite3.Connection) -> None:
    """Make the tables anew, empty, in one transaction: who reads meanwhile sees the old ones or the new ones."""
    found = connection.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!'"
        " ORDER BY sql NOT LIKE 'CREATE VIRTUAL%'"
    ).fetchall()
    drops = "".join(f'DROP TABLE IF EXISTS "{name}";\n' for (name,) in found)  # a virtual one takes its shadows along
    connection.executescript(f"BEGIN IMMEDIATE;\n{drops}{TABLES}\nCOMMIT;")


def mark_written(connection: sqlite3.Connection) -> None:
    """Note, in the transaction that is open, that records were written: others ask by this whether to read again."""
    connection.execute("INSERT OR REPLACE INTO meta VALUES ('written', ?)", (str(time.time_ns()),))


def unusable(connection: sqlite3.Connection) -> str | None:
    """Why this database cannot be used as a catalog, for people; None where it can (or is empty: then it is made)."""
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version == SCHEMA_VERSION:
        connection.execute("SELECT count(*) FROM meta").fetchone()
        return None
    if version == 0 and connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0:
        return None
    age = "newer" if version > SCHEMA_VERSION else "older"
    return (
        f"it was written by {'a' if age == 'newer' else 'an'} {age} version (schema {version}, here {SCHEMA_VERSION})"
    )
