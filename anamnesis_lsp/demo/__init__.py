"""demo: a small repository with a real history, two conversations and a decision record, and the main job run on it.

Everything is made in a temporary folder (or one that is kept) with a cache of its own, so that it shows what a first
run does on a machine that has none of it. Nothing else of this program depends on it.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

from anamnesis_lsp.cancel import never
from anamnesis_lsp.demo.conversations import write_conversations
from anamnesis_lsp.demo.repository import QUESTIONS, Made, make_repository
from anamnesis_lsp.present.round import Round
from anamnesis_lsp.recall.recaller import Recaller, RecallSettings, RecollectRequest
from anamnesis_lsp.records.conversations.stores import Store

Show = Callable[[Round], None]


def run(keep: Path | None, show: Show) -> int:
    """Make the example and recollect its questions; 0 where each was answered with a story."""
    with _folder(keep) as folder:
        made = make(folder)
        print(f"A small repository in {made.root}, with the conversations of those who wrote it in {made.store}.\n")
        answered = 0
        with _own_cache(folder):
            recaller = Recaller(RecallSettings(stores=stores(made)), [made.root])
            try:
                for question in QUESTIONS:
                    first, last = made.lines(question.path, question.first, question.last)
                    print(f"$ anamnesis-lsp recollect {question.path}:{first}-{last}\n")
                    print("\n".join(f"    {line}" for line in made.text(question.path)[first - 1 : last]) + "\n")
                    request = RecollectRequest(made.root / question.path, (first, last))
                    shown = recaller.recollect(request, never())
                    show(shown)
                    answered += bool(shown.story)
            finally:
                recaller.close()
        if keep is not None:
            print(f"\nThe example is left in {folder}. Open {made.root} in your editor, with this store:")
            print(f"    claude-code: {made.store}")
        return 0 if answered == len(QUESTIONS) else 1


def make(folder: Path) -> Made:
    """The repository and the conversations, in ``folder``."""
    made = make_repository(folder / "tidewatch")
    write_conversations(made, folder / "claude")
    return made


def stores(made: Made) -> tuple[Store, ...]:
    """The stores of the example: its conversations and its decision records."""
    return (Store.at("claude-code", made.store), Store.at("decisions", made.root))


@contextmanager
def _folder(keep: Path | None) -> Generator[Path, None, None]:
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
        yield keep.resolve()
        return
    with tempfile.TemporaryDirectory(prefix="anamnesis-demo-", ignore_cleanup_errors=True) as folder:
        yield Path(folder).resolve()


@contextmanager
def _own_cache(folder: Path) -> Generator[None, None, None]:
    names = {"ANAMNESIS_CACHE_DIR": folder / "cache", "ANAMNESIS_STATE_DIR": folder / "state"}
    before = {name: os.environ.get(name) for name in names}
    os.environ.update({name: str(path) for name, path in names.items()})
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
