"""Links to where a repository is hosted, built from the text of its remotes' URLs. Nothing is fetched.

GitHub, GitLab, Bitbucket (Cloud and Data Center), Gitea (Forgejo, Codeberg) and Azure DevOps; a host of one's own by a
configured pattern (``{"git.example.com": "gitlab"}``, ``*`` and ``?`` as in a shell). A host that is none of these
gives no link. Credentials in a URL never leave here. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal
from urllib.parse import quote, unquote, urlsplit

ForgeKind = Literal["github", "gitlab", "bitbucket", "bitbucket-server", "gitea", "azure"]
KINDS: tuple[ForgeKind, ...] = ("github", "gitlab", "bitbucket", "bitbucket-server", "gitea", "azure")

_HOSTS: dict[str, ForgeKind] = {
    "github.com": "github",
    "ssh.github.com": "github",
    "gitlab.com": "gitlab",
    "altssh.gitlab.com": "gitlab",
    "bitbucket.org": "bitbucket",
    "altssh.bitbucket.org": "bitbucket",
    "gitea.com": "gitea",
    "codeberg.org": "gitea",
    "dev.azure.com": "azure",
    "ssh.dev.azure.com": "azure",
    "vs-ssh.visualstudio.com": "azure",
}
_WEB_HOST = {
    "ssh.github.com": "github.com",
    "altssh.gitlab.com": "gitlab.com",
    "altssh.bitbucket.org": "bitbucket.org",
    "ssh.dev.azure.com": "dev.azure.com",
}
_SCP = re.compile(r"(?:[^@/\s]+@)?(?P<host>\[[0-9A-Fa-f:]+\]|[\w.-]+):(?!//)(?P<path>.+)")
_HOST = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?")
_PRIMARY = ("origin", "upstream")


@dataclass(frozen=True, slots=True)
class Forge:
    """Where one remote is hosted. Every method returns an ``https:`` URL (``http:`` where the remote is reached so)."""

    kind: ForgeKind
    host: str
    project: str
    """The path of the project as the URL has it, unescaped: ``owner/name``, ``group/sub/name``,
    ``org/project/name``."""
    scheme: str = "https"
    port: int | None = None

    @property
    def home(self) -> str:
        """The project's page."""
        base = f"{self.scheme}://{self.host}{f':{self.port}' if self.port else ''}"
        if self.kind == "azure":
            organisation, project, name = self.project.split("/")
            middle = "" if self.host.endswith(".visualstudio.com") else f"/{_path(organisation)}"
            return f"{base}{middle}/{_path(project)}/_git/{_path(name)}"
        if self.kind == "bitbucket-server":
            owner, _, name = self.project.rpartition("/")
            area = f"users/{_path(owner[1:])}" if owner.startswith("~") else f"projects/{_path(owner)}"
            return f"{base}/{area}/repos/{_path(name)}"
        return f"{base}/{_path(self.project)}"

    def commit(self, commit: str) -> str:
        """The page of a commit, by its full id."""
        word = {"gitlab": "-/commit", "bitbucket": "commits", "bitbucket-server": "commits"}.get(self.kind, "commit")
        return f"{self.home}/{word}/{quote(commit, safe='')}"

    def file(self, commit: str, path: str, lines: tuple[int, int] | None = None) -> str:
        """A file at a commit, with its lines (from 1, inclusive) marked."""
        rev, name = quote(commit, safe=""), _path(path)
        first, last = lines or (0, 0)
        if self.kind == "github":
            return f"{self.home}/blob/{rev}/{name}" + _anchor(lines, "#L{}", "#L{}-L{}")
        if self.kind == "gitlab":
            return f"{self.home}/-/blob/{rev}/{name}" + _anchor(lines, "#L{}", "#L{}-{}")
        if self.kind == "gitea":
            return f"{self.home}/src/commit/{rev}/{name}" + _anchor(lines, "#L{}", "#L{}-L{}")
        if self.kind == "bitbucket":
            return f"{self.home}/src/{rev}/{name}" + _anchor(lines, "#lines-{}", "#lines-{}:{}")
        if self.kind == "bitbucket-server":
            return f"{self.home}/browse/{name}?at={rev}" + _anchor(lines, "#{}", "#{}-{}")
        marked = f"&line={first}&lineEnd={last + 1}&lineStartColumn=1&lineEndColumn=1" if lines else ""
        return f"{self.home}?path=/{quote(path, safe='/', errors='surrogateescape')}&version=GC{rev}{marked}"

    def pull(self, number: int) -> str:
        """A pull or merge request."""
        word = {
            "github": "pull",
            "gitlab": "-/merge_requests",
            "gitea": "pulls",
            "azure": "pullrequest",
        }.get(self.kind, "pull-requests")
        return f"{self.home}/{word}/{number}"

    def issue(self, number: int) -> str | None:
        """An issue; None where the forge has no issues by number of the project (Bitbucket Data Center)."""
        if self.kind == "bitbucket-server":
            return None
        if self.kind == "azure":
            return f"{self.home.partition('/_git/')[0]}/_workitems/edit/{number}"
        return f"{self.home}/{'-/issues' if self.kind == 'gitlab' else 'issues'}/{number}"


