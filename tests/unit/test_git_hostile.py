"""The execution matrix of stack/STACK.md 4.1: each vector is planted, shown live with plain git, and then every public
operation is run. Nothing runs, and no byte or mtime under the repository changes.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from anamnesis_lsp.cancel import never
from anamnesis_lsp.errors import AnamnesisError
from anamnesis_lsp.records.git import Repository, check_selection
from tests.builders.hostile import FILE, VECTORS, Trap, armed
from tests.builders.repos import numbered, unchanged

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the planted programs are shell scripts")


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
    trap = armed(tmp_path, plant)
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
    with pytest.raises(AnamnesisError, match="git would wait for it"):
        Repository.discover(trap.repo.path, never())


def test_a_stranger_ref_name_in_head_reads_no_file_elsewhere(tmp_path: Path) -> None:
    trap = Trap(tmp_path)
    (tmp_path / "secret").write_text("a" * 40 + "\n")
    for name in ("refs/heads/../../../../secret", "/etc/passwd", "../../secret", "refs/heads/x\n"):
        (trap.repo.path / ".git" / "HEAD").write_text(f"ref: {name}\n")
        with pytest.raises(AnamnesisError):
            Repository.discover(trap.repo.path, never()).head(never())
