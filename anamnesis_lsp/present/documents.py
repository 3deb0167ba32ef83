"""Records as virtual documents: values in, a :class:`Document` out.

A commit with the hunk of a span, a file at a revision, the diff of a file, a conversation around a turn, a decision
record at its part, and (from :mod:`.markdown`) a story and a scope report. Text of a record stands inside a fence or
within a line of ours, so that none of it can pass for ours; in a file or a diff, where the record is the whole
document, nothing in it acts. Opening the records is the business of the rooms above.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Protocol

from anamnesis_lsp import masking
from anamnesis_lsp.places import root_id
from anamnesis_lsp.present import escape
from anamnesis_lsp.present.locators import Locator, of_record
from anamnesis_lsp.present.markdown import round_document, scope_document
from anamnesis_lsp.present.page import Anchor, Document, OpenTarget, Page, Ref, Symbol, retarget
from anamnesis_lsp.present.records import RUNTIME_NAMES, speaker_name
from anamnesis_lsp.records.evidence import RecordKey, Speaker

if TYPE_CHECKING:  # values only: their rooms load git and the readers
    from anamnesis_lsp.records.conversations.model import Edit, Handle, Head, Scan, Turn
    from anamnesis_lsp.records.git.model import Commit, FileChange, Hunk
    from anamnesis_lsp.records.git.stepping import End, Stop
    from anamnesis_lsp.records.git.weblinks import WebLinks

__all__ = [
    "Anchor",
    "DecisionText",
    "Document",
    "OpenTarget",
    "Symbol",
    "commit_document",
    "conversation_document",
    "decision_document",
    "diff_document",
    "file_document",
    "retarget",
    "round_document",
    "scope_document",
]

TURN_LINES = 400
"""Lines of one turn, of one hunk, or of a message that a document shows; the rest is counted."""
WIDTH = 2000
EDIT_LINES = 60
TOOL_LINES = 12
FILES_LISTED = 200


def commit_document(
    key: RecordKey,
    commit: Commit,
    changes: Sequence[FileChange],
    path: str | None = None,
    lines: tuple[int, int] | None = None,
    *,
    web: WebLinks | None = None,
    earlier: Stop | End | None = None,
) -> Document:
    """A commit: its message, the hunks that touch ``lines`` of ``path`` (1-based, at the commit), then its other files.

    Without a path every hunk is listed by file only. ``changes`` may hold the hunks of ``path`` alone. ``earlier`` is
    where these lines were before the commit, or why they were nowhere; ``web`` are its pages.
    """
    root = root_id(key.root)
    page = Page()
    page.heading(1, f"Commit {escape.code(commit.hash[:12])}", "page", f"commit {commit.hash[:12]}", commit.subject)
    page.write("- author: ", escape.inline(commit.author.name), ", ", _time(commit.author_time))
    if commit.committer != commit.author:
        page.write("- committed by: ", escape.inline(commit.committer.name), ", ", _time(commit.commit_time))
    page.write("- commit: ", escape.code(commit.hash))
    for parent in commit.parents:
        page.write(
            "- parent: ", Ref(escape.code(parent[:12]), str(Locator("commit", root, hash=parent)), "the parent commit")
        )
    if earlier is not None:
        page.write("- before this change: ", *_earlier(root, earlier))
    if web is not None:
        _web(page, web)
    page.heading(2, "Message", "section")
    page.block(commit.message, "text", TURN_LINES, WIDTH)
    focus: tuple[int, int] | None = None
    wanted = next((change for change in changes if path is not None and change.path == path), None)
    if wanted is not None:
        focus = _hunks(page, root, commit.hash, wanted, lines)
    others = [change for change in changes if change is not wanted]
    if others:
        page.heading(2, "Files" if wanted is None else "Other files", "section")
        for change in others[:FILES_LISTED]:
            page.write("- ", *_file_line(root, commit.hash, change))
        if len(others) > FILES_LISTED:
            page.write(f"- and {len(others) - FILES_LISTED:,} more files")
    page.blank()
    page.paragraph("A commit message says what its author wrote; nobody has checked it since.")
    return page.finish(str(Locator("commit", root, hash=commit.hash, path=path, lines=lines)), focus)


_NOTHING_BEFORE: dict[End, str] = {
    "root": "nothing, this is the first commit",
    "shallow": "not known, the history of this shallow clone ends here",
    "created": "nothing, the file began here",
}


def _earlier(root: str, earlier: Stop | End) -> list[str | Ref]:
    if isinstance(earlier, str):
        return [_NOTHING_BEFORE[earlier]]
    there = Locator(
        "file", root, hash=earlier.commit, path=earlier.path, lines=None if earlier.empty else earlier.lines
    )
    where = "the file, without these lines" if earlier.empty else f"lines {earlier.lines[0]}–{earlier.lines[1]}"
    named = f" of {escape.code(earlier.path)} at {escape.code(earlier.commit[:12])}"
    return [Ref(where, str(there), "the file before this change"), named]


def _web(page: Page, web: WebLinks) -> None:
    """Pages by the text of the remote alone: said, since a commit that was not pushed has none."""
    here = [Ref("the commit", web.commit, "", web=True)]
    if web.file is not None:
        here.append(Ref("the file there", web.file, "", web=True))
    if web.pull is not None:
        here.append(Ref(f"request {web.pull[0]}", web.pull[1], "", web=True))
    here += [Ref(f"issue {name}", target, "", web=True) for name, target in web.issues]
    parts: list[str | Ref] = ["- on the web, if it was pushed: "]
    for number, ref in enumerate(here):
        parts += [", " if number else "", ref]
    page.write(*parts)


_STATUS = {"A": "added", "M": "changed", "D": "deleted", "R": "renamed", "C": "copied", "T": "type changed"}


def _file_line(root: str, commit: str, change: FileChange) -> list[str | Ref]:
    status = _STATUS.get(change.status[:1], "changed")
    renamed = f" from {escape.code(change.old_path)}" if change.old_path and change.old_path != change.path else ""
    diff = Ref(
        escape.code(change.path), str(Locator("diff", root, hash=commit, path=change.path)), "the change of this file"
    )
    return [diff, f", {status}{renamed}" + (", binary" if change.binary else "")]


def _hunks(
    page: Page, root: str, commit: str, change: FileChange, lines: tuple[int, int] | None
) -> tuple[int, int] | None:
    page.heading(2, escape.code(change.path), "file", change.path, _STATUS.get(change.status[:1], "changed"))
    page.write("- ", Ref("the file here", str(Locator("file", root, hash=commit, path=change.path, lines=lines)), ""))
    page.write("- ", Ref("its whole change", str(Locator("diff", root, hash=commit, path=change.path)), ""))
    page.blank()
    if change.binary:
        page.paragraph("The file is binary.")
        return None
    touching = [hunk for hunk in change.hunks if lines is None or _touches(hunk, lines)]
    if lines is not None and not touching and change.hunks:
        page.paragraph(f"No hunk of this commit touches lines {lines[0]}–{lines[1]} of the file; all its hunks follow.")
        touching = list(change.hunks)
    focus: tuple[int, int] | None = None
    for hunk in touching:
        page.symbol(f"lines {hunk.new_start}–{hunk.new_start + max(hunk.new_lines, 1) - 1}", "hunk", 2)
        start = page.block("\n".join([_hunk_head(hunk), *hunk.lines]), "diff", TURN_LINES, WIDTH)
        focus = focus or (start, page.here - 3)
    hidden = len(change.hunks) - len(touching)
    if hidden > 0:
        page.paragraph(f"{hidden} more {'hunk' if hidden == 1 else 'hunks'} of this file in its whole change.")
    return focus


def _touches(hunk: Hunk, lines: tuple[int, int]) -> bool:
    last = hunk.new_start + max(hunk.new_lines, 1) - 1
    return hunk.new_start <= lines[1] and lines[0] <= last


def _hunk_head(hunk: Hunk) -> str:
    return f"@@ -{hunk.old_start},{hunk.old_lines} +{hunk.new_start},{hunk.new_lines} @@"


def diff_document(root: RecordKey, change: FileChange) -> Document:
    """The change of one file in a commit as a unified diff. ``root`` is the commit's key."""
    lines = [f"--- {'/dev/null' if change.status.startswith('A') else 'a/' + (change.old_path or change.path)}"]
    lines.append(f"+++ {'/dev/null' if change.status.startswith('D') else 'b/' + change.path}")
    symbols: list[Symbol] = []
    if change.binary:
        lines.append("Binary files differ")
    for hunk in change.hunks:
        symbols.append(Symbol(_hunk_head(hunk), "", "hunk", len(lines), len(lines) + len(hunk.lines), 0))
        lines += [_hunk_head(hunk), *hunk.lines]
    text = "\n".join(escape.clean(masking.mask(line)).replace("\n", " ") for line in lines) + "\n"
    uri = str(Locator("diff", root_id(root.root), hash=root.id, path=change.path))
    return Document(uri, text, "diff", (), tuple(symbols))


