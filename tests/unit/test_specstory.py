"""SpecStory exports: speakers, edits as far as an export shows them, commits, times, and the way back in."""

from __future__ import annotations

from datetime import datetime, timezone
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from anamnesis_lsp.cancel import never
from anamnesis_lsp.records.conversations.model import EditOutcome, Head, Reading, Source, Turn
from anamnesis_lsp.records.conversations.specstory import SpecStory
from anamnesis_lsp.records.evidence import Speaker
from tests.builders.exports import specstory, specstory_v2, tool_use, write

SPECSTORY = SpecStory()
NAME = "2025-09-18_10-00Z-a-chat.md"


def _source(root: Path, text: str, name: str = NAME) -> Source:
    write(root / ".specstory/history" / name, text)
    [source] = SPECSTORY.sources(root / ".specstory" / "history", never())
    return source


def _turns(root: Path, text: str, name: str = NAME) -> list[Turn]:
    return list(SPECSTORY.read(_source(root, text, name), never()))


def _head(root: Path, text: str, name: str = NAME) -> Head:
    reading: Reading = SPECSTORY.read(_source(root, text, name), never())
    list(reading)
    return reading.head


def _utc(*at: int) -> datetime:
    return datetime(*at, tzinfo=timezone.utc)  # type: ignore[misc,arg-type]


def test_exports_lie_in_the_work_tree(tmp_path: Path) -> None:
    assert SPECSTORY.default_roots({}, tmp_path, None) == []
    assert SPECSTORY.default_roots({}, tmp_path, tmp_path / "w") == [tmp_path / "w" / ".specstory" / "history"]


def test_the_id_is_the_path_under_the_folder_that_holds_specstory(tmp_path: Path) -> None:
    write(tmp_path / "p/.specstory/history" / NAME, specstory("_**User**_\n\nhi"))
    for root in (tmp_path / "p", tmp_path / "p/.specstory", tmp_path / "p/.specstory/history"):
        assert [source.id for source in SPECSTORY.sources(root, never())] == [f".specstory/history/{NAME}"]
    write(tmp_path / "exports/a.md", specstory("_**User**_\n\nhi"))
    assert [source.id for source in SPECSTORY.sources(tmp_path / "exports", never())] == ["a.md"]


def test_user_is_the_person_and_injected_text_is_not(tmp_path: Path) -> None:
    turns = _turns(
        tmp_path,
        specstory_v2(
            "_**User (2026-01-23 14:20:54Z)**_\n\n<command-message>review</command-message>\n"
            "<command-name>/review</command-name>\n<command-args>151</command-args>",
            "_**User (2026-01-23 14:20:54Z)**_\n\n## Context\n\nPlease review.",
            "---\n\n_**Agent (claude-opus-4 2026-01-23 14:21:00Z)**_\n\nReviewing.",
            "---\n\n_**User (2026-01-23 14:22:00Z)**_\n\n[Request interrupted by user]",
            "_**User (2026-01-23 14:22:10Z)**_\n\nno, only the tests",
            "_**User (2026-01-23 14:22:11Z)**_\n\n<local-command-stdout>x</local-command-stdout>",
        ),
        "2026-01-23_14-20-54Z-review.md",
    )
    assert [(turn.speaker, turn.text) for turn in turns] == [
        (Speaker.PERSON, "/review 151"),
        (Speaker.INJECTED, "## Context\n\nPlease review."),
        (Speaker.ASSISTANT, "Reviewing."),
        (Speaker.INJECTED, "[Request interrupted by user]"),
        (Speaker.PERSON, "no, only the tests"),
    ]
    assert turns[2].name == "claude-opus-4" and turns[2].when == _utc(2026, 1, 23, 14, 21)


def test_a_header_without_a_time_is_pasted_text_where_headers_have_times(tmp_path: Path) -> None:
    turns = _turns(
        tmp_path,
        specstory_v2("_**User (2026-01-23 14:20:54Z)**_\n\nlook:\n\n_**User**_\n\nold words"),
        "2026-01-23_14-20-54Z.md",
    )
    assert [turn.text for turn in turns] == ["look:\n\n_**User**_\n\nold words"]


def test_sidechains_are_a_subagents(tmp_path: Path) -> None:
    turns = _turns(
        tmp_path,
        specstory_v2(
            "_**User - sidechain (2026-01-23 14:20:54Z)**_\n\nsearch",
            "_**Agent - sidechain (m 2026-01-23 14:20:59Z)**_\n\nfound",
        ),
        "2026-01-23_14-20-54Z.md",
    )
    assert [turn.speaker for turn in turns] == [Speaker.INJECTED, Speaker.SUBAGENT]


