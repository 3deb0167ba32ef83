"""What every git process gets, whatever it is asked: subcommands, options, environment.

Standard invocation: stack/STACK.md 4.3. Pure: nothing runs here.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

REAL_SUBCOMMANDS = frozenset({"rev-parse", "for-each-ref", "config", "check-ignore", "ls-files"})
"""Run against the real repository. None of these executes anything a repository's config names (STACK 4.1)."""
HISTORY_SUBCOMMANDS = frozenset(
    {"log", "blame", "rev-list", "diff-tree", "ls-tree", "merge-base", "patch-id", "name-rev", "cat-file"}
)
"""Run against the shadow git directory only."""
OWN_SUBCOMMANDS = frozenset({"commit-graph"})
"""Write, and only ever into the shadow git directory."""

_NEUTRAL_CONFIG = (
    "core.fsmonitor=false",
    f"core.hooksPath={os.devnull}",
    f"core.attributesFile={os.devnull}",
    "core.quotePath=false",
    "core.untrackedCache=false",
    "log.showSignature=false",
    "log.follow=false",
    "gpg.program=false",
    "gpg.ssh.program=false",
    "gpg.x509.program=false",
    "diff.external=",
    "diff.noprefix=false",
    "diff.mnemonicPrefix=false",
    "diff.autoRefreshIndex=false",
    "submodule.recurse=false",
    "color.ui=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "protocol.allow=never",
)
NEUTRAL_OPTIONS: tuple[str, ...] = ("--no-pager", *(part for pair in _NEUTRAL_CONFIG for part in ("-c", pair)))
"""Options before every subcommand. They override whatever a repository's own config says."""
EXPLICIT_BARE: tuple[str, ...] = ("-c", "safe.bareRepository=explicit")

_FORBIDDEN = (
    "--output",
    "--contents",
    "--ext-diff",
    "--textconv",
    "--ignore-revs-file",
    "--open-files-in-pager",
    "--show-signature",
    "--filters",
    "--upload-pack",
    "--exec",
)
_ALLOWED = frozenset({"--ignore-rev"})
"""Options of their own that only look like the beginning of a forbidden one."""
_ENVIRONMENT = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_GRAFT_FILE": "/nonexistent/grafts",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_PAGER": "cat",
    "GIT_ASKPASS": "true",
    "SSH_ASKPASS": "true",
    "GIT_SSH_COMMAND": "false",
    "GIT_EDITOR": "false",
    "LC_ALL": "C.UTF-8",
}
_KEPT = ("HOME", "SYSTEMROOT", "SystemRoot", "USERPROFILE", "TMPDIR", "TEMP", "TMP")


def environment(git_path: str, extra: Mapping[str, str] | None = None, own_config: bool = False) -> dict[str, str]:
    """The whole environment of a git child. ``own_config``: the user's own config may be read (only for ``config``)."""
    result = {name: os.environ[name] for name in _KEPT if name in os.environ}
    directories = [str(Path(git_path).parent), *os.environ.get("PATH", "").split(os.pathsep)]
    result["PATH"] = os.pathsep.join(d for d in dict.fromkeys(directories) if Path(d).is_absolute())
    result.update(_ENVIRONMENT)
    if own_config:
        for name in ("GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"):
            result.pop(name, None)
            if name in os.environ:
                result[name] = os.environ[name]
        if "XDG_CONFIG_HOME" in os.environ:
            result["XDG_CONFIG_HOME"] = os.environ["XDG_CONFIG_HOME"]
    result.update(extra or {})
    return result


def refuse_dangerous(subcommand: str, arguments: Sequence[str]) -> None:
    """Raise ValueError on an option that writes a file, reads another, or runs a program; also abbreviated or
    joined."""
    for argument in arguments:
        if argument in ("--", "--end-of-options"):
            return
        name = argument.split("=", 1)[0]
        joined = name.startswith("--") and len(name) > 4 and name not in _ALLOWED
        if joined and any(bad.startswith(name) for bad in _FORBIDDEN):
            raise ValueError(f"{name} is not an option this program passes to git {subcommand}")
        if "%G" in argument or (argument.startswith("-O") and argument != f"-O{os.devnull}"):
            raise ValueError(f"{argument!r} is not an option this program passes to git {subcommand}")
        if subcommand == "blame" and argument.startswith("-S"):
            raise ValueError("git blame -S reads any file")
