"""The pages of a commit come from the remote's text and the message; without a known forge there are none."""

from __future__ import annotations

from pathlib import Path

from anamnesis_lsp.cancel import never
from anamnesis_lsp.records.git import Repository
from anamnesis_lsp.records.git.history.report import history_object
from anamnesis_lsp.records.git.weblinks import web_links
from tests.builders.repos import Repo, new_repo, numbered


def repo_with(tmp: Path, url: str, message: str) -> Repo:
    repo = new_repo(tmp / "r")
    repo.git("remote", "add", "origin", url)
    repo.commit(message, {"src/a b.py": numbered(9)})
    return repo


def test_the_pages_of_a_squash(tmp_path: Path) -> None:
    repo = repo_with(tmp_path, "git@github.com:o/n.git", "Retry (#12)\n\nFixes #7, o/n#8, other/n#9 and see #12.")
    it = Repository.discover(repo.path, never())
    found = web_links(it, it.commit(repo.head(), never()), never(), "src/a b.py", (2, 4))
    assert found is not None
    assert found.commit == f"https://github.com/o/n/commit/{repo.head()}"
    assert found.file == f"https://github.com/o/n/blob/{repo.head()}/src/a%20b.py#L2-L4"
    assert found.pull == ("#12", "https://github.com/o/n/pull/12")
    assert [name for name, _ in found.issues] == ["#7", "#8"]
    [step] = history_object(it, repo.head(), "src/a b.py", 2, 4, never())["steps"]
    assert step["web"] == found.file and step["request"] == found.pull[1] and len(step["issues"]) == 2


def test_a_merge_request_of_gitlab_and_a_host_of_nobody(tmp_path: Path) -> None:
    message = "Merge branch 'x' into 'main'\n\nSee merge request g/n!5"
    repo = repo_with(tmp_path, "https://user:secret@gitlab.com/g/n.git", message)
    it = Repository.discover(repo.path, never())
    found = web_links(it, it.commit(repo.head(), never()), never())
    assert found is not None and found.pull == ("!5", "https://gitlab.com/g/n/-/merge_requests/5")
    assert "secret" not in str(found)
    repo.git("remote", "set-url", "origin", "https://git.example.com/g/n.git")
    assert web_links(it, it.commit(repo.head(), never()), never()) is None
