"""What somebody pasted is not what they said."""

from __future__ import annotations

import pytest

from anamnesis_lsp.readings.own_words import heard_lines, own_runs, printed

PRINTED = {
    "a log of a runner": "2025-09-19T16:49:54.7459216Z Prepared the directory.",
    "a log with columns": "build\tRun tests\t2025-09-19T18:41:09.3Z Starting now",
    "a group of a runner": "##[group]Run actions/checkout",
    "advice of git": "hint: to use in all of your new repositories",
    "a frame of JavaScript": "    at Object.<anonymous> (/srv/app/index.js:12:3)",
    "a frame of Python": '  File "app/fetch.py", line 3, in main',
    "a traceback": "Traceback (most recent call last):",
    "a linter": "cmd/root.go:28:2: string `main` has 5 occurrences, make it a constant (goconst)",
    "a linter's count": "staticcheck: 2",
    "a compiler": "src/app.ts(12,3): error TS2322: Type 'a' is not assignable",
    "an error of Rust": "error[E0382]: borrow of moved value: `x`",
    "an exception": "TypeError: Cannot read properties of undefined (reading 'x')",
    "a test run": "--- FAIL: TestTide (0.00s)",
    "a list of tests": "  1) [chromium] › login.spec.ts:18:3 › signs in",
    "a diff": "@@ -1,2 +3,4 @@",
    "JSON": '  "retries": 3,',
    "a command": "$ tide fetch --all",
    "code": "const tide = await fetch(url);",
    "a function": "func main() {",
    "a tag": '<div className="tide">',
    "a table": "| a | b |",
    "a tree": "├── src",
    "a package manager": "npm ERR! code ENOENT",
    "progress": "Waiting for the message to appear...",
    "a state": "Send button visible: true",
    "a page's log in a runner's": "BROWSER LOG: Sending message: What should I cook?",
}
SAID = (
    "Fix the bug where the bot answers commands of another bot.",
    "Errors should be returned, not printed (see fetch.go:82-84).",
    "import the module lazily inside the function",
    "private repositories are not supported; use a token",
    "It replaces what loaded with every session;",
    "1. **Long-term:** Unify the tables (major refactor)",
    "因为缓存会过期，所以我们改用版本号。",
    "Use src/components/Card.tsx for all cards (overview + telemetry).",
    'Ensure defaultTheme="light" or "system" (no dynamic class on server)',
    "WARNING: never run this twice",
    "Something is missing here... I think the cache",
    "at ten it failed (again)",
    "why doesn't `fetch()` return an error?",
)


@pytest.mark.parametrize("line", PRINTED.values(), ids=PRINTED.keys())
def test_what_a_machine_printed_is_nobodys_words(line: str) -> None:
    assert printed(line)
    assert own_runs(f"Why does it say this?\n\n{line}\n{line}\n\nI want it gone.") == [
        "Why does it say this?",
        "I want it gone.",
    ]


@pytest.mark.parametrize("line", SAID)
def test_what_somebody_wrote_is_theirs(line: str) -> None:
    assert not printed(line)
    assert own_runs(line) == [line]


def test_a_line_above_a_paste_is_said_of_it() -> None:
    pasted = "\n".join(f"cmd/a.go:{n}:2: string has 5 occurrences (goconst)" for n in range(9))
    assert own_runs(f"fix lint errors:\n{pasted}\nstaticcheck: 2") == ["fix lint errors:"]


def test_fenced_matter_is_no_words() -> None:
    text = "Look at this:\n```\nit is broken\n```\nPlease mend it."
    assert own_runs(text) == ["Look at this:", "Please mend it."]


def test_a_pasted_error_report_is_left_out_up_to_the_next_heading() -> None:
    text = (
        "find the error\n\n## Error Message\nIt may be caused by changing data.\n\n## What I want\nA fix of the theme."
    )
    assert own_runs(text) == ["find the error", "## What I want\nA fix of the theme."]


def test_what_another_had_said_stays_theirs() -> None:
    before = "- Client-side only guard (`mounted`) to avoid hangs when rendering.\n- ok"
    again = "Client-side only guard (mounted) to avoid hangs when rendering."
    pasted = f"See what we've done so far:\n\n{again}\n\nGo on from it."
    assert own_runs(pasted, frozenset(heard_lines(before))) == ["See what we've done so far:", "Go on from it."]
    assert own_runs("ok", frozenset(heard_lines(before))) == ["ok"], "short lines anybody says"
