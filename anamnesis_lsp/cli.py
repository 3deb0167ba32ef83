"""The command line: the same recall in a terminal. ``anamnesis-lsp --help`` says what there is.

Exit codes: 0 done, 1 nothing found or not identified, 2 bad input, 3 refused (ownership, permissions), 4 internal.
Lines shown to people are 1-based and inclusive. Results go to standard output, progress and errors to standard error;
progress only where that is a terminal. Imports of what a command needs are made when it runs, so that ``--help`` and
``--version`` are quick.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, cast

from anamnesis_lsp import __version__
from anamnesis_lsp.cancel import Cancelled, CancelToken
from anamnesis_lsp.errors import AnamnesisError, ErrorCode, of_system

if TYPE_CHECKING:
    from anamnesis_lsp.index import Catalog
    from anamnesis_lsp.present.round import Round
    from anamnesis_lsp.recall.recaller import Progress, Recaller, RecollectRequest
    from anamnesis_lsp.records.conversations.stores import Store

DONE, NOTHING, BAD_INPUT, INTERNAL = 0, 1, 2, 4
FOUND = ("presented", "identified", "answered", "holding")

_RANGE = re.compile(r"(?P<path>.+?):(?P<start>\d{1,9})(?:-(?P<end>\d{1,9}))?\Z", re.DOTALL)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    parser = _parser()
    try:
        options = parser.parse_args(arguments)
    except _UsageError as usage:
        print(f"anamnesis-lsp: {_shown(str(usage))}", file=sys.stderr)
        return BAD_INPUT
    run: Callable[[argparse.Namespace], int] | None = getattr(options, "run", None)
    if run is None:
        parser.print_help()
        return BAD_INPUT
    try:
        return run(options)
    except AnamnesisError as error:
        _complain(error)
        return error.code.exit_code
    except (KeyboardInterrupt, Cancelled):
        print("anamnesis-lsp: interrupted", file=sys.stderr)
        return INTERNAL
    except BrokenPipeError:
        sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115  the reader of our output has gone
        return DONE
    except Exception as error:
        if os.environ.get("ANAMNESIS_DEBUG"):
            raise
        refused = of_system(error)
        _complain(refused or _internal(error))
        return INTERNAL if refused is None else refused.code.exit_code


def entry() -> NoReturn:
    """For ``python -m anamnesis_lsp``."""
    raise SystemExit(main())


class _UsageError(Exception):
    """A command line that cannot be read, with what is wrong."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise _UsageError(f"{message} (see {self.prog} --help)")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="anamnesis-lsp",
        description="Why is this code here? Answers from git history, decision records and AI conversations.",
        epilog="Exit codes: 0 done, 1 nothing found or not identified, 2 bad input, 3 refused, 4 internal.",
    )
    parser.add_argument("--version", action="version", version=f"anamnesis-lsp {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", parser_class=_Parser)

    recollect = commands.add_parser("recollect", help="recall why lines are there, or a past by its cue")
    recollect.add_argument(
        "where", nargs="?", metavar="PATH:START-END", help="1-based lines, inclusive; none: the cue alone"
    )
    recollect.add_argument("--cue", metavar="TEXT", help="what you remember of it")
    recollect.add_argument("--rev", help="ask about the file as it is at this revision")
    recollect.add_argument("--cell", metavar="N|ID", help="the lines are those of this cell of a notebook, from 1")
    recollect.add_argument("--recall", metavar="ID", help="go on with this recall")
    recollect.add_argument("--batch", metavar="FILE", help="one request per line of FILE (- for standard input)")
    recollect.add_argument("--no-dialogue", action="store_true", help="one round, in a terminal too")
    _contract_option(recollect)
    _store_option(recollect)
    _json_option(recollect)
    recollect.set_defaults(run=_recollect)

    say = commands.add_parser("say", help='say something to a recall: a correction, more of it, "that\'s it"')
    say.add_argument("words", nargs="+", metavar="WORDS")
    say.add_argument("--recall", metavar="ID", help="the recall it is said to; none: the latest that is held")
    _contract_option(say)
    _store_option(say)
    _json_option(say)
    say.set_defaults(run=_say)

    recalls = commands.add_parser("recalls", help="the recalls that are kept")
    _json_option(recalls)
    recalls.set_defaults(run=_recalls)

    export = commands.add_parser("export", help="a recall: whole, or what it recalled as text to paste")
    export.add_argument("recall", metavar="RECALL")
    export.add_argument("--as", dest="form", choices=("json", "markdown", "commit", "comment"), default="json")
    export.set_defaults(run=_export)

    forget = commands.add_parser("forget", help="remove recalls, and the evidence kept with them")
    which = forget.add_mutually_exclusive_group(required=True)
    which.add_argument("recall", nargs="*", metavar="RECALL", default=[])
    which.add_argument("--all", action="store_true", help="every recall")
    which.add_argument("--older", type=float, metavar="DAYS", help="those that did not change for so many days")
    forget.set_defaults(run=_forget)

    serve = commands.add_parser("serve", help="run the language server on standard input and output")
    serve.add_argument("--stdio", action="store_true", help="accepted for clients that pass it; there is no other way")
    serve.set_defaults(run=_serve)

    open_ = commands.add_parser("open", help="show the record that a locator names")
    open_.add_argument("locator", metavar="LOCATOR")
    _store_option(open_)
    _json_option(open_)
    open_.set_defaults(run=_open)

    stores = commands.add_parser("stores", help="what would be searched here, and its state")
    _store_option(stores)
    _json_option(stores)
    stores.set_defaults(run=_stores)

    index = commands.add_parser("index", help="our index of the stores: its state, rebuild it, remove from it")
    what = index.add_mutually_exclusive_group()
    what.add_argument("--status", action="store_true", help="size and stores (the default)")
    what.add_argument("--refresh", action="store_true", help="read what changed")
    what.add_argument("--rebuild", action="store_true", help="read everything again")
    what.add_argument("--forget", metavar="KIND[:PATH[#ID]]", help="remove what was read of a store")
    _store_option(index)
    _json_option(index)
    index.set_defaults(run=_index)

    history = commands.add_parser("history", help="the changes of a range of lines, or of a file, newest first")
    history.add_argument(
        "where", nargs="?", metavar="PATH[:START-END]", help="1-based lines, inclusive; none: the whole file"
    )
    history.add_argument("--rev", help="from this revision; none: HEAD")
    history.add_argument("--cell", metavar="N|ID", help="the lines are those of this cell of a notebook, from 1")
    history.add_argument("--batch", metavar="FILE", help="one request per line of FILE (- for standard input)")
    _json_option(history)
    history.set_defaults(run=_history)

    search = commands.add_parser("search", help="commits by message, author, content or identifier, newest first")
    by = search.add_mutually_exclusive_group(required=True)
    by.add_argument("--message", metavar="TEXT", help="their message holds it")
    by.add_argument("--author", metavar="NAME", help="the author's name or address holds it")
    by.add_argument("--content", metavar="TEXT", help="they brought it or took it away (git log -S)")
    by.add_argument("--lines", metavar="TEXT", help="a line that they changed holds it (git log -G)")
    by.add_argument("--id", metavar="ID", help="a hash, #12, PROJ-7, a URL: the commit, its request, mentions")
    search.add_argument("paths", nargs="*", metavar="PATH", help="in these files or folders only")
    search.add_argument("--rev", help="from this revision; none: HEAD")
    search.add_argument("--all", action="store_true", help="messages of other branches and tags too")
    search.add_argument("--everywhere", action="store_true", help="contents of the whole repository: may take long")
    search.add_argument("--limit", type=int, default=50, metavar="N")
    _json_option(search)
    search.set_defaults(run=_search)

    turns = commands.add_parser("read-turns", help="how a person's turns would be read, one JSON object per line")
    turns.add_argument("file", metavar="FILE.jsonl")
    turns.set_defaults(run=_read_turns)

    demo = commands.add_parser("demo", help="the main job on a small example that is made for it")
    demo.add_argument("--keep", metavar="DIR", help="make the example in DIR and leave it there")
    demo.set_defaults(run=_demo)

    doctor = commands.add_parser("doctor", help="what is there, what is wrong, and how to mend it")
    _json_option(doctor)
    doctor.set_defaults(run=_doctor)
    return parser


