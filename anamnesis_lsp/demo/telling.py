"""The stories of the example in the terminal: the code, the question, the story; then it is the person's turn."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from anamnesis_lsp.cancel import never
from anamnesis_lsp.demo.example import folder_of, make, own_places, stores
from anamnesis_lsp.demo.repository import QUESTIONS, Made, Question
from anamnesis_lsp.present.round import Round
from anamnesis_lsp.recall.recaller import Recaller, RecallSettings, RecollectRequest

Show = Callable[[Round], None]
Wait = Callable[[str], bool]
"""Asks whether to go on, as the prompt given says; False: no."""
Talk = Callable[[Recaller, Callable[[], Round]], None]
"""Goes on with the round that the callable makes, as the person speaks."""

SCENE = """\
tidewatch reads the tide gauges of a harbour every ten minutes and keeps the levels. Two people wrote it, partly with
an assistant, and you have just taken it over. Everything below is made for this: a repository of six commits, one
decision record, and three conversations, one of which has nothing to do with it.
"""
YOURS = """\
Now it is your turn: answer as you would answer a colleague. For example
    that's it                            and it is kept, to paste into a comment or a commit
    no, it was about the map             and it looks again
    /open 1                              the record behind the first citation
"""
NEXT = """\
On your own repository:
    anamnesis-lsp doctor                                 what is there, and what is missing
    anamnesis-lsp recollect src/some/file.py:10-20       why is this here?
    anamnesis-lsp demo --serve                           this example, to be opened in your editor"""


def tell(keep: Path | None, show: Show, wait: Wait, talk: Talk | None = None) -> int:
    """Make the example and recollect its questions; 0 where each was answered with a story.

    ``wait`` is asked before each answer; with ``talk`` the last recall is gone on with.
    """
    with folder_of(keep) as folder, own_places(folder):
        made = make(folder)
        print(SCENE)
        rounds: list[Round] = []
        recaller = Recaller(RecallSettings(stores=stores(made)), [made.root])
        try:
            for question in QUESTIONS:
                _ask(question, made)
                if not wait("Enter: ask why it is there "):
                    return 0
                rounds.append(recaller.recollect(_request(question, made), never()))
                show(rounds[-1])
                print()
            if talk is not None:
                print(YOURS)
                talk(recaller, lambda: rounds[-1])
                print()
        finally:
            recaller.close()
        if keep is not None:
            print(f"The example is left in {folder}.\n")
        print(NEXT)
        return 0 if all(shown.story for shown in rounds) else 1


def _ask(question: Question, made: Made) -> None:
    first, last = made.lines(question.path, question.first, question.last)
    for number, line in enumerate(made.text(question.path)[first - 1 : last], first):
        print(f"  {number:3} │ {line}")
    print(f"\n{question.wondered}\n\n$ anamnesis-lsp recollect {question.path}:{first}-{last}\n")


def _request(question: Question, made: Made) -> RecollectRequest:
    lines = made.lines(question.path, question.first, question.last)
    return RecollectRequest(made.root / question.path, lines, fresh=True)
