"""Finds the blocks of a text without a grammar: functions and the named scopes around them.

Three rules, one per family: braces (one pass over strings, comments and the signs ``{ } ;``), Python (``def`` and
``class`` by indentation, triple quotes known) and plain indentation (a header, deeper lines, a closing word). On Java
and Python the spans are those of a real parser in 99 to 100 % of functions, in Rust, C, Go and JavaScript in about 90
or more.

A block has a *core* (from the header's first word to its end) and a *top* (documentation and annotations above the
header). What identifies it inside a file is ``(scope, name, parameters)``.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property, lru_cache

from .families import Family
from .tokens import similarity, tokens

Identity = tuple[tuple[str, ...], str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Block:
    """One block. Lines are 1-based and inclusive."""

    name: str
    scope: tuple[str, ...]
    """Names of the blocks around it, outermost first."""
    parameters: tuple[str, ...]
    """Tokens between the header's parentheses."""
    is_function: bool
    start: int
    end: int
    top: int
    """First line of the documentation and annotations above, ``start`` when there are none."""
    body: int
    """First line after the header."""

    @property
    def identity(self) -> Identity:
        """What tells it from the other blocks of its file."""
        return (self.scope, self.name, self.parameters)


class Scan:
    """The blocks of one text, with their texts and tokens on demand."""

    def __init__(self, text: str, family: Family) -> None:
        self.family = family
        self.lines = text.split("\n")
        self.blocks: tuple[Block, ...] = tuple(_RULES[family](text))
        self._alike: dict[tuple[Block, tuple[str, ...]], float] = {}

    @cached_property
    def by_identity(self) -> dict[Identity, list[Block]]:
        """Blocks by identity, each list in order of appearance (more than one: conditional compilation, broken
        text)."""
        found: dict[Identity, list[Block]] = defaultdict(list)
        for block in self.blocks:
            found[block.identity].append(block)
        return dict(found)

    @cached_property
    def by_name(self) -> dict[str, list[Block]]:
        """Blocks by name, in order of appearance."""
        found: dict[str, list[Block]] = defaultdict(list)
        for block in self.blocks:
            found[block.name].append(block)
        return dict(found)

    def text(self, block: Block) -> str:
        """The core of the block: header to end, trailing blanks and CR dropped."""
        return span_text(self.lines, block.start, block.end)

    def code(self, block: Block) -> tuple[str, ...]:
        """Code tokens of the core."""
        return tokens(self.text(block), self.family).code

    def likeness(self, block: Block, code: tuple[str, ...]) -> float:
        """How alike the block and these code tokens are, 0 to 1."""
        key = (block, code)
        if key not in self._alike:
            self._alike[key] = similarity(self.code(block), code)
        return self._alike[key]

    def around(self, start: int, end: int) -> Block | None:
        """The smallest block whose lines, top included, hold the whole range."""
        holding = [b for b in self.blocks if b.top <= start and end <= b.end]
        return min(holding, key=lambda b: b.end - b.top, default=None)

    def at(self, start: int, end: int) -> Block | None:
        """The block with exactly this core, else the function that shares an edge with it and most of its lines."""
        near: tuple[float, Block | None] = (0.0, None)
        for block in self.blocks:
            if block.start == start and block.end == end:
                return block
            if block.start == start or block.end == end:
                shared = min(end, block.end) - max(start, block.start) + 1
                share = shared / (max(end, block.end) - min(start, block.start) + 1)
                near = max(near, (share, block), key=lambda pair: pair[0])
        return near[1] if near[0] >= 0.5 else None


@lru_cache(maxsize=64)
def scan(text: str, family: Family) -> Scan:
    """The scan of ``text``, kept for the texts seen last. ``\\n`` line ends; never fails."""
    return Scan(text, family)


def span_text(lines: list[str], start: int, end: int) -> str:
    """Lines ``start`` to ``end`` (1-based, inclusive) without trailing blanks, joined by ``\\n``."""
    return "\n".join(line.rstrip() for line in lines[start - 1 : end])


