"""The execution matrix of stack/STACK.md 4.1: each vector is planted, shown live with plain git, and then every public
operation is run. Nothing runs, and no byte or mtime under the repository changes.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from anamnesis_lsp.cancel import never
from anamnesis_lsp.errors import AnamnesisError
from anamnesis_lsp.records.git import Repository, check_selection
from tests.builders.repos import GIT, hermetic, new_repo, numbered, unchanged

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the planted programs are shell scripts")

FILE = "src/a.py"


class Trap:
    """A repository with one vector in it. ``program`` leaves a mark when anything runs it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.mark = folder / "mark"
        self.program = folder / "program"
        self.program.write_text(f'#!/bin/sh\necho "$0 $*" >> "{self.mark}"\n[ -f "$1" ] && cat "$1"\nexit 0\n')
        self.program.chmod(0o755)
        self.repo = new_repo(folder / "repo")
        self.repo.commit("One", {FILE: numbered(12), "gone.txt": "g\n", ".gitignore": "*.log\n"})
        self.repo.commit("Two", {FILE: numbered(12).replace("number 3", "number three"), "gone.txt": None})
        self.repo.write("new.py", "x\n")
        self.repo.write("x.log", "x\n")
        self.environment: dict[str, str] = {}

    def config(self, key: str, value: str) -> None:
        self.repo.git("config", key, value)

    def plain(self, *arguments: str, cwd: Path | None = None) -> None:
        """Run git as a careless program would, in the repository, with its config; failures do not matter."""
        subprocess.run(
            [GIT, *arguments],
            cwd=cwd or self.repo.path,
            env={**hermetic(), **self.environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=20,
            check=False,
        )

    def on_a_terminal(self, *arguments: str) -> None:
        import pty

        pid, descriptor = pty.fork()
        if pid == 0:
            os.chdir(self.repo.path)
            os.execvpe(GIT, [GIT, *arguments], {**hermetic(), "TERM": "xterm"})
        with suppress(OSError):
            while os.read(descriptor, 4096):
                pass
        os.close(descriptor)
        os.waitpid(pid, 0)


def fsmonitor(trap: Trap) -> None:
    trap.config("core.fsmonitor", str(trap.program))
    trap.plain("status")


def external_diff(trap: Trap) -> None:
    trap.config("diff.external", str(trap.program))
    trap.plain("diff", "HEAD~1", "HEAD")


def diff_driver(trap: Trap) -> None:
    trap.config("diff.evil.command", str(trap.program))
    trap.repo.commit("Attributes", {".gitattributes": "* diff=evil\n"})
    trap.plain("diff", "HEAD~2", "HEAD~1")


def textconv(trap: Trap) -> None:
    trap.config("diff.evil.textconv", str(trap.program))
    trap.repo.commit("Attributes", {".gitattributes": "* diff=evil\n"})
    trap.plain("blame", "HEAD", "--", FILE)


def textconv_by_info_attributes(trap: Trap) -> None:
    trap.config("diff.evil.textconv", str(trap.program))
    (trap.repo.path / ".git" / "info" / "attributes").write_text("* diff=evil\n")
    trap.plain("log", "-p")


def attributes_file(trap: Trap) -> None:
    trap.config("diff.evil.textconv", str(trap.program))
    trap.config("core.attributesFile", str(trap.repo.write("attributes", "* diff=evil\n")))
    trap.plain("blame", "HEAD", "--", FILE)


def clean_filter(trap: Trap) -> None:
    trap.repo.commit("Attributes", {".gitattributes": "*.py filter=evil\n"})
    trap.config("filter.evil.clean", str(trap.program))
    trap.repo.write(FILE, numbered(13))
    trap.plain("blame", "--", FILE)


def filter_process(trap: Trap) -> None:
    trap.repo.commit("Attributes", {".gitattributes": "*.py filter=evil\n"})
    trap.config("filter.evil.process", str(trap.program))
    trap.config("filter.evil.required", "true")
    trap.repo.write(FILE, numbered(13))
    trap.plain("diff")


def smudge_filter(trap: Trap) -> None:
    trap.config("filter.evil.smudge", str(trap.program))
    trap.repo.commit("Attributes", {".gitattributes": "*.py filter=evil\n"})
    trap.plain("cat-file", "--filters", f"HEAD:{FILE}")


def signature(trap: Trap) -> None:
    raw = trap.repo.git("cat-file", "commit", "HEAD")
    head, _, message = raw.partition("\n\n")
    signed = f"{head}\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n iQ\n -----END PGP SIGNATURE-----\n\n{message}\n"
    made = trap.repo.git("hash-object", "-t", "commit", "-w", "--stdin", input_=signed.encode())
    trap.repo.git("update-ref", "HEAD", made)
    trap.config("log.showSignature", "true")
    trap.config("gpg.program", str(trap.program))
    trap.plain("log")


def _lose_a_blob(trap: Trap) -> None:
    """Make the first version of the file a blob that only the promisor remote has."""
    blob = trap.repo.git("rev-parse", f"HEAD~1:{FILE}")
    trap.repo.git("repack", "-adq")
    packs = trap.repo.path / ".git" / "objects" / "pack"
    objects = [line.split()[0] for line in trap.repo.git("rev-list", "--all", "--objects").split("\n")]
    kept = "".join(f"{name}\n" for name in objects if name != blob).encode()
    name = trap.repo.git("pack-objects", "-q", str(trap.folder / "pack"), input_=kept)
    for old in packs.iterdir():
        old.unlink()
    for suffix in ("pack", "idx"):
        (trap.folder / f"pack-{name}.{suffix}").rename(packs / f"pack-{name}.{suffix}")
    (packs / f"pack-{name}.promisor").touch()
    trap.config("core.repositoryFormatVersion", "1")
    trap.config("extensions.partialClone", "origin")
    trap.config("remote.origin.promisor", "true")


def promisor_upload_pack(trap: Trap) -> None:
    _lose_a_blob(trap)
    trap.config("remote.origin.url", str(trap.folder))
    trap.config("remote.origin.uploadpack", str(trap.program))
    trap.plain("blame", "HEAD", "--", FILE)


def promisor_ssh(trap: Trap) -> None:
    _lose_a_blob(trap)
    trap.config("remote.origin.url", "ssh://example.invalid/x")
    trap.config("core.sshCommand", str(trap.program))
    trap.environment = {"GIT_ALLOW_PROTOCOL": "ssh"}
    trap.plain("log", "-p")


def promisor_ext(trap: Trap) -> None:
    _lose_a_blob(trap)
    trap.config("remote.origin.url", f"ext::{trap.program} x")
    trap.config("protocol.ext.allow", "always")
    trap.environment = {"GIT_ALLOW_PROTOCOL": "ext"}
    trap.plain("cat-file", "-p", f"HEAD~1:{FILE}")


def hooks(trap: Trap) -> None:
    for name in ("post-index-change", "post-checkout", "reference-transaction", "pre-auto-gc", "post-commit"):
        hook = trap.repo.path / ".git" / "hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(trap.program.read_text())
        hook.chmod(0o755)
    (trap.repo.path / FILE).touch()
    trap.plain("status")


def hooks_path(trap: Trap) -> None:
    hooks(trap)
    trap.mark.unlink()
    (trap.repo.path / ".git" / "hooks").rename(trap.repo.path / "hooks")
    trap.config("core.hooksPath", str(trap.repo.path / "hooks"))
    os.utime(trap.repo.path / FILE, (1, 1))
    trap.plain("status")


def included_config(trap: Trap) -> None:
    trap.repo.commit("Config", {"evil.config": f"[core]\n\tfsmonitor = {trap.program}\n"})
    trap.config("include.path", "../evil.config")
    trap.plain("status")


def embedded_bare_repository(trap: Trap) -> None:
    """Tracked files that make a bare repository: a plain clone is enough for the attacker."""
    inner = trap.repo.path / "docs" / "sub"
    for name in ("objects", "refs"):
        (inner / name).mkdir(parents=True)
        (inner / name / ".keep").touch()
    (inner / "HEAD").write_text("ref: refs/heads/main\n")
    (inner / "config").write_text(
        f"[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = {trap.program}\n"
    )
    (inner / "page.md").write_text("x\n")
    trap.repo.commit("Docs")
    trap.plain("status", cwd=inner)


def evil_submodule(trap: Trap) -> None:
    inner = new_repo(trap.repo.path / "lib")
    inner.commit("One", {"a": "x\n"})
    trap.repo.commit("Submodule", {".gitmodules": '[submodule "lib"]\n\tpath = lib\n\turl = ./lib\n'})
    inner.git("config", "core.fsmonitor", str(trap.program))
    trap.plain("status")


def pager(trap: Trap) -> None:
    trap.config("core.pager", str(trap.program))
    trap.on_a_terminal("log")


def alias(trap: Trap) -> None:
    for name in ("hist", "blame", "log", "cat-file", "rev-parse"):
        trap.config(f"alias.{name}", f"!{trap.program}")
    trap.plain("hist")


def inherited_environment(trap: Trap) -> None:
    trap.environment = {
        "GIT_EXTERNAL_DIFF": str(trap.program),
        "GIT_PAGER": str(trap.program),
        "GIT_SSH_COMMAND": str(trap.program),
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.fsmonitor",
        "GIT_CONFIG_VALUE_0": str(trap.program),
    }
    trap.plain("diff", "HEAD~1", "HEAD")


def everything_at_once(trap: Trap) -> None:
    for key in (
        "core.fsmonitor", "diff.external", "diff.evil.textconv", "diff.evil.command", "filter.evil.clean",
        "filter.evil.smudge", "gpg.program", "gpg.ssh.program", "gpg.x509.program", "core.pager", "pager.log",
        "pager.blame", "core.sshCommand", "core.editor", "core.askPass", "credential.helper", "core.gitProxy",
        "core.alternateRefsCommand", "uploadpack.packObjectsHook", "trailer.x.command", "interactive.diffFilter",
        "sequence.editor", "remote.origin.uploadpack",
    ):  # fmt: skip
        trap.config(key, str(trap.program))
    trap.config("log.showSignature", "true")
    trap.repo.write(".gitattributes", "* diff=evil filter=evil\n")
    trap.plain("diff", "HEAD~1", "HEAD")


VECTORS: list[Callable[[Trap], None]] = [
    fsmonitor, external_diff, diff_driver, textconv, textconv_by_info_attributes, attributes_file, clean_filter,
    filter_process, smudge_filter, signature, promisor_upload_pack, promisor_ssh, promisor_ext, hooks, hooks_path,
    included_config, embedded_bare_repository, evil_submodule, pager, alias, inherited_environment, everything_at_once,
]  # fmt: skip


def every_operation(root: Path) -> int:
    """Run every public operation and return how many; those that fail must fail with an error of ours."""
    cancel = never()
    it = Repository.discover(root / FILE, cancel)
    head = it.head(cancel)
    first = next((it.resolve(rev, cancel) for rev in ("HEAD~2", "HEAD~1") if _resolves(it, rev)), head)
    text = numbered(14)
    operations: list[Callable[[], object]] = [
        lambda: it.refs(cancel),
        lambda: it.remotes(cancel),
        lambda: (it.user_name(), it.user_email(), it.branch(), it.partial, it.shallow, it.treeless(cancel)),
        lambda: it.commits([head, first], cancel),
        lambda: it.tree(head, cancel, sizes=True),
        lambda: it.objects.folder(head, "src", cancel),
        lambda: it.build_commit_graph(cancel, all_refs=True),
        lambda: it.patch_id(head, cancel),
        lambda: it.is_ancestor(first, head, cancel),
        lambda: list(it.log(head, cancel, all_refs=True)),
        lambda: list(it.log(head, cancel, paths=[FILE], grep="o", author="Ada")),
        lambda: it.run("log", "-p", "-S", "three", head, "--", FILE, cancel=cancel),
        lambda: it.run("log", "-L", f"1,3:{FILE}", head, cancel=cancel),
        lambda: it.run("name-rev", head, cancel=cancel),
        lambda: it.work_text(FILE),
        lambda: it.staged(FILE, cancel),
        lambda: it.ignored("x.log", cancel),
    ]
    names = (FILE, "new.py", "x.log", "gone.txt", "docs/sub/page.md", "docs/sub/HEAD", "lib/a", "none")
    for name in names:
        operations.append(lambda name=name: check_selection(it, root / name, 1, 1, cancel))
        operations.append(lambda name=name: Repository.discover(root / name, cancel).head(cancel))
    for commit in (head, first):
        operations += [
            lambda commit=commit: it.file(commit, FILE, cancel),
            lambda commit=commit: it.text(commit, FILE, cancel),
            lambda commit=commit: it.blame(commit, FILE, None, cancel),
            lambda commit=commit: it.blame_buffer(FILE, text, None, cancel, commit),
            lambda commit=commit: it.changes(commit, cancel, context=3),
            lambda commit=commit: it.changes(commit, cancel, paths=[FILE]),
            lambda commit=commit: it.changes_between(first, commit, cancel),
        ]
    for operation in operations:
        with suppress(AnamnesisError):
            operation()
    it.close()
    return len(operations)


def _resolves(it: Repository, rev: str) -> bool:
    try:
        return bool(it.resolve(rev, never()))
    except AnamnesisError:
        return False


@pytest.mark.parametrize("plant", VECTORS, ids=lambda plant: plant.__name__)
def test_nothing_planted_in_a_repository_runs(
    tmp_path: Path, plant: Callable[[Trap], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    trap = Trap(tmp_path)
    plant(trap)
    assert trap.mark.exists(), "the vector is not live with plain git, so this would prove nothing"
    trap.mark.unlink()
    for name, value in trap.environment.items():
        monkeypatch.setenv(name, value)
    with unchanged(trap.repo.path):
        assert every_operation(trap.repo.path) > 40
    assert not trap.mark.exists(), trap.mark.read_text()


def test_every_operation_leaves_the_repository_as_it_was_to_the_mtime(tmp_path: Path) -> None:
    trap = Trap(tmp_path)
    with unchanged(trap.repo.path):
        every_operation(trap.repo.path)


# ---- stories a repository would have git tell


def test_replaced_commits_and_grafts_are_not_believed(tmp_path: Path) -> None:
    repo = Trap(tmp_path).repo
    head = repo.head()
    forged = repo.git("commit-tree", "HEAD^{tree}", "-p", "HEAD~1", "-m", "Forged")
    repo.git("replace", head, forged)
    (repo.path / ".git" / "info" / "grafts").write_text(f"{head}\n")
    it = Repository.discover(repo.path, never())
    assert it.head(never()) == head and it.commit(head, never()).subject == "Two"
    assert [entry.message for entry in it.log(head, never())] == ["Two\n", "One\n"]
    assert len({line.commit for line in it.blame(head, FILE, None, never()).lines}) == 2
    assert it.resolve("HEAD~1", never()) == it.commit(head, never()).parents[0]


def test_config_that_breaks_or_bends_blame_and_diff_is_not_heard(tmp_path: Path) -> None:
    trap = Trap(tmp_path)
    it, head = Repository.discover(trap.repo.path, never()), trap.repo.head()
    blame, changes = it.blame(head, FILE, None, never()), it.changes(head, never())
    secret = trap.repo.write("ignored", head + "\n")
    for key, value in {
        "blame.ignoreRevsFile": "missing", "diff.orderFile": "missing", "diff.noprefix": "true", "color.ui": "always",
        "diff.renames": "copies", "core.abbrev": "5", "log.date": "relative", "diff.algorithm": "patience",
        "diff.context": "9", "blame.blankBoundary": "true", "core.quotePath": "true", "log.follow": "true",
        "i18n.logOutputEncoding": "UTF-16", "diff.ignoreSubmodules": "all",
        "log.diffMerges": "separate", "log.showRoot": "false",
        "format.pretty": "oneline", "mailmap.file": str(secret), "diff.suppressBlankEmpty": "true",
    }.items():  # fmt: skip
        trap.config(key, value)
    again = Repository.discover(trap.repo.path, never())
    assert again is not it
    assert again.blame(head, FILE, None, never()) == blame
    assert again.changes(head, never()) == changes
    assert len(list(again.log(head, never()))) == 2


def test_a_worktree_setting_does_not_move_the_root(tmp_path: Path) -> None:
    trap = Trap(tmp_path)
    trap.config("core.worktree", "/etc")
    it = Repository.discover(trap.repo.path / FILE, never())
    assert it.root == trap.repo.path.resolve()
    with pytest.raises(AnamnesisError):
        it.relative(Path("/etc/passwd"))


def test_a_gitfile_or_ref_that_is_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    os.mkfifo(tmp_path / "a" / ".git")
    with pytest.raises(AnamnesisError):
        Repository.discover(tmp_path / "a", never())
    trap = Trap(tmp_path)
    os.mkfifo(trap.repo.path / ".git" / "shallow")
    it = Repository.discover(trap.repo.path, never())
    assert not it.shallow


def test_a_stranger_ref_name_in_head_reads_no_file_elsewhere(tmp_path: Path) -> None:
    trap = Trap(tmp_path)
    (tmp_path / "secret").write_text("a" * 40 + "\n")
    for name in ("refs/heads/../../../../secret", "/etc/passwd", "../../secret", "refs/heads/x\n"):
        (trap.repo.path / ".git" / "HEAD").write_text(f"ref: {name}\n")
        with pytest.raises(AnamnesisError):
            Repository.discover(trap.repo.path, never()).head(never())