def file_document(commit: RecordKey, path: str, text: str, lines: tuple[int, int] | None = None) -> Document:
    """A file at a revision, as itself; ``lines`` (1-based) are the ones to show. ``commit`` is the commit's key."""
    shown = escape.raw_text(text)
    count = shown.count("\n") + (0 if shown.endswith("\n") else 1)
    focus = None
    if lines is not None and lines[0] <= count:
        focus = (lines[0] - 1, min(lines[1], count) - 1)
    uri = str(Locator("file", root_id(commit.root), hash=commit.id, path=path, lines=lines))
    return Document(uri, shown, language_of(path), (), (), focus)


_LANGUAGES = {
    **dict.fromkeys(("py", "pyi"), "python"),
    **dict.fromkeys(("js", "mjs", "cjs"), "javascript"),
    **dict.fromkeys(("ts", "mts", "cts"), "typescript"),
    **dict.fromkeys(("md", "markdown"), "markdown"),
    **dict.fromkeys(("yml", "yaml"), "yaml"),
    **dict.fromkeys(("sh", "bash", "zsh"), "shellscript"),
    **dict.fromkeys(("c", "h"), "c"),
    **dict.fromkeys(("cc", "cpp", "cxx", "hpp", "hh"), "cpp"),
    **{
        name: name
        for name in ("go", "java", "lua", "swift", "dart", "css", "html", "json", "toml", "sql", "php", "vim")
    },
    "rs": "rust",
    "rb": "ruby",
    "kt": "kotlin",
    "cs": "csharp",
    "tsx": "typescriptreact",
    "jsx": "javascriptreact",
    "hs": "haskell",
    "ex": "elixir",
    "exs": "elixir",
    "el": "lisp",
    "tex": "latex",
    "xml": "xml",
}