def _store_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--store", action="append", default=[], metavar="KIND:PATH",
        help="search this store instead of those found here; may be given several times",
    )  # fmt: skip


def _contract_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--contract", choices=("anamnesis", "recollect"), default="anamnesis",
        help="the form of the dialogue that a new recall follows",
    )  # fmt: skip


def _json_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON")


# ── recollect ───────────────────────────────────────────────────────────────────────────────────────────────────────


def _recollect(options: argparse.Namespace) -> int:
    if options.batch is not None:
        return _recollect_batch(options)
    talks = not (options.json or options.no_dialogue) and _in_terminal()
    request = _request(options, bare=talks)
    with _recaller(options) as recaller:
        if talks:
            from anamnesis_lsp import terminal

            shown = terminal.converse(
                recaller, lambda cancel, report: recaller.recollect(request, cancel, report), _print_round, _progress
            )
            return DONE if shown.outcome in FOUND else NOTHING
        with _progress() as (cancel, report):
            shown = recaller.recollect(request, cancel, report)
    return _answered(shown, options)


def _in_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def _answered(shown: Round, options: argparse.Namespace) -> int:
    if options.json:
        _print_json(shown.as_wire())
    else:
        _print_round(shown)
        if shown.reached is not None and shown.reached.round is not None:
            _print_round(shown.reached.round)
    return DONE if shown.outcome in FOUND else NOTHING


