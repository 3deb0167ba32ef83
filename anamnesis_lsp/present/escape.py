"""The one sanitiser: text of a record goes through here before any client, terminal or file sees it.

A record is hostile input. What leaves this module holds no live link, image, HTML, command, autolink or mention, no
escape sequence, no control, bidirectional, tag or zero-width character, no lone surrogate; it cannot close the fence it
stands in and cannot imitate a citation. Oddities stay visible: a character that would act is shown as its code point,
``⟨U+202E⟩``.

Which function: :func:`inline` inside a Markdown line, :func:`quoted` for a record's words between our quotation marks,
:func:`block` for several lines, :func:`code` for a path or an id, :func:`plain` and :func:`plain_block` for clients and
pipes that take no Markdown, :func:`terminal` for a terminal, :func:`raw_text` for a file shown as itself, :func:`link`
for a target of our own. All but :func:`raw_text` mask secrets.
"""

from __future__ import annotations

import re
from urllib.parse import quote, unquote, urlsplit

from anamnesis_lsp import masking

INLINE_LIMIT = 200
"""Characters of a record's text inside one line of ours."""
BLOCK_LINES = 40
BLOCK_LINE_LIMIT = 300

_ELLIPSIS = "…"

# ECMA-48: CSI, OSC / DCS / PM / APC / SOS strings up to their terminator, then any other two-character escape.
_ESCAPE_SEQUENCE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d\x9e\x9f])[^\x07\x1b\x9c]{0,4096}(?:\x07|\x1b\\|\x9c)"
    r"|\x1b[ -/]*[0-~]"
)
_ZERO_WIDTH = re.compile(
    "[\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200d\u2060-\u2064\u3164\ufeff\uffa0]"
)
_VARIATION = re.compile("([\ufe00-\ufe0f\U000e0100-\U000e01ef])[\ufe00-\ufe0f\U000e0100-\U000e01ef]+")
_ACTING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2065-\u206f\ufff0-\ufffb\ufdd0-\ufdef\ufffe\uffff"
    "\U000e0000-\U000e00ff\U0001d173-\U0001d17a\U0001bca0-\U0001bca3]+"
)
_SURROGATE = re.compile("[\ud800-\udfff]")
_STACKED = re.compile("([\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]{4})"
                      "[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]+")  # fmt: skip
_SPACES = re.compile(r"[\s\u2028\u2029\x85]+")
_BACKTICKS = re.compile(r"`+")
_CITATION = re.compile(r"(?<![\w)\]])(?:[\[［]\^?\s?\d[\d,\s-]{0,12}[\]］])+")
_NOT_CITED = str.maketrans("[［]］", "⟦⟦⟧⟧")

_LINE_START = re.compile(r"(?:[-+=#>:]|(?=\d{1,9}[.)])\d{1,9})")
_MARKUP = re.compile(r"[\\`*\[\]<>&~$|!{}^]|_")
_PAIRED_BACKTICKS = re.compile(r"(?:\A|(?<=\s))([(\[{\"'“‘]*)`(?! )([^`]{1,120})(?<! )`([.,;:!?)\]}\"'”’]*)(?=\s|\Z)")
"""A code span of the record's own that stands as a word: it may stay one, nothing of ours can touch its fence."""
_WORD = re.compile(r"\S+")
_WORD_EDGES = re.compile(r"\A([(\[{<\"'“”‘’«»,;]*)(.*?)([)\]}>\"'“”‘’«»,;.:!?…]*)\Z", re.DOTALL)
_ACTIVE_WORD = re.compile(
    r"(?i)//\w|www\.|\A[@#]\w|\w@[\w-]|\A(?:mailto|xmpp|javascript|data|file|command|vscode|anamnesis):"
)
_CODE_WORD = re.compile(
    r"\w_\w|\A_|_\Z|::|\w\(\)|\A\.?/\w|\A~/|\w/[\w.-]+/|/[\w-]+\.\w{1,5}\Z|[\w-]\.[A-Za-z][\w-]+|\A--?[A-Za-z][\w-]+|\\\w"
)

_LINK_SCHEMES = frozenset({"anamnesis", "file"})
_ENTITY_SAFE = "/-._~:?&=,+@%"


