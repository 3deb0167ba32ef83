"""Repositories with one thing in them that a careless program would execute: stack/STACK.md 4.1, one planter each.

Every planter also runs plain git once, as a careless program would, so that the mark shows the vector to be live here;
:func:`armed` checks that and wipes it.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from tests.builders.repos import GIT, Repo, hermetic, new_repo, numbered

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


def lose_a_blob(trap: Trap) -> None:
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
    lose_a_blob(trap)
    trap.config("remote.origin.url", str(trap.folder))
    trap.config("remote.origin.uploadpack", str(trap.program))
    trap.plain("blame", "HEAD", "--", FILE)


def promisor_ssh(trap: Trap) -> None:
    lose_a_blob(trap)
    trap.config("remote.origin.url", "ssh://example.invalid/x")
    trap.config("core.sshCommand", str(trap.program))
    trap.environment = {"GIT_ALLOW_PROTOCOL": "ssh"}
    trap.plain("log", "-p")


def promisor_ext(trap: Trap) -> None:
    lose_a_blob(trap)
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


def worktree_config(trap: Trap) -> None:
    """``config.worktree`` counts as the repository's config once an extension says so."""
    trap.config("core.repositoryFormatVersion", "1")
    trap.config("extensions.worktreeConfig", "true")
    (trap.repo.path / ".git" / "config.worktree").write_text(f"[core]\n\tfsmonitor = {trap.program}\n")
    trap.plain("status")


def conditional_include(trap: Trap) -> None:
    trap.repo.commit("Config", {"evil.config": f"[diff]\n\texternal = {trap.program}\n"})
    trap.config("includeIf.gitdir:**.path", "../evil.config")
    trap.plain("diff", "HEAD~1", "HEAD")


def gitfile_into_the_work_tree(trap: Trap) -> None:
    """``.git`` is a file, and the git directory it names is one of the tracked files."""
    (trap.repo.path / ".git").rename(trap.repo.path / "store")
    (trap.repo.path / ".git").write_text("gitdir: store\n")
    trap.config("core.worktree", "..")
    trap.config("diff.external", str(trap.program))
    trap.plain("diff", "HEAD~1", "HEAD")


def linked_worktree(trap: Trap) -> None:
    """The work tree's ``.git`` is a file; the config that counts lies with the main work tree."""
    trap.repo.git("worktree", "add", "-q", "-b", "side", str(trap.folder / "linked"))
    trap.repo = Repo(trap.folder / "linked")
    trap.config("diff.external", str(trap.program))
    trap.plain("diff", "HEAD~1", "HEAD")


def merge_driver(trap: Trap) -> None:
    trap.repo.commit("Attributes", {".gitattributes": "* merge=evil\n"})
    trap.config("merge.evil.driver", f"{trap.program} %A")
    for name in ("one", "two"):
        trap.repo.git("checkout", "-q", "-B", name, "main")
        trap.repo.commit(name, {FILE: numbered(12).replace("number 3", name)})
    trap.plain("merge", "--no-edit", "one")
    trap.repo.git("reset", "-q", "--hard", "main")
    trap.repo.git("checkout", "-q", "main")


def trailer_command(trap: Trap) -> None:
    trap.config("trailer.see.command", f"{trap.program} x")
    trap.config("trailer.see.ifExists", "addIfDifferent")
    trap.repo.commit("Three\n\nSee: x\n")
    trap.plain("interpret-trailers", "--trailer", "see=x", FILE)


def git_beside_the_code(trap: Trap) -> None:
    """``PATH`` has the working directory in it, and a program called git lies there."""
    (trap.repo.path / "git").write_text(trap.program.read_text())
    (trap.repo.path / "git").chmod(0o755)
    trap.environment = {"PATH": f".{os.pathsep}{os.pathsep}{os.environ['PATH']}"}
    trap.plain("status")


def git_in_the_repositorys_bin(trap: Trap) -> None:
    """As a virtual environment or direnv does: an absolute folder of the repository comes first on ``PATH``."""
    program = trap.repo.write("bin/git", trap.program.read_text())
    program.chmod(0o755)
    trap.environment = {"PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}"}
    trap.plain("status")


def inherited_trace(trap: Trap) -> None:
    """The environment has git write a file wherever it runs."""
    trap.environment = {name: str(trap.mark) for name in ("GIT_TRACE", "GIT_TRACE_SETUP", "GIT_TRACE2_EVENT")}
    trap.plain("status")


VECTORS: list[Callable[[Trap], None]] = [
    fsmonitor, external_diff, diff_driver, textconv, textconv_by_info_attributes, attributes_file, clean_filter,
    filter_process, smudge_filter, signature, promisor_upload_pack, promisor_ssh, promisor_ext, hooks, hooks_path,
    included_config, conditional_include, worktree_config, embedded_bare_repository, gitfile_into_the_work_tree,
    linked_worktree, evil_submodule, merge_driver, trailer_command, pager, alias, inherited_environment,
    inherited_trace, git_beside_the_code, git_in_the_repositorys_bin, everything_at_once,
]  # fmt: skip


def armed(folder: Path, plant: Callable[[Trap], None]) -> Trap:
    """A trap with the vector in it, shown to be live with plain git just now, its mark wiped."""
    trap = Trap(folder)
    plant(trap)
    assert trap.mark.exists(), f"{plant.__name__} is not live with plain git, so it would prove nothing"
    trap.mark.unlink()
    return trap
