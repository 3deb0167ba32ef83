"""A page under construction: lines, the links on them, and the outline, in Markdown or in plain text.

Links are Markdown reference links with their definitions at the end: the text stays readable in an editor that shows
Markdown as it is written, and a target is named once. The page also knows where each link stands, so that document
links, definitions and the outline are served from the finished :class:`Document` alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from anamnesis_lsp.present import escape

SymbolKind = Literal["page", "section", "record", "turn", "hunk", "file"]


@dataclass(frozen=True, slots=True)
class Anchor:
    """A link on one line of a document. Lines and columns are 0-based; columns count code points."""

    line: int
    start: int
    end: int
    target: str
    """A locator (or the URI of a copy)."""
    note: str
    """What the target is, one line of text that is already safe in Markdown; shown on hover."""


@dataclass(frozen=True, slots=True)
class Symbol:
    """An entry of the outline. Lines are 0-based, ``end_line`` inclusive; ``depth`` 0 is the page itself."""

    name: str
    detail: str
    kind: SymbolKind
    line: int
    end_line: int
    depth: int
    aside: bool = False
    """A section beside the main matter: where a document is long, a client shows it folded."""


@dataclass(frozen=True, slots=True)
class Document:
    """A generated, read-only document. Everything a client asks about it is answered from this value."""

    uri: str
    text: str
    language_id: str
    anchors: tuple[Anchor, ...] = ()
    symbols: tuple[Symbol, ...] = ()
    focus: tuple[int, int] | None = None
    """Lines to show first: 0-based, inclusive."""

    def anchor_at(self, line: int, column: int) -> Anchor | None:
        """The link at a position (code points), its end included."""
        return next((a for a in self.anchors if a.line == line and a.start <= column <= a.end), None)


@dataclass(frozen=True, slots=True)
class OpenTarget:
    """Where a locator leads: a URI and, where the locator names a span, its lines there (1-based, inclusive)."""

    uri: str
    lines: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Style:
    """How text of a record and our own marks are written: one value for Markdown, one for plain text."""

    name: Literal["markdown", "plain"]
    inline: Callable[[str, int], str]
    quoted: Callable[[str, int], str]
    code: Callable[[str, int], str]
    block: Callable[[str, str, int, int], str]

    @property
    def is_markdown(self) -> bool:
        """Whether headings, emphasis and link definitions are written as Markdown."""
        return self.name == "markdown"


def _plain_block(text: str, _info: str, lines: int, width: int) -> str:
    return escape.plain_block(text, lines, width)


MARKDOWN = Style("markdown", escape.inline, escape.quoted, escape.code, escape.block)
PLAIN = Style("plain", escape.plain, escape.quoted_plain, escape.plain, _plain_block)

Target = Callable[[str], str | None]
"""Turns a locator into what a link of this client points at; None drops the link."""


@dataclass(frozen=True, slots=True)
class Ref:
    """A link of ours within a line. ``label`` is our own words or already escaped; it holds no brackets."""

    label: str
    target: str
    note: str = ""
    cite: bool = False
    """A citation, written ``[[n]]`` so that it reads ``[n]`` rendered."""
    at: str = ""
    """Where exactly in the target it points, as a locator: what a jump leads to. The written link is of the target."""
    web: bool = False
    """The target is a web page that we named ourselves, never one that a record names."""


class Page:
    """Collects lines; :meth:`finish` gives the document. ``target`` maps locators for clients that need other links."""

    def __init__(self, style: Style = MARKDOWN, target: Target | None = None) -> None:
        self.style = style
        self._target = target or escape.uri
        self._lines: list[str] = []
        self._anchors: list[Anchor] = []
        self._symbols: list[Symbol] = []
        self._definitions: dict[str, tuple[str, str]] = {}
        self._closing: int | None = None

    @property
    def here(self) -> int:
        """The 0-based number of the next line."""
        return len(self._lines)

    def write(self, *parts: str | Ref) -> None:
        """One line. Strings are ours or already escaped; line ends in them are not allowed."""
        text = ""
        for part in parts:
            if isinstance(part, str):
                text += part
                continue
            text = self._link(text, part)
        assert "\n" not in text
        self._lines.append(text)

    def _link(self, text: str, ref: Ref) -> str:
        href = escape.web(ref.target) if ref.web else self._target(ref.target)
        if not self.style.is_markdown:
            start = len(text)
            text += f"[{ref.label}]" if ref.cite else ref.label
            self._anchor(start, len(text), ref)
            if href is not None:
                self._definitions.setdefault(ref.label, (href, ref.target))
            return text
        if href is None:
            return text + (f"\\[{ref.label}\\]" if ref.cite else ref.label)
        key = self._key(ref, href)
        start = len(text) + (1 if ref.cite else 0)
        end = start + len(ref.label) + 2
        text += f"[[{ref.label}]]" if ref.cite else f"[{ref.label}]" if key == ref.label else f"[{ref.label}][{key}]"
        self._anchor(start, end, ref)
        return text

    def _anchor(self, start: int, end: int, ref: Ref) -> None:
        self._anchors.append(Anchor(self.here, start, end, ref.at or ref.target, ref.note))

    def _key(self, ref: Ref, href: str) -> str:
        key = ref.label
        if not ref.cite and not re.fullmatch(r"[A-Za-z][A-Za-z ’'-]*", key):
            key = f"link {sum(1 for known in self._definitions if known.startswith('link ')) + 1}"
            for known, (_, target) in self._definitions.items():
                if target == ref.target and known.startswith("link "):
                    key = known
        known = self._definitions.get(key)
        if known is not None and known[1] != ref.target:
            key = f"link {len(self._definitions) + 1}"
        self._definitions[key] = (href, ref.target)
        return key

    def blank(self) -> None:
        """One empty line, never two."""
        if self._lines and self._lines[-1]:
            self._lines.append("")

    def paragraph(self, *parts: str | Ref) -> None:
        """One line, then an empty one."""
        self.write(*parts)
        self.blank()

    def block(self, text: str, info: str = "text", lines: int = escape.BLOCK_LINES, width: int = 300) -> int:
        """A record's text of several lines, fenced; returns the 0-based line its first line stands on."""
        start = self.here + (1 if self.style.is_markdown else 0)
        self._lines.extend(self.style.block(text, info, lines, width).split("\n"))
        self.blank()
        return start

    def heading(
        self,
        level: int,
        title: str,
        kind: SymbolKind,
        name: str | None = None,
        detail: str = "",
        *,
        aside: bool = False,
    ) -> None:
        """A heading. ``title`` is ours or escaped for this style; ``name`` and ``detail`` are text for the outline."""
        self.blank()
        self._symbols.append(
            Symbol(escape.plain(name or title, 120), escape.plain(detail), kind, self.here, -1, level - 1, aside)
        )
        if self.style.is_markdown:
            self.write("#" * level + " ", title)
        else:
            self.write(title.upper() if level <= 2 and name is None else title)
        self.blank()

    def symbol(self, name: str, kind: SymbolKind, depth: int, detail: str = "") -> None:
        """An entry of the outline at the next line, without a heading."""
        self._symbols.append(Symbol(escape.plain(name, 120), escape.plain(detail), kind, self.here, -1, depth))

    def close_sections(self) -> None:
        """What follows belongs to the page, not to its last section."""
        self._closing = self.here

    def finish(self, uri: str, focus: tuple[int, int] | None = None) -> Document:
        """The document, with the definitions of its links at its end."""
        end = max(self.here - 1, 0)
        symbols: list[Symbol] = []
        for index, symbol in enumerate(self._symbols):
            later = (other.line for other in self._symbols[index + 1 :] if other.depth <= symbol.depth)
            after = end + 1 if symbol.depth == 0 or self._closing is None else self._closing
            symbols.append(replace(symbol, end_line=max(next(later, after) - 1, symbol.line)))
        if self._definitions:
            self.blank()
        for key, (href, target) in sorted(self._definitions.items(), key=_by_number):
            written = f"[{key}]: {href}" if self.style.is_markdown else f"[{key}] {href}"
            self._anchors.append(Anchor(self.here, 0, len(written), target, ""))
            self._lines.append(written)
        text = "\n".join(self._lines).rstrip("\n") + "\n"
        language = "markdown" if self.style.is_markdown else "plaintext"
        return Document(uri, text, language, tuple(self._anchors), tuple(symbols), focus)


