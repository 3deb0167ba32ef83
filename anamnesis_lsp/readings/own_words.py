"""Own words: what of a text its speaker wrote, and what a machine printed or somebody else had said before.

People paste logs, traces, the output of linters and compilers, diffs and code into what they ask, and paste an
assistant's answer back to it. None of that is their words. A line is judged by its form; a paragraph of which most is
machine output is left out whole. What another speaker of the conversation had said before, word for word, is that
speaker's.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

LONGEST_LINE = 2000
"""A longer line is looked at no further."""
LEAST_REPEATED = 24
"""Letters from which a line that was said before counts as repeated: shorter ones anybody says again."""

_CLOCK = r"\d\d:\d\d:\d\d(?:[.,]\d+)?"
_LOG = re.compile(
    rf"\s*[\[(|]?\d{{4}}-\d\d-\d\d[T ]{_CLOCK}"
    rf"|\s*[\[(]?{_CLOCK}[\])]?\s"
    rf"|[^\t\n]{{1,80}}\t[^\n]*\d{{4}}-\d\d-\d\d[T ]{_CLOCK}"
    rf"|[^\n]*\d{{4}}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{{3,}}Z"
    r"|\s*(?:##\[|hint: |npm (?:ERR!|WARN|error|warn|notice)|yarn run |> [\w@./-]+@\d+\.\d+\.\d+ |remote: )"
    r"|\s*(?:\[(?:ERROR|WARN|WARNING|INFO|DEBUG|TRACE|FATAL|CRITICAL)\]"
    r"|(?:ERROR|WARN|WARNING|INFO|DEBUG|TRACE|FATAL|CRITICAL)(?::\S|\s*[|\]\-]|\s+\[|\s{2,}))|\s*ERROR: "
    r"|\s*(?:[A-Z]{3,12} )?(?:LOG|CONSOLE|STDOUT|STDERR): "
    r"|\W{0,4}[A-Z][a-z]+ing\b[^.?!\n]{0,80}(?:\.\.\.|…)\s*\Z"
    r"|\s*[A-Za-z][\w -]{2,40}: (?:true|false|null|undefined|None|True|False)\s*\Z"
    r"|\s*(?:error|warning|fatal|panic)(?:\[\w+\])?: "
    r"|\s*\w+: (?:error|warning|fatal): ",
)
_FAILURE = re.compile(
    r"\s*(?:Uncaught |Unhandled |Caused by: |Error: )*(?:[\w$]+\.)*\w*(?:Error|Exception|Warning"
    r"|Panic)(?:\s*\[\w+\])?: "
    r"|\s*Traceback \(most recent call"
    r"|\s*File \"[^\"\n]+\", line \d+"
    r"|\s*at (?:async )?(?:new )?[\w$.<>\[\] /@-]+ ?\([^)\n]*(?::\d|native|anonymous|<)[^)\n]*\)\s*\Z"
    r"|\s*at [^\s()]+:\d+(?::\d+)?\)?\s*\Z"
    r"|\s*goroutine \d+ \[|\s*\S+\.\w{1,5}:\d+ \+0x[0-9a-f]+"
    r"|\s*(?:--- (?:FAIL|PASS|SKIP)|=== (?:RUN|CONT|PAUSE|NAME))|\s*(?:FAIL|ok  )\t|\s*(?:FAIL|PASS)\s+\S+[./]\S+"
    r"|\s*[~^]{2,}\s*\Z|\s*\^\s*\Z"
)
_POINTED_AT = re.compile(
    r"\s*(?:\[\d+\]\s*)?(?:[\w.@+-]*/)*[\w.@+-]+\.[A-Za-z]{1,5}[:(]\d+(?:[:,]\d+)?\)?(?::\s|:?\s+-?\s*(?:error"
    r"|warning)\b|\s*\Z)"
    r"|\s*\d+:\d+\s+(?:error|warning)\s"
    r"|\s*\*?\s*[a-z][\w-]{1,30}: \d+\s*\Z"
    r"|\s*\d+ (?:issues?|problems?|errors?|warnings?|failed|passed|passing|failing|skipped)\b[^.?!]{0,60}[:.)]?\s*\Z"
    r"|[^\n]* › "
)
_DIFF = re.compile(r"(?:\+\+\+ |--- [ab/]|@@ |diff --git |index [0-9a-f]{7,}\.\.)")
_PROMPT = re.compile(r"\s*(?:[$❯➜]|>>>|PS [A-Z]:\\[^>]*>|(?:\([\w.-]+\) )?[\w.-]+@[\w.-]+[^$%#\n]{0,60}[$%#])\s+\S")
_FRAME = re.compile(r"\s*>?\s*\d{1,6}\s*[|│]|[^\n]*[├└│┌┐┘┤╭╰━═]|\s*\|[^\n]*\|\s*\Z|\s*\d{1,6}[→\t]")
_DATA = re.compile(
    r"\s*[\"'][\w.$ -]+[\"']\s*:\s*\S|\s*[\[\]{}()]+[,;]?\s*\Z"
    r"|\s*</?[A-Za-z][\w.:-]*(?:\s[^<>\n]*)?/?>\s*(?:<|\Z|[^<\n]{0,40}</)"
)
_CODE = re.compile(
    r"\s*(?:import\s+(?:[{*\"']|[\w.]+\s*\Z|[\w., ]+\s+(?:from|as)\s)|from\s+\S+\s+import\s|export\s+(?:default"
    r"|const|function|class|interface|type)\b"
    r"|(?:const|let|var)\s+[\w{\[]+\s*[=:]|(?:async\s+)?(?:def|func|fn)\s+\w+\s*[(<\[]"
    r"|(?:async\s+)?function\s*\w*\s*\("
    r"|(?:public|private|protected|static)\s[^.?!\n]*(?:[({=]|;\s*\Z)|#include\s|package\s+\w+\s*;?\Z"
    r"|return\b[^.?!]*;\s*\Z"
    r"|(?:if|for|while|switch)\s*\(.*\)\s*\{?\s*\Z|(?:if|for|elif|while|with|else|try|except"
    r"|class)\b[^.?!]{0,80}:\s*\Z(?<=\):)"
    r"|\w[\w.\[\]\"']*\s*(?::=|\+=|-=)\s*\S|[A-Z][A-Z0-9_]{2,}=\S|//\s?|/\*|\*/)"
    r"|[^\n]*(?:[^\s{]\s*\{|=>|[)\]}\"'];)\s*\Z"
)
_MARKS_OF_CODE = re.compile(r"[{}();=<>\[\]|&$\\+]")
_TELLTALE = re.compile(
    r"(?:\.\.\.|…)\s*\Z"
    r"|[\d{}();=<>\[\]|&$\\+@^~│├└┌━═╭╰›→❯➜/*\"']|: |\b(?:npm|at|import|export|def|class)\b|\A\s*(?:PASS|FAIL|ok)\b|:\Z"
)
"""Without any of these a line has none of the forms: most lines of a talk."""
_SPOKEN = re.compile(r"[^\W\d_]{2,}(?:['’][a-z]+)?")
_REPORT = re.compile(
    r"\s*#{1,6}\s*(?:Error (?:Type|Message)|(?:Console|Runtime|Build|Recoverable|Unhandled) (?:\w+ )?Error"
    r"|Stack ?trace"
    r"|Stack|Code Frame|Component Stack|Call Stack|Traceback|(?:\w+ )?(?:Output|Logs?))\b[^\n]{0,40}\Z",
    re.IGNORECASE,
)
_HEADING = re.compile(r"\s*#{1,6}\s+\S")
_ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s+")
_NOT_LETTERS = re.compile(r"[\W_]+")


def printed(line: str) -> bool:
    """Whether the line by itself has the form of what a machine prints, or of code: nobody's words."""
    looked_at = line[:LONGEST_LINE]
    if _TELLTALE.search(looked_at) is None:
        return False
    bare = looked_at[match.end() :] if (match := _ITEM.match(looked_at)) else looked_at
    if any(
        pattern.match(looked_at) or pattern.match(bare)
        for pattern in (_LOG, _FAILURE, _POINTED_AT, _DIFF, _PROMPT, _FRAME, _DATA, _CODE)
    ):
        return True
    marks = len(_MARKS_OF_CODE.findall(looked_at))
    return marks >= 4 and marks * 5 > len(looked_at) and len(_SPOKEN.findall(looked_at)) < 2 * marks


