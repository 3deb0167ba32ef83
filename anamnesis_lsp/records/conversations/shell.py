"""What a shell command did, as its own output shows: commits made, and files written by a heredoc.

A ``git commit`` call is not a commit (``formats/FORMATS.md`` 0.1 rule 7): only the success line in the output is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from anamnesis_lsp.records.conversations.model import CommitMade

_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_COMMITTED = re.compile(
    r"^[ \t]*\[(?P<branch>[^\[\]\n]{1,250}?)(?P<root> \(root-commit\))? (?P<hash>[0-9a-f]{7,64})\] (?P<subject>.*)$",
    re.MULTILINE,
)
_MAKES_COMMITS = re.compile(
    r"\bgit\b[^|;&\n]{0,400}?\s(?:commit|cherry-pick|revert|merge|am|rebase|pull|ci)\b|(?<![-\w/.])commit(?![-\w])|\b(?:gt|jj|hg|lazygit)\s",
)
_QUIET = re.compile(r"\bgit\b[^|;&\n]{0,400}\bcommit\b(?:[^;\n]|\n(?!\s*git\b))*\Z")
_THEN_HASH = re.compile(
    r"\s*git\b[^|;&\n]*?\b"
    r"(?:rev-parse\s+(?:--short(?:=\d+)?\s+|--verify\s+)*HEAD|log\b[^|;&\n]*?(?:-1|-n\s*1|--max-count=1)\b[^|;&\n]*)\s*\Z",
)
_LONGEST = 4000
"""Characters of a command that is looked at for what its last part prints."""
_HASH_LINE = re.compile(r"^(?P<hash>[0-9a-f]{7,64})(?: \([^)\n]*\))?(?: (?P<subject>\S.*))?$")


def commits_in(command: str | None, output: str) -> list[CommitMade]:
    """The commits that ``output`` shows to have been made by ``command`` (None: the command is not recorded).

    Reads ``[branch hash] subject`` (root commit, detached HEAD, amend and cherry-pick included), and for a quiet commit
    the hash printed by a ``git rev-parse HEAD`` or ``git log -1`` that ``&&`` made depend on it.
    """
    if command is not None and not _MAKES_COMMITS.search(command):
        return []
    if "\x1b" in output:
        output = _ANSI.sub("", output)
    how = "committed"
    if command is not None:
        if re.search(r"\s--amend\b", command):
            how = "amended"
        elif re.search(r"\bgit\b[^|;&\n]{0,400}\scherry-pick\b", command):
            how = "cherry-picked"
    made: list[CommitMade] = []
    for match in _COMMITTED.finditer(output):
        branch: str | None = match["branch"].strip()
        if branch and " " in branch:
            if branch not in ("detached HEAD", "HEAD detached"):
                continue
            branch = None
        made.append(CommitMade(match["hash"], match["subject"].strip() or None, branch, how))
    if made or command is None:
        return made
    quiet, _, last_part = command.strip().rpartition("&&")
    if len(command) <= _LONGEST and _THEN_HASH.match(last_part) and _QUIET.search(quiet):
        lines = output.strip().split("\n")
        last = _HASH_LINE.match(lines[-1].strip())
        if last is not None:
            made.append(CommitMade(last["hash"], last["subject"], None, how))
    return made


@dataclass(frozen=True, slots=True)
class HeredocWrite:
    """A file written by a shell heredoc: ``text`` ends without a line end."""

    path: str
    text: str
    append: bool


_HEREDOC = re.compile(r"<<(?P<dash>-?)\s*(?P<quote>['\"\\]?)(?P<word>[A-Za-z_][\w.-]*)(?P=quote)?")
_REDIRECT = re.compile(r"(?<![0-9&>])(?P<mark>>>?)\|?\s*(?P<path>'[^'\n]+'|\"[^\"\n]+\"|[^\s'\"<>|;&()]+)")
_TEE = re.compile(r"\btee\s+(?P<flag>-a\s+|--append\s+)?(?P<path>'[^'\n]+'|\"[^\"\n]+\"|[^\s'\"<>|;&()]+)")


def heredoc_writes(command: str) -> list[HeredocWrite]:
    """The files that heredocs of ``command`` write: ``cat > F <<EOF``, ``cat <<EOF >> F``, ``tee F <<EOF``.

    A heredoc that feeds a program (``python - <<EOF``, ``git commit -F - <<EOF``) writes no file and is not here; a
    path with a variable or a substitution in it is not known and left out.
    """
    if "<<" not in command:
        return []
    writes: list[HeredocWrite] = []
    lines = command.split("\n")
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        start = _HEREDOC.search(line)
        if start is None or line[start.end() : start.end() + 1] == "<" or line[max(0, start.start() - 1)] == "<":
            continue
        body: list[str] = []
        ended = False
        while at < len(lines):
            text = lines[at].lstrip("\t") if start["dash"] else lines[at]
            at += 1
            if text.rstrip("\r") == start["word"]:
                ended = True
                break
            body.append(text)
        target = _target(line, start.start())
        if ended and target is not None:
            writes.append(HeredocWrite(target[0], "\n".join(body), target[1]))
    return writes


def _target(line: str, at: int) -> tuple[str, bool] | None:
    begin = max(line.rfind(mark, 0, at) for mark in (";", "&&", "||", "\x00"))
    simple = line[begin + 1 :] if begin >= 0 else line
    words = simple.lstrip("&| ;").split(None, 1)
    if words and words[0] in ("cat", "sudo"):
        match = _REDIRECT.search(re.sub(_HEREDOC, " ", simple))
        if match is not None:
            return _plain(match["path"], match["mark"] == ">>")
    match = _TEE.search(simple)
    return None if match is None else _plain(match["path"], match["flag"] is not None)


def _plain(path: str, append: bool) -> tuple[str, bool] | None:
    quoted = path[:1] in "'\""
    bare = path[1:-1] if quoted else path.replace("\\ ", " ")
    if not bare or bare.startswith("/dev/") or (not path.startswith("'") and re.search(r"[$`*?]", bare)):
        return None
    return bare, append