EDIT = """<details><summary>Edit file: frontend/package.json</summary>

undefined

**Chunk 1**
Lines added: 1, lines removed: 1

```diff
@@ -12,3 +12,3 @@
      "a": "1",
-     "b": "2",
+     "b": "3",
      "c": "4",
```

</details>"""


def test_an_edit_of_the_old_layout_has_path_and_new_lines(tmp_path: Path) -> None:
    turns = _turns(
        tmp_path, specstory("_**User**_\n\nbump b", f"_**Assistant**_\n\nBumping it.\n\n---\n\n{EDIT}\n\n---\n\nDone.")
    )
    assert [turn.text for turn in turns] == ["bump b", "Bumping it.", "Done."]
    [edit] = turns[1].edits
    assert (edit.path, edit.written, edit.removed) == ("frontend/package.json", '    "b": "3",', '    "b": "2",')
    assert edit.outcome is EditOutcome.APPLIED


def test_a_diff_without_a_path_belongs_to_the_one_file_named_before_it(tmp_path: Path) -> None:
    body = "_**Assistant**_\n\nNow `src/cli.ts`:\n\n---\n\n```diff\n  a\n- \n+ b()\n```"
    again = "\n\n---\n\n```diff\n+ c()\n```"
    [_, turn] = _turns(tmp_path, specstory("_**User**_\n\ngo", body + again))
    assert [(edit.path, edit.written) for edit in turn.edits] == [("src/cli.ts", "b()"), ("", "c()")]


def test_an_apply_patch_block_may_lack_its_end(tmp_path: Path) -> None:
    body = (
        "_**Assistant**_\n\nFixing.\n\n---\n\nTool use: **apply_patch**\n\n"
        "<details>\n        <summary>Apply patch for /r/a.yml</summary>\n\n"
        "```diff\n*** Begin Patch\n*** Update File: /r/a.yml\n@@\n-x\n+y\n*** End Patch\n```\n\n---\n\nNext."
    )
    [_, first, second] = _turns(tmp_path, specstory("_**User**_\n\ngo", body))
    assert [(e.path, e.written) for e in first.edits] == [("/r/a.yml", "y")]
    assert second.text == "Next."


def test_a_commit_is_one_only_where_the_output_shows_it(tmp_path: Path) -> None:
    shown = (
        '_**Assistant**_\n\nCommitting.\n\n---\n\n```bash\ngit commit -m "x"\n```\n\n'
        '```\n<ommit -m "x"\n[main 6b71178] x\n 1 file changed\n```'
    )
    refused = '_**Assistant**_\n\nAgain.\n\n---\n\n```bash\ngit commit -m "y"\n```\n\n```\nhook failed\n```'
    advice = '_**Assistant**_\n\nRun:\n\n```bash\ngit commit -m "z"\n```\n\nthen push. Output: `[main 1234567] z`'
    turns = _turns(tmp_path, specstory("_**User**_\n\ngo", shown, refused, advice))
    assert [(c.hash, c.subject, c.branch) for turn in turns for c in turn.commits] == [("6b71178", "x", "main")]


def test_reads_and_searches_are_mentions(tmp_path: Path) -> None:
    turns = _turns(tmp_path, specstory("_**User**_\n\ngo", "_**Assistant**_\n\nLooking.\n\n---\n\nRead file: src/a.py"))
    assert turns[1].mentions == ("src/a.py",)


def test_files_named_in_words_are_mentions(tmp_path: Path) -> None:
    turns = _turns(
        tmp_path, specstory("_**User**_\n\nsee @docs/plan.md", "_**Assistant**_\n\nChanged `app/store.py` and `x`.")
    )
    assert [turn.mentions for turn in turns] == [("docs/plan.md",), ("app/store.py",)]


def _read_block(path: str, first: int, *lines: str) -> str:
    numbered = "\n".join(f"{n:>6}→{line}" for n, line in enumerate(lines, first))
    return tool_use("read", "Read", f" `{path}`\n\n```text\n{numbered}\n```")


def _edited(path: str, first: int, *lines: str) -> str:
    numbered = "\n".join(f"{n:>6}→{line}" for n, line in enumerate(lines, first))
    said = f"The file {path} has been updated. Here's the result of running `cat -n` on a snippet of the edited file:"
    return tool_use("write", "Edit", f"\n```text\n{said}\n{numbered}\n```")


def _agent(*blocks: str) -> str:
    return "\n\n".join(f"_**Agent (m 2026-01-23 14:21:{n:02d}Z)**_\n\n{block}" for n, block in enumerate(blocks))


