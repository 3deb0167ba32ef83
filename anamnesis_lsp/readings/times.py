"""Time as people say it: ``last spring``, ``two weeks ago``, ``2024-03``, ``before the 2.0 release``.

Calendar words become an interval relative to the moment they were said. What is anchored at an event (a release, a
move, a rewrite) is returned with its relation and the words of the event; which commit or tag that was is for the
search to find. A time orders candidates; it hides none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

Relation = Literal["in", "before", "after", "around"]


@dataclass(frozen=True, slots=True)
class TimeSaid:
    """A time as said: an interval (either end open), or the words of the event that anchors it."""

    words: str
    relation: Relation
    since: datetime | None = None
    until: datetime | None = None
    anchor: str | None = None


_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan januar janvier enero janeiro",
            "february feb februar février fevrier febrero fevereiro",
            "march mar märz mars marzo março",
            "april apr avril abril",
            "may mai mayo maio",
            "june jun juni juin junio junho",
            "july jul juli juillet julio julho",
            "august aug août aout agosto",
            "september sep sept septembre septiembre setembro",
            "october oct oktober octobre octubre outubro",
            "november nov novembre noviembre novembro",
            "december dec dezember décembre diciembre dezembro",
        ),
        start=1,
    )
    for name in names.split()
}
_AMBIGUOUS_MONTHS = frozenset({"may", "mar", "mars", "march"})
_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
_NUMBER_WORDS = (
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
)  # fmt: skip
_NUMBERS = {name: number for number, name in enumerate(_NUMBER_WORDS, start=1)} | {
    "a": 1,
    "an": 1,
    "couple of": 2,
    "a couple of": 2,
    "few": 3,
    "a few": 3,
    "several": 4,
}
_UNIT_DAYS = {"hour": 1 / 24, "day": 1, "week": 7, "month": 30.4, "year": 365.25}

_ISO_DAY = re.compile(r"\b(\d{4})-(\d\d)-(\d\d)\b")
_ISO_MONTH = re.compile(r"\b(20\d\d)-(0[1-9]|1[0-2])\b(?!-?\d)")
_CJK_MONTH = re.compile(r"(?<![\d.])(?:(20\d\d)\s*年\s*)?(1[0-2]|[1-9])\s*月(?![球亮])")
_MONTH = re.compile(
    r"\b(?:(in|since|before|after|around|until|by|last|early|late|mid)\s+)?(?:the\s+\w+\s+of\s+)?("
    + "|".join(sorted(_MONTHS, key=len, reverse=True))
    + r")\b\.?(?:\s+(?:of\s+)?(20\d\d)\b)?",
    re.IGNORECASE,
)
_YEAR = re.compile(r"\b(in|since|before|after|around|early|late|mid)\s+(20\d\d)\b", re.IGNORECASE)
_AGO = re.compile(
    r"\b(?:about\s+|around\s+)?(\d{1,3}|" + "|".join(sorted(_NUMBERS, key=len, reverse=True)) + r")\s+"
    r"(hour|day|week|month|year)s?\s+(?:ago|back|earlier)\b",
    re.IGNORECASE,
)
_LAST = re.compile(
    r"\b(last|this|previous|earlier this|the other)\s+"
    r"(night|day|week|month|quarter|year|spring|summer|autumn|fall|winter)\b",
    re.IGNORECASE,
)
_NAMED_DAYS: tuple[tuple[str, float, float], ...] = (
    (r"\b(?:yesterday|gestern|hier|ayer|ontem)\b|昨天|昨日|어제|вчора", 2, 1),
    (r"\b(?:today|this morning|heute|aujourd'hui|hoy|hoje)\b|今天|今日|오늘|сьогодні", 1, 0),
    (r"\b(?:recently|lately|neulich|kürzlich|récemment|recientemente|recentemente)\b|最近|최근|нещодавно", 45, 0),
    (r"\b(?:letzte|vorige) woche\b|\bla semaine dernière\b|\bla semana pasada\b|\bna semana passada\b"
     r"|上周|上星期|先週|지난주|минулого тижня", 14, 5),
    (r"\b(?:letzten|vorigen) monat\b|\ble mois dernier\b|\bel mes pasado\b|\bno mês passado\b|上个月|先月|지난달"
     r"|минулого місяця", 62, 25),
    (r"\bletztes jahr\b|\bl'année dernière\b|\bel año pasado\b|\bno ano passado\b"
     r"|去年|昨年|작년|минулого року", 730, 300),
)  # fmt: skip
_EVENT = re.compile(
    r"\b(right before|right after|just before|just after|around when|around the time(?: of| that)?|before|after|around"
    r"|since|until|back when|at the time of|when)\s+"
    r"((?:we\s+|i\s+|they\s+)?(?:the\s+|our\s+|that\s+)?(?:[^,.;:?!\n]|\.(?=\d)){3,60}?)(?=$|[,;:?!\n]|\.(?!\d)|\s+(?:and|but|so|because|why|where|"
    r"who|that)\b)",
    re.IGNORECASE,
)
_RELEASE = re.compile(r"\bv?\d+\.\d+(?:\.\d+)?(?:[-.\w]*\w)?\b")
_EVENT_WORD = re.compile(
    r"\b(release|released|version|tag|launch|rewrite|refactor\w*|migrat\w+|moved?|switch\w*|upgrad\w+|introduc\w+|renam\w+"
    r"|merge\w*|drop\w*|remov\w+|adopt\w+|port\w*|split|rollout|incident|outage)\b",
    re.IGNORECASE,
)


def read_times(text: str, now: datetime) -> list[TimeSaid]:
    """The times said in ``text``, in order, read relative to ``now`` (aware)."""
    found: list[tuple[int, TimeSaid]] = []
    taken: list[tuple[int, int]] = []

    def free(match: re.Match[str]) -> bool:
        return all(match.end() <= a or match.start() >= b for a, b in taken)

    for start, end, said in _calendar(text, now):
        if all(end <= a or start >= b for a, b in taken):
            found.append((start, said))
            taken.append((start, end))
    for match in _EVENT.finditer(text):
        if free(match) and (_RELEASE.search(match[2]) or _EVENT_WORD.search(match[2])):
            found.append((match.start(), _anchored(match)))
            taken.append(match.span())
    return [said for _, said in sorted(found, key=lambda pair: pair[0])]


_HEDGE = re.compile(r"\s+(?:i (?:think|guess|believe|suppose)|or so|maybe|probably|right)$", re.IGNORECASE)


def _anchored(match: re.Match[str]) -> TimeSaid:
    return TimeSaid(_HEDGE.sub("", match[0].strip()), _relation(match[1]), anchor=_HEDGE.sub("", match[2].strip()))


def _calendar(text: str, now: datetime) -> Iterator[tuple[int, int, TimeSaid]]:
    for match in _ISO_DAY.finditer(text):
        try:
            day = datetime(int(match[1]), int(match[2]), int(match[3]), tzinfo=now.tzinfo)
        except ValueError:
            continue
        yield match.start(), match.end(), _interval(text, match, day, day + timedelta(days=1))
    for match in _ISO_MONTH.finditer(text):
        yield match.start(), match.end(), _interval(text, match, *_month(int(match[1]), int(match[2]), now))
    for match in _AGO.finditer(text):
        count = _NUMBERS.get(match[1].lower()) or int(match[1])
        days = count * _UNIT_DAYS[match[2].lower()]
        slack = max(0.5, days * 0.35)
        yield (
            match.start(),
            match.end(),
            TimeSaid(
                match[0], "around", now - timedelta(days=days + slack), now - timedelta(days=max(0.0, days - slack))
            ),
        )
    for match in _LAST.finditer(text):
        yield match.start(), match.end(), TimeSaid(match[0], "in", *_last(match[1].lower(), match[2].lower(), now))
    for pattern, older, newer in _NAMED_DAYS:
        for match in re.finditer(pattern, text, re.IGNORECASE):
            until = now - timedelta(days=newer) + timedelta(days=1)
            yield match.start(), match.end(), TimeSaid(match[0], "in", now - timedelta(days=older), min(now, until))
    for match in _MONTH.finditer(text):
        name = match[2].lower()
        if name in _AMBIGUOUS_MONTHS and not (match[1] or match[3]) and not match[2][0].isupper():
            continue
        if name == "may" and not (match[3] or (match[1] and match[2][0].isupper())):
            continue
        month = _MONTHS[name]
        year = int(match[3]) if match[3] else now.year if month <= now.month else now.year - 1
        yield match.start(), match.end(), _related(match[0], match[1], *_month(year, month, now))
    for match in _CJK_MONTH.finditer(text):
        month = int(match[2])
        year = int(match[1]) if match[1] else now.year if month <= now.month else now.year - 1
        yield match.start(), match.end(), TimeSaid(match[0], "in", *_month(year, month, now))
    for match in _YEAR.finditer(text):
        year = int(match[2])
        since, until = datetime(year, 1, 1, tzinfo=now.tzinfo), datetime(year + 1, 1, 1, tzinfo=now.tzinfo)
        yield match.start(), match.end(), _related(match[0], match[1], since, until)


def _interval(text: str, match: re.Match[str], since: datetime, until: datetime) -> TimeSaid:
    before = re.search(r"(\w+)\s*$", text[: match.start()])
    return _related(match[0], before[1] if before else None, since, until)


def _related(words: str, relation: str | None, since: datetime, until: datetime) -> TimeSaid:
    match _relation(relation or "in"):
        case "before":
            return TimeSaid(words, "before", None, since)
        case "after":
            return TimeSaid(words, "after", until if relation == "after" else since, None)
        case other:
            return TimeSaid(words, other, since, until)


def _relation(word: str) -> Relation:
    word = word.lower()
    if "before" in word or word in ("until", "by"):
        return "before"
    if "after" in word or word == "since":
        return "after"
    return "around" if word.startswith(("around", "back", "at", "when")) else "in"


def _month(year: int, month: int, now: datetime) -> tuple[datetime, datetime]:
    since = datetime(year, month, 1, tzinfo=now.tzinfo)
    return since, datetime(year + month // 12, month % 12 + 1, 1, tzinfo=now.tzinfo)


def _last(which: str, unit: str, now: datetime) -> tuple[datetime, datetime]:
    day = now.replace(hour=0, minute=0, second=0, microsecond=0)
    if unit in _SEASONS:
        first = _SEASONS[unit]
        year = now.year
        since = datetime(year, first, 1, tzinfo=now.tzinfo)
        if since > now or (which != "this" and _season_end(since, now) > now):
            since = datetime(year - 1, first, 1, tzinfo=now.tzinfo)
        return since, _season_end(since, now)
    spans = {"night": 1, "day": 2, "week": 7, "month": 31, "quarter": 92, "year": 366}
    days = spans[unit]
    if which in ("this", "earlier this"):
        return day - timedelta(days=days), now
    if which == "the other":
        return day - timedelta(days=4 * days), now
    return day - timedelta(days=2 * days), day - timedelta(days=0.15 * days if days > 2 else 0)


def _season_end(since: datetime, now: datetime) -> datetime:
    month = since.month + 3
    return datetime(since.year + (month - 1) // 12, (month - 1) % 12 + 1, 1, tzinfo=now.tzinfo)
