"""The cue: which past is meant, at which whole, along which axes. Pure: read from the context alone.

Binding (``contract/NOTES.md``): explicit text, else the comment in or directly above the selection, else the person's
previous utterance. The selection is an *artifact* axis: it says where to search and is never the person's words.
Everything the person added since the recall began is read with it; a correction that names another whole re-reads the
whole.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from anamnesis_lsp.contract import Axis, Context, Cue, Origin, Whole
from anamnesis_lsp.readings.content import Content, Invocation, Said
from anamnesis_lsp.readings.remembering import remembered
from anamnesis_lsp.readings.times import TimeSaid, read_times

Says = Callable[[Context[Content], int], str]
"""What the person's turn at that index says of the past, without the words that only steer."""
Restated = Callable[[Context[Content]], "int | None"]
"""The turn in which the person said anew what they mean; None: what the recall began with still is."""
BearsOnCue = Callable[[Context[Content], int], bool]
"""Whether the person's turn at that index added to the cue (rather than ending, identifying, or doing other work)."""


@dataclass(frozen=True, slots=True)
class CueRead:
    """The cue with what the search needs of it beside the contract's three fields."""

    cue: Cue
    words: str
    """The person's own words, or the comment: what is searched for by words. Empty for a bare selection."""
    invocation: Invocation | None
    times: tuple[TimeSaid, ...]
    recoverable: bool
    """False: a bare invocation with no selection, no comment and no earlier utterance. Nothing is worth reading."""
    others: tuple[str, ...] = ()
    """Further vague references in the same words: named, not followed."""
    left_lines: bool = False
    """A correction says that another past is meant than that of the selection: its lines are not searched."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_HASH = re.compile(r"(?<![\w/-])(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}(?![\w-])")
_UUID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", re.IGNORECASE)
_URL = re.compile(r"https?://[^\s<>()\"']+")
_ISSUE = re.compile(r"(?<![\w&/])#\d{1,7}\b|\b(?:PR|MR|issue|pull request|merge request)\s+#?\d{1,7}\b", re.IGNORECASE)
_KEY = re.compile(r"\b[A-Z][A-Z0-9]{1,9}-\d{1,7}\b|\bbd-[a-z0-9]+(?:\.\d+)*\b|\b(?:ADR|RFC|PEP)[ -]?\d{1,5}\b")
_PATH = re.compile(r"(?<![\w/:.])(?:\.{0,2}/)?(?:[\w.@+-]+/)+[\w.@+-]+|\b[\w-]+\.[A-Za-z][A-Za-z0-9]{0,6}\b(?!\()")
_CODE = re.compile(r"`([^`\n]{2,80})`")
_SYMBOL = re.compile(
    r"\b(?:[a-z]+[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*|[A-Za-z][A-Za-z0-9]*_\w+|\w+\(\)|[A-Z][A-Z0-9]*_[A-Z0-9_]+)"
)
_QUOTED = re.compile(r"[\"“«「]([^\"”»」\n]{2,80})[\"”»」]")
_PERSON = re.compile(r"\b(?:by|with|from|asked|told|and)\s+([A-Z][\w'-]+(?:\s+[A-Z][\w'-]+)?)|\b([A-Z][a-z]+)'s\b")
_PERSON_SAID = re.compile(
    r"\b([A-Z][a-z]+(?:\s+[A-Z][a-z]+)?)\s+(?:said|wrote|made|did|put|gave|took|came|went|had|was|[a-z]+ed)\b"
)
_FIRST_SINGULAR = re.compile(r"\b(?:ich|je|yo|eu)\b|我(?!们)|私|나는|내가|\bя\b", re.IGNORECASE)
_MINE = re.compile(
    r"\bmy (?:own )?(?:[\w-]+ )?(?:commits?|changes?|prs?|pull requests?|patch(?:es)?|branch(?:es)?|sessions?|chats?"
    r"|work|fix(?:es)?|code|decisions?|conversations?|refactor\w*|rewrite)\b"
    r"|\b(?:by me|was (?:it )?me|it was me|mine)\b"
    r"|\b(?:mein\w*|mi|mis|mon|mes|meu|meus|minha) (?:commits?|änderung\w*|cambios?|changements?|mudanças?)\b"
    r"|我的提交|мой коммит|мій коміт",
    re.IGNORECASE,
)
_I_DID = re.compile(
    r"\bI (?:(?:had|have|ve|myself|also|once|only|just|then|first|later|originally|must have|might have) )*"
    r"(?!(?:need|want|look|search|refer|recall|remember|recogni[sz]|believ|guess|suppos|imagin|wonder|hop|lik|lov|notic)\w*\b)"
    r"(?:[a-z]{2,}ed|did|made|wrote|rewrote|put|took|gave|got rid|went|built|broke|chose|began|sent|cut|ran"
    r"|set|kept|drew|split|hid)\b"
    r"|\b(?:did|when|where|why did|how did|didn['’]?t) I\b(?! (?:mean|think|remember|want|see))",
)
_PRODUCTS = _words(
    """
    github gitlab javascript typescript postgresql mysql mongodb macos ios openai youtube linkedin graphql restful
    node.js vue.js next.js nuxt.js express.js react.js three.js d3.js nestjs fastapi pytorch tensorflow webassembly
    websocket websockets devops mlops oauth wifi bigquery dynamodb sqlalchemy onnxruntime
    """
)
"""Names of products and techniques that are spelled like symbols or files, and are none of a repository."""
_FOLDERS = _words(
    """
    src lib libs doc docs test tests spec specs app apps packages pkg cmd internal scripts tools bin examples migrations
    assets plan plans process adr adrs decisions rfcs crates modules plugins editors
    """
)
"""First folders of a path of two plain words."""
_SUFFIXES = _words(
    """
    py pyi rb sh bash zsh fish pl yml yaml toml ini cfg conf r jl nim ex exs tf mk c h cc cpp cxx hpp hh m mm java
    js jsx ts tsx mjs cjs go rs swift kt kts scala cs php dart groovy gradle zig v proto scss css less vue svelte sol
    sql lua hs elm md mdx rst txt json jsonl xml html lock env csv ipynb tex service dockerfile
    """
)
_NOT_NAMES = _words(
    """
    I The This That These Those There When Where Why What Which Who How Did Do Does Was Were Is Are We It If In
    On At And But Or So Then Not No Yes January February March April May June July August September October
    November December Monday Tuesday Wednesday Thursday Friday Saturday Sunday Claude Codex Cursor Copilot
    Gemini Git GitHub Python Java Go Rust PR ADR API Windows Linux
    """
)
_WHOLES: tuple[tuple[Whole, re.Pattern[str]], ...] = (
    (Whole.SESSION, re.compile(
        r"\b(?:session|conversation|chat|thread|discussion|discussed|talked|talk we had|when (?:i|we) asked)\b"
        r"|\bgespräch\b|\bconversación\b|\bconversa\b|会话|对话|聊天|会話|대화|розмов", re.IGNORECASE)),
    (Whole.CONCEPT, re.compile(
        r"\b(?:the (?:idea|concept|principle|rule|convention|policy|definition|notion) (?:of|that|behind|for)"
        r"|our (?:rule|convention|policy|principle)|what (?:do )?we (?:call|mean by)|decided that)\b"
        r"|原则|概念|规范|约定",
        re.IGNORECASE)),
    (Whole.TOPIC, re.compile(
        r"\b(?:everything (?:about|on)|all (?:the )?(?:work|things|pieces|discussions?) (?:on|about|around)"
        r"|topic|subject|whatever we (?:have|had) on)\b|主题|话题", re.IGNORECASE)),
    (Whole.LINE, re.compile(
        r"\b(?:history|evolution|evolved?|over time|series of|how .{0,40} came (?:about|to be)|line of work|succession"
        r"|step by step|changes? (?:to|of|in))\b|历史|演变|経緯", re.IGNORECASE)),
)  # fmt: skip


def read_cue(
    c: Context[Content],
    bears: BearsOnCue | None = None,
    says: Says | None = None,
    phrase: Says | None = None,
    restated: Restated | None = None,
) -> CueRead:
    """Read the cue of the recall ``c`` holds. ``bears`` leaves out turns that did not add to it; ``says`` gives what is
    searched for of one that did (else all its words), ``phrase`` what names it; what came before ``restated`` is not
    meant any more.
    """
    start, began, invocation = _invocations(c)
    added = [
        (index, turn.content)
        for index, turn in enumerate(c[start + 1 :], start + 1)
        if turn.origin is Origin.PERSON
        and isinstance(turn.content, (Said, Invocation))
        and _has_words(turn.content)
        and (bears is None or bears(c, index))
    ]
    bound, source = _bound(c, start, began)
    if bound is None and invocation is not began:
        bound, source = _bound(c, start, invocation)
        added = [(index, said) for index, said in added if said is not invocation]
    anew = restated(c) if restated is not None else None
    if anew is not None:
        bound, added = None, [(index, said) for index, said in added if index >= anew]
    bound, others = _several(bound) if bound and source != "comment" else (bound, ())
    told = [said.text or "" for _, said in added]
    searched = told if says is None else [says(c, index) for index, _ in added]
    named = told if phrase is None else [phrase(c, index) for index, _ in added]
    words = "\n".join(dict.fromkeys(text for text in (bound or "", *searched) if text.strip()))
    now = added[-1][1].when if added else invocation.when if invocation is not None else _latest_when(c)
    times = tuple(read_times("\n".join([bound or "", *told]), now)) if now is not None else ()
    left_lines = anew is not None and invocation is not None and invocation.path is not None
    axes = [] if left_lines else list(_selection_axes(invocation))
    if bound:
        axes.extend(_axes(bound, source, times))
    for text in told:
        axes.extend(_axes(text, "text", times))
    where = None if left_lines else invocation
    whole = _whole([*reversed(told), *([bound] if bound else [])], where)
    return CueRead(
        cue=Cue(_meant(bound, source, named, where), whole, tuple(dict.fromkeys(axes))),
        words=words,
        invocation=invocation,
        times=times,
        recoverable=bool(words.strip()) or (invocation is not None and invocation.path is not None),
        others=others,
        left_lines=left_lines,
    )


_VAGUE_REFERENCE = re.compile(
    r"(?:the|that|this|another|some|our)\s+(?:other\s+)?(?:time|thing|one|day|discussion|session|conversation|talk|decision"
    r"|story|bug|mess|problem|reason)\b",
    re.IGNORECASE,
)
_NEXT_REFERENCE = re.compile(
    r"(?:[.;?!\n]+\s*|,\s*)(?:(?:and|also|or|plus|oh|then)\b[\s,]*)*(?=(?:the|that|another|some|our)\b)"
    r"|\s+(?:and|plus)\s+(?:also\s+)?(?=(?:the|that|another)\s+(?:other\s+)?(?:time|thing|one|day|discussion|session)\b)",
    re.IGNORECASE,
)


def _several(text: str) -> tuple[str, tuple[str, ...]]:
    """The first vague reference of the words, and the further ones: "the time we …, and that other thing where …"."""
    cuts = [
        match
        for match in _NEXT_REFERENCE.finditer(text)
        if _VAGUE_REFERENCE.match(text, match.end()) and _VAGUE_REFERENCE.search(text, 0, match.start())
    ]
    if not cuts:
        return text, ()
    ends = [match.start() for match in cuts[1:]] + [len(text)]
    parts = [text[match.end() : end].strip(" ,;.\n") for match, end in zip(cuts, ends, strict=True)]
    return text[: cuts[0].start()].strip(), tuple(part for part in parts if part)


def _has_words(content: Said | Invocation) -> bool:
    if isinstance(content, Said):
        return content.command is None
    return bool(content.text and content.text.strip())


def _invocations(c: Context[Content]) -> tuple[int, Invocation | None, Invocation | None]:
    """Where the recall begins, the invocation that began it, and the one whose selection counts: the latest."""
    start = next((index for index, turn in enumerate(c) if turn.origin is Origin.PERSON), None)
    if start is None:
        return -1, None, None
    first = c[start].content
    ran = [t.content for t in c if t.origin is Origin.PERSON and isinstance(t.content, Invocation)]
    selecting = next((i for i in reversed(ran) if i.path is not None), None) or (ran[-1] if ran else None)
    if isinstance(first, Invocation):
        return start, first, selecting
    return start - 1, None, selecting


def _bound(c: Context[Content], start: int, invocation: Invocation | None) -> tuple[str | None, str]:
    if invocation is None:
        return None, "text"
    if invocation.text and invocation.text.strip():
        return invocation.text.strip(), "text"
    if invocation.comment and invocation.comment.strip():
        return invocation.comment.strip(), "comment"
    if invocation.path is not None:
        return None, "selection"
    for turn in reversed(c[:start]):
        if turn.origin is Origin.PERSON:
            said = turn.content.text if isinstance(turn.content, (Said, Invocation)) else None
            if said and said.strip():
                return said.strip(), "earlier"
    return None, "text"


def _latest_when(c: Context[Content]) -> datetime | None:
    for turn in reversed(c):
        if isinstance(turn.content, (Said, Invocation)):
            return turn.content.when
    return None


def _meant(bound: str | None, source: str, added: Sequence[str], invocation: Invocation | None) -> str:
    parts: list[str] = []
    where = None
    if invocation is not None and invocation.path is not None:
        where = invocation.path
        if invocation.lines is not None:
            first, last = invocation.lines
            where = f"line {first} of {where}" if first == last else f"lines {first}-{last} of {where}"
    if bound and source != "comment":
        parts.append(bound)
    elif where is not None:
        parts.append(f"why {where} {'is' if where.startswith('line ') else 'are'} there")
    elif bound:
        parts.append(bound)
    parts.extend(text.strip().rstrip(".!?") for text in added)
    return ", ".join(dict.fromkeys(part for part in parts if part)) or "a past that was not named"


def _whole(texts: Iterable[str], invocation: Invocation | None) -> Whole:
    for text in texts:
        for whole, pattern in _WHOLES:
            if pattern.search(text):
                return whole
    return Whole.LINE if invocation is not None and invocation.path is not None else Whole.SESSION


def _selection_axes(invocation: Invocation | None) -> Iterable[Axis]:
    if invocation is None or invocation.path is None:
        return
    value = invocation.path
    if invocation.lines is not None:
        value += f":{invocation.lines[0]}-{invocation.lines[1]}"
    yield Axis("artifact", value, "selection")
    for line in invocation.selected:
        for kind, identifier in _identifiers(line):
            yield Axis(kind, identifier, "selection")


def _identifiers(text: str) -> Iterable[tuple[str, str]]:
    for pattern in (_URL, _UUID, _KEY, _ISSUE):
        for match in pattern.finditer(text):
            yield "identifier", match[0]


def _axes(text: str, source: str, times: Iterable[TimeSaid]) -> Iterable[Axis]:
    for said in times:
        if said.words in text:
            yield Axis("time", said.words, source)
    yield from (Axis(kind, value, source) for kind, value in _identifiers(text))
    bare = _URL.sub(" ", _UUID.sub(" ", text))
    for match in _HASH.finditer(bare):
        yield Axis("identifier", match[0], source)
    for match in _CODE.finditer(bare):
        code = match[1].strip()
        yield Axis("term" if " " in code else "artifact", code, source)
    bare = _CODE.sub(" ", bare)
    for match in _PATH.finditer(bare):
        if _names_a_path(match[0]):
            yield Axis("artifact", match[0].removesuffix("."), source)
    for match in _SYMBOL.finditer(bare):
        if match[0].casefold() not in _PRODUCTS:
            yield Axis("artifact", match[0], source)
    for match in _QUOTED.finditer(bare):
        yield Axis("term", match[1], source)
    if source == "comment":
        return
    if _took_part(text):
        yield Axis("person", "I", source)
    for pattern in (_PERSON, _PERSON_SAID):
        for match in pattern.finditer(text):
            name = next(group for group in match.groups() if group)
            if name.split()[0] not in _NOT_NAMES and name.casefold() not in _PRODUCTS:
                yield Axis("person", name, source)


def _names_a_path(text: str) -> bool:
    """Whether it is a path, and not two words with a stroke between them ("main/master", "and/or") or a product."""
    name = text.rstrip(".")
    if name.casefold() in _PRODUCTS:
        return False
    if "/" not in name:
        return name.rsplit(".", 1)[-1].casefold() in _SUFFIXES
    parts = [part for part in name.split("/") if part]
    marked = name.startswith(("./", "../", "/")) or any(char in name for char in "._0123456789")
    return marked or len(parts) != 2 or parts[0].casefold() in _FOLDERS


def _took_part(text: str) -> bool:
    """Whether the person says that they did it: "I wrote", "my commit"; "I think", "I mean" is nobody's deed."""
    if _I_DID.search(text) or _MINE.search(text):
        return True
    return _FIRST_SINGULAR.search(remembered(text)) is not None


