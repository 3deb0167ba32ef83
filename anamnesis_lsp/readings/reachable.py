"""What a recall can reach: repositories, the stores, the catalog, and what was already read of them.

Held by a running process beside its recalls and shared by them, so that the second question about a file is answered
from what the first one read. Everything kept here can be read again; none of it is state. Thread-safe.
"""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, TypeVar

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.index.catalog import Catalog
from anamnesis_lsp.index.refresh import Policy
from anamnesis_lsp.index.rows import Pending, Refreshed
from anamnesis_lsp.index.rows import Progress as Reading
from anamnesis_lsp.readings.corpus import Corpus
from anamnesis_lsp.readings.owning import Owned, owned, traits_of
from anamnesis_lsp.readings.past import Past
from anamnesis_lsp.records.conversations.belonging import RepositoryTraits
from anamnesis_lsp.records.conversations.model import Part, Source
from anamnesis_lsp.records.conversations.opening import find_source
from anamnesis_lsp.records.conversations.registry import runtime
from anamnesis_lsp.records.conversations.stores import Store, part
from anamnesis_lsp.records.git import Repository

T = TypeVar("T")


class Progress(Protocol):
    """Told how far a piece of work is: a line for people, and a percentage where one is known."""

    def __call__(self, message: str, percent: int | None = None) -> None:
        """Tell it."""
        ...


def silent(message: str, percent: int | None = None) -> None:
    """Progress that nobody listens to."""


class Kept:
    """A small cache by key: least recently used first out; each value is made once even where two ask at a time."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._values: OrderedDict[Hashable, object] = OrderedDict()
        self._lock = threading.Lock()
        self._making: dict[Hashable, threading.Lock] = {}

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """The value of ``key``, made now where it is not kept."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key]  # type: ignore[return-value]
            own = self._making.setdefault(key, threading.Lock())
        with own:
            with self._lock:
                if key in self._values:
                    return self._values[key]  # type: ignore[return-value]
            value = make()
            with self._lock:
                self._values[key] = value
                self._making.pop(key, None)
                while len(self._values) > self._size:
                    self._values.popitem(last=False)
        return value

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._values.clear()


@dataclass(frozen=True, slots=True)
class Refusal:
    """A store that could not be brought up to date, with the reason for people."""

    store: Store
    reason: str


def how_far(reading: Reading) -> str:
    """How far the reading of a store is, in one line."""
    what = "decision records" if reading.store.runtime in ("decisions", "beads") else "conversations"
    megabytes = f"{reading.bytes_done / 1e6:,.0f} of {reading.bytes_of / 1e6:,.0f} MB"
    return f"Reading {reading.store.runtime}: {reading.done:,} of {reading.of:,} {what}, {megabytes}"


WAITING = "Waiting for another program"
"""How progress begins that is no reading of ours."""


def waits_for_another(left: Sequence[Pending]) -> str:
    """What is waited for while another program reads, for people: ``left`` is what it has not read yet."""
    conversations, megabytes = sum(one.sources for one in left), sum(one.bytes for one in left) / 1e6
    return f"{WAITING} that is reading the conversations ({conversations:,} left, {megabytes:,.0f} MB)"