def spoken_lines(lines: Sequence[str]) -> list[bool]:
    """Which of the lines are words: not printed themselves, nor inside a paragraph of which most is."""
    kept = [not printed(line) for line in lines]
    start = 0
    for end in range(len(lines) + 1):
        if end < len(lines) and lines[end].strip():
            continue
        bad = [n for n in range(start, end) if not kept[n]]
        if bad and 2 * len(bad) > end - bad[0]:  # what stands above a paste is said of it
            for n in range(bad[0], end):
                kept[n] = False
        for n in range(start + 1, end):  # what is indented below printed matter goes on with it
            if kept[n] and not kept[n - 1] and lines[n][:1] in " \t":
                kept[n] = False
        start = end + 1
    return kept


def heard_lines(text: str) -> list[int]:
    """What a later turn of another speaker may repeat of this one: a mark of each line that is long enough."""
    return [
        hash(said)
        for line in text.split("\n")
        if len(line) >= LEAST_REPEATED and len(said := _letters(line)) >= LEAST_REPEATED
    ]


def own_runs(text: str, said_before: Collection[int] = (), person: bool = True) -> list[str]:
    """The runs of ``text`` that are the speaker's own, in order and exactly as they stand.

    ``said_before``: marks (:func:`heard_lines`) of what others had said. For a ``person`` the parts of a pasted error
    report are left out, too.
    """
    lines = text.split("\n")
    kept = spoken_lines(lines)
    reported = fenced = False
    for n, line in enumerate(lines):
        fence = line.lstrip().startswith(("```", "~~~"))
        if person and not fenced and _HEADING.match(line):
            reported = _REPORT.match(line) is not None
        if fence or fenced or reported or (said_before and _repeats(line, said_before)):
            kept[n] = False
        fenced = fenced is not fence
    if all(kept):
        return [text] if text.strip() else []
    runs: list[str] = []
    run: list[str] = []
    for line, own in zip([*lines, ""], [*kept, False], strict=True):
        if own:
            run.append(line)
        elif run:
            if any(_SPOKEN.search(said) for said in run):
                runs.append("\n".join(run).strip("\n"))
            run = []
    return runs


def _repeats(line: str, said_before: Collection[int]) -> bool:
    return len(line) >= LEAST_REPEATED and len(said := _letters(line)) >= LEAST_REPEATED and hash(said) in said_before


def _letters(line: str) -> str:
    return _NOT_LETTERS.sub(" ", line[:LONGEST_LINE]).strip().casefold()