# ── the comment in or directly above a selection ────────────────────────────────────────────────────────────────────

_LINE_COMMENT = re.compile(
    r"^\s*(?:#(?!\s*(?:include|define|if|endif|ifdef|pragma|region|!))|//+[/!]?|--|;+|%|'|\"|REM\b)\s?(.*)$"
)
_BLOCK_LINE = re.compile(r"^\s*\*(?!/)\s?(.*)$")
_BLOCK_OPENERS = ("/*", "<!--")
_BLOCK_CLOSERS = ("*/", "-->", "-}", "*)", '"""', "'''")
_HASH_LANGUAGES = _words(
    """
    py rb sh bash zsh fish pl yml yaml toml ini cfg conf r jl nim ex exs tf mk cmake dockerfile makefile
    gitignore ps1
    """
)
_SLASH_LANGUAGES = _words(
    """
    c h cc cpp cxx hpp hh m mm java js jsx ts tsx mjs cjs go rs swift kt kts scala cs php dart groovy gradle zig
    v proto scss less vue svelte sol
    """
)
_DASH_LANGUAGES = _words(
    """
    sql lua hs elm ada vhdl
    """
)


def comment_marker(path: str) -> str | None:
    """The line-comment marker of a file by its name, or None where it is not known."""
    name = path.rsplit("/", 1)[-1].lower()
    suffix = name.rsplit(".", 1)[-1]
    if suffix in _HASH_LANGUAGES:
        return "#"
    if suffix in _SLASH_LANGUAGES:
        return "//"
    if suffix in _DASH_LANGUAGES:
        return "--"
    if suffix in ("el", "lisp", "clj", "scm"):
        return ";"
    return "%" if suffix in ("tex", "erl") else None