def _say(options: argparse.Namespace) -> int:
    with _recaller(options) as recaller, _progress() as (cancel, report):
        shown = recaller.say(" ".join(options.words), options.recall, cancel, report)
    return _answered(shown, options)


def _recalls(options: argparse.Namespace) -> int:
    from anamnesis_lsp import terminal

    with _recaller(options) as recaller:
        if options.json:
            _print_json(recaller.recalls())
        else:
            for line in terminal.listed(recaller):
                print(line)
    return DONE


def _export(options: argparse.Namespace) -> int:
    with _recaller(options) as recaller:
        if options.form == "json":
            _print_json(recaller.export(options.recall))
        else:
            sys.stdout.write(recaller.copy_context(options.recall, options.form))
    return DONE


def _forget(options: argparse.Namespace) -> int:
    with _recaller(options) as recaller:
        named = None if options.all or options.older is not None else options.recall
        count = recaller.forget(named, options.older)
    print(f"Forgotten: {count} recall{'s' if count != 1 else ''}.")
    return DONE


def _request(options: argparse.Namespace, *, bare: bool) -> RecollectRequest:
    """What was asked. ``bare``: nothing at all may be asked, the first round is then the open question."""
    from anamnesis_lsp.recall.recaller import RecollectRequest

    cue, rev, recall = options.cue, options.rev, options.recall
    fresh = recall is None
    if options.where is None:
        if (cue is None or not cue.strip()) and not bare and recall is None:
            raise _bad("Neither lines nor a cue were given.", "Give PATH:START-END, or --cue TEXT, or both.")
        return RecollectRequest(cue=cue, rev=rev, recall=recall, fresh=fresh)
    path, lines = split_range(options.where)
    if options.cell is not None:
        lines = _cell_lines(Path(path), options, lines)
    return RecollectRequest(path=Path(path), lines=lines, cue=cue, rev=rev, recall=recall, fresh=fresh)


