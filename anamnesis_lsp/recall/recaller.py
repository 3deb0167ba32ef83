"""The recaller: the one door to running recalls, for the server and for the command line.

Every method blocks and may be called from any thread; a recall takes one utterance at a time. Errors are
``AnamnesisError``; a cancelled piece of work ends with ``Cancelled`` and leaves the recall as it stood.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Literal

from anamnesis_lsp.cancel import CancelToken, never
from anamnesis_lsp.contract import Branch, Context, Origin, Turn, Utterance, anamnesis, recollect
from anamnesis_lsp.contract.types import Outcome, Stepped
from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.index.catalog import Catalog
from anamnesis_lsp.places import KnownRoots
from anamnesis_lsp.present import locators, markdown
from anamnesis_lsp.present.hover import HoverStory
from anamnesis_lsp.present.page import Document, OpenTarget
from anamnesis_lsp.present.round import Round
from anamnesis_lsp.readings import dialogue, story
from anamnesis_lsp.readings.answers import Kind, LastRound, TurnState, read_turn
from anamnesis_lsp.readings.content import Content, Invocation, Said
from anamnesis_lsp.readings.cue import comment_at
from anamnesis_lsp.readings.reachable import Progress, Reachable, Refusal, silent
from anamnesis_lsp.readings.reader import Reader
from anamnesis_lsp.readings.search import Workplace
from anamnesis_lsp.recall import rounds, stores_status
from anamnesis_lsp.recall.opening import open_document
from anamnesis_lsp.recall.recalls import Recall, Recalls, RecallState
from anamnesis_lsp.recall.settings import RecallSettings
from anamnesis_lsp.records import decisions
from anamnesis_lsp.records.conversations.stores import Store
from anamnesis_lsp.records.git import Repository, check_selection, editor_lines

__all__ = ["Progress", "RecallSettings", "Recaller", "RecollectRequest"]

FRESH_SECONDS = 2.0
"""A catalog that was brought up to date this recently is not looked at again."""

CopyAs = Literal["markdown", "commit", "comment"]

_STATES: dict[Branch, RecallState] = {
    Branch.PRESENTED: "open",
    Branch.ASKED: "open",
    Branch.EXPANSION: "open",
    Branch.ANSWERED: "open",
    Branch.HELD_ELSEWHERE: "held",
    Branch.IDENTIFIED: "identified",
    Branch.STOPPED: "stopped",
    Branch.UNRESOLVED: "unresolved",
    Branch.NOT_ACTIVATED: "stopped",
}


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


class Recaller:
    """The recalls of a process over its repositories and stores."""

    def __init__(self, settings: RecallSettings, workspace_roots: Sequence[Path]) -> None:
        self._settings = settings
        self._roots = KnownRoots()
        self._workspace: list[Path] = []
        self._catalog = Catalog.open(settings.index_path)
        self._reachable = Reachable(self._catalog, given=settings.stores is not None)
        self._recalls = Recalls()
        self._lock = threading.Lock()
        self._refreshed: dict[tuple[Store, ...], float] = {}
        self._hovers: dict[object, HoverStory | None] = {}
        for root in workspace_roots:
            self.add_root(root)
        for store in (*(settings.stores or ()), *settings.extra_stores):
            self._know(store)

    # ── roots ───────────────────────────────────────────────────────────────────────────────────────────────────────

    def add_root(self, path: Path) -> None:
        """Make a workspace folder known: records of its repository, or of the folder itself, can be opened."""
        self._roots.add(path)
        root = path
        try:
            root = Repository.discover(path, never()).root
            self._roots.add(root)
        except AnamnesisError:
            pass
        with self._lock:
            if root not in self._workspace:
                self._workspace.append(root)
        for store in stores_status.stores_of(self._settings, root):
            self._know(store)

    def _know(self, store: Store) -> None:
        """Make the roots known under which the records of a store are named."""
        self._roots.add(store.root)
        if store.runtime in stores_status.DECISION_KINDS:
            try:
                self._roots.add(decisions.given_store(store.runtime, store.root).root)
            except AnamnesisError:
                return

    # ── a recall ────────────────────────────────────────────────────────────────────────────────────────────────────

    def recollect(self, request: RecollectRequest, cancel: CancelToken, progress: Progress = silent) -> Round:
        """Run Recollect: one round. On an overlapping range of the same file it continues the open recall."""
        root, invocation, text = self._invocation(request, cancel)
        recall = self._recall_for(request, invocation)
        if text is not None and invocation.buffer is not None:
            recall.buffers[invocation.buffer] = text
        with recall.lock:
            workplace = self._workplace(recall, root, cancel, progress)
            reader = Reader(workplace, recall.contract)
            turn = Turn[Content](Origin.PERSON, invocation)
            machine = anamnesis if recall.contract == "anamnesis" else recollect
            respond = _Respond(reader)
            stepped: Stepped[Content, Any] = machine.begin(reader, respond.round, (*recall.context, turn))
            return self._after(recall, reader, stepped)

    def say(self, text: str, recall: str | None, cancel: CancelToken, progress: Progress = silent) -> Round:
        """Take the person's words to a recall: the one named, else the open one, else one that the words reach or
        begin.
        """
        if recall is not None:
            return self._utter(self._recalls.get(recall), self._said(text, recall), cancel, progress)
        running = self._recalls.open()
        if running is not None:
            return self._utter(running, self._said(text, running.id), cancel, progress)
        return self._begin_with_words(text, cancel, progress)

    def _said(self, text: str, recall: str, command: str | None = None) -> Said:
        held = tuple(name for other in self._recalls.all() if other.id != recall and (name := other.name))
        return Said(text, _now(), command, held)

    def _begin_with_words(self, text: str, cancel: CancelToken, progress: Progress) -> Round:
        """No recall is open: the words go back to a held one that they name, or begin one where they carry the
        intention.
        """
        said = self._said(text, "")
        state = TurnState(LastRound.NONE, held=said.held)
        named = read_turn(state, text).names_held
        back = next((other for other in self._recalls.all() if named is not None and other.name == named), None)
        last = next((other for other in self._recalls.all() if other.state == "held"), None)
        if back is None and last is not None and closes_or_reaches(last.context, said):
            back = last
        if back is not None:
            return self._utter(back, said, cancel, progress)
        recall = self._recalls.new(self._settings.contract)
        with recall.lock:
            root = self._workspace[0] if self._workspace else None
            reader = Reader(self._workplace(recall, root, cancel, progress), recall.contract)
            machine = anamnesis if recall.contract == "anamnesis" else recollect
            turn = Turn[Content](Origin.PERSON, said)
            stepped: Stepped[Content, Any] = machine.begin(reader, _Respond(reader).round, (turn,))
            if stepped.branch is Branch.NOT_ACTIVATED:
                self._recalls.drop(recall)
            return self._after(recall, reader, stepped)

    def identify(self, recall: str | None, cancel: CancelToken, progress: Progress = silent) -> Round:
        """The person takes what is presented as the past they meant. Raises ``nothingPresented``."""
        running = self._recalls.get(recall)
        if Reader(self._workplace(running, None, cancel, silent), running.contract).presented(running.context) is None:
            raise AnamnesisError(
                ErrorCode.NOTHING_PRESENTED,
                "This recall has presented nothing that could be identified.",
                "Add what you remember, or select lines and run Recollect.",
            )
        return self._utter(running, self._said("That's it.", running.id, "identify"), cancel, progress)

    def end(self, recall: str | None, cancel: CancelToken, progress: Progress = silent) -> Round:
        """The person ends the recall."""
        running = self._recalls.get(recall)
        return self._utter(running, self._said("That's enough.", running.id, "end"), cancel, progress)

    def _utter(self, recall: Recall, said: Said, cancel: CancelToken, progress: Progress) -> Round:
        with recall.lock:
            invocation = recall.invocation
            root = invocation.root if invocation is not None else None
            reader = Reader(self._workplace(recall, root, cancel, progress), recall.contract)
            respond = _Respond(reader)
            utterance = Utterance(Turn[Content](Origin.PERSON, said))
            if recall.contract == "anamnesis":
                stepped: Stepped[Content, Any] = anamnesis.step(
                    reader, respond.round, respond.session, recall.context, utterance
                )
            else:
                stepped = recollect.step(reader, respond.round, recall.context, utterance)
            return self._after(recall, reader, stepped)

    def _after(self, recall: Recall, reader: Reader, stepped: Stepped[Content, Outcome[Content]]) -> Round:
        began = stepped.context[: len(recall.context)] == recall.context and bool(recall.context)
        shown = rounds.round_of(reader, recall.id, recall.contract, stepped, continuing=began)
        recall.context = stepped.context
        recall.state = _STATES[stepped.branch]
        if dialogue.ends(stepped.context) and recall.state == "open":
            recall.state = "held"
        recall.round = shown
        recall.when = _now()
        return shown

    def _recall_for(self, request: RecollectRequest, invocation: Invocation) -> Recall:
        if request.recall is not None:
            return self._recalls.get(request.recall)
        if invocation.path is not None and invocation.lines is not None and invocation.rev is None:
            same = self._recalls.overlapping(invocation.root, invocation.path, invocation.lines)
            if same is not None:
                return same
        return self._recalls.new(self._settings.contract)

    def _invocation(self, request: RecollectRequest, cancel: CancelToken) -> tuple[Path | None, Invocation, str | None]:
        cue = request.cue.strip() if request.cue and request.cue.strip() else None
        if request.path is None:
            root = self._workspace[0] if self._workspace else None
            repository = _repository(root, cancel)
            rev = repository.resolve(request.rev, cancel) if repository is not None and request.rev else None
            found = repository.root if repository is not None else None
            return root, Invocation(_now(), cue, found, rev=rev), None
        repository = self._reachable.repository(request.path, cancel)
        self._roots.add(repository.root)
        first, last = request.lines or (1, 10**9)
        selection = check_selection(repository, request.path, first, last, cancel, request.buffer, request.rev)
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

    def _workplace(self, recall: Recall, root: Path | None, cancel: CancelToken, progress: Progress) -> Workplace:
        stores = stores_status.stores_of(self._settings, root)
        for store in stores:
            self._know(store)
        if self._settings.refresh:
            self._refresh(stores, cancel, progress)
        return Workplace(self._reachable, stores, cancel, progress, recall.buffers)

    def _refresh(self, stores: tuple[Store, ...], cancel: CancelToken, progress: Progress) -> None:
        last = self._refreshed.get(stores)
        if last is not None and time.monotonic() - last < FRESH_SECONDS:
            return
        done = self._reachable.refresh(stores, cancel, progress)
        self._reachable.refusals[:] = [
            Refusal(f.store, f.message) for f in done.failures if f.path == str(f.store.root)
        ]
        self._refreshed[stores] = time.monotonic()

    # ── what was recalled ───────────────────────────────────────────────────────────────────────────────────────────

    def recalls(self) -> list[dict[str, Any]]:
        """The recalls of this process, latest first, in the wire's shape."""
        listed: list[dict[str, Any]] = []
        for recall in self._recalls.all():
            shown = recall.round
            leading = shown.recognizables[0] if shown is not None and shown.recognizables else None
            told = next((m.gist or m.id for m in leading.members), None) if leading is not None else None
            listed.append(
                {
                    "recall": recall.id,
                    "state": recall.state,
                    "meant": shown.cue.meant if shown is not None else "",
                    "when": recall.when.isoformat(timespec="seconds") if recall.when is not None else None,
                    "leading": told if shown is not None and shown.story else None,
                }
            )
        return listed

    def copy_context(self, recall: str | None, as_: CopyAs = "markdown") -> str:
        """The recalled context as text to paste. Raises ``nothingPresented`` where nothing was."""
        running = self._recalls.get(recall)
        shown = running.round
        if shown is None or not shown.story:
            raise AnamnesisError(
                ErrorCode.NOTHING_PRESENTED,
                "This recall has presented nothing that could be copied.",
                "Run Recollect first.",
            )
        invocation = running.invocation
        return markdown.copy_context(shown, as_, invocation.path if invocation is not None else None)

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

    def document(self, uri: str, cancel: CancelToken) -> Document:
        """The virtual document of a locator."""
        parsed = locators.parse(uri)
        if parsed.kind in ("recall", "scope"):
            shown = self._recalls.get(parsed.id).round
            if shown is None:
                raise AnamnesisError(ErrorCode.NO_SUCH_RECALL, "This recall has no round yet.", "Wait until it has.")
            return markdown.round_document(shown) if parsed.kind == "recall" else markdown.scope_document(shown)
        return open_document(parsed, self._roots, cancel)

    # ── stores ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def stores(self, cancel: CancelToken) -> list[dict[str, Any]]:
        """Every store that would be searched here, and its state; runtimes that are absent or off too."""
        cancel.check()
        return stores_status.statuses(self._settings, self._workspace, self._catalog, self._catalog.being_written())

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
        for store in chosen:
            self._catalog.forget(store)
        self._refreshed.clear()
        self._reachable.refresh(chosen, cancel, progress)

    def refresh(self, cancel: CancelToken, progress: Progress = silent) -> None:
        """Bring the catalog up to date with every store that is searched here."""
        for root in self._workspace or [None]:
            self._refresh(stores_status.stores_of(self._settings, root), cancel, progress)

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
        if key in self._hovers:
            return self._hovers[key]
        peek = Recall("", self._settings.contract)
        if text is not None and invocation.buffer is not None:
            peek.buffers[invocation.buffer] = text
        stores = stores_status.stores_of(self._settings, root)
        workplace = Workplace(self._reachable, stores, cancel, silent, peek.buffers)
        reader = Reader(workplace, peek.contract, story.BRIEF)
        turn = Turn[Content](Origin.PERSON, invocation)
        stepped = anamnesis.begin(reader, _Respond(reader).round, (turn,))
        shown = rounds.round_of(reader, "", peek.contract, stepped)
        pending = ("conversations are still being read",) if self._catalog.being_written() else ()
        same = self._recalls.overlapping(root, invocation.path or "", (line, line))
        told = (
            HoverStory(shown.story, shown.records, pending, same.id if same is not None else None, (line, line))
            if shown.story or pending
            else None
        )
        if not pending:
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
            repository.blame(head, inside, None, cancel)
            past = self._reachable.past(repository, head)
            past.commits(cancel)
        except AnamnesisError:
            return
        del buffer
        if self._settings.refresh:
            self._refresh(stores_status.stores_of(self._settings, repository.root), cancel, silent)

    def close(self) -> None:
        """Close what is open. Recalls that were not closed are lost with the process."""
        self._catalog.close()


class _Respond:
    """What the machine is given to say: the round after a pass, and the session's answer."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self.round: Callable[[Context[Content]], Any] = lambda c: rounds.respond(self._reader, c)
        self.session: Callable[[Context[Content]], Any] = lambda c: rounds.answer_session(self._reader, c)


def closes_or_reaches(c: Context[Content], said: Said) -> bool:
    """Whether words said with no recall open come back to one that is held: identifying it, or going on with it."""
    if not c:
        return False
    reading = dialogue.latest_reading((*c, Turn[Content](Origin.PERSON, said)))
    return reading is not None and (reading.kind.bears or reading.kind is Kind.IDENTIFIED)


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
