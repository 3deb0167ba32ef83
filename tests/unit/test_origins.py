"""What is told as the origin and what is only near: each kind of wrong origin as a small past with its decoys."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path

import pytest

from anamnesis_lsp.cancel import never
from anamnesis_lsp.index import lines
from anamnesis_lsp.present.round import Round
from anamnesis_lsp.readings.counting import lines_of, with_the_one_above
from anamnesis_lsp.records.conversations.stores import Store
from anamnesis_lsp.records.git import Repository
from anamnesis_lsp.records.git.model import FileChange, Hunk
from anamnesis_lsp.records.links import commit_links, file_links
from tests.builders.claude import Transcript, session
from tests.builders.repos import Repo, new_repo
from tests.unit.test_search import (
    AFTER,
    BEFORE,
    NOON,
    a_repo,
    at,
    changed,
    leading,
    recollected,
    that_wrote_it,
    told,
)

OTHERS = (
    "the upload form loses its file when the session expires",
    "invoices are rounded twice and the total is a cent off",
    "the nightly report mails an empty sheet on Mondays",
    "search forgets the filters when a page is turned",
    "the avatar is squashed on narrow screens",
    "exported calendars miss the time zone",
    "the cache of thumbnails grows without a bound",
    "webhooks are delivered twice after a deploy",
    "a deleted user still shows up in mentions",
)
"""What the other records of a repository are about."""


def decisions(repo: Repo, texts: Iterable[tuple[str, str]], folder: str = "docs/adr") -> dict[str, str]:
    """Decision records by path: (title, body)."""
    return {
        f"{folder}/{number:04d}-{title.lower().replace(' ', '-')[:40]}.md": (
            f"# {number}. {title}\n\nDate: 2026-01-{number:02d}\n\n## Status\n\nAccepted\n\n## Decision\n\n{body}\n"
        )
        for number, (title, body) in enumerate(texts, 1)
    }


def unrelated() -> list[tuple[str, str]]:
    return [(f"About what we saw {n}", f"We decided this because {about}.") for n, about in enumerate(OTHERS, 1)]


def of_decisions(repo: Repo) -> Round:
    return recollected(repo, [], stores=(Store.at("decisions", repo.path),))


def tells_of_no_record(shown: Round) -> bool:
    kinds = {member.kind for member in shown.recognizables[0].members}
    return kinds == {"commit"} and any("No conversation or decision record" in note for note in shown.notes)


# ── most code has no record ─────────────────────────────────────────────────────────────────────────────────────────


def test_where_no_record_belongs_the_commits_are_told_and_what_is_near(tmp_path: Path) -> None:
    repo = a_repo(tmp_path)
    repo.commit("Keep what was decided", decisions(repo, unrelated()), date=at(NOON - timedelta(days=8)))
    commit = changed(repo)
    shown = of_decisions(repo)
    assert tells_of_no_record(shown) and leading(shown) == (commit,)
    assert shown.adjacent, "the nearest are named"


def test_a_record_that_speaks_of_the_change_as_no_other_does_is_told_with_a_doubt(tmp_path: Path) -> None:
    repo = a_repo(tmp_path)
    mine = ("Back off while the gateway restarts", "The gateway drops the first request after a restart: retry with"
            " BACKOFF_SECONDS between, up to RETRY_LIMIT, raise GatewayGone.")  # fmt: skip
    files = decisions(repo, [*unrelated(), mine])
    repo.commit("Keep what was decided", files, date=at(NOON - timedelta(days=8)))
    changed(repo)
    shown = of_decisions(repo)
    assert "back-off-while-the-gateway" in leading(shown)[0]
    assert any("not a recorded link or the lines themselves" in doubt for doubt in shown.dissent)


def test_the_best_of_many_that_fit_a_little_is_nothing(tmp_path: Path) -> None:
    """Every record of this repository speaks of gateways and requests; none of this change."""
    repo = a_repo(tmp_path)
    alike = [(f"Gateway rule {n}", f"A request to the gateway may fail: {about}.") for n, about in enumerate(OTHERS, 1)]
    repo.commit("Keep what was decided", decisions(repo, alike), date=at(NOON - timedelta(days=8)))
    for n in range(12):
        repo.commit(f"Gateway: another request of kind {n} fails", date=at(NOON - timedelta(days=7, hours=-n)))
    changed(repo, "Retry a failed request to the gateway")
    assert tells_of_no_record(of_decisions(repo))


def test_naming_a_file_the_hour_and_words_of_the_message_are_no_origin(tmp_path: Path) -> None:
    repo = a_repo(tmp_path)
    changed(repo)
    talk = Transcript(session(5), cwd=str(repo.path), start=NOON - timedelta(minutes=20))
    talk.person("What does src/fetch.py import? I restart the job nightly.")
    talk.assistant("It imports nothing yet.")
    shown = recollected(repo, [talk])
    assert tells_of_no_record(shown)


def test_an_edit_of_the_file_that_wrote_none_of_the_lines_is_no_origin(tmp_path: Path) -> None:
    repo = a_repo(tmp_path)
    changed(repo)
    talk = Transcript(session(5), cwd=str(repo.path), start=NOON - timedelta(days=3))
    talk.person("Please sort the imports.")
    talk.edit(f"{repo.path}/src/fetch.py", "import b", "import a  # sorted by hand", say="Sorted.")
    assert tells_of_no_record(recollected(repo, [talk]))


# ── lines that anybody writes ───────────────────────────────────────────────────────────────────────────────────────

SHAPE = "export interface Toast {\n  id: string;\n  message?: string;\n  kind: string;\n}\n"


@pytest.mark.parametrize(
    "line,is_telling",
    [
        ("  id: string;", False),
        ("const fs = require('fs');", False),
        ("import { useState, useEffect } from 'react';", False),
        ("from collections.abc import Mapping, Sequence", False),
        ("        wait_for_gateway(BACKOFF_SECONDS * attempt)", True),
        ("if err := os.MkdirAll(filepath.Dir(rcFile), 0o755); err != nil {", True),
    ],
)
def test_a_line_that_anybody_writes_tells_nothing(line: str, is_telling: bool) -> None:
    assert lines.telling(line) is is_telling


def test_common_lines_in_another_file_join_nothing(tmp_path: Path) -> None:
    repo = a_repo(tmp_path)
    repo.commit("Add toasts", {"src/toast.ts": SHAPE}, date=at(NOON))
    talk = Transcript(session(5), cwd=str(repo.path), start=NOON - timedelta(hours=2))
    talk.person("A user needs an id and a message.")
    talk.edit(f"{repo.path}/src/user.ts", "interface User {", "interface User {\n  id: string;\n  message?: string;\n}")
    assert tells_of_no_record(recollected(repo, [talk], lines=(2, 4), path="src/toast.ts"))


def test_the_same_lines_in_the_same_file_join(tmp_path: Path) -> None:
    repo = a_repo(tmp_path)
    repo.commit("Add toasts", {"src/toast.ts": SHAPE}, date=at(NOON))
    talk = Transcript(session(5), cwd=str(repo.path), start=NOON - timedelta(hours=2))
    talk.person("A toast needs an id and a message.")
    talk.edit(f"{repo.path}/src/toast.ts", "x", SHAPE)
    assert leading(recollected(repo, [talk], lines=(2, 4), path="src/toast.ts"))[0] == session(5)


def test_an_import_taken_for_a_copy_goes_back_to_the_commit_around_it(tmp_path: Path) -> None:
    repo = new_repo(tmp_path / "app")
    head = "const fs = require('fs');\nconst path = require('path');\n\nfunction main() {\n  run(path, fs);\n}\n"
    repo.commit("Add the script", {"a.js": head}, date=at(NOON - timedelta(days=3)))
    block = "\nfunction analyse(report) {\n  const fs = require('fs');\n  const path = require('path');\n"
    block += "  return fs.readFileSync(path.join(report.folder, 'analysis.json'));\n}\n"
    commit = repo.commit("Analyse the report", {"a.js": head + block}, date=at(NOON))
    shown = recollected(repo, [], lines=(8, 11), path="a.js")
    assert leading(shown) == (commit,)
    assert "brought all 4 selected lines" in told(shown)


def test_a_few_lines_that_stand_in_another_file_too_are_of_the_commit_that_added_them_here(tmp_path: Path) -> None:
    repo = new_repo(tmp_path / "app")
    stamp = "    created_at: '2025-01-01T00:00:00Z',\n    updated_at: '2025-01-01T00:00:00Z',\n"
    repo.commit(
        "Store what is reported", {"store.test.ts": f"const one = {{\n{stamp}}};\n"}, date=at(NOON - timedelta(days=3))
    )
    order = f"const parent = {{\n    id: 'p-1',\n{stamp}    // no hints\n    kind: 'parent',\n}};\n"
    files = {"order.test.ts": order, "store.test.ts": f"const one = {{\n{stamp}}};\nstore(one);\n"}
    commit = repo.commit("Order the children", files, date=at(NOON))
    later = order.replace("// no hints", "// no hints of an order")
    repo.commit("Say which hints", {"order.test.ts": later}, date=at(NOON + timedelta(days=1)))
    shown = recollected(repo, [], lines=(3, 6), path="order.test.ts")
    counts = re.findall(r"Commit (\w+) by .* brought (\d) of the 4 selected lines", told(shown))
    assert counts[0] == (commit[:9], "3") and len(counts) == 2


def test_a_few_lines_that_stand_above_in_the_file_too_are_of_the_commit_that_wrote_the_block(tmp_path: Path) -> None:
    repo = new_repo(tmp_path / "app")
    load = "    loaded = session.load_state(identity)\n    if loaded is None:\n"
    load += "        fail('the state could not be loaded')\n"
    first = f"def test_saves():\n    save('one')\n{load}    assert loaded.kind == 'one'\n"
    repo.commit("Save the state", {"test_state.py": first}, date=at(NOON - timedelta(days=3)))
    second = f"\n\ndef test_names_its_agent():\n    save_with_agent('two', AGENT_NAME)\n{load}"
    second += "    assert loaded.agent == AGENT_NAME\n"
    commit = repo.commit("Name the agent", {"test_state.py": first + second}, date=at(NOON))
    shown = recollected(repo, [], lines=(11, 13), path="test_state.py")
    assert leading(shown) == (commit,)


def test_a_bracket_that_stayed_is_not_given_to_the_commit_that_wrote_one_elsewhere(tmp_path: Path) -> None:
    repo = new_repo(tmp_path / "app")
    bar = "const bar = () => (\n  <Button\n    onClick={openIt}\n    style={{\n      width: 12,\n    }}\n  />\n);\n"
    first = repo.commit("Add the bar", {"bar.tsx": bar}, date=at(NOON - timedelta(days=3)))
    after = bar.replace("    style", '    className="drawer-touch-target"\n      style')
    after += "const mat = () => (\n  <Grid\n    style={{\n      gap: 1,\n    }}\n  />\n);\n"
    second = repo.commit("Make it easy to touch", {"bar.tsx": after}, date=at(NOON))
    shown = recollected(repo, [], lines=(3, 5), path="bar.tsx")
    counts = re.findall(r"Commit (\w+) by .* brought (\d) of the 3 selected lines", told(shown))
    assert counts == [(first[:9], "2"), (second[:9], "1")]


# ── several records, several commits ────────────────────────────────────────────────────────────────────────────────


def test_of_two_sessions_of_one_commit_the_one_that_speaks_of_the_lines_is_told(tmp_path: Path) -> None:
    """Both went into the commit, and the commit's message speaks of the other one's matter alone."""
    repo = a_repo(tmp_path)
    history = ".specstory/history"
    ignoring = "# Ignored chats (2026-03-02 11:20Z)\n\n_**User**_\n\nLet some chats be on an ignored list, so that"
    ignoring += " no donation message is sent to them.\n\n---\n\n_**Assistant**_\n\nAn ignored chat gets no donation"
    ignoring += " message: I check the ignored list before it is sent.\n"
    fixing = "# Placeholders (2026-03-02 11:00Z)\n\n_**User**_\n\nThe placeholders of the formatting show.\n"
    fixing += "\n---\n\n_**Assistant**_\n\nThe placeholders with null bytes break the formatting of Telegram.\n"
    code = "def send(chat):\n    if chat.id in IGNORED_CHATS:\n        log('Cannot send donation message to ignored')\n"
    message = "Fix the placeholders\n\nPlaceholders with null bytes broke the formatting of Telegram: PROTECTED."
    files = {
        "src/donation.py": code,
        "src/formatting.py": "PLACEHOLDER = 'x'\n",
        f"{history}/2026-03-02_11-20Z-ignored-chats.md": ignoring,
        f"{history}/2026-03-02_11-00Z-placeholders.md": fixing,
    }
    repo.commit(message, files, date=at(NOON))
    stores = (Store.at("specstory", repo.path / history),)
    shown = recollected(repo, [], lines=(2, 3), path="src/donation.py", stores=stores)
    assert "ignored-chats" in leading(shown)[0]
    assert not any("placeholders" in member for member in leading(shown)[1:])


def test_where_one_conversation_wrote_the_lines_others_of_the_squash_are_only_near(tmp_path: Path) -> None:
    repo = a_repo(tmp_path)
    message = f"Retry and tidy\n\nAI-Session: {session(1)}\nAI-Session: {session(6)}"
    changed(repo, message)
    other = Transcript(session(6), cwd=str(repo.path), start=NOON - timedelta(minutes=25))
    other.person("Tidy the readme, the badges are broken.")
    other.edit(f"{repo.path}/README.md", "x", "A badge that is not broken any more", say="Tidied the badges.")
    shown = recollected(repo, [that_wrote_it(repo), other])
    assert leading(shown)[0] == session(1) and session(6) not in leading(shown)
    assert any(session(6) in near.members for near in shown.adjacent)


def test_a_revert_leads_to_who_first_wrote_the_lines(tmp_path: Path) -> None:
    repo = a_repo(tmp_path)
    first = changed(repo)
    gone = repo.commit("Back to plain fetching", {"src/fetch.py": BEFORE}, date=at(NOON + timedelta(days=1)))
    message = f'Revert "Back to plain fetching"\n\nThis reverts commit {gone}.'
    revert = repo.commit(message, {"src/fetch.py": AFTER}, date=at(NOON + timedelta(days=2)))
    shown = recollected(repo, [that_wrote_it(repo)])
    assert leading(shown) == (session(1), first, revert)


def test_a_file_that_was_deleted_and_restored_is_of_who_first_wrote_it(tmp_path: Path) -> None:
    repo = a_repo(tmp_path)
    first = changed(repo)
    repo.commit("Tidy", {"src/fetch.py": None}, date=at(NOON + timedelta(days=1)))
    message = "Mend the error messages (#7)\n\nAlso put back what was deleted by mistake."
    restored = repo.commit(message, {"src/fetch.py": AFTER}, date=at(NOON + timedelta(days=2)))
    assert leading(recollected(repo, [that_wrote_it(repo)])) == (session(1), first, restored)


def test_a_line_that_a_commit_left_alone_is_not_its_own(tmp_path: Path) -> None:
    """The line after the changed one stands elsewhere among what the commit added, and is context here."""
    repo = new_repo(tmp_path / "app")
    old = "<nav\n  className='wide'\n  style={{\n    color: theme.colors.primary,\n"
    repo.commit("Add", {"a.tsx": old}, date=at(NOON))
    new = old.replace("wide", "narrow") + "}}>\n<p\n  style={{\n"
    second = repo.commit("Narrow it", {"a.tsx": new}, date=at(NOON + timedelta(days=1)))
    text = told(recollected(repo, [], lines=(1, 4), path="a.tsx"))
    assert f"{second[:9]} by Ada Lovelace on 2026-03-03 brought 1 of the 4 selected lines" in text


def test_the_commit_that_speaks_of_the_cue_comes_first(tmp_path: Path) -> None:
    repo = a_repo(tmp_path)
    mended = AFTER.replace("answer.status != GATEWAY_RESTARTING", "answer.status not in GATEWAY_RESTARTING_STATES")
    changed(repo)
    second = repo.commit("Treat draining as restarting", {"src/fetch.py": mended}, date=at(NOON + timedelta(days=1)))
    assert leading(recollected(repo, []))[0] != second
    assert leading(recollected(repo, [], cue="something about draining"))[0] == second


# ── records that a commit touched ───────────────────────────────────────────────────────────────────────────────────


def _change(path: str, *text: str) -> FileChange:
    return FileChange("M", path, None, False, (Hunk(1, 0, 1, len(text), text),))


def test_a_file_that_only_lost_lines_names_no_record() -> None:
    tidied = [f"-old line {n} of the task" for n in range(9)]
    assert not file_links([_change("docs/adr/0003-x.md", *tidied)])
    assert not file_links([_change("docs/adr/0003-x.md", "+one word", *tidied)])
    assert file_links([_change("docs/adr/0003-x.md", "-Status: proposed", "+Status: accepted")])


def test_an_issue_that_was_only_removed_from_the_file_is_not_named() -> None:
    assert not file_links([_change(".beads/issues.jsonl", '-{"id":"bd-a1","title":"y"}')])


def test_a_revert_writes_no_record(tmp_path: Path) -> None:
    repo = new_repo(tmp_path / "app")
    repo.commit("x", {"a": "a"})
    repository = Repository.discover(repo.path, never())
    change = _change("docs/adr/0003-x.md", "+back again, all of it")
    assert commit_links(repository, repo.head(), "Add it", [change], never())
    assert not commit_links(repository, repo.head(), 'Revert "Remove it"', [change], never())


CHANGELOG = "# Changelog\n\n## [1.1.0] - 2026-03-05\n\n{more}\n## [1.0.0] - 2026-02-01\n\n- Fetching from the gateway\n"


def test_a_change_log_is_no_origin_by_its_words(tmp_path: Path) -> None:
    repo = a_repo(tmp_path)
    more = "- Retry with BACKOFF_SECONDS while the gateway restarts, then GatewayGone\n"
    changed(repo)
    repo.commit("Release 1.1.0", {"CHANGELOG.md": CHANGELOG.format(more=more)}, date=at(NOON + timedelta(days=3)))
    assert tells_of_no_record(of_decisions(repo))


def test_of_a_change_log_the_entry_that_the_commit_wrote_is_the_nearest(tmp_path: Path) -> None:
    repo = a_repo(tmp_path)
    repo.commit("Log", {"CHANGELOG.md": CHANGELOG.format(more="")}, date=at(NOON - timedelta(days=5)))
    more = "- Retry with BACKOFF_SECONDS while the gateway restarts, then GatewayGone\n"
    files = {"src/fetch.py": AFTER, "CHANGELOG.md": CHANGELOG.format(more=more)}
    repo.commit("Retry while the gateway restarts", files, date=at(NOON))
    shown = of_decisions(repo)
    assert tells_of_no_record(shown)
    assert shown.adjacent[0].members[0] == "CHANGELOG.md#1.1.0"


def test_an_undated_record_that_came_later_led_to_nothing(tmp_path: Path) -> None:
    repo = a_repo(tmp_path)
    changed(repo)
    text = "# Back off while the gateway restarts\n\n## Decision\n\nRetry with BACKOFF_SECONDS, then GatewayGone.\n"
    files = {"docs/adr/back-off.md": text}
    files |= {path: body.replace("Date: 2026", "Seen: 2026") for path, body in decisions(repo, unrelated()).items()}
    repo.commit("Write down what we do", files, date=at(NOON + timedelta(days=200)))
    shown = of_decisions(repo)
    assert tells_of_no_record(shown)
    assert not any("back-off" in member for one in shown.recognizables for member in (m.id for m in one.members))


# ── counts ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_lines_are_counted_as_git_counts_them_blank_ones_too(tmp_path: Path) -> None:
    repo = a_repo(tmp_path)
    after = AFTER.replace("        wait_for", "\n        wait_for")
    repo.commit("Retry while the gateway restarts", {"src/fetch.py": after}, date=at(NOON))
    talk = Transcript(session(1), cwd=str(repo.path), start=NOON - timedelta(minutes=30))
    talk.person("The gateway drops the first request. Can we retry?")
    talk.edit(f"{repo.path}/src/fetch.py", BEFORE.rstrip(), after.rstrip(), say="I will back off.")
    text = told(recollected(repo, [talk], lines=(2, 6)))
    assert "brought all 5 selected lines" in text and "wrote all 5 selected lines" in text


def test_what_says_nothing_is_written_with_the_line_above_it() -> None:
    judge = {"a": True, "b": False}.get
    assert with_the_one_above(["", "a", "", "b", "", "a"], judge) == [True, True, True, False, False, True]
    assert with_the_one_above(["", ""], judge) == [False, False]


def test_written_lines_of_a_commit_are_counted_over_its_files() -> None:
    patch = {"a.py": ("first telling line", "", "second telling line"), "b.py": ("third telling line",)}
    written = {h for text in ("first telling line", "third telling line") for h in lines.hashes(text)}
    assert lines_of(patch, written) == 3


def test_every_record_of_the_story_is_cited_and_the_others_are_near(tmp_path: Path) -> None:
    repo = a_repo(tmp_path)
    changed(repo)
    shown = recollected(repo, [that_wrote_it(repo)])
    cited = {number for sentence in shown.story for number in sentence.cites}
    assert {record.n for record in shown.records} == cited


def test_a_record_that_is_joined_goes_before_a_change_logs_entry(tmp_path: Path) -> None:
    repo = a_repo(tmp_path)
    mine = ("Back off while the gateway restarts", "The gateway drops the first request after a restart: retry with"
            " BACKOFF_SECONDS between, up to RETRY_LIMIT, raise GatewayGone.")  # fmt: skip
    repo.commit("Keep what was decided", decisions(repo, [*unrelated(), mine]), date=at(NOON - timedelta(days=8)))
    more = "- Retry with BACKOFF_SECONDS while the gateway restarts, then GatewayGone\n"
    files = {"src/fetch.py": AFTER, "CHANGELOG.md": CHANGELOG.format(more=more)}
    repo.commit("Retry while the gateway restarts", files, date=at(NOON))
    assert "back-off-while-the-gateway" in leading(of_decisions(repo))[0]


def test_the_record_that_a_small_commit_added_with_its_code_is_told(tmp_path: Path) -> None:
    repo = a_repo(tmp_path)
    repo.commit("Keep what was decided", decisions(repo, unrelated()), date=at(NOON - timedelta(days=8)))
    text = "# 40. Patience\n\n## Decision\n\nWe do not ask again and again.\n"
    files = {"src/fetch.py": AFTER, "docs/adr/0040-patience.md": text}
    repo.commit("Wait for the gateway", files, date=at(NOON))
    assert leading(of_decisions(repo))[0] == "docs/adr/0040-patience.md"


def test_the_record_that_the_subject_cites_goes_before_one_that_was_only_filed_with_the_change(tmp_path: Path) -> None:
    repo = a_repo(tmp_path)
    mine = ("Wait for the gateway", "The gateway drops the first request after a restart: wait, and fetch again.")
    repo.commit("Keep what was decided", decisions(repo, [mine, *unrelated()]), date=at(NOON - timedelta(days=8)))
    left_over = "# 40. Wait for other gateways\n\n## Decision\n\nThey drop the first request as well: wait.\n"
    files = {"src/fetch.py": AFTER, "docs/adr/0040-wait-for-other-gateways.md": left_over}
    message = "ADR-0001: wait for the gateway\n\n- carried out ADR-0001\n- filed ADR-0040 for the other gateways\n"
    repo.commit(message, files, date=at(NOON))
    assert leading(of_decisions(repo))[0] == "docs/adr/0001-wait-for-the-gateway.md"


def test_a_title_that_is_the_commits_subject_is_enough(tmp_path: Path) -> None:
    repo = a_repo(tmp_path)
    mine = ("Restructure the fetch command with explicit subcommands", "Nothing more is said.")
    repo.commit("Keep what was decided", decisions(repo, [*unrelated(), mine]), date=at(NOON - timedelta(days=8)))
    changed(repo, "feat(cli): restructure fetch command with explicit subcommands (#12)")
    shown = of_decisions(repo)
    assert "restructure-the-fetch-command" in leading(shown)[0]
    assert "its title is the commit's subject" in shown.recognizables[0].joins


def test_a_conversation_that_records_a_further_commit_of_the_lines_belongs(tmp_path: Path) -> None:
    """Half of the lines were there before, and are older: the conversation is the origin of the other half."""
    repo = a_repo(tmp_path)
    after = BEFORE.replace("    return get(url)", "    for attempt in range(3):\n        return get(url)")
    commit = repo.commit("Try three times", {"src/fetch.py": after}, date=at(NOON))
    talk = Transcript(session(1), cwd=str(repo.path), start=NOON + timedelta(days=40))
    talk.person("Can we try three times?").commit("Try three times", commit[:7])
    assert leading(recollected(repo, [talk], lines=(1, 2)))[0] == session(1)


PASTED = """\
```
WARN gateway restarting, dropped the first request of the nightly job: GATEWAY_RESTARTING
WARN src/fetch.py wait_for_gateway BACKOFF_SECONDS attempt RETRY_LIMIT GatewayGone
```"""


def test_common_lines_that_an_edit_wrote_in_another_file_are_not_the_selected_ones(tmp_path: Path) -> None:
    repo = a_repo(tmp_path)
    after = AFTER + "\n\ndef main():\n    try:\n        run()\n    except OSError:\n        sys.exit(1)\n"
    repo.commit(f"Run it\n\nAI-Session: {session(1)}", {"src/fetch.py": after}, date=at(NOON))
    talk = Transcript(session(1), cwd=str(repo.path), start=NOON - timedelta(minutes=20))
    talk.person("Run the tool by itself.")
    talk.edit(
        f"{repo.path}/src/other.py", "", "    try:\n        go()\n    except OSError:\n        sys.exit(1)", say="So."
    )
    shown = recollected(repo, [talk], lines=(11, 14))
    assert leading(shown)[0] == session(1)
    assert "wrote" not in told(shown)


def test_of_a_linked_conversation_that_says_nothing_of_the_lines_that_is_said(tmp_path: Path) -> None:
    repo = a_repo(tmp_path)
    changed(repo, f"Retry while the gateway restarts\n\nAI-Session: {session(1)}")
    talk = Transcript(session(1), cwd=str(repo.path), start=NOON - timedelta(minutes=20))
    talk.person(PASTED).assistant("I see.")
    shown = recollected(repo, [talk])
    assert leading(shown)[0] == session(1)
    assert not any(record.member.kind == "conversation" and record.n in cites(shown) for record in shown.records)
    assert any(note.startswith("Of “") and "listed for what ties it" in note for note in shown.notes)


def cites(shown: Round) -> set[int]:
    return {number for sentence in shown.story for number in sentence.cites}