def is_one_block(lines: list[str], start: int, body: int, end: int, family: Family) -> bool:
    """Whether lines ``start`` to ``end``, with the header's end before ``body``, are one block and no more: its
    braces close on its last line and not before, or every line of the body is deeper than the header."""
    if family is Family.BRACES:
        text = "\n".join(lines[start - 1 : end])
        last_line = text.rfind("\n")
        depth = 0
        for token in _BRACE_SIGNS.finditer(text):
            if token.lastgroup != "sign" or token.group() == ";":
                continue
            depth += 1 if token.group() == "{" else -1
            if depth == 0:
                return token.start() > last_line
        return False
    base = _depth(lines[start - 1])
    return all(_depth(line) > base for line in lines[body - 1 : end - (family is Family.INDENTED)] if line.strip())


def _depth(line: str) -> int:
    flat = line.expandtabs(8)
    return len(flat) - len(flat.lstrip())


NEARLY = 0.8


def whole_block(found: Scan, start: int, end: int) -> tuple[Block, bool] | None:
    """The block that a selection *is*, and whether its documentation is part of it; ``None`` for any other selection.

    A selection is a block when it holds at least 80 % of the non-blank lines of the block's core, or of its core and
    top, and nothing outside of it but blanks, closing signs and comments as deep as its body. Anything less, and
    anything more, is followed line by line.
    """
    best: tuple[float, Block, bool] | None = None
    for block in found.blocks:
        if block.end < start or block.top > end:
            continue
        depth = _depth(found.lines[block.start - 1])
        outside = [*found.lines[start - 1 : block.top - 1], *found.lines[block.end : end]]
        if any(_says_something(line, depth) for line in outside):
            continue
        for first, with_top in ((block.start, False), (block.top, True)):
            shared = _full(found.lines, max(first, start), min(block.end, end))
            joint = _full(found.lines, min(first, start), max(block.end, end))
            share = shared / joint if joint else 0.0
            if best is None or share > best[0]:
                best = (share, block, with_top and block.top < block.start)
    return (best[1], best[2]) if best is not None and best[0] >= NEARLY else None


def _says_something(line: str, depth: int) -> bool:
    """Whether a line outside a block makes a selection more than the block; a comment that is deeper than its header
    does not."""
    body = line.strip()
    if not any(map(str.isalnum, body)):
        return False
    return not (body.startswith(("#", "//", "/*", "*", "--")) and _depth(line) > depth)


def _full(lines: list[str], start: int, end: int) -> int:
    return sum(1 for line in lines[start - 1 : end] if line.strip())


# --- braces -----------------------------------------------------------------------------------------------------------

