"""doctor: what is there, what is wrong, and how to mend it.

Looks at the program, git, the repository at hand, our own places, the index, the stores and the editors, in that order,
and goes on where one of them is wrong: a report is whole on a machine on which nothing works. It changes nothing and
reads nothing in; of the editors' configuration it shows only where it lies.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from anamnesis_lsp.cancel import CancelToken
from anamnesis_lsp.doctor import machine, reading
from anamnesis_lsp.doctor.check import Check
from anamnesis_lsp.doctor.editors import editors

__all__ = ["Check", "examine"]


def examine(
    here: Path,
    cancel: CancelToken,
    home: Path | None = None,
    environ: dict[str, str] | None = None,
    now: datetime | None = None,
) -> Iterator[Check]:
    """Every check of a report on the folder ``here``, as it is done. Raises ``Cancelled`` and nothing else of ours."""
    environ = dict(os.environ) if environ is None else environ
    home = _home() if home is None else home
    yield from machine.program(environ)
    yield from machine.git_and_repository(here, cancel)
    yield from machine.own_places()
    yield from reading.index_and_stores(here, home, environ, now or reading.utc_now(), cancel)
    yield from editors(home, environ)


def _home() -> Path:
    try:
        return Path.home()
    except RuntimeError:  # a user without an entry, and no HOME
        return Path(os.sep)
