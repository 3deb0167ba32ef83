"""Aider's ``.aider.chat.history.md``: Markdown that is appended to, many conversations in one file.

Rules: ``formats/FORMATS.md`` section 5. A conversation is one launch (``# aider chat started at …``, local time without
a zone). ``#### `` lines are the person's, ``> `` lines are aider's own (with the person's confirmations in them), the
rest is the model's; what it thought aloud is left out. What a line of aider's says decides what became of an edit;
``> Commit <hash>`` is a commit made: ``how`` is ``before edits`` where it holds the person's own uncommitted work.

Whole-file answers rewrite every line of a file. They are compared with what the log itself wrote to that file before,
in this launch or an earlier one, so that ``written`` holds only new lines; where nothing is known of the file the edit
stays ``whole_file``. Times: the launch only, in this machine's zone; :func:`recorded_start` has it as recorded. Where
aider's ``.aider.input.history`` lies beside it, prompts have their own times. None can be reopened by id.
"""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import ClassVar, Generic, TypeVar

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.errors import AnamnesisError
from anamnesis_lsp.records.conversations import patches
from anamnesis_lsp.records.conversations.model import (
    CommitMade,
    Edit,
    EditOutcome,
    Handle,
    Head,
    Part,
    Reading,
    Runtime,
    Scan,
    Source,
    Turn,
)
from anamnesis_lsp.records.conversations.stores import files, gone, part
from anamnesis_lsp.records.conversations.textlog import MAX_TURN_CHARS, Fence, TextLines, path_on
from anamnesis_lsp.records.evidence import Speaker

HISTORY = ".aider.chat.history.md"
_INPUTS = ".aider.input.history"
_STARTED = re.compile(r"# aider chat started at (\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)\s*\Z")
_NOT_ENTERED = frozenset({".git", "node_modules", ".venv", "venv", "target", "dist", "build", "__pycache__"})
_MAX_REPLAY = 64 << 20
_MAX_FILE_CHARS = 2 << 20
_MAX_INPUTS = 32 << 20

_MODEL = re.compile(r"(?:Main model|Model): (\S+)(?: with ([\w-]+) edit format)?")
_APPLIED = re.compile(r"Applied edit to (.+?)\s*\Z")
_NOT_APPLIED = re.compile(
    r"(?:Did not apply edit to|Skipping edits to) (.+?)(?: \(--dry-run\)| that matches gitignore spec\.?)?\s*\Z"
)
_CREATED = re.compile(r"Creating empty file (.+?)\s*\Z")
_COMMIT = re.compile(r"Commit ([0-9a-f]{7,64}) (.*?)\s*\Z")
_BEFORE_EDITS = re.compile(r"Committing .+ before applying edits\.\s*\Z")
_REMOVED = re.compile(r"(?:Removed: |Undo(?:ing)? )([0-9a-f]{7,64})\b")
_ADDED = re.compile(r"Added (?!\d+ lines of output)(.+?) to the chat\.?\s*\Z")
_FAILED = re.compile(
    r"did not conform to the edit format|failed to match|Malformed edit|can't edit|cannot edit", re.IGNORECASE
)
_OWN = re.compile(
    r"> (?:Tokens: |Applied edit to |Commit [0-9a-f]{7,} |You can use /undo|Added .+ to the chat|Model: |Main model: "
    r"|Repo-map: |Aider v\d|Committing .+ before applying|The LLM did not conform|Add file to the chat\?)"
)
_HEAD_MARK = re.compile(r"\s*<{5,9} ?SEARCH>?\s*\Z")
_TAIL_MARK = re.compile(r"\s*>{5,9} ?REPLACE\s*\Z")
_QUESTION = re.compile(r"[^\n]*\(Y\)es/\(N\)o[^\n]*\[(?:Yes|No)\]:[ ]*")
"""A question of aider's that stands before an answer entered as a prompt: only the answer is the person's."""
_THOUGHTS = re.compile(
    r"^<(thinking-content-[0-9a-f]{8,64})>\s*$.*?(?:^</\1>\s*$|\Z)"
    r"|^-{4,}\n► \*\*THINKING\*\*\s*$.*?(?:^-{4,}\n► \*\*ANSWER\*\*\s*$|\Z)",
    re.DOTALL | re.MULTILINE,
)
"""What a model thought aloud, as aider marks it: in the raw log, and as it is shown."""
_MODE = re.compile(r"/(?:ask|code|architect|context|chat-mode \w+)\s+")


