"""How git is run: which one, how long, how much, and that it is gone when it should be."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from anamnesis_lsp.cancel import Cancelled, CancelToken, never
from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.records.git import Repository, process
from anamnesis_lsp.records.git.process import environment, refuse_dangerous
from tests.builders.repos import Repo, retry_repo

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the fake gits here are shell scripts")

REAL = process.find_git().path


def fake_git(folder: Path, script: str) -> Path:
    """A program called git whose body is ``script``; returns its folder."""
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "git"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return folder


def slow_git(folder: Path, subcommand: str) -> Path:
    """The real git, except that one subcommand starts a child, writes both process ids to ``pids``, and hangs."""
    return fake_git(
        folder,
        f'case " $* " in *" {subcommand} "*) sleep 600 & echo "$$ $!" >> "{folder}/pids"; wait;; '
        f'*) exec "{REAL}" "$@";; esac',
    )


def first_on_path(monkeypatch: pytest.MonkeyPatch, folder: Path, rest: bool = True) -> None:
    monkeypatch.setenv("PATH", str(folder) + (os.pathsep + os.environ["PATH"] if rest else ""))


def running(pids: Path) -> list[int]:
    return [int(pid) for pid in pids.read_text().split() if _alive(int(pid))]


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def eventually(condition: Callable[[], object], seconds: float = 5.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "did not happen in time"
        time.sleep(0.005)


# ---- which git


def test_no_git_on_path_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = retry_repo(tmp_path / "r")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(AnamnesisError) as caught:
        Repository.discover(repo.path, never())
    assert caught.value.code is ErrorCode.GIT_MISSING


def test_a_git_older_than_2_30_is_told_with_its_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = retry_repo(tmp_path / "r")
    first_on_path(monkeypatch, fake_git(tmp_path / "bin", "echo git version 2.29.3"))
    with pytest.raises(AnamnesisError) as caught:
        Repository.discover(repo.path, never())
    assert caught.value.code is ErrorCode.GIT_TOO_OLD and "2.29.3" in caught.value.message


@pytest.mark.parametrize("answer", ["hello", "", "git version x.y"])
def test_a_program_that_is_not_git_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str) -> None:
    repo = retry_repo(tmp_path / "r")
    first_on_path(monkeypatch, fake_git(tmp_path / "bin", f"echo '{answer}'"))
    with pytest.raises(AnamnesisError) as caught:
        Repository.discover(repo.path, never())
    assert caught.value.code is ErrorCode.GIT_MISSING


def test_versions_with_suffixes_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first_on_path(monkeypatch, fake_git(tmp_path / "bin", "echo 'git version 2.45.1.windows.1'"))
    assert process.find_git().version == (2, 45, 1)
    assert process.find_git().batch_command


def test_a_git_inside_the_repository_or_in_a_relative_folder_is_never_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = retry_repo(tmp_path / "r")
    marker = tmp_path / "ran"
    fake_git(repo.path / "bin", f"touch {marker}; echo git version 2.99.0")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "git").symlink_to(repo.path / "bin" / "git")
    monkeypatch.chdir(repo.path)
    path = os.pathsep.join([str(repo.path / "bin"), str(tmp_path / "outside"), "bin", ".", "", os.environ["PATH"]])
    monkeypatch.setenv("PATH", path)
    assert Repository.discover(repo.path, never()).git.path == REAL
    assert not marker.exists()


def test_an_older_git_without_batch_command_reads_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = retry_repo(tmp_path / "r")
    script = (
        f'case "$*" in *--batch-command*) exit 129;; version) echo git version 2.30.2;; *) exec "{REAL}" "$@";; esac'
    )
    first_on_path(monkeypatch, fake_git(tmp_path / "bin", script))
    it = Repository.discover(repo.path, never())
    assert it.git.version == (2, 30, 2) and not it.git.batch_command
    assert it.text(repo.head(), "README", never()) == "Fetch things.\n"
    assert it.objects.kind(repo.head(), never()) == "commit"
    assert len(it.blame(repo.head(), "src/fetch.py", None, never()).lines) == 3
    with pytest.raises(AnamnesisError):
        it.file(repo.head(), "README", never(), cap=2)
    assert len(list(it.log(repo.head(), never()))) == 3


# ---- the environment and the arguments


def test_nothing_of_the_callers_git_environment_reaches_the_child(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (
        "GIT_DIR",
        "GIT_EXTERNAL_DIFF",
        "GIT_CONFIG_PARAMETERS",
        "GIT_TRACE",
        "GIT_CONFIG_COUNT",
        "LD_PRELOAD",
    ):
        monkeypatch.setenv(name, "evil")
    monkeypatch.setenv("PATH", os.pathsep.join(["relative", ".", os.environ["PATH"]]))
    env = environment(REAL)
    assert "evil" not in env.values()
    assert all(Path(part).is_absolute() for part in env["PATH"].split(os.pathsep))
    assert env["GIT_CONFIG_GLOBAL"] == os.devnull and env["GIT_NO_LAZY_FETCH"] == "1"


@pytest.mark.parametrize(
    ("subcommand", "argument"),
    [
        ("log", "--output=/tmp/x"),
        ("log", "--outp=/tmp/x"),
        ("rev-list", "--output"),
        ("blame", "--contents=/etc/passwd"),
        ("blame", "--cont"),
        ("blame", "-S/etc/passwd"),
        ("blame", "--ignore-revs-file=x"),
        ("log", "--ext-diff"),
        ("log", "--textconv"),
        ("log", "--format=%G?"),
        ("log", "-O/etc/passwd"),
        ("log", "--show-signature"),
        ("cat-file", "--filters"),
    ],
)
def test_options_that_write_run_or_read_elsewhere_are_never_passed(subcommand: str, argument: str) -> None:
    with pytest.raises(ValueError, match=" "):
        refuse_dangerous(subcommand, [argument, "HEAD"])
    refuse_dangerous(subcommand, ["--", argument])


@pytest.mark.parametrize("subcommand", ["grep", "show", "diff", "status", "fetch", "config", "gc", "-c"])
def test_only_listed_subcommands_run(tmp_path: Path, subcommand: str) -> None:
    it = Repository.discover(retry_repo(tmp_path / "r").path, never())
    with pytest.raises(ValueError, match="history command"):
        it.run(subcommand, cancel=never())


# ---- limits


def test_output_past_the_cap_is_refused(tmp_path: Path) -> None:
    repo = retry_repo(tmp_path / "r")
    it = Repository.discover(repo.path, never())
    with pytest.raises(AnamnesisError) as caught:
        it.run("log", repo.head(), "--", cancel=never(), cap=10)
    assert caught.value.code is ErrorCode.OUTPUT_TOO_LARGE
    with pytest.raises(AnamnesisError) as caught, it.stream("log", repo.head(), cancel=never(), cap=10) as lines:
        list(lines)
    assert caught.value.code is ErrorCode.OUTPUT_TOO_LARGE


def test_a_failing_command_raises_with_its_code_only(tmp_path: Path) -> None:
    it = Repository.discover(retry_repo(tmp_path / "r").path, never())
    for call in (
        lambda: it.run("log", "no-such", "--", cancel=never()),
        lambda: list(it.stream("log", "no-such", "--", cancel=never())),
    ):
        with pytest.raises(process.GitFailed) as caught:
            call()
        assert "no-such" not in caught.value.message and caught.value.output.returncode == 128


@pytest.fixture
def hanging(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Repo, Repository, Path]:
    """A repository whose ``blame`` never ends; the last value is the file with the process ids."""
    repo = retry_repo(tmp_path / "r")
    folder = slow_git(tmp_path / "bin", "blame")
    first_on_path(monkeypatch, folder)
    return repo, Repository.discover(repo.path, never()), folder / "pids"


def test_time_is_limited_and_the_whole_group_is_killed(hanging: tuple[Repo, Repository, Path]) -> None:
    repo, it, pids = hanging
    for call in (
        lambda: it.run("blame", repo.head(), "--", "README", cancel=never(), seconds=0.3),
        lambda: list(it.stream("blame", repo.head(), "--", "README", cancel=never(), seconds=0.3)),
    ):
        begin = time.monotonic()
        with pytest.raises(AnamnesisError) as caught:
            call()
        assert caught.value.code is ErrorCode.GIT_TIMEOUT and time.monotonic() - begin < 2
        eventually(lambda: not running(pids))


@pytest.mark.parametrize("way", ["run", "stream", "blame"])
def test_cancelling_ends_it_within_a_tenth_of_a_second(hanging: tuple[Repo, Repository, Path], way: str) -> None:
    repo, it, pids = hanging
    token, ended = CancelToken(), list[float]()

    def work() -> None:
        with pytest.raises(Cancelled):
            if way == "run":
                it.run("blame", repo.head(), "--", "README", cancel=token)
            elif way == "stream":
                list(it.stream("blame", repo.head(), "--", "README", cancel=token))
            else:
                it.blame(repo.head(), "src/fetch.py", None, token)
        ended.append(time.monotonic())

    thread = threading.Thread(target=work)
    thread.start()
    eventually(lambda: pids.exists() and len(pids.read_text().split()) == 2)
    begin = time.monotonic()
    token.cancel()
    thread.join(5)
    assert ended and ended[0] - begin < 0.1
    eventually(lambda: not running(pids), 0.5)


def test_at_most_two_run_at_once_and_one_who_waits_can_be_cancelled(hanging: tuple[Repo, Repository, Path]) -> None:
    repo, it, pids = hanging
    tokens = [CancelToken() for _ in range(4)]
    ended: list[int] = []

    def work(number: int) -> None:
        with pytest.raises(Cancelled):
            it.run("blame", repo.head(), "--", "README", cancel=tokens[number])
        ended.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads[:2]:
        thread.start()
    eventually(lambda: pids.exists() and len(pids.read_text().split()) == 4)
    for thread in threads[2:]:
        thread.start()
    time.sleep(0.2)
    assert len(pids.read_text().split()) == 4
    begin = time.monotonic()
    tokens[3].cancel()
    threads[3].join(5)
    assert ended == [3] and time.monotonic() - begin < 0.1
    tokens[0].cancel()
    eventually(lambda: len(pids.read_text().split()) == 6)
    for token in tokens:
        token.cancel()
    for thread in threads:
        thread.join(5)
    eventually(lambda: not running(pids))


def test_streams_nobody_reads_do_not_hold_the_places(tmp_path: Path) -> None:
    repo = retry_repo(tmp_path / "r")
    it = Repository.discover(repo.path, never())
    streams = [it.stream("log", repo.head(), "--", cancel=never()) for _ in range(6)]
    assert it.run("rev-list", "--count", repo.head(), "--", cancel=never()) == b"3\n"
    assert all(len(list(stream)) > 10 for stream in streams)


def test_an_object_reader_that_died_is_replaced(tmp_path: Path) -> None:
    repo = retry_repo(tmp_path / "r")
    it = Repository.discover(repo.path, never())
    assert it.file(repo.head(), "README", never())
    process.kill_all()
    eventually(lambda: process.living() == 0)
    assert it.file(repo.head(), "README", never()) == b"Fetch things.\n"


def test_few_object_readers_are_kept_and_closing_ends_them(tmp_path: Path) -> None:
    process.kill_all()
    opened = [Repository.discover(retry_repo(tmp_path / f"r{n}").path, never()) for n in range(7)]
    for it in opened:
        it.file(it.head(never()), "README", never())
    eventually(lambda: process.living() <= 4)
    for it in opened:
        it.close()
    eventually(lambda: process.living() == 0)


def test_two_hundred_cancelled_blames_leave_nothing_behind(tmp_path: Path) -> None:
    process.kill_all()
    repo = retry_repo(tmp_path / "r")
    it, head = Repository.discover(repo.path, never()), repo.head()

    def work(delay: float) -> None:
        token = CancelToken()
        timer = threading.Timer(delay, token.cancel)
        timer.start()
        try:
            it.run("blame", "-M", "-C", head, "--", "src/fetch.py", cancel=token)
            it.commits([head], token)
            list(it.log(head, token))
        except Cancelled:
            pass
        timer.cancel()

    threads = [threading.Thread(target=work, args=(n % 20 / 1000,)) for n in range(200)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    it.close()
    eventually(lambda: process.living() == 0)
    assert it.run("rev-list", "--count", head, "--", cancel=never()) == b"3\n"