def _cell_lines(path: Path, options: argparse.Namespace, lines: tuple[int, int]) -> tuple[int, int]:
    """Lines of a notebook's cell as lines of its file, as it lies on disk or is at the revision asked about."""
    from anamnesis_lsp.history import cell_of
    from anamnesis_lsp.records.git import Repository
    from anamnesis_lsp.records.git.notebook import file_lines

    cancel = CancelToken()
    repository = Repository.discover(path, cancel)
    inside = repository.relative(Path.cwd() / path)
    if options.rev is None:
        text = repository.work_text(inside)
    else:
        text = repository.text(repository.resolve(options.rev, cancel), inside, cancel)
    return file_lines(text, cell_of(options.cell), lines)


def split_range(where: str) -> tuple[str, tuple[int, int]]:
    """``PATH:START-END`` or ``PATH:LINE`` taken apart. Raises ``badRequest`` where there are no lines."""
    match = _RANGE.fullmatch(where)
    if match is None:
        raise _bad(f"'{where[:200]}' names no lines.", "Write it as PATH:START-END, for example src/app.py:10-14.")
    start = int(match["start"])
    return match["path"], (start, int(match["end"] or start))


def _recollect_batch(options: argparse.Namespace) -> int:
    if options.where is not None:
        raise _bad("--batch takes its lines from FILE.", "Leave out PATH:START-END.")
    with _recaller(options, keep=False) as recaller, _progress() as (cancel, report):
        try:
            recaller.refresh(cancel, report)
        except AnamnesisError:
            pass  # each question tells it for itself
        for line in _lines(options.batch):
            _print_json(_answer(recaller, line, options, cancel))
            sys.stdout.flush()
    return DONE


def _answer(recaller: Recaller, line: str, options: argparse.Namespace, cancel: CancelToken) -> dict[str, Any]:
    try:
        request = _batch_request(line, options)
        shown = recaller.recollect(request, cancel)
        recaller.forget(None)  # each line is a question by itself: none continues another's recall
        return shown.as_wire()
    except AnamnesisError as error:
        return {"error": error.as_wire()}
    except Exception as error:
        if os.environ.get("ANAMNESIS_DEBUG"):
            raise
        return {"error": (of_system(error) or _internal(error)).as_wire()}


def _batch_request(line: str, options: argparse.Namespace) -> RecollectRequest:
    from anamnesis_lsp.recall.recaller import RecollectRequest

    try:
        asked: object = json.loads(line)
    except (ValueError, RecursionError):
        raise _bad("The line is no JSON.", "Give one JSON object per line.") from None
    if not isinstance(asked, dict):
        raise _bad("The line is no JSON object.", "Give one JSON object per line.")
    fields = cast("dict[str, object]", asked)
    path, cue, rev = (fields.get(name) for name in ("path", "cue", "rev"))
    start, end = fields.get("start_line"), fields.get("end_line")
    if not all(value is None or isinstance(value, str) for value in (path, cue, rev)):
        raise _bad("path, cue and rev are texts.", "Give them as JSON strings, or leave them out.")
    if path is None:
        if not cue:
            raise _bad("Neither path nor cue was given.", "Give a path with start_line and end_line, or a cue.")
        return RecollectRequest(cue=str(cue), rev=cast("str | None", rev), fresh=True)
    if not (_is_int(start) and (end is None or _is_int(end))):
        raise _bad("start_line and end_line are numbers.", "Give 1-based lines, inclusive.")
    first = cast("int", start)
    lines = (first, first if end is None else cast("int", end))
    asked_at = cast("str | None", rev) or options.rev
    return RecollectRequest(path=Path(str(path)), lines=lines, cue=cast("str | None", cue), rev=asked_at, fresh=True)


def _is_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _lines(name: str) -> Iterator[str]:
    if name == "-":
        yield from (line for line in sys.stdin if line.strip())
        return
    try:
        with Path(name).open(encoding="utf-8", errors="replace") as file:
            yield from (line for line in file if line.strip())
    except OSError as error:
        raise _bad(f"{name} cannot be read: {error.strerror}.", "Give a file with one request per line.") from error