def clean(text: str) -> str:
    """``text`` with nothing in it that acts: escape sequences and zero width gone, acting characters as ``⟨U+…⟩``.

    Line ends become ``\\n``; tabs stay. Idempotent. Does not mask.
    """
    if text.isascii() and text.isprintable():
        return text
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = _ESCAPE_SEQUENCE.sub("", text)
    text = _SURROGATE.sub("\ufffd", text)
    text = _ZERO_WIDTH.sub("", text)
    text = _VARIATION.sub(r"\1", text)
    text = _STACKED.sub(r"\1", text)
    return _ACTING.sub(_shown, text)


def _shown(match: re.Match[str]) -> str:
    run = match[0]
    if len(run) > 4:
        return f"⟨U+{ord(run[0]):04X} and {len(run) - 1} more⟩"
    return "".join(f"⟨U+{ord(character):04X}⟩" for character in run)


def _safe(text: str) -> str:
    return masking.mask(clean(text))


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: max(limit - 1, 0)].rstrip() + _ELLIPSIS


def _no_citation(text: str) -> str:
    return _CITATION.sub(lambda match: match[0].translate(_NOT_CITED), text)


def plain(text: str, limit: int = INLINE_LIMIT) -> str:
    """One line for a client without Markdown: white space collapsed, cut at ``limit``, ``[1]`` shown as ``⟦1⟧``."""
    return _no_citation(_cut(_SPACES.sub(" ", _safe(text)).strip(), limit))


def plain_block(text: str, lines: int = BLOCK_LINES, width: int = BLOCK_LINE_LIMIT) -> str:
    """Several lines for a client without Markdown, each begun with ``| `` so that none can pass for a line of ours."""
    return "\n".join(f"| {line}" for line in _lines(text, lines, width))


def terminal(text: str, limit: int = INLINE_LIMIT) -> str:
    """One line for a terminal: as :func:`plain`. Printed through rich, it must be passed as text, not as markup."""
    return plain(text, limit)


