"""Commits, trees and blobs as the objects have them."""

from __future__ import annotations

import time
from datetime import timedelta
from pathlib import Path

import pytest

from anamnesis_lsp.cancel import never
from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.records.git import Repository
from anamnesis_lsp.records.git.discovery import Place, ask_git, find_place
from anamnesis_lsp.records.git.objects import parse_commit, parse_tree
from anamnesis_lsp.records.links import message_links
from tests.builders.repos import GRACE, new_repo, numbered, retry_repo


def opened(path: Path) -> Repository:
    return Repository.discover(path, never())


def code_of(call: object, *arguments: object) -> ErrorCode:
    with pytest.raises(AnamnesisError) as caught:
        call(*arguments, never())  # type: ignore[operator]
    return caught.value.code


def test_a_commit_keeps_its_author_its_offset_and_its_whole_message(tmp_path: Path) -> None:
    repo = new_repo(tmp_path / "r")
    root = repo.commit("Root")
    made = repo.commit("Subject\n\nBody line.\n", author=GRACE, date="1600000000 -0730")
    commit = opened(repo.path).commit(made, never())
    assert (commit.author.name, commit.author.email) == ("Grace Hopper", "grace@example.org")
    assert commit.committer.name == "Ada Lovelace"
    assert commit.author_time.timestamp() == 1600000000
    assert commit.author_time.utcoffset() == -timedelta(hours=7, minutes=30)
    assert commit.message == "Subject\n\nBody line.\n" and commit.subject == "Subject"
    assert commit.parents == (root,)


@pytest.mark.parametrize("codec", ["EUC-JP", "GBK", "Shift_JIS", "ISO-2022-JP"])
def test_a_message_in_another_encoding_is_read_by_its_header(tmp_path: Path, codec: str) -> None:
    repo = new_repo(tmp_path / "r")
    made = repo.commit("再試行".encode(codec), config=(f"i18n.commitEncoding={codec}",))
    assert opened(repo.path).commit(made, never()).subject == "再試行"


def test_a_message_that_lies_about_its_encoding_is_still_shown() -> None:
    head = b"tree " + b"a" * 40 + b"\nauthor A <a@x> 1 +0000\ncommitter A <a@x> 1 +0000\n"
    assert parse_commit("b" * 40, head + b"encoding no-such\n\nvoil\xc3\xa0\n").message == "voilà\n"
    assert parse_commit("b" * 40, head + b"encoding unicode_escape\n\n\\u0041\n").message == "\\u0041\n"
    assert parse_commit("b" * 40, head + b"\nbad \xff\n").message == "bad \ufffd\n"


def test_signatures_and_merged_tags_are_passed_over() -> None:
    raw = (
        b"tree " + b"a" * 40 + b"\nparent " + b"b" * 40 + b"\nauthor A <a@x> 1 +0000\ncommitter A <a@x> 1 +0000\n"
        b"mergetag object " + b"c" * 40 + b"\n type commit\n tag v1\n tagger T <t@x> 5 +0000\n \n parent of nothing\n"
        b"gpgsig -----BEGIN PGP SIGNATURE-----\n \n author Mallory <m@x> 9 +0000\n -----END PGP"
        b" SIGNATURE-----\n\nMessage\n"
    )
    commit = parse_commit("d" * 40, raw)
    assert commit.parents == ("b" * 40,) and commit.author.name == "A" and commit.message == "Message\n"


@pytest.mark.parametrize(
    "line",
    [
        b'O"Brien \\ [x] <a b@x> 5 +0000',
        b" <> 5 +0000",
        b"Name",
        b"",
        b"N <a@x> 99999999999999999999 +0000",
        b"N <a@x> -5 +9999",
        b"N <a@x> x y",
        b"A > B <a@x> 7 -0030",
    ],
)
def test_strange_authors_never_fail(line: bytes) -> None:
    commit = parse_commit("d" * 40, b"tree " + b"a" * 40 + b"\nauthor " + line + b"\n\nm\n")
    assert commit.author_time.tzinfo is not None
    assert "\n" not in commit.author.name