@dataclass(slots=True)
class Reachable:
    """The stores and repositories of one process. ``refresh`` brings the catalog up to date; the rest reads."""

    catalog: Catalog
    given: bool = False
    """The stores were given: they replace those discovered, and are searched whole."""
    policy: Policy = field(default_factory=Policy)
    """What the catalog may keep."""
    refusals: list[Refusal] = field(default_factory=lambda: list[Refusal]())
    unread: dict[Store, Pending] = field(default_factory=lambda: dict[Store, Pending]())
    """Of each store what the catalog did not have when a search last waited for it."""
    _corpora: Kept = field(default_factory=lambda: Kept(4))
    _pasts: Kept = field(default_factory=lambda: Kept(8))
    _newest: dict[Path, Past] = field(default_factory=lambda: dict[Path, Past]())
    """The history of each repository as it was read last."""
    _sources: Kept = field(default_factory=lambda: Kept(64))
    _receipts: Kept = field(default_factory=lambda: Kept(4))
    _traits: Kept = field(default_factory=lambda: Kept(4))
    _owned: Kept = field(default_factory=lambda: Kept(4))
    _generation: int = 0
    _written: object = None

    def repository(self, root: Path, cancel: CancelToken) -> Repository:
        """The repository at ``root``."""
        return Repository.discover(root, cancel)

    def past(self, repository: Repository, head: str) -> Past:
        """The history of a repository as seen from ``head``, with what was read of it."""

        def make() -> Past:
            made = Past(repository, head, self._newest.get(repository.root))
            self._newest[repository.root] = made
            return made

        return self._pasts.get((repository.root, head), make)

    def corpus(self, stores: Sequence[Store], cancel: CancelToken) -> Corpus:
        """The records of these stores as the catalog has them now."""
        key = (tuple(stores), self._generation)
        return self._corpora.get(key, lambda: Corpus.read(self.catalog, stores, cancel, self.policy.excluded))

    def owned(self, corpus: Corpus, past: Past | None, cancel: CancelToken) -> Owned:
        """The records of a corpus that a recall in that repository is about: all where the stores were given."""
        if self.given or past is None:
            return Owned(frozenset(corpus.rows), {})
        key = (corpus.stores, self._generation, past.repository.root, past.head)
        return self._owned.get(key, lambda: owned(corpus, past, self.traits(past, cancel)))

    def traits(self, past: Past, cancel: CancelToken) -> RepositoryTraits:
        """What tells a repository from others."""
        return self._traits.get((past.repository.root, past.head), lambda: traits_of(past, cancel))

    def of_receipts(self, corpus: Corpus, make: Callable[[], T]) -> T:
        """What ``make`` tells of the capture receipts of a corpus, kept as long as they are these."""
        return self._receipts.get((corpus.stores, self._generation), make)

    def refresh(self, stores: Sequence[Store], cancel: CancelToken, progress: Progress) -> Refreshed:
        """Bring the catalog up to date with these stores. A store that cannot be read becomes a refusal, no error."""
        return self.read(stores, cancel, lambda reading: progress(how_far(reading), reading.percent))

    def read(
        self, stores: Sequence[Store], cancel: CancelToken, progress: Callable[[Reading], None] | None = None
    ) -> Refreshed:
        """As :meth:`refresh`, with progress in numbers."""
        try:
            done = self.catalog.refresh(stores, cancel, progress, self.policy)
        except BaseException:
            self.renew()
            raise
        if done.captured or done.gone or done.other_writer:
            self.renew()
        return done

    def pending(self, stores: Sequence[Store], cancel: CancelToken) -> list[Pending]:
        """What of each store the catalog does not have."""
        return self.catalog.pending(stores, cancel, self.policy.excluded)

    def renew_if_changed(self) -> bool:
        """As :meth:`renew`, where the catalog was written since this was asked last, by whatever process."""
        written = self.catalog.written()
        if written == self._written:
            return False
        self._written = written
        self.renew()
        return True

    def renew(self) -> None:
        """The catalog has changed: what was read of it is read again, and not held until then."""
        self._generation += 1
        for kept in (self._corpora, self._sources, self._receipts, self._owned):
            kept.clear()

    def source(self, store: Store, identity: str, cancel: CancelToken) -> Source:
        """Where a conversation is read from now. Raises ``recordGone``, ``storeUnreadable``.

        Of one that is as it was captured the catalog knows it; for another the store is listed.
        """
        captured = self.catalog.source(store, identity)
        if captured is not None and all(part(one.path) == one for one in captured.parts):
            return captured
        key = (store, self._generation)
        listed = self._sources.get(key, lambda: _Sources(store, cancel))
        found = listed.get(identity)
        if found is None or not found.path.exists():
            return find_source(store.runtime, store.root, identity, cancel)
        return found


class _Sources:
    """The conversations of a store by their ids; of two files with one id the larger, as the catalog takes it.

    Nearly all are one file each and held as a few words: a hundred thousand values with their paths would be 80 MB.
    """

    def __init__(self, store: Store, cancel: CancelToken) -> None:
        self._store = store
        self._found: dict[str, _Held | Source] = {}
        sizes: dict[str, int] = {}
        for source in runtime(store.runtime).sources(store.root, cancel):
            size = sum(one.size for one in source.parts)
            if size > sizes.get(source.id, -1):
                sizes[source.id] = size
                self._found[source.id] = _held(source, store) or source

    def get(self, identity: str) -> Source | None:
        """The conversation of that id."""
        found = self._found.get(identity)
        if found is None or isinstance(found, Source):
            return found
        path, size, mtime_ns, parent, agent = found
        one = Part(Path(path), size, mtime_ns)
        return Source(self._store.runtime, self._store.root, identity, (one,), parent, agent)


_Held = tuple[str, int, int, "str | None", "str | None"]
"""Path, size, modification time, parent and agent of a conversation that is one file."""


def _held(source: Source, store: Store) -> _Held | None:
    if len(source.parts) != 1 or source.beside or source.root != store.root or source.runtime != store.runtime:
        return None
    (one,) = source.parts
    return os.fspath(one.path), one.size, one.mtime_ns, source.parent_id, source.agent
