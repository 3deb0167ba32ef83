"""The history as the readings know it: what a cancelled look leaves behind."""

from __future__ import annotations

from pathlib import Path

from anamnesis_lsp.cancel import Cancelled, CancelToken, never
from anamnesis_lsp.readings.past import Past
from anamnesis_lsp.records.git import Repository
from tests.server.scene import a_scene


class Impatient(CancelToken):
    """Cancels itself at the n-th look."""

    def __init__(self, looks: int) -> None:
        super().__init__()
        self._left = looks

    def check(self) -> None:
        self._left -= 1
        if self._left < 0:
            self.cancel()
        super().check()


def test_what_was_cancelled_at_any_moment_is_read_by_the_next(tmp_path: Path) -> None:
    scene = a_scene(tmp_path)
    cancelled = 0
    for looks in range(60):
        past = Past(Repository.discover(scene.file, never()), scene.commit)
        try:
            past.links(scene.commit, Impatient(looks))
        except Cancelled:
            cancelled += 1
            assert past.links(scene.commit, never()) is not None
            assert past.patch(scene.commit, never()).paths == ("src/fetch.py",)
        else:
            break
    assert 2 < cancelled < 60