def test_many_commits_are_read_in_one_go_and_unknown_ones_left_out(tmp_path: Path) -> None:
    repo = new_repo(tmp_path / "r")
    stream = "".join(f"commit refs/heads/main\ncommitter A <a@x> {n} +0000\ndata 2\n{n % 10}\n\n" for n in range(1000))
    repo.git("fast-import", "--quiet", input_=stream.encode())
    hashes = repo.git("rev-list", "HEAD").split()
    commits = opened(repo.path).commits([*hashes, "0" * 40, "zz"], never())
    assert list(commits) == hashes and len(commits) == 1000


def test_what_is_not_there_is_told_apart(tmp_path: Path) -> None:
    repo = retry_repo(tmp_path / "r")
    it, head = opened(repo.path), repo.head()
    assert code_of(it.commit, "0" * 40) is ErrorCode.OBJECT_MISSING
    assert code_of(it.commit, repo.git("rev-parse", "HEAD^{tree}")) is ErrorCode.UNKNOWN_REVISION
    assert code_of(it.file, head, "no/such") is ErrorCode.FILE_MISSING
    assert code_of(it.file, head, "src") is ErrorCode.FILE_MISSING
    assert code_of(it.file, "0" * 40, "README") is ErrorCode.OBJECT_MISSING
    assert code_of(it.file, "main", "README") is ErrorCode.UNKNOWN_REVISION
    for path in ("../x", "/etc/passwd", "./README", "src//fetch.py", "", "src/../README"):
        assert code_of(it.file, head, path) is ErrorCode.OUTSIDE_ROOT, path
    assert code_of(it.file, head, "a\0b") is ErrorCode.BAD_REQUEST
    assert code_of(it.file, head, "a\ud800b") is ErrorCode.BAD_REQUEST


def test_strange_file_names_are_read(tmp_path: Path) -> None:
    names = [
        "a b.txt",
        "-rf",
        "x\ny.txt",
        "q\"u'o.txt",
        "[id]*?.txt",
        "a:b",
        "ü",
        "tab\t.txt",
        ":(glob)x",
        "HEAD missing",
    ]
    repo = new_repo(tmp_path / "r")
    head = repo.commit("Names", {name: f"content of {name}\n" for name in names})
    it = opened(repo.path)
    assert sorted(entry.path for entry in it.tree(head, never())) == sorted(names)
    for name in names:
        assert it.text(head, name, never()) == f"content of {name}\n"
        assert [line.path for line in it.blame(head, name, None, never()).lines] == [name] * (1 + name.count("\n"))
    assert sorted(change.path for change in it.changes(head, never())) == sorted(names)
    assert sorted(next(it.log(head, never())).paths) == sorted(names)


def test_a_name_that_is_not_utf8_goes_in_and_out_unchanged(tmp_path: Path) -> None:
    repo = new_repo(tmp_path / "r")
    blob = repo.git("hash-object", "-w", "--stdin", input_=b"old\n")
    tree = repo.git("mktree", "-z", input_=b"100644 blob " + blob.encode() + b"\tcaf\xe9.txt\0")
    repo.git("update-ref", "HEAD", repo.git("commit-tree", tree, "-m", "m"))
    it = opened(repo.path)
    (entry,) = it.tree(repo.head(), never())
    assert it.file(repo.head(), entry.path, never()) == b"old\n"
    assert it.blame(repo.head(), entry.path, None, never()).lines[0].path == entry.path


def test_text_is_decoded_and_numbered_as_git_does(tmp_path: Path) -> None:
    repo = new_repo(tmp_path / "r")
    head = repo.commit(
        "Texts",
        {
            "bom": b"\xef\xbb\xbfa\r\nb\r\n",
            "latin": b"caf\xe9\n",
            "mostly": "çéü\n".encode() + b"\xff\n",
            "lines": "a\x0cb\u2028c\x85d\n".encode(),
            "utf16": "x\n".encode("utf-16"),
            "binary": b"\0\1",
            "empty": b"",
        },
    )
    it = opened(repo.path)
    assert it.text(head, "bom", never()) == "a\nb\n"
    assert it.text(head, "latin", never()) == "café\n"
    assert it.text(head, "mostly", never()) == "çéü\n\ufffd\n"
    assert it.text(head, "lines", never()).count("\n") == 1
    assert it.text(head, "empty", never()) == ""
    assert code_of(it.text, head, "utf16") is ErrorCode.FILE_BINARY
    assert code_of(it.text, head, "binary") is ErrorCode.FILE_BINARY
    assert it.blame(head, "empty", None, never()).lines == ()


