"""Every command and its arguments."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, NoReturn

from anamnesis_lsp import __version__


class UsageError(Exception):
    """A command line that cannot be read, with what is wrong."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message} (see {self.prog} --help)")


if TYPE_CHECKING:
    _Commands = argparse._SubParsersAction[_Parser]  # pyright: ignore[reportPrivateUsage]


def build() -> argparse.ArgumentParser:
    """The reader of a command line: the options it returns name their ``command``, a module of ``commands/``.

    Raises :class:`UsageError`.
    """
    parser = _Parser(
        prog="anamnesis-lsp",
        description="Why is this code here? Answers from git history, decision records and AI conversations.",
        epilog="Exit codes: 0 done, 1 nothing found or not identified, 2 bad input, 3 refused, 4 internal.",
    )
    parser.add_argument("--version", action="version", version=f"anamnesis-lsp {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", parser_class=_Parser)
    for add in (_recalling, _searched, _history, _program):
        add(commands)
    return parser


def _recalling(commands: _Commands) -> None:
    """Recollect, and what is done with recalls afterwards."""
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
    recollect.set_defaults(command="recollect")

    say = commands.add_parser("say", help='say something to a recall: a correction, more of it, "that\'s it"')
    say.add_argument("words", nargs="+", metavar="WORDS")
    say.add_argument("--recall", metavar="ID", help="the recall it is said to; none: the latest that is held")
    _contract_option(say)
    _store_option(say)
    _json_option(say)
    say.set_defaults(command="say")

    recalls = commands.add_parser("recalls", help="the recalls that are kept")
    _json_option(recalls)
    recalls.set_defaults(command="recalls")

    export = commands.add_parser("export", help="a recall: whole, or what it recalled as text to paste")
    export.add_argument("recall", metavar="RECALL")
    export.add_argument("--as", dest="form", choices=("json", "markdown", "commit", "comment"), default="json")
    export.set_defaults(command="export")

    forget = commands.add_parser("forget", help="remove recalls, and the evidence kept with them")
    which = forget.add_mutually_exclusive_group(required=True)
    which.add_argument("recall", nargs="*", metavar="RECALL", default=[])
    which.add_argument("--all", action="store_true", help="every recall")
    which.add_argument("--older", type=float, metavar="DAYS", help="those that did not change for so many days")
    forget.set_defaults(command="forget")


def _searched(commands: _Commands) -> None:
    """What is searched, and its records."""
    open_ = commands.add_parser("open", help="show the record that a locator names")
    open_.add_argument("locator", metavar="LOCATOR")
    _store_option(open_)
    _json_option(open_)
    open_.set_defaults(command="open")

    stores = commands.add_parser("stores", help="what would be searched here, and its state")
    _store_option(stores)
    _json_option(stores)
    stores.set_defaults(command="stores")

    index = commands.add_parser("index", help="our index of the stores: its state, rebuild it, remove from it")
    what = index.add_mutually_exclusive_group()
    what.add_argument("--status", action="store_true", help="size and stores (the default)")
    what.add_argument("--refresh", action="store_true", help="read what changed")
    what.add_argument("--rebuild", action="store_true", help="read everything again")
    what.add_argument("--forget", metavar="KIND[:PATH[#ID]]", help="remove what was read of a store")
    _store_option(index)
    _json_option(index)
    index.set_defaults(command="index")


def _history(commands: _Commands) -> None:
    """Git alone: histories and searches."""
    history = commands.add_parser("history", help="the changes of a range of lines, or of a file, newest first")
    history.add_argument(
        "where", nargs="?", metavar="PATH[:START-END]", help="1-based lines, inclusive; none: the whole file"
    )
    history.add_argument("--rev", help="from this revision; none: HEAD")
    history.add_argument("--cell", metavar="N|ID", help="the lines are those of this cell of a notebook, from 1")
    history.add_argument("--batch", metavar="FILE", help="one request per line of FILE (- for standard input)")
    _json_option(history)
    history.set_defaults(command="history")

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
    search.set_defaults(command="search")


def _program(commands: _Commands) -> None:
    """The program itself: the server, the example, the doctor."""
    serve = commands.add_parser("serve", help="run the language server on standard input and output")
    serve.add_argument("--stdio", action="store_true", help="accepted for clients that pass it; there is no other way")
    serve.set_defaults(command="serve")

    turns = commands.add_parser("read-turns", help="how a person's turns would be read, one JSON object per line")
    turns.add_argument("file", metavar="FILE.jsonl")
    turns.set_defaults(command="read_turns")

    demo = commands.add_parser("demo", help="the main job on a small example that is made for it")
    demo.add_argument("--keep", metavar="DIR", help="make the example in DIR and leave it there")
    demo.add_argument("--serve", action="store_true", help="make it as a workspace to open in an editor")
    demo.set_defaults(command="demo")

    doctor = commands.add_parser("doctor", help="what is there, what is wrong, and how to mend it")
    _json_option(doctor)
    doctor.set_defaults(command="doctor")


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