# ── other commands ──────────────────────────────────────────────────────────────────────────────────────────────────


def _serve(options: argparse.Namespace) -> int:
    del options
    from anamnesis_lsp.server import serve

    return serve()


def _open(options: argparse.Namespace) -> int:
    with _recaller(options) as recaller, _progress() as (cancel, _):
        target = recaller.open(options.locator, cancel)
        document = recaller.document(options.locator, cancel)
    if options.json:
        _print_json({"uri": target.uri, "lines": target.lines, "text": document.text})
    elif document.language_id == "markdown":
        _print_markdown(document.text)
    else:
        print(document.text, end="")
    return DONE


def _stores(options: argparse.Namespace) -> int:
    with _recaller(options) as recaller, _progress() as (cancel, report):
        recaller.refresh(cancel, report)
        if options.json:
            _print_json(recaller.stores(cancel))
            return DONE
        lines = recaller.stores_table(cancel)
    for line in lines:
        print(line)
    return DONE


def _shown(text: str) -> str:
    from anamnesis_lsp.present import escape

    return escape.terminal(text)


def _index(options: argparse.Namespace) -> int:
    from anamnesis_lsp.index import Catalog

    unread = 0
    if options.rebuild or options.refresh:
        with _recaller(options) as recaller, _progress() as (cancel, report):
            if options.rebuild:
                recaller.reindex(None, cancel, report)
            else:
                unread = recaller.refresh(cancel, report)
    catalog = Catalog.open()
    try:
        if options.forget is not None:
            removed = _forget_read(catalog, options.forget)
            if not options.json:
                print(f"{removed:,} {'record' if removed == 1 else 'records'} removed.")
        status = catalog.status()
    finally:
        catalog.close()
    if options.json:
        stores = [
            {
                "kind": s.store.runtime,
                "root": str(s.store.root),
                "state": s.state,
                "records": s.records,
                "bytes": s.bytes,
            }
            for s in status.stores
        ]
        whole = {"path": str(status.path), "bytes": status.bytes, "records": status.records, "writing": status.writing}
        whole["unread"] = unread
        _print_json({**whole, "passages": status.passages, "lines": status.lines, "stores": stores})
        return DONE
    print(f"{_shown(str(status.path))}: {status.records:,} records, {status.bytes / 1e6:.1f} MB")
    print(f"  {status.passages:,} passages and {status.lines:,} written lines can be looked up")
    if status.writing:
        print("  it is being written now, by this or another program")
    if unread:
        print(f"  {unread:,} {'record is' if unread == 1 else 'records are'} not in it yet")
    for note in status.notes:
        print(f"  {_shown(note)}")
    for one in status.stores:
        read = f"{one.state:10} {one.records:>7,} records {one.bytes / 1e6:>10,.1f} MB"
        print(f"  {one.store.runtime:14} {read}  {_shown(str(one.store.root))}")
    return DONE


def _forget_read(catalog: Catalog, what: str) -> int:
    """Remove what was read of ``KIND``, or of the store ``KIND:PATH``, or of one session ``KIND:PATH#ID``."""
    kind, _, path = what.partition(":")
    stores = [status.store for status in catalog.status().stores if status.store.runtime == kind]
    identity: str | None = None
    chosen = [store for store in stores if not path or store.root == Path(path).resolve()]
    if not chosen and "#" in path:
        path, _, identity = path.partition("#")
        chosen = [store for store in stores if store.root == Path(path).resolve()]
    if not chosen:
        raise _bad(f"The index has nothing of {what[:200]}.", "Run 'anamnesis-lsp index' to see what it has.")
    removed = [catalog.forget(store, None if identity is None else [identity]) for store in chosen]
    if None in removed:
        raise AnamnesisError(
            ErrorCode.STORE_BUSY, "Another program is writing the index.", "Try again when it is done, or end it."
        )
    if identity is not None and not sum(filter(None, removed)):
        raise _bad(f"The index has no conversation {identity[:100]} there.", "Give the id as a story names it.")
    return sum(filter(None, removed))