def test_a_file_over_the_cap_is_refused_and_the_reader_goes_on(tmp_path: Path) -> None:
    repo = new_repo(tmp_path / "r")
    head = repo.commit("Big", {"big": "x" * 5000 + "\n", "small": "y\n"})
    it = opened(repo.path)
    with pytest.raises(AnamnesisError) as caught:
        it.file(head, "big", never(), cap=1000)
    assert caught.value.code is ErrorCode.OUTPUT_TOO_LARGE
    assert it.file(head, "small", never()) == b"y\n"


def test_sizes_of_a_tree(tmp_path: Path) -> None:
    repo = new_repo(tmp_path / "r")
    head = repo.commit("Tree", {"a/b": "123\n", "a/c/d": "1\n", "e": "\n"})
    it = opened(repo.path)
    assert [(e.path, e.size) for e in it.tree(head, never(), under="a", sizes=True)] == [("a/b", 4), ("a/c/d", 2)]
    assert [e.path for e in it.tree(head, never())] == ["a/b", "a/c/d", "e"]
    assert {e.path for e in it.objects.folder(head, "a", never())} == {"a/b", "a/c"}


def test_a_partial_clone_says_which_file_is_not_there_and_fetches_nothing(tmp_path: Path) -> None:
    repo = retry_repo(tmp_path / "r")
    clone = repo.clone(tmp_path / "c", "--filter=blob:none", "--no-checkout")
    it = opened(clone.path)
    before = sorted((clone.path / ".git" / "objects").rglob("*"))
    assert it.partial and not it.treeless(never())
    assert code_of(it.file, repo.head(), "README") is ErrorCode.OBJECT_MISSING
    assert code_of(it.file, repo.head(), "nothing") is ErrorCode.FILE_MISSING
    with pytest.raises(AnamnesisError) as caught:
        it.blame(repo.head(), "src/fetch.py", None, never())
    assert caught.value.code is ErrorCode.OBJECT_MISSING
    (change,) = it.changes(repo.head(), never())
    assert (change.status, change.path, change.hunks, change.content_missing) == ("M", "src/fetch.py", (), True)
    assert code_of(it.patch_id, repo.head()) is ErrorCode.OBJECT_MISSING
    assert len(list(it.log(repo.head(), never(), paths=["src/fetch.py"]))) == 3
    assert it.build_commit_graph(never())
    assert sorted((clone.path / ".git" / "objects").rglob("*")) == before


def test_one_missing_content_hides_neither_the_other_files_nor_their_blame(tmp_path: Path) -> None:
    repo = new_repo(tmp_path / "r")
    repo.commit("One", {"small.txt": numbered(10), "big.txt": numbered(400), "old.txt": numbered(9, start=50)})
    repo.move("old.txt", "new.txt")
    head = repo.commit("Two", {"small.txt": numbered(11), "big.txt": numbered(401), "new.txt": numbered(10, start=50)})
    clone = repo.clone(tmp_path / "c", "--filter=blob:limit=2k", "--no-checkout")
    it = opened(clone.path)
    found = {change.path: change for change in it.changes(head, never())}
    assert found["big.txt"].content_missing and not found["big.txt"].hunks
    assert found["small.txt"].hunks[0].lines == ("+line number 11 of the text",)
    assert [len(change.hunks) for change in it.changes(head, never(), paths=["small.txt"])] == [1]
    blame = it.blame(head, "small.txt", None, never())
    assert [line.commit == head for line in blame.lines] == [False] * 10 + [True]


def test_no_commit_graph_is_built_for_a_treeless_clone(tmp_path: Path) -> None:
    repo = retry_repo(tmp_path / "r")
    it = opened(repo.clone(tmp_path / "c", "--filter=tree:0", "--no-checkout").path)
    assert it.treeless(never()) and not it.build_commit_graph(never())
    assert it.commit(repo.head(), never()).subject == "Raise the limit"
    assert code_of(it.file, repo.head(), "README") is ErrorCode.OBJECT_MISSING


