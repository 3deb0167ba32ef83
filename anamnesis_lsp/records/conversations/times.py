"""Times as logs record them (ISO 8601 text, seconds, milliseconds, microseconds) as aware datetimes."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone, tzinfo

_ISO = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?\s*(Z|z|UTC|[+-]\d\d:?(?:\d\d)?)?\Z"
)
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def moment(value: object, naive: tzinfo | None = timezone.utc) -> datetime | None:
    """The time a recorded value names, or None where it names none.

    Numbers (and digits as text) are seconds below 10^11, milliseconds below 10^14, microseconds above. ISO text without
    a zone is read in ``naive`` (None: this machine's local zone).
    """
    if isinstance(value, str):
        return _of_text(value, naive)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return _of_number(value)
    return None


def _of_text(text: str, naive: tzinfo | None) -> datetime | None:
    if len(text) == 24 and text[-1] == "Z":
        try:
            return datetime.fromisoformat(text[:-1] + "+00:00")
        except ValueError:
            return None
    text = text[:64].strip()
    match = _ISO.match(text)
    if match is None:
        return _of_number(float(text)) if re.fullmatch(r"\d{9,17}(?:\.\d{1,9})?", text, re.ASCII) else None
    year, month, day, hour, minute = (int(part) for part in match.groups()[:5])
    micro = int((match[7] or "0").ljust(6, "0")[:6])
    try:
        when = datetime(year, month, day, hour, minute, int(match[6] or 0), micro)
        zone = match[8]
        if zone is None:
            return when.astimezone() if naive is None else when.replace(tzinfo=naive)
        if zone in ("Z", "z", "UTC"):
            return when.replace(tzinfo=timezone.utc)
        digits = zone[1:].replace(":", "").ljust(4, "0")
        away = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
        return when.replace(tzinfo=timezone(away if zone[0] == "+" else -away))
    except (ValueError, OverflowError, OSError):
        return None


def _of_number(number: float) -> datetime | None:
    if not 0 < number < 1e17:
        return None
    seconds = number if number < 1e11 else number / 1e3 if number < 1e14 else number / 1e6
    try:
        return _EPOCH + timedelta(seconds=seconds)
    except OverflowError:
        return None
