"""What a search would cost, in words; and the times that a person says, at the edges of the calendar."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from anamnesis_lsp.readings import rates
from anamnesis_lsp.readings.times import read_times

NOW = datetime(2026, 11, 30, 15, 0, tzinfo=timezone.utc)


@pytest.mark.parametrize(
    "seconds,said",
    [
        (None, "not measured yet"),
        (0.2, "about a second"),
        (7.4, "about 7 s"),
        (43, "about 45 s"),
        (300, "about 5 min"),
        (3000, "about 50 min"),
        (9000, "about 2 h"),
        (36_000 * 2, "about 20 h"),
    ],
)
def test_a_cost_is_told_in_the_unit_a_person_would_use(seconds: float | None, said: str) -> None:
    assert rates.told(seconds) == said
    assert rates.told(seconds, "1.2 GB") == f"{said}, 1.2 GB"


@pytest.mark.parametrize(
    "count,said", [(12, "12 bytes"), (3400, "3.4 kB"), (84_000_000, "84 MB"), (1.2e9, "1.2 GB"), (15e9, "15 GB")]
)
def test_a_size_is_told_in_the_unit_a_person_would_use(count: float, said: str) -> None:
    assert rates.size(count) == said


def test_a_measurement_too_small_to_tell_anything_is_left_out(tmp_path: Path) -> None:
    kept = rates.Rates()
    kept.measured("things", 0, 1.0)
    kept.measured("things", 10, 0.0)
    assert kept.seconds("things", 100) is None
    kept.measured("things", 10, 1.0)
    assert kept.seconds("things", 100) == pytest.approx(10)


def told(text: str) -> list[tuple[str, str, datetime | None, datetime | None]]:
    return [(said.words, said.relation, said.since, said.until) for said in read_times(text, NOW)]


def day(month: int, number: int, year: int = 2026) -> datetime:
    return datetime(year, month, number, tzinfo=timezone.utc)


def test_a_day_that_no_calendar_has_is_no_time() -> None:
    assert told("what happened on 2026-02-31?") == [] or "02-31" not in told("what happened on 2026-02-31?")[0][0]
    assert told("what happened on 2026-02-28?") == [("2026-02-28", "in", day(2, 28), day(3, 1))]


def test_may_is_a_month_only_where_it_is_written_as_one() -> None:
    assert told("we may drop it in the end") == []
    assert told("it was in May")[0][2:] == (day(5, 1), day(6, 1))
    assert told("since may 2025")[0][2] in (day(5, 1, 2025), day(6, 1, 2025))


@pytest.mark.parametrize(
    "text,since,until",
    [
        ("earlier this week", day(11, 30) - timedelta(days=7), NOW),
        ("the other day", day(11, 30) - timedelta(days=8), NOW),
        ("before 2025", None, day(1, 1, 2025)),
        ("after 2024-03-01", day(3, 2, 2024), None),
    ],
)
def test_a_relative_time_has_the_days_it_means(text: str, since: datetime | None, until: datetime | None) -> None:
    [(_, _, began, ended)] = told(text)
    assert (began, ended) == (since, until)