def test_a_tree_cut_short_gives_what_it_has() -> None:
    assert [entry.path for entry in parse_tree(b"100644 a\0" + b"x" * 20 + b"40000 b", 20)] == ["a"]


def test_the_commit_graph_is_ours_changes_no_answer_and_follows_rewrites(tmp_path: Path) -> None:
    repo = new_repo(tmp_path / "r")
    for number in range(6):
        repo.commit(f"Change {number}", {"a.txt": numbered(10, start=number), f"b{number}.txt": "x\n"})
    it = opened(repo.path)
    before = list(it.log(repo.head(), never(), paths=["a.txt"]))
    theirs = repo.path / ".git" / "objects" / "info"
    assert it.build_commit_graph(never()) and it.build_commit_graph(never())
    assert list((it.shadow.directory / "objects" / "info" / "commit-graphs").glob("*.graph"))
    assert not theirs.exists() or not list(theirs.glob("commit-graph*"))
    assert list(it.log(repo.head(), never(), paths=["a.txt"])) == before
    repo.git("reset", "-q", "--hard", "HEAD~3")
    repo.commit("Other", {"a.txt": numbered(3)})
    repo.git("reflog", "expire", "--expire=now", "--all")
    repo.git("gc", "-q", "--prune=now")
    assert next(it.log(repo.head(), never())).message == "Other\n"
    assert it.build_commit_graph(never(), all_refs=True)
    assert len(list(it.log(repo.head(), never()))) == 4
    it.shadow.drop_commit_graph()
    assert len(list(it.log(repo.head(), never()))) == 4


def test_a_store_takes_over_no_process_of_one_that_is_gone(tmp_path: Path) -> None:
    one, other = retry_repo(tmp_path / "one"), new_repo(tmp_path / "other")
    other.commit("Only here", {"a": "x"})
    for _ in range(20):
        it = Repository(ask_git(found_place(one.path), never()))
        it.commit(one.head(), never())
        del it
        again = Repository(ask_git(found_place(other.path), never()))
        assert again.commit(other.head(), never()).subject == "Only here"


def found_place(path: Path) -> Place:
    place = find_place(path.resolve())
    assert place is not None
    return place


# ---- commits that nobody wrote by hand


def test_a_message_of_megabytes_is_read_at_its_begin_and_end(tmp_path: Path) -> None:
    repo = new_repo(tmp_path / "r")
    trailers = "".join(f"Co-authored-by: x{n} <x{n}@e>\n" for n in range(90_000))
    made = repo.commit(f"Subject\n\n{trailers}\nClaude-Session: abcdef01-2345\n", {"a": "1"})
    message = Repository.discover(repo.path, never()).commit(made, never()).message
    assert message.startswith("Subject\n\nCo-authored-by: x0 <") and message.endswith("Claude-Session: abcdef01-2345\n")
    assert "\n\n...\n\n" in message and len(message) < 170_000
    began = time.process_time()
    assert any(link.value == "abcdef01-2345" for link in message_links(message))
    message_links(trailers)
    assert time.process_time() - began < 8


def test_a_name_of_megabytes_is_cut() -> None:
    data = b"tree " + b"a" * 40 + b"\nauthor " + b"x" * 5_000_000 + b" <x@e> 1577836800 +0100\n\nOne\n"
    commit = parse_commit("b" * 40, data)
    assert len(commit.author.name) < 5000 and commit.author_time.year == 2020 and commit.message == "One\n"


@pytest.mark.parametrize("encoding", ["unicode escape", "Unicode-Escape", "idna", "puny\0code", "zlib", "hex", "rot13"])
def test_an_encoding_that_is_none_is_not_used(encoding: str) -> None:
    data = b"tree " + b"a" * 40 + b"\nencoding " + encoding.encode() + b"\n\nOne \\x1b[31m\n"
    assert parse_commit("b" * 40, data).message == "One \\x1b[31m\n"
