"""What a client or a record names is opened only where it may be: locators, links on disk, ids in commands."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from anamnesis_lsp.cancel import never
from anamnesis_lsp.errors import AnamnesisError, ErrorCode
from anamnesis_lsp.places import root_id
from anamnesis_lsp.present import locators
from anamnesis_lsp.recall.recaller import Recaller, RecallSettings, RecollectRequest
from anamnesis_lsp.records.conversations.handles import safe
from anamnesis_lsp.records.conversations.model import Handle
from anamnesis_lsp.records.conversations.registry import discover_stores, runtime
from anamnesis_lsp.records.conversations.stores import Store
from tests.server.scene import Scene, a_scene

SECRET = "the words of the secret file"
REFUSALS = {ErrorCode.BAD_LOCATOR, ErrorCode.UNKNOWN_ROOT, ErrorCode.RECORD_GONE, ErrorCode.OUTSIDE_ROOT,
            ErrorCode.FILE_MISSING, ErrorCode.STORE_UNKNOWN, ErrorCode.NO_SUCH_RECALL, ErrorCode.STORE_UNREADABLE,
            ErrorCode.BAD_REQUEST, ErrorCode.NOT_A_REPOSITORY, ErrorCode.FILE_BINARY}  # fmt: skip


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    folder = tmp_path_factory.mktemp("paths")
    made = a_scene(folder)
    (folder / "secret.md").write_text(f"# {SECRET}\n\n{SECRET}\n")
    (folder / "secret.jsonl").write_text(f'{{"id":"x-1","title":"{SECRET}","description":"{SECRET}"}}\n')
    (made.config / ".credentials.json").write_text(f'{{"token":"{SECRET}"}}')
    (made.config / "CLAUDE.md").write_text(f"# {SECRET}\n")
    adr = made.repo.path / "docs" / "adr"
    adr.mkdir(parents=True)
    (adr / "0001-out.md").symlink_to(folder / "secret.md")
    (made.repo.path / "out").symlink_to(folder)
    (made.repo.path / ".env").write_text(f"TOKEN={SECRET}\n")
    return made


@pytest.fixture(scope="module")
def brain(scene: Scene, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Recaller]:
    places = tmp_path_factory.mktemp("places")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ANAMNESIS_CACHE_DIR", str(places / "cache"))
        patch.setenv("ANAMNESIS_STATE_DIR", str(places / "state"))
        stores = (Store.at("claude-code", scene.config), Store.at("decisions", scene.repo.path))
        made = Recaller(RecallSettings(stores=stores), [scene.repo.path])
        made.recollect(RecollectRequest(scene.file, (4, 7)), never())
        yield made
        made.close()


def hostile_locators(scene: Scene) -> list[str]:
    repo, store, commit = root_id(scene.repo.path), root_id(scene.config), scene.commit
    ups = (
        "../secret.md",
        "%2e%2e/secret.md",
        "..%2fsecret.md",
        "%2e%2e%2fsecret.md",
        "out/secret.md",
        "a/../../secret.md",
    )
    ups += ("%2fetc%2fpasswd", "/etc/passwd", "docs/adr/0001-out.md", "src%00.md", "secret.md%00.md", "..\\secret.md")
    ups += (
        "-/../../secret.md",
        "out%2fsecret.jsonl",
        "..%252fsecret.md",
        "%c0%ae%c0%ae/secret.md",
        "．．/secret.md",
        "....//secret.md",
    )
    found = [f"anamnesis:///decision/{repo}/{up}" for up in ups]
    found += [f"anamnesis:///decision/{repo}/{up}?part=x" for up in ups]
    found += [f"anamnesis:///{kind}/{repo}/{commit}/{up}" for kind in ("file", "diff") for up in ups]
    found += [f"anamnesis:///commit/{repo}/{commit}.md?path={up}" for up in ups]
    found += [f"anamnesis:///conversation/{kind}/{root}/{up}.md" for up in ups
              for kind in ("claude-code", "specstory", "transcripts", "aider", "decisions", "no-such", "..")
              for root in (repo, store)]  # fmt: skip
    # what lies under a known root and is no record
    found += [f"anamnesis:///decision/{repo}/{name}" for name in (".git/config", ".env", ".git/HEAD", "src/fetch.py")]
    # a root of another kind
    found += [f"anamnesis:///decision/{store}/{name}" for name in (".credentials.json", "CLAUDE.md", "projects")]
    found += [f"anamnesis:///{kind}/{store}/{commit}/CLAUDE.md" for kind in ("file", "diff")]
    found += [f"anamnesis:///conversation/transcripts/{repo}/README.md", f"anamnesis:///commit/{store}/{commit}.md"]
    # roots that nobody knows, and what is no locator
    found += [f"anamnesis:///decision/{root}/secret.md" for root in ("0" * 12, root_id(scene.repo.path.parent))]
    found += [
        "file:///etc/passwd",
        "anamnesis:/etc/passwd",
        "anamnesis://host/decision/x/y.md",
        "anamnesis:////etc/passwd",
    ]
    found += ["anamnesis:///file:///etc/passwd", f"anamnesis:///decision/{repo}/file:%2f%2f%2fetc%2fpasswd", "", "\0"]
    found += [f"anamnesis:///decision/{repo}/" + "a/" * 5000 + "x.md", f"anamnesis:///decision/{repo}/" + "a" * 4000]
    found += ["anamnesis:///recall/../../state.md", "anamnesis:///recall/%2e%2e%2fx.md", "anamnesis:///scope/..md"]
    return found


def test_no_locator_leads_out_of_its_root_or_to_what_is_no_record(brain: Recaller, scene: Scene) -> None:
    for locator in hostile_locators(scene):
        for opened in (brain.open, brain.document):
            try:
                shown = opened(locator, never())
            except AnamnesisError as error:
                assert error.code in REFUSALS, (locator, error.code)
                assert SECRET not in error.message + error.remedy
                continue
            assert SECRET not in str(shown), locator
            assert "root:" not in str(shown), locator
            assert locator.startswith("anamnesis:///commit/"), (locator, shown)  # a path that the commit has not


def test_a_locator_is_refused_before_anything_is_opened_when_it_is_too_long() -> None:
    with pytest.raises(AnamnesisError):
        locators.parse("anamnesis:///recall/" + "a" * 9000 + ".md")


# ---- what a repository holds is not followed out of it


@pytest.mark.parametrize("kind", ["specstory", "aider", "crush"])
def test_a_store_of_the_repository_that_is_a_link_out_of_it_is_none(tmp_path: Path, kind: str) -> None:
    private = tmp_path / "private"
    private.mkdir()
    repo = tmp_path / "repo"
    (repo / ".git").mkdir(parents=True)
    (repo / ".specstory").mkdir()
    (repo / ".specstory" / "history").symlink_to(private)
    (repo / ".crush").symlink_to(private)
    (private / "2026-01-01_10-00Z-x.md").write_text("# x\n\n_**User**_\n\nprivate\n")
    (private / ".aider.chat.history.md").write_text("# aider chat started at 2026-01-01 10:00:00\n\n#### private\n")
    (repo / ".aider.chat.history.md").symlink_to(private / ".aider.chat.history.md")
    stores = discover_stores(repo, {}, tmp_path / "home")
    found = [
        source for store in stores if store.runtime == kind for source in runtime(kind).sources(store.root, never())
    ]
    assert not [source for source in found if private in source.path.resolve().parents]


def test_links_within_a_repository_and_within_the_persons_own_stores_are_followed(tmp_path: Path) -> None:
    repo = tmp_path / "repo"
    (repo / ".git").mkdir(parents=True)
    (repo / "logs").mkdir()
    (repo / ".specstory").mkdir()
    (repo / ".specstory" / "history").symlink_to(repo / "logs")
    (repo / "logs" / "2026-01-01_10-00Z-x.md").write_text("# x\n\n_**User**_\n\nours\n")
    [store] = [s for s in discover_stores(repo, {}, tmp_path / "home") if s.runtime == "specstory"]
    assert list(runtime("specstory").sources(store.root, never()))


# ---- the copies for clients without virtual documents


def test_a_link_in_a_copied_file_of_a_repository_is_none_of_ours(own_places: Path) -> None:
    from anamnesis_lsp.places import cache_dir
    from anamnesis_lsp.present.page import Document
    from anamnesis_lsp.server.show import Copies

    text = "# Read me\n\nSee [[1]] and [it].\n\n[1]: file:///etc/passwd\n[it]: anamnesis:///recall/x.md\n"
    uri = Copies().write(Document("anamnesis:///file/000000000000/" + "a" * 40 + "/README.md", text, "markdown"))
    again = Copies().document(uri)
    assert again is not None and not again.anchors
    assert (cache_dir("copies").stat().st_mode & 0o777) == 0o700
    assert not list(own_places.rglob("*.new-*"))


def test_a_copy_is_looked_for_in_our_folder_only(tmp_path: Path, own_places: Path) -> None:
    from anamnesis_lsp.server.show import Copies

    planted = tmp_path / "recall-x-0000000000.md"
    planted.write_text("[1]: file:///etc/passwd\n\n[[1]]\n")
    for uri in (planted.as_uri(), f"file://{own_places}/cache/copies/..%2f..%2f{planted.name}"):
        assert Copies().document(uri) is None


# ---- commands to reopen


@pytest.mark.parametrize(
    "identity",
    [
        "--dangerously-skip-permissions",
        "-p",
        "--settings=/tmp/x",
        "x; touch /tmp/x",
        "$(id)",
        "`id`",
        "a'b",
        "a\nb",
        "\u202ex",
    ],
)
def test_a_command_to_reopen_cannot_be_bent_by_an_id(identity: str) -> None:
    handle = safe(Handle(f"cd /x && claude --resume {shlex.quote(identity)}"))
    if identity.startswith("-"):
        assert handle.command is None and handle.note
    else:
        assert handle.command is not None
        assert shlex.split(handle.command) == ["cd", "/x", "&&", "claude", "--resume", identity]


def test_an_export_cannot_name_an_option_as_its_session(tmp_path: Path) -> None:
    from anamnesis_lsp.records.conversations.opening import find_source, open_conversation

    history = tmp_path / ".specstory" / "history"
    history.mkdir(parents=True)
    name = "2026-01-01_10-00Z-x.md"
    for native in ("--dangerously-skip-permissions", "-x-y-z-w", "0123; touch x", "0123$(x)4567"):
        text = f"<!-- Claude Code Session {native} (2026-01-01 10:00Z) -->\n\n_**User**_\n\nhello there\n"
        (history / name).write_text(text)
        source = find_source("specstory", tmp_path, f".specstory/history/{name}", never())
        command = open_conversation(source, None, never()).handle.command
        assert command is None or native not in command


@pytest.mark.skipif(os.name == "nt", reason="named pipes")
def test_a_pipe_or_a_device_in_the_place_of_a_record_is_not_waited_for(brain: Recaller, scene: Scene) -> None:
    adr = scene.repo.path / "docs" / "adr"
    os.mkfifo(adr / "0002-pipe.md")
    (adr / "0003-zero.md").symlink_to("/dev/zero")
    for name in ("0002-pipe.md", "0003-zero.md"):
        with pytest.raises(AnamnesisError):
            brain.document(f"anamnesis:///decision/{root_id(scene.repo.path)}/docs/adr/{name}", never())