_BRACE_SIGNS = re.compile(
    r"""
    (?P<comment>//[^\n]*|/\*.*?(?:\*/|\Z))
  | (?P<macro>^[ \t]*\#[ \t]*
      (?:if|ifdef|ifndef|elif|else|endif|define|include|undef|pragma|error|warning|region|endregion)\b
      (?:\\\r?\n|[^\n])*)
  | (?P<string>\"\"\"(?:\\.|[^\\])*?(?:\"\"\"|\Z)
      |"(?:\\.|[^"\\\n])*"|'(?:\\(?:.[^'\n]{0,12})|[^'\\\n])'|`(?:\\.|[^`\\])*`
      |(?<![\w)\]])'(?:\\.|[^'\\\n<>&,(){};])*'
      |(?:(?<=[=(,:;!&|?\[{}])|(?<=return))[ \t]*/(?![*/=])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])+/[a-z]*)
  | (?P<sign>[{};])
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
_CONTROL_WORDS = """
if for while switch catch synchronized do else try return new throw case foreach using lock with when match unless until
elseif sizeof typeof assert await yield defer select loop guard repeat fixed checked unchecked super this
"""
_CONTROL = frozenset(_CONTROL_WORDS.split())
_ANNOTATION = re.compile(
    r"\s*(?:@(?!interface\b)[\w.$]+(?:\s*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))?|\#!?\[(?:[^\[\]]|\[[^\[\]]*\])*\]|\[(?:[^\[\]]|\[[^\[\]]*\])*\](?=\s*[\w\[]))"
)
_LABEL = re.compile(r"\s*(?:public|private|protected|signals|default|case\b[^:]*|public\s+slots)\s*:(?!:)")
_CALLED = re.compile(
    r"(?P<name>(?:operator\s*(?:\(\)|[^\s\w(]+)|~?[^\W\d][\w$]*[!?]?)(?:::~?[\w$]+)*)\s*(?:<[^<>()]*(?:<[^<>()]*>[^<>()]*)*>\s*|\[[^\[\]()]*\]\s*)?\("
)
_GO = re.compile(r"\bfunc\s*(?P<receiver>\([^()]*\))\s*(?P<name>\w+)\s*(?:\[[^\]]*\]\s*)?\(")
_ARROW = re.compile(
    r"(?P<name>[^\W\d][\w$]*)\s*(?::[^=]*)?[=:]\s*(?:async\s*)?(?:function\b\s*\*?\s*\w*\s*)?(?P<open>\()?(?=.*(?:=>\s*$|function\b))",
    re.DOTALL,
)
_SCOPE = re.compile(
    r"\b(?P<word>class|interface|enum|struct|union|trait|impl|namespace|module|record|object|extension|protocol|contract|mod|package)\b"
    r"(?:\s*<[^{}]*?>)?\s*(?P<name>[^\s{(:;,]*[^\s{(:;,<]?)"
)
_SCOPE_WORD = re.compile(
    r"class|interface|enum|struct|union|trait|impl|namespace|module|record|object|extension|protocol|contract|mod|package|=>|function"
)
_FIRST_WORD = re.compile(r"\s*(\w+)")
_ANONYMOUS = re.compile(r"\bnew\s+([\w.$]+)")
_WORDS = re.compile(r"\w+|[^\w\s]")


@dataclass(slots=True)
class _Open:
    named: str | None
    header: tuple[str, tuple[str, ...], bool, int, int] | None
    """name, parameters, is function, offset of the core, offset of the top."""
    scope: tuple[str, ...]
    at: int
    """Offset of the brace."""
    resume: int | None = None
    """Where the header goes on when this was only a literal inside it."""


def _braces(text: str) -> list[Block]:
    newlines = [i for i, c in enumerate(text) if c == "\n"] if len(text) < 2000 else _newlines(text)
    found: list[Block] = []
    stack: list[_Open] = []
    begin = 0
    asides: list[tuple[int, int]] = []
    for token in _BRACE_SIGNS.finditer(text):
        group = token.lastgroup
        if group == "string":
            continue
        if group in ("comment", "macro"):
            asides.append(token.span())
            if group == "macro" and not text[begin : token.start()].strip():
                begin = token.end()
            continue
        sign, place = token.group(), token.start()
        if sign == "{":
            scope = _inner(stack)
            before = text[begin:place].rstrip()
            literal = before.endswith(("(", ",", "=", "[")) and not before.endswith("=>")
            header = None if literal else _header(text, begin, place, asides)
            named = header[0] if header is not None else None
            stack.append(_Open(named, header, scope, place, begin if literal else None))
            begin = token.end()
            if not literal:
                asides = []
        elif sign == "}":
            if stack:
                closed = stack.pop()
                if closed.header is not None:
                    name, parameters, is_function, core, top = closed.header
                    if name and name[0] != "<":
                        start, end = bisect_right(newlines, core - 1) + 1, bisect_right(newlines, place - 1) + 1
                        top_line = bisect_right(newlines, top - 1) + 1
                        body = bisect_right(newlines, closed.at) + 2
                        found.append(Block(name, closed.scope, parameters, is_function, start, end, top_line, body))
                if closed.resume is not None and ";" not in text[begin:place]:
                    begin = closed.resume
                    continue
            begin = token.end()
            asides = []
        else:
            if stack and stack[-1].resume is not None:
                stack[-1].resume = None
            begin = token.end()
            asides = []
    found.sort(key=lambda b: (b.start, -b.end))
    return found


def _newlines(text: str) -> list[int]:
    places: list[int] = []
    at = text.find("\n")
    while at >= 0:
        places.append(at)
        at = text.find("\n", at + 1)
    return places


def _inner(stack: list[_Open]) -> tuple[str, ...]:
    if not stack:
        return ()
    top = stack[-1]
    return (*top.scope, top.named) if top.named else top.scope


def _header(
    text: str, begin: int, end: int, asides: list[tuple[int, int]]
) -> tuple[str, tuple[str, ...], bool, int, int] | None:
    if end - begin > 20_000:
        return None
    raw = text[begin:end]
    if "(" not in raw and _SCOPE_WORD.search(raw) is None:
        return None
    opening = _FIRST_WORD.match(raw)
    if opening is not None and opening[1] in _CONTROL:
        return None
    first_aside = None
    for start, stop in asides:
        if start >= begin:
            raw = raw[: start - begin] + re.sub(r"[^\n]", " ", text[start:stop]) + raw[stop - begin :]
            first_aside = start if first_aside is None else first_aside
    core = 0
    label = _LABEL.match(raw)
    if label is not None:
        core = label.end()
    top = begin + core + (len(raw[core:]) - len(raw[core:].lstrip()))
    while (note := _ANNOTATION.match(raw, core)) is not None:
        core = note.end()
    header = raw[core:]
    blank = len(header) - len(header.lstrip())
    header = header.strip()
    core_at = begin + core + blank
    top = min(top, core_at)
    if first_aside is not None and first_aside < core_at:
        top = _document_top(text, asides, begin, top)
    if not header:
        return None
    named = _name(header)
    if named is None:
        return None
    name, parameters, is_function = named
    return name, parameters, is_function, core_at, top


def _document_top(text: str, asides: list[tuple[int, int]], begin: int, top: int) -> int:
    """The first of the comments that stand directly above, without a blank line between or code before them on their
    line."""
    for start, stop in reversed(asides):
        if start < begin or stop > top:
            continue
        if text[stop:top].count("\n") > 1 or text[stop:top].strip():
            break
        line_start = text.rfind("\n", 0, start) + 1
        if text[line_start:start].strip():
            break
        top = start
    return top


def _name(header: str) -> tuple[str, tuple[str, ...], bool] | None:
    called = _CALLED.search(header)
    go = _GO.search(header)
    if go is not None:
        parameters = _between(header, go.end() - 1)
        receiver = _WORDS.findall(go["receiver"])
        return (go["name"], (*receiver[-2:-1], *parameters), True) if parameters is not None else None
    word = _SCOPE.search(header)
    if word is not None and (called is None or word.start() < called.start()):
        returns_struct = (
            word["word"] in ("struct", "union", "enum") and called is not None and called.start() > word.end()
        )
        before = header[: word.start()]
        if not returns_struct and "=" not in before and "." not in before[-1:]:
            name = word["name"] or word["word"]
            if word["word"] == "impl":
                name = " ".join(header[word.start() :].split())
            return (name, (), False)
    if header.endswith("=>") or re.search(r"=\s*(?:async\s+)?function\b|:\s*(?:async\s+)?function\b", header):
        arrow = _ARROW.search(header)
        if arrow is not None and arrow["name"] not in _CONTROL:
            parameters = _between(header, arrow.start("open")) if arrow["open"] else ()
            return (arrow["name"], parameters or (), True)
        return None
    if called is None:
        return None
    name = called["name"]
    before = header[: called.start()].rstrip()
    if name in _CONTROL or before.endswith((".", "->")) or re.search(r"(?:^|\s)(?:return|throw|await|yield)$", before):
        return None
    if (
        before.endswith("new")
        or re.search(r"\bnew\s+[\w.$<>,\s]*$", before)
        or ("=" in before and "operator" not in before)
    ):
        created = _ANONYMOUS.search(header)
        return (f"<{created[1]}>", (), False) if created is not None else None
    parameters = _between(header, called.end() - 1)
    if parameters is None:  # a call that is still open: a class without a name, or a function handed in
        created = _ANONYMOUS.search(header)
        return (f"<{created[1]}>", (), False) if created is not None else None
    return (name, parameters, True)


def _between(header: str, at: int) -> tuple[str, ...] | None:
    """Tokens between the parenthesis at ``at`` and the one that closes it; ``None`` when it stays open."""
    depth = 0
    for place in range(at, len(header)):
        if header[place] == "(":
            depth += 1
        elif header[place] == ")":
            depth -= 1
            if depth == 0:
                return tuple(_WORDS.findall(header[at + 1 : place]))
    return None


# --- Python -----------------------------------------------------------------------------------------------------------

_PYTHON_ASIDES = re.compile(
    r'"""(?:\\.|[^\\])*?(?:"""|\Z)|\'\'\'(?:\\.|[^\\])*?(?:\'\'\'|\Z)|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|\#[^\n]*',
    re.DOTALL,
)
_NOT_BREAK = re.compile(r"[^\n]")
_DEF = re.compile(
    r"^(?P<indent>[ \t]*)(?:async[ \t]+)?(?P<word>def|class|cdef class|cpdef|cdef)[ \t]+(?P<name>\w+)", re.MULTILINE
)


def _python(text: str) -> list[Block]:
    masked = _PYTHON_ASIDES.sub(_mask, text)
    lines = masked.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    in_string: set[int] = set()
    for quoted in _PYTHON_ASIDES.finditer(text):
        if quoted.group()[0] != "#" and "\n" in quoted.group():
            first, last = bisect_right(starts, quoted.start()), bisect_right(starts, quoted.end() - 1)
            in_string.update(range(first, last))
    heads: dict[int, re.Match[str]] = {bisect_right(starts, m.start("name")) - 1: m for m in _DEF.finditer(masked)}
    found: list[Block] = []
    stack: list[tuple[int, str, tuple[str, ...], bool, int, int, int, tuple[str, ...]]] = []
    last_full = -1
    skip_to = -1

    def close(indent: int) -> None:
        while stack and stack[-1][0] >= indent:
            _, name, parameters, is_function, start, top, body, scope = stack.pop()
            found.append(Block(name, scope, parameters, is_function, start + 1, last_full + 1, top + 1, body + 1))

    for number, line in enumerate(lines):
        body = line.strip()
        if not body:
            continue
        if number < skip_to or number in in_string:
            last_full = number
            continue
        indent = len(line.expandtabs(8)) - len(line.expandtabs(8).lstrip())
        head = heads.get(number)
        if body[0] not in ")]}":
            close(indent)
        last_full = number
        if head is None:
            continue
        parameters: tuple[str, ...] = ()
        first_of_body = number + 1
        after = masked.find("(", head.end())
        if after >= 0 and not masked[head.end() : after].strip():
            shut = _shut(masked, after)
            if shut is not None:
                parameters = tuple(_WORDS.findall(text[after + 1 : shut]))
                skip_to = first_of_body = bisect_right(starts, shut)
        is_function = head["word"] != "class" and head["word"] != "cdef class"
        top = _python_top(lines, text, starts, number, indent)
        scope = tuple(entry[1] for entry in stack)
        stack.append(
            (indent, head["name"], parameters if is_function else (), is_function, number, top, first_of_body, scope)
        )
    close(0)
    found.sort(key=lambda b: (b.start, -b.end))
    return found


def _mask(found: re.Match[str]) -> str:
    text = found.group()
    if text[0] == "#":
        return " " * len(text)
    quote = 3 if text[:3] in ('"""', "'''") else 1
    if len(text) < 2 * quote:
        return _NOT_BREAK.sub(" ", text)
    return text[:quote] + _NOT_BREAK.sub("~", text[quote:-quote]) + text[-quote:]


def _shut(masked: str, at: int) -> int | None:
    depth = 0
    for place in range(at, min(len(masked), at + 20_000)):
        if masked[place] in "([{":
            depth += 1
        elif masked[place] in ")]}":
            depth -= 1
            if depth == 0:
                return place
    return None


def _python_top(lines: list[str], text: str, starts: list[int], number: int, indent: int) -> int:
    """First of the decorators and comments directly above line ``number`` (0-based)."""
    top = number
    open_to = False
    for above in range(number - 1, max(-1, number - 60), -1):
        raw = text[starts[above] : starts[above + 1] - 1]
        body = raw.strip()
        if body.startswith("@"):
            top, open_to = above, False
        elif body.startswith("#") and not open_to and len(raw) - len(raw.lstrip()) == indent:
            top = above
        elif body and (body[0] in ")]}" or open_to or len(raw) - len(raw.lstrip()) > indent):
            open_to = True  # inside the arguments of a decorator, as long as an "@" comes
        else:
            break
    return top


# --- plain indentation ------------------------------------------------------------------------------------------------

_KEYWORD = re.compile(
    r"\b(?:def|defp|defmodule|function!?|func|fn|sub|fun|proc|procedure|method|macro|module|class|task|rule|interface"
    r"|struct|trait)[ \t]+([\w.:!?=]+)"
)
_NAMED = re.compile(r"([^\W\d][\w!?$]*)[ \t]*\(")
_CLOSERS = re.compile(r"(?:[}\])]|end\w*\b|fi\b|done\b|esac\b|END\b|End\b)")
_HEADER_LINES = 24


def _indented(text: str) -> list[Block]:
    lines = text.split("\n")
    indents = [len(line.expandtabs(8)) - len(line.expandtabs(8).lstrip()) if line.strip() else -1 for line in lines]
    found: list[Block] = []
    open_blocks: list[tuple[int, str]] = []
    for number, line in enumerate(lines):
        while open_blocks and number > open_blocks[-1][0]:
            open_blocks.pop()
        named = _indented_name(line) if indents[number] >= 0 else None
        if named is None:
            continue
        name, is_function = named
        last_head = _header_end(lines, number)
        if last_head is None:
            continue
        end = _indented_end(lines, indents, number, last_head)
        if end is None:
            continue
        head = " ".join(row.strip() for row in lines[number : last_head + 1])
        opened = head.find("(")
        parameters = _between(head, opened) if is_function and opened >= 0 else ()
        scope = tuple(entry[1] for entry in open_blocks)
        top = _comment_top(lines, indents, number)
        found.append(Block(name, scope, parameters or (), is_function, number + 1, end + 1, top + 1, last_head + 2))
        open_blocks.append((end, name))
    return found


def _indented_name(line: str) -> tuple[str, bool] | None:
    """The name a header line gives, and whether it is a function's; ``None`` for any other line."""
    body = line.strip()
    if body[0] in "#/*-\"'@{}[]()<;":
        return None
    keyword = _KEYWORD.search(body)
    if keyword is not None and "=" not in body[: keyword.start()] and "(" not in body[: keyword.start()]:
        word = keyword.group().split()[0]
        return keyword[1].rstrip(":"), word not in ("class", "module", "defmodule", "interface", "struct", "trait")
    named = _NAMED.search(body)
    if named is None or named[1] in _CONTROL:
        return None
    before = body[: named.start()].rstrip()
    if before and (
        before[-1] in ".=:+-*/%<(!|&" or before[-1] in "\"'`" or "=" in before or _CONTROL.intersection(before.split())
    ):
        return None
    return named[1], True


def _header_end(lines: list[str], number: int) -> int | None:
    """The line on which the header's parentheses close; ``None`` for a statement."""
    depth = 0
    for at in range(number, min(len(lines), number + _HEADER_LINES)):
        depth += lines[at].count("(") - lines[at].count(")")
        ending = lines[at].rstrip()
        if depth <= 0 and not ending.endswith(","):
            return None if ending.endswith(";") else at
    return None


def _comment_top(lines: list[str], indents: list[int], number: int) -> int:
    top = number
    for above in range(number - 1, max(-1, number - 80), -1):
        body = lines[above].strip()
        if not body or not body.startswith(("#", "//", "/*", "*", "--", "@", ";;", '"')):
            break
        top = above
    return top


def _indented_end(lines: list[str], indents: list[int], number: int, last_head: int) -> int | None:
    """The last line of the block whose header ends at ``last_head``; ``None`` when nothing deeper follows the
    header."""
    base, last, deeper = indents[number], last_head, False
    for below in range(last_head + 1, len(lines)):
        if indents[below] < 0:
            continue
        if indents[below] > base:
            deeper = deeper or lines[below].strip() not in ("{", "begin")
            last = below
            continue
        body = lines[below].strip()
        if not deeper and body in ("{", "begin", "do"):
            last = below
            continue
        if indents[below] == base and _CLOSERS.match(body):
            last = below
        break
    return last if deeper else None


def _none(text: str) -> list[Block]:
    return []


_RULES = {Family.BRACES: _braces, Family.PYTHON: _python, Family.INDENTED: _indented, Family.LINES: _none}