def language_of(path: str) -> str:
    """The LSP language id a path's suffix suggests, else ``plaintext``."""
    return _LANGUAGES.get(PurePosixPath(path).suffix.lower().lstrip("."), "plaintext")


def conversation_document(
    key: RecordKey,
    head: Head,
    turns: Sequence[Turn],
    total: int,
    focus: int | None = None,
    *,
    scan: Scan | None = None,
    handle: Handle | None = None,
    commits: Mapping[str, str] | None = None,
) -> Document:
    """A conversation around a turn: every turn with its speaker and time, the outline by turn.

    ``turns`` are those to show, in order, of ``total``; ``commits`` maps hashes as recorded to locators.
    """
    page = Page()
    title = head.title or "a conversation"
    runtime = RUNTIME_NAMES.get(key.runtime or "", key.runtime or "a")
    page.heading(1, f"{escape.inline(runtime)} conversation", "page", f"{runtime} conversation", title)
    if head.title:
        said = {"person": "named by the person", "assistant": "named by the assistant"}.get(head.title_from or "", "")
        page.write(
            "- title: ", escape.quoted(head.title), f" ({said or 'from its first turn'}; a title is no evidence)"
        )
    page.write("- id: ", escape.code(key.id))
    if head.started is not None:
        page.write("- time: ", _time(head.started), f" to {_time(head.ended)}" if head.ended else "")
    for directory in head.cwds[:5]:
        page.write("- in: ", escape.code(directory))
    _handle(page, handle)
    _scan(page, scan)
    page.blank()
    shown_focus: tuple[int, int] | None = None
    previous = 0
    for turn in turns:
        if turn.n > previous + 1:
            page.paragraph(_gap(previous + 1, turn.n - 1))
        start = page.here
        _turn(page, turn, turn.n == focus, commits or {})
        if turn.n == focus:
            shown_focus = (start, max(page.here - 2, start))
        previous = turn.n
    if previous < total:
        page.paragraph(_gap(previous + 1, total))
    if focus is not None and shown_focus is None:
        page.paragraph(f"The record has no turn {focus} (any more).")
    page.paragraph("What is said above is told by the record, each by its speaker; none of it is checked here.")
    return page.finish(str(of_record(key)) + (f"?turn={focus}" if focus is not None else ""), shown_focus)


def _gap(first: int, last: int) -> str:
    return f"*Turn {first} is not shown.*" if first == last else f"*Turns {first} to {last} are not shown.*"


_ORDINARY = frozenset({Speaker.PERSON, Speaker.ASSISTANT, Speaker.SUBAGENT})


