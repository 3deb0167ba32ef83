"""The dialogue in a terminal: a prompt, a round, the next words, until the recall closes or silence falls.

End of input (Ctrl-D) is silence: the recall holds, and ``anamnesis-lsp recollect --recall ID`` takes it up again.
Ctrl-C stops the search under way and leaves the recall as it stood. What was typed is kept in our state
directory, never in a repository.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Generator
from pathlib import Path
from typing import TypeVar

from anamnesis_lsp.cancel import Cancelled, CancelToken
from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.places import state_dir
from anamnesis_lsp.present import escape
from anamnesis_lsp.present.round import Round
from anamnesis_lsp.readings.reachable import Progress
from anamnesis_lsp.recall.recaller import CopyAs, Recaller

T = TypeVar("T")
Work = Callable[[CancelToken, Progress], T]

PROMPT = "recall> "
HISTORY_FILE = "dialogue-history"
HISTORY_LINES = 500
HELP = """\
Say what you remember, correct what is shown, name another place to look, or say "that's it".
  /copy [markdown|commit|comment]   the recalled context, to paste
  /open N                           the record [N] of the round
  /recalls                          the recalls there are
  /help                             this
Ctrl-D leaves; the recall holds and can be taken up again. Ctrl-C stops a search."""

FAREWELL = "This recall holds. Take it up again with: anamnesis-lsp recollect --recall {recall}"
"""Said where the person leaves a recall open."""

_CLOSED = ("identified", "stopped")
_FORMS: tuple[CopyAs, ...] = ("markdown", "commit", "comment")


def converse(
    recaller: Recaller,
    begin: Work[Round],
    show: Callable[[Round], None],
    progress: Callable[[], contextlib.AbstractContextManager[tuple[CancelToken, Progress]]],
    read: Callable[[str], str] = input,
    write: Callable[[str], None] = print,
    farewell: str = FAREWELL,
) -> Round:
    """Begin a recall and go on with it as the person speaks; returns the last round.

    ``read`` asks for a line and raises ``EOFError`` at the end of input. What the first turn raises is raised.
    """
    talk = _Conversation(recaller, show, progress, write)
    talk.turn(begin)
    with _history(read is input):
        while talk.last is not None and talk.last.outcome not in _CLOSED and not talk.ended:
            try:
                words = read(PROMPT).strip()
            except EOFError:
                write("")
                break
            except KeyboardInterrupt:
                write("\nCtrl-D leaves; the recall holds.")
                continue
            if words:
                talk.hear(words)
    assert talk.last is not None
    if talk.last.outcome not in _CLOSED and talk.last.outcome != "notActivated":
        write(farewell.format(recall=talk.current))
    return talk.last


class _Conversation:
    """One sitting: the round that was shown last, and what a line means."""

    def __init__(
        self,
        recaller: Recaller,
        show: Callable[[Round], None],
        progress: Callable[[], contextlib.AbstractContextManager[tuple[CancelToken, Progress]]],
        write: Callable[[str], None],
    ) -> None:
        self._recaller = recaller
        self._show = show
        self._progress = progress
        self._write = write
        self.last: Round | None = None
        self.ended = False

    @property
    def current(self) -> str:
        """The recall that the next words go to."""
        assert self.last is not None
        return self.last.recall

    def turn(self, work: Work[Round]) -> None:
        """One turn: run it, show its round, and that of a recall it was taken to."""
        with self._progress() as (cancel, report):
            shown = interruptible(lambda: work(cancel, report), cancel)
        self._show(shown)
        if shown.reached is not None and shown.reached.round is not None:
            shown = shown.reached.round
            self._show(shown)
        if shown.outcome == "notActivated" and self.last is not None:
            return
        self.last = shown
        self.ended = shown.outcome == "answered" and shown.reading is not None and shown.reading.kind == "end"

    def hear(self, words: str) -> None:
        """One line of the person's. What goes wrong is said, and the recall stands as it stood."""
        try:
            if words.startswith("/"):
                self._command(words[1:].split())
            else:
                self.turn(lambda cancel, report: self._recaller.say(words, None, cancel, report))
        except Cancelled:
            self._write("Stopped; the recall stands as it stood.")
        except AnamnesisError as error:
            self._write(f"{escape.terminal(error.message)} {escape.terminal(error.remedy)}")

    def _command(self, parts: list[str]) -> None:
        match parts:
            case ["copy"]:
                self._write(self._recaller.copy_context(self.current))
            case ["copy", form] if form in _FORMS:
                self._write(self._recaller.copy_context(self.current, next(one for one in _FORMS if one == form)))
            case ["open", number] if number.isdigit():
                self._open(int(number))
            case ["recalls"]:
                for line in listed(self._recaller):
                    self._write(line)
            case _:
                self._write(HELP)

    def _open(self, number: int) -> None:
        records = self.last.records if self.last is not None else ()
        record = next((one for one in records if one.n == number), None)
        if record is None:
            raise AnamnesisError(ErrorCode.BAD_REQUEST, f"This round has no record {number}.", "See its records.")
        with self._progress() as (cancel, _):
            document = interruptible(lambda: self._recaller.document(record.member.locator, cancel), cancel)
        self._write(document.text)


def listed(recaller: Recaller) -> list[str]:
    """The recalls there are, a line each, for people."""
    lines: list[str] = []
    for one in recaller.recalls():
        when = (one["when"] or "")[:16].replace("T", " ")
        led = f"  → {one['leading']}" if one["leading"] else ""
        lines.append(escape.terminal(f"{one['recall']}  {one['state']:10} {when:16}  {one['meant']}{led}"))
    return lines


def interruptible(work: Callable[[], T], cancel: CancelToken) -> T:
    """Run ``work`` so that Ctrl-C sets its token: it ends where it next looks, with ``Cancelled``."""
    done: list[T] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            done.append(work())
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=run, name="anamnesis-turn", daemon=True)
    thread.start()
    while thread.is_alive():
        try:
            thread.join(0.2)
        except KeyboardInterrupt:
            cancel.cancel()
    if failed:
        raise failed[0]
    return done[0]


@contextlib.contextmanager
def _history(wanted: bool) -> Generator[None, None, None]:
    """Line editing with the history of earlier sittings, where the terminal has it."""
    if not wanted:
        yield
        return
    try:
        import readline
    except ImportError:
        yield
        return
    path = _history_path()
    if path is not None:
        with contextlib.suppress(OSError):
            readline.read_history_file(path)
        readline.set_history_length(HISTORY_LINES)
    try:
        yield
    finally:
        if path is not None:
            with contextlib.suppress(OSError):
                readline.write_history_file(path)
                Path(path).chmod(0o600)


def _history_path() -> str | None:
    try:
        path = state_dir() / HISTORY_FILE
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))
    except (AnamnesisError, OSError):
        return None
    return str(path)
