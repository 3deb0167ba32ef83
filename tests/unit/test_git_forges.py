"""Links are built from the text of remotes alone, for hosts that are known, without credentials."""

from __future__ import annotations

import pytest

from anamnesis_lsp.records.git.forges import Forge, forge_of, forges, without_credentials

H = "a" * 40


@pytest.mark.parametrize(
    ("url", "home"),
    [
        ("https://github.com/o/n.git", "https://github.com/o/n"),
        ("git@github.com:o/n.git", "https://github.com/o/n"),
        ("ssh://git@ssh.github.com:443/o/n.git", "https://github.com/o/n"),
        ("git://github.com/o/n", "https://github.com/o/n"),
        ("https://user:token@github.com/o/n", "https://github.com/o/n"),
        ("https://gitlab.com/group/sub/n.git", "https://gitlab.com/group/sub/n"),
        ("git@bitbucket.org:o/n.git", "https://bitbucket.org/o/n"),
        ("https://codeberg.org/o/n", "https://codeberg.org/o/n"),
        ("https://org@dev.azure.com/org/proj/_git/n", "https://dev.azure.com/org/proj/_git/n"),
        ("https://dev.azure.com/org/_git/n", "https://dev.azure.com/org/n/_git/n"),
        ("git@ssh.dev.azure.com:v3/org/My%20Proj/n", "https://dev.azure.com/org/My%20Proj/_git/n"),
        ("https://org.visualstudio.com/DefaultCollection/proj/_git/n", "https://org.visualstudio.com/proj/_git/n"),
        ("https://gitlab.com/o/name with space", "https://gitlab.com/o/name%20with%20space"),
    ],
)
def test_the_project_of_a_remote(url: str, home: str) -> None:
    forge = forge_of(url)
    assert forge is not None and forge.home == home


@pytest.mark.parametrize(
    "url",
    [
        "https://git.example.com/o/n.git",
        "https://evilgithub.com/o/n",
        "https://github.com.evil.example/o/n",
        "/srv/git/n.git",
        "../n",
        "file:///srv/n.git",
        "ext::sh -c touch% x",
        "https://github.com/only",
        "https://github.com/o/../n",
        "javascript://github.com/%0aalert(1)",
        "git@git\u202ehub.com:o/n",
        "https://[bad/o/n",
        "",
    ],
)
def test_what_is_no_known_host_gives_no_link(url: str) -> None:
    assert forge_of(url) is None


def test_a_host_of_ones_own_is_known_by_a_configured_pattern() -> None:
    hosts = {"git.example.com": "GitLab", "*.corp.example": "bitbucket-server", "x.example": "nonsense"}
    found = forge_of("ssh://git@git.example.com:2222/g/n.git", hosts)
    assert found == Forge("gitlab", "git.example.com", "g/n")
    server = forge_of("https://bb.corp.example:8443/scm/PRJ/n.git", hosts)
    assert server is not None and server.home == "https://bb.corp.example:8443/projects/PRJ/repos/n"
    own = forge_of("ssh://git@bb.corp.example:7999/~ada/n.git", hosts)
    assert own is not None and own.home == "https://bb.corp.example/users/ada/repos/n"
    assert forge_of("https://x.example/o/n", hosts) is None


@pytest.mark.parametrize(
    ("url", "commit", "file", "pull", "issue"),
    [
        (
            "https://github.com/o/n",
            f"https://github.com/o/n/commit/{H}",
            f"https://github.com/o/n/blob/{H}/a%20dir/%23x.py#L3-L5",
            "https://github.com/o/n/pull/7",
            "https://github.com/o/n/issues/7",
        ),
        (
            "https://gitlab.com/g/s/n",
            f"https://gitlab.com/g/s/n/-/commit/{H}",
            f"https://gitlab.com/g/s/n/-/blob/{H}/a%20dir/%23x.py#L3-5",
            "https://gitlab.com/g/s/n/-/merge_requests/7",
            "https://gitlab.com/g/s/n/-/issues/7",
        ),
        (
            "https://bitbucket.org/o/n",
            f"https://bitbucket.org/o/n/commits/{H}",
            f"https://bitbucket.org/o/n/src/{H}/a%20dir/%23x.py#lines-3:5",
            "https://bitbucket.org/o/n/pull-requests/7",
            "https://bitbucket.org/o/n/issues/7",
        ),
        (
            "https://codeberg.org/o/n",
            f"https://codeberg.org/o/n/commit/{H}",
            f"https://codeberg.org/o/n/src/commit/{H}/a%20dir/%23x.py#L3-L5",
            "https://codeberg.org/o/n/pulls/7",
            "https://codeberg.org/o/n/issues/7",
        ),
        (
            "https://dev.azure.com/o/p/_git/n",
            f"https://dev.azure.com/o/p/_git/n/commit/{H}",
            f"https://dev.azure.com/o/p/_git/n?path=/a%20dir/%23x.py&version=GC{H}"
            "&line=3&lineEnd=6&lineStartColumn=1&lineEndColumn=1",
            "https://dev.azure.com/o/p/_git/n/pullrequest/7",
            "https://dev.azure.com/o/p/_workitems/edit/7",
        ),
    ],
)
def test_the_pages_of_each_forge(url: str, commit: str, file: str, pull: str, issue: str) -> None:
    forge = forge_of(url)
    assert forge is not None
    assert forge.commit(H) == commit and forge.file(H, "a dir/#x.py", (3, 5)) == file
    assert forge.pull(7) == pull and forge.issue(7) == issue


def test_one_line_is_marked_as_one_and_no_lines_as_none() -> None:
    forge = forge_of("https://github.com/o/n")
    assert forge is not None
    assert forge.file(H, "x", (4, 4)).endswith("/x#L4") and forge.file(H, "x").endswith("/x")


def test_origin_comes_first_and_each_project_once() -> None:
    remotes = {"fork": "git@github.com:me/n", "origin": "https://github.com/o/n", "again": "git@github.com:o/n.git"}
    assert [forge.project for forge in forges(remotes)] == ["o/n", "me/n"]


def test_credentials_are_left_out_of_what_is_shown() -> None:
    assert without_credentials("https://me:secret@host.example/o/n?token=x") == "https://host.example/o/n"
    assert without_credentials("git@github.com:o/n.git") == "github.com:o/n.git"
    assert without_credentials("/srv/n.git") == "/srv/n.git"