def _history(options: argparse.Namespace) -> int:
    from anamnesis_lsp import history
    from anamnesis_lsp.records.git.history import report

    with _progress() as (cancel, _):
        if options.batch is not None:
            for answer in report.batch_objects(list(_lines(options.batch)), Path.cwd(), cancel):
                _print_json(answer)
                sys.stdout.flush()
            return DONE
        if options.where is None:
            raise _bad("No lines were given.", "Give PATH:START-END, PATH, or --batch FILE.")
        if _RANGE.fullmatch(options.where) is None:
            return _told(history.file_steps(options.where, options.rev, cancel), options)
        name, lines = split_range(options.where)
        where = history.of_lines(name, lines, options.rev, options.cell, cancel)
        repository, commit, inside, lines = where
        if options.json:
            _print_json(report.history_object(repository, commit, inside, *lines, cancel))
            return DONE
        for block in history.line_steps(repository, commit, inside, lines, cancel):
            print(block)
    return DONE


def _search(options: argparse.Namespace) -> int:
    from anamnesis_lsp import history

    kinds = ("message", "author", "content", "lines", "id")
    kind = next(name for name in kinds if getattr(options, name) is not None)
    with _progress() as (cancel, _):
        found = history.sought(
            kind, getattr(options, kind), options.paths, options.rev, cancel, options.limit,
            everywhere=options.everywhere, all_refs=options.all,
        )  # fmt: skip
        return _told(found, options)


def _told(entries: Iterator[dict[str, Any]], options: argparse.Namespace) -> int:
    """Print commits as they come; 1 where there are none."""
    from anamnesis_lsp import history

    any_found = False
    for entry in entries:
        any_found = True
        if options.json:
            _print_json(entry)
        else:
            print(history.as_text(entry))
        sys.stdout.flush()
    return DONE if any_found else NOTHING


def _read_turns(options: argparse.Namespace) -> int:
    from anamnesis_lsp.readings.answers import read_turns_lines

    for line in read_turns_lines(_lines(options.file)):
        print(line, flush=True)
    return DONE


def _demo(options: argparse.Namespace) -> int:
    from anamnesis_lsp import demo

    return demo.run(Path(options.keep) if options.keep else None, _print_round)


def _doctor(options: argparse.Namespace) -> int:
    from anamnesis_lsp.records.git.discovery import find_place
    from anamnesis_lsp.records.git.process import find_git

    checks: list[dict[str, Any]] = []
    try:
        git = find_git(outside=(find_place(Path.cwd()) or Path.cwd(),))
        checks.append({"what": "git", "ok": True, "said": f"{git.path}"})
    except AnamnesisError as error:
        checks.append({"what": "git", "ok": False, "said": f"{error.message} {error.remedy}"})
    with _recaller(options) as recaller, _progress() as (cancel, _):
        for store in recaller.stores(cancel):
            if store["state"] != "absent":
                checks.append(
                    {"what": f"{store['kind']} in {store['root']}", "ok": store["state"] != "unreadable",
                     "said": f"{store['state']}{'; ' + store['note'] if store['note'] else ''}"}
                )  # fmt: skip
    if options.json:
        _print_json(checks)
    else:
        for check in checks:
            print(f"{'ok ' if check['ok'] else 'BAD'} {_shown(check['what'])}: {_shown(check['said'])}")
    return DONE if all(check["ok"] for check in checks) else NOTHING


# ── what the commands share ─────────────────────────────────────────────────────────────────────────────────────────


def _bad(message: str, remedy: str) -> AnamnesisError:
    return AnamnesisError(ErrorCode.BAD_REQUEST, message, remedy)