@dataclass(slots=True)
class _Block:
    """One fenced block of an answer that may be an edit."""

    path: str | None
    info: str
    lines: list[str] = field(default_factory=lambda: list[str]())


@dataclass(slots=True)
class _Exchange:
    """What stands between two prompts: the model's answer and aider's own lines."""

    offset: int
    text: list[str] = field(default_factory=lambda: list[str]())
    blocks: list[_Block] = field(default_factory=lambda: list[_Block]())
    own: list[str] = field(default_factory=lambda: list[str]())
    chars: int = 0


@dataclass(frozen=True, slots=True)
class _Launch:
    identity: str
    """The id without the file's path: the recorded time, made unique."""
    start: int
    end: int


class _Contents:
    """What this log has written to files so far: path → text, as far as whole answers and replaced text tell."""

    def __init__(self, known: Mapping[str, str] | None = None) -> None:
        self.of: dict[str, str] = dict(known or {})

    def wrote(self, path: str, text: str) -> None:
        if len(text) <= _MAX_FILE_CHARS:
            self.of[path] = text
        else:
            self.of.pop(path, None)

    def replaced(self, path: str, old: str, new: str) -> None:
        known = self.of.get(path)
        if known is None:
            if not old.strip():
                self.wrote(path, new)
        elif old and old in known:
            self.wrote(path, known.replace(old, new, 1))
        else:
            del self.of[path]


class AiderReading(Reading):
    """One pass over one launch."""

    def __init__(self, source: Source, cancel: CancelToken) -> None:
        self.head = Head(started=_local(recorded_start(source.id)), version=None)
        self.scan = Scan(skipped_lines=0, omitted_chars=0)
        self._source = source
        self._cancel = cancel

    def __iter__(self) -> Iterator[Turn]:
        launches = _launches(self._source.parts[0], self._cancel)
        key = self._source.id.rpartition("#")[2] if "#" in self._source.id else ""
        at = next((n for n, launch in enumerate(launches) if launch.identity == key), None)
        if at is None:
            raise gone(self._source.path)
        launch = launches[at]
        contents = _Contents(_written_before(self._source.parts[0], launch, self._cancel))
        signs = _signs(self._source.path, launch, self._cancel)
        moments = _input_times(self._source, self.head.started, launches, at, self._cancel)
        yield from _turns(self._source.path, launch, contents, signs, moments, self.head, self.scan, self._cancel)


class Aider(Runtime):
    """Chat histories of aider."""

    name: ClassVar[str] = "aider"
    versions: ClassVar[str] = "0.30 to 0.86 (chat history Markdown)"

    def default_roots(self, environ: Mapping[str, str], home: Path, workspace: Path | None) -> list[Path]:
        """The history file in the work tree, and the one ``AIDER_CHAT_HISTORY_FILE`` names."""
        named = environ.get("AIDER_CHAT_HISTORY_FILE")
        roots = [workspace / HISTORY] if workspace is not None else []
        if named:
            roots.insert(0, (workspace or home) / Path(named).expanduser())
        return roots

    def sources(self, root: Path, cancel: CancelToken) -> Iterator[Source]:
        """One per launch of every history file: ``root`` itself, or those up to three folders below it."""
        for found in files(root, cancel, (HISTORY.removeprefix("."),) if root.is_dir() else (), _NOT_ENTERED, 3):
            yield from self._launches_of(root, found, cancel)

    def _launches_of(self, root: Path, found: Part, cancel: CancelToken) -> Iterator[Source]:
        path = found.path.name if found.path == root else found.path.relative_to(root).as_posix()
        inputs = part(found.path.with_name(_INPUTS)) if found.path.name == HISTORY else None
        parts = (found,) if inputs is None else (found, inputs)
        try:
            launches = _launches(found, cancel)
        except AnamnesisError:
            if found.path == root:
                raise
            return
        for launch in launches:
            identity = f"{path}#{launch.identity}" if launch.identity else path
            yield Source(self.name, root, identity, parts)

    def read(self, source: Source, cancel: CancelToken) -> Reading:
        """One launch, streaming."""
        return AiderReading(source, cancel)

    def handle(self, source: Source, head: Head, exists: Iterable[str] | None = None) -> Handle:
        """There is no way back in by id."""
        return Handle(
            None,
            f"Aider cannot resume a conversation by id; read it in {source.path.name}, or let "
            "aider --restore-chat-history reload the last messages of that file.",
        )