def test_an_excerpt_of_a_file_after_an_edit_is_stripped_of_context_and_numbers(tmp_path: Path) -> None:
    turns = _turns(
        tmp_path,
        specstory_v2(
            "_**User (2026-01-23 14:20:54Z)**_\n\ngo",
            _agent("Editing.", _edited("/r/a.py", 10, "c1", "c2", "c3", "c4", "new line", "c5", "c6", "c7", "c8")),
        ),
        "2026-01-23_14-20-54Z.md",
    )
    [edit] = turns[1].edits
    assert (edit.path, edit.written, edit.outcome) == ("/r/a.py", "new line", EditOutcome.APPLIED)


def test_an_excerpt_at_the_start_of_a_file_needs_the_file_as_it_was_read(tmp_path: Path) -> None:
    after = ("new line", "c1", "c2", "c3", "c4")
    head = "_**User (2026-01-23 14:20:54Z)**_\n\ngo"
    unknown = _turns(
        tmp_path / "a", specstory_v2(head, _agent("E.", _edited("/r/a.py", 1, *after))), "2026-01-23_14-20-54Z.md"
    )
    assert unknown[1].edits[0].written == ""
    known = _turns(
        tmp_path / "b",
        specstory_v2(head, _agent("E.", _read_block("./a.py", 1, "c1", "c2"), _edited("/r/a.py", 1, *after))),
        "2026-01-23_14-20-54Z.md",
    )
    assert known[1].edits[0].written == "new line" and known[1].mentions == ("./a.py",)


def test_a_written_file_and_its_rewrite(tmp_path: Path) -> None:
    made = "\n```py\none = 1\ntwo = 2\n```\n\n```text\nFile created successfully at: /r/n.py\n```"
    again = "\n```py\none = 1\ntwo = 3\n```\n\n```text\nThe file /r/n.py has been updated.\n```"
    turns = _turns(
        tmp_path,
        specstory_v2(
            "_**User (2026-01-23 14:20:54Z)**_\n\ngo",
            _agent("W.", tool_use("write", "Write", made), tool_use("write", "Write", again)),
        ),
        "2026-01-23_14-20-54Z.md",
    )
    assert [(e.written, e.whole_file) for e in turns[1].edits] == [("one = 1\ntwo = 2", True), ("two = 3", False)]


def test_a_codex_patch_names_its_file_in_bold(tmp_path: Path) -> None:
    body = "**Update: `docs/a.md`**\n\n```diff\n@@\n-old\n+new\n same\n```"
    turns = _turns(
        tmp_path,
        specstory_v2("_**User (2026-01-23 14:20:54Z)**_\n\ngo", _agent("P.", tool_use("write", "apply_patch", body))),
        "2026-01-23_14-20-54Z.md",
    )
    [edit] = turns[1].edits
    assert (edit.path, edit.written, edit.outcome) == ("docs/a.md", "new", EditOutcome.UNCONFIRMED)


def test_a_tool_block_may_hold_what_looks_like_a_turn_or_its_own_end(tmp_path: Path) -> None:
    body = (
        "\n````md\n_**User (2026-01-01 00:00:00Z)**_\n\n</details></tool-use>\n````\n\n"
        "```text\nFile created successfully at: /r/n.md\n```"
    )
    turns = _turns(
        tmp_path,
        specstory_v2(
            "_**User (2026-01-23 14:20:54Z)**_\n\ngo", _agent("W.", tool_use("write", "Write", body), "after")
        ),
        "2026-01-23_14-20-54Z.md",
    )
    assert [turn.text for turn in turns] == ["go", "W.", "after"]
    assert turns[1].edits[0].path == "/r/n.md"


def test_thoughts_and_results_are_nobodys_words(tmp_path: Path) -> None:
    body = "<think><details><summary>Thought Process</summary>\nsecret plan\n</details></think>\n\nSaid."
    shell = tool_use("shell", "Bash", "\n`ls`\n\n```text\nprinted\n```")
    turns = _turns(
        tmp_path,
        specstory_v2("_**User (2026-01-23 14:20:54Z)**_\n\ngo", _agent(body, shell)),
        "2026-01-23_14-20-54Z.md",
    )
    assert [turn.text for turn in turns] == ["go", "Said."]


def test_a_heredoc_is_an_edit(tmp_path: Path) -> None:
    shell = tool_use("shell", "Bash", "\n```bash\ncat > a.txt <<'EOF'\nhello\nEOF\n```\n\n```text\n\n```")
    turns = _turns(
        tmp_path,
        specstory_v2("_**User (2026-01-23 14:20:54Z)**_\n\ngo", _agent("S.", shell)),
        "2026-01-23_14-20-54Z.md",
    )
    assert [(e.path, e.written) for e in turns[1].edits] == [("a.txt", "hello")]