def raw_text(text: str) -> str:
    """A file of a repository shown as itself: same lines, same number of lines, nothing in it that acts. Not masked."""
    return "\n".join(clean(line) for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n"))


def inline(text: str, limit: int = INLINE_LIMIT) -> str:
    """Markdown for one line of a record's text: it renders as :func:`plain` shows it, and nothing in it is live.

    Words that some renderer would turn into a link or a mention after parsing (URLs, addresses, ``@name``, ``#12``),
    and paths and identifiers, become code spans, which no renderer looks into.
    """
    result = _inline(text, limit)
    start = _LINE_START.match(result)
    if start is None:
        return result
    head = start[0]
    return f"{head}\\{result[len(head) :]}" if head.isdigit() else f"\\{result}"


def _inline(text: str, limit: int) -> str:
    line = plain(text, limit)
    pieces: list[str] = []
    position = 0
    for match in _PAIRED_BACKTICKS.finditer(line):
        pieces += [_words(line[position : match.start()]), _inert(match[1]), code_span(match[2]), _inert(match[3])]
        position = match.end()
    pieces.append(_words(line[position:]))
    return "".join(pieces)


def _words(text: str) -> str:
    return _WORD.sub(lambda match: _word(match[0]), text)


def _word(word: str) -> str:
    if word.isalnum():
        return word
    if "`" in word:
        return code_span(word) if _ACTIVE_WORD.search(word) else _inert(word)
    edges = _WORD_EDGES.match(word)
    if edges is None or not edges[2]:
        return _inert(word)
    before, core, after = edges[1], edges[2], edges[3]
    if core.endswith("(") and after.startswith(")"):
        core, after = core + ")", after[1:]
    if _ACTIVE_WORD.search(core) or _CODE_WORD.search(core):
        return _inert(before) + code_span(core) + _inert(after)
    if _ACTIVE_WORD.search(word):
        return code_span(word)
    return _inert(word)


def _inert(text: str) -> str:
    return _MARKUP.sub(lambda match: "\\" + match[0], text)


def code_span(text: str) -> str:
    """A code span around one line of already clean text; its fence is longer than any run of backticks inside."""
    longest = max((len(run) for run in _BACKTICKS.findall(text)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if text[:1] == "`" or text[-1:] == "`" or (text[:1] == text[-1:] == " " and text.strip()) else ""
    return f"{fence}{pad}{text}{pad}{fence}" if text.strip() else text


def code(text: str, limit: int = INLINE_LIMIT) -> str:
    """A path, a hash or a command of a record as a code span on one line."""
    return code_span(_cut(_SPACES.sub(" ", _safe(text)).strip(), limit))


def quoted(text: str, limit: int = INLINE_LIMIT) -> str:
    """Markdown for a record's words between our quotation marks; marks inside become single, so none ends the quote."""
    return f"“{_inline(_single_marks(text), limit)}”"  # behind the mark no line begins


def quoted_plain(text: str, limit: int = INLINE_LIMIT) -> str:
    """As :func:`quoted`, for clients without Markdown."""
    return f"“{plain(_single_marks(text), limit)}”"


def _single_marks(text: str) -> str:
    return text.replace("“", "‘").replace("”", "’")


def block(text: str, info: str = "text", lines: int = BLOCK_LINES, width: int = BLOCK_LINE_LIMIT) -> str:
    """A fenced block of a record's text; the fence is longer than any run of backticks inside.

    ``info`` is one of our own words (``diff``, ``text``, ``markdown``). What was cut is said in the last line.
    """
    shown = _lines(text, lines, width)
    longest = max((len(run) for line in shown for run in _BACKTICKS.findall(line)), default=0)
    fence = "`" * max(3, longest + 1)
    return "\n".join([fence + info, *shown, fence])


def _lines(text: str, lines: int, width: int) -> list[str]:
    every = _safe(text).split("\n")
    while every and not every[-1].strip():
        every.pop()
    shown = [_cut(line, width) for line in every[:lines]]
    if len(every) > lines:
        shown.append(f"{_ELLIPSIS} {len(every) - lines} more lines")
    return shown


def link(label: str, target: str) -> str:
    """A Markdown link of our own. ``label`` is Markdown already; a target of a scheme not ours loses the link."""
    safe = uri(target)
    return label if safe is None else f"[{label}]({safe})"


def uri(target: str) -> str | None:
    """``target`` fit for a Markdown link or a reference definition; None when it is no locator and no file of ours."""
    if len(target) > 16384:
        return None
    try:
        scheme = urlsplit(target).scheme
    except ValueError:
        return None
    if scheme not in _LINK_SCHEMES:
        return None
    return quote(target, safe=_ENTITY_SAFE)


def web(target: str) -> str | None:
    """A web page that *we* named, fit for a link; None for anything else. Never for a URL that stands in a record."""
    if len(target) > 4096:
        return None
    try:
        parts = urlsplit(target)
    except ValueError:
        return None
    if parts.scheme not in ("https", "http") or not parts.hostname or "@" in parts.netloc:
        return None
    return quote(target, safe=_ENTITY_SAFE + "#")


def command_uri(command: str, argument: str) -> str:
    """``command:NAME?[JSON]`` for clients that trust our own commands (``initializationOptions.commandLinks``)."""
    import json

    return f"command:{command}?{quote(json.dumps([{'locator': argument}]), safe='')}"


def without_modelines(text: str) -> str:
    """``text`` for a file on disk: Vim's and Emacs' modelines in its first and last lines lose their colon.

    Only for read-only copies that an editor opens as a plain file; a virtual document is fetched by a client of ours.
    """
    every = text.split("\n")
    reach = 6
    for index in {*range(min(reach, len(every))), *range(max(len(every) - reach, 0), len(every))}:
        every[index] = _MODELINE.sub(lambda match: match[0].replace(":", "∶"), every[index])
        every[index] = every[index].replace("-*-", "-∗-")
    return "\n".join("Local Variables∶" if _LOCAL_VARIABLES.search(line) else line for line in every)


_MODELINE = re.compile(r"(?:^|\s)(?:vi|[vV]im\d*|[vV]im[<=>]\d+|ex):")
_LOCAL_VARIABLES = re.compile(r"\bLocal Variables:")


def file_name(text: str) -> str:
    """One path segment for a copy of ours on disk: letters, digits, dot, dash and underscore only, never hidden."""
    name = re.sub(r"[^\w.-]+", "-", unquote(text), flags=re.ASCII).strip(".-")
    return name[:80] or "record"