RUNTIMES = (Aider,)


def recorded_start(identity: str) -> datetime | None:
    """The time of the "chat started" line as recorded, naive: local time of the machine aider ran on, which is unknown.

    Where a conversation records a commit by hash, the commit's own time tells the zone.
    """
    match = re.search(r"#(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:~\d+)?\Z", identity)
    try:
        return datetime.fromisoformat(match[1]) if match else None
    except ValueError:
        return None


def _local(naive: datetime | None) -> datetime | None:
    try:
        return naive.astimezone() if naive is not None else None
    except (OverflowError, OSError, ValueError):
        return None


def _launches(of: Part, cancel: CancelToken) -> tuple[_Launch, ...]:
    """The launches of a file in order; prompts before the first header are one launch without a time."""
    known = _launches_seen.get(of)
    if known is not None:
        return known
    starts: list[tuple[int, str]] = []
    seen: dict[str, int] = {}
    asked_before = False
    end = 0
    for offset, line in TextLines(of.path, cancel):
        match = _STARTED.match(line) if line.startswith("# aider chat started at ") else None
        if match is not None:
            time = f"{match[1]}T{match[2]}"
            seen[time] = seen.get(time, 0) + 1
            starts.append((offset, time if seen[time] == 1 else f"{time}~{seen[time]}"))
        elif not starts and line.startswith("#### "):
            asked_before = True
        end = offset + 1
    if asked_before:
        starts.insert(0, (0, ""))
    ends = [*(start for start, _ in starts[1:]), end] if starts else []
    launches = tuple(_Launch(name, start, end) for (start, name), end in zip(starts, ends, strict=True))
    return _launches_seen.keep(of, launches)


def _turns(
    path: Path,
    launch: _Launch,
    contents: _Contents,
    signs: _Signs,
    moments: dict[str, list[datetime]],
    head: Head,
    scan: Scan,
    cancel: CancelToken,
) -> Iterator[Turn]:
    lines = TextLines(path, cancel, launch.start, launch.end)
    answers = _Answers(contents, signs.undone, head)
    n = 0
    last_prompt = ""
    for item in _items(lines, signs.marked, scan):
        if isinstance(item, _Exchange):
            for turn in answers.turns(item, n):
                n = turn.n
                if turn.speaker is not Speaker.TOOL:
                    last_prompt = ""
                yield turn
            continue
        offset, text = item
        if last_prompt and _MODE.sub("", last_prompt, count=1) == text and last_prompt != text:
            last_prompt = ""
            continue
        last_prompt = text
        times = moments.get(text)
        if asked := _QUESTION.match(text):
            text = text[asked.end() :].strip()
        if not text:
            continue
        n += 1
        if head.title is None and not text.startswith("/"):
            head.title, head.title_from = _shortened(text), "first turn"
        when = times.pop(0) if times else None
        head.ended = when or head.ended
        yield Turn(n, Speaker.PERSON, text, when=when, offset=offset)
    scan.skipped_lines = (scan.skipped_lines or 0) + lines.skipped_lines
    scan.omitted_chars = (scan.omitted_chars or 0) + lines.omitted_chars