def _internal(error: Exception) -> AnamnesisError:
    """A fault of ours. Its text may hold text of a record, so only its kind is told."""
    return AnamnesisError(
        ErrorCode.INTERNAL,
        f"Something went wrong inside ({type(error).__name__}).",
        "Please report it; ANAMNESIS_DEBUG=1 shows where it happened.",
    )


@contextmanager
def _recaller(options: argparse.Namespace, *, keep: bool = True) -> Generator[Recaller, None, None]:
    from anamnesis_lsp.recall.recaller import Recaller, RecallSettings

    given: list[str] = getattr(options, "store", None) or []
    stores = tuple(_store(text) for text in given) if given else None
    contract = "recollect" if getattr(options, "contract", None) == "recollect" else "anamnesis"
    # One more than the processors: each waits now and then. The server reads in its own time, and alone.
    cores = os.cpu_count() or 1
    processes = cores + 1 if cores > 1 else 0
    settings = RecallSettings(contract=contract, stores=stores, keep=keep, reading_processes=processes)
    recaller = Recaller(settings, [Path.cwd()])
    try:
        yield recaller
    finally:
        for note in recaller.notes:
            print(f"anamnesis-lsp: {_shown(note)}", file=sys.stderr)
        recaller.close()


def _store(text: str) -> Store:
    from anamnesis_lsp.records.conversations.registry import RUNTIMES
    from anamnesis_lsp.records.conversations.stores import Store

    kind, mark, path = text.partition(":")
    known = [*RUNTIMES, "decisions", "beads"]
    if not mark or not path or kind not in known:
        raise AnamnesisError(
            ErrorCode.STORE_UNKNOWN,
            f"--store {text[:200]} names no store.",
            f"Write it as KIND:PATH, with KIND one of {', '.join(known)}.",
        )
    store = Store.at(kind, Path(path))
    if not store.root.exists():
        raise AnamnesisError(
            ErrorCode.STORE_UNREADABLE, f"There is nothing at {path}.", "Give the path of a store that exists."
        )
    return store


@contextmanager
def _progress() -> Generator[tuple[CancelToken, Progress], None, None]:
    cancel = CancelToken()
    if not sys.stderr.isatty():
        yield cancel, _waits_told_once()
        return
    width = 0

    def report(message: str, percent: int | None = None) -> None:
        nonlocal width
        text = message if percent is None else f"{message} {percent} %"
        sys.stderr.write(f"\r{text:<{width}}")
        sys.stderr.flush()
        width = max(width, len(text))

    try:
        yield cancel, report
    finally:
        if width:
            sys.stderr.write(f"\r{'':<{width}}\r")
            sys.stderr.flush()


def _waits_told_once() -> Progress:
    """Silence, but for what else would look like a program that hangs."""
    from anamnesis_lsp.readings.reachable import WAITING

    told = False

    def report(message: str, percent: int | None = None) -> None:
        nonlocal told
        if not told and message.startswith(WAITING):
            told = True
            print(f"anamnesis-lsp: {message}", file=sys.stderr, flush=True)

    return report


def _print_json(value: object) -> None:
    sys.stdout.write(json.dumps(value, ensure_ascii=True) + "\n")


def _print_round(shown: Round) -> None:
    from anamnesis_lsp.present.markdown import render_round_plain

    text = render_round_plain(shown)
    if not sys.stdout.isatty():
        print(text)
        return
    from rich.console import Console

    from anamnesis_lsp.present.terminal import styled

    Console(highlight=False).print(styled(text))


def _print_markdown(text: str) -> None:
    if not sys.stdout.isatty():
        print(text)
        return
    from rich.console import Console
    from rich.markdown import Markdown

    Console().print(Markdown(text, hyperlinks=False))


def _complain(error: AnamnesisError) -> None:
    print(f"anamnesis-lsp: {_shown(error.message)} {_shown(error.remedy)}", file=sys.stderr)