def _by_number(item: tuple[str, tuple[str, str]]) -> tuple[int, int, str]:
    key = item[0]
    return (0, int(key), "") if key.isdigit() else (1, 0, key)


def retarget(document: Document, copies: Mapping[str, str]) -> Document:
    """The same document with its links pointing at copies (``locator → file URI``); links without a copy stay."""
    lines = document.text.split("\n")
    for anchor in document.anchors:
        href, copy = escape.uri(anchor.target), copies.get(anchor.target)
        if href is not None and copy is not None and lines[anchor.line].endswith(f"]: {href}"):
            lines[anchor.line] = lines[anchor.line].removesuffix(href) + copy
    anchors = tuple(replace(a, target=copies.get(a.target, a.target)) for a in document.anchors)
    return replace(document, text="\n".join(lines), anchors=anchors)


_FENCE = re.compile(r"(`{3,})[a-z]*\Z")
_DEFINITION = re.compile(r"\[([^\[\]]+)\]: ((?:anamnesis|file):\S+)\Z")
_REFERENCE = re.compile(r"\[((?:[^\[\]`]|`[^`]*`)+)\](?:\[([^\[\]]+)\])?")
_HEADING = re.compile(r"(#{1,6}) (.+)\Z")


def read_back(uri: str, text: str) -> Document:
    """A document of ours as it was written: its links and outline found again in its Markdown.

    For a copy that another run of the server wrote. Fenced lines are a record's and hold no link of ours.
    """
    lines = text.split("\n")
    ours: list[tuple[int, str]] = []
    fence = ""
    for number, line in enumerate(lines):
        opened = _FENCE.match(line)
        if fence:
            fence = "" if line == fence else fence
        elif opened is not None:
            fence = opened[1]
        else:
            ours.append((number, line))
    targets = {found[1]: found[2] for _, line in ours if (found := _DEFINITION.match(line)) is not None}
    anchors: list[Anchor] = []
    symbols: list[Symbol] = []
    for number, line in ours:
        heading = _HEADING.match(line)
        if heading is not None:
            kind: SymbolKind = "page" if len(heading[1]) == 1 else "section"
            symbols.append(Symbol(heading[2], "", kind, number, number, len(heading[1]) - 1))
        for found in _REFERENCE.finditer(line):
            target = targets.get(found[2] or found[1])
            if target is not None and line[max(found.start() - 1, 0)] != "\\":
                anchors.append(Anchor(number, found.start(), found.end(), target, ""))
    return Document(uri, text, "markdown", tuple(anchors), tuple(symbols))