def _shortened(text: str) -> str:
    line = next((line.strip() for line in text.split("\n") if line.strip()), "")
    return line if len(line) <= 120 else line[:119].rstrip() + "…"


def _items(lines: TextLines, marked: bool, scan: Scan) -> Iterator[_Exchange | tuple[int, str]]:
    """Prompts as ``(offset, text)`` and what follows each as one exchange, in order.

    Aider ends each line of a prompt with two spaces; ``#### `` without them is a heading of the model's (``marked``).
    Where an editor has stripped the file, a prompt stands at the start or after a line of aider's own.
    """
    own_before = True
    prompt: list[str] = []
    prompt_at = 0
    exchange: _Exchange | None = None
    fence = Fence()
    block: _Block | None = None
    inside_edit = False
    recent: list[str] = []
    for offset, line in lines:
        if fence.open and not inside_edit and (_OWN.match(line) and line.endswith("  ")):
            fence.close()
        if fence.open or inside_edit:
            assert exchange is not None
            if inside_edit and _OWN.match(line) and line.endswith("  "):
                inside_edit = False
                fence.close()
            else:
                if _TAIL_MARK.match(line):
                    inside_edit = False
                elif _HEAD_MARK.match(line):
                    inside_edit = True
                closing = not inside_edit and fence.feed(line)
                _keep(exchange, line, scan)
                if closing:
                    block = None
                elif block is not None and exchange.chars <= MAX_TURN_CHARS:
                    block.lines.append(line)
                continue
        if (line.startswith("#### ") or line.rstrip() == "####") and (line.endswith("  ") if marked else own_before):
            if exchange is not None:
                yield exchange
                exchange, recent = None, []
            if not prompt:
                prompt_at = offset
            prompt.append(line[5:].rstrip())
            continue
        if not prompt and exchange is None and (not line.strip() or line.startswith("# aider chat started at ")):
            continue
        if prompt and line.strip():
            yield prompt_at, "\n".join(prompt).strip()
            prompt = []
        if exchange is None:
            if not line.strip():
                if prompt:
                    yield prompt_at, "\n".join(prompt).strip()
                    prompt = []
                continue
            exchange = _Exchange(offset)
        own_before = line.startswith("> ") or line.rstrip() == ">" or (own_before and not line.strip())
        if line.startswith("> ") or line.rstrip() == ">":
            exchange.own.append(line[2:].rstrip())
            continue
        if fence.feed(line):
            block = _Block(_path_above(recent), fence.info)
            exchange.blocks.append(block)
            recent = []
        elif line.strip():
            recent = [*recent[-2:], line]
        _keep(exchange, line, scan)
    if prompt:
        yield prompt_at, "\n".join(prompt).strip()
    if exchange is not None:
        yield exchange


def _keep(exchange: _Exchange, line: str, scan: Scan) -> None:
    exchange.chars += len(line) + 1
    if exchange.chars <= MAX_TURN_CHARS:
        exchange.text.append(line)
    else:
        scan.omitted_chars = (scan.omitted_chars or 0) + len(line) + 1


def _path_above(recent: list[str]) -> str | None:
    return path_on(recent[-1]) if recent else None


