"""How fast this machine reads, measured as it reads: what a wider search would cost is told from this.

A few numbers in one small file of our cache. Lost or damaged, it is measured again.
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
import threading
from pathlib import Path
from typing import cast

from anamnesis_lsp.errors import AnamnesisError
from anamnesis_lsp.places import cache_dir

REMEMBERED = 8.0
"""Measurements that count: an older one counts ever less."""

_lock = threading.Lock()


class Rates:
    """Amounts per second, by what is read: commits, bytes."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path

    def seconds(self, what: str, amount: float) -> float | None:
        """How long ``amount`` of it takes here; None where it was never measured."""
        amounts, seconds = self._read().get(what, (0.0, 0.0))
        return amount * seconds / amounts if amounts > 0 else None

    def measured(self, what: str, amount: float, seconds: float) -> None:
        """Remember one measurement. One too small to tell anything is left out."""
        if amount <= 0 or seconds < 0.0005:
            return
        with _lock:
            known = self._read()
            before = known.get(what, (0.0, 0.0))
            fade = 1.0 - 1.0 / REMEMBERED
            known[what] = (before[0] * fade + amount, before[1] * fade + seconds)
            self._write(known)

    def _file(self) -> Path:
        return self._path or cache_dir() / "rates.json"

    def _read(self) -> dict[str, tuple[float, float]]:
        try:
            read: object = json.loads(self._file().read_text(encoding="utf-8"))
        except (OSError, ValueError, AnamnesisError):
            return {}
        found: dict[str, tuple[float, float]] = {}
        for name, pair in cast("dict[str, object]", read).items() if isinstance(read, dict) else ():
            numbers = cast("list[object]", pair) if isinstance(pair, list) else []
            if len(numbers) == 2 and all(isinstance(n, (int, float)) and n > 0 for n in numbers):
                found[name] = (float(cast("float", numbers[0])), float(cast("float", numbers[1])))
        return found

    def _write(self, rates: dict[str, tuple[float, float]]) -> None:
        with contextlib.suppress(OSError, AnamnesisError):
            path = self._file()
            handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".rates-")
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump({name: [round(a, 3), round(s, 6)] for name, (a, s) in rates.items()}, file)
            Path(temporary).replace(path)


def told(seconds: float | None, amount: str = "") -> str:
    """A cost for people: ``about 40 s, 1.2 GB``."""
    if seconds is None:
        return f"not measured yet{f', {amount}' if amount else ''}"
    if seconds < 1.5:
        time = "about a second"
    elif seconds < 90:
        time = f"about {_rounded(seconds)} s"
    elif seconds < 5400:
        time = f"about {_rounded(seconds / 60)} min"
    else:
        time = f"about {_rounded(seconds / 3600)} h"
    return f"{time}{f', {amount}' if amount else ''}"


def size(count: float) -> str:
    """Bytes for people."""
    for unit, step in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= step:
            return f"{count / step:.1f} {unit}" if count < 10 * step else f"{count / step:.0f} {unit}"
    return f"{count:.0f} bytes"


def _rounded(value: float) -> int:
    return round(value) if value < 10 else 5 * round(value / 5)