def comment_at(path: str, lines: list[str], first: int, last: int) -> str | None:
    """The comment in the selection (``first`` to ``last``, 1-based), else the one directly above; markers stripped."""
    marker = comment_marker(path)
    inside = comment_lines(lines[first - 1 : last], marker)
    if inside:
        return _joined(inside)
    above: list[str] = []
    index = first - 2
    while index >= 0 and len(above) < 40:
        found = comment_lines(lines[index : index + 1], marker)
        if not found:
            break
        above[:0] = found
        index -= 1
    return _joined(above) if above else None


def _joined(parts: list[str]) -> str | None:
    return "\n".join(part.strip() for part in parts if part.strip(" -=*#/")).strip() or None


def _before_close(text: str) -> str | None:
    """What stands before the mark that closes a block comment at the end of a stripped line; None without one."""
    mark = next((mark for mark in _BLOCK_CLOSERS if text.endswith(mark)), None)
    if mark is None:
        return None
    return text[: -len(mark)].rstrip("* \t" if mark == "*/" else None)


def comment_lines(lines: list[str], marker: str | None) -> list[str]:
    """The comments that these lines hold from their start, markers stripped; ``marker`` as :func:`comment_marker`."""
    found: list[str] = []
    inside = False
    for line in lines:
        stripped = line.strip()
        if inside:
            closed = _before_close(stripped)
            found.append((stripped if closed is None else closed).lstrip("*").strip())
            inside = closed is None
            continue
        if marker is not None and stripped.startswith(marker):
            if marker == "#" and stripped.startswith("#!"):
                continue
            found.append(stripped.lstrip("/#-;%!").strip())
        elif marker in ("//", None) and stripped.startswith(_BLOCK_OPENERS):
            body = stripped[4:] if stripped.startswith("<!--") else stripped[2:]
            closed = _before_close(body)
            found.append((body if closed is None else closed).lstrip("*").removeprefix("!").strip())
            inside = "*/" not in body and "-->" not in body
        elif marker == "//" and not found and (middle := _BLOCK_LINE.match(line)):
            found.append(middle[1])
    return found