class _Answers:
    """Turns exchanges into turns: the model's answer with its edits as aider's lines settle them, and commits."""

    def __init__(self, contents: _Contents, undone: frozenset[str], head: Head) -> None:
        self._contents = contents
        self._undone = undone
        self._head = head
        self._model: str | None = None
        self._format = ""

    def turns(self, exchange: _Exchange, n: int) -> Iterator[Turn]:
        applied: list[str] = []
        refused: list[str] = []
        mentions: dict[str, None] = {}
        commits: list[CommitMade] = []
        own_work = failed = False
        for line in exchange.own:
            if match := _MODEL.match(line):
                self._model, self._format = match[1], match[2] or self._format
            elif (match := _APPLIED.match(line)) or (match := _CREATED.match(line)):
                applied.append(match[1])
            elif match := _NOT_APPLIED.match(line):
                refused.append(match[1])
            elif _BEFORE_EDITS.match(line):
                own_work = True
            elif match := _COMMIT.match(line):
                how = "before edits" if own_work else "committed"
                commits.append(CommitMade(match[1], match[2] or None, None, how))
                own_work = False
            elif match := _ADDED.match(line):
                mentions.setdefault(match[1])
            failed = failed or bool(_FAILED.search(line))
            if line.startswith("Aider v"):
                self._head.version = line.split()[1]
        text = _THOUGHTS.sub("", "\n".join(exchange.text)).strip("\n").rstrip()
        undone = any(commit.hash[:7] in self._undone for commit in commits if commit.how == "committed")
        edits = tuple(self._edits(exchange.blocks, applied, refused, failed, undone))
        if text.strip() or edits:
            yield Turn(
                n + 1,
                Speaker.ASSISTANT,
                text,
                edits=edits,
                commits=tuple(commits),
                mentions=tuple(mentions),
                name=self._model,
                offset=exchange.offset,
            )
        elif commits or mentions:
            lines = [line for line in exchange.own if _COMMIT.match(line) or _BEFORE_EDITS.match(line)]
            yield Turn(
                n + 1,
                Speaker.TOOL,
                "\n".join(lines),
                commits=tuple(commits),
                mentions=tuple(mentions),
                name="aider",
                offset=exchange.offset,
            )

    def _edits(
        self, blocks: list[_Block], applied: list[str], refused: list[str], failed: bool, undone: bool
    ) -> Iterator[Edit]:
        told: set[str] = set()
        last: str | None = None
        for block in blocks:
            body = "\n".join(block.lines)
            replacing = "SEARCH" in body and any(_HEAD_MARK.match(line) for line in block.lines)
            path = block.path
            if replacing and path is None:
                first = block.lines[0] if block.lines else ""
                path = path_on(first) if not _HEAD_MARK.match(first) else last
            patched = [] if replacing or block.info != "diff" else patches.unified(body, path)
            if not replacing and not patched and (path is None or not _named(path, applied + refused)):
                continue
            for edit in self._of_block(block, body, path, replacing, patched):
                target = _named(edit.path, applied)
                if target is not None:
                    outcome = EditOutcome.UNDONE if undone else EditOutcome.APPLIED
                elif _named(edit.path, refused):
                    target, outcome = _named(edit.path, refused), EditOutcome.REJECTED
                else:
                    outcome = EditOutcome.FAILED if failed else EditOutcome.UNCONFIRMED
                told.add(target or edit.path)
                last = edit.path
                yield Edit(target or edit.path, edit.written, edit.removed, outcome, edit.tool, edit.whole_file)
        for path in dict.fromkeys(applied):
            if path not in told:
                # Applied, and the log does not show what: the answer was cut, or its block named no path.
                outcome = EditOutcome.UNDONE if undone else EditOutcome.APPLIED
                self._contents.of.pop(path, None)
                yield Edit(path, "", None, outcome, self._format or "edit")
        for path in dict.fromkeys(refused):
            if path not in told:
                yield Edit(path, "", None, EditOutcome.REJECTED, self._format or "edit")

    def _of_block(
        self, block: _Block, body: str, path: str | None, replacing: bool, patched: list[patches.FilePatch]
    ) -> Iterator[Edit]:
        if replacing:
            for old, new in patches.search_replace(body) if path else ():
                written, removed = patches.changed_lines(old, new)
                self._contents.replaced(path or "", old, new)
                yield Edit(path or "", written, removed, EditOutcome.UNCONFIRMED, "search/replace")
        elif patched:
            for one in patched:
                self._contents.of.pop(one.path, None)
                yield Edit(one.path, one.written, one.removed, EditOutcome.UNCONFIRMED, "udiff")
        elif path is not None:
            known = self._contents.of.get(path)
            self._contents.wrote(path, body)
            if known is None:
                yield Edit(path, body, None, EditOutcome.UNCONFIRMED, "whole", whole_file=True)
            else:
                written, removed = patches.changed_lines(known, body)
                yield Edit(path, written, removed, EditOutcome.UNCONFIRMED, "whole")


