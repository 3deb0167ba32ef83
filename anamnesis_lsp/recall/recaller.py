"""The recaller: the one door to running recalls, for the server and for the command line.

Every method blocks and may be called from any thread; a recall takes one utterance at a time. Errors are
``AnamnesisError``; a cancelled piece of work ends with ``Cancelled`` and leaves the recall as it stood.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any, Literal

from anamnesis_lsp.cancel import Cancelled, CancelToken, never
from anamnesis_lsp.contract import Origin, Turn, anamnesis
from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.index import Catalog, Pending, Policy, Refreshed
from anamnesis_lsp.index import Progress as Reading
from anamnesis_lsp.places import KnownRoots
from anamnesis_lsp.present import locators, markdown
from anamnesis_lsp.present.hover import HoverStory
from anamnesis_lsp.present.page import MARKDOWN, PLAIN, Document, OpenTarget
from anamnesis_lsp.present.round import Round
from anamnesis_lsp.readings import codec, story
from anamnesis_lsp.readings.content import Content, Invocation
from anamnesis_lsp.readings.cue import comment_at
from anamnesis_lsp.readings.reachable import Progress, Reachable, Refusal, how_far, silent, waits_for_another
from anamnesis_lsp.readings.reader import Reader
from anamnesis_lsp.readings.search import Workplace
from anamnesis_lsp.recall import rounds, stores_status
from anamnesis_lsp.recall.opening import open_document
from anamnesis_lsp.recall.recalls import Recall, Recalls
from anamnesis_lsp.recall.settings import RecallSettings
from anamnesis_lsp.recall.state import State
from anamnesis_lsp.recall.steps import Steps
from anamnesis_lsp.recall.talk import Talk, quiet
from anamnesis_lsp.recall.upkeep import Until, Upkeep
from anamnesis_lsp.records import decisions
from anamnesis_lsp.records.conversations.stores import Store
from anamnesis_lsp.records.git import Repository, check_selection, editor_lines

__all__ = ["Progress", "RecallSettings", "Recaller", "RecollectRequest"]

FRESH_SECONDS = 1.0
"""A catalog that was brought up to date this recently is not looked at again."""
OTHER_SECONDS = 30.0
"""So long a recall waits for another program that holds the index and writes nothing into it."""
REINDEX_SECONDS = 30.0
"""So long a rebuild waits for another program that is writing the index."""

CopyAs = Literal["markdown", "commit", "comment"]


@dataclass(frozen=True, slots=True)
class RecollectRequest:
    """What Recollect is run on. ``path`` is absolute, or relative to the working directory; ``lines`` are 1-based,
    inclusive.
    """

    path: Path | None = None
    lines: tuple[int, int] | None = None
    buffer: str | None = None
    """The text in the editor, saved or not; None: the file as it lies on disk."""
    cue: str | None = None
    rev: str | None = None
    recall: str | None = None
    """Continue this recall."""
    version: int | None = None
    fresh: bool = False
    """Begin a fresh recall, whatever was asked before."""


class Recaller:
    """The recalls of a process over its repositories and stores."""

    def __init__(self, settings: RecallSettings, workspace_roots: Sequence[Path]) -> None:
        self._settings = settings
        self._roots = KnownRoots()
        self._workspace: list[Path] = []
        self._catalog = Catalog.open(settings.index_path)
        policy = Policy(
            settings.index_max_bytes, settings.index_retention_days, settings.excluded, settings.reading_processes
        )
        self._reachable = Reachable(self._catalog, given=settings.stores is not None, policy=policy)
        self._upkeep: Upkeep | None = None
        self._state: State | None = None
        self._recalls = Recalls(self._open_state if settings.keep else None)
        self._talk = Talk(settings.contract, self._recalls, self._reader)
        self._lock = threading.Lock()
        self._refreshed: dict[tuple[Store, ...], float] = {}
        self._hovers: dict[object, HoverStory | None] = {}
        self.steps = Steps(self._roots, self._reachable.repository)
        for root in workspace_roots:
            self.add_root(root)
        for store in (*(settings.stores or ()), *settings.extra_stores):
            self._know(store)

    # ── roots ───────────────────────────────────────────────────────────────────────────────────────────────────────

    def add_root(self, path: Path) -> None:
        """Make a workspace folder known: records of its repository, or of the folder itself, can be opened."""
        self._roots.add(path, "repository", "decisions")
        root = path
        try:
            root = Repository.discover(path, never()).root
            self._roots.add(root, "repository", "decisions")
        except AnamnesisError:
            pass
        with self._lock:
            if root not in self._workspace:
                self._workspace.append(root)
        stores = stores_status.stores_of(self._settings, root)
        for store in stores:
            self._know(store)
        if self._upkeep is not None:
            self._upkeep.watch(stores)

    def _know(self, store: Store) -> None:
        """Make the roots known under which the records of a store are named."""
        self._roots.add(store.root, store.runtime)
        if store.runtime in stores_status.DECISION_KINDS:
            try:
                self._roots.add(decisions.given_store(store.runtime, store.root).root, "decisions")
            except AnamnesisError:
                return

    # ── a recall ────────────────────────────────────────────────────────────────────────────────────────────────────

    def recollect(self, request: RecollectRequest, cancel: CancelToken, progress: Progress = silent) -> Round:
        """Run Recollect: one round. On an overlapping range of the same file it continues the open recall."""
        root, invocation, text = self._invocation(request, cancel)
        with self._answering():
            return self._talk.run(invocation, text, root, request.recall, cancel, progress, fresh=request.fresh)

    def say(self, text: str, recall: str | None, cancel: CancelToken, progress: Progress = silent) -> Round:
        """Take the person's words to a recall: the one named, else the open one, else one that the words reach or
        begin. Of a turn that reaches another recall the hold reply, with the round of that one as ``reached``.
        """
        with self._answering():
            return self._talk.say(text, recall, self._here(), cancel, progress)

    def identify(self, recall: str | None, cancel: CancelToken, progress: Progress = silent) -> Round:
        """The person takes what is presented as the past they meant. Raises ``nothingPresented``."""
        return self._talk.identify(recall, self._here(), cancel, progress)

    def end(self, recall: str | None, cancel: CancelToken, progress: Progress = silent) -> Round:
        """The person ends the recall."""
        return self._talk.end(recall, self._here(), cancel, progress)

    def _here(self) -> Path | None:
        return self._workspace[0] if self._workspace else None

    def _invocation(self, request: RecollectRequest, cancel: CancelToken) -> tuple[Path | None, Invocation, str | None]:
        cue = request.cue.strip() if request.cue and request.cue.strip() else None
        if request.path is None:
            root = self._workspace[0] if self._workspace else None
            repository = _repository(root, cancel)
            rev = repository.resolve(request.rev, cancel) if repository is not None and request.rev else None
            found = repository.root if repository is not None else None
            return root, Invocation(_now(), cue, found, rev=rev), None
        path = Path.cwd() / request.path
        repository = self._reachable.repository(path, cancel)
        self._roots.add(repository.root, "repository", "decisions")
        first, last = request.lines or (1, 10**9)
        selection = check_selection(repository, path, first, last, cancel, request.buffer, request.rev)
        lines = editor_lines(selection.text)
        start, end = selection.lines
        committed = None
        if request.rev is None:
            committed = repository.text(selection.commit, selection.path, cancel)
        changed = committed is not None and committed != selection.text
        digest = hashlib.sha256(selection.text.encode("utf-8", "surrogatepass")).hexdigest()[:16] if changed else None
        invocation = Invocation(
            when=_now(),
            text=cue,
            root=repository.root,
            path=selection.path,
            lines=(start, end),
            selected=tuple(lines[start - 1 : end]),
            comment=comment_at(selection.path, list(lines), start, end),
            rev=selection.commit if request.rev is not None else None,
            buffer=digest,
        )
        return repository.root, invocation, selection.text if changed else None

    def _reader(self, recall: Recall, root: Path | None, cancel: CancelToken, progress: Progress) -> Reader:
        """A reader for one utterance of a recall. What it reads is brought up to date when it searches."""
        stores = stores_status.stores_of(self._settings, root)
        for store in stores:
            self._know(store)
        if self._settings.refresh and progress is not quiet:
            self._refresh(stores, cancel, progress, self._settings.wait_seconds)
        workplace = Workplace(self._reachable, stores, cancel, progress, recall.buffers)
        further = self._further(stores) if self._settings.keep else None
        return Reader(workplace, recall.contract, further_stores=further, root=root)

    def _further(self, stores: tuple[Store, ...]) -> tuple[Store, ...]:
        """The stores known here that are not searched: those of other workspace folders, and those not given."""
        found: dict[Store, None] = {}
        for root in self._workspace or [None]:
            found.update(dict.fromkeys(stores_status.stores_of(self._settings, root)))
            if self._settings.stores is not None:
                discovered = replace(self._settings, stores=None)
                found.update(dict.fromkeys(stores_status.stores_of(discovered, root)))
        return tuple(store for store in found if store not in stores and store.root.exists())

    def keep_fresh(self, watcher: Callable[[str, int | None], None] | None = None) -> None:
        """Keep the catalog up to date in the background from now on, with every store that is searched here.

        ``watcher`` is told how far reading is (a line for people and a percentage), and ``("", None)`` when it ends.
        """
        if not self._settings.refresh or self._upkeep is not None:
            return

        def look(store: Store, cancel: CancelToken) -> Pending:
            return self._reachable.pending([store], cancel)[0]

        def read(store: Store, cancel: CancelToken, progress: Callable[[Reading], None]) -> Refreshed:
            return self._reachable.read([store], cancel, progress)

        def told(reading: Reading | None) -> None:
            assert watcher is not None
            watcher("", None) if reading is None else watcher(how_far(reading), reading.percent)

        self._upkeep = Upkeep(look, read, told if watcher is not None else None)
        self._upkeep.watch(self._all_stores())
        self._upkeep.start()

    def pause(self) -> None:
        """End background reading until the next recall or :meth:`reindex`. What was read is kept."""
        if self._upkeep is not None:
            self._upkeep.cancel()

    def _all_stores(self) -> tuple[Store, ...]:
        found: dict[Store, None] = {}
        for root in self._workspace or [None]:
            found.update(dict.fromkeys(stores_status.stores_of(self._settings, root)))
        return tuple(found)

    def _refresh(
        self, stores: tuple[Store, ...], cancel: CancelToken, progress: Progress, seconds: float | None = None
    ) -> None:
        """Have the catalog brought up to date, waiting ``seconds`` at most (None: as long as it takes).

        What it does not have then is noted, and told with what is found.
        """
        last = self._refreshed.get(stores)
        if last is not None and time.monotonic() - last < FRESH_SECONDS:
            return
        whole = self._bring(stores, cancel, progress, seconds)
        left = [] if whole else self._reachable.pending(stores, cancel)
        self._reachable.unread = {one.store: one for one in left if one.sources}
        self._reachable.refusals[:] = [
            Refusal(status.store, status.note or "it could not be read")
            for status in self._catalog.stores(stores)
            if status.state in ("unreadable", "absent")
        ]
        if whole:
            self._refreshed[stores] = time.monotonic()

    def _bring(self, stores: tuple[Store, ...], cancel: CancelToken, progress: Progress, seconds: float | None) -> bool:
        """Wait for the background to read, or read here; whether everything was read."""
        if self._upkeep is not None and seconds is not None:
            self._upkeep.watch(stores)
            whole = self._upkeep.wait(
                stores, seconds, cancel, lambda reading: progress(how_far(reading), reading.percent)
            )
            self._reachable.renew_if_changed()
            return whole
        until = cancel if seconds is None else Until(cancel, seconds)
        try:
            done = self._reachable.refresh(stores, until, progress)
            since = time.monotonic()
            while done.other_writer:
                if self._reachable.renew_if_changed():
                    since = time.monotonic()
                left = self._reachable.pending(stores, until)
                if not any(left):
                    return True
                if time.monotonic() - since > OTHER_SECONDS:
                    return False
                progress(waits_for_another(left), None)
                if until.wait(0.2):
                    raise Cancelled
                until.check()
                done = self._reachable.refresh(stores, until, progress)
        except Cancelled:
            cancel.check()
            return False
        return not done.full

    # ── what was recalled ───────────────────────────────────────────────────────────────────────────────────────────

    def recalls(self) -> list[dict[str, Any]]:
        """The recalls there are, of this process and kept on disk, latest first, in the wire's shape."""
        return [
            {
                "recall": one.id,
                "state": one.state,
                "meant": one.meant,
                "when": one.when.isoformat(timespec="seconds") if one.when is not None else None,
                "leading": one.leading,
                "contract": one.contract,
                "root": None if one.root is None else str(one.root),
            }
            for one in self._recalls.all()
        ]

    def forget(self, recalls: Sequence[str] | None, older_than: float | None = None) -> int:
        """Remove recalls and the evidence kept with them: those named, those not changed for so many days, or all
        (None and None). Returns how many there were. Raises ``noSuchRecall``.
        """
        every = {one.id: one for one in self._recalls.all()}
        if recalls is not None:
            for identity in recalls:
                if identity not in every:
                    self._recalls.get(identity)
            wanted = list(recalls)
        elif older_than is not None:
            limit = datetime.now(timezone.utc) - timedelta(days=older_than)
            wanted = [one.id for one in every.values() if one.when is not None and one.when < limit]
        else:
            wanted = list(every)
        return self._recalls.forget(wanted)

    def export(self, recall: str) -> dict[str, Any]:
        """A recall whole: its rounds in the wire's shape, in order, and the context they are read from."""
        running = self._recalls.get(recall)
        reader = self._reader(running, running.root, never(), quiet)
        shown = [rounds.derived(reader, running.id, running.contract, c) for c in rounds.steps(running.context)]
        return {
            "recall": running.id,
            "contract": running.contract,
            "state": running.state,
            "rounds": [one.as_wire() for one in shown],
            "context": [{"origin": t.origin.value, "content": codec.encode(t.content)} for t in running.context],
        }

    def copy_context(self, recall: str | None, as_: CopyAs = "markdown") -> str:
        """The recalled context as text to paste. Raises ``nothingPresented`` where nothing was."""
        running = self._recalls.latest_told() if recall is None else self._recalls.get(recall)
        shown = self._talk.presented_round(running)
        if shown is None:
            raise AnamnesisError(
                ErrorCode.NOTHING_PRESENTED,
                "This recall has presented nothing that could be copied.",
                "Run Recollect first.",
            )
        if as_ == "markdown" and shown.recalled_context is not None:
            return shown.recalled_context
        invocation = running.invocation
        return markdown.copy_context(shown, as_, invocation.path if invocation is not None else None)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a person should know of our own files: that one was damaged, and moved aside."""
        return self._state.notes if self._state is not None else ()

    # ── documents ───────────────────────────────────────────────────────────────────────────────────────────────────

    def open(self, locator: str, cancel: CancelToken) -> OpenTarget:
        """Where a locator leads: checked now, against the record it names."""
        parsed = locators.parse(locator)
        if parsed.kind in ("recall", "scope"):
            self._recalls.get(parsed.id)
            return OpenTarget(locator)
        document = open_document(parsed, self._roots, cancel)
        focus = document.focus
        return OpenTarget(document.uri, None if focus is None else (focus[0] + 1, focus[1] + 1))

    def document(self, uri: str, cancel: CancelToken, *, plain: bool = False) -> Document:
        """The virtual document of a locator; with ``plain`` a story and its scope report without marks."""
        parsed = locators.parse(uri)
        if parsed.kind in ("recall", "scope"):
            shown = self._talk.last_round(self._recalls.get(parsed.id))
            if parsed.kind == "scope":
                return markdown.scope_document(shown, style=PLAIN if plain else MARKDOWN)
            return markdown.plain_document(shown) if plain else markdown.round_document(shown)
        return open_document(parsed, self._roots, cancel)

    # ── stores ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def stores(self, cancel: CancelToken) -> list[dict[str, Any]]:
        """Every store that would be searched here, and its state; runtimes that are absent or off too."""
        cancel.check()
        reading = self._upkeep.reading if self._upkeep is not None else None
        return stores_status.statuses(self._settings, self._workspace, self._reachable, reading, cancel)

    def stores_table(self, cancel: CancelToken) -> list[str]:
        """:meth:`stores` as lines for a terminal, with what was counted as they were read."""
        return list(stores_status.table(self.stores(cancel), self._catalog.captured(self._all_stores())))

    def reindex(self, kind: str | None, cancel: CancelToken, progress: Progress = silent) -> None:
        """Read the stores (of one kind) again from the beginning."""
        wanted: dict[Store, None] = {}
        for root in self._workspace or [None]:
            wanted.update(dict.fromkeys(stores_status.stores_of(self._settings, root)))
        chosen = tuple(store for store in wanted if kind is None or store.runtime == kind)
        if kind is not None and not chosen:
            raise AnamnesisError(
                ErrorCode.STORE_UNKNOWN,
                f"No store of the kind {kind[:60]} is searched here.",
                "List the stores there are.",
            )
        with self._alone():
            end = time.monotonic() + REINDEX_SECONDS
            while not self._emptied(chosen, whole=kind is None):
                progress("Waiting for another program that is writing the index", None)
                if time.monotonic() > end:
                    raise AnamnesisError(
                        ErrorCode.STORE_BUSY,
                        "Another program is writing the index.",
                        "Try again when it is done, or end it.",
                    )
                if cancel.wait(0.2):
                    raise Cancelled
            self._refreshed.clear()
            self._reachable.renew()
            self._reachable.refresh(chosen, cancel, progress)

    def _emptied(self, chosen: Sequence[Store], *, whole: bool) -> bool:
        """Forget what was read of these stores; False where another process is writing."""
        if whole and self._settings.stores is None:
            return self._catalog.rebuild()
        return all(self._catalog.forget(store) is not None for store in chosen)

    def _alone(self) -> AbstractContextManager[None]:
        return self._upkeep.held() if self._upkeep is not None else nullcontext()

    def _answering(self) -> AbstractContextManager[None]:
        """Someone is answered: background reading stands aside."""
        return self._upkeep.answering() if self._upkeep is not None else nullcontext()

    def refresh(self, cancel: CancelToken, progress: Progress = silent) -> int:
        """Bring the catalog up to date with every store that is searched here, however long that takes.

        Returns how many records are not in it: those left unread where another program holds the index, or it is full.
        """
        unread: dict[Store, int] = {}
        for root in self._workspace or [None]:
            self._refresh(stores_status.stores_of(self._settings, root), cancel, progress)
            unread.update((store, left.sources) for store, left in self._reachable.unread.items())
        return sum(unread.values())

    # ── peeks ───────────────────────────────────────────────────────────────────────────────────────────────────────

    def hover(
        self, path: Path, line: int, buffer: str | None, version: int | None, cancel: CancelToken
    ) -> HoverStory | None:
        """The short story of one line (1-based), or None. No state, no turn: nothing is presented by it."""
        del version
        request = RecollectRequest(path, (line, line), buffer)
        try:
            root, invocation, text = self._invocation(request, cancel)
        except AnamnesisError:
            return None
        key = (
            root,
            invocation.path,
            invocation.lines,
            invocation.selected,
            invocation.buffer,
            self._head(root, cancel),
        )
        with suppress(KeyError):  # one lookup: another hover may be clearing it
            return self._hovers[key]
        peek = Recall("", self._settings.contract)
        if text is not None and invocation.buffer is not None:
            peek.buffers[invocation.buffer] = text
        stores = stores_status.stores_of(self._settings, root)
        workplace = Workplace(self._reachable, stores, cancel, silent, peek.buffers, at_once=True)
        reader = Reader(workplace, peek.contract, story.BRIEF)
        turn = Turn[Content](Origin.PERSON, invocation)
        stepped = anamnesis.begin(reader, lambda c: rounds.respond(reader, c), (turn,))
        shown = rounds.round_of(reader, "", peek.contract, stepped)
        pending = ("conversations are still being read",) if self._catalog.being_written() else ()
        same = self._recalls.overlapping(root, invocation.path or "", (line, line))
        told = (
            HoverStory(shown.story, shown.records, pending, same.id if same is not None else None, (line, line))
            if shown.story or pending
            else None
        )
        if not pending and not workplace.unsettled:
            if len(self._hovers) > 2000:
                self._hovers.clear()
            self._hovers[key] = told
        return told

    def _head(self, root: Path | None, cancel: CancelToken) -> str | None:
        return None if root is None else self._reachable.repository(root, cancel).head(cancel)

    def warm(self, path: Path, buffer: str | None, cancel: CancelToken | None = None) -> None:
        """Read ahead what a hover or a recall on this file will ask: its blame, the history's messages, the stores."""
        cancel = cancel or never()
        try:
            repository = self._reachable.repository(path, cancel)
            inside = repository.relative(path)
            head = repository.head(cancel)
            repository.warm(inside, cancel, seconds=0.0)
            if buffer is not None:  # the map of its lines, which edits then carry on
                with suppress(AnamnesisError):
                    repository.line_map(inside, buffer, cancel, head)
            past = self._reachable.past(repository, head)
            past.commits(cancel)
        except AnamnesisError:
            return
        if self._upkeep is not None:
            self._upkeep.watch(stores_status.stores_of(self._settings, repository.root))
        elif self._settings.refresh:
            self._refresh(stores_status.stores_of(self._settings, repository.root), cancel, silent)
        try:
            repository.warm(inside, cancel)
        except AnamnesisError:
            return

    def _open_state(self) -> State:
        """The file of the recalls, opened on first need; what is older than the person keeps is removed then."""
        with self._lock:
            if self._state is None:
                self._state = State.open(self._settings.state_path)
                if self._settings.keep_days:
                    self._state.forget_older(self._settings.keep_days)
            return self._state

    def close(self) -> None:
        """Close what is open. A recall that was not closed is held, and can be taken up again."""
        if self._upkeep is not None:
            self._upkeep.stop()
        self._catalog.close()
        if self._state is not None:
            self._state.close()


def _repository(root: Path | None, cancel: CancelToken) -> Repository | None:
    if root is None:
        return None
    try:
        return Repository.discover(root, cancel)
    except AnamnesisError as error:
        if error.code is not ErrorCode.NOT_A_REPOSITORY:
            raise
        return None


def _now() -> datetime:
    return datetime.now(timezone.utc).astimezone()
