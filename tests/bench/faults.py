"""Faults injected and faults survived, as a table: ``tests/security/test_faults.py``, one row a fault.

    python tests/bench/faults.py

Survived: every request was answered, or refused with a code and a remedy; no fault of the server's own in its log; it
went on afterwards. Exit code 1 where one was not survived.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import pytest  # noqa: E402

FAULTS = ROOT / "tests" / "security" / "test_faults.py"


class Rows:
    """What became of each test, and in how many seconds."""

    def __init__(self) -> None:
        self.rows: list[tuple[str, str, float]] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" or report.outcome != "passed":
            name = report.nodeid.rpartition("::")[2].removeprefix("test_").replace("_", " ")
            words = {"passed": "survived", "failed": "NOT SURVIVED", "skipped": "not injected here"}
            self.rows.append((name, words[report.outcome], report.duration))


def main() -> int:
    rows = Rows()
    pytest.main(["-q", "-n", "0", "-p", "no:cacheprovider", "--no-header", "--no-summary", str(FAULTS)], plugins=[rows])
    print("\n| fault | | seconds |\n|---|---|---|")
    for name, what, seconds in rows.rows:
        print(f"| {name} | {what} | {seconds:.1f} |")
    told = [what for _, what, _ in rows.rows]
    injected = len(told) - told.count("not injected here")
    print(f"faults survived: {told.count('survived')} of {injected} injected; {len(told) - injected} not injected here")
    return 0 if injected and told.count("survived") == injected else 1


if __name__ == "__main__":
    sys.exit(main())