def _named(path: str, among: list[str]) -> str | None:
    """The path among those aider named that ``path`` of the answer means: the same, or the only one that ends so."""
    if path in among:
        return path
    bare = path.strip("./")
    ends = {other for other in among if other.endswith(f"/{bare}") or bare.endswith(f"/{other}") or other == bare}
    return ends.pop() if len(ends) == 1 else None


@dataclass(frozen=True, slots=True)
class _Signs:
    """What must be known of a launch before its turns are read."""

    undone: frozenset[str]
    """First seven digits of the commits that ``/undo`` took back."""
    marked: bool
    """Prompts still end with the two spaces that aider writes."""


def _signs(path: Path, launch: _Launch, cancel: CancelToken) -> _Signs:
    undone: set[str] = set()
    marked = False
    for _, line in TextLines(path, cancel, launch.start, launch.end):
        if line.startswith("> ") and (match := _REMOVED.match(line, 2)):
            undone.add(match[1][:7])
        marked = marked or (line.startswith("#### ") and line.endswith("  "))
    return _Signs(frozenset(undone), marked)


def _written_before(of: Part, launch: _Launch, cancel: CancelToken) -> Mapping[str, str]:
    """What earlier launches in this file wrote, by path; nothing where the file is too large to be read for it."""
    if launch.start == 0 or of.size > _MAX_REPLAY:
        return {}
    known = _replays.get(of)
    if known is None:
        replayed: dict[int, dict[str, str]] = {}
        contents = _Contents()
        answers = _Answers(contents, frozenset(), Head())
        for one in _launches(of, cancel):
            replayed[one.start] = dict(contents.of)
            signs = _signs(of.path, one, cancel)
            for item in _items(TextLines(of.path, cancel, one.start, one.end), signs.marked, Scan()):
                if isinstance(item, _Exchange):
                    for _turn in answers.turns(item, 0):
                        pass
        known = _replays.keep(of, replayed)
    return known.get(launch.start, {})


_T = TypeVar("_T")


class _Seen(Generic[_T]):
    """Facts of the last few files read, by their state: a history of many launches is not read anew for each."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._of: OrderedDict[Part, _T] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, of: Part) -> _T | None:
        with self._lock:
            return self._of.get(of)

    def keep(self, of: Part, value: _T) -> _T:
        with self._lock:
            self._of[of] = value
            while len(self._of) > self._size:
                self._of.popitem(last=False)
        return value


_launches_seen: _Seen[tuple[_Launch, ...]] = _Seen(64)
_replays: _Seen[dict[int, dict[str, str]]] = _Seen(2)


def _input_times(
    source: Source, started: datetime | None, launches: Sequence[_Launch], at: int, cancel: CancelToken
) -> dict[str, list[datetime]]:
    """Times of this launch's prompts from ``.aider.input.history`` (``# time`` and ``+line`` lines), by their text."""
    inputs = source.parts[1] if len(source.parts) > 1 else None
    if inputs is None or started is None or inputs.size > _MAX_INPUTS:
        return {}
    later = recorded_start(f"#{launches[at + 1].identity}") if at + 1 < len(launches) else None
    until = _local(later)
    found: dict[str, list[datetime]] = {}
    when: datetime | None = None
    text: list[str] = []

    def close() -> None:
        if when is not None and text and when >= started and (until is None or when < until):
            found.setdefault("\n".join(text).strip(), []).append(when)

    try:
        for _, line in TextLines(inputs.path, cancel):
            if line.startswith("# "):
                close()
                text = []
                try:
                    when = _local(datetime.fromisoformat(line[2:].strip()))
                except ValueError:
                    when = None
            elif line.startswith("+"):
                text.append(line[1:].rstrip())
    except AnamnesisError:
        return {}
    close()
    return found