def _turn(page: Page, turn: Turn, is_focus: bool, commits: Mapping[str, str]) -> None:
    who = speaker_name(turn.speaker.value)
    named = f" ({escape.inline(turn.name, 60)})" if turn.name else ""
    when = f" · {_time(turn.when)}" if turn.when else ""
    mark = " ←" if is_focus else ""
    first = escape.plain(turn.text, 80)
    page.heading(2, f"{turn.n} · {who}{named}{when}{mark}", "turn", f"{turn.n} {who}", first)
    lines = TURN_LINES if turn.speaker in _ORDINARY or is_focus else TOOL_LINES
    if turn.text.strip():
        page.block(turn.text, "text", lines, WIDTH)
    for edit in turn.edits:
        _edit(page, edit)
    for commit in turn.commits:
        target = commits.get(commit.hash)
        name = escape.code(commit.hash[:12])
        subject = f" {escape.quoted(commit.subject)}" if commit.subject else ""
        page.write(f"- {commit.how} ", name if target is None else Ref(name, target, "the commit"), subject)
    page.blank()


_OUTCOMES = {
    "applied": "",
    "failed": ", which failed",
    "rejected": ", which the person rejected",
    "undone": ", undone later",
    "unconfirmed": ", whose result is not recorded",
}


def _edit(page: Page, edit: Edit) -> None:
    changed = " and the person changed it" if edit.person_changed else ""
    verb = "wrote" if edit.whole_file else "edited"
    outcome = _OUTCOMES[edit.outcome.value]
    page.paragraph(f"- {verb} {escape.code(edit.path)} with {escape.code(edit.tool)}{outcome}{changed}")
    removed = [] if edit.removed is None else [f"-{line}" for line in edit.removed.splitlines()]
    written = [f"+{line}" for line in edit.written.splitlines()]
    if removed or written:
        page.block("\n".join([*removed[:EDIT_LINES], *written]), "diff", 2 * EDIT_LINES, WIDTH)


def _handle(page: Page, handle: Handle | None) -> None:
    if handle is None:
        return
    note = f" ({escape.inline(handle.note, 300)})" if handle.note else ""
    if handle.command:
        page.write("- reopen: ", escape.code(handle.command, 400), note)
    elif handle.note:
        page.write("- ", escape.inline(handle.note, 300))


def _scan(page: Page, scan: Scan | None) -> None:
    if scan is None:
        return
    said = [
        f"{count:,} {what}"
        for count, what in (
            (scan.skipped_lines, "lines did not parse"),
            (scan.unverified_person_turns, "turns of the person are missing"),
            (scan.omitted_chars, "characters were left out"),
        )
        if count
    ]
    if scan.incomplete_tail:
        said.append("its last line is still being written")
    if said:
        page.write("- captured in part: ", "; ".join(said))


class SectionText(Protocol):
    """A section of a decision record: its name and its 1-based, inclusive lines in the text."""

    @property
    def name(self) -> str:
        """The heading."""
        ...

    @property
    def start_line(self) -> int:
        """First line."""
        ...

    @property
    def end_line(self) -> int:
        """Last line."""
        ...


@dataclass(frozen=True, slots=True)
class DecisionText:
    """What :func:`decision_document` needs of a decision record."""

    title: str
    status: str | None
    date: str | None
    text: str
    sections: Sequence[SectionText] = ()


def decision_document(key: RecordKey, decision: DecisionText, part: str | None = None) -> Document:
    """A decision record, with the outline of its sections and the section named ``part`` in focus."""
    page = Page()
    title = decision.title or key.id
    page.heading(1, f"Decision record {escape.quoted(title)}", "page", title, decision.status or "")
    page.write("- record: ", escape.code(key.id))
    if decision.status:
        page.write("- status: ", escape.inline(decision.status))
    if decision.date:
        page.write("- date: ", escape.inline(decision.date))
    page.blank()
    start = page.block(decision.text, "markdown", 20 * TURN_LINES, WIDTH)
    last = max(page.here - 3, start)
    page.paragraph("A decision record says what was decided then; whether it was followed is another question.")
    document = page.finish(str(of_record(key)) if part is None else _with_part(key, part))
    symbols = list(document.symbols)
    focus: tuple[int, int] | None = None
    for section in decision.sections:
        lines = (start + section.start_line - 1, min(start + section.end_line - 1, last))
        if lines[0] > last:
            continue
        symbols.append(Symbol(escape.plain(section.name, 120), "", "section", lines[0], max(lines), 1))
        if part is not None and section.name == part:
            focus = (lines[0], max(lines))
    return Document(document.uri, document.text, "markdown", document.anchors, tuple(symbols), focus)


def _with_part(key: RecordKey, part: str) -> str:
    path, _, _ = key.id.partition("#")
    return str(Locator("decision", root_id(key.root), path=path, part=part))


def _time(when: datetime | None) -> str:
    if when is None:
        return "at an unknown time"
    offset = when.strftime("%z")
    zone = "" if not offset else " UTC" if offset == "+0000" else f" {offset[:3]}:{offset[3:5]}"
    return when.strftime("%Y-%m-%d %H:%M") + zone
