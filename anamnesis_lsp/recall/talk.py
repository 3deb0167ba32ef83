"""The dialogue: a turn taken to the recall it reaches, one step of the machine, one round kept and shown.

An invocation and words are the same kind of turn; which recall they reach is read in :mod:`.routing`. A turn that
reaches another recall leaves this one holding, and is then taken to that one. Blocking; one utterance at a time per
recall; a cancelled turn leaves the recall as it stood.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.contract import Branch, Context, Origin, Turn, Utterance, anamnesis, recollect
from anamnesis_lsp.contract.types import Outcome, Stepped
from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.present.markdown import render_round
from anamnesis_lsp.present.round import ReachedShown, Round
from anamnesis_lsp.readings import dialogue
from anamnesis_lsp.readings.answers import Kind, LastRound, TurnState, read_turn
from anamnesis_lsp.readings.content import Content, Invocation, Said
from anamnesis_lsp.readings.reachable import Progress
from anamnesis_lsp.readings.reader import Reader
from anamnesis_lsp.recall import rounds, routing
from anamnesis_lsp.recall.recalls import ContractName, Listed, Recall, Recalls, RecallState

MakeReader = Callable[[Recall, "Path | None", CancelToken, Progress], Reader]
"""A reader for one utterance: over what the recall can reach, in this root, with this token."""

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
_CLOSED = ("identified", "stopped", "unresolved")


class Talk:
    """The dialogue over the recalls there are. ``root`` of a call: where the person is, None where in no repository."""

    def __init__(self, contract: ContractName, recalls: Recalls, reader: MakeReader) -> None:
        self._contract: ContractName = contract
        self._recalls = recalls
        self._reader = reader

    # ── turns ───────────────────────────────────────────────────────────────────────────────────────────────────────

    def run(
        self,
        invocation: Invocation,
        buffer: str | None,
        root: Path | None,
        recall: str | None,
        cancel: CancelToken,
        progress: Progress,
        *,
        fresh: bool = False,
    ) -> Round:
        """The person ran Recollect. ``recall`` continues that one; ``fresh`` begins one whatever there is."""
        target = self._for_invocation(invocation, recall, root, fresh=fresh)
        if target is None:
            running = self._recalls.open()
            left = running.name if running is not None else None
            target = self._recalls.new(self._contract, root)
            invocation = replace(invocation, left=left or None)
        with target.lock:
            if buffer is not None and invocation.buffer is not None:
                target.buffers[invocation.buffer] = buffer
            reader = self._reader(target, root, cancel, progress)
            turn = Turn[Content](Origin.PERSON, invocation)
            if target.context and target.state == "open":
                return self._after(target, reader, self._step(target, reader, turn))
            return self._after(target, reader, self._begin(target, reader, (*target.context, turn)))

    def say(self, text: str, recall: str | None, root: Path | None, cancel: CancelToken, progress: Progress) -> Round:
        """Take the person's words to a recall: the one named, else the open one, else one that they reach or begin."""
        if recall is not None:
            target = self._recalls.get(recall)
            return self._utter(target, self._said(text, target.id), root, cancel, progress)
        running = self._recalls.open()
        if running is not None:
            return self._utter(running, self._said(text, running.id), root, cancel, progress)
        others = self._recalls.all()
        reached = routing.with_none_running(text, others, lambda one: self._recalls.get(one.id).context)
        if reached is not None:
            return self._take_up(reached, text, root, cancel, progress)
        return self._begin_with(text, None, root, cancel, progress)

    def identify(self, recall: str | None, root: Path | None, cancel: CancelToken, progress: Progress) -> Round:
        """The person takes what is presented as the past they meant. Raises ``nothingPresented``."""
        target = self._recalls.get(recall)
        if dialogue.presented(target.context) is None:
            raise AnamnesisError(
                ErrorCode.NOTHING_PRESENTED,
                "This recall has presented nothing that could be identified.",
                "Add what you remember, or select lines and run Recollect.",
            )
        return self._utter(target, self._said("That's it.", target.id, "identify"), root, cancel, progress)

    def end(self, recall: str | None, root: Path | None, cancel: CancelToken, progress: Progress) -> Round:
        """The person ends the recall."""
        target = self._recalls.get(recall)
        return self._utter(target, self._said("That's enough.", target.id, "end"), root, cancel, progress)

    def last_round(self, recall: Recall) -> Round:
        """The last round of a recall, derived from its context where it was not kept."""
        if recall.round is None:
            reader = self._reader(recall, recall.root, CancelToken(), quiet)
            recall.round = rounds.derived(reader, recall.id, recall.contract, recall.context)
        return recall.round

    def presented_round(self, recall: Recall) -> Round | None:
        """The round that closed on it, or that presented last; None where nothing was presented."""
        last = self.last_round(recall)
        if last.story:
            return last
        context = rounds.last_presented(recall.context)
        if context is None:
            return None
        return rounds.derived(
            self._reader(recall, recall.root, CancelToken(), quiet), recall.id, recall.contract, context
        )

    # ── which recall ────────────────────────────────────────────────────────────────────────────────────────────────

    def _for_invocation(
        self, invocation: Invocation, recall: str | None, root: Path | None, *, fresh: bool
    ) -> Recall | None:
        if recall is not None:
            return self._continued(self._recalls.get(recall))
        running = self._recalls.open()
        if fresh:
            return None
        if invocation.path is not None:
            if invocation.lines is None or invocation.rev is not None:
                return None
            return self._recalls.overlapping(invocation.root, invocation.path, invocation.lines)
        if invocation.text is None:
            return running or self._waiting(root)
        if running is not None and routing.continues(invocation.text, dialogue.state_after(running.context)):
            return running
        return None

    def _waiting(self, root: Path | None) -> Recall | None:
        """What a bare invocation with no recall open comes back to: the latest held one here that was not ended."""
        latest = next((one for one in self._recalls.all() if one.state == "held" and one.root == root), None)
        if latest is None:
            return None
        found = self._recalls.get(latest.id)
        return None if dialogue.state_after(found.context).last_round is LastRound.ENDED else found

    def _continued(self, recall: Recall) -> Recall:
        if recall.contract == "recollect" and recall.state in _CLOSED:
            raise AnamnesisError(
                ErrorCode.NO_SUCH_RECALL,
                f"The recall {recall.id} is closed ({recall.state}).",
                "Run Recollect again: that begins a fresh one.",
            )
        return recall

    def _said(self, text: str, recall: str, command: str | None = None) -> Said:
        return Said(text, _now(), command, self._recalls.names(recall))

    # ── steps ───────────────────────────────────────────────────────────────────────────────────────────────────────

    def _utter(self, recall: Recall, said: Said, root: Path | None, cancel: CancelToken, progress: Progress) -> Round:
        self._continued(recall)
        with recall.lock:
            reader = self._reader(recall, recall.root or root, cancel, progress)
            shown = self._after(recall, reader, self._step(recall, reader, Turn[Content](Origin.PERSON, said)))
        if shown.outcome != "holding":
            return shown
        return self._elsewhere(recall, shown, said.text, root, cancel, progress)

    def _elsewhere(
        self, left: Recall, shown: Round, text: str, root: Path | None, cancel: CancelToken, progress: Progress
    ) -> Round:
        """The hold reply, and the turn taken to the recall that it reaches."""
        reading = dialogue.latest_reading(left.context)
        others = [one for one in self._recalls.all() if one.id != left.id]
        to = routing.of_reading(reading, others) if reading is not None else None
        taken: Round | None = None
        if to is not None:
            taken = self._take_up(to, text, root, cancel, progress)
        elif read_turn(TurnState(LastRound.NONE), text).kind is Kind.ACTIVATED:
            taken = self._begin_with(text, left.name, root, cancel, progress)
        name = to.name if to is not None else taken.cue.meant if taken is not None else ""
        reached = ReachedShown(taken.recall if taken is not None else None, name, taken)
        shown = replace(shown, reached=reached)
        return replace(shown, markdown=render_round(shown))

    def _take_up(self, one: Listed, text: str, root: Path | None, cancel: CancelToken, progress: Progress) -> Round:
        """Words that come back to a recall: a turn of that one."""
        target = self._recalls.get(one.id)
        if target.contract == "recollect" and target.state in _CLOSED:
            return self._begin_with(text, None, root, cancel, progress)
        return self._utter(target, replace(Said(text, _now()), returns=True), root, cancel, progress)

    def _begin_with(
        self, text: str, left: str | None, root: Path | None, cancel: CancelToken, progress: Progress
    ) -> Round:
        """A fresh recall, where the words carry an empty intention; else the finding, and nothing is kept."""
        recall = self._recalls.new(self._contract, root)
        reader = self._reader(recall, root, cancel, progress)
        turn = Turn[Content](Origin.PERSON, Said(text, _now(), left=left or None))
        return self._after(recall, reader, self._begin(recall, reader, (turn,)))

    def _begin(self, recall: Recall, reader: Reader, c: Context[Content]) -> Stepped[Content, Any]:
        respond, _ = _responses(reader)
        if recall.contract == "recollect":
            return recollect.begin(reader, respond, c)
        return anamnesis.begin(reader, respond, c)

    def _step(self, recall: Recall, reader: Reader, turn: Turn[Content]) -> Stepped[Content, Any]:
        respond, session = _responses(reader)
        if recall.contract == "recollect":
            return recollect.step(reader, respond, recall.context, Utterance(turn))
        return anamnesis.step(reader, respond, session, recall.context, Utterance(turn))

    def _after(self, recall: Recall, reader: Reader, stepped: Stepped[Content, Outcome[Content]]) -> Round:
        shown = rounds.round_of(reader, recall.id, recall.contract, stepped)
        if stepped.branch is Branch.NOT_ACTIVATED:
            return shown
        state = _STATES[stepped.branch]
        if state == "open" and dialogue.ends(stepped.context):
            state = "held"
        self._recalls.keep(recall, stepped.context, shown, state, _now())
        return shown


def _responses(reader: Reader) -> tuple[Callable[[Context[Content]], Any], Callable[[Context[Content]], Any]]:
    return (lambda c: rounds.respond(reader, c)), (lambda c: rounds.answer_session(reader, c))


def quiet(message: str, percent: int | None = None) -> None:
    """Progress of a look at what is kept: nothing is searched, nothing brought up to date."""
    del message, percent


def _now() -> datetime:
    return datetime.now(timezone.utc).astimezone()