def forge_of(url: str, hosts: Mapping[str, str] | None = None) -> Forge | None:
    """The forge that a remote's URL names, None where it names none that is known.

    ``hosts`` adds hosts by pattern; kinds that are none of :data:`KINDS` are passed over. ``scp``-like, ``ssh:``,
    ``git:``, ``http:`` and ``https:`` URLs.
    """
    if not url.isprintable() or len(url) > 2000:
        return None
    scheme, port = "https", None
    if "://" in url:
        try:
            parts = urlsplit(url)
            host, path = parts.hostname or "", parts.path
            if parts.scheme not in ("https", "http", "ssh", "git", "git+ssh"):
                return None
            if parts.scheme in ("https", "http"):
                scheme, port = parts.scheme, parts.port
        except ValueError:
            return None
    else:
        match = _SCP.fullmatch(url)
        if match is None:
            return None
        host, path = match["host"].lower(), match["path"]
    if not _HOST.fullmatch(host):
        return None
    kind = _kind(host, hosts or {})
    if kind is None:
        return None
    project = unquote(path).strip("/").removesuffix(".git")
    if kind == "azure":
        return _azure(host, project)
    if kind == "bitbucket-server":
        project = project.removeprefix("scm/")
    segments = project.split("/")
    if len(segments) < 2 or any(part in ("", ".", "..") for part in segments) or not project.isprintable():
        return None
    if kind != "gitlab":
        project = "/".join(segments[-2:]) if kind == "bitbucket-server" else project
    return Forge(kind, _WEB_HOST.get(host, host), project, scheme, port)


def forges(remotes: Mapping[str, str], hosts: Mapping[str, str] | None = None) -> list[Forge]:
    """The forges of a repository's remotes, each once: ``origin`` first, then ``upstream``, then by name."""
    order = sorted(remotes, key=lambda name: (_PRIMARY.index(name) if name in _PRIMARY else len(_PRIMARY), name))
    found = (forge_of(remotes[name], hosts) for name in order)
    return list(dict.fromkeys(forge for forge in found if forge is not None))


def without_credentials(url: str) -> str:
    """A remote's URL as it may be shown: name and password gone."""
    if "://" in url:
        scheme, _, rest = url.partition("://")
        authority, slash, path = rest.partition("/")
        return f"{scheme}://{authority.rpartition('@')[2]}{slash}{path.partition('?')[0]}"
    match = _SCP.fullmatch(url)
    return url if match is None else f"{match['host']}:{match['path']}"


def _kind(host: str, hosts: Mapping[str, str]) -> ForgeKind | None:
    for pattern, named in hosts.items():
        kind: ForgeKind | None = next((known for known in KINDS if known == named.lower()), None)
        if kind is not None and fnmatchcase(host, pattern.lower()):
            return kind
    if host.endswith(".visualstudio.com") and host != "vs-ssh.visualstudio.com":
        return "azure"
    return _HOSTS.get(host)


def _azure(host: str, path: str) -> Forge | None:
    """``org/project/_git/name``, ``org/_git/name``, ``v3/org/project/name``, ``project/_git/name`` on org's host."""
    parts = [part for part in path.split("/") if part != "DefaultCollection"]
    own = host.endswith(".visualstudio.com") and host != "vs-ssh.visualstudio.com"
    if own:
        parts.insert(0, host.split(".")[0])
    if parts[:1] == ["v3"]:
        found = parts[1:]
    elif "_git" in parts:
        place = parts.index("_git")
        before, name = parts[:place], parts[place + 1 :]
        found = [*before, *name] if len(before) == 2 else [*before, *name, *name]
    else:
        return None
    if len(found) != 3 or any(part in ("", ".", "..") for part in found):
        return None
    return Forge("azure", host if own else "dev.azure.com", "/".join(found))


def _path(path: str) -> str:
    return quote(path, safe="/~", errors="surrogateescape")


def _anchor(lines: tuple[int, int] | None, one: str, many: str) -> str:
    if lines is None:
        return ""
    return one.format(lines[0]) if lines[0] == lines[1] else many.format(*lines)
