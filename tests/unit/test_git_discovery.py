"""Where a repository is found, and what it is."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from anamnesis_lsp.cancel import never
from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.records.git import Repository
from tests.builders.repos import new_repo, numbered, retry_repo


def found(path: Path) -> Repository:
    return Repository.discover(path, never())


def refused(path: Path) -> AnamnesisError:
    with pytest.raises(AnamnesisError) as caught:
        found(path)
    return caught.value


def test_a_file_in_a_sub_folder_finds_the_repository_above_it(tmp_path: Path) -> None:
    repo = retry_repo(tmp_path / "r")
    opened = found(repo.path / "src" / "fetch.py")
    assert opened.root == (tmp_path / "r").resolve()
    assert opened.relative(repo.path / "src" / "fetch.py") == "src/fetch.py"
    assert opened.head(never()) == repo.head()
    assert not opened.bare and not opened.shallow and not opened.partial


def test_a_path_that_does_not_exist_yet_finds_it_too(tmp_path: Path) -> None:
    repo = retry_repo(tmp_path / "r")
    assert found(repo.path / "src" / "new" / "file.py").root == repo.path.resolve()


def test_the_same_repository_is_opened_once(tmp_path: Path) -> None:
    repo = retry_repo(tmp_path / "r")
    assert found(repo.path) is found(repo.path / "src")


def test_a_folder_outside_is_not_a_repository(tmp_path: Path) -> None:
    assert refused(tmp_path).code is ErrorCode.NOT_A_REPOSITORY


def test_a_broken_git_folder_is_not_a_repository(tmp_path: Path) -> None:
    (tmp_path / "r" / ".git" / "objects").mkdir(parents=True)
    (tmp_path / "r" / ".git" / "refs").mkdir()
    (tmp_path / "r" / ".git" / "HEAD").write_text("nonsense\n")
    assert refused(tmp_path / "r").code is ErrorCode.NOT_A_REPOSITORY


def test_a_linked_worktree_has_its_own_root_and_head_and_the_common_dir(tmp_path: Path) -> None:
    repo = retry_repo(tmp_path / "r")
    repo.git("worktree", "add", "-q", str(tmp_path / "linked"), "HEAD~1")
    opened = found(tmp_path / "linked" / "src" / "fetch.py")
    assert opened.root == (tmp_path / "linked").resolve()
    assert opened.common_dir == (tmp_path / "r" / ".git").resolve()
    assert opened.head(never()) == repo.git("rev-parse", "HEAD~1")
    assert len(opened.blame(opened.head(never()), "src/fetch.py", None, never()).lines) == 3


def test_a_submodule_is_a_repository_of_its_own(tmp_path: Path) -> None:
    inner = retry_repo(tmp_path / "inner")
    outer = new_repo(tmp_path / "outer")
    outer.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner.path), "lib")
    outer.commit("Add lib")
    opened = found(tmp_path / "outer" / "lib" / "src" / "fetch.py")
    assert opened.root == (tmp_path / "outer" / "lib").resolve()
    assert opened.head(never()) == inner.head()
    with pytest.raises(AnamnesisError) as caught:
        found(outer.path).file(outer.head(), "lib", never())
    assert caught.value.code is ErrorCode.FILE_MISSING


def test_a_bare_repository_is_opened_when_it_is_named(tmp_path: Path) -> None:
    repo = retry_repo(tmp_path / "r")
    repo.git("clone", "-q", "--bare", str(repo.path), str(tmp_path / "bare.git"))
    opened = found(tmp_path / "bare.git")
    assert opened.bare and opened.root == (tmp_path / "bare.git").resolve()
    assert opened.text(opened.head(never()), "README", never()) == "Fetch things.\n"


def test_a_bare_repository_lying_in_a_work_tree_is_not_taken_for_the_one_around_it(tmp_path: Path) -> None:
    repo = retry_repo(tmp_path / "r")
    repo.git("clone", "-q", "--bare", str(repo.path), str(repo.path / "docs" / "sub"))
    assert found(repo.path / "docs" / "sub" / "HEAD").root == repo.path.resolve()
    assert found(repo.path / "docs" / "sub" / "refs").root == repo.path.resolve()


def test_work_trees_beside_a_bare_clone(tmp_path: Path) -> None:
    repo = retry_repo(tmp_path / "r")
    repo.git("clone", "-q", "--bare", str(repo.path), str(tmp_path / "p" / ".bare"))
    (tmp_path / "p" / ".git").write_text("gitdir: ./.bare\n")
    repo.git(f"--git-dir={tmp_path / 'p' / '.bare'}", "worktree", "add", "-q", str(tmp_path / "p" / "main"), "main")
    assert found(tmp_path / "p").bare
    opened = found(tmp_path / "p" / "main" / "README")
    assert opened.root == (tmp_path / "p" / "main").resolve() and not opened.bare


def test_sha256_repositories_are_read_alike(tmp_path: Path) -> None:
    repo = new_repo(tmp_path / "r", object_format="sha256")
    first = repo.commit("One", {"a.txt": numbered(5)})
    repo.commit("Two", {"a.txt": numbered(5) + "more\n"})
    opened = found(repo.path)
    assert opened.object_format == "sha256" and len(first) == 64
    blame = opened.blame(opened.head(never()), "a.txt", None, never())
    assert [line.commit == first for line in blame.lines] == [True] * 5 + [False]
    assert [change.path for change in opened.changes(repo.head(), never())] == ["a.txt"]
    assert [entry.message for entry in opened.log(repo.head(), never())] == ["Two\n", "One\n"]
    assert opened.objects.entry(first, "a.txt", never()) is not None
    assert opened.build_commit_graph(never())


def test_a_symbolic_link_to_the_root_and_to_a_file(tmp_path: Path) -> None:
    repo = retry_repo(tmp_path / "r")
    (tmp_path / "link").symlink_to(repo.path)
    (tmp_path / "file.py").symlink_to(repo.path / "src" / "fetch.py")
    assert found(tmp_path / "link").root == repo.path.resolve()
    opened = found(tmp_path / "file.py")
    assert opened.relative(tmp_path / "file.py") == "src/fetch.py"


def test_objects_borrowed_from_another_repository_are_found_also_behind_a_colon(tmp_path: Path) -> None:
    lender = retry_repo(tmp_path / "len:der")
    lender.git("clone", "-q", "--shared", str(lender.path), str(tmp_path / "borr:ower"))
    opened = found(tmp_path / "borr:ower")
    assert len(list(opened.log(opened.head(never()), never()))) == 3
    assert opened.commit(lender.head(), never()).subject == "Raise the limit"


def test_an_unborn_head_is_told(tmp_path: Path) -> None:
    opened = found(new_repo(tmp_path / "r").path)
    with pytest.raises(AnamnesisError) as caught:
        opened.head(never())
    assert caught.value.code is ErrorCode.UNBORN_HEAD


def test_head_follows_commits_packing_and_detaching(tmp_path: Path) -> None:
    repo = retry_repo(tmp_path / "r")
    opened = found(repo.path)
    assert opened.head(never()) == repo.head() and opened.branch() == "main"
    repo.git("pack-refs", "--all")
    assert opened.head(never()) == repo.head()
    assert opened.head(never()) == repo.head()
    new = repo.commit("Four", {"README": "x\n"})
    assert opened.head(never()) == new
    repo.git("checkout", "-q", "--detach", "HEAD~2")
    assert opened.head(never()) == repo.head() and opened.branch() is None
    repo.git("symbolic-ref", "HEAD", "refs/heads/none")
    with pytest.raises(AnamnesisError):
        opened.head(never())


def test_revisions_are_resolved_in_the_repository(tmp_path: Path) -> None:
    repo = retry_repo(tmp_path / "r")
    repo.git("tag", "-a", "v1", "-m", "one", "HEAD~1")
    opened = found(repo.path)
    for rev in ("v1", "HEAD~1", "main~1", repo.git("rev-parse", "--short", "HEAD~1"), "HEAD^{/Retry}"):
        assert opened.resolve(rev, never()) == repo.git("rev-parse", "HEAD~1"), rev
    for rev in ("nope", "--all", "-n1", "", "a\nb", "HEAD:README", "x" * 600, "0" * 40, "HEAD^{tree}"):
        with pytest.raises(AnamnesisError) as caught:
            opened.resolve(rev, never())
        assert caught.value.code is ErrorCode.UNKNOWN_REVISION, rev


def test_refs_remotes_and_the_person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = retry_repo(tmp_path / "r")
    repo.git("tag", "-a", "v1", "-m", "one", "HEAD~1")
    repo.git("notes", "--ref=ai", "add", "-m", "a note", "HEAD")
    repo.git("remote", "add", "origin", "https://example.org/x.git")
    repo.git("config", "user.email", "me@example.org")
    config = tmp_path / "gitconfig"
    config.write_text("[user]\n\tname = Me Myself\n\temail = other@example.org\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    opened = found(repo.path)
    refs = {ref.name: ref for ref in opened.refs(never())}
    assert refs["refs/heads/main"].hash == repo.head()
    assert refs["refs/tags/v1"].hash == repo.git("rev-parse", "v1^{commit}")
    assert refs["refs/tags/v1"].type == "commit"
    assert "refs/notes/ai" in refs
    assert opened.remotes(never()) == {"origin": "https://example.org/x.git"}
    assert opened.user_email() == "me@example.org" and opened.user_name() == "Me Myself"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give a repository away")
def test_a_repository_of_another_user_is_refused_until_the_user_trusts_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = retry_repo(tmp_path / "r")
    for path in [repo.path, *repo.path.rglob("*")]:
        os.chown(path, 12345, 12345, follow_symlinks=False)
    config = tmp_path / "gitconfig"
    config.write_text("")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    error = refused(repo.path / "src" / "fetch.py")
    assert error.code is ErrorCode.DUBIOUS_OWNERSHIP and error.code.exit_code == 3
    assert "safe.directory" in error.remedy and "dubious ownership" in error.message
    config.write_text("[safe]\n\tdirectory = /somewhere/else\n")
    assert refused(repo.path).code is ErrorCode.DUBIOUS_OWNERSHIP
    config.write_text(f"[safe]\n\tdirectory = {repo.path.resolve()}\n")
    assert found(repo.path).root == repo.path.resolve()


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give a repository away")
def test_an_opened_repository_that_changes_its_owner_is_asked_about_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    repo = retry_repo(tmp_path / "r")
    found(repo.path)
    os.chown(repo.path / ".git", 12345, 12345)
    os.chown(repo.path, 12345, 12345)
    assert refused(repo.path).code is ErrorCode.DUBIOUS_OWNERSHIP


@pytest.mark.skipif(os.name == "nt", reason="named pipes")
@pytest.mark.parametrize("name", ["HEAD", "config", "packed-refs", "index", "shallow", "commondir", "info/exclude"])
def test_a_pipe_that_git_would_wait_for_is_refused_at_once(tmp_path: Path, name: str) -> None:
    repo = retry_repo(tmp_path / "r")
    file = repo.path / ".git" / name
    file.unlink(missing_ok=True)
    file.parent.mkdir(exist_ok=True)
    os.mkfifo(file)
    began = time.monotonic()
    error = refused(repo.path / "src" / "fetch.py")
    assert error.code is ErrorCode.NOT_A_REPOSITORY and "pipe" in error.message
    assert time.monotonic() - began < 5
    file.unlink()
    file.symlink_to("/dev/zero")
    assert refused(repo.path).code is ErrorCode.NOT_A_REPOSITORY


@pytest.mark.skipif(os.name == "nt", reason="devices")
def test_a_link_to_nothing_is_no_pipe(tmp_path: Path) -> None:
    repo = retry_repo(tmp_path / "r")
    exclude = repo.path / ".git" / "info" / "exclude"
    exclude.parent.mkdir(exist_ok=True)
    exclude.unlink(missing_ok=True)
    exclude.symlink_to(os.devnull)
    assert found(repo.path).head(never()) == repo.head()


@pytest.mark.skipif(sys.platform != "linux", reason="Linux tells what a process waits for")
@pytest.mark.parametrize(
    "place", ["a ref", "a loose object", "a pack", "included config", "an ignore file", "alternates"]
)
def test_a_pipe_that_git_meets_on_its_way_is_noticed(tmp_path: Path, place: str) -> None:
    """Those that cannot be foreseen without walking through the repository: git is stopped within two seconds."""
    repo = retry_repo(tmp_path / "r")
    commit = repo.commit("Another", {"ignored/deep/file.py": "x = 1\n"})
    opened = found(repo.path)
    git = repo.path / ".git"
    file = {
        "a ref": git / "refs" / "heads" / "waits",
        "a loose object": git / "objects" / commit[:2] / commit[2:],
        "a pack": git / "objects" / "pack" / f"pack-{'1' * 40}.idx",
        "included config": git / "more",
        "an ignore file": repo.path / "ignored" / ".gitignore",
        "alternates": git / "objects" / "info" / "alternates",
    }[place]
    file.parent.mkdir(exist_ok=True)
    file.unlink(missing_ok=True)
    os.mkfifo(file)
    if place == "a pack":
        (file.parent / f"{file.stem}.pack").write_bytes(b"PACK")
    if place == "included config":
        repo.git("config", "include.path", "more")
    asked = {
        "a ref": lambda: opened.refs(never()),
        "included config": lambda: opened.user_name(never()),
        "an ignore file": lambda: opened.ignored("ignored/deep/file.py", never()),
    }.get(place, lambda: opened.commit("f" * 40 if place == "a pack" else commit, never()))
    began = time.monotonic()
    with pytest.raises(AnamnesisError) as refusal:
        asked()
    assert refusal.value.code is ErrorCode.GIT_TIMEOUT and "pipe" in refusal.value.message
    assert time.monotonic() - began < 4