@pytest.mark.parametrize(
    ("name", "head", "started"),
    [
        ("2025-09-18_10-00Z-x.md", "# A (2025-09-18 10:00Z)", _utc(2025, 9, 18, 10)),
        ("2026-01-23_14-20-54Z.md", "# A", _utc(2026, 1, 23, 14, 20, 54)),
        ("2025-04-26_20-30-x.md", "# A (2025-04-26 16:30:55)", _utc(2025, 4, 26, 20, 30)),
    ],
)
def test_the_files_name_tells_when_it_started(tmp_path: Path, name: str, head: str, started: datetime) -> None:
    assert _head(tmp_path, specstory("_**User**_\n\nhi", head=head), name).started == started


def test_times_of_before_the_conversation_are_ignored(tmp_path: Path) -> None:
    text = specstory("_**User (2025-09-17 09:00Z)**_\n\nearly", "_**User (2025-09-18 10:05Z)**_\n\nright")
    assert [turn.when for turn in _turns(tmp_path, text)] == [None, _utc(2025, 9, 18, 10, 5)]
    assert _head(tmp_path, text).ended == _utc(2025, 9, 18, 10, 5)


def test_one_time_on_every_message_is_no_time(tmp_path: Path) -> None:
    text = specstory(*("_**User (2025-09-19 15:02Z)**_\n\nx" for _ in range(3)))
    assert [turn.when for turn in _turns(tmp_path, text)] == [None, None, None]


def test_the_way_back_in_is_the_exported_runtimes_own(tmp_path: Path) -> None:
    source = _source(tmp_path, specstory_v2("_**User (2026-01-23 14:20:54Z)**_\n\ngo"))
    reading = SPECSTORY.read(source, never())
    list(reading)
    native = "abcdef01-2222-3333-4444-555555555555"
    there = SPECSTORY.handle(source, reading.head, exists=[str(tmp_path)])
    assert there.command == f"cd {tmp_path} && claude --resume {native}" and there.note
    gone = SPECSTORY.handle(source, reading.head, exists=[])
    assert gone.command == f"claude --resume {native}" and gone.note and "gone" in gone.note
    loose = write(tmp_path / "loose.md", source.path.read_text())
    [other] = SPECSTORY.sources(loose, never())
    nowhere = SPECSTORY.handle(other, reading.head)
    assert nowhere.command is None and nowhere.note and "not recorded" in nowhere.note
    cursor = _source(tmp_path / "c", specstory("_**User**_\n\ngo"))
    reading = SPECSTORY.read(cursor, never())
    list(reading)
    assert SPECSTORY.handle(cursor, reading.head).command is None


def test_a_file_that_is_no_export_says_so(tmp_path: Path) -> None:
    source = _source(tmp_path, "# Notes\n\nnothing here\n")
    reading = SPECSTORY.read(source, never())
    assert list(reading) == [] and reading.scan.unknown_types == {"(not a SpecStory export)": 1}


_PIECES = st.one_of(
    st.text(max_size=30),
    st.sampled_from(
        [
            "<!-- Generated by SpecStory -->",
            "<!-- Generated by SpecStory, Markdown v2.1.0 -->",
            "_**User**_",
            "_**Assistant**_",
            "_**Agent (m)**_",
            "_**User (2026-01-23 14:20:54Z)**_",
            "_**User (9999-99-99 99:99Z)**_",
            "---",
            "",
            "```",
            "````md",
            "```diff",
            "```bash",
            "<details>",
            "</details>",
            "</details></tool-use>",
            '<tool-use data-tool-type="write" data-tool-name="Edit"><details>',
            "<think><details>",
            "<details><summary>Edit file: a.py</summary>",
            "Tool use: **write**",
            "Read file: x",
            "+ a",
            "- b",
            "@@",
            "     1→x",
            "*** Begin Patch",
            "*** Update File: a",
            "[main 1234567] x",
            "The file /r/a.py has been updated.",
            "\0",
            "\ud800",
        ]
    ),
)


@settings(
    max_examples=250, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(lines=st.lists(_PIECES, max_size=50), cut=st.integers(0, 400))
def test_no_export_makes_the_reader_raise(tmp_path: Path, lines: list[str], cut: int) -> None:
    data = "\n".join(lines).encode("utf-8", "surrogatepass")
    path = write(tmp_path / ".specstory/history" / NAME, "")
    path.write_bytes(data[: len(data) - cut % (len(data) + 1)])
    [source] = SPECSTORY.sources(tmp_path, never())
    turns = list(SPECSTORY.read(source, never()))
    assert [turn.n for turn in turns] == list(range(1, len(turns) + 1))
    for turn in turns:
        turn.text.encode("utf-8")
