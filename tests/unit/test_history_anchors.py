"""A block is found again by its header where too few of its lines are left, whatever the language."""

from __future__ import annotations

from pathlib import Path

import pytest

from anamnesis_lsp.cancel import never
from anamnesis_lsp.records.git.history import Family, history
from anamnesis_lsp.records.git.history.anchors import anchored, header_of
from anamnesis_lsp.records.git.repository import Repository
from tests.builders.repos import new_repo

OLD = """\
class Client {
    /** Sends it. */
    public int send(String to) {
        open(to);
        return post(to);
    }

    public int send(String to, int tries) {
        return tries;
    }
}
""".splitlines()
NEW = """\
class Client {
    /** Sends it. */
    public int send(Address to)
        throws Lost
    {
//      commented out at the margin
        queue.add(new Letter(to));
        worker.wake();
        return queue.size();
    }

    public int send(String to, int tries) {
        return tries;
    }
}
""".splitlines()


@pytest.mark.parametrize(
    ("start", "end", "found"),
    [(3, 10, (3, "send", 10)), (2, 10, (3, "send", 10)), (3, 9, None), (7, 9, None), (12, 14, (12, "send", 14))],
)
def test_the_header_of_lines_that_are_one_block(start: int, end: int, found: tuple[int, str, int] | None) -> None:
    header = header_of(NEW, start, end)
    assert (None if header is None else (header.line, header.name, header.end)) == found


def test_a_rewritten_block_is_found_by_its_name_and_not_an_overload_that_lives_on() -> None:
    found = anchored(NEW, 2, 10, OLD)
    assert found is not None and (found.start, found.end) == (2, 6)
    found = anchored(NEW, 12, 14, OLD)
    assert found is not None and (found.start, found.end, found.kept) == (8, 10, 1.0)
    assert anchored(NEW, 7, 9, OLD) is None and anchored(NEW, 2, 10, OLD[8:]) is None


@pytest.mark.parametrize(
    "text",
    [
        "def close(self):\n    if self.open:\n        self.flush()\n\n\ndef other():\n    pass\n",
        "function close()\n  if open then\n    flush()\n  end\nend\n\nfunction other()\n  x = 1\nend\n",
        "close() {\n    flush\n    rm -f lock\n}\n\nother() {\n    true\n}\n",
    ],
)
def test_a_block_ends_where_its_indentation_ends(text: str) -> None:
    lines = text.splitlines()
    last = next(n for n, row in enumerate(lines, 1) if not row) - 1
    header = header_of(lines, 1, last)
    assert header is not None and (header.name, header.end) == ("close", last)


def test_a_history_of_lines_goes_on_through_a_rewrite(tmp_path: Path) -> None:
    repo = new_repo(tmp_path / "r")
    first = repo.commit("one", {"a.txt": "\n".join(OLD) + "\n"})
    second = repo.commit("two", {"a.txt": "\n".join(NEW) + "\n"})
    it = Repository.discover(repo.path, never())
    steps = list(history(it, second, "a.txt", 2, 10, never(), Family.LINES))
    assert [(step.commit, step.kind, step.lines) for step in steps] == [
        (second, "change", (2, 10)),
        (first, "introduced", (2, 6)),
    ]
